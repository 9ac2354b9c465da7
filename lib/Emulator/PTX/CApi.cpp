//===- CApi.cpp - C interface of the PTX emulator ------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Emulator/PTX/Emulator.h"
#include "tilepipe/Emulator/PTX/PtxEmulator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

using namespace tilepipe::ptx;

struct TilepipePtxModule {
  std::unique_ptr<Program> program;
};

namespace {

/// Writes JSON; commas come by themselves.
class Json {
public:
  Json &open(char bracket) {
    return item(), text += bracket, fresh = true, *this;
  }
  Json &close(char bracket) { return text += bracket, fresh = false, *this; }
  Json &key(const char *name) {
    return item(), string(name), text += ':', fresh = true, *this;
  }
  Json &value(const std::string &s) { return item(), string(s), *this; }
  Json &value(uint64_t n) { return item(), text += std::to_string(n), *this; }
  Json &value(bool b) { return item(), text += b ? "true" : "false", *this; }
  Json &value(double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof(buffer), "%.9g", x);
    return item(), text += buffer, *this;
  }
  template <class T> Json &field(const char *name, const T &v) {
    return key(name).value(v);
  }
  std::string text;

private:
  void item() {
    if (!fresh)
      text += ',';
    fresh = false;
  }
  void string(const std::string &s) {
    text += '"';
    for (unsigned char c : s) {
      char buffer[8];
      if (c == '"' || c == '\\')
        text += '\\', text += char(c);
      else if (c < 32)
        std::snprintf(buffer, sizeof(buffer), "\\u%04x", c), text += buffer;
      else
        text += char(c);
    }
    text += '"';
  }
  bool fresh = true;
};

} // namespace

static char *copyOf(const std::string &text) {
  char *result = static_cast<char *>(std::malloc(text.size() + 1));
  if (result)
    std::memcpy(result, text.c_str(), text.size() + 1);
  return result;
}

static void describeKernel(Json &json, const Kernel &kernel) {
  json.open('{')
      .field("name", kernel.name)
      .field("line", uint64_t(kernel.line));
  json.field("static_shared", uint64_t(kernel.staticShared));
  json.field("dynamic_shared", kernel.hasDynamic);
  json.field("dynamic_offset", uint64_t(kernel.dynamicStart - sharedStart));
  json.field("local_bytes", uint64_t(kernel.localBytes));
  json.field("instructions", uint64_t(kernel.code.size() - 1));
  for (const char *name : {"max_threads", "required_threads"}) {
    json.key(name).open('[');
    for (uint32_t n :
         name[0] == 'm' ? kernel.maxThreads : kernel.requiredThreads)
      json.value(uint64_t(n));
    json.close(']');
  }
  json.key("shared").open('[');
  for (const SharedVariable &variable : kernel.shared)
    json.open('{')
        .field("name", variable.name)
        .field("offset", uint64_t(variable.address - sharedStart))
        .field("bytes", variable.bytes)
        .field("dynamic", variable.external)
        .close('}');
  json.close(']').key("params").open('[');
  for (const Param &param : kernel.params)
    json.open('{')
        .field("name", param.name)
        .field("type", std::string(nameOf(param.type)))
        .field("offset", uint64_t(param.offset))
        .field("bytes", uint64_t(param.bytes))
        .close('}');
  json.close(']').close('}');
}

static void writeCensus(Json &json,
                        const std::map<std::string, uint64_t> &census) {
  json.key("census").open('{');
  for (const auto &[mnemonic, count] : census)
    json.field(mnemonic.c_str(), count);
  json.close('}');
}

static void writeIssue(Json &json, const Issue &issue) {
  json.open('{').field("kind", issue.kind).field("message", issue.message);
  json.field("missing", issue.missing)
      .field("count", issue.count)
      .field("fatal", issue.fatal);
  json.field("text", toString(issue));
  json.key("block").open('[');
  for (uint32_t n : issue.block)
    json.value(uint64_t(n));
  json.close(']').key("sites").open('[');
  for (const Site &site : issue.sites)
    if (site.line)
      json.open('{')
          .field("access", site.access)
          .field("line", uint64_t(site.line))
          .field("text", site.text)
          .field("place", site.place)
          .close('}');
  json.close(']').close('}');
}

