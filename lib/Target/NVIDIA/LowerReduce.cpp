//===- LowerReduce.cpp - Reductions within threads, warps and blocks ------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A thread combines the elements it holds of each row; lanes that hold parts of
// one row exchange theirs with shfl; warps do so through shared memory. All
// threads of a row then have the result, which is what the layout of the target
// says.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/bit.h"
#include <map>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;
using tile::ReduceKind;

/// Parts of rows that a thread reads at once. More take a loop: ptxas would
/// load all of them before it combines any, and run out of registers.
static constexpr int64_t kMaxReads = 32;

static Value getNeutral(Emitter &e, ReduceKind kind, Type type) {
  auto number = dyn_cast<FloatType>(type);
  unsigned width = number ? 0 : type.getIntOrFloatBitWidth();
  auto infinity = [&](bool negative) -> Value {
    return arith::ConstantOp::create(
        e, FloatAttr::get(
               type, APFloat::getInf(number.getFloatSemantics(), negative)));
  };
  auto integer = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(e, IntegerAttr::get(type, value));
  };
  switch (kind) {
  case ReduceKind::Max:
    return number ? infinity(true) : integer(APInt::getSignedMinValue(width));
  case ReduceKind::Min:
    return number ? infinity(false) : integer(APInt::getSignedMaxValue(width));
  case ReduceKind::And:
    return integer(APInt::getAllOnes(width));
  case ReduceKind::Prod:
    return e.constant(type, 1);
  default:
    return e.constant(type);
  }
}

static Value getAbsolute(Emitter &e, Value x) {
  if (isa<FloatType>(x.getType()))
    return math::AbsFOp::create(e, x);
  Value negative = arith::SubIOp::create(e, e.constant(x.getType()), x);
  return arith::MaxSIOp::create(e, x, negative);
}

static Value combine(Emitter &e, ReduceKind kind, Value a, Value b) {
  bool isFloat = isa<FloatType>(a.getType());
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::AbsSum:
    return isFloat ? Value(arith::AddFOp::create(e, a, b))
                   : Value(arith::AddIOp::create(e, a, b));
  case ReduceKind::Prod:
    return isFloat ? Value(arith::MulFOp::create(e, a, b))
                   : Value(arith::MulIOp::create(e, a, b));
  case ReduceKind::Max:
  case ReduceKind::AbsMax:
    return isFloat ? Value(arith::MaxNumFOp::create(e, a, b))
                   : Value(arith::MaxSIOp::create(e, a, b));
  case ReduceKind::Min:
    return isFloat ? Value(arith::MinNumFOp::create(e, a, b))
                   : Value(arith::MinSIOp::create(e, a, b));
  case ReduceKind::And:
    return arith::AndIOp::create(e, a, b);
  case ReduceKind::Or:
    return arith::OrIOp::create(e, a, b);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(e, a, b);
  }
  llvm_unreachable("unknown kind");
}

ThreadLayout nvidia::getReduceLayout(Lowering &l, tile::ReduceOp op) {
  if (const ThreadLayout *known = l.plan.getIterationLayout(op))
    return *known;
  auto type = cast<MemRefType>(op.getSource().getType());
  return ThreadLayout::getBlocked(type.getShape(), l.numThreads, 4);
}

namespace {

class ReduceLowering {
public:
  ReduceLowering(Lowering &l, Emitter &e, tile::ReduceOp op)
      : l(l), e(e), op(op), kind(op.getKind()),
        source(l.resolve(e, op.getSource())),
        target(l.resolve(e, op.getTarget())), element(target.element()),
        dimension(op.getDimension()), layout(getReduceLayout(l, op)) {}
  void emit();

private:
  /// What this thread has of the rows it holds, by the offset of the row.
  using Rows = std::map<SmallVector<int64_t>, Value>;

