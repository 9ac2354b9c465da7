//===- ThreadPool.h - Threads that run the blocks of a launch ---*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_RUNTIME_THREADPOOL_H
#define TILEPIPE_RUNTIME_THREADPOOL_H

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tilepipe::runtime {

/// Workers that live as long as the process and sleep between launches.
class ThreadPool {
public:
  /// The pool of the process.
  static ThreadPool &get();
  static unsigned getNumProcessors();

  /// Runs `task(i)` for `i` in `[0, count)` on at most `threads` threads, the
  /// caller among them, and returns when all are done. Several threads may ask
  /// at once; a task may ask again.
  void run(int64_t count, unsigned threads,
           const std::function<void(int64_t)> &task);

  ~ThreadPool();

private:
  struct Job;
  void work();

  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::thread> workers;
  std::vector<std::shared_ptr<Job>> jobs;
  bool stopping = false;
};

} // namespace tilepipe::runtime

#endif // TILEPIPE_RUNTIME_THREADPOOL_H
