// SPDX-License-Identifier: MIT
// Loops of one block that count, as ptxas has them:
//
//   P:  if fewer than four turns are left, go to R
//   U:  four turns; if four more are left, go to U
//       if none is left, leave
//   R:  if fewer than two turns are left, go to S
//       two turns; if none is left, leave
//   S:  the loop as it was
//
// A loop counts if its only branch compares a register that one instruction of
// the loop changes by a constant with one that the loop does not change. Whether
// turns are left is asked so that overflow is answered with no: then S does what
// the loop does.
//
// ptxas leaves alone long loops, those that a compiler has unrolled and says so
// (.pragma "nounroll"), and those of which the count depends on memory, such as
// over the neighbours of a node, unless they are within another; so does this.
//
// In a turn but the last, what the loop carries has a name of its own per turn,
// so that addresses become offsets and turns overlap; so has what lives within a
// turn only.
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/optimise/alias.h"
#include "frontends/ptx/optimise/loaded.h"
#include "frontends/ptx/optimise/simplify.h"
#include "frontends/ptx/optimise/steps.h"

enum { MOST_TURNS = 4, FEWER_TURNS = 2, LARGEST_BODY = 24, LARGEST_NESTED_BODY = 34 };
#define FINAL_TARGET 0x80000000u  // the target counts in the new code

typedef struct Mentions {
  uint32_t block;  // the only one that mentions the register, or NO_INDEX
  bool is_local;   // written before it is read, and nowhere else
  bool is_seen;
} Mentions;

typedef struct Unrolling {
  Lowering *lowering;
  Flow flow;
  bool *is_loaded;        // by register of the original
  Mentions *mentions;     // by register of the original
  uint32_t *writes_here;  // ... how often, in the block being looked at
  Place *name;            // ... in the turn being written
  Instruction *code;
  uint32_t count, capacity;
  uint32_t *hints;  // lines of instructions that begin loops not to be unrolled
  uint32_t hint_count, hint_capacity;
  uint32_t block;  // being looked at
  bool is_guarded;
  bool *is_nested;  // by block: within a loop of several blocks
} Unrolling;

// A loop that counts.
typedef struct Counter {
  const FlowBlock *block;
  const Instruction *test, *step, *branch;
  Place i, limit;
  uint8_t compare;  // turns go on while i compares so with the limit
  int bits;
  uint64_t pace;  // of a turn, without its sign
  bool goes_up;
  // of the code being written
  Place bound;  // i before it: four turns are left
  Place holds;  // predicate: the bounds have not overflowed; NO_PLACE: they cannot
} Counter;

// ---- which loops

static void note_mention(void *state, Place *place, PlaceUse use) {
  Unrolling *unrolling = state;
  Mentions *mentions = &unrolling->mentions[*place];
  if (!mentions->is_seen) {
    *mentions = (Mentions){unrolling->block, use != PLACE_READ && !unrolling->is_guarded, true};
  } else if (mentions->block != unrolling->block) {
    mentions->block = NO_INDEX;
    mentions->is_local = false;
  }
}

static void note_all(Unrolling *unrolling) {
  const Lowering *lowering = unrolling->lowering;
  const Function *function = lowering->linked;
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    unrolling->block = unrolling->flow.block_of[i];
    unrolling->is_guarded = lowering->code[i].guard != NO_PLACE;
    instruction_each_place(&lowering->code[i], function, note_mention, unrolling);
  }
  for (uint32_t i = 0; i < function->param_count; i++)
    if (function->params[i].place >= 0)
      unrolling->mentions[function->params[i].place].is_local = false;
}

static void count_write(void *state, Place *place, PlaceUse use) {
  Unrolling *unrolling = state;
  if (use != PLACE_READ) unrolling->writes_here[*place]++;
}

static void forget_write(void *state, Place *place, PlaceUse use) {
  (void)use;
  ((Unrolling *)state)->writes_here[*place] = 0;
}

