//===- PTX.h - PTX in process -----------------------------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_NVIDIA_PTX_H
#define TILEPIPE_TARGET_NVIDIA_PTX_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <string>
#include <vector>

namespace tilepipe::nvidia {

struct PTXOptions {
  /// The GPU; empty: what the `gpu.module` or the module names, else sm_80.
  std::string chip;
  /// LLVM features, such as "+ptx80"; empty: by chip.
  std::string features;
  /// Width of index arithmetic, 32 or 64; 0: 32 where all offsets fit. Only
  /// where tile IR is lowered.
  unsigned indexBitwidth = 0;
  /// 0 to 3.
  unsigned optLevel = 3;
  /// Whether instructions name the user's source lines.
  bool lineInfo = true;
};

/// A parameter of a kernel, in PTX's order.
struct PTXParameter {
  enum Kind { Pointer, Integer, Float } kind;
  unsigned bits;
};

struct PTXKernel {
  std::string name;
  std::vector<PTXParameter> parameters;
  /// Threads of a block; 0 where the kernel does not say.
  std::array<unsigned, 3> blockSize = {0, 0, 0};
  /// Bytes of dynamic shared memory to launch with.
  uint64_t sharedBytes = 0;
};

/// Where the time goes, in seconds.
struct PTXTimes {
  double lower = 0, translate = 0, optimize = 0, codegen = 0;
};

struct PTXModule {
  std::string text;
  std::string chip;
  std::vector<PTXKernel> kernels;
  PTXTimes times;
};

/// PTX of every `gpu.module` in `module`, all in the llvm dialect, or, without
/// such, of the module itself. Does not change the module. What LLVM cannot
/// compile is an error and never ends the process. Threads may call it at once,
/// also for modules of one context.
mlir::FailureOr<PTXModule> translateToPTX(mlir::ModuleOp module,
                                          const PTXOptions &options = {});

/// The same for tile IR of any phase: lowers a copy by `tile-to-ptx` first.
mlir::FailureOr<PTXModule> compileToPTX(mlir::ModuleOp module,
                                        const PTXOptions &options = {});

} // namespace tilepipe::nvidia

#endif // TILEPIPE_TARGET_NVIDIA_PTX_H
