//===- Lanes.h - Repeats, blocks and masks of vector instructions ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One repeat of a vector instruction works on 256 bytes of its widest operand:
// eight blocks of 32 bytes at a block stride. Repeats are a repeat stride
// apart.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_EMULATOR_CCE_LANES_H
#define TILEPIPE_LIB_EMULATOR_CCE_LANES_H

#include "Plan.h"

namespace tilepipe::cce {

/// Where the elements of an operand are.
struct Operand {
  uint64_t base;
  int64_t blockStride, repeatStride;
  unsigned size;

  uint64_t address(int64_t repeat, int64_t lane) const {
    int64_t perBlock = 32 / size;
    return base + 32 * (repeat * repeatStride + lane / perBlock * blockStride) +
           lane % perBlock * size;
  }
  bool operator==(const Operand &other) const {
    return base == other.base && blockStride == other.blockStride &&
           repeatStride == other.repeatStride && size == other.size;
  }
};

/// Which lanes work, from the mask registers as the instruction captured them.
class Lanes {
public:
  Lanes(const Registers &registers, int64_t repeat, unsigned widest);
  /// All lanes of every repeat, whatever the mask is.
  static Lanes all(int64_t repeat, unsigned widest);

  bool active(int64_t repeat, int64_t lane) const {
    if (counted)
      return uint64_t(repeat * lanes + lane) < low;
    return ((lane < 64 ? low >> lane : high >> (lane - 64)) & 1) != 0;
  }
  template <typename F> void forEach(F f) const {
    for (int64_t repeat = 0; repeat < repeats; ++repeat)
      for (int64_t lane = 0; lane < lanes; ++lane)
        if (active(repeat, lane))
          f(repeat, lane);
  }
  int64_t lanes, repeats;

private:
  Lanes() = default;
  bool counted = false;
  uint64_t high = ~0ull, low = ~0ull;
};

/// Gathers neighbouring elements into one write.
class RunWriter {
public:
  explicit RunWriter(Effects &effects) : effects(effects) {}
  ~RunWriter() { flush(); }
  void put(uint64_t address, const void *element, unsigned size) {
    if (used && (address != begin + used || used + size > sizeof(bytes)))
      flush();
    if (!used)
      begin = address;
    memcpy(bytes + used, element, size);
    used += size;
  }
  void flush() {
    effects.write(UB, begin, bytes, used);
    used = 0;
  }

private:
  Effects &effects;
  uint8_t bytes[512];
  uint64_t begin = 0;
  unsigned used = 0;
};

/// Reads elements of UB; what nothing has written is reported once.
class Reader {
public:
  Reader(Machine &machine, Core &core, const Op &op)
      : machine(machine), core(core), op(op),
        undefined(core.memory[UB].poison.data()) {}
  const uint8_t *at(uint64_t address, unsigned size) {
    if (undefined[address] | undefined[address + size - 1])
      complain(address);
    return core.memory[UB].data + address;
  }

private:
  void complain(uint64_t address) {
    if (!told)
      machine.reportUninitialised(core, op, UB, address, "reads elements");
    told = true;
  }
  Machine &machine;
  Core &core;
  const Op &op;
  const uint8_t *undefined;
  bool told = false;
};

/// Checks that all vector instructions share.
class VectorPlan : public Plan {
public:
  VectorPlan(Machine &machine, Core &core, Op &op)
      : Plan(machine, core, op), registers(op.registers) {}
  /// The repeat count and that a mask was set.
  void repeats(int64_t repeat);
  void strides(const char *what, int64_t blockStride, int64_t repeatStride,
               int64_t limit);
  void operand(const char *what, const Operand &operand, const Lanes &lanes,
               bool write);
  /// Repeats of one instruction must not depend on each other.
  void independent(const Operand &target, const Operand &source,
                   const Lanes &lanes);

private:
  const Registers &registers;
};

} // namespace tilepipe::cce

#endif // TILEPIPE_LIB_EMULATOR_CCE_LANES_H
