// SPDX-License-Identifier: MIT
// Names, and what they mean in the lexical scope where they stand.
//
// Every name of a module is kept once. A name knows its meanings, innermost
// first; a scope knows which meanings end with it. So finding a meaning is one
// hash lookup, and closing a scope costs what was declared in it.
//
// `.reg .b32 %r<1000000>` is one meaning, of the prefix %r: its registers get
// meanings of their own when they are first used.
#ifndef FRONTENDS_PTX_PARSE_SCOPE_H
#define FRONTENDS_PTX_PARSE_SCOPE_H

#include <uthash.h>

#include "frontends/ptx/parse/syntax.h"
#include "isa/special.h"

enum { MAX_SCOPE_DEPTH = 100 };

typedef enum MeaningKind {
  MEANING_REGISTER,
  MEANING_VARIABLE,
  MEANING_PARAM,
  MEANING_RESULT,
  MEANING_LABEL,
  MEANING_TABLE,
  MEANING_SYMBOL,  // of module scope, under another name: a .global declared in a function
} MeaningKind;

typedef struct Name Name;
typedef struct Meaning Meaning;

struct Meaning {
  Name *name;
  Meaning *outer;  // what the name means outside this meaning's scope
  Meaning *next_in_scope;
  MeaningKind kind;
  uint32_t depth;      // of the scope
  uint32_t index;      // in the function's array of that kind
  const char *symbol;  // MEANING_SYMBOL
  // registers
  uint32_t range_count;  // of a prefix: how many
  DataType type;
  uint8_t vector;  // elements; they stand one after the other from index
};

struct Name {
  const char *text;
  uint32_t length;
  Meaning *meaning;          // innermost, or NULL
  Meaning *range;            // ... of the name as a prefix
  bool declared;             // at module scope
  bool is_form;              // form holds what the text means as an opcode
  uint8_t dropped_operands;  // ... number of trailing operands that are ignored
  Form form;
  UT_hash_handle hh;
};

typedef struct LexicalScope {
  Meaning *meanings;
  uint32_t deepest_range;  // depth of the innermost scope with a range, from here outward
  uint32_t first_use;      // pending uses of labels begin here
} LexicalScope;

typedef struct ScopeStack {
  Name *names;  // uthash
  Arena *arena;
  LexicalScope scopes[MAX_SCOPE_DEPTH];
  uint32_t depth;  // of the current scope; 0 = none is open
} ScopeStack;

void scope_stack_init(ScopeStack *stack, Arena *arena);
void scope_stack_clear(ScopeStack *stack);

Name *name_intern(ScopeStack *stack, const char *text, size_t length);

// Returns false if scopes nest too deep.
bool scope_open(ScopeStack *stack, uint32_t first_use);
void scope_close(ScopeStack *stack);

// Declares a name in the current scope. NULL if it has a meaning there already.
Meaning *scope_declare(ScopeStack *stack, Name *name, MeaningKind kind, uint32_t index);
// Declares the registers prefix0 .. prefix(count-1).
Meaning *scope_declare_range(ScopeStack *stack, Name *prefix, uint32_t count);

// What the name means here; NULL if nothing. If it is a register of a range
// that has not been used before, *fresh is set: the caller gives it its index.
Meaning *scope_find(ScopeStack *stack, Name *name, bool *fresh);

#endif
