// RUN: tile-opt %s -split-input-file -verify-diagnostics --convert-tile-to-ascend

#l1 = #tile.space<l1>
#l0c = #tile.space<l0c>

func.func @transposed_f32() {
  tile.launch (%i) in [4] threads = 128 {
    %A = tile.alloc : memref<64x32xf32, #l1>
    %B = tile.alloc : memref<32x48xf32, #l1>
    %C = tile.alloc : memref<64x48xf32, #l0c>
    // expected-error@+1 {{operands of 'f32' must be [m, k] and [n, k]: only elements of 2 bytes are transposed on the way to L0}}
    tile.gemm %A, %B, %C {clear} : memref<64x32xf32, #l1>, memref<32x48xf32, #l1>, memref<64x48xf32, #l0c>
  }
  return
}

// -----

#l1 = #tile.space<l1>
#l0c = #tile.space<l0c>

func.func @half_sums() {
  tile.launch (%i) in [4] threads = 128 {
    %A = tile.alloc : memref<64x32xf16, #l1>
    %B = tile.alloc : memref<32x48xf16, #l1>
    %C = tile.alloc : memref<64x48xf16, #l0c>
    // expected-error@+1 {{operands of 'f16' and sums of 'f16', supported are f16, bf16 and f32 with sums of f32}}
    tile.gemm %A, %B, %C {clear} : memref<64x32xf16, #l1>, memref<32x48xf16, #l1>, memref<64x48xf16, #l0c>
  }
  return
}

// -----

#l1 = #tile.space<l1>
#l0c = #tile.space<l0c>

func.func @odd_shape() {
  tile.launch (%i) in [4] threads = 128 {
    %A = tile.alloc : memref<60x32xf16, #l1>
    %B = tile.alloc : memref<32x48xf16, #l1>
    %C = tile.alloc : memref<60x48xf32, #l0c>
    // expected-error@+1 {{a gemm of 60 x 48 x 32, supported are multiples of 16 x 16 x 16}}
    tile.gemm %A, %B, %C {clear} : memref<60x32xf16, #l1>, memref<32x48xf16, #l1>, memref<60x48xf32, #l0c>
  }
  return
}

// -----

#shared = #tile.space<shared>

func.func @no_spaces() {
  tile.launch (%i) in [4] threads = 128 {
    %A = tile.alloc : memref<64x32xf16, #shared>
    %B = tile.alloc : memref<32x48xf16, #shared>
    %C = tile.alloc : memref<64x48xf32, #shared>
    // expected-error@+1 {{operands must be in l1 and sums in l0c, got shared, shared and shared}}
    tile.gemm %A, %B, %C {clear} : memref<64x32xf16, #shared>, memref<32x48xf16, #shared>, memref<64x48xf32, #shared>
  }
  return
}

// -----

#l0c = #tile.space<l0c>

func.func @sums_from_one(%n: index) {
  %one = arith.constant 1.0 : f32
  tile.launch (%i) in [4] threads = 128 {
    %C = tile.alloc : memref<64x48xf32, #l0c>
    // expected-error@+1 {{sums start at zero, not at another value}}
    tile.fill %C with %one : f32, memref<64x48xf32, #l0c>
  }
  return
}

// -----

#l1 = #tile.space<l1>
#ub = #tile.space<ub>

func.func @no_path() {
  tile.launch (%i) in [4] threads = 128 {
    %A = tile.alloc : memref<64x32xf16, #l1>
    %U = tile.alloc : memref<64x32xf16, #ub>
    // expected-error@+1 {{no path from ub to l1}}
    tile.copy %U to %A : memref<64x32xf16, #ub> to memref<64x32xf16, #l1>
  }
  return
}

// -----

#ub = #tile.space<ub>

func.func @negative_offset(%a: memref<?xf32>, %at: index) {
  tile.launch (%i) in [4] threads = 128 {
    %U = tile.alloc : memref<64xf32, #ub>
    // expected-error@+1 {{offset 0 along the rows of global memory, which may be negative}}
    tile.copy %a[%at] to %U : memref<?xf32> to memref<64xf32, #ub>
  }
  return
}

// -----

#ub = #tile.space<ub>

func.func @transposed_map() {
  tile.launch (%i) in [4] threads = 128 {
    %X = tile.alloc : memref<16x16xf32, #ub>
    %Y = tile.alloc : memref<16x16xf32, #ub>
    tile.map (%a, %b) in [16, 16] {
      // expected-error@+1 {{points of a row are 16 elements apart, not neighbours}}
      %x = memref.load %X[%b, %a] : memref<16x16xf32, #ub>
      memref.store %x, %Y[%a, %b] : memref<16x16xf32, #ub>
    }
  }
  return
}

// -----

#ub = #tile.space<ub>

func.func @unsupported_function() {
  tile.launch (%i) in [4] threads = 128 {
    %X = tile.alloc : memref<16xf32, #ub>
    tile.map (%a) in [16] {
      %x = memref.load %X[%a] : memref<16xf32, #ub>
      // expected-error@+1 {{cannot be vectorised for Ascend: supported are add, sub, mul, div, max, min, abs, neg, exp, log, sqrt, rsqrt, conversions and choices}}
      %y = math.sin %x : f32
      memref.store %y, %X[%a] : memref<16xf32, #ub>
    }
  }
  return
}

// -----

#ub = #tile.space<ub>

