// RUN: tile-opt %s --tile-set-target=chip=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: tile-opt %s --tile-set-target=chip=sm_86 | FileCheck %s --check-prefix=SM86
// RUN: tile-opt %s --tile-set-target=chip=sm_90a | FileCheck %s --check-prefix=SM90A
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-set-target=chip=sm_90a | FileCheck %s --check-prefix=SM90A
// RUN: not tile-opt %s --tile-set-target=chip=sm_42 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// What a block may use, in bytes, must not change by accident.
// SM80: tile.target = #tile.target<"sm_80", memories = [#tile.memory<shared, capacity = 166912, align = 128>]
// SM80-SAME: #tile.transfer<global to shared, unit = "cp.async", async = true
// SM86: tile.target = #tile.target<"sm_86", memories = [#tile.memory<shared, capacity = 101376,
// SM90A: tile.target = #tile.target<"sm_90a", memories = [#tile.memory<shared, capacity = 232448,
// UNKNOWN: models.mlir:{{[0-9]+}}:1: error: unknown chip 'sm_42'; known chips are
// UNKNOWN-DAG: 'sm_80', 'sm_86', 'sm_90a'

module {
}
