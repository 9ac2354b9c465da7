//===- IndexRanges.cpp - Linear forms and ranges of indices ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexRanges.h"

#include "tilepipe/Analysis/IndexBounds.h"
#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::bounds;

/// Definitions are looked into this deep.
static constexpr unsigned kMaxDepth = 24;
static constexpr int64_t kMaxFactor = int64_t(1) << 60;
/// No buffer has more elements along a dimension.
static constexpr int64_t kMaxExtent = int64_t(1) << 60;
static constexpr __int128 kInfinity = WideRange::kInfinity;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static __int128 clamp(__int128 value) {
  return std::clamp(value, -kInfinity, kInfinity);
}

static __int128 multiply(__int128 a, __int128 b) {
  __int128 product;
  if (!__builtin_mul_overflow(a, b, &product))
    return clamp(product);
  return (a < 0) == (b < 0) ? kInfinity : -kInfinity;
}

static WideRange operator+(WideRange a, WideRange b) {
  return {a.min <= -kInfinity || b.min <= -kInfinity ? -kInfinity
                                                     : clamp(a.min + b.min),
          a.max >= kInfinity || b.max >= kInfinity ? kInfinity
                                                   : clamp(a.max + b.max)};
}

static WideRange operator-(WideRange a) { return {-a.max, -a.min}; }

static WideRange corners(WideRange a, WideRange b,
                         function_ref<__int128(__int128, __int128)> op) {
  __int128 values[] = {op(a.min, b.min), op(a.min, b.max), op(a.max, b.min),
                       op(a.max, b.max)};
  return {*std::min_element(std::begin(values), std::end(values)),
          *std::max_element(std::begin(values), std::end(values))};
}

static WideRange unite(WideRange a, WideRange b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

static __int128 floorDivide(__int128 a, __int128 b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

Form &Form::add(const Form &other, int64_t factor) {
  isUnknown |= other.isUnknown;
  __int128 scaled;
  if (__builtin_mul_overflow(other.constant, __int128(factor), &scaled) ||
      clamp(scaled) != scaled ||
      clamp(constant + scaled) != constant + scaled) {
    isUnknown = true;
    return *this;
  }
  constant += scaled;
  for (const Term &term : other.terms) {
    __int128 sum = __int128(term.factor) * factor;
    auto *it = llvm::find_if(
        terms, [&](const Term &mine) { return mine.symbol == term.symbol; });
    if (it != terms.end())
      sum += it->factor;
    if (sum > kMaxFactor || sum < -kMaxFactor) {
      isUnknown = true;
      return *this;
    }
    if (it == terms.end())
      terms.push_back({term.symbol, int64_t(sum)});
    else if (sum != 0)
      it->factor = int64_t(sum);
    else
      terms.erase(it);
  }
  return *this;
}

/// What the type holds, read with a sign.
static WideRange getTypeRange(Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width == 0 || width > 64)
    return {};
  __int128 half = __int128(1) << (width - 1);
  return {-half, half - 1};
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// True if pure operations without regions compute the same.
static bool isSame(Value a, Value b, unsigned depth) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || depth == 0 || x->getName() != y->getName() ||
      x->getNumOperands() != y->getNumOperands() || x->getNumRegions() != 0 ||
      a.getType() != b.getType() || !isPure(x) ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber() ||
      x->getPropertiesAsAttribute() != y->getPropertiesAsAttribute())
    return false;
  return llvm::all_of(
      llvm::zip(x->getOperands(), y->getOperands()), [&](auto pair) {
        return isSame(std::get<0>(pair), std::get<1>(pair), depth - 1);
      });
}

Value Ranges::getRepresentative(Value value) {
  constexpr unsigned kMaxNesting = 6;
  for (Value other : representatives)
    if (other.getType() == value.getType() && isSame(other, value, kMaxNesting))
      return other;
  representatives.push_back(value);
  return value;
}

static Form getConstant(int64_t value) {
  Form form;
  form.constant = value;
  return form;
}

