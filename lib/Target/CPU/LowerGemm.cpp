//===- LowerGemm.cpp - Matrix products in vector registers ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of `rows` x `vectors` registers of c is kept over all of k, so each
// element sums its products in ascending order of k. Operands that cannot be
// used where they lie (another element type, b not contiguous along n) are
// converted once into scratch memory.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::cpu;

namespace {

class GemmEmitter {
public:
  GemmEmitter(Lowering &l, Emitter &e, tile::GemmOp op, ValueRange operands)
      : l(l), e(e), a(operands[0]), b(operands[1]), c(operands[2]),
        transposeA(op.getTransposeA()), transposeB(op.getTransposeB()),
        clear(op.getClear()),
        type(cast<MemRefType>(c.getType()).getElementType()) {}

  /// True if extents are static and c can be read and written as vectors.
  bool canBlock() const;
  void emitBlocked();
  void emitPlain();

private:
  MemRefType memrefType(Value v) const { return cast<MemRefType>(v.getType()); }
  static bool isRowMajor(MemRefType type) {
    auto [strides, offset] = type.getStridesAndOffset();
    return strides.back() == 1;
  }
  Value loadA(Value i, Value k) {
    return memref::LoadOp::create(
        e, a, transposeA ? ValueRange{k, i} : ValueRange{i, k});
  }
  Value loadB(Value k, Value j) {
    return memref::LoadOp::create(
        e, b, transposeB ? ValueRange{j, k} : ValueRange{k, j});
  }
  Value multiplyAdd(Value x, Value y, Value sum);
  void pack();
  void widenRows(Value from, Value to, int64_t rows, int64_t columns);
  Value widen(Value x);
  void transposeSquare(Value scratch, Value k0, Value j0);
  void packTransposedB(Value scratch, int64_t depth, int64_t columns);
  void emitPanel(Value column, int64_t numVectors, int64_t tail);
  void emitBlock(Value row, Value column, int64_t rows, int64_t numVectors,
                 int64_t tail);
  int64_t chooseRows() const;

  Lowering &l;
  Emitter &e;
  Value a, b, c;
  bool transposeA, transposeB, clear;
  Type type;
  int64_t m = 0, n = 0, k = 0;
  VectorType vector;
  int64_t lanes = 0;
  /// b is in scratch memory whose rows are padded to whole vectors.
  bool packedB = false;
  Value frame; ///< scratch memory, if any
};

} // namespace

Value GemmEmitter::multiplyAdd(Value x, Value y, Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum)))
    return LLVM::FMulAddOp::create(e, x, y, sum);
  return e.add(e.mul(x, y), sum);
}

bool GemmEmitter::canBlock() const {
  if (!memrefType(a).hasStaticShape() || !memrefType(b).hasStaticShape() ||
      !memrefType(c).hasStaticShape() || !isRowMajor(memrefType(c)))
    return false;
  // Narrower sums round after each step, which the plain loops do.
  return type.isF32() || type.isF64() || type.isInteger(32) ||
         type.isInteger(64);
}

void GemmEmitter::emitPlain() {
  Value zero = e.index(0), one = e.index(1);
  Value rows = e.dim(c, 0), columns = e.dim(c, 1);
  Value depth = e.dim(a, transposeA ? 0 : 1);
  if (clear)
    e.nest({zero, zero}, {rows, columns}, [&](ValueRange at) {
      memref::StoreOp::create(e, e.constant(type), c, at);
    });
  e.loop(zero, rows, one, [&](Value i) {
    e.loop(zero, depth, one, [&](Value k) {
      Value x = e.convert(loadA(i, k), type);
      e.loop(zero, columns, one, [&](Value j) {
        Value y = e.convert(loadB(k, j), type);
        Value sum = memref::LoadOp::create(e, c, ValueRange{i, j});
        Value product = isa<FloatType>(type)
                            ? Value(arith::MulFOp::create(e, x, y))
                            : e.mul(x, y);
        sum = isa<FloatType>(type)
                  ? Value(arith::AddFOp::create(e, sum, product))
                  : e.add(sum, product);
        memref::StoreOp::create(e, sum, c, ValueRange{i, j});
      });
    });
  });
}

Value GemmEmitter::widen(Value x) {
  if (getElementTypeOrSelf(x) == type)
    return x;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(e, vector, x);
  return arith::ExtSIOp::create(e, vector, x);
}

