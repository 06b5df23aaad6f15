// SPDX-License-Identifier: MIT
// Early prefetching on three strides of each load: from warp to warp inside a CTA,
// from one execution to the next by the same warp, and from CTA to CTA.
//
// The first is that of SAP and CAPS: its lead is that of the CTA's first warp over the
// others. The second, that of a loop, leads by a whole iteration. The third, by column
// and row of the grid, is known before a CTA has executed anything: when a CTA starts,
// its first loads are prefetched for all its warps, while these still compute their
// addresses. All lines of a load are fetched, not only the lowest lane's: a warp waits
// for the last of them.
//
// It is throttled in three ways. A stride is used once it has been observed twice in a
// row. The outcomes of a load's prefetches are counted per stride; if one in four is
// lost, the stride is suspended, longer each time. And no prefetch is issued while too
// few MSHRs are free: the threshold is found by trial, one epoch per level, and one of
// the levels disables prefetching.
//
// Works with any scheduler. Unlike with SAP, prefetched-for warps are not prioritised:
// their data should arrive before they need it.
#include "policies/prefetch/early_load.h"
#include "policies/prefetch/early_throttle.h"
#include "policies/prefetch/gathers.h"
#include "policies/prefetch/stride_table.h"
#include "policies/shared/prefetch_group.h"

enum { MOST_LOADS = 64, PENDING = 256, WATCHED = 4096 };

typedef struct PendingFetch {
  uint64_t address;
  uint32_t load;  // index
} PendingFetch;

typedef struct WatchedLine {
  uint64_t line;  // + 1
  uint32_t load;
  Reason reason;
} WatchedLine;

// A CTA that has begun here.
typedef struct Begun {
  uint64_t cta;
  uint32_t kernel, warps;
} Begun;

typedef struct Early {
  uint32_t loads, distance, first_loads, lines, epoch_cycles, longest, memory;  // parameters
  int32_t level;
  bool by_warp, by_loop, by_cta;
  uint32_t line_bytes, mshrs_seen;  // mshrs_seen: the most that were free
  uint32_t orders;
  uint64_t grid_columns;
  Begun begun[EARLY_CTA_SLOTS];  // the last ones, in a ring
  uint32_t begun_count;
  EarlyLoad *table;
  Gathers *gathers;            // NULL: by strides only
  const PrefetchGroup *group;  // shared with the warp scheduler
  EarlyThrottle throttle;
  PendingFetch pending[PENDING];
  uint32_t pending_head, pending_count;
  WatchedLine watched[WATCHED];
  uint64_t by_warps, by_loops, by_ctas, by_gathers, pauses, held, periods, periods_off;
} Early;

static EarlyLoad *find_load(Early *early, const L1dAccess *access) {
  EarlyLoad *oldest = &early->table[0];
  for (uint32_t i = 0; i < early->loads; i++) {
    EarlyLoad *each = &early->table[i];
    if (each->load == access->requester.pc + 1) return each;
    if (!each->load || (oldest->load && each->seen < oldest->seen)) oldest = each;
  }
  *oldest = (EarlyLoad){.load = access->requester.pc + 1, .order = early->orders++};
  return oldest;
}

// ---- what became of prefetches

static void watch(Early *early, uint64_t address, uint32_t load, Reason reason) {
  uint64_t line = address / early->line_bytes;
  early->watched[line % WATCHED] = (WatchedLine){line + 1, load, reason};
}

static void early_on_outcome(void *state, uint64_t address, bool used, Cycle now) {
  Early *early = state;
  (void)now;
  uint64_t line = address / early->line_bytes;
  WatchedLine *watched = &early->watched[line % WATCHED];
  if (watched->line != line + 1) return;
  EarlyLoad *load = &early->table[watched->load];
  watched->line = 0;
  early->pauses += early_load_score(load, watched->reason, used);
}

// ---- asking

static bool add_line(Early *early, EarlyLoad *load, uint64_t address, int warp, Reason reason,
                     PrefetchList *list) {
  if (load->buffer_bytes && address - load->buffer >= load->buffer_bytes) return false;
  if (list->count >= PREFETCH_MOST) return false;
  list->candidates[list->count++] =
      (PrefetchCandidate){.address = address, .warp = warp, .anywhere = true};
  watch(early, address, (uint32_t)(load - early->table), reason);
  return true;
}

