//===- Decode.cpp - Instructions of PTX and their operands ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include <cstring>

using namespace tilepipe::ptx;

static std::vector<std::string> splitWords(const std::string &text) {
  std::vector<std::string> words;
  for (size_t from = 0; from <= text.size();) {
    size_t dot = std::min(text.find('.', from), text.size());
    words.push_back(text.substr(from, dot - from));
    from = dot + 1;
  }
  return words;
}

void Parser::guard(Inst &inst) {
  inst.guardNegated = lex.eat('!');
  Token name = lex.take();
  Symbol *symbol = lookup(name.text);
  if (!symbol || symbol->kind != Symbol::Register || symbol->cls != Class::Pred)
    Lexer::fail(name, Lexer::quote(name) + " is not a predicate register");
  inst.guard = symbol->offset;
  inst.guardReg = symbol->reg;
}

void Parser::instruction(const Token &first, bool guarded) {
  Inst inst;
  inst.line = first.line;
  inst.begin = first.begin;
  inst.place = currentPlace;
  Token at = first;
  if (guarded) {
    guard(inst);
    at = lex.take();
    if (at.kind != Token::Word)
      Lexer::fail(at, "expected an instruction, got " + Lexer::quote(at));
  }
  mnemonic = at.text;
  if (callSequence(inst))
    return;
  std::vector<std::string> words = splitWords(mnemonic);
  unsigned taken = 0;
  const OpcodeForm *form = findForm(words, taken);
  if (!form)
    Lexer::fail(at, "unknown instruction '" + mnemonic + "'");
  inst.op = form->op;
  if (inst.op == Op::Refused)
    Lexer::fail(at, "'" + mnemonic +
                        "': device functions are not modelled; inline them");
  takeModifiers(inst, *form, words, taken, at);
  std::vector<RawOperand> raw;
  if (!lex.peek().is(';'))
    do
      raw.push_back(rawOperand());
    while (lex.eat(','));
  inst.end = lex.peek().end;
  lex.expect(';');
  if (inst.op == Op::Ld && raw.size() == 2 &&
      scopes[scope].callParameters.count(raw[1].token.text))
    return; // the result of a call, which nothing can depend on
  specialise(inst, words, raw, at);
  if (inst.op == Op::MovPack || inst.op == Op::MovUnpack)
    decodeMove(inst, raw, at);
  else
    bindOperands(inst, *form, raw, at);
  if (inst.op == Op::Mma)
    decodeMma(inst, words, at);
  if (inst.op <= Op::Dp4a) {
    if (inst.ops[0].kind != Operand::Register)
      Lexer::fail(at, "'" + mnemonic + "' needs a register for its result");
    inst.fn = selectHandler(inst);
    if (!inst.fn)
      Lexer::fail(at, "'" + mnemonic +
                          "' is not modelled with these modifiers and types");
  }
  noteAccess(inst);
  emit(inst);
}

void Parser::emit(Inst &inst) {
  auto [it, fresh] = mnemonics.emplace(mnemonic, program.mnemonics.size());
  if (fresh)
    program.mnemonics.push_back(mnemonic);
  inst.mnemonic = it->second;
  kernel->code.push_back(inst);
}

