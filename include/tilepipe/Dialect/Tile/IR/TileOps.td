//===- TileOps.td - Operations of the tile dialect ---------*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_TILE_IR_TILEOPS_TD
#define TILEPIPE_DIALECT_TILE_IR_TILEOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"
include "tilepipe/Dialect/Tile/IR/TileAttrs.td"
include "tilepipe/Dialect/Tile/IR/TileDialect.td"
include "tilepipe/Dialect/Tile/IR/TileInterfaces.td"
include "tilepipe/Dialect/Tile/IR/TileTypes.td"

/// The queue of asynchronous copies of a block: commits and waits write it, so
/// that nothing reorders them.
def Tile_AsyncQueue : Resource<"::tilepipe::tile::AsyncQueueResource">;

/// Region effects and the memory effects derived from them.
class Tile_AccessOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<AccessOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]>;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Tile_AllocOp : Tile_Op<"alloc", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "on-chip buffer of a block";
  let description = [{
    Reserves a buffer with undefined contents; it lives to the end of the
    enclosing block of its function or `tile.launch`. Each execution may return
    the same memory, so contents do not survive re-execution.

    `name` is how diagnostics and plans call the buffer. `versions` says how
    many copies multi-buffering makes of it (written by `--pipeline-planning`,
    ended by `--multi-buffer-versioning`). `offset` is its byte offset in the
    memory space (written by `--tile-allocate-memory`, read by targets).

    Preconditions:
    1. The result has a static shape and an identity layout.
    2. `versions` is at least 1, `offset` at least 0.

    Postconditions: the result aliases no other buffer.

    Example:
    ```mlir
    %As = tile.alloc {name = "As"} : memref<64x32xf16, #tile.space<shared>>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name,
                       OptionalAttr<I64Attr>:$versions,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let builders = [
    OpBuilder<(ins "::mlir::MemRefType":$type, CArg<"::llvm::StringRef", "{}">:$name)>
  ];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getType() {
      return ::llvm::cast<::mlir::MemRefType>(getResult().getType());
    }
  }];
  let hasVerifier = 1;
}

def Tile_SlotOp : Tile_Op<"slot", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "one version of a multi-buffered tile";
  let description = [{
    View of element `index` of the leading (version) dimension.

    Preconditions:
    1. The result type is the source type without its leading dimension.
    2. The source has a static shape and an identity layout.
    3. `index` is less than the leading dimension (undefined behaviour else).

    Example:
    ```mlir
    %v = tile.slot %As[%i] : memref<3x64x32xf16> -> memref<64x32xf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Index:$index);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat =
      "$source `[` $index `]` attr-dict `:` type($source) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$index)>];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

class Tile_CopyLikeOp<string mnemonic, list<Trait> traits = []>
    : Tile_AccessOp<mnemonic, traits # [AttrSizedOperandSegments]> {
  dag copyArguments = (ins
    AnyMemRef:$source, AnyMemRef:$target,
    Variadic<Index>:$source_offsets, Variadic<Index>:$target_offsets,
    Variadic<Index>:$sizes,
    Optional<AnyType>:$fill, Optional<I1>:$guard,
    DenseI64ArrayAttr:$static_source_offsets,
    DenseI64ArrayAttr:$static_target_offsets,
    DenseI64ArrayAttr:$static_sizes,
    OptionalAttr<DenseI64ArrayAttr>:$dims);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  code copyDeclarations = [{
    ::mlir::MemRefType getSourceType() {
      return ::llvm::cast<::mlir::MemRefType>(getSource().getType());
    }
    ::mlir::MemRefType getTargetType() {
      return ::llvm::cast<::mlir::MemRefType>(getTarget().getType());
    }
    /// Offsets and extents, static ones as attributes.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSourceOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedTargetOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
    /// The dimension of the source (target) that region dimension `i` runs over.
    ::llvm::SmallVector<int64_t> getSourceDims();
    ::llvm::SmallVector<int64_t> getTargetDims();
  }];
}

