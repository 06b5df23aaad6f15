// SPDX-License-Identifier: MIT
// Counted loops of one block: the only branch compares an induction variable, which one
// instruction of the loop changes by a constant, with a loop-invariant limit.
#include "frontends/ptx/optimise/counters.h"

#include "base/memory.h"
#include "frontends/ptx/optimise/alias.h"
#include "frontends/ptx/optimise/loaded.h"
#include "frontends/ptx/optimise/simplify.h"

enum { LARGEST_BODY = 24, LARGEST_NESTED_BODY = 34 };

static void count_write(void *state, Place *place, PlaceUse use) {
  Counters *counters = state;
  if (use != PLACE_READ) counters->writes_here[*place]++;
}

static void forget_write(void *state, Place *place, PlaceUse use) {
  (void)use;
  ((Counters *)state)->writes_here[*place] = 0;
}

static void each_of_block(Counters *counters, const FlowBlock *block, PlaceFn visit) {
  const Lowering *lowering = counters->lowering;
  for (uint32_t i = block->first; i < block->end; i++)
    instruction_each_place(&lowering->code[i], lowering->linked, visit, counters);
}

static uint8_t inverse(uint8_t compare) {
  switch (compare) {
    case COMPARE_EQ: return COMPARE_NE;
    case COMPARE_NE: return COMPARE_EQ;
    case COMPARE_LT: return COMPARE_GE;
    case COMPARE_LE: return COMPARE_GT;
    case COMPARE_GT: return COMPARE_LE;
    case COMPARE_GE: return COMPARE_LT;
    default: return COMPARE_NONE;
  }
}

static bool is_body(const Instruction *in) {
  return !access_is_fenced(in) && !instruction_reads_clock(in) && !instruction_uses_carry(in) &&
         !in->list && in->special_place[0] == NO_PLACE;
}

// The only instruction of the block that writes a register, or NULL.
static const Instruction *writer_in(const Counters *counters, const FlowBlock *block, Place v) {
  if (v < 0 || counters->writes_here[v] != 1) return NULL;
  for (uint32_t i = block->first; i < block->end; i++) {
    const Instruction *in = &counters->lowering->code[i];
    if (in->dst[0] == v) return in->guard == NO_PLACE && in->dst[1] == NO_PLACE ? in : NULL;
  }
  return NULL;
}

static bool is_integer(uint8_t type) {
  TypeKind kind = type_kind((DataType)type);
  return kind == KIND_SIGNED || kind == KIND_UNSIGNED || kind == KIND_BITS;
}

// Whether the trip count depends on memory and the loop is not nested.
static bool is_rare(const Counters *counters, const FlowBlock *block, Place place) {
  return counters->is_loaded[place] && !counters->is_nested[block - counters->flow.blocks];
}

// The same comparison with its operands exchanged.
static uint8_t exchanged(uint8_t compare) {
  switch (compare) {
    case COMPARE_LT: return COMPARE_GT;
    case COMPARE_LE: return COMPARE_GE;
    case COMPARE_GT: return COMPARE_LT;
    case COMPARE_GE: return COMPARE_LE;
    default: return compare;
  }
}

// clang's tests may have the limit first.
static void turn_round(const Counters *counters, Counter *counter) {
  Place i = counter->limit;
  if (!counters->follows_ptxas_13 || i < 0 || counters->writes_here[i] == 0) return;
  counter->limit = counter->i;
  counter->i = i;
  counter->compare = exchanged(counter->compare);
}

static bool find_test(const Counters *counters, Counter *counter) {
  const Instruction *branch = counter->branch;
  const Instruction *test = writer_in(counters, counter->block, branch->guard);
  if (!test || test->form.op != OP_SETP || test->form.operation != OPERATION_NONE ||
      test->special[0] || !is_integer(test->form.type))
    return false;
  if (counters->follows_ptxas_13 && branch->guard_negated) return false;
  counter->test = test;
  counter->bits = type_bits((DataType)test->form.type);
  counter->i = test->src[0];
  counter->limit = test->src[1];
  counter->compare = branch->guard_negated ? inverse(test->form.compare) : test->form.compare;
  turn_round(counters, counter);
  if (counter->i < 0 || is_rare(counters, counter->block, counter->i)) return false;
  bool is_fixed = counter->limit < 0 || (counters->writes_here[counter->limit] == 0 &&
                                         !is_rare(counters, counter->block, counter->limit));
  return (counter->bits == 32 || counter->bits == 64) && is_fixed && counter->limit != NO_PLACE;
}

// Whether a constant limit is far enough from the range limits that no bound
// overflows.
static bool has_room(const Counters *counters, const Counter *counter) {
  uint64_t limit, distance = counter->pace * (MOST_TURNS - 1);
  if (counter->compare == COMPARE_NE ||
      !constant_value(counters->lowering, counter->limit, counter->bits, &limit))
    return true;
  bool is_signed = counter->test->form.type == TYPE_S32 || counter->test->form.type == TYPE_S64;
  uint64_t top = is_signed ? UINT64_C(1) << (counter->bits - 1) : 0;
  uint64_t mask = counter->bits == 64 ? UINT64_MAX : UINT32_MAX;
  uint64_t above_least = (limit - top) & mask;  // as if least were 0
  return counter->goes_up ? above_least >= distance : mask - above_least >= distance;
}

