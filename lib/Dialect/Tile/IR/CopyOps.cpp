//===- CopyOps.cpp - Copies, synchronous and not --------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// What the two copies share
//===----------------------------------------------------------------------===//

/// The dimensions of a side of rank `rank` that a region of rank `regionRank`
/// runs over.
static SmallVector<int64_t> getRegionDims(int64_t rank, int64_t regionRank,
                                          std::optional<ArrayRef<int64_t>> dims) {
  if (rank == regionRank || !dims)
    return llvm::to_vector(llvm::seq<int64_t>(rank - regionRank, rank));
  return llvm::to_vector(*dims);
}

template <typename CopyT>
static void getCopyAccesses(CopyT op, SmallVectorImpl<RegionAccess> &accesses) {
  Builder b(op.getContext());
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  auto spread = [&](int64_t rank, ArrayRef<int64_t> dims) {
    SmallVector<OpFoldResult> all(rank, b.getIndexAttr(1));
    for (auto [dim, size] : llvm::zip_equal(dims, sizes))
      all[dim] = size;
    return all;
  };
  RegionAccess read{op.getSource(), RegionAccess::Kind::Read,
                    op.getMixedSourceOffsets(),
                    spread(op.getSourceType().getRank(), op.getSourceDims())};
  RegionAccess write{op.getTarget(), RegionAccess::Kind::Write,
                     op.getMixedTargetOffsets(),
                     spread(op.getTargetType().getRank(), op.getTargetDims())};
  read.guard = write.guard = op.getGuard();
  accesses.push_back(std::move(read));
  accesses.push_back(std::move(write));
}

/// Element types that a copy converts into each other.
static bool isConvertible(Type from, Type to) {
  return from == to || (from.isIntOrFloat() && to.isIntOrFloat());
}

template <typename CopyT>
static LogicalResult verifyCopy(CopyT op) {
  int64_t sourceRank = op.getSourceType().getRank();
  int64_t targetRank = op.getTargetType().getRank();
  int64_t regionRank = std::min(sourceRank, targetRank);
  // (1)
  auto checkCount = [&](StringRef what, size_t got, int64_t want) {
    return got == size_t(want) ? success()
                               : LogicalResult(op.emitOpError("expects ")
                                               << want << " " << what
                                               << ", got " << got);
  };
  if (failed(checkCount("source offsets", op.getStaticSourceOffsets().size(),
                        sourceRank)) ||
      failed(checkCount("target offsets", op.getStaticTargetOffsets().size(),
                        targetRank)) ||
      failed(checkCount("sizes", op.getStaticSizes().size(), regionRank)))
    return failure();
  auto checkDynamic = [&](StringRef what, ArrayRef<int64_t> statics,
                          size_t values) {
    return checkCount(what, values,
                      llvm::count_if(statics, ShapedType::isDynamic));
  };
  if (failed(checkDynamic("dynamic source offsets", op.getStaticSourceOffsets(),
                          op.getSourceOffsets().size())) ||
      failed(checkDynamic("dynamic target offsets", op.getStaticTargetOffsets(),
                          op.getTargetOffsets().size())) ||
      failed(checkDynamic("dynamic sizes", op.getStaticSizes(),
                          op.getSizes().size())))
    return failure();
  // (2)
  if (std::optional<ArrayRef<int64_t>> dims = op.getDims()) {
    if (sourceRank == targetRank)
      return op.emitOpError("expects no 'dims' where both sides have rank ")
             << sourceRank;
    if (failed(checkCount("dims", dims->size(), regionRank)))
      return failure();
    int64_t previous = -1;
    for (int64_t dim : *dims) {
      if (dim <= previous || dim >= std::max(sourceRank, targetRank))
        return op.emitOpError("expects 'dims' to increase and to be below ")
               << std::max(sourceRank, targetRank) << ", got " << dim
               << " after " << previous;
      previous = dim;
    }
  }
  // (3)
  Type from = op.getSourceType().getElementType();
  Type to = op.getTargetType().getElementType();
  if (!isConvertible(from, to))
    return op.emitOpError("cannot convert elements of ") << from << " to " << to;
  // (4)
  if (op.getFill() && op.getFill().getType() != to)
    return op.emitOpError("expects a fill value of type ")
           << to << ", got " << op.getFill().getType();
  // (5)
  for (int64_t size : op.getStaticSizes())
    if (!ShapedType::isDynamic(size) && size < 0)
      return op.emitOpError("expects sizes not below 0, got ") << size;
  for (auto [dim, offset] : llvm::enumerate(op.getStaticTargetOffsets())) {
    int64_t extent = op.getTargetType().getDimSize(dim);
    if (!ShapedType::isDynamic(offset) &&
        (offset < 0 || (!ShapedType::isDynamic(extent) && offset > extent)))
      return op.emitOpError("expects target offset ")
             << dim << " to be in [0, " << extent << "], got " << offset;
  }
  return success();
}

