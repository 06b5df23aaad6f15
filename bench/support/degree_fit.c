// SPDX-License-Identifier: MIT
// Fits the curve of the degree predictor (policies/throttle/degree_predictor.h) to profiles: DRAM
// reads of a launch with 1 to N CTAs per SM, and the counters of its sampled CTA.
#include "support/degree_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "policies/throttle/throttle.h"

// ---- reading

// The machine is what the study varies: L1D, L2 and SMs of a named GPU.
#define MACHINE                                                         \
  "printf('%s, %s SMs, L1D %s KB, L2 %s', c.settings ->> '$.gpu.name'," \
  " c.settings ->> '$.gpu.sm_count', c.settings ->> '$.l1d.size_kb',"   \
  " iif(c.settings ->> '$.l2.enabled', 'on', 'off'))"
#define FROM_RUNS " from runs r join configs c on c.id = r.config join kernels k on k.run = r.id"

static const char profile_sql[] =
    "select r.program, " MACHINE
    ", k.kernel, k.ctas, k.ctas_per_sm,"
    " c.settings ->> '$.policy.throttle', k.\"lsu.dram_reads\", k.\"l1d.accesses\","
    " k.\"sm.cta_time\", k.cycles" FROM_RUNS
    " where r.state = 'complete' and (c.settings ->> '$.policy.throttle' = 'all' or"
    " c.settings ->> '$.policy.throttle' like 'fixed:ctas=%') order by r.id, k.kernel";

static const char sample_sql[] =
    "select r.program, " MACHINE
    ", d.kernel, d.cta_cycles, d.warp_instructions, d.accesses,"
    " d.dram_reads, d.dram_atomics, d.lines, d.capacity_lines, d.warps, d.line_uses"
    " from runs r join configs c on c.id = r.config join degree_decision d on d.run = r.id"
    " where d.outcome = 'sampled' order by r.id, d.kernel";

static const char *text_at(const json_t *row, size_t i) {
  const char *text = json_string_value(json_array_get(row, i));
  return text ? text : "";
}
static double number_at(const json_t *row, size_t i) {
  return json_number_value(json_array_get(row, i));
}
static uint64_t count_at(const json_t *row, size_t i) {
  return (uint64_t)number_at(row, i);
}

// Every row begins with program, machine and kernel.
static DegreeProfile *profile_of(DegreeProfiles *profiles, const json_t *row) {
  uint32_t kernel = (uint32_t)number_at(row, 2);
  for (uint32_t i = profiles->count; i-- > 0;) {
    DegreeProfile *each = &profiles->items[i];
    if (each->kernel == kernel && strcmp(each->program, text_at(row, 0)) == 0 &&
        strcmp(each->machine, text_at(row, 1)) == 0)
      return each;
  }
  GROW(profiles->items, profiles->count, profiles->capacity);
  DegreeProfile *profile = &profiles->items[profiles->count++];
  *profile = (DegreeProfile){.kernel = kernel};
  snprintf(profile->program, sizeof profile->program, "%s", text_at(row, 0));
  snprintf(profile->machine, sizeof profile->machine, "%s", text_at(row, 1));
  return profile;
}

static void add_measured(DegreeProfiles *profiles, const json_t *row) {
  uint32_t fit = (uint32_t)number_at(row, 4), degree = fit;
  sscanf(text_at(row, 5), "fixed:ctas=%u", &degree);
  if (!degree || degree > fit || degree > DEGREE_MAX) return;
  DegreeProfile *profile = profile_of(profiles, row);
  profile->ctas = number_at(row, 3);
  profile->at[degree - 1] = (DegreeMeasured){.dram_reads = number_at(row, 6),
                                             .accesses = number_at(row, 7),
                                             .cta_cycles = number_at(row, 8),
                                             .cycles = number_at(row, 9)};
  if (degree > profile->most) profile->most = degree;
}

static void add_sample(DegreeProfiles *profiles, const json_t *row) {
  DegreeProfile *profile = profile_of(profiles, row);
  profile->is_sampled = true;
  profile->sample = (DegreeSample){.cycles = count_at(row, 3),
                                   .warp_instructions = count_at(row, 4),
                                   .accesses = count_at(row, 5),
                                   .dram_reads = count_at(row, 6),
                                   .dram_atomics = count_at(row, 7),
                                   .lines = count_at(row, 8),
                                   .capacity_lines = count_at(row, 9),
                                   .warps = count_at(row, 10),
                                   .line_uses = count_at(row, 11)};
}

