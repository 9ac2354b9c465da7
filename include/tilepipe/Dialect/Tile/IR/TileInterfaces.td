//===- TileInterfaces.td - Interfaces of tile statements ---*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_IR_TILEINTERFACES_TD
#define TILEPIPE_DIALECT_TILE_IR_TILEINTERFACES_TD

include "mlir/IR/OpBase.td"

def AccessOpInterface : OpInterface<"AccessOpInterface"> {
  let description = [{
    An operation that can say which *regions* of which buffers it reads and
    writes. It refines `MemoryEffectOpInterface`, which knows only whole
    buffers; dependence analysis falls back to the latter where this interface
    is missing. Operations of other dialects take part through external models
    (`registerAccessExternalModels`).
  }];
  let cppNamespace = "::tilepipe::tile";
  let methods = [
    InterfaceMethod<[{
      Append every region that one execution of the operation itself (not of
      its nested regions) may read or write.
    }], "void", "getAccesses",
    (ins "::llvm::SmallVectorImpl<::tilepipe::tile::RegionAccess> &":$accesses)>
  ];
}

#endif // TILEPIPE_DIALECT_TILE_IR_TILEINTERFACES_TD
