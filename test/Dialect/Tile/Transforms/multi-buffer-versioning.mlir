// RUN: tile-opt %s --split-input-file --verify-each --multi-buffer-versioning | FileCheck %s

#shared = #tile.space<shared>
#s = #tile.pipeline_schedule<depth = 3>

// Each iteration uses the slot of its number; the attribute is gone.
// CHECK-LABEL: func @one_loop(
// CHECK: %[[B:.*]] = tile.alloc {name = "As"} : memref<3x64xf32, #tile.space<shared>>
// CHECK: %[[V:.*]] = arith.constant 3 : index
// CHECK: tile.pipeline %[[K:[^ ]+]] =
// CHECK-NEXT: %[[I:.*]] = tile.iteration %[[K]]
// CHECK-NEXT: %[[R:.*]] = arith.remui %[[I]], %[[V]] : index
// CHECK-NEXT: %[[S:.*]] = tile.slot %[[B]][%[[R]]] : memref<3x64xf32, {{.*}}> -> memref<64xf32
// CHECK-NEXT: tile.copy %{{.*}}[%[[K]], 0] to %[[S]] {tile.stage
// CHECK-NEXT: tile.copy %[[S]] to %{{.*}}[%[[K]], 0]
func.func @one_loop(%A: memref<?x64xf32>, %B: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.alloc {name = "As", versions = 3} : memref<64xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.copy %A[%k, 0] to %b sizes [64] {tile.stage = #tile.stage<0, order = 1>} : memref<?x64xf32> to memref<64xf32, #shared>
    tile.copy %b to %B[%k, 0] sizes [64] {tile.stage = #tile.stage<2, order = 0>} : memref<64xf32, #shared> to memref<?x64xf32>
  }
  return
}

// versions = 1 is no version; nothing but the attribute goes.
// CHECK-LABEL: func @one_version(
// CHECK: tile.alloc : memref<64xf32
// CHECK-NOT: tile.slot
func.func @one_version() {
  %b = tile.alloc {versions = 1} : memref<64xf32, #shared>
  %z = arith.constant 0.0 : f32
  tile.fill %b with %z : f32, memref<64xf32, #shared>
  return
}

// Two buffers of the same number of versions share the index.
// CHECK-LABEL: func @shared_index(
// CHECK: tile.pipeline
// CHECK-NEXT: tile.iteration
// CHECK-NEXT: %[[R:.*]] = arith.remui
// CHECK-NEXT: tile.slot %{{.*}}[%[[R]]] : memref<2x64xf32
// CHECK-NEXT: tile.slot %{{.*}}[%[[R]]] : memref<2x8xf32
// CHECK-NEXT: %[[Q:.*]] = arith.remui
// CHECK-NEXT: tile.slot %{{.*}}[%[[Q]]] : memref<3x8xf32
func.func @shared_index(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %a = tile.alloc {versions = 2} : memref<64xf32, #shared>
  %b = tile.alloc {versions = 2} : memref<8xf32, #shared>
  %c = tile.alloc {versions = 3} : memref<8xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.fill %a with %z {tile.stage = #tile.stage<0, order = 0>} : f32, memref<64xf32, #shared>
    tile.fill %b with %z {tile.stage = #tile.stage<0, order = 1>} : f32, memref<8xf32, #shared>
    tile.fill %c with %z {tile.stage = #tile.stage<0, order = 2>} : f32, memref<8xf32, #shared>
  }
  return
}

// Code after the loop reads the version of the last iteration, or of before
// where the loop may not run at all.
// CHECK-LABEL: func @current_dynamic(
// CHECK-SAME: %[[N:[^ ]+]]: index
// CHECK: %[[B:.*]] = tile.alloc
// CHECK-NEXT: %[[S0:.*]] = tile.slot %[[B]][%c0{{.*}}]
// CHECK: tile.fill %[[S0]]
// CHECK: tile.pipeline
// CHECK: {{^ *}}}
// CHECK-NEXT: %[[RUNS:.*]] = arith.cmpi slt, %c0{{.*}}, %[[N]]
// CHECK-NEXT: %[[LAST:.*]] = arith.subi %[[N]], %c1
// CHECK-NEXT: %[[R:.*]] = arith.remui %[[LAST]], %c3
// CHECK-NEXT: %[[CUR:.*]] = arith.select %[[RUNS]], %[[R]], %c0
// CHECK-NEXT: %[[S1:.*]] = tile.slot %[[B]][%[[CUR]]]
// CHECK: tile.copy %[[S1]] to
func.func @current_dynamic(%n: index, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %b = tile.alloc {versions = 3} : memref<64xf32, #shared>
  tile.fill %b with %z : f32, memref<64xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.fill %b with %z {tile.stage = #tile.stage<0, order = 0>} : f32, memref<64xf32, #shared>
  }
  tile.copy %b to %B : memref<64xf32, #shared> to memref<64xf32>
  return
}

// Two loops in a row: 10 iterations end in slot 9 mod 3 = 0, then 5 in 4 mod 3;
// steps, bounds that are not zero and loops that count down are counted right.
// CHECK-LABEL: func @current_static(
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[B:.*]] = tile.alloc
// CHECK: tile.pipeline
// CHECK: tile.pipeline
// CHECK: %[[S2:.*]] = tile.slot %[[B]][%[[C1]]]
// CHECK: scf.if
// CHECK-NEXT: tile.copy %[[S2]] to
func.func @current_static(%B: memref<64xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c23 = arith.constant 23 : index
  %m2 = arith.constant -2 : index
  %c9 = arith.constant 9 : index
  %z = arith.constant 0.0 : f32
  %b = tile.alloc {versions = 3} : memref<64xf32, #shared>
  tile.pipeline %k = %c3 to %c23 step %c2 schedule = #s {
    tile.fill %b with %z {tile.stage = #tile.stage<0, order = 0>} : f32, memref<64xf32, #shared>
  }
  tile.pipeline %k = %c9 to %c0 step %m2 schedule = #s {
    tile.fill %b with %z {tile.stage = #tile.stage<0, order = 0>} : f32, memref<64xf32, #shared>
  }
  scf.if %p {
    tile.copy %b to %B : memref<64xf32, #shared> to memref<64xf32>
  }
  return
}

// A view made before the loop names slot 0; what is accessed through it in the
// loop and after it is another slot.
// CHECK-LABEL: func @view_outside(
// CHECK: %[[B:.*]] = tile.alloc
// CHECK: %[[S0:.*]] = tile.slot
// CHECK: %[[V0:.*]] = memref.subview %[[S0]]
// CHECK: tile.fill %[[V0]]
// CHECK: tile.pipeline
// CHECK: %[[S:.*]] = tile.slot
// CHECK-NEXT: %[[V1:.*]] = memref.subview %[[S]][%[[O:.*]]] [8] [1]
// CHECK-NEXT: tile.fill %[[V1]] with %{{.*}} {tile.stage
// CHECK: %[[S1:.*]] = tile.slot
// CHECK: %[[V2:.*]] = memref.subview %[[S1]][%[[O]]] [8] [1]
// CHECK: tile.copy %[[V2]]
func.func @view_outside(%n: index, %o: index, %B: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %b = tile.alloc {versions = 3} : memref<64xf32, #shared>
  %v = memref.subview %b[%o] [8] [1] : memref<64xf32, #shared> to memref<8xf32, strided<[1], offset: ?>, #shared>
  tile.fill %v with %z : f32, memref<8xf32, strided<[1], offset: ?>, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.fill %v with %z {tile.stage = #tile.stage<0, order = 0>} : f32, memref<8xf32, strided<[1], offset: ?>, #shared>
  }
  tile.copy %v to %B : memref<8xf32, strided<[1], offset: ?>, #shared> to memref<8xf32>
  return
}

// Views of all kinds inside the loop stay and start at the slot; a slot of the
// user's own is a view like any other.
// CHECK-LABEL: func @views_inside(
// CHECK: tile.pipeline
// CHECK: %[[S:.*]] = tile.slot %{{.*}} : memref<2x4x16xf32, {{.*}}> -> memref<4x16xf32
// CHECK: memref.collapse_shape %[[S]]
// CHECK: tile.slot %[[S]][%{{.*}}] : memref<4x16xf32
// CHECK: memref.cast %[[S]]
// CHECK: memref.reinterpret_cast %[[S]]
// CHECK: memref.transpose %[[S]]
func.func @views_inside(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %b = tile.alloc {versions = 2} : memref<4x16xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    %1 = memref.collapse_shape %b [[0, 1]] : memref<4x16xf32, #shared> into memref<64xf32, #shared>
    %2 = memref.expand_shape %1 [[0, 1]] output_shape [32, 2] : memref<64xf32, #shared> into memref<32x2xf32, #shared>
    tile.fill %2 with %z {tile.stage = #tile.stage<0, order = 0>} : f32, memref<32x2xf32, #shared>
    %3 = tile.slot %b[%c1] : memref<4x16xf32, #shared> -> memref<16xf32, #shared>
    tile.fill %3 with %z {tile.stage = #tile.stage<0, order = 1>} : f32, memref<16xf32, #shared>
    %4 = memref.cast %b : memref<4x16xf32, #shared> to memref<?x?xf32, #shared>
    %5 = memref.reinterpret_cast %b to offset: [0], sizes: [64], strides: [1] : memref<4x16xf32, #shared> to memref<64xf32, #shared>
    %6 = memref.transpose %b (i, j) -> (j, i) : memref<4x16xf32, #shared> to memref<16x4xf32, strided<[1, 16]>, #shared>
    tile.copy %6 to %2[0, 0] sizes [2, 2] {tile.stage = #tile.stage<0, order = 2>} : memref<16x4xf32, strided<[1, 16]>, #shared> to memref<32x2xf32, #shared>
    tile.fill %5 with %z {tile.stage = #tile.stage<0, order = 3>} : f32, memref<64xf32, #shared>
    tile.copy %4[0, 0] to %2 {tile.stage = #tile.stage<0, order = 4>} : memref<?x?xf32, #shared> to memref<32x2xf32, #shared>
  }
  return
}

// Accesses in nested regions use the slot of the planned loop; what is freed is
// the whole buffer.
// CHECK-LABEL: func @nested_and_dealloc(
// CHECK: %[[B:.*]] = tile.alloc
// CHECK: tile.pipeline
// CHECK: %[[S:.*]] = tile.slot %[[B]]
// CHECK: tile.map
// CHECK-NEXT: memref.store %{{.*}}, %[[S]]
// CHECK: memref.dealloc %[[B]] : memref<2x64xf32
func.func @nested_and_dealloc(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %b = tile.alloc {versions = 2} : memref<64xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
    tile.map (%i) in [64] {
      memref.store %z, %b[%i] : memref<64xf32, #shared>
    } {tile.stage = #tile.stage<0, order = 0>}
  }
  memref.dealloc %b : memref<64xf32, #shared>
  return
}

// A planned loop in a serial one may have versions as long as nobody outside
// needs to know which is current.
// CHECK-LABEL: func @planned_in_serial(
// CHECK: scf.for
// CHECK: tile.pipeline
// CHECK-NEXT: tile.iteration
func.func @planned_in_serial(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %b = tile.alloc {versions = 2} : memref<64xf32, #shared>
  scf.for %i = %c0 to %n step %c1 {
    tile.pipeline %k = %c0 to %n step %c1 schedule = #s {
      tile.fill %b with %z {tile.stage = #tile.stage<0, order = 0>} : f32, memref<64xf32, #shared>
    }
  }
  return
}

// A loop that was left serial is code outside planned loops.
// CHECK-LABEL: func @serial_pipeline(
// CHECK: %[[S:.*]] = tile.slot
// CHECK: tile.pipeline
// CHECK-NEXT: tile.fill %[[S]]
func.func @serial_pipeline(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %b = tile.alloc {versions = 2} : memref<64xf32, #shared>
  tile.pipeline %k = %c0 to %n step %c1 {
    tile.fill %b with %z : f32, memref<64xf32, #shared>
  }
  return
}
