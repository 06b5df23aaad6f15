// SPDX-License-Identifier: MIT
// Operand collection after GPGPU-Sim: instructions wait in issue latches, take a
// collector, read one operand per bank and step, and leave through execute latches,
// the oldest first, as through its pipeline register sets.
// A step runs these stages from the last to the first, so that an instruction
// passes one stage per step.
#include "sm/collector.h"

#include <assert.h>
#include <stddef.h>
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

// The header and the instructions that read, in lines of the host's cache.
static uint32_t header_lines(uint32_t collectors) {
  return (uint32_t)((sizeof(Collectors) + collectors * sizeof(Inflight *) + 63) / 64);
}

static uint32_t path_lines(uint32_t width, uint32_t collectors) {
  uint32_t places = 2 * width + collectors;
  return (uint32_t)((offsetof(UnitPath, places) + places * sizeof(Inflight *) + 63) / 64);
}

// General collectors are all in the path of the first kind. In GPGPU-Sim they have as many ports as
// collectors: all may advance in one step if the latches have space.
typedef struct PathShape {
  uint32_t width, ports, collectors;
} PathShape;

static PathShape shape_of(const SmConfig *config, uint32_t count, int unit) {
  Shares shares = shares_of(config);
  uint32_t general = config->general_collectors, ports = share(shares.ports[unit], count);
  if (!general) return (PathShape){ports, ports, share(shares.collectors[unit], count)};
  return (PathShape){ports, general / count, unit ? 0 : general / count};
}

static void path_init(UnitPath *path, PathShape shape) {
  path->free = shape.collectors == 64 ? UINT64_MAX : (UINT64_C(1) << shape.collectors) - 1;
  path->width = (uint8_t)shape.width;
  path->ports = (uint8_t)shape.ports;
  path->collectors = (uint8_t)shape.collectors;
  path->last = (uint8_t)(shape.collectors - 1);
}

Collectors *collectors_create(Arena *arena, const SmConfig *config, uint32_t count, uint32_t index,
                              const CollectorsShared *shared) {
  uint32_t banks = sm_banks_each(config), places = 0;
  PathShape shapes[UNIT_KINDS];
  for (int u = 0; u < UNIT_KINDS; u++) {
    shapes[u] = shape_of(config, count, u);
    places += shapes[u].collectors;
  }
  uint32_t first_line[UNIT_KINDS], lines = header_lines(places);
  for (int u = 0; u < UNIT_KINDS; u++) {
    first_line[u] = lines;
    lines += path_lines(shapes[u].width, shapes[u].collectors);
  }
  assert(lines <= UINT8_MAX && places <= UINT8_MAX);
  Collectors *made = arena_alloc_aligned(arena, lines * 64u, _Alignof(Collectors));
  made->conflicts = shared->conflicts;
  made->busy = shared->busy;
  made->collected = shared->collected;
  made->index = (uint8_t)index;
  made->bank_count = (uint8_t)banks;
  made->banks_are_power = !(banks & (banks - 1));
  made->all_banks = UINT64_MAX >> (64 - banks);
  made->bank_ports = (uint8_t)config->register_ports;
  made->is_general = config->general_collectors > 0;
  made->is_narrow = !made->is_general;
  for (int u = 0; u < UNIT_KINDS; u++) {
    made->path_line[u] = (uint8_t)first_line[u];
    made->set_of[u] = (uint8_t)(made->is_general ? 0 : u);
    path_init(collectors_path(made, u), shapes[u]);
    if (shapes[u].width > 1) made->is_narrow = false;
    collectors_path(made, u)->users = (uint8_t)(made->is_general ? UINT8_MAX : 1u << u);
  }
  return made;
}

void collectors_issue(Collectors *collectors, Inflight *inflight) {
  uint8_t unit = inflight->info->unit;
  UnitPath *path = collectors_path(collectors, unit);
  assert(collectors_issue_has_room(path));
  collectors_issue_latch(path)[path->issued++] = inflight;
  uint8_t bit = (uint8_t)(1u << unit);
  collectors->issued_units |= bit;
  if (!collectors_issue_has_room(path)) collectors->full_units |= bit;
  *collectors->busy |= 1u << collectors->index;
}

// Round robin: the first set bit after `last`, or else the lowest.
static int next_bit(uint64_t bits, uint32_t last) {
  uint64_t behind = bits & (UINT64_MAX << last << 1);
  return __builtin_ctzll(behind ? behind : bits);
}

// Inlined for narrow collectors and for others: without places to look for, and loops over them.
#define FOR_WIDTH static inline __attribute__((always_inline))

FOR_WIDTH uint32_t width_of(const UnitPath *path, bool is_narrow) {
  return is_narrow ? 1 : path->width;
}

