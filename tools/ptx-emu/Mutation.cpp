//===- Mutation.cpp - Which removed synchronisation is noticed -----------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <cstdio>

using namespace tilepipe::ptx;

namespace {

/// What a run under one policy showed.
struct Outcome {
  std::string found;
  std::vector<std::vector<uint8_t>> contents;
};

} // namespace

static Outcome runOnce(const Program &program, const Kernel &kernel,
                       const Invocation &invocation, Policy policy) {
  Outcome outcome;
  ArgumentSet arguments(invocation.arguments);
  LaunchOptions options = invocation.launch;
  options.policy = policy;
  Report report;
  std::string error;
  if (!launch(program, kernel, options, arguments.get(), report, error)) {
    outcome.found = error;
    return outcome;
  }
  for (const Issue &issue : report.issues)
    if (outcome.found.find(issue.kind) == std::string::npos)
      outcome.found += (outcome.found.empty() ? "" : ", ") + issue.kind;
  outcome.contents = arguments.contents();
  return outcome;
}

/// "race (late, early)": what was found, by the policies that found it.
static std::string
summarise(const Program &program, const Kernel &kernel,
          const Invocation &invocation,
          const std::vector<std::vector<uint8_t>> &expected) {
  std::vector<std::pair<std::string, std::string>> found;
  auto add = [&](const std::string &what, Policy policy) {
    for (auto &[known, policies] : found)
      if (known == what) {
        policies += std::string(", ") + nameOf(policy);
        return;
      }
    found.push_back({what, nameOf(policy)});
  };
  for (Policy policy : invocation.policies) {
    Outcome outcome = runOnce(program, kernel, invocation, policy);
    if (!outcome.found.empty())
      add(outcome.found, policy);
    if (outcome.contents != expected)
      add("wrong result", policy);
  }
  std::string text;
  for (auto &[what, policies] : found)
    text += (text.empty() ? "" : "; ") + what + " (" + policies + ")";
  return text;
}

int runMutants(const Program &program, const Kernel &kernel,
               const Invocation &invocation) {
  Outcome expected = runOnce(program, kernel, invocation, Policy::Eager);
  std::string clean = summarise(program, kernel, invocation, expected.contents);
  if (!clean.empty()) {
    std::fprintf(stderr, "ptx-emu: error: the kernel itself has issues: %s\n",
                 clean.c_str());
    return 1;
  }
  unsigned total = 0, noticed = 0;
  for (const Mutant &mutant : syncMutants(program)) {
    if (&program.kernels[mutant.kernel] != &kernel)
      continue;
    std::string text = program.text, error;
    text.replace(mutant.begin, mutant.end - mutant.begin, mutant.replacement);
    std::unique_ptr<Program> changed = parse(text, error);
    std::string found = changed
                            ? summarise(*changed, *changed->find(kernel.name),
                                        invocation, expected.contents)
                            : error;
    ++total;
    noticed += !found.empty();
    std::printf("line %u %s: %s\n", mutant.line, mutant.kind.c_str(),
                found.empty() ? "not detected" : found.c_str());
  }
  std::printf("%u mutants, %u detected\n", total, noticed);
  return noticed == total ? 0 : 1;
}
