//===- Capacity.cpp - Bytes of on-chip memory -----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Analysis/Capacity.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Products and sums of sizes stop at this number, which no memory has.
static constexpr int64_t kTooMuch = int64_t(1) << 60;

static int64_t multiply(int64_t a, int64_t b) {
  return std::min<uint64_t>(llvm::SaturatingMultiply(uint64_t(a), uint64_t(b)),
                            kTooMuch);
}
static int64_t add(int64_t a, int64_t b) {
  return std::min<uint64_t>(llvm::SaturatingAdd(uint64_t(a), uint64_t(b)),
                            kTooMuch);
}

static std::optional<int64_t> getElementBytes(Type type) {
  if (type.isIntOrFloat())
    // Elements lie at multiples of a size that loads and stores have.
    return int64_t(llvm::PowerOf2Ceil(
        llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)));
  if (type.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(type)) {
    std::optional<int64_t> part = getElementBytes(complex.getElementType());
    return part ? std::optional(2 * *part) : std::nullopt;
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    std::optional<int64_t> bytes = getElementBytes(vector.getElementType());
    if (!bytes || vector.isScalable())
      return std::nullopt;
    for (int64_t extent : vector.getShape())
      bytes = multiply(*bytes, extent);
    return bytes;
  }
  return std::nullopt;
}

std::optional<int64_t> tilepipe::getByteSize(MemRefType type) {
  std::optional<int64_t> bytes = getElementBytes(type.getElementType());
  if (!bytes || !type.hasStaticShape())
    return std::nullopt;
  for (int64_t extent : type.getShape())
    bytes = multiply(*bytes, extent);
  return bytes;
}

