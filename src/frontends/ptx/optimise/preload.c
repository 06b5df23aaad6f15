// SPDX-License-Identifier: MIT
// On hardware, kernel parameters and launch dimensions are operands from constant
// memory: no instruction loads them. Registers that hold nothing else are initialised
// when a warp starts.
#include "base/memory.h"
#include "frontends/ptx/optimise/steps.h"

typedef struct Preloading {
  Graph *graph;
  Place *name;  // by register: its hidden one, or itself
  Preload *preloads;
  uint32_t count, capacity;
} Preloading;

static bool is_shape(const Instruction *in) {
  SpecialRegister special = (SpecialRegister)in->special[0];
  bool is_known = (special >= SPECIAL_NTID_X && special <= SPECIAL_NTID_Z) ||
                  (special >= SPECIAL_NCTAID_X && special <= SPECIAL_NCTAID_Z);
  return in->exec == exec_mov_special && is_known;
}

static void rename_place(void *state, Place *place, PlaceUse use) {
  const Preloading *preloading = state;
  if (use == PLACE_READ) *place = preloading->name[*place];
}

static void preload(Preloading *preloading, Place place, Preload what) {
  Lowering *lowering = preloading->graph->lowering;
  Place hidden = lower_hidden(lowering, lowering->register_types[place]);
  preloading->name[place] = hidden;
  what.place = hidden;
  GROW(preloading->preloads, preloading->count, preloading->capacity);
  preloading->preloads[preloading->count++] = what;
}

static bool all_are_values(const Graph *graph, const Instruction *in, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (in->dst[k] >= 0 && !graph_is_value(graph, in->dst[k])) return false;
  return true;
}

static void take_instruction(Preloading *preloading, Instruction *in) {
  const Graph *graph = preloading->graph;
  uint32_t count = in->form.vector > 1 ? in->form.vector : 1;
  uint8_t bytes = (uint8_t)type_bytes((DataType)in->form.type);
  if (in->guard != NO_PLACE || in->list || !all_are_values(graph, in, count)) return;
  if (is_shape(in)) {
    if (lower_register_bytes(graph->lowering, in->dst[0]) != 4) return;
    preload(preloading, in->dst[0], (Preload){.size_bytes = 4, .special = in->special[0]});
  } else if (instruction_loads_parameter(in, graph->lowering->linked)) {
    if ((bytes != 4 && bytes != 8) || in->dst_bytes != bytes) return;
    for (uint32_t k = 0; k < count; k++)
      if (in->dst[k] >= 0)
        preload(preloading, in->dst[k],
                (Preload){.offset = (uint32_t)in->offset + k * bytes, .size_bytes = bytes});
  } else {
    return;
  }
  instruction_remove(in);
}

static void keep(Preloading *preloading) {
  Lowering *lowering = preloading->graph->lowering;
  Function *function = lowering->linked;
  function->preload_count = preloading->count;
  function->preloads = ARENA_ARRAY(&lowering->linker->program->arena, Preload, preloading->count);
  for (uint32_t i = 0; i < preloading->count; i++) function->preloads[i] = preloading->preloads[i];
  memory_free(preloading->preloads);
}

void parameters_preload(Graph *graph) {
  Lowering *lowering = graph->lowering;
  uint32_t registers = lowering->register_count;
  if (!lowering->linked->is_kernel) return;
  Preloading preloading = {.graph = graph, .name = memory_alloc(sizeof(Place) * (registers + 1u))};
  for (uint32_t v = 0; v < registers; v++) preloading.name[v] = (Place)v;
  lowering->first_preloaded = registers;
  for (uint32_t i = 0; i < lowering->code_count; i++)
    if (!instruction_is_removed(&lowering->code[i]))
      take_instruction(&preloading, &lowering->code[i]);
  for (uint32_t i = 0; i < lowering->code_count; i++)
    instruction_each_place(&lowering->code[i], lowering->linked, rename_place, &preloading);
  lowering->end_preloaded = lowering->register_count;
  keep(&preloading);
  memory_free(preloading.name);
}
