// SPDX-License-Identifier: MIT
// List scheduling. In the order of writing, each instruction of a block takes the
// first free cycle in which its operands are there, so loads move up into the
// cycles in which others wait, and what waits for them moves down.
//
// Dependences are those of a thread: registers, the carry flag, memory that may
// be the same (alias.c). Of memory only loads of what no store writes pass a barrier, a fence, an
// atomic, a call or a volatile access; nothing at all passes a read of a clock.
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/lower/issue_slots.h"
#include "frontends/ptx/optimise/alias.h"
#include "frontends/ptx/optimise/steps.h"

// A result can be used after its latency (isa/compiler.h), but for memory: what a block can
// hide of it. LOOKAHEAD: how many instructions ahead of the
// oldest that waits are considered, which bounds the registers that this costs;
// FAR_LOOKAHEAD: for loads from global memory and what computes their addresses. With
// more than few_registers the SM would hold fewer than 1,536 threads, with more than
// most_registers fewer than 1,024: then half as many instructions are considered, and so on;
// the second limit holds where the first cannot be kept. Loads from global memory are the
// last to give way, as theirs is the latency that a register hides most of (ptxas does so,
// too: all eight of an unrolled loop's, before the first from shared memory).
enum {
  GLOBAL_LATENCY = 60,
  LOOKAHEAD = 64,
  FAR_LOOKAHEAD = 256,
  LEAST_FAR = 16,
  LEAST_BESIDE_FAR = 8,
  LEAST_LOOKAHEAD = 4,
  LARGEST_BLOCK = 1 << 14,
  MOST_ACCESSES = 64
};

// How far up a load may go: as other instructions, to a barrier, past barriers.
typedef enum Reach { REACH_NEAR, REACH_FAR, REACH_FREE } Reach;

typedef struct Schedule {
  Lowering *lowering;
  const CompilerRules *rules;
  Latencies latencies;
  Instruction *code;
  IssueSlots slots;
  uint32_t *written;      // by register: the cycle from which it can be read
  uint8_t *pipe;          // ... by which Pipe, where it has not always been
  uint32_t *read;         // ... and the one behind its last reader
  uint32_t *write_cycle;  // ... and the one behind its last writer's issue
  const Instruction *in;  // being placed
  uint32_t earliest;      // for it
  uint32_t lookahead, far_lookahead;
  bool is_raising;                   // far ones, whatever the latencies
  bool is_strict;                    // nothing is further ahead of any that waits than lookahead
  uint8_t *reach;                    // by instruction: the Reach of loads that need it, or its own
  uint8_t *wanted;                   // by register: the Reach of loads further down that need it
  uint32_t carry, fence, wall;       // cycles behind the last of each
  uint32_t accesses[MOST_ACCESSES];  // plain ones since the last fence ...
  uint32_t access_cycles[MOST_ACCESSES];    // ... and when they were issued
  uint32_t access_versions[MOST_ACCESSES];  // ... and which contents their bases had
  uint32_t access_count;
} Schedule;

static bool is_texture(const Instruction *in) {
  return opcode_info[in->form.op].family == FAMILY_TEXTURE;
}

static bool is_access(const Instruction *in) {
  return access_is_plain(in) || is_texture(in);
}

// Nothing moves past it: the ends of blocks, also those around calls that are steps of one
// instruction here (expand.c), and what reads clocks or its place.
static bool is_wall(const Schedule *schedule, const Instruction *in) {
  if (in->is_reconvergence && schedule->rules->follows_ptxas_13) return true;
  return opcode_info[in->form.op].family == FAMILY_CONTROL || instruction_reads_clock(in);
}

// ---- when it can be issued

// Beyond its latency.
static uint32_t distance_of(const Schedule *schedule, Place place) {
  const Instruction *in = schedule->in;
  Pipe from = schedule->pipe[place], to = instruction_pipe(in);
  if (from == PIPE_NONE || !schedule->written[place]) return 0;
  if (place == in->guard) return schedule->rules->to_guard;
  if (is_access(in)) return schedule->rules->to_memory;
  return to != PIPE_NONE && to != from ? schedule->rules->to_other_pipe : 0;
}

