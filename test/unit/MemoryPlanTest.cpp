//===- MemoryPlanTest.cpp - Buffers that share bytes do not meet ----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random structured programs are placed, then executed with random trip counts
// and branches. Whatever writes a buffer clobbers all that share bytes with it,
// and an asynchronous copy writes when it starts and as late as its waits
// allow: no read may find its buffer clobbered.
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/Capacity.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

namespace {

class RandomProgram {
public:
  RandomProgram(MLIRContext *context, uint64_t seed)
      : builder(context), random(seed) {
    Location loc = builder.getUnknownLoc();
    module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    shape = MemRefType::get({8}, builder.getF32Type());
    function = func::FuncOp::create(
        builder, loc, "f",
        builder.getFunctionType({shape, builder.getF32Type(),
                                 builder.getIndexType(), builder.getI1Type()},
                                {}));
    Block *entry = function.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    for (unsigned i = 0, e = 2 + pick(5); i != e; ++i)
      addBuffer();
    addBlock(/*depth=*/0, /*length=*/6 + pick(14));
    func::ReturnOp::create(builder, loc);
  }

  func::FuncOp getFunction() { return function; }
  std::string str() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

private:
  unsigned pick(unsigned n) { return random() % n; }
  Value getArgument(unsigned i) { return function.getArgument(i); }

  void addBuffer() {
    auto space = SpaceAttr::get(builder.getContext(), MemorySpace::Shared);
    auto type = MemRefType::get({int64_t(4 + 4 * pick(4))},
                                builder.getF32Type(), AffineMap(), space);
    buffers.push_back(AllocOp::create(builder, builder.getUnknownLoc(), type));
  }

  void addBlock(unsigned depth, unsigned length) {
    size_t visible = buffers.size();
    if (depth > 0 && pick(3) == 0)
      addBuffer();
    for (unsigned i = 0; i != length; ++i)
      addStatement(depth);
    buffers.resize(visible);
  }

  void addStatement(unsigned depth) {
    Location loc = builder.getUnknownLoc();
    Value buffer = buffers[pick(buffers.size())];
    SmallVector<OpFoldResult> zero(1, builder.getIndexAttr(0));
    SmallVector<OpFoldResult> one(1, builder.getIndexAttr(1));
    switch (pick(depth < 3 ? 12 : 10)) {
    case 0:
    case 1:
      FillOp::create(builder, loc, buffer, getArgument(1));
      return;
    case 2:
    case 3:
    case 4:
      CopyOp::create(builder, loc, buffer, zero, getArgument(0), zero, one);
      return;
    case 5:
    case 6: {
      // Start, and mostly commit at once.
      CopyOp sync =
          CopyOp::create(builder, loc, getArgument(0), zero, buffer, zero, one);
      auto copy = AsyncCopyOp::create(builder, loc,
                                      TokenType::get(builder.getContext()),
                                      sync->getOperands(), sync->getAttrs());
      sync.erase();
      if (pick(4) != 0)
        AsyncCommitOp::create(builder, loc, copy.getToken());
      return;
    }
    case 7:
      AsyncCommitOp::create(builder, loc, ValueRange());
      return;
    case 8:
    case 9:
      AsyncWaitOp::create(builder, loc, ValueRange(),
                          builder.getI64IntegerAttr(pick(3)));
      return;
    case 10: {
      auto branch = scf::IfOp::create(builder, loc, getArgument(3),
                                      /*withElseRegion=*/pick(2) == 0);
      for (Region *region : branch.getRegions()) {
        if (region->empty())
          continue;
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(&region->front());
        addBlock(depth + 1, 1 + pick(5));
      }
      return;
    }
    default: {
      auto loop = scf::ForOp::create(builder, loc, getArgument(2),
                                     getArgument(2), getArgument(2));
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      addBlock(depth + 1, 1 + pick(6));
      return;
    }
    }
  }

  OpBuilder builder;
  std::mt19937_64 random;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  MemRefType shape;
  SmallVector<Value> buffers;
};

/// Executes the accesses of a placed program.
class Execution {
public:
  Execution(const MemoryPlan &plan, uint64_t seed) : random(seed) {
    for (const PlacedBuffer &buffer : plan.getBuffers()) {
      AllocOp alloc = buffer.alloc;
      places[alloc.getResult()] = {buffer.offset,
                                   buffer.offset + buffer.getBytes()};
    }
  }

  void run(Block &block) {
    for (Operation &op : block)
      run(op);
  }

