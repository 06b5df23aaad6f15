// SPDX-License-Identifier: MIT
// The statistics of sampled runs, with values worked out by hand.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch_streaks.h"
#include "sampling/sample_options.h"
#include "sampling/student.h"
#include "unit/cmocka_all.h"

static void assert_near(double value, double expected) {
  if (fabs(value - expected) > 1e-6 * fmax(1, fabs(expected)))
    fail_msg("%.9g, expected %.9g", value, expected);
}

// ---- options

static void an_error_is_a_percentage(void **state) {
  (void)state;
  SampleOptions options;
  Error err;
  assert_int_equal(sample_options_read(&options, "error=3%", &err), OK);
  assert_near(options.error, 0.03);
  assert_int_equal(sample_options_read(&options, "error=0.5%", &err), OK);
  assert_near(options.error, 0.005);
  assert_int_equal(options.after, 1 << 20);
  assert_int_equal(sample_options_read(&options, "error=2%,after=5000", &err), OK);
  assert_near(options.error, 0.02);
  assert_int_equal(options.after, 5000);
  static const char *const wrong[] = {"",
                                      "3%",
                                      "error=3",
                                      "error=%",
                                      "error=0%",
                                      "error=21%",
                                      "error=nan%",
                                      "error=3%x",
                                      "Error=3%",
                                      "error=3%,after=",
                                      "error=3%,",
                                      "after=1",
                                      "error=3%,after=-1",
                                      "error=3%,after=1x",
                                      "error=3%,after=99999999999999999999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(sample_options_read(&options, wrong[i], &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "error=3%"));
  }
}

// ---- means

static void deviation_and_quantiles_are_the_textbook_ones(void **state) {
  (void)state;
  Spread spread = {0};
  assert_near(spread_deviation(&spread), 0);
  static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
  for (size_t i = 0; i < 8; i++) spread_add(&spread, values[i]);
  assert_near(spread.mean, 5);
  assert_near(spread_deviation(&spread), sqrt(32.0 / 7));
  assert_near(student_95(1), 12.706);
  assert_near(student_95(20), 2.086);
  assert_true(fabs(student_95(30) - 2.042) < 0.002);
  assert_true(fabs(student_95(100) - 1.984) < 0.002);
}

// ---- profiles

static void lanes_touch_lines_and_sectors(void **state) {
  (void)state;
  uint64_t address[32];
  TouchedLine lines[TOUCHED_MAX_LINES];
  for (uint32_t i = 0; i < 32; i++) address[i] = 0x1040 + i * 4;
  assert_int_equal(touched_lines(address, 0xffffffff, 4, lines), 2);
  assert_int_equal(lines[0].address, 0x1000);
  assert_int_equal(lines[0].sectors, 0xc);
  assert_int_equal(lines[0].full, 0xc);
  assert_int_equal(lines[1].address, 0x1080);
  assert_int_equal(lines[1].sectors, 0x3);
  // Half of the lanes of the first sector only.
  assert_int_equal(touched_lines(address, 0xf, 4, lines), 1);
  assert_int_equal(lines[0].sectors, 0x4);
  assert_int_equal(lines[0].full, 0);
  for (uint32_t i = 0; i < 32; i++) address[i] = i * 128;
  assert_int_equal(touched_lines(address, 0xffffffff, 4, lines), 32);
  assert_int_equal(lines[31].sectors, 1);
  // The same bytes in another order, and with lanes missing in between.
  for (uint32_t i = 0; i < 32; i++) address[i] = 0x1040 + (i ^ 1) * 4;
  assert_int_equal(touched_lines(address, 0xffffffff, 4, lines), 2);
  assert_int_equal(lines[0].full, 0xc);
  assert_int_equal(touched_lines(address, 0xff0000ff, 4, lines), 2);
  assert_int_equal(lines[0].full, 0x4);
  assert_int_equal(lines[1].sectors, 0x2);
  assert_int_equal(touched_lines(address, 0, 4, lines), 0);
}

