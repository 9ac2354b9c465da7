// RUN: tile-opt %s --tile-check-capacity -split-input-file -verify-diagnostics
// RUN: tile-opt %s --tile-allocate-memory -split-input-file -verify-diagnostics

#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 233472, align = 16>], transfers = [], units = []>
module attributes {tile.target = #toy} {
func.func @three_stages_fit(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<256x256xf32, #tile.space<fragment>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-note @below {{buffer 'As' takes 131072 bytes: 4 versions of 32768}}
  %As = tile.alloc {name = "As", versions = 4} : memref<256x64xf16, #tile.space<shared>>
  // expected-note @below {{buffer 'Bs' takes 131072 bytes: 4 versions of 32768}}
  %Bs = tile.alloc {name = "Bs", versions = 4} : memref<64x256xf16, #tile.space<shared>>
  // expected-error @below {{needs 262144 bytes of shared memory, but 'toy' has 233472; num_stages = 3 fits in 196608 bytes}}
  tile.pipeline %k = %c0 to %n step %c64 schedule = #tile.pipeline_schedule<depth = 4> {
    tile.copy %A[0, %k] to %As {tile.stage = #tile.stage<0, order = 0>} : memref<?x?xf16> to memref<256x64xf16, #tile.space<shared>>
    tile.copy %B[%k, 0] to %Bs {tile.stage = #tile.stage<0, order = 1>} : memref<?x?xf16> to memref<64x256xf16, #tile.space<shared>>
    tile.gemm %As, %Bs, %C {tile.stage = #tile.stage<3, order = 2>} : memref<256x64xf16, #tile.space<shared>>, memref<64x256xf16, #tile.space<shared>>, memref<256x256xf32, #tile.space<fragment>>
  }
  return
}
}

// -----

// The same after the versions became a dimension: the slots tell.
#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 233472, align = 16>], transfers = [], units = []>
module attributes {tile.target = #toy} {
func.func @versioned_buffers(%i: index, %v: f16) {
  // expected-error @below {{needs 262144 bytes of shared memory, but 'toy' has 233472; num_stages = 3 fits in 196608 bytes}}
  // expected-note @below {{buffer 'As' takes 131072 bytes: 4 versions of 32768}}
  %As = tile.alloc {name = "As"} : memref<4x256x64xf16, #tile.space<shared>>
  // expected-note @below {{buffer 'Bs' takes 131072 bytes: 4 versions of 32768}}
  %Bs = tile.alloc {name = "Bs"} : memref<4x64x256xf16, #tile.space<shared>>
  %a = tile.slot %As[%i] : memref<4x256x64xf16, #tile.space<shared>> -> memref<256x64xf16, #tile.space<shared>>
  %b = tile.slot %Bs[%i] : memref<4x64x256xf16, #tile.space<shared>> -> memref<64x256xf16, #tile.space<shared>>
  tile.fill %a with %v : f16, memref<256x64xf16, #tile.space<shared>>
  tile.fill %b with %v : f16, memref<64x256xf16, #tile.space<shared>>
  tile.fill %a with %v : f16, memref<256x64xf16, #tile.space<shared>>
  return
}
}

// -----

#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 233472, align = 16>], transfers = [], units = []>
module attributes {tile.target = #toy} {
func.func @fourteen_stages_fit(%A: memref<?x?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  // expected-note @below {{buffer 'As' takes 131072 bytes: 16 versions of 8192}}
  %As = tile.alloc {name = "As", versions = 16} : memref<128x32xf16, #tile.space<shared>>
  // expected-note @below {{buffer 'Bs' takes 131072 bytes: 16 versions of 8192}}
  %Bs = tile.alloc {name = "Bs", versions = 16} : memref<32x128xf16, #tile.space<shared>>
  // expected-error @below {{needs 262144 bytes of shared memory, but 'toy' has 233472; num_stages = 14 fits in 229376 bytes}}
  tile.pipeline %k = %c0 to %n step %c32 schedule = #tile.pipeline_schedule<depth = 16> {
    tile.copy %A[0, %k] to %As {tile.stage = #tile.stage<0, order = 0>} : memref<?x?xf16> to memref<128x32xf16, #tile.space<shared>>
    tile.copy %A[%k, 0] to %Bs {tile.stage = #tile.stage<0, order = 1>} : memref<?x?xf16> to memref<32x128xf16, #tile.space<shared>>
  }
  return
}
}

// -----

// A buffer with fewer versions than the depth keeps them.
#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 5119, align = 16>], transfers = [], units = []>
module attributes {tile.target = #toy} {
func.func @uneven_versions(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{buffer 'a' takes 4096 bytes: 4 versions of 1024}}
  %a = tile.alloc {name = "a", versions = 4} : memref<256xf32, #tile.space<shared>>
  // expected-note @below {{buffer 'b' takes 2048 bytes: 2 versions of 1024}}
  %b = tile.alloc {name = "b", versions = 2} : memref<256xf32, #tile.space<shared>>
  // expected-error @below {{needs 6144 bytes of shared memory, but 'toy' has 5119; num_stages = 2 fits in 4096 bytes}}
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 4> {
    tile.fill %a with %v {tile.stage = #tile.stage<0, order = 0>} : f32, memref<256xf32, #tile.space<shared>>
    tile.fill %b with %v {tile.stage = #tile.stage<0, order = 1>} : f32, memref<256xf32, #tile.space<shared>>
  }
  return
}
}

// -----

// What counts is the element type on chip: 8-bit weights are widened by the copy.
#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 2047, align = 16>], transfers = [], units = []>
module attributes {tile.target = #toy} {
func.func @widened_on_the_fly(%W: memref<?xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{buffer 'w' takes 2048 bytes: 2 versions of 1024}}
  %w = tile.alloc {name = "w", versions = 2} : memref<512xf16, #tile.space<shared>>
  // expected-error @below {{needs 2048 bytes of shared memory, but 'toy' has 2047; num_stages = 1 fits in 1024 bytes}}
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 2> {
    tile.copy %W[%k] to %w {tile.stage = #tile.stage<0, order = 0>} : memref<?xi8> to memref<512xf16, #tile.space<shared>>
  }
  return
}
}

// -----

#toy = #tile.target<"toy", memories = [#tile.memory<ub, capacity = 65535, align = 32>], transfers = [], units = []>
module attributes {tile.target = #toy} {
func.func @never_fits(%v: f32) {
  // expected-error @below {{needs 65536 bytes of ub memory, but 'toy' has 65535; it does not fit with one version of each buffer either}}
  // expected-note @below {{buffer 'big' takes 65536 bytes}}
  %big = tile.alloc {name = "big"} : memref<16384xf32, #tile.space<ub>>
  tile.fill %big with %v : f32, memref<16384xf32, #tile.space<ub>>
  return
}
}

// -----

// Sizes that no integer holds do not wrap around.
#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 233472, align = 16>], transfers = [], units = []>
module attributes {tile.target = #toy} {
func.func @huge(%v: f32) {
  // expected-error @below {{needs 1152921504606846976 bytes of shared memory, but 'toy' has 233472}}
  // expected-note @below {{buffer 'x' takes 1152921504606846976 bytes}}
  %x = tile.alloc {name = "x"} : memref<4611686018427387904x16xf32, #tile.space<shared>>
  tile.fill %x with %v : f32, memref<4611686018427387904x16xf32, #tile.space<shared>>
  return
}
}
