// SPDX-License-Identifier: MIT
// Requests of a DRAM channel: accepted, queued until the scheduler assigns them to a bank,
// returned when their data has crossed the bus. Each bank serves one request at a time; the
// scheduler chooses among requests of one bank, the command logic (dram_command.c) among banks.
#include "memory/dram/dram.h"

#include <assert.h>

#include "base/memory.h"
#include "memory/dram/dram_state.h"

// Timings of a few thousand ticks are far beyond any memory.
#define TICKS(field, default_, help) PARAM(DramConfig, field, default_, 0, 4096, help)

static const char *const group_bits[] = {"low", "high", NULL};

const Param dram_params[] = {
    PARAM_TEXT(DramConfig, scheduler, "frfcfs", "policy: order of requests to banks"),
    PARAM(DramConfig, banks, 16, 1, DRAM_MAX_BANKS, "banks per channel"),
    PARAM(DramConfig, bank_groups, 4, 1, DRAM_MAX_BANKS, "bank groups"),
    PARAM_CHOICE(DramConfig, bank_group_bits, GROUP_BITS_LOW, group_bits,
                 "bits of the bank number that select the bank group"),
    PARAM(DramConfig, row_bytes, 4096, 32, 1 << 20, "row size per bank"),
    PARAM(DramConfig, command_bytes, 64, 1, 4096, "bytes per column command"),
    PARAM(DramConfig, queue_entries, 64, 1, DRAM_MAX_QUEUE, "request queue entries"),
    PARAM(DramConfig, write_queue_entries, 0, 0, DRAM_MAX_QUEUE,
          "write queue entries; 0 = reads and writes share one queue"),
    PARAM(DramConfig, write_high, 28, 1, DRAM_MAX_QUEUE,
          "queued writes that start a write drain ..."),
    PARAM(DramConfig, write_low, 16, 0, DRAM_MAX_QUEUE, "... and that end it"),
    PARAM(DramConfig, return_entries, 116, 1, 1 << 16, "return queue entries"),
    TICKS(write_idle_ticks, 0,
          "idle ticks of the channel before a write is served though fewer than write_high wait"),
    TICKS(ccd, 2, "tCCD: ticks between column commands"),
    TICKS(ccdl, 3, "tCCDL: ticks between column commands to one bank group"),
    TICKS(rrd, 6, "tRRD: ticks between activates"),
    TICKS(rcd, 12, "tRCD: ticks from activate to read"),
    TICKS(rcd_write, 7, "tRCDWR: ticks from activate to write"),
    TICKS(ras, 28, "tRAS: ticks from activate to precharge"),
    TICKS(rp, 12, "tRP: ticks from precharge to activate"),
    TICKS(rc, 40, "tRC: ticks between activates of one bank"),
    TICKS(cl, 12, "tCL: ticks from read to data"),
    TICKS(wl, 4, "tWL: ticks from write to data"),
    TICKS(cdlr, 5, "tCDLR: ticks from end of write data to read"),
    TICKS(wr, 12, "tWR: ticks from end of write data to precharge"),
    TICKS(rtpl, 2, "tRTPL: ticks from read to precharge in the same bank group"),
    TICKS(burst_ticks, 2, "data bus ticks per column command"),
    PARAM(DramConfig, dual_bus, false, 0, 1, "separate row command bus (HBM)"),
    PARAM(DramConfig, scan_jumps, false, 0, 1,
          "a row command makes the column scan skip some banks (GPGPU-Sim)"),
    {0},
};

const Stat dram_stats[] = {
    STAT_COUNT(DramStats, reads, "read requests, one sector or line each"),
    STAT_COUNT(DramStats, read_commands, "read column commands"),
    STAT_COUNT(DramStats, writes, "write column commands"),
    STAT_COUNT(DramStats, activates, "rows opened"),
    STAT_COUNT(DramStats, precharges, "rows closed"),
    STAT_COUNT(DramStats, row_hits, "row hits"),
    STAT_COUNT(DramStats, row_misses, "row misses"),
    STAT_COUNT(DramStats, busy_ticks, "ticks with data on the bus"),
    STAT_COUNT(DramStats, ticks, "all ticks"),
    STAT_COUNT(DramStats, queue_full, "ticks with a full queue"),
    STAT_RATIO(DramStats, utilization, busy_ticks, ticks,
               "busy ticks of the data buses, as a share of all ticks"),
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
  if (config->queue_entries < 1 || config->queue_entries > DRAM_MAX_QUEUE ||
      config->write_queue_entries > DRAM_MAX_QUEUE)
    return error_set(err, ERR_CONFIG,
                     "dram.queue_entries = %u, dram.write_queue_entries = %u; at most %d, and of "
                     "the first at least 1",
                     config->queue_entries, config->write_queue_entries, DRAM_MAX_QUEUE);
  if (config->write_queue_entries &&
      (config->write_high > config->write_queue_entries || config->write_low > config->write_high))
    return error_set(err, ERR_CONFIG,
                     "dram.write_low = %u, dram.write_high = %u and dram.write_queue_entries = %u "
                     "must be in ascending order",
                     config->write_low, config->write_high, config->write_queue_entries);
  if (config->bank_group_bits == GROUP_BITS_HIGH && config->banks % config->bank_groups)
    return error_set(err, ERR_CONFIG,
                     "dram.bank_group_bits = high: %u banks do not divide into %u equal groups",
                     config->banks, config->bank_groups);
  if (config->return_entries < 1 || config->command_bytes < 1)
    return error_set(err, ERR_CONFIG, "dram.return_entries and dram.command_bytes must not be 0");
  if (config->burst_ticks > config->ccd)
    return error_set(err, ERR_CONFIG,
                     "dram.ccd = %u, but a column command takes the data bus for dram.burst_ticks "
                     "= %u",
                     config->ccd, config->burst_ticks);
  return OK;
}

