// Y[t] = A[t] * B^T for each of n tiles: the cube core hands each product to its
// vector cores through one workspace; each of them stores eight of 16 rows.
#l1 = #tile.space<l1>
#l0a = #tile.space<l0a>
#l0b = #tile.space<l0b>
#l0c = #tile.space<l0c>
#ub = #tile.space<ub>

ascend.func @mixed_mix_aic(%A: memref<?x16x16xf16> {ascend.name = "A"}, %B: memref<16x16xf16> {ascend.name = "B"},
                           %Y: memref<?x16x16xf32> {ascend.name = "Y"},
                           %W: memref<16x16xf32> {ascend.name = "W", ascend.workspace})
    attributes {core = #ascend.core<cube>, mix} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %true = arith.constant true
  %n = memref.dim %A, %c0 : memref<?x16x16xf16>
  %a = tile.alloc {name = "a"} : memref<16x16xf16, #l1>
  %b = tile.alloc {name = "b"} : memref<16x16xf16, #l1>
  %a0 = tile.alloc {name = "a0"} : memref<16x16xf16, #l0a>
  %b0 = tile.alloc {name = "b0"} : memref<16x16xf16, #l0b>
  %c = tile.alloc {name = "c"} : memref<16x16xf32, #l0c>
  ascend.nd2nz %B[%c0] to %b[%c0] rows %c16 columns %c16 stride %c16 pitch %c16
      : memref<16x16xf16>, memref<16x16xf16, #l1>
  ascend.load_l0 %b[%c0] to %b0[%c0] repeat %c1 stride %c1 gap %c0
      : memref<16x16xf16, #l1>, memref<16x16xf16, #l0b>
  scf.for %t = %c0 to %n step %c1 {
    %o = arith.muli %t, %c256 : index
    ascend.nd2nz %A[%o] to %a[%c0] rows %c16 columns %c16 stride %c16 pitch %c16
        : memref<?x16x16xf16>, memref<16x16xf16, #l1>
    ascend.load_l0 %a[%c0] to %a0[%c0] repeat %c1 stride %c1 gap %c0
        : memref<16x16xf16, #l1>, memref<16x16xf16, #l0a>
    ascend.mma %c[%c0], %a0[%c0], %b0[%c0] m %c16 k %c16 n %c16 init %true
        : memref<16x16xf32, #l0c>, memref<16x16xf16, #l0a>, memref<16x16xf16, #l0b>
    ascend.fixpipe %c[%c0] to %W[%c0] m %c16 n %c16 pitch %c16 stride %c16
        : memref<16x16xf32, #l0c>, memref<16x16xf32>
  }
  ascend.return
}
ascend.func @mixed_mix_aiv(%A: memref<?x16x16xf16> {ascend.name = "A"}, %B: memref<16x16xf16> {ascend.name = "B"},
                           %Y: memref<?x16x16xf32> {ascend.name = "Y"},
                           %W: memref<16x16xf32> {ascend.name = "W", ascend.workspace})
    attributes {core = #ascend.core<vector>, mix} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %n = memref.dim %A, %c0 : memref<?x16x16xf16>
  %half = ascend.sub_block_idx
  %start = arith.muli %half, %c128 : index
  %x = tile.alloc {name = "x"} : memref<8x16xf32, #ub>
  scf.for %t = %c0 to %n step %c1 {
    %o = arith.muli %t, %c256 : index
    %p = arith.addi %o, %start : index
    ascend.load %W[%start] to %x[%c0] rows %c8 columns %c16 stride %c16 pitch %c16
        : memref<16x16xf32>, memref<8x16xf32, #ub>
    ascend.store %x[%c0] to %Y[%p] rows %c8 columns %c16 stride %c16 pitch %c16
        : memref<8x16xf32, #ub>, memref<?x16x16xf32>
  }
  ascend.return
}
