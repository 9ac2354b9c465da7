// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning --inject-software-pipeline | FileCheck %s --check-prefix=STORE

// The store of an output tile is asynchronous too: the tile is not written
// again before the store issued depth iterations ago has read it.
// Field case WAIT-07.

// CHECK: @output_tile_waits_for_its_store
// CHECK-NEXT: loop: depth 2 stage [0, 2, 2] order [1, 0, 2]
// CHECK-NEXT: versions: S:2
// CHECK: @store_in_a_later_stage
// CHECK-NEXT: loop: depth 3 stage [0, 1, 2] order [2, 1, 0]
// CHECK-NEXT: versions: none

// STORE: tile.async.copy {{.*}}shared>> to memref<?x16xf32>

#shared = #tile.space<shared>

#toy = #tile.target<"toy", memories = [],
    transfers = [#tile.transfer<global to shared, unit = "load", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>,
                 #tile.transfer<shared to global, unit = "store", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>],
    units = []>

module attributes {tile.target = #toy} {
func.func @output_tile_waits_for_its_store(%A: memref<?x16xf32>,
                                           %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %O = tile.alloc {name = "O"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %y = arith.mulf %x, %two : f32
      memref.store %y, %O[%j] : memref<16xf32, #shared>
    }
    tile.copy %O to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

func.func @store_in_a_later_stage(%A: memref<?x16xf32>,
                                  %out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %O = tile.alloc {name = "O"} : memref<16xf32, #shared>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1, 2] order = [2, 1, 0] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %y = arith.mulf %x, %two : f32
      memref.store %y, %O[%j] : memref<16xf32, #shared>
    }
    tile.copy %O to %out[%k, 0] sizes [16] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
}
