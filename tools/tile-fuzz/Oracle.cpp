//===- Oracle.cpp - Judges random programs
//----------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include "tilepipe/Analysis/DependenceGraph.h"
#include "tilepipe/Pipelines/Registration.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::fuzz;

Outcome fuzz::fail(Outcome outcome, const std::string &kind,
                   const std::string &message) {
  outcome.status = Outcome::Status::Failed;
  outcome.kind = kind;
  outcome.message = message;
  return outcome;
}

Oracle::Oracle(Backend backend) : backend(backend) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  // Errors are kept, remarks are of no use here.
  context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      ++numErrors;
      hasUnlocated |= isa<UnknownLoc>(diagnostic.getLocation());
    }
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
        diagnostics.size() < 2000) {
      llvm::raw_string_ostream os(diagnostics);
      os << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
      for (Diagnostic &note : diagnostic.getNotes())
        os << note.getLocation() << ": note: " << note.str() << "\n";
    }
    return success();
  });
}

Oracle::~Oracle() = default;

PassManager &Oracle::getPasses(const std::string &pipeline) {
  for (auto &[name, manager] : passes)
    if (name == pipeline)
      return *manager;
  auto manager =
      std::make_unique<PassManager>(context.get(), ModuleOp::getOperationName(),
                                    OpPassManager::Nesting::Implicit);
  if (failed(parsePassPipeline(pipeline, *manager, llvm::errs()))) {
    llvm::errs() << "tile-fuzz: error: no pipeline '" << pipeline << "'\n";
    _exit(2);
  }
  passes.emplace_back(pipeline, std::move(manager));
  return *passes.back().second;
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Draws stages that rise in source order and an order that mixes them; whether
/// that is legal is for the planner to say.
static void setManualSchedule(tile::PipelineOp loop, uint32_t seed) {
  DependenceGraph graph(loop);
  size_t count = graph.getStatements().size();
  if (count == 0 || graph.getObstacle())
    return;
  Random random(seed);
  SmallVector<int64_t> stages, orders(count), sequence;
  int64_t stage = 0;
  for (size_t i = 0; i < count; ++i) {
    if (stage < 3 && i > 0 && random.chance(35))
      ++stage;
    stages.push_back(stage);
    sequence.push_back(i);
  }
  // Later stages work on earlier iterations and may be issued first.
  bool lateFirst = random.chance(50);
  if (lateFirst)
    llvm::sort(sequence, [&](int64_t a, int64_t b) {
      return std::pair(-stages[a], a) < std::pair(-stages[b], b);
    });
  if (random.chance(20))
    std::swap(sequence[random.below(count)], sequence[random.below(count)]);
  for (auto [order, statement] : llvm::enumerate(sequence))
    orders[statement] = order;
  loop.setStage(stages);
  loop.setOrder(orders);
}

bool Oracle::setManualSchedules(ModuleOp module, const Program &program) {
  bool isManual = false;
  size_t next = 0;
  module.walk<WalkOrder::PreOrder>([&](tile::PipelineOp loop) {
    if (loop->getParentOfType<tile::PipelineOp>())
      return;
    uint32_t seed = program.loops[next++ % program.loops.size()].manual;
    if (!seed)
      return;
    setManualSchedule(loop, seed);
    isManual |= loop.getStage().has_value();
  });
  return isManual;
}

bool Oracle::prepare(const Program &program, uint64_t seed, Prepared &prepared,
                     Outcome &outcome) {
  diagnostics.clear();
  auto fail = [&](StringRef kind) {
    outcome.status = Outcome::Status::Failed;
    outcome.kind = kind.str();
    outcome.message = diagnostics;
    return false;
  };
  outcome.text = emit(program);
  prepared.serial =
      parseSourceString<ModuleOp>(outcome.text, context.get(), "program");
  if (!prepared.serial)
    return fail("generated program does not parse");
  bool isManual = setManualSchedules(*prepared.serial, program);
  if (isManual) {
    outcome.text.clear();
    llvm::raw_string_ostream os(outcome.text);
    prepared.serial->print(os);
  }
  prepared.injected = OwningOpRef<ModuleOp>(prepared.serial->clone());
  std::string plan = "pipeline-planning";
  if (program.isModulo)
    plan += "{policy=modulo}";
  if (failed(getPasses(plan).run(*prepared.injected))) {
    if (!isManual || failed(verify(*prepared.injected)))
      return fail("planning failed");
    outcome.status = Outcome::Status::Refused;
    return false;
  }
  if (mutation)
    mutation(*prepared.injected);
  std::string inject = std::string("inject-software-pipeline{form=") +
                       stringify(program.form) + "}";
  if (failed(getPasses(inject).run(*prepared.injected)))
    return fail("injection failed");
  bool isDynamic = false;
  for (const Loop &loop : program.loops)
    isDynamic |= loop.isDynamic;
  prepared.trips = {program.loops[0].trips};
  if (isDynamic) {
    prepared.trips.push_back(seed % 3);
    prepared.trips.push_back(3 + seed / 3 % (kMaxTrips - 2));
  }
  return true;
}

bool Oracle::runSerial(Prepared &prepared, int64_t trips,
                       KernelInput &serialInput, Outcome &outcome) {
  Interpreter interpreter;
  auto function = *prepared.serial->getOps<func::FuncOp>().begin();
  serialInput.arguments.back().number = double(trips);
  InterpreterOptions options;
  options.stepLimit = 1 << 22;
  auto failure = interpreter.run(function, serialInput.arguments, options);
  if (!failure)
    return true;
  outcome.status = Outcome::Status::Failed;
  outcome.kind = "generated program does not run";
  failure->emit();
  outcome.message = diagnostics;
  return false;
}

/// Whether the serial program reads memory of a tile that nothing has written.
bool Oracle::readsUninitialized(Prepared &prepared, int64_t trips) {
  auto function = *prepared.serial->getOps<func::FuncOp>().begin();
  KernelInput scratch(*input);
  scratch.arguments.back().number = double(trips);
  InterpreterOptions options;
  options.stepLimit = 1 << 22;
  options.trackUninitialized = true;
  Interpreter interpreter;
  return interpreter.run(function, scratch.arguments, options).has_value();
}

/// Random contents, the same for all programs.
static std::unique_ptr<KernelInput> makeGlobals(func::FuncOp function) {
  SmallVector<ArgumentSpec> specs(function.getNumArguments());
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      specs[i].number = 1;
      continue;
    }
    if (memref.getRank() == 2)
      specs[i].shape = SmallVector<int64_t>{kRows, kColumns};
    if (memref.getElementType().isInteger())
      specs[i].high = 40;
  }
  std::string error;
  return makeInput(function, specs, 1, error);
}

