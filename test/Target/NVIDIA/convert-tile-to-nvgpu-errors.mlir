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

// -----

// Only kernels exist on the device.
// expected-error @below {{cannot be lowered to NVIDIA: returns 1 values, but a kernel has none; store them to a memref}}
func.func @result(%x: f32) -> f32 {
  tile.launch (%bx) in [1] threads = 32 {
  }
  return %x : f32
}

// -----

func.func @host_store(%a: memref<4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{cannot be lowered to NVIDIA: it would run on the host}}
  memref.store %x, %a[%c0] : memref<4xf32>
  tile.launch (%bx) in [1] threads = 32 {
  }
  return
}

// -----

// expected-error @below {{there is control flow around its launches, which needs a program on the host}}
func.func @host_branch(%c: i1) {
  tile.launch (%bx) in [1] threads = 32 {
  }
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tile.launch (%bx) in [1] threads = 32 {
  }
  cf.br ^bb2
^bb2:
  return
}

// -----

// expected-note @below {{which is here}}
func.func @called() {
  tile.launch (%bx) in [1] threads = 32 {
  }
  return
}
func.func @caller() {
  // expected-error @below {{cannot be lowered to NVIDIA: it refers to 'called', of which only the kernels are left}}
  call @called() : () -> ()
  return
}

// -----

// expected-error @below {{the kernel of launch 1 would have the name 'twice_1', which is taken}}
func.func @twice() {
  tile.launch (%bx) in [1] threads = 32 {
  }
  tile.launch (%bx) in [1] threads = 32 {
  }
  return
}
// expected-note @below {{by this}}
func.func @twice_1() {
  return
}

// -----

func.func @too_many_to_plan() {
  // expected-error @below {{9223372036854775807 threads, but a block has at most 1024}}
  tile.launch (%bx) in [1] threads = 9223372036854775807 {
    %r = tile.alloc : memref<64xf32, #tile.space<fragment>>
  }
  return
}

// -----

func.func @vectors(%a: memref<8xvector<4xf32>>) {
  tile.launch (%bx) in [1] threads = 32 {
    // expected-error @below {{elements of type 'vector<4xf32>' are not supported}}
    %s = tile.alloc {offset = 0 : i64} : memref<8xvector<4xf32>, #tile.space<shared>>
    tile.copy %a to %s : memref<8xvector<4xf32>> to memref<8xvector<4xf32>, #tile.space<shared>>
  }
  return
}

// -----

func.func @signed(%a: memref<8xsi32>, %x: si32) {
  tile.launch (%bx) in [1] threads = 32 {
    // expected-error @below {{elements of type 'si32' are not supported}}
    tile.fill %a with %x : si32, memref<8xsi32>
  }
  return
}

// -----

func.func @narrow_atomic(%a: memref<8xf8E5M2>, %x: f8E5M2) {
  tile.launch (%bx) in [1] threads = 32 {
    tile.map (%i) in [8] {
      // expected-error @below {{there are no atomics of elements of type 'f8E5M2'}}
      tile.atomic <add> %x, %a[%i] : f8E5M2, memref<8xf8E5M2>
    }
  }
  return
}

// -----

func.func @wait_at_a_point() {
  tile.launch (%bx) in [1] threads = 32 {
    tile.map (%i) in [8] {
      // expected-error @below {{at a point of a tile.map: all threads have to do it}}
      tile.async.wait pending = 0
    }
  }
  return
}
