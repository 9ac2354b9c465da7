//===- Passes.td - Passes of the tile dialect --------------*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILEPIPE_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Multi-buffering
//===----------------------------------------------------------------------===//

def MultiBufferVersioning : Pass<"multi-buffer-versioning"> {
  let summary = "give buffers the versions that were planned";
  let description = [{
    Turns a `tile.alloc` with `versions = V` into a buffer with a leading
    dimension of `V`. In a planned `tile.pipeline` each iteration uses the
    version of its number modulo `V`:

    ```mlir
    %b = tile.alloc {versions = 3 : i64} : memref<64xf32, #tile.space<shared>>
    tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 3> {
      tile.copy %A[%k, 0] to %b {tile.stage = #tile.stage<0, order = 1>} : ...
      ...
    }
    ```
    becomes
    ```mlir
    %b = tile.alloc : memref<3x64xf32, #tile.space<shared>>
    tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 3> {
      %i = tile.iteration %k
      %r = arith.remui %i, %c3 : index
      %v = tile.slot %b[%r] : memref<3x64xf32, ...> -> memref<64xf32, ...>
      tile.copy %A[%k, 0] to %v {tile.stage = #tile.stage<0, order = 1>} : ...
      ...
    }
    ```
    Code outside planned loops uses the *current* version: version 0 at first,
    and after a planned loop of `n` iterations the one of its last iteration,
    `n > 0 ? (n - 1) mod V : (as before)`. A view that was made for another
    version than the one an access needs is made again at the access.

    Afterwards no `tile.alloc` has `versions`. A buffer whose versions cannot be
    followed (it escapes through a branch, a call result, or a planned loop that
    is nested deeper than code outside which needs the contents) is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilepipe::tile::TileDialect"];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Number of buffers that got versions">,
    Statistic<"numBytes", "bytes added", "Bytes that the versions add">,
    Statistic<"numViews", "views remade", "Views made again at an access">
  ];
}

#endif // TILEPIPE_DIALECT_TILE_TRANSFORMS_PASSES_TD
