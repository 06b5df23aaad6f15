// SPDX-License-Identifier: MIT
// The run that a device belongs to (run/run_spec.h). In a process that `heddle run` started, it is
// read from the file that HEDDLE_RUN names, with the configuration that heddle has resolved.
// Without that variable, every field has its default.
#ifndef DEVICE_PROCESS_DEVICE_RUN_H
#define DEVICE_PROCESS_DEVICE_RUN_H

#include "run/run_machine.h"

typedef struct DeviceRun {
  RunSpec spec;
  GpuConfig config;  // valid if is_resolved
  bool is_resolved;
  Error error;  // of reading; status OK: none
  Arena arena;  // of the spec's texts
} DeviceRun;

// folder: what relative paths are seen from; NULL: the current one.
void device_run_read(DeviceRun *run, const char *folder);
// The machine of the run, or the error of reading it.
Status device_run_resolve(const DeviceRun *run, RunMachine *machine, Error *err);

#endif
