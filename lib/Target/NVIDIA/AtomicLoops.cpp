//===- AtomicLoops.cpp - Atomic updates that the GPU lacks ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomicLoops.h"

#include "llvm/CodeGen/AtomicExpandUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// One round of the loop. The swap compares bits, not numbers.
static void emitSwap(IRBuilderBase &b, Value *address, Value *loaded,
                     Value *updated, Align align, AtomicOrdering ordering,
                     SyncScope::ID scope, Value *&success, Value *&found,
                     Instruction *) {
  Type *type = loaded->getType();
  Type *bits = b.getIntNTy(type->getScalarSizeInBits());
  AtomicCmpXchgInst *swap = b.CreateAtomicCmpXchg(
      address, b.CreateBitCast(loaded, bits), b.CreateBitCast(updated, bits),
      align, ordering, AtomicCmpXchgInst::getStrongestFailureOrdering(ordering),
      scope);
  success = b.CreateExtractValue(swap, 1, "success");
  found = b.CreateBitCast(b.CreateExtractValue(swap, 0), type, "newloaded");
}

static bool needsLoop(const AtomicRMWInst &update) {
  Type *type = update.getType();
  return (type->isFloatTy() || type->isDoubleTy()) &&
         update.getOperation() != AtomicRMWInst::FAdd &&
         update.getOperation() != AtomicRMWInst::Xchg;
}

void tilepipe::nvidia::expandAtomicLoops(Module &module) {
  SmallVector<AtomicRMWInst *> updates;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *update = dyn_cast<AtomicRMWInst>(&instruction);
          update && needsLoop(*update))
        updates.push_back(update);
  for (AtomicRMWInst *update : updates) {
    BasicBlock *before = update->getParent();
    SyncScope::ID scope = update->getSyncScopeID();
    expandAtomicRMWToCmpXchg(update, emitSwap);
    // The first read is what the block in front of the loop ends with.
    auto *load =
        dyn_cast_or_null<LoadInst>(before->getTerminator()->getPrevNode());
    if (load && !load->isAtomic())
      load->setAtomic(AtomicOrdering::Monotonic, scope);
  }
}
