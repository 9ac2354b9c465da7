//===- ptx-emu.cpp - Runs PTX on the CPU and says what is wrong with it --===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace tilepipe::ptx;

static const char *const usage =
    R"(usage: ptx-emu FILE [options]      ('-' reads standard input)

  --list                  kernels with their parameters, and nothing else
  --census                how often each instruction stands in the text (and,
                          with a launch, how often it ran, and conflicts of
                          banks of shared memory)
  --kernel NAME           the kernel to run; may be left out if there is one
  --grid X[,Y[,Z]]        blocks (1)
  --block X[,Y[,Z]]       threads of a block (32)
  --shared BYTES          dynamic shared memory (0)
  --arg SPEC              an argument, in order:
                            TYPE:VALUE                 f32:1.5, i64:5
                            buf:TYPE:SHAPE[=INIT]      buf:f16:128x64=random:1
                          TYPE: f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64
                          INIT: zero nan iota const:X random:SEED (-3 to 3)
  --policy NAME           eager, late, early, shuffle or all (late)
  --seed N                of shuffle (0)
  --no-races              without race detector
  --no-undefined          without reports of undefined values
  --threads N             host threads, with --no-races (1)
  --max-instructions N    of warps; 0: no limit (1000000000)
  --timeout SECONDS       0: no limit (0)
  --dump argN[:COUNT]     print a buffer after the run
  --time                  print time and speed
  --drop-line N           remove the instruction in line N first
  --loosen-line N         raise the number of the wait_group in line N first
  --print                 print the edited text instead of running it
  --mutate-sync           run every removed or loosened synchronisation under
                          every policy; say which are noticed

Exit code: 0 nothing found, 1 issues (mutants not noticed), 2 wrong usage or
text that is not known.
)";

namespace {
struct Options : Invocation {
  bool list = false, census = false, print = false, mutate = false,
       policyGiven = false;
  std::vector<std::pair<uint32_t, bool>> edits;
};
} // namespace

[[noreturn]] static void die(const std::string &message) {
  std::fprintf(stderr, "ptx-emu: error: %s\n", message.c_str());
  std::exit(2);
}

static uint64_t number(const std::string &flag, const std::string &text) {
  char *end = nullptr;
  uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end || text[0] == '-')
    die(flag + ": '" + text + "' is not a number");
  return value;
}

static void dimensions(const std::string &flag, const std::string &text,
                       uint32_t *to) {
  std::stringstream stream(text);
  std::string part;
  for (unsigned i = 0; std::getline(stream, part, ','); ++i) {
    if (i == 3)
      die(flag + ": more than three dimensions");
    to[i] = uint32_t(number(flag, part));
  }
}

static void choosePolicy(Options &options, const std::string &name) {
  Policy policy;
  options.policyGiven = true;
  if (name == "all")
    options.policies = {Policy::Eager, Policy::Late, Policy::Early,
                        Policy::Shuffle};
  else if (parsePolicy(name, policy))
    options.policies = {policy};
  else
    die("no policy '" + name + "'; there are eager, late, early, shuffle, all");
}

static bool readFlag(Options &options, const std::string &flag) {
  LaunchOptions &launch = options.launch;
  if (flag == "--list")
    return options.list = true;
  if (flag == "--census")
    return options.census = launch.census = true;
  if (flag == "--no-races")
    return !(launch.races = false);
  if (flag == "--no-undefined")
    return !(launch.undefined = false);
  if (flag == "--time")
    return options.time = true;
  if (flag == "--print")
    return options.print = true;
  if (flag == "--mutate-sync")
    return options.mutate = true;
  return false;
}

