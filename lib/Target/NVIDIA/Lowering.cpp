//===- Lowering.cpp - What the lowerings of a kernel share ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "IndexFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

/// Arguments of kernels and shared tiles begin at multiples of this.
static constexpr int64_t kBaseAlignment = 16;

static Attribute getSpace(MLIRContext *context, gpu::AddressSpace space) {
  return gpu::AddressSpaceAttr::get(context, space);
}

//===----------------------------------------------------------------------===//
// Values of the whole kernel
//===----------------------------------------------------------------------===//

void Lowering::begin(Operation *end) {
  entryEnd = end;
  Emitter e = atEntry(kernel.getLoc());
  threadId =
      gpu::ThreadIdOp::create(e, gpu::Dimension::x, e.getIndexAttr(numThreads));
  auto type =
      MemRefType::get({0}, e.getI8Type(), MemRefLayoutAttrInterface(),
                      getSpace(e.getContext(), gpu::AddressSpace::Workgroup));
  smem = memref::GetGlobalOp::create(e, type, kSharedArray);
}

void Lowering::remark(Operation *op, const Twine &text) {
  if (remarked.insert(op->getLoc()).second)
    op->emitRemark(text);
}

Value Lowering::viewShared(Emitter &e, int64_t offset, Type element,
                           int64_t count) {
  auto type =
      MemRefType::get({count}, element, MemRefLayoutAttrInterface(),
                      getSpace(e.getContext(), gpu::AddressSpace::Workgroup));
  return memref::ViewOp::create(e, type, smem, e.index(offset), ValueRange());
}

bool nvidia::isVectorElement(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         type.isSignlessInteger(32);
}

void Lowering::addAlloc(tile::AllocOp alloc, SharedLayout layout) {
  Emitter e = atEntry(alloc.getLoc());
  MemRefType type = alloc.getType();
  Buffer buffer;
  buffer.type = type;
  if (tile::getMemorySpace(type) == tile::MemorySpace::Fragment) {
    buffer.kind = Buffer::Kind::Fragment;
    buffer.layout = plan.getLayout(alloc);
    buffer.hasVectors =
        isVectorElement(type.getElementType()) &&
        llvm::none_of(alloc->getUsers(), llvm::IsaPred<tile::GemmOp>);
    buffer.memref = memref::AllocaOp::create(
        e,
        MemRefType::get({buffer.layout->getNumRegisters()},
                        type.getElementType(), MemRefLayoutAttrInterface(),
                        getSpace(e.getContext(), gpu::AddressSpace::Private)));
  } else {
    buffer.kind = Buffer::Kind::Shared;
    buffer.shared = layout;
    int64_t offset = alloc.getOffset().value_or(0);
    int64_t bytes =
        type.getNumElements() * Emitter::getElementBytes(type.getElementType());
    sharedBytes = std::max(sharedBytes, offset + bytes);
    buffer.memref =
        viewShared(e, offset, type.getElementType(), type.getNumElements());
  }
  buffers[alloc] = buffer;
}

Buffer Lowering::resolve(Emitter &e, Value memref) {
  if (auto alloc = memref.getDefiningOp<tile::AllocOp>())
    return buffers.lookup(alloc);
  if (auto slot = memref.getDefiningOp<tile::SlotOp>()) {
    Buffer buffer = resolve(e, slot.getSource());
    buffer.type = cast<MemRefType>(slot.getType());
    Value start = e.mul(slot.getIndex(), e.index(buffer.type.getNumElements()));
    buffer.offset = buffer.offset ? e.add(buffer.offset, start) : start;
    return buffer;
  }
  Buffer buffer;
  buffer.memref = memref;
  buffer.type = cast<MemRefType>(memref.getType());
  return buffer;
}

Value Lowering::getScratch(Emitter &e, Type element, int64_t count) {
  int64_t start = llvm::alignTo(sharedBytes, kBaseAlignment);
  scratchBytes =
      std::max(scratchBytes,
               start - sharedBytes + count * Emitter::getElementBytes(element));
  return viewShared(e, start, element, count);
}

ArrayRef<Value> Lowering::getThreadCoordinates(const ThreadLayout &layout) {
  for (auto &[known, values] : coordinates)
    if (known == layout)
      return values;
  Emitter e = atEntry(kernel.getLoc());
  SmallVector<Value> values;
  for (int64_t dim = 0; dim < layout.getRank(); ++dim)
    values.push_back(e.gather(threadId, layout.getThreadBases(), dim));
  coordinates.emplace_back(layout, std::move(values));
  return coordinates.back().second;
}

