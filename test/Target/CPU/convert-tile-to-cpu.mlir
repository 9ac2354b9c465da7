// RUN: tile-opt %s --convert-tile-to-cpu --split-input-file | FileCheck %s

// Two copies of one shape share a function, whose arguments are what differs.
// CHECK-LABEL: func.func @copies
// CHECK: call @__tile_copy_0(%{{.*}}, %{{.*}}, %[[I:.*]], %[[J:.*]]) :
// CHECK: call @__tile_copy_0(%{{.*}}, %{{.*}}, %[[J]], %[[I]]) :
// CHECK: return
// The region is inside both buffers: whole rows.
// CHECK-LABEL: func.func private @__tile_copy_0
// CHECK: scf.if
// CHECK: scf.for
// CHECK: %[[BYTES:.*]] = arith.constant 64 : i64
// CHECK-NEXT: "llvm.intr.memcpy"(%{{.*}}, %{{.*}}, %[[BYTES]])
// Else: bounds outside the loops, fill on both sides of what the source has.
// CHECK: } else {
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: %[[END:.*]] = arith.select
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[BEGIN:.*]] step
// CHECK: memref.store
// CHECK: "llvm.intr.memcpy"
// CHECK: scf.for %{{.*}} = %[[END]] to
// CHECK: memref.store
func.func @copies(%A: memref<?x?xf32>, %i: index, %j: index) {
  %S = tile.alloc : memref<16x16xf32, #tile.space<shared>>
  tile.copy %A[%i, %j] to %S : memref<?x?xf32> to memref<16x16xf32, #tile.space<shared>>
  tile.copy %A[%j, %i] to %S : memref<?x?xf32> to memref<16x16xf32, #tile.space<shared>>
  return
}

// -----

// A region that is known to be inside needs no test, and rows that follow each
// other in both buffers are one run.
// CHECK-LABEL: func.func private @__tile_copy_0
// CHECK-NOT: scf
// CHECK: %[[BYTES:.*]] = arith.constant 1024 : i64
// CHECK-NEXT: "llvm.intr.memcpy"(%{{.*}}, %{{.*}}, %[[BYTES]])
// CHECK-NOT: scf
func.func @whole(%A: memref<4x16x16xf32>) {
  %S = tile.alloc : memref<16x16xf32, #tile.space<shared>>
  tile.copy %A[2, 0, 0] to %S : memref<4x16x16xf32> to memref<16x16xf32, #tile.space<shared>>
  return
}

// -----

// Rows of one buffer may overlap: element by element.
// CHECK-LABEL: func.func private @__tile_copy_0
// CHECK-NOT: memcpy
// CHECK: memref.load
// CHECK-NOT: memcpy
func.func @overlap(%A: memref<16x16xf32>) {
  tile.copy %A[0, 0] to %A[1, 0] sizes [8, 8] : memref<16x16xf32> to memref<16x16xf32>
  return
}

// -----

// CHECK-LABEL: func.func @guard
// CHECK-SAME: %[[G:[a-z0-9]*]]: i1
// CHECK: scf.if %[[G]]
// CHECK-NEXT: call @__tile_copy_0
func.func @guard(%A: memref<16xf16>, %B: memref<16xf32>, %g: i1) {
  tile.copy %A to %B if %g : memref<16xf16> to memref<16xf32>
  return
}

// -----

// Large buffers lie in a frame of the block, small ones on the stack; both ends
// of the function free the frame.
// CHECK-LABEL: func.func @buffers
// CHECK: %[[BYTES:.*]] = arith.constant 131072 : i64
// CHECK: %[[FRAME:.*]] = call @tilepipe_rt_frame_push(%[[BYTES]])
// CHECK: llvm.getelementptr %[[FRAME]][{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: llvm.alloca {{.*}} {alignment = 64 : i64}
// CHECK: ^bb1:
// CHECK-NEXT: call @tilepipe_rt_frame_pop(%[[FRAME]])
// CHECK-NEXT: return
// CHECK: ^bb2:
// CHECK-NEXT: call @tilepipe_rt_frame_pop(%[[FRAME]])
// CHECK-NEXT: return
func.func @buffers(%c: i1, %x: f32) {
  %a = tile.alloc : memref<128x128xf32, #tile.space<shared>>
  %b = tile.alloc : memref<128x128xf32, #tile.space<shared>>
  %s = tile.alloc : memref<f32, #tile.space<fragment>>
  tile.fill %a with %x : f32, memref<128x128xf32, #tile.space<shared>>
  tile.fill %b with %x : f32, memref<128x128xf32, #tile.space<shared>>
  tile.fill %s with %x : f32, memref<f32, #tile.space<fragment>>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return
^bb2:
  return
}

// -----

