// RUN: tile-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Names: operation, then the number of the precondition in its description.

func.func @alloc_p1_dynamic() {
  // expected-error @below {{'tile.alloc' op expects a static shape, but dimension 1 of buffer 'As' is dynamic; allocate its upper bound}}
  %a = tile.alloc {name = "As"} : memref<64x?xf16>
  return
}

// -----

// To name the buffer must not verify the function again.
func.func @alloc_p1_dynamic_without_name() {
  // expected-error @below {{'tile.alloc' op expects a static shape, but dimension 0 of buffer '0' is dynamic}}
  %a = tile.alloc : memref<?xf16>
  return
}

// -----

func.func @alloc_p1_layout() {
  // expected-error @below {{'tile.alloc' op expects an identity layout, got 'memref<64x32xf16, strided<[1, 64]>>'}}
  %a = tile.alloc : memref<64x32xf16, strided<[1, 64]>>
  return
}

// -----

func.func @alloc_p2_versions() {
  // expected-error @below {{'tile.alloc' op expects versions to be at least 1, got 0}}
  %a = tile.alloc {versions = 0} : memref<4xf16>
  return
}

// -----

func.func @alloc_p2_offset() {
  // expected-error @below {{'tile.alloc' op expects offset to be at least 0, got -8}}
  %a = tile.alloc {offset = -8} : memref<4xf16>
  return
}

// -----

func.func @slot_p1(%m: memref<3x4xf16>, %i: index) {
  // expected-error @below {{'tile.slot' op expects result type 'memref<4xf16>', got 'memref<3xf16>'}}
  %v = tile.slot %m[%i] : memref<3x4xf16> -> memref<3xf16>
  return
}

// -----

func.func @slot_p2_dynamic(%m: memref<3x?xf16>, %i: index) {
  // expected-error @below {{'tile.slot' op expects a static source of rank 1 or more with identity layout, got 'memref<3x?xf16>'}}
  %v = tile.slot %m[%i] : memref<3x?xf16> -> memref<?xf16>
  return
}

// -----

func.func @slot_p2_rank(%m: memref<f16>, %i: index) {
  // expected-error @below {{'tile.slot' op expects a static source of rank 1 or more with identity layout, got 'memref<f16>'}}
  %v = tile.slot %m[%i] : memref<f16> -> memref<f16>
  return
}

// -----

func.func @copy_p1_source_offsets(%a: memref<4x4xf16>) {
  // expected-error @below {{'tile.copy' op expects 2 source offsets, got 1}}
  tile.copy %a[0] to %a : memref<4x4xf16> to memref<4x4xf16>
  return
}

// -----

func.func @copy_p1_target_offsets(%a: memref<4x4xf16>) {
  // expected-error @below {{'tile.copy' op expects 2 target offsets, got 3}}
  tile.copy %a to %a[0, 0, 0] : memref<4x4xf16> to memref<4x4xf16>
  return
}

// -----

func.func @copy_p1_sizes(%a: memref<4x4xf16>, %b: memref<4xf16>) {
  // expected-error @below {{'tile.copy' op expects 1 sizes, got 2}}
  tile.copy %a to %b sizes [4, 4] : memref<4x4xf16> to memref<4xf16>
  return
}

// -----

func.func @copy_p1_dynamic_counts(%a: memref<4xf16>, %i: index) {
  // expected-error @below {{'tile.copy' op expects 0 dynamic source offsets, got 1}}
  "tile.copy"(%a, %a, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>,
    static_source_offsets = array<i64: 0>, static_target_offsets = array<i64: 0>,
    static_sizes = array<i64: 4>}> : (memref<4xf16>, memref<4xf16>, index) -> ()
  return
}

// -----

func.func @copy_p2_same_rank(%a: memref<4x4xf16>) {
  // expected-error @below {{'tile.copy' op expects no 'dims' where both sides have rank 2}}
  tile.copy %a to %a dims [0, 1] : memref<4x4xf16> to memref<4x4xf16>
  return
}

