// SPDX-License-Identifier: MIT
// Creates, locks, resets and destroys the device.
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text/terminal.h"
#include "device/graphs/graph_state.h"
#include "policies/plugin.h"

void device_lock(Device *device) {
  pthread_mutex_lock(&device->mutex);
  device_note_holder(device);
}

void device_unlock(Device *device) {
  device->is_locked = false;
  pthread_mutex_unlock(&device->mutex);
}

void device_note_holder(Device *device) {
  device->holder = pthread_self();
  device->is_locked = true;
}

bool device_is_held(const Device *device) {
  return device->is_locked && pthread_equal(device->holder, pthread_self());
}

static void show(Device *device, bool is_error, const char *text) {
  fflush(stdout);
  progress_hide(&device->progress);
  terminal_message(is_error, text);
}

void device_print(Device *device, const char *format, ...) {
  char text[ERROR_TEXT_BYTES + 64];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  show(device, false, text);
}

void device_fail(Device *device, const Error *err) {
  bool is_first = device->status == OK;
  if (is_first) {
    device->status = err->status;
    device->error = *err;
  }
  // heddle run reports some errors when the program has exited.
  bool is_reported_later = status_exit_code(err->status) == 2 || err->status == ERR_LIMIT;
  if (!is_first || !is_reported_later || !device->run.spec.report) show(device, true, err->text);
}

Device *device_create(const DeviceRun *run) {
  Device *device = memory_alloc(sizeof *device);
  device->run = *run;
  device->next_address = PROGRAM_BASE;
  pthread_mutex_init(&device->mutex, NULL);
  pthread_cond_init(&device->idle, NULL);
  if (run->spec.progress) progress_init(&device->progress, stderr);
  results_start(device);
  return device;
}

void device_destroy(Device *device) {
  if (!device) return;
  device_retire(device);
  modules_clear(device);
  contexts_clear(device);
  json_records_close(device->result.records);
  run_result_clear(&device->result);
  run_machine_clear(&device->machine);
  pthread_cond_destroy(&device->idle);
  pthread_mutex_destroy(&device->mutex);
  memory_free(device);
}

// ---- the GPU, made when it is first needed

static void print(void *sink, const char *text, size_t length) {
  (void)sink;
  fwrite(text, 1, length, stdout);
}

static void warn(void *device, const char *text) {
  device_print(device, "%s", text);
}

static Status start_recorder(Device *device, Recorder **recorder, Error *err) {
  const char *path = device->run.spec.record;
  *recorder = NULL;
  return path ? recorder_create(recorder, path, err) : OK;
}

static void init_engine(Device *device, Recorder *recorder) {
  const RunSpec *spec = &device->run.spec;
  EngineOptions options = {.is_functional = spec->functional,
                           .observe = device->machine.observers,
                           .check = spec->check,
                           .recorder = recorder,
                           .forward = {.launches = spec->skip_kernels,
                                       .instructions = spec->fast_forward,
                                       .checkpoint = spec->checkpoint,
                                       .restore = spec->restore},
                           .machine = {.no_skip = spec->no_skip,
                                       .per_sm = spec->per_sm,
                                       .threads = (uint32_t)spec->threads,
                                       .interval_cycles = spec->interval,
                                       .inputs = device->machine.inputs},
                           .print = print,
                           .warn = warn,
                           .warn_sink = device};
  if (spec->sample) options.sample = &device->machine.sample;
  if (kernel_choice_is_given(&device->machine.choice)) options.choice = &device->machine.choice;
  if (device->entry.progress) options.completed = &device->entry.progress->completed;
  options.progress = &device->progress;
  options.machine.stop = &device->stop;
  options.machine.policies = &device->machine.plugins;
  engine_init(&device->engine, &device->machine.config, &device->result, &options);
}

static Status configure(Device *device, Error *err) {
  if (device->is_configured) return OK;
  Recorder *recorder;
  TRY(device_run_resolve(&device->run, &device->machine, err));
  TRY(start_recorder(device, &recorder, err));
  device->is_configured = true;
  results_prepare(device);
  init_engine(device, recorder);
  return OK;
}

