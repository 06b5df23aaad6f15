// SPDX-License-Identifier: MIT
// Builds new code for a function, instruction by instruction.
#include "frontends/ptx/optimise/rewrite.h"

#include <string.h>

#include "base/memory.h"

void new_code_open(NewCode *out, const Lowering *lowering) {
  *out = (NewCode){.moved = memory_alloc(sizeof(uint32_t) * (lowering->code_count + 1u))};
}

Instruction *new_code_append(NewCode *out, const Instruction *in) {
  GROW(out->code, out->count, out->capacity);
  out->code[out->count] = *in;
  return &out->code[out->count++];
}

static void aim(const NewCode *out, Instruction *in) {
  if (in->form.op == OP_BRA)
    in->target = in->target & FINAL_TARGET ? in->target & ~FINAL_TARGET : out->moved[in->target];
  if (in->form.op == OP_BRX)
    for (int64_t k = 0; k < in->offset; k++)
      ((uint32_t *)(uintptr_t)in->targets)[k] = out->moved[in->targets[k]];
}

void new_code_close(NewCode *out, Lowering *lowering) {
  for (uint32_t i = 0; i < out->count; i++) aim(out, &out->code[i]);
  lower_reserve(lowering, out->count);
  memcpy(lowering->code, out->code, sizeof(Instruction) * out->count);
  lowering->code_count = out->count;
  memory_free(out->code);
  memory_free(out->moved);
}
