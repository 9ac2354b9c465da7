//===- LowerGemm.cpp - Matrix products ------------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// On tensor cores, a warp owns 16 x 16 blocks of c and reads the operands with
// ldmatrix.x4, 16 x 16 at a time. With q = lane / 8 and i = lane mod 8, lane
// addresses row i of 8 x 8 matrix q (PTX ISA, "ldmatrix"); result register r of
// the lane holds row lane / 4, columns 2 * (lane mod 4) and the next of matrix
// r, or, with .trans, the transposed. For mma.m16n8k16 (PTX ISA, "Matrix
// Fragments")
//   A register r: row + 8 * (r mod 2), k + 8 * (r / 2)
//   B register r of columns n: k + 8 * r
// so the order of the matrices depends only on which of the two dimensions of
// the stored tile k is.
//
//===----------------------------------------------------------------------===//

#include "IndexFacts.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

//===----------------------------------------------------------------------===//
// Sums, wherever they are
//===----------------------------------------------------------------------===//

namespace {

/// The elements of c that a thread holds, in registers of a fragment or,
/// between reading and writing them back, of a shared tile.
class Sums {
public:
  Sums(Lowering &l, Emitter &e, Buffer c, ThreadLayout layout)
      : l(l), e(e), c(std::move(c)), layout(std::move(layout)) {}

  const ThreadLayout &getLayout() const { return layout; }
  /// False for padding.
  bool exists(int64_t number) const {
    for (auto [at, extent] :
         llvm::zip_equal(layout.getOffset(number), c.type.getShape()))
      if (at >= extent)
        return false;
    return true;
  }
  Value load(int64_t number) {
    if (c.isFragment())
      return l.loadRegister(e, c, number);
    SmallVector<Value> at = getIndices(number);
    return e.pick(
        getCondition(at), [&] { return l.load(e, c, at); },
        [&] { return e.constant(c.element()); });
  }
  void store(int64_t number, Value value) {
    if (c.isFragment())
      return l.storeRegister(e, value, c, number);
    SmallVector<Value> at = getIndices(number);
    e.when(getCondition(at), [&] { l.store(e, value, c, at); });
  }
  SmallVector<Value> getIndices(int64_t number) {
    SmallVector<Value> at;
    for (auto [base, offset] : llvm::zip_equal(l.getThreadCoordinates(layout),
                                               layout.getOffset(number)))
      at.push_back(e.add(base, e.index(offset)));
    return at;
  }

  /// One thread of those that hold an element reads and writes it: another one
  /// might read what was written already.
  Value getCondition(ArrayRef<Value> at) {
    Value cond = e.boolean(true);
    for (auto [i, extent] : llvm::zip_equal(at, c.type.getShape()))
      cond = e.both(cond, e.isInside(i, e.index(extent)));
    if (Value owner = l.getOwner(layout))
      cond = e.both(cond, owner);
    return cond;
  }

private:
  Lowering &l;
  Emitter &e;
  Buffer c;
  ThreadLayout layout;
};

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

/// Reads 16 x 16 blocks of one operand.
class OperandReader {
public:
  /// `kIsRow`: k is the first dimension of the tile. `isA`: the operand is a.
  /// `warp`: the number of this warp along the other dimension, of `numWarps`.
  OperandReader(Lowering &l, Emitter &e, Buffer tile, bool kIsRow, bool isA,
                Value warp, int64_t numWarps)
      : l(l), e(e), tile(std::move(tile)), kIsRow(kIsRow), isA(isA), warp(warp),
        numWarps(numWarps) {}

  /// Block `block` of this warp at step `step` of k: <4x2xT>.
  Value read(int64_t block, int64_t step);

private:
  Value getBase(int64_t columnBits);

  Lowering &l;
  Emitter &e;
  Buffer tile;
  bool kIsRow, isA;
  Value warp;
  int64_t numWarps;
  llvm::DenseMap<int64_t, Value> bases;
};

} // namespace

