//===- CCEScalars.cpp - Index and scalar arithmetic as CCE text -------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CCEPrinter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

/// True if a number is known not to be below `bound`.
static bool isAtLeast(Value value, int64_t bound) {
  APInt constant;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           isAtLeast(loop.getLowerBound(), bound);
  }
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue() >= bound;
  auto max = value.getDefiningOp<arith::MaxSIOp>();
  return max &&
         (isAtLeast(max.getLhs(), bound) || isAtLeast(max.getRhs(), bound));
}

/// True if a number is known not to be negative, so that the signed operator of
/// C++ does what the unsigned operation asks for.
static bool isNonNegative(Value value, unsigned depth = 0) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isNegative();
  if (depth > 6)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           isNonNegative(loop.getLowerBound(), depth + 1);
  }
  Operation *op = value.getDefiningOp();
  if (isa<memref::DimOp, BlockIdxOp, BlockNumOp, SubBlockIdxOp>(op))
    return true;
  if (isa<arith::MaxSIOp>(op))
    return isNonNegative(op->getOperand(0), depth + 1) ||
           isNonNegative(op->getOperand(1), depth + 1);
  if (isa<arith::RemUIOp, arith::MinUIOp>(op) &&
      isNonNegative(op->getOperand(1), depth + 1))
    return true;
  // What has at least as much as is taken off: a maximum, an induction
  // variable.
  APInt less;
  if (isa<arith::SubIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&less)))
    return isAtLeast(op->getOperand(0), less.getSExtValue());
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isNonNegative(select.getTrueValue(), depth + 1) &&
           isNonNegative(select.getFalseValue(), depth + 1);
  if (isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::DivSIOp,
          arith::RemUIOp, arith::RemSIOp, arith::CeilDivUIOp,
          arith::CeilDivSIOp, arith::FloorDivSIOp, arith::MinSIOp,
          arith::MinUIOp, arith::MaxUIOp, arith::IndexCastOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return isNonNegative(operand, depth + 1);
    });
  return false;
}

static Expression infix(const Expression &a, StringRef op,
                        const Expression &b) {
  return Expression(
      (a.at(Expression::Sum) + " " + op + " " + b.at(Expression::Sum)).str(),
      Expression::Other);
}

static Expression function(StringRef name, const Expression &a,
                           const Expression &b) {
  return Expression((name + "(" + a.str() + ", " + b.str() + ")").str(),
                    Expression::Atom);
}

static Expression cast(StringRef type, const Expression &a) {
  return Expression(("(" + type + ")" + a.at(Expression::Atom)).str(),
                    Expression::Product);
}

Expression CCEPrinter::getConstant(arith::ConstantOp op) {
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue())) {
    if (integer.getType().isInteger(1))
      return Expression(integer.getValue().isZero() ? "false" : "true",
                        Expression::Atom);
    return integer.getValue().getSExtValue();
  }
  auto number = cast<FloatAttr>(op.getValue());
  APFloat value = number.getValue();
  std::string type = number.getType().isF32()    ? "float"
                     : number.getType().isBF16() ? "bfloat16_t"
                                                 : "half";
  if (!value.isFinite()) {
    std::string text =
        value.isNaN() ? "__builtin_nanf(\"\")" : "__builtin_inff()";
    if (value.isNegative())
      text = "-" + text;
    return Expression(type == "float" ? text : "(" + type + ")" + text,
                      Expression::Product);
  }
  // All its bits, as a float.
  bool lost;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  SmallString<32> digits;
  value.toString(digits, 9, 4);
  if (!digits.str().contains_insensitive('e') && !digits.str().contains('.'))
    digits += ".0";
  std::string text = (digits + "f").str();
  if (type != "float")
    text = "(" + type + ")" + text;
  return Expression(text, value.isNegative() || type != "float"
                              ? Expression::Product
                              : Expression::Atom);
}

