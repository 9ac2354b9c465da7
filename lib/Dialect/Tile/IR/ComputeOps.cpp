//===- ComputeOps.cpp - Buffers and statements that compute ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static LogicalResult checkCount(Operation *op, StringRef what, size_t got,
                                size_t want) {
  if (got == want)
    return success();
  return op->emitOpError("expects ") << want << " " << what << ", got " << got;
}

static LogicalResult checkElementType(Operation *op, StringRef what, Type got,
                                      MemRefType memref) {
  if (got == memref.getElementType())
    return success();
  return op->emitOpError("expects a ")
         << what << " of type " << memref.getElementType() << ", got " << got;
}

//===----------------------------------------------------------------------===//
// AllocOp
//===----------------------------------------------------------------------===//

void AllocOp::build(OpBuilder &b, OperationState &result, MemRefType type,
                    StringRef name) {
  build(b, result, type, name.empty() ? StringAttr() : b.getStringAttr(name),
        IntegerAttr(), IntegerAttr());
}

void AllocOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getName())
    setName(getResult(), *getName());
}

LogicalResult AllocOp::verify() {
  MemRefType type = getType();
  // (1)
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(extent))
      return emitOpError("expects a static shape, but dimension ")
             << dim << " of buffer '" << getBufferName(getResult())
             << "' is dynamic; allocate its upper bound";
  if (!type.getLayout().isIdentity())
    return emitOpError("expects an identity layout, got ") << type;
  // (2)
  if (getVersions() && int64_t(*getVersions()) < 1)
    return emitOpError("expects versions to be at least 1, got ")
           << int64_t(*getVersions());
  if (getOffset() && int64_t(*getOffset()) < 0)
    return emitOpError("expects offset to be at least 0, got ")
           << int64_t(*getOffset());
  return success();
}

//===----------------------------------------------------------------------===//
// SlotOp
//===----------------------------------------------------------------------===//

/// The type of one version of a buffer of type `source`.
static MemRefType getSlotType(MemRefType source) {
  return MemRefType::get(source.getShape().drop_front(), source.getElementType(),
                         MemRefLayoutAttrInterface(), source.getMemorySpace());
}

void SlotOp::build(OpBuilder &b, OperationState &result, Value source,
                   Value index) {
  build(b, result, getSlotType(cast<MemRefType>(source.getType())), source,
        index);
}

Value SlotOp::getViewSource() { return getSource(); }

LogicalResult SlotOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  // (2)
  if (source.getRank() < 1 || !source.hasStaticShape() ||
      !source.getLayout().isIdentity())
    return emitOpError(
               "expects a static source of rank 1 or more with identity layout, "
               "got ")
           << source;
  // (1)
  if (getResult().getType() != getSlotType(source))
    return emitOpError("expects result type ")
           << getSlotType(source) << ", got " << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// FillOp
//===----------------------------------------------------------------------===//

void FillOp::build(OpBuilder &b, OperationState &result, Value target,
                   Value value) {
  auto type = cast<MemRefType>(target.getType());
  build(b, result, target, value,
        SmallVector<OpFoldResult>(type.getRank(), b.getIndexAttr(0)),
        getAsIndexOpFoldResult(b.getContext(), type.getShape()));
}

void FillOp::build(OpBuilder &b, OperationState &result, Value target,
                   Value value, ArrayRef<OpFoldResult> offsets,
                   ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> staticOffsets, staticSizes;
  SmallVector<Value> dynamicOffsets, dynamicSizes;
  splitIndices(b, result.location, offsets, dynamicOffsets, staticOffsets);
  splitIndices(b, result.location, sizes, dynamicSizes, staticSizes);
  build(b, result, target, value, dynamicOffsets, dynamicSizes, staticOffsets,
        staticSizes);
}

SmallVector<OpFoldResult> FillOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}
SmallVector<OpFoldResult> FillOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}

void FillOp::getAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getTarget(), RegionAccess::Kind::Write, getMixedOffsets(),
                      getMixedSizes()});
}

void FillOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
}

