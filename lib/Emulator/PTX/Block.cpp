//===- Block.cpp - Runs the warps of a block -----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <chrono>

using namespace tilepipe::ptx;

Block::Block(Launch &launch, const uint32_t at[3], uint32_t linear)
    : launch(launch), program(launch.program), kernel(launch.kernel),
      options(launch.options), index{at[0], at[1], at[2]}, linear(linear),
      random(launch.options.seed * 0x9e3779b97f4a7c15ull + linear),
      trackUndefined(launch.options.undefined),
      trackRaces(launch.options.races) {
  const uint32_t *block = options.block;
  threads = block[0] * block[1] * block[2];
  numWarps = (threads + 31) / 32;
  uint64_t bytes = sharedStart + kernel.staticShared;
  if (kernel.hasDynamic || options.sharedBytes)
    bytes = uint64_t(kernel.dynamicStart) + options.sharedBytes;
  // 0x7fff is a NaN in f16, bf16, f32 and f64.
  shared.resize(bytes);
  for (uint64_t i = 0; i < bytes; ++i)
    shared[i] = i & 1 ? 0x7f : 0xff;
  sharedUndefined.assign(bytes, 1);
  if (trackRaces)
    monitor.reset(bytes, numWarps);
  warps.resize(numWarps);
  for (uint32_t i = 0; i < numWarps; ++i) {
    warps[i].id = i;
    startWarp(warps[i]);
  }
  for (Barrier &barrier : barriers)
    barrier.clock.assign(numWarps, 0);
}

void Block::startWarp(Warp &warp) {
  warp.file.resize(kernel.fileBytes);
  uint32_t *words = reinterpret_cast<uint32_t *>(warp.file.data());
  std::fill(words, words + kernel.fileBytes / 4, 0xdeadbeefu);
  warp.undefined.assign(kernel.registerNames.size(), ~0u);
  std::fill(warp.undefined.begin(), warp.undefined.begin() + NumSpecial + 1, 0);
  warp.origin.assign(kernel.registerNames.size(), neverWritten);
  warp.lowDefined.assign(kernel.registerNames.size(), 0);
  warp.local.assign(size_t(kernel.localBytes) * 32, 0xff);
  warp.localUndefined.assign(size_t(kernel.localBytes) * 32, 1);
  warp.clock.assign(numWarps, 0);
  warp.clock[warp.id] = 1;
  warp.state.base[0] = warp.file.data();
  warp.state.base[1] = const_cast<uint8_t *>(kernel.pool.data());
  warp.state.undefined = warp.undefined.data();
  warp.state.origin = warp.origin.data();
  warp.state.lowDefined = warp.lowDefined.data();
  const uint32_t *block = options.block, *grid = options.grid;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t t = warp.id * 32 + lane, bit = 1u << lane;
    if (t < threads)
      warp.live |= bit;
    const uint32_t values[NumSpecial] = {t % block[0],
                                         t / block[0] % block[1],
                                         t / block[0] / block[1],
                                         block[0],
                                         block[1],
                                         block[2],
                                         index[0],
                                         index[1],
                                         index[2],
                                         grid[0],
                                         grid[1],
                                         grid[2],
                                         lane,
                                         warp.id,
                                         numWarps,
                                         bit,
                                         bit - 1,
                                         bit | (bit - 1),
                                         ~(bit | (bit - 1)),
                                         ~(bit - 1),
                                         0,
                                         options.sharedBytes,
                                         0};
    for (unsigned s = 0; s < NumSpecial; ++s)
      words[specialOffset(s) / 4 + lane] = values[s];
  }
  uint32_t *wide = words + specialOffset(Zero64) / 4;
  std::fill(wide, wide + 64, 0);
  warp.stack.push_back({0, -1, ~0u});
}

void Block::run() {
  try {
    schedule();
    finishBlock();
  } catch (Fault &fault) {
    fault.issue.fatal = true;
    launch.add(std::move(fault.issue));
    launch.stop = true;
  }
  std::lock_guard<std::mutex> lock(launch.mutex);
  Statistics &statistics = launch.report.statistics;
  statistics.warpInstructions += instructions;
  statistics.threadInstructions += threadInstructions;
  statistics.barriers += barrierCount;
  statistics.copies += copyCount;
}

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

