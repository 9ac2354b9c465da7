//===- Arith.cpp - Integer, bit and floating-point instructions, lane by lane
//===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompareLanes.h"
#include "FloatLanes.h"
#include "IntegerLanes.h"

using namespace tilepipe::ptx;

namespace tilepipe::ptx {
namespace {

// The tables: one handler for an operation and a type.
#define INT_TYPES(FN)                                                          \
  case Type::U16:                                                              \
    return Each<FN<uint16_t>>::run;                                            \
  case Type::U32:                                                              \
    return Each<FN<uint32_t>>::run;                                            \
  case Type::U64:                                                              \
    return Each<FN<uint64_t>>::run;                                            \
  case Type::S16:                                                              \
    return Each<FN<int16_t>>::run;                                             \
  case Type::S32:                                                              \
    return Each<FN<int32_t>>::run;                                             \
  case Type::S64:                                                              \
    return Each<FN<int64_t>>::run;
#define BIT_TYPES(FN)                                                          \
  case Type::B16:                                                              \
    return Each<FN<uint16_t>>::run;                                            \
  case Type::B32:                                                              \
    return Each<FN<uint32_t>>::run;                                            \
  case Type::B64:                                                              \
    return Each<FN<uint64_t>>::run;
#define HALF_TYPES(FN, PAIR, OP)                                               \
  case Type::F16:                                                              \
    return Each<FN<_Float16, OP>>::run;                                        \
  case Type::BF16:                                                             \
    return Each<FN<Bf16, OP>>::run;                                            \
  case Type::F16X2:                                                            \
    return Each<PAIR<_Float16, OP>>::run;                                      \
  case Type::BF16X2:                                                           \
    return Each<PAIR<Bf16, OP>>::run;
#define FLUSHED(FN) (inst.ftz ? Each<FN<true>>::run : Each<FN<false>>::run)

Handler selectSum(const Inst &inst) {
  const bool isAdd = inst.op == Op::Add;
  if (inst.sat && inst.type == Type::S32)
    return isAdd ? Each<addSat<int32_t>>::run : Each<subSat<int32_t>>::run;
  if (inst.sat && inst.type == Type::F32)
    return isAdd ? FLUSHED(faddSat) : FLUSHED(fsubSat);
  if (inst.sat)
    return nullptr;
  if (isAdd)
    switch (inst.type) {
      INT_TYPES(add)
      HALF_TYPES(half2, pair2, fadd<false>)
    case Type::U16X2:
    case Type::S16X2:
      return Each<both<uint16_t, add<uint16_t>>>::run;
    case Type::F32:
      return FLUSHED(fadd);
    case Type::F64:
      return Each<dadd>::run;
    default:
      return nullptr;
    }
  switch (inst.type) {
    INT_TYPES(sub)
    HALF_TYPES(half2, pair2, fsub<false>)
  case Type::F32:
    return FLUSHED(fsub);
  case Type::F64:
    return Each<dsub>::run;
  default:
    return nullptr;
  }
}

Handler selectProduct(const Inst &inst) {
  if (inst.op == Op::Mul24 || inst.op == Op::Mad24) {
    bool isSigned = inst.type == Type::S32, mul = inst.op == Op::Mul24;
    if (inst.hi)
      return mul ? (isSigned ? Each<mul24High<int32_t>>::run
                             : Each<mul24High<uint32_t>>::run)
                 : (isSigned ? Each<mad24High<int32_t>>::run
                             : Each<mad24High<uint32_t>>::run);
    return mul ? (isSigned ? Each<mul24<int32_t>>::run
                           : Each<mul24<uint32_t>>::run)
               : (isSigned ? Each<mad24<int32_t>>::run
                           : Each<mad24<uint32_t>>::run);
  }
  bool isFloating = inst.type == Type::F32;
  if (inst.sat && !isFloating && inst.op != Op::Fma)
    return nullptr;
  if (inst.op == Op::Mul && inst.hi)
    switch (inst.type) { INT_TYPES(mulHigh) default : return nullptr; }
  if (inst.op == Op::Mul)
    switch (inst.type) {
      INT_TYPES(mul)
      HALF_TYPES(half2, pair2, fmul<false>)
    case Type::F32:
      return inst.sat ? FLUSHED(fmulSat) : FLUSHED(fmul);
    case Type::F64:
      return Each<dmul>::run;
    default:
      return nullptr;
    }
  if (inst.op == Op::Mad && inst.hi)
    switch (inst.type) { INT_TYPES(madHigh) default : return nullptr; }
  if (inst.op == Op::MulWide || inst.op == Op::MadWide) {
    bool mul = inst.op == Op::MulWide;
    switch (inst.type) {
    case Type::U16:
      return mul ? Each<mulWide<uint16_t>>::run : Each<madWide<uint16_t>>::run;
    case Type::S16:
      return mul ? Each<mulWide<int16_t>>::run : Each<madWide<int16_t>>::run;
    case Type::U32:
      return mul ? Each<mulWide<uint32_t>>::run : Each<madWide<uint32_t>>::run;
    default:
      return mul ? Each<mulWide<int32_t>>::run : Each<madWide<int32_t>>::run;
    }
  }
  switch (inst.type) {
    INT_TYPES(mad)
  case Type::F32:
    return inst.relu ? nullptr : inst.sat ? FLUSHED(ffmaSat) : FLUSHED(ffma);
  case Type::F64:
    return inst.relu || inst.sat ? nullptr : Each<dfma>::run;
  case Type::F16:
    return Each<halfFma<_Float16>>::run;
  case Type::BF16:
    return Each<halfFma<Bf16>>::run;
  case Type::F16X2:
    return Each<pairFma<_Float16>>::run;
  case Type::BF16X2:
    return Each<pairFma<Bf16>>::run;
  default:
    return nullptr;
  }
}

Handler selectMinMax(const Inst &inst) {
  if (inst.relu)
    return nullptr;
  if (inst.op == Op::Min)
    switch (inst.type) {
      INT_TYPES(minimum)
    case Type::F32:
      return inst.nan ? Each<fminNan>::run : FLUSHED(fmin_);
    case Type::F64:
      return Each<dmin>::run;
    default:
      break;
    }
  else
    switch (inst.type) {
      INT_TYPES(maximum)
    case Type::F32:
      return inst.nan ? Each<fmaxNan>::run : FLUSHED(fmax_);
    case Type::F64:
      return Each<dmax>::run;
    default:
      break;
    }
  if (inst.op == Op::Min && inst.nan)
    switch (inst.type) {
      HALF_TYPES(half2, pair2, fminNan) default : return nullptr;
    }
  if (inst.op == Op::Min)
    switch (inst.type) {
      HALF_TYPES(half2, pair2, fmin_<false>) default : return nullptr;
    }
  if (inst.nan)
    switch (inst.type) {
      HALF_TYPES(half2, pair2, fmaxNan) default : return nullptr;
    }
  switch (inst.type) {
    HALF_TYPES(half2, pair2, fmax_<false>) default : return nullptr;
  }
}

Handler selectSign(const Inst &inst) {
  bool isAbs = inst.op == Op::Abs;
  switch (inst.type) {
  case Type::S16:
    return isAbs ? Each<absolute<int16_t>>::run : Each<negate<int16_t>>::run;
  case Type::S32:
    return isAbs ? Each<absolute<int32_t>>::run : Each<negate<int32_t>>::run;
  case Type::S64:
    return isAbs ? Each<absolute<int64_t>>::run : Each<negate<int64_t>>::run;
  case Type::F16:
  case Type::BF16:
    return isAbs ? Each<andBits<uint16_t, 0x7fff>>::run
                 : Each<xorBits<uint16_t, 0x8000>>::run;
  case Type::F16X2:
  case Type::BF16X2:
    return isAbs ? Each<andBits<uint32_t, 0x7fff7fff>>::run
                 : Each<xorBits<uint32_t, 0x80008000>>::run;
  case Type::F32:
    return isAbs ? Each<andBits<uint32_t, 0x7fffffff>>::run
                 : Each<xorBits<uint32_t, 0x80000000>>::run;
  case Type::F64:
    return isAbs ? Each<andBits<uint64_t, ~(1ull << 63)>>::run
                 : Each<xorBits<uint64_t, 1ull << 63>>::run;
  default:
    return nullptr;
  }
}

Handler selectFunction(const Inst &inst) {
  bool wide = inst.type == Type::F64;
  switch (inst.op) {
  case Op::Rcp:
    return wide ? Each<drcp>::run : FLUSHED(rcp);
  case Op::Sqrt:
    return wide ? Each<droot>::run : FLUSHED(root);
  case Op::Rsqrt:
    return wide ? Each<drootInverse>::run : FLUSHED(rootInverse);
  case Op::Sin:
    return FLUSHED(sine);
  case Op::Cos:
    return FLUSHED(cosine);
  case Op::Lg2:
    return FLUSHED(log2_);
  case Op::Ex2:
    switch (inst.type) {
      HALF_TYPES(half1, pair1, exp2_<false>)
    default:
      return FLUSHED(exp2_);
    }
  default:
    switch (inst.type) {
      HALF_TYPES(half1, pair1, tanh_)
    default:
      return Each<tanh_>::run;
    }
  }
}

Handler selectDivision(const Inst &inst) {
  if (inst.op == Op::Rem)
    switch (inst.type) { INT_TYPES(rem) default : return nullptr; }
  switch (inst.type) {
    INT_TYPES(div)
  case Type::F32:
    return FLUSHED(fdiv);
  case Type::F64:
    return Each<ddiv>::run;
  default:
    return nullptr;
  }
}

Handler selectBits(const Inst &inst) {
  bool wide = sizeOf(inst.type) == 8;
  switch (inst.op) {
  case Op::And:
    switch (inst.type) { BIT_TYPES(bitAnd) default : return nullptr; }
  case Op::Or:
    switch (inst.type) { BIT_TYPES(bitOr) default : return nullptr; }
  case Op::Xor:
    switch (inst.type) { BIT_TYPES(bitXor) default : return nullptr; }
  case Op::Not:
    switch (inst.type) { BIT_TYPES(bitNot) default : return nullptr; }
  case Op::Cnot:
    switch (inst.type) { BIT_TYPES(cnot) default : return nullptr; }
  case Op::Shl:
    switch (inst.type) { BIT_TYPES(shiftLeft) default : return nullptr; }
  case Op::Shr:
    switch (inst.type) {
      BIT_TYPES(shiftRight) INT_TYPES(shiftRight) default : return nullptr;
    }
  case Op::Lop3:
    return Each<logic3>::run;
  case Op::Prmt:
    return Each<permute>::run;
  case Op::Shf:
    if (inst.left)
      return inst.wrap ? Each<funnel<true, true>>::run
                       : Each<funnel<true, false>>::run;
    return inst.wrap ? Each<funnel<false, true>>::run
                     : Each<funnel<false, false>>::run;
  case Op::Bfe:
    if (isSigned(inst.type))
      return wide ? Each<bitField<int64_t>>::run : Each<bitField<int32_t>>::run;
    return wide ? Each<bitField<uint64_t>>::run : Each<bitField<uint32_t>>::run;
  case Op::Bfi:
    return wide ? Each<insertField<uint64_t>>::run
                : Each<insertField<uint32_t>>::run;
  case Op::Bfind:
    if (isSigned(inst.type))
      return wide ? Each<findLast<int64_t>>::run : Each<findLast<int32_t>>::run;
    return wide ? Each<findLast<uint64_t>>::run : Each<findLast<uint32_t>>::run;
  case Op::Brev:
    return wide ? Each<reverseBits<uint64_t>>::run
                : Each<reverseBits<uint32_t>>::run;
  case Op::Clz:
    return wide ? Each<leadingZeros<uint64_t>>::run
                : Each<leadingZeros<uint32_t>>::run;
  case Op::Popc:
    return wide ? Each<population<uint64_t>>::run
                : Each<population<uint32_t>>::run;
  default:
    return nullptr;
  }
}

Handler selectCompare(const Inst &inst) {
  bool unordered = inst.compare >= Compare::Equ;
  if (unordered && !isFloat(inst.type))
    return nullptr;
  switch (inst.type) {
  case Type::B16:
  case Type::U16:
    return setPredicate<uint16_t, false>;
  case Type::B32:
  case Type::U32:
    return setPredicate<uint32_t, false>;
  case Type::B64:
  case Type::U64:
    return setPredicate<uint64_t, false>;
  case Type::S16:
    return setPredicate<int16_t, false>;
  case Type::S32:
    return setPredicate<int32_t, false>;
  case Type::S64:
    return setPredicate<int64_t, false>;
  case Type::F16:
    return setPredicate<_Float16, true>;
  case Type::BF16:
    return setPredicate<Bf16, true>;
  case Type::F32:
    return setPredicate<float, true>;
  case Type::F64:
    return inst.ftz ? nullptr : setPredicate<double, true>;
  default:
    return nullptr;
  }
}

Handler selectChoice(const Inst &inst) {
  bool wide = sizeOf(inst.type) == 8;
  if (inst.op == Op::Selp)
    return wide ? select<uint64_t> : select<uint32_t>;
  if (inst.op == Op::Slct && inst.type2 == Type::F32)
    return wide ? Each<signSelect<uint64_t, float>>::run
                : Each<signSelect<uint32_t, float>>::run;
  if (inst.op == Op::Slct)
    return wide ? Each<signSelect<uint64_t, int32_t>>::run
                : Each<signSelect<uint32_t, int32_t>>::run;
  return wide ? Each<move<uint64_t>>::run : Each<move<uint32_t>>::run;
}

} // namespace

namespace TILEPIPE_PTX_ISA {

Handler selectConversion(const Inst &inst);

Handler selectArithmetic(const Inst &inst) {
  switch (inst.op) {
  case Op::Add:
  case Op::Sub:
    return selectSum(inst);
  case Op::Mul:
  case Op::MulWide:
  case Op::Mul24:
  case Op::Mad:
  case Op::MadWide:
  case Op::Mad24:
  case Op::Fma:
    return selectProduct(inst);
  case Op::Sad:
    switch (inst.type) { INT_TYPES(sad) default : return nullptr; }
  case Op::Div:
  case Op::Rem:
    return selectDivision(inst);
  case Op::Abs:
  case Op::Neg:
    return selectSign(inst);
  case Op::Min:
  case Op::Max:
    return selectMinMax(inst);
  case Op::Setp:
    return selectCompare(inst);
  case Op::Selp:
  case Op::Slct:
  case Op::Mov:
    return selectChoice(inst);
  case Op::Testp:
    return inst.type == Type::F64 ? testProperty<double> : testProperty<float>;
  case Op::Copysign:
    return inst.type == Type::F64 ? Each<copySignWide>::run
                                  : Each<copySign>::run;
  case Op::Dp4a: {
    bool a = inst.type == Type::S32, b = inst.type2 == Type::S32;
    return a ? (b ? Each<dot4<true, true>>::run : Each<dot4<true, false>>::run)
             : (b ? Each<dot4<false, true>>::run
                  : Each<dot4<false, false>>::run);
  }
  case Op::Rcp:
  case Op::Sqrt:
  case Op::Rsqrt:
  case Op::Sin:
  case Op::Cos:
  case Op::Lg2:
  case Op::Ex2:
  case Op::Tanh:
    return selectFunction(inst);
  case Op::Cvt:
  case Op::CvtPack:
    return selectConversion(inst);
  default:
    return selectBits(inst);
  }
}

} // namespace TILEPIPE_PTX_ISA
} // namespace tilepipe::ptx
