// SPDX-License-Identifier: MIT
// Executing one bundle of a job list: what an element of a job array does, and
// what anybody can do by hand. It may be killed at any moment and started again.
#ifndef BATCH_ELEMENT_H
#define BATCH_ELEMENT_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

typedef struct ElementOptions {
  FILE *progress;                     // or NULL
  const volatile sig_atomic_t *stop;  // a signal's number, or NULL
} ElementOptions;

// Runs what earlier attempts at the bundle have left, each run in a process of
// its own, into a store of its own. The files that the list names must be as they were.
// Runs that failed are an ERR_PROGRAM at the end.
Status element_run(const char *list_path, uint32_t bundle, const ElementOptions *options,
                   Error *err);

#endif
