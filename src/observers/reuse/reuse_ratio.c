// SPDX-License-Identifier: MIT
// Reuse among kernels, CTAs and warps, from a ReuseRecord: shares of the footprint (Tang et al.,
// SIGMETRICS 2018, figure 4), reuse ratios (equations 1 to 3, figures 7 to 10) and chains of high
// reuse (table 2).
#include "observers/reuse/reuse_ratio.h"

#include <string.h>

#include "base/memory.h"

typedef struct Analysis {
  ReuseRatios *ratios;
  const ReuseRecord *record;
  const RatioVisitor *visitor;
  LineIndex index;
  uint64_t *shared;  // by unit: references of x to lines that it references, too
  uint32_t *met, met_count;
  uint32_t *leader;  // by unit: of its chain, towards the root
  // by index of a kernel or of the CTA that launched kernels
  uint64_t *group_kernels, *group_ctas;
} Analysis;

// ---- chains

// Union-find with path halving. The smaller number leads, so that the result does not depend on
// the order of links.
static uint32_t root_of(uint32_t *leader, uint32_t unit) {
  while (leader[unit] != unit) unit = leader[unit] = leader[leader[unit]];
  return unit;
}

static void link_units(Analysis *analysis, uint32_t a, uint32_t b) {
  uint32_t x = root_of(analysis->leader, a), y = root_of(analysis->leader, b);
  analysis->leader[x < y ? y : x] = x < y ? x : y;
}

static ReuseChains measure_chains(Analysis *analysis) {
  const LineIndex *index = &analysis->index;
  ReuseChains chains = {0};
  uint64_t *length = memory_alloc(sizeof(uint64_t) * (index->unit_count + 1));
  for (uint32_t u = 0; u < index->unit_count; u++) {
    if (!index->references[u]) continue;
    chains.units++;
    uint64_t now = ++length[root_of(analysis->leader, u)];
    chains.chains += now == 1;
    if (now > chains.longest) chains.longest = now;
  }
  memory_free(length);
  return chains;
}

// ---- ratios

// Above 0.4, in whole numbers.
static bool is_high(uint64_t shared, uint64_t references) {
  return shared * 10 > references * 4;
}

static void add_ratio(Analysis *analysis, ReuseRelation relation, uint32_t x, uint32_t y,
                      uint64_t shared) {
  RatioBins *bins = &analysis->ratios->relations[relation];
  uint64_t references = analysis->index.references[x], bin = shared * RATIO_BINS / references;
  bins->pairs++;
  bins->millionths += shared * 1000000 / references;
  bins->bins[bin < RATIO_BINS ? bin : RATIO_BINS - 1]++;
  if (is_high(shared, references)) bins->high++;
  if (analysis->visitor)
    analysis->visitor->visit(analysis->visitor->self, relation, x, y, shared, references);
}

static void add_unrelated(Analysis *analysis, ReuseRelation relation, uint64_t pairs) {
  RatioBins *bins = &analysis->ratios->relations[relation];
  bins->pairs += pairs;
  bins->bins[0] += pairs;
}

static ReuseRelation kernel_relation(const ReuseRecord *record, uint32_t x, uint32_t y) {
  const ReuseKernel *a = &record->kernels[x], *b = &record->kernels[y];
  if (a->parent == REUSE_NONE) return RELATION_COUNT;
  if (a->parent == y) return RELATION_KERNEL_PARENT_CHILD;
  return a->parent_cta == b->parent_cta ? RELATION_KERNEL_SIBLING : RELATION_COUNT;
}

static ReuseRelation cta_relation(const ReuseRecord *record, uint32_t x, uint32_t y) {
  uint32_t kernel_x = record->ctas[x].kernel, kernel_y = record->ctas[y].kernel;
  const ReuseKernel *a = &record->kernels[kernel_x], *b = &record->kernels[kernel_y];
  if (kernel_x == kernel_y) return RELATION_CTA_INTRA_KERNEL;
  if (a->parent == REUSE_NONE) return RELATION_COUNT;
  if (a->parent_cta == y) return RELATION_CTA_PARENT_CHILD;
  return a->parent_cta == b->parent_cta ? RELATION_CTA_SIBLING : RELATION_COUNT;
}

