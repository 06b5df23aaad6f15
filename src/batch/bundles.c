// SPDX-License-Identifier: MIT
// Estimates run times from the store and groups runs into bundles of suitable length.
#include "batch/bundles.h"

#include <string.h>
#include <uthash.h>

#include "base/memory.h"

// ---- how long runs take

typedef struct Timing {
  double sum, count;
  UT_hash_handle hh;
  char name[];
} Timing;

// What makes two runs alike: everything, or what decides most of the time.
static const char *exact_name(Arena *arena, const RunLabels *run) {
  return arena_printf(arena, "%s\n%s\n%s\n%s\n%s", run->program, run->size ? run->size : "",
                      run->arguments ? run->arguments : "", run->gpu ? run->gpu : "",
                      run->scheme ? run->scheme : "");
}

static const char *rough_name(Arena *arena, const RunLabels *run) {
  return arena_printf(arena, "%s\n%s\n%s", run->program, run->size ? run->size : "",
                      run->arguments ? run->arguments : "");
}

static void add_timing(Timing **all, const char *name, double sum, double count) {
  Timing *timing;
  HASH_FIND_STR(*all, name, timing);
  if (!timing) {
    size_t length = strlen(name);
    timing = memory_alloc(sizeof *timing + length + 1);
    memcpy(timing->name, name, length);
    HASH_ADD_KEYPTR(hh, *all, timing->name, length, timing);
  }
  timing->sum += sum;
  timing->count += count;
}

static void clear_timings(Timing **all) {
  Timing *timing, *next;
  HASH_ITER(hh, *all, timing, next) {
    HASH_DEL(*all, timing);
    memory_free(timing);
  }
}

static const char *text_at(const json_t *row, size_t column) {
  return json_string_value(json_array_get(row, column));
}

static Status load_timings(Store *store, Timing **all, Error *err) {
  json_t *table, *row;
  size_t i;
  TRY(store_select(
      store, &table, err,
      "select program, size, arguments, gpu, scheme, sum(wall_seconds), count(*) from "
      "runs where state = 'complete' and wall_seconds is not null group by 1, 2, 3, 4, "
      "5",
      ""));
  json_array_foreach(json_object_get(table, "rows"), i, row) {
    Arena arena = {0};
    RunLabels run = {.program = text_at(row, 0),
                     .size = text_at(row, 1),
                     .arguments = text_at(row, 2),
                     .gpu = text_at(row, 3),
                     .scheme = text_at(row, 4)};
    double sum = json_number_value(json_array_get(row, 5));
    double count = json_number_value(json_array_get(row, 6));
    add_timing(all, exact_name(&arena, &run), sum, count);
    add_timing(all, rough_name(&arena, &run), sum, count);
    arena_clear(&arena);
  }
  json_decref(table);
  return OK;
}

// Orders of magnitude, from the shipped workloads on one core. A wrong estimate makes
// elements longer or shorter, once: the next study has recorded times.
static double guess(const char *size) {
  if (!size) return 10;
  return strcmp(size, "tiny") == 0 ? 2 : strcmp(size, "small") == 0 ? 20 : 300;
}

static double look_up(Timing *all, const RunLabels *run, bool *is_guess) {
  Arena arena = {0};
  Timing *timing;
  const char *name = exact_name(&arena, run);
  HASH_FIND_STR(all, name, timing);
  if (!timing) {
    name = rough_name(&arena, run);
    HASH_FIND_STR(all, name, timing);
  }
  arena_clear(&arena);
  *is_guess = !timing;
  return timing ? timing->sum / timing->count : guess(run->size);
}

Status bundles_estimate(Store *store, const RunLabels *labels, size_t count, double *seconds,
                        bool *is_guess, Error *err) {
  Timing *all = NULL;
  Status status = load_timings(store, &all, err);
  for (size_t i = 0; i < count && status == OK; i++)
    seconds[i] = look_up(all, &labels[i], &is_guess[i]);
  clear_timings(&all);
  return status;
}

// ---- bundles

// Minimum cost of a run: a process, and opening and synchronising a store.
static const double overhead_seconds = 0.2;

static double cost(const ListedRun *run, const BundleLimits *limits) {
  return (run->seconds + overhead_seconds) / limits->processes;
}

static double total_of(const ListedRun *runs, size_t count, const BundleLimits *limits) {
  double total = 0;
  for (size_t i = 0; i < count; i++) total += cost(&runs[i], limits);
  return total;
}

// In the order of the list, without sorting by length: runs of one workload stay together, and
// the first results of a study come first.
uint32_t bundles_make(ListedRun *runs, size_t count, const BundleLimits *limits) {
  double most = limits->most_seconds > 0 ? limits->most_seconds : 1e300, filled = 0, before = 0;
  double aim = total_of(runs, count, limits) / limits->most_bundles;
  uint32_t bundle = 0;
  if (aim < limits->least_seconds) aim = limits->least_seconds;
  if (aim > most) aim = most;
  for (size_t i = 0; i < count; i++) {
    double seconds = cost(&runs[i], limits);
    if (!bundle || filled >= aim || filled + seconds > most) {
      bundle++;
      before = filled;
      filled = 0;
    }
    filled += seconds;
    runs[i].bundle = bundle;
  }
  // A remainder that is too short is added to the last bundle.
  if (bundle < 2 || filled >= limits->least_seconds || before + filled > most) return bundle;
  for (size_t i = count; i-- > 0 && runs[i].bundle == bundle;) runs[i].bundle--;
  return bundle - 1;
}
