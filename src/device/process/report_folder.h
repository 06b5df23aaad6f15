// SPDX-License-Identifier: MIT
// Results that a program passes to the heddle run that started it: files in a folder,
// created and removed by heddle run. A program may start others, so each process has its
// own files. NAME is PID-N, where N counts the programs that a process has become by exec:
//
//   loaded         some process has loaded the simulated GPU
//   NAME.started   a process has asked for the GPU: ReportProgress, in memory that it
//                  shares with this file, so that it survives any end of the process
//   NAME.launches  every launch so far, if requested (base/text/json_records.h)
//   NAME.result    at its end:
//                  {"result": what --json writes, without its launches, "table": text,
//                   "launches": number, "exit_code": of the device's status, "error": text,
//                   "is_stopped": by a limit of the run, "is_orderly": not by a signal,
//                   "launched", "failed_launches", "failed_kernels": numbers,
//                   "first_failed_launch": text,
//                   "is_complaint": the error is about the request, not the program}
//
// A process that is killed leaves NAME.started and its launches. The run is complete only
// if every process that has initialised the GPU also left its result.
#ifndef DEVICE_PROCESS_REPORT_FOLDER_H
#define DEVICE_PROCESS_REPORT_FOLDER_H

#include "report/run_result.h"

#define REPORT_LOADED "loaded"
#define REPORT_STARTED ".started"
#define REPORT_LAUNCHES ".launches"
#define REPORT_RESULT ".result"

typedef struct ReportProgress {
  uint64_t is_initialised;  // the GPU has been made: results are expected
  uint64_t is_fork;         // a child of fork tried to launch kernels; it cannot
  uint64_t launched;        // kernels, by the host
  uint64_t completed;       // ... of these
} ReportProgress;

enum { REPORT_NAME_BYTES = 48 };

// What a process has in the folder.
typedef struct ReportEntry {
  char name[REPORT_NAME_BYTES];
  ReportProgress *progress;  // NULL: no folder, or it is gone
} ReportEntry;

// How a process ended.
typedef struct ReportEnding {
  bool is_orderly;
  uint64_t launched, failed_launches, failed_kernels;
  const char *first_failed_launch;  // or NULL
} ReportEnding;

void report_folder_announce(const char *folder);
Status report_folder_register(ReportEntry *entry, const char *folder, Error *err);
// For a child of fork: the entry is its parent's.
void report_folder_forget(ReportEntry *entry);
Status report_folder_records(const ReportEntry *entry, const char *folder, JsonRecords **records,
                             Error *err);
Status report_folder_write(const ReportEntry *entry, const RunResult *result,
                           const ReportEnding *ending, const char *folder, Error *err);

#endif