// How y is related to x; RELATION_COUNT: not at all.
static ReuseRelation relation_of(const Analysis *analysis, uint32_t x, uint32_t y) {
  const ReuseRecord *record = analysis->record;
  if (x == y) return RELATION_COUNT;
  if (analysis->index.level == LEVEL_KERNEL) return kernel_relation(record, x, y);
  return analysis->index.level == LEVEL_CTA ? cta_relation(record, x, y) : RELATION_WARP_INTER;
}

// How many units have each relation to x.
static void count_related(const Analysis *analysis, uint32_t x, uint64_t related[RELATION_COUNT]) {
  const ReuseRecord *record = analysis->record;
  bool is_kernel = analysis->index.level == LEVEL_KERNEL;
  memset(related, 0, sizeof *related * RELATION_COUNT);
  if (analysis->index.level == LEVEL_WARP) {
    uint32_t cta = reuse_record_cta_of(record, x);
    related[RELATION_WARP_INTER] = record->kernels[record->ctas[cta].kernel].warps_per_cta - 1;
    return;
  }
  const ReuseKernel *kernel = &record->kernels[is_kernel ? x : record->ctas[x].kernel];
  if (!is_kernel) related[RELATION_CTA_INTRA_KERNEL] = kernel->cta_count - 1;
  if (kernel->parent == REUSE_NONE) return;
  if (is_kernel) {
    related[RELATION_KERNEL_PARENT_CHILD] = 1;
    related[RELATION_KERNEL_SIBLING] = analysis->group_kernels[kernel->parent_cta] - 1;
  } else {
    related[RELATION_CTA_PARENT_CHILD] = 1;
    related[RELATION_CTA_SIBLING] = analysis->group_ctas[kernel->parent_cta] - kernel->cta_count;
  }
}

// The unit that launched x, which is not in its group; REUSE_NONE: there is none.
static uint32_t launcher_of(const Analysis *analysis, uint32_t x) {
  const ReuseRecord *record = analysis->record;
  if (analysis->index.level == LEVEL_KERNEL) return record->kernels[x].parent;
  if (analysis->index.level == LEVEL_WARP) return REUSE_NONE;
  return record->kernels[record->ctas[x].kernel].parent_cta;
}

static void add_shared(Analysis *analysis, uint32_t y, uint64_t count) {
  if (!analysis->shared[y]) analysis->met[analysis->met_count++] = y;
  analysis->shared[y] += count;
}

// On one line: the units of its group, which are adjacent, and its launcher.
static void meet_on_line(Analysis *analysis, size_t own, uint32_t launcher) {
  const LineIndex *index = &analysis->index;
  const Touch *touches = index->touches, *mine = &touches[own];
  uint32_t group = index->group[mine->unit];
  size_t end = index->line_start[mine->place + 1], first = own;
  while (first > index->line_start[mine->place] && index->group[touches[first - 1].unit] == group)
    first--;
  for (size_t t = first; t < end && index->group[touches[t].unit] == group; t++)
    add_shared(analysis, touches[t].unit, mine->count);
  if (launcher == REUSE_NONE) return;
  if (line_index_find(index, mine->place, launcher) < index->count)
    add_shared(analysis, launcher, mine->count);
}

// References of x to the lines of each unit that is related to it and shares any with it.
// By lines, not by pairs: units that share no line with x have ratio 0 and are counted in one
// step (add_unrelated).
static void find_shared(Analysis *analysis, uint32_t x) {
  const LineIndex *index = &analysis->index;
  uint32_t launcher = launcher_of(analysis, x);
  analysis->met_count = 0;
  for (size_t i = index->unit_start[x]; i < index->unit_start[x + 1]; i++)
    meet_on_line(analysis, index->of_unit[i], launcher);
}

