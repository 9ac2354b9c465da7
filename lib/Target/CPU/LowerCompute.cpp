//===- LowerCompute.cpp - Fills, reductions and atomic updates ------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tilepipe/Dialect/Tile/Transforms/ExpandFloat8.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::cpu;
using tile::AtomicKind;
using tile::ReduceKind;

void cpu::lower(Lowering &l, tile::FillOp op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  auto type = cast<MemRefType>(op.getTarget().getType());
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  // A whole dense buffer is one row.
  bool isWhole = type.getRank() > 1 && type.hasStaticShape() &&
                 type.getLayout().isIdentity();
  for (auto [start, size, extent] :
       llvm::zip_equal(offsets, sizes, type.getShape()))
    isWhole &=
        getConstantIntValue(start) == 0 && getConstantIntValue(size) == extent;
  if (isWhole) {
    auto flat =
        MemRefType::get({type.getNumElements()}, type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace());
    Value row = e.memrefAt(e.pointer(op.getTarget(), e.index(0)), flat);
    e.loop(e.index(0), e.index(type.getNumElements()), e.index(1),
           [&](Value i) { memref::StoreOp::create(e, op.getValue(), row, i); });
    op.erase();
    return;
  }
  SmallVector<Value> lower, upper;
  for (auto [start, size] : llvm::zip_equal(offsets, sizes)) {
    lower.push_back(e.index(start));
    upper.push_back(e.add(lower.back(), e.index(size)));
  }
  e.nest(
      lower, upper,
      [&](ValueRange at) {
        memref::StoreOp::create(e, op.getValue(), op.getTarget(), at);
      },
      Emitter::Effort::NoUnroll);
  op.erase();
}

//===----------------------------------------------------------------------===//
// Combining functions
//===----------------------------------------------------------------------===//

/// What a reduction starts from with `clear`.
static Value neutral(Emitter &e, ReduceKind kind, Type type) {
  auto floating = dyn_cast<FloatType>(type);
  unsigned width = type.getIntOrFloatBitWidth();
  auto extreme = [&](bool lowest) -> Value {
    if (floating)
      return arith::ConstantOp::create(
          e,
          FloatAttr::get(
              floating, APFloat::getInf(floating.getFloatSemantics(), lowest)));
    return arith::ConstantOp::create(
        e, IntegerAttr::get(type, lowest ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width)));
  };
  switch (kind) {
  case ReduceKind::Prod:
    return e.constant(type, 1);
  case ReduceKind::Max:
    return extreme(/*lowest=*/true);
  case ReduceKind::Min:
    return extreme(/*lowest=*/false);
  case ReduceKind::And:
    return e.constant(type, -1);
  default:
    return e.constant(type);
  }
}

static Value absolute(Emitter &e, Value x) {
  if (isa<FloatType>(x.getType()))
    return math::AbsFOp::create(e, x);
  return math::AbsIOp::create(e, x);
}

static Value combine(Emitter &e, ReduceKind kind, Value sum, Value x) {
  bool isFloat = isa<FloatType>(x.getType());
  if (kind == ReduceKind::AbsSum || kind == ReduceKind::AbsMax)
    x = absolute(e, x);
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::AbsSum:
    return isFloat ? Value(arith::AddFOp::create(e, sum, x)) : e.add(sum, x);
  case ReduceKind::Prod:
    return isFloat ? Value(arith::MulFOp::create(e, sum, x)) : e.mul(sum, x);
  case ReduceKind::Max:
  case ReduceKind::AbsMax:
    return isFloat ? Value(arith::MaxNumFOp::create(e, sum, x)) : e.max(sum, x);
  case ReduceKind::Min:
    return isFloat ? Value(arith::MinNumFOp::create(e, sum, x)) : e.min(sum, x);
  case ReduceKind::And:
    return e.both(sum, x);
  case ReduceKind::Or:
    return arith::OrIOp::create(e, sum, x);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(e, sum, x);
  }
  llvm_unreachable("unknown reduction");
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

namespace {

class ReduceEmitter {
public:
  ReduceEmitter(Emitter &e, tile::ReduceOp op)
      : e(e), op(op), dimension(op.getDimension()), source(op.getSource()),
        target(op.getTarget()),
        type(cast<MemRefType>(target.getType()).getElementType()) {
    for (int64_t dim = 0, rank = sourceType().getRank(); dim < rank; ++dim)
      if (dim != dimension)
        outer.push_back(e.dim(source, dim));
    zero = e.index(0);
    extent = e.dim(source, dimension);
  }

  void emit() {
    dimension + 1 == sourceType().getRank() ? emitRows() : emitColumns();
  }

private:
  MemRefType sourceType() const { return cast<MemRefType>(source.getType()); }

  Value load(ValueRange at, Value k) {
    SmallVector<Value> indices(at);
    indices.insert(indices.begin() + dimension, k);
    return e.convert(memref::LoadOp::create(e, source, indices), type);
  }
  SmallVector<Value> targetIndices(ValueRange at) {
    SmallVector<Value> indices(at);
    if (cast<MemRefType>(target.getType()).getRank() == sourceType().getRank())
      indices.insert(indices.begin() + dimension, zero);
    return indices;
  }
  Value initial(ValueRange at) {
    if (op.getClear())
      return neutral(e, op.getKind(), type);
    return memref::LoadOp::create(e, target, targetIndices(at));
  }
  void emitRows();
  void emitRowBlock(ValueRange at, int64_t rows);
  void emitColumns();

  Emitter &e;
  tile::ReduceOp op;
  int64_t dimension;
  Value source, target;
  Type type;
  SmallVector<Value> outer;
  Value zero, extent;
};

} // namespace

