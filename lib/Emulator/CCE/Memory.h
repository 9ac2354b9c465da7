//===- Memory.h - Spaces, what they hold, who touched them ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_CCE_MEMORY_H
#define TILEPIPE_LIB_EMULATOR_CCE_MEMORY_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tilepipe::cce {

enum Space : uint8_t { GM, L1, L0A, L0B, L0C, UB, NumSpaces };
/// Dense numbers; Store is where stores of the scalar unit wait to be seen.
enum Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, Store, NumPipes };

const char *nameOf(Space space);
const char *nameOf(Pipe pipe);
/// Bytes of an on-chip space of dav-2201.
uint64_t capacityOf(Space space);
/// The compare mask register is ordered as if it were 16 bytes behind UB.
constexpr uint64_t compareMaskAt = 192 << 10;

/// How much of each pipe's work an observer knows to be complete.
using Clock = std::vector<uint32_t>;
void join(Clock &into, const Clock &from);

/// Bytes an instruction reads or writes.
struct Range {
  Space space;
  bool write;
  uint64_t lo, hi;
};

/// An access that later ones must be ordered against: which pipe's how manieth
/// instruction, from where in the text, issued when, and which bytes of the
/// granule.
struct Mark {
  uint32_t count, mask, site, batch, issued;
  uint16_t pipe;
};

/// 32 bytes of memory.
struct Cell {
  std::vector<Mark> writers, readers;
};
constexpr uint64_t granule = 32;

/// A region of memory with its contents, what of it was never written, and its
/// accesses. GM arrays view memory of the caller.
struct Region {
  uint8_t *data = nullptr;
  uint64_t size = 0;
  std::vector<uint8_t> own;
  std::vector<uint8_t> poison; // Empty: everything was written.
  std::vector<Cell> cells;
  std::string name;

  void makeOnChip(uint64_t bytes);
};

/// What an instruction wrote, until it becomes visible.
class Effects {
public:
  void write(Space space, uint64_t address, const void *bytes, uint64_t count,
             const uint8_t *poison = nullptr);
  void fillPoison(Space space, uint64_t address, uint64_t count);

  struct Piece {
    Space space;
    uint64_t address, offset, count;
  };
  std::vector<Piece> pieces;
  std::vector<uint8_t> bytes, poison;

private:
  uint64_t append(Space space, uint64_t address, uint64_t count);
};

} // namespace tilepipe::cce

#endif // TILEPIPE_LIB_EMULATOR_CCE_MEMORY_H
