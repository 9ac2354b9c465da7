//===- LaunchPlanTest.cpp - Grids follow from arguments -------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Launch/LaunchPlan.h"
#include "tilepipe/Pipelines/Registration.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilepipe;

namespace {

class LaunchPlanTest : public ::testing::Test {
protected:
  LaunchPlanTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      message = diagnostic.str();
      return success();
    });
  }

  FailureOr<SmallVector<KernelLaunch>>
  plan(StringRef text, ArrayRef<LaunchArgument> arguments) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    auto func = *module->getOps<func::FuncOp>().begin();
    return planLaunches(cast<FunctionOpInterface>(func.getOperation()),
                        arguments);
  }

  TypedAttr number(int64_t value) {
    return IntegerAttr::get(IndexType::get(&context), value);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string message;
};

} // namespace

TEST_F(LaunchPlanTest, SizesAndScalars) {
  auto launches = plan(R"(
    func.func @k(%A: memref<?x64xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %m = memref.dim %A, %c0 : memref<?x64xf32>
      %g = arith.ceildivui %m, %c32 : index
      tile.launch (%x, %y) in [%g, 3] threads = 128 {}
      %h = arith.addi %n, %g : index
      tile.launch (%x) in [%h] threads = 32 {}
      return
    })",
                       {{{100, 64}, {}}, {{}, number(7)}});
  ASSERT_TRUE(succeeded(launches)) << message;
  ASSERT_EQ(launches->size(), 2u);
  EXPECT_EQ((*launches)[0].kernel, "k_0");
  EXPECT_EQ((*launches)[0].grid, (SmallVector<int64_t, 3>{4, 3}));
  EXPECT_EQ((*launches)[0].threads, 128);
  EXPECT_EQ((*launches)[1].kernel, "k_1");
  EXPECT_EQ((*launches)[1].grid, (SmallVector<int64_t, 3>{11}));
}

TEST_F(LaunchPlanTest, WhatDoesNotFollowIsAnError) {
  StringRef text = R"(
    func.func @k(%A: memref<4xindex>) {
      %c0 = arith.constant 0 : index
      %n = memref.load %A[%c0] : memref<4xindex>
      tile.launch (%x) in [%n] threads = 128 {}
      return
    })";
  EXPECT_TRUE(failed(plan(text, {{{4}, {}}})));
  EXPECT_EQ(message, "extent 0 of the grid does not follow from "
                     "the sizes and scalars of the arguments");
  EXPECT_TRUE(failed(plan(text, {})));
  EXPECT_EQ(message,
            "function has 1 arguments, 0 are given");
  EXPECT_TRUE(failed(plan(text, {{{4, 4}, {}}})));
  EXPECT_EQ(message,
            "argument 0 has rank 1, 2 sizes are given");
}

TEST_F(LaunchPlanTest, LaunchUnderControlFlowIsAnError) {
  EXPECT_TRUE(failed(plan(R"(
    func.func @k(%c: i1) {
      scf.if %c {
        tile.launch (%x) in [1] threads = 128 {}
      }
      return
    })",
                          {{}})));
  EXPECT_NE(message.find("a launch under control flow needs a host program"),
            std::string::npos);
}
