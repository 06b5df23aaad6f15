// SPDX-License-Identifier: MIT
// Requests of a DRAM channel: accepted, kept until the scheduler gives them to
// a bank, handed out when their data has crossed the bus.
//
// Ticks before `wake` only count themselves. A tick that does something looks
// again in the next one; a tick that does nothing works out when to look.
#include "memory/dram.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "memory/dram_state.h"

// Timings of a few thousand ticks are far beyond any memory.
#define TICKS(field, default_, help) PARAM(DramConfig, field, default_, 0, 4096, help)

const Param dram_params[] = {
    PARAM_TEXT(DramConfig, scheduler, "frfcfs", "policy that gives requests to banks"),
    PARAM(DramConfig, banks, 16, 1, DRAM_MAX_BANKS, "banks of a channel"),
    PARAM(DramConfig, bank_groups, 4, 1, DRAM_MAX_BANKS, "groups of banks; bank modulo groups"),
    PARAM(DramConfig, row_bytes, 4096, 32, 1 << 20, "bytes of a row of a bank"),
    PARAM(DramConfig, command_bytes, 64, 1, 4096, "bytes that a column command moves"),
    PARAM(DramConfig, queue_entries, 64, 1, DRAM_MAX_QUEUE, "requests that wait for a bank"),
    PARAM(DramConfig, return_entries, 116, 1, 1 << 16, "answers that wait to be taken"),
    TICKS(ccd, 2, "ticks between column commands"),
    TICKS(ccdl, 3, "ticks between column commands to one bank group"),
    TICKS(rrd, 6, "ticks between openings of rows"),
    TICKS(rcd, 12, "ticks from opening a row to reading it"),
    TICKS(rcd_write, 7, "ticks from opening a row to writing it"),
    TICKS(ras, 28, "ticks from opening a row to closing it"),
    TICKS(rp, 12, "ticks from closing a row to opening the next"),
    TICKS(rc, 40, "ticks between openings of rows of one bank"),
    TICKS(cl, 12, "ticks from reading a column to its data"),
    TICKS(wl, 4, "ticks from writing a column to its data"),
    TICKS(cdlr, 5, "ticks from the end of written data to reading"),
    TICKS(wr, 12, "ticks from the end of written data to closing the row"),
    TICKS(rtpl, 2, "ticks from reading to closing a row of the same bank group"),
    TICKS(burst_ticks, 2, "ticks that the data bus is taken by a column command"),
    PARAM(DramConfig, dual_bus, false, 0, 1, "row commands have a bus of their own (HBM)"),
    PARAM(DramConfig, scan_jumps, false, 0, 1,
          "a row command makes the scan for a column command pass over some banks (GPGPU-Sim)"),
    {0},
};

const Stat dram_stats[] = {
    STAT_COUNT(DramStats, reads, "requests that read, a sector or a line each"),
    STAT_COUNT(DramStats, read_commands, "column commands that read"),
    STAT_COUNT(DramStats, writes, "column commands that wrote"),
    STAT_COUNT(DramStats, activates, "rows opened"),
    STAT_COUNT(DramStats, precharges, "rows closed"),
    STAT_COUNT(DramStats, row_hits, "requests that found their row open"),
    STAT_COUNT(DramStats, row_misses, "requests that did not"),
    STAT_COUNT(DramStats, busy_ticks, "ticks in which the data bus moved data"),
    STAT_COUNT(DramStats, ticks, "all ticks"),
    STAT_COUNT(DramStats, queue_full, "ticks in which the queue had no room"),
    STAT_RATIO(DramStats, utilization, busy_ticks, ticks, "share of the bandwidth that was used"),
    {0},
};

// Building.

