//===- Generator.cpp - Random tile programs
//---------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <iterator>
#include <utility>

using namespace tilepipe::fuzz;

//===----------------------------------------------------------------------===//
// Generation
//===----------------------------------------------------------------------===//

/// How often each kind is drawn, in the order of `StmtKind`.
static constexpr unsigned kWeights[] = {26, 12, 5, 4, 20, 5, 9, 6, 3,
                                        4,  6,  4, 4, 4,  4, 5, 4, 2};
static_assert(std::size(kWeights) == unsigned(StmtKind::NumKinds));

static Stmt makeStmt(Random &random, unsigned depth);

static std::vector<Stmt> makeBody(Random &random, unsigned count,
                                  unsigned depth) {
  std::vector<Stmt> body;
  for (unsigned i = 0; i < count; ++i)
    body.push_back(makeStmt(random, depth));
  return body;
}

static Stmt makeStmt(Random &random, unsigned depth) {
  Stmt stmt;
  unsigned total = 0;
  for (unsigned weight : kWeights)
    total += weight;
  unsigned dice = random.below(total), kind = 0;
  while (dice >= kWeights[kind])
    dice -= kWeights[kind++];
  stmt.kind = StmtKind(kind);
  bool nests = stmt.kind == StmtKind::For || stmt.kind == StmtKind::If;
  if (nests && depth >= 2)
    stmt.kind = StmtKind::Map;
  else if (nests) {
    stmt.body = makeBody(random, 1 + random.below(2), depth + 1);
    if (stmt.kind == StmtKind::If && random.chance(40))
      stmt.other = makeBody(random, 1, depth + 1);
  }
  for (uint8_t &p : stmt.p)
    p = uint8_t(random.next());
  return stmt;
}

static Tile makeTile(Random &random, unsigned family) {
  static constexpr std::pair<uint8_t, uint8_t> shapes[] = {
      {4, 4}, {4, 8}, {8, 4}, {8, 8}, {1, 8}, {1, 4}};
  Tile tile;
  auto [rows, columns] = shapes[random.below(std::size(shapes))];
  tile.rows = rows;
  tile.columns = columns;
  tile.rank = rows == 1 ? 1 : 2;
  // Most tiles of a program have one type, so that they meet each other.
  tile.element = random.chance(75) ? family : random.below(3);
  tile.isFragment = random.chance(25);
  return tile;
}

/// A body as kernels have it: some tiles are loaded whole at the start of each
/// iteration, what follows mostly reads them and writes others.
static std::vector<Stmt> makeKernel(Random &random, unsigned numTiles) {
  std::vector<Stmt> body;
  unsigned loaded = 1 + random.below(numTiles > 2 ? 2 : 1);
  for (unsigned i = 0; i < loaded; ++i) {
    Stmt copy = makeStmt(random, 2);
    copy.kind = StmtKind::CopyIn;
    copy.p[0] = i;
    copy.p[1] = 0; // no conversion
    copy.p[2] = random.chance(10) ? 3 : 0;
    if (random.chance(85))
      copy.p[5] = 0; // no guard
    if (random.chance(85))
      copy.p[7] = 0; // the whole tile
    body.push_back(copy);
  }
  for (unsigned i = 0, e = 1 + random.below(4); i < e; ++i) {
    Stmt stmt = makeStmt(random, 1);
    uint8_t other = loaded + random.below(numTiles - loaded);
    uint8_t one = random.below(loaded);
    switch (stmt.kind) {
    case StmtKind::Map:
      stmt.p[0] = random.chance(90) ? other : one;
      stmt.p[1] = one;
      break;
    case StmtKind::CopyIn:
    case StmtKind::Fill:
    case StmtKind::Scan:
    case StmtKind::WriteTile:
      if (random.chance(80))
        stmt.p[0] = other;
      break;
    case StmtKind::CopyOut:
    case StmtKind::ReadTile:
    case StmtKind::Atomic:
      if (random.chance(60))
        stmt.p[0] = one;
      break;
    default:
      break;
    }
    body.push_back(stmt);
  }
  // Loads need not come first.
  if (random.chance(25))
    std::swap(body[random.below(body.size())], body[random.below(body.size())]);
  return body;
}

static Loop makeLoop(Random &random, unsigned numTiles) {
  Loop loop;
  loop.numStages = random.chance(8) ? random.below(2) : 2 + random.below(3);
  unsigned depth = loop.numStages;
  switch (random.below(8)) {
  case 0:
    loop.trips = 0;
    break;
  case 1:
    loop.trips = 1;
    break;
  case 2:
    loop.trips = 2;
    break;
  case 3:
    loop.trips = depth ? depth - 1 : 0;
    break;
  case 4:
    loop.trips = depth;
    break;
  case 5:
    loop.trips = depth + 1;
    break;
  default:
    loop.trips = depth + 2 + random.below(3);
  }
  loop.isDynamic = random.chance(40);
  loop.hasDynamicBounds = random.chance(15);
  static constexpr int steps[] = {1, 1, 1, 1, 2, 3, -1, -2};
  loop.step = steps[random.below(std::size(steps))];
  loop.lower = 2 + random.below(4);
  if (loop.step < 0)
    loop.lower += -loop.step * kMaxTrips;
  if (random.chance(20)) {
    loop.manual = 1 + random.below(1u << 30);
    loop.hasNumStages = random.chance(30);
  }
  for (unsigned i = random.chance(25) ? 1 + random.below(2) : 0; i > 0; --i)
    loop.carried.push_back(random.below(4));
  for (uint8_t &yield : loop.yields)
    yield = uint8_t(random.next());
  loop.body = random.chance(70) ? makeKernel(random, numTiles)
                                : makeBody(random, 2 + random.below(5), 0);
  return loop;
}

