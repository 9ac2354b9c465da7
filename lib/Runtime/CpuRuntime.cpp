//===- CpuRuntime.cpp - What compiled kernels call ------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Runtime/CpuRuntime.h"

#include "tilepipe/Runtime/ThreadPool.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

using namespace tilepipe::runtime;

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

namespace {

/// A stack of buffers on the heap, one for each thread. Chunks are kept, so
/// that the blocks of a launch reuse warm memory.
class FrameStack {
public:
  void *push(int64_t bytes) {
    size_t size = llvm::alignTo(std::max<uint64_t>(bytes, 1), alignment);
    while (current < chunks.size() &&
           chunks[current].used + size > chunks[current].size) {
      if (chunks[current].used == 0) // too small for anything: replace it
        chunks.erase(chunks.begin() + current);
      else
        ++current;
    }
    if (current == chunks.size()) {
      size_t chunkSize = std::max(size, minChunk);
      chunks.push_back(
          {std::unique_ptr<char, void (*)(void *)>(
               static_cast<char *>(std::aligned_alloc(
                   alignment, llvm::alignTo(chunkSize, alignment))),
               std::free),
           chunkSize, 0});
    }
    Chunk &chunk = chunks[current];
    char *result = chunk.memory.get() + chunk.used;
    chunk.used += size;
    frames.push_back({result, current});
    return result;
  }

  size_t depth() const { return frames.size(); }
  /// Frees all frames but the first `depth`.
  void cut(size_t depth) {
    if (frames.size() > depth)
      pop(frames[depth].begin);
  }

  /// Frees `frame` and all that came after it.
  void pop(void *frame) {
    while (!frames.empty()) {
      Frame top = frames.back();
      frames.pop_back();
      Chunk &chunk = chunks[top.chunk];
      chunk.used = top.begin - chunk.memory.get();
      current = top.chunk;
      if (top.begin == frame)
        return;
    }
  }

private:
  static constexpr size_t alignment = 64, minChunk = 1 << 20;
  struct Chunk {
    std::unique_ptr<char, void (*)(void *)> memory;
    size_t size, used;
  };
  struct Frame {
    char *begin;
    size_t chunk;
  };
  std::vector<Chunk> chunks;
  std::vector<Frame> frames;
  size_t current = 0;
};

thread_local FrameStack frames;

/// The run that this thread works for, and the engine of its present block.
thread_local RunScope *currentRun = nullptr;
thread_local AsyncEngine *currentEngine = nullptr;

/// Where this thread goes on when an assertion does not hold.
thread_local std::jmp_buf *currentStop = nullptr;

std::recursive_mutex atomicLock;

} // namespace

//===----------------------------------------------------------------------===//
// Runs and launches
//===----------------------------------------------------------------------===//

RunScope::RunScope(const RunSettings &settings)
    : settings(settings), saved(currentRun), savedEngine(currentEngine),
      engine(settings.policy, settings.seed) {
  if (settings.threads == 0)
    this->settings.threads = ThreadPool::getNumProcessors();
  currentRun = this;
  currentEngine = &engine;
}

RunScope::~RunScope() {
  currentRun = saved;
  currentEngine = savedEngine;
}

/// An origin is two strings, one after the other: where, and what.
static std::string describe(const char *origin, const char *severity) {
  llvm::StringRef where(origin);
  return (where + ": " + severity + ": " + (where.end() + 1)).str();
}

void RunScope::report(const char *origin, const Finding &finding) {
  std::string text = describe(origin, "error") + ' ' + finding.message;
  if (finding.other)
    text += '\n' + describe(static_cast<const char *>(finding.other), "note") +
            " is " + finding.otherMessage;
  add(std::move(text));
}

void RunScope::reportAssertion(const char *origin) {
  add(describe(origin, "error"));
}

void RunScope::reportIndex(const char *origin, int64_t index) {
  llvm::StringRef where(origin), what(where.end() + 1);
  what.consume_front("index");
  add((where + ": error: index " + llvm::Twine(index) + what).str());
}

void RunScope::add(std::string text) {
  constexpr size_t maxFindings = 16;
  std::lock_guard<std::mutex> lock(mutex);
  if (findings.size() < maxFindings &&
      std::find(findings.begin(), findings.end(), text) == findings.end())
    findings.push_back(std::move(text));
}

std::vector<std::string> RunScope::takeFindings() {
  if (std::optional<Finding> finding = engine.checkEnd())
    report("end\0the function", *finding);
  engine.reset();
  return std::move(findings);
}

/// Calls `function`; false where an assertion in it did not hold, which is as
/// far as it came.
static bool runToEnd(llvm::function_ref<void()> function) {
  std::jmp_buf *saved = currentStop;
  size_t depth = frames.depth();
  std::jmp_buf stop;
  currentStop = &stop;
  if (setjmp(stop) == 0) {
    function();
    currentStop = saved;
    return true;
  }
  frames.cut(depth);
  currentStop = saved;
  return false;
}

void RunScope::call(llvm::function_ref<void()> function) {
  if (!runToEnd(function))
    engine.reset();
}

