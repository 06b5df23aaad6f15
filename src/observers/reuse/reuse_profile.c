// SPDX-License-Identifier: MIT
// Records a run's reuse ratios for schedulers that know them in advance
// (policies/reuse_profile.h). The file is written when the run is reported.
#include "policies/reuse_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "observers/accesses/instruction_lines.h"
#include "policies/observer/observer.h"
#include "observers/reuse/reuse_ratio.h"

// Properties of a kernel that the record does not keep.
typedef struct RecordedLaunch {
  LaunchPlace place;
  uint64_t signature, launch_number;
  uint32_t index;
} RecordedLaunch;

typedef struct RecordedPair {
  uint32_t kernel;
  ProfiledPair pair;
} RecordedPair;

typedef struct ReuseRecorder {
  char file[POLICY_SPEC_BYTES];  // parameters
  uint32_t line_bytes;
  uint64_t limit, work;
  InstructionLines instructions;
  ReuseRecord record;
  RecordedLaunch *launches;  // by index of the record
  uint32_t launch_count, launch_capacity;
  // while the file is made
  ProfiledKernel *kernels;
  RecordedPair *pairs;
  uint64_t pair_count, pair_capacity;
  uint32_t *leader;  // by CTA of the record: towards the first of its chain
  bool *is_linked, *is_self_high;
} ReuseRecorder;

static Status recorder_init(void *state, const PolicySetup *setup, Error *err) {
  ReuseRecorder *recorder = state;
  (void)setup;
  recorder->record.limit = recorder->limit;
  return *recorder->file ? file_check_writable(recorder->file, err) : OK;
}

// ---- recording

static void recorder_start(void *state, const KernelView *kernel) {
  ReuseRecorder *recorder = state;
  const LaunchOrigin *origin = &kernel->launch->origin;
  RecordedLaunch launch = {.signature = launch_signature(kernel->launch),
                           .launch_number = kernel->launch_number,
                           .index = recorder->launch_count};
  reuse_record_kernel(&recorder->record, kernel->id,
                      origin->has_parent ? origin->parent : REUSE_NONE, origin->parent_cta,
                      kernel->cta_count, kernel->warps_per_cta);
  launch.place.parent = recorder->record.kernels[launch.index].parent;
  // The host's kernels may begin in another order than they were launched in, if they are of
  // different streams: their ids have the order of the launches.
  if (!origin->has_parent)
    launch.launch_number = kernel->id;
  else {
    launch.place.cta = origin->parent_cta;
    launch.place.thread = origin->parent_thread;
  }
  GROW(recorder->launches, recorder->launch_count, recorder->launch_capacity);
  recorder->launches[recorder->launch_count++] = launch;
}

static void recorder_events(void *state, const MemEvent *events, uint32_t count) {
  ReuseRecorder *recorder = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ACCESS || event->space != SPACE_GLOBAL ||
        event->access == ACCESS_PREFETCH)
      continue;
    uint64_t line = event->address / recorder->line_bytes;
    if (instruction_lines_is_new(&recorder->instructions, event, line))
      reuse_record_reference(&recorder->record, event->requester.kernel, event->requester.cta,
                             event->requester.warp_in_cta, line);
  }
}

// ---- places in the tree of launches

static int by_place_and_time(const void *a, const void *b) {
  const RecordedLaunch *x = a, *y = b;
  int order = launch_place_compare(&x->place, &y->place);
  return order ? order
               : (x->launch_number > y->launch_number) - (x->launch_number < y->launch_number);
}

// Numbers the launches of each thread, and returns their indices by place.
static uint32_t *order_launches(ReuseRecorder *recorder) {
  uint32_t count = recorder->launch_count;
  RecordedLaunch *sorted = memory_alloc(sizeof *sorted * (count + 1));
  uint32_t *order = memory_alloc(sizeof *order * (count + 1));
  for (uint32_t i = 0; i < count; i++) {
    recorder->launches[i].place.number = 0;
    sorted[i] = recorder->launches[i];
  }
  qsort(sorted, count, sizeof *sorted, by_place_and_time);
  for (uint32_t i = 0; i < count; i++) {
    LaunchPlace *place = &recorder->launches[sorted[i].index].place;
    bool is_next = i && launch_place_compare(&sorted[i - 1].place, &sorted[i].place) == 0;
    if (is_next) place->number = recorder->launches[sorted[i - 1].index].place.number + 1;
    order[i] = sorted[i].index;
  }
  memory_free(sorted);
  return order;
}

