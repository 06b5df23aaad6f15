// SPDX-License-Identifier: MIT
// The table for people.
#include <string.h>

#include "base/text/text_table.h"
#include "report/run_sampling.h"
#include "report/run_text.h"

enum { SHOWN_LAUNCHES = 32 };

const char *size_text(const uint32_t size[3], char out[SIZE_BYTES]) {
  if (size[2] > 1)
    snprintf(out, SIZE_BYTES, "%ux%ux%u", size[0], size[1], size[2]);
  else if (size[1] > 1)
    snprintf(out, SIZE_BYTES, "%ux%u", size[0], size[1]);
  else
    snprintf(out, SIZE_BYTES, "%u", size[0]);
  return out;
}

static void add_speed(TextTable *table, const RunCounts *counts, const Seconds *seconds) {
  text_table_add_count(table, counts->warp_instructions);
  text_table_add_count(table, counts->thread_instructions);
  text_table_add(table, "%.3f s", seconds->wall);
  if (seconds->cpu > 1e-6)
    text_table_add(table, "%.1f M/s", (double)counts->warp_instructions / seconds->cpu * 1e-6);
  else
    text_table_add(table, "-");
}

static void print_launches(const RunResult *result, FILE *file) {
  TextTable table;
  uint32_t shown = result->kernel_count < SHOWN_LAUNCHES ? result->kernel_count : SHOWN_LAUNCHES;
  text_table_init(&table, (const char *const[]){"kernel", ">grid", ">block", ">registers",
                                                ">warp instructions", ">thread instructions",
                                                ">time", ">warp instructions/CPU s", NULL});
  for (uint32_t i = 0; i < shown; i++) {
    const KernelResult *kernel = &result->kernels[i];
    char size[SIZE_BYTES];
    text_table_add(&table, "%s", kernel->title);
    text_table_add(&table, "%s", size_text(kernel->grid, size));
    text_table_add(&table, "%s", size_text(kernel->block, size));
    text_table_add(&table, "%u", kernel->registers);
    add_speed(&table, &kernel->counts, &kernel->seconds);
  }
  if (result->total.launches > 1) {
    text_table_add(&table, "all %llu launches", (unsigned long long)result->total.launches);
    for (int i = 0; i < 3; i++) text_table_add(&table, "%s", "");
    add_speed(&table, &result->total, &result->kernel_seconds);
  }
  text_table_print(&table, file, 2);
  if (result->total.launches > shown)
    fprintf(file, "  (the first %u launches are shown; --json has more)\n", shown);
  text_table_clear(&table);
}

// Lines of the detail are indented below.
static void print_warnings(const RunResult *result, FILE *file) {
  if (result->warning_count) fputc('\n', file);
  for (uint32_t i = 0; i < result->warning_count; i++) {
    const RunWarning *warning = &result->warnings[i];
    fprintf(file, "  warning: %llu %s\n", (unsigned long long)warning->count,
            run_warning_text(warning));
    for (const char *line = warning->detail; line; line = strchr(line, '\n')) {
      line += *line == '\n';
      fprintf(file, "    %.*s\n", (int)strcspn(line, "\n"), line);
    }
  }
}

void run_result_print(const RunResult *result, FILE *file) {
  const char *slash = strrchr(result->input, '/');
  fprintf(file, "%s on %s (%u SMs), %s%s%s%s\n\n", slash ? slash + 1 : result->input, result->gpu,
          result->sm_count, result->mode, result->scheme ? ", scheme " : "",
          result->scheme ? result->scheme : "", result->status == OK ? "" : ", INCOMPLETE");
  if (result->parts)
    run_text_timing(result, file);
  else if (result->kernel_count)
    print_launches(result, file);
  if (result->untimed)
    fprintf(file, "\n  %llu of %llu launches ran without timing\n",
            (unsigned long long)result->untimed, (unsigned long long)result->total.launches);
  run_sampling_print(result, file);
  if (result->sum_count) fputc('\n', file);
  for (uint32_t i = 0; i < result->sum_count; i++)
    fprintf(file, "  sum %s = %.9g\n", result->sums[i].name, result->sums[i].value);
  print_warnings(result, file);
  run_text_races(result, file);
  fprintf(file, "\n  %.3f s elapsed, %.3f s of CPU time", result->seconds.wall,
          result->seconds.cpu);
  if (result->parts && result->seconds.cpu > 1e-6)
    fprintf(file, ", %.2f M warp instructions per CPU second",
            (double)result->total.warp_instructions / result->seconds.cpu * 1e-6);
  fputc('\n', file);
}
