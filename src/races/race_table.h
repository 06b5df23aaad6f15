// SPDX-License-Identifier: MIT
// The races that were found: one entry for each pair of source lines, with its first occurrence
// in words. Texts outlive programs and launches.
#ifndef RACES_RACE_TABLE_H
#define RACES_RACE_TABLE_H

#include "base/arena.h"
#include "exec/execute.h"
#include "races/shadow.h"

typedef enum RaceKind { RACE_RAW, RACE_WAR, RACE_WAW } RaceKind;

// How the two threads are related, which decides what orders them.
typedef enum RaceReach { REACH_WARP, REACH_CTA, REACH_GRID } RaceReach;

// One of the two accesses.
typedef struct RacePoint {
  const char *file;  // CUDA source if known, else PTX
  uint32_t line;
  const char *instruction;  // as written
  const char *thread;       // CTA and thread, or warp
  bool is_write, is_atomic;
} RacePoint;

typedef struct Race {
  const char *kernel, *where, *advice;
  RaceKind kind;
  RaceReach reach;
  bool is_shared;
  const char *benign;  // why it does no harm; NULL: it may
  RacePoint points[2];
  uint64_t count;  // conflicting pairs of accesses, by cell of the shadow memory
} Race;

// The CTA of an access, which may have exited.
typedef struct RaceCta {
  uint32_t launch;  // number among the check's launches
  uint64_t linear;
} RaceCta;

// Everything about one conflict.
typedef struct Conflict {
  const ExecContext *context;
  const Launch *launch;
  bool is_shared, is_benign;
  uint64_t address;
  // The accesses, first the one that comes first in the program.
  Touch touches[2];
  uint64_t ctas[2];  // linear indices
  bool is_write[2];
} Conflict;

typedef struct RaceTable {
  Race **races;  // in the order of their first occurrence
  uint32_t count, capacity;
  struct RaceEntry *entries;
  struct TestedPair *tested;
  Arena arena;
} RaceTable;

void race_table_add(RaceTable *table, const Conflict *conflict);
void race_table_clear(RaceTable *table);

// A thread has read a word and then changed it with an atomic, as in `if (a[i] < x)
// atomicMax(&a[i], x)`: the read may be old, which the atomic corrects. Races of the two lines are
// benign.
void race_table_note_tested(RaceTable *table, const Launch *launch, uint32_t read_pc,
                            uint32_t atomic_pc);
// Decides which races are benign, from what is known so far.
void race_table_settle(RaceTable *table);

// The line of the CUDA source; NULL if unknown.
const SourceLine *race_source(const Program *program, uint32_t pc);

const char *race_kind_name(RaceKind kind);  // "RAW"

#endif
