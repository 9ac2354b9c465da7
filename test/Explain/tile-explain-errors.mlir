// RUN: tile-opt %s --tile-explain -verify-diagnostics

// What cannot be planned is the planner's error, at the loop itself.
#toy = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 4096, align = 16>], transfers = [#tile.transfer<global to shared, unit = "copy", async = true, issue = 1, latency = 30, bytes_per_cycle = 64>], units = []>
module attributes {tile.target = #toy} {
func.func @over_budget(%A: memref<?x256xf32>, %O: memref<?x256xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{buffer 'S' takes 5120 bytes: 5 versions of 1024}}
  %S = tile.alloc {name = "S"} : memref<1x256xf32, #tile.space<shared>>
  // expected-error @below {{needs 5120 bytes of shared memory, but 'toy' has 4096; num_stages = 4 fits in 4096 bytes}}
  tile.pipeline %k = %c0 to %n step %c1 num_stages = 5 {
    tile.copy %A[%k, 0] to %S : memref<?x256xf32> to memref<1x256xf32, #tile.space<shared>>
    tile.copy %S to %O[%k, 0] sizes [1, 256] : memref<1x256xf32, #tile.space<shared>> to memref<?x256xf32>
  }
  return
}
}
