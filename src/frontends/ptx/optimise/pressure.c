// SPDX-License-Identifier: MIT
// Orders the instructions of a block so that few registers are live at once, from its end to its
// beginning: of those whose readers are all placed, that one is placed next above them which makes
// the fewest registers live that no other can end. Sums that share operands advance together,
// where the order of writing would keep the operands of one until the others arrive.
//
// A block is cut at what nothing may pass: fences, control, reads of clocks.
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/optimise/alias.h"
#include "frontends/ptx/optimise/steps.h"

// MOST_CHOICES: of the instructions that could be next, so many are compared, the last ones in the
// order of writing.
enum { LARGEST_PIECE = 1 << 14, LEAST_PIECE = 16, MOST_CHOICES = 64, MOST_PAIRS = 1 << 22 };
enum { MANY_READERS = 16, OTHERS = 1 << 12 };  // OTHERS: more than an instruction can have
enum { NOBODY = UINT32_MAX };

typedef struct Edge {
  uint32_t from, next;  // an instruction that has to stay above; of the list
} Edge;

typedef struct Pressure {
  Lowering *lowering;
  Instruction *code;  // of the piece
  uint32_t count;
  // by register
  uint32_t *outside;  // mentions outside the piece
  uint32_t *readers;  // reads by instructions that are not yet placed ...
  uint32_t *prompt;   // ... and could be next
  uint32_t *writer;   // its last one in the piece
  uint32_t *reads;    // while edges are made: the list of those that have read it since
  bool *is_live;
  bool *is_operand;  // in constant memory
  // by instruction
  uint32_t *above;    // its list of edges
  uint32_t *waiting;  // how many below it are not yet placed
  Edge *edges;
  uint32_t edge_count, edge_capacity;
  uint32_t *ready;  // in ascending order
  uint32_t ready_count;
  uint32_t at;  // being looked at
  int opened, closed, ended, others;
} Pressure;

static bool is_cut(const Instruction *in) {
  return opcode_info[in->form.op].family == FAMILY_CONTROL || instruction_reads_clock(in) ||
         access_is_fenced(in);
}

// Predicates, and what is read from constant memory as an operand, take none.
static int units_of(const Pressure *all, Place place) {
  const Lowering *lowering = all->lowering;
  DataType type = lowering->register_types[place];
  uint32_t v = (uint32_t)place;
  if (v >= lowering->first_preloaded && v < lowering->end_preloaded) return 0;
  if (all->is_operand[v]) return 0;
  return type == TYPE_PRED ? 0 : type_bits(type) == 64 ? 2 : 1;
}

// ---- what has to stay above what

static uint32_t add_to_list(Pressure *all, uint32_t from, uint32_t list) {
  GROW(all->edges, all->edge_count, all->edge_capacity);
  all->edges[all->edge_count] = (Edge){from, list};
  return all->edge_count++;
}

static void stay_above(Pressure *all, uint32_t from, uint32_t to) {
  if (from == NOBODY || from == to) return;
  all->above[to] = add_to_list(all, from, all->above[to]);
  all->waiting[from]++;
}

static void add_edges(void *state, Place *place, PlaceUse use) {
  Pressure *all = state;
  stay_above(all, all->writer[*place], all->at);
  if (use == PLACE_READ) {
    all->reads[*place] = add_to_list(all, all->at, all->reads[*place]);
    return;
  }
  for (uint32_t e = all->reads[*place]; e != NOBODY; e = all->edges[e].next)
    stay_above(all, all->edges[e].from, all->at);
  all->reads[*place] = NOBODY;
  all->writer[*place] = all->at;
}

static bool is_access(const Instruction *in) {
  return access_is_plain(in) || opcode_info[in->form.op].family == FAMILY_TEXTURE;
}

static bool is_store(const Instruction *in) {
  return access_is_plain(in) && access_is_store(in);
}

// What a base register holds may have changed in between: equal ones are not trusted.
static bool conflict(const Instruction *a, const Instruction *b) {
  if (!is_store(a) && !is_store(b)) return false;
  if (!access_is_plain(a) || !access_is_plain(b)) return true;
  return access_conflicts(a, b, false);
}

