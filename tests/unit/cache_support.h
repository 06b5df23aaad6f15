// SPDX-License-Identifier: MIT
// A cache with requests to ask it, and the caches of GPGPU-Sim's GTX 480.
#ifndef UNIT_CACHE_SUPPORT_H
#define UNIT_CACHE_SUPPORT_H

#include <string.h>

#include "memory/cache/cache_state.h"
#include "unit/cmocka_all.h"

enum { REQUESTS = 512 };

typedef struct Bench {
  CacheConfig config;
  Cache *cache;
  MemRequest requests[REQUESTS];
  uint32_t used;
  Cycle now;
  FailReason reason;
} Bench;

static inline CacheConfig defaults(void) {
  CacheConfig config;
  ParamSection sections[] = {{"cache", "", cache_params, &config}, {0}};
  memset(&config, 0, sizeof config);
  param_set_defaults(sections);
  return config;
}

// 32 sets of 4 ways of 128 bytes, 64 MSHRs of 8, miss queue of 8.
static inline CacheConfig l1d(void) {
  CacheConfig config = defaults();
  config.index_hash = INDEX_FERMI;
  return config;
}

// 64 sets of 8 ways of four sectors, 256 MSHRs of 4, miss queue of 4.
static inline CacheConfig l2(void) {
  CacheConfig config = defaults();
  config.sets = 64;
  config.ways = 8;
  config.sectored = true;
  config.write_policy = WRITE_BACK;
  config.write_allocate = WRITE_ALLOCATE_LAZY;
  config.mshrs = 256;
  config.mshr_merges = 4;
  config.miss_queue = 4;
  return config;
}

// 4 sets of 4 ways, allocated on fill, 2 MSHRs of 32, miss queue of 4.
static inline CacheConfig l1i(void) {
  CacheConfig config = defaults();
  config.sets = 4;
  config.write_policy = WRITE_READ_ONLY;
  config.allocate = ALLOCATE_ON_FILL;
  config.mshrs = 2;
  config.mshr_merges = 32;
  config.miss_queue = 4;
  config.miss_queue_reserve = 0;
  return config;
}

static inline void bench_init(Bench *bench, CacheConfig config) {
  Error err;
  memset(bench, 0, sizeof *bench);
  bench->config = config;
  assert_int_equal(cache_create(&bench->cache, &config, &err), OK);
}

static inline void bench_clear(Bench *bench) {
  const CacheStats *stats = cache_stats_of(bench->cache);
  assert_int_equal(stats->accesses, stats->hits + stats->merges + stats->misses);
  assert_int_equal(stats->accesses, stats->reads + stats->writes);
  cache_destroy(bench->cache);
}

static inline MemRequest *request(Bench *bench, RequestKind kind, uint64_t address, uint16_t bytes) {
  assert_true(bench->used < REQUESTS);
  MemRequest *made = &bench->requests[bench->used++];
  *made = (MemRequest){.address = address, .bytes = bytes, .kind = (uint8_t)kind};
  made->full_sectors = (uint8_t)((1u << bytes / SECTOR_BYTES) - 1);
  return made;
}

static inline CacheResult ask(Bench *bench, MemRequest *what) {
  return cache_access(bench->cache, what, 0, what->address, ++bench->now, &bench->reason);
}

static inline CacheResult load(Bench *bench, uint64_t address) {
  return ask(bench, request(bench, REQUEST_READ, address, 32));
}

static inline CacheResult store(Bench *bench, uint64_t address) {
  return ask(bench, request(bench, REQUEST_WRITE, address, 32));
}

static inline CacheResult store_partly(Bench *bench, uint64_t address) {
  MemRequest *what = request(bench, REQUEST_WRITE, address, 32);
  what->full_sectors = 0;
  return ask(bench, what);
}

static inline CacheMiss next_miss(Bench *bench) {
  const CacheMiss *front = cache_miss_front(bench->cache);
  assert_non_null(front);
  CacheMiss miss = *front;
  cache_miss_pop(bench->cache);
  return miss;
}

static inline void fill(Bench *bench, uint64_t address) {
  uint32_t entry = mshr_find(&bench->cache->mshrs, address >> bench->cache->unit_log2);
  assert_int_not_equal(entry, MSHR_NONE);
  cache_fill(bench->cache, entry, address, address, ++bench->now);
}

static inline uint32_t hand_out_all(Bench *bench) {
  uint32_t sector, count = 0;
  while (cache_next_ready(bench->cache, &sector)) count++;
  return count;
}

// A line that is there, with nothing left of how it came.
static inline void bring(Bench *bench, uint64_t address) {
  assert_int_equal(load(bench, address), CACHE_MISS);
  next_miss(bench);
  fill(bench, address);
  assert_int_equal(hand_out_all(bench), 1);
}

static inline const CacheStats *stats(const Bench *bench) {
  return cache_stats_of(bench->cache);
}

#endif
