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

def AscendInsertFlags : Pass<"ascend-insert-flags", "::mlir::ModuleOp"> {
  let summary = "order the pipes by flags and barriers";
  let description = [{
    Adds to `ascend.func`s that hold pipe instructions in program order what
    makes the pipes keep to it. A buffer belongs to one pipe at a time. Where it
    passes from pipe `p` to pipe `q`, `p` sets a flag after its last access and `q`
    waits for it before its first one.

    * A buffer with versions (`tile.slot`) has one flag for each version and
      direction. Which pipe has a version before and after a use is found by
      following all control paths. Flags that the first uses wait for are set at
      the start and waited for at the end.
    * A buffer without versions is followed through `scf.for` and `scf.if`; where
      paths meet, all agree on its owner. The same is done for buffers with
      versions whose uses do not take turns.
    * Buffers that are always passed on together share flags, and flags that
      others imply are dropped.
    * Accesses of one pipe that it would not order itself get a barrier.
    * Global memory is treated alike where a function reads and writes it, and
      arguments marked `ascend.workspace` get cross-core signals, in both
      directions where they are used in a loop. The address of their counters
      becomes the last argument, `tp_ffts_address`.

    Before:
    ```mlir
    scf.for %i = %c0 to %n step %c1 {
      ascend.load %X[%o] to %x[%c0] ...
      ascend.vunary <exp> %x[%c0], %x[%c0] ...
    }
    ```
    After:
    ```mlir
    ascend.set_flag <v> to <mte2> id 0
    scf.for %i = %c0 to %n step %c1 {
      ascend.wait_flag <v> to <mte2> id 0
      ascend.load %X[%o] to %x[%c0] ...
      ascend.set_flag <mte2> to <v> id 0
      ascend.wait_flag <mte2> to <v> id 0
      ascend.vunary <exp> %x[%c0], %x[%c0] ...
      ascend.set_flag <v> to <mte2> id 0
    }
    ascend.wait_flag <v> to <mte2> id 0
    ascend.barrier <all>
    ```

    Where a pair of pipes would need more than `max-ids` flags, buffers with
    versions are followed as a whole, with a remark; it is an error if that is not
    enough.
  }];
  let options = [
    Option<"maxIds", "max-ids", "int64_t", "6",
           "flags that an ordered pair of pipes may use, at most 8">
  ];
  let statistics = [
    Statistic<"numFlags", "flags", "Flags set at some place">,
    Statistic<"numBarriers", "barriers", "Barriers inserted">,
    Statistic<"numDropped", "dropped", "Flags dropped because others imply them">
  ];
  let dependentDialects = ["::tilepipe::ascend::AscendDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def AscendVerifyFlags : Pass<"ascend-verify-flags", "::mlir::ModuleOp"> {
  let summary = "prove that flags order all accesses";
  let description = [{
    For each `ascend.func`: no two accesses of a buffer, one of them a write, are
    without order; no flag is set while it may be set, waited for without a set
    before, or set at the end; and counts and strides fit their instructions.
    Holds for every control path: flags depend on a trip count only through
    comparisons with small constants and remainders by numbers of versions, and
    all values up to these are run (see docs/ascend.md). Cross-core signals of a
    kernel must be given and waited for in as many loops and outside of branches.
    Changes nothing.
  }];
  let statistics = [
    Statistic<"numPaths", "paths", "Control paths run">
  ];
}

def TileAssignSpaces : Pass<"tile-assign-spaces", "::mlir::ModuleOp"> {
  let summary = "choose the memory of an AI core that holds each tile";
  let description = [{
    Rewrites `shared` and `fragment` buffers where the target has L1 and UB: what
    a gemm reads goes to `l1`, sums of a gemm to `l0c`, everything else to `ub`.
    Cells of rank 0 that only scalar code uses stay `fragment`. Runs in the source
    phase, so that planning sees the real paths.

    * Rows of tiles in UB that are no multiple of 32 bytes are padded: the tile
      becomes a view of a larger one.
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
    Statistic<"numUB", "ub", "Buffers in UB">,
    Statistic<"numPadded", "padded", "Buffers in UB with padded rows">
  ];
}

def ConvertTileToAscend : Pass<"convert-tile-to-ascend", "::mlir::ModuleOp"> {
  let summary = "lower injected tile IR to instructions of AI cores";
  let description = [{
    Each `tile.launch` becomes an `ascend.func` (two, `<name>_mix_aic` and
    `<name>_mix_aiv`, where it needs both kinds of cores) with the arguments of its
    function. Instructions stand in the order of the injected program, with its
    slots; tokens and waits vanish, because flags are found again from what the
    instructions access.

    * Copies move what lies in global memory; what a tile has beyond is set to the
      fill value. Sums leave L0C through FIX, which rounds and clamps.
    * A gemm is split along k into steps that use two slots of L0 in turn. The
      first gemm after a fill with zero starts the sums.
    * Maps and reductions become vector instructions over the whole tile.

    ```mlir
    tile.copy %A[%i, %k] to %As : memref<128x64xf16> to memref<32x64xf16, #tile.space<l1>>
    tile.gemm %As, %Bs, %C {transpose_b} : ...
    ```
    becomes
    ```mlir
    ascend.nd2nz %A[%o] to %As[%c0] rows %c32 columns %c64 stride %c64 pitch %c32 : ...
    ascend.load_l0 %As[%c0] to %a[%c0] repeat %c2 stride %c2 gap %c0 : ...
    ascend.load_l0 %Bs[%c0] to %b[%c0] repeat %c4 stride %c1 gap %c0 : ...
    ascend.mma %C[%c0], %a[%c0], %b[%c0] m %c32 k %c32 n %c32 init %first : ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::tilepipe::ascend::AscendDialect",
    "::tilepipe::tile::TileDialect"
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Launches that became kernels">
  ];
}

#endif // TILEPIPE_TARGET_ASCEND_PASSES_TD
