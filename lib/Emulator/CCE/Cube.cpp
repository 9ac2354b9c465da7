//===- Cube.cpp - L0 loads, mad, fixpipe ----------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts (asc-devkit 数据排布格式.md), fractals of 16 rows of 32 bytes:
// L1 NZ [K1][M1][16][C0], L0A ZZ [M1][K1][16][C0], L0B ZN [K1][N1][16][C0],
// L0C NZ [N1][M1][16][16] of 4-byte elements.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include "Plan.h"

#include <algorithm>

using namespace tilepipe::cce;

static constexpr uint64_t fractal = 512;

//===----------------------------------------------------------------------===//
// L1 to L0A and L0B
//===----------------------------------------------------------------------===//

static Space targetOf(const Op &op) {
  return op.opcode == TP_load_cbuf_to_ca ||
                 op.opcode == TP_load_cbuf_to_ca_transpose
             ? L0A
             : L0B;
}

/// Transposes rows of a square of `side` elements into `to`.
static void transpose(const uint8_t *from, uint8_t *to, unsigned side,
                      unsigned size) {
  for (unsigned row = 0; row < side; ++row)
    for (unsigned column = 0; column < side; ++column)
      memcpy(to + (column * side + row) * size,
             from + (row * side + column) * size, size);
}

static void runLoad(Machine &machine, Core &core, const Op &op,
                    Effects &effects) {
  Space target = targetOf(op);
  for (int64_t i = 0; i < op.a[3]; ++i) {
    uint64_t from = op.a[1] + fractal * (op.a[2] + i * op.a[4]);
    uint64_t to = op.a[0] + fractal * i * (op.a[5] + 1);
    const uint8_t *bytes = machine.bytesAt(core, L1, from);
    const uint8_t *undefined = machine.poisonAt(core, L1, from, fractal);
    uint8_t turned[fractal], turnedPoison[fractal];
    if (op.a[6]) {
      transpose(bytes, turned, 16, 2);
      transpose(undefined, turnedPoison, 16, 2);
      bytes = turned;
      undefined = turnedPoison;
    }
    effects.write(target, to, bytes, fractal, undefined);
  }
}

static void checkLoad(Plan &checked, const Op &op) {
  checked.range("startIndex", op.a[2], 0, 65535);
  checked.range("repeat", op.a[3], 1, 255);
  checked.range("srcStride", op.a[4], 0, 65535);
  checked.range("dstGap", op.a[5], 0, 65535);
  checked.aligned("L0", op.a[0], fractal);
  checked.aligned("L1", op.a[1], 32);
}

static void planLoad(Machine &machine, Core &core, Op &op) {
  Plan checked(machine, core, op);
  checkLoad(checked, op);
  if (op.a[6] && sizeOf(op.type) != 2)
    checked.fail("argument", "transposes only 16-bit elements");
  if (op.a[7])
    checked.fail("unsupported", "addr_cal_mode_t::dec is not emulated");
  if (!checked.isGood())
    return;
  for (int64_t i = 0; i < op.a[3]; ++i)
    checked.read(L1, op.a[1] + fractal * (op.a[2] + i * op.a[4]), fractal);
  for (int64_t i = 0; i < op.a[3]; ++i)
    checked.write(targetOf(op), op.a[0] + fractal * i * (op.a[5] + 1), fractal);
  if (checked.finish())
    op.run = runLoad;
}

/// Squares of 16 x 16 16-bit or 32 x 32 8-bit elements; the latter are two
/// fractals on both sides.
static uint64_t squareOf(const Op &op) {
  return sizeOf(op.type) == 1 ? 2 * fractal : fractal;
}

