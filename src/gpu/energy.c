// SPDX-License-Identifier: MIT
#include "gpu/energy.h"

#include "gpu/gpu_config.h"
#include "gpu/machine_stats.h"

#define PJ(field, value, help) PARAM(EnergyConfig, field, value, 0, 10000000, "pJ of " help)

const Param energy_params[] = {
    PARAM(EnergyConfig, enabled, false, 0, 1,
          "report energy: the costs below hold for this GPU (defaults: GTX 480, 40 nm)"),
    PARAM_TEXT(EnergyConfig, source, "none: no [energy] costs in the configuration",
               "where the costs come from, or why there are none (docs/energy.md)"),
    PJ(issue, 300, "a warp instruction: fetch, decode, schedule"),
    PJ(sp, 100, "a lane's single-precision operation"),
    PJ(dp, 250, "a lane's double-precision operation"),
    PJ(integer, 50, "a lane's integer operation"),
    PJ(sfu, 300, "a lane's special function"),
    PJ(address, 50, "a lane's address"),
    PJ(register_operand, 1120, "32 lanes of a register, read or written"),
    PJ(l1_line, 2750, "an access to an L1D or texture cache"),
    PJ(l1_small, 550, "an access to an instruction or constant cache"),
    PJ(shared, 1750, "a cycle of shared memory"),
    PJ(policy_table, 30, "a lookup in a table of a warp scheduler or prefetcher"),
    PJ(merge_table, 30, "a lookup in a merge table"),
    PJ(coalesced_line, 650, "a line from a coalesced cache"),
    PJ(noc_byte, 125, "a byte through the network"),
    PJ(l2_byte, 70, "a byte read or written in the L2"),
    PJ(dram_activate, 3500, "a row of DRAM opened and closed"),
    PJ(dram_byte, 270, "a byte of DRAM, with the interface"),
    PARAM(EnergyConfig, sm_static_mw, 900, 0, 1000000, "mW that an SM takes at rest"),
    PARAM(EnergyConfig, chip_static_mw, 20000, 0, 10000000, "mW that all else takes at rest"),
    {0}};

const Stat energy_stats[] = {
    STAT_COUNT(EnergyStats, execute_pj, "pJ of issue and arithmetic"),
    STAT_COUNT(EnergyStats, registers_pj, "pJ of register files"),
    STAT_COUNT(EnergyStats, l1_pj, "pJ of the SMs' caches, shared memory and policies' tables"),
    STAT_COUNT(EnergyStats, noc_pj, "pJ of the network, merge tables and coalesced caches"),
    STAT_COUNT(EnergyStats, l2_pj, "pJ of the L2"),
    STAT_COUNT(EnergyStats, dram_pj, "pJ of the DRAM"),
    STAT_COUNT(EnergyStats, static_pj, "pJ that time costs"),
    STAT_COUNT(EnergyStats, total_pj, "pJ in all"),
    STAT_RATIO(EnergyStats, execute_share, execute_pj, total_pj, "share of issue and arithmetic"),
    STAT_RATIO(EnergyStats, registers_share, registers_pj, total_pj, "share of register files"),
    STAT_RATIO(EnergyStats, l1_share, l1_pj, total_pj, "share of the SMs' caches"),
    STAT_RATIO(EnergyStats, noc_share, noc_pj, total_pj, "share of the network"),
    STAT_RATIO(EnergyStats, l2_share, l2_pj, total_pj, "share of the L2"),
    STAT_RATIO(EnergyStats, dram_share, dram_pj, total_pj, "share of the DRAM"),
    STAT_RATIO(EnergyStats, static_share, static_pj, total_pj, "share of what time costs"),
    {0}};

static uint64_t execute(const EnergyConfig *cost, const SmStats *sm) {
  return cost->issue * sm->warp_instructions + cost->sp * sm->lanes[UNIT_SP] +
         cost->dp * sm->lanes[UNIT_DP] + cost->integer * sm->lanes[UNIT_INT] +
         cost->sfu * sm->lanes[UNIT_SFU] + cost->address * sm->lanes[UNIT_MEM];
}

static uint64_t first_level(const EnergyConfig *cost, const MachineStats *stats) {
  uint64_t shared_cycles = stats->lsu.shared_accesses + stats->lsu.shared_conflict_cycles;
  return cost->l1_line * (stats->l1d.accesses + stats->l1t.accesses) +
         cost->l1_small * (stats->l1i.accesses + stats->l1c.accesses) +
         cost->shared * shared_cycles + cost->policy_table * stats->lsu.table_lookups;
}

static uint64_t network(const EnergyConfig *cost, const MachineStats *stats) {
  return cost->noc_byte * (stats->request_noc.bytes + stats->reply_noc.bytes) +
         cost->merge_table * stats->cluster.reads + cost->coalesced_line * stats->cluster.served;
}

// A lookup moves a sector, or a whole line where the L2 has none.
static uint64_t second_level(const EnergyConfig *cost, const MachineStats *stats,
                             const GpuConfig *config) {
  uint32_t bytes = config->l2.sectored ? SECTOR_BYTES : config->l2.line_bytes;
  return (uint64_t)cost->l2_byte * bytes * stats->l2.accesses;
}

// A milliwatt for a cycle of 1 MHz is a nanojoule.
static uint64_t at_rest(const EnergyConfig *cost, uint64_t cycles, const ChipConfig *chip) {
  uint64_t milliwatts = (uint64_t)cost->sm_static_mw * chip->sm_count + cost->chip_static_mw;
  return (uint64_t)((double)milliwatts * (double)cycles * 1000.0 / chip->core_clock_mhz);
}

EnergyStats energy_of(const MachineStats *stats, const GpuConfig *config) {
  const EnergyConfig *cost = &config->energy;
  if (!cost->enabled) return (EnergyStats){0};
  EnergyStats energy = {
      .execute_pj = execute(cost, &stats->sm),
      .registers_pj = cost->register_operand * stats->sm.register_operands,
      .l1_pj = first_level(cost, stats),
      .noc_pj = network(cost, stats),
      .l2_pj = second_level(cost, stats, config),
      .dram_pj = cost->dram_activate * stats->dram.activates + cost->dram_byte * stats->dram_bytes,
      .static_pj = at_rest(cost, stats->cycles, &config->gpu),
  };
  energy.total_pj = energy.execute_pj + energy.registers_pj + energy.l1_pj + energy.noc_pj +
                    energy.l2_pj + energy.dram_pj + energy.static_pj;
  return energy;
}
