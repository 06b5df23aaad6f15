// SPDX-License-Identifier: MIT
// A program: linked and decoded modules, ready to execute.
#include "isa/program.h"

#include <string.h>

#include "base/memory.h"

const Function *program_find_kernel(const Program *program, const char *name) {
  for (uint32_t i = 0; i < program->function_count; i++) {
    const Function *function = &program->functions[i];
    if (function->is_kernel && strcmp(function->name, name) == 0) return function;
  }
  return NULL;
}

const Variable *program_find_variable(const Program *program, const char *name) {
  for (uint32_t i = 0; i < program->variable_count; i++)
    if (strcmp(program->variables[i].name, name) == 0) return &program->variables[i];
  return NULL;
}

const Function *program_function_at(const Program *program, uint32_t pc) {
  for (uint32_t i = 0; i < program->function_count; i++) {
    const Function *function = &program->functions[i];
    if (pc - function->entry < function->code_count) return function;
  }
  return NULL;
}

const Function *program_function_from_address(const Program *program, uint64_t address) {
  uint64_t index = (address - FUNCTION_WINDOW) / FUNCTION_STRIDE;
  if (address < FUNCTION_WINDOW || address % FUNCTION_STRIDE || index >= program->function_count)
    return NULL;
  return &program->functions[index];
}

void program_destroy(Program *program) {
  if (!program) return;
  arena_clear(&program->arena);
  memory_free(program);
}
