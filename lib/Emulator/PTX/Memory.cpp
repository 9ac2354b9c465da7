//===- Memory.cpp - Global memory of a launch, with bounds ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <algorithm>

using namespace tilepipe::ptx;

void GlobalMemory::build(const Program &program,
                         const std::vector<Argument> &arguments) {
  for (const Variable &variable : program.variables) {
    variables.push_back(variable.initial);
    variables.back().resize(variable.bytes);
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    const Variable &variable = program.variables[i];
    ranges.push_back({variable.address,
                      variable.bytes,
                      variables[i].data(),
                      variable.constant,
                      variable.name,
                      false,
                      {}});
  }
  std::vector<unsigned> order;
  for (unsigned i = 0; i < arguments.size(); ++i)
    if (arguments[i].buffer)
      order.push_back(i);
  auto start = [&](unsigned i) {
    return static_cast<uint8_t *>(arguments[i].data);
  };
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return start(a) != start(b) ? start(a) < start(b) : a < b;
  });
  addresses.assign(arguments.size(), 0);
  uint64_t next = globalBase;
  for (unsigned i : order) {
    const Argument &argument = arguments[i];
    Range *last = ranges.empty() || ranges.back().base < globalBase
                      ? nullptr
                      : &ranges.back();
    if (argument.bytes && last && start(i) < last->host + last->bytes) {
      addresses[i] = last->base + (start(i) - last->host);
      last->bytes = std::max<uint64_t>(last->bytes,
                                       start(i) - last->host + argument.bytes);
      last->readOnly &= argument.readOnly;
      last->name += ", " + argument.name;
    } else {
      // A wide gap: an access far out of one buffer does not hit the next.
      uint64_t gap = 1 << 20;
      if (last)
        next = (last->base + last->bytes + gap + 4095) / 4096 * 4096;
      ranges.push_back({next,
                        argument.bytes,
                        start(i),
                        argument.readOnly,
                        argument.name,
                        false,
                        {}});
      addresses[i] = next;
    }
  }
}

Range *GlobalMemory::find(uint64_t address, uint64_t bytes) {
  auto it =
      std::upper_bound(ranges.begin(), ranges.end(), address,
                       [](uint64_t a, const Range &r) { return a < r.base; });
  if (it == ranges.begin())
    return nullptr;
  --it;
  uint64_t offset = address - it->base;
  return offset + bytes <= it->bytes ? &*it : nullptr;
}

std::string GlobalMemory::describe(uint64_t address, uint64_t bytes) const {
  const Range *near = nullptr;
  uint64_t best = ~0ull;
  bool before = false;
  for (const Range &range : ranges) {
    uint64_t end = range.base + range.bytes;
    uint64_t distance = address < range.base    ? range.base - address
                        : address + bytes > end ? address + bytes - end
                                                : 0;
    if (distance < best) {
      best = distance;
      near = &range;
      before = address < range.base;
    }
  }
  if (!near || best > (1ull << 32))
    return "address " + std::to_string(address) + " is in no buffer";
  return std::to_string(best) + " bytes " + (before ? "before" : "behind") +
         " '" + near->name + "' of " + std::to_string(near->bytes) + " bytes";
}
