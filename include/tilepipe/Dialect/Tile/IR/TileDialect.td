//===- TileDialect.td - The tile dialect -------------------*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_IR_TILEDIALECT_TD
#define TILEPIPE_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "Tile kernels with software-pipelined loops";
  let description = [{
    A tile kernel moves *tiles* (rectangular regions of buffers) between memory
    spaces and computes on them. Buffers are memrefs whose memory space is a
    `#tile.space`; a memref without one lives in global memory. Statements
    (`tile.copy`, `tile.gemm`, `tile.map`, ...) have buffer semantics and run
    one after the other; `tile.pipeline` is the loop that the passes overlap.

    Two function arguments, or two `tile.alloc`s, are distinct buffers: a kernel
    must not be called with overlapping arguments.

    *Elements that do not exist.* An access to an element of *global* memory
    (`memref.load`, `memref.store`, `memref.atomic_rmw`, `tile.atomic`) may have
    an index outside of the buffer, also a negative one: it is read as zero, and
    a write or an update of it does nothing, as in the tails of `tile.copy`.
    Targets insert what that takes, `--tile-guard-accesses`, and nothing where an
    index is proven to be inside. In an on-chip buffer such an index is a
    mistake: `--tile-check-bounds` finds those that are sure to occur, the CPU
    target ends the block with an error, emulators report it where it leaves
    the memory of the block, and on a device the result is undefined.

    A function argument may name its sizes, `{tile.sizes = ["n", "k"]}` (an empty
    name for none): sizes of one name are equal in every call.

    The dialect has three phases, checked by `--tile-verify-phase`:

    | phase      | what it holds |
    |------------|---------------|
    | `source`   | no stage, schedule or versions attribute, no slot |
    | `planned`  | `tile.stage` on each statement of a planned loop, a schedule on the loop, `versions` on buffers |
    | `injected` | no `tile.pipeline`, no stage or versions attribute; copies may be asynchronous, waits have counts |
  }];
  let cppNamespace = "::tilepipe::tile";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif // TILEPIPE_DIALECT_TILE_IR_TILEDIALECT_TD
