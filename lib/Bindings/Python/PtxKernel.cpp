//===- PtxKernel.cpp - Bindings of the NVIDIA target ----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#ifdef TILEPIPE_TARGET_NVIDIA

#include "tilepipe/Target/NVIDIA/PTX.h"

#include "mlir/IR/BuiltinOps.h"
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

using namespace mlir;
using namespace tilepipe::nvidia;
using namespace tilepipe::python;

static PTXModule translate(nb::handle object, const std::string &chip,
                           unsigned indexBitwidth, const std::string &features,
                           unsigned optLevel, bool lineInfo) {
  OperationRef operation = toOperation(object);
  auto module = dyn_cast<ModuleOp>(operation->get());
  if (!module)
    throw nb::type_error("expected a module");
  PTXOptions options;
  options.chip = chip;
  options.features = features;
  options.indexBitwidth = indexBitwidth;
  options.optLevel = optLevel;
  options.lineInfo = lineInfo;
  DiagnosticCapture capture(operation->context);
  if (failed(verifyTree(module)))
    capture.raise("Verification failed before compilation");
  FailureOr<PTXModule> result = [&] {
    BusyScope busy(operation);
    nb::gil_scoped_release release;
    return compileToPTX(module, options);
  }();
  if (failed(result))
    capture.raise("Failure while compiling to PTX");
  capture.deliver();
  return std::move(*result);
}

/// "pointer", "integer" or "float", and the number of bits.
static std::vector<std::pair<std::string, unsigned>>
getParameters(const PTXKernel &kernel) {
  static const char *const names[] = {"pointer", "integer", "float"};
  std::vector<std::pair<std::string, unsigned>> result;
  for (const PTXParameter &parameter : kernel.parameters)
    result.emplace_back(names[parameter.kind], parameter.bits);
  return result;
}

static std::map<std::string, double> getTimes(const PTXModule &module) {
  const PTXTimes &times = module.times;
  return {{"lower", times.lower},
          {"translate", times.translate},
          {"optimize", times.optimize},
          {"codegen", times.codegen}};
}

void tilepipe::python::bindPtxKernel(nb::module_ &parent) {
  nb::module_ m = parent.def_submodule("nvidia", "PTX for NVIDIA GPUs");
  nb::class_<PTXKernel>(m, "PTXKernel", "What a launch needs to know")
      .def_ro("name", &PTXKernel::name)
      .def_prop_ro("parameters", &getParameters,
                   "Kind ('pointer', 'integer', 'float') and bits of each")
      .def_ro("block_size", &PTXKernel::blockSize,
              "Threads of a block; 0 where any number will do")
      .def_ro("shared_bytes", &PTXKernel::sharedBytes,
              "Bytes of dynamic shared memory");
  nb::class_<PTXModule>(m, "PTXModule", "PTX and the kernels in it")
      .def_ro("text", &PTXModule::text)
      .def_ro("chip", &PTXModule::chip)
      .def_ro("kernels", &PTXModule::kernels)
      .def_prop_ro("times", &getTimes, "Seconds by step");
  m.def("translate", &translate, "module"_a, "chip"_a = "",
        "index_bitwidth"_a = 0, nb::kw_only(), "features"_a = "",
        "opt_level"_a = 3, "line_info"_a = true,
        "PTX of tile IR of any phase; the module is not changed");
}

#else

void tilepipe::python::bindPtxKernel(nb::module_ &) {}

#endif // TILEPIPE_TARGET_NVIDIA