def Tile_CopyOp : Tile_CopyLikeOp<"copy"> {
  let summary = "copy a rectangular region between buffers";
  let description = [{
    Copies the region of extents `sizes` that starts at `source_offsets` in the
    source to `target_offsets` in the target, converting the element type where
    the two differ (float to float rounds to nearest even, integers are signed,
    float to integer truncates; what does not fit becomes the nearest integer that
    does, and no number becomes 0).

    *Tails.* An element that lies outside the source is read as `fill`, or zero
    without one; an element that lies outside the target is not written. Nothing
    outside a buffer is ever accessed. *Guard.* With `if %g` the copy happens
    only where `%g` is true; the target keeps its contents otherwise. *Overlap.*
    Regions of one buffer must be equal or disjoint; what the target holds is
    undefined where they only overlap.

    Offsets default to zero. `sizes` defaults to the shape of the side of lower
    rank; where ranks are equal, to that of the side that is on chip if only the
    target is global, else to that of the target. Where ranks differ, the region runs
    over the dimensions `dims` of the side of higher rank (by default its last
    ones) and has extent 1 in the others.

    Preconditions:
    1. There is one offset for each dimension of its side, and one size for each
       dimension of the side of lower rank.
    2. `dims` is given only where ranks differ; it is increasing, in range and
       as long as `sizes`.
    3. Element types are integers or floats that convert into each other.
    4. `fill` has the element type of the target.
    5. Static sizes are not negative; static target offsets are in bounds.

    Example:
    ```mlir
    tile.copy %A[%i, %k] to %As : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
    tile.copy %KV[%page, 0, 0] to %S[0, 8] sizes [64, 8] fill %z : f16 if %g
        : memref<9x64x8xf16> to memref<64x16xf16, #tile.space<shared>>
    ```
  }];
  let arguments = copyArguments;
  let extraClassDeclaration = copyDeclarations;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$sourceOffsets,
                   "::mlir::Value":$target,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$targetOffsets,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
                   CArg<"::llvm::ArrayRef<int64_t>", "{}">:$dims,
                   CArg<"::mlir::Value", "{}">:$fill,
                   CArg<"::mlir::Value", "{}">:$guard)>
  ];
  let hasCanonicalizer = 1;
}

def Tile_AsyncCopyOp : Tile_CopyLikeOp<"async.copy"> {
  let summary = "start an asynchronous copy";
  let description = [{
    As `tile.copy`, but only *starts* the copy: it may read the source and write
    the target at any time until a wait on the group of its token returns. Until
    then the target region holds undefined data and the source region must not
    be written.

    Preconditions: those of `tile.copy`, and
    6. The element types are equal.
    7. The path between the two memory spaces is asynchronous on the target
       (checked by targets, not by the verifier).

    Example:
    ```mlir
    %t = tile.async.copy %A[%i, %k] to %As
        : memref<?x?xf16> to memref<64x32xf16, #tile.space<shared>>
    %g = tile.async.commit %t
    tile.async.wait %g
    ```
  }];
  let arguments = copyArguments;
  let results = (outs Tile_TokenType:$token);
  let extraClassDeclaration = copyDeclarations;
}

def Tile_AsyncCommitOp : Tile_Op<"async.commit", [MemoryEffects<[MemWrite<Tile_AsyncQueue>]>]> {
  let summary = "put asynchronous copies into one group";
  let description = [{
    Closes a group of all the copies started since the last commit; the operands
    name those whose tokens are at hand (a copy in a nested loop has none that is
    visible here). Groups complete in the order of their commits. A group without
    copies is complete when it is the oldest one.

    Example: `%g = tile.async.commit %a, %b`, and `tile.async.commit ()` without
    copies.
  }];
  let arguments = (ins Variadic<Tile_TokenType>:$copies);
  let results = (outs Tile_TokenType:$group);
  let assemblyFormat = "custom<CommittedCopies>($copies) attr-dict";
}

def Tile_AsyncNoneOp : Tile_Op<"async.none", [Pure]> {
  let summary = "a token that is already complete";
  let description = [{
    The token of a copy that was not made. Example: `%t = tile.async.none`
  }];
  let results = (outs Tile_TokenType:$token);
  let assemblyFormat = "attr-dict";
}

