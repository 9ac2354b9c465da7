//===- LowerGemm.cpp - Gemms as loads into L0 and matrix instructions -----===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles lie in L1 as columns of fractals: fractal (i, j) of a tile with R rows
// of fractals is number j * R + i. L0A wants the fractals of a row next to each
// other, L0B those of a row of k; the fractals of a transposed operand are
// transposed on the way. k is split into steps that use two slots of L0 in
// turn, so that the loads of one step run while the other multiplies.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "Lowering.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;
using tile::MemorySpace;

/// Bytes of one of two slots of L0A or L0B.
static constexpr int64_t kL0SlotBytes = 32 * 1024;
/// Bytes of a fractal.
static constexpr int64_t kFractalBytes = 512;
/// Fractals that one load may move.
static constexpr int64_t kMaxRepeat = 255;

//===----------------------------------------------------------------------===//
// One gemm
//===----------------------------------------------------------------------===//

namespace {

/// Emits the instructions of one gemm.
class GemmEmitter {
public:
  GemmEmitter(Lowering &l, tile::GemmOp op)
      : l(l), op(op), e(op.getLoc(), op),
        element(op.getA().getType().getElementType()) {}

  LogicalResult run();

private:
  InFlightDiagnostic error() {
    return op.emitOpError("cannot be lowered to Ascend: ");
  }
  LogicalResult check();
  LogicalResult checkTypes();
  /// A slot of L0 with room for `rows` times a step of k.
  Value getSlot(StringRef name, MemorySpace space, int64_t rows, int64_t slot);
  Value at(Value offset, int64_t fractal) {
    return e.add(offset, e.index(fractal * fractalElements));
  }
  void load(const Place &from, int64_t first, Value to, int64_t target,
            int64_t repeat, int64_t stride, bool transpose, int64_t gap = 0);
  void loadA(Value to, int64_t firstK, int64_t numK);
  void loadB(Value to, int64_t firstK, int64_t numK);

  Lowering &l;
  tile::GemmOp op;
  Emitter e;
  Type element;
  Place a, b, c;
  int64_t m = 0, n = 0, k = 0;
  /// Elements of k in a fractal, and of a fractal.
  int64_t c0 = 0, fractalElements = 0;
  /// Fractals of k in a step.
  int64_t stepK = 0;
};

} // namespace

LogicalResult GemmEmitter::checkTypes() {
  Type other = op.getB().getType().getElementType();
  Type sums = op.getC().getType().getElementType();
  if (element != other)
    return error() << "operands of " << element << " and " << other;
  bool floats =
      (element.isF16() || element.isBF16() || element.isF32()) && sums.isF32();
  if (!floats && !(element.isInteger(8) && sums.isInteger(32)))
    return error() << "operands of " << element << " and sums of " << sums
                   << ", supported are f16, bf16 and f32 with sums of f32, and "
                      "i8 with sums of i32";
  bool transposes = op.getTransposeA() || !op.getTransposeB();
  if (transposes && getElementBytes(element) != 2)
    return error()
           << "operands of " << element
           << " must be [m, k] and [n, k]: only elements of 2 bytes are "
              "transposed on the way to L0";
  return success();
}

LogicalResult GemmEmitter::check() {
  if (getSpace(op.getA()) != MemorySpace::L1 ||
      getSpace(op.getB()) != MemorySpace::L1 ||
      getSpace(op.getC()) != MemorySpace::L0C)
    return error() << "operands must be in l1 and sums in l0c, got "
                   << stringifyMemorySpace(getSpace(op.getA())) << ", "
                   << stringifyMemorySpace(getSpace(op.getB())) << " and "
                   << stringifyMemorySpace(getSpace(op.getC()));
  for (Value operand : {op.getA(), op.getB(), op.getC()})
    if (!cast<MemRefType>(operand.getType()).hasStaticShape() ||
        !cast<MemRefType>(operand.getType()).getLayout().isIdentity())
      return error() << "an operand that is no whole tile: "
                     << operand.getType();
  if (failed(checkTypes()))
    return failure();
  ArrayRef<int64_t> shapeA = cast<MemRefType>(op.getA().getType()).getShape();
  ArrayRef<int64_t> shapeC = cast<MemRefType>(op.getC().getType()).getShape();
  m = shapeC[0], n = shapeC[1], k = shapeA[op.getTransposeA() ? 0 : 1];
  c0 = kBlockBytes / getElementBytes(element);
  fractalElements = kFractalBytes / getElementBytes(element);
  if (m % kFractal != 0 || n % kFractal != 0 || k % c0 != 0 ||
      (getElementBytes(element) == 2 && k % kFractal != 0))
    return error() << "a gemm of " << m << " x " << n << " x " << k
                   << ", supported are multiples of " << kFractal << " x "
                   << kFractal << " x " << c0;
  int64_t most = kL0SlotBytes / kFractalBytes / (std::max(m, n) / kFractal);
  if (most == 0 || m > 4095 || n > 4095)
    return error() << "a gemm of " << m << " x " << n
                   << " has no room in L0 for a step of k; at most "
                   << kL0SlotBytes / kFractalBytes * kFractal
                   << " rows and columns fit";
  // An even number of steps keeps the two slots in turn from gemm to gemm.
  int64_t numK = k / c0, steps = llvm::divideCeil(numK, most);
  steps =
      std::min<int64_t>(llvm::alignTo(std::max<int64_t>(steps, 2), 2), numK);
  stepK = llvm::divideCeil(numK, steps);
  return success();
}

