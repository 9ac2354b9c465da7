//===- Creation.cpp - Creation of operations from Python ------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Creation.h"
#include "Handles.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace tilepipe::python;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static std::vector<nb::object> toList(nb::handle sequence) {
  std::vector<nb::object> items;
  if (!sequence.is_valid() || sequence.is_none())
    return items;
  for (nb::handle item : sequence)
    items.push_back(nb::borrow(item));
  return items;
}

static void addAttributes(OperationState &state, nb::handle attributes) {
  if (!attributes.is_valid() || attributes.is_none())
    return;
  for (auto [key, value] : nb::cast<nb::dict>(attributes)) {
    auto name = nb::cast<std::string>(key);
    if (value.is_none())
      continue;
    if (!nb::isinstance<PyAttribute>(value))
      throw nb::type_error(("Invalid attribute value for the key \"" + name +
                            "\" when attempting to create the operation \"" +
                            state.name.getStringRef().str() +
                            "\" (expected an Attribute)")
                               .c_str());
    state.attributes.set(name, nb::cast<PyAttribute &>(value).attr);
  }
}

void tilepipe::python::checkSegments(StringRef op, StringRef attrName,
                                     Attribute attr, unsigned count) {
  auto sizes = dyn_cast_or_null<DenseI32ArrayAttr>(attr);
  if (!sizes)
    return;
  int64_t sum = 0;
  bool negative = false;
  for (int32_t size : sizes.asArrayRef()) {
    negative |= size < 0;
    sum += size;
  }
  if (negative || sum != int64_t(count))
    throw nb::value_error(
        ("operation '" + op + "' has " + Twine(count) + " " +
         (attrName.starts_with("operand") ? "operands" : "results") +
         ", which " + attrName + " = " + printToString(attr) +
         " does not describe")
            .str()
            .c_str());
}

/// Segment sizes that do not add up lead accessors out of bounds.
static void checkSegmentsOf(const OperationState &state) {
  StringRef op = state.name.getStringRef();
  StringRef attrName = "operandSegmentSizes";
  Attribute sizes = state.attributes.get(attrName);
  if (!sizes && state.name.hasTrait<OpTrait::AttrSizedOperandSegments>())
    sizes = DenseI32ArrayAttr::get(state.getContext(), {});
  checkSegments(op, attrName, sizes, state.operands.size());
}

static void checkContexts(const OperationState &state, const Recipe &recipe) {
  MLIRContext *context = state.getContext();
  auto same = [context](auto part) { return part.getContext() == context; };
  if (!llvm::all_of(state.operands, same) ||
      !llvm::all_of(recipe.types, same) ||
      !llvm::all_of(state.attributes,
                    [&](NamedAttribute attr) { return same(attr.getValue()); }))
    throw nb::value_error(("the parts of operation '" + recipe.name +
                           "' belong to different contexts")
                              .c_str());
}

/// Properties of an operation that does not exist yet.
namespace {
class ScratchProperties {
public:
  ScratchProperties(OperationState &state, DiagnosticCapture &capture)
      : name(state.name), properties(nullptr) {
    int size = name.isRegistered() ? name.getOpPropertyByteSize() : 0;
    if (!size)
      return;
    storage.resize(size + 16);
    auto address = (reinterpret_cast<uintptr_t>(storage.data()) + 15) & ~15ull;
    properties = OpaqueProperties(reinterpret_cast<void *>(address));
    name.initOpProperties(properties, nullptr);
    live = true;
    // An attribute of the wrong kind must not reach the inference.
    if (failed(name.setOpPropertiesFromAttribute(
            name, properties,
            state.attributes.getDictionary(state.getContext()),
            [&] { return mlir::emitError(state.location); })))
      capture.raise("Invalid attributes for '" + name.getStringRef().str() +
                    "'");
  }
  ~ScratchProperties() {
    if (live)
      name.destroyOpProperties(properties);
  }
  OpaqueProperties get() { return properties; }

private:
  OperationName name;
  OpaqueProperties properties;
  std::vector<char> storage;
  bool live = false;
};
} // namespace

namespace {
enum class Verdict { InputsAreFine, InputsAreWrong, OtherResultCount };
} // namespace

