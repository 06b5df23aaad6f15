// SPDX-License-Identifier: MIT
// PTX that launches kernels, for tests.
#ifndef UNIT_LAUNCHING_PTX_H
#define UNIT_LAUNCHING_PTX_H

#include "runtime/runtime_call.h"  // STREAM_OF_CTA and the like

#define PTX_HEAD ".version 6.0\n.target sm_35\n.address_size 64\n"

#define PTX_RUNTIME                                                                   \
  ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f,\n"           \
  "  .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"         \
  ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n" \
  ".extern .func (.param .b32 r) cudaDeviceSynchronize;\n"

// The lanes that come here launch `child`, as many CTAs and threads as the registers
// say, with the parameter %rd0 into the stream %rd5; %r4 is what the launch returns.
// Uses %rd1, %rd2, %r2, %r3 and %p.
#define PTX_LAUNCH_GRID(ctas, threads)                                                        \
  "  { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;\n" \
  "    .param .b64 r; mov.u64 %rd1, child; mov.u32 %r2, 1; mov.u32 %r3, 0;\n"                 \
  "    st.param.b64 [f], %rd1; st.param.b32 [g], " ctas                                       \
  "; st.param.b32 [g+4], %r2;\n"                                                              \
  "    st.param.b32 [g+8], %r2; st.param.b32 [b], " threads                                   \
  "; st.param.b32 [b+4], %r2;\n"                                                              \
  "    st.param.b32 [b+8], %r2; st.param.b32 [s], %r3;\n"                                     \
  "    call.uni (r), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd2, [r]; }\n"     \
  "  setp.eq.u64 %p, %rd2, 0; @!%p st.u64 [%rd2], %rd0;\n"                                    \
  "  { .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd2;\n"                \
  "    st.param.b64 [s], %rd5; call.uni (r), cudaLaunchDeviceV2, (p, s);\n"                   \
  "    ld.param.b32 %r4, [r]; }\n"

// One thread.
#define PTX_LAUNCH_CHILD PTX_LAUNCH_GRID("%r2", "%r2")

#endif
