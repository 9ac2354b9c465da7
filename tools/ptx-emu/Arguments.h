//===- Arguments.h - Kernel arguments given on the command line -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_TOOLS_PTX_EMU_ARGUMENTS_H
#define TILEPIPE_TOOLS_PTX_EMU_ARGUMENTS_H

#include "tilepipe/Emulator/PTX/Emulator.h"

/// One `--arg`: `f32:1.5`, or `buf:f16:128x64=random:1`.
struct ArgumentSpec {
  bool buffer = false;
  std::string type, init = "zero";
  uint64_t count = 1;

  /// False and `error` if the text does not parse.
  static bool parse(const std::string &text, ArgumentSpec &spec,
                    std::string &error);
  /// The first contents.
  std::vector<uint8_t> bytes() const;
  /// Element `index` as text.
  std::string print(const std::vector<uint8_t> &bytes, uint64_t index) const;
};

/// The buffers and values of a launch, made anew from the specs.
class ArgumentSet {
public:
  explicit ArgumentSet(const std::vector<ArgumentSpec> &specs);
  const std::vector<tilepipe::ptx::Argument> &get() const { return arguments; }
  const std::vector<std::vector<uint8_t>> &contents() const { return storage; }

private:
  std::vector<std::vector<uint8_t>> storage;
  std::vector<tilepipe::ptx::Argument> arguments;
};

/// Everything a run needs, as `main` read it.
struct Invocation {
  std::string file, kernel;
  tilepipe::ptx::LaunchOptions launch;
  std::vector<ArgumentSpec> arguments;
  std::vector<tilepipe::ptx::Policy> policies;
  bool time = false;
  std::vector<std::pair<unsigned, uint64_t>> dumps;
};

const char *nameOf(tilepipe::ptx::Policy policy);

/// Runs every mutant of the synchronisation and prints which are noticed.
/// Returns the exit code.
int runMutants(const tilepipe::ptx::Program &program,
               const tilepipe::ptx::Kernel &kernel,
               const Invocation &invocation);

#endif // TILEPIPE_TOOLS_PTX_EMU_ARGUMENTS_H
