// SPDX-License-Identifier: MIT
// The classifier on evidence made by hand: each category, and each limit from both sides.
#include <string.h>

#include "study/classify/classify.h"
#include "unit/cmocka_all.h"

// Nothing is shared, nothing changes: streaming.
static KernelEvidence quiet(void) {
  KernelEvidence evidence = {
      .name = "k", .launches = 1, .ctas = 64, .grid_height = 2, .coalescing = 1, .time_share = 1};
  for (Experiment i = 0; i < EXPERIMENTS; i++)
    evidence.measured[i] =
        (Measured){.cycles = 10000, .l1_accesses = 1000, .l1_hits = 500, .l2_reads = 2000};
  return evidence;
}

static Verdict verdict_of(const KernelEvidence *evidence) {
  Verdict verdict;
  classify(evidence, &classify_defaults, &verdict);
  return verdict;
}

static Category category_of(const KernelEvidence *evidence) {
  return verdict_of(evidence).category;
}

static void what_shares_nothing_streams(void **state) {
  (void)state;
  KernelEvidence evidence = quiet();
  Verdict verdict = verdict_of(&evidence);
  assert_int_equal(verdict.category, CATEGORY_STREAMING);
  assert_int_equal(verdict.published, CATEGORY_STREAMING);
  assert_false(verdict.is_exploitable);
  assert_int_equal(verdict.order, BEST_NONE);
  assert_string_equal(verdict.reason, "other CTAs load 0 % of its data");
}

static void sharing_alone_is_not_enough(void **state) {
  (void)state;
  KernelEvidence evidence = quiet();
  evidence.shared = 1;
  evidence.measured[EXPERIMENT_ROW].l2_reads = 1000;  // traffic that takes no time
  assert_int_equal(category_of(&evidence), CATEGORY_STREAMING);
  assert_int_equal(verdict_of(&evidence).published, CATEGORY_ALGORITHM);
  evidence.measured[EXPERIMENT_IDEAL].cycles = 9000;
  Verdict verdict = verdict_of(&evidence);
  assert_int_equal(verdict.category, CATEGORY_ALGORITHM);
  assert_true(verdict.is_exploitable);
  assert_int_equal(verdict.order, BEST_ROW);
  assert_string_equal(verdict.reason,
                      "other CTAs load 100 % of its data, and the order of CTAs matters");
}

static void each_sign_that_data_matters_has_its_limit(void **state) {
  (void)state;
  static const struct {
    Experiment experiment;
    uint64_t below, above;
  } limits[] = {{EXPERIMENT_ROW, 10490, 10510},
                {EXPERIMENT_COLUMN, 9510, 9490},
                {EXPERIMENT_UNCACHED, 10490, 10510},
                {EXPERIMENT_IDEAL, 9510, 9490}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    KernelEvidence evidence = quiet();
    evidence.shared = 0.5;
    evidence.measured[limits[i].experiment].cycles = limits[i].below;
    assert_int_equal(category_of(&evidence), CATEGORY_STREAMING);
    evidence.measured[limits[i].experiment].cycles = limits[i].above;
    assert_int_equal(category_of(&evidence), CATEGORY_ALGORITHM);
  }
}

static void the_published_flow_asks_for_order_first(void **state) {
  (void)state;
  KernelEvidence evidence = quiet();
  evidence.measured[EXPERIMENT_COLUMN].l1_hits = 519;  // 1.9 % of the hit rate
  assert_int_equal(verdict_of(&evidence).published, CATEGORY_STREAMING);
  evidence.measured[EXPERIMENT_COLUMN].l1_hits = 521;
  assert_int_equal(verdict_of(&evidence).published, CATEGORY_ALGORITHM);
  evidence = quiet();
  evidence.measured[EXPERIMENT_ROW].l2_reads = 1910;  // -4.5 %
  assert_int_equal(verdict_of(&evidence).published, CATEGORY_STREAMING);
  evidence.measured[EXPERIMENT_ROW].l2_reads = 1890;
  assert_int_equal(verdict_of(&evidence).published, CATEGORY_ALGORITHM);
}

static void uncoalesced_loads_are_cache_line_related(void **state) {
  (void)state;
  KernelEvidence evidence = quiet();
  evidence.shared = 1;
  evidence.measured[EXPERIMENT_IDEAL].cycles = 9000;
  evidence.coalescing = 0.13;
  assert_int_equal(category_of(&evidence), CATEGORY_ALGORITHM);
  evidence.coalescing = 0.12;
  assert_int_equal(category_of(&evidence), CATEGORY_CACHE_LINE);
}

static void a_tenth_of_the_loads_has_to_be_shared(void **state) {
  (void)state;
  KernelEvidence evidence = quiet();
  evidence.measured[EXPERIMENT_IDEAL].cycles = 9000;
  evidence.shared = 0.09;
  assert_int_equal(category_of(&evidence), CATEGORY_STREAMING);
  evidence.shared = 0.11;
  assert_int_equal(category_of(&evidence), CATEGORY_ALGORITHM);
}

