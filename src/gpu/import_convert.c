// SPDX-License-Identifier: MIT
// From an option's value to parameters of ours, one function a form of value.
#include <stdlib.h>
#include <string.h>

#include "gpu/import_options.h"

Status convert_number(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t number;
  TRY(import_number(value, &number, err));
  import_set_number(import, row->target, number);
  return OK;
}

// Some options mean "no limit" by 0, which has no counterpart.
Status convert_limit(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t number;
  TRY(import_number(value, &number, err));
  if (number == 0)
    import_note(import, "0 means no limit there; %s keeps its default", row->target);
  else
    import_set_number(import, row->target, number);
  return OK;
}

Status convert_kilobytes(ConfigImport *import, const ImportRow *row, const char *value,
                         Error *err) {
  uint32_t bytes;
  TRY(import_number(value, &bytes, err));
  if (bytes % 1024) import_note(import, "rounded down to whole KB");
  import_set_number(import, row->target, bytes / 1024);
  return OK;
}

Status convert_inverse(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t number;
  TRY(import_number(value, &number, err));
  import_set(import, row->target, number ? "false" : "true");
  return OK;
}

// The options whose values make no difference have none of this: any other
// value is lost, and the row's text says what that means.
Status convert_lost(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  (void)err;
  if (!row->initial || strcmp(value, row->initial) != 0) import_note(import, "%s", row->text);
  return OK;
}

// "a,b,c" or "a:b:c" into the targets, which stand in one text behind each
// other; "-" lets a part fall. Parts may be missing at the end.
Status convert_parts(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  const char *parts[16], *targets[16];
  size_t part_count = import_split(import, value, strchr(value, ':') ? ':' : ',', parts, 16);
  size_t target_count = import_split(import, row->target, ' ', targets, 16);
  if (part_count > target_count)
    return error_set(err, ERR_SYNTAX, "'%.80s' has %zu parts instead of up to %zu", value,
                     part_count, target_count);
  for (size_t i = 0; i < part_count; i++) {
    uint32_t number;
    TRY(import_number(parts[i], &number, err));
    if (strcmp(targets[i], "-") != 0) import_set_number(import, targets[i], number);
  }
  return OK;
}

// Widths of the pipeline's registers. Only that before write-back has a
// counterpart; the others follow the collectors' ports. Its place depends on
// how many kinds of units a version knows: SP, SFU, MEM; with DP; with INT.
Status convert_widths(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  const char *parts[16];
  uint32_t width;
  size_t count = import_split(import, value, ',', parts, 16);
  if (count != 7 && count != 9 && (count < 11 || count > 16))
    return error_set(err, ERR_SYNTAX, "'%.80s' has %zu widths", value, count);
  for (size_t i = 0; i < count; i++) TRY(import_number(parts[i], &width, err));
  TRY(import_number(parts[count < 11 ? count - 1 : 10], &width, err));
  import_set_number(import, row->target, width);
  return OK;
}