static void runTransposing(Machine &machine, Core &core, const Op &op,
                           Effects &effects) {
  uint64_t square = squareOf(op);
  unsigned side = square == fractal ? 16 : 32, size = sizeOf(op.type);
  for (int64_t i = 0; i < op.a[3]; ++i) {
    uint64_t from = op.a[1] + square * (op.a[2] + i * op.a[4]);
    uint8_t turned[2 * fractal], undefined[2 * fractal];
    transpose(machine.bytesAt(core, L1, from), turned, side, size);
    transpose(machine.poisonAt(core, L1, from, square), undefined, side, size);
    for (uint64_t part = 0; part * fractal < square; ++part)
      effects.write(
          targetOf(op),
          op.a[0] + fractal * (i * (op.a[5] + 1) + part * (op.a[7] + 1)),
          turned + part * fractal, fractal, undefined + part * fractal);
  }
}

static void planTransposing(Machine &machine, Core &core, Op &op) {
  Plan checked(machine, core, op);
  checkLoad(checked, op);
  checked.range("dstFracGap", op.a[7], 0, 65535);
  if (sizeOf(op.type) == 4)
    checked.fail("unsupported", "transposing 32-bit elements is not emulated");
  if (op.a[6])
    checked.fail("unsupported", "addr_cal_mode_t::dec is not emulated");
  if (!checked.isGood())
    return;
  uint64_t square = squareOf(op);
  for (int64_t i = 0; i < op.a[3]; ++i)
    checked.read(L1, op.a[1] + square * (op.a[2] + i * op.a[4]), square);
  for (int64_t i = 0; i < op.a[3]; ++i)
    for (uint64_t part = 0; part * fractal < square; ++part)
      checked.write(targetOf(op),
                    op.a[0] +
                        fractal * (i * (op.a[5] + 1) + part * (op.a[7] + 1)),
                    fractal);
  if (checked.finish())
    op.run = runTransposing;
}

//===----------------------------------------------------------------------===//
// mad
//===----------------------------------------------------------------------===//

namespace {
struct Mad {
  explicit Mad(const Op &op)
      : size(sizeOf(op.type)), c(op.a[0]), a(op.a[1]), b(op.a[2]), m(op.a[3]),
        k(op.a[4]), n(op.a[5]), c0(32 / size), m1((m + 15) / 16),
        n1((n + 15) / 16), k1((k + c0 - 1) / c0), initial(op.a[9]) {
    // fp32 with kDirectionAlign: k is rounded up to two fractals.
    if (size == 4 && op.a[7])
      k1 = (k1 + 1) / 2 * 2;
  }
  uint64_t addressA(int64_t row, int64_t z) const {
    return a + ((row / 16 * k1 + z / c0) * 16 + row % 16) * 32 + z % c0 * size;
  }
  uint64_t addressB(int64_t z, int64_t column) const {
    return b + ((z / c0 * n1 + column / 16) * 16 + column % 16) * 32 +
           z % c0 * size;
  }
  uint64_t addressC(int64_t row, int64_t column) const {
    return c + ((column / 16 * m1 * 16 + row) * 16 + column % 16) * 4;
  }
  int64_t size;
  uint64_t c, a, b;
  int64_t m, k, n, c0, m1, n1, k1;
  bool initial;
};
} // namespace

/// Copies a row of 32-byte pieces, reporting what nothing has written.
template <typename T, typename AddressOf>
static void gather(Machine &machine, Core &core, const Op &op, Space space,
                   int64_t count, int64_t c0, AddressOf addressOf, T *to,
                   int64_t stride) {
  unsigned size = sizeOf(op.type);
  for (int64_t z = 0; z < count; z += c0) {
    int64_t length = std::min(c0, count - z);
    uint64_t address = addressOf(z);
    const uint8_t *undefined =
        machine.poisonAt(core, space, address, length * size);
    if (const void *first = memchr(undefined, 1, length * size))
      machine.reportUninitialised(
          core, op, space,
          address + (static_cast<const uint8_t *>(first) - undefined),
          "reads an operand");
    const uint8_t *bytes = machine.bytesAt(core, space, address);
    for (int64_t i = 0; i < length; ++i)
      to[(z + i) * stride] = T(load(op.type, bytes + i * size));
  }
}

