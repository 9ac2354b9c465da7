//===- ConvertTileToAscend.cpp - Tile operations to instructions ----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tilepipe/Launch/LaunchPlan.h"
#include "tilepipe/Target/Ascend/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilepipe::ascend {
#define GEN_PASS_DEF_CONVERTTILETOASCEND
#include "tilepipe/Target/Ascend/Passes.h.inc"
} // namespace tilepipe::ascend

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;
using tile::MemorySpace;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static tile::CopyOp makeSynchronous(tile::AsyncCopyOp op) {
  OpBuilder b(op);
  return tile::CopyOp::create(
      b, op.getLoc(), op.getSource(), op.getMixedSourceOffsets(),
      op.getTarget(), op.getMixedTargetOffsets(), op.getMixedSizes(),
      op.getDims().value_or(ArrayRef<int64_t>()), op.getFill(), op.getGuard());
}

/// The order of the copies is the order of the text; flags find out again who
/// waits for whom. Tokens that loops carry become a constant.
static void dropTokens(tile::LaunchOp launch) {
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  Value nothing = arith::ConstantIndexOp::create(b, launch.getLoc(), 0);
  SmallVector<Operation *> ops;
  launch.walk([&](Operation *op) {
    if (isa<tile::AsyncCopyOp, tile::AsyncCommitOp, tile::AsyncNoneOp,
            tile::AsyncWaitOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto copy = dyn_cast<tile::AsyncCopyOp>(op))
      makeSynchronous(copy);
    for (Value result : op->getResults())
      result.replaceAllUsesWith(nothing);
    // Commits still say which copies belong together.
    if (isa<tile::AsyncCommitOp>(op))
      op->setOperands({});
    else
      op->erase();
  }
  auto convert = [&](Value value) {
    if (isa<tile::TokenType>(value.getType()))
      value.setType(b.getIndexType());
  };
  launch.walk([&](Operation *op) {
    if (isa<tile::AsyncCommitOp>(op))
      return;
    llvm::for_each(op->getResults(), convert);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), convert);
  });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

static LogicalResult lowerStatement(Lowering &l, Operation *op) {
  WalkResult elements = op->walk([](Operation *inner) -> WalkResult {
    for (Type type : inner->getOperandTypes())
      if (auto memref = dyn_cast<MemRefType>(type);
          memref && !memref.getElementType().isIntOrIndexOrFloat())
        return inner->emitOpError(
                   "cannot be lowered to Ascend: elements of type ")
               << memref.getElementType() << " are not supported";
    return WalkResult::advance();
  });
  if (elements.wasInterrupted())
    return failure();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::CopyOp, tile::FillOp, tile::GemmOp, tile::MapOp,
            tile::ReduceOp, memref::LoadOp, memref::StoreOp>(
          [&](auto concrete) { return lower(l, concrete); })
      .Default([&](Operation *other) {
        return other->emitOpError("cannot be lowered to Ascend: supported are "
                                  "copies, fills, gemms, maps and reductions");
      });
}

static bool isScalarCell(Value memref) {
  return getSpace(memref) == MemorySpace::Fragment &&
         cast<MemRefType>(memref.getType()).getRank() == 0;
}

/// Operations of the launch that become instructions, not those inside of maps.
static SmallVector<Operation *> collectStatements(tile::LaunchOp launch) {
  SmallVector<Operation *> statements;
  launch.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op);
        load && isScalarCell(load.getMemRef()))
      return WalkResult::advance();
    if (auto store = dyn_cast<memref::StoreOp>(op);
        store && isScalarCell(store.getMemRef()))
      return WalkResult::advance();
    if (isa<tile::MapOp, tile::AccessOpInterface, memref::LoadOp,
            memref::StoreOp, tile::PipelineOp>(op)) {
      statements.push_back(op);
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  return statements;
}

/// Views that nobody uses any more.
static void eraseDeadViews(tile::LaunchOp launch) {
  SmallVector<Operation *> views;
  launch.walk([&](Operation *op) {
    if (isa<ViewLikeOpInterface, tile::AllocOp>(op))
      views.push_back(op);
  });
  for (Operation *view : llvm::reverse(views))
    if (view->use_empty())
      view->erase();
}

