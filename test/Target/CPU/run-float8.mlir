// Both ways of running a program agree on 8-bit floats, and convert as the
// formats say. Values of python tests against ml_dtypes are in
// test/python/language/test_float8.py.
// RUN: tile-run %s --entry=convert --interpret > %t.interpreted
// RUN: tile-run %s --entry=convert --jit > %t.compiled
// RUN: diff %t.interpreted %t.compiled
// RUN: tile-run %s --entry=gemm --interpret > %t.interpreted
// RUN: tile-run %s --entry=gemm --jit > %t.compiled
// RUN: diff %t.interpreted %t.compiled
// RUN: FileCheck %s < %t.compiled
// CHECK: argument 2: 20x24xf32 sum

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Each way in and out; doubles round once.
func.func @convert(%D: memref<300xf64>, %H: memref<300xf16>, %I: memref<300xi32>, %O: memref<300xf64>,
                   %P: memref<300xf32>, %Q: memref<300xf16>, %R: memref<300xi32>, %S: memref<300xf8E5M2>) {
  %a = tile.alloc {name = "a"} : memref<300xf8E4M3FN, #shared>
  %b = tile.alloc {name = "b"} : memref<300xf8E5M2, #shared>
  tile.copy %D to %a : memref<300xf64> to memref<300xf8E4M3FN, #shared>
  tile.copy %a to %O : memref<300xf8E4M3FN, #shared> to memref<300xf64>
  tile.copy %H to %b : memref<300xf16> to memref<300xf8E5M2, #shared>
  tile.copy %b to %P : memref<300xf8E5M2, #shared> to memref<300xf32>
  tile.copy %I to %a : memref<300xi32> to memref<300xf8E4M3FN, #shared>
  tile.copy %a to %Q : memref<300xf8E4M3FN, #shared> to memref<300xf16>
  tile.copy %a to %R : memref<300xf8E4M3FN, #shared> to memref<300xi32>
  tile.copy %a to %S : memref<300xf8E4M3FN, #shared> to memref<300xf8E5M2>
  return
}

// Operands lie as they are and are widened once.
func.func @gemm(%A: memref<20x40xf32>, %B: memref<24x40xf32>, %C: memref<20x24xf32>) {
  tile.launch (%x) in [1] threads = 128 {
    %a = tile.alloc {name = "a"} : memref<20x40xf8E4M3FN, #shared>
    %b = tile.alloc {name = "b"} : memref<24x40xf8E5M2, #shared>
    %c = tile.alloc {name = "c"} : memref<20x24xf32, #fragment>
    tile.copy %A to %a : memref<20x40xf32> to memref<20x40xf8E4M3FN, #shared>
    tile.copy %B to %b : memref<24x40xf32> to memref<24x40xf8E5M2, #shared>
    tile.gemm %a, %b, %c {transpose_b, clear} : memref<20x40xf8E4M3FN, #shared>, memref<24x40xf8E5M2, #shared>, memref<20x24xf32, #fragment>
    tile.copy %c to %C : memref<20x24xf32, #fragment> to memref<20x24xf32>
  }
  return
}
