// SPDX-License-Identifier: MIT
// Which registers may differ between the lanes of a warp: closure over the definitions, without
// regard to the order of the code.
#include "frontends/ptx/optimise/uniform.h"

#include "base/memory.h"

// Passes after which everything counts as varying. Compilers write definitions before uses: two or
// three are enough.
enum { MOST_PASSES = 16 };

typedef struct Spread {
  const Graph *graph;
  bool *varying;
  bool reads_varying;  // an operand of the instruction that is visited varies
  bool has_changed, has_divergence;
} Spread;

static bool special_varies(SpecialRegister special) {
  switch (special) {
    case SPECIAL_NONE:
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
    case SPECIAL_GRIDID:
    case SPECIAL_WARP_SZ: return false;
    default: return true;
  }
}

// Whether lanes with the same operands may get different results.
static bool result_varies(const Instruction *in) {
  for (int i = 0; i < MAX_SPECIALS; i++)
    if (special_varies((SpecialRegister)in->special[i])) return true;
  switch (opcode_info[in->form.op].family) {
    case FAMILY_ARITHMETIC:
    case FAMILY_CONVERT:
    case FAMILY_VIDEO:
    case FAMILY_COMPARE:
    case FAMILY_MOVE: return false;
    case FAMILY_MEMORY:
      return in->form.op != OP_LD || in->form.space == SPACE_LOCAL ||
             in->address_base == BASE_FRAME;
    default: return true;
  }
}

static void note_read(void *state, Place *place, PlaceUse use) {
  Spread *spread = state;
  if (use == PLACE_READ && place_is_unequal(spread->varying, *place)) spread->reads_varying = true;
}

static void make_varying(Spread *spread, Place place) {
  if (spread->varying[place]) return;
  spread->varying[place] = spread->has_changed = true;
}

static void note_written(void *state, Place *place, PlaceUse use) {
  Spread *spread = state;
  if (use != PLACE_WRITTEN) return;
  bool joins_ways = spread->has_divergence && !graph_is_value(spread->graph, *place);
  if (spread->reads_varying || joins_ways) make_varying(spread, *place);
}

static void visit(Spread *spread, Instruction *in) {
  const Function *function = spread->graph->lowering->linked;
  bool is_branch = in->form.op == OP_BRA || in->form.op == OP_BRX;
  if (instruction_is_removed(in)) return;
  spread->reads_varying = false;
  instruction_each_place(in, function, note_read, spread);
  if (is_branch && spread->reads_varying && !spread->has_divergence)
    spread->has_divergence = spread->has_changed = true;
  if (result_varies(in)) spread->reads_varying = true;
  instruction_each_place(in, function, note_written, spread);
}

static void visit_all(Spread *spread) {
  Lowering *lowering = spread->graph->lowering;
  for (uint32_t i = 0; i < lowering->code_count; i++) visit(spread, &lowering->code[i]);
}

bool *unequal_find(const Graph *graph) {
  uint32_t count = graph->lowering->register_count;
  Spread spread = {.graph = graph, .varying = memory_alloc(count + 1u), .has_changed = true};
  for (uint32_t v = 0; v < count; v++)  // parameters of functions that are called
    spread.varying[v] = graph->write_count[v] && graph->writer[v] == NO_INDEX;
  for (int pass = 0; spread.has_changed && pass < MOST_PASSES; pass++) {
    spread.has_changed = false;
    visit_all(&spread);
  }
  for (uint32_t v = 0; spread.has_changed && v < count; v++) spread.varying[v] = true;
  return spread.varying;
}