template <typename T>
static void runMadOf(Machine &machine, Core &core, const Op &op,
                     Effects &effects) {
  Mad x(op);
  std::vector<T> a(x.m * x.k), b(x.k * x.n), c(x.m * x.n, T(0));
  for (int64_t row = 0; row < x.m; ++row)
    gather(
        machine, core, op, L0A, x.k, x.c0,
        [&](int64_t z) { return x.addressA(row, z); }, &a[row * x.k], 1);
  for (int64_t column = 0; column < x.n; ++column)
    gather(
        machine, core, op, L0B, x.k, x.c0,
        [&](int64_t z) { return x.addressB(z, column); }, &b[column], x.n);
  int64_t wide = x.n1 * 16;
  for (int64_t row = 0; !x.initial && row < x.m; ++row)
    for (int64_t at = 0; at < x.n; at += 16) {
      int64_t length = std::min<int64_t>(16, x.n - at);
      uint64_t address = x.addressC(row, at);
      const uint8_t *undefined =
          machine.poisonAt(core, L0C, address, length * 4);
      if (memchr(undefined, 1, length * 4))
        machine.reportUninitialised(core, op, L0C, address,
                                    "accumulates into L0C");
      memcpy(&c[row * x.n + at], machine.bytesAt(core, L0C, address),
             length * 4);
    }
  for (int64_t row = 0; row < x.m; ++row)
    for (int64_t z = 0; z < x.k; ++z) {
      T factor = a[row * x.k + z];
      const T *from = &b[z * x.n];
      T *to = &c[row * x.n];
      for (int64_t column = 0; column < x.n; ++column)
        to[column] += factor * from[column];
    }
  machine.statistics.macs += x.m * x.n * x.k;
  // Rows and columns beyond m and n get whatever the operands hold there.
  for (int64_t at = 0; at < wide; at += 16)
    for (int64_t row = 0; row < x.m1 * 16; ++row) {
      int64_t length =
          row < x.m ? std::clamp<int64_t>(x.n - at, 0, 16) : int64_t(0);
      uint64_t address = x.addressC(row, at);
      if (length)
        effects.write(L0C, address, &c[row * x.n + at], length * 4);
      effects.fillPoison(L0C, address + length * 4, (16 - length) * 4);
    }
}

static void planMad(Machine &machine, Core &core, Op &op) {
  Plan checked(machine, core, op);
  Mad x(op);
  checked.range("m", x.m, 0, 4095);
  checked.range("k", x.k, 0, 4095);
  checked.range("n", x.n, 0, 4095);
  // The default of the documentation's Mmad: nothing happens.
  if (checked.isGood() && !(x.m && x.k && x.n))
    checked.warn("argument", "with m, k or n of 0 does nothing");
  if (x.m == 1)
    checked.fail("gemv", "m == 1 selects GEMV, which reads A as rows; pad m to "
                         "16");
  if (op.a[6])
    checked.fail("unsupported", "unit flags are not emulated");
  if (op.a[8])
    checked.fail("unsupported", "a bias from BT is not emulated");
  checked.aligned("L0A", x.a, fractal);
  checked.aligned("L0B", x.b, fractal);
  checked.aligned("L0C", x.c, 64);
  if (!checked.isGood() || !(x.m && x.k && x.n))
    return;
  checked.read(L0A, x.a, fractal * x.m1 * x.k1);
  checked.read(L0B, x.b, fractal * x.k1 * x.n1);
  uint64_t result = 1024ull * x.m1 * x.n1;
  if (!x.initial)
    checked.read(L0C, x.c, result);
  checked.write(L0C, x.c, result);
  // Mmad.md: below ten fractals the next mad needs pipe_barrier(PIPE_M).
  op.interlocked = x.m1 * x.n1 >= 10;
  if (checked.finish())
    op.run = op.type == TP_S8 ? runMadOf<int32_t> : runMadOf<float>;
}

//===----------------------------------------------------------------------===//
// L0C to GM
//===----------------------------------------------------------------------===//

