// SPDX-License-Identifier: MIT
// Applies the oracles of [ideal] to the caches and partitions of a configuration.
#include "gpu/config/ideal.h"

#include <string.h>

#include "base/text/closest.h"
#include "gpu/config/gpu_config.h"
#include "isa/source_places.h"

static const char *const l1d_choices[] = {"real", "hits", "instant", NULL};

enum { MOST_MSHRS = 65536 };

const Param ideal_params[] = {
    PARAM_CHOICE(IdealConfig, l1d, L1D_REAL, l1d_choices,
                 "loads see the real L1D, only hits, or misses answered at once"),
    PARAM(IdealConfig, no_fixed_latency, false, 0, 1,
          "treat partition.rop_latency_cycles and dram_latency_cycles as 0"),
    PARAM(IdealConfig, l1d_mshr_factor, 1, 0, 1024, "multiple of l1d.mshrs; 0 = no limit"),
    PARAM(IdealConfig, l2, false, 0, 1, "reads and atomics always hit in the L2"),
    PARAM(IdealConfig, network, false, 0, 1,
          "network of the least latency, in which every packet is one flit"),
    PARAM(IdealConfig, dram, false, 0, 1, "DRAM answers at once"),
    PARAM(IdealConfig, no_bank_conflicts, false, 0, 1, "shared memory without bank conflicts"),
    PARAM(IdealConfig, no_barriers, false, 0, 1, "warps do not wait at the barriers of their CTA"),
    PARAM(IdealConfig, no_divergence, false, 0, 1,
          "a warp executes what one of its lanes does, each warp another lane"),
    PARAM(IdealConfig, is_balanced, false, 0, 1,
          "work between barriers is divided evenly among the warps of a CTA"),
    PARAM(IdealConfig, no_contention, false, 0, 1,
          "atomics do not wait for others on the same word"),
    PARAM(IdealConfig, no_sharing, false, 0, 1,
          "atomics are spread evenly over the L2 slices, as if each were on a line of its own"),
    PARAM(IdealConfig, no_dependency, false, 0, 1,
          "arithmetic results are available in the next cycle"),
    PARAM(IdealConfig, no_register_limit, false, 0, 1, "registers do not limit the CTAs per SM"),
    PARAM(IdealConfig, no_shared_limit, false, 0, 1,
          "shared memory does not limit the CTAs per SM and takes nothing from a unified L1D"),
    PARAM_TEXT(IdealConfig, hits, "",
               "lines whose loads always hit in the L1D: 42,file.cu:57, or all"),
    PARAM_TEXT(IdealConfig, coalesced, "",
               "lines whose accesses are perfectly coalesced and without bank conflicts"),
    PARAM_TEXT(IdealConfig, free_stores, "", "lines whose stores take no time"),
    {0}};

const IdealName ideal_names[] = {
    {"load", "ideal.hits=", "loads of this line always hit"},
    {"coalesced", "ideal.coalesced=", "accesses of this line are perfectly coalesced"},
    {"store", "ideal.free_stores=", "stores of this line are free"},
    {"l1", "ideal.l1d=hits", "perfect L1"},
    {"l2", "ideal.l2=true", "perfect L2"},
    {"network", "ideal.network=true", "perfect network"},
    {"dram", "ideal.dram=true", "perfect DRAM"},
    {"banks", "ideal.no_bank_conflicts=true", "no bank conflicts"},
    {"barriers", "ideal.no_barriers=true", "no waiting at barriers"},
    {"balance", "ideal.is_balanced=true", "work between barriers divided evenly"},
    {"divergence", "ideal.no_divergence=true", "no divergence penalty"},
    {"atomics", "ideal.no_contention=true", "atomics without contention"},
    {"sharing", "ideal.no_sharing=true", "atomics without false sharing of lines"},
    {"dependency", "ideal.no_dependency=true", "no waiting for arithmetic results"},
    {"registers", "ideal.no_register_limit=true", "occupancy without the limit of registers"},
    {"shared", "ideal.no_shared_limit=true", "occupancy without the limit of shared memory"},
    {0}};

static const IdealName *find_name(const char *word, size_t length, Error *err) {
  Closest closest = closest_start(word);
  for (const IdealName *ideal = ideal_names; ideal->name; ideal++) {
    if (strlen(ideal->name) == length && memcmp(ideal->name, word, length) == 0) return ideal;
    closest_offer(&closest, ideal->name);
  }
  error_set(err, ERR_USAGE, "unknown idealisation '%.80s'%s%s%s", word, CLOSEST_HINT(closest));
  return NULL;
}

// The list of places that a setting names.
static char *places_of(IdealConfig *ideal, const char *setting) {
  if (strcmp(setting, "ideal.hits=") == 0) return ideal->hits;
  return strcmp(setting, "ideal.coalesced=") == 0 ? ideal->coalesced : ideal->free_stores;
}

static Status add_place(char *list, const char *place, Error *err) {
  size_t used = strlen(list), more = strlen(place);
  TRY(source_places_check(place, err));
  if (used + more + 2 > IDEAL_PLACES_BYTES)
    return error_set(err, ERR_USAGE, "'%.80s': more than %d bytes of places", place,
                     IDEAL_PLACES_BYTES - 1);
  if (used) list[used++] = ',';
  memcpy(list + used, place, more + 1);
  return OK;
}

