//===- AscendVerifiers.cpp - What operands an instruction can have ------ ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;
using tile::MemorySpace;

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

static unsigned bytesOf(Type type) {
  return type.isIntOrFloat() ? (type.getIntOrFloatBitWidth() + 7) / 8 : 0;
}

/// The buffer must be in one of `spaces`, statically shaped unless it is
/// global.
static LogicalResult verifyBuffer(Operation *op, Value buffer, StringRef what,
                                  ArrayRef<MemorySpace> spaces) {
  auto type = cast<MemRefType>(buffer.getType());
  MemorySpace space = tile::getMemorySpace(type);
  if (!llvm::is_contained(spaces, space)) {
    InFlightDiagnostic diagnostic = op->emitOpError("expects its ")
                                    << what << " in ";
    llvm::interleave(
        spaces, diagnostic,
        [&](MemorySpace s) {
          diagnostic << "'" << stringifyMemorySpace(s) << "'";
        },
        " or ");
    return diagnostic << ", got '" << stringifyMemorySpace(space) << "'";
  }
  if (!type.getLayout().isIdentity())
    return op->emitOpError("expects its ")
           << what << " with an identity layout, got " << type;
  if (space != MemorySpace::Global && !type.hasStaticShape())
    return op->emitOpError("expects its ")
           << what << " with a static shape, got " << type;
  if (!bytesOf(type.getElementType()))
    return op->emitOpError("cannot have elements of type ")
           << type.getElementType();
  return success();
}

static LogicalResult verifySameElements(Operation *op, Value a, Value b) {
  if (elementOf(a) != elementOf(b))
    return op->emitOpError("expects equal element types, got ")
           << elementOf(a) << " and " << elementOf(b);
  return success();
}

/// The element type must be one of those that `names` lists.
static LogicalResult verifyElement(Operation *op, Type type, bool allowed,
                                   StringRef names) {
  if (!allowed)
    return op->emitOpError("expects elements of ") << names << ", got " << type;
  return success();
}

/// A whole number of fractals (512 bytes) fits L0, of 32-byte blocks the rest.
static LogicalResult verifyMultiple(Operation *op, Value buffer, StringRef what,
                                    int64_t unit) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = type.getNumElements() * bytesOf(type.getElementType());
  if (bytes % unit)
    return op->emitOpError("expects its ") << what << " to be a multiple of "
                                           << unit << " bytes, got " << bytes;
  return success();
}

static LogicalResult verifyMove(Operation *op, Value source, MemorySpace from,
                                Value target, MemorySpace to) {
  return failure(failed(verifyBuffer(op, source, "source", from)) ||
                 failed(verifyBuffer(op, target, "target", to)) ||
                 failed(verifySameElements(op, source, target)));
}

static bool isF16OrF32(Type type) { return type.isF16() || type.isF32(); }

