//===- Machine.cpp - State of a run of the interpreter
//----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::interp;
using namespace tilepipe::tile;

/// Deepest nesting of calls: the frames of the interpreter are on the stack.
static constexpr unsigned kMaxCallDepth = 200;

void Moves::apply(Slot *s) const {
  if (list.size() == 1) {
    std::memmove(s + list[0].to, s + list[0].from,
                 list[0].count * sizeof(Slot));
    return;
  }
  SmallVector<Slot, 32> held(total);
  Slot *it = held.data();
  for (const Move &move : list) {
    std::memcpy(it, s + move.from, move.count * sizeof(Slot));
    it += move.count;
  }
  it = held.data();
  for (const Move &move : list) {
    std::memcpy(s + move.to, it, move.count * sizeof(Slot));
    it += move.count;
  }
}

void interp::setDenseStrides(Slot *slots, unsigned rank, unsigned bytes) {
  // Wraps for absurd extents; accesses are checked against the buffer.
  uint64_t stride = bytes;
  for (unsigned dim = rank; dim-- > 0;) {
    slots[2 + rank + dim] = stride;
    stride *= slots[2 + dim];
  }
}

runtime::MemoryBox interp::getBox(const View &view, const Element &element) {
  runtime::MemoryBox box;
  box.base = view.base();
  box.elementBytes = element.bytes;
  for (unsigned dim = 0; dim < view.rank; ++dim) {
    box.sizes.push_back(view.size(dim));
    box.strides.push_back(view.stride(dim));
  }
  return box;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void RuntimeError::emit() const {
  if (!op)
    return;
  // The operation itself may be a whole function; its text is not printed.
  InFlightDiagnostic diagnostic = mlir::emitError(op->getLoc())
                                  << "'" << op->getName() << "' op " << message;
  for (auto &[other, text] : notes)
    diagnostic.attachNote(other->getLoc()) << text;
}

bool Machine::fail(const Instr &in, const Twine &message) {
  if (error)
    return false;
  error.emplace();
  error->op = in.op;
  error->message = message.str();
  return false;
}

bool Machine::fail(const Instr &in, const runtime::Finding &finding) {
  if (error)
    return false;
  fail(in, finding.message);
  error->isRace = true;
  if (finding.other)
    error->notes.emplace_back(
        const_cast<Operation *>(static_cast<const Operation *>(finding.other)),
        finding.otherMessage);
  return false;
}

bool Machine::failLimit(const Code &code) {
  if (code.instrs.empty()) {
    // A loop around nothing.
    error.emplace();
    error->message = "exceeds the step limit";
    error->isLimit = true;
    return false;
  }
  fail(code.instrs.front(),
       "exceeds the limit of " + Twine(options.stepLimit) + " steps");
  error->isLimit = true;
  return false;
}

char *Machine::failBounds(const Instr &in, int64_t index, int64_t extent,
                          unsigned dim) {
  fail(in, "index " + Twine(index) + " of dimension " + Twine(dim) +
               " is out of bounds, the extent is " + Twine(extent));
  return nullptr;
}

char *Machine::failBuffer(const Instr &in, Buffer &buffer, int64_t offset,
                          unsigned bytes) {
  if (buffer.death) {
    fail(in, "accesses a buffer whose life has ended");
    error->notes.emplace_back(buffer.death, "ended here");
    return nullptr;
  }
  fail(in, "accesses bytes " + Twine(offset) + " to " +
               Twine(offset + int64_t(bytes)) + " of a buffer of " +
               Twine(buffer.bytes) + " bytes");
  if (buffer.origin)
    error->notes.emplace_back(buffer.origin, "the buffer");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Machine::scramble(Buffer &buffer, const Element &element) {
  // Finite garbage: it does not swallow what is added to it, as a NaN does.
  std::memset(buffer.data, 0x5A, buffer.bytes);
  if (options.trackUninitialized)
    buffer.written.assign(std::max<int64_t>(buffer.bytes, 1), 0);
}

Buffer *Machine::allocate(const Instr &in, int64_t bytes,
                          const Element &element) {
  if (bytes < 0 || bytes > options.memoryLimit - allocated) {
    fail(in, "allocates " + Twine(bytes) + " bytes; the limit is " +
                 Twine(options.memoryLimit) + ", of which " + Twine(allocated) +
                 " are in use");
    error->isLimit = true;
    return nullptr;
  }
  allocated += bytes;
  buffers.push_back(std::make_unique<Buffer>());
  Buffer &buffer = *buffers.back();
  // Bytes past the end stay unused; a zero-sized buffer has an address.
  buffer.storage.reset(new char[bytes + 16]);
  buffer.data = buffer.storage.get();
  buffer.bytes = bytes;
  buffer.origin = in.op;
  scramble(buffer, element);
  return &buffer;
}

bool Machine::trackInit(const Instr &in, Buffer &buffer, int64_t offset,
                        int64_t bytes, bool isWrite) {
  auto first = buffer.written.begin() + offset;
  if (isWrite) {
    std::fill_n(first, bytes, 1);
    return true;
  }
  auto hole = std::find(first, first + bytes, 0);
  if (hole == first + bytes)
    return true;
  fail(in, "reads byte " + Twine(int64_t(hole - buffer.written.begin())) +
               " of buffer '" +
               (buffer.origin ? getBufferName(buffer.origin->getResult(0))
                              : std::string("?")) +
               "', which nothing has written");
  if (buffer.origin)
    error->notes.emplace_back(buffer.origin, "the buffer");
  return false;
}

bool Machine::accessBox(const Instr &in, Buffer *buffer,
                        const runtime::MemoryBox &box, bool isWrite,
                        bool skipsAsync) {
  if (box.empty())
    return true;
  // Bounds in integers: strides may be absurd.
  __int128 low = box.base - buffer->data, high = low + box.elementBytes;
  for (size_t i = 0; i < box.sizes.size(); ++i) {
    __int128 reach = __int128(box.sizes[i] - 1) * box.strides[i];
    (reach < 0 ? low : high) += reach;
  }
  if (low < 0 || high > buffer->bytes || buffer->death)
    return failBuffer(in, *buffer, int64_t(low), unsigned(high - low));
  if (!skipsAsync && options.sanitize && !engine.idle())
    if (auto finding = engine.checkAccess(box, isWrite))
      return fail(in, *finding);
  if (!buffer->written.empty()) {
    SmallVector<int64_t, 4> index(box.sizes.size(), 0);
    while (true) {
      int64_t offset = box.base - buffer->data;
      for (size_t i = 0; i < index.size(); ++i)
        offset += index[i] * box.strides[i];
      if (!trackInit(in, *buffer, offset, box.elementBytes, isWrite))
        return false;
      int64_t dim = int64_t(index.size()) - 1;
      for (; dim >= 0 && ++index[dim] == box.sizes[dim]; --dim)
        index[dim] = 0;
      if (dim < 0)
        break;
    }
  }
  return true;
}

bool Machine::accessView(const Instr &in, const View &view,
                         const Element &element, bool isWrite,
                         runtime::MemoryBox &box) {
  box = getBox(view, element);
  return accessBox(in, view.buffer(), box, isWrite);
}

void Machine::endBlock() {
  totalCopies += engine.getNumCopies();
  totalGroups += engine.getNumGroups();
  totalWaits += engine.getNumWaits();
  engine.reset();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool Machine::call(const Instr &in, Function &function, Slot *from,
                   const uint32_t *operands, Slot *results) {
  if (callDepth >= kMaxCallDepth)
    return fail(in, "calls deeper than " + Twine(kMaxCallDepth));
  ++callDepth;
  std::vector<Slot> frame(function.numSlots, 0);
  for (auto [i, argument] : llvm::enumerate(function.op.getArguments()))
    std::memcpy(frame.data() + function.arguments[i], from + operands[i],
                Compiler::numSlots(argument.getType()) * sizeof(Slot));
  bool ok = run(function.body, frame.data());
  --callDepth;
  if (!ok)
    return false;
  for (auto [i, type] : llvm::enumerate(function.op.getResultTypes())) {
    uint32_t count = Compiler::numSlots(type);
    std::memcpy(results, frame.data() + function.returned[i],
                count * sizeof(Slot));
    results += count;
  }
  return true;
}
