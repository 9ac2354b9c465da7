//===- PipeModel.cpp - The control paths of a function ----------------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipeModel.h"

#include "IndexEvaluation.h"
#include "PipeMachine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

/// Combinations of what loops depend on that are run at most; choices of the
/// other conditions for each; and operations in all of them.
static constexpr int64_t maxCombinations = 400;
static constexpr int64_t minChoices = 12, minPaths = 200;
static constexpr int64_t maxSteps = 4000000, maxQuickSteps = 400000;

BufferView ascend::resolveBuffer(Value memref) {
  BufferView view;
  while (auto slot = memref.getDefiningOp<tile::SlotOp>()) {
    view.slot = slot.getIndex();
    view.view = slot;
    memref = slot.getSource();
  }
  view.root = memref;
  return view;
}

//===----------------------------------------------------------------------===//
// One control path
//===----------------------------------------------------------------------===//

namespace {

class PathRunner {
public:
  PathRunner(FuncOp function, const ModelOptions &options,
             const ModelTrace *trace, PipeMachine &machine, int64_t budget)
      : function(function), options(options), trace(trace), machine(machine),
        budget(budget) {}

  DenseMap<Value, int64_t> symbols;

  void run() {
    for (Value argument : function.getBody().getArguments())
      if (auto it = symbols.find(argument); it != symbols.end())
        values[argument] = it->second;
    runBlock(function.getBody().front());
    if (isOver())
      return;
    if (trace)
      trace->endOfPath();
    else if (!machine.isStopped())
      machine.finish();
  }

  bool isOver() const { return steps > budget; }
  int64_t getSteps() const { return steps; }

private:
  std::optional<int64_t> evaluate(Value value) const {
    auto it = values.find(value);
    if (it != values.end())
      return it->second;
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      if (auto attr = dyn_cast<IntegerAttr>(constant.getValue()))
        return attr.getValue().isSignedIntN(64) ? attr.getValue().getSExtValue()
                                                : std::optional<int64_t>();
    return std::nullopt;
  }

  void assign(Value value, std::optional<int64_t> number) {
    if (number)
      values[value] = *number;
    else
      values.erase(value);
  }

  void runBlock(Block &block);
  void runFor(scf::ForOp loop);
  void runIf(scf::IfOp branch);
  void runScalar(Operation *op);
  void runFlag(Operation *op, Pipe from, Pipe to, int64_t id, Value slot,
               bool set);

  FuncOp function;
  const ModelOptions &options;
  const ModelTrace *trace;
  PipeMachine &machine;
  int64_t budget, steps = 0;
  DenseMap<Value, int64_t> values;
  DenseMap<Value, int64_t> evaluations;
  DenseMap<Operation *, bool> relevantLoops;
};

} // namespace

void PathRunner::runScalar(Operation *op) {
  if (op->getNumResults() != 1)
    return;
  Value result = op->getResult(0);
  auto symbol = symbols.find(result);
  if (symbol == symbols.end()) {
    if (!result.getType().isIntOrIndex())
      return;
    auto known = [&](Value v) { return evaluate(v); };
    std::optional<int64_t> number = evaluateIndexOp(op, known);
    // A division by zero: nothing real takes this path, so any number will do.
    if (!number && canEvaluate(op) &&
        llvm::all_of(op->getOperands(),
                     [&](Value v) { return known(v).has_value(); }))
      number = 0;
    assign(result, number);
    return;
  }
  int64_t value = symbol->second;
  // 2 and 3 of a condition: in turn, from either side.
  if (result.getType().isInteger(1) && value > 1)
    value = (value + evaluations[result]++) & 1;
  values[result] = value;
}

void PathRunner::runFlag(Operation *op, Pipe from, Pipe to, int64_t id,
                         Value slot, bool set) {
  if (slot) {
    std::optional<int64_t> index = evaluate(slot);
    if (!index)
      return machine.fail({Finding::Unknown, op, nullptr, from, to, nullptr,
                           "has a slot that cannot be followed"});
    id += *index;
  }
  if (set)
    machine.setFlag(op, from, to, id);
  else
    machine.waitFlag(op, from, to, id);
}

void PathRunner::runFor(scf::ForOp loop) {
  std::optional<int64_t> lower = evaluate(loop.getLowerBound());
  std::optional<int64_t> upper = evaluate(loop.getUpperBound());
  std::optional<int64_t> step = evaluate(loop.getStep());
  auto [relevant, isNew] = relevantLoops.try_emplace(loop, false);
  if (isNew)
    relevant->second = isRelevant(loop);
  if (!relevant->second) {
    for (Value result : loop.getResults())
      values.erase(result);
    return;
  }
  if (!lower || !upper || !step || *step <= 0)
    return machine.fail({Finding::Unknown, loop, nullptr, Pipe::S, Pipe::S,
                         nullptr, "has bounds that cannot be followed"});
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    assign(argument, evaluate(init));
  for (int64_t iv = *lower; iv < *upper; iv += *step) {
    values[loop.getInductionVar()] = iv;
    runBlock(*loop.getBody());
    if (machine.isStopped() || isOver())
      return;
    SmallVector<std::optional<int64_t>> yielded;
    for (Value value : loop.getYieldedValues())
      yielded.push_back(evaluate(value));
    for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), yielded))
      assign(argument, value);
  }
  for (auto [result, argument] :
       llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    assign(result, evaluate(argument));
}

