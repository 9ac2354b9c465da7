//===- StructureOps.cpp - Regions: map, launch and pipeline ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// MapOp and LaunchOp: a box of block arguments
//===----------------------------------------------------------------------===//

using BodyBuilder = llvm::function_ref<void(OpBuilder &, Location, ValueRange)>;

template <typename OpT>
static void buildBox(OpBuilder &b, OperationState &result,
                     ArrayRef<OpFoldResult> extents, BodyBuilder body) {
  SmallVector<int64_t> statics;
  SmallVector<Value> values;
  splitIndices(b, result.location, extents, values, statics);
  result.addOperands(values);
  result.getOrAddProperties<typename OpT::Properties>().static_extents =
      b.getDenseI64ArrayAttr(statics);
  Region *region = result.addRegion();
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(
      region, {}, SmallVector<Type>(extents.size(), b.getIndexType()),
      SmallVector<Location>(extents.size(), result.location));
  if (body)
    body(b, result.location, block->getArguments());
  OpT::ensureTerminator(*region, b, result.location);
}

/// `(` arguments `)` `in` extents
static ParseResult parseBox(OpAsmParser &parser, OperationState &result,
                            SmallVectorImpl<OpAsmParser::Argument> &arguments,
                            DenseI64ArrayAttr &statics) {
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parseDynamicIndexList(parser, extents, statics) ||
      parser.resolveOperands(extents, parser.getBuilder().getIndexType(),
                             result.operands))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = parser.getBuilder().getIndexType();
  return success();
}

template <typename OpT>
static ParseResult
parseBody(OpAsmParser &parser, OperationState &result,
          ArrayRef<OpAsmParser::Argument> arguments) {
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  OpT::ensureTerminator(*body, parser.getBuilder(), result.location);
  return parser.parseOptionalAttrDict(result.attributes);
}

template <typename OpT>
static void printBox(OpT op, OpAsmPrinter &p) {
  p << " (";
  llvm::interleaveComma(op.getBody().getArguments(), p,
                        [&](BlockArgument arg) { p << arg; });
  p << ") in ";
  printDynamicIndexList(p, op, op.getExtents(), op.getStaticExtents());
}

template <typename OpT>
static LogicalResult verifyBox(OpT op, size_t maxRank) {
  size_t rank = op.getStaticExtents().size();
  // (1)
  if (rank < 1 || rank > maxRank)
    return op.emitOpError("expects 1 to ") << maxRank << " extents, got "
                                           << rank;
  size_t dynamic = llvm::count_if(op.getStaticExtents(), ShapedType::isDynamic);
  if (op.getExtents().size() != dynamic)
    return op.emitOpError("expects ")
           << dynamic << " dynamic extents, got " << op.getExtents().size();
  if (op.getBody().getNumArguments() != rank)
    return op.emitOpError("expects ")
           << rank << " block arguments, got " << op.getBody().getNumArguments();
  for (BlockArgument argument : op.getBody().getArguments())
    if (!argument.getType().isIndex())
      return op.emitOpError("expects block arguments of type index, got ")
             << argument.getType();
  // (2)
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  if (!yield.getValues().empty())
    return op.emitOpError("expects a 'tile.yield' without operands, got ")
           << yield.getValues().size();
  // (3)
  for (int64_t extent : op.getStaticExtents())
    if (!ShapedType::isDynamic(extent) && extent < 0)
      return op.emitOpError("expects extents not below 0, got ") << extent;
  return success();
}

void MapOp::build(OpBuilder &b, OperationState &result,
                  ArrayRef<OpFoldResult> extents, BodyBuilder body) {
  buildBox<MapOp>(b, result, extents, body);
}

SmallVector<OpFoldResult> MapOp::getMixedExtents() {
  return getMixedValues(getStaticExtents(), getExtents(), getContext());
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  DenseI64ArrayAttr statics;
  if (parseBox(parser, result, arguments, statics))
    return failure();
  result.getOrAddProperties<Properties>().static_extents = statics;
  return parseBody<MapOp>(parser, result, arguments);
}

void MapOp::print(OpAsmPrinter &p) {
  printBox(*this, p);
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
  p.printOptionalAttrDict((*this)->getAttrs(), {"static_extents"});
}

LogicalResult MapOp::verifyRegions() { return verifyBox(*this, /*maxRank=*/16); }

void LaunchOp::build(OpBuilder &b, OperationState &result,
                     ArrayRef<OpFoldResult> extents, int64_t threads,
                     BodyBuilder body) {
  result.getOrAddProperties<Properties>().threads = b.getI64IntegerAttr(threads);
  buildBox<LaunchOp>(b, result, extents, body);
}

SmallVector<OpFoldResult> LaunchOp::getMixedExtents() {
  return getMixedValues(getStaticExtents(), getExtents(), getContext());
}

ParseResult LaunchOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  DenseI64ArrayAttr statics;
  int64_t threads;
  if (parseBox(parser, result, arguments, statics) ||
      parser.parseKeyword("threads") || parser.parseEqual() ||
      parser.parseInteger(threads))
    return failure();
  Properties &props = result.getOrAddProperties<Properties>();
  props.static_extents = statics;
  props.threads = parser.getBuilder().getI64IntegerAttr(threads);
  return parseBody<LaunchOp>(parser, result, arguments);
}

