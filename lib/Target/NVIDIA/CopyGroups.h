//===- CopyGroups.h - Groups of asynchronous copies in LLVM IR --*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_COPYGROUPS_H
#define TILEPIPE_LIB_TARGET_NVIDIA_COPYGROUPS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilepipe::nvidia {

/// Removes commits of groups that no wait tells from the group after them, and
/// keeps LLVM from giving each side of a branch a commit of its own.
void simplifyCopyGroups(llvm::Module &module);

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_COPYGROUPS_H
