//===- Reports.cpp - What a block has to say -----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace tilepipe::ptx;

Site Block::site(const Inst &inst, std::string access) const {
  return {std::move(access), inst.line, program.textOf(inst),
          program.placeOf(inst)};
}

Issue Block::issue(const Inst &inst, const char *kind,
                   std::string message) const {
  Issue result;
  result.kind = kind;
  result.message = std::move(message);
  result.sites[0] = site(inst, "");
  for (unsigned i = 0; i < 3; ++i)
    result.block[i] = index[i];
  return result;
}

void Block::fault(const Inst &inst, const char *kind,
                  std::string message) const {
  throw Fault{issue(inst, kind, std::move(message))};
}

static std::string byWarp(const char *access, uint32_t warp) {
  return std::string(access) + " by warp " + std::to_string(warp);
}

static std::string line(const Inst &inst) {
  return "line " + std::to_string(inst.line);
}

/// "line 12 and line 15"; in a loop a barrier anywhere on the way helps.
static std::string between(const Inst &a, const Inst &b) {
  bool swapped = b.line < a.line;
  return line(swapped ? b : a) + " and " + line(swapped ? a : b);
}

void Block::report(const Warp &warp, const Inst &inst, const Conflict &conflict,
                   const char *access) {
  if (!conflict.kind)
    return;
  const Inst &other = at(conflict.inst);
  std::string where =
      " of shared memory at byte " + std::to_string(conflict.address);
  Issue found = issue(
      inst, conflict.kind == Conflict::InFlight ? "in-flight" : "race", "");
  found.sites[0].access = byWarp(access, warp.id);
  const char *otherAccess = conflict.copy ? "asynchronous copy"
                            : conflict.kind == Conflict::AfterRead ? "read"
                                                                   : "write";
  found.sites[1] = site(other, byWarp(otherAccess, conflict.warp));
  bool same = conflict.warp == warp.id;
  std::string who = same ? "thread of the warp" : "warp";
  std::string barrier =
      same ? "a bar.warp.sync between " : "a barrier between ";
  switch (conflict.kind) {
  case Conflict::InFlight:
    found.message =
        access + where + " that an asynchronous copy may still be writing";
    found.missing = "a cp.async.wait_group that retires the copy of " +
                    line(other) + (same ? "" : ", and a barrier after it,") +
                    " before " + line(inst);
    break;
  case Conflict::AfterWrite:
    found.message = access + where +
                    (conflict.copy ? " is not ordered after the asynchronous "
                                     "copy of another "
                                   : " is not ordered after the write of "
                                     "another ") +
                    who;
    found.missing = barrier + between(inst, other);
    // Either this comes too early, or the bytes were refilled too early.
    if (conflict.copy && other.line < inst.line)
      found.missing = barrier + "the wait in " +
                      line(at(conflict.waitInst)) + " and " + line(inst);
    break;
  default:
    found.message =
        access + where + " that another " + who + " may still be reading";
    found.missing = barrier + between(inst, other);
    break;
  }
  launch.add(std::move(found));
}

void Block::reportUndefined(Warp &warp, const Inst &inst, uint32_t reg,
                            const char *use) {
  uint32_t origin = warp.origin[reg];
  const std::string &name = kernel.registerNames[reg];
  Issue found =
      issue(inst, "uninitialised",
            std::string(use) + " depends on a value that was never written");
  found.sites[0].access =
      "use of " + name + " by warp " + std::to_string(warp.id);
  if (origin == neverWritten) {
    found.missing = "a write of register " + name + " before " + line(inst);
  } else {
    found.sites[1] =
        site(at(origin), "read of memory that nothing was written to");
    found.missing = "a write of that memory before " + line(at(origin));
  }
  // Said once is enough.
  warp.undefined[reg] = 0;
  launch.add(std::move(found));
}

/// Instructions of a whole warp: every thread that is still there takes part.
void Block::requireWarp(const Warp &warp, const Inst &inst,
                        uint32_t mask) const {
  if (mask == warp.live)
    return;
  Issue found =
      issue(inst, "divergence",
            "executed by " + std::to_string(__builtin_popcount(mask)) +
                " of the " + std::to_string(__builtin_popcount(warp.live)) +
                " threads of warp " + std::to_string(warp.id));
  found.sites[0].access = "warp " + std::to_string(warp.id);
  // Where the other threads are: the nearest entry below that has them.
  for (size_t i = warp.stack.size() - 1; i-- > 0;)
    if (uint32_t others = warp.stack[i].mask & warp.live & ~mask; others) {
      found.sites[1] =
          site(at(warp.stack[i].pc), "the other threads wait to go on");
      break;
    }
  found.missing = "all threads of the warp must execute it together";
  throw Fault{std::move(found)};
}

void Block::requireMembers(Warp &warp, const Inst &inst, const Operand &members,
                           uint32_t mask) {
  const uint32_t *row = warp.row<uint32_t>(members);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    uint32_t named = row[lane];
    if (!(named >> lane & 1))
      fault(inst, "divergence",
            "the member mask does not name the executing lane " +
                std::to_string(lane));
    if (uint32_t absent = named & warp.live & ~mask; absent) {
      Issue found = issue(inst, "divergence",
                          "the member mask names lane " +
                              std::to_string(__builtin_ctz(absent)) +
                              ", which does not execute it with the others");
      found.missing = "a mask of the lanes that are here, or converged threads";
      throw Fault{std::move(found)};
    }
  }
}

void Block::deadlock() {
  std::string text = "no warp can go on:";
  const Inst *first = nullptr, *second = nullptr;
  uint32_t firstWarp = 0, secondWarp = 0;
  for (const Warp &warp : warps) {
    if (warp.status != Warp::AtBarrier)
      continue;
    const Barrier &barrier = barriers[warp.barrier];
    const Inst &inst = at(warp.barrierInst);
    text += " warp " + std::to_string(warp.id) + " waits at barrier " +
            std::to_string(warp.barrier) + " in " + line(inst) + " (" +
            std::to_string(barrier.arrived) + " of " +
            std::to_string(expectedThreads(barrier)) + " threads);";
    if (!first) {
      first = &inst;
      firstWarp = warp.id;
    } else if (!second && &inst != first) {
      second = &inst;
      secondWarp = warp.id;
    }
  }
  text.pop_back();
  Issue found = issue(*first, "deadlock", text);
  found.sites[0].access = "wait of warp " + std::to_string(firstWarp);
  if (second)
    found.sites[1] =
        site(*second, "wait of warp " + std::to_string(secondWarp));
  found.missing = "the arrival of the other threads";
  throw Fault{std::move(found)};
}
