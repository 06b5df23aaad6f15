// SPDX-License-Identifier: MIT
// Fetch, branches, barriers and the start of CTAs on the gtx480 of GPGPU-Sim 4,
// as gaps between issues.
#include "timing/issue_log.h"

static IssueLog issues;

static GpuConfig with_instruction_cache(uint32_t sms) {
  GpuConfig config = log_config(sms);
  config.l1i.enabled = true;
  return config;
}

// Registers that nobody reads would share a place, and writes to it wait.
#define KEEP "st.global.v2.u32 [%rd0], {%r0, %r2};\n"

// A taken branch makes what is buffered useless. The warp's next look at its
// buffer costs the issue attempt and starts a fetch; decode and issue follow. A
// branch that was the second of its pair leaves an empty buffer: the pair
// behind it is fetched first, and found useless one cycle later.
static void a_taken_branch_costs_three_or_four_cycles(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  // The two instructions of the frame are a pair.
  log_run(&issues, &config, 1, 32,
          "bra there;  // A\nadd.u32 %r1, %r0, 1;\nthere:\n"
          "mov.u32 %r2, 2;  // B\n" KEEP);
  assert_int_equal(log_gap(&issues, "A", "B"), 3);
  log_run(&issues, &config, 1, 32,
          "mov.u32 %r5, 0;\nbra there;  // A\nadd.u32 %r1, %r0, 1;\n"
          "add.u32 %r1, %r0, 1;\nthere:\nmov.u32 %r2, 2;  // B\nst.global.u32 [%rd0], %r5;\n" KEEP);
  assert_int_equal(log_gap(&issues, "A", "B"), 4);
}

// The lanes that take the branch go first; the others follow when those have
// come to where both meet.
static void the_taken_side_of_a_branch_goes_first(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  log_run(&issues, &config, 1, 32,
          "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra taken;\n"
          "add.u32 %r1, %r0, 1;  // not\nbra.uni meet;\ntaken:\n"
          "add.u32 %r1, %r0, 2;  // taken\nmeet:\n"
          "add.u32 %r2, %r1, 2;  // meet\n");
  assert_true(log_gap(&issues, "taken", "not") > 0);
  assert_true(log_gap(&issues, "not", "meet") > 0);
}

// Cycle 0 places the CTA; the fetch of cycle 1 misses. Then as any read: the
// network, 120 cycles of ROP latency, DRAM (bank closed), four sectors, and
// decode: the first issue is in cycle 268, or 267 by the phase of the DRAM's
// clock. Sixteen instructions of 8 bytes make a line.
static void a_cold_line_of_code_takes_267_cycles(void **state) {
  (void)state;
  GpuConfig config = with_instruction_cache(1);
  log_run(&issues, &config, 1, 32, "mov.u32 %r1, 0;  // A\n");
  // A is the first of the second pair; the frame has issued twice before.
  Cycle first = issues.entries[0].cycle;
  assert_in_range(first, 1 + 266, 1 + 268);
}

#define FOUR(r) \
  "mov.u32 %r" #r ", 1;\nmov.u32 %r" #r ", 1;\nmov.u32 %r" #r ", 1;\nmov.u32 %r" #r ", 1;\n"

// The second line lies in the same row of the same bank, so it takes
// 258 cycles; the third lies in another channel, whose bank is closed. The
// fetch is in the cycle in which the last buffered instruction issues.
static void code_that_goes_on_takes_258_cycles_where_the_row_is_open(void **state) {
  (void)state;
  GpuConfig config = with_instruction_cache(1);
  log_run(&issues, &config, 1, 32,
          // 2 of the frame, 13, the last of the line
          FOUR(1) FOUR(2) FOUR(3) "mov.u32 %r4, 1;\nmov.u32 %r5, 1;  // last\n"
                                  "mov.u32 %r6, 1;  // second\n"
                                  FOUR(7) FOUR(8) FOUR(9) "mov.u32 %r10, 1;\nmov.u32 %r11, 1;\n"
                                  "mov.u32 %r12, 1;  // last2\nmov.u32 %r13, 1;  // third\n");
  assert_in_range(log_gap(&issues, "last", "second"), 257, 259);
  assert_in_range(log_gap(&issues, "last2", "third"), 266, 268);
  assert_int_equal(issues.stats.l1i.misses, 3);
}

