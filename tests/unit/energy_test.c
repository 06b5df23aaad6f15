// SPDX-License-Identifier: MIT
// Energy follows from counters and costs.
#include "gpu/energy.h"

#include <string.h>

#include "gpu/config/gpu_config.h"
#include "gpu/machine_stats.h"
#include "unit/cmocka_all.h"

// Every cost 0 but those that a test sets.
static GpuConfig free_of_cost(void) {
  GpuConfig config;
  Error err;
  assert_int_equal(gpu_config_load(&config, "tiny", &err), OK);
  config.energy = (EnergyConfig){.enabled = true};
  return config;
}

static void instructions_cost_by_class(void **state) {
  (void)state;
  GpuConfig config = free_of_cost();
  config.energy.issue = 10;
  config.energy.sp = 2;
  config.energy.dp = 3;
  config.energy.integer = 5;
  config.energy.sfu = 7;
  config.energy.address = 11;
  config.energy.register_operand = 100;
  MachineStats stats = {
      .sm = {
          .warp_instructions = 1000,
          .lanes =
              {[UNIT_SP] = 100, [UNIT_DP] = 10, [UNIT_INT] = 20, [UNIT_SFU] = 30, [UNIT_MEM] = 40},
          .register_operands = 6}};
  EnergyStats energy = energy_of(&stats, &config);
  assert_int_equal(energy.execute_pj, 10000 + 200 + 30 + 100 + 210 + 440);
  assert_int_equal(energy.registers_pj, 600);
  assert_int_equal(energy.total_pj, energy.execute_pj + energy.registers_pj);
}

static void memory_costs_by_access_byte_and_row(void **state) {
  (void)state;
  GpuConfig config = free_of_cost();
  config.energy.l1_line = 1;
  config.energy.l1_small = 10;
  config.energy.shared = 100;
  config.energy.policy_table = 1000;
  config.energy.noc_byte = 2;
  config.energy.merge_table = 3;
  config.energy.coalesced_line = 4;
  config.energy.l2_byte = 5;
  config.energy.dram_activate = 6;
  config.energy.dram_byte = 7;
  MachineStats stats = {.l1d.accesses = 1,
                        .l1t.accesses = 2,
                        .l1i.accesses = 3,
                        .l1c.accesses = 4,
                        .lsu = {.shared_accesses = 5, .shared_conflict_cycles = 6, .table_lookups = 12},
                        .request_noc.bytes = 10,
                        .reply_noc.bytes = 20,
                        .cluster = {.reads = 5, .served = 2},
                        .l2.accesses = 3,
                        .dram.activates = 4,
                        .dram_bytes = 64};
  config.l2.sectored = true;
  EnergyStats energy = energy_of(&stats, &config);
  assert_int_equal(energy.l1_pj, 3 + 70 + 1100 + 12000);
  assert_int_equal(energy.noc_pj, 60 + 15 + 8);
  assert_int_equal(energy.l2_pj, 5 * 32 * 3);
  assert_int_equal(energy.dram_pj, 24 + 448);
  config.l2.sectored = false;
  assert_int_equal(energy_of(&stats, &config).l2_pj, 5 * (int)config.l2.line_bytes * 3);
}

// 2 SMs at 3 W and 4 W besides are 10 W: 10 nJ in each cycle of 1 GHz.
static void time_costs_too(void **state) {
  (void)state;
  GpuConfig config = free_of_cost();
  config.gpu.sm_count = 2;
  config.gpu.core_clock_mhz = 1000;
  config.energy.sm_static_mw = 3000;
  config.energy.chip_static_mw = 4000;
  MachineStats stats = {.cycles = 7};
  assert_int_equal(energy_of(&stats, &config).static_pj, 70000);
  assert_int_equal(energy_of(&stats, &config).total_pj, 70000);
}

static bool has_part(const StatsPart *parts, const char *prefix) {
  while (parts->prefix && strcmp(parts->prefix, prefix) != 0) parts++;
  return parts->prefix != NULL;
}

static void a_gpu_without_costs_has_no_energy(void **state) {
  (void)state;
  GpuConfig config = free_of_cost();
  config.energy.issue = config.energy.chip_static_mw = 1000;
  MachineStats stats = {.cycles = 7, .sm.warp_instructions = 5};
  assert_true(energy_of(&stats, &config).total_pj > 0);
  assert_true(has_part(machine_stats_parts_of(&config), "energy."));
  config.energy.enabled = false;
  EnergyStats none = {0}, found = energy_of(&stats, &config);
  assert_memory_equal(&found, &none, sizeof none);
  assert_false(has_part(machine_stats_parts_of(&config), "energy."));
  assert_true(has_part(machine_stats_parts_of(&config), "dram."));
}

// The studies of the papers compare energies on these: no cost of theirs may change.
static void machines_of_papers_keep_the_costs_of_40_nm(void **state) {
  (void)state;
  static const char *const gpus[] = {"gtx480", "gtx480-3.2", "gtx570", "clustered60", "apres15"};
  const uint32_t costs[] = {300, 100, 250, 50,  300, 50,   1120, 2750, 550,  1750,
                            30,  30,  650, 125, 70,  3500, 270,  900,  20000};
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
    GpuConfig config;
    Error err;
    assert_int_equal(gpu_config_load(&config, gpus[i], &err), OK);
    assert_true(config.energy.enabled);
    assert_int_equal(sizeof config.energy - offsetof(EnergyConfig, issue), sizeof costs);
    assert_memory_equal(&config.energy.issue, costs, sizeof costs);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instructions_cost_by_class),
      cmocka_unit_test(memory_costs_by_access_byte_and_row),
      cmocka_unit_test(time_costs_too),
      cmocka_unit_test(a_gpu_without_costs_has_no_energy),
      cmocka_unit_test(machines_of_papers_keep_the_costs_of_40_nm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
