//===- Lowering.h - Code of one thread for tile operations ---- -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_LOWERING_H
#define TILEPIPE_LIB_TARGET_NVIDIA_LOWERING_H

#include "BarrierAnalysis.h"
#include "Emitter.h"
#include "FragmentPlan.h"
#include "SharedLayout.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"

namespace tilepipe::nvidia {

/// A memref of the launch as the code of a thread sees it.
struct Buffer {
  enum class Kind { Global, Shared, Fragment };
  Kind kind = Kind::Global;
  /// Global: the memref itself. Shared: the elements of all versions, flat.
  /// Fragment: the registers of the thread.
  mlir::Value memref;
  /// As tile operations see it, without versions.
  mlir::MemRefType type;
  /// Shared: the number of the first element, or null for 0.
  mlir::Value offset;
  SharedLayout shared;
  const ThreadLayout *layout = nullptr;
  /// Fragment: whether neighbouring registers are accessed as vectors. Not so
  /// where matrix instructions use them one by one: LLVM would put vectors
  /// together and take them apart again.
  bool hasVectors = false;

  mlir::Type element() const { return type.getElementType(); }
  bool isFragment() const { return kind == Kind::Fragment; }
  bool isShared() const { return kind == Kind::Shared; }
};

/// What the lowerings of one kernel share.
class Lowering {
public:
  Lowering(FragmentPlan plan, mlir::gpu::GPUFuncOp kernel, int64_t numThreads)
      : plan(std::move(plan)), kernel(kernel), numThreads(numThreads),
        constants(&kernel.getBody().front()) {}

  FragmentPlan plan;
  mlir::gpu::GPUFuncOp kernel;
  int64_t numThreads;
  /// Shared memory that the allocations take, and what reductions need behind.
  int64_t sharedBytes = 0;
  int64_t scratchBytes = 0;
  unsigned numAsync = 0, numMma = 0;
  /// Remarks on a statement of the user once, however many steps it is in.
  void remark(mlir::Operation *op, const llvm::Twine &text);
  /// Chunks of copies that other decisions rely on.
  llvm::DenseMap<mlir::Operation *, int64_t> copyWidths;

  /// Emits the values that all of the kernel uses; `end` is the operation of
  /// the entry block that further ones go in front of.
  void begin(mlir::Operation *end);
  Emitter atEntry(mlir::Location loc) {
    mlir::OpBuilder builder(entryEnd);
    return Emitter(loc, builder, &constants);
  }
  /// Emits in front of `op`.
  Emitter at(mlir::Operation *op) {
    mlir::OpBuilder builder(op);
    return Emitter(op->getLoc(), builder, &constants);
  }
  mlir::Value getThreadId() const { return threadId; }

  /// Makes the storage of an allocation and replaces nothing yet.
  void addAlloc(tile::AllocOp alloc, SharedLayout layout);
  /// The buffer that a memref names; slots are looked through.
  Buffer resolve(Emitter &e, mlir::Value memref);

  /// The coordinates of register 0 of this thread.
  llvm::ArrayRef<mlir::Value> getThreadCoordinates(const ThreadLayout &layout);
  /// True in one of the threads that hold the same elements; null where that is
  /// every thread.
  mlir::Value getOwner(const ThreadLayout &layout);
  /// True in thread 0.
  mlir::Value getFirstThread();

  /// Calls `body` with the first register, and the coordinates, of each group
  /// of `width` registers. More than `maxUnrolled` groups (0: any number may be
  /// unrolled) become a loop, whose register is -1.
  void distribute(
      Emitter &e, const ThreadLayout &layout, int64_t width,
      int64_t maxUnrolled,
      llvm::function_ref<void(int64_t, llvm::ArrayRef<mlir::Value>)> body);
  /// Calls `body` with each point of a box of dynamic extents, dealt out to the
  /// threads one by one.
  void
  distributeDynamic(Emitter &e, llvm::ArrayRef<mlir::OpFoldResult> extents,
                    llvm::function_ref<void(llvm::ArrayRef<mlir::Value>)> body);

  /// Element access. `width` elements, aligned to that, of the last dimension
  /// are one vector.
  mlir::Value load(Emitter &e, const Buffer &buffer, mlir::ValueRange indices,
                   int64_t width = 1);
  void store(Emitter &e, mlir::Value value, const Buffer &buffer,
             mlir::ValueRange indices, int64_t width = 1);
  mlir::Value loadRegister(Emitter &e, const Buffer &buffer, int64_t number);
  void storeRegister(Emitter &e, mlir::Value value, const Buffer &buffer,
                     int64_t number);
  /// Registers of a fragment, as one vector where there is more than one.
  mlir::Value loadRegisters(Emitter &e, const Buffer &buffer,
                            llvm::ArrayRef<int64_t> numbers);
  void storeRegisters(Emitter &e, mlir::Value value, const Buffer &buffer,
                      llvm::ArrayRef<int64_t> numbers);
  /// The number of an element in the flat memref of a shared tile.
  mlir::Value linearize(Emitter &e, const Buffer &buffer,
                        mlir::ValueRange indices);

