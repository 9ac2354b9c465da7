//===- CCEPrinter.cpp - One function as CCE text ----------------------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CCEPrinter.h"

#include "tilepipe/Analysis/Capacity.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;
using tile::MemorySpace;

StringRef ascend::getQualifier(MemorySpace space) {
  switch (space) {
  case MemorySpace::L1:
    return "__cbuf__";
  case MemorySpace::L0A:
    return "__ca__";
  case MemorySpace::L0B:
    return "__cb__";
  case MemorySpace::L0C:
    return "__cc__";
  case MemorySpace::UB:
    return "__ubuf__";
  default:
    return "__gm__";
  }
}

std::string ascend::getPlace(Location location) {
  std::string place;
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
             Twine(file.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

//===----------------------------------------------------------------------===//
// Names and types
//===----------------------------------------------------------------------===//

raw_ostream &CCEPrinter::line() { return os.indent(2 * indent); }

/// A new identifier that looks like `hint`.
std::string CCEPrinter::getName(StringRef hint) {
  std::string name;
  for (char c : hint)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name[0]))
    name = "v" + name;
  // Words of the language and of the intrinsics' header.
  static const llvm::StringSet<> reserved = {
      "int",   "float", "half", "double",   "char", "short",
      "long",  "bool",  "for",  "if",       "else", "return",
      "while", "do",    "new",  "this",     "auto", "const",
      "void",  "inc",   "dec",  "unsigned", "mad",  "event_t"};
  std::string unique = name;
  for (unsigned i = 1;
       reserved.contains(unique) || !names.insert(unique).second; ++i)
    unique = name + "_" + std::to_string(i);
  return unique;
}

FailureOr<std::string> CCEPrinter::getTypeName(Type type, Operation *op) {
  if (type.isIndex())
    return std::string("int64_t");
  if (type.isF16())
    return std::string("half");
  if (type.isBF16())
    return std::string("bfloat16_t");
  if (type.isF32())
    return std::string("float");
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      return std::string("bool");
    if (width == 8 || width == 16 || width == 32 || width == 64)
      return (integer.isUnsigned() ? "uint" : "int") + std::to_string(width) +
             "_t";
  }
  return op->emitOpError("cannot be printed: CCE has no type ") << type;
}

Expression CCEPrinter::get(Value value) {
  auto it = values.find(value);
  if (it != values.end())
    return it->second;
  // Constants, wherever they stand.
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return getConstant(constant);
  llvm_unreachable("a value is printed before its uses");
}

void CCEPrinter::bind(Value value, Expression expression) {
  values.insert_or_assign(value, std::move(expression));
}

