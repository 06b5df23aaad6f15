// SPDX-License-Identifier: MIT
// Text report of a timed run: per kernel the rates that matter, where the issue
// slots went, and the most expensive accesses. It looks counters up by name, so
// that it does not depend on the machine.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text/text_table.h"
#include "report/occupancy_note.h"
#include "report/run_text.h"

enum { SHOWN_BLOCKS = 4, SHOWN_ROWS = 32, SHOWN_REASONS = 8, BAR_CELLS = 30 };
enum { SLOT_COLUMNS = 26 };  // of a line of issue slots, without its reason and bar

// The counters of one kernel, or of the run.
typedef struct Counters {
  const StatsPart *parts;
  const void *values;
} Counters;

// ---- counters by name

static double value_of(const Counters *counters, const char *name) {
  for (const StatsPart *part = counters->parts; part->prefix; part++) {
    size_t length = strlen(part->prefix);
    if (strncmp(name, part->prefix, length) != 0) continue;
    const Stat *stat = stats_find(part->table, name + length);
    if (!stat) continue;
    const void *values = (const char *)counters->values + part->offset;
    double ratio = 0;
    if (!stat->is_ratio) return (double)stat_count(stat, values);
    return stat_ratio(stat, values, &ratio) ? ratio : 0;
  }
  assert(false && "unknown statistic");
  return 0;
}

static bool has_part(const Counters *counters, const char *prefix) {
  for (const StatsPart *part = counters->parts; part->prefix; part++)
    if (strcmp(part->prefix, prefix) == 0) return true;
  return false;
}

static double percent(double part, double whole) {
  return whole > 0 ? part / whole * 100 : 0;
}

static double share_of(const Counters *counters, const char *part, const char *whole) {
  return percent(value_of(counters, part), value_of(counters, whole));
}

static const char *grouped(const Counters *counters, const char *name, char out[GROUPED_BYTES]) {
  return text_grouped(out, (uint64_t)value_of(counters, name));
}

// ---- the lines of a block

static void print_label(const char *label, FILE *file) {
  fprintf(file, "  %-13s", label);
}

static void print_cycles(const RunResult *result, const Counters *counters, FILE *file) {
  char number[GROUPED_BYTES];
  double cycles = value_of(counters, "cycles");
  print_label("cycles", file);
  fprintf(file, "%s", text_grouped(number, (uint64_t)cycles));
  if (result->core_clock_mhz) {
    double microseconds = cycles / result->core_clock_mhz;
    if (microseconds < 10000)
      fprintf(file, "  (%.1f us at %u MHz)", microseconds, result->core_clock_mhz);
    else
      fprintf(file, "  (%.1f ms at %u MHz)", microseconds / 1000, result->core_clock_mhz);
  }
  fputc('\n', file);
  print_label("instructions", file);
  fprintf(file, "%s warp, ", grouped(counters, "sm.warp_instructions", number));
  fprintf(file, "%s thread\n", grouped(counters, "sm.thread_instructions", number));
  print_label("IPC", file);
  fprintf(file, "%.3f warp, %.2f thread\n", value_of(counters, "warp_ipc"),
          value_of(counters, "thread_ipc"));
}

// A full SM needs no explanation, unless there are too few CTAs for the others.
static void print_occupancy(const RunResult *result, const KernelResult *kernel,
                            const Counters *counters, FILE *file) {
  print_label("occupancy", file);
  if (kernel && kernel->max_warps)
    fprintf(file, "%.1f %% theoretical (%u CTA%s, %u of %u warps per SM), ",
            percent(kernel->resident_warps, kernel->max_warps), kernel->ctas_per_sm,
            kernel->ctas_per_sm == 1 ? "" : "s", kernel->resident_warps, kernel->max_warps);
  fprintf(file, "%.1f %% achieved\n", value_of(counters, "achieved_occupancy") * 100);
  bool is_full = kernel && kernel->resident_warps == kernel->max_warps;
  if (!kernel || !kernel->limit.by || (is_full && !kernel->limit.grid_is_small)) return;
  char note[OCCUPANCY_NOTE_BYTES];
  print_label("", file);
  fprintf(file, "%s\n", occupancy_note(kernel, result->sm_count, note));
}