/// Sets what a modifier means for this instruction; false if it means nothing.
bool Parser::setModifier(Inst &inst, const std::string &word) {
  static const std::unordered_map<std::string, Compare> compares = {
      {"eq", Compare::Eq},   {"ne", Compare::Ne},   {"lt", Compare::Lt},
      {"le", Compare::Le},   {"gt", Compare::Gt},   {"ge", Compare::Ge},
      {"lo", Compare::Lt},   {"ls", Compare::Le},   {"hi", Compare::Gt},
      {"hs", Compare::Ge},   {"equ", Compare::Equ}, {"neu", Compare::Neu},
      {"ltu", Compare::Ltu}, {"leu", Compare::Leu}, {"gtu", Compare::Gtu},
      {"geu", Compare::Geu}, {"num", Compare::Num}, {"nan", Compare::Nan}};
  static const std::unordered_map<std::string, Round> rounds = {
      {"rn", Round::Rn},   {"rz", Round::Rz},   {"rm", Round::Rm},
      {"rp", Round::Rp},   {"rna", Round::Rna}, {"rni", Round::Rni},
      {"rzi", Round::Rzi}, {"rmi", Round::Rmi}, {"rpi", Round::Rpi}};
  static const std::unordered_map<std::string, Atomic> atomics = {
      {"add", Atomic::Add},   {"min", Atomic::Min}, {"max", Atomic::Max},
      {"exch", Atomic::Exch}, {"cas", Atomic::Cas}, {"and", Atomic::And},
      {"or", Atomic::Or},     {"xor", Atomic::Xor}, {"inc", Atomic::Inc},
      {"dec", Atomic::Dec}};
  static const std::unordered_map<std::string, Mode> modes = {
      {"up", Mode::Up},   {"down", Mode::Down},     {"bfly", Mode::Bfly},
      {"idx", Mode::Idx}, {"any", Mode::Any},       {"all", Mode::All},
      {"uni", Mode::Uni}, {"ballot", Mode::Ballot}, {"add", Mode::Add},
      {"min", Mode::Min}, {"max", Mode::Max},       {"and", Mode::And},
      {"or", Mode::Or},   {"xor", Mode::Xor},       {"popc", Mode::Popc}};
  static const std::unordered_map<std::string, Space> spaces = {
      {"global", Space::Global},      {"shared", Space::Shared},
      {"shared::cta", Space::Shared}, {"param", Space::Param},
      {"param::entry", Space::Param}, {"local", Space::Local},
      {"const", Space::Const}};
  auto in = [&](const auto &table, auto &field) {
    auto it = table.find(word);
    if (it == table.end())
      return false;
    field = it->second;
    return true;
  };
  static const std::unordered_map<std::string, bool Inst::*> flags = {
      {"ftz", &Inst::ftz},
      {"sat", &Inst::sat},
      {"satfinite", &Inst::sat},
      {"approx", &Inst::approx},
      {"full", &Inst::approx},
      {"NaN", &Inst::nan},
      {"relu", &Inst::relu},
      {"trans", &Inst::trans},
      {"wrap", &Inst::wrap},
      {"shiftamt", &Inst::wrap},
      {"to", &Inst::to},
      {"l", &Inst::left},
      {"volatile", &Inst::volatile_},
      {"relaxed", &Inst::strong},
      {"acquire", &Inst::strong},
      {"release", &Inst::strong},
      {"acq_rel", &Inst::strong}};
  if (inst.op == Op::Setp) {
    static const std::unordered_map<std::string, Bool> bools = {
        {"and", Bool::And}, {"or", Bool::Or}, {"xor", Bool::Xor}};
    if (in(compares, inst.compare) || in(bools, inst.combine))
      return true;
  } else if (inst.op == Op::Atom || inst.op == Op::Red) {
    if (in(atomics, inst.atomic))
      return true;
  } else if (inst.op == Op::Testp) {
    static const char *const tests[] = {"finite",     "infinite", "number",
                                        "notanumber", "normal",   "subnormal"};
    for (unsigned i = 0; i < 6; ++i)
      if (word == tests[i])
        return inst.number = i + 1;
  } else if (inst.op == Op::Shfl || inst.op == Op::Vote ||
             inst.op == Op::Redux || inst.op == Op::BarRed ||
             inst.op == Op::Match) {
    if (in(modes, inst.mode))
      return true;
  }
  if (word == "hi")
    return inst.hi = true;
  if (word == "v2" || word == "v4" || word == "x1" || word == "x2" ||
      word == "x4") {
    (word[0] == 'v' ? inst.vector : inst.number) = word[1] - '0';
    return true;
  }
  auto flag = flags.find(word);
  if (flag != flags.end())
    return inst.*flag->second = true;
  return in(rounds, inst.round) || in(spaces, inst.space);
}