def Tile_AsyncWaitOp : Tile_Op<"async.wait", [MemoryEffects<[MemRead<Tile_AsyncQueue>, MemWrite<Tile_AsyncQueue>]>]> {
  let summary = "wait for groups of asynchronous copies";
  let description = [{
    With tokens only: returns once the groups of the tokens are complete. A
    target that can only count waits for everything.
    With `pending = n`: returns once at most the `n` most recently committed
    groups are incomplete; the tokens, if any, say what the count is for, and
    the count must complete them. `--async-wait-relaxation` gives each wait that
    has none the largest right count, and leaves counts that are already there.

    Preconditions:
    1. There is a token or a `pending` count.
    2. `pending` is not negative.

    Example:
    ```mlir
    tile.async.wait %g
    tile.async.wait %g pending = 2
    tile.async.wait pending = 0
    ```
  }];
  let arguments = (ins Variadic<Tile_TokenType>:$tokens, OptionalAttr<I64Attr>:$pending);
  let assemblyFormat = "($tokens^)? (`pending` `=` $pending^)? attr-dict";
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Statements that compute
//===----------------------------------------------------------------------===//

def Tile_FillOp : Tile_AccessOp<"fill", [AttrSizedOperandSegments]> {
  let summary = "set a region to one value";
  let description = [{
    Preconditions:
    1. One offset and one size for each dimension of the target.
    2. The value has the element type of the target.
    3. The region is in bounds where it is static. Else elements of it that lie
       outside the target are not written.

    Example:
    ```mlir
    tile.fill %As with %zero : f16, memref<64x32xf16, #tile.space<shared>>
    tile.fill %As[0, 8] sizes [64, 8] with %zero : f16, memref<64x32xf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$target, AnyType:$value,
                       Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$target, "::mlir::Value":$value)>,
    OpBuilder<(ins "::mlir::Value":$target, "::mlir::Value":$value,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>
  ];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
}

def Tile_GemmOp : Tile_AccessOp<"gemm"> {
  let summary = "matrix multiplication of tiles";
  let description = [{
    `c += op(a) * op(b)`, or `c = op(a) * op(b)` with `clear`; `op` transposes
    where `transpose_a` (`transpose_b`) is set. Products are formed and
    accumulated in the element type of `c`.

    Preconditions:
    1. The operands have rank 2; extents agree where both are static.
    2. `a` and `b` have float elements where `c` has, integers where `c` has, and
       not wider ones.

    Example:
    ```mlir
    tile.gemm %As, %Bs, %C {transpose_b}
        : memref<64x32xf16>, memref<48x32xf16>, memref<64x48xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$a, AnyMemRef:$b, AnyMemRef:$c,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b,
                       UnitAttr:$clear);
  let assemblyFormat =
      "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_AccessOp<"reduce"> {
  let summary = "reduce a tile along one dimension";
  let description = [{
    Combines the elements of `source` along `dimension` into `target`, starting
    from the present contents of `target`, or from the neutral element with
    `clear`. `abssum` and `absmax` combine absolute values. `max` and `min` of
    floats ignore a NaN where the other value is a number. Elements are widened
    to the element type of the target before they are combined, in ascending
    index order.

    Preconditions:
    1. `dimension` is a dimension of the source.
    2. The target has the shape of the source without that dimension, or with
       extent 1 there.
    3. `and`, `or` and `xor` need integers.

    Example:
    ```mlir
    tile.reduce <max> %S into %m dimension 1 {clear}
        : memref<64x32xf32>, memref<64xf32>
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, AnyMemRef:$source,
                       AnyMemRef:$target, I64Attr:$dimension, UnitAttr:$clear);
  let assemblyFormat = [{
    $kind $source `into` $target `dimension` $dimension attr-dict
    `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "element-wise region over an index space";
  let description = [{
    Runs its body once for each point of the box `[0, extent)` of each
    dimension, in an unspecified order (the lowering of `T.Parallel`). Bodies of
    different points may not depend on each other except through `tile.atomic`.

    Preconditions:
    1. There is one `index` block argument for each extent, and at least one.
    2. The body is terminated by a `tile.yield` without operands.
    3. No static extent is negative.

    Example:
    ```mlir
    tile.map (%i, %j) in [64, %n] {
      %x = memref.load %S[%i, %j] : memref<64x32xf32>
      %y = math.exp2 %x : f32
      memref.store %y, %S[%i, %j] : memref<64x32xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents, DenseI64ArrayAttr:$static_extents);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::ArrayRef<::mlir::OpFoldResult>":$extents,
      CArg<"::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>",
           "nullptr">:$body)>
  ];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedExtents();
  }];
}

def Tile_AtomicOp : Tile_AccessOp<"atomic"> {
  let summary = "atomic update of one element";
  let description = [{
    Combines `value` into the element of `target` at `indices` as one indivisible
    update. Counts as a read and a write of that element.

    Preconditions:
    1. One index for each dimension of the target.
    2. The value has the element type of the target; `and`, `or` and `xor` need
       integers.

    Example: `tile.atomic <add> %v, %Y[%i] : f32, memref<64xf32>`
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, AnyType:$value,
                       AnyMemRef:$target, Variadic<Index>:$indices);
  let assemblyFormat = [{
    $kind $value `,` $target `[` $indices `]` attr-dict
    `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Tile_LaunchOp : Tile_Op<"launch", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "grid of blocks that run the same program";
  let description = [{
    Runs its body once for each point of the grid. Blocks are independent of each
    other but for atomics on global memory; each has its own on-chip buffers.
    `threads` is the number of threads of a block, for targets that have them. A
    grid with a zero extent runs nothing.

    Preconditions:
    1. One to three extents, and one `index` block argument for each.
    2. `threads` is at least 1.
    3. No static extent is negative.

    Example:
    ```mlir
    tile.launch (%bx, %by) in [%gx, 4] threads = 128 {
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents,
                       DenseI64ArrayAttr:$static_extents, I64Attr:$threads);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::ArrayRef<::mlir::OpFoldResult>":$extents, "int64_t":$threads,
      CArg<"::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>",
           "nullptr">:$body)>
  ];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedExtents();
  }];
}

def Tile_PipelineOp : Tile_Op<"pipeline", [
    AutomaticAllocationScope, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<LoopLikeOpInterface,
      ["getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds",
       "getLoopSteps", "getRegionIterArgs",
       "getYieldedValuesMutable", "getLoopResults"]>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>,
    AllTypesMatch<["lower", "upper", "step"]>]> {
  let summary = "serial loop whose iterations may be overlapped";
  let description = [{
    Runs its body for `iv = lower, lower + step, ...` while `iv < upper` (while
    `iv > upper` if `step` is a negative constant). A step that is not a constant
    is positive, and `upper + step` must not overflow. As a program it *is* this serial loop, in every phase before
    expansion; the attributes only say how to overlap its iterations.

    * `num_stages = n`: 0 is no pipeline; 1 keeps one buffer and asks for no
      overlap; otherwise the upper bound on the buffers between a producer and its
      consumer.
    * `stage`, `order`: manual schedule, one entry for each scheduled statement in
      source order.
    * `schedule`: what `--pipeline-planning` decided (see
      `#tile.pipeline_schedule`); the statements then carry `tile.stage`.

    Scheduled statements are the operations of the body that have memory effects.
    Pure operations, and reads of memory that the loop does not write, are replayed
    at each user with the user's iteration; a read of a buffer that the loop writes
    is a statement.

    Preconditions:
    1. `num_stages` is not negative.
    2. `stage` and `order` are given together, have the same length, and hold no
       negative number; `order` holds no number twice.
    3. The body has one argument for the induction variable and one for each init,
       and yields one value for each init, of the same types.
    4. `step` is not the constant 0.

    Example:
    ```mlir
    tile.pipeline %k = %c0 to %n step %c1 num_stages = 3 {
      tile.copy %A[%i, %k] to %As : ...
      tile.copy %B[%k, %j] to %Bs : ...
      tile.gemm %As, %Bs, %C : ...
    }
    %last = tile.pipeline %k = %c0 to %n step %c1 iter_args(%x = %init) -> (f32)
        stage = [0, 1] order = [1, 0] { ... tile.yield %y : f32 }
    ```
  }];
  let arguments = (ins Index:$lower, Index:$upper, Index:$step,
                       Variadic<AnyType>:$inits,
                       OptionalAttr<I64Attr>:$num_stages,
                       OptionalAttr<DenseI64ArrayAttr>:$stage,
                       OptionalAttr<DenseI64ArrayAttr>:$order,
                       OptionalAttr<Tile_PipelineScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$lower, "::mlir::Value":$upper,
                   "::mlir::Value":$step,
                   CArg<"::mlir::ValueRange", "{}">:$inits,
                   CArg<"::mlir::IntegerAttr", "{}">:$numStages)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Value getInductionVar() { return getBody().getArgument(0); }
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    /// The number of iterations if bounds and step are constants.
    std::optional<int64_t> getConstantTripCount();
    /// The constant step, if it is one.
    std::optional<int64_t> getStaticStep();
  }];
}

def Tile_IterationOp : Tile_Op<"iteration", [Pure]> {
  let summary = "number of the current iteration, from 0";
  let description = [{
    `(iv - lower) / step` of the `tile.pipeline` whose induction variable it
    names.

    Preconditions:
    1. The operand is the induction variable of a `tile.pipeline`.

    Example: `%n = tile.iteration %k`
  }];
  let arguments = (ins Index:$iv);
  let results = (outs Index:$result);
  let assemblyFormat = "$iv attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["MapOp", "LaunchOp", "PipelineOp"]>]> {
  let summary = "end of a tile region";
  let description = [{
    Ends a region and gives the values of the next iteration of a
    `tile.pipeline`. Example: `tile.yield %x : f32`
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
}

#endif // TILEPIPE_DIALECT_TILE_IR_TILEOPS_TD
