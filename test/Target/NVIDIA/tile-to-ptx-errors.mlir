// RUN: split-file %s %t
// RUN: not tile-translate --tile-to-ptx %t/select.mlir 2>&1 | FileCheck %s --check-prefix=SELECT
// RUN: not tile-translate --tile-to-ptx %t/library.mlir 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: not tile-translate --tile-to-ptx %t/call.mlir 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not tile-translate --tile-to-ptx --chip=sm_1 %t/chips.mlir 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tile-translate --tile-to-ptx --chip=gfx90a %t/chips.mlir 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not tile-translate --tile-to-ptx %t/chips.mlir 2>&1 | FileCheck %s --check-prefix=CHIPS
// RUN: not tile-translate --tile-to-ptx %t/nothing.mlir 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not tile-translate --tile-to-ptx %t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tile-translate --tile-to-ptx %t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tile-translate --tile-to-ptx %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-translate --tile-to-ptx %t/empty.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-translate --tile-to-ptx %t/helper.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-translate --tile-to-ptx %t/mixed.mlir 2>&1 | FileCheck %s --check-prefix=MIXED

// What LLVM cannot compile ends neither this process nor the message: LLVM
// itself would abort in the first case and call exit in the second.

//--- select.mlir
module {
  // SELECT: select.mlir:3:3: error: PTX cannot be generated: Cannot select: f32 = fpow{{$}}
  llvm.func @pow(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
    %r = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
    llvm.store %r, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

//--- library.mlir
// LIBRARY: error: PTX cannot be generated: no libcall available for fexp
llvm.func @exp(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  %r = llvm.intr.exp(%x) : (f32) -> f32
  llvm.store %r, %p : f32, !llvm.ptr<1>
  llvm.return
}

//--- call.mlir
// CALL: call.mlir:6:8: error: 'llvm.call' op calls '__nv_expf', which has no body: there is no library on the device
// CHIP: error: unknown chip 'sm_1'
// FOREIGN: error: unknown chip 'gfx90a'
llvm.func @__nv_expf(f32) -> f32
llvm.func @call(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  %r = llvm.call @__nv_expf(%x) : (f32) -> f32
  llvm.store %r, %p : f32, !llvm.ptr<1>
  llvm.return
}

//--- chips.mlir
// CHIPS: chips.mlir:3:1: error: is for sm_90, another module for sm_80
gpu.module @a [#nvvm.target<chip = "sm_80">] {}
gpu.module @b [#nvvm.target<chip = "sm_90">] {}

//--- nothing.mlir
// NOTHING: error: no kernel: no function has a tile.launch
func.func @host() { return }

//--- twice.mlir
// TWICE: twice.mlir:3:1: error: cannot be linked with other modules
gpu.module @a { gpu.func @k(%p: memref<4xf32>) kernel { gpu.return } }
gpu.module @b { gpu.func @k(%p: memref<4xf32>) kernel { gpu.return } }

//--- name.mlir
// NAME: error: PTX cannot be generated: Symbol name with unsupported characters
gpu.module @a { gpu.func @"no-identifier"(%p: memref<4xf32>) kernel { gpu.return } }
// Without a kernel there is no PTX. The module is not printed.
//--- none.mlir
// NONE:     error: no kernel: no function has a tile.launch, no gpu.module has a kernel, and no llvm.func is an nvvm.kernel
// NONE-NOT: see current operation
func.func @copy(%a: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  return
}

//--- empty.mlir
module {}

//--- helper.mlir
llvm.func @helper(%x: f32) -> f32 {
  llvm.return %x : f32
}

// A kernel beside what is no kernel of the device.
//--- mixed.mlir
// MIXED-NOT: see current operation
// MIXED:     error: cannot be translated to LLVM IR
module {
  func.func private @host()
  llvm.func @kernel(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    llvm.return
  }
}
