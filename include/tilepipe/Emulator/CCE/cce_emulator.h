//===- cce_emulator.h - The intrinsics of dav-2201 for a host -------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included before emitted CCE text (`-include`). Qualifiers are real address
// spaces, so that this compile is the type check as well. Integers are taken at
// full width: what the device would cut silently is reported.
//
// Names and the order of arguments: mirror-cann/asc-devkit,
// impl/c_api/instr_impl/npu_arch_2201/ (the file is named at each group).
// docs/cce-emulator.md is the contract with the printer.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_EMULATOR_CCE_CCE_EMULATOR_H
#define TILEPIPE_EMULATOR_CCE_CCE_EMULATOR_H

#define TILEPIPE_CCE_EMULATOR 1

#include "tilepipe/Emulator/CCE/cce_abi.h"

// Numbers as in the vendor's bitcode (llvm.hivm.* of the c220 templates).
#define __gm__ __attribute__((address_space(1)))
#define __cbuf__ __attribute__((address_space(2)))
#define __ca__ __attribute__((address_space(3)))
#define __cb__ __attribute__((address_space(4)))
#define __cc__ __attribute__((address_space(5)))
#define __ubuf__ __attribute__((address_space(6)))
#define __fbuf__ __attribute__((address_space(7)))
#define __global__
#define __aicore__
#define __cube__
#define __vector__

typedef _Float16 half;
typedef __bf16 bfloat16_t;

enum pipe_t {
  PIPE_S,
  PIPE_V,
  PIPE_M,
  PIPE_MTE1,
  PIPE_MTE2,
  PIPE_MTE3,
  PIPE_ALL,
  PIPE_FIX = 10
};
enum event_t {
  EVENT_ID0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7
};
enum QuantMode_t { NoQuant = 0, F322F16 = 1, F322BF16 = 16 };
enum addr_cal_mode_t { inc = 0, dec = 1 };
enum pad_t { PAD_NONE = 0 };
enum class Order_t { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };
enum class SELMODE {
  VSEL_CMPMASK_SPR,
  VSEL_TENSOR_SCALAR_MODE,
  VSEL_TENSOR_TENSOR_MODE
};

/// The place of a call. A type of its own, so that an argument too many is an
/// error and no place.
struct TpPlace {
  int line, column;
};
// Default arguments are evaluated where the call stands.
#define TP_LN                                                                  \
  TpPlace tpPlace = TpPlace { __builtin_LINE(), __builtin_COLUMN() }
#define TP_P(pointer) ((int64_t)(uintptr_t)(pointer))
#define TP_F(value) __builtin_bit_cast(int64_t, (double)(value))
#define TP_ISSUE(opcode, type, ...)                                            \
  const int64_t tpArguments[] = {__VA_ARGS__};                                 \
  tpCceIssue(TP_##opcode, type, tpPlace.line, tpPlace.column, tpArguments,     \
             sizeof(tpArguments) / sizeof(int64_t))

//===----------------------------------------------------------------------===//
// The scalar unit
//===----------------------------------------------------------------------===//

template <typename T> inline T tp_load(__ubuf__ T *p, TP_LN) {
  T value;
  tpCceLoad(0, TP_P(p), sizeof(T), &value, tpPlace.line, tpPlace.column);
  return value;
}
template <typename T> inline T tp_load(__gm__ T *p, TP_LN) {
  T value;
  tpCceLoad(1, TP_P(p), sizeof(T), &value, tpPlace.line, tpPlace.column);
  return value;
}
template <typename T> struct TpSame {
  typedef T Type;
};
template <typename T>
inline void tp_store(__ubuf__ T *p, typename TpSame<T>::Type value, TP_LN) {
  tpCceStore(0, TP_P(p), sizeof(T), &value, tpPlace.line, tpPlace.column);
}
template <typename T>
inline void tp_store(__gm__ T *p, typename TpSame<T>::Type value, TP_LN) {
  tpCceStore(1, TP_P(p), sizeof(T), &value, tpPlace.line, tpPlace.column);
}

// sys_var_impl/
inline int64_t get_block_idx() { return tpCceFact(TP_BLOCK_INDEX); }
inline int64_t get_block_num() { return tpCceFact(TP_BLOCK_COUNT); }
inline int64_t get_subblockid() { return tpCceFact(TP_SUBBLOCK); }
inline int64_t get_subblockdim() { return tpCceFact(TP_SUBBLOCKS); }

