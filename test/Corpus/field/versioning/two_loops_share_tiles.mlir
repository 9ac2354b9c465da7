// RUN: tile-opt %s --pipeline-planning | %python %S/../../expectations.py summary | FileCheck %s --match-full-lines

// Two loops in sequence use the same tile at different depths (and at the same
// one): the tile is versioned once and both loops index it rightly, for every
// split of the trip counts.
// Field case VER-04, WAIT-09.

// CHECK: @depths_2_3
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: loop: depth 3 stage [0, 2] order [0, 1]
// CHECK-NEXT: versions: S:3
// CHECK: @depths_3_2
// CHECK-NEXT: loop: depth 3 stage [0, 2] order [0, 1]
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:3
// CHECK: @depths_1_4
// CHECK-NEXT: loop: depth 1 stage [0, 1] order [1, 0]
// CHECK-NEXT: loop: depth 4 stage [0, 3] order [0, 1]
// CHECK-NEXT: versions: S:4
// CHECK: @depths_2_2
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: versions: S:2
// CHECK: @depths_2_4
// CHECK-NEXT: loop: depth 2 stage [0, 1] order [0, 1]
// CHECK-NEXT: loop: depth 4 stage [0, 3] order [0, 1]
// CHECK-NEXT: versions: S:4
// CHECK: @depths_3_3
// CHECK-NEXT: loop: depth 3 stage [0, 2] order [0, 1]
// CHECK-NEXT: loop: depth 3 stage [0, 2] order [0, 1]
// CHECK-NEXT: versions: S:3

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @depths_2_3(%A: memref<?x16xf32>, %split: index,
                      %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %split step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.pipeline %k = %split to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}

func.func @depths_3_2(%A: memref<?x16xf32>, %split: index,
                      %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %split step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.pipeline %k = %split to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}

func.func @depths_1_4(%A: memref<?x16xf32>, %split: index,
                      %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %split step %c1 num_stages = 1 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.pipeline %k = %split to %n step %c1 num_stages = 4 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}

func.func @depths_2_2(%A: memref<?x16xf32>, %split: index,
                      %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %split step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.pipeline %k = %split to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}

func.func @depths_2_4(%A: memref<?x16xf32>, %split: index,
                      %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %split step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.pipeline %k = %split to %n step %c1 num_stages = 4 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}

func.func @depths_3_3(%A: memref<?x16xf32>, %split: index,
                      %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<16xf32, #fragment>
  %n = memref.dim %A, %c0 : memref<?x16xf32>
  tile.fill %acc with %zero : f32, memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %split step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.pipeline %k = %split to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%j) in [16] {
      %old = memref.load %acc[%j] : memref<16xf32, #fragment>
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%j] : memref<16xf32, #fragment>
    }
  }
  tile.copy %acc to %out : memref<16xf32, #fragment> to memref<16xf32>
  return
}
