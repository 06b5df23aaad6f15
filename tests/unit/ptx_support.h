// SPDX-License-Identifier: MIT
// Parsing small modules, and finding what is in them.
#ifndef UNIT_PTX_SUPPORT_H
#define UNIT_PTX_SUPPORT_H

#include <stdio.h>
#include <string.h>

#include "frontends/ptx/parse/syntax.h"
#include "unit/cmocka_all.h"

#define HEAD ".version 7.0 .target sm_70 .address_size 64\n"
#define BODY(text) HEAD ".entry k(.param .u64 p) {\n" text "\n}"
#define REGISTERS ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"

static inline PtxModule *parse(const char *text) {
  PtxModule *module;
  Error err = {0};
  if (ptx_parse(&module, "t.ptx", text, strlen(text), &err) != OK) fail_msg("%s", err.text);
  return module;
}

static inline PtxModule *parse_file(const char *path) {
  static char text[1 << 16];
  PtxModule *module;
  Error err = {0};
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  if (ptx_parse(&module, path, text, length, &err) != OK) fail_msg("%s", err.text);
  return module;
}

static inline void expect_error_of(const char *text, size_t length, Status status,
                                   const char *message) {
  PtxModule *module;
  Error err = {0};
  assert_int_equal(ptx_parse(&module, "t.ptx", text, length, &err), status);
  assert_null(module);
  if (!strstr(err.text, message)) fail_msg("\"%s\" lacks \"%s\"", err.text, message);
}

static inline void expect_error(const char *text, const char *message) {
  expect_error_of(text, strlen(text), ERR_SYNTAX, message);
}

static inline void expect_refused(const char *text, const char *message) {
  expect_error_of(text, strlen(text), ERR_UNSUPPORTED, message);
}

static inline const PtxVariable *find_variable(const PtxModule *m, const char *name) {
  for (uint32_t i = 0; i < m->variable_count; i++)
    if (strcmp(m->variables[i].name, name) == 0) return &m->variables[i];
  fail_msg("no variable %s", name);
  return NULL;
}

static inline const PtxFunction *find_function(const PtxModule *m, const char *name) {
  for (uint32_t i = 0; i < m->function_count; i++)
    if (strcmp(m->functions[i].name, name) == 0) return &m->functions[i];
  fail_msg("no function %s", name);
  return NULL;
}

// The n-th instruction (from 0) whose text begins so.
static inline const PtxInstruction *find_instruction(const PtxFunction *f, const char *text,
                                                     int n) {
  for (uint32_t i = 0; i < f->instruction_count; i++)
    if (strncmp(f->instructions[i].text, text, strlen(text)) == 0 && n-- == 0)
      return &f->instructions[i];
  fail_msg("no instruction %s", text);
  return NULL;
}

static inline void expect_register(const PtxFunction *f, const PtxOperand *operand,
                                   const char *name, DataType type) {
  assert_int_equal(operand->kind, OPERAND_REGISTER);
  assert_string_equal(f->registers[operand->index].name, name);
  assert_int_equal(f->registers[operand->index].type, type);
}

#endif
