//===- PrintReport.cpp - Reports as text ----------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Explain/Explain.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::tile;

/// `file:line:column`, or `?` where nothing is known.
static std::string getPlace(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "?";
  return llvm::formatv("{0}:{1}:{2}", file.getFilename().getValue(),
                       file.getLine(), file.getColumn());
}

/// `line:column`: the file is that of the loop.
static std::string getLineColumn(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "?";
  return llvm::formatv("{0}:{1}", file.getLine(), file.getColumn());
}

static void printStatements(const LoopReport &loop, raw_ostream &os) {
  size_t width = 9;
  for (const StatementReport &statement : loop.statements)
    width = std::max(width, statement.text.size());
  width = std::min<size_t>(width, 60);
  os << "  order  stage  " << llvm::left_justify("statement", width)
     << "  at\n";
  for (const StatementReport &statement : loop.statements) {
    if (loop.isSerial)
      os << "      -      -  ";
    else
      os << llvm::format("%7lld%7lld  ", (long long)statement.order,
                         (long long)statement.stage);
    os << llvm::left_justify(statement.text, width) << "  "
       << getLineColumn(statement.loc);
    if (statement.isAsync)
      os << "  asynchronous";
    else if (!statement.whyNotAsync.empty())
      os << "  synchronous: " << statement.whyNotAsync;
    os << '\n';
  }
}

static void printBuffers(const LoopReport &loop, raw_ostream &os) {
  for (const BufferReport &buffer : loop.buffers) {
    os << "  buffer " << buffer.name << ": " << buffer.versions
       << (buffer.versions == 1 ? " version" : " versions") << " of "
       << buffer.versionBytes
       << " bytes = " << buffer.versions * buffer.versionBytes << " bytes of "
       << stringifyMemorySpace(buffer.space);
    if (!loop.isSerial && buffer.versions == 1 &&
        !buffer.whyNotVersioned.empty())
      os << " (shared by iterations: " << buffer.whyNotVersioned << ")";
    os << '\n';
  }
}

/// `2, 1 (3 times), 0`: a number that repeats is printed once.
static void printRuns(ArrayRef<int64_t> numbers, raw_ostream &os) {
  for (size_t i = 0, next; i != numbers.size(); i = next) {
    next = i + 1;
    while (next != numbers.size() && numbers[next] == numbers[i])
      ++next;
    os << (i ? ", " : "") << numbers[i];
    if (next - i > 1)
      os << " (" << next - i << " times)";
  }
}

static void printLoop(const LoopReport &loop, raw_ostream &os) {
  os << "loop at " << getPlace(loop.loc) << ": ";
  if (loop.isSerial)
    os << "serial";
  else
    os << "depth " << loop.depth;
  if (loop.interval)
    os << ", initiation interval " << loop.interval << " cycles";
  if (loop.tripCount)
    os << ", " << *loop.tripCount << " iterations";
  os << '\n';
  printStatements(loop, os);
  printBuffers(loop, os);
  if (loop.commits || loop.waitsBefore) {
    os << "  waits: " << loop.waitsBefore << " before relaxation, "
       << loop.waitsAfter.size() << " after";
    if (!loop.waitsAfter.empty()) {
      os << " (groups that may stay in flight: ";
      printRuns(loop.waitsAfter, os);
      os << ")";
    }
    os << "; commits: " << loop.commits << '\n';
  }
  for (const auto &[loc, text] : loop.remarks)
    os << "  remark at " << getLineColumn(loc) << ": " << text << '\n';
}

void tilepipe::print(ArrayRef<FunctionReport> reports, raw_ostream &os) {
  for (const FunctionReport &report : reports) {
    if (report.loops.empty() && report.memories.empty())
      continue;
    os << "function " << report.name << " on " << report.target << '\n';
    for (const LoopReport &loop : report.loops)
      printLoop(loop, os);
    for (const MemoryReport &memory : report.memories) {
      os << "memory " << stringifyMemorySpace(memory.space) << ": "
         << memory.bytes << " bytes";
      if (memory.capacity)
        os << " of " << *memory.capacity << " ("
           << (*memory.capacity ? memory.bytes * 100 / *memory.capacity : 0)
           << " %)";
      os << '\n';
    }
  }
}
