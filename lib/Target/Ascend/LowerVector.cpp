//===- LowerVector.cpp - Fills, reductions and copies in the UB -----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;
using tile::MemorySpace;

using Kind = VectorOperand::Kind;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The element that indices name, from the start of its buffer.
static FailureOr<Place> getElement(Emitter &e, Value memref, ValueRange indices,
                                   Operation *op) {
  FailureOr<Place> place = getPlace(e, memref, op);
  if (failed(place))
    return failure();
  MemorySpace space = getSpace(place->buffer);
  if (space != MemorySpace::UB && space != MemorySpace::Global)
    return op->emitOpError("cannot be lowered to Ascend: the scalar stream "
                           "cannot reach '")
           << stringifyMemorySpace(space) << "'";
  for (auto [index, stride] : llvm::zip_equal(indices, place->strides))
    place->offset = e.add(place->offset, e.mul(index, e.index(stride)));
  return place;
}

LogicalResult ascend::lower(Lowering &l, memref::LoadOp op) {
  Emitter e(op.getLoc(), op);
  FailureOr<Place> place = getElement(e, op.getMemRef(), op.getIndices(), op);
  if (failed(place))
    return failure();
  op.replaceAllUsesWith(
      ScalarLoadOp::create(e, op.getType(), place->buffer, place->offset)
          .getResult());
  return success();
}

LogicalResult ascend::lower(Lowering &l, memref::StoreOp op) {
  Emitter e(op.getLoc(), op);
  FailureOr<Place> place = getElement(e, op.getMemRef(), op.getIndices(), op);
  if (failed(place))
    return failure();
  ScalarStoreOp::create(e, op.getValueToStore(), place->buffer, place->offset);
  return success();
}

//===----------------------------------------------------------------------===//
// Fills and copies
//===----------------------------------------------------------------------===//

LogicalResult ascend::lower(Lowering &l, tile::FillOp op) {
  if (getSpace(op.getTarget()) == MemorySpace::L0C)
    return lowerFillOfSums(l, op);
  if (getSpace(op.getTarget()) != MemorySpace::UB)
    return op.emitOpError("cannot be lowered to Ascend: fills a buffer in '")
           << stringifyMemorySpace(getSpace(op.getTarget()))
           << "', supported are 'ub' and 'l0c'";
  if (op.getStaticSizes() !=
          cast<MemRefType>(op.getTarget().getType()).getShape() ||
      llvm::any_of(op.getStaticOffsets(),
                   [](int64_t offset) { return offset != 0; }))
    return op.emitOpError("cannot be lowered to Ascend: fills a part of ")
           << op.getTarget().getType();
  Emitter e(op.getLoc(), op);
  FailureOr<std::pair<VectorOperand, Domain>> target =
      getVector(e, op.getTarget(), op);
  if (failed(target))
    return failure();
  VectorEmitter(e).duplicate(target->second, target->first, op.getValue());
  return success();
}

/// The rounding of a copy that converts, or none.
static std::optional<RoundMode> getRound(Type from, Type to) {
  if ((from.isF16() || from.isBF16()) && to.isF32())
    return RoundMode::None;
  if (from.isF32() && (to.isF16() || to.isBF16()))
    return RoundMode::Rint;
  if (from.isInteger(32) && to.isF32())
    return RoundMode::None;
  if (from.isF32() && to.isInteger(32))
    return RoundMode::Trunc;
  return std::nullopt;
}

