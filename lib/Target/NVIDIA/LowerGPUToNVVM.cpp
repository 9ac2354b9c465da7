//===- LowerGPUToNVVM.cpp - The last step to the llvm dialect -------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerToNVVM.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Dialect/Tile/Transforms/ExpandFloat8.h"
#include "tilepipe/Target/NVIDIA/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilepipe;

namespace tilepipe::nvidia {
#define GEN_PASS_DEF_LOWERGPUTONVVM
#include "tilepipe/Target/NVIDIA/Passes.h.inc"
} // namespace tilepipe::nvidia

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Memory spaces are those of NVVM: generic 0, global 1, shared 3.
static unsigned getAddressSpace(Attribute space) {
  if (auto gpuSpace = dyn_cast_or_null<gpu::AddressSpaceAttr>(space)) {
    if (gpuSpace.getValue() == gpu::AddressSpace::Global)
      return 1;
    return gpuSpace.getValue() == gpu::AddressSpace::Workgroup ? 3 : 0;
  }
  if (auto tileSpace = dyn_cast_or_null<tile::SpaceAttr>(space)) {
    if (tileSpace.getValue() == tile::MemorySpace::Global)
      return 1;
    return tileSpace.getValue() == tile::MemorySpace::Shared ? 3 : 0;
  }
  if (auto number = dyn_cast_or_null<IntegerAttr>(space))
    return number.getInt();
  return 0;
}

static void addTypeConversions(LLVMTypeConverter &types) {
  types.addTypeAttributeConversion(
      [](BaseMemRefType type, Attribute space) -> Attribute {
        return IntegerAttr::get(IntegerType::get(type.getContext(), 64),
                                getAddressSpace(space));
      });
  types.addConversion([](nvgpu::DeviceAsyncTokenType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  types.addConversion([](nvgpu::MBarrierTokenType type) -> Type {
    return IntegerType::get(type.getContext(), 64);
  });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// As on the other targets: what does not fit becomes the nearest that does,
/// and no number 0. Conversions to the widths of registers do so by themselves.
template <typename OpT>
struct SaturateFloatToInt : ConvertOpToLLVMPattern<OpT> {
  SaturateFloatToInt(const LLVMTypeConverter &types)
      : ConvertOpToLLVMPattern<OpT>(types, /*benefit=*/2) {}
  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    auto integer =
        type ? dyn_cast<IntegerType>(getElementTypeOrSelf(type)) : nullptr;
    if (!integer || llvm::is_contained({16u, 32u, 64u}, integer.getWidth()))
      return failure();
    constexpr bool isSigned = std::is_same_v<OpT, arith::FPToSIOp>;
    Value value = adaptor.getOperands().front();
    if (integer.getWidth() == 1 && isa<FloatType>(value.getType())) {
      // LLVM 22 selects a comparison with 0 for a conversion to one bit.
      Value bound = LLVM::ConstantOp::create(
          rewriter, op.getLoc(),
          rewriter.getFloatAttr(value.getType(), isSigned ? -1.0 : 1.0));
      rewriter.replaceOpWithNewOp<LLVM::FCmpOp>(
          op, isSigned ? LLVM::FCmpPredicate::ole : LLVM::FCmpPredicate::oge,
          value, bound);
      return success();
    }
    StringRef name = isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, rewriter.getStringAttr(name), adaptor.getOperands());
    return success();
  }
};

static std::optional<LLVM::AtomicBinOp>
getAtomicKind(arith::AtomicRMWKind kind) {
  switch (kind) {
  case arith::AtomicRMWKind::addf:
    return LLVM::AtomicBinOp::fadd;
  case arith::AtomicRMWKind::addi:
    return LLVM::AtomicBinOp::add;
  case arith::AtomicRMWKind::assign:
    return LLVM::AtomicBinOp::xchg;
  case arith::AtomicRMWKind::maximumf:
    return LLVM::AtomicBinOp::fmaximum;
  case arith::AtomicRMWKind::maxnumf:
    return LLVM::AtomicBinOp::fmax;
  case arith::AtomicRMWKind::minimumf:
    return LLVM::AtomicBinOp::fminimum;
  case arith::AtomicRMWKind::minnumf:
    return LLVM::AtomicBinOp::fmin;
  case arith::AtomicRMWKind::maxs:
    return LLVM::AtomicBinOp::max;
  case arith::AtomicRMWKind::maxu:
    return LLVM::AtomicBinOp::umax;
  case arith::AtomicRMWKind::mins:
    return LLVM::AtomicBinOp::min;
  case arith::AtomicRMWKind::minu:
    return LLVM::AtomicBinOp::umin;
  case arith::AtomicRMWKind::andi:
    return LLVM::AtomicBinOp::_and;
  case arith::AtomicRMWKind::ori:
    return LLVM::AtomicBinOp::_or;
  case arith::AtomicRMWKind::xori:
    return LLVM::AtomicBinOp::_xor;
  default:
    return std::nullopt;
  }
}

/// Updates need no order beyond being atomic: the barrier at the end of the
/// kernel publishes them. MLIR's own lowering orders them system-wide.
struct LowerAtomic : ConvertOpToLLVMPattern<memref::AtomicRMWOp> {
  LowerAtomic(const LLVMTypeConverter &types)
      : ConvertOpToLLVMPattern(types, /*benefit=*/2) {}
  LogicalResult
  matchAndRewrite(memref::AtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<LLVM::AtomicBinOp> kind = getAtomicKind(op.getKind());
    if (!kind)
      return failure();
    Value address =
        getStridedElementPtr(rewriter, op.getLoc(), op.getMemRefType(),
                             adaptor.getMemref(), adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::AtomicRMWOp>(
        op, *kind, address, adaptor.getValue(), LLVM::AtomicOrdering::monotonic,
        /*syncscope=*/"device");
    return success();
  }
};

struct LowerGPUToNVVM
    : public nvidia::impl::LowerGPUToNVVMBase<LowerGPUToNVVM> {
  using LowerGPUToNVVMBase::LowerGPUToNVVMBase;

  LogicalResult expand(gpu::GPUModuleOp module);
  LogicalResult lower(gpu::GPUModuleOp module);
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Before the conversion
//===----------------------------------------------------------------------===//

/// Operations that become others before the conversion.
static bool needsExpansion(Operation *op) {
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
          memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
          memref::ExtractStridedMetadataOp, memref::GenericAtomicRMWOp,
          affine::AffineApplyOp>(op))
    return true;
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return !nvidia::isSelectableMath(op);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return isFloat8(op->getOperand(0).getType()) ||
           isFloat8(op->getResult(0).getType());
  if (!isa_and_nonnull<vector::VectorDialect>(op->getDialect()))
    return false;
  if (auto elements = dyn_cast<vector::FromElementsOp>(op))
    return elements.getType().getRank() > 1;
  if (auto elements = dyn_cast<vector::ToElementsOp>(op))
    return elements.getSource().getType().getRank() > 1;
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return isa<VectorType>(broadcast.getSourceType()) ||
           cast<VectorType>(broadcast.getType()).getRank() > 1;
  return !isa<vector::LoadOp, vector::StoreOp, vector::ExtractOp,
              vector::InsertOp, vector::BitCastOp, vector::ShuffleOp,
              vector::FMAOp>(op);
}

/// Made only where there is something to expand: they take as long to make as a
/// small kernel to convert.
static FrozenRewritePatternSet getExpansions(MLIRContext *context) {
  RewritePatternSet patterns(context);
  nvidia::populateMathExpansionPatterns(patterns);
  populateExpandFloat8Patterns(patterns); // instructions came with sm_89
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  memref::populateExpandStridedMetadataPatterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerParallel);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::EltWise);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  vector::populateVectorToElementsUnrollPatterns(patterns);
  return FrozenRewritePatternSet(std::move(patterns));
}