static const KernelResult *most_local(const RunResult *result) {
  const KernelResult *most = NULL;
  for (uint32_t i = 0; i < result->kernel_count; i++)
    if (!most || result->kernels[i].local_bytes > most->local_bytes) most = &result->kernels[i];
  return most;
}

// kernel: NULL for all of them.
static void print_local(const RunResult *result, const KernelResult *kernel, FILE *file) {
  const KernelResult *shown = kernel ? kernel : most_local(result);
  if (!shown || !shown->local_bytes) return;
  print_label("local memory", file);
  fprintf(file, "%u bytes per thread", shown->local_bytes);
  if (!kernel) fprintf(file, " of %s", shown->title);
  fputs(": an array becomes registers if all its indices are constants (#pragma unroll)\n", file);
}

static void print_cache(const char *label, const char *prefix, const Counters *counters,
                        FILE *file) {
  static const char *const names[] = {"accesses",      "hits",        "merges",
                                      "misses",        "cold_misses", "capacity_conflict_misses",
                                      "sector_misses", NULL};
  double values[7];
  char name[64], number[GROUPED_BYTES];
  for (int i = 0; names[i]; i++) {
    snprintf(name, sizeof name, "%s%s", prefix, names[i]);
    values[i] = value_of(counters, name);
  }
  if (values[0] == 0) return;
  print_label(label, file);
  fprintf(file, "%s accesses: %.1f %% hit, %.1f %% merged, %.1f %% missed",
          text_grouped(number, (uint64_t)values[0]), percent(values[1], values[0]),
          percent(values[2], values[0]), percent(values[3], values[0]));
  const char *separator = " (";
  static const char *const causes[] = {"cold", "capacity or conflict", "sector"};
  for (int i = 0; i < 3; i++) {
    if (values[4 + i] == 0) continue;
    fprintf(file, "%s%.1f %s", separator, percent(values[4 + i], values[0]), causes[i]);
    separator = ", ";
  }
  fprintf(file, "%s\n", separator[0] == ',' ? ")" : "");
}

static void print_dram(const RunResult *result, const Counters *counters, FILE *file) {
  char reads[GROUPED_BYTES], writes[GROUPED_BYTES];
  double rows = value_of(counters, "dram.row_hits") + value_of(counters, "dram.row_misses");
  print_label("DRAM", file);
  fprintf(file, "%s reads, %s writes", grouped(counters, "dram.reads", reads),
          grouped(counters, "dram.writes", writes));
  if (rows > 0)
    fprintf(file, ", %.1f %% row hits", percent(value_of(counters, "dram.row_hits"), rows));
  // bytes per cycle x million cycles per second
  double gigabytes = value_of(counters, "dram.bytes_per_cycle") * result->core_clock_mhz / 1000;
  double share = value_of(counters, "dram.peak_share");
  if (gigabytes > 0)
    fprintf(file, ", %.2f of %.1f GB/s (%.1f %%)", gigabytes, gigabytes / share, share * 100);
  fputc('\n', file);
}

static void print_network(const Counters *counters, FILE *file) {
  char requests[GROUPED_BYTES], replies[GROUPED_BYTES];
  print_label("network", file);
  fprintf(file, "%s requests of %.0f bytes, %s replies of %.0f bytes\n",
          grouped(counters, "noc.request_packets", requests),
          share_of(counters, "noc.request_bytes", "noc.request_packets") / 100,
          grouped(counters, "noc.reply_packets", replies),
          share_of(counters, "noc.reply_bytes", "noc.reply_packets") / 100);
}

// Three significant digits, without an exponent for large values.
static void print_measure(double value, const char *unit, FILE *file) {
  fprintf(file, value < 999.5 ? "%.3g%s" : "%.0f%s", value, unit);
}

