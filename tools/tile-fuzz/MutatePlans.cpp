//===- MutatePlans.cpp - Changed plans ----------------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::fuzz;

/// Calls `visit` with each way to change a plan, as a function that does it.
static void forEachMutation(ModuleOp module,
                            llvm::function_ref<void(llvm::function_ref<void()>)> visit) {
  module.walk([&](tile::AllocOp alloc) {
    int64_t versions = alloc.getVersions().value_or(1);
    if (versions > 1)
      visit([&] { alloc.setVersions(versions - 1); });
  });
  module.walk([&](tile::PipelineOp loop) {
    SmallVector<Operation *> staged;
    for (Operation &op : *loop.getBodyBlock())
      if (tile::getStage(&op))
        staged.push_back(&op);
    auto move = [](Operation *op, int64_t stage, int64_t order) {
      tile::setStage(op, tile::StageAttr::get(op->getContext(), stage, order));
    };
    for (size_t i = 0; i < staged.size(); ++i) {
      Operation *op = staged[i];
      tile::StageAttr old = tile::getStage(op);
      visit([&] { move(op, old.getStage() + 1, old.getOrder()); });
      if (old.getStage() > 0)
        visit([&] { move(op, old.getStage() - 1, old.getOrder()); });
      for (Operation *other : ArrayRef(staged).drop_front(i + 1)) {
        tile::StageAttr its = tile::getStage(other);
        visit([&] {
          move(op, old.getStage(), its.getOrder());
          move(other, its.getStage(), old.getOrder());
        });
      }
    }
  });
}

Oracle::PlanReport Oracle::mutatePlans(const Program &program, uint64_t seed) {
  PlanReport report;
  unsigned total = 0;
  mutation = [&](ModuleOp planned) {
    forEachMutation(planned, [&](llvm::function_ref<void()>) { ++total; });
  };
  Outcome good = check(program, seed);
  if (good.status != Outcome::Status::Passed || !good.isPipelined)
    total = 0;
  for (unsigned chosen = 0; chosen < total; ++chosen) {
    mutation = [&](ModuleOp planned) {
      unsigned number = 0;
      bool done = false;
      forEachMutation(planned, [&](llvm::function_ref<void()> change) {
        if (number++ != chosen || done)
          return;
        done = true;
        change();
      });
    };
    Outcome outcome = check(program, seed);
    if (outcome.status == Outcome::Status::Passed)
      ++report.right;
    else if (outcome.kind == "injection failed")
      ++report.refused;
    else
      ++report.wrong;
  }
  mutation = nullptr;
  return report;
}