// The collector is free in the same step, but allocate() runs later in the step: a collector
// can be refilled without a bubble.
FOR_WIDTH void move_on(Collectors *collectors, UnitPath *set, int i, UnitPath *path, int unit,
                       bool is_narrow) {
  uint64_t bit = UINT64_C(1) << i;
  set->last = (uint8_t)i;
  set->ready &= ~bit;
  set->free |= bit;
  collectors->exhausted_units &= (uint8_t)~set->users;
  Inflight *held = set->places[2 * width_of(set, is_narrow) + (uint32_t)i];
  Inflight **latch = path->places + width_of(path, is_narrow);
  uint32_t place = is_narrow ? 0 : path->executing;
  // Collectors leave in turn, units take the oldest.
  for (; place && latch[place - 1]->order > held->order; place--) latch[place] = latch[place - 1];
  latch[place] = held;
  path->executing++;
  *collectors->collected |= collected_bit(unit, collectors->index);
}

// Ready collectors of one kind of units take turns.
FOR_WIDTH void dispatch(Collectors *collectors, int unit, bool is_narrow) {
  UnitPath *path = collectors_path(collectors, unit);
  uint8_t bit = (uint8_t)(1u << unit);
  uint32_t moved = 0;
  do move_on(collectors, path, next_bit(path->ready, path->last), path, unit, is_narrow);
  while (!is_narrow && ++moved < path->ports && path->ready && collectors_execute_has_room(path));
  if (!path->ready) collectors->ready_sets &= (uint8_t)~bit;
  if (is_narrow || !collectors_execute_has_room(path)) collectors->blocked_sets |= bit;
}

// The same for general collectors; a full latch blocks only the collectors that need it.
static bool dispatch_general(Collectors *collectors) {
  UnitPath *set = collectors_path(collectors, 0);
  uint32_t moved = 0;
  for (uint64_t waiting = set->ready; moved < set->ports && waiting;) {
    int i = next_bit(waiting, set->last), unit = collectors_held(set)[i]->info->unit;
    waiting &= ~(UINT64_C(1) << i);
    UnitPath *path = collectors_path(collectors, unit);
    if (!collectors_execute_has_room(path)) continue;
    move_on(collectors, set, i, path, unit, false);
    moved++;
  }
  if (!set->ready) collectors->ready_sets = 0;
  return moved;
}

// It dispatches in the next step, as dispatch comes first in a step: reading an operand takes a
// cycle.
static void mark_ready(Collectors *collectors, Inflight *inflight) {
  uint32_t s = collectors->set_of[inflight->info->unit];
  collectors->ready_sets |= (uint8_t)(1u << s);
  collectors_path(collectors, (int)s)->ready |= UINT64_C(1) << inflight->collector;
}

// Several operands in one bank are read one after the other. Returns how many of them a bank that
// it may read leaves waiting.
static uint32_t read_again(Inflight *inflight, uint64_t granted, uint64_t open) {
  uint32_t waiting = 0;
  for (uint32_t i = 1; i < inflight->read_depth; i++) {
    uint64_t next = inflight->reads[i] & granted;
    waiting += (uint32_t)__builtin_popcountll(inflight->reads[i] & open);
    inflight->reads[i - 1] |= next;
    inflight->reads[i] &= ~next;
  }
  while (inflight->read_depth > 1 && !inflight->reads[inflight->read_depth - 1])
    inflight->read_depth--;
  return waiting;
}

// The only instruction that reads finds its banks free and wants one operand of each.
static bool is_unopposed(const Collectors *collectors) {
  const Inflight *inflight = collectors->reading[0];
  return collectors->reading_count == 1 && inflight->read_depth == 1 &&
         !(inflight->reads[0] & collectors->written);
}

// A bank reads one operand in a step: of the instruction that has waited longest.
// Results have priority over reads: a unit cannot delay its result, a collector can wait.
// Each read that waits for another counts as one conflict per step, and each bank that is written.
static void grant_reads(Collectors *collectors) {
  if (is_unopposed(collectors)) {
    collectors->reading_count = 0;
    mark_ready(collectors, collectors->reading[0]);
    return;
  }
  uint64_t written = collectors->written, taken = written, wanted_banks = 0;
  uint32_t left = 0, conflicts = 0;
  for (uint32_t i = 0; i < collectors->reading_count; i++) {
    Inflight *inflight = collectors->reading[i];
    uint64_t wanted = inflight->reads[0], granted = wanted & ~taken, waiting = wanted & taken;
    taken |= wanted;
    wanted_banks |= wanted;
    inflight->reads[0] = waiting;
    conflicts += (uint32_t)__builtin_popcountll(waiting & ~written);
    if (inflight->read_depth > 1) conflicts += read_again(inflight, granted, ~written);
    if (inflight->reads[0])
      collectors->reading[left++] = inflight;
    else
      mark_ready(collectors, inflight);
  }
  collectors->reading_count = (uint8_t)left;
  if (written) conflicts += (uint32_t)__builtin_popcountll(wanted_banks & written);
  *collectors->conflicts += conflicts;
}

