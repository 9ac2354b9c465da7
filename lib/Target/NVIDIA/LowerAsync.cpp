//===- LowerAsync.cpp - Groups of asynchronous copies ---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// Always, also for an empty group: the counts of waits rely on it.
LogicalResult nvidia::lower(Lowering &l, tile::AsyncCommitOp op) {
  Emitter e = l.at(op);
  NVVM::CpAsyncCommitGroupOp::create(e);
  op.getResult().replaceAllUsesWith(e.boolean(true));
  op.erase();
  return success();
}

LogicalResult nvidia::lower(Lowering &l, tile::AsyncWaitOp op) {
  OpBuilder b(op);
  NVVM::CpAsyncWaitGroupOp::create(
      b, op.getLoc(), static_cast<uint32_t>(op.getPending().value_or(0)));
  op.erase();
  return success();
}
