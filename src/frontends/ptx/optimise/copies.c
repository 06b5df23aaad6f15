// SPDX-License-Identifier: MIT
// Copies: mov between registers or of a constant, and cvta of spaces whose
// addresses are the same as generic ones. Their readers take the source itself;
// the copies then are dead.
#include "base/memory.h"
#include "frontends/ptx/optimise/steps.h"

typedef struct Copies {
  Graph *graph;
  Place *source;  // by register: what it is a copy of, or itself
  const Instruction *in;
} Copies;

static bool is_copy(const Instruction *in) {
  bool is_plain = in->exec == exec_mov_32 || in->exec == exec_mov_64 ||
                  (in->exec == exec_mov_predicate && !in->negated);
  return is_plain && in->guard == NO_PLACE && !in->special[0] && in->src[0] != NO_PLACE &&
         in->src[1] == NO_PLACE && in->form.op != OP_MAPA;
}

static void read_source(void *state, Place *place, PlaceUse use) {
  const Copies *copies = state;
  if (use != PLACE_READ) return;
  Place source = copies->source[*place];
  // A branch or a guard that never changes is left as it is.
  if (source < 0 && place == &copies->in->guard) return;
  *place = source;
}

void copies_propagate(Graph *graph) {
  Lowering *lowering = graph->lowering;
  Copies copies = {graph, memory_alloc(sizeof(Place) * (lowering->register_count + 1u)), NULL};
  for (uint32_t v = 0; v < lowering->register_count; v++) copies.source[v] = (Place)v;
  // In reverse post-order a value's own source has been found before it.
  for (uint32_t i = 0; i < graph->order_count; i++) {
    const FlowBlock *block = &graph->flow.blocks[graph->order[i]];
    for (uint32_t k = block->first; k < block->end; k++) {
      Instruction *in = &lowering->code[k];
      copies.in = in;
      instruction_each_place(in, lowering->linked, read_source, &copies);
      if (is_copy(in) && graph_is_value(graph, in->dst[0]) &&
          (in->src[0] < 0 || graph_is_value(graph, in->src[0])))
        copies.source[in->dst[0]] = in->src[0];
    }
  }
  memory_free(copies.source);
  graph_count(graph);
}
