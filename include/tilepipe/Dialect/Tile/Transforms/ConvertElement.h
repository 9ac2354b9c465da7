//===- ConvertElement.h - Conversion of elements ----------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_TRANSFORMS_CONVERTELEMENT_H
#define TILEPIPE_DIALECT_TILE_TRANSFORMS_CONVERTELEMENT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilepipe::tile {

/// Whether code that computes on single elements takes this type: floats of 8,
/// 16, 32 and 64 bits, signless integers of up to 64, indices.
bool isSupportedElement(mlir::Type type);

/// `value` in another element type, as `tile.copy` converts: floats round to
/// nearest even, integers are signed, float to integer truncates. Vectors are
/// converted element by element.
mlir::Value convertElement(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                           mlir::Type to);

} // namespace tilepipe::tile

#endif // TILEPIPE_DIALECT_TILE_TRANSFORMS_CONVERTELEMENT_H
