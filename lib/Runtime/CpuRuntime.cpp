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
#include <cstdlib>
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

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

thread_local unsigned launchThreads = 1;

std::recursive_mutex atomicLock;

} // namespace

RunScope::RunScope(unsigned threads) : saved(launchThreads) {
  launchThreads = threads ? threads : ThreadPool::getNumProcessors();
}
RunScope::~RunScope() { launchThreads = saved; }

static void launch(BlockFunction block, void *context, int64_t x, int64_t y,
                   int64_t z) {
  if (x <= 0 || y <= 0 || z <= 0)
    return;
  auto runBlock = [=](int64_t number) {
    block(context, number % x, number / x % y, number / (x * y));
  };
  int64_t count = x * y * z;
  if (launchThreads <= 1 || count == 1) {
    for (int64_t number = 0; number < count; ++number)
      runBlock(number);
    return;
  }
  ThreadPool::get().run(count, launchThreads, runBlock);
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
static void tilepipe_rt_lock() { atomicLock.lock(); }
static void tilepipe_rt_unlock() { atomicLock.unlock(); }
static uint16_t tilepipe_rt_double_to_half(double value) {
  return roundDouble(value, llvm::APFloat::IEEEhalf());
}
static uint16_t tilepipe_rt_double_to_bfloat(double value) {
  return roundDouble(value, llvm::APFloat::BFloat());
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
      TILEPIPE_SYMBOL(tilepipe_rt_lock),
      TILEPIPE_SYMBOL(tilepipe_rt_unlock),
      TILEPIPE_SYMBOL(tilepipe_rt_double_to_half),
      TILEPIPE_SYMBOL(tilepipe_rt_double_to_bfloat),
  };
#undef TILEPIPE_SYMBOL
  return symbols;
}
