//===- Program.h - A parsed PTX module, ready to run ------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoded form: every register has its place in a register file of 32-lane
// rows, every immediate a row in a pool of constants, every symbol an address,
// every branch a target and the place where its two sides meet again.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_EMULATOR_PTX_PROGRAM_H
#define TILEPIPE_EMULATOR_PTX_PROGRAM_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilepipe::ptx {

enum class Type : uint8_t {
  None,
  B8,
  B16,
  B32,
  B64,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  F16X2,
  BF16X2,
  U16X2,
  S16X2,
  TF32,
  F32,
  F64,
  Pred
};

/// Bytes of a value of the type in memory.
unsigned sizeOf(Type type);
bool isSigned(Type type);
bool isFloat(Type type);
/// "f32", or "" for Type::None.
const char *nameOf(Type type);
/// The type a modifier names, or Type::None.
Type parseType(const std::string &text);

enum class Space : uint8_t { Generic, Global, Shared, Param, Local, Const };

/// Where the address spaces lie in the generic space. Global buffers lie
/// between `globalBase` and `localWindow`.
constexpr uint64_t sharedWindow = 1ull << 60;
constexpr uint64_t localWindow = 1ull << 59;
constexpr uint64_t paramWindow = 1ull << 58;
constexpr uint64_t variableBase = 1ull << 34;
constexpr uint64_t globalBase = 1ull << 36;
/// First address of user shared memory: the system keeps 1 KiB from sm_80 on,
/// and an address of 0 is never one the program asked for.
constexpr uint32_t sharedStart = 1024;

enum class Op : uint8_t {
  // Lane by lane; `Inst::fn` does the work.
  Add,
  Sub,
  Mul,
  MulWide,
  Mul24,
  Mad,
  MadWide,
  Mad24,
  Fma,
  Sad,
  Div,
  Rem,
  Abs,
  Neg,
  Min,
  Max,
  And,
  Or,
  Xor,
  Not,
  Cnot,
  Lop3,
  Shl,
  Shr,
  Shf,
  Bfe,
  Bfi,
  Bfind,
  Brev,
  Clz,
  Popc,
  Prmt,
  Setp,
  Selp,
  Slct,
  Cvt,
  CvtPack,
  Mov,
  Rcp,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Lg2,
  Ex2,
  Tanh,
  Testp,
  Copysign,
  Dp4a,
  // The others.
  MovPack,
  MovUnpack,
  MovPred,
  AndPred,
  OrPred,
  XorPred,
  NotPred,
  Cvta,
  Isspacep,
  Ld,
  St,
  Atom,
  Red,
  Nop,
  CreatePolicy,
  Bra,
  BrxIdx,
  Ret,
  Exit,
  Trap,
  BarSync,
  BarArrive,
  BarRed,
  BarWarp,
  Fence,
  Shfl,
  Vote,
  Match,
  Redux,
  ActiveMask,
  CpAsync,
  CpCommit,
  CpWait,
  CpWaitAll,
  LdMatrix,
  MovMatrix,
  Mma,
  Refused
};

enum class Compare : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};
enum class Bool : uint8_t { None, And, Or, Xor };
enum class Round : uint8_t { None, Rn, Rz, Rm, Rp, Rna, Rni, Rzi, Rmi, Rpi };
enum class Atomic : uint8_t {
  Add,
  Min,
  Max,
  Exch,
  Cas,
  And,
  Or,
  Xor,
  Inc,
  Dec
};
enum class Mode : uint8_t {
  None,
  Up,
  Down,
  Bfly,
  Idx,
  Any,
  All,
  Uni,
  Ballot,
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Popc
};

/// How a register is kept: a mask of 32 predicates, 32 words, 32 double words.
enum class Class : uint8_t { Pred, Word, Dword };

struct Operand {
  enum Kind : uint8_t { None, Register, Constant, Vector, Memory, Label, Sink };
  Kind kind = None;
  Class cls = Class::Word;
  bool negated = false;
  /// 0: in the register file, 1: in the pool of constants.
  uint8_t base = 0;
  /// Number of the register; 0 stands for what is always defined.
  uint32_t reg = 0;
  /// Bytes from the start of the register file or of the pool.
  uint32_t offset = 0;
  /// Elements of a vector in `Kernel::elements`; targets of a `.branchtargets`.
  uint32_t first = 0, count = 0;
  /// Immediate or displacement.
  int64_t value = 0;
  bool isValue() const { return kind == Register || kind == Constant; }
};

