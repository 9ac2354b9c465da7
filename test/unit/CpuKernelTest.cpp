//===- CpuKernelTest.cpp - Compiled kernels -------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifdef TILEPIPE_TARGET_CPU

#include "tilepipe/Target/CPU/CpuKernel.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "tilepipe/Pipelines/Registration.h"
#include "gtest/gtest.h"
#include <numeric>
#include <thread>

using namespace mlir;
using namespace tilepipe::cpu;

namespace {

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  tilepipe::registerDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->loadAllAvailableDialects();
  return context;
}

std::unique_ptr<CpuKernel> compile(StringRef source,
                                   const CpuCompileOptions &options = {}) {
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = parseSourceString<ModuleOp>(source, context.get());
  if (!module)
    return nullptr;
  auto kernel = CpuKernel::compile(*module, options);
  if (!kernel) {
    ADD_FAILURE() << llvm::toString(kernel.takeError());
    return nullptr;
  }
  return std::move(*kernel);
}

void invoke(const CpuKernel &kernel, StringRef entry, ArrayRef<CpuMemRef> args,
            unsigned threads = 1) {
  CpuRunOptions options;
  options.threads = threads;
  llvm::Error error = kernel.invoke(entry, args, options);
  if (error)
    ADD_FAILURE() << llvm::toString(std::move(error));
}

std::vector<float> iota(size_t count, int modulo = 13) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(int(i * 7 % modulo) - modulo / 2);
  return values;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST(CpuKernel, CopyClipsBothSides) {
  auto kernel = compile(R"mlir(
    func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %P: memref<6xindex>) {
      %fill = arith.constant -1.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %si = memref.load %P[%c0] : memref<6xindex>
      %sj = memref.load %P[%c1] : memref<6xindex>
      %ti = memref.load %P[%c2] : memref<6xindex>
      %tj = memref.load %P[%c3] : memref<6xindex>
      %m = memref.load %P[%c4] : memref<6xindex>
      %n = memref.load %P[%c5] : memref<6xindex>
      tile.copy %A[%si, %sj] to %B[%ti, %tj] sizes [%m, %n] fill %fill : f32
          : memref<?x?xf32> to memref<?x?xf32>
      return
    })mlir");
  ASSERT_TRUE(kernel);
  const int64_t rows = 5, columns = 7;
  std::vector<float> a = iota(rows * columns);
  for (int64_t si : {-3, 0, 2, 5, 9})
    for (int64_t sj : {-8, -2, 0, 4})
      for (int64_t ti : {-2, 0, 3})
        for (int64_t tj : {-9, -1, 0, 6})
          for (int64_t m : {-1, 0, 1, 5, 9})
            for (int64_t n : {0, 3, 12}) {
              std::vector<float> b(rows * columns, 100), want = b;
              int64_t p[] = {si, sj, ti, tj, m, n};
              invoke(*kernel, "f",
                     {{a.data(), {rows, columns}},
                      {b.data(), {rows, columns}},
                      {p, {6}}});
              for (int64_t i = 0; i < m; ++i)
                for (int64_t j = 0; j < n; ++j) {
                  int64_t ai = si + i, aj = sj + j, bi = ti + i, bj = tj + j;
                  if (bi < 0 || bi >= rows || bj < 0 || bj >= columns)
                    continue;
                  bool inside = ai >= 0 && ai < rows && aj >= 0 && aj < columns;
                  want[bi * columns + bj] = inside ? a[ai * columns + aj] : -1;
                }
              ASSERT_EQ(b, want) << si << ' ' << sj << ' ' << ti << ' ' << tj
                                 << ' ' << m << ' ' << n;
            }
}

TEST(CpuKernel, CopyRunsOverChosenDimensions) {
  auto kernel = compile(R"mlir(
    func.func @f(%A: memref<3x4x5xi32>, %B: memref<3x5xi32>, %i: memref<1xindex>) {
      %c0 = arith.constant 0 : index
      %j = memref.load %i[%c0] : memref<1xindex>
      tile.copy %A[0, %j, 0] to %B sizes [3, 5] dims [0, 2]
          : memref<3x4x5xi32> to memref<3x5xi32>
      return
    })mlir");
  ASSERT_TRUE(kernel);
  std::vector<int32_t> a(60), b(15, -7);
  std::iota(a.begin(), a.end(), 1);
  for (int64_t j : {0, 3, 4, -1}) {
    invoke(*kernel, "f",
           {{a.data(), {3, 4, 5}}, {b.data(), {3, 5}}, {&j, {1}}});
    for (int64_t x = 0; x < 15; ++x)
      ASSERT_EQ(b[x], j >= 0 && j < 4 ? a[x / 5 * 20 + j * 5 + x % 5] : 0);
  }
}

