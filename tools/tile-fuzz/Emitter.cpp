//===- Emitter.cpp - Random tile programs as IR -----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

using namespace tilepipe::fuzz;

namespace {

enum Type : uint8_t { F32, I32, F16, Index, I1 };

const char *name(Type type) {
  static const char *const names[] = {"f32", "i32", "f16", "index", "i1"};
  return names[type];
}
bool isFloat(Type type) { return type == F32 || type == F16; }

std::string str(int value) { return std::to_string(value); }

struct Scalar {
  std::string value;
  Type type;
};

class Emitter {
public:
  explicit Emitter(const Program &program) : program(program) {}
  std::string run();

private:
  // Text.
  void line(const std::string &text) {
    body += std::string(2 * depth, ' ') + text + "\n";
  }
  std::string fresh() { return "%v" + str(counter++); }
  /// Emits `%v = text` and returns the name.
  std::string def(const std::string &text) {
    std::string result = fresh();
    line(result + " = " + text);
    return result;
  }
  std::string constant(Type type, int value);
  std::string index(int value) { return constant(Index, value); }

  // Names of the program.
  std::string tileType(const Tile &tile) const;
  std::string tileName(unsigned i) const { return "%T" + str(i); }
  std::string globalType(Type element) const;
  std::string globalName(Type element, bool isWritable) const {
    return std::string(isWritable ? "%W" : "%R") + name(element);
  }
  unsigned numTiles() const { return unsigned(tiles.size()); }
  Type elementOf(unsigned tile) const { return Type(tiles[tile].element); }

  // Choices.
  template <typename Pred>
  std::optional<unsigned> pickTile(unsigned p, Pred pred) {
    std::vector<unsigned> fitting;
    for (unsigned i = 0; i < numTiles(); ++i)
      if (pred(i))
        fitting.push_back(i);
    if (fitting.empty())
      return std::nullopt;
    return fitting[p % fitting.size()];
  }
  unsigned anyTile(unsigned p) { return p % numTiles(); }
  std::string scalar(unsigned p, Type type);
  std::string condition(unsigned p);
  std::string row(unsigned p);
  std::string dataRow(unsigned p);
  std::string convert(const std::string &value, Type from, Type to);
  std::string combine(unsigned p, const std::string &a, const std::string &b,
                      Type type);
  std::string loadTile(unsigned tile, const std::string &i, const std::string &j,
                       bool exact);
  std::string tileIndex(unsigned tile, const std::string &i,
                        const std::string &j);

  // Statements.
  void emitList(const std::vector<Stmt> &list);
  void emitStmt(const Stmt &stmt);
  void emitCopyIn(const Stmt &stmt);
  void emitCopyOut(const Stmt &stmt);
  void emitCopyTile(const Stmt &stmt);
  void emitFill(const Stmt &stmt);
  void emitMap(const Stmt &stmt);
  void emitGather(const Stmt &stmt);
  void emitGemm(const Stmt &stmt, bool isForeign);
  void emitReduce(const Stmt &stmt);
  void emitScan(const Stmt &stmt);
  void emitAtomic(const Stmt &stmt);
  void emitRead(const Stmt &stmt);
  void emitWrite(const Stmt &stmt);
  void emitFor(const Stmt &stmt);
  void emitIf(const Stmt &stmt);
  void emitForeign(const Stmt &stmt);
  void emitLocalTile(const Stmt &stmt);
  void emitLoop(const Loop &loop);
  void allocTile(unsigned i, unsigned fill);

