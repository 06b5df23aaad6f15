// SPDX-License-Identifier: MIT
// The three stages of the degree predictor: every threshold of section 5.1 of
// Yen's thesis from both sides, and the numbers of its tables 5 to 7. The
// coefficients are those that the policy `sampled` has as defaults.
#include "policies/throttle/degree_predictor.h"

#include <math.h>
#include <string.h>

#include "base/param.h"
#include "policies/throttle/degree_report.h"
#include "policies/throttle/throttle.h"
#include "unit/policy_support.h"

static DegreeModel model;

// The model is a part of the policy's state; its parameters say where.
static int load_model(void **state) {
  void *sampled;
  const PolicyType *type = policy_bench_make(&throttle_family, "sampled", &sampled);
  size_t first = SIZE_MAX;
  for (const Param *param = type->params; param->name; param++)
    if (param->type == PARAM_DOUBLE && param->offset < first) first = param->offset;
  memcpy(&model, (const char *)sampled + first, sizeof model);
  (void)state;
  return 0;
}

static void is_near(double value, double wanted, double off) {
  if (!(fabs(value - wanted) <= off)) fail_msg("%g is not %g +- %g", value, wanted, off);
}
static const double hair = 1e-9;

static void the_defaults_are_those_of_the_thesis(void **state) {
  (void)state;
  assert_true(model.memory_bound == 0.05);
  assert_true(model.miss_low == 0.15 && model.miss_middle == 0.3 && model.miss_high == 0.85);
  assert_true(model.set_large == 5 && model.delta_large == 0.1 && model.latency_huge == 1.9);
  assert_true(model.set_huge == 15 && model.delta_huge == 0.04 && model.latency_large == 1.75);
  assert_true(model.latency_small == 1.03 && model.latency_medium == 1.1);
  assert_true(model.reads_many == 5 && model.pipeline_fits == 1.05);
  assert_true(model.pipeline_medium == 1.1 && model.pipeline_many == 1.2 &&
              model.pipeline_warps == 10);
}

// ---- memory bound or compute bound

static void a_kernel_is_memory_bound_above_a_read_in_twenty_instructions(void **state) {
  (void)state;
  assert_false(
      degree_is_memory_bound(&model, &(DegreeSample){.dram_reads = 50, .warp_instructions = 1000}));
  assert_true(
      degree_is_memory_bound(&model, &(DegreeSample){.dram_reads = 51, .warp_instructions = 1000}));
  assert_false(degree_is_memory_bound(&model, &(DegreeSample){0}));
}

// They read DRAM, but are no accesses of the L1D, so the miss rate ignores them.
static void atomics_that_dram_answers_count_as_reads(void **state) {
  (void)state;
  DegreeSample sample = {
      .dram_reads = 30, .dram_atomics = 20, .accesses = 60, .warp_instructions = 1000};
  assert_false(degree_is_memory_bound(&model, &sample));
  sample.dram_atomics = 21;
  assert_true(degree_is_memory_bound(&model, &sample));
  is_near(degree_miss_rate(&sample), 0.5, hair);
}

// ---- stage 1

static void the_miss_rate_is_dram_reads_over_accesses(void **state) {
  (void)state;
  is_near(degree_miss_rate(&(DegreeSample){.dram_reads = 1, .accesses = 4}), 0.25, hair);
  is_near(degree_miss_rate(&(DegreeSample){.dram_reads = 5, .accesses = 4}), 1, hair);
  is_near(degree_miss_rate(&(DegreeSample){0}), 0, hair);
}

// With one slope everywhere the hit rate is a power of the pressure.
static void hits_fall_as_a_power_of_the_pressure(void **state) {
  (void)state;
  DegreeModel line = {.knot = {1, 2, 3, 4}, .slope = {0.5, 0.5, 0.5, 0.5, 0.5}};
  is_near(degree_dram_growth(&line, 0.5, 2, 1, 4), (1 - 0.5 / 2) / 0.5, hair);
  is_near(degree_dram_growth(&line, 0.5, 2, 0.1, 10), (1 - 0.5 / 10) / 0.5, hair);
  // From 1 to 4 at once, or by way of 2.
  double first = degree_dram_growth(&line, 0.2, 2, 1, 2);
  double second = degree_dram_growth(&line, 0.2 * first, 2, 2, 4);
  is_near(first * second, degree_dram_growth(&line, 0.2, 2, 1, 4), hair);
  // Four uses of a line: twice the exponent. One use: nothing to lose.
  is_near(degree_dram_growth(&line, 0.5, 4, 1, 4), (1 - 0.5 / 4) / 0.5, hair);
  is_near(degree_dram_growth(&line, 0.5, 1, 1, 4), 1, hair);
  is_near(degree_dram_growth(&line, 0.5, 0, 1, 4), 1, hair);
}

