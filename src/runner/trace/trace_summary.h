// SPDX-License-Identifier: MIT
// What a trace holds: its kernels, their instructions and the memory that they access.
#ifndef RUNNER_TRACE_TRACE_SUMMARY_H
#define RUNNER_TRACE_TRACE_SUMMARY_H

#include <stdio.h>

#include "base/error.h"

// path: a recording, kernelslist.g, or the trace of one kernel.
Status trace_summary_print(const char *path, FILE *file, Error *err);

#endif
