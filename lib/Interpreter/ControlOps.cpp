//===- ControlOps.cpp - Calls, loops and branches
//---------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;
using namespace tilepipe::tile;

static bool runMulti(Machine &m, const Instr &in, Slot *) {
  return m.fail(in, "has a region of more than one block, which is not "
                    "supported by the interpreter");
}

//===----------------------------------------------------------------------===//
// Counted loops: scf.for and tile.pipeline
//===----------------------------------------------------------------------===//

namespace {
struct LoopData {
  Code body;
  uint32_t iv;
  Moves enter, next, leave;
  bool isUnsigned = false;
  /// A step that is not positive is meant (`tile.pipeline` with a constant).
  bool mayStepDown = false;
};
} // namespace

static bool runLoop(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<LoopData>();
  int64_t lower = s[in.operands[0]], upper = s[in.operands[1]];
  int64_t step = s[in.operands[2]];
  if (step == 0 || (step < 0 && !data.mayStepDown))
    return m.fail(in, "steps by " + Twine(step) + ", which is not positive");
  data.enter.apply(s);
  uint64_t count = getTripCount(lower, upper, step);
  if (data.isUnsigned)
    count = uint64_t(lower) < uint64_t(upper)
                ? (uint64_t(upper) - uint64_t(lower) - 1) / uint64_t(step) + 1
                : 0;
  uint64_t iv = lower;
  for (uint64_t i = 0; i < count; ++i, iv += step) {
    s[data.iv] = iv;
    if (!m.run(data.body, s))
      return false;
    data.next.apply(s);
  }
  data.leave.apply(s);
  return true;
}

template <typename OpT>
static LoopData *makeLoop(Compiler &c, OpT op, Block &body, Instr &in) {
  auto *data = c.make<LoopData>();
  data->iv = c.slotOf(body.getArgument(0));
  ValueRange carried = body.getArguments().drop_front();
  c.addMoves(data->enter, op->getOperands().drop_front(3), carried);
  data->body = c.compileBlock(body);
  c.addMoves(data->next, body.getTerminator()->getOperands(), carried);
  c.addMoves(data->leave, carried, op->getResults());
  in.data = data;
  in.run = runLoop;
  return data;
}

static void compileFor(Compiler &c, Operation *op, Instr &in) {
  auto loop = cast<scf::ForOp>(op);
  LoopData *data = makeLoop(c, loop, *loop.getBody(), in);
  data->isUnsigned = loop.getUnsignedCmp();
}

static void compilePipeline(Compiler &c, Operation *op, Instr &in) {
  auto loop = cast<PipelineOp>(op);
  LoopData *data = makeLoop(c, loop, *loop.getBodyBlock(), in);
  data->mayStepDown = loop.getStaticStep().has_value();
}

static bool runIteration(Machine &, const Instr &in, Slot *s) {
  const auto &loop = in.get<std::pair<uint32_t, uint32_t>>();
  int64_t step = s[loop.second];
  s[in.result] = (int64_t(s[in.operands[0]]) - int64_t(s[loop.first])) / step;
  return true;
}

static void compileIteration(Compiler &c, Operation *op, Instr &in) {
  auto argument = cast<BlockArgument>(cast<IterationOp>(op).getIv());
  auto loop = cast<PipelineOp>(argument.getOwner()->getParentOp());
  auto *data = c.make<std::pair<uint32_t, uint32_t>>();
  *data = {c.slotOf(loop.getLower()), c.slotOf(loop.getStep())};
  in.data = data;
  in.run = runIteration;
}

//===----------------------------------------------------------------------===//
// Boxes: tile.map, tile.launch and scf.parallel
//===----------------------------------------------------------------------===//

namespace {
struct BoxData {
  Code body;
  SmallVector<uint32_t> ivs;
  /// Slots of lower bounds and steps; empty for 0 and 1.
  SmallVector<uint32_t> lowers, steps, uppers;
  /// Constant extents where `uppers` holds no slot.
  SmallVector<int64_t> extents;
  bool isLaunch = false;
  /// Reductions of `scf.parallel`.
  struct Reduction {
    Code body;
    Moves enter, leave;
  };
  Moves initial, results;
  std::vector<Reduction> reductions;
};
} // namespace

static bool runBoxBody(Machine &m, const Instr &in, const BoxData &data,
                       Slot *s) {
  if (!m.run(data.body, s))
    return false;
  for (const BoxData::Reduction &reduction : data.reductions) {
    reduction.enter.apply(s);
    if (!m.run(reduction.body, s))
      return false;
    reduction.leave.apply(s);
  }
  if (!data.isLaunch)
    return true;
  if (m.options.sanitize)
    if (auto finding = m.engine.checkEnd())
      return m.fail(in, *finding);
  m.endBlock();
  return true;
}

