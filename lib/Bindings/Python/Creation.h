//===- Creation.h - Creation of operations from Python ----------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_BINDINGS_PYTHON_CREATION_H
#define TILEPIPE_BINDINGS_PYTHON_CREATION_H

#include "Handles.h"

namespace tilepipe::python {

/// What an operation is made of.
struct Recipe {
  std::string name;
  std::vector<nb::object> operands;
  llvm::SmallVector<mlir::Type> types;
  bool inferTypes = false;
  std::vector<std::pair<std::string, mlir::Attribute>> attributes;
  nb::object attributeDict = nb::none();
  nb::object successors = nb::none();
  int regions = 0;
};

/// The arguments of `OpView.__init__` as generated classes pass them.
struct OdsArguments {
  std::string name;
  nb::handle regionSpec, operandSegments, resultSegments;
  nb::handle attributes, results, operands, successors, regions, loc, ip;
};

/// Makes a detached operation; throws `MLIRError` where it cannot be made.
mlir::Operation *buildOperation(const Recipe &recipe, const PyLocation &loc);
/// The same at the insertion point given or current, if there is one.
OperationRef create(const Recipe &recipe, nb::handle loc, nb::handle ip);
OperationRef createFromOds(const OdsArguments &ods);

/// Throws if `attr`, as the attribute `attrName` that sizes the segments of the
/// operands or results of `op`, does not describe `count` of them.
void checkSegments(llvm::StringRef op, llvm::StringRef attrName,
                   mlir::Attribute attr, unsigned count);

} // namespace tilepipe::python

#endif // TILEPIPE_BINDINGS_PYTHON_CREATION_H
