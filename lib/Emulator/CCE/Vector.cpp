//===- Vector.cpp - Elementwise vector instructions -----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "Numbers.h"

#include <algorithm>
#include <cmath>

using namespace tilepipe::cce;

static double bitsToDouble(int64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

static bool isFloating(int type) {
  return type == TP_F16 || type == TP_BF16 || type == TP_F32;
}

static bool isIn(int opcode, int first, int last) {
  return opcode >= first && opcode <= last;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

namespace {
/// An elementwise instruction: one target, up to two sources, maybe a scalar.
struct Elementwise {
  int sources = 0, sourceType = TP_NONE;
  Operand target{}, source[2]{};
  int64_t repeat = 0;
  double scalar = 0;
  bool narrow = false; // Strides of 8 bits.
  unsigned widest() const {
    unsigned widest = target.size;
    for (int i = 0; i < sources; ++i)
      widest = std::max(widest, source[i].size);
    return widest;
  }
};
} // namespace

static int convertedFrom(int opcode) {
  switch (opcode) {
#define TP_X(name, D, d, S, s)                                                 \
  case TP_##name:                                                              \
    return TP_##s;
    TP_CCE_CONVERT(TP_X)
#undef TP_X
  default:
    return TP_NONE;
  }
}

static Elementwise decode(const Op &op) {
  Elementwise e;
  const int64_t *a = op.a;
  unsigned size = sizeOf(op.type);
  if (isIn(op.opcode, TP_vadd, TP_vor) || op.opcode == TP_vsel) {
    e.sources = 2;
    e.repeat = a[3];
    e.target = {uint64_t(a[0]), a[4], a[7], size};
    e.source[0] = {uint64_t(a[1]), a[5], a[8], size};
    e.source[1] = {uint64_t(a[2]), a[6], a[9], size};
    e.sourceType = op.type;
    e.narrow = true;
  } else if (op.opcode == TP_vector_dup) {
    e.scalar = isFloating(op.type) ? bitsToDouble(a[1]) : double(a[1]);
    e.repeat = a[2];
    e.target = {uint64_t(a[0]), a[3], a[4], size};
  } else if (isIn(op.opcode, TP_vadds, TP_vaxpy)) {
    e.sources = 1;
    e.scalar = isFloating(op.type) ? bitsToDouble(a[2]) : double(a[2]);
    e.repeat = a[3];
    e.target = {uint64_t(a[0]), a[4], a[6], size};
    e.source[0] = {uint64_t(a[1]), a[5], a[7], size};
    e.sourceType = op.type;
  } else { // Unary and conversions.
    int from = convertedFrom(op.opcode);
    e.sources = 1;
    e.sourceType = from == TP_NONE ? op.type : from;
    e.repeat = a[2];
    e.target = {uint64_t(a[0]), a[3], a[5], size};
    e.source[0] = {uint64_t(a[1]), a[4], a[6], sizeOf(e.sourceType)};
  }
  return e;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static double compute(int opcode, double x, double y) {
  switch (opcode) {
  case TP_vadd:
  case TP_vadds:
    return x + y;
  case TP_vsub:
    return x - y;
  case TP_vmul:
  case TP_vmuls:
    return x * y;
  case TP_vdiv:
    return x / y;
  case TP_vmax:
  case TP_vmaxs:
    return std::max(x, y);
  case TP_vmin:
  case TP_vmins:
    return std::min(x, y);
  case TP_vand:
    return double(int64_t(x) & int64_t(y));
  case TP_vor:
    return double(int64_t(x) | int64_t(y));
  case TP_vabs:
    return std::fabs(x);
  case TP_vexp:
    return std::exp(x);
  case TP_vln:
    return std::log(x);
  case TP_vsqrt:
    return std::sqrt(x);
  case TP_vrsqrt:
    return 1 / std::sqrt(x);
  case TP_vrec:
    return 1 / x;
  case TP_vrelu:
    return std::max(x, 0.0);
  case TP_vlrelu:
    return x < 0 ? x * y : x;
  default:
    return y; // vector_dup
  }
}

static Rounding roundingOf(int opcode) {
  const char *name = nameOf(opcode);
  switch (name[strlen(name) - 1]) {
  case 'a':
    return Rounding::Away;
  case 'f':
    return Rounding::Down;
  case 'c':
    return Rounding::Up;
  case 'z':
    return Rounding::Zero;
  case 'o':
    return Rounding::Odd;
  default:
    return Rounding::Even;
  }
}

/// Rounds and saturates as conversions do.
static void convert(int opcode, int type, double value, uint8_t *bytes) {
  Rounding rounding = roundingOf(opcode);
  uint16_t bits;
  switch (type) {
  case TP_F16:
    bits = toHalf(value, rounding);
    memcpy(bytes, &bits, 2);
    return;
  case TP_BF16:
    bits = toBFloat(value, rounding);
    memcpy(bytes, &bits, 2);
    return;
  case TP_F32:
    value = isIn(opcode, TP_vconv_f322f32r, TP_vconv_f322f32z)
                ? toWhole(value, rounding)
                : toFloat(value, rounding);
    return store(type, bytes, value);
  case TP_S32:
    return store(
        type, bytes,
        std::clamp(toWhole(value, rounding), -2147483648.0, 2147483647.0));
  case TP_S16:
    return store(type, bytes,
                 std::clamp(toWhole(value, rounding), -32768.0, 32767.0));
  case TP_S8:
    return store(type, bytes,
                 std::clamp(toWhole(value, rounding), -128., 127.));
  default:
    return store(type, bytes, std::clamp(toWhole(value, rounding), 0., 255.));
  }
}

static void runElementwise(Machine &machine, Core &core, const Op &op,
                           Effects &effects) {
  Elementwise e = decode(op);
  Lanes lanes(op.registers, e.repeat, e.widest());
  Reader reader(machine, core, op);
  RunWriter writer(effects);
  bool converts = convertedFrom(op.opcode) != TP_NONE;
  lanes.forEach([&](int64_t repeat, int64_t lane) {
    uint64_t to = e.target.address(repeat, lane);
    double value[2] = {e.scalar, e.scalar};
    for (int i = 0; i < e.sources; ++i)
      value[i] = load(e.sourceType, reader.at(e.source[i].address(repeat, lane),
                                              e.source[i].size));
    uint8_t element[4];
    if (converts)
      convert(op.opcode, op.type, value[0], element);
    else if (op.opcode == TP_vaxpy)
      store(op.type, element,
            value[0] * e.scalar + load(op.type, reader.at(to, e.target.size)));
    else
      store(op.type, element, compute(op.opcode, value[0], value[1]));
    writer.put(to, element, e.target.size);
  });
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Mode 0: the register holds the bits, the same for each repeat. Mode 2: it
/// holds where the bits of all repeats are in UB.
static uint64_t selectedAt(Core &core) {
  uint32_t address;
  memcpy(&address, core.compareMask, 4);
  return address;
}

static void runSelect(Machine &machine, Core &core, const Op &op,
                      Effects &effects) {
  Elementwise e = decode(op);
  Lanes lanes(op.registers, e.repeat, e.target.size);
  Reader reader(machine, core, op);
  RunWriter writer(effects);
  uint64_t bits = selectedAt(core);
  if (op.a[10] == 2 &&
      bits + (lanes.repeats * lanes.lanes + 7) / 8 > capacityOf(UB)) {
    machine.report("state",
                   "vsel: the compare mask register holds no address of UB",
                   op.site);
    return;
  }
  lanes.forEach([&](int64_t repeat, int64_t lane) {
    int64_t index = op.a[10] == 2 ? repeat * lanes.lanes + lane : lane;
    uint8_t byte = op.a[10] == 2 ? *reader.at(bits + index / 8, 1)
                                 : core.compareMask[index / 8];
    const Operand &chosen = e.source[byte >> (index % 8) & 1 ? 0 : 1];
    uint64_t from = chosen.address(repeat, lane);
    writer.put(e.target.address(repeat, lane), reader.at(from, chosen.size),
               chosen.size);
  });
}

static void runSetMask(Machine &machine, Core &core, const Op &op, Effects &) {
  Reader reader(machine, core, op);
  // What a mode 2 needs is the address in the first four bytes.
  memcpy(core.compareMask, reader.at(op.a[0], 4), sizeof(core.compareMask));
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static bool holds(int relation, double x, double y) {
  switch (relation) {
  case 0:
    return x < y;
  case 1:
    return x > y;
  case 2:
    return x <= y;
  case 3:
    return x >= y;
  case 4:
    return x == y;
  default:
    return x != y;
  }
}

namespace {
struct Comparison {
  explicit Comparison(const Op &op) {
    unsigned size = sizeOf(op.type);
    const int64_t *a = op.a;
    withScalar = op.opcode >= TP_vcmpvs_lt;
    relation = op.opcode - (withScalar ? TP_vcmpvs_lt : TP_vcmpv_lt);
    repeat = a[3];
    source[0] = {uint64_t(a[1]), a[5], withScalar ? a[7] : a[8], size};
    if (withScalar)
      scalar = bitsToDouble(a[2]);
    else
      source[1] = {uint64_t(a[2]), a[6], a[9], size};
    bytesPerRepeat = 256 / size / 8;
  }
  bool withScalar;
  int relation;
  int64_t repeat, bytesPerRepeat;
  double scalar = 0;
  Operand source[2]{};
};
} // namespace

static void runComparison(Machine &machine, Core &core, const Op &op,
                          Effects &effects) {
  Comparison c(op);
  Lanes lanes = Lanes::all(c.repeat, sizeOf(op.type));
  Reader reader(machine, core, op);
  std::vector<uint8_t> bits(c.repeat * c.bytesPerRepeat);
  for (int64_t repeat = 0; repeat < c.repeat; ++repeat)
    for (int64_t lane = 0; lane < lanes.lanes; ++lane) {
      double value[2] = {0, c.scalar};
      for (int i = 0; i < (c.withScalar ? 1 : 2); ++i)
        value[i] = load(op.type, reader.at(c.source[i].address(repeat, lane),
                                           c.source[i].size));
      if (holds(c.relation, value[0], value[1]))
        bits[repeat * c.bytesPerRepeat + lane / 8] |= 1 << (lane % 8);
    }
  effects.write(UB, op.a[0], bits.data(), bits.size());
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static void planElementwise(Machine &machine, Core &core, Op &op) {
  VectorPlan checked(machine, core, op);
  Elementwise e = decode(op);
  checked.repeats(e.repeat);
  // Unary strides have 12 bits in the register form (asc_duplicate_config).
  int64_t limit = e.narrow ? 255 : 4095;
  checked.strides("target", e.target.blockStride, e.target.repeatStride, limit);
  for (int i = 0; i < e.sources; ++i)
    checked.strides("source", e.source[i].blockStride, e.source[i].repeatStride,
                    limit);
  if (op.opcode == TP_vsel && op.a[10] != 0 && op.a[10] != 2)
    checked.fail("unsupported", "only the modes 0 and 2 are emulated");
  if (!checked.isGood())
    return;
  Lanes lanes(op.registers, e.repeat, e.widest());
  for (int i = 0; i < e.sources; ++i) {
    checked.operand("source", e.source[i], lanes, false);
    checked.independent(e.target, e.source[i], lanes);
  }
  if (op.opcode == TP_vaxpy)
    checked.operand("target", e.target, lanes, false);
  checked.operand("target", e.target, lanes, true);
  if (!checked.finish())
    return;
  op.run = op.opcode == TP_vsel ? runSelect : runElementwise;
  if (op.opcode == TP_vsel)
    op.ranges.push_back({UB, false, compareMaskAt, compareMaskAt + 16});
}

void tilepipe::cce::readSelectedBits(Core &core, Op &op) {
  if (op.opcode != TP_vsel || op.a[10] != 2)
    return;
  Elementwise e = decode(op);
  Lanes lanes(op.registers, e.repeat, e.target.size);
  uint64_t lo = selectedAt(core);
  uint64_t hi = lo + (lanes.repeats * lanes.lanes + 7) / 8;
  if (hi <= capacityOf(UB))
    op.ranges.insert(op.ranges.begin(), {UB, false, lo, hi});
}

static void planComparison(Machine &machine, Core &core, Op &op) {
  VectorPlan checked(machine, core, op);
  Comparison c(op);
  checked.repeats(c.repeat);
  int64_t limit = c.withScalar ? 4095 : 255;
  for (int i = 0; i < (c.withScalar ? 1 : 2); ++i)
    checked.strides("source", c.source[i].blockStride, c.source[i].repeatStride,
                    limit);
  checked.aligned("target", op.a[0], 32);
  if (op.registers.value[TP_MASK_COUNT])
    checked.warn("state", "compares `repeat` repeats also in count mode");
  if (!checked.isGood())
    return;
  Lanes lanes = Lanes::all(c.repeat, sizeOf(op.type));
  for (int i = 0; i < (c.withScalar ? 1 : 2); ++i)
    checked.operand("source", c.source[i], lanes, false);
  checked.write(UB, op.a[0], c.repeat * c.bytesPerRepeat);
  if (checked.finish())
    op.run = runComparison;
}

bool tilepipe::cce::planVector(Machine &machine, Core &core, Op &op) {
  op.pipe = V;
  if (isIn(op.opcode, TP_vadd, TP_vaxpy) ||
      isIn(op.opcode, TP_vconv_f322f32r, TP_vconv_u82f16) ||
      op.opcode == TP_vector_dup || op.opcode == TP_vsel) {
    planElementwise(machine, core, op);
    return true;
  }
  if (isIn(op.opcode, TP_vcmpv_lt, TP_vcmpvs_ne)) {
    planComparison(machine, core, op);
    return true;
  }
  if (op.opcode == TP_set_cmpmask) {
    Plan checked(machine, core, op);
    checked.read(UB, op.a[0], sizeof(core.compareMask));
    if (checked.finish()) {
      op.run = runSetMask;
      op.ranges.push_back({UB, true, compareMaskAt, compareMaskAt + 16});
    }
    return true;
  }
  return false;
}
