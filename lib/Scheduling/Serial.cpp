//===- Serial.cpp - The schedule that always exists -----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Scheduling/Solvers.h"

using namespace tilepipe::sched;

Schedule tilepipe::sched::solveSerial(const Problem &problem) {
  Schedule schedule;
  schedule.stage.assign(problem.tasks.size(), 0);
  for (size_t index = 0; index < problem.tasks.size(); ++index)
    schedule.order.push_back(index);
  schedule.versions.assign(problem.buffers.size(), 1);
  for (const Task &task : problem.tasks)
    if (problem.numUnits != 0)
      schedule.unit.push_back(task.units.empty() ? 0 : task.units.front());
  return schedule;
}