/// `sizes` of a copy that names none: the shape of the side of lower rank; where
/// ranks are equal that of the tile, the side that is on chip, or else the target.
static ArrayRef<int64_t> getDefaultSizes(MemRefType source, MemRefType target) {
  if (source.getRank() != target.getRank())
    return source.getRank() < target.getRank() ? source.getShape()
                                               : target.getShape();
  bool stores = getMemorySpace(source) != MemorySpace::Global &&
                getMemorySpace(target) == MemorySpace::Global;
  return stores ? source.getShape() : target.getShape();
}

static ParseResult parseIndexList(OpAsmParser &parser,
                                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values,
                                  DenseI64ArrayAttr &statics) {
  return parseDynamicIndexList(parser, values, statics);
}

/// source offsets? `to` target offsets? (`sizes` sizes)? (`dims` array)?
/// (`fill` v `:` type)? (`if` g)? attr-dict `:` type `to` type
template <typename CopyT>
static ParseResult parseCopy(OpAsmParser &parser, OperationState &result) {
  using Operand = OpAsmParser::UnresolvedOperand;
  Builder &b = parser.getBuilder();
  Operand source, target, fill, guard;
  SmallVector<Operand> offsets[2], sizes;
  DenseI64ArrayAttr statics[2], staticSizes, dims;
  Type fillType, types[2];
  bool hasFill = false, hasGuard = false;

  auto parseSide = [&](Operand &side, unsigned i) -> ParseResult {
    if (parser.parseOperand(side))
      return failure();
    // A '[' right here can only open an offset list.
    if (succeeded(parser.parseOptionalLSquare())) {
      SmallVector<int64_t> values;
      if (failed(parser.parseOptionalRSquare())) {
        do {
          Operand value;
          OptionalParseResult operand = parser.parseOptionalOperand(value);
          if (operand.has_value()) {
            if (failed(*operand))
              return failure();
            offsets[i].push_back(value);
            values.push_back(ShapedType::kDynamic);
            continue;
          }
          int64_t constant;
          if (parser.parseInteger(constant))
            return failure();
          values.push_back(constant);
        } while (succeeded(parser.parseOptionalComma()));
        if (parser.parseRSquare())
          return failure();
      }
      statics[i] = b.getDenseI64ArrayAttr(values);
    }
    return success();
  };
  if (parseSide(source, 0) || parser.parseKeyword("to") || parseSide(target, 1))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("sizes")) &&
      parseIndexList(parser, sizes, staticSizes))
    return failure();
  SmallVector<Operand> noOperands;
  if (succeeded(parser.parseOptionalKeyword("dims")) &&
      (parseIndexList(parser, noOperands, dims) || !noOperands.empty()))
    return parser.emitError(parser.getNameLoc(), "expects constant 'dims'");
  if (succeeded(parser.parseOptionalKeyword("fill"))) {
    hasFill = true;
    if (parser.parseOperand(fill) || parser.parseColonType(fillType))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("if"))) {
    hasGuard = true;
    if (parser.parseOperand(guard))
      return failure();
  }
  SMLoc typeLoc;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.getCurrentLocation(&typeLoc) || parser.parseType(types[0]) ||
      parser.parseKeyword("to") || parser.parseType(types[1]))
    return failure();

  MemRefType memrefs[2];
  for (unsigned i : {0u, 1u}) {
    memrefs[i] = dyn_cast<MemRefType>(types[i]);
    if (!memrefs[i])
      return parser.emitError(typeLoc, "expects memref types, got ") << types[i];
    if (!statics[i])
      statics[i] = b.getDenseI64ArrayAttr(
          SmallVector<int64_t>(memrefs[i].getRank(), 0));
  }
  if (!staticSizes) {
    ArrayRef<int64_t> shape = getDefaultSizes(memrefs[0], memrefs[1]);
    if (llvm::any_of(shape, ShapedType::isDynamic))
      return parser.emitError(typeLoc,
                              "expects 'sizes' where the side that gives them "
                              "(of lower rank, on chip, or the target) is "
                              "dynamic");
    staticSizes = b.getDenseI64ArrayAttr(shape);
  }
  typename CopyT::Properties &props =
      result.getOrAddProperties<typename CopyT::Properties>();
  props.static_source_offsets = statics[0];
  props.static_target_offsets = statics[1];
  props.static_sizes = staticSizes;
  props.dims = dims;
  Type index = b.getIndexType();
  if (parser.resolveOperand(source, types[0], result.operands) ||
      parser.resolveOperand(target, types[1], result.operands) ||
      parser.resolveOperands(offsets[0], index, result.operands) ||
      parser.resolveOperands(offsets[1], index, result.operands) ||
      parser.resolveOperands(sizes, index, result.operands))
    return failure();
  if (hasFill && parser.resolveOperand(fill, fillType, result.operands))
    return failure();
  if (hasGuard && parser.resolveOperand(guard, b.getI1Type(), result.operands))
    return failure();
  llvm::copy(ArrayRef<int32_t>({1, 1, int32_t(offsets[0].size()),
                                int32_t(offsets[1].size()),
                                int32_t(sizes.size()), hasFill, hasGuard}),
             props.operandSegmentSizes.begin());
  if constexpr (std::is_same_v<CopyT, AsyncCopyOp>)
    result.addTypes(TokenType::get(parser.getContext()));
  return success();
}

