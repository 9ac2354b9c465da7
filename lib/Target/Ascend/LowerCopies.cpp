//===- LowerCopies.cpp - Copies between global memory and a core ----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only what lies in global memory is copied; the rest of a tile is set to the
// fill value by the core. Where ranges prove that a region is inside there is
// no branch and no fill.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tilepipe/Analysis/Regions.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;
using tile::MemorySpace;

tile::MemorySpace ascend::getSpace(Value memref) {
  return tile::getMemorySpace(cast<MemRefType>(memref.getType()));
}

MemRefType ascend::getBufferType(ArrayRef<int64_t> shape, Type element,
                                 MemorySpace space) {
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         tile::SpaceAttr::get(element.getContext(), space));
}

Value Lowering::getBuffer(StringRef name, MemRefType type) {
  std::string key;
  llvm::raw_string_ostream(key) << name << ' ' << type;
  Value &buffer = buffers[key];
  if (!buffer) {
    OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
    buffer = tile::AllocOp::create(b, launch.getLoc(), type, name);
  }
  return buffer;
}

//===----------------------------------------------------------------------===//
// Regions of rows
//===----------------------------------------------------------------------===//

namespace {

/// A copy between global memory and a tile, as rows of elements.
struct RowRegion {
  Place global, tile;
  /// Rows and columns of the tile.
  int64_t numRows = 1, numColumns = 1;
  /// How many of them lie in global memory.
  Value rows, columns;
  /// The first element, and elements from one row to the next.
  Value globalOffset, globalStride, tileOffset;
  /// The first element of the tile that the copy writes, or fills.
  Value fillOffset;
  /// Elements from one row of the tile to the next; in L1, where a row is not
  /// in one piece, from one block of a row to that of the next.
  int64_t pitch = 0, rowStep = 0;

  bool isInside() const {
    return isConstantIntValue(rows, numRows) &&
           isConstantIntValue(columns, numColumns);
  }
};

/// Makes the region of one copy.
class RegionBuilder {
public:
  RegionBuilder(Emitter &e, tile::CopyOp op) : e(e), op(op) {}

  FailureOr<RowRegion> build();

private:
  LogicalResult addTile(RowRegion &region);
  LogicalResult addGlobal(RowRegion &region);
  InFlightDiagnostic error() {
    return op.emitOpError("cannot be lowered to Ascend: ");
  }

  Emitter &e;
  tile::CopyOp op;
  bool isLoad = false;
};

} // namespace

LogicalResult RegionBuilder::addTile(RowRegion &region) {
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  SmallVector<OpFoldResult> offsets =
      isLoad ? op.getMixedTargetOffsets() : op.getMixedSourceOffsets();
  SmallVector<int64_t> dims = isLoad ? op.getTargetDims() : op.getSourceDims();
  const Place &tile = region.tile;
  if (sizes.size() > 2)
    return error() << "a region of rank " << sizes.size()
                   << ", supported are 0 to 2";
  SmallVector<int64_t> extents;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> extent = getConstantIntValue(size);
    if (!extent)
      return error() << "an extent that is not constant";
    extents.push_back(*extent);
  }
  region.tileOffset = tile.offset;
  for (auto [offset, stride] : llvm::zip_equal(offsets, tile.strides))
    region.tileOffset =
        e.add(region.tileOffset, e.mul(e.index(offset), e.index(stride)));
  region.fillOffset = region.tileOffset;
  if (extents.empty())
    return success();
  region.numColumns = extents.back();
  if (!isConstantIntValue(tile.strides[dims.back()], 1))
    return error() << "rows of a tile whose elements are not neighbours";
  // One row has no next one.
  region.pitch = llvm::alignTo(
      region.numColumns, kBlockBytes / getElementBytes(tile.getElementType()));
  if (extents.size() == 2) {
    region.numRows = extents.front();
    std::optional<int64_t> pitch =
        getConstantIntValue(tile.strides[dims.front()]);
    if (!pitch)
      return error() << "rows of a tile whose distance is not constant";
    region.pitch = *pitch;
  }
  switch (getSpace(tile.buffer)) {
  case MemorySpace::L1:
    region.rowStep = kBlockBytes / getElementBytes(tile.getElementType());
    break;
  case MemorySpace::L0C:
    region.rowStep = kFractal;
    break;
  default:
    region.rowStep = region.pitch;
  }
  return success();
}

