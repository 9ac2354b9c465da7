//===- cce_vector.h - The intrinsics of a vector core ---------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of cce_emulator.h. Names and the order of arguments: mirror-cann/
// asc-devkit, impl/c_api/instr_impl/npu_arch_2201/vector_*_impl/.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_EMULATOR_CCE_CCE_VECTOR_H
#define TILEPIPE_EMULATOR_CCE_CCE_VECTOR_H

//===----------------------------------------------------------------------===//
// vector_datamove_impl/asc_copy_gm2ub, asc_copy_ub2gm, asc_copy_ub2ub,
// asc_copy_gm2ub_align, asc_copy_ub2gm_align, asc_set_copy_pad_val
//===----------------------------------------------------------------------===//

#define TP_BURSTS(name, Target, Source)                                        \
  inline void name(Target void *d, Source void *s, int64_t sid,                \
                   int64_t bursts, int64_t length, int64_t sourceGap,          \
                   int64_t targetGap, TP_LN) {                                 \
    TP_ISSUE(name, TP_NONE, TP_P(d), TP_P(s), sid, bursts, length, sourceGap,  \
             targetGap);                                                       \
  }
TP_BURSTS(copy_gm_to_ubuf, __ubuf__, __gm__)
TP_BURSTS(copy_ubuf_to_gm, __gm__, __ubuf__)
TP_BURSTS(copy_ubuf_to_ubuf, __ubuf__, __ubuf__)
#undef TP_BURSTS

#define TP_ALIGNED(name, suffix, Target, Source, type)                         \
  inline void name##suffix(Target void *d, Source void *s, int64_t sid,        \
                           int64_t bursts, int64_t bytes, int64_t leftPad,     \
                           int64_t rightPad, int64_t sourceGap,                \
                           int64_t targetGap, TP_LN) {                         \
    TP_ISSUE(name, type, TP_P(d), TP_P(s), sid, bursts, bytes, leftPad,        \
             rightPad, sourceGap, targetGap);                                  \
  }
TP_ALIGNED(copy_gm_to_ubuf_align, _b8, __ubuf__, __gm__, TP_U8)
TP_ALIGNED(copy_gm_to_ubuf_align, _b16, __ubuf__, __gm__, TP_U16)
TP_ALIGNED(copy_gm_to_ubuf_align, _b32, __ubuf__, __gm__, TP_U32)
TP_ALIGNED(copy_ubuf_to_gm_align, _b8, __gm__, __ubuf__, TP_U8)
TP_ALIGNED(copy_ubuf_to_gm_align, _b16, __gm__, __ubuf__, TP_U16)
TP_ALIGNED(copy_ubuf_to_gm_align, _b32, __gm__, __ubuf__, TP_U32)
#undef TP_ALIGNED

inline void set_mov_pad_val(uint64_t value, TP_LN) {
  tpCceSetRegister(TP_PAD_VALUE, value, tpPlace.line);
}

//===----------------------------------------------------------------------===//
// Masks: asc_set_mask_norm, asc_set_mask_count, asc_set_vector_mask
//===----------------------------------------------------------------------===//

inline void set_mask_norm(TP_LN) {
  tpCceSetRegister(TP_MASK_COUNT, 0, tpPlace.line);
}
inline void set_mask_count(TP_LN) {
  tpCceSetRegister(TP_MASK_COUNT, 1, tpPlace.line);
}
inline void set_vector_mask(uint64_t high, uint64_t low, TP_LN) {
  tpCceSetRegister(TP_MASK_HIGH, high, tpPlace.line);
  tpCceSetRegister(TP_MASK_LOW, low, tpPlace.line);
}

//===----------------------------------------------------------------------===//
// asc_add .. asc_min, asc_and, asc_or
//===----------------------------------------------------------------------===//

#define TP_BINARY_T(name, T, type)                                             \
  inline void name(__ubuf__ T *d, __ubuf__ T *a, __ubuf__ T *b,                \
                   int64_t repeat, int64_t dBlock, int64_t aBlock,             \
                   int64_t bBlock, int64_t dRepeat, int64_t aRepeat,           \
                   int64_t bRepeat, TP_LN) {                                   \
    TP_ISSUE(name, type, TP_P(d), TP_P(a), TP_P(b), repeat, dBlock, aBlock,    \
             bBlock, dRepeat, aRepeat, bRepeat);                               \
  }
#define TP_BINARY(name)                                                        \
  TP_BINARY_T(name, half, TP_F16)                                              \
  TP_BINARY_T(name, float, TP_F32)
#define TP_BINARY_INT(name)                                                    \
  TP_BINARY_T(name, int16_t, TP_S16)                                           \
  TP_BINARY_T(name, int32_t, TP_S32)
TP_CCE_BINARY(TP_BINARY)
TP_BINARY_INT(vadd)
TP_BINARY_INT(vsub)
TP_BINARY_INT(vmul)
TP_BINARY_INT(vmax)
TP_BINARY_INT(vmin)
#define TP_BITS(name)                                                          \
  TP_BINARY_T(name, int16_t, TP_S16)                                           \
  TP_BINARY_T(name, uint16_t, TP_U16)
