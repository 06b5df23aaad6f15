// SPDX-License-Identifier: MIT
// Options of an SM: occupancy, issue, collectors, units, latencies, L1.
#include <string.h>

#include "gpu/config/gpu_config.h"
#include "gpu/import/import_options.h"

Status convert_threads(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  const char *parts[2];
  uint32_t threads, lanes;
  if (import_split(import, value, ':', parts, 2) != 2)
    return error_set(err, ERR_SYNTAX, "'%.80s' is not threads:warp size", value);
  TRY(import_number(parts[0], &threads, err));
  TRY(import_number(parts[1], &lanes, err));
  if (lanes != 32) import_lost(import, "warps have 32 lanes");
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
      import_changed(import, "both levels are round robin");
    import_set(import, row->target, spec);
  } else if (strcmp(value, "lrr") == 0 || strcmp(value, "gto") == 0) {
    import_set(import, row->target, value);
  } else {
    import_lost(import, "unsupported warp scheduler; gto instead");
  }
  return OK;
}

// Units.

Status convert_double_units(ConfigImport *import, const ImportRow *row, const char *value,
                            Error *err) {
  uint32_t units;
  TRY(import_number(value, &units, err));
  import_set(import, "latency.dp_on_sfu", units ? "false" : "true");
  if (units) import_set_number(import, row->target, units);
  return OK;
}

// With INT units, GPGPU-Sim executes only float instructions on the SP units.
Status convert_int_units(ConfigImport *import, const ImportRow *row, const char *value,
                         Error *err) {
  uint32_t units;
  TRY(import_number(value, &units, err));
  import_set_number(import, row->target, units);
  import_set(import, "sm.int_takes_simple", units ? "true" : "false");
  return OK;
}

// Collectors of units that may be absent; 0 then means nothing.
Status convert_units(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t units;
  TRY(import_number(value, &units, err));
  if (units) import_set_number(import, row->target, units);
  return OK;
}

// Collectors.

static bool has_general_collectors(const ConfigImport *import) {
  return strcmp(import_value(import, "gpgpu_enable_specialized_operand_collector"), "0") == 0;
}

// The option's name says in_ports; that with out_ports has to be the same.
Status convert_ports(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t in, out;
  char other[80];
  const char *at = strstr(row->option, "_in_");
  snprintf(other, sizeof other, "%.*s_out_%s", (int)(at - row->option), row->option, at + 4);
  TRY(import_number(value, &in, err));
  TRY(import_number_of(import, other, &out, err));
  if (in != out)
    import_changed(import,
                   "%u output ports of the collectors; as many as input ports, %u, in Heddle", out,
                   in);
  if (in) import_set_number(import, row->target, in);
  return OK;
}

// Collectors for all units, and perhaps some for each kind besides.
Status convert_collectors(ConfigImport *import, const ImportRow *row, const char *value,
                          Error *err) {
  uint32_t general;
  TRY(import_number(value, &general, err));
  if (has_general_collectors(import)) {
    import_set_number(import, row->target, general ? general : 1);
  } else {
    import_set_number(import, row->target, 0);
    if (general) import_lost(import, "collectors serve one kind of unit, or all kinds");
  }
  return OK;
}

// Widths of the pipeline registers, by stage and kind of unit. Later versions have more
// kinds: SP, SFU, MEM; with DP; with INT; with tensor cores last.
typedef struct Widths {
  uint32_t sp, dp, integer, sfu, mem;
} Widths;

