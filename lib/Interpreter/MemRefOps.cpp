//===- MemRefOps.cpp - Buffers, loads, stores and views
//---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;
using namespace tilepipe::tile;

/// Multiplies extents; negative after an overflow or a negative extent.
static int64_t countElements(const Slot *sizes, unsigned rank) {
  int64_t count = 1;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (int64_t(sizes[dim]) < 0 ||
        __builtin_mul_overflow(count, int64_t(sizes[dim]), &count))
      return -1;
  return count;
}

/// A static or dynamic index: the slot that holds it, or the constant.
namespace {
struct Index {
  uint32_t slot = 0;
  int64_t constant = 0;
  bool isStatic = true;

  int64_t get(const Slot *s) const {
    return isStatic ? constant : int64_t(s[slot]);
  }
};
} // namespace

static SmallVector<Index> getIndices(Compiler &c,
                                     ArrayRef<OpFoldResult> values) {
  SmallVector<Index> indices;
  for (OpFoldResult value : values) {
    if (auto dynamic = dyn_cast<Value>(value))
      indices.push_back({c.slotOf(dynamic), 0, false});
    else
      indices.push_back({0, *getConstantIntValue(value), true});
  }
  return indices;
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

static bool runTileAlloc(Machine &m, const Instr &in, Slot *s) {
  View view = getView(s, in.result, in.count);
  if (Buffer *old = view.buffer()) {
    if (m.options.sanitize && !m.engine.idle())
      if (auto finding = m.engine.checkDeath(old->data, old->data + old->bytes))
        return m.fail(in, *finding);
    m.scramble(*old, in.to);
    return true;
  }
  auto type = cast<MemRefType>(in.op->getResult(0).getType());
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    view.slots[2 + dim] = extent;
  int64_t count = countElements(view.slots + 2, view.rank), bytes = -1;
  if (count < 0 || __builtin_mul_overflow(count, int64_t(in.to.bytes), &bytes))
    return m.fail(in, "is larger than memory");
  Buffer *buffer = m.allocate(in, bytes, in.to);
  if (!buffer)
    return false;
  view.slots[0] = reinterpret_cast<Slot>(buffer);
  view.slots[1] = 0;
  setDenseStrides(view.slots, view.rank, in.to.bytes);
  return true;
}

static void compileTileAlloc(Compiler &, Operation *op, Instr &in) {
  in.count = getRank(op->getResult(0));
  in.run = runTileAlloc;
}

static bool runAlloc(Machine &m, const Instr &in, Slot *s) {
  auto type = cast<MemRefType>(in.op->getResult(0).getType());
  View view = getView(s, in.result, type.getRank());
  unsigned next = 0;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    view.slots[2 + dim] =
        ShapedType::isDynamic(extent) ? s[in.operands[next++]] : extent;
    if (int64_t(view.slots[2 + dim]) < 0)
      return m.fail(in, "has the negative extent " +
                            Twine(int64_t(view.slots[2 + dim])) +
                            " in dimension " + Twine(dim));
  }
  int64_t count = countElements(view.slots + 2, view.rank), bytes = -1;
  if (count < 0 || __builtin_mul_overflow(count, int64_t(in.to.bytes), &bytes))
    return m.fail(in, "is larger than memory");
  Buffer *buffer = m.allocate(in, bytes, in.to);
  if (!buffer)
    return false;
  buffer->isHeap = isa<memref::AllocOp>(in.op);
  view.slots[0] = reinterpret_cast<Slot>(buffer);
  view.slots[1] = 0;
  setDenseStrides(view.slots, view.rank, in.to.bytes);
  return true;
}

static void compileAlloc(Compiler &, Operation *op, Instr &in) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  if (type.getLayout().isIdentity())
    in.run = runAlloc;
}

