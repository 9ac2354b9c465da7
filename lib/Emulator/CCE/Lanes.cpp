//===- Lanes.cpp - Repeats, blocks and masks of vector instructions -------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include <algorithm>

using namespace tilepipe::cce;

Lanes::Lanes(const Registers &registers, int64_t repeat, unsigned widest) {
  lanes = 256 / widest;
  counted = registers.value[TP_MASK_COUNT];
  high = registers.value[TP_MASK_HIGH];
  low = registers.value[TP_MASK_LOW];
  repeats = counted ? int64_t(low + lanes - 1) / lanes : repeat;
}

Lanes Lanes::all(int64_t repeat, unsigned widest) {
  Lanes result;
  result.lanes = 256 / widest;
  result.repeats = repeat;
  return result;
}

void VectorPlan::repeats(int64_t repeat) {
  range("repeat", repeat, 0, 255);
  if (!registers.set[TP_MASK_LOW] || !registers.set[TP_MASK_HIGH])
    fail("state", "the vector mask was never set (set_vector_mask)");
  if (!registers.set[TP_MASK_COUNT])
    fail("state", "the mask mode was never set (set_mask_norm or "
                  "set_mask_count)");
  else if (registers.value[TP_MASK_COUNT] &&
           registers.value[TP_MASK_LOW] > capacityOf(UB))
    fail("state", "the mask holds " +
                      std::to_string(registers.value[TP_MASK_LOW]) +
                      ", which is no number of elements (set_mask_norm "
                      "missing?)");
}

void VectorPlan::strides(const char *what, int64_t blockStride,
                         int64_t repeatStride, int64_t limit) {
  range((std::string(what) + " block stride").c_str(), blockStride, 0,
        limit > 255 ? 65535 : 255);
  range((std::string(what) + " repeat stride").c_str(), repeatStride, 0, limit);
}

void VectorPlan::operand(const char *what, const Operand &operand,
                         const Lanes &lanes, bool write) {
  aligned(what, operand.base, 32);
  if (!isGood())
    return;
  lanes.forEach([&](int64_t repeat, int64_t lane) {
    touch(UB, operand.address(repeat, lane), operand.size, write);
  });
}

/// Bytes from the first to behind the last that working lanes use.
static std::pair<uint64_t, uint64_t> extent(const Operand &operand,
                                            const Lanes &lanes) {
  uint64_t lo = UINT64_MAX, hi = 0;
  lanes.forEach([&](int64_t repeat, int64_t lane) {
    uint64_t address = operand.address(repeat, lane);
    lo = std::min(lo, address);
    hi = std::max(hi, address + operand.size);
  });
  return {lo, hi};
}

void VectorPlan::independent(const Operand &target, const Operand &source,
                             const Lanes &lanes) {
  if (!isGood())
    return;
  // In place, with repeats apart: each lane reads what it alone writes.
  if (target == source &&
      (lanes.repeats <= 1 || 32 * target.repeatStride >= 256))
    return;
  std::pair<uint64_t, uint64_t> written = extent(target, lanes);
  std::pair<uint64_t, uint64_t> readBytes = extent(source, lanes);
  if (written.second <= readBytes.first || readBytes.second <= written.first ||
      written.second > capacityOf(UB))
    return; // Out of bounds is told elsewhere.
  // The first lane that writes each byte, in the order of execution.
  uint64_t writeLo = written.first;
  std::vector<int64_t> writers(written.second - writeLo, -1);
  lanes.forEach([&](int64_t repeat, int64_t lane) {
    uint64_t at = target.address(repeat, lane) - writeLo;
    if (writers[at] < 0)
      std::fill_n(writers.begin() + at, target.size,
                  repeat * lanes.lanes + lane);
  });
  lanes.forEach([&](int64_t repeat, int64_t lane) {
    int64_t self = repeat * lanes.lanes + lane;
    for (unsigned i = 0; isGood() && i < source.size; ++i) {
      uint64_t at = source.address(repeat, lane) + i - writeLo;
      if (at >= writers.size() || writers[at] < 0 || writers[at] >= self)
        continue;
      fail("overlap", "repeat " + std::to_string(repeat) +
                          " reads what repeat " +
                          std::to_string(writers[at] / lanes.lanes) +
                          " of the same instruction writes");
    }
  });
}
