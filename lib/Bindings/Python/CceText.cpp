//===- CceText.cpp - Bindings of the Ascend target ------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#ifdef TILEPIPE_TARGET_ASCEND

#include "tilepipe/Target/Ascend/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilepipe::python;

static std::string translate(nb::handle object) {
  OperationRef operation = toOperation(object);
  auto module = dyn_cast<ModuleOp>(operation->get());
  if (!module)
    throw nb::type_error("expected a module");
  DiagnosticCapture capture(operation->context);
  if (failed(verifyTree(module)))
    capture.raise("Verification failed before translation");
  std::string text;
  llvm::raw_string_ostream os(text);
  LogicalResult result = [&] {
    BusyScope busy(operation);
    nb::gil_scoped_release release;
    return tilepipe::ascend::translateToCCE(module, os);
  }();
  if (failed(result))
    capture.raise("Failure while printing CCE");
  capture.deliver();
  return text;
}

void tilepipe::python::bindCceText(nb::module_ &parent) {
  nb::module_ m = parent.def_submodule("ascend", "CCE for Ascend AI cores");
  m.def("translate", &translate, "module"_a,
        "CCE of a module that the pipeline tile-to-cce has lowered");
}

#else

void tilepipe::python::bindCceText(nb::module_ &) {}

#endif // TILEPIPE_TARGET_ASCEND
