//===- tile-fuzz.cpp - Differential tests with random programs
//--------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Campaign.h"
#include "MutateText.h"
#include "Oracle.h"

#include "tilepipe/Pipelines/Registration.h"

#include "mlir/InitAllPasses.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace tilepipe;
using namespace tilepipe::fuzz;
namespace cl = llvm::cl;

static cl::OptionCategory category("tile-fuzz options");
static cl::opt<uint64_t> programs("programs", cl::desc("Number of programs"),
                                  cl::init(1000), cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Seed of the campaign"),
                              cl::init(1), cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::desc("Worker processes"), cl::init(1),
                              cl::cat(category));
static cl::opt<unsigned> timeLimit("time-limit",
                                   cl::desc("End after this many seconds"),
                                   cl::init(0), cl::cat(category));
static cl::opt<std::string>
    outputDir("output", cl::desc("Where failing programs are written"),
              cl::init("."), cl::value_desc("directory"), cl::cat(category));
static cl::opt<unsigned> maxFailures("max-failures",
                                     cl::desc("End after this many failures"),
                                     cl::init(5), cl::cat(category));
static cl::opt<bool> noShrink("no-shrink",
                              cl::desc("Write failing programs as they are"),
                              cl::cat(category));
static cl::opt<int64_t> show("show",
                             cl::desc("Print this program of the campaign"),
                             cl::init(-1), cl::cat(category));
static cl::opt<bool>
    mutateWaits("mutate-waits",
                cl::desc("Loosen, then remove, each wait of good programs, and "
                         "say whether that is noticed"),
                cl::cat(category));
static cl::opt<bool>
    mutatePlans("mutate-plans",
                cl::desc("Change versions, stages and orders of plans: those "
                         "that are accepted must be right"),
                cl::cat(category));
static cl::opt<std::string>
    mutateDir("mutate-text",
              cl::desc("Run all passes on mutations of the .mlir files in a "
                       "directory"),
              cl::value_desc("directory"), cl::cat(category));
static cl::opt<std::string>
    digestFile("digest",
               cl::desc("Run all passes on one text, to reproduce a crash"),
               cl::value_desc("file"), cl::cat(category));
static cl::opt<uint64_t> count("count", cl::desc("Number of mutated texts"),
                               cl::init(20000), cl::cat(category));
static cl::opt<Backend> backend(
    "backend", cl::desc("What runs the pipelined programs"),
    cl::values(clEnumValN(Backend::Interpreter, "interpreter",
                          "The interpreter (default)"),
               clEnumValN(Backend::Jit, "jit",
                          "Compiled code, of the serial programs as well"),
               clEnumValN(Backend::Ptx, "ptx",
                          "PTX for sm_80 in the emulator, races watched")),
    cl::init(Backend::Interpreter), cl::cat(category));
static cl::opt<uint64_t> first("first",
                               cl::desc("Number of the first program or text"),
                               cl::init(0), cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("No progress line"),
                           cl::cat(category));

static uint64_t seedOf(uint64_t number) {
  return Random(seed * 0x51ED270B + first + number).next();
}

static CampaignOptions getCampaignOptions(uint64_t total) {
  CampaignOptions options;
  options.count = total;
  options.jobs = std::max(1u, unsigned(jobs));
  options.timeLimit = timeLimit;
  options.maxFailures = maxFailures;
  options.progress = !quiet;
  return options;
}