/// target (offsets `sizes` sizes)? `with` value attr-dict `:` type `,` type
ParseResult FillOp::parse(OpAsmParser &parser, OperationState &result) {
  using Operand = OpAsmParser::UnresolvedOperand;
  Operand target, value;
  SmallVector<Operand> offsets, sizes;
  DenseI64ArrayAttr staticOffsets, staticSizes;
  Type valueType;
  MemRefType targetType;
  if (parser.parseOperand(target))
    return failure();
  if (failed(parser.parseOptionalKeyword("with")) &&
      (parseDynamicIndexList(parser, offsets, staticOffsets) ||
       parser.parseKeyword("sizes") ||
       parseDynamicIndexList(parser, sizes, staticSizes) ||
       parser.parseKeyword("with")))
    return failure();
  SMLoc typeLoc;
  if (parser.parseOperand(value) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(valueType) || parser.parseComma() ||
      parser.getCurrentLocation(&typeLoc) || parser.parseType(targetType))
    return failure();
  Builder &b = parser.getBuilder();
  if (!staticOffsets) {
    if (!targetType.hasStaticShape())
      return parser.emitError(typeLoc, "expects a region where the target is "
                                       "dynamic");
    staticOffsets = b.getDenseI64ArrayAttr(
        SmallVector<int64_t>(targetType.getRank(), 0));
    staticSizes = b.getDenseI64ArrayAttr(targetType.getShape());
  }
  Properties &props = result.getOrAddProperties<Properties>();
  props.static_offsets = staticOffsets;
  props.static_sizes = staticSizes;
  Type index = b.getIndexType();
  if (parser.resolveOperand(target, targetType, result.operands) ||
      parser.resolveOperand(value, valueType, result.operands) ||
      parser.resolveOperands(offsets, index, result.operands) ||
      parser.resolveOperands(sizes, index, result.operands))
    return failure();
  llvm::copy(ArrayRef<int32_t>({1, 1, int32_t(offsets.size()),
                                int32_t(sizes.size())}),
             props.operandSegmentSizes.begin());
  return success();
}

void FillOp::print(OpAsmPrinter &p) {
  auto type = cast<MemRefType>(getTarget().getType());
  p << ' ' << getTarget();
  bool whole = getOffsets().empty() && getSizes().empty() &&
               llvm::all_of(getStaticOffsets(), [](int64_t v) { return !v; }) &&
               getStaticSizes() == type.getShape();
  if (!whole) {
    printDynamicIndexList(p, *this, getOffsets(), getStaticOffsets());
    p << " sizes ";
    printDynamicIndexList(p, *this, getSizes(), getStaticSizes());
  }
  p << " with " << getValue();
  p.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes",
                                                "static_offsets",
                                                "static_sizes"});
  p << " : " << getValue().getType() << ", " << type;
}

LogicalResult FillOp::verify() {
  auto type = cast<MemRefType>(getTarget().getType());
  // (1)
  if (failed(checkCount(*this, "offsets", getStaticOffsets().size(),
                        type.getRank())) ||
      failed(checkCount(*this, "sizes", getStaticSizes().size(),
                        type.getRank())) ||
      failed(checkCount(*this, "dynamic offsets", getOffsets().size(),
                        llvm::count_if(getStaticOffsets(),
                                       ShapedType::isDynamic))) ||
      failed(checkCount(*this, "dynamic sizes", getSizes().size(),
                        llvm::count_if(getStaticSizes(),
                                       ShapedType::isDynamic))))
    return failure();
  // (2)
  if (failed(checkElementType(*this, "value", getValue().getType(), type)))
    return failure();
  // (3)
  for (auto [dim, offset, size, extent] : llvm::enumerate(
           getStaticOffsets(), getStaticSizes(), type.getShape())) {
    if (!ShapedType::isDynamic(size) && size < 0)
      return emitOpError("expects sizes not below 0, got ") << size;
    if (!ShapedType::isDynamic(offset) &&
        (offset < 0 ||
         (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(extent) &&
          size > extent - offset)))
      return emitOpError("expects the region to be in bounds, but dimension ")
             << dim << " runs from " << offset << " over " << size << " of "
             << extent << " elements";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// GemmOp
//===----------------------------------------------------------------------===//

static RegionAccess wholeAccess(Value buffer, RegionAccess::Kind kind) {
  return {buffer, kind, {}, {}};
}

void GemmOp::getAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back(wholeAccess(getA(), RegionAccess::Kind::Read));
  accesses.push_back(wholeAccess(getB(), RegionAccess::Kind::Read));
  accesses.push_back(wholeAccess(getC(), getClear()
                                             ? RegionAccess::Kind::Write
                                             : RegionAccess::Kind::Update));
}

void GemmOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getAMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable());
  if (!getClear())
    effects.emplace_back(MemoryEffects::Read::get(), &getCMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getCMutable());
}