static Status check_config(const DramConfig *config, Error *err) {
  if (config->banks < 1 || config->banks > DRAM_MAX_BANKS)
    return error_set(err, ERR_CONFIG, "dram.banks = %u; allowed: 1..%d", config->banks,
                     DRAM_MAX_BANKS);
  if (config->bank_groups < 1 || config->bank_groups > config->banks)
    return error_set(err, ERR_CONFIG, "dram.bank_groups = %u, but there are %u banks",
                     config->bank_groups, config->banks);
  if (config->queue_entries < 1 || config->queue_entries > DRAM_MAX_QUEUE)
    return error_set(err, ERR_CONFIG, "dram.queue_entries = %u; allowed: 1..%d",
                     config->queue_entries, DRAM_MAX_QUEUE);
  if (config->return_entries < 1 || config->command_bytes < 1)
    return error_set(err, ERR_CONFIG, "dram.return_entries and dram.command_bytes must not be 0");
  if (config->burst_ticks > config->ccd)
    return error_set(err, ERR_CONFIG,
                     "dram.ccd = %u, but a column command takes the data bus for dram.burst_ticks "
                     "= %u",
                     config->ccd, config->burst_ticks);
  return OK;
}

static void derive_gaps(Dram *dram) {
  const DramConfig *config = &dram->config;
  uint32_t data_read = config->cl + config->burst_ticks,
           data_written = config->wl + config->burst_ticks;
  // Two ticks to turn the bus around.
  dram->read_to_write = data_read + 2 > config->wl ? data_read + 2 - config->wl : 0;
  dram->write_to_read = data_written + config->cdlr;
  dram->write_to_precharge = data_written + config->wr;
  dram->transfer_limit = (config->cl > config->wl ? config->cl : config->wl) + 1;
}

static void build_banks(Dram *dram) {
  const DramConfig *config = &dram->config;
  dram->banks = memory_alloc(config->banks * sizeof *dram->banks);
  dram->groups = memory_alloc(config->bank_groups * sizeof *dram->groups);
  dram->waiting = memory_alloc(config->banks * sizeof *dram->waiting);
  for (uint32_t i = 0; i < config->banks; i++) {
    dram->banks[i].open_row = dram->banks[i].serving_row = DRAM_NO_ROW;
    dram->banks[i].group = i % config->bank_groups;
    dram->groups[i % config->bank_groups].banks |= 1ull << i;
    DramWaiting *waiting = &dram->waiting[i];
    waiting->rows = memory_alloc(config->queue_entries * sizeof *waiting->rows);
    waiting->ages = memory_alloc(config->queue_entries * sizeof *waiting->ages);
    waiting->writes = memory_alloc(config->queue_entries * sizeof *waiting->writes);
    waiting->who = memory_alloc(config->queue_entries * sizeof *waiting->who);
    waiting->entries = memory_alloc(config->queue_entries * sizeof *waiting->entries);
  }
}

// Entry 0 is no place of the queue: its `newer` is the oldest request.
static void build_queue(Dram *dram) {
  uint32_t count = dram->config.queue_entries;
  dram->entries = memory_alloc((count + 1) * sizeof *dram->entries);
  for (uint32_t i = 1; i < count; i++) dram->entries[i].newer = (uint16_t)(i + 1);
  dram->free_entry = 1;
}

static Status make_scheduler(Dram *dram, Error *err) {
  const DramConfig *config = &dram->config;
  const PolicyType *type;
  PolicyPlace place = {
      .sm = POLICY_EVERY_SM, .cluster = POLICY_EVERY_SM, .index = config->channel};
  PolicyHost *host = config->policies;
  if (!host) host = dram->own_host = memory_alloc(sizeof *host);
  TRY(policy_host_make(host, &dram_scheduler_family, config->scheduler, place, &type,
                       &dram->scheduler_state, err));
  dram->scheduler = (const DramSchedulerType *)(const void *)type;
  return OK;
}

Status dram_create(Dram **out, const DramConfig *config, Error *err) {
  *out = NULL;
  TRY(check_config(config, err));
  Dram *dram = memory_alloc(sizeof *dram);
  dram->config = *config;
  dram->wake = dram->next_ripe = NEVER;
  derive_gaps(dram);
  build_banks(dram);
  build_queue(dram);
  transfer_ring_init(&dram->transfers, dram->transfer_limit + 1);
  answer_ring_init(&dram->answers, config->return_entries);
  Status status = make_scheduler(dram, err);
  if (status != OK) {
    dram_destroy(dram);
    return status;
  }
  *out = dram;
  return OK;
}

