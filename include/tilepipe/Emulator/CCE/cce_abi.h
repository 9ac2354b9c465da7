//===- cce_abi.h - Between emitted code and the engine --------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the inline wrappers of cce_emulator.h call. No C++ library header: this
// file is compiled with every kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_EMULATOR_CCE_CCE_ABI_H
#define TILEPIPE_EMULATOR_CCE_CCE_ABI_H

#include <stdint.h>

/// Element types of operands. The values index tables of the engine.
enum TpCceType {
  TP_NONE,
  TP_F16,
  TP_BF16,
  TP_F32,
  TP_S8,
  TP_U8,
  TP_S16,
  TP_U16,
  TP_S32,
  TP_U32
};

// Binary, unary and scalar vector instructions; the engine names them in
// reports, so the list stands once.
#define TP_CCE_BINARY(X) X(vadd) X(vsub) X(vmul) X(vdiv) X(vmax) X(vmin)
#define TP_CCE_BITS(X) X(vand) X(vor)
#define TP_CCE_UNARY(X)                                                        \
  X(vabs) X(vexp) X(vln) X(vsqrt) X(vrsqrt) X(vrec) X(vrelu)
#define TP_CCE_SCALAR(X) X(vadds) X(vmuls) X(vmaxs) X(vmins) X(vlrelu) X(vaxpy)
#define TP_CCE_REDUCE(X) X(vcadd) X(vcmax) X(vcmin)
#define TP_CCE_GROUP(X) X(vcgadd) X(vcgmax) X(vcgmin)
#define TP_CCE_COMPARE(X)                                                      \
  X(vcmpv_lt) X(vcmpv_gt) X(vcmpv_le) X(vcmpv_ge) X(vcmpv_eq) X(vcmpv_ne)
#define TP_CCE_COMPARE_SCALAR(X)                                               \
  X(vcmpvs_lt) X(vcmpvs_gt) X(vcmpvs_le) X(vcmpvs_ge) X(vcmpvs_eq) X(vcmpvs_ne)
