//===- KernelSignature.cpp - What a kernel takes --------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerToNVVM.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilepipe;

/// The address space of global memory (PTX `.global`).
static constexpr unsigned kGlobal = 1;

namespace {

/// Builds the parameters of one kernel and the values its body uses.
class SignatureBuilder {
public:
  SignatureBuilder(gpu::GPUFuncOp kernel, const LLVMTypeConverter &types)
      : kernel(kernel), types(types), builder(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult addParameters(BlockArgument argument);
  LogicalResult addMemRefParameters(BlockArgument argument, MemRefType type);
  Value createDescriptor(MemRefType type, ValueRange parameters, Location loc);
  Value fitIndex(Value wide, Location loc);
  LLVM::LLVMFuncOp createFunction();

  gpu::GPUFuncOp kernel;
  const LLVMTypeConverter &types;
  OpBuilder builder;
  SmallVector<Type> parameterTypes;
  SmallVector<DictionaryAttr> parameterAttrs;
  /// How many parameters each argument has become.
  SmallVector<unsigned> counts;
};

} // namespace

LogicalResult SignatureBuilder::addMemRefParameters(BlockArgument argument,
                                                    MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return kernel.emitOpError("cannot take argument ")
           << argument.getArgNumber() << " of type " << type
           << ": only strided layouts without an offset can be passed";
  FailureOr<unsigned> space = types.getMemRefAddressSpace(type);
  if (failed(space) || (*space != 0 && *space != kGlobal))
    return kernel.emitOpError("cannot take argument ")
           << argument.getArgNumber() << " of type " << type
           << ": only global memory can be passed";
  if (!types.convertType(type.getElementType()))
    return kernel.emitOpError("cannot take argument ")
           << argument.getArgNumber() << ": no counterpart of element type "
           << type.getElementType();
  NamedAttrList attrs;
  attrs.set(LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  attrs.set(LLVM::LLVMDialect::getAlignAttrName(),
            builder.getI64IntegerAttr(16));
  parameterTypes.push_back(
      LLVM::LLVMPointerType::get(builder.getContext(), kGlobal));
  parameterAttrs.push_back(attrs.getDictionary(builder.getContext()));
  unsigned numDynamic = llvm::count_if(type.getShape(), ShapedType::isDynamic) +
                        llvm::count_if(strides, ShapedType::isDynamic);
  if (type.getLayout().isIdentity()) // strides are products of sizes
    numDynamic = type.getNumDynamicDims();
  parameterTypes.append(numDynamic, builder.getI64Type());
  parameterAttrs.append(numDynamic, builder.getDictionaryAttr({}));
  counts.push_back(1 + numDynamic);
  return success();
}

LogicalResult SignatureBuilder::addParameters(BlockArgument argument) {
  Type type = argument.getType();
  if (auto memref = dyn_cast<MemRefType>(type))
    return addMemRefParameters(argument, memref);
  Type converted =
      type.isIndex() ? builder.getI64Type() : types.convertType(type);
  if (!converted || !type.isIntOrIndexOrFloat())
    return kernel.emitOpError("cannot take argument ")
           << argument.getArgNumber() << " of type " << type;
  parameterTypes.push_back(converted);
  parameterAttrs.push_back(builder.getDictionaryAttr({}));
  counts.push_back(1);
  return success();
}

/// Sizes and strides come as 64 bits and are used as indices.
Value SignatureBuilder::fitIndex(Value wide, Location loc) {
  if (types.getIndexTypeBitwidth() == 64)
    return wide;
  return LLVM::TruncOp::create(builder, loc, types.getIndexType(), wide);
}

Value SignatureBuilder::createDescriptor(MemRefType type, ValueRange parameters,
                                         Location loc) {
  Value pointer = parameters.front();
  unsigned space = *types.getMemRefAddressSpace(type);
  if (space != kGlobal)
    pointer = LLVM::AddrSpaceCastOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), space),
        pointer);
  if (type.hasStaticShape() && type.getLayout().isIdentity())
    return MemRefDescriptor::fromStaticShape(builder, loc, types, type,
                                             pointer);
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, types.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  descriptor.setConstantOffset(builder, loc, 0);
  ValueRange rest = parameters.drop_front();
  auto next = [&] {
    Value value = fitIndex(rest.front(), loc);
    rest = rest.drop_front();
    return value;
  };
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(size)) {
      sizes.push_back(next());
    } else {
      sizes.push_back(LLVM::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(types.getIndexType(), size)));
    }
    descriptor.setSize(builder, loc, dim, sizes.back());
  }
  if (!type.getLayout().isIdentity()) {
    for (auto [dim, stride] : llvm::enumerate(strides)) {
      if (ShapedType::isDynamic(stride))
        descriptor.setStride(builder, loc, dim, next());
      else
        descriptor.setConstantStride(builder, loc, dim, stride);
    }
    return descriptor;
  }
  Value running;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (ShapedType::isDynamic(strides[dim]))
      descriptor.setStride(builder, loc, dim, running);
    else
      descriptor.setConstantStride(builder, loc, dim, strides[dim]);
    running = running ? LLVM::MulOp::create(builder, loc, running, sizes[dim],
                                            LLVM::IntegerOverflowFlags::nsw)
                      : sizes[dim];
  }
  return descriptor;
}

