// RUN: tile-opt %s --verify-roundtrip | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK: tile.target = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 65536, align = 16>, #tile.memory<ub, capacity = 1024, align = 32>], transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>, #tile.transfer<shared to global, unit = "store", async = false, issue = 0, latency = 0, bytes_per_cycle = 1>], units = [#tile.unit<tensor, ops_per_cycle = 256, latency = 16>, #tile.unit<vector, ops_per_cycle = 32, latency = 4>, #tile.unit<scalar, ops_per_cycle = 1, latency = 0>]>
#toy = #tile.target<"toy",
  memories = [#tile.memory<shared, capacity = 65536, align = 16>,
              #tile.memory<ub, capacity = 1024, align = 32>],
  transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>,
               #tile.transfer<shared to global, unit = "store", async = false, issue = 0, latency = 0, bytes_per_cycle = 1>],
  units = [#tile.unit<tensor, ops_per_cycle = 256, latency = 16>,
           #tile.unit<vector, ops_per_cycle = 32, latency = 4>,
           #tile.unit<scalar, ops_per_cycle = 1, latency = 0>]>
module attributes {tile.target = #toy} {

// CHECK-LABEL: func.func @empty_target()
// An empty machine: lists of nothing.
// CHECK-SAME: #tile.target<"none", memories = [], transfers = [], units = []>
func.func @empty_target() attributes {what = #tile.target<"none", memories = [], transfers = [], units = []>} {
  return
}

// CHECK-LABEL: func.func @spaces
// CHECK-SAME: memref<1xf32, #tile.space<global>>
// CHECK-SAME: memref<1xf32, #tile.space<shared>>
// CHECK-SAME: memref<1xf32, #tile.space<fragment>>
// CHECK-SAME: memref<1xf32, #tile.space<l1>>
// CHECK-SAME: memref<1xf32, #tile.space<l0a>>
// CHECK-SAME: memref<1xf32, #tile.space<l0b>>
// CHECK-SAME: memref<1xf32, #tile.space<l0c>>
// CHECK-SAME: memref<1xf32, #tile.space<ub>>
// CHECK-SAME: memref<1xf32, #tile.space<bt>>
// CHECK-SAME: memref<1xf32, #tile.space<fb>>
func.func @spaces(%0: memref<1xf32, #tile.space<global>>, %1: memref<1xf32, #tile.space<shared>>,
                  %2: memref<1xf32, #tile.space<fragment>>, %3: memref<1xf32, #tile.space<l1>>,
                  %4: memref<1xf32, #tile.space<l0a>>, %5: memref<1xf32, #tile.space<l0b>>,
                  %6: memref<1xf32, #tile.space<l0c>>, %7: memref<1xf32, #tile.space<ub>>,
                  %8: memref<1xf32, #tile.space<bt>>, %9: memref<1xf32, #tile.space<fb>>) {
  return
}

// CHECK-LABEL: func.func @alloc
func.func @alloc() {
  // CHECK: %{{.*}} = tile.alloc : memref<64x32xf16, #tile.space<shared>>
  %a = tile.alloc : memref<64x32xf16, #tile.space<shared>>
  // The name becomes the SSA name.
  // CHECK: %As = tile.alloc {name = "As", offset = 256 : i64, versions = 3 : i64} : memref<64x32xf16, #tile.space<shared>>
  %b = tile.alloc {name = "As", versions = 3, offset = 256} : memref<64x32xf16, #tile.space<shared>>
  // CHECK: tile.alloc : memref<f32, #tile.space<fragment>>
  %c = tile.alloc : memref<f32, #tile.space<fragment>>
  return
}

// CHECK-LABEL: func.func @slot
func.func @slot(%m: memref<3x64x32xf16, #tile.space<shared>>, %r1: memref<2xf32>, %i: index) {
  // CHECK: tile.slot %{{.*}}[%{{.*}}] : memref<3x64x32xf16, #tile.space<shared>> -> memref<64x32xf16, #tile.space<shared>>
  %v = tile.slot %m[%i] : memref<3x64x32xf16, #tile.space<shared>> -> memref<64x32xf16, #tile.space<shared>>
  // CHECK: tile.slot %{{.*}}[%{{.*}}] : memref<2xf32> -> memref<f32>
  %w = tile.slot %r1[%i] : memref<2xf32> -> memref<f32>
  return
}

// CHECK-LABEL: func.func @copy
// CHECK-SAME: %[[A:.*]]: memref<?x?xf16>, %[[S:.*]]: memref<64x32xf16, #tile.space<shared>>, %[[KV:.*]]: memref<9x64x8xf16>, %[[I:.*]]: index, %[[Z:.*]]: f16, %[[G:.*]]: i1
func.func @copy(%A: memref<?x?xf16>, %S: memref<64x32xf16, #tile.space<shared>>,
                %KV: memref<9x64x8xf16>, %i: index, %z: f16, %g: i1) {
  // Whole tiles: nothing but the names.
  // CHECK: tile.copy %[[A]] to %[[S]] : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
  tile.copy %A[0, 0] to %S[0, 0] sizes [64, 32] : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
  // CHECK: tile.copy %[[A]][%[[I]], 8] to %[[S]] : memref
  tile.copy %A[%i, 8] to %S : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
  // Source offsets may lie outside: that is how halos are read.
  // CHECK: tile.copy %[[A]][-1, %[[I]]] to %[[S]][1, 0] sizes [63, %[[I]]] : memref
  tile.copy %A[-1, %i] to %S[1, 0] sizes [63, %i] : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
  // CHECK: tile.copy %[[KV]][%[[I]], 0, 0] to %[[S]][0, 8] sizes [64, 8] fill %[[Z]] : f16 if %[[G]] : memref<9x64x8xf16> to
  tile.copy %KV[%i, 0, 0] to %S[0, 8] sizes [64, 8] fill %z : f16 if %g : memref<9x64x8xf16> to memref<64x32xf16, #tile.space<shared>>
  // CHECK: tile.copy %[[KV]] to %[[S]] sizes [9, 8] dims [0, 2] : memref<9x64x8xf16> to
  tile.copy %KV to %S sizes [9, 8] dims [0, 2] : memref<9x64x8xf16> to memref<64x32xf16, #tile.space<shared>>
  // CHECK: tile.copy %[[A]] to %[[S]] {tag = "x"} : memref
  tile.copy %A to %S {tag = "x"} : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
  return
}

// CHECK-LABEL: func.func @copy_default_sizes
// Without sizes the region is the side of lower rank, else the target.
func.func @copy_default_sizes(%a: memref<4xf32>, %b: memref<2x8xf32>, %c: memref<8xf16>, %d: memref<f32>) {
  // CHECK: tile.copy %{{.*}} to %{{.*}} : memref<4xf32> to memref<2x8xf32>
  tile.copy %a to %b sizes [4] : memref<4xf32> to memref<2x8xf32>
  // CHECK: tile.copy %{{.*}} to %{{.*}} : memref<2x8xf32> to memref<8xf16>
  tile.copy %b to %c sizes [8] : memref<2x8xf32> to memref<8xf16>
  // CHECK: tile.copy %{{.*}} to %{{.*}} : memref<f32> to memref<2x8xf32>
  tile.copy %d to %b : memref<f32> to memref<2x8xf32>
  // CHECK: tile.copy %{{.*}}[2] to %{{.*}} : memref<8xf16> to memref<f32>
  tile.copy %c[2] to %d : memref<8xf16> to memref<f32>
  // CHECK: tile.copy %{{.*}} to %{{.*}} dims [0] : memref<4xf32> to memref<2x8xf32>
  tile.copy %a to %b dims [0] : memref<4xf32> to memref<2x8xf32>
  return
}

// CHECK-LABEL: func.func @async
// CHECK-SAME: %[[A:.*]]: memref<?x?xf16>, %[[S:.*]]: memref<64x32xf16, #tile.space<shared>>, %[[I:.*]]: index, %[[Z:.*]]: f16, %[[G:.*]]: i1
func.func @async(%A: memref<?x?xf16>, %S: memref<64x32xf16, #tile.space<shared>>, %i: index, %z: f16, %g: i1) {
  // CHECK: %[[T0:.*]] = tile.async.copy %[[A]][%[[I]], 0] to %[[S]] : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
  %t0 = tile.async.copy %A[%i, 0] to %S : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
  // CHECK: %[[T1:.*]] = tile.async.copy %[[A]] to %[[S]][%[[I]], 2] sizes [%[[I]], 4] fill %[[Z]] : f16 if %[[G]] :
  %t1 = tile.async.copy %A to %S[%i, 2] sizes [%i, 4] fill %z : f16 if %g : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
  // CHECK: %[[G0:.*]] = tile.async.commit %[[T0]], %[[T1]]
  %g0 = tile.async.commit %t0, %t1
  // CHECK: %[[G1:.*]] = tile.async.commit (){{$}}
  %g1 = tile.async.commit ()
  // CHECK: %[[N:.*]] = tile.async.none
  %n = tile.async.none
  // CHECK: tile.async.wait %[[G0]]{{$}}
  tile.async.wait %g0
  // CHECK: tile.async.wait %[[G1]], %[[N]] pending = 2
  tile.async.wait %g1, %n pending = 2
  // CHECK: tile.async.wait pending = 0
  tile.async.wait pending = 0
  return
}

// CHECK-LABEL: func.func @token_type
// CHECK-SAME: !tile.token
func.func @token_type(%t: !tile.token) {
  return
}

// CHECK-LABEL: func.func @fill
func.func @fill(%S: memref<64x32xf16, #tile.space<shared>>, %D: memref<?xf32>, %i: index, %z: f16, %y: f32, %c: memref<f32>) {
  // CHECK: tile.fill %{{.*}} with %{{.*}} : f16, memref<64x32xf16, #tile.space<shared>>
  tile.fill %S[0, 0] sizes [64, 32] with %z : f16, memref<64x32xf16, #tile.space<shared>>
  // CHECK: tile.fill %{{.*}}[%{{.*}}, 8] sizes [4, %{{.*}}] with %{{.*}} : f16,
  tile.fill %S[%i, 8] sizes [4, %i] with %z : f16, memref<64x32xf16, #tile.space<shared>>
  // CHECK: tile.fill %{{.*}}[0] sizes [%{{.*}}] with %{{.*}} {tag} : f32, memref<?xf32>
  tile.fill %D[0] sizes [%i] with %y {tag} : f32, memref<?xf32>
  // CHECK: tile.fill %{{.*}} with %{{.*}} : f32, memref<f32>
  tile.fill %c with %y : f32, memref<f32>
  return
}

// CHECK-LABEL: func.func @gemm
func.func @gemm(%a: memref<64x32xf16>, %at: memref<32x64xf16>, %b: memref<32x48xf16>, %bt: memref<48x32xf16>,
                %c: memref<64x48xf32>, %d: memref<?x?xf16>, %i8: memref<4x4xi8>, %i32: memref<4x4xi32>) {
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} : memref<64x32xf16>, memref<32x48xf16>, memref<64x48xf32>
  tile.gemm %a, %b, %c : memref<64x32xf16>, memref<32x48xf16>, memref<64x48xf32>
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {transpose_b}
  tile.gemm %a, %bt, %c {transpose_b} : memref<64x32xf16>, memref<48x32xf16>, memref<64x48xf32>
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {clear, transpose_a}
  tile.gemm %at, %b, %c {transpose_a, clear} : memref<32x64xf16>, memref<32x48xf16>, memref<64x48xf32>
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {transpose_a, transpose_b} : memref<?x?xf16>, memref<?x?xf16>
  tile.gemm %d, %d, %c {transpose_a, transpose_b} : memref<?x?xf16>, memref<?x?xf16>, memref<64x48xf32>
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} : memref<4x4xi8>, memref<4x4xi8>, memref<4x4xi32>
  tile.gemm %i8, %i8, %i32 : memref<4x4xi8>, memref<4x4xi8>, memref<4x4xi32>
  return
}

// CHECK-LABEL: func.func @reduce
func.func @reduce(%s: memref<64x32xf16>, %m: memref<64xf32>, %k: memref<1x32xf16>, %i: memref<4xi32>, %j: memref<i32>) {
  // CHECK: tile.reduce <sum> %{{.*}} into %{{.*}} dimension 1 : memref<64x32xf16>, memref<64xf32>
  tile.reduce <sum> %s into %m dimension 1 : memref<64x32xf16>, memref<64xf32>
  // CHECK: tile.reduce <max> %{{.*}} into %{{.*}} dimension 0 {clear} : memref<64x32xf16>, memref<1x32xf16>
  tile.reduce <max> %s into %k dimension 0 {clear} : memref<64x32xf16>, memref<1x32xf16>
  // CHECK: tile.reduce <prod>
  tile.reduce <prod> %s into %m dimension 1 : memref<64x32xf16>, memref<64xf32>
  // CHECK: tile.reduce <min>
  tile.reduce <min> %s into %m dimension 1 : memref<64x32xf16>, memref<64xf32>
  // CHECK: tile.reduce <abssum>
  tile.reduce <abssum> %s into %m dimension 1 : memref<64x32xf16>, memref<64xf32>
  // CHECK: tile.reduce <absmax>
  tile.reduce <absmax> %s into %m dimension 1 : memref<64x32xf16>, memref<64xf32>
  // CHECK: tile.reduce <and> %{{.*}} into %{{.*}} dimension 0 : memref<4xi32>, memref<i32>
  tile.reduce <and> %i into %j dimension 0 : memref<4xi32>, memref<i32>
  // CHECK: tile.reduce <or>
  tile.reduce <or> %i into %j dimension 0 : memref<4xi32>, memref<i32>
  // CHECK: tile.reduce <xor>
  tile.reduce <xor> %i into %j dimension 0 : memref<4xi32>, memref<i32>
  return
}

// CHECK-LABEL: func.func @map
func.func @map(%S: memref<64x32xf32>, %n: index) {
  // CHECK: tile.map (%[[I:.*]], %[[J:.*]]) in [64, %{{.*}}] {
  // CHECK-NEXT: memref.load %{{.*}}[%[[I]], %[[J]]]
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: } {tag}
  tile.map (%i, %j) in [64, %n] {
    %x = memref.load %S[%i, %j] : memref<64x32xf32>
    memref.store %x, %S[%i, %j] : memref<64x32xf32>
  } {tag}
  // CHECK: tile.map (%{{.*}}) in [0] {
  tile.map (%i) in [0] {
  }
  return
}

