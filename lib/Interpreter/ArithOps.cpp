//===- ArithOps.cpp - Integer and float arithmetic
//--------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static Slot getConstant(const Element &element, Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getValue().getSExtValue();
  return fromBits(
      element,
      cast<FloatAttr>(value).getValue().bitcastToAPInt().getZExtValue());
}

static bool runConstant(Machine &, const Instr &in, Slot *s) {
  const auto &values = in.get<std::vector<Slot>>();
  std::memcpy(s + in.result, values.data(), values.size() * sizeof(Slot));
  return true;
}

static void compileConstant(Compiler &c, Operation *op, Instr &in) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  auto *values = c.make<std::vector<Slot>>();
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    for (Attribute element : dense.getValues<Attribute>())
      values->push_back(getConstant(in.to, element));
  } else if (isa<IntegerAttr, FloatAttr>(value)) {
    values->push_back(getConstant(in.to, value));
  } else {
    return;
  }
  in.data = values;
  in.run = runConstant;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Signed values in, any bits out; `w` is the width.
template <typename F> static bool runInt(Machine &, const Instr &in, Slot *s) {
  const Slot *a = s + in.operands[0], *b = s + in.operands[1];
  unsigned w = in.to.width;
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] = signExtend(F::apply(a[i], b[i], w), w);
  return true;
}

