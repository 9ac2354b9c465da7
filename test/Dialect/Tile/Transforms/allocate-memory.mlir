// RUN: tile-opt %s --tile-allocate-memory -split-input-file | FileCheck %s

#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 233472, align = 16>], transfers = [], units = []>
module attributes {tile.target = #toy} {

// Offsets are bytes, whatever the element types are.
// CHECK-LABEL: func.func @arena_of_mixed_types
// CHECK: tile.alloc {name = "a", offset = 0 : i64} : memref<64xf32
// CHECK: tile.alloc {name = "b", offset = 256 : i64} : memref<256xf16
// CHECK: tile.alloc {name = "c", offset = 768 : i64} : memref<256xi8
func.func @arena_of_mixed_types(%A: memref<64xf32>, %B: memref<256xf16>, %C: memref<256xi8>) {
  %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<256xf16, #tile.space<shared>>
  %c = tile.alloc {name = "c"} : memref<256xi8, #tile.space<shared>>
  %0 = tile.async.copy %A to %a : memref<64xf32> to memref<64xf32, #tile.space<shared>>
  %1 = tile.async.copy %B to %b : memref<256xf16> to memref<256xf16, #tile.space<shared>>
  %2 = tile.async.copy %C to %c : memref<256xi8> to memref<256xi8, #tile.space<shared>>
  %g = tile.async.commit %0, %1, %2
  tile.async.wait %g
  return
}

// CHECK-LABEL: func.func @reuse_after_last_access
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 256 : i64}
// CHECK: tile.alloc {name = "c", offset = 0 : i64}
func.func @reuse_after_last_access(%v: f32) {
  %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
  %c = tile.alloc {name = "c"} : memref<64xf32, #tile.space<shared>>
  tile.fill %a with %v : f32, memref<64xf32, #tile.space<shared>>
  tile.copy %a to %b : memref<64xf32, #tile.space<shared>> to memref<64xf32, #tile.space<shared>>
  tile.copy %b to %c : memref<64xf32, #tile.space<shared>> to memref<64xf32, #tile.space<shared>>
  return
}

// P is written before the loop and read in each iteration: it lives on after
// its last access in the text, so neither Q nor R may take its place.
// CHECK-LABEL: func.func @live_around_back_edge
// CHECK: tile.alloc {name = "P", offset = 0 : i64}
// CHECK: tile.alloc {name = "Q", offset = 256 : i64}
// CHECK: tile.alloc {name = "R", offset = 512 : i64}
func.func @live_around_back_edge(%A: memref<3x64xf32>, %O: memref<3x64xf32>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %P = tile.alloc {name = "P"} : memref<64xf32, #tile.space<shared>>
  %Q = tile.alloc {name = "Q"} : memref<64xf32, #tile.space<shared>>
  %R = tile.alloc {name = "R"} : memref<64xf32, #tile.space<shared>>
  tile.fill %P with %v : f32, memref<64xf32, #tile.space<shared>>
  scf.for %i = %c0 to %n step %c1 {
    tile.map (%t) in [64] {
      %p = memref.load %P[%t] : memref<64xf32, #tile.space<shared>>
      memref.store %p, %Q[%t] : memref<64xf32, #tile.space<shared>>
    }
    tile.copy %Q to %R : memref<64xf32, #tile.space<shared>> to memref<64xf32, #tile.space<shared>>
    tile.copy %R to %O[%i, 0] sizes [64] : memref<64xf32, #tile.space<shared>> to memref<3x64xf32>
  }
  return
}

// A buffer that is allocated in the loop does not outlive the iteration.
// CHECK-LABEL: func.func @allocated_in_loop
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 256 : i64}
// CHECK: tile.alloc {name = "c", offset = 0 : i64}
func.func @allocated_in_loop(%v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
    %c = tile.alloc {name = "c"} : memref<64xf32, #tile.space<shared>>
    tile.fill %a with %v : f32, memref<64xf32, #tile.space<shared>>
    tile.copy %a to %b : memref<64xf32, #tile.space<shared>> to memref<64xf32, #tile.space<shared>>
    tile.copy %b to %c : memref<64xf32, #tile.space<shared>> to memref<64xf32, #tile.space<shared>>
  }
  return
}

