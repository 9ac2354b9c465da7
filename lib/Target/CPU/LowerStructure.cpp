//===- LowerStructure.cpp - Buffers, maps, loops and launches -------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::cpu;

ValueRange Lowering::call(Emitter &e, StringRef name, ArrayRef<Value> operands,
                          ArrayRef<Type> results) {
  func::FuncOp function = functions.runtime(
      name, llvm::to_vector(ValueRange(operands).getTypes()), results);
  return func::CallOp::create(e, function, operands).getResults();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void cpu::lower(Lowering &l, tile::SlotOp op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  auto type = cast<MemRefType>(op.getResult().getType());
  Value offset = e.mul(op.getIndex(), e.index(type.getNumElements()));
  op.getResult().replaceAllUsesWith(
      e.memrefAt(e.pointer(op.getSource(), offset), type));
  op.erase();
}

/// Buffers up to this size are promoted to registers where possible.
static constexpr int64_t maxStackBytes = 256;
static constexpr int64_t frameAlign = 64;

void cpu::lowerAllocs(Lowering &l, Operation *scope) {
  Region &body = scope->getRegion(0);
  if (body.empty())
    return;
  SmallVector<tile::AllocOp> allocs;
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tile::LaunchOp>(op))
      return WalkResult::skip();
    if (auto alloc = dyn_cast<tile::AllocOp>(op))
      allocs.push_back(alloc);
    return WalkResult::advance();
  });
  if (allocs.empty())
    return;
  OpBuilder b = OpBuilder::atBlockBegin(&body.front());
  Emitter e(scope->getLoc(), b, l.types);
  auto bytesOf = [&](MemRefType type) -> int64_t {
    int64_t bytes =
        type.getNumElements() * e.elementBytes(type.getElementType());
    return llvm::alignTo(std::max<int64_t>(bytes, 1), frameAlign);
  };
  int64_t frameBytes = 0;
  SmallVector<int64_t> offsets;
  for (tile::AllocOp alloc : allocs) {
    int64_t bytes = bytesOf(alloc.getType());
    bool onStack = bytes <= maxStackBytes;
    offsets.push_back(onStack ? -1 : frameBytes);
    frameBytes += onStack ? 0 : bytes;
  }
  Value frame;
  if (frameBytes > 0) {
    frame = l.call(e, "tilepipe_rt_frame_push", {e.i64(frameBytes)},
                   {l.pointerType()})[0];
    for (Block &block : body)
      if (block.getNumSuccessors() == 0) {
        b.setInsertionPoint(block.getTerminator());
        Emitter exit(scope->getLoc(), b, l.types);
        l.call(exit, "tilepipe_rt_frame_pop", {frame});
      }
  }
  for (auto [alloc, offset] : llvm::zip_equal(allocs, offsets)) {
    Value memory =
        offset < 0
            ? LLVM::AllocaOp::create(
                  e, cast<LLVM::LLVMPointerType>(l.pointerType()),
                  e.getI8Type(), e.i64(bytesOf(alloc.getType())), frameAlign)
            : e.bytesAfter(frame, e.index(offset));
    alloc.getResult().replaceAllUsesWith(e.memrefAt(memory, alloc.getType()));
    if (l.sanitize) {
      // Undefined contents are the same odd ones each time, as they are in the
      // interpreter.
      b.setInsertionPoint(alloc);
      Emitter at(alloc.getLoc(), b, l.types);
      LLVM::MemsetOp::create(at, memory, at.constant(at.getI8Type(), 0x5A),
                             at.i64(bytesOf(alloc.getType())),
                             /*isVolatile=*/false);
    }
  }
  // Not before: the first one is the insertion point.
  for (tile::AllocOp alloc : allocs)
    alloc.erase();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Moves the operations of `from` but the terminator in front of `before`.
static void inlineBody(Block *from, Operation *before, ValueRange arguments) {
  for (auto [argument, value] :
       llvm::zip_equal(from->getArguments(), arguments))
    argument.replaceAllUsesWith(value);
  from->getTerminator()->erase();
  before->getBlock()->getOperations().splice(before->getIterator(),
                                             from->getOperations());
}

void cpu::lower(Lowering &l, tile::MapOp op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  SmallVector<Value> upper;
  for (OpFoldResult extent : op.getMixedExtents())
    upper.push_back(e.index(extent));
  SmallVector<Value> lower(upper.size(), e.index(0));
  e.nest(lower, upper, [&](ValueRange ivs) {
    // The insertion point is in front of the innermost loop's terminator.
    inlineBody(&op.getBody().front(), &*e.getInsertionPoint(), ivs);
  });
  op.erase();
}

void cpu::lower(Lowering &l, tile::IterationOp op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  auto loop = cast<tile::PipelineOp>(
      cast<BlockArgument>(op.getIv()).getOwner()->getParentOp());
  Value distance = e.sub(op.getIv(), loop.getLower());
  op.getResult().replaceAllUsesWith(
      e.createOrFold<arith::DivSIOp>(distance, loop.getStep()));
  op.erase();
}

