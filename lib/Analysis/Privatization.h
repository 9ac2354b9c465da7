//===- Privatization.h - Which buffers may have versions --------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_ANALYSIS_PRIVATIZATION_H
#define TILEPIPE_LIB_ANALYSIS_PRIVATIZATION_H

#include "tilepipe/Analysis/DependenceGraph.h"

namespace tilepipe {

/// Decides for each read whether it sees only writes of its own iteration
/// (`BufferAccess::exposed`), and for each buffer whether iterations may have
/// copies of their own (`BufferInfo::whyNotVersioned`).
void checkPrivatization(
    tile::PipelineOp loop,
    std::vector<llvm::SmallVector<BufferAccess, 0>> &accesses,
    llvm::MapVector<mlir::Value, BufferInfo> &buffers);

} // namespace tilepipe

#endif // TILEPIPE_LIB_ANALYSIS_PRIVATIZATION_H
