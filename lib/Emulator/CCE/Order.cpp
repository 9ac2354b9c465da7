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

/// `mark` and `other` are not ordered. Tells it in the order of the program
/// where there is one, whichever happened to run first.
void Machine::race(Core &core, const Range &range, const Mark &mark,
                   const Mark &other, bool otherWrites) {
  current = &core;
  bool here = other.batch == batch;
  const Core *from = here ? cores[other.pipe / NumPipes].get() : nullptr;
  Mark first = other, second = mark;
  bool firstWrites = otherWrites, secondWrites = range.write;
  if (from == &core && mark.issued < other.issued) {
    std::swap(first, second);
    std::swap(firstWrites, secondWrites);
  }
  Pipe earlier = Pipe(first.pipe % NumPipes),
       later = Pipe(second.pipe % NumPipes);
  std::string missing;
  if (!here)
    missing = "order between blocks, which run at the same time";
  else if (from != &core)
    missing = "a cross-core flag from " + from->name + " " + nameOf(earlier) +
              " to " + core.name;
  else if (earlier == later)
    missing = std::string("pipe_barrier(") + nameOf(later) + ") between them";
  else
    missing = std::string("set_flag(") + nameOf(earlier) + ", " +
              nameOf(later) +
              ", id) after the first and the wait_flag before the second";
  const char *kind = !secondWrites ? "RAW" : firstWrites ? "WAW" : "WAR";
  report("race",
         std::string(kind) + " in " + describe(core, range) + ": " +
             nameOf(sites[second.site].opcode) + " (" + nameOf(later) +
             (secondWrites ? ") writes what " : ") reads what ") +
             nameOf(sites[first.site].opcode) + " (" + nameOf(earlier) +
             (firstWrites ? ") writes" : ") reads"),
         second.site, first.site, missing);
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

/// Reads by earlier blocks conflict with every later write, so that one of them
/// for each byte says as much as all.
static void thinOut(std::vector<Mark> &readers, uint32_t batch) {
  uint32_t latest = 0, covered = 0;
  for (const Mark &reader : readers)
    if (reader.batch != batch)
      latest = std::max(latest, reader.batch);
  for (const Mark &reader : readers)
    if (reader.batch == latest)
      covered |= reader.mask;
  for (Mark &reader : readers)
    if (reader.batch != batch && reader.batch != latest)
      reader.mask &= ~covered;
}

void Machine::accessCell(Core &core, Pipe pipe, const Range &range, Cell &cell,
                         const Mark &mark) {
  auto same = [&](const Mark &other) {
    return other.pipe == mark.pipe && other.batch == mark.batch;
  };
  for (const Mark &writer : cell.writers) {
    if (!(writer.mask & mark.mask) || knows(core, pipe, writer) ||
        (same(writer) && writer.count == mark.count))
      continue;
    race(core, range, mark, writer, true);
  }
  if (!range.write) {
    for (Mark &reader : cell.readers)
      if (same(reader))
        reader.mask &= ~mark.mask;
    if (range.space == GM)
      thinOut(cell.readers, batch);
    cover(cell.readers, 0);
    cell.readers.push_back(mark);
    return;
  }
  for (const Mark &reader : cell.readers)
    if ((reader.mask & mark.mask) && !same(reader) &&
        !knows(core, pipe, reader))
      race(core, range, mark, reader, false);
  cover(cell.readers, mark.mask);
  cover(cell.writers, mark.mask);
  cell.writers.push_back(mark);
}

void Machine::access(Core &core, Pipe pipe, const Op &op) {
  if (!races)
    return;
  Mark mark;
  mark.count = core.count[pipe];
  mark.pipe = uint16_t(core.index * NumPipes + pipe);
  mark.site = op.site;
  mark.issued = op.issued;
  mark.batch = batch;
  for (bool write : {false, true})
    for (const Range &range : op.ranges) {
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
        accessCell(core, pipe, range, region->cells[at], mark);
      }
    }
}
