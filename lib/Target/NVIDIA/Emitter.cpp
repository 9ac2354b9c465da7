//===- Emitter.cpp - Building index arithmetic and branches ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "tilepipe/Dialect/Tile/Transforms/ConvertElement.h"

#include "IndexFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe::nvidia;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ConstantPool::get(Location loc, TypedAttr value) {
  Value &constant = known[value];
  if (!constant) {
    OpBuilder b = OpBuilder::atBlockBegin(block);
    constant = arith::ConstantOp::create(b, loc, value);
  }
  return constant;
}

Value Emitter::makeConstant(TypedAttr value) {
  return pool ? pool->get(getLoc(), value)
              : arith::ConstantOp::create(*this, value).getResult();
}

Value Emitter::index(int64_t value) {
  return makeConstant(getIndexAttr(value));
}
Value Emitter::index(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return index(*constant);
  return cast<Value>(value);
}
Value Emitter::i32(int64_t value) {
  return makeConstant(getI32IntegerAttr(value));
}
Value Emitter::boolean(bool value) { return makeConstant(getBoolAttr(value)); }
Value Emitter::constant(Type type, int64_t value) {
  if (isa<FloatType>(type))
    return makeConstant(getFloatAttr(type, double(value)));
  return makeConstant(getIntegerAttr(type, value));
}

/// The values of two indices, if they are constants.
static std::optional<std::pair<int64_t, int64_t>> getConstants(Value a,
                                                               Value b) {
  std::optional<int64_t> x, y;
  if (!a.getType().isIndex() || !(x = getConstantIntValue(OpFoldResult(a))) ||
      !(y = getConstantIntValue(OpFoldResult(b))))
    return std::nullopt;
  return std::pair(*x, *y);
}

Value Emitter::add(Value a, Value b) {
  if (auto constants = getConstants(a, b))
    return index(constants->first + constants->second);
  return createOrFold<arith::AddIOp>(a, b, arith::IntegerOverflowFlags::nsw);
}
Value Emitter::sub(Value a, Value b) {
  if (auto constants = getConstants(a, b))
    return index(constants->first - constants->second);
  return createOrFold<arith::SubIOp>(a, b, arith::IntegerOverflowFlags::nsw);
}
Value Emitter::mul(Value a, Value b) {
  if (auto constants = getConstants(a, b))
    return index(constants->first * constants->second);
  return createOrFold<arith::MulIOp>(a, b, arith::IntegerOverflowFlags::nsw);
}
Value Emitter::min(Value a, Value b) {
  return createOrFold<arith::MinSIOp>(a, b);
}
Value Emitter::select(Value cond, Value a, Value b) {
  return createOrFold<arith::SelectOp>(cond, a, b);
}
Value Emitter::both(Value a, Value b) {
  return createOrFold<arith::AndIOp>(a, b);
}

Value Emitter::isInside(Value value, Value bound) {
  IndexRange at = getRange(value, getBlock()),
             limit = getRange(bound, getBlock());
  if (at.min >= 0 && at.max < limit.min)
    return boolean(true);
  if (at.max < 0 || at.min >= limit.max)
    return boolean(false);
  // A negative index is a large one without a sign.
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, value, bound);
}

Value Emitter::isEqual(Value a, Value b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, a, b);
}

Value Emitter::isMultiple(Value value, int64_t powerOfTwo) {
  if (getDivisor(value) >= powerOfTwo)
    return boolean(true);
  return isEqual(createOrFold<arith::AndIOp>(value, index(powerOfTwo - 1)),
                 index(int64_t(0)));
}

bool Emitter::isTrue(Value cond) {
  return getConstantIntValue(OpFoldResult(cond)).value_or(0) != 0;
}
bool Emitter::isFalse(Value cond) {
  return getConstantIntValue(OpFoldResult(cond)) == 0;
}

Value Emitter::gather(Value number, ArrayRef<LayoutBasis> bases, int64_t dim) {
  Value result = index(int64_t(0));
  for (unsigned bit = 0; bit < bases.size();) {
    if (!bases[bit].step || bases[bit].dim != dim) {
      ++bit;
      continue;
    }
    // Bits whose steps double are one field.
    unsigned end = bit + 1;
    while (end < bases.size() &&
           bases[end] == LayoutBasis{dim, bases[bit].step << (end - bit)})
      ++end;
    Value field = number;
    if (bit)
      field = createOrFold<arith::ShRUIOp>(field, index(bit));
    int64_t mask = (int64_t(1) << (end - bit)) - 1;
    if (getRange(field).max > mask)
      field = createOrFold<arith::AndIOp>(field, index(mask));
    if (int64_t by = llvm::Log2_64(bases[bit].step))
      field = createOrFold<arith::ShLIOp>(field, index(by));
    result = add(result, field);
    bit = end;
  }
  return result;
}

Value Emitter::convert(Value value, Type to) {
  return tile::convertElement(*this, value, to);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value Emitter::dim(Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return index(type.getDimSize(dim));
  return memref::DimOp::create(*this, memref, dim);
}

OpFoldResult Emitter::stride(Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  if (!ShapedType::isDynamic(strides[dim]))
    return OpFoldResult(getIndexAttr(strides[dim]));
  if (type.getLayout().isIdentity()) {
    Value result = index(int64_t(1));
    for (int64_t inner = dim + 1; inner < type.getRank(); ++inner)
      result = mul(result, this->dim(memref, inner));
    return OpFoldResult(result);
  }
  auto metadata = memref::ExtractStridedMetadataOp::create(*this, memref);
  return OpFoldResult(metadata.getStrides()[dim]);
}

int64_t Emitter::getElementBytes(Type type) {
  if (type.isIndex())
    return 8;
  return llvm::PowerOf2Ceil(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Emitter::when(Value cond, llvm::function_ref<void()> body,
                   llvm::function_ref<void()> otherwise) {
  if (isTrue(cond))
    return body();
  if (isFalse(cond))
    return otherwise ? otherwise() : void();
  auto branch = scf::IfOp::create(*this, cond, bool(otherwise));
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  body();
  if (!otherwise)
    return;
  setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

Value Emitter::pick(Value cond, llvm::function_ref<Value()> body,
                    llvm::function_ref<Value()> otherwise) {
  if (isTrue(cond))
    return body();
  if (isFalse(cond))
    return otherwise();
  return scf::IfOp::create(
             *this, cond,
             [&](OpBuilder &b, Location loc) {
               OpBuilder::InsertionGuard guard(*this);
               setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
               Value value = body();
               scf::YieldOp::create(*this, value);
             },
             [&](OpBuilder &b, Location loc) {
               OpBuilder::InsertionGuard guard(*this);
               setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
               Value value = otherwise();
               scf::YieldOp::create(*this, value);
             })
      .getResult(0);
}

void tilepipe::nvidia::forbidUnrolling(Operation *loop) {
  MLIRContext *context = loop->getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true),
                                          {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {},
                                              {}, {}, {}, {}, {}, {}, {}, {},
                                              {}, {}));
}

void Emitter::loop(Value lower, Value upper, Value step, bool mayUnroll,
                   llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(*this, lower, upper, step);
  if (!mayUnroll)
    forbidUnrolling(loop);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}
