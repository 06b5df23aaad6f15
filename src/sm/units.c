// SPDX-License-Identifier: MIT
// The arithmetic units. An instruction that a unit takes at cycle e leaves it
// L cycles later on one of the result buses and is written back at e + L + 2;
// the unit takes the next one after the interval I.
//
// With sm.bypass_cycles, a result reaches dependent instructions that many cycles earlier, as
// in fixed-latency pipelines with operand bypassing: issue to dependent issue is then the
// latency that microbenchmarks measure, without the stages around the unit. Never earlier than
// the unit takes the instruction.
#include "sm/sm.h"

// Cycles from the result bus to the register file.
enum { WRITE_BACK_DELAY = 2 };

static uint32_t calendar_slot(Cycle cycle) {
  return (uint32_t)(cycle % CALENDAR_CYCLES);
}

static void write_result(Sm *sm, Inflight *inflight) {
  Collectors *collectors = &sm->collectors[inflight->sub_core];
  collectors->written |= collectors_destinations(collectors, inflight);
  sm_release(sm, inflight);
  inflight_pool_give(&sm->inflights, inflight);
}

void sm_write_back(Sm *sm, Cycle now) {
  if (!sm->calendar_total) return;
  uint32_t slot = calendar_slot(now), count = sm->calendar_slots[slot].count;
  if (!count) return;
  for (uint32_t i = 0; i < count; i++)
    write_result(sm, sm->calendar[slot * sm->config->result_buses + i]);
  sm->calendar_slots[slot].count = 0;
  sm->calendar_total -= count;
  sm->did_something = true;
}

// A slot is shared by all cycles of the same remainder; bus_cycle says which one it counts, so
// that nothing has to be reset.
static bool bus_is_free(const Sm *sm, Cycle at) {
  const CalendarSlot *slot = &sm->calendar_slots[calendar_slot(at)];
  return slot->bus_cycle != at || slot->bus_count < sm->config->result_buses;
}

static void take_bus(Sm *sm, Cycle at) {
  CalendarSlot *slot = &sm->calendar_slots[calendar_slot(at)];
  if (slot->bus_cycle != at) slot->bus_count = 0;
  slot->bus_cycle = at;
  slot->bus_count++;
}

static void schedule(Sm *sm, Inflight *inflight, Cycle at) {
  uint32_t slot = calendar_slot(at);
  uint32_t place = sm->calendar_slots[slot].count++;
  sm->calendar[slot * sm->config->result_buses + place] = inflight;
  sm->calendar_total++;
}

// A unit accepts an instruction only if its result will find the unit's output and a result bus
// free: the pipeline cannot stall once it has begun.
static void offer(Sm *sm, Unit *unit, Cycle now) {
  Inflight *inflight = sm_oldest_collected(sm, unit->kind, unit->sub_core, unit->sub_core_step);
  if (!inflight) return;
  Cycle end = now + inflight->info->latency;
  if (unit->ends[calendar_slot(end)] == end || !bus_is_free(sm, end)) return;
  collectors_take(&sm->collectors[inflight->sub_core], unit->kind, inflight);
  unit->ends[calendar_slot(end)] = end;
  unit->free_at = now + inflight->info->interval;
  take_bus(sm, end);
  Cycle written = end + WRITE_BACK_DELAY - sm->config->bypass_cycles;
  if (written > now)
    schedule(sm, inflight, written);
  else
    write_result(sm, inflight);
  sm->did_something = true;
}

void sm_execute(Sm *sm, Cycle now) {
  uint32_t collected = sm_collected_units(sm);
  if (!(collected & ~(1u << UNIT_MEM))) return;
  for (uint32_t i = 0; i < sm->unit_count; i++) {
    Unit *unit = &sm->units[i];
    if (collected >> unit->kind & 1 && unit->free_at <= now) offer(sm, unit, now);
  }
}

// From all sub-cores: the load/store unit is shared by the SM, also where everything else is
// divided.
void sm_feed_lsu(Sm *sm) {
  if (!lsu_has_room(&sm->lsu) || !(sm_collected_units(sm) >> UNIT_MEM & 1)) return;
  // Oldest by issue order, so that accesses of the SM enter memory in program order per warp.
  Inflight *inflight = sm_oldest_collected(sm, UNIT_MEM, 0, 1);
  collectors_take(&sm->collectors[inflight->sub_core], UNIT_MEM, inflight);
  lsu_take(&sm->lsu, inflight);
  sm->did_something = true;
}
