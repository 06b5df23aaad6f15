// SPDX-License-Identifier: MIT
// Measures periods of a kernel's waves, and leaves whole waves out when they are steady.
#include "sampling/period_sampler.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

// Rows that are kept; with more, every other one goes and the next ones are twice as far apart.
enum { LOOKS = 512, FIRST_EVERY = 256 };
// A wave on few SMs is no measure. Of three waves one can be left out.
enum { LEAST_CTAS = 64, LEAST_WAVES = 3 };
// CTAs that are so far ahead of their wave that they are replaced early: one in LEADERS at most.
enum { LEADERS = 8 };
// Periods are measured from the points of half a wave on, and at least so many looks.
static const double points_waves = 0.5;
enum { LEAST_PERIODS = 8 };
// A period in which the contents of the L2 change only once or twice, or hardly, is no steady
// state: waves that differ in what they find there drift for several waves.
static const double most_start_up = 1.0 / 3;
// Waves that are left out for each one that has been timed: that a kernel is as it was for two
// waves says little about its twentieth.
static const double most_waves = 1.5;
// A wave with more or less work than the timed ones by this share is another phase.
static const double phase_share = 0.1;
// Of the error: how much waves may differ from those timed without a sign of it before (95 %).
// Their CTAs drift apart with time, and share more or less in caches: periods of kmeans on 10 SMs
// wander by 3 % (standard deviation) over five waves, and begin at the upper end.
static const double drift_share = 2;

bool period_sampler_fits(uint64_t cta_count, uint64_t wave_ctas) {
  return wave_ctas >= LEAST_CTAS && cta_count >= LEAST_WAVES * wave_ctas;
}

static uint64_t *row(const PeriodSampler *sampler, uint32_t look) {
  return &sampler->looks[look * sampler->counters.count];
}

static void add_row(PeriodSampler *sampler, const uint64_t *counters) {
  memcpy(row(sampler, sampler->count++), counters, sizeof(uint64_t) * sampler->counters.count);
}

void period_sampler_begin(PeriodSampler *sampler, const PeriodSampler *wanted,
                          const uint64_t *now) {
  *sampler = *wanted;
  sampler->every = FIRST_EVERY;
  sampler->looks = memory_alloc(sizeof(uint64_t) * sampler->counters.count * LOOKS);
  sampler->next = now[0] + sampler->every;
  add_row(sampler, now);
}

void period_sampler_clear(PeriodSampler *sampler) {
  memory_free(sampler->looks);
  *sampler = (PeriodSampler){0};
}

static void thin(PeriodSampler *sampler) {
  for (uint32_t i = 0; i < sampler->count; i += 2)
    memmove(row(sampler, i / 2), row(sampler, i), sizeof(uint64_t) * sampler->counters.count);
  sampler->count = (sampler->count + 1) / 2;
  sampler->every *= 2;
}

// ---- periods

// Since the kernel began.
static double count_at(const PeriodSampler *sampler, uint32_t look, size_t counter) {
  return (double)(row(sampler, look)[counter] - row(sampler, 0)[counter]);
}

static double work_at(const PeriodSampler *sampler, uint32_t look) {
  return count_at(sampler, look, sampler->counters.work);
}

static double wave_work(const PeriodSampler *sampler) {
  return (double)sampler->before[sampler->cta_count] / (double)sampler->cta_count *
         (double)sampler->wave_ctas;
}

// Points from which periods are measured, up to `last` look: those of the latest half wave.
typedef struct Points {
  uint32_t first, end;  // looks
  uint32_t last;
} Points;

static Points points_until(const PeriodSampler *sampler, uint32_t last) {
  double wave = wave_work(sampler), until = work_at(sampler, last) - wave;
  Points points = {.last = last};
  double from = fmax(until - points_waves * wave, sampler->start_up);
  while (points.first <= last && work_at(sampler, points.first) < from) points.first++;
  for (points.end = points.first; points.end <= last; points.end++)
    if (work_at(sampler, points.end) > until) break;
  return points;
}

