// SPDX-License-Identifier: MIT
// Configurations of a study: GPU, scheme and settings of each run, resolved and checked before
// anything is built or run.
#include "study/study_config.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/closest.h"
#include "base/memory.h"
#include "base/text/text_list.h"
#include "gpu/gpu.h"
#include "gpu/config/scheme.h"
#include "policies/registry.h"
#include "run/run_identity.h"
#include "run/run_machine.h"
#include "study/expression.h"

typedef struct Maker {
  const Study *study;
  const PolicySet *plugins;
  Arena *arena;
  bool matters[MAX_DIMENSIONS];  // some configuration has the swept parameter
} Maker;

// State while one configuration is assembled.
typedef struct Making {
  Maker *maker;
  GpuConfig config;
  GpuConfig base;  // of the previous GPU and scheme: consecutive configurations share them
  const StudyItem *base_gpu, *base_scheme;
  RunList sets;
} Making;

size_t study_config_position(const Study *study, const uint32_t at[MAX_DIMENSIONS]) {
  uint32_t first[MAX_DIMENSIONS];
  memcpy(first, at, sizeof first);
  first[BY_WORKLOAD] = 0;
  return study_position(study, first);
}

// ---- settings

static Status assign(Making *making, const char *assignment, Error *err) {
  TRY(gpu_config_assign(&making->config, assignment, err));
  run_list_add(&making->sets, assignment, making->maker->arena);
  return OK;
}

static Status assign_list(Making *making, const char *list, Error *err) {
  const char *assignment;
  while ((assignment = text_list_next(&list, ';', making->maker->arena)))
    TRY(assign(making, assignment, err));
  return OK;
}

// ---- family.parameter: a parameter of the selected policy