static void readValue(Options &options, const std::string &flag,
                      const std::string &value) {
  LaunchOptions &launch = options.launch;
  if (flag == "--kernel") {
    options.kernel = value;
  } else if (flag == "--grid") {
    dimensions(flag, value, launch.grid);
  } else if (flag == "--block") {
    dimensions(flag, value, launch.block);
  } else if (flag == "--shared") {
    launch.sharedBytes = uint32_t(number(flag, value));
  } else if (flag == "--policy") {
    choosePolicy(options, value);
  } else if (flag == "--seed") {
    launch.seed = number(flag, value);
  } else if (flag == "--threads") {
    launch.threads = uint32_t(number(flag, value));
  } else if (flag == "--max-instructions") {
    launch.maxInstructions = number(flag, value);
  } else if (flag == "--timeout") {
    launch.timeout = std::strtod(value.c_str(), nullptr);
  } else if (flag == "--drop-line" || flag == "--loosen-line") {
    options.edits.push_back(
        {uint32_t(number(flag, value)), flag == "--drop-line"});
  } else if (flag == "--dump") {
    size_t colon = value.find(':');
    if (value.compare(0, 3, "arg") != 0)
      die("--dump: expected argN or argN:COUNT, got '" + value + "'");
    uint64_t count = colon == std::string::npos
                         ? ~0ull
                         : number(flag, value.substr(colon + 1));
    options.dumps.push_back(
        {unsigned(number(flag, value.substr(3, colon - 3))), count});
  } else if (flag == "--arg") {
    ArgumentSpec spec;
    std::string error;
    if (!ArgumentSpec::parse(value, spec, error))
      die(error);
    options.arguments.push_back(spec);
  } else {
    die("unknown option '" + flag + "'; --help lists them");
  }
}

static Options readOptions(int argc, char **argv) {
  Options options;
  options.launch.block[0] = 32;
  options.launch.maxInstructions = 1000000000;
  options.policies = {Policy::Late};
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i], value;
    if (flag == "--help" || flag == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (flag.compare(0, 2, "--") != 0) {
      if (!options.file.empty())
        die("more than one file");
      options.file = flag;
      continue;
    }
    if (readFlag(options, flag))
      continue;
    size_t equals = flag.find('=');
    if (equals != std::string::npos) {
      value = flag.substr(equals + 1);
      flag = flag.substr(0, equals);
    } else if (++i < argc) {
      value = argv[i];
    } else {
      die(flag + " needs a value");
    }
    readValue(options, flag, value);
  }
  if (options.file.empty())
    die("no file; --help says how to use it");
  return options;
}

static std::string readText(const std::string &file) {
  std::ifstream stream(file == "-" ? "/dev/stdin" : file, std::ios::binary);
  if (!stream)
    die("cannot open '" + file + "'");
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

static std::unique_ptr<Program> parseOrDie(const std::string &file,
                                           std::string text) {
  std::string error;
  std::unique_ptr<Program> program = parse(std::move(text), error);
  if (!program) {
    std::fprintf(stderr, "%s:%s\n", file.c_str(), error.c_str());
    std::exit(2);
  }
  return program;
}

/// Carries out --drop-line and --loosen-line; later edits first, so that the
/// places of the others stay.
static std::unique_ptr<Program> edit(const Options &options,
                                     std::unique_ptr<Program> program) {
  std::map<uint32_t, std::pair<uint32_t, std::string>> changes;
  for (auto [line, drop] : options.edits) {
    const Inst *found = nullptr;
    for (const Kernel &kernel : program->kernels)
      for (const Inst &inst : kernel.code)
        if (inst.line == line && inst.begin != inst.end)
          found = &inst;
    if (!found)
      die("no instruction in line " + std::to_string(line));
    if (!drop && found->op != Op::CpWait)
      die("line " + std::to_string(line) +
          " is not a cp.async.wait_group: " + program->textOf(*found));
    std::string now = drop ? ""
                           : "cp.async.wait_group " +
                                 std::to_string(found->ops[0].value + 1) + ";";
    changes[found->begin] = {found->end, now};
  }
  std::string text = program->text;
  for (auto it = changes.rbegin(); it != changes.rend(); ++it)
    text.replace(it->first, it->second.first - it->first, it->second.second);
  return changes.empty() ? std::move(program) : parseOrDie(options.file, text);
}

static void printKernels(const Program &program) {
  for (const Kernel &kernel : program.kernels) {
    std::printf("%s(", kernel.name.c_str());
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      const Param &param = kernel.params[i];
      std::printf("%s.%s %s", i ? ", " : "", nameOf(param.type),
                  param.name.c_str());
      if (param.bytes != sizeOf(param.type))
        std::printf("[%u]", param.bytes / sizeOf(param.type));
    }
    std::printf(
        ") line %u, %zu instructions, %u bytes of static shared memory%s\n",
        kernel.line, kernel.code.size() - 1, kernel.staticShared,
        kernel.hasDynamic ? ", dynamic shared memory" : "");
  }
}

