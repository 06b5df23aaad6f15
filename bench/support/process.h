// SPDX-License-Identifier: MIT
// Runs a program as a process of its own and says what it took.
#ifndef SUPPORT_PROCESS_H
#define SUPPORT_PROCESS_H

#include "base/error.h"

typedef struct ProcessCost {
  double cpu_seconds;  // user and system, from exec to exit
  double peak_mb;      // resident
} ProcessCost;

// argv ends with NULL; argv[0] is a path. Its output goes to output_path, or
// nowhere if that is NULL. Exit codes other than 0 are errors.
Status process_run(const char *const *argv, const char *output_path, ProcessCost *cost, Error *err);

// The same in a folder, with any exit code; -1 if it was ended by a signal.
Status process_run_in(const char *folder, const char *const *argv, const char *output_path,
                      int *exit_code, ProcessCost *cost, Error *err);

double process_resident_mb(void);  // of this one, now

#endif
