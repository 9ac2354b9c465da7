//===- NoteAccess.cpp - Accesses told to the race detector ---------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

using namespace tilepipe::ptx;

const char *tilepipe::ptx::nameOfAccess(int kind) {
  return kind == 0 ? "read" : kind == 1 ? "write" : "atomic access";
}

void Block::noteShared(Warp &warp, const Inst &inst, unsigned lane,
                       uint64_t at, uint32_t bytes, Access kind) {
  Thread thread{warp.id, uint8_t(lane), warp.clock};
  bool strong = inst.strong || inst.volatile_ || kind == Access::Atomic;
  Conflict conflict =
      kind == Access::Read
          ? monitor.read(at, bytes, thread, indexOf(inst), strong)
          : monitor.write(at, bytes, thread, indexOf(inst), strong);
  report(warp, inst, conflict, nameOfAccess(int(kind)));
}

void Block::checkCell(Warp &warp, const Inst &inst, unsigned lane, Range &range,
                      uint64_t at, GlobalCell &cell, Access kind) {
  Thread thread{warp.id, uint8_t(lane), warp.clock};
  // Block numbers and epochs count from 1: a fresh cell conflicts with nobody.
  uint32_t self = linear + 1;
  bool strong = inst.strong || inst.volatile_ || kind == Access::Atomic;
  auto unordered = [&](uint32_t block, uint32_t who, uint8_t lane,
                       uint32_t epoch, uint32_t by) {
    if (block != self)
      return false;
    return who == warp.id
               ? thread.isBeside(who, lane, epoch, by == indexOf(inst))
               : warp.clock[who] < epoch;
  };
  bool byWrite = unordered(cell.writeBlock, cell.writer, cell.writeLane,
                           cell.writeEpoch, cell.writeInst) &&
                 !(strong && cell.atomic);
  bool byRead = kind != Access::Read &&
                unordered(cell.readBlock, cell.reader, cell.readLane,
                          cell.readEpoch, cell.readInst);
  bool otherBlock = cell.writeBlock && cell.writeBlock != self &&
                    !(strong && cell.atomic) &&
                    (kind != Access::Read || !kernel.communicates);
  bool otherReader = kind != Access::Read && cell.readBlock &&
                     cell.readBlock != self && !kernel.communicates;
  if (byWrite || byRead || otherBlock || otherReader) {
    bool write = byWrite || otherBlock;
    uint32_t block = write ? cell.writeBlock : cell.readBlock;
    const Inst &other = this->at(write ? cell.writeInst : cell.readInst);
    uint32_t otherWarp = write ? cell.writer : cell.reader;
    bool sameWarp = block == self && otherWarp == warp.id;
    std::string who = " by warp " + std::to_string(otherWarp);
    if (block != self)
      who += " of block " + std::to_string(block - 1);
    Issue found =
        issue(inst, "race",
              std::string(nameOfAccess(int(kind))) + " of '" + range.name +
                  "' at byte " + std::to_string(at) +
                  " is not ordered after the " + (write ? "write" : "read") +
                  (block != self ? " of another block"
                   : sameWarp    ? " of another thread of the warp"
                                 : " of another warp"));
    found.sites[0].access =
        std::string(nameOfAccess(int(kind))) + " by warp " +
        std::to_string(warp.id) +
        (block != self ? " of block " + std::to_string(linear) : "");
    found.sites[1] = site(other, (write ? "write" : "read") + who);
    found.missing =
        block != self ? "blocks run in any order: an atomic, or disjoint bytes"
                      : (sameWarp ? "a bar.warp.sync between line "
                                  : "a barrier between line ") +
                            std::to_string(other.line) + " and line " +
                            std::to_string(inst.line);
    launch.add(std::move(found));
    return;
  }
  if (kind == Access::Read) {
    if (!strong) {
      bool isSame = cell.readBlock == self && cell.reader == warp.id &&
                    cell.readEpoch == thread.epoch();
      cell.readLane = isSame && cell.readLane != lane ? manyLanes : lane;
      cell.readBlock = self;
      cell.reader = warp.id;
      cell.readEpoch = thread.epoch();
      cell.readInst = indexOf(inst);
    }
    return;
  }
  cell.writeBlock = self;
  cell.writer = warp.id;
  cell.writeLane = lane;
  cell.writeEpoch = thread.epoch();
  cell.writeInst = indexOf(inst);
  cell.writeTime = instructions;
  cell.atomic = strong;
}

