//===- Context.cpp - Bindings of contexts and diagnostics -----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Pipelines/Registration.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

using namespace mlir;
using namespace tilepipe::python;

/// Everything that a kernel's way through the compiler may need.
static const DialectRegistry &getRegistry() {
  static auto *registry = [] {
    auto *r = new DialectRegistry();
    registerAllDialects(*r);
    registerAllExtensions(*r);
    registerAllToLLVMIRTranslations(*r);
    tilepipe::registerDialects(*r);
    return r;
  }();
  return *registry;
}

PyMLIRContext::PyMLIRContext() {
  context.appendDialectRegistry(getRegistry());
  // Loaded at once, because a dialect must not be loaded while a pipeline runs
  // in another thread; the others come with what is parsed or run.
  context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                      cf::ControlFlowDialect, func::FuncDialect,
                      gpu::GPUDialect, index::IndexDialect, LLVM::LLVMDialect,
                      math::MathDialect, memref::MemRefDialect,
                      nvgpu::NVGPUDialect, NVVM::NVVMDialect, scf::SCFDialect,
                      tile::TileDialect, vector::VectorDialect>();
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

namespace {
/// A Python callable that sees the diagnostics of a context.
struct DiagnosticHandler {
  nb::object context;
  nb::object callback;
  bool attached = true;
  bool hadError = false;
};

struct Dialects {
  ContextRef context;
};
struct DialectDescriptor {
  ContextRef context;
  Dialect *dialect;
};
struct PyDialect {
  nb::object descriptor;
};
} // namespace

/// Handlers may refer back to the context: let the collector see it.
static int traverseContext(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self))
    for (nb::object &handler :
         nb::inst_ptr<PyMLIRContext>(self)->diagnosticHandlers)
      Py_VISIT(handler.ptr());
  return 0;
}
static int clearContext(PyObject *self) {
  if (nb::inst_ready(self)) {
    std::vector<nb::object> dropped;
    dropped.swap(nb::inst_ptr<PyMLIRContext>(self)->diagnosticHandlers);
  }
  return 0;
}
static PyType_Slot contextSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(traverseContext)},
    {Py_tp_clear, reinterpret_cast<void *>(clearContext)},
    {0, nullptr}};

static int traverseHandler(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) {
    Py_VISIT(nb::inst_ptr<DiagnosticHandler>(self)->context.ptr());
    Py_VISIT(nb::inst_ptr<DiagnosticHandler>(self)->callback.ptr());
  }
  return 0;
}
static int clearHandler(PyObject *self) {
  if (nb::inst_ready(self)) {
    auto *handler = nb::inst_ptr<DiagnosticHandler>(self);
    nb::object context = std::move(handler->context);
    nb::object callback = std::move(handler->callback);
  }
  return 0;
}
static PyType_Slot handlerSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(traverseHandler)},
    {Py_tp_clear, reinterpret_cast<void *>(clearHandler)},
    {0, nullptr}};

static void detach(nb::handle self) {
  auto &handler = nb::cast<DiagnosticHandler &>(self);
  handler.attached = false;
  nb::object context = std::move(handler.context);
  if (context.is_valid())
    llvm::erase_if(nb::cast<PyMLIRContext &>(context).diagnosticHandlers,
                   [&](nb::object &other) { return other.is(self); });
}

static bool handle(DiagnosticHandler &handler, nb::object diagnostic) {
  if (!handler.attached || !handler.callback.is_valid())
    return false;
  try {
    return nb::cast<bool>(nb::bool_(handler.callback(diagnostic)));
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("MLIR Python diagnostic handler");
    handler.hadError = true;
    return false;
  }
}

static void bindDiagnostics(nb::module_ &m) {
  nb::enum_<DiagnosticSeverity>(m, "DiagnosticSeverity")
      .value("ERROR", DiagnosticSeverity::Error)
      .value("WARNING", DiagnosticSeverity::Warning)
      .value("NOTE", DiagnosticSeverity::Note)
      .value("REMARK", DiagnosticSeverity::Remark);
  nb::class_<PyDiagnostic>(m, "Diagnostic")
      .def_prop_ro("severity",
                   [](PyDiagnostic &d) { return d.record.severity; })
      .def_prop_ro("location",
                   [](PyDiagnostic &d) {
                     return PyLocation{d.context, d.record.location};
                   })
      .def_prop_ro("message", [](PyDiagnostic &d) { return d.record.message; })
      .def_prop_ro("notes",
                   [](PyDiagnostic &d) {
                     nb::list notes;
                     for (DiagnosticRecord &note : d.record.notes)
                       notes.append(nb::cast(PyDiagnostic{d.context, note}));
                     return nb::tuple(notes);
                   })
      .def("__str__", [](PyDiagnostic &d) { return d.record.message; });
  m.attr("DiagnosticInfo") = m.attr("Diagnostic");
  nb::class_<DiagnosticHandler>(m, "DiagnosticHandler",
                                nb::type_slots(handlerSlots))
      .def_prop_ro("attached", [](DiagnosticHandler &h) { return h.attached; })
      .def_prop_ro("had_error", [](DiagnosticHandler &h) { return h.hadError; })
      .def("detach", [](nb::handle self) { detach(self); })
      .def("_handle", &handle)
      .def("__enter__", [](nb::object self) { return self; })
      .def(
          "__exit__",
          [](nb::handle self, nb::handle, nb::handle, nb::handle) {
            detach(self);
          },
          "type"_a.none(), "value"_a.none(), "traceback"_a.none());
}

