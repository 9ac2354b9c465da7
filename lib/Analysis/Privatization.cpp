//===- Privatization.cpp - Which buffers may have versions ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Privatization.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

namespace {

/// The definite writes of one buffer so far in the iteration, and those that are
/// definite under a condition.
struct Definitions {
  SmallVector<const BufferAccess *> writes;
  llvm::DenseMap<Value, SmallVector<const BufferAccess *>> guarded;
  bool whole = false;

  void add(const BufferAccess &write) {
    if (!write.definite) {
      guarded[write.guard].push_back(&write);
      return;
    }
    writes.push_back(&write);
    whole |= isCovered(getWholeAccess(write.root), {&write});
  }

  /// True if `read` sees only writes of the iteration: wherever it happens, all
  /// of its region has been written.
  bool cover(const BufferAccess &read) const {
    if (whole || isCovered(read, writes))
      return true;
    auto it = guarded.find(read.guard);
    if (!read.guard || it == guarded.end())
      return false;
    SmallVector<const BufferAccess *> all(writes);
    llvm::append_range(all, it->second);
    return isCovered(read, all);
  }
};

/// What the rest of the program does with a buffer.
struct OutsideUses {
  /// The first operation through which the buffer gets out of sight.
  Operation *escape = nullptr;
  /// A view that is made outside of the loop and used in it.
  Operation *outerView = nullptr;
  /// Accesses outside of the loop and of other loops that may be pipelined.
  SmallVector<Operation *> accesses;
};

} // namespace

static bool isPipelineCandidate(PipelineOp loop) {
  return loop.getSchedule() || loop.getStage() ||
         int64_t(loop.getNumStages().value_or(0)) > 0;
}

/// The innermost loop other than `loop` that may be pipelined and holds `op`.
static PipelineOp getOtherPipeline(Operation *op, PipelineOp loop) {
  for (auto other = op->getParentOfType<PipelineOp>(); other;
       other = other->getParentOfType<PipelineOp>())
    if (isPipelineCandidate(other) && !other->isAncestor(loop))
      return other;
  return nullptr;
}

/// True if all that `op` does with a memref operand is to access it.
static bool onlyAccesses(Operation *op) {
  if (isa<AccessOpInterface, memref::DeallocOp>(op))
    return true;
  return isa<MemoryEffectOpInterface>(op) && !op->getNumRegions() &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
}

static OutsideUses getOutsideUses(Value root, PipelineOp loop) {
  OutsideUses uses;
  llvm::MapVector<Operation *, SmallVector<Operation *>> others;
  llvm::SmallPtrSet<Operation *, 2> writingOthers;
  SmallVector<Value> stack{root};
  while (!stack.empty()) {
    Value memref = stack.pop_back_val();
    Operation *definer = memref.getDefiningOp();
    bool isOuterView = memref != root && !loop->isAncestor(definer);
    for (Operation *user : memref.getUsers()) {
      bool inside = loop->isAncestor(user);
      if (inside && isOuterView)
        uses.outerView = definer;
      auto view = dyn_cast<ViewLikeOpInterface>(user);
      if (view && view.getViewSource() == memref) {
        stack.push_back(user->getResult(0));
        continue;
      }
      if (!onlyAccesses(user))
        uses.escape = user;
      else if (!inside && !isa<memref::DeallocOp>(user)) {
        PipelineOp other = getOtherPipeline(user, loop);
        if (!other) {
          uses.accesses.push_back(user);
          continue;
        }
        others[other].push_back(user);
        if (mayWrite(user, root))
          writingOthers.insert(other);
      }
    }
  }
  // A loop that writes the buffer answers for its own accesses; one that only
  // reads it reads what is current, like other code.
  for (auto &[other, accesses] : others)
    if (!writingOthers.contains(other))
      uses.accesses.append(accesses);
  return uses;
}

