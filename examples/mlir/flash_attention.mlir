// Attention, forward: O = softmax(Q * K^T / sqrt(d)) * V, one head per first grid
// index and 64 queries per second one, head size 64.
//
// The keys are visited in blocks of 64. A running maximum `m` and a running sum
// `l` of each query make the softmax exact without ever holding all scores:
// whenever the maximum grows, what was summed so far is scaled down.
// Exponentials are to base 2; the factor log2(e) is part of the scale.
//
// Ks and Vs get two versions each with `num_stages = 2`: the next block of keys
// is on its way while this one is multiplied.

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @flash_attention(%Q: memref<?x?x64xf16>, %K: memref<?x?x64xf16>,
                           %V: memref<?x?x64xf16>, %O: memref<?x?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  // log2(e) / sqrt(64)
  %scale = arith.constant 0.18033688 : f32
  %heads = memref.dim %Q, %c0 : memref<?x?x64xf16>
  %length = memref.dim %Q, %c1 : memref<?x?x64xf16>
  %blocks = arith.ceildivui %length, %c64 : index

  tile.launch (%head, %by) in [%heads, %blocks] threads = 128 {
    %first = arith.muli %by, %c64 : index
    %Qs = tile.alloc {name = "Qs"} : memref<64x64xf16, #shared>
    %Ks = tile.alloc {name = "Ks"} : memref<64x64xf16, #shared>
    %Vs = tile.alloc {name = "Vs"} : memref<64x64xf16, #shared>
    %S = tile.alloc {name = "S"} : memref<64x64xf32, #fragment>
    %P = tile.alloc {name = "P"} : memref<64x64xf16, #fragment>
    %acc = tile.alloc {name = "acc"} : memref<64x64xf32, #fragment>
    %m = tile.alloc {name = "m"} : memref<64xf32, #fragment>
    %mp = tile.alloc {name = "mp"} : memref<64xf32, #fragment>
    %sc = tile.alloc {name = "sc"} : memref<64xf32, #fragment>
    %rs = tile.alloc {name = "rs"} : memref<64xf32, #fragment>
    %l = tile.alloc {name = "l"} : memref<64xf32, #fragment>
    tile.copy %Q[%head, %first, 0] to %Qs
        : memref<?x?x64xf16> to memref<64x64xf16, #shared>
    tile.fill %acc with %zero : f32, memref<64x64xf32, #fragment>
    tile.fill %m with %low : f32, memref<64xf32, #fragment>
    tile.fill %l with %zero : f32, memref<64xf32, #fragment>

    tile.pipeline %t = %c0 to %blocks step %c1 num_stages = 2 {
      %at = arith.muli %t, %c64 : index
      tile.copy %K[%head, %at, 0] to %Ks
          : memref<?x?x64xf16> to memref<64x64xf16, #shared>
      tile.gemm %Qs, %Ks, %S {transpose_b, clear}
          : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #fragment>
      tile.map (%i, %j) in [64, 64] {
        %key = arith.addi %at, %j : index
        %visible = arith.cmpi ult, %key, %length : index
        %raw = memref.load %S[%i, %j] : memref<64x64xf32, #fragment>
        %scaled = arith.mulf %raw, %scale : f32
        %score = arith.select %visible, %scaled, %low : f32
        memref.store %score, %S[%i, %j] : memref<64x64xf32, #fragment>
      }
      tile.copy %m to %mp : memref<64xf32, #fragment> to memref<64xf32, #fragment>
      tile.reduce <max> %S into %m dimension 1
          : memref<64x64xf32, #fragment>, memref<64xf32, #fragment>
      tile.map (%i) in [64] {
        %old = memref.load %mp[%i] : memref<64xf32, #fragment>
        %new = memref.load %m[%i] : memref<64xf32, #fragment>
        %difference = arith.subf %old, %new : f32
        %factor = math.exp2 %difference : f32
        memref.store %factor, %sc[%i] : memref<64xf32, #fragment>
      }
      tile.map (%i, %j) in [64, 64] {
        %score = memref.load %S[%i, %j] : memref<64x64xf32, #fragment>
        %max = memref.load %m[%i] : memref<64xf32, #fragment>
        %difference = arith.subf %score, %max : f32
        %weight = math.exp2 %difference : f32
        memref.store %weight, %S[%i, %j] : memref<64x64xf32, #fragment>
      }
      tile.reduce <sum> %S into %rs dimension 1 {clear}
          : memref<64x64xf32, #fragment>, memref<64xf32, #fragment>
      tile.map (%i) in [64] {
        %sum = memref.load %l[%i] : memref<64xf32, #fragment>
        %factor = memref.load %sc[%i] : memref<64xf32, #fragment>
        %more = memref.load %rs[%i] : memref<64xf32, #fragment>
        %kept = arith.mulf %sum, %factor : f32
        %total = arith.addf %kept, %more : f32
        memref.store %total, %l[%i] : memref<64xf32, #fragment>
      }
      tile.copy %S to %P : memref<64x64xf32, #fragment> to memref<64x64xf16, #fragment>
      tile.map (%i, %j) in [64, 64] {
        %sum = memref.load %acc[%i, %j] : memref<64x64xf32, #fragment>
        %factor = memref.load %sc[%i] : memref<64xf32, #fragment>
        %kept = arith.mulf %sum, %factor : f32
        memref.store %kept, %acc[%i, %j] : memref<64x64xf32, #fragment>
      }
      tile.copy %V[%head, %at, 0] to %Vs
          : memref<?x?x64xf16> to memref<64x64xf16, #shared>
      tile.gemm %P, %Vs, %acc
          : memref<64x64xf16, #fragment>, memref<64x64xf16, #shared>, memref<64x64xf32, #fragment>
    }

    tile.map (%i, %j) in [64, 64] {
      %sum = memref.load %acc[%i, %j] : memref<64x64xf32, #fragment>
      %total = memref.load %l[%i] : memref<64xf32, #fragment>
      %result = arith.divf %sum, %total : f32
      memref.store %result, %acc[%i, %j] : memref<64x64xf32, #fragment>
    }
    tile.copy %acc to %O[%head, %first, 0] sizes [64, 64]
        : memref<64x64xf32, #fragment> to memref<?x?x64xf32>
  }
  return
}
