// SPDX-License-Identifier: MIT
// Registers that are local to one block.
#include "frontends/ptx/optimise/mentions.h"

#include "base/memory.h"

typedef struct Finder {
  bool *is_local;   // by register
  uint32_t *block;  // by register: 1 + the first block that references it; 0: none
  uint32_t here;
  bool is_guarded;
} Finder;

static void note_mention(void *state, Place *place, PlaceUse use) {
  Finder *finder = state;
  uint32_t *block = &finder->block[*place];
  if (!*block) {
    *block = finder->here + 1;
    finder->is_local[*place] = use != PLACE_READ && !finder->is_guarded;
  } else if (*block != finder->here + 1) {
    finder->is_local[*place] = false;
  }
}

bool *locals_find(const Lowering *lowering, const Flow *flow) {
  const Function *function = lowering->linked;
  Finder finder = {.is_local = memory_alloc(lowering->register_count + 1u),
                   .block = memory_alloc(sizeof(uint32_t) * (lowering->register_count + 1u))};
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    finder.here = flow->block_of[i];
    finder.is_guarded = lowering->code[i].guard != NO_PLACE;
    instruction_each_place(&lowering->code[i], function, note_mention, &finder);
  }
  for (uint32_t i = 0; i < function->param_count; i++)
    if (function->params[i].place >= 0) finder.is_local[function->params[i].place] = false;
  for (uint32_t i = 0; i < function->result_count; i++)
    if (function->results[i].place >= 0) finder.is_local[function->results[i].place] = false;
  memory_free(finder.block);
  return finder.is_local;
}
