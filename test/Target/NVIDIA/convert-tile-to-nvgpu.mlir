// RUN: tile-opt %s -split-input-file --convert-tile-to-nvgpu --canonicalize --cse | FileCheck %s

// Neighbouring points are one access of 16 bytes; the grid is known.
// CHECK-LABEL: gpu.module @vector_add_module
// CHECK: memref.global "public" @tilepipe_smem : memref<0xi8, #gpu.address_space<workgroup>> {alignment = 1024 : i64}
// CHECK: gpu.func @vector_add({{.*}}) kernel attributes {known_block_size = array<i32: 128, 1, 1>, tilepipe.shared_bytes = 0 : i64}
// CHECK-DAG: %[[B:.*]] = gpu.block_id x upper_bound 8
// CHECK-DAG: %[[T:.*]] = gpu.thread_id x upper_bound 128
// CHECK: %[[I:.*]] = arith.shli %[[T]], %c2
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
// CHECK: vector.load
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK-NOT: arith.addf
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
// CHECK-NOT: func.func
func.func @vector_add(%a: memref<4096xf32>, %b: memref<4096xf32>, %c: memref<4096xf32>) {
  %c512 = arith.constant 512 : index
  tile.launch (%bx) in [8] threads = 128 {
    %o = arith.muli %bx, %c512 : index
    tile.map (%i) in [512] {
      %j = arith.addi %o, %i : index
      %x = memref.load %a[%j] : memref<4096xf32>
      %y = memref.load %b[%j] : memref<4096xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %c[%j] : memref<4096xf32>
    }
  }
  return
}

// -----