static bool isVectorElement(Type type) {
  return isF16OrF32(type) || type.isSignlessInteger(16) ||
         type.isSignlessInteger(32);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static LogicalResult verifyScalarAccess(Operation *op, Value buffer,
                                        Type value) {
  if (failed(verifyBuffer(op, buffer, "buffer",
                          {MemorySpace::UB, MemorySpace::Global})))
    return failure();
  if (elementOf(buffer) != value)
    return op->emitOpError("expects a value of type ")
           << elementOf(buffer) << ", got " << value;
  return success();
}

LogicalResult ScalarLoadOp::verify() {
  return verifyScalarAccess(*this, getBuffer(), getResult().getType());
}

LogicalResult ScalarStoreOp::verify() {
  return verifyScalarAccess(*this, getBuffer(), getValue().getType());
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static LogicalResult verifyByteSizes(Operation *op, Value buffer) {
  unsigned bytes = bytesOf(elementOf(buffer));
  return verifyElement(op, elementOf(buffer),
                       bytes == 1 || bytes == 2 || bytes == 4,
                       "1, 2 or 4 bytes");
}

LogicalResult Nd2NzOp::verify() {
  return failure(failed(verifyMove(*this, getSource(), MemorySpace::Global,
                                   getTarget(), MemorySpace::L1)) ||
                 failed(verifyByteSizes(*this, getSource())) ||
                 failed(verifyMultiple(*this, getTarget(), "target", 32)));
}

LogicalResult CopyToL1Op::verify() {
  return failure(failed(verifyMove(*this, getSource(), MemorySpace::Global,
                                   getTarget(), MemorySpace::L1)) ||
                 failed(verifyMultiple(*this, getTarget(), "target", 32)));
}

LogicalResult FillL1Op::verify() {
  if (failed(verifyBuffer(*this, getTarget(), "target", MemorySpace::L1)) ||
      failed(verifyMultiple(*this, getTarget(), "target", 32)))
    return failure();
  Type type = elementOf(getTarget());
  if (getValue().getType() != type)
    return emitOpError("expects a value of type ")
           << type << ", got " << getValue().getType();
  unsigned bytes = bytesOf(type);
  return verifyElement(*this, type, bytes == 2 || bytes == 4, "2 or 4 bytes");
}

LogicalResult LoadOp::verify() {
  Type type = elementOf(getTarget());
  if (getPad() && getPad().getType() != type)
    return emitOpError("expects a pad of type ")
           << type << ", got " << getPad().getType();
  return failure(failed(verifyMove(*this, getSource(), MemorySpace::Global,
                                   getTarget(), MemorySpace::UB)) ||
                 failed(verifyByteSizes(*this, getSource())));
}

LogicalResult StoreOp::verify() {
  return failure(failed(verifyMove(*this, getSource(), MemorySpace::UB,
                                   getTarget(), MemorySpace::Global)) ||
                 failed(verifyByteSizes(*this, getSource())));
}

//===----------------------------------------------------------------------===//
// The matrix unit
//===----------------------------------------------------------------------===//

LogicalResult LoadL0Op::verify() {
  if (failed(verifyBuffer(*this, getSource(), "source", MemorySpace::L1)) ||
      failed(verifyBuffer(*this, getTarget(), "target",
                          {MemorySpace::L0A, MemorySpace::L0B})) ||
      failed(verifySameElements(*this, getSource(), getTarget())) ||
      failed(verifyMultiple(*this, getSource(), "source", 512)) ||
      failed(verifyMultiple(*this, getTarget(), "target", 512)))
    return failure();
  if (getTranspose() && bytesOf(elementOf(getSource())) != 2)
    return emitOpError("transposes elements of 2 bytes only, got ")
           << elementOf(getSource());
  return success();
}

LogicalResult MmaOp::verify() {
  if (failed(verifyBuffer(*this, getC(), "result", MemorySpace::L0C)) ||
      failed(verifyBuffer(*this, getA(), "left operand", MemorySpace::L0A)) ||
      failed(verifyBuffer(*this, getB(), "right operand", MemorySpace::L0B)) ||
      failed(verifyMultiple(*this, getA(), "left operand", 512)) ||
      failed(verifyMultiple(*this, getB(), "right operand", 512)) ||
      failed(verifyMultiple(*this, getC(), "result", 1024)))
    return failure();
  Type a = elementOf(getA()), b = elementOf(getB()), c = elementOf(getC());
  bool floats = a == b && (a.isF16() || a.isBF16() || a.isF32()) && c.isF32();
  bool integers = a == b && a.isSignlessInteger(8) && c.isSignlessInteger(32);
  if (!floats && !integers)
    return emitOpError("cannot multiply ")
           << a << " and " << b << " into " << c
           << "; supported are f16, bf16 or f32 into f32, and i8 into i32";
  return success();
}

LogicalResult FixpipeOp::verify() {
  if (failed(verifyBuffer(*this, getSource(), "source", MemorySpace::L0C)) ||
      failed(verifyBuffer(*this, getTarget(), "target", MemorySpace::Global)))
    return failure();
  Type from = elementOf(getSource()), to = elementOf(getTarget());
  if ((from.isF32() && (to.isF32() || to.isF16() || to.isBF16())) ||
      (from.isSignlessInteger(32) && to == from))
    return success();
  return emitOpError("cannot convert ")
         << from << " to " << to
         << "; supported are f32 to f32, f16 or bf16, and i32 to i32";
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// The strides of the norm form: one for each buffer, from 0 to 255.
template <typename OpTy>
static LogicalResult verifyForm(OpTy op, size_t buffers) {
  if (!op.getRepeat()) {
    if (op.getBlocks() || op.getRepeats())
      return op.emitOpError("has strides but no 'repeat'");
    return success();
  }
  for (std::optional<ArrayRef<int64_t>> strides :
       {op.getBlocks(), op.getRepeats()}) {
    if (!strides || strides->size() != buffers)
      return op.emitOpError("expects ")
             << buffers << " strides, got " << (strides ? strides->size() : 0);
    for (int64_t stride : *strides)
      if (stride < 0 || stride > 255)
        return op.emitOpError("expects strides from 0 to 255, got ") << stride;
  }
  return success();
}

static LogicalResult verifyUb(Operation *op, ValueRange buffers) {
  for (auto [i, buffer] : llvm::enumerate(buffers))
    if (failed(verifyBuffer(op, buffer, i ? "source" : "target",
                            MemorySpace::UB)) ||
        (i && failed(verifySameElements(op, buffers[0], buffer))))
      return failure();
  return success();
}

LogicalResult VUnaryOp::verify() {
  return failure(
      failed(verifyUb(*this, {getTarget(), getSource()})) ||
      failed(verifyElement(*this, elementOf(getTarget()),
                           isF16OrF32(elementOf(getTarget())), "f16 or f32")) ||
      failed(verifyForm(*this, 2)));
}

LogicalResult VBinaryOp::verify() {
  Type type = elementOf(getTarget());
  bool div = getKind() == BinaryKind::Div;
  return failure(
      failed(verifyUb(*this, {getTarget(), getLhs(), getRhs()})) ||
      failed(verifyElement(*this, type,
                           div ? isF16OrF32(type) : isVectorElement(type),
                           div ? "f16 or f32" : "f16, f32, i16 or i32")) ||
      failed(verifyForm(*this, 3)));
}

static LogicalResult verifyScalar(Operation *op, Value buffer, Value scalar) {
  if (scalar.getType() != elementOf(buffer))
    return op->emitOpError("expects a scalar of type ")
           << elementOf(buffer) << ", got " << scalar.getType();
  return success();
}

LogicalResult VScalarOp::verify() {
  return failure(failed(verifyUb(*this, {getTarget(), getSource()})) ||
                 failed(verifyElement(*this, elementOf(getTarget()),
                                      isVectorElement(elementOf(getTarget())),
                                      "f16, f32, i16 or i32")) ||
                 failed(verifyScalar(*this, getTarget(), getScalar())) ||
                 failed(verifyForm(*this, 2)));
}

LogicalResult VDupOp::verify() {
  Type type = elementOf(getTarget());
  return failure(
      failed(verifyUb(*this, getTarget())) ||
      failed(verifyElement(*this, type, isVectorElement(type) || type.isBF16(),
                           "f16, bf16, f32, i16 or i32")) ||
      failed(verifyScalar(*this, getTarget(), getScalar())) ||
      failed(verifyForm(*this, 1)));
}

/// The conversions of the machine, and those whose rounding may be left open.
static bool isConversion(Type from, Type to, bool none) {
  bool exact = (to.isF32() && (from.isF16() || from.isBF16())) ||
               (to.isF16() && from.isSignlessInteger(8));
  bool open = (from.isF32() && to.isF16()) ||
              (from.isSignlessInteger(32) && to.isF32());
  if (exact || open)
    return none || !exact;
  return !none && ((from.isF32() &&
                    (to.isBF16() || to.isF32() || to.isSignlessInteger(32))) ||
                   (from.isF16() && to.isSignlessInteger(8)));
}

LogicalResult VConvertOp::verify() {
  if (failed(verifyBuffer(*this, getTarget(), "target", MemorySpace::UB)) ||
      failed(verifyBuffer(*this, getSource(), "source", MemorySpace::UB)) ||
      failed(verifyForm(*this, 2)))
    return failure();
  Type from = elementOf(getSource()), to = elementOf(getTarget());
  if (!isConversion(from, to, getRound() == RoundMode::None))
    return emitOpError("cannot convert ")
           << from << " to " << to << " with rounding '"
           << stringifyRoundMode(getRound()) << "'";
  return success();
}

LogicalResult VReduceOp::verify() {
  if (failed(verifyUb(*this, {getTarget(), getSource()})) ||
      failed(verifyElement(*this, elementOf(getTarget()),
                           isF16OrF32(elementOf(getTarget())), "f16 or f32")))
    return failure();
  if (int64_t(getStride()) < 0 || getStride() > 65535)
    return emitOpError("expects a stride from 0 to 65535, got ")
           << int64_t(getStride());
  if (int64_t(getTargetStride()) < 1 || getTargetStride() > 65535)
    return emitOpError("expects a target stride from 1 to 65535, got ")
           << int64_t(getTargetStride());
  return success();
}

LogicalResult VBroadcastOp::verify() {
  unsigned bytes = bytesOf(elementOf(getTarget()));
  return failure(
      failed(verifyUb(*this, {getTarget(), getSource()})) ||
      failed(verifyElement(*this, elementOf(getTarget()),
                           bytes == 2 || bytes == 4, "2 or 4 bytes")));
}

static LogicalResult verifyBits(Operation *op, Value bits, StringRef what) {
  if (failed(verifyBuffer(op, bits, what, MemorySpace::UB)))
    return failure();
  if (!elementOf(bits).isSignlessInteger(8))
    return op->emitOpError("expects its ")
           << what << " to have i8 elements, got " << elementOf(bits);
  return success();
}

LogicalResult VCompareOp::verify() {
  return failure(
      failed(verifyBits(*this, getTarget(), "target")) ||
      failed(verifyUb(*this, {getLhs(), getRhs()})) ||
      failed(verifyElement(*this, elementOf(getLhs()),
                           isF16OrF32(elementOf(getLhs())), "f16 or f32")));
}

LogicalResult VSelectOp::verify() {
  return failure(
      failed(verifyBits(*this, getBits(), "bits")) ||
      failed(verifyUb(*this, {getTarget(), getLhs(), getRhs()})) ||
      failed(verifyElement(*this, elementOf(getTarget()),
                           isF16OrF32(elementOf(getTarget())), "f16 or f32")));
}

LogicalResult UbCopyOp::verify() {
  return verifyUb(*this, {getTarget(), getSource()});
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

/// `[id, id + slots)` within `[0, limit)`.
template <typename OpTy>
static LogicalResult verifyIds(OpTy op, int64_t limit) {
  bool slot = bool(op.getSlot());
  if (slot != op.getSlots().has_value())
    return op.emitOpError("expects 'slot' and 'of' together");
  int64_t id = op.getId(), count = slot ? int64_t(*op.getSlots()) : 1;
  if (id < 0 || count < 1 || count > limit || id + count > limit)
    return op.emitOpError("expects ids from 0 to ")
           << limit - 1 << ", got " << id << " to " << id + count - 1;
  return success();
}

template <typename OpTy> static LogicalResult verifyFlag(OpTy op) {
  if (op.getSource() == op.getTarget())
    return op.emitOpError("orders pipe '")
           << stringifyPipe(op.getSource())
           << "' with itself; that takes an 'ascend.barrier'";
  for (Pipe pipe : {op.getSource(), op.getTarget()})
    if (pipe == Pipe::All)
      return op.emitOpError("expects one pipe on each side, got 'all'");
  return verifyIds(op, 8);
}

LogicalResult SetFlagOp::verify() { return verifyFlag(*this); }
LogicalResult WaitFlagOp::verify() { return verifyFlag(*this); }

LogicalResult BarrierOp::verify() {
  if (getPipe() == Pipe::S)
    return emitOpError("cannot wait for pipe 's', which is in order");
  return success();
}

LogicalResult CrossSetOp::verify() {
  if (getPipe() == Pipe::S || getPipe() == Pipe::All)
    return emitOpError("cannot be queued to pipe '")
           << stringifyPipe(getPipe()) << "'";
  if (int64_t(getMode()) < 0 || getMode() > 2)
    return emitOpError("expects mode 0, 1 or 2, got ") << int64_t(getMode());
  return verifyIds(*this, 11);
}

LogicalResult CrossWaitOp::verify() { return verifyIds(*this, 11); }
