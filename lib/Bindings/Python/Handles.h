//===- Handles.h - Python handles of IR objects -----------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who owns what, and why a stale handle cannot crash:
//
// * A context lives as long as any handle of something in it.
// * There is at most one `PyOperation` for an operation
// (`PyMLIRContext::live`).
//   The handle of a top-level operation owns its whole tree; every other handle
//   keeps the handle of the top (`root`) alive.
// * Whatever frees an operation (erase, a pass pipeline, the end of a tree)
//   first invalidates the handles of everything below it. `get()` of an
//   invalid handle throws.
// * Blocks, regions and block arguments have no identity of their own: their
//   handles name the operation that holds them. `regionEpoch` of that operation
//   counts the changes that may have freed a block; after one, the block is
//   looked up again before it is used.
// * While a pipeline runs without the GIL, its tree is `busy`; other threads
//   that reach for it get an exception.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_BINDINGS_PYTHON_HANDLES_H
#define TILEPIPE_BINDINGS_PYTHON_HANDLES_H

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <thread>

namespace nb = nanobind;
using namespace nanobind::literals;

namespace tilepipe::python {

struct PyMLIRContext;
struct PyOperation;
using ContextRef = std::shared_ptr<PyMLIRContext>;
using OperationRef = std::shared_ptr<PyOperation>;

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

struct PyMLIRContext : std::enable_shared_from_this<PyMLIRContext> {
  PyMLIRContext();
  ~PyMLIRContext();
  PyMLIRContext(const PyMLIRContext &) = delete;

  mlir::MLIRContext *get() { return &context; }

  mlir::MLIRContext context;
  /// The handles of this context, by operation.
  llvm::DenseMap<mlir::Operation *, std::weak_ptr<PyOperation>> live;
  /// Trees whose handles are gone but whose values others still use. A handle
  /// that is made for one takes it over again.
  llvm::SetVector<mlir::Operation *> graveyard;
  /// Python callables that want diagnostics, the latest last.
  std::vector<nb::object> diagnosticHandlers;
  /// Pipelines that run on this context now.
  int running = 0;
};

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// What `Operation`, `OpView` and `Module` have in common.
struct PyOperationBase {
  virtual ~PyOperationBase() = default;
  /// The handle of the operation itself.
  virtual OperationRef ref() = 0;
};

struct PyOperation : PyOperationBase,
                     std::enable_shared_from_this<PyOperation> {
  PyOperation(ContextRef context, mlir::Operation *op)
      : context(std::move(context)), op(op) {}
  ~PyOperation() override;

  OperationRef ref() override { return shared_from_this(); }
  /// The operation; throws if it is gone or busy in another thread.
  mlir::Operation *get();
  /// The handle that owns the tree.
  PyOperation &top() { return root ? *root : *this; }

  ContextRef context;
  mlir::Operation *op;
  OperationRef root;
  unsigned regionEpoch = 0;
  bool busy = false;
  std::thread::id busyThread;
};

struct PyOpView : PyOperationBase {
  explicit PyOpView(OperationRef operation) : operation(std::move(operation)) {}
  OperationRef ref() override { return operation; }
  OperationRef operation;
};

struct PyModule : PyOperationBase {
  explicit PyModule(OperationRef operation) : operation(std::move(operation)) {}
  OperationRef ref() override { return operation; }
  OperationRef operation;
};

/// Marks a tree as in use by this thread while the GIL is away.
class BusyScope {
public:
  explicit BusyScope(OperationRef operation);
  ~BusyScope();
  BusyScope(const BusyScope &) = delete;

private:
  OperationRef operation;
  PyOperation *top;
};

/// The handle of `op`, made if there is none.
OperationRef getHandle(const ContextRef &context, mlir::Operation *op);
/// Takes ownership of the detached `op`.
OperationRef adopt(const ContextRef &context, mlir::Operation *op);
/// Makes the handles below `op` stale, and with `self` that of `op` too.
void invalidate(PyMLIRContext &context, mlir::Operation *op, bool self);
/// Brings the `root` of each handle in the tree of `op` up to date.
void refreshRoots(const ContextRef &context, mlir::Operation *op);
/// True if an operation inside of `op` uses a result of an operation that is in
/// no block. MLIR's verifier, and with it the printer, must not see that.
bool usesDetached(mlir::Operation *op);
/// Flags that keep the printer of something in `op` away from the verifier
/// where that cannot look at the tree (the printer numbers the whole tree).
mlir::OpPrintingFlags safeFlags(mlir::Operation *op,
                                mlir::OpPrintingFlags flags = {});
/// Verifies `op`; also right for IR that the verifier itself cannot look at.
mlir::LogicalResult verifyTree(mlir::Operation *op);
/// True if something outside of `op` uses a value or block that is in it.
bool isUsedOutside(mlir::Operation *op);
bool isUsedOutside(mlir::Block *block);
/// The Python object for `op`: its registered view class, else an `Operation`.
nb::object toPython(const ContextRef &context, mlir::Operation *op);
nb::object createOpView(const OperationRef &operation);

//===----------------------------------------------------------------------===//
// Regions, blocks, values
//===----------------------------------------------------------------------===//

struct PyRegion {
  OperationRef owner;
  unsigned index;
  mlir::Region &get() const { return owner->get()->getRegion(index); }
};

struct PyBlock {
  PyBlock(OperationRef owner, mlir::Block *block)
      : owner(std::move(owner)), block(block), epoch(this->owner->regionEpoch) {
  }
  /// The block; throws if its operation or itself is gone.
  mlir::Block *get();

