//===- ToPTXTranslation.cpp - tile-translate --tile-to-ptx ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Pipelines/Registration.h"
#include "tilepipe/Target/NVIDIA/PTX.h"
#include "tilepipe/Target/NVIDIA/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace tilepipe;

namespace {

/// Command line options of the translation; made where it is registered, so
/// that only tools have them.
struct Flags {
  llvm::cl::opt<std::string> chip{
      "chip", llvm::cl::desc("the GPU; empty: the module's target, else sm_80"),
      llvm::cl::init("")};
  llvm::cl::opt<std::string> features{
      "ptx-features",
      llvm::cl::desc("features of LLVM's back end, such as +ptx80"),
      llvm::cl::init("")};
  llvm::cl::opt<unsigned> indexBitwidth{
      "index-bitwidth",
      llvm::cl::desc(
          "width of index arithmetic: 32 or 64; 0: 32 where it fits"),
      llvm::cl::init(0)};
  llvm::cl::opt<unsigned> optLevel{
      "ptx-opt-level", llvm::cl::desc("optimisation of the back end, 0 to 3"),
      llvm::cl::init(3)};
  llvm::cl::opt<bool> lineInfo{
      "line-info", llvm::cl::desc("name the source lines of instructions"),
      llvm::cl::init(true)};
};

} // namespace

static void registerInputDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, DLTIDialect, func::FuncDialect,
                  gpu::GPUDialect, index::IndexDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  NVVM::NVVMDialect, nvgpu::NVGPUDialect, scf::SCFDialect,
                  ub::UBDialect, vector::VectorDialect>();
  registerDialects(registry);
}

void nvidia::registerToPTXTranslation() {
  static Flags flags;
  static TranslateFromMLIRRegistration translation(
      "tile-to-ptx", "PTX of tile IR of any phase, or of the llvm dialect",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        // Not the operation, which may be the whole module, below each error.
        module.getContext()->printOpOnDiagnostic(false);
        PTXOptions options;
        options.chip = flags.chip;
        options.features = flags.features;
        options.indexBitwidth = flags.indexBitwidth;
        options.optLevel = flags.optLevel;
        options.lineInfo = flags.lineInfo;
        FailureOr<PTXModule> ptx = compileToPTX(module, options);
        if (failed(ptx))
          return failure();
        os << ptx->text;
        return success();
      },
      registerInputDialects);
}
