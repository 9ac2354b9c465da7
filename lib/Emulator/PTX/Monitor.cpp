//===- Monitor.cpp - Who touched which bytes, and in which order ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Monitor.h"

using namespace tilepipe::ptx;

void SharedMonitor::reset(uint64_t bytes, uint32_t count) {
  warps = count;
  uint64_t words = bytes / 4 + 2;
  cells.assign(words, Cell());
  readers.assign(words * warps, Reader());
  refined.assign(words, 0);
  byteCells.clear();
  byteReaders.clear();
}

void SharedMonitor::refine(uint64_t word) {
  if (byteCells.empty()) {
    byteCells.resize(cells.size() * 4);
    byteReaders.resize(readers.size() * 4);
  }
  refined[word] = 1;
  for (uint64_t i = 4 * word; i < 4 * word + 4; ++i) {
    byteCells[i] = cells[word];
    for (uint32_t w = 0; w < warps; ++w)
      byteReaders[i * warps + w] = readers[word * warps + w];
  }
}

template <class Visit>
void SharedMonitor::forEach(uint64_t address, uint32_t bytes, Visit visit) {
  uint64_t end = address + bytes;
  for (uint64_t at = address; at < end;) {
    uint64_t word = at / 4, next = 4 * word + 4;
    bool whole = at == 4 * word && next <= end;
    if (whole && !refined[word]) {
      if (visit(cells[word], &readers[word * warps], at))
        return;
      at = next;
      continue;
    }
    if (!refined[word])
      refine(word);
    for (; at < next && at < end; ++at)
      if (visit(byteCells[at], &byteReaders[at * warps], at))
        return;
  }
}

bool SharedMonitor::findWriter(const Cell &cell, const Thread &thread,
                               uint32_t inst, bool strong, Conflict &conflict) {
  bool unordered = cell.writer == thread.warp
                       ? thread.isBeside(cell.writer, cell.lane, cell.epoch,
                                         cell.inst == inst)
                       : cell.epoch > thread.clock[cell.writer];
  if (!unordered || (strong && cell.strong))
    return false;
  conflict.kind = Conflict::AfterWrite;
  conflict.warp = cell.writer;
  conflict.inst = cell.inst;
  conflict.waitInst = cell.waitInst;
  conflict.copy = cell.copy;
  return true;
}

bool SharedMonitor::findReader(const Reader *reader, const Thread &thread,
                               uint32_t inst, Conflict &conflict) const {
  const Clock &clock = thread.clock;
  auto found = [&](uint32_t warp) {
    conflict.kind = Conflict::AfterRead;
    conflict.warp = warp;
    conflict.inst = reader[warp].inst;
    return true;
  };
  uint32_t late = 0;
  for (uint32_t i = 0; i < warps; ++i)
    late |= reader[i].epoch > clock[i];
  for (uint32_t i = 0; late && i < warps; ++i)
    if (i != thread.warp && reader[i].epoch > clock[i])
      return found(i);
  const Reader &own = reader[thread.warp];
  return thread.isBeside(thread.warp, own.lane, own.epoch, own.inst == inst) &&
         found(thread.warp);
}

/// True, and the conflict says so, where a copy is in flight.
template <class Cell>
static bool inFlight(const Cell &cell, Conflict &conflict) {
  if (!cell.flights)
    return false;
  conflict.kind = Conflict::InFlight;
  conflict.warp = cell.flightWarp;
  conflict.inst = cell.flightInst;
  conflict.copy = true;
  return true;
}

Conflict SharedMonitor::read(uint64_t address, uint32_t bytes,
                             const Thread &thread, uint32_t inst, bool strong) {
  Conflict conflict;
  forEach(address, bytes, [&](Cell &cell, Reader *reader, uint64_t at) {
    conflict.address = at;
    if (inFlight(cell, conflict) ||
        findWriter(cell, thread, inst, strong, conflict))
      return true;
    // A strong read orders itself; it must not count against strong writes.
    if (strong)
      return false;
    Reader &own = reader[thread.warp];
    bool isFirst = own.epoch != thread.epoch() || own.lane == thread.lane;
    own = {thread.epoch(), inst, isFirst ? thread.lane : manyLanes};
    return false;
  });
  return conflict;
}

Conflict SharedMonitor::write(uint64_t address, uint32_t bytes,
                              const Thread &thread, uint32_t inst,
                              bool strong) {
  Conflict conflict;
  forEach(address, bytes, [&](Cell &cell, Reader *reader, uint64_t at) {
    conflict.address = at;
    if (inFlight(cell, conflict) ||
        findWriter(cell, thread, inst, strong, conflict) ||
        findReader(reader, thread, inst, conflict))
      return true;
    cell.writer = thread.warp;
    cell.lane = thread.lane;
    cell.epoch = thread.epoch();
    cell.inst = inst;
    cell.copy = false;
    cell.strong = strong;
    return false;
  });
  return conflict;
}

Conflict SharedMonitor::begin(uint64_t address, uint32_t bytes,
                              const Thread &thread, uint32_t inst) {
  Conflict conflict;
  forEach(address, bytes, [&](Cell &cell, Reader *reader, uint64_t at) {
    if (!conflict.kind) {
      conflict.address = at;
      if (!inFlight(cell, conflict) &&
          !findWriter(cell, thread, inst, false, conflict))
        findReader(reader, thread, inst, conflict);
    }
    ++cell.flights;
    cell.flightWarp = thread.warp;
    cell.flightInst = inst;
    return false;
  });
  return conflict;
}

void SharedMonitor::finish(uint64_t address, uint32_t bytes,
                           const Thread &thread, uint32_t inst,
                           uint32_t waitInst) {
  forEach(address, bytes, [&](Cell &cell, Reader *, uint64_t) {
    if (cell.flights)
      --cell.flights;
    cell.writer = thread.warp;
    cell.lane = thread.lane;
    cell.epoch = thread.epoch();
    cell.inst = inst;
    cell.waitInst = waitInst;
    cell.copy = true;
    cell.strong = false;
    return false;
  });
}
