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
// several groups in a row are one.
//
//===----------------------------------------------------------------------===//

#include "CopyGroups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
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
  return call && (call->getIntrinsicID() == Intrinsic::nvvm_cp_async_wait_group ||
                  call->getIntrinsicID() == Intrinsic::nvvm_cp_async_wait_all);
}

/// Whether a wait leaves nothing in flight.
static bool waitsForAll(const Instruction &wait) {
  auto &call = cast<IntrinsicInst>(wait);
  if (call.getIntrinsicID() == Intrinsic::nvvm_cp_async_wait_all)
    return true;
  auto *pending = dyn_cast<ConstantInt>(call.getArgOperand(0));
  return pending && pending->isZero();
}

/// The first instruction for which `stop` holds, on each path from `start` that
/// has one.
static SmallVector<Instruction *, 4>
findNext(Instruction *start, function_ref<bool(const Instruction &)> stop) {
  SmallVector<Instruction *, 4> found;
  SmallPtrSet<BasicBlock *, 16> seen;
  SmallVector<BasicBlock::iterator> worklist = {std::next(start->getIterator())};
  while (!worklist.empty()) {
    BasicBlock::iterator at = worklist.pop_back_val();
    BasicBlock *block = at.getNodeParent();
    while (at != block->end() && !stop(*at))
      ++at;
    if (at != block->end()) {
      found.push_back(&*at);
      continue;
    }
    for (BasicBlock *next : successors(block))
      if (seen.insert(next).second)
        worklist.push_back(next->begin());
  }
  return found;
}

/// A commit does nothing where on all paths to a wait another one follows, and
/// the wait leaves nothing in flight: then the copies belong to the next group,
/// which completes at the same time. Waits after that one see the groups after it
/// only.
static bool isRedundant(Instruction *commit) {
  auto isEither = [](const Instruction &i) { return isCommit(i) || isWait(i); };
  return all_of(findNext(commit, isEither),
                [](Instruction *i) { return isCommit(*i); }) &&
         all_of(findNext(commit, isWait),
                [](Instruction *i) { return waitsForAll(*i); });
}

void tilepipe::nvidia::simplifyCopyGroups(Module &module) {
  for (Function &function : module)
    for (Instruction &inst : make_early_inc_range(instructions(function))) {
      if (isCommit(inst) && isRedundant(&inst))
        inst.eraseFromParent();
      // Each thread counts its own groups. A commit on each side of a branch
      // would be one for threads that copy nothing: right, and not needed.
      else if (isCommit(inst) || isWait(inst))
        cast<CallInst>(inst).setConvergent();
    }
}
