// Outputs are written as NumPy files, which are inputs of the next run.
//
// RUN: tile-run %s --seed 7 --save %t- | FileCheck %s
// RUN: tile-run %s --entry f --seed 8 --args %t-0.npy | FileCheck %s --check-prefix=AGAIN
// RUN: cp %s %t.npy
// RUN: not tile-run %s --args %t.npy 2>&1 | FileCheck %s --check-prefix=BAD
//
// CHECK: argument 0: 2x3xf16 sum [[SUM:.*]] hash [[HASH:.*]]
// AGAIN: argument 0: 2x3xf16
// BAD: error: argument 0: '{{.*}}.npy' is not a .npy file
func.func @f(%A: memref<2x3xf16>) {
  return
}
