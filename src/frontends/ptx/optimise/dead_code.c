// SPDX-License-Identifier: MIT
// An instruction is dead if its only effect is to write unused registers. Its removal
// may make the definitions of its operands dead. An atomic is not, but an unused result of it is.
#include "base/memory.h"
#include "frontends/ptx/optimise/steps.h"

typedef struct Dead {
  Graph *graph;
  uint32_t *list;  // definitions of registers that have lost their last use
  uint32_t count;
  bool has_reader;
} Dead;

static void note_readers(void *state, Place *place, PlaceUse use) {
  Dead *dead = state;
  if (use == PLACE_WRITTEN) dead->has_reader |= dead->graph->read_count[*place] > 0;
}

static void drop_read(void *state, Place *place, PlaceUse use) {
  Dead *dead = state;
  Graph *graph = dead->graph;
  if (use != PLACE_READ || --graph->read_count[*place]) return;
  if (graph->write_count[*place] == 1 && graph->writer[*place] != NO_INDEX)
    dead->list[dead->count++] = graph->writer[*place];
}

static void remove_if_dead(Dead *dead, Instruction *in) {
  const Function *function = dead->graph->lowering->linked;
  if (instruction_is_removed(in) || !instruction_is_pure(in, function)) return;
  dead->has_reader = false;
  instruction_each_place(in, function, note_readers, dead);
  if (dead->has_reader) return;
  instruction_each_place(in, function, drop_read, dead);
  instruction_remove(in);
}

// As the assembler, which then has instructions without a result (RED, ATOMS.POPC.INC).
static void drop_unread_result(Dead *dead, Instruction *in) {
  if (in->form.op != OP_ATOM || in->form.vector > 1 || instruction_is_removed(in)) return;
  dead->has_reader = false;
  instruction_each_place(in, dead->graph->lowering->linked, note_readers, dead);
  if (!dead->has_reader) in->dst[0] = NO_PLACE;
}

void unreached_remove(Graph *graph) {
  for (uint32_t b = 0; b < graph->flow.block_count; b++)
    if (!graph->enter[b])
      for (uint32_t i = graph->flow.blocks[b].first; i < graph->flow.blocks[b].end; i++)
        instruction_remove(&graph->lowering->code[i]);
  graph_count(graph);
}

void dead_code_remove(Graph *graph) {
  Lowering *lowering = graph->lowering;
  // Each register enters the list at most once: when its last use is removed.
  Dead dead = {graph, memory_alloc(sizeof(uint32_t) * (lowering->register_count + 1u)), 0, false};
  for (uint32_t i = lowering->code_count; i-- > 0;) {
    remove_if_dead(&dead, &lowering->code[i]);
    while (dead.count) remove_if_dead(&dead, &lowering->code[dead.list[--dead.count]]);
  }
  for (uint32_t i = 0; i < lowering->code_count; i++) drop_unread_result(&dead, &lowering->code[i]);
  memory_free(dead.list);
  graph_count(graph);
}
