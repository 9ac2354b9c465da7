//===- Lexer.cpp - Words of PTX text -------------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

using namespace tilepipe::ptx;

static bool isWordStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}

static bool isWordPart(char c) {
  return isWordStart(c) || std::isdigit(static_cast<unsigned char>(c));
}

void Lexer::expect(char c) {
  if (!eat(c))
    fail(std::string("expected '") + c + "', got " + quote(token));
}

std::string Lexer::quote(const Token &token) {
  if (token.kind == Token::End)
    return "the end of the text";
  std::string dot = token.kind == Token::Directive ? "." : "";
  return "'" + dot + token.text.substr(0, 60) + "'";
}

void Lexer::skipSpace() {
  for (;;) {
    char c = at(position);
    if (c == '\n') {
      ++line;
      lineStart = ++position;
    } else if (c && std::isspace(static_cast<unsigned char>(c))) {
      ++position;
    } else if (c == '/' && at(position + 1) == '/') {
      while (position < text.size() && text[position] != '\n')
        ++position;
    } else if (c == '/' && at(position + 1) == '*') {
      size_t end = text.find("*/", position + 2);
      end = end == std::string::npos ? text.size() : end + 2;
      for (; position < end; ++position)
        if (text[position] == '\n') {
          ++line;
          lineStart = position + 1;
        }
    } else {
      return;
    }
  }
}

/// A word runs on over `.` and `::` as long as letters follow.
void Lexer::word() {
  for (;;) {
    while (isWordPart(at(position)))
      ++position;
    if (at(position) == '.' && isWordPart(at(position + 1)))
      position += 2;
    else if (at(position) == ':' && at(position + 1) == ':' &&
             isWordPart(at(position + 2)))
      position += 3;
    else
      return;
  }
}

void Lexer::number() {
  bool hex = at(position) == '0' && (at(position + 1) | 32) == 'x';
  while (isWordPart(at(position)) ||
         (!hex && at(position) == '.' &&
          std::isdigit(static_cast<unsigned char>(at(position + 1)))))
    ++position;
}

void Lexer::advance() {
  skipSpace();
  token = Token();
  token.line = line;
  token.column = position - lineStart + 1;
  token.begin = position;
  uint32_t start = position;
  char c = at(position);
  if (position >= text.size()) {
    token.end = position;
    return;
  }
  if (c == '"') {
    size_t close = text.find('"', position + 1);
    if (close == std::string::npos)
      fail("unterminated string");
    token.kind = Token::String;
    token.text = text.substr(position + 1, close - position - 1);
    position = close + 1;
    token.end = position;
    return;
  }
  token.kind = Token::Punctuation;
  if (isWordStart(c)) {
    token.kind = Token::Word;
    word();
  } else if (std::isdigit(static_cast<unsigned char>(c))) {
    token.kind = Token::Number;
    number();
  } else if (c == '.' && isWordStart(at(position + 1))) {
    token.kind = Token::Directive;
    start = ++position;
    while (isWordPart(at(position)))
      ++position;
  } else {
    ++position;
  }
  token.text = text.substr(start, position - start);
  token.end = position;
}

bool tilepipe::ptx::parseNumber(const std::string &text, uint64_t &value,
                                bool &isDouble) {
  isDouble = false;
  if (text.empty())
    return false;
  std::string digits = text;
  char kind = digits.size() > 1 && digits[0] == '0' ? digits[1] | 32 : 0;
  char *end = nullptr;
  const char *start = digits.c_str();
  if ((kind == 'f' && digits.size() == 10) ||
      (kind == 'd' && digits.size() == 18)) {
    value = std::strtoull(start + 2, &end, 16);
    isDouble = kind == 'd';
    return *end == '\0';
  }
  if (digits.find('.') != std::string::npos) {
    double number = std::strtod(start, &end);
    std::memcpy(&value, &number, 8);
    isDouble = true;
    return *end == '\0';
  }
  if (digits.size() > 1 && digits.back() == 'U')
    digits.pop_back(), start = digits.c_str();
  int base = kind == 'x' ? 16 : kind == 'b' ? 2 : digits[0] == '0' ? 8 : 10;
  value = std::strtoull(start + (base == 16 || base == 2 ? 2 : 0), &end, base);
  return *end == '\0' && end != start;
}