void dram_destroy(Dram *dram) {
  if (!dram) return;
  for (uint32_t i = 0; i < dram->config.banks; i++) {
    memory_free(dram->waiting[i].rows);
    memory_free(dram->waiting[i].ages);
    memory_free(dram->waiting[i].writes);
    memory_free(dram->waiting[i].who);
    memory_free(dram->waiting[i].entries);
  }
  memory_free(dram->waiting);
  memory_free(dram->groups);
  memory_free(dram->banks);
  memory_free(dram->entries);
  if (dram->own_host) policy_host_clear(dram->own_host);
  memory_free(dram->own_host);
  transfer_ring_clear(&dram->transfers);
  answer_ring_clear(&dram->answers);
  memory_free(dram);
}

// The queue.

bool dram_can_accept(const Dram *dram) {
  return dram->waiting_count < dram->config.queue_entries;
}

static uint16_t entry_take(Dram *dram, const DramRequest *request) {
  uint16_t index = dram->free_entry, newest = dram->entries[0].older;
  DramEntry *entry = &dram->entries[index];
  dram->free_entry = entry->newer;
  *entry = (DramEntry){.request = *request, .age = dram->next_age++, .older = newest};
  dram->entries[newest].newer = index;
  dram->entries[0].older = index;
  return index;
}

static void entry_give_back(Dram *dram, uint16_t index) {
  DramEntry *entry = &dram->entries[index];
  dram->entries[entry->older].newer = entry->newer;
  dram->entries[entry->newer].older = entry->older;
  entry->newer = dram->free_entry;
  dram->free_entry = index;
}

void dram_accept(Dram *dram, DramRequest request) {
  assert(dram_can_accept(dram) && request.bank < dram->config.banks);
  assert(request.row != DRAM_NO_ROW);
  uint16_t index = entry_take(dram, &request);
  DramWaiting *waiting = &dram->waiting[request.bank];
  waiting->rows[waiting->count] = request.row;
  waiting->ages[waiting->count] = dram->entries[index].age;
  waiting->writes[waiting->count] = request.write;
  waiting->who[waiting->count] = request.is_asked ? &dram->entries[index].request.who : NULL;
  waiting->entries[waiting->count] = index;
  waiting->count++;
  dram->waiting_count++;
  dram->wanted |= 1ull << request.bank;
  // A busy bank is woken by its own commands.
  if (!(dram->busy >> request.bank & 1)) dram->wake = dram->now + 1;
}

static void waiting_remove(DramWaiting *waiting, uint32_t i) {
  size_t behind = --waiting->count - i;
  memmove(waiting->rows + i, waiting->rows + i + 1, behind * sizeof *waiting->rows);
  memmove(waiting->ages + i, waiting->ages + i + 1, behind * sizeof *waiting->ages);
  memmove(waiting->writes + i, waiting->writes + i + 1, behind * sizeof *waiting->writes);
  memmove(waiting->who + i, waiting->who + i + 1, behind * sizeof *waiting->who);
  memmove(waiting->entries + i, waiting->entries + i + 1, behind * sizeof *waiting->entries);
}

// A tick.

static bool transfer_arrive(Dram *dram) {
  if (dram->transfers.count == 0 || answer_ring_is_full(&dram->answers)) return false;
  if (transfer_ring_front(&dram->transfers)->arrives > dram->now - dram->stalled) return false;
  DramTransfer transfer = transfer_ring_pop(&dram->transfers);
  if (transfer.last) answer_ring_push(&dram->answers, transfer.request);
  return true;
}

static uint32_t scheduler_pick(Dram *dram, uint32_t bank_index) {
  const DramBank *bank = &dram->banks[bank_index];
  const DramWaiting *waiting = &dram->waiting[bank_index];
  DramBankView view = {
      .bank = bank_index,
      .open_row = bank->open_row,
      .serving_row = bank->serving_row,
      .request_count = waiting->count,
      .rows = waiting->rows,
      .ages = waiting->ages,
      .writes = waiting->writes,
      .who = waiting->who,
      .oldest_in_channel = dram->entries[dram->entries[0].newer].age,
  };
  uint32_t pick = dram->scheduler->pick(dram->scheduler_state, &view);
  POLICY_REQUIRE(dram->scheduler, pick < view.request_count || pick == DRAM_NO_REQUEST);
  return pick;
}

