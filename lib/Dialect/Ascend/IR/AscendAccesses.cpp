//===- AscendAccesses.cpp - What an instruction reads and writes -------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

static int64_t bytesOf(Value buffer) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  if (type.isIndex())
    return 8;
  return std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

namespace {

/// Collects accesses; a part that takes an unknown index becomes "all of it".
class Collector {
public:
  Collector(IndexEvaluator evaluate, SmallVectorImpl<PipeAccess> &accesses)
      : evaluate(evaluate), accesses(accesses) {}

  std::optional<int64_t> operator()(Value index) const {
    return evaluate(index);
  }

  /// Rows of elements from `offset` on. An argument that is none makes the part
  /// unknown.
  void add(Value buffer, bool write, Value offset, std::optional<int64_t> rows,
           std::optional<int64_t> length, std::optional<int64_t> stride) {
    std::optional<int64_t> start = evaluate(offset);
    std::optional<Footprint> part;
    if (start && rows && length && stride)
      part = Footprint{*start, *rows, *length, *stride};
    accesses.push_back({buffer, write, part});
  }

private:
  IndexEvaluator evaluate;
  SmallVectorImpl<PipeAccess> &accesses;
};

} // namespace

/// `f` of values that are all known, else none.
template <typename F, typename... Args>
static std::optional<int64_t> lift(F f, std::optional<Args>... args) {
  if ((args && ...))
    return f(*args...);
  return std::nullopt;
}

/// Every access is a memory effect on its operand.
static void
addEffects(PipeOpInterface op,
           SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
               &effects) {
  SmallVector<PipeAccess> accesses;
  op.getPipeAccesses([](Value) { return std::nullopt; }, accesses);
  for (const PipeAccess &access : accesses)
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get() != access.buffer)
        continue;
      if (access.write)
        effects.emplace_back(MemoryEffects::Write::get(), &operand);
      else
        effects.emplace_back(MemoryEffects::Read::get(), &operand);
      break;
    }
}

#define ASCEND_PIPE_OP(Op, ThePipe)                                            \
  Pipe Op::getPipe() { return Pipe::ThePipe; }                                 \
  void Op::getEffects(                                                         \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>      \
          &effects) {                                                          \
    addEffects(*this, effects);                                                \
  }                                                                            \
  void Op::getPipeAccesses(IndexEvaluator evaluate,                            \
                           SmallVectorImpl<PipeAccess> &accesses)

//===----------------------------------------------------------------------===//
// Scalars and copies
//===----------------------------------------------------------------------===//

ASCEND_PIPE_OP(ScalarLoadOp, S) {
  Collector(evaluate, accesses).add(getBuffer(), false, getOffset(), 1, 1, 0);
}

ASCEND_PIPE_OP(ScalarStoreOp, S) {
  Collector(evaluate, accesses).add(getBuffer(), true, getOffset(), 1, 1, 0);
}

ASCEND_PIPE_OP(Nd2NzOp, MTE2) {
  Collector add(evaluate, accesses);
  add.add(getSource(), false, getSourceOffset(), add(getRows()),
          add(getColumns()), add(getStride()));
  // A column of fractals holds 32 bytes of each row, next to each other.
  int64_t c0 = 32 / bytesOf(getTarget());
  auto scale = [&](int64_t n) { return n * c0; };
  auto groups = [&](int64_t n) { return llvm::divideCeil(n, c0); };
  add.add(getTarget(), true, getTargetOffset(), lift(groups, add(getColumns())),
          lift(scale, add(getRows())), lift(scale, add(getPitch())));
}

/// Bursts of blocks of 32 bytes with gaps between them.
static void addBursts(Collector &add, Value buffer, bool write, Value offset,
                      Value bursts, Value blocks, Value gap) {
  int64_t block = 32 / bytesOf(buffer);
  add.add(buffer, write, offset, add(bursts),
          lift([&](int64_t n) { return n * block; }, add(blocks)),
          lift([&](int64_t n, int64_t g) { return (n + g) * block; },
               add(blocks), add(gap)));
}

ASCEND_PIPE_OP(CopyToL1Op, MTE2) {
  Collector add(evaluate, accesses);
  addBursts(add, getSource(), false, getSourceOffset(), getBursts(),
            getBlocks(), getSourceGap());
  addBursts(add, getTarget(), true, getTargetOffset(), getBursts(), getBlocks(),
            getTargetGap());
}

