//===- CCEInstructions.cpp - Instructions as CCE text ------------------ ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Names, orders and units of arguments: mirror-cann/asc-devkit,
// impl/c_api/instr_impl/npu_arch_2201 (each asc_*_impl.h is a thin wrapper of
// one intrinsic). docs/ascend.md has the table.
//
//===----------------------------------------------------------------------===//

#include "CCEPrinter.h"

#include "mlir/IR/Matchers.h"
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

void CCEPrinter::call(Operation *op, StringRef name,
                      ArrayRef<std::string> arguments) {
  line() << name << "(";
  llvm::interleaveComma(arguments, os);
  os << ");";
  if (std::string place = getPlace(op->getLoc()); !place.empty())
    os << " // @" << place;
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Sets the register that holds the bits of what pads rows, unless it is known
/// to hold them.
void CCEPrinter::setPad(LoadOp op) {
  std::string value = get(op.getPad()).str();
  if (pad == value)
    return;
  pad = value;
  int64_t bits = 8 * bytesOf(op.getTarget());
  std::string type = "uint" + std::to_string(bits) + "_t";
  bool isFloat = isa<FloatType>(op.getPad().getType());
  call(op, "set_mov_pad_val",
       {isFloat ? "__builtin_bit_cast(" + type + ", " + value + ")"
                : "(" + type + ")(" + value + ")"});
}

/// Rows between global memory and the UB: lengths and global gaps are in bytes,
/// gaps in the UB in blocks of 32 bytes.
void CCEPrinter::printRows(Operation *op, StringRef name, Value target,
                           Value targetOffset, Value source, Value sourceOffset,
                           bool load) {
  int64_t size = bytesOf(source);
  auto [rows, columns, stride, pitch] = [&] {
    if (auto copy = dyn_cast<LoadOp>(op))
      return std::make_tuple(copy.getRows(), copy.getColumns(),
                             copy.getStride(), copy.getPitch());
    auto copy = cast<StoreOp>(op);
    return std::make_tuple(copy.getRows(), copy.getColumns(), copy.getStride(),
                           copy.getPitch());
  }();
  Expression length = get(columns) * size;
  Expression globalGap = (get(stride) - get(columns)) * size;
  int64_t block = 32 / size;
  Expression localGap =
      get(pitch).getConstant() && *get(pitch).getConstant() % block == 0
          ? Expression(*get(pitch).getConstant() / block) -
                Expression::ceilDiv(get(columns), block)
          : get(pitch) / block - Expression::ceilDiv(get(columns), block);
  // A single row has no gaps.
  if (get(rows).getConstant() == 1)
    globalGap = localGap = 0;
  Expression behind = 0;
  if (auto padded = dyn_cast<LoadOp>(op); padded && padded.getPad()) {
    setPad(padded);
    behind = Expression::ceilDiv(get(columns), block) * block - get(columns);
  }
  std::string suffix = "_b" + std::to_string(8 * size);
  call(op, (name + suffix).str(),
       {address(target, targetOffset), address(source, sourceOffset), "0",
        get(rows).str(), length.str(), "0", behind.str(),
        (load ? globalGap : localGap).str(),
        (load ? localGap : globalGap).str()});
}

LogicalResult CCEPrinter::printCopy(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](Nd2NzOp copy) {
        static const char *const suffixes[] = {"", "b8", "b16", "", "b32s"};
        std::string name = "copy_gm_to_cbuf_multi_nd2nz_";
        call(op, name + suffixes[bytesOf(copy.getSource())],
             {address(copy.getTarget(), copy.getTargetOffset()),
              address(copy.getSource(), copy.getSourceOffset()), "0", "1",
              get(copy.getRows()).str(), get(copy.getColumns()).str(), "0",
              get(copy.getStride()).str(), get(copy.getPitch()).str(), "1",
              "0"});
      })
      .Case<CopyToL1Op, UbCopyOp>([&](auto copy) {
        bool l1 = isa<CopyToL1Op>(op);
        SmallVector<std::string> arguments = {
            address(copy.getTarget(), copy.getTargetOffset()),
            address(copy.getSource(), copy.getSourceOffset()),
            "0",
            get(copy.getBursts()).str(),
            get(copy.getBlocks()).str(),
            get(copy.getSourceGap()).str(),
            get(copy.getTargetGap()).str()};
        if (l1)
          arguments.push_back("PAD_NONE");
        call(op, l1 ? "copy_gm_to_cbuf" : "copy_ubuf_to_ubuf", arguments);
      })
      .Case([&](LoadOp copy) {
        printRows(op, "copy_gm_to_ubuf_align", copy.getTarget(),
                  copy.getTargetOffset(), copy.getSource(),
                  copy.getSourceOffset(), true);
      })
      .Case([&](StoreOp copy) {
        printRows(op, "copy_ubuf_to_gm_align", copy.getTarget(),
                  copy.getTargetOffset(), copy.getSource(),
                  copy.getSourceOffset(), false);
      })
      .Case([&](FillL1Op fill) {
        Type type = fill.getValue().getType();
        Expression config("", Expression::Other);
        auto field = [&](Value value, int shift) {
          return get(value) * (int64_t(1) << shift);
        };
        config = field(fill.getRepeat(), 0) + field(fill.getBlocks(), 16) +
                 field(fill.getGap(), 32);
        std::string value = get(fill.getValue()).str();
        // Elements of four bytes are given by their bits.
        if (!type.isF16() && !type.isBF16())
          value = bytesOf(fill.getTarget()) == 4
                      ? "__builtin_bit_cast(uint32_t, " + value + ")"
                      : "(uint32_t)(" + value + ")";
        call(op,
             type.isBF16() ? "create_cbuf_matrix_bf16" : "create_cbuf_matrix",
             {address(fill.getTarget(), fill.getTargetOffset()), config.str(),
              value});
      });
  return success();
}

