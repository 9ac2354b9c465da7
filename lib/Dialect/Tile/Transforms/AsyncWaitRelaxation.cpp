//===- AsyncWaitRelaxation.cpp - Fewest and loosest waits -----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/AsyncGroups.h"
#include "tilepipe/Analysis/Regions.h"
#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tilepipe::tile {
#define GEN_PASS_DEF_ASYNCWAITRELAXATION
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilepipe::tile

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// Memory that asynchronous copies touch
//===----------------------------------------------------------------------===//

namespace {

/// The buffers that some asynchronous copy reads or writes while in flight.
class AsyncMemory {
public:
  explicit AsyncMemory(Operation *root);

  /// True if `op`, nested operations included, certainly touches nothing that a
  /// copy in flight forbids: it reads and writes no target, and writes no
  /// source. Commits and waits touch nothing; starting a copy does.
  bool isUntouchedBy(Operation *op) const;

private:
  struct Buffers {
    llvm::DenseSet<Value> roots;
    unsigned spaces = 0;        ///< memory spaces of all of them
    unsigned unknownSpaces = 0; ///< of those that may be part of another
    bool mayHold(Value root) const;
    void insert(Value memref);
  };
  bool isUntouchedBy(const RegionAccess &access) const;

  Buffers sources, targets;
};

} // namespace

/// True for a root that no other SSA value names.
static bool isDistinct(Value root) {
  return !isOfUnknownOrigin(root) && !root.getDefiningOp<memref::GetGlobalOp>();
}

/// One bit for the memory space of a root, all where it is not known.
static unsigned getSpaceBits(Value root) {
  auto type = dyn_cast<MemRefType>(root.getType());
  return type ? 1u << unsigned(getMemorySpace(type)) : ~0u;
}

void AsyncMemory::Buffers::insert(Value memref) {
  Value root = getRootBuffer(memref);
  roots.insert(root);
  spaces |= getSpaceBits(root);
  if (!isDistinct(root))
    unknownSpaces |= getSpaceBits(root);
}

/// A buffer of unknown origin stays within its memory space (see `mayAlias`).
bool AsyncMemory::Buffers::mayHold(Value root) const {
  return roots.contains(root) || (unknownSpaces & getSpaceBits(root)) ||
         (!isDistinct(root) && (spaces & getSpaceBits(root)));
}

AsyncMemory::AsyncMemory(Operation *root) {
  root->walk([&](AsyncCopyOp copy) {
    sources.insert(copy.getSource());
    targets.insert(copy.getTarget());
  });
}

bool AsyncMemory::isUntouchedBy(const RegionAccess &access) const {
  Value root = getRootBuffer(access.buffer);
  return !targets.mayHold(root) && !(access.writes() && sources.mayHold(root));
}

