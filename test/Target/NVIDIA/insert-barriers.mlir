// RUN: tile-opt %s -split-input-file --pipeline-planning --inject-software-pipeline \
// RUN:   --canonicalize --cse --tile-hoist-async-waits --tile-insert-barriers | FileCheck %s
// RUN: tile-opt %s -split-input-file --pipeline-planning --inject-software-pipeline=form=predicated \
// RUN:   --canonicalize --cse --tile-hoist-async-waits --tile-insert-barriers | FileCheck %s --check-prefix=PRED
// RUN: tile-opt %s -split-input-file --tile-insert-barriers | FileCheck %s --check-prefix=ALONE

!A = memref<64x512xf16>
!B = memref<512x64xf16>
!S = memref<64x32xf16, #tile.space<shared>>
!T = memref<32x64xf16, #tile.space<shared>>
!C = memref<64x64xf32, #tile.space<fragment>>

// One barrier a step: behind it the tiles of the wait are there for all threads,
// and all have read the slot that the copies write. None in the prologue.
// CHECK-LABEL: func @gemm
// CHECK-NOT:   gpu.barrier
// CHECK:       scf.for
// CHECK:         tile.async.wait %{{.*}} pending = 1
// CHECK:         gpu.barrier
// CHECK:         tile.async.copy
// CHECK-NOT:     gpu.barrier
// CHECK:         tile.gemm
// CHECK-NOT:     gpu.barrier
// CHECK:       }
// CHECK:       tile.async.wait %{{.*}} pending = 1
// CHECK:       gpu.barrier
// CHECK:       tile.gemm
// CHECK:       tile.async.wait %{{.*}} pending = 0
// CHECK:       gpu.barrier
// CHECK:       tile.gemm
// CHECK-NOT:   gpu.barrier
// CHECK:       return

// Also where the copies and the product stand under conditions.
// PRED-LABEL: func @gemm
// PRED:       scf.for
// PRED:         tile.async.wait %{{.*}} pending = 1
// PRED:         gpu.barrier
// PRED:         scf.if
// PRED-NOT:     gpu.barrier
// PRED:         tile.gemm
// PRED-NOT:     gpu.barrier
// PRED:       return
func.func @gemm(%A: !A, %B: !B, %D: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  tile.launch (%bx) in [1] threads = 128 {
    %a = tile.alloc : !S
    %b = tile.alloc : !T
    %c = tile.alloc : !C
    tile.fill %c with %zero : f32, !C
    tile.pipeline %k = %c0 to %c512 step %c32 num_stages = 3 {
      tile.copy %A[%c0, %k] to %a : !A to !S
      tile.copy %B[%k, %c0] to %b : !B to !T
      tile.gemm %a, %b, %c : !S, !T, !C
    }
    tile.copy %c to %D : !C to memref<64x64xf32>
  }
  return
}

// -----

!X = memref<512xf32>
!S = memref<32xf32, #tile.space<shared>>

// One version: threads meet before the tile is overwritten and before it is read.
// CHECK-LABEL: func @one_version
// CHECK:       scf.for
// CHECK:         gpu.barrier
// CHECK-NEXT:    tile.copy
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tile.map
// CHECK:       return
func.func @one_version(%X: !X, %Y: !X) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  tile.launch (%bx) in [1] threads = 32 {
    %s = tile.alloc : !S
    tile.pipeline %k = %c0 to %c512 step %c32 {
      tile.copy %X[%k] to %s : !X to !S
      tile.map (%i) in [32] {
        %x = memref.load %s[%i] : !S
        %at = arith.addi %k, %i : index
        memref.store %x, %Y[%at] : !X
      }
    }
  }
  return
}

// -----

!X = memref<512xf32>

// Iterations write different elements: no barrier, however many there are.
// CHECK-LABEL: func @disjoint
// CHECK-NOT:   gpu.barrier
// CHECK:       return
func.func @disjoint(%X: !X, %Y: !X) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  tile.launch (%bx) in [1] threads = 32 {
    tile.pipeline %k = %c0 to %c512 step %c32 {
      tile.map (%i) in [32] {
        %at = arith.addi %k, %i : index
        %x = memref.load %X[%at] : !X
        memref.store %x, %Y[%at] : !X
      }
    }
  }
  return
}

