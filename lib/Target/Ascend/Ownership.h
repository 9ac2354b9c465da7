//===- Ownership.h - Buffers that pass from pipe to pipe -*- C++ -*- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_OWNERSHIP_H
#define TILEPIPE_LIB_TARGET_ASCEND_OWNERSHIP_H

#include "PipeModel.h"

#include "llvm/ADT/SetVector.h"

namespace tilepipe::ascend {

/// An access of a group of buffers by one pipe: an instruction, or an operation
/// all of whose instructions are of that pipe.
struct Epoch {
  mlir::Operation *first, *last;
  Pipe pipe;
  mlir::Value slot;
};

/// A flag that was inserted.
struct PlacedFlag {
  mlir::Operation *op;
  Pipe from, to;
  /// What is added to the first id that the group has for the pipes.
  int64_t offset;
};

/// Buffers that share flags.
struct BufferGroup {
  llvm::SmallSetVector<mlir::Value, 4> buffers;
  /// Flags for each direction; 1 follows the buffers as a whole.
  int64_t versions = 1;
  llvm::SmallVector<PlacedFlag> flags;
  /// Ids that the group has for a pair of pipes.
  llvm::MapVector<std::pair<int, int>, int64_t> ids;
};

/// One operation of a block that accesses a group.
struct GroupItem {
  mlir::Operation *op;
  /// None where several pipes or versions are accessed inside.
  std::optional<Pipe> pipe;
  mlir::Value slot;
};

/// What the instructions of a function access.
class AccessTable {
public:
  explicit AccessTable(FuncOp function);

  FuncOp getFunction() const { return function; }

  /// Groups that take flags, buffers that are used alike in one.
  llvm::SmallVector<BufferGroup> makeGroups() const;

  /// Operations of `block` that access `group`, in order.
  llvm::SmallVector<GroupItem> getItems(mlir::Block &block,
                                        const BufferGroup &group) const;

  /// True if no instruction accesses two versions of the group.
  bool hasOneVersionEach(const BufferGroup &group) const;

private:
  struct Access {
    mlir::Operation *op;
    Pipe pipe;
    bool write;
    BufferView view;
  };
  /// The order in which pipes and versions are used.
  using Signature = llvm::SmallVector<std::tuple<mlir::Block *, int, void *>>;

  void addSignature(mlir::Block &block, const BufferGroup &group,
                    Signature &signature) const;
  Signature getSignature(const BufferGroup &group) const;
  int64_t getVersions(mlir::Value buffer) const;

  FuncOp function;
  llvm::MapVector<mlir::Value, llvm::SmallVector<Access>> accesses;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Access>> byOp;
};

/// Inserts a flag whose id is given later: of version `slot`, or of the one
/// that has the constant number `offset`.
mlir::Operation *insertFlag(mlir::OpBuilder &b, mlir::Location loc, bool set,
                            BufferGroup &group, Pipe from, Pipe to,
                            mlir::Value slot, int64_t offset = 0);

/// Inserts the flags of a group that has versions. The control paths of `model`
/// say which pipe has a version before and after each use of it; where the
/// answer is one pipe, the use waits for it, or sets a flag for it. False if
/// answers differ; then nothing was inserted.
bool insertVersionFlags(const AccessTable &table, PipeModel &model,
                        BufferGroup &group);

/// Inserts the flags of a group that is followed as a whole. Fails, with an
/// error, on control flow that is not structured.
mlir::LogicalResult insertOwnerFlags(const AccessTable &table,
                                     BufferGroup &group);

/// Inserts cross-core signals for the workspaces of the kernels in `module`.
mlir::LogicalResult insertCrossSignals(mlir::ModuleOp module);

/// Emits an error unless the cross-core signals of each kernel are given and
/// waited for at places that correspond.
mlir::LogicalResult verifyCrossSignals(mlir::ModuleOp module);

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_OWNERSHIP_H
