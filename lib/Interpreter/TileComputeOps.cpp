//===- TileComputeOps.cpp - Fill, gemm, reduce and atomic
//-------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;
using namespace tilepipe::tile;

// Products are rounded before they are added.
#pragma STDC FP_CONTRACT OFF

//===----------------------------------------------------------------------===//
// Fill
//===----------------------------------------------------------------------===//

static bool runFill(Machine &m, const Instr &in, Slot *s) {
  auto op = cast<FillOp>(in.op);
  View target = getView(s, in.operands[0], in.count);
  runtime::CopyRequest request;
  request.target = getBox(target, in.from);
  unsigned nextOffset = 2, nextSize = 2 + op.getOffsets().size();
  int64_t elements = 1;
  for (unsigned dim = 0; dim < in.count; ++dim) {
    int64_t offset = op.getStaticOffsets()[dim],
            size = op.getStaticSizes()[dim];
    if (ShapedType::isDynamic(offset))
      offset = s[in.operands[nextOffset++]];
    if (ShapedType::isDynamic(size))
      size = s[in.operands[nextSize++]];
    // What lies outside is not written. A region that wraps around has no end.
    int64_t extent = target.size(dim), end;
    if (size < 0 || __builtin_add_overflow(offset, size, &end))
      size = end = 0;
    end = std::min(end, extent);
    offset = std::max<int64_t>(offset, 0);
    size = std::max<int64_t>(end - offset, 0);
    request.target.base += size > 0 ? offset * target.stride(dim) : 0;
    request.target.sizes[dim] = size;
    elements *= size;
  }
  if (!m.accessBox(in, target.buffer(), request.target, /*isWrite=*/true))
    return false;
  m.charge(elements);
  storeElement(in.from, request.fill, s[in.operands[1]]);
  // An empty valid box: every element is the fill.
  request.validBegin.assign(in.count, 0);
  request.validEnd.assign(in.count, 0);
  request.sourceStrides.assign(in.count, 0);
  if (in.count == 0)
    storeElement(in.from, request.target.base, s[in.operands[1]]);
  else
    performCopy(request);
  return true;
}

static void compileFill(Compiler &, Operation *op, Instr &in) {
  in.count = getRank(op->getOperand(0));
  in.run = runFill;
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

namespace {
struct GemmData {
  Element a, b, c;
  bool transposeA, transposeB, clear;
};
} // namespace

static Slot loadAt(const Element &e, const View &view, int64_t i, int64_t j) {
  return loadElement(e, view.base() + i * view.stride(0) + j * view.stride(1));
}

/// One row of `c` at a time; each element sums in ascending `k`.
template <typename T, typename Load, typename Round, typename Store>
static void multiply(const GemmData &data, const View &a, const View &b,
                     const View &c, int64_t depth, Load load, Round round,
                     Store store) {
  int64_t rows = c.size(0), columns = c.size(1);
  std::vector<T> right(depth * columns), sums(columns);
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t j = 0; j < columns; ++j)
      right[k * columns + j] =
          load(data.b, data.transposeB ? loadAt(data.b, b, j, k)
                                       : loadAt(data.b, b, k, j));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j)
      sums[j] = data.clear ? T(0) : load(data.c, loadAt(data.c, c, i, j));
    for (int64_t k = 0; k < depth; ++k) {
      T left = load(data.a, data.transposeA ? loadAt(data.a, a, k, i)
                                            : loadAt(data.a, a, i, k));
      const T *row = right.data() + k * columns;
      for (int64_t j = 0; j < columns; ++j)
        sums[j] = round(sums[j] + round(left * row[j]));
    }
    for (int64_t j = 0; j < columns; ++j)
      storeElement(data.c, c.base() + i * c.stride(0) + j * c.stride(1),
                   store(sums[j]));
  }
}

static void multiply(const GemmData &data, const View &a, const View &b,
                     const View &c, int64_t depth) {
  auto asFloatOf = [](const Element &, Slot v) { return asFloat(v); };
  if (data.c.kind == Kind::Int)
    multiply<uint64_t>(
        data, a, b, c, depth, [](const Element &, Slot v) { return v; },
        [](uint64_t v) { return v; }, [](uint64_t v) { return v; });
  else if (data.c.kind == Kind::F64)
    multiply<double>(
        data, a, b, c, depth,
        [](const Element &e, Slot v) { return toDouble(e, v); },
        [](double v) { return v; }, fromDouble);
  else if (data.c.kind == Kind::F32)
    multiply<float>(
        data, a, b, c, depth, asFloatOf, [](float v) { return v; }, fromFloat);
  else
    multiply<float>(
        data, a, b, c, depth, asFloatOf,
        [&](float v) { return roundTo(data.c, v); }, fromFloat);
}