  /// How many elements, at most `limit`, may be accessed at once at starts that
  /// are `offsets` plus multiples of as many. Strides and extents known only at
  /// run time are taken to fit; whether they do is `condition` (null: always).
  /// With `wholeGroups`, the last extent must be a multiple as well.
  int64_t getWidth(Emitter &e, const Buffer &buffer,
                   llvm::ArrayRef<mlir::OpFoldResult> offsets, int64_t limit,
                   bool wholeGroups, mlir::Value &condition);

  /// Bytes behind the allocations, for a reduction: a flat memref.
  mlir::Value getScratch(Emitter &e, mlir::Type element, int64_t count);

private:
  mlir::Value viewShared(Emitter &e, int64_t offset, mlir::Type element,
                         int64_t count);

  ConstantPool constants;
  llvm::DenseSet<mlir::Location> remarked;
  mlir::Operation *entryEnd = nullptr;
  mlir::Value threadId, smem, firstThread;
  llvm::DenseMap<mlir::Operation *, Buffer> buffers;
  std::vector<std::pair<ThreadLayout, llvm::SmallVector<mlir::Value>>>
      coordinates;
  llvm::DenseMap<int64_t, mlir::Value> owners;
};

/// True for types whose vectors LLVM takes apart as well as we could: neither
/// packed into other types nor put together bit by bit.
bool isVectorElement(mlir::Type type);

/// Groups of elements without fragments that are written out one by one.
inline constexpr int64_t kMaxUnrolled = 32;

/// The name of the shared array of a gpu.module.
inline constexpr llvm::StringLiteral kSharedArray = "tilepipe_smem";

/// How the points of a map are dealt out.
struct MapDistribution {
  /// In elements; none for extents that are not known.
  std::optional<ThreadLayout> layout;
  /// Points that are run in lockstep, neighbours in the last dimension.
  int64_t width = 1;
  /// Threads that would hold the same points leave them to one of them.
  bool ownerOnly = true;
};
MapDistribution getMapDistribution(Lowering &l, tile::MapOp op);

/// Which threads touch which element of a shared tile in a copy of the whole
/// of it; none if that is not known.
std::optional<ElementThreads> getThreadMap(Lowering &l, tile::CopyOp op,
                                           bool isSource);
std::optional<ElementThreads> getThreadMap(Lowering &l, tile::AsyncCopyOp op,
                                           bool isSource);
/// The same for a fill.
std::optional<ElementThreads> getThreadMap(Lowering &l, tile::FillOp op);
/// True for a copy that is made with loads and stores, whatever strides are.
bool completesAtOnce(Lowering &l, tile::AsyncCopyOp op);

/// How the elements of the source of a reduction are dealt out.
ThreadLayout getReduceLayout(Lowering &l, tile::ReduceOp op);
/// How the sums of a gemm are, where they are not a fragment's.
ThreadLayout getSumsLayout(Lowering &l, tile::GemmOp op);

/// Takes out the barriers between statements in which each element is touched
/// by the same thread, and lets only warps meet where it is by the same warp.
unsigned pruneBarriers(Lowering &l);

/// Numbers of slots, `(i + c) mod n` in a loop over i, become counters that the
/// loop carries: no division is left in it.
void makeRingCounters(mlir::gpu::GPUFuncOp kernel);

/// An atomic of one thread, on what `value` and `indices` are for it.
void emitAtomic(Lowering &l, Emitter &e, tile::AtomicOp op, mlir::Value value,
                mlir::ValueRange indices);

/// Each replaces one operation (and erases it), or says why it cannot.
mlir::LogicalResult lower(Lowering &l, tile::CopyOp op);
mlir::LogicalResult lower(Lowering &l, tile::AsyncCopyOp op);
mlir::LogicalResult lower(Lowering &l, tile::AsyncCommitOp op);
mlir::LogicalResult lower(Lowering &l, tile::AsyncWaitOp op);
mlir::LogicalResult lower(Lowering &l, tile::FillOp op);
mlir::LogicalResult lower(Lowering &l, tile::GemmOp op);
mlir::LogicalResult lower(Lowering &l, tile::ReduceOp op);
mlir::LogicalResult lower(Lowering &l, tile::AtomicOp op);
mlir::LogicalResult lower(Lowering &l, tile::MapOp op);
/// Element accesses outside of maps.
mlir::LogicalResult lower(Lowering &l, mlir::memref::LoadOp op);
mlir::LogicalResult lower(Lowering &l, mlir::memref::StoreOp op);

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_LOWERING_H
