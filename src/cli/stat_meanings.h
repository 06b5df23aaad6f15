// SPDX-License-Identifier: MIT
// Definitions of all statistics, for readers of results without heddle.
#ifndef CLI_STAT_MEANINGS_H
#define CLI_STAT_MEANINGS_H

#include <jansson.h>

// {"l1d.hits": {"meaning": "...", "ratio": false}, "accesses.misses": ...}: counters
// by their names, columns of tables by table.column. What is a part of a whole,
// such as sm.slot_memory, has a "label" and a "group" (base/stats.h), too.
json_t *stat_meanings(void);

#endif
