//===- Emitter.h - Index arithmetic and places of elements ------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_EMITTER_H
#define TILEPIPE_LIB_TARGET_ASCEND_EMITTER_H

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"
#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilepipe::ascend {

/// Bytes of the block that data paths move and vectors are aligned to.
constexpr int64_t kBlockBytes = 32;
/// Bytes that one repeat of a vector instruction handles.
constexpr int64_t kRepeatBytes = 256;
/// Rows and columns of a fractal of the matrix unit.
constexpr int64_t kFractal = 16;

/// What an index may be, both ends included.
struct IndexRange {
  static constexpr int64_t kMin = INT64_MIN / 4, kMax = INT64_MAX / 4;
  int64_t low = kMin;
  int64_t high = kMax;
};

/// Bounds of an index, by constants, induction variables and grids; where `at`
/// is given, also by the conditions of the `scf.if`s around it.
IndexRange getRange(mlir::OpFoldResult value, mlir::Operation *at = nullptr,
                    unsigned depth = 0);

/// Bytes of an element.
int64_t getElementBytes(mlir::Type type);

/// A builder that folds index arithmetic.
class Emitter : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  mlir::Value index(int64_t value);
  mlir::Value index(mlir::OpFoldResult value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  /// `ceil(a / b)` of a value that is not negative.
  mlir::Value ceilDiv(mlir::Value a, int64_t b);
  /// `a < b`, as a constant where ranges tell.
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value either(mlir::Value a, mlir::Value b);
  mlir::Value boolean(bool value);
  /// The constant of an element type.
  mlir::Value constant(mlir::Type type, double value);

  /// if (condition) body(); no branch where the condition is known.
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// for (i = 0; i < count; ++i) body(i); straight line for few.
  void repeat(int64_t count, llvm::function_ref<void(mlir::Value)> body,
              int64_t unroll = 4);
};

/// The elements that a memref names, inside a buffer that instructions take.
struct Place {
  /// An argument, a `tile.alloc` or a `tile.slot`.
  mlir::Value buffer;
  /// The first element, counted from the start of `buffer`.
  mlir::Value offset;
  /// One for each dimension of the memref.
  llvm::SmallVector<mlir::OpFoldResult> shape;
  llvm::SmallVector<mlir::OpFoldResult> strides;

  mlir::MemRefType getBufferType() const {
    return llvm::cast<mlir::MemRefType>(buffer.getType());
  }
  mlir::Type getElementType() const { return getBufferType().getElementType(); }
  int64_t getRank() const { return shape.size(); }
};

/// Follows views; fails, with an error at `op`, at one that is not understood.
llvm::FailureOr<Place> getPlace(Emitter &e, mlir::Value memref,
                                mlir::Operation *op);

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_EMITTER_H
