//===- TranslateToCCE.cpp - A module as CCE text ----------------------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CCEPrinter.h"
#include "tilepipe/Pipelines/Registration.h"
#include "tilepipe/Target/Ascend/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

/// What the file is, and how it might be compiled.
static void printHeader(raw_ostream &os, ModuleOp module) {
  os << "// CCE of dav-2201 (dav-c220), emitted by tilepipe. Flags and "
        "barriers "
        "are all\n// there: compile with --cce-auto-sync=off. Not compiled "
        "here, "
        "options as published\n// in pto-isa:\n";
  bool cube = false, vector = false;
  for (FuncOp function : module.getOps<FuncOp>())
    (function.isCube() ? cube : vector) = true;
  for (StringRef core : {"cube", "vec"}) {
    if (!(core == "cube" ? cube : vector))
      continue;
    os << "//   bisheng -xcce -O2 -std=c++17 --cce-aicore-arch=dav-c220-"
       << core
       << " \\\n//     -mllvm -cce-aicore-stack-size=0x8000 -mllvm "
          "-cce-aicore-addr-transform \\\n//     --cce-auto-sync=off "
          "-DMEMORY_BASE -c kernel.cpp\n";
  }
}

static void printHelpers(raw_ostream &os, const CCEHelpers &helpers) {
  if (helpers.scalar)
    os << R"(
// Scalar accesses; an emulator brings its own.
#ifndef TILEPIPE_CCE_EMULATOR
template <typename T> __aicore__ inline T tp_load(__ubuf__ T *p) { return *p; }
template <typename T> __aicore__ inline T tp_load(__gm__ T *p) { return *p; }
template <typename T> __aicore__ inline void tp_store(__ubuf__ T *p, T v) { *p = v; }
template <typename T> __aicore__ inline void tp_store(__gm__ T *p, T v) { *p = v; }
#endif
)";
  if (helpers.minMax)
    os << R"(
__aicore__ inline int64_t tp_min(int64_t a, int64_t b) { return a < b ? a : b; }
__aicore__ inline int64_t tp_max(int64_t a, int64_t b) { return a > b ? a : b; }
__aicore__ inline uint64_t tp_umin(uint64_t a, uint64_t b) { return a < b ? a : b; }
__aicore__ inline uint64_t tp_umax(uint64_t a, uint64_t b) { return a > b ? a : b; }
)";
  if (helpers.ceilDiv)
    os << R"(
__aicore__ inline int64_t tp_ceildiv(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a > 0) == (b > 0));
}
)";
  if (helpers.maskOfCount)
    os << R"(
// One bit for each of the first n lanes.
__aicore__ inline uint64_t tp_mask_low(int64_t n) {
  return n >= 64 ? ~0ull : n <= 0 ? 0 : (1ull << n) - 1;
}
__aicore__ inline uint64_t tp_mask_high(int64_t n) { return tp_mask_low(n - 64); }
)";
}

LogicalResult ascend::translateToCCE(ModuleOp module, raw_ostream &os) {
  if (failed(verifyInstructionLimits(module)))
    return failure();
  if (module.getOps<FuncOp>().empty())
    return module.emitError("has no 'ascend.func' to print");
  std::string text;
  llvm::raw_string_ostream body(text);
  CCEHelpers helpers;
  for (FuncOp function : module.getOps<FuncOp>()) {
    // One file serves both compilations of a mixed kernel.
    StringRef core = function.isCube() ? "CUBE" : "VEC";
    body << "\n";
    if (function.getMix())
      body << "#if defined(TILEPIPE_CCE_EMULATOR) || defined(__DAV_C220_"
           << core << "__)\n";
    CCEPrinter printer(body, helpers);
    if (failed(printer.print(function)))
      return failure();
    if (function.getMix())
      body << "#endif\n";
  }
  printHeader(os, module);
  printHelpers(os, helpers);
  os << text;
  return success();
}

/// Lowers what is not lowered yet, and prints.
static LogicalResult lowerAndPrint(ModuleOp module, raw_ostream &os) {
  if (module.getOps<FuncOp>().empty()) {
    PassManager pm(module.getContext());
    TileToCCEOptions options;
    // The only AI core that text is printed for.
    if (!module->hasAttr("tile.target"))
      options.chip = "dav-2201";
    buildTileToCCEPipeline(pm, options);
    if (failed(pm.run(module)))
      return failure();
  }
  return translateToCCE(module, os);
}

void ascend::registerToCCETranslation() {
  static TranslateFromMLIRRegistration registration(
      "tile-to-cce", "CCE of tile IR of any phase, or of the ascend dialect",
      [](ModuleOp module, raw_ostream &os) {
        // Not the operation, which may be the whole module, below each error.
        module.getContext()->printOpOnDiagnostic(false);
        return lowerAndPrint(module, os);
      },
      [](DialectRegistry &registry) {
        registry.insert<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, math::MathDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
        registerDialects(registry);
      });
}
