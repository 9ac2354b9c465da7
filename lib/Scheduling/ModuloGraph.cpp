//===- ModuloGraph.cpp - Latencies of a problem as a graph ----------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuloGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace tilepipe::sched;
using llvm::SmallVector;

void ModuloGraph::add(Arc arc) {
  incoming[arc.to].push_back(arcs.size());
  outgoing[arc.from].push_back(arcs.size());
  arcs.push_back(arc);
}

ModuloGraph::ModuloGraph(const Problem &problem)
    : incoming(problem.tasks.size() + problem.buffers.size()),
      outgoing(incoming.size()) {
  // A cycle at least, so that whatever depends on a task is issued after it.
  auto atLeastOne = [](int64_t cycles) { return std::max<int64_t>(cycles, 1); };
  for (const Edge &edge : problem.edges) {
    if (edge.removable)
      continue;
    const Task &from = problem.tasks[edge.from];
    bool needsResult =
        edge.kind == EdgeKind::Flow || edge.kind == EdgeKind::Scalar;
    add({edge.from, edge.to,
         atLeastOne(needsResult ? from.latency : from.occupancy),
         edge.distance});
  }
  for (auto [index, buffer] : llvm::enumerate(problem.buffers)) {
    if (!buffer.isPrivate || buffer.writers.empty())
      continue;
    unsigned release = problem.tasks.size() + index;
    for (unsigned reader : buffer.readers)
      add({reader, release, atLeastOne(problem.tasks[reader].occupancy), 0});
    for (unsigned writer : buffer.writers) {
      add({writer, release, atLeastOne(problem.tasks[writer].occupancy), 0});
      add({release, writer, 0, buffer.maxVersions});
    }
  }
}

namespace {

/// Strongly connected components, by Tarjan's algorithm without recursion.
class Components {
public:
  explicit Components(const ModuloGraph &graph)
      : graph(graph), of(graph.size(), kNone), number(graph.size(), 0),
        low(graph.size(), 0) {
    for (unsigned node : llvm::seq<unsigned>(0, graph.size()))
      if (number[node] == 0)
        visit(node);
  }

  unsigned count() const { return components; }
  unsigned operator[](unsigned node) const { return of[node]; }

private:
  void visit(unsigned root) {
    enter(root);
    while (!path.empty()) {
      auto &[node, next] = path.back();
      if (next < graph.outgoing[node].size()) {
        unsigned to = graph.arcs[graph.outgoing[node][next++]].to;
        if (number[to] == 0)
          enter(to);
        else if (of[to] == kNone)
          low[node] = std::min(low[node], number[to]);
        continue;
      }
      unsigned done = node;
      path.pop_back();
      if (!path.empty())
        low[path.back().first] = std::min(low[path.back().first], low[done]);
      if (low[done] == number[done])
        close(done);
    }
  }
  void enter(unsigned node) {
    number[node] = low[node] = ++visited;
    open.push_back(node);
    path.push_back({node, 0});
  }
  void close(unsigned root) {
    unsigned member;
    do {
      member = open.pop_back_val();
      of[member] = components;
    } while (member != root);
    ++components;
  }

  const ModuloGraph &graph;
  SmallVector<unsigned> of, number, low, open;
  SmallVector<std::pair<unsigned, size_t>> path;
  unsigned visited = 0, components = 0;
};

/// The arcs and the number of nodes of one component.
struct Cycle {
  std::vector<Arc> arcs;
  SmallVector<unsigned> nodes;
};

} // namespace

/// True if some cycle of `cycle` is longer than `interval` per iteration.
/// Longest paths settle after as many sweeps as there are nodes, or never.
static bool isTooShort(const Cycle &cycle, int64_t interval,
                       llvm::SmallVectorImpl<int64_t> &longest) {
  for (unsigned node : cycle.nodes)
    longest[node] = 0;
  // A path without a cycle leaves each node once.
  for (const Arc &arc : cycle.arcs)
    longest[arc.from] = std::max(longest[arc.from], arc.latency);
  int64_t limit = 0;
  for (unsigned node : cycle.nodes)
    limit += std::exchange(longest[node], 0);
  for (size_t sweep = 0; sweep <= cycle.nodes.size(); ++sweep) {
    bool changed = false;
    for (const Arc &arc : cycle.arcs) {
      int64_t length =
          longest[arc.from] + arc.latency - interval * arc.distance;
      if (length <= longest[arc.to])
        continue;
      if (length > limit)
        return true;
      longest[arc.to] = length;
      changed = true;
    }
    if (!changed)
      return false;
  }
  return true;
}

int64_t ModuloGraph::getRecurrenceBound(int64_t atLeast) const {
  Components components(*this);
  std::vector<Cycle> cycles(components.count());
  for (unsigned node : llvm::seq<unsigned>(0, size()))
    cycles[components[node]].nodes.push_back(node);
  for (const Arc &arc : arcs)
    if (components[arc.from] == components[arc.to])
      cycles[components[arc.from]].arcs.push_back(arc);
  int64_t bound = atLeast;
  SmallVector<int64_t> longest(size(), 0);
  for (const Cycle &cycle : cycles) {
    if (cycle.arcs.empty() || !isTooShort(cycle, bound, longest))
      continue;
    // Every cycle spans an iteration or more, so the sum of latencies suffices.
    int64_t low = bound, high = bound;
    for (const Arc &arc : cycle.arcs)
      high += arc.latency;
    while (high - low > 1) {
      int64_t middle = low + (high - low) / 2;
      (isTooShort(cycle, middle, longest) ? low : high) = middle;
    }
    bound = high;
  }
  return bound;
}

SmallVector<int64_t> ModuloGraph::getHeights(int64_t interval) const {
  SmallVector<int64_t> heights(size(), 0);
  // Most arcs go forward, so that a sweep from the end settles most nodes.
  for (size_t sweep = 0; sweep <= size(); ++sweep) {
    bool changed = false;
    for (unsigned node : llvm::reverse(llvm::seq<unsigned>(0, size())))
      for (unsigned index : outgoing[node]) {
        const Arc &arc = arcs[index];
        int64_t height =
            heights[arc.to] + arc.latency - interval * arc.distance;
        if (height <= heights[node])
          continue;
        heights[node] = height;
        changed = true;
      }
    if (!changed)
      break;
  }
  return heights;
}
