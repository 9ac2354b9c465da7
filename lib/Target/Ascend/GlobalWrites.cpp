//===- GlobalWrites.cpp - Writes of one pipe to global memory ---------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The places are expressions of unknown sizes, so they are compared as
// polynomials. One statement of the user writes different tiles in different
// iterations if its place moves with the iteration by no less than what it
// writes; where that cannot be told, as for a place from a table, its writes
// are ordered. What is left open by sizes that are not known is taken to be as
// the user says: tiles that move by a size do not overlap.
//
//===----------------------------------------------------------------------===//

#include "GlobalWrites.h"

#include "Emitter.h"
#include "PipeModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

namespace {
/// A sum of products of values, each with a factor; no sum without terms.
class Polynomial {
public:
  using Product = std::vector<void *>;

  static Polynomial of(Value value);

  std::optional<int64_t> getConstant() const {
    if (terms.empty())
      return 0;
    if (terms.size() == 1 && terms.begin()->first.empty())
      return terms.begin()->second;
    return std::nullopt;
  }
  /// What the terms with `value` are multiples of it by, if they are that.
  std::optional<Polynomial> getFactor(Value value) const;
  SmallVector<Value> getValues() const;
  /// The number `k` for which this is `k * other`.
  std::optional<int64_t> divideBy(const Polynomial &other) const;

  Polynomial operator-(const Polynomial &other) const {
    return plus(other, -1);
  }
  Polynomial times(const Polynomial &other) const;
  /// This and `number` times the other one.
  Polynomial plus(const Polynomial &other, int64_t number) const {
    Polynomial result = *this;
    for (auto &[product, factor] : other.terms)
      result.add(product, uint64_t(factor) * uint64_t(number));
    return result;
  }

private:
  void add(const Product &product, uint64_t factor) {
    int64_t &sum = terms[product];
    sum = int64_t(uint64_t(sum) + factor);
    if (sum == 0)
      terms.erase(product);
  }

  std::map<Product, int64_t> terms;
};
} // namespace

Polynomial Polynomial::of(Value value) {
  Polynomial result;
  Operation *op = value.getDefiningOp();
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    result.add({}, *constant);
  } else if (isa_and_nonnull<arith::AddIOp>(op)) {
    result = of(op->getOperand(0)).plus(of(op->getOperand(1)), 1);
  } else if (isa_and_nonnull<arith::SubIOp>(op)) {
    result = of(op->getOperand(0)) - of(op->getOperand(1));
  } else if (isa_and_nonnull<arith::MulIOp>(op)) {
    result = of(op->getOperand(0)).times(of(op->getOperand(1)));
  } else if (auto cast = dyn_cast_if_present<arith::IndexCastOp>(op)) {
    result = of(cast.getIn());
  } else {
    result.add({value.getAsOpaquePointer()}, 1);
  }
  return result;
}

Polynomial Polynomial::times(const Polynomial &other) const {
  Polynomial result;
  for (auto &[left, x] : terms)
    for (auto &[right, y] : other.terms) {
      Product both = left;
      both.insert(both.end(), right.begin(), right.end());
      llvm::sort(both);
      result.add(both, uint64_t(x) * uint64_t(y));
    }
  return result;
}

std::optional<Polynomial> Polynomial::getFactor(Value value) const {
  Polynomial result;
  for (auto &[product, factor] : terms) {
    size_t power = llvm::count(product, value.getAsOpaquePointer());
    if (power > 1)
      return std::nullopt;
    if (power == 0)
      continue;
    Product rest = product;
    rest.erase(llvm::find(rest, value.getAsOpaquePointer()));
    result.add(rest, factor);
  }
  return result;
}

SmallVector<Value> Polynomial::getValues() const {
  SmallVector<Value> values;
  for (auto &[product, factor] : terms)
    for (void *value : product)
      values.push_back(Value::getFromOpaquePointer(value));
  return values;
}

std::optional<int64_t> Polynomial::divideBy(const Polynomial &other) const {
  if (other.terms.empty())
    return std::nullopt;
  auto &[product, factor] = *other.terms.begin();
  auto it = terms.find(product);
  if (it == terms.end() || it->second % factor != 0)
    return std::nullopt;
  int64_t k = it->second / factor;
  return plus(other, -k).terms.empty() ? std::optional<int64_t>(k)
                                       : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
struct GlobalWrite {
  Operation *op;
  Pipe pipe;
  Value root;
  Polynomial offset, stride;
  /// At most so many; a large number if that is not known.
  int64_t rows, columns;
};
} // namespace

