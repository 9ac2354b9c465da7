//===- Operands.cpp - Operands of PTX instructions -----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include <cstring>

using namespace tilepipe::ptx;

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
      Lexer::fail(raw.token,
                  "expected an address, got " + Lexer::quote(raw.token));
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
    Lexer::fail(raw.token,
                "expected an operand, got " + Lexer::quote(raw.token));
  raw.kind = raw.token.text == "_" ? RawOperand::Sink : RawOperand::Name;
  if (lex.eat('|')) {
    Token second = lex.take();
    if (second.kind != Token::Word)
      Lexer::fail(second, "expected a register, got " + Lexer::quote(second));
    raw.second = second.text;
  }
  return raw;
}

void Parser::wrongOperand(const RawOperand &raw, const char *wanted) {
  Lexer::fail(raw.token, "'" + mnemonic + "' takes " + wanted + " here, not " +
                             Lexer::quote(raw.token));
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
    return bindResult(raw, sizeOf(inst.type) == 4 ? Class::Dword : Class::Word,
                      false);
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
        Lexer::fail(raw.token,
                    "'" + mnemonic + "' takes " + std::to_string(inst.vector) +
                        " elements, has " + std::to_string(raw.parts.size()));
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
  Symbol *symbol = raw.kind == RawOperand::Name && !raw.negated
                       ? lookup(raw.token.text)
                       : nullptr;
  if (raw.kind == RawOperand::Name && !symbol)
    Lexer::fail(raw.token, "unknown register " + Lexer::quote(raw.token));
  if (!symbol || symbol->kind != Symbol::Register || symbol->reg <= NumSpecial)
    wrongOperand(raw, "a register");
  if (symbol->cls != cls &&
      !(wider && cls == Class::Word && symbol->cls == Class::Dword))
    wrongOperand(raw, cls == Class::Pred   ? "a predicate"
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
    wrongOperand(raw, cls == Class::Pred   ? "a predicate"
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
      Lexer::fail(raw.token,
                  "expected an address, got " + Lexer::quote(raw.token));
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
    Lexer::fail(raw.token, Lexer::quote(raw.token) +
                               " is not in the space that '" + mnemonic +
                               "' accesses");
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
    value =
        isFloat(type) || isDouble ? value ^ (1ull << (8 * size - 1)) : -value;
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
