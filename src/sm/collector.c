// SPDX-License-Identifier: MIT
// Operand collection after GPGPU-Sim: instructions wait in issue latches, take a
// collector, read one operand per bank and step, and leave through execute latches.
// A step runs these stages from the last to the first, so that an instruction
// passes one stage per step.
#include "sm/collector.h"

#include <assert.h>
#include <stdio.h>

// Resources divided among sub-cores, in the order of UnitKind, then the banks.
typedef struct Shares {
  uint32_t collectors[UNIT_KINDS], ports[UNIT_KINDS];
} Shares;

static Shares shares_of(const SmConfig *config) {
  return (Shares){.collectors = {[UNIT_SP] = config->sp_collectors,
                                 [UNIT_DP] = config->dp_collectors,
                                 [UNIT_INT] = config->int_collectors,
                                 [UNIT_SFU] = config->sfu_collectors,
                                 [UNIT_TENSOR] = config->tensor_collectors,
                                 [UNIT_MEM] = config->mem_collectors},
                  .ports = {[UNIT_SP] = config->sp_ports,
                            [UNIT_DP] = config->dp_ports,
                            [UNIT_INT] = config->int_ports,
                            [UNIT_SFU] = config->sfu_ports,
                            [UNIT_TENSOR] = config->tensor_ports,
                            [UNIT_MEM] = config->mem_ports}};
}

static Status check_share(const char *name, uint32_t whole, uint32_t count, Error *err) {
  if (whole % count == 0) return OK;
  return error_set(
      err, ERR_CONFIG,
      "sm.sub_cores: sm.%s = %u does not divide among %u schedulers; use a multiple of %u", name,
      whole, count, count);
}

Status collectors_count(const SmConfig *config, uint32_t *count, Error *err) {
  *count = config->sub_cores ? config->warp_schedulers : 1;
  TRY(check_share("register_banks", config->register_banks, *count, err));
  TRY(check_share("general_collectors", config->general_collectors, *count, err));
  static const char *const kinds[UNIT_KINDS] = {"sp", "dp", "int", "sfu", "tensor", "mem"};
  const bool is_used[UNIT_KINDS] = {true, config->dp_units > 0,     config->int_units > 0,
                                    true, config->tensor_units > 0, true};
  Shares shares = shares_of(config);
  for (int u = 0; u < UNIT_KINDS; u++) {
    char name[32];
    snprintf(name, sizeof name, "%s_collectors", kinds[u]);
    if (!is_used[u]) continue;
    if (!config->general_collectors) TRY(check_share(name, shares.collectors[u], *count, err));
    snprintf(name, sizeof name, "%s_ports", kinds[u]);
    TRY(check_share(name, shares.ports[u], *count, err));
  }
  return OK;
}

// At least one of what no unit uses, which need not be a multiple.
static uint32_t share(uint32_t whole, uint32_t count) {
  return whole / count ? whole / count : 1;
}

static void set_init(CollectorSet *set, uint32_t collectors, uint32_t ports) {
  set->ports = ports;
  set->last = collectors - 1;
  set->free = collectors == 64 ? UINT64_MAX : (UINT64_C(1) << collectors) - 1;
}

void collectors_init(Collectors *collectors, const SmConfig *config, uint32_t count,
                     uint64_t *conflicts) {
  Shares shares = shares_of(config);
  uint32_t general = config->general_collectors;
  uint32_t banks = config->register_banks / count;
  *collectors = (Collectors){.bank_count = banks,
                             .bank_mask = banks & (banks - 1) ? 0 : banks - 1,
                             .bank_ports = (uint8_t)config->register_ports,
                             .is_general = general > 0,
                             .conflicts = conflicts};
  for (int u = 0; u < UNIT_KINDS; u++) {
    uint32_t ports = share(shares.ports[u], count);
    collectors->issue[u].width = collectors->execute[u].width = ports;
    collectors->set_of[u] = (uint8_t)(general ? 0 : u);
    if (!general) set_init(&collectors->sets[u], share(shares.collectors[u], count), ports);
  }
  // GPGPU-Sim's general collectors have as many ports as collectors: all may advance in
  // one step if the latches have space.
  if (general) set_init(&collectors->sets[0], general / count, general / count);
}

void collectors_issue(Collectors *collectors, Inflight *inflight) {
  Latch *latch = &collectors->issue[inflight->info->unit];
  assert(latch->count < latch->width);
  latch->entries[latch->count++] = inflight;
  uint32_t bit = 1u << inflight->info->unit;
  collectors->issued_units |= bit;
  if (!latch_has_room(latch)) collectors->full_units |= bit;
  collectors->held_count++;
  collectors->is_stuck = false;
}

// Round robin: the first set bit after `last`, or else the lowest.
static int next_bit(uint64_t bits, uint32_t last) {
  uint64_t behind = last >= 63 ? 0 : bits & (UINT64_MAX << (last + 1));
  return __builtin_ctzll(behind ? behind : bits);
}

// The collector is free in the same step, but allocate() runs later in the step: a collector
// can be refilled without a bubble.
static void move_on(Collectors *collectors, CollectorSet *set, int i, int unit) {
  uint64_t bit = UINT64_C(1) << i;
  Latch *latch = &collectors->execute[unit];
  set->last = (uint32_t)i;
  set->ready &= ~bit;
  set->free |= bit;
  latch->entries[latch->count++] = set->held[i];
  collectors->collected_units |= 1u << unit;
}

// Ready collectors of one kind of units take turns.
static bool dispatch(Collectors *collectors, int unit) {
  CollectorSet *set = &collectors->sets[unit];
  const Latch *latch = &collectors->execute[unit];
  uint32_t moved = 0;
  for (; moved < set->ports && set->ready && latch_has_room(latch); moved++)
    move_on(collectors, set, next_bit(set->ready, set->last), unit);
  if (!set->ready) collectors->ready_sets &= ~(1u << unit);
  return moved;
}