static std::optional<GlobalWrite> getWrite(PipeOpInterface op) {
  auto make = [&](Value target, Value offset, Value rows, Value columns,
                  Value stride) {
    return GlobalWrite{op,
                       op.getPipe(),
                       resolveBuffer(target).root,
                       Polynomial::of(offset),
                       Polynomial::of(stride),
                       getRange(rows, op).high,
                       getRange(columns, op).high};
  };
  if (auto store = dyn_cast<StoreOp>(op.getOperation()))
    return make(store.getTarget(), store.getTargetOffset(), store.getRows(),
                store.getColumns(), store.getStride());
  if (auto fixpipe = dyn_cast<FixpipeOp>(op.getOperation()))
    return make(fixpipe.getTarget(), fixpipe.getTargetOffset(), fixpipe.getM(),
                fixpipe.getN(), fixpipe.getStride());
  return std::nullopt;
}

static SmallVector<GlobalWrite> collectWrites(FuncOp function) {
  SmallVector<GlobalWrite> writes;
  function.walk([&](PipeOpInterface op) {
    std::optional<GlobalWrite> write = getWrite(op);
    if (!write)
      return;
    // Workspaces are ordered by cross-core signals.
    auto argument = dyn_cast<BlockArgument>(write->root);
    if (!argument ||
        !function.getArgAttr(argument.getArgNumber(), "ascend.workspace"))
      writes.push_back(*write);
  });
  return writes;
}

/// Whether two writes meet whose places differ by `shift`; none if sizes that
/// are not known decide.
static std::optional<bool> meets(const GlobalWrite &a, const GlobalWrite &b,
                                 const Polynomial &shift) {
  constexpr int64_t many = 1 << 20;
  std::optional<int64_t> distance = shift.getConstant();
  std::optional<int64_t> stride = a.stride.getConstant();
  std::optional<int64_t> next = b.stride.getConstant();
  if (distance == 0)
    return true;
  bool single = a.rows == 1 && b.rows == 1;
  if (distance && (single || (stride && stride == next))) {
    // Rows of `a` that a row of `b` may meet.
    int64_t rows = std::max(a.rows, b.rows);
    if (rows > many || a.columns > many || b.columns > many)
      return std::nullopt;
    for (int64_t row = 1 - rows; row < rows; ++row) {
      int64_t at = *distance - (single ? 0 : row * *stride);
      if (at < a.columns && -at < b.columns)
        return true;
    }
    return false;
  }
  // By whole rows of a size that is not known.
  if (std::optional<int64_t> rows = shift.divideBy(a.stride);
      rows && !(a.stride - b.stride).getValues().size())
    if (a.rows <= many && b.rows <= many)
      return *rows < a.rows && -*rows < b.rows;
  return std::nullopt;
}

/// A value that may be anything: it says nothing about how places move.
static bool isWild(Value value) {
  Operation *op = value.getDefiningOp();
  return op && !isa<memref::DimOp, BlockIdxOp, SubBlockIdxOp, BlockNumOp,
                    arith::MinSIOp, arith::MaxSIOp, arith::CeilDivSIOp,
                    arith::CeilDivUIOp>(op);
}

/// By how much a place moves from one iteration of `loop` to the next.
static std::optional<Polynomial> getMotion(const GlobalWrite &write,
                                           scf::ForOp loop) {
  std::optional<Polynomial> factor =
      write.offset.getFactor(loop.getInductionVar());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!factor || !step)
    return factor;
  return Polynomial().plus(*factor, *step);
}

/// Whether a write may meet itself in another iteration of `loop`.
static bool mayRepeat(const GlobalWrite &write, scf::ForOp loop) {
  std::optional<Polynomial> motion = getMotion(write, loop);
  if (!motion || motion->getConstant() == 0)
    return true;
  for (Value value : write.offset.getValues())
    if (isWild(value) && !loop.isDefinedOutsideOfLoop(value))
      return true;
  return meets(write, write, *motion).value_or(false);
}

