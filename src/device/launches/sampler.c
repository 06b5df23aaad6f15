// SPDX-License-Identifier: MIT
// Decides for each launch whether it is timed, sampled by waves, or projected from others.
#include "device/launches/sampler.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "device/launches/sampler_pass.h"

enum { COUNTERS = sizeof(MachineStats) / sizeof(uint64_t) };
// A launch of few waves is timed in part if it executes and accesses so many times what a program
// is timed whole for (SampleOptions.after).
enum { LONG_LAUNCH = 8 };

static double *new_row(RunResult *result) {
  return ARENA_ARRAY(&result->arena, double, COUNTERS);
}

void sampler_init(Sampler *sampler, const SampleOptions *options, const GpuConfig *config,
                  RunResult *result) {
  *sampler = (Sampler){.is_on = true, .options = *options, .config = config};
  sampler->groups.counter_count = COUNTERS;
  sampler->estimate = (Estimate){new_row(result), new_row(result), new_row(result)};
  sampler->common = new_row(result);
  sampler->each = new_row(result);
  sampler->total_halves = ARENA_NEW(&result->arena, MachineStats);
  sampler->result = &result->sampling;
  result->sampling =
      (RunSampling){.is_on = true, .error = options->error, .halves = sampler->total_halves};
}

void sampler_close(Sampler *sampler) {
  launch_groups_clear(&sampler->groups);
  launch_profile_clear(&sampler->profile);
  wave_sampler_clear(&sampler->waves);
  period_sampler_clear(&sampler->periods);
  page_log_end(&sampler->log);
  store_queue_clear(&sampler->stores);
  launch_streaks_clear(&sampler->streaks);
  sampler->added = (MachineStats){0};
}

// ---- estimates as counters

static uint64_t rounded(double value) {
  return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

// What spreads do not show: the launch that a projected one leaves its caches to, and kernels that
// repeat so exactly that they differ in what is not repeated only. Shares of the error.
static const double floor_of_projected = 1.0 / 6, floor_of_total = 1.0 / 6;

// Counters are rounded one by one: what they are the sum of follows.
static void settle_cache(CacheStats *cache) {
  cache->accesses = cache->hits + cache->merges + cache->misses;
  if (cache->writes > cache->accesses) cache->writes = cache->accesses;
  cache->reads = cache->accesses - cache->writes;
  if (cache->sector_misses > cache->misses) cache->sector_misses = cache->misses;
  uint64_t others = cache->misses - cache->sector_misses;
  if (cache->cold_misses > others) cache->cold_misses = others;
}

static void settle_counters(MachineStats *stats, const GpuConfig *config) {
  CacheStats *const caches[] = {&stats->l1d, &stats->l1i, &stats->l1c, &stats->l1t, &stats->l2};
  for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) settle_cache(caches[i]);
  machine_stats_derive(stats, config);
}

static void take_estimate(Sampler *sampler) {
  uint64_t *values = (uint64_t *)&sampler->projected, *halves = (uint64_t *)&sampler->halves;
  for (size_t c = 0; c < COUNTERS; c++) {
    double each = sampler->estimate.each[c];
    double floor = floor_of_projected * sampler->options.error * sampler->estimate.values[c];
    values[c] = rounded(sampler->estimate.values[c]);
    halves[c] = rounded(sampler->estimate.halves[c] + floor);
    sampler->common[c] += sampler->estimate.halves[c] + floor - each;
    sampler->each[c] += each * each;
  }
  settle_counters(&sampler->projected, sampler->config);
  stats_sum(&sampler->added, &sampler->projected, sizeof sampler->added);
  sampler->sampling.halves = &sampler->halves;
}

static void clear_estimate(Sampler *sampler) {
  memset(sampler->estimate.values, 0, sizeof(double) * COUNTERS);
  memset(sampler->estimate.halves, 0, sizeof(double) * COUNTERS);
  memset(sampler->estimate.each, 0, sizeof(double) * COUNTERS);
  sampler->projected = sampler->halves = (MachineStats){0};
}

void sampler_report(const Sampler *sampler, MachineStats *total) {
  uint64_t *values = (uint64_t *)total, *halves = (uint64_t *)sampler->total_halves;
  const RunSampling *result = sampler->result;
  if (!sampler->is_on) return;
  stats_sum(total, &sampler->added, sizeof *total);
  bool is_exact = !result->projected_launches && !result->partial_launches;
  for (size_t c = 0; c < COUNTERS && !is_exact; c++)
    halves[c] = rounded(sampler->common[c] + sqrt(sampler->each[c]) +
                        floor_of_total * sampler->options.error * (double)values[c]);
}

