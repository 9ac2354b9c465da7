// RUN: tile-run %s --entry scalars --check --ptx --args "_,1.5,2.5,-3.25,7"
// RUN: tile-run %s --entry launches --check --ptx --args "64,64,1.5"
// RUN: tile-run %s --entry saturates --check --ptx --args "64:-300..300,_,_,_"
// RUN: tile-run %s --entry few_threads --check --ptx
// RUN: tile-run %s --entry odd_widths --check --ptx

#shared = #tile.space<shared>

// Scalars of all widths are passed with their own bits.
func.func @scalars(%o: memref<4xf32>, %h: f16, %b: bf16, %d: f64, %i: i16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  tile.launch (%bx) in [1] threads = 32 {
    %x = arith.extf %h : f16 to f32
    %y = arith.extf %b : bf16 to f32
    %z = arith.truncf %d : f64 to f32
    %w = arith.sitofp %i : i16 to f32
    memref.store %x, %o[%c0] : memref<4xf32>
    memref.store %y, %o[%c1] : memref<4xf32>
    memref.store %z, %o[%c2] : memref<4xf32>
    memref.store %w, %o[%c3] : memref<4xf32>
  }
  return
}

// Each launch is found by its name, and has the shared memory that it needs.
func.func @launches(%a: memref<64xf32>, %b: memref<64xf32>, %x: f32) {
  tile.launch (%bx) in [1] threads = 32 {
    tile.fill %a with %x : f32, memref<64xf32>
  }
  tile.launch (%bx) in [1] threads = 64 {
    %s = tile.alloc : memref<64xf32, #shared>
    tile.copy %a to %s : memref<64xf32> to memref<64xf32, #shared>
    tile.copy %s to %b : memref<64xf32, #shared> to memref<64xf32>
  }
  return
}

// What does not fit becomes the nearest number that does.
func.func @saturates(%a: memref<64xf32>, %b: memref<64xi8>, %c: memref<64xi4>,
                     %d: memref<64xi1>) {
  tile.launch (%bx) in [1] threads = 32 {
    tile.copy %a to %b : memref<64xf32> to memref<64xi8>
    tile.copy %a to %c : memref<64xf32> to memref<64xi4>
    tile.copy %a to %d : memref<64xf32> to memref<64xi1>
  }
  return
}

// More sums for a thread than it has registers: in loops, not written out.
func.func @few_threads(%a: memref<64x16xf16>, %b: memref<16x64xf16>,
                       %c: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.launch (%bx) in [1] threads = 7 {
    %as = tile.alloc : memref<64x16xf16, #shared>
    %bs = tile.alloc : memref<16x64xf16, #shared>
    %s = tile.alloc : memref<64x64xf32, #tile.space<fragment>>
    tile.copy %a to %as : memref<64x16xf16> to memref<64x16xf16, #shared>
    tile.copy %b to %bs : memref<16x64xf16> to memref<16x64xf16, #shared>
    tile.fill %s with %zero : f32, memref<64x64xf32, #tile.space<fragment>>
    tile.gemm %as, %bs, %s : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.space<fragment>>
    tile.gemm %as, %bs, %s : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.space<fragment>>
    tile.copy %s to %c : memref<64x64xf32, #tile.space<fragment>> to memref<64x64xf32>
  }
  return
}

// Elements of 24 bits take 4 bytes: buffers side by side do not overlap.
func.func @odd_widths(%a: memref<64xi24>, %b: memref<64xi33>, %c: memref<64xi24>,
                      %d: memref<64xi33>) {
  tile.launch (%bx) in [1] threads = 32 {
    %s = tile.alloc {name = "s"} : memref<64xi24, #shared>
    %t = tile.alloc {name = "t"} : memref<64xi33, #shared>
    %u = tile.alloc {name = "u"} : memref<64xi24, #shared>
    tile.copy %a to %s : memref<64xi24> to memref<64xi24, #shared>
    tile.copy %b to %t : memref<64xi33> to memref<64xi33, #shared>
    tile.copy %a to %u : memref<64xi24> to memref<64xi24, #shared>
    tile.map (%i) in [64] {
      %x = memref.load %s[%i] : memref<64xi24, #shared>
      %y = memref.load %u[%i] : memref<64xi24, #shared>
      %z = arith.addi %x, %y : i24
      memref.store %z, %c[%i] : memref<64xi24>
    }
    tile.copy %t to %d : memref<64xi33, #shared> to memref<64xi33>
  }
  return
}