static bool runBox(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<BoxData>();
  unsigned rank = data.ivs.size();
  SmallVector<int64_t, 4> lower(rank, 0), step(rank, 1), count(rank),
      index(rank, 0);
  bool isEmpty = false;
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (!data.lowers.empty()) {
      lower[dim] = s[data.lowers[dim]];
      step[dim] = s[data.steps[dim]];
      if (step[dim] <= 0)
        return m.fail(in, "steps by " + Twine(step[dim]) + " in dimension " +
                              Twine(dim) + ", which is not positive");
      count[dim] = getTripCount(lower[dim], s[data.uppers[dim]], step[dim]);
    } else {
      count[dim] = ShapedType::isDynamic(data.extents[dim])
                       ? int64_t(s[data.uppers[dim]])
                       : data.extents[dim];
      if (count[dim] < 0)
        return m.fail(in, "has the negative extent " + Twine(count[dim]) +
                              " in dimension " + Twine(dim));
    }
    isEmpty |= count[dim] == 0;
  }
  if (data.isLaunch && m.options.sanitize)
    if (auto finding = m.engine.checkEnd())
      return m.fail(in, *finding);
  data.initial.apply(s);
  while (!isEmpty) {
    for (unsigned dim = 0; dim < rank; ++dim)
      s[data.ivs[dim]] = lower[dim] + index[dim] * step[dim];
    if (!runBoxBody(m, in, data, s))
      return false;
    int64_t dim = int64_t(rank) - 1;
    for (; dim >= 0 && ++index[dim] == count[dim]; --dim)
      index[dim] = 0;
    if (dim < 0)
      break;
  }
  data.results.apply(s);
  return true;
}

template <typename OpT>
static void compileBox(Compiler &c, Operation *op, Instr &in) {
  auto box = cast<OpT>(op);
  auto *data = c.make<BoxData>();
  Block &body = box.getBody().front();
  for (BlockArgument argument : body.getArguments())
    data->ivs.push_back(c.slotOf(argument));
  data->extents.assign(box.getStaticExtents().begin(),
                       box.getStaticExtents().end());
  size_t next = 0;
  for (int64_t extent : data->extents)
    data->uppers.push_back(
        ShapedType::isDynamic(extent) ? c.slotOf(box.getExtents()[next++]) : 0);
  data->isLaunch = std::is_same_v<OpT, LaunchOp>;
  data->body = c.compileBlock(body);
  in.data = data;
  in.run = runBox;
}

static void compileParallel(Compiler &c, Operation *op, Instr &in) {
  auto loop = cast<scf::ParallelOp>(op);
  auto *data = c.make<BoxData>();
  for (Value iv : loop.getInductionVars())
    data->ivs.push_back(c.slotOf(iv));
  for (Value value : loop.getLowerBound())
    data->lowers.push_back(c.slotOf(value));
  for (Value value : loop.getUpperBound())
    data->uppers.push_back(c.slotOf(value));
  for (Value value : loop.getStep())
    data->steps.push_back(c.slotOf(value));
  data->body = c.compileBlock(*loop.getBody());
  // scf.reduce is a terminator with regions; its instruction does nothing.
  c.addMoves(data->initial, loop.getInitVals(), loop.getResults());
  auto reduce = cast<scf::ReduceOp>(loop.getBody()->getTerminator());
  for (auto [result, operand, region] : llvm::zip_equal(
           loop.getResults(), reduce.getOperands(), reduce.getReductions())) {
    if (!region.hasOneBlock()) {
      in.run = runMulti;
      return;
    }
    Block &block = region.front();
    BoxData::Reduction &reduction = data->reductions.emplace_back();
    c.addMoves(reduction.enter, {result, operand}, block.getArguments());
    reduction.body = c.compileBlock(block);
    c.addMoves(reduction.leave, block.getTerminator()->getOperands(), {result});
  }
  in.data = data;
  in.run = runBox;
}

static bool runNothing(Machine &, const Instr &, Slot *) { return true; }

static void compileNothing(Compiler &, Operation *, Instr &in) {
  in.run = runNothing;
}

//===----------------------------------------------------------------------===//
// scf.if, scf.while, scf.execute_region, scf.index_switch
//===----------------------------------------------------------------------===//

namespace {
/// One of several blocks whose values become the results.
struct BranchData {
  struct Arm {
    Code body;
    Moves leave;
  };
  std::vector<Arm> arms;
  SmallVector<int64_t> cases;
};

struct WhileData {
  Code before, after;
  uint32_t condition;
  Moves enter, pass, leave, next;
};
} // namespace

static void addArm(Compiler &c, BranchData &data, Region &region,
                   Operation *op) {
  BranchData::Arm &arm = data.arms.emplace_back();
  if (region.empty())
    return;
  arm.body = c.compileBlock(region.front());
  c.addMoves(arm.leave, region.front().getTerminator()->getOperands(),
             op->getResults());
}

static bool runArm(Machine &m, const BranchData &data, size_t arm, Slot *s) {
  if (!m.run(data.arms[arm].body, s))
    return false;
  data.arms[arm].leave.apply(s);
  return true;
}

static bool runIf(Machine &m, const Instr &in, Slot *s) {
  return runArm(m, in.get<BranchData>(), s[in.operands[0]] ? 0 : 1, s);
}

