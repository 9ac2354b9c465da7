//===- Handles.cpp - Python handles of IR objects -------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tilepipe::python;

//===----------------------------------------------------------------------===//
// Lifetime of trees
//===----------------------------------------------------------------------===//

static Operation *getTop(Operation *op) {
  while (Operation *parent = op->getParentOp())
    op = parent;
  return op;
}

/// True if a user for which `escapes` holds uses something defined in `op`.
static bool isUsedBy(Operation *op, function_ref<bool(Operation *)> escapes) {
  return op
      ->walk([&](Operation *inner) {
        if (llvm::any_of(inner->getUsers(), escapes))
          return WalkResult::interrupt();
        for (Region &region : inner->getRegions())
          for (Block &block : region) {
            for (BlockArgument arg : block.getArguments())
              if (llvm::any_of(arg.getUsers(), escapes))
                return WalkResult::interrupt();
            for (auto use = block.use_begin(); use != block.use_end(); ++use)
              if (escapes(use->getOwner()))
                return WalkResult::interrupt();
          }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

bool tilepipe::python::isUsedOutside(Operation *op) {
  return isUsedBy(op, [&](Operation *user) { return !op->isAncestor(user); });
}

bool tilepipe::python::isUsedOutside(Block *block) {
  auto escapes = [&](Operation *user) {
    for (Block *b = user->getBlock(); b;
         b = b->getParentOp() ? b->getParentOp()->getBlock() : nullptr)
      if (b == block)
        return false;
    return true;
  };
  for (BlockArgument arg : block->getArguments())
    if (llvm::any_of(arg.getUsers(), escapes))
      return true;
  for (auto use = block->use_begin(); use != block->use_end(); ++use)
    if (escapes(use->getOwner()))
      return true;
  return llvm::any_of(*block,
                      [&](Operation &op) { return isUsedBy(&op, escapes); });
}

bool tilepipe::python::usesDetached(Operation *op) {
  auto detached = [](Value value) {
    Operation *producer = value ? value.getDefiningOp() : nullptr;
    return !value || (producer && !producer->getBlock());
  };
  return op
      ->walk([&](Operation *inner) {
        return inner != op && llvm::any_of(inner->getOperands(), detached)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

OpPrintingFlags tilepipe::python::safeFlags(Operation *op,
                                            OpPrintingFlags flags) {
  if (usesDetached(getTop(op)))
    flags.assumeVerified().printGenericOpForm();
  return flags;
}

LogicalResult tilepipe::python::verifyTree(Operation *op) {
  if (usesDetached(op))
    return mlir::emitError(op->getLoc(),
                           "an operation inside uses the result of an "
                           "operation that is in no block");
  return mlir::verify(op);
}

void tilepipe::python::invalidate(PyMLIRContext &context, Operation *top,
                                  bool self) {
  // Cheaper than the walk when few handles are left.
  SmallVector<Operation *> gone;
  if (context.live.size() < 32) {
    for (auto &entry : context.live)
      if ((self || entry.first != top) && top->isAncestor(entry.first))
        gone.push_back(entry.first);
  } else {
    top->walk([&](Operation *op) {
      if ((self || op != top) && context.live.count(op))
        gone.push_back(op);
    });
  }
  SmallVector<OperationRef> keep; // a last reference may free another tree
  for (Operation *op : gone) {
    if (OperationRef handle = context.live.lookup(op).lock()) {
      handle->op = nullptr;
      keep.push_back(std::move(handle));
    }
    context.live.erase(op);
  }
  if (OperationRef handle = context.live.lookup(top).lock())
    ++handle->regionEpoch;
}

PyMLIRContext::~PyMLIRContext() {
  for (Operation *op : graveyard)
    op->walk([](Operation *inner) { inner->dropAllReferences(); });
  for (Operation *op : graveyard) {
    op->dropAllUses();
    op->erase();
  }
}

PyOperation::~PyOperation() {
  if (!op)
    return;
  context->live.erase(op);
  if (op->getBlock())
    return;
  invalidate(*context, op, /*self=*/false);
  if (isUsedOutside(op))
    context->graveyard.insert(op);
  else
    op->erase();
}

Operation *PyOperation::get() {
  if (!op)
    throw std::runtime_error(
        "the operation has been invalidated (erased, or rewritten by a pass)");
  PyOperation &owner = top();
  if (owner.busy && owner.busyThread != std::this_thread::get_id())
    throw std::runtime_error(
        "the operation is being transformed by a pass pipeline in another "
        "thread");
  return op;
}

BusyScope::BusyScope(OperationRef operation)
    : operation(std::move(operation)), top(&this->operation->top()) {
  if (top->busy)
    throw std::runtime_error("the operation is in use by the compiler already");
  top->busy = true;
  top->busyThread = std::this_thread::get_id();
  ++top->context->running;
}

BusyScope::~BusyScope() {
  top->busy = false;
  --top->context->running;
}

OperationRef tilepipe::python::getHandle(const ContextRef &context,
                                         Operation *op) {
  std::weak_ptr<PyOperation> &slot = context->live[op];
  if (OperationRef handle = slot.lock())
    return handle;
  auto handle = std::make_shared<PyOperation>(context, op);
  slot = handle;
  if (Operation *top = getTop(op); top != op)
    handle->root = getHandle(context, top);
  else
    context->graveyard.remove(op);
  return handle;
}

OperationRef tilepipe::python::adopt(const ContextRef &context, Operation *op) {
  return getHandle(context, op);
}

void tilepipe::python::refreshRoots(const ContextRef &context, Operation *op) {
  Operation *topOp = getTop(op);
  OperationRef top = getHandle(context, topOp);
  SmallVector<OperationRef> old;
  op->walk([&](Operation *inner) {
    auto it = context->live.find(inner);
    if (it == context->live.end())
      return;
    if (OperationRef handle = it->second.lock()) {
      old.push_back(handle->root);
      handle->root = inner == topOp ? nullptr : top;
    }
  });
}

//===----------------------------------------------------------------------===//
// Blocks and values
//===----------------------------------------------------------------------===//

Block *PyBlock::get() {
  Operation *op = owner->get();
  if (epoch == owner->regionEpoch)
    return block;
  for (Region &region : op->getRegions())
    for (Block &candidate : region)
      if (&candidate == block) {
        epoch = owner->regionEpoch;
        return block;
      }
  throw std::runtime_error(
      "the block has been invalidated (erased, or rewritten by a pass)");
}

PyBlock tilepipe::python::getBlock(const ContextRef &context, Block *block) {
  return PyBlock(getHandle(context, block->getParentOp()), block);
}

Value PyValue::get() {
  Operation *op = owner->get();
  if (isResult || epoch == owner->regionEpoch)
    return value;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument arg : block.getArguments())
        if (arg == value) {
          epoch = owner->regionEpoch;
          return value;
        }
  throw std::runtime_error(
      "the block argument has been invalidated (erased, or rewritten by a "
      "pass)");
}

nb::object tilepipe::python::toPython(const ContextRef &context, Value value) {
  if (!value)
    return nb::none();
  nb::object object;
  if (auto result = dyn_cast<OpResult>(value))
    object = nb::cast(PyOpResult(getHandle(context, result.getOwner()), value));
  else
    object = nb::cast(PyBlockArgument(
        getHandle(context,
                  cast<BlockArgument>(value).getOwner()->getParentOp()),
        value));
  auto &casters = Globals::get().valueCasters;
  auto it = casters.find(value.getType().getTypeID());
  return it == casters.end() ? object : it->second(object);
}

void PyInsertionPoint::insert(const OperationRef &operation) {
  Operation *op = operation->get();
  Block *target = block.get();
  Operation *anchor = before ? before->get() : nullptr;
  if (op->getBlock())
    throw nb::value_error(
        "Attempt to insert operation that is already attached");
  if (anchor && anchor->getBlock() != target)
    throw std::runtime_error("the insertion point has been invalidated");
  for (Operation *up = target->getParentOp(); up; up = up->getParentOp())
    if (up == op)
      throw nb::value_error("cannot insert an operation into itself");
  if (!anchor && !target->empty() &&
      target->back().hasTrait<OpTrait::IsTerminator>())
    throw nb::index_error("Cannot insert operation at the end of a block that "
                          "already has a terminator. Did you mean to use "
                          "'InsertionPoint.at_block_terminator(block)' versus "
                          "'InsertionPoint(block)'?");
  target->getOperations().insert(
      anchor ? Block::iterator(anchor) : target->end(), op);
  refreshRoots(operation->context, op);
}

//===----------------------------------------------------------------------===//
// Thread state
//===----------------------------------------------------------------------===//

/// Leaked on purpose: at the end of a thread no GIL is held to release it.
static std::vector<Frame> &frames() {
  thread_local auto *stack = new std::vector<Frame>();
  return *stack;
}

void tilepipe::python::pushFrame(nb::object object, ContextRef context,
                                 std::shared_ptr<PyLocation> location,
                                 nb::object insertionPoint) {
  if (Frame *previous = currentFrame();
      previous && previous->context == context) {
    if (!location)
      location = previous->location;
    if (!insertionPoint.is_valid())
      insertionPoint = previous->insertionPoint;
  }
  frames().push_back({std::move(object), std::move(context),
                      std::move(location), std::move(insertionPoint)});
}

void tilepipe::python::popFrame(nb::handle object) {
  if (frames().empty() || !frames().back().object.is(object))
    throw std::runtime_error("Unbalanced enter/exit of a context manager");
  Frame last = std::move(frames().back());
  frames().pop_back();
}

Frame *tilepipe::python::currentFrame() {
  return frames().empty() ? nullptr : &frames().back();
}

ContextRef tilepipe::python::resolveContext(nb::handle context) {
  if (context.is_valid() && !context.is_none())
    return (castArgument<PyMLIRContext>(context, "a Context"),
            nb::cast<ContextRef>(context));
  if (Frame *frame = currentFrame())
    return frame->context;
  throw std::runtime_error(
      "An MLIR function requires a Context but none was provided in the call "
      "or from the surrounding environment. Either pass to the function with "
      "a 'context=' argument or establish a default using 'with Context():'");
}

PyLocation tilepipe::python::resolveLocation(nb::handle location) {
  if (location.is_valid() && !location.is_none())
    return castArgument<PyLocation>(location, "a Location");
  if (Frame *frame = currentFrame(); frame && frame->location)
    return *frame->location;
  throw std::runtime_error(
      "An MLIR function requires a Location but none was provided in the call "
      "or from the surrounding environment. Either pass to the function with "
      "a 'loc=' argument or establish a default using 'with loc:'");
}

PyInsertionPoint *tilepipe::python::resolveInsertionPoint(nb::handle ip) {
  if (ip.is_valid() && !ip.is_none())
    return &castArgument<PyInsertionPoint>(ip, "an InsertionPoint");
  if (Frame *frame = currentFrame(); frame && frame->insertionPoint.is_valid())
    return nb::cast<PyInsertionPoint *>(frame->insertionPoint);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

OperationRef tilepipe::python::toOperation(nb::handle object) {
  PyOperationBase *base;
  if (!nb::try_cast<PyOperationBase *>(object, base) || !base)
    throw nb::type_error(
        (std::string("expected an operation, got ") +
         nb::cast<std::string>(nb::str(object.type().attr("__name__"))))
            .c_str());
  return base->ref();
}

PyValue &tilepipe::python::toValue(nb::handle object, nb::object &keepAlive) {
  if (nb::isinstance<PyValue>(object))
    return *nb::cast<PyValue *>(object);
  if (nb::isinstance<PyOperationBase>(object)) {
    OperationRef operation = toOperation(object);
    Operation *op = operation->get();
    if (op->getNumResults() != 1)
      throw nb::value_error(
          ("Cannot call .result on operation " +
           op->getName().getStringRef().str() + " which has " +
           std::to_string(op->getNumResults()) +
           " results (it is only valid for operations with a single result)")
              .c_str());
    keepAlive = toPython(operation->context, op->getResult(0));
    return *nb::cast<PyValue *>(keepAlive);
  }
  throw nb::type_error(
      (std::string("expected a Value or an operation with one result, got ") +
       nb::cast<std::string>(nb::str(object.type().attr("__name__"))))
          .c_str());
}

Globals &Globals::get() {
  static auto *globals = new Globals();
  return *globals;
}

void Globals::clear() {
  mlirError.reset();
  for (nb::dict *dict : {&opViews, &dialects, &attrBuilders, &importedDialects})
    dict->clear();
  for (auto *casters : {&typeCasters, &attrCasters, &valueCasters})
    casters->clear();
}

void tilepipe::python::importDialect(StringRef dialect) {
  nb::dict seen = Globals::get().importedDialects;
  nb::str key(dialect.data(), dialect.size());
  if (seen.contains(key))
    return;
  seen[key] = true;
  nb::module_::import_("tilepipe.dialects").attr("_load")(key);
}

nb::object tilepipe::python::createOpView(const OperationRef &operation) {
  Operation *op = operation->get();
  importDialect(op->getName().getDialectNamespace());
  StringRef name = op->getName().getStringRef();
  nb::object cls =
      Globals::get().opViews.attr("get")(nb::str(name.data(), name.size()));
  if (cls.is_none())
    return nb::cast(operation);
  nb::object view = nb::inst_alloc(cls);
  new (nb::inst_ptr<PyOpView>(view)) PyOpView(operation);
  nb::inst_mark_ready(view);
  return view;
}

nb::object tilepipe::python::toPython(const ContextRef &context,
                                      Operation *op) {
  if (!op)
    return nb::none();
  return createOpView(getHandle(context, op));
}

/// The most derived class that was registered for the kind of `object`.
template <typename T>
static nb::object downcast(nb::object object, T kind,
                           llvm::DenseMap<TypeID, nb::object> &casters) {
  auto it = casters.find(kind.getTypeID());
  if (it == casters.end()) {
    importDialect(kind.getDialect().getNamespace());
    it = casters.find(kind.getTypeID());
  }
  return it == casters.end() ? object : it->second(object);
}

nb::object tilepipe::python::toPython(const ContextRef &context, Type type) {
  if (!type)
    return nb::none();
  return downcast(nb::cast(PyType{context, type}), type,
                  Globals::get().typeCasters);
}

nb::object tilepipe::python::toPython(const ContextRef &context,
                                      Attribute attr) {
  if (!attr)
    return nb::none();
  return downcast(nb::cast(PyAttribute{context, attr}), attr,
                  Globals::get().attrCasters);
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static DiagnosticRecord record(Diagnostic &diagnostic) {
  DiagnosticRecord result{
      diagnostic.getSeverity(), diagnostic.getLocation(), diagnostic.str(), {}};
  for (Diagnostic &note : diagnostic.getNotes())
    result.notes.push_back(record(note));
  return result;
}

DiagnosticCapture::DiagnosticCapture(const ContextRef &context)
    : context(context) {
  std::thread::id self = std::this_thread::get_id();
  id = context->get()->getDiagEngine().registerHandler(
      [this, self](Diagnostic &diagnostic) {
        // A pool thread's diagnostics are replayed here by the pass manager.
        if (std::this_thread::get_id() != self)
          return failure();
        records.push_back(record(diagnostic));
        return success();
      });
}

DiagnosticCapture::~DiagnosticCapture() {
  context->get()->getDiagEngine().eraseHandler(id);
}

static bool handleInPython(const ContextRef &context,
                           const DiagnosticRecord &record) {
  std::vector<nb::object> handlers = context->diagnosticHandlers;
  for (auto it = handlers.rbegin(); it != handlers.rend(); ++it)
    if (nb::cast<bool>(
            (*it).attr("_handle")(nb::cast(PyDiagnostic{context, record}))))
      return true;
  return false;
}

void DiagnosticCapture::deliver() {
  for (DiagnosticRecord &record : take())
    handleInPython(context, record);
}

void DiagnosticCapture::raise(const std::string &message) {
  raise(message, take());
}

void DiagnosticCapture::raise(const std::string &message,
                              std::vector<DiagnosticRecord> taken) {
  nb::list errors;
  for (DiagnosticRecord &record : taken) {
    if (record.severity == DiagnosticSeverity::Error)
      errors.append(nb::cast(PyDiagnostic{context, record}));
    else
      handleInPython(context, record);
  }
  nb::object cls = Globals::get().mlirError;
  nb::object error = cls(message, errors);
  PyErr_SetObject(cls.ptr(), error.ptr());
  throw nb::python_error();
}
