// RUN: tile-opt %s -split-input-file -verify-diagnostics --convert-tile-to-nvgpu

#shared = #tile.space<shared>

// Two bytes at once cannot be copied asynchronously.
func.func @odd_rows(%a: memref<63x61xf16>) {
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<64x64xf16, #shared>
    // expected-remark @below {{copy is not asynchronous: no more than 2 bytes at once are known to be aligned}}
    %t = tile.async.copy %a[0, 0] to %s : memref<63x61xf16> to memref<64x64xf16, #shared>
    %g = tile.async.commit %t
  }
  return
}

// -----

#shared = #tile.space<shared>

// The hardware fills up with zeros only.
func.func @other_fill(%a: memref<64x64xf16>, %x: f16) {
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<64x64xf16, #shared>
    // expected-remark @below {{copy is not asynchronous: what is outside of the source is not zero}}
    %t = tile.async.copy %a[0, 0] to %s fill %x : f16 : memref<64x64xf16> to memref<64x64xf16, #shared>
    %g = tile.async.commit %t
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

func.func @odd_gemm() {
  tile.launch (%bx) in [1] threads = 128 {
    %a = tile.alloc {offset = 0 : i64} : memref<24x16xf16, #shared>
    %b = tile.alloc {offset = 1024 : i64} : memref<16x64xf16, #shared>
    %s = tile.alloc : memref<24x64xf32, #fragment>
    // expected-remark @below {{gemm does not use tensor cores: extents are not multiples of 16}}
    tile.gemm %a, %b, %s {clear} : memref<24x16xf16, #shared>, memref<16x64xf16, #shared>, memref<24x64xf32, #fragment>
  }
  return
}
