// RUN: tile-opt %s --split-input-file --verify-diagnostics --multi-buffer-versioning

#shared = #tile.space<shared>

func.func @escapes_through_branch(%p: i1, %q: memref<64xf32, #shared>) {
  // expected-note @+1 {{buffer allocated here}}
  %b = tile.alloc {name = "As", versions = 3} : memref<64xf32, #shared>
  // expected-error @+1 {{'arith.select' op passes on buffer 'As', whose 3 versions cannot be followed there}}
  %x = arith.select %p, %b, %q : memref<64xf32, #shared>
  %z = arith.constant 0.0 : f32
  tile.fill %x with %z : f32, memref<64xf32, #shared>
  return
}

// -----

#shared = #tile.space<shared>

func.func @escapes_through_return() -> memref<64xf32, #shared> {
  // expected-note @+1 {{buffer allocated here}}
  %b = tile.alloc {name = "As", versions = 3} : memref<64xf32, #shared>
  // expected-error @+1 {{'func.return' op passes on buffer 'As', whose 3 versions cannot be followed there}}
  return %b : memref<64xf32, #shared>
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

// Which slot is current after the outer loop depends on how often it ran.
func.func @nested_loop_decides(%n: index, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %b = tile.alloc {name = "As", versions = 3} : memref<64xf32, #shared>
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{planned loop is here}}
    tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
      tile.fill %b with %z {tile.stage = #tile.stage<0, order = 0>} : f32, memref<64xf32, #shared>
    }
  }
  // expected-error @+1 {{'tile.copy' op needs the current one of the 3 versions of buffer 'As', which a nested planned loop decides}}
  tile.copy %b to %B : memref<64xf32, #shared> to memref<64xf32>
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

func.func @allocated_inside(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  // expected-note @+1 {{planned loop is here}}
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    // expected-error @+1 {{'tile.alloc' op has 3 versions but is allocated inside a planned loop}}
    %b = tile.alloc {versions = 3} : memref<64xf32, #shared>
    tile.fill %b with %z {tile.stage = #tile.stage<0, order = 0>} : f32, memref<64xf32, #shared>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

func.func @other_block(%n: index, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  // expected-note @+1 {{buffer allocated here}}
  %b = tile.alloc {name = "As", versions = 3} : memref<64xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.fill %b with %z {tile.stage = #tile.stage<0, order = 0>} : f32, memref<64xf32, #shared>
  }
  cf.br ^next
^next:
  // expected-error @+1 {{'tile.copy' op needs the current one of the 3 versions of buffer 'As', but is in another block than its allocation}}
  tile.copy %b to %B : memref<64xf32, #shared> to memref<64xf32>
  return
}