func.func @product() {
  tile.launch (%i) in [4] threads = 128 {
    %X = tile.alloc : memref<16x16xf32, #ub>
    %Y = tile.alloc : memref<16xf32, #ub>
    // expected-error@+1 {{supported are sum, max, min, abssum and absmax}}
    tile.reduce <prod> %X into %Y dimension 1 {clear} : memref<16x16xf32, #ub>, memref<16xf32, #ub>
  }
  return
}

// -----

#ub = #tile.space<ub>

func.func @atomic(%a: memref<?xf32>, %x: f32) {
  tile.launch (%i) in [4] threads = 128 {
    // expected-error@+1 {{supported are copies, fills, gemms, maps and reductions}}
    tile.atomic <add> %x, %a[%i] : f32, memref<?xf32>
  }
  return
}

// -----

#ub = #tile.space<ub>

// Zeros are put in by the vector core, which has no bytes.
func.func @edge_of_bytes(%a: memref<70xi8>, %b: memref<70xi8>) {
  tile.launch (%i) in [3] threads = 128 {
    %c32 = arith.constant 32 : index
    %X = tile.alloc : memref<32xi8, #ub>
    %at = arith.muli %i, %c32 : index
    // expected-error@+1 {{tiles of 'i8' that may reach past the edge of global memory, filled are those of f16, bf16, f32, i16 and i32}}
    tile.copy %a[%at] to %X : memref<70xi8> to memref<32xi8, #ub>
    tile.copy %X to %b[%at] : memref<32xi8, #ub> to memref<70xi8>
  }
  return
}

// -----

#ub = #tile.space<ub>

func.func @sums_of_bf16() {
  tile.launch (%i) in [3] threads = 128 {
    %X = tile.alloc : memref<32xbf16, #ub>
    tile.map (%s) in [32] {
      %x = memref.load %X[%s] : memref<32xbf16, #ub>
      // expected-error@+1 {{arithmetic on 'bf16', supported is that on f16, f32, i16 and i32}}
      %y = arith.addf %x, %x : bf16
      memref.store %y, %X[%s] : memref<32xbf16, #ub>
    }
  }
  return
}

// -----

#ub = #tile.space<ub>

func.func @exponential_of_bf16() {
  tile.launch (%i) in [3] threads = 128 {
    %X = tile.alloc : memref<32xbf16, #ub>
    tile.map (%s) in [32] {
      %x = memref.load %X[%s] : memref<32xbf16, #ub>
      // expected-error@+1 {{arithmetic on 'bf16'}}
      %y = math.exp %x : bf16
      memref.store %y, %X[%s] : memref<32xbf16, #ub>
    }
  }
  return
}

// -----

#ub = #tile.space<ub>

func.func @column_of_a_matrix(%a: memref<64x32xf32>) {
  tile.launch (%i) in [1] threads = 128 {
    %X = tile.alloc : memref<16x1xf32, #ub>
    // expected-error@+1 {{rows of 1 elements of 'f32' in the UB, supported are multiples of 32 bytes}}
    tile.copy %a[0, 3] to %X : memref<64x32xf32> to memref<16x1xf32, #ub>
  }
  return
}

// -----

#ub = #tile.space<ub>

func.func @part_of_a_block(%a: memref<64xf32>) {
  tile.launch (%i) in [1] threads = 128 {
    %X = tile.alloc : memref<16xf32, #ub>
    // expected-error@+1 {{starts at element 4 of a tile of 'f32' in the UB, supported are multiples of 32 bytes}}
    tile.copy %a[0] to %X[4] sizes [8] : memref<64xf32> to memref<16xf32, #ub>
  }
  return
}

// -----

func.func @reduces_fragments() {
  tile.launch (%i) in [2] threads = 128 {
    %X = tile.alloc : memref<16x96xf32, #tile.space<fragment>>
    %m = tile.alloc : memref<16xf32, #tile.space<fragment>>
    // expected-error @below {{reaches 'fragment', vector instructions only reach 'ub'}}
    tile.reduce <sum> %X into %m dimension 1 : memref<16x96xf32, #tile.space<fragment>>, memref<16xf32, #tile.space<fragment>>
  }
  return
}

// -----

func.func @vectors(%a: memref<4096xvector<4xf32>>, %c: memref<4096xvector<4xf32>>) {
  tile.launch (%bx) in [1] threads = 128 {
    tile.map (%i) in [4096] {
      // expected-error @below {{elements of type 'vector<4xf32>' are not supported}}
      %x = memref.load %a[%i] : memref<4096xvector<4xf32>>
      memref.store %x, %c[%i] : memref<4096xvector<4xf32>>
    }
  }
  return
}

// -----

func.func @huge_map() {
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc : memref<64x64xf32, #tile.space<ub>>
    %v = tile.alloc : memref<64xf32, #tile.space<ub>>
    // expected-error @below {{has more points than any memory on the chip has elements}}
    tile.map (%i, %j) in [2147483647, 64] {
      %x = memref.load %v[%j] : memref<64xf32, #tile.space<ub>>
      memref.store %x, %s[%i, %j] : memref<64x64xf32, #tile.space<ub>>
    }
  }
  return
}

// -----

// Only kernels exist on the device.
// expected-error @below {{cannot be lowered to Ascend: returns 1 values, but a kernel has none; store them to a memref}}
func.func @result(%x: f32) -> f32 {
  tile.launch (%bx) in [1] threads = 32 {
  }
  return %x : f32
}
