// SPDX-License-Identifier: MIT
// Small kernels through the optimising pass, and the opcodes that come out of it.
#ifndef TESTS_UNIT_OPTIMISE_SUPPORT_H
#define TESTS_UNIT_OPTIMISE_SUPPORT_H

#include <stdio.h>
#include <string.h>

#include "exec/memory/device_memory.h"
#include "frontends/ptx/link/load.h"
#include "unit/cmocka_all.h"

#define KERNEL                                      \
  ".version 6.4\n.target sm_70\n.address_size 64\n" \
  ".entry k(.param .u64 p, .param .u32 n) {\n"      \
  ".reg .u32 %r<40>; .reg .u64 %rd<40>; .reg .f32 %f<40>; .reg .pred %p<20>; .reg .b16 %h<9>;\n"

// Before the body of a loop.
#define ONCE " .pragma \"nounroll\"; "

// For a compute capability; 0: the newest.
static inline Program *compile_for(const char *text, uint32_t architecture) {
  Program *program;
  Error err;
  PtxText ptx = {"test.ptx", text, strlen(text)};
  CompilerConfig compiler = {.optimise = true, .architecture = architecture};
  if (ptx_compile_texts(&program, &ptx, 1, PROGRAM_BASE, &compiler, &err) != OK)
    fail_msg("%s", err.text);
  return program;
}

static inline Program *compile(const char *text) {
  return compile_for(text, 0);
}

// Of a constant or a parameter, at the entry.
static inline bool is_entry_move(const Instruction *in) {
  return strcmp(in->text, "mov.b32") == 0 || strcmp(in->text, "mov.b64") == 0;
}

// The opcodes of kernel k, one behind the other, without moves at the entry.
static inline const char *code_for(const char *text, uint32_t architecture) {
  static char list[1 << 15];
  Program *program = compile_for(text, architecture);
  const Function *kernel = program_find_kernel(program, "k");
  size_t used = 0;
  list[0] = 0;
  for (uint32_t i = 0; i < kernel->code_count; i++) {
    const Instruction *in = &program->code[kernel->entry + i];
    if (!is_entry_move(in))
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? " " : "", in->text);
  }
  program_destroy(program);
  return list;
}

static inline const char *code_of(const char *text) {
  return code_for(text, 0);
}

static inline int count_of(const char *code, const char *word) {
  int count = 0;
  for (const char *at = code; (at = strstr(at, word)); at += strlen(word)) count++;
  return count;
}

#endif