static void a_profile_sums_up_ctas_and_counts_different_lines(void **state) {
  (void)state;
  LaunchProfile profile = {0};
  uint64_t address[32];
  launch_profile_begin(&profile, 3);
  launch_profile_cta(&profile, 2, 30);
  launch_profile_cta(&profile, 0, 10);
  launch_profile_cta(&profile, 1, 20);
  for (uint64_t round = 0; round < 2; round++)
    for (uint64_t n = 0; n < 100; n++) {
      for (uint64_t i = 0; i < 32; i++) address[i] = (n * 32 + i) * 128;
      launch_profile_global(&profile, address, 0xffffffff, 4, round == 1);
    }
  launch_profile_shared(&profile);
  launch_profile_end(&profile, 1000);
  static const uint64_t before[] = {0, 10, 30, 60};
  assert_memory_equal(profile.before, before, sizeof before);
  assert_near(profile.features[FEATURE_WARP_INSTRUCTIONS], 60);
  assert_near(profile.features[FEATURE_LARGEST_CTA], 30);
  assert_near(profile.features[FEATURE_READS], 3200);
  assert_near(profile.features[FEATURE_WRITES], 3200);
  assert_true(fabs(profile.features[FEATURE_FOOTPRINT] - 3200) < 64);
  assert_int_equal(profile.touch_count, 6400);
  assert_int_equal(launch_profile_first(&profile), 0);
  assert_true(launch_profile_touch(&profile, 6399)->is_write);
  launch_profile_clear(&profile);
}

static void linear_counting_corrects_for_equal_hashes(void **state) {
  (void)state;
  assert_near(linear_count(0, 1024), 0);
  assert_near(linear_count(512, 1024), 1024 * log(2));
  assert_true(isfinite(linear_count(1024, 1024)));
}

// ---- waves

enum { COUNTERS = 2 };

typedef struct Rows {
  double values[COUNTERS], halves[COUNTERS], each[COUNTERS];
} Rows;

static Estimate estimate_of(Rows *rows) {
  *rows = (Rows){0};
  return (Estimate){rows->values, rows->halves, rows->each};
}

// CTAs of 10 instructions each, in eleven waves of 256.
enum { WAVE = 256, CTAS = 11 * WAVE };

static uint64_t *even_work(void) {
  uint64_t *before = calloc(CTAS + 1, sizeof *before);
  for (uint64_t i = 0; i < CTAS; i++) before[i + 1] = before[i] + 10;
  return before;
}

static void steady_waves_are_left_out_and_projected(void **state) {
  (void)state;
  WaveSampler sampler;
  uint64_t *before = even_work(), counters[COUNTERS] = {8000};
  uint64_t skipped[8] = {0}, asked = 0;
  wave_sampler_begin(&sampler, 0.03, CTAS, WAVE, before, COUNTERS);
  // A wave of 2560 instructions takes 5120 cycles and 1280 of the other counter; the first 8000.
  for (; sampler.next != WAVE_NEVER; asked++) {
    assert_true(asked < 8);
    skipped[asked] = wave_sampler_reach(&sampler, counters);
    counters[0] += asked == 3 ? 20000 : 5120;
    counters[1] += asked == 3 ? 0 : 1280;
  }
  // Asked after 1, 2, 3 and 4 waves; then 4 are left out of 7, and the last three are timed.
  assert_int_equal(skipped[0] + skipped[1] + skipped[2], 0);
  assert_int_equal(skipped[3], 4 * WAVE);
  assert_int_equal(asked, 7);
  assert_int_equal(sampler.gap_count, 1);
  assert_int_equal(wave_sampler_skipped(&sampler), 4 * 2560);
  Rows rows;
  Estimate estimate = estimate_of(&rows);
  wave_sampler_end(&sampler, &estimate);
  // The wave behind the gap is projected as well, and what it counted taken off.
  assert_near(rows.values[0], 5 * 5120 - 20000);
  assert_near(rows.values[1], 5 * 1280);
  assert_near(rows.halves[0], 0);
  wave_sampler_clear(&sampler);
  free(before);
}

