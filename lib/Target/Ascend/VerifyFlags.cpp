//===- VerifyFlags.cpp - Prove that flags order all accesses ----------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ownership.h"
#include "PipeModel.h"
#include "tilepipe/Target/Ascend/Passes.h"

namespace tilepipe::ascend {
#define GEN_PASS_DEF_ASCENDVERIFYFLAGS
#include "tilepipe/Target/Ascend/Passes.h.inc"
} // namespace tilepipe::ascend

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

namespace {
struct VerifyFlags : ascend::impl::AscendVerifyFlagsBase<VerifyFlags> {
  void runOnOperation() override {
    bool failedOnce = failed(verifyInstructionLimits(getOperation()));
    failedOnce |= failed(verifyCrossSignals(getOperation()));
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      PipeModel model(function);
      // One report for each pair of places, a few for each function.
      DenseSet<std::pair<Operation *, Operation *>> seen;
      model.run(ModelOptions(), [&](const Finding &finding) {
        if (seen.insert({finding.op, finding.other}).second)
          emitFinding(finding);
        failedOnce = true;
        return finding.kind <= Finding::SamePipe && seen.size() < 8;
      });
      numPaths += model.getNumPaths();
      if (!model.isComplete())
        function.emitRemark("loops run so long that flags are proven for the "
                            "first control paths only: ")
            << model.getNumPaths();
    }
    if (failedOnce)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
