//===- AscendAttrs.td - Attributes of the ascend dialect ----- -*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_ASCEND_IR_ASCENDATTRS_TD
#define TILEPIPE_DIALECT_ASCEND_IR_ASCENDATTRS_TD

include "mlir/IR/EnumAttr.td"
include "tilepipe/Dialect/Ascend/IR/AscendDialect.td"

class Ascend_Enum<string name, string summary, list<I32EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::tilepipe::ascend";
}
class Ascend_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<Ascend_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

// The numbers are those of CCE's `pipe_t`.
def Ascend_Pipe : Ascend_Enum<"Pipe", "instruction queue of a core", [
    I32EnumCase<"S", 0, "s">,
    I32EnumCase<"V", 1, "v">,
    I32EnumCase<"M", 2, "m">,
    I32EnumCase<"MTE1", 3, "mte1">,
    I32EnumCase<"MTE2", 4, "mte2">,
    I32EnumCase<"MTE3", 5, "mte3">,
    I32EnumCase<"All", 6, "all">,
    I32EnumCase<"FIX", 10, "fix">
  ]>;
def Ascend_PipeAttr : Ascend_EnumAttr<Ascend_Pipe, "pipe">;

def Ascend_Core : Ascend_Enum<"Core", "kind of core that runs a function", [
    I32EnumCase<"Cube", 0, "cube">,
    I32EnumCase<"Vector", 1, "vector">
  ]>;
def Ascend_CoreAttr : Ascend_EnumAttr<Ascend_Core, "core">;

def Ascend_UnaryKind : Ascend_Enum<"UnaryKind", "function of one vector", [
    I32EnumCase<"Exp", 0, "exp">,
    I32EnumCase<"Ln", 1, "ln">,
    I32EnumCase<"Sqrt", 2, "sqrt">,
    I32EnumCase<"Rsqrt", 3, "rsqrt">,
    I32EnumCase<"Rec", 4, "rec">,
    I32EnumCase<"Abs", 5, "abs">,
    I32EnumCase<"Relu", 6, "relu">
  ]>;
def Ascend_UnaryKindAttr : Ascend_EnumAttr<Ascend_UnaryKind, "unary">;

def Ascend_BinaryKind : Ascend_Enum<"BinaryKind", "function of two vectors", [
    I32EnumCase<"Add", 0, "add">,
    I32EnumCase<"Sub", 1, "sub">,
    I32EnumCase<"Mul", 2, "mul">,
    I32EnumCase<"Div", 3, "div">,
    I32EnumCase<"Max", 4, "max">,
    I32EnumCase<"Min", 5, "min">
  ]>;
def Ascend_BinaryKindAttr : Ascend_EnumAttr<Ascend_BinaryKind, "binary">;

def Ascend_ScalarKind : Ascend_Enum<"ScalarKind", "function of a vector and a scalar", [
    I32EnumCase<"Adds", 0, "adds">,
    I32EnumCase<"Muls", 1, "muls">,
    I32EnumCase<"Maxs", 2, "maxs">,
    I32EnumCase<"Mins", 3, "mins">
  ]>;
def Ascend_ScalarKindAttr : Ascend_EnumAttr<Ascend_ScalarKind, "scalar">;

def Ascend_ReduceKind : Ascend_Enum<"VectorReduceKind", "combining function of a vector reduction", [
    I32EnumCase<"Sum", 0, "sum">,
    I32EnumCase<"Max", 1, "max">,
    I32EnumCase<"Min", 2, "min">
  ]>;
def Ascend_ReduceKindAttr : Ascend_EnumAttr<Ascend_ReduceKind, "vreduce">;

def Ascend_CompareKind : Ascend_Enum<"CompareKind", "comparison of two vectors", [
    I32EnumCase<"LT", 0, "lt">,
    I32EnumCase<"GT", 1, "gt">,
    I32EnumCase<"LE", 2, "le">,
    I32EnumCase<"GE", 3, "ge">,
    I32EnumCase<"EQ", 4, "eq">,
    I32EnumCase<"NE", 5, "ne">
  ]>;
def Ascend_CompareKindAttr : Ascend_EnumAttr<Ascend_CompareKind, "compare">;

def Ascend_RoundMode : Ascend_Enum<"RoundMode", "rounding of a conversion", [
    I32EnumCase<"None", 0, "none">,
    I32EnumCase<"Rint", 1, "rint">,
    I32EnumCase<"Away", 2, "away">,
    I32EnumCase<"Floor", 3, "floor">,
    I32EnumCase<"Ceil", 4, "ceil">,
    I32EnumCase<"Trunc", 5, "trunc">
  ]>;
def Ascend_RoundModeAttr : Ascend_EnumAttr<Ascend_RoundMode, "round">;

#endif // TILEPIPE_DIALECT_ASCEND_IR_ASCENDATTRS_TD
