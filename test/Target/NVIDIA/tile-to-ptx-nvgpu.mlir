// RUN: tile-translate %s --tile-to-ptx -o %t.64.ptx
// RUN: FileCheck %s --input-file=%t.64.ptx
// RUN: tile-translate %s --tile-to-ptx --index-bitwidth=32 -o %t.32.ptx
// RUN: FileCheck %s --input-file=%t.32.ptx
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --line-info=false | FileCheck %s --check-prefix=SM90A
// RUN: tile-opt %s --tile-to-ptx --mlir-print-debuginfo | tile-translate --tile-to-ptx | FileCheck %s
// RUN: %if ptxas %{ ptxas -arch=sm_80 -v %t.64.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS %}
// RUN: %if ptxas %{ ptxas -arch=sm_80 -v %t.32.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS %}

// PTXAS-NOT: {{[Ww]arning|error}}
// PTXAS: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// PTXAS-NOT: {{[Ww]arning|error}}

// SM90A: .target sm_90a
// SM90A-NOT: .loc

// A double-buffered product of a warp: 16x8 results, 16 of k a step.

#shared = #gpu.address_space<workgroup>

// CHECK: .target sm_80
// CHECK: .extern .shared .align 1024 .b8 tilepipe_smem[];
// CHECK-LABEL: .visible .entry gemm(
// CHECK-NEXT: .param .u64 .ptr .global .align 16 gemm_param_0,
// CHECK-NEXT: .param .u64 gemm_param_1,
// CHECK-NEXT: .param .u64 gemm_param_2,
// CHECK-NEXT: .param .u64 .ptr .global .align 16 gemm_param_3,
// CHECK-NEXT: .param .u64 .ptr .global .align 16 gemm_param_4
// CHECK-NEXT: )
// CHECK-NEXT: .reqntid 32, 1, 1
// CHECK: .loc 1
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
// CHECK: cp.async.commit_group;
// One barrier and one group an iteration, no memory for the accumulators.
// CHECK-NOT: {{(ld|st)}}.local
// CHECK-DAG: cp.async.commit_group;
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
// CHECK-DAG: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-DAG: cp.async.wait_group {{ *}}0;
// CHECK-DAG: bar.sync {{ *}}0;
// CHECK-DAG: cp.async.cg.shared.global [{{.*}}+1024], [{{.*}}], 16;
// CHECK-NOT: bar.sync
// CHECK-NOT: {{(ld|st)}}.local
// CHECK: st.global.v2.b32
// CHECK: ret;
// CHECK: .file 1 "{{.*}}tile-to-ptx-nvgpu.mlir"
module {
  gpu.module @gemm_module {
    memref.global "public" @tilepipe_smem : memref<0xi8, #shared> {alignment = 1024}
    gpu.func @gemm(%A: memref<?x?xf16>, %B: memref<16384x8xf16>, %C: memref<16x8xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tilepipe.shared_bytes = 1536 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c1024 = arith.constant 1024 : index
      %zero = arith.constant dense<0.0> : vector<2xf32>
      %K = memref.dim %A, %c1 : memref<?x?xf16>
      %steps = arith.divui %K, %c16 : index
      %smem = memref.get_global @tilepipe_smem : memref<0xi8, #shared>
      %As = memref.view %smem[%c0][] : memref<0xi8, #shared> to memref<2x16x16xf16, #shared>
      %Bs = memref.view %smem[%c1024][] : memref<0xi8, #shared> to memref<2x16x8xf16, #shared>
      %acc = memref.alloca() : memref<4xf32>
      vector.store %zero, %acc[%c0] : memref<4xf32>, vector<2xf32>
      vector.store %zero, %acc[%c2] : memref<4xf32>, vector<2xf32>
      %lane = gpu.thread_id x
      %row = arith.divui %lane, %c2 : index
      %half = arith.remui %lane, %c2 : index
      %column = arith.muli %half, %c8 : index
      %t0 = nvgpu.device_async_copy %A[%row, %column], %As[%c0, %row, %column], 8 {bypassL1} : memref<?x?xf16> to memref<2x16x16xf16, #shared>
      %t1 = nvgpu.device_async_copy %B[%row, %c0], %Bs[%c0, %row, %c0], 8 {bypassL1} : memref<16384x8xf16> to memref<2x16x8xf16, #shared>
      %g0 = nvgpu.device_async_create_group %t0, %t1
      scf.for %k = %c0 to %steps step %c1 {
        nvgpu.device_async_wait %g0 {numGroups = 0 : i32}
        gpu.barrier
        %slot = arith.remui %k, %c2 : index
        %next = arith.addi %k, %c1 : index
        %there = arith.remui %next, %c2 : index
        %more = arith.cmpi ult, %next, %steps : index
        scf.if %more {
          %k16 = arith.muli %next, %c16 : index
          %ak = arith.addi %k16, %column : index
          %bk = arith.addi %k16, %row : index
          %u0 = nvgpu.device_async_copy %A[%row, %ak], %As[%there, %row, %column], 8 {bypassL1} : memref<?x?xf16> to memref<2x16x16xf16, #shared>
          %u1 = nvgpu.device_async_copy %B[%bk, %c0], %Bs[%there, %row, %c0], 8 {bypassL1} : memref<16384x8xf16> to memref<2x16x8xf16, #shared>
        }
        %g = nvgpu.device_async_create_group %t0
        %r16 = arith.remui %lane, %c16 : index
        %d16 = arith.divui %lane, %c16 : index
        %c = arith.muli %d16, %c8 : index
        %a = nvgpu.ldmatrix %As[%slot, %r16, %c] {numTiles = 4 : i32, transpose = false} : memref<2x16x16xf16, #shared> -> vector<4x2xf16>
        %b = nvgpu.ldmatrix %Bs[%slot, %r16, %c0] {numTiles = 2 : i32, transpose = true} : memref<2x16x8xf16, #shared> -> vector<2x2xf16>
        %x0 = vector.load %acc[%c0] : memref<4xf32>, vector<2xf32>
        %x1 = vector.load %acc[%c2] : memref<4xf32>, vector<2xf32>
        %p = ub.poison : vector<2x2xf32>
        %y = vector.insert %x0, %p [0] : vector<2xf32> into vector<2x2xf32>
        %z = vector.insert %x1, %y [1] : vector<2xf32> into vector<2x2xf32>
        %d = nvgpu.mma.sync (%a, %b, %z) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d0 = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
        %d1 = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
        vector.store %d0, %acc[%c0] : memref<4xf32>, vector<2xf32>
        vector.store %d1, %acc[%c2] : memref<4xf32>, vector<2xf32>
      }
      %g4 = arith.divui %lane, %c4 : index
      %q4 = arith.remui %lane, %c4 : index
      %col = arith.muli %q4, %c2 : index
      %below = arith.addi %g4, %c8 : index
      %e0 = vector.load %acc[%c0] : memref<4xf32>, vector<2xf32>
      %e1 = vector.load %acc[%c2] : memref<4xf32>, vector<2xf32>
      vector.store %e0, %C[%g4, %col] {alignment = 8} : memref<16x8xf32>, vector<2xf32>
      vector.store %e1, %C[%below, %col] {alignment = 8} : memref<16x8xf32>, vector<2xf32>
      gpu.return
    }
  }
}