static void a_gap_has_the_mean_rate_of_both_sides_and_noise_widens_its_interval(void **state) {
  (void)state;
  WaveSampler sampler;
  uint64_t *before = even_work(), counters[COUNTERS] = {8000};
  // 2, 2.0125 and 2.025 cycles per instruction before the gap, 2.1 and 2.1 behind the wave behind
  // it.
  static const uint64_t cycles[] = {5120, 5152, 5184, 4000, 5376, 5376, 0};
  wave_sampler_begin(&sampler, 0.03, CTAS, WAVE, before, COUNTERS);
  for (uint32_t i = 0; sampler.next != WAVE_NEVER; i++) {
    assert_true(i < 7);
    wave_sampler_reach(&sampler, counters);
    counters[0] += cycles[i];
  }
  Rows rows;
  Estimate estimate = estimate_of(&rows);
  wave_sampler_end(&sampler, &estimate);
  assert_int_equal(sampler.gap_count, 1);
  assert_int_equal(sampler.wave_count, 5);
  assert_near(rows.values[0], 12800 * (2.0125 + 2.025 + 2.1 + 2.1) / 4 - 4000);
  // Half the mean square of the steps 0.0125, 0.0125, 0.075 and 0; five waves are projected.
  double deviation = sqrt((0.0125 * 0.0125 * 2 + 0.075 * 0.075) / 2 / 4);
  assert_near(rows.halves[0], 2.776 * deviation * 12800 * sqrt(0.25 + 0.2));
  assert_near(rows.each[0], rows.halves[0]);
  wave_sampler_clear(&sampler);
  free(before);
}

static void unsteady_waves_and_other_phases_are_timed(void **state) {
  (void)state;
  WaveSampler sampler;
  uint64_t *before = even_work(), counters[COUNTERS] = {0};
  assert_false(wave_sampler_fits(8 * WAVE - 1, WAVE));
  wave_sampler_begin(&sampler, 0.03, CTAS, WAVE, before, COUNTERS);
  for (uint32_t i = 0; sampler.next != WAVE_NEVER; i++) {
    counters[0] += i % 2 ? 5120 : 7120;
    assert_int_equal(wave_sampler_reach(&sampler, counters), 0);
  }
  wave_sampler_clear(&sampler);
  // From the sixth wave on CTAs have three times the work: one wave is left out before it.
  for (uint64_t i = 5 * WAVE; i < CTAS; i++) before[i + 1] = before[i] + 30;
  counters[0] = 0;
  wave_sampler_begin(&sampler, 0.03, CTAS, WAVE, before, COUNTERS);
  for (uint32_t i = 0; i < 4; i++) {
    counters[0] += 5120;
    assert_int_equal(wave_sampler_reach(&sampler, counters), i == 3 ? WAVE : 0);
  }
  wave_sampler_clear(&sampler);
  free(before);
}

// Cycles are steady in all cases. The second counter is hits, of as many accesses as cycles.
static uint64_t left_out_with_hits(const uint64_t hits[4], bool count) {
  static const WaveRatio rate = {1, 0};
  WaveSampler sampler;
  uint64_t *before = even_work(), counters[COUNTERS] = {0}, skipped = 0;
  wave_sampler_begin(&sampler, 0.03, CTAS, WAVE, before, COUNTERS);
  sampler.ratios = &rate;
  sampler.ratio_count = count;
  for (uint32_t i = 0; i < 4; i++) {
    counters[0] += 1000;
    counters[1] += hits[i];
    skipped = wave_sampler_reach(&sampler, counters);
  }
  wave_sampler_clear(&sampler);
  free(before);
  return skipped / WAVE;
}

static void hit_rates_have_to_be_steady_too(void **state) {
  (void)state;
  static const uint64_t rising[4] = {0, 500, 520, 540}, uneven[4] = {0, 500, 540, 500};
  static const uint64_t even[4] = {0, 500, 502, 501}, rough[4] = {0, 500, 515, 500};
  assert_int_equal(left_out_with_hits(rising, false), 4);
  assert_int_equal(left_out_with_hits(rising, true), 0);  // by 4 points: more than the error
  assert_int_equal(left_out_with_hits(even, true), 4);
  // Four waves would add 4.3 x 0.87 points x sqrt(1/4 + 1/5) x 5/11 = 1.14 points, two 0.78.
  assert_int_equal(left_out_with_hits(rough, true), 2);
  // With a deviation of 2.3 points even one would add 1.6 points.
  assert_int_equal(left_out_with_hits(uneven, true), 0);
}

