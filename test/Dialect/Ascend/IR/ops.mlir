// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// Every operation survives printing and parsing, in both forms.

#l1 = #tile.space<l1>
#l0a = #tile.space<l0a>
#l0b = #tile.space<l0b>
#l0c = #tile.space<l0c>
#ub = #tile.space<ub>

// CHECK-LABEL: ascend.func @gemm(%{{.*}}: memref<?x?xf16> {ascend.name = "A"}, %{{.*}}: memref<?x?xf32>, %{{.*}}: index)
// CHECK-SAME: attributes {core = #ascend.core<cube>}
ascend.func @gemm(%A: memref<?x?xf16> {ascend.name = "A"}, %C: memref<?x?xf32>, %n: index)
    attributes {core = #ascend.core<cube>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %init = arith.constant true
  %As = tile.alloc {name = "As", offset = 0} : memref<2x128x32xf16, #l1>
  %A0 = tile.alloc : memref<128x32xf16, #l0a>
  %B0 = tile.alloc : memref<32x128xf16, #l0b>
  %C0 = tile.alloc : memref<128x128xf32, #l0c>
  %s = tile.slot %As[%n] : memref<2x128x32xf16, #l1> -> memref<128x32xf16, #l1>
  // CHECK: ascend.block_idx
  %b = ascend.block_idx
  // CHECK: ascend.block_num
  %bn = ascend.block_num
  // CHECK: ascend.fill_l1 %{{.*}}[%{{.*}}] with %{{.*}} repeat %{{.*}} blocks %{{.*}} gap %{{.*}} : f16, memref
  ascend.fill_l1 %s[%c0] with %zero repeat %n blocks %b gap %c0 : f16, memref<128x32xf16, #l1>
  // CHECK: ascend.nd2nz %{{.*}}[%{{.*}}] to %{{.*}}[%{{.*}}] rows %{{.*}} columns %{{.*}} stride %{{.*}} pitch
  ascend.nd2nz %A[%n] to %s[%c0] rows %n columns %b stride %bn pitch %n
      : memref<?x?xf16>, memref<128x32xf16, #l1>
  // CHECK: ascend.copy_to_l1 %{{.*}} bursts %{{.*}} blocks %{{.*}} gaps %{{.*}}, %{{.*}} :
  ascend.copy_to_l1 %A[%n] to %s[%c0] bursts %n blocks %b gaps %c0, %c0
      : memref<?x?xf16>, memref<128x32xf16, #l1>
  // CHECK: ascend.load_l0 %{{.*}} repeat %{{.*}} stride %{{.*}} gap %{{[a-z0-9]+}} :
  ascend.load_l0 %s[%c0] to %A0[%c0] repeat %n stride %n gap %c0
      : memref<128x32xf16, #l1>, memref<128x32xf16, #l0a>
  // CHECK: ascend.load_l0 %{{.*}} gap %{{.*}} transpose :
  ascend.load_l0 %s[%c0] to %B0[%c0] repeat %n stride %n gap %c0 transpose
      : memref<128x32xf16, #l1>, memref<32x128xf16, #l0b>
  // CHECK: ascend.mma %{{.*}} m %{{.*}} k %{{.*}} n %{{.*}} init %
  ascend.mma %C0[%c0], %A0[%c0], %B0[%c0] m %n k %n n %n init %init
      : memref<128x128xf32, #l0c>, memref<128x32xf16, #l0a>, memref<32x128xf16, #l0b>
  // CHECK: ascend.fixpipe %{{.*}} m %{{.*}} n %{{.*}} pitch %{{.*}} stride %{{.*}} relu :
  ascend.fixpipe %C0[%c0] to %C[%n] m %n n %n pitch %n stride %n relu
      : memref<128x128xf32, #l0c>, memref<?x?xf32>
  // CHECK: ascend.set_flag <mte2> to <mte1> id 0 slot %{{.*}} of 2
  ascend.set_flag <mte2> to <mte1> id 0 slot %n of 2
  // CHECK: ascend.wait_flag <mte2> to <mte1> id 3
  ascend.wait_flag <mte2> to <mte1> id 3
  // CHECK: ascend.barrier <all>
  ascend.barrier <all>
  ascend.return
}