Expression CCEPrinter::getDivision(Operation &op) {
  Expression a = get(op.getOperand(0)), b = get(op.getOperand(1));
  bool plain =
      isNonNegative(op.getOperand(0)) && isNonNegative(op.getOperand(1));
  bool remainder = isa<arith::RemUIOp, arith::RemSIOp>(op);
  bool isUnsigned = isa<arith::RemUIOp, arith::DivUIOp, arith::CeilDivUIOp>(op);
  if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op)) {
    if (plain && b.getConstant() && *b.getConstant() > 0)
      return Expression::ceilDiv(a, *b.getConstant());
    helpers.ceilDiv = true;
    return function("tp_ceildiv", a, b);
  }
  if (isa<arith::FloorDivSIOp>(op) && !plain) {
    // floor(a / b) = -ceil(-a / b)
    helpers.ceilDiv = true;
    return Expression("-" + function("tp_ceildiv", Expression(0) - a, b).str(),
                      Expression::Product);
  }
  if (plain || !isUnsigned) {
    if (b.getConstant() && *b.getConstant() > 0)
      return remainder ? a % *b.getConstant() : a / *b.getConstant();
    return Expression(a.at(Expression::Product) + (remainder ? " % " : " / ") +
                          b.at(Expression::Atom),
                      Expression::Product);
  }
  return Expression("(int64_t)((uint64_t)" + a.at(Expression::Atom) +
                        (remainder ? " % " : " / ") +
                        (b.getConstant() > 0
                             ? b.str()
                             : "(uint64_t)" + b.at(Expression::Atom)) +
                        ")",
                    Expression::Atom);
}

Expression CCEPrinter::getCompare(Operation &op) {
  Expression a = get(op.getOperand(0)), b = get(op.getOperand(1));
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    static const char *const signs[] = {"==", "!=", "<",  "<=", ">",
                                        ">=", "<",  "<=", ">",  ">="};
    auto predicate = unsigned(compare.getPredicate());
    bool isUnsigned = predicate >= unsigned(arith::CmpIPredicate::ult);
    if (isUnsigned &&
        !(isNonNegative(compare.getLhs()) && isNonNegative(compare.getRhs()))) {
      a = cast("uint64_t", a);
      b = cast("uint64_t", b);
    }
    return infix(a, signs[predicate], b);
  }
  // Ordered comparisons are those of C++; the unordered ones are the negations
  // of their opposites.
  using P = arith::CmpFPredicate;
  auto negate = [&](StringRef sign) {
    return Expression("!(" + infix(a, sign, b).str() + ")", Expression::Atom);
  };
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case P::OEQ:
    return infix(a, "==", b);
  case P::OGT:
    return infix(a, ">", b);
  case P::OGE:
    return infix(a, ">=", b);
  case P::OLT:
    return infix(a, "<", b);
  case P::OLE:
    return infix(a, "<=", b);
  case P::UNE:
    return infix(a, "!=", b);
  case P::UGT:
    return negate("<=");
  case P::UGE:
    return negate("<");
  case P::ULT:
    return negate(">=");
  case P::ULE:
    return negate(">");
  case P::AlwaysFalse:
    return Expression("false", Expression::Atom);
  case P::AlwaysTrue:
    return Expression("true", Expression::Atom);
  default:
    // one, ueq, ord, uno: not made by the lowering.
    return Expression(std::string(), Expression::Atom);
  }
}

/// Empty for operations that are not known.
Expression CCEPrinter::getInteger(Operation &op) {
  auto operand = [&](unsigned i) { return get(op.getOperand(i)); };
  bool boolean = op.getResult(0).getType().isInteger(1);
  auto select = [&](StringRef name, bool isUnsigned) {
    helpers.minMax = true;
    if (isUnsigned &&
        !(isNonNegative(op.getOperand(0)) && isNonNegative(op.getOperand(1))))
      return cast("int64_t",
                  function(("tp_u" + name).str(), cast("uint64_t", operand(0)),
                           cast("uint64_t", operand(1))));
    return function(("tp_" + name).str(), operand(0), operand(1));
  };
  return llvm::TypeSwitch<Operation *, Expression>(&op)
      .Case([&](arith::AddIOp) { return operand(0) + operand(1); })
      .Case([&](arith::SubIOp) { return operand(0) - operand(1); })
      .Case([&](arith::MulIOp) { return operand(0) * operand(1); })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
            arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(
          [&](auto) { return getDivision(op); })
      .Case([&](arith::MinSIOp) { return select("min", false); })
      .Case([&](arith::MaxSIOp) { return select("max", false); })
      .Case([&](arith::MinUIOp) { return select("min", true); })
      .Case([&](arith::MaxUIOp) { return select("max", true); })
      .Case([&](arith::AndIOp) {
        return infix(operand(0), boolean ? "&&" : "&", operand(1));
      })
      .Case([&](arith::OrIOp) {
        return infix(operand(0), boolean ? "||" : "|", operand(1));
      })
      .Case([&](arith::XOrIOp) {
        APInt one;
        if (boolean && matchPattern(op.getOperand(1), m_ConstantInt(&one)) &&
            one.isOne())
          return Expression("!" + operand(0).at(Expression::Atom),
                            Expression::Product);
        return infix(operand(0), boolean ? "!=" : "^", operand(1));
      })
      .Case([&](arith::ShLIOp) { return infix(operand(0), "<<", operand(1)); })
      .Case([&](arith::ShRSIOp) { return infix(operand(0), ">>", operand(1)); })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>([&](auto) {
        Type type = op.getResult(0).getType();
        if (type.isIndex() || type.isInteger(64))
          return cast("int64_t", operand(0));
        return cast("int" + std::to_string(type.getIntOrFloatBitWidth()) + "_t",
                    operand(0));
      })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>([&](auto) {
        Type from = op.getOperand(0).getType();
        if (from.isInteger(1) || from.isIndex() || from.isInteger(64))
          return cast("int64_t", operand(0));
        return cast(
            "int64_t",
            cast("uint" + std::to_string(from.getIntOrFloatBitWidth()) + "_t",
                 operand(0)));
      })
      .Case([&](BlockIdxOp) {
        return Expression("get_block_idx()", Expression::Atom);
      })
      .Case([&](BlockNumOp) {
        return Expression("get_block_num()", Expression::Atom);
      })
      .Case([&](SubBlockIdxOp) {
        return Expression("get_subblockid()", Expression::Atom);
      })
      .Default([](Operation *) {
        return Expression(std::string(), Expression::Atom);
      });
}

