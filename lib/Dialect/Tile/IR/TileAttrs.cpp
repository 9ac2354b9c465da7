//===- TileAttrs.cpp - Attributes of the tile dialect ---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// `[` attribute (`,` attribute)* `]`, or `[]`. Unlike the generated parser of
/// an array parameter it accepts the empty list.
template <typename AttrT>
static ParseResult parseList(AsmParser &parser, SmallVector<AttrT> &list) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        FailureOr<AttrT> item = FieldParser<AttrT>::parse(parser);
        if (failed(item))
          return failure();
        list.push_back(*item);
        return success();
      });
}

template <typename AttrT>
static void printList(AsmPrinter &printer, ArrayRef<AttrT> list) {
  printer << '[';
  llvm::interleaveComma(list, printer);
  printer << ']';
}

#include "tilepipe/Dialect/Tile/IR/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tilepipe/Dialect/Tile/IR/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilepipe/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

static LogicalResult checkAtLeast(EmitError emitError, StringRef what,
                                  int64_t value, int64_t minimum) {
  if (value >= minimum)
    return success();
  return emitError() << "expects " << what << " to be at least " << minimum
                     << ", got " << value;
}

LogicalResult StageAttr::verify(EmitError emitError, int64_t stage,
                                int64_t order) {
  if (failed(checkAtLeast(emitError, "stage", stage, 0)))
    return failure();
  return checkAtLeast(emitError, "order", order, 0);
}

LogicalResult PipelineScheduleAttr::verify(EmitError emitError, int64_t depth,
                                           int64_t ii) {
  if (failed(checkAtLeast(emitError, "depth", depth, 1)))
    return failure();
  return checkAtLeast(emitError, "ii", ii, 0);
}

LogicalResult MemoryAttr::verify(EmitError emitError, MemorySpace space,
                                 int64_t capacity, int64_t align) {
  if (failed(checkAtLeast(emitError, "capacity", capacity, 0)))
    return failure();
  if (align < 1 || (align & (align - 1)))
    return emitError() << "expects align to be a power of two, got " << align;
  return success();
}

LogicalResult TransferAttr::verify(EmitError emitError, MemorySpace from,
                                   MemorySpace to, StringRef unit, bool async,
                                   int64_t issue, int64_t latency,
                                   int64_t bytesPerCycle) {
  if (failed(checkAtLeast(emitError, "issue", issue, 0)) ||
      failed(checkAtLeast(emitError, "latency", latency, 0)))
    return failure();
  return checkAtLeast(emitError, "bytes_per_cycle", bytesPerCycle, 1);
}

LogicalResult ComputeUnitAttr::verify(EmitError emitError, UnitKind kind,
                                      int64_t opsPerCycle, int64_t latency) {
  if (failed(checkAtLeast(emitError, "ops_per_cycle", opsPerCycle, 1)))
    return failure();
  return checkAtLeast(emitError, "latency", latency, 0);
}

LogicalResult TargetAttr::verify(EmitError emitError, StringRef name,
                                 ArrayRef<MemoryAttr> memories,
                                 ArrayRef<TransferAttr> transfers,
                                 ArrayRef<ComputeUnitAttr> units) {
  llvm::SmallSet<MemorySpace, 8> spaces;
  for (MemoryAttr memory : memories)
    if (!spaces.insert(memory.getSpace()).second)
      return emitError() << "describes memory '"
                         << stringifyMemorySpace(memory.getSpace())
                         << "' twice";
  llvm::SmallSet<std::pair<MemorySpace, MemorySpace>, 8> paths;
  for (TransferAttr transfer : transfers)
    if (!paths.insert({transfer.getFrom(), transfer.getTo()}).second)
      return emitError() << "describes the path from '"
                         << stringifyMemorySpace(transfer.getFrom()) << "' to '"
                         << stringifyMemorySpace(transfer.getTo()) << "' twice";
  llvm::SmallSet<UnitKind, 4> kinds;
  for (ComputeUnitAttr unit : units)
    if (!kinds.insert(unit.getKind()).second)
      return emitError() << "describes unit '"
                         << stringifyUnitKind(unit.getKind()) << "' twice";
  return success();
}

MemoryAttr TargetAttr::getMemory(MemorySpace space) const {
  for (MemoryAttr memory : getMemories())
    if (memory.getSpace() == space)
      return memory;
  return {};
}

TransferAttr TargetAttr::getTransfer(MemorySpace from, MemorySpace to) const {
  for (TransferAttr transfer : getTransfers())
    if (transfer.getFrom() == from && transfer.getTo() == to)
      return transfer;
  return {};
}

ComputeUnitAttr TargetAttr::getUnit(UnitKind kind) const {
  for (ComputeUnitAttr unit : getUnits())
    if (unit.getKind() == kind)
      return unit;
  return {};
}

TargetAttr tile::getDefaultTarget(MLIRContext *context) {
  // Round numbers of no particular chip: a copy takes several times as long as
  // the tensor work on its data, so that depth pays.
  auto transfer = TransferAttr::get(
      context, MemorySpace::Global, MemorySpace::Shared, "copy", /*async=*/true,
      /*issue=*/8, /*latency=*/500, /*bytesPerCycle=*/64);
  auto store = TransferAttr::get(
      context, MemorySpace::Shared, MemorySpace::Global, "store",
      /*async=*/false, /*issue=*/8, /*latency=*/500, /*bytesPerCycle=*/64);
  ComputeUnitAttr units[] = {
      ComputeUnitAttr::get(context, UnitKind::Tensor, /*opsPerCycle=*/1024, 32),
      ComputeUnitAttr::get(context, UnitKind::Vector, /*opsPerCycle=*/128, 16),
      ComputeUnitAttr::get(context, UnitKind::Scalar, /*opsPerCycle=*/1, 8)};
  return TargetAttr::get(context, "generic", {}, {transfer, store}, units);
}