static void each_segment_has_its_slope_from_knot_to_knot(void **state) {
  (void)state;
  for (int i = 0; i < DEGREE_SEGMENTS; i++) {
    DegreeModel only = {.knot = {1, 2, 4, 8}};
    only.slope[i] = 1;
    double low = i ? only.knot[i - 1] : 0.5, high = i < 4 ? only.knot[i] : 16;
    double halved = (1 - 0.5 / 2) / 0.5;
    is_near(degree_dram_growth(&only, 0.5, 2, low, high), halved, hair);
    is_near(degree_dram_growth(&only, 0.5, 2, low / 64, low), i ? 1 : (1 - 0.5 / 64) / 0.5, hair);
    is_near(degree_dram_growth(&only, 0.5, 2, high, high * 2), i < 4 ? 1 : halved, hair);
  }
}

static void dram_reads_never_fall_and_never_exceed_the_accesses(void **state) {
  (void)state;
  for (double miss = 0; miss <= 1; miss += 0.05)
    for (double pressure = 0; pressure < 300; pressure = pressure * 2 + 0.01) {
      double growth = degree_dram_growth(&model, miss, 8, pressure, pressure * 2);
      assert_true(growth >= 1 && growth * miss <= 1 + hair);
    }
  is_near(degree_dram_growth(&model, 0, 8, 4, 8), 1, hair);  // nothing to multiply
  is_near(degree_dram_growth(&model, 1, 8, 4, 8), 1, hair);  // nothing to lose
  is_near(degree_dram_growth(&model, 0.5, 8, 8, 4), 1, hair);
}

// Figure 9: equal working sets, bfs missing 41 % and nbf 13 % of its accesses. The
// DRAM reads of nbf grow by 2.6 (table 5), those of bfs not at all.
static void a_lower_miss_rate_grows_faster(void **state) {
  (void)state;
  assert_true(degree_dram_growth(&model, 0.13, 4, 1.02, 2.03) >
              degree_dram_growth(&model, 0.41, 4, 1.09, 2.19) + 0.5);
  is_near(degree_dram_growth(&model, 0.13, 1303 / 65., 1.02, 2.03), 2.59, 1.5);
  is_near(degree_dram_growth(&model, 0.41, 178 / 70., 1.09, 2.19), 0.98, 0.3);
}

// Figure 10: bfs, 70 lines a CTA, with 64 to 1024 lines of cache. Figure 11: with
// half the warps, hence about half the lines.
static void a_larger_cache_or_a_smaller_cta_grows_slower(void **state) {
  (void)state;
  double before = 100;
  for (double lines = 64; lines <= 1024; lines *= 2) {
    double growth = degree_dram_growth(&model, 0.41, 2.5, 70 / lines, 8 * 70 / lines);
    assert_true(growth < before);
    before = growth;
  }
  assert_true(degree_dram_growth(&model, 0.41, 2.5, 35. / 64, 4 * 35. / 64) <
              degree_dram_growth(&model, 0.41, 2.5, 70. / 64, 4 * 70. / 64));
}

// Stores to an L1D without write-allocate are accesses, but no uses of a line: with 38 stores
// beside 140 loads of 70 lines, a line has two uses.
static void uses_of_a_line_are_those_of_the_working_set(void **state) {
  (void)state;
  DegreeStep steps[2];
  DegreeSample sample = {.accesses = 178, .dram_reads = 70, .lines = 70, .capacity_lines = 64};
  sample.line_uses = 140;
  degree_predict(&model, &sample, 2, steps);
  is_near(steps[1].dram_growth, degree_dram_growth(&model, 70. / 178, 2, 70. / 64, 140. / 64),
          hair);
  sample.line_uses = 70;
  degree_predict(&model, &sample, 2, steps);
  is_near(steps[1].dram_growth, 1, hair);
}

// ---- stage 2

