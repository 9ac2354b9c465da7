// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// A pipelined loop inside a while loop is planned as anywhere else.
// Field case NEST-02.

// CHECK: @pipeline_inside_while
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @pipeline_inside_while(%A: memref<?x8x16xf32>,
                                 %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %T = memref.dim %A, %c0 : memref<?x8x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  %end = scf.while (%t = %c0) : (index) -> index {
    %more = arith.cmpi slt, %t, %T : index
    scf.condition(%more) %t : index
  } do {
  ^bb0(%t: index):
    tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 2 {
      tile.copy %A[%t, %k, 0] to %S : memref<?x8x16xf32> to memref<16xf32, #shared>
      tile.map (%j) in [16] {
        %old = memref.load %acc[%j] : memref<16xf32, #fragment>
        %x = memref.load %S[%j] : memref<16xf32, #shared>
        %new = arith.addf %old, %x : f32
        memref.store %new, %acc[%j] : memref<16xf32, #fragment>
      }
    }
    %next = arith.addi %t, %c1 : index
    scf.yield %next : index
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}