static bool find_step(const Counters *counters, Counter *counter) {
  const Instruction *step = writer_in(counters, counter->block, counter->i);
  uint64_t value;
  if (!step || step > counter->test || !instruction_is_modular(step, OP_ADD, counter->bits) ||
      step->src[0] != counter->i ||
      !constant_value(counters->lowering, step->src[1], counter->bits, &value))
    return false;
  int64_t signed_value = counter->bits == 32 ? (int32_t)value : (int64_t)value;
  counter->step = step;
  counter->goes_up = signed_value > 0;
  counter->pace = (uint64_t)(signed_value < 0 ? -signed_value : signed_value);
  if (!signed_value || counter->pace > 1 << 18 || !has_room(counters, counter)) return false;
  switch (counter->compare) {
    case COMPARE_NE: return true;
    case COMPARE_LT:
    case COMPARE_LE: return counter->goes_up;
    case COMPARE_GT:
    case COMPARE_GE: return !counter->goes_up;
    default: return false;
  }
}

bool counters_forbid(const Counters *counters, const FlowBlock *block) {
  const Lowering *lowering = counters->lowering;
  for (uint32_t i = block->first; i < block->end; i++)
    for (uint32_t k = 0; k < counters->hint_count; k++)
      if (counters->hints[k] == lowering->code[i].line) return true;
  return false;
}

static void find_hints(Counters *counters) {
  const PtxFunction *syntax = counters->lowering->syntax;
  for (uint32_t i = 0; i < syntax->instruction_count; i++) {
    if (!syntax->instructions[i].is_not_unrolled) continue;
    GROW(counters->hints, counters->hint_count, counters->hint_capacity);
    counters->hints[counters->hint_count++] = syntax->instructions[i].position.line;
  }
}

// Loops are identified by their back edges; each block is marked once, by the
// farthest one.
static void find_nests(Counters *counters) {
  const Flow *flow = &counters->flow;
  uint32_t reach = 0;  // blocks before this are in a loop that started earlier
  uint32_t *last = memory_alloc(sizeof *last * (flow->block_count + 1u));
  for (uint32_t b = 0; b < flow->block_count; b++) {
    const Instruction *end = &counters->lowering->code[flow->blocks[b].end - 1];
    if (end->form.op != OP_BRA) continue;
    uint32_t to = flow->block_of[end->target];
    if (to < b && last[to] < b + 1) last[to] = b + 1;
  }
  for (uint32_t b = 0; b < flow->block_count; b++) {
    if (last[b] > reach) reach = last[b];
    counters->is_nested[b] = b < reach;
  }
  memory_free(last);
}

// Wide products are not counted, as they are merged into the sums that follow.
static bool is_short(const Counters *counters, uint32_t b) {
  const FlowBlock *block = &counters->flow.blocks[b];
  uint32_t count = 0;
  for (uint32_t i = block->first; i < block->end && count <= LARGEST_NESTED_BODY; i++)
    count += counters->lowering->code[i].form.width != WIDTH_WIDE;
  return count <= (counters->is_nested[b] ? LARGEST_NESTED_BODY : LARGEST_BODY);
}

bool counter_is_short(const Counters *counters, const Counter *counter) {
  const FlowBlock *block = counter->block;
  for (uint32_t i = block->first; i + 1 < block->end; i++)
    if (!is_body(&counters->lowering->code[i])) return false;
  return is_short(counters, (uint32_t)(block - counters->flow.blocks));
}

bool counter_of(Counters *counters, uint32_t b, Counter *counter) {
  const FlowBlock *block = &counters->flow.blocks[b];
  const Instruction *branch = &counters->lowering->code[block->end - 1];
  *counter = (Counter){.block = block, .branch = branch};
  if (branch->form.op != OP_BRA || branch->guard == NO_PLACE || branch->target != block->first ||
      counters_forbid(counters, block) || block->end == counters->lowering->code_count)
    return false;
  each_of_block(counters, block, count_write);
  bool is_good = find_test(counters, counter) && find_step(counters, counter);
  if (!is_good) each_of_block(counters, block, forget_write);
  return is_good;
}

void counter_forget(Counters *counters, const Counter *counter) {
  each_of_block(counters, counter->block, forget_write);
}

void counters_find(Counters *counters, Lowering *lowering, const CompilerRules *rules) {
  *counters =
      (Counters){.lowering = lowering,
                 .follows_ptxas_13 = rules->follows_ptxas_13,
                 .is_loaded = loaded_find(lowering),
                 .writes_here = memory_alloc(sizeof(uint32_t) * (lowering->register_count + 1u))};
  flow_build(&counters->flow, lowering->code, lowering->code_count);
  counters->is_nested = memory_alloc(counters->flow.block_count + 1u);
  find_hints(counters);
  find_nests(counters);
}

void counters_clear(Counters *counters) {
  flow_clear(&counters->flow);
  memory_free(counters->is_loaded);
  memory_free(counters->writes_here);
  memory_free(counters->is_nested);
  memory_free(counters->hints);
}
