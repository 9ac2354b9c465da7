//===- AscendVectorOps.td - Vector instructions --------------- -*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_ASCEND_IR_ASCENDVECTOROPS_TD
#define TILEPIPE_DIALECT_ASCEND_IR_ASCENDVECTOROPS_TD

// All run on pipe `v` and have operands in the UB. Two forms:
//
// *Count form*, `count %n`: the first `n` elements, next to each other, any `n`.
//
// *Norm form*, `count %n repeat %r blocks [d, s...] repeats [d, s...]`: `r`
// repeats of `n` elements, `n` at most 256 bytes (8 blocks of 32 bytes). Block
// `b` of repeat `i` of an operand is at `(i * repeats + b * blocks) * 32 bytes`
// from its start; a stride of 0 uses one block again and again.

/// A vector instruction: `dag` are its own arguments before the buffers.
class Ascend_VectorOp<string mnemonic> : Ascend_PipeOp<mnemonic> {
  dag form = (ins Index:$count, Optional<Index>:$repeat,
                  OptionalAttr<DenseI64ArrayAttr>:$blocks,
                  OptionalAttr<DenseI64ArrayAttr>:$repeats);
  string formFormat = [{
    `count` $count (`repeat` $repeat^ `blocks` $blocks `repeats` $repeats)? attr-dict
  }];
}

/// Two buffers.
class Ascend_VectorOp1<string mnemonic, dag own, string ownFormat>
    : Ascend_VectorOp<mnemonic> {
  let arguments = !con(own, (ins AnyMemRef:$target, Index:$target_offset,
                                 AnyMemRef:$source, Index:$source_offset), form);
  let assemblyFormat = ownFormat # [{ $target `[` $target_offset `]` `,` $source `[` $source_offset `]` }]
      # formFormat # "`:` type($target) `,` type($source)";
}

def Ascend_VUnaryOp
    : Ascend_VectorOp1<"vunary", (ins Ascend_UnaryKindAttr:$kind), "$kind"> {
  let summary = "function of one vector";
  let description = [{
    `target = kind(source)`; `rec` and `rsqrt` are the machine's approximations.

    Preconditions:
    1. UB buffers of one element type, f16 or f32.
    2. In norm form one stride for each buffer, target first.
    3. Limits: repeat <= 255, block and repeat strides from 0 to 255, at most 256
       bytes a repeat.

    Example:
    ```mlir
    ascend.vunary <exp> %y[%c0], %x[%c0] count %n
        : memref<64xf32, #tile.space<ub>>, memref<64xf32, #tile.space<ub>>
    ascend.vunary <exp> %y[%c0], %x[%c0] count %c64 repeat %r blocks [1, 1] repeats [8, 8] : ...
    ```
  }];
}

def Ascend_VBinaryOp : Ascend_VectorOp<"vbinary"> {
  let summary = "function of two vectors";
  let description = [{
    `target = kind(lhs, rhs)`.

    Preconditions:
    1. UB buffers of one element type: f16, f32, i16 or i32; `div` needs floats.
    2. In norm form one stride for each buffer: target, lhs, rhs.
    3. Limits as for `ascend.vunary`.

    Example:
    ```mlir
    ascend.vbinary <add> %z[%c0], %x[%c0], %y[%c0] count %n : ...
    ascend.vbinary <sub> %z[%c0], %x[%c0], %b[%c0] count %c64 repeat %r
        blocks [1, 1, 0] repeats [8, 8, 1]
        : memref<16x64xf32, #tile.space<ub>>, memref<16x64xf32, #tile.space<ub>>,
          memref<16x8xf32, #tile.space<ub>>
    ```
  }];
  let arguments = !con((ins Ascend_BinaryKindAttr:$kind,
                       AnyMemRef:$target, Index:$target_offset, AnyMemRef:$lhs, Index:$lhs_offset,
                       AnyMemRef:$rhs, Index:$rhs_offset), form);
  let assemblyFormat = [{
    $kind $target `[` $target_offset `]` `,` $lhs `[` $lhs_offset `]` `,` $rhs `[` $rhs_offset `]`
  }] # formFormat # "`:` type($target) `,` type($lhs) `,` type($rhs)";
}