/// What would fail in the conversion without a word of why.
static LogicalResult checkSupported(Operation *op) {
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
      !nvidia::isSelectableMath(op))
    return op->emitOpError(
               "has neither an instruction nor an approximation for ")
           << op->getResult(0).getType() << " on NVIDIA";
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    if (Type type = atomic.getValue().getType(); isFloat8(type))
      return op->emitOpError("has no instruction for elements of type ")
             << type;
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op))
    if (Type type = shuffle.getValue().getType();
        !type.isF32() && !type.isSignlessInteger(32))
      return op->emitOpError("exchanges values of 32 bits, not ") << type;
  return success();
}

/// Rewrites within the dialects: what has no direct counterpart in LLVM.
LogicalResult LowerGPUToNVVM::expand(gpu::GPUModuleOp module) {
  IRRewriter rewriter(&getContext());
  module.walk(
      [&](math::ExpOp op) { (void)nvidia::expandSingleExp(rewriter, op); });
  SmallVector<Operation *> worklist;
  module.walk([&](Operation *op) {
    if (needsExpansion(op))
      worklist.push_back(op);
  });
  if (!worklist.empty()) {
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(worklist, getExpansions(&getContext()),
                                  config);
  }
  WalkResult result =
      module.walk([](Operation *op) { return WalkResult(checkSupported(op)); });
  if (result.wasInterrupted())
    return failure();

  RewritePatternSet structured(&getContext());
  populateSCFToControlFlowConversionPatterns(structured);
  ConversionTarget target(getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<scf::ForallOp, scf::ForOp, scf::IfOp, scf::IndexSwitchOp,
                      scf::ParallelOp, scf::WhileOp, scf::ExecuteRegionOp>();
  return applyPartialConversion(module, target, std::move(structured));
}

/// Stack buffers of constant size outside of the entry block would grow the
/// stack each time; LLVM makes registers only of those in the entry block.
static void hoistAllocas(LLVM::LLVMFuncOp function) {
  Block &entry = function.getBody().front();
  SmallVector<memref::AllocaOp> allocas;
  function.walk([&](memref::AllocaOp alloca) {
    if (alloca.getType().hasStaticShape() && alloca->getBlock() != &entry)
      allocas.push_back(alloca);
  });
  for (memref::AllocaOp alloca : allocas)
    alloca->moveBefore(&entry, entry.begin());
}

//===----------------------------------------------------------------------===//
// The conversion
//===----------------------------------------------------------------------===//

static void populatePatterns(LLVMTypeConverter &types,
                             RewritePatternSet &patterns,
                             SymbolTableCollection &symbols) {
  patterns.add<LowerAtomic, SaturateFloatToInt<arith::FPToSIOp>,
               SaturateFloatToInt<arith::FPToUIOp>>(types);
  populateGpuToNVVMConversionPatterns(types, patterns);
  populateNVGPUToNVVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  index::populateIndexToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns, &symbols);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns, &symbols);
  // Before those of the GPU dialect, which call libdevice.
  populateMathToLLVMConversionPatterns(types, patterns,
                                       /*approximateLog1p=*/true,
                                       /*benefit=*/2);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
}

