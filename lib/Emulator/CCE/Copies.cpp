//===- Copies.cpp - GM, L1 and UB -----------------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Semantics: asc-devkit docs/zh/api/SIMD-API, DataCopy, DataCopyPad, ND2NZ,
// InitConstValue. What nothing has written moves as such and is reported where
// it reaches an instruction that computes, or GM.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include <algorithm>

using namespace tilepipe::cce;

static constexpr uint64_t block = 32;
static constexpr int64_t maxBursts = 4095, maxStride = 65535;

//===----------------------------------------------------------------------===//
// Bursts
//===----------------------------------------------------------------------===//

namespace {
/// `bursts` rows of `bytes` bytes from one pitch to another.
struct Bursts {
  Space target, source;
  uint64_t to, from;
  int64_t bursts, bytes, toPitch, fromPitch;
  // Bytes that the padding of a row fills, before and behind.
  int64_t before = 0, behind = 0;
  uint64_t rowEnd() const {
    return (before + bytes + behind + block - 1) / block * block;
  }
};
} // namespace

static void spacesOf(int opcode, Bursts &b) {
  b.target = opcode == TP_copy_gm_to_cbuf ? L1 : UB;
  b.source = GM;
  if (opcode == TP_copy_ubuf_to_gm || opcode == TP_copy_ubuf_to_gm_align)
    b.target = GM;
  if (b.target == GM || opcode == TP_copy_ubuf_to_ubuf)
    b.source = UB;
}

static Bursts decode(const Op &op) {
  Bursts b;
  spacesOf(op.opcode, b);
  b.to = op.a[0];
  b.from = op.a[1];
  b.bursts = op.a[3];
  if (op.opcode == TP_copy_gm_to_ubuf_align ||
      op.opcode == TP_copy_ubuf_to_gm_align) {
    b.bytes = op.a[4];
    b.before = op.a[5] * sizeOf(op.type);
    b.behind = op.a[6] * sizeOf(op.type);
    // Gaps are bytes in GM and blocks in UB, where rows start at blocks.
    int64_t row = int64_t(b.rowEnd());
    b.fromPitch = b.source == GM ? b.bytes + op.a[7] : row + block * op.a[7];
    b.toPitch = b.target == GM ? b.bytes + op.a[8] : row + block * op.a[8];
    return b;
  }
  b.bytes = op.a[4] * int64_t(block);
  b.fromPitch = b.bytes + op.a[5] * int64_t(block);
  b.toPitch = b.bytes + op.a[6] * int64_t(block);
  return b;
}

/// Bytes that reach GM must have been written.
static void checkPoison(Machine &machine, Core &core, const Op &op, Space space,
                        uint64_t address, const uint8_t *undefined,
                        uint64_t count) {
  if (!undefined)
    return;
  if (const void *first = memchr(undefined, 1, count))
    machine.reportUninitialised(
        core, op, space,
        address + (static_cast<const uint8_t *>(first) - undefined),
        "stores bytes");
}

static void fillPad(Machine &machine, const Op &op, Effects &effects,
                    uint64_t address, int64_t count) {
  uint64_t value = op.registers.value[TP_PAD_VALUE];
  for (int64_t i = 0; i < count; i += sizeOf(op.type))
    effects.write(UB, address + i, &value, sizeOf(op.type));
}

static void runBursts(Machine &machine, Core &core, const Op &op,
                      Effects &effects) {
  Bursts b = decode(op);
  bool aligned = op.opcode == TP_copy_gm_to_ubuf_align;
  for (int64_t i = 0; i < b.bursts; ++i) {
    uint64_t to = b.to + i * b.toPitch, from = b.from + i * b.fromPitch;
    const uint8_t *undefined = machine.poisonAt(core, b.source, from, b.bytes);
    if (b.target == GM) {
      checkPoison(machine, core, op, b.source, from, undefined, b.bytes);
      undefined = nullptr;
    }
    if (aligned)
      fillPad(machine, op, effects, to, b.before);
    effects.write(b.target, to + (aligned ? b.before : 0),
                  machine.bytesAt(core, b.source, from), b.bytes, undefined);
    if (!aligned)
      continue;
    fillPad(machine, op, effects, to + b.before + b.bytes, b.behind);
    uint64_t used = b.before + b.bytes + b.behind;
    effects.fillPoison(UB, to + used, b.rowEnd() - used);
  }
}

