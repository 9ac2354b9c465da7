//===- ManualSchedule.h - Schedules that the user wrote ---------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_MANUALSCHEDULE_H
#define TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_MANUALSCHEDULE_H

#include "LoopProblem.h"

namespace tilepipe::tile {

/// Operations of the body of a loop before it is normalised, so that what the
/// user wrote can be told from what was added.
using UserOps = llvm::DenseSet<mlir::Operation *>;
UserOps collectUserOps(PipelineOp loop);

/// Reads the lists of `graph`'s loop: one entry for each statement, or one for
/// each statement and each scalar operation (whose entries mean nothing). The
/// user wrote lists of `length`, before normalisation. Emits an error if they
/// fit neither.
mlir::FailureOr<sched::Schedule>
readManualSchedule(const DependenceGraph &graph, const UserOps &userOps,
                   size_t length);

/// Checks a schedule that the user wrote, and sets its versions. Emits an error
/// that names both statements if it is not legal.
mlir::LogicalResult checkManualSchedule(const DependenceGraph &graph,
                                        const LoopProblem &problem,
                                        const FixedBuffers &fixed,
                                        sched::Schedule &schedule);

} // namespace tilepipe::tile

#endif // TILEPIPE_LIB_DIALECT_TILE_TRANSFORMS_MANUALSCHEDULE_H
