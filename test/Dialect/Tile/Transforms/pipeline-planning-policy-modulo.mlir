// RUN: tile-opt %s -split-input-file --pipeline-planning='policy=modulo remarks=false' | FileCheck %s

// A copy keeps the copy engine busy for 1 + 1024 / 64 = 17 cycles, and its data
// arrives 30 cycles later; the gemm takes 16 * 16 * 16 / 256 = 16 cycles.
#toy = #tile.target<"toy", memories = [],
  transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>,
               #tile.transfer<shared to global, unit = "store", async = false, issue = 1, latency = 30, bytes_per_cycle = 64>],
  units = [#tile.unit<tensor, ops_per_cycle = 256, latency = 0>]>
#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Two copies bound the interval: 34 cycles. The gemm runs from cycle 64 to 80, so
// that As is in use for 80 cycles, and Bs, which follows, for 63.
module attributes {tile.target = #toy} {
// CHECK-LABEL: func @gemm
// CHECK: name = "As", versions = 3
// CHECK: name = "Bs", versions = 2
// CHECK: depth = 3, ii = 34
// CHECK: tile.copy {{.*}}stage<0, order = 0>
// CHECK: tile.copy {{.*}}stage<0, order = 1>
// CHECK: tile.gemm {{.*}}stage<1, order = 2>
func.func @gemm(%A: memref<?x16x16xf32>, %B: memref<?x16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc {name = "As"} : memref<16x16xf32, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x16xf32, #shared>
  %C = tile.alloc {name = "C"} : memref<16x16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0, 0] to %As : memref<?x16x16xf32> to memref<16x16xf32, #shared>
    tile.copy %B[%k, 0, 0] to %Bs : memref<?x16x16xf32> to memref<16x16xf32, #shared>
    tile.gemm %As, %Bs, %C : memref<16x16xf32, #shared>, memref<16x16xf32, #shared>, memref<16x16xf32, #fragment>
  }
  return
}
}

// -----

#toy = #tile.target<"toy", memories = [],
  transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>,
               #tile.transfer<shared to global, unit = "store", async = false, issue = 1, latency = 30, bytes_per_cycle = 64>],
  units = []>
#shared = #tile.space<shared>

// Load and store run on units of their own: 2 cycles each. With four versions a
// version is in use for 32 + 2 of every 4 * ii cycles: 9 cycles per iteration.
module attributes {tile.target = #toy} {
// CHECK-LABEL: func @stream
// CHECK: name = "S", versions = 4
// CHECK: depth = 4, ii = 9
// CHECK: tile.copy {{.*}}stage<0
// CHECK: tile.copy {{.*}}stage<3
func.func @stream(%X: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 4 {
    tile.copy %X[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
}

// -----

#shared = #tile.space<shared>

// The store feeds the next load: no interval is shorter than the chain, so the
// loop stays serial.
// CHECK-LABEL: func @recurrence
// CHECK-NOT: versions
// CHECK-NOT: schedule
// CHECK-NOT: tile.stage
// CHECK: return
func.func @recurrence(%X: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 4 {
    tile.copy %X[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    %j = arith.addi %k, %c1 : index
    tile.copy %S to %X[%j, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#toy = #tile.target<"toy", memories = [],
  transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>],
  units = [#tile.unit<tensor, ops_per_cycle = 16, latency = 0>]>
#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// The gemm takes 256 cycles, in which a whole iteration fits: all starts lie in one
// interval. Statements are issued in order, so the copies still run ahead.
module attributes {tile.target = #toy} {
// CHECK-LABEL: func @copies_are_hidden
// CHECK: depth = 3, ii = 256
// CHECK: tile.copy {{.*}}stage<0, order = 0>
// CHECK: tile.gemm {{.*}}stage<2, order = 1>
func.func @copies_are_hidden(%A: memref<?x16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc {name = "As"} : memref<16x16xf32, #shared>
  %C = tile.alloc {name = "C"} : memref<16x16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0, 0] to %As : memref<?x16x16xf32> to memref<16x16xf32, #shared>
    tile.gemm %As, %As, %C : memref<16x16xf32, #shared>, memref<16x16xf32, #shared>, memref<16x16xf32, #fragment>
  }
  return
}
}
