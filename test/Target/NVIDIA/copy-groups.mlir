// RUN: tile-translate %s --tile-to-ptx --line-info=false | FileCheck %s

// Two groups in a row that one wait completes are one group.
// CHECK-LABEL: .entry merged(
// CHECK: cp.async.cg
// CHECK-NOT: cp.async.commit_group
// CHECK: cp.async.cg
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 0
llvm.func @merged(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>) attributes {nvvm.kernel} {
  %t = llvm.getelementptr %s[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.shared.global %t, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 0
  llvm.return
}

// One of them may stay in flight: both stay.
// CHECK-LABEL: .entry counted(
// CHECK: cp.async.cg
// CHECK: cp.async.commit_group
// CHECK: cp.async.cg
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 1
// CHECK: cp.async.wait_group 0
llvm.func @counted(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>) attributes {nvvm.kernel} {
  %t = llvm.getelementptr %s[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.shared.global %t, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 1
  nvvm.cp.async.wait.group 0
  llvm.return
}

// On one of the paths a wait comes first: without the first commit it would wait
// for nothing.
// CHECK-LABEL: .entry one_path(
// CHECK-COUNT-2: cp.async.commit_group
llvm.func @one_path(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: i1) attributes {nvvm.kernel} {
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  llvm.cond_br %c, ^wait, ^more
^wait:
  nvvm.cp.async.wait.group 0
  llvm.br ^more
^more:
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 0
  llvm.return
}

// Threads that copy nothing have no commit of their own.
// CHECK-LABEL: .entry guarded(
// CHECK-COUNT-2: cp.async.commit_group
// CHECK-NOT: cp.async.commit_group
// CHECK: ret
llvm.func @guarded(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: i1) attributes {nvvm.kernel} {
  %t = llvm.getelementptr %s[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.cond_br %c, ^first, ^next
^first:
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.br ^next
^next:
  nvvm.cp.async.commit.group
  llvm.cond_br %c, ^second, ^last
^second:
  nvvm.cp.async.shared.global %t, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.br ^last
^last:
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 1
  nvvm.cp.async.wait.group 0
  llvm.return
}

// The wait leaves the third group in flight: it is for the first two alike.
// CHECK-LABEL: .entry two_of_three(
// CHECK: cp.async.cg
// CHECK-NOT: cp.async.commit_group
// CHECK: cp.async.cg
// CHECK: cp.async.commit_group
// CHECK: cp.async.cg
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 1
// CHECK: cp.async.wait_group 0
llvm.func @two_of_three(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>) attributes {nvvm.kernel} {
  %t = llvm.getelementptr %s[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %u = llvm.getelementptr %s[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.shared.global %t, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.shared.global %u, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 1
  nvvm.cp.async.wait.group 0
  llvm.return
}

// No more than two groups are ever in flight.
// CHECK-LABEL: .entry idle_waits(
// CHECK-NOT: cp.async.wait_group 2
// CHECK: cp.async.wait_group 1
// CHECK-NOT: cp.async.wait_group 2
// CHECK: cp.async.wait_group 0
// CHECK-NOT: cp.async.wait
llvm.func @idle_waits(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %n: i32) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  llvm.br ^body(%zero : i32)
^body(%i: i32):
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 2
  nvvm.cp.async.wait.group 1
  nvvm.cp.async.wait.group 1
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^body(%next : i32), ^end
^end:
  nvvm.cp.async.wait.group 0
  nvvm.cp.async.wait.group 0
  llvm.return
}