Value Lowering::getOwner(const ThreadLayout &layout) {
  int64_t mask = layout.getReplicatedThreadMask(numThreads);
  if (!mask)
    return nullptr;
  Value &owner = owners[mask];
  if (!owner) {
    Emitter e = atEntry(kernel.getLoc());
    owner = e.isEqual(e.createOrFold<arith::AndIOp>(threadId, e.index(mask)),
                      e.index(int64_t(0)));
  }
  return owner;
}

Value Lowering::getFirstThread() {
  if (!firstThread) {
    Emitter e = atEntry(kernel.getLoc());
    firstThread = e.isEqual(threadId, e.index(int64_t(0)));
  }
  return firstThread;
}

//===----------------------------------------------------------------------===//
// Distribution
//===----------------------------------------------------------------------===//

void Lowering::distribute(
    Emitter &e, const ThreadLayout &layout, int64_t width, int64_t maxUnrolled,
    llvm::function_ref<void(int64_t, ArrayRef<Value>)> body) {
  SmallVector<Value> base(getThreadCoordinates(layout));
  int64_t numGroups = layout.getNumRegisters() / width;
  if (maxUnrolled == 0 || numGroups <= maxUnrolled) {
    for (int64_t group = 0; group < numGroups; ++group) {
      SmallVector<Value> at;
      for (auto [value, offset] :
           llvm::zip_equal(base, layout.getOffset(group * width)))
        at.push_back(e.add(value, e.index(offset)));
      body(group * width, at);
    }
    return;
  }
  ArrayRef<LayoutBasis> bases =
      layout.getRegisterBases().drop_front(llvm::Log2_64(width));
  e.loop(e.index(int64_t(0)), e.index(numGroups), e.index(int64_t(1)), false,
         [&](Value group) {
           SmallVector<Value> at;
           for (auto [dim, value] : llvm::enumerate(base))
             at.push_back(e.add(value, e.gather(group, bases, dim)));
           body(-1, at);
         });
}

void Lowering::distributeDynamic(
    Emitter &e, ArrayRef<OpFoldResult> extents,
    llvm::function_ref<void(ArrayRef<Value>)> body) {
  Value total = e.index(int64_t(1));
  for (OpFoldResult extent : extents)
    total = e.mul(total, e.index(extent));
  e.loop(threadId, total, e.index(numThreads), false, [&](Value number) {
    SmallVector<Value> at(extents.size());
    for (int64_t dim = extents.size() - 1; dim > 0; --dim) {
      Value extent = e.index(extents[dim]);
      at[dim] = e.createOrFold<arith::RemUIOp>(number, extent);
      number = e.createOrFold<arith::DivUIOp>(number, extent);
    }
    at[0] = number;
    body(at);
  });
}

//===----------------------------------------------------------------------===//
// Element access
//===----------------------------------------------------------------------===//

Value Lowering::linearize(Emitter &e, const Buffer &buffer,
                          ValueRange indices) {
  auto [strides, offset] = buffer.type.getStridesAndOffset();
  SmallVector<Value> at(indices);
  const SharedLayout &layout = buffer.shared;
  if (layout.isSwizzled()) {
    Value row = at[at.size() - 2];
    row = e.createOrFold<arith::ShRUIOp>(
        row, e.index(int64_t(llvm::Log2_64(layout.rowsPerPhase))));
    row = e.createOrFold<arith::AndIOp>(row, e.index(layout.phases - 1));
    row = e.createOrFold<arith::ShLIOp>(
        row, e.index(int64_t(llvm::Log2_64(layout.chunk))));
    at.back() = e.createOrFold<arith::XOrIOp>(at.back(), row);
  }
  Value result = e.index(int64_t(0));
  for (auto [index, stride] : llvm::zip_equal(at, strides))
    result = e.add(result, e.mul(index, e.index(stride)));
  return buffer.offset ? e.add(buffer.offset, result) : result;
}

/// The alignment to state for `width` elements; none for single ones.
static llvm::MaybeAlign getAlignment(Type element, int64_t width) {
  if (width == 1)
    return {};
  return llvm::Align(width * Emitter::getElementBytes(element));
}

Value Lowering::load(Emitter &e, const Buffer &buffer, ValueRange indices,
                     int64_t width) {
  SmallVector<Value> at(indices);
  if (buffer.isShared())
    at = {linearize(e, buffer, indices)};
  if (width == 1)
    return memref::LoadOp::create(e, buffer.memref, at);
  return vector::LoadOp::create(
      e, VectorType::get({width}, buffer.element()), buffer.memref, at,
      /*nontemporal=*/false, getAlignment(buffer.element(), width));
}

void Lowering::store(Emitter &e, Value value, const Buffer &buffer,
                     ValueRange indices, int64_t width) {
  SmallVector<Value> at(indices);
  if (buffer.isShared())
    at = {linearize(e, buffer, indices)};
  if (width == 1)
    memref::StoreOp::create(e, value, buffer.memref, at);
  else
    vector::StoreOp::create(e, value, buffer.memref, at, /*nontemporal=*/false,
                            getAlignment(buffer.element(), width));
}

