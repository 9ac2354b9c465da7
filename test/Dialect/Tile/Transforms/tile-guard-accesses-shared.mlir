// Values that share their operands many times over take no time.
//
// RUN: tile-opt %s --tile-guard-accesses | FileCheck %s

// CHECK-LABEL: func @shared(
// CHECK-COUNT-2: scf.if
// CHECK: return
func.func @shared(%X: memref<100xf32>, %b: i32, %c: i1) -> f32 {
  %v0 = arith.index_cast %b : i32 to index
  %v1 = arith.addi %v0, %v0 : index
  %v2 = arith.addi %v1, %v1 : index
  %v3 = arith.addi %v2, %v2 : index
  %v4 = arith.addi %v3, %v3 : index
  %v5 = arith.addi %v4, %v4 : index
  %v6 = arith.addi %v5, %v5 : index
  %v7 = arith.addi %v6, %v6 : index
  %v8 = arith.addi %v7, %v7 : index
  %v9 = arith.addi %v8, %v8 : index
  %v10 = arith.addi %v9, %v9 : index
  %v11 = arith.addi %v10, %v10 : index
  %v12 = arith.addi %v11, %v11 : index
  %v13 = arith.addi %v12, %v12 : index
  %v14 = arith.addi %v13, %v13 : index
  %v15 = arith.addi %v14, %v14 : index
  %v16 = arith.addi %v15, %v15 : index
  %v17 = arith.addi %v16, %v16 : index
  %v18 = arith.addi %v17, %v17 : index
  %v19 = arith.addi %v18, %v18 : index
  %v20 = arith.addi %v19, %v19 : index
  %v21 = arith.addi %v20, %v20 : index
  %v22 = arith.addi %v21, %v21 : index
  %v23 = arith.addi %v22, %v22 : index
  %v24 = arith.addi %v23, %v23 : index
  %v25 = arith.addi %v24, %v24 : index
  %v26 = arith.addi %v25, %v25 : index
  %v27 = arith.addi %v26, %v26 : index
  %v28 = arith.addi %v27, %v27 : index
  %v29 = arith.addi %v28, %v28 : index
  %v30 = arith.addi %v29, %v29 : index
  %c0 = arith.constant 0 : index
  %a0 = arith.cmpi sge, %v1, %c0 : index
  %a1 = arith.andi %a0, %a0 : i1
  %a2 = arith.andi %a1, %a1 : i1
  %a3 = arith.andi %a2, %a2 : i1
  %a4 = arith.andi %a3, %a3 : i1
  %a5 = arith.andi %a4, %a4 : i1
  %a6 = arith.andi %a5, %a5 : i1
  %a7 = arith.andi %a6, %a6 : i1
  %a8 = arith.andi %a7, %a7 : i1
  %a9 = arith.andi %a8, %a8 : i1
  %a10 = arith.andi %a9, %a9 : i1
  %a11 = arith.andi %a10, %a10 : i1
  %a12 = arith.andi %a11, %a11 : i1
  %a13 = arith.andi %a12, %a12 : i1
  %a14 = arith.andi %a13, %a13 : i1
  %a15 = arith.andi %a14, %a14 : i1
  %a16 = arith.andi %a15, %a15 : i1
  %a17 = arith.andi %a16, %a16 : i1
  %a18 = arith.andi %a17, %a17 : i1
  %a19 = arith.andi %a18, %a18 : i1
  %a20 = arith.andi %a19, %a19 : i1
  %a21 = arith.andi %a20, %a20 : i1
  %a22 = arith.andi %a21, %a21 : i1
  %a23 = arith.andi %a22, %a22 : i1
  %a24 = arith.andi %a23, %a23 : i1
  %a25 = arith.andi %a24, %a24 : i1
  %a26 = arith.andi %a25, %a25 : i1
  %a27 = arith.andi %a26, %a26 : i1
  %a28 = arith.andi %a27, %a27 : i1
  %a29 = arith.andi %a28, %a28 : i1
  %a30 = arith.andi %a29, %a29 : i1
  %x = scf.if %a30 -> (f32) {
    %y = memref.load %X[%v30] : memref<100xf32>
    scf.yield %y : f32
  } else {
    %zero = arith.constant 0.0 : f32
    scf.yield %zero : f32
  }
  return %x : f32
}
