//===- AscendInterfaces.td - What runs on a pipe ------------- -*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_ASCEND_IR_ASCENDINTERFACES_TD
#define TILEPIPE_DIALECT_ASCEND_IR_ASCENDINTERFACES_TD

include "mlir/IR/OpBase.td"

def PipeOpInterface : OpInterface<"PipeOpInterface"> {
  let description = [{
    An instruction that a pipe executes, and what it reads and writes. Flags,
    barriers and special registers are not instructions in this sense.
  }];
  let cppNamespace = "::tilepipe::ascend";
  let methods = [
    InterfaceMethod<"The queue that executes the operation.",
      "::tilepipe::ascend::Pipe", "getPipe", (ins)>,
    InterfaceMethod<[{
      Append what the operation reads and writes. `evaluate` says what an index
      operand is, as far as the caller knows.
    }], "void", "getPipeAccesses",
    (ins "::tilepipe::ascend::IndexEvaluator":$evaluate,
         "::llvm::SmallVectorImpl<::tilepipe::ascend::PipeAccess> &":$accesses)>
  ];
}

#endif // TILEPIPE_DIALECT_ASCEND_IR_ASCENDINTERFACES_TD
