// SPDX-License-Identifier: MIT
// What came out of a run, and its two forms: a short table for people, and
// JSON with everything for programs. Knows counters and names, no machine.
//
// A run may have any number of launches. The first stay in memory, for the
// table; all are counted, and go as JSON into files if `records` is there.
//
// Two runs of the same input differ in the seconds only.
#ifndef REPORT_RUN_RESULT_H
#define REPORT_RUN_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text/json_records.h"
#include "base/param.h"
#include "base/result_table.h"
#include "base/stats.h"

typedef struct RunCounts {
  uint64_t warp_instructions, thread_instructions, ctas, launches;
} RunCounts;

extern const Stat run_counts_table[];

// Where a table's counters are in the JSON; `heddle list stats` iterates over these.
typedef struct StatGroup {
  const char *place, *summary;
  const Stat *table;
} StatGroup;

extern const StatGroup stat_groups[];  // ends with a NULL place

typedef struct Seconds {
  double wall, cpu;
} Seconds;

// What limits the CTAs per SM.
typedef struct OccupancyLimit {
  const char *by;                  // "warps", "ctas", "registers" or "shared_memory"; NULL: unknown
  uint32_t used;                   // warps per CTA, registers per thread, bytes per CTA
  uint32_t available;              // per SM: warps, CTAs
  uint32_t relaxed, relaxed_ctas;  // with so many registers or bytes so many CTAs fit; 0: no
  bool grid_is_small;              // fewer CTAs per SM than the resource allows, for lack of CTAs
  uint64_t grid_ctas, gpu_ctas;    // of the grid; that fit the GPU
} OccupancyLimit;

// How much of a launch of a sampled run was timed.
typedef enum SamplingTimed { SAMPLING_WHOLE, SAMPLING_PART, SAMPLING_NONE } SamplingTimed;
typedef struct KernelSampling {
  SamplingTimed timed;
  const char *reason;           // why it was timed whole, or NULL
  uint64_t timed_instructions;  // warp instructions
  uint64_t cycles_before;       // projected ones of earlier launches, which its times lack
  const void *halves;  // counters, as `stats`: half the width of their intervals; NULL: exact
} KernelSampling;

// Launches that were timed whole for the same reason.
typedef struct WholeLaunches {
  const char *reason;
  uint64_t launches;
} WholeLaunches;

enum { SAMPLING_REASONS = 16 };

// A sampled run (docs/sampling.md).
typedef struct RunSampling {
  bool is_on;
  double error;                 // that was asked for
  uint64_t timed_instructions;  // warp instructions
  uint64_t whole_launches, partial_launches, projected_launches;
  WholeLaunches reasons[SAMPLING_REASONS];
  uint32_t reason_count;
  const void *halves;  // as those of a kernel, of total_stats
} RunSampling;

// What a sampled run adds to the counters of a launch and of the whole run.
extern const StatsPart sampling_stats_parts[];

// Counts a launch that was timed whole. The text outlives the result.
void run_sampling_note_whole(RunSampling *sampling, const char *reason);

typedef struct KernelResult {
  const char *name;
  const char *title;  // demangled name, set by run_result_add_kernel
  uint32_t grid[3], block[3];
  uint32_t registers;                  // per thread
  uint32_t local_bytes;                // per thread
  uint32_t shared_bytes;               // per CTA
  uint32_t ctas_per_sm;                // theoretical occupancy
  uint32_t resident_warps, max_warps;  // per SM: warps of these CTAs, warp slots
  OccupancyLimit limit;
  bool is_complete;
  RunCounts counts;
  const void *stats;  // machine's, described by RunResult.parts; NULL without timing
  uint64_t cycles;
  const KernelSampling *sampling;  // NULL: not a sampled run
  ResultTables tables;  // run_result_add_kernel takes them over
  Seconds seconds;
  uint64_t id;      // number among all kernels; those that kernels launched name their parent's
  uint64_t launch;  // ... among the host's own launches
  bool has_parent;
  uint64_t parent, parent_cta;
  uint32_t parent_thread, parent_sm, depth;
  uint32_t sms, first_sm;  // with timing: how many SMs it ran on, and the first
  // With timing, cycles since the GPU was made: asked for, in the queues, its
  // own CTAs, all that it launched.
  uint64_t launched, submitted, started, ended, over;
} KernelResult;

typedef struct SumResult {
  const char *name;
  bool whole;  // of integers
  double value;
} SumResult;

