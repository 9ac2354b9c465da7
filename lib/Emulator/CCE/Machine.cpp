//===- Machine.cpp - Issue, start and completion of instructions ----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include "Plan.h"

#include <algorithm>

using namespace tilepipe::cce;

/// Depth of the queues of the pipes (notes: 32 for M and MTE1).
static constexpr size_t queueDepth = 32;

const char *tilepipe::cce::nameOf(int opcode) {
  static const char *const names[] = {
#define TP_X(name) #name,
#define TP_X5(name, ...) #name,
      TP_CCE_BINARY(TP_X) TP_CCE_BITS(TP_X) TP_CCE_UNARY(TP_X)
          TP_CCE_SCALAR(TP_X) TP_CCE_REDUCE(TP_X) TP_CCE_GROUP(TP_X)
              TP_CCE_COMPARE(TP_X) TP_CCE_COMPARE_SCALAR(TP_X)
                  TP_CCE_CONVERT(TP_X5) TP_CCE_OTHER(TP_X)
#undef TP_X
#undef TP_X5
  };
  return names[opcode];
}

unsigned tilepipe::cce::sizeOf(int type) {
  static const unsigned sizes[] = {1, 2, 2, 4, 1, 1, 2, 2, 4, 4};
  return sizes[type];
}

uint32_t Machine::intern(int opcode, int line, int column) {
  auto [it, added] =
      siteNumbers.try_emplace({line, column, opcode}, uint32_t(sites.size()));
  if (added)
    sites.push_back({opcode, line, column});
  return it->second;
}

