// RUN: tile-translate %s --tile-to-ptx | FileCheck %s

// A maximum of floats is a loop of compare-and-swap. Its first read is atomic as
// well: it runs beside the updates of other threads.
// CHECK-LABEL: .entry maximum
// CHECK:       ld.relaxed.gpu.global.b32
// CHECK:       atom.relaxed.gpu.global.cas.b32
// CHECK-NOT:   ld.global.b32
// CHECK:       ret
func.func @maximum(%Y: memref<4xf32>, %x: f32) {
  tile.launch (%bx) in [1] threads = 32 {
    tile.map (%i) in [4] {
      tile.atomic <max> %x, %Y[%i] : f32, memref<4xf32>
    }
  }
  return
}

// Sums the GPU has.
// CHECK-LABEL: .entry sum
// CHECK:       atom{{.*}}.add.f32
func.func @sum(%Y: memref<4xf32>, %x: f32) {
  tile.launch (%bx) in [1] threads = 32 {
    tile.map (%i) in [4] {
      tile.atomic <add> %x, %Y[%i] : f32, memref<4xf32>
    }
  }
  return
}

// Half a word is swapped with the word around it.
// CHECK-LABEL: .entry half
// CHECK:       ld.relaxed.gpu.global.b32
// CHECK:       atom.relaxed.gpu.global.cas.b32
// CHECK-NOT:   ld.global.b
// CHECK:       ret
func.func @half(%Y: memref<4xf16>, %x: f16) {
  tile.launch (%bx) in [1] threads = 32 {
    tile.map (%i) in [4] {
      tile.atomic <min> %x, %Y[%i] : f16, memref<4xf16>
    }
  }
  return
}
