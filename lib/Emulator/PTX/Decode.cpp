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

RawOperand Parser::rawOperand() {
  RawOperand raw;
  if (lex.eat('!')) {
    raw = rawOperand();
    raw.negated = !raw.negated;
    return raw;
  }
  raw.token = lex.peek();
  if (lex.eat('{') || lex.peek().is('(')) {
    if (lex.eat('('))
      Lexer::fail(raw.token, "constant expressions and calls are not modelled");
    raw.kind = RawOperand::Vector;
    do {
      if (lex.peek().is('{'))
        lex.fail("nested vector");
      raw.parts.push_back(rawOperand());
    } while (lex.eat(','));
    lex.expect('}');
    return raw;
  }
  if (lex.eat('[')) {
    raw.kind = RawOperand::Memory;
    raw.token = lex.take();
    if (raw.token.kind != Token::Word && raw.token.kind != Token::Number)
      Lexer::fail(raw.token, "expected an address, got " + Lexer::quote(raw.token));
    for (;;) {
      bool plus = lex.eat('+');
      bool minus = lex.eat('-');
      if (!plus && !minus)
        break;
      int64_t value = static_cast<int64_t>(integer());
      raw.displacement += minus ? -value : value;
    }
    lex.expect(']');
    return raw;
  }
  raw.minus = lex.eat('-');
  raw.token = lex.take();
  if (raw.token.kind == Token::Number) {
    raw.kind = RawOperand::Number;
    return raw;
  }
  if (raw.token.kind != Token::Word || raw.minus)
    Lexer::fail(raw.token, "expected an operand, got " + Lexer::quote(raw.token));
  raw.kind = raw.token.text == "_" ? RawOperand::Sink : RawOperand::Name;
  if (lex.eat('|')) {
    Token second = lex.take();
    if (second.kind != Token::Word)
      Lexer::fail(second, "expected a register, got " + Lexer::quote(second));
    raw.second = second.text;
  }
  return raw;
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
  std::vector<std::string> words = splitWords(mnemonic);
  unsigned taken = 0;
  const OpcodeForm *form = findForm(words, taken);
  if (!form)
    Lexer::fail(at, "unknown instruction '" + mnemonic + "'");
  inst.op = form->op;
  if (inst.op == Op::Refused)
    Lexer::fail(at, "'" + mnemonic + "': device functions are not modelled; inline them");
  takeModifiers(inst, *form, words, taken, at);
  std::vector<RawOperand> raw;
  if (!lex.peek().is(';'))
    do
      raw.push_back(rawOperand());
    while (lex.eat(','));
  inst.end = lex.peek().end;
  lex.expect(';');
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
      Lexer::fail(at, "'" + mnemonic + "' is not modelled with these modifiers and types");
  }
  noteAccess(inst);
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
      {"add", Atomic::Add}, {"min", Atomic::Min}, {"max", Atomic::Max},
      {"exch", Atomic::Exch}, {"cas", Atomic::Cas}, {"and", Atomic::And},
      {"or", Atomic::Or}, {"xor", Atomic::Xor}, {"inc", Atomic::Inc},
      {"dec", Atomic::Dec}};
  static const std::unordered_map<std::string, Mode> modes = {
      {"up", Mode::Up}, {"down", Mode::Down}, {"bfly", Mode::Bfly},
      {"idx", Mode::Idx}, {"any", Mode::Any}, {"all", Mode::All},
      {"uni", Mode::Uni}, {"ballot", Mode::Ballot}, {"add", Mode::Add},
      {"min", Mode::Min}, {"max", Mode::Max}, {"and", Mode::And},
      {"or", Mode::Or}, {"xor", Mode::Xor}, {"popc", Mode::Popc}};
  static const std::unordered_map<std::string, Space> spaces = {
      {"global", Space::Global}, {"shared", Space::Shared},
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
      {"ftz", &Inst::ftz}, {"sat", &Inst::sat}, {"satfinite", &Inst::sat},
      {"approx", &Inst::approx}, {"full", &Inst::approx}, {"NaN", &Inst::nan},
      {"relu", &Inst::relu}, {"trans", &Inst::trans}, {"wrap", &Inst::wrap},
      {"shiftamt", &Inst::wrap}, {"to", &Inst::to}, {"l", &Inst::left},
      {"volatile", &Inst::volatile_}, {"relaxed", &Inst::strong},
      {"acquire", &Inst::strong}, {"release", &Inst::strong},
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
    static const char *const tests[] = {"finite", "infinite", "number",
                                        "notanumber", "normal", "subnormal"};
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
  if (word == "v2" || word == "v4" || word == "x1" || word == "x2" || word == "x4") {
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
        Lexer::fail(at, "unknown modifier '." + word + "' of '" + mnemonic + "'");
      setModifier(inst, word);
      continue;
    }
    if (any)
      continue;
    std::string list = types == 0 ? wanted.substr(0, slash) : slash == std::string::npos ? "" : wanted.substr(slash + 1);
    if (types >= expected || !contains(list.c_str(), word))
      Lexer::fail(at, "type '." + word + "' of '" + mnemonic + "' is not modelled");
    (types++ == 0 ? inst.type : inst.type2) = type;
  }
  if (!any && types != expected)
    Lexer::fail(at, "'" + mnemonic + "' needs " + std::to_string(expected) + " types, has " + std::to_string(types));
  if (inst.type2 == Type::None)
    inst.type2 = inst.type;
}

