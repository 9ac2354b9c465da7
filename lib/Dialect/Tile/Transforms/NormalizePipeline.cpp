//===- NormalizePipeline.cpp - One form for loops before planning ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/Transforms/NormalizePipeline.h"

#include "tilepipe/Analysis/DependenceGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// Allocations and views
//===----------------------------------------------------------------------===//

static void hoistAllocs(RewriterBase &rewriter, PipelineOp loop) {
  SmallVector<AllocOp> allocs;
  loop.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Points of a map run at once: each needs a buffer of its own.
    if (isa<MapOp, LaunchOp>(op))
      return WalkResult::skip();
    if (auto alloc = dyn_cast<AllocOp>(op))
      allocs.push_back(alloc);
    return WalkResult::advance();
  });
  for (AllocOp alloc : allocs)
    rewriter.moveOpBefore(alloc, loop);
}

/// The view `op` of an allocation, made before `loop`, or null.
static Operation *getOuterView(Value memref, PipelineOp loop) {
  Operation *op = memref.getDefiningOp();
  if (!op || !isa<ViewLikeOpInterface>(op) || loop->isAncestor(op) ||
      !isMemoryEffectFree(op) || !getRootBuffer(memref).getDefiningOp<AllocOp>())
    return nullptr;
  return op;
}

static void sinkViews(RewriterBase &rewriter, PipelineOp loop) {
  llvm::SetVector<Operation *> views;
  auto visit = [&](Value value) {
    if (Operation *view = getOuterView(value, loop))
      views.insert(view);
  };
  loop.getBody().walk([&](Operation *op) { llvm::for_each(op->getOperands(), visit); });
  // A view of a view: the list grows while it is walked.
  for (size_t i = 0; i < views.size(); ++i)
    llvm::for_each(views[i]->getOperands(), visit);
  rewriter.setInsertionPointToStart(loop.getBodyBlock());
  IRMapping mapping;
  for (Operation *view : llvm::reverse(views.getArrayRef())) {
    Operation *copy = rewriter.clone(*view, mapping);
    rewriter.replaceOpUsesWithIf(view, copy->getResults(), [&](OpOperand &use) {
      return loop.getBody().isAncestor(use.getOwner()->getParentRegion());
    });
  }
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// True for an `scf.if` that can be split into guarded statements.
static bool canSplit(scf::IfOp branch) {
  if (branch.getNumResults() ||
      (branch.elseBlock() && !branch.elseBlock()->without_terminator().empty()))
    return false;
  unsigned statements = 0;
  for (Operation &op : branch.thenBlock()->without_terminator()) {
    if (isMemoryEffectFree(&op)) {
      // Out of the branch it would run where the condition is false.
      if (!isSpeculatable(&op))
        return false;
      continue;
    }
    // A value that one statement gives to another ties them together.
    if (op.getNumResults())
      return false;
    ++statements;
  }
  return statements > 0;
}

static void splitBranch(RewriterBase &rewriter, scf::IfOp branch) {
  Value condition = branch.getCondition();
  SmallVector<Operation *> statements;
  for (Operation &op :
       llvm::make_early_inc_range(branch.thenBlock()->without_terminator())) {
    if (isMemoryEffectFree(&op))
      rewriter.moveOpBefore(&op, branch);
    else
      statements.push_back(&op);
  }
  // A single statement that has no guard of its own is in the right form.
  if (statements.size() == 1 && !isa<CopyOp>(statements.front()))
    return;
  for (Operation *op : statements) {
    rewriter.moveOpBefore(op, branch);
    rewriter.setInsertionPoint(op);
    if (auto copy = dyn_cast<CopyOp>(op)) {
      Value guard = condition;
      if (copy.getGuard())
        guard = arith::AndIOp::create(rewriter, op->getLoc(), condition,
                                      copy.getGuard());
      rewriter.modifyOpInPlace(copy,
                               [&] { copy.getGuardMutable().assign(guard); });
      continue;
    }
    auto own = scf::IfOp::create(rewriter, branch.getLoc(), condition,
                                 /*withElseRegion=*/false);
    rewriter.moveOpBefore(op, own.thenBlock()->getTerminator());
  }
  rewriter.eraseOp(branch);
}

static void splitBranches(RewriterBase &rewriter, PipelineOp loop) {
  for (Operation &op :
       llvm::make_early_inc_range(loop.getBodyBlock()->without_terminator()))
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && canSplit(branch))
      splitBranch(rewriter, branch);
}

