// RUN: tile-opt %s -tile-print-dependences -o /dev/null 2>&1 | FileCheck %s

!G = memref<64x8xf32>
!S = memref<8x8xf32, #tile.space<shared>>

// A whole copy writes all of its target: each iteration may have its own.
// CHECK-LABEL: loop at
// CHECK: #0 memref.copy
// CHECK-NEXT: #1 linalg.matmul
// CHECK: buffer S: private
// CHECK: #0 -> #1 read after write of S, distance 0
// CHECK: #1 -> #1 read after write of arg1, distance 1
func.func @copy_matmul(%A: !S, %C: !S, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : !S
  tile.pipeline %k = %c0 to %n step %c1 {
    memref.copy %A, %S : !S to !S
    linalg.matmul ins(%S, %S : !S, !S) outs(%C : !S)
  }
  return
}

// A fill reads nothing and writes everything; a generic reads its output only if
// its body does.
// CHECK-LABEL: loop at
// CHECK: #0 linalg.fill
// CHECK-NEXT: #1 linalg.generic
// CHECK-NEXT: #2 linalg.generic
// CHECK-NEXT: #3 linalg.generic
// CHECK-NEXT: buffer S: private
// CHECK-NEXT: buffer T: private
// CHECK-NEXT: buffer R: shared by iterations
func.func @fill_generic(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : !S
  %T = tile.alloc {name = "T"} : !S
  %R = tile.alloc {name = "R"} : memref<8xf32>
  tile.pipeline %k = %c0 to %n step %c1 {
    linalg.fill ins(%z : f32) outs(%S : !S)
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%S : !S) outs(%T : !S) {
    ^bb0(%x: f32, %y: f32):
      %v = math.exp %x : f32
      linalg.yield %v : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%T : !S) outs(%R : memref<8xf32>) {
    ^bb0(%x: f32, %y: f32):
      %v = arith.addf %x, %y : f32
      linalg.yield %v : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%R : memref<8xf32>) outs(%S : !S) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
  }
  return
}

// The output is written whole only where the reduction certainly has elements,
// and not along a diagonal.
// CHECK-LABEL: loop at
// CHECK: buffer R: shared by iterations
// CHECK: buffer D: shared by iterations
// CHECK: buffer Q: private
func.func @partial_outputs(%X: memref<8x?xf32>, %Y: memref<8x4xf32>, %out: !G, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %R = tile.alloc {name = "R"} : memref<8xf32>
  %D = tile.alloc {name = "D"} : memref<8x8xf32>
  %Q = tile.alloc {name = "Q"} : memref<8xf32>
  tile.pipeline %k = %c0 to %n step %c1 {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%X : memref<8x?xf32>) outs(%R : memref<8xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>],
                    iterator_types = ["parallel"]}
        ins(%R : memref<8xf32>) outs(%D : memref<8x8xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%Y : memref<8x4xf32>) outs(%Q : memref<8xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
    tile.copy %R to %out[%k, 0] sizes [8] : memref<8xf32> to !G
    tile.copy %Q to %out[%k, 0] sizes [8] : memref<8xf32> to !G
    memref.copy %D, %D : memref<8x8xf32> to memref<8x8xf32>
  }
  return
}

// An impure body is not followed.
// CHECK-LABEL: loop at
// CHECK-NEXT: cannot be pipelined: {{.*}} ('memref.load')
func.func @impure_body(%A: !S, %B: !S, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]} outs(%A : !S) {
    ^bb0(%y: f32):
      %v = memref.load %B[%c0, %c0] : !S
      linalg.yield %v : f32
    }
  }
  return
}

// Rows that differ do not meet.
// CHECK-LABEL: loop at
// CHECK: #0 vector.transfer_write
// CHECK-NEXT: #1 vector.store
// CHECK-NEXT: #2 vector.transfer_read
// CHECK-NEXT: #3 vector.load
// CHECK-NEXT: #4 memref.store
// CHECK-NEXT: #5 memref.store
// CHECK-NEXT: buffer S: private
// CHECK-NOT: #0 -> #1
// CHECK: #0 -> #2 {{.*}} of S, distance 0
// CHECK: #1 -> #3 {{.*}} of S, distance 0
// CHECK-NOT: #0 -> #3
func.func @vectors(%v: vector<8xf32>, %out: memref<64xvector<8xf32>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : !S
  tile.pipeline %k = %c0 to %n step %c1 {
    vector.transfer_write %v, %S[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, !S
    vector.store %v, %S[%c1, %c0] : !S, vector<8xf32>
    %x = vector.transfer_read %S[%c0, %c0], %z {in_bounds = [true]} : !S, vector<8xf32>
    %y = vector.load %S[%c1, %c0] : !S, vector<8xf32>
    memref.store %x, %out[%k] : memref<64xvector<8xf32>>
    memref.store %y, %out[%k] : memref<64xvector<8xf32>>
  }
  return
}

// A transposed transfer runs down the column; a masked one leaves old contents.
// CHECK-LABEL: loop at
// CHECK: buffer S: shared by iterations
// CHECK: #0 -> #1 {{.*}} of S, distance 0
func.func @transfers(%v: vector<8xf32>, %m: vector<8xi1>, %out: memref<64xvector<8xf32>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : !S
  tile.pipeline %k = %c0 to %n step %c1 {
    vector.transfer_write %v, %S[%c0, %c0], %m
      {in_bounds = [true], permutation_map = affine_map<(i, j) -> (i)>} : vector<8xf32>, !S
    %x = vector.transfer_read %S[%c7, %c0], %z {in_bounds = [true]} : !S, vector<8xf32>
    memref.store %x, %out[%k] : memref<64xvector<8xf32>>
  }
  return
}

// Atomic updates read and write; affine accesses name what they can.
// CHECK-LABEL: loop at
// CHECK: #0 memref.atomic_rmw
// CHECK-NEXT: #1 memref.generic_atomic_rmw
// CHECK-NEXT: #2 affine.store
// CHECK-NEXT: #3 affine.for
// CHECK-NEXT: #4 affine.load
// CHECK-NEXT: #5 affine.store
// CHECK: #0 -> #1 read after write of arg0, distance 0
// CHECK: #1 -> #0 read after write of arg0, distance 1
// CHECK: #2 -> #3 read after write of arg1, distance 0
// CHECK: #3 -> #4 read after write of S, distance 0
// CHECK: #5 -> #3 read after write of arg1, distance 1
func.func @atomic_affine(%H: memref<64xf32>, %B: memref<64xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<8xf32>
  tile.pipeline %k = %c0 to %n step %c1 {
    %a = memref.atomic_rmw addf %x, %H[%c0] : (f32, memref<64xf32>) -> f32
    %b = memref.generic_atomic_rmw %H[%c0] : memref<64xf32> {
    ^bb0(%old: f32):
      %new = arith.mulf %old, %x : f32
      memref.atomic_yield %new : f32
    }
    affine.store %x, %B[symbol(%n)] : memref<64xf32>
    affine.for %j = 0 to 8 {
      %y = affine.load %B[%j] : memref<64xf32>
      affine.store %y, %S[%j] : memref<8xf32>
    }
    %z = affine.load %S[0] : memref<8xf32>
    affine.store %z, %B[symbol(%n) * 2] : memref<64xf32>
  }
  return
}
