//===- AsyncGroups.cpp - Groups of asynchronous copies in flight ----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/AsyncGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include <queue>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// "No bound", far from overflow.
static constexpr int64_t kUnbounded = int64_t(1) << 40;

static int64_t add(int64_t a, int64_t b) { return std::min(a + b, kUnbounded); }

static int64_t multiply(int64_t a, int64_t b) {
  return std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(a, b),
                            kUnbounded);
}

//===----------------------------------------------------------------------===//
// How often regions run
//===----------------------------------------------------------------------===//

namespace {

/// The control flow of an operation with regions, as far as we follow it.
enum class Flow {
  Once,   ///< its one region runs once
  Choice, ///< one region runs, or none where the operation has an empty one
  Loop,   ///< its one region runs any number of times
  Unknown
};

} // namespace

static Flow getFlow(Operation *op) {
  // Branches between blocks are not followed.
  if (llvm::any_of(op->getRegions(), [](Region &region) {
        return !region.empty() && !region.hasOneBlock();
      }))
    return Flow::Unknown;
  if (isa<scf::ForOp, PipelineOp>(op))
    return Flow::Loop;
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return Flow::Choice;
  if (isa<scf::ExecuteRegionOp>(op))
    return Flow::Once;
  return Flow::Unknown;
}

/// The least number of times that a loop runs.
static int64_t getMinTripCount(Operation *loop) {
  if (auto pipeline = dyn_cast<PipelineOp>(loop))
    return pipeline.getConstantTripCount().value_or(0);
  if (std::optional<APInt> count = cast<scf::ForOp>(loop).getStaticTripCount())
    return count->getLimitedValue(kUnbounded);
  return 0;
}

//===----------------------------------------------------------------------===//
// NewerGroups: positions
//===----------------------------------------------------------------------===//

// Every commit that we cannot see (in a call, in a region that we do not
// follow) only makes a group older than we think. A bound without it waits for
// more than it must, never for less.

int64_t NewerGroups::numberOp(Operation *op, int64_t start) {
  int64_t commits = isa<AsyncCommitOp>(op) ? 1 : 0;
  if (op->getNumRegions() != 0) {
    SmallVector<int64_t> regions;
    for (Region &region : op->getRegions()) {
      regions.push_back(0);
      for (Block &block : region)
        regions.back() = numberBlock(block, start);
    }
    switch (getFlow(op)) {
    case Flow::Once:
      commits = regions.front();
      break;
    case Flow::Choice:
      commits = *llvm::min_element(regions);
      break;
    case Flow::Loop:
      commits = multiply(regions.front(), getMinTripCount(op));
      break;
    case Flow::Unknown:
      break;
    }
  }
  before[op] = start;
  after[op] = add(start, commits);
  return commits;
}

int64_t NewerGroups::numberBlock(Block &block, int64_t start) {
  blockStart[&block] = start;
  int64_t commits = 0;
  for (Operation &op : block)
    commits = add(commits, numberOp(&op, add(start, commits)));
  return commits;
}

/// The least number of commits from the definition of `token` to `at`, which it
/// dominates. An iteration of a loop around both defines the token anew, so the
/// way between them lies within one iteration; a loop around `at` alone may be
/// in its first.
int64_t NewerGroups::getDistance(Value token, Operation *at) const {
  Block *block = token.getParentBlock();
  // Another block of one region: the way there is not followed.
  if (!block->findAncestorOpInBlock(*at))
    return 0;
  Operation *definition = token.getDefiningOp();
  int64_t start =
      definition ? after.lookup(definition) : blockStart.lookup(block);
  return std::max<int64_t>(before.lookup(at) - start, 0);
}

//===----------------------------------------------------------------------===//
// NewerGroups: tokens
//===----------------------------------------------------------------------===//

namespace {

/// `to` is `from` where control passes `at`.
struct TokenFlow {
  Value from, to;
  Operation *at;
};

} // namespace

static bool isToken(Value value) { return isa<TokenType>(value.getType()); }

/// Appends the flows of tokens into block arguments and results of `op`.
static void collectFlows(RegionBranchOpInterface op,
                         SmallVectorImpl<TokenFlow> &flows) {
  bool runs = getFlow(op) == Flow::Loop && getMinTripCount(op) > 0;
  for (RegionBranchPoint point : op.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    Operation *terminator = point.getTerminatorPredecessorOrNull();
    for (RegionSuccessor &successor : successors) {
      if (!terminator && successor.isParent() && runs)
        continue;
      OperandRange from =
          terminator ? cast<RegionBranchTerminatorOpInterface>(terminator)
                           .getSuccessorOperands(successor)
                     : op.getEntrySuccessorOperands(successor);
      for (auto [value, input] :
           llvm::zip(from, successor.getSuccessorInputs()))
        if (isToken(input))
          flows.push_back({value, input, terminator ? terminator : op});
    }
  }
}

