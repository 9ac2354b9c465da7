//===- Report.h - What a run found, as JSON -------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_CCE_REPORT_H
#define TILEPIPE_LIB_EMULATOR_CCE_REPORT_H

#include "Machine.h"

namespace tilepipe::cce {

std::string toJson(const Machine &machine);
/// One issue and nothing else.
std::string failureReport(const char *kind, const std::string &message);
/// After a fault in the kernel's own code.
std::string crashReport(const Machine &machine, int signal);

} // namespace tilepipe::cce

#endif // TILEPIPE_LIB_EMULATOR_CCE_REPORT_H
