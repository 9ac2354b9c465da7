//===- CpuKernel.h - Tile functions as native code --------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TARGET_CPU_CPUKERNEL_H
#define TILEPIPE_TARGET_CPU_CPUKERNEL_H

#include "tilepipe/Runtime/CpuRuntime.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace tilepipe::cpu {

struct CpuCompileOptions {
  /// Asynchronous copies through the runtime, instead of copying at once.
  bool asyncRuntime = false;
  /// Check accesses against memory in flight (only with `asyncRuntime`).
  bool sanitize = false;
  /// 0 to 3, of LLVM's passes and of its code generator.
  unsigned optLevel = 3;
  /// Width of a vector register in bits; 0 asks the processor.
  unsigned vectorBits = 0;
  /// Keep the machine code for `getObject`.
  bool keepObject = false;
};

/// Seconds spent in each phase of a compilation.
struct CpuCompileTimes {
  double lower = 0;     ///< MLIR passes
  double translate = 0; ///< to LLVM IR
  double optimize = 0;  ///< LLVM's passes
  double codegen = 0;   ///< machine code and linking

  double total() const { return lower + translate + optimize + codegen; }
};

/// Threads, and the completion policy where copies go through the runtime.
using CpuRunOptions = runtime::RunSettings;

/// A strided tensor in memory of the caller; strides are in elements.
struct CpuMemRef {
  void *data = nullptr;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<int64_t, 4> strides;

  CpuMemRef() = default;
  /// Dense and row-major.
  CpuMemRef(void *data, llvm::ArrayRef<int64_t> shape);
};

/// The functions of one module, compiled for this processor.
class CpuKernel {
public:
  /// Compiles a copy of `module`, which may be in any phase. What is wrong with
  /// it is also emitted as a diagnostic at its place. The context must know the
  /// dialects of `registerDialects`. Thread-safe, in one context too.
  static llvm::Expected<std::unique_ptr<CpuKernel>>
  compile(mlir::ModuleOp module, const CpuCompileOptions &options = {},
          CpuCompileTimes *times = nullptr);
  ~CpuKernel();

  /// The machine code, as an object file; only of a kernel that was compiled
  /// with `keepObject`.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> getObject() const;
  /// A kernel from the object file of an earlier `compile`, which was on a
  /// processor with the same `getHost`; it has to have the function `entry`.
  static llvm::Expected<std::unique_ptr<CpuKernel>>
  load(llvm::MemoryBufferRef object, llvm::StringRef entry);
  /// The processor that code is made for: its name and features.
  static std::string getHost();

  /// Calls the public function `entry`. Each argument points to the value of
  /// the argument: for a memref to a pointer to its MLIR descriptor, for a
  /// scalar to the scalar. A result follows, as a pointer to where it goes.
  /// Safe to call from several threads. The error of a sanitized run names each
  /// access to memory in flight, and the copy.
  llvm::Error invoke(llvm::StringRef entry, llvm::ArrayRef<void *> packed,
                     const CpuRunOptions &options = {}) const;

  /// The same where all arguments are memrefs.
  llvm::Error invoke(llvm::StringRef entry, llvm::ArrayRef<CpuMemRef> arguments,
                     const CpuRunOptions &options = {}) const;

private:
  CpuKernel();

  /// The function with packed arguments that stands for `entry`.
  llvm::Expected<void (*)(void **)> lookup(llvm::StringRef entry) const;

  /// One of them: what has compiled the kernel, or has loaded its object file.
  std::unique_ptr<mlir::ExecutionEngine> engine;
  std::unique_ptr<llvm::orc::LLJIT> loaded;
};

} // namespace tilepipe::cpu

#endif // TILEPIPE_TARGET_CPU_CPUKERNEL_H
