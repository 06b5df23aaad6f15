// SPDX-License-Identifier: MIT
// Blocks of a function and where the paths of its branches meet.
#include "frontends/ptx/lower/flow.h"

#include <stdlib.h>
#include <string.h>

#include "unit/cmocka_all.h"

enum { MAX_CODE = 64 };
static Instruction code[MAX_CODE];
static uint32_t targets[4];

// One letter an instruction: '.' anything, 'r' ret, 'e' exit, 't' trap, 'b' a
// jump, 'c' a jump under a guard, 'x' a jump table; jumps take their targets
// in order from the list.
static uint32_t write_code(const char *letters, const uint32_t *jumps) {
  uint32_t count = (uint32_t)strlen(letters);
  memset(code, 0, sizeof code);
  for (uint32_t i = 0; i < count; i++) {
    Instruction *in = &code[i];
    char letter = letters[i];
    in->guard = letter == 'c' || letter == 'E' ? 0 : NO_PLACE;
    in->reconverge = NO_RECONVERGENCE;
    in->form.op = letter == 'r'                    ? OP_RET
                  : letter == 'e' || letter == 'E' ? OP_EXIT
                  : letter == 't'                  ? OP_TRAP
                  : letter == 'b' || letter == 'c' ? OP_BRA
                  : letter == 'x'                  ? OP_BRX
                                                   : OP_ADD;
    if (in->form.op == OP_BRA) in->target = *jumps++;
    if (in->form.op == OP_BRX) {
      in->targets = targets;
      in->offset = 3;
    }
  }
  return count;
}

static void reconverge(const char *letters, const uint32_t *jumps) {
  uint32_t count = write_code(letters, jumps);
  Flow flow;
  flow_build(&flow, code, count);
  flow_reconverge(&flow, code);
  flow_clear(&flow);
}

#define JUMPS(...) ((const uint32_t[]){__VA_ARGS__})

static void blocks_end_at_jumps_and_begin_at_targets(void **state) {
  (void)state;
  uint32_t count = write_code("..c..b.r", JUMPS(6, 7));
  Flow flow;
  flow_build(&flow, code, count);
  static const uint32_t firsts[] = {0, 3, 6, 7};
  assert_int_equal(flow.block_count, 4);
  for (int i = 0; i < 4; i++) assert_int_equal(flow.blocks[i].first, firsts[i]);
  assert_int_equal(flow.blocks[0].successor_count, 2);
  assert_int_equal(flow.blocks[3].successor_count, 1);
  assert_int_equal(flow.edges[flow.blocks[3].successors], flow.block_count);
  flow_clear(&flow);
}

static void if_and_else_meet_behind_both(void **state) {
  (void)state;
  reconverge(".c..b..r", JUMPS(5, 7));
  assert_int_equal(code[1].reconverge, 7);
}

static void an_if_without_else_meets_at_its_target(void **state) {
  (void)state;
  reconverge(".c..r", JUMPS(4));
  assert_int_equal(code[1].reconverge, 4);
}

static void a_loop_meets_behind_it(void **state) {
  (void)state;
  reconverge("..c.r", JUMPS(1));
  assert_int_equal(code[2].reconverge, 3);
}

static void nested_loops_meet_each_behind_its_own(void **state) {
  (void)state;
  //          0123456
  reconverge("..c.c.r", JUMPS(1, 0));
  assert_int_equal(code[2].reconverge, 3);
  assert_int_equal(code[4].reconverge, 5);
}

static void a_break_meets_where_the_loop_ends(void **state) {
  (void)state;
  //          012345678
  reconverge(".c..c.b.r", JUMPS(7, 7, 1));
  assert_int_equal(code[1].reconverge, 7);
  assert_int_equal(code[4].reconverge, 7);
}

static void paths_that_end_apart_never_meet(void **state) {
  (void)state;
  reconverge(".c.r.r", JUMPS(4));
  assert_int_equal(code[1].reconverge, NO_RECONVERGENCE);
  reconverge(".c.e.r", JUMPS(4));
  assert_int_equal(code[1].reconverge, NO_RECONVERGENCE);
  reconverge(".c.t.r", JUMPS(4));
  assert_int_equal(code[1].reconverge, NO_RECONVERGENCE);
}