ASCEND_PIPE_OP(FillL1Op, MTE2) {
  Collector add(evaluate, accesses);
  addBursts(add, getTarget(), true, getTargetOffset(), getRepeat(), getBlocks(),
            getGap());
}

ASCEND_PIPE_OP(LoadOp, MTE2) {
  Collector add(evaluate, accesses);
  add.add(getSource(), false, getSourceOffset(), add(getRows()),
          add(getColumns()), add(getStride()));
  // The rest of the last block of a row is written too.
  int64_t block = 32 / bytesOf(getTarget());
  add.add(getTarget(), true, getTargetOffset(), add(getRows()),
          lift([&](int64_t n) { return llvm::divideCeil(n, block) * block; },
               add(getColumns())),
          add(getPitch()));
}

ASCEND_PIPE_OP(StoreOp, MTE3) {
  Collector add(evaluate, accesses);
  add.add(getSource(), false, getSourceOffset(), add(getRows()),
          add(getColumns()), add(getPitch()));
  add.add(getTarget(), true, getTargetOffset(), add(getRows()),
          add(getColumns()), add(getStride()));
}

//===----------------------------------------------------------------------===//
// The matrix unit
//===----------------------------------------------------------------------===//

ASCEND_PIPE_OP(LoadL0Op, MTE1) {
  Collector add(evaluate, accesses);
  int64_t fractal = 512 / bytesOf(getTarget());
  auto scale = [&](int64_t n) { return n * fractal; };
  add.add(getSource(), false, getSourceOffset(), add(getRepeat()), fractal,
          lift(scale, add(getStride())));
  add.add(getTarget(), true, getTargetOffset(), add(getRepeat()), fractal,
          lift([&](int64_t n) { return (n + 1) * fractal; }, add(getGap())));
}

ASCEND_PIPE_OP(MmaOp, M) {
  Collector add(evaluate, accesses);
  int64_t c0 = 32 / bytesOf(getA());
  // Whole fractals of 16 rows and `c0` columns of `k`.
  auto area = [](int64_t unit) {
    return [unit](int64_t rows, int64_t columns) {
      return int64_t(llvm::alignTo(rows, 16) * llvm::alignTo(columns, unit));
    };
  };
  add.add(getA(), false, getAOffset(), 1,
          lift(area(c0), add(getM()), add(getK())), 0);
  add.add(getB(), false, getBOffset(), 1,
          lift(area(c0), add(getN()), add(getK())), 0);
  std::optional<int64_t> c = lift(area(16), add(getM()), add(getN()));
  if (evaluate(getInit()).value_or(0) == 0)
    add.add(getC(), false, getCOffset(), 1, c, 0);
  add.add(getC(), true, getCOffset(), 1, c, 0);
}

