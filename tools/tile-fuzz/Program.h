//===- Program.h - Random tile programs -------------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is a tree of statements with small numbers as parameters. Every
// tree prints as legal IR: parameters are taken modulo the choices there are,
// and a name that is not in scope becomes a constant. So any part of a tree can
// be dropped or any number changed, which is how failures are shrunk.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TOOLS_TILE_FUZZ_PROGRAM_H
#define TILEPIPE_TOOLS_TILE_FUZZ_PROGRAM_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilepipe::fuzz {

/// SplitMix64.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// A number in `[0, n)`.
  unsigned below(unsigned n) { return unsigned(next() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }

private:
  uint64_t state;
};

enum class StmtKind : uint8_t {
  CopyIn,   ///< global to tile
  CopyOut,  ///< tile to global
  CopyTile, ///< tile to tile
  Fill,     ///< a constant or a scalar
  Map,      ///< element-wise, of one or two sources
  Gather,   ///< through an index tile
  Gemm,
  Reduce,
  Scan,       ///< prefix sums by a serial loop
  Atomic,     ///< into global memory or a tile
  ReadTile,   ///< a scalar from a tile
  ReadGlobal, ///< a scalar from global memory
  WriteTile,
  WriteGlobal,
  For,       ///< serial loop around statements
  If,        ///< with or without else
  Foreign,   ///< linalg or memref instead of tile
  LocalTile, ///< tile.alloc inside of the loop
  NumKinds
};

struct Stmt {
  static constexpr unsigned numParams = 10;
  StmtKind kind = StmtKind::Fill;
  std::array<uint8_t, numParams> p{};
  std::vector<Stmt> body, other;
};

struct Tile {
  /// 0 f32, 1 i32, 2 f16.
  uint8_t element = 0;
  uint8_t rows = 4, columns = 4;
  uint8_t rank = 2;
  bool isFragment = false;
  /// Neither filled before the loops nor shown after them.
  bool isHidden = false;
};

struct Loop {
  uint8_t numStages = 2;
  /// Seed of a random manual schedule, 0 for none.
  uint32_t manual = 0;
  int lower = 2, step = 1;
  /// Static trip count, or the largest of a dynamic one.
  int trips = 4;
  bool isDynamic = false;
  bool hasNumStages = true;
  /// Lower bound and a positive step are not constants.
  bool hasDynamicBounds = false;
  /// Types of loop-carried scalars, as in `Tile::element`; 3 is index.
  std::vector<uint8_t> carried;
  std::array<uint8_t, 4> yields{};
  std::vector<Stmt> body;
};

/// How loops are expanded.
enum class Form : uint8_t { Peeled, Prologue, Predicated };
/// The option of `inject-software-pipeline`.
const char *stringify(Form form);

struct Program {
  std::vector<Tile> tiles;
  std::vector<Stmt> before, after;
  std::vector<Loop> loops;
  /// 0 for none: a serial loop around everything.
  uint8_t outerTrips = 0;
  bool dynamicGlobals = false;
  bool inLaunch = false;
  /// Pass options.
  Form form = Form::Peeled;
  bool isModulo = false;

  /// Statements, as a measure of size.
  unsigned size() const;
};

/// Extents of the global arguments.
constexpr int kRows = 48, kColumns = 8;
/// Largest trip count of a dynamic loop.
constexpr int kMaxTrips = 9;

Program generate(uint64_t seed);

/// The program as IR with one function `f` of three read-only globals (f32,
/// i32, f16), three read-write ones, an output, the number 1, and the trip
/// count of dynamic loops.
std::string emit(const Program &program);

/// Calls `tryIt` with smaller programs until none of them still fails; returns
/// the smallest that does. `tryIt` is true for a program that still fails.
template <typename TryFn> Program shrink(Program program, TryFn tryIt);

/// Each program that is `program` with one thing made simpler.
std::vector<Program> getSimpler(const Program &program);

template <typename TryFn> Program shrink(Program program, TryFn tryIt) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Program &simpler : getSimpler(program)) {
      if (!tryIt(simpler))
        continue;
      program = std::move(simpler);
      changed = true;
      break;
    }
  }
  return program;
}

} // namespace tilepipe::fuzz

#endif // TILEPIPE_TOOLS_TILE_FUZZ_PROGRAM_H
