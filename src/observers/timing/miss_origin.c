// SPDX-License-Identifier: MIT
// Earlier references to lines that loads miss in the L1D: misses that a scheduler of kernels and
// CTAs could avoid by placement or order (Tang et al., SIGMETRICS 2018, sections 4 and 5).
//
//   place      first: no SM had referenced the line; same SM: this one had, and lost it;
//              other SM: only others had
//   relation   of the nearest relative among those that had: the kernel itself, its parent, a
//              sibling (launched by the same CTA), a stranger
//
// A first reference is unavoidable. Misses with references on another SM bound the benefit of
// placement, those on the same SM the benefit of a larger L1D. Loads of global memory only, over
// all kernels of the run.
#include "observers/key_set.h"
#include "policies/observer/observer.h"

typedef enum MissPlace { PLACE_FIRST, PLACE_SAME_SM, PLACE_OTHER_SM, PLACES } MissPlace;
typedef enum Relation {
  RELATION_SELF,
  RELATION_PARENT,
  RELATION_SIBLING,
  RELATION_STRANGER,
  RELATIONS
} Relation;

typedef struct OriginRow {
  const char *place, *relation;
  uint64_t misses;
} OriginRow;

typedef struct MissOrigin {
  uint32_t line_bytes;
  KeySet families;             // by parent and its CTA: a number, from 1
  KeySet sms, kernels, chips;  // lines by SM; by kernel; by family, 0 being everybody
  uint64_t loads, misses;
  uint64_t count[PLACES][RELATIONS];
} MissOrigin;

// 0: launched by the host.
static uint64_t family_of(MissOrigin *origin, const Requester *requester) {
  if (requester->parent == REQUESTER_NO_PARENT) return 0;
  uint64_t *number = key_set_at(&origin->families, requester->parent, requester->parent_cta, NULL);
  if (!*number) *number = origin->families.count;
  return *number;
}

static Relation relation_of(const MissOrigin *origin, uint64_t line, const Requester *requester,
                            uint64_t family) {
  if (key_set_find(&origin->kernels, line, requester->kernel)) return RELATION_SELF;
  if (!family) return RELATION_STRANGER;
  if (key_set_find(&origin->kernels, line, requester->parent)) return RELATION_PARENT;
  return key_set_find(&origin->chips, line, family) ? RELATION_SIBLING : RELATION_STRANGER;
}

static void note_miss(MissOrigin *origin, uint64_t line, const Requester *requester,
                      uint64_t family) {
  MissPlace place = PLACE_FIRST;
  if (key_set_find(&origin->sms, line, requester->sm))
    place = PLACE_SAME_SM;
  else if (key_set_find(&origin->chips, line, 0))
    place = PLACE_OTHER_SM;
  Relation relation =
      place == PLACE_FIRST ? RELATION_STRANGER : relation_of(origin, line, requester, family);
  origin->misses++;
  origin->count[place][relation]++;
}

static void note_load(MissOrigin *origin, const MemEvent *event) {
  const Requester *requester = &event->requester;
  uint64_t line = event->address / origin->line_bytes, family = family_of(origin, requester);
  origin->loads++;
  if (event->outcome == OUTCOME_MISS) note_miss(origin, line, requester, family);
  key_set_at(&origin->sms, line, requester->sm, NULL);
  key_set_at(&origin->kernels, line, requester->kernel, NULL);
  key_set_at(&origin->chips, line, 0, NULL);
  if (family) key_set_at(&origin->chips, line, family, NULL);
}

static void origin_events(void *state, const MemEvent *events, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (events[i].kind == EVENT_ACCESS && events[i].space == SPACE_GLOBAL &&
        events[i].access == ACCESS_LOAD && events[i].outcome != OUTCOME_BYPASS)
      note_load(state, &events[i]);
}

static const RowLabel labels[] = {
    ROW_LABEL(OriginRow, place, "SMs that had referenced the line: none, this one, others only"),
    ROW_LABEL(OriginRow, relation, "nearest relative among the kernels that had"),
    {0}};
static const Stat columns[] = {STAT_COUNT(OriginRow, misses, "load misses of the L1D"), {0}};

static const ResultTableType origin_table = {.name = "miss_origin",
                                             .summary = "who had referenced lines that miss",
                                             .labels = labels,
                                             .columns = columns,
                                             .row_bytes = sizeof(OriginRow),
                                             .in_text = true};

static void origin_report(void *state, ResultTables *tables) {
  static const char *const places[] = {"first", "same SM", "other SM"};
  static const char *const relations[] = {"same kernel", "parent", "sibling", "none"};
  MissOrigin *origin = state;
  OriginRow rows[PLACES * RELATIONS];
  uint32_t count = 0;
  for (int p = 0; p < PLACES; p++)
    for (int r = p == PLACE_FIRST ? RELATION_STRANGER : 0; r < RELATIONS; r++)
      rows[count++] = (OriginRow){places[p], relations[r], origin->count[p][r]};
  result_tables_add(tables, &origin_table, rows, count);
}

static void origin_clear(void *state) {
  MissOrigin *origin = state;
  key_set_clear(&origin->families);
  key_set_clear(&origin->sms);
  key_set_clear(&origin->kernels);
  key_set_clear(&origin->chips);
}

#define COUNT(name_, place, relation, help_) \
  { .name = name_, .help = (help_), .offset = STAT_OFFSET_(MissOrigin, count[place][relation]) }

static const Stat stats[] = {
    STAT_COUNT(MissOrigin, loads, "transactions of global loads in the L1Ds"),
    STAT_COUNT(MissOrigin, misses, "of which missed"),
    COUNT("first", PLACE_FIRST, RELATION_STRANGER, "to a line that no SM had referenced"),
    COUNT("same_sm_self", PLACE_SAME_SM, RELATION_SELF, "lost by this SM: the kernel's own"),
    COUNT("same_sm_parent", PLACE_SAME_SM, RELATION_PARENT, "its parent's"),
    COUNT("same_sm_sibling", PLACE_SAME_SM, RELATION_SIBLING, "a sibling's"),
    COUNT("same_sm_other", PLACE_SAME_SM, RELATION_STRANGER, "another kernel's"),
    COUNT("other_sm_self", PLACE_OTHER_SM, RELATION_SELF, "only on other SMs: the kernel's own"),
    COUNT("other_sm_parent", PLACE_OTHER_SM, RELATION_PARENT, "its parent's"),
    COUNT("other_sm_sibling", PLACE_OTHER_SM, RELATION_SIBLING, "a sibling's"),
    COUNT("other_sm_other", PLACE_OTHER_SM, RELATION_STRANGER, "another kernel's"),
    {0}};

static const Param params[] = {PARAM(MissOrigin, line_bytes, 128, 32, 4096, "line size in bytes"),
                               {0}};

static const ResultTableType *const tables_of[] = {&origin_table, NULL};

const ObserverType miss_origin_observer = {
    .policy = {.name = "miss_origin",
               .summary = "load misses: had this SM, a relative or a stranger referenced the line?",
               .state_size = sizeof(MissOrigin),
               .params = params,
               .stats = stats},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_events = origin_events,
    .report = origin_report,
    .clear = origin_clear,
};
