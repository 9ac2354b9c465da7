//===- Numeric.h - Scalars of the interpreter -------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scalar is held in 64 bits: integers sign-extended, f64 as its bits, every
// narrower float as the f32 of the same value.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_INTERPRETER_NUMERIC_H
#define TILEPIPE_LIB_INTERPRETER_NUMERIC_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>

namespace tilepipe::interp {

using Slot = uint64_t;

enum class Kind : uint8_t { None, Int, F16, BF16, F32, F64, OtherFloat };

/// What the interpreter must know about an element type.
struct Element {
  Kind kind = Kind::None;
  uint8_t width = 0;
  uint8_t bytes = 0;
  const llvm::fltSemantics *semantics = nullptr;

  bool isFloat() const { return kind > Kind::Int; }
  /// The byte that an undefined element is made of: a NaN, or an odd integer.
  unsigned char getPoison() const { return isFloat() ? 0xFF : 0x5A; }
};

/// `Kind::None` for a type that has no scalars here.
Element getElementOf(mlir::Type type);

inline float asFloat(Slot s) { return llvm::bit_cast<float>(uint32_t(s)); }
inline double asDouble(Slot s) { return llvm::bit_cast<double>(s); }
inline Slot fromFloat(float f) { return llvm::bit_cast<uint32_t>(f); }
inline Slot fromDouble(double d) { return llvm::bit_cast<uint64_t>(d); }

inline int64_t signExtend(uint64_t value, unsigned width) {
  return width >= 64 ? int64_t(value)
                     : int64_t(value << (64 - width)) >> (64 - width);
}
inline uint64_t zeroExtend(uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((uint64_t(1) << width) - 1);
}

float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
inline float bfloatToFloat(uint16_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits) << 16);
}
inline uint16_t floatToBfloat(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return uint16_t(bits >> 16) | 0x40;
  return uint16_t((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// The bits of a float slot in its own format, and back.
uint64_t toBits(const Element &element, Slot value);
Slot fromBits(const Element &element, uint64_t bits);

/// `value` rounded to a float format no wider than f32.
inline float roundTo(const Element &element, float value) {
  switch (element.kind) {
  case Kind::F32:
    return value;
  case Kind::F16:
    return halfToFloat(floatToHalf(value));
  case Kind::BF16:
    return bfloatToFloat(floatToBfloat(value));
  default:
    return asFloat(fromBits(element, toBits(element, fromFloat(value))));
  }
}

/// A float slot as a double, and a double rounded once to a float slot.
inline double toDouble(const Element &element, Slot value) {
  return element.kind == Kind::F64 ? asDouble(value) : double(asFloat(value));
}
Slot roundDouble(const Element &element, double value);

inline Slot loadElement(const Element &element, const char *address) {
  switch (element.kind) {
  case Kind::F32: {
    uint32_t bits;
    std::memcpy(&bits, address, 4);
    return bits;
  }
  case Kind::F16: {
    uint16_t bits;
    std::memcpy(&bits, address, 2);
    return fromFloat(halfToFloat(bits));
  }
  case Kind::BF16: {
    uint16_t bits;
    std::memcpy(&bits, address, 2);
    return fromFloat(bfloatToFloat(bits));
  }
  case Kind::Int: {
    uint64_t bits = 0;
    std::memcpy(&bits, address, element.bytes);
    return signExtend(bits, element.width);
  }
  default: {
    uint64_t bits = 0;
    std::memcpy(&bits, address, element.bytes);
    return element.kind == Kind::F64 ? bits : fromBits(element, bits);
  }
  }
}

inline void storeElement(const Element &element, char *address, Slot value) {
  switch (element.kind) {
  case Kind::F16: {
    uint16_t bits = floatToHalf(asFloat(value));
    std::memcpy(address, &bits, 2);
    return;
  }
  case Kind::BF16: {
    uint16_t bits = floatToBfloat(asFloat(value));
    std::memcpy(address, &bits, 2);
    return;
  }
  case Kind::OtherFloat: {
    uint64_t bits = toBits(element, value);
    std::memcpy(address, &bits, element.bytes);
    return;
  }
  case Kind::Int: {
    uint64_t bits = zeroExtend(value, element.width);
    std::memcpy(address, &bits, element.bytes);
    return;
  }
  default:
    std::memcpy(address, &value, element.bytes);
  }
}

/// Conversion between element types as `tile.copy` defines it.
Slot convertElement(const Element &from, const Element &to, Slot value);

/// Truncation of a float to an integer of `width` bits. Out of range saturates
/// and NaN is 0 (both are undefined in IR, here they are deterministic).
Slot floatToInt(double value, unsigned width, bool isSigned);

} // namespace tilepipe::interp

#endif // TILEPIPE_LIB_INTERPRETER_NUMERIC_H