static void latency_grows_by_the_miss_rate(void **state) {
  (void)state;
  is_near(degree_latency_growth(&model, 0.15 - hair, 1, 100), 1.03, 0);
  is_near(degree_latency_growth(&model, 0.15, 1, 100), 1.1, 0);
  is_near(degree_latency_growth(&model, 0.3 - hair, 1, 100), 1.1, 0);
  is_near(degree_latency_growth(&model, 0.3, 1, 100), 1.9, 0);
  is_near(degree_latency_growth(&model, 0.85, 1, 100), 1.9, 0);
  is_near(degree_latency_growth(&model, 0.85 + hair, 1, 100), 1.03, 0);
}

static void latency_grows_by_working_set_and_delta(void **state) {
  (void)state;
  is_near(degree_latency_growth(&model, 0.5, 0.1 + hair, 5 + hair), 1.9, 0);
  is_near(degree_latency_growth(&model, 0.5, 0.1, 5 + hair), 1.1, 0);
  is_near(degree_latency_growth(&model, 0.5, 0.1 + hair, 5), 1.1, 0);
  is_near(degree_latency_growth(&model, 0.5, 0.1, 15 + hair), 1.75, 0);
  is_near(degree_latency_growth(&model, 0.5, 0.1, 15), 1.1, 0);
  is_near(degree_latency_growth(&model, 0.5, 0.04 + hair, 15 + hair), 1.75, 0);
  is_near(degree_latency_growth(&model, 0.5, 0.04, 15 + hair), 1.1, 0);
  is_near(degree_latency_growth(&model, 0.5, 0.1 + hair, 15 + hair), 1.9, 0);
}

// Tables 5 and 7 with the miss rates as inputs. unstructured reads 1557 lines a
// CTA, six times a cache of 32 KB; its latency grew by 1.46, 1.74, 1.12, 1.04,
// 1.00, 1.00, 1.00. bfs: about 1.07 at every degree but one.
static void latency_of_table_7(void **state) {
  (void)state;
  static const double unstructured[] = {0.22, 0.44, 0.56, 0.63, 0.67, 0.67, 0.67, 0.67};
  static const double wanted[] = {1.9, 1.9, 1.1, 1.1, 1.1, 1.1, 1.1};
  static const double bfs[] = {0.41, 0.40, 0.40, 0.40, 0.41, 0.43, 0.46, 0.49};
  for (int i = 1; i < 8; i++) {
    double delta = unstructured[i] - unstructured[i - 1];
    is_near(degree_latency_growth(&model, unstructured[i], delta, 1557 / 256.), wanted[i - 1], 0);
    is_near(degree_latency_growth(&model, bfs[i], bfs[i] - bfs[i - 1], 70 / 256.), 1.1, 0);
  }
}

// ---- stage 3

static void the_pipeline_effect_has_three_cases(void **state) {
  (void)state;
  is_near(degree_pipeline_growth(&model, 12, 1 - hair, 100), 1.05, 0);
  is_near(degree_pipeline_growth(&model, 12, 1, 0), 1.1, 0);
  is_near(degree_pipeline_growth(&model, 12, 1, 5), 1.1, 0);
  is_near(degree_pipeline_growth(&model, 12, 1, 5 + hair), 1.2, 0);
}

// Section 4.4: ten warps cover the pipeline's latencies, and only beyond them is a warp's
// execution lengthened.
static void ten_warps_have_no_pipeline_effect(void **state) {
  (void)state;
  is_near(degree_pipeline_growth(&model, 10, 1, 100), 1, 0);
  is_near(degree_pipeline_growth(&model, 10 + hair, 1, 100), 1.2, 0);
  is_near(degree_pipeline_growth(&model, 10 + hair, 0.5, 100), 1.05, 0);
}

// ---- the chain

// bfs of table 5 at degree 1: 72.94 DRAM reads at a miss rate of 0.41, 2582 cycles.
static const DegreeSample bfs_sample = {.cycles = 2582,
                                        .warp_instructions = 600,
                                        .accesses = 178,
                                        .dram_reads = 73,
                                        .lines = 70,
                                        .line_uses = 178,
                                        .capacity_lines = 256,
                                        .warps = 6};

static void the_time_of_a_cta_is_the_product_along_the_chain(void **state) {
  (void)state;
  DegreeStep steps[8];
  uint32_t best = degree_predict(&model, &bfs_sample, 8, steps);
  double cycles = 2582, reads = 73;
  is_near(steps[0].cta_cycles, 2582, hair);
  for (uint32_t i = 1; i < 8; i++) {
    cycles *= steps[i].dram_growth * steps[i].latency_growth * steps[i].pipeline_growth;
    reads *= steps[i].dram_growth;
    is_near(steps[i].cta_cycles, cycles, 1e-6);
    is_near(steps[i].dram_reads, reads, 1e-6);
    is_near(steps[i].miss_rate, reads / 178, 1e-9);
  }
  for (uint32_t i = 0; i < 8; i++)
    assert_true((i + 1) / steps[i].cta_cycles <= best / steps[best - 1].cta_cycles + hair);
}