//===----------------------------------------------------------------------===//
// Order: sync_impl/asc_set_flag, asc_wait_flag, asc_pipe_barrier,
// asc_sync_block_arrive; wait_flag_dev is of impl/basic_api/dav_c220/
// kernel_operator_reg_others_impl.h
//===----------------------------------------------------------------------===//

inline void set_flag(pipe_t source, pipe_t target, int64_t id, TP_LN) {
  TP_ISSUE(set_flag, TP_NONE, source, target, id);
}
inline void wait_flag(pipe_t source, pipe_t target, int64_t id, TP_LN) {
  TP_ISSUE(wait_flag, TP_NONE, source, target, id);
}
inline void pipe_barrier(pipe_t pipe, TP_LN) {
  TP_ISSUE(pipe_barrier, TP_NONE, pipe);
}
inline void ffts_cross_core_sync(pipe_t pipe, int64_t config, TP_LN) {
  TP_ISSUE(ffts_cross_core_sync, TP_NONE, pipe, config);
}
inline void wait_flag_dev(int64_t id, TP_LN) {
  TP_ISSUE(wait_flag_dev, TP_NONE, id);
}
inline void set_ffts_base_addr(uint64_t address, TP_LN) {
  tpCceSetRegister(TP_FFTS_BASE, address, tpPlace.line);
}

//===----------------------------------------------------------------------===//
// Cube core: cube_datamove_impl/asc_copy_gm2l1_nd2nz, asc_copy_gm2l1,
// asc_fill_l1
//===----------------------------------------------------------------------===//

#define TP_ND2NZ(name, T, type)                                                \
  inline void name(__cbuf__ T *d, __gm__ T *s, int64_t sid, int64_t matrices,  \
                   int64_t rows, int64_t columns, int64_t sourceMatrix,        \
                   int64_t sourceRow, int64_t targetColumn, int64_t targetRow, \
                   int64_t targetMatrix, TP_LN) {                              \
    TP_ISSUE(copy_gm_to_cbuf_multi_nd2nz, type, TP_P(d), TP_P(s), sid,         \
             matrices, rows, columns, sourceMatrix, sourceRow, targetColumn,   \
             targetRow, targetMatrix);                                         \
  }
TP_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b8, int8_t, TP_S8)
TP_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b8, uint8_t, TP_U8)
TP_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b16, half, TP_F16)
TP_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b16, bfloat16_t, TP_BF16)
TP_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b16, int16_t, TP_S16)
TP_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b32s, float, TP_F32)
TP_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b32s, int32_t, TP_S32)
TP_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b32s, uint32_t, TP_U32)
#undef TP_ND2NZ

inline void copy_gm_to_cbuf(__cbuf__ void *d, __gm__ void *s, int64_t sid,
                            int64_t bursts, int64_t length, int64_t sourceGap,
                            int64_t targetGap, pad_t pad, TP_LN) {
  TP_ISSUE(copy_gm_to_cbuf, TP_NONE, TP_P(d), TP_P(s), sid, bursts, length,
           sourceGap, targetGap, pad);
}

#define TP_FILL(name, T, type, Value, bits)                                    \
  inline void name(__cbuf__ T *d, int64_t config, Value v, TP_LN) {            \
    TP_ISSUE(create_cbuf_matrix, type, TP_P(d), config, bits, sizeof(Value));  \
  }
#define TP_FILLS(T, type)                                                      \
  TP_FILL(create_cbuf_matrix, T, type, half, __builtin_bit_cast(uint16_t, v))  \
  TP_FILL(create_cbuf_matrix, T, type, uint32_t, v)
TP_FILLS(half, TP_F16)
TP_FILLS(int16_t, TP_S16)
TP_FILLS(uint16_t, TP_U16)
TP_FILLS(float, TP_F32)
TP_FILLS(int32_t, TP_S32)
TP_FILLS(uint32_t, TP_U32)
TP_FILL(create_cbuf_matrix_bf16, bfloat16_t, TP_BF16, bfloat16_t,
        __builtin_bit_cast(uint16_t, v))
#undef TP_FILLS
#undef TP_FILL

//===----------------------------------------------------------------------===//
// asc_copy_l12l0a_2d, asc_copy_l12l0b_2d, asc_copy_l12l0a_trans, ..b_trans
//===----------------------------------------------------------------------===//