//===----------------------------------------------------------------------===//
// Serial against pipelined
//===----------------------------------------------------------------------===//

Outcome Oracle::check(const Program &program, uint64_t seed) {
  Outcome outcome;
  Prepared prepared;
  if (!prepare(program, seed, prepared, outcome))
    return outcome;
  auto function = *prepared.injected->getOps<func::FuncOp>().begin();
  if (!input)
    input = makeGlobals(function);
  if (backend == Backend::Jit)
    return checkJit(prepared, seed, std::move(outcome));
  if (backend == Backend::Ptx)
    return checkPtx(prepared, seed, std::move(outcome));
  Interpreter interpreter;
  for (int64_t trips : prepared.trips) {
    KernelInput expected(*input);
    if (!runSerial(prepared, trips, expected, outcome))
      return outcome;
    for (const PolicyRun &run : getPolicyRuns(2, seed)) {
      KernelInput got(*input);
      got.arguments.back().number = double(trips);
      InterpreterOptions options;
      options.policy = run.policy;
      options.seed = run.seed;
      options.stepLimit = 1 << 24;
      InterpreterStatistics counts;
      auto failure = interpreter.run(function, got.arguments, options, &counts);
      outcome.copies += counts.asyncCopies;
      outcome.waits += counts.waits;
      std::optional<Mismatch> mismatch;
      if (!failure)
        mismatch = compare(expected, got);
      if (!failure && !mismatch)
        continue;
      outcome.status = Outcome::Status::Failed;
      outcome.kind = mismatch ? "mismatch" : failure->isRace ? "race" : "error";
      if (failure)
        failure->emit();
      outcome.message = diagnostics + (mismatch ? mismatch->str() : "") +
                        " (policy " + run.str() +
                        ", n = " + std::to_string(trips) + ")";
      return outcome;
    }
  }
  outcome.isPipelined = outcome.copies > 0;
  return outcome;
}

//===----------------------------------------------------------------------===//
// Mutated waits
//===----------------------------------------------------------------------===//

std::vector<Oracle::WaitReport>
Oracle::mutateWaits(const Program &program, uint64_t seed, int64_t extra) {
  std::vector<WaitReport> reports;
  if (Outcome good = check(program, seed);
      good.status != Outcome::Status::Passed || good.waits == 0)
    return reports;
  Prepared prepared;
  Outcome outcome;
  if (!prepare(program, seed, prepared, outcome))
    return reports;
  auto function = *prepared.injected->getOps<func::FuncOp>().begin();
  std::vector<std::unique_ptr<KernelInput>> expected;
  for (int64_t trips : prepared.trips) {
    expected.push_back(std::make_unique<KernelInput>(*input));
    runSerial(prepared, trips, *expected.back(), outcome);
  }
  Interpreter interpreter;
  function.walk([&](tile::AsyncWaitOp wait) {
    WaitReport report;
    llvm::raw_string_ostream(report.wait) << wait;
    for (bool sanitize : {true, false})
      for (auto [trips, serial] : llvm::zip_equal(prepared.trips, expected))
        for (const PolicyRun &run : getPolicyRuns(4, seed)) {
          KernelInput got(*input);
          got.arguments.back().number = double(trips);
          InterpreterOptions options;
          options.policy = run.policy;
          options.seed = run.seed;
          options.sanitize = sanitize;
          options.mutatedWait = wait;
          options.mutationExtra = extra;
          InterpreterStatistics counts;
          auto failure =
              interpreter.run(function, got.arguments, options, &counts);
          report.isExecuted |= counts.mutations > 0;
          if (failure || compare(*serial, got))
            (sanitize ? report.bySanitizer : report.byValues) = true;
        }
    reports.push_back(report);
  });
  return reports;
}
