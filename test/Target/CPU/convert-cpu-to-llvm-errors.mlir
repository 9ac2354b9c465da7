// RUN: tile-opt %s -split-input-file -verify-diagnostics --convert-cpu-to-llvm

// The conversion of types alone would fail without a place.
// expected-error @below {{cannot be lowered to the CPU: layout of 'memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>' is not strided}}
func.func @layout(%A: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>) {
  return
}
