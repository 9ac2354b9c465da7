//===- Passes.h - Passes of the tile dialect --------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TILEPIPE_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilepipe::tile {

/// What a module has been through (see the description of the dialect).
enum class Phase { Source, Planned, Injected };

llvm::StringRef stringifyPhase(Phase phase);

/// How the steps of an expanded loop are arranged.
enum class ExpansionForm {
  Peeled,    ///< prologue, loop and epilogue
  Prologue,  ///< prologue, and a loop that runs the last steps as well
  Predicated ///< one loop of guarded statements
};

/// How `--pipeline-planning` chooses the schedule of a loop.
enum class PlanningPolicy {
  TileLang, ///< copies as early as `num_stages` allows
  Modulo    ///< the least initiation interval under the machine model
};

#define GEN_PASS_DECL
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilepipe/Dialect/Tile/Transforms/Passes.h.inc"

} // namespace tilepipe::tile

#endif // TILEPIPE_DIALECT_TILE_TRANSFORMS_PASSES_H
