//===- LaunchPlan.cpp - Bindings of the grids of a function ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "tilepipe/Launch/LaunchPlan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::python;

/// A list of sizes for a buffer, a number for a scalar.
static LaunchArgument makeArgument(nb::handle object, Type type) {
  LaunchArgument argument;
  if (isa<MemRefType>(type)) {
    for (int64_t size : nb::cast<std::vector<int64_t>>(object))
      argument.shape.push_back(size);
  } else if (type.isIntOrIndex()) {
    argument.scalar = IntegerAttr::get(type, nb::cast<int64_t>(object));
  } else if (isa<FloatType>(type)) {
    argument.scalar = FloatAttr::get(type, nb::cast<double>(object));
  }
  return argument;
}

/// Tuples of the name of the kernel, its grid and the threads of a block.
static nb::list plan(nb::handle object, const std::string &entry,
                     nb::list values) {
  OperationRef operation = toOperation(object);
  auto module = dyn_cast<ModuleOp>(operation->get());
  if (!module)
    throw nb::type_error("expected a module");
  auto func = module.lookupSymbol<FunctionOpInterface>(entry);
  if (!func || func.isExternal())
    throw nb::key_error(("no function '" + entry + "' in the module").c_str());
  DiagnosticCapture capture(operation->context);
  // A wrong number of them is an error of the library.
  SmallVector<LaunchArgument> arguments(nb::len(values));
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (i < arguments.size())
      arguments[i] = makeArgument(values[i], type);
  FailureOr<SmallVector<KernelLaunch>> launches = planLaunches(func, arguments);
  if (failed(launches))
    capture.raise("The launches cannot be planned");
  nb::list result;
  for (const KernelLaunch &launch : *launches) {
    nb::list grid;
    for (int64_t extent : launch.grid)
      grid.append(extent);
    result.append(nb::make_tuple(launch.kernel, grid, launch.threads));
  }
  return result;
}

void tilepipe::python::bindLaunchPlan(nb::module_ &m) {
  m.def("plan_launches", &plan, "module"_a, "entry"_a, "arguments"_a,
        "The kernels that a call of a function starts: (name, grid, threads) of "
        "each. An argument is the list of the sizes of a buffer, or the number "
        "of a scalar.");
}
