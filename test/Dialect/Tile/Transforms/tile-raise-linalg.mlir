// RUN: tile-opt %s --tile-raise-linalg --canonicalize | FileCheck %s
// RUN: tile-opt %s --pipeline-planning --tile-raise-linalg | FileCheck %s --check-prefix=PLANNED

// CHECK-LABEL: func @named
// CHECK:       tile.fill %arg2 with
// CHECK:       tile.copy %arg0 to %arg3 : memref<8x4xf16> to memref<8x4xf16>
// CHECK:       tile.copy %arg3 to %arg0 : memref<8x4xf16> to memref<8x4xf16>
// CHECK:       tile.gemm %arg0, %arg1, %arg2 :
// CHECK-NOT:   linalg
func.func @named(%a: memref<8x4xf16>, %b: memref<4x8xf16>, %c: memref<8x8xf32>, %d: memref<8x4xf16>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  linalg.copy ins(%a : memref<8x4xf16>) outs(%d : memref<8x4xf16>)
  memref.copy %d, %a : memref<8x4xf16> to memref<8x4xf16>
  linalg.matmul ins(%a, %b : memref<8x4xf16>, memref<4x8xf16>) outs(%c : memref<8x8xf32>)
  return
}

// Rows are independent, columns are summed one after the other.
// CHECK-LABEL: func @generic
// CHECK:       %[[N:.*]] = memref.dim %arg0
// CHECK:       tile.map (%[[I:.*]]) in [%[[N]]] {
// CHECK-NEXT:    scf.for %[[J:.*]] = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %[[X:.*]] = memref.load %arg0[%[[I]], %[[J]]]
// CHECK-NEXT:      %[[S:.*]] = memref.load %arg1[%[[I]]]
// CHECK-NEXT:      %[[K:.*]] = arith.index_cast %[[J]]
// CHECK-NEXT:      %[[F:.*]] = arith.sitofp %[[K]]
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[X]], %[[F]]
// CHECK-NEXT:      %[[R:.*]] = arith.addf %[[S]], %[[P]]
// CHECK-NEXT:      memref.store %[[R]], %arg1[%[[I]]]
func.func @generic(%x: memref<?x4xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x4xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %p = arith.mulf %a, %f : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  }
  return
}

// CHECK-LABEL: func @transposed
// CHECK:       tile.map (%[[I:.*]], %[[J:.*]]) in [8, 8] {
// CHECK:         scf.for %[[K:.*]] =
// CHECK:           memref.load %arg0[%[[K]], %[[I]]]
func.func @transposed(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<8x8xf32>) {
  linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                                 affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : memref<4x8xf32>, memref<4x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// CHECK-LABEL: func @tensors
// CHECK:       linalg.fill
func.func @tensors(%t: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
  %r = linalg.fill ins(%x : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// What was planned goes along.
// PLANNED-LABEL: func @planned
// PLANNED:       tile.pipeline
// PLANNED:         tile.copy {{.*}}tile.stage = #tile.stage<0, order = 0>
// PLANNED:         tile.map
// PLANNED:         } {tile.stage = #tile.stage<1, order = 1>}
func.func @planned(%A: memref<64x4xf32>, %C: memref<4xf32, #tile.space<fragment>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = tile.alloc : memref<4xf32, #tile.space<shared>>
  tile.pipeline %k = %c0 to %c64 step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %a : memref<64x4xf32> to memref<4xf32, #tile.space<shared>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : memref<4xf32, #tile.space<shared>>) outs(%C : memref<4xf32, #tile.space<fragment>>) {
    ^bb0(%x: f32, %s: f32):
      %r = arith.addf %s, %x : f32
      linalg.yield %r : f32
    }
  }
  return
}
