// SPDX-License-Identifier: MIT
// Time and memory over the length of a run: from 1e5 to 1e8 warp instructions.
// Prints a table and ends with 1 when a bar is missed. Takes some minutes.
//
//   growth HEDDLE REFERENCE-FOLDER [LAST]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text_table.h"
#include "support/growth.h"

static const double time_bar = 1.2;  // the slowest instruction over the fastest
static const double memory_bar = 1.05;
enum { FIRST = 100000 };

static int missed(const char *name, const char *what, double is, double bar) {
  printf("missed: %s: %s grows by a factor of %.3f, the bar is %.3f\n", name, what, is, bar);
  return 1;
}

static Status measure_kind(const GrowthKind *kind, char **argv, double last, TextTable *table,
                           int *misses, Error *err) {
  double fastest = INFINITY, slowest = 0, least = INFINITY, most = 0;
  for (double count = FIRST; count <= last * 1.001; count *= 10) {
    GrowthPoint point;
    TRY(growth_measure(kind, argv[1], argv[2], (uint64_t)count, &point, err));
    text_table_add(table, "%s", kind->name);
    text_table_add_count(table, point.warp_instructions);
    text_table_add(table, "%.1f", point.seconds_an_instruction * 1e9);
    text_table_add(table, "%.1f", point.peak_mb);
    fastest = fmin(fastest, point.seconds_an_instruction);
    slowest = fmax(slowest, point.seconds_an_instruction);
    least = fmin(least, point.peak_mb);
    most = fmax(most, point.peak_mb);
  }
  if (slowest > fastest * time_bar)
    *misses += missed(kind->name, "time", slowest / fastest, time_bar);
  if (most > least * memory_bar) *misses += missed(kind->name, "memory", most / least, memory_bar);
  return OK;
}

int main(int argc, char **argv) {
  static const char *const columns[] = {"kernel", ">warp instructions", ">ns each", ">MB", NULL};
  if (argc < 3) {
    fprintf(stderr, "usage: growth HEDDLE REFERENCE-FOLDER [LAST]\n");
    return 2;
  }
  Error err;
  Status status = OK;
  int misses = 0;
  TextTable table = {0};
  text_table_init(&table, columns);
  for (int k = 0; status == OK && k < GROWTH_KINDS; k++)
    status =
        measure_kind(&growth_kinds[k], argv, argc > 3 ? atof(argv[3]) : 1e8, &table, &misses, &err);
  if (status != OK) fprintf(stderr, "%s\n", err.text);
  text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  return status != OK || misses ? 1 : 0;
}
