//===- TranslateToPTX.cpp - From the llvm dialect to PTX ------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackEnd.h"
#include "FatalErrors.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Target/NVIDIA/PTX.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

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
  collectDiagnostics(*c);
  c->shortPointers = llvm::all_of(parts, [](Operation *part) {
    auto index = IndexType::get(part->getContext());
    return isa<gpu::GPUModuleOp>(part) &&
           DataLayout(cast<DataLayoutOpInterface>(part))
                   .getTypeSizeInBits(index) == 32;
  });
  c->machine = createMachine(module.getLoc(), *chip, c->shortPointers, options);
  if (!c->machine)
    return failure();
  if (result.kernels.empty())
    return emitError(module.getLoc(),
                     "no kernel: no function has a tile.launch, no gpu.module "
                     "has a kernel, and no llvm.func is an nvvm.kernel");
  if (failed(translateParts(parts, *c)))
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
