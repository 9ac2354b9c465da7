//===- DependenceGraph.cpp - What a pipelined loop must respect -----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/DependenceGraph.h"

#include "Privatization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

StringRef tilepipe::stringify(DependenceKind kind) {
  switch (kind) {
  case DependenceKind::RAW:
    return "read after write";
  case DependenceKind::WAR:
    return "write after read";
  case DependenceKind::WAW:
    return "write after write";
  case DependenceKind::Scalar:
    return "use of a value";
  }
  llvm_unreachable("unknown dependence kind");
}

DependenceGraph::DependenceGraph(PipelineOp loop) : loop(loop) {
  collectStatements();
  if (obstacle)
    return;
  collectBuffers();
  addScalarDependences();
  addMemoryDependences();
}

std::optional<unsigned> DependenceGraph::getNumber(Operation *op) const {
  auto it = numbers.find(op);
  if (it == numbers.end())
    return std::nullopt;
  return it->second;
}

void DependenceGraph::setObstacle(Operation *op, std::string reason) {
  obstacle = op;
  obstacleReason = std::move(reason);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

namespace {

/// The roots that the loop writes.
class WrittenRoots {
public:
  void insert(Value root) {
    if (roots.insert(root))
      cache.clear();
  }

  bool mayContain(Value root) {
    if (roots.contains(root))
      return true;
    auto [it, inserted] = cache.try_emplace(root, false);
    if (inserted)
      it->second = llvm::any_of(
          roots, [&](Value written) { return mayAlias(written, root); });
    return it->second;
  }

private:
  llvm::SetVector<Value> roots;
  llvm::DenseMap<Value, bool> cache;
};

} // namespace

/// Why an operation with effects that no region describes rules out pipelining.
static std::string describeUnknown(Operation *op) {
  if (isa<AsyncCopyOp, AsyncCommitOp, AsyncWaitOp>(op))
    return "the loop has asynchronous operations of its own";
  if (isa<AllocOp, memref::AllocOp, memref::AllocaOp, memref::DeallocOp>(op))
    return "memory is allocated or freed in the loop";
  return "the effects of '" + op->getName().getStringRef().str() +
         "' are not known";
}

void DependenceGraph::collectStatements() {
  if (!loop.getInits().empty())
    return setObstacle(loop, "values are carried around the loop");
  AccessCollector collector(loop);
  std::vector<std::pair<Operation *, SmallVector<BufferAccess, 0>>> candidates;
  WrittenRoots written;
  for (Operation &op : loop.getBodyBlock()->without_terminator()) {
    if (!op.getNumRegions() && isMemoryEffectFree(&op))
      continue;
    auto inner = dyn_cast<PipelineOp>(op);
    if (inner && inner.getSchedule())
      return setObstacle(&op, "a nested loop is pipelined already");
    SmallVector<BufferAccess, 0> found;
    if (Operation *unknown = collector.collect(&op, found))
      return setObstacle(unknown, describeUnknown(unknown));
    for (const BufferAccess &access : found)
      if (access.writes())
        written.insert(access.root);
    candidates.emplace_back(&op, std::move(found));
  }
  for (auto &[op, found] : candidates) {
    bool isStatement = llvm::any_of(found, [&](const BufferAccess &access) {
      return access.writes() || written.mayContain(access.root);
    });
    if (!isStatement)
      continue;
    numbers[op] = statements.size();
    statements.push_back(op);
    accesses.push_back(std::move(found));
  }
}

void DependenceGraph::collectBuffers() {
  auto append = [](SmallVectorImpl<unsigned> &list, unsigned number) {
    if (list.empty() || list.back() != number)
      list.push_back(number);
  };
  for (auto [number, list] : llvm::enumerate(accesses))
    for (const BufferAccess &access : list) {
      BufferInfo &info = buffers[access.root];
      if (!info.root) {
        info.root = access.root;
        if (auto type = dyn_cast<MemRefType>(access.root.getType()))
          info.space = getMemorySpace(type);
        info.versions = access.versions;
      }
      // Accesses that rotate differently, or not at all, see one buffer.
      if (info.versions != access.versions)
        info.versions = 1;
      if (access.reads())
        append(info.readers, number);
      if (access.writes())
        append(info.writers, number);
    }
  for (auto &[root, info] : buffers)
    info.versions = std::max<int64_t>(info.versions, 1);
  checkPrivatization(loop, accesses, buffers);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

namespace {

/// The statements whose results an operation of the body uses, directly or
/// through operations that are replayed.
class ScalarSources {
public:
  ScalarSources(const DependenceGraph &graph)
      : graph(graph), body(graph.getLoop().getBodyBlock()) {}

  ArrayRef<unsigned> get(Operation *op) {
    // Source order is a topological order, so a work list of unseen operands
    // needs no recursion.
    SmallVector<Operation *> stack{op};
    while (!stack.empty()) {
      Operation *top = stack.back();
      if (sources.count(top)) {
        stack.pop_back();
        continue;
      }
      size_t size = stack.size();
      for (Operation *definer : getDefiners(top))
        if (!graph.getNumber(definer) && !sources.count(definer))
          stack.push_back(definer);
      if (stack.size() > size)
        continue;
      stack.pop_back();
      llvm::SmallSetVector<unsigned, 4> found;
      for (Operation *definer : getDefiners(top)) {
        if (std::optional<unsigned> number = graph.getNumber(definer))
          found.insert(*number);
        else
          found.insert_range(sources[definer]);
      }
      sources[top] = llvm::to_vector(found);
    }
    return sources[op];
  }

private:
  /// Operations of the body that define values used by `op` or in its regions.
  SmallVector<Operation *> getDefiners(Operation *op) {
    llvm::SmallSetVector<Operation *, 4> definers;
    auto visit = [&](Operation *user) {
      for (Value operand : user->getOperands())
        if (Operation *definer = operand.getDefiningOp();
            definer && definer->getBlock() == body)
          definers.insert(definer);
    };
    if (op->getNumRegions())
      op->walk(visit);
    else
      visit(op);
    return definers.takeVector();
  }

  const DependenceGraph &graph;
  Block *body;
  llvm::DenseMap<Operation *, SmallVector<unsigned>> sources;
};

} // namespace

void DependenceGraph::addScalarDependences() {
  ScalarSources sources(*this);
  for (auto [number, op] : llvm::enumerate(statements))
    for (unsigned source : sources.get(op))
      dependences.push_back(
          {source, unsigned(number), DependenceKind::Scalar, 0, Value()});
}

SmallVector<Operation *> tilepipe::getReplayedOps(const DependenceGraph &graph,
                                                  Operation *statement) {
  Block *body = graph.getLoop().getBodyBlock();
  llvm::SmallSetVector<Operation *, 8> found;
  SmallVector<Operation *> stack{statement};
  while (!stack.empty()) {
    stack.pop_back_val()->walk([&](Operation *user) {
      for (Value operand : user->getOperands()) {
        Operation *definer = operand.getDefiningOp();
        if (definer && definer->getBlock() == body &&
            !graph.getNumber(definer) && found.insert(definer))
          stack.push_back(definer);
      }
    });
  }
  SmallVector<Operation *> ordered = found.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  });
  return ordered;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {

struct NumberedAccess {
  unsigned statement;
  const BufferAccess *access;
};

/// Finds the dependences among the accesses to buffers that may alias.
///
/// A write that overlaps whatever there is in the buffer is a *barrier*: all
/// that precedes it comes before it, and it comes before all that follows, so
/// dependences across it are implied and only those up to it are kept.
class AliasClass {
public:
  AliasClass(PipelineOp loop, SmallVectorImpl<Dependence> &dependences)
      : loop(loop), dependences(dependences) {}

  void add(unsigned statement, const BufferAccess &access) {
    NumberedAccess next{statement, &access};
    for (const NumberedAccess &previous : active.conflictingWith(access))
      if (previous.statement != statement &&
          mayOverlap(*previous.access, access, loop))
        append(previous, next, 0);
    bool barrier = isBarrier(access);
    if (barrier)
      active.clear();
    if (!seenBarrier)
      head.add(next);
    seenBarrier |= barrier;
    active.add(next);
    roots.insert(access.root);
  }

  /// Dependences from the end of one iteration to the start of a later one.
  void finish(const llvm::MapVector<Value, BufferInfo> &buffers) {
    for (const NumberedAccess &last : active.all)
      for (const NumberedAccess &first : head.conflictingWith(*last.access)) {
        std::optional<int64_t> distance =
            getCarriedDistance(*last.access, *first.access, loop);
        if (!distance)
          continue;
        DependenceKind kind = getKind(*last.access, *first.access);
        // The later read sees a write of its own iteration.
        if (kind == DependenceKind::RAW && !first.access->exposed &&
            !first.access->writes())
          continue;
        append(last, first, *distance);
        dependences.back().removable =
            kind != DependenceKind::RAW &&
            last.access->root == first.access->root &&
            buffers.find(last.access->root)->second.mayHaveVersions();
      }
  }

private:
  /// Accesses with the writes among them, so that reads, which may be many, need
  /// not look at each other.
  struct AccessList {
    SmallVector<NumberedAccess> all, writes;

    ArrayRef<NumberedAccess> conflictingWith(const BufferAccess &access) const {
      return access.writes() ? all : writes;
    }
    void add(const NumberedAccess &next) {
      all.push_back(next);
      if (next.access->writes())
        writes.push_back(next);
    }
    void clear() {
      all.clear();
      writes.clear();
    }
  };

  static DependenceKind getKind(const BufferAccess &a, const BufferAccess &b) {
    if (a.writes() && b.reads() && b.exposed)
      return DependenceKind::RAW;
    if (a.writes() && b.writes())
      return DependenceKind::WAW;
    return a.writes() ? DependenceKind::RAW : DependenceKind::WAR;
  }

  /// Overlaps each access of its class, in every iteration.
  bool isBarrier(const BufferAccess &access) const {
    if (!access.writes() || access.versions != 1 ||
        (roots.size() > 1 || (!roots.empty() && !roots.contains(access.root))))
      return false;
    auto type = dyn_cast<MemRefType>(access.root.getType());
    if (!type || type.getRank() != int64_t(access.region.size()))
      return false;
    return llvm::all_of(llvm::zip_equal(access.region, type.getShape()),
                        [](auto it) {
                          return overlapsAll(std::get<0>(it), std::get<1>(it));
                        });
  }

  /// True if the interval surely meets each element of a dimension.
  static bool overlapsAll(const Interval &interval, int64_t extent) {
    if (interval.any)
      return true;
    return interval.start.terms.empty() && !interval.start.iteration &&
           interval.start.constant + interval.low <= 0 &&
           !ShapedType::isDynamic(extent) &&
           interval.start.constant + interval.high >= extent;
  }

  void append(const NumberedAccess &from, const NumberedAccess &to,
              int64_t distance) {
    DependenceKind kind = from.access->writes() && to.access->reads()
                              ? DependenceKind::RAW
                              : getKind(*from.access, *to.access);
    if (distance)
      kind = getKind(*from.access, *to.access);
    dependences.push_back(
        {from.statement, to.statement, kind, distance, from.access->root});
  }

  PipelineOp loop;
  SmallVectorImpl<Dependence> &dependences;
  AccessList active, head;
  llvm::SmallSetVector<Value, 2> roots;
  bool seenBarrier = false;
};

} // namespace

void DependenceGraph::addMemoryDependences() {
  llvm::EquivalenceClasses<const void *> classes;
  auto key = [](Value root) { return root.getAsOpaquePointer(); };
  // Only a buffer of unknown origin joins others; those are few.
  SmallVector<Value> roots = llvm::to_vector(llvm::make_first_range(buffers));
  for (Value root : roots)
    classes.insert(key(root));
  for (Value root : roots)
    if (isOfUnknownOrigin(root))
      for (Value other : roots)
        if (mayAlias(root, other))
          classes.unionSets(key(root), key(other));
  llvm::MapVector<const void *, AliasClass> finders;
  for (auto [number, list] : llvm::enumerate(accesses))
    for (const BufferAccess &access : list) {
      const void *leader = classes.getLeaderValue(key(access.root));
      auto it = finders.find(leader);
      if (it == finders.end())
        it = finders.insert({leader, AliasClass(loop, dependences)}).first;
      it->second.add(number, access);
    }
  for (auto &[leader, finder] : finders)
    finder.finish(buffers);
  // One statement may touch a buffer at several places.
  using Key = std::tuple<unsigned, unsigned, const void *, unsigned, int64_t>;
  llvm::DenseSet<Key> seen;
  llvm::erase_if(dependences, [&](const Dependence &d) {
    Key key(d.from, d.to, d.buffer.getAsOpaquePointer(), unsigned(d.kind),
            d.distance);
    return !seen.insert(key).second;
  });
  llvm::sort(dependences, [&](const Dependence &a, const Dependence &b) {
    return std::make_tuple(a.from, a.to, a.distance, a.kind) <
           std::make_tuple(b.from, b.to, b.distance, b.kind);
  });
}
