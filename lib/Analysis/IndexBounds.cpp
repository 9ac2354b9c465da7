//===- IndexBounds.cpp - Is an index inside of its buffer? ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/IndexBounds.h"

#include "IndexRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::bounds;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Both regions of a choice between truth values, as `and`, `or` and the like
/// are where the right side is computed only where it counts.
static bool getChoice(Value value, Value &condition, Value &yes, Value &no) {
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    condition = select.getCondition();
    yes = select.getTrueValue();
    no = select.getFalseValue();
    return true;
  }
  auto branch = value.getDefiningOp<scf::IfOp>();
  if (!branch)
    return false;
  unsigned number = cast<OpResult>(value).getResultNumber();
  condition = branch.getCondition();
  yes = branch.thenYield().getOperand(number);
  no = branch.elseYield().getOperand(number);
  return true;
}

/// The two values whose conjunction (`wanted` is true) or disjunction is
/// `condition`; each comes with the truth value that it has then.
static bool splitCondition(Value condition, bool wanted,
                           SmallVectorImpl<std::pair<Value, bool>> &parts) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return false;
  if (wanted ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op)) {
    parts.assign({{op->getOperand(0), wanted}, {op->getOperand(1), wanted}});
    return true;
  }
  if (auto flip = dyn_cast<arith::XOrIOp>(op)) {
    for (unsigned i : {0, 1})
      if (matchPattern(flip->getOperand(i), m_One()) &&
          condition.getType().isInteger(1)) {
        parts.emplace_back(flip->getOperand(1 - i), !wanted);
        return true;
      }
    return false;
  }
  Value choice, yes, no;
  if (!condition.getType().isInteger(1) ||
      !getChoice(condition, choice, yes, no))
    return false;
  auto isNot = [&](Value value) {
    return wanted ? matchPattern(value, m_Zero())
                  : matchPattern(value, m_One());
  };
  if (isNot(no))
    parts.assign({{choice, true}, {yes, wanted}});
  else if (isNot(yes))
    parts.assign({{choice, false}, {no, wanted}});
  return !parts.empty();
}

/// The forms that are negative where the comparison is `wanted`.
static void getComparison(Ranges &ranges, arith::CmpIOp compare, bool wanted,
                          SmallVectorImpl<Form> &negative) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (!wanted)
    predicate = arith::invertPredicate(predicate);
  Form a = ranges.getForm(compare.getLhs()),
       b = ranges.getForm(compare.getRhs());
  bool signsKnown = ranges.getRange(a).min >= 0 && ranges.getRange(b).min >= 0;
  auto add = [&](const Form &low, const Form &high, int64_t slack) {
    Form form = low;
    form.add(high, -1);
    form.constant -= slack;
    negative.push_back(std::move(form));
  };
  switch (predicate) {
  case Predicate::eq:
    add(a, b, 1);
    add(b, a, 1);
    return;
  case Predicate::ne:
    return;
  case Predicate::ult:
  case Predicate::ule: {
    // Below what is not negative, without a sign: not negative itself.
    if (ranges.getRange(b).min < 0)
      return;
    add(a, b, predicate == Predicate::ule);
    Form form = Form().add(a, -1);
    form.constant -= 1;
    negative.push_back(std::move(form));
    return;
  }
  case Predicate::slt:
    return add(a, b, 0);
  case Predicate::sle:
    return add(a, b, 1);
  case Predicate::sgt:
    return add(b, a, 0);
  case Predicate::sge:
    return add(b, a, 1);
  case Predicate::ugt:
    return signsKnown ? add(b, a, 0) : void();
  case Predicate::uge:
    return signsKnown ? add(b, a, 1) : void();
  }
}

namespace {
constexpr unsigned kMaxSplit = 16;
/// Operations in front of a place that are searched for assertions.
constexpr unsigned kMaxBack = 32;
/// Forms that one proof looks at.
constexpr unsigned kMaxSteps = 256;
constexpr unsigned kMaxDepth = 8;
} // namespace

struct IndexBounds::Impl {
  explicit Impl(Operation *at);

  void assume(Value condition, bool holds, unsigned depth = kMaxSplit);
  void assumeInFrontOf(Operation *op);
  bool holds(Value condition, bool wanted, unsigned depth = kMaxSplit);
  /// True if the form is negative in every execution.
  bool isNegative(const Form &form) {
    steps = kMaxSteps;
    return prove(form, kMaxDepth);
  }
  bool prove(const Form &form, unsigned depth);

  Ranges ranges;
  unsigned steps = 0;
  /// Conditions may share parts; no more than these are looked at.
  unsigned numConditions = 256;
  bool isNeverReached = false;
};

IndexBounds::Impl::Impl(Operation *at) {
  SmallVector<Operation *> path = {at};
  while (Operation *parent = path.back()->getParentOp()) {
    if (parent->hasTrait<OpTrait::IsIsolatedFromAbove>())
      break;
    path.push_back(parent);
  }
  // From outside to inside: conditions may rely on those around them.
  for (Operation *op : llvm::reverse(path)) {
    Operation *parent = op->getParentOp();
    if (auto branch = dyn_cast_or_null<scf::IfOp>(parent))
      assume(branch.getCondition(),
             op->getParentRegion() == &branch.getThenRegion());
    if (auto loop = dyn_cast_or_null<scf::WhileOp>(parent);
        loop && op->getParentRegion() == &loop.getAfter())
      assume(loop.getConditionOp().getCondition(), true);
    isNeverReached |= parent && ranges.neverRuns(parent);
    assumeInFrontOf(op);
  }
}

