//===- AscendStructureOps.td - Functions and indices of cores  -*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_ASCEND_IR_ASCENDSTRUCTUREOPS_TD
#define TILEPIPE_DIALECT_ASCEND_IR_ASCENDSTRUCTUREOPS_TD

def Ascend_FuncOp : Ascend_Op<"func", [
    AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "kernel of one kind of core";
  let description = [{
    Runs once on each block of the grid. A kernel for both kinds of cores is two
    functions with the same arguments and the unit attribute `mix`: the `cube`
    function is named `<kernel>_mix_aic`, the `vector` function `<kernel>_mix_aiv`
    and runs on both vector cores of the block (`ascend.sub_block_idx`).

    Memref arguments are global memory. `{ascend.name = "A"}` on an argument is
    what the printer calls it; `{ascend.workspace}` marks scratch memory through
    which the two kinds of cores pass tiles.

    Preconditions:
    1. Arguments are memrefs in global memory with an identity layout, or
       integers, floats and indices. There are no results.
    2. With `mix` the name ends in `_mix_aic` (`cube`) or `_mix_aiv` (`vector`).

    Example:
    ```mlir
    ascend.func @vadd(%X: memref<?xf32> {ascend.name = "X"}, %n: index)
        attributes {core = #ascend.core<vector>} {
      ...
      ascend.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       Ascend_CoreAttr:$core, UnitAttr:$mix,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                   "::tilepipe::ascend::Core":$core, CArg<"bool", "false">:$mix)>
  ];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    bool isCube() { return getCore() == Core::Cube; }
  }];
}

def Ascend_ReturnOp : Ascend_Op<"return", [Pure, Terminator, ReturnLike, HasParent<"FuncOp">]> {
  let summary = "end of a kernel";
  let description = "Example: `ascend.return`";
  let assemblyFormat = "attr-dict";
}

class Ascend_IndexOp<string mnemonic, string text> : Ascend_Op<mnemonic, [Pure]> {
  let summary = text;
  let description = "Example: `%i = ascend." # mnemonic # "`";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}
def Ascend_BlockIdxOp : Ascend_IndexOp<"block_idx", "number of the block in the grid"> {
  let description = [{
    `blocks` is the number of blocks of the grid, where it is a constant: results are less than
    that.

    Example: `%i = ascend.block_idx {blocks = 4 : i64}`
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$blocks);
}
def Ascend_BlockNumOp : Ascend_IndexOp<"block_num", "number of blocks of the grid">;
def Ascend_SubBlockIdxOp
    : Ascend_IndexOp<"sub_block_idx", "number of the vector core in its block, 0 or 1">;

/// An instruction of a pipe: what it accesses is its memory effect.
class Ascend_PipeOp<string mnemonic, list<Trait> traits = []>
    : Ascend_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<PipeOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let hasVerifier = 1;
}

def Ascend_ScalarLoadOp : Ascend_PipeOp<"scalar_load"> {
  let summary = "read one element by the scalar stream";
  let description = [{
    Pipe `s`.

    Preconditions:
    1. The buffer is in the UB or in global memory; the result has its element
       type.

    Example: `%x = ascend.scalar_load %m[%i] : memref<64xf32, #tile.space<ub>>`
  }];
  let arguments = (ins AnyMemRef:$buffer, Index:$offset);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$buffer `[` $offset `]` attr-dict `:` type($buffer) `->` type($result)";
}

def Ascend_ScalarStoreOp : Ascend_PipeOp<"scalar_store"> {
  let summary = "write one element by the scalar stream";
  let description = [{
    Pipe `s`.

    Preconditions:
    1. The buffer is in the UB or in global memory; the value has its element
       type.

    Example: `ascend.scalar_store %x, %m[%i] : f32, memref<64xf32, #tile.space<ub>>`
  }];
  let arguments = (ins AnyType:$value, AnyMemRef:$buffer, Index:$offset);
  let assemblyFormat = "$value `,` $buffer `[` $offset `]` attr-dict `:` type($value) `,` type($buffer)";
}

#endif // TILEPIPE_DIALECT_ASCEND_IR_ASCENDSTRUCTUREOPS_TD
