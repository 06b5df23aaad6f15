// SPDX-License-Identifier: MIT
// Chains of loads: a warp that executes load A executes load B next, at a constant distance from
// A's address, then C, and so on. Once three warps have confirmed a link, a load is followed by
// prefetches along its chain for the same warp; besides, by the stride of the load's own next
// execution, and by its stride to the next warps of the CTA.
//
// Mostofi et al., "Snake: A Variable-length Chain-based Prefetching for GPUs", MICRO 2023. The head
// table has the last load of each warp, and for 32 loads the last two warps that executed it; the
// tail table has 10 links. Prefetching halts for 50 cycles without a free MSHR, and from 70 % of
// the MSHRs in use until less than 50 % are. Its partition of the L1D is
// `replacement=prefetch_partition`.
//
// Simplified: the paper's bandwidth is measured here by MSHRs in use; a load is its lowest lane's
// address, where the paper expands the lanes' stride; depth (3) and degree (4) are not stated in
// the paper; links are replaced by age alone, where the paper prefers those with few warps.
#include "policies/prefetch/prefetch.h"
#include "policies/prefetch/stride_table.h"

enum { NO_LOAD = 0, CONFIRMED = 3, MOST_REMOVED = 2 };

// A stride and the warps that have confirmed it.
typedef struct Trained {
  int64_t stride;
  uint64_t warps;
  uint32_t removed;  // warps that have contradicted it since
} Trained;

typedef struct Link {
  uint32_t load, next;  // pc + 1; next: NO_LOAD: not known
  Trained chain, again, warp;
  uint64_t used;
} Link;

typedef struct LastLoad {
  uint32_t load;
  uint64_t address;
} LastLoad;

typedef struct HeadRow {
  uint32_t load;
  uint8_t warp[2];
  uint64_t address[2];
  uint32_t count, newest;
  uint64_t used;
} HeadRow;

typedef struct Snake {
  uint32_t links, rows, depth, degree, halt_cycles;  // parameters
  Link *tail;
  HeadRow *head;
  LastLoad last[PREFETCH_WARPS];
  uint64_t now;
  uint32_t mshrs;  // as many as have been seen free
  Cycle halted_until;
  bool is_busy;
  uint64_t chained, repeated, across, halted;
} Snake;

// ---- training

static void reset(Trained *trained, int64_t stride, uint32_t warp) {
  *trained = (Trained){.stride = stride, .warps = UINT64_C(1) << warp};
}

static void train(Trained *trained, int64_t stride, uint32_t warp) {
  uint64_t bit = UINT64_C(1) << warp;
  if (trained->warps && trained->stride == stride) {
    trained->warps |= bit;
    return;
  }
  trained->removed += (trained->warps & bit) != 0;
  trained->warps &= ~bit;
  bool is_certain = __builtin_popcountll(trained->warps) >= CONFIRMED;
  if (!is_certain || trained->removed > MOST_REMOVED) reset(trained, stride, warp);
}

static bool is_trained(const Trained *trained) {
  return __builtin_popcountll(trained->warps) >= CONFIRMED && trained->stride;
}

static Link *find_link(Snake *snake, uint32_t load, uint32_t next) {
  for (uint32_t i = 0; i < snake->links; i++) {
    Link *link = &snake->tail[i];
    if (link->load == load && (next == NO_LOAD || link->next == next)) return link;
  }
  return NULL;
}

static Link *new_link(Snake *snake, uint32_t load, uint32_t next) {
  Link *oldest = &snake->tail[0];
  for (uint32_t i = 1; i < snake->links; i++)
    if (snake->tail[i].used < oldest->used) oldest = &snake->tail[i];
  *oldest = (Link){.load = load, .next = next};
  return oldest;
}

// The link of two loads in succession; one of the first load alone is completed.
static Link *link_of(Snake *snake, uint32_t load, uint32_t next) {
  Link *link = find_link(snake, load, next);
  if (!link) {
    link = find_link(snake, load, NO_LOAD);
    if (!link || link->next != NO_LOAD) link = new_link(snake, load, next);
    link->next = next;
  }
  link->used = ++snake->now;
  return link;
}

static HeadRow *row_of(Snake *snake, uint32_t load) {
  HeadRow *oldest = &snake->head[0];
  for (uint32_t i = 0; i < snake->rows; i++) {
    if (snake->head[i].load == load) return &snake->head[i];
    if (snake->head[i].used < oldest->used) oldest = &snake->head[i];
  }
  *oldest = (HeadRow){.load = load};
  return oldest;
}

// The stride to the warp that executed the load last, if both are of one CTA.
static void train_across(Trained *trained, int64_t distance, const L1dAccess *access,
                         uint32_t other) {
  int64_t warps = (int64_t)access->requester.warp - other;
  if (!(access->cta_warps >> other & 1)) return;
  int64_t stride = stride_between(distance, warps);
  if ((uint64_t)stride * (uint64_t)warps != (uint64_t)distance) return;
  train(trained, stride, access->requester.warp);
}

