//===- Memory.h - Global memory of a launch, with bounds --------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_MEMORY_H
#define TILEPIPE_LIB_EMULATOR_PTX_MEMORY_H

#include "tilepipe/Emulator/PTX/Emulator.h"

#include <memory>

namespace tilepipe::ptx {

/// What the monitor knows of a word of global memory, or of its bytes once a
/// part of it was accessed alone.
struct GlobalCell {
  uint32_t writeBlock = 0, writeEpoch = 0, writeInst = 0;
  uint32_t readBlock = 0, readEpoch = 0, readInst = 0;
  uint16_t writer = 0, reader = 0;
  uint8_t writeLane = 0, readLane = 0;
  /// When it was written, in instructions of the block.
  uint64_t writeTime = 0;
  bool atomic = false;
  std::unique_ptr<GlobalCell[]> parts;
};

/// A contiguous piece of device memory backed by host memory.
struct Range {
  uint64_t base = 0, bytes = 0;
  uint8_t *host = nullptr;
  bool readOnly = false;
  std::string name;
  /// Anything was written to it in this launch.
  bool written = false;
  static constexpr unsigned pageCells = 1024;
  std::vector<std::unique_ptr<GlobalCell[]>> pages;
};

class GlobalMemory {
public:
  /// Lays out the buffers; arguments that overlap on the host overlap here.
  void build(const Program &program, const std::vector<Argument> &arguments);
  /// Device address of an argument.
  uint64_t addressOf(unsigned argument) const { return addresses[argument]; }
  /// The range that holds all bytes, or null.
  Range *find(uint64_t address, uint64_t bytes);
  /// "12 bytes behind the end of 'C' (4096 bytes)".
  std::string describe(uint64_t address, uint64_t bytes) const;

private:
  std::vector<Range> ranges;
  std::vector<uint64_t> addresses;
  std::vector<std::vector<uint8_t>> variables;
};

} // namespace tilepipe::ptx

#endif // TILEPIPE_LIB_EMULATOR_PTX_MEMORY_H