int64_t PlacedBuffer::getBytes(int64_t limit) const {
  return multiply(versionBytes, std::min(versions, limit));
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

namespace {

using Order = ArrayRef<PlacedBuffer *>;

/// A buffer that has its place.
struct Placed {
  int64_t begin, end;
  PlacedBuffer *buffer;
};

} // namespace

/// Puts each buffer, in the given order, into the lowest gap between buffers
/// that live at the same time; returns the end of the highest one.
static int64_t placeInOrder(Order order, int64_t align, int64_t versionLimit,
                            SmallVectorImpl<int64_t> &offsets) {
  SmallVector<Placed> placed; // by begin
  int64_t peak = 0;
  offsets.clear();
  for (PlacedBuffer *buffer : order) {
    int64_t bytes = buffer->getBytes(versionLimit), offset = 0;
    for (const Placed &other : placed) {
      if (!buffer->lifetime.overlaps(other.buffer->lifetime))
        continue;
      if (add(offset, bytes) <= other.begin)
        break;
      offset = std::max<int64_t>(offset, llvm::alignTo(other.end, align));
    }
    offsets.push_back(offset);
    int64_t end = add(offset, bytes);
    peak = std::max(peak, end);
    auto at = llvm::partition_point(
        placed, [&](const Placed &other) { return other.begin < offset; });
    placed.insert(at, {offset, end, buffer});
  }
  return peak;
}

/// The same in the order of first use, in time that is nearly linear: buffers
/// take the lowest free bytes and give them back after their last use.
static int64_t placeByScan(MutableArrayRef<PlacedBuffer *> buffers,
                           int64_t align, int64_t versionLimit, bool write) {
  SmallVector<PlacedBuffer *> order(buffers);
  llvm::sort(order, [](PlacedBuffer *a, PlacedBuffer *b) {
    return std::pair(a->lifetime.begin, a) < std::pair(b->lifetime.begin, b);
  });
  std::map<int64_t, int64_t> gaps = {{0, kTooMuch}}; // begin to end
  auto release = [&](int64_t begin, int64_t end) {
    auto next = gaps.lower_bound(begin);
    if (next != gaps.end() && next->first == end) {
      end = next->second;
      next = gaps.erase(next);
    }
    if (next != gaps.begin() && std::prev(next)->second == begin)
      std::prev(next)->second = end;
    else
      gaps[begin] = end;
  };
  // By end of life: the bytes that become free then.
  std::multimap<int64_t, std::pair<int64_t, int64_t>> live;
  int64_t peak = 0;
  for (PlacedBuffer *buffer : order) {
    if (buffer->lifetime.isEmpty())
      continue;
    while (!live.empty() && live.begin()->first < buffer->lifetime.begin) {
      release(live.begin()->second.first, live.begin()->second.second);
      live.erase(live.begin());
    }
    int64_t bytes = buffer->getBytes(versionLimit);
    bool isPlaced = false;
    for (auto [begin, end] : gaps) {
      int64_t offset = llvm::alignTo(begin, align);
      if (offset > end || end - offset < bytes)
        continue;
      // The bytes that alignment skips belong to the buffer while it lives.
      gaps.erase(begin);
      if (add(offset, bytes) < end)
        gaps[add(offset, bytes)] = end;
      live.insert({buffer->lifetime.end, {begin, add(offset, bytes)}});
      peak = std::max(peak, add(offset, bytes));
      if (write)
        buffer->offset = offset;
      isPlaced = true;
      break;
    }
    if (!isPlaced)
      peak = kTooMuch;
  }
  return peak;
}

/// Places the buffers of one memory. Program order keeps offsets where a reader
/// expects them; large buffers first packs better where lifetimes differ.
static int64_t place(MutableArrayRef<PlacedBuffer *> buffers, int64_t align,
                     int64_t versionLimit, bool write) {
  constexpr size_t kMany = 512;
  if (buffers.size() > kMany)
    return placeByScan(buffers, align, versionLimit, write);
  SmallVector<int64_t> offsets, best;
  int64_t peak = placeInOrder(buffers, align, versionLimit, best);
  SmallVector<PlacedBuffer *> bySize(buffers);
  llvm::sort(bySize, [&](PlacedBuffer *a, PlacedBuffer *b) {
    return std::pair(-a->getBytes(versionLimit), a) <
           std::pair(-b->getBytes(versionLimit), b);
  });
  Order order = buffers;
  if (int64_t other = placeInOrder(bySize, align, versionLimit, offsets);
      other < peak) {
    peak = other;
    best = offsets;
    order = bySize;
  }
  if (write)
    for (auto [buffer, offset] : llvm::zip_equal(order, best))
      buffer->offset = offset;
  return peak;
}

/// The versions of a buffer that has a dimension for them, else 1: `tile.slot`
/// is the only access to it.
static int64_t getMaterializedVersions(AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (type.getRank() == 0 || alloc->use_empty() ||
      !llvm::all_of(alloc->getUsers(), llvm::IsaPred<SlotOp>))
    return 1;
  return std::max<int64_t>(type.getDimSize(0), 1);
}

static SmallVector<PlacedBuffer *>
getBuffersIn(MemorySpace space, MutableArrayRef<PlacedBuffer> all) {
  SmallVector<PlacedBuffer *> result;
  for (PlacedBuffer &buffer : all)
    if (buffer.space == space)
      result.push_back(&buffer);
  return result;
}

/// Without a description a memory is as large as needed; 16 bytes are what the
/// widest access of common machines wants.
static int64_t getAlign(MemoryAttr memory) {
  return memory ? memory.getAlign() : 16;
}

MemoryPlan::MemoryPlan(Operation *function, TargetAttr target) {
  LifetimeAnalysis lifetimes(function);
  function->walk([&](AllocOp alloc) {
    MemorySpace space = getMemorySpace(alloc.getType());
    std::optional<int64_t> bytes = getByteSize(alloc.getType());
    if (space == MemorySpace::Global || !bytes)
      return;
    int64_t versions = alloc.getVersions().value_or(1);
    if (int64_t slots = getMaterializedVersions(alloc);
        slots > 1 && !alloc.getVersions()) {
      versions = slots;
      bytes = *bytes / slots;
    }
    buffers.push_back(
        {alloc, space, *bytes, versions, lifetimes.getLifetime(alloc)});
  });
  for (const PlacedBuffer &buffer : buffers) {
    if (llvm::any_of(uses, [&](const MemoryUse &use) {
          return use.space == buffer.space;
        }))
      continue;
    uses.push_back({buffer.space, target.getMemory(buffer.space)});
  }
  for (MemoryUse &use : uses) {
    SmallVector<PlacedBuffer *> here = getBuffersIn(use.space, buffers);
    use.bytes = place(here, getAlign(use.memory), INT64_MAX, /*write=*/true);
    for (PlacedBuffer *buffer : here)
      use.bytesWithoutReuse = add(use.bytesWithoutReuse, buffer->getBytes());
  }
}

std::optional<std::pair<int64_t, int64_t>>
MemoryPlan::getLargestDepth(const MemoryUse &use) const {
  SmallVector<PlacedBuffer> copies;
  int64_t low = 0, high = 1, bytes = 0;
  for (const PlacedBuffer &buffer : buffers) {
    if (buffer.space != use.space)
      continue;
    copies.push_back(buffer);
    high = std::max(high, buffer.versions);
  }
  SmallVector<PlacedBuffer *> here = getBuffersIn(use.space, copies);
  while (low < high) {
    int64_t depth = high - (high - low) / 2;
    int64_t need = place(here, getAlign(use.memory), depth, /*write=*/false);
    if (!use.memory || need <= use.memory.getCapacity()) {
      low = depth;
      bytes = need;
    } else {
      high = depth - 1;
    }
  }
  if (low == 0)
    return std::nullopt;
  return std::pair(low, bytes);
}

//===----------------------------------------------------------------------===//
// Check
//===----------------------------------------------------------------------===//

/// The planned loop with the most stages that uses a buffer of the memory, or
/// else the largest buffer: who reads the error can change something there.
static Operation *getCulprit(const MemoryPlan &plan, MemorySpace space) {
  PipelineOp deepest;
  AllocOp largest;
  int64_t largestBytes = -1;
  for (const PlacedBuffer &buffer : plan.getBuffers()) {
    if (buffer.space != space)
      continue;
    if (buffer.getBytes() > largestBytes) {
      largest = buffer.alloc;
      largestBytes = buffer.getBytes();
    }
    if (buffer.versions == 1)
      continue;
    AllocOp alloc = buffer.alloc;
    for (Operation *user : alloc->getUsers())
      for (auto loop = user->getParentOfType<PipelineOp>(); loop;
           loop = loop->getParentOfType<PipelineOp>())
        if (PipelineScheduleAttr schedule = loop.getScheduleAttr();
            schedule && (!deepest || schedule.getDepth() >
                                         deepest.getScheduleAttr().getDepth()))
          deepest = loop;
  }
  return deepest ? deepest.getOperation() : largest.getOperation();
}

/// Lists the buffers of one memory, the largest ones if there are many.
static void addBufferNotes(InFlightDiagnostic &diagnostic,
                           const MemoryPlan &plan, MemorySpace space) {
  constexpr size_t kMaxNotes = 16;
  SmallVector<const PlacedBuffer *> buffers;
  for (const PlacedBuffer &buffer : plan.getBuffers())
    if (buffer.space == space && !buffer.lifetime.isEmpty())
      buffers.push_back(&buffer);
  size_t count = buffers.size();
  if (count > kMaxNotes) {
    llvm::sort(buffers, [](const PlacedBuffer *a, const PlacedBuffer *b) {
      return std::pair(-a->getBytes(), a) < std::pair(-b->getBytes(), b);
    });
    buffers.resize(kMaxNotes);
  }
  for (const PlacedBuffer *buffer : buffers) {
    AllocOp alloc = buffer->alloc;
    Diagnostic &note = diagnostic.attachNote(alloc.getLoc());
    note << "buffer '" << getBufferName(alloc.getResult()) << "' takes "
         << buffer->getBytes() << " bytes";
    if (buffer->versions > 1)
      note << ": " << buffer->versions << " versions of "
           << buffer->versionBytes;
  }
  if (count > kMaxNotes)
    diagnostic.attachNote()
        << "and " << (count - kMaxNotes) << " smaller buffers";
}

LogicalResult tilepipe::checkCapacity(Operation *function,
                                      const MemoryPlan &plan,
                                      TargetAttr target) {
  LogicalResult result = success();
  for (const MemoryUse &use : plan.getUses()) {
    if (use.fits())
      continue;
    Operation *culprit = getCulprit(plan, use.space);
    InFlightDiagnostic diagnostic = emitError(culprit->getLoc());
    diagnostic << "needs " << use.bytes << " bytes of "
               << stringifyMemorySpace(use.space) << " memory, but '"
               << target.getName() << "' has " << use.memory.getCapacity();
    if (auto depth = plan.getLargestDepth(use))
      diagnostic << "; num_stages = " << depth->first << " fits in "
                 << depth->second << " bytes";
    else
      diagnostic << "; it does not fit with one version of each buffer either";
    addBufferNotes(diagnostic, plan, use.space);
    result = failure();
  }
  return result;
}

LogicalResult tilepipe::checkCapacity(Operation *root) {
  LogicalResult result = success();
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (function.isExternal())
      return WalkResult::skip();
    TargetAttr target = getTarget(function);
    if (failed(checkCapacity(function, MemoryPlan(function, target), target)))
      result = failure();
    return WalkResult::skip();
  });
  return result;
}
