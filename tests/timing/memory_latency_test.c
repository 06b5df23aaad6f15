// SPDX-License-Identifier: MIT
// From the issue of a memory instruction to that of the one that waits for it,
// on an idle gtx480 of GPGPU-Sim 4, by where the data was. Loads stand in the
// load/store unit's latch at t+3, are worked on at t+4 and looked up in the L1D
// 35 cycles later.
//
//   L1D hit         released in the cycle of the lookup: t + 39
//   L2 hit          lookup t+39, network t+40, slice t+47, its lookups after the
//                   ROP latency t+168 .. t+171 (four sectors), last reply t+172,
//                   cluster t+178, fill t+179, arbiter t+180, release t+181
//   DRAM, row open  t + 298; bank closed 9 more (RCD 12 ticks of 0.76 cycles);
//                   other row open 9 more (RP 12 ticks). A cycle more or less by
//                   the phase of the DRAM's clock.
#include "timing/issue_log.h"

static IssueLog issues;

static void run_lanes(uint32_t threads, const char *text) {
  GpuConfig config = log_config(1);
  log_run(&issues, &config, 1, threads, text);
}

static void run(const char *text) {
  run_lanes(32, text);
}

// %rd1 = the buffer's address + bytes a lane * lane.
#define LANES_BY(bytes) "mul.wide.u32 %rd1, %r0, " #bytes ";\nadd.u64 %rd1, %rd0, %rd1;\n"
#define SHARED_BASE "mov.u32 %r9, shared;\n"
// A second load of the same line must wait for the first.
#define WAIT_FOR_R1 "add.u32 %r1, %r1, 0;\n"

static void an_l1_hit_takes_39_cycles(void **state) {
  (void)state;
  run(LANES_BY(4) "ld.global.u32 %r1, [%rd1];\n" WAIT_FOR_R1
                  "ld.global.u32 %r2, [%rd1];  // A\nadd.u32 %r3, %r2, %r1;  // B\n");
  assert_int_equal(log_gap(&issues, "A", "B"), 39);
  assert_int_equal(issues.stats.l1d.hits, 1);
}

// One lookup a cycle.
static void thirty_two_lines_that_hit_take_31_cycles_more(void **state) {
  (void)state;
  run(LANES_BY(128) "ld.global.u32 %r1, [%rd1];\n" WAIT_FOR_R1
                    "ld.global.u32 %r2, [%rd1];  // A\nadd.u32 %r3, %r2, %r1;  // B\n");
  assert_int_equal(log_gap(&issues, "A", "B"), 39 + 31);
  assert_int_equal(issues.stats.l1d.hits, 32);
}

// A fence empties the L1D of this configuration; the L2 keeps the line.
static void an_l2_hit_takes_181_cycles(void **state) {
  (void)state;
  run(LANES_BY(4) "ld.global.u32 %r1, [%rd1];\n" WAIT_FOR_R1
                  "membar.gl;\n"
                  "ld.global.u32 %r2, [%rd1];  // A\nadd.u32 %r3, %r2, %r1;  // B\n");
  assert_int_equal(log_gap(&issues, "A", "B"), 181);
  assert_int_equal(issues.stats.l1d.misses, 2);
  assert_int_equal(issues.stats.dram.reads, 4);
}

// Addresses 128 bytes apart lie in one row. Those 6 * 64 KB apart lie in one
// bank of one channel, in rows that follow one another.
static void dram_takes_298_cycles_or_two_times_nine_more(void **state) {
  (void)state;
  run(LANES_BY(
      4) "ld.global.u32 %r1, [%rd1];  // closed\n"
         "add.u32 %r1, %r1, 0;  // closed+\n"
         "ld.global.u32 %r2, [%rd1+128];  // open\n"
         "add.u32 %r2, %r2, %r1;  // open+\n"
         "ld.global.u32 %r3, [%rd1+393216];  // conflict\n"
         "add.u32 %r3, %r3, %r2;  // conflict+\n");
  assert_in_range(log_gap(&issues, "closed", "closed+"), 306, 308);
  assert_in_range(log_gap(&issues, "open", "open+"), 297, 299);
  assert_in_range(log_gap(&issues, "conflict", "conflict+"), 315, 317);
  assert_int_equal(issues.stats.dram.row_misses, 2);
  assert_int_equal(issues.stats.dram.precharges, 1);
}