TEST(CpuKernel, CopyConverts) {
  auto kernel = compile(R"mlir(
    func.func @f(%A: memref<40xf64>, %H: memref<40xf16>, %I: memref<40xi8>,
                 %F: memref<40xf32>, %D: memref<40xf64>) {
      tile.copy %A to %H : memref<40xf64> to memref<40xf16>
      tile.copy %A to %I : memref<40xf64> to memref<40xi8>
      tile.copy %H to %F : memref<40xf16> to memref<40xf32>
      tile.copy %I to %D : memref<40xi8> to memref<40xf64>
      return
    })mlir");
  ASSERT_TRUE(kernel);
  std::vector<double> a(40), d(40);
  std::vector<uint16_t> h(40);
  std::vector<int8_t> i(40);
  std::vector<float> f(40);
  for (int x = 0; x < 40; ++x)
    a[x] = (x - 20) * 17.25;
  // Ties to even in one rounding: in single precision this would be a tie.
  a[0] = 1.0 + 0x1p-11 + 0x1p-40;
  a[1] = 0.0 / 0.0;
  invoke(*kernel, "f",
         {{a.data(), {40}},
          {h.data(), {40}},
          {i.data(), {40}},
          {f.data(), {40}},
          {d.data(), {40}}});
  EXPECT_EQ(h[0], 0x3C01);
  EXPECT_EQ(f[2], -310.5f);
  EXPECT_EQ(i[1], 0);
  EXPECT_EQ(i[2], -128);
  EXPECT_EQ(i[22], 34);
  EXPECT_EQ(d[39], 127);
}

//===----------------------------------------------------------------------===//
// Gemms
//===----------------------------------------------------------------------===//

struct GemmCase {
  int64_t m, n, k;
  bool ta, tb, clear;
};

/// A function of one gemm on whole arguments of type `ab` and `c`.
std::string gemmSource(const std::string &name, const GemmCase &g,
                       const std::string &ab, const std::string &c) {
  auto type = [](int64_t x, int64_t y, const std::string &t) {
    return "memref<" + std::to_string(x) + "x" + std::to_string(y) + "x" + t +
           ">";
  };
  std::string a = g.ta ? type(g.k, g.m, ab) : type(g.m, g.k, ab);
  std::string b = g.tb ? type(g.n, g.k, ab) : type(g.k, g.n, ab);
  std::string d = type(g.m, g.n, c);
  std::string attributes;
  for (auto [set, attribute] : {std::pair(g.ta, "transpose_a"),
                                {g.tb, "transpose_b"},
                                {g.clear, "clear"}})
    if (set)
      attributes += std::string(attributes.empty() ? "" : ", ") + attribute;
  return "func.func @" + name + "(%A: " + a + ", %B: " + b + ", %C: " + d +
         ") {\n tile.gemm %A, %B, %C {" + attributes + "} : " + a + ", " + b +
         ", " + d + "\n return\n}\n";
}

