// SPDX-License-Identifier: MIT
// Names and their meanings in nested lexical scopes.
//
// Names are interned. Each links to its meanings, innermost first; each scope
// lists the meanings declared in it. A lookup is therefore one hash access, and
// closing a scope takes time proportional to its declarations.
//
// `.reg .b32 %r<1000000>` is one meaning, of the prefix %r. Its registers get
// meanings of their own at their first use.
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
  MEANING_SYMBOL,  // module scope, under another name: a .global declared in a function
} MeaningKind;

typedef struct Name Name;
typedef struct Meaning Meaning;

struct Meaning {
  Name *name;
  Meaning *outer;  // meaning of the same name in an enclosing scope
  Meaning *next_in_scope;
  MeaningKind kind;
  uint32_t depth;      // nesting depth of the scope
  uint32_t index;      // into the function's array of that kind
  const char *symbol;  // MEANING_SYMBOL
  // registers
  uint32_t range_count;  // number of registers with this prefix
  DataType type;
  uint8_t vector;  // elements, at consecutive indices from index
};

struct Name {
  const char *text;
  uint32_t length;
  Meaning *meaning;          // innermost, or NULL
  Meaning *range;            // innermost meaning as a prefix, or NULL
  bool declared;             // at module scope
  bool is_form;              // form is valid: the text has been parsed as an opcode
  uint8_t dropped_operands;  // number of trailing operands that this opcode ignores
  Form form;
  UT_hash_handle hh;
};

typedef struct LexicalScope {
  Meaning *meanings;
  uint32_t deepest_range;  // depth of the innermost scope with a range, from here outward
  uint32_t first_use;      // index of the first pending label use
} LexicalScope;

typedef struct ScopeStack {
  Name *names;  // uthash
  Arena *arena;
  LexicalScope scopes[MAX_SCOPE_DEPTH];
  uint32_t depth;  // of the current scope; 0 = no open scope
} ScopeStack;

void scope_stack_init(ScopeStack *stack, Arena *arena);
void scope_stack_clear(ScopeStack *stack);

Name *name_intern(ScopeStack *stack, const char *text, size_t length);

// Returns false beyond MAX_SCOPE_DEPTH.
bool scope_open(ScopeStack *stack, uint32_t first_use);
void scope_close(ScopeStack *stack);

// Declares a name in the current scope. Returns NULL if already declared there.
Meaning *scope_declare(ScopeStack *stack, Name *name, MeaningKind kind, uint32_t index);
// Declares the registers prefix0 .. prefix(count-1).
Meaning *scope_declare_range(ScopeStack *stack, Name *prefix, uint32_t count);

// Returns the innermost meaning of a name, or NULL. At the first use of a
// register of a range, sets *fresh: the caller then assigns its index.
Meaning *scope_find(ScopeStack *stack, Name *name, bool *fresh);

#endif
