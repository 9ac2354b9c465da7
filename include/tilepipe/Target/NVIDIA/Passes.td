//===- Passes.td - Passes of the NVIDIA target -------------*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_NVIDIA_PASSES_TD
#define TILEPIPE_TARGET_NVIDIA_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerGPUToNVVM : Pass<"tile-lower-gpu-to-nvvm"> {
  let summary = "lower the code of one thread to the llvm and nvvm dialects";
  let description = [{
    One conversion of everything inside of `gpu.module`s: the gpu, nvgpu, memref,
    vector, arith, math, index, scf, cf, ub and func dialects, with one type
    converter, so that indices have the same width everywhere. It runs on a
    `gpu.module` or on anything that holds some.

    * A kernel takes, for each memref, a pointer to global memory, then its
      dynamic sizes and then its dynamic strides as `i64`; scalars come by value,
      `index` as `i64`. Different memrefs do not overlap and are 16-byte aligned.
    * `known_block_size` becomes `nvvm.reqntid`.
    * Memory spaces: `global` is 1, `workgroup` (and `#tile.space<shared>`) is 3.
    * Mathematical functions need no libdevice: those of single precision become
      instructions or polynomials; half precision is computed in single precision.
      A function that has neither is an error.
    * Atomic updates are relaxed and device-wide.
    * Stack buffers move to the entry block, where LLVM makes registers of them.
    * Indices have 32 bits where all memrefs of a kernel have static shapes of at
      most 2^30 elements; the data layout of the module tells the width.

    ```mlir
    gpu.func @k(%x: memref<?xf32>, %v: f32) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %t = gpu.thread_id x
      memref.store %v, %x[%t] : memref<?xf32>
      gpu.return
    }
    ```
    becomes
    ```mlir
    llvm.func @k(%x: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %n: i64, %v: f32)
        attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %t = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
      %p = llvm.getelementptr inbounds|nuw %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      llvm.store %v, %p : f32, !llvm.ptr<1>
      llvm.return
    }
    ```
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "0",
           "width of index arithmetic: 32 or 64; 0: 32 where all offsets fit">,
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels lowered">,
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::DLTIDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect",
  ];
}