/// The element that this lane addresses in block 0 of step 0, where the
/// constant part of the column is `columnBits` in the bits that the swizzle
/// changes. It is computed once, at the entry of the kernel.
Value OperandReader::getBase(int64_t columnBits) {
  Value &base = bases[columnBits];
  if (base)
    return base;
  Emitter entry = l.atEntry(e.getLoc());
  Value lane = entry.createOrFold<arith::AndIOp>(l.getThreadId(),
                                                 entry.index(int64_t(31)));
  // Matrix 1 is behind matrix 0 along rows if k is a column for a, or a row for
  // b (k + 8 is B's second register); else matrix 2 is.
  bool rowsFirst = isA != kIsRow;
  LayoutBasis low[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 8}};
  LayoutBasis high[] = {{0, 1}, {0, 2}, {0, 4}, {1, 8}, {0, 8}};
  ArrayRef<LayoutBasis> bits = rowsFirst ? low : high;
  Value row = entry.gather(lane, bits, 0);
  Value column = entry.gather(lane, bits, 1);
  Value start = entry.mul(warp, entry.index(int64_t(16)));
  if (kIsRow)
    column = entry.add(column, start);
  const SharedLayout &layout = tile.shared;
  if (layout.isSwizzled()) {
    // Rows of a block start at multiples of 16: only the lane decides.
    Value mask = entry.createOrFold<arith::ShRUIOp>(
        entry.createOrFold<arith::AndIOp>(lane, entry.index(int64_t(7))),
        entry.index(int64_t(llvm::Log2_64(layout.rowsPerPhase))));
    mask =
        entry.createOrFold<arith::AndIOp>(mask, entry.index(layout.phases - 1));
    mask = entry.createOrFold<arith::ShLIOp>(
        mask, entry.index(int64_t(llvm::Log2_64(layout.chunk))));
    column = entry.createOrFold<arith::XOrIOp>(column, mask);
    column = entry.createOrFold<arith::XOrIOp>(column, entry.index(columnBits));
  }
  if (!kIsRow)
    row = entry.add(row, start);
  int64_t width = tile.type.getDimSize(1);
  return base = entry.add(entry.mul(row, entry.index(width)), column);
}

Value OperandReader::read(int64_t block, int64_t step) {
  int64_t other = 16 * numWarps * block, k = 16 * step;
  int64_t row = kIsRow ? k : other, column = kIsRow ? other : k;
  // The column is (constant + thread part) xor row bits. The two parts have no
  // bit in common, so the low bits of the constant can be put in by xor, and
  // the others added.
  const SharedLayout &layout = tile.shared;
  int64_t columnBits =
      layout.isSwizzled() ? column & (layout.phases * layout.chunk - 1) : 0;
  int64_t constant = row * tile.type.getDimSize(1) + (column - columnBits);
  Value at = getBase(columnBits);
  if (tile.offset)
    at = e.add(tile.offset, at);
  at = e.add(at, e.index(constant));
  auto type = VectorType::get({4, 2}, tile.element());
  // Registers hold pairs along k.
  return nvgpu::LdMatrixOp::create(e, type, tile.memref, ValueRange{at},
                                   /*transpose=*/kIsRow, /*numTiles=*/4);
}

/// Columns 8 * half and on of a block of b: <2x2xT>.
static Value getHalf(Emitter &e, Value block, int64_t half) {
  Type element = cast<VectorType>(block.getType()).getElementType();
  auto type = VectorType::get({2, 2}, element);
  Value result = arith::ConstantOp::create(
      e, DenseElementsAttr::get(type, e.getZeroAttr(element)));
  for (int64_t i : {0, 1})
    result = vector::InsertOp::create(
        e, vector::ExtractOp::create(e, block, 2 * half + i).getResult(),
        result, i);
  return result;
}

