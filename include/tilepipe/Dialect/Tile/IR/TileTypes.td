//===- TileTypes.td - Types of the tile dialect ------------*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_IR_TILETYPES_TD
#define TILEPIPE_DIALECT_TILE_IR_TILETYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "tilepipe/Dialect/Tile/IR/TileDialect.td"

def Tile_TokenType : TypeDef<Tile_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "completion of asynchronous copies";
  let description = [{
    Stands for the copies that must be complete before a `tile.async.wait` on it
    returns. A token of `tile.async.copy` becomes waitable once
    `tile.async.commit` has put the copy into a group; `tile.async.none` is
    complete from the start.
  }];
}

#endif // TILEPIPE_DIALECT_TILE_IR_TILETYPES_TD