static Status make(Device *device, Error *err) {
  TRY(configure(device, err));
  if (device->entry.progress) device->entry.progress->is_initialised = 1;
  return engine_open(&device->engine, err);
}

DeviceError device_ready(Device *device) {
  if (device->broken) return device->broken;
  if (device->sticky) return device->sticky;
  if (device->engine.memory) return DEVICE_OK;
  Error err = {0};
  if (make(device, &err) == OK) return DEVICE_OK;
  device_fail(device, &err);
  return device->broken = DEVICE_NOT_INITIALIZED;
}

void device_forget_allocations(Device *device) {
  engine_forget_allocations(&device->engine);
}

// ---- destruction

void device_retire(Device *device) {
  streams_clear(device);
  pools_clear(device);
  allocations_clear(device);
  virtual_memory_clear(device);
  arrays_clear(device);
  mipmaps_clear(device);
  texture_notes_clear(device);
  if (device->engine.memory) engine_close(&device->engine);
  modules_forget_programs(device);
  device->sticky = DEVICE_OK;
  device->pending_launches = 0;
  device->next_address = PROGRAM_BASE;
}

DeviceError device_reset(Device *device) {
  if (device->is_fork) return device->broken;
  device_lock(device);
  if (device->engine.memory && !device->sticky) device_execute(device);
  device_retire(device);
  contexts_reset(device);
  DeviceError error = device->broken;
  device_unlock(device);
  return error;
}

void device_note_foreign_runtime(Device *device, const char *library) {
  device_config(device);  // so that there are results
  device_lock(device);
  device->has_foreign_runtime = true;
  snprintf(device->foreign_library, sizeof device->foreign_library, "%s", library ? library : "");
  device_unlock(device);
}

// Another thread may have held the lock, or run kernels, when the process was forked.
bool device_after_fork(Device *device) {
  pthread_mutex_init(&device->mutex, NULL);
  pthread_cond_init(&device->idle, NULL);
  device->is_locked = device->is_executing = false;
  if (!device->is_configured) return device->is_fork;
  device->is_fork = true;
  device->broken = DEVICE_NOT_INITIALIZED;
  device->progress.file = NULL;
  device->result.records = NULL;
  device->engine.options.completed = NULL;
  report_folder_forget(&device->entry);
  return true;
}

// ---- questions

DeviceError device_error(Device *device) {
  device_lock(device);
  DeviceError error = device->broken ? device->broken : device->sticky;
  device_unlock(device);
  return error;
}

DeviceError device_set_pending_launches(Device *device, uint64_t launches) {
  if (!launches) return DEVICE_INVALID_VALUE;
  if (launches > MAX_PENDING_LAUNCHES) return DEVICE_OUT_OF_MEMORY;
  device_lock(device);
  // Queued work was launched under the old limit.
  if (device->engine.memory && !device->sticky) device_execute(device);
  device->pending_launches = (uint32_t)launches;
  device_unlock(device);
  return DEVICE_OK;
}

DeviceRuntimeLimits device_launch_limits(const Device *device) {
  DeviceRuntimeLimits limits = gpu_runtime_limits(&device->machine.config);
  if (device->pending_launches) limits.pending = device->pending_launches;
  return limits;
}

const GpuConfig *device_config(Device *device) {
  Error err = {0};
  device_lock(device);
  if (!device->is_configured && !device->broken && configure(device, &err) != OK) {
    device_fail(device, &err);
    device->broken = DEVICE_NOT_INITIALIZED;
  }
  device_unlock(device);
  return device->is_configured ? &device->machine.config : NULL;
}

uint32_t device_capability(Device *device) {
  const GpuConfig *config = device_config(device);
  uint32_t own = config ? config->gpu.compute_capability : 20;
  device_lock(device);
  uint32_t newest = modules_architecture(device, own);
  device_unlock(device);
  return newest > own ? newest : own;
}

uint32_t device_l2_bytes(Device *device) {
  const GpuConfig *config = device_config(device);
  uint32_t sets, ways;
  Error err;
  if (!config || !config->l2.enabled || cache_geometry(&config->l2, &sets, &ways, &err) != OK)
    return 0;
  return sets * ways * config->l2.line_bytes * config->gpu.channels *
         config->gpu.slices_per_channel;
}
