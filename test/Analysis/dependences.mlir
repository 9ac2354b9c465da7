// RUN: tile-opt %s -split-input-file --tile-print-dependences=normalize=true -o /dev/null 2>&1 | FileCheck %s

// Operands are private to an iteration, the accumulator is carried.
// CHECK-LABEL: loop at
// CHECK-NEXT: #0 tile.copy
// CHECK-NEXT: #1 tile.gemm
// CHECK: buffer As: private
// CHECK: buffer Cl: shared by iterations (an iteration may read contents of an earlier one)
// CHECK-NEXT: #0 -> #0 write after write of As, distance 1, removed by versions
// CHECK-NEXT: #0 -> #1 read after write of As, distance 0
// CHECK-NEXT: #1 -> #0 write after read of As, distance 1, removed by versions
// CHECK-NEXT: #1 -> #1 read after write of Cl, distance 1
func.func @gemm(%A: memref<8x16x16xf32>, %As: memref<16x16xf32>, %lo: index, %n: index, %s: index) {
  %0 = tile.alloc {name = "As"} : memref<16x16xf32, #tile.space<shared>>
  %1 = tile.alloc {name = "Cl"} : memref<16x16xf32, #tile.space<fragment>>
  tile.pipeline %k = %lo to %n step %s num_stages = 2 {
    tile.copy %A[%k, 0, 0] to %0 : memref<8x16x16xf32> to memref<16x16xf32, #tile.space<shared>>
    tile.gemm %0, %0, %1 : memref<16x16xf32, #tile.space<shared>>, memref<16x16xf32, #tile.space<shared>>, memref<16x16xf32, #tile.space<fragment>>
  }
  return
}

// -----

// What is stored at row i + 2 is loaded two iterations later, not before.
// CHECK-LABEL: loop at
// CHECK: #1 -> #0 read after write of arg0, distance 2
// CHECK-NOT: of arg0
func.func @carried_at_exact_distance(%X: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    tile.copy %X[%i, 0] to %S : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    %j = arith.addi %i, %c2 : index
    tile.copy %S to %X[%j, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
  }
  return
}

// -----

// A load of a later row must come before that row is stored: an anti-dependence.
// CHECK-LABEL: loop at
// CHECK: #0 -> #1 write after read of arg0, distance 1
// CHECK-NOT: of arg0
func.func @anti_dependence_ahead(%X: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    %j = arith.addi %i, %c1 : index
    tile.copy %X[%j, 0] to %S : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.copy %S to %X[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
  }
  return
}

// -----

// Rows apart by the step never meet, whatever the step is.
// CHECK-LABEL: loop at
// CHECK: #0 -> #1 read after write of arg0, distance 0
// CHECK-NOT: of arg0
func.func @unknown_step_moves_apart(%X: memref<16x8xf32>, %n: index, %s: index) {
  %c0 = arith.constant 0 : index
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %n step %s num_stages = 2 {
    tile.copy %S to %X[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    tile.copy %X[%i, 0] to %S : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
  }
  return
}

// -----

// A guarded copy leaves the contents of an earlier iteration behind.
// CHECK-LABEL: loop at
// CHECK: buffer S: shared by iterations (an iteration may read contents of an earlier one)
// CHECK: #0 -> #0 write after write of S, distance 1{{$}}
// CHECK: #1 -> #0 write after read of S, distance 1{{$}}
func.func @guarded_copy_keeps_contents(%X: memref<16x8xf32>, %Y: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    %g = arith.cmpi ne, %i, %c0 : index
    tile.copy %X[%i, 0] to %S if %g : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.copy %S to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
  }
  return
}

// -----

