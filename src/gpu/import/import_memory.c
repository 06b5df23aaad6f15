// SPDX-License-Identifier: MIT
// Options of the memory partitions.
#include <string.h>

#include "gpu/config/gpu_config.h"
#include "gpu/import/import_options.h"

// An L2 for textures only, as the first CUDA GPUs had it, is none for all else.
Status convert_texture_only(ConfigImport *import, const ImportRow *row, const char *value,
                            Error *err) {
  uint32_t only;
  TRY(import_number(value, &only, err));
  if (!only) return OK;
  import_set(import, row->target, "false");
  import_changed(import, "the L2 would serve textures only; modelled without an L2");
  return OK;
}

Status convert_dram_scheduler(ConfigImport *import, const ImportRow *row, const char *value,
                              Error *err) {
  uint32_t number;
  TRY(import_number(value, &number, err));
  if (number > 1) import_lost(import, "unsupported DRAM scheduler; frfcfs instead");
  import_set(import, row->target, number == 0 ? "fifo" : "frfcfs");
  return OK;
}

// Bytes per column command, and its occupancy of the data bus.
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
    if (t == TIMING_COUNT) return error_set(err, ERR_SYNTAX, "unknown timing '%.80s'", parts[i]);
    TRY(import_number(equals ? equals + 1 : parts[i], &numbers[t], err));
    import_set_number(import, dram_timings[t].target, numbers[t]);
  }
  uint64_t write_early = (uint64_t)numbers[TIMING_WL] + 1;
  uint32_t rcd = numbers[TIMING_RCD];
  import_set_number(import, "dram.rcd_write", rcd > write_early ? rcd - (uint32_t)write_early : 0);
  return OK;
}

Status convert_bank_groups(ConfigImport *import, const ImportRow *row, const char *value,
                           Error *err) {
  uint32_t low;
  TRY(import_number(value, &low, err));
  import_set(import, row->target, low ? "low" : "high");
  return OK;
}

// "entries:high:low", where writes wait apart from reads.
Status convert_write_queue(ConfigImport *import, const ImportRow *row, const char *value,
                           Error *err) {
  const char *parts[3];
  uint32_t enabled, numbers[3];
  TRY(import_number_of(import, "dram_seperate_write_queue_enable", &enabled, err));
  if (import_split(import, value, ':', parts, 3) != 3)
    return error_set(err, ERR_SYNTAX, "'%.80s': expected entries:high:low", value);
  for (int i = 0; i < 3; i++) TRY(import_number(parts[i], &numbers[i], err));
  import_set_number(import, row->target, enabled ? numbers[0] : 0);
  if (!enabled) return OK;
  import_set_number(import, "dram.write_high", numbers[1]);
  import_set_number(import, "dram.write_low", numbers[2]);
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

// The address map.

// By partition indexing; NULL: nothing like it.
static const char *map_name(const ConfigImport *import) {
  static const char *const names[] = {"interleave", "xor", "ipoly", NULL, "random"};
  const char *indexing = import_value(import, "gpgpu_memory_partition_indexing");
  if (indexing[0] < '0' || indexing[0] > '4' || indexing[1]) return NULL;
  return names[indexing[0] - '0'];
}

static bool is_power_of_two(uint32_t number) {
  return number && !(number & (number - 1));
}

static bool map_is_possible(const ConfigImport *import) {
  const ChipConfig *chip = import_section(import, "gpu");
  const char *name = map_name(import);
  return name && (strcmp(name, "xor") != 0 || is_power_of_two(chip->channels));
}

Status convert_indexing(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  (void)row, (void)value, (void)err;
  if (!map_is_possible(import))
    import_lost(import, "unsupported address map; channels are interleaved");
  return OK;
}

Status convert_bank_hash(ConfigImport *import, const ImportRow *row, const char *value,
                         Error *err) {
  uint32_t policy;
  (void)row;
  TRY(import_number(value, &policy, err));
  if (policy > 1) import_changed(import, "bank bits are XORed with the row instead");
  return OK;
}

// Bits denoted by the letters of "0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS".
typedef struct LayoutBits {
  uint32_t rows, banks, columns;
} LayoutBits;

static Status count_bits(const char *layout, LayoutBits *bits, Error *err) {
  *bits = (LayoutBits){0};
  for (const char *at = layout; *at; at++) {
    bits->rows += strchr("Rr", *at) != NULL;
    bits->banks += strchr("Bb", *at) != NULL;
    bits->columns += strchr("CcSs", *at) != NULL;
  }
  if (strspn(layout, "RrBbCcSs0.|") != strlen(layout) || bits->columns > 20 ||
      strlen(layout) > 80 || bits->rows > 31 || bits->banks > 16)
    return error_set(err, ERR_SYNTAX, "'%.80s' is not a mapping of address bits", layout);
  return OK;
}

// GPGPU-Sim has no option for the size of the memory. Its mapping has: that of
// its GTX 480 names 2^28 bytes in each of six channels, which are 1536 MB.
static void set_memory_size(ConfigImport *import, const LayoutBits *bits) {
  const ChipConfig *chip = import_section(import, "gpu");
  uint32_t channel_bits = bits->rows + bits->banks + bits->columns;
  uint64_t bytes = (uint64_t)chip->channels << (channel_bits < 40 ? channel_bits : 40);
  const Param *param = import_param(import, "gpu.memory_mb");
  uint64_t mb = bytes >> 20;
  if (mb > param->maximum) mb = (uint64_t)param->maximum;
  import_set_number(import, "gpu.memory_mb", mb ? (uint32_t)mb : 1);
}

// "dramid@8;00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS". The row follows those of
// channels and timing. A layout whose number of banks differs from the DRAM's is replaced
// with a default one.
Status convert_address_map(ConfigImport *import, const ImportRow *row, const char *value,
                           Error *err) {
  static const char prefix[] = "dramid@";
  const DramConfig *dram = import_section(import, "dram");
  const char *layout = strchr(value, ';');
  bool hashes = strcmp(import_value(import, "dram_bnk_indexing_policy"), "0") != 0;
  if (strncmp(value, prefix, sizeof prefix - 1) != 0 || !layout) {
    import_lost(import, "only mappings with dramid@ are supported; %s keeps its default",
                row->target);
    return OK;
  }
  uint32_t shift;
  LayoutBits bits;
  char text[16], spec[128];
  snprintf(text, sizeof text, "%.*s", (int)(layout - value) < 16 ? (int)(layout - value) - 7 : 15,
           value + 7);
  TRY(import_number(text, &shift, err));
  layout += 1 + strspn(layout + 1, "0. |");
  TRY(count_bits(layout, &bits, err));
  bool fits = dram->banks == 1u << bits.banks;
  if (!fits)
    import_changed(import, "%u bank bits for %u banks; a mapping is generated instead", bits.banks,
                   dram->banks);
  snprintf(spec, sizeof spec, "%s:channel_shift=%u%s%s%s",
           map_is_possible(import) ? map_name(import) : "interleave", shift,
           hashes ? ",bank_xor=true" : "", fits ? ",layout=" : "", fits ? layout : "");
  import_set(import, row->target, spec);
  import_set_number(import, "dram.row_bytes", 1u << bits.columns);
  set_memory_size(import, &bits);
  return OK;
}
