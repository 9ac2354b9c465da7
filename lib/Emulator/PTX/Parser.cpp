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

/// Scopes nest no deeper than this.
static constexpr size_t maxDepth = 256;

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
    Lexer::fail(name,
                "expected the name of a kernel, got " + Lexer::quote(name));
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
  else if (at.text == "param")
    callParameter();
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
      Lexer::fail(pending.label,
                  "no .branchtargets at '" + pending.label.text + "'");
    Operand &targets = inst.ops[1];
    targets.first = kernel->branchTargets.size();
    targets.count = table->size();
    for (const Token &target : *table)
      kernel->branchTargets.push_back(
          findLabel(target.text, pending.scope, target));
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
  uint32_t start =
      (sharedStart + kernel->staticShared + align - 1) / align * align;
  kernel->dynamicStart = start;
  for (SharedVariable &variable : kernel->shared)
    if (variable.external)
      variable.address = start;
  for (auto [inst, op] : dynamicMemory)
    kernel->code[inst].ops[op].value += start;
  for (auto [offset, cls] : dynamicConstants)
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (cls == Class::Dword)
        reinterpret_cast<uint64_t *>(kernel->pool.data() + offset)[lane] +=
            start;
      else
        reinterpret_cast<uint32_t *>(kernel->pool.data() + offset)[lane] +=
            start;
    }
  computeReconvergence(*kernel);
  kernel = nullptr;
  scopes.clear();
}