void Block::schedule() {
  std::vector<uint32_t> order(numWarps);
  for (uint32_t i = 0; i < numWarps; ++i)
    order[i] = options.policy == Policy::Early ? numWarps - 1 - i : i;
  bool shuffled = options.policy == Policy::Shuffle;
  for (;;) {
    if (shuffled)
      std::shuffle(order.begin(), order.end(), random);
    bool ran = false, waiting = false;
    for (uint32_t i : order) {
      Warp &warp = warps[i];
      waiting |= warp.status == Warp::AtBarrier;
      if (warp.status != Warp::Ready)
        continue;
      ran = true;
      if (shuffled)
        moveSome(warp);
      uint64_t before = instructions;
      // Every warp gets its turn: a warp may spin until another one writes.
      slice(warp, shuffled ? 1 + random() % 200 : 1 << 16);
      uint64_t total = launch.executed += instructions - before;
      bool tooMany = options.maxInstructions && total > options.maxInstructions;
      if (tooMany || (launch.deadline > 0 && now() > launch.deadline)) {
        uint32_t pc =
            warp.stack.empty() ? kernel.code.size() - 1 : warp.stack.back().pc;
        fault(at(pc), "limit",
              tooMany ? "more than " + std::to_string(options.maxInstructions) +
                            " warp instructions; the kernel may not end"
                      : "the time limit of the launch is over; the kernel may "
                        "not end");
      }
      if (launch.stop)
        return;
    }
    if (ran)
      continue;
    if (!waiting)
      return;
    deadlock();
  }
}

/// Leaves finished stack entries; false if the warp is done.
bool Block::settle(Warp &warp) {
  while (!warp.stack.empty()) {
    const StackEntry &top = warp.stack.back();
    if ((top.mask & warp.live) && top.pc != top.join)
      return true;
    warp.stack.pop_back();
  }
  return false;
}

void Block::slice(Warp &warp, uint64_t budget) {
  const Inst *code = kernel.code.data();
  uint64_t *counts = launch.counts.empty() ? nullptr : launch.counts.data();
  for (; budget && warp.status == Warp::Ready; --budget) {
    if (!settle(warp)) {
      warp.status = Warp::Done;
      releaseComplete();
      return;
    }
    StackEntry &top = warp.stack.back();
    const Inst &inst = code[top.pc];
    uint32_t active = top.mask & warp.live, mask = active;
    ++instructions;
    if (counts)
      ++counts[top.pc];
    if (inst.guard >= 0) {
      uint32_t predicate =
          *reinterpret_cast<const uint32_t *>(warp.file.data() + inst.guard);
      mask &= inst.guardNegated ? ~predicate : predicate;
      if ((warp.undefined[inst.guardReg] & active) && trackUndefined)
        reportUndefined(warp, inst, inst.guardReg, "the predicate");
    }
    threadInstructions += __builtin_popcount(active);
    if (inst.fn) {
      if (mask)
        inst.fn(warp.state, inst, mask);
      warp.state.index = top.pc;
      ++top.pc;
    } else if (!special(warp, inst, active, mask)) {
      ++warp.stack.back().pc;
    }
  }
}

/// Instructions that are not lane by lane. True if the next instruction was
/// already decided on.
bool Block::special(Warp &warp, const Inst &inst, uint32_t active,
                    uint32_t mask) {
  switch (inst.op) {
  case Op::Bra:
    branch(warp, inst, active, mask);
    return true;
  case Op::BrxIdx:
    branchIndexed(warp, inst, active, mask);
    return true;
  case Op::Ret:
  case Op::Exit:
    leave(warp, mask);
    return false;
  default:
    if (mask)
      execute(warp, inst, active, mask);
    return false;
  }
}

void Block::leave(Warp &warp, uint32_t mask) { warp.live &= ~mask; }

void Block::branch(Warp &warp, const Inst &inst, uint32_t active,
                   uint32_t mask) {
  StackEntry &top = warp.stack.back();
  int32_t next = top.pc + 1;
  if (mask == active) {
    top.pc = inst.target;
    return;
  }
  if (!mask) {
    top.pc = next;
    return;
  }
  // The join waits below the two sides; a side that starts there needs no
  // entry. Without a join both sides run to the end.
  int32_t join = inst.reconverge, outer = top.join;
  uint32_t all = top.mask;
  if (join < 0)
    warp.stack.pop_back();
  else
    top.pc = join;
  int32_t stop = join < 0 ? outer : join;
  if (next != join)
    warp.stack.push_back({next, stop, all & active & ~mask});
  if (inst.target != join)
    warp.stack.push_back({inst.target, stop, mask});
}

