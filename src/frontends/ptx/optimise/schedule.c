// SPDX-License-Identifier: MIT
// List scheduling. In the order of writing, each instruction of a block takes the
// first free cycle in which its operands are there, so loads move up into the
// cycles in which others wait, and what waits for them moves down.
//
// Dependences are those of a thread: registers, the carry flag, memory that may
// be the same (alias.c). Nothing of memory passes a barrier, a fence, an atomic,
// a call or a volatile access; nothing at all passes a read of a clock.
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/optimise/alias.h"
#include "frontends/ptx/optimise/steps.h"

// Cycles after which a result can be used, about those of Volta, but for memory:
// what a block can hide of it. LOOKAHEAD: how many instructions ahead of the
// oldest that waits are considered, which bounds the registers that this costs.
enum { ALU_CYCLES = 4, SLOW_CYCLES = 14, SHARED_CYCLES = 24, GLOBAL_CYCLES = 60 };
enum { LOOKAHEAD = 64, LARGEST_BLOCK = 1 << 14, MOST_ACCESSES = 64 };

typedef struct Schedule {
  Lowering *lowering;
  Instruction *code, *scratch;
  uint32_t *written;                        // by register: the cycle from which it can be read
  uint32_t *read;                           // ... and the one behind its last reader
  uint32_t *write_cycle;                    // ... and the one behind its last writer's issue
  uint32_t *next_free;                      // by cycle: itself, or a later one to ask
  uint32_t *issued;                         // by cycle: instruction + 1, or 0
  const Instruction *in;                    // being placed
  uint32_t earliest;                        // for it
  uint32_t carry, fence, wall, last;        // cycles behind the last of each; of all
  uint32_t accesses[MOST_ACCESSES];         // plain ones since the last fence ...
  uint32_t access_cycles[MOST_ACCESSES];    // ... and when they were issued
  uint32_t access_versions[MOST_ACCESSES];  // ... and which contents their bases had
  uint32_t access_count;
} Schedule;

