//===- LowerElements.cpp - Atomics, and single elements -------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static arith::AtomicRMWKind getAtomicKind(tile::AtomicKind kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  case tile::AtomicKind::Add:
    return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  case tile::AtomicKind::Max:
    return isFloat ? arith::AtomicRMWKind::maxnumf : arith::AtomicRMWKind::maxs;
  case tile::AtomicKind::Min:
    return isFloat ? arith::AtomicRMWKind::minnumf : arith::AtomicRMWKind::mins;
  case tile::AtomicKind::And:
    return arith::AtomicRMWKind::andi;
  case tile::AtomicKind::Or:
    return arith::AtomicRMWKind::ori;
  case tile::AtomicKind::Xor:
    return arith::AtomicRMWKind::xori;
  case tile::AtomicKind::Exchange:
    return arith::AtomicRMWKind::assign;
  }
  llvm_unreachable("unknown kind");
}

void nvidia::emitAtomic(Lowering &l, Emitter &e, tile::AtomicOp op, Value value,
                        ValueRange indices) {
  Buffer buffer = l.resolve(e, op.getTarget());
  SmallVector<Value> at(indices);
  if (buffer.isShared())
    at = {l.linearize(e, buffer, indices)};
  memref::AtomicRMWOp::create(e, value.getType(),
                              getAtomicKind(op.getKind(), value.getType()),
                              value, buffer.memref, at);
}

//===----------------------------------------------------------------------===//
// Single elements, outside of maps
//===----------------------------------------------------------------------===//

LogicalResult nvidia::lower(Lowering &l, tile::AtomicOp op) {
  Emitter e = l.at(op);
  e.when(l.getFirstThread(),
         [&] { emitAtomic(l, e, op, op.getValue(), op.getIndices()); });
  op.erase();
  return success();
}

LogicalResult nvidia::lower(Lowering &l, memref::LoadOp op) {
  Emitter e = l.at(op);
  Buffer buffer = l.resolve(e, op.getMemRef());
  if (buffer.kind == Buffer::Kind::Global)
    return success();
  op.getResult().replaceAllUsesWith(buffer.isFragment()
                                        ? l.loadRegister(e, buffer, 0)
                                        : l.load(e, buffer, op.getIndices()));
  op.erase();
  return success();
}

LogicalResult nvidia::lower(Lowering &l, memref::StoreOp op) {
  Emitter e = l.at(op);
  Buffer buffer = l.resolve(e, op.getMemRef());
  if (buffer.isFragment())
    l.storeRegister(e, op.getValueToStore(), buffer, 0);
  else
    e.when(l.getFirstThread(),
           [&] { l.store(e, op.getValueToStore(), buffer, op.getIndices()); });
  op.erase();
  return success();
}