// MHz, with or without a fraction; our clocks are whole.
Status convert_clocks(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  const char *parts[4], *targets[4];
  import_split(import, row->target, ' ', targets, 4);
  if (import_split(import, value, ':', parts, 4) != 4)
    return error_set(err, ERR_SYNTAX, "'%.80s' is not core:icnt:l2:dram in MHz", value);
  for (int i = 0; i < 4; i++) {
    char *end;
    double mhz = strtod(parts[i], &end);
    if (*end || !parts[i][0] || !(mhz >= 0.5 && mhz < 1e6))
      return error_set(err, ERR_SYNTAX, "'%.80s' is not a clock in MHz", parts[i]);
    if (mhz != (uint32_t)mhz) import_note(import, "%s is rounded to whole MHz", parts[i]);
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

Status convert_threads(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  const char *parts[2];
  uint32_t threads, lanes;
  if (import_split(import, value, ':', parts, 2) != 2)
    return error_set(err, ERR_SYNTAX, "'%.80s' is not threads:warp size", value);
  TRY(import_number(parts[0], &threads, err));
  TRY(import_number(parts[1], &lanes, err));
  if (lanes != 32) import_note(import, "warps have 32 lanes here");
  import_set_number(import, row->target, threads / 32);
  return OK;
}

Status convert_scheduler(ConfigImport *import, const ImportRow *row, const char *value,
                         Error *err) {
  const char *parts[4];
  size_t count = import_split(import, value, ':', parts, 4);
  if (count == 4 && strcmp(parts[0], "two_level_active") == 0) {
    uint32_t active;
    char spec[64];
    TRY(import_number(parts[1], &active, err));
    snprintf(spec, sizeof spec, "two_level:active_warps=%u", active);
    if (strcmp(parts[2], "0") != 0 || strcmp(parts[3], "1") != 0)
      import_note(import, "both levels go round here, whatever their order there");
    import_set(import, row->target, spec);
  } else if (strcmp(value, "lrr") == 0 || strcmp(value, "gto") == 0) {
    import_set(import, row->target, value);
  } else {
    import_note(import, "no such warp scheduler here; %s keeps its default", row->target);
  }
  return OK;
}

Status convert_coalescing(ConfigImport *import, const ImportRow *row, const char *value,
                          Error *err) {
  uint32_t arch;
  TRY(import_number(value, &arch, err));
  if (arch < 20) import_note(import, "half-warps are not modelled; coalescing is Fermi's");
  import_set(import, row->target, arch < 30 ? "fermi" : arch < 40 ? "kepler" : "sector");
  return OK;
}

Status convert_double_units(ConfigImport *import, const ImportRow *row, const char *value,
                            Error *err) {
  uint32_t units;
  TRY(import_number(value, &units, err));
  import_set(import, "latency.dp_on_sfu", units ? "false" : "true");
  if (units) import_set_number(import, row->target, units);
  return OK;
}

Status convert_units(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t units;
  TRY(import_number(value, &units, err));
  if (units || import_param(import, row->target)) import_set_number(import, row->target, units);
  return OK;
}

// The option's name says in_ports; that with out_ports has to be the same.
Status convert_ports(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t in, out;
  char other[80];
  const char *at = strstr(row->option, "_in_");
  snprintf(other, sizeof other, "%.*s_out_%s", (int)(at - row->option), row->option, at + 4);
  TRY(import_number(value, &in, err));
  TRY(import_number_of(import, other, &out, err));
  if (in != out) import_note(import, "%u ports out; here there are as many out as in", out);
  import_set_number(import, row->target, in);
  return OK;
}

// Read by convert_ports and convert_clusters.
Status convert_by_other(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t number;
  (void)import, (void)row;
  return import_number(value, &number, err);
}

Status convert_dram_scheduler(ConfigImport *import, const ImportRow *row, const char *value,
                              Error *err) {
  uint32_t number;
  TRY(import_number(value, &number, err));
  if (number > 1) import_note(import, "no such DRAM scheduler");
  import_set(import, row->target, number == 0 ? "fifo" : "frfcfs");
  return OK;
}

// What a column command moves, and for how long it takes the data bus.
Status convert_burst(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t burst, bus, chips, ratio;
  TRY(import_number(value, &burst, err));
  TRY(import_number_of(import, "gpgpu_dram_buswidth", &bus, err));
  TRY(import_number_of(import, "gpgpu_n_mem_per_ctrlr", &chips, err));
  TRY(import_number_of(import, "dram_data_command_freq_ratio", &ratio, err));
  if (burst > 4096 || bus > 4096 || chips > 4096 || ratio == 0)
    return error_set(err, ERR_SYNTAX, "%u x %u chips of %u bytes at %u times the command clock",
                     burst, chips, bus, ratio);
  uint64_t bytes = (uint64_t)burst * bus * chips;
  import_set_number(import, row->target, bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes);
  import_set_number(import, "dram.burst_ticks", burst / ratio ? burst / ratio : 1);
  return OK;
}

static const struct {
  const char *name, *target;
} dram_timings[] = {{"nbk", "dram.banks"}, {"CCD", "dram.ccd"},  {"RRD", "dram.rrd"},
                    {"RCD", "dram.rcd"},   {"RAS", "dram.ras"},  {"RP", "dram.rp"},
                    {"RC", "dram.rc"},     {"CL", "dram.cl"},    {"WL", "dram.wl"},
                    {"CDLR", "dram.cdlr"}, {"WR", "dram.wr"},    {"nbkgrp", "dram.bank_groups"},
                    {"CCDL", "dram.ccdl"}, {"RTPL", "dram.rtpl"}};
enum { TIMING_COUNT = sizeof dram_timings / sizeof *dram_timings, TIMING_RCD = 3, TIMING_WL = 8 };

// "nbk=16:CCD=2:...", or the numbers alone in that order.
Status convert_dram_timing(ConfigImport *import, const ImportRow *row, const char *value,
                           Error *err) {
  const char *parts[TIMING_COUNT];
  uint32_t numbers[TIMING_COUNT] = {0};
  (void)row;
  size_t count = import_split(import, value, ':', parts, TIMING_COUNT);
  if (count > TIMING_COUNT)
    return error_set(err, ERR_SYNTAX, "more than %d timings", (int)TIMING_COUNT);
  for (size_t i = 0; i < count; i++) {
    const char *equals = strchr(parts[i], '=');
    size_t t = i;
    if (equals)
      for (t = 0; t < TIMING_COUNT; t++)
        if (strncmp(dram_timings[t].name, parts[i], (size_t)(equals - parts[i])) == 0 &&
            dram_timings[t].name[equals - parts[i]] == '\0')
          break;
    if (t == TIMING_COUNT)
      return error_set(err, ERR_SYNTAX, "'%.80s' is no timing that is known", parts[i]);
    TRY(import_number(equals ? equals + 1 : parts[i], &numbers[t], err));
    import_set_number(import, dram_timings[t].target, numbers[t]);
  }
  uint64_t write_early = (uint64_t)numbers[TIMING_WL] + 1;
  uint32_t rcd = numbers[TIMING_RCD];
  import_set_number(import, "dram.rcd_write", rcd > write_early ? rcd - (uint32_t)write_early : 0);
  return OK;
}

// Requests in DRAM: what both queues hold, one kept for each further slice.
Status convert_return_queue(ConfigImport *import, const ImportRow *row, const char *value,
                            Error *err) {
  uint32_t returns, queue, slices;
  TRY(convert_limit(import, row, value, err));
  TRY(import_number(value, &returns, err));
  TRY(import_number_of(import, "gpgpu_frfcfs_dram_sched_queue_size", &queue, err));
  TRY(import_number_of(import, "gpgpu_n_sub_partition_per_mchannel", &slices, err));
  uint64_t sum = (uint64_t)returns + queue + 1;
  if (returns == 0 || queue == 0 || sum <= slices || sum - slices > UINT32_MAX) return OK;
  import_set_number(import, "partition.dram_shared_credits", (uint32_t)(sum - slices));
  return OK;
}

static const char *map_name(ConfigImport *import) {
  static const char *const names[] = {"interleave", "xor", "ipoly"};
  const char *indexing = import_value(import, "gpgpu_memory_partition_indexing");
  if (indexing[0] >= '0' && indexing[0] <= '2' && !indexing[1]) return names[indexing[0] - '0'];
  return NULL;
}

// "dramid@8;00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"
Status convert_address_map(ConfigImport *import, const ImportRow *row, const char *value,
                           Error *err) {
  static const char prefix[] = "dramid@";
  const char *layout = strchr(value, ';'), *map = map_name(import);
  if (strncmp(value, prefix, sizeof prefix - 1) != 0 || !layout) {
    import_note(import, "only mappings with dramid@ are known; %s keeps its default", row->target);
    return OK;
  }
  uint32_t shift, columns = 0;
  char text[16], spec[128];
  snprintf(text, sizeof text, "%.*s", (int)(layout - value) < 16 ? (int)(layout - value) - 7 : 15,
           value + 7);
  TRY(import_number(text, &shift, err));
  layout += 1 + strspn(layout + 1, "0. |");
  for (const char *at = layout; *at; at++) columns += strchr("CcSs", *at) != NULL;
  if (strspn(layout, "RrBbCcSs0.|") != strlen(layout) || columns > 20 || strlen(layout) > 80)
    return error_set(err, ERR_SYNTAX, "'%.80s' is not a mapping of address bits", layout);
  snprintf(spec, sizeof spec, "%s:channel_shift=%u,layout=%s", map ? map : "interleave", shift,
           layout);
  import_set(import, row->target, spec);
  import_set_number(import, "dram.row_bytes", 1u << columns);
  return OK;
}

Status convert_indexing(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  (void)row, (void)value, (void)err;
  if (!map_name(import)) import_note(import, "no such address map here; channels are interleaved");
  return OK;
}

// The built-in crossbar moves whole packets and has no pipeline to speak of.
Status convert_network_mode(ConfigImport *import, const ImportRow *row, const char *value,
                            Error *err) {
  uint32_t in, flit;
  (void)row;
  if (strcmp(value, "1") == 0) return OK;
  if (strcmp(value, "2") != 0) {
    import_note(import, "no such network here; [noc] keeps its defaults");
    return OK;
  }
  TRY(import_number_of(import, "icnt_in_buffer_limit", &in, err));
  TRY(import_number_of(import, "icnt_flit_size", &flit, err));
  import_note(import, "its crossbar moves whole packets; here they move by flits");
  import_set_number(import, "noc.flit_bytes", flit);
  import_set_number(import, "noc.injection_flits", in < 255 ? in : 255);
  import_set_number(import, "noc.latency_cycles", 4);
  return OK;
}