static bool runGemm(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<GemmData>();
  View a = getView(s, in.operands[0], 2), b = getView(s, in.operands[1], 2),
       c = getView(s, in.operands[2], 2);
  int64_t depth = a.size(data.transposeA ? 0 : 1);
  auto check = [&](StringRef what, int64_t x, int64_t y) {
    return x == y || m.fail(in, "extents of " + what + " do not agree: " +
                                    Twine(x) + " and " + Twine(y));
  };
  if (!check("k in 'a' and 'b'", depth, b.size(data.transposeB ? 1 : 0)) ||
      !check("m in 'a' and 'c'", a.size(data.transposeA ? 1 : 0), c.size(0)) ||
      !check("n in 'b' and 'c'", b.size(data.transposeB ? 0 : 1), c.size(1)))
    return false;
  runtime::MemoryBox box;
  if (!m.accessView(in, a, data.a, /*isWrite=*/false, box) ||
      !m.accessView(in, b, data.b, /*isWrite=*/false, box) ||
      (!data.clear && !m.accessView(in, c, data.c, /*isWrite=*/false, box)) ||
      !m.accessView(in, c, data.c, /*isWrite=*/true, box))
    return false;
  m.charge(c.size(0) * c.size(1) * depth);
  multiply(data, a, b, c, depth);
  return true;
}

static void compileGemm(Compiler &c, Operation *op, Instr &in) {
  auto gemm = cast<GemmOp>(op);
  auto elementOf = [](Value value) {
    return getElementOf(cast<MemRefType>(value.getType()).getElementType());
  };
  auto *data = c.make<GemmData>();
  *data = {elementOf(gemm.getA()), elementOf(gemm.getB()),
           elementOf(gemm.getC()), gemm.getTransposeA(),
           gemm.getTransposeB(),   gemm.getClear()};
  in.data = data;
  in.run = runGemm;
}

//===----------------------------------------------------------------------===//
// Reduce and atomic
//===----------------------------------------------------------------------===//

/// The larger (smaller) of two, ignoring a NaN where the other is a number.
static Slot pick(const Element &e, bool isMax, Slot a, Slot b) {
  if (!e.isFloat())
    return (int64_t(a) > int64_t(b)) == isMax ? a : b;
  double x = toDouble(e, a), y = toDouble(e, b);
  if (std::isnan(x))
    return b;
  if (std::isnan(y))
    return a;
  // Zeros are ordered by sign, so that the order of updates does not matter.
  if (x == y)
    return std::signbit(x) == isMax ? b : a;
  return (x > y) == isMax ? a : b;
}

template <typename F>
static Slot arithmetic(const Element &e, Slot a, Slot b, F f) {
  if (e.kind == Kind::F64)
    return fromDouble(f(asDouble(a), asDouble(b)));
  if (e.isFloat())
    return fromFloat(roundTo(e, f(asFloat(a), asFloat(b))));
  return signExtend(f(a, b), e.width);
}

static Slot absolute(const Element &e, Slot value) {
  if (e.kind == Kind::F64)
    return fromDouble(std::fabs(asDouble(value)));
  if (e.isFloat())
    return fromFloat(std::fabs(asFloat(value)));
  return int64_t(value) < 0 ? signExtend(0 - value, e.width) : value;
}

static Slot combine(ReduceKind kind, const Element &e, Slot sum, Slot value) {
  switch (kind) {
  case ReduceKind::Sum:
    return arithmetic(e, sum, value, [](auto x, auto y) { return x + y; });
  case ReduceKind::Prod:
    return arithmetic(e, sum, value, [](auto x, auto y) { return x * y; });
  case ReduceKind::Max:
    return pick(e, true, sum, value);
  case ReduceKind::Min:
    return pick(e, false, sum, value);
  case ReduceKind::AbsSum:
    return arithmetic(e, sum, absolute(e, value),
                      [](auto x, auto y) { return x + y; });
  case ReduceKind::AbsMax:
    return pick(e, true, sum, absolute(e, value));
  case ReduceKind::And:
    return sum & value;
  case ReduceKind::Or:
    return sum | value;
  case ReduceKind::Xor:
    return sum ^ value;
  }
  return sum;
}

static Slot getNeutral(ReduceKind kind, const Element &e) {
  switch (kind) {
  case ReduceKind::Prod:
    return e.isFloat() ? roundDouble(e, 1) : signExtend(1, e.width);
  case ReduceKind::Max:
  case ReduceKind::Min: {
    bool isMax = kind == ReduceKind::Max;
    if (e.isFloat())
      return roundDouble(e, isMax ? -HUGE_VAL : HUGE_VAL);
    uint64_t least = uint64_t(1) << (e.width - 1);
    return signExtend(isMax ? least : least - 1, e.width);
  }
  case ReduceKind::And:
    return ~Slot(0);
  default:
    return 0;
  }
}

