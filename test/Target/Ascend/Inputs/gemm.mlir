// C = A * B^T, two buffers in L1 and in L0, without flags.
#l1 = #tile.space<l1>
#l0a = #tile.space<l0a>
#l0b = #tile.space<l0b>
#l0c = #tile.space<l0c>

ascend.func @gemm(%A: memref<?x?xf16> {ascend.name = "A"}, %B: memref<?x?xf16> {ascend.name = "B"},
                  %C: memref<64x64xf32> {ascend.name = "C"})
    attributes {core = #ascend.core<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %n = arith.divui %K, %c64 : index
  %As = tile.alloc {name = "As"} : memref<2x64x64xf16, #l1>
  %Bs = tile.alloc {name = "Bs"} : memref<2x64x64xf16, #l1>
  %A0 = tile.alloc {name = "A0"} : memref<2x64x64xf16, #l0a>
  %B0 = tile.alloc {name = "B0"} : memref<2x64x64xf16, #l0b>
  %C0 = tile.alloc {name = "C0"} : memref<64x64xf32, #l0c>
  scf.for %k = %c0 to %n step %c1 {
    %s = arith.remui %k, %c2 : index
    %o = arith.muli %k, %c64 : index
    %as = tile.slot %As[%s] : memref<2x64x64xf16, #l1> -> memref<64x64xf16, #l1>
    %bs = tile.slot %Bs[%s] : memref<2x64x64xf16, #l1> -> memref<64x64xf16, #l1>
    ascend.nd2nz %A[%o] to %as[%c0] rows %c64 columns %c64 stride %K pitch %c64
        : memref<?x?xf16>, memref<64x64xf16, #l1>
    ascend.nd2nz %B[%o] to %bs[%c0] rows %c64 columns %c64 stride %K pitch %c64
        : memref<?x?xf16>, memref<64x64xf16, #l1>
    %a0 = tile.slot %A0[%s] : memref<2x64x64xf16, #l0a> -> memref<64x64xf16, #l0a>
    %b0 = tile.slot %B0[%s] : memref<2x64x64xf16, #l0b> -> memref<64x64xf16, #l0b>
    // NZ to ZZ: a row of fractals at a time.
    scf.for %i = %c0 to %c4 step %c1 {
      %p = arith.muli %i, %c256 : index
      %q = arith.muli %p, %c4 : index
      ascend.load_l0 %as[%p] to %a0[%q] repeat %c4 stride %c4 gap %c0
          : memref<64x64xf16, #l1>, memref<64x64xf16, #l0a>
    }
    ascend.load_l0 %bs[%c0] to %b0[%c0] repeat %c16 stride %c1 gap %c0
        : memref<64x64xf16, #l1>, memref<64x64xf16, #l0b>
    %first = arith.cmpi eq, %k, %c0 : index
    ascend.mma %C0[%c0], %a0[%c0], %b0[%c0] m %c64 k %c64 n %c64 init %first
        : memref<64x64xf32, #l0c>, memref<64x64xf16, #l0a>, memref<64x64xf16, #l0b>
  }
  ascend.fixpipe %C0[%c0] to %C[%c0] m %c64 n %c64 pitch %c64 stride %c64
      : memref<64x64xf32, #l0c>, memref<64x64xf32>
  ascend.return
}