static bool mayRepeat(const GlobalWrite &write) {
  for (auto loop = write.op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (mayRepeat(write, loop))
      return true;
  return false;
}

/// True if only one of two operations runs: they are in different branches.
static bool areExclusive(Operation *a, Operation *b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>())
    if (branch->isProperAncestor(b)) {
      bool thenA = branch.getThenRegion().isAncestor(a->getParentRegion());
      bool thenB = branch.getThenRegion().isAncestor(b->getParentRegion());
      return thenA != thenB;
    }
  return false;
}

/// The innermost loop that both are in, or null.
static scf::ForOp getCommonLoop(Operation *a, Operation *b) {
  auto loop = a->getParentOfType<scf::ForOp>();
  while (loop && !loop->isAncestor(b))
    loop = loop->getParentOfType<scf::ForOp>();
  return loop;
}

/// Whether two writes meet for a value of the only counter in `shift`, which is
/// of a loop that runs from one constant to another; none otherwise.
static std::optional<bool> meetsInLoop(const GlobalWrite &a,
                                       const GlobalWrite &b,
                                       const Polynomial &shift) {
  SmallVector<Value> values = shift.getValues();
  if (values.size() != 1 || !isa<BlockArgument>(values[0]))
    return std::nullopt;
  auto loop = dyn_cast_if_present<scf::ForOp>(
      values[0].getParentBlock()->getParentOp());
  std::optional<Polynomial> factor = shift.getFactor(values[0]);
  if (!loop || values[0] != loop.getInductionVar() || !factor)
    return std::nullopt;
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> to = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  constexpr int64_t longest = 1024;
  if (!from || !to || !step || *step < 1 || *to - *from > longest * *step)
    return std::nullopt;
  Polynomial rest = shift - Polynomial::of(values[0]).times(*factor);
  for (int64_t i = *from; i < *to; i += *step) {
    std::optional<bool> now = meets(a, b, rest.plus(*factor, i));
    if (now.value_or(true))
      return now;
  }
  return false;
}

/// Whether two writes of different operations may meet. Copies of a statement,
/// of which `repeats` says whether its tiles overlap, stand for other
/// iterations of it.
static bool mayMeet(const GlobalWrite &a, const GlobalWrite &b, bool repeats) {
  Polynomial shift = b.offset - a.offset;
  if (a.op->getLoc() == b.op->getLoc()) {
    if (repeats || llvm::any_of(shift.getValues(), isWild))
      return true;
    return meets(a, b, shift).value_or(false);
  }
  if (std::optional<bool> always = meets(a, b, shift))
    return *always;
  return meetsInLoop(a, b, shift).value_or(true);
}

/// The same for an iteration of one and a later one of the other.
static bool mayMeetLater(const GlobalWrite &a, const GlobalWrite &b,
                         scf::ForOp loop) {
  std::optional<Polynomial> motion = getMotion(b, loop);
  if (!motion)
    return true;
  Polynomial shift = b.offset - a.offset;
  constexpr int64_t farthest = 8;
  for (int64_t distance = -farthest; distance <= farthest; ++distance)
    if (meets(a, b, shift.plus(*motion, distance)).value_or(false))
      return true;
  return false;
}

SmallVector<std::pair<Operation *, Pipe>>
ascend::findGlobalWriteHazards(FuncOp function) {
  SmallVector<std::pair<Operation *, Pipe>> places;
  auto add = [&](const GlobalWrite &write) {
    if (!llvm::is_contained(places, std::make_pair(write.op, write.pipe)))
      places.push_back({write.op, write.pipe});
  };
  SmallVector<GlobalWrite> writes = collectWrites(function);
  SmallVector<bool> repeats;
  for (const GlobalWrite &write : writes)
    repeats.push_back(mayRepeat(write));
  for (auto [i, write] : llvm::enumerate(writes)) {
    if (repeats[i])
      add(write);
    for (auto [j, other] : llvm::enumerate(ArrayRef(writes).take_front(i))) {
      if (other.root != write.root || other.pipe != write.pipe)
        continue;
      bool meet = mayMeet(other, write, repeats[i] || repeats[j]);
      scf::ForOp loop = getCommonLoop(other.op, write.op);
      if (meet && !areExclusive(other.op, write.op))
        add(write);
      // The next iteration of the first one comes after this one.
      if (loop && (meet || mayMeetLater(other, write, loop))) {
        add(other);
        add(write);
      }
    }
  }
  return places;
}