static bool writeFile(const std::string &path, const std::string &text) {
  (void)llvm::sys::fs::create_directories(outputDir);
  std::ofstream os(path);
  os << text;
  if (os.good())
    return true;
  llvm::errs() << "tile-fuzz: error: cannot write '" << path << "'\n";
  return false;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The outcome of a program in a process of its own; a death is a failure.
static Outcome checkIsolated(Oracle &oracle, const Program &program,
                             uint64_t programSeed) {
  Isolated isolated = runIsolated(20, [&] {
    Outcome outcome = oracle.check(program, programSeed);
    std::string text(1, char('0' + int(outcome.status)));
    return text + outcome.kind + '\0' + outcome.message + '\0' + outcome.text;
  });
  Outcome outcome;
  if (!isolated.death.empty()) {
    outcome.status = Outcome::Status::Failed;
    outcome.kind = isolated.death;
    outcome.text = emit(program);
    return outcome;
  }
  llvm::StringRef rest = isolated.output;
  outcome.status = Outcome::Status(rest.front() - '0');
  auto [kind, more] = rest.drop_front().split('\0');
  auto [message, text] = more.split('\0');
  outcome.kind = kind.str();
  outcome.message = message.str();
  outcome.text = text.str();
  return outcome;
}

static std::string asComment(llvm::StringRef text) {
  std::string result;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    result += "// " + line.str() + "\n";
  return result;
}

/// Shrinks and writes a failing program.
static void reportProgram(Oracle &oracle, uint64_t number) {
  uint64_t programSeed = seedOf(number);
  Program program = generate(programSeed);
  Outcome outcome = checkIsolated(oracle, program, programSeed);
  if (outcome.status != Outcome::Status::Failed) {
    llvm::outs() << "program " << number << ": failed once, not again\n";
    return;
  }
  unsigned before = program.size();
  if (!noShrink)
    program = shrink(program, [&](const Program &smaller) {
      Outcome again = checkIsolated(oracle, smaller, programSeed);
      if (again.status != Outcome::Status::Failed || again.kind != outcome.kind)
        return false;
      outcome = again;
      return true;
    });
  std::string options =
      std::string("--passes='pipeline-planning") +
      (program.isModulo ? "{policy=modulo}" : "") +
      ",inject-software-pipeline{form=" + stringify(program.form) + "}'";
  std::string path = outputDir + "/fuzz-" + std::to_string(seed) + "-" +
                     std::to_string(first + number) + ".mlir";
  std::string globals = "48x8,48x8:-3..40,48x8,48x8,48x8:-3..40,48x8,_,1,";
  std::string run = backend == Backend::Jit   ? "// tile-run --jit"
                    : backend == Backend::Ptx ? "// tile-run --ptx"
                                              : "// tile-run";
  writeFile(path, run + " --check --seed=1 " + options + " --args='" + globals +
                      "0|1|2|3|4|5|6|7|8|9' %s\n// program " +
                      std::to_string(first + number) + " of seed " +
                      std::to_string(seed) + ": " + outcome.kind + "\n" +
                      asComment(outcome.message) + outcome.text);
  llvm::outs() << "program " << first + number << ": " << outcome.kind
               << ", shrunk from " << before << " to " << program.size()
               << " statements: " << path << "\n"
               << outcome.message << "\n";
}

static int runPrograms() {
  CampaignResult result =
      runCampaign(getCampaignOptions(programs), []() -> WorkFn {
        auto oracle = std::make_shared<Oracle>(backend);
        return [oracle](uint64_t number) {
          uint64_t programSeed = seedOf(number);
          Outcome outcome = oracle->check(generate(programSeed), programSeed);
          Verdict verdict;
          verdict.kind =
              outcome.status == Outcome::Status::Passed    ? Verdict::Passed
              : outcome.status == Outcome::Status::Refused ? Verdict::Refused
                                                           : Verdict::Failed;
          verdict.isPipelined = outcome.isPipelined;
          verdict.copies = outcome.copies;
          return verdict;
        };
      });
  if (!result.failures.empty()) {
    Oracle oracle(backend);
    for (const auto &failure : result.failures)
      reportProgram(oracle, failure.number);
  }
  llvm::outs() << result.passed << " passed, " << result.failed << " failed ("
               << result.pipelined << " with asynchronous copies, "
               << result.copies << " copies; " << result.refused
               << " manual schedules refused; seed " << seed << ", "
               << llvm::format("%.1f", result.seconds) << " s)\n";
  return result.failed != 0;
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

static int runMutateWaits() {
  Oracle oracle;
  unsigned good = 0;
  for (int64_t extra : {int64_t(1), int64_t(-1)}) {
    unsigned noticed = 0, byValues = 0, redundant = 0, unreached = 0, used = 0;
    for (uint64_t number = 0; used < programs && number < 50 * programs + 50;
         ++number) {
      uint64_t programSeed = seedOf(number);
      auto reports =
          oracle.mutateWaits(generate(programSeed), programSeed, extra);
      used += !reports.empty();
      for (const auto &report : reports) {
        bool isNoticed = report.bySanitizer || report.byValues;
        noticed += isNoticed;
        byValues += report.byValues;
        unreached += !isNoticed && !report.isExecuted;
        if (isNoticed || !report.isExecuted)
          continue;
        ++redundant;
        llvm::outs() << "program " << number << ": redundant: " << report.wait
                     << "\n";
      }
    }
    good = used;
    llvm::outs() << (extra > 0 ? "loosened: " : "removed: ") << noticed
                 << " noticed (" << byValues << " by values alone), "
                 << redundant << " redundant, " << unreached
                 << " not executed, in " << used << " programs\n";
  }
  return good < programs;
}

static int runMutatePlans() {
  Oracle oracle;
  Oracle::PlanReport sum;
  unsigned used = 0;
  for (uint64_t number = 0; used < programs && number < 50 * programs + 50;
       ++number) {
    uint64_t programSeed = seedOf(number);
    Oracle::PlanReport report =
        oracle.mutatePlans(generate(programSeed), programSeed);
    used += report.refused + report.right + report.wrong > 0;
    sum.refused += report.refused;
    sum.right += report.right;
    sum.wrong += report.wrong;
  }
  llvm::outs() << "plans: " << sum.wrong << " wrong, " << sum.right
               << " accepted and right, " << sum.refused << " refused, in "
               << used << " programs\n";
  return sum.wrong != 0 || used < programs;
}

static int runMutateText() {
  std::string error;
  std::vector<std::string> modules = readModules(mutateDir, error);
  if (!error.empty()) {
    llvm::errs() << "tile-fuzz: error: " << error << "\n";
    return 1;
  }
  CampaignResult result =
      runCampaign(getCampaignOptions(count), [&]() -> WorkFn {
        // Passes that print have nothing to say here.
        if (!freopen("/dev/null", "w", stdout) ||
            !freopen("/dev/null", "w", stderr))
          _exit(2);
        auto oracle = std::make_shared<Oracle>();
        return [oracle, &modules](uint64_t number) {
          Verdict verdict;
          Oracle::Digest digest =
              oracle->digest(mutateText(modules, seedOf(number)));
          verdict.isPipelined = digest.isProgram;
          if (!digest.problem.empty())
            verdict.kind = Verdict::Failed;
          return verdict;
        };
      });
  for (const auto &failure : result.failures) {
    std::string path = outputDir + "/text-" + std::to_string(seed) + "-" +
                       std::to_string(first + failure.number) + ".mlir";
    writeFile(path, mutateText(modules, seedOf(failure.number)));
    llvm::outs() << "text " << first + failure.number << ": " << failure.death
                 << ": " << path << "\n";
  }
  llvm::outs() << result.passed << " passed, " << result.failed << " failed ("
               << result.pipelined << " are programs; from " << modules.size()
               << " modules; seed " << seed << ", "
               << llvm::format("%.1f", result.seconds) << " s)\n";
  return result.failed != 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM y(argc, argv);
  cl::HideUnrelatedOptions(category);
  mlir::registerAllPasses();
  registerPasses();
  cl::ParseCommandLineOptions(
      argc, argv,
      "Makes random tile programs and compares serial with pipelined execution "
      "under\nevery completion policy. Failures are shrunk and written as "
      ".mlir files.\n");
  if (show >= 0) {
    llvm::outs() << emit(generate(seedOf(show)));
    return 0;
  }
  if (!digestFile.empty()) {
    auto buffer = llvm::MemoryBuffer::getFile(digestFile);
    if (!buffer) {
      llvm::errs() << "tile-fuzz: error: cannot read '" << digestFile << "'\n";
      return 1;
    }
    Oracle::Digest digest = Oracle().digest((*buffer)->getBuffer());
    llvm::outs() << "digest: "
                 << (!digest.isProgram          ? "does not parse"
                     : digest.problem.empty() ? "nothing is wrong"
                                              : digest.problem)
                 << "\n";
    return 0;
  }
  if (!mutateDir.empty())
    return runMutateText();
  if (mutatePlans)
    return runMutatePlans();
  if (mutateWaits)
    return runMutateWaits();
  return runPrograms();
}