static uint32_t later(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static uint32_t latency(const Instruction *in) {
  bool is_double =
      type_kind((DataType)in->form.type) == KIND_FLOAT && type_bits((DataType)in->form.type) == 64;
  bool is_near = in->form.space == SPACE_SHARED || in->form.space == SPACE_CONST;
  switch (form_class(&in->form)) {
    case CLASS_MEMORY:
    case CLASS_TEXTURE: return is_near ? SHARED_CYCLES : GLOBAL_CYCLES;
    case CLASS_SFU:
    case CLASS_DIV:
    case CLASS_TENSOR:
    case CLASS_LANE: return SLOW_CYCLES;
    default: return is_double ? SLOW_CYCLES : ALU_CYCLES;
  }
}

static bool is_texture(const Instruction *in) {
  return opcode_info[in->form.op].family == FAMILY_TEXTURE;
}

static bool is_access(const Instruction *in) {
  return access_is_plain(in) || is_texture(in);
}

// Nothing moves past it: the ends of blocks, and what reads clocks or its place.
static bool is_wall(const Instruction *in) {
  return opcode_info[in->form.op].family == FAMILY_CONTROL || instruction_reads_clock(in);
}

// ---- when it can be issued

static void wait_for(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  schedule->earliest = later(schedule->earliest, use == PLACE_READ ? schedule->written[*place]
                                                                   : schedule->write_cycle[*place]);
  if (use != PLACE_READ) schedule->earliest = later(schedule->earliest, schedule->read[*place]);
}

static uint32_t base_version(const Schedule *schedule, const Instruction *in) {
  return in->src[0] >= 0 ? schedule->write_cycle[in->src[0]] : 0;
}

// Textures are read from global memory.
static bool may_conflict(const Schedule *schedule, uint32_t k) {
  const Instruction *before = &schedule->code[schedule->accesses[k]], *in = schedule->in;
  if (is_texture(before) || is_texture(in)) return access_is_store(before) || access_is_store(in);
  return access_conflicts(before, in, schedule->access_versions[k] == base_version(schedule, in));
}

static void wait_for_memory(Schedule *schedule) {
  const Instruction *in = schedule->in;
  uint32_t *earliest = &schedule->earliest;
  if (!access_is_fenced(in) && !is_access(in)) return;
  *earliest = later(*earliest, schedule->fence);
  for (uint32_t k = 0; k < schedule->access_count; k++)
    if (access_is_fenced(in) || may_conflict(schedule, k))
      *earliest = later(*earliest, schedule->access_cycles[k]);
}

// ---- issuing

static uint32_t free_cycle(Schedule *schedule, uint32_t cycle) {
  uint32_t found = cycle;
  while (schedule->next_free[found] != found) found = schedule->next_free[found];
  while (cycle != found) {
    uint32_t next = schedule->next_free[cycle];
    schedule->next_free[cycle] = found;
    cycle = next;
  }
  return found;
}

static void note_issue(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  uint32_t now = schedule->earliest;
  if (use == PLACE_READ) {
    schedule->read[*place] = later(schedule->read[*place], now + 1);
  } else {
    schedule->written[*place] = now + latency(schedule->in);
    schedule->write_cycle[*place] = now + 1;
  }
}

// What is placed next must see every access of which it has to keep clear: when
// there is no more room to note them, none is passed.
static void note_access(Schedule *schedule, uint32_t index, uint32_t now) {
  const Instruction *in = schedule->in;
  bool is_full = schedule->access_count == MOST_ACCESSES;
  if (access_is_fenced(in) || (is_access(in) && is_full)) {
    for (uint32_t k = 0; k < schedule->access_count; k++)
      schedule->fence = later(schedule->fence, schedule->access_cycles[k]);
    schedule->fence = later(schedule->fence, now + 1);
    schedule->access_count = 0;
  } else if (is_access(in)) {
    uint32_t k = schedule->access_count++;
    schedule->accesses[k] = index;
    schedule->access_cycles[k] = now + 1;
    schedule->access_versions[k] = base_version(schedule, in);
  }
}

static void place_instruction(Schedule *schedule, uint32_t index) {
  Instruction *in = &schedule->code[index];
  const Function *function = schedule->lowering->linked;
  bool uses_carry = instruction_uses_carry(in);
  schedule->in = in;
  schedule->earliest = later(schedule->earliest, is_wall(in) ? schedule->last : schedule->wall);
  if (uses_carry) schedule->earliest = later(schedule->earliest, schedule->carry);
  instruction_each_place(in, function, wait_for, schedule);
  wait_for_memory(schedule);
  uint32_t now = schedule->earliest = free_cycle(schedule, schedule->earliest);
  schedule->issued[now] = index + 1;
  schedule->next_free[now] = now + 1;
  note_access(schedule, index, now);
  instruction_each_place(in, function, note_issue, schedule);
  schedule->last = later(schedule->last, now + 1);
  if (is_wall(in)) schedule->wall = now + 1;
  if (uses_carry) schedule->carry = now + 1;
}

static void forget(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  (void)use;
  schedule->written[*place] = schedule->read[*place] = schedule->write_cycle[*place] = 0;
}

// Puts the block's instructions into the order of their cycles.
static void reorder(const Schedule *schedule, const FlowBlock *block) {
  uint32_t count = 0;
  for (uint32_t cycle = 0; cycle < schedule->last; cycle++)
    if (schedule->issued[cycle])
      schedule->scratch[count++] = schedule->code[schedule->issued[cycle] - 1];
  memcpy(schedule->code + block->first, schedule->scratch, sizeof(Instruction) * count);
}

static void schedule_block(Schedule *schedule, const FlowBlock *block) {
  uint32_t count = block->end - block->first;
  uint32_t cycles = count * (GLOBAL_CYCLES + 1) + 2;
  uint32_t *issue = memory_alloc(sizeof *issue * (count + 1u));
  schedule->issued = memory_alloc(sizeof(uint32_t) * cycles);
  schedule->next_free = memory_alloc(sizeof(uint32_t) * cycles);
  schedule->scratch = memory_alloc(sizeof(Instruction) * (count + 1u));
  for (uint32_t i = 0; i < cycles; i++) schedule->next_free[i] = i;
  schedule->carry = schedule->fence = schedule->wall = schedule->last = 0;
  schedule->access_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    schedule->earliest = i >= LOOKAHEAD ? issue[i - LOOKAHEAD] : 0;
    place_instruction(schedule, block->first + i);
    issue[i] = schedule->earliest;
  }
  for (uint32_t i = block->first; i < block->end; i++)
    instruction_each_place(&schedule->code[i], schedule->lowering->linked, forget, schedule);
  reorder(schedule, block);
  memory_free(issue);
  memory_free(schedule->issued);
  memory_free(schedule->next_free);
  memory_free(schedule->scratch);
}

void blocks_reorder(Lowering *lowering) {
  size_t bytes = sizeof(uint32_t) * (lowering->register_count + 1u);
  Flow flow;
  flow_build(&flow, lowering->code, lowering->code_count);
  Schedule schedule = {.lowering = lowering,
                       .code = lowering->code,
                       .written = memory_alloc(bytes),
                       .read = memory_alloc(bytes),
                       .write_cycle = memory_alloc(bytes)};
  for (uint32_t b = 0; b < flow.block_count; b++)
    if (flow.blocks[b].end - flow.blocks[b].first <= LARGEST_BLOCK)
      schedule_block(&schedule, &flow.blocks[b]);
  memory_free(schedule.written);
  memory_free(schedule.read);
  memory_free(schedule.write_cycle);
  flow_clear(&flow);
}
