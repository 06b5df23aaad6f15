// SPDX-License-Identifier: MIT
// Arithmetic with statistics: names, numbers, + - * / and parentheses; and
// A | B, the value of A or, in runs that do not have it, that of B.
//
//   1000 * l1d.misses / warp_instructions
//   dram.reads + dram.writes
//   policies.warp_scheduler.gto.greedy_rate
//   policies.throttle.sampled.cta_time | sm.cta_time
#ifndef STUDY_EXPRESSION_H
#define STUDY_EXPRESSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct Expression Expression;

Status expression_parse(Expression **expression, Arena *arena, const char *text, Error *err);

// The value of a statistic; false if it is not known.
typedef bool (*StatisticFn)(void *self, const char *name, double *value);
// false if a statistic is not known, or something is divided by 0.
bool expression_value(const Expression *expression, StatisticFn statistic, void *self,
                      double *value);

// Calls for each name in it.
void expression_names(const Expression *expression, void (*on_name)(void *self, const char *name),
                      void *self);

#endif
