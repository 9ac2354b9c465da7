//===- Program.cpp - What a parsed PTX module can tell of itself ---------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include <cctype>

using namespace tilepipe::ptx;

namespace {
struct TypeInfo {
  const char *name;
  unsigned size;
};
} // namespace

/// In the order of `Type`.
static const TypeInfo typeInfos[] = {
    {"", 0},      {"b8", 1},     {"b16", 2},   {"b32", 4},   {"b64", 8},
    {"u8", 1},    {"u16", 2},    {"u32", 4},   {"u64", 8},   {"s8", 1},
    {"s16", 2},   {"s32", 4},    {"s64", 8},   {"f16", 2},   {"bf16", 2},
    {"f16x2", 4}, {"bf16x2", 4}, {"u16x2", 4}, {"s16x2", 4}, {"tf32", 4},
    {"f32", 4},   {"f64", 8},    {"pred", 4}};

unsigned tilepipe::ptx::sizeOf(Type type) { return typeInfos[int(type)].size; }

const char *tilepipe::ptx::nameOf(Type type) {
  return typeInfos[int(type)].name;
}

bool tilepipe::ptx::isSigned(Type type) {
  return type >= Type::S8 && type <= Type::S64;
}

bool tilepipe::ptx::isFloat(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 ||
         type == Type::F64 || type == Type::TF32;
}

Type tilepipe::ptx::parseType(const std::string &text) {
  static const std::unordered_map<std::string, Type> table = [] {
    std::unordered_map<std::string, Type> result;
    for (unsigned i = 1; i < sizeof(typeInfos) / sizeof(*typeInfos); ++i)
      result.emplace(typeInfos[i].name, Type(i));
    return result;
  }();
  auto it = table.find(text);
  return it == table.end() ? Type::None : it->second;
}

std::string Program::textOf(const Inst &inst) const {
  std::string result;
  for (uint32_t i = inst.begin; i < inst.end && i < text.size(); ++i) {
    bool space = std::isspace(static_cast<unsigned char>(text[i]));
    if (!space)
      result += text[i];
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
    if (result.size() > 160)
      return result + " ...";
  }
  return result.empty() ? "(end of the kernel)" : result;
}

std::string Program::placeOf(const Inst &inst) const {
  if (inst.place == 0 || inst.place >= places.size())
    return "";
  const Place &place = places[inst.place];
  auto file = files.find(place.file);
  std::string name = file == files.end() ? "?" : file->second;
  return name + ":" + std::to_string(place.line) + ":" +
         std::to_string(place.column);
}

const tilepipe::ptx::Kernel *Program::find(const std::string &name) const {
  for (const Kernel &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

std::unique_ptr<Program> tilepipe::ptx::parse(std::string text,
                                              std::string &error) {
  auto program = std::make_unique<Program>();
  program->text = std::move(text);
  program->places.emplace_back();
  if (program->text.size() > (1u << 28)) {
    error = "1:1: more than 256 MiB of text";
    return nullptr;
  }
  try {
    Parser(*program).run();
  } catch (const ParseError &problem) {
    error = std::to_string(problem.line) + ":" +
            std::to_string(problem.column) + ": " + problem.message;
    return nullptr;
  }
  return program;
}

std::map<std::string, uint64_t> tilepipe::ptx::census(const Program &program) {
  std::map<std::string, uint64_t> result;
  for (const Kernel &kernel : program.kernels)
    for (const Inst &inst : kernel.code)
      if (inst.begin != inst.end)
        ++result[program.mnemonics[inst.mnemonic]];
  return result;
}

std::vector<Mutant> tilepipe::ptx::syncMutants(const Program &program) {
  std::vector<Mutant> result;
  for (uint32_t k = 0; k < program.kernels.size(); ++k)
    for (const Inst &inst : program.kernels[k].code) {
      auto add = [&](const char *kind, std::string replacement) {
        result.push_back(
            {k, inst.line, inst.begin, inst.end, kind, std::move(replacement)});
      };
      switch (inst.op) {
      case Op::BarSync:
        add("barrier-removed", "");
        break;
      case Op::BarWarp:
        add("warp-barrier-removed", "");
        break;
      case Op::CpWait:
        add("wait-removed", "");
        add("wait-loosened", "cp.async.wait_group " +
                                 std::to_string(inst.ops[0].value + 1) + ";");
        break;
      case Op::CpWaitAll:
        add("wait-removed", "");
        add("wait-loosened",
            "{ cp.async.commit_group; cp.async.wait_group 1; }");
        break;
      case Op::CpCommit:
        add("commit-removed", "");
        break;
      default:
        break;
      }
    }
  return result;
}
