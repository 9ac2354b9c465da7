//===- ScalarCells.cpp - Values that pass between stages ------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarCells.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// A number, or a vector of a fixed number of them.
static bool isStorable(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (vector && !vector.isScalable())
    type = vector.getElementType();
  return type.isIntOrIndexOrFloat();
}

Value tile::getUnstorableResult(const DependenceGraph &graph,
                                unsigned statement) {
  for (Value result : graph.getStatements()[statement]->getResults())
    if (!result.use_empty() && !isStorable(result.getType()))
      return result;
  return {};
}

namespace {

/// Builds the cells of one loop.
class CellInserter {
public:
  CellInserter(RewriterBase &rewriter, const DependenceGraph &graph,
               SmallVectorImpl<Placement> &placements)
      : rewriter(rewriter), graph(graph), placements(placements),
        sources(placements.size()) {}

  SmallVector<ScalarCell> run();

private:
  /// A buffer for one value, its store, and its load for each stage.
  struct Cell {
    AllocOp buffer;
    /// Zeros, one for each dimension of a vector.
    SmallVector<Value> indices;
    Operation *store;
    llvm::SmallDenseMap<int64_t, Operation *> loads;
  };
  /// Statements that were added, each before or behind an old one in order.
  struct Addition {
    Operation *op;
    int64_t stage;
    unsigned anchor;
    bool isBefore;
  };

  Cell &getCell(Value value, unsigned source);
  Value getLoad(Value value, unsigned source, unsigned user);
  void rewire(unsigned user);
  void renumber();

  RewriterBase &rewriter;
  const DependenceGraph &graph;
  SmallVectorImpl<Placement> &placements;
  /// For each statement those of other stages whose values it uses.
  std::vector<SmallVector<unsigned, 1>> sources;
  llvm::MapVector<Value, Cell> cells;
  SmallVector<Addition> additions;
  /// The first statement in issue order that uses the values of one (source,
  /// stage): a load must come before it.
  llvm::DenseMap<std::pair<unsigned, int64_t>, unsigned> firstUsers;
};

} // namespace

CellInserter::Cell &CellInserter::getCell(Value value, unsigned source) {
  auto it = cells.find(value);
  if (it != cells.end())
    return it->second;
  PipelineOp loop = graph.getLoop();
  Location loc = value.getLoc();
  auto vector = dyn_cast<VectorType>(value.getType());
  auto type = MemRefType::get(
      vector ? vector.getShape() : ArrayRef<int64_t>(),
      getElementTypeOrSelf(value.getType()), MemRefLayoutAttrInterface(),
      SpaceAttr::get(rewriter.getContext(), MemorySpace::Fragment));
  rewriter.setInsertionPoint(loop);
  Cell cell;
  cell.buffer = AllocOp::create(rewriter, loc, type,
                                "scalar" + std::to_string(cells.size()));
  if (type.getRank() > 0)
    cell.indices.assign(type.getRank(),
                        arith::ConstantIndexOp::create(rewriter, loc, 0));
  rewriter.setInsertionPointAfter(graph.getStatements()[source]);
  if (vector)
    cell.store = vector::StoreOp::create(rewriter, loc, value,
                                         cell.buffer.getResult(), cell.indices);
  else
    cell.store =
        memref::StoreOp::create(rewriter, loc, value, cell.buffer.getResult());
  additions.push_back({cell.store, placements[source].stage, source, false});
  return cells.insert({value, std::move(cell)}).first->second;
}

Value CellInserter::getLoad(Value value, unsigned source, unsigned user) {
  Cell &cell = getCell(value, source);
  int64_t stage = placements[user].stage;
  Operation *&load = cell.loads[stage];
  if (!load) {
    rewriter.setInsertionPointAfter(cell.store);
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      load = vector::LoadOp::create(rewriter, value.getLoc(), vector,
                                    cell.buffer.getResult(), cell.indices);
    else
      load = memref::LoadOp::create(rewriter, value.getLoc(),
                                    cell.buffer.getResult());
    additions.push_back(
        {load, stage, firstUsers.lookup({source, stage}), true});
  }
  return load->getResult(0);
}

/// Makes `user`, and copies of what is replayed for it, use loads.
void CellInserter::rewire(unsigned user) {
  Operation *statement = graph.getStatements()[user];
  IRMapping mapping;
  auto mapResults = [&](Operation *op) {
    std::optional<unsigned> source = graph.getNumber(op);
    if (!source || !llvm::is_contained(sources[user], *source))
      return;
    for (Value result : op->getResults())
      if (isStorable(result.getType()) && !mapping.contains(result))
        mapping.map(result, getLoad(result, *source, user));
  };
  SmallVector<Operation *> chain = getReplayedOps(graph, statement);
  auto mapOperands = [&](Operation *op) {
    bool isMapped = false;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        if (Operation *definer = operand.getDefiningOp())
          mapResults(definer);
        isMapped |= mapping.contains(operand);
      }
    });
    return isMapped;
  };
  for (Operation *op : chain)
    if (mapOperands(op)) {
      rewriter.setInsertionPoint(statement);
      rewriter.clone(*op, mapping);
    }
  if (!mapOperands(statement))
    return;
  rewriter.modifyOpInPlace(statement, [&] {
    statement->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (Value value = mapping.lookupOrNull(operand.get()))
          operand.set(value);
    });
  });
}

/// Gives all statements, in source order, orders with room for the new ones.
void CellInserter::renumber() {
  struct Entry {
    Placement placement;
    std::tuple<int64_t, int, size_t> key;
  };
  SmallVector<Entry> entries;
  for (const Placement &placement : placements)
    entries.push_back({placement, {placement.order, 0, 0}});
  for (auto [index, addition] : llvm::enumerate(additions))
    entries.push_back({{addition.op, addition.stage, 0},
                       {placements[addition.anchor].order,
                        addition.isBefore ? -1 : 1, index}});
  llvm::sort(entries,
             [](const Entry &a, const Entry &b) { return a.key < b.key; });
  placements.clear();
  for (auto [order, entry] : llvm::enumerate(entries)) {
    entry.placement.order = order;
    placements.push_back(entry.placement);
  }
  llvm::sort(placements, [](const Placement &a, const Placement &b) {
    return a.op->isBeforeInBlock(b.op);
  });
}

SmallVector<ScalarCell> CellInserter::run() {
  for (const Dependence &d : graph.getDependences()) {
    int64_t stage = placements[d.to].stage;
    if (d.kind != DependenceKind::Scalar || placements[d.from].stage == stage)
      continue;
    sources[d.to].push_back(d.from);
    auto [it, inserted] = firstUsers.try_emplace({d.from, stage}, d.to);
    if (!inserted && placements[d.to].order < placements[it->second].order)
      it->second = d.to;
  }
  if (firstUsers.empty())
    return {};
  for (unsigned user = 0; user < sources.size(); ++user)
    if (!sources[user].empty())
      rewire(user);
  renumber();
  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> positions;
  for (const Placement &placement : placements)
    positions[placement.op] = {placement.stage, placement.order};
  SmallVector<ScalarCell> result;
  for (auto &[value, cell] : cells) {
    auto [stage, order] = positions[cell.store];
    int64_t versions = 1;
    for (auto [loadStage, load] : cell.loads)
      versions = std::max(versions,
                          loadStage - stage + (order < positions[load].second));
    result.push_back({cell.buffer, versions});
  }
  return result;
}

SmallVector<ScalarCell>
tile::insertScalarCells(RewriterBase &rewriter, const DependenceGraph &graph,
                        SmallVectorImpl<Placement> &placements) {
  return CellInserter(rewriter, graph, placements).run();
}
