//===- PtxKernel.cpp - A function as PTX, run by the emulator -------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxKernel.h"

#include "tilepipe/Emulator/PTX/Emulator.h"
#include "tilepipe/Launch/LaunchPlan.h"
#include "tilepipe/Target/NVIDIA/PTX.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilepipe;

PtxKernel::PtxKernel() = default;
PtxKernel::~PtxKernel() = default;

llvm::StringRef PtxKernel::getText() const { return program->text; }

/// Makes the function's block the body of one launch of one block of threads.
static void wrapInLaunch(func::FuncOp function, int64_t threads) {
  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  OpBuilder b(terminator);
  auto launch = tile::LaunchOp::create(
      b, function.getLoc(), {b.getIndexAttr(1)}, threads,
      [](OpBuilder &, Location, ValueRange) {});
  Operation *yield = launch.getBody().front().getTerminator();
  while (&body.front() != launch)
    body.front().moveBefore(yield);
}

FailureOr<std::unique_ptr<PtxKernel>>
PtxKernel::compile(func::FuncOp function, int64_t threads) {
  std::unique_ptr<PtxKernel> kernel(new PtxKernel());
  // A module without a tile operation has not loaded it.
  function.getContext()->getOrLoadDialect<tile::TileDialect>();
  auto module = function->getParentOfType<ModuleOp>();
  bool hasLaunch = function
                       .walk([](tile::LaunchOp) {
                         return WalkResult::interrupt();
                       })
                       .wasInterrupted();
  if (function.isExternal())
    return function.emitError("has no body to compile");
  if (!hasLaunch && function.getNumResults())
    return function.emitError("returns values, but a kernel has none; store "
                              "them to a memref");
  if (!hasLaunch && !function.getBody().hasOneBlock())
    return function.emitError("has more than one block, which one launch "
                              "cannot hold");
  kernel->source = OwningOpRef<ModuleOp>(module.clone());
  kernel->function =
      kernel->source->lookupSymbol<func::FuncOp>(function.getSymName());
  if (!hasLaunch)
    wrapInLaunch(kernel->function, threads);
  FailureOr<nvidia::PTXModule> compiled =
      nvidia::compileToPTX(*kernel->source);
  if (failed(compiled))
    return failure();
  std::string error;
  kernel->program = ptx::parse(compiled->text, error);
  if (!kernel->program)
    return function.emitError("the PTX does not parse: ") << error;
  for (const nvidia::PTXKernel &info : compiled->kernels)
    kernel->sharedBytes[info.name] = info.sharedBytes;
  return kernel;
}

namespace {

/// The arguments of a launch, and the memory of scalars and sizes.
struct LaunchArguments {
  std::vector<ptx::Argument> packed;
  std::deque<uint64_t> words;

  void addWord(uint64_t value, unsigned bytes) {
    words.push_back(value);
    packed.push_back({&words.back(), bytes, false, true, ""});
  }
};

} // namespace

/// The bits of a scalar argument, and how many bytes it has.
static std::pair<uint64_t, unsigned> getScalar(Type type, double number) {
  if (type.isF64())
    return {llvm::bit_cast<uint64_t>(number), 8};
  if (type.isF32())
    return {llvm::bit_cast<uint32_t>(float(number)), 4};
  if (auto narrow = dyn_cast<FloatType>(type)) {
    llvm::APFloat value(number);
    bool ignored;
    value.convert(narrow.getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &ignored);
    return {value.bitcastToAPInt().getZExtValue(),
            llvm::divideCeil(narrow.getWidth(), 8)};
  }
  return {uint64_t(int64_t(number)),
          type.isIndex() ? 8 : unsigned(llvm::PowerOf2Ceil(
                                llvm::divideCeil(type.getIntOrFloatBitWidth(),
                                                 8)))};
}

/// A pointer and the dynamic sizes of a buffer; the value of a scalar.
static LaunchArguments pack(func::FuncOp function,
                            ArrayRef<InterpreterArgument> arguments) {
  LaunchArguments result;
  for (auto [argument, type] :
       llvm::zip_equal(arguments, function.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      auto [bits, bytes] = getScalar(type, argument.number);
      result.addWord(bits, bytes);
      continue;
    }
    std::vector<char> &data = argument.buffer->data;
    result.packed.push_back({data.data(), data.size(), true, false, ""});
    for (auto [size, extent] :
         llvm::zip_equal(argument.buffer->shape, memref.getShape()))
      if (ShapedType::isDynamic(extent))
        result.addWord(size, 8);
  }
  return result;
}

static FailureOr<SmallVector<KernelLaunch>>
planFor(func::FuncOp function, ArrayRef<InterpreterArgument> arguments) {
  SmallVector<LaunchArgument> known;
  for (auto [argument, type] :
       llvm::zip_equal(arguments, function.getArgumentTypes())) {
    LaunchArgument &next = known.emplace_back();
    if (argument.buffer)
      next.shape = argument.buffer->shape;
    else if (type.isIntOrIndex())
      next.scalar = IntegerAttr::get(type, int64_t(argument.number));
  }
  return planLaunches(cast<FunctionOpInterface>(function.getOperation()),
                      known);
}

static ptx::Policy getPolicy(runtime::CompletionPolicy policy) {
  switch (policy) {
  case runtime::CompletionPolicy::Eager:
    return ptx::Policy::Eager;
  case runtime::CompletionPolicy::Late:
    return ptx::Policy::Late;
  case runtime::CompletionPolicy::EarlyWriteLateRead:
    return ptx::Policy::Early;
  case runtime::CompletionPolicy::Random:
    return ptx::Policy::Shuffle;
  }
  llvm_unreachable("unknown policy");
}

PtxOutcome PtxKernel::run(ArrayRef<InterpreterArgument> arguments,
                          runtime::CompletionPolicy policy, uint64_t seed,
                          bool undefined) const {
  FailureOr<SmallVector<KernelLaunch>> launches = planFor(function, arguments);
  if (failed(launches))
    return {"the launches cannot be planned", false};
  LaunchArguments packed = pack(function, arguments);
  for (const KernelLaunch &launch : *launches) {
    const ptx::Kernel *kernel = program->find(launch.kernel);
    if (!kernel)
      return {"no kernel '" + launch.kernel + "' in the PTX", false};
    ptx::LaunchOptions options;
    for (auto [dim, extent] : llvm::enumerate(launch.grid))
      options.grid[dim] = uint32_t(extent);
    if (llvm::is_contained(launch.grid, 0))
      continue;
    options.block[0] = uint32_t(launch.threads);
    options.sharedBytes = uint32_t(sharedBytes.lookup(launch.kernel));
    options.policy = getPolicy(policy);
    options.seed = seed;
    options.undefined = undefined;
    options.maxInstructions = uint64_t(1) << 26;
    ptx::Report report;
    std::string error;
    if (!ptx::launch(*program, *kernel, options, packed.packed, report, error))
      return {error, false};
    if (!report.issues.empty()) {
      const ptx::Issue &issue = report.issues.front();
      return {ptx::toString(issue),
              issue.kind == "race" || issue.kind == "in-flight"};
    }
  }
  return {};
}