void IndexBounds::Impl::assumeInFrontOf(Operation *op) {
  SmallVector<cf::AssertOp> assertions;
  Operation *previous = op->getPrevNode();
  for (unsigned i = 0; previous && i < kMaxBack;
       ++i, previous = previous->getPrevNode())
    if (auto assertion = dyn_cast<cf::AssertOp>(previous))
      assertions.push_back(assertion);
  for (cf::AssertOp assertion : llvm::reverse(assertions))
    assume(assertion.getArg(), true);
}

void IndexBounds::Impl::assume(Value condition, bool holds, unsigned depth) {
  if (depth == 0 || numConditions == 0)
    return;
  --numConditions;
  SmallVector<std::pair<Value, bool>> parts;
  if (splitCondition(condition, holds, parts)) {
    for (auto [part, truth] : parts)
      assume(part, truth, depth - 1);
    return;
  }
  SmallVector<Form> negative;
  if (auto compare = condition.getDefiningOp<arith::CmpIOp>();
      compare && compare.getLhs().getType().isIntOrIndex())
    getComparison(ranges, compare, holds, negative);
  for (Form &form : negative) {
    isNeverReached |= !form.isUnknown && ranges.getRange(form).min >= 0;
    ranges.addFact(std::move(form));
  }
}

bool IndexBounds::Impl::holds(Value condition, bool wanted, unsigned depth) {
  if (depth == 0 || numConditions == 0)
    return false;
  --numConditions;
  if (wanted ? matchPattern(condition, m_One())
             : matchPattern(condition, m_Zero()))
    return true;
  SmallVector<std::pair<Value, bool>> parts;
  if (splitCondition(condition, wanted, parts))
    return llvm::all_of(parts, [&](auto part) {
      return holds(part.first, part.second, depth - 1);
    });
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  SmallVector<Form> negative;
  if (compare && compare.getLhs().getType().isIntOrIndex())
    getComparison(ranges, compare, wanted, negative);
  return !negative.empty() && llvm::all_of(negative, [&](const Form &form) {
    return isNegative(form);
  });
}

bool IndexBounds::Impl::prove(const Form &form, unsigned depth) {
  if (steps == 0)
    return false;
  --steps;
  if (ranges.getRange(form).max < 0)
    return true;
  if (form.terms.empty() || form.terms.size() > 8 || depth == 0)
    return false;
  for (const Form &fact : ranges.getFacts()) {
    Form rest = form;
    rest.add(fact, -1);
    if (ranges.getRange(rest).max <= 0)
      return true;
  }
  for (const auto &term : form.terms)
    for (const Form &above : ranges.getUpperForms(term.symbol, term.factor)) {
      Form next = form;
      next.terms.erase(next.terms.begin() + (&term - form.terms.begin()));
      next.add(above);
      if (prove(next, depth - 1))
        return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

IndexBounds::IndexBounds(Operation *at) : impl(std::make_unique<Impl>(at)) {}
IndexBounds::~IndexBounds() = default;

/// `-index - 1`
static Form getBelowZero(const Form &index) {
  Form form = Form().add(index, -1);
  form.constant -= 1;
  return form;
}

bool IndexBounds::endsInside(OpFoldResult offset, OpFoldResult size,
                             Value memref, int64_t dim) {
  Form form = impl->ranges.getForm(offset);
  form.add(impl->ranges.getForm(size));
  form.add(impl->ranges.getExtent(memref, dim), -1);
  form.constant -= 1;
  return impl->isNegative(form);
}

bool IndexBounds::isNeverReached() const { return impl->isNeverReached; }

bool IndexBounds::isNotNegative(OpFoldResult index) {
  return impl->isNegative(getBelowZero(impl->ranges.getForm(index)));
}

bool IndexBounds::isBelowExtent(Value index, Value memref, int64_t dim) {
  Form form = impl->ranges.getForm(index);
  return impl->isNegative(form.add(impl->ranges.getExtent(memref, dim), -1));
}

bool IndexBounds::holdsInside(Value condition, ValueRange indices,
                              Value memref) {
  Ranges saved = impl->ranges;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Form form = impl->ranges.getForm(index);
    impl->ranges.addFact(getBelowZero(form));
    impl->ranges.addFact(form.add(impl->ranges.getExtent(memref, dim), -1));
  }
  impl->numConditions = 256;
  bool result = impl->holds(condition, true);
  impl->ranges = std::move(saved);
  return result;
}

IndexBounds::Range IndexBounds::getRange(Value index) {
  Form form = impl->ranges.getForm(index);
  WideRange range = impl->ranges.getRange(form);
  auto clamp = [](__int128 value) {
    return int64_t(std::clamp<__int128>(value, INT64_MIN, INT64_MAX));
  };
  return {clamp(range.min), clamp(range.max), impl->ranges.isExact(form)};
}