static void print_energy(const RunResult *result, const Counters *counters, FILE *file) {
  static const char *const parts[][2] = {
      {"execute", "energy.execute_pj"}, {"registers", "energy.registers_pj"},
      {"L1", "energy.l1_pj"},           {"network", "energy.noc_pj"},
      {"L2", "energy.l2_pj"},           {"DRAM", "energy.dram_pj"},
      {"static", "energy.static_pj"}};
  if (!has_part(counters, "energy.")) return;  // a GPU without costs
  double total = value_of(counters, "energy.total_pj"), cycles = value_of(counters, "cycles");
  if (!(total > 0)) return;
  print_label("energy", file);
  print_measure(total * 1e-9, " mJ, ", file);
  print_measure(total * result->core_clock_mhz / cycles * 1e-6, " W:", file);  // pJ / us = uW
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    fprintf(file, "%s %s %.0f %%", i ? "," : "", parts[i][0],
            percent(value_of(counters, parts[i][1]), total));
  fputc('\n', file);
}

// ---- scheduler slots

typedef struct Reason {
  const char *label;
  double slots;
} Reason;

static int by_slots(const void *a, const void *b) {
  double x = ((const Reason *)a)->slots, y = ((const Reason *)b)->slots;
  return (x < y) - (x > y);
}

// The largest first; the remaining ones are summed.
static uint32_t collect_reasons(const Counters *counters, Reason reasons[64], double *all) {
  static const char prefix[] = "sm.", start[] = "slot_";
  uint32_t count = 0;
  for (const StatsPart *part = counters->parts; part->prefix; part++) {
    if (strcmp(part->prefix, prefix) != 0) continue;
    for (const Stat *stat = part->table; stat->name && count < 64; stat++) {
      if (strncmp(stat->name, start, sizeof start - 1) != 0) continue;
      double slots = (double)stat_count(stat, (const char *)counters->values + part->offset);
      *all += slots;
      if (slots > 0) reasons[count++] = (Reason){stat->label, slots};
    }
  }
  qsort(reasons, count, sizeof *reasons, by_slots);
  if (count <= SHOWN_REASONS) return count;
  Reason *rest = &reasons[SHOWN_REASONS - 1];
  for (uint32_t i = SHOWN_REASONS; i < count; i++) rest->slots += reasons[i].slots;
  rest->label = "other";
  return SHOWN_REASONS;
}

// Slots of schedulers that had a warp: what a change of the kernel's code could win.
static double occupied_slots(const Counters *counters) {
  double slots = 0;
  for (const StatsPart *part = counters->parts; part->prefix; part++) {
    if (strcmp(part->prefix, "sm.") != 0) continue;
    for (const Stat *stat = part->table; stat->name; stat++)
      if (stat->group && strcmp(stat->group, "empty") != 0)
        slots += (double)stat_count(stat, (const char *)counters->values + part->offset);
  }
  return slots;
}

static void print_slots(const Counters *counters, FILE *file) {
  Reason reasons[64];
  double all = 0;
  uint32_t count = collect_reasons(counters, reasons, &all);
  bool bars = text_is_terminal(file);
  int width = 0;
  for (uint32_t i = 0; i < count; i++)
    if ((int)strlen(reasons[i].label) > width) width = (int)strlen(reasons[i].label);
  int room = terminal_width(file) - width - SLOT_COLUMNS;
  int cells = terminal_width(file) && room < BAR_CELLS ? room : BAR_CELLS;
  for (uint32_t i = 0; i < count; i++) {
    double share = percent(reasons[i].slots, all);
    print_label(i ? "" : "issue slots", file);
    if (bars) {
      fprintf(file, "%5.1f %%  %-*s ", share, width, reasons[i].label);
      for (int cell = 0; cell < (int)(share * cells / 100 + 0.5); cell++) fputs("█", file);
    } else {
      fprintf(file, "%5.1f %%  %s", share, reasons[i].label);
    }
    fputc('\n', file);
  }
}

// ---- blocks

// True: some of the accesses have no line in a CUDA source.
static bool print_block(const RunResult *result, const KernelResult *kernel,
                        const Counters *counters, const ResultTables *tables, FILE *file) {
  print_cycles(result, counters, file);
  print_occupancy(result, kernel, counters, file);
  print_local(result, kernel, file);
  print_cache("L1D", "l1d.", counters, file);
  print_cache("L2", "l2.", counters, file);
  print_dram(result, counters, file);
  print_network(counters, file);
  print_energy(result, counters, file);
  print_slots(counters, file);
  bool lacks_lines = run_text_accesses(result, tables, occupied_slots(counters), file);
  run_text_tables(tables, file);
  return lacks_lines;
}