// The branches of an if exclude each other.
// CHECK-LABEL: func.func @branches
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 0 : i64}
func.func @branches(%v: f32, %g: i1) {
  %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
  scf.if %g {
    tile.fill %a with %v : f32, memref<64xf32, #tile.space<shared>>
  } else {
    tile.fill %b with %v : f32, memref<64xf32, #tile.space<shared>>
  }
  return
}

// Nothing waits for the copy before b is filled: it may still write a.
// CHECK-LABEL: func.func @copy_in_flight
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 256 : i64}
// CHECK: tile.alloc {name = "c", offset = 0 : i64}
func.func @copy_in_flight(%A: memref<64xf32>, %v: f32) {
  %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
  %c = tile.alloc {name = "c"} : memref<64xf32, #tile.space<shared>>
  %t = tile.async.copy %A to %a : memref<64xf32> to memref<64xf32, #tile.space<shared>>
  %g = tile.async.commit %t
  tile.fill %b with %v : f32, memref<64xf32, #tile.space<shared>>
  tile.async.wait %g
  tile.fill %c with %v : f32, memref<64xf32, #tile.space<shared>>
  return
}

// The wait lets one group pass: it completes the copy only because another
// group was committed after the copy's.
// CHECK-LABEL: func.func @count_of_newer_groups
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 256 : i64}
// CHECK: tile.alloc {name = "c", offset = 0 : i64}
func.func @count_of_newer_groups(%A: memref<64xf32>, %v: f32) {
  %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
  %c = tile.alloc {name = "c"} : memref<64xf32, #tile.space<shared>>
  %t = tile.async.copy %A to %a : memref<64xf32> to memref<64xf32, #tile.space<shared>>
  %g = tile.async.commit %t
  tile.async.wait pending = 1
  tile.fill %b with %v : f32, memref<64xf32, #tile.space<shared>>
  %e = tile.async.commit ()
  tile.async.wait pending = 1
  tile.fill %c with %v : f32, memref<64xf32, #tile.space<shared>>
  return
}

// In flight over the back edge: the copy of the last iteration lands at the
// wait after the loop, and memory of the body must stay out of its way.
// CHECK-LABEL: func.func @in_flight_over_back_edge
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 256 : i64}
// CHECK: tile.alloc {name = "c", offset = 256 : i64}
// CHECK: tile.alloc {name = "d", offset = 0 : i64}
func.func @in_flight_over_back_edge(%A: memref<64xf32>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
    %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
    tile.fill %b with %v : f32, memref<64xf32, #tile.space<shared>>
    %t = tile.async.copy %A to %a : memref<64xf32> to memref<64xf32, #tile.space<shared>>
    %g = tile.async.commit %t
    tile.async.wait pending = 1
  }
  %c = tile.alloc {name = "c"} : memref<64xf32, #tile.space<shared>>
  tile.fill %c with %v : f32, memref<64xf32, #tile.space<shared>>
  tile.async.wait pending = 0
  %d = tile.alloc {name = "d"} : memref<64xf32, #tile.space<shared>>
  tile.fill %d with %v : f32, memref<64xf32, #tile.space<shared>>
  return
}

// A wait in only one branch promises nothing.
// CHECK-LABEL: func.func @wait_in_one_branch
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 256 : i64}
func.func @wait_in_one_branch(%A: memref<64xf32>, %v: f32, %q: i1) {
  %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
  %t = tile.async.copy %A to %a : memref<64xf32> to memref<64xf32, #tile.space<shared>>
  %g = tile.async.commit %t
  scf.if %q {
    tile.async.wait pending = 0
  }
  tile.fill %b with %v : f32, memref<64xf32, #tile.space<shared>>
  return
}

// Nor does a commit in only one branch; in both it does.
// CHECK-LABEL: func.func @commits_in_branches
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 256 : i64}
// CHECK: tile.alloc {name = "c", offset = 0 : i64}
func.func @commits_in_branches(%A: memref<64xf32>, %v: f32, %q: i1) {
  %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
  %c = tile.alloc {name = "c"} : memref<64xf32, #tile.space<shared>>
  %t = tile.async.copy %A to %a : memref<64xf32> to memref<64xf32, #tile.space<shared>>
  %g = tile.async.commit %t
  scf.if %q {
    %e = tile.async.commit ()
  } else {
    tile.async.wait pending = 7
  }
  tile.async.wait pending = 1
  tile.fill %b with %v : f32, memref<64xf32, #tile.space<shared>>
  scf.if %q {
    %e = tile.async.commit ()
  } else {
    %e = tile.async.commit ()
    %f = tile.async.commit ()
  }
  tile.async.wait pending = 1
  tile.fill %c with %v : f32, memref<64xf32, #tile.space<shared>>
  return
}