// -----

func.func @copy_p2_count(%a: memref<4x4xf16>, %b: memref<4xf16>) {
  // expected-error @below {{'tile.copy' op expects 1 dims, got 2}}
  tile.copy %a to %b dims [0, 1] : memref<4x4xf16> to memref<4xf16>
  return
}

// -----

func.func @copy_p2_range(%a: memref<4x4xf16>, %b: memref<4xf16>) {
  // expected-error @below {{'tile.copy' op expects 'dims' to increase and to be below 2, got 2 after -1}}
  tile.copy %a to %b dims [2] : memref<4x4xf16> to memref<4xf16>
  return
}

// -----

func.func @copy_p2_increasing(%a: memref<4x4x4xf16>, %b: memref<4x4xf16>) {
  // expected-error @below {{'tile.copy' op expects 'dims' to increase and to be below 3, got 0 after 1}}
  tile.copy %a to %b dims [1, 0] : memref<4x4x4xf16> to memref<4x4xf16>
  return
}

// -----

func.func @copy_p3(%a: memref<4xf32>, %b: memref<4xcomplex<f32>>) {
  // expected-error @below {{'tile.copy' op cannot convert elements of 'f32' to 'complex<f32>'}}
  tile.copy %a to %b : memref<4xf32> to memref<4xcomplex<f32>>
  return
}

// -----

func.func @copy_p4(%a: memref<4xf32>, %b: memref<4xf16>, %z: f32) {
  // expected-error @below {{'tile.copy' op expects a fill value of type 'f16', got 'f32'}}
  tile.copy %a to %b fill %z : f32 : memref<4xf32> to memref<4xf16>
  return
}

// -----

