//===- LowerRegisters.cpp - What threads keep in registers ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most operations of an unrolled kernel move numbers between stack buffers and
// the operands of matrix instructions. Here they become the few LLVM operations
// they are, before the conversion: one operation at a time it makes
// descriptors, arrays of vectors and index arithmetic of them, five times as
// many, for LLVM to fold again.
//
//===----------------------------------------------------------------------===//

#include "LowerToNVVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilepipe;

//===----------------------------------------------------------------------===//
// Stack buffers
//===----------------------------------------------------------------------===//

/// The element an access of constant indices touches, if `op` is one.
static std::optional<int64_t> getConstantOffset(Operation *op,
                                                memref::AllocaOp buffer) {
  ValueRange indices;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    indices = load.getIndices();
  else if (auto store = dyn_cast<memref::StoreOp>(op))
    indices = store.getIndices();
  else if (auto load = dyn_cast<vector::LoadOp>(op))
    indices = load.getIndices();
  else if (auto store = dyn_cast<vector::StoreOp>(op))
    indices = store.getIndices();
  else
    return std::nullopt;
  int64_t offset = 0;
  for (auto [index, size] : llvm::zip(indices, buffer.getType().getShape())) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    if (!constant || *constant < 0 || *constant >= size)
      return std::nullopt;
    offset = offset * size + *constant;
  }
  return offset;
}

static bool isPlain(Type element) {
  return element.isSignlessInteger() || element.isF16() || element.isBF16() ||
         element.isF32() || element.isF64();
}

static unsigned getBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8u);
}

/// The alignment of a vector access: what it promises, else the element's.
template <typename OpT> static unsigned getAccessAlignment(OpT op) {
  if (std::optional<uint64_t> alignment = op.getAlignment())
    return *alignment;
  return getBytes(op.getVectorType().getElementType());
}

namespace {

/// Replaces one stack buffer and its accesses.
class StackBuffer {
public:
  StackBuffer(memref::AllocaOp buffer)
      : buffer(buffer), builder(buffer),
        element(buffer.getType().getElementType()) {}

  /// False, with nothing changed, where an access is not at constant indices.
  bool lower();

private:
  Value getAddress(int64_t offset);
  void lowerAccess(Operation *op, Value address);

  memref::AllocaOp buffer;
  OpBuilder builder;
  Type element;
  Value base;
  DenseMap<int64_t, Value> addresses;
};

} // namespace

bool StackBuffer::lower() {
  MemRefType type = buffer.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !isPlain(element) || !buffer.getSymbolOperands().empty())
    return false;
  SmallVector<std::pair<Operation *, int64_t>> accesses;
  for (OpOperand &use : buffer->getUses()) {
    auto store = dyn_cast<memref::StoreOp>(use.getOwner());
    std::optional<int64_t> offset = getConstantOffset(use.getOwner(), buffer);
    if (!offset || (store && store.getValue() == buffer.getResult()))
      return false;
    accesses.emplace_back(use.getOwner(), *offset);
  }
  Location loc = buffer.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value count = LLVM::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(type.getNumElements()));
  constexpr unsigned alignment = 16; // of the largest vector
  base =
      LLVM::AllocaOp::create(builder, loc, pointer, element, count, alignment);
  for (auto [op, offset] : accesses)
    lowerAccess(op, getAddress(offset));
  buffer.erase();
  return true;
}

Value StackBuffer::getAddress(int64_t offset) {
  Value &address = addresses[offset];
  if (!address)
    address =
        LLVM::GEPOp::create(builder, buffer.getLoc(), base.getType(), element,
                            base, ArrayRef<LLVM::GEPArg>{int32_t(offset)},
                            LLVM::GEPNoWrapFlags::inbounds);
  return address;
}

void StackBuffer::lowerAccess(Operation *op, Value address) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  if (isa<memref::LoadOp>(op)) {
    op->replaceAllUsesWith(
        ValueRange{LLVM::LoadOp::create(b, loc, element, address).getResult()});
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    LLVM::StoreOp::create(b, loc, store.getValue(), address);
  } else if (auto load = dyn_cast<vector::LoadOp>(op)) {
    op->replaceAllUsesWith(
        ValueRange{LLVM::LoadOp::create(b, loc, load.getVectorType(), address,
                                        getAccessAlignment(load))
                       .getResult()});
  } else {
    auto vectorStore = cast<vector::StoreOp>(op);
    LLVM::StoreOp::create(b, loc, vectorStore.getValueToStore(), address,
                          getAccessAlignment(vectorStore));
  }
  op->erase();
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

namespace {

/// Lowers the matrix instructions of a function, in order.
class MmaLowering {
public:
  void lower(nvgpu::MmaSyncOp op);

private:
  Value getRow(Value matrix, int64_t row);
  Value getRegister(Value matrix, int64_t row);
  SmallVector<Value> getSums(Value matrix);

  /// Rows and registers that were taken out of a matrix before.
  DenseMap<std::pair<Value, int64_t>, Value> rows, registers;
  /// What a matrix instruction has returned.
  DenseMap<Value, SmallVector<Value>> sums;
};

} // namespace

static bool canLower(nvgpu::MmaSyncOp op) {
  auto a = cast<VectorType>(op.getMatrixA().getType());
  auto b = cast<VectorType>(op.getMatrixB().getType());
  auto c = cast<VectorType>(op.getMatrixC().getType());
  Type element = a.getElementType();
  return (element.isF16() || element.isBF16()) && c.getElementType().isF32() &&
         a.getRank() == 2 && b.getRank() == 2 && c.getRank() == 2 &&
         a.getDimSize(1) == 2 && b.getDimSize(1) == 2 && c.getDimSize(1) == 2 &&
         !op.getTf32Enabled();
}

