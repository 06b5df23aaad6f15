// SPDX-License-Identifier: MIT
// Commands of a DRAM channel: open a row, close it, read or write a column. Banks are scanned
// from `start` in a circle. With one command bus a tick issues one column command, and one row
// command if the scan meets its bank first; with two buses each kind is scanned for by itself.
// Every gap of the data sheet is kept as the first tick at which a command is allowed, per
// bank, per bank group or per channel; a bank is `ripe` when its own gaps have passed.
#include <assert.h>

#include "memory/dram/dram_state.h"

enum { NO_DISTANCE = DRAM_MAX_BANKS };

// Rotates a mask so that bit d is the bank at distance d from the start.
static uint64_t mask_from_start(const Dram *dram, uint64_t mask) {
  uint32_t start = dram->start, banks = dram->config.banks;
  return start ? mask >> start | (mask & ((1ull << start) - 1)) << (banks - start) : mask;
}

static uint32_t nearest(uint64_t mask_by_distance) {
  return mask_by_distance ? (uint32_t)__builtin_ctzll(mask_by_distance) : NO_DISTANCE;
}

static uint32_t bank_at(const Dram *dram, uint32_t distance) {
  uint32_t bank = dram->start + distance;
  return bank < dram->config.banks ? bank : bank - dram->config.banks;
}

// Data may be scheduled at most transfer_limit ticks ahead: the ring of transfers has that many
// places.
static bool bus_has_room(const Dram *dram) {
  return dram->last_arrival < dram->now - dram->stalled + dram->transfer_limit;
}

// The timing constraints of a bank do not change until its next command, so the tick in
// which it becomes ready is known in advance. The timing wheel has one slot for each of
// the next 63 ticks; banks with longer waits are re-inserted.
static void wheel_put(Dram *dram, uint32_t bank_index) {
  uint64_t bit = 1ull << bank_index;
  Cycle tick = dram->banks[bank_index].ripe;
  if (tick <= dram->now) {
    dram->ripe |= bit;
    return;
  }
  if (tick > dram->now + DRAM_WHEEL - 1) tick = dram->now + DRAM_WHEEL - 1;
  uint32_t place = (uint32_t)tick % DRAM_WHEEL;
  dram->wheel[place] |= bit;
  dram->wheel_taken |= 1ull << place;
  dram->next_ripe = cycle_earlier(dram->next_ripe, tick);
}

static Cycle wheel_next(const Dram *dram) {
  if (!dram->wheel_taken) return NEVER;
  uint32_t turn = (uint32_t)dram->now % DRAM_WHEEL;
  uint64_t taken = dram->wheel_taken >> turn | dram->wheel_taken << (-turn % DRAM_WHEEL);
  return dram->now + (uint32_t)__builtin_ctzll(taken);
}

static void wheel_turn(Dram *dram) {
  if (dram->now < dram->next_ripe) return;
  assert(dram->now == dram->next_ripe);
  uint32_t place = (uint32_t)dram->now % DRAM_WHEEL;
  uint64_t mask = dram->wheel[place];
  dram->wheel[place] = 0;
  dram->wheel_taken &= ~(1ull << place);
  dram->next_ripe = wheel_next(dram);
  for (; mask; mask &= mask - 1) wheel_put(dram, (uint32_t)__builtin_ctzll(mask));
}

// Without a branch: the mask is all ones while the gap lasts.
static uint64_t blocked_if(Cycle now, Cycle ready, uint64_t banks) {
  return banks & -(uint64_t)(now < ready);
}

// Column commands.

// The first bank from that distance on that can issue a column command. Order of the tests: from
// the cheapest and most frequent failure (tCCD of the channel) to the constraints of each bank
// group.
static uint32_t column_find(const Dram *dram, uint32_t first_distance) {
  if (dram->now < dram->column_ready || first_distance >= dram->config.banks) return NO_DISTANCE;
  uint64_t candidates = (dram->now >= dram->read_ready ? dram->reads : 0) |
                        (dram->now >= dram->write_ready ? dram->writes : 0);
  candidates &= dram->ripe;
  if (!candidates || !bus_has_room(dram)) return NO_DISTANCE;
  for (uint32_t i = 0; i < dram->config.bank_groups; i++)
    candidates &= ~blocked_if(dram->now, dram->groups[i].column_ready, dram->groups[i].banks);
  return nearest(mask_from_start(dram, candidates) >> first_distance << first_distance);
}

// tCL or tWL after the command the data is on the bus; bursts of several commands follow one
// another.
static void transfer_begin(Dram *dram, const DramBank *bank) {
  Cycle arrives =
      dram->now - dram->stalled + (bank->request.write ? dram->config.wl : dram->config.cl);
  // Behind a bus that stood still transfers arrive one a tick.
  if (arrives <= dram->last_arrival) arrives = dram->last_arrival + 1;
  dram->last_arrival = arrives;
  DramTransfer transfer = {bank->request, arrives, bank->commands_left == 0};
  transfer_ring_push(&dram->transfers, transfer);
}

