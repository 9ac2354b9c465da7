// RUN: tile-opt %s --tile-allocate-memory -verify-diagnostics

func.func @unsized() {
  // expected-error @below {{cannot place a buffer of elements without a size: 'memref<4xmemref<2xf32>, #tile.space<shared>>'}}
  %a = tile.alloc : memref<4xmemref<2xf32>, #tile.space<shared>>
  return
}
