//===- Epilogue.h - What follows the last gemm of an accumulator -*- C++
//-*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums lie in L0C, which only the cube core and its FIX pipe reach. FIX can
// round and clamp at zero on the way to global memory; for anything else the
// sums go through global memory to the vector cores.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_EPILOGUE_H
#define TILEPIPE_LIB_TARGET_ASCEND_EPILOGUE_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"

namespace tilepipe::ascend {

/// Calls `fn` with each use of a buffer that is not a view of it.
void forEachUse(mlir::Value buffer,
                llvm::function_ref<void(mlir::OpOperand &)> fn);

/// True for a map that clamps all of `buffer` at zero, in place.
bool isReluInPlace(tile::MapOp map, mlir::Value buffer);

/// Rewrites what reads `accumulator` after its last gemm so that only copies to
/// global memory, and at most one clamp in place, are left; or sends the sums
/// through a new argument of the function. Fails, with an error, where vector
/// code and gemms alternate.
llvm::LogicalResult lowerEpilogue(tile::AllocOp accumulator,
                                  tile::LaunchOp launch);

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_EPILOGUE_H
