//===- PtxEmulator.h - C interface of the PTX emulator ----------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strings handed out are UTF-8, end with a NUL, belong to the caller and are
// given back with tilepipePtxFree. No function throws, aborts or exits.
// A module may be launched from several threads at once.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_EMULATOR_PTX_PTXEMULATOR_H
#define TILEPIPE_EMULATOR_PTX_PTXEMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TilepipePtxModule TilepipePtxModule;

enum {
  TILEPIPE_PTX_VALUE = 0,
  TILEPIPE_PTX_BUFFER = 1,
  TILEPIPE_PTX_CONST_BUFFER = 2
};

typedef struct TilepipePtxArgument {
  /** Bytes of a value, or the host memory of a buffer. */
  void *data;
  uint64_t bytes;
  /** Name for reports; may be null. */
  const char *name;
  int32_t kind;
} TilepipePtxArgument;

typedef struct TilepipePtxOptions {
  uint32_t grid[3];
  uint32_t block[3];
  /** Bytes of dynamic shared memory. */
  uint32_t shared_bytes;
  /** Host threads; only with races off. */
  uint32_t threads;
  /** "eager", "late", "early" or "shuffle". */
  const char *policy;
  uint64_t seed;
  /** Warp instructions, 0 for no limit. */
  uint64_t max_instructions;
  /** Seconds, 0 for no limit. */
  double timeout;
  uint32_t max_issues;
  uint8_t races, undefined, census;
} TilepipePtxOptions;

/** Version of this interface. */
int tilepipePtxInterfaceVersion(void);
/** Null on failure; then `*error` says "line:column: what is wrong". */
TilepipePtxModule *tilepipePtxParse(const char *text, size_t size,
                                    char **error);
void tilepipePtxDestroy(TilepipePtxModule *module);
/** JSON: version, target, kernels with parameters and shared memory, census. */
char *tilepipePtxDescribe(const TilepipePtxModule *module);
/** JSON: a list of {kernel, line, kind, begin, end, replacement}. */
char *tilepipePtxMutants(const TilepipePtxModule *module);
/** 0 and the report as JSON, or 1 and what is wrong with the arguments. */
int tilepipePtxLaunch(const TilepipePtxModule *module, const char *kernel,
                      const TilepipePtxOptions *options,
                      const TilepipePtxArgument *arguments, size_t count,
                      char **result);
void tilepipePtxFree(char *text);

#ifdef __cplusplus
}
#endif

#endif /* TILEPIPE_EMULATOR_PTX_PTXEMULATOR_H */
