//===- Machine.h - Cores, pipes, flags ------------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine is the cores that run at the same time. Each has a scalar stream
// (the kernel's body, on a fiber of its own), seven in-order queues, and its
// memories. The scheduler picks what advances next; the policy says how, and
// when effects become visible.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_CCE_MACHINE_H
#define TILEPIPE_LIB_EMULATOR_CCE_MACHINE_H

#include "Memory.h"
#include "tilepipe/Emulator/CCE/cce_abi.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <tuple>

namespace tilepipe::cce {

class Machine;
struct Core;
struct Fiber;

struct Registers {
  uint64_t value[TP_REGISTERS] = {};
  bool set[TP_REGISTERS] = {};
};

/// An instruction in a queue.
struct Op {
  enum Kind { Execute, Set, Wait, Barrier, CrossSet };
  Kind kind = Execute;
  Pipe pipe = S, other = S;
  int opcode = 0, type = 0, id = 0, mode = 0;
  uint32_t site = 0;
  /// Position in the order of the program.
  uint32_t issued = 0;
  int64_t a[14] = {};
  /// Special registers as they were when the instruction was issued.
  Registers registers;
  std::vector<Range> ranges;
  /// What the scalar stream knew when it issued the instruction.
  Clock known;
  void (*run)(Machine &, Core &, const Op &, Effects &) = nullptr;
  /// A mad large enough that the next one sees its result without a barrier.
  bool interlocked = false;
};

/// A place of the text: where an intrinsic stands.
struct Site {
  int opcode, line, column;
};

struct Issue {
  std::string kind, message, missing, core;
  bool error = true;
  int block = 0;
  uint32_t site = 0, other = 0;
  uint64_t count = 1;
};

/// What a set leaves behind for the wait.
struct Token {
  Clock known;
  uint32_t site;
};

struct Flag {
  std::deque<Token> tokens;
  bool waited = false;
  uint32_t waitCount = 0, lastWait = 0, lastSet = 0;
};

/// Effects that nobody sees yet: staged, or still to be computed.
struct InFlight {
  Effects effects;
  bool computed = false;
  Op op;
};

struct Core {
  Core();
  ~Core();
  enum Kind { Unknown, Cube, Vector };
  Kind kind = Unknown;
  int index = 0, block = 0, group = 0, subblock = 0, subblocks = 1;
  std::string name;
  void (*entry)(const int64_t *) = nullptr;
  Region memory[NumSpaces];
  Registers registers;
  std::deque<Op> queue[NumPipes];
  std::deque<InFlight> inFlight[NumPipes];
  Clock clock[NumPipes];
  uint32_t count[NumPipes] = {};
  /// What was issued behind the last pipe_barrier(PIPE_ALL); 0: nothing.
  uint32_t undrained = 0;
  uint32_t publishedStores = 0;
  Flag flags[NumPipes][NumPipes][8];
  /// Cross-core counters, and what arrived for those that collect several.
  std::deque<Token> counters[16];
  std::deque<Token> arrived[3][16];
  /// How often each counter was set, and when its waits were.
  uint32_t delivered[16] = {};
  std::vector<uint32_t> counterWaits[16];
  uint8_t compareMask[16] = {};
  bool interlock = false;
  std::unique_ptr<Fiber> fiber;
  std::function<bool()> condition;
  uint32_t waitingSite = 0;
  std::string waitingFor;
  bool finished = false;
};

enum class Commit { Eager, Late, EarlyWriteLateRead, Random };
enum class Order { PipesFirst, ScalarFirst, Shuffled };

struct Policy {
  Commit commit = Commit::Late;
  Order order = Order::Shuffled;
  /// What advances only where nothing else can: a pipe, or the cores of a kind.
  int victim = -1, victimKind = -1;
};

/// Turns "late", "random", "victim:MTE2" ... into a policy.
bool parsePolicy(const std::string &name, Policy &policy);

/// One change of the synchronisation, applied while running.
struct Mutation {
  enum Kind { Remove = 1, WrongId, SwapPipes, FewerVersions };
  int kind = 0, line = 0, column = 0;
  int source = 0, target = 0, base = 0, versions = 0;
};

struct Statistics {
  uint64_t instructions[NumPipes] = {}, steps = 0, macs = 0;
  uint64_t gmRead = 0, gmWritten = 0, flags = 0;
  uint64_t highWater[NumSpaces] = {};
};

class Machine {
public:
  Policy policy;
  bool races = true;
  std::mt19937_64 random;
  std::vector<Region> gm;
  std::vector<std::unique_ptr<Core>> cores;
  std::vector<Mutation> mutations;
  std::vector<Site> sites{{0, 0, 0}};
  Statistics statistics;
  const int64_t *arguments = nullptr;
  int blocks = 1;
  uint32_t batch = 0, issued = 0;
  Core *current = nullptr;
  uint32_t lastSite = 0;