// Table 6: bfs has the most CTAs per time at 5 (1.087 per 1000 cycles).
static void bfs_of_table_6_wants_several_ctas(void **state) {
  (void)state;
  DegreeStep steps[8];
  uint32_t best = degree_predict(&model, &bfs_sample, 8, steps);
  assert_in_range(best, 3, 6);
}

// Table 6: unstructured has most at 2, 6 % more than at 1, and then less.
static void unstructured_of_table_6_wants_few(void **state) {
  (void)state;
  DegreeStep steps[8];
  const DegreeSample sample = {.cycles = 87292,
                               .warp_instructions = 9000,
                               .accesses = 7080,
                               .dram_reads = 1558,
                               .lines = 1557,
                               .line_uses = 7080,
                               .capacity_lines = 256,
                               .warps = 6};
  assert_in_range(degree_predict(&model, &sample, 8, steps), 1, 2);
  assert_true(steps[1].latency_growth >= 1.1 && steps[1].pipeline_growth == 1.2);
}

static void compute_bound_kernels_go_to_the_largest_degree(void **state) {
  (void)state;
  DegreeStep steps[8];
  DegreeSample busy = bfs_sample;
  busy.warp_instructions = 73 * 20;
  busy.capacity_lines = 8;
  assert_int_equal(degree_predict(&model, &busy, 8, steps), 8);
  busy.warp_instructions--;
  assert_true(degree_predict(&model, &busy, 8, steps) < 8);
}

// What the thesis's factors imply: with no growth of DRAM reads a degree costs so much
// more than the one before, and the most CTAs per time are at 1 / ln(factor). A memory-bound
// kernel of many warps that reuses nothing never gets more.
static void the_least_factors_limit_memory_bound_kernels(void **state) {
  (void)state;
  DegreeStep steps[32];
  DegreeSample streaming = {.cycles = 1300,
                            .warp_instructions = 50,
                            .accesses = 10,
                            .dram_reads = 8,  // misses 0.8: latency x 1.1
                            .lines = 10,
                            .line_uses = 10,
                            .capacity_lines = 1000,
                            .warps = 6};
  assert_int_equal(degree_predict(&model, &streaming, 32, steps), 7);  // fit: 1 / ln(1.1 x 1.05)
  streaming.capacity_lines = 15;
  assert_int_equal(degree_predict(&model, &streaming, 32, steps), 5);  // 1 / ln(1.1 x 1.1)
  streaming.capacity_lines = 1000;
  streaming.dram_reads = 9;  // 0.9: latency x 1.03
  assert_int_equal(degree_predict(&model, &streaming, 32, steps), 13);
}

// Rodinia's gaussian has CTAs of one warp that reuse nothing. Up to ten of them only latency
// grows, by 1.1 per degree: 1 / ln(1.1) is 10.5, so that 8 CTAs are better than fewer. With two
// warps per CTA the pipeline counts from degree 6 on.
static void ctas_of_one_warp_are_not_limited_by_the_pipeline(void **state) {
  (void)state;
  DegreeStep steps[32];
  DegreeSample streaming = {.cycles = 1300,
                            .warp_instructions = 50,
                            .accesses = 10,
                            .dram_reads = 8,
                            .lines = 10,
                            .line_uses = 10,
                            .capacity_lines = 15,
                            .warps = 1};
  assert_int_equal(degree_predict(&model, &streaming, 8, steps), 8);
  assert_int_equal(degree_predict(&model, &streaming, 32, steps), 10);
  is_near(steps[9].pipeline_growth, 1, 0);
  is_near(steps[10].pipeline_growth, 1.1, 0);
  streaming.warps = 2;
  degree_predict(&model, &streaming, 8, steps);
  is_near(steps[4].pipeline_growth, 1, 0);
  is_near(steps[5].pipeline_growth, 1.1, 0);
}

