// RUN: tile-opt %s --tile-check-bounds --split-input-file --verify-diagnostics

#shared = #tile.space<shared>

func.func @some_points(%Y: memref<16xf32>) {
  %c8 = arith.constant 8 : index
  tile.launch (%bx) in [4] threads = 32 {
    // expected-note @+1 {{the buffer}}
    %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
    tile.map (%i) in [16] {
      %j = arith.addi %i, %c8 : index
      // expected-error @+1 {{index of dimension 0 is 8 to 23, but 'S' has 16 elements there}}
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      memref.store %x, %Y[%i] : memref<16xf32>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>

func.func @block_and_loop(%v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  tile.launch (%bx) in [5] threads = 32 {
    // expected-note @+1 {{the buffer}}
    %S = tile.alloc {name = "S"} : memref<4x16xf32, #shared>
    scf.for %k = %c0 to %c4 step %c1 {
      %i = arith.subi %k, %c1 : index
      // expected-error @+1 {{index of dimension 1 is -1 to 2, but 'S' has 16 elements there}}
      memref.store %v, %S[%k, %i] : memref<4x16xf32, #shared>
      // expected-error @+1 {{index of dimension 0 is 0 to 4, but 'S' has 4 elements there}}
      tile.atomic <add> %v, %S[%bx, %c3] : f32, memref<4x16xf32, #shared>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>

func.func @under_a_condition(%n: index, %v: f32) {
  %c16 = arith.constant 16 : index
  tile.launch (%bx) in [5] threads = 32 {
    // expected-note @+1 {{the buffer}}
    %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
    %large = arith.cmpi sge, %n, %c16 : index
    scf.if %large {
      // expected-error @+1 {{index of dimension 0 is at least 16, but 'S' has 16 elements there}}
      memref.store %v, %S[%n] : memref<16xf32, #shared>
    }
  }
  return
}
