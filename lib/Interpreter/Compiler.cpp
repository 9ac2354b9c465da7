//===- Compiler.cpp - From IR to instructions
//-------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;
using namespace tilepipe::tile;

/// Vectors larger than this are not held in a frame.
static constexpr int64_t kMaxVectorElements = 1 << 16;

/// True for a type whose values fit into slots.
static bool isSupported(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return getElementOf(memref.getElementType()).kind != Kind::None;
  if (auto vector = dyn_cast<VectorType>(type))
    return !vector.isScalable() &&
           vector.getNumElements() <= kMaxVectorElements &&
           getElementOf(vector.getElementType()).kind != Kind::None;
  return isa<TokenType>(type) || getElementOf(type).kind != Kind::None;
}

uint32_t Compiler::numSlots(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return getViewSlots(memref.getRank());
  if (auto vector = dyn_cast<VectorType>(type))
    return isSupported(type) ? std::max<int64_t>(vector.getNumElements(), 1)
                             : 1;
  return 1;
}

uint32_t Compiler::newSlots(uint32_t count) {
  uint32_t first = current->numSlots;
  current->numSlots += count;
  return first;
}

uint32_t Compiler::slotOf(Value value) {
  auto [it, inserted] = slots.try_emplace(value, 0);
  if (inserted)
    it->second = newSlots(numSlots(value.getType()));
  return it->second;
}

void Compiler::addMoves(Moves &moves, ValueRange from, ValueRange to) {
  for (auto [source, target] : llvm::zip_equal(from, to))
    moves.add(slotOf(source), slotOf(target), numSlots(source.getType()));
}

static bool runUnsupported(Machine &m, const Instr &in, Slot *) {
  return m.fail(in, "is not supported by the interpreter");
}

static bool runUnsupportedType(Machine &m, const Instr &in, Slot *) {
  auto check = [&](TypeRange types) {
    for (Type type : types) {
      if (isSupported(type))
        continue;
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return m.fail(in, "has type " + text +
                            ", which is not supported by the interpreter");
    }
    return true;
  };
  return check(in.op->getOperandTypes()) && check(in.op->getResultTypes());
}

static const HandlerMap &getHandlers() {
  static const HandlerMap map = [] {
    HandlerMap handlers;
    addArithHandlers(handlers);
    addMathHandlers(handlers);
    addMemRefHandlers(handlers);
    addControlHandlers(handlers);
    addTileHandlers(handlers);
    addTileComputeHandlers(handlers);
    addLinalgHandlers(handlers);
    addVectorHandlers(handlers);
    return handlers;
  }();
  return map;
}

/// Element type of a value: of its elements if it is a memref or vector.
static Element getValueElement(Type type) {
  return getElementOf(getElementTypeOrSelf(type));
}

Instr Compiler::compile(Operation *op) {
  Instr in;
  in.op = op;
  in.run = runUnsupported;
  bool supported = llvm::all_of(op->getOperandTypes(), isSupported) &&
                   llvm::all_of(op->getResultTypes(), isSupported);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      supported &= llvm::all_of(block.getArgumentTypes(), isSupported);
  if (!supported) {
    in.run = runUnsupportedType;
    return in;
  }
  auto *operands = arena.Allocate<uint32_t>(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    operands[i] = slotOf(operand);
  in.operands = operands;
  if (op->getNumOperands() > 0)
    in.from = getValueElement(op->getOperand(0).getType());
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    uint32_t slot = slotOf(result);
    if (i > 0)
      continue;
    in.result = slot;
    in.to = getValueElement(result.getType());
    if (isa<VectorType>(result.getType()))
      in.count = numSlots(result.getType());
  }
  auto it = getHandlers().find(op->getName().getTypeID());
  if (it != getHandlers().end())
    it->second(*this, op, in);
  else
    compileLinalgOp(*this, op, in);
  return in;
}

Code Compiler::compileBlock(Block &block) {
  Code code;
  for (BlockArgument argument : block.getArguments())
    slotOf(argument);
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() || op.getNumRegions() != 0)
      code.instrs.push_back(compile(&op));
  return code;
}

static bool runManyBlocks(Machine &m, const Instr &in, Slot *) {
  return m.fail(in, "has more than one block; unstructured control flow is not "
                    "supported by the interpreter");
}

static bool runNoBody(Machine &m, const Instr &in, Slot *) {
  return m.fail(in, "has no body to run");
}

static bool runEnd(Machine &m, const Instr &in, Slot *) {
  return m.fail(in, "ends here, which is not supported by the interpreter");
}

Function &Compiler::getFunction(func::FuncOp op) {
  auto it = functions.find(op);
  if (it != functions.end())
    return *it->second;
  auto &owner = functions[op];
  owner = std::make_unique<Function>();
  Function &function = *owner;
  function.op = op;
  Function *outer = std::exchange(current, &function);
  auto addError = [&](Operation *at,
                      bool (*run)(Machine &, const Instr &, Slot *)) {
    Instr in;
    in.op = at;
    in.run = run;
    function.body.instrs.push_back(in);
  };
  if (op.isExternal()) {
    addError(op, runNoBody);
  } else if (!llvm::all_of(op.getArgumentTypes(), isSupported)) {
    addError(op, runUnsupported);
  } else if (!llvm::hasSingleElement(op.getBody())) {
    addError(op, runManyBlocks);
  } else {
    Block &body = op.getBody().front();
    for (BlockArgument argument : body.getArguments())
      function.arguments.push_back(slotOf(argument));
    function.body = compileBlock(body);
    Operation *end = body.getTerminator();
    if (!isa<func::ReturnOp>(end))
      addError(end, runEnd);
    for (Value value : end->getOperands())
      function.returned.push_back(slotOf(value));
  }
  // Arguments and results are read even where the body is an error.
  while (function.arguments.size() < op.getNumArguments())
    function.arguments.push_back(
        newSlots(numSlots(op.getArgumentTypes()[function.arguments.size()])));
  current = outer;
  return function;
}
