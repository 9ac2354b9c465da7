//===- Order.cpp - Accesses that nothing orders ---------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every granule remembers the accesses that nothing later has covered. A pair
// of which one writes must be ordered by what the later pipe knows. A pipe
// starts its instructions in order, so that a write may follow a read of the
// same pipe; it does not complete them in order, so all else needs a barrier.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

using namespace tilepipe::cce;

bool Machine::knows(const Core &core, Pipe pipe, const Mark &mark) const {
  if (mark.batch != batch)
    return false;
  // The scalar unit sees its own stores.
  int base = core.index * NumPipes;
  if (pipe == S || pipe == Store)
    if (mark.pipe == base + S || mark.pipe == base + Store)
      return true;
  Pipe clock = pipe == Store ? S : pipe;
  return core.clock[clock][mark.pipe] >= mark.count;
}

void Machine::race(const char *kind, Core &core, Pipe pipe, uint32_t site,
                   const Range &range, const Mark &other) {
  current = &core;
  Pipe first = Pipe(other.pipe % NumPipes);
  bool here = other.batch == batch;
  const Core *from = here ? cores[other.pipe / NumPipes].get() : nullptr;
  std::string missing;
  if (!here)
    missing = "order between blocks, which run at the same time";
  else if (from != &core)
    missing = "a cross-core flag from " + from->name + " " + nameOf(first) +
              " to " + core.name;
  else if (first == pipe)
    missing = std::string("pipe_barrier(") + nameOf(pipe) + ") between them";
  else
    missing = std::string("set_flag(") + nameOf(first) + ", " + nameOf(pipe) +
              ", id) after the first and the wait_flag before the second";
  const char *later = range.write ? " writes what " : " reads what ";
  const char *earlier = kind[1] == 'A' && kind[2] == 'R' ? " reads" : " wrote";
  report("race",
         std::string(kind) + " in " + describe(core, range) + ": " +
             nameOf(sites[site].opcode) + " (" + nameOf(pipe) + ")" + later +
             nameOf(sites[other.site].opcode) + " (" + nameOf(first) + ")" +
             earlier,
         site, other.site, missing);
}

static void cover(std::vector<Mark> &marks, uint32_t mask) {
  size_t kept = 0;
  for (Mark &mark : marks) {
    mark.mask &= ~mask;
    if (mark.mask)
      marks[kept++] = mark;
  }
  marks.resize(kept);
}

void Machine::accessCell(Core &core, Pipe pipe, uint32_t site,
                         const Range &range, Cell &cell, const Mark &mark) {
  auto same = [&](const Mark &other) {
    return other.pipe == mark.pipe && other.batch == mark.batch;
  };
  for (const Mark &writer : cell.writers) {
    if (!(writer.mask & mark.mask) || knows(core, pipe, writer) ||
        (same(writer) && writer.count == mark.count))
      continue;
    race(range.write ? "WAW" : "RAW", core, pipe, site, range, writer);
  }
  if (!range.write) {
    for (Mark &reader : cell.readers)
      if (same(reader))
        reader.mask &= ~mark.mask;
    cover(cell.readers, 0);
    cell.readers.push_back(mark);
    return;
  }
  for (const Mark &reader : cell.readers)
    if ((reader.mask & mark.mask) && !same(reader) &&
        !knows(core, pipe, reader))
      race("WAR", core, pipe, site, range, reader);
  cover(cell.readers, mark.mask);
  cover(cell.writers, mark.mask);
  cell.writers.push_back(mark);
}

void Machine::access(Core &core, Pipe pipe, uint32_t site,
                     const std::vector<Range> &ranges) {
  if (!races)
    return;
  Mark mark;
  mark.count = core.count[pipe];
  mark.pipe = uint16_t(core.index * NumPipes + pipe);
  mark.site = site;
  mark.batch = batch;
  for (bool write : {false, true})
    for (const Range &range : ranges) {
      if (range.write != write)
        continue;
      Region *region = regionOf(core, range);
      if (!region)
        continue;
      uint64_t base =
          range.space == GM ? reinterpret_cast<uint64_t>(region->data) : 0;
      uint64_t lo = range.lo - base, hi = range.hi - base;
      for (uint64_t at = lo / granule; at * granule < hi; ++at) {
        uint64_t begin = std::max(lo, at * granule) - at * granule;
        uint64_t end = std::min(hi, (at + 1) * granule) - at * granule;
        mark.mask = uint32_t(((1ull << (end - begin)) - 1) << begin);
        accessCell(core, pipe, site, range, region->cells[at], mark);
      }
    }
}
