//===- ExecAtomic.cpp - Atomic read-modify-write -------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <type_traits>

using namespace tilepipe::ptx;

template <class T> static T apply(Atomic atomic, T old, T operand, T other) {
  switch (atomic) {
  case Atomic::Add:
    return old + operand;
  case Atomic::Min:
    return operand < old ? operand : old;
  case Atomic::Max:
    return operand > old ? operand : old;
  case Atomic::Exch:
    return operand;
  case Atomic::Cas:
    return old == operand ? other : old;
  default:
    break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (atomic) {
    case Atomic::And:
      return old & operand;
    case Atomic::Or:
      return old | operand;
    case Atomic::Xor:
      return old ^ operand;
    case Atomic::Inc:
      return old >= operand ? 0 : old + 1;
    default:
      return old == 0 || old > operand ? operand : old - 1; // dec
    }
  }
  return old;
}

template <class T>
static uint64_t applyBits(Atomic atomic, uint64_t old, uint64_t operand,
                          uint64_t other) {
  T x, y, z;
  memcpy(&x, &old, sizeof(T));
  memcpy(&y, &operand, sizeof(T));
  memcpy(&z, &other, sizeof(T));
  T result = apply<T>(atomic, x, y, z);
  uint64_t bits = 0;
  memcpy(&bits, &result, sizeof(T));
  return bits;
}

template <class H>
static uint64_t applyHalf(Atomic atomic, uint64_t old, uint64_t operand) {
  H x = bitsTo<H>(uint16_t(old)), y = bitsTo<H>(uint16_t(operand));
  return bitsTo<uint16_t>(
      fromFloat<H>(apply<float>(atomic, toFloat(x), toFloat(y), 0.f)));
}

static uint64_t applyTyped(const Inst &inst, uint64_t old, uint64_t operand,
                           uint64_t other) {
  Atomic atomic = inst.atomic;
  switch (inst.type) {
  case Type::F16:
    return applyHalf<_Float16>(atomic, old, operand);
  case Type::BF16:
    return applyHalf<Bf16>(atomic, old, operand);
  case Type::F16X2:
    return applyHalf<_Float16>(atomic, old, operand) |
           applyHalf<_Float16>(atomic, old >> 16, operand >> 16) << 16;
  case Type::BF16X2:
    return applyHalf<Bf16>(atomic, old, operand) |
           applyHalf<Bf16>(atomic, old >> 16, operand >> 16) << 16;
  case Type::F32:
    return applyBits<float>(atomic, old, operand, other);
  case Type::F64:
    return applyBits<double>(atomic, old, operand, other);
  case Type::S32:
    return applyBits<int32_t>(atomic, old, operand, other);
  case Type::S64:
    return applyBits<int64_t>(atomic, old, operand, other);
  case Type::B64:
  case Type::U64:
    return applyBits<uint64_t>(atomic, old, operand, other);
  default:
    return applyBits<uint32_t>(atomic, old, operand, other);
  }
}

/// Lanes take their turn in ascending order.
void Block::atomic(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned memory = inst.op == Op::Atom ? 1 : 0;
  uint64_t at[32], results[32];
  uint32_t undefined = 0;
  addresses(warp, inst, inst.ops[memory], mask, at);
  const Operand &source = inst.ops[memory + 1], &other = inst.ops[memory + 2];
  if ((warp.undefined[source.reg] & mask) && trackUndefined)
    reportUndefined(warp, inst, source.reg, "an atomic operand");
  unsigned size = sizeOf(inst.type);
  // Blocks on other host threads use the same global memory.
  std::unique_lock<std::mutex> lock(launch.mutex, std::defer_lock);
  if (!trackRaces && options.threads > 1)
    lock.lock();
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    synchronise(warp, inst, at[lane]);
    uint8_t *unknown;
    uint8_t *bytes =
        access(warp, inst, at[lane], lane, size, Access::Atomic, &unknown);
    uint64_t old = 0;
    memcpy(&old, bytes, size);
    uint64_t result =
        applyTyped(inst, old, value(warp, source, lane),
                   inst.atomic == Atomic::Cas ? value(warp, other, lane) : 0);
    memcpy(bytes, &result, size);
    results[lane] = old;
    if (unknown && *unknown)
      undefined |= 1u << lane;
  }
  if (inst.op == Op::Red)
    return;
  setRow(warp, inst.ops[0], mask, results);
  setUndefined(warp, inst.ops[0], mask, undefined, indexOf(inst));
}
