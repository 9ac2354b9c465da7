// RUN: tile-opt %s --tile-lower-gpu-to-nvvm -split-input-file -verify-diagnostics
// RUN: not tile-opt %s --tile-lower-gpu-to-nvvm=index-bitwidth=16 -split-input-file 2>&1 | FileCheck %s
// RUN: not tile-opt %s --tile-lower-gpu-to-nvvm=index-bitwidth=32 -split-input-file 2>&1 | FileCheck %s --check-prefix=NARROW
// CHECK: error: index-bitwidth must be 0, 32 or 64, not 16

gpu.module @offset {
  // A pointer says nothing of an offset.
  // expected-error@+1 {{'gpu.func' op cannot take argument 0 of type 'memref<4xf32, strided<[1], offset: ?>>': only strided layouts without an offset can be passed}}
  gpu.func @offset(%a: memref<4xf32, strided<[1], offset: ?>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @shared {
  // expected-error@+1 {{cannot take argument 0 of type 'memref<4xf32, 3>': only global memory can be passed}}
  gpu.func @shared(%a: memref<4xf32, 3>) kernel {
    gpu.return
  }
}

// -----

gpu.module @vector {
  // expected-error@+1 {{cannot take argument 0 of type 'vector<4xf32>'}}
  gpu.func @vector(%a: vector<4xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @attributions {
  // expected-error@+1 {{has memory attributions, which are not supported: use a global or memref.alloca}}
  gpu.func @attributions() workgroup(%a: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @device_function {
  // expected-error@+1 {{is not a kernel: use func.func for functions that kernels call}}
  gpu.func @device_function() {
    gpu.return
  }
}

// -----

gpu.module @double {
  gpu.func @double(%p: memref<1xf64>, %x: f64) kernel {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'math.erf' op has neither an instruction nor an approximation for 'f64' on NVIDIA}}
    %0 = math.erf %x : f64
    memref.store %0, %p[%c0] : memref<1xf64>
    gpu.return
  }
}

// -----

gpu.module @foreign {
  gpu.func @foreign(%p: memref<1xf32>, %x: f32) kernel {
    // expected-error@+1 {{failed to legalize operation 'linalg.fill'}}
    linalg.fill ins(%x : f32) outs(%p : memref<1xf32>)
    gpu.return
  }
}

// -----

gpu.module @shuffle {
  gpu.func @shuffle(%p: memref<1xf64>, %x: f64, %i: i32) kernel {
    // expected-error@+1 {{'gpu.shuffle' op exchanges values of 32 bits, not 'f64'}}
    %0, %valid = gpu.shuffle xor %x, %i, %i : f64
    gpu.return
  }
}

// -----

gpu.module @indices {
  // NARROW: error: 'gpu.func' op has index elements in argument 1, which index-bitwidth=32 would make smaller
  gpu.func @indices(%p: memref<4xf32>, %q: memref<4xindex>) kernel {
    gpu.return
  }
}
