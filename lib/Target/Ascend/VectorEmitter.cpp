//===- VectorEmitter.cpp - Vector instructions over tiles -----------------===//
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

using Kind = VectorOperand::Kind;

/// The largest repeat count and stride of the norm form.
static constexpr int64_t kMaxField = 255;

bool ascend::isMultipleOf(Value value, int64_t factor) {
  if (factor == 1)
    return true;
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % factor == 0;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return isMultipleOf(op->getOperand(0), factor) &&
           isMultipleOf(op->getOperand(1), factor);
  if (isa_and_nonnull<arith::MulIOp>(op))
    return isMultipleOf(op->getOperand(0), factor) ||
           isMultipleOf(op->getOperand(1), factor);
  return false;
}

//===----------------------------------------------------------------------===//
// Covering a domain
//===----------------------------------------------------------------------===//

static int64_t getWidestBytes(ArrayRef<VectorOperand> operands) {
  int64_t bytes = 1;
  for (const VectorOperand &operand : operands)
    bytes = std::max(bytes, getElementBytes(operand.getElementType()));
  return bytes;
}

/// Repeats are 256 bytes for all operands only if elements are equally wide.
static bool isUniform(ArrayRef<VectorOperand> operands) {
  return llvm::all_of(operands, [&](const VectorOperand &operand) {
    return operand.getC0() == operands[0].getC0();
  });
}

/// One row: neighbours, or repeats along it where an operand is one block.
void VectorEmitter::coverRow(const Domain &domain,
                             ArrayRef<VectorOperand> operands, Value row,
                             Piece emit) {
  SmallVector<Value> offsets;
  bool hasBlocks = false;
  for (const VectorOperand &operand : operands) {
    int64_t step = operand.kind == Kind::Full     ? operand.pitch
                   : operand.kind == Kind::Blocks ? operand.getC0()
                                                  : 0;
    offsets.push_back(e.add(operand.offset, e.mul(row, e.index(step))));
    hasBlocks |= operand.kind == Kind::Blocks;
  }
  Value columns =
      domain.liveColumns
          ? e.max(e.min(domain.liveColumns, e.index(domain.columns)),
                  e.index(int64_t(0)))
          : e.index(domain.columns);
  if (!hasBlocks) {
    e.when(e.less(e.index(int64_t(0)), columns),
           [&] { emit(offsets, {columns, {}, {}, {}}); });
    return;
  }
  int64_t perRepeat = kRepeatBytes / getWidestBytes(operands);
  SmallVector<int64_t> blocks, repeats;
  for (const VectorOperand &operand : operands) {
    bool isBlock = operand.kind == Kind::Blocks;
    blocks.push_back(isBlock ? 0 : 1);
    repeats.push_back(isBlock ? 0 : kRepeatBytes / kBlockBytes);
  }
  auto emitAt = [&](int64_t column, int64_t count, int64_t repeat) {
    SmallVector<Value> moved;
    for (auto [operand, offset] : llvm::zip_equal(operands, offsets))
      moved.push_back(operand.kind == Kind::Blocks
                          ? offset
                          : e.add(offset, e.index(column)));
    Value live = e.index(count);
    if (domain.liveColumns) // one repeat at a time
      live = e.max(e.min(live, e.sub(columns, e.index(column))),
                   e.index(int64_t(0)));
    e.when(e.less(e.index(int64_t(0)), live), [&] {
      emit(moved, {live, e.index(repeat), e.getDenseI64ArrayAttr(blocks),
                   e.getDenseI64ArrayAttr(repeats)});
    });
  };
  int64_t most = domain.liveColumns ? 1 : kMaxField, column = 0;
  while (column + perRepeat <= domain.columns) {
    int64_t repeat = std::min((domain.columns - column) / perRepeat, most);
    emitAt(column, perRepeat, repeat);
    column += repeat * perRepeat;
  }
  if (column < domain.columns)
    emitAt(column, domain.columns - column, 1);
}

/// Repeats go down the rows, one instruction for 256 bytes of columns.
void VectorEmitter::coverByColumns(const Domain &domain,
                                   ArrayRef<VectorOperand> operands,
                                   Piece emit) {
  int64_t perRepeat = kRepeatBytes / getWidestBytes(operands);
  SmallVector<int64_t> blocks, repeats;
  for (const VectorOperand &operand : operands) {
    blocks.push_back(operand.kind == Kind::Blocks ? 0 : 1);
    repeats.push_back(operand.kind == Kind::Full
                          ? operand.pitch / operand.getC0()
                      : operand.kind == Kind::Blocks ? 1
                                                     : 0);
  }
  Value zero = e.index(int64_t(0));
  for (int64_t row = 0; row < domain.rows; row += kMaxField) {
    Value repeat = e.index(std::min(domain.rows - row, kMaxField));
    if (domain.liveRows)
      repeat = e.max(e.min(e.sub(domain.liveRows, e.index(row)), repeat), zero);
    for (int64_t column = 0; column < domain.columns; column += perRepeat) {
      Value count = e.index(std::min(domain.columns - column, perRepeat));
      if (domain.liveColumns)
        count = e.max(e.min(e.sub(domain.liveColumns, e.index(column)), count),
                      zero);
      SmallVector<Value> offsets;
      for (const VectorOperand &operand : operands) {
        int64_t at = operand.kind == Kind::Full ? row * operand.pitch + column
                     : operand.kind == Kind::Blocks ? row * operand.getC0()
                                                    : column;
        offsets.push_back(e.add(operand.offset, e.index(at)));
      }
      e.when(e.both(e.less(zero, count), e.less(zero, repeat)), [&] {
        emit(offsets, {count, repeat, e.getDenseI64ArrayAttr(blocks),
                       e.getDenseI64ArrayAttr(repeats)});
      });
    }
  }
}

