//===- CopyGroups.cpp - Groups of asynchronous copies in LLVM IR ----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits were moved in front of the copies of their step, and count fewer groups
// in flight than the tokens of the injected phase need. Where they count none,
// several groups in a row are one. Where no more groups can be in flight than
// they leave there, they do nothing.
//
//===----------------------------------------------------------------------===//

#include "CopyGroups.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool isCommit(const Instruction &inst) {
  auto *call = dyn_cast<IntrinsicInst>(&inst);
  return call &&
         call->getIntrinsicID() == Intrinsic::nvvm_cp_async_commit_group;
}

static bool isWait(const Instruction &inst) {
  auto *call = dyn_cast<IntrinsicInst>(&inst);
  return call &&
         (call->getIntrinsicID() == Intrinsic::nvvm_cp_async_wait_group ||
          call->getIntrinsicID() == Intrinsic::nvvm_cp_async_wait_all);
}

/// The groups that a wait may leave in flight.
static uint64_t getPending(const Instruction &wait) {
  auto &call = cast<IntrinsicInst>(wait);
  if (call.getIntrinsicID() == Intrinsic::nvvm_cp_async_wait_all)
    return 0;
  auto *pending = dyn_cast<ConstantInt>(call.getArgOperand(0));
  return pending ? pending->getZExtValue() : UINT64_MAX;
}

/// Calls `visit` with each instruction that comes after `start` on some path,
/// up to where it returns false. `commits` is the least number of commits in
/// between on a path; where one with fewer is found later, its rest is visited
/// again.
static void
visitNext(Instruction *start,
          function_ref<bool(Instruction &, uint64_t commits)> visit) {
  DenseMap<BasicBlock *, uint64_t> least;
  SmallVector<std::pair<BasicBlock::iterator, uint64_t>> worklist = {
      {std::next(start->getIterator()), 0}};
  while (!worklist.empty()) {
    auto [at, commits] = worklist.pop_back_val();
    BasicBlock *block = at.getNodeParent();
    while (at != block->end() && visit(*at, commits)) {
      commits += isCommit(*at);
      ++at;
    }
    if (at != block->end())
      continue;
    for (BasicBlock *next : successors(block)) {
      auto [known, isNew] = least.try_emplace(next, commits);
      if (!isNew && known->second <= commits)
        continue;
      known->second = commits;
      worklist.push_back({next->begin(), commits});
    }
  }
}

/// A commit does nothing where on all paths another one follows before any
/// wait, and the first wait is for both groups: then the copies belong to the
/// next group, which completes at the same wait. Groups before have completed
/// there too, and later waits see the groups after it only.
static bool isRedundant(Instruction *commit) {
  bool result = true;
  visitNext(commit, [&](Instruction &inst, uint64_t commits) {
    if (isWait(inst))
      result &= commits > getPending(inst);
    return result && !isWait(inst);
  });
  return result;
}

/// More groups in flight than this are as good as any number.
static constexpr uint64_t kManyGroups = 256;

/// Erases the waits in front of which no more groups may be in flight than they
/// leave there. A wait for all is for copies without a group as well.
static void eraseIdleWaits(Function &function) {
  // The most groups in flight at the beginning of a block.
  DenseMap<BasicBlock *, uint64_t> most;
  auto flow = [&](BasicBlock &block,
                  function_ref<void(Instruction &, uint64_t)> visitWait) {
    uint64_t groups = most.lookup(&block);
    for (Instruction &inst : make_early_inc_range(block)) {
      if (isCommit(inst)) {
        groups = std::min(groups + 1, kManyGroups);
      } else if (isWait(inst)) {
        uint64_t pending = getPending(inst);
        visitWait(inst, groups);
        groups = std::min(groups, pending);
      }
    }
    return groups;
  };
  SmallVector<BasicBlock *> worklist = {&function.getEntryBlock()};
  while (!worklist.empty()) {
    BasicBlock *block = worklist.pop_back_val();
    uint64_t groups = flow(*block, [](Instruction &, uint64_t) {});
    for (BasicBlock *next : successors(block)) {
      auto [known, isNew] = most.try_emplace(next, groups);
      if (!isNew && known->second >= groups)
        continue;
      known->second = groups;
      worklist.push_back(next);
    }
  }
  for (BasicBlock &block : function)
    flow(block, [](Instruction &wait, uint64_t groups) {
      bool countsGroups = cast<IntrinsicInst>(wait).getIntrinsicID() ==
                          Intrinsic::nvvm_cp_async_wait_group;
      if (countsGroups && groups < kManyGroups && groups <= getPending(wait))
        wait.eraseFromParent();
    });
}

void tilepipe::nvidia::simplifyCopyGroups(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    // A wait may need a commit that nothing else does, and be idle without it.
    eraseIdleWaits(function);
    for (Instruction &inst : make_early_inc_range(instructions(function)))
      if (isCommit(inst) && isRedundant(&inst))
        inst.eraseFromParent();
    eraseIdleWaits(function);
    // Each thread counts its own groups. A commit on each side of a branch
    // would be one for threads that copy nothing: right, and not needed.
    for (Instruction &inst : instructions(function))
      if (isCommit(inst) || isWait(inst))
        cast<CallInst>(inst).setConvergent();
  }
}
