//===- PipeSymbols.cpp - What control flow depends on --------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexEvaluation.h"
#include "PipeModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

bool ascend::isRelevant(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<PipeOpInterface, SetFlagOp, WaitFlagOp, BarrierOp,
                   CrossSetOp, CrossWaitOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

PipeModel::PipeModel(FuncOp function) : function(function) {
  for (Value argument : function.getBody().getArguments())
    if (function.getArgAttr(cast<BlockArgument>(argument).getArgNumber(),
                            "ascend.workspace"))
      workspaces.insert(argument);
  collectSymbols();
}

/// True if `value` is computed from an induction variable, or from what loop
/// bounds and slots are computed from.
bool PipeModel::touchesLoop(Value value) {
  auto [it, inserted] = touches.try_emplace(value, false);
  if (!inserted)
    return it->second;
  bool result = leaves.contains(value);
  if (auto argument = dyn_cast<BlockArgument>(value))
    result |= !isa<FuncOp>(argument.getOwner()->getParentOp());
  else if (!result)
    for (Value operand : value.getDefiningOp()->getOperands())
      result |= !isa<BaseMemRefType>(operand.getType()) && touchesLoop(operand);
  return touches[value] = result;
}

bool PipeModel::addLeaf(Value value) {
  if (!leaves.insert(value).second)
    return false;
  symbols.push_back({value, {}, false});
  return true;
}

void PipeModel::addSlice(Value value, bool open) {
  if (!value || !visited.insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop) {
      addLeaf(value);
      return;
    }
    if (argument.getArgNumber() == 0) {
      addSlice(loop.getLowerBound(), open);
      addSlice(loop.getUpperBound(), open);
      return addSlice(loop.getStep(), open);
    }
    unsigned i = argument.getArgNumber() - 1;
    addSlice(loop.getInitArgs()[i], open);
    return addSlice(loop.getYieldedValues()[i], open);
  }
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto attr = dyn_cast<IntegerAttr>(constant.getValue()))
      constants.push_back(attr.getValue().getSExtValue());
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    addSlice(loop.getInitArgs()[i], open);
    return addSlice(loop.getYieldedValues()[i], open);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    addSlice(branch.getCondition(), open);
    addSlice(branch.thenYield().getOperand(i), open);
    return addSlice(branch.elseYield().getOperand(i), open);
  }
  // In what loops depend on, a quotient of something unknown can be anything:
  // it is the number of iterations that counts, not the size that it is from.
  bool quotient = isa<arith::CeilDivUIOp, arith::CeilDivSIOp, arith::DivUIOp,
                      arith::DivSIOp, arith::FloorDivSIOp>(op);
  if (!canEvaluate(op) || (quotient && !open && !touchesLoop(value))) {
    addLeaf(value);
    return;
  }
  for (Value operand : op->getOperands())
    addSlice(operand, open);
}

/// Small values, those around constants that are compared with, and enough of
/// them to see every remainder by a number of versions.
static SmallVector<int64_t> getDomain(Value value, ArrayRef<int64_t> constants,
                                      int64_t versions, int64_t large) {
  // Never or always, or in turn where it is asked again and again.
  if (value.getType().isInteger(1))
    return isa<FuncOp>(value.getParentRegion()->getParentOp())
               ? SmallVector<int64_t>{0, 1}
               : SmallVector<int64_t>{0, 1, 2, 3};
  constexpr int64_t small = 12;
  int64_t limit = 2;
  for (int64_t constant : constants)
    if (constant > limit && constant <= small)
      limit = constant;
  SmallVector<int64_t> domain;
  for (int64_t i = 0; i <= limit + versions + 1; ++i)
    domain.push_back(i);
  for (int64_t constant : constants)
    for (int64_t i : {constant - 1, constant, constant + 1})
      if (constant > small && constant <= large &&
          !llvm::is_contained(domain, i))
        domain.push_back(i);
  return domain;
}

namespace {
/// What a condition is computed from, in order, if it is only the numbers of
/// iterations.
struct CounterSlice {
  llvm::SetVector<Value> counters;
  SmallVector<Operation *> ops;
  DenseSet<Value> visited;

  bool add(Value value) {
    if (!visited.insert(value).second)
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      counters.insert(value);
      return argument.getArgNumber() == 0 &&
             isa<scf::ForOp>(argument.getOwner()->getParentOp());
    }
    Operation *op = value.getDefiningOp();
    if (!canEvaluate(op) || op->getNumResults() != 1 || ops.size() > 64)
      return false;
    for (Value operand : op->getOperands())
      if (!add(operand))
        return false;
    ops.push_back(op);
    return true;
  }
};
} // namespace

