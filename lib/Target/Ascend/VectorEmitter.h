//===- VectorEmitter.h - Vector instructions over tiles ---------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector instruction handles neighbours (count form) or repeats of 256 bytes
// with strides (norm form). This file covers rows x columns with them, where
// some operands are the same for all rows, and some for all columns.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_VECTOREMITTER_H
#define TILEPIPE_LIB_TARGET_ASCEND_VECTOREMITTER_H

#include "Lowering.h"

namespace tilepipe::ascend {

/// The extents of an operation, and how much of them is live if not all is.
struct Domain {
  int64_t rows = 1;
  int64_t columns = 1;
  /// Only the first rows and columns; null for all.
  mlir::Value liveRows, liveColumns;

  int64_t size() const { return rows * columns; }
};

/// What an instruction reads or writes over a domain.
struct VectorOperand {
  enum class Kind {
    /// An element for each row and column, rows `pitch` elements apart.
    Full,
    /// An element for each column, the same for all rows.
    Row,
    /// A block of 32 bytes with the same element for each row.
    Blocks
  };
  mlir::Value buffer;
  mlir::Value offset;
  Kind kind = Kind::Full;
  int64_t pitch = 0;

  mlir::Type getElementType() const {
    return llvm::cast<mlir::MemRefType>(buffer.getType()).getElementType();
  }
  /// Elements of a block of 32 bytes.
  int64_t getC0() const {
    return kBlockBytes / getElementBytes(getElementType());
  }
};

/// The form of one instruction.
struct VectorForm {
  mlir::Value count, repeat;
  mlir::DenseI64ArrayAttr blocks, repeats;
};

/// Emits vector instructions over domains.
class VectorEmitter {
public:
  explicit VectorEmitter(Emitter &e) : e(e) {}

  using Piece = llvm::function_ref<void(llvm::ArrayRef<mlir::Value> offsets,
                                        const VectorForm &form)>;
  /// Calls `emit` for pieces that cover the domain; offsets are those of the
  /// operands, target first.
  void cover(const Domain &domain, llvm::ArrayRef<VectorOperand> operands,
             Piece emit);

  void binary(BinaryKind kind, const Domain &domain, VectorOperand target,
              VectorOperand lhs, VectorOperand rhs);
  void unary(UnaryKind kind, const Domain &domain, VectorOperand target,
             VectorOperand source);
  void scalar(ScalarKind kind, const Domain &domain, VectorOperand target,
              VectorOperand source, mlir::Value scalar);
  void duplicate(const Domain &domain, VectorOperand target,
                 mlir::Value scalar);
  void convert(RoundMode round, const Domain &domain, VectorOperand target,
               VectorOperand source);
  /// Copies, by a multiplication with one.
  void move(const Domain &domain, VectorOperand target, VectorOperand source);

private:
  void coverRow(const Domain &domain, llvm::ArrayRef<VectorOperand> operands,
                mlir::Value row, Piece emit);
  void coverByColumns(const Domain &domain,
                      llvm::ArrayRef<VectorOperand> operands, Piece emit);

  Emitter &e;
};

/// The elements of a place of rank 0 to 2 (or more, where leading dimensions
/// follow each other) as a domain; fails, with an error at `op`, where rows are
/// not aligned.
llvm::FailureOr<std::pair<VectorOperand, Domain>>
getVector(Emitter &e, mlir::Value memref, mlir::Operation *op);

/// True if `value` is a multiple of `factor` for sure.
bool isMultipleOf(mlir::Value value, int64_t factor);

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_VECTOREMITTER_H
