//===- CrossSignals.cpp - Order between kinds of cores ----------------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ownership.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

namespace {

/// How one function uses a workspace: between `first` and `last` of one block.
struct WorkspaceUse {
  Operation *first = nullptr, *last = nullptr;
  Pipe pipe = Pipe::S;
  bool writes = false, inLoop = false;
};

} // namespace

/// The uses of an argument, in the innermost block that is run unconditionally
/// for each of them.
static FailureOr<WorkspaceUse> findUse(FuncOp function, Value workspace) {
  WorkspaceUse use;
  SmallVector<Operation *> users;
  LogicalResult result = success();
  function.walk([&](PipeOpInterface op) {
    SmallVector<PipeAccess> accesses;
    op.getPipeAccesses([](Value) { return std::nullopt; }, accesses);
    for (const PipeAccess &access : accesses) {
      if (resolveBuffer(access.buffer).root != workspace)
        continue;
      if (!users.empty() && op.getPipe() != use.pipe)
        result = op->emitError("uses a workspace by pipe '")
                 << stringifyPipe(op.getPipe()) << "', and another one by '"
                 << stringifyPipe(use.pipe) << "'";
      if (!users.empty() && access.write != use.writes)
        result = op->emitError("reads and writes a workspace in one function");
      use.pipe = op.getPipe();
      use.writes = access.write;
      users.push_back(op);
    }
  });
  if (failed(result))
    return failure();
  if (users.empty())
    return use;
  // The block that all uses are in, out of branches: signals must be given as
  // often as they are waited for.
  Block *block = users.front()->getBlock();
  auto containsAll = [&] {
    return llvm::all_of(users, [&](Operation *op) {
      return block->findAncestorOpInBlock(*op) != nullptr;
    });
  };
  while (!containsAll() || isa<scf::IfOp>(block->getParentOp()))
    block = block->getParentOp()->getBlock();
  use.first = block->findAncestorOpInBlock(*users.front());
  use.last = block->findAncestorOpInBlock(*users.back());
  use.inLoop = !isa<FuncOp>(block->getParentOp());
  return use;
}

/// Signals for one workspace: the producer tells that a tile is there, and in a
/// loop the consumer that it may be overwritten. Counters start as if it had.
static void insertSignals(FuncOp producerFunction, const WorkspaceUse &producer,
                          FuncOp consumerFunction, const WorkspaceUse &consumer,
                          int64_t forward, int64_t back) {
  OpBuilder b(producerFunction.getContext());
  auto set = [&](Pipe pipe, int64_t id, Location loc) {
    CrossSetOp::create(b, loc, PipeAttr::get(b.getContext(), pipe),
                       b.getI64IntegerAttr(2), b.getI64IntegerAttr(id), Value(),
                       IntegerAttr());
  };
  auto wait = [&](int64_t id, Location loc) {
    CrossWaitOp::create(b, loc, b.getI64IntegerAttr(id), Value(),
                        IntegerAttr());
  };
  bool loop = producer.inLoop || consumer.inLoop;
  b.setInsertionPointAfter(producer.last);
  set(producer.pipe, forward, producer.last->getLoc());
  b.setInsertionPoint(consumer.first);
  wait(forward, consumer.first->getLoc());
  if (!loop)
    return;
  b.setInsertionPoint(producer.first);
  wait(back, producer.first->getLoc());
  b.setInsertionPointAfter(consumer.last);
  set(consumer.pipe, back, consumer.last->getLoc());
  // Before the first tile, and after the last one.
  Block &start = consumerFunction.getBody().front();
  Operation *top = start.findAncestorOpInBlock(*consumer.first);
  b.setInsertionPoint(top);
  set(consumer.pipe, back, consumer.first->getLoc());
  Block &end = producerFunction.getBody().front();
  b.setInsertionPoint(end.getTerminator()->getPrevNode()
                          ? end.getTerminator()->getPrevNode()
                          : end.getTerminator());
  wait(back, producer.last->getLoc());
}

/// The function for the other kind of core, by its name.
static FuncOp findPartner(ModuleOp module, FuncOp cube) {
  std::string name = cube.getSymName().drop_back(3).str() + "aiv";
  return module.lookupSymbol<FuncOp>(name);
}

