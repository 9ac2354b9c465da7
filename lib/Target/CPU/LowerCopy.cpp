//===- LowerCopy.cpp - Copies: clipping outside, whole rows inside --------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tilepipe/Analysis/DependenceGraph.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::cpu;

namespace {

/// One side of a copy. `offsets` has an entry for each dimension of the memref,
/// `dims` one for each dimension of the region.
struct Side {
  Value memref;
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> dims;

  MemRefType type() const { return cast<MemRefType>(memref.getType()); }
  bool inRegion(int64_t dim) const { return llvm::is_contained(dims, dim); }
  bool contiguous() const {
    auto [strides, offset] = type().getStridesAndOffset();
    return !dims.empty() && dims.back() == type().getRank() - 1 &&
           strides.back() == 1;
  }
};

struct CopyShape {
  Side source, target;
  SmallVector<OpFoldResult> sizes;
  Value fill; ///< may be null: zero
  bool mayOverlap = false;

  int64_t rank() const { return sizes.size(); }
};

/// Emits the loops of one copy.
class CopyEmitter {
public:
  CopyEmitter(Emitter &e, const CopyShape &copy) : e(e), copy(copy) {
    zero = e.index(0);
    one = e.index(1);
    wholeRows = copy.rank() > 0 && copy.source.contiguous() &&
                copy.target.contiguous() && !copy.mayOverlap &&
                copy.source.type().getElementType() ==
                    copy.target.type().getElementType();
  }
  void emit();

private:
  struct Bounds {
    Value targetBegin, targetEnd; ///< written
    Value sourceBegin, sourceEnd; ///< of these, read from the source
  };

  Value fixedInBounds(const Side &side);
  void emitWhole();
  void emitClipped(ArrayRef<Bounds> bounds, Value sourceOk);
  void copyRun(ValueRange outer, Value begin, Value end,
               Emitter::Effort effort);
  void fillRun(ValueRange outer, Value begin, Value end);
  SmallVector<Value> indices(const Side &side, ValueRange point);
  Value offset(const Side &side, ValueRange point);

  Emitter &e;
  const CopyShape &copy;
  Value zero, one;
  bool wholeRows;
};

} // namespace

/// The coordinates of a point of the region in one side.
SmallVector<Value> CopyEmitter::indices(const Side &side, ValueRange point) {
  SmallVector<Value> result;
  for (OpFoldResult start : side.offsets)
    result.push_back(e.index(start));
  for (auto [dim, i] : llvm::zip_equal(side.dims, point))
    result[dim] = e.add(result[dim], i);
  return result;
}

/// The distance in elements of a point of the region from the memref's start.
Value CopyEmitter::offset(const Side &side, ValueRange point) {
  Value result = zero;
  for (auto [dim, i] : llvm::enumerate(indices(side, point)))
    result = e.add(result, e.mul(i, e.index(e.stride(side.memref, dim))));
  return result;
}

/// The offsets of the dimensions that the region does not run over are inside.
Value CopyEmitter::fixedInBounds(const Side &side) {
  Value ok = e.boolean(true);
  for (auto [dim, start] : llvm::enumerate(side.offsets)) {
    if (side.inRegion(dim))
      continue;
    Value at = e.index(start);
    ok = e.both(ok, e.both(e.le(zero, at), e.lt(at, e.dim(side.memref, dim))));
  }
  return ok;
}

void CopyEmitter::emit() {
  Value sourceOk = fixedInBounds(copy.source);
  Value targetOk = fixedInBounds(copy.target);
  Value whole = e.both(sourceOk, targetOk);
  SmallVector<Bounds> bounds;
  auto start = [&](const Side &side, int64_t i) {
    return e.index(side.offsets[side.dims[i]]);
  };
  auto extent = [&](const Side &side, int64_t i) {
    return e.dim(side.memref, side.dims[i]);
  };
  for (int64_t i = 0; i < copy.rank(); ++i) {
    Value source = start(copy.source, i), sourceDim = extent(copy.source, i);
    Value target = start(copy.target, i), targetDim = extent(copy.target, i);
    Value size = e.index(copy.sizes[i]);
    Bounds b;
    b.targetBegin = e.max(zero, e.sub(zero, target));
    b.targetEnd = e.min(size, e.sub(targetDim, target));
    b.sourceBegin =
        e.min(e.max(b.targetBegin, e.sub(zero, source)), b.targetEnd);
    b.sourceEnd =
        e.max(b.sourceBegin, e.min(b.targetEnd, e.sub(sourceDim, source)));
    bounds.push_back(b);
    // The end of a region may not fit into an index; `dim - size` does.
    for (auto [from, dim] : {std::pair(source, sourceDim), {target, targetDim}})
      whole =
          e.both(whole, e.both(e.le(zero, from), e.le(from, e.sub(dim, size))));
  }
  e.when(
      whole, [&] { emitWhole(); },
      [&] { e.when(targetOk, [&] { emitClipped(bounds, sourceOk); }); });
}

