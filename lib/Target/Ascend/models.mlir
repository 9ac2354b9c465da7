//===- models.mlir - Numbers about Ascend AI cores ------------------------===//
//
// Each number stands here once, with the public source it is from. Cycles are
// core clock cycles, rates are those of one cube core with its two vector cores.
// All are published by others; none was measured by this project.
//
// Sources
// [arch]  asc-devkit, guide, hardware architecture of NPU 2201 and 3510.
// [limit] pto-isa, include/pto/common/buffer_limits.hpp.
// [pto]   pto-isa, include/pto/costmodel: GB/s at 1.85 GHz.
// [tl]    tilelang 0.1.15, latency constants of its Ascend 3510 back end.
//
// Every data path is a queue of its own (MTE1, MTE2, MTE3, FIX) that runs beside
// the others, so all of them are asynchronous. `issue` is the least interval
// between two transfers where [tl] gives one.
//
//===----------------------------------------------------------------------===//

// dav-2201 = c220: Ascend 910B, A2, A3.
#dav_2201 = #tile.target<"dav-2201",
  memories = [
    // 512 KiB less 256 bytes, align 32 [arch] [limit]
    #tile.memory<l1, capacity = 524032, align = 32>,
    // 64 KiB, align 512 [arch] [limit]
    #tile.memory<l0a, capacity = 65536, align = 512>,
    #tile.memory<l0b, capacity = 65536, align = 512>,
    // 128 KiB, align 64 [arch] [limit]
    #tile.memory<l0c, capacity = 131072, align = 64>,
    // 192 KiB less 256 bytes and the 8 KiB that the compiler keeps [arch] [limit]
    #tile.memory<ub, capacity = 188160, align = 32>,
    // 1 KiB and 2 KiB [arch]; other public sources give 7 KiB for the latter
    #tile.memory<bt, capacity = 1024, align = 64>,
    #tile.memory<fb, capacity = 2048, align = 64>],
  transfers = [
    // rates: 135, 100.9, 188.46, 441, 220.5 and 70 GB/s at 1.85 GHz [pto];
    // latencies: those of 3510, for none are published
    #tile.transfer<global to l1, unit = "mte2", async = true,
                   issue = 64, latency = 190, bytes_per_cycle = 73>,
    #tile.transfer<global to ub, unit = "mte2", async = true,
                   issue = 13, latency = 90, bytes_per_cycle = 54>,
    #tile.transfer<ub to global, unit = "mte3", async = true,
                   issue = 10, latency = 180, bytes_per_cycle = 101>,
    #tile.transfer<l1 to l0a, unit = "mte1", async = true,
                   issue = 3, latency = 5, bytes_per_cycle = 238>,
    #tile.transfer<l1 to l0b, unit = "mte1", async = true,
                   issue = 3, latency = 5, bytes_per_cycle = 119>,
    #tile.transfer<l0c to global, unit = "fix", async = true,
                   issue = 2, latency = 200, bytes_per_cycle = 37>],
  units = [
    // one 16x16x16 fractal a cycle after 6 cycles [pto]
    #tile.unit<tensor, ops_per_cycle = 4096, latency = 6>,
    // 256 bytes, that is 128 fp16 elements, a repeat [arch], on each of two cores
    #tile.unit<vector, ops_per_cycle = 256, latency = 16>,
    #tile.unit<scalar, ops_per_cycle = 1, latency = 1>]>

// dav-3510 = c310: Ascend 950.
#dav_3510 = #tile.target<"dav-3510",
  memories = [
    // 512 KiB [arch] [limit]
    #tile.memory<l1, capacity = 524288, align = 32>,
    // 64 KiB, align 512 [arch] [limit]
    #tile.memory<l0a, capacity = 65536, align = 512>,
    #tile.memory<l0b, capacity = 65536, align = 512>,
    // 256 KiB, align 64 [arch] [limit]
    #tile.memory<l0c, capacity = 262144, align = 64>,
    // 248 of 256 KiB are usable by default [arch]
    #tile.memory<ub, capacity = 253952, align = 32>,
    // 4 KiB each [arch]; other public sources give 16 KiB for the latter
    #tile.memory<bt, capacity = 4096, align = 64>,
    #tile.memory<fb, capacity = 4096, align = 64>],
  transfers = [
    // all from [tl]; the 100 bytes a cycle to the UB are for two vector cores
    #tile.transfer<global to l1, unit = "mte2", async = true,
                   issue = 64, latency = 190, bytes_per_cycle = 100>,
    #tile.transfer<global to ub, unit = "mte2", async = true,
                   issue = 13, latency = 90, bytes_per_cycle = 100>,
    #tile.transfer<ub to global, unit = "mte3", async = true,
                   issue = 10, latency = 180, bytes_per_cycle = 115>,
    #tile.transfer<ub to l1, unit = "mte3", async = true,
                   issue = 10, latency = 43, bytes_per_cycle = 256>,
    #tile.transfer<l1 to l0a, unit = "mte1", async = true,
                   issue = 3, latency = 5, bytes_per_cycle = 256>,
    #tile.transfer<l1 to l0b, unit = "mte1", async = true,
                   issue = 3, latency = 5, bytes_per_cycle = 256>,
    #tile.transfer<l1 to bt, unit = "mte1", async = true,
                   issue = 3, latency = 5, bytes_per_cycle = 32>,
    #tile.transfer<l1 to fb, unit = "mte1", async = true,
                   issue = 3, latency = 5, bytes_per_cycle = 32>,
    #tile.transfer<l0c to global, unit = "fix", async = true,
                   issue = 2, latency = 200, bytes_per_cycle = 128>,
    #tile.transfer<l0c to ub, unit = "fix", async = true,
                   issue = 2, latency = 58, bytes_per_cycle = 128>],
  units = [
    // 8192 fp16 operations a cycle, two for a multiply-add, after 8 cycles [tl]
    #tile.unit<tensor, ops_per_cycle = 4096, latency = 8>,
    // 51 operations a cycle [tl], on each of two cores
    #tile.unit<vector, ops_per_cycle = 102, latency = 16>,
    #tile.unit<scalar, ops_per_cycle = 1, latency = 1>]>

// Where `--tile-set-target` finds them, by the name of the module.
module @"dav-2201" attributes {tile.target = #dav_2201} {}
module @"dav-3510" attributes {tile.target = #dav_3510} {}
