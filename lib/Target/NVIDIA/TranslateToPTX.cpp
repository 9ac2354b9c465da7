//===- TranslateToPTX.cpp - From the llvm dialect to PTX ------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomicLoops.h"
#include "CopyGroups.h"
#include "FatalErrors.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Target/NVIDIA/PTX.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Regex.h"
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
#include <chrono>
#include <mutex>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

namespace {

/// An error of LLVM and the place it names, if any.
struct BackEndError {
  std::string message;
  std::string file;
  unsigned line = 0, column = 0;
};

/// Everything one compilation owns. Leaked after a fatal error.
struct Compilation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  bool shortPointers = false;
  SmallVector<BackEndError, 0> errors;
  std::string text;
  PTXTimes times;
};

/// Seconds since the last call.
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - start).count();
    start = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

} // namespace

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

/// Null, with an error, for a chip that LLVM does not know. With short pointers
/// addresses of shared memory have 32 bits, as indices then have: no conversion
/// in between. With 64-bit indices they would only add some.
static std::unique_ptr<llvm::TargetMachine>
createMachine(Location loc, StringRef chip, bool shortPointers,
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
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip, features, targetOptions, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel(std::min(options.optLevel, 3u))));
}

//===----------------------------------------------------------------------===//
// On the contained thread
//===----------------------------------------------------------------------===//

/// Errors would end the process in LLVM's default handler.
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
  function.addPass(llvm::EarlyCSEPass());
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

