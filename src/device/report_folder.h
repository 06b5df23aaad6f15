// SPDX-License-Identifier: MIT
// Results that a program passes to the heddle run that started it: files in a folder,
// created and removed by heddle run. A program may start others, so each process has its
// own files:
//
//   loaded        some process has loaded the simulated GPU
//   PID.launches  every launch so far, if requested (base/json_records.h)
//   PID.result    at its exit:
//                 {"result": what --json writes, without its launches, "table": text,
//                  "launches": number, "exit_code": of the device's status, "error": text,
//                  "is_stopped": by a limit of the run,
//                  "is_complaint": the error is about the request, not the program}
//
// A process that is killed leaves its launches.
#ifndef DEVICE_REPORT_FOLDER_H
#define DEVICE_REPORT_FOLDER_H

#include "report/run_result.h"

#define REPORT_LOADED "loaded"
#define REPORT_LAUNCHES ".launches"
#define REPORT_RESULT ".result"

void report_folder_announce(const char *folder);
Status report_folder_records(const char *folder, JsonRecords **records, Error *err);
Status report_folder_write(const RunResult *result, const char *folder, Error *err);

#endif