#define TILEPIPE_INT(NAME, EXPRESSION)                                         \
  struct NAME {                                                                \
    static uint64_t apply(int64_t a, int64_t b, unsigned w) {                  \
      [[maybe_unused]] uint64_t ua = zeroExtend(a, w), ub = zeroExtend(b, w);  \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
namespace {
TILEPIPE_INT(AddI, ua + ub)
TILEPIPE_INT(SubI, ua - ub)
TILEPIPE_INT(MulI, uint64_t(a) * uint64_t(b))
TILEPIPE_INT(AndI, ua &ub)
TILEPIPE_INT(OrI, ua | ub)
TILEPIPE_INT(XOrI, ua ^ ub)
TILEPIPE_INT(ShLI, ub >= w ? 0 : ua << ub)
TILEPIPE_INT(ShRUI, ub >= w ? 0 : ua >> ub)
TILEPIPE_INT(ShRSI, uint64_t(a >> (ub >= w ? w - 1 : ub)))
TILEPIPE_INT(MaxSI, uint64_t(std::max(a, b)))
TILEPIPE_INT(MinSI, uint64_t(std::min(a, b)))
TILEPIPE_INT(MaxUI, std::max(ua, ub))
TILEPIPE_INT(MinUI, std::min(ua, ub))
} // namespace
#undef TILEPIPE_INT

/// Division: by zero is an error; the one overflow wraps.
enum class Division { S, U, RemS, RemU, CeilS, CeilU, FloorS };

static uint64_t divide(Division kind, int64_t a, int64_t b, uint64_t ua,
                       uint64_t ub) {
  if (b == -1 && kind != Division::U && kind != Division::RemU &&
      kind != Division::CeilU)
    return kind == Division::RemS ? 0 : 0 - uint64_t(a);
  switch (kind) {
  case Division::S:
    return a / b;
  case Division::U:
    return ua / ub;
  case Division::RemS:
    return a % b;
  case Division::RemU:
    return ua % ub;
  case Division::CeilS:
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
  case Division::CeilU:
    return ua / ub + (ua % ub != 0);
  case Division::FloorS:
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  }
  return 0;
}

template <Division kind>
static bool runDivision(Machine &m, const Instr &in, Slot *s) {
  const Slot *a = s + in.operands[0], *b = s + in.operands[1];
  unsigned w = in.to.width;
  for (uint32_t i = 0; i < in.count; ++i) {
    if (b[i] == 0)
      return m.fail(in, "divides " + Twine(int64_t(a[i])) + " by zero");
    s[in.result + i] = signExtend(
        divide(kind, a[i], b[i], zeroExtend(a[i], w), zeroExtend(b[i], w)), w);
  }
  return true;
}

static bool compareInts(arith::CmpIPredicate predicate, int64_t a, int64_t b,
                        uint64_t ua, uint64_t ub) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

static bool runCmpI(Machine &, const Instr &in, Slot *s) {
  auto predicate = arith::CmpIPredicate(reinterpret_cast<intptr_t>(in.data));
  const Slot *a = s + in.operands[0], *b = s + in.operands[1];
  unsigned w = in.from.width;
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] = -int64_t(compareInts(
        predicate, a[i], b[i], zeroExtend(a[i], w), zeroExtend(b[i], w)));
  return true;
}

static void compileCmpI(Compiler &, Operation *op, Instr &in) {
  in.data = reinterpret_cast<const void *>(
      intptr_t(cast<arith::CmpIOp>(op).getPredicate()));
  in.run = runCmpI;
}

/// The second result is the carry.
static bool runAddExtended(Machine &, const Instr &in, Slot *s) {
  const Slot *a = s + in.operands[0], *b = s + in.operands[1];
  unsigned w = in.to.width;
  for (uint32_t i = 0; i < in.count; ++i) {
    uint64_t ua = zeroExtend(a[i], w),
             sum = zeroExtend(ua + zeroExtend(b[i], w), w);
    s[in.result + i] = signExtend(sum, w);
    s[in.result + in.count + i] = -int64_t(sum < ua);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// f32 and narrower compute in f32 and round once more: harmless for the basic
/// operations, f32 has more than twice the bits.
template <typename F>
static bool runFloat(Machine &, const Instr &in, Slot *s) {
  const Slot *a = s + in.operands[0], *b = s + in.operands[1];
  for (uint32_t i = 0; i < in.count; ++i) {
    if (in.to.kind == Kind::F64)
      s[in.result + i] =
          fromDouble(F::template apply<double>(asDouble(a[i]), asDouble(b[i])));
    else
      s[in.result + i] = fromFloat(roundTo(
          in.to, F::template apply<float>(asFloat(a[i]), asFloat(b[i]))));
  }
  return true;
}

#define TILEPIPE_FLOAT(NAME, EXPRESSION)                                       \
  struct NAME {                                                                \
    template <typename T> static T apply(T a, T b) { return EXPRESSION; }      \
  };
namespace {
TILEPIPE_FLOAT(AddF, a + b)
TILEPIPE_FLOAT(SubF, a - b)
TILEPIPE_FLOAT(MulF, a *b)
TILEPIPE_FLOAT(DivF, a / b)
TILEPIPE_FLOAT(RemF, std::fmod(a, b))
TILEPIPE_FLOAT(MaximumF, std::isnan(a)   ? a
                         : std::isnan(b) ? b
                         : a == b        ? (std::signbit(a) ? b : a)
                                         : std::max(a, b))
TILEPIPE_FLOAT(MinimumF, std::isnan(a)   ? a
                         : std::isnan(b) ? b
                         : a == b        ? (std::signbit(a) ? a : b)
                                         : std::min(a, b))
TILEPIPE_FLOAT(MaxNumF, std::isnan(a)   ? b
                        : std::isnan(b) ? a
                        : a == b        ? (std::signbit(a) ? b : a)
                                        : std::max(a, b))
TILEPIPE_FLOAT(MinNumF, std::isnan(a)   ? b
                        : std::isnan(b) ? a
                        : a == b        ? (std::signbit(a) ? a : b)
                                        : std::min(a, b))
} // namespace
#undef TILEPIPE_FLOAT

static bool runNegF(Machine &, const Instr &in, Slot *s) {
  const Slot *a = s + in.operands[0];
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] = in.to.kind == Kind::F64
                           ? a[i] ^ (uint64_t(1) << 63)
                           : fromFloat(roundTo(in.to, -asFloat(a[i])));
  return true;
}

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

static bool runCmpF(Machine &, const Instr &in, Slot *s) {
  auto predicate = arith::CmpFPredicate(reinterpret_cast<intptr_t>(in.data));
  const Slot *a = s + in.operands[0], *b = s + in.operands[1];
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] = -int64_t(compareFloats(
        predicate, toDouble(in.from, a[i]), toDouble(in.from, b[i])));
  return true;
}

static void compileCmpF(Compiler &, Operation *op, Instr &in) {
  in.data = reinterpret_cast<const void *>(
      intptr_t(cast<arith::CmpFOp>(op).getPredicate()));
  in.run = runCmpF;
}

//===----------------------------------------------------------------------===//
// Select and casts
//===----------------------------------------------------------------------===//

/// `data` holds the slots of a value, for memrefs and other wide ones.
static bool runSelect(Machine &, const Instr &in, Slot *s) {
  auto width = uint32_t(reinterpret_cast<intptr_t>(in.data));
  uint32_t from = s[in.operands[0]] ? in.operands[1] : in.operands[2];
  std::memcpy(s + in.result, s + from, width * sizeof(Slot));
  return true;
}

static bool runSelectVector(Machine &, const Instr &in, Slot *s) {
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] =
        s[(s[in.operands[0] + i] ? in.operands[1] : in.operands[2]) + i];
  return true;
}