/// From now on the bytes of the word are kept apart.
static void refine(GlobalCell &cell) {
  auto parts = std::make_unique<GlobalCell[]>(4);
  for (unsigned i = 0; i < 4; ++i) {
    GlobalCell &part = parts[i];
    part.writeBlock = cell.writeBlock;
    part.writeEpoch = cell.writeEpoch;
    part.writeInst = cell.writeInst;
    part.writeTime = cell.writeTime;
    part.readBlock = cell.readBlock;
    part.readEpoch = cell.readEpoch;
    part.readInst = cell.readInst;
    part.writer = cell.writer;
    part.reader = cell.reader;
    part.writeLane = cell.writeLane;
    part.readLane = cell.readLane;
    part.atomic = cell.atomic;
  }
  cell.parts = std::move(parts);
}

void Block::noteGlobal(Warp &warp, const Inst &inst, unsigned lane,
                       Range &range, uint64_t offset, uint32_t bytes,
                       Access kind) {
  range.written |= kind != Access::Read;
  if (range.pages.empty())
    range.pages.resize(range.bytes / 4 / Range::pageCells + 1);
  uint64_t end = offset + bytes;
  for (uint64_t at = offset; at < end;) {
    uint64_t word = at / 4, next = std::min(4 * word + 4, end);
    auto &page = range.pages[word / Range::pageCells];
    if (!page)
      page = std::make_unique<GlobalCell[]>(Range::pageCells);
    GlobalCell &cell = page[word % Range::pageCells];
    if (next - at == 4 && !cell.parts) {
      checkCell(warp, inst, lane, range, at, cell, kind);
      at = next;
      continue;
    }
    if (!cell.parts)
      refine(cell);
    for (; at < next; ++at)
      checkCell(warp, inst, lane, range, at, cell.parts[at % 4], kind);
  }
}

/// A strong access hands the clocks of the warps on through its address.
void Block::synchronise(Warp &warp, const Inst &inst, uint64_t address) {
  Clock &clock = handovers[address];
  if (clock.empty())
    clock.assign(numWarps, 0);
  for (uint32_t i = 0; i < numWarps; ++i)
    warp.clock[i] = clock[i] = std::max(clock[i], warp.clock[i]);
  if (inst.op != Op::Ld)
    ++warp.clock[warp.id];
}

void Block::checkSource(const Warp &warp, const Copy &copy, unsigned lane) {
  uint32_t bytes = copy.sourceBytes[lane];
  Range *range = bytes ? launch.memory.find(copy.source[lane], bytes) : nullptr;
  if (!range || range->pages.empty() || !range->written)
    return;
  uint64_t offset = copy.source[lane] - range->base;
  for (uint64_t at = offset; at < offset + bytes; ++at) {
    const auto &page = range->pages[at / 4 / Range::pageCells];
    if (!page)
      continue;
    const GlobalCell *cell = &page[at / 4 % Range::pageCells];
    if (cell->parts)
      cell = &cell->parts[at % 4];
    if (cell->writeBlock != linear + 1 || cell->writeTime < copy.time)
      continue;
    const Inst &write = this->at(cell->writeInst),
               &issued = this->at(copy.inst);
    Issue found =
        issue(write, "in-flight",
              "write of '" + range->name + "' at byte " + std::to_string(at) +
                  " that an asynchronous copy may still be reading");
    found.sites[0].access = "write by warp " + std::to_string(cell->writer);
    found.sites[1] =
        site(issued, "asynchronous copy by warp " + std::to_string(warp.id));
    found.missing = "a cp.async.wait_group that retires the copy of line " +
                    std::to_string(issued.line) + " before line " +
                    std::to_string(write.line);
    launch.add(std::move(found));
    return;
  }
}
