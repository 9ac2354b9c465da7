//===- Report.cpp - What a run found, as JSON -----------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <csignal>
#include <cstdio>
#include <cstring>

using namespace tilepipe::cce;

static std::string quote(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      snprintf(escape, sizeof(escape), "\\u%04x", unsigned(c));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

static std::string number(const char *name, uint64_t value) {
  return quote(name) + ":" + std::to_string(value);
}

static std::string place(const char *name, const Site &site) {
  if (!site.line)
    return quote(name) + ":null";
  return quote(name) + ":{" + number("line", site.line) + "," +
         number("column", site.column) + "," + quote("name") + ":" +
         quote(nameOf(site.opcode)) + "}";
}

static std::string toJson(const Machine &machine, const Issue &issue) {
  std::string text = "{\"kind\":" + quote(issue.kind);
  text += ",\"severity\":" + quote(issue.error ? "error" : "warning");
  text += ",\"message\":" + quote(issue.message);
  text += ",\"missing\":" + quote(issue.missing);
  text += ",\"core\":" + quote(issue.core);
  text +=
      "," + number("block", issue.block) + "," + number("count", issue.count);
  text += "," + place("at", machine.sites[issue.site]);
  text += "," + place("other", machine.sites[issue.other]);
  return text + "}";
}

static std::string statisticsOf(const Statistics &s) {
  std::string text =
      "{" + number("steps", s.steps) + "," + number("macs", s.macs) + "," +
      number("gm_read", s.gmRead) + "," + number("gm_written", s.gmWritten) +
      "," + number("synchronisations", s.flags);
  for (int pipe = S; pipe <= FIX; ++pipe)
    text += "," + number(nameOf(Pipe(pipe)), s.instructions[pipe]);
  for (int space = L1; space < NumSpaces; ++space)
    text += "," + number((std::string("bytes_") + nameOf(Space(space))).c_str(),
                         s.highWater[space]);
  return text + "}";
}

std::string tilepipe::cce::toJson(const Machine &machine) {
  std::string text = "{\"issues\":[";
  bool first = true;
  for (const Issue &issue : machine.getIssues()) {
    if (!first)
      text += ",";
    first = false;
    text += ::toJson(machine, issue);
  }
  return text + "],\"statistics\":" + statisticsOf(machine.statistics) + "}";
}

std::string tilepipe::cce::failureReport(const char *kind,
                                         const std::string &message) {
  Machine machine;
  machine.report(kind, message, 0);
  return toJson(machine);
}

std::string tilepipe::cce::crashReport(const Machine &machine, int signal) {
  Machine result;
  result.sites = machine.sites;
  bool memory = signal == SIGSEGV || signal == SIGBUS;
  result.report(
      "crash",
      std::string("the kernel's own code stopped with '") + strsignal(signal) +
          "' " +
          (machine.lastSite ? "after this instruction"
                            : "before its first instruction") +
          (memory ? "; scalar code must use tp_load and tp_store" : ""),
      machine.lastSite);
  return toJson(result);
}
