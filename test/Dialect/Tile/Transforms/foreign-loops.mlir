// REQUIRES: tile-run
// RUN: tile-opt %s --pipeline-planning --inject-software-pipeline --tile-verify-phase | FileCheck %s
// RUN: tile-run %s --entry copy_matmul --check '--args=_,_,_,0|1|2|3|7'
// RUN: tile-run %s --entry generic --check '--args=_,_,0|1|2|3|7'
// RUN: tile-run %s --entry vectors --check '--args=_,_,0|1|2|3|7'
// RUN: tile-run %s --entry vector_crosses --check '--args=_,_,0|1|2|3|7'
// RUN: tile-opt %s --tile-raise-scf-for -o %t.mlir
// RUN: tile-run %t.mlir --entry device_async --check '--args=_,_,0|1|2|3|7'

!G = memref<64x64xf32>
!S = memref<8x8xf32, #tile.space<shared>>
!W = memref<8x8xf32, 3>
!V = memref<8x8xf32, strided<[64, 1], offset: ?>>

// A loop without any operation of the dialect is pipelined as our own are.
// CHECK-LABEL: @copy_matmul
// CHECK-COUNT-2: memref<3x8x8xf32
// CHECK: scf.for
// CHECK: tile.async.copy
// CHECK: tile.async.copy
// CHECK: tile.async.wait %{{.*}} pending = 2
// CHECK: linalg.matmul
func.func @copy_matmul(%A: !G, %B: !G, %C: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : !S
  %T = tile.alloc {name = "T"} : !S
  scf.for %k = %c0 to %n step %c1 {
    %o = arith.muli %k, %c8 : index
    %a = memref.subview %A[0, %o] [8, 8] [1, 1] : !G to !V
    %b = memref.subview %B[%o, 0] [8, 8] [1, 1] : !G to !V
    memref.copy %a, %S : !V to !S
    memref.copy %b, %T : !V to !S
    linalg.matmul ins(%S, %T : !S, !S) outs(%C : memref<8x8xf32>)
  } {tile.num_stages = 3}
  return
}

// A buffer that is filled and overwritten within an iteration has versions too.
// CHECK-LABEL: @generic
// CHECK: scf.for
// CHECK: tile.async.copy
// CHECK: tile.async.wait %{{.*}} pending = 1
// CHECK: linalg.generic
func.func @generic(%A: !G, %out: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : !S
  %T = tile.alloc {name = "T"} : !S
  scf.for %k = %c0 to %n step %c1 {
    %o = arith.muli %k, %c8 : index
    %a = memref.subview %A[0, %o] [8, 8] [1, 1] : !G to !V
    %b = memref.subview %out[%o, 0] [8, 8] [1, 1] : !G to !V
    memref.copy %a, %S : !V to !S
    linalg.fill ins(%z : f32) outs(%T : !S)
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%S : !S) outs(%T : !S) {
    ^bb0(%x: f32, %y: f32):
      %v = arith.addf %x, %y : f32
      linalg.yield %v : f32
    }
    memref.copy %T, %b : !S to !V
  } {tile.num_stages = 2}
  return
}

// Transfers of vectors are statements.
// CHECK-LABEL: @vectors
// CHECK: tile.alloc {{.*}} memref<2x8xf32
// CHECK: scf.for
// CHECK: tile.async.copy
// CHECK: tile.async.wait %{{.*}} pending = 1
// CHECK: vector.transfer_read
func.func @vectors(%A: !G, %out: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  %R = tile.alloc {name = "R"} : memref<8xf32, #tile.space<fragment>>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : !G to memref<8xf32, #tile.space<shared>>
    %x = vector.transfer_read %S[%c0], %z {in_bounds = [true]} : memref<8xf32, #tile.space<shared>>, vector<8xf32>
    %y = arith.addf %x, %x : vector<8xf32>
    vector.transfer_write %y, %R[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32, #tile.space<fragment>>
    tile.copy %R to %out[%k, 0] : memref<8xf32, #tile.space<fragment>> to !G
  }
  return
}

// A vector that passes between stages goes through a buffer as scalars do.
// CHECK-LABEL: @vector_crosses
// CHECK: %[[CELL:.*]] = tile.alloc {name = "scalar0"} : memref<2x8xf32, #tile.space<fragment>>
// CHECK: scf.for
// CHECK: vector.store
// CHECK: vector.load
// CHECK: vector.transfer_write
func.func @vector_crosses(%A: !G, %out: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  %R = tile.alloc {name = "R"} : memref<8xf32, #tile.space<fragment>>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 0, 1, 1] order = [0, 1, 2, 3] {
    tile.copy %A[%k, 0] to %S : !G to memref<8xf32, #tile.space<shared>>
    %x = vector.transfer_read %S[%c0], %z {in_bounds = [true]} : memref<8xf32, #tile.space<shared>>, vector<8xf32>
    %y = arith.addf %x, %x : vector<8xf32>
    vector.transfer_write %y, %R[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32, #tile.space<fragment>>
    tile.copy %R to %out[%k, 0] : memref<8xf32, #tile.space<fragment>> to !G
  }
  return
}

// Copies that are asynchronous already are so across iterations afterwards.
// CHECK-LABEL: @device_async
// CHECK-NOT: nvgpu
// CHECK: scf.for
// CHECK: tile.async.copy
// CHECK: tile.async.wait
func.func @device_async(%A: memref<64x8xf32>, %out: memref<64x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %S = tile.alloc {name = "S"} : !W
  scf.for %k = %c0 to %n step %c1 {
    %t = nvgpu.device_async_copy %A[%k, %c0], %S[%c0, %c0], 4 : memref<64x8xf32> to !W
    %u = nvgpu.device_async_copy %A[%k, %c4], %S[%c0, %c4], 4 : memref<64x8xf32> to !W
    %g = nvgpu.device_async_create_group %t, %u
    nvgpu.device_async_wait %g
    tile.copy %S to %out[%k, 0] sizes [1, 8] : !W to memref<64x8xf32>
  } {tile.num_stages = 2}
  return
}
