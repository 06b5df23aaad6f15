// SPDX-License-Identifier: MIT
#include "sm/collector.h"

#include <assert.h>

void collectors_init(Collectors *collectors, const SmConfig *config) {
  const uint32_t counts[UNIT_KINDS] = {
      [UNIT_SP] = config->sp_collectors,   [UNIT_DP] = config->dp_collectors,
      [UNIT_INT] = config->int_collectors, [UNIT_SFU] = config->sfu_collectors,
      [UNIT_MEM] = config->mem_collectors};
  const uint32_t ports[UNIT_KINDS] = {
      [UNIT_SP] = config->sp_ports,   [UNIT_DP] = config->dp_ports,
      [UNIT_INT] = config->int_ports, [UNIT_SFU] = config->sfu_ports,
      [UNIT_MEM] = config->mem_ports};
  *collectors = (Collectors){.bank_count = config->register_banks};
  for (int u = 0; u < UNIT_KINDS; u++) {
    collectors->issue[u].width = collectors->execute[u].width = ports[u];
    collectors->sets[u].ports = ports[u];
    collectors->sets[u].last = counts[u] - 1;
    collectors->sets[u].free = counts[u] == 64 ? UINT64_MAX : (UINT64_C(1) << counts[u]) - 1;
  }
}

void collectors_issue(Collectors *collectors, Inflight *inflight) {
  Latch *latch = &collectors->issue[inflight->info->unit];
  assert(latch->count < latch->width);
  latch->entries[latch->count++] = inflight;
  uint32_t bit = 1u << inflight->info->unit;
  collectors->issued_units |= bit;
  if (!latch_has_room(latch)) collectors->full_units |= bit;
  collectors->held_count++;
}

static int next_bit(uint64_t bits, uint32_t last) {
  uint64_t behind = last >= 63 ? 0 : bits & (UINT64_MAX << (last + 1));
  return __builtin_ctzll(behind ? behind : bits);
}

// Ready collectors take turns.
static bool dispatch(Collectors *collectors, int unit) {
  CollectorSet *set = &collectors->sets[unit];
  Latch *latch = &collectors->execute[unit];
  bool moved = false;
  for (uint32_t port = 0; port < set->ports && set->ready && latch_has_room(latch); port++) {
    int i = next_bit(set->ready, set->last);
    set->last = (uint32_t)i;
    set->ready &= ~(UINT64_C(1) << i);
    set->free |= UINT64_C(1) << i;
    latch->entries[latch->count++] = set->held[i];
    moved = true;
  }
  if (!set->ready) collectors->ready_units &= ~(1u << unit);
  return moved;
}

static void mark_ready(Collectors *collectors, Inflight *inflight) {
  collectors->ready_units |= 1u << inflight->info->unit;
  CollectorSet *set = &collectors->sets[inflight->info->unit];
  set->ready |= UINT64_C(1) << inflight->collector;
}

static void grant_reads(Collectors *collectors) {
  collectors->conflicts += (uint64_t)__builtin_popcountll(collectors->waiting & collectors->written);
  for (uint64_t left = collectors->waiting & ~collectors->written; left; left &= left - 1) {
    int bank = __builtin_ctzll(left);
    BankQueue *queue = &collectors->banks[bank];
    Inflight *inflight = queue->first->inflight;
    queue->first = queue->first->next;
    queue->count--;
    if (queue->count == 0)
      collectors->waiting &= ~(UINT64_C(1) << bank);
    else
      collectors->conflicts += queue->count;
    if (--inflight->reads_left == 0) mark_ready(collectors, inflight);
  }
}

static void request_reads(Collectors *collectors, Inflight *inflight) {
  const IssueInfo *info = inflight->info;
  inflight->reads_left = info->source_count;
  for (int i = 0; i < info->source_count; i++) {
    uint32_t bank = (info->source_banks[i] + inflight->warp) % collectors->bank_count;
    BankQueue *queue = &collectors->banks[bank];
    BankRead *read = &inflight->reads[i];
    read->inflight = inflight;
    if (queue->count++)
      queue->last->next = read;
    else
      queue->first = read;
    queue->last = read;
    collectors->waiting |= UINT64_C(1) << bank;
  }
  if (!info->source_count) mark_ready(collectors, inflight);
}

// Issued instructions take collectors, oldest first.
static bool allocate(Collectors *collectors, int unit) {
  Latch *latch = &collectors->issue[unit];
  CollectorSet *set = &collectors->sets[unit];
  uint32_t taken = 0;
  while (taken < latch->count && taken < set->ports && set->free) {
    Inflight *inflight = latch->entries[taken++];
    int i = __builtin_ctzll(set->free);
    set->free &= set->free - 1;
    set->held[i] = inflight;
    inflight->collector = (uint8_t)i;
    request_reads(collectors, inflight);
  }
  latch->count -= taken;
  for (uint32_t i = 0; i < latch->count; i++) latch->entries[i] = latch->entries[i + taken];
  if (taken) collectors->full_units &= ~(1u << unit);
  if (!latch->count) collectors->issued_units &= ~(1u << unit);
  return taken > 0;
}

bool collectors_step(Collectors *collectors) {
  bool moved = false;
  if (collectors->held_count) {
    for (uint32_t left = collectors->ready_units; left; left &= left - 1)
      moved |= dispatch(collectors, __builtin_ctz(left));
    if (collectors->waiting) {
      grant_reads(collectors);
      moved = true;
    }
    for (uint32_t left = collectors->issued_units; left; left &= left - 1)
      moved |= allocate(collectors, __builtin_ctz(left));
  }
  collectors->written = 0;
  return moved;
}

Inflight *collectors_oldest(const Collectors *collectors, UnitKind unit) {
  const Latch *latch = &collectors->execute[unit];
  Inflight *oldest = NULL;
  for (uint32_t i = 0; i < latch->count; i++)
    if (!oldest || latch->entries[i]->order < oldest->order) oldest = latch->entries[i];
  return oldest;
}

void collectors_take(Collectors *collectors, UnitKind unit, Inflight *inflight) {
  Latch *latch = &collectors->execute[unit];
  uint32_t i = 0;
  while (latch->entries[i] != inflight) i++;
  latch->entries[i] = latch->entries[--latch->count];
  collectors->held_count--;
}