//===----------------------------------------------------------------------===//
// Carried values
//===----------------------------------------------------------------------===//

namespace {

/// The buffer of one carried value, its load and its store in the body.
struct Cell {
  AllocOp buffer;
  Operation *load = nullptr;
  Operation *store = nullptr;
};

} // namespace

static bool canDemote(PipelineOp loop) {
  return llvm::all_of(loop.getInits().getTypes(), [](Type type) {
    return type.isIntOrIndexOrFloat();
  });
}

/// A loop without carried values that has the body of `loop`.
static PipelineOp createWithoutCarried(RewriterBase &rewriter, PipelineOp loop,
                                       ArrayRef<Cell> cells) {
  auto result = PipelineOp::create(rewriter, loop.getLoc(), loop.getLower(),
                                   loop.getUpper(), loop.getStep());
  result.setNumStagesAttr(loop.getNumStagesAttr());
  result.setStageAttr(loop.getStageAttr());
  result.setOrderAttr(loop.getOrderAttr());
  result->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  rewriter.eraseOp(result.getBodyBlock()->getTerminator());
  rewriter.setInsertionPointToStart(result.getBodyBlock());
  SmallVector<Value> arguments{result.getInductionVar()};
  for (const Cell &cell : cells)
    arguments.push_back(cell.load->getResult(0));
  rewriter.mergeBlocks(loop.getBodyBlock(), result.getBodyBlock(), arguments);
  return result;
}

/// The stage of each carried value. Values that are computed from each other form
/// a recurrence and share one: the latest in which a statement computes one of
/// them, or else the earliest in which a statement uses one.
static SmallVector<int64_t> getCarriedStages(const DependenceGraph &graph,
                                             ArrayRef<Cell> cells,
                                             ArrayRef<int64_t> stage) {
  llvm::EquivalenceClasses<unsigned> recurrences;
  llvm::DenseMap<unsigned, unsigned> loads, stores;
  for (auto [i, cell] : llvm::enumerate(cells)) {
    recurrences.insert(i);
    loads[*graph.getNumber(cell.load)] = i;
    stores[*graph.getNumber(cell.store)] = i;
  }
  for (const Dependence &d : graph.getDependences())
    if (d.kind == DependenceKind::Scalar && loads.count(d.from) &&
        stores.count(d.to))
      recurrences.unionSets(loads[d.from], stores[d.to]);
  llvm::DenseMap<unsigned, int64_t> computed, used;
  for (const Dependence &d : graph.getDependences()) {
    if (d.kind != DependenceKind::Scalar)
      continue;
    if (stores.count(d.to) && !loads.count(d.from)) {
      auto &latest = computed[recurrences.getLeaderValue(stores[d.to])];
      latest = std::max(latest, stage[d.from]);
    } else if (loads.count(d.from) && !stores.count(d.to)) {
      unsigned leader = recurrences.getLeaderValue(loads[d.from]);
      auto [it, inserted] = used.try_emplace(leader, stage[d.to]);
      it->second = std::min(it->second, stage[d.to]);
    }
  }
  SmallVector<int64_t> result;
  for (unsigned i = 0; i < cells.size(); ++i) {
    unsigned leader = recurrences.getLeaderValue(i);
    result.push_back(computed.count(leader) ? computed[leader] : used[leader]);
  }
  return result;
}

