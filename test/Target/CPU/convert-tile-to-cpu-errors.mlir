// RUN: tile-opt %s --convert-tile-to-cpu --split-input-file --verify-diagnostics

// expected-error@+1 {{'func.func' op cannot be lowered to the CPU: type 'f8E4M3FNUZ' is not supported}}
func.func @element_type(%A: memref<16xf8E4M3FNUZ>) {
  return
}

// -----

func.func @alloc_type() {
  // expected-error@+1 {{'tile.alloc' op cannot be lowered to the CPU: type 'i128' is not supported}}
  %0 = tile.alloc : memref<16xi128>
  return
}

// -----

func.func @nested_launch() {
  // expected-note@+1 {{which is here}}
  tile.launch (%x) in [4] threads = 32 {
    // expected-error@+1 {{'tile.launch' op cannot be lowered to the CPU inside another launch}}
    tile.launch (%y) in [4] threads = 32 {
    }
  }
  return
}

// -----

// expected-error@+1 {{'func.func' op cannot be lowered to the CPU: takes a '!tile.token'}}
func.func @token(%t: !tile.token) {
  tile.async.wait %t
  return
}

// -----

// expected-error@+1 {{'func.func' op cannot be lowered to the CPU: layout of 'memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>' is not strided}}
func.func @layout(%A: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>) {
  return
}

// -----

func.func @unsized() {
  // expected-error @below {{cannot be lowered to the CPU: type 'memref<2xf32>' is not supported}}
  %a = tile.alloc : memref<4xmemref<2xf32>, #tile.space<shared>>
  return
}

// -----

func.func @unranked(%a: memref<*xf16>, %b: memref<?xf16>) {
  // expected-error @below {{cannot be lowered to the CPU: the rank of what it copies is not known}}
  memref.copy %a, %b : memref<*xf16> to memref<?xf16>
  return
}

// -----

// expected-error @below {{cannot be lowered to the CPU outside a function}}
%g = tile.async.commit ()
