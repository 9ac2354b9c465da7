// Y = max(A + B, A), two buffers for each operand, without flags.
#ub = #tile.space<ub>

ascend.func @vector_add(%A: memref<?xf32> {ascend.name = "A"}, %B: memref<?xf32> {ascend.name = "B"},
                        %Y: memref<?xf32> {ascend.name = "Y"})
    attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c1024 = arith.constant 1024 : index
  %N = memref.dim %A, %c0 : memref<?xf32>
  %n = arith.ceildivui %N, %c1024 : index
  %a = tile.alloc {name = "a"} : memref<2x1024xf32, #ub>
  %b = tile.alloc {name = "b"} : memref<2x1024xf32, #ub>
  %y = tile.alloc {name = "y"} : memref<2x1024xf32, #ub>
  scf.for %t = %c0 to %n step %c1 {
    %s = arith.remui %t, %c2 : index
    %o = arith.muli %t, %c1024 : index
    %left = arith.subi %N, %o : index
    %count = arith.minsi %left, %c1024 : index
    %as = tile.slot %a[%s] : memref<2x1024xf32, #ub> -> memref<1024xf32, #ub>
    %bs = tile.slot %b[%s] : memref<2x1024xf32, #ub> -> memref<1024xf32, #ub>
    %ys = tile.slot %y[%s] : memref<2x1024xf32, #ub> -> memref<1024xf32, #ub>
    ascend.load %A[%o] to %as[%c0] rows %c1 columns %count stride %c1024 pitch %c1024
        : memref<?xf32>, memref<1024xf32, #ub>
    ascend.load %B[%o] to %bs[%c0] rows %c1 columns %count stride %c1024 pitch %c1024
        : memref<?xf32>, memref<1024xf32, #ub>
    ascend.vbinary <add> %ys[%c0], %as[%c0], %bs[%c0] count %count
        : memref<1024xf32, #ub>, memref<1024xf32, #ub>, memref<1024xf32, #ub>
    ascend.vbinary <max> %ys[%c0], %ys[%c0], %as[%c0] count %count
        : memref<1024xf32, #ub>, memref<1024xf32, #ub>, memref<1024xf32, #ub>
    ascend.store %ys[%c0] to %Y[%o] rows %c1 columns %count stride %c1024 pitch %c1024
        : memref<1024xf32, #ub>, memref<?xf32>
  }
  ascend.return
}