/// True for memory that has a place for every block.
static bool isWorkspace(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  return function &&
         function.getArgAttr(argument.getArgNumber(), "ascend.workspace");
}

LogicalResult RegionBuilder::addGlobal(RowRegion &region) {
  SmallVector<OpFoldResult> offsets =
      isLoad ? op.getMixedSourceOffsets() : op.getMixedTargetOffsets();
  SmallVector<int64_t> dims = isLoad ? op.getSourceDims() : op.getTargetDims();
  const Place &global = region.global;
  int64_t numSizes = op.getMixedSizes().size();
  if (numSizes > 0 && !isConstantIntValue(global.strides[dims.back()], 1))
    return error() << "rows that are not along the last dimension of global "
                      "memory";
  // What does not lie in the region's dimensions has extent 1.
  auto getExtent = [&](int64_t dim) -> int64_t {
    auto *found = llvm::find(dims, dim);
    if (numSizes == 0 || found == dims.end())
      return 1;
    return found - dims.begin() + 1 == numSizes ? region.numColumns
                                                : region.numRows;
  };
  region.globalOffset = global.offset;
  region.rows = e.index(region.numRows);
  region.columns = e.index(region.numColumns);
  region.globalStride =
      numSizes == 2 ? e.index(global.strides[dims.front()]) : region.columns;
  Value zero = e.index(int64_t(0)), one = e.index(int64_t(1));
  // 1 where all dimensions of extent 1 are inside, else 0.
  Value others = one;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    bool isColumn = numSizes > 0 && int64_t(dim) == dims.back();
    bool isRow = numSizes == 2 && int64_t(dim) == dims.front();
    IndexRange range = getRange(offset, op);
    if (range.low < 0 && isColumn)
      return error() << "offset " << dim
                     << " along the rows of global memory, which may be "
                        "negative";
    int64_t extent = getExtent(dim);
    Value at = e.index(offset), first = at;
    Value inside = e.min(e.index(extent),
                         e.max(e.sub(e.index(global.shape[dim]), at), zero));
    // The largest offset is known more often than the difference.
    std::optional<int64_t> size = getConstantIntValue(global.shape[dim]);
    if ((size && range.high + extent <= *size) || isWorkspace(global.buffer))
      inside = e.index(extent);
    if (range.low < 0) {
      // Rows before the first one are not there either.
      first = e.max(at, zero);
      Value missing = e.min(e.sub(first, at), e.index(extent));
      inside = e.max(e.sub(inside, missing), zero);
      if (isRow)
        region.tileOffset =
            e.add(region.tileOffset, e.mul(missing, e.index(region.rowStep)));
    }
    region.globalOffset =
        e.add(region.globalOffset, e.mul(first, e.index(global.strides[dim])));
    (isColumn ? region.columns
     : isRow  ? region.rows
              : others) = isColumn || isRow ? inside : e.mul(others, inside);
  }
  region.rows = e.mul(region.rows, others);
  return success();
}

FailureOr<RowRegion> RegionBuilder::build() {
  isLoad = getSpace(op.getSource()) == MemorySpace::Global;
  FailureOr<Place> source = getPlace(e, op.getSource(), op);
  FailureOr<Place> target = getPlace(e, op.getTarget(), op);
  if (failed(source) || failed(target))
    return failure();
  RowRegion region;
  region.global = isLoad ? *source : *target;
  region.tile = isLoad ? *target : *source;
  if (failed(addTile(region)) || failed(addGlobal(region)))
    return failure();
  // One row of one column is one element.
  if (!region.rows)
    region.rows = region.columns = e.index(int64_t(1));
  return region;
}

/// True where there is something to copy.
static Value isNotEmpty(Emitter &e, const RowRegion &r) {
  Value zero = e.index(int64_t(0));
  return e.both(e.less(zero, r.rows), e.less(zero, r.columns));
}

//===----------------------------------------------------------------------===//
// Global memory to L1
//===----------------------------------------------------------------------===//