bool tilepipe::mayWrite(Operation *op, Value root) {
  if (auto access = dyn_cast<AccessOpInterface>(op)) {
    SmallVector<RegionAccess> regions;
    access.getAccesses(regions);
    return llvm::any_of(regions, [&](const RegionAccess &region) {
      return region.writes() && mayAlias(getRootBuffer(region.buffer), root);
    });
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !isMemoryEffectFree(op);
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [&](const auto &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           (!effect.getValue() ||
            mayAlias(getRootBuffer(effect.getValue()), root));
  });
}

static bool mayRead(Operation *op, Value root) {
  if (auto access = dyn_cast<AccessOpInterface>(op)) {
    SmallVector<RegionAccess> regions;
    access.getAccesses(regions);
    return llvm::any_of(regions, [&](const RegionAccess &region) {
      return region.reads() && getRootBuffer(region.buffer) == root;
    });
  }
  return true;
}

/// Fills in why the accesses outside of the loop rule out versions. Versions
/// leave the contents in the slot of the last iteration; that slot can be
/// followed only through the block of the allocation, and it holds everything
/// only if each iteration writes everything.
static void checkOutsideUses(BufferInfo &info, PipelineOp loop,
                             const Definitions &definitions) {
  auto refuse = [&](Operation *op, const Twine &reason) {
    info.culprit = op;
    info.whyNotVersioned = reason.str();
  };
  OutsideUses uses = getOutsideUses(info.root, loop);
  if (uses.escape)
    return refuse(uses.escape, "the buffer escapes");
  if (uses.outerView)
    return refuse(uses.outerView,
                  "it is accessed through a view that is made before the loop");
  if (uses.accesses.empty())
    return;
  Block *block = info.root.getParentBlock();
  if (loop->getBlock() != block)
    return refuse(uses.accesses.front(),
                  "it is accessed outside of the loop, and the loop is nested "
                  "below its allocation");
  bool rewritten = definitions.whole ||
                   isCovered(getWholeAccess(info.root), definitions.writes);
  for (Operation *op : uses.accesses) {
    Operation *ancestor = block->findAncestorOpInBlock(*op);
    if (!ancestor)
      return refuse(op, "it is accessed outside of its block");
    if (loop->isBeforeInBlock(ancestor) && !rewritten && mayRead(op, info.root))
      return refuse(op, "it is read after the loop, and an iteration does not "
                        "write all of it");
  }
}

void tilepipe::checkPrivatization(
    PipelineOp loop, std::vector<SmallVector<BufferAccess, 0>> &accesses,
    llvm::MapVector<Value, BufferInfo> &buffers) {
  llvm::DenseMap<Value, Definitions> definitions;
  for (SmallVector<BufferAccess, 0> &list : accesses) {
    // Reads of a statement come before its writes reach other statements; what
    // it writes and then reads itself is not exposed from the start.
    for (BufferAccess &access : list) {
      if (!access.reads() || !access.exposed)
        continue;
      access.exposed = !definitions[access.root].cover(access);
      BufferInfo &info = buffers[access.root];
      if (access.exposed && info.mayHaveVersions()) {
        info.culprit = access.op;
        info.whyNotVersioned =
            "an iteration may read contents of an earlier one";
      }
    }
    for (const BufferAccess &access : list)
      if (access.definite || access.definiteIfGuard)
        definitions[access.root].add(access);
  }
  for (auto &[root, info] : buffers) {
    auto alloc = root.getDefiningOp<AllocOp>();
    if (!alloc) {
      info.whyNotVersioned = "it is not a 'tile.alloc'";
      info.culprit = root.getDefiningOp();
    } else if (loop->isAncestor(alloc)) {
      info.whyNotVersioned = "it is allocated in the loop";
      info.culprit = alloc;
    } else if (info.versions > 1) {
      info.whyNotVersioned = "it has versions already";
      info.culprit = alloc;
    } else if (info.mayHaveVersions()) {
      checkOutsideUses(info, loop, definitions[root]);
    }
  }
}
