// SPDX-License-Identifier: MIT
// Loops of several blocks with constant trip count: the latch, the last block of each iteration,
// adds a constant to the induction variable and compares it with a constant; its initial value is
// a constant, too.
#include "frontends/ptx/optimise/known.h"

#include "frontends/ptx/optimise/simplify.h"

enum { MOST_TURNS_KNOWN = 128, MOST_INSTRUCTIONS = 2048 };

// ---- blocks of the loop

static bool leads_to(const Graph *graph, uint32_t from, uint32_t to) {
  const FlowBlock *block = &graph->flow.blocks[from];
  for (uint32_t k = 0; k < block->successor_count; k++)
    if (graph->flow.edges[block->successors + k] == to) return true;
  return false;
}

// Whether the block has an edge into the loop other than to the header.
static bool leads_into(const Graph *graph, uint32_t from, const KnownLoop *loop, uint32_t header) {
  const FlowBlock *block = &graph->flow.blocks[from];
  for (uint32_t k = 0; k < block->successor_count; k++) {
    uint32_t to = graph->flow.edges[block->successors + k];
    if (to != header && known_loop_has(loop, to)) return true;
  }
  return false;
}

// Extends the loop in both directions until the header is its only entry.
static bool find_range(const Graph *graph, uint32_t header, KnownLoop *loop) {
  uint32_t blocks = graph->flow.block_count;
  loop->low = header < loop->last ? header : loop->last;
  loop->high = header < loop->last ? loop->last : header;
  while (loop->high - loop->low < MOST_LOOP_BLOCKS) {
    if (loop->high + 1 < blocks && leads_into(graph, loop->high + 1, loop, header))
      loop->high++;
    else if (loop->low > 0 && leads_into(graph, loop->low - 1, loop, header))
      loop->low--;
    else
      break;
  }
  loop->count = loop->high - loop->low + 1;
  if (loop->count < 2 || loop->count > MOST_LOOP_BLOCKS) return false;
  for (uint32_t b = 0; b < blocks; b++)
    if (!known_loop_has(loop, b) && leads_into(graph, b, loop, header)) return false;
  return true;
}

static uint32_t position_of(const KnownLoop *loop, uint32_t block) {
  uint32_t header = loop->blocks[0];
  return block >= header ? block - header : block - loop->low + (loop->high - header + 1);
}

// Orders the blocks from the header. Only the latch may have a back edge, and the
// header must reach all blocks.
static bool order_blocks(const Graph *graph, uint32_t header, KnownLoop *loop) {
  loop->blocks[0] = header;
  for (uint32_t b = loop->low; b <= loop->high; b++) loop->blocks[position_of(loop, b)] = b;
  for (uint32_t k = 0; k < loop->count; k++) {
    uint32_t b = loop->blocks[k];
    const FlowBlock *block = &graph->flow.blocks[b];
    if (!block_dominates(graph, header, b)) return false;
    for (uint32_t e = 0; e < block->successor_count; e++) {
      uint32_t to = graph->flow.edges[block->successors + e];
      if (known_loop_has(loop, to) && b != loop->last && position_of(loop, to) <= k) return false;
    }
  }
  return true;
}

static bool is_copied(const Instruction *in) {
  return in->form.op != OP_BRX && in->form.op != OP_CALL && !in->call && !in->list &&
         !instruction_reads_clock(in) && !instruction_uses_carry(in) &&
         in->special_place[0] == NO_PLACE;
}

static bool can_be_copied(const Graph *graph, const Counters *counters, const KnownLoop *loop) {
  for (uint32_t b = loop->low; b <= loop->high; b++) {
    const FlowBlock *block = &graph->flow.blocks[b];
    if (counters_forbid(counters, block)) return false;
    for (uint32_t i = block->first; i < block->end; i++)
      if (!is_copied(&graph->lowering->code[i])) return false;
  }
  return true;
}

// ---- induction variable

bool known_value(const Graph *graph, Place place, int bits, uint64_t *value) {
  if (graph_is_value(graph, place) && graph->writer[place] != NO_INDEX) {
    const Instruction *from = graph_writer(graph, place);
    if (!instruction_is_copy(from)) return false;
    place = from->src[0];
  }
  return constant_value(graph->lowering, place, bits, value);
}

static bool find_step(const Graph *graph, KnownLoop *loop) {
  const Lowering *lowering = graph->lowering;
  const FlowBlock *block = &graph->flow.blocks[loop->last];
  for (loop->step = block->first; loop->step < loop->test; loop->step++) {
    const Instruction *in = &lowering->code[loop->step];
    if (in->dst[0] != loop->i) continue;
    return instruction_is_modular(in, OP_ADD, loop->bits) && in->src[0] == loop->i &&
           constant_value(lowering, in->src[1], loop->bits, &loop->pace);
  }
  return false;
}

