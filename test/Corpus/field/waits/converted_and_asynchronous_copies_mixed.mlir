// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// One operand needs a conversion and is copied by the threads, the other is
// asynchronous, and the length is no multiple of the tile.
// Field case WAIT-11.

// CHECK: @converted_and_asynchronous_copies_mixed
// CHECK-NEXT: loop: depth 3 stage [0, 0, 2] order [0, 1, 2]
// CHECK-NEXT: versions: SQ:3 Sd:3

#shared = #tile.space<shared>

func.func @converted_and_asynchronous_copies_mixed(%Q: memref<?xf32>,
                                                   %d: memref<?xf16>,
                                                   %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %SQ = tile.alloc {name = "SQ"} : memref<16xf32, #shared>
  %Sd = tile.alloc {name = "Sd"} : memref<16xf32, #shared>
  %N = memref.dim %Q, %c0 : memref<?xf32>
  %n = arith.ceildivui %N, %c16 : index
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    %at = arith.muli %k, %c16 : index
    %left = arith.subi %N, %at : index
    %size = arith.minsi %left, %c16 : index
    tile.copy %Q[%at] to %SQ : memref<?xf32> to memref<16xf32, #shared>
    tile.copy %d[%at] to %Sd : memref<?xf16> to memref<16xf32, #shared>
    tile.map (%j) in [%size] {
      %a = memref.load %SQ[%j] : memref<16xf32, #shared>
      %b = memref.load %Sd[%j] : memref<16xf32, #shared>
      %p = arith.mulf %a, %b : f32
      %to = arith.addi %at, %j : index
      memref.store %p, %out[%to] : memref<?xf32>
    }
  }
  return
}
