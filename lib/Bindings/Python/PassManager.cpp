//===- PassManager.cpp - Bindings of pass pipelines -----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/ScopeExit.h"
#include <nanobind/stl/unique_ptr.h>

using namespace mlir;
using namespace tilepipe::python;

namespace {
struct PyPassManager {
  ContextRef context;
  std::unique_ptr<PassManager> manager;
  bool verify = true;
  bool busy = false;
};
} // namespace

static void parseInto(PassManager &manager, const std::string &pipeline) {
  std::string errors;
  llvm::raw_string_ostream os(errors);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, os);
  if (failed(parsed))
    throw nb::value_error(errors.c_str());
  static_cast<OpPassManager &>(manager) = std::move(*parsed);
}

static std::unique_ptr<PyPassManager> parse(const std::string &pipeline,
                                            nb::handle context) {
  auto self = std::make_unique<PyPassManager>();
  self->context = resolveContext(context);
  DiagnosticCapture capture(self->context);
  self->manager = std::make_unique<PassManager>(self->context->get());
  parseInto(*self->manager, pipeline);
  return self;
}

static void add(PyPassManager &self, const std::string &pipeline) {
  std::string errors;
  llvm::raw_string_ostream os(errors);
  DiagnosticCapture capture(self.context);
  if (failed(parsePassPipeline(pipeline, *self.manager, os)))
    throw nb::value_error(errors.c_str());
}

static void run(PyPassManager &self, nb::handle object) {
  OperationRef handle = toOperation(object);
  Operation *op = handle->get();
  if (self.busy)
    throw std::runtime_error("the pass manager runs in another thread");
  if (handle->context != self.context)
    throw nb::value_error(
        "the pass manager and the operation belong to different contexts");
  DiagnosticCapture capture(self.context);
  // Passes may rely on what the verifier has found to be true.
  if (self.verify && failed(verifyTree(op)))
    capture.raise("Verification failed before the pass pipeline");
  DialectRegistry dependent;
  self.manager->getDependentDialects(dependent);
  self.context->get()->appendDialectRegistry(dependent);
  for (StringRef name : dependent.getDialectNames())
    self.context->get()->getOrLoadDialect(name);
  LogicalResult result = failure();
  {
    BusyScope busy(handle);
    self.busy = true;
    llvm::scope_exit done([&] { self.busy = false; });
    invalidate(*self.context, op, /*self=*/false);
    nb::gil_scoped_release released;
    result = self.manager->run(op);
  }
  if (failed(result))
    capture.raise("Failure while executing pass pipeline");
  capture.deliver();
}

static void enableIRPrinting(PyPassManager &self, bool beforeAll, bool afterAll,
                             bool moduleScope, bool afterChange,
                             bool afterFailure,
                             std::optional<int64_t> largeElementsLimit,
                             std::optional<int64_t> largeResourceLimit,
                             bool debugInfo, bool generic,
                             std::optional<std::string> directory) {
  // MLIR ends the process here.
  if (moduleScope && self.context->get()->isMultithreadingEnabled())
    throw nb::value_error(
        "printing at module scope needs context.enable_multithreading(False)");
  OpPrintingFlags flags;
  if (largeElementsLimit)
    flags.elideLargeElementsAttrs(*largeElementsLimit);
  if (largeResourceLimit)
    flags.elideLargeResourceString(*largeResourceLimit);
  if (debugInfo)
    flags.enableDebugInfo(true);
  if (generic)
    flags.printGenericOpForm();
  auto before = [beforeAll](Pass *, Operation *) { return beforeAll; };
  auto after = [afterAll](Pass *, Operation *) { return afterAll; };
  if (directory)
    self.manager->enableIRPrintingToFileTree(before, after, moduleScope,
                                             afterChange, afterFailure,
                                             *directory, flags);
  else
    self.manager->enableIRPrinting(before, after, moduleScope, afterChange,
                                   afterFailure, llvm::errs(), flags);
}

static std::string str(PyPassManager &self) {
  std::string text;
  llvm::raw_string_ostream os(text);
  self.manager->printAsTextualPipeline(os);
  return text;
}

void tilepipe::python::bindPassManager(nb::module_ &m) {
  nb::class_<PyPassManager>(m, "PassManager")
      .def(
          "__init__",
          [](PyPassManager *self, const std::string &anchor,
             nb::object context) {
            ContextRef c = resolveContext(context);
            new (self) PyPassManager{
                c, std::make_unique<PassManager>(c->get(), anchor)};
          },
          "anchor_op"_a = "any", "context"_a = nb::none())
      .def_static(
          "parse",
          [](const std::string &pipeline, nb::object context) {
            return parse(pipeline, context);
          },
          "pipeline"_a, "context"_a = nb::none())
      .def("add", &add, "pipeline"_a)
      .def(
          "run", [](PyPassManager &self, nb::object op) { run(self, op); },
          "operation"_a)
      .def(
          "enable_verifier",
          [](PyPassManager &self, bool enable) {
            self.verify = enable;
            self.manager->enableVerifier(enable);
          },
          "enable"_a)
      .def("enable_timing",
           [](PyPassManager &self) { self.manager->enableTiming(); })
      .def("enable_statistics",
           [](PyPassManager &self) { self.manager->enableStatistics(); })
      .def("enable_ir_printing", &enableIRPrinting,
           "print_before_all"_a = false, "print_after_all"_a = true,
           "print_module_scope"_a = false, "print_after_change"_a = false,
           "print_after_failure"_a = false,
           "large_elements_limit"_a = nb::none(),
           "large_resource_limit"_a = nb::none(), "enable_debug_info"_a = false,
           "print_generic_op_form"_a = false,
           "tree_printing_dir_path"_a = nb::none())
      .def("__str__", &str);
}