static void add_memory_edges(Pressure *all) {
  for (uint32_t s = 0; s < all->count; s++) {
    if (!is_store(&all->code[s])) continue;
    for (uint32_t i = 0; i < all->count; i++) {
      if (!is_access(&all->code[i]) || !conflict(&all->code[s], &all->code[i])) continue;
      if (i < s) stay_above(all, i, s);
      if (i > s && !is_store(&all->code[i])) stay_above(all, s, i);
    }
  }
}

static void make_edges(Pressure *all) {
  uint32_t carry = NOBODY;
  for (uint32_t i = 0; i < all->count; i++) {
    all->at = i;
    instruction_each_place(&all->code[i], all->lowering->linked, add_edges, all);
    if (!instruction_uses_carry(&all->code[i])) continue;
    stay_above(all, carry, i);
    carry = i;
  }
  add_memory_edges(all);
}

static bool has_too_many_pairs(const Pressure *all) {
  uint64_t stores = 0;
  for (uint32_t i = 0; i < all->count; i++) stores += is_store(&all->code[i]);
  return stores * all->count > MOST_PAIRS;
}

// ---- which is next, from the end

// What comes from above the piece, or has many readers, is live for long in any case.
static void weigh_place(void *state, Place *place, PlaceUse use) {
  Pressure *all = state;
  int units = units_of(all, *place);
  if (use == PLACE_READ && !all->is_live[*place] && all->writer[*place] != NOBODY) {
    all->opened += units;
    if (all->readers[*place] == 1) all->ended += units;
    if (all->readers[*place] <= MANY_READERS)
      all->others += units * (int)(all->readers[*place] - all->prompt[*place]);
  } else if (use == PLACE_WRITTEN && all->is_live[*place]) {
    all->closed += units;
  }
}

// An operand that nobody else waits for can be computed just above. Of equal ones, the one of whose
// operands the fewest readers have to wait.
static int weight_of(Pressure *all, uint32_t i) {
  all->opened = all->closed = all->ended = all->others = 0;
  instruction_each_place(&all->code[i], all->lowering->linked, weigh_place, all);
  int others = all->others < OTHERS ? all->others : OTHERS - 1;
  return (2 * (all->opened - all->closed) - all->ended) * OTHERS + others;
}

static uint32_t choose(Pressure *all) {
  uint32_t best = all->ready_count - 1;
  uint32_t first = all->ready_count > MOST_CHOICES ? all->ready_count - MOST_CHOICES : 0;
  int least = weight_of(all, all->ready[best]);
  for (uint32_t k = best; k-- > first;) {
    int weight = weight_of(all, all->ready[k]);
    if (weight >= least) continue;
    least = weight;
    best = k;
  }
  uint32_t chosen = all->ready[best];
  all->ready_count--;
  memmove(&all->ready[best], &all->ready[best + 1], sizeof(uint32_t) * (all->ready_count - best));
  return chosen;
}

static void note_prompt(void *state, Place *place, PlaceUse use) {
  ((Pressure *)state)->prompt[*place] += use == PLACE_READ;
}

static void add_ready(Pressure *all, uint32_t i) {
  instruction_each_place(&all->code[i], all->lowering->linked, note_prompt, all);
  uint32_t k = all->ready_count++;
  for (; k && all->ready[k - 1] > i; k--) all->ready[k] = all->ready[k - 1];
  all->ready[k] = i;
}

static void end_writes(void *state, Place *place, PlaceUse use) {
  Pressure *all = state;
  if (use == PLACE_WRITTEN && all->code[all->at].guard == NO_PLACE) all->is_live[*place] = false;
}

static void begin_reads(void *state, Place *place, PlaceUse use) {
  Pressure *all = state;
  if (use != PLACE_READ) return;
  all->is_live[*place] = true;
  all->readers[*place]--;
  all->prompt[*place]--;
}

