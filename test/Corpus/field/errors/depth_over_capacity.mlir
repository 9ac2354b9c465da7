// RUN: tile-opt %s --pipeline-planning --tile-check-capacity -split-input-file -verify-diagnostics -o /dev/null

// Tiles of 256 x 64 and 64 x 256 in fp16 on 228 KiB: depth 3 fits, depth 4 is
// refused before code is generated, with the bytes of each buffer and the
// depth that fits. An operand that is widened on the way counts with its on-
// chip type.
// Field case VER-16, DIAG-11.

#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 233472, align = 1>], transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>], units = []>
module attributes {tile.target = #toy} {
func.func @depth_3(%A: memref<256x?xf16>, %B: memref<?x256xf16>, %C: memref<256x256xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc {name = "As"} : memref<256x64xf16, #tile.space<shared>>
  %Bs = tile.alloc {name = "Bs"} : memref<64x256xf16, #tile.space<shared>>
  %Cl = tile.alloc {name = "Cl"} : memref<256x256xf32, #tile.space<fragment>>
  tile.fill %Cl with %zero : f32, memref<256x256xf32, #tile.space<fragment>>
  tile.pipeline %k = %c0 to %n step %c64 num_stages = 3 {
    tile.copy %A[0, %k] to %As : memref<256x?xf16> to memref<256x64xf16, #tile.space<shared>>
    tile.copy %B[%k, 0] to %Bs : memref<?x256xf16> to memref<64x256xf16, #tile.space<shared>>
    tile.gemm %As, %Bs, %Cl
        : memref<256x64xf16, #tile.space<shared>>, memref<64x256xf16, #tile.space<shared>>, memref<256x256xf32, #tile.space<fragment>>
  }
  tile.copy %Cl to %C : memref<256x256xf32, #tile.space<fragment>> to memref<256x256xf32>
  return
}
}

// -----

#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 233472, align = 1>], transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>], units = []>
module attributes {tile.target = #toy} {
func.func @depth_4(%A: memref<256x?xf16>, %B: memref<?x256xf16>, %C: memref<256x256xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  // expected-note @below {{buffer 'As' takes 131072 bytes: 4 versions of 32768}}
  %As = tile.alloc {name = "As"} : memref<256x64xf16, #tile.space<shared>>
  // expected-note @below {{buffer 'Bs' takes 131072 bytes: 4 versions of 32768}}
  %Bs = tile.alloc {name = "Bs"} : memref<64x256xf16, #tile.space<shared>>
  %Cl = tile.alloc {name = "Cl"} : memref<256x256xf32, #tile.space<fragment>>
  tile.fill %Cl with %zero : f32, memref<256x256xf32, #tile.space<fragment>>
  // expected-error @below {{needs 262144 bytes of shared memory, but 'toy' has 233472; num_stages = 3 fits in 196608 bytes}}
  tile.pipeline %k = %c0 to %n step %c64 num_stages = 4 {
    tile.copy %A[0, %k] to %As : memref<256x?xf16> to memref<256x64xf16, #tile.space<shared>>
    tile.copy %B[%k, 0] to %Bs : memref<?x256xf16> to memref<64x256xf16, #tile.space<shared>>
    tile.gemm %As, %Bs, %Cl
        : memref<256x64xf16, #tile.space<shared>>, memref<64x256xf16, #tile.space<shared>>, memref<256x256xf32, #tile.space<fragment>>
  }
  tile.copy %Cl to %C : memref<256x256xf32, #tile.space<fragment>> to memref<256x256xf32>
  return
}
}

// -----

#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 233472, align = 1>], transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>], units = []>
module attributes {tile.target = #toy} {
func.func @widened(%A: memref<256x?xf16>, %B: memref<?x256xi8>, %C: memref<256x256xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  // expected-note @below {{buffer 'As' takes 131072 bytes: 4 versions of 32768}}
  %As = tile.alloc {name = "As"} : memref<256x64xf16, #tile.space<shared>>
  // expected-note @below {{buffer 'Bs' takes 131072 bytes: 4 versions of 32768}}
  %Bs = tile.alloc {name = "Bs"} : memref<64x256xf16, #tile.space<shared>>
  %Cl = tile.alloc {name = "Cl"} : memref<256x256xf32, #tile.space<fragment>>
  tile.fill %Cl with %zero : f32, memref<256x256xf32, #tile.space<fragment>>
  // expected-error @below {{needs 262144 bytes of shared memory, but 'toy' has 233472; num_stages = 3 fits in 196608 bytes}}
  tile.pipeline %k = %c0 to %n step %c64 num_stages = 4 {
    tile.copy %A[0, %k] to %As : memref<256x?xf16> to memref<256x64xf16, #tile.space<shared>>
    tile.copy %B[%k, 0] to %Bs : memref<?x256xi8> to memref<64x256xf16, #tile.space<shared>>
    tile.gemm %As, %Bs, %Cl
        : memref<256x64xf16, #tile.space<shared>>, memref<64x256xf16, #tile.space<shared>>, memref<256x256xf32, #tile.space<fragment>>
  }
  tile.copy %Cl to %C : memref<256x256xf32, #tile.space<fragment>> to memref<256x256xf32>
  return
}
}
