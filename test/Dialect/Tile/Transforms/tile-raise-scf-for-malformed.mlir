// RUN: tile-opt %s -split-input-file -verify-diagnostics -tile-raise-scf-for

func.func @one_list(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expects 'stage' and 'order' together, got only 'stage'}}
  scf.for %k = %c0 to %n step %c1 {
  } {tile.stages = array<i64: 0>}
  return
}

// -----

func.func @lengths(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expects 'stage' and 'order' of one length, got 1 and 2}}
  scf.for %k = %c0 to %n step %c1 {
  } {tile.stages = array<i64: 0>, tile.orders = array<i64: 0, 1>}
  return
}
