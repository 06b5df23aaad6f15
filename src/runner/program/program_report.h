// SPDX-License-Identifier: MIT
// Results that the processes of a program wrote to their report folder
// (device/process/report_folder.h).
#ifndef RUNNER_PROGRAM_PROGRAM_REPORT_H
#define RUNNER_PROGRAM_PROGRAM_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "runner/run_outcome.h"
#include "device/process/report_folder.h"
#include "runner/run_outcome.h"

typedef struct ProgramReport {
  bool has_loaded;               // some process has loaded Heddle's libraries
  json_t *reports;               // of processes that wrote results, in order of exit
  char last[REPORT_NAME_BYTES];  // name of the last process that used the GPU, or ""
  // Process that initialised the GPU and left no results, or launched kernels after it
  // had written them; "": none.
  char lost[REPORT_NAME_BYTES];
  bool is_lost_late;             // ... the latter
  bool has_fork;                 // a child of fork tried to launch kernels
  uint64_t launched, completed;  // kernels, by the hosts of all processes
} ProgramReport;

Status program_report_read(ProgramReport *report, const char *folder, Error *err);
void program_report_clear(ProgramReport *report);

void program_report_print_tables(const ProgramReport *report, FILE *file);
// Number of launches of all processes.
uint64_t program_report_launches(const ProgramReport *report);
// First device failure; *text is NULL if there was none. Returns ERR_LIMIT,
// ERR_INTERRUPTED, ERR_USAGE if it is about what was requested, ERR_UNSUPPORTED for an unsupported
// feature, else ERR_PROGRAM.
Status program_report_failure(const ProgramReport *report, const char **text);
// First process that was ended by a signal, as its report; NULL: none.
const json_t *program_report_killed(const ProgramReport *report);
// Kernels, launches and other calls that failed in all processes, in words; false: none.
bool program_report_failures(const ProgramReport *report, char *text, size_t bytes);

// ERR_PROGRAM if a process has data races (run --check races).
Status program_report_races(const ProgramReport *report, Error *err);

// Outcome of the last process. A killed process has launches only.
Status program_report_outcome(const ProgramReport *report, const char *folder, RunOutcome *outcome,
                              Error *err);

#endif
