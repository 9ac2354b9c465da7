// RUN: tile-opt %s --pipeline-planning -split-input-file -verify-diagnostics -o /dev/null

// The scalar is read from a buffer that the body writes, so the read is a
// statement; a manual schedule with no entry for it is refused, and the
// counted statements are named.
// Field case PLAN-06, second variant.

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @scalar_of_written_buffer_needs_an_entry(%A: memref<80xf32>,
                                                   %out: memref<80xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %S2 = tile.alloc {name = "S2"} : memref<1xi32, #fragment>
  %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
  // expected-error @below {{expected 4 entries in 'stage' and 'order', got 2}}
  tile.pipeline %k = %c0 to %c5 step %c1 stage = [0, 1] order = [1, 0] {
    // expected-note @below {{not counted: 'arith.muli' is replayed at its users}}
    %b16 = arith.muli %k, %c16 : index
    // expected-note @below {{not counted: 'arith.index_cast' is replayed at its users}}
    %value = arith.index_cast %b16 : index to i32
    // expected-note @below {{statement 0: 'memref.store'}}
    memref.store %value, %S2[%c0] : memref<1xi32, #fragment>
    // expected-note @below {{statement 1: 'memref.load'}}
    %read = memref.load %S2[%c0] : memref<1xi32, #fragment>
    // expected-note @below {{not counted: 'arith.index_cast' is replayed at its users}}
    %b = arith.index_cast %read : i32 to index
    // expected-note @below {{statement 2: 'tile.copy'}}
    tile.copy %A[%b] to %S : memref<80xf32> to memref<16xf32, #shared>
    // expected-note @below {{statement 3: 'tile.copy'}}
    tile.copy %S to %out[%b] sizes [16] : memref<16xf32, #shared> to memref<80xf32>
  }
  return
}
