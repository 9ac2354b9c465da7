//===- InsertFlags.cpp - Order the pipes by flags and barriers --------- ===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Flags are placed by simple rules (VersionFlags.cpp, OwnerFlags.cpp) and then
// judged by the model of the machine (PipeModel.cpp): where the rules for
// versions do not hold, a group is followed as a whole instead; where accesses
// of one pipe need a barrier, the model says so; and what it can do without is
// dropped.
//
//===----------------------------------------------------------------------===//

#include "GlobalWrites.h"
#include "Ownership.h"
#include "tilepipe/Target/Ascend/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilepipe::ascend {
#define GEN_PASS_DEF_ASCENDINSERTFLAGS
#include "tilepipe/Target/Ascend/Passes.h.inc"
} // namespace tilepipe::ascend

using namespace mlir;
using namespace tilepipe;
using namespace tilepipe::ascend;

namespace {

/// The flags and barriers of one function.
class FlagInserter {
public:
  FlagInserter(FuncOp function, int64_t maxIds)
      : function(function), maxIds(maxIds), table(function),
        groups(table.makeGroups()) {}

  LogicalResult run();

  int64_t numFlags = 0, numBarriers = 0, numDropped = 0;

private:
  LogicalResult insertAll();
  void eraseAll();
  std::optional<std::pair<int, int>> assignIds();
  bool demoteForIds(std::pair<int, int> pipes);
  void mergeForIds(std::pair<int, int> pipes);

  /// The first thing that is wrong but for barriers, which are added to
  /// `options`.
  std::optional<Finding> judge(PipeModel &model);
  bool isClean(PipeModel &model);
  /// Follows a group of `finding` as a whole from now on; false if there is
  /// none with versions.
  bool demote(const Finding &finding);
  void dropFlags(PipeModel &model);
  void dropBarriers(PipeModel &model);
  void insertBarriers();
  BufferGroup *findGroup(Operation *flag);

