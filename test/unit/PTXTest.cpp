//===- PTXTest.cpp - PTX in process ---------------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifdef TILEPIPE_TARGET_NVIDIA

#include "tilepipe/Target/NVIDIA/PTX.h"
#include "tilepipe/Pipelines/Registration.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <thread>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::nvidia;

namespace {

const char *const kGood = R"(
gpu.module @m {
  gpu.func @good(%p: memref<?xf32>, %i: index, %v: f32) kernel
      attributes {known_block_size = array<i32: 64, 2, 1>,
                  tilepipe.shared_bytes = 48 : i64} {
    memref.store %v, %p[%i] : memref<?xf32>
    gpu.return
  }
}
)";

/// The back end has no pattern for a power: report_fatal_error.
const char *const kUnselectable = R"(
llvm.func @power(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  %r = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
  llvm.store %r, %p : f32, !llvm.ptr<1>
  llvm.return
}
)";

struct PTXTest : testing::Test {
  PTXTest() {
    DialectRegistry registry;
    registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, memref::MemRefDialect,
                    NVVM::NVVMDialect>();
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> parse(const char *text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
};

TEST_F(PTXTest, DescribesKernels) {
  OwningOpRef<ModuleOp> module = parse(kGood);
  ASSERT_TRUE(module);
  FailureOr<PTXModule> ptx = compileToPTX(*module);
  ASSERT_TRUE(succeeded(ptx));
  EXPECT_EQ(ptx->chip, "sm_80");
  ASSERT_EQ(ptx->kernels.size(), 1u);
  const PTXKernel &kernel = ptx->kernels.front();
  EXPECT_EQ(kernel.name, "good");
  EXPECT_EQ(kernel.sharedBytes, 48u);
  EXPECT_EQ(kernel.blockSize, (std::array<unsigned, 3>{64, 2, 1}));
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_EQ(kernel.parameters[0].kind, PTXParameter::Pointer);
  EXPECT_EQ(kernel.parameters[1].kind, PTXParameter::Integer);
  EXPECT_EQ(kernel.parameters[3].kind, PTXParameter::Float);
  EXPECT_EQ(kernel.parameters[3].bits, 32u);
  // The module is as it was.
  EXPECT_TRUE((*module)
                  .walk([](gpu::GPUFuncOp) { return WalkResult::interrupt(); })
                  .wasInterrupted());
}

TEST_F(PTXTest, FatalErrorsOfLLVMBecomeDiagnostics) {
  OwningOpRef<ModuleOp> module = parse(kUnselectable);
  ASSERT_TRUE(module);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(compileToPTX(*module)));
  EXPECT_EQ(message, "PTX cannot be generated: Cannot select: f32 = fpow");
}

// One thread's fatal error must not touch what others compile, and the process
// must be as good as new after it.
TEST_F(PTXTest, ThreadsCompileWhileOthersFail) {
  OwningOpRef<ModuleOp> good = parse(kGood), bad = parse(kUnselectable);
  ASSERT_TRUE(good && bad);
  FailureOr<PTXModule> expected = compileToPTX(*good);
  ASSERT_TRUE(succeeded(expected));
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  std::atomic<int> right = 0, refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        FailureOr<PTXModule> ptx = compileToPTX(i % 2 ? *bad : *good);
        if (failed(ptx))
          ++refused;
        else if (ptx->text == expected->text)
          ++right;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 20);
  EXPECT_EQ(refused, 20);
}

} // namespace

#endif // TILEPIPE_TARGET_NVIDIA