/// The number of newer groups at a definition is the least over all ways back
/// to a commit: shortest paths, from the commits forwards.
void NewerGroups::propagate(Operation *root) {
  SmallVector<TokenFlow> flows;
  SmallVector<Value> tokens;
  root->walk([&](Operation *op) {
    if (auto select = dyn_cast<arith::SelectOp>(op);
        select && isToken(select)) {
      flows.push_back({select.getTrueValue(), select, op});
      flows.push_back({select.getFalseValue(), select, op});
    }
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      collectFlows(branch, flows);
    llvm::copy_if(op->getResults(), std::back_inserter(tokens), isToken);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::copy_if(block.getArguments(), std::back_inserter(tokens),
                      isToken);
  });
  DenseMap<Value, SmallVector<unsigned, 2>> flowsFrom;
  llvm::DenseSet<Value> derived;
  for (auto [i, flow] : llvm::enumerate(flows)) {
    flowsFrom[flow.from].push_back(i);
    derived.insert(flow.to);
  }

  using Entry = std::pair<int64_t, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  SmallVector<Value> reached;
  auto reach = [&](Value token, int64_t newer) {
    auto [it, inserted] = atDefinition.try_emplace(token, newer);
    if (!inserted && it->second <= newer)
      return;
    it->second = newer;
    queue.emplace(newer, reached.size());
    reached.push_back(token);
  };
  for (Value token : tokens) {
    Operation *definition = token.getDefiningOp();
    if (derived.contains(token) || isa_and_nonnull<AsyncNoneOp>(definition))
      continue;
    // The group of a copy is the next one: no commit is its own. A token of
    // unknown origin may be of the most recent group.
    reach(token, isa_and_nonnull<AsyncCopyOp>(definition) ? -1 : 0);
  }
  while (!queue.empty()) {
    auto [newer, index] = queue.top();
    queue.pop();
    Value token = reached[index];
    if (atDefinition.lookup(token) != newer)
      continue;
    for (unsigned i : flowsFrom.lookup(token))
      if (!completeAt.contains({flows[i].at, token}))
        reach(flows[i].to, add(newer, getDistance(token, flows[i].at)));
  }
}

/// A value is one group in all places that it dominates, and stays complete.
void NewerGroups::findComplete(Operation *op, bool trustCounts,
                               CompleteTokens &complete) {
  for (Value operand : op->getOperands())
    if (isToken(operand) && complete.count(operand))
      completeAt.insert({op, operand});
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      CompleteTokens::ScopeTy scope(complete);
      for (Operation &nested : block)
        findComplete(&nested, trustCounts, complete);
    }
  }
  auto wait = dyn_cast<AsyncWaitOp>(op);
  if (!wait || (wait.getPending() && !trustCounts))
    return;
  // A copy may not be in a group yet: then the wait does not complete it.
  for (Value token : wait.getTokens())
    if (!token.getDefiningOp<AsyncCopyOp>())
      complete.insert(token, true);
}

NewerGroups::NewerGroups(Operation *root, bool trustCounts) {
  CompleteTokens complete;
  CompleteTokens::ScopeTy scope(complete);
  findComplete(root, trustCounts, complete);
  numberOp(root, 0);
  propagate(root);
}

std::optional<int64_t> NewerGroups::get(Value token, Operation *at) const {
  auto it = atDefinition.find(token);
  if (it == atDefinition.end() || completeAt.contains({at, token}))
    return std::nullopt;
  return add(it->second, getDistance(token, at));
}

//===----------------------------------------------------------------------===//
// OutstandingGroups: summaries
//===----------------------------------------------------------------------===//

bool OutstandingGroups::Transfer::isIdentity() const {
  return add == 0 && low == 0 && high >= kUnbounded;
}

int64_t OutstandingGroups::Transfer::operator()(int64_t outstanding) const {
  return std::min(std::max(::add(outstanding, add), low), high);
}

OutstandingGroups::Transfer
OutstandingGroups::Transfer::then(const Transfer &next) const {
  return {::add(add, next.add), next(low), next(high)};
}

OutstandingGroups::Transfer
OutstandingGroups::Transfer::max(const Transfer &other) const {
  return {std::max(add, other.add), std::max(low, other.low),
          std::max(high, other.high)};
}