// All lines of an execution whose lowest lane accesses the address.
static uint32_t add(Early *early, EarlyLoad *load, uint64_t address, int warp, Reason reason,
                    PrefetchList *list) {
  const Footprint *footprint = &load->footprint;
  if (footprint->offset_count < 2 || footprint->offset_count > early->lines)
    return add_line(early, load, address, warp, reason, list);
  uint32_t added = 0;
  uint64_t line = address & ~(uint64_t)(early->line_bytes - 1);
  for (uint32_t i = 0; i < footprint->offset_count; i++)
    added += add_line(early, load, line + (uint64_t)footprint->offsets[i], warp, reason, list);
  return added;
}

static void fetch_loop(Early *early, EarlyLoad *load, const L1dAccess *access, PrefetchList *list) {
  if (!early->by_loop || !stride_is_trusted(&load->loop) || !load->loop.bytes) return;
  if (load->pause[FOR_LOOP]) {
    load->pause[FOR_LOOP]--;
    return;
  }
  uint64_t address =
      stride_step(access->lane_address, (int64_t)early->distance, load->loop.bytes);
  if (address / access->line_bytes == access->lane_address / access->line_bytes) return;
  early->by_loops += add(early, load, address, access->requester.warp, FOR_LOOP, list);
}

// For the warps of the CTA that have not executed the load so often yet.
static void fetch_cta(Early *early, EarlyLoad *load, const L1dAccess *access, uint32_t round,
                      PrefetchList *list) {
  if (!early->by_warp || !stride_is_trusted(&load->warp) || !load->warp.bytes) return;
  if (round && stride_is_trusted(&load->loop)) return;  // their own loops see to it
  if (load->pause[FOR_WARP]) {
    load->pause[FOR_WARP]--;
    return;
  }
  uint64_t first = access->warp_numbers[access->requester.warp] - access->requester.warp_in_cta;
  uint64_t others = access->cta_warps & ~(UINT64_C(1) << access->requester.warp);
  for (; others; others &= others - 1) {
    int slot = __builtin_ctzll(others);
    if (early_load_has_run(load, slot, &access->requester, round)) continue;
    int64_t away = (int64_t)(access->warp_numbers[slot] - first) - access->requester.warp_in_cta;
    early->by_warps +=
        add(early, load, stride_step(access->lane_address, away, load->warp.bytes), slot, FOR_WARP,
            list);
  }
}

// For the warp's next iteration, by the indices that it will read.
static void fetch_gather(Early *early, EarlyLoad *load, const GatherPair *pair,
                         const LoadLanes *index, const L1dAccess *access, PrefetchList *list) {
  if (load->pause[FOR_GATHER]) {
    load->pause[FOR_GATHER]--;
    return;
  }
  uint64_t lines[LOAD_LANES];
  uint32_t ahead = early->distance < LOAD_AHEAD ? early->distance : LOAD_AHEAD;
  uint32_t count = gather_lines(pair, index, ahead, access->line_bytes, lines);
  for (uint32_t i = 0; i < count; i++)
    early->by_gathers += add_line(early, load, lines[i], access->requester.warp, FOR_GATHER, list);
}

static void fetch_pending(Early *early, PrefetchList *list) {
  while (early->pending_count && list->count < PREFETCH_MOST / 2) {
    PendingFetch *next = &early->pending[early->pending_head];
    early->pending_head = (early->pending_head + 1) % PENDING;
    early->pending_count--;
    early->by_ctas += add(early, &early->table[next->load], next->address, PREFETCH_NO_WARP,
                          FOR_CTA, list);
  }
}

// ---- CTAs that begin

static void add_pending(Early *early, uint64_t address, uint32_t load) {
  if (early->pending_count == PENDING) return;
  early->pending[(early->pending_head + early->pending_count++) % PENDING] =
      (PendingFetch){address, load};
}

// A CTA that has not executed a load: all of its warps are fetched for.
static void foresee(Early *early, EarlyLoad *load, const Begun *begun) {
  const Leader *latest = &load->latest;
  if (!latest->is_known || latest->kernel != begun->kernel || load->order >= early->first_loads)
    return;
  CtaDistance away = cta_distance(early->grid_columns, latest->cta, begun->cta);
  if ((away.columns && !stride_is_trusted(&load->row)) ||
      (away.rows && !stride_is_trusted(&load->column)) ||
      (begun->warps > 1 && !stride_is_trusted(&load->warp)))
    return;
  if (load->pause[FOR_CTA]) {
    load->pause[FOR_CTA] -= load->pause[FOR_CTA] < begun->warps ? load->pause[FOR_CTA] : begun->warps;
    return;
  }
  uint64_t base = stride_step(stride_step(latest->address, away.columns, load->row.bytes),
                              away.rows, load->column.bytes);
  uint64_t before = UINT64_MAX;
  for (uint32_t w = 0; w < begun->warps; w++) {
    uint64_t address = stride_step(base, w, load->warp.bytes);
    if (address / early->line_bytes != before)
      add_pending(early, address, (uint32_t)(load - early->table));
    before = address / early->line_bytes;
  }
}