  /// The first threads that have all the lanes they exchange values with; the
  /// others get the result through shared memory.
  int64_t getNumShuffling() const {
    return l.numThreads < 32
               ? int64_t(llvm::bit_floor(static_cast<uint64_t>(l.numThreads)))
               : l.numThreads / 32 * 32;
  }
  Rows reduceRegisters();
  Value readElement(int64_t number, ArrayRef<int64_t> offset);
  Value exchange(Value value, int64_t distance);
  void reduceLanes(Rows &rows);
  void reduceWarps(Rows &rows, ArrayRef<int64_t> bits);
  void finish(const Rows &rows);
  SmallVector<Value> getCoordinates(ArrayRef<int64_t> offset);
  SmallVector<Value> toTarget(ArrayRef<Value> at);

  Lowering &l;
  Emitter &e;
  tile::ReduceOp op;
  ReduceKind kind;
  Buffer source, target;
  Type element;
  int64_t dimension;
  ThreadLayout layout;
};

} // namespace

SmallVector<Value> ReduceLowering::getCoordinates(ArrayRef<int64_t> offset) {
  SmallVector<Value> at;
  for (auto [base, step] :
       llvm::zip_equal(l.getThreadCoordinates(layout), offset))
    at.push_back(e.add(base, e.index(step)));
  return at;
}

/// The indices of the target for a point of the source.
SmallVector<Value> ReduceLowering::toTarget(ArrayRef<Value> at) {
  SmallVector<Value> indices(at);
  if (target.type.getRank() == source.type.getRank())
    indices[dimension] = e.index(int64_t(0));
  else
    indices.erase(indices.begin() + dimension);
  return indices;
}

/// One element as the type of the target; the neutral one outside of the tile.
Value ReduceLowering::readElement(int64_t number, ArrayRef<int64_t> offset) {
  SmallVector<Value> at = getCoordinates(offset);
  Value inside = e.boolean(true);
  for (auto [i, extent] : llvm::zip_equal(at, source.type.getShape()))
    inside = e.both(inside, e.isInside(i, e.index(extent)));
  return e.pick(
      inside,
      [&] {
        Value value = source.isFragment() ? l.loadRegister(e, source, number)
                                          : l.load(e, source, at);
        value = e.convert(value, element);
        if (kind == ReduceKind::AbsSum || kind == ReduceKind::AbsMax)
          value = getAbsolute(e, value);
        return value;
      },
      [&] { return getNeutral(e, kind, element); });
}

ReduceLowering::Rows ReduceLowering::reduceRegisters() {
  Rows rows;
  // In ascending order of the reduced index.
  SmallVector<std::pair<int64_t, int64_t>> order;
  for (int64_t number = 0; number < layout.getNumRegisters(); ++number)
    order.emplace_back(layout.getOffset(number)[dimension], number);
  llvm::sort(order);
  for (auto [index, number] : order) {
    SmallVector<int64_t> offset = layout.getOffset(number);
    if (llvm::any_of(
            llvm::zip_equal(offset, source.type.getShape()),
            [](auto pair) { return std::get<0>(pair) >= std::get<1>(pair); }))
      continue;
    Value value = readElement(number, offset);
    offset[dimension] = 0;
    Value &row = rows[offset];
    row = row ? combine(e, kind, row, value) : value;
  }
  return rows;
}

/// The value of the lane whose number differs in bit `distance`.
Value ReduceLowering::exchange(Value value, int64_t distance) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  int64_t lanes = getNumShuffling();
  Value mask = e.i32(lanes < 32 ? (int64_t(1) << lanes) - 1 : -1);
  auto shuffle = [&](Value word) -> Value {
    return e.pick(
        e.isInside(l.getThreadId(), e.index(lanes)),
        [&]() -> Value {
          return NVVM::ShflOp::create(e, word.getType(), mask, word,
                                      e.i32(distance), e.i32(31),
                                      NVVM::ShflKind::bfly, UnitAttr());
        },
        [&] { return word; });
  };
  if (type.isF32() || type.isInteger(32))
    return shuffle(value);
  Type integer = e.getIntegerType(width);
  Value bits = type == integer
                   ? value
                   : arith::BitcastOp::create(e, integer, value).getResult();
  if (width < 32) {
    bits = arith::ExtUIOp::create(e, e.getI32Type(), bits);
    bits = arith::TruncIOp::create(e, integer, shuffle(bits));
  } else {
    Value half = e.constant(integer, 32);
    Value low = arith::TruncIOp::create(e, e.getI32Type(), bits);
    Value high = arith::TruncIOp::create(e, e.getI32Type(),
                                         arith::ShRUIOp::create(e, bits, half));
    low = arith::ExtUIOp::create(e, integer, shuffle(low));
    high = arith::ExtUIOp::create(e, integer, shuffle(high));
    bits = arith::OrIOp::create(e, low, arith::ShLIOp::create(e, high, half));
  }
  return type == integer ? bits
                         : arith::BitcastOp::create(e, type, bits).getResult();
}

