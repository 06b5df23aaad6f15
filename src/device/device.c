// SPDX-License-Identifier: MIT
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/graph_state.h"
#include "locality/observers.h"
#include "policies/plugin.h"

void device_lock(Device *device) {
  pthread_mutex_lock(&device->mutex);
}

void device_unlock(Device *device) {
  pthread_mutex_unlock(&device->mutex);
}

void device_tell(const char *format, ...) {
  char text[ERROR_TEXT_BYTES + 64];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fflush(stdout);
  fprintf(stderr, "heddle: %s\n", text);
}

Device *device_create(const DeviceOptions *options) {
  Device *device = memory_alloc(sizeof *device);
  device->options = *options;
  device->next_address = PROGRAM_BASE;
  pthread_mutex_init(&device->mutex, NULL);
  pthread_cond_init(&device->idle, NULL);
  results_start(device);
  return device;
}

void device_destroy(Device *device) {
  if (!device) return;
  device_retire(device);
  modules_clear(device);
  contexts_clear(device);
  run_result_clear(&device->result);
  policy_set_clear(&device->plugins);
  pthread_cond_destroy(&device->idle);
  pthread_mutex_destroy(&device->mutex);
  memory_free(device);
}

// ---- the GPU, made when it is first needed

static void print(void *sink, const char *text, size_t length) {
  (void)sink;
  fwrite(text, 1, length, stdout);
}

static Status observe(Device *device, const char *spec, Error *err) {
  const ObserverType *type;
  if (strcmp(spec, "none") == 0) return OK;
  if (strcmp(spec, "all") != 0) {
    TRY(observer_find(spec, &device->plugins, &type, err));
    return gpu_observe(device->gpu, type, spec, err);
  }
  for (const PolicyType *const *each = observer_family.types; *each; each++)
    TRY(gpu_observe(device->gpu, (const ObserverType *)*each, (*each)->name, err));
  return OK;
}

static Status observe_all(Device *device, Error *err) {
  char spec[OPTION_TEXT_BYTES];
  for (const char *at = device->options.observe; *at;) {
    size_t length = strcspn(at, ";");
    snprintf(spec, sizeof spec, "%.*s", (int)length, at);
    if (*spec) TRY(observe(device, spec, err));
    at += length + (at[length] == ';');
  }
  return OK;
}

static Status make_gpu(Device *device, Error *err) {
  GpuOptions machine = device->options.machine;
  machine.stop = &device->stop;
  machine.policies = &device->plugins;
  TRY(gpu_create(&device->gpu, &device->config, &machine, err));
  gpu_set_print(device->gpu, print, NULL);
  gpu_set_textures(device->gpu, device->textures);
  device->memory = gpu_memory(device->gpu);
  return observe_all(device, err);
}

static void make_memory(Device *device) {
  device->memory = device_memory_create((uint64_t)device->config.gpu.memory_mb << 20);
  device->context = (ExecContext){.memory = device->memory,
                                  .textures = device->textures,
                                  .print = print,
                                  .sm_count = device->config.gpu.sm_count,
                                  .warps_per_sm = device->config.sm.max_warps};
}

static Status configure(Device *device, Error *err) {
  if (device->is_configured) return OK;
  TRY(device_options_config(&device->options, &device->plugins, &device->config, err));
  device->is_configured = true;
  results_prepare(device);
  return OK;
}

static Status make(Device *device, Error *err) {
  TRY(configure(device, err));
  device->textures = texture_table_create();
  if (device->options.is_functional) {
    make_memory(device);
    return OK;
  }
  return make_gpu(device, err);
}

DeviceError device_ready(Device *device) {
  if (device->broken) return device->broken;
  if (device->sticky) return device->sticky;
  if (device->memory) return DEVICE_OK;
  Error err = {0};
  device->status = make(device, &err);
  if (device->status == OK) return DEVICE_OK;
  device_tell("%s", err.text);
  device->error = err;
  return device->broken = DEVICE_NOT_INITIALIZED;
}

void device_forget_allocations(Device *device) {
  if (device->gpu)
    gpu_forget_allocations(device->gpu);
  else
    exec_forget_allocations(&device->context);
}

// ---- its end

void device_retire(Device *device) {
  streams_clear(device);
  pools_clear(device);
  allocations_clear(device);
  virtual_memory_clear(device);
  arrays_clear(device);
  mipmaps_clear(device);
  texture_notes_clear(device);
  results_retire(device);
  if (device->gpu)
    gpu_destroy(device->gpu);
  else
    device_memory_destroy(device->memory);
  modules_forget_programs(device);
  texture_table_destroy(device->textures);
  device->gpu = NULL;
  device->memory = NULL;
  device->textures = NULL;
  device->sticky = DEVICE_OK;
  device->next_address = PROGRAM_BASE;
}

DeviceError device_reset(Device *device) {
  device_lock(device);
  if (device->memory && !device->sticky) device_execute(device);
  device_retire(device);
  contexts_reset(device);
  DeviceError error = device->broken;
  device_unlock(device);
  return error;
}

// ---- questions

DeviceError device_error(Device *device) {
  device_lock(device);
  DeviceError error = device->broken ? device->broken : device->sticky;
  device_unlock(device);
  return error;
}

const GpuConfig *device_config(Device *device) {
  Error err = {0};
  device_lock(device);
  if (!device->is_configured && !device->broken && configure(device, &err) != OK) {
    device_tell("%s", err.text);
    device->broken = DEVICE_NOT_INITIALIZED;
  }
  device_unlock(device);
  return device->is_configured ? &device->config : NULL;
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
