// SPDX-License-Identifier: MIT
// Regions that some lanes leave: where the other lanes meet, and what the SIMT stack makes of it.
#include "frontends/ptx/lower/regions.h"

#include <string.h>

#include "base/memory.h"
#include "exec/warp.h"
#include "unit/cmocka_all.h"

enum { MAX_CODE = 64 };
static Instruction code[MAX_CODE];

// One letter an instruction: '.' anything, 'r' ret, 'b' a jump, 'c' a jump under a guard; jumps
// take their targets in order from the list.
static void find(const char *letters, const uint32_t *jumps) {
  uint32_t count = (uint32_t)strlen(letters);
  memset(code, 0, sizeof code);
  for (uint32_t i = 0; i < count; i++) {
    char letter = letters[i];
    bool jumps_here = letter == 'b' || letter == 'c';
    code[i].guard = letter == 'c' ? 0 : NO_PLACE;
    code[i].reconverge = NO_RECONVERGENCE;
    code[i].form.op = letter == 'r' ? OP_RET : jumps_here ? OP_BRA : OP_ADD;
    if (jumps_here) code[i].target = *jumps++;
  }
  Flow flow;
  flow_build(&flow, code, count);
  flow_reconverge(&flow, code);
  regions_find(&flow, code);
  flow_clear(&flow);
}

#define JUMPS(...) ((const uint32_t[]){__VA_ARGS__})

static void the_others_meet_where_the_if_ends(void **state) {
  (void)state;
  //    012345678       1: if; 3: break
  find(".c.c...r", JUMPS(4, 6));
  assert_int_equal(code[1].reconverge, 4);
  assert_int_equal(code[1].outer, 6);
  assert_true(code[3].leaves);
  assert_int_equal(code[3].reconverge, 6);
  assert_false(code[1].leaves);
}

static void an_else_meets_them(void **state) {
  (void)state;
  //    0123456789      1: if; 3: break; 5: over the else
  find(".c.c.b.....r", JUMPS(6, 9, 8));
  assert_int_equal(code[1].reconverge, 8);
  assert_int_equal(code[1].outer, 9);
  assert_true(code[3].leaves);
}

static void lanes_that_return_are_gone(void **state) {
  (void)state;
  //    0123456
  find(".c.c..r", JUMPS(4, 6));
  assert_int_equal(code[1].reconverge, 4);
  assert_int_equal(code[1].outer, 0);
  assert_false(code[3].leaves);
}

static void branches_inside_meet_at_the_end(void **state) {
  (void)state;
  //    0         1
  //    0123456789012345      1: if; 3: if; 5: break; 7: break
  find(".c.c.c.c......r", JUMPS(9, 7, 12, 12));
  assert_int_equal(code[1].reconverge, 9);
  assert_int_equal(code[3].reconverge, 7);
  assert_int_equal(code[3].outer, 12);
  assert_true(code[5].leaves);
  assert_true(code[7].leaves);
}

static void without_jumps_out_nothing_changes(void **state) {
  (void)state;
  find(".c..r", JUMPS(3));
  assert_int_equal(code[1].reconverge, 3);
  assert_int_equal(code[1].outer, 0);
  //    012345678     a loop with a break
  find(".c..c.b.r", JUMPS(7, 7, 1));
  assert_int_equal(code[1].reconverge, 7);
  assert_int_equal(code[4].reconverge, 7);
  assert_int_equal(code[4].outer, 0);
}

static void a_break_out_of_a_loop_inside_is_left_alone(void **state) {
  (void)state;
  //    0123456789   1: if; 3: out of both; 5: the loop
  find(".c.c.c....r", JUMPS(6, 8, 2));
  assert_int_equal(code[1].reconverge, 8);
  assert_false(code[3].leaves);
}

// ---- the stack

static Warp warp_of_all(void) {
  Warp warp = {0};
  *warp_push(&warp) = (SimtEntry){.pc = 2, .reconverge = NO_RECONVERGENCE, .mask = 0xf};
  return warp;
}

static void lanes_that_leave_wait_outside(void **state) {
  (void)state;
  Warp warp = warp_of_all();
  warp_diverge_inside(&warp, (WarpPath[]){{4, 0x8}, {2, 0x7}}, 2, 4, 6);
  assert_int_equal(warp_top(&warp)->mask, 0x7);
  warp_top(&warp)->pc = 4;  // as behind the break
  assert_true(warp_break(&warp, 0x1, 6));
  warp_settle(&warp);
  assert_int_equal(warp_top(&warp)->pc, 4);
  assert_int_equal(warp_top(&warp)->mask, 0xe);
  warp_top(&warp)->pc = 6;
  warp_settle(&warp);
  assert_int_equal(warp_top(&warp)->mask, 0xf);
  warp_clear(&warp);
}

static void all_may_leave(void **state) {
  (void)state;
  Warp warp = warp_of_all();
  warp_diverge_inside(&warp, (WarpPath[]){{4, 0xc}, {2, 0x3}}, 2, 4, 6);
  assert_true(warp_break(&warp, 0x3, 6));
  assert_int_equal(warp_top(&warp)->pc, 4);
  assert_int_equal(warp_top(&warp)->mask, 0xc);
  warp_clear(&warp);
}

static void outside_of_a_region_a_break_is_a_jump(void **state) {
  (void)state;
  Warp warp = warp_of_all();
  assert_false(warp_break(&warp, 0x3, 6));
  warp_diverge(&warp, (WarpPath[]){{3, 0x3}, {4, 0xc}}, 2, 6);
  assert_false(warp_break(&warp, 0x4, 6));
  warp_clear(&warp);
}

// An entry at the same place, of lanes that have yet to run from there.
static void lanes_do_not_leave_for_a_path_of_others(void **state) {
  (void)state;
  Warp warp = warp_of_all();
  warp_diverge(&warp, (WarpPath[]){{6, 0x8}, {2, 0x7}}, 2, 9);
  warp_diverge(&warp, (WarpPath[]){{3, 0x4}, {2, 0x3}}, 2, 4);
  assert_false(warp_break(&warp, 0x1, 6));
  warp_clear(&warp);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_others_meet_where_the_if_ends),
      cmocka_unit_test(an_else_meets_them),
      cmocka_unit_test(lanes_that_return_are_gone),
      cmocka_unit_test(branches_inside_meet_at_the_end),
      cmocka_unit_test(without_jumps_out_nothing_changes),
      cmocka_unit_test(a_break_out_of_a_loop_inside_is_left_alone),
      cmocka_unit_test(lanes_that_leave_wait_outside),
      cmocka_unit_test(all_may_leave),
      cmocka_unit_test(outside_of_a_region_a_break_is_a_jump),
      cmocka_unit_test(lanes_do_not_leave_for_a_path_of_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
