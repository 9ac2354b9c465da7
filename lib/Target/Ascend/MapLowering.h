//===- MapLowering.h - Maps as vector instructions --------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_MAPLOWERING_H
#define TILEPIPE_LIB_TARGET_ASCEND_MAPLOWERING_H

#include "VectorEmitter.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace tilepipe::ascend {

/// What a value of the body depends on: nothing, the row, the column, or both.
enum class Shape { Scalar, Column, Row, Full };

/// A value of the body for all points.
struct MapValue {
  Shape shape = Shape::Scalar;
  mlir::Type type;
  /// The value if it is a scalar.
  mlir::Value scalar;
  /// Where its elements are, else. A column lies like a row of the UB.
  VectorOperand operand;
  /// The buffer that it was read from.
  mlir::Value root;
  /// True for a tile that is free again after the last use.
  bool temporary = false;
};

/// `invariant + sum(factor * point)`.
struct LinearIndex {
  mlir::Value invariant;
  llvm::SmallVector<int64_t> factors;
};

/// A condition that holds for the first rows and columns, or (`negated`) for
/// the others. Null stands for all.
struct BoxCondition {
  mlir::Value rows, columns;
  bool negated = false;
};

/// Emits the instructions of one map.
class MapLowering {
public:
  MapLowering(Lowering &l, tile::MapOp map)
      : l(l), map(map), e(map.getLoc(), map), v(e) {}

  llvm::LogicalResult run();

private:
  mlir::InFlightDiagnostic error(mlir::Operation *op);

  // Values from outside, index arithmetic and accesses.
  bool isInvariant(mlir::Value value);
  mlir::Value hoist(mlir::Value value);
  bool parseIndex(mlir::Value value, LinearIndex &result, int64_t sign);
  llvm::FailureOr<LinearIndex> getLinear(mlir::Value value);
  llvm::FailureOr<MapValue> getAccess(mlir::Operation *op, mlir::Value memref,
                                      mlir::ValueRange indices);
  llvm::FailureOr<MapValue> classify(mlir::Operation *op, const Place &place,
                                     mlir::Value offset,
                                     llvm::ArrayRef<int64_t> steps);

  // Tiles and shapes.
  Domain getDomain(Shape shape) const;
  MapValue makeTemporary(Shape shape, mlir::Type type);
  void release(const MapValue &value);
  MapValue getTarget(mlir::Operation *op, Shape shape);
  static Shape join(Shape a, Shape b);
  MapValue materialize(const MapValue &value, Shape shape);
  MapValue spreadColumn(const MapValue &column);
  VectorOperand getOperand(const MapValue &value, Shape shape,
                           llvm::SmallVectorImpl<MapValue> &made);

  // Operations.
  llvm::LogicalResult lowerOp(mlir::Operation *op);
  llvm::LogicalResult lowerLoad(mlir::memref::LoadOp op);
  llvm::LogicalResult lowerStore(mlir::memref::StoreOp op);
  mlir::LogicalResult checkArithmetic(mlir::Operation *op);
  llvm::LogicalResult lowerBinary(mlir::Operation *op, BinaryKind kind);
  llvm::LogicalResult lowerUnary(mlir::Operation *op);
  llvm::LogicalResult lowerConvert(mlir::Operation *op);
  llvm::LogicalResult lowerIf(mlir::scf::IfOp op);
  llvm::LogicalResult lowerSelect(mlir::Operation *op, mlir::Value condition,
                                  mlir::Value yes, mlir::Value no);
  llvm::LogicalResult selectByData(mlir::Operation *op,
                                   mlir::arith::CmpFOp compare, mlir::Value yes,
                                   mlir::Value no);
  llvm::FailureOr<BoxCondition> getBox(mlir::Value condition);
  void saveBefore(mlir::memref::StoreOp op, mlir::Value root);
  void moveTo(VectorOperand target, Shape targetShape, const MapValue &value,
              BoxCondition box);
  llvm::FailureOr<MapValue> getValue(mlir::Operation *user, mlir::Value value);
  /// Marks a use of a value; its tile is free after the last one.
  void countUses(mlir::Operation *op);
  void setValue(mlir::Operation *op, MapValue value);

  Lowering &l;
  tile::MapOp map;
  Emitter e;
  VectorEmitter v;
  Domain domain;
  llvm::SmallVector<int64_t> extents;
  mlir::IRMapping hoisted;
  llvm::MapVector<mlir::Value, MapValue> values;
  llvm::DenseMap<mlir::Value, unsigned> numUsesSeen;
  llvm::StringMap<llvm::SmallVector<mlir::Value>> freeTemporaries;
  llvm::SmallPtrSet<mlir::Operation *, 4> finishedStores;
  /// The condition of the branch that is being lowered.
  BoxCondition branch;
  unsigned numTemporaries = 0;
};

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_MAPLOWERING_H