template <typename AB, typename C>
void checkGemms(const std::string &ab, const std::string &c,
                unsigned vectorBits) {
  std::vector<GemmCase> cases = {
      {1, 1, 1, false, false, false},      {8, 32, 4, false, false, true},
      {13, 37, 5, false, true, false},     {24, 64, 16, true, false, false},
      {7, 48, 9, true, true, true},        {33, 17, 33, false, false, false},
      {128, 128, 32, false, false, false}, {4, 4, 0, false, false, true}};
  std::string source;
  for (size_t i = 0; i < cases.size(); ++i)
    source += gemmSource("g" + std::to_string(i), cases[i], ab, c);
  CpuCompileOptions options;
  options.vectorBits = vectorBits;
  auto kernel = compile(source, options);
  ASSERT_TRUE(kernel);
  for (size_t i = 0; i < cases.size(); ++i) {
    const GemmCase &g = cases[i];
    std::vector<AB> a(std::max<int64_t>(g.m * g.k, 1)),
        b(std::max<int64_t>(g.k * g.n, 1));
    std::vector<C> d(g.m * g.n), want;
    for (size_t x = 0; x < a.size(); ++x)
      a[x] = AB(int(x * 7 % 13) - 6);
    for (size_t x = 0; x < b.size(); ++x)
      b[x] = AB(int(x * 5 % 11) - 5);
    for (size_t x = 0; x < d.size(); ++x)
      d[x] = C(int(x % 9) - 4);
    want = d;
    for (int64_t x = 0; x < g.m; ++x)
      for (int64_t y = 0; y < g.n; ++y) {
        C sum = g.clear ? C(0) : want[x * g.n + y];
        for (int64_t z = 0; z < g.k; ++z)
          sum += C(a[g.ta ? z * g.m + x : x * g.k + z]) *
                 C(b[g.tb ? y * g.k + z : z * g.n + y]);
        want[x * g.n + y] = sum;
      }
    std::vector<int64_t> as =
        g.ta ? std::vector{g.k, g.m} : std::vector{g.m, g.k};
    std::vector<int64_t> bs =
        g.tb ? std::vector{g.n, g.k} : std::vector{g.k, g.n};
    invoke(*kernel, "g" + std::to_string(i),
           {{a.data(), as}, {b.data(), bs}, {d.data(), {g.m, g.n}}});
    EXPECT_TRUE(d == want) << "case " << i << " of " << ab << " and " << c;
  }
}

TEST(CpuKernel, GemmsOfEveryType) {
  checkGemms<float, float>("f32", "f32", 512);
  checkGemms<float, float>("f32", "f32", 256);
  checkGemms<double, double>("f64", "f64", 512);
  checkGemms<int8_t, int32_t>("i8", "i32", 512);
  checkGemms<int32_t, int64_t>("i32", "i64", 256);
  checkGemms<int8_t, int16_t>("i8", "i16", 512);
}

TEST(CpuKernel, GemmsOfHalves) {
#ifdef __FLT16_MANT_DIG__
  checkGemms<_Float16, float>("f16", "f32", 512);
  checkGemms<_Float16, _Float16>("f16", "f16", 512);
#endif
}

//===----------------------------------------------------------------------===//
// Other statements
//===----------------------------------------------------------------------===//

TEST(CpuKernel, ReducesAlongEachDimension) {
  auto kernel = compile(R"mlir(
    func.func @f(%S: memref<11x19xf32>, %r: memref<11xf32>, %c: memref<1x19xf32>,
                 %m: memref<11x1xf32>) {
      tile.reduce <sum> %S into %r dimension 1 : memref<11x19xf32>, memref<11xf32>
      tile.reduce <absmax> %S into %c dimension 0 {clear} : memref<11x19xf32>, memref<1x19xf32>
      tile.reduce <min> %S into %m dimension 1 {clear} : memref<11x19xf32>, memref<11x1xf32>
      return
    })mlir");
  ASSERT_TRUE(kernel);
  std::vector<float> s = iota(11 * 19, 101), r(11, 1), c(19, 1e9), m(11, -1e9);
  s[3] = 0.0f / 0.0f; // ignored by min and max
  invoke(*kernel, "f",
         {{s.data(), {11, 19}},
          {r.data(), {11}},
          {c.data(), {1, 19}},
          {m.data(), {11, 1}}});
  for (int x = 0; x < 11; ++x) {
    float sum = 1, least = 1e30f;
    for (int y = 0; y < 19; ++y) {
      sum += s[x * 19 + y];
      least = std::fmin(least, s[x * 19 + y]);
    }
    EXPECT_TRUE(r[x] == sum || (std::isnan(r[x]) && x == 0));
    EXPECT_EQ(m[x], least);
  }
  for (int y = 0; y < 19; ++y) {
    float most = 0;
    for (int x = 0; x < 11; ++x)
      most = std::fmax(most, std::fabs(s[x * 19 + y]));
    EXPECT_EQ(c[y], most);
  }
}

