// SPDX-License-Identifier: MIT
// Records one race per pair of source lines, with the first occurrence as text.
#include "races/race_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"

// Lines of one kernel. The PTX line stands for a source line that is unknown.
typedef struct RaceKey {
  const Function *kernel;
  uint64_t lines[2];
  uint64_t kind;
} RaceKey;

struct RaceEntry {
  RaceKey key;
  Race race;
  UT_hash_handle hh;
};

// A line that reads and one with an atomic on the same word by the same thread.
typedef struct TestedKey {
  const Function *kernel;
  uint64_t lines[2];
} TestedKey;

struct TestedPair {
  TestedKey key;
  UT_hash_handle hh;
};

enum { MOST_RACES = 4096 };

const char *race_kind_name(RaceKind kind) {
  return kind == RACE_RAW ? "RAW" : kind == RACE_WAR ? "WAR" : "WAW";
}

const SourceLine *race_source(const Program *program, uint32_t pc) {
  uint32_t source = program->code[pc].source;
  return source && source < program->source_count ? &program->sources[source] : NULL;
}

// FNV-1a of the file's name, and the line.
static uint64_t line_key(const Program *program, uint32_t pc) {
  const SourceLine *source = race_source(program, pc);
  uint32_t hash = 2166136261u;
  if (!source) return (uint64_t)program->code[pc].line << 32;
  for (const char *c = source->file; *c; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
  return (uint64_t)source->line << 32 | hash;
}

static RaceReach reach_of(const Conflict *conflict) {
  const Touch *touches = conflict->touches;
  if (touches[0].cta != touches[1].cta) return REACH_GRID;
  return stamp_warp(touches[0].stamp) == stamp_warp(touches[1].stamp) ? REACH_WARP : REACH_CTA;
}

static RaceKind kind_of(const Conflict *conflict) {
  if (conflict->is_write[0] && conflict->is_write[1]) return RACE_WAW;
  return conflict->is_write[0] ? RACE_RAW : RACE_WAR;
}

// ---- in words

static const char *thread_text(Arena *arena, const Launch *launch, uint64_t cta, uint32_t stamp) {
  const uint32_t *grid = launch->grid, *block = launch->block;
  uint32_t lane = stamp_lane(stamp), thread = stamp_warp(stamp) * WARP_LANES + lane;
  char who[64];
  if (lane == SEVERAL_LANES)
    snprintf(who, sizeof who, "several threads of warp %u", stamp_warp(stamp));
  else
    snprintf(who, sizeof who, "thread (%u,%u,%u)", thread % block[0], thread / block[0] % block[1],
             thread / block[0] / block[1]);
  return arena_printf(arena, "CTA (%u,%u,%u), %s", (uint32_t)(cta % grid[0]),
                      (uint32_t)(cta / grid[0] % grid[1]), (uint32_t)(cta / grid[0] / grid[1]),
                      who);
}

static RacePoint point_of(Arena *arena, const Conflict *conflict, int which) {
  const Launch *launch = conflict->launch;
  const Touch *access = &conflict->touches[which];
  const Program *program = launch->program;
  const Instruction *in = &program->code[access->pc];
  const Function *function = program_function_at(program, access->pc);
  const char *path = function && function->path ? function->path : program->path;
  RacePoint point = {
      .line = in->line,
      .file = arena_strdup(arena, path ? path : "?"),
      .instruction = arena_strdup(arena, in->text ? in->text : opcode_info[in->form.op].name),
      .thread = thread_text(arena, launch, conflict->ctas[which], access->stamp),
      .is_write = conflict->is_write[which],
      .is_atomic = access->stamp & ACCESS_IS_ATOMIC};
  const SourceLine *source = race_source(program, access->pc);
  if (source) {
    point.file = arena_strdup(arena, source->file);
    point.line = source->line;
  }
  return point;
}

// The parameter of the kernel that points to the allocation, or -1.
static int parameter_of(const Launch *launch, uint64_t address) {
  for (uint32_t i = 0; i < launch->kernel->param_count; i++) {
    const Slot *slot = &launch->kernel->params[i];
    uint64_t value = 0;
    if (slot->size_bytes != 4 && slot->size_bytes != 8) continue;
    memcpy(&value, launch->params + slot->offset, slot->size_bytes);
    if (value == address) return (int)i;
  }
  return -1;
}

static const char *where_text(Arena *arena, const Conflict *conflict) {
  const Launch *launch = conflict->launch;
  uint64_t address = conflict->address;
  if (conflict->is_shared) return arena_printf(arena, "shared memory, byte %" PRIu64, address);
  const Allocation *in = device_memory_find(conflict->context->memory, address);
  if (!in) return arena_printf(arena, "global memory at 0x%" PRIx64, address);
  uint64_t offset = address - in->address;
  if (in->name)
    return arena_printf(arena, "byte %" PRIu64 " of %s (%" PRIu64 " bytes)", offset, in->name,
                        in->size_bytes);
  int parameter = parameter_of(launch, in->address);
  if (parameter >= 0)
    return arena_printf(arena, "byte %" PRIu64 " of the array in parameter %d (%" PRIu64 " bytes)",
                        offset, parameter + 1, in->size_bytes);
  return arena_printf(arena,
                      "byte %" PRIu64 " of an allocation (%" PRIu64 " bytes at 0x%" PRIx64 ")",
                      offset, in->size_bytes, in->address);
}

static const char *between(Arena *arena, const Race *race) {
  const RacePoint *a = &race->points[0], *b = &race->points[1];
  if (strcmp(a->file, b->file) != 0)
    return arena_printf(arena, "between %s:%u and %s:%u", a->file, a->line, b->file, b->line);
  if (a->line < b->line) return arena_printf(arena, "between lines %u and %u", a->line, b->line);
  if (a->line == b->line) return arena_printf(arena, "within line %u or its loop", a->line);
  return arena_printf(arena, "after line %u, before the loop returns to line %u", a->line, b->line);
}

static const char *advice_on(Arena *arena, const Race *race, bool is_same_instruction) {
  const RacePoint *points = race->points;
  if (race->reach == REACH_GRID && points[0].is_atomic != points[1].is_atomic)
    return arena_printf(arena, "line %u is not atomic; make it atomic, or order the two accesses",
                        points[points[0].is_atomic].line);
  if (race->kind == RACE_WAW && is_same_instruction)
    return "several threads write here: wrong index? Else let one of them write, or use an atomic";
  if (race->reach == REACH_WARP)
    return arena_printf(arena, "missing __syncwarp() %s?", between(arena, race));
  if (race->reach == REACH_CTA)
    return arena_printf(arena, "missing __syncthreads() %s?", between(arena, race));
  if (race->kind == RACE_WAW || points[0].line == points[1].line)
    return "CTAs run in any order: use an atomic, or give each CTA elements of its own";
  return "CTAs run in any order: write to another array, split the kernel, or publish with "
         "__threadfence() and an atomic or volatile flag";
}

static void describe(RaceTable *table, Race *race, const Conflict *conflict) {
  Arena *arena = &table->arena;
  race->reach = reach_of(conflict);
  race->where = where_text(arena, conflict);
  for (int i = 0; i < 2; i++) race->points[i] = point_of(arena, conflict, i);
  race->advice = advice_on(arena, race, conflict->touches[0].pc == conflict->touches[1].pc);
}

// ---- the table

static struct RaceEntry *make_entry(RaceTable *table, const RaceKey *key,
                                    const Conflict *conflict) {
  if (table->count == MOST_RACES) return NULL;
  struct RaceEntry *entry = ARENA_NEW(&table->arena, struct RaceEntry);
  entry->key = *key;
  entry->race = (Race){.kernel = arena_strdup(&table->arena, function_title(key->kernel)),
                       .kind = kind_of(conflict),
                       .is_shared = conflict->is_shared,
                       .benign = conflict->is_benign ? "the same value is written" : NULL};
  describe(table, &entry->race, conflict);
  HASH_ADD(hh, table->entries, key, sizeof entry->key, entry);
  GROW(table->races, table->count, table->capacity);
  table->races[table->count++] = &entry->race;
  return entry;
}

// Of two lines that race within warps and between them, the latter is described: what orders
// warps also orders lanes.
void race_table_add(RaceTable *table, const Conflict *conflict) {
  const Program *program = conflict->launch->program;
  RaceKey key = {.kernel = conflict->launch->kernel,
                 .lines = {line_key(program, conflict->touches[0].pc),
                           line_key(program, conflict->touches[1].pc)},
                 .kind = (uint64_t)kind_of(conflict) << 2 | (uint64_t)conflict->is_shared << 1 |
                         conflict->is_benign};
  struct RaceEntry *entry;
  HASH_FIND(hh, table->entries, &key, sizeof key, entry);
  if (!entry) entry = make_entry(table, &key, conflict);
  if (!entry) return;
  if (reach_of(conflict) > entry->race.reach) describe(table, &entry->race, conflict);
  entry->race.count++;
}

// ---- tests before atomics

static struct TestedPair *find_tested(const RaceTable *table, const TestedKey *key) {
  struct TestedPair *pair;
  HASH_FIND(hh, table->tested, key, sizeof *key, pair);
  return pair;
}

void race_table_note_tested(RaceTable *table, const Launch *launch, uint32_t read_pc,
                            uint32_t atomic_pc) {
  TestedKey key = {launch->kernel,
                   {line_key(launch->program, read_pc), line_key(launch->program, atomic_pc)}};
  if (find_tested(table, &key)) return;
  struct TestedPair *pair = ARENA_NEW(&table->arena, struct TestedPair);
  pair->key = key;
  HASH_ADD(hh, table->tested, key, sizeof pair->key, pair);
}

static bool is_tested(const RaceTable *table, const struct RaceEntry *entry) {
  const RacePoint *points = entry->race.points;
  int read = points[0].is_write;  // the index of the one that does not write
  if (points[read].is_write || !points[!read].is_atomic) return false;
  TestedKey key = {entry->key.kernel, {entry->key.lines[read], entry->key.lines[!read]}};
  return find_tested(table, &key);
}

void race_table_settle(RaceTable *table) {
  for (struct RaceEntry *entry = table->entries; entry; entry = entry->hh.next)
    if (is_tested(table, entry)) entry->race.benign = "the atomic that follows decides";
}

void race_table_clear(RaceTable *table) {
  HASH_CLEAR(hh, table->tested);
  HASH_CLEAR(hh, table->entries);
  memory_free(table->races);
  arena_clear(&table->arena);
  *table = (RaceTable){0};
}
