//===- VectorOps.cpp - Transfers and simple vector operations
//---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;

namespace {
struct TransferData {
  SmallVector<int64_t> shape;
  /// Memref dimension of each vector dimension, -1 for a broadcast.
  SmallVector<int> dims;
  SmallVector<bool> inBounds;
  unsigned rank;
  uint32_t memref, vector, padding = ~0u;
  SmallVector<uint32_t> indices;
  Element element;
};
} // namespace

/// Visits each element of the vector with its position in the memref. False
/// after an error.
template <bool isWrite>
static bool runTransfer(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<TransferData>();
  View view = getView(s, data.memref, data.rank);
  unsigned rank = data.shape.size();
  SmallVector<int64_t, 4> index(rank, 0), position(data.rank);
  for (uint32_t element = 0;; ++element) {
    for (unsigned dim = 0; dim < data.rank; ++dim)
      position[dim] = s[data.indices[dim]];
    bool isPadding = false;
    for (unsigned i = 0; i < rank; ++i) {
      int dim = data.dims[i];
      if (dim < 0)
        continue;
      position[dim] += index[i];
      if (!data.inBounds[i])
        isPadding |= position[dim] < 0 || position[dim] >= view.size(dim);
    }
    Slot &slot = s[data.vector + element];
    if (isPadding) {
      if (!isWrite)
        slot = s[data.padding];
    } else {
      char *address = m.access(
          in, view, [&](unsigned dim) { return position[dim]; }, isWrite,
          data.element.bytes);
      if (!address)
        return false;
      if (isWrite)
        storeElement(data.element, address, slot);
      else
        slot = loadElement(data.element, address);
    }
    int64_t dim = int64_t(rank) - 1;
    for (; dim >= 0 && ++index[dim] == data.shape[dim]; --dim)
      index[dim] = 0;
    if (dim < 0)
      return true;
  }
}

static TransferData *makeTransfer(Compiler &c, Value memref, Value vector,
                                  ValueRange indices) {
  auto *data = c.make<TransferData>();
  auto type = cast<VectorType>(vector.getType());
  data->shape.assign(type.getShape().begin(), type.getShape().end());
  data->rank = getRank(memref);
  data->memref = c.slotOf(memref);
  data->vector = c.slotOf(vector);
  for (Value index : indices)
    data->indices.push_back(c.slotOf(index));
  data->element =
      getElementOf(cast<MemRefType>(memref.getType()).getElementType());
  return data;
}

template <typename OpT, bool isWrite>
static void compileTransfer(Compiler &c, Operation *op, Instr &in) {
  auto transfer = cast<OpT>(op);
  Value memref = transfer.getBase();
  AffineMap map = transfer.getPermutationMap();
  if (!isa<MemRefType>(memref.getType()) || transfer.getMask() ||
      op->getNumResults() != (isWrite ? 0 : 1))
    return;
  TransferData *data =
      makeTransfer(c, memref, transfer.getVector(), transfer.getIndices());
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    data->dims.push_back(dim ? int(dim.getPosition()) : -1);
  }
  for (unsigned i = 0; i < data->shape.size(); ++i)
    data->inBounds.push_back(transfer.isDimInBounds(i));
  if constexpr (!isWrite)
    data->padding = c.slotOf(transfer.getPadding());
  in.data = data;
  in.run = runTransfer<isWrite>;
}

/// vector.load and vector.store: the last dimensions, in bounds.
template <typename OpT, bool isWrite>
static void compileAccess(Compiler &c, Operation *op, Instr &in) {
  auto access = cast<OpT>(op);
  Value vector;
  if constexpr (isWrite)
    vector = access.getValueToStore();
  else
    vector = access.getResult();
  unsigned rank = cast<VectorType>(vector.getType()).getRank();
  TransferData *data =
      makeTransfer(c, access.getBase(), vector, access.getIndices());
  if (rank > data->rank)
    return;
  for (unsigned i = 0; i < rank; ++i) {
    data->dims.push_back(data->rank - rank + i);
    data->inBounds.push_back(true);
  }
  in.data = data;
  in.run = runTransfer<isWrite>;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static bool runBroadcast(Machine &, const Instr &in, Slot *s) {
  // Trailing dimensions agree; `data` holds, for each element, its source.
  const auto &from = in.get<SmallVector<uint32_t>>();
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] = s[in.operands[0] + from[i]];
  return true;
}