static void fewer_reads_without_the_l1_mean_long_lines(void **state) {
  (void)state;
  KernelEvidence evidence = quiet();
  evidence.shared = 1;
  evidence.measured[EXPERIMENT_ROW].l2_reads = 1500;
  evidence.measured[EXPERIMENT_ROW].cycles = 9000;
  evidence.measured[EXPERIMENT_UNCACHED].l2_reads = 1620;
  assert_int_equal(category_of(&evidence), CATEGORY_ALGORITHM);
  evidence.measured[EXPERIMENT_UNCACHED].l2_reads = 1580;
  Verdict verdict = verdict_of(&evidence);
  assert_int_equal(verdict.category, CATEGORY_CACHE_LINE);
  assert_int_equal(verdict.published, CATEGORY_CACHE_LINE);
  assert_true(verdict.is_exploitable);
}

static void addresses_from_memory_come_first(void **state) {
  (void)state;
  KernelEvidence evidence = quiet();
  evidence.shared = 1;
  evidence.measured[EXPERIMENT_ROW].l2_reads = 1000;
  evidence.measured[EXPERIMENT_UNCACHED].l2_reads = 1000;
  evidence.indirect = 0.24;
  assert_int_equal(category_of(&evidence), CATEGORY_CACHE_LINE);
  evidence.indirect = 0.26;
  Verdict verdict = verdict_of(&evidence);
  assert_int_equal(verdict.category, CATEGORY_DATA);
  assert_false(verdict.is_write_too);
  assert_false(verdict.is_exploitable);
  evidence.overwritten = 0.2;
  verdict = verdict_of(&evidence);
  assert_int_equal(verdict.category, CATEGORY_DATA);
  assert_true(verdict.is_write_too);
}

static void what_others_overwrite_is_write_related(void **state) {
  (void)state;
  KernelEvidence evidence = quiet();
  evidence.measured[EXPERIMENT_UNCACHED].l2_reads = 1000;
  evidence.overwritten = 0.09;
  assert_int_equal(category_of(&evidence), CATEGORY_CACHE_LINE);
  evidence.overwritten = 0.11;
  assert_int_equal(category_of(&evidence), CATEGORY_WRITE);
  assert_int_equal(verdict_of(&evidence).published, CATEGORY_WRITE);
}

static void the_published_flow_calls_uncoalesced_kernels_data(void **state) {
  (void)state;
  KernelEvidence evidence = quiet();
  evidence.coalescing = 0.51;
  assert_int_equal(verdict_of(&evidence).published, CATEGORY_STREAMING);
  evidence.coalescing = 0.49;
  assert_int_equal(verdict_of(&evidence).published, CATEGORY_DATA);
  assert_int_equal(category_of(&evidence), CATEGORY_STREAMING);
}

static void the_better_order_is_the_one_with_fewer_reads(void **state) {
  (void)state;
  KernelEvidence evidence = quiet();
  evidence.measured[EXPERIMENT_ROW].l2_reads = 1800;
  evidence.measured[EXPERIMENT_COLUMN].l2_reads = 1200;
  assert_int_equal(verdict_of(&evidence).order, BEST_COLUMN);
  evidence.grid_height = 1;
  assert_int_equal(verdict_of(&evidence).order, BEST_NONE);
  evidence = quiet();
  evidence.measured[EXPERIMENT_ROW].cycles = 9000;  // the same traffic
  assert_int_equal(verdict_of(&evidence).order, BEST_ROW);
}

static void a_program_is_what_most_of_its_time_is(void **state) {
  (void)state;
  KernelEvidence kernels[] = {quiet(), quiet(), quiet()};
  Verdict verdicts[] = {{.category = CATEGORY_STREAMING},
                        {.category = CATEGORY_CACHE_LINE},
                        {.category = CATEGORY_CACHE_LINE}};
  Evidence evidence = {kernels, 3};
  kernels[0].time_share = 0.4, kernels[1].time_share = 0.35, kernels[2].time_share = 0.25;
  assert_int_equal(classify_program(&evidence, verdicts), CATEGORY_CACHE_LINE);
  kernels[0].time_share = 0.6, kernels[1].time_share = 0.3, kernels[2].time_share = 0.1;
  assert_int_equal(classify_program(&evidence, verdicts), CATEGORY_STREAMING);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_shares_nothing_streams),
      cmocka_unit_test(sharing_alone_is_not_enough),
      cmocka_unit_test(each_sign_that_data_matters_has_its_limit),
      cmocka_unit_test(the_published_flow_asks_for_order_first),
      cmocka_unit_test(uncoalesced_loads_are_cache_line_related),
      cmocka_unit_test(a_tenth_of_the_loads_has_to_be_shared),
      cmocka_unit_test(fewer_reads_without_the_l1_mean_long_lines),
      cmocka_unit_test(addresses_from_memory_come_first),
      cmocka_unit_test(what_others_overwrite_is_write_related),
      cmocka_unit_test(the_published_flow_calls_uncoalesced_kernels_data),
      cmocka_unit_test(the_better_order_is_the_one_with_fewer_reads),
      cmocka_unit_test(a_program_is_what_most_of_its_time_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
