//===- ConvertTileToNVGPU.cpp - Launches become kernels of one thread -----===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tilepipe/Launch/LaunchPlan.h"
#include "tilepipe/Target/NVIDIA/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilepipe::nvidia {
#define GEN_PASS_DEF_CONVERTTILETONVGPU
#include "tilepipe/Target/NVIDIA/Passes.h.inc"
} // namespace tilepipe::nvidia

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// Where a shared tile must begin for the widest accesses.
static constexpr int64_t kSharedAlignment = 16;

//===----------------------------------------------------------------------===//
// What cannot be lowered
//===----------------------------------------------------------------------===//

static LogicalResult checkAlloc(tile::AllocOp alloc) {
  tile::MemorySpace space = tile::getMemorySpace(alloc.getType());
  auto error = [&] {
    return alloc.emitOpError("cannot be lowered to NVIDIA: ");
  };
  if (space == tile::MemorySpace::Global)
    return error() << "a block has no global memory of its own";
  if (space != tile::MemorySpace::Shared &&
      space != tile::MemorySpace::Fragment)
    return error() << "there is no " << tile::stringifyMemorySpace(space)
                   << " memory, only shared and fragment";
  if (alloc.getVersions().value_or(1) != 1)
    return error() << "versions are not made yet; run "
                      "--inject-software-pipeline first";
  if (space == tile::MemorySpace::Fragment)
    return success();
  if (!alloc.getOffset())
    return error() << "it has no offset; run --tile-allocate-memory first";
  if (*alloc.getOffset() % kSharedAlignment)
    return error() << "offset " << *alloc.getOffset()
                   << " is not a multiple of " << kSharedAlignment;
  return success();
}

/// Uses of on-chip buffers go through operations that know where elements are.
static LogicalResult checkUses(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (isa<tile::CopyOp, tile::AsyncCopyOp, tile::FillOp, tile::GemmOp,
            tile::ReduceOp, tile::AtomicOp, memref::LoadOp, memref::StoreOp,
            memref::DimOp>(user))
      continue;
    auto slot = dyn_cast<tile::SlotOp>(user);
    if (!slot)
      return user->emitOpError("cannot be lowered to NVIDIA: on-chip buffers "
                               "are used by tile operations, memref.load and "
                               "memref.store only");
    if (slot->getParentOfType<tile::MapOp>())
      return slot.emitOpError("cannot be lowered to NVIDIA: the slot depends "
                              "on the point of the tile.map");
    if (failed(checkUses(slot.getResult())))
      return failure();
  }
  return success();
}

static LogicalResult checkLaunch(tile::LaunchOp launch) {
  if (failed(checkLimits(launch)))
    return failure();
  WalkResult result = launch.walk([&](Operation *op) -> WalkResult {
    if (isa<tile::PipelineOp, tile::IterationOp>(op))
      return op->emitOpError("cannot be lowered to NVIDIA: the loop is not "
                             "expanded; run --inject-software-pipeline first");
    if (isa<tile::AsyncCopyOp, tile::AsyncCommitOp, tile::AsyncWaitOp,
            tile::AsyncNoneOp>(op) &&
        op->getParentOfType<tile::MapOp>())
      return op->emitOpError("cannot be lowered to NVIDIA at a point of a "
                             "tile.map: all threads have to do it");
    if (isa<tile::LaunchOp>(op) && op != launch)
      return op->emitOpError("cannot be lowered to NVIDIA inside another "
                             "launch");
    if (isa<memref::CopyOp, memref::AllocOp, memref::AllocaOp>(op))
      return op->emitOpError("cannot be lowered to NVIDIA: use tile.alloc and "
                             "tile.copy");
    auto alloc = dyn_cast<tile::AllocOp>(op);
    if (!alloc)
      return WalkResult::advance();
    if (failed(checkAlloc(alloc)) || failed(checkUses(alloc.getResult())))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Moves what does not depend on the point out of each map: slots above all.
static void hoistInvariants(tile::LaunchOp launch) {
  launch.walk([](tile::MapOp map) {
    map.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == map || op->getNumRegions() || !isPure(op) ||
          op->hasTrait<OpTrait::IsTerminator>())
        return;
      for (Value operand : op->getOperands())
        if (map.getBody().isAncestor(operand.getParentRegion()))
          return;
      op->moveBefore(map);
    });
  });
}

