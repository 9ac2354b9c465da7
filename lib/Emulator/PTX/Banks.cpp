//===- Banks.cpp - Conflicts of banks of shared memory -------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has 32 banks of 4 bytes. An access of 8 (16) bytes a lane goes
// in two (four) parts of 16 (8) lanes; a part takes as many wavefronts as the
// fullest bank has different words. What is counted are wavefronts beyond the
// first of each part. (CUDA C++ Best Practices Guide, "Shared Memory and Memory
// Banks".)
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

using namespace tilepipe::ptx;

/// Words that `lanes` touch in one part: most different ones in a bank.
static unsigned wavefronts(const uint64_t *addresses, uint32_t lanes,
                           unsigned bytes) {
  uint64_t words[32][32];
  unsigned used[32] = {}, most = 1;
  for (; lanes; lanes &= lanes - 1) {
    uint64_t at = addresses[__builtin_ctz(lanes)];
    for (uint64_t word = at / 4; word <= (at + bytes - 1) / 4; ++word) {
      uint64_t *bank = words[word % 32];
      unsigned &count = used[word % 32];
      if (std::find(bank, bank + count, word) == bank + count && count < 32)
        bank[count++] = word;
      most = std::max(most, count);
    }
  }
  return most;
}

void Block::noteBanks(const Inst &inst, const uint64_t *addresses,
                      uint32_t mask, unsigned bytes) {
  if (launch.conflicts.empty())
    return;
  if (inst.space == Space::Generic &&
      addresses[__builtin_ctz(mask)] < sharedWindow)
    return;
  unsigned lanes = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  for (unsigned first = 0; first < 32; first += lanes) {
    uint32_t part = mask & uint32_t(((1ull << lanes) - 1) << first);
    if (part)
      launch.conflicts[indexOf(inst)] += wavefronts(addresses, part, bytes) - 1;
  }
}
