//===- TileOps.cpp - Copies and asynchronous operations
//---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;
using namespace tilepipe::tile;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// Slots of dynamic values; constants where a slot is none.
struct IndexList {
  static constexpr uint32_t none = ~0u;
  SmallVector<uint32_t, 4> slots;
  SmallVector<int64_t, 4> constants;

  int64_t get(unsigned i, const Slot *s) const {
    return slots[i] == none ? constants[i] : int64_t(s[slots[i]]);
  }
};

struct CopyData {
  unsigned sourceRank, targetRank;
  Element from, to;
  IndexList sourceOffsets, targetOffsets, sizes;
  /// Region dimension of each dimension of a side, or -1.
  SmallVector<int, 4> sourceRegion, targetRegion;
  uint32_t source, target;
  uint32_t fill = IndexList::none, guard = IndexList::none;
};
} // namespace

static IndexList getIndexList(Compiler &c, ArrayRef<OpFoldResult> values) {
  IndexList list;
  for (OpFoldResult value : values) {
    auto dynamic = dyn_cast<Value>(value);
    list.slots.push_back(dynamic ? c.slotOf(dynamic) : IndexList::none);
    list.constants.push_back(dynamic ? 0 : *getConstantIntValue(value));
  }
  return list;
}

static SmallVector<int, 4> invert(ArrayRef<int64_t> dims, unsigned rank) {
  SmallVector<int, 4> region(rank, -1);
  for (auto [i, dim] : llvm::enumerate(dims))
    region[dim] = i;
  return region;
}

template <typename OpT>
static CopyData *makeCopy(Compiler &c, OpT op, Instr &in) {
  auto *data = c.make<CopyData>();
  data->sourceRank = op.getSourceType().getRank();
  data->targetRank = op.getTargetType().getRank();
  data->from = getElementOf(op.getSourceType().getElementType());
  data->to = getElementOf(op.getTargetType().getElementType());
  data->sourceOffsets = getIndexList(c, op.getMixedSourceOffsets());
  data->targetOffsets = getIndexList(c, op.getMixedTargetOffsets());
  data->sizes = getIndexList(c, op.getMixedSizes());
  data->sourceRegion = invert(op.getSourceDims(), data->sourceRank);
  data->targetRegion = invert(op.getTargetDims(), data->targetRank);
  data->source = c.slotOf(op.getSource());
  data->target = c.slotOf(op.getTarget());
  if (op.getFill())
    data->fill = c.slotOf(op.getFill());
  if (op.getGuard())
    data->guard = c.slotOf(op.getGuard());
  in.data = data;
  return data;
}

/// Where region coordinate `i` lies within `extent`: `0 <= offset + i <
/// extent`.
static std::pair<int64_t, int64_t> clip(int64_t offset, int64_t size,
                                        int64_t extent) {
  __int128 begin = std::max<__int128>(0, -__int128(offset));
  __int128 end = std::min<__int128>(size, __int128(extent) - offset);
  if (begin >= end)
    return {0, 0};
  return {int64_t(begin), int64_t(end)};
}

