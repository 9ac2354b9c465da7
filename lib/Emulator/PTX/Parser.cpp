//===- Parser.cpp - Declarations, scopes and labels of PTX ---------------===//
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

/// A bound on what the text may ask for, so that no number in it exhausts
/// memory.
static constexpr uint64_t maxRegisters = 1 << 17, maxBytes = 1 << 28,
                          maxDepth = 256;

void Parser::run() {
  for (;;) {
    Token at = lex.take();
    if (at.kind == Token::End)
      return;
    if (at.kind != Token::Directive)
      Lexer::fail(at, "expected a directive, got " + Lexer::quote(at));
    directive(at);
  }
}

void Parser::directive(const Token &at) {
  const std::string &name = at.text;
  if (name == "version") {
    program.version = lex.take().text;
  } else if (name == "target") {
    program.target = lex.take().text;
    while (lex.eat(','))
      lex.take();
  } else if (name == "address_size") {
    if (integer() != 64)
      Lexer::fail(at, "only .address_size 64 is modelled");
  } else if (name == "file") {
    file();
  } else if (name == "visible" || name == "extern" || name == "weak" ||
             name == "common") {
    if (name == "extern" && lex.peek().text == "shared") {
      lex.take();
      variable(Space::Shared, true);
    } else if (name == "extern" && lex.peek().text != "func") {
      lex.fail("external variable: only .extern .shared is modelled");
    } else {
      linkage();
    }
  } else if (name == "entry") {
    entry(at);
  } else if (name == "func") {
    skipBody();
  } else if (name == "shared") {
    variable(Space::Shared, false);
  } else if (name == "global") {
    variable(Space::Global, false);
  } else if (name == "const") {
    variable(Space::Const, false);
  } else if (name == "section") {
    lex.take();
    skipBody();
  } else if (name == "loc") {
    location();
  } else if (name == "pragma" || name == "alias") {
    skipStatement();
  } else {
    Lexer::fail(at, "unknown directive '." + name + "'");
  }
}

void Parser::linkage() {
  Token next = lex.take();
  if (next.kind != Token::Directive)
    Lexer::fail(next, "expected a directive, got " + Lexer::quote(next));
  directive(next);
}

/// Skips to the end of a `{}` body or, without one, of the declaration.
void Parser::skipBody() {
  int depth = 0;
  for (;;) {
    Token token = lex.take();
    if (token.kind == Token::End)
      Lexer::fail(token, "unexpected end of the text");
    if (token.is('{'))
      ++depth;
    else if (token.is('}') && --depth <= 0)
      return;
    else if (token.is(';') && depth == 0)
      return;
  }
}

void Parser::skipStatement() {
  while (lex.peek().kind != Token::End && !lex.eat(';'))
    lex.take();
}

uint64_t Parser::integer() {
  Token token = lex.take();
  uint64_t value;
  bool isDouble;
  if (token.kind != Token::Number ||
      !parseNumber(token.text, value, isDouble) || isDouble)
    Lexer::fail(token, "expected a number, got " + Lexer::quote(token));
  return value;
}

void Parser::file() {
  uint32_t id = integer();
  Token name = lex.take();
  if (name.kind != Token::String)
    Lexer::fail(name, "expected the name of a file, got " + Lexer::quote(name));
  program.files[id] = name.text;
  while (lex.eat(','))
    integer();
}

/// `.loc file line column`, then perhaps where it was inlined.
void Parser::location() {
  Place place;
  place.file = integer();
  place.line = integer();
  place.column = integer();
  uint32_t line = lex.peek().line;
  if (lex.eat(','))
    while (lex.peek().line == line && lex.peek().kind != Token::End)
      lex.take();
  program.places.push_back(place);
  currentPlace = program.places.size() - 1;
}

void Parser::entry(const Token &at) {
  Token name = lex.take();
  if (name.kind != Token::Word)
    Lexer::fail(name, "expected the name of a kernel, got " + Lexer::quote(name));
  if (program.find(name.text))
    Lexer::fail(name, "redefinition of kernel '" + name.text + "'");
  program.kernels.emplace_back();
  kernel = &program.kernels.back();
  kernel->name = name.text;
  kernel->line = at.line;
  scopes.assign(1, Scope());
  scope = 0;
  branches.clear();
  constants.clear();
  dynamicMemory.clear();
  dynamicConstants.clear();
  predicateRoom = 0;
  currentPlace = 0;
  specialRegisters();
  if (lex.eat('('))
    parameters();
  bounds();
  if (lex.eat(';')) { // a declaration
    program.kernels.pop_back();
    return;
  }
  lex.expect('{');
  body();
  finish();
}

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
      Lexer::fail(name, "alignment " + std::to_string(align) + " is not a power of two");
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

/// What stands between the parameters and the body.
void Parser::bounds() {
  while (lex.peek().kind == Token::Directive) {
    Token word = lex.take();
    uint32_t values[3] = {1, 1, 1};
    if (word.text == "pragma") {
      skipStatement();
      continue;
    }
    for (unsigned i = 0; i < 3 && lex.peek().kind == Token::Number; ++i) {
      values[i] = integer();
      if (!lex.eat(','))
        break;
    }
    uint32_t *into = word.text == "maxntid"   ? kernel->maxThreads
                     : word.text == "reqntid" ? kernel->requiredThreads
                                              : nullptr;
    if (into)
      std::copy(values, values + 3, into);
    else if (!contains("minnctapersm maxnctapersm maxnreg noreturn", word.text))
      Lexer::fail(word, "unknown directive '." + word.text + "' of a kernel");
  }
}