// Operands of one instruction in the same bank conflict like those of different instructions.
static void find_depths(const Collectors *collectors, Inflight *inflight) {
  const IssueInfo *info = inflight->info;
  inflight->read_depth = 0;
  for (uint32_t i = 0; i < info->source_count; i++) {
    uint64_t bank = bank_set(info->source_banks[i], collectors->bank_count);
    uint64_t bit = collectors_turn(collectors, bank, inflight->warp);
    uint32_t depth = 0;
    while (depth < inflight->read_depth && inflight->reads[depth] & bit) depth++;
    if (depth == inflight->read_depth) inflight->reads[inflight->read_depth++] = 0;
    inflight->reads[depth] |= bit;
  }
}

static void request_reads(Collectors *collectors, Inflight *inflight) {
  const IssueInfo *info = inflight->info;
  if (!info->source_count) {
    mark_ready(collectors, inflight);
    return;
  }
  inflight->read_depth = 1;
  inflight->reads[0] = collectors_turn(collectors, info->source_set, inflight->warp);
  if (info->reads_again) find_depths(collectors, inflight);
  collectors->reading[collectors->reading_count++] = inflight;
}

FOR_WIDTH void take_collector(Collectors *collectors, UnitPath *set, Inflight *inflight,
                              bool is_narrow) {
  int i = __builtin_ctzll(set->free);
  set->free &= set->free - 1;
  set->places[2 * width_of(set, is_narrow) + (uint32_t)i] = inflight;
  inflight->collector = (uint8_t)i;
  request_reads(collectors, inflight);
}

// Issued instructions take collectors, oldest first. Back-pressure: without a free one the issue
// latch stays full, and issue stalls with SLOT_operands (stall.c).
FOR_WIDTH void allocate(Collectors *collectors, int unit, bool is_narrow) {
  UnitPath *path = collectors_path(collectors, unit);
  UnitPath *set = is_narrow ? path : collectors_path(collectors, collectors->set_of[unit]);
  uint8_t bit = (uint8_t)(1u << unit);
  Inflight **latch = collectors_issue_latch(path);
  uint32_t taken = 0, most = path->issued < set->ports ? path->issued : set->ports;
  do take_collector(collectors, set, latch[taken++], is_narrow);
  while (!is_narrow && taken < most && set->free);
  path->issued = (uint8_t)(is_narrow ? 0 : path->issued - taken);
  // The rest moves up: the latch stays in age order.
  for (uint32_t i = 0; i < path->issued; i++) latch[i] = latch[i + taken];
  collectors->full_units &= (uint8_t)~bit;
  if (!path->issued) collectors->issued_units &= (uint8_t)~bit;
  if (!set->free) collectors->exhausted_units |= set->users;
}

// In GPGPU-Sim's order.
static void allocate_general(Collectors *collectors) {
  static const uint8_t order[] = {UNIT_SP, UNIT_SFU, UNIT_MEM, UNIT_DP, UNIT_INT, UNIT_TENSOR};
  for (uint32_t i = 0; i < sizeof order; i++)
    if (collectors_entering(collectors) >> order[i] & 1) allocate(collectors, order[i], false);
}

static bool step_general(Collectors *collectors) {
  bool moved = dispatch_general(collectors) | (collectors->reading_count != 0);
  grant_reads(collectors);
  moved |= collectors_entering(collectors) != 0;
  allocate_general(collectors);
  return moved;
}

// Back to front, so that an instruction moves through one stage per step. There is one that can
// (collectors_have_work).
FOR_WIDTH void step(Collectors *collectors, bool is_narrow) {
  for (uint32_t left = collectors_leaving(collectors); left; left &= left - 1)
    dispatch(collectors, __builtin_ctz(left), is_narrow);
  if (collectors->reading_count) grant_reads(collectors);
  for (uint32_t left = collectors_entering(collectors); left; left &= left - 1)
    allocate(collectors, __builtin_ctz(left), is_narrow);
}

// More ports are modelled as more steps per cycle. A write occupies its bank for the first.
bool collectors_work(Collectors *collectors) {
  uint32_t steps_left = collectors->bank_ports;
  bool moved = !collectors->is_general;
  do {
    if (collectors->is_narrow)
      step(collectors, true);
    else if (!collectors->is_general)
      step(collectors, false);
    else
      moved |= step_general(collectors);
    collectors->written = 0;
  } while (--steps_left && collectors_have_work(collectors));
  return moved;
}

void collectors_take_oldest(Collectors *collectors, UnitKind unit) {
  UnitPath *path = collectors_path(collectors, (int)unit);
  Inflight **latch = collectors_execute_latch(path);
  path->executing--;
  for (uint32_t i = 0; i < path->executing; i++) latch[i] = latch[i + 1];
  if (!path->executing) *collectors->collected &= ~collected_bit((int)unit, collectors->index);
  collectors->blocked_sets &= (uint8_t) ~(1u << unit);
  *collectors->busy |= 1u << collectors->index;
}
