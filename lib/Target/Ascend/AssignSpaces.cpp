//===- AssignSpaces.cpp - Which memory of the machine holds each tile -----===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "StageGlobals.h"

#include "tilepipe/Target/Ascend/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tilepipe::ascend {
#define GEN_PASS_DEF_TILEASSIGNSPACES
#include "tilepipe/Target/Ascend/Passes.h.inc"
} // namespace tilepipe::ascend

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

namespace {
/// One use of each kind that a buffer has, or null.
struct Uses {
  Operation *operand = nullptr;
  Operation *result = nullptr;
  /// Whatever needs the elements in UB.
  Operation *vector = nullptr;
  /// Loads and stores outside of maps.
  Operation *scalar = nullptr;
  /// An operation that this target knows nothing about.
  Operation *unknown = nullptr;
};
} // namespace

static bool isGlobal(Value memref) {
  return getMemorySpace(cast<MemRefType>(memref.getType())) ==
         MemorySpace::Global;
}

static void addUse(Uses &uses, OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    (use.get() == gemm.getC() ? uses.result : uses.operand) = op;
    return;
  }
  if (isa<CopyOp, AsyncCopyOp>(op)) {
    // Operands start with source and target.
    if (!isGlobal(op->getOperand(use.getOperandNumber() == 0 ? 1 : 0)))
      uses.vector = op;
    return;
  }
  if (isa<memref::LoadOp, memref::StoreOp>(op)) {
    (op->getParentOfType<MapOp>() ? uses.vector : uses.scalar) = op;
    return;
  }
  if (isa<ReduceOp, AtomicOp>(op))
    uses.vector = op;
  else if (!isa<FillOp, memref::DimOp>(op))
    uses.unknown = op;
}

static Uses collectUses(AllocOp alloc) {
  Uses uses;
  ascend::forEachUse(alloc, [&](OpOperand &use) { addUse(uses, use); });
  return uses;
}

/// True for one number, or for one in each version.
static bool isCell(AllocOp alloc) {
  return alloc.getType().getRank() == 0 ||
         (alloc.getType().getRank() == 1 && !alloc->use_empty() &&
          llvm::all_of(alloc->getUsers(), llvm::IsaPred<SlotOp>));
}

/// Gives a buffer and the views of it another memory space.
static void setSpace(Value buffer, SpaceAttr space) {
  auto type = cast<MemRefType>(buffer.getType());
  buffer.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                 type.getLayout(), space));
  for (Operation *user : buffer.getUsers())
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      if (view.getViewSource() == buffer)
        setSpace(view->getResult(0), space);
}

/// Vectors start at multiples of 32 bytes: gives the rows of a tile, and thus
/// each version of it, whole blocks. Its users see the part that it was.
static bool padRows(AllocOp alloc) {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return false;
  int64_t bits = element.getIntOrFloatBitWidth();
  if (!llvm::isPowerOf2_64(bits) || bits > 256)
    return false;
  int64_t c0 = 32 * 8 / bits;
  SmallVector<int64_t> shape(type.getShape()), padded = shape;
  if (padded.empty())
    padded.push_back(1);
  // A column of one element a row lies like a row.
  unsigned dim = padded.size() - 1;
  while (dim > 0 && padded[dim] == 1)
    --dim;
  padded[dim] = llvm::alignTo(padded[dim], c0);
  if (padded == shape)
    return false;
  OpBuilder b(alloc);
  auto larger = AllocOp::create(b, alloc.getLoc(),
                                MemRefType::get(padded, type.getElementType(),
                                                MemRefLayoutAttrInterface(),
                                                type.getMemorySpace()),
                                alloc.getName().value_or(""));
  SmallVector<OpFoldResult> start(padded.size(), b.getIndexAttr(0)),
      steps(padded.size(), b.getIndexAttr(1)), sizes;
  for (int64_t size : shape)
    sizes.push_back(b.getIndexAttr(size));
  if (shape.empty())
    sizes.push_back(b.getIndexAttr(1));
  auto viewType =
      cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
          shape, larger.getType(), start, sizes, steps));
  Value view = memref::SubViewOp::create(b, alloc.getLoc(), viewType, larger,
                                         start, sizes, steps);
  alloc.replaceAllUsesWith(view);
  alloc.erase();
  return true;
}

