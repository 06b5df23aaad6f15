// SPDX-License-Identifier: MIT
// Each instruction, in program order, takes the first free cycle in which its
// operands are available. Loads thereby move up into stall cycles of others.
// They are not moved across stores, because addresses are unknown.
#include "frontends/ptx/lower/block_schedule.h"

#include "base/memory.h"
#include "frontends/ptx/lower/issue_slots.h"
#include "frontends/ptx/lower/liveness.h"

// Latencies in cycles, and the look-ahead in instructions from the oldest
// unscheduled one. The result hardly depends on them.
static const Latencies latencies = {.alu = 5, .slow = 15, .shared = 25, .global = 60};
enum { LOOKAHEAD = 64, LARGEST_BLOCK = 1 << 14 };

typedef struct Schedule {
  Instruction *code;
  IssueSlots slots;
  const Function *function;
  uint32_t *written;              // by register: first cycle in which it can be read
  uint32_t *read;                 // ... and the cycle after its last reader
  const Instruction *in;          // current instruction
  uint32_t earliest;              // its earliest cycle
  uint32_t stores, loads, order;  // the cycle after the last of each
} Schedule;

bool instruction_is_load(const Instruction *in) {
  Opcode op = (Opcode)in->form.op;
  bool is_plain = op == OP_LD || op == OP_LDU || op == OP_TEX || op == OP_TLD4 || op == OP_SULD;
  bool is_matrix = op == OP_LDMATRIX || (op == OP_WMMA && in->form.mode == MODE_LOAD);
  return (is_plain || is_matrix) && !in->form.volatile_;
}

bool instruction_is_ordered(const Instruction *in) {
  if (in->form.op == OP_WGMMA) return true;
  switch (opcode_info[in->form.op].family) {
    case FAMILY_BARRIER:
    case FAMILY_CONTROL:
    case FAMILY_LANE:
    case FAMILY_SYSTEM:
    case FAMILY_ATOMIC: return true;
    default: return false;
  }
}

static bool touches_memory(const Instruction *in) {
  Family family = opcode_info[in->form.op].family;
  bool is_matrix = family == FAMILY_MATRIX && form_class(&in->form) == CLASS_MEMORY;
  return family == FAMILY_MEMORY || family == FAMILY_ATOMIC || family == FAMILY_TEXTURE ||
         is_matrix;
}

static bool reads_constants(const Instruction *in) {
  return in->form.space == SPACE_PARAM || in->form.space == SPACE_CONST ||
         in->form.cache == CACHE_NON_COHERENT || in->form.op == OP_TEX ||
         in->form.op == OP_TLD4;
}

static void wait_for(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  schedule->earliest = later(schedule->earliest, schedule->written[*place]);
  if (use == PLACE_WRITTEN) schedule->earliest = later(schedule->earliest, schedule->read[*place]);
}

static void wait_for_memory(Schedule *schedule) {
  const Instruction *in = schedule->in;
  uint32_t *earliest = &schedule->earliest;
  if (instruction_is_ordered(in)) *earliest = later(*earliest, schedule->slots.last);
  if (!touches_memory(in)) return;
  *earliest = later(*earliest, schedule->order);
  if (!instruction_is_load(in))
    *earliest = later(*earliest, later(schedule->stores, schedule->loads));
  else if (!reads_constants(in))
    *earliest = later(*earliest, schedule->stores);
}

static void note_issue(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  uint32_t now = schedule->earliest;
  if (use == PLACE_READ) schedule->read[*place] = later(schedule->read[*place], now + 1);
  if (use == PLACE_WRITTEN)
    schedule->written[*place] = now + instruction_latency(schedule->in, &latencies);
}

static void place_instruction(Schedule *schedule, uint32_t index) {
  Instruction *in = &schedule->code[index];
  schedule->in = in;
  instruction_each_place(in, schedule->function, wait_for, schedule);
  wait_for_memory(schedule);
  uint32_t now = schedule->earliest = issue_slots_take(&schedule->slots, schedule->earliest, index);
  instruction_each_place(in, schedule->function, note_issue, schedule);
  if (instruction_is_ordered(in)) schedule->order = now + 1;
  if (!touches_memory(in)) return;
  uint32_t *behind = instruction_is_load(in) ? &schedule->loads : &schedule->stores;
  *behind = later(*behind, now + 1);
}

static void forget(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  (void)use;
  schedule->written[*place] = schedule->read[*place] = 0;
}

// The window of LOOKAHEAD instructions keeps loads from moving to the top of a long block, which
// would exceed any register file.
static void schedule_block(Schedule *schedule, const FlowBlock *block) {
  uint32_t count = block->end - block->first;
  uint32_t *issue = memory_alloc(sizeof *issue * (count + 1u));
  issue_slots_open(&schedule->slots, count, latencies.global);
  schedule->stores = schedule->loads = schedule->order = 0;
  for (uint32_t i = 0; i < count; i++) {
    schedule->earliest = i >= LOOKAHEAD ? issue[i - LOOKAHEAD] : 0;
    place_instruction(schedule, block->first + i);
    issue[i] = schedule->earliest;
  }
  for (uint32_t i = block->first; i < block->end; i++)
    instruction_each_place(&schedule->code[i], schedule->function, forget, schedule);
  issue_slots_close(&schedule->slots, schedule->code, block->first);
  memory_free(issue);
}

void blocks_schedule(Instruction *code, const FlowBlock *blocks, uint32_t block_count,
                     const Function *function, uint32_t register_count) {
  Schedule schedule = {.code = code,
                       .function = function,
                       .written = memory_alloc(sizeof(uint32_t) * (register_count + 1u)),
                       .read = memory_alloc(sizeof(uint32_t) * (register_count + 1u))};
  for (uint32_t b = 0; b < block_count; b++)
    if (blocks[b].end - blocks[b].first <= LARGEST_BLOCK) schedule_block(&schedule, &blocks[b]);
  memory_free(schedule.written);
  memory_free(schedule.read);
}
