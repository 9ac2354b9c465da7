// RUN: tile-opt %s --pipeline-planning | %python %S/../expectations.py summary | FileCheck %s --match-full-lines
// RUN: tile-run %s --check
// RUN: tile-run %s --minimal-waits | FileCheck %s --check-prefix=WAITS

// Grouped-query attention: 4 query heads share each key/value head; ns=2.
//
//   kv = head // 4
//   for t in 0..6:
//     copy K[kv,t] -> Ks
//     ... softmax ...
//     copy V[kv,t] -> Vs
//     acc += P @ Vs

// CHECK: @flash_gqa_ns2
// CHECK-NEXT: loop: depth 2 stage [0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 2] order [2, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 11]
// CHECK-NEXT: versions: Ks:2 Vs:2

// WAITS: waits: 10 needed, 0 can be loosened, 0 not executed

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @flash_gqa_ns2(%Q: memref<8x16x16xf16>, %K: memref<2x96x16xf16>,
                         %V: memref<2x96x16xf16>, %O: memref<8x16x16xf32>,
                         %L: memref<8x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  tile.launch (%head) in [8] threads = 128 {
    %Qs = tile.alloc {name = "Qs"} : memref<16x16xf16, #shared>
    %Ks = tile.alloc {name = "Ks"} : memref<16x16xf16, #shared>
    %Vs = tile.alloc {name = "Vs"} : memref<16x16xf16, #shared>
    %S = tile.alloc {name = "S"} : memref<16x16xf32, #fragment>
    %P = tile.alloc {name = "P"} : memref<16x16xf16, #fragment>
    %acc = tile.alloc {name = "acc"} : memref<16x16xf32, #fragment>
    %m = tile.alloc {name = "m"} : memref<16xf32, #fragment>
    %mp = tile.alloc {name = "mp"} : memref<16xf32, #fragment>
    %sc = tile.alloc {name = "sc"} : memref<16xf32, #fragment>
    %rs = tile.alloc {name = "rs"} : memref<16xf32, #fragment>
    %l = tile.alloc {name = "l"} : memref<16xf32, #fragment>
    %kv = arith.divui %head, %c4 : index
    tile.copy %Q[%head, 0, 0] to %Qs : memref<8x16x16xf16> to memref<16x16xf16, #shared>
    tile.fill %acc with %zero : f32, memref<16x16xf32, #fragment>
    tile.fill %m with %low : f32, memref<16xf32, #fragment>
    tile.fill %l with %zero : f32, memref<16xf32, #fragment>
    tile.pipeline %t = %c0 to %c6 step %c1 num_stages = 2 {
      %at = arith.muli %t, %c16 : index
      tile.copy %K[%kv, %at, 0] to %Ks : memref<2x96x16xf16> to memref<16x16xf16, #shared>
      tile.fill %S with %zero : f32, memref<16x16xf32, #fragment>
      tile.gemm %Qs, %Ks, %S {transpose_b}
          : memref<16x16xf16, #shared>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
      tile.copy %m to %mp : memref<16xf32, #fragment> to memref<16xf32, #fragment>
      tile.reduce <max> %S into %m dimension 1
          : memref<16x16xf32, #fragment>, memref<16xf32, #fragment>
      tile.map (%a) in [16] {
        %old = memref.load %mp[%a] : memref<16xf32, #fragment>
        %new = memref.load %m[%a] : memref<16xf32, #fragment>
        %d = arith.subf %old, %new : f32
        %e = math.exp2 %d : f32
        memref.store %e, %sc[%a] : memref<16xf32, #fragment>
      }
      tile.map (%a, %b) in [16, 16] {
        %x = memref.load %S[%a, %b] : memref<16x16xf32, #fragment>
        %max = memref.load %m[%a] : memref<16xf32, #fragment>
        %d = arith.subf %x, %max : f32
        %e = math.exp2 %d : f32
        memref.store %e, %S[%a, %b] : memref<16x16xf32, #fragment>
      }
      tile.reduce <sum> %S into %rs dimension 1 {clear}
          : memref<16x16xf32, #fragment>, memref<16xf32, #fragment>
      tile.map (%a) in [16] {
        %sum = memref.load %l[%a] : memref<16xf32, #fragment>
        %scale = memref.load %sc[%a] : memref<16xf32, #fragment>
        %row = memref.load %rs[%a] : memref<16xf32, #fragment>
        %scaled = arith.mulf %sum, %scale : f32
        %n = arith.addf %scaled, %row : f32
        memref.store %n, %l[%a] : memref<16xf32, #fragment>
      }
      tile.copy %S to %P : memref<16x16xf32, #fragment> to memref<16x16xf16, #fragment>
      tile.map (%a, %b) in [16, 16] {
        %x = memref.load %acc[%a, %b] : memref<16x16xf32, #fragment>
        %scale = memref.load %sc[%a] : memref<16xf32, #fragment>
        %n = arith.mulf %x, %scale : f32
        memref.store %n, %acc[%a, %b] : memref<16x16xf32, #fragment>
      }
      tile.copy %V[%kv, %at, 0] to %Vs : memref<2x96x16xf16> to memref<16x16xf16, #shared>
      tile.gemm %P, %Vs, %acc
          : memref<16x16xf16, #fragment>, memref<16x16xf16, #shared>, memref<16x16xf32, #fragment>
    }
    tile.copy %acc to %O[%head, 0, 0] sizes [16, 16]
        : memref<16x16xf32, #fragment> to memref<8x16x16xf32>
    tile.copy %l to %L[%head, 0] sizes [16] : memref<16xf32, #fragment> to memref<8x16xf32>
  }
  return
}
