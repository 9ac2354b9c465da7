//===- PipeMachine.cpp - Pipes, clocks and flags of one run ------------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipeMachine.h"

#include "tilepipe/Analysis/Capacity.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

int PipeMachine::indexOf(Pipe pipe) {
  return pipe == Pipe::FIX ? 6 : int(pipe);
}

void PipeMachine::join(int clock, const Clock &known) {
  for (int i = 0; i < NumClocks; ++i)
    clocks[clock][i] = std::max(clocks[clock][i], known[i]);
}

void PipeMachine::issue(int clock) {
  ++events;
  Clock known = clocks[0];
  known[0] = counts[0];
  // Stores of the scalar stream linger: a pipe knows of them by a flag from it.
  known[StoreClock] = publishedStores;
  join(clock, known);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

bool PipeMachine::overlap(const Range &a, const Range &b) {
  if (a.lo >= b.end() || b.lo >= a.end())
    return false;
  if ((a.rows == 1 && b.rows == 1) || !a.stride || !b.stride)
    return true;
  if (a.stride == b.stride && a.rows > 1 && b.rows > 1) {
    // Columns of one tile: where does the first column of `b` lie in a row?
    int64_t stride = a.stride;
    int64_t place = ((b.lo - a.lo) % stride + stride) % stride;
    return place < a.length || place + b.length > stride;
  }
  if (a.rows * b.rows > 1 << 14)
    return true;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.rows; ++j) {
      int64_t x = a.lo + i * a.stride, y = b.lo + j * b.stride;
      if (x < y + b.length && y < x + a.length)
        return true;
    }
  return false;
}

std::optional<PipeMachine::Range>
PipeMachine::rangeOf(const PipeAccess &access, BufferView view,
                     IndexEvaluator evaluate) const {
  auto type = cast<MemRefType>(access.buffer.getType());
  int64_t size =
      type.getElementType().isIndex()
          ? 8
          : std::max<int64_t>(
                1, type.getElementType().getIntOrFloatBitWidth() / 8);
  if (!view.root.getDefiningOp())
    return Range{0, 1, INT64_MAX / 4, 0};
  auto alloc = view.root.getDefiningOp<tile::AllocOp>();
  int64_t base = alloc && alloc.getOffset() ? *alloc.getOffset() : 0;
  int64_t all = cast<MemRefType>(view.root.getType()).getNumElements() * size;
  int64_t one = type.getNumElements() * size;
  if (view.slot) {
    std::optional<int64_t> slot = evaluate(view.slot);
    if (!slot)
      return Range{base, 1, all, 0};
    if (*slot < 0 || (*slot + 1) * one > all)
      return std::nullopt;
    base += *slot * one;
  }
  if (!access.part)
    return Range{base, 1, one, 0};
  const Footprint &part = *access.part;
  if (part.rows <= 0 || part.length <= 0)
    return std::nullopt;
  Range range{base + part.offset * size, part.rows, part.length * size,
              part.stride * size};
  // Rows without gaps are one piece.
  if (range.rows > 1 && range.stride <= range.length && range.stride >= 0)
    range = {range.lo, 1, range.end() - range.lo, 0};
  // Sizes are chosen at random, also such as no launch has: blocks past the end
  // of the grid, with less than nothing to do. What leaves its buffer, by more
  // than the repeat that instructions round up to, is one of those.
  constexpr int64_t repeat = 256;
  if (part.offset < 0 || range.end() > base + (view.slot ? one : all) + repeat)
    return std::nullopt;
  return range;
}

void PipeMachine::check(const Record &now) {
  void *key = now.root.getAsOpaquePointer();
  auto alloc = now.root.getDefiningOp<tile::AllocOp>();
  if (alloc && alloc.getOffset())
    key = const_cast<void *>(
        alloc.getType().getMemorySpace().getAsOpaquePointer());
  std::vector<Record> &others = records[key];
  bool global = !alloc;
  auto knows = [&](const Record &other) {
    return clocks[now.clock == StoreClock ? 0 : now.clock][other.clock] >=
           other.count;
  };
  for (const Record &other : others) {
    if ((!now.write && !other.write) || other.op == nullptr ||
        (other.op == now.op && other.count == now.count) ||
        !overlap(now.range, other.range))
      continue;
    bool same = other.clock == now.clock;
    // A pipe starts its instructions in order, so that it may write what it has
    // read. Writes to global memory of one pipe are compared elsewhere, where
    // their places are known. The scalar stream is in order.
    if ((same && (!other.write || global)) || knows(other) ||
        (now.pipe == Pipe::S && other.pipe == Pipe::S))
      continue;
    fail({same ? Finding::SamePipe : Finding::Race, now.op, other.op, now.pipe,
          other.pipe, now.root, ""});
    if (stopped)
      return;
  }
  // Later accesses that are ordered after this one are ordered after all that
  // it covers.
  llvm::erase_if(others, [&](const Record &other) {
    if (now.write && now.range.rows == 1 && now.range.lo <= other.range.lo &&
        other.range.end() <= now.range.end())
      return true;
    return other.clock == now.clock && other.write == now.write &&
           other.range.lo == now.range.lo &&
           other.range.rows == now.range.rows &&
           other.range.length == now.range.length &&
           other.range.stride == now.range.stride;
  });
  others.push_back(now);
}