//===----------------------------------------------------------------------===//
// The matrix unit
//===----------------------------------------------------------------------===//

LogicalResult CCEPrinter::printMatrix(Operation *op) {
  if (auto load = dyn_cast<LoadL0Op>(op)) {
    bool left =
        tile::getMemorySpace(cast<MemRefType>(load.getTarget().getType())) ==
        tile::MemorySpace::L0A;
    call(op, left ? "load_cbuf_to_ca" : "load_cbuf_to_cb",
         {address(load.getTarget(), load.getTargetOffset()),
          address(load.getSource(), load.getSourceOffset()), "0",
          get(load.getRepeat()).str(), get(load.getStride()).str(),
          get(load.getGap()).str(), "0", load.getTranspose() ? "true" : "false",
          "inc"});
    return success();
  }
  if (auto mma = dyn_cast<MmaOp>(op)) {
    call(op, "mad",
         {address(mma.getC(), mma.getCOffset()),
          address(mma.getA(), mma.getAOffset()),
          address(mma.getB(), mma.getBOffset()), get(mma.getM()).str(),
          get(mma.getK()).str(), get(mma.getN()).str(), "0", "false", "false",
          get(mma.getInit()).str()});
    return success();
  }
  auto fixpipe = cast<FixpipeOp>(op);
  Type to = elementOf(fixpipe.getTarget());
  call(op, "copy_matrix_cc_to_gm",
       {address(fixpipe.getTarget(), fixpipe.getTargetOffset()),
        address(fixpipe.getSource(), fixpipe.getSourceOffset()), "0",
        get(fixpipe.getN()).str(), get(fixpipe.getM()).str(),
        get(fixpipe.getStride()).str(), get(fixpipe.getPitch()).str(), "0",
        to.isF16()    ? "F322F16"
        : to.isBF16() ? "F322BF16"
                      : "NoQuant",
        fixpipe.getRelu() ? "1" : "0", "false", "true"});
  return success();
}

//===----------------------------------------------------------------------===//
// Flags and scalars
//===----------------------------------------------------------------------===//

static std::string getPipe(Pipe pipe) {
  return "PIPE_" + getPipeName(pipe).str();
}

/// The id of a flag, a constant or a value.
std::string CCEPrinter::getFlagId(int64_t id, Value slot) {
  Expression number = slot ? get(slot) + Expression(id) : Expression(id);
  if (number.getConstant())
    return "EVENT_ID" + number.str();
  return "(event_t)" + number.at(Expression::Atom);
}

LogicalResult CCEPrinter::printSync(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](SetFlagOp flag) {
        call(op, "set_flag",
             {getPipe(flag.getSource()), getPipe(flag.getTarget()),
              getFlagId(flag.getId(), flag.getSlot())});
      })
      .Case([&](WaitFlagOp flag) {
        call(op, "wait_flag",
             {getPipe(flag.getSource()), getPipe(flag.getTarget()),
              getFlagId(flag.getId(), flag.getSlot())});
      })
      .Case([&](BarrierOp barrier) {
        call(op, "pipe_barrier", {getPipe(barrier.getPipe())});
      })
      .Case([&](CrossSetOp set) {
        Expression id(set.getId());
        if (set.getSlot())
          id = id + get(set.getSlot());
        call(op, "ffts_cross_core_sync",
             {getPipe(set.getPipe()),
              (Expression(1 + int64_t(set.getMode()) * 16) + id * 256).str()});
      })
      .Case([&](CrossWaitOp wait) {
        Expression id(wait.getId());
        if (wait.getSlot())
          id = id + get(wait.getSlot());
        call(op, "wait_flag_dev", {id.str()});
      })
      .Case([&](SetFftsBaseOp set) {
        call(op, "set_ffts_base_addr",
             {"(uint64_t)" + get(set.getAddress()).at(Expression::Atom)});
      });
  return success();
}

LogicalResult CCEPrinter::printInstruction(Operation &op) {
  if (auto load = dyn_cast<ScalarLoadOp>(op)) {
    helpers.scalar = true;
    FailureOr<std::string> type = getTypeName(load.getResult().getType(), &op);
    if (failed(type))
      return failure();
    std::string text =
        "tp_load(" + address(load.getBuffer(), load.getOffset()) + ");";
    declare(load.getResult(), "s");
    line() << "const " << *type << " " << get(load.getResult()).str() << " = "
           << text;
    if (std::string place = getPlace(op.getLoc()); !place.empty())
      os << " // @" << place;
    os << "\n";
    return success();
  }
  if (auto store = dyn_cast<ScalarStoreOp>(op)) {
    helpers.scalar = true;
    FailureOr<std::string> type = getTypeName(store.getValue().getType(), &op);
    if (failed(type))
      return failure();
    call(&op, "tp_store",
         {address(store.getBuffer(), store.getOffset()),
          "(" + *type + ")" + get(store.getValue()).at(Expression::Atom)});
    return success();
  }
  if (isa<Nd2NzOp, CopyToL1Op, UbCopyOp, LoadOp, StoreOp, FillL1Op>(op))
    return printCopy(&op);
  if (isa<LoadL0Op, MmaOp, FixpipeOp>(op))
    return printMatrix(&op);
  if (auto select = dyn_cast<VSelectOp>(op))
    return printSelect(select);
  if (isa<PipeOpInterface>(op))
    return printVector(&op);
  if (isa<SetFlagOp, WaitFlagOp, BarrierOp, CrossSetOp, CrossWaitOp,
          SetFftsBaseOp>(op))
    return printSync(&op);
  return op.emitOpError("cannot be printed as CCE");
}