void cpu::lower(Lowering &l, tile::PipelineOp op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  Value lower = op.getLower(), upper = op.getUpper(), step = op.getStep();
  // scf.for counts upwards only: count iterations instead.
  std::optional<int64_t> constant = op.getStaticStep();
  bool downwards = constant && *constant < 0;
  if (downwards) {
    Value size = e.index(-*constant);
    Value distance = e.add(e.sub(lower, upper), e.sub(size, e.index(1)));
    upper = e.createOrFold<arith::DivSIOp>(e.max(distance, e.index(0)), size);
    lower = e.index(0);
    step = e.index(1);
  }
  auto loop = scf::ForOp::create(e, lower, upper, step, op.getInits());
  Block *body = loop.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  e.setInsertionPointToEnd(body);
  auto old = cast<tile::YieldOp>(op.getBodyBlock()->getTerminator());
  auto yield = scf::YieldOp::create(e, old.getValues());
  e.setInsertionPoint(yield);
  // Decisions that nobody carries out.
  for (Operation &statement : *op.getBodyBlock())
    tile::setStage(&statement, nullptr);
  Value iv = loop.getInductionVar();
  if (downwards)
    iv = e.add(op.getLower(), e.mul(iv, op.getStep()));
  SmallVector<Value> arguments = {iv};
  llvm::append_range(arguments, loop.getRegionIterArgs());
  inlineBody(op.getBodyBlock(), yield, arguments);
  op.replaceAllUsesWith(loop.getResults());
  op.erase();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

/// Values of outside that the body uses; constants are cloned into it instead.
static SetVector<Value> captureOperands(tile::LaunchOp op) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getBody(), used);
  SetVector<Value> captured;
  OpBuilder b = OpBuilder::atBlockBegin(&op.getBody().front());
  for (Value value : used) {
    Operation *definition = value.getDefiningOp();
    if (!definition || !definition->hasTrait<OpTrait::ConstantLike>()) {
      captured.insert(value);
      continue;
    }
    Value clone = b.clone(*definition)->getResult(0);
    replaceAllUsesInRegionWith(value, clone, op.getBody());
  }
  return captured;
}

void cpu::lower(Lowering &l, tile::LaunchOp op) {
  OpBuilder b(op);
  auto parent = op->getParentOfType<func::FuncOp>();
  SetVector<Value> captured = captureOperands(op);

  // The context of a launch: a struct on the stack of the caller.
  SmallVector<Type> fields;
  for (Value value : captured)
    fields.push_back(l.types.convertType(value.getType()));
  auto context = LLVM::LLVMStructType::getLiteral(op.getContext(), fields);
  b.setInsertionPointToStart(&parent.front());
  Emitter entry(op.getLoc(), b, l.types);
  Value storage = LLVM::AllocaOp::create(
      entry, cast<LLVM::LLVMPointerType>(l.pointerType()), context,
      entry.i64(int64_t(1)));
  Emitter e = l.before(op, b);
  auto field = [&](Emitter &e, Value base, unsigned i) -> Value {
    return LLVM::GEPOp::create(
        e, l.pointerType(), context, base,
        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
  };
  for (auto [i, value] : llvm::enumerate(captured)) {
    Value converted =
        UnrealizedConversionCastOp::create(e, fields[i], value).getResult(0);
    LLVM::StoreOp::create(e, converted, field(e, storage, i));
  }

  // The body: one block of the grid.
  Type index = b.getIndexType();
  auto type = b.getFunctionType({l.pointerType(), index, index, index}, {});
  func::FuncOp body =
      l.functions.create(parent.getName() + "_block", op.getLoc(), type);
  Block *block = body.addEntryBlock();
  OpBuilder inside = OpBuilder::atBlockEnd(block);
  Emitter in(op.getLoc(), inside, l.types);
  for (auto [i, value] : llvm::enumerate(captured)) {
    Value loaded = LLVM::LoadOp::create(in, fields[i],
                                        field(in, block->getArgument(0), i));
    Value original =
        UnrealizedConversionCastOp::create(in, value.getType(), loaded)
            .getResult(0);
    replaceAllUsesInRegionWith(value, original, op.getBody());
  }
  auto end = func::ReturnOp::create(in);
  unsigned rank = op.getBody().getNumArguments();
  inlineBody(&op.getBody().front(), end, block->getArguments().slice(1, rank));

  SmallVector<Value> extents;
  for (OpFoldResult extent : op.getMixedExtents())
    extents.push_back(e.i64(e.index(extent)));
  extents.resize(3, e.i64(int64_t(1)));
  Value reference = func::ConstantOp::create(e, type, body.getName());
  Value address =
      UnrealizedConversionCastOp::create(e, l.pointerType(), reference)
          .getResult(0);
  l.call(e, "tilepipe_rt_launch",
         {address, storage, extents[0], extents[1], extents[2]});
  op.erase();
}

/// A condition that does not hold ends the block and is reported when the run
/// ends: the process of the caller goes on, and so do other blocks.
void cpu::lower(Lowering &l, cf::AssertOp op) {
  OpBuilder b(op);
  Emitter e = l.before(op, b);
  Value fails =
      arith::XOrIOp::create(e, op.getArg(), e.boolean(true)).getResult();
  e.when(fails, [&] {
    auto compare = op.getArg().getDefiningOp<arith::CmpIOp>();
    if (auto place = op->getAttrOfType<LocationAttr>("tile.bounds");
        place && compare && compare.getLhs().getType().isIndex()) {
      std::string text = op.getMsg().str();
      llvm::raw_string_ostream note(text);
      note << '\n';
      printLocation(Location(place), note);
      note << ": note: the buffer";
      l.call(e, "tilepipe_rt_assert_index",
             {l.getOrigin(e, op, text), e.i64(compare.getLhs())});
      return;
    }
    std::string what = ("assertion failed: " + op.getMsg()).str();
    l.call(e, "tilepipe_rt_assert", {l.getOrigin(e, op, what)});
  });
  op.erase();
}