// -----

!X = memref<512xf32>

// The next iteration reads what this one wrote; the last reader needs one too.
// CHECK-LABEL: func @carried
// CHECK:       scf.for
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tile.map
// CHECK-NOT:     gpu.barrier
// CHECK:       gpu.barrier
// CHECK-NEXT:  tile.copy
func.func @carried(%Y: !X, %Z: !X) {
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  tile.launch (%bx) in [1] threads = 32 {
    tile.pipeline %k = %c1 to %c10 step %c1 {
      tile.map (%i) in [32] {
        %from = arith.subi %k, %c1 : index
        %at = arith.addi %from, %i : index
        %x = memref.load %Y[%at] : !X
        %to = arith.addi %k, %i : index
        memref.store %x, %Y[%to] : !X
      }
    }
    tile.copy %Y to %Z : !X to !X
  }
  return
}

// -----

!S = memref<32xf32, #tile.space<shared>>

// A barrier of the user counts. One that the loop needs serves what follows.
// CHECK-LABEL: func @given
// CHECK:       tile.fill
// CHECK-NEXT:  gpu.barrier
// CHECK-NEXT:  tile.copy
// CHECK-NOT:   gpu.barrier
// CHECK:       return
func.func @given(%Y: memref<32xf32>, %x: f32) {
  tile.launch (%bx) in [1] threads = 32 {
    %s = tile.alloc : !S
    tile.fill %s with %x : f32, !S
    gpu.barrier
    tile.copy %s to %Y : !S to memref<32xf32>
  }
  return
}

// -----

!S = memref<32xf32, #tile.space<shared>>

// Two buffers of different times in one place: the second may not be written
// while the first is read. The third lies elsewhere.
// CHECK-LABEL: func @same_place
// CHECK:       tile.fill
// CHECK-NEXT:  gpu.barrier
// CHECK-NEXT:  tile.copy
// CHECK-NEXT:  tile.fill
// CHECK-NEXT:  gpu.barrier
// CHECK-NEXT:  tile.fill
func.func @same_place(%Y: memref<32xf32>, %x: f32) {
  tile.launch (%bx) in [1] threads = 32 {
    %s = tile.alloc {offset = 0} : !S
    %t = tile.alloc {offset = 124} : !S
    %u = tile.alloc {offset = 256} : !S
    tile.fill %s with %x : f32, !S
    tile.copy %s to %Y : !S to memref<32xf32>
    tile.fill %u with %x : f32, !S
    tile.fill %t with %x : f32, !S
  }
  return
}

// -----

!S = memref<32xf32, #tile.space<shared>>
!V = memref<4x32xf32, #tile.space<shared>>

// Slots 1 and 3 of four are different, 1 and 5 - 4 are the same.
// CHECK-LABEL: func @slots
// CHECK:       tile.fill
// CHECK:       tile.fill
// CHECK:       gpu.barrier
// CHECK:       tile.copy
func.func @slots(%Y: memref<32xf32>, %n: index, %x: f32) {
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  tile.launch (%bx) in [1] threads = 32 {
    %v = tile.alloc : !V
    %p = arith.remui %n, %c4 : index
    %a = tile.slot %v[%p] : !V -> !S
    tile.fill %a with %x : f32, !S
    %n2 = arith.addi %n, %c2 : index
    %q = arith.remui %n2, %c4 : index
    %b = tile.slot %v[%q] : !V -> !S
    tile.fill %b with %x : f32, !S
    %n4 = arith.addi %n2, %c2 : index
    %r = arith.remui %n4, %c4 : index
    %c = tile.slot %v[%r] : !V -> !S
    tile.copy %c to %Y : !S to memref<32xf32>
  }
  return
}

// -----

!P = memref<32xf32, #tile.space<shared>>
!V = memref<2x32xf32, #tile.space<shared>>
!W = memref<512xf32, #tile.space<shared>>

