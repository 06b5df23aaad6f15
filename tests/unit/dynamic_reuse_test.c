// SPDX-License-Identifier: MIT
// Reuse among kernels, CTAs and warps: the worked examples of Tang et al. (SIGMETRICS 2018),
// and a reference that follows the definitions word by word, on random streams.
#include <string.h>

#include "base/memory.h"
#include "observers/reuse/reuse_ratio.h"
#include "unit/cmocka_all.h"

enum { NO_LIMIT = 1 << 30 };

static ReuseRecord make_record(void) {
  return (ReuseRecord){.limit = NO_LIMIT, .l1_lines = 2, .l2_lines = 5};
}

// ---- figure 6

typedef struct Pair {
  ReuseRelation relation;
  uint32_t x, y;
  uint64_t shared, references;
} Pair;

typedef struct Pairs {
  Pair items[4096];
  uint32_t count;
} Pairs;

static void note_pair(void *self, ReuseRelation relation, uint32_t x, uint32_t y, uint64_t shared,
                      uint64_t references) {
  Pairs *pairs = self;
  assert_true(pairs->count < 4096);
  pairs->items[pairs->count++] = (Pair){relation, x, y, shared, references};
}

// NULL: they have no line in common.
static const Pair *find_pair(const Pairs *pairs, ReuseRelation relation, uint32_t x, uint32_t y) {
  for (uint32_t i = 0; i < pairs->count; i++) {
    const Pair *pair = &pairs->items[i];
    if (pair->relation == relation && pair->x == x && pair->y == y) return pair;
  }
  return NULL;
}

static void refer(ReuseRecord *record, uint32_t kernel, uint64_t first_line, uint64_t lines,
                  uint64_t references) {
  for (uint64_t i = 0; i < references; i++)
    reuse_record_reference(record, kernel, 0, 0, first_line + i % lines);
}

static void assert_ratio(const Pairs *pairs, ReuseRelation relation, uint32_t x, uint32_t y,
                         uint64_t shared, uint64_t references) {
  const Pair *pair = find_pair(pairs, relation, x, y);
  assert_non_null(pair);
  assert_int_equal(pair->shared, shared);
  assert_int_equal(pair->references, references);
}

// Three children of a CTA make 100, 50 and 200 accesses. 30 of c2's go to lines that c1
// accesses 40 times; 120 of c3's to lines of c1: ratios of 0.4, 0.6 and 0.6.
static void figure_6_has_the_ratios_of_the_paper(void **state) {
  (void)state;
  ReuseRecord record = make_record();
  ReuseRatios ratios;
  Pairs *pairs = memory_alloc(sizeof *pairs);
  enum { PARENT, C1, C2, C3 };
  reuse_record_kernel(&record, PARENT, REUSE_NONE, 0, 1, 1);
  for (uint32_t c = C1; c <= C3; c++) reuse_record_kernel(&record, c, PARENT, 0, 1, 1);
  refer(&record, C1, 100, 10, 40);  // lines 100 to 109, with c2
  refer(&record, C1, 200, 20, 60);  // lines 200 to 219, with c3
  refer(&record, C2, 100, 10, 30);
  refer(&record, C2, 300, 20, 20);
  refer(&record, C3, 200, 20, 120);
  refer(&record, C3, 400, 80, 80);
  reuse_ratios(&ratios, &record, NO_LIMIT, &(RatioVisitor){note_pair, pairs});
  assert_ratio(pairs, RELATION_KERNEL_SIBLING, C2, C1, 30, 50);    // 0.6
  assert_ratio(pairs, RELATION_KERNEL_SIBLING, C1, C2, 40, 100);   // 0.4
  assert_ratio(pairs, RELATION_KERNEL_SIBLING, C3, C1, 120, 200);  // 0.6
  assert_ratio(pairs, RELATION_KERNEL_SIBLING, C1, C3, 60, 100);
  assert_null(find_pair(pairs, RELATION_KERNEL_SIBLING, C2, C3));
  const RatioBins *siblings = &ratios.relations[RELATION_KERNEL_SIBLING];
  assert_int_equal(siblings->pairs, 6);
  assert_int_equal(siblings->bins[0], 2);
  assert_int_equal(siblings->bins[4], 1);
  assert_int_equal(siblings->bins[6], 3);
  assert_int_equal(siblings->high, 3);  // 0.4 is not above 0.4
  // Equation 1 for c1: 30 lines in 100 accesses.
  assert_ratio(pairs, RELATION_KERNEL_SELF, C1, C1, 70, 100);
  // The parent accesses nothing: three pairs of ratio 0. The children are one chain.
  assert_int_equal(ratios.relations[RELATION_KERNEL_PARENT_CHILD].pairs, 3);
  assert_int_equal(ratios.relations[RELATION_KERNEL_PARENT_CHILD].bins[0], 3);
  assert_int_equal(ratios.kernel_chains.units, 3);
  assert_int_equal(ratios.kernel_chains.longest, 3);
  memory_free(pairs);
  reuse_record_clear(&record);
}

