// SPDX-License-Identifier: MIT
// Time and memory of the reuse analysis (src/reuse) along a stream of 1e8 references: memory grows
// with lines and with the warps that reference them, not with references. Prints one row per decade
// and exits with 1 if memory grows in the last. Takes two minutes.
//
//   reuse [REFERENCES] [LINES]
//
// A parent with 64 CTAs launches a child from each; 1024 warps in all. Three references of four go
// to 16 lines of the warp's own, the others to lines that all have in common.
#include <stdio.h>
#include <stdlib.h>

#include "base/text/text_table.h"
#include "report/run_result.h"
#include "observers/reuse/reuse_ratio.h"
#include "support/process.h"

enum { CHILDREN = 64, CTAS = 4, WARPS = 4, OWN_LINES = 16, LIMIT = 1 << 23, WORK = 1 << 28 };

static const double memory_bar = 1.0;  // MB that it may grow by in the last decade

static uint64_t next_random(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *seed >> 20;
}

static void launch(ReuseRecord *record) {
  reuse_record_kernel(record, 0, REUSE_NONE, 0, CHILDREN, WARPS);
  for (uint32_t child = 1; child < CHILDREN; child++)
    reuse_record_kernel(record, child, 0, child / 2, CTAS, WARPS);
}

static void refer(ReuseRecord *record, uint64_t lines, uint64_t *seed) {
  uint64_t random = next_random(seed);
  uint32_t kernel = (uint32_t)(random % CHILDREN), cta = (uint32_t)(random >> 6) % CTAS;
  uint32_t warp = (uint32_t)(random >> 8) % WARPS, unit = (kernel * CTAS + cta) * WARPS + warp;
  uint64_t common = lines - CHILDREN * CTAS * WARPS * OWN_LINES;
  bool is_own = (random >> 10) % 4 != 0;
  uint64_t line =
      is_own ? common + unit * OWN_LINES + (random >> 12) % OWN_LINES : (random >> 12) % common;
  reuse_record_reference(record, kernel, cta, warp, line);
}

static void add_row(TextTable *table, const ReuseRecord *record, double seconds, double megabytes) {
  text_table_add_count(table, record->references);
  text_table_add_count(table, record->last.count);
  text_table_add_count(table, record->counts.count);
  text_table_add(table, "%.0f", seconds * 1e9);
  text_table_add(table, "%.1f", megabytes);
}

int main(int argc, char **argv) {
  static const char *const columns[] = {">references", ">lines", ">lines by warp",
                                        ">ns each",    ">MB",    NULL};
  uint64_t last = argc > 1 ? (uint64_t)atof(argv[1]) : 100000000, seed = 1, from = 0;
  uint64_t lines = argc > 2 ? (uint64_t)atof(argv[2]) : 16640;
  if (lines <= CHILDREN * CTAS * WARPS * OWN_LINES) {
    fprintf(stderr, "usage: reuse [REFERENCES] [LINES], more than 16384 lines\n");
    return 2;
  }
  ReuseRecord record = {.limit = LIMIT};
  ReuseRatios ratios;
  TextTable table;
  double before_mb = 0, now_mb = 0;
  text_table_init(&table, columns);
  launch(&record);
  for (uint64_t to = last / 100; to <= last; to *= 10) {
    Seconds start = seconds_now();
    for (uint64_t i = from; i < to; i++) refer(&record, lines, &seed);
    before_mb = now_mb;
    now_mb = process_resident_mb();
    add_row(&table, &record, seconds_since(start).cpu / (double)(to - from), now_mb);
    from = to;
  }
  Seconds start = seconds_now();
  reuse_ratios(&ratios, &record, WORK, NULL);
  text_table_print(&table, stdout, 0);
  printf("shares, ratios and chains at the end: %.2f s\n", seconds_since(start).cpu);
  text_table_clear(&table);
  reuse_record_clear(&record);
  if (now_mb <= before_mb + memory_bar) return 0;
  printf("missed: memory grows by %.1f MB, the bar is %.1f MB\n", now_mb - before_mb, memory_bar);
  return 1;
}
