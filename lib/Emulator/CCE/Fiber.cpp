//===- Fiber.cpp - The scalar stream's own stack --------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <sys/mman.h>

using namespace tilepipe::cce;

static constexpr size_t stackBytes = 1 << 20;
static constexpr size_t guardBytes = 1 << 16;

Fiber::Fiber() {
  stack = mmap(nullptr, stackBytes + guardBytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(stack, guardBytes, PROT_NONE);
}

Fiber::~Fiber() { munmap(stack, stackBytes + guardBytes); }

Core::Core() = default;
Core::~Core() = default;

void tilepipe::cce::startFiber(Core &core, void (*body)()) {
  core.fiber = std::make_unique<Fiber>();
  Fiber &fiber = *core.fiber;
  getcontext(&fiber.own);
  fiber.own.uc_stack.ss_sp = static_cast<char *>(fiber.stack) + guardBytes;
  fiber.own.uc_stack.ss_size = stackBytes;
  fiber.own.uc_link = &fiber.scheduler;
  makecontext(&fiber.own, body, 0);
}

void tilepipe::cce::resumeFiber(Core &core) {
  swapcontext(&core.fiber->scheduler, &core.fiber->own);
}

void tilepipe::cce::yieldFiber(Core &core) {
  swapcontext(&core.fiber->own, &core.fiber->scheduler);
}
