// SPDX-License-Identifier: MIT
// Device code of one source: clang's intermediate code, repaired (ir_text.h), then PTX.
// Private to cc/.
#ifndef CC_DEVICE_CODE_H
#define CC_DEVICE_CODE_H

#include "cc/build_job.h"

// Intermediate code into PTX. unroll_limit: of loops that are unrolled completely; 0: clang's.
Status device_code_finish(Build *build, const char *intermediate, int unroll_limit, const char *ptx,
                          Error *err);

// A source into PTX.
Status device_code_compile(Build *build, const CcInput *input, const char *ptx, Error *err);

// PTX into a container, which objects embed and cuModuleLoad reads.
Status device_code_pack(Build *build, const CcInput *input, const char *ptx, const char *container,
                        Error *err);

#endif
