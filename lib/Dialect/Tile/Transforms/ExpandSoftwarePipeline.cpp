//===- ExpandSoftwarePipeline.cpp - Overlap iterations --------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopExpander.h"

#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_EXPANDSOFTWAREPIPELINE
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// A planned loop may not be in another one.
static LogicalResult checkNesting(PipelineOp loop) {
  if (!loop.getSchedule())
    return success();
  for (auto outer = loop->getParentOfType<PipelineOp>(); outer;
       outer = outer->getParentOfType<PipelineOp>()) {
    if (!outer.getSchedule())
      continue;
    InFlightDiagnostic diagnostic =
        loop.emitOpError("has a schedule inside a loop that has one");
    diagnostic.attachNote(outer.getLoc()) << "outer loop is here";
    return diagnostic;
  }
  return success();
}

/// Turns a loop without a schedule into an `scf.for`.
static void lowerSerialLoop(PipelineOp loop) {
  if (int64_t(loop.getNumStages().value_or(0)) > 1 || loop.getStage())
    loop.emitRemark("left serial: it asks to be pipelined but has no schedule; "
                    "run --pipeline-planning first");
  OpBuilder b(loop);
  ConstantPool pool(loop);
  IndexMath math(b, loop.getLoc(), pool);
  // An scf.for counts up.
  std::optional<int64_t> step = loop.getStaticStep();
  bool countsDown = step && *step < 0;
  Value lower = loop.getLower(), upper = loop.getUpper(), by = loop.getStep();
  if (countsDown) {
    upper = math.materialize(math.tripCount(loop, /*clamp=*/true));
    lower = pool.getIndex(0);
    by = pool.getIndex(1);
  }
  auto serial =
      scf::ForOp::create(b, loop.getLoc(), lower, upper, by, loop.getInits());
  serial->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = serial.getBody();
  if (loop.getInits().empty())
    body->getTerminator()->erase();
  b.setInsertionPointToStart(body);
  OpFoldResult iv = serial.getInductionVar(), number = iv;
  if (countsDown)
    iv = math.add(getAsOpFoldResult(loop.getLower()),
                  math.mul(number, math.constant(*step)));
  Value counter = loop.getInductionVar();
  SmallVector<IterationOp> iterations;
  for (Operation *user : counter.getUsers())
    if (auto iteration = dyn_cast<IterationOp>(user))
      iterations.push_back(iteration);
  if (!iterations.empty() && !countsDown)
    number = math.div(math.sub(iv, getAsOpFoldResult(loop.getLower())),
                      getAsOpFoldResult(loop.getStep()));
  for (IterationOp iteration : iterations) {
    iteration.replaceAllUsesWith(math.materialize(number));
    iteration.erase();
  }
  counter.replaceAllUsesWith(math.materialize(iv));
  for (auto [before, after] :
       llvm::zip_equal(loop.getRegionIterArgs(), serial.getRegionIterArgs()))
    before.replaceAllUsesWith(after);
  body->getOperations().splice(body->end(),
                               loop.getBodyBlock()->getOperations());
  for (Operation &op : *body)
    setStage(&op, {});
  auto yield = cast<tile::YieldOp>(body->getTerminator());
  b.setInsertionPoint(yield);
  scf::YieldOp::create(b, yield.getLoc(), yield.getValues());
  yield.erase();
  loop.replaceAllUsesWith(serial.getResults());
  loop.erase();
}

namespace {

struct ExpandSoftwarePipelinePass
    : tile::impl::ExpandSoftwarePipelineBase<ExpandSoftwarePipelinePass> {
  using ExpandSoftwarePipelineBase::ExpandSoftwarePipelineBase;

  LogicalResult expand(PipelineOp loop) {
    PlannedLoop plan(loop);
    if (failed(plan.analyze()))
      return failure();
    LoopExpander expander(plan, form, maxPeeledOps);
    expander.run();
    ++numLoops;
    numStatements += plan.getStatements().size();
    numAsync += plan.getCopyCounts().async;
    numNoPath += plan.getCopyCounts().noPath;
    numConversion += plan.getCopyCounts().conversion;
    numOther += plan.getCopyCounts().other;
    numCommits += expander.getNumCommits();
    numWaits += expander.getNumWaits();
    return success();
  }

  void runOnOperation() override {
    // Inner loops come first: a serial one may be a statement of a planned one.
    SmallVector<PipelineOp> loops;
    getOperation()->walk<WalkOrder::PostOrder>(
        [&](PipelineOp loop) { loops.push_back(loop); });
    for (PipelineOp loop : loops)
      if (failed(checkNesting(loop)))
        return signalPassFailure();
    for (PipelineOp loop : loops) {
      if (!loop.getSchedule()) {
        lowerSerialLoop(loop);
        ++numSerial;
      } else if (failed(expand(loop))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