TP_CCE_BITS(TP_BITS)
#undef TP_BITS
#undef TP_BINARY_INT
#undef TP_BINARY

//===----------------------------------------------------------------------===//
// asc_abs .. asc_relu; asc_add_scalar .. asc_axpy; asc_duplicate
//===----------------------------------------------------------------------===//

#define TP_UNARY_T(name, T, type)                                              \
  inline void name(__ubuf__ T *d, __ubuf__ T *s, int64_t repeat,               \
                   int64_t dBlock, int64_t sBlock, int64_t dRepeat,            \
                   int64_t sRepeat, TP_LN) {                                   \
    TP_ISSUE(name, type, TP_P(d), TP_P(s), repeat, dBlock, sBlock, dRepeat,    \
             sRepeat);                                                         \
  }
#define TP_UNARY(name)                                                         \
  TP_UNARY_T(name, half, TP_F16)                                               \
  TP_UNARY_T(name, float, TP_F32)
TP_CCE_UNARY(TP_UNARY)
TP_UNARY_T(vrelu, int32_t, TP_S32)
#undef TP_UNARY
#undef TP_UNARY_T

#define TP_SCALAR_T(name, T, type, bits)                                       \
  inline void name(__ubuf__ T *d, __ubuf__ T *s, T v, int64_t repeat,          \
                   int64_t dBlock, int64_t sBlock, int64_t dRepeat,            \
                   int64_t sRepeat, TP_LN) {                                   \
    TP_ISSUE(name, type, TP_P(d), TP_P(s), bits, repeat, dBlock, sBlock,       \
             dRepeat, sRepeat);                                                \
  }
#define TP_SCALAR(name)                                                        \
  TP_SCALAR_T(name, half, TP_F16, TP_F(v))                                     \
  TP_SCALAR_T(name, float, TP_F32, TP_F(v))
#define TP_SCALAR_INT(name)                                                    \
  TP_SCALAR_T(name, int16_t, TP_S16, v)                                        \
  TP_SCALAR_T(name, int32_t, TP_S32, v)
TP_CCE_SCALAR(TP_SCALAR)
TP_SCALAR_INT(vadds)
TP_SCALAR_INT(vmuls)
TP_SCALAR_INT(vmaxs)
TP_SCALAR_INT(vmins)
#undef TP_SCALAR_INT
#undef TP_SCALAR
#undef TP_SCALAR_T

#define TP_DUP(T, type, bits)                                                  \
  inline void vector_dup(__ubuf__ T *d, T v, int64_t repeat, int64_t dBlock,   \
                         int64_t sBlock, int64_t dRepeat, int64_t sRepeat,     \
                         TP_LN) {                                              \
    TP_ISSUE(vector_dup, type, TP_P(d), bits, repeat, dBlock, dRepeat);        \
  }
TP_DUP(half, TP_F16, TP_F(v))
TP_DUP(bfloat16_t, TP_BF16, TP_F((float)v))
TP_DUP(float, TP_F32, TP_F(v))
TP_DUP(int16_t, TP_S16, v)
TP_DUP(uint16_t, TP_U16, v)
TP_DUP(int32_t, TP_S32, v)
TP_DUP(uint32_t, TP_U32, v)
#undef TP_DUP

//===----------------------------------------------------------------------===//
// vconv/
//===----------------------------------------------------------------------===//

#define TP_CONVERT(name, D, dType, S, sType)                                   \
  inline void name(__ubuf__ D *d, __ubuf__ S *s, int64_t repeat,               \
                   int64_t dBlock, int64_t sBlock, int64_t dRepeat,            \
                   int64_t sRepeat, TP_LN) {                                   \
    TP_ISSUE(name, TP_##dType, TP_P(d), TP_P(s), repeat, dBlock, sBlock,       \
             dRepeat, sRepeat);                                                \
  }
TP_CCE_CONVERT(TP_CONVERT)
#undef TP_CONVERT

//===----------------------------------------------------------------------===//
// asc_repeat_reduce_*, asc_datablock_reduce_*, asc_brcb
//===----------------------------------------------------------------------===//

#define TP_REDUCE_T(name, T, type)                                             \
  inline void name(__ubuf__ T *d, __ubuf__ T *s, int64_t repeat,               \
                   int64_t dRepeat, int64_t sBlock, int64_t sRepeat,           \
                   Order_t order, TP_LN) {                                     \
    TP_ISSUE(name, type, TP_P(d), TP_P(s), repeat, dRepeat, sBlock, sRepeat,   \
             (int64_t)order);                                                  \
  }
