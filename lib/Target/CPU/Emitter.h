//===- Emitter.h - Building loops and index arithmetic ----------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_CPU_EMITTER_H
#define TILEPIPE_LIB_TARGET_CPU_EMITTER_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

namespace tilepipe::cpu {

/// Lets `types` convert memrefs of every memory space: the CPU has one.
void addMemorySpaceConversions(mlir::LLVMTypeConverter &types);

/// A builder that folds index arithmetic and knows how memrefs are laid out.
class Emitter : public mlir::ImplicitLocOpBuilder {
public:
  Emitter(mlir::Location loc, mlir::OpBuilder &builder,
          const mlir::LLVMTypeConverter &types)
      : ImplicitLocOpBuilder(loc, builder), types(types) {}

  const mlir::LLVMTypeConverter &types;

  /// Index arithmetic, signed; constants fold.
  mlir::Value index(int64_t value);
  mlir::Value index(mlir::OpFoldResult value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value cond, mlir::Value a, mlir::Value b);
  mlir::Value lt(mlir::Value a, mlir::Value b);
  mlir::Value le(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value boolean(bool value);
  mlir::Value i64(mlir::Value index);
  mlir::Value i64(int64_t value);

  /// The zero (or `value`) of an element type.
  mlir::Value constant(mlir::Type type, int64_t value = 0);
  /// Converts an element as `tile.copy` does.
  mlir::Value convert(mlir::Value value, mlir::Type to);

  mlir::Value dim(mlir::Value memref, int64_t dim);
  /// A stride in elements; static ones as attributes.
  mlir::OpFoldResult stride(mlir::Value memref, int64_t dim);
  /// The address of the element at `offset` elements after the start of the
  /// memref (its own offset included).
  mlir::Value pointer(mlir::Value memref, mlir::Value offset);
  /// A memref of static identity layout at an address.
  mlir::Value memrefAt(mlir::Value pointer, mlir::MemRefType type);
  /// The address `bytes` after `pointer`.
  mlir::Value bytesAfter(mlir::Value pointer, mlir::Value bytes);
  /// Bytes of one element in memory.
  int64_t elementBytes(mlir::Type type);

  /// What LLVM may make of a loop. Code that is rarely run, or already vectors,
  /// only costs compile time when it is unrolled.
  enum class Effort { Full, NoUnroll, None };

  /// for (i = lower; i < upper; i += step) body(i)
  mlir::scf::ForOp loop(mlir::Value lower, mlir::Value upper, mlir::Value step,
                        llvm::function_ref<void(mlir::Value)> body,
                        Effort effort = Effort::Full);
  /// A nest of loops over `[lower, upper)` of each dimension.
  void nest(llvm::ArrayRef<mlir::Value> lower,
            llvm::ArrayRef<mlir::Value> upper,
            llvm::function_ref<void(mlir::ValueRange)> body,
            Effort effort = Effort::Full);
  /// Tells LLVM so.
  void setEffort(mlir::scf::ForOp loop, Effort effort);
  /// if (cond) body(); nothing if `cond` is known to be false.
  void when(mlir::Value cond, llvm::function_ref<void()> body,
            llvm::function_ref<void()> otherwise = nullptr);

private:
  template <typename OpT> mlir::Value fold(mlir::Value a, mlir::Value b) {
    return createOrFold<OpT>(a, b);
  }
};

/// The functions that a module gets: those of the runtime, and those that
/// several operations of one shape share.
class FunctionLibrary {
public:
  explicit FunctionLibrary(mlir::ModuleOp module);

  /// Declares a function of the runtime.
  mlir::func::FuncOp runtime(llvm::StringRef name,
                             llvm::ArrayRef<mlir::Type> inputs,
                             llvm::ArrayRef<mlir::Type> results = {});

  /// The function called `prefix` and a number that was made for `key`; calls
  /// `build` with the insertion point in its empty body to make it.
  mlir::func::FuncOp
  shared(llvm::StringRef prefix, llvm::StringRef key, mlir::Location loc,
         llvm::ArrayRef<mlir::Type> inputs,
         llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange)> build);

  /// A private function with a name that is not taken yet.
  mlir::func::FuncOp create(const llvm::Twine &name, mlir::Location loc,
                            mlir::FunctionType type);

  unsigned getNumShared() const { return sharedFunctions.size(); }

private:
  mlir::SymbolTable symbols;
  mlir::ModuleOp module;
  llvm::StringMap<mlir::func::FuncOp> sharedFunctions;
};

} // namespace tilepipe::cpu

#endif // TILEPIPE_LIB_TARGET_CPU_EMITTER_H