// The selected policy of a family, and its section.key; NULL if there is no such family.
static const char *choice_of(const GpuConfig *config, const char *family, const char **key) {
#define X(each, field)              \
  if (strcmp(family, #each) == 0) { \
    *key = #field;                  \
    return config->field;           \
  }
  SCHEME_FAMILY_LIST(X)
#undef X
  return NULL;
}

static const PolicyFamily *find_family(const char *name) {
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    if (strcmp((*family)->name, name) == 0) return *family;
  return NULL;
}

static bool has_param(const PolicyType *type, const char *name) {
  for (const Param *param = type->params; param && param->name; param++)
    if (strcmp(param->name, name) == 0) return true;
  return false;
}

// Replaces the value of one parameter in "two_level:active_warps=8,x=1".
static const char *with_param(Arena *arena, const char *spec, const char *name, const char *value) {
  const char *list = strchr(spec, ':'), *part;
  const char *made = arena_strndup(arena, spec, strcspn(spec, ":"));
  char sign = ':';
  if (list) list++;
  // Parts without ':' are split at every comma, as intended here.
  while ((part = text_list_next(&list, ',', arena))) {
    size_t length = strcspn(part, "=");
    if (strncmp(part, name, length) == 0 && !name[length]) continue;
    made = arena_printf(arena, "%s%c%s", made, sign, part);
    sign = ',';
  }
  return arena_printf(arena, "%s%c%s=%s", made, sign, name, value);
}

// A policy without the parameter is left unchanged and serves as a reference. There
// may be several shared parts, separated by semicolons.
static Status assign_policy(Making *making, const char *specs, const char *key, const char *family,
                            const char *name, const char *value, bool *matters, Error *err) {
  Maker *maker = making->maker;
  const PolicyFamily *found = find_family(family);
  const PolicyType *type;
  const char *spec, *changed = NULL;
  bool has_changed = false;
  while ((spec = text_list_next(&specs, ';', maker->arena))) {
    TRY(policy_find(found, maker->plugins, spec, &type, err));
    if (has_param(type, name)) {
      spec = with_param(maker->arena, spec, name, value);
      TRY(policy_check(found, maker->plugins, spec, err));
      has_changed = *matters = true;
    }
    changed =
        arena_printf(maker->arena, "%s%s%s", changed ? changed : "", changed ? "; " : "", spec);
  }
  if (!has_changed) return OK;
  return assign(making, arena_printf(maker->arena, "%s=%s", key, changed), err);
}

// Reports a name that is neither a section nor a family, with the closest of both.
static Status check_section(Making *making, const char *name, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  gpu_config_sections(&making->config, sections);
  if (param_check_section(sections, name, err) == OK) return OK;
  Closest closest = closest_start(name);
  for (const ParamSection *section = sections; section->name; section++)
    closest_offer(&closest, section->name);
#define X(each, field) closest_offer(&closest, #each);
  SCHEME_FAMILY_LIST(X)
#undef X
  return error_set(err, ERR_CONFIG,
                   "'%.80s' is neither a parameter section (`heddle list params`) nor a policy "
                   "family (`heddle list policies`)%s%s%s",
                   name, CLOSEST_HINT(closest));
}

static Status assign_swept(Making *making, uint32_t dimension, const char *list, Error *err) {
  Maker *maker = making->maker;
  const char *assignment;
  while ((assignment = text_list_next(&list, ';', maker->arena))) {
    const char *dot = strchr(assignment, '.'), *equals = strchr(assignment, '='), *key;
    if (!dot || !equals || equals < dot) return assign(making, assignment, err);
    const char *family = arena_strndup(maker->arena, assignment, (size_t)(dot - assignment));
    const char *name = arena_strndup(maker->arena, dot + 1, (size_t)(equals - dot - 1));
    const char *spec = choice_of(&making->config, family, &key);
    if (spec)
      TRY(assign_policy(making, spec, key, family, name, equals + 1, &maker->matters[dimension],
                        err));
    if (spec) continue;
    maker->matters[dimension] = true;
    TRY(check_section(making, family, err));
    TRY(assign(making, assignment, err));
  }
  return OK;
}

static Status check_policy_sweeps(const Maker *maker, Error *err) {
  for (uint32_t i = BY_SWEEP; i < maker->study->dimension_count; i++) {
    const char *name = maker->study->dimensions[i].name, *dot = strchr(name, '.');
    const PolicyType *type;
    if (maker->matters[i] || (int)i == study_variants(maker->study)) continue;
    Closest closest = closest_start(dot + 1);
    const PolicyFamily *family =
        find_family(arena_strndup(maker->arena, name, (size_t)(dot - name)));
    for (size_t t = 0; (type = policy_at(family, maker->plugins, t)); t++)
      for (const Param *param = type->params; param && param->name; param++)
        closest_offer(&closest, param->name);
    return error_set(err, ERR_CONFIG,
                     "sweep %s: no %s of these schemes has a parameter '%s'%s%s%s (`heddle list "
                     "policies`)",
                     name, family->name, dot + 1, CLOSEST_HINT(closest));
  }
  return OK;
}

// ---- energy

static void find_energy(void *self, const char *name) {
  const char **found = self;
  if (strncmp(name, "energy.", strlen("energy.")) == 0) *found = name;
}

// An energy figure requires costs for each of its GPUs; without this check it would
// turn out empty after all runs.
static Status check_energy(const Maker *maker, const StudyItem *gpu, const EnergyConfig *energy,
                           Error *err) {
  const Study *study = maker->study;
  for (uint32_t i = 0; i < study->figure_count && !energy->enabled; i++) {
    const FigureSpec *figure = &study->figures[i];
    const char *only = figure->only[BY_GPU], *name = NULL;
    Expression *expression;
    if (only && strcmp(only, gpu->name) != 0) continue;
    TRY(expression_parse(&expression, maker->arena, figure->statistic, err));
    expression_names(expression, find_energy, &name);
    if (name)
      return error_set(err, ERR_CONFIG,
                       "[figure %s] requires %s, but %s has no energy costs (%s); set them in its "
                       "[energy] section (docs/energy.md)",
                       figure->id, name, gpu->name, energy->source);
  }
  return OK;
}

// ---- one configuration

// In the order of heddle run: later settings override earlier ones.
static Status resolve(Making *making, const uint32_t at[MAX_DIMENSIONS], Error *err) {
  const Study *study = making->maker->study;
  const StudyItem *gpu = &study->dimensions[BY_GPU].items[at[BY_GPU]];
  const StudyItem *scheme = &study->dimensions[BY_SCHEME].items[at[BY_SCHEME]];
  if (making->base_gpu != gpu || making->base_scheme != scheme)
    TRY(scheme_config(&making->base, gpu->is, scheme->is, making->maker->plugins, err));
  making->base_gpu = gpu;
  making->base_scheme = scheme;
  making->config = making->base;
  TRY(run_limits_assign(&making->config, &study->run, making->maker->arena, err));
  for (uint32_t i = 0; i < study->run.set.count; i++)
    TRY(assign(making, study->run.set.items[i], err));
  for (uint32_t i = 0; i < study->run.ideal.count; i++)
    TRY(ideal_assign(&making->config, study->run.ideal.items[i], err));
  TRY(assign_list(making, gpu->set, err));
  TRY(assign_list(making, scheme->set, err));
  for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++)
    TRY(assign_swept(making, i, study->dimensions[i].items[at[i]].set, err));
  return check_energy(making->maker, gpu, &making->config.energy, err);
}

