//===- tile-run.cpp - Run and check tile kernels
//----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

#include "tilepipe/Dialect/Tile/IR/Tile.h"
#include "tilepipe/Interpreter/Check.h"
#include "tilepipe/Pipelines/Registration.h"

#include "mlir/IR/AsmState.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>
#include <ctime>

using namespace mlir;
using namespace tilepipe;
namespace cl = llvm::cl;

static cl::OptionCategory category("tile-run options");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<kernel.mlir>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> entry("entry", cl::desc("Function to run"),
                                  cl::cat(category));
static cl::opt<std::string>
    argumentText("args", cl::desc("Arguments, see above"), cl::cat(category));
static cl::opt<std::string> policyName(
    "policy",
    cl::desc("When asynchronous copies move their data: eager, late, "
             "early-write-late-read or random"),
    cl::init("eager"), cl::cat(category));
static cl::opt<uint64_t>
    seed("seed", cl::desc("Seed of random data and of --policy=random"),
         cl::init(1), cl::cat(category));
static cl::opt<unsigned>
    seeds("seeds", cl::desc("Seeds of the random policy under --check"),
          cl::init(4), cl::cat(category));
static cl::opt<bool> interpret("interpret",
                               cl::desc("Run in the interpreter (default)"),
                               cl::cat(category));
static cl::opt<bool>
    jit("jit",
        cl::desc("Compile for this machine and run that. Asynchronous copies "
                 "are made at once, unless --policy or --sanitize is given"),
        cl::cat(category));
static cl::opt<unsigned> optLevel("jit-opt-level",
                                  cl::desc("With --jit: optimization, 0 to 3"),
                                  cl::init(3), cl::cat(category));
static cl::opt<unsigned> jitThreads(
    "jit-threads",
    cl::desc("With --jit: threads that run the blocks of a launch; 0 "
             "means one for each processor"),
    cl::init(1), cl::cat(category));
static cl::opt<bool> ptx(
    "ptx",
    cl::desc("Compile for NVIDIA sm_80 and run the PTX in the emulator, with "
             "races watched. A function without tile.launch is one block"),
    cl::cat(category));
static cl::opt<unsigned> ptxThreads(
    "ptx-threads",
    cl::desc("With --ptx: threads of the block of a function without "
             "tile.launch"),
    cl::init(64), cl::cat(category));
static cl::opt<unsigned>
    timeRuns("time",
             cl::desc("Print the time of compilation, and the shortest time of "
                      "this many runs"),
             cl::init(0), cl::value_desc("runs"), cl::cat(category));
static cl::opt<double>
    tolerance("tolerance",
              cl::desc("With --check: how much floats may differ, relative to "
                       "the larger of 1 and their magnitude"),
              cl::init(0), cl::cat(category));
static cl::opt<bool> check(
    "check",
    cl::desc("Compare the program as it is with its pipelined forms under "
             "every policy"),
    cl::cat(category));
static cl::opt<std::string>
    reference("reference",
              cl::desc("With --check: the serial program; the input is already "
                       "injected"),
              cl::cat(category));
static cl::opt<std::string> passes(
    "passes",
    cl::desc("With --check: the pass pipelines to compare with the "
             "program, separated by ';'"),
    cl::init("pipeline-planning,inject-software-pipeline;"
             "pipeline-planning,inject-software-pipeline{form=prologue};"
             "pipeline-planning,inject-software-pipeline{form=predicated}"),
    cl::cat(category));
static cl::opt<bool> minimalWaits(
    "minimal-waits",
    cl::desc("For each wait of the injected program: is completing "
             "one group fewer noticed?"),
    cl::cat(category));
static cl::list<std::string>
    sanitize("sanitize", cl::CommaSeparated,
             cl::desc("What is checked: async (default), uninitialized, none"),
             cl::cat(category));
static cl::opt<bool> print("print", cl::desc("Print the outputs"),
                           cl::cat(category));
static cl::opt<std::string>
    save("save",
         cl::desc("Write each memref argument to PREFIX<number>.npy, or to "
                  "PREFIX<set>-<number>.npy with several sets of arguments"),
         cl::value_desc("prefix"), cl::cat(category));
