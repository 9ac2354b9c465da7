//===- ConvertTileToCPU.cpp - Lower tile operations to loops --------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tilepipe/Dialect/Tile/Transforms/ConvertElement.h"
#include "tilepipe/Target/CPU/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;

namespace tilepipe::cpu {
#define GEN_PASS_DEF_CONVERTTILETOCPU
#include "tilepipe/Target/CPU/Passes.h.inc"
} // namespace tilepipe::cpu

//===----------------------------------------------------------------------===//
// What cannot be lowered
//===----------------------------------------------------------------------===//

static LogicalResult checkType(Operation *op, Type type) {
  if (auto memref = dyn_cast<MemRefType>(type)) {
    if (!memref.isStrided())
      return op->emitOpError("cannot be lowered to the CPU: layout of ")
             << memref << " is not strided";
    type = memref.getElementType();
  }
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  if (!type.isIntOrIndexOrFloat() || tile::isSupportedElement(type))
    return success();
  // Constants that folding made have no place of their own.
  Operation *place = op;
  while (isa<UnknownLoc>(place->getLoc()) && place->getParentOp())
    place = place->getParentOp();
  return emitError(place->getLoc())
         << "'" << op->getName() << "' op cannot be lowered to the CPU: type "
         << type << " is not supported";
}

/// Statements move elements themselves, and so must know what they are.
static LogicalResult checkElements(Operation *op) {
  for (Type type : llvm::concat<const Type>(
           llvm::to_vector(op->getOperandTypes()),
           llvm::to_vector(op->getResultTypes())))
    if (auto memref = dyn_cast<MemRefType>(type);
        memref && !tile::isSupportedElement(memref.getElementType()))
      return op->emitOpError("cannot be lowered to the CPU: type ")
             << memref.getElementType() << " is not supported";
  return success();
}

static LogicalResult checkModule(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    bool isTile = isa_and_nonnull<tile::TileDialect>(op->getDialect());
    if (isTile && failed(checkElements(op)))
      return WalkResult::interrupt();
    for (TypeRange types :
         {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        if (failed(checkType(op, type)))
          return WalkResult::interrupt();
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (Type type : function.getFunctionType().getInputs()) {
        if (isa<tile::TokenType>(type))
          return function.emitOpError("cannot be lowered to the CPU: takes a ")
                 << type;
        if (failed(checkType(op, type)))
          return WalkResult::interrupt();
      }
    }
    if (isTile && !op->getParentOfType<func::FuncOp>())
      return op->emitOpError("cannot be lowered to the CPU outside a function");
    if (auto copy = dyn_cast<memref::CopyOp>(op);
        copy && (isa<UnrankedMemRefType>(copy.getSource().getType()) ||
                 isa<UnrankedMemRefType>(copy.getTarget().getType())))
      return op->emitOpError("cannot be lowered to the CPU: the rank of what "
                             "it copies is not known");
    if (auto launch = op->getParentOfType<tile::LaunchOp>();
        launch && isa<tile::LaunchOp>(op)) {
      InFlightDiagnostic diag =
          op->emitOpError("cannot be lowered to the CPU inside another launch");
      diag.attachNote(launch.getLoc()) << "which is here";
      return diag;
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Lowers each `OpTs` of the module, inner ones first.
template <typename... OpTs> static void lowerAll(cpu::Lowering &l) {
  SmallVector<Operation *> ops;
  l.module.walk([&](Operation *op) {
    if (isa<OpTs...>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    TypeSwitch<Operation *>(op).Case<OpTs...>(
        [&](auto concrete) { cpu::lower(l, concrete); });
}

/// Tokens become 64-bit numbers wherever they are passed on.
static void convertTokens(ModuleOp module) {
  Type number = IntegerType::get(module.getContext(), 64);
  auto convert = [&](Value value) {
    if (isa<tile::TokenType>(value.getType()))
      value.setType(number);
  };
  module.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), convert);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), convert);
  });
}

namespace {

struct ConvertTileToCPU
    : public cpu::impl::ConvertTileToCPUBase<ConvertTileToCPU> {
  using ConvertTileToCPUBase::ConvertTileToCPUBase;

  void runOnOperation() override;
};

} // namespace

void ConvertTileToCPU::runOnOperation() {
  ModuleOp module = getOperation();
  if (async != "inline" && async != "runtime") {
    module.emitError("unknown value '") << async << "' of option 'async'";
    return signalPassFailure();
  }
  if (failed(checkModule(module)))
    return signalPassFailure();

  LowerToLLVMOptions llvmOptions(&getContext());
  cpu::Lowering l(module, llvmOptions);
  l.asyncRuntime = async == "runtime";
  l.sanitize = sanitize;
  l.vectorBits = vectorBits;

  convertTokens(module);
  if (l.asyncRuntime && l.sanitize) {
    SmallVector<Operation *> accesses;
    module.walk([&](tile::AccessOpInterface op) { accesses.push_back(op); });
    for (Operation *op : accesses)
      cpu::insertChecks(l, op);
  }
  // Statements first: they must see which buffers they share.
  lowerAll<tile::CopyOp, memref::CopyOp, tile::FillOp, tile::GemmOp,
           tile::ReduceOp, tile::AtomicOp, tile::AsyncCopyOp, cf::AssertOp>(l);
  lowerAll<tile::AsyncCommitOp, tile::AsyncNoneOp, tile::AsyncWaitOp>(l);
  lowerAll<tile::SlotOp, tile::IterationOp, tile::MapOp, tile::PipelineOp>(l);
  SmallVector<Operation *> scopes;
  module.walk([&](Operation *op) {
    if (isa<func::FuncOp, tile::LaunchOp>(op))
      scopes.push_back(op);
  });
  for (Operation *scope : scopes)
    cpu::lowerAllocs(l, scope);
  lowerAll<tile::LaunchOp>(l);

  module->removeAttr("tile.target");
  module.walk([](func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, tile::kSizesAttr);
  });
  numFunctions += l.functions.getNumShared();
  numBlockedGemms += l.numBlockedGemms;
  numPlainGemms += l.numPlainGemms;
}
