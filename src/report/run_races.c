// SPDX-License-Identifier: MIT
// What the race check found, as text and as JSON.
#include <string.h>

#include "base/text/json_text.h"
#include "base/memory.h"
#include "report/run_json.h"
#include "report/run_text.h"

enum { SHOWN_RACES = 16 };

static const char *copy(RunResult *result, const char *text) {
  return text ? arena_strdup(&result->arena, text) : NULL;
}

void run_result_add_race(RunResult *result, const RunRace *race) {
  RunRaces *races = &result->races;
  GROW(races->items, races->count, races->capacity);
  RunRace *kept = &races->items[races->count++];
  *kept = *race;
  kept->kernel = copy(result, race->kernel);
  kept->where = copy(result, race->where);
  kept->advice = copy(result, race->advice);
  kept->benign = copy(result, race->benign);
  for (int i = 0; i < 2; i++) {
    kept->points[i].file = copy(result, race->points[i].file);
    kept->points[i].instruction = copy(result, race->points[i].instruction);
    kept->points[i].thread = copy(result, race->points[i].thread);
  }
}

// ---- the verdict

static Status verdict(uint64_t races, Error *err) {
  if (!races) return OK;
  return error_set(err, ERR_PROGRAM, "--check races found %llu data race%s",
                   (unsigned long long)races, races == 1 ? "" : "s");
}

static uint32_t count_races(const RunRaces *races, bool are_benign) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < races->count; i++)
    count += (races->items[i].benign != NULL) == are_benign;
  return count;
}

Status run_races_status(const RunResult *result, Error *err) {
  return verdict(count_races(&result->races, false), err);
}

Status run_races_json_status(const json_t *json, Error *err) {
  const json_t *found = json_object_get(json_object_get(json, "races"), "found");
  uint64_t count = 0;
  size_t i;
  const json_t *race;
  json_array_foreach(found, i, race) count += !json_object_get(race, "benign");
  return verdict(count, err);
}

// ---- as text

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void print_point(const RunRacePoint *point, FILE *file) {
  fprintf(file, "      %s:%u: %s by %s (%s)\n", base_name(point->file), point->line,
          point->is_write ? "write" : "read", point->thread, point->instruction);
}

static void print_race(const RunRace *race, FILE *file) {
  const char *what = strcmp(race->kind, "RAW") == 0   ? "read after write"
                     : strcmp(race->kind, "WAR") == 0 ? "write after read"
                                                      : "write after write";
  fprintf(file, "\n    %s: %s (%s) in %s memory, %llu time%s%s%s\n", race->kernel, what, race->kind,
          race->space, (unsigned long long)race->count, race->count == 1 ? "" : "s",
          race->benign ? ", benign: " : "", race->benign ? race->benign : "");
  print_point(&race->points[0], file);
  print_point(&race->points[1], file);
  fprintf(file, "      first at %s\n", race->where);
  if (!race->benign) fprintf(file, "      %s\n", race->advice);
}

static bool lacks_lines(const RunRaces *races) {
  for (uint32_t i = 0; i < races->count; i++) {
    const char *ending = strrchr(races->items[i].points[0].file, '.');
    if (ending && strcmp(ending, ".ptx") == 0) return true;
  }
  return false;
}

void run_text_races(const RunResult *result, FILE *file) {
  const RunRaces *races = &result->races;
  if (!races->is_checked) return;
  uint32_t real = count_races(races, false), benign = races->count - real;
  fprintf(file, "\n  races: %s%.0u", real ? "" : "none", real);
  if (benign) fprintf(file, ", and %u benign", benign);
  fputc('\n', file);
  if (races->note) fprintf(file, "    %s\n", races->note);
  for (uint32_t i = 0; i < races->count && i < SHOWN_RACES; i++) print_race(&races->items[i], file);
  if (races->count > SHOWN_RACES)
    fprintf(file, "\n    (the first %d are shown; --json has all)\n", SHOWN_RACES);
  if (lacks_lines(races))
    fputs(
        "\n    lines are those of the PTX; -lineinfo of heddle cc and nvcc adds those of the "
        "source\n",
        file);
}

// ---- as JSON

static json_t *point_json(const RunRacePoint *point) {
  json_t *object = json_object();
  json_object_set_new(object, "file", json_text(point->file));
  json_object_set_new(object, "line", json_integer(point->line));
  json_object_set_new(object, "instruction", json_text(point->instruction));
  json_object_set_new(object, "access", json_string(point->is_write ? "write" : "read"));
  json_object_set_new(object, "thread", json_text(point->thread));
  return object;
}

static json_t *race_json(const RunRace *race) {
  json_t *object = json_object();
  json_object_set_new(object, "kernel", json_text(race->kernel));
  json_object_set_new(object, "kind", json_string(race->kind));
  json_object_set_new(object, "space", json_string(race->space));
  if (race->benign) json_object_set_new(object, "benign", json_text(race->benign));
  json_object_set_new(object, "count", json_integer((json_int_t)race->count));
  json_object_set_new(object, "where", json_text(race->where));
  json_object_set_new(object, "before", point_json(&race->points[0]));
  json_object_set_new(object, "after", point_json(&race->points[1]));
  json_object_set_new(object, "advice", json_text(race->advice));
  return object;
}

json_t *run_races_json(const RunResult *result) {
  const RunRaces *races = &result->races;
  json_t *object = json_object(), *found = json_array();
  for (uint32_t i = 0; i < races->count; i++)
    json_array_append_new(found, race_json(&races->items[i]));
  if (races->note) json_object_set_new(object, "note", json_text(races->note));
  json_object_set_new(object, "found", found);
  return object;
}