/// No element is outside: loops over the region itself.
void CopyEmitter::emitWhole() {
  int64_t rank = copy.rank();
  if (rank == 0)
    return copyRun({}, zero, one, Emitter::Effort::Full);
  // Inner dimensions that follow each other in both memories make one run.
  int64_t runDims = 1;
  std::optional<int64_t> run = getConstantIntValue(copy.sizes.back());
  while (wholeRows && run && runDims < rank) {
    int64_t next = rank - runDims - 1;
    auto follows = [&](const Side &side) {
      return getConstantIntValue(e.stride(side.memref, side.dims[next])) ==
             *run;
    };
    std::optional<int64_t> size = getConstantIntValue(copy.sizes[next]);
    if (!size || !follows(copy.source) || !follows(copy.target))
      break;
    *run *= *size;
    ++runDims;
  }
  SmallVector<Value> lower(rank - runDims, zero), upper;
  for (int64_t i = 0; i < rank - runDims; ++i)
    upper.push_back(e.index(copy.sizes[i]));
  Value length = run ? e.index(*run) : e.index(copy.sizes.back());
  e.nest(
      lower, upper,
      [&](ValueRange outer) {
        SmallVector<Value> start(outer);
        start.append(runDims - 1, zero);
        copyRun(start, zero, length, Emitter::Effort::Full);
      },
      Emitter::Effort::NoUnroll);
}

void CopyEmitter::emitClipped(ArrayRef<Bounds> bounds, Value sourceOk) {
  if (bounds.empty())
    return e.when(
        sourceOk, [&] { copyRun({}, zero, one, Emitter::Effort::Full); },
        [&] { fillRun({}, zero, one); });
  SmallVector<Value> lower, upper;
  for (const Bounds &b : bounds.drop_back()) {
    lower.push_back(b.targetBegin);
    upper.push_back(b.targetEnd);
  }
  const Bounds &inner = bounds.back();
  e.nest(
      lower, upper,
      [&](ValueRange outer) {
        Value rowOk = sourceOk;
        for (auto [i, b] : llvm::zip(outer, bounds))
          rowOk = e.both(rowOk,
                         e.both(e.le(b.sourceBegin, i), e.lt(i, b.sourceEnd)));
        Value sourceEnd = e.select(rowOk, inner.sourceEnd, inner.sourceBegin);
        fillRun(outer, inner.targetBegin, inner.sourceBegin);
        copyRun(outer, inner.sourceBegin, sourceEnd, Emitter::Effort::NoUnroll);
        fillRun(outer, sourceEnd, inner.targetEnd);
      },
      Emitter::Effort::NoUnroll);
}

void CopyEmitter::copyRun(ValueRange outer, Value begin, Value end,
                          Emitter::Effort effort) {
  SmallVector<Value> point(outer);
  if (wholeRows) {
    point.push_back(begin);
    Value from = e.pointer(copy.source.memref, offset(copy.source, point));
    Value to = e.pointer(copy.target.memref, offset(copy.target, point));
    int64_t bytes = e.elementBytes(copy.target.type().getElementType());
    // The runtime's memcpy must not see a negative length.
    Value length = e.max(zero, e.sub(end, begin));
    LLVM::MemcpyOp::create(e, to, from, e.i64(e.mul(length, e.index(bytes))),
                           /*isVolatile=*/false);
    return;
  }
  auto move = [&](ValueRange point) {
    Value element = memref::LoadOp::create(e, copy.source.memref,
                                           indices(copy.source, point));
    memref::StoreOp::create(
        e, e.convert(element, copy.target.type().getElementType()),
        copy.target.memref, indices(copy.target, point));
  };
  if (copy.rank() == 0)
    return move(point);
  e.loop(
      begin, end, one,
      [&](Value i) {
        point.push_back(i);
        move(point);
      },
      effort);
}

void CopyEmitter::fillRun(ValueRange outer, Value begin, Value end) {
  Value value =
      copy.fill ? copy.fill : e.constant(copy.target.type().getElementType());
  SmallVector<Value> point(outer);
  auto set = [&] {
    memref::StoreOp::create(e, value, copy.target.memref,
                            indices(copy.target, point));
  };
  if (copy.rank() == 0)
    return set();
  e.loop(
      begin, end, one,
      [&](Value i) {
        point.push_back(i);
        set();
      },
      Emitter::Effort::NoUnroll);
}

