func.func @f(%A: memref<?x4xf32>, %B: memref<?x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.alloc : memref<1x4xf32>
  tile.pipeline %i = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%i, 0] to %b : memref<?x4xf32> to memref<1x4xf32>
    tile.map (%j) in [4] {
      %x = memref.load %b[%c0, %j] : memref<1x4xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %B[%i, %j] : memref<?x4xf32>
    }
  }
  return
}
