//===- CpuKernel.cpp - Bindings of kernels compiled for this processor ----===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#ifdef TILEPIPE_TARGET_CPU

#include "tilepipe/Target/CPU/CpuKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

using namespace mlir;
using namespace tilepipe::cpu;
using namespace tilepipe::python;

namespace {

struct PyCpuKernel {
  std::unique_ptr<CpuKernel> kernel;
};

/// The descriptor of a memref argument as compiled code reads it: the allocated
/// and the aligned pointer, the offset, the shape and the strides (in
/// elements).
struct Descriptor {
  explicit Descriptor(uintptr_t data, const std::vector<int64_t> &shape,
                      const std::vector<int64_t> &strides) {
    words.reserve(3 + 2 * shape.size());
    words.append({int64_t(data), int64_t(data), 0});
    words.append(shape.begin(), shape.end());
    words.append(strides.begin(), strides.end());
    pointer = words.data();
  }
  llvm::SmallVector<int64_t, 11> words;
  void *pointer;
};

using Tensor =
    std::tuple<uintptr_t, std::vector<int64_t>, std::vector<int64_t>>;

} // namespace

static std::unique_ptr<PyCpuKernel> compile(nb::handle object, bool async,
                                            bool sanitize, unsigned optLevel,
                                            bool keepObject) {
  OperationRef operation = toOperation(object);
  auto module = dyn_cast<ModuleOp>(operation->get());
  if (!module)
    throw nb::type_error("expected a module");
  CpuCompileOptions options;
  options.asyncRuntime = async;
  options.sanitize = sanitize;
  options.optLevel = optLevel;
  options.keepObject = keepObject;
  DiagnosticCapture capture(operation->context);
  if (failed(verifyTree(module)))
    capture.raise("Verification failed before compilation");
  llvm::Expected<std::unique_ptr<CpuKernel>> kernel = [&] {
    BusyScope busy(operation);
    nb::gil_scoped_release release;
    return CpuKernel::compile(module, options);
  }();
  if (!kernel)
    capture.raise(llvm::toString(kernel.takeError()));
  auto result = std::make_unique<PyCpuKernel>();
  result->kernel = std::move(*kernel);
  return result;
}

/// What went wrong with an object file is the caller's to handle.
template <typename T> static T unwrap(llvm::Expected<T> value) {
  if (!value)
    throw nb::value_error(llvm::toString(value.takeError()).c_str());
  return std::move(*value);
}

static nb::bytes getObject(PyCpuKernel &self) {
  auto object = unwrap(self.kernel->getObject());
  return nb::bytes(object->getBufferStart(), object->getBufferSize());
}

static std::unique_ptr<PyCpuKernel> load(nb::bytes object,
                                         const std::string &entry) {
  auto result = std::make_unique<PyCpuKernel>();
  llvm::MemoryBufferRef buffer({object.c_str(), object.size()}, entry);
  result->kernel = unwrap([&] {
    nb::gil_scoped_release release;
    return CpuKernel::load(buffer, entry);
  }());
  return result;
}

/// Arguments are tensors (address, shape, strides) or addresses of scalars.
static void invoke(PyCpuKernel &self, const std::string &entry, nb::list args,
                   unsigned threads, const std::string &policy, uint64_t seed) {
  CpuRunOptions options;
  options.threads = threads;
  options.seed = seed;
  auto parsed = tilepipe::runtime::parseCompletionPolicy(policy);
  if (!parsed)
    throw nb::value_error(
        ("unknown completion policy '" + policy + "'").c_str());
  options.policy = *parsed;
  std::vector<Descriptor> descriptors;
  descriptors.reserve(nb::len(args));
  llvm::SmallVector<void *> packed;
  for (nb::handle arg : args) {
    if (nb::isinstance<nb::int_>(arg)) {
      packed.push_back(reinterpret_cast<void *>(nb::cast<uintptr_t>(arg)));
      continue;
    }
    auto [data, shape, strides] = nb::cast<Tensor>(arg);
    descriptors.emplace_back(data, shape, strides);
    packed.push_back(&descriptors.back().pointer);
  }
  llvm::Error error = [&] {
    nb::gil_scoped_release release;
    return self.kernel->invoke(entry, packed, options);
  }();
  if (error)
    throw std::runtime_error(llvm::toString(std::move(error)));
}

void tilepipe::python::bindCpuKernel(nb::module_ &m) {
  nb::class_<PyCpuKernel>(m, "CpuKernel",
                          "Functions of a module, compiled for this processor")
      .def_static("compile", &compile, "module"_a, nb::kw_only(),
                  "async_runtime"_a = false, "sanitize"_a = false,
                  "opt_level"_a = 3, "keep_object"_a = false)
      .def_prop_ro("object", &getObject,
                   "Machine code of a kernel compiled with keep_object")
      .def_static("load", &load, "object"_a, "entry"_a,
                  "A kernel from the machine code of another process")
      .def_static("host", &CpuKernel::getHost,
                  "The processor that code is made for")
      .def("invoke", &invoke, "entry"_a, "args"_a, "threads"_a = 1,
           nb::kw_only(), "policy"_a = "eager", "seed"_a = 0);
}

#else

void tilepipe::python::bindCpuKernel(nb::module_ &m) {}

#endif // TILEPIPE_TARGET_CPU