Value GemmEmitter::getSlot(StringRef name, MemorySpace space, int64_t rows,
                           int64_t slot) {
  Value buffer =
      l.getBuffer(name, getBufferType({2, rows, stepK * c0}, element, space));
  return tile::SlotOp::create(e, buffer, e.index(slot));
}

void GemmEmitter::load(const Place &from, int64_t first, Value to,
                       int64_t target, int64_t repeat, int64_t stride,
                       bool transpose, int64_t gap) {
  Value zero = e.index(int64_t(0));
  for (int64_t done = 0; done < repeat; done += kMaxRepeat) {
    int64_t now = std::min(repeat - done, kMaxRepeat);
    LoadL0Op::create(e, from.buffer, at(from.offset, first + done * stride), to,
                     at(zero, target + done * (gap + 1)), e.index(now),
                     e.index(stride), e.index(gap), transpose);
  }
}

void GemmEmitter::loadA(Value to, int64_t firstK, int64_t numK) {
  int64_t rows = m / kFractal, allK = k / c0;
  // Distances in L1 from one row, or one k, of fractals to the next.
  int64_t nextRow = op.getTransposeA() ? allK : 1,
          nextK = op.getTransposeA() ? 1 : rows;
  bool transpose = op.getTransposeA();
  // One load for each k, or one for each row: whichever are fewer.
  if (numK < rows) {
    for (int64_t i = 0; i < numK; ++i)
      load(a, (firstK + i) * nextK, to, i, rows, nextRow, transpose, numK - 1);
    return;
  }
  for (int64_t row = 0; row < rows; ++row)
    load(a, row * nextRow + firstK * nextK, to, row * numK, numK, nextK,
         transpose);
}

void GemmEmitter::loadB(Value to, int64_t firstK, int64_t numK) {
  int64_t columns = n / kFractal, allK = k / c0;
  if (op.getTransposeB())
    return load(b, firstK * columns, to, 0, numK * columns, 1, false);
  for (int64_t i = 0; i < numK; ++i)
    load(b, firstK + i, to, i * columns, columns, allK, true);
}

LogicalResult GemmEmitter::run() {
  if (failed(check()))
    return failure();
  FailureOr<Place> placeA = getPlace(e, op.getA(), op),
                   placeB = getPlace(e, op.getB(), op),
                   placeC = getPlace(e, op.getC(), op);
  if (failed(placeA) || failed(placeB) || failed(placeC))
    return failure();
  a = *placeA, b = *placeB, c = *placeC;
  Value init = l.init.lookup(op);
  if (!init)
    init = e.boolean(op.getClear());
  Value zero = e.index(int64_t(0));
  int64_t slot = 0;
  for (int64_t done = 0; done < k / c0; done += stepK, slot = 1 - slot) {
    int64_t now = std::min(stepK, k / c0 - done);
    Value toA = getSlot("l0a", MemorySpace::L0A, m, slot);
    Value toB = getSlot("l0b", MemorySpace::L0B, n, slot);
    loadA(toA, done, now);
    loadB(toB, done, now);
    MmaOp::create(e, c.buffer, c.offset, toA, zero, toB, zero, e.index(m),
                  e.index(now * c0), e.index(n), init);
    init = e.boolean(false);
  }
  return success();
}

LogicalResult ascend::lower(Lowering &l, tile::GemmOp op) {
  return GemmEmitter(l, op).run();
}

//===----------------------------------------------------------------------===//
// Who starts the sums
//===----------------------------------------------------------------------===//

static bool isZeroFill(tile::FillOp op) {
  return matchPattern(op.getValue(), m_AnyZeroFloat()) ||
         matchPattern(op.getValue(), m_Zero());
}

