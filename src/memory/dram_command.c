// SPDX-License-Identifier: MIT
// Commands of a DRAM channel: open a row, close it, read or write a column.
//
// Banks are scanned from `start` in a circle. With one command bus a tick
// issues one column command, and one row command if the scan meets its bank
// first; with two busses each kind is scanned for by itself.
#include <assert.h>

#include "memory/dram_state.h"

enum { NO_DISTANCE = DRAM_MAX_BANKS };

// Masks turned so that bit d stands for the bank at distance d from the start.
static uint64_t mask_from_start(const Dram *dram, uint64_t mask) {
  uint32_t start = dram->start, banks = dram->config.banks;
  return start ? mask >> start | (mask & ((1ull << start) - 1)) << (banks - start) : mask;
}

static uint32_t bank_at(const Dram *dram, uint32_t distance) {
  uint32_t bank = dram->start + distance;
  return bank < dram->config.banks ? bank : bank - dram->config.banks;
}

static bool bus_has_room(const Dram *dram) {
  return dram->last_arrival < dram->now - dram->stalled + dram->transfer_limit;
}

// Column commands.

static Cycle column_tick(const Dram *dram, uint32_t bank_index) {
  const DramBank *bank = &dram->banks[bank_index];
  Cycle ready = bank->request.write ? bank->write_ready : bank->read_ready;
  Cycle group = dram->groups[bank->group].column_ready;
  return ready > group ? ready : group;
}

// Banks that wait for nothing but their own and their group's gaps.
static uint64_t column_candidates(const Dram *dram) {
  if (dram->now < dram->column_ready || !bus_has_room(dram)) return 0;
  return (dram->now >= dram->read_ready ? dram->reads : 0) |
         (dram->now >= dram->write_ready ? dram->writes : 0);
}

static uint32_t column_find(const Dram *dram, uint32_t first_distance) {
  if (first_distance >= dram->config.banks) return NO_DISTANCE;
  uint64_t candidates = mask_from_start(dram, column_candidates(dram));
  candidates = candidates >> first_distance << first_distance;
  for (; candidates; candidates &= candidates - 1) {
    uint32_t distance = (uint32_t)__builtin_ctzll(candidates);
    if (dram->now >= column_tick(dram, bank_at(dram, distance))) return distance;
  }
  return NO_DISTANCE;
}

static void transfer_begin(Dram *dram, const DramBank *bank) {
  Cycle arrives =
      dram->now - dram->stalled + (bank->request.write ? dram->config.wl : dram->config.cl);
  // Behind a bus that stood still transfers arrive one a tick.
  if (arrives <= dram->last_arrival) arrives = dram->last_arrival + 1;
  dram->last_arrival = arrives;
  DramTransfer transfer = {bank->request, arrives, bank->commands_left == 0};
  transfer_ring_push(&dram->transfers, transfer);
}

static void read_column(Dram *dram, DramBank *bank, DramGroup *group) {
  const DramConfig *config = &dram->config;
  dram->write_ready = dram->now + dram->read_to_write;
  group->precharge_ready = dram->now + config->rtpl;
  Cycle precharge = dram->now + config->burst_ticks;
  if (bank->precharge_ready < precharge) bank->precharge_ready = precharge;
  dram->stats.reads++;
}

static void write_column(Dram *dram, DramBank *bank) {
  dram->read_ready = dram->now + dram->write_to_read;
  Cycle precharge = dram->now + dram->write_to_precharge;
  if (bank->precharge_ready < precharge) bank->precharge_ready = precharge;
  dram->stats.writes++;
}

static void column_issue(Dram *dram, uint32_t bank_index) {
  DramBank *bank = &dram->banks[bank_index];
  DramGroup *group = &dram->groups[bank->group];
  dram->column_ready = dram->now + dram->config.ccd;
  group->column_ready = dram->now + dram->config.ccdl;
  if (bank->request.write)
    write_column(dram, bank);
  else
    read_column(dram, bank, group);
  dram->stats.busy_ticks += dram->config.burst_ticks;
  bank->commands_left--;
  transfer_begin(dram, bank);
  if (bank->commands_left) return;
  uint64_t others = ~(1ull << bank_index);
  dram->busy &= others;
  dram->reads &= others;
  dram->writes &= others;
}

// Row commands.

static Cycle row_tick(const Dram *dram, uint32_t bank_index) {
  const DramBank *bank = &dram->banks[bank_index];
  bool is_closed = dram->closed >> bank_index & 1;
  Cycle own = is_closed ? bank->activate_ready : bank->precharge_ready;
  Cycle shared = is_closed ? dram->activate_ready : dram->groups[bank->group].precharge_ready;
  return own > shared ? own : shared;
}

