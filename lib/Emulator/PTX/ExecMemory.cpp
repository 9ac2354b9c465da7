//===- ExecMemory.cpp - Loads, stores and atomics, checked ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

using namespace tilepipe::ptx;

uint64_t Block::value(Warp &warp, const Operand &operand, unsigned lane) const {
  const uint8_t *row = warp.state.base[operand.base] + operand.offset;
  return operand.cls == Class::Dword
             ? reinterpret_cast<const uint64_t *>(row)[lane]
             : reinterpret_cast<const uint32_t *>(row)[lane];
}

void Block::setRow(Warp &warp, const Operand &to, uint32_t mask,
                   const uint64_t *values) {
  if (to.kind != Operand::Register)
    return;
  uint8_t *row = warp.file.data() + to.offset;
  if (to.cls == Class::Pred) {
    uint32_t &word = *reinterpret_cast<uint32_t *>(row);
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        word = (word & ~(1u << lane)) | uint32_t(values[lane] & 1) << lane;
  } else if (to.cls == Class::Dword) {
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        reinterpret_cast<uint64_t *>(row)[lane] = values[lane];
  } else {
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        reinterpret_cast<uint32_t *>(row)[lane] = uint32_t(values[lane]);
  }
  warp.undefined[to.reg] &= ~mask;
}

void Block::setUndefined(Warp &warp, const Operand &to, uint32_t mask,
                         uint32_t undefined, uint32_t origin) {
  if (to.kind == Operand::Register)
    spread(warp.state, to.reg, mask, undefined, origin);
}

/// Addresses of all lanes; an undefined one is reported.
void Block::addresses(Warp &warp, const Inst &inst, const Operand &operand,
                      uint32_t mask, uint64_t *to) {
  if (operand.reg == 0) {
    std::fill(to, to + 32, uint64_t(operand.value));
    return;
  }
  if ((warp.undefined[operand.reg] & mask) && trackUndefined)
    reportUndefined(warp, inst, operand.reg, "an address");
  if (operand.cls == Class::Dword) {
    const uint64_t *row = warp.row<uint64_t>(operand);
    for (unsigned lane = 0; lane < 32; ++lane)
      to[lane] = row[lane] + operand.value;
  } else {
    const uint32_t *row = warp.row<uint32_t>(operand);
    for (unsigned lane = 0; lane < 32; ++lane)
      to[lane] = uint32_t(row[lane] + operand.value);
  }
}

uint8_t *Block::sharedBytes(const Inst &inst, uint64_t address,
                            uint32_t bytes) {
  if (address < sharedStart || address + bytes > shared.size())
    fault(inst, "bounds",
          "access of " + std::to_string(bytes) + " bytes at byte " +
              std::to_string(int64_t(address)) +
              " of shared memory, which ends at " +
              std::to_string(shared.size()) + " (addresses start at " +
              std::to_string(sharedStart) + ")");
  return shared.data() + address;
}

uint8_t *Block::access(Warp &warp, const Inst &inst, uint64_t address,
                       unsigned lane, uint32_t bytes, Access kind,
                       uint8_t **undefined) {
  *undefined = nullptr;
  Space space = inst.space;
  if (space == Space::Generic) {
    space = address >= sharedWindow  ? Space::Shared
            : address >= localWindow ? Space::Local
            : address >= paramWindow ? Space::Param
                                     : Space::Global;
    address -= space == Space::Shared  ? sharedWindow
               : space == Space::Local ? localWindow
               : space == Space::Param ? paramWindow
                                       : 0;
  }
  if (address & (bytes - 1))
    fault(inst, "alignment",
          std::string(nameOfAccess(int(kind))) + " of " +
              std::to_string(bytes) + " bytes at address " +
              std::to_string(address) + " in lane " + std::to_string(lane) +
              " of warp " + std::to_string(warp.id));
  if (space == Space::Shared) {
    uint8_t *host = sharedBytes(inst, address, bytes);
    *undefined = sharedUndefined.data() + address;
    if (trackRaces)
      noteShared(warp, inst, lane, address, bytes, kind);
    return host;
  }
  if (space == Space::Local) {
    if (address + bytes > kernel.localBytes || address < 64)
      fault(inst, "bounds",
            std::string(nameOfAccess(int(kind))) + " of " +
                std::to_string(bytes) + " bytes at byte " +
                std::to_string(int64_t(address)) +
                " of local memory, which ends at " +
                std::to_string(kernel.localBytes));
    uint64_t offset = uint64_t(lane) * kernel.localBytes + address;
    *undefined = warp.localUndefined.data() + offset;
    return warp.local.data() + offset;
  }
  if (space == Space::Param) {
    if (address + bytes > launch.params.size() || kind != Access::Read)
      fault(inst, "bounds",
            std::string(nameOfAccess(int(kind))) + " of " +
                std::to_string(bytes) + " bytes at byte " +
                std::to_string(int64_t(address)) +
                " of the parameters, which end at " +
                std::to_string(launch.params.size()));
    return launch.params.data() + address;
  }
  Range *range = lastRange;
  uint64_t offset = range ? address - range->base : 0;
  if (!range || offset >= range->bytes || offset + bytes > range->bytes) {
    range = launch.memory.find(address, bytes);
    if (!range)
      fault(inst, "bounds",
            std::string(nameOfAccess(int(kind))) + " of " +
                std::to_string(bytes) + " bytes of global memory in lane " +
                std::to_string(lane) + " of warp " + std::to_string(warp.id) +
                ": " + launch.memory.describe(address, bytes));
    lastRange = range;
    offset = address - range->base;
  }
  if (kind != Access::Read && range->readOnly)
    fault(inst, "bounds",
          std::string(nameOfAccess(int(kind))) + " of '" + range->name +
              "', which is read-only");
  if (trackRaces)
    noteGlobal(warp, inst, lane, *range, offset, bytes, kind);
  return range->host + offset;
}

