//===- Calls.cpp - Calls of the functions for debugging -------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device functions are not modelled but for two of the driver: `__assertfail`
// stops the kernel, `vprintf` does nothing. Compilers write a call as a scope
// that declares parameters, stores to them and calls:
//
//     { .param .b64 param0;
//       st.param.b64 [param0], %rd1;
//       call.uni __assertfail, (param0, ...); }
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

using namespace tilepipe::ptx;

/// `.param .align 8 .b64 name[16];` in a body.
void Parser::callParameter() {
  while (!lex.peek().is(';')) {
    Token token = lex.take();
    if (token.kind == Token::End)
      lex.fail("unexpected end of the text in kernel '" + kernel->name + "'");
    if (token.kind == Token::Word)
      scopes[scope].callParameters.insert(token.text);
  }
  lex.expect(';');
}

/// Takes the rest of an instruction that belongs to a call of these functions;
/// false, and nothing taken, where it is another one.
bool Parser::callSequence(Inst &inst) {
  if (mnemonic.rfind("st.param", 0) == 0 &&
      !scopes[scope].callParameters.empty()) {
    skipStatement();
    return true;
  }
  if (mnemonic != "call" && mnemonic != "call.uni")
    return false;
  bool asserts = false, prints = false;
  Token at = lex.peek();
  while (!lex.peek().is(';')) {
    Token token = lex.take();
    if (token.kind == Token::End)
      Lexer::fail(at, "unexpected end of the text in a call");
    asserts |= token.text == "__assertfail";
    prints |= token.text == "vprintf";
    inst.end = token.end;
  }
  lex.expect(';');
  if (!asserts && !prints)
    Lexer::fail(at, "'" + mnemonic +
                        "': device functions are not modelled; inline them");
  if (!asserts)
    return true;
  inst.op = Op::Trap;
  inst.ops[0].value = 1; // says that it is an assertion
  emit(inst);
  return true;
}