static void emitMma(Lowering &l, Emitter &e, tile::GemmOp op, MmaShape shape,
                    Sums sums) {
  Emitter entry = l.atEntry(op.getLoc());
  Value warp = entry.createOrFold<arith::ShRUIOp>(l.getThreadId(),
                                                  entry.index(int64_t(5)));
  auto masked = [&](Value value, int64_t count) -> Value {
    return entry.createOrFold<arith::AndIOp>(value, entry.index(count - 1));
  };
  Value warpN = masked(warp, shape.warpsN);
  Value warpM =
      masked(entry.createOrFold<arith::ShRUIOp>(
                 warp, entry.index(int64_t(llvm::Log2_64(shape.warpsN)))),
             shape.warpsM);
  OperandReader readA(l, e, l.resolve(e, op.getA()), op.getTransposeA(),
                      /*isA=*/true, warpM, shape.warpsM);
  OperandReader readB(l, e, l.resolve(e, op.getB()), !op.getTransposeB(),
                      /*isA=*/false, warpN, shape.warpsN);
  int64_t blocksM = shape.m / (16 * shape.warpsM);
  int64_t blocksN = shape.n / (16 * shape.warpsN);
  auto pair = VectorType::get({2, 2}, e.getF32Type());
  auto numberOf = [&](int64_t i, int64_t j, int64_t d) {
    // Element d of the sums of 16 x 8: row + 8 * (d / 2), column + d mod 2.
    return sums.getLayout().getRegister(
        {16 * shape.warpsM * i + 8 * (d >> 1),
         16 * shape.warpsN * (j / 2) + 8 * (j % 2) + (d & 1)});
  };
  SmallVector<Value> acc;
  for (int64_t i = 0; i < blocksM; ++i)
    for (int64_t j = 0; j < 2 * blocksN; ++j) {
      SmallVector<Value> elements;
      for (int64_t d = 0; d < 4; ++d)
        elements.push_back(op.getClear() ? e.constant(e.getF32Type())
                                         : sums.load(numberOf(i, j, d)));
      acc.push_back(vector::FromElementsOp::create(e, pair, elements));
    }
  for (int64_t step = 0; step < shape.k / 16; ++step) {
    SmallVector<Value> a, b;
    for (int64_t i = 0; i < blocksM; ++i)
      a.push_back(readA.read(i, step));
    for (int64_t j = 0; j < blocksN; ++j) {
      Value block = readB.read(j, step);
      b.push_back(getHalf(e, block, 0));
      b.push_back(getHalf(e, block, 1));
    }
    for (auto [number, sum] : llvm::enumerate(acc))
      sum = nvgpu::MmaSyncOp::create(e, a[number / b.size()],
                                     b[number % b.size()], sum,
                                     ArrayRef<int64_t>{16, 8, 16});
  }
  for (auto [number, sum] : llvm::enumerate(acc))
    for (int64_t d = 0; d < 4; ++d)
      sums.store(
          numberOf(number / (2 * blocksN), number % (2 * blocksN), d),
          vector::ExtractOp::create(e, sum, ArrayRef<int64_t>{d >> 1, d & 1}));
  ++l.numMma;
}

//===----------------------------------------------------------------------===//
// Multiply and add
//===----------------------------------------------------------------------===//

static Value multiplyAdd(Emitter &e, Value x, Value y, Value sum) {
  Type type = sum.getType();
  if (!isa<FloatType>(type))
    return e.createOrFold<arith::AddIOp>(e.createOrFold<arith::MulIOp>(x, y),
                                         sum);
  if (type.isF32() || type.isF64())
    return math::FmaOp::create(e, x, y, sum);
  return arith::AddFOp::create(e, arith::MulFOp::create(e, x, y), sum);
}

/// Each thread computes the elements it holds, in ascending order of k; it
/// reads each row of a and column of b that it needs once a step.
static void emitScalar(Lowering &l, Emitter &e, tile::GemmOp op, Sums sums) {
  Buffer a = l.resolve(e, op.getA()), b = l.resolve(e, op.getB());
  Buffer c = l.resolve(e, op.getC());
  int64_t count = sums.getLayout().getNumRegisters();
  // Sums of a shared tile stay in registers over k.
  Emitter entry = l.atEntry(op.getLoc());
  Buffer held = c;
  if (!c.isFragment()) {
    held.kind = Buffer::Kind::Fragment;
    auto space =
        gpu::AddressSpaceAttr::get(e.getContext(), gpu::AddressSpace::Private);
    held.memref = memref::AllocaOp::create(
        entry, MemRefType::get({count}, c.element(),
                               MemRefLayoutAttrInterface(), space));
  }
  for (int64_t number = 0; number < count; ++number)
    if (sums.exists(number) && (op.getClear() || !c.isFragment()))
      l.storeRegister(
          e, op.getClear() ? e.constant(c.element()) : sums.load(number), held,
          number);
  Value depth = e.dim(op.getA(), op.getTransposeA() ? 0 : 1);
  e.loop(e.index(int64_t(0)), depth, e.index(int64_t(1)), true, [&](Value k) {
    llvm::DenseMap<int64_t, Value> rows, columns;
    auto read = [&](llvm::DenseMap<int64_t, Value> &known, int64_t offset,
                    Value at, const Buffer &buffer, int64_t extent,
                    bool kFirst) {
      Value &value = known[offset];
      if (value)
        return value;
      Value loaded = e.pick(
          e.isInside(at, e.index(extent)),
          [&] {
            return l.load(e, buffer,
                          kFirst ? ValueRange{k, at} : ValueRange{at, k});
          },
          [&] { return e.constant(buffer.element()); });
      return value = e.convert(loaded, c.element());
    };
    for (int64_t number = 0; number < count; ++number) {
      if (!sums.exists(number))
        continue;
      SmallVector<int64_t> offset = sums.getLayout().getOffset(number);
      SmallVector<Value> at = sums.getIndices(number);
      Value x = read(rows, offset[0], at[0], a, c.type.getDimSize(0),
                     op.getTransposeA());
      Value y = read(columns, offset[1], at[1], b, c.type.getDimSize(1),
                     !op.getTransposeB());
      l.storeRegister(e, multiplyAdd(e, x, y, l.loadRegister(e, held, number)),
                      held, number);
    }
  });
  if (c.isFragment())
    return;
  for (int64_t number = 0; number < count; ++number)
    if (sums.exists(number))
      sums.store(number, l.loadRegister(e, held, number));
}

