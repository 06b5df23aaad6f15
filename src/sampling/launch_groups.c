// SPDX-License-Identifier: MIT
// Groups launches by kernel, configuration and predecessor, and projects from timed ones.
#include "sampling/launch_groups.h"

#include <math.h>

#include "base/memory.h"
#include "sampling/student.h"

// Fewer say nothing about how much they differ; the latest are the most alike.
enum { LEAST_SAME = 2, LEAST_SIMILAR = 5, MOST = 8 };
// Features that differ by this share can be on one line.
static const double similar_share = 0.25;
// Counts that differ by so little are equal: a footprint is an estimate, small grids have edges.
static const double slack = 16;

void launch_groups_clear(LaunchGroups *groups) {
  for (uint32_t i = 0; i < groups->count; i++) {
    memory_free(groups->launches[i].values);
    memory_free(groups->launches[i].halves);
    memory_free(groups->launches[i].each);
  }
  memory_free(groups->launches);
  *groups = (LaunchGroups){.counter_count = groups->counter_count};
}

static double work_of(const LaunchSignature *signature) {
  return signature->features[FEATURE_WARP_INSTRUCTIONS];
}

void launch_groups_add(LaunchGroups *groups, const LaunchSignature *signature,
                       const uint64_t *counters, const Estimate *part) {
  if (!(work_of(signature) > 0)) return;
  TimedLaunch launch = {.signature = *signature,
                        .values = memory_alloc(sizeof(double) * groups->counter_count),
                        .halves = memory_alloc(sizeof(double) * groups->counter_count),
                        .each = memory_alloc(sizeof(double) * groups->counter_count)};
  for (size_t c = 0; c < groups->counter_count; c++) {
    launch.values[c] = (double)counters[c];
    launch.halves[c] = part ? part->halves[c] : 0;
    launch.each[c] = part ? part->each[c] : 0;
  }
  GROW(groups->launches, groups->count, groups->capacity);
  groups->launches[groups->count++] = launch;
}

static bool is_exact(int feature) {
  return feature == FEATURE_WARP_INSTRUCTIONS || feature == FEATURE_THREAD_INSTRUCTIONS;
}

static bool has_profile(const LaunchSignature *signature) {
  return signature->features[FEATURE_FOOTPRINT] >= 0;
}

// Whether the timed one may stand for the wanted one.
static bool is_alike(const LaunchSignature *timed, const LaunchSignature *wanted, double share) {
  bool is_known = has_profile(timed);
  if (timed->key != wanted->key && !(wanted->is_large && timed->shape == wanted->shape))
    return false;
  if (!is_known && !wanted->is_large) return false;
  for (int f = 0; f < FEATURES; f++) {
    double x = timed->features[f], y = wanted->features[f];
    if (!is_known && is_exact(f) && x != y) return false;
    if (is_known && fabs(x - y) > share * fmax(x, y) + slack) return false;
  }
  return true;
}

// Timed launches like one, the latest first.
typedef struct Alike {
  const TimedLaunch *launches[MOST];
  uint32_t count;
  double work;    // of the one
  bool is_large;  // the one
} Alike;

static Alike find_alike(const LaunchGroups *groups, const LaunchSignature *signature,
                        double share) {
  Alike alike = {.work = work_of(signature), .is_large = signature->is_large};
  for (uint32_t i = groups->count; i-- > 0 && alike.count < MOST;)
    if (is_alike(&groups->launches[i].signature, signature, share))
      alike.launches[alike.count++] = &groups->launches[i];
  return alike;
}

// What is expected of one counter. common: the error of the mean or the line, which all launches
// share that are projected from it; each: of one launch around it; bias: what the timed ones may
// have in common. All as half-widths.
typedef struct Forecast {
  double value, common, each, bias;
} Forecast;

// What launches that were timed in part do not show of one counter, in the mean of all. Where waves
// are measured in each of them, their errors are independent, and part of the spread as well.
typedef struct Unseen {
  double each, bias;
} Unseen;

static Unseen unseen_of(const Alike *alike, size_t c) {
  Unseen unseen = {0};
  for (uint32_t i = 0; i < alike->count; i++) {
    const TimedLaunch *launch = alike->launches[i];
    double share = alike->work / work_of(&launch->signature) / alike->count;
    unseen.each += share * launch->each[c];
    unseen.bias += share * (launch->halves[c] - launch->each[c]);
  }
  return unseen;
}

