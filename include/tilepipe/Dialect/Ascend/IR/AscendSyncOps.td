//===- AscendSyncOps.td - Flags and barriers ------------------ -*- tablegen -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_DIALECT_ASCEND_IR_ASCENDSYNCOPS_TD
#define TILEPIPE_DIALECT_ASCEND_IR_ASCENDSYNCOPS_TD

/// Flags, barriers and special registers: never removed, never reordered.
class Ascend_SyncOp<string mnemonic> : Ascend_Op<mnemonic, []> {
  let hasVerifier = 1;
}

class Ascend_FlagOp<string mnemonic> : Ascend_SyncOp<mnemonic> {
  let arguments = (ins Ascend_PipeAttr:$source, Ascend_PipeAttr:$target,
                       I64Attr:$id, Optional<Index>:$slot, OptionalAttr<I64Attr>:$slots);
  let assemblyFormat =
      "$source `to` $target `id` $id (`slot` $slot^ `of` $slots)? attr-dict";
}

def Ascend_SetFlagOp : Ascend_FlagOp<"set_flag"> {
  let summary = "a pipe says that it has come this far";
  let description = [{
    Queued to `source`: once all it did before is complete, sets the flag
    `(source, target, id + slot)`. A flag is set and waited for in turn: it must
    not be set while it is set.

    Preconditions:
    1. The pipes differ, and neither is `all`.
    2. Ids are from 0 to 7: `0 <= id`, and `id + slots <= 8` (`id < 8` without a
       slot).
    3. `slot` is less than `slots` (undefined behaviour else).

    Example:
    ```mlir
    ascend.set_flag <mte2> to <v> id 0
    ascend.set_flag <mte2> to <mte1> id 0 slot %s of 3
    ```
  }];
}

def Ascend_WaitFlagOp : Ascend_FlagOp<"wait_flag"> {
  let summary = "a pipe waits for what another one said";
  let description = [{
    Queued to `target`: it goes on when the flag `(source, target, id + slot)` is
    set, and clears it. Preconditions and example as for `ascend.set_flag`.
  }];
}

def Ascend_BarrierOp : Ascend_SyncOp<"barrier"> {
  let summary = "a pipe completes what it has begun";
  let description = [{
    Queued to the pipe: what is queued after it starts when all before it is
    complete. `all` makes the scalar stream wait for every pipe.

    Preconditions:
    1. The pipe is not `s`.

    Example: `ascend.barrier <v>`
  }];
  let arguments = (ins Ascend_PipeAttr:$pipe);
  let assemblyFormat = "$pipe attr-dict";
}

def Ascend_CrossSetOp : Ascend_SyncOp<"cross_set"> {
  let summary = "a pipe signals the cores of the other kind";
  let description = [{
    Queued to the pipe: once all it did before is complete, adds one to the
    counter `id + slot` of the receivers. Mode 2 is from a cube core to both its
    vector cores, and from them to it, which sees it when both have signalled;
    mode 1 is among the two vector cores; mode 0 among all cores of a kind. A
    counter must not exceed 15.

    Preconditions:
    1. The pipe is not `all` and not `s`; the mode is 0, 1 or 2.
    2. Ids are from 0 to 10.

    Example: `ascend.cross_set <fix> mode 2 id 0`
  }];
  let arguments = (ins Ascend_PipeAttr:$pipe, I64Attr:$mode, I64Attr:$id,
                       Optional<Index>:$slot, OptionalAttr<I64Attr>:$slots);
  let assemblyFormat =
      "$pipe `mode` $mode `id` $id (`slot` $slot^ `of` $slots)? attr-dict";
}

def Ascend_CrossWaitOp : Ascend_SyncOp<"cross_wait"> {
  let summary = "the scalar stream waits for cores of the other kind";
  let description = [{
    Waits until the counter `id + slot` is not zero, and takes one from it.

    Preconditions:
    1. Ids are from 0 to 10.

    Example: `ascend.cross_wait id 0 slot %s of 2`
  }];
  let arguments = (ins I64Attr:$id, Optional<Index>:$slot, OptionalAttr<I64Attr>:$slots);
  let assemblyFormat = "`id` $id (`slot` $slot^ `of` $slots)? attr-dict";
}

def Ascend_SetFftsBaseOp : Ascend_Op<"set_ffts_base"> {
  let summary = "where the cross-core counters are";
  let description = [{
    Needed once in a function that uses them; the host passes the address.
    Example: `ascend.set_ffts_base %address`
  }];
  let arguments = (ins I64:$address);
  let assemblyFormat = "$address attr-dict";
}

#endif // TILEPIPE_DIALECT_ASCEND_IR_ASCENDSYNCOPS_TD
