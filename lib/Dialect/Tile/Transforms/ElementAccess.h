//===- ElementAccess.h - Accesses to single elements ------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_ELEMENTACCESS_H
#define TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_ELEMENTACCESS_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilepipe::tile {

struct ElementAccess {
  mlir::Value memref;
  mlir::ValueRange indices;

  mlir::MemRefType getType() const {
    return llvm::cast<mlir::MemRefType>(memref.getType());
  }
};

/// The element that an operation accesses, if it is one that does.
inline std::optional<ElementAccess> getElementAccess(mlir::Operation *op) {
  using namespace mlir;
  return llvm::TypeSwitch<Operation *, std::optional<ElementAccess>>(op)
      .Case<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp>(
          [](auto access) {
            return ElementAccess{access.getMemref(), access.getIndices()};
          })
      .Case([](AtomicOp access) {
        return ElementAccess{access.getTarget(), access.getIndices()};
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace tilepipe::tile

#endif // TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_ELEMENTACCESS_H
