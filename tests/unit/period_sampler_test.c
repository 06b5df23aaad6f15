// SPDX-License-Identifier: MIT
// Periods of a synthetic kernel whose throughput within a wave repeats.
#include <math.h>
#include <stdlib.h>

#include "sampling/period_sampler.h"
#include "unit/cmocka_all.h"

enum { CYCLES, WORK, RETIRED, ACCESSES, WRITES, WRITE_BACKS, COUNTERS };
// CTAs of 100 instructions: a wave is 10000, of which half takes 2 cycles each and half 4.
enum { WAVE = 100, CTA_WORK = 100, WAVE_WORK = WAVE * CTA_WORK, PERIOD = 30000 };

typedef struct Kernel {
  uint64_t ctas, leaders;  // leaders: begin in place of others when half of a wave is left
  double growth;           // of the time of each instruction, per wave
  double start_up;         // waves
  double writes, backs;    // per instruction
  uint64_t long_from;      // CTAs from this one on have twice the work; 0: none
} Kernel;

typedef struct Outcome {
  uint64_t left_out, dispatched;  // CTAs; when that was decided
  double cycles, half, work;      // projected
  double end;                     // when it ended
} Outcome;

static double time_of(const Kernel *kernel, double work) {
  double waves = floor(work / WAVE_WORK), rest = work - waves * WAVE_WORK;
  double part = rest < WAVE_WORK / 2 ? 2 * rest : 4 * rest - WAVE_WORK;
  double time = waves * PERIOD + part, at = work / WAVE_WORK;
  return time * (1 + kernel->growth * at);
}

static double work_until(const Kernel *kernel, double time) {
  double low = 0, high = 1e7;
  while (high - low > 1e-6) {
    double middle = (low + high) / 2;
    *(time_of(kernel, middle) <= time ? &low : &high) = middle;
  }
  return low;
}

static uint64_t *work_before(const Kernel *kernel) {
  uint64_t *before = calloc(kernel->ctas + 1, sizeof *before);
  for (uint64_t i = 0; i < kernel->ctas; i++) {
    bool is_long = kernel->long_from && i >= kernel->long_from;
    before[i + 1] = before[i] + (is_long ? 2u * CTA_WORK : CTA_WORK);
  }
  return before;
}

// Counters at a cycle, of a kernel of which so many CTAs are timed: the others of those ahead end
// 3000 cycles later.
static void count(const Kernel *kernel, uint64_t timed, double now, uint64_t counters[COUNTERS]) {
  double work = fmin(work_until(kernel, now), (double)(timed * CTA_WORK));
  uint64_t others = timed - timed % (uint64_t)WAVE, retired = (uint64_t)(work / WAVE_WORK) * WAVE;
  double end = time_of(kernel, (double)(others * CTA_WORK));
  if (retired > others) retired = others;
  counters[CYCLES] = (uint64_t)now;
  counters[WORK] = (uint64_t)work;
  counters[RETIRED] = now >= end + 3000 ? timed : retired;
  counters[ACCESSES] = (uint64_t)work;
  counters[WRITES] = (uint64_t)(work * kernel->writes);
  counters[WRITE_BACKS] = (uint64_t)(work * kernel->backs);
}

static Outcome run(const Kernel *kernel) {
  uint64_t *before = work_before(kernel), counters[COUNTERS] = {0}, timed = kernel->ctas;
  PeriodSampler sampler, wanted = {.error = 0.03,
                                   .cta_count = kernel->ctas,
                                   .wave_ctas = WAVE,
                                   .before = before,
                                   .counters = {.count = COUNTERS,
                                                .work = WORK,
                                                .retired = RETIRED,
                                                .accesses = ACCESSES,
                                                .writes = WRITES,
                                                .write_backs = WRITE_BACKS,
                                                .write_back_size = 1},
                                   .start_up = kernel->start_up * WAVE_WORK};
  Outcome outcome = {0};
  double values[COUNTERS] = {0}, halves[COUNTERS] = {0}, each[COUNTERS] = {0};
  period_sampler_begin(&sampler, &wanted, counters);
  while (counters[RETIRED] < timed) {
    count(kernel, timed, (double)sampler.next, counters);
    double rest = fmod((double)counters[WORK], WAVE_WORK);
    uint64_t ahead = rest > WAVE_WORK / 4 && counters[RETIRED] ? kernel->leaders : 0;
    uint64_t dispatched = counters[RETIRED] + WAVE + ahead;
    if (dispatched > kernel->ctas || outcome.left_out) dispatched = kernel->ctas;
    uint64_t skipped = period_sampler_look(&sampler, counters, dispatched);
    if (!skipped) continue;
    assert_int_equal(outcome.left_out, 0);
    outcome.left_out = skipped;
    outcome.dispatched = dispatched;
    timed -= skipped;
  }
  outcome.end = (double)counters[CYCLES];
  period_sampler_end(&sampler, counters, &(Estimate){values, halves, each});
  outcome.cycles = values[CYCLES];
  outcome.half = halves[CYCLES];
  outcome.work = values[WORK];
  assert_true(each[CYCLES] == 0);  // what waves may have in common does not average out
  period_sampler_clear(&sampler);
  free(before);
  return outcome;
}

