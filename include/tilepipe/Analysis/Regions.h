//===- Regions.h - Regions of buffers as functions of the iteration -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access in the body of a loop touches an interval of each dimension of its
// root buffer. The interval starts at a linear expression of the iteration
// number, of values that do not change in the loop, and of values that do.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_ANALYSIS_REGIONS_H
#define TILEPIPE_ANALYSIS_REGIONS_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

namespace tilepipe {

/// `constant + iteration * n + sum(coefficient * value)` of iteration `n`.
struct LinearExpr {
  int64_t constant = 0;
  /// Growth from one iteration to the next.
  int64_t iteration = 0;
  /// Other values, sorted, with coefficients other than 0.
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2> terms;
  /// False for an expression that is not linear.
  bool known = true;

  LinearExpr &operator+=(const LinearExpr &other);
  LinearExpr &operator*=(int64_t factor);
};

/// One dimension of a region: the elements from `start + low` up to, but
/// without, `start + high`.
struct Interval {
  LinearExpr start;
  int64_t low = 0;
  int64_t high = 0;
  /// Nothing is known: any element.
  bool any = false;
  /// Each element in between is touched, not only some.
  bool dense = true;
};

/// What one operation touches, in the index space of the root buffer.
struct BufferAccess {
  mlir::Value root;
  /// The operation that does it: a statement or nested in one.
  mlir::Operation *op = nullptr;
  tile::RegionAccess::Kind kind;
  /// One for each dimension of the root, without the version dimension.
  llvm::SmallVector<Interval, 3> region;
  /// For a write: each element of the region is written in every iteration.
  bool definite = false;
  /// A condition of the iteration without which it does not happen, or null.
  mlir::Value guard = nullptr;
  /// For a write: each element of the region is written wherever `guard` is true.
  bool definiteIfGuard = false;
  /// For a read: it may see contents from before its own statement; from before
  /// its own iteration once a `DependenceGraph` has looked at it.
  bool exposed = true;
  /// The number of versions of the root between which the access rotates by
  /// iteration; 1 without versions, 0 for a slot that is not understood.
  int64_t versions = 1;
  /// The index of the `tile.slot` that it goes through, or null.
  mlir::Value slot = nullptr;

  bool reads() const { return kind != tile::RegionAccess::Kind::Write; }
  bool writes() const { return kind != tile::RegionAccess::Kind::Read; }
};

/// The buffer behind views, casts and slots: a `tile.alloc`, a block argument,
/// or the result of an operation that is not a view.
mlir::Value getRootBuffer(mlir::Value memref);

/// True if two roots may name overlapping memory. Distinct allocations and
/// distinct arguments do not.
bool mayAlias(mlir::Value a, mlir::Value b);

/// True for a root that is neither an allocation, an argument of a function nor a
/// global: it may alias others.
bool isOfUnknownOrigin(mlir::Value root);

/// Computes the accesses of operations in the body of one loop; without a loop
/// every value that is not a constant is a symbol.
class AccessCollector {
public:
  using Accesses = llvm::SmallVectorImpl<BufferAccess>;

  explicit AccessCollector(tile::PipelineOp loop = {});

  /// Appends what `op` and everything nested in it may touch, in program order.
  /// Returns the operation whose effects are not known, or null.
  mlir::Operation *collect(mlir::Operation *op, Accesses &accesses);

  /// Appends what `op` itself says it touches, an asynchronous copy as well.
  void collectOwn(tile::AccessOpInterface op, Accesses &accesses);

  /// The value of an index as an expression of the iteration.
  LinearExpr getLinearExpr(mlir::Value value);

private:
  mlir::Operation *collectRegions(mlir::Operation *op, Accesses &accesses);
  mlir::Operation *collectIf(mlir::Operation *op, Accesses &accesses);
  void add(Accesses &accesses, mlir::Operation *op,
           llvm::ArrayRef<tile::RegionAccess> regions);
  BufferAccess makeAccess(mlir::Operation *op, const tile::RegionAccess &access);
  void enterView(BufferAccess &access, mlir::Value buffer);
  void enterSubview(BufferAccess &access, mlir::memref::SubViewOp subview);
  LinearExpr getLinearExpr(mlir::OpFoldResult value);
  LinearExpr computeLinearExpr(mlir::Value value);

  tile::PipelineOp loop;
  std::optional<int64_t> step;
  llvm::DenseMap<mlir::Value, LinearExpr> exprs;
};

/// True if the two may touch a common element in one iteration.
bool mayOverlap(const BufferAccess &a, const BufferAccess &b,
                tile::PipelineOp loop);

/// The least `d >= 1` such that `b` in iteration `i + d` may touch an element
/// that `a` touches in iteration `i`; none if there is no such `d`.
std::optional<int64_t> getCarriedDistance(const BufferAccess &a,
                                          const BufferAccess &b,
                                          tile::PipelineOp loop);

/// True if the definite writes `writes`, of the same root and iteration,
/// together cover all that `read` may touch.
bool isCovered(const BufferAccess &read,
               llvm::ArrayRef<const BufferAccess *> writes);

/// An access to the whole of `root`.
BufferAccess getWholeAccess(mlir::Value root);

} // namespace tilepipe

#endif // TILEPIPE_ANALYSIS_REGIONS_H
