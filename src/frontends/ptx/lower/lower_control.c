// SPDX-License-Identifier: MIT
// Lowers branches and calls: targets, arguments, results, indirect calls.
#include <string.h>

#include "frontends/ptx/lower/lower.h"

static Status lower_bra(Lowering *lowering, Instruction *out, Error *err) {
  TRY(lower_want_operands(lowering, 1, 1, err));
  const PtxOperand *label = &lowering->in->operands[0];
  if (label->kind != OPERAND_LABEL)
    return lower_error(lowering, label->position, err, ERR_SYNTAX, "expected a label");
  out->target = lowering->syntax->labels[label->index].instruction;
  return OK;
}

// out->offset holds the number of targets.
static Status lower_brx(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 2, 2, err));
  TRY(lower_source(lowering, &in->operands[0], TYPE_B32, WIDTH_EXACT, out, &out->src[0], err));
  const PtxOperand *list = &in->operands[1];
  const PtxTable *table =
      list->kind == OPERAND_LIST && list->name ? &lowering->syntax->tables[list->index] : NULL;
  if (!table || table->kind != TABLE_BRANCH_TARGETS)
    return lower_error(lowering, list->position, err, ERR_SYNTAX,
                       "expected a list of branch targets");
  uint32_t *targets = ARENA_ARRAY(&lowering->linker->program->arena, uint32_t, table->target_count);
  for (uint32_t i = 0; i < table->target_count; i++)
    targets[i] = lowering->syntax->labels[table->labels[i]].instruction;
  out->targets = targets;
  out->offset = table->target_count;
  return OK;
}

// A function may pass its own parameter as argument, or have its callee write its result.
static Status lower_slot_argument(Lowering *lowering, const PtxOperand *operand, Argument *argument,
                                  Error *err) {
  const Function *linked = lowering->linked;
  const Slot *slot =
      &(operand->kind == OPERAND_PARAM ? linked->params : linked->results)[operand->index];
  if (linked->is_kernel || slot->size_bytes != argument->size_bytes)
    return lower_error(lowering, operand->position, err, ERR_UNSUPPORTED,
                       "expected a .param variable of %u bytes", argument->size_bytes);
  argument->offset = slot->offset;
  return OK;
}

// An argument of a call: a register, a constant or a .param variable.
static Status lower_argument(Lowering *lowering, const PtxOperand *operand, uint32_t size_bytes,
                             bool is_result, Instruction *out, Argument *argument, Error *err) {
  *argument = (Argument){.size_bytes = size_bytes, .place = NO_PLACE};
  if (operand->kind == OPERAND_VARIABLE) {
    const PtxVariable *variable = &lowering->syntax->variables[operand->index];
    if (variable->space != SPACE_FRAME || variable->size_bytes != size_bytes)
      return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                         "expected a .param of %u bytes", size_bytes);
    argument->offset = (uint32_t)lowering->function->variable_addresses[operand->index];
    return OK;
  }
  if (operand->kind == OPERAND_PARAM || operand->kind == OPERAND_RESULT)
    return lower_slot_argument(lowering, operand, argument, err);
  if (operand->kind == OPERAND_SINK && is_result) {
    argument->place = lower_hidden(lowering, size_bytes == 8 ? TYPE_B64 : TYPE_B32);
    return OK;
  }
  DataType type = size_bytes == 8 ? TYPE_B64 : size_bytes == 4 ? TYPE_B32 : TYPE_B16;
  if (size_bytes != 8 && size_bytes != 4 && size_bytes != 2)
    return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                       "expected a .param of %u bytes", size_bytes);
  if (is_result)
    return lower_destination(lowering, operand, type, WIDTH_EXACT, &argument->place, err);
  return lower_source(lowering, operand, type, WIDTH_EXACT, out, &argument->place, err);
}