static Form getSymbol(Symbol symbol, int64_t factor = 1) {
  Form form;
  form.terms.push_back({symbol, factor});
  return form;
}

Form Ranges::getForm(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getConstant(*constant);
  return getForm(cast<Value>(value));
}

std::pair<Value, int64_t> tilepipe::getNamedSize(Value memref, int64_t dim) {
  auto argument = dyn_cast<BlockArgument>(memref);
  auto function = argument ? dyn_cast_or_null<FunctionOpInterface>(
                                 argument.getOwner()->getParentOp())
                           : FunctionOpInterface();
  if (!function || !argument.getOwner()->isEntryBlock())
    return {memref, dim};
  auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                    tile::kSizesAttr);
  if (!names || dim >= int64_t(names.size()) ||
      cast<StringAttr>(names[dim]).empty())
    return {memref, dim};
  for (unsigned i = 0; i <= argument.getArgNumber(); ++i)
    if (auto others = function.getArgAttrOfType<ArrayAttr>(i, tile::kSizesAttr))
      for (auto [number, other] : llvm::enumerate(others))
        if (other == names[dim])
          return {function.getArgument(i), int64_t(number)};
  return {memref, dim};
}

Form Ranges::getExtent(Value memref, int64_t dim) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return getSymbol({memref, dim});
  if (!type.isDynamicDim(dim))
    return getConstant(type.getDimSize(dim));
  if (auto view = memref.getDefiningOp<memref::SubViewOp>();
      view && view.getDroppedDims().none())
    return getForm(view.getMixedSizes()[dim]);
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return getExtent(cast.getSource(), dim);
  auto [other, number] = getNamedSize(memref, dim);
  return getSymbol({other, number});
}

Form Ranges::getForm(Value value) {
  if (auto it = knownForms.find(value); it != knownForms.end())
    return it->second;
  Form form = makeForm(value);
  knownForms[value] = form;
  return form;
}

Form Ranges::makeForm(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getConstant(*constant);
  Operation *op = value.getDefiningOp();
  if (!op || depth >= kMaxDepth) {
    // What a loop hands on to its body is what its condition got.
    auto argument = dyn_cast<BlockArgument>(value);
    auto loop =
        argument
            ? dyn_cast_or_null<scf::WhileOp>(argument.getOwner()->getParentOp())
            : scf::WhileOp();
    if (loop && depth < kMaxDepth &&
        argument.getOwner()->getParent() == &loop.getAfter()) {
      ++depth;
      llvm::scope_exit leave([&] { --depth; });
      return getForm(loop.getConditionOp().getArgs()[argument.getArgNumber()]);
    }
    return getSymbol({getRepresentative(value)});
  }
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  auto operand = [&](unsigned i) { return getForm(op->getOperand(i)); };
  WideRange fits = getTypeRange(value.getType());
  auto checked = [&](Form form) {
    return !form.isUnknown && getRange(form).isInside(fits)
               ? form
               : getSymbol({getRepresentative(value)});
  };
  if (auto extent = dyn_cast<memref::DimOp>(op))
    if (std::optional<int64_t> dim = getConstantIntValue(extent.getDimension()))
      return getExtent(extent.getSource(), *dim);
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return checked(operand(0).add(operand(1), isa<arith::AddIOp>(op) ? 1 : -1));
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0, 1})
      if (std::optional<int64_t> factor =
              getConstantIntValue(op->getOperand(i)))
        return checked(Form().add(operand(1 - i), *factor));
  if (isa<arith::ShLIOp>(op))
    if (std::optional<int64_t> by = getConstantIntValue(op->getOperand(1));
        by && *by >= 0 && *by < 60)
      return checked(Form().add(operand(0), int64_t(1) << *by));
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return checked(operand(0));
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op))
    if (Form form = operand(0); getRange(form).min >= 0)
      return checked(form);
  return getSymbol({getRepresentative(value)});
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