/// The condition under which `gemm`, the first one after `fill`, starts the
/// sums; null if it may not run at all.
static Value getInitOfFirst(tile::FillOp fill, tile::GemmOp gemm) {
  Block *block = fill->getBlock();
  OpBuilder b(gemm);
  if (gemm->getBlock() == block)
    return arith::ConstantIntOp::create(b, gemm.getLoc(), 1, 1);
  auto loop = dyn_cast<scf::ForOp>(gemm->getParentOp());
  if (!loop || loop->getBlock() != block)
    return {};
  IndexRange lower = getRange(loop.getLowerBound()),
             upper = getRange(loop.getUpperBound());
  if (lower.high >= upper.low)
    return {};
  return arith::CmpIOp::create(b, gemm.getLoc(), arith::CmpIPredicate::eq,
                               loop.getInductionVar(), loop.getLowerBound());
}

static void analyzeInit(Lowering &l, tile::AllocOp sums) {
  SmallVector<Operation *> writes;
  l.launch.walk([&](Operation *op) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op);
        gemm && gemm.getC() == sums.getResult())
      writes.push_back(op);
    if (auto fill = dyn_cast<tile::FillOp>(op);
        fill && fill.getTarget() == sums.getResult())
      writes.push_back(op);
  });
  if (llvm::count_if(writes, llvm::IsaPred<tile::FillOp>) != 1)
    return;
  auto *at = llvm::find_if(writes, llvm::IsaPred<tile::FillOp>);
  auto fill = cast<tile::FillOp>(*at);
  if (++at == writes.end() || !isZeroFill(fill))
    return;
  auto gemm = cast<tile::GemmOp>(*at);
  Block *block = fill->getBlock();
  Operation *top = block->findAncestorOpInBlock(*gemm);
  if (!top || !fill->isBeforeInBlock(top))
    return;
  // Nobody may look at the sums between the two.
  bool isRead = false;
  forEachUse(sums, [&](OpOperand &use) {
    Operation *user = block->findAncestorOpInBlock(*use.getOwner());
    isRead |= user && user != top && fill->isBeforeInBlock(user) &&
              user->isBeforeInBlock(top);
  });
  if (isRead)
    return;
  if (Value init = getInitOfFirst(fill, gemm)) {
    l.init[gemm] = init;
    l.impliedFills.insert(fill);
  }
}

void ascend::analyzeSums(Lowering &l) {
  SmallVector<tile::AllocOp> allocs;
  l.launch.walk([&](tile::AllocOp alloc) {
    if (getSpace(alloc) == MemorySpace::L0C)
      allocs.push_back(alloc);
  });
  for (tile::AllocOp sums : allocs) {
    analyzeInit(l, sums);
    for (Operation *user : sums->getUsers())
      if (auto map = dyn_cast<tile::MapOp>(user->getParentOp()))
        if (isReluInPlace(map, sums))
          l.clampedSums.insert(sums);
  }
}

LogicalResult ascend::lowerFillOfSums(Lowering &l, tile::FillOp op) {
  if (l.impliedFills.contains(op))
    return success();
  auto type = cast<MemRefType>(op.getTarget().getType());
  auto error = [&] { return op.emitOpError("cannot be lowered to Ascend: "); };
  if (!isZeroFill(op))
    return error() << "sums start at zero, not at another value";
  int64_t m = type.getDimSize(0), n = type.getDimSize(1);
  if (type.getRank() != 2 || m % kFractal != 0 || n % kFractal != 0 ||
      m > 4080 || n > 4080 || op.getStaticSizes() != type.getShape())
    return error() << "only whole tiles of multiples of 16 x 16 sums are "
                      "cleared, got "
                   << type;
  // L0C is only written by the matrix unit: a product of zeros.
  op.emitRemark(
      "sums start from a product of zeros, because no gemm is sure to "
      "run first");
  Emitter e(op.getLoc(), op);
  bool isFloat = isa<FloatType>(type.getElementType());
  Type element = isFloat ? Type(e.getF16Type()) : Type(e.getI8Type());
  if (!isFloat)
    return error() << "sums of integers must start with a gemm that always "
                      "runs";
  Value zeros = l.getBuffer(
      "zeros", getBufferType({kFractal, kFractal}, element, MemorySpace::L1));
  Value a = l.getBuffer(
      "l0a_zeros", getBufferType({m, kFractal}, element, MemorySpace::L0A));
  Value b = l.getBuffer(
      "l0b_zeros", getBufferType({n, kFractal}, element, MemorySpace::L0B));
  Value none = e.index(int64_t(0)), one = e.index(int64_t(1));
  FillL1Op::create(e, zeros, none, e.constant(element, 0.0), one,
                   e.index(kFractalBytes / kBlockBytes), none);
  LoadL0Op::create(e, zeros, none, a, none, e.index(m / kFractal), none, none,
                   false);
  LoadL0Op::create(e, zeros, none, b, none, e.index(n / kFractal), none, none,
                   false);
  MmaOp::create(e, op.getTarget(), none, a, none, b, none, e.index(m),
                e.index(kFractal), e.index(n), e.boolean(true));
  return success();
}
