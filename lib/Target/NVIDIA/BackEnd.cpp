//===- BackEnd.cpp - LLVM's NVPTX back end --------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackEnd.h"

#include "AtomicLoops.h"
#include "CopyGroups.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <mutex>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

/// The least PTX version that has everything the chip does.
static std::string getDefaultFeatures(StringRef chip) {
  StringRef number = chip.drop_front(3).take_while(llvm::isDigit);
  unsigned version = 0;
  if (!chip.starts_with("sm_") || number.getAsInteger(10, version))
    return "";
  return version >= 100 ? "+ptx87" : "+ptx80";
}

namespace {

/// Options that LLVM's back end reads from globals while its objects are made.
/// They have our values only as long as this lives, for one thread at a time.
class BackEndFlags {
public:
  explicit BackEndFlags(bool shortPointers) : lock(mutex) {
    set("nvptx-short-ptr", shortPointers);
    set("disable-lsr", true);
  }
  ~BackEndFlags() {
    for (auto [flag, value] : saved)
      flag->setValue(value);
  }

private:
  void set(StringRef name, bool value) {
    auto &known = llvm::cl::getRegisteredOptions();
    auto found = known.find(name);
    if (found == known.end())
      return;
    auto *flag = static_cast<llvm::cl::opt<bool> *>(found->second);
    saved.emplace_back(flag, flag->getValue());
    flag->setValue(value);
  }

  static std::mutex mutex;
  std::lock_guard<std::mutex> lock;
  SmallVector<std::pair<llvm::cl::opt<bool> *, bool>, 2> saved;
};
std::mutex BackEndFlags::mutex;

} // namespace

std::unique_ptr<llvm::TargetMachine>
nvidia::createMachine(Location loc, StringRef chip, bool shortPointers,
                      const PTXOptions &options) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target) {
    emitError(loc, "LLVM has no NVPTX back end: ") << problem;
    return nullptr;
  }
  // LLVM would print a warning and go on with some default.
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!chip.starts_with("sm_") || !info || !info->isCPUStringValid(chip)) {
    emitError(loc, "unknown chip '") << chip << "'";
    return nullptr;
  }
  std::string features =
      options.features.empty() ? getDefaultFeatures(chip) : options.features;
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  BackEndFlags flags(shortPointers);
  // Level 3 adds value numbering, after which ptxas makes the same code.
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip, features, targetOptions, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel(std::min(options.optLevel, 2u))));
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

static void collectDiagnostic(const llvm::DiagnosticInfo *info, void *data) {
  if (info->getSeverity() != llvm::DS_Error)
    return;
  BackEndError error;
  llvm::raw_string_ostream os(error.message);
  llvm::DiagnosticPrinterRawOStream printer(os);
  info->print(printer);
  const llvm::DiagnosticInfoWithLocationBase *located = nullptr;
  if (auto *unsupported = dyn_cast<llvm::DiagnosticInfoUnsupported>(info))
    located = unsupported;
  else if (auto *generic = dyn_cast<llvm::DiagnosticInfoGenericWithLoc>(info))
    located = generic;
  if (located && located->isLocationAvailable()) {
    StringRef file;
    located->getLocation(file, error.line, error.column);
    error.file = file.str();
  }
  static_cast<Compilation *>(data)->errors.push_back(std::move(error));
}

void nvidia::collectDiagnostics(Compilation &c) {
  c.context.setDiagnosticHandlerCallBack(&collectDiagnostic, &c);
}

/// What makes the code of tile kernels good and no more. Fragments are stack
/// buffers with constant indices: SROA; the rest of LLVM's pipeline (inlining,
/// vectorisers, unrolling) has nothing to do here. The back end brings its own
/// passes for addresses and loops.
static void optimize(Compilation &c) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(c.machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);

  llvm::FunctionPassManager function;
  function.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  function.addPass(llvm::InstCombinePass());
  function.addPass(llvm::InferAddressSpacesPass());
  function.addPass(llvm::SimplifyCFGPass());
  function.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  function.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  function.addPass(llvm::InstCombinePass());
  function.addPass(llvm::ADCEPass());
  simplifyCopyGroups(*c.module);
  llvm::ModulePassManager module;
  module.addPass(llvm::AlwaysInlinerPass());
  module.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(function)));
  module.run(*c.module, modules);
}

static void generate(Compilation &c) {
  SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  bool isMissing = [&] {
    BackEndFlags flags(c.shortPointers);
    return c.machine->addPassesToEmitFile(passes, os, nullptr,
                                          llvm::CodeGenFileType::AssemblyFile);
  }();
  if (isMissing) {
    c.errors.push_back({"the back end cannot write PTX", "", 0, 0});
    return;
  }
  passes.run(*c.module);
  c.text = std::string(text);
}

void nvidia::compile(Compilation &c, const PTXOptions &options) {
  Stopwatch watch;
  if (!options.lineInfo)
    llvm::StripDebugInfo(*c.module);
  expandAtomicLoops(*c.module);
  if (options.optLevel > 0)
    optimize(c);
  c.times.optimize = watch.lap();
  if (c.errors.empty())
    generate(c);
  c.times.codegen = watch.lap();
}
