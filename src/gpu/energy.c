// SPDX-License-Identifier: MIT
// Energy per event counted by the machine, summed by component.
#include "gpu/energy.h"

#include "gpu/config/gpu_config.h"
#include "gpu/machine_stats.h"

#define PJ(field, value, help) PARAM(EnergyConfig, field, value, 0, 10000000, help)

const Param energy_params[] = {
    PARAM(EnergyConfig, enabled, false, 0, 1,
          "report energy, with the costs below (defaults: GTX 480, 40 nm)"),
    PARAM_TEXT(EnergyConfig, source, "none: no [energy] costs in the configuration",
               "source of the costs, or why there are none (docs/energy.md)"),
    PJ(issue, 300, "pJ per warp instruction: fetch, decode, schedule"),
    PJ(sp, 100, "pJ per lane, single-precision operation"),
    PJ(dp, 250, "pJ per lane, double-precision operation"),
    PJ(integer, 50, "pJ per lane, integer operation"),
    PJ(sfu, 300, "pJ per lane, special function"),
    PJ(address, 50, "pJ per lane, address of a memory instruction"),
    PJ(register_operand, 1120, "pJ per 32-lane register read or write"),
    PJ(l1_line, 2750, "pJ per L1D or texture cache access"),
    PJ(l1_small, 550, "pJ per instruction or constant cache access"),
    PJ(shared, 1750, "pJ per shared memory cycle"),
    PJ(policy_table, 30, "pJ per warp scheduler or prefetcher table lookup"),
    PJ(merge_table, 30, "pJ per merge table lookup"),
    PJ(coalesced_line, 650, "pJ per line read from a coalesced cache"),
    PJ(noc_byte, 125, "pJ per byte through the network"),
    PJ(l2_byte, 70, "pJ per byte read or written in the L2"),
    PJ(dram_activate, 3500, "pJ per DRAM row activation and precharge"),
    PJ(dram_byte, 270, "pJ per DRAM byte, interface included"),
    PARAM(EnergyConfig, sm_static_mw, 900, 0, 1000000, "static power per SM, mW"),
    PARAM(EnergyConfig, chip_static_mw, 20000, 0, 10000000, "static power outside the SMs, mW"),
    {0}};

const Stat energy_stats[] = {
    STAT_COUNT(EnergyStats, execute_pj, "issue and arithmetic, pJ"),
    STAT_COUNT(EnergyStats, registers_pj, "register files, pJ"),
    STAT_COUNT(EnergyStats, l1_pj, "SM caches, shared memory and policy tables, pJ"),
    STAT_COUNT(EnergyStats, noc_pj, "network, merge tables and coalesced caches, pJ"),
    STAT_COUNT(EnergyStats, l2_pj, "L2, pJ"),
    STAT_COUNT(EnergyStats, dram_pj, "DRAM, pJ"),
    STAT_COUNT(EnergyStats, static_pj, "static energy, pJ"),
    STAT_COUNT(EnergyStats, total_pj, "total, pJ"),
    STAT_RATIO(EnergyStats, execute_share, execute_pj, total_pj, "share of issue and arithmetic"),
    STAT_RATIO(EnergyStats, registers_share, registers_pj, total_pj, "share of register files"),
    STAT_RATIO(EnergyStats, l1_share, l1_pj, total_pj, "share of the SMs' caches"),
    STAT_RATIO(EnergyStats, noc_share, noc_pj, total_pj, "share of the network"),
    STAT_RATIO(EnergyStats, l2_share, l2_pj, total_pj, "share of the L2"),
    STAT_RATIO(EnergyStats, dram_share, dram_pj, total_pj, "share of the DRAM"),
    STAT_RATIO(EnergyStats, static_share, static_pj, total_pj, "share of static energy"),
    {0}};

static uint64_t execute(const EnergyConfig *cost, const SmStats *sm) {
  return cost->issue * sm->warp_instructions + cost->sp * sm->lanes[UNIT_SP] +
         cost->dp * sm->lanes[UNIT_DP] + cost->integer * sm->lanes[UNIT_INT] +
         cost->sfu * (sm->lanes[UNIT_SFU] + sm->lanes[UNIT_TENSOR]) +
         cost->address * sm->lanes[UNIT_MEM];
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

// From counters alone, after the run: energy cannot change a cycle. Costs are integers in pJ,
// sums stay below 2^64 for runs of days.
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
