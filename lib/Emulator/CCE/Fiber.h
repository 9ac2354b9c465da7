//===- Fiber.h - The scalar stream's own stack ----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_CCE_FIBER_H
#define TILEPIPE_LIB_EMULATOR_CCE_FIBER_H

#include "Machine.h"

#include <ucontext.h>

namespace tilepipe::cce {

/// A kernel's body may wait for data that pipes produce, so it runs between
/// them and not before them.
struct Fiber {
  Fiber();
  ~Fiber();
  ucontext_t own, scheduler;
  void *stack;
};

} // namespace tilepipe::cce

#endif // TILEPIPE_LIB_EMULATOR_CCE_FIBER_H