/// Where operands or two words together decide what the instruction is.
void Parser::specialise(Inst &inst, std::vector<std::string> &words,
                        std::vector<RawOperand> &raw, const Token &at) {
  auto count = [&](size_t n) {
    if (raw.size() != n)
      Lexer::fail(at, "'" + mnemonic + "' takes " + std::to_string(n) + " operands, has " + std::to_string(raw.size()));
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
    Lexer::fail(at, "'" + mnemonic + "' takes " + std::to_string(least) + (wanted != least ? " to " + std::to_string(wanted) : "") + " operands, has " + std::to_string(raw.size()));
}

void Parser::wrongOperand(const RawOperand &raw, const char *wanted) {
  Lexer::fail(raw.token, "'" + mnemonic + "' takes " + wanted + " here, not " + Lexer::quote(raw.token));
}

Operand Parser::bind(Inst &inst, char letter, RawOperand &raw,
                     unsigned position) {
  Class first = classOf(inst.type), second = classOf(inst.type2);
  bool relaxed = inst.op == Op::Ld || inst.op == Op::St || inst.op == Op::Cvt;
  switch (letter) {
  case 'D':
    return bindResult(raw, first, relaxed);
  case 'S':
    return bindSource(raw, first, inst.type, relaxed);
  case 'E':
    return bindResult(raw, second, relaxed);
  case 'T':
    return bindSource(raw, second, inst.type2, relaxed);
  case 'X':
    return bindResult(raw, sizeOf(inst.type) == 4 ? Class::Dword : Class::Word, false);
  case 'x':
    return bindSource(raw, sizeOf(inst.type) == 4 ? Class::Dword : Class::Word,
                      sizeOf(inst.type) == 4 ? Type::B64 : Type::B32, false);
  case 'G':
    return bindResult(raw, Class::Word, false);
  case 'B':
    return bindSource(raw, Class::Word, Type::B32, false);
  case 'a':
    return bindSource(raw, Class::Dword, Type::B64, true);
  case 'p':
    return bindSource(raw, Class::Pred, Type::Pred, false);
  case 'P':
  case 'w': {
    if (!raw.second.empty()) {
      RawOperand other;
      other.kind = raw.second == "_" ? RawOperand::Sink : RawOperand::Name;
      other.token = raw.token;
      other.token.text = raw.second;
      inst.second = bindResult(other, Class::Pred, false);
    }
    return bindResult(raw, letter == 'P' ? Class::Pred : Class::Word, false);
  }
  case 'V':
  case 'v': {
    bool result = letter == 'V' && position == 0;
    if (raw.kind == RawOperand::Vector) {
      if (raw.parts.size() != inst.vector)
        Lexer::fail(raw.token, "'" + mnemonic + "' takes " + std::to_string(inst.vector) + " elements, has " + std::to_string(raw.parts.size()));
      return bindVector(inst, raw, result, first, inst.type);
    }
    if (inst.vector != 1)
      wrongOperand(raw, "a vector");
    return result ? bindResult(raw, first, relaxed)
                  : bindSource(raw, first, inst.type, relaxed);
  }
  case 'F':
  case 'f':
    if (raw.kind != RawOperand::Vector) {
      RawOperand wrapped;
      wrapped.kind = RawOperand::Vector;
      wrapped.token = raw.token;
      wrapped.parts.push_back(raw);
      return bindVector(inst, wrapped, letter == 'F', Class::Word, Type::B32);
    }
    return bindVector(inst, raw, letter == 'F', Class::Word, Type::B32);
  case 'M':
    return bindMemory(inst, raw, position);
  case 'i': {
    if (raw.kind != RawOperand::Number)
      wrongOperand(raw, "a number");
    Operand operand;
    operand.kind = Operand::Constant;
    operand.value = immediate(raw, Type::B64);
    return operand;
  }
  default: // 'L'
    if (raw.kind != RawOperand::Name)
      wrongOperand(raw, "a label");
    branches.push_back({uint32_t(kernel->code.size()), scope, raw.token});
    Operand operand;
    operand.kind = Operand::Label;
    return operand;
  }
}

Operand Parser::asOperand(const Symbol &symbol) {
  Operand operand;
  operand.kind = Operand::Register;
  operand.cls = symbol.cls;
  operand.reg = symbol.reg;
  operand.offset = symbol.offset;
  return operand;
}

Operand Parser::bindResult(RawOperand &raw, Class cls, bool wider) {
  if (raw.kind == RawOperand::Sink) {
    Operand operand;
    operand.kind = Operand::Sink;
    operand.cls = cls;
    return operand;
  }
  Symbol *symbol = raw.kind == RawOperand::Name && !raw.negated ? lookup(raw.token.text) : nullptr;
  if (raw.kind == RawOperand::Name && !symbol)
    Lexer::fail(raw.token, "unknown register " + Lexer::quote(raw.token));
  if (!symbol || symbol->kind != Symbol::Register || symbol->reg <= NumSpecial)
    wrongOperand(raw, "a register");
  if (symbol->cls != cls && !(wider && cls == Class::Word && symbol->cls == Class::Dword))
    wrongOperand(raw, cls == Class::Pred    ? "a predicate"
                      : cls == Class::Word ? "a register of at most 32 bits"
                                           : "a register of 64 bits");
  return asOperand(*symbol);
}

Operand Parser::bindSource(RawOperand &raw, Class cls, Type type, bool wider) {
  if (raw.kind == RawOperand::Number)
    return constant(cls, immediate(raw, type));
  if (raw.kind != RawOperand::Name)
    wrongOperand(raw, "a register or a number");
  if (raw.token.text == "WARP_SZ")
    return constant(cls, 32);
  Symbol *symbol = lookup(raw.token.text);
  if (!symbol)
    Lexer::fail(raw.token, "unknown register " + Lexer::quote(raw.token));
  if (symbol->kind != Symbol::Register) {
    if (cls == Class::Pred || raw.negated)
      wrongOperand(raw, "a predicate");
    bool dynamic = symbol->kind == Symbol::Dynamic;
    return constant(cls, dynamic ? 0 : symbol->address, dynamic);
  }
  if (symbol->cls != cls &&
      !(wider && (cls == Class::Pred) == (symbol->cls == Class::Pred)))
    wrongOperand(raw, cls == Class::Pred    ? "a predicate"
                      : cls == Class::Word ? "a register of at most 32 bits"
                                           : "a register of 64 bits");
  if (raw.negated && cls != Class::Pred)
    wrongOperand(raw, "a register");
  Operand operand = asOperand(*symbol);
  operand.negated = raw.negated;
  return operand;
}

Operand Parser::bindVector(Inst &inst, RawOperand &raw, bool result, Class cls,
                           Type type) {
  Operand operand;
  operand.kind = Operand::Vector;
  operand.cls = cls;
  std::vector<Operand> parts;
  bool wider = inst.op == Op::Ld || inst.op == Op::St;
  for (RawOperand &part : raw.parts)
    parts.push_back(result ? bindResult(part, cls, wider)
                           : bindSource(part, cls, type, wider));
  operand.first = kernel->elements.size();
  operand.count = parts.size();
  kernel->elements.insert(kernel->elements.end(), parts.begin(), parts.end());
  return operand;
}

Operand Parser::bindMemory(Inst &inst, RawOperand &raw, unsigned position) {
  if (raw.kind != RawOperand::Memory)
    wrongOperand(raw, "an address");
  Operand operand;
  operand.kind = Operand::Memory;
  operand.value = raw.displacement;
  if (raw.token.kind == Token::Number) {
    uint64_t value;
    bool isDouble;
    if (!parseNumber(raw.token.text, value, isDouble))
      Lexer::fail(raw.token, "expected an address, got " + Lexer::quote(raw.token));
    operand.value += value;
    return operand;
  }
  Symbol *symbol = lookup(raw.token.text);
  if (!symbol)
    Lexer::fail(raw.token, "unknown name " + Lexer::quote(raw.token));
  if (symbol->kind == Symbol::Register) {
    if (symbol->cls == Class::Pred)
      wrongOperand(raw, "an address");
    operand.cls = symbol->cls;
    operand.reg = symbol->reg;
    operand.offset = symbol->offset;
    return operand;
  }
  Space space = symbol->kind == Symbol::Param      ? Space::Param
                : symbol->kind == Symbol::Local    ? Space::Local
                : symbol->kind == Symbol::Variable ? Space::Global
                                                   : Space::Shared;
  if (inst.op != Op::CpAsync && inst.space != space)
    Lexer::fail(raw.token, Lexer::quote(raw.token) + " is not in the space that '" + mnemonic + "' accesses");
  operand.value += symbol->address;
  if (symbol->kind == Symbol::Dynamic)
    dynamicMemory.push_back({uint32_t(kernel->code.size()), position});
  return operand;
}

uint64_t Parser::immediate(const RawOperand &raw, Type type) {
  uint64_t value;
  bool isDouble;
  if (!parseNumber(raw.token.text, value, isDouble))
    Lexer::fail(raw.token, "malformed number " + Lexer::quote(raw.token));
  if (isDouble && type != Type::F64 && type != Type::B64) {
    double wide;
    std::memcpy(&wide, &value, 8);
    float narrow = static_cast<float>(wide);
    value = 0;
    std::memcpy(&value, &narrow, 4);
  }
  unsigned size = type == Type::Pred ? 8 : sizeOf(type);
  if (raw.minus)
    value = isFloat(type) || isDouble ? value ^ (1ull << (8 * size - 1)) : -value;
  return size >= 8 ? value : value & ((1ull << (8 * size)) - 1);
}

Operand Parser::constant(Class cls, uint64_t value, bool dynamic) {
  if (cls == Class::Pred)
    value = value ? ~0u : 0;
  auto [it, fresh] = constants.emplace(
      std::make_pair(value, int(cls) * 2 + dynamic), kernel->pool.size());
  if (fresh) {
    uint32_t row = cls == Class::Dword ? 256 : 128;
    kernel->pool.resize(kernel->pool.size() + row);
    for (unsigned i = 0; i < 32; ++i) {
      uint8_t *to = kernel->pool.data() + it->second;
      if (cls == Class::Dword)
        reinterpret_cast<uint64_t *>(to)[i] = value;
      else
        reinterpret_cast<uint32_t *>(to)[i] = value;
    }
    if (dynamic)
      dynamicConstants.push_back({it->second, cls});
  }
  Operand operand;
  operand.kind = Operand::Constant;
  operand.cls = cls;
  operand.base = 1;
  operand.offset = it->second;
  operand.value = value;
  return operand;
}

/// `mov.b32 %r, {%a, %b}` and its inverse.
void Parser::decodeMove(Inst &inst, std::vector<RawOperand> &raw,
                        const Token &at) {
  bool pack = inst.op == Op::MovPack;
  RawOperand &vector = raw[pack ? 1 : 0], &scalar = raw[pack ? 0 : 1];
  unsigned count = vector.parts.size(), size = sizeOf(inst.type);
  if ((count != 2 && count != 4) || size % count)
    Lexer::fail(at, "'" + mnemonic + "' cannot be split into " + std::to_string(count) + " elements");
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
  bool known = types.size() == 4 && inst.number && words.size() > 5 && words[4] == "row" &&
               words[5] == "col";
  Type a = known ? types[1] : Type::None, b = known ? types[2] : Type::None;
  bool bytes = (a == Type::S8 || a == Type::U8) && (b == Type::S8 || b == Type::U8);
  known = known && types[0] == types[3] && (a == b || bytes);
  unsigned size = bytes ? 1 : a == Type::TF32 ? 4 : 2;
  unsigned groups = inst.number * size / 16;
  known = known && (groups == 1 || groups == 2) && groups * 16 == inst.number * size;
  if (bytes)
    known = known && types[0] == Type::S32;
  else if (a == Type::F16)
    known = known && (types[0] == Type::F32 || types[0] == Type::F16);
  else
    known = known && (a == Type::BF16 || a == Type::TF32) && types[0] == Type::F32;
  if (!known)
    Lexer::fail(at, "'" + mnemonic + "': shape and types are not modelled");
  unsigned results = types[0] == Type::F16 ? 2 : 4;
  const unsigned counts[4] = {results, 2 * groups, groups, results};
  for (unsigned i = 0; i < 4; ++i)
    if (inst.ops[i].count != counts[i])
      Lexer::fail(at, "operand " + std::to_string(i) + " of '" + mnemonic + "' has " + std::to_string(inst.ops[i].count) + " registers, needs " + std::to_string(counts[i]));
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
  if (inst.op == Op::LdMatrix && inst.ops[0].count != std::max<unsigned>(inst.number, 1))
    lex.fail("'" + mnemonic + "' has " + std::to_string(inst.ops[0].count) + " result registers");
  if (atomic || inst.op == Op::Fence || inst.strong || inst.volatile_)
    kernel->communicates = true;
  if (inst.op != Op::Ld && inst.op != Op::St && !atomic)
    return;
  uint32_t width = std::min<uint32_t>(4, sizeOf(inst.type) * inst.vector);
  bool generic = inst.space == Space::Generic;
  if (generic || inst.space == Space::Shared)
    kernel->sharedGranule = std::min(kernel->sharedGranule, width);
  if (generic || inst.space == Space::Global)
    kernel->globalGranule = std::min(kernel->globalGranule, width);
}