// Whether a machine is built as a check: at most one sweep differs from its first
// value, and then only with the first scheme.
static bool is_tried(const Study *study, const uint32_t at[MAX_DIMENSIONS]) {
  uint32_t changed = at[BY_SCHEME] != 0;
  for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++) changed += at[i] != 0;
  return changed <= 1;
}

static Status try_machine(const Making *making, Error *err) {
  Gpu *gpu;
  GpuOptions options = {.policies = making->maker->plugins};
  TRY(gpu_create(&gpu, &making->config, &options, err));
  gpu_destroy(gpu);
  return OK;
}

static Status make_one(Making *making, const uint32_t at[MAX_DIMENSIONS], StudyConfig *made,
                       Error *err) {
  Maker *maker = making->maker;
  making->sets = (RunList){0};
  TRY(resolve(making, at, err));
  if (is_tried(maker->study, at)) TRY(try_machine(making, err));
  made->sets = making->sets;
  made->digest = run_digest_add_config(digest_start(), &making->config);
  return OK;
}

// "gtx480 with lrr, l1d.size_kb=17".
static Status say_where(const Maker *maker, const uint32_t at[MAX_DIMENSIONS], Error *err) {
  const StudyDimension *dimensions = maker->study->dimensions;
  const char *where =
      arena_printf(maker->arena, "%s with %s", dimensions[BY_GPU].items[at[BY_GPU]].name,
                   dimensions[BY_SCHEME].items[at[BY_SCHEME]].name);
  for (uint32_t i = BY_SWEEP; i < maker->study->dimension_count; i++)
    where = arena_printf(maker->arena, "%s, %s=%s", where, dimensions[i].name,
                         dimensions[i].items[at[i]].name);
  return error_prefix(err, "%s", where);
}

Status study_configs_make(const Study *study, const PolicySet *plugins, Arena *arena,
                          StudyConfig **configs, Error *err) {
  Maker maker = {.study = study, .plugins = plugins, .arena = arena};
  Making *making = memory_alloc(sizeof *making);
  size_t count = study_run_count(study) / study->dimensions[BY_WORKLOAD].count;
  Status status = OK;
  *configs = ARENA_ARRAY(arena, StudyConfig, count);
  making->maker = &maker;
  for (size_t i = 0; i < count && status == OK; i++) {
    uint32_t at[MAX_DIMENSIONS];
    study_combination(study, i, at);
    status = make_one(making, at, &(*configs)[i], err);
    if (status != OK) say_where(&maker, at, err);
  }
  memory_free(making);
  return status == OK ? check_policy_sweeps(&maker, err) : status;
}