// Gaps between commands of different direction, from the timings of the data sheet (tRTW, tWTR,
// tWTP).
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

static uint32_t group_of(const DramConfig *config, uint32_t bank) {
  return config->bank_group_bits == GROUP_BITS_HIGH ? bank / (config->banks / config->bank_groups)
                                                    : bank % config->bank_groups;
}

// All rows are closed at the start.
static void build_banks(Dram *dram) {
  const DramConfig *config = &dram->config;
  dram->banks = memory_alloc(config->banks * sizeof *dram->banks);
  dram->groups = memory_alloc(config->bank_groups * sizeof *dram->groups);
  for (uint32_t i = 0; i < config->banks; i++) {
    DramBank *bank = &dram->banks[i];
    bank->open_row = bank->serving_row = DRAM_NO_ROW;
    bank->group = group_of(config, i);
    dram->groups[bank->group].banks |= 1ull << i;
  }
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
  Dram *dram = memory_alloc_aligned(sizeof *dram, _Alignof(Dram));
  dram->config = *config;
  dram->wake = dram->next_ripe = NEVER;
  derive_gaps(dram);
  build_banks(dram);
  dram_queue_init(&dram->queue, config->queue_entries, config->banks);
  dram_queue_init(&dram->writes_queue, config->write_queue_entries, config->banks);
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
  dram_queue_clear(&dram->queue);
  dram_queue_clear(&dram->writes_queue);
  memory_free(dram->groups);
  memory_free(dram->banks);
  if (dram->own_host) policy_host_clear(dram->own_host);
  memory_free(dram->own_host);
  transfer_ring_clear(&dram->transfers);
  answer_ring_clear(&dram->answers);
  memory_free(dram);
}

// The queues.

// One queue for both, unless the configuration gives writes their own.
static DramQueue *queue_for(Dram *dram, bool write) {
  return write && dram->writes_queue.capacity ? &dram->writes_queue : &dram->queue;
}

bool dram_can_accept(const Dram *dram, bool write) {
  return !dram_queue_is_full(queue_for((Dram *)dram, write));
}

// With a write queue, writes are buffered until there are write_high of them; then they
// are drained, and reads wait, until fewer than write_low are left.
static void note_writes(Dram *dram) {
  uint32_t count = dram->writes_queue.count;
  if (count >= dram->config.write_high)
    dram->draining = true;
  else if (count < dram->config.write_low || count == 0)
    dram->draining = false;
}

// At least one, also of a request without bytes.
static uint32_t commands_of(const Dram *dram, const DramRequest *request) {
  uint32_t each = dram->config.command_bytes, commands = (request->bytes + each - 1) / each;
  return commands ? commands : 1;
}

void dram_accept(Dram *dram, DramRequest request) {
  assert(request.row != DRAM_NO_ROW);
  // Writes that may outlive their kernel in the queue count as its own.
  if (request.write && dram->config.write_idle_ticks)
    dram->stats.writes += commands_of(dram, &request);
  dram_queue_push(queue_for(dram, request.write), &request);
  note_writes(dram);
  // A busy bank is woken by its own commands.
  if (!(dram->busy >> request.bank & 1)) dram->wake = dram->now + 1;
}

// Writes are also served while no read is queued; with write_idle_ticks, only after so many ticks
// in which no read was queued and no row was opened or closed. In GPGPU-Sim they stay in the
// queue, even when a kernel ends; here the queue drains.
static DramQueue *serving_queue(Dram *dram) {
  if (dram->queue.count || dram->busy) dram->last_busy = dram->now;
  bool may_write =
      !dram->queue.count && dram->now - dram->last_busy >= dram->config.write_idle_ticks;
  bool writes = dram->draining || (may_write && dram->writes_queue.count);
  return writes ? &dram->writes_queue : &dram->queue;
}

