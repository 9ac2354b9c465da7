// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-set-target=chip=dav-2201 --tile-assign-spaces

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// There is no way from UB to L1 on this machine.
func.func @operand_and_vector(%h: f16) {
  tile.launch (%i) in [4] threads = 128 {
    // expected-error@+1 {{a tile that a gemm reads is only supported on dav-2201 if it is otherwise only copied from global memory}}
    %A = tile.alloc {name = "A"} : memref<64x32xf16, #shared>
    %B = tile.alloc {name = "B"} : memref<48x32xf16, #shared>
    %C = tile.alloc {name = "C"} : memref<64x48xf32, #fragment>
    tile.map (%r, %s) in [64, 32] {
      memref.store %h, %A[%r, %s] : memref<64x32xf16, #shared> // expected-note {{used otherwise here}}
    }
    // expected-note@+1 {{read by a gemm here}}
    tile.gemm %A, %B, %C {transpose_b} : memref<64x32xf16, #shared>, memref<48x32xf16, #shared>, memref<64x48xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @vector_between_gemms(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.launch (%i) in [4] threads = 128 {
    %A = tile.alloc : memref<64x32xf16, #shared>
    %B = tile.alloc : memref<48x32xf16, #shared>
    // expected-error@+1 {{sums of a gemm that element-wise code uses before the last gemm are not supported on dav-2201}}
    %C = tile.alloc : memref<64x48xf32, #fragment>
    %m = tile.alloc : memref<64xf32, #fragment>
    tile.pipeline %k = %c0 to %n step %c1 {
      tile.gemm %A, %B, %C {transpose_b} : memref<64x32xf16, #shared>, memref<48x32xf16, #shared>, memref<64x48xf32, #fragment>
      // expected-note@+1 {{used here}}
      tile.reduce <max> %C into %m dimension 1 : memref<64x48xf32, #fragment>, memref<64xf32, #fragment>
    }
  }
  return
}

// -----

func.func @gather(%a: memref<?xf32>) {
  tile.launch (%i) in [4] threads = 128 {
    %y = tile.alloc : memref<8xf32, #tile.space<fragment>>
    tile.map (%j) in [8] {
      %k = arith.muli %j, %j : index
      // expected-error@+1 {{cannot reach global memory from vector code: supported are indices of the form invariant + point}}
      %x = memref.load %a[%k] : memref<?xf32>
      memref.store %x, %y[%j] : memref<8xf32, #tile.space<fragment>>
    }
  }
  return
}

// -----

func.func @masked_store(%a: memref<?xf32>, %x: f32, %n: index) {
  tile.launch (%i) in [4] threads = 128 {
    tile.map (%j) in [8] {
      %in = arith.cmpi slt, %j, %n : index
      scf.if %in {
        // expected-error@+1 {{stores that each point makes}}
        memref.store %x, %a[%j] : memref<?xf32>
      }
    }
  }
  return
}

// -----

func.func private @use(memref<8xf32, #tile.space<shared>>)
func.func @unknown_use() {
  tile.launch (%i) in [4] threads = 128 {
    // expected-error@+1 {{cannot tell which memory of dav-2201 holds a buffer that 'func.call' uses}}
    %y = tile.alloc : memref<8xf32, #tile.space<shared>>
    // expected-note@+1 {{used here}}
    func.call @use(%y) : (memref<8xf32, #tile.space<shared>>) -> ()
  }
  return
}
