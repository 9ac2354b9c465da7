//===- QuietDiagnostics.h - Errors without the IR they are about -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TOOLS_QUIETDIAGNOSTICS_H
#define TILEPIPE_TOOLS_QUIETDIAGNOSTICS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

/// Asks MLIR's drivers not to print the operation below each error, which may be
/// the whole module, unless the command line says what it wants.
inline void quietDiagnostics(llvm::SmallVectorImpl<char *> &arguments) {
  static char option[] = "--mlir-print-op-on-diagnostic=false";
  bool isSaid = llvm::any_of(arguments, [](llvm::StringRef argument) {
    return argument.contains("-mlir-print-op-on-diagnostic");
  });
  if (!isSaid)
    arguments.push_back(option);
}

#endif // TILEPIPE_TOOLS_QUIETDIAGNOSTICS_H
