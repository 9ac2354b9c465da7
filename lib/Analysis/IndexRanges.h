//===- IndexRanges.h - Linear forms and ranges of indices -------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_ANALYSIS_INDEXRANGES_H
#define TILEPIPE_LIB_ANALYSIS_INDEXRANGES_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace tilepipe::bounds {

/// Bounds, both included, wide enough for sums and products of 64 bits.
struct WideRange {
  static constexpr __int128 kInfinity = __int128(1) << 100;
  __int128 min = -kInfinity, max = kInfinity;

  bool isInside(WideRange other) const {
    return min >= other.min && max <= other.max;
  }
};

/// A value that is not taken apart; with `dim`, an extent of a memref.
struct Symbol {
  mlir::Value value;
  int64_t dim = -1;
  bool operator==(const Symbol &other) const {
    return value == other.value && dim == other.dim;
  }
};

/// `constant + sum(factor * symbol)`, exact.
struct Form {
  struct Term {
    Symbol symbol;
    int64_t factor;
  };
  __int128 constant = 0;
  llvm::SmallVector<Term, 4> terms;
  /// A number was too large: this may be anything.
  bool isUnknown = false;

  Form &add(const Form &other, int64_t factor = 1);
};

/// Forms and ranges of values, as far as facts and the definitions tell.
class Ranges {
public:
  Form getForm(mlir::Value value);
  Form getForm(mlir::OpFoldResult value);
  Form getExtent(mlir::Value memref, int64_t dim);
  WideRange getRange(mlir::Value value);
  WideRange getRange(const Form &form);
  WideRange getRange(const Symbol &symbol);

  /// Forms that `factor * symbol` does not exceed: each holds by itself.
  llvm::SmallVector<Form, 2> getUpperForms(const Symbol &symbol,
                                           int64_t factor);
  /// True if the ends of its range are values of the form.
  bool isExact(const Form &form);
  /// True if a loop, a map or a launch is sure to be empty.
  bool neverRuns(mlir::Operation *loop);

  /// From now on the form is known to be negative.
  void addFact(Form form);
  llvm::ArrayRef<Form> getFacts() const { return facts; }

private:
  Form makeForm(mlir::Value value);
  WideRange getOwnRange(mlir::Value value);
  WideRange getOperationRange(mlir::Operation *op, mlir::Value value);
  WideRange getArgumentRange(mlir::BlockArgument argument);
  WideRange refine(WideRange range, const Symbol &symbol);
  /// The first value that computes the same.
  mlir::Value getRepresentative(mlir::Value value);

  llvm::SmallVector<Form> facts;
  llvm::DenseMap<mlir::Value, WideRange> known;
  llvm::DenseMap<mlir::Value, Form> knownForms;
  llvm::DenseSet<mlir::Value> inProgress;
  llvm::SmallVector<mlir::Value> representatives;
  unsigned depth = 0;
};

} // namespace tilepipe::bounds

#endif // TILEPIPE_LIB_ANALYSIS_INDEXRANGES_H
