// SPDX-License-Identifier: MIT
// Comparison of a GPU with published microbenchmarks of the real one: each quantity of
// micro_quantity.c and the values of published.tsv.
//
//   microbenchmarks FOLDER GPU [QUANTITY-PART]
//
// Where sources differ, a measurement agrees if it is within the tolerance of their range.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text_table.h"
#include "support/micro_published.h"
#include "support/micro_quantity.h"

static const double tolerance = 0.10, wide_tolerance = 0.15;

typedef struct Bench {
  const char *folder, *gpu;
  GpuConfig config;
  MicroPublished published;
  TextTable table;
  uint32_t rows, close, near;  // with published values; within the tolerances
} Bench;

// 0 inside the range, else relative to its nearer end.
static double off_range(double value, const MicroRange *range) {
  if (value < range->low) return value / range->low - 1;
  return value > range->high ? value / range->high - 1 : 0;
}

static void add_range(TextTable *table, const MicroRange *range) {
  if (!range->count)
    text_table_add(table, "-");
  else if (range->low == range->high)
    text_table_add(table, "%g", range->low);
  else
    text_table_add(table, "%g to %g", range->low, range->high);
}

static const char *verdict(Bench *bench, double off) {
  bool is_close = fabs(off) <= tolerance, is_near = fabs(off) <= wide_tolerance;
  bench->rows++;
  bench->close += is_close;
  bench->near += is_near;
  return is_close ? "yes" : is_near ? "15 %" : "no";
}

static Status measure(Bench *bench, const MicroQuantity *quantity, Error *err) {
  double value;
  TRY(quantity->measure(quantity, bench->folder, &bench->config, &value, err));
  MicroRange range = micro_published_range(&bench->published, bench->gpu, quantity->name);
  double off = off_range(value, &range);
  TextTable *table = &bench->table;
  text_table_add(table, "%s", quantity->name);
  text_table_add(table, "%s", quantity->unit);
  add_range(table, &range);
  char text[MICRO_VALUE_BYTES];
  micro_format(value, text);
  text_table_add(table, "%s", text);
  if (range.count)
    text_table_add(table, "%+.0f", off * 100);
  else
    text_table_add(table, "-");
  text_table_add(table, "%s", range.count ? verdict(bench, off) : "-");
  text_table_add(table, "%s", range.count ? range.source : "-");
  return OK;
}

static Status measure_those(Bench *bench, const MicroQuantity *quantities, const char *part,
                            Error *err) {
  for (const MicroQuantity *quantity = quantities; quantity->name; quantity++)
    if (!part || strstr(quantity->name, part)) TRY(measure(bench, quantity, err));
  return OK;
}

static bool is_published(const Bench *bench, const MicroQuantity *quantity) {
  return micro_published_range(&bench->published, bench->gpu, quantity->name).count > 0;
}

// Of tensor cores and what belongs to them, those that have been published: a GPU does not have
// all of it.
static Status measure_all(Bench *bench, const char *part, Error *err) {
  TRY(measure_those(bench, micro_quantities, part, err));
  for (const MicroQuantity *quantity = micro_tensor_quantities; quantity->name; quantity++) {
    bool is_asked = part ? strstr(quantity->name, part) != NULL : is_published(bench, quantity);
    if (is_asked) TRY(measure(bench, quantity, err));
  }
  return OK;
}

static Status run(Bench *bench, const char *part, Error *err) {
  char path[512];
  snprintf(path, sizeof path, "%s/published.tsv", bench->folder);
  TRY(gpu_config_load(&bench->config, bench->gpu, err));
  bench->gpu = bench->config.gpu.name;
  TRY(micro_published_read(&bench->published, path, err));
  TRY(measure_all(bench, part, err));
  text_table_print(&bench->table, stdout, 0);
  if (bench->rows)
    printf("\n%u of %u within 10 %% of what was published, %u within 15 %%\n", bench->close,
           bench->rows, bench->near);
  return OK;
}

int main(int argc, char **argv) {
  static const char *const columns[] = {"quantity", "unit",   ">published", ">here",
                                        ">off %",   "within", "source",     NULL};
  if (argc < 3) {
    fprintf(stderr, "usage: microbenchmarks FOLDER GPU [QUANTITY-PART]\n");
    return 2;
  }
  Error err;
  Bench *bench = calloc(1, sizeof *bench);
  if (!bench) return 3;
  bench->folder = argv[1];
  bench->gpu = argv[2];
  text_table_init(&bench->table, columns);
  Status status = run(bench, argc > 3 ? argv[3] : NULL, &err);
  if (status != OK) fprintf(stderr, "%s\n", err.text);
  micro_published_clear(&bench->published);
  text_table_clear(&bench->table);
  free(bench);
  return status == OK ? 0 : 1;
}
