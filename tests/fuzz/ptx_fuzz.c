// SPDX-License-Identifier: MIT
// Any bytes are a PTX module or a clear error. A module must be consistent:
// whatever operands refer to exists.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/ptx/parse/syntax.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth) {
  if (!truth) abort();
}

static void check_operand(const PtxFunction *f, const PtxOperand *operand) {
  switch (operand->kind) {
    case OPERAND_REGISTER: check(operand->index < f->register_count); break;
    case OPERAND_VARIABLE: check(operand->index < f->variable_count); break;
    case OPERAND_PARAM: check(operand->index < f->param_count); break;
    case OPERAND_RESULT: check(operand->index < f->result_count); break;
    case OPERAND_LABEL: check(operand->index < f->label_count); break;
    case OPERAND_SYMBOL: check(operand->name != NULL); break;
    case OPERAND_LIST:
      if (operand->name) check(operand->index < f->table_count);
      break;
    default: break;
  }
  for (uint32_t i = 0; i < operand->element_count; i++) check_operand(f, &operand->elements[i]);
}

static void check_function(const PtxFunction *f) {
  for (uint32_t i = 0; i < f->label_count; i++)
    check(f->labels[i].instruction <= f->instruction_count);
  for (uint32_t i = 0; i < f->table_count; i++)
    for (uint32_t k = 0; f->tables[i].labels && k < f->tables[i].target_count; k++)
      check(f->tables[i].labels[k] < f->label_count);
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const PtxInstruction *in = &f->instructions[i];
    if (in->has_guard) check(in->guard < f->register_count);
    for (uint32_t k = 0; k < in->operand_count; k++) check_operand(f, &in->operands[k]);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  PtxModule *module;
  Error err;
  err.text[0] = '\0';
  if (ptx_parse(&module, "fuzz.ptx", (const char *)data, size, &err) != OK) {
    check(module == NULL && strncmp(err.text, "fuzz.ptx:", 9) == 0);
    return 0;
  }
  for (uint32_t i = 0; i < module->function_count; i++) check_function(&module->functions[i]);
  ptx_module_destroy(module);
  return 0;
}
