// SPDX-License-Identifier: MIT
// Results that the processes of a program wrote to their report folder
// (device/report_folder.h).
#ifndef RUNNER_PROGRAM_REPORT_H
#define RUNNER_PROGRAM_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "runner/run_outcome.h"

typedef struct ProgramReport {
  bool has_loaded;  // some process has loaded Heddle's libraries
  json_t *reports;  // of processes that exited normally, in order of exit
  char last[64];    // id of the last process that used the GPU, or ""
} ProgramReport;

Status program_report_read(ProgramReport *report, const char *folder, Error *err);
void program_report_clear(ProgramReport *report);

void program_report_print_tables(const ProgramReport *report, FILE *file);
// Number of launches of all processes.
uint64_t program_report_launches(const ProgramReport *report);
// Device failure of the last process; *text is NULL if there was none. Returns
// ERR_LIMIT, ERR_UNSUPPORTED for an unsupported feature, else ERR_PROGRAM.
Status program_report_failure(const ProgramReport *report, const char **text);

// Outcome of the last process. A killed process has launches only.
Status program_report_outcome(const ProgramReport *report, const char *folder, RunOutcome *outcome,
                              Error *err);

#endif
