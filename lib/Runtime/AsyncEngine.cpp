//===- AsyncEngine.cpp - Adversarial asynchronous copies
//--------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Runtime/AsyncEngine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstring>

using namespace tilepipe::runtime;
using llvm::ArrayRef;
using llvm::SmallVector;

llvm::StringRef tilepipe::runtime::stringify(CompletionPolicy policy) {
  switch (policy) {
  case CompletionPolicy::Eager:
    return "eager";
  case CompletionPolicy::Late:
    return "late";
  case CompletionPolicy::EarlyWriteLateRead:
    return "early-write-late-read";
  case CompletionPolicy::Random:
    return "random";
  }
  return "unknown";
}

std::optional<CompletionPolicy>
tilepipe::runtime::parseCompletionPolicy(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<CompletionPolicy>>(name)
      .Case("eager", CompletionPolicy::Eager)
      .Case("late", CompletionPolicy::Late)
      .Case("early-write-late-read", CompletionPolicy::EarlyWriteLateRead)
      .Case("random", CompletionPolicy::Random)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Calls `visit(index)` for each point of a box, innermost dimension excluded:
/// `index` holds 0 there. A box of rank 0 is one row.
template <typename VisitT>
static void forEachRow(ArrayRef<int64_t> sizes, VisitT visit) {
  for (int64_t size : sizes)
    if (size <= 0)
      return;
  SmallVector<int64_t, 4> index(sizes.size(), 0);
  while (true) {
    visit(ArrayRef<int64_t>(index));
    int64_t dim = int64_t(sizes.size()) - 2;
    for (; dim >= 0; --dim) {
      if (++index[dim] < sizes[dim])
        break;
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

static int64_t dot(ArrayRef<int64_t> index, ArrayRef<int64_t> strides) {
  int64_t sum = 0;
  for (size_t i = 0; i < index.size(); ++i)
    sum += index[i] * strides[i];
  return sum;
}

bool MemoryBox::empty() const {
  return llvm::any_of(sizes, [](int64_t size) { return size <= 0; });
}

std::pair<const char *, const char *> MemoryBox::getBounds() const {
  if (empty())
    return {base, base};
  const char *begin = base, *end = base + elementBytes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t reach = (sizes[i] - 1) * strides[i];
    (reach < 0 ? begin : end) += reach;
  }
  return {begin, end};
}

bool MemoryBox::overlaps(const char *begin, const char *end) const {
  auto [low, high] = getBounds();
  if (begin >= high || end <= low)
    return false;
  bool hit = false;
  int64_t inner = sizes.empty() ? 1 : sizes.back();
  int64_t stride = sizes.empty() ? elementBytes : strides.back();
  forEachRow(sizes, [&](ArrayRef<int64_t> index) {
    if (hit)
      return;
    const char *row = base + dot(index, strides);
    if (stride == int64_t(elementBytes)) {
      hit = row < end && row + inner * stride > begin;
      return;
    }
    for (int64_t i = 0; i < inner && !hit; ++i)
      hit = row + i * stride < end && row + i * stride + elementBytes > begin;
  });
  return hit;
}

bool CopyRequest::hasSource() const {
  for (size_t i = 0; i < validBegin.size(); ++i)
    if (validBegin[i] >= validEnd[i])
      return false;
  return !target.empty();
}

MemoryBox CopyRequest::getSourceBox() const {
  MemoryBox box;
  box.elementBytes = target.elementBytes;
  box.strides = sourceStrides;
  for (size_t i = 0; i < validBegin.size(); ++i)
    box.sizes.push_back(hasSource() ? validEnd[i] - validBegin[i] : 0);
  box.base = reinterpret_cast<char *>(source + dot(validBegin, sourceStrides));
  if (!hasSource())
    box.sizes.assign(1, 0), box.strides.assign(1, 0);
  return box;
}

/// Copies the elements of a box between two strided places.
static void moveBox(ArrayRef<int64_t> sizes, const char *from,
                    ArrayRef<int64_t> fromStrides, char *to,
                    ArrayRef<int64_t> toStrides, unsigned bytes) {
  int64_t inner = sizes.empty() ? 1 : sizes.back();
  int64_t fromStep = sizes.empty() ? bytes : fromStrides.back();
  int64_t toStep = sizes.empty() ? bytes : toStrides.back();
  forEachRow(sizes, [&](ArrayRef<int64_t> index) {
    const char *source = from + dot(index, fromStrides);
    char *target = to + dot(index, toStrides);
    if (fromStep == int64_t(bytes) && toStep == int64_t(bytes)) {
      std::memmove(target, source, inner * bytes);
      return;
    }
    for (int64_t i = 0; i < inner; ++i)
      std::memmove(target + i * toStep, source + i * fromStep, bytes);
  });
}

static void fillBox(const MemoryBox &box, const char *element) {
  static const int64_t zeros[16] = {};
  SmallVector<int64_t, 4> still(zeros, zeros + box.sizes.size());
  if (box.sizes.size() > 16)
    still.assign(box.sizes.size(), 0);
  moveBox(box.sizes, element, still, box.base, box.strides, box.elementBytes);
}

static SmallVector<int64_t, 4> getDenseStrides(ArrayRef<int64_t> sizes,
                                               unsigned bytes) {
  SmallVector<int64_t, 4> strides(sizes.size());
  int64_t stride = bytes;
  for (size_t i = sizes.size(); i-- > 0; stride *= sizes[i])
    strides[i] = stride;
  return strides;
}

/// The part of the target that the source provides.
static char *getValidTarget(const CopyRequest &request) {
  return request.target.base + dot(request.validBegin, request.target.strides);
}

static bool coversTarget(const CopyRequest &request) {
  for (size_t i = 0; i < request.validBegin.size(); ++i)
    if (request.validBegin[i] > 0 ||
        request.validEnd[i] < request.target.sizes[i])
      return false;
  return true;
}

void tilepipe::runtime::performCopy(const CopyRequest &request) {
  if (request.target.empty())
    return;
  if (!coversTarget(request))
    fillBox(request.target, request.fill);
  if (!request.hasSource())
    return;
  MemoryBox source = request.getSourceBox();
  moveBox(source.sizes, source.base, source.strides, getValidTarget(request),
          request.target.strides, source.elementBytes);
}

//===----------------------------------------------------------------------===//
// Copies in flight
//===----------------------------------------------------------------------===//

void AsyncEngine::reset() {
  copies.clear();
  lastCopy = lastGroup = 0;
  numWaits = 0;
  state = seed;
}

/// SplitMix64.
uint64_t AsyncEngine::random() {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

void AsyncEngine::read(InFlight &copy) {
  if (copy.wasRead)
    return;
  copy.wasRead = true;
  if (copy.source.empty())
    return;
  int64_t count = copy.source.elementBytes;
  for (int64_t size : copy.source.sizes)
    count *= size;
  copy.staged.resize(count);
  moveBox(copy.source.sizes, copy.source.base, copy.source.strides,
          copy.staged.data(),
          getDenseStrides(copy.source.sizes, copy.source.elementBytes),
          copy.source.elementBytes);
}

void AsyncEngine::write(InFlight &copy) {
  if (copy.wasWritten)
    return;
  copy.wasWritten = true;
  const CopyRequest &request = copy.request;
  if (request.target.empty())
    return;
  if (!coversTarget(request))
    fillBox(request.target, request.fill);
  if (copy.source.empty())
    return;
  moveBox(copy.source.sizes, copy.staged.data(),
          getDenseStrides(copy.source.sizes, copy.source.elementBytes),
          getValidTarget(request), request.target.strides,
          copy.source.elementBytes);
}

void AsyncEngine::retire(InFlight &copy) {
  read(copy);
  write(copy);
}

void AsyncEngine::retireUpTo(int64_t group) {
  // Copies lie in the order of their groups; those without are last.
  while (!copies.empty() && copies.front().group != 0 &&
         copies.front().group <= group) {
    retire(copies.front());
    copies.pop_front();
  }
}

void AsyncEngine::tick() {
  if (policy != CompletionPolicy::Random)
    return;
  for (InFlight &copy : copies) {
    if (copy.wasWritten)
      continue;
    uint64_t dice = random();
    if (dice % 4 == 0)
      read(copy);
    if (copy.wasRead && (dice >> 8) % 4 == 0)
      write(copy);
  }
}

std::optional<Finding> AsyncEngine::makeFinding(const InFlight &copy,
                                                bool isTarget,
                                                bool isWrite) const {
  Finding finding;
  finding.message =
      isTarget ? (isWrite ? "writes memory that an asynchronous copy is still "
                            "writing"
                          : "reads memory that an asynchronous copy is still "
                            "writing")
               : "writes memory that an asynchronous copy is still reading";
  finding.other = copy.request.origin;
  finding.otherMessage = copy.group ? "the copy, of group " +
                                          std::to_string(copy.group) + " of " +
                                          std::to_string(lastGroup) + " so far"
                                    : "the copy, not yet in a group";
  return finding;
}

std::optional<Finding> AsyncEngine::checkAccess(const char *begin,
                                                const char *end,
                                                bool isWrite) const {
  for (const InFlight &copy : copies) {
    if (begin < copy.targetBounds.second && end > copy.targetBounds.first &&
        copy.request.target.overlaps(begin, end))
      return makeFinding(copy, /*isTarget=*/true, isWrite);
    if (isWrite && begin < copy.sourceBounds.second &&
        end > copy.sourceBounds.first && copy.source.overlaps(begin, end))
      return makeFinding(copy, /*isTarget=*/false, isWrite);
  }
  return std::nullopt;
}

std::optional<Finding> AsyncEngine::checkAccess(const MemoryBox &box,
                                                bool isWrite) const {
  if (copies.empty() || box.empty())
    return std::nullopt;
  const char *low = box.getBounds().first, *high = box.getBounds().second;
  bool near = llvm::any_of(copies, [&](const InFlight &copy) {
    return (low < copy.targetBounds.second && high > copy.targetBounds.first) ||
           (isWrite && low < copy.sourceBounds.second &&
            high > copy.sourceBounds.first);
  });
  if (!near)
    return std::nullopt;
  std::optional<Finding> finding;
  int64_t inner = box.sizes.empty() ? 1 : box.sizes.back();
  int64_t stride = box.sizes.empty() ? box.elementBytes : box.strides.back();
  forEachRow(box.sizes, [&](ArrayRef<int64_t> index) {
    const char *row = box.base + dot(index, box.strides);
    if (stride == int64_t(box.elementBytes)) {
      if (!finding)
        finding = checkAccess(row, row + inner * stride, isWrite);
      return;
    }
    for (int64_t i = 0; i < inner && !finding; ++i)
      finding = checkAccess(row + i * stride,
                            row + i * stride + box.elementBytes, isWrite);
  });
  return finding;
}

std::optional<Finding> AsyncEngine::checkDeath(const char *begin,
                                               const char *end) const {
  for (const InFlight &copy : copies) {
    bool target = copy.request.target.overlaps(begin, end);
    if (!target && !copy.source.overlaps(begin, end))
      continue;
    Finding finding;
    finding.message = std::string("ends the life of a buffer that an "
                                  "asynchronous copy is still ") +
                      (target ? "writing" : "reading");
    finding.other = copy.request.origin;
    finding.otherMessage = "the copy";
    return finding;
  }
  return std::nullopt;
}

std::optional<Finding> AsyncEngine::checkEnd() const {
  if (copies.empty())
    return std::nullopt;
  Finding finding;
  finding.message = "ends while " + std::to_string(copies.size()) +
                    " asynchronous copies are still in flight";
  finding.other = copies.front().request.origin;
  finding.otherMessage = "the oldest copy that nothing waits for";
  return finding;
}

AsyncEngine::Token AsyncEngine::issue(CopyRequest &&request,
                                      std::optional<Finding> &finding) {
  tick();
  InFlight copy;
  copy.source = request.getSourceBox();
  if (sanitize) {
    finding = checkAccess(request.target, /*isWrite=*/true);
    if (!finding)
      finding = checkAccess(copy.source, /*isWrite=*/false);
    if (finding)
      return 0;
  }
  copy.request = std::move(request);
  copy.targetBounds = copy.request.target.getBounds();
  copy.sourceBounds = copy.source.getBounds();
  copy.number = ++lastCopy;
  copy.group = 0;
  if (policy == CompletionPolicy::Eager)
    retire(copy);
  if (policy == CompletionPolicy::Late)
    read(copy);
  bool poisons = policy == CompletionPolicy::EarlyWriteLateRead;
  if (policy == CompletionPolicy::Random) {
    uint64_t dice = random();
    if (dice % 2)
      read(copy);
    if (copy.wasRead && (dice >> 8) % 4 == 0)
      write(copy);
    poisons = !copy.wasWritten && (dice >> 16) % 2;
  }
  if (poisons) {
    // A copy onto its own source must not lose what it has yet to read.
    if (copy.targetBounds.first < copy.sourceBounds.second &&
        copy.sourceBounds.first < copy.targetBounds.second)
      read(copy);
    char poison[16];
    std::memset(poison, copy.request.poison, sizeof(poison));
    fillBox(copy.request.target, poison);
  }
  copies.push_back(std::move(copy));
  return lastCopy * 2 + 1;
}

AsyncEngine::Token AsyncEngine::commit(ArrayRef<Token> tokens,
                                       std::optional<Finding> &finding) {
  tick();
  int64_t group = ++lastGroup;
  auto first = copies.end();
  while (first != copies.begin() && std::prev(first)->group == 0)
    --first;
  if (sanitize)
    for (Token token : tokens) {
      if (token == 0)
        continue;
      bool isOpen = token % 2 && std::any_of(first, copies.end(), [&](auto &c) {
                      return c.number == token / 2;
                    });
      if (isOpen)
        continue;
      finding.emplace();
      finding->message = token % 2 ? "commits a copy that was committed before"
                                   : "commits a group";
      return group * 2;
    }
  for (auto it = first; it != copies.end(); ++it)
    it->group = group;
  return group * 2;
}

int64_t AsyncEngine::getGroup(Token token,
                              std::optional<Finding> &finding) const {
  if (token % 2 == 0)
    return token / 2;
  for (const InFlight &copy : copies) {
    if (copy.number != token / 2)
      continue;
    if (copy.group == 0) {
      finding.emplace();
      finding->message = "waits for a copy that is in no group";
      finding->other = copy.request.origin;
      finding->otherMessage = "the copy";
    }
    return copy.group;
  }
  return 0;
}

void AsyncEngine::waitLoosely(ArrayRef<Token> tokens, int64_t pending,
                              int64_t extra) {
  tick();
  std::optional<Finding> ignored;
  int64_t last = 0;
  for (Token token : tokens)
    last = std::max(last, getGroup(token, ignored));
  retireUpTo((pending < 0 ? last : lastGroup - pending) - extra);
}

void AsyncEngine::wait(ArrayRef<Token> tokens, int64_t pending,
                       std::optional<Finding> &finding) {
  tick();
  ++numWaits;
  int64_t last = 0;
  for (Token token : tokens) {
    last = std::max(last, getGroup(token, finding));
    if (finding)
      return;
  }
  if (pending < 0)
    return retireUpTo(last);
  int64_t counted = lastGroup - pending;
  if (sanitize && last > counted) {
    // Groups without copies in flight are complete whatever the count says.
    for (const InFlight &copy : copies) {
      if (copy.group <= counted || copy.group > last || copy.group == 0)
        continue;
      finding.emplace();
      finding->message = "waits until at most " + std::to_string(pending) +
                         " groups are pending, which does not complete group " +
                         std::to_string(last) + " of " +
                         std::to_string(lastGroup);
      finding->other = copy.request.origin;
      finding->otherMessage = "a copy of a group that it must complete";
      return;
    }
  }
  retireUpTo(counted);
}