// Accesses through views and slots are accesses.
// CHECK-LABEL: func.func @views
// CHECK: tile.alloc {name = "a", offset = 0 : i64} : memref<3x64xf32
// CHECK: tile.alloc {name = "b", offset = 768 : i64}
// CHECK: tile.alloc {name = "c", offset = 0 : i64}
func.func @views(%v: f32, %i: index) {
  %a = tile.alloc {name = "a"} : memref<3x64xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
  %c = tile.alloc {name = "c"} : memref<64xf32, #tile.space<shared>>
  %s = tile.slot %a[%i] : memref<3x64xf32, #tile.space<shared>> -> memref<64xf32, #tile.space<shared>>
  %w = memref.subview %s[%i] [8] [1] : memref<64xf32, #tile.space<shared>> to memref<8xf32, strided<[1], offset: ?>, #tile.space<shared>>
  tile.fill %s with %v : f32, memref<64xf32, #tile.space<shared>>
  tile.fill %b with %v : f32, memref<64xf32, #tile.space<shared>>
  tile.fill %w with %v : f32, memref<8xf32, strided<[1], offset: ?>, #tile.space<shared>>
  tile.fill %c with %v : f32, memref<64xf32, #tile.space<shared>>
  return
}

// Which buffer the select names is not known: both live to its last access; a
// buffer that a loop carries lives everywhere.
// CHECK-LABEL: func.func @hidden_names
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 256 : i64}
// CHECK: tile.alloc {name = "c", offset = 512 : i64}
func.func @hidden_names(%v: f32, %g: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
  %c = tile.alloc {name = "c"} : memref<64xf32, #tile.space<shared>>
  %s = arith.select %g, %a, %b : memref<64xf32, #tile.space<shared>>
  tile.fill %c with %v : f32, memref<64xf32, #tile.space<shared>>
  tile.fill %s with %v : f32, memref<64xf32, #tile.space<shared>>
  scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> (memref<64xf32, #tile.space<shared>>) {
    scf.yield %x : memref<64xf32, #tile.space<shared>>
  }
  return
}

// Big ones first: in program order x pushes the others up by 32 bytes.
// CHECK-LABEL: func.func @large_first
// CHECK: tile.alloc {name = "x", offset = 0 : i64}
// CHECK: tile.alloc {name = "small", offset = 1024 : i64}
// CHECK: tile.alloc {name = "big", offset = 0 : i64}
func.func @large_first(%v: f32) {
  %x = tile.alloc {name = "x"} : memref<8xf32, #tile.space<shared>>
  %small = tile.alloc {name = "small"} : memref<64xf32, #tile.space<shared>>
  %big = tile.alloc {name = "big"} : memref<256xf32, #tile.space<shared>>
  tile.fill %x with %v : f32, memref<8xf32, #tile.space<shared>>
  tile.fill %small with %v : f32, memref<64xf32, #tile.space<shared>>
  tile.fill %x with %v : f32, memref<8xf32, #tile.space<shared>>
  tile.fill %big with %v : f32, memref<256xf32, #tile.space<shared>>
  tile.fill %small with %v : f32, memref<64xf32, #tile.space<shared>>
  return
}

// Registers have no addresses; each block of a grid has its own memory, and two
// grids run one after the other.
// CHECK-LABEL: func.func @launches
// CHECK: tile.alloc {name = "r"} : memref<64xf32, #tile.space<fragment>>
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 0 : i64}
func.func @launches(%v: f32, %n: index) {
  tile.launch (%bx) in [%n] threads = 128 {
    %r = tile.alloc {name = "r"} : memref<64xf32, #tile.space<fragment>>
    %a = tile.alloc {name = "a"} : memref<64xf32, #tile.space<shared>>
    tile.fill %r with %v : f32, memref<64xf32, #tile.space<fragment>>
    tile.fill %a with %v : f32, memref<64xf32, #tile.space<shared>>
  }
  tile.launch (%bx) in [%n] threads = 128 {
    %b = tile.alloc {name = "b"} : memref<64xf32, #tile.space<shared>>
    tile.fill %b with %v : f32, memref<64xf32, #tile.space<shared>>
  }
  return
}

