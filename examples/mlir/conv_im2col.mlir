// Convolution 3 x 3, stride 1, padding 1, as an implicit matmul (im2col): NHWC
// input, weights [9 * C, F], NHWC output.
//
// A block computes 64 neighbouring pixels of one output row for 64 filters. Its
// matmul runs over K = 9 * C: for each of the nine taps, the input pixels it needs
// are again neighbours, shifted by the tap, so each step copies one box of the
// input. The column matrix never exists in memory, and the padding is what a copy
// reads outside its source: zero.

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @conv_im2col(%input: memref<?x?x?x?xf16>, %weight: memref<?x?xf16>,
                       %output: memref<?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %images = memref.dim %input, %c0 : memref<?x?x?x?xf16>
  %height = memref.dim %input, %c1 : memref<?x?x?x?xf16>
  %width = memref.dim %input, %c2 : memref<?x?x?x?xf16>
  %channels = memref.dim %input, %c3 : memref<?x?x?x?xf16>
  %filters = memref.dim %weight, %c1 : memref<?x?xf16>
  %rows = arith.muli %images, %height : index
  %blocks_x = arith.ceildivui %width, %c64 : index
  %blocks_f = arith.ceildivui %filters, %c64 : index
  %chunks = arith.ceildivui %channels, %c32 : index
  %steps = arith.muli %c9, %chunks : index

  tile.launch (%by, %bx, %bf) in [%rows, %blocks_x, %blocks_f] threads = 128 {
    %image = arith.divui %by, %height : index
    %y = arith.remui %by, %height : index
    %x = arith.muli %bx, %c64 : index
    %filter = arith.muli %bf, %c64 : index
    %As = tile.alloc {name = "As"} : memref<64x32xf16, #shared>
    %Bs = tile.alloc {name = "Bs"} : memref<32x64xf16, #shared>
    %Cl = tile.alloc {name = "Cl"} : memref<64x64xf32, #fragment>
    tile.fill %Cl with %zero : f32, memref<64x64xf32, #fragment>
    tile.pipeline %k = %c0 to %steps step %c1 num_stages = 3 {
      // Step k is channel chunk k mod chunks of tap k / chunks = 3 * r + s.
      %tap = arith.divui %k, %chunks : index
      %chunk = arith.remui %k, %chunks : index
      %channel = arith.muli %chunk, %c32 : index
      %r = arith.divui %tap, %c3 : index
      %s = arith.remui %tap, %c3 : index
      %yr = arith.addi %y, %r : index
      %iy = arith.subi %yr, %c1 : index
      %xs = arith.addi %x, %s : index
      %ix = arith.subi %xs, %c1 : index
      %tap_row = arith.muli %tap, %channels : index
      %weight_row = arith.addi %tap_row, %channel : index
      // Channels past the last one read as zero, so it does not matter that the
      // weights loaded for them belong to the next tap.
      tile.copy %input[%image, %iy, %ix, %channel] to %As
          : memref<?x?x?x?xf16> to memref<64x32xf16, #shared>
      tile.copy %weight[%weight_row, %filter] to %Bs
          : memref<?x?xf16> to memref<32x64xf16, #shared>
      tile.gemm %As, %Bs, %Cl
          : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #fragment>
    }
    tile.copy %Cl to %output[%image, %y, %x, %filter] sizes [64, 64]
        : memref<64x64xf32, #fragment> to memref<?x?x?x?xf32>
  }
  return
}
