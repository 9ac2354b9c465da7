//===- CCEExpression.h - Expressions of CCE text -*- C++ -*- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_CCEEXPRESSION_H
#define TILEPIPE_LIB_TARGET_ASCEND_CCEEXPRESSION_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace tilepipe::ascend {

/// An expression of C++ that is an integer or a pointer, with the constants in
/// it folded.
class Expression {
public:
  /// How tightly the outermost operator binds.
  enum Level { Other, Sum, Product, Atom };

  Expression() : Expression(0) {}
  Expression(int64_t value)
      : constant(value), level(value < 0 ? Other : Atom),
        text(value == INT64_MIN ? "INT64_MIN" : std::to_string(value)) {}
  Expression(std::string text, Level level)
      : level(level), text(std::move(text)) {}

  std::optional<int64_t> getConstant() const { return constant; }
  const std::string &str() const { return text; }
  /// In parentheses where `outer` binds tighter.
  std::string at(Level outer) const {
    return level >= outer ? text : "(" + text + ")";
  }

  friend Expression operator+(const Expression &a, const Expression &b);
  friend Expression operator-(const Expression &a, const Expression &b);
  friend Expression operator*(const Expression &a, const Expression &b);
  /// Of values that are not negative, by a positive constant.
  friend Expression operator/(const Expression &a, int64_t b);
  friend Expression operator%(const Expression &a, int64_t b);
  /// `ceil(a / b)` of the same.
  static Expression ceilDiv(const Expression &a, int64_t b);

private:
  std::optional<int64_t> constant;
  Level level;
  std::string text;
};

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_CCEEXPRESSION_H
