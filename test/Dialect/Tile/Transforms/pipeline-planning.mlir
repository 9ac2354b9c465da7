// RUN: tile-opt %s -split-input-file --pipeline-planning=remarks=false | FileCheck %s

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Loads come num_stages - 1 steps ahead and first in the step: n versions.
// CHECK-LABEL: func @gemm_ns3
// CHECK: name = "As", versions = 3
// CHECK: name = "Bs", versions = 3
// CHECK-NOT: name = "Cl", versions
// CHECK: tile.pipeline {{.*}}depth = 3>
// CHECK-NOT: num_stages
// CHECK: tile.copy {{.*}}stage<0, order = 0>
// CHECK: tile.copy {{.*}}stage<0, order = 1>
// CHECK: tile.gemm {{.*}}stage<2, order = 2>
func.func @gemm_ns3(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c16 num_stages = 3 {
    tile.copy %A[0, %k] to %As : memref<?x?xf16> to memref<32x16xf16, #shared>
    tile.copy %B[%k, 0] to %Bs : memref<?x?xf16> to memref<16x32xf16, #shared>
    tile.gemm %As, %Bs, %Cl : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// One buffer: refilled behind its use, in the same step.
// CHECK-LABEL: func @gemm_ns1
// CHECK-NOT: versions
// CHECK: depth = 1>
// CHECK: tile.copy {{.*}}stage<0, order = 1>
// CHECK: tile.copy {{.*}}stage<0, order = 2>
// CHECK: tile.gemm {{.*}}stage<1, order = 0>
func.func @gemm_ns1(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %As = tile.alloc {name = "As"} : memref<32x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x32xf16, #shared>
  %Cl = tile.alloc {name = "Cl"} : memref<32x32xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c16 num_stages = 1 {
    tile.copy %A[0, %k] to %As : memref<?x?xf16> to memref<32x16xf16, #shared>
    tile.copy %B[%k, 0] to %Bs : memref<?x?xf16> to memref<16x32xf16, #shared>
    tile.gemm %As, %Bs, %Cl : memref<32x16xf16, #shared>, memref<16x32xf16, #shared>, memref<32x32xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>

// 0 is no pipeline, and says so no more.
// CHECK-LABEL: func @ns0
// CHECK-NOT: versions
// CHECK: tile.pipeline %{{.*}} step %{{[a-z0-9]+}} {
// CHECK-NOT: tile.stage
// CHECK: return
func.func @ns0(%A: memref<?x16xf16>, %B: memref<?x16xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf16, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 0 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf16> to memref<16xf16, #shared>
    tile.copy %S to %B[%k, 0] : memref<16xf16, #shared> to memref<?x16xf16>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Each load follows the last consumer of its own tile.
// CHECK-LABEL: func @copy_two_consumers
// CHECK-COUNT-3: versions = 3
// CHECK: tile.copy {{.*}}stage<0, order = 3>
// CHECK: tile.copy {{.*}}stage<0, order = 1>
// CHECK: tile.copy {{.*}}stage<0, order = 4>
// CHECK: tile.gemm {{.*}}stage<3, order = 0>
// CHECK: tile.gemm {{.*}}stage<3, order = 2>
func.func @copy_two_consumers(%A: memref<?x16x16xf16>, %B: memref<?x16x16xf16>, %D: memref<?x16x16xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc {name = "As"} : memref<16x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x16xf16, #shared>
  %Ds = tile.alloc {name = "Ds"} : memref<16x16xf16, #shared>
  %C1 = tile.alloc {name = "C1"} : memref<16x16xf32, #fragment>
  %C2 = tile.alloc {name = "C2"} : memref<16x16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0, 0] to %As : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.copy %B[%k, 0, 0] to %Bs : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.copy %D[%k, 0, 0] to %Ds : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.gemm %As, %Bs, %C1 : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
    tile.gemm %As, %Ds, %C2 : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// A copy into registers is no prefetch.
// CHECK-LABEL: func @gemm_a_to_fragment
// CHECK-NOT: name = "Af", versions
// CHECK: name = "Bs", versions = 3
// CHECK: tile.copy {{.*}}stage<2, order = 1>
// CHECK: tile.copy {{.*}}stage<0, order = 0>
// CHECK: tile.gemm {{.*}}stage<2, order = 2>
func.func @gemm_a_to_fragment(%A: memref<?x16x16xf16>, %B: memref<?x16x16xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Af = tile.alloc {name = "Af"} : memref<16x16xf16, #fragment>
  %Bs = tile.alloc {name = "Bs"} : memref<16x16xf16, #shared>
  %C = tile.alloc {name = "C"} : memref<16x16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0, 0] to %Af : memref<?x16x16xf16> to memref<16x16xf16, #fragment>
    tile.copy %B[%k, 0, 0] to %Bs : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.gemm %Af, %Bs, %C : memref<16x16xf16, #fragment>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// CHECK-LABEL: func @shared_to_shared_hop
// CHECK: name = "S1", versions = 3
// CHECK-NOT: name = "S2", versions
// CHECK: name = "Bs", versions = 3
// CHECK: tile.copy {{.*}}stage<0, order = 1>
// CHECK: tile.copy {{.*}}stage<3, order = 0>
// CHECK: tile.copy {{.*}}stage<0, order = 3>
// CHECK: tile.gemm {{.*}}stage<3, order = 2>
func.func @shared_to_shared_hop(%A: memref<?x16x16xf16>, %B: memref<?x16x16xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S1 = tile.alloc {name = "S1"} : memref<16x16xf16, #shared>
  %S2 = tile.alloc {name = "S2"} : memref<16x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x16xf16, #shared>
  %C = tile.alloc {name = "C"} : memref<16x16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0, 0] to %S1 : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.copy %S1 to %S2 : memref<16x16xf16, #shared> to memref<16x16xf16, #shared>
    tile.copy %B[%k, 0, 0] to %Bs : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.gemm %S2, %Bs, %C : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// What is staged through registers stays with its consumer.
// CHECK-LABEL: func @register_staged_load
// CHECK-NOT: name = "As", versions
// CHECK: name = "Bs", versions = 3
// CHECK: tile.copy {{.*}}stage<2, order = 1>
// CHECK: tile.copy {{.*}}stage<2, order = 2>
// CHECK: tile.copy {{.*}}stage<0, order = 0>
// CHECK: tile.gemm {{.*}}stage<2, order = 3>
func.func @register_staged_load(%A: memref<?x16x16xf16>, %B: memref<?x16x16xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Af = tile.alloc {name = "Af"} : memref<16x16xf16, #fragment>
  %As = tile.alloc {name = "As"} : memref<16x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x16xf16, #shared>
  %C = tile.alloc {name = "C"} : memref<16x16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0, 0] to %Af : memref<?x16x16xf16> to memref<16x16xf16, #fragment>
    tile.copy %Af to %As : memref<16x16xf16, #fragment> to memref<16x16xf16, #shared>
    tile.copy %B[%k, 0, 0] to %Bs : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.gemm %As, %Bs, %C : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// A fill prepares the tile of the copy and travels with it.
// CHECK-LABEL: func @fill_then_copy
// CHECK-COUNT-2: versions = 3
// CHECK: tile.fill {{.*}}stage<0, order = 0>
// CHECK: tile.copy {{.*}}stage<0, order = 1>
// CHECK: tile.copy {{.*}}stage<0, order = 2>
// CHECK: tile.gemm {{.*}}stage<2, order = 3>
func.func @fill_then_copy(%A: memref<?x16x8xf16>, %B: memref<?x16x16xf16>, %n: index, %zero: f16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc {name = "As"} : memref<16x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x16xf16, #shared>
  %C = tile.alloc {name = "C"} : memref<16x16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.fill %As with %zero : f16, memref<16x16xf16, #shared>
    tile.copy %A[%k, 0, 0] to %As sizes [16, 8] : memref<?x16x8xf16> to memref<16x16xf16, #shared>
    tile.copy %B[%k, 0, 0] to %Bs : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.gemm %As, %Bs, %C : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// CHECK-LABEL: func @dequant
// CHECK: name = "As", versions = 2
// CHECK: name = "Ws", versions = 2
// CHECK-NOT: name = "Wd", versions
// CHECK: tile.copy {{.*}}stage<0, order = 3>
// CHECK: tile.copy {{.*}}stage<0, order = 1>
// CHECK: } {tile.stage = #tile.stage<2, order = 0>}
// CHECK: tile.gemm {{.*}}stage<2, order = 2>
func.func @dequant(%A: memref<?x16x16xf16>, %W: memref<?x16x16xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc {name = "As"} : memref<16x16xf16, #shared>
  %Ws = tile.alloc {name = "Ws"} : memref<16x16xi8, #shared>
  %Wd = tile.alloc {name = "Wd"} : memref<16x16xf16, #fragment>
  %C = tile.alloc {name = "C"} : memref<16x16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0, 0] to %As : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.copy %W[%k, 0, 0] to %Ws : memref<?x16x16xi8> to memref<16x16xi8, #shared>
    tile.map (%i, %j) in [16, 16] {
      %w = memref.load %Ws[%i, %j] : memref<16x16xi8, #shared>
      %f = arith.sitofp %w : i8 to f16
      memref.store %f, %Wd[%i, %j] : memref<16x16xf16, #fragment>
    }
    tile.gemm %As, %Wd, %C : memref<16x16xf16, #shared>, memref<16x16xf16, #fragment>, memref<16x16xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// CHECK-LABEL: func @gemm_with_scales
// CHECK-COUNT-3: versions = 3
// CHECK: tile.copy {{.*}}stage<0, order = 2>
// CHECK: tile.copy {{.*}}stage<0, order = 3>
// CHECK: tile.copy {{.*}}stage<0, order = 5>
// CHECK: tile.fill {{.*}}stage<3, order = 0>
// CHECK: tile.gemm {{.*}}stage<3, order = 1>
// CHECK: } {tile.stage = #tile.stage<3, order = 4>}
func.func @gemm_with_scales(%A: memref<?x16x16xf16>, %B: memref<?x16x16xf16>, %SC: memref<?x16xf32>, %n: index, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc {name = "As"} : memref<16x16xf16, #shared>
  %Bs = tile.alloc {name = "Bs"} : memref<16x16xf16, #shared>
  %Ss = tile.alloc {name = "Ss"} : memref<16xf32, #shared>
  %P = tile.alloc {name = "P"} : memref<16x16xf32, #fragment>
  %C = tile.alloc {name = "C"} : memref<16x16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0, 0] to %As : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.copy %B[%k, 0, 0] to %Bs : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.copy %SC[%k, 0] to %Ss : memref<?x16xf32> to memref<16xf32, #shared>
    tile.fill %P with %zero : f32, memref<16x16xf32, #fragment>
    tile.gemm %As, %Bs, %P : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
    tile.map (%i, %j) in [16, 16] {
      %p = memref.load %P[%i, %j] : memref<16x16xf32, #fragment>
      %s = memref.load %Ss[%i] : memref<16xf32, #shared>
      %c = memref.load %C[%i, %j] : memref<16x16xf32, #fragment>
      %x = arith.mulf %p, %s : f32
      %y = arith.addf %c, %x : f32
      memref.store %y, %C[%i, %j] : memref<16x16xf32, #fragment>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// K is loaded behind the first gemm, V behind the second, two steps ahead.
// CHECK-LABEL: func @flash_ns2
// CHECK: name = "Ks", versions = 2
// CHECK: name = "Vs", versions = 2
// CHECK-NOT: versions
// CHECK: depth = 2>
// CHECK: tile.copy {{.*}}stage<0, order = 2>
// CHECK: tile.fill {{.*}}stage<2, order = 0>
// CHECK: tile.gemm {{.*}}stage<2, order = 1
// CHECK: tile.copy {{.*}}stage<2, order = 3>
// CHECK: tile.reduce {{.*}}stage<2, order = 4>
// CHECK: } {tile.stage = #tile.stage<2, order = 5>}
// CHECK: tile.copy {{.*}}stage<2, order = 6>
// CHECK: tile.copy {{.*}}stage<0, order = 8>
// CHECK: tile.gemm {{.*}}stage<2, order = 7>
func.func @flash_ns2(%K: memref<?x16x16xf16>, %V: memref<?x16x16xf16>, %n: index, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Q = tile.alloc {name = "Q"} : memref<16x16xf16, #shared>
  %Ks = tile.alloc {name = "Ks"} : memref<16x16xf16, #shared>
  %Vs = tile.alloc {name = "Vs"} : memref<16x16xf16, #shared>
  %S = tile.alloc {name = "S"} : memref<16x16xf32, #fragment>
  %P = tile.alloc {name = "P"} : memref<16x16xf16, #fragment>
  %m = tile.alloc {name = "m"} : memref<16xf32, #fragment>
  %mp = tile.alloc {name = "mp"} : memref<16xf32, #fragment>
  %acc = tile.alloc {name = "acc"} : memref<16x16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %K[%k, 0, 0] to %Ks : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.fill %S with %zero : f32, memref<16x16xf32, #fragment>
    tile.gemm %Q, %Ks, %S {transpose_b} : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
    tile.copy %m to %mp : memref<16xf32, #fragment> to memref<16xf32, #fragment>
    tile.reduce <max> %S into %m dimension 1 : memref<16x16xf32, #fragment>, memref<16xf32, #fragment>
    tile.map (%i, %j) in [16, 16] {
      %s = memref.load %S[%i, %j] : memref<16x16xf32, #fragment>
      %x = memref.load %m[%i] : memref<16xf32, #fragment>
      %y = memref.load %mp[%i] : memref<16xf32, #fragment>
      %d = arith.subf %s, %x : f32
      %e = arith.subf %d, %y : f32
      memref.store %e, %S[%i, %j] : memref<16x16xf32, #fragment>
    }
    tile.copy %S to %P : memref<16x16xf32, #fragment> to memref<16x16xf16, #fragment>
    tile.copy %V[%k, 0, 0] to %Vs : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.gemm %P, %Vs, %acc : memref<16x16xf16, #fragment>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// A replayed page number needs no slot; the write-back stays last.
// CHECK-LABEL: func @page_table
// CHECK: name = "S", versions = 3
// CHECK: memref.load %{{.*}} : memref<8xindex>{{$}}
// CHECK: tile.copy {{.*}}stage<0, order = 1>
// CHECK: tile.copy {{.*}}stage<3, order = 0>
// CHECK: tile.reduce {{.*}}stage<3, order = 2>
func.func @page_table(%T: memref<8xindex>, %KV: memref<?x16x16xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16x16xf16, #shared>
  %f = tile.alloc {name = "f"} : memref<16x16xf32, #fragment>
  %r = tile.alloc {name = "r"} : memref<16xf32, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    %page = memref.load %T[%k] : memref<8xindex>
    tile.copy %KV[%page, 0, 0] to %S : memref<?x16x16xf16> to memref<16x16xf16, #shared>
    tile.copy %S to %f : memref<16x16xf16, #shared> to memref<16x16xf32, #fragment>
    tile.reduce <sum> %f into %r dimension 1 : memref<16x16xf32, #fragment>, memref<16xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// The index is written, read and used for the load in one early stage.
// CHECK-LABEL: func @index_from_buffer
// CHECK-NOT: name = "I", versions
// CHECK: name = "S", versions = 2
// CHECK: memref.store {{.*}}stage<0, order = 0>
// CHECK: memref.load {{.*}}stage<0, order = 1>
// CHECK: tile.copy {{.*}}stage<0, order = 2>
// CHECK: } {tile.stage = #tile.stage<1, order = 3>}
func.func @index_from_buffer(%G: memref<96xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  %I = tile.alloc {name = "I"} : memref<1xindex, #fragment>
  %S = tile.alloc {name = "S"} : memref<24xi32, #shared>
  %acc = tile.alloc {name = "acc"} : memref<24xi32, #fragment>
  tile.pipeline %k = %c0 to %c4 step %c1 num_stages = 2 {
    %p = arith.muli %k, %c24 : index
    memref.store %p, %I[%c0] : memref<1xindex, #fragment>
    %off = memref.load %I[%c0] : memref<1xindex, #fragment>
    tile.copy %G[%off] to %S : memref<96xi32> to memref<24xi32, #shared>
    tile.map (%i) in [24] {
      %a = memref.load %acc[%i] : memref<24xi32, #fragment>
      %b = memref.load %S[%i] : memref<24xi32, #shared>
      %c = arith.addi %a, %b : i32
      memref.store %c, %acc[%i] : memref<24xi32, #fragment>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// The second load waits for the index that the first brings: a stage apart.
// CHECK-LABEL: func @loaded_index
// CHECK-NOT: name = "I", versions
// CHECK: name = "S", versions = 2
// CHECK: tile.copy {{.*}}stage<0, order = 3>
// CHECK: memref.load {{.*}}stage<1, order = 1>
// CHECK: tile.copy {{.*}}stage<1, order = 2>
// CHECK: tile.copy {{.*}}stage<3, order = 0>
func.func @loaded_index(%T: memref<?x1xindex>, %G: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %I = tile.alloc {name = "I"} : memref<1xindex, #shared>
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %T[%k, 0] to %I : memref<?x1xindex> to memref<1xindex, #shared>
    %j = memref.load %I[%c0] : memref<1xindex, #shared>
    tile.copy %G[%j, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// A tile updated in place has versions as any other.
// CHECK-LABEL: func @update_in_place
// CHECK: name = "S", versions = 3
// CHECK: tile.copy {{.*}}stage<0, order = 0>
// CHECK: } {tile.stage = #tile.stage<2, order = 1>}
// CHECK: tile.copy {{.*}}stage<2, order = 2>
func.func @update_in_place(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.map (%i) in [16] {
      %a = memref.load %S[%i] : memref<16xf32, #shared>
      %b = arith.addf %a, %a : f32
      memref.store %b, %S[%i] : memref<16xf32, #shared>
    }
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// Two loops share a tile: the allocation has what the deeper one needs.
// CHECK-LABEL: func @two_loops_of_different_depth
// CHECK: name = "S", versions = 4
// CHECK: depth = 2
// CHECK: tile.copy {{.*}}stage<1, order = 1>
// CHECK: depth = 4
// CHECK: tile.copy {{.*}}stage<3, order = 1>
func.func @two_loops_of_different_depth(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 4 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// Two uses of the tile of the loop before: one buffer for both loops.
// CHECK-LABEL: func @tile_passed_to_next_loop
// CHECK-NOT: versions
// CHECK: tile.copy {{.*}}stage<0, order = 1>
// CHECK: tile.copy {{.*}}stage<1, order = 0>
func.func @tile_passed_to_next_loop(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 1 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// The outer loop is planned; the inner one is a statement of it.
// CHECK-LABEL: func @nested
// CHECK: name = "S", versions = 2
// CHECK-NOT: name = "T", versions
// CHECK: tile.pipeline {{.*}}depth = 2>
// CHECK: tile.copy {{.*}}stage<0, order = 0>
// CHECK: tile.pipeline %{{.*}} step %{{[a-z0-9]+}} {
// CHECK-NOT: tile.stage
// CHECK: } {tile.stage = #tile.stage<1, order = 1>}
func.func @nested(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  %T = tile.alloc {name = "T"} : memref<16xf32, #shared>
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%i, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
      tile.copy %A[%k, 0] to %T : memref<?x16xf32> to memref<16xf32, #shared>
      tile.map (%j) in [16] {
        %a = memref.load %S[%j] : memref<16xf32, #shared>
        %b = memref.load %T[%j] : memref<16xf32, #shared>
        %c = arith.addf %a, %b : f32
        memref.store %c, %Y[%k, %j] : memref<?x16xf32>
      }
    }
  }
  return
}

// -----

#shared = #tile.space<shared>

// If the outer loop stays serial, the inner one has its chance.
// CHECK-LABEL: func @inner_of_serial
// CHECK: name = "T", versions = 3
// CHECK: tile.pipeline %{{.*}} step %{{[a-z0-9]+}} {
// CHECK: tile.pipeline {{.*}}depth = 3>
// CHECK: tile.copy {{.*}}stage<0, order = 0>
// CHECK: tile.copy {{.*}}stage<2, order = 1>
func.func @inner_of_serial(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = tile.alloc {name = "T"} : memref<16xf32, #shared>
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
      tile.copy %A[%k, 0] to %T : memref<?x16xf32> to memref<16xf32, #shared>
      tile.copy %T to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>

// Lists stand for statements in source order; depth follows the stages. The use
// is issued before the refill: two versions suffice for two stages.
// CHECK-LABEL: func @manual
// CHECK: name = "S", versions = 2
// CHECK: depth = 3>
// CHECK-NOT: order = [
// CHECK: tile.copy {{.*}}stage<0, order = 2>
// CHECK: tile.copy {{.*}}stage<1, order = 1>
// CHECK: tile.copy {{.*}}stage<2, order = 0>
func.func @manual(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %Z: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1, 2] order = [2, 1, 0] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
    tile.copy %S to %Z[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// Lists may count the scalar operation as well; its entries mean nothing.
// num_stages is the depth then.
// CHECK-LABEL: func @manual_with_scalars
// CHECK-NOT: versions
// CHECK: depth = 4>
// CHECK: arith.addi
// CHECK-NOT: tile.stage
// CHECK: tile.copy {{.*}}stage<0, order = 2>
// CHECK: tile.copy {{.*}}stage<1, order = 1>
func.func @manual_with_scalars(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 4 stage = [7, 0, 1] order = [0, 2, 1] {
    %j = arith.addi %k, %c1 : index
    tile.copy %A[%j, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %Y[%j, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// A value that one stage reads and a later one stores goes through a cell; what
// is computed from it on the way is computed again from the cell.
// CHECK-LABEL: func @scalar_across_stages
// CHECK: name = "S", versions = 2
// CHECK: %[[CELL:.*]] = tile.alloc {name = "scalar0", versions = 2 : i64} : memref<f32, #tile.space<fragment>>
// CHECK: tile.copy {{.*}}stage<0, order = 0>
// CHECK: %[[V:.*]] = memref.load %S[{{.*}}] {tile.stage = #tile.stage<1, order = 1>}
// CHECK-NEXT: memref.store %[[V]], %[[CELL]][] {tile.stage = #tile.stage<1, order = 2>}
// CHECK-NEXT: %[[W:.*]] = memref.load %[[CELL]][] {tile.stage = #tile.stage<2, order = 3>}
// CHECK: %[[D:.*]] = arith.addf %[[W]], %[[W]]
// CHECK-NEXT: memref.store %[[D]], {{.*}}stage<2, order = 4>
func.func @scalar_across_stages(%A: memref<?x16xf32>, %Y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 stage = [0, 1, 2] order = [0, 1, 2] {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    %v = memref.load %S[%c0] : memref<16xf32, #shared>
    %d = arith.addf %v, %v : f32
    memref.store %d, %Y[%k] : memref<?xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// A loop that has a schedule keeps it.
// CHECK-LABEL: func @planned_already
// CHECK: depth = 7>
// CHECK: stage<5, order = 1>
func.func @planned_already(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S", versions = 6 : i64} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 7> {
    tile.copy %A[%k, 0] to %S {tile.stage = #tile.stage<0, order = 0>} : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %Y[%k, 0] {tile.stage = #tile.stage<5, order = 1>} : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// The second loop stays serial, so that its accesses lie outside of pipelines,
// and below an outer loop nobody can follow versions to them: the first loop has
// to do without.
// CHECK-LABEL: func @serial_loop_takes_versions_away
// CHECK-NOT: versions
// CHECK-NOT: schedule
// CHECK: return
func.func @serial_loop_takes_versions_away(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  scf.for %o = %c0 to %n step %c1 {
    tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
      tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
      tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
    }
    tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
      tile.fill %S with %x : f32, memref<16xf32, #shared>
      tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>

// In the block of the allocation the current version can be followed.
// CHECK-LABEL: func @serial_loop_follows_version
// CHECK: name = "S", versions = 3
// CHECK: depth = 3
// CHECK: tile.copy {{.*}}stage<2, order = 1>
// CHECK: tile.pipeline %{{.*}} step %{{[a-z0-9]+}} {
func.func @serial_loop_follows_version(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    tile.fill %S with %x : f32, memref<16xf32, #shared>
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// Both copies fill S under the same condition as its use.
// CHECK-LABEL: func @guarded_body
// CHECK: name = "S", versions = 3
// CHECK: tile.copy {{.*}} if {{.*}}stage<0, order = 0>
// CHECK: tile.copy {{.*}} if {{.*}}stage<2, order = 1>
func.func @guarded_body(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
    %g = arith.cmpi slt, %k, %m : index
    scf.if %g {
      tile.copy %A[%k, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
      tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// A counter that is advanced behind the load moves to the first stage with it.
// CHECK-LABEL: func @carried_index
// CHECK: memref.load {{.*}}stage<0, order = 0>
// CHECK: tile.copy {{.*}}stage<0, order = 1>
// CHECK: memref.store {{.*}}stage<0, order = 2>
// CHECK: tile.copy {{.*}}stage<1, order = 3>
func.func @carried_index(%A: memref<?x16xf32>, %Y: memref<?x16xf32>, %n: index, %init: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = tile.alloc {name = "p"} : memref<index, #fragment>
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  memref.store %init, %p[] : memref<index, #fragment>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    %i = memref.load %p[] : memref<index, #fragment>
    tile.copy %A[%i, 0] to %S : memref<?x16xf32> to memref<16xf32, #shared>
    %next = arith.addi %i, %c1 : index
    memref.store %next, %p[] : memref<index, #fragment>
    tile.copy %S to %Y[%k, 0] : memref<16xf32, #shared> to memref<?x16xf32>
  }
  return
}
