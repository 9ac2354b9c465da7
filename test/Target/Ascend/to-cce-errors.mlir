// RUN: tile-translate %s --split-input-file --tile-to-cce --verify-diagnostics

// expected-error @+1 {{has no 'ascend.func' to print}}
module {
}

// -----

ascend.func @no_address() attributes {core = #ascend.core<vector>} {
  // expected-error @+1 {{has no address; '--tile-allocate-memory' gives it one}}
  %x = tile.alloc : memref<64xf32, #tile.space<ub>>
  ascend.return
}

// -----

ascend.func @shared() attributes {core = #ascend.core<vector>} {
  // expected-error @+1 {{cannot be printed: 'shared' is no memory of an AI core}}
  %x = tile.alloc {offset = 0} : memref<64xf32, #tile.space<shared>>
  ascend.return
}

// -----

// expected-error @+1 {{cannot be printed: CCE has no type 'f64'}}
ascend.func @type(%x: f64) attributes {core = #ascend.core<vector>} {
  ascend.return
}

// -----

ascend.func @scalar_function(%n: index) attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %x = tile.alloc {offset = 0} : memref<64xf32, #tile.space<ub>>
  %v = ascend.scalar_load %x[%c0] : memref<64xf32, #tile.space<ub>> -> f32
  // expected-error @+1 {{cannot be printed as CCE}}
  %e = math.exp %v : f32
  ascend.scalar_store %e, %x[%c0] : f32, memref<64xf32, #tile.space<ub>>
  ascend.return
}

// -----

ascend.func @limits() attributes {core = #ascend.core<vector>} {
  %c0 = arith.constant 0 : index
  %c300 = arith.constant 300 : index
  %x = tile.alloc {offset = 0} : memref<64xf32, #tile.space<ub>>
  // expected-error @+1 {{expects 'repeat' from 0 to 255, got 300}}
  ascend.vbroadcast %x[%c0], %x[%c0] repeat %c300
      : memref<64xf32, #tile.space<ub>>, memref<64xf32, #tile.space<ub>>
  ascend.return
}
