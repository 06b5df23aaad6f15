// SPDX-License-Identifier: MIT
// What orders warps and CTAs, and what a cell of the shadow memory keeps.
#include "races/warp_order.h"
#include "races/races.h"
#include "races/shadow.h"
#include "unit/cmocka_all.h"

enum { WARPS = 3 };
#define FLAG 0x1000u
#define DATA 0x2000u

static CtaOrder orders[2];
static SyncPoints points;
static Cta cta;

static int start(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 2; i++) cta_order_init(&orders[i], i + 1, WARPS);
  cta = (Cta){.warp_count = WARPS};
  return 0;
}

static int stop(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) cta_order_clear(&orders[i]);
  sync_points_clear(&points);
  return 0;
}

static uint32_t now(int c, uint32_t warp) {
  return orders[c].warps[warp].clock[warp];
}
static bool comes_before(uint32_t clock, uint32_t warp, uint32_t later) {
  return clock <= orders[0].warps[later].clock[warp];
}
static bool other_cta_knows(uint32_t clock, uint32_t warp, uint32_t later) {
  return known_has(&orders[1].warps[later].known, 1, warp, clock);
}

// As many arrivals as the CTA's barrier has after the warp's own; 0: it is complete.
static void arrive(uint32_t warp, uint32_t id, uint32_t arrived, bool waits) {
  cta.barriers[id].arrived_warps = arrived;
  order_barrier(&orders[0], &cta, warp, id, waits);
}

static void a_barrier_orders_those_who_arrived_before_those_who_waited(void **state) {
  (void)state;
  uint32_t before = now(0, 0);
  arrive(0, 1, 1, false);
  uint32_t after = now(0, 0);
  arrive(1, 1, 0, true);
  assert_true(comes_before(before, 0, 1));
  assert_false(comes_before(after, 0, 1));
  assert_false(comes_before(before, 0, 2));  // was not there
  assert_false(comes_before(1, 1, 0));       // bar.arrive takes nothing
}

static void another_barrier_orders_nothing(void **state) {
  (void)state;
  uint32_t before = now(0, 0);
  arrive(0, 1, 1, false);
  arrive(1, 2, 0, true);
  assert_false(comes_before(before, 0, 1));
}

static void an_exit_releases_the_warps_that_wait(void **state) {
  (void)state;
  uint32_t before = now(0, 0);
  arrive(0, 0, 1, true);
  arrive(1, 0, 2, true);
  // An exit has released them, and the third warp's is the first arrival of the next round.
  uint32_t third = now(0, 2);
  arrive(2, 0, 1, false);
  assert_true(comes_before(before, 0, 1));
  assert_false(comes_before(third, 2, 1));
  assert_int_equal(orders[0].barriers[0].arrived, 1);
}

static void a_released_warp_releases_the_others_when_it_resumes(void **state) {
  (void)state;
  uint32_t before = now(0, 0);
  arrive(0, 0, 1, true);
  arrive(1, 0, 2, true);
  assert_false(comes_before(before, 0, 1));
  order_resume(&orders[0], 1);
  assert_true(comes_before(before, 0, 1));
  assert_int_equal(orders[0].warps[0].barrier, 0);
}

static void a_release_and_an_acquire_order_two_ctas(void **state) {
  (void)state;
  uint32_t before = now(0, 0);
  order_fence(&orders[0], 0, false);
  uint32_t after = now(0, 0);
  order_write_strong(&orders[0], 0, &points, FLAG, 0);
  order_read_strong(&orders[1], 2, &points, FLAG, 0);
  assert_false(other_cta_knows(before, 0, 2));  // until the fence
  order_fence(&orders[1], 2, false);
  assert_true(other_cta_knows(before, 0, 2));
  assert_false(other_cta_knows(after, 0, 2));
  assert_false(other_cta_knows(before, 1, 2));  // another warp of the first CTA
}

static void without_its_fence_a_flag_publishes_nothing(void **state) {
  (void)state;
  uint32_t before = now(0, 0);
  order_write_strong(&orders[0], 0, &points, FLAG, 0);
  order_read_strong(&orders[1], 0, &points, FLAG, 0);
  order_fence(&orders[1], 0, false);
  assert_false(other_cta_knows(before, 0, 0));
}

static void a_fence_of_the_cta_and_another_flag_publish_nothing(void **state) {
  (void)state;
  uint32_t before = now(0, 0);
  order_fence(&orders[0], 0, true);
  order_write_strong(&orders[0], 0, &points, FLAG, 0);
  order_read_strong(&orders[1], 0, &points, FLAG, 0);
  order_fence(&orders[1], 0, false);
  assert_false(other_cta_knows(before, 0, 0));
  order_fence(&orders[0], 0, false);
  order_write_strong(&orders[0], 0, &points, DATA, 0);
  order_read_strong(&orders[1], 0, &points, FLAG, 0);
  order_fence(&orders[1], 0, false);
  assert_false(other_cta_knows(before, 0, 0));
}

static void what_a_warp_acquired_its_cta_learns_at_the_barrier(void **state) {
  (void)state;
  uint32_t before = now(1, 0);
  order_fence(&orders[1], 0, false);
  order_write_strong(&orders[1], 0, &points, FLAG, 0);
  order_read_strong(&orders[0], 0, &points, FLAG, 0);
  arrive(0, 0, 1, true);  // a barrier acquires
  arrive(1, 0, 0, true);
  assert_true(known_has(&orders[0].warps[1].known, 2, 0, before));
  assert_false(known_has(&orders[0].warps[2].known, 2, 0, before));
}

