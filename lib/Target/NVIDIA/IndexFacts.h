//===- IndexFacts.h - What is known about an index ------------ -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_INDEXFACTS_H
#define TILEPIPE_LIB_TARGET_NVIDIA_INDEXFACTS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

namespace tilepipe::nvidia {

/// Bounds of an integer, both included. Arithmetic of the user is taken not to
/// overflow.
struct IndexRange {
  static constexpr int64_t kInfinity = int64_t(1) << 48;
  int64_t min = -kInfinity;
  int64_t max = kInfinity;
};
/// In `block`, if that is given: what holds where its guards are true.
IndexRange getRange(mlir::Value value, mlir::Block *block = nullptr);
IndexRange getRange(mlir::OpFoldResult value, mlir::Block *block = nullptr);

/// A power of two, at most 64, that divides an integer in every execution.
int64_t getDivisor(mlir::Value value);
int64_t getDivisor(int64_t value);

/// `value` as a function of `iv`: the factor by which it grows with `iv`, none
/// if it is not linear in it.
std::optional<int64_t> getCoefficient(mlir::Value value, mlir::Value iv);

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_INDEXFACTS_H
