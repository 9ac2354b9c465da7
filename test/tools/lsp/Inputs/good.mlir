func.func @f(%A: memref<64x8xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {name = "S"} : memref<8x8xf16, #tile.space<shared>>
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 2 {
    tile.copy %A[%k, 0] to %S : memref<64x8xf16> to memref<8x8xf16, #tile.space<shared>>
  }
  return
}
