//===- LowerCopies.cpp - Copies, dealt out to the threads -----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Between memories, a region is dealt out in chunks of up to 16 bytes; what is
// known to be inside is not checked. A copy from or to a fragment visits the
// elements that the thread holds.
//
//===----------------------------------------------------------------------===//

#include "IndexFacts.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// Bytes of the largest access of a thread.
static constexpr int64_t kMaxBytes = 16;
/// Chunks that are written out in code that is there for odd strides only.
static constexpr int64_t kMaxRare = 1;

namespace {

/// One side of a copy. `offsets` has an entry for each dimension of the memref,
/// `dims` one for each dimension of the region.
struct Side {
  Buffer buffer;
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> dims;

  int64_t rank() const { return buffer.type.getRank(); }
  bool endsWithRegion() const {
    return !dims.empty() && dims.back() == rank() - 1;
  }
};

class CopyLowering {
public:
  CopyLowering(Lowering &l, Emitter &e, Operation *op, Side source, Side target,
               ArrayRef<OpFoldResult> sizes, Value fill, bool isAsync)
      : l(l), e(e), op(op), source(std::move(source)),
        target(std::move(target)), sizes(sizes), fill(fill), isAsync(isAsync) {}
  void emit();
  /// Which threads touch which element of a shared side; see `getThreadMap`.
  std::optional<ElementThreads> getThreads(bool isSource);
  bool completesAtOnce();

private:
  int64_t chooseWidth(Value &fits);
  bool isWhole(const Side &side);
  Type element() const { return target.buffer.element(); }
  SmallVector<Value> getIndices(const Side &side, ArrayRef<Value> point);
  SmallVector<Value> getPoint(const Side &fragment, ArrayRef<Value> at,
                              Value &inRegion);
  Value isInside(const Side &side, ArrayRef<Value> indices);
  Value getFill(int64_t width);
  Value convert(Value value, int64_t width);
  Value read(ArrayRef<Value> point, int64_t width);
  void copyChunk(ArrayRef<Value> point, int64_t width, bool asAsync);
  void startCopy(ArrayRef<Value> point, int64_t width);
  void fromFragment();
  void toFragment();
  void betweenMemories();
  void betweenMemories(int64_t width, bool asAsync, int64_t maxUnrolled);
  int64_t limitWidth(int64_t limit);
  std::string whyNotAsync(int64_t width);

  Lowering &l;
  Emitter &e;
  Operation *op;
  Side source, target;
  SmallVector<OpFoldResult> sizes;
  Value fill; ///< may be null: zero
  bool isAsync;
};

} // namespace

/// The coordinates of a point of the region in one side.
SmallVector<Value> CopyLowering::getIndices(const Side &side,
                                            ArrayRef<Value> point) {
  SmallVector<Value> indices;
  for (OpFoldResult start : side.offsets)
    indices.push_back(e.index(start));
  // A start that may be anything wraps around: what comes out is outside as
  // well.
  for (auto [dim, i] : llvm::zip_equal(side.dims, point)) {
    IndexRange start = getRange(indices[dim], e.getBlock());
    bool isBounded =
        start.min > -IndexRange::kInfinity && start.max < IndexRange::kInfinity;
    indices[dim] = isBounded ? e.add(indices[dim], i)
                             : e.createOrFold<arith::AddIOp>(indices[dim], i);
  }
  return indices;
}

/// The point of the region that an element of a fragment is, and whether it is
/// one.
SmallVector<Value> CopyLowering::getPoint(const Side &fragment,
                                          ArrayRef<Value> at, Value &inRegion) {
  SmallVector<Value> point;
  inRegion = e.boolean(true);
  SmallVector<bool> used(fragment.rank(), false);
  for (auto [dim, size] : llvm::zip_equal(fragment.dims, sizes)) {
    used[dim] = true;
    point.push_back(e.sub(at[dim], e.index(fragment.offsets[dim])));
    inRegion = e.both(inRegion, e.isInside(point.back(), e.index(size)));
  }
  for (auto [dim, start] : llvm::enumerate(fragment.offsets))
    if (!used[dim])
      inRegion = e.both(inRegion, e.isEqual(at[dim], e.index(start)));
  return point;
}

Value CopyLowering::isInside(const Side &side, ArrayRef<Value> indices) {
  Value inside = e.boolean(true);
  for (auto [dim, at] : llvm::enumerate(indices)) {
    Value extent = side.buffer.isShared() || side.buffer.isFragment()
                       ? e.index(side.buffer.type.getDimSize(dim))
                       : e.dim(side.buffer.memref, dim);
    inside = e.both(inside, e.isInside(at, extent));
  }
  return inside;
}

Value CopyLowering::getFill(int64_t width) {
  Value value = fill ? fill : e.constant(element());
  if (width == 1)
    return value;
  return vector::BroadcastOp::create(
      e, VectorType::get({width}, value.getType()), value);
}

