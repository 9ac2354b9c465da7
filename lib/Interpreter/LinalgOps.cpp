//===- LinalgOps.cpp - Structured operations and affine maps
//----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;

namespace {
struct LinalgData {
  SmallVector<AffineMap> maps;
  /// Slot and rank of each operand; rank -1 for a scalar.
  SmallVector<std::pair<uint32_t, int>> operands;
  SmallVector<Element> elements;
  unsigned numInputs, numLoops;
  Code body;
  SmallVector<uint32_t> arguments, yields;
  /// `linalg.index` results and their dimension.
  SmallVector<std::pair<uint32_t, unsigned>> indices;
};
} // namespace

/// Value of an affine expression; false for a division by zero.
static bool evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                     ArrayRef<int64_t> symbols, int64_t &value) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    value = constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    value = dims[dim.getPosition()];
    return true;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    value = symbols[symbol.getPosition()];
    return true;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a, b;
  if (!evaluate(binary.getLHS(), dims, symbols, a) ||
      !evaluate(binary.getRHS(), dims, symbols, b))
    return false;
  if (expr.getKind() == AffineExprKind::Add) {
    value = int64_t(uint64_t(a) + uint64_t(b));
    return true;
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    value = int64_t(uint64_t(a) * uint64_t(b));
    return true;
  }
  if (b <= 0)
    return false;
  int64_t floor = a / b - (a % b < 0);
  value =
      expr.getKind() == AffineExprKind::Mod
          ? a - floor * b
          : floor + (expr.getKind() == AffineExprKind::CeilDiv && a % b != 0);
  return true;
}

/// The extent of each loop, from the operands whose maps name it plainly.
static bool getExtents(Machine &m, const Instr &in, const LinalgData &data,
                       Slot *s, SmallVectorImpl<int64_t> &extents) {
  extents.assign(data.numLoops, -1);
  for (auto [operand, map] : llvm::zip_equal(data.operands, data.maps)) {
    if (operand.second < 0)
      continue;
    View view = getView(s, operand.first, operand.second);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      int64_t &extent = extents[loop.getPosition()];
      if (extent >= 0 && extent != view.size(dim))
        return m.fail(in, "has operands of extents " + Twine(extent) + " and " +
                              Twine(view.size(dim)) + " in loop " +
                              Twine(loop.getPosition()));
      extent = view.size(dim);
    }
  }
  for (int64_t extent : extents)
    if (extent < 0)
      return m.fail(in, "has a loop whose extent no operand gives");
  return true;
}

static char *getAddress(Machine &m, const Instr &in, const LinalgData &data,
                        unsigned operand, ArrayRef<int64_t> index, Slot *s,
                        bool isWrite) {
  View view =
      getView(s, data.operands[operand].first, data.operands[operand].second);
  SmallVector<int64_t, 4> position(view.rank);
  for (unsigned dim = 0; dim < view.rank; ++dim)
    if (!evaluate(data.maps[operand].getResult(dim), index, {},
                  position[dim])) {
      m.fail(in, "divides by zero in an indexing map");
      return nullptr;
    }
  return m.access(
      in, view, [&](unsigned dim) { return position[dim]; }, isWrite,
      data.elements[operand].bytes);
}

static bool runPoint(Machine &m, const Instr &in, const LinalgData &data,
                     ArrayRef<int64_t> index, Slot *s) {
  for (auto [slot, dim] : data.indices)
    s[slot] = index[dim];
  for (unsigned i = 0; i < data.operands.size(); ++i) {
    if (data.operands[i].second < 0) {
      s[data.arguments[i]] = s[data.operands[i].first];
      continue;
    }
    // An output that the body does not use may be uninitialised.
    bool isUnused = i >= data.numInputs && data.arguments[i] == ~0u;
    if (isUnused)
      continue;
    char *address = getAddress(m, in, data, i, index, s, /*isWrite=*/false);
    if (!address)
      return false;
    s[data.arguments[i]] = loadElement(data.elements[i], address);
  }
  if (!m.run(data.body, s))
    return false;
  for (unsigned i = data.numInputs; i < data.operands.size(); ++i) {
    char *address = getAddress(m, in, data, i, index, s, /*isWrite=*/true);
    if (!address)
      return false;
    storeElement(data.elements[i], address, s[data.yields[i - data.numInputs]]);
  }
  return true;
}

