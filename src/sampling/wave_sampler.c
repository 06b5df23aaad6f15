// SPDX-License-Identifier: MIT
// Times some waves of CTAs of a kernel and leaves out others while throughput is steady.
#include "sampling/wave_sampler.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "sampling/student.h"

// Waves that are timed in any case: of these the first is the start, the next three show whether
// throughput is steady. The last are the mixed one, one to compare with and the tail. A wave of a
// small GPU is no measure: several of them count as one.
enum { FIRST_WAVES = 4, LAST_WAVES = 3, LEAST_CTAS = 256, FIRST_STRIDE = 4, MAX_STRIDE = 64 };
// Timed waves on each side of a gap that it is projected from; the latest that show how much they
// vary.
enum { SIDE_WAVES = 2, SPREAD_WAVES = 8 };

// A wave with more or less work than the timed one by this share is another phase.
static const double phase_share = 0.1;
// Of the error, what all gaps of a kernel together may add to its cycles, and, in points, to its
// hit rates: two runs that are compared differ by less than half of it, then.
static const double gap_share = 1.0 / 3;

static uint64_t whole_wave(uint64_t wave_ctas) {
  return wave_ctas ? wave_ctas * ((LEAST_CTAS + wave_ctas - 1) / wave_ctas) : 0;
}

bool wave_sampler_fits(uint64_t cta_count, uint64_t wave_ctas) {
  uint64_t wave = whole_wave(wave_ctas);
  return wave && cta_count >= (FIRST_WAVES + LAST_WAVES + 1) * wave;
}

void wave_sampler_begin(WaveSampler *sampler, double error, uint64_t cta_count, uint64_t wave_ctas,
                        const uint64_t *before, size_t counter_count) {
  wave_ctas = whole_wave(wave_ctas);
  *sampler = (WaveSampler){.error = error,
                           .cta_count = cta_count,
                           .wave_ctas = wave_ctas,
                           .before = before,
                           .counter_count = counter_count,
                           .next = wave_ctas,
                           .stride = FIRST_STRIDE};
  sampler->counters = memory_alloc(sizeof(uint64_t) * counter_count);
}

void wave_sampler_clear(WaveSampler *sampler) {
  for (uint32_t i = 0; i < sampler->wave_count; i++) memory_free(sampler->waves[i].rates);
  for (uint32_t i = 0; i < sampler->gap_count; i++) memory_free(sampler->gaps[i].mixed_counters);
  memory_free(sampler->waves);
  memory_free(sampler->gaps);
  memory_free(sampler->counters);
  *sampler = (WaveSampler){0};
}

static double work_of(const WaveSampler *sampler, uint64_t first, uint64_t end) {
  return (double)(sampler->before[end] - sampler->before[first]);
}

// What was executed while the CTAs from `reached` to `next` were dispatched: the wave before was
// resident, and on average half of a resident CTA's work is done.
static double executed(const WaveSampler *sampler) {
  uint64_t half = sampler->wave_ctas / 2;
  return work_of(sampler, sampler->timed_end - half, sampler->timed_end) +
         work_of(sampler, sampler->reached, sampler->next - half);
}

static void add_wave(WaveSampler *sampler, const uint64_t *counters) {
  size_t count = sampler->counter_count;
  Wave wave = {.work = executed(sampler), .rates = memory_alloc(sizeof(double) * count)};
  for (size_t c = 0; c < count && wave.work > 0; c++)
    wave.rates[c] = (double)(counters[c] - sampler->counters[c]) / wave.work;
  GROW(sampler->waves, sampler->wave_count, sampler->wave_capacity);
  sampler->waves[sampler->wave_count++] = wave;
}

static void add_mixed(WaveSampler *sampler, const uint64_t *counters) {
  Gap *gap = &sampler->gaps[sampler->gap_count - 1];
  gap->mixed_work = executed(sampler);
  for (size_t c = 0; c < sampler->counter_count; c++)
    gap->mixed_counters[c] = counters[c] - sampler->counters[c];
}

static bool is_close(double a, double b, double share) {
  return fabs(a - b) <= share * 0.5 * (fabs(a) + fabs(b));
}