TEST(CpuKernel, MathNeedsNoLibrary) {
  auto kernel = compile(R"mlir(
    func.func @f(%X: memref<64xf32>, %H: memref<64xf16>, %D: memref<64xf64>) {
      tile.map (%i) in [64] {
        %x = memref.load %X[%i] : memref<64xf32>
        %a = math.exp %x : f32
        %b = math.tanh %x : f32
        %c = math.exp2 %x : f32
        %d = math.erf %x : f32
        %s = math.absf %x : f32
        %q = math.rsqrt %s : f32
        %t = math.log1p %s : f32
        %u = arith.addf %a, %b : f32
        %v = arith.addf %u, %c : f32
        %w = arith.addf %v, %d : f32
        %y = arith.addf %w, %q : f32
        %z = arith.addf %y, %t : f32
        memref.store %z, %X[%i] : memref<64xf32>
        %h = memref.load %H[%i] : memref<64xf16>
        %he = math.exp2 %h : f16
        memref.store %he, %H[%i] : memref<64xf16>
        %e = memref.load %D[%i] : memref<64xf64>
        %p = math.exp %e : f64
        %k = math.tanh %p : f64
        %l = math.powf %p, %k : f64
        memref.store %l, %D[%i] : memref<64xf64>
      }
      return
    })mlir");
  ASSERT_TRUE(kernel);
  std::vector<float> x(64);
  std::vector<uint16_t> h(64, 0x4200); // 3
  std::vector<double> d(64, 0.5);
  for (int i = 0; i < 64; ++i)
    x[i] = (i - 31.5f) / 8;
  std::vector<float> in = x;
  invoke(*kernel, "f", {{x.data(), {64}}, {h.data(), {64}}, {d.data(), {64}}});
  for (int i = 0; i < 64; ++i) {
    double v = in[i], s = std::fabs(v);
    double want = std::exp(v) + std::tanh(v) + std::exp2(v) + std::erf(v) +
                  1 / std::sqrt(s) + std::log1p(s);
    EXPECT_NEAR(x[i], want, 1e-5 * std::max(1.0, std::fabs(want)));
    EXPECT_EQ(h[i], 0x4800); // 8
    EXPECT_NEAR(d[i], std::pow(std::exp(0.5), std::tanh(std::exp(0.5))), 1e-12);
  }
}

//===----------------------------------------------------------------------===//
// Launches and threads
//===----------------------------------------------------------------------===//

const char *const histogram = R"mlir(
  func.func @f(%X: memref<?xi32>, %Y: memref<8xi32>, %F: memref<1xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %onef = arith.constant 1.0 : f32
    %c64 = arith.constant 64 : index
    %n = memref.dim %X, %c0 : memref<?xi32>
    %g = arith.divui %n, %c64 : index
    tile.launch (%b) in [%g] threads = 32 {
      %S = tile.alloc : memref<64xi32, #tile.space<shared>>
      %o = arith.muli %b, %c64 : index
      tile.copy %X[%o] to %S sizes [64] : memref<?xi32> to memref<64xi32, #tile.space<shared>>
      tile.map (%i) in [64] {
        %v = memref.load %S[%i] : memref<64xi32, #tile.space<shared>>
        %k = arith.index_cast %v : i32 to index
        tile.atomic <add> %one, %Y[%k] : i32, memref<8xi32>
        tile.atomic <add> %onef, %F[%c0] : f32, memref<1xf32>
      }
    }
    return
  })mlir";

TEST(CpuKernel, LaunchesInParallel) {
  auto kernel = compile(histogram);
  ASSERT_TRUE(kernel);
  const int64_t n = 64 * 1000;
  std::vector<int32_t> x(n);
  for (int64_t i = 0; i < n; ++i)
    x[i] = i * 5 % 8;
  for (unsigned threads : {1, 2, 4}) {
    std::vector<int32_t> y(8, 0);
    float f = 0;
    invoke(*kernel, "f", {{x.data(), {n}}, {y.data(), {8}}, {&f, {1}}},
           threads);
    EXPECT_EQ(y, std::vector<int32_t>(8, n / 8)) << threads << " threads";
    EXPECT_EQ(f, float(n));
  }
}

TEST(CpuKernel, CompilesFromSeveralThreads) {
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = parseSourceString<ModuleOp>(histogram, context.get());
  ASSERT_TRUE(module);
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) {
        auto kernel = CpuKernel::compile(*module);
        if (!kernel)
          return llvm::consumeError(kernel.takeError());
        std::vector<int32_t> x(128, 3), y(8, 0);
        float f = 0;
        invoke(**kernel, "f", {{x.data(), {128}}, {y.data(), {8}}, {&f, {1}}},
               2);
        good += y[3] == 128;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 12);
}

