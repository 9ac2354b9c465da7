//===- Arguments.cpp - Kernel arguments given on the command line --------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace tilepipe::ptx;

namespace {
struct Element {
  const char *name;
  unsigned size;
  char kind; // f: float, h: f16, b: bf16, i: signed, u: unsigned
};
} // namespace

static const Element elements[] = {
    {"f16", 2, 'h'}, {"bf16", 2, 'b'}, {"f32", 4, 'f'}, {"f64", 8, 'f'},
    {"i8", 1, 'i'},  {"i16", 2, 'i'},  {"i32", 4, 'i'}, {"i64", 8, 'i'},
    {"u8", 1, 'u'},  {"u16", 2, 'u'},  {"u32", 4, 'u'}, {"u64", 8, 'u'}};

static const Element *find(const std::string &name) {
  for (const Element &element : elements)
    if (name == element.name)
      return &element;
  return nullptr;
}

static void put(const Element &element, double value, uint8_t *to) {
  if (element.kind == 'h') {
    _Float16 half = static_cast<_Float16>(value);
    std::memcpy(to, &half, 2);
  } else if (element.kind == 'b') {
    float single = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &single, 4);
    uint16_t high =
        static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    if (std::isnan(single))
      high = 0x7fff;
    std::memcpy(to, &high, 2);
  } else if (element.kind == 'f' && element.size == 4) {
    float single = static_cast<float>(value);
    std::memcpy(to, &single, 4);
  } else if (element.kind == 'f') {
    std::memcpy(to, &value, 8);
  } else {
    int64_t whole = std::isnan(value) ? -1 : static_cast<int64_t>(value);
    std::memcpy(to, &whole, element.size);
  }
}

bool ArgumentSpec::parse(const std::string &text, ArgumentSpec &spec,
                         std::string &error) {
  auto fail = [&](const std::string &what) {
    error = "argument '" + text + "': " + what;
    return false;
  };
  std::string rest = text;
  if (rest.compare(0, 4, "buf:") == 0) {
    spec.buffer = true;
    rest = rest.substr(4);
  }
  size_t colon = rest.find(':');
  if (colon == std::string::npos)
    return fail("expected TYPE:VALUE or buf:TYPE:SHAPE[=INIT]");
  spec.type = rest.substr(0, colon);
  if (!find(spec.type))
    return fail("no type '" + spec.type + "'");
  rest = rest.substr(colon + 1);
  if (!spec.buffer) {
    spec.init = "const:" + rest;
    char *end = nullptr;
    std::strtod(rest.c_str(), &end);
    return rest.empty() || *end ? fail("'" + rest + "' is not a number") : true;
  }
  size_t equals = rest.find('=');
  std::string shape = rest.substr(0, equals);
  if (equals != std::string::npos)
    spec.init = rest.substr(equals + 1);
  for (size_t from = 0; from <= shape.size();) {
    size_t x = std::min(shape.find('x', from), shape.size());
    char *end = nullptr;
    unsigned long long extent = std::strtoull(shape.c_str() + from, &end, 10);
    if (end != shape.c_str() + x || x == from || extent > (1u << 30) ||
        spec.count * extent > (1u << 30))
      return fail("'" + shape + "' is not a shape");
    spec.count *= extent;
    from = x + 1;
  }
  const std::string kind = spec.init.substr(0, spec.init.find(':'));
  if (kind != "zero" && kind != "nan" && kind != "iota" && kind != "random" &&
      kind != "const")
    return fail("no initial contents '" + spec.init +
                "'; there are zero, nan, iota, const:X, random:SEED");
  return true;
}

std::vector<uint8_t> ArgumentSpec::bytes() const {
  const Element &element = *find(type);
  std::vector<uint8_t> result(count * element.size);
  size_t colon = init.find(':');
  std::string kind = init.substr(0, colon),
              value = colon == std::string::npos ? "" : init.substr(colon + 1);
  std::mt19937_64 random(std::strtoull(value.c_str(), nullptr, 10));
  double number = kind == "nan" ? NAN : std::strtod(value.c_str(), nullptr);
  for (uint64_t i = 0; i < count && kind != "zero"; ++i) {
    if (kind == "iota")
      number = static_cast<double>(i);
    else if (kind == "random") // small whole numbers: sums are exact
      number =
          static_cast<double>(random() % 7) - (element.kind == 'u' ? 0 : 3);
    put(element, number, result.data() + i * element.size);
  }
  if (!buffer && (element.kind == 'i' || element.kind == 'u')) {
    // A double does not hold every 64-bit value.
    uint64_t whole = std::strtoull(value.c_str(), nullptr, 0);
    std::memcpy(result.data(), &whole, element.size);
  }
  return result;
}

std::string ArgumentSpec::print(const std::vector<uint8_t> &bytes,
                                uint64_t index) const {
  const Element &element = *find(type);
  const uint8_t *from = bytes.data() + index * element.size;
  char text[40];
  uint64_t raw = 0;
  std::memcpy(&raw, from, element.size);
  if (element.kind == 'h') {
    _Float16 half;
    std::memcpy(&half, from, 2);
    std::snprintf(text, sizeof(text), "%g", double(static_cast<float>(half)));
  } else if (element.kind == 'f' || element.kind == 'b') {
    double wide;
    float single;
    uint32_t bits = element.kind == 'b' ? uint32_t(raw) << 16 : uint32_t(raw);
    std::memcpy(&single, &bits, 4);
    std::memcpy(&wide, &raw, 8);
    std::snprintf(text, sizeof(text), "%.9g",
                  element.size == 8 ? wide : double(single));
  } else {
    unsigned shift = 64 - 8 * element.size;
    if (element.kind == 'i')
      return std::to_string(static_cast<int64_t>(raw << shift) >> shift);
    return std::to_string(raw);
  }
  return text;
}

ArgumentSet::ArgumentSet(const std::vector<ArgumentSpec> &specs) {
  for (const ArgumentSpec &spec : specs)
    storage.push_back(spec.bytes());
  for (size_t i = 0; i < specs.size(); ++i)
    arguments.push_back({storage[i].data(), storage[i].size(), specs[i].buffer,
                         false, "arg" + std::to_string(i)});
}

const char *nameOf(Policy policy) {
  static const char *const names[] = {"eager", "late", "early", "shuffle"};
  return names[int(policy)];
}