/// What the op's own constraints say of its operands, attributes and regions,
/// asked with `results` results of a type that no inference gives. Constraints
/// on operands come before those on results.
static Verdict askConstraints(const OperationState &state, unsigned results,
                              DiagnosticCapture &capture,
                              std::vector<DiagnosticRecord> &records) {
  OperationState probe(state.location, state.name);
  probe.operands = state.operands;
  probe.attributes = state.attributes;
  for (size_t i = 0; i < state.regions.size(); ++i)
    probe.addRegion();
  probe.types.assign(results, NoneType::get(state.getContext()));
  Operation *op = Operation::create(probe);
  bool failed = mlir::failed(state.name.verifyInvariants(op));
  op->destroy();
  records = capture.take();
  if (!failed || records.empty())
    return Verdict::InputsAreFine;
  StringRef message(records.front().message);
  for (const char *input : {"operand", "attribute", "region", "successor"})
    if (message.contains(input))
      return Verdict::InputsAreWrong;
  // Else the number of results was wrong, or something that all types share.
  return message.contains("result #") || !message.contains("result")
             ? Verdict::InputsAreFine
             : Verdict::OtherResultCount;
}

/// Inference may rely on the number and the types of the operands, and on the
/// attributes: what the op's constraints reject must not reach it.
static void checkInputs(const OperationState &state,
                        const ContextRef &context) {
  DiagnosticCapture capture(context);
  std::vector<DiagnosticRecord> records;
  bool none = state.name.hasTrait<OpTrait::ZeroResults>();
  for (unsigned results = none ? 0 : 1; results <= 8; ++results) {
    Verdict verdict = askConstraints(state, results, capture, records);
    if (verdict == Verdict::OtherResultCount)
      continue;
    if (verdict == Verdict::InputsAreWrong)
      capture.raise("Invalid operands or attributes for '" +
                        state.name.getStringRef().str() + "'",
                    std::move(records));
    return;
  }
}

static void inferTypes(OperationState &state, const ContextRef &context,
                       DiagnosticCapture &capture) {
  auto *interface = state.name.getInterface<InferTypeOpInterface>();
  std::string name = state.name.getStringRef().str();
  if (!interface)
    throw std::runtime_error("Operation '" + name +
                             "' does not infer its result types: pass them");
  SmallVector<Type> types;
  ScratchProperties properties(state, capture);
  checkInputs(state, context);
  if (failed(interface->inferReturnTypes(
          state.getContext(), state.location, state.operands,
          state.attributes.getDictionary(state.getContext()), properties.get(),
          state.regions, types)))
    capture.raise("Failed to infer result type(s) of '" + name + "'");
  state.addTypes(types);
}

Operation *tilepipe::python::buildOperation(const Recipe &recipe,
                                            const PyLocation &loc) {
  DiagnosticCapture capture(loc.context);
  OperationName name(recipe.name, loc.context->get());
  if (!name.isRegistered() && !loc.context->running)
    loc.context->get()->getOrLoadDialect(name.getDialectNamespace());
  name = OperationName(recipe.name, loc.context->get());
  if (!name.isRegistered() && !loc.context->get()->allowsUnregisteredDialects())
    capture.raise("Operation '" + recipe.name +
                  "' is not registered: it needs its dialect loaded, or "
                  "allow_unregistered_dialects");
  OperationState state(loc.loc, name);
  nb::object keepAlive;
  for (const nb::object &operand : recipe.operands)
    state.operands.push_back(toValue(operand, keepAlive).get());
  for (const auto &[key, attr] : recipe.attributes)
    state.attributes.set(key, attr);
  addAttributes(state, recipe.attributeDict);
  checkContexts(state, recipe);
  checkSegmentsOf(state);
  for (int i = 0; i < recipe.regions; ++i)
    state.addRegion();
  for (const nb::object &successor : toList(recipe.successors))
    state.addSuccessors(nb::cast<PyBlock &>(successor).get());
  if (recipe.inferTypes)
    inferTypes(state, loc.context, capture);
  else
    state.addTypes(recipe.types);
  if (name.isRegistered() && name.getOpPropertyByteSize())
    ScratchProperties check(state, capture);
  return Operation::create(state);
}