TEST(CpuKernel, BuffersDoNotOverflowTheStack) {
  auto kernel = compile(R"mlir(
    func.func @f(%X: memref<1xf32>) {
      %one = arith.constant 1.0 : f32
      %c0 = arith.constant 0 : index
      tile.launch (%b) in [3] threads = 1 {
        %S = tile.alloc : memref<4096x4096xf32, #tile.space<shared>>
        tile.fill %S with %one : f32, memref<4096x4096xf32, #tile.space<shared>>
        %v = memref.load %S[%c0, %b] : memref<4096x4096xf32, #tile.space<shared>>
        tile.atomic <add> %v, %X[%c0] : f32, memref<1xf32>
      }
      return
    })mlir");
  ASSERT_TRUE(kernel);
  float x = 0;
  invoke(*kernel, "f", {{&x, {1}}});
  EXPECT_EQ(x, 3);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// Two versions: each iteration starts the copy of the next one and sums up its
/// own. `wait` is what it does before that.
std::string doubleBuffer(const std::string &wait) {
  return R"mlir(
    func.func @f(%A: memref<?x16xf32>, %Y: memref<16xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %n = memref.dim %A, %c0 : memref<?x16xf32>
      %S = tile.alloc : memref<2x1x16xf32, #tile.space<shared>>
      %s = tile.slot %S[%c0] : memref<2x1x16xf32, #tile.space<shared>> -> memref<1x16xf32, #tile.space<shared>>
      %t = tile.async.copy %A to %s : memref<?x16xf32> to memref<1x16xf32, #tile.space<shared>>
      %g = tile.async.commit %t
      %last = scf.for %i = %c0 to %n step %c1 iter_args(%h = %g) -> (!tile.token) {
        %i1 = arith.addi %i, %c1 : index
        %next = arith.remui %i1, %c2 : index
        %sn = tile.slot %S[%next] : memref<2x1x16xf32, #tile.space<shared>> -> memref<1x16xf32, #tile.space<shared>>
        %tn = tile.async.copy %A[%i1, 0] to %sn : memref<?x16xf32> to memref<1x16xf32, #tile.space<shared>>
        %gn = tile.async.commit %tn
        )mlir" +
         wait + R"mlir(
        %own = arith.remui %i, %c2 : index
        %so = tile.slot %S[%own] : memref<2x1x16xf32, #tile.space<shared>> -> memref<1x16xf32, #tile.space<shared>>
        tile.reduce <sum> %so into %Y dimension 0 : memref<1x16xf32, #tile.space<shared>>, memref<16xf32>
        scf.yield %gn : !tile.token
      }
      tile.async.wait %last
      return
    })mlir";
}

using tilepipe::runtime::CompletionPolicy;
const CompletionPolicy allPolicies[] = {
    CompletionPolicy::Eager, CompletionPolicy::Late,
    CompletionPolicy::EarlyWriteLateRead, CompletionPolicy::Random};

TEST(CpuKernel, WaitsHoldUnderEachPolicy) {
  CpuCompileOptions options;
  options.asyncRuntime = options.sanitize = true;
  auto kernel =
      compile(doubleBuffer("tile.async.wait %h pending = 1"), options);
  ASSERT_TRUE(kernel);
  std::vector<float> a = iota(7 * 16);
  for (CompletionPolicy policy : allPolicies)
    for (int64_t n : {0, 1, 2, 7}) {
      std::vector<float> y(16, 0), want(16, 0);
      for (int64_t i = 0; i < n * 16; ++i)
        want[i % 16] += a[i];
      CpuRunOptions run;
      run.policy = policy;
      CpuMemRef arguments[] = {{a.data(), {n, 16}}, {y.data(), {16}}};
      llvm::Error error =
          kernel->invoke("f", ArrayRef<CpuMemRef>(arguments), run);
      EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
      EXPECT_EQ(y, want);
    }
}

