//===- Barriers.cpp - bar.sync, bar.arrive, bar.red, bar.warp.sync -------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

using namespace tilepipe::ptx;

/// A barrier without a count waits for the threads that have not ended.
uint32_t Block::expectedThreads(const Barrier &barrier) const {
  if (barrier.counted)
    return barrier.expected;
  uint32_t result = 0;
  for (const Warp &warp : warps)
    result += warp.status != Warp::Done && warp.live ? 32 : 0;
  return result;
}

void Block::arrive(Warp &warp, const Inst &inst, uint32_t mask) {
  requireWarp(warp, inst, mask);
  unsigned lane = __builtin_ctz(mask);
  unsigned first = inst.op == Op::BarRed ? 1 : 0;
  uint32_t id = warp.row<uint32_t>(inst.ops[first])[lane];
  if (id >= 16)
    fault(inst, "fault", "barrier " + std::to_string(id) + " of 16");
  Barrier &barrier = barriers[id];
  bool counted = inst.op != Op::BarRed && inst.numOperands > 1;
  uint32_t expected = counted ? warp.row<uint32_t>(inst.ops[1])[lane] : 0;
  if (counted && (expected == 0 || expected % 32 || expected > numWarps * 32))
    fault(inst, "fault",
          "barrier for " + std::to_string(expected) +
              " threads in a block of " + std::to_string(threads));
  if (barrier.arrived &&
      (barrier.counted != counted || barrier.expected != expected)) {
    Issue found =
        issue(inst, "fault",
              "barrier " + std::to_string(id) +
                  " is entered with another number of threads than before");
    found.sites[1] = site(at(barrier.inst), "arrival before");
    throw Fault{std::move(found)};
  }
  barrier.counted = counted;
  barrier.expected = expected;
  barrier.inst = indexOf(inst);
  barrier.arrived += 32;
  ++barrierCount;
  for (uint32_t i = 0; i < numWarps; ++i)
    barrier.clock[i] = std::max(barrier.clock[i], warp.clock[i]);
  ++warp.clock[warp.id];
  if (inst.op == Op::BarRed) {
    uint32_t chosen = predicate(warp.state, inst.ops[2]) & mask;
    barrier.population += __builtin_popcount(chosen);
    barrier.any |= chosen != 0;
    barrier.all &= chosen == mask;
  }
  if (inst.op != Op::BarArrive) {
    warp.status = Warp::AtBarrier;
    warp.barrier = id;
    warp.barrierInst = barrier.inst;
    barrier.waiting.push_back(warp.id);
  }
  if (barrier.arrived >= expectedThreads(barrier))
    release(barrier);
}

/// Orders the threads of a warp; those that a mask leaves out as well.
void Block::syncWarp(Warp &warp, const Inst &inst, uint32_t mask) {
  requireMembers(warp, inst, inst.ops[0], mask);
  ++warp.clock[warp.id];
}

void Block::release(Barrier &barrier) {
  for (uint32_t id : barrier.waiting) {
    Warp &warp = warps[id];
    warp.status = Warp::Ready;
    for (uint32_t i = 0; i < numWarps; ++i)
      warp.clock[i] = std::max(warp.clock[i], barrier.clock[i]);
    const Inst &inst = at(warp.barrierInst);
    if (inst.op != Op::BarRed)
      continue;
    uint64_t values[32];
    bool answer = inst.mode == Mode::And ? barrier.all : barrier.any;
    uint64_t value =
        inst.ops[0].cls == Class::Pred ? answer : barrier.population;
    std::fill(values, values + 32, value);
    setRow(warp, inst.ops[0], warp.live, values);
  }
  barrier = Barrier();
  barrier.clock.assign(numWarps, 0);
}

/// A warp has ended: a barrier may not have to wait for it any more.
void Block::releaseComplete() {
  for (Barrier &barrier : barriers)
    if (barrier.arrived && !barrier.counted &&
        barrier.arrived >= expectedThreads(barrier))
      release(barrier);
}
