//===- MutateText.cpp - Malformed input -------------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MutateText.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace tilepipe::fuzz;
using llvm::StringRef;

std::vector<std::string> tilepipe::fuzz::readModules(const std::string &directory,
                                                     std::string &error) {
  std::vector<std::string> files, modules;
  std::error_code code;
  for (llvm::sys::fs::recursive_directory_iterator it(directory, code), end;
       it != end && !code; it.increment(code))
    if (StringRef(it->path()).ends_with(".mlir"))
      files.push_back(it->path());
  if (code) {
    error = "cannot read '" + directory + "': " + code.message();
    return modules;
  }
  // The order of a directory is not the same everywhere; seeds should be.
  std::sort(files.begin(), files.end());
  for (const std::string &file : files) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      continue;
    llvm::SmallVector<StringRef> parts;
    (*buffer)->getBuffer().split(parts, "// -----");
    for (StringRef part : parts) {
      // Comments hold no syntax.
      std::string text;
      llvm::SmallVector<StringRef> lines;
      part.split(lines, '\n');
      for (StringRef line : lines)
        if (!line.ltrim().starts_with("//") && !line.trim().empty())
          text += line.str() + "\n";
      // MLIR 22 uses memory after it is freed where this one does not parse.
      if (!text.empty() && text.find("scf.index_switch") == std::string::npos)
        modules.push_back(text);
    }
  }
  if (modules.empty())
    error = "no .mlir files in '" + directory + "'";
  return modules;
}

/// Words, numbers and single signs, with the spaces before them.
static std::vector<std::string> split(StringRef text) {
  std::vector<std::string> tokens;
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '%' || c == '#' || c == '@' ||
           c == '.';
  };
  size_t at = 0;
  while (at < text.size()) {
    size_t start = at;
    while (at < text.size() && llvm::isSpace(text[at]))
      ++at;
    if (at < text.size() && isWord(text[at]))
      while (at < text.size() && isWord(text[at]))
        ++at;
    else if (at < text.size())
      ++at;
    tokens.push_back(text.slice(start, at).str());
  }
  return tokens;
}

static std::string randomNumber(Random &random) {
  static const char *const numbers[] = {
      "0", "1", "2", "3", "7", "-1", "-2", "16", "64", "1000", "65536",
      "2147483647", "4294967296", "9223372036854775807",
      "-9223372036854775808", "18446744073709551616"};
  return numbers[random.below(std::size(numbers))];
}

static void changeNumber(std::vector<std::string> &tokens, Random &random) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < tokens.size(); ++i) {
    StringRef token = StringRef(tokens[i]).ltrim();
    if (!token.empty() && llvm::isDigit(token.front()))
      numbers.push_back(i);
  }
  if (numbers.empty())
    return;
  std::string &token = tokens[numbers[random.below(numbers.size())]];
  // `64x32xf16` is one word: change one of its numbers.
  size_t first = token.find_first_of("0123456789");
  std::vector<std::pair<size_t, size_t>> runs;
  for (size_t i = first; i < token.size();) {
    size_t end = i;
    while (end < token.size() && llvm::isDigit(token[end]))
      ++end;
    if (end > i)
      runs.push_back({i, end - i});
    i = end + 1;
  }
  auto [start, length] = runs[random.below(runs.size())];
  token.replace(start, length, randomNumber(random));
}

static std::string join(const std::vector<std::string> &tokens) {
  std::string text;
  for (const std::string &token : tokens)
    text += token;
  return text;
}

static std::string mutateTokens(const std::string &text, Random &random) {
  std::vector<std::string> tokens = split(text);
  if (tokens.empty())
    return text;
  size_t i = random.below(tokens.size()), j = random.below(tokens.size());
  switch (random.below(6)) {
  case 0:
    tokens.erase(tokens.begin() + i);
    break;
  case 1:
    tokens.insert(tokens.begin() + i, tokens[i]);
    break;
  case 2:
    std::swap(tokens[i], tokens[j]);
    break;
  case 3: // another token of the file in its place
    tokens[i] = tokens[j];
    break;
  default:
    changeNumber(tokens, random);
  }
  return join(tokens);
}

