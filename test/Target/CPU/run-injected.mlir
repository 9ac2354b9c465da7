// Injected IR as it stands: the count of the wait is what makes it right.
// RUN: tile-run %s --entry=good --jit --policy=late | FileCheck %s
// RUN: tile-run %s --entry=good --jit --policy=random --seed=1 | FileCheck %s
// RUN: tile-run %s --entry=good --jit | FileCheck %s
// RUN: tile-run %s --entry=good --interpret | FileCheck %s
// CHECK: argument 1: 4xf32 sum [[SUM:.*]] hash 9d1a1ddadb05d942

// One group too few, and the error says who reads and which copy writes, under
// every policy.
// RUN: not tile-run %s --entry=bad --jit --policy=eager 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not tile-run %s --entry=bad --jit --policy=early-write-late-read 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: run-injected.mlir:[[#]]:{{[0-9]+}}: error: 'tile.reduce' op reads memory that an asynchronous copy is still writing
// BAD-NEXT: run-injected.mlir:[[#]]:{{[0-9]+}}: note: 'tile.async.copy' op is the copy, of group

// Loose waits are not looked for where nobody asks.
// RUN: tile-run %s --entry=bad --jit | FileCheck %s

#shared = #tile.space<shared>

func.func @good(%A: memref<6x4xf32>, %Y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %S = tile.alloc {name = "S"} : memref<2x1x4xf32, #shared>
  %s0 = tile.slot %S[%c0] : memref<2x1x4xf32, #shared> -> memref<1x4xf32, #shared>
  %t0 = tile.async.copy %A to %s0 : memref<6x4xf32> to memref<1x4xf32, #shared>
  %g0 = tile.async.commit %t0
  %last = scf.for %i = %c0 to %c6 step %c1 iter_args(%g = %g0) -> (!tile.token) {
    %next = arith.addi %i, %c1 : index
    %n = arith.remui %next, %c2 : index
    %sn = tile.slot %S[%n] : memref<2x1x4xf32, #shared> -> memref<1x4xf32, #shared>
    %tn = tile.async.copy %A[%next, 0] to %sn : memref<6x4xf32> to memref<1x4xf32, #shared>
    %gn = tile.async.commit %tn
    tile.async.wait %g pending = 1
    %m = arith.remui %i, %c2 : index
    %sm = tile.slot %S[%m] : memref<2x1x4xf32, #shared> -> memref<1x4xf32, #shared>
    tile.reduce <sum> %sm into %Y dimension 0 : memref<1x4xf32, #shared>, memref<4xf32>
    scf.yield %gn : !tile.token
  }
  tile.async.wait %last pending = 0
  return
}

func.func @bad(%A: memref<6x4xf32>, %Y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %S = tile.alloc {name = "S"} : memref<2x1x4xf32, #shared>
  %s0 = tile.slot %S[%c0] : memref<2x1x4xf32, #shared> -> memref<1x4xf32, #shared>
  %t0 = tile.async.copy %A to %s0 : memref<6x4xf32> to memref<1x4xf32, #shared>
  %g0 = tile.async.commit %t0
  scf.for %i = %c0 to %c6 step %c1 {
    %next = arith.addi %i, %c1 : index
    %n = arith.remui %next, %c2 : index
    %sn = tile.slot %S[%n] : memref<2x1x4xf32, #shared> -> memref<1x4xf32, #shared>
    %tn = tile.async.copy %A[%next, 0] to %sn : memref<6x4xf32> to memref<1x4xf32, #shared>
    %gn = tile.async.commit %tn
    tile.async.wait pending = 2
    %m = arith.remui %i, %c2 : index
    %sm = tile.slot %S[%m] : memref<2x1x4xf32, #shared> -> memref<1x4xf32, #shared>
    tile.reduce <sum> %sm into %Y dimension 0 : memref<1x4xf32, #shared>, memref<4xf32>
  }
  tile.async.wait pending = 0
  return
}