static Status lower_arguments(Lowering *lowering, const PtxOperand *list,
                              const PtxVariable *formals, uint32_t formal_count, bool are_results,
                              Instruction *out, Argument **arguments, Error *err) {
  if (list->element_count != formal_count)
    return lower_error(lowering, list->position, err, ERR_SYNTAX, "%u %s passed, %u expected",
                       list->element_count, are_results ? "results" : "arguments", formal_count);
  *arguments = ARENA_ARRAY(&lowering->linker->program->arena, Argument, formal_count);
  for (uint32_t i = 0; i < formal_count; i++)
    TRY(lower_argument(lowering, &list->elements[i], (uint32_t)formals[i].size_bytes, are_results,
                       out, &(*arguments)[i], err));
  return OK;
}

// The declaration or definition that determines the signature of a callee. The definition may be
// in another module, or absent for functions of the device runtime: then the declaration in this
// module applies.
static const PtxFunction *signature_of(const Lowering *lowering, const char *name) {
  const Symbol *symbol = symbol_find(lowering->linker, lowering->function->module, name);
  if (symbol && symbol->function) return symbol->function;
  for (uint32_t i = 0; i < lowering->module->function_count; i++)
    if (strcmp(lowering->module->functions[i].name, name) == 0)
      return &lowering->module->functions[i];
  return NULL;
}

static Status lower_direct(Lowering *lowering, const PtxOperand *target, CallSite *site,
                           const PtxVariable **params, const PtxVariable **results, Error *err) {
  const Symbol *symbol = symbol_find(lowering->linker, lowering->function->module, target->name);
  const PtxFunction *signature = signature_of(lowering, target->name);
  if (!symbol || symbol->variable || !signature)
    return lower_error(lowering, target->position, err, ERR_LINK, "%s is not a function",
                       target->name);
  if (signature->is_entry)
    return lower_error(lowering, target->position, err, ERR_UNSUPPORTED,
                       "a kernel cannot be called");
  site->callee = &lowering->linker->program->functions[symbol->function_index];
  site->arg_count = signature->param_count;
  site->result_count = signature->result_count;
  *params = signature->params;
  *results = signature->results;
  return OK;
}

static Status lower_indirect(Lowering *lowering, const PtxOperand *target, Instruction *out,
                             CallSite *site, const PtxVariable **params,
                             const PtxVariable **results, Error *err) {
  const PtxInstruction *in = lowering->in;
  const PtxOperand *list = in->operand_count > 3 ? &in->operands[3] : NULL;
  const PtxTable *table = list && list->name ? &lowering->syntax->tables[list->index] : NULL;
  if (!table || table->kind != TABLE_PROTOTYPE)
    return lower_error(lowering, target->position, err, ERR_UNSUPPORTED,
                       "an indirect call needs a .callprototype");
  out->address_bytes = (uint8_t)type_bytes(lowering->syntax->registers[target->index].type);
  TRY(lower_source(lowering, target, out->address_bytes == 4 ? TYPE_B32 : TYPE_B64, WIDTH_EXACT,
                   out, &out->src[0], err));
  site->arg_count = table->param_count;
  site->result_count = table->result_count;
  *params = table->params;
  *results = table->results;
  return OK;
}

// call (results), target, (arguments) {, prototype}
static Status lower_call(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  TRY(lower_want_operands(lowering, 3, 4, err));
  const PtxOperand *target = &in->operands[1];
  CallSite *site = ARENA_NEW(&lowering->linker->program->arena, CallSite);
  const PtxVariable *params = NULL, *results = NULL;
  if (target->kind == OPERAND_REGISTER)
    TRY(lower_indirect(lowering, target, out, site, &params, &results, err));
  else if (target->kind == OPERAND_SYMBOL)
    TRY(lower_direct(lowering, target, site, &params, &results, err));
  else
    return lower_error(lowering, target->position, err, ERR_SYNTAX, "expected a function");
  TRY(lower_arguments(lowering, &in->operands[0], results, site->result_count, true, out,
                      &site->results, err));
  TRY(lower_arguments(lowering, &in->operands[2], params, site->arg_count, false, out, &site->args,
                      err));
  out->call = site;
  return OK;
}

Status lower_control(Lowering *lowering, Instruction *out, Error *err) {
  switch (out->form.op) {
    case OP_BRA: return lower_bra(lowering, out, err);
    case OP_BRX: return lower_brx(lowering, out, err);
    case OP_CALL: return lower_call(lowering, out, err);
    default: return lower_want_operands(lowering, 0, 0, err);
  }
}
