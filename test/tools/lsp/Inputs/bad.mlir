func.func @f(%A: memref<64x8xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  tile.pipeline %k = %c0 to %n step %c0 num_stages = 2 {
  }
  return
}