// The barrier in front of the second statement, which only the next iteration
// needs, makes the one in front of the third needless.
// CHECK-LABEL: func @pruned
// CHECK:       scf.for
// CHECK-NOT:     gpu.barrier
// CHECK:         tile.map
// CHECK:         gpu.barrier
// CHECK-NEXT:    tile.fill
// CHECK-NOT:     gpu.barrier
// CHECK:       return
func.func @pruned(%Y: memref<512xf32>, %Z: memref<32xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c31 = arith.constant 31 : index
  %c16 = arith.constant 16 : index
  tile.launch (%bx) in [1] threads = 32 {
    %s = tile.alloc : !W
    %v = tile.alloc : !V
    scf.for %k = %c1 to %c16 step %c1 {
      tile.map (%i) in [1] {
        memref.store %x, %s[%k] : !W
      }
      %p = arith.remui %k, %c2 : index
      %a = tile.slot %v[%p] : !V -> !P
      tile.fill %a with %x : f32, !P
      tile.map (%i) in [1] {
        %y = memref.load %s[%k] : !W
        memref.store %y, %Y[%k] : memref<512xf32>
      }
      %before = arith.subi %k, %c1 : index
      %q = arith.remui %before, %c2 : index
      %b = tile.slot %v[%q] : !V -> !P
      tile.map (%i) in [1] {
        %y = memref.load %b[%c31] : !P
        %z = arith.addf %y, %x : f32
        memref.store %z, %Z[%k] : memref<32xf32>
      }
    }
  }
  return
}

// -----

!F = memref<4x32xf32, #tile.space<fragment>>

// Behind the loop all of its iterations have stored their rows, also those before
// the last one: rows 0 to 15, but not 16 to 19.
// CHECK-LABEL: func @rows_behind
// CHECK-NOT:   gpu.barrier
// CHECK:       return
func.func @rows_behind(%Y: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.launch (%bx) in [1] threads = 32 {
    %y = tile.alloc : !F
    scf.for %k = %c0 to %c4 step %c1 {
      %row = arith.muli %k, %c4 : index
      tile.copy %y to %Y[%row, 0] : !F to memref<64x32xf32>
    }
    tile.copy %y to %Y[16, 0] : !F to memref<64x32xf32>
  }
  return
}

// Downwards, with a step: rows 60 to 63, 44 to 47 and 28 to 31.
// CHECK-LABEL: func @rows_down
// CHECK-NOT:   gpu.barrier
// CHECK:       tile.copy %{{.*}} to %{{.*}}[24, 0]
// CHECK:       gpu.barrier
// CHECK-NEXT:  tile.copy %{{.*}} to %{{.*}}[45, 0]
// CHECK:       return
func.func @rows_down(%Y: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c-8 = arith.constant -8 : index
  %c60 = arith.constant 60 : index
  tile.launch (%bx) in [1] threads = 32 {
    %y = tile.alloc : !F
    scf.for %k = %c0 to %c5 step %c2 {
      %down = arith.muli %k, %c-8 : index
      %row = arith.addi %down, %c60 : index
      tile.copy %y to %Y[%row, 0] : !F to memref<64x32xf32>
    }
    tile.copy %y to %Y[24, 0] : !F to memref<64x32xf32>
    tile.copy %y to %Y[45, 0] : !F to memref<64x32xf32>
  }
  return
}

// -----

!F = memref<4x32xf32, #tile.space<fragment>>

// The loop begins behind the row that was stored before.
// CHECK-LABEL: func @first_row
// CHECK-NOT:   gpu.barrier
// CHECK:       return
func.func @first_row(%Y: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  tile.launch (%bx) in [1] threads = 32 {
    %y = tile.alloc : !F
    tile.copy %y to %Y[0, 0] : !F to memref<64x32xf32>
    scf.for %k = %c1 to %c8 step %c1 {
      %row = arith.muli %k, %c4 : index
      tile.copy %y to %Y[%row, 0] : !F to memref<64x32xf32>
    }
    tile.copy %y to %Y[32, 0] : !F to memref<64x32xf32>
  }
  return
}

// -----

