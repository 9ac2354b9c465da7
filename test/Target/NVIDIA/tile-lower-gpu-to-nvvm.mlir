// RUN: tile-opt %s --tile-lower-gpu-to-nvvm=index-bitwidth=64 --canonicalize --cse -split-input-file | FileCheck %s --check-prefixes=CHECK,W64
// RUN: tile-opt %s --tile-lower-gpu-to-nvvm=index-bitwidth=32 --canonicalize --cse -split-input-file | FileCheck %s --check-prefixes=CHECK,W32

// RUN: tile-opt %s --tile-lower-gpu-to-nvvm -split-input-file | FileCheck %s --check-prefix=AUTO

// Indices have 32 bits where sizes are known and small.
// AUTO: gpu.module @parameters attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>}
// AUTO: gpu.module @memory attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>}
// AUTO: gpu.module @mma attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}
// AUTO: gpu.module @large attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>}
// AUTO: gpu.module @helper attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}

// What the launcher passes: pointers, dynamic sizes, dynamic strides, scalars.
gpu.module @parameters {
  // CHECK-LABEL: llvm.func @parameters(
  // CHECK-SAME: %[[A:[a-z0-9]+]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %[[A1:[a-z0-9]+]]: i64, %[[A2:[a-z0-9]+]]: i64,
  // CHECK-SAME: %[[B:[a-z0-9]+]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %[[B0:[a-z0-9]+]]: i64, %[[BS:[a-z0-9]+]]: i64,
  // CHECK-SAME: %[[I:[a-z0-9]+]]: i64, %[[F:[a-z0-9]+]]: f32)
  // CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>
  // CHECK-SAME: tilepipe.shared_bytes = 64 : i64
  // CHECK-NOT: workgroup_attributions
  gpu.func @parameters(%a: memref<4x?x?xf32>, %b: memref<?x8xf32, strided<[?, 1]>>, %i: index, %f: f32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilepipe.shared_bytes = 64 : i64} {
    // W32: llvm.trunc %[[A1]] : i64 to i32
    // W32: llvm.trunc %[[A2]] : i64 to i32
    // W32: llvm.trunc %[[BS]] : i64 to i32
    // The leading stride of an identity layout is the product of sizes.
    // W64: llvm.mul %[[A2]], %[[A1]] overflow<nsw>
    // CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
    %t = gpu.thread_id x
    memref.store %f, %a[%i, %i, %t] : memref<4x?x?xf32>
    memref.store %f, %b[%i, %t] : memref<?x8xf32, strided<[?, 1]>>
    gpu.return
  }
}

// -----