// The other definition of i precedes the loop; i has no uses elsewhere.
static bool find_first(const Graph *graph, KnownLoop *loop) {
  const Lowering *lowering = graph->lowering;
  uint32_t reads = 0;
  bool is_found = false;
  for (uint32_t k = 0; k < lowering->code_count; k++) {
    const Instruction *in = &lowering->code[k];
    bool is_inside = known_loop_has(loop, graph->flow.block_of[k]);
    for (int s = 0; s < MAX_SOURCES; s++) reads += is_inside && in->src[s] == loop->i;
    if (k == loop->step || in->dst[0] != loop->i) continue;
    is_found = !is_inside && instruction_is_copy(in) &&
               known_value(graph, in->src[0], loop->bits, &loop->first) &&
               block_dominates(graph, graph->flow.block_of[k], loop->blocks[0]);
    if (!is_found) return false;
  }
  return is_found && reads == graph->read_count[loop->i];
}

static bool find_test(const Graph *graph, KnownLoop *loop) {
  const Instruction *branch = &graph->lowering->code[graph->flow.blocks[loop->last].end - 1];
  if (!graph_is_value(graph, branch->guard) || graph->writer[branch->guard] == NO_INDEX)
    return false;
  const Instruction *test = graph_writer(graph, branch->guard);
  loop->test = graph->writer[branch->guard];
  loop->i = test->src[0];
  loop->bits = type_bits((DataType)test->form.type);
  TypeKind kind = type_kind((DataType)test->form.type);
  return graph->flow.block_of[loop->test] == loop->last && test->form.op == OP_SETP &&
         test->form.operation == OPERATION_NONE && test->form.compare >= COMPARE_EQ &&
         test->form.compare <= COMPARE_GE && !test->special[0] && kind != KIND_FLOAT &&
         (loop->bits == 32 || loop->bits == 64) && loop->i >= 0 &&
         graph->write_count[loop->i] == 2 &&
         lower_register_bytes(graph->lowering, loop->i) * 8 == loop->bits;
}

static bool compares(uint8_t compare, bool is_less, bool is_equal) {
  switch (compare) {
    case COMPARE_EQ: return is_equal;
    case COMPARE_NE: return !is_equal;
    case COMPARE_LT: return is_less;
    case COMPARE_LE: return is_less || is_equal;
    case COMPARE_GT: return !is_less && !is_equal;
    default: return !is_less;
  }
}

uint64_t known_turns(const KnownCount *count, uint64_t most) {
  uint64_t i = count->first, mask = count->bits == 64 ? UINT64_MAX : UINT32_MAX, turns = 1;
  uint64_t top = count->is_signed ? UINT64_C(1) << (count->bits - 1) : 0;
  for (; turns <= most; turns++) {
    i = (i + count->pace) & mask;
    bool is_less = (i ^ top) < (count->limit ^ top);
    if (compares(count->compare, is_less, i == count->limit) == count->leaves) break;
  }
  return turns;
}

static bool count_turns(const Graph *graph, KnownLoop *loop, bool leaves_if_true) {
  const Instruction *test = &graph->lowering->code[loop->test];
  KnownCount count = {.first = loop->first,
                      .pace = loop->pace,
                      .bits = loop->bits,
                      .is_signed = type_kind((DataType)test->form.type) == KIND_SIGNED,
                      .compare = test->form.compare,
                      .leaves = leaves_if_true};
  if (!known_value(graph, test->src[1], loop->bits, &count.limit)) return false;
  loop->turns = known_turns(&count, MOST_TURNS_KNOWN);
  uint32_t size = graph->flow.blocks[loop->high].end - graph->flow.blocks[loop->low].first;
  return loop->turns <= MOST_TURNS_KNOWN && loop->turns * size <= MOST_INSTRUCTIONS;
}

bool known_loop_of(const Graph *graph, const Counters *counters, uint32_t last, KnownLoop *loop) {
  const FlowBlock *block = &graph->flow.blocks[last];
  const Instruction *branch = &graph->lowering->code[block->end - 1];
  if (branch->form.op != OP_BRA || branch->guard == NO_PLACE || !graph->enter[last] ||
      last + 1 >= graph->flow.block_count)
    return false;
  uint32_t taken = graph->flow.block_of[branch->target], next = last + 1;
  bool goes_back = taken != last && block_dominates(graph, taken, last);
  uint32_t header = goes_back ? taken : next;
  *loop = (KnownLoop){.last = last, .exit = goes_back ? block->end : branch->target};
  if (!block_dominates(graph, header, last) || !find_range(graph, header, loop) ||
      known_loop_has(loop, graph->flow.block_of[loop->exit]) || leads_to(graph, header, header))
    return false;
  return order_blocks(graph, header, loop) && can_be_copied(graph, counters, loop) &&
         find_test(graph, loop) && find_step(graph, loop) && find_first(graph, loop) &&
         count_turns(graph, loop, goes_back == branch->guard_negated);
}