static uint32_t row_find(const Dram *dram) {
  uint64_t candidates = dram->conflicts;
  if (dram->now >= dram->activate_ready) candidates |= dram->closed;
  candidates = mask_from_start(dram, candidates);
  for (; candidates; candidates &= candidates - 1) {
    uint32_t distance = (uint32_t)__builtin_ctzll(candidates);
    if (dram->now >= row_tick(dram, bank_at(dram, distance))) return distance;
  }
  return NO_DISTANCE;
}

static void row_open(Dram *dram, uint32_t bank_index) {
  const DramConfig *config = &dram->config;
  DramBank *bank = &dram->banks[bank_index];
  Cycle now = dram->now;
  bank->open_row = bank->request.row;
  bank->read_ready = now + config->rcd;
  bank->write_ready = now + config->rcd_write;
  bank->precharge_ready = now + config->ras;
  bank->activate_ready = now + config->rc;
  dram->activate_ready = now + config->rrd;
  dram->stats.activates++;
}

static void row_close(Dram *dram, uint32_t bank_index) {
  DramBank *bank = &dram->banks[bank_index];
  Cycle ready = dram->now + dram->config.rp;
  bank->open_row = DRAM_NO_ROW;
  if (bank->activate_ready < ready) bank->activate_ready = ready;
  dram->stats.precharges++;
}

static void row_issue(Dram *dram, uint32_t bank_index) {
  uint64_t bit = 1ull << bank_index;
  if (dram->closed & bit)
    row_open(dram, bank_index);
  else
    row_close(dram, bank_index);
  dram->closed &= ~bit;
  dram->conflicts &= ~bit;
  dram_command_begin(dram, bank_index);
}

// A row command moves the start behind its bank.
static void start_behind(Dram *dram, uint32_t bank_index) {
  dram->start = bank_index + 1 < dram->config.banks ? bank_index + 1 : 0;
}

// Both.

static bool issue_on_one_bus(Dram *dram) {
  uint32_t column = column_find(dram, 0), row = row_find(dram);
  uint32_t row_bank = bank_at(dram, row), column_bank = bank_at(dram, column);
  if (row < column) {
    uint32_t next = dram->config.scan_jumps ? 2 * row + 2 : row + 1;
    if (column != NO_DISTANCE && column < next) {
      column = column_find(dram, next);
      column_bank = bank_at(dram, column);
    }
    row_issue(dram, row_bank);
    start_behind(dram, row_bank);
  }
  if (column != NO_DISTANCE) column_issue(dram, column_bank);
  return row != NO_DISTANCE || column != NO_DISTANCE;
}

static bool issue_on_two_busses(Dram *dram) {
  uint32_t column = column_find(dram, 0);
  if (column != NO_DISTANCE) column_issue(dram, bank_at(dram, column));
  uint32_t row = row_find(dram);
  if (row != NO_DISTANCE) {
    uint32_t row_bank = bank_at(dram, row);
    row_issue(dram, row_bank);
    start_behind(dram, row_bank);
  }
  return row != NO_DISTANCE || column != NO_DISTANCE;
}

bool dram_command_issue(Dram *dram) {
  if (!dram->busy) return false;
  return dram->config.dual_bus ? issue_on_two_busses(dram) : issue_on_one_bus(dram);
}

void dram_command_begin(Dram *dram, uint32_t bank_index) {
  const DramBank *bank = &dram->banks[bank_index];
  uint64_t bit = 1ull << bank_index;
  if (bank->open_row == DRAM_NO_ROW)
    dram->closed |= bit;
  else if (bank->open_row != bank->request.row)
    dram->conflicts |= bit;
  else if (bank->request.write)
    dram->writes |= bit;
  else
    dram->reads |= bit;
}

static Cycle next_column(const Dram *dram, uint64_t mask, Cycle shared) {
  if (dram->column_ready > shared) shared = dram->column_ready;
  Cycle next = NEVER;
  for (; mask; mask &= mask - 1)
    next = cycle_earlier(next, column_tick(dram, (uint32_t)__builtin_ctzll(mask)));
  return next < shared ? shared : next;
}

static Cycle next_row(const Dram *dram) {
  Cycle next = NEVER;
  for (uint64_t mask = dram->closed | dram->conflicts; mask; mask &= mask - 1)
    next = cycle_earlier(next, row_tick(dram, (uint32_t)__builtin_ctzll(mask)));
  return next;
}

Cycle dram_command_next(const Dram *dram) {
  Cycle next = next_row(dram);
  if (dram->reads) next = cycle_earlier(next, next_column(dram, dram->reads, dram->read_ready));
  if (dram->writes) next = cycle_earlier(next, next_column(dram, dram->writes, dram->write_ready));
  return next;
}
