// SPDX-License-Identifier: MIT
// Definitions of all statistics, for tools that read results without heddle.
#ifndef STUDY_REPORT_STAT_MEANINGS_H
#define STUDY_REPORT_STAT_MEANINGS_H

#include <jansson.h>

// {"l1d.hits": {"meaning": "...", "ratio": false}, "accesses.misses": ...}: counters
// by name, columns of tables by table.column. Counters that are part of a
// breakdown, such as sm.slot_memory, also have a "label" and a "group" (base/stats.h).
json_t *stat_meanings(void);

#endif
