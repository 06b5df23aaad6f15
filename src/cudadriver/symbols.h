// SPDX-License-Identifier: MIT
// All functions of the driver API, each with its name and the CUDA version of its
// signature.
#ifndef CUDADRIVER_SYMBOLS_H
#define CUDADRIVER_SYMBOLS_H

typedef void AnyFunction(void);

typedef struct Symbol {
  const char *name;  // NULL past the last
  int since;         // 12030 means CUDA 12.3
  AnyFunction *function;
  AnyFunction *per_thread;  // for per-thread default streams; the same where that is no matter
} Symbol;

extern const Symbol symbols[];

#endif
