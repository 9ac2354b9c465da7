//===- Regions.cpp - Regions of buffers as functions of the iteration -----===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/Regions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// Bounds beyond any element number, with room to add a few of them.
static constexpr int64_t kInfinity = int64_t(1) << 60;

//===----------------------------------------------------------------------===//
// LinearExpr
//===----------------------------------------------------------------------===//

static LinearExpr unknownExpr() {
  LinearExpr expr;
  expr.known = false;
  return expr;
}

static LinearExpr symbol(Value value) {
  LinearExpr expr;
  expr.terms.push_back({value, 1});
  return expr;
}

LinearExpr &LinearExpr::operator+=(const LinearExpr &other) {
  std::optional<int64_t> sum = llvm::checkedAdd(constant, other.constant);
  std::optional<int64_t> growth = llvm::checkedAdd(iteration, other.iteration);
  if (!known || !other.known || !sum || !growth)
    return *this = unknownExpr();
  constant = *sum;
  iteration = *growth;
  for (auto [value, coefficient] : other.terms) {
    const void *key = value.getAsOpaquePointer();
    auto *it = llvm::find_if(terms, [&](auto &term) {
      return term.first.getAsOpaquePointer() >= key;
    });
    if (it == terms.end() || it->first != value)
      terms.insert(it, {value, coefficient});
    else if (!(it->second += coefficient))
      terms.erase(it);
  }
  return *this;
}

LinearExpr &LinearExpr::operator*=(int64_t factor) {
  if (factor == 0)
    return *this = LinearExpr();
  std::optional<int64_t> product = llvm::checkedMul(constant, factor);
  std::optional<int64_t> growth = llvm::checkedMul(iteration, factor);
  if (!known || !product || !growth)
    return *this = unknownExpr();
  constant = *product;
  iteration = *growth;
  for (auto &term : terms) {
    std::optional<int64_t> coefficient = llvm::checkedMul(term.second, factor);
    if (!coefficient)
      return *this = unknownExpr();
    term.second = *coefficient;
  }
  return *this;
}

AccessCollector::AccessCollector(PipelineOp loop)
    : loop(loop), step(loop ? loop.getStaticStep() : std::nullopt) {}

LinearExpr AccessCollector::getLinearExpr(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    LinearExpr expr;
    expr.constant = *constant;
    return expr;
  }
  return getLinearExpr(cast<Value>(value));
}

LinearExpr AccessCollector::getLinearExpr(Value value) {
  auto it = exprs.find(value);
  if (it != exprs.end())
    return it->second;
  LinearExpr expr = computeLinearExpr(value);
  // What is not linear is at least equal to itself.
  if (!expr.known)
    expr = symbol(value);
  exprs[value] = expr;
  return expr;
}

