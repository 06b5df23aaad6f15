// SPDX-License-Identifier: MIT
// One run of clang: a source into an object, PTX, text or dependencies, as the request's
// stage says. Private to cc/.
#ifndef CC_COMPILE_H
#define CC_COMPILE_H

#include "cc/build_job.h"

typedef struct Compilation {
  const CcInput *input;
  const char *output;    // NULL: clang's choice
  CcStage stage;         // anything before CC_PTX is an object
  const char *ptx_copy;  // an object's PTX also goes here; NULL: nowhere
  const char *ptx;       // what is embedded into an object in place of its own PTX, or NULL
  int unroll_limit;      // of loops that are unrolled completely; 0: clang's
  bool is_repeated;      // without warnings, and dependencies, of which there are some already
} Compilation;

Status compile(Build *build, const Compilation *compilation, Error *err);

#endif