def Ascend_VScalarOp : Ascend_VectorOp<"vscalar"> {
  let summary = "function of a vector and a scalar";
  let description = [{
    `target = kind(source, scalar)`.

    Preconditions:
    1. UB buffers of one element type, which the scalar has: f16, f32, i16 or i32.
    2. In norm form one stride for each buffer, target first.
    3. Limits as for `ascend.vunary`.

    Example:
    ```mlir
    ascend.vscalar <muls> %y[%c0], %x[%c0], %s count %n
        : memref<64xf32, #tile.space<ub>>, memref<64xf32, #tile.space<ub>>, f32
    ```
  }];
  let arguments = !con((ins Ascend_ScalarKindAttr:$kind,
                       AnyMemRef:$target, Index:$target_offset,
                       AnyMemRef:$source, Index:$source_offset, AnyType:$scalar), form);
  let assemblyFormat = [{
    $kind $target `[` $target_offset `]` `,` $source `[` $source_offset `]` `,` $scalar
  }] # formFormat # "`:` type($target) `,` type($source) `,` type($scalar)";
}

def Ascend_VDupOp : Ascend_VectorOp<"vdup"> {
  let summary = "set a vector to one value";
  let description = [{
    Preconditions:
    1. A UB buffer of f16, bf16, f32, i16 or i32, and a scalar of that type.
    2. In norm form one stride.
    3. Limits as for `ascend.vunary`.

    Example: `ascend.vdup %x[%c0], %zero count %n : memref<64xf32, #tile.space<ub>>, f32`
  }];
  let arguments = !con((ins AnyMemRef:$target, Index:$target_offset, AnyType:$scalar), form);
  let assemblyFormat = [{ $target `[` $target_offset `]` `,` $scalar }]
      # formFormat # "`:` type($target) `,` type($scalar)";
}

