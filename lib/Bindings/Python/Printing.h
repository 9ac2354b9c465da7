//===- Printing.h - Text and bytecode of operations -------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_BINDINGS_PYTHON_PRINTING_H
#define TILEPIPE_BINDINGS_PYTHON_PRINTING_H

#include "Handles.h"

namespace tilepipe::python {

/// `print`, `get_asm`, `write_bytecode`, `dump`, `__str__`.
void bindPrinting(nb::class_<PyOperationBase> &cls);

} // namespace tilepipe::python

#endif // TILEPIPE_BINDINGS_PYTHON_PRINTING_H
