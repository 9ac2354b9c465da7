//===- LaunchPlan.h - How the host starts kernels of a function -*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a machine with a host, each `tile.launch` of a function is one kernel. The
// kernels take the arguments of the function; the grids follow from the sizes of
// its buffers and from its scalars, and are computed here, without compiling
// anything for the host.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_LAUNCH_LAUNCHPLAN_H
#define TILEPIPE_LAUNCH_LAUNCHPLAN_H

#include "tilepipe/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilepipe {

/// What is known of one argument: the shape of a buffer, or the value of a scalar
/// (null where it is not known).
struct LaunchArgument {
  llvm::SmallVector<int64_t> shape;
  mlir::TypedAttr scalar;
};

/// One kernel to start.
struct KernelLaunch {
  std::string kernel;
  llvm::SmallVector<int64_t, 3> grid;
  int64_t threads = 1;
};

/// The name of the kernel that launch number `index` of the function becomes on
/// every target: that of the function, with the number where there are several.
std::string getKernelName(mlir::FunctionOpInterface func, unsigned index,
                          unsigned numLaunches);

/// The launches of the function in program order. Emits an error where one is not
/// in the function's own block: how often it runs is then not a matter of sizes.
llvm::FailureOr<llvm::SmallVector<tile::LaunchOp>>
getLaunches(mlir::FunctionOpInterface func);

/// Whether kernels are all that the function is, besides arithmetic for them:
/// nothing else of it exists on a device. Emits an error where it returns values,
/// is called, writes memory on the host or has control flow between launches, and
/// where a kernel would have the name of another function. `target` is for the
/// text.
mlir::LogicalResult checkHostCode(mlir::FunctionOpInterface func,
                                  llvm::StringRef target);

/// The kernels to start one after the other for these arguments, one for each
/// argument of the function. Emits an error if a grid does not follow from them.
llvm::FailureOr<llvm::SmallVector<KernelLaunch>>
planLaunches(mlir::FunctionOpInterface func,
             llvm::ArrayRef<LaunchArgument> arguments);

} // namespace tilepipe

#endif // TILEPIPE_LAUNCH_LAUNCHPLAN_H
