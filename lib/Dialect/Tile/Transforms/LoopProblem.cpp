//===- LoopProblem.cpp - The scheduling problem of a loop -----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopProblem.h"

#include "tilepipe/Model/CostModel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// Prefetching
//===----------------------------------------------------------------------===//

static MemorySpace getRootSpace(Value memref) {
  auto type = dyn_cast<MemRefType>(getRootBuffer(memref).getType());
  return type ? getMemorySpace(type) : MemorySpace::Global;
}

/// Memory that a copy engine fills: on chip, and not the registers of threads.
static bool isTileSpace(MemorySpace space) {
  return space != MemorySpace::Global && space != MemorySpace::Fragment;
}

/// True for a store of an element that was loaded from global memory, perhaps
/// converted.
static bool isElementCopy(memref::StoreOp store) {
  Value value = store.getValueToStore();
  while (auto cast = value.getDefiningOp<CastOpInterface>()) {
    if (cast->getNumOperands() != 1)
      return false;
    value = cast->getOperand(0);
  }
  auto load = value.getDefiningOp<memref::LoadOp>();
  return load && getRootSpace(load.getMemRef()) == MemorySpace::Global &&
         isTileSpace(getRootSpace(store.getMemRef()));
}

bool tile::isPrefetch(Operation *statement) {
  bool copies = false;
  WalkResult result = statement->walk([&](Operation *op) {
    if (auto copy = dyn_cast<CopyOp>(op)) {
      if (getRootSpace(copy.getSource()) != MemorySpace::Global ||
          !isTileSpace(getRootSpace(copy.getTarget())))
        return WalkResult::interrupt();
      copies = true;
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      if (!isElementCopy(store))
        return WalkResult::interrupt();
      copies = true;
    } else if (!isa<memref::LoadOp>(op) && !op->getNumRegions() &&
               !isMemoryEffectFree(op)) {
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return copies && !result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

static sched::EdgeKind getEdgeKind(DependenceKind kind) {
  switch (kind) {
  case DependenceKind::RAW:
    return sched::EdgeKind::Flow;
  case DependenceKind::WAR:
    return sched::EdgeKind::Anti;
  case DependenceKind::WAW:
    return sched::EdgeKind::Output;
  case DependenceKind::Scalar:
    return sched::EdgeKind::Scalar;
  }
  llvm_unreachable("unknown dependence kind");
}

static void addTasks(sched::Problem &problem, const DependenceGraph &graph) {
  PipelineOp loop = graph.getLoop();
  TargetAttr target = getTarget(loop);
  llvm::StringMap<unsigned> resources;
  for (Operation *op : graph.getStatements()) {
    Cost cost = getCost(op, target);
    auto [it, inserted] =
        resources.try_emplace(cost.resource, problem.resources.size());
    if (inserted)
      problem.resources.push_back({cost.resource});
    sched::Task task;
    task.name = op->getName().getStringRef();
    task.latency = cost.latency;
    task.occupancy = cost.occupancy;
    task.resource = it->second;
    task.prefetch = isPrefetch(op);
    problem.tasks.push_back(std::move(task));
  }
}

/// Spaces are numbered as the enumeration does.
static void addSpaces(sched::Problem &problem) {
  for (unsigned space = 0; space <= getMaxEnumValForMemorySpace(); ++space)
    problem.spaces.push_back({stringifyMemorySpace(MemorySpace(space)).str()});
}

static sched::Buffer makeBuffer(const BufferInfo &info) {
  sched::Buffer buffer;
  // Other names cost a walk over the function; `describeEdge` asks for them.
  if (auto alloc = info.root.getDefiningOp<AllocOp>(); alloc && alloc.getName())
    buffer.name = alloc.getName()->str();
  buffer.space = unsigned(info.space);
  buffer.readers.assign(info.readers.begin(), info.readers.end());
  buffer.writers.assign(info.writers.begin(), info.writers.end());
  buffer.isPrivate = info.mayHaveVersions();
  if (auto alloc = info.root.getDefiningOp<AllocOp>()) {
    MemRefType type = alloc.getType();
    Type element = type.getElementType();
    int64_t width =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    buffer.bytes = type.getNumElements() * int64_t(llvm::divideCeil(width, 8));
  }
  return buffer;
}

/// A value that one statement computes for others goes through a cell where it
/// passes between stages.
static void addScalarBuffers(LoopProblem &result, const DependenceGraph &graph,
                             int64_t maxVersions) {
  llvm::MapVector<unsigned, SmallVector<unsigned>> users;
  for (const Dependence &d : graph.getDependences())
    if (d.kind == DependenceKind::Scalar)
      users[d.from].push_back(d.to);
  for (auto &[from, to] : users) {
    sched::Buffer buffer;
    buffer.name = result.problem.tasks[from].name;
    buffer.space = unsigned(MemorySpace::Fragment);
    buffer.bytes = 8;
    buffer.writers.push_back(from);
    llvm::sort(to);
    buffer.readers.assign(to.begin(), to.end());
    buffer.isPrivate = true;
    buffer.maxVersions = maxVersions;
    result.problem.buffers.push_back(std::move(buffer));
    result.roots.push_back(Value());
  }
}

LoopProblem tile::buildLoopProblem(const DependenceGraph &graph,
                                   int64_t numStages, int64_t maxVersions,
                                   const FixedBuffers &fixed) {
  LoopProblem result;
  sched::Problem &problem = result.problem;
  problem.numStages = numStages;
  addTasks(problem, graph);
  addSpaces(problem);
  llvm::DenseMap<Value, unsigned> numbers;
  for (const auto &[root, info] : graph.getBuffers()) {
    numbers[root] = problem.buffers.size();
    problem.buffers.push_back(makeBuffer(info));
    result.roots.push_back(root);
    if (problem.buffers.back().isPrivate && !fixed.contains(root))
      problem.buffers.back().maxVersions = maxVersions;
  }
  for (const Dependence &d : graph.getDependences())
    problem.edges.push_back({d.from, d.to, getEdgeKind(d.kind), d.distance,
                             d.buffer ? numbers.lookup(d.buffer) : sched::kNone,
                             d.removable});
  addScalarBuffers(result, graph, maxVersions);
  return result;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::string tile::describeEdge(const DependenceGraph &graph,
                               const LoopProblem &problem,
                               const sched::Edge &edge) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string buffer;
  if (edge.buffer != sched::kNone) {
    Value root = problem.roots[edge.buffer];
    buffer =
        root ? getBufferName(root) : problem.problem.buffers[edge.buffer].name;
  }
  StringRef other = graph.getStatements()[edge.from]->getName().getStringRef();
  switch (edge.kind) {
  case sched::EdgeKind::Flow:
    os << "it reads '" << buffer << "', which '" << other << "' writes";
    break;
  case sched::EdgeKind::Anti:
    os << "it overwrites '" << buffer << "', which '" << other << "' reads";
    break;
  case sched::EdgeKind::Output:
    os << "it overwrites '" << buffer << "', which '" << other << "' writes";
    break;
  case sched::EdgeKind::Scalar:
    os << "it uses a value that '" << other << "' computes";
    break;
  }
  if (edge.distance == 0)
    os << " in the same iteration";
  else if (edge.distance == 1)
    os << " in the iteration before";
  else
    os << " " << edge.distance << " iterations before";
  return text;
}

/// A buffer on chip that could have been a `tile.alloc` with versions.
static bool isOnChipAllocation(Value root) {
  if (root.getDefiningOp<AllocOp>())
    return true;
  Operation *op = root.getDefiningOp();
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(op) &&
         getMemorySpace(cast<MemRefType>(root.getType())) !=
             MemorySpace::Global;
}

void tile::noteFixedBuffer(InFlightDiagnostic &diagnostic, Value root,
                           const FixedBuffers &fixed) {
  auto it = root ? fixed.find(root) : fixed.end();
  if (it == fixed.end() || !isOnChipAllocation(root))
    return;
  Operation *culprit = it->second.culprit;
  diagnostic.attachNote(culprit ? culprit->getLoc() : root.getLoc())
      << "'" << getBufferName(root)
      << "' is one buffer for all iterations: " << it->second.reason;
}
