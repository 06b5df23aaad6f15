// SPDX-License-Identifier: MIT
// Operand collection: between issue and the units, an instruction waits in a
// collector while its registers are read from banks.
//
//   issue -> [issue latch] -> collector -> bank reads -> [execute latch] -> unit
//
// A step, back to front: ready collectors move to the execute latches, banks
// grant one read each, and issued instructions take collectors. There is one a
// cycle, or as many as a bank has ports. With one, an instruction with register
// operands spends at least three cycles here, one without two.
//
// Collectors belong to a kind of units, or serve all kinds alike. An SM has one
// of these, or one for each scheduler (sm.sub_cores), which then has its share
// of everything and sees nothing of the others.
#ifndef SM_COLLECTOR_H
#define SM_COLLECTOR_H

#include "base/arena.h"
#include "sm/inflight.h"

// What instructions of one kind of units pass through. On a sub-core with one port, one line of
// the host's cache.
typedef struct UnitPath {
  _Alignas(64) uint64_t free, ready;  // bit i: collector i
  uint8_t issued, executing;          // entries of the issue latch, of the execute latch
  uint8_t width;                      // the most of each
  uint8_t ports;  // of the collectors: instructions that enter and that leave them in a step
  uint8_t collectors, last;  // how many; the one that dispatched last
  uint8_t users;             // bit u: instructions for units u take these collectors
  // The issue latch, the execute latch (each `width` places, the oldest first), then what the
  // collectors hold.
  Inflight *places[];
} UnitPath;

// By kind of units, a byte each: the sub-cores where an instruction waits with its operands.
typedef uint64_t CollectedSets;
static inline uint32_t collected_at(CollectedSets sets, int unit) {
  return (uint8_t)(sets >> 8 * unit);
}
static inline CollectedSets collected_bit(int unit, uint32_t sub_core) {
  return UINT64_C(1) << (8 * (uint32_t)unit + sub_core);
}

// What every step reads lies in the first host cache line; the instructions that read and a path
// for each kind of units follow, as long as the configuration needs.
typedef struct Collectors {
  _Alignas(64) uint64_t written;  // bit b: bank b is written this cycle, so it cannot be read
  uint64_t all_banks;
  uint64_t *conflicts;            // counts reads that waited a cycle for their bank
  uint32_t *busy;           // bit `index` of it: these have something to do, or banks are written
  CollectedSets *collected;  // bit `index` of each: an execute latch of these holds something
  uint8_t index;            // of the sub-core
  uint8_t issued_units;     // bit u: issue latch u holds something;
  uint8_t full_units;       // is full
  uint8_t exhausted_units;  // has no free collector to go to
  uint8_t ready_sets;       // bit s: a collector of set s is ready,
  uint8_t blocked_sets;     // but its execute latch is full (not with general collectors)
  uint8_t bank_count;
  bool banks_are_power;  // of two (bank_set)
  uint8_t reading_count;
  uint8_t bank_ports;
  bool is_general;             // all kinds of units share one set of collectors
  bool is_narrow;              // not these, and latches have one place, collectors one port
  uint8_t set_of[UNIT_KINDS];  // the kind in whose path the collectors of a unit's instructions are
  uint8_t path_line[UNIT_KINDS];  // where the path of a kind begins, in lines of 64 bytes
  // With operands to be read, in the order in which they took their collectors: a bank serves
  // the first that wants it.
  _Alignas(64) Inflight *reading[];
} Collectors;

static inline UnitPath *collectors_path(const Collectors *collectors, int unit) {
  return (UnitPath *)((uintptr_t)collectors + 64u * collectors->path_line[unit]);
}
static inline bool collectors_issue_has_room(const UnitPath *path) {
  return path->issued < path->width;
}
static inline bool collectors_execute_has_room(const UnitPath *path) {
  return path->executing < path->width;
}
static inline Inflight **collectors_issue_latch(UnitPath *path) {
  return path->places;
}
static inline Inflight **collectors_execute_latch(UnitPath *path) {
  return path->places + path->width;
}
static inline Inflight **collectors_held(UnitPath *path) {
  return path->places + 2 * path->width;
}

// Number of sub-cores of an SM; fails if resources cannot be divided evenly.
Status collectors_count(const SmConfig *config, uint32_t *count, Error *err);
// What the collectors of an SM share.
typedef struct CollectorsShared {
  uint64_t *conflicts;
  uint32_t *busy;  // bit s: sub-core s has to be stepped in this cycle
  CollectedSets *collected;
} CollectorsShared;
// Those of sub-core `index` of `count`.
Collectors *collectors_create(Arena *arena, const SmConfig *config, uint32_t count, uint32_t index,
                              const CollectorsShared *shared);
void collectors_issue(Collectors *collectors, Inflight *inflight);
// What the next step moves from the issue latches, to the execute latches.
static inline uint32_t collectors_entering(const Collectors *collectors) {
  return collectors->issued_units & ~(uint32_t)collectors->exhausted_units;
}
static inline uint32_t collectors_leaving(const Collectors *collectors) {
  return collectors->ready_sets & ~(uint32_t)collectors->blocked_sets;
}
static inline bool collectors_have_work(const Collectors *collectors) {
  return collectors->reading_count | collectors_entering(collectors) |
         collectors_leaving(collectors);
}
// One cycle; true if anything moved.
bool collectors_work(Collectors *collectors);
static inline bool collectors_step(Collectors *collectors) {
  bool moved = collectors_have_work(collectors) && collectors_work(collectors);
  collectors->written = 0;
  if (!collectors_have_work(collectors)) *collectors->busy &= ~(1u << collectors->index);
  return moved;
}
// A result is written to these banks in this cycle, before the step.
static inline void collectors_write(Collectors *collectors, uint64_t banks) {
  collectors->written |= banks;
  *collectors->busy |= 1u << collectors->index;
}
// The oldest instruction in an execute latch, or NULL; and takes it out.
static inline Inflight *collectors_oldest(const Collectors *collectors, UnitKind unit) {
  UnitPath *path = collectors_path(collectors, (int)unit);
  return path->executing ? collectors_execute_latch(path)[0] : NULL;
}
void collectors_take_oldest(Collectors *collectors, UnitKind unit);

// A set of banks, with the warp added.
static inline uint64_t collectors_turn(const Collectors *collectors, uint64_t banks,
                                       uint32_t warp) {
  uint32_t count = collectors->bank_count, by = warp;
  if (collectors->banks_are_power)
    banks = banks << by | banks >> (-by & 63);
  else if ((by = warp % count))
    banks = banks << by | banks >> (count - by);
  return banks & collectors->all_banks;
}
// The banks that the instruction writes to.
static inline uint64_t collectors_destinations(const Collectors *collectors,
                                               const Inflight *inflight) {
  return collectors_turn(collectors, inflight->info->destination_set, inflight->warp);
}
#endif
