//===- CCEVectors.cpp - Vector instructions as CCE text ------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CCEPrinter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

static int64_t bytesOf(Value buffer) {
  return elementOf(buffer).getIntOrFloatBitWidth() / 8;
}

/// Sets the mask registers, unless they are known to hold that.
void CCEPrinter::setMask(Operation *op, bool count, Expression number) {
  std::string wanted = (count ? "count " : "norm ") + number.str();
  if (mask == wanted)
    return;
  bool sameMode = StringRef(mask).starts_with(count ? "count" : "norm");
  mask = wanted;
  if (!sameMode)
    call(op, count ? "set_mask_count" : "set_mask_norm", {});
  if (count)
    return call(op, "set_vector_mask", {"0", number.str()});
  // Bit `i` of the mask is lane `i`.
  if (!number.getConstant()) {
    helpers.maskOfCount = true;
    return call(op, "set_vector_mask",
                {"tp_mask_high(" + number.str() + ")",
                 "tp_mask_low(" + number.str() + ")"});
  }
  auto bits = [](int64_t n) {
    if (n >= 64)
      return std::string("~0ull");
    uint64_t value = n <= 0 ? 0 : (1ull << n) - 1;
    return value == 0 ? std::string("0")
                      : "0x" + llvm::utohexstr(value, true) + "ull";
  };
  int64_t n = *number.getConstant();
  call(op, "set_vector_mask", {bits(n - 64), bits(n)});
}

/// Repeat and strides; the mask is set first. In count form the machine repeats
/// as often as the count asks for.
template <typename OpTy>
std::string CCEPrinter::getForm(OpTy op, Type widest, Operation *at) {
  Expression count = get(op.getCount());
  std::string text;
  if (op.getRepeat()) {
    setMask(at, false, count);
    text = get(op.getRepeat()).str();
    for (ArrayRef<int64_t> strides : {*op.getBlocks(), *op.getRepeats()})
      for (int64_t stride : strides)
        text += ", " + std::to_string(stride);
    return text;
  }
  setMask(at, true, count);
  text = "1";
  // All memref operands of an instruction are its buffers.
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()))
      buffers.push_back(operand);
  for (size_t i = 0; i < buffers.size(); ++i)
    text += ", 1";
  // A repeat is 256 bytes of the widest type.
  int64_t lanes = 256 / (widest.getIntOrFloatBitWidth() / 8);
  for (Value buffer : buffers)
    text += ", " + std::to_string(lanes * bytesOf(buffer) / 32);
  return text;
}

/// The name of a conversion: `vconv_`, the types, and how it rounds.
static std::string getConversion(VConvertOp op) {
  auto name = [](Type type) -> std::string {
    if (type.isF16())
      return "f16";
    if (type.isBF16())
      return "bf16";
    if (type.isF32())
      return "f32";
    return "s" + std::to_string(type.getIntOrFloatBitWidth());
  };
  static const char *const rounds[] = {"", "r", "a", "f", "c", "z"};
  Type from = elementOf(op.getSource()), to = elementOf(op.getTarget());
  // The conversions to s8 have one way only.
  bool open = to.isSignlessInteger(8);
  return "vconv_" + name(from) + "2" + name(to) +
         (open ? "" : rounds[unsigned(op.getRound())]);
}

/// Chooses 256 bytes at a time: the bits go through a register of the vector
/// unit, whose write and use nothing else orders.
LogicalResult CCEPrinter::printSelect(VSelectOp op) {
  int64_t lanes = 256 / bytesOf(op.getTarget());
  setMask(op, false, lanes);
  std::string i = getName("r");
  line() << "for (int64_t " << i << " = 0; " << i << " < "
         << get(op.getRepeat()).at(Expression::Sum) << "; ++" << i << ") {\n";
  ++indent;
  Expression repeat(i, Expression::Atom);
  auto at = [&](Value buffer, Value offset, int64_t elements) {
    return (get(buffer) + get(offset) + repeat * elements).str();
  };
  // The choice before may not have read the register yet.
  line() << "if (" << i << " > 0)\n";
  ++indent;
  call(op, "pipe_barrier", {"PIPE_V"});
  --indent;
  call(op, "set_cmpmask", {at(op.getBits(), op.getBitsOffset(), lanes / 8)});
  call(op, "pipe_barrier", {"PIPE_V"});
  call(op, "vsel",
       {at(op.getTarget(), op.getTargetOffset(), lanes),
        at(op.getLhs(), op.getLhsOffset(), lanes),
        at(op.getRhs(), op.getRhsOffset(), lanes), "1", "1", "1", "1", "8", "8",
        "8"});
  --indent;
  line() << "}\n";
  return success();
}