def Ascend_VConvertOp
    : Ascend_VectorOp1<"vconvert", (ins Ascend_RoundModeAttr:$round), "$round"> {
  let summary = "convert the elements of a vector";
  let description = [{
    Preconditions:
    1. UB buffers; f16 to f32, bf16 to f32, i32 to f32, f32 to f16, f32 to bf16,
       f32 to i32, f32 to f32 (rounds to integers), i8 to f16 and f16 to i8.
    2. `round` is `none` where nothing is lost (f16 and bf16 to f32, i8 to f16),
       and may be for f32 to f16 and i32 to f32 (the machine's default).
    3. In norm form one stride for each buffer, target first; a repeat is 256
       bytes of the wider type.
    4. Limits as for `ascend.vunary`.

    Example:
    ```mlir
    ascend.vconvert <rint> %h[%c0], %x[%c0] count %n
        : memref<64xf16, #tile.space<ub>>, memref<64xf32, #tile.space<ub>>
    ```
  }];
}

def Ascend_VReduceOp : Ascend_PipeOp<"vreduce"> {
  let summary = "reduce each repeat, or each block of it, to one value";
  let description = [{
    For each repeat `i` combines the `count` elements (at most 256 bytes) that
    start at `source + i * stride * 32 bytes` into one value, written to
    `target + i * target_stride`. With `by_block` each block of 32 bytes becomes
    one value: eight values a repeat, written to `target + i * target_stride * 8`.

    Preconditions:
    1. UB buffers of one element type, f16 or f32.
    2. `target_stride` is at least 1, `stride` at least 0.
    3. Limits: repeat <= 255, `target_stride` <= 65535, `stride` <= 65535.

    Example:
    ```mlir
    ascend.vreduce <max> %m[%c0], %x[%c0] count %c64 repeat %r stride 8 target_stride 1
        : memref<16xf32, #tile.space<ub>>, memref<16x64xf32, #tile.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_ReduceKindAttr:$kind, AnyMemRef:$target, Index:$target_offset,
                       AnyMemRef:$source, Index:$source_offset, Index:$count,
                       Index:$repeat, I64Attr:$stride, I64Attr:$target_stride, UnitAttr:$by_block);
  let assemblyFormat = [{
    $kind $target `[` $target_offset `]` `,` $source `[` $source_offset `]`
    `count` $count `repeat` $repeat `stride` $stride `target_stride` $target_stride
    (`by_block` $by_block^)? attr-dict `:` type($target) `,` type($source)
  }];
}

def Ascend_VBroadcastOp : Ascend_PipeOp<"vbroadcast"> {
  let summary = "fill a block with each value";
  let description = [{
    Value `e` of the `8 * repeat` first values of the source fills the block of 32
    bytes number `e` of the target.

    Preconditions:
    1. UB buffers of one element type of 2 or 4 bytes.
    2. Limits: repeat <= 255.

    Example:
    ```mlir
    ascend.vbroadcast %b[%c0], %m[%c0] repeat %c2
        : memref<16x8xf32, #tile.space<ub>>, memref<16xf32, #tile.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$target, Index:$target_offset,
                       AnyMemRef:$source, Index:$source_offset, Index:$repeat);
  let assemblyFormat = [{
    $target `[` $target_offset `]` `,` $source `[` $source_offset `]` `repeat` $repeat
    attr-dict `:` type($target) `,` type($source)
  }];
}

def Ascend_VCompareOp : Ascend_PipeOp<"vcompare"> {
  let summary = "compare two vectors to bits";
  let description = [{
    Bit `e` of `target` says whether `kind` holds for element `e` of `lhs` and
    `rhs`, for all elements of `repeat` repeats of 256 bytes, next to each other.

    Preconditions:
    1. UB buffers; `lhs` and `rhs` have one element type, f16 or f32; the target
       has i8 elements.
    2. Limits: repeat <= 255.

    Example:
    ```mlir
    ascend.vcompare <lt> %bits[%c0], %x[%c0], %y[%c0] repeat %r
        : memref<32xi8, #tile.space<ub>>, memref<256xf32, #tile.space<ub>>,
          memref<256xf32, #tile.space<ub>>
    ```
  }];
  let arguments = (ins Ascend_CompareKindAttr:$kind, AnyMemRef:$target, Index:$target_offset,
                       AnyMemRef:$lhs, Index:$lhs_offset, AnyMemRef:$rhs, Index:$rhs_offset,
                       Index:$repeat);
  let assemblyFormat = [{
    $kind $target `[` $target_offset `]` `,` $lhs `[` $lhs_offset `]` `,` $rhs `[` $rhs_offset `]`
    `repeat` $repeat attr-dict `:` type($target) `,` type($lhs) `,` type($rhs)
  }];
}

def Ascend_VSelectOp : Ascend_PipeOp<"vselect"> {
  let summary = "choose elements of two vectors by bits";
  let description = [{
    Element `e` of `target` is that of `lhs` where bit `e` of `bits` is set, else
    that of `rhs`, for all elements of `repeat` repeats of 256 bytes.

    Preconditions:
    1. UB buffers; `target`, `lhs` and `rhs` have one element type, f16 or f32; the
       bits have i8 elements.
    2. Limits: repeat <= 255.

    Example:
    ```mlir
    ascend.vselect %z[%c0], %bits[%c0], %x[%c0], %y[%c0] repeat %r : ...
    ```
  }];
  let arguments = (ins AnyMemRef:$target, Index:$target_offset, AnyMemRef:$bits, Index:$bits_offset,
                       AnyMemRef:$lhs, Index:$lhs_offset, AnyMemRef:$rhs, Index:$rhs_offset,
                       Index:$repeat);
  let assemblyFormat = [{
    $target `[` $target_offset `]` `,` $bits `[` $bits_offset `]` `,`
    $lhs `[` $lhs_offset `]` `,` $rhs `[` $rhs_offset `]` `repeat` $repeat attr-dict
    `:` type($target) `,` type($bits) `,` type($lhs) `,` type($rhs)
  }];
}

def Ascend_UbCopyOp : Ascend_PipeOp<"ub_copy"> {
  let summary = "blocks of the UB to another place in it";
  let description = [{
    Pipe `v`. Copies `bursts` times `blocks` blocks of 32 bytes; the gaps are the
    blocks that are skipped after each burst.

    Preconditions:
    1. UB buffers of one element type.
    2. Limits: bursts <= 4095, blocks and gaps <= 65535.

    Example:
    ```mlir
    ascend.ub_copy %x[%c0] to %y[%c0] bursts %r blocks %b gaps %c0, %c0
        : memref<16x64xf32, #tile.space<ub>>, memref<16x64xf32, #tile.space<ub>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Index:$source_offset,
                       AnyMemRef:$target, Index:$target_offset, Index:$bursts,
                       Index:$blocks, Index:$source_gap, Index:$target_gap);
  let assemblyFormat = [{
    $source `[` $source_offset `]` `to` $target `[` $target_offset `]`
    `bursts` $bursts `blocks` $blocks `gaps` $source_gap `,` $target_gap attr-dict
    `:` type($source) `,` type($target)
  }];
}

#endif // TILEPIPE_DIALECT_ASCEND_IR_ASCENDVECTOROPS_TD
