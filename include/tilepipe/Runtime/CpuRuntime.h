//===- CpuRuntime.h - What compiled kernels call ----------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C ABI between code of `tile-to-cpu` and this process. Names start with
// `tilepipe_rt_`; a compiled kernel finds them through `getRuntimeSymbols`, not
// through the dynamic linker.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_RUNTIME_CPURUNTIME_H
#define TILEPIPE_RUNTIME_CPURUNTIME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <utility>

namespace tilepipe::runtime {

/// One block of a launch: context and coordinates.
using BlockFunction = void (*)(void *, int64_t, int64_t, int64_t);

/// Name and address of each function that compiled code may call.
llvm::ArrayRef<std::pair<llvm::StringRef, void *>> getRuntimeSymbols();

/// How the launches that this thread makes are run, for the lifetime of the
/// object.
class RunScope {
public:
  /// `threads` counts the caller; 0 means one for each processor.
  explicit RunScope(unsigned threads);
  ~RunScope();
  RunScope(const RunScope &) = delete;
  RunScope &operator=(const RunScope &) = delete;

private:
  unsigned saved;
};

} // namespace tilepipe::runtime

#endif // TILEPIPE_RUNTIME_CPURUNTIME_H