// The body of a launch is a function of its own with a frame of its own.
// CHECK-LABEL: func.func @launch
// CHECK: %[[CTX:.*]] = llvm.alloca
// CHECK: llvm.store
// CHECK: constant @launch_block
// CHECK: call @tilepipe_rt_launch(%{{.*}}, %[[CTX]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-LABEL: func.func private @launch_block
// CHECK-SAME: (%[[C:.*]]: !llvm.ptr, %[[X:.*]]: index, %[[Y:.*]]: index, %{{.*}}: index)
// CHECK: %[[F:.*]] = call @tilepipe_rt_frame_push
// CHECK: call @__tile_copy_0
// CHECK: call @tilepipe_rt_frame_pop(%[[F]])
func.func @launch(%A: memref<?x?xf32>, %n: index) {
  tile.launch (%x, %y) in [%n, 4] threads = 128 {
    %S = tile.alloc : memref<32x32xf32, #tile.space<shared>>
    tile.copy %A[%x, %y] to %S : memref<?x?xf32> to memref<32x32xf32, #tile.space<shared>>
  }
  return
}

// -----

// Eight rows by two vectors of c stay in registers for all of k; b is used in
// place, a is broadcast.
// CHECK-LABEL: func.func private @__tile_gemm_0
// CHECK-SAME: %[[A:.*]]: memref<16x8xf32>, %[[B:.*]]: memref<8x32xf32>, %[[C:.*]]: memref<16x32xf32>
// CHECK-COUNT-16: vector.load %[[C]]
// CHECK: scf.for
// CHECK-COUNT-2: vector.load %[[B]]
// CHECK: memref.load %[[A]]
// CHECK: vector.broadcast
// CHECK: llvm.intr.fmuladd
// CHECK-COUNT-16: vector.store {{.*}}, %[[C]]
func.func @gemm(%A: memref<16x8xf32>, %B: memref<8x32xf32>, %C: memref<16x32xf32>) {
  tile.gemm %A, %B, %C : memref<16x8xf32>, memref<8x32xf32>, memref<16x32xf32>
  return
}

// -----

// Narrow operands are widened once; the last columns are masked.
// CHECK-LABEL: func.func private @__tile_gemm_0
// CHECK: tilepipe_rt_frame_push
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: vector.constant_mask [4]
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK: tilepipe_rt_frame_pop
func.func @gemm_tail(%A: memref<5x8xf16>, %B: memref<20x8xf16>, %C: memref<5x20xf32>) {
  tile.gemm %A, %B, %C {transpose_b} : memref<5x8xf16>, memref<20x8xf16>, memref<5x20xf32>
  return
}

// -----

// A loop that counts down counts its iterations instead.
// CHECK-LABEL: func.func @down
// CHECK: scf.for %[[N:.*]] =
// CHECK: %[[M:.*]] = arith.muli %[[N]], %{{.*}}
// CHECK: %[[IV:.*]] = arith.addi %{{.*}}, %[[M]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[IV]]]
func.func @down(%A: memref<16xf32>, %lo: index, %hi: index, %x: f32) {
  %m2 = arith.constant -2 : index
  tile.pipeline %k = %hi to %lo step %m2 {
    memref.store %x, %A[%k] : memref<16xf32>
  }
  return
}

// -----

// Other blocks see global memory only.
// CHECK-LABEL: func.func @atomics
// CHECK: llvm.atomicrmw fadd
// CHECK: arith.addf
func.func @atomics(%G: memref<16xf32>, %i: index, %x: f32) {
  %S = tile.alloc : memref<16xf32, #tile.space<shared>>
  tile.atomic <add> %x, %G[%i] : f32, memref<16xf32>
  tile.atomic <add> %x, %S[%i] : f32, memref<16xf32, #tile.space<shared>>
  return
}

// -----

// Copies are made at once: tokens are numbers that nobody looks at.
// CHECK-LABEL: func.func @async
// CHECK: call @__tile_copy_0
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i64)
// CHECK-NOT: tile.
// CHECK: return
func.func @async(%A: memref<4x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : memref<2x16xf32, #tile.space<shared>>
  %s0 = tile.slot %S[%c0] : memref<2x16xf32, #tile.space<shared>> -> memref<16xf32, #tile.space<shared>>
  %t = tile.async.copy %A[0, 0] to %s0 : memref<4x16xf32> to memref<16xf32, #tile.space<shared>>
  %g = tile.async.commit %t
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%h = %g) -> (!tile.token) {
    tile.async.wait %h pending = 0
    %next = tile.async.commit
    scf.yield %next : !tile.token
  }
  tile.async.wait %last
  return
}

// -----

// What was planned and is not carried out leaves nothing behind.
// CHECK-LABEL: func.func @planned(
// CHECK: scf.for
// CHECK-NOT: tile.stage
func.func @planned(%a: memref<?xf32>, %z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 2> {
    memref.store %z, %a[%k] {tile.stage = #tile.stage<1, order = 0>} : memref<?xf32>
  }
  return
}