// ---- figure 3

// A launches B and C from one CTA and E from another; B launches D, C launches F. All of them
// access one line, in this order.
static void figure_3_relates_parents_and_siblings(void **state) {
  (void)state;
  enum { A, B, C, D, E, F, KERNELS };
  static const char *const names = "ABCDEF";
  static const struct {
    uint32_t parent, cta;
  } launched[KERNELS] = {{REUSE_NONE, 0}, {A, 0}, {A, 0}, {B, 0}, {A, 1}, {C, 0}};
  static const char *const parents[] = {"BA", "CA", "EA", "DB", "FC"};
  ReuseRecord record = make_record();
  ReuseRatios ratios;
  Pairs *pairs = memory_alloc(sizeof *pairs);
  for (uint32_t k = A; k < KERNELS; k++)
    reuse_record_kernel(&record, k, launched[k].parent, launched[k].cta, 2, 1);
  for (uint32_t k = A; k < KERNELS; k++) refer(&record, k, 7, 1, 1);
  reuse_ratios(&ratios, &record, NO_LIMIT, &(RatioVisitor){note_pair, pairs});
  for (uint32_t x = A; x < KERNELS; x++)
    for (uint32_t y = A; y < KERNELS; y++) {
      bool is_child = false;
      for (int i = 0; i < 5; i++)
        is_child |= parents[i][0] == names[x] && parents[i][1] == names[y];
      assert_int_equal(find_pair(pairs, RELATION_KERNEL_PARENT_CHILD, x, y) != NULL, is_child);
      bool are_siblings = (x == B && y == C) || (x == C && y == B);
      assert_int_equal(find_pair(pairs, RELATION_KERNEL_SIBLING, x, y) != NULL, are_siblings);
    }
  assert_int_equal(ratios.shares.references, 6);
  assert_int_equal(ratios.shares.self, 0);
  assert_int_equal(ratios.shares.parent_child, 5);
  assert_int_equal(ratios.shares.sibling, 2);
  // All but A were launched; A, B and C have children; B, C and E are those of A.
  assert_int_equal(ratios.shares.children, 5);
  assert_int_equal(ratios.shares.with_child, 3);
  assert_int_equal(ratios.shares.same_parent, 3);
  assert_int_equal(ratios.shares.lines_sibling, 1);
  assert_int_equal(ratios.shares.lines_self, 0);
  // The line is the only one: nothing lies between two references. B, C, D, E, F follow a
  // parent, and C a sibling.
  assert_int_equal(record.distances[REUSE_PARENT_CHILD].count, 5);
  assert_int_equal(record.distances[REUSE_SIBLING].count, 1);
  assert_int_equal(record.distances[REUSE_SELF].count, 0);
  assert_int_equal(record.distances[REUSE_PARENT_CHILD].bins[0], 5);
  assert_int_equal(ratios.kernel_chains.longest, 6);
  memory_free(pairs);
  reuse_record_clear(&record);
}

