//===- CCEExpression.cpp - Expressions of CCE text --------------------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CCEExpression.h"

using namespace tilepipe::ascend;

namespace tilepipe::ascend {

/// Both values, if none wraps.
template <typename F>
static std::optional<int64_t> fold(const Expression &a, const Expression &b,
                                   F f) {
  int64_t result;
  if (!a.getConstant() || !b.getConstant() ||
      f(*a.getConstant(), *b.getConstant(), result))
    return std::nullopt;
  return result;
}

Expression operator+(const Expression &a, const Expression &b) {
  if (std::optional<int64_t> value =
          fold(a, b, [](int64_t x, int64_t y, int64_t &r) {
            return __builtin_add_overflow(x, y, &r);
          }))
    return *value;
  if (a.getConstant() == 0)
    return b;
  if (b.getConstant() == 0)
    return a;
  if (b.getConstant() < 0 && b.getConstant() != INT64_MIN && b.getConstant())
    return Expression(a.at(Expression::Sum) + " - " +
                          std::to_string(-*b.getConstant()),
                      Expression::Sum);
  return Expression(a.at(Expression::Sum) + " + " + b.at(Expression::Sum),
                    Expression::Sum);
}

Expression operator-(const Expression &a, const Expression &b) {
  if (std::optional<int64_t> value =
          fold(a, b, [](int64_t x, int64_t y, int64_t &r) {
            return __builtin_sub_overflow(x, y, &r);
          }))
    return *value;
  if (b.getConstant() == 0)
    return a;
  return Expression(a.at(Expression::Sum) + " - " + b.at(Expression::Product),
                    Expression::Sum);
}

Expression operator*(const Expression &a, const Expression &b) {
  if (std::optional<int64_t> value =
          fold(a, b, [](int64_t x, int64_t y, int64_t &r) {
            return __builtin_mul_overflow(x, y, &r);
          }))
    return *value;
  if (a.getConstant() == 0 || b.getConstant() == 0)
    return 0;
  if (a.getConstant() == 1)
    return b;
  if (b.getConstant() == 1)
    return a;
  // The second operand is an atom: a product may hold a division.
  return Expression(a.at(Expression::Product) + " * " + b.at(Expression::Atom),
                    Expression::Product);
}

Expression operator/(const Expression &a, int64_t b) {
  if (a.getConstant())
    return *a.getConstant() / b;
  if (b == 1)
    return a;
  return Expression(a.at(Expression::Product) + " / " + std::to_string(b),
                    Expression::Product);
}

Expression operator%(const Expression &a, int64_t b) {
  if (a.getConstant())
    return *a.getConstant() % b;
  if (b == 1)
    return 0;
  return Expression(a.at(Expression::Product) + " % " + std::to_string(b),
                    Expression::Product);
}

Expression Expression::ceilDiv(const Expression &a, int64_t b) {
  if (b == 1)
    return a;
  return (a + Expression(b - 1)) / b;
}

} // namespace tilepipe::ascend
