// RUN: tile-opt %s --tile-set-target=chip=dav-2201 | FileCheck %s --check-prefix=DAV2201
// RUN: tile-opt %s --tile-set-target=chip=dav-3510 | FileCheck %s --check-prefix=DAV3510
// RUN: not tile-opt %s --tile-set-target=chip=sm_42 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// What a block may use, in bytes, must not change by accident.
// DAV2201: tile.target = #tile.target<"dav-2201",
// DAV2201-SAME: #tile.memory<l0c, capacity = 131072, align = 64>
// DAV3510: tile.target = #tile.target<"dav-3510",
// DAV3510-SAME: #tile.memory<ub, capacity = 253952, align = 32>
// UNKNOWN: models.mlir:{{[0-9]+}}:1: error: unknown chip 'sm_42'; known chips are
// UNKNOWN-DAG: 'dav-2201', 'dav-3510'

module {
}
