//===- FatalErrors.h - Survive LLVM's fatal errors --------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_FATALERRORS_H
#define TILEPIPE_LIB_TARGET_NVIDIA_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace tilepipe::nvidia {

/// Runs `work` on a thread of its own. False where LLVM reported a fatal error,
/// which `message` then holds; the objects of `work` are then in an unknown
/// state and must be leaked, not destroyed.
bool runContained(llvm::function_ref<void()> work, std::string &message);

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_FATALERRORS_H