static bool runLinalg(Machine &m, const Instr &in, Slot *s) {
  const auto &data = in.get<LinalgData>();
  SmallVector<int64_t, 6> extents, index(data.numLoops, 0);
  if (!getExtents(m, in, data, s, extents))
    return false;
  if (llvm::is_contained(extents, 0))
    return true;
  while (true) {
    if (!runPoint(m, in, data, index, s))
      return false;
    int64_t dim = int64_t(data.numLoops) - 1;
    for (; dim >= 0 && ++index[dim] == extents[dim]; --dim)
      index[dim] = 0;
    if (dim < 0)
      return true;
  }
}

static bool runNothing(Machine &, const Instr &, Slot *) { return true; }

bool interp::compileLinalgOp(Compiler &c, Operation *op, Instr &in) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || op->getNumResults() != 0 || op->getNumRegions() != 1 ||
      !op->getRegion(0).hasOneBlock())
    return false;
  auto *data = c.make<LinalgData>();
  Block &body = op->getRegion(0).front();
  data->maps = linalgOp.getIndexingMapsArray();
  data->numInputs = linalgOp.getNumDpsInputs();
  data->numLoops = linalgOp.getNumLoops();
  if (data->maps.size() != op->getNumOperands() ||
      body.getNumArguments() != op->getNumOperands())
    return false;
  for (auto [operand, argument] :
       llvm::zip_equal(op->getOperands(), body.getArguments())) {
    auto memref = dyn_cast<MemRefType>(operand.getType());
    data->operands.emplace_back(c.slotOf(operand),
                                memref ? int(memref.getRank()) : -1);
    data->elements.push_back(
        getElementOf(getElementTypeOrSelf(operand.getType())));
    bool isUnusedOutput =
        data->arguments.size() >= data->numInputs && argument.use_empty();
    data->arguments.push_back(isUnusedOutput ? ~0u : c.slotOf(argument));
  }
  data->body = c.compileBlock(body);
  for (Value value : body.getTerminator()->getOperands())
    data->yields.push_back(c.slotOf(value));
  body.walk([&](linalg::IndexOp index) {
    data->indices.emplace_back(c.slotOf(index.getResult()), index.getDim());
  });
  in.data = data;
  in.run = runLinalg;
  return true;
}

//===----------------------------------------------------------------------===//
// affine.apply, affine.min, affine.max
//===----------------------------------------------------------------------===//

enum class AffinePick { Apply, Min, Max };

template <AffinePick pick>
static bool runAffine(Machine &m, const Instr &in, Slot *s) {
  const auto &map = in.get<AffineMap>();
  SmallVector<int64_t, 4> dims, symbols;
  for (unsigned i = 0; i < map.getNumInputs(); ++i)
    (i < map.getNumDims() ? dims : symbols).push_back(s[in.operands[i]]);
  bool isFirst = true;
  int64_t result = 0;
  for (AffineExpr expr : map.getResults()) {
    int64_t value;
    if (!evaluate(expr, dims, symbols, value))
      return m.fail(in, "divides by a number that is not positive");
    if (isFirst || (pick == AffinePick::Min ? value < result : value > result))
      result = value;
    isFirst = false;
  }
  s[in.result] = result;
  return true;
}

template <typename OpT, AffinePick pick>
static void compileAffine(Compiler &c, Operation *op, Instr &in) {
  auto *map = c.make<AffineMap>();
  *map = cast<OpT>(op).getAffineMap();
  in.data = map;
  in.run = runAffine<pick>;
}

static void compileIndex(Compiler &, Operation *, Instr &in) {
  // Set by the surrounding operation at each point.
  in.run = runNothing;
}

void interp::addLinalgHandlers(HandlerMap &map) {
  map[TypeID::get<linalg::IndexOp>()] = compileIndex;
  map[TypeID::get<affine::AffineApplyOp>()] =
      compileAffine<affine::AffineApplyOp, AffinePick::Apply>;
  map[TypeID::get<affine::AffineMinOp>()] =
      compileAffine<affine::AffineMinOp, AffinePick::Min>;
  map[TypeID::get<affine::AffineMaxOp>()] =
      compileAffine<affine::AffineMaxOp, AffinePick::Max>;
}
