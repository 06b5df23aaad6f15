// SPDX-License-Identifier: MIT
// Options of loading and linking: pairs of a number and a value, the value at
// times a place for an answer. What an assembler would be told is accepted and
// has no meaning here; logs and times are answered.
#ifndef CUDADRIVER_JIT_H
#define CUDADRIVER_JIT_H

#include "cudadriver/api.h"

// Where a log goes; size_at is where its length is wanted.
typedef struct JitLog {
  char *text;
  size_t room_bytes, used_bytes;
  void **size_at;
} JitLog;

typedef struct JitOptions {
  JitLog info, error;
  void **wall_time_at;
  double began;
} JitOptions;

CUresult jit_read(JitOptions *jit, unsigned count, const CUjit_option *options, void **values);
// Appends to the error log, and returns log sizes and the time since jit_read.
void jit_answer(JitOptions *jit, const Error *err);

#endif
