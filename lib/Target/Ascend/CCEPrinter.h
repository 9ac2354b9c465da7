//===- CCEPrinter.h - One function as CCE text -*- C++ -*- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_ASCEND_CCEPRINTER_H
#define TILEPIPE_LIB_TARGET_ASCEND_CCEPRINTER_H

#include "CCEExpression.h"
#include "tilepipe/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace tilepipe::ascend {

/// Parts of the text that functions need before them.
struct CCEHelpers {
  bool minMax = false, ceilDiv = false, maskOfCount = false, scalar = false;
};

/// Prints one function. Values are expressions where they are used once, and
/// variables elsewhere.
class CCEPrinter {
public:
  CCEPrinter(llvm::raw_ostream &os, CCEHelpers &helpers)
      : os(os), helpers(helpers) {}

  mlir::LogicalResult print(FuncOp function);

private:
  // Structure (CCEPrinter.cpp).
  mlir::LogicalResult printArguments(FuncOp function);
  mlir::LogicalResult printBuffers(FuncOp function);
  mlir::LogicalResult printCell(tile::AllocOp alloc);
  mlir::LogicalResult printBlock(mlir::Block &block);
  mlir::LogicalResult printFor(mlir::scf::ForOp loop);
  mlir::LogicalResult printIf(mlir::scf::IfOp branch);
  mlir::LogicalResult printOp(mlir::Operation &op);
  /// `yield` of a block to the variables of `targets`.
  void assign(mlir::ValueRange targets, mlir::ValueRange values);
  void declare(mlir::Value value, llvm::StringRef hint);

  // Scalars (CCEScalars.cpp).
  mlir::FailureOr<Expression> getScalar(mlir::Operation &op);
  Expression getInteger(mlir::Operation &op);
  Expression getFloat(mlir::Operation &op);
  Expression getDivision(mlir::Operation &op);
  Expression getConstant(mlir::arith::ConstantOp op);
  Expression getCompare(mlir::Operation &op);
  void bind(mlir::Value value, Expression expression);

  // Instructions (CCEInstructions.cpp, CCEVectors.cpp).
  mlir::LogicalResult printInstruction(mlir::Operation &op);
  mlir::LogicalResult printCopy(mlir::Operation *op);
  mlir::LogicalResult printMatrix(mlir::Operation *op);
  mlir::LogicalResult printVector(mlir::Operation *op);
  mlir::LogicalResult printSelect(VSelectOp op);
  mlir::LogicalResult printSync(mlir::Operation *op);
  void printRows(mlir::Operation *op, llvm::StringRef name, mlir::Value target,
                 mlir::Value targetOffset, mlir::Value source,
                 mlir::Value sourceOffset, bool load);
  template <typename OpTy>
  std::string getForm(OpTy op, mlir::Type widest, mlir::Operation *at);
  void setMask(mlir::Operation *op, bool count, Expression number);
  void setPad(LoadOp op);

  /// A call with its place behind it, unless the instruction does nothing.
  void call(mlir::Operation *op, llvm::StringRef name,
            llvm::ArrayRef<std::string> arguments);
  std::string address(mlir::Value buffer, mlir::Value offset,
                      llvm::StringRef cast = {});
  Expression get(mlir::Value value);
  std::string getFlagId(int64_t id, mlir::Value slot);

  llvm::raw_ostream &line();
  std::string getName(llvm::StringRef hint);
  mlir::FailureOr<std::string> getTypeName(mlir::Type type,
                                           mlir::Operation *op);

  llvm::raw_ostream &os;
  CCEHelpers &helpers;
  unsigned indent = 1, depth = 0;
  llvm::DenseMap<mlir::Value, Expression> values;
  llvm::StringSet<> names;
  /// What the mask registers hold; empty if it is not known.
  std::string mask;
  /// The same of the register that holds what pads rows.
  std::string pad;
};

/// What `#tile.space` qualifies pointers with.
llvm::StringRef getQualifier(tile::MemorySpace space);

/// The user's place of an operation as `file:line:column`, or empty.
std::string getPlace(mlir::Location location);

} // namespace tilepipe::ascend

#endif // TILEPIPE_LIB_TARGET_ASCEND_CCEPRINTER_H