void PathRunner::runIf(scf::IfOp branch) {
  std::optional<int64_t> condition = evaluate(branch.getCondition());
  if (!condition) {
    if (isRelevant(branch))
      machine.fail({Finding::Unknown, branch, nullptr, Pipe::S, Pipe::S,
                    nullptr, "has a condition that cannot be followed"});
    for (Value result : branch.getResults())
      values.erase(result);
    return;
  }
  Block *taken = *condition & 1 ? branch.thenBlock() : branch.elseBlock();
  if (!taken)
    return;
  runBlock(*taken);
  for (auto [result, value] :
       llvm::zip(branch.getResults(), taken->getTerminator()->getOperands()))
    assign(result, evaluate(value));
}

void PathRunner::runBlock(Block &block) {
  for (Operation &op : block) {
    if (machine.isStopped() || ++steps > budget)
      return;
    if (trace && trace->watched.contains(&op))
      trace->visit(&op, [&](Value v) { return evaluate(v); });
    if (auto it = options.barriers.find(&op); it != options.barriers.end())
      for (Pipe pipe : it->second)
        machine.barrier(pipe);
    if (options.ignored.contains(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      runFor(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      runIf(branch);
    } else if (auto set = dyn_cast<SetFlagOp>(op)) {
      runFlag(set, set.getSource(), set.getTarget(), set.getId(), set.getSlot(),
              true);
    } else if (auto wait = dyn_cast<WaitFlagOp>(op)) {
      runFlag(wait, wait.getSource(), wait.getTarget(), wait.getId(),
              wait.getSlot(), false);
    } else if (auto barrier = dyn_cast<BarrierOp>(op)) {
      machine.barrier(barrier.getPipe());
    } else if (auto pipe = dyn_cast<PipeOpInterface>(op)) {
      if (!trace)
        machine.execute(pipe, [&](Value v) { return evaluate(v); });
      runScalar(&op);
    } else if (op.getNumRegions() && isRelevant(&op)) {
      machine.fail({Finding::Unknown, &op, nullptr, Pipe::S, Pipe::S, nullptr,
                    "is control flow that cannot be followed"});
    } else {
      runScalar(&op);
    }
  }
}

//===----------------------------------------------------------------------===//
// All control paths
//===----------------------------------------------------------------------===//

namespace {

/// Draws numbers, the same ones each time.
class Dice {
public:
  int64_t pick(int64_t size) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    return int64_t((random >> 33) % size);
  }

  /// One of `size` numbers, such that as many draws from `bag` give each once.
  int64_t draw(SmallVector<int64_t> &bag, int64_t size) {
    if (bag.empty())
      bag.append(llvm::seq<int64_t>(0, size).begin(),
                 llvm::seq<int64_t>(0, size).end());
    std::swap(bag[pick(bag.size())], bag.back());
    return bag.pop_back_val();
  }

private:
  uint64_t random = 1;
};

} // namespace

/// Which value of its domain a symbol other than those of loops has. First the
/// smallest sizes in the first blocks, then the last block, where the tails
/// are; then anything, every other time in one of the first blocks, as those
/// have something to do whatever the sizes are.
static int64_t chooseIndex(int64_t size, bool position, bool bounded,
                           int64_t choice, SmallVector<int64_t> &bag,
                           Dice &dice) {
  if (choice < 2)
    return std::min<int64_t>(position ? choice : 1 - choice, size - 1);
  if (bounded && choice == 2)
    return size - 1;
  if (position && choice % 2 == 1)
    return dice.pick(std::min<int64_t>(size, 3));
  return dice.draw(bag, size);
}

void PipeModel::runAll(const ModelOptions &options, const ModelTrace *trace,
                       function_ref<bool(const Finding &)> report) {
  numPaths = 0;
  int64_t combinations = 1;
  bool hasOthers = false;
  for (Symbol &symbol : symbols) {
    hasOthers |= !symbol.primary;
    if (symbol.primary)
      combinations = std::min<int64_t>(combinations * symbol.domain.size(),
                                       int64_t(1) << 40);
  }
  // All combinations, or as many as can be tried.
  bool sample = combinations > maxCombinations;
  int64_t numChoices =
      hasOthers ? std::max(minChoices, minPaths / combinations) : 1;
  if (options.quick)
    numChoices = std::min<int64_t>(numChoices, 3);
  Dice dice;
  SmallVector<SmallVector<int64_t>> bags(symbols.size());
  int64_t steps = 0, budget = options.quick ? maxQuickSteps : maxSteps;
  // The largest values first: most of what is wrong is wrong for them.
  for (int64_t i = std::min(combinations, maxCombinations) - 1; i >= 0; --i)
    for (int64_t choice = 0; choice < numChoices; ++choice) {
      PipeMachine machine(workspaces, report);
      PathRunner runner(function, options, trace, machine, budget - steps);
      int64_t rest = i;
      for (auto [symbol, bag] : llvm::zip(symbols, bags)) {
        int64_t size = symbol.domain.size(), index;
        if (symbol.primary && !sample) {
          index = rest % size;
          rest /= size;
        } else if (symbol.primary) {
          index = dice.pick(size);
        } else {
          index = chooseIndex(size, symbol.position, symbol.bounded, choice,
                              bag, dice);
        }
        runner.symbols[symbol.value] = symbol.domain[index];
      }
      runner.run();
      ++numPaths;
      steps += runner.getSteps();
      complete = !runner.isOver();
      if (machine.isStopped() || !complete)
        return;
    }
}

void PipeModel::run(const ModelOptions &options,
                    function_ref<bool(const Finding &)> report) {
  runAll(options, nullptr, report);
}

void PipeModel::run(const ModelTrace &trace) {
  runAll(ModelOptions(), &trace, [](const Finding &) { return true; });
}
