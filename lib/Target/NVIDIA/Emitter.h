//===- Emitter.h - Building index arithmetic and branches ----- -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_EMITTER_H
#define TILEPIPE_LIB_TARGET_NVIDIA_EMITTER_H

#include "ThreadLayout.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilepipe::nvidia {

/// The constants of a kernel, each once, at the start of a block. Half of all
/// operations would be constants otherwise.
class ConstantPool {
public:
  explicit ConstantPool(mlir::Block *block) : block(block) {}
  mlir::Value get(mlir::Location loc, mlir::TypedAttr value);

private:
  mlir::Block *block;
  llvm::DenseMap<mlir::Attribute, mlir::Value> known;
};

/// A builder that folds what it knows about indices.
class Emitter : public mlir::ImplicitLocOpBuilder {
public:
  /// Without a pool, constants are made in place.
  Emitter(mlir::Location loc, mlir::OpBuilder &builder,
          ConstantPool *pool = nullptr)
      : ImplicitLocOpBuilder(loc, builder), pool(pool) {}

  mlir::Value index(int64_t value);
  mlir::Value index(mlir::OpFoldResult value);
  mlir::Value i32(int64_t value);
  mlir::Value boolean(bool value);
  /// The zero (or `value`) of an element type.
  mlir::Value constant(mlir::Type type, int64_t value = 0);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value cond, mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  /// 0 <= value < bound.
  mlir::Value isInside(mlir::Value value, mlir::Value bound);
  mlir::Value isEqual(mlir::Value a, mlir::Value b);
  mlir::Value isMultiple(mlir::Value value, int64_t powerOfTwo);
  bool isTrue(mlir::Value cond);
  bool isFalse(mlir::Value cond);

  /// The coordinate along `dim` that the bits of `number` stand for.
  mlir::Value gather(mlir::Value number, llvm::ArrayRef<LayoutBasis> bases,
                     int64_t dim);

  /// Converts an element as `tile.copy` does.
  mlir::Value convert(mlir::Value value, mlir::Type to);
  mlir::Value dim(mlir::Value memref, int64_t dim);
  mlir::OpFoldResult stride(mlir::Value memref, int64_t dim);

  /// if (cond) body() else otherwise(); nothing for what cannot happen.
  void when(mlir::Value cond, llvm::function_ref<void()> body,
            llvm::function_ref<void()> otherwise = nullptr);
  /// The same for a value.
  mlir::Value pick(mlir::Value cond, llvm::function_ref<mlir::Value()> body,
                   llvm::function_ref<mlir::Value()> otherwise);
  /// for (i = lower; i < upper; i += step) body(i); LLVM unrolls it only with
  /// `mayUnroll`: code that is rarely run would only take space.
  void loop(mlir::Value lower, mlir::Value upper, mlir::Value step,
            bool mayUnroll, llvm::function_ref<void(mlir::Value)> body);

  /// Bytes of an element in memory.
  static int64_t getElementBytes(mlir::Type type);

private:
  mlir::Value makeConstant(mlir::TypedAttr value);

  ConstantPool *pool;
};

/// Asks LLVM and ptxas to leave a loop as it is.
void forbidUnrolling(mlir::Operation *loop);

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_EMITTER_H