/// Values are renamed most fruitfully: the text still parses.
static std::string mutateValue(const std::string &text, Random &random) {
  std::vector<std::string> tokens = split(text);
  std::vector<size_t> values;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (StringRef(tokens[i]).ltrim().starts_with("%"))
      values.push_back(i);
  if (values.empty())
    return text;
  tokens[values[random.below(values.size())]] =
      tokens[values[random.below(values.size())]];
  return join(tokens);
}

/// One element type, or one number, becomes another wherever it stands: most of
/// these are programs.
static std::string mutateEverywhere(const std::string &text, Random &random) {
  static const char *const elements[] = {
      "f16",       "f32",     "bf16",  "f64", "i8",   "i32", "index", "i1",
      "f8E4M3FN",  "f8E5M2",  "i4",    "i16", "i64",  "i24", "si32",  "ui8",
      "f8E4M3FNUZ", "f4E2M1FN", "tf32", "i128", "f80", "i33",
      "vector<4xf32>", "complex<f32>", "memref<2xf32>"};
  std::vector<std::string> tokens = split(text);
  auto isNumber = [](StringRef word) {
    return !word.empty() && llvm::all_of(word, llvm::isDigit);
  };
  // The parts of `64x32xf16` are words of their own here.
  auto forEachPart = [&](auto fn) {
    for (std::string &token : tokens) {
      size_t space = token.find_first_not_of(" \n\t");
      if (space == std::string::npos || token[space] == '%' ||
          token[space] == '@')
        continue;
      llvm::SmallVector<StringRef> parts;
      std::string word = token.substr(space);
      StringRef(word).split(parts, 'x');
      bool isShape = parts.size() > 1 && llvm::isDigit(word.front());
      if (!isShape)
        parts = {word};
      std::string changed = token.substr(0, space);
      for (auto [i, part] : llvm::enumerate(parts)) {
        std::string copy = part.str();
        fn(copy);
        changed += (i ? "x" : "") + copy;
      }
      token = changed;
    }
  };
  bool types = random.chance(50);
  std::vector<std::string> candidates;
  forEachPart([&](std::string &part) {
    bool fits = types ? llvm::is_contained(elements, StringRef(part))
                      : isNumber(part);
    if (fits && !llvm::is_contained(candidates, part))
      candidates.push_back(part);
  });
  if (candidates.empty())
    return text;
  std::string from = candidates[random.below(candidates.size())];
  static const char *const numbers[] = {"1", "2",  "3",  "5",   "7",  "8",
                                        "16", "17", "24", "32", "48", "64", "96",
                                        "0", "128", "1000"};
  std::string to = types ? elements[random.below(std::size(elements))]
                         : numbers[random.below(std::size(numbers))];
  if (random.chance(20) && !types)
    to = randomNumber(random);
  forEachPart([&](std::string &part) {
    if (part == from)
      part = to;
  });
  return join(tokens);
}

static std::string mutateLines(const std::string &text, Random &random) {
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  size_t i = random.below(lines.size()), j = random.below(lines.size());
  switch (random.below(3)) {
  case 0:
    lines.erase(lines.begin() + i);
    break;
  case 1:
    lines.insert(lines.begin() + i, lines[j]);
    break;
  default:
    std::swap(lines[i], lines[j]);
  }
  return llvm::join(lines, "\n");
}

std::string tilepipe::fuzz::mutateText(const std::vector<std::string> &modules,
                                       uint64_t seed) {
  Random random(seed);
  std::string text = modules[random.below(modules.size())];
  for (unsigned i = 0, e = 1 + random.below(3); i < e; ++i) {
    unsigned dice = random.below(14);
    text = dice >= 10 ? mutateEverywhere(text, random)
           : dice < 3   ? mutateLines(text, random)
           : dice < 6 ? mutateValue(text, random)
                      : mutateTokens(text, random);
  }
  return text;
}