static void too_many_flags_are_everything(void **state) {
  (void)state;
  for (uint32_t i = 0; i <= KNOWN_POINTS; i++) {
    assert_false(orders[0].warps[0].known.is_everything);
    order_fence(&orders[1], 0, false);
    order_write_strong(&orders[1], 0, &points, FLAG + 4 * i, 0);
    order_read_strong(&orders[0], 0, &points, FLAG + 4 * i, 0);
    order_fence(&orders[0], 0, false);
  }
  assert_true(orders[0].warps[0].known.is_everything);
}

// ---- cells

static Touch touch(uint32_t by, uint32_t warp, uint32_t lane) {
  return (Touch){.cta = by, .stamp = stamp_make(1, warp, lane, 0)};
}

static void a_cell_keeps_readers_of_two_ctas_or_else_warps(void **state) {
  (void)state;
  ReadCell cell = {0};
  shadow_read(&cell, touch(1, 0, 3), 1);
  shadow_read(&cell, touch(1, 1, 3), 1);
  assert_int_equal(stamp_warp(cell.by[0].stamp), 1);
  assert_int_equal(stamp_warp(cell.by[1].stamp), 0);
  shadow_read(&cell, touch(2, 0, 3), 1);
  shadow_read(&cell, touch(2, 1, 3), 1);
  assert_int_equal(cell.by[0].cta, 2);
  assert_int_equal(cell.by[1].cta, 1);
}

static void a_reader_of_an_earlier_kernel_keeps_no_place(void **state) {
  (void)state;
  ReadCell cell = {0};
  shadow_read(&cell, touch(1, 0, 3), 1);
  shadow_read(&cell, touch(5, 0, 3), 5);
  shadow_read(&cell, touch(5, 1, 3), 5);
  assert_int_equal(cell.by[0].cta, 5);
  assert_int_equal(cell.by[1].cta, 5);
  assert_int_equal(stamp_warp(cell.by[1].stamp), 0);
}

static void lanes_that_read_the_same_word_are_several(void **state) {
  (void)state;
  ReadCell cell = {0};
  shadow_read(&cell, touch(1, 0, 3), 1);
  shadow_read(&cell, touch(1, 0, 3), 1);
  assert_int_equal(stamp_lane(cell.by[0].stamp), 3);
  shadow_read(&cell, touch(1, 0, 4), 1);
  assert_int_equal(stamp_lane(cell.by[0].stamp), SEVERAL_LANES);
  assert_int_equal(cell.by[1].cta, 0);
}

static void a_page_is_split_into_bytes(void **state) {
  (void)state;
  Shadow shadow = {0};
  ShadowPage *page = shadow_page_at(&shadow, 0xc0001008);
  assert_ptr_equal(page, shadow_page_at(&shadow, 0xc0001fff));
  assert_ptr_not_equal(page, shadow_page_at(&shadow, 0xc0002000));
  assert_null(shadow_page_at(&shadow, UINT64_C(1) << 44));
  shadow_page_add_writes(page);
  page->writes[2] = (WriteCell){.by = touch(7, 0, 0), .value = 0x44332211};
  shadow_page_split(page);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(page->writes[8 + i].by.cta, 7);
    assert_int_equal(page->writes[8 + i].value, 0x11 * (i + 1));
  }
  assert_int_equal(page->writes[12].by.cta, 0);
  assert_null(page->reads);  // nobody has read
  shadow_clear(&shadow);
}

// ---- options

static void options_are_read_and_checked(void **state) {
  (void)state;
  RaceOptions options;
  Error err;
  assert_int_equal(race_options_read(&options, "races", &err), OK);
  assert_int_equal(options.warp, RACE_WARPS_AUTO);
  assert_false(options.all);
  assert_int_equal(race_options_read(&options, "races:all,warp=off", &err), OK);
  assert_int_equal(options.warp, RACE_WARPS_OFF);
  assert_true(options.all);
  assert_int_equal(race_options_read(&options, "racesx", &err), ERR_USAGE);
  assert_int_equal(race_options_read(&options, "races:some", &err), ERR_USAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_barrier_orders_those_who_arrived_before_those_who_waited,
                                      start, stop),
      cmocka_unit_test_setup_teardown(another_barrier_orders_nothing, start, stop),
      cmocka_unit_test_setup_teardown(an_exit_releases_the_warps_that_wait, start, stop),
      cmocka_unit_test_setup_teardown(a_released_warp_releases_the_others_when_it_resumes, start,
                                      stop),
      cmocka_unit_test_setup_teardown(a_release_and_an_acquire_order_two_ctas, start, stop),
      cmocka_unit_test_setup_teardown(without_its_fence_a_flag_publishes_nothing, start, stop),
      cmocka_unit_test_setup_teardown(a_fence_of_the_cta_and_another_flag_publish_nothing, start,
                                      stop),
      cmocka_unit_test_setup_teardown(what_a_warp_acquired_its_cta_learns_at_the_barrier, start,
                                      stop),
      cmocka_unit_test_setup_teardown(too_many_flags_are_everything, start, stop),
      cmocka_unit_test(a_cell_keeps_readers_of_two_ctas_or_else_warps),
      cmocka_unit_test(a_reader_of_an_earlier_kernel_keeps_no_place),
      cmocka_unit_test(lanes_that_read_the_same_word_are_several),
      cmocka_unit_test(a_page_is_split_into_bytes),
      cmocka_unit_test(options_are_read_and_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
