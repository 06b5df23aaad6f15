// SPDX-License-Identifier: MIT
// The table of memory accesses (accesses.c): instructions with their counts become rows, the most
// expensive first.
//
// A row is an access in the source: a place (line and column), a kind, a space, and the kernel
// parameter that the address derives from, as far as these are known. Its copies (unrolling,
// inlining) are one row. Without line numbers a row is an instruction, identified by its line in
// the PTX.
#ifndef OBSERVERS_ACCESSES_ACCESS_TABLE_H
#define OBSERVERS_ACCESSES_ACCESS_TABLE_H

#include "base/result_table.h"
#include "observers/accesses/parameter_names.h"
#include "policies/slot_reason.h"

typedef struct AccessCounts {
  uint64_t executions, lanes, transactions, ideal_transactions;
  uint64_t hits, merges, misses, bypasses;
  uint64_t bank_conflict_cycles;
  uint64_t loads_done, latency_cycles;
  uint64_t slots[SLOT_REASON_COUNT];
} AccessCounts;

// An instruction of the program.
typedef struct Access {
  uint32_t pc;
  uint8_t kind, space;
  bool has_run;  // kind and space are known
  AccessCounts counts;
} Access;

typedef struct ProgramAccesses {
  const Program *program;
  uint32_t *index_of;  // by pc: index + 1; 0: none yet
  Access *items;
  uint32_t count, capacity;
} ProgramAccesses;

extern const ResultTableType accesses_table;
void access_table_add(const ProgramAccesses *programs, uint32_t program_count,
                      ParameterNames *names, ResultTables *tables);

#endif
