// SPDX-License-Identifier: MIT
// Counted loops of one block with constant trip count: how many iterations are written
// out. The header gives the rule and its source.
#include "frontends/ptx/optimise/whole.h"

#include "base/memory.h"
#include "frontends/ptx/optimise/alias.h"
#include "frontends/ptx/optimise/known.h"
#include "frontends/ptx/optimise/simplify.h"

enum { MOST_TURNS_WHOLE = 1024, SAVED_WEIGHT = 6500, SHARED_SAVED = 4 };
enum { LARGEST_REPEATED = 75, LARGEST_UNROLLED = 376 };

typedef struct Weigher {
  const Graph *graph;
  const Counters *counters;
  bool *is_known;  // by register: depends on induction variables with constant start only
  bool is_nested, reads_known, reads_unknown;
  uint64_t cost, saved;
} Weigher;

// The value of a register before the loop, which writes it once.
static bool find_first(const Graph *graph, const FlowBlock *block, Place i, int bits,
                       uint64_t *first) {
  const Lowering *lowering = graph->lowering;
  uint32_t header = graph->flow.block_of[block->first];
  if (graph->write_count[i] != 2) return false;
  for (uint32_t k = 0; k < lowering->code_count; k++) {
    const Instruction *in = &lowering->code[k];
    if (in->dst[0] != i || graph->flow.block_of[k] == header) continue;
    return instruction_is_copy(in) && known_value(graph, in->src[0], bits, first) &&
           block_dominates(graph, graph->flow.block_of[k], header);
  }
  return false;
}

uint64_t whole_turns(const Graph *graph, const Counters *counters, const Counter *counter) {
  KnownCount count = {.pace = counter->goes_up ? counter->pace : 0 - counter->pace,
                      .bits = counter->bits,
                      .compare = counter->compare};
  count.is_signed = type_kind((DataType)counter->test->form.type) == KIND_SIGNED;
  if (!counters->follows_ptxas_13 ||
      lower_register_bytes(graph->lowering, counter->i) * 8 != counter->bits ||
      !find_first(graph, counter->block, counter->i, counter->bits, &count.first) ||
      !known_value(graph, counter->limit, counter->bits, &count.limit))
    return 0;
  uint64_t turns = known_turns(&count, MOST_TURNS_WHOLE);
  return turns <= MOST_TURNS_WHOLE ? turns : 0;
}

// ---- cost

static void note_read(void *state, Place *place, PlaceUse use) {
  Weigher *weigher = state;
  if (use != PLACE_READ) return;
  *(weigher->is_known[*place] ? &weigher->reads_known : &weigher->reads_unknown) = true;
}

static void note_write(void *state, Place *place, PlaceUse use) {
  Weigher *weigher = state;
  if (use == PLACE_WRITTEN && weigher->counters->writes_here[*place] == 1)
    weigher->is_known[*place] = true;
}

static bool is_step(const Instruction *in, int bits) {
  return instruction_is_modular(in, OP_ADD, bits) && in->dst[0] == in->src[0];
}

static void find_starts(Weigher *weigher, const FlowBlock *block) {
  const Lowering *lowering = weigher->graph->lowering;
  for (uint32_t k = block->first; k < block->end; k++) {
    const Instruction *in = &lowering->code[k];
    uint64_t first, pace;
    int bits = type_bits((DataType)in->form.type);
    if (is_step(in, bits) && constant_value(lowering, in->src[1], bits, &pace) &&
        find_first(weigher->graph, block, in->dst[0], bits, &first))
      weigher->is_known[in->dst[0]] = true;
  }
}

static uint64_t cost_of(const Instruction *in) {
  switch (opcode_info[in->form.op].family) {
    case FAMILY_ATOMIC: return 10;
    case FAMILY_MEMORY: return in->form.op == OP_CVTA ? 1 : 2;
    case FAMILY_BARRIER: return 2;
    case FAMILY_MOVE: return in->form.op != OP_MOV;
    default: return 1;
  }
}

static bool is_foldable(const Weigher *weigher, const Instruction *in) {
  return in->form.op == OP_BRA || instruction_is_pure(in, weigher->graph->lowering->linked);
}

// An access to shared memory whose address is an offset of one base in all copies.
static bool is_near(const Weigher *weigher, const Instruction *in) {
  bool is_known = in->src[0] < 0 || weigher->is_known[in->src[0]];
  return in->form.space == SPACE_SHARED && access_is_plain(in) && (weigher->is_nested || is_known);
}

static void weigh(Weigher *weigher, Instruction *in) {
  const Function *function = weigher->graph->lowering->linked;
  weigher->reads_known = weigher->reads_unknown = false;
  instruction_each_place(in, function, note_read, weigher);
  bool is_known = !weigher->reads_unknown && !in->special[0];
  uint64_t cost = cost_of(in);
  weigher->cost += cost;
  if (is_near(weigher, in)) weigher->saved += SHARED_SAVED;
  if (!is_known || !is_foldable(weigher, in)) return;
  if (weigher->reads_known) weigher->saved += cost;
  instruction_each_place(in, function, note_write, weigher);
}

static void weigh_block(Weigher *weigher, const FlowBlock *block) {
  const Lowering *lowering = weigher->graph->lowering;
  weigher->is_known = memory_alloc(lowering->register_count + 1u);
  find_starts(weigher, block);
  for (uint32_t k = block->first; k < block->end; k++) weigh(weigher, &lowering->code[k]);
  memory_free(weigher->is_known);
}

static bool is_float(const Form *form) {
  return type_kind((DataType)form->type) == KIND_FLOAT;
}

// ptxas calls functions for rare operands of these, and for 64-bit integers.
static bool is_called(const Form *form) {
  bool is_exact = !form->approx && !form->full;
  switch (form->op) {
    case OP_DIV:
    case OP_REM: return is_exact && (is_float(form) || type_bits((DataType)form->type) == 64);
    case OP_RCP:
    case OP_SQRT: return is_exact;
    default: return false;
  }
}

static bool is_copied(const Instruction *in) {
  if (instruction_uses_carry(in) || in->list || in->special_place[0] != NO_PLACE) return false;
  switch (in->form.op) {
    case OP_BAR:
    case OP_BARRIER: return in->form.mode != MODE_WARP;
    case OP_BRA:
    case OP_ACTIVEMASK: return true;
    default: break;
  }
  switch (opcode_info[in->form.op].family) {
    case FAMILY_ATOMIC:
    case FAMILY_MEMORY: return true;
    default: return !access_is_fenced(in) && !is_called(&in->form);
  }
}

static bool can_be_copied(const Graph *graph, const FlowBlock *block) {
  for (uint32_t k = block->first; k < block->end; k++)
    if (!is_copied(&graph->lowering->code[k])) return false;
  return true;
}

uint64_t whole_copies(const Graph *graph, const Counters *counters, const Counter *counter,
                      uint64_t turns) {
  uint32_t header = graph->flow.block_of[counter->block->first];
  if (!can_be_copied(graph, counter->block)) return 1;
  Weigher weigher = {
      .graph = graph, .counters = counters, .is_nested = counters->is_nested[header]};
  weigh_block(&weigher, counter->block);
  uint64_t cost = weigher.cost;
  if ((turns - 1) * cost * cost <= SAVED_WEIGHT * weigher.saved) return turns;
  if (cost > LARGEST_REPEATED) return 1;
  uint64_t copies = turns;
  while (turns % copies || copies * cost > LARGEST_UNROLLED) copies--;
  return copies;
}