!S = memref<32xf32, #tile.space<shared>>
!V = memref<3x32xf32, #tile.space<shared>>

// A slot of %u is filled again two iterations later, one of %v that is read is
// filled again in two as well: the one barrier of the iteration in between, which
// %u needs in every iteration, is enough.
// CHECK-LABEL: func @barrier_between
// CHECK:       scf.for
// CHECK-NOT:     gpu.barrier
// CHECK-COUNT-2: tile.fill
// CHECK:         gpu.barrier
// CHECK-NEXT:    tile.copy
// CHECK-NOT:     gpu.barrier
// CHECK:         tile.copy
// CHECK-NOT:   gpu.barrier
// CHECK:       return
func.func @barrier_between(%Y: memref<512xf32>, %Z: memref<512xf32>, %x: f32, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  tile.launch (%bx) in [1] threads = 64 {
    %u = tile.alloc : memref<2x32xf32, #tile.space<shared>>
    %v = tile.alloc : !V
    scf.for %k = %c1 to %n step %c1 {
      %p = arith.remui %k, %c3 : index
      %a = tile.slot %v[%p] : !V -> !S
      tile.fill %a with %x : f32, !S
      %r = arith.remui %k, %c2 : index
      %w = tile.slot %u[%r] : memref<2x32xf32, #tile.space<shared>> -> !S
      tile.fill %w with %x : f32, !S
      %before = arith.subi %k, %c1 : index
      %q = arith.remui %before, %c3 : index
      %b = tile.slot %v[%q] : !V -> !S
      %at = arith.muli %k, %c32 : index
      tile.copy %w to %Y[%at] : !S to memref<512xf32>
      tile.copy %b to %Z[%at] : !S to memref<512xf32>
    }
  }
  return
}

// -----

!S = memref<32xf32, #tile.space<shared>>

// The tile is filled in the first iteration and read in the second one: nobody
// fills it behind that.
// CHECK-LABEL: func @once
// CHECK:       scf.for
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.if
// CHECK-NEXT:      tile.fill
// CHECK:         gpu.barrier
// CHECK-NEXT:    scf.if
// CHECK:           tile.copy
// CHECK-NOT:   gpu.barrier
// CHECK:       return
// With three iterations, somebody does.
// CHECK-LABEL: func @twice
// CHECK:       scf.for
// CHECK:         gpu.barrier
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      tile.fill
// CHECK:         gpu.barrier
// CHECK-NEXT:    scf.if
// CHECK:           tile.copy
// CHECK:       return
func.func @once(%Y: memref<512xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.launch (%bx) in [1] threads = 64 {
    %s = tile.alloc : !S
    scf.for %k = %c0 to %c2 step %c1 {
      %fills = arith.cmpi ult, %k, %c1 : index
      scf.if %fills {
        tile.fill %s with %x : f32, !S
      }
      %before = arith.subi %k, %c1 : index
      %reads = arith.cmpi ult, %before, %c1 : index
      scf.if %reads {
        tile.copy %s to %Y[%k] : !S to memref<512xf32>
      }
    }
  }
  return
}
func.func @twice(%Y: memref<512xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  tile.launch (%bx) in [1] threads = 64 {
    %s = tile.alloc : !S
    scf.for %k = %c0 to %c3 step %c1 {
      %fills = arith.cmpi ult, %k, %c3 : index
      scf.if %fills {
        tile.fill %s with %x : f32, !S
      }
      %before = arith.subi %k, %c1 : index
      %reads = arith.cmpi ult, %before, %c2 : index
      scf.if %reads {
        %at = arith.muli %k, %c64 : index
        tile.copy %s to %Y[%at] : !S to memref<512xf32>
      }
    }
  }
  return
}

// -----

!S = memref<32xf32, #tile.space<shared>>

