//===- Lexer.h - Words of PTX text ------------------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_LEXER_H
#define TILEPIPE_LIB_EMULATOR_PTX_LEXER_H

#include <cstdint>
#include <string>

namespace tilepipe::ptx {

/// What is wrong with the text, and where. Never leaves the library.
struct ParseError {
  uint32_t line, column;
  std::string message;
};

struct Token {
  enum Kind : uint8_t { End, Word, Directive, Number, String, Punctuation };
  Kind kind = End;
  /// The characters; without the quotes of a string and the dot of a directive.
  std::string text;
  uint32_t line = 1, column = 1, begin = 0, end = 0;
  bool is(char c) const {
    return kind == Punctuation && text.size() == 1 && text[0] == c;
  }
};

/// Splits the text; a mnemonic with its modifiers or `%tid.x` is one word.
class Lexer {
public:
  explicit Lexer(const std::string &text) : text(text) { advance(); }
  const Token &peek() const { return token; }
  Token take() {
    Token result = token;
    advance();
    return result;
  }
  /// Takes the token if it is this character.
  bool eat(char c) {
    if (!token.is(c))
      return false;
    advance();
    return true;
  }
  void expect(char c);
  [[noreturn]] void fail(const std::string &message) const {
    throw ParseError{token.line, token.column, message};
  }
  [[noreturn]] static void fail(const Token &at, const std::string &message) {
    throw ParseError{at.line, at.column, message};
  }
  /// The token in quotes, for a message.
  static std::string quote(const Token &token);

private:
  void advance();
  void skipSpace();
  void word();
  void number();
  char at(uint32_t i) const { return i < text.size() ? text[i] : '\0'; }

  const std::string &text;
  uint32_t position = 0, line = 1, lineStart = 0;
  Token token;
};

/// The value of a number as PTX writes it: decimal, 0x, 0b, 0f, 0d, with U.
/// `isDouble`: the text is a floating-point value given as a double.
bool parseNumber(const std::string &text, uint64_t &value, bool &isDouble);

} // namespace tilepipe::ptx

#endif // TILEPIPE_LIB_EMULATOR_PTX_LEXER_H