// ---- signatures

static uint64_t shape_digest(const Launch *launch) {
  uint64_t digest = digest_add_text(digest_start(), launch->kernel->name);
  digest = digest_add(digest, launch->grid, sizeof launch->grid);
  digest = digest_add(digest, launch->block, sizeof launch->block);
  return digest_add(digest, &launch->dynamic_shared_bytes, sizeof launch->dynamic_shared_bytes);
}

// The launch before decides what the caches hold.
static uint64_t key_of(const Sampler *sampler, const Launch *launch) {
  uint64_t shape = shape_digest(launch);
  return digest_add(sampler->previous, &shape, sizeof shape);
}

static bool estimate(Sampler *sampler, const LaunchSignature *signature) {
  return launch_groups_project(&sampler->groups, signature, sampler->options.error,
                               &sampler->estimate);
}

// Whether the program has been so short, with the profiled launch, that all of it is timed.
static bool is_early(const Sampler *sampler) {
  double timed = (double)sampler->result->timed_instructions;
  return timed + sampler->profile.features[FEATURE_WARP_INSTRUCTIONS] <
         (double)sampler->options.after;
}

// True: it was executed, and is projected as the one before.
static bool repeats(Sampler *sampler, const Launch *launch, const LaunchStreak *streak) {
  if (launch_streak_is_due(streak) || launch_streaks_need_profile(&sampler->streaks, streak) ||
      !estimate(sampler, &streak->signature))
    return false;
  if (sampler_pass_again(sampler, launch, streak->signature.features)) return true;
  clear_estimate(sampler);
  return false;
}

// ---- launches that are projected

static void fill_record(const Sampler *sampler, Launch *launch) {
  const double *features = sampler->profile.features;
  launch->warp_instructions = (uint64_t)features[FEATURE_WARP_INSTRUCTIONS];
  launch->thread_instructions = (uint64_t)features[FEATURE_THREAD_INSTRUCTIONS];
  launch->ctas = launch_cta_count(launch);
}

static void project(Sampler *sampler, Launch *launch, bool is_profiled) {
  take_estimate(sampler);
  fill_record(sampler, launch);
  launch_streaks_note_projected(&sampler->streaks, &sampler->signature);
  if (is_profiled) sampler_pass_warm_l2(sampler->gpu, &sampler->profile);
  launch->stats = &sampler->projected;
  launch->launched = launch->submitted = launch->started = gpu_now(sampler->gpu);
  launch->ended = launch->over = launch->started + sampler->projected.cycles;
  launch->has_begun = launch->is_complete = true;
  launch->sms = sampler->config->gpu.sm_count;
  sampler->sampling.timed = SAMPLING_NONE;
  sampler->result->projected_launches++;
}

// ---- launches that are timed in part

static uint64_t ask(void *self, const MachineStats *now, uint64_t *next) {
  Sampler *sampler = self;
  uint64_t first = sampler->waves.next;
  uint64_t count = wave_sampler_reach(&sampler->waves, (const uint64_t *)now);
  *next = sampler->waves.next;
  if (count) sampler_pass_warm(sampler, first, count);
  return count;
}

static uint64_t show(void *self, const MachineStats *now, uint64_t dispatched, Cycle *look) {
  Sampler *sampler = self;
  uint64_t count = period_sampler_look(&sampler->periods, (const uint64_t *)now, dispatched);
  *look = sampler->periods.next;
  return count;
}

static uint64_t wave_of(const Sampler *sampler, const Launch *launch) {
  return (uint64_t)sm_max_ctas(&sampler->config->sm, launch) * sampler->config->gpu.sm_count;
}

// Why none of its CTAs can be left out; NULL if some can.
static const char *reason_for_whole(const Sampler *sampler, const Screen *screen,
                                    const Launch *launch) {
  if (screen->verdict != SCREEN_SAMPLE) return screen->reason;
  const char *reason = gpu_needs_all_ctas(sampler->gpu);
  if (reason) return reason;
  uint64_t ctas = launch_cta_count(launch), wave = wave_of(sampler, launch);
  bool fits = wave_sampler_fits(ctas, wave) || period_sampler_fits(ctas, wave);
  return fits ? NULL : "few waves of CTAs";
}

// Hit rates of the L1Ds and the L2, which cycles do not always show.
#define COUNTER(field) (offsetof(MachineStats, field) / sizeof(uint64_t))
static const WaveRatio hit_rates[] = {{COUNTER(l1d.hits), COUNTER(l1d.accesses)},
                                      {COUNTER(l2.hits), COUNTER(l2.accesses)}};