static bool runDealloc(Machine &m, const Instr &in, Slot *s) {
  Buffer *buffer = View{s + in.operands[0], 0}.buffer();
  if (buffer->death) {
    m.fail(in, "frees a buffer twice");
    m.error->notes.emplace_back(buffer->death, "first freed here");
    return false;
  }
  if (!buffer->isHeap)
    return m.fail(in, "frees a buffer that memref.alloc has not made");
  if (m.options.sanitize)
    if (auto finding =
            m.engine.checkDeath(buffer->data, buffer->data + buffer->bytes))
      return m.fail(in, *finding);
  buffer->death = in.op;
  return true;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <bool isGlobal>
static bool runLoad(Machine &m, const Instr &in, Slot *s) {
  View view = getView(s, in.operands[0], in.count);
  auto index = [&](unsigned dim) { return int64_t(s[in.operands[1 + dim]]); };
  if (isGlobal && !Machine::isInside(view, index)) {
    s[in.result] = 0;
    return true;
  }
  char *address = m.access(in, view, index, /*isWrite=*/false, in.from.bytes);
  if (!address)
    return false;
  s[in.result] = loadElement(in.from, address);
  return true;
}

static void compileLoad(Compiler &, Operation *op, Instr &in) {
  in.count = getRank(op->getOperand(0));
  in.run = isGlobal(op->getOperand(0)) ? runLoad<true> : runLoad<false>;
}

template <bool isGlobal>
static bool runStore(Machine &m, const Instr &in, Slot *s) {
  View view = getView(s, in.operands[1], in.count);
  auto index = [&](unsigned dim) { return int64_t(s[in.operands[2 + dim]]); };
  if (isGlobal && !Machine::isInside(view, index))
    return true;
  char *address = m.access(in, view, index, /*isWrite=*/true, in.from.bytes);
  if (!address)
    return false;
  storeElement(in.from, address, s[in.operands[0]]);
  return true;
}

static void compileStore(Compiler &, Operation *op, Instr &in) {
  in.count = getRank(op->getOperand(1));
  in.run = isGlobal(op->getOperand(1)) ? runStore<true> : runStore<false>;
}

static Slot combine(arith::AtomicRMWKind kind, const Element &e, Slot a,
                    Slot b) {
  auto pick = [&](bool first) { return first ? a : b; };
  auto floats = [&](auto f) {
    return e.kind == Kind::F64
               ? fromDouble(f(asDouble(a), asDouble(b)))
               : fromFloat(roundTo(e, f(asFloat(a), asFloat(b))));
  };
  double x = toDouble(e, a), y = toDouble(e, b);
  uint64_t ua = zeroExtend(a, e.width), ub = zeroExtend(b, e.width);
  switch (kind) {
  case arith::AtomicRMWKind::addf:
    return floats([](auto p, auto q) { return p + q; });
  case arith::AtomicRMWKind::mulf:
    return floats([](auto p, auto q) { return p * q; });
  case arith::AtomicRMWKind::addi:
    return signExtend(a + b, e.width);
  case arith::AtomicRMWKind::muli:
    return signExtend(a * b, e.width);
  case arith::AtomicRMWKind::andi:
    return a & b;
  case arith::AtomicRMWKind::ori:
    return a | b;
  case arith::AtomicRMWKind::xori:
    return a ^ b;
  case arith::AtomicRMWKind::maxs:
    return pick(int64_t(a) > int64_t(b));
  case arith::AtomicRMWKind::mins:
    return pick(int64_t(a) < int64_t(b));
  case arith::AtomicRMWKind::maxu:
    return pick(ua > ub);
  case arith::AtomicRMWKind::minu:
    return pick(ua < ub);
  case arith::AtomicRMWKind::maximumf:
    return pick(std::isnan(x) || x > y);
  case arith::AtomicRMWKind::minimumf:
    return pick(std::isnan(x) || x < y);
  case arith::AtomicRMWKind::maxnumf:
    return pick(std::isnan(y) || x > y);
  case arith::AtomicRMWKind::minnumf:
    return pick(std::isnan(y) || x < y);
  case arith::AtomicRMWKind::assign:
    return b;
  }
  return b;
}

static bool runAtomic(Machine &m, const Instr &in, Slot *s) {
  auto kind = arith::AtomicRMWKind(reinterpret_cast<intptr_t>(in.data));
  View view = getView(s, in.operands[1], in.count);
  auto index = [&](unsigned dim) { return int64_t(s[in.operands[2 + dim]]); };
  if (isGlobal(in.op->getOperand(1)) && !Machine::isInside(view, index)) {
    s[in.result] = 0;
    return true;
  }
  char *address = m.access(in, view, index, /*isWrite=*/false, in.to.bytes);
  if (!address || !m.access(in, view, index, /*isWrite=*/true, in.to.bytes))
    return false;
  Slot old = loadElement(in.to, address);
  storeElement(in.to, address, combine(kind, in.to, old, s[in.operands[0]]));
  s[in.result] = old;
  return true;
}

static void compileAtomic(Compiler &, Operation *op, Instr &in) {
  in.count = getRank(op->getOperand(1));
  in.data = reinterpret_cast<const void *>(
      intptr_t(cast<memref::AtomicRMWOp>(op).getKind()));
  in.run = runAtomic;
}

static bool runCopy(Machine &m, const Instr &in, Slot *s) {
  View source = getView(s, in.operands[0], in.count);
  View target = getView(s, in.operands[1], in.count);
  for (unsigned dim = 0; dim < in.count; ++dim)
    if (source.size(dim) != target.size(dim))
      return m.fail(in, "copies extent " + Twine(source.size(dim)) + " to " +
                            Twine(target.size(dim)) + " in dimension " +
                            Twine(dim));
  runtime::MemoryBox from;
  runtime::CopyRequest request;
  if (!m.accessView(in, source, in.from, /*isWrite=*/false, from) ||
      !m.accessView(in, target, in.from, /*isWrite=*/true, request.target))
    return false;
  request.source = reinterpret_cast<intptr_t>(from.base);
  request.sourceStrides = from.strides;
  request.validBegin.assign(in.count, 0);
  request.validEnd = from.sizes;
  performCopy(request);
  int64_t count = countElements(source.slots + 2, in.count);
  m.charge(count);
  return true;
}

static void compileCopy(Compiler &, Operation *op, Instr &in) {
  in.count = getRank(op->getOperand(0));
  in.run = runCopy;
}

static bool runDim(Machine &m, const Instr &in, Slot *s) {
  int64_t dim = s[in.operands[1]];
  if (dim < 0 || dim >= int64_t(in.count))
    return m.fail(in, "asks for dimension " + Twine(dim) + " of " +
                          Twine(in.count));
  s[in.result] = getView(s, in.operands[0], in.count).size(dim);
  return true;
}

static void compileDim(Compiler &, Operation *op, Instr &in) {
  if (!isa<MemRefType>(op->getOperand(0).getType()))
    return;
  in.count = getRank(op->getOperand(0));
  in.run = runDim;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static bool runCast(Machine &m, const Instr &in, Slot *s) {
  auto type = cast<MemRefType>(in.op->getResult(0).getType());
  View view = getView(s, in.operands[0], type.getRank());
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(extent) && view.size(dim) != extent)
      return m.fail(in, "casts extent " + Twine(view.size(dim)) + " to " +
                            Twine(extent) + " in dimension " + Twine(dim));
  std::memcpy(s + in.result, view.slots, in.count * sizeof(Slot));
  return true;
}

static void compileCast(Compiler &, Operation *op, Instr &in) {
  if (!isa<MemRefType>(op->getOperand(0).getType()))
    return;
  in.count = Compiler::numSlots(op->getResult(0).getType());
  in.run = runCast;
}

namespace {
struct SubViewData {
  SmallVector<Index> offsets, sizes, strides;
  llvm::SmallBitVector dropped;
};
} // namespace

static bool runSubView(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<SubViewData>();
  View source = getView(s, in.operands[0], data.offsets.size());
  View result = getView(s, in.result, in.count);
  SmallVector<Slot, 12> slots(getViewSlots(in.count));
  int64_t offset = source.offset();
  unsigned kept = 0;
  for (unsigned dim = 0; dim < source.rank; ++dim) {
    int64_t first = data.offsets[dim].get(s), size = data.sizes[dim].get(s);
    int64_t stride = data.strides[dim].get(s), extent = source.size(dim);
    __int128 last =
        __int128(first) + __int128(std::max<int64_t>(size, 1) - 1) * stride;
    if (size < 0)
      return m.fail(in, "has the negative size " + Twine(size) +
                            " in dimension " + Twine(dim));
    if (size > 0 &&
        (first < 0 || first >= extent || last < 0 || last >= extent))
      return m.fail(in, "takes " + Twine(size) + " elements from " +
                            Twine(first) + " with stride " + Twine(stride) +
                            " in dimension " + Twine(dim) + " of extent " +
                            Twine(extent));
    offset += size > 0 ? first * source.stride(dim) : 0;
    if (data.dropped.test(dim))
      continue;
    slots[2 + kept] = size;
    slots[2 + in.count + kept] =
        uint64_t(stride) * uint64_t(source.stride(dim));
    ++kept;
  }
  slots[0] = source.slots[0];
  slots[1] = offset;
  std::memcpy(result.slots, slots.data(), slots.size() * sizeof(Slot));
  return true;
}

static void compileSubView(Compiler &c, Operation *op, Instr &in) {
  auto view = cast<memref::SubViewOp>(op);
  auto *data = c.make<SubViewData>();
  data->offsets = getIndices(c, view.getMixedOffsets());
  data->sizes = getIndices(c, view.getMixedSizes());
  data->strides = getIndices(c, view.getMixedStrides());
  data->dropped = view.getDroppedDims();
  in.count = view.getType().getRank();
  in.data = data;
  // A wrong count of dropped dimensions would not fill the view.
  if (data->dropped.size() == data->offsets.size() &&
      data->dropped.size() - data->dropped.count() == in.count)
    in.run = runSubView;
}

static bool runSlot(Machine &m, const Instr &in, Slot *s) {
  View source = getView(s, in.operands[0], in.count + 1);
  int64_t index = s[in.operands[1]];
  if (index < 0 || index >= source.size(0))
    return m.fail(in, "slot " + Twine(index) + " is out of bounds, there are " +
                          Twine(source.size(0)));
  View result = getView(s, in.result, in.count);
  result.slots[0] = source.slots[0];
  result.slots[1] = source.offset() + index * source.stride(0);
  for (unsigned dim = 0; dim < in.count; ++dim) {
    result.slots[2 + dim] = source.size(dim + 1);
    result.slots[2 + in.count + dim] = source.stride(dim + 1);
  }
  return true;
}

static void compileSlot(Compiler &, Operation *op, Instr &in) {
  in.count = getRank(op->getResult(0));
  in.run = runSlot;
}

/// memref.view: bytes of a one-dimensional buffer under another type.
static bool runView(Machine &m, const Instr &in, Slot *s) {
  auto type = cast<MemRefType>(in.op->getResult(0).getType());
  View source = getView(s, in.operands[0], 1);
  View view = getView(s, in.result, type.getRank());
  int64_t shift = s[in.operands[1]];
  unsigned next = 2;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    view.slots[2 + dim] =
        ShapedType::isDynamic(extent) ? s[in.operands[next++]] : extent;
  int64_t count = countElements(view.slots + 2, view.rank), bytes = -1;
  if (count < 0 ||
      __builtin_mul_overflow(count, int64_t(in.to.bytes), &bytes) ||
      shift < 0 || shift > source.size(0) || bytes > source.size(0) - shift)
    return m.fail(in, "takes " + Twine(bytes) + " bytes from " + Twine(shift) +
                          " of " + Twine(source.size(0)));
  view.slots[0] = source.slots[0];
  view.slots[1] = source.offset() + shift;
  setDenseStrides(view.slots, view.rank, in.to.bytes);
  return true;
}

static void compileView(Compiler &, Operation *, Instr &in) {
  in.run = runView;
}

namespace {
struct ReinterpretData {
  SmallVector<Index> offsets, sizes, strides;
  /// What the offset counts from: the version that the view is of, if any.
  Index base{0, 0, true};
};
} // namespace

static bool runReinterpret(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<ReinterpretData>();
  View view = getView(s, in.result, in.count);
  SmallVector<Slot, 12> slots(getViewSlots(in.count));
  slots[0] = s[in.operands[0]];
  // The offset counts from the start of the buffer, not of the view.
  slots[1] = uint64_t(data.base.get(s)) +
             uint64_t(data.offsets.front().get(s)) * in.to.bytes;
  for (unsigned dim = 0; dim < in.count; ++dim) {
    int64_t size = data.sizes[dim].get(s);
    if (size < 0)
      return m.fail(in, "has the negative size " + Twine(size) +
                            " in dimension " + Twine(dim));
    slots[2 + dim] = size;
    slots[2 + in.count + dim] =
        uint64_t(data.strides[dim].get(s)) * in.to.bytes;
  }
  std::memcpy(view.slots, slots.data(), slots.size() * sizeof(Slot));
  return true;
}

static void compileReinterpret(Compiler &c, Operation *op, Instr &in) {
  auto cast = llvm::cast<memref::ReinterpretCastOp>(op);
  if (!isa<MemRefType>(op->getOperand(0).getType()))
    return;
  auto *data = c.make<ReinterpretData>();
  data->offsets = getIndices(c, cast.getMixedOffsets());
  data->sizes = getIndices(c, cast.getMixedSizes());
  data->strides = getIndices(c, cast.getMixedStrides());
  // A version is a buffer of its own, see `tile.slot`.
  Value source = op->getOperand(0);
  while (auto view = source.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<SlotOp>(view)) {
      data->base = {c.slotOf(source) + 1, 0, false};
      break;
    }
    source = view.getViewSource();
  }
  in.count = cast.getType().getRank();
  in.data = data;
  if (data->offsets.size() == 1 && data->sizes.size() == in.count &&
      data->strides.size() == in.count)
    in.run = runReinterpret;
}