static void compile(Compilation &c, const PTXOptions &options) {
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

//===----------------------------------------------------------------------===//
// On the caller's thread
//===----------------------------------------------------------------------===//

/// The parts of the module that become PTX.
static SmallVector<Operation *> getDeviceModules(ModuleOp module) {
  SmallVector<Operation *> result;
  module.walk<WalkOrder::PreOrder>([&](gpu::GPUModuleOp op) {
    result.push_back(op);
    return WalkResult::skip();
  });
  if (result.empty())
    result.push_back(module);
  return result;
}

/// The chip of the options, else the one all parts agree on, else the module's.
static FailureOr<std::string>
getChip(ModuleOp root, ArrayRef<Operation *> parts, const PTXOptions &options) {
  if (!options.chip.empty())
    return options.chip;
  std::string chip;
  for (Operation *part : parts) {
    auto module = dyn_cast<gpu::GPUModuleOp>(part);
    if (!module || !module.getTargetsAttr())
      continue;
    for (Attribute attr : module.getTargetsAttr()) {
      auto target = dyn_cast<NVVM::NVVMTargetAttr>(attr);
      if (!target)
        continue;
      if (!chip.empty() && chip != target.getChip())
        return emitError(part->getLoc(), "is for ")
               << target.getChip() << ", another module for " << chip;
      chip = target.getChip().str();
    }
  }
  if (!chip.empty())
    return chip;
  auto target = root->getAttrOfType<tile::TargetAttr>("tile.target");
  return target && target.getName().starts_with("sm_") ? target.getName().str()
                                                       : std::string("sm_80");
}

/// Only what the module defines can be called on the device.
static LogicalResult checkFunctions(Operation *part) {
  for (auto function : part->getRegion(0).getOps<LLVM::LLVMFuncOp>()) {
    StringRef name = function.getName();
    if (!function.isExternal() || name.starts_with("llvm.") ||
        name == "vprintf" || name == "__assertfail")
      continue;
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(function, part);
    if (!uses || uses->empty())
      continue;
    return uses->begin()->getUser()->emitOpError("calls '")
           << name << "', which has no body: there is no library on the device";
  }
  return success();
}

static PTXKernel describeKernel(LLVM::LLVMFuncOp function) {
  PTXKernel kernel;
  kernel.name = function.getName().str();
  for (Type type : function.getArgumentTypes()) {
    if (isa<LLVM::LLVMPointerType>(type))
      kernel.parameters.push_back({PTXParameter::Pointer, 64});
    else
      kernel.parameters.push_back(
          {isa<FloatType>(type) ? PTXParameter::Float : PTXParameter::Integer,
           type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0});
  }
  if (auto size = function->getAttrOfType<DenseI32ArrayAttr>(
          NVVM::NVVMDialect::getReqntidAttrName()))
    for (auto [dim, extent] : llvm::enumerate(size.asArrayRef().take_front(3)))
      kernel.blockSize[dim] = extent;
  if (auto bytes =
          function->getAttrOfType<IntegerAttr>("tilepipe.shared_bytes"))
    kernel.sharedBytes = bytes.getInt();
  return kernel;
}

/// LLVM IR of all parts in one module.
static LogicalResult translateParts(ArrayRef<Operation *> parts,
                                    Compilation &c) {
  for (Operation *part : parts) {
    std::unique_ptr<llvm::Module> module =
        translateModuleToLLVMIR(part, c.context);
    if (!module)
      return emitError(part->getLoc(), "cannot be translated to LLVM IR");
    module->setTargetTriple(c.machine->getTargetTriple());
    module->setDataLayout(c.machine->createDataLayout());
    if (!c.module)
      c.module = std::move(module);
    else if (llvm::Linker::linkModules(*c.module, std::move(module)))
      return emitError(part->getLoc(), "cannot be linked with other modules");
  }
  return success();
}

/// "Cannot select: 0x7f01: f32 = fpow ...<the whole graph>, In function: f":
/// the function as a place, and of the graph its root without addresses.
static void reportFatal(ArrayRef<Operation *> parts, Location loc,
                        StringRef message) {
  static constexpr llvm::StringLiteral marker("In function: ");
  size_t at = message.find(marker);
  if (at != StringRef::npos) {
    StringRef name = message.drop_front(at + marker.size()).trim();
    for (Operation *part : parts)
      if (Operation *function = SymbolTable::lookupSymbolIn(part, name))
        loc = function->getLoc();
  }
  StringRef firstLine = message.split('\n').first;
  static const llvm::Regex address("0x[0-9a-f]+:? ?");
  std::string text = firstLine.str();
  while (address.match(text))
    text = address.sub("", text);
  emitError(loc, "PTX cannot be generated: ") << StringRef(text).rtrim(", ");
}

static LogicalResult reportErrors(Location fallback, const Compilation &c) {
  for (const BackEndError &error : c.errors) {
    Location loc = fallback;
    if (error.line)
      loc = FileLineColLoc::get(fallback.getContext(), error.file, error.line,
                                error.column);
    emitError(loc, "PTX cannot be generated: ") << error.message;
  }
  return success(c.errors.empty());
}

FailureOr<PTXModule> nvidia::translateToPTX(ModuleOp module,
                                            const PTXOptions &options) {
  Stopwatch watch;
  SmallVector<Operation *> parts = getDeviceModules(module);
  FailureOr<std::string> chip = getChip(module, parts, options);
  if (failed(chip))
    return failure();
  PTXModule result;
  result.chip = *chip;
  for (Operation *part : parts) {
    if (failed(checkFunctions(part)))
      return failure();
    for (auto function : part->getRegion(0).getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
        result.kernels.push_back(describeKernel(function));
  }

  auto c = std::make_unique<Compilation>();
  c->context.setDiagnosticHandlerCallBack(&collectDiagnostic, c.get());
  c->shortPointers = llvm::all_of(parts, [](Operation *part) {
    auto index = IndexType::get(part->getContext());
    return isa<gpu::GPUModuleOp>(part) &&
           DataLayout(cast<DataLayoutOpInterface>(part))
                   .getTypeSizeInBits(index) == 32;
  });
  c->machine = createMachine(module.getLoc(), *chip, c->shortPointers, options);
  if (!c->machine || failed(translateParts(parts, *c)))
    return failure();
  c->times.translate = watch.lap();

  std::string fatal;
  if (!runContained([&] { compile(*c, options); }, fatal)) {
    // What LLVM said before it gave up is nearer to the cause.
    if (succeeded(reportErrors(module.getLoc(), *c)))
      reportFatal(parts, module.getLoc(), fatal);
    (void)c.release(); // in whatever state LLVM left it
    return failure();
  }
  if (failed(reportErrors(module.getLoc(), *c)))
    return failure();
  result.text = std::move(c->text);
  result.times = c->times;
  return result;
}