static void each_of_block(Unrolling *unrolling, const FlowBlock *block, PlaceFn visit) {
  const Lowering *lowering = unrolling->lowering;
  for (uint32_t i = block->first; i < block->end; i++)
    instruction_each_place(&lowering->code[i], lowering->linked, visit, unrolling);
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

// The instruction of the block that writes a register, the only one there.
static const Instruction *writer_in(const Unrolling *unrolling, const FlowBlock *block, Place v) {
  if (v < 0 || unrolling->writes_here[v] != 1) return NULL;
  for (uint32_t i = block->first; i < block->end; i++) {
    const Instruction *in = &unrolling->lowering->code[i];
    if (in->dst[0] == v) return in->guard == NO_PLACE && in->dst[1] == NO_PLACE ? in : NULL;
  }
  return NULL;
}

static bool is_integer(uint8_t type) {
  TypeKind kind = type_kind((DataType)type);
  return kind == KIND_SIGNED || kind == KIND_UNSIGNED || kind == KIND_BITS;
}

// A count from memory, in a loop that is in no other.
static bool is_rare(const Unrolling *unrolling, const FlowBlock *block, Place place) {
  return unrolling->is_loaded[place] && !unrolling->is_nested[block - unrolling->flow.blocks];
}

static bool find_test(const Unrolling *unrolling, Counter *counter) {
  const Instruction *branch = counter->branch;
  const Instruction *test = writer_in(unrolling, counter->block, branch->guard);
  if (!test || test->form.op != OP_SETP || test->form.operation != OPERATION_NONE ||
      test->special[0] || !is_integer(test->form.type))
    return false;
  counter->test = test;
  counter->bits = type_bits((DataType)test->form.type);
  counter->i = test->src[0];
  counter->limit = test->src[1];
  counter->compare = branch->guard_negated ? inverse(test->form.compare) : test->form.compare;
  if (counter->i < 0 || is_rare(unrolling, counter->block, counter->i)) return false;
  bool is_fixed = counter->limit < 0 || (unrolling->writes_here[counter->limit] == 0 &&
                                         !is_rare(unrolling, counter->block, counter->limit));
  return (counter->bits == 32 || counter->bits == 64) && is_fixed && counter->limit != NO_PLACE;
}

// Whether a constant limit is so far from the end of the numbers that no bound
// below overflows.
static bool has_room(const Unrolling *unrolling, const Counter *counter) {
  uint64_t limit, distance = counter->pace * (MOST_TURNS - 1);
  if (counter->compare == COMPARE_NE ||
      !constant_value(unrolling->lowering, counter->limit, counter->bits, &limit))
    return true;
  bool is_signed = counter->test->form.type == TYPE_S32 || counter->test->form.type == TYPE_S64;
  uint64_t top = is_signed ? UINT64_C(1) << (counter->bits - 1) : 0;
  uint64_t mask = counter->bits == 64 ? UINT64_MAX : UINT32_MAX;
  uint64_t above_least = (limit - top) & mask;  // as if least were 0
  return counter->goes_up ? above_least >= distance : mask - above_least >= distance;
}

static bool find_step(const Unrolling *unrolling, Counter *counter) {
  const Instruction *step = writer_in(unrolling, counter->block, counter->i);
  uint64_t value;
  if (!step || step > counter->test || !instruction_is_modular(step, OP_ADD, counter->bits) ||
      step->src[0] != counter->i ||
      !constant_value(unrolling->lowering, step->src[1], counter->bits, &value))
    return false;
  int64_t signed_value = counter->bits == 32 ? (int32_t)value : (int64_t)value;
  counter->step = step;
  counter->goes_up = signed_value > 0;
  counter->pace = (uint64_t)(signed_value < 0 ? -signed_value : signed_value);
  if (!signed_value || counter->pace > 1 << 18 || !has_room(unrolling, counter)) return false;
  switch (counter->compare) {
    case COMPARE_NE: return true;
    case COMPARE_LT:
    case COMPARE_LE: return counter->goes_up;
    case COMPARE_GT:
    case COMPARE_GE: return !counter->goes_up;
    default: return false;
  }
}

// Whether the program says that the loop is not to be unrolled.
static bool is_not_unrolled(const Unrolling *unrolling, const FlowBlock *block) {
  const Lowering *lowering = unrolling->lowering;
  for (uint32_t i = block->first; i < block->end; i++)
    for (uint32_t k = 0; k < unrolling->hint_count; k++)
      if (unrolling->hints[k] == lowering->code[i].line) return true;
  return false;
}

static void find_hints(Unrolling *unrolling) {
  const PtxFunction *syntax = unrolling->lowering->syntax;
  for (uint32_t i = 0; i < syntax->instruction_count; i++) {
    if (!syntax->instructions[i].is_not_unrolled) continue;
    GROW(unrolling->hints, unrolling->hint_count, unrolling->hint_capacity);
    unrolling->hints[unrolling->hint_count++] = syntax->instructions[i].position.line;
  }
}

// Loops are read off the branches back; each block is marked once, from the
// farthest branch.
static void find_nests(Unrolling *unrolling) {
  const Flow *flow = &unrolling->flow;
  uint32_t reach = 0;  // blocks before this are in a loop that began before them
  uint32_t *last = memory_alloc(sizeof *last * (flow->block_count + 1u));
  for (uint32_t b = 0; b < flow->block_count; b++) {
    const Instruction *end = &unrolling->lowering->code[flow->blocks[b].end - 1];
    if (end->form.op != OP_BRA) continue;
    uint32_t to = flow->block_of[end->target];
    if (to < b && last[to] < b + 1) last[to] = b + 1;
  }
  for (uint32_t b = 0; b < flow->block_count; b++) {
    if (last[b] > reach) reach = last[b];
    unrolling->is_nested[b] = b < reach;
  }
  memory_free(last);
}

// Wide products go into the sums that follow them.
static bool is_short(const Unrolling *unrolling, uint32_t b) {
  const FlowBlock *block = &unrolling->flow.blocks[b];
  uint32_t count = 0;
  for (uint32_t i = block->first; i < block->end && count <= LARGEST_NESTED_BODY; i++)
    count += unrolling->lowering->code[i].form.width != WIDTH_WIDE;
  return count <= (unrolling->is_nested[b] ? LARGEST_NESTED_BODY : LARGEST_BODY);
}

static bool is_counted(Unrolling *unrolling, uint32_t b, Counter *counter) {
  const Instruction *code = unrolling->lowering->code;
  const FlowBlock *block = &unrolling->flow.blocks[b];
  const Instruction *branch = &code[block->end - 1];
  *counter = (Counter){.block = block, .branch = branch};
  if (branch->form.op != OP_BRA || branch->guard == NO_PLACE || branch->target != block->first ||
      !is_short(unrolling, b) || is_not_unrolled(unrolling, block) ||
      block->end == unrolling->lowering->code_count)
    return false;
  for (uint32_t i = block->first; i + 1 < block->end; i++)
    if (!is_body(&code[i])) return false;
  each_of_block(unrolling, block, count_write);
  bool is_good = find_test(unrolling, counter) && find_step(unrolling, counter);
  if (!is_good) each_of_block(unrolling, block, forget_write);
  return is_good;
}

// ---- writing

static Instruction *append(Unrolling *unrolling, const Instruction *in) {
  GROW(unrolling->code, unrolling->count, unrolling->capacity);
  unrolling->code[unrolling->count] = *in;
  return &unrolling->code[unrolling->count++];
}

static Place fresh(Unrolling *unrolling, DataType type) {
  return lower_hidden(unrolling->lowering, type);
}

// An instruction at the place of another, without operands.
static Instruction blank_like(const Instruction *in, Form form, const char *text) {
  Instruction out = {.form = form,
                     .guard = NO_PLACE,
                     .reconverge = NO_RECONVERGENCE,
                     .line = in->line,
                     .source = in->source,
                     .text = text};
  for (int i = 0; i < MAX_DESTINATIONS; i++) out.dst[i] = NO_PLACE;
  for (int i = 0; i < MAX_SOURCES; i++) out.src[i] = NO_PLACE;
  for (int i = 0; i < MAX_SPECIALS; i++) out.special_place[i] = NO_PLACE;
  out.exec = exec_find(&out.form);
  return out;
}

static Place append_setp(Unrolling *unrolling, const Counter *counter, uint8_t compare, Place a,
                         Place b, Place also) {
  Instruction test = *counter->test;
  test.form.compare = compare;
  test.form.operation = also == NO_PLACE ? OPERATION_NONE : OPERATION_AND;
  test.exec = exec_find(&test.form);
  test.dst[0] = fresh(unrolling, TYPE_PRED);
  test.src[0] = a;
  test.src[1] = b;
  test.src[2] = also;
  append(unrolling, &test);
  return test.dst[0];
}

static Place append_sum(Unrolling *unrolling, const Counter *counter, Opcode op, Place a, Place b) {
  bool is_wide = counter->bits == 64;
  uint8_t type = is_wide ? TYPE_U64 : TYPE_U32;
  Instruction sum =
      blank_like(counter->test, (Form){.op = (uint8_t)op, .type = type, .vector = 1}, NULL);
  instruction_rename(unrolling->lowering, &sum, opcode_info[op].name);
  sum.dst[0] = fresh(unrolling, (DataType)type);
  sum.src[0] = a;
  sum.src[1] = b;
  append(unrolling, &sum);
  return sum.dst[0];
}

static Place number(const Unrolling *unrolling, const Counter *counter, uint64_t value) {
  return constant_place(&unrolling->lowering->linker->constants, value, counter->bits / 8);
}

// Where i must not have arrived for so many turns to be left.
static Place append_bound(Unrolling *unrolling, const Counter *counter, uint64_t turns) {
  uint64_t limit, distance = counter->pace * (turns - 1);
  if (counter->compare == COMPARE_NE) return NO_PLACE;
  if (constant_value(unrolling->lowering, counter->limit, counter->bits, &limit))
    return number(unrolling, counter, counter->goes_up ? limit - distance : limit + distance);
  return append_sum(unrolling, counter, counter->goes_up ? OP_SUB : OP_ADD, counter->limit,
                    number(unrolling, counter, distance));
}

// Appends "are so many turns left?"; returns the predicate. Where the loop ends at
// one number only, the distance to it is asked for instead: it never overflows.
static Place append_question(Unrolling *unrolling, const Counter *counter, uint64_t turns,
                             Place bound, Place also) {
  if (counter->compare != COMPARE_NE)
    return append_setp(unrolling, counter, counter->compare, counter->i, bound, also);
  Place left = counter->goes_up
                   ? append_sum(unrolling, counter, OP_SUB, counter->limit, counter->i)
                   : append_sum(unrolling, counter, OP_SUB, counter->i, counter->limit);
  Counter far = *counter;
  Instruction test = *counter->test;
  test.form.type = counter->bits == 64 ? TYPE_U64 : TYPE_U32;
  far.test = &test;
  return append_setp(unrolling, &far, COMPARE_GT, left,
                     number(unrolling, counter, counter->pace * (turns - 1)), NO_PLACE);
}

static void append_branch(Unrolling *unrolling, const Counter *counter, Place guard, bool negated,
                          uint32_t target) {
  Instruction branch = *counter->branch;
  branch.guard = guard;
  branch.guard_negated = negated;
  branch.target = target;
  append(unrolling, &branch);
}

typedef struct Turn {
  Unrolling *unrolling;
  bool is_last;
} Turn;

static void read_name(void *state, Place *place, PlaceUse use) {
  const Turn *turn = state;
  if (use == PLACE_READ) *place = turn->unrolling->name[*place];
}

// What a turn writes gets a new name if it is local, or if this is its only
// write; the last turn writes what the loop carries under its own name.
static void write_name(void *state, Place *place, PlaceUse use) {
  const Turn *turn = state;
  Unrolling *unrolling = turn->unrolling;
  Place v = *place;
  if (use == PLACE_READ) return;
  bool is_local = unrolling->mentions[v].is_local;
  bool is_renamed = unrolling->writes_here[v] == 1 && !unrolling->is_guarded;
  if (!is_renamed || (turn->is_last && !is_local)) {
    unrolling->name[v] = v;
    return;
  }
  unrolling->name[v] = fresh(unrolling, unrolling->lowering->register_types[v]);
  *place = unrolling->name[v];
}

static void append_turn(Unrolling *unrolling, const Counter *counter, bool is_last) {
  const Lowering *lowering = unrolling->lowering;
  Turn turn = {unrolling, is_last};
  for (uint32_t i = counter->block->first; i + 1 < counter->block->end; i++) {
    Instruction *in = append(unrolling, &lowering->code[i]);
    unrolling->is_guarded = in->guard != NO_PLACE;
    instruction_each_place(in, lowering->linked, read_name, &turn);
    instruction_each_place(in, lowering->linked, write_name, &turn);
  }
}

static void own_name(void *state, Place *place, PlaceUse use) {
  (void)use;
  ((Unrolling *)state)->name[*place] = *place;
}

static void append_turns(Unrolling *unrolling, const Counter *counter, int turns) {
  each_of_block(unrolling, counter->block, own_name);
  for (int k = 0; k < turns; k++) append_turn(unrolling, counter, k + 1 == turns);
}

static void append_leaving(Unrolling *unrolling, const Counter *counter) {
  Place going =
      append_setp(unrolling, counter, counter->compare, counter->i, counter->limit, NO_PLACE);
  append_branch(unrolling, counter, going, true, counter->block->end);
}

// P and U; returns the branch to R.
static uint32_t append_fours(Unrolling *unrolling, Counter *counter) {
  counter->holds = NO_PLACE;
  counter->bound = append_bound(unrolling, counter, MOST_TURNS);
  if (counter->bound >= 0)
    counter->holds = append_setp(unrolling, counter, counter->goes_up ? COMPARE_LE : COMPARE_GE,
                                 counter->bound, counter->limit, NO_PLACE);
  Place enough = append_question(unrolling, counter, MOST_TURNS, counter->bound, counter->holds);
  uint32_t skip = unrolling->count;
  append_branch(unrolling, counter, enough, true, 0);
  uint32_t top = unrolling->count;
  append_turns(unrolling, counter, MOST_TURNS);
  Place more = append_question(unrolling, counter, MOST_TURNS, counter->bound, NO_PLACE);
  append_branch(unrolling, counter, more, false, top | FINAL_TARGET);
  append_leaving(unrolling, counter);
  return skip;
}

static void append_unrolled(Unrolling *unrolling, Counter *counter) {
  const Lowering *lowering = unrolling->lowering;
  uint32_t skip = append_fours(unrolling, counter);
  unrolling->code[skip].target = unrolling->count | FINAL_TARGET;
  Place bound = append_bound(unrolling, counter, FEWER_TURNS);
  Place enough = append_question(unrolling, counter, FEWER_TURNS, bound, counter->holds);
  skip = unrolling->count;
  append_branch(unrolling, counter, enough, true, 0);
  append_turns(unrolling, counter, FEWER_TURNS);
  append_leaving(unrolling, counter);
  uint32_t single = unrolling->count;
  unrolling->code[skip].target = single | FINAL_TARGET;
  for (uint32_t i = counter->block->first; i < counter->block->end; i++)
    append(unrolling, &lowering->code[i]);
  unrolling->code[unrolling->count - 1].target = single | FINAL_TARGET;
}

static void retarget(const Unrolling *unrolling, const uint32_t *moved) {
  for (uint32_t i = 0; i < unrolling->count; i++) {
    Instruction *in = &unrolling->code[i];
    if (in->form.op == OP_BRA)
      in->target = in->target & FINAL_TARGET ? in->target & ~FINAL_TARGET : moved[in->target];
    if (in->form.op == OP_BRX)
      for (int64_t k = 0; k < in->offset; k++)
        ((uint32_t *)(uintptr_t)in->targets)[k] = moved[in->targets[k]];
  }
}

static void write_all(Unrolling *unrolling) {
  Lowering *lowering = unrolling->lowering;
  uint32_t *moved = memory_alloc(sizeof *moved * (lowering->code_count + 1u));
  for (uint32_t b = 0; b < unrolling->flow.block_count; b++) {
    const FlowBlock *block = &unrolling->flow.blocks[b];
    Counter counter;
    for (uint32_t i = block->first; i < block->end; i++) moved[i] = unrolling->count;
    if (is_counted(unrolling, b, &counter)) {
      append_unrolled(unrolling, &counter);
      each_of_block(unrolling, block, forget_write);
      continue;
    }
    for (uint32_t i = block->first; i < block->end; i++) {
      moved[i] = unrolling->count;
      append(unrolling, &lowering->code[i]);
    }
  }
  retarget(unrolling, moved);
  lower_reserve(lowering, unrolling->count);
  memcpy(lowering->code, unrolling->code, sizeof(Instruction) * unrolling->count);
  lowering->code_count = unrolling->count;
  memory_free(moved);
}

void loops_unroll(Lowering *lowering) {
  size_t registers = lowering->register_count + 1u;
  Unrolling unrolling = {.lowering = lowering,
                         .is_loaded = loaded_find(lowering),
                         .mentions = memory_alloc(sizeof(Mentions) * registers),
                         .writes_here = memory_alloc(sizeof(uint32_t) * registers),
                         .name = memory_alloc(sizeof(Place) * registers)};
  flow_build(&unrolling.flow, lowering->code, lowering->code_count);
  note_all(&unrolling);
  find_hints(&unrolling);
  unrolling.is_nested = memory_alloc(unrolling.flow.block_count + 1u);
  find_nests(&unrolling);
  write_all(&unrolling);
  flow_clear(&unrolling.flow);
  memory_free(unrolling.is_loaded);
  memory_free(unrolling.mentions);
  memory_free(unrolling.writes_here);
  memory_free(unrolling.name);
  memory_free(unrolling.code);
  memory_free(unrolling.hints);
  memory_free(unrolling.is_nested);
}
