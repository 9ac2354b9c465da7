//===- AscendDialect.td - The ascend dialect ----------------- -*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_ASCEND_IR_ASCENDDIALECT_TD
#define TILEPIPE_DIALECT_ASCEND_IR_ASCENDDIALECT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Ascend_Dialect : Dialect {
  let name = "ascend";
  let summary = "Instructions of Ascend AI cores";
  let description = [{
    One operation for each instruction that a kernel for an AI core issues. A
    core has one scalar stream (pipe `s`), which runs the control flow and hands
    instructions to in-order queues, the pipes `v m mte1 mte2 mte3 fix`; the
    pipes run beside each other, and only flags and barriers order them.

    Buffers are `tile.alloc`s with a byte `offset` in the spaces `l1 l0a l0b l0c
    ub`, and views of them by `tile.slot`; global memory is the memref arguments
    of `ascend.func`. An operand `%buffer[%offset]` names the element `offset`
    of the buffer, counted in elements from its start, whatever its rank is.

    | level | what it holds |
    |-------|---------------|
    | pipes | pipe instructions in program order, as if each was complete before the next; no flags |
    | flags | as well `set_flag`, `wait_flag`, `barrier`, `cross_set`, `cross_wait` (`--ascend-insert-flags`), proven by `--ascend-verify-flags` |

    Layouts are a matter of the instructions: L1 holds fractals of 16 rows by 32
    bytes column by column (NZ), L0A holds them row by row (ZZ), L0B holds them
    transposed (ZN), and L0C has fractals of 16 x 16 elements in NZ.
  }];
  let cppNamespace = "::tilepipe::ascend";
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::tilepipe::tile::TileDialect"
  ];
}

class Ascend_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ascend_Dialect, mnemonic, traits>;

#endif // TILEPIPE_DIALECT_ASCEND_IR_ASCENDDIALECT_TD
