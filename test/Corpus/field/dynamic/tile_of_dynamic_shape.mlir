// RUN: tile-opt %s --pipeline-planning -split-input-file -verify-diagnostics -o /dev/null

// On-chip buffers have static shapes: the error names the buffer and the
// dimension, at once.
// Field case DYN-04, DYN-11.

#shared = #tile.space<shared>

func.func @tile_of_dynamic_shape(%n: index) {
  // expected-error @below {{'tile.alloc' op expects a static shape, but dimension 0 of buffer 'S' is dynamic; allocate its upper bound}}
  %S = tile.alloc {name = "S"} : memref<?x32xf16, #shared>
  return
}