/// What the conversion of scf.for passes on about a loop is an attribute that
/// the translation does not look at.
/// The conversion puts descriptors and matrices together for their users to
/// take apart; what is asked of them is an operand somewhere.
static void forwardAggregates(LLVM::LLVMFuncOp function) {
  SmallVector<Operation *> inserts;
  function.walk([&](Operation *op) {
    if (isa<LLVM::InsertValueOp, LLVM::PoisonOp, LLVM::UndefOp>(op))
      inserts.push_back(op);
    auto extract = dyn_cast<LLVM::ExtractValueOp>(op);
    if (!extract)
      return;
    Value value = extract.getContainer();
    while (auto insert = value.getDefiningOp<LLVM::InsertValueOp>()) {
      if (insert.getPosition() == extract.getPosition()) {
        extract.replaceAllUsesWith(insert.getValue());
        extract.erase();
        return;
      }
      // One position within another: neither is passed by.
      size_t depth =
          std::min(insert.getPosition().size(), extract.getPosition().size());
      if (insert.getPosition().take_front(depth) ==
          extract.getPosition().take_front(depth))
        return;
      value = insert.getContainer();
    }
  });
  for (Operation *op : llvm::reverse(inserts))
    if (op->use_empty())
      op->erase();
}

static void setLoopAnnotation(LLVM::BrOp branch) {
  if (auto annotation = branch->getAttrOfType<LLVM::LoopAnnotationAttr>(
          "llvm.loop_annotation")) {
    branch->removeAttr("llvm.loop_annotation");
    branch.setLoopAnnotationAttr(annotation);
  }
}

LogicalResult LowerGPUToNVVM::lower(gpu::GPUModuleOp module) {
  MLIRContext *context = &getContext();
  LowerToLLVMOptions options(context);
  unsigned width =
      indexBitwidth ? indexBitwidth : nvidia::chooseIndexBitwidth(module);
  options.overrideIndexBitwidth(width);
  LLVMTypeConverter types(context, options);
  addTypeConversions(types);
  for (auto kernel :
       llvm::make_early_inc_range(module.getOps<gpu::GPUFuncOp>())) {
    if (!kernel.isKernel())
      return kernel.emitOpError("is not a kernel: use func.func for functions "
                                "that kernels call");
    if (failed(nvidia::lowerKernelSignature(kernel, types)))
      return failure();
    ++numKernels;
  }
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    hoistAllocas(function);
    nvidia::lowerRegisters(function);
  }
  if (failed(expand(module)))
    return failure();
  auto internal = LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      function->setAttr("llvm.linkage", internal);

  RewritePatternSet patterns(context);
  SymbolTableCollection symbols;
  populatePatterns(types, patterns, symbols);
  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addLegalOp<gpu::GPUModuleOp, UnrealizedConversionCastOp>();
  target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                           func::FuncDialect, math::MathDialect,
                           memref::MemRefDialect, vector::VectorDialect>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return failure();
  nvidia::recordIndexBitwidth(module, width);
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  reconcileUnrealizedCasts(casts);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    forwardAggregates(function);
    if (function.getLinkage() == LLVM::Linkage::Internal)
      function.setAlwaysInline(true);
  }
  module.walk(setLoopAnnotation);
  return success();
}

void LowerGPUToNVVM::runOnOperation() {
  if (indexBitwidth != 0 && indexBitwidth != 32 && indexBitwidth != 64) {
    emitError(getOperation()->getLoc(),
              "index-bitwidth must be 0, 32 or 64, not ")
        << unsigned(indexBitwidth);
    return signalPassFailure();
  }
  if (indexBitwidth == 32 &&
      getOperation()->walk(nvidia::checkIndexElements).wasInterrupted())
    return signalPassFailure();
  SmallVector<gpu::GPUModuleOp> modules;
  getOperation()->walk<WalkOrder::PreOrder>([&](gpu::GPUModuleOp module) {
    modules.push_back(module);
    return WalkResult::skip();
  });
  for (gpu::GPUModuleOp module : modules)
    if (failed(lower(module)))
      return signalPassFailure();
}