void LaunchOp::print(OpAsmPrinter &p) {
  printBox(*this, p);
  p << " threads = " << getThreads() << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
  p.printOptionalAttrDict((*this)->getAttrs(), {"static_extents", "threads"});
}

LogicalResult LaunchOp::verifyRegions() {
  // (2)
  if (int64_t(getThreads()) < 1)
    return emitOpError("expects threads to be at least 1, got ")
           << int64_t(getThreads());
  return verifyBox(*this, /*maxRank=*/3);
}

//===----------------------------------------------------------------------===//
// PipelineOp
//===----------------------------------------------------------------------===//

void PipelineOp::build(OpBuilder &b, OperationState &result, Value lower,
                       Value upper, Value step, ValueRange inits,
                       IntegerAttr numStages) {
  result.addOperands({lower, upper, step});
  result.addOperands(inits);
  result.addTypes(inits.getTypes());
  result.getOrAddProperties<Properties>().num_stages = numStages;
  Region *region = result.addRegion();
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(region);
  block->addArgument(b.getIndexType(), result.location);
  for (Value init : inits)
    block->addArgument(init.getType(), init.getLoc());
  if (inits.empty())
    ensureTerminator(*region, b, result.location);
}

/// iv `=` lower `to` upper `step` step (`iter_args` (a = i, ...) -> types)?
/// (`num_stages` `=` n)? (`stage` `=` list)? (`order` `=` list)?
/// (`schedule` attr)? region attr-dict
ParseResult PipelineOp::parse(OpAsmParser &parser, OperationState &result) {
  using Operand = OpAsmParser::UnresolvedOperand;
  Builder &b = parser.getBuilder();
  Type index = b.getIndexType();
  SmallVector<OpAsmParser::Argument> arguments(1);
  arguments[0].type = index;
  Operand bounds[3];
  if (parser.parseArgument(arguments[0]) || parser.parseEqual() ||
      parser.parseOperand(bounds[0]) || parser.parseKeyword("to") ||
      parser.parseOperand(bounds[1]) || parser.parseKeyword("step") ||
      parser.parseOperand(bounds[2]) ||
      parser.resolveOperands(bounds, index, result.operands))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("iter_args"))) {
    SmallVector<Operand> inits;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseAssignmentList(arguments, inits) ||
        parser.parseArrowTypeList(result.types) ||
        parser.resolveOperands(inits, result.types, loc, result.operands))
      return failure();
    if (arguments.size() != result.types.size() + 1)
      return parser.emitError(loc, "expects ")
             << result.types.size() << " iter_args, got " << arguments.size() - 1;
    for (auto [argument, type] :
         llvm::zip_equal(MutableArrayRef(arguments).drop_front(), result.types))
      argument.type = type;
  }
  Properties &props = result.getOrAddProperties<Properties>();
  SmallVector<Operand> none;
  auto parseList = [&](StringRef key, DenseI64ArrayAttr &list) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(key)))
      return success();
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseEqual() || parseDynamicIndexList(parser, none, list))
      return failure();
    if (!none.empty())
      return parser.emitError(loc, "expects constants in '") << key << "'";
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("num_stages"))) {
    int64_t count;
    if (parser.parseEqual() || parser.parseInteger(count))
      return failure();
    props.num_stages = b.getI64IntegerAttr(count);
  }
  if (parseList("stage", props.stage) || parseList("order", props.order))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("schedule")) &&
      (parser.parseEqual() || parser.parseAttribute(props.schedule)))
    return failure();
  return parseBody<PipelineOp>(parser, result, arguments);
}

void PipelineOp::print(OpAsmPrinter &p) {
  p << ' ' << getInductionVar() << " = " << getLower() << " to " << getUpper()
    << " step " << getStep();
  if (!getInits().empty()) {
    p << " iter_args(";
    llvm::interleaveComma(llvm::zip(getRegionIterArgs(), getInits()), p,
                          [&](auto it) {
                            p << std::get<0>(it) << " = " << std::get<1>(it);
                          });
    p << ") -> (" << getInits().getTypes() << ")";
  }
  if (getNumStages())
    p << " num_stages = " << int64_t(*getNumStages());
  auto printList = [&](StringRef key, std::optional<ArrayRef<int64_t>> list) {
    if (!list)
      return;
    p << ' ' << key << " = [";
    llvm::interleaveComma(*list, p);
    p << ']';
  };
  printList("stage", getStage());
  printList("order", getOrder());
  if (getSchedule())
    p << " schedule = " << getScheduleAttr();
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/!getInits().empty());
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {"num_stages", "stage", "order", "schedule"});
}

