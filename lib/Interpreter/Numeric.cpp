//===- Numeric.cpp - Scalars of the interpreter
//-----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numeric.h"

#include "tilepipe/Interpreter/Interpreter.h"

#include "llvm/ADT/APInt.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;

Element interp::getElementOf(Type type) {
  Element element;
  if (type.isIndex()) {
    element.kind = Kind::Int;
    element.width = 64;
    element.bytes = 8;
    return element;
  }
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 0 || integer.getWidth() > 64)
      return element;
    element.kind = Kind::Int;
    element.width = integer.getWidth();
    element.bytes = llvm::PowerOf2Ceil(llvm::divideCeil(element.width, 8));
    return element;
  }
  auto floating = dyn_cast<FloatType>(type);
  if (!floating || floating.getWidth() > 64)
    return element;
  element.kind = type.isF16()    ? Kind::F16
                 : type.isBF16() ? Kind::BF16
                 : type.isF32()  ? Kind::F32
                 : type.isF64()  ? Kind::F64
                                 : Kind::OtherFloat;
  element.width = floating.getWidth();
  element.bytes = llvm::PowerOf2Ceil(llvm::divideCeil(element.width, 8));
  element.semantics = &floating.getFloatSemantics();
  return element;
}

float interp::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1F, mantissa = bits & 0x3FF;
  if (exponent == 0x1F)
    return llvm::bit_cast<float>(sign | 0x7F800000 | (mantissa << 13));
  if (exponent != 0)
    return llvm::bit_cast<float>(sign | ((exponent + 112) << 23) |
                                 (mantissa << 13));
  float value = float(mantissa) * 0x1p-24f;
  return sign ? -value : value;
}

uint16_t interp::floatToHalf(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) // NaN: keep the payload, never make it infinite
    return sign | 0x7C00 | 0x200 | ((magnitude >> 13) & 0x3FF);
  if (magnitude >= 0x477FF000) // rounds to 65520 or more: infinity
    return sign | 0x7C00;
  if (magnitude < 0x38800000) {
    // Subnormal: the addition rounds to a multiple of 2^-24, ties to even.
    float scaled = llvm::bit_cast<float>(magnitude) + 0.5f;
    return sign | uint16_t(llvm::bit_cast<uint32_t>(scaled) - 0x3F000000);
  }
  uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
  return sign | uint16_t((rounded - 0x38000000) >> 13);
}

uint64_t interp::toBits(const Element &element, Slot value) {
  switch (element.kind) {
  case Kind::F16:
    return floatToHalf(asFloat(value));
  case Kind::BF16:
    return floatToBfloat(asFloat(value));
  case Kind::OtherFloat: {
    llvm::APFloat number(asFloat(value));
    bool losesInfo;
    number.convert(*element.semantics, llvm::APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return number.bitcastToAPInt().getZExtValue();
  }
  default:
    return zeroExtend(value, element.width);
  }
}

Slot interp::fromBits(const Element &element, uint64_t bits) {
  switch (element.kind) {
  case Kind::F16:
    return fromFloat(halfToFloat(uint16_t(bits)));
  case Kind::BF16:
    return fromFloat(bfloatToFloat(uint16_t(bits)));
  case Kind::OtherFloat: {
    llvm::APInt raw(llvm::APFloat::getSizeInBits(*element.semantics),
                    zeroExtend(bits, element.width));
    llvm::APFloat number(*element.semantics, raw);
    bool losesInfo;
    number.convert(llvm::APFloat::IEEEsingle(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return fromFloat(number.convertToFloat());
  }
  case Kind::Int:
    return signExtend(bits, element.width);
  default:
    return bits;
  }
}

Slot interp::roundDouble(const Element &element, double value) {
  if (element.kind == Kind::F64)
    return fromDouble(value);
  if (element.kind == Kind::F32)
    return fromFloat(float(value));
  // One rounding only: straight from the double.
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(*element.semantics, llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return fromBits(element, number.bitcastToAPInt().getZExtValue());
}

Slot interp::floatToInt(double value, unsigned width, bool isSigned) {
  llvm::APSInt result(width, /*isUnsigned=*/!isSigned);
  bool isExact;
  llvm::APFloat(value).convertToInteger(result, llvm::APFloat::rmTowardZero,
                                        &isExact);
  return result.getSExtValue();
}

Slot interp::convertElement(const Element &from, const Element &to,
                            Slot value) {
  if (from.isFloat())
    return to.isFloat() ? roundDouble(to, toDouble(from, value))
                        : floatToInt(toDouble(from, value), to.width, true);
  if (!to.isFloat())
    return signExtend(value, to.width);
  if (to.kind == Kind::F64)
    return fromDouble(double(int64_t(value)));
  if (to.kind == Kind::F32)
    return fromFloat(float(int64_t(value)));
  llvm::APFloat number(*to.semantics);
  number.convertFromAPInt(llvm::APInt(64, value), /*IsSigned=*/true,
                          llvm::APFloat::rmNearestTiesToEven);
  return fromBits(to, number.bitcastToAPInt().getZExtValue());
}

//===----------------------------------------------------------------------===//
// Host buffers
//===----------------------------------------------------------------------===//

unsigned tilepipe::getElementBytes(Type type) {
  return getElementOf(type).bytes;
}

int64_t HostBuffer::getNumElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

double tilepipe::getElement(const HostBuffer &buffer, int64_t index) {
  Element element = getElementOf(buffer.elementType);
  Slot value = loadElement(element, buffer.data.data() + index * element.bytes);
  return element.isFloat() ? toDouble(element, value) : double(int64_t(value));
}

void tilepipe::setElement(HostBuffer &buffer, int64_t index, double value) {
  Element element = getElementOf(buffer.elementType);
  storeElement(element, buffer.data.data() + index * element.bytes,
               element.isFloat() ? roundDouble(element, value)
                                 : floatToInt(value, 64, true));
}
