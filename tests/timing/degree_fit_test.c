// SPDX-License-Identifier: MIT
// The fit of the degree predictor's curve, on profiles made from known curves.
#include "support/degree_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "unit/cmocka_all.h"

enum { DEGREES = 8, CAPACITY = 128 };

static void is_near(double value, double wanted, double off) {
  if (!(fabs(value - wanted) <= off)) fail_msg("%g is not %g +- %g", value, wanted, off);
}

static void read_model(DegreeModel *model, const char *spec) {
  Error err;
  if (degree_model_read(model, spec, &err) != OK) fail_msg("%s", err.text);
}

// A launch whose hit rate follows the model from 0.9 at degree 1.
static void add_profile(DegreeProfiles *profiles, const char *program, const DegreeModel *model,
                        uint64_t lines, uint64_t uses) {
  GROW(profiles->items, profiles->count, profiles->capacity);
  DegreeProfile *profile = &profiles->items[profiles->count];
  *profile = (DegreeProfile){.kernel = profiles->count++,
                             .most = DEGREES,
                             .ctas = 100,
                             .is_sampled = true,
                             .sample = {.cycles = 1000,
                                        .warp_instructions = 100,
                                        .accesses = lines * uses,
                                        .dram_reads = lines * uses / 10,
                                        .lines = lines,
                                        .line_uses = lines * uses,
                                        .capacity_lines = CAPACITY,
                                        .warps = 12}};
  snprintf(profile->program, sizeof profile->program, "%s", program);
  strcpy(profile->machine, "machine");
  double hits = 0.9;
  for (uint32_t degree = 1; degree <= DEGREES; degree++) {
    double set = (double)lines / CAPACITY;
    if (degree > 1)
      hits = 1 - (1 - hits) * degree_dram_growth(model, 1 - hits, (double)uses, set * (degree - 1),
                                                 set * degree);
    profile->at[degree - 1] = (DegreeMeasured){
        .dram_reads = 1e6 * (1 - hits), .accesses = 1e6, .cta_cycles = 1, .cycles = 1};
  }
}

static DegreeModel known(void) {
  DegreeModel model;
  read_model(&model, "sampled");
  for (int i = 0; i < DEGREE_SEGMENTS; i++) model.slope[i] = 0.02 * (i + 1);
  return model;
}

static DegreeProfiles profiles_of(const DegreeModel *model) {
  static const uint64_t lines[] = {10, 30, 60, 100, 150, 300};
  DegreeProfiles profiles = {0};
  for (int i = 0; i < 6; i++) add_profile(&profiles, i % 2 ? "odd" : "even", model, lines[i], 4);
  return profiles;
}

static void a_known_curve_is_found_again(void **state) {
  (void)state;
  DegreeModel wanted = known(), model;
  DegreeProfiles profiles = profiles_of(&wanted);
  read_model(&model, "sampled");
  degree_fit(&profiles, NULL, &model);
  for (int i = 0; i < DEGREE_SEGMENTS; i++) is_near(model.slope[i], wanted.slope[i], 1e-9);
  degree_profiles_clear(&profiles);
}

static void a_program_left_out_has_no_part_in_it(void **state) {
  (void)state;
  DegreeModel wanted = known(), other = known(), model;
  DegreeProfiles profiles = profiles_of(&wanted);
  for (int i = 0; i < DEGREE_SEGMENTS; i++) other.slope[i] = 0.3;
  add_profile(&profiles, "steep", &other, 120, 4);
  read_model(&model, "sampled");
  degree_fit(&profiles, "steep", &model);
  for (int i = 0; i < DEGREE_SEGMENTS; i++) is_near(model.slope[i], wanted.slope[i], 1e-9);
  degree_fit(&profiles, NULL, &model);
  assert_true(model.slope[3] > wanted.slope[3] + 0.005);
  degree_profiles_clear(&profiles);
}

static void large_caches_have_no_part_in_it_either(void **state) {
  (void)state;
  DegreeModel wanted = known(), other = known(), model;
  DegreeProfiles profiles = profiles_of(&wanted);
  for (int i = 0; i < DEGREE_SEGMENTS; i++) other.slope[i] = 0.3;
  add_profile(&profiles, "large", &other, 120, 4);
  profiles.items[profiles.count - 1].sample.capacity_lines = CAPACITY + 1;
  read_model(&model, "sampled");
  profiles.fit_lines = CAPACITY;
  degree_fit(&profiles, NULL, &model);
  for (int i = 0; i < DEGREE_SEGMENTS; i++) is_near(model.slope[i], wanted.slope[i], 1e-9);
  profiles.fit_lines = 0;
  degree_fit(&profiles, NULL, &model);
  assert_true(model.slope[2] > wanted.slope[2] + 0.005);
  degree_profiles_clear(&profiles);
}