namespace {
struct ReshapeData {
  SmallVector<SmallVector<int64_t, 2>> groups;
  SmallVector<Index> shape;
};
} // namespace

static bool runExpand(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<ReshapeData>();
  View source = getView(s, in.operands[0], data.groups.size());
  View result = getView(s, in.result, in.count);
  result.slots[0] = source.slots[0];
  result.slots[1] = source.slots[1];
  for (auto [dim, group] : llvm::enumerate(data.groups)) {
    uint64_t stride = source.stride(dim);
    int64_t product = 1;
    for (int64_t part : llvm::reverse(group)) {
      int64_t size = data.shape[part].get(s);
      result.slots[2 + part] = size;
      result.slots[2 + in.count + part] = stride;
      stride *= uint64_t(size);
      if (size < 0 || __builtin_mul_overflow(product, size, &product))
        product = -1;
    }
    if (product != source.size(dim))
      return m.fail(in, "expands extent " + Twine(source.size(dim)) +
                            " of dimension " + Twine(dim) + " to " +
                            Twine(product));
  }
  return true;
}

static void compileExpand(Compiler &c, Operation *op, Instr &in) {
  auto expand = cast<memref::ExpandShapeOp>(op);
  auto *data = c.make<ReshapeData>();
  for (auto &group : expand.getReassociationIndices())
    data->groups.emplace_back(group.begin(), group.end());
  data->shape =
      getIndices(c, getMixedValues(expand.getStaticOutputShape(),
                                   expand.getOutputShape(), op->getContext()));
  in.count = getRank(op->getResult(0));
  in.data = data;
  if (data->groups.size() == getRank(op->getOperand(0)))
    in.run = runExpand;
}

