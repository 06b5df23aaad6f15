// SPDX-License-Identifier: MIT
// Estimates the registers per thread that ptxas would allocate. It models those
// of its optimisations that determine the number:
//
//   - kernel parameters, constants, and integer arithmetic on these alone are
//     read from the constant bank or held in uniform registers: they take no
//     register
//   - moves and address-space conversions are eliminated by renaming
//   - inner loops that load from global memory and were unrolled by four by the
//     compiler are unrolled by four again
//   - blocks are scheduled so that loads are issued early, which increases the
//     number of live values over the order of the PTX
//
// The estimate is the maximum of simultaneously live registers in the
// transformed code. Not modelled: spilling, fragmentation of register pairs, and
// ptxas's use of further registers while they cost no occupancy. Accuracy:
// docs/model.md.
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/lower/block_schedule.h"
#include "frontends/ptx/lower/liveness.h"

// OWN: the stack pointer, and temporaries within machine instructions.
enum { OWN = 5, LEAST = 8, MOST = 255 };
enum { UNROLL = 4, LARGEST_UNROLLED = 64 };

#define NOWHERE UINT32_MAX

typedef struct Estimate {
  const Lowering *from;
  const Flow *flow;
  Lowering changed;  // renamed, unrolled and scheduled code, with the types of its registers
  uint32_t code_capacity;
  FlowBlock *blocks;      // of the changed code
  uint32_t *definitions;  // by original register: number of instructions that write it
  uint32_t *name;         // ... the register that it is a copy of
  bool *is_free;          // ... takes no register
  uint32_t *home;         // ... the only block that uses it, or NOWHERE
  uint32_t *turn_name;    // ... its name in the current copy of an unrolled loop body
  uint32_t block;         // current block
  bool changed_any;
} Estimate;

// ---- free registers, and renaming

static bool all_sources_free(const Estimate *estimate, const Instruction *in) {
  for (int i = 0; i < MAX_SOURCES; i++)
    if (in->src[i] >= 0 && !estimate->is_free[estimate->name[in->src[i]]]) return false;
  return true;
}

static bool is_uniform(SpecialRegister special) {
  return (special >= SPECIAL_NTID_X && special <= SPECIAL_NCTAID_Z) || special == SPECIAL_WARP_SZ;
}

// Whether the only definition of a register makes it free.
static bool makes_free(const Estimate *estimate, const Instruction *in) {
  bool is_float = type_kind(in->form.type) == KIND_FLOAT;
  bool from_float = type_kind(in->form.type2) == KIND_FLOAT;
  if (in->guard != NO_PLACE) return false;
  switch (opcode_info[in->form.op].family) {
    case FAMILY_MEMORY:
      return in->form.op == OP_LD && in->form.space == SPACE_PARAM && in->src[0] == NO_PLACE;
    case FAMILY_MOVE:
      return in->special[0] ? is_uniform(in->special[0]) : all_sources_free(estimate, in);
    case FAMILY_ARITHMETIC:
    case FAMILY_CONVERT: return !is_float && !from_float && all_sources_free(estimate, in);
    default: return false;
  }
}

static bool is_renaming(const Instruction *in) {
  if (in->guard != NO_PLACE || in->special[0] || in->src[0] < 0 || in->src[1] != NO_PLACE)
    return false;
  return in->form.op == OP_CVTA || (in->form.op == OP_MOV && in->form.vector <= 1);
}

static void note_mention(void *state, Place *place, PlaceUse use) {
  Estimate *estimate = state;
  uint32_t v = (uint32_t)*place;
  bool is_first = estimate->name[v] == NOWHERE;
  if (use == PLACE_WRITTEN) estimate->definitions[v]++;
  // A register that a block reads before writing comes from outside, or from the last iteration.
  if (is_first) estimate->home[v] = use == PLACE_WRITTEN ? estimate->block : NOWHERE;
  if (estimate->home[v] != estimate->block) estimate->home[v] = NOWHERE;
  estimate->name[v] = v;
}