// Where the start is not known to be aligned, elements are accessed one by one.
// CHECK-LABEL: gpu.func @unaligned
// CHECK-NOT: vector.load
// CHECK: memref.load
// CHECK: gpu.return
func.func @unaligned(%a: memref<4096xf32>, %c: memref<4096xf32>, %o: index) {
  tile.launch (%bx) in [1] threads = 128 {
    tile.map (%i) in [512] {
      %j = arith.addi %o, %i : index
      %x = memref.load %a[%j] : memref<4096xf32>
      memref.store %x, %c[%i] : memref<4096xf32>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>

// Rows 64 .. 127 of 100 are partly outside, columns 64 .. 127 of 72 as well: what
// is outside is zero and is not read, which the count of elements says. Rows of
// the first chunks are always inside.
// CHECK-LABEL: gpu.func @async_tail
// CHECK: %[[COL:.*]] = arith.cmpi ult, %{{.*}}, %c72
// CHECK: %[[N0:.*]] = arith.select %[[COL]], %c8, %c0
// CHECK: nvgpu.device_async_copy %{{.*}}, %{{.*}}, 8, %[[N0]] {bypassL1}
// CHECK: nvgpu.device_async_copy
// CHECK: %[[ROW:.*]] = arith.cmpi ult, %{{.*}}, %c100
// CHECK: %[[SAFE:.*]] = arith.select %[[ROW]], %{{.*}}, %c0
// CHECK: %[[IN:.*]] = arith.andi %[[ROW]], %[[COL]]
// CHECK: %[[N2:.*]] = arith.select %[[IN]], %c8, %c0
// CHECK: nvgpu.device_async_copy %{{.*}}[%[[SAFE]], %{{.*}}], %{{.*}}, 8, %[[N2]]
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
func.func @async_tail(%a: memref<100x72xf16>) {
  %c64 = arith.constant 64 : index
  tile.launch (%bx, %by) in [2, 2] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<64x64xf16, #shared>
    %i = arith.muli %bx, %c64 : index
    %j = arith.muli %by, %c64 : index
    %t = tile.async.copy %a[%i, %j] to %s : memref<100x72xf16> to memref<64x64xf16, #shared>
    %g = tile.async.commit %t
    tile.async.wait %g
  }
  return
}

// -----

#shared = #tile.space<shared>

// A region that is inside needs no test; 8 bytes are known to be aligned. The
// guard is the same in all threads.
// CHECK-LABEL: gpu.func @async_inside
// CHECK: scf.if %arg1
// CHECK-NOT: arith.select
// CHECK: nvgpu.device_async_copy %{{.*}}, %{{.*}}, 4 : memref<128x68xf16>
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 2
func.func @async_inside(%a: memref<128x68xf16>, %guard: i1) {
  %c64 = arith.constant 64 : index
  tile.launch (%bx) in [2] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<64x64xf16, #shared>
    %i = arith.muli %bx, %c64 : index
    %t = tile.async.copy %a[%i, 0] to %s if %guard : memref<128x68xf16> to memref<64x64xf16, #shared>
    %g = tile.async.commit %t
    tile.async.wait %g pending = 2
  }
  return
}

// -----

#shared = #tile.space<shared>

// Strides known at run time only: both ways are there, chosen by the stride.
// CHECK-LABEL: gpu.func @async_dynamic
// CHECK: %[[N:.*]] = memref.dim %arg0, %c1
// CHECK: %[[BITS:.*]] = arith.andi %[[N]], %c7
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[BITS]], %c0
// CHECK: scf.if %[[FITS]]
// CHECK: nvgpu.device_async_copy
// CHECK: } else {
// CHECK: scf.for
// CHECK-NOT: nvgpu
// CHECK: memref.store
// CHECK: nvvm.cp.async.commit.group
func.func @async_dynamic(%a: memref<?x?xf16>) {
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<64x64xf16, #shared>
    %t = tile.async.copy %a[0, 0] to %s : memref<?x?xf16> to memref<64x64xf16, #shared>
    %g = tile.async.commit %t
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// One ldmatrix.x4 for each 16 x 16 block: 4 warps are 2 x 2, each has 2 x 2
// blocks of 2 steps. Sums are registers, and are stored two at a time.
// CHECK-LABEL: gpu.func @gemm
// CHECK: memref.alloca() : memref<32xf32, #gpu.address_space<private>>
// CHECK: arith.xori
// CHECK-COUNT-2: nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = false} : memref<2048xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
// CHECK-COUNT-2: nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-8: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK-COUNT-4: nvgpu.ldmatrix
// CHECK-COUNT-8: nvgpu.mma.sync
// CHECK-NOT: nvgpu
// CHECK: vector.store %{{.*}} {alignment = 8 : i64} : memref<64x64xf32>, vector<2xf32>
func.func @gemm(%c: memref<64x64xf32>) {
  tile.launch (%bx) in [1] threads = 128 {
    %a = tile.alloc {offset = 0 : i64} : memref<64x32xf16, #shared>
    %b = tile.alloc {offset = 4096 : i64} : memref<32x64xf16, #shared>
    %s = tile.alloc : memref<64x64xf32, #fragment>
    tile.gemm %a, %b, %s {clear} : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #fragment>
    tile.copy %s to %c : memref<64x64xf32, #fragment> to memref<64x64xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Slots of a swizzled tile: their start is added to the number of the element.
// CHECK-LABEL: gpu.func @gemm_slots
// CHECK: %[[SLOT:.*]] = arith.muli %arg0, %c2048
// CHECK: %[[AT:.*]] = arith.addi %[[SLOT]], %{{.*}}
// CHECK: nvgpu.ldmatrix %{{.*}}[%[[AT]]]
func.func @gemm_slots(%n: index, %c: memref<64x64xf32>) {
  tile.launch (%bx) in [1] threads = 128 {
    %as = tile.alloc {offset = 0 : i64} : memref<3x64x32xbf16, #shared>
    %b = tile.alloc {offset = 12288 : i64} : memref<32x64xbf16, #shared>
    %s = tile.alloc : memref<64x64xf32, #fragment>
    %a = tile.slot %as[%n] : memref<3x64x32xbf16, #shared> -> memref<64x32xbf16, #shared>
    tile.gemm %a, %b, %s {clear} : memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, memref<64x64xf32, #fragment>
    tile.copy %s to %c : memref<64x64xf32, #fragment> to memref<64x64xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// The four values of a row that a thread has, then the eight lanes of the row.
// CHECK-LABEL: gpu.func @reduce_rows
// CHECK-COUNT-3: arith.addf
// CHECK-COUNT-3: nvvm.shfl.sync bfly
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @reduce_rows(%o: memref<16xf32>) {
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<16x32xf32, #shared>
    %m = tile.alloc : memref<16xf32, #fragment>
    tile.reduce <sum> %s into %m dimension 1 {clear} : memref<16x32xf32, #shared>, memref<16xf32, #fragment>
    tile.copy %m to %o : memref<16xf32, #fragment> to memref<16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// One row for all warps: they meet in shared memory behind the tiles, which nobody
// has read before.
// CHECK-LABEL: gpu.func @reduce_block
// CHECK-SAME: tilepipe.shared_bytes = 2064
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store %{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load %{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>
func.func @reduce_block(%o: memref<1xf32>) {
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<512xf32, #shared>
    %m = tile.alloc : memref<1xf32, #fragment>
    tile.reduce <max> %s into %m dimension 0 {clear} : memref<512xf32, #shared>, memref<1xf32, #fragment>
    tile.copy %m to %o : memref<1xf32, #fragment> to memref<1xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// Tokens that go around a loop vanish, groups do not.
// CHECK-LABEL: gpu.func @tokens
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NOT: tile.
func.func @tokens(%a: memref<32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.launch (%bx) in [1] threads = 32 {
    %s = tile.alloc {offset = 0 : i64} : memref<32xf32, #shared>
    %none = tile.async.none
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (!tile.token) {
      %copy = tile.async.copy %a to %s : memref<32xf32> to memref<32xf32, #shared>
      %g = tile.async.commit %copy
      tile.async.wait %t pending = 1
      scf.yield %g : !tile.token
    }
    tile.async.wait %last
  }
  return
}

// Copies of two bytes are made at once: there are no groups.
// CHECK-LABEL: gpu.func @no_groups
// CHECK-NOT: nvvm.cp.async
// CHECK: gpu.return
func.func @no_groups(%a: memref<33xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.launch (%bx) in [1] threads = 32 {
    %s = tile.alloc {offset = 0 : i64} : memref<32xf16, #shared>
    %copy = tile.async.copy %a[%c1] to %s : memref<33xf16> to memref<32xf16, #shared>
    %g = tile.async.commit %copy
    tile.async.wait %g
  }
  return
}

// -----

// Two launches are two kernels; what they use of the host is computed again.
// CHECK-LABEL: gpu.module @two_module
// CHECK: gpu.func @two_0
// CHECK: memref.dim
// CHECK: gpu.func @two_1
func.func @two(%a: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  tile.launch (%bx) in [1] threads = 32 {
    tile.fill %a[0] sizes [%n] with %x : f32, memref<?xf32>
  }
  tile.launch (%bx) in [%n] threads = 32 {
    memref.store %x, %a[%bx] : memref<?xf32>
  }
  return
}

// -----

// A condition on the point stays where it is, with the end of its branches, and
// so does what only one branch computes of it.
// CHECK-LABEL: gpu.func @mask
// CHECK: %[[C:.*]] = arith.cmpi slt
// CHECK: scf.if %[[C]] -> (f32)
// CHECK: memref.load
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NEXT: scf.yield %cst
func.func @mask(%a: memref<64xf32>, %b: memref<64xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  tile.launch (%bx) in [1] threads = 64 {
    tile.map (%i) in [64] {
      %in = arith.cmpi slt, %i, %n : index
      %x = scf.if %in -> (f32) {
        %y = memref.load %a[%i] : memref<64xf32>
        scf.yield %y : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %x, %b[%i] : memref<64xf32>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>

// Slot numbers are counted, not divided. The one of the iteration before starts
// at -1 mod 3.
// CHECK-LABEL: gpu.func @rings
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %c0_i32, %[[B:.*]] = %c2_i32) -> (i32, i32)
// CHECK-NOT: arith.remui
// CHECK: arith.index_castui %[[B]]
// CHECK-NOT: arith.remui
// CHECK: %[[MORE:.*]] = arith.addi %[[A]], %c1_i32
// CHECK: %[[WRAP:.*]] = arith.cmpi eq, %[[MORE]], %c3_i32
// CHECK: arith.select %[[WRAP]], %c0_i32, %[[MORE]]
// CHECK: gpu.return
func.func @rings(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<3x128xf32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      %a = arith.remui %i, %c3 : index
      %t = tile.slot %s[%a] : memref<3x128xf32, #shared> -> memref<128xf32, #shared>
      tile.fill %t with %x : f32, memref<128xf32, #shared>
      %j = arith.subi %i, %c1 : index
      %b = arith.remui %j, %c3 : index
      %u = tile.slot %s[%b] : memref<3x128xf32, #shared> -> memref<128xf32, #shared>
      %some = arith.cmpi sgt, %i, %c0 : index
      scf.if %some {
        tile.fill %u with %x : f32, memref<128xf32, #shared>
      }
    }
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// A vector that all lanes of a warp hold scales a shared tile in place: only one
// of the threads may do that.
// CHECK-LABEL: gpu.func @update_once
// CHECK: %[[OWNER:.*]] = arith.cmpi eq
// CHECK: scf.if %[[OWNER]]
// CHECK: memref.load {{.*}}workgroup
// CHECK: memref.store {{.*}}workgroup
func.func @update_once(%a: memref<4x32xf32>) {
  tile.launch (%bx) in [1] threads = 128 {
    %f = tile.alloc : memref<4x32xf32, #fragment>
    %m = tile.alloc : memref<4xf32, #fragment>
    %s = tile.alloc {offset = 0 : i64} : memref<4xf32, #shared>
    tile.copy %a to %f : memref<4x32xf32> to memref<4x32xf32, #fragment>
    tile.reduce <sum> %f into %m dimension 1 {clear} : memref<4x32xf32, #fragment>, memref<4xf32, #fragment>
    tile.map (%i) in [4] {
      %x = memref.load %s[%i] : memref<4xf32, #shared>
      %y = memref.load %m[%i] : memref<4xf32, #fragment>
      %z = arith.mulf %x, %y : f32
      memref.store %z, %s[%i] : memref<4xf32, #shared>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>

// The thread that copies an element also scales it: the first barrier goes. The
// second one stays, for the columns of the transposed are other threads'.
// CHECK-LABEL: gpu.func @own_elements
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NOT: gpu.barrier
// CHECK: arith.mulf
// CHECK: gpu.barrier
// CHECK: gpu.return
func.func @own_elements(%a: memref<32x32xf32>, %x: f32, %o: memref<32x32xf32>) {
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<32x32xf32, #shared>
    %t = tile.async.copy %a to %s : memref<32x32xf32> to memref<32x32xf32, #shared>
    %g = tile.async.commit %t
    tile.async.wait %g
    gpu.barrier
    tile.map (%i, %j) in [32, 32] {
      %y = memref.load %s[%i, %j] : memref<32x32xf32, #shared>
      %z = arith.mulf %x, %y : f32
      memref.store %z, %s[%i, %j] : memref<32x32xf32, #shared>
    }
    gpu.barrier
    tile.map (%i, %j) in [32, 32] {
      %y = memref.load %s[%j, %i] : memref<32x32xf32, #shared>
      memref.store %y, %o[%i, %j] : memref<32x32xf32>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// The last warp has 8 of its 32 lanes: it does not exchange values, and gets the
// sum through shared memory.
// CHECK-LABEL: gpu.func @reduce_partial_warp
// CHECK: %[[WHOLE:.*]] = arith.cmpi ult, %thread_id_x, %c32
// CHECK: scf.if %[[WHOLE]]
// CHECK: nvvm.shfl.sync bfly %c-1_i32
// CHECK: gpu.barrier
// CHECK: memref.load
func.func @reduce_partial_warp(%o: memref<1xf32>) {
  tile.launch (%bx) in [1] threads = 40 {
    %s = tile.alloc {offset = 0 : i64} : memref<512xf32, #shared>
    %m = tile.alloc : memref<1xf32, #fragment>
    tile.reduce <sum> %s into %m dimension 0 {clear} : memref<512xf32, #shared>, memref<1xf32, #fragment>
    tile.copy %m to %o : memref<1xf32, #fragment> to memref<1xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Rows are dealt out to the warps, in the map and in the product: the threads of
// a warp write the rows of a that they read. Those of b are of other warps.
// CHECK-LABEL: gpu.func @own_rows
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @all_rows
// CHECK-NOT: nvvm.bar.warp.sync
// CHECK: gpu.barrier
// CHECK-NOT: nvvm.bar.warp.sync
// CHECK: gpu.return
func.func @own_rows(%a: memref<16x16xf32>, %o: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<16x16xf32, #shared>
    %v = tile.alloc {offset = 1024 : i64} : memref<16x16xf32, #shared>
    %c = tile.alloc : memref<16x16xf32, #fragment>
    tile.fill %c with %zero : f32, memref<16x16xf32, #fragment>
    tile.map (%i, %j) in [16, 16] {
      %x = memref.load %a[%i, %j] : memref<16x16xf32>
      memref.store %x, %s[%i, %j] : memref<16x16xf32, #shared>
    }
    gpu.barrier
    tile.gemm %s, %v, %c : memref<16x16xf32, #shared>, memref<16x16xf32, #shared>, memref<16x16xf32, #fragment>
    tile.copy %c to %o : memref<16x16xf32, #fragment> to memref<16x16xf32>
  }
  return
}
func.func @all_rows(%a: memref<16x16xf32>, %o: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<16x16xf32, #shared>
    %v = tile.alloc {offset = 1024 : i64} : memref<16x16xf32, #shared>
    %c = tile.alloc : memref<16x16xf32, #fragment>
    tile.fill %c with %zero : f32, memref<16x16xf32, #fragment>
    tile.map (%i, %j) in [16, 16] {
      %x = memref.load %a[%i, %j] : memref<16x16xf32>
      memref.store %x, %v[%i, %j] : memref<16x16xf32, #shared>
    }
    gpu.barrier
    tile.gemm %s, %v, %c : memref<16x16xf32, #shared>, memref<16x16xf32, #shared>, memref<16x16xf32, #fragment>
    tile.copy %c to %o : memref<16x16xf32, #fragment> to memref<16x16xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// The sums of tensor cores, rounded, are the first operand of the next product.
// Where each warp has whole rows they are its own: attention.
// CHECK-LABEL: gpu.func @tensor_rows
// CHECK: nvgpu.mma.sync
// CHECK: nvvm.bar.warp.sync
// CHECK: nvgpu.ldmatrix
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
// With two warps along the columns, a row is written by both.
// CHECK-LABEL: gpu.func @tensor_blocks
// CHECK: nvgpu.mma.sync
// CHECK: gpu.barrier
// CHECK: nvgpu.ldmatrix
// CHECK-NOT: bar.warp.sync
// CHECK: gpu.return
func.func @tensor_rows(%o: memref<128x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.launch (%bx) in [1] threads = 128 {
    %q = tile.alloc {offset = 0 : i64} : memref<128x16xf16, #shared>
    %k = tile.alloc {offset = 4096 : i64} : memref<16x16xf16, #shared>
    %v = tile.alloc {offset = 5120 : i64} : memref<16x16xf16, #shared>
    %p = tile.alloc {offset = 8192 : i64} : memref<128x16xf16, #shared>
    %s = tile.alloc : memref<128x16xf32, #fragment>
    %c = tile.alloc : memref<128x16xf32, #fragment>
    tile.fill %c with %zero : f32, memref<128x16xf32, #fragment>
    tile.gemm %q, %k, %s {clear, transpose_b} : memref<128x16xf16, #shared>, memref<16x16xf16, #shared>, memref<128x16xf32, #fragment>
    tile.copy %s to %p : memref<128x16xf32, #fragment> to memref<128x16xf16, #shared>
    gpu.barrier
    tile.gemm %p, %v, %c : memref<128x16xf16, #shared>, memref<16x16xf16, #shared>, memref<128x16xf32, #fragment>
    tile.copy %c to %o : memref<128x16xf32, #fragment> to memref<128x16xf32>
  }
  return
}
func.func @tensor_blocks(%o: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.launch (%bx) in [1] threads = 128 {
    %q = tile.alloc {offset = 0 : i64} : memref<32x32xf16, #shared>
    %v = tile.alloc {offset = 2048 : i64} : memref<32x32xf16, #shared>
    %p = tile.alloc {offset = 4096 : i64} : memref<32x32xf16, #shared>
    %s = tile.alloc : memref<32x32xf32, #fragment>
    %c = tile.alloc : memref<32x32xf32, #fragment>
    tile.fill %c with %zero : f32, memref<32x32xf32, #fragment>
    tile.gemm %q, %q, %s {clear, transpose_b} : memref<32x32xf16, #shared>, memref<32x32xf16, #shared>, memref<32x32xf32, #fragment>
    tile.copy %s to %p : memref<32x32xf32, #fragment> to memref<32x32xf16, #shared>
    gpu.barrier
    tile.gemm %p, %v, %c : memref<32x32xf16, #shared>, memref<32x32xf16, #shared>, memref<32x32xf32, #fragment>
    tile.copy %c to %o : memref<32x32xf32, #fragment> to memref<32x32xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>

// One warp is all; a mask names no lanes that are not there.
// CHECK-LABEL: gpu.func @one_warp
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.bar.warp.sync
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @half_a_warp
// CHECK: gpu.barrier
// CHECK-NOT: nvvm.bar.warp.sync
// CHECK: gpu.return
func.func @one_warp(%x: f32, %o: memref<32x32xf32>) {
  tile.launch (%bx) in [1] threads = 32 {
    %s = tile.alloc {offset = 0 : i64} : memref<32x32xf32, #shared>
    tile.fill %s with %x : f32, memref<32x32xf32, #shared>
    gpu.barrier
    tile.map (%i, %j) in [32, 32] {
      %y = memref.load %s[%j, %i] : memref<32x32xf32, #shared>
      memref.store %y, %o[%i, %j] : memref<32x32xf32>
    }
  }
  return
}
func.func @half_a_warp(%x: f32, %o: memref<32x32xf32>) {
  tile.launch (%bx) in [1] threads = 16 {
    %s = tile.alloc {offset = 0 : i64} : memref<32x32xf32, #shared>
    tile.fill %s with %x : f32, memref<32x32xf32, #shared>
    gpu.barrier
    tile.map (%i, %j) in [32, 32] {
      %y = memref.load %s[%j, %i] : memref<32x32xf32, #shared>
      memref.store %y, %o[%i, %j] : memref<32x32xf32>
    }
  }
  return
}

// -----

#shared = #tile.space<shared>

// The thread that fills an element also copies to it.
// CHECK-LABEL: gpu.func @fill_and_copy
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @fill_and_copy(%a: memref<32x16xf16>, %x: f16, %c: i1) {
  tile.launch (%bx) in [1] threads = 128 {
    %s = tile.alloc {offset = 0 : i64} : memref<32x16xf16, #shared>
    tile.fill %s with %x : f16, memref<32x16xf16, #shared>
    gpu.barrier
    %t = tile.async.copy %a to %s if %c : memref<32x16xf16> to memref<32x16xf16, #shared>
    %g = tile.async.commit %t
    tile.async.wait %g
  }
  return
}
