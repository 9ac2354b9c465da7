//===- Passes.td - Passes of the tile dialect --------------*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILEPIPE_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Raising
//===----------------------------------------------------------------------===//

def TileRaiseSCFFor : Pass<"tile-raise-scf-for"> {
  let summary = "take in loops and copies of other dialects";
  let description = [{
    Turns an `scf.for` that asks to be pipelined into a `tile.pipeline`, so that
    people can pipeline loops of their own IR. `--pipeline-planning` does this
    first by itself.

    ```mlir
    scf.for %k = %c0 to %n step %c1 {
      memref.copy %tile, %As : ...
      linalg.matmul ins(%As, %Bs : ...) outs(%C : ...)
    } {tile.num_stages = 3 : i64}
    ```
    becomes
    ```mlir
    tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
      tile.copy %tile to %As : ...
      linalg.matmul ins(%As, %Bs : ...) outs(%C : ...)
    }
    ```
    `tile.stages` and `tile.orders` (`array<i64: ...>`) become the manual
    schedule. An `nvgpu.device_async_copy` whose group is waited for in the same
    iteration becomes a `tile.copy` too: planning decides when it is waited for.
    Other asynchronous copies are a pipeline by hand; such a loop stays as it is,
    with a remark, as does one with unsigned comparison or a step below 1.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::tilepipe::tile::TileDialect"];
}

def TileRaiseLinalg : Pass<"tile-raise-linalg"> {
  let summary = "turn linalg and memref.copy into tile operations";
  let description = [{
    Targets know the operations of the tile dialect only. `linalg.fill`,
    `linalg.copy`, `memref.copy` and `linalg.matmul` become `tile.fill`,
    `tile.copy` and `tile.gemm`; every other operation of linalg on buffers becomes a `tile.map`
    over its parallel dimensions, with loops over its reductions inside. In any
    phase: `tile.stage` goes along.

    ```mlir
    linalg.matmul ins(%As, %Bs : ...) outs(%C : ...)
    linalg.generic {iterator_types = ["parallel"], ...} ins(%x) outs(%y) {...}
    ```
    becomes
    ```mlir
    tile.gemm %As, %Bs, %C : ...
    tile.map (%i) in [64] {
      %0 = memref.load %x[%i] : ...
      ...
      memref.store %1, %y[%i] : ...
    }
    ```
    Operations on tensors, and those whose loops do not follow from the shapes of
    their operands, stay as they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilepipe::tile::TileDialect"];
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

def PipelinePlanning : Pass<"pipeline-planning"> {
  let summary = "decide how iterations of pipelined loops overlap";
  let description = [{
    Gives each `tile.pipeline` with `num_stages` of 1 or more, or with `stage`
    and `order`, a schedule: `#tile.stage` on each statement,
    `#tile.pipeline_schedule` on the loop and `versions` on buffers. This is the
    only pass that decides; later ones carry out.

    ```mlir
    tile.pipeline %k = %c0 to %c8 step %c1 num_stages = 3 {
      tile.copy %A[%c0, %k] to %As : ...
      tile.copy %B[%k, %c0] to %Bs : ...
      tile.gemm %As, %Bs, %C : ...
    }
    ```
    becomes, with `versions = 3` on the allocations of `%As` and `%Bs`,
    ```mlir
    tile.pipeline %k = %c0 to %c8 step %c1
        schedule = #tile.pipeline_schedule<depth = 3> {
      tile.copy %A[%c0, %k] to %As {tile.stage = #tile.stage<0, order = 0>} : ...
      tile.copy %B[%k, %c0] to %Bs {tile.stage = #tile.stage<0, order = 1>} : ...
      tile.gemm %As, %Bs, %C {tile.stage = #tile.stage<2, order = 2>} : ...
    }
    ```

    * `policy=tilelang` starts copies from global memory to tiles, and what they
      need, `num_stages` iterations ahead, behind the last use of the buffer they
      fill. `policy=modulo` looks for the least number of cycles between
      iterations under the machine model of `#tile.target`. No buffer gets more
      than `num_stages` versions.
    * `stage` and `order` are a manual schedule, with one entry for each statement
      in source order; lists that also count the scalar operations between them
      are accepted. They win over the policy; `num_stages`, if it is 1 or more,
      is then only the depth.
    * `num_stages = 0` without lists, and no `num_stages`, is a serial loop.

    A schedule keeps every dependence, of one iteration or between iterations. A
    manual schedule that does not is an error. Where the policy has to leave a
    statement in a later stage, or a loop serial, a remark names the dependence;
    such a loop has no schedule afterwards. Of nested loops the outer one is
    planned, if it can be, and the inner one stays serial. Loops are normalised
    first: see `normalizePipeline`. A value that a statement of one stage computes
    for another stage gets a rank-0 buffer.

    Buffers that do not fit a memory of `#tile.target`, with the versions that
    were planned, are an error that says which `num_stages` fits: see
    `--tile-check-capacity`.
  }];
  let options = [
    Option<"policy", "policy", "::tilepipe::tile::PlanningPolicy",
           "::tilepipe::tile::PlanningPolicy::TileLang",
           "How automatic schedules are chosen",
           [{::llvm::cl::values(
               clEnumValN(::tilepipe::tile::PlanningPolicy::TileLang, "tilelang",
                          "Copies as early as num_stages allows"),
               clEnumValN(::tilepipe::tile::PlanningPolicy::Modulo, "modulo",
                          "Least initiation interval under the machine model"))}]>,
    Option<"remarks", "remarks", "bool", "true",
           "Emit remarks for loops and statements that overlap less than asked">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect",
                           "::tilepipe::tile::TileDialect"];
  let statistics = [
    Statistic<"numPlanned", "loops-planned", "Loops that got a schedule">,
    Statistic<"numManual", "loops-manual", "Of these, with a manual schedule">,
    Statistic<"numSerial", "loops-serial", "Loops left serial that asked for more">,
    Statistic<"numLimited", "statements-limited",
              "Statements that start later than the policy wants">,
    Statistic<"numBuffers", "buffers-versioned", "Buffers that got versions">,
    Statistic<"numCells", "cells", "Values that got a buffer between stages">
  ];
}

//===----------------------------------------------------------------------===//
// Multi-buffering
//===----------------------------------------------------------------------===//

def MultiBufferVersioning : Pass<"multi-buffer-versioning"> {
  let summary = "give buffers the versions that were planned";
  let description = [{
    Turns a `tile.alloc` with `versions = V` into a buffer with a leading
    dimension of `V`. In a planned `tile.pipeline` each iteration uses the
    version of its number modulo `V`:

    ```mlir
    %b = tile.alloc {versions = 3 : i64} : memref<64xf32, #tile.space<shared>>
    tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 3> {
      tile.copy %A[%k, 0] to %b {tile.stage = #tile.stage<0, order = 1>} : ...
      ...
    }
    ```
    becomes
    ```mlir
    %b = tile.alloc : memref<3x64xf32, #tile.space<shared>>
    tile.pipeline %k = %c0 to %n step %c1 schedule = #tile.pipeline_schedule<depth = 3> {
      %i = tile.iteration %k
      %r = arith.remui %i, %c3 : index
      %v = tile.slot %b[%r] : memref<3x64xf32, ...> -> memref<64xf32, ...>
      tile.copy %A[%k, 0] to %v {tile.stage = #tile.stage<0, order = 1>} : ...
      ...
    }
    ```
    Code outside planned loops uses the *current* version: version 0 at first,
    and after a planned loop of `n` iterations the one of its last iteration,
    `n > 0 ? (n - 1) mod V : (as before)`. A view that was made for another
    version than the one an access needs is made again at the access.

    Afterwards no `tile.alloc` has `versions`. A buffer whose versions cannot be
    followed (it escapes through a branch, a call result, or a planned loop that
    is nested deeper than code outside which needs the contents) is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilepipe::tile::TileDialect"];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Number of buffers that got versions">,
    Statistic<"numBytes", "bytes added", "Bytes that the versions add">,
    Statistic<"numViews", "views remade", "Views made again at an access">
  ];
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

def AsyncWaitRelaxation : Pass<"async-wait-relaxation"> {
  let summary = "give each wait the largest count that is still right";
  let description = [{
    A `tile.async.wait` on tokens alone makes a target that can only count wait
    for everything. This pass gives it the largest `pending` count: for each
    token the least number of groups that are committed after the token's own
    group on any way to the wait (loop entry, back edge, tails, branches), and of
    these the smallest. A token that a dominating wait has named is complete and
    asks for nothing. The pass leaves as few waits as late as possible:

    * a wait moves down to the next operation that may touch memory of an
      asynchronous copy;
    * neighbours become one wait with the smaller count;
    * a wait whose tokens are complete, or that can find no more than `pending`
      groups outstanding, is removed.

    A wait that came with a count is the user's and is never changed. What it
    guarantees may make a wait without one superfluous.

    Before:
    ```mlir
    %g0 = tile.async.commit %t0
    %g1 = tile.async.commit %t1
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %g0, %b = %g1)
        -> (!tile.token, !tile.token) {
      %t = tile.async.copy %A[%k, 0] to %v : ...
      %g = tile.async.commit %t
      tile.async.wait %a
      tile.gemm %As, %Bs, %C : ...
      scf.yield %b, %g : !tile.token, !tile.token
    }
    ```
    After:
    ```mlir
      tile.async.wait %a pending = 2
    ```
  }];
  let statistics = [
    Statistic<"numSeen", "waits-seen", "waits found, the user's included">,
    Statistic<"numCounted", "waits-counted", "waits that were given a count">,
    Statistic<"numSunk", "waits-sunk", "waits moved down to their consumer">,
    Statistic<"numMerged", "waits-merged", "waits folded into the next one">,
    Statistic<"numRemoved", "waits-removed", "waits that were implied">
  ];
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

def TileVerifyPhase : Pass<"tile-verify-phase"> {
  let summary = "check what must hold between two steps";
  let description = [{
    Checks the facts that the passes of one step leave for those of the next one
    (the table in the description of the dialect), each violation being an error
    at its operation:

    * `source`: no `tile.stage`, `schedule` or `versions`, and no `tile.slot`.
    * `planned`: no `num_stages`, `stage` or `order` is left. In a loop with a
      `schedule` each statement has a `tile.stage`, no two the same order, every
      dependence holds under it (with the `versions` of its buffer), and no
      scalar crosses stages; outside of such loops nothing has a stage. Holds
      before and after `--multi-buffer-versioning`.
    * `injected`: none of these is left, and no `tile.pipeline`; each wait has a
      count, and asynchronous copies take paths that are asynchronous on the
      target. A count that a token of the wait may need lower is a warning. This
      is the contract with every target.

    For example, in phase `planned`
    ```mlir
    tile.copy %A to %S {tile.stage = #tile.stage<0, order = 0>} : ...
    tile.gemm %S, %S, %C {tile.stage = #tile.stage<1, order = 0>} : ...
    ```
    is the error `'tile.gemm' op reuses issue order 0`.
  }];
  let options = [
    Option<"phase", "phase", "::tilepipe::tile::Phase",
           "::tilepipe::tile::Phase::Injected", "What the input has been through",
           [{::llvm::cl::values(
             clEnumValN(::tilepipe::tile::Phase::Source, "source",
                        "before planning"),
             clEnumValN(::tilepipe::tile::Phase::Planned, "planned",
                        "after planning, and after versioning"),
             clEnumValN(::tilepipe::tile::Phase::Injected, "injected",
                        "after expansion and relaxation"))}]>
  ];
}

//===----------------------------------------------------------------------===//
// Looking at loops
//===----------------------------------------------------------------------===//

def PrintDependences : Pass<"tile-print-dependences"> {
  let summary = "print the statements, buffers and dependences of each loop";
  let description = [{
    Prints to standard error what planning knows of each `tile.pipeline`, loops
    in source order: numbered statements, for each buffer whether iterations may
    have copies of it and why not, and the dependences that a schedule must
    respect. The IR does not change, except that `normalize` first brings loops
    into the form that planning works on.

    ```
    loop at kernel.mlir:7:3
      #0 tile.copy
      #1 tile.gemm
      buffer As: private
      buffer Cl: shared by iterations (an iteration may read contents of an earlier one)
      #0 -> #1 read after write of As, distance 0
      #1 -> #0 write after read of As, distance 1, removed by versions
      #1 -> #1 read after write of Cl, distance 1
    ```
  }];
  let options = [
    Option<"normalize", "normalize", "bool", "false",
           "Normalise loops as planning does">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

//===----------------------------------------------------------------------===//
// Accesses to elements
//===----------------------------------------------------------------------===//

def TileCheckBounds : Pass<"tile-check-bounds"> {
  let summary = "find element accesses that are sure to leave their tile";
  let description = [{
    An access to an element of an on-chip buffer (`memref.load`, `memref.store`,
    `tile.atomic`, `memref.atomic_rmw`) with an index outside of it is a mistake.
    It is an error here where it is sure to happen: where no index is inside, or
    where the loops around it, whose bounds are constants, and no branch, reach
    one that is outside. `--pipeline-planning` does this first by itself. What
    cannot be decided is left to run time, see `--tile-guard-accesses`.

    ```mlir
    %S = tile.alloc {name = "S"} : memref<16xf32, #tile.space<shared>>
    tile.map (%i) in [16] {
      %j = arith.addi %i, %c8 : index
      %x = memref.load %S[%j] : memref<16xf32, #tile.space<shared>>
      ...
    ```
    is the error `'memref.load' op index of dimension 0 is 8 to 23, but 'S' has
    16 elements there`.
  }];
}

def TileGuardAccesses : Pass<"tile-guard-accesses"> {
  let summary = "make element accesses outside of buffers harmless";
  let description = [{
    Carries out what the dialect says of an element of *global* memory that does
    not exist: it is read as zero, and a write or atomic update of it does
    nothing (`memref.load`, `memref.store`, `tile.atomic`, `memref.atomic_rmw`).
    An access gets a guard for each dimension whose index is not proven to be
    inside, by the bounds of the loops around it, the branches around it, and
    extents; the others cost nothing. Runs after injection: planning looks at
    accesses, not at their guards.

    ```mlir
    tile.map (%i) in [16] {
      %j = arith.addi %first, %i : index
      %x = memref.load %X[%j] : memref<100xf32>
      memref.store %x, %S[%i] : memref<16xf32, #tile.space<shared>>
    }
    ```
    becomes, where `%first` is a multiple of 16 below 112,
    ```mlir
    tile.map (%i) in [16] {
      %j = arith.addi %first, %i : index
      %inside = arith.cmpi slt, %j, %c100 : index
      %x = scf.if %inside -> (f32) {
        %0 = memref.load %X[%j] : memref<100xf32>
        scf.yield %0 : f32
      } else {
        scf.yield %cst : f32
      }
      memref.store %x, %S[%i] : memref<16xf32, #tile.space<shared>>
    }
    ```
    On-chip buffers: with `assert-on-chip` an access that is not proven to be
    inside gets a `cf.assert` in front of it, else nothing. `affine`, `vector` and
    `linalg` operations are inside by their own rules.
  }];
  let options = [
    Option<"assertOnChip", "assert-on-chip", "bool", "false",
           "Assert that accesses to on-chip buffers are inside">,
    Option<"scalarOnly", "scalar-only", "bool", "false",
           "Leave alone what is in a map, and fills: for targets that make "
           "copies of tiles of the former">
  ];
  let statistics = [
    Statistic<"numProven", "proven", "Number of accesses that need nothing">,
    Statistic<"numGuarded", "guarded", "Number of accesses with a guard">,
    Statistic<"numAsserted", "asserted", "Number of accesses with an assertion">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

//===----------------------------------------------------------------------===//
// On-chip memory
//===----------------------------------------------------------------------===//

def TileCheckCapacity : Pass<"tile-check-capacity"> {
  let summary = "check that on-chip buffers fit before code is generated";
  let description = [{
    Places the buffers of each function as `--tile-allocate-memory` does, with
    the `versions` that were planned, and compares with the capacities of
    `#tile.target`. `--pipeline-planning` makes the same check. The IR stays as it
    is. A memory that is too small is an error at the deepest planned loop:

    ```
    error: needs 262144 bytes of shared memory, but 'toy' has 233472; num_stages = 3 fits in 196608 bytes
    note: buffer 'As' takes 131072 bytes: 4 versions of 32768
    ```
  }];
  // For the default target of a module without tile operations.
  let dependentDialects = ["::tilepipe::tile::TileDialect"];
}

def TileAllocateMemory : Pass<"tile-allocate-memory"> {
  let summary = "give each on-chip buffer its byte offset";
  let description = [{
    Sets `offset` on each `tile.alloc` of an on-chip memory, in each function for
    itself. Buffers that are never in use at the same time share bytes. A buffer
    is in use from its first to its last access; throughout a loop that it is
    allocated outside of and used in; and while an asynchronous copy from or to it
    may be in flight, which counts commits and waits on all paths. Offsets keep the
    alignment of the memory, versions (the leading dimension) lie side by side,
    and elements narrower than a byte take one. Registers (`fragment`) get offsets
    only if the target describes them as a memory.

    ```mlir
    %A = tile.alloc : memref<64xf32, #tile.space<shared>>
    %B = tile.alloc : memref<256xf16, #tile.space<shared>>
    ```
    becomes
    ```mlir
    %A = tile.alloc {offset = 0 : i64} : memref<64xf32, #tile.space<shared>>
    %B = tile.alloc {offset = 256 : i64} : memref<256xf16, #tile.space<shared>>
    ```
    Over budget is the error of `--tile-check-capacity`.

    Buffers that share bytes must not be in use at the same time, which takes
    synchronisation on machines whose units run beside each other. With
    `avoid-reuse` all buffers of a memory get bytes of their own where that fits.
  }];
  let dependentDialects = ["::tilepipe::tile::TileDialect"];
  let options = [
    Option<"avoidReuse", "avoid-reuse", "bool", "false",
           "share bytes only in memories where buffers would not fit otherwise">
  ];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Number of buffers that got an offset">,
    Statistic<"numBytes", "bytes", "Bytes in use, all memories of all functions">,
    Statistic<"numBytesSaved", "bytes saved", "Bytes saved by reuse">
  ];
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

def ExpandSoftwarePipeline : Pass<"expand-software-pipeline"> {
  let summary = "overlap the iterations of planned loops";
  let description = [{
    Replaces each planned `tile.pipeline` by its steps: in step `t` a statement
    of stage `s` works on iteration `t - s`, if there is one, and the statements
    of a step are issued by `order`. Copies on paths that the target calls
    asynchronous become `tile.async.copy`; those that are issued together are
    committed as one group in each step, and whoever depends on a copy waits for
    its group. Loops without a schedule become `scf.for`.

    ```mlir
    tile.pipeline %k = %c0 to %c9 step %c1 schedule = #tile.pipeline_schedule<depth = 2> {
      tile.copy %A[%k, 0] to %b {tile.stage = #tile.stage<0, order = 1>} : ...
      tile.reduce <sum> %b into %x dimension 0 {tile.stage = #tile.stage<1, order = 0>} : ...
    }
    ```
    (where `%b` is the slot of the iteration) becomes
    ```mlir
    %0 = tile.async.copy %A[%c0, 0] to %b0 : ...          // step 0
    %1 = tile.async.commit %0
    %2 = scf.for %t = %c1 to %c9 step %c1 iter_args(%g = %1) -> (!tile.token) {
      %k = arith.subi %t, %c1 : index
      tile.async.wait %g
      tile.reduce <sum> %bk into %x dimension 0 : ...     // iteration t - 1
      %3 = tile.async.copy %A[%t, 0] to %bt : ...         // iteration t
      %4 = tile.async.commit %3
      scf.yield %4 : !tile.token
    }
    tile.async.wait %2                                    // step 9
    tile.reduce <sum> %b8 into %x dimension 0 : ...
    ```
    The `peeled` form has a prologue and an epilogue, guarded where the trip
    count is not a constant. The `prologue` form has no epilogue: the loop runs
    the last steps as well, and all statements but those of the last stage are
    guarded in it. Where the early stages are copies that costs little, and the
    computation is in the code only once. The `predicated` form is one loop whose
    statements are all guarded: its size does not depend on the number of stages.
    Peeling that would create more than `max-peeled-ops` operations is not done.

    Pure operations, and reads of memory that the loop does not write, are
    replayed for each statement that uses them, inside its guard. Afterwards no
    `tile.pipeline`, `tile.iteration` or `tile.stage` is left. A schedule that is
    incomplete, or breaks a dependence, is an error.
  }];
  let options = [
    Option<"form", "form", "::tilepipe::tile::ExpansionForm",
           "::tilepipe::tile::ExpansionForm::Peeled", "How steps are arranged",
           [{::llvm::cl::values(
             clEnumValN(::tilepipe::tile::ExpansionForm::Peeled, "peeled",
                        "Prologue, loop and epilogue"),
             clEnumValN(::tilepipe::tile::ExpansionForm::Prologue, "prologue",
                        "Prologue, and a loop with guards on what its last "
                        "steps leave out"),
             clEnumValN(::tilepipe::tile::ExpansionForm::Predicated,
                        "predicated", "One loop of guarded statements"))}]>,
    Option<"maxPeeledOps", "max-peeled-ops", "int64_t", "4096",
           "Use the predicated form where peeling would create more operations">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect", "::tilepipe::tile::TileDialect"
  ];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops expanded">,
    Statistic<"numSerial", "serial loops", "Number of loops left serial">,
    Statistic<"numStatements", "statements", "Statements of expanded loops">,
    Statistic<"numAsync", "async copies", "Copies made asynchronous">,
    Statistic<"numNoPath", "sync copies: path",
              "Copies on a path that is not asynchronous on the target">,
    Statistic<"numConversion", "sync copies: conversion",
              "Copies that convert elements">,
    Statistic<"numOther", "sync copies: statement",
              "Copies whose statement does something else as well">,
    Statistic<"numCommits", "commits", "Commits emitted">,
    Statistic<"numWaits", "waits", "Waits emitted">
  ];
}

//===----------------------------------------------------------------------===//
// Explanation
//===----------------------------------------------------------------------===//

def TileExplain : Pass<"tile-explain", "::mlir::ModuleOp"> {
  let summary = "print what planning and injection make of each loop";
  let description = [{
    Plans and injects a clone of the module and prints to standard error, for each
    `tile.pipeline`: its statements by issue order with stage and place in the
    source; for each statement with copies, whether they are asynchronous or why
    not; the versions and bytes of its buffers; the waits before and after
    relaxation; the remarks of the planner. For each function, the bytes of each
    memory against the capacity of `#tile.target`. Loops that are planned already
    are taken as they are. The IR stays as it is.
    `tile-opt --explain kernel.mlir` does this and nothing else.

    ```
    function gemm on sm_80
    loop at gemm.mlir:39:5: depth 3
      order  stage  statement               at
          0      0  copy arg0 into As       43:7  asynchronous
          1      0  copy arg1 into Bs       44:7  asynchronous
          2      2  gemm As, Bs into Cl     45:7
      buffer As: 3 versions of 8192 bytes = 24576 bytes of shared
      ...
      waits: 4 before relaxation, 3 after (groups that may stay in flight: 1, 1, 0); commits: 3
    memory shared: 49152 bytes of 166912 (29 %)
    ```
  }];
  let options = [
    Option<"policy", "policy", "::tilepipe::tile::PlanningPolicy",
           "::tilepipe::tile::PlanningPolicy::TileLang",
           "Policy of --pipeline-planning",
           [{::llvm::cl::values(
               clEnumValN(::tilepipe::tile::PlanningPolicy::TileLang, "tilelang",
                          "Copies as early as num_stages allows"),
               clEnumValN(::tilepipe::tile::PlanningPolicy::Modulo, "modulo",
                          "Least initiation interval under the machine model"))}]>,
    Option<"toStdout", "stdout", "bool", "false",
           "Print to standard output">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
                           "::tilepipe::tile::TileDialect"];
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

def TileSetTarget : Pass<"tile-set-target", "::mlir::ModuleOp"> {
  let summary = "choose the machine that a module is compiled for";
  let description = [{
    Sets `tile.target` of the module to a machine of `lib/Target/*/models.mlir`,
    or of a file of that form:

    ```mlir
    module { ... }
    ```
    becomes, with `chip=sm_80`,
    ```mlir
    module attributes {tile.target = #tile.target<"sm_80", ...>} { ... }
    ```
    A machine that the module already has is replaced. An unknown chip is an error
    that lists the known ones.
  }];
  let options = [
    Option<"chip", "chip", "std::string", [{""}],
           "Name of the machine, such as sm_80, sm_90a or dav-2201">,
    Option<"models", "models", "std::string", [{""}],
           "File with descriptions of machines; the built-in ones by default">
  ];
  let dependentDialects = ["::tilepipe::tile::TileDialect"];
}

#endif // TILEPIPE_DIALECT_TILE_TRANSFORMS_PASSES_TD