// ---- the definitions, word by word

enum { REFERENCES = 400, KERNELS = 7, CTAS = 3, WARPS = 2, LINES = 24 };

typedef struct Reference {
  uint32_t kernel, cta, warp, line;
} Reference;

typedef struct Stream {
  uint32_t parent[KERNELS], parent_cta[KERNELS];
  Reference references[REFERENCES];
} Stream;

static uint32_t next_random(uint64_t *seed, uint32_t below) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*seed >> 33) % below;
}

static void make_stream(Stream *stream, uint64_t seed) {
  for (uint32_t k = 0; k < KERNELS; k++) {
    stream->parent[k] = k > 1 && next_random(&seed, 4) ? next_random(&seed, k) : REUSE_NONE;
    stream->parent_cta[k] = next_random(&seed, CTAS);
  }
  uint32_t lines = 2 + next_random(&seed, LINES - 2);
  for (int i = 0; i < REFERENCES; i++)
    stream->references[i] = (Reference){next_random(&seed, KERNELS), next_random(&seed, CTAS),
                                        next_random(&seed, WARPS), next_random(&seed, lines)};
}

static bool are_siblings(const Stream *stream, uint32_t a, uint32_t b) {
  return a != b && stream->parent[a] != REUSE_NONE && stream->parent[a] == stream->parent[b] &&
         stream->parent_cta[a] == stream->parent_cta[b];
}

// Whether the earlier of two references counts for the later one as one of that kind.
static bool is_of_kind(const Stream *stream, ReuseKind kind, uint32_t kernel, uint32_t earlier) {
  switch (kind) {
    case REUSE_SELF: return kernel == earlier;
    case REUSE_PARENT_CHILD: return stream->parent[kernel] == earlier;
    default: return are_siblings(stream, kernel, earlier);
  }
}

static uint64_t lines_between(const Stream *stream, int from, int to) {
  bool seen[LINES] = {false};
  uint64_t lines = 0;
  seen[stream->references[to].line] = true;
  for (int i = from + 1; i < to; i++) {
    lines += !seen[stream->references[i].line];
    seen[stream->references[i].line] = true;
  }
  return lines;
}

static void add_distances_of(const Stream *stream, int at, ReuseDistances *out) {
  const Reference *here = &stream->references[at];
  for (int kind = 0; kind < REUSE_KINDS; kind++)
    for (int i = at - 1; i >= 0; i--) {
      const Reference *before = &stream->references[i];
      if (before->line != here->line) continue;
      if (is_of_kind(stream, (ReuseKind)kind, here->kernel, before->kernel)) {
        uint64_t lines = lines_between(stream, i, at);
        uint32_t bin = 0;
        while (lines >> bin) bin++;
        out[kind].count++;
        out[kind].sum += lines;
        out[kind].bins[bin]++;
        out[kind].beyond_l1 += lines >= 2;
        out[kind].beyond_l2 += lines >= 5;
        break;
      }
      if (before->kernel == here->kernel) break;  // its own came since
    }
}

static uint32_t unit_of_reference(ReuseLevel level, const Reference *reference) {
  if (level == LEVEL_KERNEL) return reference->kernel;
  uint32_t cta = reference->kernel * CTAS + reference->cta;
  return level == LEVEL_CTA ? cta : cta * WARPS + reference->warp;
}

static bool references_line(const Stream *stream, ReuseLevel level, uint32_t unit, uint32_t line) {
  for (int i = 0; i < REFERENCES; i++)
    if (stream->references[i].line == line &&
        unit_of_reference(level, &stream->references[i]) == unit)
      return true;
  return false;
}

