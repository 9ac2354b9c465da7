//===- AsyncEngine.h - Adversarial asynchronous copies ----------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tile.async.copy, commit and wait do on a host: copies move their data at
// any time that the semantics allow, chosen by a policy, and accesses to memory
// in flight are found by address. Knows bytes and strides only, so that the
// interpreter and the runtime of the CPU target share it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_RUNTIME_ASYNCENGINE_H
#define TILEPIPE_RUNTIME_ASYNCENGINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace tilepipe::runtime {

/// When the data of a copy really moves.
enum class CompletionPolicy {
  Eager,              ///< at once
  Late,               ///< source read at issue, target written at retirement
  EarlyWriteLateRead, ///< target poisoned at issue, all else at retirement
  Random              ///< each half at a moment drawn from the seed
};

llvm::StringRef stringify(CompletionPolicy policy);
/// The policy of a name: eager, late, early-write-late-read, random.
std::optional<CompletionPolicy> parseCompletionPolicy(llvm::StringRef name);

/// A strided box of elements in memory; strides are in bytes.
struct MemoryBox {
  char *base = nullptr;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int64_t, 4> strides;
  unsigned elementBytes = 0;

  bool empty() const;
  /// The half-open address range that encloses the box.
  std::pair<const char *, const char *> getBounds() const;
  /// True if an element of the box overlaps `[begin, end)`.
  bool overlaps(const char *begin, const char *end) const;
};

/// One copy, clipped to its target. The source provides the elements of the
/// sub-box `[validBegin, validEnd)`; the others are `fill`.
struct CopyRequest {
  MemoryBox target;
  /// Where element 0 of the target box would be in the source. May point
  /// outside it; only elements of the valid sub-box are read.
  intptr_t source = 0;
  llvm::SmallVector<int64_t, 4> sourceStrides;
  llvm::SmallVector<int64_t, 4> validBegin, validEnd;
  char fill[16] = {};
  /// Byte that fills the target while it is undefined.
  unsigned char poison = 0xFF;
  /// Who asks; handed back in findings.
  const void *origin = nullptr;

  bool hasSource() const;
  /// The valid part of the source.
  MemoryBox getSourceBox() const;
};

/// Moves the data of `request` at once.
void performCopy(const CopyRequest &request);

/// A broken rule: what, and the other party.
struct Finding {
  std::string message;
  /// Origin of the copy that it conflicts with, or null.
  const void *other = nullptr;
  std::string otherMessage;
};

/// The asynchronous copies of one block.
class AsyncEngine {
public:
  /// A copy (odd) or group (even) by its number; 0 is complete.
  using Token = int64_t;

  explicit AsyncEngine(CompletionPolicy policy = CompletionPolicy::Eager,
                       uint64_t seed = 0, bool sanitize = true)
      : policy(policy), seed(seed), sanitize(sanitize), state(seed) {}

  /// Forgets everything; the random sequence starts again.
  void reset();

  Token issue(CopyRequest &&request, std::optional<Finding> &finding);
  Token commit(llvm::ArrayRef<Token> copies, std::optional<Finding> &finding);
  /// `pending` below 0 means none.
  void wait(llvm::ArrayRef<Token> tokens, int64_t pending,
            std::optional<Finding> &finding);

  /// A wait that completes `extra` groups fewer than `wait` does, and does not
  /// check that it completes its tokens: a mutation to test oracles with.
  void waitLoosely(llvm::ArrayRef<Token> tokens, int64_t pending,
                   int64_t extra);

  /// True if no copy is in flight.
  bool idle() const { return copies.empty(); }
  size_t getNumInFlight() const { return copies.size(); }

  /// The conflict of an access to `[begin, end)`, if there is one.
  std::optional<Finding> checkAccess(const char *begin, const char *end,
                                     bool isWrite) const;
  std::optional<Finding> checkAccess(const MemoryBox &box, bool isWrite) const;
  /// The conflict of the end of a buffer's life.
  std::optional<Finding> checkDeath(const char *begin, const char *end) const;
  /// The conflict of the end of the block: a copy nobody waited for.
  std::optional<Finding> checkEnd() const;

  uint64_t getNumCopies() const { return lastCopy; }
  uint64_t getNumGroups() const { return lastGroup; }
  uint64_t getNumWaits() const { return numWaits; }

private:
  struct InFlight {
    CopyRequest request;
    MemoryBox source;
    std::pair<const char *, const char *> targetBounds, sourceBounds;
    int64_t number;
    int64_t group; ///< 0 until committed
    bool wasRead = false, wasWritten = false;
    std::vector<char> staged;
  };

  void read(InFlight &copy);
  void write(InFlight &copy);
  void retire(InFlight &copy);
  void retireUpTo(int64_t group);
  /// Lets time pass under the random policy.
  void tick();
  uint64_t random();
  /// The group of a token, 0 if complete; a finding if it is in no group.
  int64_t getGroup(Token token, std::optional<Finding> &finding) const;
  std::optional<Finding> makeFinding(const InFlight &copy, bool isTarget,
                                     bool isWrite) const;

  CompletionPolicy policy;
  uint64_t seed;
  bool sanitize;
  uint64_t state;
  std::deque<InFlight> copies;
  int64_t lastCopy = 0, lastGroup = 0;
  uint64_t numWaits = 0;
};

} // namespace tilepipe::runtime

#endif // TILEPIPE_RUNTIME_ASYNCENGINE_H