// CHECK-LABEL: ascend.func @k_mix_aiv
// CHECK-SAME: {ascend.workspace}
// CHECK-SAME: core = #ascend.core<vector>, mix
ascend.func @k_mix_aiv(%W: memref<?xf32> {ascend.workspace}, %ffts: i64)
    attributes {core = #ascend.core<vector>, mix} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = tile.alloc : memref<16x64xf32, #ub>
  %y = tile.alloc : memref<16x64xf32, #ub>
  %h = tile.alloc : memref<16x64xf16, #ub>
  %m = tile.alloc : memref<16xf32, #ub>
  %b = tile.alloc : memref<16x8xf32, #ub>
  %bits = tile.alloc : memref<128xi8, #ub>
  // CHECK: ascend.set_ffts_base
  ascend.set_ffts_base %ffts
  // CHECK: ascend.sub_block_idx
  %sub = ascend.sub_block_idx
  // CHECK: ascend.cross_wait id 1 slot %{{.*}} of 2
  ascend.cross_wait id 1 slot %sub of 2
  // CHECK: ascend.load %{{.*}} rows %{{.*}} columns %{{.*}} stride %{{.*}} pitch %
  ascend.load %W[%c0] to %x[%c0] rows %c64 columns %c64 stride %c64 pitch %c64
      : memref<?xf32>, memref<16x64xf32, #ub>
  // CHECK: ascend.cross_set <mte2> mode 2 id 0
  ascend.cross_set <mte2> mode 2 id 0
  // CHECK: ascend.vunary <exp> %{{.*}} count %{{[a-z0-9_]+}} :
  ascend.vunary <exp> %y[%c0], %x[%c0] count %c64 : memref<16x64xf32, #ub>, memref<16x64xf32, #ub>
  // CHECK: ascend.vreduce <max> %{{.*}} count %{{.*}} repeat %{{.*}} stride 8 target_stride 1 :
  ascend.vreduce <max> %m[%c0], %x[%c0] count %c64 repeat %c64 stride 8 target_stride 1
      : memref<16xf32, #ub>, memref<16x64xf32, #ub>
  // CHECK: ascend.vreduce <sum> %{{.*}} target_stride 1 by_block :
  ascend.vreduce <sum> %b[%c0], %x[%c0] count %c64 repeat %c64 stride 8 target_stride 1 by_block
      : memref<16x8xf32, #ub>, memref<16x64xf32, #ub>
  // CHECK: ascend.vbroadcast
  ascend.vbroadcast %b[%c0], %m[%c0] repeat %c64 : memref<16x8xf32, #ub>, memref<16xf32, #ub>
  // CHECK: ascend.vbinary <sub> %{{.*}} repeat %{{.*}} blocks [1, 1, 0] repeats [8, 8, 1] :
  ascend.vbinary <sub> %y[%c0], %x[%c0], %b[%c0] count %c64 repeat %c64
      blocks [1, 1, 0] repeats [8, 8, 1]
      : memref<16x64xf32, #ub>, memref<16x64xf32, #ub>, memref<16x8xf32, #ub>
  // CHECK: ascend.scalar_load
  %v = ascend.scalar_load %m[%c0] : memref<16xf32, #ub> -> f32
  // CHECK: ascend.vscalar <muls>
  ascend.vscalar <muls> %y[%c0], %y[%c0], %v count %c64
      : memref<16x64xf32, #ub>, memref<16x64xf32, #ub>, f32
  // CHECK: ascend.vdup
  ascend.vdup %x[%c0], %v count %c64 : memref<16x64xf32, #ub>, f32
  // CHECK: ascend.vconvert <rint>
  ascend.vconvert <rint> %h[%c0], %y[%c0] count %c64 : memref<16x64xf16, #ub>, memref<16x64xf32, #ub>
  // CHECK: ascend.vcompare <lt>
  ascend.vcompare <lt> %bits[%c0], %x[%c0], %y[%c0] repeat %c64
      : memref<128xi8, #ub>, memref<16x64xf32, #ub>, memref<16x64xf32, #ub>
  // CHECK: ascend.vselect
  ascend.vselect %x[%c0], %bits[%c0], %x[%c0], %y[%c0] repeat %c64
      : memref<16x64xf32, #ub>, memref<128xi8, #ub>, memref<16x64xf32, #ub>, memref<16x64xf32, #ub>
  // CHECK: ascend.ub_copy
  ascend.ub_copy %x[%c0] to %y[%c0] bursts %c64 blocks %c64 gaps %c0, %c0
      : memref<16x64xf32, #ub>, memref<16x64xf32, #ub>
  // CHECK: ascend.scalar_store
  ascend.scalar_store %v, %m[%c0] : f32, memref<16xf32, #ub>
  // CHECK: ascend.store
  ascend.store %x[%c0] to %W[%c0] rows %c64 columns %c64 stride %c64 pitch %c64
      : memref<16x64xf32, #ub>, memref<?xf32>
  ascend.return
}