/// The same in loops: for a shared tile of which a thread has more elements than
/// it has registers. Threads keep to their elements, as barriers expect.
static void emitInLoops(Lowering &l, Emitter &e, tile::GemmOp op, Sums sums) {
  Buffer a = l.resolve(e, op.getA()), b = l.resolve(e, op.getB());
  Buffer c = l.resolve(e, op.getC());
  Value depth = e.dim(op.getA(), op.getTransposeA() ? 0 : 1);
  auto emitElement = [&](ArrayRef<Value> at) {
    Value row = at[0], column = at[1];
    Value first = op.getClear() ? e.constant(c.element()) : l.load(e, c, at);
    auto loop = scf::ForOp::create(e, e.index(int64_t(0)), depth,
                                   e.index(int64_t(1)), ValueRange{first});
    {
      OpBuilder::InsertionGuard guard(e);
      e.setInsertionPointToStart(loop.getBody());
      Value k = loop.getInductionVar();
      Value x = l.load(e, a, op.getTransposeA() ? ValueRange{k, row}
                                                : ValueRange{row, k});
      Value y = l.load(e, b, op.getTransposeB() ? ValueRange{column, k}
                                                : ValueRange{k, column});
      Value sum = multiplyAdd(e, e.convert(x, c.element()),
                              e.convert(y, c.element()),
                              loop.getRegionIterArg(0));
      scf::YieldOp::create(e, sum);
    }
    l.store(e, loop.getResult(0), c, at);
  };
  l.distribute(e, sums.getLayout(), 1, /*maxUnrolled=*/1,
               [&](int64_t, ArrayRef<Value> at) {
                 e.when(sums.getCondition(at), [&] { emitElement(at); });
               });
}

ThreadLayout nvidia::getSumsLayout(Lowering &l, tile::GemmOp op) {
  if (std::optional<MmaShape> mma = getMmaShape(op, l.numThreads))
    return ThreadLayout::getMma(mma->m, mma->n, l.numThreads, mma->warpsM,
                                mma->warpsN);
  auto type = cast<MemRefType>(op.getC().getType());
  return ThreadLayout::getBlocked(type.getShape(), l.numThreads, 4);
}

LogicalResult nvidia::lower(Lowering &l, tile::GemmOp op) {
  Emitter e = l.at(op);
  Buffer c = l.resolve(e, op.getC());
  if (!c.type.hasStaticShape())
    return op.emitOpError("cannot be lowered to NVIDIA: shape of the result ")
           << c.type << " is not static";
  std::string whyNot;
  std::optional<MmaShape> mma = getMmaShape(op, l.numThreads, &whyNot);
  ThreadLayout layout = c.isFragment() ? *c.layout : getSumsLayout(l, op);
  if (mma && layout != ThreadLayout::getMma(mma->m, mma->n, l.numThreads,
                                            mma->warpsM, mma->warpsN)) {
    mma = std::nullopt;
    whyNot = "another gemm decides on the distribution of the sums";
  }
  Sums sums(l, e, c, layout);
  if (mma) {
    emitMma(l, e, op, *mma, sums);
  } else {
    l.remark(op, "gemm does not use tensor cores: " + whyNot);
    if (!c.isFragment() && layout.getNumRegisters() > kMaxRegisters)
      emitInLoops(l, e, op, sums);
    else
      emitScalar(l, e, op, sums);
  }
  op.erase();
  return success();
}
