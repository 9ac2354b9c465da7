//===- ExecMatrix.cpp - ldmatrix, movmatrix and mma.sync -----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace tilepipe::ptx;

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
    noteBanks(inst, from + 8 * q, 0xff, 16);
    alignas(16) uint16_t rows[8][8];
    uint8_t unknown[8][8];
    bool any = false;
    for (unsigned r = 0; r < 8; ++r) {
      uint64_t at = from[8 * q + r];
      at = at >= sharedWindow ? at - sharedWindow : at;
      if (at % 16)
        fault(inst, "alignment",
              "row " + std::to_string(r) + " of matrix " + std::to_string(q) +
                  " at byte " + std::to_string(at) +
                  " of shared memory is not aligned to 16 bytes");
      memcpy(rows[r], sharedBytes(inst, at, 16), 16);
      uint64_t flags[2];
      memcpy(flags, sharedUndefined.data() + at, 16);
      if ((flags[0] | flags[1]) && !any) {
        memset(unknown, 0, sizeof(unknown));
        any = true;
      }
      if (flags[0] | flags[1])
        for (unsigned i = 0; i < 8; ++i)
          unknown[r][i] =
              sharedUndefined[at + 2 * i] | sharedUndefined[at + 2 * i + 1];
      if (trackRaces)
        noteShared(warp, inst, manyLanes, at, 16, Access::Read);
    }
    if (!inst.trans)
      memcpy(results[q], rows, 128);
    else
      for (unsigned lane = 0; lane < 32; ++lane)
        results[q][lane] = rows[2 * (lane % 4)][lane / 4] |
                           uint32_t(rows[2 * (lane % 4) + 1][lane / 4]) << 16;
    for (unsigned lane = 0; any && lane < 32; ++lane) {
      unsigned g = lane / 4, t = 2 * (lane % 4);
      bool bad = inst.trans ? unknown[t][g] | unknown[t + 1][g]
                            : unknown[g][t] | unknown[g][t + 1];
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
    values[lane] = rows[2 * (lane % 4)][lane / 4] |
                   uint32_t(rows[2 * (lane % 4) + 1][lane / 4]) << 16;
  setRow(warp, inst.ops[0], mask, values);
  uint32_t undefined = warp.undefined[inst.ops[1].reg];
  setUndefined(warp, inst.ops[0], mask, undefined ? ~0u : 0,
               warp.origin[inst.ops[1].reg]);
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
    warp.lowDefined[parts[0][r].reg] = 0;
    if (bad)
      warp.origin[parts[0][r].reg] = origin;
  }
}
