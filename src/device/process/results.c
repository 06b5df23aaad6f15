// SPDX-License-Identifier: MIT
// Results of a program, in the same form as those of a case file.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/replaced_file.h"
#include "device/state.h"

void results_start(Device *device) {
  ssize_t length = readlink("/proc/self/exe", device->input, sizeof device->input - 1);
  if (length < 0) strcpy(device->input, "program");
  device->started = seconds_now();
}

static bool are_wanted(const Device *device) {
  const RunSpec *spec = &device->run.spec;
  return spec->json || spec->table || spec->report;
}

// Launches that cannot be stored are reported, and missing from the results.
void results_prepare(Device *device) {
  const RunSpec *spec = &device->run.spec;
  Error err;
  Status status = OK;
  device->result.sm_count = device->machine.config.gpu.sm_count;  // records of launches show it
  if (spec->report) status = report_folder_register(&device->entry, spec->report, &err);
  if (device->entry.progress && spec->launches)
    status = report_folder_records(&device->entry, spec->report, &device->result.records, &err);
  else if (spec->json)
    status = json_records_create(&device->result.records, NULL, &err);
  if (status != OK) device_print(device, "%s", err.text);
}

static void describe(Device *device) {
  RunResult *result = &device->result;
  const RunSpec *spec = &device->run.spec;
  bool functional = spec->functional;
  gpu_config_sections(&device->machine.config, device->sections);
  result->input = device->input;
  result->mode = functional ? "functional" : spec->sample ? "sampled" : "timing";
  if (!functional)
    result->scheme = text_or(spec->scheme, device->machine.config.policy.warp_scheduler);
  result->gpu = device->machine.config.gpu.name;
  result->sm_count = device->machine.config.gpu.sm_count;
  result->core_clock_mhz = device->machine.config.gpu.core_clock_mhz;
  result->config = device->sections;
  result->shown_accesses = (uint32_t)spec->accesses;
  result->seconds = seconds_since(device->started);
}

static Status write_table(const RunResult *result, const char *path, Error *err) {
  ReplacedFile it;
  if (strcmp(path, "-") == 0) {
    run_result_print(result, stderr);
    return OK;
  }
  TRY(replaced_file_begin(&it, path, err));
  run_result_print(result, it.file);
  return replaced_file_end(&it, OK, err);
}

static Status write_json(const RunResult *result, const char *path, Error *err) {
  json_t *json = run_result_json(result);
  Status status = run_json_write(json, result->records, path, err);
  json_decref(json);
  return status;
}

typedef Status (*WriteFn)(const RunResult *result, const char *path, Error *err);

static void write_one(Device *device, const char *path, WriteFn write) {
  Error err;
  if (path && write(&device->result, path, &err) != OK) device_print(device, "%s", err.text);
}

// NVIDIA's runtime without symbols, in the program or in a library. Other launches may have
// worked, if the rest of the program uses ours.
static void explain_foreign_runtime(Device *device) {
  const char *library = device->foreign_library;
  if (!device->has_foreign_runtime || device->status != OK) return;
  if (device->result.total.launches && *library)
    device_print(device,
                 "warning: %s contains NVIDIA's CUDA runtime without symbols: its kernels did not "
                 "run; build it with nvcc -cudart shared, or do not strip it",
                 library);
  if (device->result.total.launches) return;
  if (*library)
    device->status =
        error_set(&device->error, ERR_UNSUPPORTED,
                  "%s contains NVIDIA's CUDA runtime without symbols, which cannot use "
                  "the simulated GPU; build it with nvcc -cudart shared, or do not "
                  "strip it",
                  library);
  else
    device->status = error_set(
        &device->error, ERR_UNSUPPORTED,
        "the program links NVIDIA's CUDA runtime statically (nvcc's default) and has no symbols, "
        "so that it cannot use the simulated GPU; do not strip it, link with nvcc -cudart shared, "
        "or build with heddle cc");
}

// Of a run that is otherwise complete. heddle run reports an error when the program has exited.
static void note_complaint(Device *device) {
  const RunResult *result = &device->result;
  if (!result->complaint || device->status != OK) return;
  if (result->complaint_status == OK)
    device_print(device, "warning: %s", result->complaint);
  else
    device->status = error_set(&device->error, result->complaint_status, "%s", result->complaint);
  if (device->status != OK && !device->run.spec.report)
    device_print(device, "%s", result->complaint);
}

static void write_report(Device *device, bool is_orderly) {
  Error err;
  const FailedLaunches *failed = &device->failed;
  ReportEnding ending = {.is_orderly = is_orderly,
                         .launched = device->next_launch,
                         .failed_launches = failed->count,
                         .failed_kernels = device->failed_kernels,
                         .first_failed_launch = failed->count ? failed->first : NULL};
  if (!device->entry.progress) return;
  if (report_folder_write(&device->entry, &device->result, &ending, device->run.spec.report, &err))
    device_print(device, "%s", err.text);
}

// In a folder of recordings, a program that cannot be recorded is executed in every run.
static void note_reason(const char *recording, const char *text) {
  char path[PATH_MAX];
  const char *dot = strrchr(recording, '.');
  snprintf(path, sizeof path, "%.*s.reason", (int)(dot - recording), recording);
  FILE *file = fopen(path, "we");
  if (!file) return;
  fprintf(file, "%s\n", text);
  fclose(file);
}

// A recording that cannot be completed is an error of the run that was to be recorded.
static void finish_recording(Device *device, const Error *ending) {
  Recorder *recorder = device->engine.options.recorder;
  const RunResult *result = &device->result;
  RecordingAbout about = {result->input, result->gpu, result->scheme};
  Error err;
  if (!recorder) return;
  device->engine.options.recorder = NULL;
  Status status = device->status != OK ? device->status : ending ? ending->status : OK;
  if (recorder_finish(recorder, &about, status, &err) == OK || status != OK) return;
  if (device->run.spec.recordings)
    note_reason(device->run.spec.record, err.text);
  else
    device_fail(device, &err);
}

void results_write(Device *device, const Error *ending) {
  RunResult *result = &device->result;
  if (!device->is_configured || !are_wanted(device)) return;
  explain_foreign_runtime(device);
  progress_hide(&device->progress);
  describe(device);
  engine_report(&device->engine);
  if (!ending) note_complaint(device);
  finish_recording(device, ending);
  result->status = device->status != OK ? device->status : ending ? ending->status : OK;
  result->error = device->status != OK ? device->error.text : ending ? ending->text : NULL;
  write_report(device, !ending);
  write_one(device, device->run.spec.json, write_json);
  write_one(device, device->run.spec.table, write_table);
}

void device_write_results(Device *device, const Error *ending) {
  device_lock(device);
  results_write(device, ending);
  device_unlock(device);
}
