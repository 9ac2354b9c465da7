//===- Tile.h - The tile dialect --------------------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_IR_TILE_H
#define TILEPIPE_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace tilepipe::tile {

/// A rectangular region of a buffer that an operation reads or writes.
struct RegionAccess {
  enum class Kind { Read, Write, Update };

  /// The memref, as the operation names it (it may be a view).
  mlir::Value buffer;
  Kind kind;
  /// Start and extent in each dimension of `buffer`; both empty for the whole.
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  /// For a write: each element of the region that lies in the buffer is written
  /// whenever the operation runs and `guard`, if there is one, is true.
  bool definite = true;
  /// The condition without which nothing is accessed, or null.
  mlir::Value guard = nullptr;

  bool reads() const { return kind != Kind::Write; }
  bool writes() const { return kind != Kind::Read; }
};

/// The queue of asynchronous copies of a block.
struct AsyncQueueResource
    : public mlir::SideEffects::Resource::Base<AsyncQueueResource> {
  llvm::StringRef getName() final { return "<tile async queue>"; }
};

} // namespace tilepipe::tile

#include "tilepipe/Dialect/Tile/IR/TileDialect.h.inc"
#include "tilepipe/Dialect/Tile/IR/TileEnums.h.inc"
#include "tilepipe/Dialect/Tile/IR/TileInterfaces.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tilepipe/Dialect/Tile/IR/TileTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tilepipe/Dialect/Tile/IR/TileAttrs.h.inc"
#define GET_OP_CLASSES
#include "tilepipe/Dialect/Tile/IR/TileOps.h.inc"

namespace tilepipe::tile {

/// The memory space of a buffer: its `#tile.space`, `shared` and `fragment` for
/// the `workgroup` and `private` spaces of the gpu dialect, else `global`.
MemorySpace getMemorySpace(mlir::MemRefType type);

/// `tile.stage` of an operation, or null.
StageAttr getStage(mlir::Operation *op);
/// Sets, or with a null attribute removes, `tile.stage`.
void setStage(mlir::Operation *op, StageAttr stage);

/// The machine that `op` is compiled for: `tile.target` of the closest module
/// that has one, else `getDefaultTarget`.
TargetAttr getTarget(mlir::Operation *op);

/// A neutral machine for modules without `tile.target`: asynchronous copies
/// from global to shared memory, and no capacities.
TargetAttr getDefaultTarget(mlir::MLIRContext *context);

/// The name of a buffer for a person: the `name` of its `tile.alloc`, the
/// argument number, or the SSA name of its defining operation.
std::string getBufferName(mlir::Value buffer);

/// Names the sizes of an argument; what has one name is equal in every call.
inline constexpr llvm::StringLiteral kSizesAttr = "tile.sizes";

/// The number of iterations of a loop `lower to upper step step`, not below 0.
int64_t getTripCount(int64_t lower, int64_t upper, int64_t step);

/// Splits indices into constants and values, as operations hold them. The one
/// constant that stands for "a value" becomes a value.
void splitIndices(mlir::OpBuilder &builder, mlir::Location loc,
                  llvm::ArrayRef<mlir::OpFoldResult> indices,
                  llvm::SmallVectorImpl<mlir::Value> &values,
                  llvm::SmallVectorImpl<int64_t> &constants);

/// Lets operations of memref, linalg, vector and nvgpu say what they access.
void registerAccessExternalModels(mlir::DialectRegistry &registry);

} // namespace tilepipe::tile

#endif // TILEPIPE_DIALECT_TILE_IR_TILE_H