// What a counter counts from a look on until a wave's work has been executed.
static double period(const PeriodSampler *sampler, uint32_t from, uint32_t last, size_t counter) {
  double until = work_at(sampler, from) + wave_work(sampler);
  uint32_t low = from, high = last;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    *(work_at(sampler, middle) <= until ? &low : &high) = middle;
  }
  double a = work_at(sampler, low), b = work_at(sampler, high);
  double share = b > a ? (until - a) / (b - a) : 0;
  double x = count_at(sampler, low, counter), y = count_at(sampler, high, counter);
  return x + share * (y - x) - count_at(sampler, from, counter);
}

typedef struct Range {
  double low, high, sum;
  uint32_t count;
} Range;

static void range_add(Range *range, double value) {
  range->low = range->count ? fmin(range->low, value) : value;
  range->high = range->count ? fmax(range->high, value) : value;
  range->sum += value;
  range->count++;
}

static Range range_of(const PeriodSampler *sampler, const Points *points, size_t counter) {
  Range range = {0};
  for (uint32_t i = points->first; i < points->end; i++)
    range_add(&range, period(sampler, i, points->last, counter));
  return range;
}

static Range range_of_ratio(const PeriodSampler *sampler, const Points *points,
                            const WaveRatio *ratio) {
  Range range = {0};
  for (uint32_t i = points->first; i < points->end; i++) {
    double whole = period(sampler, i, points->last, ratio->whole);
    double part = period(sampler, i, points->last, ratio->part);
    range_add(&range, whole > 0 ? part / whole : 0);
  }
  return range;
}

// ---- what is left out

// CTAs that store at their end do so a wave after the first ones have begun, and the L2 writes back
// later still: until then periods are too short, and agree. What is stored does not matter if the
// L2 holds all, or if it is less than the error; else the L2 writes back at least half of it.
static bool is_written_back(const PeriodSampler *sampler, const Points *points) {
  const PeriodCounters *at = &sampler->counters;
  double accesses = period(sampler, points->first, points->last, at->accesses);
  double writes = period(sampler, points->first, points->last, at->writes);
  double backs = period(sampler, points->first, points->last, at->write_backs);
  return !(sampler->start_up > 0) || writes <= sampler->error * accesses ||
         at->write_back_size * backs >= writes / 2;
}

static bool is_steady(const PeriodSampler *sampler) {
  Points points = points_until(sampler, sampler->count - 1);
  double wave = wave_work(sampler);
  if (sampler->start_up > most_start_up * wave) return false;
  double least = sampler->start_up + (1 + points_waves) * wave;
  if (work_at(sampler, sampler->count - 1) < least) return false;
  if (points.end < points.first + LEAST_PERIODS || !is_written_back(sampler, &points)) return false;
  Range cycles = range_of(sampler, &points, 0);
  if (cycles.high - cycles.low > sampler->error * cycles.sum / cycles.count) return false;
  for (size_t i = 0; i < sampler->counters.ratio_count; i++) {
    Range ratio = range_of_ratio(sampler, &points, &sampler->counters.ratios[i]);
    if (ratio.high - ratio.low > sampler->error) return false;
  }
  return true;
}

// Whether all waves from `first` on, and the timed ones, have about the same work.
static bool is_even(const PeriodSampler *sampler, uint64_t first, uint64_t waves) {
  double wave = wave_work(sampler);
  for (uint64_t i = 0; i < waves; i++) {
    uint64_t from = first + i * sampler->wave_ctas, end = from + sampler->wave_ctas;
    double work = (double)(sampler->before[end] - sampler->before[from]);
    if (fabs(work - wave) > phase_share * wave) return false;
  }
  return true;
}