// ---- ratios

static uint32_t chain_of(ReuseRecorder *recorder, uint32_t cta) {
  while (recorder->leader[cta] != cta) {
    recorder->leader[cta] = recorder->leader[recorder->leader[cta]];
    cta = recorder->leader[cta];
  }
  return cta;
}

static void link_ctas(ReuseRecorder *recorder, uint32_t x, uint32_t y) {
  uint32_t a = chain_of(recorder, x), b = chain_of(recorder, y);
  recorder->is_linked[x] = recorder->is_linked[y] = true;
  if (a < b)
    recorder->leader[b] = a;
  else
    recorder->leader[a] = b;
}

static void raise(uint32_t *to, uint32_t value) {
  if (*to < value) *to = value;
}

static void visit_kernel(ReuseRecorder *recorder, ReuseRelation relation, uint32_t x, uint32_t y,
                         uint32_t millionths) {
  ProfiledKernel *kernel = &recorder->kernels[x];
  if (relation == RELATION_KERNEL_SELF) raise(&kernel->self, millionths);
  if (relation == RELATION_KERNEL_PARENT_CHILD) raise(&kernel->parent_child, millionths);
  if (relation == RELATION_KERNEL_SIBLING) raise(&kernel->sibling, millionths);
  if (relation == RELATION_KERNEL_SELF || millionths <= PROFILE_HIGH_MILLIONTHS) return;
  GROW(recorder->pairs, recorder->pair_count, recorder->pair_capacity);
  recorder->pairs[recorder->pair_count++] =
      (RecordedPair){.kernel = x, .pair = {.other = y, .millionths = millionths}};
}

static void visit(void *self, ReuseRelation relation, uint32_t x, uint32_t y, uint64_t shared,
                  uint64_t references) {
  ReuseRecorder *recorder = self;
  uint32_t millionths = (uint32_t)((double)shared / (double)references * PROFILE_MILLION);
  bool is_high = millionths > PROFILE_HIGH_MILLIONTHS;
  switch (relation) {
    case RELATION_KERNEL_SELF:
    case RELATION_KERNEL_PARENT_CHILD:
    case RELATION_KERNEL_SIBLING: visit_kernel(recorder, relation, x, y, millionths); break;
    case RELATION_CTA_SELF: recorder->is_self_high[x] = is_high; break;
    case RELATION_CTA_INTRA_KERNEL:
    case RELATION_CTA_PARENT_CHILD:
    case RELATION_CTA_SIBLING:
      if (is_high) link_ctas(recorder, x, y);
      break;
    default: break;
  }
}

static int by_kernel_and_other(const void *a, const void *b) {
  const RecordedPair *x = a, *y = b;
  if (x->kernel != y->kernel) return x->kernel < y->kernel ? -1 : 1;
  return (x->pair.other > y->pair.other) - (x->pair.other < y->pair.other);
}

// ---- the file

typedef struct ProfileRow {
  const char *file, *problem;
  uint64_t kernels, pairs, ctas, chains, sample;
  uint64_t referencing_kernels, examined_kernels, referencing_ctas, examined_ctas;
} ProfileRow;

// Chains get numbers in the order of their first CTAs.
static ProfiledCta describe_cta(ReuseRecorder *recorder, uint32_t kernel, uint64_t cta,
                                uint32_t *chain_numbers, uint64_t *chains) {
  const uint64_t *number = key_set_find(&recorder->record.cta_numbers, kernel, cta);
  ProfiledCta described = {.chain = PROFILE_NONE};
  if (!number) return described;
  uint32_t index = (uint32_t)(*number - 1);
  described.is_self_high = recorder->is_self_high[index];
  if (!recorder->is_linked[index]) return described;
  uint32_t *chain = &chain_numbers[chain_of(recorder, index)];
  if (!*chain) *chain = (uint32_t)++ * chains;
  described.chain = *chain - 1;
  return described;
}

