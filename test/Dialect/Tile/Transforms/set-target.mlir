// RUN: tile-opt %s --tile-set-target=chip=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: tile-opt %s --tile-set-target=chip=sm_86 | FileCheck %s --check-prefix=SM86
// RUN: tile-opt %s --tile-set-target=chip=sm_90a | FileCheck %s --check-prefix=SM90A
// RUN: tile-opt %s --tile-set-target=chip=dav-2201 | FileCheck %s --check-prefix=DAV2201
// RUN: tile-opt %s --tile-set-target=chip=dav-3510 | FileCheck %s --check-prefix=DAV3510
// RUN: tile-opt %s --tile-set-target="chip=toy models=%S/../../../Inputs/toy.mlir" | FileCheck %s --check-prefix=TOY
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-set-target=chip=sm_90a | FileCheck %s --check-prefix=SM90A
// RUN: not tile-opt %s --tile-set-target=chip=sm_42 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt %s --tile-set-target 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-opt %s --tile-set-target="chip=toy models=%S/nowhere.mlir" 2>&1 | FileCheck %s --check-prefix=NOFILE

// What a block may use, in bytes, must not change by accident.
// SM80: tile.target = #tile.target<"sm_80", memories = [#tile.memory<shared, capacity = 166912, align = 128>]
// SM80-SAME: #tile.transfer<global to shared, unit = "cp.async", async = true
// SM86: tile.target = #tile.target<"sm_86", memories = [#tile.memory<shared, capacity = 101376,
// SM90A: tile.target = #tile.target<"sm_90a", memories = [#tile.memory<shared, capacity = 232448,
// DAV2201: tile.target = #tile.target<"dav-2201",
// DAV2201-SAME: #tile.memory<l0c, capacity = 131072, align = 64>
// DAV3510: tile.target = #tile.target<"dav-3510",
// DAV3510-SAME: #tile.memory<ub, capacity = 253952, align = 32>
// TOY: tile.target = #tile.target<"toy", memories = [#tile.memory<shared, capacity = 233472, align = 16>]
// UNKNOWN: set-target.mlir:{{[0-9]+}}:1: error: unknown chip 'sm_42'; known chips are
// UNKNOWN-DAG: 'sm_80', 'sm_86', 'sm_90a'
// UNKNOWN-DAG: 'dav-2201', 'dav-3510'
// NONE: error: no chip given; known chips are
// NOFILE: could not open input file

module {
}
