// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// A scalar is read back from the tile loaded in the same iteration and stored;
// ns=2.
//
//   for i in 0..8:
//     copy X[i] -> S
//     v = S[0]
//     Y[i] = v

// CHECK: @bind_reads_pipeline_buffer
// CHECK-NEXT: loop: depth 2 stage [0, 2, 2] order [1, 0, 2]
// CHECK-NEXT: versions: S:2

// WAITS: waits: 5 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>

func.func @bind_reads_pipeline_buffer(%X: memref<8x64xf32>,
                                      %Y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<64xf32, #shared>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    tile.copy %X[%i, 0] to %S : memref<8x64xf32> to memref<64xf32, #shared>
    %v = memref.load %S[%c0] : memref<64xf32, #shared>
    memref.store %v, %Y[%i] : memref<8xf32>
  }
  return
}