static void assert_within(double value, double expected, double most) {
  if (fabs(value - expected) > most) fail_msg("%.9g, expected %.9g", value, expected);
}

static void whole_waves_are_left_out_of_five(void **state) {
  (void)state;
  Outcome outcome = run(&(Kernel){.ctas = 5 * WAVE});
  assert_int_equal(outcome.dispatched, 2 * WAVE);
  assert_int_equal(outcome.left_out, 3 * WAVE);
  assert_within(outcome.cycles, 3 * PERIOD, 100);
  assert_within(outcome.work, 3 * WAVE_WORK, 10);
  assert_within(outcome.half, 0.06 * 3 * PERIOD, 300);
}

// What is left of an incomplete wave is timed.
static void the_rest_of_the_grid_is_timed(void **state) {
  (void)state;
  assert_int_equal(run(&(Kernel){.ctas = 4 * WAVE + 40}).left_out, 2 * WAVE);
}

static void no_more_than_half_as_many_again_are_left_out_as_are_timed(void **state) {
  (void)state;
  assert_int_equal(run(&(Kernel){.ctas = 20 * WAVE}).left_out, 3 * WAVE);
  assert_true(period_sampler_fits(3 * WAVE, WAVE));
  assert_false(period_sampler_fits(3 * WAVE - 1, WAVE));
  assert_false(period_sampler_fits(630, 63));
}

// Five CTAs of the third wave have begun: what they take in the end is not counted.
static void a_wave_that_only_leaders_have_begun_is_left_out(void **state) {
  (void)state;
  Outcome outcome = run(&(Kernel){.ctas = 5 * WAVE, .leaders = 5});
  assert_int_equal(outcome.dispatched, 2 * WAVE + 5);
  assert_int_equal(outcome.left_out, 3 * WAVE - 5);
  assert_within(outcome.end + outcome.cycles, 5 * PERIOD, 600);
  // Too many for that: the rest of their wave is timed.
  assert_int_equal(run(&(Kernel){.ctas = 5 * WAVE, .leaders = 20}).left_out, 2 * WAVE);
}

static void waves_that_differ_are_timed(void **state) {
  (void)state;
  assert_int_equal(run(&(Kernel){.ctas = 5 * WAVE, .growth = 0.01}).left_out, 3 * WAVE);
  assert_int_equal(run(&(Kernel){.ctas = 5 * WAVE, .growth = 0.1}).left_out, 0);
  assert_int_equal(run(&(Kernel){.ctas = 5 * WAVE, .long_from = 2 * WAVE}).left_out, 0);
}

static void the_l2_is_to_be_full_and_to_write_back(void **state) {
  (void)state;
  assert_int_equal(run(&(Kernel){.ctas = 5 * WAVE, .start_up = 0.3}).left_out, 3 * WAVE);
  assert_int_equal(run(&(Kernel){.ctas = 5 * WAVE, .start_up = 0.4}).left_out, 0);
  Kernel writes = {.ctas = 5 * WAVE, .start_up = 0.3, .writes = 0.1, .backs = 0.04};
  assert_int_equal(run(&writes).left_out, 0);
  writes.backs = 0.06;
  assert_int_equal(run(&writes).left_out, 3 * WAVE);
  writes.backs = 0;
  writes.writes = 0.02;  // less than the error
  assert_int_equal(run(&writes).left_out, 3 * WAVE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_waves_are_left_out_of_five),
      cmocka_unit_test(the_rest_of_the_grid_is_timed),
      cmocka_unit_test(no_more_than_half_as_many_again_are_left_out_as_are_timed),
      cmocka_unit_test(a_wave_that_only_leaders_have_begun_is_left_out),
      cmocka_unit_test(waves_that_differ_are_timed),
      cmocka_unit_test(the_l2_is_to_be_full_and_to_write_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
