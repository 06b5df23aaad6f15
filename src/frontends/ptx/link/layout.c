// SPDX-License-Identifier: MIT
// Assigns addresses to the variables of a linked program and fills in their initial values.
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/link/linker.h"

// Module variables are aligned to 256 bytes, as memory from cudaMalloc is.
enum { VARIABLE_ALIGNMENT = 256, FRAME_ALIGNMENT = 16 };
#define MAX_VARIABLE_BYTES (UINT64_C(1) << 32)
#define MAX_FRAME_BYTES (UINT64_C(1) << 20)
#define MAX_SHARED_BYTES (UINT64_C(1) << 24)

static uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// ---- module variables

static bool is_placed(const Symbol *symbol) {
  Space space = symbol->variable ? symbol->variable->space : SPACE_GENERIC;
  return space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_TEXTURE;
}

static Status place_variable(Linker *linker, Symbol *symbol, uint64_t *next, Error *err) {
  const PtxVariable *variable = symbol->variable;
  uint64_t size = variable->size_bytes ? variable->size_bytes : 1;
  if (size > MAX_VARIABLE_BYTES)
    return ptx_error(symbol->module, err, ERR_UNSUPPORTED, variable->position,
                     "variable %s of %llu bytes: at most 4 GiB are supported", symbol->name,
                     (unsigned long long)size);
  uint64_t alignment =
      variable->alignment > VARIABLE_ALIGNMENT ? variable->alignment : VARIABLE_ALIGNMENT;
  symbol->address = align_up(*next, alignment);
  *next = symbol->address + size;
  linker->program->variable_count++;
  return OK;
}

// Calls visit for each symbol with an address, in the order of the modules' texts; a
// global name belongs to the module that defines it.
typedef Status (*VisitFn)(Linker *linker, Symbol *symbol, uint64_t *state, Error *err);

static Status each_placed(Linker *linker, VisitFn visit, uint64_t *state, Error *err) {
  for (uint32_t m = 0; m < linker->module_count; m++) {
    const LinkedModule *module = &linker->modules[m];
    for (uint32_t i = 0; i < module->syntax->variable_count; i++) {
      const PtxVariable *variable = &module->syntax->variables[i];
      Symbol *symbol = symbol_find(linker, module, variable->name);
      if (symbol && symbol->variable == variable && is_placed(symbol))
        TRY(visit(linker, symbol, state, err));
    }
  }
  return OK;
}

Status layout_variables(Linker *linker, uint64_t base_address, Error *err) {
  uint64_t next = base_address;
  TRY(each_placed(linker, place_variable, &next, err));
  linker->program->end_address = align_up(next, VARIABLE_ALIGNMENT);
  return OK;
}

// ---- initial values

static const LinkedModule *module_of(const Linker *linker, const PtxModule *syntax) {
  for (uint32_t m = 0; m < linker->module_count; m++)
    if (linker->modules[m].syntax == syntax) return &linker->modules[m];
  return NULL;
}

static Status value_of(const Linker *linker, const Symbol *owner, const PtxInitial *initial,
                       uint64_t *value, Error *err) {
  *value = initial->bits;
  if (!initial->symbol) return OK;
  const Symbol *target = symbol_find(linker, module_of(linker, owner->module), initial->symbol);
  if (!target)
    return ptx_error(owner->module, err, ERR_LINK, initial->position, "%s is not defined",
                     initial->symbol);
  if (!target->variable)
    *value += function_address(target->function_index);
  else if (is_placed(target))
    *value += target->address;
  else
    return ptx_error(owner->module, err, ERR_UNSUPPORTED, initial->position,
                     "the address of %s is not known until a kernel runs", initial->symbol);
  if (initial->masked) *value = *value >> initial->mask_shift & 0xff;
  return OK;
}