LogicalResult ascend::lowerCopyInUB(Lowering &l, tile::CopyOp op) {
  Emitter e(op.getLoc(), op);
  auto error = [&] { return op.emitOpError("cannot be lowered to Ascend: "); };
  FailureOr<std::pair<VectorOperand, Domain>> source =
      getVector(e, op.getSource(), op);
  FailureOr<std::pair<VectorOperand, Domain>> target =
      getVector(e, op.getTarget(), op);
  if (failed(source) || failed(target))
    return failure();
  auto isZero = [](int64_t offset) { return offset == 0; };
  if (op.getSourceType().getShape() != op.getTargetType().getShape() ||
      op.getStaticSizes() != op.getTargetType().getShape() ||
      !llvm::all_of(op.getStaticSourceOffsets(), isZero) ||
      !llvm::all_of(op.getStaticTargetOffsets(), isZero))
    return error() << "copies a part of a tile in the UB, supported are whole "
                      "tiles of one shape";
  Type from = op.getSourceType().getElementType(),
       to = op.getTargetType().getElementType();
  VectorEmitter v(e);
  if (from == to) {
    v.move(target->second, target->first, source->first);
    return success();
  }
  std::optional<RoundMode> round = getRound(from, to);
  if (!round)
    return error() << "no conversion from " << from << " to " << to
                   << " in the UB";
  v.convert(*round, target->second, target->first, source->first);
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {

/// Emits one reduction.
class Reduction {
public:
  Reduction(Lowering &l, tile::ReduceOp op)
      : l(l), op(op), e(op.getLoc(), op), v(e) {}

  LogicalResult run();

private:
  LogicalResult choose();
  VectorOperand makeTile(StringRef name, int64_t rows, int64_t columns);
  LogicalResult keep(VectorOperand target, const Domain &result);
  void alongRows(VectorOperand target);
  void oneRow(VectorOperand target, VectorOperand from, int64_t count);
  void alongColumns(VectorOperand target);
  void emit(VectorOperand target, VectorOperand from, int64_t count,
            int64_t rows, int64_t stride);

  Lowering &l;
  tile::ReduceOp op;
  Emitter e;
  VectorEmitter v;
  VectorOperand source;
  Domain domain;
  Type element;
  VectorReduceKind kind = VectorReduceKind::Sum;
  BinaryKind combine = BinaryKind::Add;
  bool absolute = false;
};

} // namespace

LogicalResult Reduction::choose() {
  switch (op.getKind()) {
  case tile::ReduceKind::AbsSum:
    absolute = true;
    [[fallthrough]];
  case tile::ReduceKind::Sum:
    return success();
  case tile::ReduceKind::AbsMax:
    absolute = true;
    [[fallthrough]];
  case tile::ReduceKind::Max:
    kind = VectorReduceKind::Max;
    combine = BinaryKind::Max;
    return success();
  case tile::ReduceKind::Min:
    kind = VectorReduceKind::Min;
    combine = BinaryKind::Min;
    return success();
  default:
    return op.emitOpError(
        "cannot be lowered to Ascend: supported are sum, max, "
        "min, abssum and absmax");
  }
}

VectorOperand Reduction::makeTile(StringRef name, int64_t rows,
                                  int64_t columns) {
  int64_t pitch =
      llvm::alignTo(columns, kBlockBytes / getElementBytes(element));
  Value buffer =
      l.getBuffer(name, getBufferType({rows, pitch}, element, MemorySpace::UB));
  return {buffer, e.index(int64_t(0)), Kind::Full, rows == 1 ? columns : pitch};
}

/// Reduces `count` elements, at most a repeat, of each row.
void Reduction::emit(VectorOperand target, VectorOperand from, int64_t count,
                     int64_t rows, int64_t stride) {
  constexpr int64_t most = 255;
  int64_t c0 = from.getC0();
  for (int64_t row = 0; row < rows; row += most)
    VReduceOp::create(e, kind, target.buffer,
                      e.add(target.offset, e.index(row)), from.buffer,
                      e.add(from.offset, e.index(row * stride)), e.index(count),
                      e.index(std::min(rows - row, most)), stride / c0,
                      /*target_stride=*/1, /*by_block=*/false);
}

/// One row: repeats side by side, then their results, until one is left.
void Reduction::oneRow(VectorOperand target, VectorOperand from,
                       int64_t count) {
  int64_t perRepeat = kRepeatBytes / getElementBytes(element);
  for (int64_t level = 0; count > perRepeat; ++level) {
    int64_t whole = count / perRepeat, rest = count % perRepeat;
    int64_t next = whole + (rest != 0);
    VectorOperand partial =
        makeTile("partial" + std::to_string(level), 1, next);
    emit(partial, from, perRepeat, whole, perRepeat);
    if (rest) {
      VectorOperand last = partial, tail = from;
      last.offset = e.add(partial.offset, e.index(whole));
      tail.offset = e.add(from.offset, e.index(whole * perRepeat));
      emit(last, tail, rest, 1, perRepeat);
    }
    from = partial;
    count = next;
  }
  emit(target, from, count, 1, perRepeat);
}

void Reduction::alongRows(VectorOperand target) {
  int64_t perRepeat = kRepeatBytes / getElementBytes(element);
  if (domain.rows == 1)
    return oneRow(target, source, domain.columns);
  if (domain.columns <= perRepeat)
    return emit(target, source, domain.columns, domain.rows, source.pitch);
  // Fold the row to one repeat first.
  VectorOperand folded = makeTile("folded", domain.rows, perRepeat);
  v.move({domain.rows, perRepeat, {}, {}}, folded, source);
  for (int64_t column = perRepeat; column < domain.columns;
       column += perRepeat) {
    VectorOperand part = source;
    part.offset = e.add(source.offset, e.index(column));
    v.binary(
        combine,
        {domain.rows, std::min(perRepeat, domain.columns - column), {}, {}},
        folded, folded, part);
  }
  emit(target, folded, perRepeat, domain.rows, perRepeat);
}

void Reduction::alongColumns(VectorOperand target) {
  Domain row{1, domain.columns, {}, {}};
  v.move(row, target, source);
  e.repeat(
      domain.rows - 1,
      [&](Value i) {
        VectorOperand part = source;
        Value at = e.mul(e.add(i, e.index(int64_t(1))), e.index(source.pitch));
        part.offset = e.add(source.offset, at);
        v.binary(combine, row, target, target, part);
      },
      /*unroll=*/8);
}

LogicalResult Reduction::run() {
  if (failed(choose()))
    return failure();
  for (Value buffer : {op.getSource(), op.getTarget()})
    if (getSpace(buffer) != MemorySpace::UB)
      return op.emitOpError("cannot be lowered to Ascend: reaches '")
             << stringifyMemorySpace(getSpace(buffer))
             << "', vector instructions only reach 'ub'";
  FailureOr<std::pair<VectorOperand, Domain>> from =
      getVector(e, op.getSource(), op);
  FailureOr<std::pair<VectorOperand, Domain>> to =
      getVector(e, op.getTarget(), op);
  if (failed(from) || failed(to))
    return failure();
  source = from->first;
  domain = from->second;
  auto sourceType = cast<MemRefType>(op.getSource().getType());
  element = cast<MemRefType>(op.getTarget().getType()).getElementType();
  auto error = [&] { return op.emitOpError("cannot be lowered to Ascend: "); };
  if (!element.isF16() && !element.isF32())
    return error() << "reduces to elements of " << element
                   << ", supported are f16 and f32";
  int64_t rank = sourceType.getRank(), dimension = op.getDimension();
  if (dimension + 1 != rank && !(rank == 2 && dimension == 0))
    return error() << "reduces dimension " << dimension << " of rank " << rank
                   << ", supported are the last one, and the first of two";
  if (sourceType.getElementType() != element) {
    if (!sourceType.getElementType().isF16() || !element.isF32())
      return error() << "reduces " << sourceType.getElementType() << " to "
                     << element;
    VectorOperand wide = makeTile("wide", domain.rows, domain.columns);
    v.convert(RoundMode::None, domain, wide, source);
    source = wide;
  }
  if (absolute) {
    VectorOperand positive = makeTile("positive", domain.rows, domain.columns);
    v.unary(UnaryKind::Abs, domain, positive, source);
    source = positive;
  }
  if (sourceType.getDimSize(dimension) == 1)
    return keep(to->first, to->second);
  // A column of one element a row lies like a row.
  bool last = dimension + 1 == rank || sourceType.getDimSize(rank - 1) == 1;
  // Results lie side by side, but for what fills each row of the target.
  int64_t pieces = to->first.pitch == to->second.columns ? 1 : to->second.rows;
  int64_t rows = domain.rows / (last ? pieces : 1);
  VectorOperand target = to->first, all = source;
  domain.rows = rows;
  int64_t count = last ? rows : domain.columns;
  target.pitch = count;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    target.offset =
        e.add(to->first.offset, e.index(piece * to->first.pitch));
    source.offset = e.add(all.offset, e.index(piece * rows * all.pitch));
    VectorOperand result =
        op.getClear() ? target : makeTile("reduced", 1, count);
    if (last)
      alongRows(result);
    else
      alongColumns(result);
    if (!op.getClear())
      v.binary(combine, {1, count, {}, {}}, target, target, result);
  }
  return success();
}

/// A dimension of one element: the others are the result.
LogicalResult Reduction::keep(VectorOperand target, const Domain &result) {
  if (domain.rows != result.rows || domain.columns != result.columns)
    return op.emitOpError("cannot be lowered to Ascend: reduces a dimension of "
                          "one element of a tile that is no column");
  if (op.getClear())
    v.move(result, target, source);
  else
    v.binary(combine, result, target, target, source);
  return success();
}

LogicalResult ascend::lower(Lowering &l, tile::ReduceOp op) {
  return Reduction(l, op).run();
}