void Parser::takeModifiers(Inst &inst, const OpcodeForm &form,
                           const std::vector<std::string> &words, unsigned from,
                           const Token &at) {
  for (unsigned i = 1; i < from; ++i)
    setModifier(inst, words[i]);
  bool any = std::strcmp(form.types, "*") == 0;
  std::string wanted = form.types;
  size_t slash = wanted.find('/');
  unsigned expected = wanted.empty() ? 0 : slash == std::string::npos ? 1 : 2;
  unsigned types = 0;
  for (unsigned i = from; i < words.size(); ++i) {
    const std::string &word = words[i];
    // `cp.async.cg` has no type; `and.pred` is found by its name.
    Type type = parseType(word);
    if (type == Type::None || contains(form.modifiers, word)) {
      if (!contains(form.modifiers, word))
        Lexer::fail(at,
                    "unknown modifier '." + word + "' of '" + mnemonic + "'");
      setModifier(inst, word);
      continue;
    }
    if (any)
      continue;
    std::string list = types == 0                   ? wanted.substr(0, slash)
                       : slash == std::string::npos ? ""
                                                    : wanted.substr(slash + 1);
    if (types >= expected || !contains(list.c_str(), word))
      Lexer::fail(at,
                  "type '." + word + "' of '" + mnemonic + "' is not modelled");
    (types++ == 0 ? inst.type : inst.type2) = type;
  }
  if (!any && types != expected)
    Lexer::fail(at, "'" + mnemonic + "' needs " + std::to_string(expected) +
                        " types, has " + std::to_string(types));
  if (inst.type2 == Type::None)
    inst.type2 = inst.type;
}

/// Where operands or two words together decide what the instruction is.
void Parser::specialise(Inst &inst, std::vector<std::string> &words,
                        std::vector<RawOperand> &raw, const Token &at) {
  auto count = [&](size_t n) {
    if (raw.size() != n)
      Lexer::fail(at, "'" + mnemonic + "' takes " + std::to_string(n) +
                          " operands, has " + std::to_string(raw.size()));
  };
  if (inst.op == Op::Mov && raw.size() == 2) {
    if (raw[1].kind == RawOperand::Vector)
      inst.op = Op::MovPack;
    else if (raw[0].kind == RawOperand::Vector)
      inst.op = Op::MovUnpack;
  } else if (inst.op == Op::Cvt) {
    bool packed = inst.type == Type::F16X2 || inst.type == Type::BF16X2;
    count(packed ? 3 : 2);
    if (packed)
      inst.op = Op::CvtPack;
  } else if (inst.op == Op::Setp) {
    count(inst.combine == Bool::None ? 3 : 4);
  } else if (inst.op == Op::Atom && inst.atomic == Atomic::Cas) {
    if (raw.size() < 4)
      count(4);
  } else if (inst.op == Op::Ld && inst.space == Space::Const) {
    inst.space = Space::Global;
  }
}

void Parser::bindOperands(Inst &inst, const OpcodeForm &form,
                          std::vector<RawOperand> &raw, const Token &at) {
  unsigned position = 0;
  bool optional = false;
  for (const char *letter = form.operands; *letter; ++letter) {
    if (*letter == '?') {
      optional = true;
      continue;
    }
    if (position == raw.size()) {
      if (optional)
        return;
      break;
    }
    if (*letter != 'A')
      inst.ops[position] = bind(inst, *letter, raw[position], position);
    inst.numOperands = ++position;
  }
  size_t wanted = 0, least = 0;
  for (const char *letter = form.operands; *letter && *letter != '?'; ++letter)
    ++least;
  for (const char *letter = form.operands; *letter; ++letter)
    wanted += *letter != '?';
  if (raw.size() < least || raw.size() > wanted)
    Lexer::fail(at,
                "'" + mnemonic + "' takes " + std::to_string(least) +
                    (wanted != least ? " to " + std::to_string(wanted) : "") +
                    " operands, has " + std::to_string(raw.size()));
}

