// SPDX-License-Identifier: MIT
// A cache: tags, MSHRs, miss queue. One implementation serves L1D, instruction, constant
// and texture caches and L2 slices, by configuration.
//
// It holds no data: values are in device memory. A lookup determines the outcome; the
// owner models its timing, forwards misses and reports fills.
//
//   cache_access(request) -> HIT                 the line (or sector) is valid
//                         -> HIT_PENDING         merged onto an MSHR: wait for its fill
//                         -> MISS                a fetch is in the miss queue
//                         -> WRITE_SENT          a write is in the miss queue
//                         -> WRITE_KEPT          a write miss allocated a line; it is complete
//                         -> FAIL                retry next cycle; see reason
//
// A unit is the granularity of fetches, valid and dirty bits and MSHRs: a 32-byte sector
// in a sectored cache, else a line.
#ifndef MEMORY_CACHE_CACHE_H
#define MEMORY_CACHE_CACHE_H

#include "memory/request.h"
#include "policies/host.h"
#include "policies/replacement/replacement.h"

// Write hit: write-evict; write-through; write-back; write-back for local memory, else
// write-evict; no writes.
typedef enum WritePolicy {
  WRITE_EVICT,
  WRITE_THROUGH,
  WRITE_BACK,
  WRITE_LOCAL_BACK_GLOBAL_THROUGH,
  WRITE_READ_ONLY
} WritePolicy;
// When a read miss allocates a line: on miss, or on fill. Streaming is allocate-on-fill
// with more MSHRs than lines.
typedef enum AllocatePolicy {
  ALLOCATE_ON_MISS,
  ALLOCATE_ON_FILL,
  ALLOCATE_STREAMING
} AllocatePolicy;
// Write miss: no allocation; allocate, fetch and wait for the fill; allocate without
// fetching, and fetch when a partially written unit is read (lazy fetch).
typedef enum WriteAllocate {
  WRITE_NO_ALLOCATE,
  WRITE_ALLOCATE_FETCH,
  WRITE_ALLOCATE_LAZY
} WriteAllocate;
// How the set follows from the line's number: its remainder; Fermi's XOR (32
// or 64 sets); XOR of the two lowest digits; the remainder of a division by an
// irreducible polynomial over GF(2). The last two need a power of two.
typedef enum IndexHash { INDEX_LINEAR, INDEX_FERMI, INDEX_XOR, INDEX_IPOLY } IndexHash;

enum { CACHE_MAX_WAYS = 64, CACHE_MAX_WAITERS = 1 << 17 };  // of all MSHRs together

typedef struct CacheConfig {
  bool enabled;
  bool sectored;     // fills and misses by sector
  bool track_cold;   // count cold misses; costs memory by the footprint
  bool ideal_hits;   // no parameter: every read hits (gpu/config/ideal.h)
  uint32_t size_kb;  // 0: sets * ways * line_bytes; else sets and ways are made to fit
  uint32_t sets, ways, line_bytes;
  uint32_t write_policy, allocate, write_allocate, index_hash;  // the enums above
  uint32_t mshrs, mshr_merges;  // entries; requests an entry holds in all
  uint32_t miss_queue;          // entries
  uint32_t dirty_percent;       // of a set's ways that may be dirty; 100: all
  uint32_t fetch_bytes;         // that a miss of a sectored cache fetches, aligned; 0: a sector
  uint32_t miss_queue_reserve;  // free entries that a read needs besides its own; GPGPU-Sim: 1
  PolicyHost *policies;         // no parameter: makes the replacement policy; NULL: without plugins
  char replacement[POLICY_SPEC_BYTES];  // "lru"
} CacheConfig;
extern const Param cache_params[];  // for one CacheConfig, with the L1D's defaults

#define FAIL_LIST(X)                                           \
  X(line, "all ways of the set reserved by outstanding fills") \
  X(mshr, "no free MSHR")                                      \
  X(merge, "MSHR merge limit reached")                         \
  X(queue, "miss queue full")

typedef enum FailReason {
#define X(name, text) FAIL_##name,
  FAIL_LIST(X)
#undef X
} FailReason;

