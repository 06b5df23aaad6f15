// SPDX-License-Identifier: MIT
// Which of two pipelines executes a sum, copy or shift. ptxas for 7.5 to 8.9 has them as IADD3, MOV
// and SHF of the ALU, or as IMAD of the FMA pipeline where instructions beside them need the ALU;
// sums among sums stay there.
#include "base/memory.h"
#include "frontends/ptx/lower/issue_slots.h"
#include "frontends/ptx/optimise/steps.h"

enum { LOADED_LATENCY = 400 };

// The block so far: instructions issue in order.
typedef struct Pipes {
  const Lowering *lowering;
  const CompilerRules *rules;
  Latencies latencies;
  uint32_t *ready;            // by register: when its value is there
  uint32_t free[PIPE_COUNT];  // when a pipeline takes another instruction
  uint32_t earliest, issued;
  bool adds;  // the last instruction of the ALU is a sum
} Pipes;

static bool is_constant(Place place) {
  return place < 0 && place != NO_PLACE;
}

// Of 32 bits, without carry or saturation. Copies of special registers are other instructions.
static bool has_choice(const Instruction *in) {
  DataType type = (DataType)in->form.type;
  Opcode op = in->form.op;
  bool is_plain = !in->form.sat && !in->form.carry_out && !in->special[0] && !in->is_meeting;
  if (!is_plain || type_bits(type) != 32) return false;
  if (op == OP_MOV) return true;
  if (type_kind(type) == KIND_FLOAT) return false;
  if (op == OP_ADD || op == OP_SUB) return in->src[2] == NO_PLACE;
  return op == OP_SHL && is_constant(in->src[1]);
}

static bool is_sum(const Instruction *in) {
  return has_choice(in) && (in->form.op == OP_ADD || in->form.op == OP_SUB);
}

static void wait_for(void *state, Place *place, PlaceUse use) {
  Pipes *pipes = state;
  if (use == PLACE_READ) pipes->earliest = later(pipes->earliest, pipes->ready[*place]);
}

static void note_result(void *state, Place *place, PlaceUse use) {
  Pipes *pipes = state;
  if (use != PLACE_READ) pipes->ready[*place] = pipes->earliest;
}

static void forget(void *state, Place *place, PlaceUse use) {
  (void)use;
  ((Pipes *)state)->ready[*place] = 0;
}

static uint32_t earliest_issue(Pipes *pipes, Instruction *in, uint32_t since) {
  pipes->earliest = since;
  instruction_each_place(in, pipes->lowering->linked, wait_for, pipes);
  return pipes->earliest;
}

// Whether the instruction behind it would have to wait for the ALU.
static bool delays(Pipes *pipes, const Instruction *in, Instruction *next, uint32_t now) {
  if (!next || instruction_pipe(next) != PIPE_ALU || (is_sum(in) && is_sum(next))) return false;
  return earliest_issue(pipes, next, now + 1) < now + pipes->rules->pipe_cycles;
}

static Pipe choose(Pipes *pipes, Instruction *in, Instruction *next, uint32_t now) {
  if (!has_choice(in)) return instruction_pipe(in);
  if (pipes->free[PIPE_FMA] > now) return PIPE_ALU;
  // What the next one waits for is not there before: its result is marked first.
  pipes->earliest = now + pipes->rules->alu_latency;
  instruction_each_place(in, pipes->lowering->linked, note_result, pipes);
  bool must_wait = pipes->free[PIPE_ALU] > now && !(pipes->adds && is_sum(in));
  return must_wait || delays(pipes, in, next, now) ? PIPE_FMA : PIPE_ALU;
}

static void issue(Pipes *pipes, Instruction *in, Instruction *next) {
  uint32_t now = earliest_issue(pipes, in, pipes->issued + 1);
  Pipe pipe = choose(pipes, in, next, now);
  in->is_multiplied = has_choice(in) && pipe == PIPE_FMA;
  if (pipe != PIPE_NONE) {
    now = later(now, pipes->free[pipe]);
    pipes->free[pipe] = now + pipes->rules->pipe_cycles;
    if (pipe == PIPE_ALU) pipes->adds = is_sum(in);
  }
  pipes->issued = now;
  pipes->earliest = now + instruction_latency(in, &pipes->latencies);
  instruction_each_place(in, pipes->lowering->linked, note_result, pipes);
}

void pipes_choose(Lowering *lowering, const CompilerRules *rules) {
  Flow flow;
  Pipes pipes = {.lowering = lowering,
                 .rules = rules,
                 .latencies = {.alu = rules->alu_latency,
                               .slow = rules->slow_latency,
                               .shared = rules->shared_latency,
                               .global = LOADED_LATENCY},
                 .ready = memory_alloc(sizeof(uint32_t) * (lowering->register_count + 1u))};
  flow_build(&flow, lowering->code, lowering->code_count);
  for (uint32_t b = 0; b < flow.block_count; b++) {
    const FlowBlock *block = &flow.blocks[b];
    Instruction *code = lowering->code;
    pipes.adds = false;
    pipes.issued = pipes.free[PIPE_FMA] = pipes.free[PIPE_ALU] = 0;
    for (uint32_t i = block->first; i < block->end; i++)
      issue(&pipes, &code[i], i + 1 < block->end ? &code[i + 1] : NULL);
    for (uint32_t i = block->first; i < block->end; i++)
      instruction_each_place(&code[i], lowering->linked, forget, &pipes);
  }
  flow_clear(&flow);
  memory_free(pipes.ready);
}
