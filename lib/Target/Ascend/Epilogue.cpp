//===- Epilogue.cpp - What follows the last gemm of an accumulator --------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

void ascend::forEachUse(Value buffer, function_ref<void(OpOperand &)> fn) {
  for (OpOperand &use : llvm::make_early_inc_range(buffer.getUses())) {
    auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner());
    if (view && view.getViewSource() == buffer)
      forEachUse(view->getResult(0), fn);
    else
      fn(use);
  }
}

static bool isOnChip(Value buffer) {
  return getMemorySpace(cast<MemRefType>(buffer.getType())) !=
         MemorySpace::Global;
}

//===----------------------------------------------------------------------===//
// What the FIX pipe does
//===----------------------------------------------------------------------===//

namespace {
/// A map `target[i...] = round(max(source[i...], 0))`, each step optional.
struct FixMap {
  Value source, target;
  bool relu = false, cast = false;
};
} // namespace

static bool isIdentity(ValueRange indices, MapOp map) {
  return llvm::equal(indices, map.getBody().getArguments());
}

/// True if the map runs over exactly the elements of a buffer.
static bool isOverAll(MapOp map, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> extents = map.getMixedExtents();
  return type.hasStaticShape() && int64_t(extents.size()) == type.getRank() &&
         llvm::all_of_zip(extents, type.getShape(),
                          [](OpFoldResult extent, int64_t size) {
                            return isConstantIntValue(extent, size);
                          });
}

