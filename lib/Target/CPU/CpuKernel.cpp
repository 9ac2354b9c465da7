//===- CpuKernel.cpp - Tile functions as native code ----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Target/CPU/CpuKernel.h"

#include "tilepipe/Runtime/CpuRuntime.h"
#include "tilepipe/Target/CPU/Passes.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>
#include <mutex>
#include <numeric>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::cpu;

CpuMemRef::CpuMemRef(void *data, ArrayRef<int64_t> shape)
    : data(data), shape(shape), strides(shape.size(), 1) {
  for (int64_t dim = int64_t(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
}

CpuKernel::CpuKernel() = default;
CpuKernel::~CpuKernel() = default;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Code for exactly this processor.
static llvm::Expected<llvm::orc::JITTargetMachineBuilder> detectHost() {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  return llvm::orc::JITTargetMachineBuilder::detectHost();
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(unsigned optLevel) {
  auto builder = detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel(std::min(optLevel, 3u)));
  return builder->createTargetMachine();
}

/// What compiled code calls, by the names of the linker.
static llvm::orc::SymbolMap
getRuntimeSymbols(llvm::orc::MangleAndInterner mangle) {
  llvm::orc::SymbolMap symbols;
  for (auto [name, address] : runtime::getRuntimeSymbols())
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                             llvm::JITSymbolFlags::Exported};
  return symbols;
}

/// The widest registers worth using.
static unsigned getVectorBits(const llvm::TargetMachine &machine) {
  StringRef features = machine.getTargetFeatureString();
  if (features.contains("+avx512f"))
    return 512;
  if (features.contains("+avx2") || features.contains("+avx,"))
    return 256;
  return 128;
}

/// Only what this module defines can be called.
static LogicalResult checkCalls(ModuleOp module) {
  SymbolTable symbols(module);
  WalkResult result = module.walk([&](func::CallOp call) -> WalkResult {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && !callee.isExternal())
      return WalkResult::advance();
    return call.emitOpError("cannot be compiled: '")
           << call.getCallee() << "' has no body";
  });
  return failure(result.wasInterrupted());
}

/// A lowered copy of a module, or null.
static OwningOpRef<ModuleOp> lowerModule(ModuleOp original,
                                         const CpuCompileOptions &options,
                                         unsigned vectorBits) {
  // Passes load dialects, which two threads may not do in one context. This is
  // a small part of a compilation.
  static std::mutex oneAtATime;
  std::lock_guard<std::mutex> lock(oneAtATime);
  OwningOpRef<ModuleOp> module = original.clone();
  if (failed(checkCalls(*module)))
    return nullptr;
  PassManager pm(module->getContext());
  TileToCPUOptions pipeline;
  pipeline.async = options.asyncRuntime ? "runtime" : "inline";
  pipeline.sanitize = options.sanitize;
  pipeline.vectorBits = vectorBits;
  buildTileToCPUPipeline(pm, pipeline);
  return succeeded(pm.run(*module)) ? std::move(module) : nullptr;
}

llvm::Expected<std::unique_ptr<CpuKernel>>
CpuKernel::compile(ModuleOp original, const CpuCompileOptions &options,
                   CpuCompileTimes *times) {
  auto start = std::chrono::steady_clock::now();
  auto lap = [&] {
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - start).count();
    start = now;
    return seconds;
  };
  CpuCompileTimes spent;
  auto machine = createTargetMachine(options.optLevel);
  if (!machine)
    return machine.takeError();
  unsigned vectorBits =
      options.vectorBits ? options.vectorBits : getVectorBits(**machine);

  OwningOpRef<ModuleOp> module = lowerModule(original, options, vectorBits);
  if (!module)
    return makeError("module cannot be lowered to the CPU");
  spent.lower = lap();

  std::unique_ptr<CpuKernel> kernel(new CpuKernel);
  llvm::TargetMachine *tm = machine->get();
  auto optimizer = makeOptimizingTransformer(options.optLevel, 0, tm);
  auto translate = [&](Operation *op, llvm::LLVMContext &context) {
    lap();
    auto result = translateModuleToLLVMIR(op, context);
    spent.translate = lap();
    return result;
  };
  auto optimize = [&](llvm::Module *llvmModule) {
    spent.codegen += lap();
    llvm::Error error = optimizer(llvmModule);
    spent.optimize += lap();
    return error;
  };
  ExecutionEngineOptions engineOptions;
  engineOptions.llvmModuleBuilder = translate;
  engineOptions.transformer = optimize;
  engineOptions.jitCodeGenOptLevel = tm->getOptLevel();
  engineOptions.enableObjectDump = options.keepObject;
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  auto engine =
      ExecutionEngine::create(*module, engineOptions, std::move(*machine));
  if (!engine)
    return engine.takeError();
  kernel->engine = std::move(*engine);
  kernel->engine->registerSymbols(getRuntimeSymbols);
  // Compilation is lazy: ask for one function, so that what is wrong shows here
  // and not at the first call.
  for (auto function : original.getOps<func::FuncOp>()) {
    if (function.isPrivate() || function.isExternal())
      continue;
    auto address = kernel->engine->lookupPacked(
        ("_mlir_ciface_" + function.getName()).str());
    if (!address)
      return address.takeError();
    break;
  }
  spent.codegen += lap();
  if (times)
    *times = spent;
  return kernel;
}

