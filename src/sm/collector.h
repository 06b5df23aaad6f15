// SPDX-License-Identifier: MIT
// Operand collection: between issue and the units, an instruction waits in a
// collector while its registers are read from single-ported banks.
//
//   issue -> [issue latch] -> collector -> bank reads -> [execute latch] -> unit
//
// One step a cycle, back to front: ready collectors move to the execute
// latches, banks grant one read each, and issued instructions take collectors.
// So an instruction with register operands spends at least three cycles here,
// one without two.
#ifndef SM_COLLECTOR_H
#define SM_COLLECTOR_H

#include "sm/inflight.h"

enum { LATCH_ENTRIES = 16, MAX_BANKS = 64 };

// A pipeline register of a few instructions.
typedef struct Latch {
  Inflight *entries[LATCH_ENTRIES];
  uint32_t count, width;
} Latch;

typedef struct CollectorSet {
  uint64_t free, ready;          // bit i: collector i
  Inflight *held[64];
  uint32_t last, ports;          // the collector that dispatched last
} CollectorSet;

// Reads that wait for a bank, in order of arrival.
typedef struct BankQueue {
  BankRead *first, *last;
  uint32_t count;
} BankQueue;

typedef struct Collectors {
  Latch issue[UNIT_KINDS];       // filled by issue
  Latch execute[UNIT_KINDS];     // emptied by the units
  CollectorSet sets[UNIT_KINDS];
  BankQueue banks[MAX_BANKS];
  uint32_t issued_units, full_units;  // bit u: issue latch u holds something; is full
  uint32_t ready_units;          // bit u: a collector of set u is ready
  uint64_t waiting;              // bit b: bank b has reads
  uint64_t written;              // bit b: bank b is written this cycle, so it cannot be read
  uint32_t bank_count;
  uint32_t held_count;           // instructions anywhere in here, latches included
  uint64_t conflicts;            // reads that waited a cycle for their bank
} Collectors;

void collectors_init(Collectors *collectors, const SmConfig *config);
static inline bool latch_has_room(const Latch *latch) { return latch->count < latch->width; }
void collectors_issue(Collectors *collectors, Inflight *inflight);
// True if anything moved.
bool collectors_step(Collectors *collectors);
// Takes the oldest instruction out of an execute latch, or looks at it.
Inflight *collectors_oldest(const Collectors *collectors, UnitKind unit);
void collectors_take(Collectors *collectors, UnitKind unit, Inflight *inflight);
// A result is written to a bank in this cycle.
static inline void collectors_write(Collectors *collectors, uint32_t bank) {
  collectors->written |= UINT64_C(1) << bank;
}
#endif
