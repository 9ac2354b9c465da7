// RUN: tile-opt %s -split-input-file --tile-set-target=chip=dav-2201 --tile-assign-spaces | FileCheck %s

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Operands of a gemm in L1, sums in L0C; sums that are only copied need no more.
// CHECK-LABEL: func @gemm(
// CHECK-SAME:    %{{[^,]*}}: memref<?x?xf16>, %{{[^,]*}}: memref<?x?xf16>, %{{[^,]*}}: memref<?x?xf16>) {
// CHECK:         %[[A:.*]] = tile.alloc {name = "A"} : memref<64x32xf16, #tile.space<l1>>
// CHECK:         %[[B:.*]] = tile.alloc {name = "B"} : memref<48x32xf16, #tile.space<l1>>
// CHECK:         %[[C:.*]] = tile.alloc {name = "C"} : memref<64x48xf32, #tile.space<l0c>>
// CHECK:         tile.copy %[[C]] to
func.func @gemm(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>) {
  %zero = arith.constant 0.0 : f32
  tile.launch (%i) in [4] threads = 128 {
    %A = tile.alloc {name = "A"} : memref<64x32xf16, #shared>
    %B = tile.alloc {name = "B"} : memref<48x32xf16, #shared>
    %C = tile.alloc {name = "C"} : memref<64x48xf32, #fragment>
    tile.fill %C with %zero : f32, memref<64x48xf32, #fragment>
    tile.copy %a[%i, 0] to %A : memref<?x?xf16> to memref<64x32xf16, #shared>
    tile.copy %b[%i, 0] to %B : memref<?x?xf16> to memref<48x32xf16, #shared>
    tile.gemm %A, %B, %C {transpose_b} : memref<64x32xf16, #shared>, memref<48x32xf16, #shared>, memref<64x48xf32, #fragment>
    tile.copy %C to %c[%i, 0] : memref<64x48xf32, #fragment> to memref<?x?xf16>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// FIX clamps and rounds: no vector core, no workspace, the half tile vanishes.
// CHECK-LABEL: func @relu_and_round(
// CHECK-SAME:    %[[OUT:[^:]*]]: memref<?x?xf16>) {
// CHECK-NOT:     space<ub>
// CHECK:         %[[C:.*]] = tile.alloc {name = "C"} : memref<64x48xf32, #tile.space<l0c>>
// CHECK-NOT:     space<ub>
// CHECK:         tile.gemm
// CHECK:         tile.map (%[[I:.*]], %[[J:.*]]) in [64, 48]
// CHECK:           %[[X:.*]] = memref.load %[[C]][%[[I]], %[[J]]]
// CHECK:           %[[Y:.*]] = arith.maxnumf %[[X]]
// CHECK:           memref.store %[[Y]], %[[C]][%[[I]], %[[J]]]
// CHECK:         tile.copy %[[C]] to %[[OUT]]
func.func @relu_and_round(%c: memref<?x?xf16>) {
  %zero = arith.constant 0.0 : f32
  tile.launch (%i) in [4] threads = 128 {
    %A = tile.alloc {name = "A"} : memref<64x32xf16, #shared>
    %B = tile.alloc {name = "B"} : memref<48x32xf16, #shared>
    %C = tile.alloc {name = "C"} : memref<64x48xf32, #fragment>
    %H = tile.alloc {name = "H"} : memref<64x48xf16, #fragment>
    tile.gemm %A, %B, %C {clear, transpose_b} : memref<64x32xf16, #shared>, memref<48x32xf16, #shared>, memref<64x48xf32, #fragment>
    tile.map (%r, %s) in [64, 48] {
      %x = memref.load %C[%r, %s] : memref<64x48xf32, #fragment>
      %y = arith.maxnumf %x, %zero : f32
      %h = arith.truncf %y : f32 to f16
      memref.store %h, %H[%r, %s] : memref<64x48xf16, #fragment>
    }
    tile.copy %H to %c[%i, 0] : memref<64x48xf16, #fragment> to memref<?x?xf16>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// The sums cross to the vector cores through a slot of the workspace for each block.
// CHECK-LABEL: func @bias(
// CHECK-SAME:    %[[W:[^:]*]]: memref<?x64x48xf32> {ascend.workspace}) {
// CHECK:         tile.launch (%[[I:.*]], %[[J:.*]]) in [4, 3]
// CHECK-DAG:       %[[C:.*]] = tile.alloc {name = "C"} : memref<64x48xf32, #tile.space<l0c>>
// CHECK-DAG:       %[[U:.*]] = tile.alloc {name = "C_ub"} : memref<64x48xf32, #tile.space<ub>>
// CHECK-DAG:       %[[ROW:.*]] = tile.alloc {name = "row"} : memref<48xf32, #tile.space<ub>>
// CHECK:           tile.pipeline
// CHECK:             tile.gemm
// CHECK:           %[[ROWS:.*]] = arith.muli %[[I]], %{{.*}}
// CHECK:           %[[BLOCK:.*]] = arith.addi %[[ROWS]], %[[J]]
// CHECK:           tile.copy %[[C]] to %[[W]][%[[BLOCK]], 0, 0]
// CHECK:           tile.copy %[[W]][%[[BLOCK]], 0, 0] to %[[U]]
// CHECK:           tile.map
// CHECK:             memref.load %[[U]]
// CHECK:             memref.store %{{.*}}, %[[U]]
// CHECK:           tile.copy %[[U]] to
func.func @bias(%bias: memref<?xf32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.launch (%i, %j) in [4, 3] threads = 128 {
    %A = tile.alloc {name = "A"} : memref<64x32xf16, #shared>
    %B = tile.alloc {name = "B"} : memref<32x48xf16, #shared>
    %C = tile.alloc {name = "C"} : memref<64x48xf32, #fragment>
    %row = tile.alloc {name = "row"} : memref<48xf32, #shared>
    tile.pipeline %k = %c0 to %c4 step %c1 {
      tile.gemm %A, %B, %C : memref<64x32xf16, #shared>, memref<32x48xf16, #shared>, memref<64x48xf32, #fragment>
    }
    tile.copy %bias[%j] to %row : memref<?xf32> to memref<48xf32, #shared>
    tile.map (%r, %s) in [64, 48] {
      %x = memref.load %C[%r, %s] : memref<64x48xf32, #fragment>
      %b = memref.load %row[%s] : memref<48xf32, #shared>
      %y = arith.addf %x, %b : f32
      memref.store %y, %C[%r, %s] : memref<64x48xf32, #fragment>
    }
    tile.copy %C to %c[%i, 0] : memref<64x48xf32, #fragment> to memref<?x?xf32>
  }
  return
}

// -----

// Vector code reaches UB only: elements of global memory pass through tiles.
// CHECK-LABEL: func @global_elements(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x?xf32>, %[[B:[^:]*]]: memref<?xf32>)
// CHECK:         %[[AT:.*]] = tile.alloc {name = "{{.*}}_ub"} : memref<64xf32, #tile.space<ub>>
// CHECK:         tile.copy %[[A]][%{{.*}}, %{{.*}}] to %[[AT]] dims [1]
// CHECK:         %[[BT:.*]] = tile.alloc {name = "{{.*}}_ub"} : memref<64xf32, #tile.space<ub>>
// CHECK:         tile.map (%[[I:.*]]) in [64]
// CHECK:           memref.load %[[AT]][%[[I]]]
// CHECK:           memref.store %{{.*}}, %[[BT]][%[[I]]]
// CHECK:         tile.copy %[[BT]] to %[[B]]
func.func @global_elements(%a: memref<?x?xf32>, %b: memref<?xf32>) {
  %c64 = arith.constant 64 : index
  tile.launch (%i) in [4] threads = 128 {
    tile.map (%j) in [64] {
      %at = arith.muli %i, %c64 : index
      %k = arith.addi %at, %j : index
      %x = memref.load %a[%i, %k] : memref<?x?xf32>
      memref.store %x, %b[%k] : memref<?xf32>
    }
  }
  return
}

// -----

// A cell of scalar code is no tile.
// CHECK-LABEL: func @cell(
// CHECK:         tile.alloc : memref<f32, #tile.space<fragment>>
// CHECK:         tile.alloc {name = "y"} : memref<8xf32, #tile.space<ub>>
func.func @cell(%x: f32) {
  tile.launch (%i) in [4] threads = 128 {
    %cell = tile.alloc : memref<f32, #tile.space<fragment>>
    %y = tile.alloc {name = "y"} : memref<8xf32, #tile.space<fragment>>
    memref.store %x, %cell[] : memref<f32, #tile.space<fragment>>
    tile.fill %y with %x : f32, memref<8xf32, #tile.space<fragment>>
  }
  return
}