def HoistAsyncWaits : Pass<"tile-hoist-async-waits"> {
  let summary = "wait before the copies of a step and not behind them";
  let description = [{
    A wait that stands behind the asynchronous copies of its own step moves in
    front of them, and its `pending` count shrinks by the commits it passes, so
    that it waits for the same groups. One barrier between the wait and the
    copies then serves both: what the wait is for becomes visible to all
    threads, and all threads have read what the copies overwrite.

    A wait moves only in front of copies, commits and pure operations of its
    block; what has other effects stops it. Waits that would have to wait for a
    group of the passed commits themselves (`pending` smaller than their number)
    stay where they are.

    ```mlir
    %t = tile.async.copy %A[%i] to %w : ...
    %g = tile.async.commit %t
    tile.async.wait %old pending = 2
    tile.gemm %r, %B, %C : ...
    ```
    becomes
    ```mlir
    tile.async.wait %old pending = 1
    %t = tile.async.copy %A[%i] to %w : ...
    %g = tile.async.commit %t
    tile.gemm %r, %B, %C : ...
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "hoisted", "Waits moved in front of copies">,
  ];
  let dependentDialects = ["::tilepipe::tile::TileDialect"];
}

def InsertBarriers : Pass<"tile-insert-barriers"> {
  let summary = "put the barriers between statements that threads need";
  let description = [{
    The statements of a `tile.launch` are carried out by all threads of a block
    together. Where one touches memory that another one wrote since the last
    barrier, or writes what another one read, threads have to meet in between:
    the pass puts a `gpu.barrier` right in front of the second statement. Slots
    of a multi-buffered tile whose numbers differ by a constant are told apart,
    across iterations as well. Buffers that `--tile-allocate-memory` has put in
    the same place are one. A `tile.async.wait` counts as the write of the
    copies that it may complete, for each thread sees only its own copies then.

    The barriers are those that no execution can do without: each is at the
    latest place that serves all conflicts of the first statement that has one.
    Iterations of a loop are told apart by their distance, by constant bounds, and
    by the guards of predicated loops; branches that constants close are erased.

    ```mlir
    tile.copy %A[%i] to %s : ...
    tile.reduce <add> %s into %r dimension 0 : ...
    ```
    becomes
    ```mlir
    tile.copy %A[%i] to %s : ...
    gpu.barrier
    tile.reduce <add> %s into %r dimension 0 : ...
    ```
  }];
  let statistics = [
    Statistic<"numBarriers", "barriers", "Barriers inserted">,
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def TileDemoteFragments : Pass<"tile-demote-fragments", "::mlir::ModuleOp"> {
  let summary = "move fragments that registers cannot hold to shared memory";
  let description = [{
    A fragment stays in registers if one distribution over the threads of its
    `tile.launch` suits all its uses: fills, copies, sums of a gemm, sources and
    results of reductions, and accesses in maps at the coordinates of the points.
    Buffers that are used together element by element must agree, and so must a
    reduction and its result. Any other fragment becomes a shared buffer, with a
    remark that says why. Runs before barriers are placed and offsets given, so
    that both see an ordinary shared tile.

    ```mlir
    %f = tile.alloc {name = "f"} : memref<64xf32, #tile.space<fragment>>
    tile.map (%i) in [63] {
      %j = arith.addi %i, %c1 : index
      %x = memref.load %f[%j] : memref<64xf32, #tile.space<fragment>>
      ...
    ```
    becomes
    ```mlir
    %f = tile.alloc {name = "f"} : memref<64xf32, #tile.space<shared>>
    ```
    with `fragment 'f' lives in shared memory: an index is not a coordinate of
    the tile.map`.
  }];
  let dependentDialects = ["::tilepipe::tile::TileDialect"];
  let statistics = [
    Statistic<"numDemoted", "demoted", "Fragments moved to shared memory">,
  ];
}

def ConvertTileToNVGPU : Pass<"convert-tile-to-nvgpu", "::mlir::ModuleOp"> {
  let summary = "lower launches of tile operations to kernels of one thread";
  let description = [{
    Each `tile.launch` of a function, in injected IR with barriers and offsets,
    becomes a `gpu.func` that has the arguments of the function; what the launch
    uses of the function is computed again from them. The function is erased.

    * Shared tiles are views of one external array `@tilepipe_smem`, whose size
      is `tilepipe.shared_bytes`. Tiles that tensor cores read are swizzled.
    * Fragments are distributed over the threads (see `--tile-demote-fragments`);
      the registers of a thread are a `memref.alloca` with constant indices.
    * An asynchronous copy is `nvgpu.device_async_copy` in chunks of 16 bytes,
      or 4 or 8 where only that alignment is known; zeros outside of the source
      are filled in by the hardware. It is done at once, with a remark, where that
      is not possible. Tokens vanish: each commit is a commit of the hardware, and
      each wait counts.
    * A gemm of fp16 or bf16 tiles with fp32 sums is `nvgpu.ldmatrix` and
      `nvgpu.mma.sync`; any other one multiplies and adds in each thread.
    * A map deals its points out to the threads; a reduction combines within
      threads, then lanes, then, through shared memory, warps.
    * Statements outside of maps are carried out by every thread, stores of single
      elements to memory by the first one.
    * A barrier between statements in which the same thread touches each element
      goes, and one between statements in which threads of the same warp do becomes
      `nvvm.bar.warp.sync`: that is known only here. So is which copies complete at
      once; where all do, there are no groups.

    ```mlir
    tile.launch (%bx) in [%n] threads = 128 {
      tile.fill %s with %x : f32, memref<128xf32, #tile.space<shared>>
    }
    ```
    becomes
    ```mlir
    gpu.func @f(...) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %t = gpu.thread_id x upper_bound 128
      memref.store %x, %view[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels made">,
    Statistic<"numBarriersPruned", "barriers-pruned",
              "Barriers between statements in which threads keep their elements">,
  ];
}

#endif // TILEPIPE_TARGET_NVIDIA_PASSES_TD
