//===- Printing.cpp - Text and bytecode of operations ---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Printing.h"
#include "Handles.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace tilepipe::python;

namespace {
/// `assumeVerified` is a hint that is not taken: a wrong one would crash.
struct PrintOptions {
  std::optional<int64_t> largeElementsLimit, largeResourceLimit;
  bool debugInfo, prettyDebugInfo, generic, localScope, nameLocAsPrefix,
      assumeVerified, skipRegions;

  OpPrintingFlags flags() const {
    OpPrintingFlags flags;
    if (largeElementsLimit)
      flags.elideLargeElementsAttrs(*largeElementsLimit);
    if (largeResourceLimit)
      flags.elideLargeResourceString(*largeResourceLimit);
    if (debugInfo)
      flags.enableDebugInfo(true, prettyDebugInfo);
    if (generic)
      flags.printGenericOpForm();
    if (localScope)
      flags.useLocalScope();
    if (nameLocAsPrefix)
      flags.printNameLocAsPrefix();
    if (skipRegions)
      flags.skipRegions();
    return flags;
  }
};
} // namespace

static std::string getText(PyOperationBase &self, const PrintOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Operation *op = self.ref()->get();
  DiagnosticCapture quiet(self.ref()->context);
  op->print(os, safeFlags(op, options.flags()));
  return text;
}

static nb::object encode(const std::string &text, bool binary) {
  if (binary)
    return nb::bytes(text.data(), text.size());
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), text.size(), "replace"));
}

static nb::object getAsm(PyOperationBase &self, bool binary,
                         std::optional<int64_t> largeElementsLimit,
                         std::optional<int64_t> largeResourceLimit,
                         bool debugInfo, bool prettyDebugInfo, bool generic,
                         bool localScope, bool nameLocAsPrefix,
                         bool assumeVerified, bool skipRegions) {
  return encode(getText(self, {largeElementsLimit, largeResourceLimit,
                               debugInfo, prettyDebugInfo, generic, localScope,
                               nameLocAsPrefix, assumeVerified, skipRegions}),
                binary);
}

static void print(PyOperationBase &self,
                  std::optional<int64_t> largeElementsLimit,
                  std::optional<int64_t> largeResourceLimit, bool debugInfo,
                  bool prettyDebugInfo, bool generic, bool localScope,
                  bool nameLocAsPrefix, bool assumeVerified, nb::object file,
                  bool binary, bool skipRegions) {
  std::string text =
      getText(self, {largeElementsLimit, largeResourceLimit, debugInfo,
                     prettyDebugInfo, generic, localScope, nameLocAsPrefix,
                     assumeVerified, skipRegions});
  if (file.is_none())
    file = nb::module_::import_("sys").attr("stdout");
  file.attr("write")(encode(text, binary));
  file.attr("write")(encode("\n", binary));
}

static void writeBytecode(PyOperationBase &self, nb::object file,
                          std::optional<int64_t> version) {
  std::string data;
  llvm::raw_string_ostream os(data);
  OperationRef handle = self.ref();
  DiagnosticCapture capture(handle->context);
  BytecodeWriterConfig config;
  if (version)
    config.setDesiredBytecodeVersion(*version);
  if (failed(writeBytecodeToFile(handle->get(), os, config)))
    capture.raise("Unable to write bytecode at version " +
                  std::to_string(version.value_or(-1)));
  nb::bytes bytes(data.data(), data.size());
  if (nb::hasattr(file, "write")) {
    file.attr("write")(bytes);
    return;
  }
  nb::object opened = nb::module_::import_("builtins").attr("open")(file, "wb");
  opened.attr("write")(bytes);
  opened.attr("close")();
}

static std::string str(PyOperationBase &self) {
  return nb::cast<std::string>(encode(getText(self, PrintOptions{}), false));
}

void tilepipe::python::bindPrinting(nb::class_<PyOperationBase> &cls) {
  cls.def("get_asm", &getAsm, "binary"_a = false,
          "large_elements_limit"_a = nb::none(),
          "large_resource_limit"_a = nb::none(), "enable_debug_info"_a = false,
          "pretty_debug_info"_a = false, "print_generic_op_form"_a = false,
          "use_local_scope"_a = false, "use_name_loc_as_prefix"_a = false,
          "assume_verified"_a = false, "skip_regions"_a = false)
      .def("print", &print, "large_elements_limit"_a = nb::none(),
           "large_resource_limit"_a = nb::none(), "enable_debug_info"_a = false,
           "pretty_debug_info"_a = false, "print_generic_op_form"_a = false,
           "use_local_scope"_a = false, "use_name_loc_as_prefix"_a = false,
           "assume_verified"_a = false, "file"_a = nb::none(),
           "binary"_a = false, "skip_regions"_a = false)
      .def("write_bytecode", &writeBytecode, "file"_a,
           "desired_version"_a = nb::none())
      .def("dump",
           [](PyOperationBase &self) { llvm::errs() << str(self) << "\n"; })
      .def("__str__", &str);
}
