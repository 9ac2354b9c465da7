//===- Machine.h - The state of a running block -----------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_MACHINE_H
#define TILEPIPE_LIB_EMULATOR_PTX_MACHINE_H

#include "Lanes.h"
#include "Memory.h"
#include "Monitor.h"
#include "Parser.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <random>

namespace tilepipe::ptx {

/// The lanes of the processor this runs on.
const LaneLibrary &laneLibrary();

/// Ends the launch; never leaves the library.
struct Fault {
  Issue issue;
};

/// Threads of a warp that run together.
struct StackEntry {
  int32_t pc, join;
  uint32_t mask;
};

/// One cp.async of a warp, until all of its lanes are retired.
struct Copy {
  uint32_t inst, mask;
  /// Bytes are in place (Policy), by lane.
  uint32_t moved = 0;
  uint32_t bytes;
  /// When it was issued, in instructions of the block.
  uint64_t time = 0;
  uint32_t group[32], target[32], sourceBytes[32];
  uint64_t source[32];
};

struct Warp {
  enum Status : uint8_t { Ready, AtBarrier, Done };
  uint32_t id = 0;
  Status status = Ready;
  uint32_t live = 0;
  std::vector<StackEntry> stack;
  WarpState state;
  std::vector<uint8_t> file;
  std::vector<uint32_t> undefined, origin, lowDefined;
  std::vector<uint8_t> local, localUndefined;
  Clock clock;
  std::deque<Copy> copies;
  /// The commit group a copy issued now belongs to, by lane.
  uint32_t openGroup[32] = {};
  uint32_t barrier = 0, barrierInst = 0;
  template <class T> T *row(const Operand &operand) {
    return reinterpret_cast<T *>(state.base[operand.base] + operand.offset);
  }
};

struct Barrier {
  uint32_t arrived = 0, expected = 0;
  /// Threads given by number, or all of the block.
  bool counted = false;
  Clock clock;
  std::vector<uint32_t> waiting;
  uint32_t inst = 0;
  /// Of bar.red.
  uint32_t population = 0;
  bool all = true, any = false;
};

/// What all blocks of a launch share.
struct Launch {
  const Program &program;
  const Kernel &kernel;
  const LaunchOptions &options;
  GlobalMemory memory;
  std::vector<uint8_t> params;
  Report &report;
  std::mutex mutex;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> executed{0};
  /// By instruction, with the census: how often it ran, bank conflicts.
  std::vector<uint64_t> counts, conflicts;
  double deadline = 0;

  Launch(const Program &program, const Kernel &kernel,
         const LaunchOptions &options, Report &report)
      : program(program), kernel(kernel), options(options), report(report) {}
  void add(Issue issue);
};

/// "read", "write" or "atomic access".
const char *nameOfAccess(int kind);

class Block {
public:
  Block(Launch &launch, const uint32_t index[3], uint32_t linear);
  /// Runs to the end; a fault becomes an issue and stops the launch.
  void run();

private:
  // Block.cpp: warps, their order, the instruction loop.
  void startWarp(Warp &warp);
  void schedule();
  void slice(Warp &warp, uint64_t budget);
  bool settle(Warp &warp);
  void execute(Warp &warp, const Inst &inst, uint32_t active, uint32_t mask);
  bool special(Warp &warp, const Inst &inst, uint32_t active, uint32_t mask);
  void branch(Warp &warp, const Inst &inst, uint32_t active, uint32_t mask);
  void branchIndexed(Warp &warp, const Inst &inst, uint32_t active,
                     uint32_t mask);
  void leave(Warp &warp, uint32_t mask);
  [[noreturn]] void deadlock();
  void finishBlock();

  // Reports.cpp
  Site site(const Inst &inst, std::string access) const;
  Issue issue(const Inst &inst, const char *kind, std::string message) const;
  [[noreturn]] void fault(const Inst &inst, const char *kind,
                          std::string message) const;
  void report(const Warp &warp, const Inst &inst, const Conflict &conflict,
              const char *access);
  void reportUndefined(Warp &warp, const Inst &inst, uint32_t reg,
                       const char *use);
  void requireWarp(const Warp &warp, const Inst &inst, uint32_t mask) const;
  void requireMembers(Warp &warp, const Inst &inst, const Operand &members,
                      uint32_t mask);