/// The start of a buffer or of one of its versions, and an offset in elements.
std::string CCEPrinter::address(Value buffer, Value offset, StringRef cast) {
  Expression pointer = get(buffer) + get(offset);
  if (cast.empty())
    return pointer.str();
  MemorySpace space =
      tile::getMemorySpace(llvm::cast<MemRefType>(buffer.getType()));
  return ("(" + getQualifier(space) + " " + cast + " *)" +
          pointer.at(Expression::Atom))
      .str();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The name that a person gave to a value, or a default.
static std::string getHint(FuncOp function, unsigned argument) {
  if (auto name =
          function.getArgAttrOfType<StringAttr>(argument, "ascend.name"))
    return name.str();
  if (auto name = dyn_cast<NameLoc>(function.getArgument(argument).getLoc()))
    return name.getName().str();
  return "arg" + std::to_string(argument);
}

LogicalResult CCEPrinter::printArguments(FuncOp function) {
  std::string separator;
  for (auto [i, argument] :
       llvm::enumerate(function.getBody().getArguments())) {
    std::string name = getName(getHint(function, i));
    auto memref = dyn_cast<MemRefType>(argument.getType());
    FailureOr<std::string> type = getTypeName(
        memref ? memref.getElementType() : argument.getType(), function);
    if (failed(type))
      return failure();
    bind(argument, Expression(name, Expression::Atom));
    os << separator << (memref ? "__gm__ " : "") << *type
       << (memref ? " *" : " ") << name;
    separator = ", ";
    if (!memref)
      continue;
    // The sizes that are not known follow their pointer.
    for (int64_t d = 0; d < memref.getRank(); ++d)
      if (memref.isDynamicDim(d))
        os << ", int64_t " << getName(name + "_d" + std::to_string(d));
  }
  return success();
}

/// True for a number of a pipelined loop that is carried from one iteration to
/// another, or from one stage to another: the scalar unit keeps it.
static bool isCell(tile::AllocOp alloc) {
  return tile::getMemorySpace(alloc.getType()) == MemorySpace::Fragment &&
         (alloc.getType().getRank() == 0 ||
          llvm::all_of(alloc->getUsers(), [](Operation *user) {
            auto slot = dyn_cast<tile::SlotOp>(user);
            return slot && slot.getType().getRank() == 0;
          }));
}

LogicalResult CCEPrinter::printCell(tile::AllocOp alloc) {
  FailureOr<std::string> type =
      getTypeName(alloc.getType().getElementType(), alloc);
  if (failed(type))
    return failure();
  std::string name = getName(alloc.getName().value_or("cell"));
  line() << *type << " " << name;
  if (alloc.getType().getRank() > 0)
    os << "[" << alloc.getType().getNumElements() << "]";
  os << ";\n";
  bind(alloc, Expression(name, Expression::Atom));
  return success();
}

/// Buffers are integers: the allocator owns the addresses.
LogicalResult CCEPrinter::printBuffers(FuncOp function) {
  WalkResult result = function.walk([&](tile::AllocOp alloc) {
    if (isCell(alloc))
      return failed(printCell(alloc)) ? WalkResult::interrupt()
                                      : WalkResult::advance();
    MemorySpace space = tile::getMemorySpace(alloc.getType());
    if (space == MemorySpace::Global || space == MemorySpace::Shared ||
        space == MemorySpace::Fragment) {
      alloc.emitOpError("cannot be printed: '")
          << stringifyMemorySpace(space) << "' is no memory of an AI core";
      return WalkResult::interrupt();
    }
    if (!alloc.getOffset()) {
      alloc.emitOpError(
          "has no address; '--tile-allocate-memory' gives it one");
      return WalkResult::interrupt();
    }
    FailureOr<std::string> type =
        getTypeName(alloc.getType().getElementType(), alloc);
    if (failed(type))
      return WalkResult::interrupt();
    std::string name = getName(alloc.getName().value_or("buffer"));
    std::string pointer = (getQualifier(space) + " " + *type + " *").str();
    line() << pointer << name << " = (" << pointer << ")(uintptr_t)"
           << *alloc.getOffset() << "; // ";
    llvm::interleave(alloc.getType().getShape(), os, "x");
    os << ", " << getByteSize(alloc.getType()).value_or(0) << " bytes\n";
    bind(alloc, Expression(name, Expression::Atom));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult CCEPrinter::print(FuncOp function) {
  os << "extern \"C\" __global__ __aicore__ void " << function.getSymName()
     << "(";
  if (failed(printArguments(function)))
    return failure();
  os << ") {\n";
  if (failed(printBuffers(function)))
    return failure();
  // The FIX pipe writes one matrix at a time, row by row.
  bool fix = function.walk([](FixpipeOp) { return WalkResult::interrupt(); })
                 .wasInterrupted();
  if (fix)
    line() << "set_nd_para(1);\n";
  if (failed(printBlock(function.getBody().front())))
    return failure();
  os << "}\n";
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void CCEPrinter::declare(Value value, StringRef hint) {
  std::string name = getName(hint);
  bind(value, Expression(name, Expression::Atom));
}

void CCEPrinter::assign(ValueRange targets, ValueRange values) {
  // All new values before the first assignment: they may name old ones.
  SmallVector<std::string> temporaries;
  for (auto [target, value] : llvm::zip(targets, values)) {
    std::string text = get(value).str();
    if (targets.size() > 1) {
      std::string name = getName("next");
      line() << "const auto " << name << " = " << text << ";\n";
      text = name;
    }
    temporaries.push_back(text);
  }
  for (auto [target, text] : llvm::zip(targets, temporaries))
    if (get(target).str() != text)
      line() << get(target).str() << " = " << text << ";\n";
}

LogicalResult CCEPrinter::printFor(scf::ForOp loop) {
  for (auto [argument, init, result] : llvm::zip(
           loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
    FailureOr<std::string> type = getTypeName(argument.getType(), loop);
    if (failed(type))
      return failure();
    declare(argument, "carried");
    bind(result, get(argument));
    line() << *type << " " << get(argument).str() << " = " << get(init).str()
           << ";\n";
  }
  static const char *const hints[] = {"i", "j", "k", "l"};
  std::string hint = depth < 4 ? hints[depth] : "i";
  if (auto name = dyn_cast<NameLoc>(loop.getInductionVar().getLoc()))
    hint = name.getName().str();
  declare(loop.getInductionVar(), hint);
  std::string iv = get(loop.getInductionVar()).str();
  Expression step = get(loop.getStep());
  line() << "for (int64_t " << iv << " = " << get(loop.getLowerBound()).str()
         << "; " << iv << " < " << get(loop.getUpperBound()).at(Expression::Sum)
         << "; "
         << (step.getConstant() == 1 ? "++" + iv : iv + " += " + step.str())
         << ") {\n";
  ++indent;
  ++depth;
  mask.clear();
  pad.clear();
  if (failed(printBlock(*loop.getBody())))
    return failure();
  assign(loop.getRegionIterArgs(), loop.getYieldedValues());
  mask.clear();
  pad.clear();
  --depth;
  --indent;
  line() << "}\n";
  return success();
}

LogicalResult CCEPrinter::printIf(scf::IfOp branch) {
  for (Value result : branch.getResults()) {
    FailureOr<std::string> type = getTypeName(result.getType(), branch);
    if (failed(type))
      return failure();
    declare(result, "chosen");
    line() << *type << " " << get(result).str() << ";\n";
  }
  line() << "if (" << get(branch.getCondition()).str() << ") {\n";
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    if (!block ||
        (block == branch.elseBlock() && block->without_terminator().empty() &&
         branch.getNumResults() == 0))
      continue;
    if (block == branch.elseBlock())
      line() << "} else {\n";
    ++indent;
    mask.clear();
    pad.clear();
    if (failed(printBlock(*block)))
      return failure();
    assign(branch.getResults(), block->getTerminator()->getOperands());
    --indent;
  }
  mask.clear();
  pad.clear();
  line() << "}\n";
  return success();
}

LogicalResult CCEPrinter::printBlock(Block &block) {
  for (Operation &op : block)
    if (failed(printOp(op)))
      return failure();
  return success();
}

LogicalResult CCEPrinter::printOp(Operation &op) {
  if (isa<arith::ConstantOp, tile::AllocOp, scf::YieldOp, ReturnOp>(op))
    return success();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return printFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return printIf(branch);
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    line() << get(store.getMemRef()).str() << " = "
           << get(store.getValueToStore()).str() << ";\n";
    return success();
  }
  if (auto slot = dyn_cast<tile::SlotOp>(op);
      slot && slot.getType().getRank() == 0 &&
      tile::getMemorySpace(slot.getType()) == MemorySpace::Fragment) {
    bind(slot, Expression(get(slot.getSource()).str() + "[" +
                              get(slot.getIndex()).str() + "]",
                          Expression::Atom));
    return success();
  }
  if (auto slot = dyn_cast<tile::SlotOp>(op)) {
    int64_t elements =
        cast<MemRefType>(slot.getResult().getType()).getNumElements();
    bind(slot, get(slot.getSource()) + get(slot.getIndex()) * elements);
    return success();
  }
  if (op.getNumResults() == 0 || isa<ScalarLoadOp>(op))
    return printInstruction(op);
  FailureOr<Expression> expression = getScalar(op);
  if (failed(expression))
    return failure();
  // What is used once, soon after it, needs no name; a cell may have another
  // value by then.
  Value result = op.getResult(0);
  bool once = result.hasOneUse() && !isa<memref::LoadOp>(op) &&
              (*result.user_begin())->getBlock() == op.getBlock() &&
              (!(*result.user_begin())->getNumRegions() ||
               isa<scf::IfOp>(*result.user_begin())) &&
              !(*result.user_begin())->hasTrait<OpTrait::IsTerminator>();
  // Neither does what has one: constants, and sizes of arguments.
  if (once || expression->getConstant() || result.use_empty() ||
      isa<memref::DimOp>(op)) {
    bind(result, *expression);
    return success();
  }
  FailureOr<std::string> type = getTypeName(result.getType(), &op);
  if (failed(type))
    return failure();
  std::string hint = "v";
  if (auto name = dyn_cast<NameLoc>(op.getLoc()))
    hint = name.getName().str();
  declare(result, hint);
  line() << "const " << *type << " " << get(result).str() << " = "
         << expression->str() << ";\n";
  return success();
}