TP_REDUCE_T(vcmax, half, TP_F16)
TP_REDUCE_T(vcmax, float, TP_F32)
TP_REDUCE_T(vcmin, half, TP_F16)
TP_REDUCE_T(vcmin, float, TP_F32)
#undef TP_REDUCE_T
#define TP_SUM_T(T, type)                                                      \
  inline void vcadd(__ubuf__ T *d, __ubuf__ T *s, int64_t repeat,              \
                    int64_t dRepeat, int64_t sBlock, int64_t sRepeat,          \
                    bool mode, TP_LN) {                                        \
    TP_ISSUE(vcadd, type, TP_P(d), TP_P(s), repeat, dRepeat, sBlock, sRepeat,  \
             mode);                                                            \
  }
TP_SUM_T(half, TP_F16)
TP_SUM_T(float, TP_F32)
#undef TP_SUM_T
#define TP_GROUP_T(name, T, type)                                              \
  inline void name(__ubuf__ T *d, __ubuf__ T *s, int64_t repeat,               \
                   int64_t dRepeat, int64_t sBlock, int64_t sRepeat, TP_LN) {  \
    TP_ISSUE(name, type, TP_P(d), TP_P(s), repeat, dRepeat, sBlock, sRepeat);  \
  }
#define TP_GROUP(name)                                                         \
  TP_GROUP_T(name, half, TP_F16)                                               \
  TP_GROUP_T(name, float, TP_F32)
TP_CCE_GROUP(TP_GROUP)
#undef TP_GROUP
#undef TP_GROUP_T

#define TP_BRCB(T, type)                                                       \
  inline void vbrcb(__ubuf__ T *d, __ubuf__ T *s, int64_t dBlock,              \
                    int64_t dRepeat, int64_t repeat, TP_LN) {                  \
    TP_ISSUE(vbrcb, type, TP_P(d), TP_P(s), dBlock, dRepeat, repeat);          \
  }
TP_BRCB(uint16_t, TP_U16)
TP_BRCB(uint32_t, TP_U32)
#undef TP_BRCB

//===----------------------------------------------------------------------===//
// asc_lt .., asc_lt_scalar .., asc_select, asc_set_cmp_mask
//===----------------------------------------------------------------------===//

#define TP_COMPARE_T(name, T, type)                                            \
  inline void name(__ubuf__ uint8_t *d, __ubuf__ T *a, __ubuf__ T *b,          \
                   int64_t repeat, int64_t dBlock, int64_t aBlock,             \
                   int64_t bBlock, int64_t dRepeat, int64_t aRepeat,           \
                   int64_t bRepeat, TP_LN) {                                   \
    TP_ISSUE(name, type, TP_P(d), TP_P(a), TP_P(b), repeat, dBlock, aBlock,    \
             bBlock, dRepeat, aRepeat, bRepeat);                               \
  }
#define TP_COMPARE(name)                                                       \
  TP_COMPARE_T(name, half, TP_F16)                                             \
  TP_COMPARE_T(name, float, TP_F32)
TP_CCE_COMPARE(TP_COMPARE)
TP_COMPARE_T(vcmpv_eq, int32_t, TP_S32)
#undef TP_COMPARE
#undef TP_COMPARE_T

#define TP_COMPARE_S(name, T, type)                                            \
  inline void name(__ubuf__ uint8_t *d, __ubuf__ T *s, T v, int64_t repeat,    \
                   int64_t dBlock, int64_t sBlock, int64_t dRepeat,            \
                   int64_t sRepeat, TP_LN) {                                   \
    TP_ISSUE(name, type, TP_P(d), TP_P(s), TP_F(v), repeat, dBlock, sBlock,    \
             dRepeat, sRepeat);                                                \
  }
#define TP_COMPARE_SCALARS(name)                                               \
  TP_COMPARE_S(name, half, TP_F16)                                             \
  TP_COMPARE_S(name, float, TP_F32)
TP_CCE_COMPARE_SCALAR(TP_COMPARE_SCALARS)
#undef TP_COMPARE_SCALARS
#undef TP_COMPARE_S

#define TP_SELECT(T, type)                                                     \
  inline void vsel(__ubuf__ T *d, __ubuf__ T *a, __ubuf__ T *b,                \
                   int64_t repeat, int64_t dBlock, int64_t aBlock,             \
                   int64_t bBlock, int64_t dRepeat, int64_t aRepeat,           \
                   int64_t bRepeat, int64_t mode = 0, TP_LN) {                 \
    TP_ISSUE(vsel, type, TP_P(d), TP_P(a), TP_P(b), repeat, dBlock, aBlock,    \
             bBlock, dRepeat, aRepeat, bRepeat, mode);                         \
  }
TP_SELECT(half, TP_F16)
TP_SELECT(float, TP_F32)
#undef TP_SELECT
#undef TP_BINARY_T

inline void set_cmpmask(__ubuf__ void *bits, TP_LN) {
  TP_ISSUE(set_cmpmask, TP_NONE, TP_P(bits));
}

#endif // TILEPIPE_EMULATOR_CCE_CCE_VECTOR_H
