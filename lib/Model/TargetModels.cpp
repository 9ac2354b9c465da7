//===- TargetModels.cpp - The machines that come with tilepipe ------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Model/TargetModels.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// The texts of lib/Target/*/models.mlir.
static const char *const kModelFiles[] = {
#include "tilepipe/Model/TargetModels.inc"
    nullptr};

static void collectModels(ModuleOp file, TargetModels &models) {
  file.walk([&](ModuleOp module) {
    auto target = module->getAttrOfType<TargetAttr>("tile.target");
    if (target && module.getName())
      models.emplace_back(module.getName()->str(), target);
  });
}

TargetModels tilepipe::getTargetModels(MLIRContext *context) {
  context->loadDialect<TileDialect>();
  TargetModels models;
  for (const char *const *text = kModelFiles; *text; ++text) {
    OwningOpRef<ModuleOp> file = parseSourceString<ModuleOp>(*text, context);
    assert(file && "a file of lib/Target does not parse");
    if (file)
      collectModels(*file, models);
  }
  return models;
}

FailureOr<TargetModels> tilepipe::readTargetModels(MLIRContext *context,
                                                   StringRef path) {
  context->loadDialect<TileDialect>();
  OwningOpRef<ModuleOp> file = parseSourceFile<ModuleOp>(path, context);
  if (!file)
    return failure();
  TargetModels models;
  collectModels(*file, models);
  return models;
}

TargetAttr tilepipe::findTargetModel(const TargetModels &models,
                                     StringRef chip) {
  for (const auto &[name, target] : models)
    if (name == chip)
      return target;
  return {};
}
