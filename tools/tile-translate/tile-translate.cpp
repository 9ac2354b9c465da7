//===- tile-translate.cpp - Tile IR to the text of a target ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Pipelines/Registration.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  tilepipe::registerPasses();
  tilepipe::registerTranslations();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "tilepipe translation driver"));
}