/// Sets a whole tile to zero; the copy then writes a part of it again.
static void setToZero(Emitter &e, const RowRegion &r, int64_t c0) {
  Value none = e.index(int64_t(0)), one = e.index(int64_t(1));
  FillL1Op::create(e, r.tile.buffer, r.tile.offset,
                   e.constant(r.tile.getElementType(), 0.0), one,
                   e.index(r.numRows * r.numColumns / c0), none);
  // On every path, and so not left to what finds out the others.
  BarrierOp::create(e, Pipe::MTE2);
}

static LogicalResult lowerToL1(Emitter &e, tile::CopyOp op) {
  FailureOr<RowRegion> region = RegionBuilder(e, op).build();
  if (failed(region))
    return failure();
  const RowRegion &r = *region;
  auto error = [&] { return op.emitOpError("cannot be lowered to Ascend: "); };
  Type element = r.tile.getElementType();
  if (r.global.getElementType() != element)
    return error() << "converts " << r.global.getElementType() << " to "
                   << element << " on the way to L1";
  int64_t c0 = kBlockBytes / getElementBytes(element);
  ArrayRef<int64_t> shape = op.getTargetType().getShape();
  if (shape.size() != 2 || shape[0] != r.numRows || shape[1] != r.numColumns)
    return error() << "only whole tiles of rank 2 go to L1, not a part of "
                   << op.getTargetType();
  if (r.numRows % kFractal != 0 || r.numColumns % c0 != 0)
    return error() << "a tile in L1 of " << r.numRows << " x " << r.numColumns
                   << ", supported are multiples of " << kFractal << " x "
                   << c0;
  if (op.getFill() && !matchPattern(op.getFill(), m_AnyZeroFloat()) &&
      !matchPattern(op.getFill(), m_Zero()))
    return error() << "a fill value other than zero in L1";
  if (!r.isInside() && getElementBytes(element) == 1)
    return error() << "tiles of " << element
                   << " that may reach past the edge of global memory";
  auto copy = [&](Value rows, Value columns) {
    Nd2NzOp::create(e, r.global.buffer, r.globalOffset, r.tile.buffer,
                    r.tileOffset, rows, columns, r.globalStride,
                    e.index(r.numRows));
  };
  auto copyWhole = [&] { copy(e.index(r.numRows), e.index(r.numColumns)); };
  if (r.isInside()) {
    copyWhole();
    return success();
  }
  // A branch of its own for tiles in the middle: what is set to zero first
  // needs a barrier, which would let nothing run ahead.
  Value outside = e.either(e.less(r.rows, e.index(r.numRows)),
                           e.less(r.columns, e.index(r.numColumns)));
  auto copyPart = [&] {
    setToZero(e, r, c0);
    e.when(isNotEmpty(e, r), [&] { copy(r.rows, r.columns); });
  };
  if (getConstantIntValue(outside)) {
    copyPart();
    return success();
  }
  auto branch = scf::IfOp::create(e, outside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e);
  e.setInsertionPointToStart(branch.thenBlock());
  copyPart();
  e.setInsertionPointToStart(branch.elseBlock());
  copyWhole();
  return success();
}

//===----------------------------------------------------------------------===//
// L0C to global memory
//===----------------------------------------------------------------------===//

