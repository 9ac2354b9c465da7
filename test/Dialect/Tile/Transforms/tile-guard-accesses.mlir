// RUN: tile-opt %s --tile-guard-accesses | FileCheck %s
// RUN: tile-opt %s --tile-guard-accesses=assert-on-chip=true | FileCheck %s --check-prefix=ASSERT
// RUN: tile-opt %s --tile-guard-accesses=scalar-only=true | FileCheck %s --check-prefix=SCALAR
// The second time there is nothing left to do.
// RUN: tile-opt %s --tile-guard-accesses=assert-on-chip=true -o %t.1.mlir
// RUN: tile-opt %t.1.mlir --tile-guard-accesses=assert-on-chip=true -o %t.2.mlir
// RUN: diff %t.1.mlir %t.2.mlir

#shared = #tile.space<shared>

// SCALAR-LABEL: func @tail(
// SCALAR-NOT: scf.if
// SCALAR: return
// CHECK-LABEL: func @tail(
func.func @tail(%X: memref<100xf32>, %Y: memref<100xf32>) {
  %c16 = arith.constant 16 : index
  tile.launch (%bx) in [7] threads = 32 {
    // CHECK: tile.map (%[[I:.*]]) in [16]
    tile.map (%i) in [16] {
      %b = arith.muli %bx, %c16 : index
      // CHECK: %[[J:.*]] = arith.addi
      %j = arith.addi %b, %i : index
      // CHECK: %[[IN:.*]] = arith.cmpi slt, %[[J]], %c100
      // CHECK: %[[X:.*]] = scf.if %[[IN]] -> (f32) {
      // CHECK-NEXT: memref.load %{{.*}}[%[[J]]]
      // CHECK-NEXT: scf.yield
      // CHECK-NEXT: } else {
      // CHECK-NEXT: scf.yield %{{cst.*}} : f32
      %x = memref.load %X[%j] : memref<100xf32>
      // CHECK: %[[IN:.*]] = arith.cmpi slt, %[[J]], %c100
      // CHECK-NEXT: scf.if %[[IN]] {
      // CHECK-NEXT: memref.store %[[X]], %{{.*}}[%[[J]]]
      // CHECK-NEXT: }
      memref.store %x, %Y[%j] : memref<100xf32>
    }
  }
  return
}

// Nothing is checked that is known.
// CHECK-LABEL: func @proven(
// CHECK-NOT: arith.cmpi
// CHECK-NOT: scf.if %{{.*}} -> (f32)
// CHECK: return
func.func @proven(%X: memref<128xf32>, %Y: memref<?xf32>, %Z: memref<64x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c63 = arith.constant 63 : index
  %n = memref.dim %Y, %c0 : memref<?xf32>
  %columns = memref.dim %Z, %c1 : memref<64x?xf32>
  %blocks = arith.floordivsi %n, %c16 : index
  tile.launch (%bx) in [8] threads = 32 {
    tile.map (%i) in [16] {
      %b = arith.muli %bx, %c16 : index
      %j = arith.addi %b, %i : index
      %x = memref.load %X[%j] : memref<128xf32>
      memref.store %x, %X[%j] : memref<128xf32>
    }
    // Whole blocks of 16.
    scf.for %k = %c0 to %blocks step %c1 {
      %first = arith.muli %k, %c16 : index
      tile.map (%i) in [16] {
        %j = arith.addi %first, %i : index
        %x = memref.load %Y[%j] : memref<?xf32>
        memref.store %x, %Y[%j] : memref<?xf32>
      }
    }
    // Halves of rows, backwards.
    %half = arith.floordivsi %columns, %c2 : index
    tile.map (%i, %j) in [64, %half] {
      %row = arith.subi %c63, %i : index
      %twice = arith.muli %j, %c2 : index
      %odd = arith.addi %twice, %c1 : index
      %x = memref.load %Z[%row, %odd] : memref<64x?xf32>
      memref.store %x, %Z[%row, %twice] : memref<64x?xf32>
    }
    // The least of two bounds.
    tile.map (%i) in [%n] {
      %least = arith.minsi %i, %c8 : index
      %rest = arith.remui %i, %c8 : index
      %x = memref.load %X[%least] : memref<128xf32>
      memref.store %x, %X[%rest] : memref<128xf32>
    }
  }
  return
}

