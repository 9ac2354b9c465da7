//===- ThreadPool.cpp - Threads that run the blocks of a launch -----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Runtime/ThreadPool.h"

#include <algorithm>
#include <atomic>

using namespace tilepipe::runtime;

/// One call of `run`. `seats` is how many more workers may join.
struct ThreadPool::Job {
  const std::function<void(int64_t)> &task;
  int64_t count;
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> unfinished;
  unsigned seats;
  std::mutex mutex;
  std::condition_variable done;

  Job(const std::function<void(int64_t)> &task, int64_t count, unsigned seats)
      : task(task), count(count), unfinished(count), seats(seats) {}

  void help() {
    for (int64_t i; (i = next.fetch_add(1)) < count;) {
      task(i);
      if (unfinished.fetch_sub(1) == 1) {
        std::lock_guard<std::mutex> lock(mutex);
        done.notify_all();
      }
    }
  }
};

ThreadPool &ThreadPool::get() {
  static ThreadPool pool;
  return pool;
}

unsigned ThreadPool::getNumProcessors() {
  return std::max(1u, std::thread::hardware_concurrency());
}

void ThreadPool::run(int64_t count, unsigned threads,
                     const std::function<void(int64_t)> &task) {
  constexpr unsigned maxThreads = 256;
  unsigned helpers =
      unsigned(std::min<int64_t>(std::min(threads, maxThreads), count)) - 1;
  auto job = std::make_shared<Job>(task, count, helpers);
  {
    std::lock_guard<std::mutex> lock(mutex);
    while (workers.size() < helpers)
      workers.emplace_back([this] { work(); });
    jobs.push_back(job);
  }
  wake.notify_all();
  job->help();
  {
    std::unique_lock<std::mutex> lock(job->mutex);
    job->done.wait(lock, [&] { return job->unfinished.load() == 0; });
  }
  std::lock_guard<std::mutex> lock(mutex);
  jobs.erase(std::remove(jobs.begin(), jobs.end(), job), jobs.end());
}

void ThreadPool::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    auto open = std::find_if(jobs.begin(), jobs.end(), [](const auto &job) {
      return job->seats > 0 && job->next.load() < job->count;
    });
    if (open != jobs.end()) {
      std::shared_ptr<Job> job = *open;
      --job->seats;
      lock.unlock();
      job->help();
      lock.lock();
      continue;
    }
    if (stopping)
      return;
    wake.wait(lock);
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}