// The first warp of a CTA executes a load for the first time.
static void note_cta(Early *early, EarlyLoad *load, const L1dAccess *access) {
  const Requester *requester = &access->requester;
  if (requester->warp_in_cta && !stride_is_trusted(&load->warp)) return;
  Leader before = load->latest;
  load->latest = (Leader){
      requester->cta,
      stride_step(access->lane_address, -(int64_t)requester->warp_in_cta, load->warp.bytes),
      requester->kernel,
      0,
      0,
      true};
  bool is_first = !before.is_known || before.kernel != requester->kernel;
  if (!is_first && before.cta != requester->cta)
    early_load_learn_cta(load, early->grid_columns, &before, &load->latest);
  if (!is_first || !early->by_cta) return;
  for (uint32_t i = 0; i < EARLY_CTA_SLOTS && i < early->begun_count; i++) {
    const Begun *begun = &early->begun[i];
    if (begun->kernel == requester->kernel && begun->cta != requester->cta &&
        !early_load_is_led(load, begun->cta, begun->kernel))
      foresee(early, load, begun);
  }
}

// ---- lookups

static uint32_t level_now(Early *early, const L1dAccess *access) {
  if (early->level >= 0) return (uint32_t)early->level;
  EarlyThrottle *throttle = &early->throttle;
  if (early_throttle_note(throttle, access->now, early->group->limit_is_tried)) {
    early->periods++;
    early->periods_off += throttle->level == 0;
  }
  return throttle->level;
}

static void early_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  Early *early = state;
  if (access->is_local) return;
  early->line_bytes = access->line_bytes;
  if (access->mshrs_free > early->mshrs_seen) early->mshrs_seen = access->mshrs_free;
  EarlyLoad *load = find_load(early, access);
  uint32_t round;
  footprint_note(&load->footprint, access);
  if (!access->is_lowest) return;
  load->seen = access->now;
  load->buffer = access->buffer;
  load->buffer_bytes = access->buffer_bytes;
  bool leads = early_load_note(load, access, &round);
  if (leads && !round) note_cta(early, load, access);
  const GatherPair *pair = NULL;
  const LoadLanes *index =
      early->gathers && access->lanes ? gathers_note(early->gathers, access, &pair) : NULL;
  if (access->mshrs_free * 100 <
      early->mshrs_seen * early_level_percent[level_now(early, access)]) {
    early->held++;
    return;
  }
  fetch_loop(early, load, access, list);
  if (index) fetch_gather(early, load, pair, index, access, list);
  if (leads) fetch_cta(early, load, access, round, list);
  fetch_pending(early, list);
}

static void early_on_cta_start(void *state, const CtaView *cta) {
  Early *early = state;
  Begun *begun = &early->begun[early->begun_count++ % EARLY_CTA_SLOTS];
  *begun = (Begun){cta->cta, cta->kernel->id, cta->kernel->warps_per_cta};
  if (!early->by_cta || !early->line_bytes) return;
  for (uint32_t i = 0; i < early->loads; i++)
    if (early->table[i].load) foresee(early, &early->table[i], begun);
}

// Strides outlive a kernel: the next launch often has the same loads.
static void early_on_kernel_start(void *state, const KernelView *kernel) {
  Early *early = state;
  early->grid_columns = kernel->launch->grid[0];
  early->pending_count = early->begun_count = 0;
}

// Per load: PC, four strides, eight line offsets, the latest CTA's base, the bases of
// eight CTAs and each warp's last address. A byte per line of an L1D of 256 lines
// says which load it was prefetched for.
static uint64_t early_storage_bits(const void *state, uint32_t warps) {
  const Early *early = state;
  uint64_t per_load =
      32 + 4 * (32 + 2) + EARLY_MOST_LINES * 16 + 9 * (64 + 8) + (uint64_t)warps * (64 + 8);
  return early->loads * per_load + 256 * 8;
}