static double ratio_of(const Wave *wave, const WaveRatio *ratio) {
  double whole = wave->rates[ratio->whole];
  return whole > 0 ? wave->rates[ratio->part] / whole : 0;
}

// Up or down by more than `most`: not around a mean.
static bool is_on_its_way(double first, double before, double now, double most) {
  return (now - before) * (before - first) > 0 && fabs(now - first) > most;
}

// Cycles, or hit rates, that go up or down by more than the error.
static bool is_drifting(const WaveSampler *sampler) {
  const Wave *last = &sampler->waves[sampler->wave_count - 1];
  double now = last[0].rates[0], before = last[-1].rates[0], first = last[-2].rates[0];
  if (is_on_its_way(first, before, now, sampler->error * 0.5 * (now + first))) return true;
  for (size_t i = 0; i < sampler->ratio_count; i++) {
    const WaveRatio *ratio = &sampler->ratios[i];
    if (is_on_its_way(ratio_of(&last[-2], ratio), ratio_of(&last[-1], ratio),
                      ratio_of(&last[0], ratio), sampler->error))
      return true;
  }
  return false;
}

// What a gap of so many waves adds to the error of a kernel's figure that varies so much from wave
// to wave (95 %): after three waves it may well vary more than they show.
static double added_error(const WaveSampler *sampler, const Spread *spread, uint64_t gap_waves) {
  double waves = (double)gap_waves + 1,
         all = (double)sampler->cta_count / (double)sampler->wave_ctas;
  double half = student_95(spread->count - 1) * spread_deviation(spread);
  return half * sqrt(1.0 / SIDE_WAVES / 2 + 1 / waves) * waves / all;
}

// What a gap of so many waves would add to each figure, relative for cycles, by the latest waves,
// of which some may be behind a gap. False if that is more than earlier gaps have left over.
static bool is_steady(const WaveSampler *sampler, uint64_t gap_waves, double added[]) {
  const Wave *last = &sampler->waves[sampler->wave_count - 1];
  uint32_t waves = sampler->wave_count < SPREAD_WAVES ? sampler->wave_count : SPREAD_WAVES;
  double most = gap_share * sampler->error;
  for (size_t f = 0; f <= sampler->ratio_count; f++) {
    Spread figure = {0};
    for (const Wave *wave = last; wave > last - waves; wave--) {
      if (!(wave->work > 0)) return false;
      spread_add(&figure, f ? ratio_of(wave, &sampler->ratios[f - 1]) : wave->rates[0]);
    }
    added[f] = added_error(sampler, &figure, gap_waves) / (f ? 1 : figure.mean);
    if (!(sampler->spent[f] + added[f] * added[f] <= most * most)) return false;
  }
  return true;
}

// Whole waves from `next` on whose work is like that of the last one.
static uint64_t alike_waves(const WaveSampler *sampler, uint64_t most) {
  uint64_t size = sampler->wave_ctas, waves = 0;
  double work = work_of(sampler, sampler->next - size, sampler->next);
  while (waves < most) {
    uint64_t first = sampler->next + waves * size;
    if (!is_close(work_of(sampler, first, first + size), work, phase_share)) break;
    waves++;
  }
  return waves;
}

static uint64_t waves_to_leave_out(WaveSampler *sampler) {
  uint64_t size = sampler->wave_ctas, left = (sampler->cta_count - sampler->next) / size;
  uint64_t most = left > LAST_WAVES ? left - LAST_WAVES : 0;
  if (sampler->wave_count < FIRST_WAVES - 1) return 0;
  uint64_t waves = alike_waves(sampler, most < sampler->stride ? most : sampler->stride);
  double added[1 + WAVE_RATIOS];
  if (is_drifting(sampler)) waves = 0;
  while (waves && !is_steady(sampler, waves, added)) waves /= 2;
  for (size_t f = 0; waves && f <= sampler->ratio_count; f++)
    sampler->spent[f] += added[f] * added[f];
  sampler->stride = !waves                         ? FIRST_STRIDE
                    : sampler->stride < MAX_STRIDE ? sampler->stride * 2
                                                   : MAX_STRIDE;
  return waves;
}