static LogicalResult lowerFromL0C(Lowering &l, Emitter &e, tile::CopyOp op) {
  FailureOr<RowRegion> region = RegionBuilder(e, op).build();
  if (failed(region))
    return failure();
  const RowRegion &r = *region;
  auto error = [&] { return op.emitOpError("cannot be lowered to Ascend: "); };
  ArrayRef<int64_t> shape = op.getSourceType().getShape();
  if (shape.size() != 2 || !isConstantIntValue(r.fillOffset, 0) ||
      r.numRows > shape[0] || r.numColumns > shape[1])
    return error() << "only the first rows and columns of sums leave L0C";
  Type from = r.tile.getElementType(), to = r.global.getElementType();
  if (from != to && !(from.isF32() && (to.isF16() || to.isBF16())))
    return error() << "the FIX pipe cannot convert " << from << " to " << to;
  bool relu = l.clampedSums.contains(r.tile.buffer.getDefiningOp());
  e.when(isNotEmpty(e, r), [&] {
    FixpipeOp::create(e, r.tile.buffer, r.tileOffset, r.global.buffer,
                      r.globalOffset, r.rows, r.columns, e.index(shape[0]),
                      r.globalStride, relu);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Global memory and the UB
//===----------------------------------------------------------------------===//

static LogicalResult checkRows(tile::CopyOp op, const RowRegion &r,
                               Type element) {
  if (r.numRows > 1 && r.pitch * getElementBytes(element) % kBlockBytes != 0)
    return op.emitOpError("cannot be lowered to Ascend: rows of ")
           << r.pitch << " elements of " << element
           << " in the UB, supported are multiples of " << kBlockBytes
           << " bytes";
  std::optional<int64_t> start = getConstantIntValue(r.tileOffset);
  if (start && *start * getElementBytes(element) % kBlockBytes != 0)
    return op.emitOpError("cannot be lowered to Ascend: starts at element ")
           << *start << " of a tile of " << element
           << " in the UB, supported are multiples of " << kBlockBytes
           << " bytes";
  if (r.numRows > 4095)
    return op.emitOpError("cannot be lowered to Ascend: ")
           << r.numRows << " rows in the UB, supported are 4095";
  return success();
}

/// A column of one element a row, without gaps on both sides, is moved as one
/// row: a transfer of several rows has whole blocks for each.
static void flattenColumn(Emitter &e, RowRegion &r, Type element) {
  if (r.numColumns != 1 || r.numRows == 1 || r.pitch != 1 ||
      !isConstantIntValue(r.columns, 1) ||
      !isConstantIntValue(r.globalStride, 1) || r.tileOffset != r.fillOffset)
    return;
  std::swap(r.numRows, r.numColumns);
  std::swap(r.rows, r.columns);
  r.globalStride = e.index(r.numColumns);
  r.pitch =
      llvm::alignTo(r.numColumns, kBlockBytes / getElementBytes(element));
}

/// A tile for the elements of a whole tile before or after conversion; its rows
/// are padded to whole blocks.
static Value getConverted(Lowering &l, Emitter &e, Value tile, Type element) {
  SmallVector<int64_t> shape(cast<MemRefType>(tile.getType()).getShape());
  if (shape.empty())
    return l.getBuffer("converted",
                       getBufferType(shape, element, MemorySpace::UB));
  SmallVector<int64_t> padded = shape;
  padded.back() =
      llvm::alignTo(shape.back(), kBlockBytes / getElementBytes(element));
  Value buffer =
      l.getBuffer("converted", getBufferType(padded, element, MemorySpace::UB));
  if (padded == shape)
    return buffer;
  SmallVector<OpFoldResult> start(shape.size(), e.getIndexAttr(0)),
      steps(shape.size(), e.getIndexAttr(1)), sizes;
  for (int64_t size : shape)
    sizes.push_back(e.getIndexAttr(size));
  return memref::SubViewOp::create(e, buffer, start, sizes, steps);
}

static Value getRoot(Value tile) {
  auto view = tile.getDefiningOp<memref::SubViewOp>();
  return view ? view.getSource() : tile;
}

/// The distance of the rows of a tile made by `getConverted`.
static int64_t getPitch(int64_t columns, Type element) {
  return llvm::alignTo(columns, kBlockBytes / getElementBytes(element));
}

static LogicalResult convertInUB(Lowering &l, Emitter &e, Value from,
                                 Value to) {
  ArrayRef<int64_t> shape = cast<MemRefType>(from.getType()).getShape();
  SmallVector<OpFoldResult> start(shape.size(), e.getIndexAttr(0)), sizes;
  for (int64_t size : shape)
    sizes.push_back(e.getIndexAttr(size));
  auto copy = tile::CopyOp::create(e, from, start, to, start, sizes);
  LogicalResult result = lowerCopyInUB(l, copy);
  copy.erase();
  return result;
}

/// True for a copy of all of a tile, error otherwise.
static LogicalResult checkWhole(tile::CopyOp op, Value tile,
                                const RowRegion &r) {
  if (r.tileOffset != r.fillOffset)
    return op.emitOpError("cannot be lowered to Ascend: converts rows whose "
                          "offset in global memory may be negative");
  bool isSource = tile == op.getSource();
  ArrayRef<int64_t> offsets =
      isSource ? op.getStaticSourceOffsets() : op.getStaticTargetOffsets();
  if (op.getStaticSizes() == cast<MemRefType>(tile.getType()).getShape() &&
      llvm::all_of(offsets, [](int64_t offset) { return offset == 0; }))
    return success();
  return op.emitOpError("cannot be lowered to Ascend: converts a part of a "
                        "tile, not all of it");
}

/// What was emitted last.
static Operation *getLast(Emitter &e) {
  Block::iterator point = e.getInsertionPoint();
  return point == e.getBlock()->begin() ? nullptr : &*std::prev(point);
}

/// Sets the tile to the fill value where global memory ends inside of it.
static void fillRest(Lowering &l, Emitter &e, const RowRegion &r, Value buffer,
                     Value fill) {
  if (r.isInside())
    return;
  Value outside = e.either(e.less(r.rows, e.index(r.numRows)),
                           e.less(r.columns, e.index(r.numColumns)));
  e.when(outside, [&] {
    VDupOp::create(e, buffer, r.fillOffset, fill,
                   e.index((r.numRows - 1) * r.pitch + r.numColumns), Value(),
                   DenseI64ArrayAttr(), DenseI64ArrayAttr());
  });
  if (Operation *fillOp = getLast(e))
    l.fills.insert(fillOp);
}

static LogicalResult lowerToUB(Lowering &l, Emitter &e, tile::CopyOp op) {
  FailureOr<RowRegion> region = RegionBuilder(e, op).build();
  if (failed(region))
    return failure();
  RowRegion r = *region;
  Type element = r.global.getElementType();
  Value buffer = r.tile.buffer, fill = op.getFill(), converted;
  bool converts = element != r.tile.getElementType();
  if (converts) {
    if (failed(checkWhole(op, op.getTarget(), r)))
      return failure();
    if (fill && !matchPattern(fill, m_AnyZeroFloat()))
      return op.emitOpError("cannot be lowered to Ascend: converts ")
             << element << " to " << fill.getType()
             << " with a fill value other than zero";
    converted = getConverted(l, e, op.getTarget(), element);
    buffer = getRoot(converted);
    r.tileOffset = r.fillOffset = e.index(int64_t(0));
    r.pitch = getPitch(r.numColumns, element);
    fill = {};
  } else {
    flattenColumn(e, r, element);
  }
  if (failed(checkRows(op, r, element)))
    return failure();
  if (!r.isInside() && !element.isF16() && !element.isBF16() &&
      !element.isF32() && !element.isInteger(16) && !element.isInteger(32))
    return op.emitOpError("cannot be lowered to Ascend: tiles of ")
           << element
           << " that may reach past the edge of global memory, filled are "
              "those of f16, bf16, f32, i16 and i32";
  if (!fill)
    fill = e.constant(element, 0.0);
  fillRest(l, e, r, buffer, fill);
  // The rest of the last block of a row would be lost otherwise.
  std::optional<int64_t> columns = getConstantIntValue(r.columns);
  int64_t c0 = kBlockBytes / getElementBytes(element);
  bool isWhole = columns && (*columns == r.numColumns || *columns % c0 == 0);
  e.when(isNotEmpty(e, r), [&] {
    LoadOp::create(e, r.global.buffer, r.globalOffset, buffer, r.tileOffset,
                   r.rows, r.columns, r.globalStride, e.index(r.pitch),
                   isWhole ? Value() : fill);
  });
  if (Operation *load = getLast(e))
    l.loads.insert(load);
  return converts ? convertInUB(l, e, converted, op.getTarget()) : success();
}

static LogicalResult lowerFromUB(Lowering &l, Emitter &e, tile::CopyOp op) {
  FailureOr<RowRegion> region = RegionBuilder(e, op).build();
  if (failed(region))
    return failure();
  RowRegion r = *region;
  Type element = r.global.getElementType();
  Value buffer = r.tile.buffer;
  if (element != r.tile.getElementType()) {
    Value converted = getConverted(l, e, op.getSource(), element);
    if (failed(checkWhole(op, op.getSource(), r)) ||
        failed(convertInUB(l, e, op.getSource(), converted)))
      return failure();
    buffer = getRoot(converted);
    r.tileOffset = e.index(int64_t(0));
    r.pitch = getPitch(r.numColumns, element);
  } else {
    flattenColumn(e, r, element);
  }
  if (failed(checkRows(op, r, element)))
    return failure();
  e.when(isNotEmpty(e, r), [&] {
    StoreOp::create(e, buffer, r.tileOffset, r.global.buffer, r.globalOffset,
                    r.rows, r.columns, r.globalStride, e.index(r.pitch));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Fills before loads
//===----------------------------------------------------------------------===//

static bool isAddress(Operation *op) {
  return isPure(op) || isa<memref::DimOp>(op);
}

/// The tile that an emitted fill or load, or a branch around one, writes.
static Value getWrittenTile(Operation *op) {
  Value buffer;
  op->walk([&](Operation *inner) {
    if (auto fill = dyn_cast<VDupOp>(inner))
      buffer = fill.getTarget();
    else if (auto load = dyn_cast<LoadOp>(inner))
      buffer = load.getTarget();
  });
  return buffer ? getRootBuffer(buffer) : buffer;
}

/// The first of the loads that come right before `fill`, but for arithmetic and
/// other fills, and load other tiles; null if there is none.
static Operation *getEarlierLoad(Lowering &l, Operation *fill) {
  Value tile = getWrittenTile(fill);
  Operation *first = nullptr;
  for (Operation *op = fill->getPrevNode(); op; op = op->getPrevNode()) {
    if (isAddress(op) || l.fills.contains(op))
      continue;
    if (!l.loads.contains(op) || getWrittenTile(op) == tile)
      break;
    first = op;
  }
  return first;
}

void ascend::groupFills(Lowering &l) {
  for (Operation *fill : l.fills) {
    Operation *load = getEarlierLoad(l, fill);
    if (!load)
      continue;
    // The arithmetic that it needs goes with it.
    llvm::SetVector<Operation *> needed;
    SmallVector<Operation *> worklist = {fill};
    while (!worklist.empty()) {
      worklist.pop_back_val()->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *def = operand.getDefiningOp();
          if (def && def->getBlock() == load->getBlock() &&
              load->isBeforeInBlock(def) && needed.insert(def))
            worklist.push_back(def);
        }
      });
    }
    if (!llvm::all_of(needed, isAddress))
      continue;
    SmallVector<Operation *> inOrder = needed.takeVector();
    llvm::sort(inOrder, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *op : inOrder)
      op->moveBefore(load);
    fill->moveBefore(load);
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

LogicalResult ascend::lower(Lowering &l, tile::CopyOp op) {
  Emitter e(op.getLoc(), op);
  MemorySpace from = getSpace(op.getSource()), to = getSpace(op.getTarget());
  LogicalResult result = success();
  auto body = [&] {
    if (from == MemorySpace::Global && to == MemorySpace::L1)
      result = lowerToL1(e, op);
    else if (from == MemorySpace::L0C && to == MemorySpace::Global)
      result = lowerFromL0C(l, e, op);
    else if (from == MemorySpace::Global && to == MemorySpace::UB)
      result = lowerToUB(l, e, op);
    else if (from == MemorySpace::UB && to == MemorySpace::Global)
      result = lowerFromUB(l, e, op);
    else if (from == MemorySpace::UB && to == MemorySpace::UB)
      result = lowerCopyInUB(l, op);
    else
      result = op.emitOpError("cannot be lowered to Ascend: no path from ")
               << stringifyMemorySpace(from) << " to "
               << stringifyMemorySpace(to);
  };
  if (!op.getGuard()) {
    body();
    return result;
  }
  // What is emitted goes where the copy is: into the branch.
  auto branch = scf::IfOp::create(e, op.getGuard(), /*withElseRegion=*/false);
  op->moveBefore(branch.thenBlock()->getTerminator());
  e.setInsertionPoint(op);
  body();
  return result;
}