void ReduceLowering::reduceLanes(Rows &rows) {
  for (auto [bit, basis] : llvm::enumerate(layout.getThreadBases())) {
    if (bit >= 5 || !basis.step || basis.dim != dimension)
      continue;
    for (auto &row : rows)
      row.second =
          combine(e, kind, row.second, exchange(row.second, int64_t(1) << bit));
  }
}

/// True if all threads have met in front of `e`'s place since they last read
/// the scratch memory of a reduction.
static bool hasMet(Emitter &e, Value scratch) {
  auto getStart = [](Value memory) -> std::optional<int64_t> {
    auto view = memory.getDefiningOp<memref::ViewOp>();
    return view ? getConstantIntValue(view.getByteShift()) : std::nullopt;
  };
  std::optional<int64_t> start = getStart(scratch);
  auto readsScratch = [&](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    return isa<tile::ReduceOp>(op) ||
           (load && getStart(load.getMemRef()) == start);
  };
  Block *block = e.getBlock();
  Block::reverse_iterator last(e.getInsertionPoint());
  while (start) {
    for (Operation &op : llvm::make_range(last, block->rend())) {
      if (isa<gpu::BarrierOp>(op))
        return true;
      bool reads = false;
      op.walk([&](Operation *inner) { reads |= readsScratch(inner); });
      if (reads)
        return false;
    }
    // Nothing comes before a kernel; what comes before a branch comes before
    // what is in it.
    Operation *parent = block->getParentOp();
    if (isa<gpu::GPUFuncOp>(parent))
      return true;
    if (!isa<scf::IfOp>(parent))
      return false;
    block = parent->getBlock();
    last = Block::reverse_iterator(parent->getIterator());
  }
  return false;
}

/// Combines what the warps that differ in the thread bits `bits` have: each
/// writes its part of each row, and reads all parts.
void ReduceLowering::reduceWarps(Rows &rows, ArrayRef<int64_t> bits) {
  int64_t parts = int64_t(1) << bits.size(), numRows = 1;
  SmallVector<int64_t> strides(layout.getRank(), 0);
  for (int64_t dim = layout.getRank() - 1; dim >= 0; --dim) {
    if (dim == dimension)
      continue;
    strides[dim] = numRows;
    numRows *= layout.getExtent(dim);
  }
  Value scratch = l.getScratch(e, element, parts * numRows);
  Value part = e.index(int64_t(0));
  for (auto [i, bit] : llvm::enumerate(bits)) {
    Value isSet = e.createOrFold<arith::AndIOp>(
        e.createOrFold<arith::ShRUIOp>(l.getThreadId(), e.index(bit)),
        e.index(int64_t(1)));
    part = e.add(part, e.mul(isSet, e.index(int64_t(1) << i)));
  }
  auto getRow = [&](ArrayRef<int64_t> offset) {
    Value number = e.index(int64_t(0));
    for (auto [at, stride] : llvm::zip_equal(getCoordinates(offset), strides))
      number = e.add(number, e.mul(at, e.index(stride)));
    return number;
  };
  // One thread of those that have the same part of the same row.
  int64_t same = layout.getReplicatedThreadMask(l.numThreads);
  for (auto [bit, basis] : llvm::enumerate(layout.getThreadBases()))
    if (bit < 5 && basis.step && basis.dim == dimension)
      same |= int64_t(1) << bit;
  Value writes =
      e.isEqual(e.createOrFold<arith::AndIOp>(l.getThreadId(), e.index(same)),
                e.index(int64_t(0)));
  if (!hasMet(e, scratch))
    gpu::BarrierOp::create(e); // an earlier reduction may still read
  e.when(writes, [&] {
    for (auto &[offset, value] : rows)
      memref::StoreOp::create(
          e, value, scratch,
          ValueRange{e.add(e.mul(part, e.index(numRows)), getRow(offset))});
  });
  gpu::BarrierOp::create(e);
  SmallVector<Value> numbers, values;
  auto readPart = [&](Value start) {
    return llvm::map_to_vector(numbers, [&](Value row) -> Value {
      return memref::LoadOp::create(e, scratch, ValueRange{e.add(start, row)});
    });
  };
  for (const auto &row : rows)
    numbers.push_back(getRow(row.first));
  values = readPart(e.index(int64_t(0)));
  auto add = [&](ValueRange sums, Value start) {
    return llvm::map_to_vector(
        llvm::zip_equal(sums, readPart(start)), [&](auto pair) {
          return combine(e, kind, std::get<0>(pair), std::get<1>(pair));
        });
  };
  if (parts * static_cast<int64_t>(rows.size()) <= kMaxReads) {
    for (int64_t i = 1; i < parts; ++i)
      values = add(values, e.index(i * numRows));
  } else {
    auto loop =
        scf::ForOp::create(e, e.index(numRows), e.index(parts * numRows),
                           e.index(numRows), values);
    OpBuilder::InsertionGuard guard(e);
    e.setInsertionPointToStart(loop.getBody());
    values = add(loop.getRegionIterArgs(), loop.getInductionVar());
    scf::YieldOp::create(e, values);
    values = loop.getResults();
  }
  for (auto [row, value] : llvm::zip_equal(rows, values))
    row.second = value;
}

