//===- AscendDialect.cpp - The ascend dialect --------------------------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

#include "tilepipe/Dialect/Ascend/IR/AscendDialect.cpp.inc"
#include "tilepipe/Dialect/Ascend/IR/AscendEnums.cpp.inc"
#include "tilepipe/Dialect/Ascend/IR/AscendInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tilepipe/Dialect/Ascend/IR/AscendAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "tilepipe/Dialect/Ascend/IR/AscendOps.cpp.inc"

void AscendDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilepipe/Dialect/Ascend/IR/AscendAttrs.cpp.inc"
      >();
}

void AscendDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tilepipe/Dialect/Ascend/IR/AscendOps.cpp.inc"
      >();
}

/// Attributes of arguments of `ascend.func`: no key has a meaning that is not
/// checked here.
LogicalResult
AscendDialect::verifyRegionArgAttribute(Operation *op, unsigned region,
                                        unsigned argument,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == "ascend.name") {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitOpError("expects 'ascend.name' to be a string, got ")
             << attribute.getValue();
    return success();
  }
  if (name == "ascend.workspace") {
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError("expects 'ascend.workspace' to be a unit, got ")
             << attribute.getValue();
    if (!isa<MemRefType>(op->getRegion(region).getArgument(argument).getType()))
      return op->emitOpError("has 'ascend.workspace' on argument ")
             << argument << ", which is not a memref";
    return success();
  }
  return op->emitOpError("has unknown argument attribute '") << name << "'";
}

StringRef ascend::getPipeName(Pipe pipe) {
  switch (pipe) {
  case Pipe::S:
    return "S";
  case Pipe::V:
    return "V";
  case Pipe::M:
    return "M";
  case Pipe::MTE1:
    return "MTE1";
  case Pipe::MTE2:
    return "MTE2";
  case Pipe::MTE3:
    return "MTE3";
  case Pipe::All:
    return "ALL";
  case Pipe::FIX:
    return "FIX";
  }
  llvm_unreachable("unknown pipe");
}

//===----------------------------------------------------------------------===//
// ascend.func
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &b, OperationState &state, StringRef name,
                   FunctionType type, Core core, bool mix) {
  state.addAttribute(getSymNameAttrName(state.name), b.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getCoreAttrName(state.name),
                     CoreAttr::get(b.getContext(), core));
  if (mix)
    state.addAttribute(getMixAttrName(state.name), b.getUnitAttr());
  Block &entry = state.addRegion()->emplaceBlock();
  for (Type argument : type.getInputs())
    entry.addArgument(argument, state.location);
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &b, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return b.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(
      p, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult FuncOp::verify() {
  // 1. what a kernel takes
  if (!getFunctionType().getResults().empty())
    return emitOpError("has results, but a kernel returns nothing");
  if (getBody().empty())
    return emitOpError("has no body");
  for (auto [i, type] : llvm::enumerate(getFunctionType().getInputs())) {
    if (auto memref = dyn_cast<MemRefType>(type)) {
      if (tile::getMemorySpace(memref) != tile::MemorySpace::Global)
        return emitOpError("has argument ")
               << i << " in '"
               << stringifyMemorySpace(tile::getMemorySpace(memref))
               << "', but arguments are global memory";
      if (!memref.getLayout().isIdentity())
        return emitOpError("has argument ")
               << i << " without an identity layout: " << type;
      continue;
    }
    if (!type.isIntOrIndexOrFloat())
      return emitOpError("cannot take argument ") << i << " of type " << type;
  }
  // 2. names of a mixed kernel
  StringRef suffix = isCube() ? "_mix_aic" : "_mix_aiv";
  if (getMix() && !getSymName().ends_with(suffix))
    return emitOpError("is of a mixed kernel, but its name does not end in '")
           << suffix << "'";
  return success();
}
