// RUN: tile-opt %s --explain | FileCheck %s
// RUN: tile-opt %s --tile-explain -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-opt %s --tile-explain=policy=modulo -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODULO
// RUN: tile-opt %s --explain | FileCheck %s --check-prefix=NOIR
// RUN: tile-opt %s --tile-explain 2>/dev/null | FileCheck %s --check-prefix=IR
// RUN: tile-opt %s --pipeline-planning 2>/dev/null | tile-opt --explain | FileCheck %s --check-prefix=PLANNED

// Only the explanation with --explain; the pass leaves the IR alone.
// NOIR-NOT: func.func
// IR: tile.pipeline {{.*}} num_stages = 3
// IR-NOT: tile.stage

#toy = #tile.target<"toy",
  memories = [#tile.memory<shared, capacity = 65536, align = 16>],
  transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 300, bytes_per_cycle = 64>],
  units = [#tile.unit<tensor, ops_per_cycle = 256, latency = 16>, #tile.unit<vector, ops_per_cycle = 32, latency = 4>]>
#shared = #tile.space<shared>
module attributes {tile.target = #toy} {

// CHECK-LABEL: function gemm on toy
// CHECK-NEXT: loop at {{.*}}tile-explain.mlir:[[#@LINE+20]]:3: depth 3, 8 iterations
// CHECK-NEXT: order  stage  statement
// CHECK-NEXT: 0      0  copy %arg0 into As   {{ *}}[[#@LINE+19]]:5  asynchronous
// CHECK-NEXT: 1      0  copy %arg1 into Bs   {{ *}}[[#@LINE+19]]:5  synchronous: {{.+}}
// CHECK-NEXT: 2      2  gemm As, Bs into Cl  {{ *}}[[#@LINE+19]]:5{{$}}
// CHECK-NEXT: buffer As: 3 versions of 2048 bytes = 6144 bytes of shared
// CHECK-NEXT: buffer Bs: 3 versions of 2048 bytes = 6144 bytes of shared
// CHECK-NEXT: buffer Cl: 1 version of 4096 bytes = 4096 bytes of fragment (shared by iterations: {{.+}})
// CHECK-NEXT: waits: {{[0-9]+}} before relaxation, {{[0-9]+}} after (groups that may stay in flight: {{.*}}0); commits: 3
// CHECK-NEXT: memory shared: 12288 bytes of 65536 (18 %)
// CHECK-NEXT: memory fragment: 4096 bytes{{$}}
// PLANNED-LABEL: function gemm on toy
// PLANNED-NEXT: loop at {{.*}}: depth 3, 8 iterations
func.func @gemm(%A: memref<32x256xf16>, %B: memref<256x32xf32>, %out: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c32 = arith.constant 32 : index
  %As = tile.alloc {name = "As"} : memref<32x32xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<32x32xf16, #shared>
  %Cf = tile.alloc {name = "Cl"} : memref<32x32xf32, #tile.space<fragment>>
  tile.pipeline %k = %c0 to %c256 step %c32 num_stages = 3 {
    tile.copy %A[0, %k] to %As : memref<32x256xf16> to memref<32x32xf16, #shared>
    tile.copy %B[%k, 0] to %Bs : memref<256x32xf32> to memref<32x32xf16, #shared>
    tile.gemm %As, %Bs, %Cf : memref<32x32xf16, #shared>, memref<32x32xf16, #shared>, memref<32x32xf32, #tile.space<fragment>>
  }
  tile.copy %Cf to %out : memref<32x32xf32, #tile.space<fragment>> to memref<32x32xf32>
  return
}

// With a machine model there is a number of cycles between iterations.
// MODULO-LABEL: function modelled on toy
// MODULO-NEXT: loop at {{.*}}: depth 3, initiation interval {{[1-9][0-9]*}} cycles
func.func @modelled(%A: memref<32x?xf16>, %B: memref<?x32xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %As = tile.alloc {name = "As"} : memref<32x32xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<32x32xf16, #shared>
  %Cf = tile.alloc {name = "Cl"} : memref<32x32xf32, #tile.space<fragment>>
  tile.pipeline %k = %c0 to %n step %c32 num_stages = 3 {
    tile.copy %A[0, %k] to %As : memref<32x?xf16> to memref<32x32xf16, #shared>
    tile.copy %B[%k, 0] to %Bs : memref<?x32xf16> to memref<32x32xf16, #shared>
    tile.gemm %As, %Bs, %Cf : memref<32x32xf16, #shared>, memref<32x32xf16, #shared>, memref<32x32xf32, #tile.space<fragment>>
  }
  return
}

// A loop that stays serial says why.
// CHECK-LABEL: function recurrence on toy
// CHECK-NEXT: loop at {{.*}}:[[#@LINE+9]]:3: serial{{$}}
// CHECK-NEXT: order  stage  statement
// CHECK-NEXT: -      -  map %arg0 into %arg0
// CHECK-NOT: waits
// CHECK: remark at {{.*}}: loop is not pipelined: {{.+}}
// CHECK-NOT: remark
func.func @recurrence(%x: memref<?xf32>, %n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.map (%i) in [4] {
      %v = memref.load %x[%k] : memref<?xf32>
      %w = arith.addf %v, %f : f32
      memref.store %w, %x[%k] : memref<?xf32>
    }
  }
  return
}

// Nothing to say: no line.
// CHECK-NOT: function nothing
func.func @nothing() {
  return
}
}
