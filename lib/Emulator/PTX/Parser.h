//===- Parser.h - Reads PTX text into a Program -----------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_PARSER_H
#define TILEPIPE_LIB_EMULATOR_PTX_PARSER_H

#include "Lexer.h"
#include "Opcodes.h"

#include <unordered_map>
#include <unordered_set>

namespace tilepipe::ptx {

/// What a name stands for.
struct Symbol {
  enum Kind : uint8_t { Register, Shared, Dynamic, Local, Param, Variable };
  Kind kind = Register;
  Class cls = Class::Word;
  uint32_t reg = 0, offset = 0;
  /// Address in its space. Shared variables get theirs when first used.
  uint64_t address = 0, bytes = 0;
  uint32_t align = 1;
  bool placed = true;
};

/// An operand as written.
struct RawOperand {
  enum Kind : uint8_t { Name, Number, Vector, Memory, Sink };
  Kind kind = Sink;
  Token token;
  bool negated = false, minus = false;
  /// Name after `|`.
  std::string second;
  int64_t displacement = 0;
  std::vector<RawOperand> parts;
};

class Parser {
public:
  Parser(Program &program) : program(program), lex(program.text) {}
  void run();

private:
  // Parser.cpp: declarations and scopes.
  void directive(const Token &at);
  void linkage();
  void entry(const Token &at);
  void skipBody();
  void skipStatement();
  void parameters();
  void bounds();
  void body();
  void statement();
  void bodyDirective(const Token &at);
  void registers();
  void variable(Space space, bool external);
  void initialiser(Variable &variable, Type type);
  void file();
  void location();
  void branchTargets();
  uint64_t integer();
  Symbol newRegister(Class cls, const std::string &name);
  void specialRegisters();
  Symbol *lookup(const std::string &name);
  void place(const std::string &name, Symbol &symbol);
  void resolveLabels();
  int32_t findLabel(const std::string &name, int scope, const Token &at);
  void finish();

  // Decode.cpp: instructions.
  RawOperand rawOperand();
  void callParameter();
  bool callSequence(Inst &inst);
  void emit(Inst &inst);
  void instruction(const Token &first, bool guarded);
  void guard(Inst &inst);
  void takeModifiers(Inst &inst, const OpcodeForm &form,
                     const std::vector<std::string> &words, unsigned from,
                     const Token &at);
  bool setModifier(Inst &inst, const std::string &word);
  void bindOperands(Inst &inst, const OpcodeForm &form,
                    std::vector<RawOperand> &raw, const Token &at);
  Operand bind(Inst &inst, char letter, RawOperand &raw, unsigned position);
  Operand bindVector(Inst &inst, RawOperand &raw, bool result, Class cls,
                     Type type);
  Operand bindMemory(Inst &inst, RawOperand &raw, unsigned position);
  Operand bindResult(RawOperand &raw, Class cls, bool wider);
  Operand bindSource(RawOperand &raw, Class cls, Type type, bool wider);
  Operand constant(Class cls, uint64_t value, bool dynamic = false);
  Operand asOperand(const Symbol &symbol);
  uint64_t immediate(const RawOperand &raw, Type type);
  void specialise(Inst &inst, std::vector<std::string> &words,
                  std::vector<RawOperand> &raw, const Token &at);
  void decodeMove(Inst &inst, std::vector<RawOperand> &raw, const Token &at);
  void decodeMma(Inst &inst, const std::vector<std::string> &words,
                 const Token &at);
  void noteAccess(const Inst &inst);
  [[noreturn]] void wrongOperand(const RawOperand &raw, const char *wanted);

  struct Scope {
    int parent = -1;
    std::unordered_map<std::string, Symbol> symbols;
    std::unordered_map<std::string, int32_t> labels;
    std::unordered_map<std::string, std::vector<Token>> tables;
    /// Parameters of a call that is written in this scope.
    std::unordered_set<std::string> callParameters;
  };
  struct Pending {
    uint32_t inst;
    int scope;
    Token label;
  };

  Program &program;
  Lexer lex;
  Kernel *kernel = nullptr;
  std::unordered_map<std::string, Symbol> globals;
  std::vector<Scope> scopes;
  int scope = 0;
  std::vector<Pending> branches;
  std::unordered_map<std::string, uint32_t> mnemonics;
  std::map<std::pair<uint64_t, int>, uint32_t> constants;
  /// Operands and constants relative to the dynamic shared array.
  std::vector<std::pair<uint32_t, unsigned>> dynamicMemory;
  std::vector<std::pair<uint32_t, Class>> dynamicConstants;
  uint32_t predicateRoom = 0, predicateNext = 0;
  uint32_t currentPlace = 0;
  std::string lastLabel;
  std::string mnemonic;
};

/// The special registers, in the order in which a warp fills them.
enum Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NTidX,
  NTidY,
  NTidZ,
  CtaX,
  CtaY,
  CtaZ,
  NCtaX,
  NCtaY,
  NCtaZ,
  LaneId,
  WarpId,
  NWarps,
  MaskEq,
  MaskLt,
  MaskLe,
  MaskGt,
  MaskGe,
  Zero32,
  SharedSize,
  Zero64,
  NumSpecial
};
/// Byte offset of a special register in every register file.
inline uint32_t specialOffset(unsigned special) { return special * 128; }

/// Fills in where the two sides of every branch meet.
void computeReconvergence(Kernel &kernel);
/// The handler of a lane-by-lane instruction, or null if there is none for
/// these types and modifiers.
Handler selectHandler(const Inst &inst);
/// The class of register a type is kept in.
inline Class classOf(Type type) {
  return type == Type::Pred  ? Class::Pred
         : sizeOf(type) == 8 ? Class::Dword
                             : Class::Word;
}

} // namespace tilepipe::ptx

#endif // TILEPIPE_LIB_EMULATOR_PTX_PARSER_H
