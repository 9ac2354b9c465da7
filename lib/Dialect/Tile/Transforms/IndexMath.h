//===- IndexMath.h - Index arithmetic that folds ----------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trip counts, iteration numbers and slots are sums and remainders of values
// that are often constant. Arithmetic on `OpFoldResult` keeps them constant as
// long as they can be, and keeps one operation for each constant.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_INDEXMATH_H
#define TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_INDEXMATH_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace tilepipe::tile {

/// Constants that dominate all code emitted at or after an operation, one
/// operation for each value.
class ConstantPool {
public:
  /// Constants will stand right before `anchor`, in the order of demand.
  explicit ConstantPool(mlir::Operation *anchor);
  ConstantPool(const ConstantPool &) = delete;
  /// Erases what nobody uses.
  ~ConstantPool();

  mlir::Value getIndex(int64_t value);
  /// Null if no dialect can make the constant.
  mlir::Value get(mlir::Attribute value, mlir::Type type,
                  mlir::Dialect *dialect = nullptr);

private:
  mlir::Location loc;
  mlir::Operation *first;
  mlir::Operation *last;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, mlir::Value> values;
};

/// Emits index arithmetic (modulo 2^64) at the insertion point of a builder.
class IndexMath {
public:
  IndexMath(mlir::OpBuilder &builder, mlir::Location loc, ConstantPool &pool)
      : builder(builder), loc(loc), pool(pool) {}

  mlir::OpFoldResult constant(int64_t value) const {
    return builder.getIndexAttr(value);
  }
  mlir::Value materialize(mlir::OpFoldResult value);

  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult maxSigned(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// Unsigned division and remainder; a constant `b` is positive.
  mlir::OpFoldResult div(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult rem(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// `a < b`, signed; an i1 attribute or value.
  mlir::OpFoldResult less(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult select(mlir::OpFoldResult condition, mlir::OpFoldResult a,
                            mlir::OpFoldResult b);

  /// The number of iterations of a loop; it may be negative where the loop does
  /// not run unless `clamp` is set.
  mlir::OpFoldResult tripCount(PipelineOp loop, bool clamp);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  ConstantPool &pool;
};

} // namespace tilepipe::tile

#endif // TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_INDEXMATH_H