WideRange Ranges::getRange(const Form &form) {
  if (form.isUnknown)
    return {};
  WideRange sum{form.constant, form.constant};
  for (const Form::Term &term : form.terms) {
    WideRange range = getRange(term.symbol);
    if (term.factor < 0)
      range = -range;
    __int128 scale = term.factor < 0 ? -__int128(term.factor) : term.factor;
    sum =
        sum + WideRange{multiply(range.min, scale), multiply(range.max, scale)};
  }
  return sum;
}

WideRange Ranges::getRange(const Symbol &symbol) {
  if (symbol.dim >= 0)
    return refine({0, kMaxExtent}, symbol);
  return getRange(symbol.value);
}

WideRange Ranges::getRange(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {*constant, *constant};
  if (!value.getType().isIntOrIndex())
    return {};
  if (auto it = known.find(value); it != known.end())
    return it->second;
  WideRange all = getTypeRange(value.getType());
  if (depth >= kMaxDepth || !inProgress.insert(value).second)
    return all;
  ++depth;
  WideRange own = getOwnRange(value);
  // What does not fit may have wrapped around.
  if (!own.isInside(all))
    own = all;
  WideRange range = refine(own, {value});
  --depth;
  inProgress.erase(value);
  known[value] = range;
  return range;
}

/// A fact with the symbol and others of known range bounds it.
WideRange Ranges::refine(WideRange range, const Symbol &symbol) {
  for (const Form &fact : facts) {
    const Form::Term *mine =
        llvm::find_if(fact.terms, [&](const Form::Term &term) {
          return term.symbol == symbol;
        });
    if (mine == fact.terms.end() || std::abs(mine->factor) != 1)
      continue;
    WideRange rest{fact.constant, fact.constant};
    for (const Form::Term &term : fact.terms) {
      if (term.symbol == symbol)
        continue;
      WideRange other = term.symbol.dim >= 0 ? WideRange{0, kMaxExtent}
                                             : getRange(term.symbol.value);
      if (term.factor < 0)
        other = -other;
      __int128 scale = term.factor < 0 ? -__int128(term.factor) : term.factor;
      rest = rest +
             WideRange{multiply(other.min, scale), multiply(other.max, scale)};
    }
    // +-symbol + rest < 0
    if (rest.min <= -kInfinity)
      continue;
    if (mine->factor > 0)
      range.max = std::min(range.max, -1 - rest.min);
    else
      range.min = std::max(range.min, rest.min + 1);
  }
  // Here the place is never reached; any range will do.
  if (range.min > range.max)
    range.max = range.min;
  return range;
}

WideRange Ranges::getOwnRange(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getArgumentRange(argument);
  return getOperationRange(value.getDefiningOp(), value);
}

/// The extents of a box, or nothing.
static SmallVector<OpFoldResult> getExtents(Operation *op) {
  if (auto map = dyn_cast_or_null<tile::MapOp>(op))
    return map.getMixedExtents();
  if (auto launch = dyn_cast_or_null<tile::LaunchOp>(op))
    return launch.getMixedExtents();
  return {};
}

namespace {
/// `lower <= iv <= upper + slack`, in steps from `lower` if it is a constant.
struct Induction {
  OpFoldResult lower, upper;
  int64_t slack = -1;
  /// 0 if it is not a constant.
  int64_t step = 1;
};
} // namespace