struct WarpState;
struct Inst;
/// Executes a lane-by-lane instruction under a mask.
using Handler = void (*)(WarpState &, const Inst &, uint32_t mask);

struct Inst {
  Handler fn = nullptr;
  Op op = Op::Nop;
  Type type = Type::None, type2 = Type::None;
  Space space = Space::Generic;
  Compare compare = Compare::Eq;
  Bool combine = Bool::None;
  Round round = Round::None;
  Atomic atomic = Atomic::Add;
  Mode mode = Mode::None;
  uint8_t vector = 1;
  bool ftz = false, sat = false, hi = false, approx = false, nan = false,
       relu = false, trans = false, wrap = false, left = false, strong = false,
       volatile_ = false, to = false, uni = false;
  /// x1/x2/x4 of ldmatrix, k of mma.
  uint8_t number = 0;
  uint8_t numOperands = 0;
  /// Guarding predicate: offset in the register file, or -1.
  int32_t guard = -1;
  uint32_t guardReg = 0;
  bool guardNegated = false;
  /// Result; the second result of `p|q`; sources and addresses in order.
  Operand ops[6];
  Operand second;
  /// Branch target and reconvergence point (-1: the end of the thread).
  int32_t target = -1, reconverge = -1;
  /// Line in the PTX, and the bytes of the text it came from.
  uint32_t line = 0, begin = 0, end = 0;
  /// Index in `Program::places`, 0 for none.
  uint32_t place = 0;
  /// Index in `Program::mnemonics`.
  uint32_t mnemonic = 0;
};

/// A place in the user's source, from `.loc`.
struct Place {
  uint32_t file = 0, line = 0, column = 0;
};

struct Param {
  std::string name;
  Type type = Type::None;
  uint32_t offset = 0, bytes = 0;
};

struct SharedVariable {
  std::string name;
  uint32_t address = 0;
  uint64_t bytes = 0;
  uint32_t align = 1;
  bool external = false;
};

struct Kernel {
  std::string name;
  uint32_t line = 0;
  std::vector<Param> params;
  uint32_t paramBytes = 0;
  std::vector<SharedVariable> shared;
  /// Bytes of statically declared shared memory, and where the array whose
  /// size the launch gives begins.
  uint32_t staticShared = 0, dynamicStart = sharedStart, dynamicAlign = 1;
  bool hasDynamic = false;
  uint32_t localBytes = 0;
  uint32_t maxThreads[3] = {0, 0, 0}, requiredThreads[3] = {0, 0, 0};
  std::vector<Inst> code;
  std::vector<Operand> elements;
  /// Targets of brx.idx tables.
  std::vector<int32_t> branchTargets;
  std::vector<std::string> registerNames;
  uint32_t fileBytes = 0;
  std::vector<uint8_t> pool;
  /// The kernel has atomics or fences: blocks may talk to each other.
  bool communicates = false;
};

/// A `.global` or `.const` variable of the module.
struct Variable {
  std::string name;
  uint64_t address = 0, bytes = 0;
  bool constant = false;
  std::vector<uint8_t> initial;
};

struct Program {
  std::string text, version, target;
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;
  std::vector<Place> places;
  std::map<uint32_t, std::string> files;
  std::vector<std::string> mnemonics;

  /// The instruction as it stands in the text, on one line.
  std::string textOf(const Inst &inst) const;
  /// "gemm.py:17:5", or "" where no `.loc` covers the instruction.
  std::string placeOf(const Inst &inst) const;
  const Kernel *find(const std::string &name) const;
};

/// Parses the text. On failure returns null and sets `error` to
/// "line:column: what is wrong".
std::unique_ptr<Program> parse(std::string text, std::string &error);

/// One synchronising instruction removed or loosened.
struct Mutant {
  uint32_t kernel, line, begin, end;
  std::string kind, replacement;
};
std::vector<Mutant> syncMutants(const Program &program);

/// How often each opcode with its modifiers stands in the program.
std::map<std::string, uint64_t> census(const Program &program);

} // namespace tilepipe::ptx

#endif // TILEPIPE_EMULATOR_PTX_PROGRAM_H
