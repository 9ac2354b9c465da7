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
// Regions are passed as arrays of 64-bit words. A copy of rank r: r sizes, then
// for each dimension of the source, and then of the target, that the region
// runs over: offset, extent and stride (in elements) of the memref. An access
// of rank r: offset, size, extent and stride for each dimension.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_RUNTIME_CPURUNTIME_H
#define TILEPIPE_RUNTIME_CPURUNTIME_H

#include "tilepipe/Runtime/AsyncEngine.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tilepipe::runtime {

/// Name and address of each function that compiled code may call.
llvm::ArrayRef<std::pair<llvm::StringRef, void *>> getRuntimeSymbols();

/// How a compiled function runs.
struct RunSettings {
  /// Threads that run the blocks of a launch, the caller among them; 0 means
  /// one for each processor.
  unsigned threads = 1;
  /// When asynchronous copies move their data.
  CompletionPolicy policy = CompletionPolicy::Eager;
  uint64_t seed = 0;
};

/// Settings of the launches that this thread makes, for the lifetime of the
/// object, and what went wrong in them.
class RunScope {
public:
  explicit RunScope(const RunSettings &settings);
  ~RunScope();
  RunScope(const RunScope &) = delete;
  RunScope &operator=(const RunScope &) = delete;

  /// Runs compiled code. An assertion that does not hold outside of launches
  /// ends it; one in a block ends the block, and others go on.
  void call(llvm::function_ref<void()> function);

  /// Ends the run: broken rules of asynchronous copies, the first ones only.
  std::vector<std::string> takeFindings();

  const RunSettings &getSettings() const { return settings; }
  /// `origin` is two strings, one after the other: a location, and what is
  /// there.
  void report(const char *origin, const Finding &finding);
  /// An assertion of the kernel that does not hold; `origin` as above.
  void reportAssertion(const char *origin);
  /// The same of an index that is out of range.
  void reportIndex(const char *origin, int64_t index);

private:
  void add(std::string text);

  RunSettings settings;
  RunScope *saved;
  AsyncEngine *savedEngine;
  AsyncEngine engine;
  std::mutex mutex;
  std::vector<std::string> findings;
};

} // namespace tilepipe::runtime

#endif // TILEPIPE_RUNTIME_CPURUNTIME_H
