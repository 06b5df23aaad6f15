// SPDX-License-Identifier: MIT
// Parameters and statistics of a cache, and checks of its configuration.
#include "base/text/nearest.h"
#include "memory/cache/cache_state.h"

static const char *const write_policies[] = {
    "evict", "through", "back", "local_back_global_through", "read_only", NULL};
static const char *const allocate_policies[] = {"on_miss", "on_fill", "streaming", NULL};
static const char *const write_allocates[] = {"no", "fetch", "lazy", NULL};
static const char *const index_hashes[] = {"linear", "fermi", "xor", "ipoly", NULL};

// Bounds of host memory and of the 32-bit products below, not of any GPU.
enum { MAX_SETS = 1 << 16, MAX_LINES = 1 << 20, MAX_SIZE_KB = 1 << 16 };

const Param cache_params[] = {
    PARAM(CacheConfig, enabled, true, 0, 1, "cache present"),
    PARAM(CacheConfig, size_kb, 0, 0, MAX_SIZE_KB, "size; 0 = sets x ways x line_bytes"),
    PARAM(CacheConfig, sets, 32, 1, MAX_SETS, "sets"),
    PARAM(CacheConfig, ways, 4, 1, CACHE_MAX_WAYS, "associativity"),
    PARAM(CacheConfig, line_bytes, 128, SECTOR_BYTES, SECTOR_BYTES *MAX_SECTORS,
          "line size; a power of two"),
    PARAM(CacheConfig, sectored, false, 0, 1, "sectored: misses and fills per 32-byte sector"),
    PARAM_CHOICE(CacheConfig, write_policy, WRITE_LOCAL_BACK_GLOBAL_THROUGH, write_policies,
                 "write-hit policy"),
    PARAM_CHOICE(CacheConfig, allocate, ALLOCATE_ON_MISS, allocate_policies,
                 "line allocation on a read miss"),
    PARAM_CHOICE(CacheConfig, write_allocate, WRITE_NO_ALLOCATE, write_allocates,
                 "write-miss allocation"),
    PARAM_CHOICE(CacheConfig, index_hash, INDEX_LINEAR, index_hashes, "set index function"),
    PARAM_TEXT(CacheConfig, replacement, "lru", "policy: which line is evicted"),
    PARAM(CacheConfig, mshrs, 64, 1, 65536, "outstanding misses"),
    PARAM(CacheConfig, mshr_merges, 8, 1, 4096, "requests per MSHR entry"),
    PARAM(CacheConfig, miss_queue, 8, 1, 65536, "miss queue entries"),
    PARAM(CacheConfig, miss_queue_reserve, 1, 0, 65536, "miss queue entries kept free by reads"),
    PARAM(CacheConfig, dirty_percent, 100, 1, 100,
          "ways of a set that may be dirty; beyond it the least recently used one is written back"),
    PARAM(CacheConfig, fetch_bytes, 0, 0, SECTOR_BYTES *MAX_SECTORS,
          "bytes that a miss of a sectored cache fetches: a power of two; 0 = a sector"),
    PARAM(CacheConfig, track_cold, true, 0, 1, "count cold misses"),
    {0}};

const Stat cache_stats[] = {
    STAT_COUNT(CacheStats, accesses, "lookups that succeeded: hits + merges + misses"),
    STAT_COUNT(CacheStats, hits, "found"),
    STAT_COUNT(CacheStats, hits_after_hits, "hits that follow a hit"),
    STAT_COUNT(CacheStats, merges, "merged into an outstanding miss"),
    STAT_COUNT(CacheStats, misses, "not found"),
    STAT_COUNT(CacheStats, sector_misses, "sector misses: line present, sector absent"),
    STAT_COUNT(CacheStats, cold_misses, "cold misses: first fetch of the line"),
    STAT_COUNT(CacheStats, reads, "read accesses"),
    STAT_COUNT(CacheStats, writes, "write accesses"),
    STAT_COUNT(CacheStats, fail_line, "reservation failures: all ways of the set reserved"),
    STAT_COUNT(CacheStats, fail_mshr, "reservation failures: no free MSHR"),
    STAT_COUNT(CacheStats, fail_merge, "reservation failures: MSHR merge limit"),
    STAT_COUNT(CacheStats, fail_queue, "reservation failures: miss queue full"),
    STAT_COUNT(CacheStats, evictions, "lines evicted"),
    STAT_COUNT(CacheStats, write_backs, "lines written back"),
    STAT_RATIO(CacheStats, hit_rate, hits, accesses, "hit rate"),
    STAT_RATIO(CacheStats, miss_rate, misses, accesses, "miss rate"),
    {0}};

static uint32_t power_of_two_below(uint32_t number) {
  return 1u << (31 - __builtin_clz(number));
}