static void planBursts(Machine &machine, Core &core, Op &op) {
  Plan checked(machine, core, op);
  Bursts b = decode(op);
  bool aligned = op.opcode == TP_copy_gm_to_ubuf_align ||
                 op.opcode == TP_copy_ubuf_to_gm_align;
  checked.range("nBurst", b.bursts, 0, maxBursts);
  if (aligned) {
    checked.range("lenBurst (bytes)", b.bytes, 0, (1 << 21) - 1);
    checked.range("leftPadding (bytes)", b.before, 0, block);
    checked.range("rightPadding (bytes)", b.behind, 0, block);
    checked.range("srcGap", op.a[7], 0, UINT32_MAX);
    checked.range("dstGap", op.a[8], 0, UINT32_MAX);
    if (op.opcode == TP_copy_ubuf_to_gm_align && (b.before || b.behind))
      checked.fail("argument", "pads only on the way to UB");
  } else {
    checked.range("lenBurst (blocks)", op.a[4], 0, maxStride);
    checked.range("srcGap", op.a[5], 0, maxStride);
    checked.range("dstGap", op.a[6], 0, maxStride);
  }
  if (op.opcode == TP_copy_gm_to_cbuf && op.a[7])
    checked.fail("unsupported", "only PAD_NONE is emulated");
  if (b.target != GM)
    checked.aligned("target", b.to, block);
  if (b.source != GM)
    checked.aligned("source", b.from, block);
  if (!checked.isGood())
    return;
  for (int64_t i = 0; b.bytes && i < b.bursts; ++i)
    checked.read(b.source, b.from + i * b.fromPitch, b.bytes);
  for (int64_t i = 0; b.bytes && i < b.bursts; ++i)
    checked.write(b.target, b.to + i * b.toPitch,
                  aligned && b.target == UB ? b.rowEnd() : b.bytes);
  if (checked.finish())
    op.run = runBursts;
}

//===----------------------------------------------------------------------===//
// GM (ND) to L1 (NZ)
//===----------------------------------------------------------------------===//

namespace {
struct Nd2Nz {
  explicit Nd2Nz(const Op &op)
      : size(sizeOf(op.type)), to(op.a[0]), from(op.a[1]), matrices(op.a[3]),
        rows(op.a[4]), columns(op.a[5]), fromMatrix(op.a[6] * size),
        fromRow(op.a[7] * size), toColumn(op.a[8] * block),
        toRow(op.a[9] * block), toMatrix(op.a[10] * size) {}
  int64_t blocks() const { return (columns * size + block - 1) / block; }
  uint64_t source(int64_t matrix, int64_t row) const {
    return from + matrix * fromMatrix + row * fromRow;
  }
  uint64_t target(int64_t matrix, int64_t column, int64_t row) const {
    return to + matrix * toMatrix + column * toColumn + row * toRow;
  }
  int64_t size;
  uint64_t to, from;
  int64_t matrices, rows, columns, fromMatrix, fromRow, toColumn, toRow,
      toMatrix;
};
} // namespace

static void runNd2Nz(Machine &machine, Core &core, const Op &op,
                     Effects &effects) {
  Nd2Nz n(op);
  static const uint8_t zeros[block] = {};
  for (int64_t matrix = 0; matrix < n.matrices; ++matrix)
    for (int64_t column = 0; column < n.blocks(); ++column)
      for (int64_t row = 0; row < n.rows; ++row) {
        uint64_t from = n.source(matrix, row) + column * block;
        uint64_t to = n.target(matrix, column, row);
        // The hardware fills the last block of a row with zeros.
        uint64_t bytes =
            std::min<uint64_t>(block, n.columns * n.size - column * block);
        effects.write(L1, to, machine.bytesAt(core, GM, from), bytes,
                      machine.poisonAt(core, GM, from, bytes));
        effects.write(L1, to + bytes, zeros, block - bytes);
      }
}