/// The one vector that these are all elements of, in order.
static Value getSourceOf(ValueRange elements) {
  auto source = elements.front().getDefiningOp<vector::ToElementsOp>();
  return source && source.getElements() == elements ? source.getSource()
                                                    : Value();
}

/// A row of a matrix: the vector it was put together from, where that is known.
Value MmaLowering::getRow(Value matrix, int64_t row) {
  if (auto insert = matrix.getDefiningOp<vector::InsertOp>())
    if (ArrayRef<int64_t> at = insert.getStaticPosition();
        at.size() == 1 && !ShapedType::isDynamic(at.front()))
      return at.front() == row ? insert.getValueToStore()
                               : getRow(insert.getDest(), row);
  if (auto elements = matrix.getDefiningOp<vector::FromElementsOp>())
    if (Value source = getSourceOf(elements.getElements().slice(2 * row, 2)))
      return source;
  Value &known = rows[{matrix, row}];
  if (!known) {
    OpBuilder b(matrix.getContext());
    b.setInsertionPointAfterValue(matrix);
    known = vector::ExtractOp::create(b, matrix.getLoc(), matrix, row);
  }
  return known;
}

/// The same as what the instruction takes: two halves, or 32 bits of bfloat16.
Value MmaLowering::getRegister(Value matrix, int64_t row) {
  Value pair = getRow(matrix, row);
  if (cast<VectorType>(pair.getType()).getElementType().isF16())
    return pair;
  Value &known = registers[{matrix, row}];
  if (!known) {
    OpBuilder b(pair.getContext());
    b.setInsertionPointAfterValue(pair);
    known = LLVM::BitcastOp::create(b, pair.getLoc(), b.getI32Type(), pair);
  }
  return known;
}

SmallVector<Value> MmaLowering::getSums(Value matrix) {
  if (auto known = sums.find(matrix); known != sums.end())
    return known->second;
  if (auto elements = matrix.getDefiningOp<vector::FromElementsOp>())
    return SmallVector<Value>(elements.getElements());
  OpBuilder b(matrix.getContext());
  b.setInsertionPointAfterValue(matrix);
  auto type = cast<VectorType>(matrix.getType());
  SmallVector<Value> &result = sums[matrix];
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    result.push_back(vector::ExtractOp::create(
        b, matrix.getLoc(), matrix, ArrayRef<int64_t>{i / 2, i % 2}));
  return result;
}

void MmaLowering::lower(nvgpu::MmaSyncOp op) {
  Location loc = op.getLoc();
  auto a = cast<VectorType>(op.getMatrixA().getType());
  auto b = cast<VectorType>(op.getMatrixB().getType());
  auto c = cast<VectorType>(op.getMatrixC().getType());
  SmallVector<Value> aRegisters, bRegisters;
  for (int64_t row = 0; row < a.getDimSize(0); ++row)
    aRegisters.push_back(getRegister(op.getMatrixA(), row));
  for (int64_t row = 0; row < b.getDimSize(0); ++row)
    bRegisters.push_back(getRegister(op.getMatrixB(), row));
  SmallVector<Value> before = getSums(op.getMatrixC());

  OpBuilder builder(op);
  SmallVector<Type> fields(before.size(), builder.getF32Type());
  auto element =
      a.getElementType().isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  std::array<int64_t, 3> shape = op.getMmaShapeAsArray();
  Value product = NVVM::MmaOp::create(
      builder, loc, LLVM::LLVMStructType::getLiteral(op.getContext(), fields),
      aRegisters, bRegisters, before, ArrayRef<int64_t>(shape),
      /*b1Op=*/std::nullopt,
      /*intOverflow=*/std::nullopt,
      std::array<NVVM::MMATypes, 2>{element, element},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  SmallVector<Value> &after = sums[op.getRes()];
  for (size_t i = 0; i < before.size(); ++i)
    after.push_back(
        LLVM::ExtractValueOp::create(builder, loc, product, int64_t(i)));
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (auto extract = dyn_cast<vector::ExtractOp>(user))
      if (ArrayRef<int64_t> at = extract.getStaticPosition();
          at.size() == 2 && !extract.hasDynamicPosition()) {
        extract.replaceAllUsesWith(after[2 * at[0] + at[1]]);
        extract.erase();
      }
  if (llvm::all_of(op->getUsers(), llvm::IsaPred<nvgpu::MmaSyncOp>))
    return; // they find the sums
  op.replaceAllUsesWith(
      vector::FromElementsOp::create(builder, loc, c, after).getResult());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// What nothing uses any more, users first.
static void eraseDead(LLVM::LLVMFuncOp function) {
  SmallVector<Operation *> operations;
  function.walk([&](Operation *op) {
    if (isa_and_nonnull<vector::VectorDialect, nvgpu::NVGPUDialect>(
            op->getDialect()))
      operations.push_back(op);
  });
  for (Operation *op : llvm::reverse(operations))
    if (isOpTriviallyDead(op))
      op->erase();
}

void nvidia::lowerRegisters(LLVM::LLVMFuncOp function) {
  SmallVector<memref::AllocaOp> buffers;
  SmallVector<nvgpu::MmaSyncOp> products;
  function.walk([&](Operation *op) {
    if (auto buffer = dyn_cast<memref::AllocaOp>(op))
      buffers.push_back(buffer);
    else if (auto product = dyn_cast<nvgpu::MmaSyncOp>(op))
      if (canLower(product))
        products.push_back(product);
  });
  MmaLowering lowering;
  for (nvgpu::MmaSyncOp product : products)
    lowering.lower(product);
  for (memref::AllocaOp buffer : buffers)
    StackBuffer(buffer).lower();
  eraseDead(function);
}