// Misses of one instruction come back one sector a cycle; the first of them
// overlap with DRAM commands.
static void thirty_two_lines_that_miss_take_four_cycles_each(void **state) {
  (void)state;
  run(LANES_BY(128) "ld.global.u32 %r1, [%rd1];  // A\nadd.u32 %r2, %r1, 1;  // B\n");
  assert_in_range(log_gap(&issues, "A", "B"), 424, 434);
  assert_int_equal(issues.stats.dram.reads, 128);
}

static void shared_memory_takes_31_cycles_and_one_a_conflict(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int ways;
  } strides[] = {
      {SHARED_BASE "shl.b32 %r2, %r0, 2;\nadd.u32 %r2, %r2, %r9;\nld.shared.u32 %r1, [%r2];  // "
                   "A\nadd.u32 %r3, %r1, 1;  // B\n",
       1},
      {SHARED_BASE "shl.b32 %r2, %r0, 3;\nadd.u32 %r2, %r2, %r9;\nld.shared.u32 %r1, [%r2];  // "
                   "A\nadd.u32 %r3, %r1, 1;  // B\n",
       2},
      {SHARED_BASE "shl.b32 %r2, %r0, 5;\nadd.u32 %r2, %r2, %r9;\nld.shared.u32 %r1, [%r2];  // "
                   "A\nadd.u32 %r3, %r1, 1;  // B\n",
       8},
      {SHARED_BASE "shl.b32 %r2, %r0, 7;\nadd.u32 %r2, %r2, %r9;\nld.shared.u32 %r1, [%r2];  // "
                   "A\nadd.u32 %r3, %r1, 1;  // B\n",
       32},
      // One word for all lanes is given to all at once.
      {SHARED_BASE "and.b32 %r2, %r0, 0;\nadd.u32 %r2, %r2, %r9;\nld.shared.u32 %r1, [%r2];  // "
                   "A\nadd.u32 %r3, %r1, 1;  // B\n",
       1},
  };
  for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
    run(strides[i].text);
    assert_int_equal(log_gap(&issues, "A", "B"), 31 + strides[i].ways - 1);
  }
}

static void a_parameter_that_hits_takes_3_cycles(void **state) {
  (void)state;
  run("ld.param.u64 %rd5, [buffer];  // A\nadd.u64 %rd6, %rd5, 8;  // B\n");
  assert_int_equal(log_gap(&issues, "A", "B"), 3);
}

// A warp ends when its stores are acknowledged: four sectors at t + 182, one
// (a packet of one flit, a single lookup) at t + 176.
static void a_warp_ends_with_its_last_acknowledgement(void **state) {
  (void)state;
  run(LANES_BY(4) "st.global.u32 [%rd1], %r0;  // A\n");
  assert_int_equal(log_gap_to_end(&issues, "A"), 182);
  assert_int_equal(issues.cycles, log_issue(&issues, "A", 0, 0) + 182 + 1);
  run_lanes(8, LANES_BY(4) "st.global.u32 [%rd1], %r0;  // A\n");
  assert_int_equal(log_gap_to_end(&issues, "A"), 176);
}