  FuncOp function;
  int64_t maxIds;
  AccessTable table;
  SmallVector<BufferGroup> groups;
  ModelOptions options;
  /// Whether each question about what can be dropped is answered in full.
  bool isThorough = false;
  /// In the order in which the model found them.
  SmallVector<std::pair<Operation *, Pipe>> barriers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Flags and their ids
//===----------------------------------------------------------------------===//

LogicalResult FlagInserter::insertAll() {
  PipeModel model(function);
  for (BufferGroup &group : groups) {
    if (group.versions > 1 && insertVersionFlags(table, model, group))
      continue;
    group.versions = 1;
    if (failed(insertOwnerFlags(table, group)))
      return failure();
  }
  return success();
}

void FlagInserter::eraseAll() {
  for (BufferGroup &group : groups) {
    for (PlacedFlag &flag : group.flags)
      flag.op->erase();
    group.flags.clear();
    group.ids.clear();
  }
  // Branches that were made for flags alone.
  function.walk([](scf::IfOp branch) {
    if (branch.elseBlock() && branch.getNumResults() == 0 &&
        branch.elseBlock()->without_terminator().empty())
      branch.getElseRegion().front().erase();
  });
  options.ignored.clear();
  options.barriers.clear();
  barriers.clear();
}

/// Numbers the flags of each pair of pipes; the first pair that has too many,
/// or none.
std::optional<std::pair<int, int>> FlagInserter::assignIds() {
  for (BufferGroup &group : groups)
    group.ids.clear();
  llvm::MapVector<std::pair<int, int>, int64_t> used;
  for (BufferGroup &group : groups)
    for (PlacedFlag &flag : group.flags) {
      std::pair<int, int> pipes(int(flag.from), int(flag.to));
      auto [it, inserted] = group.ids.insert({pipes, used[pipes]});
      if (inserted)
        used[pipes] += group.versions;
    }
  for (auto [pipes, count] : used)
    if (count > maxIds)
      return pipes;
  for (BufferGroup &group : groups)
    for (PlacedFlag &flag : group.flags) {
      int64_t id =
          group.ids.lookup({int(flag.from), int(flag.to)}) + flag.offset;
      if (auto set = dyn_cast<SetFlagOp>(flag.op))
        set.setId(id);
      else
        cast<WaitFlagOp>(flag.op).setId(id);
    }
  return std::nullopt;
}

/// Follows the group with the most versions among those that use `pipes` as a
/// whole from now on; false if none has versions.
bool FlagInserter::demoteForIds(std::pair<int, int> pipes) {
  BufferGroup *most = nullptr;
  for (BufferGroup &group : groups)
    if (group.ids.count(pipes) && group.versions > 1 &&
        (!most || group.versions > most->versions))
      most = &group;
  if (!most)
    return false;
  most->buffers.front().getDefiningOp()->emitRemark("'")
      << tile::getBufferName(most->buffers.front())
      << "' is ordered as one buffer: its " << most->versions
      << " versions would take more flags from pipe '"
      << stringifyPipe(Pipe(pipes.first)) << "' to pipe '"
      << stringifyPipe(Pipe(pipes.second)) << "' than the " << maxIds
      << " that may be used";
  most->versions = 1;
  return true;
}

/// Has two groups that use `pipes` share their flags from now on: neighbours,
/// with as few buffers as there are. More ids than there may be are of several.
void FlagInserter::mergeForIds(std::pair<int, int> pipes) {
  SmallVector<size_t> users;
  for (auto [i, group] : llvm::enumerate(groups))
    if (group.ids.count(pipes))
      users.push_back(i);
  auto countOf = [&](size_t i) {
    return groups[users[i]].buffers.size() + groups[users[i + 1]].buffers.size();
  };
  size_t best = 0;
  for (size_t i = 0; i + 1 < users.size(); ++i)
    if (countOf(i) < countOf(best))
      best = i;
  BufferGroup &first = groups[users[best]], &second = groups[users[best + 1]];
  mlir::emitRemark(first.buffers.front().getLoc(), "'")
      << tile::getBufferName(first.buffers.front()) << "' and '"
      << tile::getBufferName(second.buffers.front())
      << "' are ordered as one buffer: each by itself would take more flags "
         "from pipe '"
      << stringifyPipe(Pipe(pipes.first)) << "' to pipe '"
      << stringifyPipe(Pipe(pipes.second)) << "' than the " << maxIds
      << " that may be used";
  first.buffers.insert_range(second.buffers);
  // Their flags are erased with those of all groups.
  first.flags.append(second.flags.begin(), second.flags.end());
  groups.erase(groups.begin() + users[best + 1]);
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

/// Where a barrier between an execution of `first` and a later one of `second`
/// can stand: before what contains `second` in the innermost block that both
/// are in, so that it runs as seldom as possible.
static Operation *getBarrierPlace(Operation *first, Operation *second) {
  for (Operation *it = second; it; it = it->getParentOp())
    if (it->getBlock()->findAncestorOpInBlock(*first))
      return it;
  return second;
}

std::optional<Finding> FlagInserter::judge(PipeModel &model) {
  // A quick look finds most of it, and each finding takes another one.
  options.quick = true;
  while (true) {
    std::optional<Finding> found;
    bool added = false;
    model.run(options, [&](const Finding &finding) {
      if (finding.kind != Finding::SamePipe) {
        found = finding;
        return false;
      }
      Operation *place = getBarrierPlace(finding.other, finding.op);
      SmallVector<Pipe> &list = options.barriers[place];
      if (!llvm::is_contained(list, finding.pipe)) {
        list.push_back(finding.pipe);
        barriers.push_back({place, finding.pipe});
        added = true;
      }
      return true;
    });
    bool wasQuick = std::exchange(options.quick, false);
    if (found || (!added && !wasQuick))
      return found;
    options.quick = wasQuick && added;
  }
}

bool FlagInserter::isClean(PipeModel &model) {
  bool clean = true;
  model.run(options, [&](const Finding &) { return clean = false; });
  return clean;
}

BufferGroup *FlagInserter::findGroup(Operation *flag) {
  for (BufferGroup &group : groups)
    if (llvm::any_of(group.flags,
                     [&](const PlacedFlag &f) { return f.op == flag; }))
      return &group;
  return nullptr;
}

bool FlagInserter::demote(const Finding &finding) {
  BufferGroup *group = findGroup(finding.op);
  for (BufferGroup &other : groups)
    if (!group && other.buffers.contains(finding.buffer))
      group = &other;
  if (!group || group->versions == 1)
    group =
        llvm::find_if(groups, [](BufferGroup &g) { return g.versions > 1; });
  if (group == groups.end())
    return false;
  group->versions = 1;
  return true;
}

//===----------------------------------------------------------------------===//
// What others imply
//===----------------------------------------------------------------------===//

void FlagInserter::dropFlags(PipeModel &model) {
  for (BufferGroup &group : groups) {
    // Later directions first: those back to the first pipe are implied most.
    SmallVector<std::pair<int, int>> directions;
    for (auto &[pipes, id] : group.ids)
      directions.push_back(pipes);
    for (auto [from, to] : directions) {
      SmallVector<Operation *> ops;
      for (PlacedFlag &flag : group.flags)
        if (int(flag.from) == from && int(flag.to) == to)
          ops.push_back(flag.op);
      options.ignored.insert(ops.begin(), ops.end());
      if (isClean(model)) {
        llvm::erase_if(group.flags, [&](const PlacedFlag &flag) {
          return options.ignored.contains(flag.op);
        });
        group.ids.erase({from, to});
        ++numDropped;
      }
      for (Operation *op : ops) {
        options.ignored.erase(op);
        if (!group.ids.count({from, to}))
          op->erase();
      }
    }
  }
}

void FlagInserter::dropBarriers(PipeModel &model) {
  for (auto &[place, pipe] : barriers) {
    SmallVector<Pipe> &list = options.barriers[place];
    llvm::erase(list, pipe);
    if (isClean(model))
      continue;
    list.push_back(pipe);
  }
}

void FlagInserter::insertBarriers() {
  auto insert = [&](Operation *place, Pipe pipe) {
    OpBuilder b(place);
    BarrierOp::create(b, place->getLoc(), PipeAttr::get(b.getContext(), pipe));
    ++numBarriers;
  };
  for (auto &[place, pipe] : barriers)
    if (llvm::is_contained(options.barriers[place], pipe))
      insert(place, pipe);
  for (auto [place, pipe] : findGlobalWriteHazards(function))
    insert(place, pipe);
  // Nothing of this kernel may be under way when the next one starts.
  Operation *end = function.getBody().front().getTerminator();
  insert(end, Pipe::All);
}

LogicalResult FlagInserter::run() {
  while (true) {
    if (failed(insertAll()))
      return failure();
    // Ids tell flags apart, so there must be enough; some may be dropped later.
    if (std::optional<std::pair<int, int>> pipes = assignIds()) {
      if (!demoteForIds(*pipes))
        mergeForIds(*pipes);
      eraseAll();
      continue;
    }
    PipeModel model(function);
    std::optional<Finding> finding = judge(model);
    if (!finding) {
      options.quick = !isThorough;
      dropFlags(model);
      dropBarriers(model);
      options.quick = false;
      if (isThorough || isClean(model))
        break;
      // A quick look was not enough: once more, with all sizes for each
      // question.
      isThorough = true;
      numDropped = 0;
      eraseAll();
      continue;
    }
    if (!demote(*finding))
      return emitFinding(*finding);
    eraseAll();
  }
  // Ids of what was dropped are free again.
  assignIds();
  for (BufferGroup &group : groups)
    numFlags += llvm::count_if(group.flags, [](const PlacedFlag &flag) {
      return isa<SetFlagOp>(flag.op);
    });
  insertBarriers();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Flags that are there already say that someone else ordered the function.
/// Barriers may be there: a copy that writes twice orders its own pipe.
static Operation *findFlag(FuncOp function) {
  Operation *found = nullptr;
  function.walk([&](Operation *op) {
    if (!isa<SetFlagOp, WaitFlagOp, CrossSetOp, CrossWaitOp>(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

namespace {
struct InsertFlags : ascend::impl::AscendInsertFlagsBase<InsertFlags> {
  using AscendInsertFlagsBase::AscendInsertFlagsBase;

  void runOnOperation() override {
    if (maxIds < 1 || maxIds > 8) {
      getOperation().emitError("expects 'max-ids' from 1 to 8, got ") << maxIds;
      return signalPassFailure();
    }
    SmallVector<FuncOp> functions(getOperation().getOps<FuncOp>());
    for (FuncOp function : functions)
      if (Operation *flag = findFlag(function)) {
        flag->emitError("is there before flags are inserted");
        return signalPassFailure();
      }
    for (FuncOp function : functions) {
      FlagInserter inserter(function, maxIds);
      if (failed(inserter.run()))
        return signalPassFailure();
      numFlags += inserter.numFlags;
      numBarriers += inserter.numBarriers;
      numDropped += inserter.numDropped;
    }
    if (failed(insertCrossSignals(getOperation())))
      return signalPassFailure();
  }
};
} // namespace
