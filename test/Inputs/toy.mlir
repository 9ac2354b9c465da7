// The machine of the tests: round numbers that no new chip ever changes.
#toy = #tile.target<"toy",
  memories = [#tile.memory<shared, capacity = 233472, align = 16>],
  transfers = [
    #tile.transfer<global to shared, unit = "copy", async = true,
                   issue = 1, latency = 30, bytes_per_cycle = 64>,
    #tile.transfer<shared to global, unit = "store", async = false,
                   issue = 1, latency = 30, bytes_per_cycle = 64>],
  units = [
    #tile.unit<tensor, ops_per_cycle = 256, latency = 16>,
    #tile.unit<vector, ops_per_cycle = 32, latency = 4>,
    #tile.unit<scalar, ops_per_cycle = 1, latency = 1>]>
module @toy attributes {tile.target = #toy} {}
