//===- ExpandFloat8.h - 8-bit floats by integer arithmetic ------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_TRANSFORMS_EXPANDFLOAT8_H
#define TILEPIPE_DIALECT_TILE_TRANSFORMS_EXPANDFLOAT8_H

#include "mlir/IR/Types.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace tilepipe {

/// f8E4M3FN or f8E5M2, or a vector of these.
bool isFloat8(mlir::Type type);

/// Writes conversions from and to these types as integer arithmetic; those from
/// double are left.
void populateExpandFloat8Patterns(mlir::RewritePatternSet &patterns);

} // namespace tilepipe

#endif // TILEPIPE_DIALECT_TILE_TRANSFORMS_EXPANDFLOAT8_H
