//===- Digest.cpp - What passes do with nonsense ----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most mutations of a program are errors; some are other programs. Those that
// run without an error must run the same when they are pipelined or compiled,
// or be refused, at a place.
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include "tilepipe/Analysis/Regions.h"
#include "tilepipe/Dialect/Tile/IR/Tile.h"
#ifdef TILEPIPE_TARGET_CPU
#include "tilepipe/Target/CPU/HostArguments.h"
#endif
#ifdef TILEPIPE_TARGET_NVIDIA
#include "../common/PtxKernel.h"
#endif
#ifdef TILEPIPE_TARGET_ASCEND
#include "tilepipe/Target/Ascend/Passes.h"
#endif

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::fuzz;

namespace {

/// Notes the first pass that succeeds and leaves invalid IR.
struct VerifyAfterPass : public PassInstrumentation {
  explicit VerifyAfterPass(std::string &culprit) : culprit(culprit) {}
  void runAfterPass(Pass *pass, Operation *op) override {
    if (culprit.empty() && failed(verify(op)))
      culprit = pass->getName().str();
  }
  std::string &culprit;
};

} // namespace

/// The pass of a pipeline that says that it succeeded, but leaves invalid IR.
static std::string findInvalidatingPass(StringRef pipeline, ModuleOp module) {
  std::string culprit;
  PassManager manager(module.getContext(), ModuleOp::getOperationName(),
                      OpPassManager::Nesting::Implicit);
  if (failed(parsePassPipeline(pipeline, manager, llvm::nulls())))
    return "";
  manager.enableVerifier(false);
  manager.addInstrumentation(std::make_unique<VerifyAfterPass>(culprit));
  OwningOpRef<ModuleOp> copy(module.clone());
  (void)manager.run(*copy);
  return culprit;
}

/// A function that runs as it is, and what it leaves in its arguments.
struct Oracle::Baseline {
  std::string name;
  std::unique_ptr<KernelInput> input, output;
};