// Twenty waves, each a little more or less than 2 cycles per instruction.
static void gaps_share_a_third_of_the_error(void **state) {
  (void)state;
  enum { MANY = 20 * WAVE };
  WaveSampler sampler;
  uint64_t *before = calloc(MANY + 1, sizeof *before), counters[COUNTERS] = {0}, gaps[3] = {0};
  for (uint64_t i = 0; i < MANY; i++) before[i + 1] = before[i] + 10;
  wave_sampler_begin(&sampler, 0.03, MANY, WAVE, before, COUNTERS);
  for (uint32_t i = 0; sampler.next != WAVE_NEVER; i++) {
    counters[0] += i % 2 ? 5120 : 5120 + 100;
    uint64_t waves = wave_sampler_reach(&sampler, counters) / WAVE;
    if (waves) gaps[sampler.gap_count - 1] = waves;
  }
  // With a deviation of 1.12 % in three waves, and Student's 4.3, four of twenty add 0.81 %. With
  // one of 0.97 % in four, and 3.2, seven more would add 0.76 %, 1.11 % together; three add 0.44 %.
  assert_int_equal(gaps[0], 4);
  assert_int_equal(gaps[1], 3);
  assert_near(sqrt(sampler.spent[0]), 0.00959924);
  wave_sampler_clear(&sampler);
  free(before);
}

static void waves_of_the_start_do_not_count(void **state) {
  (void)state;
  WaveSampler sampler;
  uint64_t *before = even_work(), counters[COUNTERS] = {0};
  wave_sampler_begin(&sampler, 0.03, CTAS, WAVE, before, COUNTERS);
  sampler.start_up = 2 * WAVE + 1;
  // The fourth to the sixth count; of the five left, two are left out.
  for (uint32_t i = 0; i < 6; i++) {
    counters[0] += i < 3 ? 2560 : 5120;
    assert_int_equal(wave_sampler_reach(&sampler, counters), i == 5 ? 2 * WAVE : 0);
  }
  assert_near(sampler.waves[0].rates[0], 2);
  wave_sampler_clear(&sampler);
  free(before);
}

static void small_waves_are_put_together(void **state) {
  (void)state;
  WaveSampler sampler;
  assert_true(wave_sampler_fits(8 * 264, 24));
  assert_false(wave_sampler_fits(8 * 264 - 1, 24));
  assert_false(wave_sampler_fits(CTAS, 0));
  uint64_t *before = even_work();
  wave_sampler_begin(&sampler, 0.03, CTAS, 24, before, COUNTERS);
  assert_int_equal(sampler.wave_ctas, 264);
  wave_sampler_clear(&sampler);
  free(before);
}

// ---- launches

static LaunchSignature signature(uint64_t key, double work) {
  LaunchSignature made = {.key = key};
  for (int f = 0; f < FEATURES; f++) made.features[f] = work;
  return made;
}

static void add(LaunchGroups *groups, uint64_t key, double work, uint64_t cycles) {
  LaunchSignature signed_as = signature(key, work);
  uint64_t counters[COUNTERS] = {cycles, 7};
  launch_groups_add(groups, &signed_as, counters, NULL);
}

static bool project(const LaunchGroups *groups, uint64_t key, double work, Rows *rows) {
  Estimate estimate = estimate_of(rows);
  LaunchSignature wanted = signature(key, work);
  return launch_groups_project(groups, &wanted, 0.03, &estimate);
}

static void launches_that_agree_stand_for_others(void **state) {
  (void)state;
  LaunchGroups groups = {.counter_count = COUNTERS};
  Rows rows;
  add(&groups, 1, 1e6, 990000);
  add(&groups, 1, 1e6, 1000000);
  assert_false(project(&groups, 1, 1e6, &rows));  // 1 % apart: two could be so by chance
  add(&groups, 1, 1e6, 1010000);
  assert_true(project(&groups, 1, 1e6, &rows));
  assert_near(rows.values[0], 1e6);
  assert_near(rows.values[1], 7);
  // A deviation of 1 %, and t of two degrees of freedom.
  assert_near(rows.each[0], 4.303 * 10000);
  assert_near(rows.halves[0], 4.303 * 10000 * (1 + 1 / sqrt(3)));
  assert_true(project(&groups, 1, 1.02e6, &rows));
  assert_near(rows.values[0], 1.02e6);
  assert_false(project(&groups, 1, 1.04e6, &rows));
  assert_false(project(&groups, 2, 1e6, &rows));
  launch_groups_clear(&groups);
}

