// RUN: tile-run %s --entry integers --print | FileCheck %s --check-prefix=INT
// RUN: tile-run %s --entry floats --print | FileCheck %s --check-prefix=FLOAT
// RUN: tile-run %s --entry narrow --print | FileCheck %s --check-prefix=NARROW
// RUN: tile-run %s --entry casts | FileCheck %s --check-prefix=CAST

// Integers wrap; signed and unsigned operations see the same bits differently.
// INT: [-128, -4, -3, -4, 2, 127, -1, 1, 64, -1]
func.func @integers(%out: memref<10xi8>) {
  %max = arith.constant 127 : i8
  %one = arith.constant 1 : i8
  %minus7 = arith.constant -7 : i8
  %two = arith.constant 2 : i8
  %sum = arith.addi %max, %one : i8
  %floor = arith.floordivsi %minus7, %two : i8
  %ceil = arith.ceildivsi %minus7, %two : i8
  %shr = arith.shrsi %minus7, %one : i8
  %div = arith.constant 5 : i8
  %quot = arith.divsi %div, %two : i8
  %umin = arith.minui %max, %minus7 : i8
  %smin = arith.remsi %minus7, %two : i8
  %less = arith.cmpi ult, %max, %minus7 : i8
  %lessi = arith.extui %less : i1 to i8
  %lshr = arith.shrui %sum, %one : i8
  %lesss = arith.extsi %less : i1 to i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  memref.store %sum, %out[%c0] : memref<10xi8>
  memref.store %floor, %out[%c1] : memref<10xi8>
  memref.store %ceil, %out[%c2] : memref<10xi8>
  memref.store %shr, %out[%c3] : memref<10xi8>
  memref.store %quot, %out[%c4] : memref<10xi8>
  memref.store %umin, %out[%c5] : memref<10xi8>
  memref.store %smin, %out[%c6] : memref<10xi8>
  memref.store %lessi, %out[%c7] : memref<10xi8>
  memref.store %lshr, %out[%c8] : memref<10xi8>
  memref.store %lesss, %out[%c9] : memref<10xi8>
  return
}

// maxnum drops a NaN, maximum keeps it; math functions are those of libm.
// FLOAT: [2, nan, 8, 3, 1, 0.5, -2, 7]
func.func @floats(%out: memref<8xf32>) {
  %nan = arith.constant 0x7FC00000 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %a = arith.maxnumf %nan, %two : f32
  %b = arith.maximumf %nan, %two : f32
  %c = math.powf %two, %three : f32
  %d = math.absf %three : f32
  %zero = arith.constant 0.0 : f32
  %e = math.exp %zero : f32
  %four = arith.constant 4.0 : f32
  %f = math.rsqrt %four : f32
  %g = arith.negf %two : f32
  %h = math.fma %two, %three, %one : f32
  %v = vector.broadcast %one : f32 to vector<8xf32>
  %i0 = arith.constant 0 : index
  vector.transfer_write %v, %out[%i0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %i3 = arith.constant 3 : index
  %i5 = arith.constant 5 : index
  %i6 = arith.constant 6 : index
  %i7 = arith.constant 7 : index
  memref.store %a, %out[%i0] : memref<8xf32>
  memref.store %b, %out[%i1] : memref<8xf32>
  memref.store %c, %out[%i2] : memref<8xf32>
  memref.store %d, %out[%i3] : memref<8xf32>
  memref.store %f, %out[%i5] : memref<8xf32>
  memref.store %g, %out[%i6] : memref<8xf32>
  memref.store %h, %out[%i7] : memref<8xf32>
  return
}

// Narrow floats round to nearest even at each operation.
// NARROW: [2048, 256, 65504, inf]
func.func @narrow(%out: memref<4xf32>) {
  %a = arith.constant 2048.0 : f16
  %one = arith.constant 1.0 : f16
  %b = arith.constant 256.0 : bf16
  %oneb = arith.constant 1.0 : bf16
  %big = arith.constant 65504.0 : f16
  %r0 = arith.addf %a, %one : f16
  %r1 = arith.addf %b, %oneb : bf16
  %r2 = arith.addf %big, %one : f16
  %r3 = arith.addf %big, %big : f16
  %e0 = arith.extf %r0 : f16 to f32
  %e1 = arith.extf %r1 : bf16 to f32
  %e2 = arith.extf %r2 : f16 to f32
  %e3 = arith.extf %r3 : f16 to f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  memref.store %e0, %out[%c0] : memref<4xf32>
  memref.store %e1, %out[%c1] : memref<4xf32>
  memref.store %e2, %out[%c2] : memref<4xf32>
  memref.store %e3, %out[%c3] : memref<4xf32>
  return
}

// CAST: result 0: -2
// CAST: result 1: 254
// CAST: result 2: 3.14159274
// CAST: result 3: 255
// CAST: result 4: -3
func.func @casts() -> (i8, i32, f32, f64, i32) {
  %m2 = arith.constant -2 : i8
  %u = arith.extui %m2 : i8 to i32
  %pi = arith.constant 3.14159265358979 : f64
  %pif = arith.truncf %pi : f64 to f32
  %m1 = arith.constant -1 : i8
  %uf = arith.uitofp %m1 : i8 to f64
  %neg = arith.constant -3.99 : f32
  %i = arith.fptosi %neg : f32 to i32
  return %m2, %u, %pif, %uf, %i : i8, i32, f32, f64, i32
}