/// Operations that the body of an unrolled loop may become.
static constexpr int64_t kMaxUnrolledOps = 2048;

/// Tiles of points are registers where indices are constants: short loops over
/// them are written out, the inner ones first.
static void unrollPointLoops(tile::LaunchOp launch) {
  SmallVector<scf::ForOp> loops;
  launch.walk([&](scf::ForOp loop) {
    if (loop->getParentOfType<tile::MapOp>())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    int64_t size = 0;
    bool accesses = false;
    loop.getBody()->walk([&](Operation *op) {
      ++size;
      if (auto load = dyn_cast<memref::LoadOp>(op))
        accesses |= isOfPoint(load.getMemRef()) && !load.getIndices().empty();
      if (auto store = dyn_cast<memref::StoreOp>(op))
        accesses |= isOfPoint(store.getMemRef()) && !store.getIndices().empty();
    });
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (accesses && trips && trips->ult(kMaxUnrolled + 1) &&
        trips->getSExtValue() * size <= kMaxUnrolledOps)
      (void)loopUnrollFull(loop);
  }
}

/// Left alone, ptxas aims at several blocks on a multiprocessor, and may spill
/// hundreds of values for them. One block is enough where fragments leave no
/// room in 128 registers, or two blocks do not fit with so many: there are
/// 65536.
static bool needsAllRegisters(int64_t threads, int64_t fragmentBytes) {
  constexpr int64_t registers = 128, others = 64, all = 65536;
  return fragmentBytes / 4 + others > registers ||
         2 * threads * registers > all;
}

namespace {

/// Makes the kernel of one launch.
class KernelBuilder {
public:
  KernelBuilder(func::FuncOp function, tile::LaunchOp launch)
      : function(function), launch(launch) {}

  FailureOr<gpu::GPUFuncOp> build(gpu::GPUModuleOp module, StringRef name);
  unsigned getNumPruned() const { return numPruned; }

private:
  FailureOr<Value> materialize(OpBuilder &b, Value value);
  LogicalResult lowerBody(Lowering &l);

  func::FuncOp function;
  tile::LaunchOp launch;
  gpu::GPUFuncOp kernel;
  IRMapping mapping;
  unsigned numPruned = 0;
};

} // namespace

/// A value of the host in the kernel: an argument, or computed again.
FailureOr<Value> KernelBuilder::materialize(OpBuilder &b, Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || !isMemoryEffectFree(op)) {
    InFlightDiagnostic diag = launch.emitOpError(
        "cannot be lowered to NVIDIA: it uses a value that is not computed "
        "from the arguments alone");
    diag.attachNote(value.getLoc()) << "the value is defined here";
    return diag;
  }
  for (Value operand : op->getOperands())
    if (failed(materialize(b, operand)))
      return failure();
  b.clone(*op, mapping);
  return mapping.lookup(value);
}

/// Tokens say nothing that commits and counts do not.
static void eraseTokens(gpu::GPUFuncOp kernel) {
  kernel.walk([](tile::AsyncNoneOp op) {
    OpBuilder b(op);
    op.getResult().replaceAllUsesWith(
        arith::ConstantOp::create(b, op.getLoc(), b.getBoolAttr(true)));
    op.erase();
  });
  Type boolean = IntegerType::get(kernel.getContext(), 1);
  auto convert = [&](Value value) {
    if (isa<tile::TokenType>(value.getType()))
      value.setType(boolean);
  };
  kernel.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), convert);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), convert);
  });
}

