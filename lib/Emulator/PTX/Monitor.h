//===- Monitor.h - Who touched which bytes, and in which order --*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Happens-before with one vector clock a warp. A barrier joins the clocks of the
// warps it gathers; an atomic or a volatile access hands its clock on through its
// address. Threads of one warp are ordered where their warp's own clock has gone
// on: at a barrier, also one of the warp alone.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_MONITOR_H
#define TILEPIPE_LIB_EMULATOR_PTX_MONITOR_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tilepipe::ptx {

using Clock = std::vector<uint32_t>;

/// All lanes of a warp, or several of them.
constexpr uint8_t manyLanes = 32;

/// Who makes an access, and what it is known to come after.
struct Thread {
  uint32_t warp;
  uint8_t lane;
  const Clock &clock;

  uint32_t epoch() const { return clock[warp]; }
  /// Another thread of the same warp, which nothing orders before this one. One
  /// instruction of the warp is not a race with itself.
  bool isBeside(uint32_t otherWarp, uint8_t otherLane, uint32_t otherEpoch,
                bool sameInst) const {
    return otherWarp == warp && otherEpoch == clock[warp] && !sameInst &&
           (otherLane != lane || lane == manyLanes);
  }
};

/// What the monitor finds; the block adds names and places.
struct Conflict {
  enum Kind : uint8_t { None, AfterWrite, AfterRead, InFlight };
  Kind kind = None;
  uint64_t address = 0;
  /// The other end: its warp, its instruction, whether it was a copy, and the
  /// wait that retired the copy.
  uint32_t warp = 0, inst = 0, waitInst = 0;
  bool copy = false;
};

/// Shared memory of one block, word by word. A word of which only a part was
/// ever accessed at once is kept byte by byte from then on.
class SharedMonitor {
public:
  void reset(uint64_t bytes, uint32_t warps);
  bool enabled() const { return !cells.empty(); }
  Conflict read(uint64_t address, uint32_t bytes, const Thread &thread,
                uint32_t inst, bool strong);
  Conflict write(uint64_t address, uint32_t bytes, const Thread &thread,
                 uint32_t inst, bool strong);
  /// An asynchronous copy into these bytes is issued, is retired.
  Conflict begin(uint64_t address, uint32_t bytes, const Thread &thread,
                 uint32_t inst);
  void finish(uint64_t address, uint32_t bytes, const Thread &thread,
              uint32_t inst, uint32_t waitInst);

private:
  struct Cell {
    uint32_t epoch = 0, inst = 0, waitInst = 0;
    uint32_t flightInst = 0;
    uint16_t writer = 0, flights = 0, flightWarp = 0;
    uint8_t lane = 0;
    bool copy = false, strong = false;
  };
  struct Reader {
    uint32_t epoch = 0, inst = 0;
    uint8_t lane = 0;
  };
  bool findReader(const Reader *readers, const Thread &thread, uint32_t inst,
                  Conflict &conflict) const;
  static bool findWriter(const Cell &cell, const Thread &thread, uint32_t inst,
                         bool strong, Conflict &conflict);
  /// Calls `visit` with the cell, its readers and its address; a true result
  /// ends it.
  template <class Visit>
  void forEach(uint64_t address, uint32_t bytes, Visit visit);
  void refine(uint64_t word);

  std::vector<Cell> cells, byteCells;
  std::vector<Reader> readers, byteReaders;
  std::vector<uint8_t> refined;
  uint32_t warps = 0;
};

} // namespace tilepipe::ptx

#endif // TILEPIPE_LIB_EMULATOR_PTX_MONITOR_H
