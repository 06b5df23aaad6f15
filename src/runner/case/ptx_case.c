// SPDX-License-Identifier: MIT
// Writes an example case file for a PTX module.
#include "runner/case/ptx_case.h"

#include <string.h>

#include "exec/program_image.h"
#include "frontends/ptx/link/load.h"
#include "isa/types.h"

static bool is_scalar(const Slot *slot) {
  uint32_t bytes = slot->size_bytes;
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static bool has_scalars_only(const Function *kernel) {
  for (uint32_t i = 0; i < kernel->param_count; i++)
    if (!is_scalar(&kernel->params[i])) return false;
  return true;
}

static const Function *find_kernel(const Program *program) {
  for (uint32_t i = 0; i < program->function_count; i++)
    if (program->functions[i].is_kernel && has_scalars_only(&program->functions[i]))
      return &program->functions[i];
  return NULL;
}

static bool is_address(const Slot *slot) {
  return slot->size_bytes == 8 && type_kind(slot->type) != KIND_FLOAT;
}

static const char *describe(const Function *kernel, const char *name, Arena *arena) {
  const char *buffers = "", *arguments = "";
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const Slot *slot = &kernel->params[i];
    if (is_address(slot)) {
      buffers = arena_printf(arena, "%s  alloc p%u 4096\n", buffers, i);
      arguments = arena_printf(arena, "%s $p%u", arguments, i);
    } else {
      bool is_float = type_kind(slot->type) == KIND_FLOAT;
      arguments = arena_printf(arena, "%s %c:1", arguments, is_float ? 'f' : 'i');
    }
  }
  return arena_printf(arena, "  ptx %s\n%s  launch %s 1 1 1 32 1 1%s\n", name, buffers,
                      kernel->name, arguments);
}

Status ptx_case_text(const char *path, Arena *arena, const char **text, Error *err) {
  Program *program;
  const char *slash = strrchr(path, '/');
  TRY(ptx_load_files(&program, &path, 1, PROGRAM_BASE, err));
  const Function *kernel = find_kernel(program);
  *text = kernel ? describe(kernel, slash ? slash + 1 : path, arena) : NULL;
  program_destroy(program);
  return OK;
}