// Stack buffers live in the entry block, shared memory is one external array.
gpu.module @memory {
  // CHECK: llvm.mlir.global external @tilepipe_smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  memref.global "public" @tilepipe_smem : memref<0xi8, #gpu.address_space<workgroup>> {alignment = 1024}
  // CHECK-LABEL: llvm.func @memory(
  gpu.func @memory(%a: memref<64xf16>, %n: index) kernel {
    // CHECK: llvm.alloca
    // CHECK: llvm.br
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %smem = memref.get_global @tilepipe_smem : memref<0xi8, #gpu.address_space<workgroup>>
    %tile = memref.view %smem[%c256][] : memref<0xi8, #gpu.address_space<workgroup>> to memref<8x8xf16, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %n step %c1 {
      %r = memref.alloca() : memref<8xf16>
      %v = vector.load %a[%i] {alignment = 16} : memref<64xf16>, vector<8xf16>
      // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xf16>
      vector.store %v, %r[%c0] : memref<8xf16>, vector<8xf16>
      %w = vector.load %r[%c0] : memref<8xf16>, vector<8xf16>
      // CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
      vector.store %w, %tile[%i, %c0] {alignment = 16} : memref<8x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      // CHECK: nvvm.barrier
      gpu.barrier
    }
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @async {
  // Tokens carry nothing; what counts are groups.
  // CHECK-LABEL: llvm.func @async(
  gpu.func @async(%a: memref<64xf16>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %s = memref.alloca() : memref<64xf16, #shared>
    // CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = {{ ?}}cg, {{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
    %0 = nvgpu.device_async_copy %a[%c0], %s[%c0], 8, %n {bypassL1} : memref<64xf16> to memref<64xf16, #shared>
    // CHECK: nvvm.cp.async.commit.group
    %1 = nvgpu.device_async_create_group %0
    // CHECK: nvvm.cp.async.wait.group 3
    nvgpu.device_async_wait %1 {numGroups = 3 : i32}
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @mma {
  memref.global "public" @tiles : memref<32x16xbf16, #shared> {alignment = 1024}
  // bfloat16, which nvgpu.mma.sync verifies but does not lower, goes through nvvm.
  // CHECK-LABEL: llvm.func @mma(
  gpu.func @mma(%out: memref<2x2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %tiles = memref.get_global @tiles : memref<32x16xbf16, #shared>
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    // CHECK-COUNT-2: nvvm.ldmatrix
    %a = nvgpu.ldmatrix %tiles[%c0, %c0] {numTiles = 4 : i32, transpose = false} : memref<32x16xbf16, #shared> -> vector<4x2xbf16>
    %b = nvgpu.ldmatrix %tiles[%c0, %c0] {numTiles = 2 : i32, transpose = true} : memref<32x16xbf16, #shared> -> vector<2x2xbf16>
    // CHECK: nvvm.mma.sync {{.*}}layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>
    // CHECK-SAME: multiplicandAPtxType = #nvvm.mma_type<bf16>
    // CHECK-SAME: #nvvm.shape<m = 16, n = 8, k = 16>
    %d = nvgpu.mma.sync (%a, %b, %zero) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %row = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %row, %out[%c0, %c0] {alignment = 8} : memref<2x2xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

gpu.module @math {
  // CHECK-LABEL: llvm.func @math(
  gpu.func @math(%p: memref<8xf32>, %h: memref<8xf16>, %x: f32, %y: f16) kernel {
    %c0 = arith.constant 0 : index
    // Fast: one multiplication and one instruction.
    // CHECK: %[[PRODUCT:.*]] = llvm.fmul %{{.*}}, %{{.*}} : f32
    // CHECK-NEXT: %[[FAST:.*]] = llvm.intr.exp2(%[[PRODUCT]]) : (f32) -> f32
    %0 = math.exp %x fastmath<afn> : f32
    memref.store %0, %p[%c0] : memref<8xf32>
    // Right for every argument: the exponent is split off.
    // CHECK: llvm.intr.roundeven
    // CHECK: llvm.intr.maxnum
    // CHECK: llvm.intr.minnum
    // CHECK-COUNT-2: llvm.intr.fma
    // CHECK-COUNT-2: llvm.intr.exp2
    %1 = math.exp %x : f32
    memref.store %1, %p[%c0] : memref<8xf32>
    // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
    %2 = math.rsqrt %x : f32
    memref.store %2, %p[%c0] : memref<8xf32>
    // CHECK: llvm.intr.sqrt(%{{.*}}) : (f32) -> f32
    %3 = math.sqrt %x : f32
    memref.store %3, %p[%c0] : memref<8xf32>
    // Half precision is computed in single precision.
    // CHECK: llvm.fpext
    // CHECK: llvm.intr.exp2(%{{.*}}) : (f32) -> f32
    // CHECK: llvm.fptrunc
    %4 = math.exp2 %y : f16
    memref.store %4, %h[%c0] : memref<8xf16>
    // CHECK-NOT: llvm.intr.tanh
    // CHECK-NOT: llvm.intr.log
    // CHECK-NOT: llvm.intr.pow
    // CHECK-NOT: llvm.call @
    %5 = math.tanh %x : f32
    %6 = math.log %5 : f32
    %7 = math.powf %6, %x : f32
    %8 = math.erf %7 : f32
    %9 = math.sin %8 : f32
    memref.store %9, %p[%c0] : memref<8xf32>
    // CHECK: llvm.return
    gpu.return
  }
}

// -----

gpu.module @atomics {
  // Updates are relaxed, and atomic on the device, not on the system.
  // CHECK-LABEL: llvm.func @atomics(
  gpu.func @atomics(%p: memref<8xf32>, %q: memref<8xi32>, %x: f32, %i: i32) kernel {
    %c0 = arith.constant 0 : index
    // CHECK: llvm.atomicrmw fadd {{.*}} syncscope("device") monotonic
    %0 = memref.atomic_rmw addf %x, %p[%c0] : (f32, memref<8xf32>) -> f32
    // CHECK: llvm.atomicrmw max {{.*}} syncscope("device") monotonic
    %1 = memref.atomic_rmw maxs %i, %q[%c0] : (i32, memref<8xi32>) -> i32
    gpu.return
  }
}

// -----

gpu.module @large {
  gpu.func @large(%p: memref<65536x65536xi8>) kernel {
    gpu.return
  }
}

// -----

gpu.module @helper {
  // Functions that kernels call become part of them.
  // CHECK: llvm.func internal @twice(%{{.*}}: f32) -> f32 attributes {always_inline
  func.func private @twice(%x: f32) -> f32 {
    %y = arith.addf %x, %x : f32
    return %y : f32
  }
  // CHECK-LABEL: llvm.func @helper(
  gpu.func @helper(%p: memref<4xf32>, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    // CHECK: llvm.call @twice(
    %y = func.call @twice(%x) : (f32) -> f32
    memref.store %y, %p[%c0] : memref<4xf32>
    gpu.return
  }
}
