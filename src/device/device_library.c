// SPDX-License-Identifier: MIT
// Decides whether a program needs the built-in copy and fill kernels.
#include "device/device_library.h"

#include <string.h>

#include "runtime/runtime_call.h"

// A thread moves every so many units, which count through the rows of the box.
#define ENTRY(name) ".visible .entry " name "(.param .align 8 .b8 box[72])\n"
#define BEGIN                                            \
  "{\n"                                                  \
  ".reg .pred %p1;\n"                                    \
  ".reg .b32 %r<6>;\n"                                   \
  ".reg .b64 %rd<24>;\n"                                 \
  "ld.param.u64 %rd1, [box];\n"                          \
  "ld.param.u64 %rd2, [box+8];\n"                        \
  "ld.param.u64 %rd3, [box+16];\n"                       \
  "ld.param.u64 %rd4, [box+24];\n"                       \
  "ld.param.u64 %rd5, [box+32];\n"                       \
  "ld.param.u64 %rd6, [box+40];\n"                       \
  "ld.param.u64 %rd7, [box+48];\n"                       \
  "ld.param.u64 %rd8, [box+56];\n"                       \
  "ld.param.u64 %rd9, [box+64];\n"                       \
  "mov.u32 %r1, %ctaid.x;\n"                             \
  "mov.u32 %r2, %ntid.x;\n"                              \
  "mov.u32 %r3, %tid.x;\n"                               \
  "mov.u32 %r4, %nctaid.x;\n"                            \
  "mul.wide.u32 %rd10, %r1, %r2;\n"                      \
  "cvt.u64.u32 %rd11, %r3;\n"                            \
  "add.u64 %rd10, %rd10, %rd11;\n"                       \
  "mul.wide.u32 %rd11, %r4, %r2;\n"                      \
  "mul.lo.u64 %rd12, %rd7, %rd8;\n"                      \
  "mul.lo.u64 %rd12, %rd12, %rd9;\n"                     \
  "next:\n"                                              \
  "setp.ge.u64 %p1, %rd10, %rd12;\n"                     \
  "@%p1 bra done;\n"                                     \
  "div.u64 %rd13, %rd10, %rd7;\n" /* row of the box */   \
  "rem.u64 %rd14, %rd10, %rd7;\n"                        \
  "div.u64 %rd15, %rd13, %rd8;\n" /* slice of the box */ \
  "rem.u64 %rd16, %rd13, %rd8;\n"
// Where a unit stands: base, pitch, slice.
#define PLACE(at, base, pitch, slice, bytes)   \
  "mad.lo.u64 " at ", %rd14, " bytes ", " base \
  ";\n"                                        \
  "mad.lo.u64 " at ", %rd16, " pitch ", " at   \
  ";\n"                                        \
  "mad.lo.u64 " at ", %rd15, " slice ", " at ";\n"
#define END                        \
  "add.u64 %rd10, %rd10, %rd11;\n" \
  "bra next;\n"                    \
  "done:\n"                        \
  "ret;\n"                         \
  "}\n"
#define COPY(name, type, bytes)                                        \
  ENTRY(name)                                                          \
  BEGIN PLACE("%rd17", "%rd4", "%rd5", "%rd6", bytes)                  \
      PLACE("%rd18", "%rd1", "%rd2", "%rd3", bytes) "ld." type         \
                                                    " %r5, [%rd17];\n" \
                                                    "st." type " [%rd18], %r5;\n" END
#define FILL(name, type, bytes) \
  ENTRY(name)                   \
  BEGIN PLACE("%rd18", "%rd1", "%rd2", "%rd3", bytes) "cvt.u32.u64 %r5, %rd4;\n" \
  "st." type " [%rd18], %r5;\n" END

#define HEAD ".version 6.0\n.target sm_30\n.address_size 64\n"

const char device_library_copies[] =
    HEAD COPY(RUNTIME_COPY_WORDS, "u32", "4") COPY(RUNTIME_COPY_BYTES, "u8", "1");
const char device_library_fills[] =
    HEAD FILL(RUNTIME_FILL_WORDS, "u32", "4") FILL(RUNTIME_FILL_BYTES, "u8", "1");

// Calls of the device runtime of either generation; host functions of the same name do not
// occur in PTX.
bool device_library_is_wanted(const char *text) {
  static const char *const names[] = {"__cudaCDP2Memcpy",  "__cudaCDP2Memset",  "cudaMemcpyAsync",
                                      "cudaMemcpy2DAsync", "cudaMemcpy3DAsync", "cudaMemsetAsync",
                                      "cudaMemset2DAsync", "cudaMemset3DAsync"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr(text, names[i])) return true;
  return false;
}