static void two_launches_have_to_agree_more_closely(void **state) {
  (void)state;
  LaunchGroups groups = {.counter_count = COUNTERS};
  Rows rows;
  add(&groups, 1, 1e6, 1000000);
  assert_false(project(&groups, 1, 1e6, &rows));
  add(&groups, 1, 1e6, 1002000);
  assert_true(project(&groups, 1, 1e6, &rows));
  assert_near(rows.values[0], 1001000);
  assert_near(rows.each[0], 12.706 * 2000 / sqrt(2));
  launch_groups_clear(&groups);
}

static void errors_of_launches_timed_in_part_average_out(void **state) {
  (void)state;
  LaunchGroups groups = {.counter_count = COUNTERS};
  Rows rows;
  LaunchSignature made = signature(1, 1e6);
  double halves[COUNTERS] = {40000}, each[COUNTERS] = {40000};
  for (int i = 0; i < 4; i++)
    launch_groups_add(&groups, &made, (uint64_t[COUNTERS]){1000000},
                      &(Estimate){.halves = halves, .each = each});
  assert_true(project(&groups, 1, 1e6, &rows));
  assert_near(rows.halves[0], 20000);
  assert_near(rows.each[0], 0);
  launch_groups_clear(&groups);
}

static void what_launches_have_in_common_does_not_average_out(void **state) {
  (void)state;
  LaunchGroups groups = {.counter_count = COUNTERS};
  Rows rows;
  LaunchSignature made = signature(1, 1e6);
  double halves[COUNTERS] = {50000}, each[COUNTERS] = {10000};
  for (int i = 0; i < 4; i++)
    launch_groups_add(&groups, &made, (uint64_t[COUNTERS]){1000000},
                      &(Estimate){.halves = halves, .each = each});
  assert_true(project(&groups, 1, 1e6, &rows));
  assert_near(rows.halves[0], 40000 + 5000);
  launch_groups_clear(&groups);
}

static void launches_that_differ_stand_for_nothing(void **state) {
  (void)state;
  LaunchGroups groups = {.counter_count = COUNTERS};
  Rows rows;
  add(&groups, 1, 1e6, 2000000);  // cold caches
  add(&groups, 1, 1e6, 900000);
  add(&groups, 1, 1e6, 1001000);
  assert_false(project(&groups, 1, 1e6, &rows));
  // The latest two agree: those before are not asked.
  add(&groups, 1, 1e6, 999000);
  assert_true(project(&groups, 1, 1e6, &rows));
  assert_near(rows.values[0], 1e6);
  launch_groups_clear(&groups);
}

static void a_launch_of_another_size_is_on_the_line_of_others(void **state) {
  (void)state;
  LaunchGroups groups = {.counter_count = COUNTERS};
  Rows rows;
  // 1000 cycles and one per instruction.
  for (uint64_t i = 0; i < 4; i++) add(&groups, 1, 10000 + 500 * (double)i, 11000 + 500 * i);
  assert_false(project(&groups, 1, 12000, &rows));
  add(&groups, 1, 12000, 13000);
  assert_true(project(&groups, 1, 12300, &rows));
  assert_near(rows.values[0], 13300);
  assert_near(rows.halves[0], 0);
  assert_false(project(&groups, 1, 12500, &rows));  // larger than all, by more than the error
  launch_groups_clear(&groups);
}

// Launches of one shape behind different ones, of which the first has no profile.
static void large_launches_do_not_depend_on_what_came_before(void **state) {
  (void)state;
  LaunchGroups groups = {.counter_count = COUNTERS};
  Rows rows;
  Estimate estimate = estimate_of(&rows);
  LaunchSignature first = signature(1, UNKNOWN_FEATURE), second = signature(2, 1e6);
  first.features[FEATURE_WARP_INSTRUCTIONS] = first.features[FEATURE_THREAD_INSTRUCTIONS] = 1e6;
  first.shape = second.shape = 5;
  launch_groups_add(&groups, &first, (uint64_t[COUNTERS]){1000000}, NULL);
  launch_groups_add(&groups, &second, (uint64_t[COUNTERS]){1002000}, NULL);
  LaunchSignature wanted = signature(3, 1e6);
  wanted.shape = 5;
  assert_false(launch_groups_project(&groups, &wanted, 0.03, &estimate));
  wanted.is_large = true;
  assert_true(launch_groups_project(&groups, &wanted, 0.03, &estimate));
  assert_near(rows.values[0], 1001000);
  wanted.features[FEATURE_THREAD_INSTRUCTIONS]--;  // not those of the first
  assert_false(launch_groups_project(&groups, &wanted, 0.03, &estimate));
  wanted.features[FEATURE_THREAD_INSTRUCTIONS]++;
  wanted.shape = 6;
  assert_false(launch_groups_project(&groups, &wanted, 0.03, &estimate));
  launch_groups_clear(&groups);
}

