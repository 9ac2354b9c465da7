//===- tile-opt.cpp - Run tilepipe passes
//-----------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../QuietDiagnostics.h"

#include "tilepipe/Pipelines/Registration.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

/// `--explain` is short for `--tile-explain=stdout`, and for no output of IR
/// where none is asked for.
static void expandExplain(llvm::SmallVectorImpl<char *> &arguments) {
  bool explains = false, hasOutput = false;
  for (char *&argument : arguments) {
    llvm::StringRef text(argument);
    hasOutput |= text == "-o" || text.starts_with("-o=");
    if (text != "--explain" && text != "-explain")
      continue;
    static char pass[] = "--tile-explain=stdout";
    argument = pass;
    explains = true;
  }
  if (!explains || hasOutput)
    return;
  static char option[] = "-o", null[] = "/dev/null";
  arguments.append({option, null});
}

int main(int argc, char **argv) {
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  expandExplain(arguments);
  quietDiagnostics(arguments);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  mlir::registerAllPasses();
  tilepipe::registerDialects(registry);
  tilepipe::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(arguments.size(), arguments.data(),
                        "tilepipe optimizer driver\n", registry));
}