static ProfiledCta *describe_ctas(ReuseRecorder *recorder, ProfileRow *row) {
  uint32_t *numbers = memory_alloc(sizeof *numbers * (recorder->record.cta_count + 1));
  for (uint32_t k = 0; k < recorder->launch_count; k++) {
    recorder->kernels[k].first_cta = row->ctas;
    row->ctas += recorder->kernels[k].cta_count;
  }
  ProfiledCta *ctas = memory_alloc(sizeof *ctas * (row->ctas + 1));
  for (uint32_t k = 0; k < recorder->launch_count; k++)
    for (uint64_t c = 0; c < recorder->kernels[k].cta_count; c++)
      ctas[recorder->kernels[k].first_cta + c] =
          describe_cta(recorder, k, c, numbers, &row->chains);
  memory_free(numbers);
  return ctas;
}

static void describe_kernels(ReuseRecorder *recorder) {
  for (uint32_t k = 0; k < recorder->launch_count; k++) {
    ProfiledKernel *kernel = &recorder->kernels[k];
    kernel->place = recorder->launches[k].place;
    kernel->signature = recorder->launches[k].signature;
    kernel->cta_count = recorder->record.kernels[k].cta_count;
    if (kernel->place.parent != PROFILE_NONE) recorder->kernels[kernel->place.parent].children++;
  }
  for (uint64_t p = 0; p < recorder->pair_count; p++) {
    ProfiledKernel *kernel = &recorder->kernels[recorder->pairs[p].kernel];
    if (!kernel->pair_count++) kernel->first_pair = p;
  }
}

static bool write_array(const void *array, size_t size, uint64_t count, FILE *out) {
  return !count || fwrite(array, size, count, out) == count;
}

static bool write_all(const ReuseRecorder *recorder, const ProfileRow *row, const uint32_t *order,
                      const ProfiledCta *ctas, FILE *out) {
  ReuseProfileHeader header = {.version = REUSE_PROFILE_VERSION,
                               .kernel_count = row->kernels,
                               .pair_count = row->pairs,
                               .cta_count = row->ctas,
                               .chain_count = row->chains,
                               .sample = {.one_line_in = row->sample,
                                          .kernels = row->referencing_kernels,
                                          .kernels_examined = row->examined_kernels,
                                          .ctas = row->referencing_ctas,
                                          .ctas_examined = row->examined_ctas}};
  memcpy(header.magic, REUSE_PROFILE_MAGIC, sizeof header.magic);
  bool is_fine = write_array(&header, sizeof header, 1, out) &&
                 write_array(recorder->kernels, sizeof *recorder->kernels, row->kernels, out) &&
                 write_array(order, sizeof *order, row->kernels + row->kernels % 2, out);
  for (uint64_t p = 0; p < row->pairs && is_fine; p++)
    is_fine = write_array(&recorder->pairs[p].pair, sizeof(ProfiledPair), 1, out);
  return is_fine && write_array(ctas, sizeof *ctas, row->ctas, out);
}

static bool write_profile(ReuseRecorder *recorder, ProfileRow *row) {
  uint32_t *order = order_launches(recorder);
  describe_kernels(recorder);
  ProfiledCta *ctas = describe_ctas(recorder, row);
  FILE *out = fopen(recorder->file, "wb");
  bool is_fine = out && write_all(recorder, row, order, ctas, out);
  if (out && fclose(out) != 0) is_fine = false;
  memory_free(order);
  memory_free(ctas);
  return is_fine;
}

static const RowLabel labels[] = {ROW_LABEL(ProfileRow, file, "file of the profile"),
                                  ROW_LABEL(ProfileRow, problem, "reason if incomplete"),
                                  {0}};