static Widths widths_of(const uint32_t *numbers, size_t count) {
  if (count == 7) return (Widths){.sp = numbers[0], .sfu = numbers[1], .mem = numbers[2]};
  if (count == 9)
    return (Widths){.sp = numbers[0], .dp = numbers[1], .sfu = numbers[2], .mem = numbers[3]};
  return (Widths){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

// Latches before and after the collectors have the width of the collectors' ports. General
// collectors have enough ports, so the widths of the latches apply.
static void set_width(ConfigImport *import, const char *kind, uint32_t width) {
  char target[32], option[64];
  uint32_t ports;
  Error err;
  snprintf(target, sizeof target, "sm.%s_ports", kind);
  if (has_general_collectors(import)) {
    if (width) import_set_number(import, target, width);
    return;
  }
  snprintf(option, sizeof option, "gpgpu_operand_collector_num_in_ports_%s", kind);
  if (width && import_number_of(import, option, &ports, &err) == OK && ports && ports != width)
    import_changed(import, "latches of %s are as wide as their collector ports, %u", kind, ports);
}

Status convert_widths(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  const char *parts[16];
  uint32_t numbers[16];
  size_t count = import_split(import, value, ',', parts, 16);
  if (count != 7 && count != 9 && (count < 11 || count > 16))
    return error_set(err, ERR_SYNTAX, "'%.80s' has %zu widths", value, count);
  for (size_t i = 0; i < count; i++) TRY(import_number(parts[i], &numbers[i], err));
  Widths widths = widths_of(numbers, count);
  set_width(import, "sp", widths.sp);
  set_width(import, "dp", widths.dp);
  set_width(import, "int", widths.integer);
  set_width(import, "sfu", widths.sfu);
  set_width(import, "mem", widths.mem);
  import_set_number(import, row->target, numbers[count < 11 ? count - 1 : 10]);
  return OK;
}

// Latencies: ADD, MAX, MUL, MAD, DIV and, of integers, SHFL. An fma counts as a
// mad, as in GPGPU-Sim's branch of 2024; release 4.0 has it among the moves, with 1 cycle.
Status convert_latencies(ConfigImport *import, const ImportRow *row, const char *value,
                         Error *err) {
  enum { MAD = 3 };
  const char *parts[6], *targets[6];
  size_t target_count = import_split(import, row->target, ' ', targets, 6);
  size_t count = import_split(import, value, ',', parts, 6);
  if (count > target_count)
    return error_set(err, ERR_SYNTAX, "'%.80s' has %zu parts, expected at most %zu", value, count,
                     target_count);
  for (size_t i = 0; i < count; i++) {
    uint32_t number;
    TRY(import_number(parts[i], &number, err));
    import_set_number(import, targets[i], number);
    if (i != MAD || target_count == 6) continue;
    char fma[64];
    const char *mad = strstr(targets[i], "_mad");
    snprintf(fma, sizeof fma, "%.*s_fma%s", (int)(mad - targets[i]), targets[i], mad + 4);
    import_set_number(import, fma, number);
  }
  return OK;
}

// GPGPU-Sim times products of 16 x 16 x 16, which are two of the pieces that
// our latencies are for: the second follows the first after the interval.
Status convert_tensor(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t latency, interval;
  TRY(import_number(value, &latency, err));
  TRY(import_number_of(import, "ptx_opcode_initiation_tensor", &interval, err));
  uint32_t half = interval / 2 ? interval / 2 : 1;
  import_set_number(import, "latency.tensor_interval", half);
  import_set_number(import, row->target, latency > half ? latency - half : 1);
  return OK;
}

// The first-level caches.

Status convert_coalescing(ConfigImport *import, const ImportRow *row, const char *value,
                          Error *err) {
  uint32_t arch;
  TRY(import_number(value, &arch, err));
  if (arch < 20)
    import_lost(import, "coalescing by half-warp is not supported; whole warps, as on Fermi");
  import_set(import, row->target, arch < 30 ? "fermi" : arch < 40 ? "kepler" : "sector");
  return OK;
}

// Instructions and constants never miss: as if their caches were not there.
Status convert_perfect_caches(ConfigImport *import, const ImportRow *row, const char *value,
                              Error *err) {
  uint32_t perfect;
  (void)row;
  TRY(import_number(value, &perfect, err));
  if (!perfect) return OK;
  import_set(import, "l1i.enabled", "false");
  import_set(import, "l1c.enabled", "false");
  return OK;
}

// A size that programs may select instead of the option named by target.
Status convert_variant(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  (void)err;
  if (strcmp(value, import_value(import, row->target)) != 0)
    import_lost(import, "programs cannot choose the sizes of L1D and shared memory");
  return OK;
}

// Read by convert_unified, and without it of no effect.
Status convert_carve_outs(ConfigImport *import, const ImportRow *row, const char *value,
                          Error *err) {
  (void)row, (void)value, (void)err;
  if (strcmp(import_value(import, "gpgpu_adaptive_cache_config"), "0") == 0)
    import_note(import, IMPORT_UNUSED, "without -gpgpu_adaptive_cache_config");
  return OK;
}

// Unified L1D and shared memory. If no size is given, it is four times the L1D's, and the
// carve-outs are Volta's, as in release 4.0. The row follows that of the L1D.
static Status read_unified(ConfigImport *import, uint32_t *kb, Error *err) {
  const CacheConfig *l1d = import_section(import, "l1d");
  TRY(import_number_of(import, "gpgpu_unified_l1d_size", kb, err));
  if (*kb == 0) *kb = 4 * (l1d->sets * l1d->ways * l1d->line_bytes / 1024);
  return OK;
}

// Half the ways and twice the sets, until a set has room for them.
static void set_unified_geometry(ConfigImport *import, uint32_t kb) {
  const CacheConfig *l1d = import_section(import, "l1d");
  uint32_t sets = l1d->sets, lines = kb * 1024 / l1d->line_bytes;
  while (lines / sets > CACHE_MAX_WAYS && sets < UINT32_MAX / 2) sets *= 2;
  import_set_number(import, "l1d.sets", sets);
  import_set_number(import, "l1d.ways", lines / sets);
}

Status convert_unified(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  uint32_t adaptive, kb;
  TRY(import_number(value, &adaptive, err));
  if (!adaptive) return OK;
  TRY(read_unified(import, &kb, err));
  set_unified_geometry(import, kb);
  import_set_number(import, row->target, kb);
  if (import_is_given(import, "gpgpu_shmem_option"))
    import_set(import, "sm.shared_options_kb", import_value(import, "gpgpu_shmem_option"));
  return OK;
}
