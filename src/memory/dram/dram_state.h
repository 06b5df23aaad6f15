// SPDX-License-Identifier: MIT
// The inside of a DRAM channel, shared by dram.c (requests in and out) and
// dram_command.c (commands and their gaps).
//
// Timing constraints are stored as the first tick at which a command is allowed again, so
// that advancing time changes only `now`.
#ifndef MEMORY_DRAM_DRAM_STATE_H
#define MEMORY_DRAM_DRAM_STATE_H

#include "base/ring.h"
#include "memory/dram/dram_queue.h"

enum { DRAM_WHEEL = 64 };

typedef struct DramBank {
  // The first tick of a column command to the open row, of closing it and of
  // opening the next.
  Cycle read_ready, write_ready, precharge_ready, activate_ready;
  Cycle ripe;                      // the constraint of these that its next command waits for
  uint32_t open_row, serving_row;  // or DRAM_NO_ROW
  uint32_t group;
  uint32_t commands_left;  // column commands of the request
  DramRequest request;     // if the bank's bit is set in `busy`
} DramBank;

typedef struct DramGroup {
  Cycle column_ready, precharge_ready;
  uint64_t banks;
} DramGroup;

// A column command in flight: in the bank or on the data bus.
typedef struct DramTransfer {
  DramRequest request;
  Cycle arrives;  // in ticks in which the bus was not stalled
  bool last;      // of its request
} DramTransfer;

RING_DEFINE(TransferRing, transfer_ring, DramTransfer);
RING_DEFINE(AnswerRing, answer_ring, DramRequest);

// What every tick touches comes first.
struct Dram {
  // time
  _Alignas(64) Cycle now;  // the tick that has been done last
  Cycle wake;              // no tick before this one does anything
  Cycle stalled;           // ticks in which the bus stood still, so far
  AnswerRing answers;
  uint32_t start;  // the bank that is looked at first
  bool draining;   // writes_queue, since it was full to write_high

  DramQueue queue;  // reads, and writes unless they have a queue of their own

  // banks, as bit masks: has a request; and then its own gaps are over; and
  // either its row is open, or none is, or another one is
  uint64_t busy;
  uint64_t ripe;
  uint64_t reads, writes, closed, conflicts;
  DramBank *banks;
  DramGroup *groups;
  Cycle column_ready, read_ready, write_ready, activate_ready;
  TransferRing transfers;
  Cycle last_arrival;
  Cycle next_ripe;             // the first taken place of the wheel, or NEVER
  uint64_t wheel_taken;        // places that are not zero
  uint64_t wheel[DRAM_WHEEL];  // banks by the tick at which they become ripe

  DramQueue writes_queue;
  Cycle last_busy;  // when a read waited, or a bank for its row

  DramStats stats;

  // config
  DramConfig config;
  uint32_t read_to_write, write_to_read, write_to_precharge;
  uint32_t transfer_limit;  // ticks that the last transfer may lie ahead
  const DramSchedulerType *scheduler;
  void *scheduler_state;
  PolicyHost *own_host;  // of its state, if no machine has one
};

// Puts a bank that has just been given a request into the right mask.
void dram_command_begin(Dram *dram, uint32_t bank);
// Issues what this tick allows; false if that is nothing.
bool dram_command_issue(Dram *dram);
// After a tick that issued none: the first one that may issue one, or NEVER.
Cycle dram_command_next(const Dram *dram);

#endif
