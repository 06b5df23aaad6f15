// SPDX-License-Identifier: MIT
// Representation of a function in the optimising pass: basic blocks, dominator tree, and
// definitions and uses of each register.
#include "frontends/ptx/optimise/graph.h"

#include <string.h>

#include "base/memory.h"

// ---- dominators: as in flow.c, on the forward graph

typedef struct Walk {
  uint32_t block, next;
} Walk;

static void order_blocks(Graph *graph) {
  const Flow *flow = &graph->flow;
  uint32_t depth = 0, at = flow->block_count;
  Walk *stack = memory_alloc(sizeof *stack * (flow->block_count + 1u));
  bool *seen = memory_alloc(flow->block_count + 1u);
  stack[depth++] = (Walk){0, 0};
  seen[0] = true;
  while (depth) {
    Walk *walk = &stack[depth - 1];
    const FlowBlock *block = &flow->blocks[walk->block];
    if (walk->next == block->successor_count) {
      graph->order[--at] = walk->block;
      depth--;
      continue;
    }
    uint32_t to = flow->edges[block->successors + walk->next++];
    if (to == flow->block_count || seen[to]) continue;
    seen[to] = true;
    stack[depth++] = (Walk){to, 0};
  }
  graph->order_count = flow->block_count - at;
  memmove(graph->order, graph->order + at, sizeof *graph->order * graph->order_count);
  memory_free(stack);
  memory_free(seen);
}

static uint32_t meet(const Graph *graph, const uint32_t *number, uint32_t a, uint32_t b) {
  while (a != b) {
    while (number[a] > number[b]) a = graph->dominator[a];
    while (number[b] > number[a]) b = graph->dominator[b];
  }
  return a;
}

// Updates the dominators of a block's successors; returns whether one changed.
static bool offer(Graph *graph, const uint32_t *number, uint32_t b) {
  const FlowBlock *block = &graph->flow.blocks[b];
  bool moved = false;
  for (uint32_t i = 0; i < block->successor_count; i++) {
    uint32_t to = graph->flow.edges[block->successors + i];
    if (to == graph->flow.block_count || to == 0) continue;
    uint32_t old = graph->dominator[to];
    uint32_t found = old == NO_INDEX ? b : meet(graph, number, old, b);
    moved |= found != old;
    graph->dominator[to] = found;
  }
  return moved;
}

static void find_dominators(Graph *graph) {
  uint32_t *number = memory_alloc(sizeof *number * (graph->flow.block_count + 1u));
  for (uint32_t i = 0; i < graph->order_count; i++) number[graph->order[i]] = i;
  bool moved = true;
  while (moved) {
    moved = false;
    for (uint32_t i = 0; i < graph->order_count; i++)
      moved |= offer(graph, number, graph->order[i]);
  }
  memory_free(number);
}

// Numbers the dominator tree so that a dominates b if b's interval lies within a's.
// In reverse post-order each block follows its dominator, so sizes of subtrees
// accumulate from the end, and numbers are assigned from the start.
static void number_tree(Graph *graph) {
  uint32_t *size = memory_alloc(sizeof *size * (graph->flow.block_count + 1u));
  uint32_t *next = memory_alloc(sizeof *next * (graph->flow.block_count + 1u));
  for (uint32_t i = graph->order_count; i-- > 0;) {
    uint32_t b = graph->order[i];
    size[b]++;
    if (b) size[graph->dominator[b]] += size[b];
  }
  for (uint32_t i = 0; i < graph->order_count; i++) {
    uint32_t b = graph->order[i];
    graph->enter[b] = b ? next[graph->dominator[b]] : 1;
    graph->leave[b] = graph->enter[b] + size[b];
    next[b] = graph->enter[b] + 1;
    if (b) next[graph->dominator[b]] += size[b];
  }
  memory_free(size);
  memory_free(next);
}

bool block_dominates(const Graph *graph, uint32_t a, uint32_t b) {
  return graph->enter[a] && graph->enter[a] <= graph->enter[b] && graph->enter[b] < graph->leave[a];
}

bool graph_dominates(const Graph *graph, uint32_t a, uint32_t b) {
  uint32_t x = graph->flow.block_of[a], y = graph->flow.block_of[b];
  return x == y ? a < b && graph->enter[x] : block_dominates(graph, x, y);
}

