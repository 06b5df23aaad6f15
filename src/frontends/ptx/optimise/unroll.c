// SPDX-License-Identifier: MIT
// Loops of one block that count, four turns at a time, as ptxas does:
//
//   P:  if fewer than four turns are left, go to S
//   U:  four turns, tested once; leave if that was the last
//       if four more are left, go to U
//   S:  the loop as it was
//
// A loop counts if its only branch compares a register that one instruction of
// the loop changes by a constant with one that the loop does not change. Whether
// turns are left is asked so that overflow is answered with no: then S does what
// the loop does.
//
// ptxas leaves alone long loops, those that a compiler has unrolled and says so
// (.pragma "nounroll"), and those of which the count depends on memory, such as
// over the neighbours of a node; so does this.
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

enum { TURNS = 4, LARGEST_BODY = 24 };
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
} Unrolling;

// A loop that counts.
typedef struct Counter {
  const FlowBlock *block;
  const Instruction *test, *step, *branch;
  Place i, limit;
  uint8_t compare;  // turns go on while i compares so with the limit
  int bits;
  uint64_t distance;  // of three turns, without its sign
  bool goes_up;
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
  if (counter->i < 0 || unrolling->is_loaded[counter->i]) return false;
  bool is_fixed = counter->limit < 0 || (unrolling->writes_here[counter->limit] == 0 &&
                                         !unrolling->is_loaded[counter->limit]);
  return (counter->bits == 32 || counter->bits == 64) && is_fixed && counter->limit != NO_PLACE;
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
  counter->distance = (uint64_t)(signed_value < 0 ? -signed_value : signed_value) * (TURNS - 1);
  if (!signed_value || counter->distance > 1 << 20) return false;
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

static bool is_counted(Unrolling *unrolling, uint32_t b, Counter *counter) {
  const Instruction *code = unrolling->lowering->code;
  const FlowBlock *block = &unrolling->flow.blocks[b];
  const Instruction *branch = &code[block->end - 1];
  *counter = (Counter){.block = block, .branch = branch};
  if (branch->form.op != OP_BRA || branch->guard == NO_PLACE || branch->target != block->first ||
      block->end - block->first > LARGEST_BODY || is_not_unrolled(unrolling, block) ||
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

// Appends "are four turns left?"; returns the predicate. The distance to the limit
// is more than three steps, and, where order matters, i is still before it.
static Place append_question(Unrolling *unrolling, const Counter *counter) {
  Lowering *lowering = unrolling->lowering;
  bool is_wide = counter->bits == 64;
  uint8_t whole = is_wide ? TYPE_U64 : TYPE_U32;
  Place left = fresh(unrolling, (DataType)whole), far = fresh(unrolling, TYPE_PRED);
  Instruction difference =
      blank_like(counter->test, (Form){.op = OP_SUB, .type = whole, .vector = 1},
                 is_wide ? "sub.u64" : "sub.u32");
  difference.dst[0] = left;
  difference.src[0] = counter->goes_up ? counter->limit : counter->i;
  difference.src[1] = counter->goes_up ? counter->i : counter->limit;
  append(unrolling, &difference);
  Instruction test = blank_like(
      counter->test, (Form){.op = OP_SETP, .type = whole, .compare = COMPARE_GT, .vector = 1},
      is_wide ? "setp.gt.u64" : "setp.gt.u32");
  test.dst[0] = far;
  test.src[0] = left;
  test.src[1] = constant_place(&lowering->linker->constants, counter->distance, is_wide ? 8 : 4);
  append(unrolling, &test);
  if (counter->compare == COMPARE_NE) return far;
  Instruction order = *counter->test;
  Place both = fresh(unrolling, TYPE_PRED);
  order.form.compare = counter->compare;
  order.form.operation = OPERATION_AND;
  order.exec = exec_find(&order.form);
  order.dst[0] = both;
  order.src[2] = far;
  append(unrolling, &order);
  return both;
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

static void append_unrolled(Unrolling *unrolling, const Counter *counter) {
  const Lowering *lowering = unrolling->lowering;
  each_of_block(unrolling, counter->block, own_name);
  Place enough = append_question(unrolling, counter);
  uint32_t skip = unrolling->count;
  append_branch(unrolling, counter, enough, true, 0);
  uint32_t top = unrolling->count;
  for (int k = 0; k < TURNS; k++) append_turn(unrolling, counter, k + 1 == TURNS);
  Place going = unrolling->name[counter->branch->guard];
  append_branch(unrolling, counter, going, !counter->branch->guard_negated, counter->block->end);
  append_branch(unrolling, counter, append_question(unrolling, counter), false, top | FINAL_TARGET);
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
  write_all(&unrolling);
  flow_clear(&unrolling.flow);
  memory_free(unrolling.is_loaded);
  memory_free(unrolling.mentions);
  memory_free(unrolling.writes_here);
  memory_free(unrolling.name);
  memory_free(unrolling.code);
  memory_free(unrolling.hints);
}