/// The request of a copy of region `sizes`, clipped to its target; elements of
/// the source may be wider or narrower. False after an error.
static bool makeRequest(Machine &m, const Instr &in, const CopyData &data,
                        Slot *s, runtime::CopyRequest &request) {
  View source = getView(s, data.source, data.sourceRank);
  View target = getView(s, data.target, data.targetRank);
  unsigned rank = data.sizes.slots.size();
  SmallVector<int64_t, 4> size(rank), begin(rank), end(rank);
  for (unsigned i = 0; i < rank; ++i) {
    size[i] = data.sizes.get(i, s);
    if (size[i] < 0)
      return m.fail(in, "has the negative size " + Twine(size[i]) +
                            " in dimension " + Twine(i));
    begin[i] = 0;
    end[i] = size[i];
  }
  request.target.elementBytes = data.to.bytes;
  request.target.strides.assign(rank, 0);
  request.sourceStrides.assign(rank, 0);
  char *base = target.base();
  bool isEmpty = false;
  for (unsigned dim = 0; dim < data.targetRank; ++dim) {
    int64_t offset = data.targetOffsets.get(dim, s);
    int i = data.targetRegion[dim];
    auto [low, high] = clip(offset, i < 0 ? 1 : size[i], target.size(dim));
    isEmpty |= low >= high;
    if (isEmpty)
      break;
    base += (offset + low) * target.stride(dim);
    if (i < 0)
      continue;
    begin[i] = low;
    end[i] = high;
    request.target.strides[i] = target.stride(dim);
  }
  // A size that no dimension of the target bounds cannot occur: the region has
  // the rank of the lower side, and runs over dimensions of both.
  request.target.base = base;
  for (unsigned i = 0; i < rank; ++i)
    request.target.sizes.push_back(isEmpty ? 0 : end[i] - begin[i]);
  request.validBegin.assign(rank, 0);
  request.validEnd = request.target.sizes;
  intptr_t from = reinterpret_cast<intptr_t>(source.base());
  bool hasSource = !isEmpty;
  for (unsigned dim = 0; dim < data.sourceRank && hasSource; ++dim) {
    int64_t offset = data.sourceOffsets.get(dim, s);
    int i = data.sourceRegion[dim];
    int64_t first = i < 0 ? 0 : begin[i];
    int64_t count = i < 0 ? 1 : request.target.sizes[i];
    int64_t start;
    if (__builtin_add_overflow(offset, first, &start))
      start = INT64_MAX;
    auto [low, high] = clip(start, count, source.size(dim));
    hasSource = low < high;
    from += uint64_t(start) * uint64_t(source.stride(dim));
    if (i < 0)
      continue;
    request.validBegin[i] = low;
    request.validEnd[i] = high;
    request.sourceStrides[i] = source.stride(dim);
  }
  if (!hasSource)
    for (unsigned i = 0; i < rank; ++i)
      request.validBegin[i] = request.validEnd[i] = 0;
  // At rank 0 there is no valid box to be empty; nothing is read all the same.
  if (!hasSource && rank == 0 && !isEmpty) {
    request.target.sizes = request.validBegin = request.validEnd = {1};
    request.validBegin = request.validEnd = {0};
    request.target.strides = request.sourceStrides = {0};
  }
  if (isEmpty && rank == 0) {
    request.target.sizes = request.validBegin = request.validEnd = {0};
    request.target.strides = request.sourceStrides = {0};
  }
  request.source = from;
  request.poison = data.to.getPoison();
  request.origin = in.op;
  storeElement(data.to, request.fill,
               data.fill == IndexList::none ? 0 : s[data.fill]);
  return true;
}

/// Copies element by element, with conversion.
static void convertCopy(const CopyData &data, const runtime::CopyRequest &r) {
  unsigned rank = r.target.sizes.size();
  SmallVector<int64_t, 4> index(rank, 0);
  while (!r.target.empty()) {
    char *to = r.target.base;
    intptr_t from = r.source;
    bool isValid = r.hasSource();
    for (unsigned i = 0; i < rank; ++i) {
      to += index[i] * r.target.strides[i];
      from += index[i] * r.sourceStrides[i];
      isValid &= index[i] >= r.validBegin[i] && index[i] < r.validEnd[i];
    }
    if (isValid)
      storeElement(data.to, to,
                   convertElement(
                       data.from, data.to,
                       loadElement(data.from, reinterpret_cast<char *>(from))));
    else
      std::memcpy(to, r.fill, data.to.bytes);
    int64_t dim = int64_t(rank) - 1;
    for (; dim >= 0 && ++index[dim] == r.target.sizes[dim]; --dim)
      index[dim] = 0;
    if (dim < 0)
      return;
  }
}

static int64_t count(const runtime::MemoryBox &box) {
  int64_t count = 1;
  for (int64_t size : box.sizes)
    count *= size;
  return count;
}