/// Where no copy became one of the hardware, there is nothing to count.
static void eraseIdleGroups(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> groups;
  WalkResult result = kernel.walk([&](Operation *op) {
    if (isa<NVVM::CpAsyncCommitGroupOp, NVVM::CpAsyncWaitGroupOp>(op))
      groups.push_back(op);
    return isa<nvgpu::DeviceAsyncCopyOp, nvgpu::DeviceAsyncCreateGroupOp,
               NVVM::CpAsyncOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!result.wasInterrupted())
    for (Operation *op : groups)
      op->erase();
}

LogicalResult KernelBuilder::lowerBody(Lowering &l) {
  SmallVector<Operation *> ops, views;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tile::SlotOp, tile::AllocOp>(op))
      views.push_back(op);
    else
      ops.push_back(op);
    return isa<tile::MapOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  for (Operation *op : ops) {
    LogicalResult result =
        TypeSwitch<Operation *, LogicalResult>(op)
            .Case<tile::CopyOp, tile::AsyncCopyOp, tile::AsyncCommitOp,
                  tile::AsyncWaitOp, tile::FillOp, tile::GemmOp, tile::ReduceOp,
                  tile::AtomicOp, tile::MapOp, memref::LoadOp, memref::StoreOp>(
                [&](auto concrete) { return nvidia::lower(l, concrete); })
            .Default([](Operation *) { return success(); });
    if (failed(result))
      return failure();
  }
  for (Operation *op : llvm::reverse(views)) {
    if (op->use_empty())
      op->erase();
  }
  eraseTokens(kernel);
  eraseIdleGroups(kernel);
  return success();
}

FailureOr<gpu::GPUFuncOp> KernelBuilder::build(gpu::GPUModuleOp module,
                                               StringRef name) {
  Location loc = launch.getLoc();
  auto threads = static_cast<int64_t>(launch.getThreads());
  unrollPointLoops(launch);
  hoistInvariants(launch);
  if (failed(checkLaunch(launch)))
    return failure();
  FragmentPlan plan = FragmentPlan::compute(launch);
  if (!plan.getDemotions().empty()) {
    const FragmentPlan::Demotion &demotion = plan.getDemotions().front();
    InFlightDiagnostic diag = demotion.culprit->emitOpError(
        "cannot be lowered to NVIDIA: it needs a fragment in shared memory; "
        "run --tile-demote-fragments first");
    tile::AllocOp alloc = demotion.alloc;
    diag.attachNote(alloc.getLoc()) << "the fragment: " << demotion.reason;
    return diag;
  }
  auto layouts = getSharedLayouts(launch);

  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto type = b.getFunctionType(function.getArgumentTypes(), {});
  kernel = gpu::GPUFuncOp::create(b, function.getLoc(), name, type);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  Block *entry = &kernel.getBody().front();
  mapping.map(function.getArguments(), entry->getArguments());

  b.setInsertionPointToEnd(entry);
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(launch.getBody(), captured);
  for (Value value : captured)
    if (failed(materialize(b, value)))
      return failure();
  for (Value value : captured)
    replaceAllUsesInRegionWith(value, mapping.lookup(value), launch.getBody());
  Block *body = &launch.getBody().front();
  constexpr gpu::Dimension dims[] = {gpu::Dimension::x, gpu::Dimension::y,
                                     gpu::Dimension::z};
  for (auto [i, extent] : llvm::enumerate(launch.getMixedExtents())) {
    std::optional<int64_t> bound = getConstantIntValue(extent);
    Value id = gpu::BlockIdOp::create(
        b, loc, b.getIndexType(), dims[i],
        bound && *bound > 0 ? b.getIndexAttr(*bound) : IntegerAttr());
    body->getArgument(i).replaceAllUsesWith(id);
  }
  // Values of the whole kernel are made in front of this operation.
  Operation *marker =
      arith::ConstantOp::create(b, loc, b.getBoolAttr(false)).getOperation();
  body->getTerminator()->erase();
  entry->getOperations().splice(entry->end(), body->getOperations());
  b.setInsertionPointToEnd(entry);
  gpu::ReturnOp::create(b, loc);

  Lowering l(std::move(plan), kernel, threads);
  l.begin(marker);
  int64_t fragmentBytes = 0;
  kernel.walk<WalkOrder::PreOrder>([&](tile::AllocOp alloc) {
    if (isOfPoint(alloc.getResult()))
      return;
    l.addAlloc(alloc, layouts.lookup(alloc));
    if (const ThreadLayout *layout = l.plan.getLayout(alloc))
      fragmentBytes +=
          layout->getNumRegisters() *
          Emitter::getElementBytes(alloc.getType().getElementType());
  });
  if (needsAllRegisters(threads, fragmentBytes))
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(1));
  numPruned += pruneBarriers(l);
  makeRingCounters(kernel);
  // The steps of a pipeline overlap already; unrolled, they only take room.
  kernel.walk([](tile::AsyncWaitOp wait) {
    if (auto loop = wait->getParentOfType<scf::ForOp>())
      forbidUnrolling(loop);
  });
  if (failed(lowerBody(l)))
    return failure();
  marker->erase();
  int64_t bytes = l.sharedBytes + l.scratchBytes;
  tile::MemoryAttr memory =
      tile::getTarget(module).getMemory(tile::MemorySpace::Shared);
  if (memory && bytes > memory.getCapacity())
    return function.emitOpError("cannot be lowered to NVIDIA: takes ")
           << bytes << " bytes of shared memory, " << l.scratchBytes
           << " of them for reductions, but there are " << memory.getCapacity();
  kernel->setAttr("tilepipe.shared_bytes", b.getI64IntegerAttr(bytes));
  return kernel;
}