// Keeps approximately the configured ways: the number of sets becomes a power of two, and
// the remaining factor becomes ways: 48 KB with 4 ways become 64 sets of 6.
static bool size_fits(const CacheConfig *config, uint32_t size_kb, uint32_t *sets, uint32_t *ways) {
  uint32_t lines = size_kb * 1024 / config->line_bytes;
  *sets = power_of_two_below(lines > config->ways ? lines / config->ways : 1);
  if (config->index_hash == INDEX_FERMI) *sets = *sets < 64 ? 32 : 64;
  *ways = lines / *sets;
  return *ways >= 1 && *ways <= CACHE_MAX_WAYS && *ways * *sets == lines &&
         *sets <= MAX_SETS && lines <= MAX_LINES;
}

static bool is_size(const void *config, uint32_t size_kb) {
  uint32_t sets, ways;
  return size_fits(config, size_kb, &sets, &ways);
}

static Status fit_size(const CacheConfig *config, uint32_t *sets, uint32_t *ways, Error *err) {
  char nearest[NEAREST_BYTES];
  if (size_fits(config, config->size_kb, sets, ways)) return OK;
  return error_set(err, ERR_CONFIG, "size_kb = %u: not a size of %u sets x 1..%d ways x %u bytes%s",
                   config->size_kb, *sets, CACHE_MAX_WAYS, config->line_bytes,
                   nearest_text(config->size_kb, 1, MAX_SIZE_KB, is_size, config, nearest));
}

Status cache_geometry(const CacheConfig *config, uint32_t *sets, uint32_t *ways, Error *err) {
  uint32_t line = config->line_bytes, most = SECTOR_BYTES * MAX_SECTORS;
  char nearest[NEAREST_BYTES];
  if (line < SECTOR_BYTES || line > most || (line & (line - 1)))
    return error_set(
        err, ERR_CONFIG, "line_bytes = %u: must be a power of two in %d..%u%s", line, SECTOR_BYTES,
        most, nearest_text(line, SECTOR_BYTES, most, number_is_power_of_two, NULL, nearest));
  *sets = config->sets;
  *ways = config->ways;
  if (config->size_kb) TRY(fit_size(config, sets, ways, err));
  if (*sets < 1 || *sets > MAX_SETS || *ways < 1 || *ways > CACHE_MAX_WAYS ||
      *sets * *ways > MAX_LINES)
    return error_set(err, ERR_CONFIG, "%u sets of %u ways: at most %d ways and %d lines", *sets,
                     *ways, CACHE_MAX_WAYS, MAX_LINES);
  return OK;
}

// The neighbours of a sector have no place before its fill where lines are allocated on fill.
static Status check_fetches(const CacheConfig *config, Error *err) {
  uint32_t bytes = config->fetch_bytes;
  char nearest[NEAREST_BYTES];
  if (bytes && (bytes < SECTOR_BYTES || bytes > config->line_bytes || (bytes & (bytes - 1))))
    return error_set(err, ERR_CONFIG, "fetch_bytes = %u: must be 0 or a power of two in %d..%u%s",
                     bytes, SECTOR_BYTES, config->line_bytes,
                     nearest_text(bytes, SECTOR_BYTES, config->line_bytes, number_is_power_of_two,
                                  NULL, nearest));
  if (bytes > SECTOR_BYTES && (!config->sectored || config->allocate != ALLOCATE_ON_MISS))
    return error_set(err, ERR_CONFIG,
                     "fetch_bytes = %u requires sectored = true and allocate = on_miss", bytes);
  return OK;
}

// A line that is allocated on fill has no place to be dirty in before its fill; one that is written
// through is never dirty.
static Status check_writes(const CacheConfig *config, Error *err) {
  bool allocates = config->write_allocate != WRITE_NO_ALLOCATE;
  bool on_fill = config->allocate != ALLOCATE_ON_MISS;
  if (config->write_policy == WRITE_BACK && on_fill)
    return error_set(err, ERR_CONFIG, "write_policy = back requires allocate = on_miss");
  if (allocates && config->write_policy != WRITE_BACK && config->write_policy != WRITE_THROUGH)
    return error_set(err, ERR_CONFIG, "write_allocate requires write_policy = back or through");
  if (config->write_allocate == WRITE_ALLOCATE_FETCH && config->write_policy != WRITE_BACK)
    return error_set(err, ERR_CONFIG, "write_allocate = fetch requires write_policy = back");
  return OK;
}

Status cache_config_check(const CacheConfig *config, Error *err) {
  if (config->mshrs < 1 || config->mshr_merges < 1 ||
      (uint64_t)config->mshrs * config->mshr_merges > CACHE_MAX_WAITERS)
    return error_set(err, ERR_CONFIG, "mshrs * mshr_merges must lie in 1..%d", CACHE_MAX_WAITERS);
  if (config->miss_queue_reserve >= config->miss_queue)
    return error_set(err, ERR_CONFIG,
                     "miss_queue = %u with miss_queue_reserve = %u: no read would ever be accepted",
                     config->miss_queue, config->miss_queue_reserve);
  TRY(check_fetches(config, err));
  return check_writes(config, err);
}
