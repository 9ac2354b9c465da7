//===- Opcodes.h - The table of known instructions --------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_PTX_OPCODES_H
#define TILEPIPE_LIB_EMULATOR_PTX_OPCODES_H

#include "tilepipe/Emulator/PTX/Program.h"

namespace tilepipe::ptx {

/// One form of an instruction: everything the parser needs to accept it.
///
/// `operands` has a letter an operand: D/S result and source of the first
/// type, E/T of the second; X/x result and source twice as wide; G/B result and
/// source of 32 bits; P result predicate (with an optional second after `|`), p
/// source predicate, w a 32-bit result with an optional predicate after `|`;
/// V/v result and source that may be a vector; F/f fragments of mma; M memory,
/// L label, i immediate. What follows `?` may be left out.
struct OpcodeForm {
  /// First words of the mnemonic; the longest that fits counts.
  const char *name;
  Op op;
  /// Further words allowed in any order.
  const char *modifiers;
  /// Types allowed for the first and the second type, separated by `/`.
  const char *types;
  const char *operands;
};

/// The form for a mnemonic, or null. `words` is how many it took.
const OpcodeForm *findForm(const std::vector<std::string> &mnemonic,
                           unsigned &words);
/// Whether `word` stands in the space-separated `list`.
bool contains(const char *list, const std::string &word);

} // namespace tilepipe::ptx

#endif // TILEPIPE_LIB_EMULATOR_PTX_OPCODES_H