/// Along the last dimension: several rows at a time, because the sums of one
/// row depend on each other and those of different rows do not.
void ReduceEmitter::emitRows() {
  constexpr int64_t block = 8;
  if (outer.empty())
    return emitRowBlock({}, 1);
  SmallVector<Value> lower(outer.size() - 1, zero);
  e.nest(lower, ArrayRef(outer).drop_back(), [&](ValueRange at) {
    Value rows = outer.back();
    Value whole = e.mul(e.createOrFold<arith::DivUIOp>(rows, e.index(block)),
                        e.index(block));
    auto rowsFrom = [&](int64_t count) {
      return [&, count](Value row) {
        SmallVector<Value> indices(at);
        indices.push_back(row);
        emitRowBlock(indices, count);
      };
    };
    e.loop(zero, whole, e.index(block), rowsFrom(block));
    e.loop(whole, rows, e.index(1), rowsFrom(1));
  });
}

void ReduceEmitter::emitRowBlock(ValueRange at, int64_t rows) {
  SmallVector<SmallVector<Value>> points(rows, SmallVector<Value>(at));
  SmallVector<Value> sums;
  for (auto [r, point] : llvm::enumerate(points)) {
    if (r > 0)
      point.back() = e.add(point.back(), e.index(r));
    sums.push_back(initial(point));
  }
  auto loop = scf::ForOp::create(e, zero, extent, e.index(1), sums);
  {
    OpBuilder::InsertionGuard guard(e);
    e.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next;
    for (auto [point, sum] : llvm::zip(points, loop.getRegionIterArgs()))
      next.push_back(
          combine(e, op.getKind(), sum, load(point, loop.getInductionVar())));
    scf::YieldOp::create(e, next);
  }
  for (auto [point, sum] : llvm::zip(points, loop.getResults()))
    memref::StoreOp::create(e, sum, target, targetIndices(point));
}

/// Along another dimension: the innermost loop stays contiguous.
void ReduceEmitter::emitColumns() {
  SmallVector<Value> lower(outer.size(), zero);
  if (op.getClear())
    e.nest(lower, outer, [&](ValueRange at) {
      memref::StoreOp::create(e, initial(at), target, targetIndices(at));
    });
  SmallVector<Value> upper(outer);
  upper.insert(upper.end() - 1, extent);
  lower.push_back(zero);
  e.nest(lower, upper, [&](ValueRange ivs) {
    SmallVector<Value> at(ivs);
    Value k = at[at.size() - 2];
    at.erase(at.end() - 2);
    Value sum = memref::LoadOp::create(e, target, targetIndices(at));
    memref::StoreOp::create(e, combine(e, op.getKind(), sum, load(at, k)),
                            target, targetIndices(at));
  });
}

void cpu::lower(Lowering &l, tile::ReduceOp op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  ReduceEmitter(e, op).emit();
  op.erase();
}

//===----------------------------------------------------------------------===//
// AtomicOp
//===----------------------------------------------------------------------===//

static LLVM::AtomicBinOp atomicOp(AtomicKind kind, bool isFloat) {
  switch (kind) {
  case AtomicKind::Add:
    return isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case AtomicKind::Max:
    return isFloat ? LLVM::AtomicBinOp::fmax : LLVM::AtomicBinOp::max;
  case AtomicKind::Min:
    return isFloat ? LLVM::AtomicBinOp::fmin : LLVM::AtomicBinOp::min;
  case AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case AtomicKind::Exchange:
    return LLVM::AtomicBinOp::xchg;
  }
  llvm_unreachable("unknown atomic update");
}

static std::optional<ReduceKind> plainKind(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return ReduceKind::Sum;
  case AtomicKind::Max:
    return ReduceKind::Max;
  case AtomicKind::Min:
    return ReduceKind::Min;
  case AtomicKind::And:
    return ReduceKind::And;
  case AtomicKind::Or:
    return ReduceKind::Or;
  case AtomicKind::Xor:
    return ReduceKind::Xor;
  case AtomicKind::Exchange:
    return std::nullopt;
  }
  llvm_unreachable("unknown atomic update");
}

void cpu::lower(Lowering &l, tile::AtomicOp op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  auto memref = cast<MemRefType>(op.getTarget().getType());
  Type type = memref.getElementType();
  // Other blocks see only global memory. Integers that do not fill their bytes,
  // and floats of 8 bits, have no atomic instruction; they are guarded by a lock
  // of the runtime.
  bool isShared = tile::getMemorySpace(memref) == tile::MemorySpace::Global;
  bool isByteSized =
      type.isIndex() ||
      (!isFloat8(type) && llvm::isPowerOf2_64(type.getIntOrFloatBitWidth()) &&
       type.getIntOrFloatBitWidth() >= 8);
  if (isShared && isByteSized) {
    Value offset = e.index(0);
    for (auto [dim, i] : llvm::enumerate(op.getIndices()))
      offset = e.add(offset, e.mul(i, e.index(e.stride(op.getTarget(), dim))));
    Value value = type.isIndex() ? e.i64(op.getValue()) : op.getValue();
    LLVM::AtomicRMWOp::create(e, atomicOp(op.getKind(), isa<FloatType>(type)),
                              e.pointer(op.getTarget(), offset), value,
                              LLVM::AtomicOrdering::monotonic);
    op.erase();
    return;
  }
  if (isShared)
    l.call(e, "tilepipe_rt_lock", {});
  Value value = op.getValue();
  if (std::optional<ReduceKind> kind = plainKind(op.getKind())) {
    Value old = memref::LoadOp::create(e, op.getTarget(), op.getIndices());
    value = combine(e, *kind, old, value);
  }
  memref::StoreOp::create(e, value, op.getTarget(), op.getIndices());
  if (isShared)
    l.call(e, "tilepipe_rt_unlock", {});
  op.erase();
}