static const Stat columns[] = {
    STAT_COUNT(ProfileRow, kernels, "kernels"),
    STAT_COUNT(ProfileRow, pairs, "ratios above 0.4 between kernels"),
    STAT_COUNT(ProfileRow, ctas, "CTAs"),
    STAT_COUNT(ProfileRow, chains, "chains of CTAs"),
    STAT_COUNT(ProfileRow, sample, "sampling: one line in this many was tracked; 1 = all"),
    STAT_COUNT(ProfileRow, referencing_kernels, "kernels that reference anything"),
    STAT_COUNT(ProfileRow, examined_kernels, "of these, compared with their relatives"),
    STAT_COUNT(ProfileRow, referencing_ctas, "CTAs that reference anything"),
    STAT_COUNT(ProfileRow, examined_ctas, "of these, compared with their relatives"),
    {0}};
static const ResultTableType profile_table = {.name = "reuse_profile",
                                              .summary = "the recorded reuse",
                                              .labels = labels,
                                              .columns = columns,
                                              .row_bytes = sizeof(ProfileRow)};

static void recorder_report(void *state, ResultTables *tables) {
  ReuseRecorder *recorder = state;
  if (!*recorder->file) return;
  uint32_t ctas = recorder->record.cta_count;
  ReuseRatios ratios;
  recorder->kernels = memory_alloc(sizeof *recorder->kernels * (recorder->launch_count + 1));
  recorder->leader = memory_alloc(sizeof *recorder->leader * (ctas + 1));
  recorder->is_linked = memory_alloc(sizeof *recorder->is_linked * (ctas + 1));
  recorder->is_self_high = memory_alloc(sizeof *recorder->is_self_high * (ctas + 1));
  recorder->pair_count = 0;
  for (uint32_t c = 0; c < ctas; c++) recorder->leader[c] = c;
  reuse_ratios(&ratios, &recorder->record, recorder->work, &(RatioVisitor){visit, recorder});
  if (recorder->pair_count)
    qsort(recorder->pairs, recorder->pair_count, sizeof *recorder->pairs, by_kernel_and_other);
  ProfileRow row = {.file = recorder->file,
                    .problem = "",
                    .kernels = recorder->launch_count,
                    .pairs = recorder->pair_count,
                    .sample = UINT64_C(1) << recorder->record.halvings,
                    .referencing_kernels = ratios.units[LEVEL_KERNEL],
                    .examined_kernels = ratios.examined[LEVEL_KERNEL],
                    .referencing_ctas = ratios.units[LEVEL_CTA],
                    .examined_ctas = ratios.examined[LEVEL_CTA]};
  if (!write_profile(recorder, &row)) row.problem = strerror(errno);
  result_tables_add(tables, &profile_table, &row, 1);
  memory_free(recorder->kernels);
  memory_free(recorder->leader);
  memory_free(recorder->is_linked);
  memory_free(recorder->is_self_high);
}

static void recorder_clear(void *state) {
  ReuseRecorder *recorder = state;
  instruction_lines_clear(&recorder->instructions);
  reuse_record_clear(&recorder->record);
  memory_free(recorder->launches);
  memory_free(recorder->pairs);
}

static const Param params[] = {
    PARAM_TEXT(ReuseRecorder, file, "", "output file"),
    PARAM(ReuseRecorder, line_bytes, 128, 32, 4096, "bytes of a line"),
    PARAM(ReuseRecorder, limit, 1 << 26, 1024, UINT64_C(1) << 40,
          "table entries beyond which lines are sampled"),
    PARAM(ReuseRecorder, work, UINT64_C(1) << 36, 1024, UINT64_C(1) << 50,
          "comparisons beyond which units are sampled"),
    {0}};

static const ResultTableType *const tables_of[] = {&profile_table, NULL};

const ObserverType reuse_profile_observer = {
    .policy = {.name = "reuse_profile",
               .summary = "records reuse ratios, for schedulers with prior knowledge of them",
               .state_size = sizeof(ReuseRecorder),
               .params = params,
               .init = recorder_init},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_kernel_start = recorder_start,
    .on_events = recorder_events,
    .report = recorder_report,
    .clear = recorder_clear,
};
