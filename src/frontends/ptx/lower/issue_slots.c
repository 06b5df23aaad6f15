// SPDX-License-Identifier: MIT
// Issue cycles of a basic block during scheduling: each instruction, in program order, takes the
// first free cycle in which its operands are available.
#include "frontends/ptx/lower/issue_slots.h"

#include <string.h>

#include "base/memory.h"

uint32_t instruction_latency(const Instruction *in, const Latencies *latencies) {
  DataType type = (DataType)in->form.type;
  bool is_double = type_kind(type) == KIND_FLOAT && type_bits(type) == 64;
  bool is_near = in->form.space == SPACE_SHARED || in->form.space == SPACE_CONST;
  switch (form_class(&in->form)) {
    case CLASS_MEMORY:
    case CLASS_TEXTURE: return is_near ? latencies->shared : latencies->global;
    case CLASS_SFU:
    case CLASS_DIV:
    case CLASS_TENSOR:
    case CLASS_LANE: return latencies->slow;
    default: return is_double ? latencies->slow : latencies->alu;
  }
}

Pipe instruction_pipe(const Instruction *in) {
  TypeKind kind = type_kind((DataType)in->form.type);
  switch (form_class(&in->form)) {
    case CLASS_MAX: return PIPE_ALU;
    case CLASS_ADD:
    case CLASS_SIMPLE: return kind == KIND_FLOAT ? PIPE_FMA : PIPE_ALU;
    case CLASS_MUL:
    case CLASS_MAD:
    case CLASS_FMA: return PIPE_FMA;
    default: return PIPE_NONE;
  }
}

static uint32_t *all_free(uint32_t count) {
  uint32_t *next = memory_alloc(sizeof(uint32_t) * count);
  for (uint32_t i = 0; i < count; i++) next[i] = i;
  return next;
}

void issue_slots_open(IssueSlots *slots, uint32_t instructions, uint32_t longest) {
  uint32_t cycles = instructions * (longest + 2) + 4;
  slots->issued = memory_alloc(sizeof(uint32_t) * cycles);
  slots->next_free = all_free(cycles);
  for (int pipe = 0; pipe < PIPE_COUNT; pipe++) slots->next_pair[pipe] = all_free(cycles / 2 + 1);
  slots->last = 0;
}

// Union-find with path compression: a linear search would take quadratic time in blocks of
// thousands of instructions.
static uint32_t first_free(uint32_t *next_free, uint32_t cycle) {
  uint32_t found = cycle;
  while (next_free[found] != found) found = next_free[found];
  while (cycle != found) {
    uint32_t next = next_free[cycle];
    next_free[cycle] = found;
    cycle = next;
  }
  return found;
}

uint32_t issue_slots_take_pipe(IssueSlots *slots, Pipe pipe, uint32_t earliest, uint32_t index) {
  if (pipe == PIPE_NONE) return issue_slots_take(slots, earliest, index);
  uint32_t *pairs = slots->next_pair[pipe], pair, now = first_free(slots->next_free, earliest);
  while ((pair = first_free(pairs, now / 2)) != now / 2)
    now = first_free(slots->next_free, pair * 2);
  pairs[pair] = pair + 1;
  return issue_slots_take(slots, now, index);
}

uint32_t issue_slots_take(IssueSlots *slots, uint32_t earliest, uint32_t index) {
  uint32_t now = first_free(slots->next_free, earliest);
  slots->issued[now] = index + 1;
  slots->next_free[now] = now + 1;
  slots->last = later(slots->last, now + 1);
  return now;
}

void issue_slots_close(IssueSlots *slots, Instruction *code, uint32_t first) {
  uint32_t count = 0;
  for (uint32_t cycle = 0; cycle < slots->last; cycle++) count += slots->issued[cycle] != 0;
  Instruction *ordered = memory_alloc(sizeof(Instruction) * (count + 1u));
  count = 0;
  for (uint32_t cycle = 0; cycle < slots->last; cycle++)
    if (slots->issued[cycle]) ordered[count++] = code[slots->issued[cycle] - 1];
  memcpy(code + first, ordered, sizeof(Instruction) * count);
  memory_free(ordered);
  memory_free(slots->issued);
  memory_free(slots->next_free);
  for (int pipe = 0; pipe < PIPE_COUNT; pipe++) memory_free(slots->next_pair[pipe]);
}