static uint64_t readBytes(const uint8_t *from, unsigned size) {
  uint64_t result = 0;
  switch (size) {
  case 1:
    return *from;
  case 2:
    memcpy(&result, from, 2);
    return result;
  case 4:
    memcpy(&result, from, 4);
    return result;
  default:
    memcpy(&result, from, 8);
    return result;
  }
}

static uint64_t extend(uint64_t value, Type type) {
  unsigned shift = 64 - 8 * sizeOf(type);
  return isSigned(type) ? uint64_t(int64_t(value << shift) >> shift) : value;
}

void Block::load(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t from[32], values[4][32];
  uint32_t undefined[4] = {};
  addresses(warp, inst, inst.ops[1], mask, from);
  unsigned size = sizeOf(inst.type), count = inst.vector;
  if (inst.space == Space::Shared || inst.space == Space::Generic)
    noteBanks(inst, from, mask, size * count);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    if (inst.strong || inst.volatile_)
      synchronise(warp, inst, from[lane]);
    uint8_t *unknown;
    const uint8_t *bytes = access(warp, inst, from[lane], lane, size * count,
                                  Access::Read, &unknown);
    for (unsigned i = 0; i < count; ++i) {
      values[i][lane] = extend(readBytes(bytes + i * size, size), inst.type);
      if (unknown && readBytes(unknown + i * size, size))
        undefined[i] |= 1u << lane;
    }
  }
  for (unsigned i = 0; i < count; ++i) {
    const Operand &to = inst.ops[0].kind == Operand::Vector
                            ? kernel.elements[inst.ops[0].first + i]
                            : inst.ops[0];
    setRow(warp, to, mask, values[i]);
    if (undefined[i])
      setUndefined(warp, to, mask, undefined[i], indexOf(inst));
  }
}

void Block::loadParam(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t from[32], values[32];
  addresses(warp, inst, inst.ops[1], mask, from);
  unsigned size = sizeOf(inst.type);
  for (unsigned i = 0; i < inst.vector; ++i) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      uint64_t at = from[lane] + i * size;
      if (at + size > launch.params.size() || at + size < at)
        fault(inst, "bounds",
              "read of " + std::to_string(size) + " bytes at byte " +
                  std::to_string(at) + " of the parameters, which end at " +
                  std::to_string(launch.params.size()));
      values[lane] =
          extend(readBytes(launch.params.data() + at, size), inst.type);
    }
    setRow(warp,
           inst.ops[0].kind == Operand::Vector
               ? kernel.elements[inst.ops[0].first + i]
               : inst.ops[0],
           mask, values);
  }
}

void Block::store(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t to[32];
  addresses(warp, inst, inst.ops[0], mask, to);
  unsigned size = sizeOf(inst.type), count = inst.vector;
  if (inst.space == Space::Shared || inst.space == Space::Generic)
    noteBanks(inst, to, mask, size * count);
  const Operand *parts[4];
  for (unsigned i = 0; i < count; ++i)
    parts[i] = inst.ops[1].kind == Operand::Vector
                   ? &kernel.elements[inst.ops[1].first + i]
                   : &inst.ops[1];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    if (inst.strong || inst.volatile_)
      synchronise(warp, inst, to[lane]);
    uint8_t *unknown;
    uint8_t *bytes = access(warp, inst, to[lane], lane, size * count,
                            Access::Write, &unknown);
    for (unsigned i = 0; i < count; ++i) {
      uint64_t word = value(warp, *parts[i], lane);
      memcpy(bytes + i * size, &word, size);
      uint32_t lanes = warp.undefined[parts[i]->reg];
      if (size <= 2)
        lanes &= ~warp.lowDefined[parts[i]->reg];
      bool undefined = lanes >> lane & 1;
      if (unknown)
        memset(unknown + i * size, undefined, size);
      else if (undefined && trackUndefined)
        reportUndefined(warp, inst, parts[i]->reg,
                        "a value stored to global memory");
    }
  }
}

/// A generic address from one of a space, and back.
void Block::convertAddress(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t window = inst.space == Space::Shared  ? sharedWindow
                    : inst.space == Space::Local ? localWindow
                    : inst.space == Space::Param ? paramWindow
                                                 : 0;
  uint64_t values[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t from = value(warp, inst.ops[1], lane);
    values[lane] = inst.to ? from - window : from + window;
  }
  setRow(warp, inst.ops[0], mask, values);
  setUndefined(warp, inst.ops[0], mask, warp.undefined[inst.ops[1].reg],
               warp.origin[inst.ops[1].reg]);
}

void Block::isSpace(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t values[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t at = value(warp, inst.ops[1], lane);
    Space space = at >= sharedWindow  ? Space::Shared
                  : at >= localWindow ? Space::Local
                  : at >= paramWindow ? Space::Param
                                      : Space::Global;
    values[lane] = space == inst.space;
  }
  setRow(warp, inst.ops[0], mask, values);
}