void Block::branchIndexed(Warp &warp, const Inst &inst, uint32_t active,
                          uint32_t mask) {
  StackEntry &top = warp.stack.back();
  const Operand &table = inst.ops[1];
  const uint32_t *choice = warp.row<uint32_t>(inst.ops[0]);
  int32_t next = top.pc + 1, join = inst.reconverge;
  int32_t stop = join < 0 ? top.join : join;
  std::map<int32_t, uint32_t> sides;
  if (active & ~mask)
    sides[next] |= active & ~mask;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    if (choice[lane] >= table.count)
      fault(inst, "bounds",
            "index " + std::to_string(choice[lane]) + " of a table of " +
                std::to_string(table.count) + " targets");
    sides[kernel.branchTargets[table.first + choice[lane]]] |= 1u << lane;
  }
  if (sides.size() == 1) {
    top.pc = sides.begin()->first;
    return;
  }
  if (join < 0)
    warp.stack.pop_back();
  else
    top.pc = join;
  for (auto [target, lanes] : sides)
    if (target != join)
      warp.stack.push_back({target, stop, lanes});
}

void Block::execute(Warp &warp, const Inst &inst, uint32_t active,
                    uint32_t mask) {
  switch (inst.op) {
  case Op::MovPack:
    return pack(warp, inst, mask);
  case Op::MovUnpack:
    return unpack(warp, inst, mask);
  case Op::MovPred:
  case Op::AndPred:
  case Op::OrPred:
  case Op::XorPred:
  case Op::NotPred:
    return logicPredicate(warp, inst, mask);
  case Op::Cvta:
    return convertAddress(warp, inst, mask);
  case Op::Isspacep:
    return isSpace(warp, inst, mask);
  case Op::Ld:
    return inst.space == Space::Param ? loadParam(warp, inst, mask)
                                      : load(warp, inst, mask);
  case Op::St:
    return store(warp, inst, mask);
  case Op::Atom:
  case Op::Red:
    return atomic(warp, inst, mask);
  case Op::CreatePolicy: {
    const uint64_t zeros[32] = {};
    return setRow(warp, inst.ops[0], mask, zeros);
  }
  case Op::Trap:
    fault(inst, "fault",
          inst.ops[0].value ? "an assertion does not hold" : "trap");
  case Op::BarSync:
  case Op::BarArrive:
  case Op::BarRed:
    return arrive(warp, inst, mask);
  case Op::BarWarp:
    return syncWarp(warp, inst, mask);
  case Op::Fence:
    return;
  case Op::Shfl:
    return shuffle(warp, inst, mask);
  case Op::Vote:
    return vote(warp, inst, mask);
  case Op::Match:
    return match(warp, inst, mask);
  case Op::Redux:
    return reduce(warp, inst, mask);
  case Op::ActiveMask: {
    uint64_t values[32];
    std::fill(values, values + 32, mask);
    return setRow(warp, inst.ops[0], mask, values);
  }
  case Op::CpAsync:
    return copyAsync(warp, inst, mask);
  case Op::CpCommit:
    return commitGroup(warp, mask);
  case Op::CpWait:
    return waitGroup(warp, inst, mask,
                     uint32_t(std::min<int64_t>(inst.ops[0].value, 1 << 30)));
  case Op::CpWaitAll:
    commitGroup(warp, mask);
    return waitGroup(warp, inst, mask, 0);
  case Op::LdMatrix:
    return loadMatrix(warp, inst, mask);
  case Op::MovMatrix:
    return moveMatrix(warp, inst, mask);
  case Op::Mma:
    return multiplyMatrix(warp, inst, mask);
  default:
    return; // Nop
  }
}

/// Copies that nobody waited for.
void Block::finishBlock() {
  for (Warp &warp : warps) {
    for (Copy &copy : warp.copies) {
      // Blocks after this one are other memory; the bytes do not matter.
      Issue found =
          issue(at(copy.inst), "pending-copy",
                "asynchronous copy still in flight when its thread ends");
      found.sites[0].access =
          "asynchronous copy by warp " + std::to_string(warp.id);
      found.missing =
          "cp.async.wait_group 0 or cp.async.wait_all before the end";
      launch.add(std::move(found));
      break;
    }
  }
}
