//===- StageGlobals.h - Element accesses of global memory -------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_STAGEGLOBALS_H
#define TILEPIPE_LIB_TARGET_ASCEND_STAGEGLOBALS_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"

namespace tilepipe::ascend {

/// Vector instructions only reach UB: copies what the maps of a launch read of
/// global memory to tiles before them, and what they write from tiles after
/// them. Fails, with an error, where the elements are no rectangle.
llvm::LogicalResult stageGlobalAccesses(tile::LaunchOp launch);

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_STAGEGLOBALS_H
