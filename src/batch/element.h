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

// Executes the runs that earlier attempts at the bundle have left, each in a separate
// process, into the attempt's store. The files named in the list must be unchanged. Fails
// with ERR_PROGRAM at the end if runs failed.
Status element_run(const char *list_path, uint32_t bundle, const ElementOptions *options,
                   Error *err);

#endif