LinearExpr AccessCollector::computeLinearExpr(Value value) {
  if (loop && value == loop.getInductionVar()) {
    // iv = lower + step * n
    if (!step)
      return symbol(value);
    LinearExpr expr = getLinearExpr(loop.getLower());
    expr.iteration += *step;
    return expr;
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    LinearExpr expr;
    expr.constant = constant.getSExtValue();
    return expr;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return symbol(value);
  if (auto iteration = dyn_cast<IterationOp>(op);
      loop && iteration && iteration.getIv() == loop.getInductionVar()) {
    LinearExpr expr;
    expr.iteration = 1;
    return expr;
  }
  if (isa<arith::AddIOp, arith::SubIOp>(op) && value.getType().isIndex()) {
    LinearExpr expr = getLinearExpr(op->getOperand(1));
    expr *= isa<arith::AddIOp>(op) ? 1 : -1;
    expr += getLinearExpr(op->getOperand(0));
    return expr;
  }
  if (isa<arith::MulIOp>(op) && value.getType().isIndex()) {
    LinearExpr a = getLinearExpr(op->getOperand(0));
    LinearExpr b = getLinearExpr(op->getOperand(1));
    auto isConstant = [](const LinearExpr &expr) {
      return expr.terms.empty() && !expr.iteration;
    };
    if (isConstant(b))
      return a *= b.constant;
    if (isConstant(a))
      return b *= a.constant;
  }
  return symbol(value);
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

Value tilepipe::getRootBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

static bool isAllocation(Value root) {
  Operation *op = root.getDefiningOp();
  return op && isa<AllocOp, memref::AllocOp, memref::AllocaOp>(op);
}

/// An argument of a function: distinct from all others by contract.
static bool isArgument(Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  return argument && argument.getOwner()->isEntryBlock() &&
         isa_and_nonnull<FunctionOpInterface>(
             argument.getOwner()->getParentOp());
}

bool tilepipe::isOfUnknownOrigin(Value root) {
  return !isAllocation(root) && !isArgument(root) &&
         !root.getDefiningOp<memref::GetGlobalOp>();
}

bool tilepipe::mayAlias(Value a, Value b) {
  if (a == b)
    return true;
  auto globalA = a.getDefiningOp<memref::GetGlobalOp>();
  auto globalB = b.getDefiningOp<memref::GetGlobalOp>();
  if (globalA && globalB)
    return globalA.getName() == globalB.getName();
  if (!isOfUnknownOrigin(a) && !isOfUnknownOrigin(b))
    return false;
  // A buffer of unknown origin stays within its memory space.
  auto typeA = dyn_cast<MemRefType>(a.getType());
  auto typeB = dyn_cast<MemRefType>(b.getType());
  return !typeA || !typeB || getMemorySpace(typeA) == getMemorySpace(typeB);
}

static SmallVector<Interval, 3> wholeRegion(Type type) {
  SmallVector<Interval, 3> region;
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return region;
  for (int64_t extent : memref.getShape()) {
    Interval &interval = region.emplace_back();
    interval.any = ShapedType::isDynamic(extent);
    interval.high = interval.any ? kInfinity : extent;
  }
  return region;
}

BufferAccess tilepipe::getWholeAccess(Value root) {
  BufferAccess access;
  access.root = root;
  access.kind = RegionAccess::Kind::Read;
  access.region = wholeRegion(root.getType());
  return access;
}

//===----------------------------------------------------------------------===//
// From an operation's own words to the index space of the root
//===----------------------------------------------------------------------===//

/// `iteration mod v` of the loop, as multi-buffering writes it.
static std::optional<int64_t> matchRotation(Value index, PipelineOp loop) {
  Operation *rem = index.getDefiningOp();
  if (!loop || !rem || !isa<arith::RemUIOp, arith::RemSIOp>(rem))
    return std::nullopt;
  auto iteration = rem->getOperand(0).getDefiningOp<IterationOp>();
  if (!iteration || iteration.getIv() != loop.getInductionVar())
    return std::nullopt;
  return getConstantIntValue(rem->getOperand(1));
}

void AccessCollector::enterSubview(BufferAccess &access,
                                   memref::SubViewOp subview) {
  llvm::SmallBitVector dropped = subview.getDroppedDims();
  SmallVector<Interval, 3> region;
  unsigned next = 0;
  for (auto [dim, offset, stride] :
       llvm::enumerate(subview.getMixedOffsets(), subview.getMixedStrides())) {
    Interval interval;
    interval.high = 1;
    if (!dropped.test(dim))
      interval = access.region[next++];
    std::optional<int64_t> factor = getConstantIntValue(stride);
    if (!factor || *factor < 1) {
      interval.any = true;
    } else if (*factor > 1) {
      interval.start *= *factor;
      interval.low *= *factor;
      interval.high = (interval.high - 1) * *factor + 1;
      interval.dense = false;
    }
    interval.start += getLinearExpr(offset);
    interval.any |= !interval.start.known;
    region.push_back(interval);
  }
  access.region = region;
}

/// True if the region is all of a buffer of this type.
static bool isWhole(ArrayRef<Interval> region, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.hasStaticShape() &&
         llvm::all_of(llvm::zip_equal(region, memref.getShape()), [](auto it) {
           auto &[interval, extent] = it;
           return !interval.any && interval.dense && interval.start.known &&
                  !interval.start.iteration && interval.start.terms.empty() &&
                  interval.start.constant + interval.low == 0 &&
                  interval.start.constant + interval.high == extent;
         });
}

/// Moves the region of `access` from the index space of `buffer` to that of the
/// root, view by view.
void AccessCollector::enterView(BufferAccess &access, Value buffer) {
  access.root = getRootBuffer(buffer);
  bool lost = false, slotLost = false;
  SlotOp element;
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    buffer = view.getViewSource();
    Operation *op = view.getOperation();
    if (auto slot = dyn_cast<SlotOp>(op)) {
      // The region stays one of the element; `versions` tells the slot.
      access.versions = matchRotation(slot.getIndex(), loop).value_or(0);
      slotLost |= element || buffer != access.root;
      element = slot;
      access.slot = slot.getIndex();
    } else if (auto subview = dyn_cast<memref::SubViewOp>(op);
               subview && !lost && !element) {
      enterSubview(access, subview);
    } else if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op) &&
               !lost && !element &&
               isWhole(access.region, op->getResult(0).getType())) {
      access.region = wholeRegion(buffer.getType());
    } else if (!isa<memref::CastOp>(op)) {
      lost = true;
    }
  }
  if (!lost && !slotLost)
    return;
  // A view of an element stays in the element, whatever its shape.
  bool staysInSlot = element && !slotLost;
  access.region = wholeRegion(staysInSlot ? element.getType()
                                          : Type(access.root.getType()));
  access.definite = access.definiteIfGuard = false;
  if (!staysInSlot && element) {
    access.versions = 0;
    access.slot = nullptr;
  }
}