// What reads under the condition of the write sees the write of its iteration, in
// whichever way the condition is written; another condition, or more of them, does
// not do.
// CHECK-LABEL: loop at
// CHECK: buffer Same: private
// CHECK: buffer Branch: private
// CHECK: buffer Other: shared by iterations (an iteration may read contents of an earlier one)
// CHECK: buffer Both: shared by iterations (an iteration may read contents of an earlier one)
// CHECK: buffer Else: shared by iterations (an iteration may read contents of an earlier one)
func.func @guarded_alike(%X: memref<16x8xf32>, %Y: memref<16x8xf32>, %g: i1, %h: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c0f = arith.constant 0.0 : f32
  %Same = tile.alloc {name = "Same"} : memref<8xf32, #tile.space<shared>>
  %Branch = tile.alloc {name = "Branch"} : memref<8xf32, #tile.space<shared>>
  %Other = tile.alloc {name = "Other"} : memref<8xf32, #tile.space<shared>>
  %Both = tile.alloc {name = "Both"} : memref<8xf32, #tile.space<shared>>
  %Else = tile.alloc {name = "Else"} : memref<8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    tile.copy %X[%i, 0] to %Same if %g : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    scf.if %g {
      tile.copy %Same to %Y[%i, 0] sizes [8] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    }
    scf.for %k = %c0 to %c8 step %c1 {
      scf.if %g {
        %x = memref.load %X[%i, %k] : memref<16x8xf32>
        memref.store %x, %Branch[%k] : memref<8xf32, #tile.space<shared>>
      }
    }
    tile.copy %Branch to %Y[%i, 0] sizes [8] if %g : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    tile.copy %X[%i, 0] to %Other if %g : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.copy %Other to %Y[%i, 0] sizes [8] if %h : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    scf.if %g {
      scf.if %h {
        tile.copy %X[%i, 0] to %Both : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
      }
    }
    tile.copy %Both to %Y[%i, 0] sizes [8] if %g : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    scf.if %g {
      memref.store %c0f, %Y[%i, %c0] : memref<16x8xf32>
    } else {
      tile.copy %X[%i, 0] to %Else : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    }
    tile.copy %Else to %Y[%i, 0] sizes [8] if %g : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
  }
  return
}

// -----

// A fill, two halves, a loop of parts, both branches: each writes all of its buffer.
// CHECK-LABEL: loop at
// CHECK: buffer Filled: private
// CHECK: buffer Halves: private
// CHECK: buffer Parts: private
// CHECK: buffer Branches: private
// CHECK: buffer Mapped: private
func.func @covered_in_the_iteration(%X: memref<16x8xf32>, %Y: memref<16x8xf32>, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %F = tile.alloc {name = "Filled"} : memref<8xf32, #tile.space<shared>>
  %H = tile.alloc {name = "Halves"} : memref<8xf32, #tile.space<shared>>
  %P = tile.alloc {name = "Parts"} : memref<8xf32, #tile.space<shared>>
  %B = tile.alloc {name = "Branches"} : memref<8xf32, #tile.space<shared>>
  %M = tile.alloc {name = "Mapped"} : memref<8xf32, #tile.space<fragment>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    %g = arith.cmpi ne, %i, %c0 : index
    tile.fill %F with %z : f32, memref<8xf32, #tile.space<shared>>
    tile.copy %X[%i, 0] to %F if %g : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.copy %X[%i, 0] to %H[4] sizes [4] : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.copy %X[%i, 4] to %H[0] sizes [4] : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    scf.for %h = %c0 to %c2 step %c1 {
      %o = arith.muli %h, %c4 : index
      tile.copy %X[%i, %o] to %P[%o] sizes [4] : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    }
    scf.if %g {
      tile.copy %X[%i, 0] to %B : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    } else {
      tile.fill %B with %z : f32, memref<8xf32, #tile.space<shared>>
    }
    tile.map (%e) in [8] {
      memref.store %z, %M[%e] : memref<8xf32, #tile.space<fragment>>
    }
    tile.copy %F to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    tile.copy %H to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    tile.copy %P to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    tile.copy %B to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    tile.copy %M to %Y[%i, 0] : memref<8xf32, #tile.space<fragment>> to memref<16x8xf32>
  }
  return
}

// -----

