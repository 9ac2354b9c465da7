// RUN: tile-opt %s --tile-set-target="chip=toy models=%S/../../../Inputs/toy.mlir" | FileCheck %s --check-prefix=TOY
// RUN: not tile-opt %s --tile-set-target=chip=sm_42 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt %s --tile-set-target 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-opt %s --tile-set-target="chip=toy models=%S/nowhere.mlir" 2>&1 | FileCheck %s --check-prefix=NOFILE

// What a block may use, in bytes, must not change by accident.
// TOY: tile.target = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 233472, align = 16>]
// UNKNOWN: set-target.mlir:{{[0-9]+}}:1: error: unknown chip 'sm_42'; known chips are
// NONE: error: no chip given; known chips are
// NOFILE: could not open input file

module {
}