static void bank_give(Dram *dram, uint32_t bank_index, uint32_t pick) {
  DramBank *bank = &dram->banks[bank_index];
  DramWaiting *waiting = &dram->waiting[bank_index];
  uint16_t index = waiting->entries[pick];
  bank->request = dram->entries[index].request;
  uint32_t commands =
      (bank->request.bytes + dram->config.command_bytes - 1) / dram->config.command_bytes;
  bank->commands_left = commands ? commands : 1;
  bank->serving_row = bank->request.row;
  if (bank->open_row == bank->request.row)
    dram->stats.row_hits++;
  else
    dram->stats.row_misses++;
  entry_give_back(dram, index);
  waiting_remove(waiting, pick);
  dram->waiting_count--;
  if (waiting->count == 0) dram->wanted &= ~(1ull << bank_index);
  dram->busy |= 1ull << bank_index;
  dram_command_begin(dram, bank_index);
}

// Offers a bank to the scheduler; true if it has been given a request.
static bool bank_offer(Dram *dram, uint32_t bank_index) {
  uint32_t pick = scheduler_pick(dram, bank_index);
  if (pick == DRAM_NO_REQUEST) return false;
  bank_give(dram, bank_index, pick);
  dram->start = dram->start + 1 < dram->config.banks ? dram->start + 1 : 0;
  return true;
}

static bool schedule(Dram *dram) {
  uint64_t idle = dram->wanted & ~dram->busy;
  uint64_t before_start = (1ull << dram->start) - 1;
  for (uint64_t mask = idle & ~before_start; mask; mask &= mask - 1)
    if (bank_offer(dram, (uint32_t)__builtin_ctzll(mask))) return true;
  for (uint64_t mask = idle & before_start; mask; mask &= mask - 1)
    if (bank_offer(dram, (uint32_t)__builtin_ctzll(mask))) return true;
  return false;
}

// After a tick that did nothing: the next one that can.
static Cycle next_tick(const Dram *dram) {
  Cycle next = dram_command_next(dram);
  // A scheduler that gave nothing may change its mind at any time.
  if (dram->wanted & ~dram->busy) next = 0;
  if (dram->transfers.count && !answer_ring_is_full(&dram->answers))
    next = cycle_earlier(next, transfer_ring_front(&dram->transfers)->arrives + dram->stalled);
  return next > dram->now ? next : dram->now + 1;
}

static bool has_work(const Dram *dram) {
  return dram->wanted || dram->busy || dram->transfers.count;
}

static void pass_time(Dram *dram, Cycle ticks) {
  dram->now += ticks;
  dram->stats.ticks += ticks;
  if (!dram_can_accept(dram)) dram->stats.queue_full += ticks;
  if (answer_ring_is_full(&dram->answers)) dram->stalled += ticks;
}

void dram_tick(Dram *dram) {
  pass_time(dram, 1);
  if (dram->now < dram->wake) return;
  bool acted = transfer_arrive(dram);
  acted |= schedule(dram);
  acted |= dram_command_issue(dram);
  if (!has_work(dram))
    dram->wake = NEVER;
  else
    dram->wake = acted ? dram->now + 1 : next_tick(dram);
}

void dram_skip(Dram *dram, Cycle ticks) {
  assert(ticks == 0 || ticks <= dram->wake - dram->now - 1);
  pass_time(dram, ticks);
}

// Answers.

const DramRequest *dram_front(const Dram *dram) {
  return dram->answers.count ? answer_ring_front(&dram->answers) : NULL;
}

DramRequest dram_pop(Dram *dram) {
  // The bus may move again.
  if (answer_ring_is_full(&dram->answers) && has_work(dram)) dram->wake = dram->now + 1;
  return answer_ring_pop(&dram->answers);
}

bool dram_is_idle(const Dram *dram) {
  return !has_work(dram) && dram->answers.count == 0;
}

Cycle dram_next_event(const Dram *dram) {
  if (dram->answers.count) return 0;
  if (dram->wake == NEVER) return NEVER;
  return dram->wake - dram->now - 1;
}

const DramStats *dram_stats_of(const Dram *dram) {
  return &dram->stats;
}
