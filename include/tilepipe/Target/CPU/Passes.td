//===- Passes.td - Passes of the CPU target ----------------*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_CPU_PASSES_TD
#define TILEPIPE_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToCPU : Pass<"convert-tile-to-cpu", "::mlir::ModuleOp"> {
  let summary = "lower tile operations to loops, vectors and runtime calls";
  let description = [{
    Lowers every operation of the tile dialect, in source, planned and injected
    IR, so that no tile operation, token or attribute is left.

    * `tile.launch` becomes a call of the runtime, which runs the outlined body
      for each block, on as many threads as are asked for at run time.
    * `tile.alloc` becomes a slice of one frame per block instance, taken from a
      stack that each worker keeps on the heap; small buffers are `llvm.alloca`s.
    * `tile.copy` and `tile.gemm` become calls of functions that are shared by
      all operations of the same shape. A copy decides once whether its region
      is inside both buffers and then moves whole rows; a gemm of static shape
      keeps a block of `c` in vector registers for all of k.
    * With `async=inline` an asynchronous copy copies at once and waits vanish;
      with `async=runtime` copies, commits and waits are calls of the runtime,
      whose completion policy is chosen when the kernel runs.
    * With `sanitize` each access asks the runtime whether it touches memory
      that an asynchronous copy has in flight, and new buffers hold a pattern.

    ```mlir
    tile.copy %A[%i, %k] to %As
        : memref<64x64xf32> to memref<16x16xf32, #tile.space<shared>>
    ```
    becomes
    ```mlir
    call @__tile_copy_0(%A, %As, %i, %k)
        : (memref<64x64xf32>, memref<16x16xf32, #tile.space<shared>>, index, index) -> ()
    ```
  }];
  let options = [
    Option<"async", "async", "std::string", "\"inline\"",
           "what asynchronous copies become: 'inline' or 'runtime'">,
    Option<"sanitize", "sanitize", "bool", "false",
           "check accesses against memory in flight">,
    Option<"vectorBits", "vector-bits", "int64_t", "512",
           "width of a vector register">,
  ];
  let statistics = [
    Statistic<"numFunctions", "functions", "Functions made for copies and gemms">,
    Statistic<"numBlockedGemms", "blocked-gemms", "Gemms with a register block">,
    Statistic<"numPlainGemms", "plain-gemms", "Gemms lowered to plain loops">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect",
  ];
}

def ConvertCPUToLLVM : Pass<"convert-cpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lower what convert-tile-to-cpu leaves to the llvm dialect";
  let description = [{
    One conversion of the func, cf, arith, math, index, memref, ub and vector
    dialects. All memory spaces become address space 0. Functions of single
    precision become polynomials that vectorise; conversions that would need a
    compiler runtime library (double to half, to bfloat16) become calls of ours.
    Functions that are not private get a C interface.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect",
  ];
}

#endif // TILEPIPE_TARGET_CPU_PASSES_TD
