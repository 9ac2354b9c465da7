//===- InstructionLimits.cpp - What fits the fields of an instruction -- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Limits of dav-2201: asc-devkit, impl/c_api/instr_impl/npu_arch_2201 and the
// documents of the single intrinsics (docs/ascend.md lists them).
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

namespace {

/// Checks the operands of one instruction that are constants.
class LimitCheck {
public:
  explicit LimitCheck(Operation *op) : op(op) {}

  LimitCheck &range(StringRef name, Value value, int64_t low, int64_t high) {
    APInt constant;
    if (!value || failed || !matchPattern(value, m_ConstantInt(&constant)))
      return *this;
    int64_t number = constant.getSExtValue();
    if (number >= low && number <= high)
      return *this;
    op->emitOpError("expects '")
        << name << "' from " << low << " to " << high << ", got " << number;
    failed = true;
    return *this;
  }

  template <typename OpTy> LimitCheck &form(OpTy vector, Type widest) {
    if (!vector.getRepeat())
      return range("count", vector.getCount(), 0, INT32_MAX);
    int64_t lanes = 256 / (widest.getIntOrFloatBitWidth() / 8);
    return range("count", vector.getCount(), 0, lanes)
        .range("repeat", vector.getRepeat(), 0, 255);
  }

  LogicalResult result() const { return failure(failed); }

private:
  Operation *op;
  bool failed = false;
};

} // namespace

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

static LogicalResult verifyLimits(Operation *op) {
  LimitCheck check(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](Nd2NzOp copy) {
        check.range("rows", copy.getRows(), 0, 16384)
            .range("columns", copy.getColumns(), 0, 65535)
            .range("stride", copy.getStride(), 0, 65535)
            .range("pitch", copy.getPitch(), 1, 16384);
      })
      .Case<CopyToL1Op, UbCopyOp>([&](auto copy) {
        check.range("bursts", copy.getBursts(), 0, 4095)
            .range("blocks", copy.getBlocks(), 0, 65535)
            .range("gap", copy.getSourceGap(), 0, 65535)
            .range("gap", copy.getTargetGap(), 0, 65535);
      })
      .Case([&](FillL1Op fill) {
        check.range("repeat", fill.getRepeat(), 0, 32767)
            .range("blocks", fill.getBlocks(), 0, 32767)
            .range("gap", fill.getGap(), 0, 32767);
      })
      .Case<LoadOp, StoreOp>(
          [&](auto copy) { check.range("rows", copy.getRows(), 0, 4095); })
      .Case([&](LoadL0Op load) {
        check.range("repeat", load.getRepeat(), 1, 255)
            .range("stride", load.getStride(), 0, 65535)
            .range("gap", load.getGap(), 0, 65535);
      })
      .Case([&](MmaOp mma) {
        // A single row is read as a vector (Mmad.md).
        check.range("m", mma.getM(), 2, 4095)
            .range("k", mma.getK(), 1, 4095)
            .range("n", mma.getN(), 1, 4095);
      })
      .Case([&](FixpipeOp fixpipe) {
        check.range("m", fixpipe.getM(), 0, 8192)
            .range("n", fixpipe.getN(), 0, 4095)
            .range("pitch", fixpipe.getPitch(), 0, 65535);
      })
      .Case<VUnaryOp, VBinaryOp, VScalarOp, VDupOp>([&](auto vector) {
        check.form(vector, elementOf(vector.getTarget()));
      })
      .Case([&](VConvertOp convert) {
        Type from = elementOf(convert.getSource());
        Type to = elementOf(convert.getTarget());
        bool narrows =
            from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
        check.form(convert, narrows ? from : to);
      })
      .Case([&](VReduceOp reduce) {
        Type type = elementOf(reduce.getSource());
        check.range("count", reduce.getCount(), 1,
                    256 / (type.getIntOrFloatBitWidth() / 8));
        check.range("repeat", reduce.getRepeat(), 0, 255);
      })
      .Case<VBroadcastOp, VCompareOp, VSelectOp>(
          [&](auto op) { check.range("repeat", op.getRepeat(), 0, 255); });
  return check.result();
}

LogicalResult ascend::verifyInstructionLimits(Operation *root) {
  bool failedOnce = false;
  root->walk(
      [&](PipeOpInterface op) { failedOnce |= failed(verifyLimits(op)); });
  return failure(failedOnce);
}
