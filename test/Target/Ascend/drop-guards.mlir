// A guard that says no more than that an element exists is dropped: copies of
// tiles end where memory does. What it says besides stays.
//
// RUN: tile-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(tile-set-target{chip=dav-2201},tile-assign-spaces)' | FileCheck %s

// CHECK-LABEL: func.func @guarded
// CHECK: tile.copy %arg0[%{{.*}}] to %[[X:.*]] : memref<97xf32> to
// CHECK: tile.map (%[[I:.*]]) in [16]
// CHECK-NOT: scf.if
// CHECK: memref.load %[[X]][%[[I]]]
// CHECK: memref.store %{{.*}}, %[[Y:.*]][%[[I]]]
// CHECK: tile.copy %[[Y]] to %arg1[%{{.*}}] :
func.func @guarded(%X: memref<97xf32>, %Y: memref<97xf32>) {
  %c16 = arith.constant 16 : index
  %c97 = arith.constant 97 : index
  tile.launch (%bx) in [7] threads = 32 {
    tile.map (%i) in [16] {
      %b = arith.muli %bx, %c16 : index
      %j = arith.addi %b, %i : index
      %inside = arith.cmpi slt, %j, %c97 : index
      scf.if %inside {
        %x = memref.load %X[%j] : memref<97xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %Y[%j] : memref<97xf32>
      }
    }
  }
  return
}

// -----

// One element less than there are.
func.func @stricter(%X: memref<97xf32>, %Y: memref<97xf32>) {
  %c16 = arith.constant 16 : index
  %c96 = arith.constant 96 : index
  tile.launch (%bx) in [7] threads = 32 {
    tile.map (%i) in [16] {
      %b = arith.muli %bx, %c16 : index
      %j = arith.addi %b, %i : index
      %inside = arith.cmpi slt, %j, %c96 : index
      scf.if %inside {
        %x = memref.load %X[%j] : memref<97xf32>
        // expected-error @+1 {{cannot reach global memory from vector code}}
        memref.store %x, %Y[%j] : memref<97xf32>
      }
    }
  }
  return
}

// -----

// The guard keeps a tile from being read outside of its bounds.
func.func @tile(%Y: memref<12xf32>) {
  %c12 = arith.constant 12 : index
  tile.launch (%bx) in [1] threads = 32 {
    %S = tile.alloc {name = "S"} : memref<12xf32, #tile.space<shared>>
    tile.map (%i) in [16] {
      %inside = arith.cmpi slt, %i, %c12 : index
      scf.if %inside {
        %x = memref.load %S[%i] : memref<12xf32, #tile.space<shared>>
        // expected-error @+1 {{cannot reach global memory from vector code}}
        memref.store %x, %Y[%i] : memref<12xf32>
      }
    }
  }
  return
}
