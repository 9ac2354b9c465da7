// RUN: tile-run %s --check --ptx

// A module without any tile operation runs as one block as well.
func.func @swap(%a: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%c0] : memref<4xf32>
  %y = memref.load %a[%c1] : memref<4xf32>
  memref.store %y, %a[%c0] : memref<4xf32>
  memref.store %x, %a[%c1] : memref<4xf32>
  return
}
