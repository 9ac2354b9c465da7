//===- MutateText.h - Malformed input -------------------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TOOLS_TILE_FUZZ_MUTATETEXT_H
#define TILEPIPE_TOOLS_TILE_FUZZ_MUTATETEXT_H

#include "Program.h"

namespace tilepipe::fuzz {

/// The modules in all `.mlir` files below a directory, split at `// -----`.
std::vector<std::string> readModules(const std::string &directory,
                                     std::string &error);

/// One of `modules` with some of its lines, tokens and numbers changed.
std::string mutateText(const std::vector<std::string> &modules, uint64_t seed);

} // namespace tilepipe::fuzz

#endif // TILEPIPE_TOOLS_TILE_FUZZ_MUTATETEXT_H
