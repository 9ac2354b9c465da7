//===- ExecAsync.cpp - Asynchronous copies, cp.async -------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

using namespace tilepipe::ptx;

void Block::copyAsync(Warp &warp, const Inst &inst, uint32_t mask) {
  Copy copy;
  copy.inst = indexOf(inst);
  copy.mask = mask;
  copy.time = instructions;
  copy.bytes = uint32_t(inst.ops[2].value);
  bool bypass =
      program.mnemonics[inst.mnemonic].compare(0, 11, "cp.async.cg") == 0;
  if (copy.bytes != 16 && (bypass || (copy.bytes != 4 && copy.bytes != 8)))
    fault(inst, "fault",
          "copy of " + std::to_string(inst.ops[2].value) + " bytes");
  uint64_t target[32];
  addresses(warp, inst, inst.ops[0], mask, target);
  addresses(warp, inst, inst.ops[1], mask, copy.source);
  noteBanks(inst, target, mask, copy.bytes);
  const Operand *size = inst.numOperands > 3 ? &inst.ops[3] : nullptr;
  if (size && (warp.undefined[size->reg] & mask) && trackUndefined)
    reportUndefined(warp, inst, size->reg, "the size of a copy");
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    uint64_t to = target[lane] >= sharedWindow ? target[lane] - sharedWindow
                                               : target[lane];
    sharedBytes(inst, to, copy.bytes);
    if (to % copy.bytes)
      fault(inst, "alignment",
            "asynchronous copy of " + std::to_string(copy.bytes) +
                " bytes to byte " + std::to_string(to) + " of shared memory");
    uint32_t given = size ? uint32_t(value(warp, *size, lane)) : copy.bytes;
    if (given > copy.bytes)
      fault(inst, "fault",
            "source size " + std::to_string(given) + " of a copy of " +
                std::to_string(copy.bytes) + " bytes");
    if (given) {
      if (copy.source[lane] % copy.bytes)
        fault(inst, "alignment",
              "asynchronous copy of " + std::to_string(copy.bytes) +
                  " bytes from address " + std::to_string(copy.source[lane]));
      Range *range = launch.memory.find(copy.source[lane], given);
      if (!range)
        fault(inst, "bounds",
              "asynchronous copy of " + std::to_string(given) +
                  " bytes of global memory in lane " + std::to_string(lane) +
                  " of warp " + std::to_string(warp.id) + ": " +
                  launch.memory.describe(copy.source[lane], given));
      if (trackRaces)
        noteGlobal(warp, inst, lane, *range, copy.source[lane] - range->base,
                   given, Access::Read);
    }
    copy.target[lane] = uint32_t(to);
    copy.sourceBytes[lane] = given;
    copy.group[lane] = warp.openGroup[lane];
    if (trackRaces)
      report(warp, inst,
             monitor.begin(to, copy.bytes,
                           {warp.id, uint8_t(lane), warp.clock}, copy.inst),
             "asynchronous copy");
    if (options.policy == Policy::Early)
      for (uint32_t i = 0; i < copy.bytes; ++i)
        shared[to + i] = i & 1 ? 0x7f : 0xff;
  }
  ++copyCount;
  bool now = options.policy == Policy::Eager ||
             (options.policy == Policy::Shuffle && random() % 4 == 0);
  if (now)
    move(warp, copy, mask);
  warp.copies.push_back(copy);
}

/// Puts the bytes in place, with zeros behind the source bytes.
void Block::move(Warp &, Copy &copy, uint32_t lanes) {
  lanes &= copy.mask & ~copy.moved;
  copy.moved |= lanes;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    uint8_t bytes[16] = {};
    if (uint32_t given = copy.sourceBytes[lane]) {
      Range *range = lastRange;
      uint64_t address = copy.source[lane];
      if (!range || address < range->base ||
          address + given > range->base + range->bytes)
        range = lastRange = launch.memory.find(address, given);
      memcpy(bytes, range->host + (address - range->base), given);
    }
    memcpy(shared.data() + copy.target[lane], bytes, copy.bytes);
    memset(sharedUndefined.data() + copy.target[lane], 0, copy.bytes);
  }
}

void Block::commitGroup(Warp &warp, uint32_t mask) {
  for (unsigned lane = 0; lane < 32; ++lane)
    warp.openGroup[lane] += mask >> lane & 1;
}

/// Retires all but the last `pending` committed groups of the lanes.
void Block::waitGroup(Warp &warp, const Inst &inst, uint32_t mask,
                      uint32_t pending) {
  for (Copy &copy : warp.copies) {
    uint32_t done = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      done |= uint32_t(copy.group[lane] + pending < warp.openGroup[lane])
              << lane;
    done &= mask & copy.mask;
    if (!done)
      continue;
    move(warp, copy, done);
    copy.mask &= ~done;
    if (!trackRaces)
      continue;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (done >> lane & 1) {
        checkSource(warp, copy, lane);
        monitor.finish(copy.target[lane], copy.bytes,
                       {warp.id, uint8_t(lane), warp.clock}, copy.inst,
                       indexOf(inst));
      }
  }
  while (!warp.copies.empty() && !warp.copies.front().mask)
    warp.copies.pop_front();
}

/// Policy::Shuffle: some copies arrive while the warp was away.
void Block::moveSome(Warp &warp) {
  for (Copy &copy : warp.copies)
    if (copy.mask & ~copy.moved)
      move(warp, copy, uint32_t(random() & random()));
}
