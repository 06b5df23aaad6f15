// SPDX-License-Identifier: MIT
// Unrolling of counted loops of one block (counters.h), as in ptxas. Iterations of constant
// number are all written out, or a divisor of them (whole.h). Of others:
//
//   P:  if fewer than four iterations are left, go to R
//   U:  four iterations; if at least four are left, go to U
//       if none is left, exit
//   R:  if fewer than two iterations are left, go to S
//       two iterations; if none is left, exit
//   S:  the original loop
//
// If the computation of remaining iterations overflows, the test fails, and S
// executes the original loop.
//
// In all copies but the last, loop-carried registers are renamed, so that addresses
// become offsets and iterations overlap; so are registers local to an iteration.
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/optimise/counters.h"
#include "frontends/ptx/optimise/mentions.h"
#include "frontends/ptx/optimise/rewrite.h"
#include "frontends/ptx/optimise/simplify.h"
#include "frontends/ptx/optimise/steps.h"
#include "frontends/ptx/optimise/whole.h"

typedef struct Unrolling {
  Lowering *lowering;
  Graph graph;
  Counters counters;
  bool *is_local;      // by register of the original
  bool *is_over;       // ... not live behind the loop that is written out
  Place *name;         // ... its name in the current copy
  uint32_t registers;  // of the original
  NewCode out;
  bool is_guarded;
} Unrolling;

// ---- emission

static Instruction *append(Unrolling *unrolling, const Instruction *in) {
  return new_code_append(&unrolling->out, in);
}

static Place fresh(Unrolling *unrolling, DataType type) {
  return lower_hidden(unrolling->lowering, type);
}

// An instruction with the source position of another, without operands.
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

// Emits the bound that i must not have reached if this many iterations are left.
static Place append_bound(Unrolling *unrolling, const Counter *counter, uint64_t turns) {
  uint64_t limit, distance = counter->pace * (turns - 1);
  if (counter->compare == COMPARE_NE) return NO_PLACE;
  if (constant_value(unrolling->lowering, counter->limit, counter->bits, &limit))
    return number(unrolling, counter, counter->goes_up ? limit - distance : limit + distance);
  return append_sum(unrolling, counter, counter->goes_up ? OP_SUB : OP_ADD, counter->limit,
                    number(unrolling, counter, distance));
}

// Emits the test whether this many iterations are left; returns the predicate. If the
// loop ends at exactly one value (!=), the distance is tested, which never overflows.
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

