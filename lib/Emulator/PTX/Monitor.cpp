//===- Monitor.cpp - Who touched which bytes, and in which order ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Monitor.h"

using namespace tilepipe::ptx;

void SharedMonitor::reset(uint64_t bytes, uint32_t granule, uint32_t count) {
  shift = granule >= 4 ? 2 : granule == 2 ? 1 : 0;
  warps = count;
  uint64_t size = (bytes >> shift) + 2;
  cells.assign(size, Cell());
  readers.assign(size * warps, Reader());
}

bool SharedMonitor::findWriter(uint64_t index, uint32_t warp,
                               const Clock &clock, bool strong,
                               Conflict &conflict) const {
  const Cell &cell = cells[index];
  if (cell.writer == warp || cell.epoch <= clock[cell.writer] ||
      (strong && cell.strong))
    return false;
  conflict.kind = Conflict::AfterWrite;
  conflict.address = index << shift;
  conflict.warp = cell.writer;
  conflict.inst = cell.inst;
  conflict.waitInst = cell.waitInst;
  conflict.copy = cell.copy;
  return true;
}

bool SharedMonitor::findReader(uint64_t index, uint32_t warp,
                               const Clock &clock, bool strong,
                               Conflict &conflict) const {
  const Reader *reader = &readers[index * warps];
  uint32_t late = 0;
  for (uint32_t i = 0; i < warps; ++i)
    late |= reader[i].epoch > clock[i];
  if (!late)
    return false;
  for (uint32_t i = 0; i < warps; ++i)
    if (i != warp && reader[i].epoch > clock[i]) {
      conflict.kind = Conflict::AfterRead;
      conflict.address = index << shift;
      conflict.warp = i;
      conflict.inst = reader[i].inst;
      return true;
    }
  return false;
}

Conflict SharedMonitor::read(uint64_t address, uint32_t bytes, uint32_t warp,
                             const Clock &clock, uint32_t inst, bool strong) {
  Conflict conflict;
  uint64_t last = (address + bytes - 1) >> shift;
  for (uint64_t i = address >> shift; i <= last; ++i) {
    const Cell &cell = cells[i];
    if (cell.flights) {
      conflict = {Conflict::InFlight, i << shift, cell.flightWarp,
                  cell.flightInst,    0,          true};
      return conflict;
    }
    if (findWriter(i, warp, clock, strong, conflict))
      return conflict;
    // A strong read orders itself; it must not count against strong writes.
    if (!strong)
      readers[i * warps + warp] = {clock[warp], inst};
  }
  return conflict;
}

Conflict SharedMonitor::write(uint64_t address, uint32_t bytes, uint32_t warp,
                              const Clock &clock, uint32_t inst, bool strong) {
  Conflict conflict;
  uint64_t last = (address + bytes - 1) >> shift;
  for (uint64_t i = address >> shift; i <= last; ++i) {
    Cell &cell = cells[i];
    if (cell.flights) {
      conflict = {Conflict::InFlight, i << shift, cell.flightWarp,
                  cell.flightInst,    0,          true};
      return conflict;
    }
    if (findWriter(i, warp, clock, strong, conflict) ||
        findReader(i, warp, clock, strong, conflict))
      return conflict;
    cell.writer = warp;
    cell.epoch = clock[warp];
    cell.inst = inst;
    cell.copy = false;
    cell.strong = strong;
  }
  return conflict;
}

Conflict SharedMonitor::begin(uint64_t address, uint32_t bytes, uint32_t warp,
                              const Clock &clock, uint32_t inst) {
  Conflict conflict;
  uint64_t first = address >> shift, last = (address + bytes - 1) >> shift;
  for (uint64_t i = first; i <= last && !conflict.kind; ++i) {
    const Cell &cell = cells[i];
    if (cell.flights)
      conflict = {Conflict::InFlight, i << shift, cell.flightWarp,
                  cell.flightInst,    0,          true};
    else if (!findWriter(i, warp, clock, false, conflict))
      findReader(i, warp, clock, false, conflict);
  }
  for (uint64_t i = first; i <= last; ++i) {
    Cell &cell = cells[i];
    ++cell.flights;
    cell.flightWarp = warp;
    cell.flightInst = inst;
  }
  return conflict;
}

void SharedMonitor::finish(uint64_t address, uint32_t bytes, uint32_t warp,
                           uint32_t epoch, uint32_t inst, uint32_t waitInst) {
  uint64_t last = (address + bytes - 1) >> shift;
  for (uint64_t i = address >> shift; i <= last; ++i) {
    Cell &cell = cells[i];
    if (cell.flights)
      --cell.flights;
    cell.writer = warp;
    cell.epoch = epoch;
    cell.inst = inst;
    cell.waitInst = waitInst;
    cell.copy = true;
    cell.strong = false;
  }
}