// Gaps: a half, a strided map, a loop that may not run, one branch.
// CHECK-LABEL: loop at
// CHECK: buffer Half: shared
// CHECK: buffer Strided: shared
// CHECK: buffer Maybe: shared
// CHECK: buffer Branch: shared
func.func @not_covered_in_the_iteration(%X: memref<16x8xf32>, %Y: memref<16x8xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %H = tile.alloc {name = "Half"} : memref<8xf32, #tile.space<shared>>
  %S = tile.alloc {name = "Strided"} : memref<8xf32, #tile.space<shared>>
  %M = tile.alloc {name = "Maybe"} : memref<8xf32, #tile.space<shared>>
  %B = tile.alloc {name = "Branch"} : memref<8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    %g = arith.cmpi ne, %i, %c0 : index
    tile.copy %X[%i, 0] to %H[4] sizes [4] : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.map (%e) in [4] {
      %o = arith.muli %e, %c2 : index
      memref.store %z, %S[%o] : memref<8xf32, #tile.space<shared>>
    }
    scf.for %h = %c0 to %n step %c1 {
      tile.fill %M with %z : f32, memref<8xf32, #tile.space<shared>>
    }
    scf.if %g {
      tile.fill %B with %z : f32, memref<8xf32, #tile.space<shared>>
    }
    tile.copy %H to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    tile.copy %S to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    tile.copy %M to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
    tile.copy %B to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
  }
  return
}

// -----

// Disjoint halves of one buffer do not depend on each other.
// CHECK-LABEL: loop at
// CHECK: #0 -> #2 read after write of S, distance 0
// CHECK: #1 -> #2 read after write of S, distance 0
// CHECK-NOT: #0 -> #1
func.func @disjoint_parts(%X: memref<16x8xf32>, %Y: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    tile.copy %X[%i, 0] to %S[0] sizes [4] : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.copy %X[%i, 4] to %S[4] sizes [4] : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.copy %S to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
  }
  return
}

// -----

// A view made before the loop names the same memory.
// CHECK-LABEL: loop at
// CHECK: buffer S: private
// CHECK: #0 -> #1 read after write of S, distance 0
func.func @alias_through_view(%X: memref<16x8xf32>, %Y: memref<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  %V = memref.subview %S[4] [4] [1] : memref<8xf32, #tile.space<shared>> to memref<4xf32, strided<[1], offset: 4>, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    tile.copy %X[%i, 0] to %S : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.copy %V to %Y[%i, 0] : memref<4xf32, strided<[1], offset: 4>, #tile.space<shared>> to memref<16x4xf32>
  }
  return
}

// -----

// Atomics read and write; what they update is carried to a load of it.
// CHECK-LABEL: loop at
// CHECK: #0 -> #1 write after read of arg0, distance 0
// CHECK: #1 -> #0 read after write of arg0, distance 1
func.func @atomic_target_is_loaded(%cell: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    tile.copy %cell to %S : memref<8xf32> to memref<8xf32, #tile.space<shared>>
    tile.atomic <add> %v, %cell[%c0] : f32, memref<8xf32>
  }
  return
}

// -----

// A scalar read from a tile of the loop is a statement; one from a table is not.
// CHECK-LABEL: loop at
// CHECK-NEXT: #0 tile.copy
// CHECK-NEXT: #1 memref.load
// CHECK-NEXT: #2 tile.copy
// CHECK-NEXT: buffer
// CHECK: #0 -> #1 read after write of I, distance 0
// CHECK: #1 -> #2 use of a value, distance 0
func.func @scalar_from_tile(%T: memref<8xindex>, %IDX: memref<8x1xindex>, %X: memref<16x8xf32>, %Y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %I = tile.alloc {name = "I"} : memref<1xindex, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    %page = memref.load %T[%i] : memref<8xindex>
    tile.copy %IDX[%page, 0] to %I : memref<8x1xindex> to memref<1xindex, #tile.space<shared>>
    %j = memref.load %I[%c0] : memref<1xindex, #tile.space<shared>>
    %k = arith.addi %j, %c1 : index
    tile.copy %X[%k, 0] to %Y : memref<16x8xf32> to memref<8xf32>
  }
  return
}