/// `mov.b32 %r, {%a, %b}` and its inverse.
void Parser::decodeMove(Inst &inst, std::vector<RawOperand> &raw,
                        const Token &at) {
  bool pack = inst.op == Op::MovPack;
  RawOperand &vector = raw[pack ? 1 : 0], &scalar = raw[pack ? 0 : 1];
  unsigned count = vector.parts.size(), size = sizeOf(inst.type);
  if ((count != 2 && count != 4) || size % count)
    Lexer::fail(at, "'" + mnemonic + "' cannot be split into " +
                        std::to_string(count) + " elements");
  unsigned part = size / count;
  Type type = part == 4 ? Type::B32 : part == 2 ? Type::B16 : Type::B8;
  inst.numOperands = 2;
  inst.number = part;
  Class cls = classOf(inst.type);
  inst.ops[pack ? 1 : 0] = bindVector(inst, vector, !pack, Class::Word, type);
  inst.ops[pack ? 0 : 1] = pack ? bindResult(scalar, cls, false)
                                : bindSource(scalar, cls, inst.type, false);
}

/// Each register of a fragment holds 8 rows of 16 bytes (see Mma.cpp), so the
/// sizes of all fragments follow from the shape and the element.
void Parser::decodeMma(Inst &inst, const std::vector<std::string> &words,
                       const Token &at) {
  std::vector<Type> types;
  for (const std::string &word : words) {
    if (word.size() > 6 && word.compare(0, 6, "m16n8k") == 0)
      inst.number = std::strtoul(word.c_str() + 6, nullptr, 10);
    if (parseType(word) != Type::None)
      types.push_back(parseType(word));
  }
  bool known = types.size() == 4 && inst.number && words.size() > 5 &&
               words[4] == "row" && words[5] == "col";
  Type a = known ? types[1] : Type::None, b = known ? types[2] : Type::None;
  bool bytes =
      (a == Type::S8 || a == Type::U8) && (b == Type::S8 || b == Type::U8);
  known = known && types[0] == types[3] && (a == b || bytes);
  unsigned size = bytes ? 1 : a == Type::TF32 ? 4 : 2;
  unsigned groups = inst.number * size / 16;
  known = known && (groups == 1 || groups == 2) &&
          groups * 16 == inst.number * size;
  if (bytes)
    known = known && types[0] == Type::S32;
  else if (a == Type::F16)
    known = known && (types[0] == Type::F32 || types[0] == Type::F16);
  else
    known =
        known && (a == Type::BF16 || a == Type::TF32) && types[0] == Type::F32;
  if (!known)
    Lexer::fail(at, "'" + mnemonic + "': shape and types are not modelled");
  unsigned results = types[0] == Type::F16 ? 2 : 4;
  const unsigned counts[4] = {results, 2 * groups, groups, results};
  for (unsigned i = 0; i < 4; ++i)
    if (inst.ops[i].count != counts[i])
      Lexer::fail(at, "operand " + std::to_string(i) + " of '" + mnemonic +
                          "' has " + std::to_string(inst.ops[i].count) +
                          " registers, needs " + std::to_string(counts[i]));
  for (unsigned i = 0; i < results; ++i)
    if (kernel->elements[inst.ops[0].first + i].kind != Operand::Register)
      Lexer::fail(at, "'" + mnemonic + "' needs registers for its result");
  inst.type = types[0];
  inst.type2 = a;
  inst.to = b == Type::U8;
}

/// What the monitors must know beforehand.
void Parser::noteAccess(const Inst &inst) {
  bool atomic = inst.op == Op::Atom || inst.op == Op::Red;
  if (inst.op == Op::LdMatrix &&
      inst.ops[0].count != std::max<unsigned>(inst.number, 1))
    lex.fail("'" + mnemonic + "' has " + std::to_string(inst.ops[0].count) +
             " result registers");
  if (atomic || inst.op == Op::Fence || inst.strong || inst.volatile_)
    kernel->communicates = true;
}