// ---- definitions and uses

typedef struct Count {
  Graph *graph;
  uint32_t index;
  bool is_guarded;
} Count;

static void count_writes(void *state, Place *place, PlaceUse use) {
  const Count *count = state;
  Graph *graph = count->graph;
  if (use == PLACE_READ) return;
  graph->write_count[*place]++;
  graph->writer[*place] = count->index;
  if (!count->is_guarded && use == PLACE_WRITTEN) graph->is_value[*place] = true;
}

static void count_reads(void *state, Place *place, PlaceUse use) {
  const Count *count = state;
  Graph *graph = count->graph;
  if (use != PLACE_READ) return;
  graph->read_count[*place]++;
  if (graph->is_value[*place] && !graph_dominates(graph, graph->writer[*place], count->index))
    graph->is_value[*place] = false;
}

static void count_parameters(Graph *graph) {
  const Function *function = graph->lowering->linked;
  for (uint32_t i = 0; i < function->param_count; i++) {
    if (function->params[i].place < 0) continue;
    graph->write_count[function->params[i].place]++;
    graph->writer[function->params[i].place] = NO_INDEX;
  }
}

static void count_with(Graph *graph, PlaceFn visit) {
  Lowering *lowering = graph->lowering;
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    Instruction *in = &lowering->code[i];
    Count count = {graph, i, in->guard != NO_PLACE};
    instruction_each_place(in, lowering->linked, visit, &count);
  }
}

void graph_count(Graph *graph) {
  uint32_t registers = graph->lowering->register_count;
  memset(graph->write_count, 0, sizeof(uint32_t) * registers);
  memset(graph->read_count, 0, sizeof(uint32_t) * registers);
  memset(graph->is_value, 0, registers);
  count_with(graph, count_writes);
  count_parameters(graph);
  for (uint32_t v = 0; v < registers; v++) graph->is_value[v] &= graph->write_count[v] == 1;
  count_with(graph, count_reads);
}

// ---- walks

void graph_begin_walk(Graph *graph) {
  memset(graph->last_write, 0, sizeof(uint32_t) * (graph->lowering->register_count + 1u));
}

static void note_write(void *state, Place *place, PlaceUse use) {
  const Count *count = state;
  if (use != PLACE_READ) count->graph->last_write[*place] = count->index + 1;
}

void graph_note_writes(Graph *graph, uint32_t index) {
  Count count = {graph, index, false};
  instruction_each_place(&graph->lowering->code[index], graph->lowering->linked, note_write,
                         &count);
}

void graph_walk(Graph *graph, GraphFn visit) {
  graph_begin_walk(graph);
  for (uint32_t i = 0; i < graph->order_count; i++) {
    const FlowBlock *block = &graph->flow.blocks[graph->order[i]];
    graph->walk_block = graph->order[i];
    for (uint32_t k = block->first; k < block->end; k++) {
      if (instruction_is_removed(&graph->lowering->code[k])) continue;
      visit(graph, k);
      graph_note_writes(graph, k);
    }
  }
}

uint32_t graph_version(const Graph *graph, Place place) {
  if (graph_is_value(graph, place)) return 0;
  uint32_t last = graph->last_write[place];
  bool is_here = last && graph->flow.block_of[last - 1] == graph->walk_block;
  return is_here ? last : UINT32_MAX - graph->walk_block;
}

// ---- building and clearing

void graph_build(Graph *graph, Lowering *lowering) {
  *graph = (Graph){.lowering = lowering};
  flow_build(&graph->flow, lowering->code, lowering->code_count);
  uint32_t blocks = graph->flow.block_count + 1, registers = lowering->register_count + 1;
  graph->dominator = memory_alloc(sizeof(uint32_t) * blocks);
  graph->order = memory_alloc(sizeof(uint32_t) * blocks);
  graph->enter = memory_alloc(sizeof(uint32_t) * blocks);
  graph->leave = memory_alloc(sizeof(uint32_t) * blocks);
  graph->write_count = memory_alloc(sizeof(uint32_t) * registers);
  graph->writer = memory_alloc(sizeof(uint32_t) * registers);
  graph->read_count = memory_alloc(sizeof(uint32_t) * registers);
  graph->is_value = memory_alloc(registers);
  graph->last_write = memory_alloc(sizeof(uint32_t) * registers);
  for (uint32_t b = 0; b < blocks; b++) graph->dominator[b] = NO_INDEX;
  order_blocks(graph);
  find_dominators(graph);
  number_tree(graph);
  graph_count(graph);
}

