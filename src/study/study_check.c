// SPDX-License-Identifier: MIT
// Checks the names and numbers of a study file that depend on the simulator: observers,
// statistics, intervals.
#include "study/study_check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/closest.h"
#include "base/cycle.h"
#include "gpu/gpu.h"
#include "observers/observers.h"
#include "policies/plugin.h"
#include "policies/registry.h"
#include "report/run_result.h"
#include "study/expression.h"
#include "study/sections.h"

// ---- statistics

typedef struct NameSearch {
  const char *name;
  Closest closest;
  bool is_found;
} NameSearch;

static void offer(NameSearch *search, const char *prefix, const Stat *stats) {
  char name[256];
  for (const Stat *stat = stats; stat && stat->name; stat++) {
    snprintf(name, sizeof name, "%s%s", prefix, stat->name);
    search->is_found |= strcmp(name, search->name) == 0;
    closest_offer(&search->closest, name);
  }
}

static void offer_family(NameSearch *search, const PolicyFamily *family, const PolicySet *plugins) {
  const PolicyType *type;
  for (size_t i = 0; (type = policy_at(family, plugins, i)); i++) {
    char prefix[128];
    snprintf(prefix, sizeof prefix, "policies.%s.%s.", family->name, type->name);
    offer(search, prefix, type->stats);
  }
}

Status statistic_check(const char *name, const PolicySet *plugins, Error *err) {
  NameSearch search = {.name = name, .closest = closest_start(name)};
  offer(&search, "", run_counts_table);
  for (const StatsPart *part = machine_stats_parts; part->prefix; part++)
    offer(&search, part->prefix, part->table);
  for (const StatsPart *part = sampling_stats_parts; part->prefix; part++)
    offer(&search, part->prefix, part->table);
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    offer_family(&search, *family, plugins);
  offer_family(&search, &observer_family, plugins);
  if (search.is_found) return OK;
  return error_set(err, ERR_SYNTAX, "unknown statistic '%.80s'%s%s%s (`heddle list stats`)", name,
                   CLOSEST_HINT(search.closest));
}

// ---- lines

static void check_name(void *self, const char *name) {
  StudyCheck *check = self;
  if (check->status == OK) check->status = statistic_check(name, &check->plugins, check->err);
}

static Status check_statistic(StudyCheck *check, const char *text, Error *err) {
  Expression *expression;
  TRY(expression_parse(&expression, &check->arena, text, err));
  check->err = err;
  check->status = OK;
  expression_names(expression, check_name, check);
  return check->status;
}

static Status check_observer(const char *spec, const PolicySet *plugins, Error *err) {
  if (!*spec || strcmp(spec, "all") == 0 || strcmp(spec, "none") == 0) return OK;
  return policy_check(&observer_family, plugins, spec, err);
}

static Status check_observers(StudyCheck *check, const char *list, Error *err) {
  while (*list) {
    const char *first = list + strspn(list, " "), *last = list + strcspn(list, ";");
    list = last + (*last == ';');
    if (first > last) first = last;
    while (last > first && last[-1] == ' ') last--;
    const char *spec = arena_strndup(&check->arena, first, (size_t)(last - first));
    if (check_observer(spec, &check->plugins, err) != OK)
      return error_prefix(err, "observe = %.80s", spec);
  }
  return OK;
}

static Status check_interval(const char *text, Error *err) {
  errno = 0;
  unsigned long long cycles = strtoull(text, NULL, 10);
  if (errno == 0 && cycles > 0 && cycles < NEVER / 2) return OK;
  return error_set(err, ERR_SYNTAX, "interval = %.40s: must be a number of cycles from 1 to %llu",
                   text, (unsigned long long)NEVER / 2 - 1);
}

static Status check_paper(const char *text, Error *err) {
  if (isfinite(strtod(text, NULL))) return OK;
  return error_set(err, ERR_SYNTAX, "%.40s: must be a finite number", text);
}

Status study_check_line(void *self, const SectionLine *line, Error *err) {
  StudyCheck *check = self;
  bool is_study = strcmp(line->kind, "study") == 0;
  if ((is_study || strcmp(line->kind, "variant") == 0) && strcmp(line->key, "observe") == 0)
    return check_observers(check, line->value, err);
  if (is_study && strcmp(line->key, "interval") == 0) return check_interval(line->value, err);
  if (strcmp(line->kind, "figure") == 0 && strcmp(line->key, "statistic") == 0)
    return check_statistic(check, line->value, err);
  if (strcmp(line->kind, "paper") == 0 && strcmp(line->key, "source") != 0)
    return check_paper(line->value, err);
  return OK;
}

void study_check_clear(StudyCheck *check) {
  policy_set_clear(&check->plugins);
  arena_clear(&check->arena);
}