/// Calls the function for copies of this shape; dynamic offsets, sizes and the
/// fill value are its arguments.
static void callCopy(Lowering &l, Emitter &e, const CopyShape &copy) {
  std::string key = "copy";
  llvm::raw_string_ostream os(key);
  SmallVector<Value> operands = {copy.source.memref, copy.target.memref};
  os << copy.source.memref.getType() << copy.target.memref.getType()
     << copy.mayOverlap;
  // Sizes are part of the shape. So are offsets that are all constants, which
  // says whether the region is inside; the others are not, so that the steps of
  // a prologue share one function.
  ArrayRef<OpFoldResult> lists[] = {copy.source.offsets, copy.target.offsets,
                                    copy.sizes};
  auto isShape = [&](unsigned list, OpFoldResult entry) {
    return list == 2 ? getConstantIntValue(entry).has_value()
                     : llvm::all_of(lists[list], [](OpFoldResult offset) {
                         return getConstantIntValue(offset).has_value();
                       });
  };
  for (unsigned list : {0, 1, 2}) {
    os << ';';
    for (OpFoldResult entry : lists[list]) {
      if (isShape(list, entry)) {
        os << *getConstantIntValue(entry) << ',';
        continue;
      }
      os << "?,";
      operands.push_back(e.index(entry));
    }
  }
  for (const Side *side : {&copy.source, &copy.target}) {
    os << ';';
    llvm::interleaveComma(side->dims, os);
  }
  if (copy.fill) {
    os << "fill";
    operands.push_back(copy.fill);
  }

  func::FuncOp function = l.functions.shared(
      "__tile_copy", key, e.getLoc(),
      llvm::to_vector(ValueRange(operands).getTypes()),
      [&](OpBuilder &b, ValueRange arguments) {
        Emitter inner(e.getLoc(), b, l.types);
        CopyShape body = copy;
        unsigned next = 0;
        body.source.memref = arguments[next++];
        body.target.memref = arguments[next++];
        SmallVector<OpFoldResult> *entries[] = {
            &body.source.offsets, &body.target.offsets, &body.sizes};
        for (auto [number, list] : llvm::enumerate(entries))
          for (OpFoldResult &entry : *list)
            entry =
                isShape(number, entry)
                    ? OpFoldResult(b.getIndexAttr(*getConstantIntValue(entry)))
                    : OpFoldResult(arguments[next++]);
        if (body.fill)
          body.fill = arguments[next++];
        CopyEmitter(inner, body).emit();
      });
  func::CallOp::create(e, function, operands);
}

template <typename CopyT> static void lowerCopy(Lowering &l, CopyT op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  CopyShape copy;
  copy.source = {op.getSource(), op.getMixedSourceOffsets(),
                 op.getSourceDims()};
  copy.target = {op.getTarget(), op.getMixedTargetOffsets(),
                 op.getTargetDims()};
  copy.sizes = op.getMixedSizes();
  copy.fill = op.getFill();
  copy.mayOverlap =
      getRootBuffer(op.getSource()) == getRootBuffer(op.getTarget());
  e.when(op.getGuard() ? op.getGuard() : e.boolean(true),
         [&] { callCopy(l, e, copy); });
  if constexpr (std::is_same_v<CopyT, tile::AsyncCopyOp>)
    op->getResult(0).replaceAllUsesWith(e.i64(int64_t(0)));
  op.erase();
}

void cpu::lower(Lowering &l, tile::CopyOp op) { lowerCopy(l, op); }

void cpu::lower(Lowering &l, tile::AsyncCopyOp op) {
  l.asyncRuntime ? lowerToRuntime(l, op) : lowerCopy(l, op);
}

void cpu::lower(Lowering &l, memref::CopyOp op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  CopyShape copy;
  for (auto [side, memref] : {std::pair(&copy.source, op.getSource()),
                              {&copy.target, op.getTarget()}}) {
    side->memref = memref;
    side->offsets.assign(source.getRank(), e.getIndexAttr(0));
    side->dims = llvm::to_vector(llvm::seq<int64_t>(0, source.getRank()));
  }
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    copy.sizes.push_back(e.dim(op.getTarget(), dim));
  copy.mayOverlap =
      getRootBuffer(op.getSource()) == getRootBuffer(op.getTarget());
  callCopy(l, e, copy);
  op.erase();
}