// A warning about an event that no counter shows and that may invalidate the program's results.
typedef struct RunWarning {
  const char *kind;    // "stray_reads", "stray_writes", "failed_launches"
  const char *text;    // one line, which follows the count
  const char *one;     // the same for a count of 1; may be NULL
  const char *detail;  // the first occurrence; may be NULL
  uint64_t count;
} RunWarning;

// One of the two accesses of a race.
typedef struct RunRacePoint {
  const char *file, *instruction, *thread;
  uint32_t line;
  bool is_write;
} RunRacePoint;

// Two accesses of a kernel that nothing orders, by source line.
typedef struct RunRace {
  const char *kernel, *kind, *space;  // kind: "RAW", "WAR", "WAW"
  const char *where, *advice;         // where the first occurrence was; what to do
  RunRacePoint points[2];             // in the order of execution
  const char *benign;                 // why it does no harm; NULL: it may
  uint64_t count;
} RunRace;

typedef struct RunRaces {
  bool is_checked;
  const char *note;  // what was not checked, and how to; or NULL
  RunRace *items;
  uint32_t count, capacity;
} RunRaces;

typedef struct RunResult {
  const char *input;  // path
  const char *mode;   // "functional", "sampled" or "timing"
  const char *gpu;
  uint32_t sm_count, core_clock_mhz;
  const ParamSection *config;  // resolved
  KernelResult *kernels;  // those with the lowest ids, in order; with timing only such as had it
  uint32_t kernel_count, kernel_capacity;
  JsonRecords *records;  // every launch by its id, or NULL; the caller's
  struct KernelName *names;
  SumResult *sums;
  uint32_t sum_count, sum_capacity;
  RunWarning *warnings;
  uint32_t warning_count, warning_capacity;
  RunRaces races;
  RunSampling sampling;
  const StatsPart *parts;  // of the machine's counters; NULL without timing
  size_t stats_bytes;
  const void *total_stats;
  uint64_t total_cycles;
  ResultTables tables;
  const char *scheme;
  StatsTree policies;               // counters that policies keep, under family and name
  RunCounts total;                  // of all launches, also of those that are not in `kernels`
  uint64_t untimed;                 // launches without timing in a run with timing
  Seconds seconds, kernel_seconds;  // of the run; of its kernels
  uint32_t shown_accesses;          // rows of that table for people, of a kernel; 0: a few
  Status status;                    // not OK: the run ended early, and everything above is partial
  const char *error;
  // What a completed run could not do as requested, or NULL; OK: only a warning.
  const char *complaint;
  Status complaint_status;
  Arena arena;
} RunResult;

// Maximum number of launches, sums and warnings in memory.
enum { RUN_RESULT_KEPT = 64, RUN_RESULT_SUMS = 1024, RUN_RESULT_WARNINGS = 1024 };

// How a run ended, in the JSON and in stores: "complete", "failed" (the program, a kernel or
// a launch), "stopped" (by the user or a limit), "incomplete" (part of it is missing).
const char *run_state(Status status);

// Both copy the name; the kernel's tables now belong to the result. Ids begin at 0.
void run_result_add_kernel(RunResult *result, KernelResult *kernel);
void run_result_add_sum(RunResult *result, const char *name, bool whole, double value);
// Adds to the count of the warning with that kind and text, which are copied.
// True if it is a new one.
bool run_result_warn(RunResult *result, const RunWarning *warning);
static inline const char *run_warning_text(const RunWarning *warning) {
  return warning->count == 1 && warning->one ? warning->one : warning->text;
}
void run_result_clear(RunResult *result);

// Copies the texts.
void run_result_add_race(RunResult *result, const RunRace *race);
// ERR_PROGRAM, with their number, if the run has races other than benign ones.
Status run_races_status(const RunResult *result, Error *err);
// The same from the JSON of a run.
Status run_races_json_status(const json_t *json, Error *err);

void run_result_print(const RunResult *result, FILE *file);
// Everything; `kernels` is the list of those in memory, and empty if there are records.
json_t *run_result_json(const RunResult *result);
// Writes that to a file, or to stdout if path is "-". `kernels` is what the
// records hold, which is written one after the other; NULL: what the JSON has.
Status run_json_write(const json_t *json, JsonRecords *records, const char *path, Error *err);

// Now, on the two clocks; a duration is the difference.
Seconds seconds_now(void);
Seconds seconds_since(Seconds start);

#endif