// 1 % apart: too much for two others, but no more than is usual of large ones.
static void two_large_launches_may_differ_as_large_ones_do(void **state) {
  (void)state;
  LaunchGroups groups = {.counter_count = COUNTERS};
  Rows rows;
  Estimate estimate = estimate_of(&rows);
  LaunchSignature wanted = signature(1, 1e6);
  add(&groups, 1, 1e6, 1000000);
  add(&groups, 1, 1e6, 1010000);
  assert_false(launch_groups_project(&groups, &wanted, 0.03, &estimate));
  wanted.is_large = true;
  assert_true(launch_groups_project(&groups, &wanted, 0.03, &estimate));
  assert_near(rows.values[0], 1005000);
  // 0.75 % with four degrees of freedom, and the one of these two.
  double usual = 0.0075 * 1005000, squares = 4 * usual * usual + 2 * 5000.0 * 5000;
  assert_near(rows.each[0], 2.571 * sqrt(squares / 5));
  assert_near(rows.halves[0], rows.each[0] * (1 + 1 / sqrt(2)));
  add(&groups, 1, 1e6, 1080000);
  estimate = estimate_of(&rows);
  assert_false(launch_groups_project(&groups, &wanted, 0.03, &estimate));
  launch_groups_clear(&groups);
}

// ---- streaks

static void begin_and_project(LaunchStreaks *streaks, uint64_t key, uint32_t times) {
  LaunchSignature made = signature(key, 1e6);
  for (uint32_t i = 0; i < times; i++) {
    assert_false(launch_streak_is_due(launch_streaks_begin(streaks, key, key)));
    launch_streaks_note_projected(streaks, &made);
  }
}

static void launches_that_repeat_are_timed_again_more_and_more_rarely(void **state) {
  (void)state;
  LaunchStreaks streaks = {0};
  assert_false(launch_streaks_know(&streaks, 1));
  begin_and_project(&streaks, 1, 8);
  assert_true(launch_streaks_know(&streaks, 1));
  assert_true(launch_streak_is_due(launch_streaks_begin(&streaks, 1, 1)));
  launch_streaks_note_timed(&streaks, 1);
  begin_and_project(&streaks, 1, 64);
  assert_true(launch_streak_is_due(launch_streaks_begin(&streaks, 1, 1)));
  launch_streaks_note_timed(&streaks, 1);
  // It disagreed, the next one is timed as well: from the start again.
  launch_streaks_begin(&streaks, 1, 1);
  launch_streaks_note_timed(&streaks, 1);
  begin_and_project(&streaks, 1, 8);
  assert_true(launch_streak_is_due(launch_streaks_begin(&streaks, 1, 1)));
  launch_streaks_clear(&streaks);
}

static void large_launches_are_timed_again_later_while_they_repeat(void **state) {
  (void)state;
  LaunchStreaks streaks = {0};
  LaunchSignature made = signature(1, 1e6);
  made.is_large = true;
  for (int i = 0; i < 32; i++) {
    assert_false(launch_streak_is_due(launch_streaks_begin(&streaks, 1, 1)));
    if (i == 20) made.features[FEATURE_ABSENT] = 0.999e6;  // that is the same
    launch_streaks_note_projected(&streaks, &made);
  }
  assert_true(launch_streak_is_due(launch_streaks_begin(&streaks, 1, 1)));
  launch_streaks_note_timed(&streaks, 1);
  for (int i = 0; i < 64; i++) launch_streaks_note_projected(&streaks, &made);
  assert_false(launch_streak_is_due(launch_streaks_begin(&streaks, 1, 1)));
  made.features[FEATURE_READS] *= 0.9;
  launch_streaks_note_projected(&streaks, &made);
  assert_true(launch_streak_is_due(launch_streaks_begin(&streaks, 1, 1)));
  launch_streaks_clear(&streaks);
}

