// SPDX-License-Identifier: MIT
// Placement of siblings by position, the trials that allow it, and the lost lines that start them.
#include "policies/cta_dispatch/placement_trial.h"
#include "policies/shared/l1d_progress.h"
#include "unit/chip_support.h"

// ---- trials

// Ends CTAs of a program in which the usual placement does `usual` and the other one `other` units
// of work per cycle, until an epoch ends. 10 CTAs are resident, one ends every 100 cycles.
typedef struct TrialRun {
  PlacementTrial trial;
  Cycle now;
  double work;
} TrialRun;

static void run_epoch(TrialRun *program, double usual, double other, bool may_try) {
  double rate;
  bool is_over = false;
  while (!is_over) {
    program->now += 100;
    program->work += 100 * (program->trial.is_other ? other : usual);
    is_over =
        placement_trial_on_end(&program->trial, program->now, (uint64_t)program->work, 10, &rate);
  }
  assert_true(rate > 0.99 * (program->trial.is_other ? other : usual));
  assert_true(rate < 1.01 * (program->trial.is_other ? other : usual));
  placement_trial_next(&program->trial, rate, may_try);
}

static TrialRun new_program(void) {
  return (TrialRun){
      .trial = {.margin = 0.04, .least_cycles = 1000, .rest_epochs = 8, .hold_epochs = 16}};
}

static void a_gain_is_taken_and_kept(void **state) {
  (void)state;
  TrialRun program = new_program();
  for (int i = 0; i < 200; i++) run_epoch(&program, 1.0, 1.2, true);
  assert_int_equal(program.trial.trials, 1);
  assert_int_equal(program.trial.taken, 1);
  assert_int_equal(program.trial.given_up, 0);
  assert_true(program.trial.epochs_other > 170);
}

// A third of the epochs of the first trial, then fewer and fewer.
static void a_loss_is_left_and_tried_ever_less_often(void **state) {
  (void)state;
  TrialRun program = new_program();
  for (int i = 0; i < 200; i++) run_epoch(&program, 1.0, 0.9, true);
  assert_int_equal(program.trial.taken, 0);
  assert_in_range(program.trial.trials, 3, 6);
  assert_int_equal(program.trial.epochs_other, program.trial.trials);
}

static void a_gain_below_the_margin_is_left(void **state) {
  (void)state;
  TrialRun program = new_program();
  for (int i = 0; i < 50; i++) run_epoch(&program, 1.0, 1.03, true);
  assert_int_equal(program.trial.taken, 0);
}

// A program that gets faster by itself: the other placement follows the usual one, and is no better
// than the usual one after it.
static void a_drift_is_not_taken_for_a_gain(void **state) {
  (void)state;
  TrialRun program = new_program();
  for (int i = 0; i < 60; i++) {
    double speed = 1.0 + 0.1 * i;
    run_epoch(&program, speed, speed, true);
  }
  assert_true(program.trial.trials > 0);
  assert_int_equal(program.trial.taken, 0);
}

static void what_no_longer_gains_is_given_up(void **state) {
  (void)state;
  TrialRun program = new_program();
  for (int i = 0; i < 30; i++) run_epoch(&program, 1.0, 1.2, true);
  assert_true(program.trial.is_other);
  for (int i = 0; i < 30; i++) run_epoch(&program, 1.0, 0.9, true);
  assert_int_equal(program.trial.given_up, 1);
  assert_false(program.trial.is_other);
}

static void without_lost_lines_nothing_is_tried(void **state) {
  (void)state;
  TrialRun program = new_program();
  for (int i = 0; i < 50; i++) run_epoch(&program, 1.0, 1.2, false);
  assert_int_equal(program.trial.trials, 0);
  assert_int_equal(program.trial.epochs_other, 0);
}

// CTAs of the last placement do not count: an epoch measures from the moment when as many have
// ended as were resident.
static void an_epoch_waits_for_the_ctas_of_the_last(void **state) {
  (void)state;
  PlacementTrial trial = {.least_cycles = 1};
  double rate;
  for (int i = 1; i <= 11; i++)  // 100 units of work per cycle, of before
    assert_false(placement_trial_on_end(&trial, (Cycle)(10 * i), (uint64_t)(1000 * i), 10, &rate));
  for (int i = 1; i <= 21; i++)  // 1 per cycle from here on
    assert_false(placement_trial_on_end(&trial, (Cycle)(110 + 10 * i), (uint64_t)(11000 + 10 * i),
                                        10, &rate));
  assert_true(placement_trial_on_end(&trial, 330, 11220, 10, &rate));
  assert_true(rate == 1.0);
}

// ---- lost lines

static void load(L1dProgress *progress, const SharedType *type, uint64_t line, Outcome outcome) {
  type->on_access(progress,
                  &(L1dAccess){.line = line * 128, .line_bytes = 128, .outcome = (uint8_t)outcome});
}

