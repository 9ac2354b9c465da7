//===- Machine.h - State and code of the interpreter ------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is compiled once into blocks of instructions. Each SSA value has
// its slots in the frame: one for a scalar or token, one for each element of a
// vector, and for a memref its buffer, byte offset, extents and byte strides.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_INTERPRETER_MACHINE_H
#define TILEPIPE_LIB_INTERPRETER_MACHINE_H

#include "Numeric.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Interpreter/Interpreter.h"

#include "llvm/Support/Allocator.h"

namespace tilepipe::interp {

class Machine;
struct Code;

/// Memory behind memrefs.
struct Buffer {
  char *data = nullptr;
  int64_t bytes = 0;
  mlir::Operation *origin = nullptr;
  /// The operation that ended its life, or null.
  mlir::Operation *death = nullptr;
  bool isHeap = false;
  /// One flag for each byte where reads of unwritten memory are reported.
  std::vector<char> written;
  std::unique_ptr<char[]> storage;
};

/// A memref in its slots.
struct View {
  Slot *slots;
  unsigned rank;

  Buffer *buffer() const { return reinterpret_cast<Buffer *>(slots[0]); }
  int64_t offset() const { return int64_t(slots[1]); }
  int64_t size(unsigned dim) const { return int64_t(slots[2 + dim]); }
  int64_t stride(unsigned dim) const { return int64_t(slots[2 + rank + dim]); }
  char *base() const { return buffer()->data + offset(); }
};
inline unsigned getViewSlots(unsigned rank) { return 2 + 2 * rank; }

/// One operation. `run` returns false after an error.
struct Instr {
  bool (*run)(Machine &, const Instr &, Slot *) = nullptr;
  mlir::Operation *op = nullptr;
  /// First slot of each operand.
  const uint32_t *operands = nullptr;
  uint32_t result = 0;
  /// Elements of a vector result, 1 for a scalar.
  uint32_t count = 1;
  /// Element type of the first operand or of a memref operand, and of the
  /// result, as each operation needs.
  Element from, to;
  const void *data = nullptr;

  template <typename T> const T &get() const {
    return *static_cast<const T *>(data);
  }
};

/// Parallel assignment of slots.
struct Moves {
  struct Move {
    uint32_t from, to, count;
  };
  llvm::SmallVector<Move, 4> list;
  uint32_t total = 0;

  void add(uint32_t from, uint32_t to, uint32_t count) {
    list.push_back({from, to, count});
    total += count;
  }
  void apply(Slot *s) const;
};

/// A straight line of instructions; the terminator is left to the parent.
struct Code {
  std::vector<Instr> instrs;
};

struct Function {
  mlir::func::FuncOp op;
  uint32_t numSlots = 0;
  Code body;
  /// First slot of each argument, and of each returned value.
  llvm::SmallVector<uint32_t> arguments, returned;
};

/// Turns functions into code.
class Compiler {
public:
  Function &getFunction(mlir::func::FuncOp op);

  // For the handlers of operations:
  uint32_t slotOf(mlir::Value value);
  static uint32_t numSlots(mlir::Type type);
  Code compileBlock(mlir::Block &block);
  /// Moves from values to values, pairwise.
  void addMoves(Moves &moves, mlir::ValueRange from, mlir::ValueRange to);
  uint32_t newSlots(uint32_t count);
  template <typename T> T *make() {
    auto owner = std::make_shared<T>();
    T *raw = owner.get();
    payloads.push_back(std::move(owner));
    return raw;
  }

private:
  Instr compile(mlir::Operation *op);

  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Function>> functions;
  llvm::DenseMap<mlir::Value, uint32_t> slots;
  Function *current = nullptr;
  std::vector<std::shared_ptr<void>> payloads;
  llvm::BumpPtrAllocator arena;
};

using CompileFn = void (*)(Compiler &, mlir::Operation *, Instr &);
using HandlerMap = llvm::DenseMap<mlir::TypeID, CompileFn>;

void addArithHandlers(HandlerMap &map);
void addMathHandlers(HandlerMap &map);
void addMemRefHandlers(HandlerMap &map);
void addControlHandlers(HandlerMap &map);
void addTileHandlers(HandlerMap &map);
void addTileComputeHandlers(HandlerMap &map);
void addLinalgHandlers(HandlerMap &map);
void addVectorHandlers(HandlerMap &map);
/// Structured operations of linalg share one handler, found by interface.
bool compileLinalgOp(Compiler &c, mlir::Operation *op, Instr &in);

/// One run.
class Machine {
public:
  Machine(Compiler &compiler, const InterpreterOptions &options)
      : compiler(compiler), options(options),
        engine(options.policy, options.seed, options.sanitize) {}

