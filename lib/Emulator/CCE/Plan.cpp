//===- Plan.cpp - Arguments checked, bytes touched ------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include <algorithm>

using namespace tilepipe::cce;

void Plan::fail(const char *kind, std::string message) {
  machine.report(kind, std::string(nameOf(op.opcode)) + ": " + message,
                 op.site);
  good = false;
}

void Plan::warn(const char *kind, std::string message) {
  machine.report(kind, std::string(nameOf(op.opcode)) + ": " + message, op.site,
                 0, "", false);
}

void Plan::range(const char *what, int64_t value, int64_t lo, int64_t hi) {
  if (value < lo || value > hi)
    fail("argument", std::string(what) + " is " + std::to_string(value) +
                         ", but must be in [" + std::to_string(lo) + ", " +
                         std::to_string(hi) + "]");
}

void Plan::aligned(const char *what, uint64_t address, uint64_t bytes) {
  if (address % bytes)
    fail("alignment", std::string(what) + " address " +
                          std::to_string(address) + " is not a multiple of " +
                          std::to_string(bytes) + " bytes");
}

void Plan::touch(Space space, uint64_t address, uint64_t bytes, bool write) {
  if (!bytes)
    return;
  if (!op.ranges.empty()) {
    Range &last = op.ranges.back();
    if (last.space == space && last.write == write && last.hi == address) {
      last.hi += bytes;
      return;
    }
  }
  op.ranges.push_back({space, write, address, address + bytes});
}

void Plan::checkBounds(const Range &range) {
  const char *verb = range.write ? "writes" : "reads";
  if (range.space != GM) {
    uint64_t capacity = capacityOf(range.space);
    if (range.hi > capacity || range.hi < range.lo)
      fail("capacity", std::string(verb) + " " + nameOf(range.space) +
                           " bytes [" + std::to_string(int64_t(range.lo)) +
                           ", " + std::to_string(int64_t(range.hi)) +
                           "), but there are " + std::to_string(capacity));
    return;
  }
  if (machine.findGm(range.lo, range.hi))
    return;
  // Name the array that it starts in, or the nearest before it.
  const Region *nearest = nullptr;
  for (const Region &region : machine.gm) {
    uint64_t base = reinterpret_cast<uint64_t>(region.data);
    if (base <= range.lo &&
        (!nearest || base > reinterpret_cast<uint64_t>(nearest->data)))
      nearest = &region;
  }
  if (!nearest) {
    fail("bounds", std::string(verb) + " GM outside of all arguments");
    return;
  }
  int64_t base = int64_t(reinterpret_cast<uint64_t>(nearest->data));
  fail("bounds", std::string(verb) + " bytes [" +
                     std::to_string(int64_t(range.lo) - base) + ", " +
                     std::to_string(int64_t(range.hi) - base) + ") of GM '" +
                     nearest->name + "', which has " +
                     std::to_string(nearest->size));
}

bool Plan::finish() {
  for (const Range &range : op.ranges) {
    if (!good)
      return false;
    checkBounds(range);
  }
  if (!good)
    return false;
  for (const Range &range : op.ranges) {
    if (range.space == GM) {
      (range.write ? machine.statistics.gmWritten
                   : machine.statistics.gmRead) += range.hi - range.lo;
      continue;
    }
    Region &region = core.memory[range.space];
    if (!region.size)
      region.makeOnChip(capacityOf(range.space) +
                        (range.space == UB ? granule : 0));
    uint64_t &most = machine.statistics.highWater[range.space];
    most = std::max(most, range.hi);
  }
  return true;
}
