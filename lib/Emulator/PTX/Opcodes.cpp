//===- Opcodes.cpp - The table of known instructions ---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms and modifiers as in the PTX ISA, chapter "Instruction Set". What is not
// here is refused by name; nothing is skipped in silence.
//
//===----------------------------------------------------------------------===//

#include "Opcodes.h"

#include <cstring>
#include <unordered_map>

using namespace tilepipe::ptx;

namespace {

#define INTS "u16 u32 u64 s16 s32 s64"
#define BITS "b16 b32 b64"
#define HALVES "f16 f16x2 bf16 bf16x2"
#define SCALARS                                                                \
  "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f16x2 bf16x2 f32 f64"
#define CONVERTIBLE "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64"
#define SCOPES "cta cluster gpu sys "
#define CACHE                                                                  \
  " ca cg cs lu cv wb wt nc L1::evict_normal L1::evict_unchanged "             \
  "L1::evict_first L1::evict_last L1::no_allocate L2::64B L2::128B L2::256B "  \
  "L2::cache_hint L2::evict_last L2::evict_normal L2::evict_first "
#define SPACES " global shared shared::cta param local const param::entry "

const OpcodeForm forms[] = {
    // Integer and floating-point arithmetic.
    {"add", Op::Add, "rn ftz sat", INTS " u16x2 s16x2 f32 f64 " HALVES, "DSS"},
    {"sub", Op::Sub, "rn ftz sat", INTS " f32 f64 " HALVES, "DSS"},
    {"mul", Op::Mul, "lo hi rn ftz sat", INTS " f32 f64 " HALVES, "DSS"},
    {"mul.wide", Op::MulWide, "", "u16 u32 s16 s32", "XSS"},
    {"mul24", Op::Mul24, "lo hi", "u32 s32", "DSS"},
    {"mad", Op::Mad, "lo hi rn ftz sat", INTS " f32 f64", "DSSS"},
    {"mad.wide", Op::MadWide, "", "u16 u32 s16 s32", "XSSx"},
    {"mad24", Op::Mad24, "lo hi", "u32 s32", "DSSS"},
    {"fma", Op::Fma, "rn ftz sat relu", "f32 f64 " HALVES, "DSSS"},
    {"sad", Op::Sad, "", INTS, "DSSS"},
    {"div", Op::Div, "rn approx full ftz", INTS " f32 f64", "DSS"},
    {"rem", Op::Rem, "", INTS, "DSS"},
    {"abs", Op::Abs, "ftz", "s16 s32 s64 f32 f64 " HALVES, "DS"},
    {"neg", Op::Neg, "ftz", "s16 s32 s64 f32 f64 " HALVES, "DS"},
    {"min", Op::Min, "ftz NaN relu", INTS " f32 f64 " HALVES, "DSS"},
    {"max", Op::Max, "ftz NaN relu", INTS " f32 f64 " HALVES, "DSS"},
    {"rcp", Op::Rcp, "rn approx ftz", "f32 f64", "DS"},
    {"sqrt", Op::Sqrt, "rn approx ftz", "f32 f64", "DS"},
    {"rsqrt", Op::Rsqrt, "approx ftz", "f32 f64", "DS"},
    {"sin", Op::Sin, "approx ftz", "f32", "DS"},
    {"cos", Op::Cos, "approx ftz", "f32", "DS"},
    {"lg2", Op::Lg2, "approx ftz", "f32", "DS"},
    {"ex2", Op::Ex2, "approx ftz", "f32 " HALVES, "DS"},
    {"tanh", Op::Tanh, "approx", "f32 " HALVES, "DS"},
    {"testp", Op::Testp, "finite infinite number notanumber normal subnormal",
     "f32 f64", "PS"},
    {"copysign", Op::Copysign, "", "f32 f64", "DSS"},
    {"dp4a", Op::Dp4a, "", "u32 s32/u32 s32", "GBBB"},
    // Bits.
    {"and", Op::And, "", BITS, "DSS"},
    {"or", Op::Or, "", BITS, "DSS"},
    {"xor", Op::Xor, "", BITS, "DSS"},
    {"not", Op::Not, "", BITS, "DS"},
    {"and.pred", Op::AndPred, "", "", "Ppp"},
    {"or.pred", Op::OrPred, "", "", "Ppp"},
    {"xor.pred", Op::XorPred, "", "", "Ppp"},
    {"not.pred", Op::NotPred, "", "", "Pp"},
    {"cnot", Op::Cnot, "", BITS, "DS"},
    {"lop3", Op::Lop3, "", "b32", "DSSSi"},
    {"shl", Op::Shl, "", BITS, "DSB"},
    {"shr", Op::Shr, "", BITS " " INTS, "DSB"},
    {"shf", Op::Shf, "l r clamp wrap", "b32", "DSSB"},
    {"bfe", Op::Bfe, "", "u32 u64 s32 s64", "DSBB"},
    {"bfi", Op::Bfi, "", "b32 b64", "DSSBB"},
    {"bfind", Op::Bfind, "shiftamt", "u32 u64 s32 s64", "GS"},
    {"brev", Op::Brev, "", "b32 b64", "DS"},
    {"clz", Op::Clz, "", "b32 b64", "GS"},
    {"popc", Op::Popc, "", "b32 b64", "GS"},
    {"prmt", Op::Prmt, "", "b32", "DSSB"},
    // Comparison and selection.
    {"setp", Op::Setp,
     "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor "
     "ftz",
     BITS " " INTS " f32 f64 " HALVES, "PSS?p"},
    {"selp", Op::Selp, "", BITS " " INTS " f32 f64", "DSSp"},
    {"slct", Op::Slct, "ftz", BITS " " INTS " f32 f64/s32 f32", "DSST"},
    // Conversion and movement.
    {"cvt", Op::Cvt, "rn rz rm rp rna rni rzi rmi rpi ftz sat relu satfinite",
     CONVERTIBLE " f16x2 bf16x2 tf32/" CONVERTIBLE, "DT?T"},
    {"mov", Op::Mov, "", BITS " " INTS " f16 bf16 f16x2 bf16x2 f32 f64", "VV"},
    {"mov.pred", Op::MovPred, "", "", "Pp"},
    {"cvta", Op::Cvta, "to global shared shared::cta local param const",
     "u32 u64", "DS"},
    {"isspacep", Op::Isspacep, "global shared shared::cta local param const",
     "", "Pa"},
    {"ld", Op::Ld, "v2 v4 weak volatile relaxed acquire " SCOPES CACHE SPACES,
     SCALARS, "VM?A"},
    {"ld.global.nc", Op::Ld, "v2 v4 " CACHE, SCALARS, "VM?A"},
    {"ldu", Op::Ld, "v2 v4 global", SCALARS, "VM"},
    {"st", Op::St, "v2 v4 weak volatile relaxed release " SCOPES CACHE SPACES,
     SCALARS, "Mv?A"},
    {"prefetch", Op::Nop, "global local L1 L2 L2::evict_last L2::evict_normal",
     "", "M"},
    {"prefetchu", Op::Nop, "L1", "", "M"},
    {"createpolicy", Op::CreatePolicy,
     "fractional L2::evict_last L2::evict_normal L2::evict_first "
     "L2::evict_unchanged",
     "b64", "D?i"},
    {"atom", Op::Atom,
     "add min max exch cas and or xor inc dec noftz relaxed acquire release "
     "acq_rel global shared shared::cta L2::cache_hint " SCOPES,
     "b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64", "DMS?S"},
    {"red", Op::Red,
     "add min max and or xor inc dec noftz relaxed release global shared "
     "shared::cta L2::cache_hint " SCOPES,
     "b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64", "MS?A"},
    // Control.
    {"bra", Op::Bra, "uni", "", "L"},
    {"brx.idx", Op::BrxIdx, "uni", "", "BL"},
    {"ret", Op::Ret, "uni", "", ""},
    {"exit", Op::Exit, "", "", ""},
    {"trap", Op::Trap, "", "", ""},
    {"brkpt", Op::Nop, "", "", ""},
    {"pmevent", Op::Nop, "mask", "", "i"},
    {"nanosleep", Op::Nop, "", "u32", "S"},
    {"call", Op::Refused, "uni", "", ""},
    // Barriers and fences.
    {"bar.sync", Op::BarSync, "cta", "", "B?B"},
    {"barrier.sync", Op::BarSync, "aligned cta", "", "B?B"},
    {"bar.cta.sync", Op::BarSync, "", "", "B?B"},
    {"barrier.cta.sync", Op::BarSync, "aligned", "", "B?B"},
    {"bar.arrive", Op::BarArrive, "", "", "BB"},
    {"barrier.arrive", Op::BarArrive, "aligned", "", "BB"},
    {"barrier.cta.arrive", Op::BarArrive, "aligned", "", "BB"},
    {"bar.red.popc", Op::BarRed, "", "u32", "DBp"},
    {"barrier.cta.red.popc.aligned", Op::BarRed, "", "u32", "DBp"},
    {"bar.red.and.pred", Op::BarRed, "and", "", "PBp"},
    {"bar.red.or.pred", Op::BarRed, "or", "", "PBp"},
    {"barrier.cta.red.and.aligned.pred", Op::BarRed, "and", "", "PBp"},
    {"barrier.cta.red.or.aligned.pred", Op::BarRed, "or", "", "PBp"},
    {"bar.warp.sync", Op::BarWarp, "", "", "B"},
    {"membar", Op::Fence, "cta gl sys", "", ""},
    {"fence", Op::Fence, "sc acq_rel acquire release " SCOPES, "", ""},
    // Between the lanes of a warp.
    {"shfl.sync", Op::Shfl, "up down bfly idx", "b32", "wSBBB"},
    {"vote.sync", Op::Vote, "any all uni pred", "", "PpB"},
    {"vote.sync.ballot", Op::Vote, "", "b32", "GpB"},
    {"match.any.sync", Op::Match, "", "b32 b64", "GSB"},
    {"match.all.sync", Op::Match, "", "b32 b64", "wSB"},
    {"redux.sync", Op::Redux, "add min max and or xor", "b32 u32 s32", "DSB"},
    {"activemask", Op::ActiveMask, "", "b32", "G"},
    // Asynchronous copies and tensor cores.
    {"cp.async.ca.shared.global", Op::CpAsync,
     "L2::cache_hint L2::64B L2::128B L2::256B", "", "MMi?BA"},
    {"cp.async.cg.shared.global", Op::CpAsync,
     "L2::cache_hint L2::64B L2::128B L2::256B", "", "MMi?BA"},
    {"cp.async.commit_group", Op::CpCommit, "", "", ""},
    {"cp.async.wait_group", Op::CpWait, "", "", "i"},
    {"cp.async.wait_all", Op::CpWaitAll, "", "", ""},
    {"ldmatrix.sync.aligned.m8n8", Op::LdMatrix,
     "x1 x2 x4 trans shared shared::cta", "b16", "FM"},
    {"movmatrix.sync.aligned.m8n8.trans", Op::MovMatrix, "", "b16", "GB"},
    {"mma.sync.aligned", Op::Mma,
     "m16n8k4 m16n8k8 m16n8k16 m16n8k32 row col satfinite", "*", "Ffff"},
};

#undef INTS

using Index = std::unordered_map<std::string, const OpcodeForm *>;

const Index &index() {
  static const Index table = [] {
    Index result;
    for (const OpcodeForm &form : forms)
      result.emplace(form.name, &form);
    return result;
  }();
  return table;
}

} // namespace

const OpcodeForm *
tilepipe::ptx::findForm(const std::vector<std::string> &mnemonic,
                        unsigned &words) {
  std::string name;
  const OpcodeForm *best = nullptr;
  for (unsigned i = 0; i < mnemonic.size(); ++i) {
    name += (i ? "." : "") + mnemonic[i];
    auto it = index().find(name);
    if (it != index().end()) {
      best = it->second;
      words = i + 1;
    }
  }
  return best;
}

bool tilepipe::ptx::contains(const char *list, const std::string &word) {
  for (const char *at = list; (at = std::strstr(at, word.c_str())); ++at) {
    char after = at[word.size()];
    if ((at == list || at[-1] == ' ') && (after == ' ' || after == '\0'))
      return true;
  }
  return false;
}
