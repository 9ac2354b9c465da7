//===- PipeMachine.h - Pipes, clocks and flags of one run -*- C++ -*- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_PIPEMACHINE_H
#define TILEPIPE_LIB_TARGET_ASCEND_PIPEMACHINE_H

#include "PipeModel.h"

#include <array>
#include <map>

namespace tilepipe::ascend {

/// The state of a core in one run over a control path.
class PipeMachine {
public:
  /// `workspaces` are ordered by cross-core signals, not by flags.
  PipeMachine(const llvm::DenseSet<mlir::Value> &workspaces,
              llvm::function_ref<bool(const Finding &)> report)
      : workspaces(workspaces), report(report) {}

  /// An instruction is issued.
  void execute(PipeOpInterface op, IndexEvaluator evaluate);
  void setFlag(mlir::Operation *op, Pipe from, Pipe to, int64_t id);
  void waitFlag(mlir::Operation *op, Pipe from, Pipe to, int64_t id);
  void barrier(Pipe pipe);
  /// The function returns.
  void finish();

  bool isStopped() const { return stopped; }
  void fail(Finding finding) { stopped |= !report(finding); }

  int64_t getNumEvents() const { return events; }

private:
  /// The scalar stream, the pipes, and the stores of the scalar stream, which
  /// it does not wait for.
  enum { NumClocks = 8, StoreClock = 7 };
  using Clock = std::array<int32_t, NumClocks>;

  struct Range {
    int64_t lo, rows, length, stride;
    int64_t end() const { return lo + (rows - 1) * stride + length; }
  };
  struct Record {
    Range range;
    bool write;
    int clock;
    int32_t count;
    mlir::Operation *op;
    Pipe pipe;
    mlir::Value root;
  };
  struct Flag {
    bool set = false;
    Clock known{};
    mlir::Operation *setter = nullptr;
    mlir::Operation *waiter = nullptr;
    int32_t waited = 0;
  };

  static int indexOf(Pipe pipe);
  static bool overlap(const Range &a, const Range &b);
  void join(int clock, const Clock &known);
  /// What is issued knows all that the scalar stream knows.
  void issue(int clock);
  void access(PipeOpInterface op, int clock, const PipeAccess &access,
              IndexEvaluator evaluate);
  void check(const Record &now);
  std::optional<Range> rangeOf(const PipeAccess &access, BufferView view,
                               IndexEvaluator evaluate) const;

  const llvm::DenseSet<mlir::Value> &workspaces;
  llvm::function_ref<bool(const Finding &)> report;
  std::array<Clock, NumClocks> clocks{};
  std::array<int32_t, NumClocks> counts{};
  std::map<std::tuple<int, int, int64_t>, Flag> flags;
  /// Accesses of a space with addresses, or of a buffer without.
  llvm::MapVector<void *, std::vector<Record>> records;
  int32_t publishedStores = 0;
  bool interlocked = false;
  bool stopped = false;
  int64_t events = 0;
};

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_PIPEMACHINE_H
