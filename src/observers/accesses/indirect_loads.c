// SPDX-License-Identifier: MIT
// Indirect loads: loads whose address depends on memory, as in a[b[i]], lists and trees.
#include "observers/accesses/indirect_loads.h"

#include <string.h>

#include "base/memory.h"

static bool is_load(const Instruction *in) {
  return in->form.op == OP_LD || in->form.op == OP_LDU;
}

// Parameters and constants are not data.
static bool gives_data(const Instruction *in) {
  switch (opcode_info[in->form.op].family) {
    case FAMILY_TEXTURE:
    case FAMILY_ATOMIC: return true;
    case FAMILY_MEMORY: break;
    default: return false;
  }
  return is_load(in) && (in->form.space == SPACE_GLOBAL || in->form.space == SPACE_GENERIC ||
                         in->form.space == SPACE_SHARED || in->form.space == SPACE_LOCAL);
}

// Ids are places, which registers of the function share over time. The number in its name and
// whether it holds a float distinguish them, except for 1 in 256 of those in one place.
enum { NUMBERS = 256, KEYS = 2 * NUMBERS };
static size_t key_of(uint16_t id, uint8_t number, DataType type) {
  return (size_t)id * KEYS + number + (type_kind(type) == KIND_FLOAT ? NUMBERS : 0);
}

// Addresses are integers, irrespective of the loaded type.
static DataType source_type(const Instruction *in) {
  if (is_load(in)) return TYPE_U64;
  return in->form.type2 != TYPE_NONE ? in->form.type2 : in->form.type;
}

static bool reads_data(const Instruction *in, const RegisterUse *use, const bool *is_data) {
  for (uint32_t i = 0; i < use->source_count; i++)
    if (is_data[key_of(use->sources[i], use->source_numbers[i], source_type(in))]) return true;
  return false;
}

// One pass over a function; whether it found more registers.
static bool spread(const Program *program, const Function *function, bool *is_data) {
  bool has_changed = false;
  for (uint32_t pc = function->entry; pc < function->entry + function->code_count; pc++) {
    const Instruction *in = &program->code[pc];
    const RegisterUse *use = &program->register_uses[pc];
    // The address of a load does not propagate to its result.
    if (!gives_data(in) && (is_load(in) || !reads_data(in, use, is_data))) continue;
    for (uint32_t i = 0; i < use->destination_count; i++) {
      bool *written =
          &is_data[key_of(use->destinations[i], use->destination_numbers[i], in->form.type)];
      has_changed |= !*written;
      *written = true;
    }
  }
  return has_changed;
}

static void mark(const Program *program, const Function *function, bool *is_data, bool *marks) {
  memset(is_data, 0, sizeof *is_data * KEYS * program->register_id_count);
  while (spread(program, function, is_data)) continue;
  for (uint32_t pc = function->entry; pc < function->entry + function->code_count; pc++)
    marks[pc] = is_load(&program->code[pc]) &&
                reads_data(&program->code[pc], &program->register_uses[pc], is_data);
}

bool *indirect_loads_find(const Program *program) {
  bool *marks = memory_alloc(sizeof *marks * (program->code_count + 1));
  bool *is_data = memory_alloc(sizeof *is_data * KEYS * (program->register_id_count + 1));
  for (uint32_t i = 0; program->register_uses && i < program->function_count; i++)
    if (!program->functions[i].native) mark(program, &program->functions[i], is_data, marks);
  memory_free(is_data);
  return marks;
}