static void wait_for(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  uint32_t since = use != PLACE_READ ? schedule->write_cycle[*place]
                   : schedule->is_raising
                       ? schedule->written[*place]
                       : schedule->written[*place] + distance_of(schedule, *place);
  schedule->earliest = later(schedule->earliest, since);
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

// No store writes what it reads.
static bool is_free(const Schedule *schedule, const Instruction *in) {
  return schedule->rules->follows_ptxas_13 && access_is_read_only(in);
}

static void wait_for_memory(Schedule *schedule) {
  const Instruction *in = schedule->in;
  uint32_t *earliest = &schedule->earliest;
  if ((!access_is_fenced(in) && !is_access(in)) || is_free(schedule, in)) return;
  *earliest = later(*earliest, schedule->fence);
  for (uint32_t k = 0; k < schedule->access_count; k++)
    if (access_is_fenced(in) || may_conflict(schedule, k))
      *earliest = later(*earliest, schedule->access_cycles[k]);
}

// ---- issuing

static void note_issue(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  uint32_t now = schedule->earliest;
  if (use == PLACE_READ) {
    schedule->read[*place] = later(schedule->read[*place], now + 1);
  } else {
    uint32_t latency =
        schedule->is_raising ? 1 : instruction_latency(schedule->in, &schedule->latencies);
    schedule->written[*place] = now + latency;
    schedule->pipe[*place] = (uint8_t)instruction_pipe(schedule->in);
    schedule->write_cycle[*place] = now + 1;
  }
}

// What is placed next must see every access of which it has to keep clear: when
// there is no more room to note them, none is passed.
static void note_access(Schedule *schedule, uint32_t index, uint32_t now) {
  const Instruction *in = schedule->in;
  bool is_full = schedule->access_count == MOST_ACCESSES;
  if (is_free(schedule, in)) return;
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
  schedule->earliest =
      later(schedule->earliest, is_wall(schedule, in) ? schedule->slots.last : schedule->wall);
  if (uses_carry) schedule->earliest = later(schedule->earliest, schedule->carry);
  instruction_each_place(in, function, wait_for, schedule);
  wait_for_memory(schedule);
  bool is_paired = !schedule->is_raising && schedule->rules->pipe_cycles > 1;
  Pipe pipe = is_paired ? instruction_pipe(in) : PIPE_NONE;
  uint32_t now = schedule->earliest =
      issue_slots_take_pipe(&schedule->slots, pipe, schedule->earliest, index);
  note_access(schedule, index, now);
  instruction_each_place(in, function, note_issue, schedule);
  if (is_wall(schedule, in)) schedule->wall = now + 1;
  if (uses_carry) schedule->carry = now + 1;
}

static void forget(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  (void)use;
  schedule->written[*place] = schedule->read[*place] = schedule->write_cycle[*place] = 0;
}

// ---- what loads from global memory need

static void note_written(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  if (use == PLACE_READ || !schedule->wanted[*place]) return;
  uint8_t *reach = &schedule->reach[schedule->in - schedule->code];
  if (*reach < schedule->wanted[*place]) *reach = schedule->wanted[*place];
  if (schedule->in->guard == NO_PLACE) schedule->wanted[*place] = REACH_NEAR;
}

static void want(void *state, Place *place, PlaceUse use) {
  Schedule *schedule = state;
  uint8_t reach = schedule->reach[schedule->in - schedule->code];
  if (use == PLACE_READ && schedule->wanted[*place] < reach) schedule->wanted[*place] = reach;
}

static void want_none(void *state, Place *place, PlaceUse use) {
  (void)use;
  ((Schedule *)state)->wanted[*place] = REACH_NEAR;
}

static Reach reach_of(const Schedule *schedule, const Instruction *in) {
  if (is_texture(in)) return REACH_FAR;
  if (is_free(schedule, in)) return REACH_FREE;
  bool is_far = access_is_plain(in) && !access_is_store(in) && in->form.space != SPACE_SHARED &&
                in->form.space != SPACE_CONST;
  return is_far ? REACH_FAR : REACH_NEAR;
}

static void find_far(Schedule *schedule, const FlowBlock *block) {
  const Function *function = schedule->lowering->linked;
  for (uint32_t i = block->end; i-- > block->first;) {
    Instruction *in = &schedule->code[i];
    schedule->in = in;
    schedule->reach[i] = (uint8_t)reach_of(schedule, in);
    instruction_each_place(in, function, note_written, schedule);
    if (schedule->reach[i]) instruction_each_place(in, function, want, schedule);
  }
  for (uint32_t i = block->first; i < block->end; i++)
    instruction_each_place(&schedule->code[i], function, want_none, schedule);
}

static void begin_block(Schedule *schedule, uint32_t count) {
  issue_slots_open(&schedule->slots, count, GLOBAL_LATENCY);
  schedule->carry = schedule->fence = schedule->wall = 0;
  schedule->access_count = 0;
}

static void end_block(Schedule *schedule, const FlowBlock *block) {
  for (uint32_t i = block->first; i < block->end; i++)
    instruction_each_place(&schedule->code[i], schedule->lowering->linked, forget, schedule);
  issue_slots_close(&schedule->slots, schedule->code, block->first);
}

// Far ones move up between the others, which stay where they are, as far as their operands and
// memory allow, but not what computes addresses above a barrier that the load stays behind: it
// would take registers there and nothing would come of it.
static void raise_far(Schedule *schedule, const FlowBlock *block) {
  uint32_t count = block->end - block->first, far = schedule->far_lookahead;
  begin_block(schedule, count);
  schedule->is_raising = true;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t first = i > far ? i - far : 0;
    uint32_t reach = schedule->reach[block->first + i], highest = first * GLOBAL_LATENCY;
    schedule->earliest = reach == REACH_FREE  ? highest
                         : reach == REACH_FAR ? later(highest, schedule->fence)
                                              : i * GLOBAL_LATENCY;
    place_instruction(schedule, block->first + i);
  }
  schedule->is_raising = false;
  end_block(schedule, block);
}

