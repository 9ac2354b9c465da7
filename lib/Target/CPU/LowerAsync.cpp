//===- LowerAsync.cpp - Asynchronous copies through the runtime -----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens are 64-bit numbers: of the runtime's engine, or zero where copies are
// made at once. What the runtime must know of a region is passed as an array of
// words on the stack (`tilepipe/Runtime/CpuRuntime.h` says which).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::cpu;

//===----------------------------------------------------------------------===//
// Arguments of the runtime
//===----------------------------------------------------------------------===//

/// The function, or launch that will be one, that `op` is in.
static Region &getScope(Operation *op) {
  while (!isa<func::FuncOp, tile::LaunchOp>(op))
    op = op->getParentOp();
  return op->getRegion(0);
}

Value Lowering::getScratch(Operation *op, int64_t numWords) {
  Region &scope = getScope(op->getParentOp());
  LLVM::AllocaOp &alloca = scratch[&scope];
  OpBuilder b = OpBuilder::atBlockBegin(&scope.front());
  Emitter e(op->getLoc(), b, types);
  if (!alloca) {
    alloca = LLVM::AllocaOp::create(
        e, cast<LLVM::LLVMPointerType>(pointerType()), e.getI64Type(),
        e.i64(numWords), /*alignment=*/8);
    return alloca;
  }
  if (*getConstantIntValue(OpFoldResult(alloca.getArraySize())) < numWords) {
    e.setInsertionPoint(alloca);
    alloca.getArraySizeMutable().assign(e.i64(numWords));
  }
  return alloca;
}

/// Stores words one after the other.
namespace {
class WordWriter {
public:
  WordWriter(Lowering &l, Emitter &e, Operation *op, int64_t numWords)
      : e(e), base(l.getScratch(op, numWords)) {}

  Value address() { return e.bytesAfter(base, e.index(8 * count)); }
  void add(Value indexValue) { store(e.i64(indexValue)); }
  void store(Value value) {
    // Floats of 8 bits are integers to LLVM.
    Type type = e.types.convertType(value.getType());
    if (type != value.getType())
      value =
          UnrealizedConversionCastOp::create(e, type, value).getResult(0);
    LLVM::StoreOp::create(e, value, address());
    ++count;
  }

  Emitter &e;
  Value base;
  int64_t count = 0;
};
} // namespace

void cpu::printLocation(Location loc, raw_ostream &os) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>()) {
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn();
    return;
  }
  loc->print(os);
}

Value Lowering::getOrigin(Emitter &e, Operation *op, StringRef what) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printLocation(op->getLoc(), os);
  os << '\0';
  if (what.empty())
    os << '\'' << op->getName() << "' op";
  else
    os << what;
  LLVM::GlobalOp &global = origins[text];
  if (!global) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    std::string data = text + '\0';
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), data.size());
    global = LLVM::GlobalOp::create(
        b, op->getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
        "__tile_origin_" + std::to_string(origins.size() - 1),
        b.getStringAttr(data));
  }
  return LLVM::AddressOfOp::create(e, pointerType(), global.getSymName());
}

/// Writes a region of a copy and gives the operands of a call that takes it.
template <typename CopyT>
static SmallVector<Value> marshalCopy(Lowering &l, Emitter &e, CopyT op) {
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  int64_t rank = sizes.size();
  WordWriter words(l, e, op, 7 * rank + 1);
  for (OpFoldResult size : sizes)
    words.add(e.index(size));
  Value ok[2], base[2];
  auto addSide = [&](unsigned side, Value memref, ArrayRef<int64_t> dims,
                     ArrayRef<OpFoldResult> offsets) {
    ok[side] = e.boolean(true);
    Value fixed = e.index(0), zero = fixed;
    for (auto [dim, offset] : llvm::enumerate(offsets)) {
      Value at = e.index(offset), extent = e.dim(memref, dim);
      Value stride = e.index(e.stride(memref, dim));
      if (!llvm::is_contained(dims, dim)) {
        ok[side] = e.both(ok[side], e.both(e.le(zero, at), e.lt(at, extent)));
        fixed = e.add(fixed, e.mul(at, stride));
        continue;
      }
      words.add(at);
      words.add(extent);
      words.add(stride);
    }
    base[side] = e.pointer(memref, fixed);
  };
  addSide(0, op.getSource(), op.getSourceDims(), op.getMixedSourceOffsets());
  addSide(1, op.getTarget(), op.getTargetDims(), op.getMixedTargetOffsets());
  Value fill = words.address();
  Type element = op.getTargetType().getElementType();
  Value value = op.getFill() ? op.getFill() : e.constant(element);
  words.store(element.isIndex() ? e.i64(value) : value);
  auto flag = [&](Value v) -> Value {
    return e.createOrFold<arith::ExtUIOp>(e.getI64Type(), v);
  };
  return {base[0],     base[1],     words.base, e.i64(rank),
          flag(ok[0]), flag(ok[1]), fill,       l.getOrigin(e, op)};
}

//===----------------------------------------------------------------------===//
// Copies, commits and waits
//===----------------------------------------------------------------------===//

