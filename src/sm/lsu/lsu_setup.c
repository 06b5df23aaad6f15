// SPDX-License-Identifier: MIT
// Creates the load/store unit: its caches, queues and ports.
#include "sm/lsu/lsu_stages.h"

#include "base/text/nearest.h"

enum { LARGEST_ACCESS_BYTES = 128 };

static Status make_cache(Lsu *lsu, Cache **cache, const CacheConfig *config, const char *section,
                         Error *err) {
  *cache = NULL;
  if (!config->enabled) return OK;
  if (cache_create(cache, config, err) != OK) return error_prefix(err, "%s", section);
  cache_watch_misses(*cache, &lsu->has_misses);
  return OK;
}

static bool divides(const void *whole, uint32_t part) {
  return *(const uint32_t *)whole % part == 0;
}

// Parts have the sets of the whole, and their share of the ways.
static Status make_l1d(Lsu *lsu, uint32_t parts, const CacheConfig *l1d, Error *err) {
  if (!l1d->enabled) return OK;
  if (l1d->write_policy == WRITE_READ_ONLY)
    return error_set(err, ERR_CONFIG,
                     "l1d.write_policy = read_only: kernels store through the L1D; allowed: "
                     "evict, through, back, local_back_global_through");
  CacheConfig part = *l1d;
  if (cache_geometry(l1d, &part.sets, &part.ways, err) != OK) return error_prefix(err, "l1d");
  part.size_kb = 0;
  char nearest[NEAREST_BYTES];
  if (part.ways % parts)
    return error_set(err, ERR_CONFIG, "sm.l1_parts = %u: does not divide the %u ways of the L1D%s",
                     parts, part.ways,
                     nearest_text(parts, 1, part.ways, divides, &part.ways, nearest));
  part.ways /= parts;
  for (; lsu->l1_parts < parts; lsu->l1_parts++)
    TRY(make_cache(lsu, &lsu->l1d[lsu->l1_parts], &part, "l1d", err));
  return OK;
}

Status lsu_init(Lsu *lsu, const LsuSetup *setup, Error *err) {
  const SmConfig *config = setup->config;
  const CacheConfig *l1d = setup->l1d;
  lsu->config = config;
  lsu->ports = setup->ports;
  lsu->has_unit = setup->ports.network->unit;
  TRY(make_l1d(lsu, config->l1_parts, l1d, err));
  TRY(make_cache(lsu, &lsu->l1c, setup->l1c, "l1c", err));
  TRY(make_cache(lsu, &lsu->l1t, setup->l1t, "l1t", err));
  lsu->instant_misses = setup->instant_misses;
  lsu->stores_allocate = l1d->write_allocate != WRITE_NO_ALLOCATE;
  lsu->l1_line_bytes = l1d->line_bytes;
  lsu->l1_unit_bytes = l1d->sectored ? SECTOR_BYTES : l1d->line_bytes;
  uint32_t pieces = lsu->l1_unit_bytes < LARGEST_ACCESS_BYTES
                        ? LARGEST_ACCESS_BYTES / lsu->l1_unit_bytes
                        : 1;
  access_ring_init(&lsu->l1_queue,
                   config->l1_latency_cycles * config->l1_accesses_per_cycle * pieces);
  access_ring_init(&lsu->replays, config->l1_replay_entries);
  shared_ring_init(&lsu->shared_pipe, config->shared_latency_cycles);
  lsu->shared_ready = NEVER;
  shared_ring_init(&lsu->remote_pipe, config->remote_latency_cycles);
  lsu->remote_ready = NEVER;
  lsu->loops_end = NEVER;
  shared_locks_init(&lsu->locks, config);
  shared_ring_init(&lsu->constant_pipe, config->constant_latency_cycles);
  shared_ring_init(&lsu->texture_pipe, config->texture_latency_cycles);
  lsu->block_ready = NEVER;
  response_ring_init(&lsu->responses, config->response_entries);
  return OK;
}

void lsu_clear(Lsu *lsu) {
  lsu_stop_watching(lsu);
  for (uint32_t i = 0; i < lsu->l1_parts; i++) cache_destroy(lsu->l1d[i]);
  cache_destroy(lsu->l1c);
  cache_destroy(lsu->l1t);
  access_ring_clear(&lsu->l1_queue);
  access_ring_clear(&lsu->replays);
  shared_ring_clear(&lsu->shared_pipe);
  shared_ring_clear(&lsu->remote_pipe);
  shared_locks_clear(&lsu->locks);
  shared_ring_clear(&lsu->constant_pipe);
  shared_ring_clear(&lsu->texture_pipe);
  response_ring_clear(&lsu->responses);
}
