//===- Explain.cpp - What was decided, for a person -----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Explain/Explain.h"

#include "tilepipe/Analysis/AsyncCopies.h"
#include "tilepipe/Analysis/DependenceGraph.h"
#include "tilepipe/Pipelines/Pipelines.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// Statements and buffers
//===----------------------------------------------------------------------===//

/// The name of a buffer as the text of the function has it.
static std::string getName(Value root, AsmState &state) {
  if (root.getDefiningOp<AllocOp>())
    return getBufferName(root);
  std::string name;
  llvm::raw_string_ostream os(name);
  root.printAsOperand(os, state);
  return name;
}

/// `gemm As, Bs into Cl`: what the statement reads, and what it writes.
static std::string getStatementText(const DependenceGraph &graph,
                                    unsigned number, AsmState &state) {
  llvm::SmallSetVector<Value, 4> reads, writes;
  for (const BufferAccess &access : graph.getAccesses(number))
    (access.writes() ? writes : reads).insert(access.root);
  Operation *op = graph.getStatements()[number];
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName().stripDialect();
  auto list = [&](ArrayRef<Value> buffers) {
    llvm::interleaveComma(buffers, os,
                          [&](Value buffer) { os << getName(buffer, state); });
  };
  if (!reads.empty()) {
    os << ' ';
    list(reads.getArrayRef());
  }
  if (!writes.empty()) {
    os << (reads.empty() ? " " : " into ");
    list(writes.getArrayRef());
  }
  if (auto copy = dyn_cast<CopyOp>(op); copy && copy.getGuard())
    os << ", guarded";
  return text;
}

static StatementReport describeStatement(const DependenceGraph &graph,
                                         unsigned number, AsmState &state) {
  Operation *op = graph.getStatements()[number];
  StatementReport report{getStatementText(graph, number, state), op->getLoc()};
  if (StageAttr stage = getStage(op)) {
    report.stage = stage.getStage();
    report.order = stage.getOrder();
    AsyncCopies copies = getAsyncCopies(op, graph.getLoop(), getTarget(op));
    report.isAsync = copies.isAsync();
    report.whyNotAsync = copies.whyNot;
  }
  return report;
}

static LoopReport describeLoop(PipelineOp loop, AsmState &state) {
  LoopReport report{loop.getLoc()};
  report.tripCount = loop.getConstantTripCount();
  DependenceGraph graph(loop);
  for (unsigned i = 0, e = graph.getStatements().size(); i != e; ++i)
    report.statements.push_back(describeStatement(graph, i, state));
  if (PipelineScheduleAttr schedule = loop.getScheduleAttr()) {
    report.isSerial = false;
    report.depth = schedule.getDepth();
    report.interval = schedule.getIi();
    llvm::sort(report.statements,
               [](const auto &a, const auto &b) { return a.order < b.order; });
  }
  for (const auto &[root, info] : graph.getBuffers()) {
    auto alloc = root.getDefiningOp<AllocOp>();
    if (!alloc)
      continue;
    BufferReport buffer{getName(root, state),
                        info.space,
                        getByteSize(alloc.getType()).value_or(0),
                        int64_t(alloc.getVersions().value_or(1)),
                        {}};
    if (!info.writers.empty())
      buffer.whyNotVersioned = info.whyNotVersioned;
    report.buffers.push_back(std::move(buffer));
  }
  return report;
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// Expansion replaces loops, but what it creates keeps the location of the loop
/// or statement it is for: the number of the loop travels in a location.
static constexpr StringLiteral kTag = "tilepipe.explain.";

static void tagLoop(PipelineOp loop, size_t number) {
  auto tag = StringAttr::get(loop.getContext(), kTag + Twine(number));
  loop->walk(
      [&](Operation *op) { op->setLoc(NameLoc::get(tag, op->getLoc())); });
}

static std::optional<size_t> getTag(Operation *op) {
  std::optional<size_t> number;
  op->getLoc()->walk([&](Location loc) {
    size_t value;
    if (auto name = dyn_cast<NameLoc>(loc))
      if (StringRef tag = name.getName(); tag.consume_front(kTag))
        if (!tag.getAsInteger(10, value)) {
          number = value;
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return number;
}

/// Counts in a clone of the tagged module what injection makes of each loop.
static LogicalResult countWaits(ModuleOp tagged, ArrayRef<LoopReport *> loops) {
  OwningOpRef<ModuleOp> clone = tagged.clone();
  auto run = [&](auto addPasses) {
    PassManager pm(clone->getContext());
    addPasses(pm);
    return pm.run(*clone);
  };
  if (failed(run([](OpPassManager &pm) {
        pm.addPass(createMultiBufferVersioning());
        pm.addPass(createExpandSoftwarePipeline());
      })))
    return failure();
  clone->walk([&](Operation *op) {
    if (!isa<AsyncWaitOp, AsyncCommitOp>(op))
      return;
    if (std::optional<size_t> number = getTag(op))
      ++(isa<AsyncWaitOp>(op) ? loops[*number]->waitsBefore
                              : loops[*number]->commits);
  });
  if (failed(run(
          [](OpPassManager &pm) { pm.addPass(createAsyncWaitRelaxation()); })))
    return failure();
  clone->walk([&](AsyncWaitOp wait) {
    if (std::optional<size_t> number = getTag(wait))
      loops[*number]->waitsAfter.push_back(wait.getPending().value_or(0));
  });
  return success();
}

FailureOr<std::vector<FunctionReport>> tilepipe::explainPlan(ModuleOp planned) {
  std::vector<FunctionReport> reports;
  planned.walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (function.isExternal())
      return WalkResult::skip();
    TargetAttr target = getTarget(function);
    FunctionReport report{
        function.getName().str(), target.getName().str(), {}, {}};
    AsmState state(function);
    function.walk<WalkOrder::PreOrder>([&](PipelineOp loop) {
      report.loops.push_back(describeLoop(loop, state));
    });
    MemoryPlan memory(function, target);
    for (const MemoryUse &use : memory.getUses())
      report.memories.push_back({use.space, use.bytes,
                                 use.memory
                                     ? std::optional(use.memory.getCapacity())
                                     : std::nullopt});
    reports.push_back(std::move(report));
    return WalkResult::skip();
  });

  SmallVector<LoopReport *> loops;
  for (FunctionReport &report : reports)
    for (LoopReport &loop : report.loops)
      loops.push_back(&loop);
  OwningOpRef<ModuleOp> tagged = planned.clone();
  size_t number = 0;
  tagged->walk<WalkOrder::PreOrder>(
      [&](PipelineOp loop) { tagLoop(loop, number++); });
  if (failed(countWaits(*tagged, loops)))
    return failure();
  return reports;
}