void cpu::lowerToRuntime(Lowering &l, tile::AsyncCopyOp op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  Type element = op.getTargetType().getElementType();
  Type i64 = e.getI64Type();
  auto issue = [&]() -> Value {
    SmallVector<Value> operands = marshalCopy(l, e, op);
    operands.push_back(e.i64(e.elementBytes(element)));
    // What is undefined reads as a NaN, or as an odd integer.
    operands.push_back(e.i64(isa<FloatType>(element) ? 0xFF : 0x5A));
    return l.call(e, "tilepipe_rt_async_copy", operands, {i64})[0];
  };
  Value token;
  if (op.getGuard()) {
    auto branch = scf::IfOp::create(e, TypeRange{i64}, op.getGuard(),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(e);
    e.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(e, issue());
    e.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(e, e.i64(int64_t(0)));
    token = branch.getResult(0);
  } else {
    token = issue();
  }
  op->getResult(0).replaceAllUsesWith(token);
  op.erase();
}

template <typename OpT> static void replaceByZero(Lowering &l, OpT op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  op->getResult(0).replaceAllUsesWith(e.i64(int64_t(0)));
  op.erase();
}

/// Writes the tokens of a commit or wait, which are numbers by now.
static SmallVector<Value> marshalTokens(Lowering &l, Emitter &e,
                                        Operation *op) {
  WordWriter words(l, e, op, std::max<int64_t>(op->getNumOperands(), 1));
  for (Value token : op->getOperands())
    words.store(token);
  return {words.base, e.i64(int64_t(op->getNumOperands()))};
}

void cpu::lower(Lowering &l, tile::AsyncCommitOp op) {
  if (!l.asyncRuntime)
    return replaceByZero(l, op);
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  SmallVector<Value> operands = marshalTokens(l, e, op);
  operands.push_back(l.getOrigin(e, op));
  op->getResult(0).replaceAllUsesWith(
      l.call(e, "tilepipe_rt_async_commit", operands, {e.getI64Type()})[0]);
  op.erase();
}

void cpu::lower(Lowering &l, tile::AsyncNoneOp op) { replaceByZero(l, op); }

void cpu::lower(Lowering &l, tile::AsyncWaitOp op) {
  if (l.asyncRuntime) {
    OpBuilder b(op);
    Emitter e = l.before(op, b);
    SmallVector<Value> operands = marshalTokens(l, e, op);
    operands.push_back(e.i64(op.getPending() ? int64_t(*op.getPending()) : -1));
    operands.push_back(l.getOrigin(e, op));
    l.call(e, "tilepipe_rt_async_wait", operands);
  }
  op.erase();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static void checkRegion(Lowering &l, Emitter &e, Operation *op,
                        const tile::RegionAccess &access) {
  auto type = cast<MemRefType>(access.buffer.getType());
  int64_t rank = type.getRank();
  Value isWrite = e.i64(int64_t(access.writes()));
  int64_t bytes = e.elementBytes(type.getElementType());
  WordWriter words(l, e, op, std::max<int64_t>(4 * rank, 1));
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value extent = e.dim(access.buffer, dim);
    bool isWhole = access.offsets.empty();
    words.add(isWhole ? e.index(0) : e.index(access.offsets[dim]));
    words.add(isWhole ? extent : e.index(access.sizes[dim]));
    words.add(extent);
    words.add(e.index(e.stride(access.buffer, dim)));
  }
  l.call(e, "tilepipe_rt_check_region",
         {e.pointer(access.buffer, e.index(0)), words.base, e.i64(rank),
          e.i64(bytes), isWrite, l.getOrigin(e, op)});
}

/// One element of a buffer: no words, this is in inner loops.
static void checkElement(Lowering &l, Emitter &e, Operation *op, Value memref,
                         ValueRange indices, bool isWrite) {
  Value offset = e.index(0);
  for (auto [dim, i] : llvm::enumerate(indices))
    offset = e.add(offset, e.mul(i, e.index(e.stride(memref, dim))));
  int64_t bytes =
      e.elementBytes(cast<MemRefType>(memref.getType()).getElementType());
  l.call(e, "tilepipe_rt_check_bytes",
         {e.pointer(memref, offset), e.i64(bytes), e.i64(int64_t(isWrite)),
          l.getOrigin(e, op)});
}

void cpu::insertChecks(Lowering &l, Operation *op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  if (isa<tile::AsyncCopyOp>(op)) // the engine checks
    return;
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return e.when(copy.getGuard() ? copy.getGuard() : e.boolean(true), [&] {
      SmallVector<Value> operands = marshalCopy(l, e, copy);
      for (MemRefType type : {copy.getSourceType(), copy.getTargetType()})
        operands.push_back(e.i64(e.elementBytes(type.getElementType())));
      l.call(e, "tilepipe_rt_check_copy", operands);
    });
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return checkElement(l, e, op, load.getMemRef(), load.getIndices(), false);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return checkElement(l, e, op, store.getMemRef(), store.getIndices(), true);
  SmallVector<tile::RegionAccess> accesses;
  cast<tile::AccessOpInterface>(op).getAccesses(accesses);
  for (const tile::RegionAccess &access : accesses) {
    bool isMemRef = isa<MemRefType>(access.buffer.getType());
    auto isUsable = [&](OpFoldResult value) {
      // Regions may be given by values of nested regions; they are not known
      // here.
      auto v = dyn_cast<Value>(value);
      return !v || v.getParentRegion()->isAncestor(op->getParentRegion());
    };
    if (isMemRef && llvm::all_of(access.offsets, isUsable) &&
        llvm::all_of(access.sizes, isUsable))
      checkRegion(l, e, op, access);
  }
}