// Atomics go past the L1D: on the network at t+3 (the address is not read
// through the collectors), in the slice at t+10, looked up at t+131. Nothing
// of the warp issues before the answer is chosen for write-back.
static void an_atomic_that_hits_the_l2_lets_its_warp_go_after_140_cycles(void **state) {
  (void)state;
#define WARM "ld.global.u32 %r1, [%rd0];\n" WAIT_FOR_R1
  const char *apart = WARM
      "atom.global.add.u32 %r2, [%rd0], 1;  // A\nmov.u32 %r5, 7;  // B\n"
      "st.global.v2.u32 [%rd0+64], {%r2, %r5};\n";
  const char *dependent = WARM
      "atom.global.add.u32 %r2, [%rd0], 1;  // A\n"
      "add.u32 %r3, %r2, %r1;  // B\n";
  run_lanes(1, apart);
  assert_int_equal(log_gap(&issues, "A", "B"), 140);
  run_lanes(1, dependent);
  assert_int_equal(log_gap(&issues, "A", "B"), 141);
  // Lanes that change the same word are as many accesses, one a cycle.
  run_lanes(4, apart);
  assert_int_equal(log_gap(&issues, "A", "B"), 140 + 3);
}

// With one MSHR the second miss is looked up again and again until the first
// has been handed out (a cycle before its register is written); then it needs
// the rest of its way: 298 - 39 cycles from the lookup, its row being open.
static void a_full_mshr_file_makes_the_second_miss_wait_for_the_first(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  const char *text = LANES_BY(4) "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+128];\n"
                                 "add.u32 %r3, %r1, 1;  // first\n"
                                 "add.u32 %r4, %r2, 1;  // second\n"
                                 "st.global.v2.u32 [%rd0+8192], {%r3, %r4};\n";
  log_run(&issues, &config, 1, 32, text);
  // In one bank column commands are three ticks apart: four sectors later.
  assert_in_range(log_gap(&issues, "first", "second"), 8, 10);
  config.l1d.mshrs = 1;
  log_run(&issues, &config, 1, 32, text);
  assert_in_range(log_gap(&issues, "first", "second"), 257, 260);
  assert_true(issues.stats.l1d.fail_mshr > 200);
}

// An MSHR that takes no second request makes it wait for the line, and then
// hit.
static void a_full_mshr_makes_a_merge_wait_for_the_line(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  const char *text = LANES_BY(4) "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1];\n"
                                 "add.u32 %r3, %r1, 1;  // first\n"
                                 "add.u32 %r4, %r2, 1;  // second\n"
                                 "st.global.v2.u32 [%rd0+8192], {%r3, %r4};\n";
  log_run(&issues, &config, 1, 32, text);
  assert_int_equal(log_gap(&issues, "first", "second"), 1);
  assert_int_equal(issues.stats.l1d.merges, 1);
  config.l1d.mshr_merges = 1;
  log_run(&issues, &config, 1, 32, text);
  assert_int_equal(issues.stats.l1d.merges, 0);
  assert_int_equal(issues.stats.l1d.hits, 1);
  assert_true(issues.stats.l1d.fail_merge > 200);
  // The hit releases its register in the cycle of the fill, the miss two later.
  assert_in_range(log_gap(&issues, "first", "second"), 1, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_l1_hit_takes_39_cycles),
      cmocka_unit_test(thirty_two_lines_that_hit_take_31_cycles_more),
      cmocka_unit_test(an_l2_hit_takes_181_cycles),
      cmocka_unit_test(dram_takes_298_cycles_or_two_times_nine_more),
      cmocka_unit_test(thirty_two_lines_that_miss_take_four_cycles_each),
      cmocka_unit_test(shared_memory_takes_31_cycles_and_one_a_conflict),
      cmocka_unit_test(a_parameter_that_hits_takes_3_cycles),
      cmocka_unit_test(a_warp_ends_with_its_last_acknowledgement),
      cmocka_unit_test(an_atomic_that_hits_the_l2_lets_its_warp_go_after_140_cycles),
      cmocka_unit_test(a_full_mshr_file_makes_the_second_miss_wait_for_the_first),
      cmocka_unit_test(a_full_mshr_makes_a_merge_wait_for_the_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
