//===- Interpreter.cpp - Reference execution of tile programs
//---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Interpreter/Interpreter.h"

#include "Machine.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;

namespace tilepipe {

/// The code of a module, and one run of it.
class InterpreterImpl {
public:
  std::optional<RuntimeError> run(func::FuncOp function,
                                  ArrayRef<InterpreterArgument> arguments,
                                  const InterpreterOptions &options,
                                  InterpreterStatistics *statistics,
                                  SmallVectorImpl<double> *results);

private:
  bool setArgument(Machine &machine, const Instr &in, unsigned number,
                   Type type, const InterpreterArgument &argument, Slot *slots);

  Compiler compiler;
};

} // namespace tilepipe

static bool checkShape(Machine &machine, const Instr &in, unsigned number,
                       MemRefType type, const HostBuffer &buffer) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "argument " << number << " of type " << type << " ";
  if (buffer.elementType != type.getElementType() ||
      buffer.shape.size() != size_t(type.getRank())) {
    os << "is given a buffer of rank " << buffer.shape.size() << " of "
       << buffer.elementType;
    return machine.fail(in, text);
  }
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (buffer.shape[dim] < 0 ||
        (!ShapedType::isDynamic(extent) && extent != buffer.shape[dim])) {
      os << "is given extent " << buffer.shape[dim] << " in dimension " << dim;
      return machine.fail(in, text);
    }
  return true;
}

bool InterpreterImpl::setArgument(Machine &machine, const Instr &in,
                                  unsigned number, Type type,
                                  const InterpreterArgument &argument,
                                  Slot *slots) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    Element element = getElementOf(type);
    if (element.kind == Kind::None)
      return machine.fail(in, "argument " + Twine(number) +
                                  " is neither a memref nor a number");
    slots[0] =
        element.isFloat()
            ? roundDouble(element, argument.number)
            : signExtend(floatToInt(argument.number, 64, true), element.width);
    return true;
  }
  if (!argument.buffer)
    return machine.fail(in, "argument " + Twine(number) + " needs a buffer");
  HostBuffer &host = *argument.buffer;
  if (!checkShape(machine, in, number, memref, host))
    return false;
  unsigned rank = memref.getRank();
  machine.buffers.push_back(std::make_unique<Buffer>());
  Buffer &buffer = *machine.buffers.back();
  buffer.data = host.data.data();
  buffer.bytes = host.data.size();
  slots[0] = reinterpret_cast<Slot>(&buffer);
  slots[1] = 0;
  for (unsigned dim = 0; dim < rank; ++dim)
    slots[2 + dim] = host.shape[dim];
  unsigned bytes = getElementBytes(host.elementType);
  setDenseStrides(slots, rank, bytes);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return machine.fail(in, "argument " + Twine(number) +
                                " has a layout without strides");
  bool dense = ShapedType::isDynamic(offset) || offset == 0;
  for (unsigned dim = 0; dim < rank; ++dim)
    dense &= ShapedType::isDynamic(strides[dim]) || host.shape[dim] <= 1 ||
             strides[dim] * bytes == int64_t(slots[2 + rank + dim]);
  return dense || machine.fail(in, "argument " + Twine(number) +
                                       " has a layout that is not dense");
}

std::optional<RuntimeError>
InterpreterImpl::run(func::FuncOp op, ArrayRef<InterpreterArgument> arguments,
                     const InterpreterOptions &options,
                     InterpreterStatistics *statistics,
                     SmallVectorImpl<double> *results) {
  Machine machine(compiler, options);
  Instr in;
  in.op = op;
  if (arguments.size() != op.getNumArguments()) {
    machine.fail(in, "needs " + Twine(op.getNumArguments()) +
                         " arguments, got " + Twine(arguments.size()));
    return machine.error;
  }
  Function &function = compiler.getFunction(op);
  uint32_t total = 0;
  SmallVector<uint32_t> operands;
  for (Type type : op.getArgumentTypes()) {
    operands.push_back(total);
    total += Compiler::numSlots(type);
  }
  std::vector<Slot> values(std::max<uint32_t>(total, 1), 0);
  for (auto [i, type] : llvm::enumerate(op.getArgumentTypes()))
    if (!setArgument(machine, in, i, type, arguments[i],
                     values.data() + operands[i]))
      return machine.error;
  uint32_t numResults = 0;
  for (Type type : op.getResultTypes())
    numResults += Compiler::numSlots(type);
  std::vector<Slot> returned(std::max<uint32_t>(numResults, 1), 0);
  bool ok = machine.call(in, function, values.data(), operands.data(),
                         returned.data());
  if (ok && options.sanitize)
    if (auto finding = machine.engine.checkEnd())
      machine.fail(in, *finding);
  machine.endBlock();
  if (statistics)
    *statistics = {machine.steps, machine.totalCopies, machine.totalGroups,
                   machine.totalWaits, machine.mutations};
  // The loop that ran out of steps may be empty.
  if (machine.error && !machine.error->op)
    machine.error->op = op;
  if (!ok || machine.error || !results)
    return machine.error;
  const Slot *it = returned.data();
  for (Type type : op.getResultTypes()) {
    Element element = getElementOf(type);
    if (element.kind != Kind::None)
      results->push_back(element.isFloat() ? toDouble(element, *it)
                                           : double(int64_t(*it)));
    it += Compiler::numSlots(type);
  }
  return std::nullopt;
}

Interpreter::Interpreter() : impl(std::make_unique<InterpreterImpl>()) {}
Interpreter::~Interpreter() = default;

std::optional<RuntimeError>
Interpreter::run(func::FuncOp function, ArrayRef<InterpreterArgument> arguments,
                 const InterpreterOptions &options,
                 InterpreterStatistics *statistics,
                 SmallVectorImpl<double> *results) {
  return impl->run(function, arguments, options, statistics, results);
}
