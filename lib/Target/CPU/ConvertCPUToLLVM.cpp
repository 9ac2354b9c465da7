//===- ConvertCPUToLLVM.cpp - The last step to the llvm dialect -----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "tilepipe/Dialect/Tile/Transforms/ExpandFloat8.h"
#include "tilepipe/Target/CPU/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilepipe;

namespace tilepipe::cpu {
#define GEN_PASS_DEF_CONVERTCPUTOLLVM
#include "tilepipe/Target/CPU/Passes.h.inc"
} // namespace tilepipe::cpu

//===----------------------------------------------------------------------===//
// Before the conversion
//===----------------------------------------------------------------------===//

namespace {

/// Rounding from double straight to 16 bits or 8 has no instruction; the
/// compiler's library routine for it need not exist in this process.
struct TruncDouble : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type to = op.getType();
    if (!op.getIn().getType().isF64())
      return failure();
    StringRef name = to.isF16()              ? "tilepipe_rt_double_to_half"
                     : to.isBF16()           ? "tilepipe_rt_double_to_bfloat"
                     : isa<Float8E4M3FNType>(to) ? "tilepipe_rt_double_to_e4m3"
                     : isa<Float8E5M2Type>(to) ? "tilepipe_rt_double_to_e5m2"
                                               : "";
    if (name.empty())
      return failure();
    Type bits = rewriter.getI16Type();
    auto module = op->getParentOfType<ModuleOp>();
    if (!module.lookupSymbol(name)) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      func::FuncOp::create(
          rewriter, module.getLoc(), name,
          rewriter.getFunctionType(rewriter.getF64Type(), bits))
          .setPrivate();
    }
    auto call = func::CallOp::create(rewriter, op.getLoc(), name, bits,
                                     ValueRange{op.getIn()});
    Value result = call.getResult(0);
    if (isFloat8(to))
      result = arith::TruncIOp::create(rewriter, op.getLoc(),
                                       rewriter.getI8Type(), result);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, result);
    return success();
  }
};

/// Float to integer out of range is undefined in arith; here it saturates, so
/// that results do not depend on the instructions chosen.
template <typename OpT> struct SaturateFloatToInt : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StringRef name = std::is_same_v<OpT, arith::FPToSIOp> ? "llvm.fptosi.sat"
                                                          : "llvm.fptoui.sat";
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (!type || isa<LLVM::LLVMArrayType>(type))
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, rewriter.getStringAttr(name), adaptor.getOperands());
    return success();
  }
};

/// Math on floats of 16 bits and fewer is done in single precision.
struct WidenMath : RewritePattern {
  WidenMath(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        op->getNumResults() != 1 || isa<math::AbsFOp, math::CopySignOp>(op))
      return failure();
    auto isNarrow = [](Type type) {
      Type element = getElementTypeOrSelf(type);
      return element.isF16() || element.isBF16() || isFloat8(element);
    };
    auto widen = [&](Type type) -> Type {
      if (auto vector = dyn_cast<VectorType>(type))
        return vector.clone(rewriter.getF32Type());
      return rewriter.getF32Type();
    };
    if (!isNarrow(op->getResult(0).getType()) &&
        llvm::none_of(op->getOperandTypes(), isNarrow))
      return failure();
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : operands)
      if (isNarrow(operand.getType()))
        operand = arith::ExtFOp::create(rewriter, op->getLoc(),
                                        widen(operand.getType()), operand);
    Type type = op->getResult(0).getType();
    OperationState state(op->getLoc(), op->getName(), operands,
                         isNarrow(type) ? widen(type) : type, op->getAttrs());
    Value result = rewriter.create(state)->getResult(0);
    if (isNarrow(type))
      result = arith::TruncFOp::create(rewriter, op->getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ConvertCPUToLLVM
    : public cpu::impl::ConvertCPUToLLVMBase<ConvertCPUToLLVM> {
  using ConvertCPUToLLVMBase::ConvertCPUToLLVMBase;

  LogicalResult expand();
  void runOnOperation() override;
};

} // namespace

/// Rewrites within the dialects: what has no direct counterpart in LLVM.
LogicalResult ConvertCPUToLLVM::expand() {
  RewritePatternSet patterns(&getContext());
  patterns.add<TruncDouble, WidenMath>(&getContext());
  populateExpandFloat8Patterns(patterns);
  populateMathPolynomialApproximationPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateExpandBFloat16Patterns(patterns);
  vector::populateVectorContractLoweringPatterns(
      patterns, vector::VectorContractLowering::OuterProduct);
  vector::populateVectorOuterProductLoweringPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerParallel);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::Shuffle16x16);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  GreedyRewriteConfig config;
  config.enableFolding(true);
  return applyPatternsGreedily(getOperation(), std::move(patterns), config);
}

/// What `Emitter::setEffort` says about a loop comes with its back edge.
static void moveLoopAnnotations(ModuleOp module) {
  module.walk([](LLVM::BrOp latch) {
    auto annotation = latch->getDiscardableAttr("llvm.loop_annotation");
    if (!annotation)
      return;
    latch.setLoopAnnotationAttr(cast<LLVM::LoopAnnotationAttr>(annotation));
    latch->removeDiscardableAttr("llvm.loop_annotation");
  });
}

/// The conversion of types has no place to name.
static LogicalResult checkLayouts(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    auto isRefused = [](Type type) {
      auto memref = dyn_cast<MemRefType>(type);
      return memref && !memref.isStrided();
    };
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      llvm::append_range(types, function.getArgumentTypes());
      llvm::append_range(types, function.getResultTypes());
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    auto found = llvm::find_if(types, isRefused);
    if (found != types.end())
      return op->emitOpError("cannot be lowered to the CPU: layout of ")
             << *found << " is not strided";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void ConvertCPUToLLVM::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(checkLayouts(module)))
    return signalPassFailure();
  if (failed(expand()))
    return signalPassFailure();
  auto internal =
      LLVM::LinkageAttr::get(&getContext(), LLVM::Linkage::Internal);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.isPrivate()) // else code that is inlined is kept as well
      function->setAttr("llvm.linkage", internal);
    else
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                        UnitAttr::get(&getContext()));
  }

  LowerToLLVMOptions options(&getContext());
  LLVMTypeConverter types(&getContext(), options);
  cpu::addMemorySpaceConversions(types);
  RewritePatternSet patterns(&getContext());
  SymbolTableCollection symbols;
  patterns.add<SaturateFloatToInt<arith::FPToSIOp>,
               SaturateFloatToInt<arith::FPToUIOp>>(types, &getContext(),
                                                    /*benefit=*/2);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  cf::populateAssertToLLVMConversionPattern(types, patterns);
  index::populateIndexToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns, &symbols);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns, &symbols);
  populateMathToLLVMConversionPatterns(types, patterns);
  populateMathToLibmConversionPatterns(patterns, /*benefit=*/0);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);

  LLVMConversionTarget target(getContext());
  target.addLegalOp<ModuleOp>();
  target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                           func::FuncDialect, math::MathDialect,
                           memref::MemRefDialect, vector::VectorDialect>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return signalPassFailure();
  moveLoopAnnotations(module);
}
