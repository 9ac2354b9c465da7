//===- AtomicLoops.h - Atomic updates that the GPU lacks --------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LIB_TARGET_NVIDIA_ATOMICLOOPS_H
#define TILEPIPE_LIB_TARGET_NVIDIA_ATOMICLOOPS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilepipe::nvidia {

/// Turns minima and maxima of floats, and updates of parts of a word, into loops of compare-and-swap, as the back
/// end would, but with an atomic first read: the one of the back end is an
/// ordinary load, which races with the updates of other threads.
void expandAtomicLoops(llvm::Module &module);

} // namespace tilepipe::nvidia

#endif // TILEPIPE_LIB_TARGET_NVIDIA_ATOMICLOOPS_H