static void insert(const OperationRef &operation, nb::handle ip) {
  if (ip.is_valid() && nb::isinstance<nb::bool_>(ip))
    return; // `ip=False`: leave it detached
  if (PyInsertionPoint *point = resolveInsertionPoint(ip))
    point->insert(operation);
}

OperationRef tilepipe::python::create(const Recipe &recipe, nb::handle loc,
                                      nb::handle ip) {
  PyLocation location = resolveLocation(loc);
  OperationRef operation =
      adopt(location.context, buildOperation(recipe, location));
  insert(operation, ip);
  return operation;
}

//===----------------------------------------------------------------------===//
// OpView.__init__ and build_generic
//===----------------------------------------------------------------------===//

/// One entry for each ODS operand (or result): a 0 in `spec` is optional, a 1
/// single, a -1 variadic. Flattens them, and counts in `sizes` if `spec` is
/// set.
static std::vector<nb::object> flatten(nb::handle items, nb::handle spec,
                                       SmallVector<int32_t> &sizes,
                                       const std::string &name,
                                       const char *what) {
  std::vector<nb::object> given = toList(items);
  if (!spec.is_valid() || spec.is_none())
    return given;
  std::vector<int> kinds;
  for (nb::handle kind : spec)
    kinds.push_back(nb::cast<int>(kind));
  if (kinds.size() != given.size())
    throw nb::value_error(("Operation \"" + name + "\" requires " +
                           std::to_string(kinds.size()) + " " + what +
                           " segments but was provided " +
                           std::to_string(given.size()))
                              .c_str());
  std::vector<nb::object> flat;
  for (auto [kind, item] : llvm::zip(kinds, given)) {
    if (kind == -1) {
      std::vector<nb::object> group = toList(item);
      sizes.push_back(group.size());
      flat.insert(flat.end(), group.begin(), group.end());
      continue;
    }
    if (item.is_none() && kind == 1)
      throw nb::value_error((std::string(what) + " of operation \"" + name +
                             "\" must not be None (it is not optional)")
                                .c_str());
    sizes.push_back(item.is_none() ? 0 : 1);
    if (!item.is_none())
      flat.push_back(item);
  }
  return flat;
}

static int countRegions(nb::handle spec, nb::handle regions,
                        const std::string &name) {
  auto [least, exact] = nb::cast<std::pair<int, bool>>(spec);
  int count = regions.is_none() ? least : nb::cast<int>(regions);
  if (count < least || (exact && count > least))
    throw nb::value_error(
        ("Operation \"" + name + "\" requires " + (exact ? "" : "at least ") +
         std::to_string(least) +
         " regions but was built with regions=" + std::to_string(count))
            .c_str());
  return count;
}

OperationRef tilepipe::python::createFromOds(const OdsArguments &ods) {
  PyLocation location = resolveLocation(ods.loc);
  MLIRContext *context = location.context->get();
  Recipe recipe;
  recipe.name = ods.name;
  recipe.regions = countRegions(ods.regionSpec, ods.regions, ods.name);
  recipe.attributeDict = nb::borrow(ods.attributes);
  recipe.successors = nb::borrow(ods.successors);
  SmallVector<int32_t> operandSizes, resultSizes;
  recipe.operands = flatten(ods.operands, ods.operandSegments, operandSizes,
                            ods.name, "operand");
  if (!ods.operandSegments.is_none())
    recipe.attributes.emplace_back(
        "operandSegmentSizes", DenseI32ArrayAttr::get(context, operandSizes));
  if (ods.results.is_none()) {
    recipe.inferTypes = true;
  } else {
    for (nb::object &type : flatten(ods.results, ods.resultSegments,
                                    resultSizes, ods.name, "result"))
      recipe.types.push_back(nb::cast<PyType &>(type).type);
    if (!ods.resultSegments.is_none())
      recipe.attributes.emplace_back(
          "resultSegmentSizes", DenseI32ArrayAttr::get(context, resultSizes));
  }
  OperationRef operation =
      adopt(location.context, buildOperation(recipe, location));
  insert(operation, ods.ip);
  return operation;
}
