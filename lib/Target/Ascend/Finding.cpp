//===- Finding.cpp - What is wrong with flags, in words ---------------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipeModel.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

static std::string describeFlag(Operation *op) {
  auto name = [](Pipe from, Pipe to, int64_t id, bool slot) {
    return (stringifyPipe(from) + " to " + stringifyPipe(to) + ", id " +
            Twine(id) + (slot ? " and a slot" : ""))
        .str();
  };
  if (auto set = dyn_cast<SetFlagOp>(op))
    return name(set.getSource(), set.getTarget(), set.getId(),
                bool(set.getSlot()));
  auto wait = cast<WaitFlagOp>(op);
  return name(wait.getSource(), wait.getTarget(), wait.getId(),
              bool(wait.getSlot()));
}

InFlightDiagnostic ascend::emitFinding(const Finding &finding) {
  InFlightDiagnostic error = finding.op->emitOpError();
  StringRef note;
  switch (finding.kind) {
  case Finding::Race:
    error << "on pipe '" << stringifyPipe(finding.pipe) << "' accesses '"
          << tile::getBufferName(finding.buffer)
          << "' without order after pipe '" << stringifyPipe(finding.otherPipe)
          << "'";
    note = "the other access is here";
    break;
  case Finding::SamePipe:
    error << "accesses '" << tile::getBufferName(finding.buffer)
          << "' before an earlier write on the same pipe '"
          << stringifyPipe(finding.pipe)
          << "' is complete; a barrier is missing";
    note = "the write is here";
    break;
  case Finding::DoubleSet:
    error << finding.text << " (" << describeFlag(finding.op) << ")";
    note =
        isa<SetFlagOp>(finding.other) ? "it was set here" : "the wait is here";
    break;
  case Finding::NoSet:
    error << "waits for a flag that is not set (" << describeFlag(finding.op)
          << ")";
    note = "its last set was taken here";
    break;
  case Finding::Residual:
    error << "leaves its flag set at the end of the kernel ("
          << describeFlag(finding.op) << ")";
    break;
  case Finding::Unknown:
    error << finding.text;
    break;
  }
  if (finding.other)
    error.attachNote(finding.other->getLoc()) << note;
  return error;
}