static ReuseRelation relation_between(const Stream *stream, ReuseLevel level, uint32_t x,
                                      uint32_t y) {
  if (level == LEVEL_WARP) return x / WARPS == y / WARPS ? RELATION_WARP_INTER : RELATION_COUNT;
  uint32_t a = level == LEVEL_CTA ? x / CTAS : x, b = level == LEVEL_CTA ? y / CTAS : y;
  if (level == LEVEL_CTA && a == b) return RELATION_CTA_INTRA_KERNEL;
  if (are_siblings(stream, a, b))
    return level == LEVEL_CTA ? RELATION_CTA_SIBLING : RELATION_KERNEL_SIBLING;
  if (stream->parent[a] != b) return RELATION_COUNT;
  if (level == LEVEL_KERNEL) return RELATION_KERNEL_PARENT_CHILD;
  return stream->parent_cta[a] == y % CTAS ? RELATION_CTA_PARENT_CHILD : RELATION_COUNT;
}

static void add_bin(RatioBins *bins, uint64_t shared, uint64_t references) {
  uint64_t bin = shared * 10 / references;
  bins->pairs++;
  bins->millionths += shared * 1000000 / references;
  bins->bins[bin > 9 ? 9 : bin]++;
  bins->high += 10 * shared > 4 * references;
}

static uint64_t shared_references(const Stream *stream, ReuseLevel level, uint32_t x, uint32_t y) {
  uint64_t shared = 0;
  for (int i = 0; i < REFERENCES; i++)
    shared += unit_of_reference(level, &stream->references[i]) == x &&
              references_line(stream, level, y, stream->references[i].line);
  return shared;
}

static void join_chains(uint32_t *chain, uint32_t units, uint32_t a, uint32_t b) {
  uint32_t from = chain[a], to = chain[b];
  for (uint32_t u = 0; u < units; u++)
    if (chain[u] == from) chain[u] = to;
}

static ReuseChains count_chains(const uint32_t *chain, const uint64_t *references, uint32_t units) {
  ReuseChains chains = {0};
  for (uint32_t c = 0; c < units; c++) {
    uint64_t length = 0;
    for (uint32_t u = 0; u < units; u++) length += chain[u] == c && references[u];
    chains.units += length;
    chains.chains += length > 0;
    if (length > chains.longest) chains.longest = length;
  }
  return chains;
}

static void add_level(const Stream *stream, ReuseLevel level, ReuseRatios *out) {
  enum { MOST = KERNELS * CTAS * WARPS };
  static const uint32_t counts[] = {KERNELS, KERNELS * CTAS, MOST};
  static const ReuseRelation self[] = {RELATION_KERNEL_SELF, RELATION_CTA_SELF, RELATION_WARP_SELF};
  uint64_t references[MOST] = {0}, lines[MOST] = {0};
  uint32_t chain[MOST], units = counts[level];
  for (int i = 0; i < REFERENCES; i++)
    references[unit_of_reference(level, &stream->references[i])]++;
  for (uint32_t u = 0; u < units; u++) {
    chain[u] = u;
    for (uint32_t l = 0; l < LINES; l++) lines[u] += references_line(stream, level, u, l);
  }
  for (uint32_t x = 0; x < units; x++) {
    if (!references[x]) continue;
    out->units[level]++, out->examined[level]++;
    add_bin(&out->relations[self[level]], references[x] - lines[x], references[x]);
    for (uint32_t y = 0; y < units; y++) {
      ReuseRelation relation = x == y ? RELATION_COUNT : relation_between(stream, level, x, y);
      if (relation == RELATION_COUNT) continue;
      uint64_t shared = shared_references(stream, level, x, y);
      add_bin(&out->relations[relation], shared, references[x]);
      if (10 * shared > 4 * references[x]) join_chains(chain, units, x, y);
    }
  }
  ReuseChains chains = count_chains(chain, references, units);
  if (level == LEVEL_KERNEL) out->kernel_chains = chains;
  if (level == LEVEL_CTA) out->cta_chains = chains;
}

