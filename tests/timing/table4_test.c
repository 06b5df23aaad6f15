// SPDX-License-Identifier: MIT
// Yen's thesis, table 4: vector addition by CTAs of 64 threads, 320 of them, on a
// machine of one SM without an L2 that holds 1 to 7 CTAs at a time.
//
// The paper used GPGPU-Sim 3.2, whose L1 answers in the cycle in which it is
// asked (gtx480-3.2). GPGPU-Sim 4 has the same kernel on the same machine
// with its L1 latency of 35 cycles (gtx480). Each machine is held to its own
// numbers.
#include "unit/cmocka_all.h"

#include <math.h>
#include <stdio.h>

#include "support/case_outcome.h"

enum { DEGREES = 7 };
static const double percent_allowed = 10;

static MachineStats run_with(const char *gpu, uint32_t ctas) {
  Error err;
  Case *parsed;
  GpuConfig config;
  CaseOutcome outcome;
  assert_int_equal(gpu_config_load(&config, gpu, &err), OK);
  config.gpu.sm_count = 1;
  config.l2.enabled = false;
  config.sm.max_ctas = ctas;
  assert_int_equal(case_read(&parsed, "tests/reference/cases/vecadd_20k.case", &err), OK);
  if (case_outcome_run(&outcome, parsed, &config, NULL, &err) != OK) fail_msg("%s", err.text);
  case_destroy(parsed);
  return outcome.stats;
}

static void assert_column(const char *gpu, const uint32_t wanted[DEGREES]) {
  for (uint32_t i = 0; i < DEGREES; i++) {
    MachineStats stats = run_with(gpu, i + 1);
    double off = ((double)stats.cycles / wanted[i] - 1) * 100;
    printf("%s, %u CTAs: %u cycles wanted, %llu: %+.1f %%\n", gpu, i + 1, wanted[i],
           (unsigned long long)stats.cycles, off);
    assert_true(fabs(off) <= percent_allowed);
  }
}

static void the_paper_is_met_on_its_machine(void **state) {
  (void)state;
  const uint32_t cycles[DEGREES] = {197157, 100867, 67506, 50857, 40823, 34682, 29757};
  assert_column("gtx480-3.2", cycles);
}

static void gpgpusim_4_is_met_on_its_machine(void **state) {
  (void)state;
  const uint32_t cycles[DEGREES] = {215975, 108903, 73183, 55068, 44408, 37421, 32159};
  assert_column("gtx480", cycles);
}

// Two arrays of 20480 integers are 1280 lines, whatever the degree. Beside
// them the machine reads two lines of code and one block of parameters.
static void data_takes_1280_dram_reads(void **state) {
  (void)state;
  for (uint32_t i = 0; i < DEGREES; i++) {
    MachineStats stats = run_with("gtx480-3.2", i + 1);
    assert_int_equal(stats.slice.lookups[REQUEST_READ], 1280);
    assert_int_equal(stats.dram.reads, 1280 + 3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_paper_is_met_on_its_machine),
      cmocka_unit_test(gpgpusim_4_is_met_on_its_machine),
      cmocka_unit_test(data_takes_1280_dram_reads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