// Also the copy has filled the tile before, but the barrier is for all that have
// touched it: in front of the condition.
// CHECK-LABEL: func @outer_place
// CHECK:       scf.for
// CHECK:         gpu.barrier
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      tile.fill
// CHECK:         gpu.barrier
// CHECK-NEXT:    tile.copy
// CHECK:       return
func.func @outer_place(%Y: memref<512xf32>, %x: f32, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  tile.launch (%bx) in [1] threads = 64 {
    %s = tile.alloc : !S
    scf.for %k = %c0 to %n step %c1 {
      scf.if %c {
        tile.fill %s with %x : f32, !S
      }
      %at = arith.muli %k, %c32 : index
      tile.copy %s to %Y[%at] : !S to memref<512xf32>
    }
  }
  return
}

// -----

!S = memref<32xf32, #tile.space<shared>>

// Nothing is under a condition that never holds.
// ALONE-LABEL: func @never
// ALONE-NOT:   gpu.barrier
// ALONE-NOT:   scf.if
// ALONE:       return
func.func @never(%Y: memref<512xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  tile.launch (%bx) in [1] threads = 64 {
    %s = tile.alloc : !S
    tile.fill %s with %x : f32, !S
    %r = arith.remui %c5, %c2 : index
    %even = arith.cmpi ne, %r, %c1 : index
    scf.if %even {
      tile.copy %s to %Y[%c5] : !S to memref<512xf32>
    }
  }
  return
}

// -----

!F = memref<4x32xf32, #tile.space<fragment>>

// The rows behind the loop are those of the iterations that it does not have,
// however many it has.
// CHECK-LABEL: func @unknown_trips
// CHECK-NOT:   gpu.barrier
// CHECK:       return
func.func @unknown_trips(%Y: memref<?x32xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.launch (%bx) in [1] threads = 32 {
    %y = tile.alloc : !F
    scf.for %k = %c1 to %n step %c1 {
      %row = arith.muli %k, %c4 : index
      tile.copy %y to %Y[%row, 0] : !F to memref<?x32xf32>
    }
    %behind = arith.muli %n, %c4 : index
    tile.copy %y to %Y[%behind, 0] : !F to memref<?x32xf32>
  }
  return
}

// Nor does the loop store the row of before its first iteration.
// CHECK-LABEL: func @unknown_end
// CHECK-NOT:   gpu.barrier
// CHECK:       return
func.func @unknown_end(%Y: memref<?x32xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.launch (%bx) in [1] threads = 32 {
    %y = tile.alloc : !F
    tile.copy %y to %Y[0, 0] : !F to memref<?x32xf32>
    scf.for %k = %c1 to %n step %c1 {
      %row = arith.muli %k, %c4 : index
      tile.copy %y to %Y[%row, 0] : !F to memref<?x32xf32>
    }
  }
  return
}

// The last row of the loop once more; and one that an earlier iteration has
// stored, or nobody.
// CHECK-LABEL: func @last_trip
// CHECK:       scf.for
// CHECK:       }
// CHECK:       gpu.barrier
// CHECK-NEXT:  tile.copy
// CHECK:       return
// CHECK-LABEL: func @earlier_trip
// CHECK:       scf.for
// CHECK:       }
// CHECK:       gpu.barrier
// CHECK-NEXT:  tile.copy
// CHECK:       return
func.func @last_trip(%Y: memref<?x32xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.launch (%bx) in [1] threads = 32 {
    %y = tile.alloc : !F
    scf.for %k = %c1 to %n step %c1 {
      %row = arith.muli %k, %c4 : index
      tile.copy %y to %Y[%row, 0] : !F to memref<?x32xf32>
    }
    %before = arith.subi %n, %c1 : index
    %again = arith.muli %before, %c4 : index
    tile.copy %y to %Y[%again, 0] : !F to memref<?x32xf32>
  }
  return
}
func.func @earlier_trip(%Y: memref<?x32xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  tile.launch (%bx) in [1] threads = 32 {
    %y = tile.alloc : !F
    scf.for %k = %c1 to %n step %c1 {
      %row = arith.muli %k, %c4 : index
      tile.copy %y to %Y[%row, 0] : !F to memref<?x32xf32>
    }
    %before = arith.subi %n, %c3 : index
    %again = arith.muli %before, %c4 : index
    tile.copy %y to %Y[%again, 0] : !F to memref<?x32xf32>
  }
  return
}