ASCEND_PIPE_OP(FixpipeOp, FIX) {
  Collector add(evaluate, accesses);
  add.add(getSource(), false, getSourceOffset(),
          lift([](int64_t n) { return llvm::divideCeil(n, 16); }, add(getN())),
          lift([](int64_t m) { return m * 16; }, add(getM())),
          lift([](int64_t p) { return p * 16; }, add(getPitch())));
  add.add(getTarget(), true, getTargetOffset(), add(getM()), add(getN()),
          add(getStride()));
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Operand number `index` of an instruction in count or norm form. `widest` is
/// the size of its widest element: a repeat has 8 blocks of those.
template <typename OpTy>
static void addVector(Collector &add, OpTy op, size_t index, Value buffer,
                      bool write, Value offset, int64_t widest) {
  if (!op.getRepeat())
    return add.add(buffer, write, offset, 1, add(op.getCount()), 0);
  int64_t bytes = bytesOf(buffer), block = 32 / bytes;
  int64_t blocks = op.getBlocks()->data()[index];
  // The block of `n`th element and its place there; narrow operands of a
  // conversion have fewer than 8 blocks a repeat.
  auto length = [&](int64_t n) -> int64_t {
    n = std::min(n, 256 / widest);
    return n == 0 ? 0 : (n - 1) / block * blocks * block + (n - 1) % block + 1;
  };
  // Blocks that lie on each other or apart: all that is between them.
  auto cover = [&](int64_t n) -> int64_t {
    return std::max(length(n), std::min(n, block));
  };
  add.add(buffer, write, offset, add(op.getRepeat()),
          lift(cover, add(op.getCount())),
          op.getRepeats()->data()[index] * block);
}

ASCEND_PIPE_OP(VUnaryOp, V) {
  Collector add(evaluate, accesses);
  int64_t size = bytesOf(getTarget());
  addVector(add, *this, 1, getSource(), false, getSourceOffset(), size);
  addVector(add, *this, 0, getTarget(), true, getTargetOffset(), size);
}

ASCEND_PIPE_OP(VBinaryOp, V) {
  Collector add(evaluate, accesses);
  int64_t size = bytesOf(getTarget());
  addVector(add, *this, 1, getLhs(), false, getLhsOffset(), size);
  addVector(add, *this, 2, getRhs(), false, getRhsOffset(), size);
  addVector(add, *this, 0, getTarget(), true, getTargetOffset(), size);
}

ASCEND_PIPE_OP(VScalarOp, V) {
  Collector add(evaluate, accesses);
  int64_t size = bytesOf(getTarget());
  addVector(add, *this, 1, getSource(), false, getSourceOffset(), size);
  addVector(add, *this, 0, getTarget(), true, getTargetOffset(), size);
}

ASCEND_PIPE_OP(VDupOp, V) {
  Collector add(evaluate, accesses);
  addVector(add, *this, 0, getTarget(), true, getTargetOffset(),
            bytesOf(getTarget()));
}

ASCEND_PIPE_OP(VConvertOp, V) {
  Collector add(evaluate, accesses);
  int64_t size = std::max(bytesOf(getTarget()), bytesOf(getSource()));
  addVector(add, *this, 1, getSource(), false, getSourceOffset(), size);
  addVector(add, *this, 0, getTarget(), true, getTargetOffset(), size);
}

ASCEND_PIPE_OP(VReduceOp, V) {
  Collector add(evaluate, accesses);
  int64_t block = 32 / bytesOf(getSource());
  int64_t values = getByBlock() ? 8 : 1;
  add.add(getSource(), false, getSourceOffset(), add(getRepeat()),
          add(getCount()), int64_t(getStride()) * block);
  add.add(getTarget(), true, getTargetOffset(), add(getRepeat()), values,
          int64_t(getTargetStride()) * values);
}

ASCEND_PIPE_OP(VBroadcastOp, V) {
  Collector add(evaluate, accesses);
  int64_t block = 32 / bytesOf(getSource());
  auto times = [](int64_t factor) {
    return [factor](int64_t n) { return n * factor; };
  };
  add.add(getSource(), false, getSourceOffset(), 1,
          lift(times(8), add(getRepeat())), 0);
  add.add(getTarget(), true, getTargetOffset(), 1,
          lift(times(8 * block), add(getRepeat())), 0);
}

/// All elements of some repeats of 256 bytes, and their bits.
static void addRepeats(Collector &add, Value buffer, bool write, Value offset,
                       Value repeat, int64_t elements) {
  add.add(buffer, write, offset, 1,
          lift([&](int64_t n) { return n * elements; }, add(repeat)), 0);
}

ASCEND_PIPE_OP(VCompareOp, V) {
  Collector add(evaluate, accesses);
  int64_t lanes = 256 / bytesOf(getLhs());
  addRepeats(add, getLhs(), false, getLhsOffset(), getRepeat(), lanes);
  addRepeats(add, getRhs(), false, getRhsOffset(), getRepeat(), lanes);
  addRepeats(add, getTarget(), true, getTargetOffset(), getRepeat(), lanes / 8);
}

ASCEND_PIPE_OP(VSelectOp, V) {
  Collector add(evaluate, accesses);
  int64_t lanes = 256 / bytesOf(getTarget());
  addRepeats(add, getBits(), false, getBitsOffset(), getRepeat(), lanes / 8);
  addRepeats(add, getLhs(), false, getLhsOffset(), getRepeat(), lanes);
  addRepeats(add, getRhs(), false, getRhsOffset(), getRepeat(), lanes);
  addRepeats(add, getTarget(), true, getTargetOffset(), getRepeat(), lanes);
}

ASCEND_PIPE_OP(UbCopyOp, V) {
  Collector add(evaluate, accesses);
  addBursts(add, getSource(), false, getSourceOffset(), getBursts(),
            getBlocks(), getSourceGap());
  addBursts(add, getTarget(), true, getTargetOffset(), getBursts(), getBlocks(),
            getTargetGap());
}