OutstandingGroups::Transfer OutstandingGroups::Transfer::star() const {
  // Each repetition adds until `high` stops it; without additions the first one
  // reaches what there is to reach.
  return {0, add > 0 ? high : low, kUnbounded};
}

/// True if an operation that we do not follow may commit a group.
static bool mayCommit(Operation *op) {
  if (isMemoryEffectFree(op) || isa<AsyncCopyOp>(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [](MemoryEffects::EffectInstance &instance) {
    return isa<AsyncQueueResource>(instance.getResource());
  });
}

OutstandingGroups::Transfer OutstandingGroups::summarizeOp(Operation *op) {
  const Transfer identity{0, 0, kUnbounded};
  const Transfer unknown{0, kUnbounded, kUnbounded};
  if (isa<AsyncCommitOp>(op))
    return {1, 0, kUnbounded};
  if (auto wait = dyn_cast<AsyncWaitOp>(op))
    return {
        0, 0,
        std::min<int64_t>(wait.getPending().value_or(kUnbounded), kUnbounded)};
  if (op->getNumRegions() == 0)
    return mayCommit(op) ? unknown : identity;

  SmallVector<Transfer> regions;
  bool simple = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                getFlow(op) != Flow::Unknown || !mayCommit(op);
  for (Region &region : op->getRegions()) {
    regions.push_back(identity);
    for (Block &block : region) {
      regions.back() = summarizeBlock(block);
      simple &= regions.back().isIdentity();
    }
  }
  Transfer result = simple ? identity : unknown;
  switch (getFlow(op)) {
  case Flow::Once:
    result = regions.front();
    break;
  case Flow::Choice:
    result = regions.front();
    for (const Transfer &region : ArrayRef(regions).drop_front())
      result = result.max(region);
    break;
  case Flow::Loop:
    bodySummary[op] = regions.front();
    result = regions.front().star();
    if (getMinTripCount(op) > 0)
      result = result.then(regions.front());
    break;
  case Flow::Unknown:
    break;
  }
  opSummary[op] = result;
  return result;
}

OutstandingGroups::Transfer OutstandingGroups::summarizeBlock(Block &block) {
  Transfer result{0, 0, kUnbounded};
  for (Operation &op : block)
    result = result.then(summarizeOp(&op));
  return result;
}

//===----------------------------------------------------------------------===//
// OutstandingGroups: states
//===----------------------------------------------------------------------===//

// The states form an inductive invariant: from the state at a loop's head, its
// body comes back with no more. A wait that does not lower its state can hence
// be removed without changing any other state, however many are removed at
// once.

/// True for the entry of a function that is handed no token. Groups of its callers
/// may be incomplete there, but they are older than all that its waits are for.
static bool startsQueue(Block &block) {
  return isa<FunctionOpInterface>(block.getParentOp()) && block.isEntryBlock() &&
         llvm::none_of(block.getArgumentTypes(), llvm::IsaPred<TokenType>);
}

int64_t OutstandingGroups::walkOp(Operation *op, int64_t outstanding) {
  if (auto wait = dyn_cast<AsyncWaitOp>(op))
    beforeWait[op] = outstanding;
  if (op->getNumRegions() == 0)
    return summarizeOp(op)(outstanding);
  int64_t result = 0;
  switch (getFlow(op)) {
  case Flow::Once:
    return walkBlock(op->getRegion(0).front(), outstanding);
  case Flow::Choice:
    for (Region &region : op->getRegions())
      result = std::max(result, region.empty()
                                    ? outstanding
                                    : walkBlock(region.front(), outstanding));
    return result;
  case Flow::Loop:
    result = walkBlock(op->getRegion(0).front(),
                       bodySummary.lookup(op).star()(outstanding));
    return getMinTripCount(op) > 0 ? result : std::max(result, outstanding);
  case Flow::Unknown:
    break;
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      walkBlock(block, startsQueue(block) ? 0 : kUnbounded);
  return opSummary.lookup(op)(outstanding);
}

int64_t OutstandingGroups::walkBlock(Block &block, int64_t outstanding) {
  for (Operation &op : block)
    outstanding = walkOp(&op, outstanding);
  return outstanding;
}

OutstandingGroups::OutstandingGroups(Operation *root) {
  summarizeOp(root);
  walkOp(root, kUnbounded);
}

std::optional<int64_t> OutstandingGroups::getBefore(AsyncWaitOp wait) const {
  auto it = beforeWait.find(wait);
  if (it == beforeWait.end() || it->second >= kUnbounded)
    return std::nullopt;
  return it->second;
}
