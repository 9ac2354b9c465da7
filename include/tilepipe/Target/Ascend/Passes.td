//===- Passes.td - Passes of the Ascend target -------------*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_ASCEND_PASSES_TD
#define TILEPIPE_TARGET_ASCEND_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // TILEPIPE_TARGET_ASCEND_PASSES_TD
