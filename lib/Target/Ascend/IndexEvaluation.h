//===- IndexEvaluation.h - Numbers of index operations -*- C++ -*- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_INDEXEVALUATION_H
#define TILEPIPE_LIB_TARGET_ASCEND_INDEXEVALUATION_H

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"

namespace tilepipe::ascend {

/// True for integer operations that `evaluateIndexOp` knows.
bool canEvaluate(mlir::Operation *op);

/// The result of an integer operation with one result, as 64-bit arithmetic;
/// none where an operand is not known, or there is no result (division by 0).
std::optional<int64_t> evaluateIndexOp(mlir::Operation *op,
                                       IndexEvaluator evaluate);

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_INDEXEVALUATION_H