//===----------------------------------------------------------------------===//
// Dialects of a context
//===----------------------------------------------------------------------===//

static nb::object getDialect(Dialects &self, const std::string &name) {
  MLIRContext *context = self.context->get();
  Dialect *dialect = context->getLoadedDialect(name);
  if (!dialect && self.context->running)
    throw std::runtime_error("cannot load dialect '" + name +
                             "' while a pass pipeline runs on the context");
  if (!dialect)
    dialect = context->getOrLoadDialect(name);
  if (!dialect)
    throw nb::value_error(("Dialect '" + name + "' not found").c_str());
  importDialect(name);
  nb::object descriptor = nb::cast(DialectDescriptor{self.context, dialect});
  nb::object cls = Globals::get().dialects.attr("get")(name);
  return cls.is_none() ? nb::cast(PyDialect{descriptor}) : cls(descriptor);
}

static void bindDialects(nb::module_ &m) {
  nb::class_<DialectDescriptor>(m, "DialectDescriptor")
      .def_prop_ro(
          "namespace",
          [](DialectDescriptor &d) { return d.dialect->getNamespace().str(); })
      .def("__repr__", [](DialectDescriptor &d) {
        return "<DialectDescriptor " + d.dialect->getNamespace().str() + ">";
      });
  nb::class_<PyDialect>(m, "Dialect")
      .def(
          "__init__",
          [](PyDialect *self, nb::object descriptor) {
            new (self) PyDialect{descriptor};
          },
          "descriptor"_a)
      .def_prop_ro("descriptor", [](PyDialect &d) { return d.descriptor; })
      .def("__repr__", [](nb::handle self) {
        auto descriptor =
            nb::cast<DialectDescriptor>(nb::cast<PyDialect &>(self).descriptor);
        return "<Dialect " + descriptor.dialect->getNamespace().str() +
               " (class " +
               nb::cast<std::string>(self.type().attr("__module__")) + "." +
               nb::cast<std::string>(self.type().attr("__name__")) + ")>";
      });
  nb::class_<Dialects>(m, "Dialects")
      .def("__getitem__", &getDialect)
      .def("__getattr__", [](Dialects &self, const std::string &name) {
        if (StringRef(name).starts_with("__"))
          throw nb::attribute_error(name.c_str());
        try {
          return getDialect(self, name);
        } catch (nb::builtin_exception &error) {
          throw nb::attribute_error(error.what());
        }
      });
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

static size_t countLiveOperations(PyMLIRContext &context) {
  return llvm::count_if(context.live,
                        [](auto &entry) { return !entry.second.expired(); });
}

void tilepipe::python::bindContext(nb::module_ &m) {
  bindDiagnostics(m);
  bindDialects(m);
  nb::class_<PyMLIRContext>(m, "Context", nb::type_slots(contextSlots))
      .def(nb::init<>())
      .def_prop_ro_static(
          "current",
          [](nb::handle) {
            Frame *frame = currentFrame();
            if (!frame)
              throw nb::value_error("No current Context");
            return frame->context;
          },
          nb::sig("def current(/) -> Context"))
      .def("__enter__",
           [](nb::object self) {
             pushFrame(self, nb::cast<ContextRef>(self), nullptr, nb::object());
             return self;
           })
      .def(
          "__exit__",
          [](nb::handle self, nb::handle, nb::handle, nb::handle) {
            popFrame(self);
          },
          "type"_a.none(), "value"_a.none(), "traceback"_a.none())
      .def_prop_ro("dialects", [](ContextRef self) { return Dialects{self}; })
      .def_prop_ro("d", [](ContextRef self) { return Dialects{self}; })
      .def(
          "get_dialect_descriptor",
          [](ContextRef self, const std::string &name) {
            Dialects dialects{self};
            return nb::cast<PyDialect &>(getDialect(dialects, name)).descriptor;
          },
          "dialect_name"_a)
      .def_prop_rw(
          "allow_unregistered_dialects",
          [](PyMLIRContext &c) {
            return c.context.allowsUnregisteredDialects();
          },
          [](PyMLIRContext &c, bool allow) {
            c.context.allowUnregisteredDialects(allow);
          })
      .def(
          "enable_multithreading",
          [](PyMLIRContext &c, bool enable) {
            if (c.running)
              throw std::runtime_error("a pass pipeline runs on the context");
            c.context.disableMultithreading(!enable);
          },
          "enable"_a)
      .def_prop_ro(
          "is_multithreading_enabled",
          [](PyMLIRContext &c) { return c.context.isMultithreadingEnabled(); })
      .def(
          "attach_diagnostic_handler",
          [](nb::object self, nb::object callback) {
            nb::object handler = nb::cast(DiagnosticHandler{self, callback});
            nb::cast<PyMLIRContext &>(self).diagnosticHandlers.push_back(
                handler);
            return handler;
          },
          "callback"_a)
      .def(
          "is_registered_operation",
          [](PyMLIRContext &c, const std::string &name) {
            c.context.getOrLoadDialect(StringRef(name).split('.').first);
            return OperationName(name, c.get()).isRegistered();
          },
          "operation_name"_a)
      .def("load_all_available_dialects",
           [](PyMLIRContext &c) {
             if (c.running)
               throw std::runtime_error("a pass pipeline runs on the context");
             c.context.loadAllAvailableDialects();
           })
      .def("_get_live_operation_count", &countLiveOperations)
      .def("_get_kept_tree_count",
           [](PyMLIRContext &c) { return c.graveyard.size(); });
}