static std::optional<Induction> getInduction(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  Builder b(argument.getContext());
  if (SmallVector<OpFoldResult> extents = getExtents(parent); !extents.empty())
    return Induction{b.getIndexAttr(0), extents[argument.getArgNumber()]};
  if (auto loop = dyn_cast_or_null<scf::ForOp>(parent);
      loop && argument == loop.getInductionVar() && !loop.getUnsignedCmp())
    return Induction{getAsOpFoldResult(loop.getLowerBound()),
                     getAsOpFoldResult(loop.getUpperBound()), -1,
                     getConstantIntValue(loop.getStep()).value_or(0)};
  if (auto loop = dyn_cast_or_null<tile::PipelineOp>(parent);
      loop && argument.getArgNumber() == 0) {
    std::optional<int64_t> step = loop.getStaticStep();
    if (step && *step < 0)
      return Induction{getAsOpFoldResult(loop.getUpper()),
                       getAsOpFoldResult(loop.getLower()), 0, 0};
    return Induction{getAsOpFoldResult(loop.getLower()),
                     getAsOpFoldResult(loop.getUpper()), -1, step.value_or(0)};
  }
  // Loops of other dialects count upwards; what their step is does not matter.
  if (auto loop = dyn_cast_or_null<LoopLikeOpInterface>(parent);
      loop && !isa<scf::ForOp, tile::PipelineOp>(parent)) {
    auto variables = loop.getLoopInductionVars();
    auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds();
    if (variables && lower && upper)
      for (auto [variable, from, to] : llvm::zip(*variables, *lower, *upper))
        if (variable == argument)
          return Induction{from, to, -1, 0};
  }
  return std::nullopt;
}

WideRange Ranges::getArgumentRange(BlockArgument argument) {
  if (std::optional<Induction> induction = getInduction(argument)) {
    WideRange lower = getRange(getForm(induction->lower));
    WideRange upper = getRange(getForm(induction->upper));
    WideRange result{lower.min, clamp(upper.max + induction->slack)};
    if (induction->step > 1 && lower.min == lower.max &&
        upper.max < kInfinity && result.max > lower.min)
      result.max = lower.min +
                   (result.max - lower.min) / induction->step * induction->step;
    if (result.min > result.max) // the body never runs
      result.max = result.min;
    // A downwards loop stops above its bound.
    if (induction->slack == 0)
      result.min = std::min(result.max, clamp(result.min + 1));
    return result;
  }
  // A counter that starts somewhere and never goes down.
  auto loop =
      dyn_cast_or_null<scf::WhileOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return {};
  unsigned number = argument.getArgNumber();
  if (argument.getOwner()->getParent() == &loop.getAfter())
    return getRange(getForm(loop.getConditionOp().getArgs()[number]));
  auto next =
      loop.getYieldOp().getOperand(number).getDefiningOp<arith::AddIOp>();
  if (!next || number >= loop.getAfterArguments().size())
    return {};
  auto handed = dyn_cast<BlockArgument>(next.getLhs());
  std::optional<int64_t> by = getConstantIntValue(next.getRhs());
  if (!by || *by < 0 || !handed ||
      handed.getOwner()->getParent() != &loop.getAfter() ||
      loop.getConditionOp().getArgs()[handed.getArgNumber()] != argument)
    return {};
  // It would take longer than anyone waits until it wraps around.
  if (getTypeRange(argument.getType()).max < INT64_MAX)
    return {};
  return {getRange(loop.getInits()[number]).min, INT64_MAX};
}

/// The remainder with the sign of the divisor, as Python has it.
static bool isFloorRemainder(arith::SelectOp op, int64_t &divisor) {
  auto remainder = op.getFalseValue().getDefiningOp<arith::RemSIOp>();
  auto shifted = op.getTrueValue().getDefiningOp<arith::AddIOp>();
  if (!remainder || !shifted || shifted.getLhs() != remainder.getResult())
    return false;
  std::optional<int64_t> by = getConstantIntValue(remainder.getRhs());
  if (!by || *by <= 0 || getConstantIntValue(shifted.getRhs()) != by)
    return false;
  // nonzero and of the other sign
  auto both = op.getCondition().getDefiningOp<arith::AndIOp>();
  auto nonzero =
      both ? both.getLhs().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto sign =
      both ? both.getRhs().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!nonzero || !sign || nonzero.getPredicate() != arith::CmpIPredicate::ne ||
      nonzero.getLhs() != remainder.getResult() ||
      getConstantIntValue(nonzero.getRhs()) != 0 ||
      sign.getPredicate() != arith::CmpIPredicate::slt ||
      getConstantIntValue(sign.getRhs()) != 0)
    return false;
  auto signs = sign.getLhs().getDefiningOp<arith::XOrIOp>();
  if (!signs || signs.getLhs() != remainder.getResult() ||
      getConstantIntValue(signs.getRhs()) != by)
    return false;
  divisor = *by;
  return true;
}

