//===- ExecAsync.cpp - cp.async, ldmatrix and mma.sync -------------------===//
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
  copy.bytes = uint32_t(inst.ops[2].value);
  bool bypass = program.mnemonics[inst.mnemonic].compare(0, 11, "cp.async.cg") == 0;
  if (copy.bytes != 16 && (bypass || (copy.bytes != 4 && copy.bytes != 8)))
    fault(inst, "fault", "copy of " + std::to_string(inst.ops[2].value) + " bytes");
  uint64_t target[32];
  addresses(warp, inst, inst.ops[0], mask, target);
  addresses(warp, inst, inst.ops[1], mask, copy.source);
  const Operand *size = inst.numOperands > 3 ? &inst.ops[3] : nullptr;
  if (size && (warp.undefined[size->reg] & mask) && trackUndefined)
    reportUndefined(warp, inst, size->reg, "the size of a copy");
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    uint64_t to = target[lane] >= sharedWindow ? target[lane] - sharedWindow : target[lane];
    sharedBytes(inst, to, copy.bytes);
    if (to % copy.bytes)
      fault(inst, "alignment", "asynchronous copy of " + std::to_string(copy.bytes) + " bytes to byte " + std::to_string(to) + " of shared memory");
    uint32_t given = size ? uint32_t(value(warp, *size, lane)) : copy.bytes;
    if (given > copy.bytes)
      fault(inst, "fault", "source size " + std::to_string(given) + " of a copy of " + std::to_string(copy.bytes) + " bytes");
    if (given) {
      if (copy.source[lane] % copy.bytes)
        fault(inst, "alignment", "asynchronous copy of " + std::to_string(copy.bytes) + " bytes from address " + std::to_string(copy.source[lane]));
      Range *range = launch.memory.find(copy.source[lane], given);
      if (!range)
        fault(inst, "bounds", "asynchronous copy of " + std::to_string(given) + " bytes of global memory in lane " + std::to_string(lane) + " of warp " + std::to_string(warp.id) + ": " + launch.memory.describe(copy.source[lane], given));
      if (trackRaces)
        noteGlobal(warp, inst, *range, copy.source[lane] - range->base, given, Access::Read);
    }
    copy.target[lane] = uint32_t(to);
    copy.sourceBytes[lane] = given;
    copy.group[lane] = warp.openGroup[lane];
    if (trackRaces)
      report(warp, inst, monitor.begin(to, copy.bytes, warp.id, warp.clock, copy.inst), "asynchronous copy");
    if (options.policy == Policy::Early)
      for (uint32_t i = 0; i < copy.bytes; ++i)
        shared[to + i] = i & 1 ? 0x7f : 0xff;
  }
  ++copyCount;
  bool now = options.policy == Policy::Eager || (options.policy == Policy::Shuffle && random() % 4 == 0);
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
      if (!range || address < range->base || address + given > range->base + range->bytes)
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
void Block::waitGroup(Warp &warp, const Inst &inst, uint32_t mask, uint32_t pending) {
  uint32_t epoch = warp.clock[warp.id];
  for (Copy &copy : warp.copies) {
    uint32_t done = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      done |= uint32_t(copy.group[lane] + pending < warp.openGroup[lane]) << lane;
    done &= mask & copy.mask;
    if (!done)
      continue;
    move(warp, copy, done);
    copy.mask &= ~done;
    if (!trackRaces)
      continue;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (done >> lane & 1)
        monitor.finish(copy.target[lane], copy.bytes, warp.id, epoch, copy.inst, indexOf(inst));
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

/// Matrix q has its row addresses in lanes 8q..8q+7; in the result lane 4g+t
/// holds elements 2t and 2t+1 of row g (of column g with .trans). (PTX ISA,
/// "Warp-level matrix load instruction: ldmatrix".)
void Block::loadMatrix(Warp &warp, const Inst &inst, uint32_t mask) {
  requireWarp(warp, inst, mask);
  uint64_t from[32];
  addresses(warp, inst, inst.ops[1], mask, from);
  unsigned count = inst.ops[0].count;
  uint32_t results[4][32], undefined[4] = {};
  for (unsigned q = 0; q < count; ++q) {
    alignas(16) uint16_t rows[8][8];
    uint8_t unknown[8][8];
    bool any = false;
    for (unsigned r = 0; r < 8; ++r) {
      uint64_t at = from[8 * q + r];
      at = at >= sharedWindow ? at - sharedWindow : at;
      if (at % 16)
        fault(inst, "alignment", "row " + std::to_string(r) + " of matrix " + std::to_string(q) + " at byte " + std::to_string(at) + " of shared memory is not aligned to 16 bytes");
      memcpy(rows[r], sharedBytes(inst, at, 16), 16);
      uint64_t flags[2];
      memcpy(flags, sharedUndefined.data() + at, 16);
      if ((flags[0] | flags[1]) && !any) {
        memset(unknown, 0, sizeof(unknown));
        any = true;
      }
      if (flags[0] | flags[1])
        for (unsigned i = 0; i < 8; ++i)
          unknown[r][i] = sharedUndefined[at + 2 * i] | sharedUndefined[at + 2 * i + 1];
      if (trackRaces)
        noteShared(warp, inst, at, 16, Access::Read);
    }
    if (!inst.trans)
      memcpy(results[q], rows, 128);
    else
      for (unsigned lane = 0; lane < 32; ++lane)
        results[q][lane] = rows[2 * (lane % 4)][lane / 4] | uint32_t(rows[2 * (lane % 4) + 1][lane / 4]) << 16;
    for (unsigned lane = 0; any && lane < 32; ++lane) {
      unsigned g = lane / 4, t = 2 * (lane % 4);
      bool bad = inst.trans ? unknown[t][g] | unknown[t + 1][g] : unknown[g][t] | unknown[g][t + 1];
      undefined[q] |= uint32_t(bad) << lane;
    }
  }
  for (unsigned q = 0; q < count; ++q) {
    const Operand &to = kernel.elements[inst.ops[0].first + q];
    if (to.kind != Operand::Register)
      continue;
    uint32_t *row = warp.row<uint32_t>(to);
    if (mask == ~0u)
      memcpy(row, results[q], 128);
    else
      for (unsigned lane = 0; lane < 32; ++lane)
        row[lane] = mask >> lane & 1 ? results[q][lane] : row[lane];
    setUndefined(warp, to, mask, undefined[q], indexOf(inst));
  }
}

void Block::moveMatrix(Warp &warp, const Inst &inst, uint32_t mask) {
  requireWarp(warp, inst, mask);
  uint16_t rows[8][8];
  memcpy(rows, warp.row<uint32_t>(inst.ops[1]), 128);
  uint64_t values[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    values[lane] = rows[2 * (lane % 4)][lane / 4] | uint32_t(rows[2 * (lane % 4) + 1][lane / 4]) << 16;
  setRow(warp, inst.ops[0], mask, values);
  uint32_t undefined = warp.undefined[inst.ops[1].reg];
  setUndefined(warp, inst.ops[0], mask, undefined ? ~0u : 0, warp.origin[inst.ops[1].reg]);
}

/// Every lane whose bit is set in a group of four sets the whole group.
static uint32_t wholeRows(uint32_t lanes) {
  lanes |= lanes >> 1;
  lanes |= lanes >> 2;
  lanes &= 0x11111111u;
  return lanes * 15;
}

void Block::multiplyMatrix(Warp &warp, const Inst &inst, uint32_t mask) {
  requireWarp(warp, inst, mask);
  uint32_t *rows[4][4];
  const Operand *parts[4];
  uint32_t undefined[4] = {}, origin = neverWritten;
  for (unsigned i = 0; i < 4; ++i) {
    parts[i] = &kernel.elements[inst.ops[i].first];
    for (unsigned r = 0; r < inst.ops[i].count; ++r) {
      rows[i][r] = warp.row<uint32_t>(parts[i][r]);
      uint32_t unknown = i ? warp.undefined[parts[i][r].reg] : 0;
      if (unknown)
        origin = warp.origin[parts[i][r].reg];
      undefined[i] |= unknown;
    }
  }
  MmaShape shape = {inst.type, inst.type2, inst.to, inst.ops[2].count};
  laneLibrary().mma(shape, rows[0], rows[1], rows[2], rows[3]);
  uint32_t bad = undefined[3];
  if (undefined[1])
    bad |= wholeRows(undefined[1]);
  // Row n of B is column n of D: lanes with 2t or 2t+1 equal to n.
  for (unsigned n = 0; undefined[2] && n < 8; ++n)
    if (undefined[2] >> (4 * n) & 15)
      bad |= 0x11111111u << (n / 2);
  for (unsigned r = 0; r < inst.ops[0].count; ++r) {
    uint32_t &flags = warp.undefined[parts[0][r].reg];
    flags = bad;
    if (bad)
      warp.origin[parts[0][r].reg] = origin;
  }
}
