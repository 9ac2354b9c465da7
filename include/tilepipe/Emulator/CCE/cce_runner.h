//===- cce_runner.h - Running a kernel in the emulator --------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C interface of libTilePipeCceEmulator; tilepipe.emulator.cce calls it through
// ctypes, so that the layouts below stand there once more.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_EMULATOR_CCE_CCE_RUNNER_H
#define TILEPIPE_EMULATOR_CCE_CCE_RUNNER_H

#include <stdint.h>

extern "C" {

/// GM that the kernel may touch. Shared with the child process (MAP_SHARED).
struct TpCceArray {
  void *data;
  uint64_t bytes;
  const char *name;
  /// Nothing has written it yet (a workspace, a result).
  int uninitialised;
};

/// See Mutation in lib/Emulator/CCE/Machine.h.
struct TpCceMutation {
  int kind, line, column, source, target, base, versions;
};

struct TpCceLaunch {
  /// Entries (TP_ENTRY) of the cube and the vector function; a kernel of one
  /// core kind has one of them, in `single`.
  void (*single)(const int64_t *);
  void (*cube)(const int64_t *);
  void (*vector)(const int64_t *);
  const int64_t *arguments;
  const TpCceArray *arrays;
  int arrayCount;
  const TpCceMutation *mutations;
  int mutationCount;
  int blocks;
  /// Blocks that run at the same time; the others follow.
  int resident;
  int vectorsPerCube;
  const char *policy;
  uint64_t seed;
  int races;
  /// Seconds until the child is ended; 0: never.
  double timeout;
};

/// Runs a launch in a child process and returns a report in JSON, to be given
/// to tpCceFree. Whatever the kernel does, the caller survives.
char *tpCceRun(const TpCceLaunch *launch);
void tpCceFree(char *report);

} // extern "C"

#endif // TILEPIPE_EMULATOR_CCE_CCE_RUNNER_H
