//===- ControlFlow.cpp - Where the sides of a branch meet again ----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a warp that took different sides of a branch run together again
// at its immediate post-dominator. The address order of blocks says nothing:
// LLVM places a join before one of its sides.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include <algorithm>

using namespace tilepipe::ptx;

namespace {

/// Basic blocks of a kernel; the block after the last is the end.
struct Blocks {
  std::vector<int> start, blockOf;
  std::vector<std::vector<int>> successors;
  int exit = 0;

  explicit Blocks(const Kernel &kernel);
  /// Immediate post-dominators (Cooper, Harvey, Kennedy: "A Simple, Fast
  /// Dominance Algorithm", on the reversed graph), -1 where there is none.
  std::vector<int> postDominators() const;
};

} // namespace

static bool isBranch(const Inst &inst) {
  return inst.op == Op::Bra || inst.op == Op::BrxIdx;
}

static bool ends(const Inst &inst) {
  return inst.op == Op::Ret || inst.op == Op::Exit || inst.op == Op::Trap;
}

static std::vector<int> targetsOf(const Kernel &kernel, const Inst &inst) {
  if (inst.op == Op::Bra)
    return {inst.target};
  auto first = kernel.branchTargets.begin() + inst.ops[1].first;
  return std::vector<int>(first, first + inst.ops[1].count);
}

Blocks::Blocks(const Kernel &kernel) {
  int count = kernel.code.size();
  std::vector<char> leads(count + 1, 0);
  leads[0] = 1;
  for (int i = 0; i < count; ++i) {
    const Inst &inst = kernel.code[i];
    if (isBranch(inst))
      for (int target : targetsOf(kernel, inst))
        leads[target] = 1;
    if (isBranch(inst) || ends(inst))
      leads[i + 1] = 1;
  }
  blockOf.resize(count + 1);
  for (int i = 0; i < count; ++i) {
    if (leads[i])
      start.push_back(i);
    blockOf[i] = start.size() - 1;
  }
  exit = start.size();
  blockOf[count] = exit;
  start.push_back(count);
  successors.resize(exit + 1);
  for (int b = 0; b < exit; ++b) {
    const Inst &last = kernel.code[start[b + 1] - 1];
    std::vector<int> &to = successors[b];
    if (isBranch(last))
      for (int target : targetsOf(kernel, last))
        to.push_back(blockOf[target]);
    if (ends(last))
      to.push_back(exit);
    if ((!isBranch(last) && !ends(last)) || last.guard >= 0)
      to.push_back(b + 1);
  }
}

std::vector<int> Blocks::postDominators() const {
  int count = exit + 1;
  std::vector<std::vector<int>> predecessors(count);
  for (int b = 0; b < count; ++b)
    for (int to : successors[b])
      predecessors[to].push_back(b);
  // Post-order of the reversed graph from the exit, without recursion.
  std::vector<int> order, number(count, -1);
  std::vector<std::pair<int, size_t>> stack = {{exit, 0}};
  std::vector<char> seen(count, 0);
  seen[exit] = 1;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == predecessors[block].size()) {
      number[block] = order.size();
      order.push_back(block);
      stack.pop_back();
    } else if (int to = predecessors[block][next++]; !seen[to]) {
      seen[to] = 1;
      stack.push_back({to, 0});
    }
  }
  std::vector<int> dominator(count, -1);
  dominator[exit] = exit;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = int(order.size()) - 2; i >= 0; --i) {
      int block = order[i], best = -1;
      for (int to : successors[block]) {
        if (dominator[to] < 0)
          continue;
        if (best < 0)
          best = to;
        for (int a = to, b = best; best >= 0 && a != b;) {
          while (number[a] < number[b])
            a = dominator[a];
          while (number[b] < number[a])
            b = dominator[b];
          best = a;
          if (a == b)
            break;
        }
      }
      if (best >= 0 && dominator[block] != best) {
        dominator[block] = best;
        changed = true;
      }
    }
  }
  return dominator;
}

void tilepipe::ptx::computeReconvergence(Kernel &kernel) {
  Blocks blocks(kernel);
  std::vector<int> dominator = blocks.postDominators();
  for (int b = 0; b < blocks.exit; ++b) {
    Inst &last = kernel.code[blocks.start[b + 1] - 1];
    if (!isBranch(last))
      continue;
    int join = dominator[b];
    last.reconverge = join < 0 || join == blocks.exit ? -1 : blocks.start[join];
  }
}
