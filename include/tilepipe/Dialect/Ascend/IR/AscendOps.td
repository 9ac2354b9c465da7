//===- AscendOps.td - Operations of the ascend dialect ------- -*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_ASCEND_IR_ASCENDOPS_TD
#define TILEPIPE_DIALECT_ASCEND_IR_ASCENDOPS_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilepipe/Dialect/Ascend/IR/AscendAttrs.td"
include "tilepipe/Dialect/Ascend/IR/AscendDialect.td"
include "tilepipe/Dialect/Ascend/IR/AscendInterfaces.td"

include "tilepipe/Dialect/Ascend/IR/AscendStructureOps.td"
include "tilepipe/Dialect/Ascend/IR/AscendCopyOps.td"
include "tilepipe/Dialect/Ascend/IR/AscendVectorOps.td"
include "tilepipe/Dialect/Ascend/IR/AscendSyncOps.td"

#endif // TILEPIPE_DIALECT_ASCEND_IR_ASCENDOPS_TD