/// The first iterations in which a condition is another one than before.
static void addTurns(Value condition, SmallVectorImpl<int64_t> &turns) {
  constexpr int64_t farthest = 512;
  constexpr unsigned most = 3;
  CounterSlice slice;
  if (!slice.add(condition))
    return;
  for (Value counter : slice.counters) {
    std::optional<int64_t> last;
    unsigned found = 0;
    for (int64_t i = 0; i <= farthest && found < most; ++i) {
      DenseMap<Value, int64_t> values;
      for (Value other : slice.counters)
        values[other] = other == counter ? i : 0;
      for (Operation *op : slice.ops)
        if (auto number = evaluateIndexOp(op, [&](Value v) {
              auto it = values.find(v);
              return it == values.end() ? std::optional<int64_t>() : it->second;
            }))
          values[op->getResult(0)] = *number;
      auto it = values.find(condition);
      if (it == values.end())
        break;
      if (last && *last != it->second) {
        ++found;
        if (!llvm::is_contained(turns, i))
          turns.push_back(i);
      }
      last = it->second;
    }
  }
}

/// Which blocks to look at: of a known grid no others than there are, among
/// them those at the end of the grid and of its rows.
static SmallVector<int64_t> getBlocks(SmallVector<int64_t> domain,
                                      ArrayRef<int64_t> constants,
                                      int64_t blocks) {
  for (int64_t constant : constants)
    if (constant > 0)
      domain.push_back(blocks - constant);
  domain.push_back(blocks - 1);
  llvm::erase_if(domain, [&](int64_t i) { return i < 0 || i >= blocks; });
  llvm::sort(domain);
  domain.erase(llvm::unique(domain), domain.end());
  return domain;
}

void PipeModel::setDomains(bool primary, int64_t versions) {
  llvm::sort(constants);
  constants.erase(llvm::unique(constants), constants.end());
  for (Symbol &symbol : symbols) {
    if (!symbol.domain.empty())
      continue;
    // Trip counts stay small; sizes also go past those of tiles.
    symbol.domain =
        getDomain(symbol.value, constants, versions, primary ? 64 : 1 << 12);
    symbol.primary = primary;
    auto block = symbol.value.getDefiningOp<BlockIdxOp>();
    std::optional<int64_t> blocks;
    if (block)
      blocks = block.getBlocks();
    else if (symbol.value.getDefiningOp<SubBlockIdxOp>())
      blocks = 2;
    symbol.position = block || blocks;
    symbol.bounded = blocks.has_value();
    if (blocks)
      symbol.domain = getBlocks(symbol.domain, constants, *blocks);
  }
}

void PipeModel::collectSymbols() {
  int64_t versions = 1;
  function.walk([&](Operation *op) {
    if (auto slot = dyn_cast<tile::SlotOp>(op)) {
      versions = std::max<int64_t>(
          versions, cast<MemRefType>(slot.getSource().getType()).getDimSize(0));
      addSlice(slot.getIndex(), false);
    }
    if (auto flag = dyn_cast<SetFlagOp>(op))
      addSlice(flag.getSlot(), false);
    if (auto flag = dyn_cast<WaitFlagOp>(op))
      addSlice(flag.getSlot(), false);
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop && isRelevant(loop)) {
      addSlice(loop.getLowerBound(), false);
      addSlice(loop.getUpperBound(), false);
      addSlice(loop.getStep(), false);
    }
  });
  setDomains(true, versions);
  // Loops also run on to where something changes: the end of a tensor.
  SmallVector<int64_t> turns;
  function.walk([&](scf::IfOp op) {
    if (isRelevant(op))
      addTurns(op.getCondition(), turns);
  });
  for (Symbol &symbol : symbols)
    for (int64_t turn : turns)
      for (int64_t trips : {turn + 1, turn + 2})
        if (!symbol.value.getType().isInteger(1) && !symbol.position &&
            !llvm::is_contained(symbol.domain, trips))
          symbol.domain.push_back(trips);
  function.walk([&](scf::IfOp op) {
    if (isRelevant(op))
      addSlice(op.getCondition(), true);
  });
  // Places and sizes in on-chip memory, so that disjoint parts are told apart.
  function.walk([&](PipeOpInterface op) {
    for (Value operand : op->getOperands())
      if (operand.getType().isIntOrIndex())
        addSlice(operand, true);
  });
  setDomains(false, versions);
}
