//===- HostArguments.cpp - Compiled kernels on host buffers ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Target/CPU/HostArguments.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::cpu;

/// A scalar in memory, as compiled code has it.
static HostBuffer makeScalar(Type type, double value) {
  HostBuffer buffer;
  buffer.elementType = type;
  // Registers are spilled in whole words.
  buffer.data.assign(std::max(8u, getElementBytes(type)), 0);
  setElement(buffer, 0, value);
  return buffer;
}

llvm::Error cpu::invoke(const CpuKernel &kernel, StringRef entry,
                        FunctionType type,
                        ArrayRef<InterpreterArgument> arguments,
                        const CpuRunOptions &options,
                        SmallVectorImpl<double> *results) {
  if (arguments.size() != type.getNumInputs())
    return llvm::createStringError(
        "'" + entry + "' has " + Twine(type.getNumInputs()) +
        " arguments, got " + Twine(arguments.size()));
  SmallVector<HostBuffer> scalars;
  SmallVector<SmallVector<int64_t>> descriptors;
  scalars.reserve(type.getNumInputs() + type.getNumResults());
  descriptors.reserve(type.getNumInputs());
  SmallVector<void *> pointers(type.getNumInputs()), packed;
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip_equal(arguments, type.getInputs()))) {
    auto [argument, argumentType] = pair;
    auto memref = dyn_cast<MemRefType>(argumentType);
    if (memref && argument.buffer) {
      CpuMemRef view(argument.buffer->data.data(), argument.buffer->shape);
      auto &words = descriptors.emplace_back();
      words.assign(2, reinterpret_cast<int64_t>(view.data));
      words.push_back(0);
      words.append(view.shape);
      words.append(view.strides);
      pointers[i] = words.data();
      packed.push_back(&pointers[i]);
      continue;
    }
    if (memref || getElementBytes(argumentType) == 0)
      return llvm::createStringError("argument " + Twine(i) + " of '" + entry +
                                     "' cannot be passed");
    packed.push_back(
        scalars.emplace_back(makeScalar(argumentType, argument.number))
            .data.data());
  }
  // Several results come as one struct.
  if (type.getNumResults() > 1 ||
      llvm::any_of(type.getResults(),
                   [](Type result) { return getElementBytes(result) == 0; }))
    return llvm::createStringError("'" + entry +
                                   "' has results that cannot be returned");
  HostBuffer *result = nullptr;
  if (type.getNumResults() == 1) {
    result = &scalars.emplace_back(makeScalar(type.getResult(0), 0));
    packed.push_back(result->data.data());
  }
  if (llvm::Error error = kernel.invoke(entry, packed, options))
    return error;
  if (result && results)
    results->push_back(getElement(*result, 0));
  return llvm::Error::success();
}