static bool runSwitch(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<BranchData>();
  int64_t value = s[in.operands[0]];
  for (auto [i, it] : llvm::enumerate(data.cases))
    if (it == value)
      return runArm(m, data, i + 1, s);
  return runArm(m, data, 0, s);
}

static bool runRegion(Machine &m, const Instr &in, Slot *s) {
  return runArm(m, in.get<BranchData>(), 0, s);
}

/// scf.if and scf.execute_region and scf.index_switch.
template <bool (*run)(Machine &, const Instr &, Slot *)>
static void compileBranch(Compiler &c, Operation *op, Instr &in) {
  for (Region &region : op->getRegions())
    if (!region.empty() && !region.hasOneBlock()) {
      in.run = runMulti;
      return;
    }
  auto *data = c.make<BranchData>();
  for (Region &region : op->getRegions())
    addArm(c, *data, region, op);
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
    data->cases.assign(choice.getCases().begin(), choice.getCases().end());
  in.data = data;
  in.run = run;
}

static bool runWhile(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<WhileData>();
  data.enter.apply(s);
  while (true) {
    if (!m.run(data.before, s))
      return false;
    if (!s[data.condition])
      break;
    data.pass.apply(s);
    if (!m.run(data.after, s))
      return false;
    data.next.apply(s);
  }
  data.leave.apply(s);
  return true;
}

static void compileWhile(Compiler &c, Operation *op, Instr &in) {
  auto loop = cast<scf::WhileOp>(op);
  auto *data = c.make<WhileData>();
  Block &before = *loop.getBeforeBody(), &after = *loop.getAfterBody();
  data->before = c.compileBlock(before);
  data->after = c.compileBlock(after);
  scf::ConditionOp condition = loop.getConditionOp();
  data->condition = c.slotOf(condition.getCondition());
  c.addMoves(data->enter, loop.getInits(), before.getArguments());
  c.addMoves(data->pass, condition.getArgs(), after.getArguments());
  c.addMoves(data->leave, condition.getArgs(), loop.getResults());
  c.addMoves(data->next, after.getTerminator()->getOperands(),
             before.getArguments());
  in.data = data;
  in.run = runWhile;
}

//===----------------------------------------------------------------------===//
// Calls and assertions
//===----------------------------------------------------------------------===//

static bool runCall(Machine &m, const Instr &in, Slot *s) {
  auto &function = *static_cast<Function *>(const_cast<void *>(in.data));
  if (in.op->getNumResults() == 0)
    return m.call(in, function, s, in.operands, nullptr);
  // Results of one operation need not lie side by side.
  std::vector<Slot> results;
  for (Type type : in.op->getResultTypes())
    results.resize(results.size() + Compiler::numSlots(type));
  if (!m.call(in, function, s, in.operands, results.data()))
    return false;
  std::memcpy(s + in.result, results.data(), results.size() * sizeof(Slot));
  return true;
}

static bool runNoCallee(Machine &m, const Instr &in, Slot *) {
  return m.fail(in, "calls what is not a function of this module");
}

static void compileCall(Compiler &c, Operation *op, Instr &in) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, cast<func::CallOp>(op).getCalleeAttr());
  in.run = runNoCallee;
  if (!callee)
    return;
  in.data = &c.getFunction(callee);
  in.run = runCall;
}

static bool runAssert(Machine &m, const Instr &in, Slot *s) {
  if (s[in.operands[0]])
    return true;
  return m.fail(in, "failed: " + cast<cf::AssertOp>(in.op).getMsg());
}

static void compileAssert(Compiler &, Operation *, Instr &in) {
  in.run = runAssert;
}

static bool runPoison(Machine &, const Instr &in, Slot *s) {
  std::memset(s + in.result, 0x5A, in.count * sizeof(Slot));
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] = in.to.isFloat() ? roundDouble(in.to, 203.25)
                                       : signExtend(0x5A, in.to.width);
  return true;
}

static void compilePoison(Compiler &, Operation *op, Instr &in) {
  if (!isa<MemRefType>(op->getResult(0).getType()))
    in.run = runPoison;
}

void interp::addControlHandlers(HandlerMap &map) {
  map[TypeID::get<func::CallOp>()] = compileCall;
  map[TypeID::get<scf::ForOp>()] = compileFor;
  map[TypeID::get<scf::IfOp>()] = compileBranch<runIf>;
  map[TypeID::get<scf::IndexSwitchOp>()] = compileBranch<runSwitch>;
  map[TypeID::get<scf::ExecuteRegionOp>()] = compileBranch<runRegion>;
  map[TypeID::get<scf::WhileOp>()] = compileWhile;
  map[TypeID::get<scf::ParallelOp>()] = compileParallel;
  map[TypeID::get<scf::ReduceOp>()] = compileNothing;
  map[TypeID::get<cf::AssertOp>()] = compileAssert;
  map[TypeID::get<ub::PoisonOp>()] = compilePoison;
  map[TypeID::get<PipelineOp>()] = compilePipeline;
  map[TypeID::get<IterationOp>()] = compileIteration;
  map[TypeID::get<MapOp>()] = compileBox<MapOp>;
  map[TypeID::get<LaunchOp>()] = compileBox<LaunchOp>;
}