namespace {
struct ReduceData {
  ReduceKind kind;
  unsigned dimension, targetRank;
  bool clear;
};
} // namespace

/// Reduces one line of the source into `target`.
static void reduceLine(const ReduceData &data, const Instr &in,
                       const View &source, const char *from, char *target) {
  Slot sum =
      data.clear ? getNeutral(data.kind, in.to) : loadElement(in.to, target);
  for (int64_t i = 0, e = source.size(data.dimension); i < e; ++i) {
    Slot value = loadElement(in.from, from + i * source.stride(data.dimension));
    sum = combine(data.kind, in.to, sum, convertElement(in.from, in.to, value));
  }
  storeElement(in.to, target, sum);
}

static bool runReduce(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<ReduceData>();
  View source = getView(s, in.operands[0], in.count);
  View target = getView(s, in.operands[1], data.targetRank);
  SmallVector<int64_t, 4> extents(in.count), strides(in.count);
  int64_t elements = 1;
  for (unsigned dim = 0, other = 0; dim < in.count; ++dim) {
    elements *= source.size(dim);
    bool isReduced = dim == data.dimension;
    extents[dim] = isReduced ? 1 : source.size(dim);
    if (isReduced && data.targetRank < in.count)
      continue;
    strides[dim] = target.stride(other);
    if (target.size(other) != extents[dim])
      return m.fail(in, "reduces extent " + Twine(extents[dim]) + " into " +
                            Twine(target.size(other)) + " in dimension " +
                            Twine(dim));
    ++other;
  }
  runtime::MemoryBox box;
  if (!m.accessView(in, source, in.from, /*isWrite=*/false, box) ||
      (!data.clear &&
       !m.accessView(in, target, in.to, /*isWrite=*/false, box)) ||
      !m.accessView(in, target, in.to, /*isWrite=*/true, box))
    return false;
  m.charge(elements);
  SmallVector<int64_t, 4> index(in.count, 0);
  while (!box.empty()) {
    const char *from = source.base();
    char *to = target.base();
    for (unsigned dim = 0; dim < in.count; ++dim) {
      from += index[dim] * source.stride(dim);
      to += index[dim] * strides[dim];
    }
    reduceLine(data, in, source, from, to);
    int64_t dim = int64_t(in.count) - 1;
    for (; dim >= 0 && ++index[dim] == extents[dim]; --dim)
      index[dim] = 0;
    if (dim < 0)
      break;
  }
  return true;
}

static void compileReduce(Compiler &c, Operation *op, Instr &in) {
  auto reduce = cast<ReduceOp>(op);
  auto target = cast<MemRefType>(reduce.getTarget().getType());
  auto *data = c.make<ReduceData>();
  *data = {reduce.getKind(), unsigned(reduce.getDimension()),
           unsigned(target.getRank()), reduce.getClear()};
  in.to = getElementOf(target.getElementType());
  in.count = getRank(reduce.getSource());
  in.data = data;
  in.run = runReduce;
}

static bool runAtomic(Machine &m, const Instr &in, Slot *s) {
  auto kind = AtomicKind(reinterpret_cast<intptr_t>(in.data));
  View view = getView(s, in.operands[1], in.count);
  auto index = [&](unsigned dim) { return int64_t(s[in.operands[2 + dim]]); };
  if (isGlobal(in.op->getOperand(1)) && !Machine::isInside(view, index))
    return true;
  char *address = m.access(in, view, index, /*isWrite=*/false, in.from.bytes);
  if (!address || !m.access(in, view, index, /*isWrite=*/true, in.from.bytes))
    return false;
  Slot old = loadElement(in.from, address), value = s[in.operands[0]];
  switch (kind) {
  case AtomicKind::Add:
    old = combine(ReduceKind::Sum, in.from, old, value);
    break;
  case AtomicKind::Max:
  case AtomicKind::Min:
    old = pick(in.from, kind == AtomicKind::Max, old, value);
    break;
  case AtomicKind::And:
    old &= value;
    break;
  case AtomicKind::Or:
    old |= value;
    break;
  case AtomicKind::Xor:
    old ^= value;
    break;
  case AtomicKind::Exchange:
    old = value;
    break;
  }
  storeElement(in.from, address, old);
  return true;
}

static void compileAtomic(Compiler &, Operation *op, Instr &in) {
  in.count = getRank(op->getOperand(1));
  in.data =
      reinterpret_cast<const void *>(intptr_t(cast<AtomicOp>(op).getKind()));
  in.run = runAtomic;
}

void interp::addTileComputeHandlers(HandlerMap &map) {
  map[TypeID::get<FillOp>()] = compileFill;
  map[TypeID::get<GemmOp>()] = compileGemm;
  map[TypeID::get<ReduceOp>()] = compileReduce;
  map[TypeID::get<AtomicOp>()] = compileAtomic;
}