  // ExecMemory.cpp
  uint64_t address(Warp &warp, const Operand &operand, unsigned lane) const;
  void addresses(Warp &warp, const Inst &inst, const Operand &operand,
                 uint32_t mask, uint64_t *to);
  enum class Access : uint8_t { Read, Write, Atomic };
  /// Host bytes behind an address, checked and noted; `undefined` gets the
  /// bytes that say what is undefined, or null.
  uint8_t *access(Warp &warp, const Inst &inst, uint64_t address, unsigned lane,
                  uint32_t bytes, Access kind, uint8_t **undefined);
  uint8_t *sharedBytes(const Inst &inst, uint64_t address, uint32_t bytes);
  // NoteAccess.cpp
  void noteShared(Warp &warp, const Inst &inst, unsigned lane, uint64_t address,
                  uint32_t bytes, Access kind);
  void noteGlobal(Warp &warp, const Inst &inst, unsigned lane, Range &range,
                  uint64_t offset, uint32_t bytes, Access kind);
  void checkCell(Warp &warp, const Inst &inst, unsigned lane, Range &range,
                 uint64_t index, GlobalCell &cell, Access kind);
  /// Reports writes of the source since the copy was issued.
  void checkSource(const Warp &warp, const Copy &copy, unsigned lane);
  void synchronise(Warp &warp, const Inst &inst, uint64_t address);
  void load(Warp &warp, const Inst &inst, uint32_t mask);
  void loadParam(Warp &warp, const Inst &inst, uint32_t mask);
  void store(Warp &warp, const Inst &inst, uint32_t mask);
  void atomic(Warp &warp, const Inst &inst, uint32_t mask);
  void convertAddress(Warp &warp, const Inst &inst, uint32_t mask);
  void isSpace(Warp &warp, const Inst &inst, uint32_t mask);

  /// Banks.cpp: counts conflicts if anyone asked.
  void noteBanks(const Inst &inst, const uint64_t *addresses, uint32_t mask,
                 unsigned bytes);

  // ExecAsync.cpp
  void copyAsync(Warp &warp, const Inst &inst, uint32_t mask);
  void move(Warp &warp, Copy &copy, uint32_t lanes);
  void commitGroup(Warp &warp, uint32_t mask);
  void waitGroup(Warp &warp, const Inst &inst, uint32_t mask, uint32_t pending);
  void moveSome(Warp &warp);
  void loadMatrix(Warp &warp, const Inst &inst, uint32_t mask);
  void moveMatrix(Warp &warp, const Inst &inst, uint32_t mask);
  void multiplyMatrix(Warp &warp, const Inst &inst, uint32_t mask);

  // ExecWarp.cpp
  void pack(Warp &warp, const Inst &inst, uint32_t mask);
  void unpack(Warp &warp, const Inst &inst, uint32_t mask);
  void logicPredicate(Warp &warp, const Inst &inst, uint32_t mask);
  void shuffle(Warp &warp, const Inst &inst, uint32_t mask);
  void vote(Warp &warp, const Inst &inst, uint32_t mask);
  void match(Warp &warp, const Inst &inst, uint32_t mask);
  void reduce(Warp &warp, const Inst &inst, uint32_t mask);

  // Barriers.cpp
  void arrive(Warp &warp, const Inst &inst, uint32_t mask);
  void syncWarp(Warp &warp, const Inst &inst, uint32_t mask);
  void release(Barrier &barrier);
  void releaseComplete();
  uint32_t expectedThreads(const Barrier &barrier) const;

  const Inst &at(uint32_t index) const { return kernel.code[index]; }
  uint32_t indexOf(const Inst &inst) const {
    return &inst - kernel.code.data();
  }
  /// Writes 32 words or double words of `values` under a mask.
  void setRow(Warp &warp, const Operand &to, uint32_t mask,
              const uint64_t *values);
  void setUndefined(Warp &warp, const Operand &to, uint32_t mask,
                    uint32_t undefined, uint32_t origin);
  uint64_t value(Warp &warp, const Operand &operand, unsigned lane) const;

  Launch &launch;
  const Program &program;
  const Kernel &kernel;
  const LaunchOptions &options;
  uint32_t index[3], linear;
  uint32_t threads, numWarps;
  std::vector<uint8_t> shared, sharedUndefined;
  SharedMonitor monitor;
  std::vector<Warp> warps;
  Barrier barriers[16];
  std::unordered_map<uint64_t, Clock> handovers;
  std::mt19937_64 random;
  Range *lastRange = nullptr;
  bool trackUndefined, trackRaces;
  uint64_t instructions = 0, threadInstructions = 0, barrierCount = 0,
           copyCount = 0;
};

} // namespace tilepipe::ptx

#endif // TILEPIPE_LIB_EMULATOR_PTX_MACHINE_H
