// RUN: tile-opt %s --pipeline-planning --tile-check-capacity -split-input-file -verify-diagnostics -o /dev/null

// A request of exactly the capacity fits, one byte more does not.
// Field case DIAG-10.

#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 49152, align = 1>], transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>], units = []>
module attributes {tile.target = #toy} {
func.func @one_less() {
  %v = arith.constant 0 : i8
  %S = tile.alloc {name = "S"} : memref<49151xi8, #tile.space<shared>>
  tile.fill %S with %v : i8, memref<49151xi8, #tile.space<shared>>
  return
}
func.func @exact() {
  %v = arith.constant 0 : i8
  %S = tile.alloc {name = "S"} : memref<49152xi8, #tile.space<shared>>
  tile.fill %S with %v : i8, memref<49152xi8, #tile.space<shared>>
  return
}
}

// -----

#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 49152, align = 1>], transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>], units = []>
module attributes {tile.target = #toy} {
func.func @one_more() {
  %v = arith.constant 0 : i8
  // expected-error @below {{needs 49153 bytes of shared memory, but 'toy' has 49152; it does not fit with one version of each buffer either}}
  // expected-note @below {{buffer 'S' takes 49153 bytes}}
  %S = tile.alloc {name = "S"} : memref<49153xi8, #tile.space<shared>>
  tile.fill %S with %v : i8, memref<49153xi8, #tile.space<shared>>
  return
}
}
