// SPDX-License-Identifier: MIT
// Names and lexical scopes.
#include "frontends/ptx/parse/scope.h"

#include <assert.h>

// Maximum digits of a register number after the prefix of a range.
enum { MAX_NUMBER_DIGITS = 9 };

void scope_stack_init(ScopeStack *stack, Arena *arena) {
  *stack = (ScopeStack){.arena = arena};
}

void scope_stack_clear(ScopeStack *stack) {
  HASH_CLEAR(hh, stack->names);
}

static Name *find_name(const ScopeStack *stack, const char *text, size_t length) {
  Name *name;
  HASH_FIND(hh, stack->names, text, (unsigned)length, name);
  return name;
}

Name *name_intern(ScopeStack *stack, const char *text, size_t length) {
  Name *name = find_name(stack, text, length);
  if (name) return name;
  name = ARENA_NEW(stack->arena, Name);
  name->text = arena_strndup(stack->arena, text, length);
  name->length = (uint32_t)length;
  HASH_ADD_KEYPTR(hh, stack->names, name->text, name->length, name);
  return name;
}

bool scope_open(ScopeStack *stack, uint32_t first_use) {
  if (stack->depth + 1 == MAX_SCOPE_DEPTH) return false;
  uint32_t deepest_range = stack->scopes[stack->depth].deepest_range;
  stack->depth++;
  stack->scopes[stack->depth] =
      (LexicalScope){.deepest_range = deepest_range, .first_use = first_use};
  return true;
}

void scope_close(ScopeStack *stack) {
  for (Meaning *m = stack->scopes[stack->depth].meanings; m; m = m->next_in_scope) {
    Meaning **head = m->range_count ? &m->name->range : &m->name->meaning;
    assert(*head == m);
    *head = m->outer;
  }
  stack->depth--;
}

// Inserts a meaning of a scope, not necessarily the innermost, into the chain of its name.
static Meaning *add_meaning(ScopeStack *stack, Meaning **chain, Name *name, uint32_t depth) {
  while (*chain && (*chain)->depth > depth) chain = &(*chain)->outer;
  if (*chain && (*chain)->depth == depth) return NULL;
  Meaning *m = ARENA_NEW(stack->arena, Meaning);
  m->name = name;
  m->depth = depth;
  m->outer = *chain;
  *chain = m;
  m->next_in_scope = stack->scopes[depth].meanings;
  stack->scopes[depth].meanings = m;
  return m;
}

Meaning *scope_declare(ScopeStack *stack, Name *name, MeaningKind kind, uint32_t index) {
  Meaning *m = add_meaning(stack, &name->meaning, name, stack->depth);
  if (!m) return NULL;
  m->kind = kind;
  m->index = index;
  return m;
}

Meaning *scope_declare_range(ScopeStack *stack, Name *prefix, uint32_t count) {
  Meaning *m = add_meaning(stack, &prefix->range, prefix, stack->depth);
  if (!m) return NULL;
  m->kind = MEANING_REGISTER;
  m->range_count = count;
  stack->scopes[stack->depth].deepest_range = stack->depth;
  return m;
}

// The innermost range that contains a name. %r12 may be number 12 of %r or
// number 2 of %r1, so every split is tried.
static Meaning *find_range(const ScopeStack *stack, const Name *name) {
  Meaning *best = NULL;
  uint64_t number = 0, scale = 1;
  for (uint32_t digits = 1; digits <= MAX_NUMBER_DIGITS && digits < name->length; digits++) {
    uint32_t at = name->length - digits;
    char c = name->text[at];
    if (c < '0' || c > '9') break;
    number += (uint64_t)(c - '0') * scale;
    scale *= 10;
    if (c == '0' && digits > 1) continue;  // %r01 is not a register of %r
    const Name *prefix = find_name(stack, name->text, at);
    for (Meaning *m = prefix ? prefix->range : NULL; m; m = m->outer) {
      if (number >= m->range_count || (best && best->depth >= m->depth)) continue;
      best = m;
      break;
    }
  }
  return best;
}

Meaning *scope_find(ScopeStack *stack, Name *name, bool *fresh) {
  Meaning *m = name->meaning;
  *fresh = false;
  if (m && m->depth >= stack->scopes[stack->depth].deepest_range) return m;
  const Meaning *range = find_range(stack, name);
  if (!range || (m && m->depth >= range->depth)) return m;
  m = add_meaning(stack, &name->meaning, name, range->depth);
  assert(m);
  m->kind = MEANING_REGISTER;
  m->type = range->type;
  m->vector = range->vector;
  *fresh = true;
  return m;
}