uint64_t wave_sampler_reach(WaveSampler *sampler, const uint64_t *counters) {
  uint64_t size = sampler->wave_ctas, skipped = 0;
  if (sampler->is_mixed)
    add_mixed(sampler, counters);
  else if (sampler->reached && sampler->reached >= sampler->start_up)
    add_wave(sampler, counters);
  if (sampler->wave_count && !sampler->is_mixed) skipped = waves_to_leave_out(sampler) * size;
  sampler->is_mixed = skipped > 0;
  if (skipped) {
    GROW(sampler->gaps, sampler->gap_count, sampler->gap_capacity);
    sampler->gaps[sampler->gap_count++] =
        (Gap){.wave = sampler->wave_count - 1,
              .first = sampler->next,
              .end = sampler->next + skipped,
              .work = work_of(sampler, sampler->next, sampler->next + skipped),
              .mixed_counters = memory_alloc(sizeof(uint64_t) * sampler->counter_count)};
  }
  memcpy(sampler->counters, counters, sizeof(uint64_t) * sampler->counter_count);
  sampler->timed_end = sampler->next;
  sampler->reached = sampler->next + skipped;
  sampler->next =
      sampler->reached + size <= sampler->cta_count ? sampler->reached + size : WAVE_NEVER;
  return skipped;
}

// The waves that gaps are projected from: those before had not become steady.
static uint32_t first_steady(const WaveSampler *sampler) {
  return sampler->gaps[0].wave + 1 - (FIRST_WAVES - 1);
}

// Standard deviation of a counter's rate from wave to wave, by successive differences: a slow
// drift, which the waves on both sides of a gap follow, is not noise.
static double noise(const WaveSampler *sampler, size_t counter) {
  double squares = 0;
  uint32_t first = first_steady(sampler);
  for (uint32_t i = first + 1; i < sampler->wave_count; i++) {
    double step = sampler->waves[i].rates[counter] - sampler->waves[i - 1].rates[counter];
    squares += step * step / 2;
  }
  return sqrt(squares / (sampler->wave_count - first - 1));
}

uint64_t wave_sampler_skipped(const WaveSampler *sampler) {
  double work = 0;
  for (uint32_t i = 0; i < sampler->gap_count; i++) work += sampler->gaps[i].work;
  return (uint64_t)work;
}

// A gap has the mean rate of the timed waves around it, up to two on each side, whose errors it
// shares; each of its own waves adds one of its own.
static double rate_of(const WaveSampler *sampler, const Gap *gap, size_t counter, double *count) {
  Spread rates = {0};
  uint32_t first = gap->wave + 1 - SIDE_WAVES, end = gap->wave + 1 + SIDE_WAVES;
  if (end > sampler->wave_count) end = sampler->wave_count;
  for (uint32_t i = first; i < end; i++) spread_add(&rates, sampler->waves[i].rates[counter]);
  *count = rates.count;
  return rates.mean;
}

static void add_counter(const WaveSampler *sampler, size_t c, Estimate *estimate) {
  double variance = 0, deviation = noise(sampler, c);
  for (uint32_t i = 0; i < sampler->gap_count; i++) {
    const Gap *gap = &sampler->gaps[i];
    double count, rate = rate_of(sampler, gap, c, &count);
    double waves = 1 + (double)(gap->end - gap->first) / (double)sampler->wave_ctas;
    double work = gap->work + gap->mixed_work, error = deviation * work;
    estimate->values[c] += rate * work - (double)gap->mixed_counters[c];
    variance += error * error * (1 / count + 1 / waves);
  }
  uint32_t degrees = sampler->wave_count - first_steady(sampler) - 1;
  double half = student_95(degrees) * sqrt(variance);
  estimate->halves[c] += half;
  estimate->each[c] += half;
}

void wave_sampler_end(const WaveSampler *sampler, Estimate *estimate) {
  if (!sampler->gap_count) return;
  for (size_t c = 0; c < sampler->counter_count; c++) add_counter(sampler, c, estimate);
}