static Value extract(Emitter &e, Value value, int64_t i) {
  return isa<VectorType>(value.getType())
             ? vector::ExtractOp::create(e, value, i).getResult()
             : value;
}

/// Makes one vector of `values`, or gives the only one.
static Value combine(Emitter &e, ArrayRef<Value> values) {
  if (values.size() == 1)
    return values.front();
  auto type = VectorType::get({static_cast<int64_t>(values.size())},
                              values.front().getType());
  return vector::FromElementsOp::create(e, type, values);
}

static SmallVector<int64_t> getNumbers(int64_t first, int64_t count) {
  return llvm::to_vector(llvm::seq(first, first + count));
}

Value CopyLowering::convert(Value value, int64_t width) {
  Type from = getElementTypeOrSelf(value);
  if (width == 1 || from == element() ||
      (isVectorElement(from) && isVectorElement(element())))
    return e.convert(value, element());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i)
    elements.push_back(e.convert(extract(e, value, i), element()));
  return combine(e, elements);
}

/// `width` elements of the source, as elements of the target.
Value CopyLowering::read(ArrayRef<Value> point, int64_t width) {
  SmallVector<Value> indices = getIndices(source, point);
  return e.pick(
      isInside(source, indices),
      [&] { return convert(l.load(e, source.buffer, indices, width), width); },
      [&] { return getFill(width); });
}

//===----------------------------------------------------------------------===//
// Between memories
//===----------------------------------------------------------------------===//

/// Starts the copy of one chunk. What is outside of the source is zero: the
/// hardware fills up what it does not read, and the address stays inside.
void CopyLowering::startCopy(ArrayRef<Value> point, int64_t width) {
  SmallVector<Value> from = getIndices(source, point);
  SmallVector<Value> to = getIndices(target, point);
  Value inside = e.boolean(true), count = e.index(width);
  for (auto [dim, at] : llvm::enumerate(from)) {
    Value extent = e.dim(source.buffer.memref, dim);
    Value valid = e.isInside(at, extent);
    bool isLast = static_cast<int64_t>(dim) == source.rank() - 1;
    if (isLast &&
        getRange(at, e.getBlock()).max + width >
            getRange(extent, e.getBlock()).min &&
        getDivisor(extent) < width)
      count = e.min(count, e.sub(extent, at));
    if (e.isTrue(valid))
      continue;
    from[dim] = e.select(valid, at, e.index(int64_t(0)));
    inside = e.both(inside, valid);
  }
  Value elements;
  if (!e.isTrue(inside) || getConstantIntValue(count) != width)
    elements = e.select(inside, count, e.index(int64_t(0)));
  bool bypass = width * Emitter::getElementBytes(element()) == kMaxBytes;
  nvgpu::DeviceAsyncCopyOp::create(
      e, nvgpu::DeviceAsyncTokenType::get(e.getContext()), target.buffer.memref,
      ValueRange{l.linearize(e, target.buffer, to)}, source.buffer.memref, from,
      e.getIndexAttr(width), elements, bypass ? e.getUnitAttr() : UnitAttr());
  ++l.numAsync;
}

void CopyLowering::copyChunk(ArrayRef<Value> point, int64_t width,
                             bool asAsync) {
  SmallVector<Value> to = getIndices(target, point);
  e.when(isInside(target, to), [&] {
    if (asAsync)
      return startCopy(point, width);
    l.store(e, read(point, width), target.buffer, to, width);
  });
}

void CopyLowering::betweenMemories(int64_t width, bool asAsync,
                                   int64_t maxUnrolled) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  if (ShapedType::isDynamicShape(shape))
    return l.distributeDynamic(
        e, sizes, [&](ArrayRef<Value> point) { copyChunk(point, 1, asAsync); });
  if (!shape.empty())
    shape.back() /= width;
  ThreadLayout layout = ThreadLayout::getBlocked(shape, l.numThreads, 1);
  Value owner = l.getOwner(layout);
  e.when(owner ? owner : e.boolean(true), [&] {
    l.distribute(e, layout, 1, maxUnrolled, [&](int64_t, ArrayRef<Value> at) {
      Value inRegion = e.boolean(true);
      for (auto [i, extent] : llvm::zip_equal(at, shape))
        inRegion = e.both(inRegion, e.isInside(i, e.index(extent)));
      SmallVector<Value> point(at);
      if (!point.empty())
        point.back() = e.mul(point.back(), e.index(width));
      e.when(inRegion, [&] { copyChunk(point, width, asAsync); });
    });
  });
}

/// The widest chunks that the shape of the region allows.
int64_t CopyLowering::limitWidth(int64_t limit) {
  if (!source.endsWithRegion() || !target.endsWithRegion())
    return 1;
  std::optional<int64_t> size = getConstantIntValue(sizes.back());
  return size ? std::min(limit, getDivisor(*size)) : 1;
}