namespace {

struct AssignSpaces : ascend::impl::TileAssignSpacesBase<AssignSpaces> {
  /// The memory for a buffer that is used like this; none, with an error, if
  /// there is none, and the space it has where it stays scalar.
  FailureOr<MemorySpace> choose(AllocOp alloc, const Uses &uses);
  LogicalResult assign(LaunchOp launch);
  void runOnOperation() override;
};

} // namespace

FailureOr<MemorySpace> AssignSpaces::choose(AllocOp alloc, const Uses &uses) {
  StringRef target = getTarget(alloc).getName();
  if (uses.unknown) {
    InFlightDiagnostic diag = alloc.emitError("cannot tell which memory of ")
                              << target << " holds a buffer that '"
                              << uses.unknown->getName() << "' uses";
    diag.attachNote(uses.unknown->getLoc()) << "used here";
    return diag;
  }
  Operation *other = uses.vector ? uses.vector : uses.scalar;
  if (uses.operand && (uses.result || other)) {
    InFlightDiagnostic diag =
        alloc.emitError("a tile that a gemm reads is only supported on ")
        << target << " if it is otherwise only copied from global memory";
    diag.attachNote(uses.operand->getLoc()) << "read by a gemm here";
    diag.attachNote((uses.result ? uses.result : other)->getLoc())
        << "used otherwise here";
    return diag;
  }
  if (uses.operand)
    return MemorySpace::L1;
  if (uses.result)
    return MemorySpace::L0C;
  if (isCell(alloc) && !uses.vector)
    return getMemorySpace(alloc.getType());
  return MemorySpace::UB;
}

LogicalResult AssignSpaces::assign(LaunchOp launch) {
  if (failed(ascend::stageGlobalAccesses(launch)))
    return failure();
  auto collectAllocs = [&] {
    SmallVector<AllocOp> allocs;
    launch.walk([&](AllocOp alloc) {
      MemorySpace space = getMemorySpace(alloc.getType());
      if (space == MemorySpace::Shared || space == MemorySpace::Fragment)
        allocs.push_back(alloc);
    });
    return allocs;
  };
  // Epilogues erase tiles, but no accumulator.
  SmallVector<AllocOp> accumulators =
      llvm::filter_to_vector(collectAllocs(), [](AllocOp alloc) {
        return collectUses(alloc).result != nullptr;
      });
  for (AllocOp accumulator : accumulators)
    if (failed(ascend::lowerEpilogue(accumulator, launch)))
      return failure();
  SmallVector<std::pair<AllocOp, MemorySpace>> choices;
  for (AllocOp alloc : collectAllocs()) {
    FailureOr<MemorySpace> space = choose(alloc, collectUses(alloc));
    if (failed(space))
      return failure();
    choices.emplace_back(alloc, *space);
  }
  for (auto [alloc, space] : choices) {
    setSpace(alloc, SpaceAttr::get(&getContext(), space));
    numL1 += space == MemorySpace::L1;
    numL0C += space == MemorySpace::L0C;
    numUB += space == MemorySpace::UB;
  }
  // Among them those that elements of global memory pass through.
  SmallVector<AllocOp> vectors;
  launch.walk([&](AllocOp alloc) {
    if (getMemorySpace(alloc.getType()) == MemorySpace::UB)
      vectors.push_back(alloc);
  });
  for (AllocOp alloc : vectors)
    numPadded += padRows(alloc);
  return success();
}

void AssignSpaces::runOnOperation() {
  SmallVector<LaunchOp> launches;
  getOperation().walk([&](LaunchOp launch) {
    TargetAttr target = getTarget(launch);
    if (target.getMemory(MemorySpace::L1) && target.getMemory(MemorySpace::UB))
      launches.push_back(launch);
  });
  for (LaunchOp launch : launches)
    if (failed(assign(launch)))
      return signalPassFailure();
}
