// SPDX-License-Identifier: MIT
// Dumps: requests of one level of the memory system, one record each, in a file for other tools
// (docs/traces.md describes the formats). A file whose name ends with .zst is compressed. Records
// are written as they come: memory is bounded.
#ifndef OBSERVERS_DUMPS_DUMP_H
#define OBSERVERS_DUMPS_DUMP_H

#include "policies/observer/observer.h"

typedef enum DumpFormat { DUMP_CSV, DUMP_BINARY, DUMP_RAMULATOR, DUMP_RAMULATOR2 } DumpFormat;

typedef struct DumpOutput DumpOutput;

// The state of each of the observers.
typedef struct Dump {
  char file[POLICY_SPEC_BYTES];  // parameters
  unsigned format;               // DumpFormat
  DumpOutput *output;
  uint64_t records;
} Dump;

extern const Param dump_params[];

// A row of an observer's table.
typedef struct DumpRow {
  const char *file, *problem;
  uint64_t records, bytes;
} DumpRow;
extern const RowLabel dump_labels[];
extern const Stat dump_columns[];

Status dump_init(void *state, const PolicySetup *setup, Error *err);
void dump_events(Dump *dump, EventKind kind, const MemEvent *events, uint32_t count);
void dump_report(Dump *dump, const ResultTableType *type, ResultTables *tables);
void dump_clear(void *state);

// A record of the binary format: little-endian, without gaps.
typedef struct DumpRecord {
  uint64_t cycle, address, cta;
  uint32_t kernel, pc;
  uint16_t bytes, sm;       // sm UINT16_MAX: a write-back of the L2
  uint8_t warp;             // in its CTA
  uint8_t access;           // AccessKind: 0 load, 1 store, 2 atomic, 3 prefetch
  uint8_t space;            // 0 instruction, 1 global, 3 local, 4 constant, 7 texture
  uint8_t outcome;          // of an access: 0 hit, 1 merge, 2 miss, 3 bypass; else 0
  uint16_t channel, slice;  // of L2 and DRAM requests; else 0
  uint32_t zero;
} DumpRecord;

typedef struct DumpHeader {
  char magic[8];  // "HEDDLEmd"
  uint32_t version, record_bytes;
  uint32_t level;  // 0 accesses, 1 L2, 2 DRAM
  uint32_t zero[3];
} DumpHeader;

#endif