static void train_row(HeadRow *row, Link *link, const L1dAccess *access) {
  uint32_t warp = access->requester.warp, at = (row->newest + 1) % 2;
  for (uint32_t i = 0; i < row->count; i++) {
    int64_t distance = (int64_t)(access->lane_address - row->address[i]);
    if (row->warp[i] == warp) {
      train(&link->again, distance, warp);
      at = i;
    } else if (i == row->newest) {
      train_across(&link->warp, distance, access, row->warp[i]);
    }
  }
  row->warp[at] = (uint8_t)warp;
  row->address[at] = access->lane_address;
  row->newest = at;
  if (row->count <= at) row->count = at + 1;
}

static Link *learn(Snake *snake, const L1dAccess *access) {
  uint32_t load = access->requester.pc + 1;
  LastLoad *last = &snake->last[access->requester.warp];
  if (last->load && last->load != load) {
    Link *link = link_of(snake, last->load, load);
    train(&link->chain, (int64_t)(access->lane_address - last->address), access->requester.warp);
  }
  *last = (LastLoad){load, access->lane_address};
  Link *own = find_link(snake, load, NO_LOAD);
  if (!own) own = new_link(snake, load, NO_LOAD);
  own->used = ++snake->now;
  HeadRow *row = row_of(snake, load);
  row->used = snake->now;
  train_row(row, own, access);
  return own;
}

// ---- throttling

static bool is_halted(Snake *snake, const L1dAccess *access) {
  if (access->mshrs_free > snake->mshrs) snake->mshrs = access->mshrs_free;
  uint32_t in_use = snake->mshrs - access->mshrs_free;
  if (!access->mshrs_free) snake->halted_until = access->now + snake->halt_cycles;
  if (10 * in_use > 7 * snake->mshrs) snake->is_busy = true;
  if (2 * in_use < snake->mshrs) snake->is_busy = false;
  bool halts = snake->mshrs && (snake->is_busy || access->now < snake->halted_until);
  snake->halted += halts;
  return halts;
}

// ---- prefetching

static void follow_chain(Snake *snake, const L1dAccess *access, PrefetchList *list) {
  uint64_t address = access->lane_address;
  uint32_t load = access->requester.pc + 1;
  for (uint32_t i = 0; i < snake->depth; i++) {
    const Link *link = NULL;
    for (uint32_t k = 0; k < snake->links && !link; k++)
      if (snake->tail[k].load == load && is_trained(&snake->tail[k].chain)) link = &snake->tail[k];
    if (!link) return;
    address += (uint64_t)link->chain.stride;
    load = link->next;
    list->candidates[list->count++] = (PrefetchCandidate){
        .address = address, .warp = (int)access->requester.warp, .anywhere = true};
    snake->chained++;
  }
}

static void snake_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  Snake *snake = state;
  if (!access->is_lowest || access->is_local || access->requester.warp >= PREFETCH_WARPS) return;
  const Link *own = learn(snake, access);
  if (is_halted(snake, access)) return;
  follow_chain(snake, access, list);
  int warp = access->requester.warp;
  for (int i = 1; is_trained(&own->warp) && i <= (int)snake->degree; i++) {
    int other = warp + i;
    if (other >= PREFETCH_WARPS || !(access->cta_warps >> other & 1)) break;
    prefetch_add_for_next(list, access->lane_address + (uint64_t)own->warp.stride * (uint64_t)i,
                          other);
    snake->across++;
  }
  if (!is_trained(&own->again)) return;
  prefetch_add_for_next(list, access->lane_address + (uint64_t)own->again.stride, warp);
  snake->repeated++;
}

static Status snake_init(void *state, const PolicySetup *setup, Error *err) {
  Snake *snake = state;
  (void)err;
  snake->tail = ARENA_ARRAY(setup->arena, Link, snake->links);
  snake->head = ARENA_ARRAY(setup->arena, HeadRow, snake->rows);
  return OK;
}

// A link: two PCs, three strides and their warps. A row: PC, two warps and addresses; and the last
// load of each warp.
static uint64_t snake_storage_bits(const void *state, uint32_t warps) {
  const Snake *snake = state;
  return (uint64_t)snake->links * (64 + 3 * (32 + (uint64_t)warps)) +
         (uint64_t)snake->rows * (32 + 2 * (8 + 32)) + (uint64_t)warps * 64;
}

static const Param snake_params[] = {
    PARAM(Snake, links, 10, 1, 1024, "tail table entries (pairs of loads)"),
    PARAM(Snake, rows, 32, 1, 1024, "head table entries (loads)"),
    PARAM(Snake, depth, 3, 0, 16, "links of a chain that are prefetched ahead"),
    PARAM(Snake, degree, 4, 0, 16, "warps after this one that are prefetched for"),
    PARAM(Snake, halt_cycles, 50, 0, 1 << 20, "halt after a lookup without a free MSHR in cycles"),
    {0}};

static const Stat snake_stats[] = {STAT_COUNT(Snake, chained, "candidates along a chain of loads"),
                                   STAT_COUNT(Snake, repeated, "... for a load's next execution"),
                                   STAT_COUNT(Snake, across, "... for the next warps"),
                                   STAT_COUNT(Snake, halted, "loads while prefetching was halted"),
                                   {0}};

const PrefetchType snake_prefetch = {
    .policy = {.name = "snake",
               .summary = "along chains of loads with constant distances (Snake)",
               .state_size = sizeof(Snake),
               .params = snake_params,
               .stats = snake_stats,
               .storage_bits = snake_storage_bits,
               .init = snake_init},
    .on_access = snake_on_access,
};