namespace {

struct ConvertTileToNVGPU
    : public nvidia::impl::ConvertTileToNVGPUBase<ConvertTileToNVGPU> {
  LogicalResult convert(func::FuncOp function,
                        ArrayRef<tile::LaunchOp> launches);
  void runOnOperation() override;
};

} // namespace

LogicalResult ConvertTileToNVGPU::convert(func::FuncOp function,
                                          ArrayRef<tile::LaunchOp> launches) {
  OpBuilder b(function);
  std::string name = function.getName().str();
  auto module =
      gpu::GPUModuleOp::create(b, function.getLoc(), name + "_module");
  b.setInsertionPointToStart(module.getBody());
  auto space =
      gpu::AddressSpaceAttr::get(&getContext(), gpu::AddressSpace::Workgroup);
  memref::GlobalOp::create(
      b, function.getLoc(), kSharedArray, b.getStringAttr("public"),
      MemRefType::get({0}, b.getI8Type(), MemRefLayoutAttrInterface(), space),
      /*initialValue=*/nullptr, /*constant=*/false,
      /*alignment=*/b.getI64IntegerAttr(1024));
  for (auto [i, launch] : llvm::enumerate(launches)) {
    std::string kernel = getKernelName(function, i, launches.size());
    KernelBuilder builder(function, launch);
    if (failed(builder.build(module, kernel)))
      return failure();
    ++numKernels;
    numBarriersPruned += builder.getNumPruned();
  }
  function.erase();
  return success();
}

void ConvertTileToNVGPU::runOnOperation() {
  ModuleOp module = getOperation();
  bool any = false;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    SmallVector<tile::LaunchOp> launches;
    function.walk([&](tile::LaunchOp launch) { launches.push_back(launch); });
    if (launches.empty())
      continue;
    any = true;
    for (tile::LaunchOp launch : launches)
      if (launch->getParentOp() != function) {
        launch.emitOpError("cannot be lowered to NVIDIA: whether it runs "
                           "depends on the host");
        return signalPassFailure();
      }
    if (failed(checkHostCode(function, "NVIDIA")) ||
        failed(convert(function, launches)))
      return signalPassFailure();
  }
  if (any)
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    UnitAttr::get(&getContext()));
}
