//===- Declarations.cpp - Registers, variables and parameters of PTX -----===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include <algorithm>
#include <cstring>

using namespace tilepipe::ptx;

/// Bounds on what the text may ask for, so that no number in it exhausts
/// memory.
static constexpr uint64_t maxRegisters = 1 << 17, maxBytes = 1 << 28;

void Parser::parameters() {
  if (lex.eat(')'))
    return;
  do {
    Param param;
    uint32_t align = 0;
    bool pointer = false;
    for (; lex.peek().kind == Token::Directive;) {
      Token word = lex.take();
      if (word.text == "align") {
        uint32_t value = integer();
        align = pointer ? align : value;
      } else if (word.text == "ptr") {
        pointer = true;
      } else if (parseType(word.text) != Type::None) {
        param.type = parseType(word.text);
      }
    }
    Token name = lex.take();
    if (name.kind != Token::Word || param.type == Type::None ||
        param.type == Type::Pred)
      Lexer::fail(name, "expected a parameter, got " + Lexer::quote(name));
    param.name = name.text;
    uint64_t count = 1;
    if (lex.eat('[')) {
      count = integer();
      lex.expect(']');
    }
    param.bytes = sizeOf(param.type) * std::min<uint64_t>(count, 1 << 15);
    align = std::max(align, sizeOf(param.type));
    if (align & (align - 1) || align > 4096)
      Lexer::fail(name, "alignment " + std::to_string(align) +
                            " is not a power of two");
    param.offset = (kernel->paramBytes + align - 1) / align * align;
    kernel->paramBytes = param.offset + param.bytes;
    if (kernel->paramBytes > (1 << 15))
      Lexer::fail(name, "more than 32 KiB of parameters");
    Symbol symbol;
    symbol.kind = Symbol::Param;
    symbol.address = param.offset;
    symbol.bytes = param.bytes;
    scopes[0].symbols[param.name] = symbol;
    kernel->params.push_back(param);
  } while (lex.eat(','));
  lex.expect(')');
}

Symbol Parser::newRegister(Class cls, const std::string &name) {
  if (kernel->registerNames.size() >= maxRegisters)
    lex.fail("more than " + std::to_string(maxRegisters) + " registers");
  Symbol symbol;
  symbol.cls = cls;
  symbol.reg = kernel->registerNames.size();
  kernel->registerNames.push_back(name);
  if (cls == Class::Pred) {
    if (!predicateRoom) {
      predicateNext = kernel->fileBytes;
      predicateRoom = 16;
      kernel->fileBytes += 64;
    }
    symbol.offset = predicateNext;
    predicateNext += 4;
    --predicateRoom;
  } else {
    symbol.offset = kernel->fileBytes;
    kernel->fileBytes += cls == Class::Word ? 128 : 256;
  }
  return symbol;
}

void Parser::specialRegisters() {
  static const char *const names[] = {"%tid.x",       "%tid.y",
                                      "%tid.z",       "%ntid.x",
                                      "%ntid.y",      "%ntid.z",
                                      "%ctaid.x",     "%ctaid.y",
                                      "%ctaid.z",     "%nctaid.x",
                                      "%nctaid.y",    "%nctaid.z",
                                      "%laneid",      "%warpid",
                                      "%nwarpid",     "%lanemask_eq",
                                      "%lanemask_lt", "%lanemask_le",
                                      "%lanemask_gt", "%lanemask_ge",
                                      "%smid",        "%dynamic_smem_size",
                                      "%clock64"};
  kernel->registerNames.push_back("");
  for (unsigned i = 0; i < NumSpecial; ++i) {
    Class cls = i == Zero64 ? Class::Dword : Class::Word;
    scopes[0].symbols[names[i]] = newRegister(cls, names[i]);
  }
  for (const char *name : {"%clock", "%nsmid", "%gridid", "%clock_hi"})
    scopes[0].symbols[name] = scopes[0].symbols["%smid"];
  scopes[0].symbols["%globaltimer"] = scopes[0].symbols["%clock64"];
}

void Parser::registers() {
  Token typeWord = lex.take();
  Type type = parseType(typeWord.text);
  if (typeWord.kind != Token::Directive || type == Type::None)
    Lexer::fail(typeWord, "registers of type " + Lexer::quote(typeWord) +
                              " are not modelled");
  Class cls = classOf(type);
  do {
    Token name = lex.take();
    if (name.kind != Token::Word)
      Lexer::fail(name, "expected a register, got " + Lexer::quote(name));
    auto declare = [&](const std::string &text) {
      if (!scopes[scope].symbols.emplace(text, newRegister(cls, text)).second)
        Lexer::fail(name, "redefinition of '" + text + "'");
    };
    if (lex.eat('<')) {
      uint64_t count = integer();
      if (count > maxRegisters)
        Lexer::fail(name,
                    "more than " + std::to_string(maxRegisters) + " registers");
      for (uint64_t i = 0; i < count; ++i)
        declare(name.text + std::to_string(i));
      lex.expect('>');
    } else {
      declare(name.text);
    }
  } while (lex.eat(','));
  lex.expect(';');
}

