//===- Plan.h - Arguments checked, bytes touched --------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_CCE_PLAN_H
#define TILEPIPE_LIB_EMULATOR_CCE_PLAN_H

#include "Machine.h"

namespace tilepipe::cce {

extern Machine *theMachine;

/// Collects what an instruction touches and reports what it must not do.
class Plan {
public:
  Plan(Machine &machine, Core &core, Op &op)
      : machine(machine), core(core), op(op) {}

  /// The value of an argument is in its field.
  void range(const char *what, int64_t value, int64_t lo, int64_t hi);
  void aligned(const char *what, uint64_t address, uint64_t bytes);
  void fail(const char *kind, std::string message);
  void warn(const char *kind, std::string message);

  void read(Space space, uint64_t address, uint64_t bytes) {
    touch(space, address, bytes, false);
  }
  void write(Space space, uint64_t address, uint64_t bytes) {
    touch(space, address, bytes, true);
  }
  void touch(Space space, uint64_t address, uint64_t bytes, bool write);

  bool isGood() const { return good; }
  /// Checks bounds; false if the instruction cannot be executed.
  bool finish();

private:
  void checkBounds(const Range &range);

  Machine &machine;
  Core &core;
  Op &op;
  bool good = true;
};

} // namespace tilepipe::cce

#endif // TILEPIPE_LIB_EMULATOR_CCE_PLAN_H