namespace {
struct Fixpipe {
  explicit Fixpipe(const Op &op)
      : to(op.a[0]), from(op.a[1]), n(op.a[3]), m(op.a[4]),
        toRow(op.a[5] * sizeOf(op.type)), fromColumn(op.a[6] * 64),
        size(sizeOf(op.type)) {}
  uint64_t source(int64_t row, int64_t column) const {
    return from + column / 16 * fromColumn + row * 64 + column % 16 * 4;
  }
  uint64_t to, from;
  int64_t n, m, toRow, fromColumn, size;
};
} // namespace

static void runFixpipe(Machine &machine, Core &core, const Op &op,
                       Effects &effects) {
  Fixpipe x(op);
  std::vector<uint8_t> line(x.n * x.size);
  for (int64_t row = 0; row < x.m; ++row) {
    for (int64_t column = 0; column < x.n; ++column) {
      uint64_t address = x.source(row, column);
      if (column % 16 == 0) {
        uint64_t length = std::min<int64_t>(16, x.n - column) * 4;
        if (memchr(machine.poisonAt(core, L0C, address, length), 1, length))
          machine.reportUninitialised(core, op, L0C, address, "stores L0C");
      }
      const uint8_t *bytes = machine.bytesAt(core, L0C, address);
      uint8_t *to = line.data() + column * x.size;
      double value = load(op.type == TP_S32 ? TP_S32 : TP_F32, bytes);
      if (op.a[9] && value < 0)
        value = 0;
      store(op.type, to, value);
    }
    effects.write(GM, x.to + row * x.toRow, line.data(), line.size());
  }
}

static void planFixpipe(Machine &machine, Core &core, Op &op) {
  Plan checked(machine, core, op);
  Fixpipe x(op);
  checked.range("nSize", x.n, 0, 4095);
  checked.range("mSize", x.m, 0, 8192);
  checked.range("dstStride", op.a[5], 0, UINT32_MAX);
  checked.range("srcStride", op.a[6], 0, 65535);
  checked.aligned("L0C", x.from, 64);
  static const std::pair<int, int64_t> modes[] = {
      {TP_F32, 0}, {TP_S32, 0}, {TP_F16, 1}, {TP_BF16, 16}};
  bool fits = false;
  for (auto [type, mode] : modes)
    fits |= op.type == type && op.a[8] == mode;
  if (!fits)
    checked.fail("argument", "the quantisation mode " +
                                 std::to_string(op.a[8]) +
                                 " does not give the element type of the "
                                 "target");
  checked.range("relu", op.a[9], 0, 1);
  if (op.a[7])
    checked.fail("unsupported", "unit flags are not emulated");
  if (!op.a[11] || op.a[10])
    checked.fail("unsupported", "only nz2nd without channelSplit is emulated");
  else if (!op.registers.set[TP_ND_PARA])
    checked.fail("state", "nz2nd needs set_nd_para before");
  else if ((op.registers.value[TP_ND_PARA] & 0xffff) != 1)
    checked.fail("unsupported", "only one matrix (ndNum 1) is emulated");
  if (!checked.isGood())
    return;
  for (int64_t column = 0; column < x.n; column += 16)
    checked.read(L0C, x.source(0, column), x.m * 64);
  for (int64_t row = 0; row < x.m; ++row)
    checked.write(GM, x.to + row * x.toRow, x.n * x.size);
  if (checked.finish())
    op.run = runFixpipe;
}

bool tilepipe::cce::planCube(Machine &machine, Core &core, Op &op) {
  switch (op.opcode) {
  case TP_load_cbuf_to_ca:
  case TP_load_cbuf_to_cb:
    op.pipe = MTE1;
    planLoad(machine, core, op);
    return true;
  case TP_load_cbuf_to_ca_transpose:
  case TP_load_cbuf_to_cb_transpose:
    op.pipe = MTE1;
    planTransposing(machine, core, op);
    return true;
  case TP_mad:
    op.pipe = M;
    planMad(machine, core, op);
    return true;
  case TP_copy_matrix_cc_to_gm:
    op.pipe = FIX;
    planFixpipe(machine, core, op);
    return true;
  default:
    return false;
  }
}