static void printCensus(const std::map<std::string, uint64_t> &census) {
  for (const auto &[mnemonic, count] : census)
    std::printf("%10llu %s\n", (unsigned long long)count, mnemonic.c_str());
}

static void dump(const Options &options, const ArgumentSet &arguments) {
  for (auto [index, most] : options.dumps) {
    if (index >= options.arguments.size() || !options.arguments[index].buffer)
      die("--dump: argument " + std::to_string(index) + " is not a buffer");
    const ArgumentSpec &spec = options.arguments[index];
    std::printf("arg%u:", index);
    for (uint64_t i = 0; i < std::min(spec.count, most); ++i)
      std::printf(" %s", spec.print(arguments.contents()[index], i).c_str());
    std::printf("\n");
  }
}

static bool runPolicy(const Options &options, const Program &program,
                      const Kernel &kernel, Policy policy) {
  ArgumentSet arguments(options.arguments);
  LaunchOptions launchOptions = options.launch;
  launchOptions.policy = policy;
  Report report;
  std::string error;
  if (!launch(program, kernel, launchOptions, arguments.get(), report, error))
    die(error);
  for (const Issue &issue : report.issues)
    std::fputs(toString(issue).c_str(), stdout);
  const Statistics &statistics = report.statistics;
  std::printf("%s %s: %s\n", kernel.name.c_str(), nameOf(policy),
              report.issues.empty()
                  ? "no issues"
                  : (std::to_string(report.issues.size()) + " issues").c_str());
  if (options.time)
    std::printf(
        "%llu warp instructions, %llu thread instructions in %.3f ms "
        "of processor time: %.1f million thread instructions a second\n",
        (unsigned long long)statistics.warpInstructions,
        (unsigned long long)statistics.threadInstructions,
        statistics.processorSeconds * 1e3,
        double(statistics.threadInstructions) / statistics.processorSeconds /
            1e6);
  printCensus(statistics.census);
  for (auto [line, count] : statistics.bankConflicts)
    std::printf("%10llu bank conflicts in line %u\n", (unsigned long long)count,
                line);
  dump(options, arguments);
  return report.issues.empty();
}

int main(int argc, char **argv) {
  Options options = readOptions(argc, argv);
  std::unique_ptr<Program> program =
      edit(options, parseOrDie(options.file, readText(options.file)));
  if (options.print)
    return std::fwrite(program->text.data(), 1, program->text.size(), stdout) ==
                   program->text.size()
               ? 0
               : 2;
  if (options.list) {
    printKernels(*program);
    return 0;
  }
  if (options.census && options.kernel.empty() && options.arguments.empty()) {
    printCensus(census(*program));
    return 0;
  }
  if (options.kernel.empty() && program->kernels.size() == 1)
    options.kernel = program->kernels[0].name;
  const Kernel *kernel = program->find(options.kernel);
  if (!kernel)
    die(options.kernel.empty()
            ? "--kernel says which of the kernels to run; --list lists them"
            : "no kernel '" + options.kernel + "'");
  if (options.mutate) {
    if (!options.policyGiven)
      choosePolicy(options, "all");
    return runMutants(*program, *kernel, options);
  }
  bool clean = true;
  for (Policy policy : options.policies)
    clean &= runPolicy(options, *program, *kernel, policy);
  return clean ? 0 : 1;
}
