//===- AscendCopyOps.td - Copies and the matrix unit ---------- -*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_ASCEND_IR_ASCENDCOPYOPS_TD
#define TILEPIPE_DIALECT_ASCEND_IR_ASCENDCOPYOPS_TD

//===----------------------------------------------------------------------===//
// Global memory to L1
//===----------------------------------------------------------------------===//

def Ascend_Nd2NzOp : Ascend_PipeOp<"nd2nz"> {
  let summary = "rows of global memory to fractals of L1";
  let description = [{
    Pipe `mte2`. With `C0 = 32 bytes / element size`, copies element `(i, j)`,
    `i < rows`, `j < columns`, from `source + i * stride + j` to
    `target + (j / C0) * pitch * C0 + i * C0 + j % C0`. `pitch` is the number of
    rows of the L1 tile. Where `columns` is no multiple of `C0` the rest of the
    last 32 bytes of a row becomes zero; rows past `rows` are not written.

    Preconditions:
    1. From global memory to L1, equal element types of 1, 2 or 4 bytes.
    2. Limits: rows <= 16384, columns <= 65535, stride <= 65535, pitch <= 16384.

    Example:
    ```mlir
    ascend.nd2nz %A[%o] to %As[%c0] rows %r columns %c stride %K pitch %c128
        : memref<?x?xf16>, memref<128x32xf16, #tile.space<l1>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Index:$source_offset,
                       AnyMemRef:$target, Index:$target_offset,
                       Index:$rows, Index:$columns, Index:$stride, Index:$pitch);
  let assemblyFormat = [{
    $source `[` $source_offset `]` `to` $target `[` $target_offset `]`
    `rows` $rows `columns` $columns `stride` $stride `pitch` $pitch attr-dict
    `:` type($source) `,` type($target)
  }];
}

def Ascend_CopyToL1Op : Ascend_PipeOp<"copy_to_l1"> {
  let summary = "blocks of global memory to L1 as they are";
  let description = [{
    Pipe `mte2`. Copies `bursts` times `blocks` blocks of 32 bytes; `source_gap`
    and `target_gap` are the blocks that are skipped after each burst.

    Preconditions:
    1. From global memory to L1, equal element types.
    2. Limits: bursts <= 4095, blocks and gaps <= 65535.

    Example:
    ```mlir
    ascend.copy_to_l1 %A[%o] to %As[%c0] bursts %n blocks %b gaps %g, %c0
        : memref<?xf16>, memref<128x32xf16, #tile.space<l1>>
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

def Ascend_FillL1Op : Ascend_PipeOp<"fill_l1"> {
  let summary = "set blocks of L1 to one value";
  let description = [{
    Pipe `mte2`. Writes `value` to `repeat` times `blocks` blocks of 32 bytes;
    `gap` blocks are skipped after each repeat.

    Preconditions:
    1. The target is in L1 and has elements of 2 or 4 bytes, of the type of the
       value.
    2. Limits: repeat, blocks and gap <= 32767.

    Example:
    ```mlir
    ascend.fill_l1 %As[%o] with %zero repeat %r blocks %b gap %g
        : f16, memref<128x32xf16, #tile.space<l1>>
    ```
  }];
  let arguments = (ins AnyMemRef:$target, Index:$target_offset, AnyType:$value,
                       Index:$repeat, Index:$blocks, Index:$gap);
  let assemblyFormat = [{
    $target `[` $target_offset `]` `with` $value `repeat` $repeat `blocks` $blocks
    `gap` $gap attr-dict `:` type($value) `,` type($target)
  }];
}

//===----------------------------------------------------------------------===//
// The matrix unit
//===----------------------------------------------------------------------===//

def Ascend_LoadL0Op : Ascend_PipeOp<"load_l0"> {
  let summary = "fractals of L1 to L0A or L0B";
  let description = [{
    Pipe `mte1`. Copies `repeat` fractals of 512 bytes: number `r` goes from
    `source + r * stride * 512 bytes` to `target + r * (gap + 1) * 512 bytes`.
    With `transpose` each fractal, a square of 16 x 16 elements, is transposed.

    Preconditions:
    1. From L1 to L0A or L0B, equal element types.
    2. `transpose` needs elements of 2 bytes.
    3. Limits: repeat from 1 to 255, stride and gap <= 65535.

    Example:
    ```mlir
    ascend.load_l0 %As[%o] to %A0[%p] repeat %k1 stride %m1 gap %c0
        : memref<128x32xf16, #tile.space<l1>>, memref<128x32xf16, #tile.space<l0a>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Index:$source_offset,
                       AnyMemRef:$target, Index:$target_offset, Index:$repeat,
                       Index:$stride, Index:$gap, UnitAttr:$transpose);
  let assemblyFormat = [{
    $source `[` $source_offset `]` `to` $target `[` $target_offset `]`
    `repeat` $repeat `stride` $stride `gap` $gap (`transpose` $transpose^)? attr-dict
    `:` type($source) `,` type($target)
  }];
}

def Ascend_MmaOp : Ascend_PipeOp<"mma"> {
  let summary = "multiply tiles of L0A and L0B into L0C";
  let description = [{
    Pipe `m`. `c = a * b` where `init` is true, else `c += a * b`; `a` is `m x k`
    in ZZ, `b` is `k x n` in ZN, `c` is `m x n` in NZ, each in whole fractals.

    Preconditions:
    1. `c` is in L0C, `a` in L0A, `b` in L0B.
    2. f16, f16 or bf16, bf16 or f32, f32 gives f32; i8, i8 gives i32.
    3. Limits: m, k and n from 1 to 4095; m is not 1 (the machine would read `a`
       as a vector).

    Example:
    ```mlir
    ascend.mma %C0[%c0], %A0[%c0], %B0[%c0] m %m k %k n %n init %first
        : memref<128x128xf32, #tile.space<l0c>>,
          memref<128x32xf16, #tile.space<l0a>>, memref<32x128xf16, #tile.space<l0b>>
    ```
  }];
  let arguments = (ins AnyMemRef:$c, Index:$c_offset, AnyMemRef:$a, Index:$a_offset,
                       AnyMemRef:$b, Index:$b_offset,
                       Index:$m, Index:$k, Index:$n, I1:$init);
  let assemblyFormat = [{
    $c `[` $c_offset `]` `,` $a `[` $a_offset `]` `,` $b `[` $b_offset `]`
    `m` $m `k` $k `n` $n `init` $init attr-dict
    `:` type($c) `,` type($a) `,` type($b)
  }];
}

def Ascend_FixpipeOp : Ascend_PipeOp<"fixpipe"> {
  let summary = "L0C to rows of global memory";
  let description = [{
    Pipe `fix`. Element `(i, j)`, `i < m`, `j < n`, of the NZ tile with `pitch`
    rows goes to `target + i * stride + j`, converted to the element type of the
    target, and with `relu` not below zero.

    Preconditions:
    1. From L0C to global memory; f32 gives f32, f16 or bf16; i32 gives i32.
    2. Limits: m <= 8192, n from 1 to 4095, pitch <= 65535.

    Example:
    ```mlir
    ascend.fixpipe %C0[%c0] to %C[%o] m %m n %n pitch %c128 stride %N relu
        : memref<128x128xf32, #tile.space<l0c>>, memref<?x?xf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Index:$source_offset,
                       AnyMemRef:$target, Index:$target_offset,
                       Index:$m, Index:$n, Index:$pitch, Index:$stride, UnitAttr:$relu);
  let assemblyFormat = [{
    $source `[` $source_offset `]` `to` $target `[` $target_offset `]`
    `m` $m `n` $n `pitch` $pitch `stride` $stride (`relu` $relu^)? attr-dict
    `:` type($source) `,` type($target)
  }];
}

//===----------------------------------------------------------------------===//
// Global memory and UB
//===----------------------------------------------------------------------===//

class Ascend_RowCopyOp<string mnemonic, dag own = (ins), string ownFormat = "">
    : Ascend_PipeOp<mnemonic> {
  let assemblyFormat = [{
    $source `[` $source_offset `]` `to` $target `[` $target_offset `]`
    `rows` $rows `columns` $columns `stride` $stride `pitch` $pitch
  }] # ownFormat # [{ attr-dict `:` type($source) `,` type($target) }];
  let arguments = !con((ins AnyMemRef:$source, Index:$source_offset,
                       AnyMemRef:$target, Index:$target_offset,
                       Index:$rows, Index:$columns, Index:$stride, Index:$pitch), own);
}

def Ascend_LoadOp
    : Ascend_RowCopyOp<"load", (ins Optional<AnyType>:$pad),
                       "(`pad` $pad^ `:` type($pad))?"> {
  let summary = "rows of global memory to the UB";
  let description = [{
    Pipe `mte2`. Copies element `(i, j)`, `i < rows`, `j < columns`, from
    `source + i * stride + j` to `target + i * pitch + j`. The rest of the last 32 bytes of a row of the
    target becomes `pad`; without one, what it holds then is undefined.

    Preconditions:
    1. From global memory to the UB, equal element types of 1, 2 or 4 bytes.
    2. A row of the target starts at a multiple of 32 bytes; `stride` is not
       below `columns`.
    3. `pad` has the element type.
    4. Limits: rows <= 4095, a row <= 2 MiB, `pitch - columns` <= 65535 * 32 bytes.

    Example:
    ```mlir
    ascend.load %X[%o] to %x[%c0] rows %r columns %c stride %N pitch %c64
        : memref<?x?xf32>, memref<16x64xf32, #tile.space<ub>>
    ```
  }];
}

def Ascend_StoreOp : Ascend_RowCopyOp<"store"> {
  let summary = "rows of the UB to global memory";
  let description = [{
    Pipe `mte3`. Copies element `(i, j)`, `i < rows`, `j < columns`, from
    `source + i * pitch + j` to `target + i * stride + j`.

    Preconditions:
    1. From the UB to global memory, equal element types of 1, 2 or 4 bytes.
    2. As for `ascend.load`, with source and target exchanged.

    Example:
    ```mlir
    ascend.store %y[%c0] to %Y[%o] rows %r columns %c stride %N pitch %c64
        : memref<16x64xf32, #tile.space<ub>>, memref<?x?xf32>
    ```
  }];
}

#endif // TILEPIPE_DIALECT_ASCEND_IR_ASCENDCOPYOPS_TD
