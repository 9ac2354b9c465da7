//===- MmaLanes.cpp - Matrix fragments of mma.sync -----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every register of a fragment of A or B, taken over the 32 lanes, is a matrix
// of 8 rows of 16 bytes: lane 4g+t holds bytes 4t..4t+3 of row g. So the row of
// 32 words in the register file *is* that matrix, row by row, whatever the
// element. A has 2 such blocks for each 16 bytes of k (rows g and g+8), B one,
// with n as its row. A register of C and D holds column 2t + (d & 1) of row
// g + 8 * (d / 2). (PTX ISA, "Matrix Fragments for mma.m16n8k16" and the
// sections beside it.)
//
// Sums are formed in f32 (s32), starting with c, k ascending, every step
// rounded to nearest; products of f16, bf16 and tf32 are exact. The hardware
// adds in another order and truncates: bit-exact tests use integers.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include <type_traits>

using namespace tilepipe::ptx;

namespace tilepipe::ptx {
namespace {

using Row8 = float __attribute__((vector_size(32)));
using Row8i = int32_t __attribute__((vector_size(32)));

/// An 8 x n block of elements as floats or integers.
template <class H, class To> void widen(const uint32_t *words, To *to) {
  constexpr unsigned count = 128 / sizeof(H);
  H values[count];
  memcpy(values, words, 128);
  for (unsigned i = 0; i < count; ++i) {
    if constexpr (sizeof(H) == 2)
      to[i] = toFloat(values[i]);
    else
      to[i] = To(values[i]);
  }
}

/// The hardware reads only the bits tf32 has.
void widenTf32(const uint32_t *words, float *to) {
  for (unsigned i = 0; i < 32; ++i)
    to[i] = bitsTo<float>(words[i] & ~0x1fffu);
}

/// One block each of A (8 rows) times B: `k` elements deep.
template <unsigned k, class Vector, class Element>
void multiply(const Element *a, const Vector *b, Vector *rows) {
  for (unsigned i = 0; i < 8; ++i) {
    Vector sum = rows[i];
    for (unsigned x = 0; x < k; ++x) {
#ifdef __FMA__
      if constexpr (std::is_same_v<Element, float>) {
        for (unsigned n = 0; n < 8; ++n)
          sum[n] = __builtin_fmaf(a[i * k + x], b[x][n], sum[n]);
        continue;
      }
#endif
      sum += a[i * k + x] * b[x];
    }
    rows[i] = sum;
  }
}

template <unsigned k, class Vector, class Element>
void transpose(const Element *from, Vector *to) {
  for (unsigned n = 0; n < 8; ++n)
    for (unsigned x = 0; x < k; ++x)
      to[x][n] = from[n * k + x];
}

void loadRows(const MmaShape &shape, const uint32_t *const *c, unsigned half,
              Row8 *rows) {
  if (shape.result == Type::F16) {
    float values[64];
    widen<_Float16>(c[half], values);
    memcpy(rows, values, sizeof(values));
    return;
  }
  uint32_t words[64];
  for (unsigned lane = 0; lane < 32; ++lane) {
    words[2 * lane] = c[2 * half][lane];
    words[2 * lane + 1] = c[2 * half + 1][lane];
  }
  memcpy(rows, words, sizeof(words));
}

void storeRows(const MmaShape &shape, uint32_t *const *d, unsigned half,
               const Row8 *rows) {
  if (shape.result == Type::F16) {
    const float *values = reinterpret_cast<const float *>(rows);
    uint16_t halves[64];
    for (unsigned i = 0; i < 64; ++i)
      halves[i] = bitsTo<uint16_t>(fromFloat<_Float16>(values[i]));
    memcpy(d[half], halves, sizeof(halves));
    return;
  }
  uint32_t words[64];
  memcpy(words, rows, sizeof(words));
  for (unsigned lane = 0; lane < 32; ++lane) {
    d[2 * half][lane] = words[2 * lane];
    d[2 * half + 1][lane] = words[2 * lane + 1];
  }
}

template <unsigned k, class Element, class Vector, class WidenA, class WidenB>
void run(const MmaShape &shape, uint32_t *const *d, const uint32_t *const *a,
         const uint32_t *const *b, const uint32_t *const *c, WidenA widenA,
         WidenB widenB) {
  Vector columns[2][k];
  alignas(64) Element values[8 * k];
  for (unsigned group = 0; group < shape.groups; ++group) {
    widenB(b[group], values);
    transpose<k>(values, columns[group]);
  }
  Row8 rows[2][8];
  for (unsigned half = 0; half < 2; ++half) {
    loadRows(shape, c, half, rows[half]);
    for (unsigned group = 0; group < shape.groups; ++group) {
      widenA(a[2 * group + half], values);
      multiply<k>(values, columns[group],
                  reinterpret_cast<Vector *>(rows[half]));
    }
  }
  // D may be A or B: nothing is written before everything was read.
  for (unsigned half = 0; half < 2; ++half)
    storeRows(shape, d, half, rows[half]);
}

void mma(const MmaShape &shape, uint32_t *const *d, const uint32_t *const *a,
         const uint32_t *const *b, const uint32_t *const *c) {
  switch (shape.element) {
  case Type::F16:
    return run<8, float, Row8>(shape, d, a, b, c, widen<_Float16, float>,
                               widen<_Float16, float>);
  case Type::BF16:
    return run<8, float, Row8>(shape, d, a, b, c, widen<Bf16, float>,
                               widen<Bf16, float>);
  case Type::TF32:
    return run<4, float, Row8>(shape, d, a, b, c, widenTf32, widenTf32);
  default:
    break;
  }
  auto signedBytes = widen<int8_t, int32_t>,
       unsignedBytes = widen<uint8_t, int32_t>;
  return run<16, int32_t, Row8i>(shape, d, a, b, c,
                                 shape.element == Type::U8 ? unsignedBytes
                                                           : signedBytes,
                                 shape.unsignedB ? unsignedBytes : signedBytes);
}

} // namespace

namespace TILEPIPE_PTX_ISA {

Handler selectArithmetic(const Inst &inst);

const LaneLibrary &lanes() {
  static const LaneLibrary library = {selectArithmetic, mma};
  return library;
}

} // namespace TILEPIPE_PTX_ISA
} // namespace tilepipe::ptx