// A pair of loads with base and scale, and the lanes of one execution to learn from.
static uint64_t early_gather_storage_bits(const void *state, uint32_t warps) {
  return early_storage_bits(state, warps) + GATHER_PAIRS * (2 * 32 + 64 + 3 + 2) +
         GATHER_RECENT * LOAD_LANES * 64;
}

static Status early_init(void *state, const PolicySetup *setup, Error *err) {
  Early *early = state;
  (void)err;
  early->table = ARENA_ARRAY(setup->arena, EarlyLoad, early->loads);
  early->group = setup->shared;
  early->throttle = (EarlyThrottle){.epoch_cycles = early->epoch_cycles,
                                    .longest = early->longest,
                                    .memory = early->memory,
                                    .best = EARLY_LEVELS / 2,
                                    .period = EARLY_PERIOD};
  return OK;
}

static Status early_gather_init(void *state, const PolicySetup *setup, Error *err) {
  Early *early = state;
  TRY(early_init(state, setup, err));
  early->gathers = ARENA_NEW(setup->arena, Gathers);
  return OK;
}

// Trials of the two differ: `rarer` is how many epochs lie between them at most while the same
// level wins, `kept` what of earlier ones counts in the next.
#define EARLY_PARAMS(rarer, kept)                                                                 \
  PARAM(Early, loads, 16, 1, MOST_LOADS, "table entries (loads)"),                                \
      PARAM(Early, distance, 1, 1, 64, "loop iterations to prefetch ahead"),                      \
      PARAM(Early, epoch_cycles, 2048, 64, 1 << 20,                                               \
            "trial length of a throttling level in cycles"),                                      \
      PARAM(Early, longest, rarer, EARLY_PERIOD, 1 << 16,                                         \
            "epochs from trial to trial at most, while the same level wins"),                     \
      PARAM(Early, memory, kept, 0, 7,                                                            \
            "eighths of the counts of earlier trials that count in the next"),                    \
      PARAM(Early, level, -1, -1, EARLY_LEVELS - 1, "throttling level; -1 = best of the trials"), \
      PARAM(Early, first_loads, 4, 0, MOST_LOADS, "loads per kernel prefetched for a new CTA"),   \
      PARAM(Early, lines, 4, 1, EARLY_MOST_LINES,                                                 \
            "maximum lines per execution; of loads with more, the lowest lane's only"),           \
      PARAM(Early, by_warp, true, 0, 1, "for the other warps of a CTA"),                          \
      PARAM(Early, by_loop, true, 0, 1, "for the warp's next iteration"),                         \
      PARAM(Early, by_cta, true, 0, 1, "for a new CTA"), {                                        \
    0                                                                                             \
  }

static const Param early_params[] = {EARLY_PARAMS(EARLY_PERIOD, 0)};
static const Param early_gather_params[] = {EARLY_PARAMS(2 * EARLY_PERIOD, 2)};

static const Stat early_stats[] = {
    STAT_COUNT(Early, by_warps, "prefetches for other warps of the CTA"),
    STAT_COUNT(Early, by_loops, "prefetches for the next iteration"),
    STAT_COUNT(Early, by_ctas, "prefetches for a new CTA"),
    STAT_COUNT(Early, by_gathers, "prefetches of gathers"),
    STAT_COUNT(Early, pauses, "loads disabled temporarily"),
    STAT_COUNT(Early, held, "executions with too few free MSHRs"),
    STAT_COUNT(Early, periods, "trials of the throttling levels"),
    STAT_COUNT(Early, periods_off, "of which won by no prefetching"),
    {0}};

const PrefetchType early_prefetch = {
    .policy = {.name = "early",
               .summary = "by strides within CTAs, in loops and between CTAs",
               .state_size = sizeof(Early),
               .params = early_params,
               .stats = early_stats,
               .storage_bits = early_storage_bits,
               .shares = "prefetch_group",
               .init = early_init,
               .on_kernel_start = early_on_kernel_start,
               .on_cta_start = early_on_cta_start},
    .on_access = early_on_access,
    .on_outcome = early_on_outcome,
};

const PrefetchType early_gather_prefetch = {
    .policy = {.name = "early_gather",
               .summary = "early, and gathers by the indices that loops read next",
               .state_size = sizeof(Early),
               .params = early_gather_params,
               .stats = early_stats,
               .storage_bits = early_gather_storage_bits,
               .shares = "prefetch_group",
               .init = early_gather_init,
               .on_kernel_start = early_on_kernel_start,
               .on_cta_start = early_on_cta_start},
    .on_access = early_on_access,
    .on_outcome = early_on_outcome,
    .reads_data = true,
};
