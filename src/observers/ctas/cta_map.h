// SPDX-License-Identifier: MIT
// How many CTAs every SM held over time, in bins of equal length. Memory does not
// grow with a run: when there are too many bins, two become one.
#ifndef OBSERVERS_CTAS_CTA_MAP_H
#define OBSERVERS_CTAS_CTA_MAP_H

#include "base/cycle.h"
#include "base/result_table.h"

enum { CTA_MAP_BINS = 128 };

typedef struct CtaMap {
  struct SmCtas {
    uint32_t held;                // now
    Cycle since;                  // of what is not in the sums yet
    uint64_t sums[CTA_MAP_BINS];  // CTAs x cycles
  } * sms;
  uint32_t sm_count;
  Cycle bin_cycles;
} CtaMap;
extern const ResultTableType cta_map_table;

void cta_map_init(CtaMap *map, uint32_t sm_count);
void cta_map_clear(CtaMap *map);
// A CTA comes to an SM, or leaves it.
void cta_map_change(CtaMap *map, uint32_t sm, Cycle now, bool comes);
// Adds the table, up to now.
void cta_map_report(CtaMap *map, Cycle now, ResultTables *tables);

#endif