// tRTPL holds for the group, the burst itself for the bank.
static void read_column(Dram *dram, DramBank *bank, DramGroup *group) {
  const DramConfig *config = &dram->config;
  dram->write_ready = dram->now + dram->read_to_write;
  group->precharge_ready = dram->now + config->rtpl;
  Cycle precharge = dram->now + config->burst_ticks;
  if (bank->precharge_ready < precharge) bank->precharge_ready = precharge;
  dram->stats.read_commands++;
  if (bank->commands_left == 1) dram->stats.reads++;
}

static void write_column(Dram *dram, DramBank *bank) {
  dram->read_ready = dram->now + dram->write_to_read;
  Cycle precharge = dram->now + dram->write_to_precharge;
  if (bank->precharge_ready < precharge) bank->precharge_ready = precharge;
  if (!dram->config.write_idle_ticks) dram->stats.writes++;
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
  uint64_t done = --bank->commands_left == 0 ? 1ull << bank_index : 0;
  transfer_begin(dram, bank);
  dram->busy &= ~done;
  dram->ripe &= ~done;
  dram->reads &= ~done;
  dram->writes &= ~done;
}

// Row commands.

// tRRD limits activates of the channel; precharges have no such gap.
static uint32_t row_find(const Dram *dram) {
  uint64_t openings = dram->now >= dram->activate_ready ? dram->closed & dram->ripe : 0;
  uint64_t closings = dram->conflicts & dram->ripe;
  for (uint32_t i = 0; closings && i < dram->config.bank_groups; i++)
    closings &= ~blocked_if(dram->now, dram->groups[i].precharge_ready, dram->groups[i].banks);
  return nearest(mask_from_start(dram, openings | closings));
}

// One activate starts four gaps of its bank and tRRD of the channel.
static void row_open(Dram *dram, uint32_t bank_index) {
  const DramConfig *config = &dram->config;
  DramBank *bank = &dram->banks[bank_index];
  Cycle now = dram->now;
  bank->open_row = bank->request.row;
  bank->read_ready = now + config->rcd;
  bank->write_ready = now + config->rcd_write;
  bank->precharge_ready = now + config->ras;
  // tRC >= tRAS + tRP on real parts; both are kept, and the later one holds (row_close).
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
  dram->ripe &= ~bit;
  dram_command_begin(dram, bank_index);
}

// A row command moves the start to the next bank.
static void start_behind(Dram *dram, uint32_t bank_index) {
  dram->start = bank_index + 1 < dram->config.banks ? bank_index + 1 : 0;
}

// Both.

// Which of the two the scan meets first decides whether a row command goes out in the same
// tick.
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
  wheel_turn(dram);
  return dram->config.dual_bus ? issue_on_two_busses(dram) : issue_on_one_bus(dram);
}

// Puts the bank into one of four sets by its next command. Bank gaps cannot change before that
// command, so its time is known now.
void dram_command_begin(Dram *dram, uint32_t bank_index) {
  DramBank *bank = &dram->banks[bank_index];
  uint64_t bit = 1ull << bank_index;
  if (bank->open_row == DRAM_NO_ROW) {
    dram->closed |= bit;
    bank->ripe = bank->activate_ready;
  } else if (bank->open_row != bank->request.row) {
    dram->conflicts |= bit;
    bank->ripe = bank->precharge_ready;
  } else if (bank->request.write) {
    dram->writes |= bit;
    bank->ripe = bank->write_ready;
  } else {
    dram->reads |= bit;
    bank->ripe = bank->read_ready;
  }
  wheel_put(dram, bank_index);
}

// The first tick for one of the ripe banks in mask, by one gap of their groups.
static Cycle next_in_groups(const Dram *dram, uint64_t mask, bool column) {
  Cycle next = NEVER;
  for (mask &= dram->ripe; mask; mask &= mask - 1) {
    const DramGroup *group = &dram->groups[dram->banks[__builtin_ctzll(mask)].group];
    next = cycle_earlier(next, column ? group->column_ready : group->precharge_ready);
  }
  return next;
}

static Cycle next_column(const Dram *dram, uint64_t mask, Cycle turned) {
  Cycle next = next_in_groups(dram, mask, true);
  if (next < turned) next = turned;
  return next < dram->column_ready ? dram->column_ready : next;
}

Cycle dram_command_next(const Dram *dram) {
  Cycle next = cycle_earlier(dram->next_ripe, next_in_groups(dram, dram->conflicts, false));
  next = cycle_earlier(next, next_column(dram, dram->reads, dram->read_ready));
  next = cycle_earlier(next, next_column(dram, dram->writes, dram->write_ready));
  return dram->closed & dram->ripe ? cycle_earlier(next, dram->activate_ready) : next;
}
