//===- Memory.cpp - Spaces, what they hold, who touched them --------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <algorithm>

using namespace tilepipe::cce;

const char *tilepipe::cce::nameOf(Space space) {
  static const char *const names[] = {"GM", "L1", "L0A", "L0B", "L0C", "UB"};
  return names[space];
}

const char *tilepipe::cce::nameOf(Pipe pipe) {
  static const char *const names[] = {"PIPE_S",    "PIPE_V",    "PIPE_M",
                                      "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3",
                                      "PIPE_FIX",  "PIPE_S"};
  return names[pipe];
}

// asc-devkit, NPU架构版本2201.md; catlass arch.hpp; pto-isa buffer_limits.hpp.
uint64_t tilepipe::cce::capacityOf(Space space) {
  static const uint64_t bytes[] = {~0ull,    512 << 10, 64 << 10,
                                   64 << 10, 128 << 10, 192 << 10};
  return bytes[space];
}

void tilepipe::cce::join(Clock &into, const Clock &from) {
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

void Region::makeOnChip(uint64_t bytes) {
  // No number that looks right: 0x7e7e is not a number in fp16 and bf16 terms.
  own.assign(bytes, 0x7e);
  poison.assign(bytes, 1);
  cells.assign((bytes + granule - 1) / granule, Cell());
  data = own.data();
  size = bytes;
}

uint64_t Effects::append(Space space, uint64_t address, uint64_t count) {
  uint64_t offset = bytes.size();
  if (!pieces.empty()) {
    Piece &last = pieces.back();
    if (last.space == space && last.address + last.count == address) {
      last.count += count;
      return offset;
    }
  }
  pieces.push_back({space, address, offset, count});
  return offset;
}

void Effects::write(Space space, uint64_t address, const void *from,
                    uint64_t count, const uint8_t *undefined) {
  if (!count)
    return;
  append(space, address, count);
  const uint8_t *begin = static_cast<const uint8_t *>(from);
  bytes.insert(bytes.end(), begin, begin + count);
  if (undefined)
    poison.insert(poison.end(), undefined, undefined + count);
  else
    poison.resize(poison.size() + count, 0);
}

void Effects::fillPoison(Space space, uint64_t address, uint64_t count) {
  if (!count)
    return;
  append(space, address, count);
  bytes.resize(bytes.size() + count, 0x7e);
  poison.resize(poison.size() + count, 1);
}
