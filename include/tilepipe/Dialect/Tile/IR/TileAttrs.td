//===- TileAttrs.td - Attributes of the tile dialect -------*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_IR_TILEATTRS_TD
#define TILEPIPE_DIALECT_TILE_IR_TILEATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "tilepipe/Dialect/Tile/IR/TileDialect.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

def Tile_MemorySpace : I32Enum<"MemorySpace", "where a buffer lives", [
    I32EnumCase<"Global", 0, "global">,
    I32EnumCase<"Shared", 1, "shared">,
    I32EnumCase<"Fragment", 2, "fragment">,
    I32EnumCase<"L1", 3, "l1">,
    I32EnumCase<"L0A", 4, "l0a">,
    I32EnumCase<"L0B", 5, "l0b">,
    I32EnumCase<"L0C", 6, "l0c">,
    I32EnumCase<"UB", 7, "ub">,
    I32EnumCase<"BT", 8, "bt">,
    I32EnumCase<"FB", 9, "fb">
  ]> {
  let cppNamespace = "::tilepipe::tile";
}

def Tile_SpaceAttr : Tile_Attr<"Space", "space"> {
  let summary = "memory space of a buffer";
  let description = [{
    `global` is off-chip memory, `shared` on-chip memory of one block,
    `fragment` the registers of its threads taken together. Source kernels use
    these three; a target may assign the concrete spaces `l1 l0a l0b l0c ub bt
    fb`. Example: `memref<64x32xf16, #tile.space<shared>>`.
  }];
  let parameters = (ins EnumParameter<Tile_MemorySpace>:$value);
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

def Tile_StageAttr : Tile_Attr<"Stage", "stage"> {
  let summary = "stage and issue order of a statement in its pipeline";
  let description = [{
    In step `t` of the pipelined loop a statement of stage `s` works on
    iteration `t - s`; within a step statements are issued by ascending order.
    Carried as the discardable attribute `tile.stage` by the statements of a
    planned `tile.pipeline`. Written by `--pipeline-planning`, read by
    `--multi-buffer-versioning` and ended by `--expand-software-pipeline`.
    Example: `#tile.stage<2, order = 0>`.
  }];
  let parameters = (ins "int64_t":$stage, "int64_t":$order);
  let assemblyFormat = "`<` $stage `,` `order` `=` $order `>`";
  let genVerifyDecl = 1;
}

def Tile_PipelineScheduleAttr
    : Tile_Attr<"PipelineSchedule", "pipeline_schedule"> {
  let summary = "what was decided for a pipelined loop as a whole";
  let description = [{
    `depth` is the number of iterations in flight that was asked for
    (`num_stages`, or `max(stage) + 1` of a manual schedule); `ii` is the
    initiation interval in cycles under the machine model, 0 if no model was
    asked. Written by `--pipeline-planning`, ended by
    `--expand-software-pipeline`.
    Example: `#tile.pipeline_schedule<depth = 3, ii = 640>`.
  }];
  let parameters = (ins "int64_t":$depth, DefaultValuedParameter<"int64_t", "0">:$ii);
  let assemblyFormat = "`<` `depth` `=` $depth (`,` `ii` `=` $ii^)? `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Machine description
//===----------------------------------------------------------------------===//

def Tile_MemoryAttr : Tile_Attr<"Memory", "memory"> {
  let summary = "one memory space of a machine: bytes and alignment";
  let description = [{
    `capacity` is the number of bytes that one block may use, `align` the
    alignment in bytes of a buffer in it.
    Example: `#tile.memory<shared, capacity = 166912, align = 128>`.
  }];
  let parameters = (ins EnumParameter<Tile_MemorySpace>:$space,
                        "int64_t":$capacity, "int64_t":$align);
  let assemblyFormat =
      "`<` $space `,` `capacity` `=` $capacity `,` `align` `=` $align `>`";
  let genVerifyDecl = 1;
}

def Tile_TransferAttr : Tile_Attr<"Transfer", "transfer"> {
  let summary = "one path between two memory spaces";
  let description = [{
    A copy from `from` to `to` occupies `unit` for `issue` plus
    bytes / `bytes_per_cycle` cycles; its data is usable `latency` cycles after
    that. `async` says that the machine has an asynchronous copy on this path.
    Example: `#tile.transfer<global to shared, unit = "copy", async = true,
    issue = 8, latency = 500, bytes_per_cycle = 32>`.
  }];
  let parameters = (ins EnumParameter<Tile_MemorySpace>:$from,
                        EnumParameter<Tile_MemorySpace>:$to,
                        StringRefParameter<"resource that runs the copy">:$unit,
                        "bool":$async, "int64_t":$issue, "int64_t":$latency,
                        "int64_t":$bytesPerCycle);
  let assemblyFormat = [{
    `<` $from `to` $to `,` `unit` `=` $unit `,` `async` `=` $async `,`
    `issue` `=` $issue `,` `latency` `=` $latency `,`
    `bytes_per_cycle` `=` $bytesPerCycle `>`
  }];
  let genVerifyDecl = 1;
}

def Tile_UnitKind : I32Enum<"UnitKind", "what a compute unit executes", [
    I32EnumCase<"Tensor", 0, "tensor">,
    I32EnumCase<"Vector", 1, "vector">,
    I32EnumCase<"Scalar", 2, "scalar">
  ]> {
  let cppNamespace = "::tilepipe::tile";
}

def Tile_ComputeUnitAttr : Tile_Attr<"ComputeUnit", "unit"> {
  let summary = "one compute unit of a machine";
  let description = [{
    `ops_per_cycle` counts multiply-adds (`tensor`) or element operations
    (`vector`, `scalar`) of one block; results are usable `latency` cycles after
    the unit is free again.
    Example: `#tile.unit<tensor, ops_per_cycle = 1024, latency = 32>`.
  }];
  let parameters = (ins EnumParameter<Tile_UnitKind>:$kind,
                        "int64_t":$opsPerCycle, "int64_t":$latency);
  let assemblyFormat = [{
    `<` $kind `,` `ops_per_cycle` `=` $opsPerCycle `,` `latency` `=` $latency `>`
  }];
  let genVerifyDecl = 1;
}

def Tile_TargetAttr : Tile_Attr<"Target", "target"> {
  let summary = "the machine that a module is compiled for";
  let description = [{
    The one source of numbers about a machine, carried by the module as
    `tile.target`. Planner, capacity check, explanations and tuner read it;
    without it the built-in model of `getDefaultTarget` is used.

    ```mlir
    #toy = #tile.target<"toy",
      memories = [#tile.memory<shared, capacity = 65536, align = 16>],
      transfers = [#tile.transfer<global to shared, unit = "copy", async = true,
                   issue = 1, latency = 30, bytes_per_cycle = 64>],
      units = [#tile.unit<tensor, ops_per_cycle = 256, latency = 16>]>
    module attributes {tile.target = #toy} { ... }
    ```
  }];
  let parameters = (ins StringRefParameter<"chip">:$name,
                        ArrayRefParameter<"MemoryAttr">:$memories,
                        ArrayRefParameter<"TransferAttr">:$transfers,
                        ArrayRefParameter<"ComputeUnitAttr">:$units);
  let assemblyFormat = [{
    `<` $name `,` `memories` `=` custom<List>($memories) `,`
    `transfers` `=` custom<List>($transfers) `,`
    `units` `=` custom<List>($units) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The description of `space`, or null where the machine has none.
    MemoryAttr getMemory(MemorySpace space) const;
    /// The path between two spaces, or null.
    TransferAttr getTransfer(MemorySpace from, MemorySpace to) const;
    /// The unit of a kind, or null.
    ComputeUnitAttr getUnit(UnitKind kind) const;
  }];
}

//===----------------------------------------------------------------------===//
// Operation kinds
//===----------------------------------------------------------------------===//

def Tile_ReduceKind : I32Enum<"ReduceKind", "combining function of a reduction", [
    I32EnumCase<"Sum", 0, "sum">,
    I32EnumCase<"Prod", 1, "prod">,
    I32EnumCase<"Max", 2, "max">,
    I32EnumCase<"Min", 3, "min">,
    I32EnumCase<"AbsSum", 4, "abssum">,
    I32EnumCase<"AbsMax", 5, "absmax">,
    I32EnumCase<"And", 6, "and">,
    I32EnumCase<"Or", 7, "or">,
    I32EnumCase<"Xor", 8, "xor">
  ]> {
  let cppNamespace = "::tilepipe::tile";
}
def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_AtomicKind : I32Enum<"AtomicKind", "combining function of an atomic update", [
    I32EnumCase<"Add", 0, "add">,
    I32EnumCase<"Max", 1, "max">,
    I32EnumCase<"Min", 2, "min">,
    I32EnumCase<"And", 3, "and">,
    I32EnumCase<"Or", 4, "or">,
    I32EnumCase<"Xor", 5, "xor">,
    I32EnumCase<"Exchange", 6, "exchange">
  ]> {
  let cppNamespace = "::tilepipe::tile";
}
def Tile_AtomicKindAttr : EnumAttr<Tile_Dialect, Tile_AtomicKind, "atomic_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // TILEPIPE_DIALECT_TILE_IR_TILEATTRS_TD