static void plan_waves(Sampler *sampler, uint64_t wave) {
  wave_sampler_begin(&sampler->waves, sampler->options.error, sampler->profile.cta_count, wave,
                     sampler->profile.before, COUNTERS);
  sampler->waves.start_up = sampler_pass_start_up(sampler);
  sampler->waves.ratios = hit_rates;
  sampler->waves.ratio_count = sizeof hit_rates / sizeof *hit_rates;
  sampler->ctas = (CtaSampler){
      .next = sampler->waves.next, .look = NEVER, .ask = ask, .show = show, .self = sampler};
}

static double write_back_size(const GpuConfig *config) {
  return (double)config->dram.command_bytes / SECTOR_BYTES;
}

static void plan_periods(Sampler *sampler, uint64_t wave) {
  uint64_t start_up = sampler_pass_start_up(sampler) / 2;  // until the L2 is full
  PeriodSampler wanted = {.error = sampler->options.error,
                          .cta_count = sampler->profile.cta_count,
                          .wave_ctas = wave,
                          .before = sampler->profile.before,
                          .counters = {.count = COUNTERS,
                                       .work = COUNTER(sm.warp_instructions),
                                       .retired = COUNTER(sm.ctas),
                                       .accesses = COUNTER(l2.accesses),
                                       .writes = COUNTER(l2.writes),
                                       .write_backs = COUNTER(dram.writes),
                                       .write_back_size = write_back_size(sampler->config),
                                       .ratios = hit_rates,
                                       .ratio_count = sizeof hit_rates / sizeof *hit_rates}};
  if (start_up > wanted.cta_count) start_up = wanted.cta_count;
  wanted.start_up = (double)wanted.before[start_up];
  period_sampler_begin(&sampler->periods, &wanted, (const uint64_t *)gpu_total(sampler->gpu));
  sampler->ctas = (CtaSampler){
      .next = WAVE_NEVER, .look = sampler->periods.next, .ask = ask, .show = show, .self = sampler};
}

// Instructions and accesses are what simulation takes its time for: leaving out waves of a short
// launch saves little, and they are few for a mean.
static bool is_long(const Sampler *sampler) {
  const double *features = sampler->profile.features;
  double cost =
      features[FEATURE_WARP_INSTRUCTIONS] + features[FEATURE_READS] + features[FEATURE_WRITES];
  return cost >= LONG_LAUNCH * (double)sampler->options.after;
}

static void plan(Sampler *sampler, Launch *launch) {
  uint64_t wave = wave_of(sampler, launch);
  bool has_waves = wave_sampler_fits(sampler->profile.cta_count, wave);
  if (!sampler->sampling.reason && is_early(sampler))
    sampler->sampling.reason = "too few instructions so far";
  if (!sampler->sampling.reason && !has_waves && !is_long(sampler))
    sampler->sampling.reason = "few waves of CTAs";
  if (sampler->sampling.reason) return;
  if (has_waves)
    plan_waves(sampler, wave);
  else
    plan_periods(sampler, wave);
  launch->sampler = &sampler->ctas;
  gpu_watch_stores(sampler->gpu, page_log_note_store, &sampler->log);
}

// What came of executing a launch before it is timed.
typedef enum PassOutcome {
  PASS_NONE,      // it was not executed, or failed: memory is as before
  PASS_PROFILED,  // it has to be timed
  PASS_ESTIMATED,
  PASS_REPEATED,  // estimated without a profile of its own
} PassOutcome;

// The first launch of its shape is projected from nothing, and most have no second: if it is to be
// timed whole, it is not executed before. Behind a launch without profile the L2 lacks what that
// one left there: then it is not the time to time one again, nor to compare what the L2 holds.
static PassOutcome execute_first(Sampler *sampler, const Launch *launch) {
  uint64_t shape = shape_digest(launch);
  bool is_first = !launch_streaks_know(&sampler->streaks, shape);
  const LaunchStreak *streak =
      launch_streaks_begin(&sampler->streaks, sampler->signature.key, shape);
  bool is_due = launch_streak_is_due(streak) && !sampler->is_l2_stale;
  if (is_first && sampler->sampling.reason) return PASS_NONE;
  bool is_repeated = repeats(sampler, launch, streak);
  if (!is_repeated && !sampler_pass(sampler, launch)) return PASS_NONE;
  if (sampler->is_l2_stale && streak->length)
    sampler->profile.features[FEATURE_ABSENT] = streak->signature.features[FEATURE_ABSENT];
  sampler->is_l2_stale = is_repeated;
  memcpy(sampler->signature.features, sampler->profile.features, sizeof sampler->profile.features);
  sampler->signature.is_large =
      sampler_pass_is_large(sampler, sampler->signature.features[FEATURE_FOOTPRINT]);
  if (is_repeated) return PASS_REPEATED;
  if (is_early(sampler)) return PASS_PROFILED;
  return !is_due && estimate(sampler, &sampler->signature) ? PASS_ESTIMATED : PASS_PROFILED;
}

