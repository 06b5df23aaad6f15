// SPDX-License-Identifier: MIT
// One run of clang: a source into an object, text or dependencies, as the request's stage
// says, or into intermediate code of its kernels. Private to cc/.
#ifndef CC_COMPILE_H
#define CC_COMPILE_H

#include "cc/build_job.h"

typedef struct Compilation {
  const CcInput *input;
  const char *output;       // NULL: clang's choice
  CcStage stage;            // anything before CC_PREPROCESS is an object
  bool is_intermediate;     // device code for LLVM instead
  const char *device_code;  // a container that an object embeds; NULL: none
} Compilation;

Status compile(Build *build, const Compilation *compilation, Error *err);

#endif