// A written register is renamed if it is local, or if this is its only write; the last
// copy writes registers that are read after it under their own names.
static void write_name(void *state, Place *place, PlaceUse use) {
  const Turn *turn = state;
  Unrolling *unrolling = turn->unrolling;
  Place v = *place;
  if (use == PLACE_READ) return;
  bool is_local = unrolling->is_local[v];
  bool is_renamed = unrolling->counters.writes_here[v] == 1 && !unrolling->is_guarded;
  if (!is_renamed || (turn->is_last && !is_local && !unrolling->is_over[v])) {
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

static void own_names(Unrolling *unrolling, const FlowBlock *block) {
  const Lowering *lowering = unrolling->lowering;
  for (uint32_t i = block->first; i < block->end; i++)
    instruction_each_place(&lowering->code[i], lowering->linked, own_name, unrolling);
}

static void append_turns(Unrolling *unrolling, const Counter *counter, uint64_t turns) {
  own_names(unrolling, counter->block);
  for (uint64_t k = 0; k < turns; k++) append_turn(unrolling, counter, k + 1 == turns);
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
  uint32_t skip = unrolling->out.count;
  append_branch(unrolling, counter, enough, true, 0);
  uint32_t top = unrolling->out.count;
  append_turns(unrolling, counter, MOST_TURNS);
  Place more = append_question(unrolling, counter, MOST_TURNS, counter->bound, NO_PLACE);
  append_branch(unrolling, counter, more, false, top | FINAL_TARGET);
  append_leaving(unrolling, counter);
  return skip;
}

static void append_unrolled(Unrolling *unrolling, Counter *counter) {
  const Lowering *lowering = unrolling->lowering;
  uint32_t skip = append_fours(unrolling, counter);
  unrolling->out.code[skip].target = unrolling->out.count | FINAL_TARGET;
  Place bound = append_bound(unrolling, counter, FEWER_TURNS);
  Place enough = append_question(unrolling, counter, FEWER_TURNS, bound, counter->holds);
  skip = unrolling->out.count;
  append_branch(unrolling, counter, enough, true, 0);
  append_turns(unrolling, counter, FEWER_TURNS);
  append_leaving(unrolling, counter);
  uint32_t single = unrolling->out.count;
  unrolling->out.code[skip].target = single | FINAL_TARGET;
  for (uint32_t i = counter->block->first; i < counter->block->end; i++)
    append(unrolling, &lowering->code[i]);
  unrolling->out.code[unrolling->out.count - 1].target = single | FINAL_TARGET;
}

// ---- constant trip count

typedef struct Behind {
  bool *is_over;
  uint32_t point;
} Behind;

static void note_stretch(void *state, uint32_t v, uint32_t begin, uint32_t end) {
  const Behind *behind = state;
  (void)end;
  if (begin == behind->point) behind->is_over[v] = false;
}

// Registers not live at the exit of the loop: with its branch, they lose their writes, and what
// they held before is their only value.
static void find_over(Unrolling *unrolling, const FlowBlock *block) {
  const Lowering *lowering = unrolling->lowering;
  Behind behind = {unrolling->is_over, 2 * block->end};
  memset(unrolling->is_over, true, unrolling->registers);
  if (!liveness_each_stretch(lowering, &unrolling->counters.flow, note_stretch, &behind))
    memset(unrolling->is_over, false, unrolling->registers);
}

static void append_whole(Unrolling *unrolling, const Counter *counter, uint64_t turns) {
  find_over(unrolling, counter->block);
  append_turns(unrolling, counter, turns);
  memset(unrolling->is_over, false, unrolling->registers);
}

// The trip count is a multiple of the copies.
static void append_some(Unrolling *unrolling, const Counter *counter, uint64_t copies) {
  uint32_t top = unrolling->out.count;
  append_turns(unrolling, counter, copies);
  // The last copy has its own names of what is local to an iteration, as the guard may be.
  append_branch(unrolling, counter, unrolling->name[counter->branch->guard],
                counter->branch->guard_negated, top | FINAL_TARGET);
}

// Returns false if the loop stays as it is.
static bool append_loop(Unrolling *unrolling, Counter *counter) {
  const Graph *graph = &unrolling->graph;
  const Counters *counters = &unrolling->counters;
  uint64_t turns = whole_turns(graph, counters, counter);
  uint64_t copies = turns ? whole_copies(graph, counters, counter, turns) : 0;
  if (turns && copies == turns)
    append_whole(unrolling, counter, turns);
  else if (copies > 1)
    append_some(unrolling, counter, copies);
  else if (!turns && counter_is_short(counters, counter))
    append_unrolled(unrolling, counter);
  else
    return false;
  return true;
}

static void write_all(Unrolling *unrolling) {
  Lowering *lowering = unrolling->lowering;
  uint32_t *moved = unrolling->out.moved;
  const Flow *flow = &unrolling->counters.flow;
  for (uint32_t b = 0; b < flow->block_count; b++) {
    const FlowBlock *block = &flow->blocks[b];
    Counter counter;
    bool is_written = false;
    for (uint32_t i = block->first; i < block->end; i++) moved[i] = unrolling->out.count;
    if (counter_of(&unrolling->counters, b, &counter)) {
      is_written = append_loop(unrolling, &counter);
      counter_forget(&unrolling->counters, &counter);
    }
    for (uint32_t i = block->first; i < block->end && !is_written; i++) {
      moved[i] = unrolling->out.count;
      append(unrolling, &lowering->code[i]);
    }
  }
}

void loops_unroll(Lowering *lowering, const CompilerRules *rules) {
  size_t registers = lowering->register_count + 1u;
  Unrolling unrolling = {.lowering = lowering,
                         .is_over = memory_alloc(registers),
                         .name = memory_alloc(sizeof(Place) * registers),
                         .registers = lowering->register_count};
  graph_build(&unrolling.graph, lowering);
  counters_find(&unrolling.counters, lowering, rules);
  unrolling.is_local = locals_find(lowering, &unrolling.counters.flow);
  new_code_open(&unrolling.out, lowering);
  write_all(&unrolling);
  new_code_close(&unrolling.out, lowering);
  graph_clear(&unrolling.graph);
  counters_clear(&unrolling.counters);
  memory_free(unrolling.is_local);
  memory_free(unrolling.is_over);
  memory_free(unrolling.name);
}