LLVM::LLVMFuncOp SignatureBuilder::createFunction() {
  MLIRContext *context = builder.getContext();
  builder.setInsertionPoint(kernel);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          parameterTypes);
  auto function = LLVM::LLVMFuncOp::create(
      builder, kernel.getLoc(), kernel.getName(), type, LLVM::Linkage::External,
      /*dsoLocal=*/false, LLVM::CConv::C, /*comdat=*/nullptr,
      /*attrs=*/{}, parameterAttrs);
  for (NamedAttribute attr : kernel->getDiscardableAttrs())
    if (attr.getName() != gpu::GPUDialect::getKernelFuncAttrName() &&
        attr.getName() != kernel.getNumWorkgroupAttributionsAttrName())
      function->setDiscardableAttr(attr.getName(), attr.getValue());
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  if (DenseI32ArrayAttr size = kernel.getKnownBlockSizeAttr()) {
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), size);
    // What bounds the thread index where it is lowered.
    gpu::GPUDialect::KnownBlockSizeAttrHelper(context).setAttr(function, size);
  }
  if (DenseI32ArrayAttr size = kernel.getKnownGridSizeAttr())
    gpu::GPUDialect::KnownGridSizeAttrHelper(context).setAttr(function, size);
  return function;
}

LogicalResult SignatureBuilder::run() {
  if (kernel.getNumWorkgroupAttributions() ||
      kernel.getNumPrivateAttributions())
    return kernel.emitOpError("has memory attributions, which are not "
                              "supported: use a global or memref.alloca");
  if (kernel.isExternal())
    return kernel.emitOpError("has no body");
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (failed(addParameters(argument)))
      return failure();

  LLVM::LLVMFuncOp function = createFunction();
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  ValueRange parameters = entry->getArguments();
  for (auto [argument, count] : llvm::zip_equal(body.getArguments(), counts)) {
    Location loc = argument.getLoc();
    Value value = parameters.front();
    if (auto memref = dyn_cast<MemRefType>(argument.getType()))
      value = createDescriptor(memref, parameters.take_front(count), loc);
    else if (argument.getType().isIndex())
      value = fitIndex(value, loc);
    if (value.getType() != argument.getType())
      value = UnrealizedConversionCastOp::create(builder, loc,
                                                 argument.getType(), value)
                  .getResult(0);
    argument.replaceAllUsesWith(value);
    parameters = parameters.drop_front(count);
  }
  body.eraseArguments(0, body.getNumArguments());
  entry->getOperations().splice(entry->end(), body.getOperations());
  Region &blocks = kernel.getBody();
  function.getBody().getBlocks().splice(
      function.getBody().end(), blocks.getBlocks(), std::next(blocks.begin()),
      blocks.end());
  kernel.erase();
  return success();
}

LogicalResult nvidia::lowerKernelSignature(gpu::GPUFuncOp kernel,
                                           const LLVMTypeConverter &types) {
  return SignatureBuilder(kernel, types).run();
}
