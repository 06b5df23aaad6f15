// SPDX-License-Identifier: MIT
// Configuration of a device by environment variables:
//
//   HEDDLE_GPU=NAME               a shipped GPU or a .cfg file
//   HEDDLE_SCHEME=NAME + NAME     policies, as gpu/scheme.h reads them
//   HEDDLE_PLUGIN=a.so;b.so       policies from shared objects
//   HEDDLE_SET=a.b=1;c.d=2        parameters
//   HEDDLE_FUNCTIONAL=1           execute without timing
//   HEDDLE_THREADS=N              threads that simulate SMs
//   HEDDLE_ACCESSES=N             rows of the table of accesses
//   HEDDLE_NO_SKIP=1  HEDDLE_INTERVAL=N  HEDDLE_PER_SM=1
//   HEDDLE_OBSERVE=a;b            as device/observer_list.h reads it
//   HEDDLE_CHECK=races            checks of the kernels (races/races.h)
//   HEDDLE_KERNELS=3,7-9,name*    launches with timing (device/kernel_choice.h)
//   HEDDLE_PROGRESS=1             a line on stderr while kernels run, if it is a terminal
//   HEDDLE_JSON=FILE  HEDDLE_TABLE=FILE  output files; - is stdout for JSON, stderr for tables
//   HEDDLE_OPTIONS=FILE           lines such as `gpu = a100`, for variables that are not set
//
// heddle run sets three more: HEDDLE_REPORT=FOLDER, the folder for results
// (device/report_folder.h), HEDDLE_LAUNCHES=1 to record every launch, and HEDDLE_TERMINAL, the
// shape of tables (base/terminal.h).
//
// Paths are relative to the folder in which the program was started, even if it changes
// its working directory.
#ifndef DEVICE_OPTIONS_H
#define DEVICE_OPTIONS_H

#include "gpu/gpu.h"

enum { OPTION_TEXT_BYTES = 4096 };

typedef struct DeviceOptions {
  // gpu: empty if none was chosen
  char gpu[OPTION_TEXT_BYTES], scheme[OPTION_TEXT_BYTES], set[OPTION_TEXT_BYTES];
  char observe[OPTION_TEXT_BYTES], plugin[OPTION_TEXT_BYTES];
  char json[OPTION_TEXT_BYTES], table[OPTION_TEXT_BYTES], report[OPTION_TEXT_BYTES];
  char kernels[OPTION_TEXT_BYTES], check[OPTION_TEXT_BYTES];
  char folder[OPTION_TEXT_BYTES];  // that relative paths are seen from; empty: the current one
  bool is_functional, wants_launches, wants_progress;
  uint32_t shown_accesses;         // as in RunResult
  GpuOptions machine;
  Error error;  // first error in the options; its status is OK if there is none
} DeviceOptions;

// From HEDDLE_OPTIONS' file and the environment. folder: what relative paths
// are seen from; NULL: the current one.
void device_options_read(DeviceOptions *options, const char *folder);
// One option, by the lower-case end of its variable's name ("gpu").
Status device_options_set(DeviceOptions *options, const char *name, const char *value, Error *err);
// The variables that are read, by index; NULL past the last.
const char *device_options_variable(size_t index);
// The configuration that they describe; plugins are added to the set.
Status device_options_config(const DeviceOptions *options, PolicySet *plugins, GpuConfig *config,
                             Error *err);

#endif