// CHECK-LABEL: func.func @atomic
func.func @atomic(%y: memref<64xf32>, %i: memref<8x8xi32>, %c: memref<i32>, %v: f32, %w: i32, %k: index) {
  // CHECK: tile.atomic <add> %{{.*}}, %{{.*}}[%{{.*}}] : f32, memref<64xf32>
  tile.atomic <add> %v, %y[%k] : f32, memref<64xf32>
  // CHECK: tile.atomic <max>
  tile.atomic <max> %v, %y[%k] : f32, memref<64xf32>
  // CHECK: tile.atomic <min>
  tile.atomic <min> %v, %y[%k] : f32, memref<64xf32>
  // CHECK: tile.atomic <exchange>
  tile.atomic <exchange> %v, %y[%k] : f32, memref<64xf32>
  // CHECK: tile.atomic <and> %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : i32, memref<8x8xi32>
  tile.atomic <and> %w, %i[%k, %k] : i32, memref<8x8xi32>
  // CHECK: tile.atomic <or>
  tile.atomic <or> %w, %i[%k, %k] : i32, memref<8x8xi32>
  // CHECK: tile.atomic <xor> %{{.*}}, %{{.*}}[] : i32, memref<i32>
  tile.atomic <xor> %w, %c[] : i32, memref<i32>
  return
}

