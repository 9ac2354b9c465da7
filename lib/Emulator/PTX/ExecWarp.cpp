//===- ExecWarp.cpp - Exchange between the lanes of a warp ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

using namespace tilepipe::ptx;

void Block::pack(Warp &warp, const Inst &inst, uint32_t mask) {
  const Operand &vector = inst.ops[1];
  unsigned bits = inst.number * 8;
  uint64_t values[32] = {};
  uint32_t undefined = 0, low = 0, origin = neverWritten;
  for (unsigned i = 0; i < vector.count; ++i) {
    const Operand &part = kernel.elements[vector.first + i];
    uint64_t keep = (1ull << bits) - 1;
    const uint32_t *row = warp.row<uint32_t>(part);
    for (unsigned lane = 0; lane < 32; ++lane)
      values[lane] |= (uint64_t(row[lane]) & keep) << (bits * i);
    if (warp.undefined[part.reg])
      origin = warp.origin[part.reg];
    undefined |= warp.undefined[part.reg];
    // A half of a pair that nobody uses need not be there.
    if (i == 0 && bits >= 16)
      low = ~undefined;
  }
  setRow(warp, inst.ops[0], mask, values);
  setUndefined(warp, inst.ops[0], mask, undefined, origin);
  if (undefined & low & mask)
    warp.lowDefined[inst.ops[0].reg] |= undefined & low & mask;
}

void Block::unpack(Warp &warp, const Inst &inst, uint32_t mask) {
  const Operand &vector = inst.ops[0];
  unsigned bits = inst.number * 8;
  uint64_t from[32], values[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    from[lane] = value(warp, inst.ops[1], lane);
  uint32_t undefined = warp.undefined[inst.ops[1].reg],
           low = warp.lowDefined[inst.ops[1].reg],
           origin = warp.origin[inst.ops[1].reg];
  for (unsigned i = 0; i < vector.count; ++i) {
    const Operand &part = kernel.elements[vector.first + i];
    for (unsigned lane = 0; lane < 32; ++lane)
      values[lane] = from[lane] >> (bits * i) & ((1ull << bits) - 1);
    setRow(warp, part, mask, values);
    bool isLow = i == 0 && bits <= 16;
    setUndefined(warp, part, mask, isLow ? undefined & ~low : undefined,
                 origin);
  }
}

void Block::logicPredicate(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t a = predicate(warp.state, inst.ops[1]), result = a;
  uint32_t undefined = warp.undefined[inst.ops[1].reg], from = inst.ops[1].reg;
  if (inst.op == Op::NotPred) {
    result = ~a;
  } else if (inst.op != Op::MovPred) {
    uint32_t b = predicate(warp.state, inst.ops[2]);
    uint32_t other = warp.undefined[inst.ops[2].reg];
    result = inst.op == Op::AndPred  ? a & b
             : inst.op == Op::OrPred ? a | b
                                     : a ^ b;
    if (!undefined)
      from = inst.ops[2].reg;
    // A defined operand may decide alone.
    if (inst.op == Op::AndPred)
      undefined = (undefined & (b | other)) | (other & (a | undefined));
    else if (inst.op == Op::OrPred)
      undefined = (undefined & (~b | other)) | (other & (~a | undefined));
    else
      undefined |= other;
  }
  commitPredicate(warp.state, inst.ops[0], mask, result);
  setUndefined(warp, inst.ops[0], mask, undefined, warp.origin[from]);
}

/// PTX ISA, "shfl.sync": operand c holds the clamp in bits 0-4 and the segment
/// mask in bits 8-12.
void Block::shuffle(Warp &warp, const Inst &inst, uint32_t mask) {
  requireMembers(warp, inst, inst.ops[4], mask);
  const uint32_t *b = warp.row<uint32_t>(inst.ops[2]),
                 *c = warp.row<uint32_t>(inst.ops[3]);
  uint32_t from[32];
  memcpy(from, warp.row<uint32_t>(inst.ops[1]), sizeof(from));
  uint64_t values[32], inside[32];
  uint32_t unknown = warp.undefined[inst.ops[1].reg], undefined = 0, gone = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    int offset = b[lane] & 31, clamp = c[lane] & 31,
        segment = c[lane] >> 8 & 31;
    int least = lane & segment, most = least | (clamp & ~segment), source;
    bool valid;
    switch (inst.mode) {
    case Mode::Up:
      source = lane - offset;
      valid = source >= most;
      break;
    case Mode::Down:
      source = lane + offset;
      valid = source <= most;
      break;
    case Mode::Bfly:
      source = lane ^ offset;
      valid = source <= most;
      break;
    default:
      source = least | (offset & ~segment);
      valid = source <= most;
      break;
    }
    if (!valid)
      source = lane;
    values[lane] = from[source];
    inside[lane] = valid;
    undefined |= (unknown >> source & 1) << lane;
    gone |= uint32_t(!(mask >> source & 1)) << lane;
  }
  if (gone)
    fault(inst, "divergence",
          "lane " + std::to_string(__builtin_ctz(gone)) +
              " reads a lane that does not take part");
  setRow(warp, inst.ops[0], mask, values);
  setUndefined(warp, inst.ops[0], mask, undefined,
               warp.origin[inst.ops[1].reg]);
  setRow(warp, inst.second, mask, inside);
}