static Status fill_initial(Linker *linker, Symbol *symbol, uint64_t *count, Error *err) {
  const PtxVariable *variable = symbol->variable;
  Program *program = linker->program;
  Variable *placed = &program->variables[(*count)++];
  *placed = (Variable){
      .name = arena_strdup(&program->arena, symbol->name),
      .space = variable->space,
      .address = symbol->address,
      .size_bytes = variable->size_bytes ? variable->size_bytes : 1,
      .alignment = variable->alignment,
  };
  if (!variable->initial_count) return OK;
  size_t element = (size_t)type_bytes(variable->type);
  uint64_t initial_bytes = variable->initial_count * element;
  uint8_t *bytes = arena_alloc(&program->arena, initial_bytes);
  for (uint32_t i = 0; i < variable->initial_count; i++) {
    uint64_t value;
    TRY(value_of(linker, symbol, &variable->initials[i], &value, err));
    if ((i + 1) * element > placed->size_bytes)
      return ptx_error(symbol->module, err, ERR_SYNTAX, variable->initials[i].position,
                       "more initial values than %s has elements", symbol->name);
    memcpy(bytes + i * element, &value, element < sizeof value ? element : sizeof value);
  }
  placed->initial = bytes;
  placed->initial_bytes = initial_bytes;
  return OK;
}

Status layout_initials(Linker *linker, Error *err) {
  Program *program = linker->program;
  program->variables = ARENA_ARRAY(&program->arena, Variable, program->variable_count);
  uint64_t count = 0;
  return each_placed(linker, fill_initial, &count, err);
}

// ---- shared memory

// Two variables may overlap if no kernel reaches both.
static bool share_a_kernel(const Linker *linker, const SharedVariable *a, const SharedVariable *b) {
  for (uint32_t word = 0; word < (linker->function_count + 63) / 64; word++)
    if (a->kernels[word] & b->kernels[word]) return true;
  return false;
}

static uint64_t end_of(const SharedVariable *shared) {
  return shared->address + shared->variable->size_bytes;
}

// Assigns the lowest aligned address that does not overlap with a variable of the same kernel.
// Quadratic, with a restart after every move; modules have tens of shared variables. Overlaying
// variables of different kernels matters for occupancy: a kernel is charged for its own only.
static void place_shared(Linker *linker, uint32_t index) {
  SharedVariable *shared = &linker->shared[index];
  bool moved = true;
  while (moved) {
    moved = false;
    for (uint32_t i = 0; i < index; i++) {
      const SharedVariable *other = &linker->shared[i];
      if (shared->address < end_of(other) && other->address < end_of(shared) &&
          share_a_kernel(linker, shared, other)) {
        shared->address = align_up(end_of(other), shared->variable->alignment);
        moved = true;
      }
    }
  }
}

// Marks the variables that a kernel reaches; returns the alignment of its dynamic shared memory.
static uint32_t mark_kernel(Linker *linker, uint32_t kernel, const bool *reached) {
  uint32_t alignment = 1;
  for (uint32_t f = 0; f < linker->function_count; f++) {
    if (!reached[f]) continue;
    const LinkedFunction *function = &linker->functions[f];
    for (uint32_t i = 0; i < function->shared_use_count; i++)
      linker->shared[function->shared_uses[i]].kernels[kernel / 64] |= UINT64_C(1) << kernel % 64;
    if (function->dynamic_alignment > alignment) alignment = function->dynamic_alignment;
  }
  return alignment;
}

// Dynamic shared memory follows the static part, so its alignment counts towards the size.
static Status size_kernel(Linker *linker, uint32_t kernel, uint32_t alignment, Error *err) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < linker->shared_count; i++) {
    const SharedVariable *shared = &linker->shared[i];
    bool is_used = shared->kernels[kernel / 64] >> kernel % 64 & 1;
    if (is_used && end_of(shared) > bytes) bytes = end_of(shared);
  }
  bytes = align_up(bytes, alignment);
  const LinkedFunction *function = &linker->functions[kernel];
  if (bytes > MAX_SHARED_BYTES)
    return ptx_error(function->module->syntax, err, ERR_UNSUPPORTED, function->syntax->position,
                     "kernel %s uses %llu bytes of shared memory", function->name,
                     (unsigned long long)bytes);
  linker->program->functions[kernel].static_shared_bytes = (uint32_t)bytes;
  return OK;
}