// Hits that grow with the degree would make a slope negative.
static void slopes_stay_at_or_above_zero(void **state) {
  (void)state;
  DegreeModel wanted = known(), model;
  wanted.slope[2] = 0;
  DegreeProfiles profiles = profiles_of(&wanted);
  for (uint32_t i = 0; i < profiles.count; i++)
    for (uint32_t d = 0; d < DEGREES; d++) profiles.items[i].at[d].dram_reads /= d + 1;
  read_model(&model, "sampled");
  degree_fit(&profiles, NULL, &model);
  for (int i = 0; i < DEGREE_SEGMENTS; i++) assert_true(model.slope[i] >= 0);
  degree_profiles_clear(&profiles);
}

static void launches_without_all_degrees_are_left_out(void **state) {
  (void)state;
  DegreeModel wanted = known();
  DegreeProfiles profiles = profiles_of(&wanted);
  Error err;
  profiles.items[2].at[3].cycles = 0;
  assert_int_equal(degree_profiles_close(&profiles, &err), OK);
  assert_int_equal(profiles.count, 5);
  for (uint32_t i = 1; i < profiles.count; i++)
    assert_true(strcmp(profiles.items[i - 1].program, profiles.items[i].program) <= 0);
  for (uint32_t i = 0; i < profiles.count; i++) profiles.items[i].is_sampled = false;
  assert_int_equal(degree_profiles_close(&profiles, &err), ERR_SYNTAX);
  assert_non_null(strstr(err.text, "heddle study threads"));
  degree_profiles_clear(&profiles);
}

// A launch that reads 100 lines per CTA at degree 1, and so many times as many at degrees 2 to 4.
static DegreeProfile four_degrees(double two, double three, double four) {
  const double times[] = {1, two, three, four};
  DegreeProfile profile = {.most = 4,
                           .ctas = 10,
                           .is_sampled = true,
                           .sample = {.cycles = 1000,
                                      .warp_instructions = 1000,
                                      .accesses = 5000,
                                      .dram_reads = 100,
                                      .lines = 10,
                                      .line_uses = 5000,
                                      .capacity_lines = CAPACITY,
                                      .warps = 12}};
  for (int i = 0; i < 4; i++)
    profile.at[i] = (DegreeMeasured){
        .dram_reads = 1000 * times[i], .accesses = 50000, .cta_cycles = 1000, .cycles = 1};
  return profile;
}

static void measured_reads_leave_the_thresholds_to_choose(void **state) {
  (void)state;
  DegreeModel model;
  read_model(&model, "sampled");
  // Everything fits and little misses: a degree costs 1.03 x 1.05 besides its reads.
  DegreeProfile flat = four_degrees(1, 1, 1);
  assert_int_equal(degree_of_measured_reads(&model, &flat), 4);
  DegreeProfile steep = four_degrees(1, 1, 1.3);
  assert_int_equal(degree_of_measured_reads(&model, &steep), 3);
  steep = four_degrees(1.8, 1.9, 2.5);  // 3 / (1.9 x 1.17) against 2 / (1.8 x 1.08) and 1
  assert_int_equal(degree_of_measured_reads(&model, &steep), 3);
  steep = four_degrees(2, 4, 8);
  assert_int_equal(degree_of_measured_reads(&model, &steep), 1);
  steep.sample.dram_reads = 50;  // 0.05 per warp instruction: compute bound
  assert_int_equal(degree_of_measured_reads(&model, &steep), 4);
  steep.is_sampled = false;
  assert_int_equal(degree_of_measured_reads(&model, &steep), 4);
}

static void measured_times_leave_nothing_to_predict(void **state) {
  (void)state;
  DegreeProfile profile = four_degrees(1, 1, 1);
  assert_int_equal(degree_of_measured_time(&profile), 4);
  profile.at[3].cta_cycles = 1300;  // 3.08 CTAs per 1000 cycles; 3 at degree 3
  assert_int_equal(degree_of_measured_time(&profile), 4);
  profile.at[3].cta_cycles = 1400;
  assert_int_equal(degree_of_measured_time(&profile), 3);
  profile.is_sampled = false;
  assert_int_equal(degree_of_measured_time(&profile), 4);
}

static void coefficients_are_read_like_those_of_the_policy(void **state) {
  (void)state;
  DegreeModel model;
  Error err;
  read_model(&model, "sampled:margin=0.25,miss_low=0.2");
  assert_true(model.margin == 0.25 && model.miss_low == 0.2 && model.memory_bound == 0.05);
  assert_int_not_equal(degree_model_read(&model, "sampled:margin=-1", &err), OK);
  assert_non_null(strstr(err.text, "margin"));
  assert_int_equal(degree_model_read(&model, "dyncta", &err), ERR_USAGE);
  assert_non_null(strstr(err.text, "dyncta"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coefficients_are_read_like_those_of_the_policy),
      cmocka_unit_test(a_known_curve_is_found_again),
      cmocka_unit_test(a_program_left_out_has_no_part_in_it),
      cmocka_unit_test(large_caches_have_no_part_in_it_either),
      cmocka_unit_test(slopes_stay_at_or_above_zero),
      cmocka_unit_test(launches_without_all_degrees_are_left_out),
      cmocka_unit_test(measured_reads_leave_the_thresholds_to_choose),
      cmocka_unit_test(measured_times_leave_nothing_to_predict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