func.func @copy_p5_size(%a: memref<4xf32>) {
  // expected-error @below {{'tile.copy' op expects sizes not below 0, got -1}}
  tile.copy %a to %a sizes [-1] : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @copy_p5_above(%a: memref<4x4xf32>) {
  // expected-error @below {{'tile.copy' op expects target offset 1 to be in [0, 4], got 5}}
  tile.copy %a to %a[0, 5] : memref<4x4xf32> to memref<4x4xf32>
  return
}

// -----

func.func @copy_p5_below(%a: memref<4xf32>) {
  // expected-error @below {{'tile.copy' op expects target offset 0 to be in [0, 4], got -1}}
  tile.copy %a to %a[-1] : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @copy_parse_dynamic_shape(%a: memref<?xf32>) {
  // expected-error @below {{expects 'sizes' where the side that gives them (of lower rank, on chip, or the target) is dynamic}}
  tile.copy %a to %a : memref<?xf32> to memref<?xf32>
  return
}

// -----

func.func @copy_parse_dims(%a: memref<4x4xf32>, %b: memref<4xf32>, %i: index) {
  // expected-error @below {{expects constant 'dims'}}
  tile.copy %a to %b dims [%i] : memref<4x4xf32> to memref<4xf32>
  return
}

// -----

func.func @copy_parse_type(%a: memref<4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{expects memref types, got 'tensor<4xf32>'}}
  tile.copy %a to %b : memref<4xf32> to tensor<4xf32>
  return
}

// -----

func.func @copy_parse_offset(%a: memref<4xf32>) {
  // expected-error @below {{expected integer value}}
  tile.copy %a[x] to %a : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @copy_parse_guard(%a: memref<4xf32>, %g: index) {
  // expected-note @above {{prior use here}}
  // expected-error @below {{use of value '%g' expects different type than prior uses: 'i1' vs 'index'}}
  tile.copy %a to %a if %g : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @copy_parse_to(%a: memref<4xf32>) {
  // expected-error @below {{expected 'to'}}
  tile.copy %a, %a : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @async_copy_p1(%a: memref<4x4xf16>) {
  // expected-error @below {{'tile.async.copy' op expects 2 source offsets, got 1}}
  %t = tile.async.copy %a[0] to %a : memref<4x4xf16> to memref<4x4xf16>
  return
}

// -----

func.func @async_copy_p6(%a: memref<4xf32>, %b: memref<4xf16>) {
  // expected-error @below {{'tile.async.copy' op cannot convert elements of 'f32' to 'f16'}}
  %t = tile.async.copy %a to %b : memref<4xf32> to memref<4xf16>
  return
}

// -----

func.func @commit_type(%a: i32) {
  // expected-note @above {{prior use here}}
  // expected-error @below {{use of value '%a' expects different type than prior uses: '!tile.token' vs 'i32'}}
  %g = tile.async.commit %a
  return
}

// -----

func.func @wait_p1() {
  // expected-error @below {{'tile.async.wait' op expects a token or a pending count}}
  tile.async.wait
  return
}

// -----

func.func @wait_p2() {
  // expected-error @below {{'tile.async.wait' op expects pending to be at least 0, got -1}}
  tile.async.wait pending = -1
  return
}

// -----

func.func @fill_p1_offsets(%a: memref<4x4xf32>, %v: f32) {
  // expected-error @below {{'tile.fill' op expects 2 offsets, got 1}}
  tile.fill %a[0] sizes [4, 4] with %v : f32, memref<4x4xf32>
  return
}

// -----

func.func @fill_p1_sizes(%a: memref<4x4xf32>, %v: f32) {
  // expected-error @below {{'tile.fill' op expects 2 sizes, got 3}}
  tile.fill %a[0, 0] sizes [4, 4, 4] with %v : f32, memref<4x4xf32>
  return
}

// -----

func.func @fill_p1_dynamic_counts(%a: memref<4xf32>, %v: f32) {
  // expected-error @below {{'tile.fill' op expects 1 dynamic offsets, got 0}}
  "tile.fill"(%a, %v) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>,
    static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 4>}> : (memref<4xf32>, f32) -> ()
  return
}

// -----

func.func @fill_p2(%a: memref<4xf32>, %v: f16) {
  // expected-error @below {{'tile.fill' op expects a value of type 'f32', got 'f16'}}
  tile.fill %a with %v : f16, memref<4xf32>
  return
}

// -----

func.func @fill_p3(%a: memref<4x8xf32>, %v: f32) {
  // expected-error @below {{'tile.fill' op expects the region to be in bounds, but dimension 1 runs from 6 over 4 of 8 elements}}
  tile.fill %a[0, 6] sizes [4, 4] with %v : f32, memref<4x8xf32>
  return
}

// -----

func.func @fill_p3_overflow(%a: memref<4xf32>, %v: f32) {
  // expected-error @below {{dimension 0 runs from 2 over 9223372036854775807 of 4 elements}}
  tile.fill %a[2] sizes [9223372036854775807] with %v : f32, memref<4xf32>
  return
}

// -----

func.func @fill_p3_negative_size(%a: memref<4xf32>, %v: f32) {
  // expected-error @below {{'tile.fill' op expects sizes not below 0, got -4}}
  tile.fill %a[0] sizes [-4] with %v : f32, memref<4xf32>
  return
}

// -----

func.func @fill_parse_dynamic(%a: memref<?xf32>, %v: f32) {
  // expected-error @below {{expects a region where the target is dynamic}}
  tile.fill %a with %v : f32, memref<?xf32>
  return
}

// -----

func.func @gemm_p1_rank(%a: memref<4xf16>, %b: memref<4x4xf16>) {
  // expected-error @below {{'tile.gemm' op expects 'a' to have rank 2, got 'memref<4xf16>'}}
  tile.gemm %a, %b, %b : memref<4xf16>, memref<4x4xf16>, memref<4x4xf16>
  return
}

// -----

func.func @gemm_p1_k(%a: memref<4x8xf16>, %b: memref<16x4xf16>, %c: memref<4x4xf16>) {
  // expected-error @below {{'tile.gemm' op extents of k in 'a' and 'b' do not agree: 8 and 16}}
  tile.gemm %a, %b, %c : memref<4x8xf16>, memref<16x4xf16>, memref<4x4xf16>
  return
}

// -----

func.func @gemm_p1_m_transposed(%a: memref<8x4xf16>, %b: memref<8x4xf16>, %c: memref<5x4xf16>) {
  // expected-error @below {{'tile.gemm' op extents of m in 'a' and 'c' do not agree: 4 and 5}}
  tile.gemm %a, %b, %c {transpose_a} : memref<8x4xf16>, memref<8x4xf16>, memref<5x4xf16>
  return
}

// -----

func.func @gemm_p1_n_transposed(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %c: memref<4x8xf16>) {
  // expected-error @below {{'tile.gemm' op extents of n in 'b' and 'c' do not agree: 6 and 8}}
  tile.gemm %a, %b, %c {transpose_b} : memref<4x8xf16>, memref<6x8xf16>, memref<4x8xf16>
  return
}

// -----

func.func @gemm_p2_kind(%a: memref<4x4xi8>, %c: memref<4x4xf32>) {
  // expected-error @below {{'tile.gemm' op cannot accumulate 'a' of 'i8' in 'c' of 'f32'}}
  tile.gemm %a, %a, %c : memref<4x4xi8>, memref<4x4xi8>, memref<4x4xf32>
  return
}

// -----

func.func @gemm_p2_width(%a: memref<4x4xf16>, %b: memref<4x4xf32>, %c: memref<4x4xf16>) {
  // expected-error @below {{'tile.gemm' op cannot accumulate 'b' of 'f32' in 'c' of 'f16'}}
  tile.gemm %a, %b, %c : memref<4x4xf16>, memref<4x4xf32>, memref<4x4xf16>
  return
}

// -----

func.func @reduce_p1(%s: memref<4x8xf32>, %m: memref<4xf32>) {
  // expected-error @below {{'tile.reduce' op expects a dimension in [0, 2), got 2}}
  tile.reduce <sum> %s into %m dimension 2 : memref<4x8xf32>, memref<4xf32>
  return
}

// -----

func.func @reduce_p1_negative(%s: memref<4x8xf32>, %m: memref<4xf32>) {
  // expected-error @below {{'tile.reduce' op expects a dimension in [0, 2), got -1}}
  tile.reduce <sum> %s into %m dimension -1 : memref<4x8xf32>, memref<4xf32>
  return
}

// -----

func.func @reduce_p1_scalar(%s: memref<f32>) {
  // expected-error @below {{'tile.reduce' op expects a dimension in [0, 0), got 0}}
  tile.reduce <sum> %s into %s dimension 0 : memref<f32>, memref<f32>
  return
}

// -----

func.func @reduce_p2(%s: memref<4x8xf32>, %m: memref<8xf32>) {
  // expected-error @below {{'tile.reduce' op expects a target with the shape of the source without dimension 1, got 'memref<8xf32>' for 'memref<4x8xf32>'}}
  tile.reduce <sum> %s into %m dimension 1 : memref<4x8xf32>, memref<8xf32>
  return
}

// -----

func.func @reduce_p2_elements(%s: memref<4x8xf32>, %m: memref<4xi32>) {
  // expected-error @below {{'tile.reduce' op cannot reduce elements of 'f32' to 'i32'}}
  tile.reduce <sum> %s into %m dimension 1 : memref<4x8xf32>, memref<4xi32>
  return
}

// -----

func.func @reduce_p3(%s: memref<4x8xf32>, %m: memref<4xf32>) {
  // expected-error @below {{'tile.reduce' op expects integers for 'xor', got 'f32'}}
  tile.reduce <xor> %s into %m dimension 1 : memref<4x8xf32>, memref<4xf32>
  return
}

// -----

func.func @map_p1_none() {
  // expected-error @below {{'tile.map' op expects 1 to 16 extents, got 0}}
  tile.map () in [] {
  }
  return
}

// -----

func.func @map_p1_count() {
  // expected-error @below {{'tile.map' op expects 2 block arguments, got 1}}
  tile.map (%i) in [4, 4] {
  }
  return
}

// -----

func.func @map_p1_type() {
  // expected-error @below {{'tile.map' op expects block arguments of type index, got 'i32'}}
  "tile.map"() <{static_extents = array<i64: 4>}> ({
  ^bb0(%i: i32):
    "tile.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @map_p1_dynamic_counts(%n: index) {
  // expected-error @below {{'tile.map' op expects 0 dynamic extents, got 1}}
  "tile.map"(%n) <{static_extents = array<i64: 4>}> ({
  ^bb0(%i: index):
    "tile.yield"() : () -> ()
  }) : (index) -> ()
  return
}

// -----

func.func @map_p2(%x: f32) {
  // expected-error @below {{'tile.map' op expects a 'tile.yield' without operands, got 1}}
  tile.map (%i) in [4] {
    tile.yield %x : f32
  }
  return
}

// -----

func.func @map_p2_terminator() {
  // expected-error @below {{'tile.map' op expects regions to end with 'tile.yield', found 'test.end'}}
  // expected-note @below {{the absence of terminator implies 'tile.yield'}}
  "tile.map"() <{static_extents = array<i64: 4>}> ({
  ^bb0(%i: index):
    "test.end"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @map_p3() {
  // expected-error @below {{'tile.map' op expects extents not below 0, got -4}}
  tile.map (%i) in [-4] {
  }
  return
}

// -----

func.func @atomic_p1(%y: memref<4x4xf32>, %v: f32, %i: index) {
  // expected-error @below {{'tile.atomic' op expects 2 indices, got 1}}
  tile.atomic <add> %v, %y[%i] : f32, memref<4x4xf32>
  return
}

// -----

func.func @atomic_p2(%y: memref<4xf32>, %v: f16, %i: index) {
  // expected-error @below {{'tile.atomic' op expects a value of type 'f32', got 'f16'}}
  tile.atomic <add> %v, %y[%i] : f16, memref<4xf32>
  return
}

// -----

func.func @atomic_p2_integers(%y: memref<4xf32>, %v: f32, %i: index) {
  // expected-error @below {{'tile.atomic' op expects integers for 'or', got 'f32'}}
  tile.atomic <or> %v, %y[%i] : f32, memref<4xf32>
  return
}

// -----

func.func @launch_p1() {
  // expected-error @below {{'tile.launch' op expects 1 to 3 extents, got 4}}
  tile.launch (%a, %b, %c, %d) in [1, 1, 1, 1] threads = 32 {
  }
  return
}

// -----

func.func @launch_p2() {
  // expected-error @below {{'tile.launch' op expects threads to be at least 1, got 0}}
  tile.launch (%a) in [1] threads = 0 {
  }
  return
}

// -----

func.func @launch_p3() {
  // expected-error @below {{'tile.launch' op expects extents not below 0, got -1}}
  tile.launch (%a) in [-1] threads = 32 {
  }
  return
}

// -----

func.func @launch_parse_threads() {
  // expected-error @below {{expected 'threads'}}
  tile.launch (%a) in [1] {
  }
  return
}

// -----

func.func @pipeline_p1(%n: index) {
  // expected-error @below {{'tile.pipeline' op expects num_stages to be at least 0, got -2}}
  tile.pipeline %k = %n to %n step %n num_stages = -2 {
  }
  return
}

// -----

func.func @pipeline_p2_alone(%n: index) {
  // expected-error @below {{'tile.pipeline' op expects 'stage' and 'order' together, got only 'stage'}}
  tile.pipeline %k = %n to %n step %n stage = [0] {
  }
  return
}

// -----

func.func @pipeline_p2_order_alone(%n: index) {
  // expected-error @below {{'tile.pipeline' op expects 'stage' and 'order' together, got only 'order'}}
  tile.pipeline %k = %n to %n step %n order = [0] {
  }
  return
}

// -----

func.func @pipeline_p2_length(%n: index) {
  // expected-error @below {{'tile.pipeline' op expects 'stage' and 'order' of one length, got 2 and 3}}
  tile.pipeline %k = %n to %n step %n stage = [0, 1] order = [0, 1, 2] {
  }
  return
}

// -----

func.func @pipeline_p2_negative(%n: index) {
  // expected-error @below {{'tile.pipeline' op expects 'stage' not below 0, got -1 at position 1}}
  tile.pipeline %k = %n to %n step %n stage = [0, -1] order = [0, 1] {
  }
  return
}

// -----

func.func @pipeline_p2_twice(%n: index) {
  // expected-error @below {{'tile.pipeline' op expects distinct 'order' numbers, got 1 at positions 0 and 2}}
  tile.pipeline %k = %n to %n step %n stage = [0, 0, 1] order = [1, 0, 1] {
  }
  return
}

// -----

func.func @pipeline_p2_parse(%n: index) {
  // expected-error @below {{expects constants in 'stage'}}
  tile.pipeline %k = %n to %n step %n stage = [%n] order = [0] {
  }
  return
}

// -----

func.func @pipeline_p3_arguments(%n: index) {
  // expected-error @below {{'tile.pipeline' op expects an index and 0 iter_args as block arguments, got 0}}
  "tile.pipeline"(%n, %n, %n) ({
    "tile.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @pipeline_p3_yield(%n: index, %x: f32) {
  // expected-error @below {{'tile.pipeline' op 0-th region iter_arg and 0-th yielded value have different type: 'f32' != 'index'}}
  %r = tile.pipeline %k = %n to %n step %n iter_args(%a = %x) -> (f32) {
    tile.yield %k : index
  }
  return
}

// -----

func.func @pipeline_p3_yield_count(%n: index, %x: f32) {
  // expected-error @below {{region branch point has 0 operands, but region successor needs 1 inputs}}
  "tile.pipeline"(%n, %n, %n, %x) ({
  ^bb0(%k: index, %a: f32):
    // expected-note @below {{region branch point}}
    "tile.yield"() : () -> ()
  }) : (index, index, index, f32) -> (f32)
  return
}

// -----

func.func @pipeline_p3_results(%n: index, %x: f32) {
  // expected-error @below {{'tile.pipeline' op different number of loop results and region iter_args: 0 != 1}}
  "tile.pipeline"(%n, %n, %n, %x) ({
  ^bb0(%k: index, %a: f32):
    "tile.yield"(%a) : (f32) -> ()
  }) : (index, index, index, f32) -> ()
  return
}

// -----

func.func @pipeline_p3_inits(%n: index, %x: f32) {
  // expected-error @below {{'tile.pipeline' op different number of inits and region iter_args: 1 != 0}}
  "tile.pipeline"(%n, %n, %n, %x) ({
  ^bb0(%k: index):
    "tile.yield"() : () -> ()
  }) : (index, index, index, f32) -> (f32)
  return
}

// -----

func.func @pipeline_p3_iv(%n: index, %x: f32) {
  // expected-error @below {{'tile.pipeline' op expects an index as first block argument, got 'i32'}}
  "tile.pipeline"(%n, %n, %n) ({
  ^bb0(%k: i32):
    "tile.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @pipeline_p3_parse(%n: index, %x: f32) {
  // expected-error @below {{number of operands and types do not match: got 1 operands and 2 types}}
  %r:2 = tile.pipeline %k = %n to %n step %n iter_args(%a = %x) -> (f32, f32) {
    tile.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @pipeline_p3_terminator(%n: index) {
  // expected-error @below {{'tile.pipeline' op expects regions to end with 'tile.yield', found 'test.end'}}
  // expected-note @below {{the absence of terminator implies 'tile.yield'}}
  "tile.pipeline"(%n, %n, %n) ({
  ^bb0(%i: index):
    "test.end"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @pipeline_p3_empty(%n: index) {
  // expected-error @below {{'tile.pipeline' op expects a non-empty block}}
  "tile.pipeline"(%n, %n, %n) ({
  ^bb0(%i: index):
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @pipeline_p4(%n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'tile.pipeline' op expects a step other than 0}}
  tile.pipeline %k = %n to %n step %c0 {
  }
  return
}

// -----

func.func @iteration_p1(%n: index) {
  // expected-error @below {{'tile.iteration' op expects the induction variable of a 'tile.pipeline'}}
  %i = tile.iteration %n
  return
}

// -----

func.func @iteration_p1_iter_arg(%n: index) {
  %r = tile.pipeline %k = %n to %n step %n iter_args(%a = %n) -> (index) {
    // expected-error @below {{'tile.iteration' op expects the induction variable of a 'tile.pipeline'}}
    %i = tile.iteration %a
    tile.yield %i : index
  }
  return
}

// -----

func.func @yield_parent() {
  // expected-error @below {{'tile.yield' op expects parent op to be one of 'tile.map, tile.launch, tile.pipeline'}}
  "tile.yield"() : () -> ()
}

// -----

// Attributes on foreign operations: no key without a meaning.

func.func @stage_type(%n: index, %s: memref<4xf32>, %v: f32) {
  tile.pipeline %k = %n to %n step %n {
    // expected-error @below {{'tile.fill' op expects 'tile.stage' to be a #tile.stage, got 2 : i64}}
    tile.fill %s with %v {tile.stage = 2} : f32, memref<4xf32>
  }
  return
}

// -----

func.func @stage_place(%s: memref<4xf32>, %v: f32) {
  // expected-error @below {{'tile.fill' op has 'tile.stage' but is not a statement of a 'tile.pipeline'}}
  tile.fill %s with %v {tile.stage = #tile.stage<0, order = 0>} : f32, memref<4xf32>
  return
}

// -----

// expected-error @below {{'builtin.module' op expects 'tile.target' to be a #tile.target, got "sm_80"}}
module attributes {tile.target = "sm_80"} {
}

// -----

// expected-error @below {{'func.func' op has 'tile.target' but is not a module}}
func.func @target_place() attributes {tile.target = #tile.target<"none", memories = [], transfers = [], units = []>} {
  return
}

// -----

// expected-error @below {{'func.func' op has 'tile.num_stages' but is not an 'scf.for'}}
func.func @num_stages_place() attributes {tile.num_stages = 2} {
  return
}

// -----

func.func @num_stages_negative(%n: index) {
  // expected-error @below {{'scf.for' op expects 'tile.num_stages' to be a non-negative i64, got -1 : i64}}
  scf.for %i = %n to %n step %n {
  } {tile.num_stages = -1}
  return
}

// -----

func.func @num_stages_type(%n: index) {
  // expected-error @below {{'scf.for' op expects 'tile.num_stages' to be a non-negative i64, got 3 : ui8}}
  scf.for %i = %n to %n step %n {
  } {tile.num_stages = 3 : ui8}
  return
}

// -----

func.func @stages_type(%n: index) {
  // expected-error @below {{'scf.for' op expects 'tile.stages' to be an array<i64>, got [0, 1]}}
  scf.for %i = %n to %n step %n {
  } {tile.stages = [0, 1]}
  return
}

// -----

// expected-error @below {{'func.func' op has 'tile.orders' but is not an 'scf.for'}}
func.func @orders_place() attributes {tile.orders = array<i64: 0>} {
  return
}

// -----

// expected-error @below {{'func.func' op has unknown attribute 'tile.color'}}
func.func @unknown_attribute() attributes {tile.color = 2} {
  return
}

// -----

// Attributes that say something impossible.

// expected-error @below {{expects stage to be at least 0, got -1}}
func.func private @stage_negative() attributes {a = #tile.stage<-1, order = 0>}

// -----

// expected-error @below {{expects order to be at least 0, got -1}}
func.func private @order_negative() attributes {a = #tile.stage<0, order = -1>}

// -----

// expected-error @below {{expects depth to be at least 1, got 0}}
func.func private @depth_zero() attributes {a = #tile.pipeline_schedule<depth = 0>}

// -----

// expected-error @below {{expects ii to be at least 0, got -5}}
func.func private @ii_negative() attributes {a = #tile.pipeline_schedule<depth = 1, ii = -5>}

// -----

// expected-error @below {{expects capacity to be at least 0, got -1}}
func.func private @capacity_negative() attributes {a = #tile.memory<shared, capacity = -1, align = 16>}

// -----

// expected-error @below {{expects align to be a power of two, got 24}}
func.func private @align_not_power() attributes {a = #tile.memory<shared, capacity = 1, align = 24>}

// -----

// expected-error @below {{expects align to be a power of two, got 0}}
func.func private @align_zero() attributes {a = #tile.memory<shared, capacity = 1, align = 0>}

// -----

// expected-error @below {{expects issue to be at least 0, got -1}}
func.func private @transfer_issue() attributes {a = #tile.transfer<global to shared, unit = "c", async = true, issue = -1, latency = 0, bytes_per_cycle = 1>}

// -----

// expected-error @below {{expects latency to be at least 0, got -1}}
func.func private @transfer_latency() attributes {a = #tile.transfer<global to shared, unit = "c", async = true, issue = 0, latency = -1, bytes_per_cycle = 1>}

// -----

// expected-error @below {{expects bytes_per_cycle to be at least 1, got 0}}
func.func private @transfer_bandwidth() attributes {a = #tile.transfer<global to shared, unit = "c", async = true, issue = 0, latency = 0, bytes_per_cycle = 0>}

// -----

// expected-error @below {{expects ops_per_cycle to be at least 1, got 0}}
func.func private @unit_ops() attributes {a = #tile.unit<tensor, ops_per_cycle = 0, latency = 1>}

// -----

// expected-error @below {{expects latency to be at least 0, got -1}}
func.func private @unit_latency() attributes {a = #tile.unit<tensor, ops_per_cycle = 1, latency = -1>}

// -----

// expected-error @below {{describes memory 'shared' twice}}
func.func private @target_memories() attributes {a = #tile.target<"t", memories = [#tile.memory<shared, capacity = 1, align = 1>, #tile.memory<shared, capacity = 2, align = 1>], transfers = [], units = []>}

// -----

// expected-error @below {{describes the path from 'global' to 'shared' twice}}
func.func private @target_transfers() attributes {a = #tile.target<"t", memories = [], transfers = [#tile.transfer<global to shared, unit = "c", async = true, issue = 0, latency = 0, bytes_per_cycle = 1>, #tile.transfer<global to shared, unit = "d", async = true, issue = 0, latency = 0, bytes_per_cycle = 1>], units = []>}

// -----

// expected-error @below {{describes unit 'tensor' twice}}
func.func private @target_units() attributes {a = #tile.target<"t", memories = [], transfers = [], units = [#tile.unit<tensor, ops_per_cycle = 1, latency = 0>, #tile.unit<tensor, ops_per_cycle = 2, latency = 0>]>}

// -----

// expected-error @+2 {{expected one of [global, shared, fragment, l1, l0a, l0b, l0c, ub, bt, fb] for where a buffer lives, got: local}}
// expected-error @+1 {{failed to parse Tile_SpaceAttr parameter 'value'}}
func.func private @space_unknown(memref<4xf32, #tile.space<local>>)
