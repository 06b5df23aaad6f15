// SPDX-License-Identifier: MIT
// The identities of a run's counters: each is checked, and what breaks one is
// named.
#include "gpu/machine_stats.h"

#include <string.h>

#include "unit/cmocka_all.h"

// Two SMs with one scheduler, 100 cycles; 10 loads, of which 6 miss.
static GpuConfig config_of_two(void) {
  GpuConfig config;
  assert_int_equal(gpu_config_load(&config, "gtx480", NULL), OK);
  config.gpu.sm_count = 2;
  config.sm.warp_schedulers = 1;
  return config;
}

static MachineStats good(void) {
  MachineStats stats = {.cycles = 100};
  stats.sm.slots[SLOT_issued] = 50;
  stats.sm.slots[SLOT_memory] = 150;
  stats.sm.active_cycles = 180;
  stats.sm.warp_cycles = 360;
  stats.l1d = (CacheStats){
      .accesses = 10, .hits = 3, .merges = 1, .misses = 6, .cold_misses = 4, .reads = 10};
  stats.lsu.transactions = 10;
  stats.request_noc.packets = stats.slice.packets = 6;
  stats.slice.pieces = stats.slice.replies = stats.reply_noc.packets = 24;
  stats.slice.lookups[REQUEST_READ] = 24;
  stats.l2 = (CacheStats){.accesses = 24, .misses = 24, .cold_misses = 6, .sector_misses = 18};
  stats.dram.read_commands = 12;
  return stats;
}

static void expect_broken(const MachineStats *stats, const char *named) {
  GpuConfig config = config_of_two();
  Error err = {0};
  assert_int_equal(machine_stats_check(stats, &config, &err), ERR_INTERNAL);
  if (!strstr(err.text, named)) fail_msg("'%s' does not name '%s'", err.text, named);
}

static void counters_that_agree_pass(void **state) {
  (void)state;
  GpuConfig config = config_of_two();
  MachineStats stats = good();
  Error err = {0};
  if (machine_stats_check(&stats, &config, &err) != OK) fail_msg("%s", err.text);
}

static void a_cache_must_account_for_every_access(void **state) {
  (void)state;
  MachineStats stats = good();
  stats.l1d.hits++;
  expect_broken(&stats, "l1d: 4 hits + 1 merges + 6 misses != 10 accesses");
  stats = good();
  stats.l2.cold_misses = 7;
  expect_broken(&stats, "l2: more cold and sector misses");
}

static void every_slot_of_every_cycle_went_somewhere(void **state) {
  (void)state;
  MachineStats stats = good();
  stats.sm.slots[SLOT_memory]--;
  expect_broken(&stats, "issue slots");
}

static void every_request_is_answered_once(void **state) {
  (void)state;
  MachineStats stats = good();
  stats.slice.packets--;
  expect_broken(&stats, "packets at the L2 slices");
  stats = good();
  stats.slice.lookups[REQUEST_WRITE]++;
  expect_broken(&stats, "L2 lookups");
  stats = good();
  stats.slice.replies--;
  expect_broken(&stats, "L2 replies");
  stats = good();
  stats.reply_noc.packets++;
  expect_broken(&stats, "reply packets");
}

static void misses_leave_the_sm(void **state) {
  (void)state;
  MachineStats stats = good();
  stats.request_noc.packets = stats.slice.packets = 5;
  expect_broken(&stats, "misses allow 6 to 20");
  stats.request_noc.packets = stats.slice.packets = 21;
  expect_broken(&stats, "misses allow 6 to 20");
}

static void rates_follow_from_counters_and_configuration(void **state) {
  (void)state;
  GpuConfig config = config_of_two();
  MachineStats stats = good();
  machine_stats_derive(&stats, &config);
  assert_int_equal(stats.l1d_reuse_misses, 2);
  assert_int_equal(stats.l2_reuse_misses, 0);
  assert_int_equal(stats.warp_slot_cycles, 180 * 48);
  assert_int_equal(stats.dram_bytes, 12 * config.dram.command_bytes);
  // Two cycles of the SMs are three ticks of the buses.
  config.gpu.core_clock_mhz = 200;
  config.gpu.dram_clock_mhz = 300;
  config.gpu.channels = 4;
  config.dram.burst_ticks = 2;
  config.dram.command_bytes = 64;
  stats.cycles = 1000;
  machine_stats_derive(&stats, &config);
  assert_int_equal(stats.dram_peak_bytes, 1500 * 4 * 64 / 2);
}

static void no_two_statistics_have_one_name(void **state) {
  (void)state;
  MachineStats stats = good();
  json_t *object = json_object();
  stats_parts_json(object, machine_stats_parts, &stats);
  size_t count = 0;
  for (const StatsPart *part = machine_stats_parts; part->prefix; part++)
    for (const Stat *stat = part->table; stat->name; stat++) count++;
  assert_int_equal(json_object_size(object), count);
  static const char *const promised[] = {
      "cycles",      "l1d.accesses",        "l1d.hits",         "l1d.merges",
      "l1d.misses",  "l2.accesses",         "l2.misses",        "dram.reads",
      "dram.writes", "noc.request_packets", "noc.reply_packets"};
  for (size_t i = 0; i < sizeof promised / sizeof *promised; i++)
    assert_true(json_is_integer(json_object_get(object, promised[i])));
  json_decref(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(counters_that_agree_pass),
                                     cmocka_unit_test(a_cache_must_account_for_every_access),
                                     cmocka_unit_test(every_slot_of_every_cycle_went_somewhere),
                                     cmocka_unit_test(every_request_is_answered_once),
                                     cmocka_unit_test(misses_leave_the_sm),
                                     cmocka_unit_test(rates_follow_from_counters_and_configuration),
                                     cmocka_unit_test(no_two_statistics_have_one_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
