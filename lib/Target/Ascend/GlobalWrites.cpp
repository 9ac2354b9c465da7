//===- GlobalWrites.cpp - Writes of one pipe to global memory ---------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The places are expressions of unknown sizes, so they are compared as
// polynomials: two writes whose places differ by a term with an induction
// variable are taken to be writes of different tiles. One statement of the user
// never writes one place twice but in a loop over something else, so writes
// with its location are compared only with themselves.
//
//===----------------------------------------------------------------------===//

#include "GlobalWrites.h"

#include "PipeModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

/// True if `value` is a sum of products one of which has `iv` as a factor.
static bool isLinearIn(Value value, Value iv) {
  if (value == iv)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return isLinearIn(op->getOperand(0), iv) ||
           isLinearIn(op->getOperand(1), iv);
  return isa<arith::IndexCastOp>(op) && isLinearIn(op->getOperand(0), iv);
}

namespace {
struct GlobalWrite {
  Operation *op;
  Pipe pipe;
  Value root, offset;
};
} // namespace

/// The offset of the target of a write to global memory.
static Value getTargetOffset(Operation *op) {
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getTargetOffset();
  if (auto fixpipe = dyn_cast<FixpipeOp>(op))
    return fixpipe.getTargetOffset();
  return nullptr;
}

static SmallVector<GlobalWrite> collectWrites(FuncOp function) {
  SmallVector<GlobalWrite> writes;
  function.walk([&](PipeOpInterface op) {
    if (Value offset = getTargetOffset(op)) {
      Value target = isa<StoreOp>(op.getOperation())
                         ? cast<StoreOp>(op.getOperation()).getTarget()
                         : cast<FixpipeOp>(op.getOperation()).getTarget();
      // Workspaces are ordered by cross-core signals.
      Value root = resolveBuffer(target).root;
      auto argument = dyn_cast<BlockArgument>(root);
      if (!argument ||
          !function.getArgAttr(argument.getArgNumber(), "ascend.workspace"))
        writes.push_back({op, op.getPipe(), root, offset});
    }
  });
  return writes;
}

/// True if only one of two operations runs: they are in different branches.
static bool areExclusive(Operation *a, Operation *b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>())
    if (branch->isProperAncestor(b)) {
      bool thenA = branch.getThenRegion().isAncestor(a->getParentRegion());
      bool thenB = branch.getThenRegion().isAncestor(b->getParentRegion());
      return thenA != thenB;
    }
  return false;
}

SmallVector<std::pair<Operation *, Pipe>>
ascend::findGlobalWriteHazards(FuncOp function) {
  SmallVector<std::pair<Operation *, Pipe>> places;
  auto add = [&](Operation *op, Pipe pipe) {
    if (!llvm::is_contained(places, std::make_pair(op, pipe)))
      places.push_back({op, pipe});
  };
  SmallVector<GlobalWrite> writes = collectWrites(function);
  for (auto [i, write] : llvm::enumerate(writes)) {
    // Against itself in an earlier iteration.
    for (auto loop = write.op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      if (!isLinearIn(write.offset, loop.getInductionVar()))
        add(write.op, write.pipe);
    // Against other statements before it.
    for (const GlobalWrite &other : ArrayRef(writes).take_front(i))
      if (other.root == write.root && other.pipe == write.pipe &&
          other.op->getLoc() != write.op->getLoc() &&
          !areExclusive(other.op, write.op))
        add(write.op, write.pipe);
  }
  return places;
}
