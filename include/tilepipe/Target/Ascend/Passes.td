//===- Passes.td - Passes of the Ascend target -------------*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_ASCEND_PASSES_TD
#define TILEPIPE_TARGET_ASCEND_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileAssignSpaces : Pass<"tile-assign-spaces", "::mlir::ModuleOp"> {
  let summary = "choose the memory of an AI core that holds each tile";
  let description = [{
    Rewrites `shared` and `fragment` buffers where the target has L1 and UB: what
    a gemm reads goes to `l1`, sums of a gemm to `l0c`, everything else to `ub`.
    Cells of rank 0 that only scalar code uses stay `fragment`. Runs in the source
    phase, so that planning sees the real paths.

    * Vector code only reaches UB: elements of global memory that a `tile.map`
      reads or writes become copies to and from tiles.
    * Sums leave L0C through the FIX pipe, which rounds and clamps at zero: tiles
      and maps that do no more than that vanish (a clamp stays as a map on the
      sums). For any other epilogue the sums go through global memory to the
      vector cores: the function gets one more argument, marked
      `ascend.workspace`, with a slot for each block of the grid.

    ```mlir
    %As = tile.alloc : memref<64x32xf16, #tile.space<shared>>
    %C = tile.alloc : memref<64x64xf32, #tile.space<fragment>>
    tile.gemm %As, %Bs, %C : ...
    tile.map (%i, %j) in [64, 64] { %x = memref.load %C[%i, %j] ... }
    ```
    becomes
    ```mlir
    %As = tile.alloc : memref<64x32xf16, #tile.space<l1>>
    %C = tile.alloc : memref<64x64xf32, #tile.space<l0c>>
    %C_ub = tile.alloc : memref<64x64xf32, #tile.space<ub>>
    tile.gemm %As, %Bs, %C : ...
    tile.copy %C to %workspace[%block, 0, 0] : ...
    tile.copy %workspace[%block, 0, 0] to %C_ub : ...
    tile.map (%i, %j) in [64, 64] { %x = memref.load %C_ub[%i, %j] ... }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::tilepipe::tile::TileDialect"
  ];
  let statistics = [
    Statistic<"numL1", "l1", "Buffers in L1">,
    Statistic<"numL0C", "l0c", "Buffers in L0C">,
    Statistic<"numUB", "ub", "Buffers in UB">
  ];
}

#endif // TILEPIPE_TARGET_ASCEND_PASSES_TD
