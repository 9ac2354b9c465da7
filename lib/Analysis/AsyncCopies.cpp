//===- AsyncCopies.cpp - Which copies can be asynchronous -----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/AsyncCopies.h"

#include "tilepipe/Analysis/Regions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// Why one copy has no asynchronous form, or nothing.
static std::string whyNotAsync(CopyOp copy, TargetAttr target) {
  Type from = copy.getSourceType().getElementType();
  Type to = copy.getTargetType().getElementType();
  std::string reason;
  llvm::raw_string_ostream os(reason);
  MemorySpace source = getMemorySpace(copy.getSourceType());
  MemorySpace destination = getMemorySpace(copy.getTargetType());
  TransferAttr transfer = target.getTransfer(source, destination);
  if (!transfer || !transfer.getAsync())
    os << "target '" << target.getName() << "' has no asynchronous copy from "
       << stringifyMemorySpace(source) << " to "
       << stringifyMemorySpace(destination);
  else if (from != to)
    os << "it converts " << from << " to " << to;
  return reason;
}

/// True if the copy writes other elements in each iteration of the inner loop:
/// asynchronous copies to the same place land in no particular order.
static bool movesTarget(CopyOp copy, scf::ForOp inner, PipelineOp loop) {
  std::optional<int64_t> step = getConstantIntValue(inner.getStep());
  if (!step)
    return false;
  AccessCollector collector(loop);
  SmallVector<int64_t> dims = copy.getTargetDims();
  SmallVector<OpFoldResult> sizes = copy.getMixedSizes();
  for (auto [dim, offset] : llvm::enumerate(copy.getMixedTargetOffsets())) {
    auto value = dyn_cast<Value>(offset);
    if (!value)
      continue;
    auto *position = llvm::find(dims, int64_t(dim));
    std::optional<int64_t> size = 1;
    if (position != dims.end())
      size = getConstantIntValue(sizes[position - dims.begin()]);
    for (auto [term, coefficient] : collector.getLinearExpr(value).terms)
      if (term == inner.getInductionVar() && size &&
          std::abs(coefficient * *step) >= *size)
        return true;
  }
  return false;
}

/// True if `a` and `b` are in different branches of one `scf.if`.
static bool areExclusive(Operation *a, Operation *b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>())
    if (branch->isAncestor(b)) {
      auto inThen = [&](Operation *op) {
        return branch.getThenRegion().isAncestor(op->getParentRegion());
      };
      return inThen(a) != inThen(b);
    }
  return false;
}

AsyncCopies tilepipe::getAsyncCopies(Operation *statement, PipelineOp loop,
                                     TargetAttr target) {
  AsyncCopies result;
  SmallVector<CopyOp> copies;
  statement->walk([&](CopyOp copy) { copies.push_back(copy); });
  if (copies.empty())
    return result;
  auto refuse = [&](Operation *op, const Twine &reason) {
    result.culprit = op;
    result.whyNot = reason.str();
    return result;
  };
  // Other effects of the statement would have to wait for its copies.
  auto isQuiet = [](Operation *op) {
    return isa<CopyOp, scf::IfOp, scf::ForOp, memref::LoadOp>(op) ||
           op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op);
  };
  Operation *other = nullptr;
  SmallVector<Operation *> loads;
  statement->walk([&](Operation *op) {
    if (!isQuiet(op))
      other = op;
    if (isa<memref::LoadOp>(op))
      loads.push_back(op);
  });
  if (other)
    return refuse(other, "its statement also runs '" +
                             other->getName().getStringRef() + "'");
  for (CopyOp copy : copies) {
    if (std::string reason = whyNotAsync(copy, target); !reason.empty())
      return refuse(copy, reason);
    for (auto inner = copy->getParentOfType<scf::ForOp>();
         inner && statement->isAncestor(inner);
         inner = inner->getParentOfType<scf::ForOp>())
      if (!movesTarget(copy, inner, loop))
        return refuse(copy, "iterations of an inner loop may write the same "
                            "elements");
    Value written = getRootBuffer(copy.getTarget());
    for (Operation *load : loads)
      if (mayAlias(written, getRootBuffer(load->getOperand(0))))
        return refuse(load, "its statement reads what it copies");
    for (CopyOp second : copies) {
      if (mayAlias(written, getRootBuffer(second.getSource())))
        return refuse(second, "its statement reads what it copies");
      if (second != copy && !areExclusive(copy, second) &&
          mayAlias(written, getRootBuffer(second.getTarget())))
        return refuse(second, "two copies of its statement may write the same "
                              "elements");
    }
  }
  result.copies = std::move(copies);
  return result;
}