//===----------------------------------------------------------------------===//
// Object files
//===----------------------------------------------------------------------===//

std::string CpuKernel::getHost() {
  auto builder = detectHost();
  if (!builder) {
    llvm::consumeError(builder.takeError());
    return "";
  }
  std::vector<std::string> features = builder->getFeatures().getFeatures();
  llvm::sort(features); // they come in the order of a hash table
  return builder->getTargetTriple().str() + ' ' + builder->getCPU() + ' ' +
         llvm::join(features, ",");
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
CpuKernel::getObject() const {
  if (!engine)
    return makeError("the kernel was not compiled here");
  // The engine writes to a file only.
  SmallString<64> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("tilepipe", "o", path))
    return makeError("cannot make a file for machine code: " +
                     error.message());
  engine->dumpToObjectFile(path);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  llvm::sys::fs::remove(path);
  if (!buffer)
    return makeError("cannot read machine code: " +
                     buffer.getError().message());
  if ((*buffer)->getBufferSize() == 0)
    return makeError("the kernel was compiled without keepObject");
  // The file is gone: what is mapped stays, but is better not relied upon.
  return llvm::MemoryBuffer::getMemBufferCopy((*buffer)->getBuffer());
}

llvm::Expected<std::unique_ptr<CpuKernel>>
CpuKernel::load(llvm::MemoryBufferRef object, StringRef entry) {
  auto host = detectHost();
  if (!host)
    return host.takeError();
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*host))
                 .create();
  if (!jit)
    return jit.takeError();
  llvm::orc::JITDylib &main = (*jit)->getMainJITDylib();
  char prefix = (*jit)->getDataLayout().getGlobalPrefix();
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  main.addGenerator(std::move(*process));
  llvm::orc::MangleAndInterner mangle((*jit)->getExecutionSession(),
                                      (*jit)->getDataLayout());
  if (llvm::Error error = main.define(
          llvm::orc::absoluteSymbols(getRuntimeSymbols(mangle))))
    return error;
  if (llvm::Error error = (*jit)->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(object.getBuffer())))
    return error;
  std::unique_ptr<CpuKernel> kernel(new CpuKernel);
  kernel->loaded = std::move(*jit);
  // Linking is lazy: what is wrong shows here and not at the first call.
  auto function = kernel->lookup(entry);
  if (!function)
    return function.takeError();
  return kernel;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

llvm::Expected<void (*)(void **)> CpuKernel::lookup(StringRef entry) const {
  std::string name = ("_mlir_ciface_" + entry).str();
  if (engine)
    return engine->lookupPacked(name);
  auto address = loaded->lookup("_mlir_" + name);
  if (!address)
    return address.takeError();
  return address->toPtr<void (*)(void **)>();
}

llvm::Error CpuKernel::invoke(StringRef entry, ArrayRef<void *> packed,
                              const CpuRunOptions &options) const {
  auto function = lookup(entry);
  if (!function)
    return function.takeError();
  SmallVector<void *> arguments(packed);
  runtime::RunScope scope(options);
  scope.call([&] { (*function)(arguments.data()); });
  std::vector<std::string> findings = scope.takeFindings();
  if (findings.empty())
    return llvm::Error::success();
  return makeError(llvm::join(findings, "\n"));
}

llvm::Error CpuKernel::invoke(StringRef entry, ArrayRef<CpuMemRef> arguments,
                              const CpuRunOptions &options) const {
  // A descriptor is { allocated, aligned, offset, sizes..., strides... }.
  SmallVector<SmallVector<int64_t>> descriptors;
  SmallVector<void *> pointers, packed;
  for (const CpuMemRef &argument : arguments) {
    auto &words = descriptors.emplace_back();
    words.assign(2, reinterpret_cast<int64_t>(argument.data));
    words.push_back(0);
    words.append(argument.shape);
    words.append(argument.strides);
  }
  for (auto &words : descriptors)
    pointers.push_back(words.data());
  for (void *&pointer : pointers)
    packed.push_back(&pointer);
  return invoke(entry, packed, options);
}