/// Writes b, transposed, into `scratch`: squares of one vector in each
/// direction, in registers where there are shuffles for that, else element by
/// element, so that both sides are touched in whole cache lines.
void GemmEmitter::packTransposedB(Value scratch, int64_t depth,
                                  int64_t columns) {
  Value zero = e.index(0), one = e.index(1), step = e.index(lanes);
  bool hasShuffles = lanes == 16 && type.isF32() && isRowMajor(memrefType(b));
  int64_t wholeDepth = hasShuffles ? depth / lanes * lanes : 0;
  int64_t wholeColumns = hasShuffles ? columns / lanes * lanes : 0;
  auto elements = [&](Value k0, Value k1, Value j0, Value j1) {
    e.loop(k0, k1, one, [&](Value k) {
      e.loop(j0, j1, one, [&](Value j) {
        memref::StoreOp::create(e, e.convert(loadB(k, j), type), scratch,
                                ValueRange{k, j});
      });
    });
  };
  e.loop(
      zero, e.index(wholeColumns), step,
      [&](Value j0) {
        e.loop(
            zero, e.index(wholeDepth), step,
            [&](Value k0) { transposeSquare(scratch, k0, j0); },
            Emitter::Effort::None);
        if (wholeDepth < depth)
          elements(e.index(wholeDepth), e.index(depth), j0, e.add(j0, step));
      },
      Emitter::Effort::None);
  if (wholeColumns < columns)
    e.loop(
        e.index(wholeColumns), e.index(columns), step,
        [&](Value j0) {
          elements(zero, e.index(depth), j0,
                   e.min(e.add(j0, step), e.index(columns)));
        },
        Emitter::Effort::NoUnroll);
}

void GemmEmitter::transposeSquare(Value scratch, Value k0, Value j0) {
  auto square = VectorType::get({lanes, lanes}, type);
  auto narrow = VectorType::get({lanes}, memrefType(b).getElementType());
  Value rows = vector::BroadcastOp::create(e, square, e.constant(type));
  for (int64_t i = 0; i < lanes; ++i) {
    Value at[] = {e.add(j0, e.index(i)), k0};
    Value row = vector::LoadOp::create(e, narrow, b, at);
    rows = vector::InsertOp::create(e, widen(row), rows, ArrayRef<int64_t>{i});
  }
  Value columns = vector::TransposeOp::create(e, rows, ArrayRef<int64_t>{1, 0});
  for (int64_t i = 0; i < lanes; ++i) {
    Value at[] = {e.add(k0, e.index(i)), j0};
    vector::StoreOp::create(
        e, vector::ExtractOp::create(e, columns, ArrayRef<int64_t>{i}), scratch,
        at);
  }
}

/// Writes `rows` x `columns` elements, converted, where they lie the same way:
/// whole vectors where rows are contiguous.
void GemmEmitter::widenRows(Value from, Value to, int64_t rows,
                            int64_t columns) {
  Value zero = e.index(0), one = e.index(1);
  int64_t whole = isRowMajor(memrefType(from)) ? columns / lanes * lanes : 0;
  Type narrow = memrefType(from).getElementType();
  e.loop(
      zero, e.index(rows), one,
      [&](Value i) {
        e.loop(
            zero, e.index(whole), e.index(lanes),
            [&](Value j) {
              Value at[] = {i, j};
              Value x = vector::LoadOp::create(
                  e, VectorType::get({lanes}, narrow), from, at);
              vector::StoreOp::create(e, widen(x), to, at);
            },
            Emitter::Effort::None);
        e.loop(e.index(whole), e.index(columns), one, [&](Value j) {
          Value at[] = {i, j};
          Value x = memref::LoadOp::create(e, from, at);
          memref::StoreOp::create(e, e.convert(x, type), to, at);
        });
      },
      Emitter::Effort::NoUnroll);
}

void GemmEmitter::pack() {
  bool packA = memrefType(a).getElementType() != type;
  packedB = transposeB || memrefType(b).getElementType() != type ||
            !isRowMajor(memrefType(b));
  int64_t bytes = e.elementBytes(type);
  int64_t width = llvm::alignTo(n, lanes);
  int64_t bytesA = packA ? llvm::alignTo(m * k * bytes, 64) : 0;
  int64_t bytesB = packedB ? llvm::alignTo(k * width * bytes, 64) : 0;
  if (!packA && !packedB)
    return;
  frame = l.call(e, "tilepipe_rt_frame_push", {e.i64(bytesA + bytesB)},
                 {l.pointerType()})[0];
  if (packA) {
    // Keeps the orientation: rows of the memref stay contiguous.
    MemRefType packed = MemRefType::get(memrefType(a).getShape(), type);
    Value scratch = e.memrefAt(frame, packed);
    Value from = a;
    widenRows(from, scratch, packed.getDimSize(0), packed.getDimSize(1));
    a = scratch;
  }
  if (packedB) {
    Value scratch = e.memrefAt(e.bytesAfter(frame, e.index(bytesA)),
                               MemRefType::get({k, width}, type));
    if (transposeB)
      packTransposedB(scratch, k, n);
    else
      widenRows(b, scratch, k, n);
    b = scratch;
    transposeB = false;
  }
}

/// Rows of a block: as many as registers allow, few left over at the end.
int64_t GemmEmitter::chooseRows() const {
  int64_t most = l.vectorBits >= 512 ? 12 : 6,
          least = l.vectorBits >= 512 ? 8 : 4;
  if (m <= most)
    return m;
  int64_t best = most;
  for (int64_t rows = most; rows >= least; --rows) {
    auto blocks = [&](int64_t r) { return llvm::divideCeil(m, r) * r; };
    if (blocks(rows) < blocks(best))
      best = rows;
  }
  return best;
}