static void compileSelect(Compiler &, Operation *op, Instr &in) {
  auto select = cast<arith::SelectOp>(op);
  in.run = isa<VectorType>(select.getCondition().getType()) ? runSelectVector
                                                            : runSelect;
  in.data = reinterpret_cast<const void *>(
      intptr_t(Compiler::numSlots(select.getType())));
}

struct ExtSI {
  static Slot apply(const Element &, const Element &, Slot v) { return v; }
};
struct ExtUI {
  static Slot apply(const Element &from, const Element &to, Slot v) {
    return signExtend(zeroExtend(v, from.width), to.width);
  }
};
struct TruncI {
  static Slot apply(const Element &, const Element &to, Slot v) {
    return signExtend(v, to.width);
  }
};
struct Convert {
  static Slot apply(const Element &from, const Element &to, Slot v) {
    return convertElement(from, to, v);
  }
};
struct UIToFP {
  static Slot apply(const Element &from, const Element &to, Slot v) {
    uint64_t u = zeroExtend(v, from.width);
    if (to.kind == Kind::F64)
      return fromDouble(double(u));
    if (to.kind == Kind::F32)
      return fromFloat(float(u));
    llvm::APFloat number(*to.semantics);
    number.convertFromAPInt(llvm::APInt(64, u), /*IsSigned=*/false,
                            llvm::APFloat::rmNearestTiesToEven);
    return fromBits(to, number.bitcastToAPInt().getZExtValue());
  }
};
struct FPToUI {
  static Slot apply(const Element &from, const Element &to, Slot v) {
    return signExtend(floatToInt(toDouble(from, v), to.width, false), to.width);
  }
};
struct Bitcast {
  static Slot apply(const Element &from, const Element &to, Slot v) {
    uint64_t bits =
        from.isFloat() ? toBits(from, v) : zeroExtend(v, from.width);
    return fromBits(to, bits);
  }
};

template <typename F> static bool runCast(Machine &, const Instr &in, Slot *s) {
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] = F::apply(in.from, in.to, s[in.operands[0] + i]);
  return true;
}

/// Bitcasts of vectors keep the number of elements here.
static void compileBitcast(Compiler &, Operation *op, Instr &in) {
  if (in.from.width == in.to.width)
    in.run = runCast<Bitcast>;
}

template <bool (*run)(Machine &, const Instr &, Slot *)>
static void compileTo(Compiler &, Operation *, Instr &in) {
  in.run = run;
}