Status ideal_assign(GpuConfig *config, const char *word, Error *err) {
  const char *colon = strchr(word, ':');
  const IdealName *ideal = find_name(word, colon ? (size_t)(colon - word) : strlen(word), err);
  if (!ideal) return ERR_USAGE;
  bool wants_place = ideal->setting[strlen(ideal->setting) - 1] == '=';
  if (wants_place && (!colon || !colon[1]))
    return error_set(err, ERR_USAGE, "'%.80s' requires a line, such as %s:42 or %s:all", word,
                     ideal->name, ideal->name);
  if (!wants_place && colon)
    return error_set(err, ERR_USAGE, "'%.80s': %s takes no line", word, ideal->name);
  if (!wants_place) return gpu_config_assign(config, ideal->setting, err);
  return add_place(places_of(&config->ideal, ideal->setting), colon + 1, err);
}

static Status check_places(const char *key, const char *list, Error *err) {
  if (source_places_check(list, err) != OK) return error_prefix(err, "ideal.%s", key);
  return OK;
}

static const char *places_or_null(const char *list) {
  return *list ? list : NULL;
}

// Flits hold the largest packet. Smaller buffers than the configured ones are possible in none of
// these.
static void idealise_network(CrossbarConfig *noc) {
  enum { LARGEST_FLIT = 512, LEAST_LATENCY = 4, MOST_SPEEDUP = 8 };
  noc->flit_bytes = LARGEST_FLIT;
  noc->latency_cycles = LEAST_LATENCY;
  noc->speedup = MOST_SPEEDUP;
  noc->injection_flits = noc->ejection_flits = 255;
  noc->input_buffer_flits = noc->output_buffer_flits = 4096;
}

Status ideal_check(const IdealConfig *ideal, Error *err) {
  TRY(check_places("hits", ideal->hits, err));
  TRY(check_places("coalesced", ideal->coalesced, err));
  return check_places("free_stores", ideal->free_stores, err);
}

Status ideal_apply(GpuConfig *config, Error *err) {
  const IdealConfig *ideal = &config->ideal;
  TRY(ideal_check(ideal, err));
  config->sm.ideal = (SmIdeal){.no_bank_conflicts = ideal->no_bank_conflicts,
                               .no_barriers = ideal->no_barriers,
                               .no_divergence = ideal->no_divergence,
                               .is_balanced = ideal->is_balanced,
                               .no_contention = ideal->no_contention,
                               .no_dependency = ideal->no_dependency,
                               .no_sharing = ideal->no_sharing || ideal->no_contention,
                               .no_register_limit = ideal->no_register_limit,
                               .no_shared_limit = ideal->no_shared_limit,
                               .hits = places_or_null(ideal->hits),
                               .coalesced = places_or_null(ideal->coalesced),
                               .free_stores = places_or_null(ideal->free_stores)};
  if (ideal->network) idealise_network(&config->noc);
  if (ideal->l2) config->l2.ideal_hits = true;
  return OK;
}

// A cache that allocates on miss has at most its units in flight. One that allocates on
// fill is limited by the loads of its SM, which this number covers. The remaining waiters
// are available to merges, so that these are not limited either.
static void lift_mshr_limit(CacheConfig *l1d) {
  uint32_t sets, ways, mshrs = CACHE_MAX_WAITERS / 8;
  Error ignored;  // the cache reports a bad geometry when it is made
  if (l1d->allocate == ALLOCATE_ON_MISS && cache_geometry(l1d, &sets, &ways, &ignored) == OK)
    mshrs = sets * ways * (l1d->sectored ? l1d->line_bytes / SECTOR_BYTES : 1);
  if (mshrs > MOST_MSHRS) mshrs = MOST_MSHRS;
  if (mshrs < l1d->mshrs) mshrs = l1d->mshrs;
  uint32_t merges = CACHE_MAX_WAITERS / mshrs;
  l1d->mshrs = mshrs;
  if (merges > l1d->mshr_merges) l1d->mshr_merges = merges < 4096 ? merges : 4096;
}

CacheConfig ideal_l1d(const IdealConfig *ideal, const CacheConfig *l1d) {
  CacheConfig made = *l1d;
  made.ideal_hits = ideal->l1d == L1D_HITS;
  if (ideal->l1d_mshr_factor == 0) lift_mshr_limit(&made);
  if (ideal->l1d_mshr_factor > 1) {
    uint64_t mshrs = (uint64_t)l1d->mshrs * ideal->l1d_mshr_factor;
    made.mshrs = mshrs < MOST_MSHRS ? (uint32_t)mshrs : MOST_MSHRS;
  }
  return made;
}

PartitionConfig ideal_partition(const IdealConfig *ideal, const PartitionConfig *partition) {
  PartitionConfig made = *partition;
  made.instant_dram = ideal->dram;
  if (ideal->no_fixed_latency) made.rop_latency_cycles = made.dram_latency_cycles = 0;
  return made;
}