  bool failed = false;

private:
  void run(Operation &op) {
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      state[alloc.getResult()] = State::Undefined;
    } else if (auto fill = dyn_cast<FillOp>(op)) {
      write(fill.getTarget());
    } else if (auto copy = dyn_cast<CopyOp>(op)) {
      read(copy.getSource());
    } else if (auto start = dyn_cast<AsyncCopyOp>(op)) {
      write(start.getTarget());
      open.push_back(start.getTarget());
    } else if (isa<AsyncCommitOp>(op)) {
      groups.push_back(std::move(open));
      open.clear();
    } else if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
      while (groups.size() > *wait.getPending()) {
        for (Value target : groups.front())
          clobberOthers(target);
        groups.erase(groups.begin());
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Region &region = op.getRegion(random() % 2);
      if (!region.empty())
        run(region.front());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (unsigned i = 0, e = random() % 4; i != e; ++i)
        run(*loop.getBody());
    }
  }

  /// What is in flight may land at any time.
  void read(Value buffer) {
    State seen = state.lookup(buffer);
    failed |= seen == State::Clobbered;
    if (seen != State::Defined)
      return;
    auto check = [&](ArrayRef<Value> targets) {
      for (Value target : targets)
        failed |= target != buffer && overlap(target, buffer);
    };
    check(open);
    for (ArrayRef<Value> group : groups)
      check(group);
  }
  bool overlap(Value a, Value b) {
    return places[a].first < places[b].second &&
           places[b].first < places[a].second;
  }
  void write(Value buffer) {
    clobberOthers(buffer);
    state[buffer] = State::Defined;
  }
  void clobberOthers(Value buffer) {
    for (auto &[other, place] : places)
      if (other != buffer && overlap(other, buffer) &&
          state.lookup(other) == State::Defined)
        state[other] = State::Clobbered;
  }

  enum class State { Undefined, Defined, Clobbered };
  std::mt19937_64 random;
  llvm::MapVector<Value, std::pair<int64_t, int64_t>> places;
  DenseMap<Value, State> state;
  SmallVector<Value> open;
  std::vector<SmallVector<Value>> groups;
};

TEST(MemoryPlan, SharedBytesAreNeverNeededTwice) {
  MLIRContext context;
  context.loadDialect<TileDialect, func::FuncDialect, scf::SCFDialect>();
  size_t reused = 0;
  for (uint64_t seed = 0; seed != 3000; ++seed) {
    RandomProgram program(&context, seed);
    func::FuncOp function = program.getFunction();
    MemoryPlan plan(function, getTarget(function));
    for (const MemoryUse &use : plan.getUses())
      reused += use.bytes < use.bytesWithoutReuse;
    for (uint64_t run = 0; run != 8; ++run) {
      Execution execution(plan, seed * 8 + run);
      execution.run(function.front());
      ASSERT_FALSE(execution.failed) << "seed " << seed << '\n'
                                     << program.str();
    }
  }
  // The test would be void if nothing ever shared.
  EXPECT_GT(reused, 200u);
}

/// More buffers than the quadratic placement takes.
TEST(MemoryPlan, ManyBuffers) {
  MLIRContext context;
  context.loadDialect<TileDialect, func::FuncDialect>();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, loc, "f", builder.getFunctionType({builder.getF32Type()}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  auto space = SpaceAttr::get(&context, MemorySpace::Shared);
  SmallVector<Value> buffers;
  for (unsigned i = 0; i != 2000; ++i)
    buffers.push_back(AllocOp::create(builder, loc,
                                      MemRefType::get({int64_t(4 + i % 7)},
                                                      builder.getF32Type(),
                                                      AffineMap(), space)));
  // Each one lives while the next three are written first.
  for (unsigned i = 0; i != 2000; ++i) {
    FillOp::create(builder, loc, buffers[i], function.getArgument(0));
    if (i >= 3)
      FillOp::create(builder, loc, buffers[i - 3], function.getArgument(0));
  }
  func::ReturnOp::create(builder, loc);
  MemoryPlan plan(function, getTarget(function));
  ArrayRef<PlacedBuffer> placed = plan.getBuffers();
  for (auto [i, a] : llvm::enumerate(placed)) {
    EXPECT_EQ(a.offset % 16, 0);
    for (const PlacedBuffer &b :
         placed.slice(i + 1, std::min<size_t>(8, placed.size() - i - 1)))
      if (a.lifetime.overlaps(b.lifetime)) {
        EXPECT_TRUE(a.offset + a.getBytes() <= b.offset ||
                    b.offset + b.getBytes() <= a.offset);
      }
  }
  // Four live at a time, the largest of 40 bytes.
  EXPECT_LE(plan.getUses()[0].bytes, 6 * 48);
}

} // namespace