// With 8 CTAs a factor of 1.155 per degree makes 7 better than 8 by 1.155 x 7 / 8, 1.06 %.
static void a_margin_prefers_the_largest_degree_within_it(void **state) {
  (void)state;
  DegreeStep steps[8];
  const DegreeSample streaming = {.cycles = 1300,
                                  .warp_instructions = 50,
                                  .accesses = 10,
                                  .dram_reads = 8,
                                  .lines = 10,
                                  .line_uses = 10,
                                  .capacity_lines = 1000,
                                  .warps = 6};
  DegreeModel wary = model;
  assert_true(model.margin == 0);
  wary.margin = 0.0106;
  assert_int_equal(degree_predict(&wary, &streaming, 8, steps), 7);
  wary.margin = 0.0107;
  assert_int_equal(degree_predict(&wary, &streaming, 8, steps), 8);
  wary.margin = 100;
  assert_int_equal(degree_predict(&wary, &bfs_sample, 8, steps), 8);
}

static void one_degree_is_no_choice(void **state) {
  (void)state;
  DegreeStep steps[1];
  assert_int_equal(degree_predict(&model, &bfs_sample, 1, steps), 1);
  assert_int_equal(degree_predict(&model, &(DegreeSample){0}, 1, steps), 1);
}

// ---- explanations

static void a_decision_becomes_two_tables(void **state) {
  (void)state;
  DegreeStep steps[8];
  DegreeDecision decision = {
      .outcome = "sampled", .most = 8, .decided = 2582, .sample = bfs_sample, .steps = steps};
  ResultTables tables = {0};
  decision.degree = degree_predict(&model, &bfs_sample, 8, steps);
  degree_report(&decision, &tables);
  json_t *json = json_object();
  result_tables_json(json, &tables);
  const json_t *row = json_array_get(json_object_get(json, "degree_decision"), 0);
  assert_string_equal(json_string_value(json_object_get(row, "outcome")), "sampled");
  assert_int_equal(json_integer_value(json_object_get(row, "lines")), 70);
  is_near(json_real_value(json_object_get(row, "miss_rate")), 73. / 178, 1e-6);
  const json_t *rows = json_object_get(json, "degree_predictions");
  assert_int_equal(json_array_size(rows), 8);
  for (uint32_t i = 0; i < 8; i++) {
    row = json_array_get(rows, i);
    assert_int_equal(json_integer_value(json_object_get(row, "degree")), i + 1);
    assert_int_equal(json_integer_value(json_object_get(row, "is_chosen")),
                     decision.degree == i + 1);
    is_near(json_number_value(json_object_get(row, "dram_growth")), steps[i].dram_growth, 1e-6);
  }
  json_decref(json);
  result_tables_clear(&tables);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_defaults_are_those_of_the_thesis),
      cmocka_unit_test(a_kernel_is_memory_bound_above_a_read_in_twenty_instructions),
      cmocka_unit_test(atomics_that_dram_answers_count_as_reads),
      cmocka_unit_test(the_miss_rate_is_dram_reads_over_accesses),
      cmocka_unit_test(hits_fall_as_a_power_of_the_pressure),
      cmocka_unit_test(each_segment_has_its_slope_from_knot_to_knot),
      cmocka_unit_test(dram_reads_never_fall_and_never_exceed_the_accesses),
      cmocka_unit_test(uses_of_a_line_are_those_of_the_working_set),
      cmocka_unit_test(a_lower_miss_rate_grows_faster),
      cmocka_unit_test(a_larger_cache_or_a_smaller_cta_grows_slower),
      cmocka_unit_test(latency_grows_by_the_miss_rate),
      cmocka_unit_test(latency_grows_by_working_set_and_delta),
      cmocka_unit_test(latency_of_table_7),
      cmocka_unit_test(the_pipeline_effect_has_three_cases),
      cmocka_unit_test(ten_warps_have_no_pipeline_effect),
      cmocka_unit_test(the_time_of_a_cta_is_the_product_along_the_chain),
      cmocka_unit_test(bfs_of_table_6_wants_several_ctas),
      cmocka_unit_test(unstructured_of_table_6_wants_few),
      cmocka_unit_test(compute_bound_kernels_go_to_the_largest_degree),
      cmocka_unit_test(the_least_factors_limit_memory_bound_kernels),
      cmocka_unit_test(ctas_of_one_warp_are_not_limited_by_the_pipeline),
      cmocka_unit_test(a_margin_prefers_the_largest_degree_within_it),
      cmocka_unit_test(one_degree_is_no_choice),
      cmocka_unit_test(a_decision_becomes_two_tables),
  };
  return cmocka_run_group_tests(tests, load_model, NULL);
}