static LogicalResult lowerStatements(tile::LaunchOp launch) {
  Lowering l(launch);
  dropTokens(launch);
  analyzeSums(l);
  bool failedOnce = false;
  for (Operation *op : collectStatements(launch)) {
    if (failed(lowerStatement(l, op)))
      failedOnce = true;
    else
      op->erase();
  }
  if (failedOnce)
    return failure();
  groupFills(l);
  launch.walk([](tile::AsyncCommitOp commit) { commit.erase(); });
  eraseDeadViews(launch);
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Copies what a value outside of the launch is computed from into the kernel.
static LogicalResult cloneInto(Value value, OpBuilder &b, IRMapping &map,
                               Operation *user) {
  if (map.contains(value))
    return success();
  Operation *op = value.getDefiningOp();
  if (!op || !(isPure(op) || isa<memref::DimOp>(op)) ||
      op->getNumRegions() != 0) {
    InFlightDiagnostic diag =
        user->emitOpError("cannot be lowered to Ascend: uses a value that a "
                          "kernel cannot compute from its arguments");
    diag.attachNote(value.getLoc()) << "which is here";
    return diag;
  }
  for (Value operand : op->getOperands())
    if (failed(cloneInto(operand, b, map, user)))
      return failure();
  b.clone(*op, map);
  return success();
}

/// The position in the grid from the number of the block, last dimension
/// fastest.
static void mapBlockIndices(Emitter &e, tile::LaunchOp launch, IRMapping &map) {
  SmallVector<OpFoldResult> extents = launch.getMixedExtents();
  std::optional<int64_t> blocks = 1;
  for (OpFoldResult extent : extents) {
    std::optional<int64_t> size = getConstantIntValue(extent);
    int64_t product;
    if (!blocks || !size || llvm::MulOverflow(*blocks, *size, product))
      blocks = std::nullopt;
    else
      blocks = product;
  }
  // No block runs if there are none.
  Value rest = BlockIdxOp::create(e, e.getIndexType(),
                                  blocks && *blocks > 0
                                      ? e.getI64IntegerAttr(*blocks)
                                      : IntegerAttr());
  for (unsigned dim = extents.size(); dim-- > 0;) {
    Value index = rest;
    if (dim > 0) {
      auto value = dyn_cast<Value>(extents[dim]);
      Value extent = value ? map.lookup(value) : e.index(extents[dim]);
      index = e.createOrFold<arith::RemUIOp>(rest, extent);
      rest = e.createOrFold<arith::DivUIOp>(rest, extent);
    }
    map.map(launch.getBody().getArgument(dim), index);
  }
}

static bool isCubeSpace(MemorySpace space) {
  return llvm::is_contained(
      {MemorySpace::L1, MemorySpace::L0A, MemorySpace::L0B, MemorySpace::L0C},
      space);
}

/// The kind of core that executes an instruction; none if both may.
static std::optional<Core> getCoreOf(Operation *op) {
  auto instruction = dyn_cast<PipeOpInterface>(op);
  if (!instruction)
    return std::nullopt;
  for (Value operand : op->getOperands()) {
    if (!isa<MemRefType>(operand.getType()))
      continue;
    MemorySpace space = getSpace(operand);
    if (isCubeSpace(space))
      return Core::Cube;
    if (space == MemorySpace::UB)
      return Core::Vector;
  }
  return std::nullopt;
}

namespace {

/// Makes the functions of one launch.
class Outliner {
public:
  Outliner(func::FuncOp func, tile::LaunchOp launch, std::string name)
      : func(func), launch(launch), name(std::move(name)) {}

  LogicalResult run();

private:
  FailureOr<ascend::FuncOp> outline();
  LogicalResult keepOnly(ascend::FuncOp kernel, Core core);
  ascend::FuncOp makeMixed(ascend::FuncOp kernel, Core core);
  void shareRows(ascend::FuncOp kernel);

  func::FuncOp func;
  tile::LaunchOp launch;
  std::string name;
};

} // namespace

FailureOr<ascend::FuncOp> Outliner::outline() {
  Emitter e(launch.getLoc(), func);
  auto kernel =
      ascend::FuncOp::create(e, name, func.getFunctionType(), Core::Vector);
  if (ArrayAttr attributes = func.getArgAttrsAttr())
    kernel.setArgAttrsAttr(attributes);
  IRMapping map;
  map.map(func.getArguments(), kernel.getBody().getArguments());
  e.setInsertionPointToStart(&kernel.getBody().front());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(launch.getBody(), captured);
  captured.insert_range(launch.getExtents());
  for (Value value : captured)
    if (failed(cloneInto(value, e, map, launch)))
      return failure();
  mapBlockIndices(e, launch, map);
  for (Operation &op : launch.getBody().front().without_terminator())
    e.clone(op, map);
  ascend::ReturnOp::create(e);
  return kernel;
}

/// Removes what the other kind of core does, and what is left over from it.
LogicalResult Outliner::keepOnly(ascend::FuncOp kernel, Core core) {
  SmallVector<Operation *> others;
  kernel.walk([&](Operation *op) {
    std::optional<Core> kind = getCoreOf(op);
    // The only barriers so far are those of copies to L1.
    if (isa<BarrierOp>(op))
      kind = Core::Cube;
    if (kind && *kind != core)
      others.push_back(op);
  });
  for (Operation *op : others) {
    for (Operation *user : op->getUsers())
      if (getCoreOf(user) == core || isa<scf::IfOp, scf::ForOp>(user)) {
        InFlightDiagnostic diag = op->emitOpError(
            "cannot be lowered to Ascend: a value of one kind of core is used "
            "by the other");
        diag.attachNote(user->getLoc()) << "used here";
        return diag;
      }
    op->dropAllUses();
    op->erase();
  }
  return success();
}

ascend::FuncOp Outliner::makeMixed(ascend::FuncOp kernel, Core core) {
  auto clone = cast<ascend::FuncOp>(kernel->clone());
  OpBuilder(kernel).insert(clone);
  clone.setSymName(name + (core == Core::Cube ? "_mix_aic" : "_mix_aiv"));
  clone.setCore(core);
  clone.setMix(true);
  return clone;
}

/// Both vector cores of a block compute all of a tile, and each stores half of
/// its rows.
void Outliner::shareRows(ascend::FuncOp kernel) {
  launch.emitRemark(
      "both vector cores of a block compute all of its tiles; each "
      "stores half of the rows");
  SmallVector<StoreOp> stores;
  kernel.walk([&](StoreOp store) { stores.push_back(store); });
  for (StoreOp store : stores) {
    Emitter e(store.getLoc(), store);
    Value core = SubBlockIdxOp::create(e, e.getIndexType()),
          rows = store.getRows();
    Value half = e.ceilDiv(rows, 2);
    Value first = e.min(e.mul(core, half), rows);
    Value count = e.min(half, e.sub(rows, first));
    e.when(e.less(e.index(int64_t(0)), count), [&] {
      Value from =
          e.add(store.getSourceOffset(), e.mul(first, store.getPitch()));
      Value to =
          e.add(store.getTargetOffset(), e.mul(first, store.getStride()));
      StoreOp::create(e, store.getSource(), from, store.getTarget(), to, count,
                      store.getColumns(), store.getStride(), store.getPitch());
    });
    store.erase();
  }
}

LogicalResult Outliner::run() {
  FailureOr<ascend::FuncOp> kernel = outline();
  if (failed(kernel))
    return failure();
  bool cube = false, vector = false;
  kernel->walk([&](Operation *op) {
    std::optional<Core> core = getCoreOf(op);
    cube |= core == Core::Cube;
    vector |= core == Core::Vector;
  });
  if (!cube || !vector) {
    kernel->setCore(cube ? Core::Cube : Core::Vector);
    return success();
  }
  for (Core core : {Core::Cube, Core::Vector}) {
    ascend::FuncOp mixed = makeMixed(*kernel, core);
    if (failed(keepOnly(mixed, core)))
      return failure();
    if (core == Core::Vector)
      shareRows(mixed);
  }
  kernel->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct ConvertTileToAscend
    : ascend::impl::ConvertTileToAscendBase<ConvertTileToAscend> {
  LogicalResult convert(func::FuncOp func);
  void runOnOperation() override;
};

} // namespace

LogicalResult ConvertTileToAscend::convert(func::FuncOp func) {
  SmallVector<tile::LaunchOp> launches;
  func.walk([&](tile::LaunchOp launch) { launches.push_back(launch); });
  if (launches.empty())
    return success();
  for (tile::LaunchOp launch : launches) {
    if (launch->getParentOp() != func)
      return launch.emitOpError(
          "cannot be lowered to Ascend: is not at the top "
          "of its function");
  }
  if (failed(checkHostCode(func, "Ascend")))
    return failure();
  for (auto [i, launch] : llvm::enumerate(launches)) {
    std::string name = getKernelName(func, i, launches.size());
    if (failed(lowerStatements(launch)))
      return failure();
    if (failed(Outliner(func, launch, name).run()))
      return failure();
    ++numKernels;
  }
  func.erase();
  return success();
}

void ConvertTileToAscend::runOnOperation() {
  for (func::FuncOp func :
       llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
    if (failed(convert(func)))
      return signalPassFailure();
}
