// SPDX-License-Identifier: MIT
// Executes a case. The host, an engine or a test, implements buffers and launches.
#ifndef FRONTENDS_CASEFILE_CASE_RUN_H
#define FRONTENDS_CASEFILE_CASE_RUN_H

#include <signal.h>

#include "frontends/casefile/case.h"

typedef struct CaseValue {
  CaseArgumentKind kind;
  const char *text;  // as written, for messages
  uint64_t integer;  // an address, or an integer in two's complement
  bool negative;
  double number;
} CaseValue;

typedef struct CaseLaunch {
  const char *kernel;
  uint32_t grid[3], block[3];
  const CaseValue *args;
  uint32_t arg_count;
} CaseLaunch;

// Each callback receives `self` first. Errors are prefixed with the file and line of
// the case.
typedef struct CaseHost {
  void *self;
  // Loads all modules of the case; called once, first.
  Status (*load)(void *self, const char *const *paths, size_t count, Error *err);
  Status (*set_registers)(void *self, const char *kernel, uint32_t registers, Error *err);
  Status (*alloc)(void *self, const char *name, uint64_t size_bytes, uint64_t *address, Error *err);
  Status (*write)(void *self, uint64_t address, const void *bytes, uint64_t size_bytes, Error *err);
  Status (*read)(void *self, uint64_t address, void *bytes, uint64_t size_bytes, Error *err);
  Status (*launch)(void *self, const CaseLaunch *launch, Error *err);
  Status (*sum)(void *self, const char *name, CaseElement element, double value, Error *err);
} CaseHost;

typedef struct CaseOptions {
  uint64_t max_loops;                 // maximum iterations of all loops together
  const volatile sig_atomic_t *stop;  // non-zero: stop with ERR_INTERRUPTED; may be NULL
} CaseOptions;

Status case_run(const Case *parsed, const CaseHost *host, const CaseOptions *options, Error *err);

#endif