BufferAccess AccessCollector::makeAccess(Operation *op,
                                         const RegionAccess &access) {
  BufferAccess result;
  result.op = op;
  result.kind = access.kind;
  result.guard = access.guard;
  result.definiteIfGuard = access.guard && access.writes() && access.definite;
  result.definite = !access.guard && access.writes() && access.definite;
  result.region = wholeRegion(access.buffer.getType());
  for (auto [interval, offset, size] :
       llvm::zip(result.region, access.offsets, access.sizes)) {
    interval.start = getLinearExpr(offset);
    std::optional<int64_t> length = getConstantIntValue(size);
    interval.any = !interval.start.known;
    interval.low = 0;
    interval.high = length.value_or(kInfinity);
    interval.dense = length.has_value();
  }
  enterView(result, access.buffer);
  return result;
}

//===----------------------------------------------------------------------===//
// Collection
//===----------------------------------------------------------------------===//

namespace {

/// The values an inner induction variable takes: `low + step * [0, trips)`.
struct InnerRange {
  Value iv;
  int64_t low = 0;
  int64_t step = 1;
  std::optional<int64_t> trips;
};

} // namespace

/// Replaces an inner induction variable by the range of its values.
static void widen(Interval &interval, const InnerRange &range) {
  auto *it = llvm::find_if(interval.start.terms,
                           [&](auto &term) { return term.first == range.iv; });
  if (it == interval.start.terms.end() || interval.any)
    return;
  int64_t factor = it->second;
  interval.start.terms.erase(it);
  if (!range.trips) {
    interval.any = true;
    return;
  }
  interval.start.constant += factor * range.low;
  int64_t stride = factor * range.step;
  // A stride longer than the interval leaves elements out.
  if (std::abs(stride) > interval.high - interval.low && *range.trips > 1)
    interval.dense = false;
  int64_t span = stride * std::max<int64_t>(*range.trips - 1, 0);
  interval.low += std::min<int64_t>(span, 0);
  interval.high += std::max<int64_t>(span, 0);
}

/// The ranges of the induction variables of an operation with one region, and
/// whether its body surely runs.
static SmallVector<InnerRange> getInnerRanges(Operation *op, bool &surelyRuns) {
  SmallVector<InnerRange> ranges;
  surelyRuns = false;
  auto addBox = [&](Block::BlockArgListType arguments,
                    ArrayRef<OpFoldResult> extents) {
    surelyRuns = true;
    for (auto [argument, extent] : llvm::zip_equal(arguments, extents)) {
      InnerRange range{argument, 0, 1, getConstantIntValue(extent)};
      surelyRuns &= range.trips && *range.trips > 0;
      ranges.push_back(range);
    }
  };
  auto addLoop = [&](Value iv, OpFoldResult lower, OpFoldResult upper,
                     OpFoldResult step) {
    InnerRange range{iv, 0, 1, std::nullopt};
    std::optional<int64_t> low = getConstantIntValue(lower);
    std::optional<int64_t> high = getConstantIntValue(upper);
    std::optional<int64_t> by = getConstantIntValue(step);
    if (low && high && by && *by) {
      range.low = *low;
      range.step = *by;
      range.trips = getTripCount(*low, *high, *by);
      surelyRuns = *range.trips > 0;
    }
    ranges.push_back(range);
  };
  if (auto map = dyn_cast<MapOp>(op))
    addBox(map.getBody().getArguments(), map.getMixedExtents());
  else if (auto launch = dyn_cast<LaunchOp>(op))
    addBox(launch.getBody().getArguments(), launch.getMixedExtents());
  else if (auto loop = dyn_cast<scf::ForOp>(op))
    addLoop(loop.getInductionVar(), getAsOpFoldResult(loop.getLowerBound()),
            getAsOpFoldResult(loop.getUpperBound()),
            getAsOpFoldResult(loop.getStep()));
  else if (auto inner = dyn_cast<PipelineOp>(op))
    addLoop(inner.getInductionVar(), getAsOpFoldResult(inner.getLower()),
            getAsOpFoldResult(inner.getUpper()),
            getAsOpFoldResult(inner.getStep()));
  return ranges;
}