/// The operand that is clamped if `op` is `max(x, 0)`.
static Value matchRelu(Operation *op) {
  if (!isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return {};
  if (matchPattern(op->getOperand(1), m_AnyZeroFloat()))
    return op->getOperand(0);
  return matchPattern(op->getOperand(0), m_AnyZeroFloat()) ? op->getOperand(1)
                                                           : Value();
}

static std::optional<FixMap> matchFixMap(MapOp map) {
  FixMap result;
  memref::StoreOp store;
  for (Operation &op : map.getBody().front().without_terminator()) {
    if (auto other = dyn_cast<memref::StoreOp>(op)) {
      if (store)
        return std::nullopt;
      store = other;
    }
  }
  if (!store || !isIdentity(store.getIndices(), map) ||
      !isOverAll(map, store.getMemRef()))
    return std::nullopt;
  Value value = store.getValueToStore();
  result.target = store.getMemRef();
  if (auto trunc = value.getDefiningOp<arith::TruncFOp>()) {
    result.cast = true;
    value = trunc.getIn();
  }
  if (Operation *op = value.getDefiningOp())
    if (Value clamped = matchRelu(op)) {
      result.relu = true;
      value = clamped;
    }
  auto load = value.getDefiningOp<memref::LoadOp>();
  if (!load || load->getParentOp() != map ||
      !isIdentity(load.getIndices(), map))
    return std::nullopt;
  result.source = load.getMemRef();
  return result;
}

bool ascend::isReluInPlace(MapOp map, Value buffer) {
  std::optional<FixMap> fix = matchFixMap(map);
  return fix && fix->source == buffer && fix->target == buffer && fix->relu &&
         !fix->cast;
}

//===----------------------------------------------------------------------===//
// Positions in the launch
//===----------------------------------------------------------------------===//

namespace {
/// Rewrites the epilogue of one accumulator.
class Epilogue {
public:
  Epilogue(AllocOp accumulator, LaunchOp launch)
      : accumulator(accumulator), sums(accumulator.getResult()), launch(launch),
        body(&launch.getBody().front()) {}

  LogicalResult run();

private:
  /// The operation of the body of the launch that `op` is in.
  Operation *getTop(Operation *op) { return body->findAncestorOpInBlock(*op); }
  /// True if all that is written to the sums comes before `op`.
  bool areSumsFinalAt(Operation *op);
  /// Replaces a copy of the sums in another tile by the sums, if that tile only
  /// goes to global memory.
  bool forward(Value tile);
  void forwardCopies();
  void forwardMaps();
  /// What is left and is not for the cube core.
  SmallVector<OpOperand *> collectVectorUses();
  LogicalResult sendThroughGlobal(ArrayRef<OpOperand *> uses);
  Value addWorkspace();

  AllocOp accumulator;
  Value sums;
  LaunchOp launch;
  Block *body;
};
} // namespace

static bool isCubeWrite(OpOperand &use) {
  return isa<GemmOp, FillOp>(use.getOwner());
}

bool Epilogue::areSumsFinalAt(Operation *op) {
  bool final = op->getBlock() == body;
  ascend::forEachUse(sums, [&](OpOperand &use) {
    Operation *top = getTop(use.getOwner());
    final &= !isCubeWrite(use) || (top && top->isBeforeInBlock(op));
  });
  return final;
}

bool Epilogue::forward(Value tile) {
  auto alloc = tile.getDefiningOp<AllocOp>();
  if (!alloc || alloc == accumulator ||
      alloc.getType().getShape() != accumulator.getType().getShape())
    return false;
  SmallVector<CopyOp> copies;
  unsigned numUses = 0;
  for (OpOperand &use : tile.getUses()) {
    ++numUses;
    auto copy = dyn_cast<CopyOp>(use.getOwner());
    // A second rounding would be lost if the target had another type.
    if (copy && use.get() == copy.getSource() && !isOnChip(copy.getTarget()) &&
        copy.getTargetType().getElementType() ==
            alloc.getType().getElementType())
      copies.push_back(copy);
  }
  // One use is the write that is forwarded.
  if (copies.size() + 1 != numUses)
    return false;
  for (CopyOp copy : copies)
    copy.getSourceMutable().set(sums);
  return true;
}

void Epilogue::forwardCopies() {
  SmallVector<CopyOp> copies;
  for (Operation *user : sums.getUsers())
    if (auto copy = dyn_cast<CopyOp>(user))
      if (copy.getSource() == sums && isOnChip(copy.getTarget()) &&
          !copy.getGuard() && copy.getSourceOffsets().empty() &&
          copy.getTargetOffsets().empty() &&
          llvm::all_of(copy.getStaticSourceOffsets(),
                       [](int64_t offset) { return offset == 0; }) &&
          llvm::all_of(copy.getStaticTargetOffsets(),
                       [](int64_t offset) { return offset == 0; }) &&
          copy.getStaticSizes() == accumulator.getType().getShape())
        copies.push_back(copy);
  for (CopyOp copy : copies) {
    Value tile = copy.getTarget();
    if (!areSumsFinalAt(copy) || !forward(tile))
      continue;
    copy.erase();
    if (tile.use_empty())
      tile.getDefiningOp()->erase();
  }
}

void Epilogue::forwardMaps() {
  SetVector<MapOp> maps;
  for (Operation *user : sums.getUsers())
    if (auto map = dyn_cast<MapOp>(user->getParentOp()))
      maps.insert(map);
  // Two clamps would still be one, but what lies between them may differ.
  if (maps.size() != 1)
    return;
  MapOp map = maps.front();
  std::optional<FixMap> fix = matchFixMap(map);
  if (!fix || fix->source != sums || fix->target == sums ||
      !areSumsFinalAt(map) || !forward(fix->target))
    return;
  if (fix->relu) {
    ImplicitLocOpBuilder b(map.getLoc(), map);
    Type element = accumulator.getType().getElementType();
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
    MapOp::create(b, map.getMixedExtents(),
                  [&](OpBuilder &inner, Location loc, ValueRange point) {
                    Value sum = memref::LoadOp::create(inner, loc, sums, point);
                    Value clamped =
                        arith::MaxNumFOp::create(inner, loc, sum, zero);
                    memref::StoreOp::create(inner, loc, clamped, sums, point);
                  });
  }
  map.erase();
  if (fix->target.use_empty())
    fix->target.getDefiningOp()->erase();
}

SmallVector<OpOperand *> Epilogue::collectVectorUses() {
  SmallVector<OpOperand *> uses;
  SmallVector<MapOp> clamps;
  bool onlyClamps = true;
  ascend::forEachUse(sums, [&](OpOperand &use) {
    Operation *op = use.getOwner();
    auto copy = dyn_cast<CopyOp>(op);
    if (isCubeWrite(use) || isa<memref::DimOp>(op) ||
        (copy && use.get() == copy.getSource() && !isOnChip(copy.getTarget())))
      return;
    uses.push_back(&use);
    auto map = dyn_cast<MapOp>(op->getParentOp());
    bool clamp = map && ascend::isReluInPlace(map, sums) && areSumsFinalAt(map);
    onlyClamps &= clamp;
    if (clamp && !llvm::is_contained(clamps, map))
      clamps.push_back(map);
  });
  if (!onlyClamps || clamps.size() != 1)
    return uses;
  // FIX clamps every copy, so none may come before the clamp.
  bool copiesFollow = true;
  ascend::forEachUse(sums, [&](OpOperand &use) {
    Operation *top = getTop(use.getOwner());
    if (isa<CopyOp>(use.getOwner()))
      copiesFollow &= top && clamps[0]->isBeforeInBlock(top);
  });
  return copiesFollow ? SmallVector<OpOperand *>() : uses;
}

//===----------------------------------------------------------------------===//
// Through global memory
//===----------------------------------------------------------------------===//

Value Epilogue::addWorkspace() {
  auto func = launch->getParentOfType<func::FuncOp>();
  MLIRContext *context = func.getContext();
  MemRefType sumsType = accumulator.getType();
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(shape, sumsType.getShape());
  auto type = MemRefType::get(shape, sumsType.getElementType());
  unsigned position = func.getNumArguments();
  (void)func.insertArgument(position, type, DictionaryAttr::get(context),
                            accumulator.getLoc());
  func.setArgAttr(position, "ascend.workspace", UnitAttr::get(context));
  return func.getArgument(position);
}

/// The number of the block in the grid, the last dimension fastest.
static Value getLinearBlock(ImplicitLocOpBuilder &b, LaunchOp launch) {
  Value block;
  for (auto [extent, id] :
       llvm::zip(launch.getMixedExtents(), launch.getBody().getArguments())) {
    if (!block) {
      block = id;
      continue;
    }
    Value size = getValueOrCreateConstantIndexOp(b, b.getLoc(), extent);
    block = arith::AddIOp::create(b, arith::MulIOp::create(b, block, size), id);
  }
  return block;
}

LogicalResult Epilogue::sendThroughGlobal(ArrayRef<OpOperand *> uses) {
  // Split the launch at the last operation that writes the sums.
  Operation *last = nullptr;
  ascend::forEachUse(sums, [&](OpOperand &use) {
    Operation *top = getTop(use.getOwner());
    if (isCubeWrite(use) && top && (!last || last->isBeforeInBlock(top)))
      last = top;
  });
  for (OpOperand *use : uses) {
    Operation *top = getTop(use->getOwner());
    if (last && top && last->isBeforeInBlock(top))
      continue;
    InFlightDiagnostic diag =
        accumulator.emitError("sums of a gemm that element-wise code uses "
                              "before the last gemm are not supported on ")
        << getTarget(launch).getName()
        << ", only element-wise code after the loop that accumulates";
    diag.attachNote(use->getOwner()->getLoc()) << "used here";
    return diag;
  }
  MemRefType type = accumulator.getType();
  ImplicitLocOpBuilder b(accumulator.getLoc(), accumulator);
  auto space = SpaceAttr::get(b.getContext(), MemorySpace::UB);
  std::string name = getBufferName(sums) + "_ub";
  auto copyType = MemRefType::get(type.getShape(), type.getElementType(),
                                  MemRefLayoutAttrInterface(), space);
  Value tile = AllocOp::create(b, copyType, name);
  Value workspace = addWorkspace();
  // Uses after the split see the copy in UB, those before stay.
  sums.replaceUsesWithIf(tile, [&](OpOperand &use) {
    Operation *top = getTop(use.getOwner());
    return top && last->isBeforeInBlock(top);
  });
  b.setInsertionPointAfter(last);
  SmallVector<OpFoldResult> start(type.getRank(), b.getIndexAttr(0)), sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  SmallVector<OpFoldResult> slot = {getLinearBlock(b, launch)};
  llvm::append_range(slot, start);
  CopyOp::create(b, sums, start, workspace, slot, sizes);
  CopyOp::create(b, workspace, slot, tile, start, sizes);
  return success();
}

LogicalResult Epilogue::run() {
  forwardCopies();
  forwardMaps();
  SmallVector<OpOperand *> uses = collectVectorUses();
  return uses.empty() ? success() : sendThroughGlobal(uses);
}

LogicalResult ascend::lowerEpilogue(AllocOp accumulator, LaunchOp launch) {
  return Epilogue(accumulator, launch).run();
}