LogicalResult GemmOp::verify() {
  auto a = cast<MemRefType>(getA().getType());
  auto b = cast<MemRefType>(getB().getType());
  auto c = cast<MemRefType>(getC().getType());
  // (1)
  for (auto [name, type] : {std::pair("a", a), {"b", b}, {"c", c}})
    if (type.getRank() != 2)
      return emitOpError("expects '") << name << "' to have rank 2, got "
                                      << type;
  auto checkExtent = [&](StringRef what, int64_t x, int64_t y) -> LogicalResult {
    if (x == y || ShapedType::isDynamic(x) || ShapedType::isDynamic(y))
      return success();
    return emitOpError("extents of ") << what << " do not agree: " << x
                                      << " and " << y;
  };
  int64_t ta = getTransposeA(), tb = getTransposeB();
  if (failed(checkExtent("k in 'a' and 'b'", a.getDimSize(1 - ta),
                         b.getDimSize(tb))) ||
      failed(checkExtent("m in 'a' and 'c'", a.getDimSize(ta),
                         c.getDimSize(0))) ||
      failed(checkExtent("n in 'b' and 'c'", b.getDimSize(1 - tb),
                         c.getDimSize(1))))
    return failure();
  // (2)
  Type sum = c.getElementType();
  for (auto [name, type] : {std::pair("a", a), {"b", b}}) {
    Type element = type.getElementType();
    bool sameKind = (isa<FloatType>(element) && isa<FloatType>(sum)) ||
                    (isa<IntegerType>(element) && isa<IntegerType>(sum));
    if (!sameKind ||
        element.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth())
      return emitOpError("cannot accumulate '")
             << name << "' of " << element << " in 'c' of " << sum;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

void ReduceOp::getAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back(wholeAccess(getSource(), RegionAccess::Kind::Read));
  accesses.push_back(wholeAccess(getTarget(), getClear()
                                                  ? RegionAccess::Kind::Write
                                                  : RegionAccess::Kind::Update));
}

void ReduceOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  if (!getClear())
    effects.emplace_back(MemoryEffects::Read::get(), &getTargetMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
}

LogicalResult ReduceOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto target = cast<MemRefType>(getTarget().getType());
  int64_t dimension = getDimension();
  // (1)
  if (dimension < 0 || dimension >= source.getRank())
    return emitOpError("expects a dimension in [0, ")
           << source.getRank() << "), got " << dimension;
  // (2)
  SmallVector<int64_t> dropped(source.getShape());
  SmallVector<int64_t> kept(source.getShape());
  dropped.erase(dropped.begin() + dimension);
  kept[dimension] = 1;
  if (failed(verifyCompatibleShape(target.getShape(), dropped)) &&
      failed(verifyCompatibleShape(target.getShape(), kept)))
    return emitOpError("expects a target with the shape of the source without "
                       "dimension ")
           << dimension << ", got " << target << " for " << source;
  Type from = source.getElementType(), to = target.getElementType();
  if (isa<FloatType>(from) != isa<FloatType>(to) || !to.isIntOrFloat())
    return emitOpError("cannot reduce elements of ") << from << " to " << to;
  // (3)
  bool bitwise = llvm::is_contained(
      {ReduceKind::And, ReduceKind::Or, ReduceKind::Xor}, getKind());
  if (bitwise && !isa<IntegerType>(to))
    return emitOpError("expects integers for '")
           << stringifyReduceKind(getKind()) << "', got " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// AtomicOp
//===----------------------------------------------------------------------===//

void AtomicOp::getAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  SmallVector<OpFoldResult> sizes(getIndices().size(),
                                  Builder(getContext()).getIndexAttr(1));
  accesses.push_back({getTarget(), RegionAccess::Kind::Update,
                      getAsOpFoldResult(getIndices()), sizes});
}

void AtomicOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getTargetMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
}

LogicalResult AtomicOp::verify() {
  auto type = cast<MemRefType>(getTarget().getType());
  // (1)
  if (failed(checkCount(*this, "indices", getIndices().size(), type.getRank())))
    return failure();
  // (2)
  if (failed(checkElementType(*this, "value", getValue().getType(), type)))
    return failure();
  bool bitwise = llvm::is_contained(
      {AtomicKind::And, AtomicKind::Or, AtomicKind::Xor}, getKind());
  if (bitwise && !isa<IntegerType>(type.getElementType()))
    return emitOpError("expects integers for '")
           << stringifyAtomicKind(getKind()) << "', got "
           << type.getElementType();
  return success();
}