static bool runCollapse(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<ReshapeData>();
  auto type = cast<MemRefType>(in.op->getOperand(0).getType());
  View source = getView(s, in.operands[0], type.getRank());
  View result = getView(s, in.result, in.count);
  result.slots[0] = source.slots[0];
  result.slots[1] = source.slots[1];
  for (auto [dim, group] : llvm::enumerate(data.groups)) {
    uint64_t size = 1, stride = 0;
    bool first = true;
    for (int64_t part : llvm::reverse(group)) {
      if (source.size(part) == 1)
        continue;
      if (first)
        stride = source.stride(part);
      else if (uint64_t(source.stride(part)) != stride * size)
        return m.fail(in, "collapses dimensions that are not contiguous into "
                          "dimension " +
                              Twine(dim));
      first = false;
      size *= uint64_t(source.size(part));
    }
    if (first && !group.empty())
      stride = source.stride(group.back());
    result.slots[2 + dim] = size;
    result.slots[2 + in.count + dim] = stride;
  }
  return true;
}

static void compileCollapse(Compiler &c, Operation *op, Instr &in) {
  auto collapse = cast<memref::CollapseShapeOp>(op);
  auto *data = c.make<ReshapeData>();
  for (auto &group : collapse.getReassociationIndices())
    data->groups.emplace_back(group.begin(), group.end());
  in.count = getRank(op->getResult(0));
  in.data = data;
  // A memref with only unit extents collapses to rank 0 without groups.
  if (data->groups.size() == in.count)
    in.run = runCollapse;
}