// A tick.

// `stalled` counts ticks in which the full return queue held the bus; times on the bus are
// relative to it, so that a stall delays everything in flight by the same amount.
static bool transfer_arrive(Dram *dram) {
  if (dram->transfers.count == 0 || answer_ring_is_full(&dram->answers)) return false;
  if (transfer_ring_front(&dram->transfers)->arrives > dram->now - dram->stalled) return false;
  DramTransfer transfer = transfer_ring_pop(&dram->transfers);
  // A request of several column commands is answered with its last burst.
  if (transfer.last) answer_ring_push(&dram->answers, transfer.request);
  return true;
}

// The arrays of the view are in order of arrival: index 0 is the oldest request of the bank.
static uint32_t scheduler_pick(Dram *dram, const DramQueue *queue, uint32_t bank_index) {
  const DramBank *bank = &dram->banks[bank_index];
  const DramWaiting *waiting = &queue->waiting[bank_index];
  DramBankView view = {
      .bank = bank_index,
      .open_row = bank->open_row,
      .serving_row = bank->serving_row,
      .request_count = waiting->count,
      .rows = waiting->rows + waiting->first,
      .ages = waiting->ages + waiting->first,
      .writes = waiting->writes + waiting->first,
      .requesters = waiting->requesters + waiting->first,
      .oldest_in_channel = dram_queue_oldest(queue),
  };
  uint32_t pick = dram->scheduler->pick(dram->scheduler_state, &view);
  POLICY_REQUIRE(dram->scheduler, pick < view.request_count || pick == DRAM_NO_REQUEST);
  return pick;
}

static void bank_give(Dram *dram, uint32_t bank_index, DramRequest request) {
  DramBank *bank = &dram->banks[bank_index];
  bank->request = request;
  bank->commands_left = commands_of(dram, &bank->request);
  bank->serving_row = bank->request.row;
  if (bank->open_row == bank->request.row)
    dram->stats.row_hits++;
  else
    dram->stats.row_misses++;
  dram->busy |= 1ull << bank_index;
  dram_command_begin(dram, bank_index);
}

// Offers a bank to the scheduler; true if it has been given a request.
static bool bank_offer(Dram *dram, DramQueue *queue, uint32_t bank_index) {
  uint32_t pick = scheduler_pick(dram, queue, bank_index);
  if (pick == DRAM_NO_REQUEST) return false;
  bank_give(dram, bank_index, dram_queue_take(queue, bank_index, pick));
  note_writes(dram);
  dram->start = dram->start + 1 < dram->config.banks ? dram->start + 1 : 0;
  return true;
}

// At most one bank per tick gets a request. The start of the scan moves on with each request
// that is assigned, so that no bank starves.
static bool schedule(Dram *dram) {
  DramQueue *queue = serving_queue(dram);
  uint64_t idle = queue->wanted & ~dram->busy;
  uint64_t before_start = (1ull << dram->start) - 1;
  for (uint64_t mask = idle & ~before_start; mask; mask &= mask - 1)
    if (bank_offer(dram, queue, (uint32_t)__builtin_ctzll(mask))) return true;
  for (uint64_t mask = idle & before_start; mask; mask &= mask - 1)
    if (bank_offer(dram, queue, (uint32_t)__builtin_ctzll(mask))) return true;
  return false;
}

static uint64_t wanted_banks(const Dram *dram) {
  return dram->queue.wanted | dram->writes_queue.wanted;
}

// After a tick that did nothing: the next one that can.
// May be too early, never too late.
static Cycle next_tick(const Dram *dram) {
  Cycle next = dram_command_next(dram);
  // A scheduler that gave nothing may change its mind at any time.
  if (wanted_banks(dram) & ~dram->busy) next = 0;
  if (dram->transfers.count && !answer_ring_is_full(&dram->answers))
    next = cycle_earlier(next, transfer_ring_front(&dram->transfers)->arrives + dram->stalled);
  return next > dram->now ? next : dram->now + 1;
}

static bool has_work(const Dram *dram) {
  return wanted_banks(dram) || dram->busy || dram->transfers.count;
}

// The only place where time passes: dram_skip() must leave the same counters as so many ticks.
static void pass_time(Dram *dram, Cycle ticks) {
  dram->now += ticks;
  if (dram_queue_is_full(&dram->queue)) dram->stats.queue_full += ticks;
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

const DramStats *dram_stats_of(Dram *dram) {
  dram->stats.ticks = dram->now;
  return &dram->stats;
}