template <typename CopyT>
static void printCopy(CopyT op, OpAsmPrinter &p) {
  auto printOffsets = [&](OperandRange values, ArrayRef<int64_t> statics) {
    if (!values.empty() || llvm::any_of(statics, [](int64_t v) { return v; }))
      printDynamicIndexList(p, op.getOperation(), values, statics);
  };
  p << ' ' << op.getSource();
  printOffsets(op.getSourceOffsets(), op.getStaticSourceOffsets());
  p << " to " << op.getTarget();
  printOffsets(op.getTargetOffsets(), op.getStaticTargetOffsets());
  if (op.getStaticSizes() !=
      getDefaultSizes(op.getSourceType(), op.getTargetType()) ||
      !op.getSizes().empty()) {
    p << " sizes ";
    printDynamicIndexList(p, op.getOperation(), op.getSizes(), op.getStaticSizes());
  }
  if (op.getDims()) {
    p << " dims [";
    llvm::interleaveComma(*op.getDims(), p);
    p << ']';
  }
  if (op.getFill())
    p << " fill " << op.getFill() << " : " << op.getFill().getType();
  if (op.getGuard())
    p << " if " << op.getGuard();
  p.printOptionalAttrDict(op->getAttrs(),
                          {"operandSegmentSizes", "static_source_offsets",
                           "static_target_offsets", "static_sizes", "dims"});
  p << " : " << op.getSourceType() << " to " << op.getTargetType();
}

#define TILEPIPE_COPY_METHODS(CopyT)                                           \
  SmallVector<OpFoldResult> CopyT::getMixedSourceOffsets() {                   \
    return getMixedValues(getStaticSourceOffsets(), getSourceOffsets(),        \
                          getContext());                                       \
  }                                                                            \
  SmallVector<OpFoldResult> CopyT::getMixedTargetOffsets() {                   \
    return getMixedValues(getStaticTargetOffsets(), getTargetOffsets(),        \
                          getContext());                                       \
  }                                                                            \
  SmallVector<OpFoldResult> CopyT::getMixedSizes() {                           \
    return getMixedValues(getStaticSizes(), getSizes(), getContext());         \
  }                                                                            \
  SmallVector<int64_t> CopyT::getSourceDims() {                                \
    return getRegionDims(getSourceType().getRank(), getStaticSizes().size(),   \
                         getDims());                                           \
  }                                                                            \
  SmallVector<int64_t> CopyT::getTargetDims() {                                \
    return getRegionDims(getTargetType().getRank(), getStaticSizes().size(),   \
                         getDims());                                           \
  }                                                                            \
  void CopyT::getAccesses(SmallVectorImpl<RegionAccess> &accesses) {           \
    getCopyAccesses(*this, accesses);                                          \
  }                                                                            \
  ParseResult CopyT::parse(OpAsmParser &parser, OperationState &result) {      \
    return parseCopy<CopyT>(parser, result);                                   \
  }                                                                            \
  void CopyT::print(OpAsmPrinter &p) { printCopy(*this, p); }

TILEPIPE_COPY_METHODS(CopyOp)
TILEPIPE_COPY_METHODS(AsyncCopyOp)
#undef TILEPIPE_COPY_METHODS

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

void CopyOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
}

void AsyncCopyOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
  effects.emplace_back(MemoryEffects::Write::get(), AsyncQueueResource::get());
}

LogicalResult CopyOp::verify() { return verifyCopy(*this); }

LogicalResult AsyncCopyOp::verify() {
  if (failed(verifyCopy(*this)))
    return failure();
  // (6)
  Type from = getSourceType().getElementType();
  Type to = getTargetType().getElementType();
  if (from != to)
    return emitOpError("cannot convert elements of ") << from << " to " << to;
  return success();
}

void CopyOp::build(OpBuilder &b, OperationState &result, Value source,
                   ArrayRef<OpFoldResult> sourceOffsets, Value target,
                   ArrayRef<OpFoldResult> targetOffsets,
                   ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> dims,
                   Value fill, Value guard) {
  SmallVector<int64_t> statics[3];
  SmallVector<Value> values[3];
  splitIndices(b, result.location, sourceOffsets, values[0], statics[0]);
  splitIndices(b, result.location, targetOffsets, values[1], statics[1]);
  splitIndices(b, result.location, sizes, values[2], statics[2]);
  build(b, result, source, target, values[0], values[1], values[2], fill, guard,
        statics[0], statics[1], statics[2],
        dims.empty() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(dims));
}

//===----------------------------------------------------------------------===//
// AsyncWaitOp
//===----------------------------------------------------------------------===//

LogicalResult AsyncWaitOp::verify() {
  // (1)
  if (getTokens().empty() && !getPending())
    return emitOpError("expects a token or a pending count");
  // (2)
  if (getPending() && int64_t(*getPending()) < 0)
    return emitOpError("expects pending to be at least 0, got ")
           << int64_t(*getPending());
  return success();
}