  OperationRef owner;
  mlir::Block *block;
  unsigned epoch;
};

struct PyValue {
  PyValue(OperationRef owner, mlir::Value value)
      : owner(std::move(owner)), value(value),
        isResult(mlir::isa<mlir::OpResult>(value)),
        epoch(this->owner->regionEpoch) {}
  PyValue(const PyValue &) = default;
  /// The value; throws if it is gone.
  mlir::Value get();
  const ContextRef &context() const { return owner->context; }

  /// The defining operation, or the one that holds the block.
  OperationRef owner;
  mlir::Value value;
  /// Known here, because a value that is gone cannot be asked.
  bool isResult;
  unsigned epoch;
};
struct PyOpResult : PyValue {
  using PyValue::PyValue;
  explicit PyOpResult(const PyValue &value) : PyValue(value) {}
};
struct PyBlockArgument : PyValue {
  using PyValue::PyValue;
  explicit PyBlockArgument(const PyValue &value) : PyValue(value) {}
};

nb::object toPython(const ContextRef &context, mlir::Value value);
/// The block, named by the operation that holds it.
PyBlock getBlock(const ContextRef &context, mlir::Block *block);

struct PyInsertionPoint {
  OperationRef before; // null: at the end of the block
  PyBlock block;
  void insert(const OperationRef &operation);
};

//===----------------------------------------------------------------------===//
// Types, attributes, locations
//===----------------------------------------------------------------------===//

struct PyType {
  ContextRef context;
  mlir::Type type;
};
struct PyAttribute {
  ContextRef context;
  mlir::Attribute attr;
};
struct PyNamedAttribute {
  ContextRef context;
  mlir::NamedAttribute attr;
};
struct PyLocation {
  ContextRef context;
  mlir::Location loc;
};

nb::object toPython(const ContextRef &context, mlir::Type type);
nb::object toPython(const ContextRef &context, mlir::Attribute attr);

//===----------------------------------------------------------------------===//
// Thread state: what `with` statements have made current
//===----------------------------------------------------------------------===//

struct Frame {
  nb::object object; // what was entered
  ContextRef context;
  std::shared_ptr<PyLocation> location;
  nb::object insertionPoint;
};

void pushFrame(nb::object object, ContextRef context,
               std::shared_ptr<PyLocation> location, nb::object insertionPoint);
void popFrame(nb::handle object);
/// The innermost frame, or null.
Frame *currentFrame();

/// The argument as a `T`; throws a TypeError that says what was expected.
template <typename T> T &castArgument(nb::handle object, const char *expected) {
  if (nb::isinstance<T>(object))
    return nb::cast<T &>(object);
  throw nb::type_error((std::string("expected ") + expected + ", got " +
                        nb::cast<std::string>(object.type().attr("__name__")))
                           .c_str());
}

/// The argument or, if it is None, what is current; throws if nothing is.
ContextRef resolveContext(nb::handle context);
PyLocation resolveLocation(nb::handle location);
/// Null if there is none.
PyInsertionPoint *resolveInsertionPoint(nb::handle ip);

/// An argument that is an operation, a view or a module.
OperationRef toOperation(nb::handle object);
/// An argument that is a value, or an operation with one result.
PyValue &toValue(nb::handle object, nb::object &keepAlive);

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

struct DiagnosticRecord {
  mlir::DiagnosticSeverity severity;
  mlir::Location location;
  std::string message;
  std::vector<DiagnosticRecord> notes;
};

/// Collects the diagnostics that this thread causes while it lives. Others on
/// the same context collect their own.
class DiagnosticCapture {
public:
  explicit DiagnosticCapture(const ContextRef &context);
  ~DiagnosticCapture();