static LogicalResult verifyManualSchedule(PipelineOp op) {
  if (op.getStage().has_value() != op.getOrder().has_value())
    return op.emitOpError("expects 'stage' and 'order' together, got only '")
           << (op.getStage() ? "stage" : "order") << "'";
  if (!op.getStage())
    return success();
  if (op.getStage()->size() != op.getOrder()->size())
    return op.emitOpError("expects 'stage' and 'order' of one length, got ")
           << op.getStage()->size() << " and " << op.getOrder()->size();
  for (auto [name, list] : {std::pair("stage", *op.getStage()),
                            {"order", *op.getOrder()}})
    for (auto [i, value] : llvm::enumerate(list))
      if (value < 0)
        return op.emitOpError("expects '")
               << name << "' not below 0, got " << value << " at position "
               << i;
  std::map<int64_t, size_t> seen;
  for (auto [i, value] : llvm::enumerate(*op.getOrder())) {
    auto [it, inserted] = seen.try_emplace(value, i);
    if (!inserted)
      return op.emitOpError("expects distinct 'order' numbers, got ")
             << value << " at positions " << it->second << " and " << i;
  }
  return success();
}

LogicalResult PipelineOp::verifyRegions() {
  // (1)
  if (getNumStages() && int64_t(*getNumStages()) < 0)
    return emitOpError("expects num_stages to be at least 0, got ")
           << int64_t(*getNumStages());
  // (2)
  if (failed(verifyManualSchedule(*this)))
    return failure();
  // (3), the rest of which the loop and branch interfaces check
  if (getBody().getNumArguments() != getInits().size() + 1)
    return emitOpError("expects an index and ")
           << getInits().size() << " iter_args as block arguments, got "
           << getBody().getNumArguments();
  if (!getInductionVar().getType().isIndex())
    return emitOpError("expects an index as first block argument, got ")
           << getInductionVar().getType();
  // (4)
  if (getStaticStep() == 0)
    return emitOpError("expects a step other than 0");
  return success();
}

std::optional<int64_t> PipelineOp::getStaticStep() {
  return getConstantIntValue(getStep());
}

std::optional<int64_t> PipelineOp::getConstantTripCount() {
  std::optional<int64_t> lower = getConstantIntValue(getLower());
  std::optional<int64_t> upper = getConstantIntValue(getUpper());
  std::optional<int64_t> step = getStaticStep();
  if (!lower || !upper || !step)
    return std::nullopt;
  return getTripCount(*lower, *upper, *step);
}

SmallVector<Region *> PipelineOp::getLoopRegions() { return {&getBody()}; }

std::optional<SmallVector<Value>> PipelineOp::getLoopInductionVars() {
  return SmallVector<Value>{getInductionVar()};
}
std::optional<SmallVector<OpFoldResult>> PipelineOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>{getAsOpFoldResult(getLower())};
}
std::optional<SmallVector<OpFoldResult>> PipelineOp::getLoopUpperBounds() {
  return SmallVector<OpFoldResult>{getAsOpFoldResult(getUpper())};
}
std::optional<SmallVector<OpFoldResult>> PipelineOp::getLoopSteps() {
  return SmallVector<OpFoldResult>{getAsOpFoldResult(getStep())};
}
Block::BlockArgListType PipelineOp::getRegionIterArgs() {
  // Interfaces may ask before the verifier has seen the arguments.
  if (getBody().getNumArguments() == 0)
    return {};
  return getBody().getArguments().drop_front();
}
std::optional<MutableArrayRef<OpOperand>> PipelineOp::getYieldedValuesMutable() {
  return cast<YieldOp>(getBodyBlock()->getTerminator()).getValuesMutable();
}
std::optional<ResultRange> PipelineOp::getLoopResults() { return getResults(); }

OperandRange PipelineOp::getEntrySuccessorOperands(RegionSuccessor successor) {
  return getInits();
}

void PipelineOp::getSuccessorRegions(RegionBranchPoint point,
                                     SmallVectorImpl<RegionSuccessor> &regions) {
  regions.push_back(RegionSuccessor(&getBody(), getRegionIterArgs()));
  regions.push_back(RegionSuccessor(getOperation(), getResults()));
}

//===----------------------------------------------------------------------===//
// IterationOp
//===----------------------------------------------------------------------===//

LogicalResult IterationOp::verify() {
  // (1)
  auto argument = dyn_cast<BlockArgument>(getIv());
  auto loop = argument ? dyn_cast_or_null<PipelineOp>(
                             argument.getOwner()->getParentOp())
                       : PipelineOp();
  if (!loop || argument.getArgNumber() != 0)
    return emitOpError(
        "expects the induction variable of a 'tile.pipeline'");
  return success();
}

//===----------------------------------------------------------------------===//
// Parts of generated parsers
//===----------------------------------------------------------------------===//

/// operands, or `()`: without the parentheses the result name of the next
/// operation would read as an operand.
static ParseResult parseCommittedCopies(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &copies) {
  if (succeeded(parser.parseOptionalLParen()))
    return parser.parseRParen();
  return parser.parseOperandList(copies);
}

static void printCommittedCopies(OpAsmPrinter &p, Operation *,
                                 OperandRange copies) {
  if (copies.empty())
    p << "()";
  else
    p << copies;
}

#define GET_OP_CLASSES
#include "tilepipe/Dialect/Tile/IR/TileOps.cpp.inc"
