//===- Check.h - Serial against pipelined programs --------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_INTERPRETER_CHECK_H
#define TILEPIPE_INTERPRETER_CHECK_H

#include "tilepipe/Interpreter/Interpreter.h"

#include "mlir/IR/OwningOpRef.h"

namespace tilepipe {

/// How one argument is made.
struct ArgumentSpec {
  /// Extents of a memref; empty for those of its type, with `defaultExtent` for
  /// dynamic ones.
  std::optional<llvm::SmallVector<int64_t>> shape;
  /// Range of the random integer values of a memref.
  int64_t low = -3, high = 3;
  /// The value of a scalar.
  std::optional<double> number;
  /// A `.npy` file with the contents of a memref.
  std::string file;

  static constexpr int64_t defaultExtent = 8;
};

/// Alternatives of each argument from text such as `64x32,_,a.npy,3|4|7`.
/// On failure `error` says what is wrong.
using ArgumentChoices = llvm::SmallVector<llvm::SmallVector<ArgumentSpec, 1>>;
bool parseArguments(llvm::StringRef text, ArgumentChoices &choices,
                    std::string &error);
/// What the syntax is, for a help text.
llvm::StringRef getArgumentSyntax();

/// The arguments of one call.
struct KernelInput {
  std::vector<HostBuffer> buffers;
  llvm::SmallVector<InterpreterArgument> arguments;
  /// Argument number of each buffer.
  llvm::SmallVector<unsigned> numbers;

  KernelInput() = default;
  KernelInput(const KernelInput &other);
  KernelInput &operator=(const KernelInput &) = delete;
};

/// Makes arguments for `function`; random contents depend on `seed` only.
std::unique_ptr<KernelInput> makeInput(mlir::func::FuncOp function,
                                       llvm::ArrayRef<ArgumentSpec> specs,
                                       uint64_t seed, std::string &error);
/// Every combination of the choices of each argument.
std::vector<llvm::SmallVector<ArgumentSpec>>
getCombinations(const ArgumentChoices &choices, mlir::func::FuncOp function);

/// The first element that differs between two runs.
struct Mismatch {
  unsigned argument;
  int64_t index;
  double expected, got;
  llvm::SmallVector<int64_t> position;

  std::string str() const;
};
/// Floats may differ by `tolerance` times the larger of 1 and their magnitude.
std::optional<Mismatch> compare(const KernelInput &expected,
                                const KernelInput &got, double tolerance = 0);

/// A completion policy with its seed.
struct PolicyRun {
  runtime::CompletionPolicy policy;
  uint64_t seed;

  std::string str() const;
};
/// Every policy; the random one with `seeds` seeds from `seed` on.
llvm::SmallVector<PolicyRun> getPolicyRuns(unsigned seeds, uint64_t seed);

/// Runs a textual pass pipeline on a copy of `module`. Null, after
/// diagnostics, if it fails.
mlir::OwningOpRef<mlir::ModuleOp> runPasses(mlir::ModuleOp module,
                                            llvm::StringRef pipeline);

/// `.npy` files, version 1 and 2, row-major.
bool readNpy(llvm::StringRef path, HostBuffer &buffer, std::string &error);
bool writeNpy(llvm::StringRef path, const HostBuffer &buffer,
              std::string &error);

/// The function of a name, or the only one that has a body where the name is
/// empty.
mlir::func::FuncOp findEntry(mlir::ModuleOp module, llvm::StringRef name,
                             std::string &error);

} // namespace tilepipe

#endif // TILEPIPE_INTERPRETER_CHECK_H