Value Lowering::loadRegister(Emitter &e, const Buffer &buffer, int64_t number) {
  return memref::LoadOp::create(e, buffer.memref, ValueRange{e.index(number)});
}

void Lowering::storeRegister(Emitter &e, Value value, const Buffer &buffer,
                             int64_t number) {
  memref::StoreOp::create(e, value, buffer.memref, ValueRange{e.index(number)});
}

/// True if these registers are a vector that begins at a multiple of its size.
static bool areVector(const Buffer &buffer, ArrayRef<int64_t> numbers) {
  if (!buffer.hasVectors || numbers.front() % numbers.size() != 0)
    return false;
  for (auto [i, number] : llvm::enumerate(numbers))
    if (number != numbers.front() + static_cast<int64_t>(i))
      return false;
  return true;
}

Value Lowering::loadRegisters(Emitter &e, const Buffer &buffer,
                              ArrayRef<int64_t> numbers) {
  if (numbers.size() == 1)
    return loadRegister(e, buffer, numbers.front());
  auto type =
      VectorType::get({static_cast<int64_t>(numbers.size())}, buffer.element());
  if (areVector(buffer, numbers))
    return vector::LoadOp::create(e, type, buffer.memref,
                                  ValueRange{e.index(numbers.front())});
  SmallVector<Value> values;
  for (int64_t number : numbers)
    values.push_back(loadRegister(e, buffer, number));
  return vector::FromElementsOp::create(e, type, values);
}

void Lowering::storeRegisters(Emitter &e, Value value, const Buffer &buffer,
                              ArrayRef<int64_t> numbers) {
  if (numbers.size() == 1)
    return storeRegister(e, value, buffer, numbers.front());
  if (areVector(buffer, numbers)) {
    vector::StoreOp::create(e, value, buffer.memref,
                            ValueRange{e.index(numbers.front())});
    return;
  }
  for (auto [i, number] : llvm::enumerate(numbers))
    storeRegister(e, vector::ExtractOp::create(e, value, int64_t(i)), buffer,
                  number);
}

/// True if vectors of the last dimension may begin at `buffer`'s start.
static bool hasAlignedBase(const Buffer &buffer, int64_t bytes) {
  if (buffer.isShared())
    return !buffer.offset ||
           getDivisor(buffer.offset) *
                   Emitter::getElementBytes(buffer.element()) >=
               bytes;
  if (!isa<BlockArgument>(buffer.memref))
    return false;
  auto [strides, offset] = buffer.type.getStridesAndOffset();
  return offset == 0 && bytes <= kBaseAlignment;
}

int64_t Lowering::getWidth(Emitter &e, const Buffer &buffer,
                           ArrayRef<OpFoldResult> offsets, int64_t limit,
                           bool wholeGroups, Value &condition) {
  condition = nullptr;
  int64_t rank = buffer.type.getRank();
  SmallVector<int64_t> strides = buffer.type.getStridesAndOffset().first;
  if (rank == 0 || strides.back() != 1 || buffer.isFragment())
    return 1;
  // A vector of elements that do not fill their bytes would be packed.
  int64_t bytes = Emitter::getElementBytes(buffer.element());
  if (auto integer = dyn_cast<IntegerType>(buffer.element());
      integer && integer.getWidth() != 8 * bytes)
    return 1;
  if (buffer.shared.isSwizzled())
    limit = std::min(limit, buffer.shared.chunk);
  auto divisorOf = [](OpFoldResult value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return getDivisor(*constant);
    return getDivisor(cast<Value>(value));
  };
  auto fits = [&](int64_t width) {
    if (!hasAlignedBase(buffer, width * bytes) ||
        divisorOf(offsets.back()) < width)
      return false;
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      if (!ShapedType::isDynamic(strides[dim]) &&
          getDivisor(strides[dim]) < width)
        return false;
    int64_t last = buffer.type.getShape().back();
    return !wholeGroups || ShapedType::isDynamic(last) || last % width == 0;
  };
  int64_t width = limit;
  while (width > 1 && !fits(width))
    width /= 2;
  if (width == 1)
    return 1;
  Value cond = e.boolean(true);
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    if (ShapedType::isDynamic(strides[dim]))
      cond = e.both(cond,
                    e.isMultiple(e.index(e.stride(buffer.memref, dim)), width));
  if (wholeGroups && buffer.type.isDynamicDim(rank - 1))
    cond = e.both(cond, e.isMultiple(e.dim(buffer.memref, rank - 1), width));
  if (!e.isTrue(cond))
    condition = cond;
  return width;
}