static Status read_rows(DegreeProfiles *profiles, Store *store, const char *sql,
                        void (*add)(DegreeProfiles *, const json_t *), Error *err) {
  json_t *table;
  TRY(store_select(store, &table, err, sql, ""));
  const json_t *rows = json_object_get(table, "rows");
  for (size_t i = 0; i < json_array_size(rows); i++) add(profiles, json_array_get(rows, i));
  json_decref(table);
  return OK;
}

Status degree_profiles_read(DegreeProfiles *profiles, Store *store, Error *err) {
  TRY(read_rows(profiles, store, profile_sql, add_measured, err));
  if (!store_has_table(store, "degree_decision")) return OK;
  return read_rows(profiles, store, sample_sql, add_sample, err);
}

// Names of machines differ in numbers: the shorter one has the smaller.
static int by_machine(const char *a, const char *b) {
  size_t x = strlen(a), y = strlen(b);
  return x == y ? strcmp(a, b) : x < y ? -1 : 1;
}

static int by_name(const void *a, const void *b) {
  const DegreeProfile *x = a, *y = b;
  int order = strcmp(x->program, y->program);
  if (!order) order = by_machine(x->machine, y->machine);
  return order ? order : (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static bool is_whole(const DegreeProfile *profile) {
  for (uint32_t i = 0; i < profile->most; i++)
    if (profile->at[i].cycles <= 0) return false;
  return profile->most > 0;
}

Status degree_profiles_close(DegreeProfiles *profiles, Error *err) {
  uint32_t kept = 0, sampled = 0;
  for (uint32_t i = 0; i < profiles->count; i++) {
    if (!is_whole(&profiles->items[i])) continue;
    sampled += profiles->items[i].is_sampled;
    profiles->items[kept++] = profiles->items[i];
  }
  profiles->count = kept;
  if (!sampled)
    return error_set(err, ERR_SYNTAX,
                     "no launch has runs under every degree (throttle fixed:ctas=1, ... and all) "
                     "and one under `sampled`; heddle study threads makes them");
  qsort(profiles->items, kept, sizeof *profiles->items, by_name);
  return OK;
}

void degree_profiles_clear(DegreeProfiles *profiles) {
  memory_free(profiles->items);
  *profiles = (DegreeProfiles){0};
}

// ---- the model

// The model lies in the policy's state where its first number does.
Status degree_model_read(DegreeModel *model, const char *spec, Error *err) {
  const PolicyType *type;
  TRY(policy_find(&throttle_family, NULL, spec, &type, err));
  if (strcmp(type->name, "sampled"))
    return error_set(err, ERR_USAGE, "%s: has no degree predictor; only sampled has", type->name);
  void *state = memory_alloc(type->state_size);
  Status status = policy_set_params(type, spec, state, err);
  size_t first = type->state_size;
  for (const Param *param = type->params; param->name; param++)
    if (param->type == PARAM_DOUBLE && param->offset < first) first = param->offset;
  memcpy(model, (const char *)state + first, sizeof *model);
  memory_free(state);
  return status;
}

// ---- least squares

typedef struct Normal {
  double matrix[DEGREE_SEGMENTS][DEGREE_SEGMENTS], right[DEGREE_SEGMENTS];
} Normal;

static double hits_of(const DegreeMeasured *measured) {
  return measured->accesses > 0 ? 1 - measured->dram_reads / measured->accesses : 0;
}

static void add_step(Normal *normal, const DegreeModel *model, const DegreeProfile *profile,
                     uint32_t degree, double weight) {
  static const double few = 0.02;  // hits of which the logarithm says little
  double before = hits_of(&profile->at[degree - 2]), after = hits_of(&profile->at[degree - 1]);
  if (before < few || after < few) return;
  const DegreeSample *sample = &profile->sample;
  double set = (double)sample->lines / (double)sample->capacity_lines;
  double uses = log2(fmax((double)sample->line_uses / (double)sample->lines, 1));
  double widths[DEGREE_SEGMENTS];
  degree_segment_widths(model, set * (degree - 1), set * degree, widths);
  for (int i = 0; i < DEGREE_SEGMENTS; i++) {
    normal->right[i] += weight * uses * widths[i] * log(before / after);
    for (int j = 0; j < DEGREE_SEGMENTS; j++)
      normal->matrix[i][j] += weight * uses * widths[i] * uses * widths[j];
  }
}

// Of the program on the machine, all launches that were sampled.
static double accesses_of(const DegreeProfiles *profiles, const DegreeProfile *like) {
  double sum = 0;
  for (uint32_t i = 0; i < profiles->count; i++) {
    const DegreeProfile *each = &profiles->items[i];
    bool counts = each->is_sampled && strcmp(each->program, like->program) == 0 &&
                  strcmp(each->machine, like->machine) == 0;
    if (counts) sum += each->at[each->most - 1].accesses;
  }
  return sum;
}

// Gauss-Jordan over the unknowns of the mask; the matrix is symmetric and, of
// unknowns that any profile reaches, positive.
static void solve(const Normal *normal, unsigned mask, double x[DEGREE_SEGMENTS]) {
  Normal left = *normal;
  for (int i = 0; i < DEGREE_SEGMENTS; i++) {
    x[i] = 0;
    if (!(mask >> i & 1)) continue;
    for (int r = 0; r < DEGREE_SEGMENTS; r++) {
      if (r == i || !(mask >> r & 1)) continue;
      double factor = left.matrix[r][i] / left.matrix[i][i];
      for (int c = 0; c < DEGREE_SEGMENTS; c++) left.matrix[r][c] -= factor * left.matrix[i][c];
      left.right[r] -= factor * left.right[i];
    }
  }
  for (int i = 0; i < DEGREE_SEGMENTS; i++)
    if (mask >> i & 1) x[i] = left.right[i] / left.matrix[i][i];
}

// Unknowns with a negative solution are removed together, until there are none.
static void solve_from_zero(const Normal *normal, double x[DEGREE_SEGMENTS]) {
  unsigned mask = 0, before;
  for (int i = 0; i < DEGREE_SEGMENTS; i++) mask |= (unsigned)(normal->matrix[i][i] > 0) << i;
  do {
    before = mask;
    solve(normal, mask, x);
    for (int i = 0; i < DEGREE_SEGMENTS; i++)
      if (x[i] < 0) mask &= ~(1u << i);
  } while (mask != before);
}

uint32_t degree_fit(const DegreeProfiles *profiles, const char *left_out, DegreeModel *model) {
  Normal normal = {0};
  uint32_t count = 0;
  for (uint32_t i = 0; i < profiles->count; i++) {
    const DegreeProfile *profile = &profiles->items[i];
    const DegreeSample *sample = &profile->sample;
    if (left_out && strcmp(profile->program, left_out) == 0) continue;
    if (!profile->is_sampled || !sample->lines || !sample->capacity_lines) continue;
    if (profiles->fit_lines && sample->capacity_lines > profiles->fit_lines) continue;
    count++;
    double all = accesses_of(profiles, profile);
    for (uint32_t degree = 2; all > 0 && degree <= profile->most; degree++)
      add_step(&normal, model, profile, degree, profile->at[profile->most - 1].accesses / all);
  }
  solve_from_zero(&normal, model->slope);
  return count;
}

// ---- which stage is to blame

static double quotient(double a, double b) {
  return b > 0 ? a / b : 0;
}

// Stages 2 and 3 of the step to a degree, with the misses that were measured.
static double later_growth(const DegreeModel *model, const DegreeProfile *profile,
                           uint32_t degree) {
  const DegreeMeasured *now = &profile->at[degree - 1], *before = &profile->at[degree - 2];
  double capacity = (double)profile->sample.capacity_lines;
  double set = quotient((double)profile->sample.lines, capacity);
  double miss = quotient(now->dram_reads, now->accesses);
  double delta = miss - quotient(before->dram_reads, before->accesses);
  double reads = quotient(quotient(now->dram_reads, profile->ctas), capacity);
  return degree_latency_growth(model, miss, delta, set) *
         degree_pipeline_growth(model, (double)profile->sample.warps * degree, set * degree, reads);
}

uint32_t degree_of_measured_reads(const DegreeModel *model, const DegreeProfile *profile) {
  if (!profile->is_sampled || !degree_is_memory_bound(model, &profile->sample))
    return profile->most;
  uint32_t best = 1;
  double time = 1, best_time = 1;
  for (uint32_t degree = 2; degree <= profile->most; degree++) {
    double reads = quotient(profile->at[degree - 1].dram_reads, profile->at[degree - 2].dram_reads);
    time *= (reads > 0 ? reads : 1) * later_growth(model, profile, degree);
    if (degree * best_time <= best * time) continue;
    best = degree;
    best_time = time;
  }
  return best;
}

uint32_t degree_of_measured_time(const DegreeProfile *profile) {
  uint32_t best = profile->most;
  for (uint32_t degree = 1; degree <= profile->most && profile->is_sampled; degree++)
    if (degree * profile->at[best - 1].cta_cycles > best * profile->at[degree - 1].cta_cycles)
      best = degree;
  return best;
}
