//===- Check.cpp - Serial against pipelined programs
//------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Interpreter/Check.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace tilepipe;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

StringRef tilepipe::getArgumentSyntax() {
  return "one entry for each argument, separated by commas:\n"
         "  _            extents of the type (8 where dynamic), number 8\n"
         "  64x32        extents of a memref\n"
         "  64x32:0..7   extents, and the range of its random integers\n"
         "  :0..7        only the range\n"
         "  file.npy     contents of a memref\n"
         "  2.5          number\n"
         "  1|2|5        alternatives; --check runs all combinations\n"
         "Several sets of arguments are separated by semicolons.";
}

static bool parseRange(StringRef text, ArgumentSpec &spec) {
  auto [low, high] = text.split("..");
  return !low.getAsInteger(10, spec.low) && !high.getAsInteger(10, spec.high) &&
         spec.low <= spec.high;
}

static bool parseArgument(StringRef text, ArgumentSpec &spec) {
  text = text.trim();
  if (text == "_")
    return true;
  if (text.ends_with(".npy")) {
    spec.file = text.str();
    return true;
  }
  auto [first, range] = text.split(':');
  if (text.contains(':') && !parseRange(range, spec))
    return false;
  if (first.empty() || first == "_")
    return text.contains(':');
  if (!first.contains('x')) {
    double number;
    if (first.getAsDouble(number))
      return false;
    spec.number = number;
    // A number is also the extent of a memref of rank 1.
    int64_t extent;
    if (!first.getAsInteger(10, extent) && extent >= 0)
      spec.shape = SmallVector<int64_t>{extent};
    return true;
  }
  spec.shape.emplace();
  SmallVector<StringRef> parts;
  first.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 0)
      return false;
    spec.shape->push_back(extent);
  }
  return true;
}

bool tilepipe::parseArguments(StringRef text, ArgumentChoices &choices,
                              std::string &error) {
  if (text.empty())
    return true;
  SmallVector<StringRef> entries;
  text.split(entries, ',');
  for (StringRef entry : entries) {
    SmallVector<StringRef> alternatives;
    entry.split(alternatives, '|');
    auto &list = choices.emplace_back();
    for (StringRef alternative : alternatives) {
      if (parseArgument(alternative, list.emplace_back()))
        continue;
      error = ("cannot understand argument '" + alternative + "'").str();
      return false;
    }
  }
  return true;
}

std::vector<SmallVector<ArgumentSpec>>
tilepipe::getCombinations(const ArgumentChoices &choices,
                          func::FuncOp function) {
  std::vector<SmallVector<ArgumentSpec>> combinations(1);
  ArgumentSpec plain;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    ArrayRef<ArgumentSpec> list(plain);
    if (i < choices.size())
      list = choices[i];
    std::vector<SmallVector<ArgumentSpec>> longer;
    for (auto &prefix : combinations)
      for (const ArgumentSpec &spec : list) {
        longer.push_back(prefix);
        longer.back().push_back(spec);
      }
    combinations = std::move(longer);
  }
  return combinations;
}

KernelInput::KernelInput(const KernelInput &other)
    : buffers(other.buffers), arguments(other.arguments),
      numbers(other.numbers) {
  for (auto [i, number] : llvm::enumerate(numbers))
    arguments[number].buffer = &buffers[i];
}

/// SplitMix64.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

static bool makeBuffer(MemRefType type, unsigned number,
                       const ArgumentSpec &spec, uint64_t seed,
                       HostBuffer &buffer, std::string &error) {
  buffer.elementType = type.getElementType();
  unsigned bytes = getElementBytes(buffer.elementType);
  auto fail = [&](const Twine &message) {
    error = ("argument " + Twine(number) + ": " + message).str();
    return false;
  };
  if (bytes == 0)
    return fail("elements of this type are not supported");
  if (!spec.file.empty()) {
    std::string reason;
    return readNpy(spec.file, buffer, reason) || fail(reason);
  }
  if (spec.shape && spec.shape->size() != size_t(type.getRank()))
    return fail("expects " + Twine(type.getRank()) + " extents, got " +
                Twine(spec.shape->size()));
  int64_t count = 1;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    int64_t size = spec.shape ? (*spec.shape)[dim]
                   : !ShapedType::isDynamic(extent)
                       ? extent
                       : ArgumentSpec::defaultExtent;
    if (!ShapedType::isDynamic(extent) && extent != size)
      return fail("expects extent " + Twine(extent) + " in dimension " +
                  Twine(dim) + ", got " + Twine(size));
    buffer.shape.push_back(size);
    if (__builtin_mul_overflow(count, size, &count) ||
        count > (int64_t(1) << 34) / bytes)
      return fail("is larger than 16 GiB");
  }
  buffer.data.assign(count * bytes, 0);
  uint64_t state = seed * 0x1000193 + number;
  for (int64_t i = 0; i < count; ++i)
    setElement(buffer, i,
               double(spec.low + int64_t(nextRandom(state) %
                                         uint64_t(spec.high - spec.low + 1))));
  return true;
}

/// Sizes of one name must be equal: the program relies on it.
static bool checkNamedSizes(
    func::FuncOp function, unsigned number, const HostBuffer &buffer,
    llvm::StringMap<std::pair<int64_t, unsigned>> &known, std::string &error) {
  auto names = function.getArgAttrOfType<ArrayAttr>(number, tile::kSizesAttr);
  if (!names)
    return true;
  for (auto [name, size] : llvm::zip(names, buffer.shape)) {
    StringRef text = cast<StringAttr>(name).getValue();
    if (text.empty())
      continue;
    auto [it, isNew] = known.try_emplace(text, size, number);
    if (isNew || it->second.first == size)
      continue;
    error = ("argument " + Twine(number) + ": size '" + text + "' is " +
             Twine(size) + ", but that of argument " +
             Twine(it->second.second) + " is " + Twine(it->second.first))
                .str();
    return false;
  }
  return true;
}