  const Program &program;
  std::vector<Tile> tiles;
  std::string body;
  std::set<std::pair<int, int>> constants;
  unsigned depth = 1, counter = 0;
  std::vector<Scalar> scalars;
  /// A row number in scope: the induction variable, or a constant.
  std::string rowBase;
};

std::string Emitter::constant(Type type, int value) {
  constants.insert({type, value});
  std::string text = value < 0 ? "m" + str(-value) : str(value);
  return std::string("%c_") + name(type) + "_" + text;
}

std::string Emitter::tileType(const Tile &tile) const {
  std::string shape = tile.rank == 1
                          ? str(tile.columns) + "x"
                          : str(tile.rows) + "x" + str(tile.columns) + "x";
  return "memref<" + shape + name(Type(tile.element)) + ", #tile.space<" +
         (tile.isFragment ? "fragment" : "shared") + ">>";
}

std::string Emitter::globalType(Type element) const {
  std::string shape = program.dynamicGlobals
                          ? std::string("?x?x")
                          : str(kRows) + "x" + str(kColumns) + "x";
  return "memref<" + shape + name(element) + ">";
}

/// The youngest scalars in scope first; else a constant.
std::string Emitter::scalar(unsigned p, Type type) {
  std::vector<std::string> fitting;
  for (auto it = scalars.rbegin(); it != scalars.rend(); ++it)
    if (it->type == type)
      fitting.push_back(it->value);
  if (!fitting.empty() && p % 4 != 3)
    return fitting[(p / 4) % std::min<size_t>(fitting.size(), 3)];
  return constant(type, int(p / 4 % 5) - 1);
}

std::string Emitter::condition(unsigned p) {
  Type type = Type(p / 8 % 3);
  switch (p % 8) {
  case 0:
  case 1:
  case 2: { // by parity of the iteration
    std::string bit = def("arith.andi " + rowBase + ", " + index(1) + " : index");
    return def(std::string("arith.cmpi ") + (p / 8 % 2 ? "eq" : "ne") + ", " + bit +
               ", " + index(0) + " : index");
  }
  case 3:
  case 4: // by the size of the iteration number
    return def(std::string("arith.cmpi ") + (p / 8 % 2 ? "sgt" : "slt") + ", " +
               rowBase + ", " + index(3 + int(p / 16)) + " : index");
  default: { // by data
    std::string value = scalar(p / 2, type);
    std::string bound = constant(type, int(p / 8 % 3));
    return isFloat(type) ? def("arith.cmpf olt, " + value + ", " + bound + " : " +
                               name(type))
                         : def("arith.cmpi sgt, " + value + ", " + bound + " : " +
                               name(type));
  }
  }
}

/// A row of a global that is in bounds, by the iteration number.
std::string Emitter::row(unsigned p) {
  static const int offsets[] = {0, 0, 0, 1, -1, 2, -2, 0};
  int offset = offsets[p % 8];
  if (offset == 0)
    return rowBase;
  return def("arith.addi " + rowBase + ", " + index(offset) + " : index");
}

/// A row by the contents of an i32 scalar.
std::string Emitter::dataRow(unsigned p) {
  std::string value = scalar(p, I32);
  std::string masked = def("arith.andi " + value + ", " + constant(I32, 31) + " : i32");
  return def("arith.index_cast " + masked + " : i32 to index");
}

std::string Emitter::convert(const std::string &value, Type from, Type to) {
  if (from == to)
    return value;
  std::string types = std::string(" : ") + name(from) + " to " + name(to);
  if (from == Index || to == Index) {
    if (from == I32 || to == I32)
      return def("arith.index_cast " + value + types);
    return from == Index
               ? convert(convert(value, Index, I32), I32, to)
               : convert(convert(value, from, I32), I32, Index);
  }
  if (isFloat(from) && isFloat(to))
    return def((from == F16 ? "arith.extf " : "arith.truncf ") + value + types);
  return def((isFloat(from) ? "arith.fptosi " : "arith.sitofp ") + value + types);
}

std::string Emitter::combine(unsigned p, const std::string &a,
                             const std::string &b, Type type) {
  static const char *const floats[] = {"addf", "subf", "maxnumf", "minnumf"};
  static const char *const ints[] = {"addi", "subi", "xori", "maxsi", "muli"};
  std::string op = isFloat(type) ? floats[p % 4] : ints[p % 5];
  return def("arith." + op + " " + a + ", " + b + " : " + name(type));
}

/// Indices of an element of a tile from two indices of any size.
std::string Emitter::tileIndex(unsigned t, const std::string &i,
                               const std::string &j) {
  const Tile &tile = tiles[t];
  auto wrap = [&](const std::string &value, int extent) {
    return def("arith.andi " + value + ", " + index(extent - 1) + " : index");
  };
  if (tile.rank == 1)
    return "[" + wrap(j, tile.columns) + "]";
  std::string first = wrap(i, tile.rows), second = wrap(j, tile.columns);
  return "[" + first + ", " + second + "]";
}

/// Loads element `(i, j)`, or without wrapping where the box is that of the tile.
std::string Emitter::loadTile(unsigned t, const std::string &i,
                              const std::string &j, bool exact) {
  std::string at = !exact                ? tileIndex(t, i, j)
                   : tiles[t].rank == 1 ? "[" + j + "]"
                                        : "[" + i + ", " + j + "]";
  return def("memref.load " + tileName(t) + at + " : " + tileType(tiles[t]));
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

/// ` if %g` for some parameters.
#define GUARD(P) ((P) % 5 == 4 ? " if " + condition((P) / 5 * 3) : std::string())

void Emitter::emitCopyIn(const Stmt &stmt) {
  unsigned t = anyTile(stmt.p[0]);
  const Tile &tile = tiles[t];
  Type element = elementOf(t);
  Type from = stmt.p[1] % 10 == 9 ? Type((element + 1) % 3) : element;
  bool isWritable = stmt.p[2] % 4 == 3;
  std::string first;
  switch (stmt.p[3] % 8) {
  case 6:
    first = dataRow(stmt.p[9]);
    break;
  case 7: // past the last row
    first = def("arith.addi " + rowBase + ", " + index(kRows - 4) + " : index");
    break;
  default:
    first = row(stmt.p[3] / 8);
  }
  static const char *const columns[] = {"0", "0", "0", "0", "2", "-2", "4", "0"};
  std::string second = columns[stmt.p[4] % 8];
  std::string guard = GUARD(stmt.p[5]);
  std::string fill = stmt.p[6] % 4 == 3
                         ? " fill " + constant(element, int(stmt.p[6] / 4 % 3)) +
                               " : " + name(element)
                         : "";
  std::string sizes, target;
  unsigned half = stmt.p[7] % 6;
  int rows = tile.rows, count = tile.columns;
  if (half == 4 && tile.rank == 2) { // half of the rows
    rows /= 2;
    target = "[" + str(stmt.p[8] % 2 * rows) + ", 0]";
  } else if (half == 5) { // half of the columns
    count /= 2;
    std::string column = str(stmt.p[8] % 2 * count);
    target = tile.rank == 1 ? "[" + column + "]" : "[0, " + column + "]";
  }
  if (!target.empty())
    sizes = tile.rank == 1 ? " sizes [" + str(count) + "]"
                           : " sizes [" + str(rows) + ", " + str(count) + "]";
  // A column of the global for some tiles of rank 1.
  std::string dims = tile.rank == 1 && stmt.p[9] % 4 == 3 ? " dims [0]" : "";
  line("tile.copy " + globalName(from, isWritable) + "[" + first + ", " + second +
       "] to " + tileName(t) + target + sizes + dims + fill + guard + " : " +
       globalType(from) + " to " + tileType(tile));
}

void Emitter::emitCopyOut(const Stmt &stmt) {
  unsigned t = anyTile(stmt.p[0]);
  Type element = elementOf(t);
  std::string first = stmt.p[1] % 8 == 7 ? dataRow(stmt.p[2]) : row(stmt.p[1]);
  std::string second = stmt.p[3] % 4 == 3 ? "4" : "0";
  std::string guard = GUARD(stmt.p[4]);
  const Tile &tile = tiles[t];
  std::string sizes = tile.rank == 1
                          ? " sizes [" + str(tile.columns) + "]"
                          : " sizes [" + str(tile.rows) + ", " + str(tile.columns) + "]";
  line("tile.copy " + tileName(t) + " to " + globalName(element, true) + "[" +
       first + ", " + second + "]" + sizes + guard + " : " + tileType(tile) +
       " to " + globalType(element));
}

void Emitter::emitCopyTile(const Stmt &stmt) {
  unsigned target = anyTile(stmt.p[0]);
  auto source = pickTile(stmt.p[1], [&](unsigned i) { return i != target; });
  if (!source)
    return;
  const Tile &a = tiles[*source], &b = tiles[target];
  std::string sizes;
  if (a.rank == b.rank && a.rank == 2)
    sizes = " sizes [" + str(std::min(a.rows, b.rows)) + ", " +
            str(std::min(a.columns, b.columns)) + "]";
  else
    sizes = " sizes [" + str(std::min(a.columns, b.columns)) + "]";
  std::string guard = GUARD(stmt.p[2]);
  line("tile.copy " + tileName(*source) + " to " + tileName(target) + sizes +
       guard + " : " + tileType(a) + " to " + tileType(b));
}

void Emitter::emitFill(const Stmt &stmt) {
  unsigned t = anyTile(stmt.p[0]);
  const Tile &tile = tiles[t];
  std::string region;
  if (stmt.p[1] % 3 == 2)
    region = tile.rank == 1 ? "[2] sizes [2] " : "[1, 0] sizes [2, 3] ";
  line("tile.fill " + tileName(t) + (region.empty() ? " " : region) + "with " +
       scalar(stmt.p[2], elementOf(t)) + " : " + name(elementOf(t)) + ", " +
       tileType(tile));
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

/// `tile.map (%i, %j) in [rows, columns] {` and the names of the indices.
#define OPEN_MAP(TILE, I, J)                                                   \
  std::string I = fresh(), J = fresh();                                        \
  if ((TILE).rank == 1) {                                                      \
    line("tile.map (" + J + ") in [" + str((TILE).columns) + "] {");           \
    I = index(0);                                                              \
  } else {                                                                     \
    line("tile.map (" + I + ", " + J + ") in [" + str((TILE).rows) + ", " +    \
         str((TILE).columns) + "] {");                                         \
  }                                                                            \
  ++depth;

void Emitter::emitMap(const Stmt &stmt) {
  unsigned target = anyTile(stmt.p[0]), source = anyTile(stmt.p[1]);
  unsigned other = anyTile(stmt.p[2]);
  const Tile tile = tiles[target];
  Type element = elementOf(target);
  std::string extra;
  unsigned mode = stmt.p[3] % 6;
  if (mode == 3)
    extra = convert(scalar(stmt.p[4], Type(stmt.p[5] % 3)), Type(stmt.p[5] % 3),
                    element);
  if (mode == 4)
    extra = convert(rowBase, Index, element);
  OPEN_MAP(tile, i, j)
  std::string a = i, b = j;
  // A shifted or transposed read of another tile; its own element otherwise.
  if (source != target && stmt.p[6] % 4 == 3)
    std::swap(a, b);
  if (source != target && stmt.p[6] % 4 == 2)
    b = def("arith.addi " + j + ", " + index(1) + " : index");
  std::string value = convert(loadTile(source, a, b, source == target),
                              elementOf(source), element);
  if (mode == 1 || mode == 2)
    extra = convert(loadTile(other, i, j, other == target), elementOf(other),
                    element);
  if (mode == 5)
    extra = loadTile(target, i, j, true);
  if (!extra.empty())
    value = combine(stmt.p[7], value, extra, element);
  else if (mode == 0 && stmt.p[8] % 2)
    value = combine(stmt.p[7], value, constant(element, 1 + stmt.p[8] / 2 % 3),
                    element);
  std::string at = tile.rank == 1 ? "[" + j + "]" : "[" + i + ", " + j + "]";
  line("memref.store " + value + ", " + tileName(target) + at + " : " +
       tileType(tile));
  --depth;
  line("}");
}

void Emitter::emitGather(const Stmt &stmt) {
  auto indices = pickTile(stmt.p[0], [&](unsigned i) {
    return elementOf(i) == I32;
  });
  if (!indices)
    return;
  auto target = pickTile(stmt.p[1], [&](unsigned i) { return i != *indices; });
  if (!target)
    return;
  auto source = pickTile(stmt.p[2], [&](unsigned i) { return i != *target; });
  bool fromGlobal = !source || stmt.p[3] % 2;
  const Tile tile = tiles[*target];
  Type element = elementOf(*target);
  OPEN_MAP(tile, i, j)
  std::string raw = loadTile(*indices, j, i, false);
  std::string masked = def("arith.andi " + raw + ", " + constant(I32, 31) + " : i32");
  std::string at = def("arith.index_cast " + masked + " : i32 to index");
  std::string value;
  if (fromGlobal) {
    Type from = element;
    value = def("memref.load " + globalName(from, stmt.p[4] % 4 == 3) + "[" + at +
                ", " + j + "] : " + globalType(from));
  } else {
    value = convert(loadTile(*source, at, j, false), elementOf(*source), element);
  }
  std::string position = tile.rank == 1 ? "[" + j + "]" : "[" + i + ", " + j + "]";
  line("memref.store " + value + ", " + tileName(*target) + position + " : " +
       tileType(tile));
  --depth;
  line("}");
}

void Emitter::emitGemm(const Stmt &stmt, bool isForeign) {
  struct Choice {
    unsigned a, b, c;
    bool ta, tb;
  };
  std::vector<Choice> choices;
  auto matches = [&](const Choice &x) {
    const Tile &a = tiles[x.a], &b = tiles[x.b], &c = tiles[x.c];
    if (a.rank != 2 || b.rank != 2 || c.rank != 2 || x.a == x.c || x.b == x.c)
      return false;
    Type from = elementOf(x.a), other = elementOf(x.b), to = elementOf(x.c);
    if (isFloat(from) != isFloat(to) || isFloat(other) != isFloat(to))
      return false;
    if (to == F16 && (from == F32 || other == F32))
      return false;
    int m = x.ta ? a.columns : a.rows, k = x.ta ? a.rows : a.columns;
    int k2 = x.tb ? b.columns : b.rows, n = x.tb ? b.rows : b.columns;
    return k == k2 && m == c.rows && n == c.columns;
  };
  for (unsigned a = 0; a < numTiles(); ++a)
    for (unsigned b = 0; b < numTiles(); ++b)
      for (unsigned c = 0; c < numTiles(); ++c)
        for (unsigned t = 0; t < (isForeign ? 1 : 4); ++t)
          if (Choice x{a, b, c, bool(t & 1), bool(t & 2)}; matches(x))
            choices.push_back(x);
  if (choices.empty())
    return;
  const Choice &x = choices[(stmt.p[0] + 256 * stmt.p[1]) % choices.size()];
  std::string types = tileType(tiles[x.a]) + ", " + tileType(tiles[x.b]);
  if (isForeign) {
    line("linalg.matmul ins(" + tileName(x.a) + ", " + tileName(x.b) + " : " +
         types + ") outs(" + tileName(x.c) + " : " + tileType(tiles[x.c]) + ")");
    return;
  }
  std::string flags;
  auto add = [&](const char *flag) {
    flags += (flags.empty() ? "" : ", ") + std::string(flag);
  };
  if (x.ta)
    add("transpose_a");
  if (x.tb)
    add("transpose_b");
  if (stmt.p[2] % 3 == 2)
    add("clear");
  line("tile.gemm " + tileName(x.a) + ", " + tileName(x.b) + ", " +
       tileName(x.c) + (flags.empty() ? "" : " {" + flags + "}") + " : " + types +
       ", " + tileType(tiles[x.c]));
}

void Emitter::emitReduce(const Stmt &stmt) {
  auto source = pickTile(stmt.p[0], [&](unsigned i) { return tiles[i].rank == 2; });
  if (!source)
    return;
  unsigned dimension = stmt.p[2] % 2;
  int extent = dimension ? tiles[*source].rows : tiles[*source].columns;
  auto target = pickTile(stmt.p[1], [&](unsigned i) {
    return tiles[i].rank == 1 && tiles[i].columns == extent &&
           isFloat(elementOf(i)) == isFloat(elementOf(*source));
  });
  if (!target)
    return;
  static const char *const kinds[] = {"sum", "max", "min", "abssum", "absmax"};
  line(std::string("tile.reduce <") + kinds[stmt.p[3] % 5] + "> " +
       tileName(*source) + " into " + tileName(*target) + " dimension " +
       str(dimension) + (stmt.p[4] % 2 ? " {clear}" : "") + " : " +
       tileType(tiles[*source]) + ", " + tileType(tiles[*target]));
}

void Emitter::emitScan(const Stmt &stmt) {
  unsigned t = anyTile(stmt.p[0]);
  const Tile &tile = tiles[t];
  std::string i = fresh();
  line("scf.for " + i + " = " + index(1) + " to " + index(tile.columns) +
       " step " + index(1) + " {");
  ++depth;
  std::string before = def("arith.subi " + i + ", " + index(1) + " : index");
  std::string at = index(stmt.p[1] % tile.rows);
  std::string a = loadTile(t, at, before, true), b = loadTile(t, at, i, true);
  std::string sum = combine(stmt.p[2], a, b, elementOf(t));
  std::string position = tile.rank == 1 ? "[" + i + "]" : "[" + at + ", " + i + "]";
  line("memref.store " + sum + ", " + tileName(t) + position + " : " +
       tileType(tile));
  --depth;
  line("}");
}

void Emitter::emitAtomic(const Stmt &stmt) {
  unsigned source = anyTile(stmt.p[0]);
  const Tile tile = tiles[source];
  Type element = elementOf(source);
  // The order of rounded additions would show: only integers add.
  const char *kind = element == I32 && stmt.p[1] % 2 ? "add" : "max";
  auto target = pickTile(stmt.p[2], [&](unsigned i) {
    return i != source && elementOf(i) == element;
  });
  bool isGlobal = !target || stmt.p[3] % 2;
  std::string first = row(stmt.p[4]);
  OPEN_MAP(tile, i, j)
  std::string value = loadTile(source, i, j, true);
  if (isGlobal)
    line(std::string("tile.atomic <") + kind + "> " + value + ", " +
         globalName(element, true) + "[" + first + ", " + j + "] : " +
         name(element) + ", " + globalType(element));
  else {
    std::string at = tileIndex(*target, j, i);
    line(std::string("tile.atomic <") + kind + "> " + value + ", " +
         tileName(*target) + at + " : " + name(element) + ", " +
         tileType(tiles[*target]));
  }
  --depth;
  line("}");
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

void Emitter::emitRead(const Stmt &stmt) {
  if (stmt.kind == StmtKind::ReadTile) {
    unsigned t = anyTile(stmt.p[0]);
    std::string value =
        loadTile(t, index(stmt.p[1] % tiles[t].rows),
                 index(stmt.p[2] % tiles[t].columns), true);
    scalars.push_back({value, elementOf(t)});
    return;
  }
  Type element = Type(stmt.p[0] % 3);
  std::string at = row(stmt.p[1]);
  std::string value =
      def("memref.load " + globalName(element, stmt.p[2] % 2) + "[" + at + ", " +
          index(stmt.p[3] % kColumns) + "] : " + globalType(element));
  scalars.push_back({value, element});
}

void Emitter::emitWrite(const Stmt &stmt) {
  if (stmt.kind == StmtKind::WriteTile) {
    unsigned t = anyTile(stmt.p[0]);
    const Tile &tile = tiles[t];
    std::string column = index(stmt.p[1] % tile.columns);
    std::string at = tile.rank == 1
                         ? "[" + column + "]"
                         : "[" + index(stmt.p[2] % tile.rows) + ", " + column + "]";
    line("memref.store " + scalar(stmt.p[3], elementOf(t)) + ", " + tileName(t) +
         at + " : " + tileType(tile));
    return;
  }
  Type element = Type(stmt.p[0] % 3);
  std::string at = row(stmt.p[1]);
  line("memref.store " + scalar(stmt.p[2], element) + ", " +
       globalName(element, true) + "[" + at + ", " +
       index(stmt.p[3] % kColumns) + "] : " + globalType(element));
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

void Emitter::emitFor(const Stmt &stmt) {
  size_t scope = scalars.size();
  std::string iv = fresh();
  std::string upper = index(stmt.p[0] % 4);
  // A trip count from data: 0 to 3.
  if (stmt.p[1] % 5 == 4) {
    std::string masked =
        def("arith.andi " + scalar(stmt.p[2], I32) + ", " + constant(I32, 3) + " : i32");
    upper = def("arith.index_cast " + masked + " : i32 to index");
  }
  // Some are pipelines in the pipeline.
  bool isPipeline = stmt.p[4] % 5 == 4;
  line((isPipeline ? "tile.pipeline " : "scf.for ") + iv + " = " + index(0) +
       " to " + upper + " step " + index(1) +
       (isPipeline ? " num_stages = " + str(2 + stmt.p[5] % 2) : "") + " {");
  ++depth;
  std::string outer = rowBase;
  if (stmt.p[3] % 2)
    rowBase = def("arith.addi " + rowBase + ", " + iv + " : index");
  emitList(stmt.body);
  rowBase = outer;
  --depth;
  line("}");
  scalars.resize(scope);
}

void Emitter::emitIf(const Stmt &stmt) {
  size_t scope = scalars.size();
  std::string guard = condition(stmt.p[0]);
  line("scf.if " + guard + " {");
  ++depth;
  emitList(stmt.body);
  scalars.resize(scope);
  --depth;
  if (!stmt.other.empty()) {
    line("} else {");
    ++depth;
    emitList(stmt.other);
    scalars.resize(scope);
    --depth;
  }
  line("}");
}

void Emitter::emitForeign(const Stmt &stmt) {
  switch (stmt.p[0] % 3) {
  case 0:
    emitGemm(stmt, /*isForeign=*/true);
    return;
  case 1: {
    unsigned t = anyTile(stmt.p[1]);
    line("linalg.fill ins(" + scalar(stmt.p[2], elementOf(t)) + " : " +
         name(elementOf(t)) + ") outs(" + tileName(t) + " : " +
         tileType(tiles[t]) + ")");
    return;
  }
  default: {
    unsigned t = anyTile(stmt.p[1]);
    const Tile &tile = tiles[t];
    if (tile.rank != 2 || program.dynamicGlobals)
      return;
    Type element = elementOf(t);
    std::string first = row(stmt.p[2]);
    // Rows past the last would be an error here; the room is enough for 8.
    std::string shape = str(tile.rows) + "x" + str(tile.columns) + "x";
    std::string type = "memref<" + shape + name(element) + ", strided<[" +
                       str(kColumns) + ", 1], offset: ?>>";
    std::string view = def("memref.subview " + globalName(element, stmt.p[3] % 4 == 3) +
                           "[" + first + ", 0] [" + str(tile.rows) + ", " +
                           str(tile.columns) + "] [1, 1] : " + globalType(element) +
                           " to " + type);
    line("memref.copy " + view + ", " + tileName(t) + " : " + type + " to " +
         tileType(tile));
  }
  }
}

void Emitter::allocTile(unsigned i, unsigned fill) {
  line(tileName(i) + " = tile.alloc {name = \"T" + str(i) + "\"} : " +
       tileType(tiles[i]));
  if (fill)
    line("tile.fill " + tileName(i) + " with " + constant(elementOf(i), 1) +
         " : " + name(elementOf(i)) + ", " + tileType(tiles[i]));
}

void Emitter::emitLocalTile(const Stmt &stmt) {
  // Contents are undefined at each execution, so it is filled first. It is not
  // in scope after its own two statements: others are numbered by position.
  unsigned like = anyTile(stmt.p[0]);
  const Tile tile = tiles[like];
  std::string local = def("tile.alloc : " + tileType(tile));
  line("tile.copy " + tileName(like) + " to " + local + " : " + tileType(tile) +
       " to " + tileType(tile));
  OPEN_MAP(tile, i, j)
  std::string at = tile.rank == 1 ? "[" + j + "]" : "[" + i + ", " + j + "]";
  std::string value = def("memref.load " + local + at + " : " + tileType(tile));
  value = combine(stmt.p[1], value, constant(elementOf(like), 2), elementOf(like));
  line("memref.store " + value + ", " + tileName(like) + at + " : " +
       tileType(tile));
  --depth;
  line("}");
}

void Emitter::emitStmt(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::CopyIn:
    return emitCopyIn(stmt);
  case StmtKind::CopyOut:
    return emitCopyOut(stmt);
  case StmtKind::CopyTile:
    return emitCopyTile(stmt);
  case StmtKind::Fill:
    return emitFill(stmt);
  case StmtKind::Map:
    return emitMap(stmt);
  case StmtKind::Gather:
    return emitGather(stmt);
  case StmtKind::Gemm:
    return emitGemm(stmt, /*isForeign=*/false);
  case StmtKind::Reduce:
    return emitReduce(stmt);
  case StmtKind::Scan:
    return emitScan(stmt);
  case StmtKind::Atomic:
    return emitAtomic(stmt);
  case StmtKind::ReadTile:
  case StmtKind::ReadGlobal:
    return emitRead(stmt);
  case StmtKind::WriteTile:
  case StmtKind::WriteGlobal:
    return emitWrite(stmt);
  case StmtKind::For:
    return emitFor(stmt);
  case StmtKind::If:
    return emitIf(stmt);
  case StmtKind::Foreign:
    return emitForeign(stmt);
  case StmtKind::LocalTile:
    return emitLocalTile(stmt);
  case StmtKind::NumKinds:
    return;
  }
}

void Emitter::emitList(const std::vector<Stmt> &list) {
  for (const Stmt &stmt : list)
    emitStmt(stmt);
}

void Emitter::emitLoop(const Loop &loop) {
  size_t scope = scalars.size();
  std::string iv = fresh(), lower = index(loop.lower), step = index(loop.step);
  std::string upper;
  if (loop.hasDynamicBounds) {
    lower = def("arith.muli %one, " + lower + " : index");
    // A step that is not a constant is positive.
    if (loop.step > 0)
      step = def("arith.muli %one, " + step + " : index");
  }
  if (loop.isDynamic) {
    std::string length = def("arith.muli %n, " + step + " : index");
    upper = def("arith.addi " + lower + ", " + length + " : index");
  } else {
    upper = index(loop.lower + loop.step * loop.trips);
  }
  std::string header, types, results;
  std::vector<std::string> names;
  for (uint8_t raw : loop.carried) {
    Type type = Type(raw % 4);
    names.push_back(fresh());
    header += (header.empty() ? "" : ", ") + names.back() + " = " +
              constant(type, int(names.size()));
    types += (types.empty() ? "" : ", ") + std::string(name(type));
  }
  std::string result = fresh();
  std::string text = names.empty() ? "" : result + ":" + str(names.size()) + " = ";
  text += "tile.pipeline " + iv + " = " + lower + " to " + upper + " step " +
          step;
  if (!names.empty())
    text += " iter_args(" + header + ") -> (" + types + ")";
  if (loop.hasNumStages)
    text += " num_stages = " + str(loop.numStages);
  line(text + " {");
  ++depth;
  std::string outer = std::exchange(rowBase, iv);
  for (size_t i = 0; i < names.size(); ++i)
    scalars.push_back({names[i], Type(loop.carried[i] % 4)});
  emitList(loop.body);
  std::string values;
  for (size_t i = 0; i < names.size(); ++i) {
    Type type = Type(loop.carried[i] % 4);
    uint8_t p = loop.yields[i % 4];
    std::string value = scalar(p, type);
    if (p % 3)
      value = combine(p / 3, names[i], value, type);
    values += (values.empty() ? "" : ", ") + value;
  }
  if (!names.empty())
    line("tile.yield " + values + " : " + types);
  rowBase = outer;
  --depth;
  line("}");
  scalars.resize(scope);
  for (size_t i = 0; i < names.size(); ++i) {
    Type type = Type(loop.carried[i] % 4);
    std::string value = result + "#" + str(i);
    if (type == Index) {
      value = convert(value, Index, I32);
      type = I32;
    }
    line("memref.store " + value + ", " + globalName(type, true) + "[" +
         index(0) + ", " + index(i) + "] : " + globalType(type));
  }
}

std::string Emitter::run() {
  tiles = program.tiles;
  rowBase = index(2);
  if (program.inLaunch) {
    line("tile.launch (%block) in [1] threads = 32 {");
    ++depth;
  }
  for (unsigned i = 0; i < numTiles(); ++i)
    allocTile(i, !tiles[i].isHidden);
  if (program.outerTrips) {
    rowBase = fresh();
    line("scf.for " + rowBase + " = " + index(2) + " to " +
         index(2 + program.outerTrips) + " step " + index(1) + " {");
    ++depth;
  }
  emitList(program.before);
  for (const Loop &loop : program.loops)
    emitLoop(loop);
  emitList(program.after);
  // What the tiles hold at the end; f64 holds every element exactly.
  for (unsigned i = 0; i < numTiles(); ++i) {
    const Tile &tile = tiles[i];
    if (tile.isHidden)
      continue;
    std::string sizes = tile.rank == 1 ? str(tile.columns)
                                       : str(tile.rows) + ", " + str(tile.columns);
    line("tile.copy " + tileName(i) + " to %out[" + str(int(i)) + ", 0, 0] sizes [" +
         sizes + "] : " + tileType(tile) + " to memref<8x8x8xf64>");
  }
  if (program.outerTrips) {
    --depth;
    line("}");
  }
  if (program.inLaunch) {
    --depth;
    line("}");
  }
  std::string text = "func.func @f(";
  for (bool isWritable : {false, true})
    for (Type type : {F32, I32, F16})
      text += globalName(type, isWritable) + ": " + globalType(type) + ", ";
  text += "%out: memref<8x8x8xf64>, %one: index, %n: index) {\n";
  for (auto [type, value] : constants) {
    std::string number = str(value);
    if (isFloat(Type(type)))
      number += ".0";
    text += "  " + constant(Type(type), value) + " = arith.constant " + number +
            " : " + name(Type(type)) + "\n";
  }
  return text + body + "  return\n}\n";
}

} // namespace

std::string tilepipe::fuzz::emit(const Program &program) {
  return Emitter(program).run();
}
