// SPDX-License-Identifier: MIT
// Partition of a cache between prefetched and demand lines: of each set, prefetched lines that no
// access has used may hold `quota` ways. While they hold more, the least recently used of them is
// evicted, else the least recently used of the others. The first use makes a line a demand line.
//
// After "dynamic L1 prefetch and data cache partitioning" of the later APRES (Oh et al., "Adaptive
// Cooperation of Prefetching and Warp Scheduling on GPUs", IEEE TC 2019), of which only the
// abstract was available: the rule that moves the border is ours. Each set remembers what it
// evicted last. A demand miss that finds its line among evicted prefetches was prefetched too
// early: one way more would have kept it. One that finds a demand line was driven out: one way
// fewer for prefetches. After every `epoch` such misses of the cache, the border of all sets moves
// by one way towards the kind that lost more, if it lost a quarter more.
//
// Simplified: an access that merges with a prefetch in flight is not a use; the next one is.
#include "policies/replacement/replacement.h"

typedef struct PartitionLine {
  uint64_t address, used;  // used: time of the last use
  bool is_prefetch;        // and not used yet
} PartitionLine;

typedef struct EvictedLine {
  uint64_t address;  // + 1; 0: none
  bool was_prefetch;
} EvictedLine;

typedef struct Partition {
  uint32_t quota, epoch;  // parameters
  bool dynamic;
  uint32_t ways, limit;    // limit: the quota that holds
  PartitionLine *lines;    // by set and way
  EvictedLine *evicted;    // as many
  uint32_t *next_evicted;  // by set
  uint64_t now;
  uint64_t epoch_early, epoch_lost;
  uint64_t early, lost, grown, shrunk;
} Partition;

static Status partition_init(void *state, const PolicySetup *setup, Error *err) {
  Partition *partition = state;
  const CacheShape *shape = setup->part;
  if (!shape) return OK;
  partition->ways = shape->ways;
  partition->limit = partition->quota ? partition->quota : (shape->ways + 1) / 2;
  if (partition->quota > shape->ways)
    return error_set(err, ERR_CONFIG, "prefetch_partition:quota=%u: the cache has %u ways",
                     partition->quota, shape->ways);
  size_t count = (size_t)shape->sets * shape->ways;
  partition->lines = ARENA_ARRAY(setup->arena, PartitionLine, count);
  partition->evicted = ARENA_ARRAY(setup->arena, EvictedLine, count);
  partition->next_evicted = ARENA_ARRAY(setup->arena, uint32_t, shape->sets);
  return OK;
}

// ---- victims

static uint32_t least_recent(const PartitionLine *lines, uint64_t candidates) {
  uint32_t best = (uint32_t)__builtin_ctzll(candidates);
  for (uint64_t left = candidates; left; left &= left - 1) {
    uint32_t way = (uint32_t)__builtin_ctzll(left);
    if (lines[way].used < lines[best].used) best = way;
  }
  return best;
}

static void remember(Partition *partition, uint32_t set, const PartitionLine *line) {
  uint32_t *next = &partition->next_evicted[set];
  partition->evicted[(size_t)set * partition->ways + *next] =
      (EvictedLine){.address = line->address + 1, .was_prefetch = line->is_prefetch};
  *next = (*next + 1) % partition->ways;
}

static uint32_t partition_victim(void *state, const SetView *view) {
  Partition *partition = state;
  if (!partition->lines) return replacement_earliest(view->candidates, view->last_used);
  const PartitionLine *lines = &partition->lines[(size_t)view->set * partition->ways];
  uint64_t prefetched = 0;
  for (uint32_t way = 0; way < partition->ways; way++)
    if (lines[way].is_prefetch) prefetched |= UINT64_C(1) << way;
  bool is_over = (uint32_t)__builtin_popcountll(prefetched) > partition->limit;
  uint64_t wanted = view->candidates & (is_over ? prefetched : ~prefetched);
  return least_recent(lines, wanted ? wanted : view->candidates);
}

// ---- the border

static void move_border(Partition *partition) {
  uint64_t early = partition->epoch_early, lost = partition->epoch_lost;
  if (early + lost < partition->epoch) return;
  bool grows = 4 * early > 5 * lost && partition->limit < partition->ways - 1;
  bool shrinks = 4 * lost > 5 * early && partition->limit > 0;
  partition->limit += grows;
  partition->limit -= shrinks;
  partition->grown += grows;
  partition->shrunk += shrinks;
  partition->epoch_early = partition->epoch_lost = 0;
}

// A demand miss whose line the set has evicted lately.
static void blame(Partition *partition, uint32_t set, uint64_t address) {
  EvictedLine *evicted = &partition->evicted[(size_t)set * partition->ways];
  for (uint32_t i = 0; i < partition->ways; i++) {
    if (evicted[i].address != address + 1) continue;
    partition->epoch_early += evicted[i].was_prefetch;
    partition->epoch_lost += !evicted[i].was_prefetch;
    partition->early += evicted[i].was_prefetch;
    partition->lost += !evicted[i].was_prefetch;
    evicted[i].address = 0;
    if (partition->dynamic) move_border(partition);
    return;
  }
}

static PartitionLine *line_at(const Partition *partition, const LineView *line) {
  return &partition->lines[(size_t)line->set * partition->ways + line->way];
}

static void partition_on_hit(void *state, const LineView *line) {
  Partition *partition = state;
  if (!partition->lines) return;
  PartitionLine *own = line_at(partition, line);
  own->used = ++partition->now;
  if (!line->is_prefetch) own->is_prefetch = false;
}

// What the way held until now is what was evicted.
static void partition_on_fill(void *state, const LineView *line) {
  Partition *partition = state;
  if (!partition->lines) return;
  PartitionLine *own = line_at(partition, line);
  if (own->used) remember(partition, line->set, own);
  if (!line->is_prefetch) blame(partition, line->set, line->address);
  *own = (PartitionLine){
      .address = line->address, .used = ++partition->now, .is_prefetch = line->is_prefetch};
}

static const Param partition_params[] = {
    PARAM(Partition, quota, 0, 0, 64, "ways for unused prefetches at first; 0: half"),
    PARAM(Partition, dynamic, true, 0, 1, "move the border; false: the quota holds"),
    PARAM(Partition, epoch, 64, 1, 1 << 20, "regretted evictions after which the border may move"),
    {0}};

static const Stat partition_stats[] = {
    STAT_COUNT(Partition, early, "demand misses of lines prefetched and evicted unused"),
    STAT_COUNT(Partition, lost, "demand misses of demand lines evicted lately"),
    STAT_COUNT(Partition, grown, "ways given to prefetches"),
    STAT_COUNT(Partition, shrunk, "ways taken from prefetches"),
    {0}};

const ReplacementType prefetch_partition_replacement = {
    .policy = {.name = "prefetch_partition",
               .summary = "LRU; unused prefetches hold a part of each set that follows their use",
               .state_size = sizeof(Partition),
               .params = partition_params,
               .stats = partition_stats,
               .init = partition_init},
    .victim = partition_victim,
    .on_hit = partition_on_hit,
    .on_fill = partition_on_fill,
};
