// RUN: tile-opt %s -split-input-file --tile-set-target=chip=dav-2201 --tile-assign-spaces --inject-software-pipeline --convert-tile-to-ascend --canonicalize --cse | FileCheck %s

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// B as [n, k] is loaded as it is, A row by row of fractals; the first product of
// the loop starts the sums, and nothing else sets them to zero.
// CHECK-LABEL: ascend.func @gemm_nt(
// CHECK-SAME:    %[[A:[^:]*]]: memref<64x128xf16>, %[[B:[^:]*]]: memref<48x128xf16>, %[[C:[^:]*]]: memref<64x48xf16>)
// CHECK-SAME:    core = #ascend.core<cube>
// CHECK-NOT:     ascend.fill_l1
// CHECK:         scf.for %[[K:.*]] = %[[C0:.*]] to
// CHECK:           ascend.nd2nz %[[A]][%{{.*}}] to %[[AS:.*]][%[[C0]]] rows %c64 columns %c32 stride %c128 pitch %c64
// CHECK:           ascend.nd2nz %[[B]][%{{.*}}] to %[[BS:.*]][%[[C0]]] rows %c48 columns %c32 stride %c128 pitch %c48
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %[[C0]]
// CHECK:           %[[A0:.*]] = tile.slot %{{.*}}[%[[C0]]] : memref<2x64x16xf16, #tile.space<l0a>>
// CHECK:           %[[B0:.*]] = tile.slot %{{.*}}[%[[C0]]] : memref<2x48x16xf16, #tile.space<l0b>>
// CHECK:           ascend.load_l0 %[[AS]][%[[C0]]] to %[[A0]][%[[C0]]] repeat %c4 stride %c1 gap %[[C0]] :
// CHECK:           ascend.load_l0 %[[BS]][%[[C0]]] to %[[B0]][%[[C0]]] repeat %c3 stride %c1 gap %[[C0]] :
// CHECK:           ascend.mma %[[SUMS:.*]][%[[C0]]], %[[A0]][%[[C0]]], %[[B0]][%[[C0]]] m %c64 k %c16 n %c48 init %[[FIRST]]
// CHECK:           ascend.load_l0 %[[AS]][%c1024] to
// CHECK:           ascend.load_l0 %[[BS]][%c768] to
// CHECK:           ascend.mma %{{.*}} init %false
// CHECK:         ascend.fixpipe %[[SUMS]][%[[C0]]] to %[[C]][%[[C0]]] m %c64 n %c48 pitch %c64 stride %c48 :
// CHECK-SAME:    memref<64x48xf16>
func.func @gemm_nt(%a: memref<64x128xf16>, %b: memref<48x128xf16>, %c: memref<64x48xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  tile.launch (%i) in [1] threads = 128 {
    %A = tile.alloc : memref<64x32xf16, #shared>
    %B = tile.alloc : memref<48x32xf16, #shared>
    %C = tile.alloc : memref<64x48xf32, #fragment>
    tile.fill %C with %zero : f32, memref<64x48xf32, #fragment>
    tile.pipeline %ko = %c0 to %c4 step %c1 {
      %k = arith.muli %ko, %c32 : index
      tile.copy %a[0, %k] to %A : memref<64x128xf16> to memref<64x32xf16, #shared>
      tile.copy %b[0, %k] to %B : memref<48x128xf16> to memref<48x32xf16, #shared>
      tile.gemm %A, %B, %C {transpose_b} : memref<64x32xf16, #shared>, memref<48x32xf16, #shared>, memref<64x48xf32, #fragment>
    }
    tile.copy %C to %c : memref<64x48xf32, #fragment> to memref<64x48xf16>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// B as [k, n] and A as [k, m] are transposed on the way to L0. A loop that may not
// run starts from a product of zeros, and no gemm of it starts the sums.
// CHECK-LABEL: ascend.func @gemm_tn_dynamic(
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[FALSE:.*]] = arith.constant false
// CHECK-DAG:     %[[TRUE:.*]] = arith.constant true
// CHECK:         ascend.fill_l1 %[[Z:.*]][%[[C0]]] with %{{.*}} repeat %c1 blocks %c16 gap %[[C0]]
// CHECK:         ascend.load_l0 %[[Z]][%[[C0]]] to %[[ZA:.*]][%[[C0]]] repeat %c2 stride %[[C0]]
// CHECK:         ascend.load_l0 %[[Z]][%[[C0]]] to %[[ZB:.*]][%[[C0]]] repeat %c3 stride %[[C0]]
// CHECK:         ascend.mma %[[SUMS:.*]][%[[C0]]], %[[ZA]][%[[C0]]], %[[ZB]][%[[C0]]] m %c32 k %c16 n %c48 init %[[TRUE]]
// CHECK:         scf.for
// CHECK:           ascend.load_l0 %{{.*}} repeat %c2 stride %c2 gap %[[C0]] transpose
// CHECK:           ascend.load_l0 %{{.*}} repeat %c3 stride %c2 gap %[[C0]] transpose
// CHECK:           ascend.mma %[[SUMS]]{{.*}} init %[[FALSE]]
func.func @gemm_tn_dynamic(%a: memref<?x32xf16>, %b: memref<?x48xf16>, %c: memref<32x48xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  tile.launch (%i) in [1] threads = 128 {
    %A = tile.alloc : memref<32x32xf16, #shared>
    %B = tile.alloc : memref<32x48xf16, #shared>
    %C = tile.alloc : memref<32x48xf32, #fragment>
    tile.fill %C with %zero : f32, memref<32x48xf32, #fragment>
    tile.pipeline %ko = %c0 to %n step %c1 {
      tile.gemm %A, %B, %C {transpose_a} : memref<32x32xf16, #shared>, memref<32x48xf16, #shared>, memref<32x48xf32, #fragment>
    }
    tile.copy %C to %c : memref<32x48xf32, #fragment> to memref<32x48xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// At the edge only what is there is copied, after the tile was set to zero; in
// the middle (here: never, there are 64 columns and 40 of them are there) it is not.
// CHECK-LABEL: ascend.func @edge(
// CHECK-SAME:    %[[A:[^:]*]]: memref<100x40xf16>
// CHECK:         %[[LEFT:.*]] = arith.subi %c100, %{{.*}}
// CHECK:         %[[ROWS:.*]] = arith.minsi %[[LEFT]], %c64
// CHECK-NOT:     scf.if
// CHECK:         ascend.fill_l1 %[[T:.*]][%c0] with %{{.*}} repeat %c1 blocks %c256 gap %c0
// CHECK:         ascend.nd2nz %[[A]][%{{.*}}] to %[[T]][%c0] rows %[[ROWS]] columns %c40 stride %c40 pitch %c64
// CHECK:         ascend.fixpipe %{{.*}} m %[[ROWS]] n %c30 pitch %c64 stride %c30 relu
func.func @edge(%a: memref<100x40xf16>, %c: memref<100x30xf32>) {
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  tile.launch (%i) in [2] threads = 128 {
    %row = arith.muli %i, %c64 : index
    %A = tile.alloc : memref<64x64xf16, #shared>
    %B = tile.alloc : memref<32x64xf16, #shared>
    %C = tile.alloc : memref<64x32xf32, #fragment>
    tile.copy %a[%row, 0] to %A : memref<100x40xf16> to memref<64x64xf16, #shared>
    tile.gemm %A, %B, %C {clear, transpose_b} : memref<64x64xf16, #shared>, memref<32x64xf16, #shared>, memref<64x32xf32, #fragment>
    tile.map (%r, %s) in [64, 32] {
      %x = memref.load %C[%r, %s] : memref<64x32xf32, #fragment>
      %y = arith.maxnumf %x, %zero : f32
      memref.store %y, %C[%r, %s] : memref<64x32xf32, #fragment>
    }
    tile.copy %C to %c[%row, 0] : memref<64x32xf32, #fragment> to memref<100x30xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Whole tiles take a branch of their own: the fill needs a barrier.
// CHECK-LABEL: ascend.func @middle(
// CHECK:         %[[ROWS:.*]] = arith.minsi %{{.*}}, %c64
// CHECK:         %[[EDGE:.*]] = arith.cmpi slt, %[[ROWS]], %c64
// CHECK:         scf.if %[[EDGE]] {
// CHECK:           ascend.fill_l1
// CHECK-NEXT:      ascend.barrier <mte2>
// CHECK:           ascend.nd2nz {{.*}} rows %[[ROWS]] columns %c64
// CHECK:         } else {
// CHECK:           ascend.nd2nz {{.*}} rows %c64 columns %c64
// CHECK:         }
func.func @middle(%a: memref<100x64xf16>, %c: memref<100x32xf32>) {
  %c64 = arith.constant 64 : index
  tile.launch (%i) in [2] threads = 128 {
    %row = arith.muli %i, %c64 : index
    %A = tile.alloc : memref<64x64xf16, #shared>
    %B = tile.alloc : memref<32x64xf16, #shared>
    %C = tile.alloc : memref<64x32xf32, #fragment>
    tile.copy %a[%row, 0] to %A : memref<100x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %A, %B, %C {clear, transpose_b} : memref<64x64xf16, #shared>, memref<32x64xf16, #shared>, memref<64x32xf32, #fragment>
    tile.copy %C to %c[%row, 0] : memref<64x32xf32, #fragment> to memref<100x32xf32>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Fills of one group come before its loads: the vector pipe hands over both
// tiles at once.
// CHECK-LABEL: ascend.func @fills_first(
// CHECK:         ascend.vdup
// CHECK:         ascend.vdup
// CHECK:         ascend.load
// CHECK:         ascend.load
// CHECK:         ascend.vbinary
func.func @fills_first(%a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.launch (%i) in [2] threads = 128 {
    %at = arith.muli %i, %c64 : index
    %X = tile.alloc : memref<64xf32, #shared>
    %Y = tile.alloc : memref<64xf32, #shared>
    tile.copy %a[%at] to %X : memref<?xf32> to memref<64xf32, #shared>
    tile.copy %b[%at] to %Y : memref<?xf32> to memref<64xf32, #shared>
    tile.map (%j) in [64] {
      %x = memref.load %X[%j] : memref<64xf32, #shared>
      %y = memref.load %Y[%j] : memref<64xf32, #shared>
      %z = arith.addf %x, %y : f32
      memref.store %z, %X[%j] : memref<64xf32, #shared>
    }
    tile.copy %X to %a[%at] : memref<64xf32, #shared> to memref<?xf32>
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// A tile that may reach past the edge is filled first, and padded by the load.
// CHECK-LABEL: ascend.func @vector_edge(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?xf32>
// CHECK-SAME:    core = #ascend.core<vector>
// CHECK:         %[[N:.*]] = memref.dim %[[A]]
// CHECK:         %[[REST:.*]] = arith.subi %[[N]], %[[AT:.*]] : index
// CHECK:         %[[POS:.*]] = arith.maxsi %[[REST]], %c0
// CHECK:         %[[COUNT:.*]] = arith.minsi %[[POS]], %c64
// CHECK:         scf.if
// CHECK:           ascend.vdup %[[T:.*]][%c0], %[[ZERO:.*]] count %c64
// CHECK:         scf.if
// CHECK:           ascend.load %[[A]][%[[AT]]] to %[[T]][%c0] rows %c1 columns %[[COUNT]] stride %{{.*}} pitch %c64 pad %[[ZERO]] : f32
// CHECK:         ascend.vunary <exp> %[[T]][%c0], %[[T]][%c0] count %c64
// CHECK:         ascend.store %[[T]][%c0] to %[[A]][%[[AT]]] rows %c1 columns %[[COUNT]]
func.func @vector_edge(%a: memref<?xf32>) {
  %c64 = arith.constant 64 : index
  tile.launch (%i) in [2] threads = 128 {
    %at = arith.muli %i, %c64 : index
    %T = tile.alloc : memref<64xf32, #fragment>
    tile.copy %a[%at] to %T : memref<?xf32> to memref<64xf32, #fragment>
    tile.map (%j) in [64] {
      %x = memref.load %T[%j] : memref<64xf32, #fragment>
      %y = math.exp %x : f32
      memref.store %y, %T[%j] : memref<64xf32, #fragment>
    }
    tile.copy %T to %a[%at] : memref<64xf32, #fragment> to memref<?xf32>
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// A row is used again and again for all rows, a column as a block for each row.
// CHECK-LABEL: ascend.func @broadcasts(
// CHECK:         %[[M:.*]] = tile.alloc {name = "m"}
// CHECK:         ascend.vbinary <add> %[[X:.*]][%c0], %[[X]][%c0], %{{.*}}[%c0] count %c64 repeat %c16 blocks [1, 1, 1] repeats [16, 16, 0]
// CHECK:         ascend.vbinary <add> %[[X]][%c64], %[[X]][%c64], %{{.*}}[%c64] count %c64 repeat %c16 blocks [1, 1, 1] repeats [16, 16, 0]
// CHECK:         ascend.vbroadcast %[[B:.*]][%c0], %[[M]][%c0] repeat %c2
// CHECK:         ascend.vbinary <sub> %[[X]][%c0], %[[X]][%c0], %[[B]][%c0] count %c64 repeat %c16 blocks [1, 1, 0] repeats [16, 16, 1]
func.func @broadcasts(%s: f32) {
  tile.launch (%i) in [2] threads = 128 {
    %X = tile.alloc {name = "x"} : memref<16x128xf32, #fragment>
    %r = tile.alloc {name = "r"} : memref<128xf32, #fragment>
    %m = tile.alloc {name = "m"} : memref<16xf32, #fragment>
    tile.map (%a, %b) in [16, 128] {
      %x = memref.load %X[%a, %b] : memref<16x128xf32, #fragment>
      %y = memref.load %r[%b] : memref<128xf32, #fragment>
      %z = arith.addf %x, %y : f32
      memref.store %z, %X[%a, %b] : memref<16x128xf32, #fragment>
    }
    tile.map (%a, %b) in [16, 128] {
      %x = memref.load %X[%a, %b] : memref<16x128xf32, #fragment>
      %y = memref.load %m[%a] : memref<16xf32, #fragment>
      %z = arith.subf %x, %y : f32
      memref.store %z, %X[%a, %b] : memref<16x128xf32, #fragment>
    }
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// Columns before a limit come from one value, the others from the other.
// CHECK-LABEL: ascend.func @choice(
// CHECK-SAME:    %[[N:[^:]*]]: index
// CHECK:         %[[LIMIT:.*]] = arith.maxsi %[[N]], %c0
// CHECK:         ascend.vdup %[[Y:.*]][%c0], %{{.*}} count %c512
// CHECK:         %[[COUNT:.*]] = arith.minsi %[[LIMIT]], %c32
// CHECK:         scf.if
// CHECK:           ascend.vscalar <muls> %[[Y]][%c0], %[[X:.*]][%c0], %{{.*}} count %[[COUNT]] repeat %c16 blocks [1, 1] repeats [4, 4]
func.func @choice(%n: index) {
  %low = arith.constant -1.0e30 : f32
  tile.launch (%i) in [2] threads = 128 {
    %X = tile.alloc {name = "x"} : memref<16x32xf32, #fragment>
    %Y = tile.alloc {name = "y"} : memref<16x32xf32, #fragment>
    tile.map (%a, %b) in [16, 32] {
      %c = arith.cmpi slt, %b, %n : index
      %v = scf.if %c -> (f32) {
        %x = memref.load %X[%a, %b] : memref<16x32xf32, #fragment>
        scf.yield %x : f32
      } else {
        scf.yield %low : f32
      }
      memref.store %v, %Y[%a, %b] : memref<16x32xf32, #fragment>
    }
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// A value that is read before its element is written is not lost.
// CHECK-LABEL: ascend.func @swap(
// CHECK:         ascend.vscalar <muls> %[[OLD:.*]][%c0], %[[X:.*]][%c0], %[[ONE:.*]] count %c64
// CHECK:         ascend.vscalar <muls> %[[X]][%c0], %[[Y:.*]][%c0], %[[ONE]] count %c64
// CHECK:         ascend.vscalar <muls> %[[Y]][%c0], %[[OLD]][%c0], %[[ONE]] count %c64
func.func @swap() {
  tile.launch (%i) in [2] threads = 128 {
    %X = tile.alloc {name = "x"} : memref<64xf32, #fragment>
    %Y = tile.alloc {name = "y"} : memref<64xf32, #fragment>
    tile.map (%a) in [64] {
      %x = memref.load %X[%a] : memref<64xf32, #fragment>
      %y = memref.load %Y[%a] : memref<64xf32, #fragment>
      memref.store %y, %X[%a] : memref<64xf32, #fragment>
      memref.store %x, %Y[%a] : memref<64xf32, #fragment>
    }
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// CHECK-LABEL: ascend.func @reductions(
// Long rows are folded to one repeat first; sums add to what is there.
// CHECK:         ascend.vscalar <muls> %[[F:.*]][%c0], %[[X:.*]][%c0], %{{.*}} count %c64 repeat %c16 blocks [1, 1] repeats [8, 12]
// CHECK:         ascend.vbinary <add> %[[F]][%c0], %[[F]][%c0], %[[X]][%c64] count %c32 repeat %c16 blocks [1, 1, 1] repeats [8, 8, 12]
// CHECK:         ascend.vreduce <sum> %[[R:.*]][%c0], %[[F]][%c0] count %c64 repeat %c16 stride 8 target_stride 1
// CHECK:         ascend.vbinary <add> %[[M:.*]][%c0], %[[M]][%c0], %[[R]][%c0] count %c16
// One row is reduced repeat by repeat.
// CHECK:         ascend.vreduce <max> %[[P:.*]][%c0], %[[L:.*]][%c0] count %c64 repeat %c15 stride 8 target_stride 1
// CHECK:         ascend.vreduce <max> %[[P]][%c15], %[[L]][%c960] count %c40 repeat %c1
// CHECK:         ascend.vreduce <max> %{{.*}}[%c0], %[[P]][%c0] count %c16 repeat %c1
func.func @reductions() {
  tile.launch (%i) in [2] threads = 128 {
    %X = tile.alloc {name = "x"} : memref<16x96xf32, #fragment>
    %m = tile.alloc {name = "m"} : memref<16xf32, #fragment>
    %L = tile.alloc {name = "l"} : memref<1000xf32, #fragment>
    %t = tile.alloc {name = "t"} : memref<1xf32, #fragment>
    tile.reduce <sum> %X into %m dimension 1 : memref<16x96xf32, #fragment>, memref<16xf32, #fragment>
    tile.reduce <max> %L into %t dimension 0 {clear} : memref<1000xf32, #fragment>, memref<1xf32, #fragment>
  }
  return
}

// -----

#shared = #tile.space<shared>
#fragment = #tile.space<fragment>

// Two functions; each vector core stores half of the rows.
// CHECK-LABEL: ascend.func @bias_mix_aic(
// CHECK-SAME:    %[[W:[^:]*]]: memref<?x32x32xf32> {ascend.workspace})
// CHECK-SAME:    core = #ascend.core<cube>, mix
// CHECK-NOT:     space<ub>
// CHECK:         ascend.mma
// CHECK:         ascend.fixpipe %{{.*}} to %[[W]]
// CHECK-NOT:     space<ub>
// CHECK-LABEL: ascend.func @bias_mix_aiv(
// CHECK-SAME:    %[[W:[^:]*]]: memref<?x32x32xf32> {ascend.workspace})
// CHECK-SAME:    core = #ascend.core<vector>, mix
// CHECK-NOT:     space<l1>
// CHECK-NOT:     ascend.barrier
// CHECK:         ascend.load %[[W]]
// CHECK:         ascend.vbinary <add>
// CHECK:         %[[CORE:.*]] = ascend.sub_block_idx
// CHECK:         arith.muli %[[CORE]], %c16
// CHECK:         ascend.store %{{.*}} columns %c32
func.func @bias(%a: memref<?x32xf16>, %bias: memref<32xf32>, %c: memref<32x32xf32>) {
  tile.launch (%i) in [1] threads = 128 {
    %A = tile.alloc : memref<32x32xf16, #shared>
    %B = tile.alloc : memref<32x32xf16, #shared>
    %C = tile.alloc : memref<32x32xf32, #fragment>
    %r = tile.alloc : memref<32xf32, #fragment>
    tile.copy %a to %A : memref<?x32xf16> to memref<32x32xf16, #shared>
    tile.copy %a to %B : memref<?x32xf16> to memref<32x32xf16, #shared>
    tile.gemm %A, %B, %C {clear} : memref<32x32xf16, #shared>, memref<32x32xf16, #shared>, memref<32x32xf32, #fragment>
    tile.copy %bias to %r : memref<32xf32> to memref<32xf32, #fragment>
    tile.map (%x, %y) in [32, 32] {
      %s = memref.load %C[%x, %y] : memref<32x32xf32, #fragment>
      %t = memref.load %r[%y] : memref<32xf32, #fragment>
      %u = arith.addf %s, %t : f32
      memref.store %u, %C[%x, %y] : memref<32x32xf32, #fragment>
    }
    tile.copy %C to %c : memref<32x32xf32, #fragment> to memref<32x32xf32>
  }
  return
}

// -----

// A predicated loop copies under a condition that says that the offset is not
// negative, although the difference that it is computed from may be.
// CHECK-LABEL: ascend.func @guarded_offset(
// CHECK:         scf.if
// CHECK:           ascend.store %
func.func @guarded_offset(%a: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  tile.launch (%i) in [1] threads = 128 {
    %u = tile.alloc : memref<64xf32, #tile.space<ub>>
    scf.for %step = %c0 to %c6 step %c1 {
      %it = arith.subi %step, %c2 : index
      %inside = arith.cmpi ult, %it, %c4 : index
      scf.if %inside {
        %at = arith.muli %it, %c64 : index
        tile.copy %u to %a[%at] : memref<64xf32, #tile.space<ub>> to memref<256xf32>
      }
    }
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// Rows before the first one are not there: the load starts later, in both.
// CHECK-LABEL: ascend.func @negative_rows(
// CHECK-SAME:    %[[A:[^:]*]]: memref<64x32xf32>, %[[AT:[^:]*]]: index)
// CHECK:         %[[FIRST:.*]] = arith.maxsi %[[AT]], %c0
// CHECK:         %[[MISSING:.*]] = arith.subi %[[FIRST]], %[[AT]]
// CHECK:         %[[SKIP:.*]] = arith.minsi %[[MISSING]], %c16
// CHECK:         %[[TO:.*]] = arith.muli %[[SKIP]], %c32
// CHECK:         %[[FROM:.*]] = arith.muli %[[FIRST]], %c32
// CHECK:         scf.if
// CHECK:           ascend.vdup %[[T:.*]][%c0], %{{.*}} count %c512
// CHECK:         ascend.load %[[A]][%[[FROM]]] to %[[T]][%[[TO]]] rows %{{.*}} columns %c32
func.func @negative_rows(%a: memref<64x32xf32>, %at: index) {
  tile.launch (%i) in [2] threads = 128 {
    %T = tile.alloc : memref<16x32xf32, #fragment>
    tile.copy %a[%at, 0] to %T : memref<64x32xf32> to memref<16x32xf32, #fragment>
    tile.map (%r, %s) in [16, 32] {
      %x = memref.load %T[%r, %s] : memref<16x32xf32, #fragment>
      %y = math.exp %x : f32
      memref.store %y, %T[%r, %s] : memref<16x32xf32, #fragment>
    }
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// A row that is chosen by a number from memory: nothing is read where it is none.
// CHECK-LABEL: ascend.func @gathered_row(
// CHECK:         %[[ROW:.*]] = ascend.scalar_load
// CHECK:         arith.index_cast %[[ROW]]
// CHECK:         scf.if
// CHECK:           ascend.load {{.*}} rows %{{.*}} columns %c32
func.func @gathered_row(%a: memref<64x32xf32>, %rows: memref<2xi32>) {
  tile.launch (%i) in [2] threads = 128 {
    %T = tile.alloc : memref<32xf32, #fragment>
    %n = memref.load %rows[%i] : memref<2xi32>
    %row = arith.index_cast %n : i32 to index
    tile.copy %a[%row, 0] to %T dims [1] : memref<64x32xf32> to memref<32xf32, #fragment>
    tile.map (%s) in [32] {
      %x = memref.load %T[%s] : memref<32xf32, #fragment>
      %y = math.exp %x : f32
      memref.store %y, %T[%s] : memref<32xf32, #fragment>
    }
  }
  return
}

// -----

#fragment = #tile.space<fragment>

// A column without gaps is moved as one row, in both directions; its end is that
// of the row.
// CHECK-LABEL: ascend.func @column(
// CHECK:         %[[ROWS:.*]] = arith.minsi
// CHECK:         ascend.load %{{.*}} rows %c1 columns %[[ROWS]]
// CHECK:         ascend.store %{{.*}} rows %c1 columns %c17
func.func @column(%a: memref<?x1xf32>, %b: memref<17x1xf32>) {
  tile.launch (%i) in [1] threads = 128 {
    %T = tile.alloc : memref<17x1xf32, #fragment>
    tile.copy %a[0, 0] to %T : memref<?x1xf32> to memref<17x1xf32, #fragment>
    tile.copy %T to %b[0, 0] : memref<17x1xf32, #fragment> to memref<17x1xf32>
  }
  return
}