static void schedule_block(Schedule *schedule, const FlowBlock *block) {
  uint32_t count = block->end - block->first;
  uint32_t *issue = memory_alloc(sizeof *issue * (count + 1u));
  begin_block(schedule, count);
  for (uint32_t i = 0; i < count; i++) {
    schedule->earliest = i >= schedule->lookahead ? issue[i - schedule->lookahead] : 0;
    place_instruction(schedule, block->first + i);
    issue[i] = schedule->earliest;
    if (schedule->is_strict && i) issue[i] = later(issue[i], issue[i - 1]);
  }
  end_block(schedule, block);
  memory_free(issue);
}

static void schedule_all(Lowering *lowering, const Flow *flow, const CompilerRules *rules,
                         uint32_t lookahead, uint32_t far, bool is_strict) {
  size_t bytes = sizeof(uint32_t) * (lowering->register_count + 1u);
  Schedule schedule = {.lowering = lowering,
                       .rules = rules,
                       .latencies = {.alu = rules->alu_latency,
                                     .slow = rules->slow_latency,
                                     .shared = rules->shared_latency,
                                     .global = GLOBAL_LATENCY},
                       .code = lowering->code,
                       .lookahead = lookahead,
                       .far_lookahead = far,
                       .is_strict = is_strict,
                       .reach = memory_alloc(lowering->code_count + 1u),
                       .wanted = memory_alloc(lowering->register_count + 1u),
                       .written = memory_alloc(bytes),
                       .pipe = memory_alloc(lowering->register_count + 1u),
                       .read = memory_alloc(bytes),
                       .write_cycle = memory_alloc(bytes)};
  for (uint32_t b = 0; b < flow->block_count; b++) {
    const FlowBlock *block = &flow->blocks[b];
    if (block->end - block->first > LARGEST_BLOCK) continue;
    if (far) find_far(&schedule, block);
    if (far) raise_far(&schedule, block);
    schedule_block(&schedule, block);
  }
  memory_free(schedule.written);
  memory_free(schedule.pipe);
  memory_free(schedule.read);
  memory_free(schedule.write_cycle);
  memory_free(schedule.reach);
  memory_free(schedule.wanted);
}

static bool is_too_wide(const Lowering *lowering, const Flow *flow, uint32_t most) {
  return registers_allocation(lowering, flow) > most;
}

