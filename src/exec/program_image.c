// SPDX-License-Identifier: MIT
// Places and initialises a program's variables in device memory.
#include "exec/program_image.h"

static Status place_variable(const Variable *variable, DeviceMemory *memory, Error *err) {
  AllocationKind kind = variable->space == SPACE_CONST ? ALLOCATION_CONSTANT : ALLOCATION_VARIABLE;
  TRY(device_memory_alloc_at(memory, variable->address, variable->size_bytes, kind, variable->name,
                             NULL, err));
  if (!variable->initial_bytes) return OK;
  return device_memory_write(memory, variable->address, variable->initial, variable->initial_bytes,
                             err);
}

Status program_place_variables(const Program *program, DeviceMemory *memory, Error *err) {
  for (uint32_t i = 0; i < program->variable_count; i++)
    if (program->variables[i].space != SPACE_TEXTURE)
      TRY(place_variable(&program->variables[i], memory, err));
  return OK;
}