static const char *sampling_mark(const KernelResult *kernel) {
  if (!kernel->sampling) return "";
  return kernel->sampling->timed == SAMPLING_NONE   ? ", projected"
         : kernel->sampling->timed == SAMPLING_PART ? ", projected in part"
                                                    : "";
}

static bool print_kernel(const RunResult *result, const KernelResult *kernel, FILE *file) {
  char grid[SIZE_BYTES], block[SIZE_BYTES];
  bool bold = text_is_terminal(file);
  fprintf(file, "%s%s%s  grid %s, block %s, %u registers", bold ? "\033[1m" : "", kernel->title,
          bold ? "\033[0m" : "", size_text(kernel->grid, grid), size_text(kernel->block, block),
          kernel->registers);
  if (kernel->shared_bytes) fprintf(file, ", %u bytes of shared memory", kernel->shared_bytes);
  fputs(sampling_mark(kernel), file);
  fputs(kernel->is_complete ? "\n" : ", INCOMPLETE\n", file);
  Counters counters = {result->parts, kernel->stats};
  return print_block(result, kernel, &counters, &kernel->tables, file);
}

static void add_launch(TextTable *table, const RunResult *result, const KernelResult *kernel) {
  char size[SIZE_BYTES];
  Counters counters = {result->parts, kernel->stats};
  text_table_add(table, "%s%s", kernel->title, sampling_mark(kernel));
  text_table_add(table, "%s", size_text(kernel->grid, size));
  text_table_add(table, "%s", size_text(kernel->block, size));
  text_table_add_count(table, (uint64_t)value_of(&counters, "cycles"));
  text_table_add_count(table, kernel->counts.warp_instructions);
  text_table_add(table, "%.2f", value_of(&counters, "warp_ipc"));
  text_table_add(table, "%.1f %%", value_of(&counters, "achieved_occupancy") * 100);
  text_table_add(table, "%.1f %%", value_of(&counters, "l1d.hit_rate") * 100);
  text_table_add(table, "%.1f %%", value_of(&counters, "l2.hit_rate") * 100);
  text_table_add_count(table, (uint64_t)value_of(&counters, "dram.reads"));
}

static bool print_all(const RunResult *result, FILE *file) {
  uint32_t shown = result->kernel_count < SHOWN_ROWS ? result->kernel_count : SHOWN_ROWS;
  TextTable table;
  text_table_init(&table, (const char *const[]){"kernel", ">grid", ">block", ">cycles",
                                                ">warp instructions", ">IPC", ">occupancy",
                                                ">L1D hits", ">L2 hits", ">DRAM reads", NULL});
  for (uint32_t i = 0; i < shown; i++)
    if (result->kernels[i].stats) add_launch(&table, result, &result->kernels[i]);
  text_table_print(&table, file, 2);
  text_table_clear(&table);
  uint64_t timed = result->total.launches - result->untimed;
  if (timed > shown) fprintf(file, "  (the first %u launches are shown; --json has more)\n", shown);
  run_text_kernel_rows(result, shown, file);
  fprintf(file, "\nall %llu launches\n", (unsigned long long)timed);
  Counters counters = {result->parts, result->total_stats};
  return print_block(result, NULL, &counters, &result->tables, file);
}

void run_text_timing(const RunResult *result, FILE *file) {
  bool lacks_lines = false;
  if (result->kernel_count > SHOWN_BLOCKS && result->total_stats)
    lacks_lines = print_all(result, file);
  else
    for (uint32_t i = 0; i < result->kernel_count; i++) {
      if (i) fputc('\n', file);
      if (result->kernels[i].stats) lacks_lines |= print_kernel(result, &result->kernels[i], file);
    }
  if (lacks_lines)
    fputs("  (PTX lines; compile with -lineinfo for lines of the CUDA source)\n", file);
}