// CHECK-LABEL: func.func @launch
func.func @launch(%n: index) {
  // CHECK: tile.launch (%{{.*}}, %{{.*}}, %{{.*}}) in [%{{.*}}, 4, 1] threads = 128 {
  // CHECK-NEXT: } {tag}
  tile.launch (%bx, %by, %bz) in [%n, 4, 1] threads = 128 {
  } {tag}
  return
}

// CHECK-LABEL: func.func @pipeline
// CHECK-SAME: (%[[N:.*]]: index, %[[S:.*]]: memref<4xf32>, %[[V:.*]]: f32)
func.func @pipeline(%n: index, %s: memref<4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tile.pipeline %{{.*}} = %c0 to %[[N]] step %c1 {
  tile.pipeline %k = %c0 to %n step %c1 {
  }
  // CHECK: tile.pipeline %[[K:.*]] = %c0 to %[[N]] step %c1 num_stages = 3 {
  // CHECK-NEXT: tile.iteration %[[K]]
  // CHECK-NEXT: } {tag}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    %it = tile.iteration %k
  } {tag}
  // CHECK: tile.pipeline %{{.*}} = %c0 to %[[N]] step %c1 stage = [0, 1] order = [1, 0] {
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1] order = [1, 0] {
    tile.fill %s with %v : f32, memref<4xf32>
    tile.fill %s with %v : f32, memref<4xf32>
  }
  // CHECK: tile.pipeline {{.*}} num_stages = 2 stage = [] order = [] {
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 stage = [] order = [] {
  }
  // CHECK: tile.pipeline {{.*}} schedule = #tile.pipeline_schedule<depth = 3, ii = 640> {
  // CHECK-NEXT: tile.fill %[[S]] with %[[V]] {tile.stage = #tile.stage<2, order = 0>}
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 3, ii = 640> {
    tile.fill %s with %v {tile.stage = #tile.stage<2, order = 0>} : f32, memref<4xf32>
  }
  // CHECK: schedule = #tile.pipeline_schedule<depth = 1> {
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 1> {
  }
  return
}