static void add_shares_of(const Stream *stream, FootprintShares *out) {
  enum { USED = 1, SELF = 2, PARENT_CHILD = 4, SIBLING = 8 };
  int lines[LINES] = {0};
  for (int i = 0; i < REFERENCES; i++) {
    const Reference *here = &stream->references[i];
    uint32_t parent = stream->parent[here->kernel];
    uint64_t own = 0, earlier = 0;
    bool with_parent = false, with_sibling = false, with_child = false, with_kin = false;
    for (int j = 0; j < REFERENCES; j++) {
      const Reference *other = &stream->references[j];
      if (other->line != here->line) continue;
      own += other->kernel == here->kernel;
      earlier += other->kernel == here->kernel && j < i;
      with_parent |= other->kernel == parent;
      with_sibling |= are_siblings(stream, here->kernel, other->kernel);
      with_child |= stream->parent[other->kernel] == here->kernel;
      with_kin |= other->kernel != here->kernel && parent != REUSE_NONE &&
                  stream->parent[other->kernel] == parent;
    }
    out->references++;
    out->self += own > 1;
    out->self_repeats += earlier > 0;
    out->parent_child += with_parent;
    out->sibling += with_sibling;
    out->children += parent != REUSE_NONE;
    out->with_child += with_child;
    out->same_parent += with_kin;
    lines[here->line] |= USED | (own > 1 ? SELF : 0) | (with_parent ? PARENT_CHILD : 0) |
                         (with_sibling ? SIBLING : 0);
  }
  for (int l = 0; l < LINES; l++) {
    out->lines += (lines[l] & USED) != 0;
    out->lines_self += (lines[l] & SELF) != 0;
    out->lines_parent_child += (lines[l] & PARENT_CHILD) != 0;
    out->lines_sibling += (lines[l] & SIBLING) != 0;
  }
}

static void play(const Stream *stream, ReuseRecord *record) {
  for (uint32_t k = 0; k < KERNELS; k++)
    reuse_record_kernel(record, k + 10,
                        stream->parent[k] == REUSE_NONE ? REUSE_NONE : stream->parent[k] + 10,
                        stream->parent_cta[k], CTAS, WARPS);
  for (int i = 0; i < REFERENCES; i++) {
    const Reference *each = &stream->references[i];
    reuse_record_reference(record, each->kernel + 10, each->cta, each->warp, each->line);
  }
}

static void random_streams_agree_with_the_definitions(void **state) {
  (void)state;
  Stream *stream = memory_alloc(sizeof *stream);
  for (uint64_t seed = 0; seed < 60; seed++) {
    ReuseRecord record = make_record();
    ReuseRatios got, wanted = {0};
    ReuseDistances distances[REUSE_KINDS] = {0};
    make_stream(stream, seed);
    play(stream, &record);
    reuse_ratios(&got, &record, NO_LIMIT, NULL);
    for (int i = 0; i < REFERENCES; i++) add_distances_of(stream, i, distances);
    for (int level = 0; level < REUSE_LEVELS; level++)
      add_level(stream, (ReuseLevel)level, &wanted);
    add_shares_of(stream, &wanted.shares);
    assert_memory_equal(record.distances, distances, sizeof distances);
    assert_memory_equal(&got.shares, &wanted.shares, sizeof got.shares);
    for (int r = 0; r < RELATION_COUNT; r++)
      assert_memory_equal(&got.relations[r], &wanted.relations[r], sizeof got.relations[r]);
    assert_memory_equal(&got, &wanted, sizeof got);
    reuse_record_clear(&record);
  }
  memory_free(stream);
}

// ---- much

