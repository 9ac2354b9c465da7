// Gather through a page table: the cache of a sequence is a list of pages of 16
// rows, spread over a pool in any order. One block per sequence brings its pages
// together.
//
//   out[s, p * 16 + r, :] = pool[table[s, p], r, :]
//
// The table is only read, so each copy looks up its own page: the copy of page
// p + 2 is started while page p is stored.

#shared = #tile.space<shared>

func.func @gather(%pool: memref<?x16x64xf16>, %table: memref<?x?xi32>,
                  %out: memref<?x?x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %sequences = memref.dim %table, %c0 : memref<?x?xi32>
  %pages = memref.dim %table, %c1 : memref<?x?xi32>

  tile.launch (%s) in [%sequences] threads = 128 {
    %page = tile.alloc {name = "page"} : memref<16x64xf16, #shared>
    tile.pipeline %p = %c0 to %pages step %c1 num_stages = 3 {
      %entry = memref.load %table[%s, %p] : memref<?x?xi32>
      %index = arith.index_cast %entry : i32 to index
      %row = arith.muli %p, %c16 : index
      tile.copy %pool[%index, 0, 0] to %page
          : memref<?x16x64xf16> to memref<16x64xf16, #shared>
      tile.copy %page to %out[%s, %row, 0] sizes [16, 64]
          : memref<16x64xf16, #shared> to memref<?x?x64xf16>
    }
  }
  return
}