bool sampler_begin(Sampler *sampler, Launch *launch) {
  Screen screen = kernel_screen(launch);
  PassOutcome outcome = PASS_NONE;
  sampler->launch = launch;
  sampler->is_projectable = screen.verdict != SCREEN_TIMED;
  sampler->is_independent = screen.verdict == SCREEN_SAMPLE;
  sampler->sampling = (KernelSampling){.timed = SAMPLING_WHOLE,
                                       .reason = reason_for_whole(sampler, &screen, launch),
                                       .cycles_before = sampler->added.cycles};
  clear_estimate(sampler);
  sampler->signature =
      (LaunchSignature){.key = key_of(sampler, launch), .shape = shape_digest(launch)};
  if (sampler->is_projectable) outcome = execute_first(sampler, launch);
  sampler->has_profile = outcome != PASS_NONE;
  if (!sampler->has_profile) return false;
  if (outcome != PASS_PROFILED) {
    project(sampler, launch, outcome == PASS_ESTIMATED);
    page_log_end(&sampler->log);
    sampler->previous = shape_digest(launch);
    return true;
  }
  page_log_swap(&sampler->log);
  plan(sampler, launch);
  return false;
}

static bool has_left_out(const Sampler *sampler) {
  return sampler->waves.gap_count || sampler->periods.left_out;
}

// The L2 holds what the last CTAs leave there, not those that were timed last.
static void complete_part(Sampler *sampler, Launch *launch) {
  wave_sampler_end(&sampler->waves, &sampler->estimate);
  period_sampler_end(&sampler->periods, (const uint64_t *)gpu_total(sampler->gpu),
                     &sampler->estimate);
  if (sampler->periods.left_out) sampler_pass_warm_l2(sampler->gpu, &sampler->profile);
  take_estimate(sampler);
  sampler->sampling.timed = SAMPLING_PART;
  sampler->sampling.timed_instructions = launch->warp_instructions;
  fill_record(sampler, launch);
  stats_sum(&sampler->projected, launch->stats, sizeof sampler->projected);
  machine_stats_derive(&sampler->projected, sampler->config);
  launch->stats = &sampler->projected;
}

// Of a launch that was timed without a profile.
static void sign_by_record(Sampler *sampler, const Launch *launch) {
  LaunchSignature *signature = &sampler->signature;
  for (int f = 0; f < FEATURES; f++) signature->features[f] = UNKNOWN_FEATURE;
  signature->features[FEATURE_WARP_INSTRUCTIONS] = (double)launch->warp_instructions;
  signature->features[FEATURE_THREAD_INSTRUCTIONS] = (double)launch->thread_instructions;
}

void sampler_complete(Sampler *sampler, Launch *launch) {
  bool in_part = has_left_out(sampler);
  sampler->sampling.timed_instructions = launch->warp_instructions;
  if (in_part) complete_part(sampler, launch);
  if (!in_part && !sampler->sampling.reason) sampler->sampling.reason = "throughput not steady";
  sampler->result->timed_instructions += sampler->sampling.timed_instructions;
  if (in_part)
    sampler->result->partial_launches++;
  else
    run_sampling_note_whole(sampler->result, sampler->sampling.reason);
  if (!sampler->has_profile) sign_by_record(sampler, launch);
  if (sampler->is_projectable && launch->is_complete)
    launch_groups_add(&sampler->groups, &sampler->signature, (const uint64_t *)launch->stats,
                      in_part ? &sampler->estimate : NULL);
  launch_streaks_note_timed(&sampler->streaks, sampler->signature.key);
}

// The results of functional execution are those of the program: of a launch that was timed in part,
// some CTAs have not been executed otherwise.
void sampler_end(Sampler *sampler, Status status) {
  gpu_watch_stores(sampler->gpu, NULL, NULL);
  if (status == OK && has_left_out(sampler)) page_log_swap(&sampler->log);
  page_log_end(&sampler->log);
  wave_sampler_clear(&sampler->waves);
  period_sampler_clear(&sampler->periods);
  sampler->launch->sampler = NULL;
  sampler->previous = shape_digest(sampler->launch);
  sampler->launch = NULL;
}

void sampler_note_whole(Sampler *sampler, const Launch *launch, const char *reason) {
  sampler->result->timed_instructions += launch->warp_instructions;
  run_sampling_note_whole(sampler->result, reason);
}