std::unique_ptr<KernelInput> tilepipe::makeInput(func::FuncOp function,
                                                 ArrayRef<ArgumentSpec> specs,
                                                 uint64_t seed,
                                                 std::string &error) {
  auto input = std::make_unique<KernelInput>();
  if (specs.size() > function.getNumArguments()) {
    error = ("'" + function.getSymName() + "' has " +
             Twine(function.getNumArguments()) + " arguments, got " +
             Twine(specs.size()))
                .str();
    return nullptr;
  }
  // Pointers into `buffers` must stay.
  input->buffers.reserve(function.getNumArguments());
  llvm::StringMap<std::pair<int64_t, unsigned>> sizes;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    ArgumentSpec spec = i < specs.size() ? specs[i] : ArgumentSpec();
    InterpreterArgument &argument = input->arguments.emplace_back();
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      // 2^63: larger numbers are no integers of 64 bits.
      if (!isa<FloatType>(type) && spec.number &&
          (*spec.number != std::trunc(*spec.number) ||
           std::abs(*spec.number) > 0x1p63)) {
        llvm::raw_string_ostream(error)
            << "argument " << i << ": expects an integer of 64 bits, got "
            << llvm::format("%g", *spec.number);
        return nullptr;
      }
      argument.number = spec.number.value_or(
          isa<FloatType>(type) ? 1.5 : double(ArgumentSpec::defaultExtent));
      continue;
    }
    HostBuffer &buffer = input->buffers.emplace_back();
    if (!makeBuffer(memref, i, spec, seed, buffer, error) ||
        !checkNamedSizes(function, i, buffer, sizes, error))
      return nullptr;
    argument.buffer = &buffer;
    input->numbers.push_back(i);
  }
  return input;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

std::string Mismatch::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "argument " << argument << " differs at [";
  llvm::interleaveComma(position, os);
  os << "]: serial " << llvm::format("%.9g", expected) << ", pipelined "
     << llvm::format("%.9g", got);
  return text;
}

/// The first element of two buffers of one shape that differs, or -1.
static int64_t findMismatch(const HostBuffer &a, const HostBuffer &b,
                            double tolerance) {
  unsigned bytes = getElementBytes(a.elementType);
  for (int64_t i = 0, e = a.getNumElements(); i < e; ++i) {
    if (!std::memcmp(&a.data[i * bytes], &b.data[i * bytes], bytes))
      continue;
    double x = getElement(a, i), y = getElement(b, i);
    double allowed = tolerance * std::max({1.0, std::fabs(x), std::fabs(y)});
    bool isClose =
        std::fabs(x - y) <= allowed || (std::isnan(x) && std::isnan(y));
    if (tolerance == 0 || !isa<FloatType>(a.elementType) || !isClose)
      return i;
  }
  return -1;
}

std::optional<Mismatch> tilepipe::compare(const KernelInput &expected,
                                          const KernelInput &got,
                                          double tolerance) {
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip_equal(expected.buffers, got.buffers))) {
    const auto &[a, b] = pair;
    if (a.data == b.data)
      continue;
    int64_t index = findMismatch(a, b, tolerance);
    if (index < 0)
      continue;
    Mismatch mismatch{expected.numbers[i], index, 0, 0, {}};
    mismatch.expected = getElement(a, mismatch.index);
    mismatch.got = getElement(b, mismatch.index);
    int64_t rest = mismatch.index;
    for (int64_t extent : llvm::reverse(a.shape)) {
      mismatch.position.insert(mismatch.position.begin(), rest % extent);
      rest /= extent;
    }
    return mismatch;
  }
  return std::nullopt;
}

std::string PolicyRun::str() const {
  std::string text = stringify(policy).str();
  if (policy == runtime::CompletionPolicy::Random)
    text += " seed " + std::to_string(seed);
  return text;
}

SmallVector<PolicyRun> tilepipe::getPolicyRuns(unsigned seeds, uint64_t seed) {
  using runtime::CompletionPolicy;
  SmallVector<PolicyRun> runs = {{CompletionPolicy::Eager, 0},
                                 {CompletionPolicy::Late, 0},
                                 {CompletionPolicy::EarlyWriteLateRead, 0}};
  for (unsigned i = 0; i < seeds; ++i)
    runs.push_back({CompletionPolicy::Random, seed + i});
  return runs;
}

OwningOpRef<ModuleOp> tilepipe::runPasses(ModuleOp module, StringRef pipeline) {
  OwningOpRef<ModuleOp> copy(module.clone());
  PassManager pm(module.getContext(), ModuleOp::getOperationName(),
                 OpPassManager::Nesting::Implicit);
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(parsePassPipeline(pipeline, pm, os))) {
    emitError(module.getLoc()) << message;
    return nullptr;
  }
  if (failed(pm.run(*copy)))
    return nullptr;
  return copy;
}

func::FuncOp tilepipe::findEntry(ModuleOp module, StringRef name,
                                 std::string &error) {
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!name.empty() && function.getSymName() == name)
      return function;
    if (!name.empty() || function.isExternal() || function.isPrivate())
      continue;
    if (found) {
      error = ("more than one function: '" + found.getSymName() + "' and '" +
               function.getSymName() + "'; choose with --entry")
                  .str();
      return nullptr;
    }
    found = function;
  }
  if (!found)
    error = name.empty() ? "no function to run"
                         : ("no function '" + name + "'").str();
  return found;
}
