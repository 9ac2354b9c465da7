//===- TileExplain.cpp - The pass that prints plans -----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include "tilepipe/Explain/Explain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassManager.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_TILEEXPLAIN
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// A remark, until it is known which loop it is about.
using Remark = std::pair<Location, std::string>;

/// Plans `module`. Keeps the remarks of the planner, passes on its errors.
static LogicalResult plan(ModuleOp module, PlanningPolicy policy,
                          SmallVectorImpl<Remark> &remarks) {
  MLIRContext *context = module.getContext();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
      return failure();
    remarks.emplace_back(diagnostic.getLocation(), diagnostic.str());
    return success();
  });
  PassManager pm(context);
  PipelinePlanningOptions options;
  options.policy = policy;
  pm.addPass(createPipelinePlanning(options));
  return pm.run(module);
}

/// Gives each remark to the loop that has a statement, or itself, at its place.
static void attachRemarks(ArrayRef<Remark> remarks,
                          MutableArrayRef<FunctionReport> reports) {
  DenseMap<Attribute, LoopReport *> owners;
  for (FunctionReport &report : reports)
    for (LoopReport &loop : report.loops) {
      owners[LocationAttr(loop.loc)] = &loop;
      for (StatementReport &statement : loop.statements)
        owners.try_emplace(LocationAttr(statement.loc), &loop);
    }
  for (const Remark &remark : remarks)
    if (LoopReport *loop = owners.lookup(LocationAttr(remark.first)))
      loop->remarks.push_back(remark);
}

namespace {

struct TileExplain : tile::impl::TileExplainBase<TileExplain> {
  using TileExplainBase::TileExplainBase;

  void runOnOperation() override {
    OwningOpRef<ModuleOp> clone = getOperation().clone();
    SmallVector<Remark> remarks;
    if (failed(plan(*clone, policy, remarks)))
      return signalPassFailure();
    FailureOr<std::vector<FunctionReport>> reports = explainPlan(*clone);
    if (failed(reports))
      return signalPassFailure();
    attachRemarks(remarks, *reports);
    print(*reports, toStdout ? llvm::outs() : llvm::errs());
    markAllAnalysesPreserved();
  }
};

} // namespace