LogicalResult CCEPrinter::printVector(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](VUnaryOp vector) {
        std::string form = getForm(vector, elementOf(vector.getTarget()), op);
        call(op, "v" + stringifyUnaryKind(vector.getKind()).str(),
             {address(vector.getTarget(), vector.getTargetOffset()),
              address(vector.getSource(), vector.getSourceOffset()), form});
      })
      .Case([&](VBinaryOp vector) {
        std::string form = getForm(vector, elementOf(vector.getTarget()), op);
        call(op, "v" + stringifyBinaryKind(vector.getKind()).str(),
             {address(vector.getTarget(), vector.getTargetOffset()),
              address(vector.getLhs(), vector.getLhsOffset()),
              address(vector.getRhs(), vector.getRhsOffset()), form});
      })
      .Case([&](VScalarOp vector) {
        std::string form = getForm(vector, elementOf(vector.getTarget()), op);
        call(op, "v" + stringifyScalarKind(vector.getKind()).str(),
             {address(vector.getTarget(), vector.getTargetOffset()),
              address(vector.getSource(), vector.getSourceOffset()),
              get(vector.getScalar()).str(), form});
      })
      .Case([&](VDupOp dup) {
        setMask(op, !dup.getRepeat(), get(dup.getCount()));
        std::string block = "1", repeat = "8";
        if (dup.getRepeat()) {
          block = std::to_string(dup.getBlocks()->front());
          repeat = std::to_string(dup.getRepeats()->front());
        }
        call(op, "vector_dup",
             {address(dup.getTarget(), dup.getTargetOffset()),
              get(dup.getScalar()).str(),
              dup.getRepeat() ? get(dup.getRepeat()).str() : "1", block, "1",
              repeat, "0"});
      })
      .Case([&](VConvertOp convert) {
        Type from = elementOf(convert.getSource());
        Type to = elementOf(convert.getTarget());
        bool narrows =
            from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
        std::string form = getForm(convert, narrows ? from : to, op);
        call(op, getConversion(convert),
             {address(convert.getTarget(), convert.getTargetOffset()),
              address(convert.getSource(), convert.getSourceOffset()), form});
      })
      .Case([&](VReduceOp reduce) {
        setMask(op, false, get(reduce.getCount()));
        static const char *const names[] = {"add", "max", "min"};
        bool group = reduce.getByBlock();
        std::string name = group ? "vcg" : "vc";
        SmallVector<std::string> arguments = {
            address(reduce.getTarget(), reduce.getTargetOffset()),
            address(reduce.getSource(), reduce.getSourceOffset()),
            get(reduce.getRepeat()).str(),
            std::to_string(reduce.getTargetStride()),
            "1",
            std::to_string(reduce.getStride())};
        if (!group)
          arguments.push_back(reduce.getKind() == VectorReduceKind::Sum
                                  ? "0"
                                  : "Order_t::ONLY_VALUE");
        call(op, name + names[unsigned(reduce.getKind())], arguments);
      })
      .Case([&](VBroadcastOp broadcast) {
        std::string type =
            bytesOf(broadcast.getTarget()) == 4 ? "uint32_t" : "uint16_t";
        call(op, "vbrcb",
             {address(broadcast.getTarget(), broadcast.getTargetOffset(), type),
              address(broadcast.getSource(), broadcast.getSourceOffset(), type),
              "1", "8", get(broadcast.getRepeat()).str()});
      })
      .Case([&](VCompareOp compare) {
        int64_t lanes = 256 / bytesOf(compare.getLhs());
        setMask(op, false, lanes);
        call(
            op, "vcmpv_" + stringifyCompareKind(compare.getKind()).str(),
            {address(compare.getTarget(), compare.getTargetOffset(), "uint8_t"),
             address(compare.getLhs(), compare.getLhsOffset()),
             address(compare.getRhs(), compare.getRhsOffset()),
             get(compare.getRepeat()).str(), "1", "1", "1", "8", "8", "8"});
      });
  return success();
}
