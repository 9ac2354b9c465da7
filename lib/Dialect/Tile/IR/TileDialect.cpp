//===- TileDialect.cpp - The tile dialect ---------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

#include "tilepipe/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "tilepipe/Dialect/Tile/IR/TileInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tilepipe/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilepipe/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilepipe/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// An attribute of this dialect on a foreign operation must have its type and
/// its place: no key has a meaning that is not checked here.
LogicalResult
TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == "tile.stage") {
    if (!isa<StageAttr>(value))
      return op->emitOpError("expects 'tile.stage' to be a #tile.stage, got ")
             << value;
    if (!isa_and_nonnull<PipelineOp>(op->getParentOp()))
      return op->emitOpError(
          "has 'tile.stage' but is not a statement of a 'tile.pipeline'");
    return success();
  }
  if (name == "tile.target") {
    if (!isa<TargetAttr>(value))
      return op->emitOpError("expects 'tile.target' to be a #tile.target, got ")
             << value;
    if (!isa<ModuleOp>(op))
      return op->emitOpError("has 'tile.target' but is not a module");
    return success();
  }
  if (name == "tile.num_stages") {
    auto count = dyn_cast<IntegerAttr>(value);
    if (!isa<scf::ForOp>(op))
      return op->emitOpError("has 'tile.num_stages' but is not an 'scf.for'");
    if (!count || !count.getType().isSignlessInteger(64) || count.getInt() < 0)
      return op->emitOpError(
                 "expects 'tile.num_stages' to be a non-negative i64, got ")
             << value;
    return success();
  }
  if (name == "tile.stages" || name == "tile.orders") {
    if (!isa<scf::ForOp>(op))
      return op->emitOpError("has '") << name << "' but is not an 'scf.for'";
    if (!isa<DenseI64ArrayAttr>(value))
      return op->emitOpError("expects '")
             << name << "' to be an array<i64>, got " << value;
    return success();
  }
  if (name == "tile.bounds") {
    if (!isa<cf::AssertOp>(op))
      return op->emitOpError("has 'tile.bounds' but is not a 'cf.assert'");
    if (!isa<LocationAttr>(value))
      return op->emitOpError("expects 'tile.bounds' to be a location, got ")
             << value;
    return success();
  }
  return op->emitOpError("has unknown attribute '") << name << "'";
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned region,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != kSizesAttr)
    return op->emitOpError("has unknown attribute '")
           << attribute.getName() << "' on argument " << argument;
  auto type = dyn_cast<MemRefType>(
      op->getRegion(region).empty()
          ? Type()
          : op->getRegion(region).getArgument(argument).getType());
  auto names = dyn_cast<ArrayAttr>(attribute.getValue());
  bool isRight = names && type && int64_t(names.size()) == type.getRank() &&
                 llvm::all_of(names, llvm::IsaPred<StringAttr>);
  if (!isRight)
    return op->emitOpError("expects '")
           << attribute.getName() << "' on argument " << argument
           << " to be one string for each dimension of a memref, got "
           << attribute.getValue();
  return success();
}

//===----------------------------------------------------------------------===//
// Questions about buffers and statements
//===----------------------------------------------------------------------===//

MemorySpace tile::getMemorySpace(MemRefType type) {
  Attribute space = type.getMemorySpace();
  if (auto attr = dyn_cast_or_null<SpaceAttr>(space))
    return attr.getValue();
  if (auto attr = dyn_cast_or_null<gpu::AddressSpaceAttr>(space)) {
    if (attr.getValue() == gpu::AddressSpace::Workgroup)
      return MemorySpace::Shared;
    if (attr.getValue() == gpu::AddressSpace::Private)
      return MemorySpace::Fragment;
  }
  // The numbers that NVVM gives to shared and local memory.
  if (auto attr = dyn_cast_or_null<IntegerAttr>(space)) {
    if (attr.getInt() == 3)
      return MemorySpace::Shared;
    if (attr.getInt() == 5)
      return MemorySpace::Fragment;
  }
  return MemorySpace::Global;
}

StageAttr tile::getStage(Operation *op) {
  return op->getAttrOfType<StageAttr>("tile.stage");
}

void tile::setStage(Operation *op, StageAttr stage) {
  if (stage)
    op->setAttr("tile.stage", stage);
  else
    op->removeAttr("tile.stage");
}

TargetAttr tile::getTarget(Operation *op) {
  for (Operation *it = op; it; it = it->getParentOp())
    if (auto target = it->getAttrOfType<TargetAttr>("tile.target"))
      return target;
  return getDefaultTarget(op->getContext());
}

std::string tile::getBufferName(Value buffer) {
  std::string name;
  llvm::raw_string_ostream os(name);
  if (auto alloc = buffer.getDefiningOp<AllocOp>(); alloc && alloc.getName()) {
    os << *alloc.getName();
    return name;
  }
  // What the printer would say, without numbering the whole function.
  if (auto argument = dyn_cast<BlockArgument>(buffer);
      argument &&
      isa_and_nonnull<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
      argument.getOwner()->isEntryBlock()) {
    os << "arg" << argument.getArgNumber();
    return name;
  }
  buffer.printAsOperand(os, OpPrintingFlags().skipRegions().assumeVerified());
  return name.substr(name.find_first_not_of('%'));
}

void tile::splitIndices(OpBuilder &b, Location loc,
                        ArrayRef<OpFoldResult> indices,
                        SmallVectorImpl<Value> &values,
                        SmallVectorImpl<int64_t> &constants) {
  for (OpFoldResult index : indices) {
    std::optional<int64_t> constant;
    if (auto attr = dyn_cast<Attribute>(index))
      constant = cast<IntegerAttr>(attr).getInt();
    if (constant && !ShapedType::isDynamic(*constant)) {
      constants.push_back(*constant);
      continue;
    }
    constants.push_back(ShapedType::kDynamic);
    values.push_back(constant ? arith::ConstantIndexOp::create(b, loc, *constant)
                                    .getResult()
                              : cast<Value>(index));
  }
}

int64_t tile::getTripCount(int64_t lower, int64_t upper, int64_t step) {
  if (step < 0)
    std::swap(lower, upper);
  if (step == 0 || lower >= upper)
    return 0;
  // The distance of two int64 values, and the size of a step, can exceed int64.
  uint64_t distance = uint64_t(upper) - uint64_t(lower);
  uint64_t size = step < 0 ? -uint64_t(step) : uint64_t(step);
  uint64_t count = (distance - 1) / size + 1;
  return int64_t(std::min<uint64_t>(count, INT64_MAX));
}
