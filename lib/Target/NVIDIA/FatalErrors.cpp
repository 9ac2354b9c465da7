//===- FatalErrors.cpp - Survive LLVM's fatal errors ----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `report_fatal_error` calls the handler of the process and then ends it. Ours
// leaves by longjmp where the thread is one of ours, and returns otherwise, so
// that everybody else's fatal errors stay fatal. LLVM has no exceptions to
// throw through; CrashRecoveryContext does the same, but takes over the signals
// of the process, which belong to Python.
//
// A thread of its own: what LLVM keeps per thread (the stack of
// pretty-printers) ends with it, and the stack is as large as we want.
//
//===----------------------------------------------------------------------===//

#include "FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"
#include <csetjmp>
#include <mutex>

namespace {
struct Escape {
  std::jmp_buf target;
  std::string *message;
};
} // namespace

static thread_local Escape *currentEscape = nullptr;

static void handleFatalError(void *, const char *reason, bool) {
  Escape *escape = currentEscape;
  if (!escape) {
    // LLVM prints nothing where a handler is installed; it ends the process.
    llvm::errs() << "LLVM ERROR: " << reason << "\n";
    return;
  }
  *escape->message = reason;
  currentEscape = nullptr;
  std::longjmp(escape->target, 1);
}

bool tilepipe::nvidia::runContained(llvm::function_ref<void()> work,
                                    std::string &message) {
  static std::once_flag once;
  std::call_once(once,
                 [] { llvm::install_fatal_error_handler(&handleFatalError); });
  // Written after setjmp and read after longjmp: must be in memory.
  volatile bool completed = false;
  auto body = [&] {
    Escape escape;
    escape.message = &message;
    if (setjmp(escape.target) != 0)
      return;
    currentEscape = &escape;
    work();
    currentEscape = nullptr;
    completed = true;
  };
  std::optional<unsigned> stackBytes = 16u << 20;
  llvm::thread thread(stackBytes, body);
  thread.join();
  return completed;
}