static void a_guarded_exit_is_no_end(void **state) {
  (void)state;
  reconverge(".c.E.r", JUMPS(4));
  assert_int_equal(code[1].reconverge, NO_RECONVERGENCE);
  reconverge(".c..E.r", JUMPS(3));
  assert_int_equal(code[1].reconverge, 3);
}

static void an_irreducible_loop_meets_behind_it(void **state) {
  (void)state;
  //          0123456     0 -> 4 or 1; 1..3 jumps to 4's block; that goes back to 2 or on
  reconverge("c...c.r", JUMPS(3, 2));
  assert_int_equal(code[0].reconverge, 3);
  assert_int_equal(code[4].reconverge, 5);
}

static void a_jump_table_meets_behind_all_its_targets(void **state) {
  (void)state;
  targets[0] = 2, targets[1] = 4, targets[2] = 6;
  //          01234567
  reconverge(".x.b.b.r", JUMPS(7, 7));
  assert_int_equal(code[1].reconverge, 7);
}

static void endless_loops_and_dead_code_do_no_harm(void **state) {
  (void)state;
  reconverge("..b", JUMPS(0));
  reconverge(".c.b.b", JUMPS(4, 2, 4));
  reconverge("rc.r", JUMPS(3));
  reconverge("c", JUMPS(0));
  assert_int_equal(code[0].reconverge, NO_RECONVERGENCE);
}

// Post-dominance by definition: every way from a block to the exit passes the
// meeting point. Checked on random graphs by taking the point out.
static bool reaches_exit(const Flow *flow, uint32_t from, uint32_t without, bool *seen) {
  if (from == flow->block_count) return true;
  if (from == without || seen[from]) return false;
  seen[from] = true;
  for (uint32_t i = 0; i < flow->blocks[from].successor_count; i++)
    if (reaches_exit(flow, flow->edges[flow->blocks[from].successors + i], without, seen))
      return true;
  return false;
}

static void in_random_programs_no_way_leads_around_the_meeting_point(void **state) {
  (void)state;
  srand(1);
  for (int round = 0; round < 2000; round++) {
    char letters[33];
    uint32_t jumps[32], count = 8 + (uint32_t)rand() % 24;
    for (uint32_t i = 0; i < count; i++) {
      letters[i] = "..ccbr"[rand() % 6];
      jumps[i] = (uint32_t)rand() % count;
    }
    letters[count - 1] = 'r';
    letters[count] = 0;
    write_code(letters, jumps);
    Flow flow;
    flow_build(&flow, code, count);
    flow_reconverge(&flow, code);
    for (uint32_t b = 0; b < flow.block_count; b++) {
      const Instruction *last = &code[flow.blocks[b].end - 1];
      bool seen[40] = {false}, seen_all[40] = {false};
      bool can_end = reaches_exit(&flow, b, UINT32_MAX, seen_all);
      if (last->form.op != OP_BRA || last->reconverge == NO_RECONVERGENCE || !can_end) continue;
      uint32_t meeting = flow.block_of[last->reconverge];
      if (meeting != b) assert_false(reaches_exit(&flow, b, meeting, seen));
    }
    flow_clear(&flow);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_end_at_jumps_and_begin_at_targets),
      cmocka_unit_test(if_and_else_meet_behind_both),
      cmocka_unit_test(an_if_without_else_meets_at_its_target),
      cmocka_unit_test(a_loop_meets_behind_it),
      cmocka_unit_test(nested_loops_meet_each_behind_its_own),
      cmocka_unit_test(a_break_meets_where_the_loop_ends),
      cmocka_unit_test(paths_that_end_apart_never_meet),
      cmocka_unit_test(a_guarded_exit_is_no_end),
      cmocka_unit_test(an_irreducible_loop_meets_behind_it),
      cmocka_unit_test(a_jump_table_meets_behind_all_its_targets),
      cmocka_unit_test(endless_loops_and_dead_code_do_no_harm),
      cmocka_unit_test(in_random_programs_no_way_leads_around_the_meeting_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