void ReduceLowering::finish(const Rows &rows) {
  SmallVector<int64_t> kept;
  if (target.isFragment()) {
    for (auto &[offset, value] : rows) {
      SmallVector<int64_t> at(offset);
      if (target.type.getRank() == source.type.getRank())
        at[dimension] = 0;
      else
        at.erase(at.begin() + dimension);
      int64_t number = target.layout->getNumRegisters() == 1
                           ? 0
                           : target.layout->getRegister(at);
      Value result = value;
      if (!op.getClear())
        result = combine(e, kind, l.loadRegister(e, target, number), result);
      l.storeRegister(e, result, target, number);
    }
    return;
  }
  // One thread writes each row.
  int64_t same = layout.getReplicatedThreadMask(l.numThreads);
  for (auto [bit, basis] : llvm::enumerate(layout.getThreadBases()))
    if (basis.step && basis.dim == dimension)
      same |= int64_t(1) << bit;
  Value writes =
      e.isEqual(e.createOrFold<arith::AndIOp>(l.getThreadId(), e.index(same)),
                e.index(int64_t(0)));
  e.when(writes, [&] {
    for (const auto &row : rows) {
      SmallVector<Value> at = getCoordinates(row.first);
      Value inside = e.boolean(true);
      for (auto [dim, i] : llvm::enumerate(at))
        if (static_cast<int64_t>(dim) != dimension)
          inside = e.both(inside,
                          e.isInside(i, e.index(source.type.getDimSize(dim))));
      e.when(inside, [&] {
        SmallVector<Value> to = toTarget(at);
        Value result = row.second;
        if (!op.getClear())
          result = combine(e, kind, l.load(e, target, to), result);
        l.store(e, result, target, to);
      });
    }
  });
}

void ReduceLowering::emit() {
  Rows rows = reduceRegisters();
  reduceLanes(rows);
  SmallVector<int64_t> warpBits;
  for (auto [bit, basis] : llvm::enumerate(layout.getThreadBases()))
    if (bit >= 5 && basis.step && basis.dim == dimension)
      warpBits.push_back(bit);
  if (!warpBits.empty() || getNumShuffling() != l.numThreads)
    reduceWarps(rows, warpBits);
  finish(rows);
}

LogicalResult nvidia::lower(Lowering &l, tile::ReduceOp op) {
  Emitter e = l.at(op);
  if (!cast<MemRefType>(op.getSource().getType()).hasStaticShape())
    return op.emitOpError("cannot be lowered to NVIDIA: shape of the source ")
           << op.getSource().getType() << " is not static";
  ReduceLowering(l, e, op).emit();
  op.erase();
  return success();
}