Program tilepipe::fuzz::generate(uint64_t seed) {
  Random random(seed);
  Program program;
  unsigned family = random.below(3);
  unsigned count = 2 + random.below(4);
  for (unsigned i = 0; i < count; ++i) {
    program.tiles.push_back(makeTile(random, family));
    program.tiles.back().isHidden = i < 2 && random.chance(50);
    if (i < 2 && random.chance(60))
      program.tiles.back().isFragment = false;
  }
  program.before = makeBody(random, random.below(3), 1);
  program.loops.push_back(makeLoop(random, count));
  if (random.chance(20))
    program.loops.push_back(makeLoop(random, count));
  program.after = makeBody(random, random.below(2), 1);
  program.outerTrips = random.chance(12) ? 2 : 0;
  program.dynamicGlobals = random.chance(30);
  program.inLaunch = random.chance(15);
  program.form = static_cast<Form>(random.below(3));
  program.isModulo = random.chance(30);
  return program;
}

//===----------------------------------------------------------------------===//
// Shrinking
//===----------------------------------------------------------------------===//

static unsigned countStmts(const std::vector<Stmt> &list) {
  unsigned count = 0;
  for (const Stmt &stmt : list)
    count += 1 + countStmts(stmt.body) + countStmts(stmt.other);
  return count;
}

const char *tilepipe::fuzz::stringify(Form form) {
  switch (form) {
  case Form::Peeled:
    return "peeled";
  case Form::Prologue:
    return "prologue";
  case Form::Predicated:
    return "predicated";
  }
  llvm_unreachable("unknown form");
}

unsigned Program::size() const {
  unsigned count = countStmts(before) + countStmts(after);
  for (const Loop &loop : loops)
    count += countStmts(loop.body);
  return count;
}

/// Applies each simplification of a list in turn: `change` alters the program
/// in place, `emitIt` records it, then the list is restored.
template <typename EmitFn>
static void simplifyList(std::vector<Stmt> &list, EmitFn emitIt) {
  for (size_t i = 0; i < list.size(); ++i) {
    Stmt held = list[i];
    list.erase(list.begin() + i);
    emitIt();
    // The statements inside, without the one around them.
    if (!held.body.empty()) {
      list.insert(list.begin() + i, held.body.begin(), held.body.end());
      emitIt();
      list.erase(list.begin() + i, list.begin() + i + held.body.size());
    }
    list.insert(list.begin() + i, held);
    simplifyList(list[i].body, emitIt);
    simplifyList(list[i].other, emitIt);
    for (unsigned p = 0; p < Stmt::numParams; ++p) {
      if (held.p[p] == 0)
        continue;
      list[i].p[p] = 0;
      emitIt();
      list[i].p[p] = held.p[p];
    }
  }
}

template <typename T, typename EmitFn>
static void simplifyTo(T &field, T value, EmitFn emitIt) {
  if (field == value)
    return;
  T held = std::exchange(field, value);
  emitIt();
  field = held;
}

std::vector<Program> tilepipe::fuzz::getSimpler(const Program &program) {
  std::vector<Program> result;
  Program copy = program;
  auto emitIt = [&] { result.push_back(copy); };
  for (size_t i = 0; copy.loops.size() > 1 && i < copy.loops.size(); ++i) {
    Loop held = copy.loops[i];
    copy.loops.erase(copy.loops.begin() + i);
    emitIt();
    copy.loops.insert(copy.loops.begin() + i, held);
  }
  simplifyList(copy.before, emitIt);
  simplifyList(copy.after, emitIt);
  simplifyTo(copy.outerTrips, uint8_t(0), emitIt);
  simplifyTo(copy.inLaunch, false, emitIt);
  simplifyTo(copy.dynamicGlobals, false, emitIt);
  simplifyTo(copy.form, Form::Peeled, emitIt);
  simplifyTo(copy.isModulo, false, emitIt);
  for (Loop &loop : copy.loops) {
    simplifyList(loop.body, emitIt);
    if (!loop.carried.empty()) {
      auto held = loop.carried;
      loop.carried.pop_back();
      emitIt();
      loop.carried = held;
    }
    simplifyTo(loop.manual, 0u, emitIt);
    simplifyTo(loop.isDynamic, false, emitIt);
    simplifyTo(loop.hasDynamicBounds, false, emitIt);
    simplifyTo(loop.step, 1, emitIt);
    if (loop.trips > 0)
      simplifyTo(loop.trips, loop.trips - 1, emitIt);
    if (loop.numStages > 2)
      simplifyTo(loop.numStages, uint8_t(loop.numStages - 1), emitIt);
  }
  for (size_t i = 0; copy.tiles.size() > 1 && i < copy.tiles.size(); ++i) {
    Tile held = copy.tiles[i];
    copy.tiles.erase(copy.tiles.begin() + i);
    emitIt();
    copy.tiles.insert(copy.tiles.begin() + i, held);
    simplifyTo(copy.tiles[i].isFragment, false, emitIt);
    simplifyTo(copy.tiles[i].isHidden, false, emitIt);
  }
  return result;
}