void Block::vote(Warp &warp, const Inst &inst, uint32_t mask) {
  requireMembers(warp, inst, inst.ops[2], mask);
  if ((warp.undefined[inst.ops[1].reg] & mask) && trackUndefined)
    reportUndefined(warp, inst, inst.ops[1].reg, "a vote");
  uint32_t chosen = predicate(warp.state, inst.ops[1]) & mask;
  uint64_t result = inst.mode == Mode::Any   ? chosen != 0
                    : inst.mode == Mode::All ? chosen == mask
                    : inst.mode == Mode::Uni ? chosen == 0 || chosen == mask
                                             : chosen;
  uint64_t values[32];
  std::fill(values, values + 32, result);
  setRow(warp, inst.ops[0], mask, values);
}

void Block::match(Warp &warp, const Inst &inst, uint32_t mask) {
  requireMembers(warp, inst, inst.ops[2], mask);
  bool all = inst.mode == Mode::All;
  uint64_t from[32], values[32], same[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    from[lane] = value(warp, inst.ops[1], lane);
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t equal = 0;
    for (unsigned other = 0; other < 32; ++other)
      if ((mask >> other & 1) && from[other] == from[lane])
        equal |= 1u << other;
    same[lane] = equal == mask;
    values[lane] = !all || equal == mask ? equal : 0;
  }
  setRow(warp, inst.ops[0], mask, values);
  setRow(warp, inst.second, mask, same);
}

void Block::reduce(Warp &warp, const Inst &inst, uint32_t mask) {
  requireMembers(warp, inst, inst.ops[2], mask);
  const uint32_t *from = warp.row<uint32_t>(inst.ops[1]);
  uint32_t result = from[__builtin_ctz(mask)];
  bool isSignedType = isSigned(inst.type);
  for (unsigned lane = __builtin_ctz(mask) + 1; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    uint32_t x = from[lane];
    bool less = isSignedType ? int32_t(x) < int32_t(result) : x < result;
    switch (inst.mode) {
    case Mode::Add:
      result += x;
      break;
    case Mode::Min:
      result = less ? x : result;
      break;
    case Mode::Max:
      result = less ? result : x;
      break;
    case Mode::And:
      result &= x;
      break;
    case Mode::Or:
      result |= x;
      break;
    default:
      result ^= x;
      break;
    }
  }
  uint64_t values[32];
  std::fill(values, values + 32, result);
  setRow(warp, inst.ops[0], mask, values);
  bool undefined = warp.undefined[inst.ops[1].reg] & mask;
  setUndefined(warp, inst.ops[0], mask, undefined ? ~0u : 0,
               warp.origin[inst.ops[1].reg]);
}
