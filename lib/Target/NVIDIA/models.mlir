//===- models.mlir - Numbers about NVIDIA GPUs ----------------------------===//
//
// Each number stands here once, with the public source it is from. Cycles are
// SM clock cycles, and rates are the share of one SM, which a block is taken to
// have for itself. None of them was measured by this project.
//
// Sources
// [guide]  CUDA C++ Programming Guide, appendix "Compute Capabilities".
// [a100]   NVIDIA A100 Tensor Core GPU Architecture, whitepaper, 2020.
// [ga102]  NVIDIA Ampere GA102 GPU Architecture, whitepaper, 2020.
// [h100]   NVIDIA H100 Tensor Core GPU Architecture, whitepaper, 2022.
// [luo]    Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU
//          Architecture, arXiv 2402.13499, table of memory latencies.
// [sun]    Sun et al., Dissecting Tensor Cores via Microbenchmarks,
//          arXiv 2206.02874.
// [l2]     doi 10.1016/j.ultsonch.2023.106546, table 3 (bandwidth of the L2).
//
// What all chips share
// - align = 128: a row of the 32 banks of 4 bytes [guide], where a swizzled tile
//   must begin.
// - shared to fragment, 128 bytes a cycle: the same 32 banks.
// - issue = 4 cycles before a warp can issue again an instruction that depends
//   on the one before (TMA: the same for the one instruction of one thread).
// - A store is done, for its block, once it has been issued: latency = 0.
// - A scalar operation is done by each warp for itself.
//
// Registers (`fragment`) are no memory with addresses: the assembler allocates
// them, and reports spills.
//
//===----------------------------------------------------------------------===//

// A100: 108 SMs at 1.41 GHz [a100].
#sm_80 = #tile.target<"sm_80",
  memories = [
    // 163 KiB a block [guide]
    #tile.memory<shared, capacity = 166912, align = 128>],
  transfers = [
    // latency 466 [luo]; L2 reads 5120 bytes a cycle [a100], over 108 SMs
    #tile.transfer<global to shared, unit = "cp.async", async = true,
                   issue = 4, latency = 466, bytes_per_cycle = 47>,
    #tile.transfer<global to fragment, unit = "lsu", async = false,
                   issue = 4, latency = 466, bytes_per_cycle = 47>,
    // latency 29 [luo]
    #tile.transfer<shared to fragment, unit = "lsu", async = false,
                   issue = 4, latency = 29, bytes_per_cycle = 128>,
    #tile.transfer<fragment to shared, unit = "lsu", async = false,
                   issue = 4, latency = 29, bytes_per_cycle = 128>,
    #tile.transfer<fragment to global, unit = "lsu", async = false,
                   issue = 4, latency = 0, bytes_per_cycle = 47>,
    #tile.transfer<shared to global, unit = "lsu", async = false,
                   issue = 4, latency = 29, bytes_per_cycle = 47>],
  units = [
    // 1024 fp16 FMA a cycle and SM [a100]; m16n8k16 takes 33 cycles [sun], 8 of
    // them at the rate of one tensor core
    #tile.unit<tensor, ops_per_cycle = 1024, latency = 25>,
    // 64 fp32 results a cycle [guide]
    #tile.unit<vector, ops_per_cycle = 64, latency = 4>,
    #tile.unit<scalar, ops_per_cycle = 1, latency = 4>]>

// GA10x, here the RTX 3090: 82 SMs at 1.695 GHz [ga102].
#sm_86 = #tile.target<"sm_86",
  memories = [
    // 99 KiB a block [guide]
    #tile.memory<shared, capacity = 101376, align = 128>],
  transfers = [
    // latency as on the A100; DRAM 936 GB/s [ga102] over 82 SMs, for the rate of
    // the L2 is not published
    #tile.transfer<global to shared, unit = "cp.async", async = true,
                   issue = 4, latency = 466, bytes_per_cycle = 6>,
    #tile.transfer<global to fragment, unit = "lsu", async = false,
                   issue = 4, latency = 466, bytes_per_cycle = 6>,
    #tile.transfer<shared to fragment, unit = "lsu", async = false,
                   issue = 4, latency = 29, bytes_per_cycle = 128>,
    #tile.transfer<fragment to shared, unit = "lsu", async = false,
                   issue = 4, latency = 29, bytes_per_cycle = 128>,
    #tile.transfer<fragment to global, unit = "lsu", async = false,
                   issue = 4, latency = 0, bytes_per_cycle = 6>,
    #tile.transfer<shared to global, unit = "lsu", async = false,
                   issue = 4, latency = 29, bytes_per_cycle = 6>],
  units = [
    // 512 fp16 FMA a cycle and SM, half with fp32 accumulation [ga102]; latency
    // as on the A100
    #tile.unit<tensor, ops_per_cycle = 256, latency = 25>,
    // 128 fp32 results a cycle [guide]
    #tile.unit<vector, ops_per_cycle = 128, latency = 4>,
    #tile.unit<scalar, ops_per_cycle = 1, latency = 4>]>

// H100 SXM: 132 SMs at 1.83 GHz [h100].
#sm_90a = #tile.target<"sm_90a",
  memories = [
    // 227 KiB a block [guide]
    #tile.memory<shared, capacity = 232448, align = 128>],
  transfers = [
    // latency 479 [luo]; L2 5120 bytes a cycle [l2], over 132 SMs
    #tile.transfer<global to shared, unit = "tma", async = true,
                   issue = 4, latency = 479, bytes_per_cycle = 38>,
    #tile.transfer<global to fragment, unit = "lsu", async = false,
                   issue = 4, latency = 479, bytes_per_cycle = 38>,
    #tile.transfer<shared to fragment, unit = "lsu", async = false,
                   issue = 4, latency = 29, bytes_per_cycle = 128>,
    #tile.transfer<fragment to shared, unit = "lsu", async = false,
                   issue = 4, latency = 29, bytes_per_cycle = 128>,
    #tile.transfer<fragment to global, unit = "lsu", async = false,
                   issue = 4, latency = 0, bytes_per_cycle = 38>,
    #tile.transfer<shared to global, unit = "tma", async = false,
                   issue = 4, latency = 29, bytes_per_cycle = 38>],
  units = [
    // 989.4 Tflop/s fp16 [h100] / 132 SMs / 1.83 GHz / 2; latency as on the A100
    #tile.unit<tensor, ops_per_cycle = 2048, latency = 25>,
    // 128 fp32 results a cycle [guide]
    #tile.unit<vector, ops_per_cycle = 128, latency = 4>,
    #tile.unit<scalar, ops_per_cycle = 1, latency = 4>]>

// Where `--tile-set-target` finds them, by the name of the module.
module @sm_80 attributes {tile.target = #sm_80} {}
module @sm_86 attributes {tile.target = #sm_86} {}
module @sm_90a attributes {tile.target = #sm_90a} {}