/// Why a chunk of `width` elements is not copied asynchronously.
std::string CopyLowering::whyNotAsync(int64_t width) {
  if (source.buffer.kind != Buffer::Kind::Global || !target.buffer.isShared())
    return "it is not from global to shared memory";
  if (source.buffer.element() != element())
    return "it converts elements";
  if (fill && !matchPattern(fill, m_Zero()) &&
      !matchPattern(fill, m_PosZeroFloat()))
    return "what is outside of the source is not zero";
  // The instruction is of one row; a point has none.
  SmallVector<int64_t> strides =
      source.buffer.type.getStridesAndOffset().first;
  if (!strides.empty() && strides.back() != 1)
    return "elements of a row of the source are not neighbours";
  int64_t bytes = width * Emitter::getElementBytes(element());
  // What `nvgpu.device_async_copy` counts are bits of the type.
  if (!element().isIntOrFloat() ||
      element().getIntOrFloatBitWidth() !=
          8 * Emitter::getElementBytes(element()))
    return "its elements do not fill their bytes";
  if (bytes < 4)
    return "no more than " + std::to_string(bytes) +
           " bytes at once are known to be aligned";
  return "";
}

/// The elements of a chunk, where `fits` is true.
int64_t CopyLowering::chooseWidth(Value &fits) {
  int64_t bytes = std::max(Emitter::getElementBytes(source.buffer.element()),
                           Emitter::getElementBytes(element()));
  bool zeroFills = isAsync && whyNotAsync(kMaxBytes).empty();
  int64_t limit = limitWidth(std::max<int64_t>(1, kMaxBytes / bytes));
  Value sourceFits, targetFits;
  int64_t width = l.getWidth(e, target.buffer, target.offsets, limit,
                             /*wholeGroups=*/true, targetFits);
  width = l.getWidth(e, source.buffer, source.offsets, width,
                     /*wholeGroups=*/!zeroFills, sourceFits);
  fits = e.boolean(true);
  for (Value cond : {sourceFits, targetFits})
    if (cond)
      fits = e.both(fits, cond);
  return width;
}

/// True if the region is the tile of `side`, dimension by dimension.
bool CopyLowering::isWhole(const Side &side) {
  if (static_cast<int64_t>(side.dims.size()) != side.rank())
    return false;
  for (auto [offset, size, extent] :
       llvm::zip_equal(side.offsets, sizes, side.buffer.type.getShape()))
    if (!isZeroInteger(offset) || getConstantIntValue(size) != extent)
      return false;
  return true;
}

std::optional<ElementThreads> CopyLowering::getThreads(bool isSource) {
  const Side &side = isSource ? source : target;
  const Side &other = isSource ? target : source;
  if (!side.buffer.isShared() || !isWhole(side))
    return std::nullopt;
  if (other.buffer.isFragment()) {
    if (!isWhole(other))
      return std::nullopt;
    // Each thread reads what it holds, but one writes it.
    return ElementThreads{*other.buffer.layout, /*all=*/isSource};
  }
  Value fits;
  int64_t width = chooseWidth(fits);
  SmallVector<int64_t> shape(side.buffer.type.getShape());
  if (!e.isTrue(fits) || shape.empty())
    return std::nullopt;
  int64_t &decided = l.copyWidths.try_emplace(op, width).first->second;
  shape.back() /= decided;
  return ElementThreads{
      ThreadLayout::getBlocked(shape, l.numThreads, 1).widen(decided)};
}

bool CopyLowering::completesAtOnce() {
  if (!isAsync)
    return true;
  Value fits;
  int64_t width = chooseWidth(fits);
  return !whyNotAsync(width).empty() &&
         (e.isTrue(fits) || !whyNotAsync(1).empty());
}

void CopyLowering::betweenMemories() {
  Value fits;
  int64_t width = chooseWidth(fits);
  // Barriers were left out because of this.
  if (auto it = l.copyWidths.find(op); it != l.copyWidths.end()) {
    assert(width >= it->second && e.isTrue(fits) && "was decided before");
    width = it->second;
  }
  std::string why = isAsync ? whyNotAsync(width) : "";
  bool asAsync = isAsync && why.empty();
  if (!why.empty())
    l.remark(op, "copy is not asynchronous: " + why);
  e.when(
      fits, [&] { betweenMemories(width, asAsync, kMaxUnrolled); },
      [&] { betweenMemories(1, isAsync && whyNotAsync(1).empty(), kMaxRare); });
}

//===----------------------------------------------------------------------===//
// From and to registers
//===----------------------------------------------------------------------===//

