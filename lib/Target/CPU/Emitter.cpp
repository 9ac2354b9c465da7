//===- Emitter.cpp - Building loops and index arithmetic ------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "tilepipe/Dialect/Tile/Transforms/ConvertElement.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilepipe::cpu;

void tilepipe::cpu::addMemorySpaceConversions(LLVMTypeConverter &types) {
  types.addTypeAttributeConversion(
      [](BaseMemRefType type, Attribute space) -> Attribute {
        return IntegerAttr::get(IntegerType::get(type.getContext(), 64), 0);
      });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}
Value Emitter::index(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return index(*constant);
  return cast<Value>(value);
}
Value Emitter::add(Value a, Value b) { return fold<arith::AddIOp>(a, b); }
Value Emitter::sub(Value a, Value b) { return fold<arith::SubIOp>(a, b); }
Value Emitter::mul(Value a, Value b) { return fold<arith::MulIOp>(a, b); }
Value Emitter::min(Value a, Value b) { return fold<arith::MinSIOp>(a, b); }
Value Emitter::max(Value a, Value b) { return fold<arith::MaxSIOp>(a, b); }
Value Emitter::both(Value a, Value b) { return fold<arith::AndIOp>(a, b); }
Value Emitter::select(Value cond, Value a, Value b) {
  return createOrFold<arith::SelectOp>(cond, a, b);
}
Value Emitter::lt(Value a, Value b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, a, b);
}
Value Emitter::le(Value a, Value b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sle, a, b);
}
Value Emitter::boolean(bool value) {
  return arith::ConstantOp::create(*this, getBoolAttr(value));
}
Value Emitter::i64(Value value) {
  return createOrFold<arith::IndexCastOp>(getI64Type(), value);
}
Value Emitter::i64(int64_t value) {
  return arith::ConstantOp::create(*this, getI64IntegerAttr(value));
}

Value Emitter::constant(Type type, int64_t value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(*this, getFloatAttr(type, double(value)));
  return arith::ConstantOp::create(*this, getIntegerAttr(type, value));
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
  auto metadata = memref::ExtractStridedMetadataOp::create(*this, memref);
  return OpFoldResult(metadata.getStrides()[dim]);
}

Value Emitter::pointer(Value memref, Value offset) {
  auto type = cast<MemRefType>(memref.getType());
  Value descriptor =
      UnrealizedConversionCastOp::create(*this, types.convertType(type), memref)
          .getResult(0);
  MemRefDescriptor view(descriptor);
  Value base = view.bufferPtr(*this, getLoc(), types, type);
  if (matchPattern(offset, m_Zero()))
    return base;
  return LLVM::GEPOp::create(*this, base.getType(),
                             types.convertType(type.getElementType()), base,
                             ValueRange{i64(offset)});
}

Value Emitter::memrefAt(Value pointer, MemRefType type) {
  Value descriptor =
      MemRefDescriptor::fromStaticShape(*this, getLoc(), types, type, pointer);
  return UnrealizedConversionCastOp::create(*this, type, descriptor)
      .getResult(0);
}

Value Emitter::bytesAfter(Value pointer, Value bytes) {
  if (matchPattern(bytes, m_Zero()))
    return pointer;
  return LLVM::GEPOp::create(*this, pointer.getType(), getI8Type(), pointer,
                             ValueRange{i64(bytes)});
}

int64_t Emitter::elementBytes(Type type) {
  if (type.isIndex())
    return 8;
  return llvm::PowerOf2Ceil(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Emitter::setEffort(scf::ForOp loop, Effort effort) {
  if (effort == Effort::Full)
    return;
  BoolAttr yes = getBoolAttr(true);
  auto unroll =
      LLVM::LoopUnrollAttr::get(getContext(), yes, {}, {}, {}, {}, {}, {});
  LLVM::LoopVectorizeAttr vectorize;
  if (effort == Effort::None)
    vectorize =
        LLVM::LoopVectorizeAttr::get(getContext(), yes, {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(getContext(), {}, vectorize, {},
                                              unroll, {}, {}, {}, {}, {}, {},
                                              {}, {}, {}, {}, {}));
}

scf::ForOp Emitter::loop(Value lower, Value upper, Value step,
                         llvm::function_ref<void(Value)> body, Effort effort) {
  auto loop = scf::ForOp::create(*this, lower, upper, step);
  setEffort(loop, effort);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
  return loop;
}

void Emitter::nest(ArrayRef<Value> lower, ArrayRef<Value> upper,
                   llvm::function_ref<void(ValueRange)> body, Effort effort) {
  OpBuilder::InsertionGuard guard(*this);
  SmallVector<Value> ivs;
  Value one = index(1);
  for (auto [from, to] : llvm::zip_equal(lower, upper)) {
    auto loop = scf::ForOp::create(*this, from, to, one);
    setEffort(loop, effort);
    setInsertionPointToStart(loop.getBody());
    ivs.push_back(loop.getInductionVar());
  }
  body(ivs);
}

void Emitter::when(Value cond, llvm::function_ref<void()> body,
                   llvm::function_ref<void()> otherwise) {
  std::optional<int64_t> known = getConstantIntValue(OpFoldResult(cond));
  if (known && *known)
    return body();
  if (known)
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

//===----------------------------------------------------------------------===//
// FunctionLibrary
//===----------------------------------------------------------------------===//

FunctionLibrary::FunctionLibrary(ModuleOp module)
    : symbols(module), module(module) {}

func::FuncOp FunctionLibrary::runtime(StringRef name, ArrayRef<Type> inputs,
                                      ArrayRef<Type> results) {
  if (auto function = symbols.lookup<func::FuncOp>(name))
    return function;
  return create(name, module.getLoc(),
                FunctionType::get(module.getContext(), inputs, results));
}

func::FuncOp FunctionLibrary::shared(
    StringRef prefix, StringRef key, Location loc, ArrayRef<Type> inputs,
    llvm::function_ref<void(OpBuilder &, ValueRange)> build) {
  func::FuncOp &function = sharedFunctions[key];
  if (function)
    return function;
  function = create(prefix + "_" + Twine(sharedFunctions.size() - 1), loc,
                    FunctionType::get(module.getContext(), inputs, {}));
  // One copy of the code, however many prologue steps call it.
  function->setAttr(
      "passthrough",
      ArrayAttr::get(module.getContext(),
                     StringAttr::get(module.getContext(), "noinline")));
  Block *entry = function.addEntryBlock();
  OpBuilder b = OpBuilder::atBlockBegin(entry);
  auto end = func::ReturnOp::create(b, loc);
  b.setInsertionPoint(end);
  func::FuncOp result = function;
  build(b, entry->getArguments());
  return result;
}

func::FuncOp FunctionLibrary::create(const Twine &name, Location loc,
                                     FunctionType type) {
  auto function = func::FuncOp::create(loc, name.str(), type);
  function.setPrivate();
  symbols.insert(function);
  return function;
}
