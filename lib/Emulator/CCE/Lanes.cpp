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

void VectorPlan::independent(const Operand &target, const Operand &source,
                             const Lanes &lanes) {
  if (!isGood())
    return;
  auto extent = [&](const Operand &o) {
    return o.address(0, lanes.last()) + o.size - o.base;
  };
  uint64_t written = extent(target), readBytes = extent(source);
  bool same = target == source;
  if (same &&
      (lanes.repeats <= 1 || uint64_t(target.repeatStride) * 32 >= written))
    return;
  auto overlap = [&](int64_t i, int64_t j) {
    uint64_t w = target.address(i, 0), r = source.address(j, 0);
    return w < r + readBytes && r < w + written;
  };
  for (int64_t i = 0; i < lanes.repeats; ++i)
    for (int64_t j = i; j < lanes.repeats; ++j)
      if (overlap(i, j) && !(same && i == j)) {
        fail("overlap", "repeat " + std::to_string(j) + " reads what repeat " +
                            std::to_string(i) +
                            " of the same instruction writes");
        return;
      }
}