static void compileBroadcast(Compiler &c, Operation *op, Instr &in) {
  auto to = cast<VectorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape;
  if (auto from = dyn_cast<VectorType>(op->getOperand(0).getType()))
    shape.assign(from.getShape().begin(), from.getShape().end());
  auto *map = c.make<SmallVector<uint32_t>>();
  unsigned lead = to.getRank() - shape.size();
  for (int64_t i = 0, e = to.getNumElements(); i < e; ++i) {
    int64_t rest = i, source = 0, scale = 1;
    for (unsigned dim = to.getRank(); dim-- > 0;) {
      int64_t position = rest % to.getDimSize(dim);
      rest /= to.getDimSize(dim);
      if (dim < lead)
        continue;
      int64_t extent = shape[dim - lead];
      source += extent == 1 ? 0 : position * scale;
      scale *= extent;
    }
    map->push_back(source);
  }
  in.data = map;
  in.run = runBroadcast;
}

/// Element-wise copies of slots: shape_cast, and extract by constants.
static bool runSlots(Machine &, const Instr &in, Slot *s) {
  auto first = uint32_t(reinterpret_cast<intptr_t>(in.data));
  std::memcpy(s + in.result, s + in.operands[0] + first,
              in.count * sizeof(Slot));
  return true;
}

static void compileShapeCast(Compiler &, Operation *, Instr &in) {
  in.run = runSlots;
}

static void compileExtract(Compiler &, Operation *op, Instr &in) {
  auto extract = cast<vector::ExtractOp>(op);
  if (extract.hasDynamicPosition())
    return;
  VectorType type = extract.getSourceVectorType();
  int64_t first = 0;
  ArrayRef<int64_t> position = extract.getStaticPosition();
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    first = first * type.getDimSize(dim) +
            (dim < position.size() ? position[dim] : 0);
  // A position of -1 is poison.
  if (llvm::any_of(position, [](int64_t p) { return p < 0; }))
    return;
  in.data = reinterpret_cast<const void *>(intptr_t(first));
  in.run = runSlots;
}

static bool runFma(Machine &, const Instr &in, Slot *s) {
  const Slot *a = s + in.operands[0], *b = s + in.operands[1],
             *c = s + in.operands[2];
  for (uint32_t i = 0; i < in.count; ++i)
    s[in.result + i] =
        in.to.kind == Kind::F64
            ? fromDouble(
                  std::fma(asDouble(a[i]), asDouble(b[i]), asDouble(c[i])))
            : fromFloat(roundTo(in.to, std::fma(asFloat(a[i]), asFloat(b[i]),
                                                asFloat(c[i]))));
  return true;
}

static void compileFma(Compiler &, Operation *, Instr &in) { in.run = runFma; }

void interp::addVectorHandlers(HandlerMap &map) {
  using namespace vector;
  map[TypeID::get<TransferReadOp>()] = compileTransfer<TransferReadOp, false>;
  map[TypeID::get<TransferWriteOp>()] = compileTransfer<TransferWriteOp, true>;
  map[TypeID::get<vector::LoadOp>()] = compileAccess<vector::LoadOp, false>;
  map[TypeID::get<vector::StoreOp>()] = compileAccess<vector::StoreOp, true>;
  map[TypeID::get<BroadcastOp>()] = compileBroadcast;
  map[TypeID::get<ShapeCastOp>()] = compileShapeCast;
  map[TypeID::get<ExtractOp>()] = compileExtract;
  map[TypeID::get<vector::FMAOp>()] = compileFma;
}