void interp::addArithHandlers(HandlerMap &map) {
  using namespace arith;
  map[TypeID::get<ConstantOp>()] = compileConstant;
  map[TypeID::get<AddIOp>()] = compileTo<runInt<AddI>>;
  map[TypeID::get<SubIOp>()] = compileTo<runInt<SubI>>;
  map[TypeID::get<MulIOp>()] = compileTo<runInt<MulI>>;
  map[TypeID::get<AndIOp>()] = compileTo<runInt<AndI>>;
  map[TypeID::get<OrIOp>()] = compileTo<runInt<OrI>>;
  map[TypeID::get<XOrIOp>()] = compileTo<runInt<XOrI>>;
  map[TypeID::get<ShLIOp>()] = compileTo<runInt<ShLI>>;
  map[TypeID::get<ShRUIOp>()] = compileTo<runInt<ShRUI>>;
  map[TypeID::get<ShRSIOp>()] = compileTo<runInt<ShRSI>>;
  map[TypeID::get<MaxSIOp>()] = compileTo<runInt<MaxSI>>;
  map[TypeID::get<MinSIOp>()] = compileTo<runInt<MinSI>>;
  map[TypeID::get<MaxUIOp>()] = compileTo<runInt<MaxUI>>;
  map[TypeID::get<MinUIOp>()] = compileTo<runInt<MinUI>>;
  map[TypeID::get<DivSIOp>()] = compileTo<runDivision<Division::S>>;
  map[TypeID::get<DivUIOp>()] = compileTo<runDivision<Division::U>>;
  map[TypeID::get<RemSIOp>()] = compileTo<runDivision<Division::RemS>>;
  map[TypeID::get<RemUIOp>()] = compileTo<runDivision<Division::RemU>>;
  map[TypeID::get<CeilDivSIOp>()] = compileTo<runDivision<Division::CeilS>>;
  map[TypeID::get<CeilDivUIOp>()] = compileTo<runDivision<Division::CeilU>>;
  map[TypeID::get<FloorDivSIOp>()] = compileTo<runDivision<Division::FloorS>>;
  map[TypeID::get<CmpIOp>()] = compileCmpI;
  map[TypeID::get<AddUIExtendedOp>()] = compileTo<runAddExtended>;
  map[TypeID::get<AddFOp>()] = compileTo<runFloat<AddF>>;
  map[TypeID::get<SubFOp>()] = compileTo<runFloat<SubF>>;
  map[TypeID::get<MulFOp>()] = compileTo<runFloat<MulF>>;
  map[TypeID::get<DivFOp>()] = compileTo<runFloat<DivF>>;
  map[TypeID::get<RemFOp>()] = compileTo<runFloat<RemF>>;
  map[TypeID::get<MaximumFOp>()] = compileTo<runFloat<MaximumF>>;
  map[TypeID::get<MinimumFOp>()] = compileTo<runFloat<MinimumF>>;
  map[TypeID::get<MaxNumFOp>()] = compileTo<runFloat<MaxNumF>>;
  map[TypeID::get<MinNumFOp>()] = compileTo<runFloat<MinNumF>>;
  map[TypeID::get<NegFOp>()] = compileTo<runNegF>;
  map[TypeID::get<CmpFOp>()] = compileCmpF;
  map[TypeID::get<SelectOp>()] = compileSelect;
  map[TypeID::get<ExtSIOp>()] = compileTo<runCast<ExtSI>>;
  map[TypeID::get<ExtUIOp>()] = compileTo<runCast<ExtUI>>;
  map[TypeID::get<TruncIOp>()] = compileTo<runCast<TruncI>>;
  map[TypeID::get<IndexCastOp>()] = compileTo<runCast<TruncI>>;
  map[TypeID::get<IndexCastUIOp>()] = compileTo<runCast<ExtUI>>;
  map[TypeID::get<ExtFOp>()] = compileTo<runCast<Convert>>;
  map[TypeID::get<TruncFOp>()] = compileTo<runCast<Convert>>;
  map[TypeID::get<SIToFPOp>()] = compileTo<runCast<Convert>>;
  map[TypeID::get<FPToSIOp>()] = compileTo<runCast<Convert>>;
  map[TypeID::get<UIToFPOp>()] = compileTo<runCast<UIToFP>>;
  map[TypeID::get<FPToUIOp>()] = compileTo<runCast<FPToUI>>;
  map[TypeID::get<BitcastOp>()] = compileBitcast;
}
