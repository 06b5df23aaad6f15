// SPDX-License-Identifier: MIT
// What a program leaves for the heddle run that started it: files in a folder,
// which that makes and removes. A program may start others, so that each process
// has its own:
//
//   loaded        some process has loaded the simulated GPU
//   PID.launches  every launch so far, if they are wanted (base/json_records.h)
//   PID.result    when it ends:
//                 {"result": what --json writes, without its launches, "table": text,
//                  "launches": number, "exit_code": of the device's status, "error": text,
//                  "is_stopped": by a limit of the run}
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
