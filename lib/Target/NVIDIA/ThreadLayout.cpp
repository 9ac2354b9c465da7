//===- ThreadLayout.cpp - Which thread holds which element ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadLayout.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace llvm;
using namespace tilepipe::nvidia;

static constexpr unsigned kLaneBits = 5;

/// The number of thread bits that distribute elements: threads beyond the
/// largest power of two repeat the first ones.
static unsigned getThreadBits(int64_t numThreads) {
  return Log2_64(numThreads);
}

ThreadLayout ThreadLayout::getBlocked(ArrayRef<int64_t> shape,
                                      int64_t numThreads, int64_t vector) {
  int64_t rank = shape.size();
  unsigned threadBits = getThreadBits(numThreads);
  unsigned laneBits = std::min(threadBits, kLaneBits);
  SmallVector<unsigned> bits, done(rank, 0);
  unsigned total = 0;
  for (int64_t extent : shape) {
    bits.push_back(Log2_64_Ceil(std::max<int64_t>(extent, 1)));
    total += bits.back();
  }
  ThreadLayout layout;
  layout.rank = rank;
  auto take = [&](SmallVector<LayoutBasis> &to, int64_t dim) {
    to.push_back({dim, int64_t(1) << done[dim]++});
  };
  if (rank) {
    unsigned vectorBits = std::min<unsigned>(Log2_64(vector), bits.back());
    unsigned spare = total > threadBits ? total - threadBits : 0;
    for (unsigned i = 0, e = std::min(vectorBits, spare); i < e; ++i)
      take(layout.registers, rank - 1);
  }
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    while (done[dim] < bits[dim] && layout.threads.size() < laneBits)
      take(layout.threads, dim);
  layout.threads.resize(laneBits);
  // Rows to warps: then a reduction of a row stays within a warp.
  for (int64_t dim = 0; dim < rank; ++dim)
    while (done[dim] < bits[dim] && layout.threads.size() < threadBits)
      take(layout.threads, dim);
  layout.threads.resize(threadBits);
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    while (done[dim] < bits[dim])
      take(layout.registers, dim);
  return layout;
}

ThreadLayout ThreadLayout::getMma(int64_t m, int64_t n, int64_t numThreads,
                                  int64_t warpsM, int64_t warpsN) {
  ThreadLayout layout;
  layout.rank = 2;
  layout.registers = {{1, 1}, {0, 8}, {1, 8}};
  for (int64_t block = warpsN; 16 * block < n; block *= 2)
    layout.registers.push_back({1, 16 * block});
  for (int64_t block = warpsM; 16 * block < m; block *= 2)
    layout.registers.push_back({0, 16 * block});
  layout.threads = {{1, 2}, {1, 4}, {0, 1}, {0, 2}, {0, 4}};
  for (int64_t block = 1; block < warpsN; block *= 2)
    layout.threads.push_back({1, 16 * block});
  for (int64_t block = 1; block < warpsM; block *= 2)
    layout.threads.push_back({0, 16 * block});
  layout.threads.resize(getThreadBits(numThreads));
  return layout;
}

SmallVector<int64_t> ThreadLayout::getOffset(int64_t number) const {
  SmallVector<int64_t> offset(rank, 0);
  for (auto [bit, basis] : enumerate(registers))
    if (number >> bit & 1)
      offset[basis.dim] += basis.step;
  return offset;
}

int64_t ThreadLayout::getRegister(ArrayRef<int64_t> offset) const {
  int64_t number = 0;
  for (auto [bit, basis] : enumerate(registers))
    if (offset[basis.dim] & basis.step)
      number |= int64_t(1) << bit;
  return number;
}

int64_t ThreadLayout::getExtent(int64_t dim) const {
  int64_t last = getMaxThreadCoordinate(dim);
  for (const LayoutBasis &basis : registers)
    if (basis.dim == dim)
      last += basis.step;
  return last + 1;
}

int64_t ThreadLayout::getMaxThreadCoordinate(int64_t dim) const {
  int64_t result = 0;
  for (const LayoutBasis &basis : threads)
    if (basis.step && basis.dim == dim)
      result += basis.step;
  return result;
}

int64_t ThreadLayout::getContiguity() const {
  int64_t result = 1;
  for (const LayoutBasis &basis : registers) {
    if (basis.dim != rank - 1 || basis.step != result)
      break;
    result *= 2;
  }
  return result;
}

int64_t ThreadLayout::getReplicatedThreadMask(int64_t numThreads) const {
  int64_t mask = 0;
  for (auto [bit, basis] : enumerate(threads))
    if (!basis.step)
      mask |= int64_t(1) << bit;
  for (unsigned bit = threads.size(); (int64_t(1) << bit) < numThreads; ++bit)
    mask |= int64_t(1) << bit;
  return mask;
}

ThreadLayout ThreadLayout::project(ArrayRef<int64_t> dims) const {
  ThreadLayout result;
  result.rank = dims.size();
  auto map = [&](const LayoutBasis &basis) {
    const auto *place = basis.step ? llvm::find(dims, basis.dim) : dims.end();
    if (place == dims.end())
      return LayoutBasis{};
    return LayoutBasis{place - dims.begin(), basis.step};
  };
  for (const LayoutBasis &basis : registers)
    if (LayoutBasis mapped = map(basis); mapped.step)
      result.registers.push_back(mapped);
  for (const LayoutBasis &basis : threads)
    result.threads.push_back(map(basis));
  return result;
}

ThreadLayout ThreadLayout::widen(int64_t width) const {
  ThreadLayout result;
  result.rank = rank;
  auto map = [&](const LayoutBasis &basis) {
    int64_t by = basis.dim == rank - 1 ? width : 1;
    return LayoutBasis{basis.dim, basis.step * by};
  };
  for (int64_t step = 1; step < width; step *= 2)
    result.registers.push_back({rank - 1, step});
  for (const LayoutBasis &basis : registers)
    result.registers.push_back(map(basis));
  for (const LayoutBasis &basis : threads)
    result.threads.push_back(map(basis));
  return result;
}

std::string ThreadLayout::str() const {
  std::string text;
  raw_string_ostream os(text);
  auto print = [&](ArrayRef<LayoutBasis> bases) {
    os << '[';
    interleave(
        bases, os,
        [&](const LayoutBasis &basis) {
          if (basis.step)
            os << 'd' << basis.dim << ':';
          os << basis.step;
        },
        " ");
    os << ']';
  };
  os << "registers ";
  print(registers);
  os << " threads ";
  print(threads);
  return text;
}