WideRange Ranges::getOperationRange(Operation *op, Value value) {
  auto operand = [&](unsigned i) {
    return getRange(getForm(op->getOperand(i)));
  };
  auto constant = [&](unsigned i) {
    return getConstantIntValue(op->getOperand(i));
  };
  return TypeSwitch<Operation *, WideRange>(op)
      .Case([&](memref::DimOp dim) {
        std::optional<int64_t> number = getConstantIntValue(dim.getDimension());
        return number ? getRange(getExtent(dim.getSource(), *number))
                      : WideRange{0, kMaxExtent};
      })
      .Case([&](arith::AddIOp) { return operand(0) + operand(1); })
      .Case([&](arith::SubIOp) { return operand(0) + -operand(1); })
      .Case([&](arith::MulIOp) {
        return corners(operand(0), operand(1), multiply);
      })
      .Case([&](arith::ShLIOp) {
        std::optional<int64_t> by = constant(1);
        if (!by || *by < 0 || *by >= 60)
          return WideRange();
        __int128 factor = __int128(1) << *by;
        return corners(operand(0), {factor, factor}, multiply);
      })
      .Case<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::ShRSIOp,
            arith::ShRUIOp>([&](Operation *) {
        WideRange a = operand(0);
        std::optional<int64_t> by = constant(1);
        if (by && isa<arith::ShRSIOp, arith::ShRUIOp>(op))
          by = *by >= 0 && *by < 60 ? int64_t(1) << *by : 0;
        bool rounds =
            isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::ShRSIOp>(op);
        if (!by || *by <= 0) {
          // By something positive: no further from zero.
          bool shrinks = !isa<arith::ShRSIOp, arith::ShRUIOp>(op) &&
                         a.min >= 0 && operand(1).min > 0;
          return shrinks ? WideRange{0, a.max} : WideRange();
        }
        if (a.min < 0 && !rounds)
          return WideRange();
        __int128 up =
            isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op) ? *by - 1 : 0;
        return WideRange{
            a.min <= -kInfinity ? a.min : floorDivide(a.min + up, *by),
            a.max >= kInfinity ? a.max : floorDivide(a.max + up, *by)};
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](Operation *) {
        WideRange a = operand(0), b = operand(1);
        if (b.min <= 0)
          return WideRange();
        if (isa<arith::RemUIOp>(op))
          return WideRange{0,
                           a.min >= 0 ? std::min(a.max, b.max - 1) : b.max - 1};
        return WideRange{a.min >= 0 ? 0 : std::max(a.min, 1 - b.max),
                         a.max <= 0 ? 0 : std::min(a.max, b.max - 1)};
      })
      .Case([&](arith::AndIOp) {
        WideRange a = operand(0), b = operand(1);
        if (a.min < 0 && b.min < 0)
          return WideRange();
        __int128 limit = a.min >= 0 ? a.max : b.max;
        return WideRange{0, a.min >= 0 && b.min >= 0 ? std::min(a.max, b.max)
                                                     : limit};
      })
      .Case([&](arith::MinSIOp) {
        WideRange a = operand(0), b = operand(1);
        return WideRange{std::min(a.min, b.min), std::min(a.max, b.max)};
      })
      .Case([&](arith::MaxSIOp) {
        WideRange a = operand(0), b = operand(1);
        return WideRange{std::max(a.min, b.min), std::max(a.max, b.max)};
      })
      .Case([&](arith::SelectOp select) {
        if (int64_t divisor; isFloorRemainder(select, divisor))
          return WideRange{0, divisor - 1};
        return unite(operand(1), operand(2));
      })
      .Case([&](scf::IfOp branch) {
        unsigned number = cast<OpResult>(value).getResultNumber();
        return unite(getRange(getForm(branch.thenYield().getOperand(number))),
                     getRange(getForm(branch.elseYield().getOperand(number))));
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](Operation *) { return operand(0); })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>([&](Operation *) {
        WideRange range = operand(0);
        if (range.min >= 0)
          return range;
        Type from = op->getOperand(0).getType();
        unsigned width = from.isIndex() ? 64 : from.getIntOrFloatBitWidth();
        return WideRange{0, (__int128(1) << width) - 1};
      })
      .Default([](Operation *) { return WideRange(); });
}