#define TP_LOAD(name, space, T, type)                                          \
  inline void name(space T *d, __cbuf__ T *s, int64_t start, int64_t repeat,   \
                   int64_t sourceStride, int64_t targetGap, int64_t sid,       \
                   bool transpose, addr_cal_mode_t mode, TP_LN) {              \
    TP_ISSUE(name, type, TP_P(d), TP_P(s), start, repeat, sourceStride,        \
             targetGap, transpose, mode);                                      \
  }                                                                            \
  inline void name##_transpose(space T *d, __cbuf__ T *s, int64_t start,       \
                               int64_t repeat, int64_t sourceStride,           \
                               int64_t targetGap, int64_t mode,                \
                               int64_t fractalGap, TP_LN) {                    \
    TP_ISSUE(name##_transpose, type, TP_P(d), TP_P(s), start, repeat,          \
             sourceStride, targetGap, mode, fractalGap);                       \
  }
#define TP_LOADS(T, type)                                                      \
  TP_LOAD(load_cbuf_to_ca, __ca__, T, type)                                    \
  TP_LOAD(load_cbuf_to_cb, __cb__, T, type)
TP_LOADS(half, TP_F16)
TP_LOADS(bfloat16_t, TP_BF16)
TP_LOADS(float, TP_F32)
TP_LOADS(int32_t, TP_S32)
TP_LOADS(uint32_t, TP_U32)
TP_LOADS(int8_t, TP_S8)
TP_LOADS(uint8_t, TP_U8)
#undef TP_LOADS
#undef TP_LOAD

//===----------------------------------------------------------------------===//
// cube_compute_impl/asc_mmad; cube_datamove_impl/asc_set_l0c_copy_params,
// asc_copy_l0c2gm
//===----------------------------------------------------------------------===//

#define TP_MAD(C, T, type)                                                     \
  inline void mad(__cc__ C *c, __ca__ T *a, __cb__ T *b, int64_t m, int64_t k, \
                  int64_t n, int64_t unitFlag, bool kDirectionAlign,           \
                  bool bias, bool initial, TP_LN) {                            \
    TP_ISSUE(mad, type, TP_P(c), TP_P(a), TP_P(b), m, k, n, unitFlag,          \
             kDirectionAlign, bias, initial);                                  \
  }
TP_MAD(float, half, TP_F16)
TP_MAD(float, bfloat16_t, TP_BF16)
TP_MAD(float, float, TP_F32)
TP_MAD(int32_t, int8_t, TP_S8)
#undef TP_MAD

inline void set_nd_para(uint64_t config, TP_LN) {
  tpCceSetRegister(TP_ND_PARA, config, tpPlace.line);
}

#define TP_FIX(T, C, type)                                                     \
  inline void copy_matrix_cc_to_gm(                                            \
      __gm__ T *d, __cc__ C *s, int64_t sid, int64_t n, int64_t m,             \
      int64_t targetStride, int64_t sourceStride, int64_t unitFlag,            \
      QuantMode_t quant, int64_t relu, bool channelSplit, bool nz2nd, TP_LN) { \
    TP_ISSUE(copy_matrix_cc_to_gm, type, TP_P(d), TP_P(s), sid, n, m,          \
             targetStride, sourceStride, unitFlag, quant, relu, channelSplit,  \
             nz2nd);                                                           \
  }
TP_FIX(float, float, TP_F32)
TP_FIX(half, float, TP_F16)
TP_FIX(bfloat16_t, float, TP_BF16)
TP_FIX(int32_t, int32_t, TP_S32)
#undef TP_FIX

#include "tilepipe/Emulator/CCE/cce_vector.h"

//===----------------------------------------------------------------------===//
// Entries: what the runner calls, given the bits of each argument
//===----------------------------------------------------------------------===//

template <typename T> struct TpArgument {
  static T get(int64_t bits) { return (T)bits; }
};
template <> struct TpArgument<float> {
  static float get(int64_t bits) {
    return __builtin_bit_cast(float, (uint32_t)bits);
  }
};
template <typename T, T... I> struct TpIndices {};
template <typename... A, unsigned... I>
inline void tpCall(void (*kernel)(A...), const int64_t *bits,
                   TpIndices<unsigned, I...>) {
  kernel(TpArgument<A>::get(bits[I])...);
}
template <typename... A>
inline void tpEnter(void (*kernel)(A...), const int64_t *bits) {
  tpCall(kernel, bits, __make_integer_seq<TpIndices, unsigned, sizeof...(A)>{});
}
#define TP_ENTRY(name)                                                         \
  extern "C" void tp_entry_##name(const int64_t *bits) { tpEnter(name, bits); }

#endif // TILEPIPE_EMULATOR_CCE_CCE_EMULATOR_H