/// Decides whether a read may see contents from before `earlier`, the accesses
/// of its statement that precede it.
static void resolveExposure(BufferAccess &access,
                            ArrayRef<BufferAccess> earlier) {
  if (!access.reads())
    return;
  SmallVector<const BufferAccess *> writes;
  for (const BufferAccess &write : earlier)
    if (write.definite && write.root == access.root)
      writes.push_back(&write);
  access.exposed = !isCovered(access, writes);
}

void AccessCollector::add(Accesses &accesses, Operation *op,
                          ArrayRef<RegionAccess> regions) {
  size_t begin = accesses.size();
  for (const RegionAccess &region : regions)
    accesses.push_back(makeAccess(op, region));
  // The reads of an operation come before its writes.
  for (BufferAccess &access : llvm::drop_begin(accesses, begin))
    resolveExposure(access, ArrayRef(accesses).take_front(begin));
}

void AccessCollector::collectOwn(AccessOpInterface op, Accesses &accesses) {
  SmallVector<RegionAccess> regions;
  op.getAccesses(regions);
  add(accesses, op, regions);
}

Operation *AccessCollector::collect(Operation *op, Accesses &accesses) {
  if (auto access = dyn_cast<AccessOpInterface>(op)) {
    // The queue of asynchronous copies is memory that no region names.
    if (isa<AsyncCopyOp>(op))
      return op;
    // A body of `linalg` computes on elements; other effects are not followed.
    for (Region &region : op->getRegions())
      for (Operation &nested : region.getOps())
        if (!isMemoryEffectFree(&nested))
          return &nested;
    collectOwn(access, accesses);
    return nullptr;
  }
  if (!op->getNumRegions() && isMemoryEffectFree(op))
    return nullptr;
  if (isa<scf::IfOp>(op))
    return collectIf(op, accesses);
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return collectRegions(op, accesses);
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface || op->getNumRegions())
    return op;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  SmallVector<RegionAccess> regions;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value value = effect.getValue();
    bool reads = isa<MemoryEffects::Read>(effect.getEffect());
    if (!value || !isa<MemRefType>(value.getType()) ||
        (!reads && !isa<MemoryEffects::Write>(effect.getEffect())))
      return op;
    regions.push_back(
        {value,
         reads ? RegionAccess::Kind::Read : RegionAccess::Kind::Write,
         {},
         {},
         /*definite=*/false});
  }
  add(accesses, op, regions);
  return nullptr;
}

Operation *AccessCollector::collectRegions(Operation *op, Accesses &accesses) {
  size_t begin = accesses.size();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &nested : block)
        if (Operation *unknown = collect(&nested, accesses))
          return unknown;
  bool surelyRuns;
  SmallVector<InnerRange> ranges = getInnerRanges(op, surelyRuns);
  for (BufferAccess &access : llvm::drop_begin(accesses, begin)) {
    access.definite &= surelyRuns;
    access.definiteIfGuard &= surelyRuns;
    // A condition that changes within the region says nothing about all of it.
    if (access.guard &&
        op->isAncestor(access.guard.getParentBlock()->getParentOp())) {
      access.guard = nullptr;
      access.definiteIfGuard = false;
    }
    for (const InnerRange &range : ranges) {
      // Two dimensions that move together do not cover a box.
      unsigned uses = llvm::count_if(access.region, [&](Interval &interval) {
        return llvm::any_of(interval.start.terms,
                            [&](auto &term) { return term.first == range.iv; });
      });
      access.definite &= uses <= 1;
      access.definiteIfGuard &= uses <= 1;
      for (Interval &interval : access.region)
        widen(interval, range);
    }
    // Other values of the region change in a way that is not followed.
    for (Interval &interval : access.region)
      for (auto [value, coefficient] : interval.start.terms)
        interval.any |= op->isAncestor(value.getParentBlock()->getParentOp());
  }
  return nullptr;
}