void PipeMachine::access(PipeOpInterface op, int clock,
                         const PipeAccess &access, IndexEvaluator evaluate) {
  BufferView view = resolveBuffer(access.buffer);
  if (!view.root || workspaces.contains(view.root))
    return;
  std::optional<Range> range = rangeOf(access, view, evaluate);
  if (!range)
    return;
  check({*range, access.write, clock, counts[clock], op, op.getPipe(),
         view.root});
}

void PipeMachine::execute(PipeOpInterface op, IndexEvaluator evaluate) {
  int clock = indexOf(op.getPipe());
  SmallVector<PipeAccess, 4> accesses;
  op.getPipeAccesses(evaluate, accesses);
  bool store = clock == 0 && llvm::any_of(accesses, [](const PipeAccess &a) {
                 return a.write;
               });
  if (store)
    clock = StoreClock;
  else if (clock != 0)
    issue(clock);
  // A large multiplication keeps the next one waiting (Mmad.md: 10 fractals).
  if (op.getPipe() == Pipe::M) {
    if (interlocked)
      clocks[clock][clock] = counts[clock];
    auto mma = dyn_cast<MmaOp>(op.getOperation());
    std::optional<int64_t> m, n;
    if (mma) {
      m = evaluate(mma.getM());
      n = evaluate(mma.getN());
    }
    interlocked = m && n && ((*m + 15) / 16) * ((*n + 15) / 16) >= 10;
  }
  ++counts[clock];
  if (clock == 0)
    clocks[0][0] = counts[0];
  for (const PipeAccess &one : accesses) {
    access(op, clock, one, evaluate);
    if (stopped)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

void PipeMachine::setFlag(Operation *op, Pipe from, Pipe to, int64_t id) {
  int source = indexOf(from);
  if (source)
    issue(source);
  Flag &flag = flags[{source, indexOf(to), id}];
  if (flag.set)
    return fail({Finding::DoubleSet, op, flag.setter, from, to, nullptr,
                 "is set again before the wait for it"});
  // The wait for the previous set must have happened.
  if (flag.waiter && clocks[source][indexOf(to)] < flag.waited)
    return fail({Finding::DoubleSet, op, flag.waiter, from, to, nullptr,
                 "may be set again before the wait for it has happened"});
  flag.set = true;
  flag.setter = op;
  flag.known = clocks[source];
  flag.known[source] = counts[source];
  if (source == 0)
    flag.known[StoreClock] = counts[StoreClock];
}

void PipeMachine::waitFlag(Operation *op, Pipe from, Pipe to, int64_t id) {
  int target = indexOf(to);
  if (target)
    issue(target);
  Flag &flag = flags[{indexOf(from), target, id}];
  if (!flag.set)
    return fail({Finding::NoSet, op, flag.waiter, from, to, nullptr, ""});
  join(target, flag.known);
  // The wait itself is an event that later sets must know.
  flag.waited = ++counts[target];
  flag.waiter = op;
  flag.set = false;
  if (target == 0)
    clocks[0][0] = counts[0];
}

void PipeMachine::barrier(Pipe pipe) {
  if (pipe != Pipe::All) {
    int clock = indexOf(pipe);
    issue(clock);
    clocks[clock][clock] = counts[clock];
    return;
  }
  for (int clock = 1; clock < NumClocks; ++clock) {
    Clock known = clocks[clock];
    known[clock] = counts[clock];
    join(0, known);
  }
  publishedStores = counts[StoreClock];
}

void PipeMachine::finish() {
  for (auto &[key, flag] : flags)
    if (flag.set && !stopped) {
      static const Pipe pipes[] = {Pipe::S,    Pipe::V,    Pipe::M,  Pipe::MTE1,
                                   Pipe::MTE2, Pipe::MTE3, Pipe::FIX};
      fail({Finding::Residual, flag.setter, nullptr, pipes[std::get<0>(key)],
            pipes[std::get<1>(key)], nullptr, ""});
    }
}