static void compare(Analysis *analysis, uint32_t x) {
  uint64_t related[RELATION_COUNT];
  count_related(analysis, x, related);
  find_shared(analysis, x);
  for (uint32_t i = 0; i < analysis->met_count; i++) {
    uint32_t y = analysis->met[i];
    ReuseRelation relation = relation_of(analysis, x, y);
    if (relation != RELATION_COUNT) {
      add_ratio(analysis, relation, x, y, analysis->shared[y]);
      if (is_high(analysis->shared[y], analysis->index.references[x])) link_units(analysis, x, y);
      related[relation]--;
    }
    analysis->shared[y] = 0;
  }
  for (uint32_t r = 0; r < RELATION_COUNT; r++)
    add_unrelated(analysis, (ReuseRelation)r, related[r]);
}

// ---- cost

// A line that n units of a group reference costs n^2 steps over all of them.
static uint64_t work_of_all(const LineIndex *index) {
  uint64_t work = 0, members = 0;
  if (index->level == LEVEL_WARP) return 0;  // a CTA has few warps
  for (size_t t = 0; t < index->count; t++) {
    const Touch *touch = &index->touches[t], *before = t ? touch - 1 : NULL;
    bool is_same = before && before->place == touch->place &&
                   index->group[before->unit] == index->group[touch->unit];
    members = is_same ? members + 1 : 1;
    work += 2 * members - 1;  // the sum of the odd numbers is the square
  }
  return work;
}

static bool is_examined(uint32_t unit, double share) {
  uint64_t hash = (unit + 1) * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash ^ hash >> 31) * UINT64_C(0x94d049bb133111eb);
  return (double)(hash >> 32) < share * 4294967296.0;
}

// ---- shares of the footprint

// Who is on a line: by kernel, place + 1 of the last line that it references and how many of
// its children reference this one; by CTA, how many of the kernels that it launched do.
typedef struct OnLine {
  size_t *kernel;
  uint64_t *children, *launched;
} OnLine;

static void meet(const ReuseKernel *kernels, const Touch *touch, OnLine *on_line) {
  const ReuseKernel *kernel = &kernels[touch->unit];
  on_line->kernel[touch->unit] = touch->place + (size_t)1;
  if (kernel->parent == REUSE_NONE) return;
  on_line->children[kernel->parent]++;
  on_line->launched[kernel->parent_cta]++;
}

static void part(const ReuseKernel *kernels, const Touch *touch, OnLine *on_line) {
  const ReuseKernel *kernel = &kernels[touch->unit];
  if (kernel->parent == REUSE_NONE) return;
  on_line->children[kernel->parent] = on_line->launched[kernel->parent_cta] = 0;
}

// Sharing of one kernel's references to one line with those of other kernels.
static FootprintShares shares_of(const ReuseKernel *kernels, const Touch *touch,
                                 const OnLine *on_line) {
  const ReuseKernel *kernel = &kernels[touch->unit];
  uint64_t count = touch->count;
  FootprintShares shares = {.references = count,
                            .self = count > 1 ? count : 0,
                            .self_repeats = count - 1,
                            .with_child = on_line->children[touch->unit] ? count : 0};
  if (kernel->parent == REUSE_NONE) return shares;
  bool meets_parent = on_line->kernel[kernel->parent] == touch->place + (size_t)1;
  shares.parent_child = meets_parent ? count : 0;
  shares.sibling = on_line->launched[kernel->parent_cta] > 1 ? count : 0;
  shares.same_parent = on_line->children[kernel->parent] > 1 ? count : 0;
  shares.children = count;
  return shares;
}

static void add_line_shares(Analysis *analysis, size_t place, OnLine *on_line) {
  const LineIndex *index = &analysis->index;
  const ReuseKernel *kernels = analysis->record->kernels;
  FootprintShares *sum = &analysis->ratios->shares, line = {0};
  const Touch *from = &index->touches[index->line_start[place]];
  const Touch *to = &index->touches[index->line_start[place + 1]];
  for (const Touch *touch = from; touch < to; touch++) meet(kernels, touch, on_line);
  for (const Touch *touch = from; touch < to; touch++) {
    FootprintShares each = shares_of(kernels, touch, on_line);
    line.self += each.self;
    line.parent_child += each.parent_child;
    line.sibling += each.sibling;
    sum->references += each.references;
    sum->self_repeats += each.self_repeats;
    sum->children += each.children;
    sum->with_child += each.with_child;
    sum->same_parent += each.same_parent;
  }
  for (const Touch *touch = from; touch < to; touch++) part(kernels, touch, on_line);
  sum->self += line.self;
  sum->parent_child += line.parent_child;
  sum->sibling += line.sibling;
  sum->lines_self += line.self > 0;
  sum->lines_parent_child += line.parent_child > 0;
  sum->lines_sibling += line.sibling > 0;
}

