// SPDX-License-Identifier: MIT
// Full unrolling of loops with constant trip count (known.h). In each copy of the body,
// the induction variable is a constant, and registers local to an iteration are
// renamed.
#include "base/memory.h"
#include "frontends/ptx/optimise/known.h"
#include "frontends/ptx/optimise/rewrite.h"
#include "frontends/ptx/optimise/steps.h"

typedef struct Span {
  uint32_t low, high;  // first and last block that references a register
} Span;

typedef struct Repeating {
  Lowering *lowering;
  Graph graph;
  Counters counters;
  Span *spans;  // by register of the original
  Place *name;  // ... its name in the current copy
  uint32_t registers;
  KnownLoop *loops;
  uint32_t loop_count, loop_capacity;
  uint32_t *beginning;               // by block: 1 + the loop that starts with it in the code
  const KnownLoop *loop;             // current loop
  uint32_t start[MOST_LOOP_BLOCKS];  // of the blocks of this copy, in the new code
  NewCode out;
  uint32_t block;  // current block
} Repeating;

static void note_mention(void *state, Place *place, PlaceUse use) {
  Repeating *repeating = state;
  Span *span = &repeating->spans[*place];
  (void)use;
  if (repeating->block < span->low) span->low = repeating->block;
  if (repeating->block > span->high) span->high = repeating->block;
}

static void find_spans(Repeating *repeating) {
  Lowering *lowering = repeating->lowering;
  for (uint32_t v = 0; v < repeating->registers; v++) {
    repeating->spans[v] = (Span){NO_INDEX, 0};
    repeating->name[v] = (Place)v;
  }
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    repeating->block = repeating->graph.flow.block_of[i];
    instruction_each_place(&lowering->code[i], lowering->linked, note_mention, repeating);
  }
}

// ---- names

// Whether a value is defined and used within an iteration, its definition before the
// uses of the same iteration.
static bool is_of_turn(const Repeating *repeating, Place place) {
  const KnownLoop *loop = repeating->loop;
  return repeating->graph.is_value[place] && repeating->spans[place].low >= loop->low &&
         repeating->spans[place].high <= loop->high;
}

static void read_name(void *state, Place *place, PlaceUse use) {
  const Repeating *repeating = state;
  if (use == PLACE_READ) *place = repeating->name[*place];
}

static void write_name(void *state, Place *place, PlaceUse use) {
  Repeating *repeating = state;
  if (use == PLACE_READ || !is_of_turn(repeating, *place)) return;
  Place fresh = lower_hidden(repeating->lowering, repeating->lowering->register_types[*place]);
  repeating->name[*place] = fresh;
  *place = fresh;
}

static void own_name(void *state, Place *place, PlaceUse use) {
  (void)use;
  ((Repeating *)state)->name[*place] = *place;
}

// ---- emission

static Instruction *append(Repeating *repeating, const Instruction *in) {
  return new_code_append(&repeating->out, in);
}

static void append_jump(Repeating *repeating, uint32_t target) {
  const KnownLoop *loop = repeating->loop;
  const FlowBlock *last = &repeating->graph.flow.blocks[loop->last];
  Instruction *jump = append(repeating, &repeating->lowering->code[last->end - 1]);
  jump->guard = NO_PLACE;
  jump->guard_negated = false;
  jump->target = target;
}

// From here on, i is replaced with a register that holds its value.
static void append_counter(Repeating *repeating, uint64_t turns) {
  const KnownLoop *loop = repeating->loop;
  Lowering *lowering = repeating->lowering;
  Instruction move = lowering->code[loop->step];
  uint64_t value = loop->first + loop->pace * turns;
  move.form = (Form){.op = OP_MOV, .type = loop->bits == 64 ? TYPE_B64 : TYPE_B32, .vector = 1};
  move.exec = loop->bits == 64 ? exec_mov_64 : exec_mov_32;
  move.text = loop->bits == 64 ? "mov.b64" : "mov.b32";
  move.dst[0] = lower_hidden(lowering, lowering->register_types[loop->i]);
  move.src[0] = constant_place(&lowering->linker->constants, value, loop->bits / 8);
  move.src[1] = NO_PLACE;
  append(repeating, &move);
  repeating->name[loop->i] = move.dst[0];
}

static void append_instruction(Repeating *repeating, uint32_t index, uint64_t turn) {
  const Lowering *lowering = repeating->lowering;
  if (index == repeating->loop->step) {
    append_counter(repeating, turn + 1);
    return;
  }
  Instruction *in = append(repeating, &lowering->code[index]);
  instruction_each_place(in, lowering->linked, read_name, repeating);
  instruction_each_place(in, lowering->linked, write_name, repeating);
}

