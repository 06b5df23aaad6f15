// SPDX-License-Identifier: MIT
// Registers whose contents may depend on memory, not only on parameters, constants and thread
// indices.
#include "frontends/ptx/optimise/loaded.h"

#include <string.h>

#include "base/memory.h"

enum { MOST_ROUNDS = 32 };

typedef struct Finder {
  bool *is_loaded;
  bool reads_loaded, changed;
} Finder;

static bool is_source(const Instruction *in, const Function *function) {
  switch (opcode_info[in->form.op].family) {
    case FAMILY_ARITHMETIC:
    case FAMILY_VIDEO:
    case FAMILY_COMPARE:
    case FAMILY_CONVERT:
    case FAMILY_MOVE: return false;
    default: return !instruction_loads_parameter(in, function);
  }
}

static bool is_thread(const Instruction *in) {
  for (int i = 0; i < MAX_SPECIALS; i++) {
    SpecialRegister special = (SpecialRegister)in->special[i];
    bool is_shared = (special >= SPECIAL_NTID_X && special <= SPECIAL_NTID_Z) ||
                     (special >= SPECIAL_CTAID_X && special <= SPECIAL_CTAID_Z) ||
                     (special >= SPECIAL_NCTAID_X && special <= SPECIAL_NCTAID_Z);
    if (special && !is_shared) return true;
  }
  return false;
}

static void note_read(void *state, Place *place, PlaceUse use) {
  Finder *finder = state;
  finder->reads_loaded |= use == PLACE_READ && finder->is_loaded[*place];
}

static void note_write(void *state, Place *place, PlaceUse use) {
  Finder *finder = state;
  if (use == PLACE_READ || finder->is_loaded[*place]) return;
  finder->is_loaded[*place] = finder->changed = true;
}

static bool *find(const Lowering *lowering, bool with_threads) {
  Finder finder = {.is_loaded = memory_alloc(lowering->register_count + 1u), .changed = true};
  const Function *function = lowering->linked;
  for (uint32_t i = 0; i < function->param_count; i++)
    if (function->params[i].place >= 0) finder.is_loaded[function->params[i].place] = true;
  for (int round = 0; finder.changed && round < MOST_ROUNDS; round++) {
    finder.changed = false;
    for (uint32_t i = 0; i < lowering->code_count; i++) {
      Instruction *in = &lowering->code[i];
      finder.reads_loaded = is_source(in, function) || (with_threads && is_thread(in));
      instruction_each_place(in, function, note_read, &finder);
      if (finder.reads_loaded) instruction_each_place(in, function, note_write, &finder);
    }
  }
  if (finder.changed) memset(finder.is_loaded, true, lowering->register_count);
  return finder.is_loaded;
}

bool *loaded_find(const Lowering *lowering) {
  return find(lowering, false);
}

bool *varying_find(const Lowering *lowering) {
  return find(lowering, true);
}