static std::string writeReport(const Report &report) {
  Json json;
  json.open('{').field("completed", report.completed).key("issues").open('[');
  for (const Issue &issue : report.issues)
    writeIssue(json, issue);
  const Statistics &s = report.statistics;
  json.close(']').key("statistics").open('{');
  json.field("warp_instructions", s.warpInstructions)
      .field("thread_instructions", s.threadInstructions);
  json.field("barriers", s.barriers)
      .field("copies", s.copies)
      .field("seconds", s.seconds);
  json.field("processor_seconds", s.processorSeconds);
  writeCensus(json, s.census);
  json.key("bank_conflicts").open('{');
  for (auto [line, count] : s.bankConflicts)
    json.field(std::to_string(line).c_str(), count);
  json.close('}');
  json.close('}').close('}');
  return json.text;
}

static bool readOptions(const TilepipePtxOptions &from, LaunchOptions &to,
                        std::string &error) {
  for (unsigned i = 0; i < 3; ++i) {
    to.grid[i] = from.grid[i];
    to.block[i] = from.block[i];
  }
  to.sharedBytes = from.shared_bytes;
  to.threads = from.threads ? from.threads : 1;
  to.seed = from.seed;
  to.maxInstructions = from.max_instructions;
  to.timeout = from.timeout;
  to.maxIssues = from.max_issues ? from.max_issues : to.maxIssues;
  to.races = from.races;
  to.undefined = from.undefined;
  to.census = from.census;
  if (from.policy && !parsePolicy(from.policy, to.policy)) {
    error = std::string("no policy '") + from.policy +
            "'; there are eager, late, early, shuffle";
    return false;
  }
  return true;
}

extern "C" {

int tilepipePtxInterfaceVersion(void) { return 1; }

TilepipePtxModule *tilepipePtxParse(const char *text, size_t size,
                                    char **error) {
  std::string problem = "out of memory";
  try {
    if (auto program = parse(std::string(text, size), problem))
      return new TilepipePtxModule{std::move(program)};
  } catch (const std::exception &e) {
    problem = std::string("1:1: ") + e.what();
  }
  if (error)
    *error = copyOf(problem);
  return nullptr;
}

void tilepipePtxDestroy(TilepipePtxModule *module) { delete module; }

char *tilepipePtxDescribe(const TilepipePtxModule *module) {
  const Program &program = *module->program;
  Json json;
  json.open('{')
      .field("version", program.version)
      .field("target", program.target);
  json.key("kernels").open('[');
  for (const Kernel &kernel : program.kernels)
    describeKernel(json, kernel);
  json.close(']');
  writeCensus(json, census(program));
  return copyOf(json.close('}').text);
}

char *tilepipePtxMutants(const TilepipePtxModule *module) {
  const Program &program = *module->program;
  Json json;
  json.open('[');
  for (const Mutant &mutant : syncMutants(program))
    json.open('{')
        .field("kernel", program.kernels[mutant.kernel].name)
        .field("line", uint64_t(mutant.line))
        .field("kind", mutant.kind)
        .field("begin", uint64_t(mutant.begin))
        .field("end", uint64_t(mutant.end))
        .field("replacement", mutant.replacement)
        .close('}');
  return copyOf(json.close(']').text);
}

int tilepipePtxLaunch(const TilepipePtxModule *module, const char *name,
                      const TilepipePtxOptions *options,
                      const TilepipePtxArgument *arguments, size_t count,
                      char **result) {
  std::string error;
  try {
    LaunchOptions chosen;
    std::vector<Argument> given;
    for (size_t i = 0; i < count; ++i)
      given.push_back({arguments[i].data, arguments[i].bytes,
                       arguments[i].kind != TILEPIPE_PTX_VALUE,
                       arguments[i].kind == TILEPIPE_PTX_CONST_BUFFER,
                       arguments[i].name ? arguments[i].name
                                         : "argument " + std::to_string(i)});
    const Kernel *kernel = module->program->find(name);
    Report report;
    if (!kernel)
      error = std::string("no kernel '") + name + "' in the module";
    else if (readOptions(*options, chosen, error) &&
             launch(*module->program, *kernel, chosen, given, report, error)) {
      *result = copyOf(writeReport(report));
      return 0;
    }
  } catch (const std::exception &e) {
    error = e.what();
  }
  *result = copyOf(error);
  return 1;
}

void tilepipePtxFree(char *text) { std::free(text); }

} // extern "C"
