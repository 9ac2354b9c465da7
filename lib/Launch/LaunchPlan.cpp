//===- LaunchPlan.cpp - How the host starts the kernels of a function -----===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Launch/LaunchPlan.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

std::string tilepipe::getKernelName(FunctionOpInterface func, unsigned index,
                                    unsigned numLaunches) {
  std::string name = func.getName().str();
  return numLaunches == 1 ? name : name + "_" + std::to_string(index);
}

FailureOr<SmallVector<LaunchOp>>
tilepipe::getLaunches(FunctionOpInterface func) {
  SmallVector<LaunchOp> launches;
  WalkResult result = func->walk([&](LaunchOp launch) {
    if (launch->getParentOp() != func) {
      launch.emitError("a launch under control flow needs a host program: only "
                       "launches in the block of the function can be started")
              .attachNote(launch->getParentOp()->getLoc())
          << "it is in this '" << launch->getParentOp()->getName() << "'";
      return WalkResult::interrupt();
    }
    launches.push_back(launch);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return launches;
}

//===----------------------------------------------------------------------===//
// What is left to the host
//===----------------------------------------------------------------------===//

/// Whether an operation of the host does something that arithmetic does not.
/// What it reads matters to nobody unless a launch uses it, which is checked
/// where kernels are made.
static bool acts(Operation &op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(&op);
  return !effects || llvm::any_of(*effects, [](const auto &effect) {
    return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect());
  });
}

static LogicalResult checkNames(FunctionOpInterface func, unsigned numKernels,
                                StringRef target) {
  Operation *table = func->getParentOp();
  if (!table->hasTrait<OpTrait::SymbolTable>())
    return success();
  for (unsigned index = 0; numKernels > 1 && index < numKernels; ++index) {
    std::string name = getKernelName(func, index, numKernels);
    Operation *other = SymbolTable::lookupSymbolIn(table, name);
    if (!other)
      continue;
    InFlightDiagnostic diag = func.emitError("cannot be lowered to ")
                              << target << ": the kernel of launch " << index
                              << " would have the name '" << name
                              << "', which is taken";
    diag.attachNote(other->getLoc()) << "by this";
    return diag;
  }
  if (auto uses = SymbolTable::getSymbolUses(func, table))
    for (SymbolTable::SymbolUse use : *uses)
      if (use.getUser() != func) {
        InFlightDiagnostic diag =
            use.getUser()->emitOpError("cannot be lowered to ")
            << target << ": it refers to '" << func.getName()
            << "', of which only the kernels are left";
        diag.attachNote(func.getLoc()) << "which is here";
        return diag;
      }
  return success();
}

LogicalResult tilepipe::checkHostCode(FunctionOpInterface func,
                                      StringRef target) {
  FailureOr<SmallVector<LaunchOp>> launches = getLaunches(func);
  if (failed(launches))
    return failure();
  auto error = [&](Operation *op) {
    return op->emitError("cannot be lowered to ") << target << ": ";
  };
  if (func.getNumResults())
    return error(func) << "returns " << func.getNumResults()
                       << " values, but a kernel has none; store them to a "
                          "memref";
  if (!func.getFunctionBody().hasOneBlock())
    return error(func) << "there is control flow around its launches, which "
                          "needs a program on the host";
  for (Operation &op : func.getFunctionBody().front())
    if (!isa<LaunchOp>(op) && acts(op))
      return error(&op) << "it would run on the host, where nothing but the "
                           "arithmetic for launches is left; move it into a "
                           "tile.launch";
  return checkNames(func, launches->size(), target);
}

namespace {

/// Computes values of the host by folding.
class HostEvaluator {
public:
  HostEvaluator(FunctionOpInterface func, ArrayRef<LaunchArgument> arguments);

  /// Notes what follows from one operation.
  void visit(Operation *op);

  std::optional<int64_t> getInteger(OpFoldResult value) const;

private:
  bool visitDim(memref::DimOp op);

  FunctionOpInterface func;
  ArrayRef<LaunchArgument> arguments;
  DenseMap<Value, Attribute> known;
};

} // namespace

HostEvaluator::HostEvaluator(FunctionOpInterface func,
                             ArrayRef<LaunchArgument> arguments)
    : func(func), arguments(arguments) {
  for (auto [value, argument] : llvm::zip_equal(func.getArguments(), arguments))
    if (argument.scalar)
      known[value] = argument.scalar;
}

std::optional<int64_t> HostEvaluator::getInteger(OpFoldResult value) const {
  Attribute attribute = dyn_cast<Attribute>(value);
  if (!attribute)
    attribute = known.lookup(cast<Value>(value));
  auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
  if (!integer)
    return std::nullopt;
  return integer.getInt();
}

bool HostEvaluator::visitDim(memref::DimOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getSource());
  std::optional<int64_t> dim = getInteger(op.getIndex());
  if (!argument || !dim || argument.getOwner()->getParentOp() != func)
    return false;
  ArrayRef<int64_t> shape = arguments[argument.getArgNumber()].shape;
  if (*dim < 0 || *dim >= int64_t(shape.size()))
    return false;
  known[op.getResult()] = IntegerAttr::get(op.getType(), shape[*dim]);
  return true;
}

void HostEvaluator::visit(Operation *op) {
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return;
  if (auto dim = dyn_cast<memref::DimOp>(op); dim && visitDim(dim))
    return;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(known.lookup(operand));
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty())
    return;
  for (auto [result, folded] : llvm::zip_equal(op->getResults(), results)) {
    Attribute value = dyn_cast<Attribute>(folded);
    if (!value)
      value = known.lookup(cast<Value>(folded));
    if (value)
      known[result] = value;
  }
}

/// One argument for each of the function, of its rank.
static LogicalResult checkArguments(FunctionOpInterface func,
                                    ArrayRef<LaunchArgument> arguments) {
  if (func.getNumArguments() != arguments.size())
    return func->emitError("function has ")
           << func.getNumArguments() << " arguments, " << arguments.size()
           << " are given";
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    ArrayRef<int64_t> shape = arguments[i].shape;
    if (memref && int64_t(shape.size()) != memref.getRank())
      return func->emitError("argument ")
             << i << " has rank " << memref.getRank() << ", " << shape.size()
             << " sizes are given";
  }
  return success();
}

FailureOr<SmallVector<KernelLaunch>>
tilepipe::planLaunches(FunctionOpInterface func,
                       ArrayRef<LaunchArgument> arguments) {
  if (func.isExternal())
    return func.emitError("has no body, and so no launches");
  FailureOr<SmallVector<LaunchOp>> launches = getLaunches(func);
  if (failed(launches) || failed(checkArguments(func, arguments)))
    return failure();
  HostEvaluator evaluator(func, arguments);
  SmallVector<KernelLaunch> plan;
  for (Operation &op : func.getFunctionBody().front()) {
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch) {
      evaluator.visit(&op);
      continue;
    }
    KernelLaunch kernel{getKernelName(func, plan.size(), launches->size()), {},
                        int64_t(launch.getThreads())};
    for (auto [dim, extent] : llvm::enumerate(launch.getMixedExtents())) {
      std::optional<int64_t> size = evaluator.getInteger(extent);
      if (!size)
        return launch.emitError("extent ")
               << dim
               << " of the grid does not follow from the sizes and scalars of "
                  "the arguments";
      kernel.grid.push_back(*size);
    }
    plan.push_back(std::move(kernel));
  }
  return plan;
}
