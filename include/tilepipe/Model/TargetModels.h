//===- TargetModels.h - The machines that come with tilepipe ----*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_MODEL_TARGETMODELS_H
#define TILEPIPE_MODEL_TARGETMODELS_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"

namespace tilepipe {

/// Machines by name, in the order of their files.
using TargetModels =
    llvm::SmallVector<std::pair<std::string, tile::TargetAttr>>;

/// The machines of lib/Target/*/models.mlir, which are part of the library.
TargetModels getTargetModels(mlir::MLIRContext *context);

/// The machines in a file of that form: named modules with a `tile.target`.
/// Emits an error if it cannot be read.
llvm::FailureOr<TargetModels> readTargetModels(mlir::MLIRContext *context,
                                               llvm::StringRef path);

/// The machine of that name, or null.
tile::TargetAttr findTargetModel(const TargetModels &models,
                                 llvm::StringRef chip);

} // namespace tilepipe

#endif // TILEPIPE_MODEL_TARGETMODELS_H