/// Adds the loads and stores that carry values to a manual schedule: in each step
/// the loads come first and the stores last, so that within one stage any order
/// of the other statements is right.
static void extendManualSchedule(PipelineOp loop, ArrayRef<Cell> cells) {
  if (!loop.getStage())
    return;
  DependenceGraph graph(loop);
  if (graph.getObstacle())
    return;
  llvm::DenseMap<unsigned, unsigned> loads, stores;
  for (auto [i, cell] : llvm::enumerate(cells)) {
    loads[*graph.getNumber(cell.load)] = i;
    stores[*graph.getNumber(cell.store)] = i;
  }
  unsigned count = graph.getStatements().size();
  // A list of another length is for the planner to refuse.
  if (loop.getStage()->size() + 2 * cells.size() != count)
    return;
  SmallVector<int64_t> stage(count, 0), order(count, 0);
  size_t given = 0;
  for (unsigned number = 0; number < count; ++number) {
    if (loads.count(number) || stores.count(number))
      continue;
    stage[number] = (*loop.getStage())[given];
    order[number] = (*loop.getOrder())[given++] + cells.size();
  }
  int64_t last = *llvm::max_element(order);
  SmallVector<int64_t> carried = getCarriedStages(graph, cells, stage);
  for (auto [number, cell] : loads) {
    stage[number] = carried[cell];
    order[number] = cell;
  }
  for (auto [number, cell] : stores) {
    stage[number] = carried[cell];
    order[number] = last + 1 + cell;
  }
  loop.setStage(stage);
  loop.setOrder(order);
}

static PipelineOp demoteCarriedValues(RewriterBase &rewriter, PipelineOp loop) {
  if (loop.getInits().empty() || !canDemote(loop))
    return loop;
  Location loc = loop.getLoc();
  auto space = SpaceAttr::get(loop.getContext(), MemorySpace::Fragment);
  SmallVector<Cell> cells;
  rewriter.setInsertionPoint(loop);
  for (auto [i, init] : llvm::enumerate(loop.getInits())) {
    auto type = MemRefType::get({}, init.getType(), MemRefLayoutAttrInterface(),
                                space);
    Cell &cell = cells.emplace_back();
    cell.buffer = AllocOp::create(rewriter, loc, type,
                                  "carried" + std::to_string(i));
    memref::StoreOp::create(rewriter, loc, init, cell.buffer.getResult());
  }
  rewriter.setInsertionPointToStart(loop.getBodyBlock());
  for (Cell &cell : cells)
    cell.load = memref::LoadOp::create(rewriter, loc, cell.buffer.getResult());
  auto yield = cast<YieldOp>(loop.getBodyBlock()->getTerminator());
  rewriter.setInsertionPoint(yield);
  for (auto [cell, value] : llvm::zip_equal(cells, yield.getValues())) {
    // The argument of the new loop is the load.
    Value stored = value;
    for (auto [other, argument] :
         llvm::zip_equal(cells, loop.getRegionIterArgs()))
      if (value == argument)
        stored = other.load->getResult(0);
    cell.store = memref::StoreOp::create(rewriter, loc, stored,
                                         cell.buffer.getResult());
  }
  rewriter.modifyOpInPlace(yield, [&] { yield.getValuesMutable().clear(); });
  for (auto [cell, argument] :
       llvm::zip_equal(cells, loop.getRegionIterArgs()))
    rewriter.replaceAllUsesWith(argument, cell.load->getResult(0));
  rewriter.setInsertionPoint(loop);
  PipelineOp result = createWithoutCarried(rewriter, loop, cells);
  rewriter.setInsertionPointAfter(result);
  SmallVector<Value> finals;
  for (Cell &cell : cells)
    finals.push_back(
        memref::LoadOp::create(rewriter, loc, cell.buffer.getResult()));
  rewriter.replaceOp(loop, finals);
  extendManualSchedule(result, cells);
  return result;
}

PipelineOp tile::normalizePipeline(RewriterBase &rewriter, PipelineOp loop) {
  OpBuilder::InsertionGuard guard(rewriter);
  hoistAllocs(rewriter, loop);
  sinkViews(rewriter, loop);
  splitBranches(rewriter, loop);
  return demoteCarriedValues(rewriter, loop);
}
