// SPDX-License-Identifier: MIT
// Resident CTAs per SM over time, in a bounded number of bins.
#include "observers/ctas/cta_map.h"

#include "base/memory.h"

typedef struct CtaMapRow {
  uint64_t sm, start_cycle, cycles, cta_cycles;
} CtaMapRow;

static const Stat columns[] = {
    STAT_COUNT(CtaMapRow, sm, "SM number"),
    STAT_COUNT(CtaMapRow, start_cycle, "start cycle of the bin"),
    STAT_COUNT(CtaMapRow, cycles, "length of the bin; the last one may be shorter"),
    STAT_COUNT(CtaMapRow, cta_cycles, "resident CTAs, summed over these cycles"),
    STAT_RATIO(CtaMapRow, ctas, cta_cycles, cycles, "mean resident CTAs"),
    {0}};

const ResultTableType cta_map_table = {.name = "cta_map",
                                       .summary = "CTAs on each SM over time, of the whole run",
                                       .columns = columns,
                                       .row_bytes = sizeof(CtaMapRow)};

void cta_map_init(CtaMap *map, uint32_t sm_count) {
  *map = (CtaMap){.sm_count = sm_count, .bin_cycles = 1};
  map->sms = memory_alloc(sizeof *map->sms * sm_count);
}

void cta_map_clear(CtaMap *map) {
  memory_free(map->sms);
  *map = (CtaMap){0};
}

static void halve(CtaMap *map) {
  for (uint32_t s = 0; s < map->sm_count; s++) {
    uint64_t *sums = map->sms[s].sums;
    for (uint32_t b = 0; b < CTA_MAP_BINS / 2; b++) sums[b] = sums[2 * b] + sums[2 * b + 1];
    for (uint32_t b = CTA_MAP_BINS / 2; b < CTA_MAP_BINS; b++) sums[b] = 0;
  }
  map->bin_cycles *= 2;
}

static void reach(CtaMap *map, Cycle now) {
  while (now > map->bin_cycles * CTA_MAP_BINS) halve(map);
}

// Adds what an SM has held up to now.
static void settle(CtaMap *map, struct SmCtas *sm, Cycle now) {
  while (sm->held && sm->since < now) {
    uint64_t bin = sm->since / map->bin_cycles;
    Cycle end = cycle_earlier(now, (bin + 1) * map->bin_cycles);
    sm->sums[bin] += sm->held * (end - sm->since);
    sm->since = end;
  }
  sm->since = now;
}

void cta_map_change(CtaMap *map, uint32_t s, Cycle now, bool comes) {
  struct SmCtas *sm = &map->sms[s];
  reach(map, now);
  settle(map, sm, now);
  if (comes)
    sm->held++;
  else if (sm->held)
    sm->held--;
}

void cta_map_report(CtaMap *map, Cycle now, ResultTables *tables) {
  uint32_t count = 0;
  if (!map->sm_count) return;
  reach(map, now);
  uint32_t bins = (uint32_t)((now + map->bin_cycles - 1) / map->bin_cycles);
  CtaMapRow *rows = memory_alloc(sizeof *rows * (map->sm_count * bins + 1u));
  for (uint32_t s = 0; s < map->sm_count; s++) {
    settle(map, &map->sms[s], now);
    for (uint32_t b = 0; b < bins; b++) {
      Cycle start = b * map->bin_cycles;
      rows[count++] = (CtaMapRow){.sm = s,
                                  .start_cycle = start,
                                  .cycles = cycle_earlier(map->bin_cycles, now - start),
                                  .cta_cycles = map->sms[s].sums[b]};
    }
  }
  result_tables_add(tables, &cta_map_table, rows, count);
  memory_free(rows);
}