// Against an exact set: of 1000 lines read twice, each second miss is lost; hits, merges and first
// misses are not. With every line sampled and room for all, lines that share an entry are missed.
static void lost_lines_are_those_read_before(void **state) {
  (void)state;
  Chip chip;
  new_bench("l1d_progress:tags=65536,sample=1");
  chip_init(&chip, "sibling_shares");
  L1dProgress *progress = part("l1d_progress", 3);
  const SharedType *type = NULL;
  for (uint32_t i = 0; i < policy_bench.shared_count; i++)
    if (strcmp(policy_bench.shared[i].type->name, "l1d_progress") == 0)
      type = (const SharedType *)policy_bench.shared[i].type;
  for (uint64_t line = 0; line < 1000; line++) load(progress, type, line, OUTCOME_MISS);
  assert_int_equal(progress->lost, 0);
  for (uint64_t line = 0; line < 1000; line++)
    load(progress, type, line,
         line < 300   ? OUTCOME_HIT
         : line < 400 ? OUTCOME_MERGE
                      : OUTCOME_MISS);
  assert_in_range(progress->lost, 590, 600);
  assert_int_equal(progress->loads, 2000);
  assert_int_equal(progress->hits, 300);
}

// ---- placement

static void start_children(Chip *chip, uint32_t count, uint64_t ctas) {
  launch_host(0, 8);
  for (uint32_t k = 0; k < count; k++)
    chip_start(chip,
               launch_child(1 + k, ctas, (LaunchOrigin){.parent = 0, .parent_cta = k}, 1 + k));
}

// Of 13 SMs, each of four positions has three or four, the same for all siblings.
static void positions_have_shares_if_told_always(void **state) {
  (void)state;
  static const int first[] = {0, 3, 6, 9, 13};
  Chip chip;
  new_bench(NULL);
  chip_init(&chip, "sibling_shares:guard=false");
  start_children(&chip, 6, 4);
  for (int c = 0; c < 8; c++) chip_cycle(&chip);
  for (int k = 0; k < 6; k++)
    for (int c = 0; c < 4; c++) assert_in_range(chip.sm_of[k][c], first[c], first[c + 1] - 1);
}

// 30 CTAs on 13 SMs: CTA c belongs to SM 13 c / 30, and only SMs without any CTA take others'.
static void more_ctas_than_sms_are_divided_evenly(void **state) {
  (void)state;
  Chip chip;
  new_bench(NULL);
  chip_init(&chip, "sibling_shares:guard=false");
  start_children(&chip, 1, 30);
  for (int c = 0; c < 8; c++) chip_cycle(&chip);
  assert_int_equal(chip.done[0], 30);
  for (int c = 0; c < 30; c++) assert_int_equal(chip.sm_of[0][c], 13 * c / 30);
}

// One CTA per SM fits: all 26 of position 0 of 26 children are for SMs 0 to 5; idle SMs take them.
static void idle_sms_take_the_ctas_of_others(void **state) {
  (void)state;
  Chip chip;
  new_bench(NULL);
  chip_init(&chip, "sibling_shares:guard=false");
  start_children(&chip, 2, 2);
  for (uint32_t s = 0; s < 6; s++) chip.held[s] = 16;  // SMs of position 0 are full
  for (int c = 0; c < 4; c++) chip_cycle(&chip);
  for (int k = 0; k < 2; k++) assert_in_range(chip.sm_of[k][0], 6, 12);
}

// Guarded, without any trial, CTAs go where round robin sends them.
static void guarded_it_begins_as_round_robin(void **state) {
  (void)state;
  Chip chip, usual;
  new_bench(NULL);
  chip_init(&chip, "sibling_shares");
  start_children(&chip, 6, 4);
  for (int c = 0; c < 8; c++) chip_cycle(&chip);
  new_bench(NULL);
  chip_init(&usual, "round_robin");
  start_children(&usual, 6, 4);
  for (int c = 0; c < 8; c++) chip_cycle(&usual);
  for (int k = 0; k < 6; k++)
    for (int c = 0; c < 4; c++) assert_int_equal(chip.sm_of[k][c], usual.sm_of[k][c]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gain_is_taken_and_kept),
      cmocka_unit_test(a_loss_is_left_and_tried_ever_less_often),
      cmocka_unit_test(a_gain_below_the_margin_is_left),
      cmocka_unit_test(a_drift_is_not_taken_for_a_gain),
      cmocka_unit_test(what_no_longer_gains_is_given_up),
      cmocka_unit_test(without_lost_lines_nothing_is_tried),
      cmocka_unit_test(an_epoch_waits_for_the_ctas_of_the_last),
      cmocka_unit_test(lost_lines_are_those_read_before),
      cmocka_unit_test(positions_have_shares_if_told_always),
      cmocka_unit_test(more_ctas_than_sms_are_divided_evenly),
      cmocka_unit_test(idle_sms_take_the_ctas_of_others),
      cmocka_unit_test(guarded_it_begins_as_round_robin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