typedef struct CacheStats {
  uint64_t accesses, hits, merges, misses;  // each access once; accesses = hits + merges + misses
  uint64_t hits_after_hits;                 // of the hits: the access before was one as well
  uint64_t sector_misses;                   // of the misses: the line was there, the sector not
  uint64_t reads, writes;                   // of the accesses
  uint64_t cold_misses;                     // of the misses: the line was never fetched before
  uint64_t fail_line, fail_mshr, fail_merge, fail_queue;  // tries that failed, a cycle each
  uint64_t evictions, write_backs;
} CacheStats;
extern const Stat cache_stats[];

// Outcomes of prefetches, which do not count as accesses. used + late + unused are the
// fetches with a known outcome; the rest is still cached or was flushed.
typedef struct PrefetchStats {
  uint64_t candidates;  // requested by a policy
  // Of which dropped: there already; no such address; no room; its warp has loaded itself.
  uint64_t present, outside, crowded, stale;
  uint64_t fetches;                     // of which sent
  uint64_t used, late, unused;  // found by a load; requested while in flight; evicted before either
  uint64_t early;               // of the unused: a load wanted them later
} PrefetchStats;
extern const Stat prefetch_stats[];

typedef enum CacheResult {
  CACHE_HIT,
  CACHE_HIT_PENDING,
  CACHE_MISS,
  CACHE_WRITE_SENT,
  CACHE_FAIL,
  CACHE_WRITE_KEPT
} CacheResult;

// A line that made room for another.
typedef struct EvictedLine {
  uint64_t address;
  uint32_t warp;           // whose access had brought it
  uint32_t written_bytes;  // that had to be written back, mostly 0
  bool was_unused;         // some of it was prefetched, and nothing asked for that
} EvictedLine;

// Side effects of a call. Currently a call evicts at most one line; users must handle
// more.
enum { CACHE_MAX_EVICTIONS = 2 };
typedef struct CacheEffects {
  Outcome outcome;     // outcome that an access is counted as
  bool used_prefetch;  // first access to a prefetched unit
  uint32_t eviction_count;
  EvictedLine evictions[CACHE_MAX_EVICTIONS];
} CacheEffects;

// An entry of the miss queue.
typedef struct CacheMiss {
  MemRequest *request;  // the request that missed; NULL for a write-back
  uint64_t address;     // first byte fetched or written; of the line for a write-back
  uint32_t bytes;
  uint32_t entry;  // a fetch: its MSHR
  bool write, write_back;
  uint8_t sectors;         // bit s: sector s of the line; write-back: the dirty ones
  uint8_t request_sector;  // as given to cache_access
} CacheMiss;

typedef struct Cache Cache;
// Refuses what cannot work: a queue that no read ever fits, a hash that does
// not suit the sets, a write policy that allocation contradicts.
Status cache_create(Cache **cache, const CacheConfig *config, Error *err);
void cache_destroy(Cache *cache);
// The sets and ways that the configuration comes to, size_kb considered.
Status cache_geometry(const CacheConfig *config, uint32_t *sets, uint32_t *ways, Error *err);

// Looks up the byte at request->address + 32 * sector: owners of sectored caches, and of
// caches whose line is smaller than the request, look up each sector; others pass 0. The
// set is computed from index_address (L2 slices pass the address without channel bits).
// On HIT_PENDING and MISS the pair (request, sector) waits in the MSHR until cache_fill,
// and is returned by cache_next_ready; a request may wait for several sectors. That holds
// for reads, and for writes that fetch.
CacheResult cache_access(Cache *cache, MemRequest *request, uint32_t sector, uint64_t index_address,
                         Cycle now, FailReason *reason);
// Where a read has hit: the address that was looked up and its line. For cache_hits_again.
typedef struct CacheSpot {
  uint64_t address;
  uint32_t line;
} CacheSpot;
// The same read as one that has hit before: true if it hits in the same place and has been counted
// as by cache_access, at a fraction of the cost; false if it has to be looked up. Owners that read
// the same units again and again remember where they are; a spot that is out of date does no harm.
bool cache_hits_again(Cache *cache, const CacheSpot *spot, Cycle now);
// Directly after a call of cache_access that has hit: the spot of its address.
CacheSpot cache_spot_of(const Cache *cache, uint64_t address);
// Side effects of the last successful call of cache_access, cache_prefetch or cache_fill.
// outcome: of the last access.
const CacheEffects *cache_effects(const Cache *cache);
// A try that failed goes on failing for the same reason until a miss is
// popped, a fill comes or a request is handed out: an owner that sees to that
// may count tries instead of making them.
void cache_count_fails(Cache *cache, FailReason reason, uint64_t tries);

