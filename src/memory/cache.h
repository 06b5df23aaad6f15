// SPDX-License-Identifier: MIT
// A cache: tags, MSHRs, miss queue. L1D, instruction, constant and texture
// caches and L2 slices are all of this one part, told apart by configuration.
//
// It keeps no data: values live in the device's memory. Lookups say what
// would happen; the owner decides when, moves the misses on and tells of fills.
//
//   cache_access(request) -> HIT                 the line (or sector) is there
//                         -> HIT_PENDING         merged onto an MSHR: wait for its fill
//                         -> MISS                a fetch stands in the miss queue
//                         -> WRITE_SENT          a write stands in the miss queue
//                         -> RESERVATION_FAIL    try again next cycle; reason says why
#ifndef MEMORY_CACHE_H
#define MEMORY_CACHE_H

#include "memory/request.h"
#include "policies/replacement/replacement.h"

typedef enum WritePolicy { WRITE_EVICT, WRITE_THROUGH, WRITE_BACK, WRITE_LOCAL_BACK_GLOBAL_THROUGH, WRITE_READ_ONLY } WritePolicy;
typedef enum AllocatePolicy { ALLOCATE_ON_MISS, ALLOCATE_ON_FILL, ALLOCATE_STREAMING } AllocatePolicy;
// What a write that misses does: nothing; allocate and fetch; allocate without
// fetching, and fetch when a byte that was not written is read.
typedef enum WriteAllocate { WRITE_NO_ALLOCATE, WRITE_ALLOCATE_FETCH, WRITE_ALLOCATE_LAZY } WriteAllocate;
typedef enum IndexHash { INDEX_LINEAR, INDEX_FERMI, INDEX_XOR, INDEX_IPOLY } IndexHash;

typedef struct CacheConfig {
  bool enabled;
  uint32_t sets, ways, line_bytes;
  bool sectored;                 // fills and misses by 32-byte sector
  uint32_t write_policy, allocate, write_allocate, index_hash;   // the enums above
  char replacement[POLICY_SPEC_BYTES];   // "lru"
  uint32_t mshrs, mshr_merges;   // entries; requests an entry holds in all
  uint32_t miss_queue;           // entries
  uint32_t miss_queue_reserve;   // a read needs this many free entries besides its own (GPGPU-Sim: 1)
} CacheConfig;
extern const Param cache_params[];   // for one CacheConfig, with the L1D's defaults

#define FAIL_LIST(X)                                           \
  X(line, "all ways of the set wait for their data")           \
  X(mshr, "no MSHR is free")                                   \
  X(merge, "the MSHR holds as many requests as it can")        \
  X(queue, "the miss queue is full")

typedef enum FailReason {
#define X(name, text) FAIL_##name,
  FAIL_LIST(X)
#undef X
} FailReason;

typedef struct CacheStats {
  uint64_t accesses, hits, merges, misses;        // each access once; accesses = hits + merges + misses
  uint64_t sector_misses;                         // of the misses: the line was there, the sector not
  uint64_t cold_misses;                           // of the misses: the line was never there before
  uint64_t reads, writes;                         // of the accesses
  uint64_t fail_line, fail_mshr, fail_merge, fail_queue;   // tries that failed, a cycle each
  uint64_t evictions, write_backs;
} CacheStats;
extern const Stat cache_stats[];

typedef enum CacheResult { CACHE_HIT, CACHE_HIT_PENDING, CACHE_MISS, CACHE_WRITE_SENT, CACHE_FAIL } CacheResult;

// What stands in the miss queue.
typedef struct CacheMiss {
  MemRequest *request;    // the request that missed; NULL for a write-back
  uint64_t address;       // first byte of the line or sector to fetch, or of what is written back
  uint32_t bytes;
  bool write, write_back;
  uint8_t sectors;        // bit s: sector s of the line; write-back: the dirty ones
} CacheMiss;

typedef struct Cache Cache;
Status cache_create(Cache **cache, const CacheConfig *config, Error *err);
void cache_destroy(Cache *cache);

// index_address is what the set is computed from (L2 slices pass the address
// with the channel digits removed); sector is the 32-byte sector of
// request->address + 32 * sector for sectored caches, else ignored.
// On HIT_PENDING and MISS of a read the pair (request, sector) waits in the
// MSHR until cache_fill and cache_next_ready hand it out; the same request may
// wait for several sectors at once.
CacheResult cache_access(Cache *cache, MemRequest *request, uint32_t sector, uint64_t index_address,
                         Cycle now, FailReason *reason);

// The oldest miss that has to leave, or NULL.
const CacheMiss *cache_miss_front(const Cache *cache);
void cache_miss_pop(Cache *cache);

// The data of a fetch has arrived (all of it).
void cache_fill(Cache *cache, uint64_t address, uint64_t index_address, Cycle now);
// A request whose data has been filled; NULL if none. In order of fills, then
// of merging; each is handed out once.
MemRequest *cache_next_ready(Cache *cache, uint32_t *sector);
bool cache_has_ready(const Cache *cache);

// Drops all lines (write-backs of dirty ones are the caller's wish).
void cache_invalidate(Cache *cache);
void cache_flush(Cache *cache);                 // queues nothing: dirty lines are counted as written back
bool cache_is_quiet(const Cache *cache);        // no miss queued, no MSHR taken, nothing ready
const CacheStats *cache_stats_of(const Cache *cache);

#endif