// What the user checks is not checked again, in whatever words.
// CHECK-LABEL: func @guarded_by_hand(
func.func @guarded_by_hand(%X: memref<?xf32>, %I: memref<16xi32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %zero = arith.constant 0 : i32
  %n = memref.dim %X, %c0 : memref<?xf32>
  tile.launch (%bx) in [8] threads = 32 {
    tile.map (%i) in [16] {
      // CHECK: memref.load
      %k = memref.load %I[%i] : memref<16xi32>
      %j = arith.index_cast %k : i32 to index
      // `0 <= k and j < n`, the second computed only where the first holds
      %low = arith.cmpi sge, %k, %zero : i32
      %inside = scf.if %low -> (i1) {
        %high = arith.cmpi slt, %j, %n : index
        scf.yield %high : i1
      } else {
        scf.yield %false : i1
      }
      // CHECK: scf.if
      // CHECK: scf.if
      // CHECK-NEXT: memref.load
      // CHECK-NEXT: memref.store
      // CHECK-NEXT: }
      scf.if %inside {
        %x = memref.load %X[%j] : memref<?xf32>
        memref.store %x, %X[%j] : memref<?xf32>
      }
      // Nothing keeps `first + 1` from wrapping around.
      %next = arith.addi %first, %c1 : index
      %below = arith.cmpi ult, %next, %n : index
      // CHECK: arith.addi
      // CHECK-NEXT: arith.cmpi ult
      // CHECK-NEXT: scf.if
      scf.if %below {
        // CHECK: arith.cmpi ult
        // CHECK-NEXT: arith.constant
        // CHECK-NEXT: scf.if
        // CHECK: memref.load
        %x = memref.load %X[%first] : memref<?xf32>
        // CHECK: else
        // CHECK-NOT: scf.if
        // CHECK: memref.store
        memref.store %x, %X[%next] : memref<?xf32>
      } else {
        // CHECK: arith.cmpi ult
        // CHECK: scf.if
        // CHECK: memref.store
        %x = arith.constant 1.0 : f32
        memref.store %x, %X[%next] : memref<?xf32>
      }
    }
  }
  return
}

// Sizes of one name are one size.
// CHECK-LABEL: func @named_sizes(
// CHECK-NOT: arith.cmpi slt, %{{.*}}, %{{dim_.*}}
// CHECK: return
func.func @named_sizes(%X: memref<?x4xf32> {tile.sizes = ["n", ""]},
                       %Y: memref<8x?xf32> {tile.sizes = ["", "n"]}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?x4xf32>
  tile.launch (%bx) in [1] threads = 32 {
    tile.map (%i) in [%n] {
      %x = memref.load %X[%i, %c0] : memref<?x4xf32>
      memref.store %x, %Y[%c0, %i] : memref<8x?xf32>
    }
  }
  return
}

// SCALAR-LABEL: func @element(
// SCALAR: scf.if
// SCALAR-NEXT: memref.load
func.func @element(%X: memref<100xf32>, %i: index) -> f32 {
  %x = memref.load %X[%i] : memref<100xf32>
  return %x : f32
}

// A loop that ends early is a while loop.
// CHECK-LABEL: func @search(
func.func @search(%X: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %X, %c0 : memref<?xf32>
  %at, %end = scf.while (%i = %c0, %found = %c0) : (index, index) -> (index, index) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %found : index, index
  } do {
  ^bb0(%i: index, %found: index):
    // CHECK: do {
    // CHECK-NOT: scf.if
    // CHECK: memref.load
    %x = memref.load %X[%i] : memref<?xf32>
    %is = arith.cmpf olt, %x, %zero : f32
    %this = arith.select %is, %i, %found : index
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %this : index, index
  }
  return %end : index
}

// Negative indices, updates, and sizes of zero.
// CHECK-LABEL: func @others(
func.func @others(%X: memref<0x4xi32>, %Y: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  tile.launch (%bx) in [1] threads = 32 {
    tile.map (%i) in [8] {
      // CHECK: arith.subi
      %j = arith.subi %i, %c3 : index
      // CHECK: arith.cmpi sge
      // CHECK: scf.if
      // CHECK-NEXT: tile.atomic
      tile.atomic <add> %v, %Y[%j] : f32, memref<8xf32>
      // CHECK: arith.cmpi sge
      // CHECK: scf.if %{{.*}} -> (f32)
      // CHECK-NEXT: memref.atomic_rmw
      %old = memref.atomic_rmw addf %v, %Y[%j] : (f32, memref<8xf32>) -> f32
      // CHECK: arith.cmpi slt, %{{.*}}, %c0
      // CHECK: scf.if
      %z = memref.load %X[%c0, %c3] : memref<0x4xi32>
    }
  }
  return
}

// CHECK-LABEL: func @on_chip(
// CHECK-NOT: cf.assert
// ASSERT-LABEL: func @on_chip(
func.func @on_chip(%I: memref<16xi8>, %Y: memref<16xf32>) {
  tile.launch (%bx) in [1] threads = 32 {
    %S = tile.alloc {name = "S"} : memref<16xf32, #shared>
    %T = tile.alloc {name = "T"} : memref<256xf32, #shared>
    tile.map (%i) in [16] {
      // ASSERT: memref.load
      %k = memref.load %I[%i] : memref<16xi8>
      %j = arith.index_castui %k : i8 to index
      // ASSERT: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %c16
      // ASSERT-NEXT: cf.assert %[[IN]], "index of dimension 0 is out of range, 'S' has 16 elements there" {tile.bounds = {{.*}}}
      // ASSERT-NEXT: memref.load
      %x = memref.load %S[%j] : memref<16xf32, #shared>
      // No byte is too large for this one.
      // ASSERT-NEXT: memref.load
      %y = memref.load %T[%j] : memref<256xf32, #shared>
      %z = arith.addf %x, %y : f32
      memref.store %z, %Y[%i] : memref<16xf32>
    }
  }
  return
}
