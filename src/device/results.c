// SPDX-License-Identifier: MIT
// What a program did on the device, in the same form as a case file's results.
// Files are written beside their place and renamed, so that nobody ever sees
// half a file.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/state.h"

void results_start(Device *device) {
  ssize_t length = readlink("/proc/self/exe", device->input, sizeof device->input - 1);
  if (length < 0) strcpy(device->input, "program");
  device->started = seconds_now();
}

// The counters of a GPU that is about to go are added to those before it.
void results_retire(Device *device) {
  if (!device->gpu || !gpu_kernel_count(device->gpu)) return;
  stats_sum(&device->total, gpu_total(device->gpu), sizeof device->total);
  // Of several GPUs, one after the other, the tables are those of the first.
  if (!device->result.tables.count) {
    gpu_report(device->gpu, &device->result.tables);
    gpu_report_policies(device->gpu, &device->result.policies);
  }
}

static void describe(Device *device) {
  RunResult *result = &device->result;
  bool functional = device->options.is_functional;
  gpu_config_sections(&device->config, device->sections);
  result->input = device->input;
  result->mode = functional ? "functional" : "timing";
  const char *scheme = device->options.scheme;
  if (!functional) result->scheme = *scheme ? scheme : device->config.policy.warp_scheduler;
  result->gpu = device->config.gpu.name;
  result->sm_count = device->config.gpu.sm_count;
  result->core_clock_mhz = device->config.gpu.core_clock_mhz;
  result->config = device->sections;
  result->seconds = seconds_since(device->started);
  if (functional) return;
  result->parts = machine_stats_parts;
  result->stats_bytes = sizeof(MachineStats);
  result->total_stats = &device->total;
  result->total_cycles = device->total.cycles;
}

// Before the first kernel, so that their counters can be copied.
void results_prepare(Device *device) {
  describe(device);
}

static Status write_table(const RunResult *result, const char *path, Error *err) {
  if (strcmp(path, "-") == 0) {
    run_result_print(result, stderr);
    return OK;
  }
  FILE *file = fopen(path, "w");
  if (!file) return error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
  run_result_print(result, file);
  if (fclose(file) == 0) return OK;
  return error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
}

typedef Status (*WriteFn)(const RunResult *result, const char *path, Error *err);

static Status write_aside(const RunResult *result, const char *path, WriteFn write, Error *err) {
  char aside[OPTION_TEXT_BYTES + 32];
  if (strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0) return write(result, path, err);
  snprintf(aside, sizeof aside, "%s.%ld.part", path, (long)getpid());
  Status status = write(result, aside, err);
  if (status == OK && rename(aside, path) != 0)
    status = error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
  if (status != OK) remove(aside);
  return status;
}

static void write_one(const RunResult *result, const char *path, WriteFn write) {
  Error err;
  if (!*path) return;
  if (write_aside(result, path, write, &err) != OK) device_tell("%s", err.text);
}

void device_write_results(Device *device, const char *reason) {
  device_lock(device);
  if (device->is_configured && (*device->options.json || *device->options.table)) {
    MachineStats before = device->total;
    describe(device);
    RunResult *result = &device->result;
    bool has_tables = result->tables.count;
    results_retire(device);
    result->total_cycles = device->total.cycles;
    result->status = device->status != OK ? device->status : reason ? ERR_INTERRUPTED : OK;
    result->error = device->status != OK ? device->error.text : reason;
    write_one(result, device->options.json, run_result_write_json);
    write_one(result, device->options.table, write_table);
    // The run may go on: what was added for this report is taken back.
    device->total = before;
    if (!has_tables) result_tables_clear(&result->tables);
  }
  device_unlock(device);
}
