// RUN: tile-translate %s --tile-to-ptx --chip=sm_80 -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=ONE
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --pipeline-planning | tile-translate --tile-to-ptx --line-info=false -o %t.planned.ptx
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --pipeline-planning --inject-software-pipeline=form=prologue | tile-translate --tile-to-ptx --line-info=false -o %t.injected.ptx
// RUN: diff %t.planned.ptx %t.injected.ptx
// RUN: tile-opt %s --tile-to-ptx="chip=sm_80 form=predicated policy=modulo" | tile-translate --tile-to-ptx -o %t.predicated.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_80 -v %t.predicated.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS %}
// RUN: not tile-opt %s --tile-to-ptx=chip=sm_9 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: unknown chip 'sm_9'
// RUN: %if ptxas %{ ptxas -arch=sm_80 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS %}

// Registers hold everything, for 128 and for 256 threads.
// PTXAS-NOT: {{[Ww]arning|error}}
// PTXAS-COUNT-2: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// PTXAS-NOT: {{[Ww]arning|error}}

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Sizes are static, so indices and addresses of shared memory have 32 bits.
// CHECK-LABEL: .visible .entry gemm128(
// CHECK: .reqntid 128, 1, 1
// CHECK: cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16;
// CHECK-NOT: {{(ld|st)}}.local
// The steady loop, whose blocks may come in any order: counted waits, one
// barrier, one group, and no copy that tests whether it is inside: its guard
// says so.
// CHECK-DAG: .pragma "nounroll";
// CHECK-DAG: cp.async.wait_group {{ *}}1;
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-DAG: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// ONE-LABEL: .visible .entry gemm128(
// ONE-NOT: cp.async.cg.shared.global [{{.*}}], 16, %
// ONE: bar.sync {{ *}}0;
// ONE-NOT: bar.sync
// ONE-NOT: cp.async.cg.shared.global [{{.*}}], 16, %
// ONE-LABEL: .visible .entry gemm256(
// CHECK-LABEL: .visible .entry gemm256(
// CHECK: .reqntid 256, 1, 1

func.func @gemm128(%A: memref<512x512xf16>, %B: memref<512x512xf16>, %C: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  tile.launch (%by, %bx) in [%c4, %c4] threads = 128 {
    %row = arith.muli %by, %c128 : index
    %column = arith.muli %bx, %c128 : index
    %As = tile.alloc : memref<128x32xf16, #shared>
    %Bs = tile.alloc : memref<32x128xf16, #shared>
    %Cl = tile.alloc : memref<128x128xf32, #fragment>
    tile.fill %Cl with %zero : f32, memref<128x128xf32, #fragment>
    tile.pipeline %ko = %c0 to %c16 step %c1 num_stages = 3 {
      %k = arith.muli %ko, %c32 : index
      tile.copy %A[%row, %k] to %As : memref<512x512xf16> to memref<128x32xf16, #shared>
      tile.copy %B[%k, %column] to %Bs : memref<512x512xf16> to memref<32x128xf16, #shared>
      tile.gemm %As, %Bs, %Cl : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #fragment>
    }
    tile.copy %Cl to %C[%row, %column] : memref<128x128xf32, #fragment> to memref<512x512xf32>
  }
  return
}

func.func @gemm256(%A: memref<512x512xf16>, %B: memref<512x512xf16>, %C: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  tile.launch (%by, %bx) in [%c4, %c4] threads = 256 {
    %row = arith.muli %by, %c128 : index
    %column = arith.muli %bx, %c128 : index
    %As = tile.alloc : memref<128x32xf16, #shared>
    %Bs = tile.alloc : memref<32x128xf16, #shared>
    %Cl = tile.alloc : memref<128x128xf32, #fragment>
    tile.fill %Cl with %zero : f32, memref<128x128xf32, #fragment>
    tile.pipeline %ko = %c0 to %c16 step %c1 num_stages = 3 {
      %k = arith.muli %ko, %c32 : index
      tile.copy %A[%row, %k] to %As : memref<512x512xf16> to memref<128x32xf16, #shared>
      tile.copy %B[%k, %column] to %Bs : memref<512x512xf16> to memref<32x128xf16, #shared>
      tile.gemm %As, %Bs, %Cl : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #fragment>
    }
    tile.copy %Cl to %C[%row, %column] : memref<128x128xf32, #fragment> to memref<512x512xf32>
  }
  return
}
