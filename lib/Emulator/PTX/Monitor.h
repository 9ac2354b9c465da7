//===- Monitor.h - Who touched which bytes, and in which order --*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Happens-before with one vector clock a warp. Threads of one warp are taken to
// be ordered. A barrier joins the clocks of the warps it gathers; an atomic or
// a volatile access hands its clock on through its address.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_MONITOR_H
#define TILEPIPE_LIB_EMULATOR_PTX_MONITOR_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tilepipe::ptx {

using Clock = std::vector<uint32_t>;

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
  Conflict read(uint64_t address, uint32_t bytes, uint32_t warp,
                const Clock &clock, uint32_t inst, bool strong);
  Conflict write(uint64_t address, uint32_t bytes, uint32_t warp,
                 const Clock &clock, uint32_t inst, bool strong);
  /// An asynchronous copy into these bytes is issued, is retired.
  Conflict begin(uint64_t address, uint32_t bytes, uint32_t warp,
                 const Clock &clock, uint32_t inst);
  void finish(uint64_t address, uint32_t bytes, uint32_t warp, uint32_t epoch,
              uint32_t inst, uint32_t waitInst);

private:
  struct Cell {
    uint32_t epoch = 0, inst = 0, waitInst = 0;
    uint32_t flightInst = 0;
    uint16_t writer = 0, flights = 0, flightWarp = 0;
    bool copy = false, strong = false;
  };
  struct Reader {
    uint32_t epoch = 0, inst = 0;
  };
  bool findReader(const Reader *readers, uint32_t warp, const Clock &clock,
                  Conflict &conflict) const;
  static bool findWriter(const Cell &cell, uint32_t warp, const Clock &clock,
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