// CTAs that have been dispatched in place of others which were ahead of their wave.
static uint64_t leaders(const PeriodSampler *sampler, uint64_t dispatched) {
  uint64_t rest = (sampler->cta_count - dispatched) % sampler->wave_ctas;
  uint64_t ahead = rest ? sampler->wave_ctas - rest : 0;
  return ahead <= sampler->wave_ctas / LEADERS ? ahead : 0;
}

// What is left out is whole waves, so that the rest of the grid comes at the same point of a wave.
// Where only a few CTAs have begun their wave, the rest of it, almost all, is left out as well.
static uint64_t ctas_to_leave_out(PeriodSampler *sampler, uint64_t dispatched) {
  if (sampler->left_out || dispatched >= sampler->cta_count) return 0;
  uint64_t ahead = leaders(sampler, dispatched);
  uint64_t waves = (sampler->cta_count - dispatched + ahead) / sampler->wave_ctas;
  uint64_t timed = dispatched / sampler->wave_ctas, most = (uint64_t)(most_waves * (double)timed);
  if (waves > most) waves = most, ahead = 0;
  if (!waves || !is_even(sampler, 0, timed)) return 0;
  if (!is_even(sampler, dispatched, waves - (ahead > 0)) || !is_steady(sampler)) return 0;
  sampler->ahead = ahead;
  return waves * sampler->wave_ctas - ahead;
}

uint64_t period_sampler_look(PeriodSampler *sampler, const uint64_t *counters,
                             uint64_t dispatched) {
  if (sampler->count == LOOKS) thin(sampler);
  add_row(sampler, counters);
  sampler->next = counters[0] + sampler->every;
  uint64_t skipped = ctas_to_leave_out(sampler, dispatched);
  if (skipped) {
    sampler->first = dispatched;
    sampler->left_out = skipped;
  }
  return skipped;
}

// ---- the estimate

static uint64_t timed_ctas(const PeriodSampler *sampler) {
  return sampler->cta_count - sampler->left_out;
}

static double retired_at(const PeriodSampler *sampler, uint32_t look) {
  return count_at(sampler, look, sampler->counters.retired);
}

// The last look at a GPU that held as many CTAs as it can.
static uint32_t last_full(const PeriodSampler *sampler) {
  double most = (double)(timed_ctas(sampler) - sampler->wave_ctas);
  uint32_t last = sampler->count - 1;
  while (last > 1 && retired_at(sampler, last) > most) last--;
  return last;
}

// Cycles, at the end, in which only CTAs are resident that began in place of those ahead of their
// wave. In a complete run the last ones that are ahead are not followed by others.
static double cycles_of_leaders(const PeriodSampler *sampler) {
  double others = (double)(timed_ctas(sampler) - sampler->ahead);
  uint32_t end = sampler->count - 1, look = end;
  if (!sampler->ahead) return 0;
  while (look > 0 && retired_at(sampler, look - 1) >= others) look--;
  return count_at(sampler, end, 0) - count_at(sampler, look, 0);
}

void period_sampler_end(PeriodSampler *sampler, const uint64_t *counters, Estimate *estimate) {
  if (!sampler->left_out) return;
  Points points = points_until(sampler, last_full(sampler));
  uint64_t end = sampler->first + sampler->left_out;
  double work = (double)(sampler->before[end] - sampler->before[sampler->first]);
  double waves = work / wave_work(sampler);
  for (size_t c = 0; c < sampler->counters.count; c++) {
    Range range = range_of(sampler, &points, c);
    double mean = range.count ? range.sum / range.count : 0;
    estimate->values[c] += waves * mean;
    estimate->halves[c] +=
        waves * ((range.high - range.low) / 2 + drift_share * sampler->error * mean);
    if (c) continue;
    if (sampler->count == LOOKS) thin(sampler);
    add_row(sampler, counters);
    estimate->values[0] += (double)sampler->ahead / (double)sampler->wave_ctas * mean;
    estimate->values[0] -= cycles_of_leaders(sampler);
  }
}
