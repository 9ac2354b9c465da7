// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-demote-fragments | FileCheck %s

#fragment = #tile.space<fragment>
#shared = #tile.space<shared>

// What agrees element by element stays in registers.
// CHECK-LABEL: @softmax_rows
// CHECK-COUNT-2: tile.alloc {{.*}}#tile.space<fragment>>
func.func @softmax_rows(%x: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {name = "s"} : memref<64x32xf32, #fragment>
    %m = tile.alloc {name = "m"} : memref<64xf32, #fragment>
    tile.copy %x to %s : memref<64x32xf32> to memref<64x32xf32, #fragment>
    tile.reduce <max> %s into %m dimension 1 {clear}
        : memref<64x32xf32, #fragment>, memref<64xf32, #fragment>
    tile.map (%i, %j) in [64, 32] {
      %a = memref.load %s[%i, %j] : memref<64x32xf32, #fragment>
      %b = memref.load %m[%i] : memref<64xf32, #fragment>
      %c = arith.subf %a, %b : f32
      memref.store %c, %s[%i, %j] : memref<64x32xf32, #fragment>
    }
    tile.copy %s to %x : memref<64x32xf32, #fragment> to memref<64x32xf32>
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// A neighbour is in another thread.
// CHECK-LABEL: @neighbour
// CHECK: %f = tile.alloc {name = "f"} : memref<64xf32, #tile.space<shared>>
// CHECK: %g = tile.alloc {name = "g"} : memref<64xf32, #tile.space<fragment>>
// CHECK: memref.load %f{{.*}}#tile.space<shared>>
func.func @neighbour() {
  %c1 = arith.constant 1 : index
  tile.launch (%bx) in [1] threads = 128 {
    // expected-remark @below {{fragment 'f' lives in shared memory: an index is not a coordinate of the tile.map}}
    %f = tile.alloc {name = "f"} : memref<64xf32, #fragment>
    %g = tile.alloc {name = "g"} : memref<64xf32, #fragment>
    tile.map (%i) in [63] {
      %j = arith.addi %i, %c1 : index
      // expected-note @below {{here}}
      %x = memref.load %f[%j] : memref<64xf32, #fragment>
      memref.store %x, %g[%i] : memref<64xf32, #fragment>
    }
  }
  return
}

// -----

#fragment = #tile.space<fragment>
#shared = #tile.space<shared>

// A vector along rows cannot be distributed along columns as well.
// CHECK-LABEL: @rows_and_columns
// CHECK: name = "s"{{.*}}#tile.space<fragment>>
// CHECK: name = "v"{{.*}}#tile.space<shared>>
func.func @rows_and_columns() {
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {name = "s"} : memref<64x64xf32, #fragment>
    // expected-remark @below {{fragment 'v' lives in shared memory: its uses need different distributions over the threads}}
    %v = tile.alloc {name = "v"} : memref<64xf32, #fragment>
    tile.reduce <sum> %s into %v dimension 1 {clear}
        : memref<64x64xf32, #fragment>, memref<64xf32, #fragment>
    tile.map (%i, %j) in [64, 64] {
      // expected-note @below {{here}}
      %x = memref.load %v[%j] : memref<64xf32, #fragment>
      memref.store %x, %s[%i, %j] : memref<64x64xf32, #fragment>
    }
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// Versions are chosen at run time, registers are not.
// CHECK-LABEL: @versions
// CHECK: tile.slot {{.*}}memref<2x64xf32, #tile.space<shared>> -> memref<64xf32, #tile.space<shared>>
func.func @versions(%n: index, %x: f32) {
  tile.launch (%bx) in [1] threads = 128 {
    // expected-remark @below {{it has versions}}
    %f = tile.alloc {name = "f"} : memref<2x64xf32, #fragment>
    // expected-note @below {{here}}
    %v = tile.slot %f[%n] : memref<2x64xf32, #fragment> -> memref<64xf32, #fragment>
    tile.fill %v with %x : f32, memref<64xf32, #fragment>
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// Every thread has its copy of one element. A single point is computed by all;
// one point of many by one.
// CHECK-LABEL: @one_element
// CHECK: name = "all"{{.*}}#tile.space<fragment>>
// CHECK: name = "one"{{.*}}#tile.space<shared>>
func.func @one_element(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  tile.launch (%bx) in [1] threads = 128 {
    %all = tile.alloc {name = "all"} : memref<1xf32, #fragment>
    // expected-remark @below {{fragment 'one' lives in shared memory: one point of a tile.map stores to it}}
    %one = tile.alloc {name = "one"} : memref<1xf32, #fragment>
    tile.map (%i) in [1] {
      %v = memref.load %x[%i] : memref<64xf32>
      memref.store %v, %all[%i] : memref<1xf32, #fragment>
    }
    tile.map (%i) in [64] {
      %v = memref.load %x[%i] : memref<64xf32>
      %is = arith.cmpi eq, %i, %c5 : index
      scf.if %is {
        // expected-note @below {{here}}
        memref.store %v, %one[%c0] : memref<1xf32, #fragment>
      }
    }
    tile.map (%i) in [64] {
      %v = memref.load %all[%c0] : memref<1xf32, #fragment>
      %w = memref.load %one[%c0] : memref<1xf32, #fragment>
      %s = arith.addf %v, %w : f32
      memref.store %s, %x[%i] : memref<64xf32>
    }
  }
  return
}