static void classify(Estimate *estimate, const Instruction *in) {
  Place d = in->dst[0];
  if (d < 0 || in->dst[1] != NO_PLACE || estimate->definitions[d] != 1) return;
  if (!estimate->is_free[d] && makes_free(estimate, in)) {
    estimate->is_free[d] = estimate->changed_any = true;
  } else if (is_renaming(in) && estimate->name[d] == (uint32_t)d &&
             estimate->definitions[in->src[0]] == 1) {
    uint32_t of = estimate->name[in->src[0]];
    if (estimate->home[of] != estimate->home[d]) estimate->home[of] = NOWHERE;
    estimate->name[d] = of;
    estimate->changed_any = true;
  }
}

static void classify_all(Estimate *estimate) {
  const Lowering *from = estimate->from;
  for (uint32_t v = 0; v < from->register_count; v++) estimate->name[v] = NOWHERE;
  for (uint32_t i = 0; i < from->code_count; i++) {
    estimate->block = estimate->flow->block_of[i];
    instruction_each_place(&from->code[i], from->linked, note_mention, estimate);
  }
  // Most definitions precede their uses, so a few iterations suffice.
  estimate->changed_any = true;
  for (int round = 0; estimate->changed_any && round < 4; round++) {
    estimate->changed_any = false;
    for (uint32_t i = 0; i < from->code_count; i++) classify(estimate, &from->code[i]);
  }
}

// ---- emission of the transformed code

static bool goes_back(const Flow *flow, uint32_t b, uint32_t to) {
  if (to == b) return true;
  if (to == flow->block_count) return false;
  // A loop may end in a block that consists of a jump.
  const FlowBlock *next = &flow->blocks[to];
  return next->end - next->first == 1 && next->successor_count == 1 &&
         flow->edges[next->successors] == b;
}

// Whether an instruction advances a loop counter by UNROLL, up or down.
static bool steps_by_unroll(const Estimate *estimate, const Instruction *in) {
  if (in->form.op != OP_ADD || in->src[0] < 0 || in->src[0] != in->dst[0] || in->src[1] >= 0)
    return false;
  int32_t step;
  memcpy(&step, estimate->from->linker->constants.bytes + ~in->src[1], sizeof step);
  return step == UNROLL || step == -UNROLL;
}

static bool is_unrolled(const Estimate *estimate, uint32_t b) {
  const FlowBlock *block = &estimate->flow->blocks[b];
  bool is_loop = false, loads = false, steps = false;
  for (uint32_t i = 0; i < block->successor_count; i++)
    is_loop |= goes_back(estimate->flow, b, estimate->flow->edges[block->successors + i]);
  if (!is_loop || block->end - block->first > LARGEST_UNROLLED) return false;
  for (uint32_t i = block->first; i + 1 < block->end; i++) {
    const Instruction *in = &estimate->from->code[i];
    loads |= instruction_is_load(in) &&
             (in->form.space == SPACE_GLOBAL || in->form.space == SPACE_GENERIC);
    steps |= steps_by_unroll(estimate, in);
    if (instruction_is_ordered(in)) return false;
  }
  return loads && steps;
}

// Name of a register in the transformed code: registers local to one iteration
// get a fresh name in every copy of the loop body.
static Place renamed(Estimate *estimate, Place place, uint32_t turn) {
  if (place < 0) return place;
  uint32_t v = estimate->name[place];
  if (estimate->is_free[v]) return NO_PLACE;
  if (!turn || estimate->home[v] != estimate->block) return (Place)v;
  if (!estimate->turn_name[v])
    estimate->turn_name[v] =
        (uint32_t)lower_hidden(&estimate->changed, estimate->from->register_types[v]);
  return (Place)estimate->turn_name[v];
}