/// True if the definite write `other` touches all that `access` touches.
static bool writesSame(const BufferAccess &access, const BufferAccess &other) {
  const BufferAccess *writes[] = {&other};
  return other.definite && access.root == other.root &&
         isCovered(access, writes);
}

Operation *AccessCollector::collectIf(Operation *op, Accesses &accesses) {
  size_t begin = accesses.size();
  SmallVector<BufferAccess, 0> sides[2];
  for (auto [i, region] : llvm::enumerate(op->getRegions())) {
    for (Block &block : region)
      for (Operation &nested : block)
        if (Operation *unknown = collect(&nested, accesses))
          return unknown;
    sides[i].append(accesses.begin() + begin, accesses.end());
    accesses.truncate(begin);
  }
  // What is written on both sides is written whatever the condition is.
  SmallVector<bool> definite[2];
  for (unsigned i : {0u, 1u})
    for (BufferAccess &access : sides[i])
      definite[i].push_back(
          access.definite &&
          llvm::any_of(sides[1 - i], [&](const BufferAccess &other) {
            return writesSame(access, other);
          }));
  Value condition = cast<scf::IfOp>(op).getCondition();
  for (unsigned i : {0u, 1u}) {
    for (auto [access, keep] : llvm::zip_equal(sides[i], definite[i])) {
      // Of several conditions the outermost stands for an access: a write that
      // needs another one as well is not definite under it.
      access.definiteIfGuard = i == 0 && access.definite;
      access.guard = i == 0 ? condition : nullptr;
      access.definite = keep;
    }
    accesses.append(sides[i].begin(), sides[i].end());
  }
  // Values of the branches are not known outside of them.
  for (BufferAccess &access : llvm::drop_begin(accesses, begin))
    for (Interval &interval : access.region)
      for (auto [value, coefficient] : interval.start.terms)
        interval.any |= op->isAncestor(value.getParentBlock()->getParentOp());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

namespace {

/// Iteration distances, both ends included.
struct DistanceRange {
  int64_t low = -kInfinity;
  int64_t high = kInfinity;
};

constexpr DistanceRange kNever = {1, 0};

} // namespace

/// Whether `value` is the same in every iteration of the loop.
static bool isInvariant(Value value, PipelineOp loop) {
  return !loop->isAncestor(value.getParentBlock()->getParentOp());
}

/// `b - a` without the iteration part, if every other value cancels.
static std::optional<int64_t> subtract(const LinearExpr &a, const LinearExpr &b,
                                       PipelineOp loop, bool carried) {
  if (!a.known || !b.known || a.terms != b.terms)
    return std::nullopt;
  // From one iteration to another only invariant values cancel.
  if (carried)
    for (auto [value, coefficient] : a.terms)
      if (!isInvariant(value, loop))
        return std::nullopt;
  // Called for each pair of accesses: `checkedSub` would make two `APInt`s.
  int64_t difference;
  if (llvm::SubOverflow(b.constant, a.constant, difference))
    return std::nullopt;
  return difference;
}

/// A dimension that moves with an induction variable of unknown positive step:
/// equal starts that are at least an interval apart never meet again.
static bool movesApart(const Interval &a, const Interval &b, PipelineOp loop) {
  if (a.start.terms != b.start.terms || a.start.constant != b.start.constant ||
      a.start.iteration || b.start.iteration)
    return false;
  int64_t coefficient = 0;
  for (auto [value, factor] : a.start.terms) {
    if (value == loop.getInductionVar())
      coefficient = factor;
    else if (!isInvariant(value, loop))
      return false;
  }
  int64_t reach = std::max(a.high - b.low, b.high - a.low);
  return coefficient && std::abs(coefficient) >= reach;
}

bool tilepipe::mayOverlap(const BufferAccess &a, const BufferAccess &b,
                          PipelineOp loop) {
  if (a.root != b.root || a.region.size() != b.region.size())
    return true;
  for (auto [x, y] : llvm::zip_equal(a.region, b.region)) {
    if (x.any || y.any || x.start.iteration != y.start.iteration)
      continue;
    std::optional<int64_t> delta =
        subtract(x.start, y.start, loop, /*carried=*/false);
    if (delta && (*delta + y.low >= x.high || *delta + y.high <= x.low))
      return false;
  }
  return true;
}

/// The distances `d` at which dimension `x` meets `y` of `d` iterations later:
/// `x.low < delta + growth * d + y.high` and `delta + growth * d + y.low <
/// x.high`.
static DistanceRange getDistances(const Interval &x, const Interval &y,
                                  PipelineOp loop) {
  if (x.any || y.any)
    return {};
  if (movesApart(x, y, loop))
    return kNever;
  if (x.start.iteration != y.start.iteration)
    return {};
  std::optional<int64_t> delta =
      subtract(x.start, y.start, loop, /*carried=*/true);
  if (!delta)
    return {};
  int64_t growth = x.start.iteration;
  int64_t above = x.low - y.high - *delta;
  int64_t below = x.high - y.low - *delta;
  if (growth == 0)
    return above < 0 && 0 < below ? DistanceRange() : kNever;
  if (growth < 0) {
    std::swap(above, below);
    above = -above;
    below = -below;
    growth = -growth;
  }
  // above < growth * d < below
  return {llvm::divideFloorSigned(above, growth) + 1,
          llvm::divideCeilSigned(below, growth) - 1};
}

std::optional<int64_t> tilepipe::getCarriedDistance(const BufferAccess &a,
                                                    const BufferAccess &b,
                                                    PipelineOp loop) {
  DistanceRange range{1, kInfinity};
  if (a.root == b.root && a.region.size() == b.region.size())
    for (auto [x, y] : llvm::zip_equal(a.region, b.region)) {
      DistanceRange dim = getDistances(x, y, loop);
      range.low = std::max(range.low, dim.low);
      range.high = std::min(range.high, dim.high);
      if (range.low > range.high)
        return std::nullopt;
    }
  if (a.root == b.root && a.versions == b.versions && a.versions > 1)
    range.low = llvm::divideCeilSigned(range.low, a.versions) * a.versions;
  if (range.low > range.high)
    return std::nullopt;
  return range.low;
}

/// True if `outer` touches each element of `inner`; tells where `outer` lies in
/// the coordinates of `inner`, or 0 to 0 if the two are not comparable.
static bool contains(const Interval &outer, const Interval &inner, int64_t &low,
                     int64_t &high) {
  low = high = 0;
  if (outer.any || inner.any || !outer.dense ||
      outer.start.terms != inner.start.terms ||
      outer.start.iteration != inner.start.iteration)
    return false;
  int64_t delta = outer.start.constant - inner.start.constant;
  low = outer.low + delta;
  high = outer.high + delta;
  return low <= inner.low && inner.high <= high;
}

/// Whether writes that lie side by side along dimension `dim` and contain the
/// read in the others leave no gap.
static bool isCoveredAlong(size_t dim, const BufferAccess &read,
                           ArrayRef<const BufferAccess *> writes) {
  SmallVector<std::pair<int64_t, int64_t>> pieces;
  int64_t low, high;
  for (const BufferAccess *write : writes) {
    bool others = true;
    for (size_t k = 0; k < read.region.size(); ++k)
      others &=
          k == dim || contains(write->region[k], read.region[k], low, high);
    contains(write->region[dim], read.region[dim], low, high);
    if (others && low < high)
      pieces.push_back({low, high});
  }
  llvm::sort(pieces);
  const Interval &needed = read.region[dim];
  int64_t reached = needed.low;
  for (auto [start, end] : pieces)
    if (start <= reached)
      reached = std::max(reached, end);
  return !pieces.empty() && reached >= needed.high;
}

bool tilepipe::isCovered(const BufferAccess &read,
                         ArrayRef<const BufferAccess *> writes) {
  SmallVector<const BufferAccess *> usable;
  for (const BufferAccess *write : writes)
    if (write->region.size() == read.region.size() &&
        write->versions == read.versions)
      usable.push_back(write);
  if (usable.empty())
    return false;
  if (read.region.empty())
    return true;
  for (size_t dim = 0; dim < read.region.size(); ++dim)
    if (isCoveredAlong(dim, read, usable))
      return true;
  return false;
}