bool AsyncMemory::isUntouchedBy(Operation *op) const {
  if (isa<AsyncCommitOp, AsyncWaitOp>(op))
    return true;
  if (isa<AsyncCopyOp>(op))
    return false;
  // An operation that says what it accesses does not speak for its regions.
  bool isLeaf = isa<AccessOpInterface>(op) || op->getNumRegions() == 0;
  if (!isLeaf && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      if (isa<AsyncCommitOp, AsyncWaitOp>(nested) || !isUntouchedBy(&nested))
        return false;
  if (!isLeaf && !isa<MemoryEffectOpInterface>(op))
    return true;
  if (isMemoryEffectFree(op))
    return true;
  if (auto accessing = dyn_cast<AccessOpInterface>(op)) {
    SmallVector<RegionAccess> accesses;
    accessing.getAccesses(accesses);
    return llvm::all_of(accesses, [&](const RegionAccess &access) {
      return isUntouchedBy(access);
    });
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::all_of(instances, [&](MemoryEffects::EffectInstance &effect) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      return true;
    Value value = effect.getValue();
    auto kind = isa<MemoryEffects::Read>(effect.getEffect())
                    ? RegionAccess::Kind::Read
                    : RegionAccess::Kind::Update;
    return value && isa<MemRefType>(value.getType()) &&
           isUntouchedBy(RegionAccess{value, kind, {}, {}});
  });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct AsyncWaitRelaxation
    : public tile::impl::AsyncWaitRelaxationBase<AsyncWaitRelaxation> {
  void runOnOperation() override;

private:
  bool isOurs(AsyncWaitOp wait) const { return !users.contains(wait); }
  void sinkWaits(Block &block, const AsyncMemory &memory);
  void countWait(AsyncWaitOp wait, const NewerGroups &newer);
  void mergeWaits(Block &block);
  void removeImpliedWaits(Operation *root);

  /// Waits that came with a count.
  llvm::DenseSet<Operation *> users;
};

} // namespace

/// Moves our waits of a block down to the operation that may need them. A wait
/// that nothing in its block needs ends the flight of copies for what follows
/// the block, and stays: later uses of the memory may rely on its place.
void AsyncWaitRelaxation::sinkWaits(Block &block, const AsyncMemory &memory) {
  Operation *first = nullptr;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto wait = dyn_cast<AsyncWaitOp>(op);
    if (!wait || !isOurs(wait)) {
      if (!op.hasTrait<OpTrait::IsTerminator>() && !memory.isUntouchedBy(&op))
        first = &op;
      continue;
    }
    if (!first)
      continue;
    // The waits that have moved already stand right before it.
    if (op.getNextNode() == first)
      first = &op;
    if (first == &op)
      continue;
    op.moveBefore(first);
    first = &op;
    ++numSunk;
  }
}

/// Gives `wait` the largest count that completes each of its tokens.
void AsyncWaitRelaxation::countWait(AsyncWaitOp wait,
                                    const NewerGroups &newer) {
  std::optional<int64_t> pending;
  for (Value token : wait.getTokens()) {
    std::optional<int64_t> count = newer.get(token, wait);
    if (!count)
      continue;
    if (*count < 0) {
      InFlightDiagnostic warning =
          wait.emitWarning("waits for a copy that may not be in a group yet");
      warning.attachNote(token.getLoc()) << "copy started here";
      count = 0;
    }
    pending = std::min(pending.value_or(*count), *count);
  }
  if (!pending) {
    wait.erase();
    ++numRemoved;
    return;
  }
  wait.setPending(*pending);
  ++numCounted;
}

/// Folds each of our waits into the next one if nothing is between them.
void AsyncWaitRelaxation::mergeWaits(Block &block) {
  AsyncWaitOp last;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto wait = dyn_cast<AsyncWaitOp>(op);
    if (!wait) {
      if (!isMemoryEffectFree(&op))
        last = nullptr;
      continue;
    }
    if (last && isOurs(last)) {
      if (isOurs(wait)) {
        llvm::SetVector<Value> tokens(llvm::from_range, last.getTokens());
        tokens.insert_range(wait.getTokens());
        wait.getTokensMutable().assign(tokens.getArrayRef());
        wait.setPending(std::min(*last.getPending(), *wait.getPending()));
      }
      if (*wait.getPending() <= *last.getPending()) {
        last.erase();
        ++numMerged;
      }
    }
    last = wait;
  }
}

/// Removes our waits that find at most `pending` groups outstanding.
void AsyncWaitRelaxation::removeImpliedWaits(Operation *root) {
  OutstandingGroups outstanding(root);
  root->walk([&](AsyncWaitOp wait) {
    if (!isOurs(wait))
      return;
    std::optional<int64_t> count = outstanding.getBefore(wait);
    if (!count || *count > int64_t(*wait.getPending()))
      return;
    wait.erase();
    ++numRemoved;
  });
}

void AsyncWaitRelaxation::runOnOperation() {
  Operation *root = getOperation();
  users.clear();
  root->walk([&](AsyncWaitOp wait) {
    ++numSeen;
    if (wait.getPending())
      users.insert(wait);
  });

  AsyncMemory memory(root);
  root->walk([&](Block *block) { sinkWaits(*block, memory); });

  NewerGroups newer(root);
  root->walk([&](AsyncWaitOp wait) {
    if (isOurs(wait))
      countWait(wait, newer);
  });

  root->walk([&](Block *block) { mergeWaits(*block); });

  removeImpliedWaits(root);
}
