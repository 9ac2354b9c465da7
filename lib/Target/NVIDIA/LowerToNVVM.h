//===- LowerToNVVM.h - Parts of tile-lower-gpu-to-nvvm ----------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_LOWERTONVVM_H
#define TILEPIPE_LIB_TARGET_NVIDIA_LOWERTONVVM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace tilepipe::nvidia {

/// Replaces a kernel by an `llvm.func` with the parameters that the launcher
/// passes. Its body still speaks of memrefs: casts tie them to descriptors.
mlir::LogicalResult lowerKernelSignature(mlir::gpu::GPUFuncOp kernel,
                                         const mlir::LLVMTypeConverter &types);

/// 32 where every offset a kernel of the module can compute fits, else 64.
unsigned chooseIndexBitwidth(mlir::gpu::GPUModuleOp module);

/// Interrupts, with an error, where a kernel shares memory with indices in it,
/// which have 64 bits for everybody else.
mlir::WalkResult checkIndexElements(mlir::gpu::GPUFuncOp kernel);

/// Tells the width to the translation, in the data layout of the module.
void recordIndexBitwidth(mlir::gpu::GPUModuleOp module, unsigned width);

/// Lowers stack buffers with constant indices and matrix instructions of half
/// precision straight to what LLVM has.
void lowerRegisters(mlir::LLVM::LLVMFuncOp function);

/// Rewrites of mathematical functions into what has an instruction; the rest
/// becomes arithmetic. Vectors of most functions are taken apart.
void populateMathExpansionPatterns(mlir::RewritePatternSet &patterns);

/// The part of them for double precision.
void populateDoubleMathPatterns(mlir::RewritePatternSet &patterns);

/// The one of them that many kernels need, alone: exp of single precision.
mlir::LogicalResult expandSingleExp(mlir::RewriterBase &rewriter,
                                    mlir::math::ExpOp op);

/// Whether LLVM has an instruction for this operation of the math dialect.
bool isSelectableMath(mlir::Operation *op);

/// Whether vectors of it become instructions without being taken apart first.
bool isVectorMath(mlir::Operation *op);

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_LOWERTONVVM_H