static bool runSpaceCast(Machine &, const Instr &in, Slot *s) {
  std::memcpy(s + in.result, s + in.operands[0], in.count * sizeof(Slot));
  return true;
}

template <bool (*run)(Machine &, const Instr &, Slot *)>
static void compileTo(Compiler &, Operation *op, Instr &in) {
  in.run = run;
  if (op->getNumResults())
    in.count = Compiler::numSlots(op->getResult(0).getType());
}

void interp::addMemRefHandlers(HandlerMap &map) {
  map[TypeID::get<AllocOp>()] = compileTileAlloc;
  map[TypeID::get<SlotOp>()] = compileSlot;
  map[TypeID::get<memref::AllocOp>()] = compileAlloc;
  map[TypeID::get<memref::AllocaOp>()] = compileAlloc;
  map[TypeID::get<memref::DeallocOp>()] = compileTo<runDealloc>;
  map[TypeID::get<memref::LoadOp>()] = compileLoad;
  map[TypeID::get<memref::StoreOp>()] = compileStore;
  map[TypeID::get<memref::AtomicRMWOp>()] = compileAtomic;
  map[TypeID::get<memref::CopyOp>()] = compileCopy;
  map[TypeID::get<memref::DimOp>()] = compileDim;
  map[TypeID::get<memref::CastOp>()] = compileCast;
  map[TypeID::get<memref::MemorySpaceCastOp>()] = compileTo<runSpaceCast>;
  map[TypeID::get<memref::SubViewOp>()] = compileSubView;
  map[TypeID::get<memref::ViewOp>()] = compileView;
  map[TypeID::get<memref::ReinterpretCastOp>()] = compileReinterpret;
  map[TypeID::get<memref::ExpandShapeOp>()] = compileExpand;
  map[TypeID::get<memref::CollapseShapeOp>()] = compileCollapse;
  map[TypeID::get<memref::AssumeAlignmentOp>()] = compileTo<runSpaceCast>;
}