  /// Throws `MLIRError` with the errors collected; the rest goes to handlers.
  [[noreturn]] void raise(const std::string &message);
  /// The same with diagnostics that were taken before.
  [[noreturn]] void raise(const std::string &message,
                          std::vector<DiagnosticRecord> taken);
  /// Hands what is collected to the Python handlers of the context.
  void deliver();
  /// What is collected, and forgets it.
  std::vector<DiagnosticRecord> take() { return std::move(records); }

private:
  ContextRef context;
  std::vector<DiagnosticRecord> records;
  mlir::DiagnosticEngine::HandlerID id;
};

struct PyDiagnostic {
  ContextRef context;
  DiagnosticRecord record;
};

//===----------------------------------------------------------------------===//
// Registries
//===----------------------------------------------------------------------===//

/// Python objects that the module knows by name. Dropped by `shutdown`.
struct Globals {
  nb::object mlirError;
  nb::dict opViews;          // operation name -> class
  nb::dict dialects;         // namespace -> class
  nb::dict attrBuilders;     // ODS kind -> callable
  nb::dict importedDialects; // namespace -> True
  llvm::DenseMap<mlir::TypeID, nb::object> typeCasters, attrCasters,
      valueCasters;
  static Globals &get();
  void clear();
};

/// Loads the Python classes of a dialect if there are any.
void importDialect(llvm::StringRef dialect);

template <typename T> std::string printToString(T &&object) {
  std::string text;
  llvm::raw_string_ostream os(text);
  object.print(os);
  return text;
}

void bindContext(nb::module_ &m);
void bindLocations(nb::module_ &m);
void bindOperations(nb::module_ &m);
void bindRegions(nb::module_ &m);
void bindValues(nb::module_ &m);
void bindTypes(nb::module_ &m);
void bindAttributes(nb::module_ &m);
void bindElements(nb::module_ &m);
void bindAffine(nb::module_ &m);
void bindSymbols(nb::module_ &m);
void bindTileAttributes(nb::module_ &m);
void bindPassManager(nb::module_ &m);
/// Nothing where the CPU target is switched off.
void bindCpuKernel(nb::module_ &m);
void bindLaunchPlan(nb::module_ &m);
/// The same where the NVIDIA target is.
void bindPtxKernel(nb::module_ &parent);
/// The same where the Ascend target is.
void bindCceText(nb::module_ &parent);

} // namespace tilepipe::python

#endif // TILEPIPE_BINDINGS_PYTHON_HANDLES_H