static void place_next(Pressure *all, Instruction *to) {
  uint32_t i = all->at = choose(all);
  *to = all->code[i];
  instruction_each_place(&all->code[i], all->lowering->linked, end_writes, all);
  instruction_each_place(&all->code[i], all->lowering->linked, begin_reads, all);
  for (uint32_t e = all->above[i]; e != NOBODY; e = all->edges[e].next)
    if (!--all->waiting[all->edges[e].from]) add_ready(all, all->edges[e].from);
}

// ---- a piece

static void enter_place(void *state, Place *place, PlaceUse use) {
  Pressure *all = state;
  all->outside[*place]--;
  all->readers[*place] += use == PLACE_READ;
  all->writer[*place] = all->reads[*place] = NOBODY;
}

static void begin_live(void *state, Place *place, PlaceUse use) {
  Pressure *all = state;
  (void)use;
  all->is_live[*place] = all->outside[*place] > 0;
}

static void leave_place(void *state, Place *place, PlaceUse use) {
  Pressure *all = state;
  (void)use;
  all->outside[*place]++;
  all->readers[*place] = 0;
}

static void visit_all(Pressure *all, PlaceFn visit) {
  for (uint32_t i = 0; i < all->count; i++)
    instruction_each_place(&all->code[i], all->lowering->linked, visit, all);
}

static void order_piece(Pressure *all) {
  uint32_t count = all->count;
  Instruction *ordered = memory_alloc(sizeof *ordered * count);
  all->edge_count = all->ready_count = 0;
  for (uint32_t i = 0; i < count; i++) all->above[i] = NOBODY;
  memset(all->waiting, 0, sizeof *all->waiting * count);
  visit_all(all, enter_place);
  visit_all(all, begin_live);
  make_edges(all);
  for (uint32_t i = 0; i < count; i++)
    if (!all->waiting[i]) add_ready(all, i);
  for (uint32_t k = count; k-- > 0;) place_next(all, &ordered[k]);
  visit_all(all, leave_place);
  memcpy(all->code, ordered, sizeof *ordered * count);
  memory_free(ordered);
}

static void order_block(Pressure *all, const FlowBlock *block) {
  Instruction *code = all->lowering->code;
  for (uint32_t first = block->first, end; first < block->end; first = end + 1) {
    for (end = first; end < block->end && !is_cut(&code[end]);) end++;
    all->code = &code[first];
    all->count = end - first;
    if (all->count < LEAST_PIECE || all->count > LARGEST_PIECE || has_too_many_pairs(all)) continue;
    order_piece(all);
  }
}

static void count_mention(void *state, Place *place, PlaceUse use) {
  (void)use;
  ((Pressure *)state)->outside[*place]++;
}

void blocks_relieve(Lowering *lowering, const Flow *flow) {
  size_t registers = lowering->register_count + 1u;
  Pressure all = {.lowering = lowering,
                  .code = lowering->code,
                  .count = lowering->code_count,
                  .outside = memory_alloc(sizeof(uint32_t) * registers),
                  .readers = memory_alloc(sizeof(uint32_t) * registers),
                  .prompt = memory_alloc(sizeof(uint32_t) * registers),
                  .writer = memory_alloc(sizeof(uint32_t) * registers),
                  .reads = memory_alloc(sizeof(uint32_t) * registers),
                  .is_live = memory_alloc(registers),
                  .is_operand = memory_alloc(registers),
                  .above = memory_alloc(sizeof(uint32_t) * LARGEST_PIECE),
                  .waiting = memory_alloc(sizeof(uint32_t) * LARGEST_PIECE),
                  .ready = memory_alloc(sizeof(uint32_t) * LARGEST_PIECE)};
  constant_operands_find(lowering, all.is_operand);
  visit_all(&all, count_mention);
  for (uint32_t b = 0; b < flow->block_count; b++) order_block(&all, &flow->blocks[b]);
  memory_free(all.outside);
  memory_free(all.readers);
  memory_free(all.prompt);
  memory_free(all.writer);
  memory_free(all.reads);
  memory_free(all.is_live);
  memory_free(all.is_operand);
  memory_free(all.above);
  memory_free(all.waiting);
  memory_free(all.ready);
  memory_free(all.edges);
}
