// SPDX-License-Identifier: MIT
// One DRAM channel: banks with rows, commands with their gaps, one data bus.
//
// Requests wait in a queue of `queue_entries`; the scheduler policy assigns them to idle
// banks, which activate rows and issue column commands when the timing allows. Open page,
// no refresh. Reads and writes are mixed, unless there is a write queue: then writes are
// served in batches, between a high and a low watermark, to reduce bus turnarounds.
//
// A tick completes transfers, assigns one request to one bank, then issues commands.
// Banks are searched round robin from a start that advances with each assignment and each
// row command. A request accepted after tick p is visible to tick p + 1; one completed by
// tick q can be popped before tick q + 1.
#ifndef MEMORY_DRAM_DRAM_H
#define MEMORY_DRAM_DRAM_H

#include "base/cycle.h"
#include "base/param.h"
#include "base/stats.h"
#include "memory/request.h"
#include "policies/dram_scheduler/dram_scheduler.h"
#include "policies/host.h"

// The bits of a bank's number that name its group.
typedef enum GroupBits { GROUP_BITS_LOW, GROUP_BITS_HIGH } GroupBits;

// [dram]; timings in ticks of the DRAM's command clock.
typedef struct DramConfig {
  uint32_t banks, bank_groups;        // 16, 4
  unsigned bank_group_bits;           // GroupBits
  uint32_t row_bytes;                 // 4096, of a bank
  uint32_t command_bytes;             // 64: moved by one column command
  uint32_t queue_entries;             // 64
  uint32_t write_queue_entries;       // 0: writes wait with the reads
  uint32_t write_high, write_low;     // writes that begin and end a batch
  uint32_t write_idle_ticks;          // of an idle channel, until fewer are served
  uint32_t return_entries;            // 116
  uint32_t ccd, ccdl, rrd, rcd, rcd_write, ras, rp, rc, cl, wl, cdlr, wr, rtpl;
  uint32_t burst_ticks;  // 2: the data bus is taken by one column command
  bool dual_bus;         // separate command bus for row commands (HBM)
  // As GPGPU-Sim has it: after a row command for the bank at distance d from the
  // start, the banks at d + 1 .. 2d + 1 get no column command in that tick.
  bool scan_jumps;
  PolicyHost *policies;  // no parameter: makes the scheduler; NULL: without plugins
  uint32_t channel;      // no parameter: its number
  char scheduler[POLICY_SPEC_BYTES];  // "frfcfs"
} DramConfig;
extern const Param dram_params[];

typedef struct DramStats {
  uint64_t reads;                  // requests: a sector or a line each
  uint64_t read_commands, writes;  // column commands
  uint64_t activates, precharges, row_hits,
      row_misses;              // row hit: assigned to a bank whose row was open
  uint64_t busy_ticks, ticks;  // ticks in which the data bus moved data; all ticks
  uint64_t queue_full;         // ticks in which the queue had no room
} DramStats;
extern const Stat dram_stats[];

// Half a line of the host's cache: it is copied from queue to queue.
typedef struct DramRequest {
  MemRequest *owner;  // valid until the reply; NULL: a write-back of the L2
  uint64_t address;   // handed back with the answer, as tag and entry
  uint32_t tag, entry;
  uint32_t row;
  uint16_t bytes;
  uint8_t bank;
  bool write;
} DramRequest;

typedef struct Dram Dram;
Status dram_create(Dram **dram, const DramConfig *config, Error *err);
void dram_destroy(Dram *dram);

bool dram_can_accept(const Dram *dram, bool write);
void dram_accept(Dram *dram, DramRequest request);
void dram_tick(Dram *dram);
// A read whose data has arrived, or a completed write; NULL if none. The channel's owner
// pops at most one read per tick, and any number of writes. While `return_entries` are
// waiting here, the data bus is stalled.
const DramRequest *dram_front(const Dram *dram);
DramRequest dram_pop(Dram *dram);
// Whether no request is queued, in service or to be popped: ticks may then be skipped.
// dram_skip advances by several ticks, with identical statistics and bank states.
bool dram_is_idle(const Dram *dram);
// For at most dram_next_event ticks.
void dram_skip(Dram *dram, Cycle ticks);
// Ticks from now until something can happen, 0 = the next tick; NEVER if idle.
// 0 as long as something is to be popped. It may be earlier than need be.
Cycle dram_next_event(const Dram *dram);
const DramStats *dram_stats_of(Dram *dram);

#endif
