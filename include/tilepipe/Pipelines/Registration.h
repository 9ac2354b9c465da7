//===- Registration.h - Everything of tilepipe, for a tool ------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_PIPELINES_REGISTRATION_H
#define TILEPIPE_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilepipe {

/// Inserts the dialects of tilepipe and the external models that let foreign
/// operations take part.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers every pass and named pipeline. Once per process.
void registerPasses();

/// Registers the translations of the targets with `tile-translate`. Once per
/// process.
void registerTranslations();

} // namespace tilepipe

#endif // TILEPIPE_PIPELINES_REGISTRATION_H