void CopyLowering::fromFragment() {
  const ThreadLayout &layout = *source.buffer.layout;
  int64_t limit = limitWidth(std::min(
      layout.getContiguity(),
      std::max<int64_t>(1, kMaxBytes / Emitter::getElementBytes(element()))));
  if (!source.offsets.empty())
    limit = std::min(
        limit,
        getDivisor(getConstantIntValue(source.offsets.back()).value_or(1)));
  Value fits;
  int64_t width =
      target.buffer.isFragment()
          ? 1
          : l.getWidth(e, target.buffer, target.offsets, limit, true, fits);
  Value owner = target.buffer.isFragment() ? nullptr : l.getOwner(layout);
  auto emit = [&](int64_t width) {
    l.distribute(e, layout, width, /*maxUnrolled=*/0,
                 [&](int64_t number, ArrayRef<Value> at) {
                   Value inRegion;
                   SmallVector<Value> point = getPoint(source, at, inRegion);
                   SmallVector<Value> to = getIndices(target, point);
                   e.when(e.both(inRegion, isInside(target, to)), [&] {
                     Value value =
                         convert(l.loadRegisters(e, source.buffer,
                                                 getNumbers(number, width)),
                                 width);
                     if (target.buffer.isFragment())
                       return l.storeRegister(e, value, target.buffer, number);
                     l.store(e, value, target.buffer, to, width);
                   });
                 });
  };
  e.when(owner ? owner : e.boolean(true), [&] {
    e.when(
        fits ? fits : e.boolean(true), [&] { emit(width); }, [&] { emit(1); });
  });
}

void CopyLowering::toFragment() {
  const ThreadLayout &layout = *target.buffer.layout;
  int64_t bytes = std::max(Emitter::getElementBytes(source.buffer.element()),
                           Emitter::getElementBytes(element()));
  int64_t limit = limitWidth(std::min(layout.getContiguity(),
                                      std::max<int64_t>(1, kMaxBytes / bytes)));
  if (!target.offsets.empty())
    limit = std::min(
        limit,
        getDivisor(getConstantIntValue(target.offsets.back()).value_or(1)));
  Value fits;
  int64_t width =
      l.getWidth(e, source.buffer, source.offsets, limit, true, fits);
  auto emit = [&](int64_t width) {
    l.distribute(e, layout, width, /*maxUnrolled=*/0,
                 [&](int64_t number, ArrayRef<Value> at) {
                   Value inRegion;
                   SmallVector<Value> point = getPoint(target, at, inRegion);
                   e.when(inRegion, [&] {
                     l.storeRegisters(e, read(point, width), target.buffer,
                                      getNumbers(number, width));
                   });
                 });
  };
  e.when(fits ? fits : e.boolean(true), [&] { emit(width); }, [&] { emit(1); });
}

void CopyLowering::emit() {
  if (source.buffer.isFragment())
    return fromFragment();
  if (target.buffer.isFragment())
    return toFragment();
  betweenMemories();
}

template <typename CopyT>
static CopyLowering makeLowering(Lowering &l, Emitter &e, CopyT op) {
  Side source{l.resolve(e, op.getSource()), op.getMixedSourceOffsets(),
              op.getSourceDims()};
  Side target{l.resolve(e, op.getTarget()), op.getMixedTargetOffsets(),
              op.getTargetDims()};
  return CopyLowering(l, e, op, source, target, op.getMixedSizes(),
                      op.getFill(), std::is_same_v<CopyT, tile::AsyncCopyOp>);
}

std::optional<ElementThreads> nvidia::getThreadMap(Lowering &l, tile::CopyOp op,
                                                   bool isSource) {
  Emitter e = l.at(op);
  return makeLowering(l, e, op).getThreads(isSource);
}

std::optional<ElementThreads>
nvidia::getThreadMap(Lowering &l, tile::AsyncCopyOp op, bool isSource) {
  Emitter e = l.at(op);
  return makeLowering(l, e, op).getThreads(isSource);
}

bool nvidia::completesAtOnce(Lowering &l, tile::AsyncCopyOp op) {
  Emitter e = l.at(op);
  return makeLowering(l, e, op).completesAtOnce();
}

template <typename CopyT>
static LogicalResult lowerCopy(Lowering &l, CopyT op, bool isAsync) {
  Emitter e = l.at(op);
  CopyLowering copy = makeLowering(l, e, op);
  e.when(op.getGuard() ? op.getGuard() : e.boolean(true), [&] { copy.emit(); });
  if (isAsync)
    op->getResult(0).replaceAllUsesWith(e.boolean(true));
  op.erase();
  return success();
}

LogicalResult nvidia::lower(Lowering &l, tile::CopyOp op) {
  return lowerCopy(l, op, false);
}

LogicalResult nvidia::lower(Lowering &l, tile::AsyncCopyOp op) {
  return lowerCopy(l, op, true);
}