// -----

// After the loop a tile holds what the last iteration wrote, if that is all of it.
// CHECK-LABEL: loop at
// CHECK: buffer All: private
// CHECK: buffer Part: shared by iterations (it is read after the loop, and an iteration does not write all of it)
func.func @live_after(%X: memref<16x8xf32>, %Y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %A = tile.alloc {name = "All"} : memref<8xf32, #tile.space<shared>>
  %P = tile.alloc {name = "Part"} : memref<8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    tile.copy %X[%i, 0] to %A : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.copy %X[%i, 0] to %P[0] sizes [4] : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
  }
  tile.copy %A to %Y : memref<8xf32, #tile.space<shared>> to memref<8xf32>
  tile.copy %P to %Y : memref<8xf32, #tile.space<shared>> to memref<8xf32>
  return
}

// -----

// Below its allocation's block the slot after the loop could not be followed.
// CHECK-LABEL: loop at
// CHECK: buffer S: shared by iterations (it is accessed outside of the loop, and the loop is nested below its allocation)
func.func @nested_and_live(%X: memref<16x8xf32>, %Y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  scf.for %o = %c0 to %c8 step %c1 {
    tile.copy %S to %Y : memref<8xf32, #tile.space<shared>> to memref<8xf32>
    tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
      tile.copy %X[%i, 0] to %S : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    }
  }
  return
}

// -----

// CHECK-LABEL: loop at
// CHECK-NEXT: cannot be pipelined: the effects of 'func.call' are not known ('func.call')
func.func private @unknown()
func.func @unknown_effects() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %i = %c0 to %c1 step %c1 num_stages = 2 {
    func.call @unknown() : () -> ()
  }
  return
}

// -----

// CHECK-LABEL: loop at
// CHECK-NEXT: cannot be pipelined: the loop has asynchronous operations of its own ('tile.async.wait')
func.func @own_waits() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %i = %c0 to %c1 step %c1 num_stages = 2 {
    tile.async.wait pending = 2
  }
  return
}

// -----

// With versions, only iterations that share one depend on each other.
// CHECK-LABEL: loop at
// CHECK: buffer S: shared by iterations (it has versions already), rotates over 3 versions
// CHECK: #0 -> #0 write after write of S, distance 3
// CHECK: #0 -> #1 read after write of S, distance 0
// CHECK: #1 -> #0 write after read of S, distance 3
func.func @rotating_slots(%X: memref<16x8xf32>, %Y: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<3x8xf32, #tile.space<shared>>
  tile.pipeline %i = %c0 to %c8 step %c1 num_stages = 2 {
    %n = tile.iteration %i
    %r = arith.remui %n, %c3 : index
    %v = tile.slot %S[%r] : memref<3x8xf32, #tile.space<shared>> -> memref<8xf32, #tile.space<shared>>
    tile.copy %X[%i, 0] to %v : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    tile.copy %v to %Y[%i, 0] : memref<8xf32, #tile.space<shared>> to memref<16x8xf32>
  }
  return
}

// -----

// A carried value becomes a buffer, with entries of its own in the schedule.
// CHECK-LABEL: loop at
// CHECK-NEXT: #0 memref.load
// CHECK-NEXT: #1 tile.copy
// CHECK-NEXT: #2 memref.load
// CHECK-NEXT: #3 memref.store
// CHECK: #3 -> #0 read after write of carried0, distance 1
func.func @carried_value(%X: memref<16x8xf32>, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {name = "S"} : memref<8xf32, #tile.space<shared>>
  %r = tile.pipeline %i = %c0 to %c8 step %c1 iter_args(%a = %z) -> (f32) stage = [0, 1] order = [1, 0] {
    tile.copy %X[%i, 0] to %S : memref<16x8xf32> to memref<8xf32, #tile.space<shared>>
    %v = memref.load %S[%c0] : memref<8xf32, #tile.space<shared>>
    %s = arith.addf %a, %v : f32
    tile.yield %s : f32
  }
  return %r : f32
}
