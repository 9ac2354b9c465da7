//===- AtomicLoops.cpp - Atomic updates that the GPU lacks ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomicLoops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace {

/// The word that an update swaps, and where in it the element is.
struct Word {
  Type *type;
  Value *address;
  /// Bits to the right of the element; null for an element of a whole word.
  Value *shift = nullptr;

  Value *extract(IRBuilderBase &b, Value *word, Type *element) const;
  Value *insert(IRBuilderBase &b, Value *word, Value *element) const;
};

} // namespace

Value *Word::extract(IRBuilderBase &b, Value *word, Type *element) const {
  if (shift)
    word = b.CreateTrunc(b.CreateLShr(word, shift),
                         b.getIntNTy(element->getScalarSizeInBits()));
  return b.CreateBitCast(word, element);
}

Value *Word::insert(IRBuilderBase &b, Value *word, Value *element) const {
  if (!shift)
    return b.CreateBitCast(element, type);
  unsigned size = element->getType()->getScalarSizeInBits();
  Value *bits =
      b.CreateZExt(b.CreateBitCast(element, b.getIntNTy(size)), type);
  Value *mask = b.CreateNot(b.CreateShl(b.getInt32((1u << size) - 1), shift));
  return b.CreateOr(b.CreateAnd(word, mask), b.CreateShl(bits, shift));
}

static Word getWord(IRBuilderBase &b, AtomicRMWInst &update) {
  Value *address = update.getPointerOperand();
  unsigned bits = update.getType()->getScalarSizeInBits();
  if (bits >= 32)
    return {b.getIntNTy(bits), address, nullptr};
  // A half or a quarter of an aligned word; the lowest comes first.
  Value *offset =
      b.CreateAnd(b.CreatePtrToInt(address, b.getInt32Ty()), 4 - bits / 8);
  Value *start = b.CreateGEP(b.getInt8Ty(), address,
                             b.CreateNeg(b.CreateZExt(offset, b.getInt64Ty())));
  return {b.getInt32Ty(), start, b.CreateShl(offset, 3)};
}

static bool needsLoop(const AtomicRMWInst &update) {
  Type *type = update.getType();
  AtomicRMWInst::BinOp kind = update.getOperation();
  // LLVM's loop for a part of a word starts with a load that is not atomic.
  if (type->isIntegerTy() || kind == AtomicRMWInst::Xchg)
    return type->getScalarSizeInBits() < 32;
  // The GPU adds all but bfloat16.
  return kind != AtomicRMWInst::FAdd || type->isBFloatTy();
}

/// Reads the word, then swaps it for the updated one until nobody came between.
static void expand(AtomicRMWInst &update) {
  BasicBlock *before = update.getParent();
  BasicBlock *after = SplitBlock(before, &update);
  BasicBlock *loop = BasicBlock::Create(update.getContext(), "atomic.loop",
                                        before->getParent(), after);
  IRBuilder<> b(before->getTerminator());
  b.SetCurrentDebugLocation(update.getDebugLoc());
  Word word = getWord(b, update);
  Align align(word.type->getScalarSizeInBits() / 8);
  LoadInst *first = b.CreateAlignedLoad(word.type, word.address, align);
  first->setAtomic(AtomicOrdering::Monotonic, update.getSyncScopeID());
  b.CreateBr(loop);
  before->getTerminator()->eraseFromParent();

  b.SetInsertPoint(loop);
  PHINode *seen = b.CreatePHI(word.type, 2);
  Value *old = word.extract(b, seen, update.getType());
  Value *updated = buildAtomicRMWValue(update.getOperation(), b, old,
                                       update.getValOperand());
  AtomicCmpXchgInst *swap = b.CreateAtomicCmpXchg(
      word.address, seen, word.insert(b, seen, updated), align,
      update.getOrdering(),
      AtomicCmpXchgInst::getStrongestFailureOrdering(update.getOrdering()),
      update.getSyncScopeID());
  Value *found = b.CreateExtractValue(swap, 0);
  seen->addIncoming(first, before);
  seen->addIncoming(found, loop);
  b.CreateCondBr(b.CreateExtractValue(swap, 1), after, loop);
  update.replaceAllUsesWith(old);
  update.eraseFromParent();
}

void tilepipe::nvidia::expandAtomicLoops(Module &module) {
  SmallVector<AtomicRMWInst *> updates;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *update = dyn_cast<AtomicRMWInst>(&instruction);
          update && needsLoop(*update))
        updates.push_back(update);
  for (AtomicRMWInst *update : updates)
    expand(*update);
}
