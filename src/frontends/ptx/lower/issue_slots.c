// SPDX-License-Identifier: MIT
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

void issue_slots_open(IssueSlots *slots, uint32_t instructions, uint32_t longest) {
  uint32_t cycles = instructions * (longest + 1) + 2;
  slots->issued = memory_alloc(sizeof(uint32_t) * cycles);
  slots->next_free = memory_alloc(sizeof(uint32_t) * cycles);
  slots->last = 0;
  for (uint32_t i = 0; i < cycles; i++) slots->next_free[i] = i;
}

// Union-find with path compression: a linear search would take quadratic time in blocks of
// thousands of instructions.
static uint32_t free_cycle(IssueSlots *slots, uint32_t cycle) {
  uint32_t found = cycle;
  while (slots->next_free[found] != found) found = slots->next_free[found];
  while (cycle != found) {
    uint32_t next = slots->next_free[cycle];
    slots->next_free[cycle] = found;
    cycle = next;
  }
  return found;
}

uint32_t issue_slots_take(IssueSlots *slots, uint32_t earliest, uint32_t index) {
  uint32_t now = free_cycle(slots, earliest);
  slots->issued[now] = index + 1;
  slots->next_free[now] = now + 1;
  slots->last = later(slots->last, now + 1);
  return now;
}

void issue_slots_close(IssueSlots *slots, Instruction *code, uint32_t first) {
  uint32_t count = 0;
  Instruction *ordered = memory_alloc(sizeof(Instruction) * (slots->last + 1u));
  for (uint32_t cycle = 0; cycle < slots->last; cycle++)
    if (slots->issued[cycle]) ordered[count++] = code[slots->issued[cycle] - 1];
  memcpy(code + first, ordered, sizeof(Instruction) * count);
  memory_free(ordered);
  memory_free(slots->issued);
  memory_free(slots->next_free);
}
