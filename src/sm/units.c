// SPDX-License-Identifier: MIT
// The arithmetic units. An instruction that a unit takes at cycle e leaves it
// L cycles later on one of the result buses and is written back at e + L + 2;
// the unit takes the next one after the interval I.
//
// With sm.bypass_cycles, a result reaches dependent instructions that many cycles earlier, as
// in fixed-latency pipelines with operand bypassing: issue to dependent issue is then the
// latency that microbenchmarks measure, without the stages around the unit. Never earlier than
// the unit takes the instruction.
#include "base/memory.h"
#include "sm/sm.h"

// Cycles from the result bus to the register file.
enum { WRITE_BACK_DELAY = 2, FIRST_CALENDAR_CYCLES = 16 };

static uint32_t calendar_slot(const Sm *sm, Cycle cycle) {
  return (uint32_t)cycle & (sm->calendar.cycles - 1);
}

// What is to come keeps its cycle: it is less than the old length ahead of the last tick.
static void lengthen(Sm *sm, uint32_t cycles) {
  Calendar old = sm->calendar;
  sm->calendar = (Calendar){.cycles = cycles,
                            .total = old.total,
                            .slots = memory_alloc_aligned(sizeof *old.slots * cycles, 64)};
  for (Cycle at = sm->context.clock; at < sm->context.clock + old.cycles; at++)
    sm->calendar.slots[calendar_slot(sm, at)] = old.slots[(uint32_t)at & (old.cycles - 1)];
  memory_free(old.slots);
}

void sm_reserve_calendar(Sm *sm, uint32_t latency) {
  uint32_t cycles = FIRST_CALENDAR_CYCLES;
  while (cycles <= latency + WRITE_BACK_DELAY) cycles *= 2;
  if (cycles > sm->calendar.cycles) lengthen(sm, cycles);
}

Cycle sm_next_result(const Sm *sm, Cycle from, Cycle end) {
  for (Cycle at = from; at < from + sm->calendar.cycles && at < end; at++)
    if (sm->calendar.slots[calendar_slot(sm, at)].count) return at;
  return end;
}

static void write_result(Sm *sm, Inflight *inflight) {
  Collectors *collectors = sm->collectors[inflight->sub_core];
  collectors_write(collectors, collectors_destinations(collectors, inflight));
  sm_release(sm, inflight);
  inflight_pool_give(&sm->inflights, inflight);
}

void sm_write_back(Sm *sm, Cycle now) {
  Calendar *calendar = &sm->calendar;
  if (!calendar->total) return;
  CalendarSlot *slot = &calendar->slots[calendar_slot(sm, now)];
  uint32_t count = slot->count;
  if (!count) return;
  Inflight *inflight = slot->first;
  for (uint32_t i = 0; i < count; i++) {
    Inflight *next = inflight->next_result;
    write_result(sm, inflight);
    inflight = next;
  }
  slot->count = 0;
  calendar->total -= count;
  sm->has_moved = true;
}

// A slot is shared by all cycles of the same remainder; bus_cycle says which one it counts, so
// that nothing has to be reset. False: in that cycle the unit's output or all buses are taken.
static bool take_bus(Sm *sm, uint32_t unit, Cycle at) {
  CalendarSlot *slot = &sm->calendar.slots[calendar_slot(sm, at)];
  uint64_t bit = UINT64_C(1) << unit;
  if (slot->bus_cycle != at) {
    slot->bus_cycle = at & CALENDAR_LAST_CYCLE;
    slot->bus_count = 1;
    slot->units = bit;
    return true;
  }
  if (slot->bus_count >= sm->config->result_buses || slot->units & bit) return false;
  slot->bus_count++;
  slot->units |= bit;
  return true;
}

static void schedule(Sm *sm, Inflight *inflight, Cycle at) {
  CalendarSlot *slot = &sm->calendar.slots[calendar_slot(sm, at)];
  if (slot->count)
    slot->last->next_result = inflight;
  else
    slot->first = inflight;
  slot->last = inflight;
  slot->count++;
  sm->calendar.total++;
}

// A unit accepts an instruction only if its result will find the unit's output and a result bus
// free: the pipeline cannot stall once it has begun.
static void offer(Sm *sm, uint32_t u, uint32_t sub_cores, Cycle now) {
  Unit *unit = &sm->units[u];
  Inflight *inflight = sm_oldest_collected(sm, unit->kind, sub_cores);
  Cycle end = now + inflight->info->latency;
  if (!take_bus(sm, u, end)) return;
  collectors_take_oldest(sm->collectors[inflight->sub_core], unit->kind);
  unit->free_at = now + inflight->info->interval;
  Cycle written = end + WRITE_BACK_DELAY - sm->config->bypass_cycles;
  if (written > now)
    schedule(sm, inflight, written);
  else
    write_result(sm, inflight);
  sm->has_moved = true;
}

// A unit serves one sub-core, or several units one, or one several.
static void offer_to_kind(Sm *sm, int kind, Cycle now) {
  uint32_t first = sm->first_unit[kind], end = sm->first_unit[kind + 1];
  uint32_t waiting = collected_at(sm->collected, kind);
  if (end - first == sm->sub_core_count) {
    for (; waiting; waiting &= waiting - 1) {
      uint32_t sub_core = (uint32_t)__builtin_ctz(waiting), u = first + sub_core;
      if (sm->units[u].free_at <= now) offer(sm, u, 1u << sub_core, now);
    }
    return;
  }
  for (uint32_t u = first; u < end; u++) {
    uint32_t sub_cores = collected_at(sm->collected, kind) & sm->units[u].sub_cores;
    if (sub_cores && sm->units[u].free_at <= now) offer(sm, u, sub_cores, now);
  }
}

void sm_execute(Sm *sm, Cycle now) {
  for (CollectedSets left = sm_collected_for_units(sm); left;) {
    int kind = __builtin_ctzll(left) / 8;
    left &= ~(UINT64_C(255) << 8 * kind);
    offer_to_kind(sm, kind, now);
  }
}

// From all sub-cores: the load/store unit is shared by the SM, also where everything else is
// divided.
void sm_feed_lsu(Sm *sm) {
  uint32_t sub_cores = collected_at(sm->collected, UNIT_MEM);
  if (!sub_cores || !lsu_has_room(&sm->lsu)) return;
  // Oldest by issue order, so that accesses of the SM enter memory in program order per warp.
  Inflight *inflight = sm_oldest_collected(sm, UNIT_MEM, sub_cores);
  collectors_take_oldest(sm->collectors[inflight->sub_core], UNIT_MEM);
  lsu_take(&sm->lsu, inflight);
  sm->did_something = true;
}