/// The machine must be told where the counters are, and only the host knows: it
/// passes the address as the last argument.
static void addCounterAddress(FuncOp function) {
  bool isThere =
      function.walk([](SetFftsBaseOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (isThere)
    return;
  OpBuilder b(function.getContext());
  unsigned last = function.getNumArguments();
  (void)function.insertArgument(
      last, b.getI64Type(),
      b.getDictionaryAttr(
          b.getNamedAttr("ascend.name", b.getStringAttr("tp_ffts_address"))),
      function.getLoc());
  b.setInsertionPointToStart(&function.getBody().front());
  SetFftsBaseOp::create(b, function.getLoc(), function.getArgument(last));
}

static LogicalResult insertForKernel(FuncOp cube, FuncOp vector) {
  int64_t id = 0;
  for (unsigned i = 0; i < cube.getNumArguments(); ++i) {
    if (!cube.getArgAttr(i, "ascend.workspace"))
      continue;
    FailureOr<WorkspaceUse> first = findUse(cube, cube.getArgument(i));
    FailureOr<WorkspaceUse> second = findUse(vector, vector.getArgument(i));
    if (failed(first) || failed(second))
      return failure();
    if (!first->first && !second->first)
      continue;
    if (!first->first || !second->first || first->writes == second->writes)
      return cube.emitError("workspace ")
             << i
             << " of the kernel is not written by one kind of core and "
                "read by the other";
    if (first->inLoop != second->inLoop) {
      InFlightDiagnostic error = first->first->emitError(
          "uses a workspace in a loop, or not, unlike the other kind of core");
      error.attachNote(second->first->getLoc()) << "the other use is here";
      return error;
    }
    if (id + 2 > 11)
      return cube.emitError("has more workspaces than cross-core signals for "
                            "them: 5");
    if (first->writes)
      insertSignals(cube, *first, vector, *second, id, id + 1);
    else
      insertSignals(vector, *second, cube, *first, id, id + 1);
    id += 2;
  }
  if (id > 0)
    for (FuncOp function : {cube, vector})
      addCounterAddress(function);
  return success();
}

LogicalResult ascend::insertCrossSignals(ModuleOp module) {
  for (FuncOp cube : module.getOps<FuncOp>()) {
    if (!cube.getMix() || !cube.isCube())
      continue;
    FuncOp vector = findPartner(module, cube);
    if (!vector || vector.isCube() ||
        vector.getFunctionType() != cube.getFunctionType())
      return cube.emitError("has no partner for vector cores with the same "
                            "arguments");
    if (failed(insertForKernel(cube, vector)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {

/// The signals of one id in one function, by the number of loops around them.
struct SignalUse {
  SmallVector<Operation *> sets, waits;

  static SmallVector<unsigned> getDepths(ArrayRef<Operation *> ops) {
    SmallVector<unsigned> depths;
    for (Operation *op : ops) {
      unsigned depth = 0;
      for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
           loop = loop->getParentOfType<scf::ForOp>())
        ++depth;
      depths.push_back(depth);
    }
    llvm::sort(depths);
    return depths;
  }
};

/// By id, which may be any number before this is verified.
using SignalUses =
    llvm::MapVector<int64_t, SignalUse, std::map<int64_t, unsigned>>;

} // namespace

/// Signals must not depend on conditions, which the other kind of core does not
/// know.
static FailureOr<SignalUses> collectSignals(FuncOp function) {
  SignalUses uses;
  WalkResult result = function.walk([&](Operation *op) {
    auto set = dyn_cast<CrossSetOp>(op);
    auto wait = dyn_cast<CrossWaitOp>(op);
    if (!set && !wait)
      return WalkResult::advance();
    if (auto branch = op->getParentOfType<scf::IfOp>()) {
      InFlightDiagnostic error = op->emitOpError(
          "is inside of a branch that the other kind of core may not take");
      error.attachNote(branch.getLoc()) << "the branch is here";
      return WalkResult::interrupt();
    }
    if (set)
      uses[set.getId()].sets.push_back(op);
    else
      uses[wait.getId()].waits.push_back(op);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return uses;
}

/// Every signal of `from` is waited for by `to`, as often and in as many loops.
static LogicalResult verifySignals(SignalUses &from, SignalUses &to) {
  for (auto &[id, use] : from) {
    if (use.sets.empty())
      continue;
    SignalUse &other = to[id];
    if (!other.sets.empty() || !use.waits.empty())
      return use.sets.front()->emitOpError(
                 "signals in both directions with id ")
             << id;
    if (other.waits.empty())
      return use.sets.front()->emitOpError("signals id ")
             << id << ", which the other kind of core does not wait for";
    if (SignalUse::getDepths(use.sets) == SignalUse::getDepths(other.waits))
      continue;
    InFlightDiagnostic error =
        use.sets.front()->emitOpError("signals id ")
        << id << " at " << use.sets.size()
        << " places, in other loops or not as often as it is waited for";
    error.attachNote(other.waits.front()->getLoc())
        << "waited for here, at " << other.waits.size() << " places";
    return error;
  }
  return success();
}

LogicalResult ascend::verifyCrossSignals(ModuleOp module) {
  for (FuncOp function : module.getOps<FuncOp>()) {
    FailureOr<SignalUses> uses = collectSignals(function);
    if (failed(uses))
      return failure();
    FuncOp partner = function.getMix() && function.isCube()
                         ? findPartner(module, function)
                         : FuncOp();
    if (!partner) {
      // The vector half of a kernel is looked at with its cube half.
      if (!uses->empty() && !function.getMix()) {
        SignalUse &use = uses->begin()->second;
        return (use.sets.empty() ? use.waits : use.sets)
            .front()
            ->emitOpError("is in a kernel for one kind of core");
      }
      continue;
    }
    FailureOr<SignalUses> others = collectSignals(partner);
    if (failed(others) || failed(verifySignals(*uses, *others)) ||
        failed(verifySignals(*others, *uses)))
      return failure();
    for (SignalUses *side : {&*uses, &*others})
      for (auto &[id, use] : *side)
        if (!use.waits.empty() &&
            (side == &*uses ? *others : *uses)[id].sets.empty())
          return use.waits.front()->emitOpError("waits for id ")
                 << id << ", which the other kind of core does not signal";
  }
  return success();
}