// An order of the code to begin with.
typedef struct Beginning {
  Instruction *code;
  bool needs_few;  // registers, and shall need few
} Beginning;

// The widest schedule, from a lookahead on, whose registers suffice; with `far` = 0, loads from
// global memory look as far ahead as the others. Returns whether there is one.
static bool reorder_within(Lowering *lowering, const Flow *flow, const CompilerRules *rules,
                           const Beginning *before, uint32_t most, uint32_t first, uint32_t least,
                           uint32_t far) {
  for (uint32_t lookahead = first; lookahead >= least; lookahead /= 2) {
    memcpy(lowering->code, before->code, sizeof(Instruction) * lowering->code_count);
    schedule_all(lowering, flow, rules, lookahead, far, before->needs_few);
    if (!is_too_wide(lowering, flow, most)) return true;
  }
  return false;
}

static Instruction *copy_code(const Lowering *lowering) {
  size_t bytes = sizeof(Instruction) * lowering->code_count;
  Instruction *copy = memory_alloc(bytes + 1);
  memcpy(copy, lowering->code, bytes);
  return copy;
}

// Where 40 registers are kept: the farthest view of loads with which that many suffice.
static bool reorder_by_reach(Lowering *lowering, const Flow *flow, const CompilerRules *rules,
                             const Beginning *before, uint32_t most) {
  if (!reorder_within(lowering, flow, rules, before, most, 1, 1, 0)) return false;
  for (uint32_t far = FAR_LOOKAHEAD; far >= LEAST_FAR; far -= far / 4)
    if (reorder_within(lowering, flow, rules, before, most, 1, 1, far))
      return reorder_within(lowering, flow, rules, before, most, LOOKAHEAD, 1, far);
  return reorder_within(lowering, flow, rules, before, most, LOOKAHEAD, 1, 0);
}

// What cannot be kept is given up step by step: registers with which an SM holds 1,536, 1,024, 768,
// 640, 512, 384 and 256 threads.
static void reorder_by_steps(Lowering *lowering, const Flow *flow, const CompilerRules *rules,
                             const Beginning *written) {
  static const uint32_t steps[] = {40, 64, 80, 96, 128, 168, 255};
  Beginning relieved = {.needs_few = true};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    if (reorder_by_reach(lowering, flow, rules, written, steps[i])) break;
    if (i == 0) continue;
    if (!relieved.code) {
      memcpy(lowering->code, written->code, sizeof(Instruction) * lowering->code_count);
      blocks_relieve(lowering, flow);
      relieved.code = copy_code(lowering);
    }
    if (reorder_by_reach(lowering, flow, rules, &relieved, steps[i])) break;
  }
  memory_free(relieved.code);
}

// Where the order of writing keeps too many registers live, one that needs few is the beginning.
void blocks_reorder(Lowering *lowering, const CompilerRules *rules) {
  uint32_t most = rules->most_registers, least = LEAST_BESIDE_FAR, far = FAR_LOOKAHEAD;
  Flow flow;
  flow_build(&flow, lowering->code, lowering->code_count);
  Beginning written = {.code = copy_code(lowering)};
  Beginning relieved = {.needs_few = rules->follows_ptxas_13};
  if (rules->keeps_few) {
    reorder_by_steps(lowering, &flow, rules, &written);
  } else if (!reorder_within(lowering, &flow, rules, &written, rules->few_registers, LOOKAHEAD,
                             least, far) &&
             !reorder_within(lowering, &flow, rules, &written, most, LOOKAHEAD, least, far)) {
    memcpy(lowering->code, written.code, sizeof(Instruction) * lowering->code_count);
    if (rules->follows_ptxas_13) blocks_relieve(lowering, &flow);
    relieved.code = copy_code(lowering);
    if (!rules->follows_ptxas_13 ||
        !reorder_within(lowering, &flow, rules, &relieved, most, LOOKAHEAD, least, far))
      reorder_within(lowering, &flow, rules, &relieved, most, LOOKAHEAD, LEAST_LOOKAHEAD, 0);
  }
  flow_clear(&flow);
  memory_free(written.code);
  memory_free(relieved.code);
}
