//===- LowerAsync.cpp - Commits and waits ---------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens are 64-bit numbers: of the runtime's engine, or zero where copies are
// made at once.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::cpu;

template <typename OpT> static void replaceByZero(Lowering &l, OpT op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  op->getResult(0).replaceAllUsesWith(e.i64(int64_t(0)));
  op.erase();
}

void cpu::lower(Lowering &l, tile::AsyncCommitOp op) { replaceByZero(l, op); }
void cpu::lower(Lowering &l, tile::AsyncNoneOp op) { replaceByZero(l, op); }
void cpu::lower(Lowering &l, tile::AsyncWaitOp op) { op.erase(); }