// A separate list, freed by free_lists.
static const PlaceList *renamed_list(Estimate *estimate, const PlaceList *from, uint32_t turn) {
  uint32_t count = from->dst_count + from->src_count;
  PlaceList *list = memory_alloc(sizeof *list + sizeof(Place) * count);
  *list = (PlaceList){from->dst_count, from->src_count, (Place *)(list + 1), NULL};
  list->src = list->dst + list->dst_count;
  for (uint32_t k = 0; k < list->src_count; k++)
    list->src[k] = renamed(estimate, from->src[k], turn);
  for (uint32_t k = 0; k < list->dst_count; k++)
    list->dst[k] = renamed(estimate, from->dst[k], turn);
  return list;
}

static void free_lists(const Lowering *changed) {
  for (uint32_t i = 0; i < changed->code_count; i++)
    memory_free((PlaceList *)(uintptr_t)changed->code[i].list);
}

static void write_turn(Estimate *estimate, uint32_t turn) {
  const FlowBlock *block = &estimate->flow->blocks[estimate->block];
  Lowering *changed = &estimate->changed;
  memset(estimate->turn_name, 0, sizeof(uint32_t) * estimate->from->register_count);
  for (uint32_t i = block->first; i < block->end; i++) {
    GROW(changed->code, changed->code_count, estimate->code_capacity);
    Instruction *in = &changed->code[changed->code_count++];
    *in = estimate->from->code[i];
    for (int k = 0; k < MAX_SOURCES; k++) in->src[k] = renamed(estimate, in->src[k], turn);
    for (int k = 0; k < MAX_DESTINATIONS; k++) in->dst[k] = renamed(estimate, in->dst[k], turn);
    if (in->list) in->list = renamed_list(estimate, in->list, turn);
    in->guard = renamed(estimate, in->guard, turn);
  }
}

static void write_blocks(Estimate *estimate) {
  for (uint32_t b = 0; b < estimate->flow->block_count; b++) {
    uint32_t turns = is_unrolled(estimate, b) ? UNROLL : 1;
    estimate->block = b;
    estimate->blocks[b] = estimate->flow->blocks[b];
    estimate->blocks[b].first = estimate->changed.code_count;
    for (uint32_t turn = 0; turn < turns; turn++) {
      write_turn(estimate, turn);
      // The branches of all copies but the last are dropped.
      if (turn + 1 < turns) estimate->changed.code_count--;
    }
    estimate->blocks[b].end = estimate->changed.code_count;
  }
}

static uint32_t count_alive(Estimate *estimate) {
  Flow flow = *estimate->flow;
  flow.blocks = estimate->blocks;
  blocks_schedule(estimate->changed.code, flow.blocks, flow.block_count, estimate->from->linked,
                  estimate->changed.register_count);
  Liveness liveness;
  bool fits = liveness_compute(&liveness, &estimate->changed, &flow);
  liveness_clear(&liveness);
  return fits ? liveness.most_live + OWN : MOST;
}

uint32_t registers_estimate(const Lowering *lowering, const Flow *flow) {
  size_t registers = lowering->register_count + 1u;
  Estimate estimate = {.from = lowering,
                       .flow = flow,
                       .changed = {.linked = lowering->linked},
                       .blocks = memory_alloc(sizeof(FlowBlock) * flow->block_count),
                       .definitions = memory_alloc(sizeof(uint32_t) * registers),
                       .name = memory_alloc(sizeof(uint32_t) * registers),
                       .is_free = memory_alloc(registers),
                       .home = memory_alloc(sizeof(uint32_t) * registers),
                       .turn_name = memory_alloc(sizeof(uint32_t) * registers)};
  for (uint32_t v = 0; v < lowering->register_count; v++)
    lower_hidden(&estimate.changed, lowering->register_types[v]);
  classify_all(&estimate);
  write_blocks(&estimate);
  uint32_t count = count_alive(&estimate);
  free_lists(&estimate.changed);
  memory_free(estimate.changed.code);
  memory_free(estimate.changed.register_types);
  memory_free(estimate.blocks);
  memory_free(estimate.definitions);
  memory_free(estimate.name);
  memory_free(estimate.is_free);
  memory_free(estimate.home);
  memory_free(estimate.turn_name);
  return count < LEAST ? LEAST : count > MOST ? MOST : count;
}
