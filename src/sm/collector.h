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

#include "sm/inflight.h"

enum { LATCH_ENTRIES = 16, MAX_BANKS = 64 };

// A pipeline register of a few instructions.
typedef struct Latch {
  uint32_t count, width;
  Inflight *entries[LATCH_ENTRIES];
} Latch;

typedef struct CollectorSet {
  uint64_t free, ready;          // bit i: collector i
  uint32_t last, ports;          // the collector that dispatched last
  Inflight *held[64];
} CollectorSet;

// Reads that wait for a bank, in order of arrival.
typedef struct BankQueue {
  BankRead *first, *last;
  uint32_t count;
} BankQueue;

// The first host cache line holds what every cycle reads.
typedef struct Collectors {
  _Alignas(64) uint32_t issued_units;  // bit u: issue latch u holds something;
  uint32_t full_units;                 // is full
  uint32_t ready_sets;           // bit s: a collector of set s is ready
  uint32_t collected_units;      // bit u: execute latch u holds something
  uint64_t waiting;              // bit b: bank b has reads
  uint64_t written;              // bit b: bank b is written this cycle, so it cannot be read
  uint32_t held_count;           // instructions anywhere in here, latches included
  uint32_t bank_count;
  uint32_t bank_mask;            // to find a bank, where there are a power of two of them; else 0
  uint64_t *conflicts;           // counts reads that waited a cycle for their bank
  uint8_t bank_ports;
  bool is_stuck;               // nothing can move before an instruction comes or leaves
  uint8_t set_of[UNIT_KINDS];  // the set that a unit's instructions take collectors of
  bool is_general;             // ... which is the same for all
  BankQueue banks[MAX_BANKS];
  Latch issue[UNIT_KINDS];    // filled by issue
  Latch execute[UNIT_KINDS];  // emptied by the units
  CollectorSet sets[UNIT_KINDS];
} Collectors;

// Number of sub-cores of an SM; fails if resources cannot be divided evenly.
Status collectors_count(const SmConfig *config, uint32_t *count, Error *err);
// One of `count`, which count their conflicts together.
void collectors_init(Collectors *collectors, const SmConfig *config, uint32_t count,
                     uint64_t *conflicts);
static inline bool latch_has_room(const Latch *latch) { return latch->count < latch->width; }
void collectors_issue(Collectors *collectors, Inflight *inflight);
// One cycle; true if anything moved.
bool collectors_work(Collectors *collectors);
static inline bool collectors_have_work(const Collectors *collectors) {
  uint64_t any = collectors->issued_units | collectors->ready_sets | collectors->waiting;
  return any && !collectors->is_stuck;
}
static inline bool collectors_step(Collectors *collectors) {
  bool moved = collectors_have_work(collectors) && collectors_work(collectors);
  collectors->written = 0;
  return moved;
}
// Takes the oldest instruction out of an execute latch, or looks at it.
Inflight *collectors_oldest(const Collectors *collectors, UnitKind unit);
void collectors_take(Collectors *collectors, UnitKind unit, Inflight *inflight);
// The bank of a register of a warp; the number is its bank before the warp is added.
static inline uint32_t collectors_bank(const Collectors *collectors, uint32_t number,
                                       uint32_t warp) {
  uint32_t sum = number + warp, mask = collectors->bank_mask;
  return mask ? sum & mask : sum % collectors->bank_count;
}
// Bit b: the instruction writes to bank b.
static inline uint64_t collectors_destinations(const Collectors *collectors,
                                               const Inflight *inflight) {
  const IssueInfo *info = inflight->info;
  uint64_t banks = 0;
  for (int d = 0; d < info->destination_count; d++)
    banks |= UINT64_C(1) << collectors_bank(collectors, info->destination_banks[d], inflight->warp);
  return banks;
}
#endif
