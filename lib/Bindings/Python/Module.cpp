//===- Module.cpp - The native module of the Python package ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "tilepipe/Pipelines/Registration.h"

#include "mlir/InitAllPasses.h"

using namespace tilepipe::python;

/// Class decorator: the class of a dialect's operation.
static nb::object registerOperation(nb::object dialect, bool replace) {
  return nb::cpp_function([replace](nb::object cls) {
    nb::dict views = Globals::get().opViews;
    nb::object name = cls.attr("OPERATION_NAME");
    if (views.contains(name) && !replace)
      throw std::runtime_error("Operation '" + nb::cast<std::string>(name) +
                               "' is already registered.");
    views[name] = cls;
    return cls;
  });
}

static nb::object registerDialect(nb::object cls) {
  Globals::get().dialects[cls.attr("DIALECT_NAMESPACE")] = cls;
  return cls;
}

NB_MODULE(_native, m) {
  nb::register_exception_translator(
      [](const std::exception_ptr &error, void *) {
        try {
          std::rethrow_exception(error);
        } catch (const std::bad_cast &) {
          PyErr_SetString(PyExc_TypeError, "argument of an unexpected type");
        }
      });
  // A registry of another library may hold kernels until the process ends, as
  // torch's holds those of its operators: that is no leak to report there.
  nb::set_leak_warnings(false);
  mlir::registerAllPasses();
  tilepipe::registerPasses();

  nb::module_ ir = m.def_submodule("ir", "The IR, with the names of mlir.ir");
  bindContext(ir);
  bindLocations(ir);
  bindTypes(ir);
  bindAttributes(ir);
  bindElements(ir);
  bindAffine(ir);
  bindOperations(ir);
  bindRegions(ir);
  bindValues(ir);
  bindSymbols(ir);
  nb::module_ tile = m.def_submodule("tile", "Attributes of the tile dialect");
  bindTileAttributes(tile);
  nb::module_ passes = m.def_submodule("passmanager", "Pass pipelines");
  bindPassManager(passes);
  bindCpuKernel(m);
  bindLaunchPlan(m);
  bindPtxKernel(m);
  bindCceText(m);

  m.def("register_operation", &registerOperation, "dialect_class"_a,
        nb::kw_only(), "replace"_a = false);
  m.def("register_dialect", &registerDialect, "dialect_class"_a);
  m.def("_set_error_class",
        [](nb::object cls) { Globals::get().mlirError = cls; });
  m.def("_clear_globals", [] { Globals::get().clear(); });
}
