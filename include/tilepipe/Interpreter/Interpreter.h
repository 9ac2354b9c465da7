//===- Interpreter.h - Reference execution of tile programs -----*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs functions of source, planned and injected IR. Slow against compiled
// code, but exact, and it finds every access to memory in flight. Any verified
// IR either runs or ends in a located error.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_INTERPRETER_INTERPRETER_H
#define TILEPIPE_INTERPRETER_INTERPRETER_H

#include "tilepipe/Runtime/AsyncEngine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace tilepipe {

struct InterpreterOptions {
  runtime::CompletionPolicy policy = runtime::CompletionPolicy::Eager;
  uint64_t seed = 0;
  /// Report accesses to memory in flight, and other misuse of copies.
  bool sanitize = true;
  /// Report reads of memory that nothing has written.
  bool trackUninitialized = false;
  /// About one step for each operation and for each eight elements of a tile.
  uint64_t stepLimit = uint64_t(1) << 34;
  int64_t memoryLimit = int64_t(1) << 32;
  /// A wait to be done wrongly, to test what notices: it completes
  /// `mutationExtra` groups fewer, or none if that is negative.
  mlir::Operation *mutatedWait = nullptr;
  int64_t mutationExtra = 1;
};

/// A dense row-major tensor in memory of the caller.
struct HostBuffer {
  llvm::SmallVector<int64_t> shape;
  mlir::Type elementType;
  std::vector<char> data;

  int64_t getNumElements() const;
};

/// The bytes of one element in memory, 0 for a type that cannot be stored.
unsigned getElementBytes(mlir::Type type);
/// Element `index` of a buffer, as a number.
double getElement(const HostBuffer &buffer, int64_t index);
/// Sets element `index`, converted to the element type.
void setElement(HostBuffer &buffer, int64_t index, double value);

/// An argument: a buffer for a memref, a number for a scalar.
struct InterpreterArgument {
  HostBuffer *buffer = nullptr;
  double number = 0;
};

/// Why a run ended early.
struct RuntimeError {
  mlir::Operation *op = nullptr;
  std::string message;
  llvm::SmallVector<std::pair<mlir::Operation *, std::string>, 1> notes;
  /// True for a broken rule of asynchronous copies, false for an ordinary error
  /// of the program.
  bool isRace = false;
  /// True where the program only ran out of steps or memory.
  bool isLimit = false;

  /// Emits it as a diagnostic.
  void emit() const;
};

struct InterpreterStatistics {
  uint64_t steps = 0, asyncCopies = 0, groups = 0, waits = 0;
  /// Runs of the wait that is done wrongly.
  uint64_t mutations = 0;
};

class InterpreterImpl;

/// Runs functions of one module; what it compiles is kept between runs. The IR
/// must not change in between.
class Interpreter {
public:
  Interpreter();
  ~Interpreter();

  /// Runs `function` and updates the buffers of `arguments`. `results` receives
  /// scalar results.
  std::optional<RuntimeError>
  run(mlir::func::FuncOp function,
      llvm::ArrayRef<InterpreterArgument> arguments,
      const InterpreterOptions &options,
      InterpreterStatistics *statistics = nullptr,
      llvm::SmallVectorImpl<double> *results = nullptr);

private:
  std::unique_ptr<InterpreterImpl> impl;
};

} // namespace tilepipe

#endif // TILEPIPE_INTERPRETER_INTERPRETER_H