// Name, destination and source of the conversions; a suffix says how one
// rounds: r to nearest even, a away from zero, f down, c up, z towards zero, o
// to odd.
#define TP_CCE_ROUNDED(X, name, ...)                                           \
  X(name##r, __VA_ARGS__)                                                      \
  X(name##a, __VA_ARGS__)                                                      \
  X(name##f, __VA_ARGS__)                                                      \
  X(name##c, __VA_ARGS__)                                                      \
  X(name##z, __VA_ARGS__)
#define TP_CCE_CONVERT(X)                                                      \
  TP_CCE_ROUNDED(X, vconv_f322f32, float, F32, float, F32)                     \
  TP_CCE_ROUNDED(X, vconv_f322f16, half, F16, float, F32)                      \
  X(vconv_f322f16, half, F16, float, F32)                                      \
  X(vconv_f322f16o, half, F16, float, F32)                                     \
  X(vconv_f162f32, float, F32, half, F16)                                      \
  X(vconv_bf162f32, float, F32, bfloat16_t, BF16)                              \
  TP_CCE_ROUNDED(X, vconv_f322bf16, bfloat16_t, BF16, float, F32)              \
  TP_CCE_ROUNDED(X, vconv_f322s32, int32_t, S32, float, F32)                   \
  TP_CCE_ROUNDED(X, vconv_f322s16, int16_t, S16, float, F32)                   \
  TP_CCE_ROUNDED(X, vconv_f162s32, int32_t, S32, half, F16)                    \
  TP_CCE_ROUNDED(X, vconv_f162s16, int16_t, S16, half, F16)                    \
  TP_CCE_ROUNDED(X, vconv_f162s8, int8_t, S8, half, F16)                       \
  X(vconv_f162s8, int8_t, S8, half, F16)                                       \
  TP_CCE_ROUNDED(X, vconv_f162u8, uint8_t, U8, half, F16)                      \
  X(vconv_f162u8, uint8_t, U8, half, F16)                                      \
  TP_CCE_ROUNDED(X, vconv_bf162s32, int32_t, S32, bfloat16_t, BF16)            \
  TP_CCE_ROUNDED(X, vconv_s322f32, float, F32, int32_t, S32)                   \
  X(vconv_s322f32, float, F32, int32_t, S32)                                   \
  TP_CCE_ROUNDED(X, vconv_s162f16, half, F16, int16_t, S16)                    \
  X(vconv_s162f16, half, F16, int16_t, S16)                                    \
  X(vconv_s162f32, float, F32, int16_t, S16)                                   \
  X(vconv_s322s16, int16_t, S16, int32_t, S32)                                 \
  X(vconv_s82f16, half, F16, int8_t, S8)                                       \
  X(vconv_u82f16, half, F16, uint8_t, U8)
#define TP_CCE_OTHER(X)                                                        \
  X(copy_gm_to_cbuf_multi_nd2nz)                                               \
  X(copy_gm_to_cbuf)                                                           \
  X(create_cbuf_matrix)                                                        \
  X(load_cbuf_to_ca)                                                           \
  X(load_cbuf_to_cb)                                                           \
  X(load_cbuf_to_ca_transpose)                                                 \
  X(load_cbuf_to_cb_transpose)                                                 \
  X(mad)                                                                       \
  X(copy_matrix_cc_to_gm)                                                      \
  X(copy_gm_to_ubuf)                                                           \
  X(copy_ubuf_to_gm)                                                           \
  X(copy_gm_to_ubuf_align)                                                     \
  X(copy_ubuf_to_gm_align)                                                     \
  X(copy_ubuf_to_ubuf)                                                         \
  X(vector_dup)                                                                \
  X(vbrcb)                                                                     \
  X(vsel)                                                                      \
  X(set_cmpmask)                                                               \
  X(set_flag)                                                                  \
  X(wait_flag)                                                                 \
  X(pipe_barrier)                                                              \
  X(ffts_cross_core_sync)                                                      \
  X(wait_flag_dev)                                                             \
  X(tp_load)                                                                   \
  X(tp_store)

enum TpCceOpcode {
#define TP_X(name) TP_##name,
#define TP_X5(name, ...) TP_##name,
  TP_CCE_BINARY(TP_X) TP_CCE_BITS(TP_X) TP_CCE_UNARY(TP_X) TP_CCE_SCALAR(TP_X)
      TP_CCE_REDUCE(TP_X) TP_CCE_GROUP(TP_X) TP_CCE_COMPARE(TP_X)
          TP_CCE_COMPARE_SCALAR(TP_X) TP_CCE_CONVERT(TP_X5) TP_CCE_OTHER(TP_X)
#undef TP_X
#undef TP_X5
              TP_OPCODES
};

/// Special registers that the scalar unit writes.
enum TpCceRegister {
  TP_MASK_HIGH,
  TP_MASK_LOW,
  TP_MASK_COUNT,
  TP_ND_PARA,
  TP_PAD_VALUE,
  TP_FFTS_BASE,
  TP_REGISTERS
};

/// Facts about the running core.
enum TpCceFact { TP_BLOCK_INDEX, TP_BLOCK_COUNT, TP_SUBBLOCK, TP_SUBBLOCKS };

extern "C" {
/// An instruction in the order of the program. `arguments` are as in the
/// text, pointers as addresses, floating scalars as the bits of a double.
void tpCceIssue(int opcode, int type, int line, int column,
                const int64_t *arguments, int count);
void tpCceSetRegister(int reg, uint64_t value, int line);
int64_t tpCceFact(int fact);
/// A scalar access; `global` tells GM from UB.
void tpCceLoad(int global, int64_t address, int bytes, void *value, int line,
               int column);
void tpCceStore(int global, int64_t address, int bytes, const void *value,
                int line, int column);
}

#endif // TILEPIPE_EMULATOR_CCE_CCE_ABI_H