/// MLIR 22 reads past its shape when it folds such a dimension.
static bool hasWildDim(ModuleOp module) {
  return module
      .walk([](memref::DimOp dim) {
        auto type = dyn_cast<MemRefType>(dim.getSource().getType());
        std::optional<int64_t> index = dim.getConstantIndex();
        bool isWild =
            type && index && uint64_t(*index) >= uint64_t(type.getRank());
        return isWild ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// MLIR 22 asks for the width of any type that is not an integer here.
static bool hasWildArray(StringRef text) {
  for (size_t at = text.find("array<"); at != StringRef::npos;
       at = text.find("array<", at + 1)) {
    StringRef type = text.substr(at + 6).take_until(
        [](char c) { return c == ':' || c == '>'; });
    if (!llvm::is_contained({"i1", "i8", "i16", "i32", "i64", "f32", "f64"},
                            type.trim()))
      return true;
  }
  return false;
}

/// Or of any element here.
static bool hasWildNVGPU(StringRef text) {
  return text.contains("nvgpu.device_async_copy") &&
         (text.contains("xcomplex<") || text.contains("xvector<") ||
          text.contains("xmemref<") || text.contains("xindex"));
}

/// Whether the points of a map, or the two ends of a copy, may meet in memory:
/// what then happens is no promise of the dialect, and differs between targets.
static bool mayMeet(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        if (auto copy = dyn_cast<tile::CopyOp>(op))
          return getRootBuffer(copy.getSource()) ==
                         getRootBuffer(copy.getTarget())
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        auto map = dyn_cast<tile::MapOp>(op);
        if (!map)
          return WalkResult::advance();
        SmallVector<std::pair<Value, SmallVector<Value>>> loads, stores;
        map.walk([&](Operation *inner) {
          if (auto load = dyn_cast<memref::LoadOp>(inner))
            loads.emplace_back(getRootBuffer(load.getMemRef()),
                               load.getIndices());
          else if (auto store = dyn_cast<memref::StoreOp>(inner))
            stores.emplace_back(getRootBuffer(store.getMemRef()),
                                store.getIndices());
        });
        auto isPoint = [&](ArrayRef<Value> indices) {
          return llvm::all_of(map.getBody().getArguments(), [&](Value point) {
            return llvm::is_contained(indices, point);
          });
        };
        for (auto &[buffer, indices] : stores) {
          if (!isPoint(indices))
            return WalkResult::interrupt();
          for (auto &list : {loads, stores})
            for (auto &[other, otherIndices] : list)
              if (other == buffer && indices != otherIndices)
                return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether arguments can be made for it.
static bool isSmall(func::FuncOp function) {
  return llvm::all_of(function.getArgumentTypes(), [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    int64_t count = 1;
    if (memref)
      for (int64_t extent : memref.getShape())
        if (!ShapedType::isDynamic(extent) &&
            (__builtin_mul_overflow(count, extent, &count) || count > 1 << 18))
          return false;
    return true;
  });
}

static InterpreterOptions getLimits() {
  InterpreterOptions options;
  options.stepLimit = 1 << 18;
  options.memoryLimit = 1 << 24;
  return options;
}

std::vector<Oracle::Baseline> Oracle::runAsItIs(ModuleOp module) {
  std::vector<Baseline> baselines;
  Interpreter interpreter;
  for (auto function : module.getOps<func::FuncOp>()) {
    std::string error;
    auto input =
        isSmall(function) ? makeInput(function, {}, 1, error) : nullptr;
    if (!input)
      continue;
    InterpreterOptions options = getLimits();
    options.policy = runtime::CompletionPolicy::Random;
    options.trackUninitialized = true;
    auto output = std::make_unique<KernelInput>(*input);
    if (!interpreter.run(function, output->arguments, options))
      baselines.push_back({function.getSymName().str(), std::move(input),
                           std::move(output)});
  }
  return baselines;
}

std::string Oracle::getProblemOfFailure(StringRef what) {
  if (!numErrors)
    return (what + ": fails without an error").str();
  if (hasUnlocated)
    return (what + ": an error without a place: " + diagnostics).str();
  return "";
}

std::string Oracle::runPipeline(StringRef pipeline, ModuleOp module,
                                ArrayRef<Baseline> baselines) {
  OwningOpRef<ModuleOp> copy(module.clone());
  diagnostics.clear();
  numErrors = 0;
  hasUnlocated = false;
  if (failed(getPasses(pipeline.str()).run(*copy))) {
    std::string errors = diagnostics;
    if (std::string problem = getProblemOfFailure(pipeline); !problem.empty())
      return problem;
    if (succeeded(verify(*copy)))
      return "";
    std::string culprit = findInvalidatingPass(pipeline, module);
    if (!culprit.empty())
      return (pipeline + ": " + culprit + " makes invalid IR: " + errors).str();
    return "";
  }
  if (pipeline.contains("convert-") || pipeline.contains("tile-to-") ||
      pipeline == "tile-insert-barriers")
    return ""; // the interpreter does not know what comes out
  Interpreter interpreter;
  for (const Baseline &baseline : baselines) {
    auto function = copy->lookupSymbol<func::FuncOp>(baseline.name);
    if (!function)
      continue; // lowered
    for (const PolicyRun &run : getPolicyRuns(1, 1)) {
      InterpreterOptions options = getLimits();
      options.stepLimit *= 8;
      options.memoryLimit *= 8;
      options.policy = run.policy;
      options.seed = run.seed;
      KernelInput got(*baseline.input);
      auto failure = interpreter.run(function, got.arguments, options);
      if (failure && !failure->isLimit)
        return (pipeline + ": " + baseline.name + ": " + failure->message +
                " (policy " + run.str() + ")")
            .str();
      if (!failure)
        if (auto mismatch = compare(*baseline.output, got))
          return (pipeline + ": " + baseline.name + ": " + mismatch->str() +
                  " (policy " + run.str() + ")")
              .str();
    }
  }
  return "";
}

std::string Oracle::compileAndRun(ModuleOp module,
                                  ArrayRef<Baseline> baselines) {
  // Products and sums may be contracted by compilers.
  constexpr double tolerance = 2e-3;
  (void)tolerance;
  auto reset = [&] {
    diagnostics.clear();
    numErrors = 0;
    hasUnlocated = false;
  };
#ifdef TILEPIPE_TARGET_CPU
  reset();
  cpu::CpuCompileOptions options;
  options.optLevel = 0;
  if (auto kernel = cpu::CpuKernel::compile(module, options)) {
    for (const Baseline &baseline : baselines) {
      auto function = module.lookupSymbol<func::FuncOp>(baseline.name);
      if (function.isPrivate() || function.getNumResults() || mayMeet(function))
        continue;
      KernelInput got(*baseline.input);
      if (llvm::Error error =
              cpu::invoke(**kernel, baseline.name, function.getFunctionType(),
                          got.arguments, cpu::CpuRunOptions()))
        return "compiled for the CPU: " + baseline.name + ": " +
               llvm::toString(std::move(error));
      if (auto mismatch = compare(*baseline.output, got, tolerance))
        return "compiled for the CPU: " + baseline.name + ": " +
               mismatch->str();
    }
  } else {
    std::string message = llvm::toString(kernel.takeError());
    if (std::string problem = getProblemOfFailure("CPU"); !problem.empty())
      return problem + message;
  }
#endif
#ifdef TILEPIPE_TARGET_NVIDIA
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || !function.getBody().hasOneBlock())
      continue;
    const Baseline *baseline = nullptr;
    for (const Baseline &other : baselines)
      if (other.name == function.getSymName())
        baseline = &other;
    reset();
    auto kernel = PtxKernel::compile(function, 32);
    if (failed(kernel)) {
      if (std::string problem = getProblemOfFailure("PTX"); !problem.empty())
        return problem;
      continue;
    }
    if (!baseline || mayMeet(function))
      continue;
    KernelInput got(*baseline->input);
    PtxOutcome result =
        (*kernel)->run(got.arguments, runtime::CompletionPolicy::Late, 1, true);
    std::string where = "in PTX: " + baseline->name + ": ";
    // Blocks that meet are the program's own mistake, and so is a `tile.target`
    // with more memory than the machine that the emulator is.
    if (StringRef(result.problem).contains("another block") ||
        StringRef(result.problem).contains("bytes of shared memory, a block"))
      continue;
    if (!result.problem.empty())
      return where + result.problem;
    if (auto mismatch = compare(*baseline->output, got, tolerance))
      return where + mismatch->str();
  }
#endif
#ifdef TILEPIPE_TARGET_ASCEND
  reset();
  OwningOpRef<ModuleOp> copy(module.clone());
  std::string pipeline = "tile-to-cce";
  if (!module->hasAttr("tile.target"))
    pipeline += "{chip=dav-2201}";
  if (failed(getPasses(pipeline).run(*copy)))
    return getProblemOfFailure(pipeline);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(ascend::translateToCCE(*copy, os)))
    return getProblemOfFailure("CCE");
#endif
  return "";
}

Oracle::Digest Oracle::digest(StringRef text) {
  static const char *const pipelines[] = {
      "tile-raise-scf-for",
      "tile-raise-linalg",
      "tile-print-dependences",
      "tile-explain",
      "pipeline-planning",
      "pipeline-planning{policy=modulo}",
      "pipeline-planning,inject-software-pipeline",
      "pipeline-planning,inject-software-pipeline{form=prologue}",
      "pipeline-planning,inject-software-pipeline{form=predicated}",
      "inject-software-pipeline",
      "multi-buffer-versioning",
      "expand-software-pipeline",
      "async-wait-relaxation",
      "tile-verify-phase{phase=injected}",
      "tile-allocate-memory",
      "tile-check-capacity",
#ifdef TILEPIPE_TARGET_NVIDIA
      "pipeline-planning,inject-software-pipeline,tile-hoist-async-waits",
      "tile-set-target{chip=sm_80},tile-demote-fragments",
      "tile-hoist-async-waits",
      "tile-insert-barriers",
      "convert-tile-to-nvgpu",
      "tile-lower-gpu-to-nvvm",
      "tile-to-ptx",
#endif
#ifdef TILEPIPE_TARGET_ASCEND
      "tile-assign-spaces",
      "convert-tile-to-ascend",
      "ascend-insert-flags",
      "ascend-verify-flags",
      "tile-to-cce",
#endif
#ifdef TILEPIPE_TARGET_CPU
      "convert-tile-to-cpu",
      "convert-cpu-to-llvm",
      "tile-to-cpu",
      "tile-to-cpu{async=runtime}",
#endif
      "canonicalize"};
  diagnostics.clear();
  Digest result;
  if (hasWildArray(text) || hasWildNVGPU(text))
    return result;
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, context.get(), "text");
  if (!module)
    return result;
  result.isProgram = true;
  std::vector<Baseline> baselines = runAsItIs(*module);
  for (StringRef pipeline : pipelines) {
    bool canonicalizes =
        pipeline == "canonicalize" || pipeline.contains("tile-to-");
    if (canonicalizes && hasWildDim(*module))
      continue;
    result.problem = runPipeline(pipeline, *module, baselines);
    if (!result.problem.empty())
      return result;
  }
  if (!hasWildDim(*module))
    result.problem = compileAndRun(*module, baselines);
  return result;
}