static void planNd2Nz(Machine &machine, Core &core, Op &op) {
  Plan checked(machine, core, op);
  Nd2Nz n(op);
  checked.range("ndNum", n.matrices, 0, 4095);
  checked.range("nValue", n.rows, 0, 16384);
  checked.range("dValue", n.columns, 0, 65535);
  checked.range("srcNdMatrixStride", op.a[6], 0, 65535);
  checked.range("srcDValue", op.a[7], 0, 65535);
  checked.range("dstNzC0Stride", op.a[8], 0, 16384);
  checked.range("dstNzNStride", op.a[9], 0, 16384);
  checked.range("dstNzMatrixStride", op.a[10], 0, 65535);
  checked.aligned("L1", n.to, block);
  if (!checked.isGood())
    return;
  for (int64_t matrix = 0; matrix < n.matrices; ++matrix) {
    for (int64_t row = 0; row < n.rows; ++row)
      checked.read(GM, n.source(matrix, row), n.columns * n.size);
    for (int64_t column = 0; column < n.blocks(); ++column)
      for (int64_t row = 0; row < n.rows; ++row)
        checked.write(L1, n.target(matrix, column, row), block);
  }
  if (checked.finish())
    op.run = runNd2Nz;
}

//===----------------------------------------------------------------------===//
// A constant into L1
//===----------------------------------------------------------------------===//

static void runFill(Machine &, Core &, const Op &op, Effects &effects) {
  int64_t repeats = op.a[1] & 0x7fff, blocks = (op.a[1] >> 16) & 0x7fff;
  int64_t gap = (op.a[1] >> 32) & 0x7fff;
  uint8_t pattern[block];
  for (unsigned i = 0; i < block; i += unsigned(op.a[3]))
    memcpy(pattern + i, &op.a[2], op.a[3]);
  for (int64_t i = 0; i < repeats; ++i)
    for (int64_t j = 0; j < blocks; ++j)
      effects.write(L1, op.a[0] + block * (i * (blocks + gap) + j), pattern,
                    block);
}

static void planFill(Machine &machine, Core &core, Op &op) {
  Plan checked(machine, core, op);
  checked.aligned("L1", op.a[0], block);
  int64_t repeats = op.a[1] & 0x7fff, blocks = (op.a[1] >> 16) & 0x7fff;
  int64_t gap = (op.a[1] >> 32) & 0x7fff;
  if (op.a[1] & ~0x7fff7fff7fffll)
    checked.fail("argument", "repeat, blocks and gap must be below 32768");
  for (int64_t i = 0; checked.isGood() && i < repeats; ++i)
    checked.write(L1, op.a[0] + block * i * (blocks + gap), block * blocks);
  if (checked.finish())
    op.run = runFill;
}

bool tilepipe::cce::planCopy(Machine &machine, Core &core, Op &op) {
  switch (op.opcode) {
  case TP_copy_gm_to_cbuf:
  case TP_copy_gm_to_ubuf:
  case TP_copy_gm_to_ubuf_align:
    op.pipe = MTE2;
    planBursts(machine, core, op);
    return true;
  case TP_copy_ubuf_to_gm:
  case TP_copy_ubuf_to_gm_align:
    op.pipe = MTE3;
    planBursts(machine, core, op);
    return true;
  case TP_copy_ubuf_to_ubuf:
    op.pipe = V;
    planBursts(machine, core, op);
    return true;
  case TP_copy_gm_to_cbuf_multi_nd2nz:
    op.pipe = MTE2;
    planNd2Nz(machine, core, op);
    return true;
  case TP_create_cbuf_matrix:
    op.pipe = MTE2;
    planFill(machine, core, op);
    return true;
  default:
    return false;
  }
}