void Parser::body() {
  size_t depth = 1;
  while (depth) {
    if (lex.peek().kind == Token::End)
      lex.fail("unexpected end of the text in kernel '" + kernel->name + "'");
    if (lex.eat('{')) {
      if (++depth > maxDepth)
        lex.fail("more than " + std::to_string(maxDepth) + " nested scopes");
      scopes.emplace_back();
      scopes.back().parent = scope;
      scope = scopes.size() - 1;
    } else if (lex.eat('}')) {
      --depth;
      scope = std::max(0, scopes[scope].parent);
    } else if (!lex.eat(';')) {
      statement();
    }
  }
}

void Parser::statement() {
  Token first = lex.take();
  if (first.kind == Token::Directive) {
    bodyDirective(first);
  } else if (first.is('@')) {
    instruction(first, true);
  } else if (first.kind != Token::Word) {
    Lexer::fail(first, "expected an instruction, got " + Lexer::quote(first));
  } else if (lex.eat(':')) {
    if (!scopes[scope].labels.emplace(first.text, kernel->code.size()).second)
      Lexer::fail(first, "redefinition of label '" + first.text + "'");
    lastLabel = first.text;
  } else {
    instruction(first, false);
  }
}

void Parser::bodyDirective(const Token &at) {
  if (at.text == "reg")
    registers();
  else if (at.text == "shared")
    variable(Space::Shared, false);
  else if (at.text == "local")
    variable(Space::Local, false);
  else if (at.text == "loc")
    location();
  else if (at.text == "file")
    file();
  else if (at.text == "pragma")
    skipStatement();
  else if (at.text == "branchtargets")
    branchTargets();
  else if (at.text == "section") {
    lex.take();
    skipBody();
  } else
    Lexer::fail(at, "unknown directive '." + at.text + "' in a kernel");
}

void Parser::branchTargets() {
  std::vector<Token> targets;
  do
    targets.push_back(lex.take());
  while (lex.eat(','));
  lex.expect(';');
  scopes[scope].tables[lastLabel] = targets;
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
  static const char *const names[] = {
      "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z",
      "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y",
      "%nctaid.z", "%laneid", "%warpid", "%nwarpid", "%lanemask_eq",
      "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge", "%smid",
      "%dynamic_smem_size", "%clock64"};
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
    Lexer::fail(typeWord, "registers of type " + Lexer::quote(typeWord) + " are not modelled");
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
        Lexer::fail(name, "more than " + std::to_string(maxRegisters) + " registers");
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
    Lexer::fail(name, "alignment " + std::to_string(align) + " is not a power of two");
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
  auto &into = kernel && space != Space::Global && space != Space::Const && !scopes.empty()
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
    if (token.kind != Token::Number || !parseNumber(token.text, value, isDouble))
      Lexer::fail(token, "initialiser " + Lexer::quote(token) + " is not modelled");
    if (variable.initial.size() + size > variable.bytes)
      Lexer::fail(token, "more initial values than '" + variable.name + "' has elements");
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

int32_t Parser::findLabel(const std::string &name, int from, const Token &at) {
  for (int s = from; s >= 0; s = scopes[s].parent) {
    auto it = scopes[s].labels.find(name);
    if (it != scopes[s].labels.end())
      return it->second;
  }
  Lexer::fail(at, "unknown label '" + name + "'");
}

void Parser::resolveLabels() {
  for (const Pending &pending : branches) {
    Inst &inst = kernel->code[pending.inst];
    if (inst.op == Op::Bra) {
      inst.target = findLabel(pending.label.text, pending.scope, pending.label);
      continue;
    }
    const std::vector<Token> *table = nullptr;
    for (int s = pending.scope; s >= 0 && !table; s = scopes[s].parent) {
      auto it = scopes[s].tables.find(pending.label.text);
      if (it != scopes[s].tables.end())
        table = &it->second;
    }
    if (!table)
      Lexer::fail(pending.label, "no .branchtargets at '" + pending.label.text + "'");
    Operand &targets = inst.ops[1];
    targets.first = kernel->branchTargets.size();
    targets.count = table->size();
    for (const Token &target : *table)
      kernel->branchTargets.push_back(findLabel(target.text, pending.scope, target));
  }
}

/// Ends a kernel: an implicit return, addresses of dynamic shared memory.
void Parser::finish() {
  Inst end;
  end.op = Op::Ret;
  end.line = lex.peek().line;
  end.begin = end.end = lex.peek().begin;
  kernel->code.push_back(end);
  resolveLabels();
  uint32_t align = std::max<uint32_t>(kernel->dynamicAlign, 16);
  uint32_t start = (sharedStart + kernel->staticShared + align - 1) / align * align;
  kernel->dynamicStart = start;
  for (SharedVariable &variable : kernel->shared)
    if (variable.external)
      variable.address = start;
  for (auto [inst, op] : dynamicMemory)
    kernel->code[inst].ops[op].value += start;
  for (auto [offset, cls] : dynamicConstants)
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (cls == Class::Dword)
        reinterpret_cast<uint64_t *>(kernel->pool.data() + offset)[lane] += start;
      else
        reinterpret_cast<uint32_t *>(kernel->pool.data() + offset)[lane] += start;
    }
  computeReconvergence(*kernel);
  kernel = nullptr;
  scopes.clear();
}
