// RUN: tile-opt %s -split-input-file -verify-diagnostics --convert-tile-to-nvgpu

func.func @no_offset() {
  tile.launch (%bx) in [1] threads = 128 {
    // expected-error @below {{cannot be lowered to NVIDIA: it has no offset; run --tile-allocate-memory first}}
    %s = tile.alloc : memref<64xf32, #tile.space<shared>>
  }
  return
}

// -----

func.func @foreign_memory() {
  tile.launch (%bx) in [1] threads = 128 {
    // expected-error @below {{there is no ub memory, only shared and fragment}}
    %s = tile.alloc : memref<64xf32, #tile.space<ub>>
  }
  return
}

// -----

func.func @threads() {
  // expected-error @below {{2048 threads, but a block has at most 1024}}
  tile.launch (%bx) in [1] threads = 2048 {
  }
  return
}

// -----

func.func @not_expanded(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.launch (%bx) in [1] threads = 128 {
    // expected-error @below {{the loop is not expanded; run --inject-software-pipeline first}}
    tile.pipeline %i = %c0 to %n step %c1 {
    }
  }
  return
}

// -----

func.func @not_demoted(%n: index) {
  tile.launch (%bx) in [1] threads = 128 {
    // expected-note @below {{the fragment: an element is accessed outside of a tile.map}}
    %f = tile.alloc : memref<64xf32, #tile.space<fragment>>
    // expected-error @below {{it needs a fragment in shared memory; run --tile-demote-fragments first}}
    %x = memref.load %f[%n] : memref<64xf32, #tile.space<fragment>>
  }
  return
}

// -----

func.func @view() {
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<64xf32, #tile.space<shared>>
    // expected-error @below {{on-chip buffers are used by tile operations, memref.load and memref.store only}}
    %v = memref.cast %s : memref<64xf32, #tile.space<shared>> to memref<?xf32, #tile.space<shared>>
  }
  return
}

// -----

func.func @host_value(%a: memref<4xindex>, %x: f32, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{the value is defined here}}
  %n = memref.load %a[%c0] : memref<4xindex>
  // expected-error @below {{it uses a value that is not computed from the arguments alone}}
  tile.launch (%bx) in [1] threads = 128 {
    memref.store %x, %y[%n] : memref<?xf32>
  }
  return
}