void Machine::report(const char *kind, std::string message, uint32_t site,
                     uint32_t other, std::string missing, bool error) {
  auto [it, added] =
      known.try_emplace({kind, site, other, missing}, issues.size());
  if (!added) {
    ++issues[it->second].count;
    return;
  }
  Issue issue;
  issue.kind = kind;
  issue.message = std::move(message);
  issue.missing = std::move(missing);
  issue.error = error;
  issue.site = site;
  issue.other = other;
  if (current) {
    issue.core = current->name;
    issue.block = current->block;
  }
  issues.push_back(std::move(issue));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Region *Machine::findGm(uint64_t lo, uint64_t hi) {
  for (Region &region : gm) {
    uint64_t base = reinterpret_cast<uint64_t>(region.data);
    if (lo >= base && lo <= hi && hi <= base + region.size)
      return &region;
  }
  return nullptr;
}

Region *Machine::regionOf(Core &core, const Range &range) {
  return range.space == GM ? findGm(range.lo, range.hi)
                           : &core.memory[range.space];
}

std::string Machine::describe(Core &core, const Range &range) {
  if (range.space == UB && range.lo >= compareMaskAt)
    return "the compare mask register";
  if (range.space != GM)
    return std::string(nameOf(range.space)) + " bytes [" +
           std::to_string(range.lo) + ", " + std::to_string(range.hi) + ")";
  Region *region = findGm(range.lo, range.hi);
  if (!region)
    return "GM";
  uint64_t base = reinterpret_cast<uint64_t>(region->data);
  return "GM '" + region->name + "' bytes [" + std::to_string(range.lo - base) +
         ", " + std::to_string(range.hi - base) + ")";
}

const uint8_t *Machine::bytesAt(Core &core, Space space, uint64_t address) {
  return space == GM ? reinterpret_cast<const uint8_t *>(address)
                     : core.memory[space].data + address;
}

const uint8_t *Machine::poisonAt(Core &core, Space space, uint64_t address,
                                 uint64_t count) {
  if (space != GM)
    return core.memory[space].poison.data() + address;
  Region *region = findGm(address, address + count);
  if (!region || region->poison.empty())
    return nullptr;
  return region->poison.data() +
         (address - reinterpret_cast<uint64_t>(region->data));
}

void Machine::reportUninitialised(Core &core, const Op &op, Space space,
                                  uint64_t address, const char *what) {
  current = &core;
  Range range{space, false, address, address + 1};
  report("uninitialised",
         std::string(nameOf(op.opcode)) + " " + what +
             " that nothing has written: first at " + describe(core, range),
         op.site);
}

void Machine::commit(Core &core, Effects &effects) {
  for (const Effects::Piece &piece : effects.pieces) {
    const uint8_t *from = effects.bytes.data() + piece.offset;
    const uint8_t *undefined = effects.poison.data() + piece.offset;
    if (piece.space != GM) {
      Region &region = core.memory[piece.space];
      memcpy(region.data + piece.address, from, piece.count);
      memcpy(region.poison.data() + piece.address, undefined, piece.count);
      continue;
    }
    memcpy(reinterpret_cast<void *>(piece.address), from, piece.count);
    Region *region = findGm(piece.address, piece.address + piece.count);
    if (region && !region->poison.empty())
      memcpy(region->poison.data() +
                 (piece.address - reinterpret_cast<uint64_t>(region->data)),
             undefined, piece.count);
  }
}

/// Puts garbage where the instruction will write.
void Machine::scribble(Core &core, const Op &op) {
  for (const Range &range : op.ranges)
    if (range.write)
      memset(const_cast<uint8_t *>(bytesAt(core, range.space, range.lo)), 0x7e,
             range.hi - range.lo);
}

//===----------------------------------------------------------------------===//
// The life of an instruction
//===----------------------------------------------------------------------===//

Core::Kind tilepipe::cce::kindOf(Pipe pipe) {
  switch (pipe) {
  case V:
    return Core::Vector;
  case M:
  case MTE1:
  case FIX:
    return Core::Cube;
  default:
    return Core::Unknown;
  }
}

/// The kind of core an instruction belongs to.
static Core::Kind coreOf(const Op &op) {
  for (const Range &range : op.ranges)
    if (range.space != GM)
      return range.space == UB ? Core::Vector : Core::Cube;
  return kindOf(op.pipe);
}

/// A core becomes what its first instruction needs, and stays that.
bool Machine::belongs(Core &core, Core::Kind kind, const Op &op,
                      const char *what) {
  if (core.kind == Core::Unknown)
    core.kind = kind;
  if (kind == Core::Unknown || kind == core.kind)
    return true;
  auto name = [](Core::Kind kind) {
    return kind == Core::Cube ? "cube" : "vector";
  };
  report("core",
         std::string(what) + " belongs to a " + name(kind) +
             " core, but this is a " + name(core.kind) + " core",
         op.site);
  return false;
}

static bool plan(Machine &machine, Core &core, Op &op) {
  if (planCopy(machine, core, op) || planCube(machine, core, op) ||
      planVector(machine, core, op) || planReduction(machine, core, op))
    return op.run;
  return false;
}

void Machine::issue(int opcode, int type, int line, int column,
                    const int64_t *a, int count) {
  Core &core = *current;
  Op op;
  std::copy_n(a, std::min(count, 14), op.a);
  if (!mutate(opcode, line, column, op.a))
    return;
  op.opcode = opcode;
  op.type = type;
  op.site = lastSite = intern(opcode, line, column);
  op.issued = ++issued;
  op.registers = core.registers;
  if (opcode >= TP_set_flag && opcode <= TP_wait_flag_dev) {
    planSync(core, op);
    return;
  }
  if (!plan(*this, core, op))
    return;
  if (!belongs(core, coreOf(op), op, nameOf(opcode)))
    return;
  enqueue(core, std::move(op));
}

/// Appends to the queue of the pipe; the scalar stream waits where it is full.
void Machine::enqueue(Core &core, Op op) {
  Pipe pipe = op.kind == Op::Wait ? op.other : op.pipe;
  op.known = core.clock[S];
  int base = core.index * NumPipes;
  op.known[base + S] = core.count[S];
  op.known[base + Store] = core.publishedStores;
  ++statistics.instructions[pipe];
  core.undrained = op.site;
  if (core.queue[pipe].size() >= queueDepth)
    block(core, op.site, std::string("room in the queue of ") + nameOf(pipe),
          [&core, pipe] { return core.queue[pipe].size() < queueDepth; });
  core.queue[pipe].push_back(std::move(op));
  if (policy.order != Order::ScalarFirst)
    yieldFiber(core);
  current = &core;
}

void Machine::block(Core &core, uint32_t site, std::string what,
                    std::function<bool()> condition) {
  if (condition())
    return;
  core.condition = std::move(condition);
  core.waitingSite = site;
  core.waitingFor = std::move(what);
  yieldFiber(core);
  current = &core;
}

/// Whether `writer` writes what `reader` reads.
static bool overwrites(const Op &writer, const Op &reader) {
  for (const Range &w : writer.ranges)
    for (const Range &r : reader.ranges)
      if (w.write && !r.write && w.space == r.space && w.lo < r.hi &&
          r.lo < w.hi)
        return true;
  return false;
}

/// An instruction reaches the head of its pipe and starts.
void Machine::start(Core &core, Op op) {
  Pipe pipe = op.pipe;
  int self = core.index * NumPipes + pipe;
  // The machine itself orders a mad after a large one.
  if (pipe == M && core.interlock) {
    flush(core, M);
    core.clock[M][self] = core.count[M];
  }
  if (pipe == M)
    core.interlock = op.interlocked;
  ++core.count[pipe];
  current = &core;
  lastSite = op.site;
  readSelectedBits(core, op);
  access(core, pipe, op);
  Commit how = policy.commit;
  if (how == Commit::Random)
    how = Commit(random() % 3);
  if (how == Commit::EarlyWriteLateRead && overwrites(op, op))
    how = Commit::Late;
  InFlight flight;
  if (how == Commit::EarlyWriteLateRead) {
    // Instructions of one pipe read before later ones of it write.
    for (InFlight &earlier : core.inFlight[pipe])
      if (!earlier.computed && overwrites(op, earlier.op)) {
        earlier.op.run(*this, core, earlier.op, earlier.effects);
        earlier.computed = true;
      }
    scribble(core, op);
    flight.op = std::move(op);
  } else {
    op.run(*this, core, op, flight.effects);
    flight.computed = true;
  }
  core.inFlight[pipe].push_back(std::move(flight));
  if (how == Commit::Eager ||
      (policy.commit == Commit::Random && random() % 4 == 0))
    flush(core, pipe);
  else if (core.inFlight[pipe].size() > queueDepth) {
    InFlight &oldest = core.inFlight[pipe].front();
    if (!oldest.computed)
      oldest.op.run(*this, core, oldest.op, oldest.effects);
    commit(core, oldest.effects);
    core.inFlight[pipe].pop_front();
  }
}

void Machine::flush(Core &core, Pipe pipe) {
  for (InFlight &flight : core.inFlight[pipe]) {
    if (!flight.computed)
      flight.op.run(*this, core, flight.op, flight.effects);
    commit(core, flight.effects);
  }
  core.inFlight[pipe].clear();
}

/// Completes everything; false while a queue is not empty.
bool Machine::flushAll(Core &core) {
  for (int pipe = V; pipe <= FIX; ++pipe)
    if (!core.queue[pipe].empty())
      return false;
  for (int pipe = V; pipe <= FIX; ++pipe)
    flush(core, Pipe(pipe));
  return true;
}

void Machine::scalarAccess(bool write, Space space, uint64_t address,
                           uint64_t bytes, void *value, int line, int column) {
  Core &core = *current;
  Op op;
  op.opcode = write ? TP_tp_store : TP_tp_load;
  op.site = lastSite = intern(op.opcode, line, column);
  op.issued = ++issued;
  Plan checked(*this, core, op);
  checked.touch(space, address, bytes, write);
  memset(value, 0, write ? 0 : bytes);
  if (!checked.finish())
    return;
  ++statistics.instructions[S];
  // A load is over when it returns; a store may linger.
  Pipe pipe = write ? Store : S;
  ++core.count[pipe];
  access(core, pipe, op);
  if (write) {
    Effects effects;
    effects.write(space, address, value, bytes);
    commit(core, effects);
  } else {
    const uint8_t *undefined = poisonAt(core, space, address, bytes);
    if (undefined && memchr(undefined, 1, bytes))
      reportUninitialised(core, op, space, address, "reads bytes");
    memcpy(value, bytesAt(core, space, address), bytes);
  }
  if (policy.order != Order::ScalarFirst) {
    yieldFiber(core);
    current = &core;
  }
}

//===----------------------------------------------------------------------===//
// What emitted code calls
//===----------------------------------------------------------------------===//

namespace tilepipe::cce {
Machine *theMachine = nullptr;
}

extern "C" void tpCceIssue(int opcode, int type, int line, int column,
                           const int64_t *arguments, int count) {
  theMachine->issue(opcode, type, line, column, arguments, count);
}

extern "C" void tpCceSetRegister(int reg, uint64_t value, int line) {
  Registers &registers = theMachine->current->registers;
  registers.value[reg] = value;
  registers.set[reg] = true;
}

extern "C" int64_t tpCceFact(int fact) {
  const Core &core = *theMachine->current;
  switch (fact) {
  case TP_BLOCK_INDEX:
    return core.block;
  case TP_BLOCK_COUNT:
    return theMachine->blocks;
  case TP_SUBBLOCK:
    return core.subblock;
  default:
    return core.subblocks;
  }
}

extern "C" void tpCceLoad(int global, int64_t address, int bytes, void *value,
                          int line, int column) {
  theMachine->scalarAccess(false, global ? GM : UB, address, bytes, value, line,
                           column);
}

extern "C" void tpCceStore(int global, int64_t address, int bytes,
                           const void *value, int line, int column) {
  theMachine->scalarAccess(true, global ? GM : UB, address, bytes,
                           const_cast<void *>(value), line, column);
}