// A second launch goes to the next SM: its instruction cache is cold, the L2
// has the line. Fetch in cycle 1, first issue 141 cycles later.
static void code_in_the_l2_takes_141_cycles(void **state) {
  (void)state;
  GpuConfig config = with_instruction_cache(2);
  log_run_again(&issues, &config, 2, 1, 32, "mov.u32 %r1, 0;\n");
  assert_int_equal(issues.entries[0].sm, 1);
  assert_int_equal(issues.entries[0].cycle, 1 + 141);
  // A third one comes back to the first, which has the line: fetch, decode, issue.
  log_run_again(&issues, &config, 3, 1, 32, "mov.u32 %r1, 0;\n");
  assert_int_equal(issues.entries[0].sm, 0);
  assert_int_equal(issues.entries[0].cycle, 1 + 2);
}

// The last warp to arrive lets all go on at once: a scheduler that comes later
// in the same cycle can already use it.
static void a_barrier_opens_when_the_last_warp_issues_it(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  log_run(&issues, &config, 1, 64,
          "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra early;\n"
          "mul.lo.u32 %r1, %r0, 3;\nmul.lo.u32 %r1, %r1, 3;\nmul.lo.u32 %r1, %r1, 3;\nmul.lo.u32 "
          "%r1, %r1, 3;\n"
          "early:\nbar.sync 0;  // bar\nadd.u32 %r2, %r0, 1;  // after\n");
  Cycle early = log_issue(&issues, "bar", 0, 0), late = log_issue(&issues, "bar", 1, 0);
  Cycle on = log_issue(&issues, "after", 0, 0);
  assert_true(late > early + 20);
  assert_in_range(on, late, late + 1);
}

// CTA n goes to SM n mod 3, one a cycle and SM.
static void ctas_go_round_the_sms(void **state) {
  (void)state;
  GpuConfig config = log_config(3);
  log_run(&issues, &config, 6, 32, "add.u32 %r1, %r0, 1;\n");
  // The first three CTAs start together, the other three a cycle later.
  uint32_t seen[3] = {0};
  for (uint32_t i = 0; i < issues.count && issues.entries[i].kind == EVENT_ISSUE; i++)
    if (issues.entries[i].cycle == 3) seen[issues.entries[i].sm]++;
  for (int s = 0; s < 3; s++) assert_int_equal(seen[s], 1);
}

// Two warps of one scheduler, each with an independent stream: greedy stays
// with the older one while it can issue, round robin changes with every issue.
static void gto_stays_and_lrr_changes(void **state) {
  (void)state;
  for (int lrr = 0; lrr < 2; lrr++) {
    GpuConfig config = log_config(1);
    config.sm.warp_schedulers = 1;
    config.sm.buffer_entries = 8;
    snprintf(config.policy.warp_scheduler, sizeof config.policy.warp_scheduler, "%s",
             lrr ? "lrr" : "gto");
    log_run(&issues, &config, 1, 64,
            "bar.sync 0;\n"
            "mov.u32 %r1, 1;  // A\nmov.u32 %r2, 1;\nmov.u32 %r3, 1;  // B\n"
            "st.global.v2.u32 [%rd0], {%r1, %r2};\nst.global.u32 [%rd0], %r3;\n");
    // Three moves in a row take two cycles, or four where the other warp comes
    // in between.
    Cycle first = log_issue(&issues, "B", 0, 0) - log_issue(&issues, "A", 0, 0);
    Cycle second = log_issue(&issues, "B", 1, 0) - log_issue(&issues, "A", 1, 0);
    assert_int_equal(first < second ? first : second, lrr ? 4 : 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_taken_branch_costs_three_or_four_cycles),
      cmocka_unit_test(the_taken_side_of_a_branch_goes_first),
      cmocka_unit_test(a_cold_line_of_code_takes_267_cycles),
      cmocka_unit_test(code_that_goes_on_takes_258_cycles_where_the_row_is_open),
      cmocka_unit_test(code_in_the_l2_takes_141_cycles),
      cmocka_unit_test(a_barrier_opens_when_the_last_warp_issues_it),
      cmocka_unit_test(ctas_go_round_the_sms),
      cmocka_unit_test(gto_stays_and_lrr_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
