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

// So is a byte, and a half that is an integer: the back end's own loop would
// start with an ordinary load of the word.
// CHECK-LABEL: .entry byte
// CHECK-NOT:   ld.global.b
// CHECK:       ld.relaxed.gpu.global.b32
// CHECK-NOT:   ld.global.b
// CHECK:       atom.relaxed.gpu.global.cas.b32
// CHECK:       ret
func.func @byte(%Y: memref<4xi8>, %x: i8) {
  tile.launch (%bx) in [1] threads = 32 {
    tile.map (%i) in [4] {
      tile.atomic <add> %x, %Y[%i] : i8, memref<4xi8>
    }
  }
  return
}

// CHECK-LABEL: .entry short_maximum
// CHECK-NOT:   ld.global.b
// CHECK:       ld.relaxed.gpu.global.b32
// CHECK-NOT:   ld.global.b
// CHECK:       atom.relaxed.gpu.global.cas.b32
// CHECK:       ret
func.func @short_maximum(%Y: memref<4xi16>, %x: i16) {
  tile.launch (%bx) in [1] threads = 32 {
    tile.map (%i) in [4] {
      tile.atomic <max> %x, %Y[%i] : i16, memref<4xi16>
    }
  }
  return
}