TEST(CpuKernel, MissingWaitIsNoticed) {
  CpuCompileOptions options;
  options.asyncRuntime = true;
  std::vector<float> a = iota(7 * 16), y(16, 0);
  CpuMemRef arguments[] = {{a.data(), {7, 16}}, {y.data(), {16}}};
  CpuRunOptions run;
  run.policy = CompletionPolicy::EarlyWriteLateRead;
  // Without checks the poison shows.
  auto kernel = compile(doubleBuffer(""), options);
  ASSERT_TRUE(kernel);
  llvm::consumeError(kernel->invoke("f", ArrayRef<CpuMemRef>(arguments), run));
  EXPECT_TRUE(std::isnan(y[0]));
  // With checks the error says who and what, under every policy.
  options.sanitize = true;
  kernel = compile(doubleBuffer(""), options);
  ASSERT_TRUE(kernel);
  for (CompletionPolicy policy : allPolicies) {
    run.policy = policy;
    std::string text = llvm::toString(
        kernel->invoke("f", ArrayRef<CpuMemRef>(arguments), run));
    EXPECT_NE(text.find("'tile.reduce' op reads memory that an asynchronous "
                        "copy is still writing"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("'tile.async.copy' op is the copy"), std::string::npos);
  }
}

TEST(CpuKernel, RefusesWithoutAborting) {
  std::unique_ptr<MLIRContext> context = makeContext();
  ScopedDiagnosticHandler quiet(context.get(), [](Diagnostic &) {});
  for (const char *source :
       {"func.func @f(%a: memref<4xf8E5M2FNUZ>) { return }",
        "func.func @f(%a: memref<4xf32>) { gpu.barrier return }",
        "func.func private @g()\n func.func @f() { call @g() : () -> () return "
        "}"}) {
    auto module = parseSourceString<ModuleOp>(source, context.get());
    ASSERT_TRUE(module);
    auto kernel = CpuKernel::compile(*module);
    EXPECT_FALSE(bool(kernel)) << source;
    llvm::consumeError(kernel.takeError());
  }
  auto kernel = compile("func.func @f() { return }");
  ASSERT_TRUE(kernel);
  llvm::Error error = kernel->invoke("missing", ArrayRef<CpuMemRef>());
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
}

} // namespace


//===----------------------------------------------------------------------===//
// Object files, assertions
//===----------------------------------------------------------------------===//

static const char *const assertText = R"mlir(
  func.func @f(%A: memref<8xf32>, %limit: memref<1xindex>) {
    %c0 = arith.constant 0 : index
    %l = memref.load %limit[%c0] : memref<1xindex>
    tile.launch (%b) in [8] threads = 32 {
      %T = tile.alloc {name = "T"} : memref<4096xf32, #tile.space<shared>>
      %x = arith.cmpi slt, %b, %l : index
      cf.assert %x, "below"
      %o = arith.constant 1.0 : f32
      tile.fill %T with %o : f32, memref<4096xf32, #tile.space<shared>>
      %y = memref.load %T[%b] : memref<4096xf32, #tile.space<shared>>
      memref.store %y, %A[%b] : memref<8xf32>
    }
    return
  })mlir";

/// Blocks below `limit` run to the end, and one error says that others did not.
static void checkAssertion(const CpuKernel &kernel, int64_t limit,
                           unsigned threads) {
  std::vector<float> a(8);
  CpuRunOptions options;
  options.threads = threads;
  CpuMemRef arguments[] = {{a.data(), {8}}, {&limit, {1}}};
  llvm::Error error = kernel.invoke("f", ArrayRef<CpuMemRef>(arguments), options);
  EXPECT_EQ(bool(error), limit < 8);
  std::string message = llvm::toString(std::move(error));
  EXPECT_EQ(message.find("assertion failed: below") != std::string::npos,
            limit < 8);
  for (int64_t x = 0; x < 8; ++x)
    EXPECT_EQ(a[x], float(x < limit)) << limit;
}

TEST(CpuKernel, FailedAssertionsEndTheirBlock) {
  auto kernel = compile(assertText);
  ASSERT_TRUE(kernel);
  for (int round = 0; round < 50; ++round)
    for (int64_t limit : {0, 3, 8})
      checkAssertion(*kernel, limit, round % 3 + 1);
}

TEST(CpuKernel, RunsFromItsObjectFile) {
  CpuCompileOptions options;
  options.keepObject = true;
  auto kernel = compile(assertText, options);
  ASSERT_TRUE(kernel);
  auto object = kernel->getObject();
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  kernel.reset();
  auto loaded = CpuKernel::load(**object, "f");
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  for (int64_t limit : {8, 2})
    checkAssertion(**loaded, limit, 2);
  auto again = (*loaded)->getObject();
  ASSERT_FALSE(bool(again));
  llvm::consumeError(again.takeError());

  auto noEntry = CpuKernel::load(**object, "g");
  ASSERT_FALSE(bool(noEntry));
  llvm::consumeError(noEntry.takeError());
  auto cut = CpuKernel::load(
      {(*object)->getBuffer().take_front(900), "cut"}, "f");
  ASSERT_FALSE(bool(cut));
  llvm::consumeError(cut.takeError());
}

#endif // TILEPIPE_TARGET_CPU
