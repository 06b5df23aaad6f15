// SPDX-License-Identifier: MIT
// Time and memory along runs of 1e8 warp instructions. Prints a table and ends
// with 1 when a bar is missed. Takes some minutes.
//
//   growth REFERENCE-FOLDER [LAST]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/text_table.h"
#include "support/growth.h"

static const double time_bar = 1.2;    // the slowest decade over the fastest
static const double memory_bar = 1.0;  // MB that a run may grow by

static int missed(const char *name, const char *what, double is, double bar) {
  printf("missed: %s: %s grows by %.3f, the bar is %.3f\n", name, what, is, bar);
  return 1;
}

static Status measure_kind(const GrowthKind *kind, const char *reference, double last,
                           TextTable *table, int *misses, Error *err) {
  GrowthDecade decades[GROWTH_DECADES];
  uint32_t count;
  double fastest = INFINITY, slowest = 0;
  TRY(growth_measure(kind, reference, (uint64_t)last, decades, &count, err));
  for (uint32_t d = 0; d < count; d++) {
    double each = decades[d].seconds_an_instruction;
    text_table_add(table, "%s", kind->name);
    text_table_add_count(table, decades[d].last);
    text_table_add(table, "%.1f", each * 1e9);
    text_table_add(table, "%.1f", decades[d].resident_mb);
    fastest = fmin(fastest, each);
    slowest = fmax(slowest, each);
  }
  double growth_mb = decades[count - 1].resident_mb - decades[0].resident_mb;
  if (slowest > fastest * time_bar)
    *misses += missed(kind->name, "time, a factor,", slowest / fastest, time_bar);
  if (growth_mb > memory_bar) *misses += missed(kind->name, "memory in MB", growth_mb, memory_bar);
  return OK;
}

int main(int argc, char **argv) {
  static const char *const columns[] = {"kernel", ">up to warp instruction", ">ns each", ">MB",
                                        NULL};
  if (argc < 2) {
    fprintf(stderr, "usage: growth REFERENCE-FOLDER [LAST]\n");
    return 2;
  }
  Error err;
  Status status = OK;
  int misses = 0;
  TextTable table = {0};
  text_table_init(&table, columns);
  for (int k = 0; status == OK && k < GROWTH_KINDS; k++)
    status = measure_kind(&growth_kinds[k], argv[1], argc > 2 ? atof(argv[2]) : 1e8, &table,
                          &misses, &err);
  if (status != OK) fprintf(stderr, "%s\n", err.text);
  text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  return status != OK || misses ? 1 : 0;
}
