// SPDX-License-Identifier: MIT
// What the processes of a program left in the folder that they were given
// (device/report_folder.h).
#ifndef CLI_PROGRAM_REPORT_H
#define CLI_PROGRAM_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/run_outcome.h"

typedef struct ProgramReport {
  bool has_loaded;  // some process has loaded our libraries
  json_t *reports;  // of processes that ended in order, the last to end last
  char last[64];    // the last process that used the GPU, by number; or ""
} ProgramReport;

Status program_report_read(ProgramReport *report, const char *folder, Error *err);
void program_report_clear(ProgramReport *report);

void program_report_print_tables(const ProgramReport *report, FILE *file);
// Of all processes.
uint64_t program_report_launches(const ProgramReport *report);
// What failed on the device of the last process; *text is NULL if nothing did.
// ERR_LIMIT, ERR_UNSUPPORTED for what the program wants and cannot have,
// ERR_PROGRAM for the rest.
Status program_report_failure(const ProgramReport *report, const char **text);

// The outcome of the last process. Of one that was killed there are launches only.
Status program_report_outcome(const ProgramReport *report, const char *folder, RunOutcome *outcome,
                              Error *err);

#endif
