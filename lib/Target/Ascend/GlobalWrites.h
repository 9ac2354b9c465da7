//===- GlobalWrites.h - Writes of one pipe to global memory -*- C++ -*- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_GLOBALWRITES_H
#define TILEPIPE_LIB_TARGET_ASCEND_GLOBALWRITES_H

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"

namespace tilepipe::ascend {

/// Operations before which a pipe needs a barrier, because it may write what it
/// has written to global memory before and does not complete in order.
llvm::SmallVector<std::pair<mlir::Operation *, Pipe>>
findGlobalWriteHazards(FuncOp function);

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_GLOBALWRITES_H