static cl::opt<bool> statistics("statistics",
                                cl::desc("Print what was executed"),
                                cl::cat(category));
static cl::opt<uint64_t>
    stepLimit("step-limit", cl::desc("End with an error after this many steps"),
              cl::init(uint64_t(1) << 34), cl::cat(category));

static int fail(const Twine &message) {
  llvm::errs() << "tile-run: error: " << message << '\n';
  return 1;
}

/// Options of a run, from the command line. False for an unknown name.
static bool getOptions(InterpreterOptions &options, std::string &error) {
  auto policy = runtime::parseCompletionPolicy(policyName);
  if (!policy) {
    error = "unknown policy '" + policyName + "'";
    return false;
  }
  options.policy = *policy;
  options.seed = seed;
  options.stepLimit = stepLimit;
  for (StringRef name : sanitize) {
    if (name == "none")
      options.sanitize = false;
    else if (name == "uninitialized")
      options.trackUninitialized = true;
    else if (name != "async") {
      error = ("unknown check '" + name + "'").str();
      return false;
    }
  }
  return true;
}

/// `--args`: sets separated by semicolons.
static bool parseSets(std::vector<ArgumentChoices> &sets, std::string &error) {
  SmallVector<StringRef> texts;
  StringRef(argumentText).split(texts, ';');
  for (StringRef text : texts)
    if (!parseArguments(text, sets.emplace_back(), error))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

/// FNV-1a.
static uint64_t getHash(const HostBuffer &buffer) {
  uint64_t hash = 0xCBF29CE484222325ull;
  for (char byte : buffer.data)
    hash = (hash ^ uint8_t(byte)) * 0x100000001B3ull;
  return hash;
}

static void printBuffer(const HostBuffer &buffer, unsigned dim, int64_t first) {
  if (dim == buffer.shape.size()) {
    llvm::outs() << llvm::format("%.9g", getElement(buffer, first));
    return;
  }
  int64_t inner = 1;
  for (int64_t extent : ArrayRef(buffer.shape).drop_front(dim + 1))
    inner *= extent;
  llvm::outs() << '[';
  for (int64_t i = 0; i < buffer.shape[dim]; ++i) {
    if (i > 0)
      llvm::outs() << (inner > 1 ? ",\n" : ", ");
    printBuffer(buffer, dim + 1, first + i * inner);
  }
  llvm::outs() << ']';
}

static int report(const KernelInput &input, ArrayRef<double> results,
                  StringRef prefix) {
  for (auto [number, buffer] : llvm::zip_equal(input.numbers, input.buffers)) {
    double sum = 0;
    for (int64_t i = 0, e = buffer.getNumElements(); i < e; ++i)
      sum += getElement(buffer, i);
    llvm::outs() << "argument " << number << ": ";
    for (int64_t extent : buffer.shape)
      llvm::outs() << extent << 'x';
    llvm::outs() << buffer.elementType << " sum " << llvm::format("%.9g", sum)
                 << " hash " << llvm::format_hex_no_prefix(getHash(buffer), 16)
                 << '\n';
    if (print) {
      printBuffer(buffer, 0, 0);
      llvm::outs() << '\n';
    }
    std::string error;
    if (!save.empty() &&
        !writeNpy((prefix + Twine(number) + ".npy").str(), buffer, error))
      return fail(error);
  }
  for (auto [i, result] : llvm::enumerate(results))
    llvm::outs() << "result " << i << ": " << llvm::format("%.9g", result)
                 << '\n';
  return 0;
}

/// Alternatives of the arguments, one entry for each set of `--args`.
using ArgumentSets = std::vector<ArgumentChoices>;

/// Runs a program once, in the interpreter or compiled. Failures are printed.
static bool
execute(const CompiledProgram *program, Interpreter &interpreter,
        func::FuncOp function, ArrayRef<InterpreterArgument> arguments,
        const InterpreterOptions &options, InterpreterStatistics &counts,
        SmallVectorImpl<double> *results = nullptr, bool isQuiet = false) {
  if (!program) {
    auto failure =
        interpreter.run(function, arguments, options, &counts, results);
    if (failure && !isQuiet)
      failure->emit();
    return !failure;
  }
  std::string error;
  if (program->run(function, arguments, options, error, results))
    return true;
  if (!isQuiet)
    llvm::errs() << error << '\n';
  return false;
}

/// The options of --jit. Checks need the runtime.
static JitOptions getJitOptions(const InterpreterOptions &options) {
  JitOptions result;
  result.asyncRuntime =
      check || policyName.getNumOccurrences() || sanitize.getNumOccurrences();
  result.sanitize = result.asyncRuntime && options.sanitize;
  result.optLevel = optLevel;
  result.threads = jitThreads;
  return result;
}

static bool isCompiled() { return jit || ptx; }

/// Compiles the function for the backend of the command line.
static std::unique_ptr<CompiledProgram>
compile(func::FuncOp function, const InterpreterOptions &options,
        std::string &error) {
  if (ptx)
    return compilePtx(function, ptxThreads, error);
  return compileJit(function->getParentOfType<ModuleOp>(),
                    getJitOptions(options), error);
}

/// Repeats a run on copies of the input and prints the shortest time.
static bool measure(const CompiledProgram *program, Interpreter &interpreter,
                    func::FuncOp function, const KernelInput &input,
                    const InterpreterOptions &options) {
  double best = 0, bestProcessor = 0;
  for (unsigned i = 0; i < timeRuns; ++i) {
    KernelInput copy(input);
    InterpreterStatistics counts;
    auto start = std::chrono::steady_clock::now();
    std::clock_t processor = std::clock();
    if (!execute(program, interpreter, function, copy.arguments, options,
                 counts))
      return false;
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    double seconds = double(std::clock() - processor) / CLOCKS_PER_SEC;
    best = i == 0 ? time.count() : std::min(best, time.count());
    bestProcessor = i == 0 ? seconds : std::min(bestProcessor, seconds);
  }
  if (program)
    llvm::outs() << program->getCompileTimes() << '\n';
  llvm::outs() << "shortest of " << timeRuns << " runs: "
               << llvm::format("%.4f ms, processor %.4f ms", best * 1e3,
                               bestProcessor * 1e3)
               << '\n';
  return true;
}

static int runOnce(func::FuncOp function, const ArgumentSets &sets,
                   const InterpreterOptions &options) {
  std::string error;
  Interpreter interpreter;
  std::unique_ptr<CompiledProgram> program;
  if (isCompiled() && !(program = compile(function, options, error)))
    return fail(error);
  for (auto [number, choices] : llvm::enumerate(sets)) {
    auto combinations = getCombinations(choices, function);
    auto input = makeInput(function, combinations.front(), seed, error);
    if (!input)
      return fail(error);
    InterpreterStatistics counts;
    SmallVector<double> results;
    if (timeRuns &&
        !measure(program.get(), interpreter, function, *input, options))
      return 1;
    if (!execute(program.get(), interpreter, function, input->arguments,
                 options, counts, &results))
      return 1;
    if (statistics)
      llvm::outs() << "steps " << counts.steps << ", asynchronous copies "
                   << counts.asyncCopies << ", groups " << counts.groups
                   << ", waits " << counts.waits << '\n';
    std::string prefix = save;
    if (sets.size() > 1)
      prefix += std::to_string(number) + '-';
    if (report(*input, results, prefix))
      return 1;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

namespace {
/// A pipelined form of the program.
struct Variant {
  std::string name;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::unique_ptr<Interpreter> interpreter;
  std::unique_ptr<CompiledProgram> program; ///< with --jit or --ptx
};

/// One set of arguments, and what the serial program makes of it.
struct Case {
  std::string name;
  std::unique_ptr<KernelInput> input, expected;
};
} // namespace

static std::string describe(ArrayRef<ArgumentSpec> specs) {
  std::string text;
  for (const ArgumentSpec &spec : specs) {
    if (!text.empty())
      text += ',';
    if (spec.shape && spec.shape->size() > 1)
      text += llvm::join(
          llvm::map_range(*spec.shape,
                          [](int64_t e) { return std::to_string(e); }),
          "x");
    else if (spec.number)
      llvm::raw_string_ostream(text) << llvm::format("%g", *spec.number);
    else
      text += spec.file.empty() ? "_" : spec.file;
  }
  return text;
}

static bool makeVariants(ModuleOp module, ModuleOp serial,
                         const InterpreterOptions &options,
                         std::vector<Variant> &variants, std::string &error) {
  auto add = [&](StringRef name, OwningOpRef<ModuleOp> form) {
    Variant &variant = variants.emplace_back();
    variant.name = name.str();
    variant.module = std::move(form);
    variant.function = findEntry(*variant.module, entry, error);
    variant.interpreter = std::make_unique<Interpreter>();
    if (isCompiled() && variant.function &&
        !(variant.program = compile(variant.function, options, error)))
      return false;
    return bool(variant.function);
  };
  // The compiler is checked with the serial program too.
  if (isCompiled() && !add("serial", OwningOpRef<ModuleOp>(serial.clone())))
    return false;
  if (module != serial)
    return add("injected", OwningOpRef<ModuleOp>(module.clone()));
  SmallVector<StringRef> pipelines;
  StringRef(passes).split(pipelines, ';', -1, /*KeepEmpty=*/false);
  for (StringRef pipeline : pipelines) {
    OwningOpRef<ModuleOp> form = runPasses(module, pipeline);
    if (!form) {
      error = ("refused by " + pipeline).str();
      return false;
    }
    if (!add(pipeline, std::move(form)))
      return false;
  }
  return true;
}

/// Runs the serial program for every combination of arguments.
static bool makeCases(func::FuncOp serial, const ArgumentSets &sets,
                      InterpreterOptions options, std::vector<Case> &cases,
                      std::string &error) {
  Interpreter interpreter;
  std::vector<SmallVector<ArgumentSpec>> combinations;
  for (const ArgumentChoices &choices : sets)
    llvm::append_range(combinations, getCombinations(choices, serial));
  for (auto &specs : combinations) {
    Case &one = cases.emplace_back();
    one.name = describe(specs);
    one.input = makeInput(serial, specs, seed, error);
    if (!one.input)
      return false;
    one.expected = std::make_unique<KernelInput>(*one.input);
    if (auto failure =
            interpreter.run(serial, one.expected->arguments, options)) {
      failure->emit();
      error = "the serial program fails with arguments " + one.name;
      return false;
    }
  }
  return true;
}

/// Runs a variant once; true if all is right. Quiet runs only say yes or no.
static bool runVariant(Variant &variant, const Case &one, const PolicyRun &run,
                       InterpreterOptions options,
                       InterpreterStatistics &counts, bool isQuiet) {
  KernelInput input(*one.input);
  options.policy = run.policy;
  options.seed = run.seed;
  bool failure = !execute(variant.program.get(), *variant.interpreter,
                          variant.function, input.arguments, options, counts,
                          /*results=*/nullptr, isQuiet);
  std::optional<Mismatch> mismatch;
  if (!failure)
    mismatch = compare(*one.expected, input, tolerance);
  if (!failure && !mismatch)
    return true;
  if (isQuiet)
    return false;
  llvm::errs() << "tile-run: error: " << variant.name << ", policy "
               << run.str();
  if (!one.name.empty())
    llvm::errs() << ", arguments " << one.name;
  llvm::errs() << ": " << (mismatch ? mismatch->str() : "run-time error")
               << '\n';
  return false;
}

static int runCheck(ModuleOp module, ModuleOp serial, func::FuncOp function,
                    const ArgumentSets &sets,
                    const InterpreterOptions &options) {
  std::string error;
  std::vector<Variant> variants;
  std::vector<Case> cases;
  if (!makeCases(function, sets, options, cases, error) ||
      !makeVariants(module, serial, options, variants, error))
    return fail(error);
  SmallVector<PolicyRun> runs = getPolicyRuns(seeds, seed);
  uint64_t copies = 0, waits = 0, failures = 0;
  for (Variant &variant : variants)
    for (const Case &one : cases)
      for (const PolicyRun &run : runs) {
        InterpreterStatistics counts;
        if (runVariant(variant, one, run, options, counts, /*isQuiet=*/false)) {
          copies += counts.asyncCopies;
          waits += counts.waits;
          continue;
        }
        // One report for each form and set of arguments.
        ++failures;
        break;
      }
  if (failures)
    return fail("check failed for " + Twine(failures) + " of " +
                Twine(variants.size() * cases.size()) + " runs");
  llvm::outs() << "check passed: " << variants.size() << " forms, "
               << runs.size() << " policies, " << cases.size()
               << " argument sets";
  if (!isCompiled())
    llvm::outs() << ", " << copies << " asynchronous copies, " << waits
                 << " waits";
  llvm::outs() << '\n';
  return 0;
}

//===----------------------------------------------------------------------===//
// Minimal waits
//===----------------------------------------------------------------------===//

/// Says for each wait whether completing one group fewer is noticed.
static int runMinimalWaits(ModuleOp module, ModuleOp serial,
                           func::FuncOp function, const ArgumentSets &sets,
                           const InterpreterOptions &options) {
  std::string error;
  std::vector<Variant> variants;
  std::vector<Case> cases;
  if (!makeCases(function, sets, options, cases, error) ||
      !makeVariants(module, serial, options, variants, error))
    return fail(error);
  SmallVector<PolicyRun> runs = getPolicyRuns(seeds, seed);
  unsigned needed = 0, redundant = 0, unreached = 0;
  for (Variant &variant : variants) {
    auto visit = [&](tile::AsyncWaitOp wait) {
      bool isNoticed = false;
      InterpreterStatistics counts;
      uint64_t executed = 0;
      InterpreterOptions mutated = options;
      mutated.mutatedWait = wait;
      for (const Case &one : cases)
        for (const PolicyRun &run : runs) {
          if (isNoticed)
            break;
          isNoticed = !runVariant(variant, one, run, mutated, counts, true);
          executed += counts.mutations;
        }
      ++(isNoticed ? needed : executed ? redundant : unreached);
      if (isNoticed)
        return;
      llvm::outs() << variant.name << ": " << wait.getLoc() << ": " << wait
                   << (executed ? ": loosening is not noticed"
                                : ": not executed")
                   << '\n';
    };
    variant.function.walk(visit);
  }
  llvm::outs() << "waits: " << needed << " needed, " << redundant
               << " can be loosened, " << unreached << " not executed\n";
  return redundant != 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM y(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::string overview =
      "Runs a function of a source, planned or injected tile program and "
      "prints a\nchecksum of each memref argument; with --check compares the "
      "program with its\npipelined forms.\n\n--args is " +
      getArgumentSyntax().str() + "\n";
  registerAllPasses();
  registerPasses();
  cl::ParseCommandLineOptions(argc, argv, overview);

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler handler(*sources, &context);

  InterpreterOptions options;
  ArgumentSets sets;
  std::string error;
  if (jit && ptx)
    return fail("--jit and --ptx exclude each other");
  if (!getOptions(options, error) || !parseSets(sets, error))
    return fail(error);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(inputFile, sources, &context);
  if (!module)
    return 1;
  // A source manager has one main file.
  OwningOpRef<ModuleOp> serial;
  if (!reference.empty() &&
      !(serial = parseSourceFile<ModuleOp>(reference, &context)))
    return 1;
  ModuleOp serialModule = serial ? *serial : *module;
  func::FuncOp function = findEntry(serialModule, entry, error);
  if (!function)
    return fail(error);
  for (const ArgumentChoices &choices : sets)
    if (choices.size() > function.getNumArguments())
      return fail("'" + function.getSymName() + "' has " +
                  Twine(function.getNumArguments()) + " arguments, got " +
                  Twine(choices.size()));
  if (minimalWaits)
    return runMinimalWaits(*module, serialModule, function, sets, options);
  if (check)
    return runCheck(*module, serialModule, function, sets, options);
  return runOnce(function, sets, options);
}