// A branch to a removed instruction is redirected to the next remaining one.
void code_squeeze(Lowering *lowering) {
  uint32_t count = 0;
  uint32_t *moved = memory_alloc(sizeof *moved * (lowering->code_count + 1u));
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    moved[i] = count;
    if (!instruction_is_removed(&lowering->code[i])) lowering->code[count++] = lowering->code[i];
  }
  for (uint32_t i = 0; i < count; i++) {
    Instruction *in = &lowering->code[i];
    if (in->form.op == OP_BRA) in->target = moved[in->target];
    if (in->form.op == OP_BRX)
      for (int64_t k = 0; k < in->offset; k++)
        ((uint32_t *)(uintptr_t)in->targets)[k] = moved[in->targets[k]];
  }
  lowering->code_count = count;
  memory_free(moved);
}

void graph_clear(Graph *graph) {
  code_squeeze(graph->lowering);
  flow_clear(&graph->flow);
  memory_free(graph->dominator);
  memory_free(graph->order);
  memory_free(graph->enter);
  memory_free(graph->leave);
  memory_free(graph->write_count);
  memory_free(graph->writer);
  memory_free(graph->read_count);
  memory_free(graph->is_value);
  memory_free(graph->last_write);
}

// ---- instructions

void instruction_remove(Instruction *in) {
  for (int i = 0; i < MAX_DESTINATIONS; i++) in->dst[i] = NO_PLACE;
  for (int i = 0; i < MAX_SOURCES; i++) in->src[i] = NO_PLACE;
  for (int i = 0; i < MAX_SPECIALS; i++) in->special_place[i] = NO_PLACE;
  in->guard = NO_PLACE;
  in->call = NULL;
  in->list = NULL;
  in->form.op = OP_MOV;
  in->exec = NULL;
}

static bool changes_while_running(SpecialRegister special) {
  return (special >= SPECIAL_CLOCK && special <= SPECIAL_GLOBALTIMER_HI) ||
         special == SPECIAL_WARPID || special == SPECIAL_SMID;
}

bool instruction_reads_clock(const Instruction *in) {
  for (int i = 0; i < MAX_SPECIALS; i++)
    if (changes_while_running((SpecialRegister)in->special[i])) return true;
  return false;
}

// addc reads the carry that add.cc has written in addition to its destination.
bool instruction_uses_carry(const Instruction *in) {
  Opcode op = (Opcode)in->form.op;
  return in->form.carry_out || op == OP_ADDC || op == OP_SUBC || op == OP_MADC;
}

bool instruction_loads_parameter(const Instruction *in, const Function *function) {
  uint64_t bytes =
      (uint64_t)type_bytes((DataType)in->form.type) * (in->form.vector ? in->form.vector : 1);
  uint64_t at = (uint64_t)in->offset;
  return in->form.op == OP_LD && in->form.space == SPACE_PARAM && function->is_kernel &&
         in->src[0] == NO_PLACE && in->address_base == BASE_ABSOLUTE && bytes &&
         at < function->param_bytes && function->param_bytes - at >= bytes && at % bytes == 0;
}

bool instruction_is_pure(const Instruction *in, const Function *function) {
  if (instruction_reads_clock(in)) return false;
  switch (opcode_info[in->form.op].family) {
    case FAMILY_ARITHMETIC: return !instruction_uses_carry(in);
    case FAMILY_CONVERT: return in->form.op != OP_ISSPACEP;
    case FAMILY_VIDEO:
    case FAMILY_COMPARE:
    case FAMILY_MOVE: return true;
    case FAMILY_MEMORY: return instruction_loads_parameter(in, function);
    default: return false;
  }
}

bool constant_value(const Lowering *lowering, Place place, int bits, uint64_t *value) {
  if (place >= 0 || place == NO_PLACE) return false;
  const uint8_t *at = lowering->linker->constants.bytes + ~place;
  uint32_t low;
  memcpy(&low, at, sizeof low);
  *value = low;
  if (bits == 64) memcpy(value, at, sizeof *value);
  return true;
}