// The oldest miss that has to leave, or NULL.
// From now on *flag is set when something joins the queue.
void cache_watch_misses(Cache *cache, bool *flag);
const CacheMiss *cache_miss_front(const Cache *cache);
void cache_miss_pop(Cache *cache);

// The data of a fetch has arrived (all of it): CacheMiss.entry, and an address in it.
// index_address matters only where lines are allocated on fill.
void cache_fill(Cache *cache, uint32_t entry, uint64_t address, uint64_t index_address, Cycle now);
// That will come soon: the host's cache gets what it needs. Changes nothing.
void cache_expect_fill(const Cache *cache, uint32_t entry, uint64_t address);
// A request whose data has been filled; NULL if none. In order of fills, then
// of merging; each is handed out once.
MemRequest *cache_next_ready(Cache *cache, uint32_t *sector);
bool cache_has_ready(const Cache *cache);
// Whether an access that was rejected for want of an MSHR would be again, for the same reason, if
// the cache has seen no other access since.
bool cache_lacks_mshrs(const Cache *cache);

// For policies, by owners that have some (cache_policy.c).
//
// Number of misses to distinct units that it could accept now.
typedef struct CacheRoom {
  uint32_t mshrs, queue;
} CacheRoom;
CacheRoom cache_room(const Cache *cache);
// Outcome of a read of the byte at address without side effects: HIT, HIT_PENDING or MISS.
CacheResult cache_probe(const Cache *cache, uint64_t address, uint64_t index_address);
// Fetches the unit of request->address if it is neither present nor in flight
// (HIT, HIT_PENDING) and an MSHR and a place of the miss queue stay free for
// others (else FAIL). On MISS the request waits for the fill as any other.
CacheResult cache_prefetch(Cache *cache, MemRequest *request, uint64_t index_address, Cycle now);
// Counts a read that missed and is sent past the cache.
void cache_count_pass(Cache *cache, uint64_t address);
// Lets the line go before all others of its set.
void cache_demote(Cache *cache, uint64_t address, uint64_t index_address);
// Statistics of prefetched units; the owner counts the candidates that it drops.
PrefetchStats *cache_prefetch_stats(Cache *cache);

// An access without time, for warming (cache_warm.c): the unit of the byte at address is there
// afterwards, or gone, as after an access and its fill. No counter changes and nothing is sent.
// is_full: the write covers its unit. True if the access would have hit.
bool cache_warm(Cache *cache, uint64_t address, uint64_t index_address, bool is_write, bool is_full,
                Cycle now);

// Accesses that are all hits, and are made again and again: whether those since these statistics
// were can be, without asking the replacement policy; and as if they had been, `times` more: lines
// that they have used, after cycle `since`, were used that many cycles later.
bool cache_repeats(const Cache *cache, const CacheStats *before, uint64_t prefetches_used);
void cache_repeat(Cache *cache, const CacheStats *before, Cycle since, uint64_t times, Cycle later);

// Invalidates all lines except those with a pending fill. The caller is responsible for
// write-backs of dirty lines. Free if there are no lines.
void cache_invalidate(Cache *cache);
// The ways of a set, and how many of them new lines may take: all, or fewer for
// a cache that gives up some of its memory. Lines in the others stay until they
// are invalidated.
uint32_t cache_ways(const Cache *cache);
void cache_limit_ways(Cache *cache, uint32_t ways);
// Lines that it holds at most, with that limit.
uint32_t cache_lines(const Cache *cache);
void cache_flush(Cache *cache);           // queues nothing: dirty lines are counted as written back
bool cache_is_quiet(const Cache *cache);  // no miss queued, no MSHR taken, nothing ready
const CacheStats *cache_stats_of(const Cache *cache);

#endif