Status layout_shared(Linker *linker, Error *err) {
  uint32_t count = linker->function_count;
  for (uint32_t i = 0; i < linker->shared_count; i++)
    linker->shared[i].kernels = ARENA_ARRAY(&linker->scratch, uint64_t, count / 64 + 1);
  uint32_t *alignments = ARENA_ARRAY(&linker->scratch, uint32_t, count);
  bool *reached = memory_alloc(count);
  for (uint32_t f = 0; f < count; f++) {
    if (!linker->functions[f].syntax || !linker->functions[f].syntax->is_entry) continue;
    memset(reached, 0, count);
    references_reach(linker, f, reached);
    alignments[f] = mark_kernel(linker, f, reached);
  }
  memory_free(reached);
  for (uint32_t i = 0; i < linker->shared_count; i++) place_shared(linker, i);
  for (uint32_t f = 0; f < count; f++)
    if (alignments[f]) TRY(size_kernel(linker, f, alignments[f], err));
  return OK;
}

// ---- parameters and stack frames

static Status take(const LinkedFunction *function, const PtxVariable *variable, uint64_t *next,
                   uint64_t *offset, Error *err) {
  uint64_t size = variable->size_bytes;
  *offset = align_up(*next, variable->alignment ? variable->alignment : 1);
  if (size > MAX_FRAME_BYTES || *offset + size > MAX_FRAME_BYTES)
    return ptx_error(function->module->syntax, err, ERR_UNSUPPORTED, variable->position,
                     "%s: stack frame larger than %llu bytes per thread", variable->name,
                     (unsigned long long)MAX_FRAME_BYTES);
  *next = *offset + size;
  return OK;
}

static Status make_slots(Linker *linker, const LinkedFunction *function, const PtxVariable *list,
                         uint32_t count, uint64_t *next, Slot **slots, Error *err) {
  Arena *arena = &linker->program->arena;
  *slots = ARENA_ARRAY(arena, Slot, count);
  for (uint32_t i = 0; i < count; i++) {
    const PtxVariable *variable = &list[i];
    uint64_t offset = 0;
    if (!variable->is_register) TRY(take(function, variable, next, &offset, err));
    (*slots)[i] = (Slot){
        .name = arena_strdup(arena, variable->name ? variable->name : "_"),
        .offset = (uint32_t)offset,
        .size_bytes = (uint32_t)variable->size_bytes,
        .alignment = variable->alignment,
        .place = variable->is_register ? (Place)variable->register_index : NO_PLACE,
        .type = variable->type,
    };
  }
  return OK;
}

static Status make_frame(Linker *linker, uint32_t index, Error *err) {
  LinkedFunction *function = &linker->functions[index];
  Function *linked = &linker->program->functions[index];
  const PtxFunction *syntax = function->syntax;
  uint64_t frame = 0, block = 0;
  uint64_t *params_at = syntax->is_entry ? &block : &frame;
  linked->param_count = syntax->param_count;
  linked->result_count = syntax->result_count;
  TRY(make_slots(linker, function, syntax->params, syntax->param_count, params_at, &linked->params,
                 err));
  TRY(make_slots(linker, function, syntax->results, syntax->result_count, &frame, &linked->results,
                 err));
  for (uint32_t i = 0; i < syntax->variable_count; i++) {
    const PtxVariable *variable = &syntax->variables[i];
    if (variable->space == SPACE_LOCAL || variable->space == SPACE_FRAME)
      TRY(take(function, variable, &frame, &function->variable_addresses[i], err));
    if (variable->space == SPACE_LOCAL) function->variable_bytes += (uint32_t)variable->size_bytes;
  }
  linked->param_bytes = (uint32_t)block;
  linked->local_bytes = (uint32_t)align_up(frame, FRAME_ALIGNMENT);
  return OK;
}

Status layout_frames(Linker *linker, Error *err) {
  for (uint32_t f = 0; f < linker->function_count; f++)
    if (linker->functions[f].syntax) TRY(make_frame(linker, f, err));
  return OK;
}
