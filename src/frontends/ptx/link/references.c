// SPDX-License-Identifier: MIT
// Call graph and uses of shared variables, from the names in a function's operands.
// They are needed before lowering, because the addresses of shared variables depend
// on them.
#include "base/memory.h"
#include "frontends/ptx/link/linker.h"
#include "runtime/native.h"

static void add_once(uint32_t **list, uint32_t *count, uint32_t *capacity, uint32_t value) {
  for (uint32_t i = 0; i < *count; i++)
    if ((*list)[i] == value) return;
  GROW(*list, *count, *capacity);
  (*list)[(*count)++] = value;
}

static uint32_t add_native(Linker *linker, LinkedModule *module, const char *name,
                           NativeFn native) {
  Symbol *symbol = ARENA_NEW(&linker->scratch, Symbol);
  *symbol = (Symbol){.name = name, .module = module->syntax};
  symbol->function_index = linker->function_count;
  HASH_ADD_KEYPTR(hh, linker->globals, symbol->name, strlen(symbol->name), symbol);
  GROW(linker->functions, linker->function_count, linker->function_capacity);
  linker->functions[linker->function_count++] =
      (LinkedFunction){.name = name, .native = native, .module = module};
  return symbol->function_index;
}

static void use_variable(Linker *linker, uint32_t function, const Symbol *symbol) {
  LinkedFunction *user = &linker->functions[function];
  if (symbol->variable->space != SPACE_SHARED) return;
  if (symbol->is_dynamic_shared) {
    if (user->dynamic_alignment < symbol->variable->alignment)
      user->dynamic_alignment = symbol->variable->alignment;
  } else {
    add_once(&user->shared_uses, &user->shared_use_count, &user->shared_use_capacity,
             symbol->shared_index);
  }
}

static Status not_found(const LinkedModule *module, const PtxOperand *operand, Error *err) {
  const PtxModule *syntax = module->syntax;
  const char *kind = NULL;
  for (uint32_t i = 0; i < syntax->function_count; i++)
    if (strcmp(syntax->functions[i].name, operand->name) == 0) kind = "function";
  for (uint32_t i = 0; i < syntax->variable_count; i++)
    if (strcmp(syntax->variables[i].name, operand->name) == 0) kind = "variable";
  if (kind)
    return ptx_error(syntax, err, ERR_LINK, operand->position,
                     "%s %s is declared but not defined in any module", kind, operand->name);
  return ptx_error(syntax, err, ERR_LINK, operand->position, "%s is not declared", operand->name);
}

static Status refer(Linker *linker, uint32_t function, const PtxOperand *operand, Error *err) {
  LinkedModule *module = linker->functions[function].module;
  const Symbol *symbol = symbol_find(linker, module, operand->name);
  uint32_t index = 0;
  if (symbol && symbol->variable) {
    use_variable(linker, function, symbol);
    return OK;
  }
  NativeFn native = symbol ? NULL : native_find(operand->name);
  if (symbol)
    index = symbol->function_index;
  else if (native)
    index = add_native(linker, module, operand->name, native);
  else
    return not_found(module, operand, err);
  // A kernel whose address is taken is launched, not called: it has a separate stack.
  if (symbol && symbol->function && symbol->function->is_entry) return OK;
  LinkedFunction *user = &linker->functions[function];
  add_once(&user->callees, &user->callee_count, &user->callee_capacity, index);
  return OK;
}

static Status walk_operand(Linker *linker, uint32_t function, const PtxOperand *operand,
                           Error *err) {
  const PtxFunction *syntax = linker->functions[function].syntax;
  LinkedFunction *user = &linker->functions[function];
  if (operand->kind == OPERAND_SYMBOL) TRY(refer(linker, function, operand, err));
  if (operand->kind == OPERAND_VARIABLE && syntax->variables[operand->index].space == SPACE_SHARED)
    add_once(&user->shared_uses, &user->shared_use_count, &user->shared_use_capacity,
             (uint32_t)user->variable_addresses[operand->index]);
  for (uint32_t i = 0; i < operand->element_count; i++)
    TRY(walk_operand(linker, function, &operand->elements[i], err));
  return OK;
}

// A function whose name occurs other than as the target of a call may be called
// indirectly from anywhere.
static void mark_taken(Linker *linker, const LinkedModule *module, const PtxOperand *operand) {
  if (operand->kind == OPERAND_SYMBOL) {
    const Symbol *symbol = symbol_find(linker, module, operand->name);
    if (symbol && !symbol->variable) linker->functions[symbol->function_index].address_taken = true;
  }
  for (uint32_t i = 0; i < operand->element_count; i++)
    mark_taken(linker, module, &operand->elements[i]);
}