static void launches_before_a_timed_one_are_profiled(void **state) {
  (void)state;
  LaunchStreaks streaks = {0};
  LaunchSignature made = signature(1, 1e6);
  for (uint32_t i = 0; i < 7; i++) {
    const LaunchStreak *streak = launch_streaks_begin(&streaks, 1, 1);
    assert_int_equal(launch_streaks_need_profile(&streaks, streak), i < 4);
    launch_streaks_note_projected(&streaks, &made);
  }
  // One more, then it is timed; so launches of other keys are profiled as well.
  begin_and_project(&streaks, 2, 5);
  assert_true(launch_streaks_need_profile(&streaks, launch_streaks_begin(&streaks, 2, 2)));
  // But not for long, if that one does not come.
  for (uint32_t i = 0; i < 64; i++) launch_streaks_begin(&streaks, 3, 3);
  assert_false(launch_streaks_need_profile(&streaks, launch_streaks_begin(&streaks, 2, 2)));
  launch_streaks_clear(&streaks);
}

// Their instructions are the same, other features differ by 0.4 %; then one has one more.
static void launches_repeat_with_about_the_same_lines(void **state) {
  (void)state;
  LaunchStreaks streaks = {0};
  LaunchSignature made = signature(1, 1e6);
  const LaunchStreak *streak = NULL;
  for (uint32_t i = 0; i < 5; i++) {
    made.features[FEATURE_ABSENT] = i % 2 ? 1e6 : 0.996e6;
    streak = launch_streaks_begin(&streaks, 1, 1);
    launch_streaks_note_projected(&streaks, &made);
  }
  assert_int_equal(streak->length, 5);
  made.features[FEATURE_ABSENT] *= 0.99;
  launch_streaks_note_projected(&streaks, &made);
  assert_int_equal(streak->length, 1);
  made.features[FEATURE_THREAD_INSTRUCTIONS]++;
  launch_streaks_note_projected(&streaks, &made);
  assert_int_equal(streak->length, 1);
  launch_streaks_note_projected(&streaks, &made);
  assert_int_equal(streak->length, 2);
  launch_streaks_clear(&streaks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_error_is_a_percentage),
      cmocka_unit_test(deviation_and_quantiles_are_the_textbook_ones),
      cmocka_unit_test(lanes_touch_lines_and_sectors),
      cmocka_unit_test(a_profile_sums_up_ctas_and_counts_different_lines),
      cmocka_unit_test(linear_counting_corrects_for_equal_hashes),
      cmocka_unit_test(steady_waves_are_left_out_and_projected),
      cmocka_unit_test(a_gap_has_the_mean_rate_of_both_sides_and_noise_widens_its_interval),
      cmocka_unit_test(unsteady_waves_and_other_phases_are_timed),
      cmocka_unit_test(hit_rates_have_to_be_steady_too),
      cmocka_unit_test(gaps_share_a_third_of_the_error),
      cmocka_unit_test(waves_of_the_start_do_not_count),
      cmocka_unit_test(small_waves_are_put_together),
      cmocka_unit_test(launches_that_agree_stand_for_others),
      cmocka_unit_test(two_launches_have_to_agree_more_closely),
      cmocka_unit_test(errors_of_launches_timed_in_part_average_out),
      cmocka_unit_test(what_launches_have_in_common_does_not_average_out),
      cmocka_unit_test(launches_that_differ_stand_for_nothing),
      cmocka_unit_test(a_launch_of_another_size_is_on_the_line_of_others),
      cmocka_unit_test(launches_that_repeat_are_timed_again_more_and_more_rarely),
      cmocka_unit_test(large_launches_do_not_depend_on_what_came_before),
      cmocka_unit_test(two_large_launches_may_differ_as_large_ones_do),
      cmocka_unit_test(large_launches_are_timed_again_later_while_they_repeat),
      cmocka_unit_test(launches_before_a_timed_one_are_profiled),
      cmocka_unit_test(launches_repeat_with_about_the_same_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