// A cyclic sweep over n lines has distance n - 1 at every reference but the first ones.
static void memory_grows_with_lines_not_with_references(void **state) {
  (void)state;
  enum { SWEPT = 5000, ROUNDS = 40 };
  ReuseRecord record = make_record();
  reuse_record_kernel(&record, 0, REUSE_NONE, 0, 1, 1);
  size_t capacity = 0;
  for (uint64_t i = 0; i < (uint64_t)SWEPT * ROUNDS; i++) {
    if (i == 2 * SWEPT) capacity = record.tree.capacity + record.counts.capacity;
    reuse_record_reference(&record, 0, 0, 0, i % SWEPT);
  }
  assert_int_equal(record.tree.capacity + record.counts.capacity, capacity);
  assert_true(record.tree.capacity <= 4 * SWEPT);
  assert_int_equal(record.distances[REUSE_SELF].count, SWEPT * (ROUNDS - 1));
  assert_int_equal(record.distances[REUSE_SELF].sum, (uint64_t)SWEPT * (ROUNDS - 1) * (SWEPT - 1));
  reuse_record_clear(&record);
}

// Beyond the limit, a sample of lines: what it estimates is near what is true.
static void beyond_its_limit_it_follows_a_sample_of_lines(void **state) {
  (void)state;
  enum { SWEPT = 200000, ROUNDS = 4, LIMIT = 60000 };
  ReuseRecord record = make_record();
  ReuseRatios ratios;
  record.limit = LIMIT;
  for (uint32_t k = 0; k < 2; k++) reuse_record_kernel(&record, k, REUSE_NONE, 0, 1, 1);
  for (uint64_t i = 0; i < (uint64_t)SWEPT * ROUNDS; i++)
    reuse_record_reference(&record, i / SWEPT % 2 ? 0 : 1, 0, 0, i % SWEPT);
  reuse_ratios(&ratios, &record, NO_LIMIT, NULL);
  assert_true(record.halvings >= 3);
  assert_true(record.counts.count + record.last.count + record.last_of.count <= LIMIT);
  assert_int_equal(record.references, SWEPT * ROUNDS);
  const ReuseDistances *self = &record.distances[REUSE_SELF];
  assert_in_range(self->count, SWEPT * 2 * 95 / 100, SWEPT * 2 * 105 / 100);
  assert_in_range(self->sum / self->count, SWEPT * 95 / 100, SWEPT * 105 / 100);
  // Each kernel references each line twice: a ratio of 0.5 in any sample.
  assert_int_equal(ratios.relations[RELATION_KERNEL_SELF].bins[5], 2);
  assert_in_range(ratios.shares.lines << record.halvings, SWEPT * 95 / 100, SWEPT * 105 / 100);
  reuse_record_clear(&record);
}

// Many units on one line: a sample of them is compared, and how many is told.
static void too_many_pairs_are_sampled(void **state) {
  (void)state;
  enum { MANY = 2000 };
  ReuseRecord record = make_record();
  ReuseRatios ratios;
  reuse_record_kernel(&record, 0, REUSE_NONE, 0, MANY, 1);
  for (uint64_t cta = 0; cta < MANY; cta++) reuse_record_reference(&record, 0, cta, 0, 1);
  reuse_ratios(&ratios, &record, MANY * MANY / 10, NULL);
  uint64_t examined = ratios.examined[LEVEL_CTA];
  assert_int_equal(ratios.units[LEVEL_CTA], MANY);
  assert_in_range(examined, MANY / 20, MANY / 5);
  const RatioBins *intra = &ratios.relations[RELATION_CTA_INTRA_KERNEL];
  assert_int_equal(intra->pairs, examined * (MANY - 1));
  assert_int_equal(intra->bins[9], intra->pairs);
  assert_int_equal(ratios.relations[RELATION_CTA_SELF].pairs, MANY);
  reuse_record_clear(&record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figure_6_has_the_ratios_of_the_paper),
      cmocka_unit_test(figure_3_relates_parents_and_siblings),
      cmocka_unit_test(random_streams_agree_with_the_definitions),
      cmocka_unit_test(memory_grows_with_lines_not_with_references),
      cmocka_unit_test(beyond_its_limit_it_follows_a_sample_of_lines),
      cmocka_unit_test(too_many_pairs_are_sampled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