static Status walk_instruction(Linker *linker, uint32_t function, const PtxInstruction *in,
                               Error *err) {
  if (in->form.op == OP_ALLOCA) linker->functions[function].takes_stack = true;
  if (in->form.op == OP_SETMAXNREG) linker->functions[function].moves_registers = true;
  for (uint32_t i = 0; i < in->operand_count; i++) {
    TRY(walk_operand(linker, function, &in->operands[i], err));
    bool is_target = in->form.op == OP_CALL && i == 1;
    if (!is_target) mark_taken(linker, linker->functions[function].module, &in->operands[i]);
    if (is_target && in->operands[i].kind == OPERAND_REGISTER)
      linker->functions[function].calls_indirectly = true;
  }
  return OK;
}

static uint32_t add_shared(Linker *linker, const PtxVariable *variable) {
  GROW(linker->shared, linker->shared_count, linker->shared_capacity);
  linker->shared[linker->shared_count] = (SharedVariable){.variable = variable};
  return linker->shared_count++;
}

static void collect_shared(Linker *linker) {
  Symbol *symbol, *next;
  HASH_ITER(hh, linker->globals, symbol, next)
  if (symbol->variable && symbol->variable->space == SPACE_SHARED)
    symbol->shared_index = add_shared(linker, symbol->variable);
  for (uint32_t m = 0; m < linker->module_count; m++)
    HASH_ITER(hh, linker->modules[m].symbols, symbol, next)
  if (symbol->variable && symbol->variable->space == SPACE_SHARED && !symbol->is_dynamic_shared)
    symbol->shared_index = add_shared(linker, symbol->variable);
  for (uint32_t f = 0; f < linker->function_count; f++) {
    LinkedFunction *function = &linker->functions[f];
    const PtxFunction *syntax = function->syntax;
    function->variable_addresses = ARENA_ARRAY(&linker->scratch, uint64_t, syntax->variable_count);
    for (uint32_t i = 0; i < syntax->variable_count; i++)
      if (syntax->variables[i].space == SPACE_SHARED)
        function->variable_addresses[i] = add_shared(linker, &syntax->variables[i]);
  }
}

// Functions whose address is in a variable, such as a table of virtual functions;
// native ones become part of the program.
static void take_initial(Linker *linker, LinkedModule *module, const char *name) {
  const Symbol *symbol = symbol_find(linker, module, name);
  NativeFn native = symbol ? NULL : native_find(name);
  if (native)
    add_native(linker, module, name, native);
  else if (symbol && symbol->function)
    linker->functions[symbol->function_index].address_taken = true;
}

static void take_initials(Linker *linker) {
  for (uint32_t m = 0; m < linker->module_count; m++) {
    const PtxModule *syntax = linker->modules[m].syntax;
    for (uint32_t v = 0; v < syntax->variable_count; v++)
      for (uint32_t i = 0; i < syntax->variables[v].initial_count; i++)
        if (syntax->variables[v].initials[i].symbol)
          take_initial(linker, &linker->modules[m], syntax->variables[v].initials[i].symbol);
  }
}

Status references_collect(Linker *linker, Error *err) {
  collect_shared(linker);
  uint32_t defined = linker->function_count;  // native functions are appended
  for (uint32_t f = 0; f < defined; f++) {
    const PtxFunction *syntax = linker->functions[f].syntax;
    for (uint32_t i = 0; i < syntax->instruction_count; i++)
      TRY(walk_instruction(linker, f, &syntax->instructions[i], err));
  }
  take_initials(linker);
  return OK;
}

static void visit(bool *visited, uint32_t *pending, uint32_t *count, uint32_t function) {
  if (visited[function]) return;
  visited[function] = true;
  pending[(*count)++] = function;
}

void references_reach(const Linker *linker, uint32_t function, bool *visited) {
  // An explicit stack: call chains of a hostile program can be long.
  uint32_t *pending = memory_alloc(sizeof *pending * linker->function_count), count = 0;
  visit(visited, pending, &count, function);
  while (count) {
    const LinkedFunction *current = &linker->functions[pending[--count]];
    for (uint32_t i = 0; i < current->callee_count; i++)
      visit(visited, pending, &count, current->callees[i]);
    for (uint32_t f = 0; current->calls_indirectly && f < linker->function_count; f++)
      if (linker->functions[f].address_taken) visit(visited, pending, &count, f);
  }
  memory_free(pending);
}
