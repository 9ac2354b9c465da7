// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-opt %s --pipeline-planning -verify-diagnostics -o /dev/null

// Elements of an on-chip tile are updated by atomics and then read rotated, in
// each iteration.
// Field case WAIT-18.

// CHECK: @read_after_atomic_on_a_tile
// CHECK-NEXT: loop: serial
// CHECK-NEXT: versions: none

#shared = #tile.space<shared>

func.func @read_after_atomic_on_a_tile(%out: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %n = memref.dim %out, %c0 : memref<?x16xf32>
  // expected-remark @below {{loop is not pipelined: no statement of it only copies global memory to a tile}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.map (%j) in [16] {
      %to = arith.subi %c15, %j : index
      memref.store %zero, %S[%to] : memref<16xf32, #shared>
    }
    tile.map (%j) in [16] {
      tile.atomic <add> %one, %S[%j] : f32, memref<16xf32, #shared>
    }
    tile.map (%j) in [16] {
      %r = arith.addi %j, %c4 : index
      %from = arith.remui %r, %c16 : index
      %x = memref.load %S[%from] : memref<16xf32, #shared>
      memref.store %x, %out[%k, %j] : memref<?x16xf32>
    }
  }
  return
}
