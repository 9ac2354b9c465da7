//===- PrintDependences.cpp - Show what planning knows of a loop ----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/DependenceGraph.h"
#include "tilepipe/Dialect/Tile/Transforms/NormalizePipeline.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_PRINTDEPENDENCES
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

static void printLoop(PipelineOp loop, raw_ostream &os) {
  DependenceGraph graph(loop);
  os << "loop at ";
  LocationAttr(loop.getLoc()).print(os);
  os << '\n';
  if (Operation *obstacle = graph.getObstacle()) {
    os << "  cannot be pipelined: " << graph.getObstacleReason() << " ('"
       << obstacle->getName() << "')\n";
    return;
  }
  for (auto [number, op] : llvm::enumerate(graph.getStatements()))
    os << "  #" << number << ' ' << op->getName() << '\n';
  for (const auto &[root, info] : graph.getBuffers()) {
    os << "  buffer " << getBufferName(root) << ": ";
    if (info.mayHaveVersions())
      os << "private";
    else
      os << "shared by iterations (" << info.whyNotVersioned << ")";
    if (info.versions > 1)
      os << ", rotates over " << info.versions << " versions";
    os << '\n';
  }
  for (const Dependence &d : graph.getDependences()) {
    os << "  #" << d.from << " -> #" << d.to << ' ' << stringify(d.kind);
    if (d.buffer)
      os << " of " << getBufferName(d.buffer);
    os << ", distance " << d.distance;
    if (d.removable)
      os << ", removed by versions";
    os << '\n';
  }
}

namespace {

struct PrintDependences
    : tile::impl::PrintDependencesBase<PrintDependences> {
  using PrintDependencesBase::PrintDependencesBase;

  void runOnOperation() override {
    SmallVector<PipelineOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](PipelineOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (PipelineOp loop : loops)
      printLoop(normalize ? normalizePipeline(rewriter, loop) : loop,
                llvm::errs());
    if (!normalize)
      markAllAnalysesPreserved();
  }
};

} // namespace