// CHECK-LABEL: func.func @iter_args
// CHECK-SAME: (%[[N:.*]]: index, %[[X:.*]]: f32, %[[I:.*]]: index)
func.func @iter_args(%n: index, %x: f32, %i: index) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[R:.*]]:2 = tile.pipeline %{{.*}} = %c0 to %[[N]] step %c1 iter_args(%[[A:.*]] = %[[X]], %[[B:.*]] = %[[I]]) -> (f32, index) num_stages = 2 {
  // CHECK-NEXT: tile.yield %[[A]], %[[B]] : f32, index
  %r:2 = tile.pipeline %k = %c0 to %n step %c1 iter_args(%a = %x, %b = %i) -> (f32, index) num_stages = 2 {
    tile.yield %a, %b : f32, index
  }
  // CHECK: return %[[R]]#0, %[[R]]#1
  return %r#0, %r#1 : f32, index
}

// CHECK-LABEL: func.func @raised_loop
func.func @raised_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
  // CHECK: } {tile.num_stages = 3 : i64, tile.orders = array<i64: 0>, tile.stages = array<i64: 0>}
  } {tile.num_stages = 3, tile.stages = array<i64: 0>, tile.orders = array<i64: 0>}
  return
}

}

// A store without sizes stores the tile, and does not fill the rest of the matrix.
// CHECK-LABEL: func.func @copy_store_is_of_the_tile
// CHECK: tile.copy %{{.*}} to %{{.*}}[8, 8] : memref<4x4xf32, #tile.space<fragment>> to memref<64x64xf32>
// CHECK: tile.copy %{{.*}} to %{{.*}}[8, 8] : memref<4x4xf32, #tile.space<fragment>> to memref<?x?xf32>
// CHECK: tile.copy %{{.*}} to %{{.*}} sizes [64, 64] : memref<4x4xf32, #tile.space<fragment>> to memref<64x64xf32>
func.func @copy_store_is_of_the_tile(%C: memref<64x64xf32>, %D: memref<?x?xf32>) {
  %t = tile.alloc : memref<4x4xf32, #tile.space<fragment>>
  tile.copy %t to %C[8, 8] : memref<4x4xf32, #tile.space<fragment>> to memref<64x64xf32>
  tile.copy %t to %D[8, 8] : memref<4x4xf32, #tile.space<fragment>> to memref<?x?xf32>
  tile.copy %t to %C sizes [64, 64] : memref<4x4xf32, #tile.space<fragment>> to memref<64x64xf32>
  return
}
