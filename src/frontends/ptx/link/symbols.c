// SPDX-License-Identifier: MIT
// Symbol table of the linker: chooses among definitions, weak and common symbols of several
// modules.
#include "base/memory.h"
#include "frontends/ptx/link/linker.h"

static Symbol *lookup(Symbol *table, const char *name) {
  Symbol *symbol;
  HASH_FIND_STR(table, name, symbol);
  return symbol;
}

Symbol *symbol_find(const Linker *linker, const LinkedModule *module, const char *name) {
  Symbol *symbol = lookup(module->symbols, name);
  return symbol ? symbol : lookup(linker->globals, name);
}

static bool is_global(PtxLinkage linkage) {
  return linkage != LINKAGE_NONE;
}

// Chooses between two definitions of a global name: true for the new one.
static Status choose(const Symbol *old, const Symbol *new, PtxLinkage old_linkage,
                     PtxLinkage new_linkage, PtxPosition position, bool *replace, Error *err) {
  *replace = false;
  if (new_linkage == LINKAGE_WEAK) return OK;
  if (old_linkage == LINKAGE_WEAK) {
    *replace = true;
    return OK;
  }
  if (old_linkage == LINKAGE_COMMON || new_linkage == LINKAGE_COMMON) {
    *replace =
        new->variable && old->variable && (old_linkage == LINKAGE_COMMON) &&
        (new_linkage != LINKAGE_COMMON || new->variable->size_bytes > old->variable->size_bytes);
    return OK;
  }
  return ptx_error(new->module, err, ERR_LINK, position, "%s is defined twice, also in %s",
                   new->name, old->module->path);
}

static PtxLinkage linkage_of(const Symbol *symbol) {
  return symbol->function ? symbol->function->linkage : symbol->variable->linkage;
}

static Status add(Linker *linker, LinkedModule *module, Symbol *symbol, PtxPosition position,
                  Error *err) {
  PtxLinkage linkage = linkage_of(symbol);
  Symbol **table = is_global(linkage) ? &linker->globals : &module->symbols;
  Symbol *old = lookup(*table, symbol->name);
  if (old && !is_global(linkage))
    return ptx_error(module->syntax, err, ERR_LINK, position, "%s is defined twice in this module",
                     symbol->name);
  if (old) {
    bool replace;
    TRY(choose(old, symbol, linkage_of(old), linkage, position, &replace, err));
    if (replace) {
      UT_hash_handle handle = old->hh;
      *old = *symbol;
      old->hh = handle;
    }
    return OK;
  }
  HASH_ADD_KEYPTR(hh, *table, symbol->name, strlen(symbol->name), symbol);
  return OK;
}

static Status add_function(Linker *linker, LinkedModule *module, const PtxFunction *function,
                           Error *err) {
  if (!function->has_body) return OK;
  Symbol *symbol = ARENA_NEW(&linker->scratch, Symbol);
  *symbol = (Symbol){.name = function->name, .module = module->syntax, .function = function};
  symbol->function_index = linker->function_count;
  TRY(add(linker, module, symbol, function->position, err));
  // Discarded weak definitions are not linked.
  const Symbol *winner = symbol_find(linker, module, function->name);
  if (winner->function != function) return OK;
  if (winner->function_index != linker->function_count) return OK;
  GROW(linker->functions, linker->function_count, linker->function_capacity);
  linker->functions[linker->function_count++] =
      (LinkedFunction){.syntax = function, .module = module, .name = function->name};
  return OK;
}

static Status add_variable(Linker *linker, LinkedModule *module, const PtxVariable *variable,
                           Error *err) {
  bool is_dynamic = variable->space == SPACE_SHARED && variable->linkage == LINKAGE_EXTERN;
  if (variable->linkage == LINKAGE_EXTERN && !is_dynamic) return OK;
  Symbol *symbol = ARENA_NEW(&linker->scratch, Symbol);
  *symbol = (Symbol){.name = variable->name, .module = module->syntax, .variable = variable};
  symbol->is_dynamic_shared = is_dynamic;
  if (is_dynamic) {
    // The extern shared arrays of all modules are the same memory; each module may declare one.
    if (!lookup(module->symbols, symbol->name))
      HASH_ADD_KEYPTR(hh, module->symbols, symbol->name, strlen(symbol->name), symbol);
    return OK;
  }
  return add(linker, module, symbol, variable->position, err);
}

Status symbols_collect(Linker *linker, Error *err) {
  for (uint32_t m = 0; m < linker->module_count; m++) {
    LinkedModule *module = &linker->modules[m];
    const PtxModule *syntax = module->syntax;
    for (uint32_t i = 0; i < syntax->variable_count; i++)
      TRY(add_variable(linker, module, &syntax->variables[i], err));
    for (uint32_t i = 0; i < syntax->function_count; i++)
      TRY(add_function(linker, module, &syntax->functions[i], err));
  }
  return OK;
}

void symbols_clear(Linker *linker) {
  for (uint32_t m = 0; m < linker->module_count; m++) HASH_CLEAR(hh, linker->modules[m].symbols);
  HASH_CLEAR(hh, linker->globals);
}