void GemmEmitter::emitBlocked() {
  SmallVector<int64_t, 2> shape(memrefType(c).getShape());
  m = shape[0];
  n = shape[1];
  k = memrefType(a).getDimSize(transposeA ? 0 : 1);
  lanes = std::max<int64_t>(l.vectorBits / type.getIntOrFloatBitWidth(), 1);
  vector = VectorType::get({lanes}, type);
  if (m == 0 || n == 0)
    return;
  pack();
  constexpr int64_t numVectors = 2;
  int64_t panel = numVectors * lanes, whole = n / panel * panel;
  if (whole > 0)
    e.loop(
        e.index(0), e.index(whole), e.index(panel),
        [&](Value column) { emitPanel(column, numVectors, lanes); },
        Emitter::Effort::None);
  if (int64_t rest = n - whole) {
    int64_t vectors = llvm::divideCeil(rest, lanes);
    emitPanel(e.index(whole), vectors, rest - (vectors - 1) * lanes);
  }
  if (frame)
    l.call(e, "tilepipe_rt_frame_pop", {frame});
}

/// All rows of `numVectors` vectors of columns; the last has `tail` lanes.
void GemmEmitter::emitPanel(Value column, int64_t numVectors, int64_t tail) {
  int64_t rows = chooseRows(), whole = m / rows * rows;
  e.loop(e.index(0), e.index(whole), e.index(rows),
         [&](Value row) { emitBlock(row, column, rows, numVectors, tail); });
  if (whole < m)
    emitBlock(e.index(whole), column, m - whole, numVectors, tail);
}

void GemmEmitter::emitBlock(Value row, Value column, int64_t rows,
                            int64_t numVectors, int64_t tail) {
  Value mask, none;
  if (tail < lanes) {
    mask = vector::ConstantMaskOp::create(
        e, VectorType::get({lanes}, e.getI1Type()), ArrayRef<int64_t>{tail});
    none = vector::BroadcastOp::create(e, vector, e.constant(type));
  }
  SmallVector<Value> columns;
  for (int64_t v = 0; v < numVectors; ++v)
    columns.push_back(e.add(column, e.index(v * lanes)));
  auto masked = [&](int64_t v) { return mask && v == numVectors - 1; };
  auto load = [&](Value from, Value i, int64_t v, bool padded) -> Value {
    Value at[] = {i, columns[v]};
    if (masked(v) && !padded)
      return vector::MaskedLoadOp::create(e, vector, from, at, mask, none);
    return vector::LoadOp::create(e, vector, from, at);
  };

  SmallVector<Value> sums, rowIndices;
  for (int64_t r = 0; r < rows; ++r)
    rowIndices.push_back(e.add(row, e.index(r)));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < numVectors; ++v)
      sums.push_back(clear ? Value(vector::BroadcastOp::create(
                                 e, vector, e.constant(type)))
                           : load(c, rowIndices[r], v, false));
  auto loop = scf::ForOp::create(e, e.index(0), e.index(k), e.index(1), sums);
  e.setEffort(loop, Emitter::Effort::None);
  {
    OpBuilder::InsertionGuard guard(e);
    e.setInsertionPointToStart(loop.getBody());
    Value depth = loop.getInductionVar();
    SmallVector<Value> bs, next;
    for (int64_t v = 0; v < numVectors; ++v)
      bs.push_back(load(b, depth, v, packedB));
    for (int64_t r = 0; r < rows; ++r) {
      Value x =
          vector::BroadcastOp::create(e, vector, loadA(rowIndices[r], depth));
      for (int64_t v = 0; v < numVectors; ++v)
        next.push_back(
            multiplyAdd(x, bs[v], loop.getRegionIterArg(r * numVectors + v)));
    }
    scf::YieldOp::create(e, next);
  }
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < numVectors; ++v) {
      Value sum = loop.getResult(r * numVectors + v);
      Value at[] = {rowIndices[r], columns[v]};
      if (masked(v))
        vector::MaskedStoreOp::create(e, c, at, mask, sum);
      else
        vector::StoreOp::create(e, sum, c, at);
    }
}

void cpu::lower(Lowering &l, tile::GemmOp op) {
  OpBuilder builder(op);
  Emitter e = l.before(op, builder);
  SmallVector<Value> operands = {op.getA(), op.getB(), op.getC()};
  std::string key = "gemm";
  llvm::raw_string_ostream os(key);
  os << op.getTransposeA() << op.getTransposeB() << op.getClear();
  for (Value operand : operands)
    os << ';' << operand.getType();
  bool blocked = false;
  func::FuncOp function =
      l.functions.shared("__tile_gemm", key, op.getLoc(),
                         llvm::to_vector(ValueRange(operands).getTypes()),
                         [&](OpBuilder &b, ValueRange arguments) {
                           Emitter inner(op.getLoc(), b, l.types);
                           GemmEmitter gemm(l, inner, op, arguments);
                           blocked = gemm.canBlock();
                           blocked ? gemm.emitBlocked() : gemm.emitPlain();
                           ++(blocked ? l.numBlockedGemms : l.numPlainGemms);
                         });
  func::CallOp::create(e, function, operands);
  op.erase();
}
