// SPDX-License-Identifier: MIT
// From an option's value to parameters of ours: forms that many options share,
// and options of the whole chip.
#include <stdlib.h>
#include <string.h>

#include "gpu/config/gpu_config.h"
#include "gpu/import/import_options.h"

Status convert_number(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t number;
  TRY(import_number(value, &number, err));
  import_set_number(import, row->target, number);
  return OK;
}

// Some options mean "no limit" by 0: the largest queue comes near it.
Status convert_limit(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t number;
  TRY(import_number(value, &number, err));
  const Param *param = import_param(import, row->target);
  if (number == 0) number = (uint32_t)param->maximum;
  if (number == param->maximum)
    import_changed(import, "unlimited in GPGPU-Sim; %u in Heddle", number);
  import_set_number(import, row->target, number);
  return OK;
}

Status convert_kilobytes(ConfigImport *import, const ImportRow *row, const char *value,
                         Error *err) {
  uint32_t bytes;
  TRY(import_number(value, &bytes, err));
  if (bytes % 1024) import_changed(import, "rounded down to whole KB");
  import_set_number(import, row->target, bytes / 1024);
  return OK;
}

Status convert_inverse(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t number;
  TRY(import_number(value, &number, err));
  import_set(import, row->target, number ? "false" : "true");
  return OK;
}

// The row's default is the value that means the same here; with any other, what
// the row's text says is lost.
Status convert_lost(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  (void)err;
  if (!row->initial || strcmp(value, row->initial) != 0) import_lost(import, "%s", row->text);
  return OK;
}

// Read by the converter of another option.
Status convert_by_other(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t number;
  (void)import, (void)row;
  return import_number(value, &number, err);
}

// Assigns "a,b,c" or "a:b:c" to the targets, which are listed in one text; "-" drops a
// part. Trailing parts may be missing.
Status convert_parts(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  const char *parts[16], *targets[16];
  size_t part_count = import_split(import, value, strchr(value, ':') ? ':' : ',', parts, 16);
  size_t target_count = import_split(import, row->target, ' ', targets, 16);
  if (part_count > target_count)
    return error_set(err, ERR_SYNTAX, "'%.80s' has %zu parts, expected at most %zu", value,
                     part_count, target_count);
  for (size_t i = 0; i < part_count; i++) {
    uint32_t number;
    TRY(import_number(parts[i], &number, err));
    if (strcmp(targets[i], "-") != 0) import_set_number(import, targets[i], number);
  }
  return OK;
}

// The chip.

// MHz, with or without a fraction; our clocks are whole.
Status convert_clocks(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  const char *parts[4], *targets[4];
  import_split(import, row->target, ' ', targets, 4);
  if (import_split(import, value, ':', parts, 4) != 4)
    return error_set(err, ERR_SYNTAX, "'%.80s': expected core:icnt:l2:dram in MHz", value);
  for (int i = 0; i < 4; i++) {
    char *end;
    double mhz = strtod(parts[i], &end);
    if (*end || !parts[i][0] || !(mhz >= 0.5 && mhz < 1e6))
      return error_set(err, ERR_SYNTAX, "'%.80s' is not a clock in MHz", parts[i]);
    if (mhz != (uint32_t)mhz) import_changed(import, "%s rounded to whole MHz", parts[i]);
    import_set_number(import, targets[i], (uint32_t)(mhz + 0.5));
  }
  return OK;
}

Status convert_clusters(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t clusters, cores;
  TRY(import_number(value, &clusters, err));
  TRY(import_number_of(import, "gpgpu_n_cores_per_cluster", &cores, err));
  uint64_t sms = (uint64_t)clusters * cores;
  if (sms > UINT32_MAX)
    return error_set(err, ERR_SYNTAX, "%u clusters of %u cores", clusters, cores);
  import_set_number(import, row->target, (uint32_t)sms);
  return OK;
}

// Major and minor or, in files from before GPGPU-Sim 4, the largest capability of accepted
// PTX, or the one that determines occupancy.
static Status read_capability(const ConfigImport *import, uint32_t *capability, Error *err) {
  uint32_t minor;
  if (!import_is_given(import, "gpgpu_compute_capability_major")) {
    *capability = 0;
    if (import_is_given(import, "gpgpu_ptx_force_max_capability"))
      TRY(import_number_of(import, "gpgpu_ptx_force_max_capability", capability, err));
    if (*capability) return OK;
    if (import_is_given(import, "gpgpu_occupancy_sm_number"))
      return import_number_of(import, "gpgpu_occupancy_sm_number", capability, err);
  }
  TRY(import_number_of(import, "gpgpu_compute_capability_major", capability, err));
  TRY(import_number_of(import, "gpgpu_compute_capability_minor", &minor, err));
  if (*capability > 1000 || minor > 9)
    return error_set(err, ERR_SYNTAX, "%u.%u is not a compute capability", *capability, minor);
  *capability = *capability * 10 + minor;
  return OK;
}

// Of a thread: CUDA's table of compute capabilities.
static uint32_t registers_of(uint32_t capability) {
  if (capability < 20) return 124;
  return capability < 32 ? 63 : 255;
}

Status convert_capability(ConfigImport *import, const ImportRow *row, const char *value,
                          Error *err) {
  uint32_t capability;
  (void)value;
  TRY(read_capability(import, &capability, err));
  import_set_number(import, row->target, capability);
  import_set_number(import, "sm.thread_registers", registers_of(capability));
  return OK;
}

Status convert_order(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t order;
  TRY(import_number(value, &order, err));
  import_set(import, row->target, order == 1 ? "turns" : "fixed");
  return OK;
}

// A limit on threads' instructions; ours counts warps'.
Status convert_instructions(ConfigImport *import, const ImportRow *row, const char *value,
                            Error *err) {
  uint32_t number;
  TRY(import_number(value, &number, err));
  if (number)
    import_changed(import, "counted in threads in GPGPU-Sim; %u warps in Heddle",
                   (number + 31) / 32);
  import_set_number(import, row->target, (number + 31) / 32);
  return OK;
}

// Costs of a device launch: of a stream, then of the parameter buffer and the launch
// itself, each per warp and per kernel.
Status convert_device_launches(ConfigImport *import, const ImportRow *row, const char *value,
                               Error *err) {
  const char *parts[5];
  uint32_t cycles[5], launch;
  (void)row;
  if (import_split(import, value, ',', parts, 5) != 5)
    return error_set(err, ERR_SYNTAX, "'%.80s' is not five latencies", value);
  for (int i = 0; i < 5; i++) TRY(import_number(parts[i], &cycles[i], err));
  TRY(import_number_of(import, "gpgpu_kernel_launch_latency", &launch, err));
  uint64_t base = (uint64_t)cycles[1] + cycles[3] + launch, each = (uint64_t)cycles[2] + cycles[4];
  if (base > UINT32_MAX || each > UINT32_MAX)
    return error_set(err, ERR_SYNTAX, "'%.80s' is too large", value);
  import_set_number(import, "gpu.launch_base_cycles", (uint32_t)base);
  import_set_number(import, "gpu.launch_cycles_each", (uint32_t)each);
  import_changed(import, "the launching warp waits for both calls at the second in Heddle");
  return OK;
}