void VectorEmitter::cover(const Domain &domain,
                          ArrayRef<VectorOperand> operands, Piece emit) {
  auto isContiguous = [&](const VectorOperand &operand) {
    return operand.kind == Kind::Full &&
           (operand.pitch == domain.columns || domain.rows == 1);
  };
  if (!domain.liveRows && !domain.liveColumns &&
      llvm::all_of(operands, isContiguous)) {
    SmallVector<Value> offsets;
    for (const VectorOperand &operand : operands)
      offsets.push_back(operand.offset);
    emit(offsets, {e.index(domain.size()), {}, {}, {}});
    return;
  }
  int64_t perRepeat = kRepeatBytes / getWidestBytes(operands);
  bool fits = isUniform(operands) &&
              llvm::all_of(operands, [](const VectorOperand &operand) {
                return operand.kind != Kind::Full ||
                       operand.pitch / operand.getC0() <= kMaxField;
              });
  int64_t numPieces = llvm::divideCeil(domain.rows, kMaxField) *
                      llvm::divideCeil(domain.columns, perRepeat);
  if (domain.rows > 1 && fits && numPieces <= std::max<int64_t>(domain.rows, 4))
    return coverByColumns(domain, operands, emit);
  e.repeat(domain.rows, [&](Value row) {
    if (!domain.liveRows)
      return coverRow(domain, operands, row, emit);
    e.when(e.less(row, domain.liveRows),
           [&] { coverRow(domain, operands, row, emit); });
  });
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void VectorEmitter::binary(BinaryKind kind, const Domain &domain,
                           VectorOperand target, VectorOperand lhs,
                           VectorOperand rhs) {
  cover(domain, {target, lhs, rhs},
        [&](ArrayRef<Value> at, const VectorForm &f) {
          VBinaryOp::create(e, kind, target.buffer, at[0], lhs.buffer, at[1],
                            rhs.buffer, at[2], f.count, f.repeat, f.blocks,
                            f.repeats);
        });
}

void VectorEmitter::unary(UnaryKind kind, const Domain &domain,
                          VectorOperand target, VectorOperand source) {
  cover(domain, {target, source}, [&](ArrayRef<Value> at, const VectorForm &f) {
    VUnaryOp::create(e, kind, target.buffer, at[0], source.buffer, at[1],
                     f.count, f.repeat, f.blocks, f.repeats);
  });
}

void VectorEmitter::scalar(ScalarKind kind, const Domain &domain,
                           VectorOperand target, VectorOperand source,
                           Value scalar) {
  cover(domain, {target, source}, [&](ArrayRef<Value> at, const VectorForm &f) {
    VScalarOp::create(e, kind, target.buffer, at[0], source.buffer, at[1],
                      scalar, f.count, f.repeat, f.blocks, f.repeats);
  });
}

void VectorEmitter::duplicate(const Domain &domain, VectorOperand target,
                              Value scalar) {
  cover(domain, {target}, [&](ArrayRef<Value> at, const VectorForm &f) {
    VDupOp::create(e, target.buffer, at[0], scalar, f.count, f.repeat, f.blocks,
                   f.repeats);
  });
}

void VectorEmitter::convert(RoundMode round, const Domain &domain,
                            VectorOperand target, VectorOperand source) {
  cover(domain, {target, source}, [&](ArrayRef<Value> at, const VectorForm &f) {
    VConvertOp::create(e, round, target.buffer, at[0], source.buffer, at[1],
                       f.count, f.repeat, f.blocks, f.repeats);
  });
}

void VectorEmitter::move(const Domain &domain, VectorOperand target,
                         VectorOperand source) {
  Type type = target.getElementType();
  if (isa<FloatType>(type))
    return scalar(ScalarKind::Muls, domain, target, source,
                  e.constant(type, 1.0));
  scalar(ScalarKind::Adds, domain, target, source, e.constant(type, 0.0));
}

//===----------------------------------------------------------------------===//
// Whole tiles
//===----------------------------------------------------------------------===//

FailureOr<std::pair<VectorOperand, Domain>>
ascend::getVector(Emitter &e, Value memref, Operation *op) {
  FailureOr<Place> place = getPlace(e, memref, op);
  if (failed(place))
    return failure();
  auto error = [&] { return op->emitOpError("cannot be lowered to Ascend: "); };
  VectorOperand operand{place->buffer, place->offset, Kind::Full, 1};
  Domain domain;
  for (unsigned dim = 0; dim < place->shape.size(); ++dim) {
    std::optional<int64_t> extent = getConstantIntValue(place->shape[dim]),
                           stride = getConstantIntValue(place->strides[dim]);
    if (!extent || !stride)
      return error() << "a tile of dynamic shape in the UB";
    bool isLast = dim + 1 == place->shape.size();
    if (isLast && *stride != 1 && *extent != 1)
      return error() << "neighbours of a row are " << *stride
                     << " elements apart";
    if (isLast) {
      domain.columns = *extent;
      break;
    }
    // Leading dimensions become rows if they follow each other.
    if (domain.rows != 1 && operand.pitch != *stride * *extent)
      return error() << "a tile whose leading dimensions do not follow each "
                        "other";
    domain.rows *= *extent;
    operand.pitch = *stride;
  }
  // One element a row is a row of them.
  if (domain.columns == 1 && operand.pitch == 1)
    std::swap(domain.rows, domain.columns);
  if (domain.rows == 1)
    operand.pitch = domain.columns;
  int64_t c0 = operand.getC0();
  if ((domain.rows > 1 && operand.pitch % c0 != 0) ||
      !isMultipleOf(operand.offset, c0))
    return error() << "a row of a tile that does not start at a multiple of "
                   << kBlockBytes << " bytes";
  return std::make_pair(operand, domain);
}
