//===- LoopExpander.h - Emit the steps of a planned loop --------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In step t of an expanded loop a statement of stage s works on iteration t -
// s, if there is one. With n iterations and stages up to S there are n + S
// steps.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_LOOPEXPANDER_H
#define TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_LOOPEXPANDER_H

#include "IndexMath.h"
#include "PlannedLoop.h"

#include "tilepipe/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace tilepipe::tile {

/// The tokens of committed groups, by step. Where steps are repeated by a loop,
/// they are numbered from the point of view of the current one.
class TokenHistory {
public:
  explicit TokenHistory(size_t numGroups) : commits(numGroups) {}

  /// The youngest commit of `group` in or before `step`; null if there is none.
  mlir::Value find(unsigned group, int64_t step) const;
  void add(unsigned group, int64_t step, mlir::Value token);
  void clear(unsigned group) { commits[group].clear(); }

private:
  std::vector<llvm::SmallVector<std::pair<int64_t, mlir::Value>>> commits;
};

/// What a stage does in a step.
struct StageState {
  enum Activity { Off, On, Guarded } activity = Off;
  /// Set if guarded: whether there is such an iteration.
  mlir::Value guard;
  mlir::OpFoldResult number;
};

/// Emits single steps. A guarded statement is in an `scf.if`, together with all
/// that is replayed for it.
class StepEmitter {
public:
  StepEmitter(const PlannedLoop &plan, mlir::OpBuilder &builder,
              IndexMath &math, ConstantPool &pool);

  /// Emits step number `step`; `states` has one entry for each stage.
  void emit(llvm::ArrayRef<StageState> states, int64_t step);
  void emitWait(llvm::ArrayRef<mlir::Value> tokens, mlir::Location loc);

  TokenHistory &getTokens() { return tokens; }
  int64_t getNumCommits() const { return numCommits; }
  int64_t getNumWaits() const { return numWaits; }

private:
  /// Values that stand for those of one iteration, in one region of a step.
  using Scope = mlir::IRMapping;
  /// Statements of one stage that follow each other and share a guard.
  struct OpenGuard {
    mlir::Operation *ifOp = nullptr;
    int64_t stage = 0;
    Scope scope;
    llvm::SmallVector<unsigned> positions;
  };

  void emitWaits(const PlannedStatement &statement, int64_t step);
  void openGuard(const StageState &state, const PlannedStatement &statement);
  void closeGuard();
  void replay(mlir::Operation *op, Scope &scope, const StageState &state,
              const Scope &results);
  void cloneReplayed(mlir::Operation *op, Scope &scope);
  mlir::Value getDefault(mlir::Type type, mlir::Location loc);

  const PlannedLoop &plan;
  PipelineOp loop;
  mlir::OpBuilder &builder;
  IndexMath &math;
  ConstantPool &pool;
  TokenHistory tokens;
  OpenGuard open;
  /// For each stage, the values of its iteration in this step that are visible
  /// at the level of the step.
  std::vector<Scope> stageScopes;
  int64_t numCommits = 0;
  int64_t numWaits = 0;
};

/// Replaces a planned loop by its steps.
class LoopExpander {
public:
  LoopExpander(const PlannedLoop &plan, ExpansionForm form,
               int64_t maxPeeledOps);

  /// Emits the steps before the loop and erases it.
  void run();

  int64_t getNumCommits() const { return steps.getNumCommits(); }
  int64_t getNumWaits() const { return steps.getNumWaits(); }

private:
  bool isPeeled();
  void emitSteps(std::optional<int64_t> count);
  void runStatic(int64_t count);
  void runPeeled();
  void runPrologue();
  void runPredicated();
  /// Straight-line steps from `first` up to `end` of `count` iterations; to the
  /// tokens their numbers are less by `shift`.
  void emitStraight(int64_t first, int64_t end, int64_t count, int64_t shift);
  /// Whether there is an iteration i, for those the prologue may start.
  llvm::SmallVector<mlir::Value> getExistence(mlir::OpFoldResult count);
  /// The steps in front of the first that runs all stages, each statement under
  /// a guard.
  void emitGuardedPrologue(llvm::ArrayRef<mlir::Value> exists);
  /// The steps that run all stages, from `lower` up to `upper`; the first one
  /// is number `step` to the tokens.
  void emitKernel(mlir::OpFoldResult lower, mlir::OpFoldResult upper,
                  int64_t step);
  /// Steps in an `scf.for` around which tokens are carried; afterwards the
  /// tokens of its last steps are those of the steps before `step`.
  void emitLoop(mlir::OpFoldResult lower, mlir::OpFoldResult upper,
                int64_t step, llvm::function_ref<void(mlir::Value)> body);
  void drain();
  llvm::SmallVector<StageState>
  makeStates(llvm::function_ref<void(int64_t stage, StageState &state)> fill);

  const PlannedLoop &plan;
  PipelineOp loop;
  ExpansionForm form;
  int64_t maxPeeledOps;
  int64_t maxStage;
  llvm::SmallVector<int64_t> usedStages;
  ConstantPool pool;
  mlir::OpBuilder builder;
  IndexMath math;
  StepEmitter steps;
};

} // namespace tilepipe::tile

#endif // TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_LOOPEXPANDER_H