/// Empty for operations that are not known.
Expression CCEPrinter::getFloat(Operation &op) {
  auto operand = [&](unsigned i) { return get(op.getOperand(i)); };
  // Results of `half` arithmetic are `half` again.
  Type type = op.getResult(0).getType();
  std::string name = type.isF16()    ? "half"
                     : type.isBF16() ? "bfloat16_t"
                                     : "float";
  auto rounded = [&](Expression e) {
    return name == "float"
               ? e
               : cast(name, Expression("(" + e.str() + ")", Expression::Atom));
  };
  auto choose = [&](StringRef sign) {
    Expression a = operand(0), b = operand(1);
    return Expression(infix(a, sign, b).str() + " ? " + a.str() + " : " +
                          b.str(),
                      Expression::Other);
  };
  return llvm::TypeSwitch<Operation *, Expression>(&op)
      .Case([&](arith::AddFOp) {
        return rounded(infix(operand(0), "+", operand(1)));
      })
      .Case([&](arith::SubFOp) {
        return rounded(infix(operand(0), "-", operand(1)));
      })
      .Case([&](arith::MulFOp) {
        return rounded(infix(operand(0), "*", operand(1)));
      })
      .Case([&](arith::DivFOp) {
        return rounded(infix(operand(0), "/", operand(1)));
      })
      .Case([&](arith::NegFOp) {
        return Expression("-" + operand(0).at(Expression::Atom),
                          Expression::Product);
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](auto) { return choose(">"); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](auto) { return choose("<"); })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp>(
          [&](auto) { return cast(name, operand(0)); })
      .Default([](Operation *) {
        return Expression(std::string(), Expression::Atom);
      });
}

FailureOr<Expression> CCEPrinter::getScalar(Operation &op) {
  if (op.getNumResults() != 1)
    return op.emitOpError("cannot be printed as CCE"), failure();
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (!argument || !index || !type || *index < 0 || *index >= type.getRank())
      return op.emitOpError("cannot be printed: only sizes of arguments are "
                            "known"),
             failure();
    if (!type.isDynamicDim(*index))
      return Expression(type.getDimSize(*index));
    return Expression(get(argument).str() + "_d" + std::to_string(*index),
                      Expression::Atom);
  }
  // Of a cell, the only memory that has no instruction.
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return get(load.getMemRef());
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return Expression(get(select.getCondition()).at(Expression::Sum) + " ? " +
                          get(select.getTrueValue()).at(Expression::Sum) +
                          " : " +
                          get(select.getFalseValue()).at(Expression::Sum),
                      Expression::Other);
  Expression expression;
  if (isa<arith::CmpIOp, arith::CmpFOp>(op))
    expression = getCompare(op);
  else if (auto convert = dyn_cast<arith::FPToSIOp>(op))
    expression =
        cast("int" + std::to_string(convert.getType().getIntOrFloatBitWidth()) +
                 "_t",
             get(convert.getIn()));
  else if (isa<FloatType>(op.getResult(0).getType()))
    expression = getFloat(op);
  else
    expression = getInteger(op);
  if (expression.str().empty())
    return op.emitOpError("cannot be printed as CCE"), failure();
  return expression;
}