static void add_shares(Analysis *analysis) {
  const ReuseRecord *record = analysis->record;
  OnLine on_line = {.kernel = memory_alloc(sizeof(size_t) * (record->kernel_count + 1)),
                    .children = memory_alloc(sizeof(uint64_t) * (record->kernel_count + 1)),
                    .launched = memory_alloc(sizeof(uint64_t) * (record->cta_count + 1))};
  analysis->ratios->shares.lines = analysis->index.line_count;
  for (size_t place = 0; place < analysis->index.line_count; place++)
    add_line_shares(analysis, place, &on_line);
  memory_free(on_line.kernel);
  memory_free(on_line.children);
  memory_free(on_line.launched);
}

// ---- levels

static void analyse_units(Analysis *analysis, uint64_t work) {
  static const ReuseRelation self[REUSE_LEVELS] = {RELATION_KERNEL_SELF, RELATION_CTA_SELF,
                                                   RELATION_WARP_SELF};
  const LineIndex *index = &analysis->index;
  double share = (double)work / (double)(work_of_all(index) + 1);
  for (uint32_t u = 0; u < index->unit_count; u++) {
    if (!index->references[u]) continue;
    analysis->ratios->units[index->level]++;
    add_ratio(analysis, self[index->level], u, u,
              index->references[u] - line_index_lines_of(index, u));
    if (share < 1 && !is_examined(u, share)) continue;
    analysis->ratios->examined[index->level]++;
    compare(analysis, u);
  }
}

static void analyse_level(Analysis *analysis, ReuseLevel level, uint64_t work) {
  line_index_make(&analysis->index, analysis->record, level);
  uint32_t units = analysis->index.unit_count;
  analysis->shared = memory_alloc(sizeof *analysis->shared * (units + 1));
  analysis->met = memory_alloc(sizeof *analysis->met * (units + 1));
  analysis->leader = memory_alloc(sizeof *analysis->leader * (units + 1));
  for (uint32_t u = 0; u < units; u++) analysis->leader[u] = u;
  analyse_units(analysis, work);
  if (level == LEVEL_KERNEL) {
    add_shares(analysis);
    analysis->ratios->kernel_chains = measure_chains(analysis);
  } else if (level == LEVEL_CTA) {
    analysis->ratios->cta_chains = measure_chains(analysis);
  }
  memory_free(analysis->shared);
  memory_free(analysis->met);
  memory_free(analysis->leader);
  line_index_clear(&analysis->index);
}

static void count_groups(Analysis *analysis) {
  const ReuseRecord *record = analysis->record;
  analysis->group_kernels = memory_alloc(sizeof(uint64_t) * (record->cta_count + 1));
  analysis->group_ctas = memory_alloc(sizeof(uint64_t) * (record->cta_count + 1));
  for (uint32_t k = 0; k < record->kernel_count; k++) {
    const ReuseKernel *kernel = &record->kernels[k];
    if (kernel->parent == REUSE_NONE) continue;
    analysis->group_kernels[kernel->parent_cta]++;
    analysis->group_ctas[kernel->parent_cta] += kernel->cta_count;
  }
}

void reuse_ratios(ReuseRatios *ratios, const ReuseRecord *record, uint64_t work,
                  const RatioVisitor *visitor) {
  Analysis analysis = {.ratios = ratios, .record = record, .visitor = visitor};
  *ratios = (ReuseRatios){0};
  count_groups(&analysis);
  for (int level = 0; level < REUSE_LEVELS; level++)
    analyse_level(&analysis, (ReuseLevel)level, work);
  memory_free(analysis.group_kernels);
  memory_free(analysis.group_ctas);
}