// Elements narrower than a byte take one each.
// CHECK-LABEL: func.func @narrow_elements
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 32 : i64}
// CHECK: tile.alloc {name = "c", offset = 64 : i64}
// CHECK: tile.alloc {name = "d", offset = 80 : i64}
func.func @narrow_elements(%i4: i4, %i1: i1, %x: index, %v: f32) {
  %a = tile.alloc {name = "a"} : memref<32xi4, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<17xi1, #tile.space<shared>>
  %c = tile.alloc {name = "c"} : memref<2xindex, #tile.space<shared>>
  %d = tile.alloc {name = "d"} : memref<f32, #tile.space<shared>>
  tile.map (%i) in [1] {
    memref.store %i4, %a[%i] : memref<32xi4, #tile.space<shared>>
    memref.store %i1, %b[%i] : memref<17xi1, #tile.space<shared>>
    memref.store %x, %c[%i] : memref<2xindex, #tile.space<shared>>
    memref.store %v, %d[] : memref<f32, #tile.space<shared>>
  }
  return
}

// Exactly as much as there is.
// CHECK-LABEL: func.func @exact_fit
// CHECK: offset = 0 : i64
func.func @exact_fit(%v: f32) {
  %a = tile.alloc : memref<58368xf32, #tile.space<shared>>
  tile.fill %a with %v : f32, memref<58368xf32, #tile.space<shared>>
  return
}

// An old offset is not an obstacle.
// CHECK-LABEL: func.func @again
// CHECK: tile.alloc {offset = 0 : i64}
func.func @again(%v: f32) {
  %a = tile.alloc {offset = 512} : memref<4xf32, #tile.space<shared>>
  tile.fill %a with %v : f32, memref<4xf32, #tile.space<shared>>
  return
}
}

// -----

// A machine with alignment 128 and described registers; spaces do not mix.
#toy = #tile.target<"toy", memories = [#tile.memory<l1, capacity = 65536, align = 128>, #tile.memory<fragment, capacity = 1024, align = 4>], transfers = [], units = []>
module attributes {tile.target = #toy} {
// CHECK-LABEL: func.func @alignment
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 128 : i64}
// CHECK: tile.alloc {name = "r", offset = 0 : i64}
// CHECK: tile.alloc {name = "s", offset = 12 : i64}
func.func @alignment(%v: f32) {
  %a = tile.alloc {name = "a"} : memref<3xf32, #tile.space<l1>>
  %b = tile.alloc {name = "b"} : memref<3xf32, #tile.space<l1>>
  %r = tile.alloc {name = "r"} : memref<3xf32, #tile.space<fragment>>
  %s = tile.alloc {name = "s"} : memref<3xf32, #tile.space<fragment>>
  tile.map (%i) in [3] {
    memref.store %v, %a[%i] : memref<3xf32, #tile.space<l1>>
    memref.store %v, %b[%i] : memref<3xf32, #tile.space<l1>>
    memref.store %v, %r[%i] : memref<3xf32, #tile.space<fragment>>
    memref.store %v, %s[%i] : memref<3xf32, #tile.space<fragment>>
  }
  return
}
}

// -----

// Blocks that branch back: no order of the text, so everything lives everywhere.
// CHECK-LABEL: func.func @branching_blocks
// CHECK: tile.alloc {name = "a", offset = 0 : i64}
// CHECK: tile.alloc {name = "b", offset = 16 : i64}
func.func @branching_blocks(%v: f32, %g: i1) {
  %a = tile.alloc {name = "a"} : memref<4xf32, #tile.space<shared>>
  %b = tile.alloc {name = "b"} : memref<4xf32, #tile.space<shared>>
  cf.br ^loop
^loop:
  tile.fill %a with %v : f32, memref<4xf32, #tile.space<shared>>
  tile.fill %b with %v : f32, memref<4xf32, #tile.space<shared>>
  cf.cond_br %g, ^loop, ^exit
^exit:
  return
}