static bool falls_through(const Instruction *in) {
  Opcode op = (Opcode)in->form.op;
  return in->guard != NO_PLACE || (op != OP_BRA && op != OP_RET && op != OP_EXIT && op != OP_TRAP);
}

static void append_block(Repeating *repeating, uint32_t k, uint64_t turn) {
  const KnownLoop *loop = repeating->loop;
  const FlowBlock *block = &repeating->graph.flow.blocks[loop->blocks[k]];
  bool is_last = loop->blocks[k] == loop->last;
  repeating->start[k] = repeating->out.count;
  if (k == 0) append_counter(repeating, turn);
  for (uint32_t i = block->first; i + is_last < block->end; i++)
    append_instruction(repeating, i, turn);
  if (is_last)
    append_jump(repeating, turn + 1 == loop->turns ? loop->exit : FINAL_TARGET);
  else if (falls_through(&repeating->lowering->code[block->end - 1]))
    append_jump(repeating, block->end);
}

// Branches within a copy target its own blocks; its latch continues with the next copy.
static void aim_turn(Repeating *repeating, uint32_t from) {
  const KnownLoop *loop = repeating->loop;
  for (uint32_t i = from; i < repeating->out.count; i++) {
    Instruction *in = &repeating->out.code[i];
    if (in->form.op != OP_BRA) continue;
    if (in->target == FINAL_TARGET) {
      in->target = repeating->out.count | FINAL_TARGET;
      continue;
    }
    uint32_t to = repeating->graph.flow.block_of[in->target];
    for (uint32_t k = 0; k < loop->count; k++)
      if (loop->blocks[k] == to) in->target = repeating->start[k] | FINAL_TARGET;
  }
}

static void append_loop(Repeating *repeating, const KnownLoop *loop) {
  const Lowering *lowering = repeating->lowering;
  const Flow *flow = &repeating->graph.flow;
  repeating->loop = loop;
  for (uint64_t turn = 0; turn < loop->turns; turn++) {
    uint32_t from = repeating->out.count;
    for (uint32_t k = 0; k < loop->count; k++) append_block(repeating, k, turn);
    aim_turn(repeating, from);
  }
  for (uint32_t i = flow->blocks[loop->low].first; i < flow->blocks[loop->high].end; i++)
    instruction_each_place(&lowering->code[i], lowering->linked, own_name, repeating);
}

// Loops do not overlap: a loop that contains another is not a known loop.
static void find_loops(Repeating *repeating) {
  uint32_t blocks = repeating->graph.flow.block_count;
  repeating->beginning = memory_alloc(sizeof(uint32_t) * (blocks + 1u));
  for (uint32_t b = 0; b < blocks; b++) {
    KnownLoop loop;
    if (!known_loop_of(&repeating->graph, &repeating->counters, b, &loop)) continue;
    GROW(repeating->loops, repeating->loop_count, repeating->loop_capacity);
    repeating->loops[repeating->loop_count++] = loop;
    repeating->beginning[loop.low] = repeating->loop_count;
  }
}

static void write_all(Repeating *repeating) {
  uint32_t *moved = repeating->out.moved;
  const Lowering *lowering = repeating->lowering;
  const Flow *flow = &repeating->graph.flow;
  for (uint32_t b = 0; b < flow->block_count; b++) {
    if (repeating->beginning[b]) {
      const KnownLoop *loop = &repeating->loops[repeating->beginning[b] - 1];
      moved[flow->blocks[loop->blocks[0]].first] = repeating->out.count;
      append_loop(repeating, loop);
      b = loop->high;
      continue;
    }
    for (uint32_t i = flow->blocks[b].first; i < flow->blocks[b].end; i++) {
      moved[i] = repeating->out.count;
      append(repeating, &lowering->code[i]);
    }
  }
}

void turns_write_out(Lowering *lowering, const CompilerRules *rules) {
  Repeating repeating = {.lowering = lowering, .registers = lowering->register_count};
  repeating.spans = memory_alloc(sizeof(Span) * (repeating.registers + 1u));
  repeating.name = memory_alloc(sizeof(Place) * (repeating.registers + 1u));
  graph_build(&repeating.graph, lowering);
  counters_find(&repeating.counters, lowering, rules);
  find_spans(&repeating);
  find_loops(&repeating);
  new_code_open(&repeating.out, lowering);
  write_all(&repeating);
  counters_clear(&repeating.counters);
  new_code_close(&repeating.out, lowering);
  graph_clear(&repeating.graph);
  memory_free(repeating.spans);
  memory_free(repeating.name);
  memory_free(repeating.loops);
  memory_free(repeating.beginning);
}