void Parser::variable(Space space, bool external) {
  uint64_t align = 0, count = 1;
  Type type = Type::None;
  while (lex.peek().kind == Token::Directive) {
    Token word = lex.take();
    if (word.text == "align")
      align = integer();
    else if (parseType(word.text) != Type::None)
      type = parseType(word.text);
    else if (word.text != "attribute")
      Lexer::fail(word, "'." + word.text + "' of a variable is not modelled");
  }
  Token name = lex.take();
  if (name.kind != Token::Word || type == Type::None || type == Type::Pred)
    Lexer::fail(name, "expected a variable, got " + Lexer::quote(name));
  bool open = false;
  while (lex.eat('[')) {
    open = lex.peek().is(']');
    uint64_t extent = open ? 0 : integer();
    count = extent > maxBytes ? maxBytes + 1 : count * extent;
    lex.expect(']');
    if (count > maxBytes)
      Lexer::fail(name, "variable '" + name.text + "' is too large");
  }
  Symbol symbol;
  symbol.bytes = count * sizeOf(type);
  symbol.align = std::max<uint64_t>(align, sizeOf(type));
  if (symbol.align & (symbol.align - 1) || align > (1 << 16))
    Lexer::fail(name, "alignment " + std::to_string(align) +
                          " is not a power of two");
  if (space == Space::Shared) {
    symbol.kind = external || open ? Symbol::Dynamic : Symbol::Shared;
    symbol.placed = false;
  } else if (space == Space::Local) {
    symbol.kind = Symbol::Local;
    uint32_t &bytes = kernel->localBytes;
    bytes = std::max<uint32_t>(bytes, 64);
    symbol.address = (bytes + symbol.align - 1) / symbol.align * symbol.align;
    if (symbol.address + symbol.bytes > (1 << 19))
      Lexer::fail(name, "more than 512 KiB of local memory a thread");
    bytes = symbol.address + symbol.bytes;
  } else {
    Variable made;
    made.name = name.text;
    made.constant = space == Space::Const;
    made.bytes = symbol.bytes;
    uint64_t from = variableBase;
    if (!program.variables.empty())
      from = program.variables.back().address + program.variables.back().bytes;
    // Room between two variables: running over the end of one is noticed.
    uint64_t step = std::max<uint64_t>(symbol.align, 256);
    made.address = (from + 4096 + step - 1) / step * step;
    symbol.kind = Symbol::Variable;
    symbol.address = made.address;
    if (lex.eat('='))
      initialiser(made, type);
    program.variables.push_back(std::move(made));
  }
  lex.expect(';');
  auto &into = kernel && space != Space::Global && space != Space::Const &&
                       !scopes.empty()
                   ? scopes[scope].symbols
                   : globals;
  if (!into.emplace(name.text, symbol).second)
    Lexer::fail(name, "redefinition of '" + name.text + "'");
}

void Parser::initialiser(Variable &variable, Type type) {
  bool list = lex.eat('{');
  unsigned size = sizeOf(type);
  while (!lex.peek().is('}')) {
    bool minus = lex.eat('-');
    Token token = lex.take();
    uint64_t value;
    bool isDouble;
    if (token.kind != Token::Number ||
        !parseNumber(token.text, value, isDouble))
      Lexer::fail(token,
                  "initialiser " + Lexer::quote(token) + " is not modelled");
    if (variable.initial.size() + size > variable.bytes)
      Lexer::fail(token, "more initial values than '" + variable.name +
                             "' has elements");
    if (isDouble && size == 4) {
      double wide;
      std::memcpy(&wide, &value, 8);
      float narrow = static_cast<float>(wide);
      value = 0;
      std::memcpy(&value, &narrow, 4);
    }
    if (minus)
      value = isFloat(type) ? value ^ (1ull << (8 * size - 1)) : -value;
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(&value);
    variable.initial.insert(variable.initial.end(), bytes, bytes + size);
    if (!list || !lex.eat(','))
      break;
  }
  if (list)
    lex.expect('}');
}

Symbol *Parser::lookup(const std::string &name) {
  for (int at = scope; at >= 0; at = scopes[at].parent) {
    auto it = scopes[at].symbols.find(name);
    if (it != scopes[at].symbols.end()) {
      place(name, it->second);
      return &it->second;
    }
  }
  auto it = globals.find(name);
  if (it == globals.end())
    return nullptr;
  if (it->second.placed)
    return &it->second;
  // Shared memory belongs to the kernel: it gets an address of its own there.
  Symbol &mine = scopes[0].symbols[name] = it->second;
  place(name, mine);
  return &mine;
}

/// Gives a shared variable its address, the first time it is used.
void Parser::place(const std::string &name, Symbol &symbol) {
  if (symbol.placed)
    return;
  symbol.placed = true;
  bool external = symbol.kind == Symbol::Dynamic;
  if (external) {
    kernel->hasDynamic = true;
    kernel->dynamicAlign = std::max(kernel->dynamicAlign, symbol.align);
  } else {
    uint64_t at = sharedStart + kernel->staticShared;
    symbol.address = (at + symbol.align - 1) / symbol.align * symbol.align;
    kernel->staticShared = symbol.address + symbol.bytes - sharedStart;
    if (kernel->staticShared > (1 << 20))
      lex.fail("more than 1 MiB of shared memory");
  }
  kernel->shared.push_back(
      {name, uint32_t(symbol.address), symbol.bytes, symbol.align, external});
}