//===----------------------------------------------------------------------===//
// Symbolic bounds
//===----------------------------------------------------------------------===//

SmallVector<Form, 2> Ranges::getUpperForms(const Symbol &symbol,
                                           int64_t factor) {
  SmallVector<Form, 2> result;
  auto add = [&](const Form &form, int64_t scale, __int128 constant) {
    Form bound = Form().add(form, scale);
    bound.constant += constant;
    result.push_back(std::move(bound));
  };
  if (symbol.dim >= 0 || !symbol.value)
    return result;
  bool isUp = factor > 0;
  if (auto argument = dyn_cast<BlockArgument>(symbol.value)) {
    std::optional<Induction> induction = getInduction(argument);
    if (!induction)
      return result;
    if (isUp)
      add(getForm(induction->upper), factor,
          multiply(factor, induction->slack));
    else
      add(getForm(induction->lower), factor,
          induction->slack == 0 ? factor : 0);
    return result;
  }
  Operation *op = symbol.value.getDefiningOp();
  auto operand = [&](unsigned i) { return getForm(op->getOperand(i)); };
  if (isa<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    std::optional<int64_t> by = getConstantIntValue(op->getOperand(1));
    Form a = operand(0);
    bool rounds = isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op);
    if (!by || *by <= 0 || factor % *by != 0 ||
        (!rounds && getRange(a).min < 0))
      return result;
    // by * q is in (a - by, a], or in [a, a + by) where it is rounded up.
    bool isCeil = isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
    int64_t scale = factor / *by;
    __int128 slack = isUp ? (isCeil ? *by - 1 : 0) : (isCeil ? 0 : 1 - *by);
    add(a, scale, multiply(scale, slack));
    return result;
  }
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) && isUp) {
    // No larger than what it is a remainder of.
    if (Form a = operand(0); getRange(a).min >= 0)
      add(a, factor, 0);
    return result;
  }
  if (isUp ? isa<arith::MinSIOp>(op) : isa<arith::MaxSIOp>(op))
    for (unsigned i : {0, 1})
      add(operand(i), factor, 0);
  return result;
}

bool Ranges::neverRuns(Operation *loop) {
  if (loop->getNumRegions() == 0 || loop->getRegion(0).empty())
    return false;
  return llvm::any_of(
      loop->getRegion(0).front().getArguments(), [&](BlockArgument argument) {
        std::optional<Induction> induction = getInduction(argument);
        return induction &&
               getRange(getForm(induction->lower)).min >
                   getRange(getForm(induction->upper)).max + induction->slack;
      });
}

bool Ranges::isExact(const Form &form) {
  if (form.isUnknown)
    return false;
  return llvm::all_of(form.terms, [&](const Form::Term &term) {
    auto argument = dyn_cast<BlockArgument>(term.symbol.value);
    std::optional<Induction> induction =
        argument && term.symbol.dim < 0 ? getInduction(argument) : std::nullopt;
    return induction && induction->step > 0 && induction->slack == -1 &&
           getConstantIntValue(induction->lower) &&
           getConstantIntValue(induction->upper) &&
           *getConstantIntValue(induction->lower) <
               *getConstantIntValue(induction->upper);
  });
}

void Ranges::addFact(Form form) {
  if (form.isUnknown)
    return;
  // One symbol: it is in the ranges, and here for forms of several.
  facts.push_back(std::move(form));
  known.clear();
  knownForms.clear();
}
