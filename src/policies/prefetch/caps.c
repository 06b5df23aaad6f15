// SPDX-License-Identifier: MIT
// CTA-aware prefetching: the first warp of a CTA that executes a load determines the
// CTA's base address, two warps of one CTA determine the load's stride, and prefetches
// for the CTA's other warps are issued as soon as both are known.
//
// Koo, Jeon, Liu, Kim and Annavaram, "CTA-Aware Prefetching and Scheduling for GPU",
// IPDPS 2018. The per-CTA table holds the base of each load and its warp, the DIST table
// the stride of each load, shared by all CTAs. Once a stride is known, prefetches are
// also issued for CTAs whose bases are already known. A mispredicted address counts
// against its load; after `mistakes` of them the load is no longer prefetched.
//
// Simplified: the paper's scheduler, which prioritises the first warp of each CTA and
// wakes warps whose data has arrived, is not implemented: with laws or gto the warps of
// the oldest CTAs lead. CAPS detects indirect loads by their registers; here their
// strides are inconsistent, which excludes them as well. Only the lowest lane's line of
// a load is fetched, and a load that a warp executes repeatedly is prefetched only for
// its first execution.
#include "policies/prefetch/prefetch.h"
#include "policies/prefetch/stride_table.h"

enum { MOST_LOADS = 64, CTA_SLOTS = 64 };

// An entry of the per-CTA table.
typedef struct CtaBase {
  uint64_t cta, address;
  uint32_t kernel;
  uint8_t warp;          // in the CTA
  bool is_known;
  uint64_t executed;     // bit w: slot w has executed the load
  uint64_t warps;        // slots of the CTA's warps
  uint64_t first;        // number of its warp 0 in the grid
} CtaBase;

// An entry of the DIST table, with its column of the per-CTA table.
typedef struct CapsLoad {
  uint32_t load;         // pc + 1; 0: free
  Cycle seen;
  int64_t stride;
  bool has_stride;
  uint32_t mistakes;
  CtaBase bases[CTA_SLOTS];
} CapsLoad;

typedef struct Caps {
  uint32_t loads, mistakes;  // parameters
  CapsLoad *table;
  uint64_t predictions, right, stopped;
} Caps;

static CapsLoad *find_load(Caps *caps, uint32_t pc) {
  CapsLoad *oldest = &caps->table[0];
  for (uint32_t i = 0; i < caps->loads; i++) {
    CapsLoad *each = &caps->table[i];
    if (each->load == pc + 1) return each;
    if (oldest->load && (!each->load || each->seen < oldest->seen)) oldest = each;
  }
  *oldest = (CapsLoad){.load = pc + 1};
  return oldest;
}

static bool is_of(const CtaBase *base, const Requester *requester) {
  return base->is_known && base->cta == requester->cta && base->kernel == requester->kernel;
}

// For all warps of the CTA that have not executed the load.
static void fetch_for(Caps *caps, const CapsLoad *load, const CtaBase *base,
                      const uint64_t *warp_numbers, PrefetchList *list) {
  for (uint64_t left = base->warps & ~base->executed; left; left &= left - 1) {
    int slot = __builtin_ctzll(left);
    int64_t away = (int64_t)(warp_numbers[slot] - base->first) - base->warp;
    prefetch_add_for_next(list, stride_step(base->address, away, load->stride), slot);
    caps->predictions++;
  }
}

static void check(Caps *caps, CapsLoad *load, const CtaBase *base, const L1dAccess *access) {
  int64_t away = (int64_t)access->requester.warp_in_cta - base->warp;
  bool is_right = access->lane_address == stride_step(base->address, away, load->stride);
  caps->right += is_right;
  if (is_right || load->mistakes > caps->mistakes) return;
  caps->stopped += ++load->mistakes > caps->mistakes;
}

// Two warps of one CTA: the stride, for it and for the CTAs that have waited for it.
static void learn(Caps *caps, CapsLoad *load, const CtaBase *base, const L1dAccess *access,
                  PrefetchList *list) {
  int64_t warps = (int64_t)access->requester.warp_in_cta - base->warp;
  int64_t distance = (int64_t)(access->lane_address - base->address);
  if (!warps) return;
  load->stride = stride_between(distance, warps);
  load->has_stride = true;
  for (uint32_t i = 0; i < CTA_SLOTS; i++)
    if (load->bases[i].is_known && load->bases[i].kernel == access->requester.kernel)
      fetch_for(caps, load, &load->bases[i], access->warp_numbers, list);
}

static void caps_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  Caps *caps = state;
  if (!access->is_lowest || access->is_local) return;
  const Requester *requester = &access->requester;
  CapsLoad *load = find_load(caps, requester->pc);
  CtaBase *base = &load->bases[requester->cta_slot % CTA_SLOTS];
  uint64_t bit = UINT64_C(1) << requester->warp;
  bool is_stopped = load->mistakes > caps->mistakes;
  load->seen = access->now;
  if (!is_of(base, requester)) {
    *base = (CtaBase){.cta = requester->cta,
                      .address = access->lane_address,
                      .kernel = requester->kernel,
                      .warp = requester->warp_in_cta,
                      .is_known = true,
                      .executed = bit,
                      .warps = access->cta_warps,
                      .first = access->warp_numbers[requester->warp] - requester->warp_in_cta};
    if (load->has_stride && !is_stopped) fetch_for(caps, load, base, access->warp_numbers, list);
    return;
  }
  if (base->executed & bit) return;
  base->executed |= bit;
  if (load->has_stride)
    check(caps, load, base, access);
  else
    learn(caps, load, base, access, list);
}

// A CTA has left its place: what waits there is of no use.
static void caps_on_cta_end(void *state, const CtaView *cta) {
  Caps *caps = state;
  for (uint32_t i = 0; i < caps->loads; i++)
    for (uint32_t slot = 0; slot < CTA_SLOTS; slot++) {
      CtaBase *base = &caps->table[i].bases[slot];
      if (base->cta == cta->cta && base->kernel == cta->kernel->id) base->is_known = false;
    }
}

static Status caps_init(void *state, const PolicySetup *setup, Error *err) {
  Caps *caps = state;
  (void)err;
  caps->table = ARENA_ARRAY(setup->arena, CapsLoad, caps->loads);
  return OK;
}

// PC, stride and a byte of mistakes per load; PC, warp and base per load and CTA,
// of eight CTAs.
static uint64_t caps_storage_bits(const void *state, uint32_t warps) {
  const Caps *caps = state;
  (void)warps;
  return (uint64_t)caps->loads * (32 + 32 + 8 + 8 * (32 + 8 + 64));
}

static const Param caps_params[] = {
    PARAM(Caps, loads, 4, 1, MOST_LOADS, "table entries (loads)"),
    PARAM(Caps, mistakes, 128, 0, 1 << 20, "mispredictions before a load is disabled"),
    {0}};

static const Stat caps_stats[] = {STAT_COUNT(Caps, predictions, "addresses predicted"),
                                  STAT_COUNT(Caps, right, "executions at the predicted address"),
                                  STAT_COUNT(Caps, stopped, "loads disabled"),
                                  {0}};

const PrefetchType caps_prefetch = {
    .policy = {.name = "caps",
               .summary = "by CTA base address and intra-CTA stride (CAPS)",
               .state_size = sizeof(Caps),
               .params = caps_params,
               .stats = caps_stats,
               .storage_bits = caps_storage_bits,
               .init = caps_init,
               .on_cta_end = caps_on_cta_end},
    .on_access = caps_on_access,
};