  /// Runs the cores to their end; leftovers are reported.
  void run();
  /// The body of the core's kernel is over.
  void finish(Core &core);

  // Called on the fiber of the current core.
  void issue(int opcode, int type, int line, int column, const int64_t *a,
             int count);
  void scalarAccess(bool write, Space space, uint64_t address, uint64_t bytes,
                    void *value, int line, int column);

  uint32_t intern(int opcode, int line, int column);
  void report(const char *kind, std::string message, uint32_t site,
              uint32_t other = 0, std::string missing = "", bool error = true);
  /// The GM array that holds the bytes, or none.
  Region *findGm(uint64_t lo, uint64_t hi);
  Region *regionOf(Core &core, const Range &range);
  std::string describe(Core &core, const Range &range);
  const std::vector<Issue> &getIssues() const { return issues; }

  // Access to memory for instructions.
  const uint8_t *bytesAt(Core &core, Space space, uint64_t address);
  /// Null where everything was written.
  const uint8_t *poisonAt(Core &core, Space space, uint64_t address,
                          uint64_t count);
  /// Reports the read of bytes that nothing has written.
  void reportUninitialised(Core &core, const Op &op, Space space,
                           uint64_t address, const char *what);

  int clockSize() const { return int(cores.size()) * NumPipes; }

private:
  // Scheduling.
  bool isVictim(const Core &core, int pipe) const;
  bool step(Core &core, int pipe);
  bool stepScalar(Core &core);
  bool stepPipe(Core &core, Pipe pipe);
  void reportDeadlock();
  void reportLeftovers();

  // The life of an instruction.
  void enqueue(Core &core, Op op);
  void start(Core &core, Op op);
  void flush(Core &core, Pipe pipe);
  void commit(Core &core, Effects &effects);
  void scribble(Core &core, const Op &op);
  bool flushAll(Core &core);
  void block(Core &core, uint32_t site, std::string what,
             std::function<bool()> condition);

  // Synchronisation.
  bool belongs(Core &core, Core::Kind kind, const Op &op, const char *what);
  bool mutate(int &opcode, int line, int column, int64_t *a);
  bool planSync(Core &core, Op &op);
  void runSet(Core &core, const Op &op);
  bool runWait(Core &core, const Op &op);
  void runCrossSet(Core &core, const Op &op);
  void deliver(Core &core, int id, Token token);
  void dropConsequences();
  void scalarSync(Core &core, const Op &op);

  // Order of accesses.
  void access(Core &core, Pipe pipe, const Op &op);
  void accessCell(Core &core, Pipe pipe, const Range &range, Cell &cell,
                  const Mark &mark);
  void race(Core &core, const Range &range, const Mark &mark, const Mark &other,
            bool otherWrites);
  bool knows(const Core &core, Pipe pipe, const Mark &mark) const;

  std::vector<Issue> issues;
  std::map<std::tuple<std::string, uint32_t, uint32_t, std::string>, size_t>
      known;
  std::map<std::tuple<int, int, int>, uint32_t> siteNumbers;
};

/// The kind of core that has a pipe, if only one does.
Core::Kind kindOf(Pipe pipe);

/// Checks the arguments of an instruction and says what it touches; false if it
/// cannot be executed. One function a family.
bool planCopy(Machine &machine, Core &core, Op &op);
bool planCube(Machine &machine, Core &core, Op &op);
bool planVector(Machine &machine, Core &core, Op &op);
bool planReduction(Machine &machine, Core &core, Op &op);

/// Adds what an instruction reads that only a register knows.
void readSelectedBits(Core &core, Op &op);

const char *nameOf(int opcode);
unsigned sizeOf(int type);

/// Runs `body` on a stack of its own.
void startFiber(Core &core, void (*body)());
void resumeFiber(Core &core);
/// Back to the scheduler.
void yieldFiber(Core &core);

} // namespace tilepipe::cce

#endif // TILEPIPE_LIB_EMULATOR_CCE_MACHINE_H