template <bool isAsync, bool converts>
static bool runCopy(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<CopyData>();
  if (isAsync)
    s[in.result] = 0;
  if (data.guard != IndexList::none && !s[data.guard])
    return true;
  runtime::CopyRequest request;
  if (!makeRequest(m, in, data, s, request))
    return false;
  runtime::MemoryBox source = request.getSourceBox();
  source.elementBytes = data.from.bytes;
  Buffer *from = View{s + data.source, 0}.buffer();
  Buffer *to = View{s + data.target, 0}.buffer();
  if (!m.accessBox(in, from, source, /*isWrite=*/false, isAsync) ||
      !m.accessBox(in, to, request.target, /*isWrite=*/true, isAsync))
    return false;
  m.charge(count(request.target));
  if (isAsync) {
    // Each copy in flight is looked at.
    m.steps += m.engine.getNumInFlight();
    std::optional<runtime::Finding> finding;
    s[in.result] = m.engine.issue(std::move(request), finding);
    return !finding || m.fail(in, *finding);
  }
  if (converts)
    convertCopy(data, request);
  else
    performCopy(request);
  return true;
}

static void compileCopy(Compiler &c, Operation *op, Instr &in) {
  auto copy = cast<CopyOp>(op);
  makeCopy(c, copy, in);
  in.run = copy.getSourceType().getElementType() ==
                   copy.getTargetType().getElementType()
               ? runCopy<false, false>
               : runCopy<false, true>;
}

static void compileAsyncCopy(Compiler &c, Operation *op, Instr &in) {
  auto copy = cast<AsyncCopyOp>(op);
  makeCopy(c, copy, in);
  // The verifier refuses a conversion.
  in.run = runCopy<true, false>;
}

//===----------------------------------------------------------------------===//
// Groups and waits
//===----------------------------------------------------------------------===//

static SmallVector<int64_t, 4> getTokens(const Instr &in, const Slot *s) {
  SmallVector<int64_t, 4> tokens;
  for (unsigned i = 0, e = in.op->getNumOperands(); i < e; ++i)
    tokens.push_back(s[in.operands[i]]);
  return tokens;
}

static bool runCommit(Machine &m, const Instr &in, Slot *s) {
  std::optional<runtime::Finding> finding;
  s[in.result] = m.engine.commit(getTokens(in, s), finding);
  return !finding || m.fail(in, *finding);
}

static bool runNone(Machine &, const Instr &in, Slot *s) {
  s[in.result] = 0;
  return true;
}

static bool runWait(Machine &m, const Instr &in, Slot *s) {
  auto pending = int64_t(reinterpret_cast<intptr_t>(in.data));
  if (LLVM_UNLIKELY(in.op == m.options.mutatedWait)) {
    ++m.mutations;
    if (m.options.mutationExtra >= 0)
      m.engine.waitLoosely(getTokens(in, s), pending, m.options.mutationExtra);
    return true;
  }
  std::optional<runtime::Finding> finding;
  m.engine.wait(getTokens(in, s), pending, finding);
  return !finding || m.fail(in, *finding);
}

static void compileWait(Compiler &, Operation *op, Instr &in) {
  std::optional<uint64_t> pending = cast<AsyncWaitOp>(op).getPending();
  in.data = reinterpret_cast<const void *>(pending ? intptr_t(*pending) : -1);
  in.run = runWait;
}

template <bool (*run)(Machine &, const Instr &, Slot *)>
static void compileTo(Compiler &, Operation *, Instr &in) {
  in.run = run;
}

void interp::addTileHandlers(HandlerMap &map) {
  map[TypeID::get<CopyOp>()] = compileCopy;
  map[TypeID::get<AsyncCopyOp>()] = compileAsyncCopy;
  map[TypeID::get<AsyncCommitOp>()] = compileTo<runCommit>;
  map[TypeID::get<AsyncNoneOp>()] = compileTo<runNone>;
  map[TypeID::get<AsyncWaitOp>()] = compileWait;
}