  bool run(const Code &code, Slot *s) {
    steps += code.instrs.size() + 1;
    if (LLVM_UNLIKELY(steps > options.stepLimit))
      return failLimit(code);
    for (const Instr &in : code.instrs)
      if (LLVM_UNLIKELY(!in.run(*this, in, s)))
        return false;
    return true;
  }
  /// Charges for an operation on a whole tile.
  void charge(int64_t elements) { steps += uint64_t(elements) / 8; }

  bool fail(const Instr &in, const llvm::Twine &message);
  bool fail(const Instr &in, const runtime::Finding &finding);
  bool failLimit(const Code &code);

  /// Fresh memory with undefined contents, or null after an error.
  Buffer *allocate(const Instr &in, int64_t bytes, const Element &element);
  /// Makes the contents undefined again.
  void scramble(Buffer &buffer, const Element &element);

  /// The address of one element, checked for bounds, life and copies in flight;
  /// null after an error. `indices` are slots.
  template <typename IndexT>
  char *access(const Instr &in, const View &view, IndexT index, bool isWrite,
               unsigned bytes) {
    int64_t offset = view.offset();
    for (unsigned dim = 0; dim < view.rank; ++dim) {
      int64_t i = index(dim);
      if (LLVM_UNLIKELY(uint64_t(i) >= uint64_t(view.size(dim))))
        return failBounds(in, i, view.size(dim), dim);
      offset += i * view.stride(dim);
    }
    return accessAt(in, view, offset, isWrite, bytes);
  }
  /// True if the element exists.
  template <typename IndexT>
  static bool isInside(const View &view, IndexT index) {
    for (unsigned dim = 0; dim < view.rank; ++dim)
      if (uint64_t(index(dim)) >= uint64_t(view.size(dim)))
        return false;
    return true;
  }
  char *accessAt(const Instr &in, const View &view, int64_t offset,
                 bool isWrite, unsigned bytes) {
    Buffer *buffer = view.buffer();
    if (LLVM_UNLIKELY(offset < 0 || offset + int64_t(bytes) > buffer->bytes ||
                      buffer->death))
      return failBuffer(in, *buffer, offset, bytes);
    char *address = buffer->data + offset;
    if (LLVM_UNLIKELY(options.sanitize && !engine.idle()))
      if (auto finding =
              engine.checkAccess(address, address + bytes, isWrite)) {
        fail(in, *finding);
        return nullptr;
      }
    if (LLVM_UNLIKELY(!buffer->written.empty()) &&
        !trackInit(in, *buffer, offset, bytes, isWrite))
      return nullptr;
    return address;
  }
  /// Checks an access to a whole box of a buffer.
  bool accessBox(const Instr &in, Buffer *buffer, const runtime::MemoryBox &box,
                 bool isWrite, bool skipsAsync = false);
  /// The whole of a view as a box, checked.
  bool accessView(const Instr &in, const View &view, const Element &element,
                  bool isWrite, runtime::MemoryBox &box);

  bool call(const Instr &in, Function &function, Slot *from,
            const uint32_t *operands, Slot *results);

  Compiler &compiler;
  InterpreterOptions options;
  runtime::AsyncEngine engine;
  uint64_t steps = 0;
  std::optional<RuntimeError> error;
  uint64_t totalCopies = 0, totalGroups = 0, totalWaits = 0;
  uint64_t mutations = 0;
  /// Adds the counts of the engine to the totals and restarts it.
  void endBlock();

private:
  char *failBounds(const Instr &in, int64_t index, int64_t extent,
                   unsigned dim);
  char *failBuffer(const Instr &in, Buffer &buffer, int64_t offset,
                   unsigned bytes);
  bool trackInit(const Instr &in, Buffer &buffer, int64_t offset, int64_t bytes,
                 bool isWrite);

  std::vector<std::unique_ptr<Buffer>> buffers;
  int64_t allocated = 0;
  unsigned callDepth = 0;

  friend class tilepipe::InterpreterImpl;
};

/// The box of a view.
runtime::MemoryBox getBox(const View &view, const Element &element);
/// Row-major byte strides.
void setDenseStrides(Slot *slots, unsigned rank, unsigned bytes);
inline View getView(Slot *s, uint32_t first, unsigned rank) {
  return View{s + first, rank};
}
/// In global memory an element that does not exist is read as zero and never
/// written; elsewhere accessing it is an error.
inline bool isGlobal(mlir::Value memref) {
  return tile::getMemorySpace(llvm::cast<mlir::MemRefType>(memref.getType())) ==
         tile::MemorySpace::Global;
}
inline unsigned getRank(mlir::Value memref) {
  return llvm::cast<mlir::MemRefType>(memref.getType()).getRank();
}

} // namespace tilepipe::interp

#endif // TILEPIPE_LIB_INTERPRETER_MACHINE_H