/// One block of a launch: context and coordinates.
using BlockFunction = void (*)(void *, int64_t, int64_t, int64_t);

static void launch(BlockFunction block, void *context, int64_t x, int64_t y,
                   int64_t z) {
  if (x <= 0 || y <= 0 || z <= 0)
    return;
  RunScope *run = currentRun;
  RunSettings settings = run ? run->getSettings() : RunSettings();
  auto runBlock = [=](int64_t number) {
    RunScope *savedRun = currentRun;
    AsyncEngine *savedEngine = currentEngine;
    // Blocks do not see each other's copies.
    AsyncEngine engine(settings.policy, settings.seed + uint64_t(number));
    currentRun = run;
    currentEngine = &engine;
    bool reachedEnd = runToEnd([&] {
      block(context, number % x, number / x % y, number / (x * y));
    });
    // A block that an assertion stopped leaves copies behind.
    if (reachedEnd)
      if (std::optional<Finding> finding = engine.checkEnd(); finding && run)
        run->report("end\0the block", *finding);
    currentRun = savedRun;
    currentEngine = savedEngine;
  };
  int64_t count = x * y * z;
  if (settings.threads <= 1 || count == 1) {
    for (int64_t number = 0; number < count; ++number)
      runBlock(number);
    return;
  }
  ThreadPool::get().run(count, settings.threads, runBlock);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

namespace {
/// One side of a copy in one dimension of the region.
struct SideWords {
  int64_t offset, extent, stride;
};
struct AccessWords {
  int64_t offset, size, extent, stride;
};
} // namespace

/// What a copy touches, clipped to both sides.
static CopyRequest makeRequest(char *source, char *target, const int64_t *sizes,
                               int64_t rank, bool sourceOk, bool targetOk,
                               int64_t sourceBytes, int64_t targetBytes) {
  auto *sides = reinterpret_cast<const SideWords *>(sizes + rank);
  CopyRequest request;
  request.target.elementBytes = targetBytes;
  intptr_t from = reinterpret_cast<intptr_t>(source);
  for (int64_t i = 0; i < rank; ++i) {
    const SideWords &s = sides[i], &t = sides[rank + i];
    int64_t begin = std::max<int64_t>(0, -t.offset);
    int64_t end = std::min(sizes[i], t.extent - t.offset);
    int64_t size = targetOk ? std::max<int64_t>(end - begin, 0) : 0;
    request.target.sizes.push_back(size);
    request.target.strides.push_back(t.stride * targetBytes);
    target += (t.offset + begin) * t.stride * targetBytes;
    // In the source, element 0 of the clipped region is at this offset.
    int64_t first = s.offset + begin;
    request.sourceStrides.push_back(s.stride * sourceBytes);
    from += first * s.stride * sourceBytes;
    request.validBegin.push_back(std::max<int64_t>(0, -first));
    request.validEnd.push_back(sourceOk ? std::min(size, s.extent - first) : 0);
  }
  if (rank == 0 && !(sourceOk && targetOk)) {
    // A region of rank 0 has no bound to clip: one dimension of extent 1 or 0.
    request.target.sizes.push_back(targetOk);
    request.target.strides.push_back(targetBytes);
    request.sourceStrides.push_back(sourceBytes);
    request.validBegin.push_back(0);
    request.validEnd.push_back(sourceOk);
  }
  request.target.base = target;
  request.source = from;
  return request;
}

static void reportIf(const std::optional<Finding> &finding,
                     const char *origin) {
  if (finding && currentRun)
    currentRun->report(origin, *finding);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static uint16_t roundDouble(double value, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return uint16_t(number.bitcastToAPInt().getZExtValue());
}

//===----------------------------------------------------------------------===//
// The C ABI
//===----------------------------------------------------------------------===//

extern "C" {
static void *tilepipe_rt_frame_push(int64_t bytes) {
  return frames.push(bytes);
}
static void tilepipe_rt_frame_pop(void *frame) { frames.pop(frame); }
static void tilepipe_rt_launch(BlockFunction block, void *context, int64_t x,
                               int64_t y, int64_t z) {
  launch(block, context, x, y, z);
}
static int64_t tilepipe_rt_async_copy(char *source, char *target,
                                      const int64_t *words, int64_t rank,
                                      int64_t sourceOk, int64_t targetOk,
                                      const char *fill, const char *origin,
                                      int64_t bytes, int64_t poison) {
  CopyRequest request = makeRequest(source, target, words, rank, sourceOk,
                                    targetOk, bytes, bytes);
  std::memcpy(request.fill, fill, bytes);
  request.poison = static_cast<unsigned char>(poison);
  request.origin = origin;
  std::optional<Finding> finding;
  int64_t token = currentEngine->issue(std::move(request), finding);
  reportIf(finding, origin);
  return token;
}
static int64_t tilepipe_rt_async_commit(const int64_t *tokens, int64_t count,
                                        const char *origin) {
  std::optional<Finding> finding;
  int64_t group = currentEngine->commit({tokens, size_t(count)}, finding);
  reportIf(finding, origin);
  return group;
}
static void tilepipe_rt_async_wait(const int64_t *tokens, int64_t count,
                                   int64_t pending, const char *origin) {
  std::optional<Finding> finding;
  currentEngine->wait({tokens, size_t(count)}, pending, finding);
  reportIf(finding, origin);
}
static void tilepipe_rt_check_bytes(const char *begin, int64_t bytes,
                                    int64_t isWrite, const char *origin) {
  if (!currentEngine->idle())
    reportIf(currentEngine->checkAccess(begin, begin + bytes, isWrite), origin);
}
static void tilepipe_rt_check_region(char *base, const int64_t *words,
                                     int64_t rank, int64_t bytes,
                                     int64_t isWrite, const char *origin) {
  if (currentEngine->idle())
    return;
  MemoryBox box;
  box.elementBytes = bytes;
  auto *dims = reinterpret_cast<const AccessWords *>(words);
  for (const AccessWords &dim : llvm::ArrayRef(dims, rank)) {
    int64_t begin = std::max<int64_t>(dim.offset, 0);
    int64_t end = std::min(dim.offset + dim.size, dim.extent);
    box.sizes.push_back(std::max<int64_t>(end - begin, 0));
    box.strides.push_back(dim.stride * bytes);
    base += begin * dim.stride * bytes;
  }
  box.base = base;
  reportIf(currentEngine->checkAccess(box, isWrite), origin);
}
static void tilepipe_rt_check_copy(char *source, char *target,
                                   const int64_t *words, int64_t rank,
                                   int64_t sourceOk, int64_t targetOk,
                                   const char *fill, const char *origin,
                                   int64_t sourceBytes, int64_t targetBytes) {
  if (currentEngine->idle())
    return;
  CopyRequest request = makeRequest(source, target, words, rank, sourceOk,
                                    targetOk, sourceBytes, targetBytes);
  MemoryBox box = request.getSourceBox();
  box.elementBytes = sourceBytes;
  reportIf(currentEngine->checkAccess(box, /*isWrite=*/false), origin);
  reportIf(currentEngine->checkAccess(request.target, /*isWrite=*/true),
           origin);
}
/// Ends the block.
static void stopBlock() {
  // Nothing between here and there has a destructor: compiled code keeps its
  // buffers in frames.
  if (currentStop)
    std::longjmp(*currentStop, 1);
}
static void tilepipe_rt_assert(const char *origin) {
  if (currentRun)
    currentRun->reportAssertion(origin);
  stopBlock();
}
/// The text starts with "index", and this is the one.
static void tilepipe_rt_assert_index(const char *origin, int64_t index) {
  if (currentRun)
    currentRun->reportIndex(origin, index);
  stopBlock();
}
static void tilepipe_rt_lock() { atomicLock.lock(); }
static void tilepipe_rt_unlock() { atomicLock.unlock(); }
static uint16_t tilepipe_rt_double_to_half(double value) {
  return roundDouble(value, llvm::APFloat::IEEEhalf());
}
static uint16_t tilepipe_rt_double_to_bfloat(double value) {
  return roundDouble(value, llvm::APFloat::BFloat());
}
static uint16_t tilepipe_rt_double_to_e4m3(double value) {
  return roundDouble(value, llvm::APFloat::Float8E4M3FN());
}
static uint16_t tilepipe_rt_double_to_e5m2(double value) {
  return roundDouble(value, llvm::APFloat::Float8E5M2());
}
}

llvm::ArrayRef<std::pair<llvm::StringRef, void *>>
tilepipe::runtime::getRuntimeSymbols() {
#define TILEPIPE_SYMBOL(name)                                                  \
  {                                                                            \
    #name, reinterpret_cast<void *>(&name)                                     \
  }
  static const std::pair<llvm::StringRef, void *> symbols[] = {
      TILEPIPE_SYMBOL(tilepipe_rt_frame_push),
      TILEPIPE_SYMBOL(tilepipe_rt_frame_pop),
      TILEPIPE_SYMBOL(tilepipe_rt_launch),
      TILEPIPE_SYMBOL(tilepipe_rt_async_copy),
      TILEPIPE_SYMBOL(tilepipe_rt_async_commit),
      TILEPIPE_SYMBOL(tilepipe_rt_async_wait),
      TILEPIPE_SYMBOL(tilepipe_rt_assert),
      TILEPIPE_SYMBOL(tilepipe_rt_assert_index),
      TILEPIPE_SYMBOL(tilepipe_rt_check_bytes),
      TILEPIPE_SYMBOL(tilepipe_rt_check_region),
      TILEPIPE_SYMBOL(tilepipe_rt_check_copy),
      TILEPIPE_SYMBOL(tilepipe_rt_lock),
      TILEPIPE_SYMBOL(tilepipe_rt_unlock),
      TILEPIPE_SYMBOL(tilepipe_rt_double_to_half),
      TILEPIPE_SYMBOL(tilepipe_rt_double_to_bfloat),
      TILEPIPE_SYMBOL(tilepipe_rt_double_to_e4m3),
      TILEPIPE_SYMBOL(tilepipe_rt_double_to_e5m2),
  };
#undef TILEPIPE_SYMBOL
  return symbols;
}
