//===- Reductions.cpp - Sums and extrema of repeats and blocks ------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// asc-devkit docs, WholeReduceSum/Max, BlockReduceSum/Max, Brcb.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "Numbers.h"

#include <algorithm>

using namespace tilepipe::cce;

namespace {
enum ResultOrder { ValueIndex, IndexValue, OnlyValue, OnlyIndex };

/// vcadd, vcmax, vcmin: one result a repeat. vcgadd ..: one a block.
struct Reduction {
  explicit Reduction(const Op &op)
      : size(sizeOf(op.type)), to(op.a[0]), repeat(op.a[2]), toRepeat(op.a[3]),
        source{uint64_t(op.a[1]), op.a[4], op.a[5], size} {
    grouped = op.opcode >= TP_vcgadd && op.opcode <= TP_vcgmin;
    order = op.opcode == TP_vcmax || op.opcode == TP_vcmin ? int(op.a[6])
                                                           : int(OnlyValue);
  }
  /// Bytes that a repeat writes: the unit of its stride.
  uint64_t unit() const {
    if (grouped)
      return 8 * size;
    if (order == OnlyIndex)
      return 4;
    return order == OnlyValue ? size : 2 * size;
  }
  uint64_t target(int64_t index) const {
    return to + index * toRepeat * unit();
  }
  unsigned size;
  uint64_t to;
  int64_t repeat, toRepeat;
  Operand source;
  bool grouped;
  int order;
};
} // namespace

static bool isSum(int opcode) {
  return opcode == TP_vcadd || opcode == TP_vcgadd;
}

/// Folds `x` into the value so far; true if it becomes the new extremum.
static bool fold(int opcode, bool first, double x, double &value) {
  bool greatest = opcode == TP_vcmax || opcode == TP_vcgmax;
  if (isSum(opcode)) {
    value = first ? x : float(value + x);
    return false;
  }
  if (!first && !(greatest ? x > value : x < value))
    return false;
  value = x;
  return true;
}

static void runReduction(Machine &machine, Core &core, const Op &op,
                         Effects &effects) {
  Reduction r(op);
  Lanes lanes(op.registers, r.repeat, r.size);
  Reader reader(machine, core, op);
  int64_t perBlock = 32 / r.size;
  int64_t span = r.grouped ? perBlock : lanes.lanes;
  for (int64_t repeat = 0; repeat < lanes.repeats; ++repeat)
    for (int64_t begin = 0; begin < lanes.lanes; begin += span) {
      double value = 0;
      bool first = true;
      uint32_t index = 0;
      for (int64_t lane = begin; lane < begin + span; ++lane) {
        if (!lanes.active(repeat, lane))
          continue;
        double x =
            load(op.type, reader.at(r.source.address(repeat, lane), r.size));
        if (fold(op.opcode, first, x, value))
          index = uint32_t(lane);
        first = false;
      }
      if (first)
        continue;
      uint8_t element[4];
      store(op.type, element, value);
      uint64_t to = r.target(repeat) + begin / span * r.size;
      switch (r.order) {
      case ValueIndex:
        effects.write(UB, to, element, r.size);
        effects.write(UB, to + r.size, &index, r.size);
        break;
      case IndexValue:
        effects.write(UB, to, &index, r.size);
        effects.write(UB, to + r.size, element, r.size);
        break;
      case OnlyIndex:
        effects.write(UB, to, &index, 4);
        break;
      default:
        effects.write(UB, to, element, r.size);
      }
    }
}

static void planReductionOf(Machine &machine, Core &core, Op &op) {
  VectorPlan checked(machine, core, op);
  Reduction r(op);
  checked.repeats(r.repeat);
  checked.range("dstRepStride", r.toRepeat, 0, 65535);
  checked.strides("source", r.source.blockStride, r.source.repeatStride, 65535);
  checked.aligned("target", r.to, r.grouped ? 8 * r.size : r.size);
  if (op.opcode == TP_vcadd && op.a[6])
    checked.fail("unsupported", "the accumulating mode is not emulated");
  if (!checked.isGood())
    return;
  Lanes lanes(op.registers, r.repeat, r.size);
  checked.operand("source", r.source, lanes, false);
  int64_t perBlock = 32 / r.size;
  for (int64_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    int64_t last = -1;
    for (int64_t lane = 0; lane < lanes.lanes; ++lane) {
      int64_t group = r.grouped ? lane / perBlock : 0;
      if (group == last || !lanes.active(repeat, lane))
        continue;
      last = group;
      checked.write(UB, r.target(repeat) + group * r.size,
                    r.grouped ? r.size : r.unit());
    }
  }
  if (checked.finish())
    op.run = runReduction;
}

//===----------------------------------------------------------------------===//
// vbrcb: each of eight elements fills a block
//===----------------------------------------------------------------------===//

static uint64_t filledBlock(const Op &op, int64_t repeat, int64_t j) {
  return op.a[0] + 32 * (repeat * op.a[3] + j * op.a[2]);
}

static void runBroadcast(Machine &machine, Core &core, const Op &op,
                         Effects &effects) {
  Reader reader(machine, core, op);
  unsigned size = sizeOf(op.type);
  for (int64_t repeat = 0; repeat < op.a[4]; ++repeat)
    for (int64_t j = 0; j < 8; ++j) {
      uint8_t bytes[32];
      const uint8_t *element =
          reader.at(op.a[1] + (repeat * 8 + j) * size, size);
      for (unsigned i = 0; i < 32; i += size)
        memcpy(bytes + i, element, size);
      effects.write(UB, filledBlock(op, repeat, j), bytes, 32);
    }
}

static void planBroadcast(Machine &machine, Core &core, Op &op) {
  Plan checked(machine, core, op);
  checked.range("repeat", op.a[4], 0, 255);
  checked.range("dstBlkStride", op.a[2], 0, 65535);
  checked.range("dstRepStride", op.a[3], 0, 65535);
  checked.aligned("target", op.a[0], 32);
  checked.aligned("source", op.a[1], 32);
  if (!checked.isGood())
    return;
  checked.read(UB, op.a[1], op.a[4] * 8 * sizeOf(op.type));
  for (int64_t repeat = 0; repeat < op.a[4]; ++repeat)
    for (int64_t j = 0; j < 8; ++j)
      checked.write(UB, filledBlock(op, repeat, j), 32);
  if (checked.finish())
    op.run = runBroadcast;
}

bool tilepipe::cce::planReduction(Machine &machine, Core &core, Op &op) {
  op.pipe = V;
  if (op.opcode >= TP_vcadd && op.opcode <= TP_vcgmin) {
    planReductionOf(machine, core, op);
    return true;
  }
  if (op.opcode == TP_vbrcb) {
    planBroadcast(machine, core, op);
    return true;
  }
  return false;
}