// How much cycles of large launches vary is known before: no cache that is cold or warm makes a
// difference. It counts as so many further observations (a prior of the variance, as in the
// moderated t of Smyth, 2004); two of a kind say little by themselves, with a t of 12.7.
static const double usual_deviation = 0.0075;
enum { USUAL_DEGREES = 4 };

static double spread_half(const Alike *alike, const Spread *rates, size_t c) {
  uint32_t degrees = rates->count - 1;
  if (!alike->is_large || c) return student_95(degrees) * spread_deviation(rates);
  double usual = usual_deviation * rates->mean;
  double squares = USUAL_DEGREES * usual * usual + rates->squares;
  return student_95(USUAL_DEGREES + degrees) * sqrt(squares / (USUAL_DEGREES + degrees));
}

static Forecast by_mean(const Alike *alike, size_t c) {
  Spread rates = {0};
  Unseen unseen = unseen_of(alike, c);
  for (uint32_t i = 0; i < alike->count; i++)
    spread_add(&rates, alike->launches[i]->values[c] / work_of(&alike->launches[i]->signature));
  double each = spread_half(alike, &rates, c) * alike->work;
  double common = (each + unseen.each) / sqrt(rates.count);
  return (Forecast){rates.mean * alike->work, common, each, unseen.bias};
}

static Forecast by_line(const Alike *alike, size_t c) {
  Spread works = {0}, values = {0};
  Unseen unseen = unseen_of(alike, c);
  double products = 0, residuals = 0, count = alike->count;
  for (uint32_t i = 0; i < alike->count; i++) {
    spread_add(&works, work_of(&alike->launches[i]->signature));
    spread_add(&values, alike->launches[i]->values[c]);
  }
  for (uint32_t i = 0; i < alike->count; i++)
    products += (work_of(&alike->launches[i]->signature) - works.mean) *
                (alike->launches[i]->values[c] - values.mean);
  double slope = works.squares > 0 ? products / works.squares : 0;
  double ahead = alike->work - works.mean, value = values.mean + slope * ahead;
  residuals = fmax(values.squares - slope * products, 0);
  double each = student_95(alike->count - 2) * sqrt(residuals / (count - 2));
  double lever = works.squares > 0 ? ahead * ahead / works.squares : 0;
  double common = each * sqrt(1 / count + lever) + unseen.each / sqrt(count);
  return (Forecast){fmax(value, 0), common, each, unseen.bias};
}

// A line is not drawn out further than it was measured, in none of the features.
static bool is_between(const Alike *alike, const LaunchSignature *signature, double error) {
  for (int f = 0; f < FEATURES; f++) {
    double low = INFINITY, high = 0, wanted = signature->features[f];
    for (uint32_t i = 0; i < alike->count; i++) {
      if (!has_profile(&alike->launches[i]->signature)) continue;
      low = fmin(low, alike->launches[i]->signature.features[f]);
      high = fmax(high, alike->launches[i]->signature.features[f]);
    }
    if (wanted < low * (1 - error) - slack || wanted > high * (1 + error) + slack) return false;
  }
  return true;
}

typedef Forecast (*Model)(const Alike *alike, size_t counter);

// The first launch of a program finds cold caches: the latest that agree decide, not all there are.
// Timing more of them does not help against a bias.
static bool keep_agreeing(Alike *alike, Model model, uint32_t least, double error) {
  for (; alike->count >= least; alike->count--) {
    Forecast cycles = model(alike, 0);
    if (cycles.value > 0 && cycles.common <= error * cycles.value) return true;
  }
  return false;
}

bool launch_groups_project(const LaunchGroups *groups, const LaunchSignature *signature,
                           double error, Estimate *estimate) {
  Model model = by_mean;
  Alike alike = find_alike(groups, signature, error);
  if (!keep_agreeing(&alike, model, LEAST_SAME, error)) {
    model = by_line;
    alike = find_alike(groups, signature, similar_share);
    if (!keep_agreeing(&alike, model, LEAST_SIMILAR, error)) return false;
    if (!is_between(&alike, signature, error)) return false;
  }
  for (size_t c = 0; c < groups->counter_count; c++) {
    Forecast forecast = model(&alike, c);
    estimate->values[c] += forecast.value;
    estimate->halves[c] += forecast.common + forecast.each + forecast.bias;
    estimate->each[c] += forecast.each;
  }
  return true;
}