// The same for general collectors; a full latch blocks only the collectors that need it.
static bool dispatch_general(Collectors *collectors) {
  CollectorSet *set = &collectors->sets[0];
  uint32_t moved = 0;
  for (uint64_t waiting = set->ready; moved < set->ports && waiting;) {
    int i = next_bit(waiting, set->last), unit = set->held[i]->info->unit;
    waiting &= ~(UINT64_C(1) << i);
    if (!latch_has_room(&collectors->execute[unit])) continue;
    move_on(collectors, set, i, unit);
    moved++;
  }
  if (!set->ready) collectors->ready_sets = 0;
  return moved;
}

// It dispatches in the next step, as dispatch comes first in a step: reading an operand takes a
// cycle.
static void mark_ready(Collectors *collectors, Inflight *inflight) {
  uint32_t s = collectors->set_of[inflight->info->unit];
  collectors->ready_sets |= 1u << s;
  collectors->sets[s].ready |= UINT64_C(1) << inflight->collector;
}

// Results have priority over reads: a unit cannot delay its result, a collector can wait.
// Each read that waits for another counts as one conflict per step.
static void grant_reads(Collectors *collectors) {
  *collectors->conflicts +=
      (uint64_t)__builtin_popcountll(collectors->waiting & collectors->written);
  for (uint64_t left = collectors->waiting & ~collectors->written; left; left &= left - 1) {
    int bank = __builtin_ctzll(left);
    BankQueue *queue = &collectors->banks[bank];
    Inflight *inflight = queue->first->inflight;
    queue->first = queue->first->next;
    queue->count--;
    if (queue->count == 0)
      collectors->waiting &= ~(UINT64_C(1) << bank);
    else
      *collectors->conflicts += queue->count;
    if (--inflight->reads_left == 0) mark_ready(collectors, inflight);
  }
}

// Operands of one instruction in the same bank are queued: they conflict like those of different
// instructions. The queue is linked through the instruction, so nothing is allocated.
static void request_reads(Collectors *collectors, Inflight *inflight) {
  const IssueInfo *info = inflight->info;
  inflight->reads_left = info->source_count;
  for (int i = 0; i < info->source_count; i++) {
    uint32_t bank = collectors_bank(collectors, info->source_banks[i], inflight->warp);
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

static void take_collector(Collectors *collectors, CollectorSet *set, Inflight *inflight) {
  int i = __builtin_ctzll(set->free);
  set->free &= set->free - 1;
  set->held[i] = inflight;
  inflight->collector = (uint8_t)i;
  request_reads(collectors, inflight);
}

// Issued instructions take collectors, oldest first.
static bool allocate(Collectors *collectors, int unit) {
  Latch *latch = &collectors->issue[unit];
  CollectorSet *set = &collectors->sets[collectors->set_of[unit]];
  // Back-pressure: the issue latch stays full, and issue stalls with SLOT_operands (stall.c).
  if (!set->free) return false;
  uint32_t taken = 0, most = latch->count < set->ports ? latch->count : set->ports;
  while (taken < most && set->free) take_collector(collectors, set, latch->entries[taken++]);
  latch->count -= taken;
  // The rest moves up: the latch stays in age order.
  for (uint32_t i = 0; i < latch->count; i++) latch->entries[i] = latch->entries[i + taken];
  collectors->full_units &= ~(1u << unit);
  if (!latch->count) collectors->issued_units &= ~(1u << unit);
  return true;
}

// Whose instructions take collectors next; general ones go out in GPGPU-Sim's order.
static int next_unit(const Collectors *collectors, uint32_t units) {
  static const uint8_t order[] = {UNIT_SP, UNIT_SFU, UNIT_MEM, UNIT_DP, UNIT_INT, UNIT_TENSOR};
  if (!collectors->is_general) return __builtin_ctz(units);
  const uint8_t *unit = order;
  while (!(units >> *unit & 1)) unit++;
  return *unit;
}

// Back to front, so that an instruction moves through one stage per step.
static bool step(Collectors *collectors) {
  bool moved = false;
  if (collectors->is_general)
    moved = collectors->ready_sets && dispatch_general(collectors);
  else
    for (uint32_t left = collectors->ready_sets; left; left &= left - 1)
      moved |= dispatch(collectors, __builtin_ctz(left));
  if (collectors->waiting) {
    grant_reads(collectors);
    moved = true;
  }
  for (uint32_t left = collectors->issued_units; left;) {
    int unit = next_unit(collectors, left);
    moved |= allocate(collectors, unit);
    left &= ~(1u << unit);
  }
  // A write occupies its bank for one step.
  collectors->written = 0;
  return moved;
}

// More ports are modelled as more steps per cycle. Writes of this cycle occupy a bank only in
// the first. A step in which nothing moves would be repeated in vain until a latch is filled or
// emptied: behind a blocked load/store unit that is most of them.
bool collectors_work(Collectors *collectors) {
  bool moved = false;
  for (uint32_t i = 0; i < collectors->bank_ports && collectors_have_work(collectors); i++) {
    collectors->is_stuck = !step(collectors);
    moved |= !collectors->is_stuck;
  }
  return moved;
}

// Oldest first, as with the pipeline register sets of GPGPU-Sim: entries are in no order here.
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
  // Order is lost here, which is why collectors_oldest() compares ages.
  latch->entries[i] = latch->entries[--latch->count];
  if (!latch->count) collectors->collected_units &= ~(1u << unit);
  collectors->held_count--;
  collectors->is_stuck = false;
}
