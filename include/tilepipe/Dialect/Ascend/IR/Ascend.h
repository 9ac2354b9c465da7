//===- Ascend.h - The ascend dialect ----------------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_ASCEND_IR_ASCEND_H
#define TILEPIPE_DIALECT_ASCEND_IR_ASCEND_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "tilepipe/Dialect/Ascend/IR/AscendDialect.h.inc"
#include "tilepipe/Dialect/Ascend/IR/AscendEnums.h.inc"

namespace tilepipe::ascend {

/// What an index value is, where the asker knows.
using IndexEvaluator =
    llvm::function_ref<std::optional<int64_t>(mlir::Value index)>;

/// Rows of elements of a buffer, counted from its start. Row `i` is
/// `[offset + i * stride, offset + i * stride + length)`.
struct Footprint {
  int64_t offset = 0;
  int64_t rows = 1;
  int64_t length = 0;
  int64_t stride = 0;
};

/// One buffer that an instruction reads or writes.
struct PipeAccess {
  /// The memref, as the operation names it (it may be a slot).
  mlir::Value buffer;
  bool write;
  /// The part; none where it is not known, which stands for all of it.
  std::optional<Footprint> part;
};

} // namespace tilepipe::ascend

#include "tilepipe/Dialect/Ascend/IR/AscendInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tilepipe/Dialect/Ascend/IR/AscendAttrs.h.inc"
#define GET_OP_CLASSES
#include "tilepipe/Dialect/Ascend/IR/AscendOps.h.inc"

namespace tilepipe::ascend {

/// The name of a pipe as CCE spells it, without `PIPE_`.
llvm::StringRef getPipeName(Pipe pipe);

/// Checks what the verifiers cannot, because it takes operands that are
/// constants: counts and strides that exceed the fields of an instruction.
mlir::LogicalResult verifyInstructionLimits(mlir::Operation *root);

} // namespace tilepipe::ascend

#endif // TILEPIPE_DIALECT_ASCEND_IR_ASCEND_H
