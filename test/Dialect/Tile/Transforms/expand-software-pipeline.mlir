// RUN: tile-opt %s --split-input-file --verify-each --expand-software-pipeline | FileCheck %s

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

// Prologue and epilogue are straight-line code on constants; the kernel carries
// the tokens of two steps; nothing of the pipeline is left.
// CHECK-LABEL: func @static(
// CHECK-SAME: %[[A:[^ ]+]]: memref<10x64xf32>, %[[Y:[^ ]+]]: memref<10x64xf32>
// CHECK: %[[B:.*]] = tile.alloc
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[S0:.*]] = tile.slot %[[B]][%[[C0]]]
// CHECK-NEXT: %[[T0:.*]] = tile.async.copy %[[A]][%[[C0]], 0] to %[[S0]]
// CHECK-NEXT: %[[G0:.*]] = tile.async.commit %[[T0]]
// CHECK-NEXT: %[[S1:.*]] = tile.slot %[[B]][%[[C1]]]
// CHECK-NEXT: %[[T1:.*]] = tile.async.copy %[[A]][%[[C1]], 0] to %[[S1]]
// CHECK-NEXT: %[[G1:.*]] = tile.async.commit %[[T1]]
// CHECK-NEXT: %[[R:.*]]:2 = scf.for %[[T:.*]] = %[[C2]] to %{{.*}} step %{{.*}} iter_args(%[[P1:.*]] = %[[G1]], %[[P2:.*]] = %[[G0]])
// CHECK-NEXT: %[[K:.*]] = arith.subi %[[T]], %[[C2]]
// CHECK-NEXT: tile.async.wait %[[P2]]{{$}}
// CHECK-NEXT: %[[RK:.*]] = arith.remui %[[K]]
// CHECK-NEXT: %[[SK:.*]] = tile.slot %[[B]][%[[RK]]]
// CHECK-NEXT: tile.copy %[[SK]] to %[[Y]][%[[K]], 0]
// CHECK-NEXT: %[[RT:.*]] = arith.remui %[[T]]
// CHECK-NEXT: %[[ST:.*]] = tile.slot %[[B]][%[[RT]]]
// CHECK-NEXT: %[[TT:.*]] = tile.async.copy %[[A]][%[[T]], 0] to %[[ST]]
// CHECK-NEXT: %[[GT:.*]] = tile.async.commit %[[TT]]
// CHECK-NEXT: scf.yield %[[GT]], %[[P1]]
// CHECK-NEXT: }
// CHECK-NEXT: tile.async.wait %[[R]]#1
// CHECK-NEXT: tile.slot %[[B]][%[[C2]]]
// CHECK-NEXT: tile.copy %{{.*}} to %[[Y]][%c8{{.*}}, 0]
// CHECK-NEXT: tile.async.wait %[[R]]#0
// CHECK-NEXT: tile.slot %[[B]][%[[C0]]]
// CHECK-NEXT: tile.copy %{{.*}} to %[[Y]][%c9{{.*}}, 0]
// CHECK-NEXT: return
func.func @static(%A: memref<10x64xf32>, %Y: memref<10x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %b = tile.alloc : memref<3x64xf32, #shared>
  tile.pipeline %k = %c0 to %c10 step %c1 schedule = #s {
    %i = tile.iteration %k
    %r = arith.remui %i, %c3 : index
    %v = tile.slot %b[%r] : memref<3x64xf32, #shared> -> memref<64xf32, #shared>
    tile.copy %A[%k, 0] to %v {tile.stage = #tile.stage<0, order = 1>} : memref<10x64xf32> to memref<64xf32, #shared>
    tile.copy %v to %Y[%k, 0] {tile.stage = #tile.stage<2, order = 0>} : memref<64xf32, #shared> to memref<10x64xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

// No iterations: nothing. Fewer than, and exactly as many as, stages: each
// iteration once, no loop. One more: the only trip of the kernel is inlined.
// CHECK-LABEL: func @trips0(
// CHECK-NOT: tile.fill
// CHECK: return
// CHECK-LABEL: func @trips1(
// CHECK-COUNT-2: memref.store %{{.*}}[%c5{{(_[0-9]+)?}}]
// CHECK-NOT: memref.store
// CHECK-NOT: scf.for
// CHECK: return
// CHECK-LABEL: func @trips2(
// CHECK: memref.store %{{.*}}, %[[A:[a-z0-9]+]][%c5{{(_[0-9]+)?}}]
// CHECK-NEXT: memref.store %{{.*}}, %[[A]][%c7{{(_[0-9]+)?}}]
// CHECK-NEXT: memref.store %{{.*}}, %[[B:[a-z0-9]+]][%c5{{(_[0-9]+)?}}]
// CHECK-NEXT: memref.store %{{.*}}, %[[B]][%c7{{(_[0-9]+)?}}]
// CHECK-NEXT: return
// CHECK-LABEL: func @trips3(
// CHECK: memref.store %{{.*}}, %[[A:[a-z0-9]+]][%c5{{(_[0-9]+)?}}]
// CHECK-NEXT: memref.store %{{.*}}, %[[A]][%c7{{(_[0-9]+)?}}]
// CHECK-NEXT: memref.store %{{.*}}, %[[B:[a-z0-9]+]][%c5{{(_[0-9]+)?}}]
// CHECK-NEXT: memref.store %{{.*}}, %[[A]][%c9{{(_[0-9]+)?}}]
// CHECK-NEXT: memref.store %{{.*}}, %[[B]][%c7{{(_[0-9]+)?}}]
// CHECK-NEXT: memref.store %{{.*}}, %[[B]][%c9{{(_[0-9]+)?}}]
// CHECK-NEXT: return
// CHECK-LABEL: func @trips4(
// CHECK: scf.for %{{.*}} = %c2{{.*}} to %c4{{.*}} step %c1
// CHECK: return
func.func @trips0(%a: memref<20xf32>, %b: memref<20xf32>, %z: f32) {
  %lb = arith.constant 5 : index
  %ub = arith.constant 5 : index
  %st = arith.constant 2 : index
  tile.pipeline %k = %lb to %ub step %st schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<20xf32>
    memref.store %z, %b[%k] {tile.stage = #tile.stage<2, order = 0>} : memref<20xf32>
  }
  return
}
func.func @trips1(%a: memref<20xf32>, %b: memref<20xf32>, %z: f32) {
  %lb = arith.constant 5 : index
  %ub = arith.constant 6 : index
  %st = arith.constant 2 : index
  tile.pipeline %k = %lb to %ub step %st schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<20xf32>
    memref.store %z, %b[%k] {tile.stage = #tile.stage<2, order = 0>} : memref<20xf32>
  }
  return
}
func.func @trips2(%a: memref<20xf32>, %b: memref<20xf32>, %z: f32) {
  %lb = arith.constant 5 : index
  %ub = arith.constant 8 : index
  %st = arith.constant 2 : index
  tile.pipeline %k = %lb to %ub step %st schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<20xf32>
    memref.store %z, %b[%k] {tile.stage = #tile.stage<2, order = 0>} : memref<20xf32>
  }
  return
}
func.func @trips3(%a: memref<20xf32>, %b: memref<20xf32>, %z: f32) {
  %lb = arith.constant 5 : index
  %ub = arith.constant 11 : index
  %st = arith.constant 2 : index
  tile.pipeline %k = %lb to %ub step %st schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<20xf32>
    memref.store %z, %b[%k] {tile.stage = #tile.stage<2, order = 0>} : memref<20xf32>
  }
  return
}
func.func @trips4(%a: memref<20xf32>, %b: memref<20xf32>, %z: f32) {
  %lb = arith.constant 5 : index
  %ub = arith.constant 12 : index
  %st = arith.constant 2 : index
  tile.pipeline %k = %lb to %ub step %st schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<20xf32>
    memref.store %z, %b[%k] {tile.stage = #tile.stage<2, order = 0>} : memref<20xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

// Counting down from 9: iterations 9, 6, 3; iv = 9 - 3 * number.
// CHECK-LABEL: func @counts_down(
// CHECK: memref.store %{{.*}}[%c9{{(_[0-9]+)?}}]
// CHECK-NEXT: scf.for %[[T:.*]] = %c1{{.*}} to %c3
// CHECK: %[[P:.*]] = arith.muli %{{.*}}, %c-3
// CHECK-NEXT: arith.addi %c9{{.*}}, %[[P]]
// CHECK: }
// CHECK-NEXT: memref.store %{{.*}}[%c3{{(_[0-9]+)?}}]
func.func @counts_down(%a: memref<20xf32>, %b: memref<20xf32>, %z: f32) {
  %lb = arith.constant 9 : index
  %ub = arith.constant 1 : index
  %st = arith.constant -3 : index
  tile.pipeline %k = %lb to %ub step %st schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<20xf32>
    memref.store %z, %b[%k] {tile.stage = #tile.stage<1, order = 0>} : memref<20xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

// A dynamic trip count: each peeled statement asks whether its iteration exists,
// and what it replays, the read of the index too, is under the same condition.
// Commits and waits are not.
// CHECK-LABEL: func @dynamic(
// CHECK-SAME: %[[A:[^ ]+]]: memref<?x64xf32>, %[[I:[^ ]+]]: memref<?xindex>, %[[Y:[^ ]+]]: memref<?x64xf32>, %[[N:[^ ]+]]: index
// CHECK: %[[E0:.*]] = arith.cmpi slt, %c0{{.*}}, %[[N]]
// CHECK: %[[E1:.*]] = arith.cmpi slt, %c1{{.*}}, %[[N]]
// CHECK: %[[TAIL:.*]] = arith.maxsi %[[N]], %c2
// CHECK-NEXT: scf.if %[[E0]] {
// CHECK-NEXT: tile.slot
// CHECK-NEXT: memref.load %[[I]]
// CHECK-NEXT: tile.async.copy
// CHECK-NEXT: }
// CHECK-NEXT: %[[G0:.*]] = tile.async.commit ()
// CHECK-NEXT: scf.if %[[E1]] {
// CHECK: }
// CHECK-NEXT: %[[G1:.*]] = tile.async.commit ()
// CHECK-NEXT: %[[R:.*]]:2 = scf.for %{{.*}} = %c2{{.*}} to %[[N]] step %c1{{.*}} iter_args(%{{.*}} = %[[G1]], %{{.*}} = %[[G0]])
// CHECK-NOT: scf.if
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[L2:.*]] = arith.subi %[[TAIL]], %c2
// CHECK-NEXT: tile.async.wait %[[R]]#1
// CHECK-NEXT: scf.if %[[E0]] {
// CHECK: tile.copy %{{.*}} to %[[Y]][%[[L2]], 0]
// CHECK-NEXT: }
// CHECK-NEXT: %[[L1:.*]] = arith.subi %[[TAIL]], %c1
// CHECK-NEXT: tile.async.wait %[[R]]#0
// CHECK-NEXT: scf.if %[[E1]] {
// CHECK: tile.copy %{{.*}} to %[[Y]][%[[L1]], 0]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @dynamic(%A: memref<?x64xf32>, %I: memref<?xindex>, %Y: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = tile.alloc : memref<3x64xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    %i = tile.iteration %k
    %r = arith.remui %i, %c3 : index
    %v = tile.slot %b[%r] : memref<3x64xf32, #shared> -> memref<64xf32, #shared>
    %row = memref.load %I[%k] : memref<?xindex>
    tile.copy %A[%row, 0] to %v {tile.stage = #tile.stage<0, order = 1>} : memref<?x64xf32> to memref<64xf32, #shared>
    tile.copy %v to %Y[%k, 0] sizes [64] {tile.stage = #tile.stage<2, order = 0>} : memref<64xf32, #shared> to memref<?x64xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

// Bounds that are not 0 and a dynamic step: n = (upper - lower - 1) / step + 1
// where the loop runs at all.
// CHECK-LABEL: func @dynamic_bounds(
// CHECK-SAME: %[[LB:[^ ]+]]: index, %[[UB:[^ ]+]]: index, %[[ST:[^ ]+]]: index
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[LB]], %[[UB]]
// CHECK: %[[D:.*]] = arith.subi %[[UB]], %[[LB]]
// CHECK: %[[D1:.*]] = arith.subi %[[D]], %c1
// CHECK: %[[Q:.*]] = arith.divui %[[D1]], %[[ST]]
// CHECK: %[[Q1:.*]] = arith.addi %[[Q]], %c1
// CHECK: %[[N:.*]] = arith.select %[[RUNS]], %[[Q1]], %c0
// CHECK: scf.if
// CHECK-NEXT: memref.store %{{.*}}[%[[LB]]]
// CHECK: scf.for %[[T:.*]] = %c1{{.*}} to %[[N]]
func.func @dynamic_bounds(%a: memref<?xf32>, %b: memref<?xf32>, %z: f32, %lb: index, %ub: index, %st: index) {
  tile.pipeline %k = %lb to %ub step %st schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<?xf32>
    memref.store %z, %b[%k] {tile.stage = #tile.stage<1, order = 0>} : memref<?xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

// One stage: a plain loop in issue order, no guard, no prologue.
// CHECK-LABEL: func @one_stage(
// CHECK-SAME: %[[A:[^ ]+]]: memref<?xf32>, %[[B:[^ ]+]]: memref<?xf32>, %[[Z:.*]]: f32, %[[N:.*]]: index
// CHECK-NOT: scf.if
// CHECK: scf.for %[[T:.*]] = %c0{{.*}} to %[[N]]
// CHECK-NEXT: memref.store %[[Z]], %[[B]][%[[T]]]
// CHECK-NEXT: memref.store %[[Z]], %[[A]][%[[T]]]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @one_stage(%a: memref<?xf32>, %b: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 1>} : memref<?xf32>
    memref.store %z, %b[%k] {tile.stage = #tile.stage<0, order = 0>} : memref<?xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

// A value that one statement computes and another of its stage uses leaves the
// guard when a statement of another stage stands between them.
// CHECK-LABEL: func @scalar_leaves_guard(
// CHECK: %[[X:.*]] = scf.if %[[E:.*]] -> (f32) {
// CHECK-NEXT: %[[L:.*]] = memref.load
// CHECK-NEXT: scf.yield %[[L]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %cst
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %{{.*}} {
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %[[E]] {
// CHECK-NEXT: %[[XX:.*]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT: memref.store %[[XX]]
// CHECK-NEXT: }
func.func @scalar_leaves_guard(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<0, order = 0>} : memref<?xf32>
    %x = memref.load %a[%k] {tile.stage = #tile.stage<1, order = 1>} : memref<?xf32>
    %xx = arith.addf %x, %x : f32
    memref.store %z, %b[%k] {tile.stage = #tile.stage<2, order = 2>} : memref<?xf32>
    memref.store %xx, %c[%k] {tile.stage = #tile.stage<1, order = 3>} : memref<?xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 2>

// Statements with regions: what they capture is replayed before them, and their
// copies are asynchronous in their regions.
// CHECK-LABEL: func @regions(
// CHECK: %[[V:.*]] = tile.slot
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.async.copy %{{.*}} to %[[V]]
// CHECK: %[[G:.*]] = tile.async.commit ()
// CHECK: scf.for %[[T:.*]] = %c1{{.*}} to %c4{{.*}} iter_args(%[[P:.*]] = %[[G]])
// CHECK: tile.async.wait %[[P]]
// CHECK: tile.map (%[[I:.*]]) in [64]
// CHECK: tile.async.commit ()
// CHECK: tile.async.wait
// CHECK: tile.map
func.func @regions(%A: memref<?x64xf32>, %Y: memref<?x64xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %b = tile.alloc : memref<2x64xf32, #shared>
  tile.pipeline %k = %c0 to %c4 step %c1 schedule = #s {
    %i = tile.iteration %k
    %r = arith.remui %i, %c2 : index
    %v = tile.slot %b[%r] : memref<2x64xf32, #shared> -> memref<64xf32, #shared>
    scf.for %j = %c0 to %c64 step %c32 {
      scf.if %p {
        tile.copy %A[%k, %j] to %v[%j] sizes [32] : memref<?x64xf32> to memref<64xf32, #shared>
      }
    } {tile.stage = #tile.stage<0, order = 1>}
    tile.map (%j) in [64] {
      %x = memref.load %v[%j] : memref<64xf32, #shared>
      memref.store %x, %Y[%k, %j] : memref<?x64xf32>
    } {tile.stage = #tile.stage<1, order = 0>}
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

// Pipelines in other structure, and the iteration number of an outer loop in an
// inner one.
// CHECK-LABEL: func @nested(
// CHECK: tile.launch
// CHECK: scf.for %[[OUTER:[^ ]+]] =
// CHECK: %[[NUMBER:.*]] = arith.divui
// CHECK: scf.if
// CHECK: memref.store %{{.*}}[%[[NUMBER]], %c0
// CHECK: scf.for
// CHECK: memref.store %{{.*}}[%[[NUMBER]],
// CHECK: scf.while
// CHECK: scf.for
// CHECK-NOT: tile.pipeline
// CHECK-NOT: tile.iteration
func.func @nested(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %z: f32, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  tile.launch (%x) in [%n] threads = 128 {
    tile.pipeline %o = %c1 to %n step %c2 {
      scf.if %p {
        tile.pipeline %k = %c0 to %c4 step %c1 schedule = #s {
          %i = tile.iteration %o
          memref.store %z, %a[%i, %k] {tile.stage = #tile.stage<0, order = 1>} : memref<?x?xf32>
          memref.store %z, %b[%i, %k] {tile.stage = #tile.stage<1, order = 0>} : memref<?x?xf32>
        }
      }
    }
    scf.while : () -> () {
      scf.condition(%p)
    } do {
      tile.pipeline %k = %c0 to %c4 step %c1 schedule = #s {
        memref.store %z, %a[%k, %k] {tile.stage = #tile.stage<0, order = 1>} : memref<?x?xf32>
        memref.store %z, %b[%k, %k] {tile.stage = #tile.stage<1, order = 0>} : memref<?x?xf32>
      }
      scf.yield
    }
  }
  return
}

// -----

// Serial loops become scf.for: iter_args, the iteration number, counting down.
// CHECK-LABEL: func @serial(
// CHECK-SAME: %[[LB:[^ ]+]]: index, %[[UB:[^ ]+]]: index
// CHECK: %[[R:.*]] = scf.for %[[K:.*]] = %[[LB]] to %[[UB]] step %c2{{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (f32) {
// CHECK-NEXT: %[[D:.*]] = arith.subi %[[K]], %[[LB]]
// CHECK-NEXT: %[[I:.*]] = arith.divui %[[D]], %c2
// CHECK-NEXT: memref.store %[[X]], %{{.*}}[%[[I]]]
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT: scf.yield %[[Y]]
// CHECK: arith.cmpi slt, %[[LB]], %[[UB]]
// CHECK: arith.divui %{{.*}}, %c3
// CHECK: %[[N:.*]] = arith.select
// CHECK: scf.for %[[T:.*]] = %c0{{.*}} to %[[N]] step %c1
// CHECK-NEXT: %[[P:.*]] = arith.muli %[[T]], %c-3
// CHECK-NEXT: %[[IV:.*]] = arith.addi %[[UB]], %[[P]]
// CHECK-NEXT: memref.store %[[R]], %{{.*}}[%[[T]]]
// CHECK-NEXT: memref.store %[[R]], %{{.*}}[%[[IV]]]
// CHECK-NEXT: }
func.func @serial(%a: memref<?xf32>, %z: f32, %lb: index, %ub: index) {
  %c2 = arith.constant 2 : index
  %m3 = arith.constant -3 : index
  %r = tile.pipeline %k = %lb to %ub step %c2 iter_args(%x = %z) -> (f32) {
    %i = tile.iteration %k
    memref.store %x, %a[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    tile.yield %y : f32
  }
  tile.pipeline %k = %ub to %lb step %m3 {
    %i = tile.iteration %k
    memref.store %r, %a[%i] : memref<?xf32>
    memref.store %r, %a[%k] : memref<?xf32>
  }
  return
}

// -----

#s = #tile.pipeline_schedule<depth = 2>

// A serial pipeline can be a statement of a planned one.
// CHECK-LABEL: func @serial_statement(
// CHECK: scf.for
// CHECK: memref.store
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: tile.stage
func.func @serial_statement(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.pipeline %j = %c0 to %n step %c1 {
      %i = tile.iteration %k
      memref.store %z, %a[%i, %j] : memref<?x?xf32>
    } {tile.stage = #tile.stage<0, order = 1>}
    memref.store %z, %b[%k, %k] {tile.stage = #tile.stage<1, order = 0>} : memref<?x?xf32>
  }
  return
}
