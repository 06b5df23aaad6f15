// SPDX-License-Identifier: MIT
// Internal state of the parser, shared by its files; other code uses syntax.h.
//
//   parser.c               ptx_parse and common helpers
//   parser_module.c        .version .target .file ..., and declarations at module scope
//   parser_variable.c      declarations of variables and registers
//   parser_initial.c       their initialisers
//   parser_function.c      .entry and .func: head, directives, body
//   parser_table.c         .callprototype .branchtargets .calltargets
//   parser_instruction.c   guard, opcode, operands; call and brx
//   parser_operand.c       operands
//   expression.c           constant expressions
//
// Each parse function reads the construct that it is named after, starting at
// the current token, and makes the first token after it current.
#ifndef FRONTENDS_PTX_PARSE_PARSER_H
#define FRONTENDS_PTX_PARSE_PARSER_H

#include "base/memory.h"
#include "frontends/ptx/parse/keywords.h"
#include "frontends/ptx/parse/lexer.h"
#include "frontends/ptx/parse/scope.h"
#include "frontends/ptx/parse/syntax.h"

enum {
  MAX_REGISTERS_PER_FUNCTION = 1 << 20,
  MAX_UNWRITTEN = 1 << 20,  // per module; see parser_spend
};

// A growing array on the heap; copied into the arena when complete.
#define LIST(Type)            \
  struct {                    \
    Type *items;              \
    uint32_t count, capacity; \
  }

#define LIST_PUSH(list)                                                                          \
  ((list)->items =                                                                               \
       parser_grow_list((list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items), \
   &(list)->items[(list)->count++])

// A reference to a label or table; slot receives its index when its scope ends.
typedef struct LabelUse {
  const Name *name;
  uint32_t *slot;
  MeaningKind kind;
  PtxPosition position;
} LabelUse;

// A reference to a symbol that must be declared by the end of the module.
typedef struct SymbolUse {
  const Name *name;
  PtxPosition position;
} SymbolUse;

// The part of a declaration that precedes its names.
typedef struct Declaration {
  Space space;
  bool is_register;
  PtxLinkage linkage;
  DataType type;
  uint32_t vector;
  uint32_t alignment;  // 0 = natural
} Declaration;

// %a, or %r<8>
typedef struct DeclaredRegister {
  Name *name;
  uint32_t range_count;  // 0 = single register
  DataType type;
  uint32_t vector;
  PtxPosition position;
} DeclaredRegister;

typedef struct Parser {
  PtxModule *module;
  Error *err;
  Lexer lexer;
  ScopeStack scopes;
  // current module
  LIST(PtxVariable) module_variables;
  LIST(PtxFunction) functions;
  LIST(PtxFile) files;
  LIST(SymbolUse) symbol_uses;
  uint64_t unwritten;
  LIST(DeclaredRegister) module_registers;  // PTX 1 allowed them; each function has a copy
  // current function
  PtxFunction function;
  LIST(PtxRegister) registers;
  LIST(PtxVariable) variables;
  LIST(PtxLabel) labels;
  LIST(PtxTable) tables;
  LIST(PtxInstruction) instructions;
  LIST(LabelUse) label_uses;
  uint32_t file, source_line, source_column;  // from the last .loc
  uint32_t caller_file, caller_line, caller_column;
  bool is_not_unrolled;  // .pragma "nounroll" precedes the next instruction
  // current list
  LIST(PtxOperand) operands;
  LIST(PtxVariable) params;
  LIST(PtxInitial) initials;
} Parser;

// Grows the array if needed and zeroes the next item.
void *parser_grow_list(void *items, uint32_t count, uint32_t *capacity, size_t item_bytes);
// Removes the items from index first to the end; returns a copy of them in the arena.
void *parser_take_list(Parser *p, const void *items, uint32_t first, uint32_t *count,
                       size_t item_bytes);
#define LIST_TAKE(p, list, first) \
  parser_take_list((p), (list)->items, (first), &(list)->count, sizeof *(list)->items)

// parser.c
static inline const Token *token(const Parser *p) {
  return &p->lexer.token;
}
static inline bool at(const Parser *p, int kind) {
  return p->lexer.token.kind == kind;
}
static inline void advance(Parser *p) {
  lexer_advance(&p->lexer);
}
bool parser_accept(Parser *p, int kind);
Status parser_expect(Parser *p, int kind, const char *what);
// "expected WHAT, found ..." at the current token.
Status parser_unexpected(Parser *p, const char *expected);
Keyword parser_keyword(const Parser *p);  // the current token as a keyword, or KEYWORD_NONE
bool parser_at_word(const Parser *p, const char *word);  // is the current token this name?
Name *parser_name_here(Parser *p);  // interns the current TOKEN_NAME without advancing
Status parse_name(Parser *p, const char *what, Name **name);
Status parse_number(Parser *p, uint64_t most, const char *what, uint64_t *value);
// Counts items that are declared implicitly (ranges, array elements) and fails
// beyond MAX_UNWRITTEN, so that a short text cannot exhaust memory.
Status parser_spend(Parser *p, uint64_t items, PtxPosition position);
Status parse_skip_attribute(Parser *p);  // .attribute(...)
#define PARSE_ERROR(p, position, ...) \
  ptx_error((p)->module, (p)->err, ERR_SYNTAX, (position), __VA_ARGS__)

// expression.c
typedef enum ConstantKind {
  CONSTANT_SIGNED,
  CONSTANT_UNSIGNED,
  CONSTANT_SINGLE,
  CONSTANT_DOUBLE
} ConstantKind;
typedef struct Constant {
  ConstantKind kind;
  uint64_t bits;  // encoding of an integer, float or double
} Constant;
double constant_to_double(Constant constant);
bool expression_starts(const Parser *p);
Status parse_expression(Parser *p, Constant *value);
Status parse_integer(Parser *p, int64_t *value);
// An optional `+ 8` or `- 8` after an address.
Status parse_offset(Parser *p, int64_t *offset);

// parser_module.c
Status parse_module(Parser *p);
Status parse_file(Parser *p);
Status parse_pragma(Parser *p);
Status parse_loc(Parser *p);

// parser_variable.c
Status parse_declaration(Parser *p, Declaration *declaration);
Status parse_declared_name(Parser *p, const Declaration *declaration, PtxVariable *variable,
                           Name **name);
Status parse_module_variables(Parser *p, PtxLinkage linkage);
Status parse_local_variables(Parser *p, PtxLinkage linkage);
Status parser_declare_register(Parser *p, const DeclaredRegister *declared);
// Allocates the registers of a meaning: one per vector element.
Status parse_register_meaning(Parser *p, Meaning *meaning, PtxPosition position);
Status parser_declared_twice(Parser *p, const Name *name, PtxPosition position);

// parser_initial.c
enum { MAX_DIMENSIONS = 8 };
// The last dimension is the vector's. The first may be 0: the initialiser then
// determines it.
Status parse_initials(Parser *p, PtxVariable *variable, const uint64_t *dimensions, int count);

// parser_function.c
Status parse_function(Parser *p, PtxLinkage linkage);

// `( .param .b32 a, ... )`, allocated in the arena. Names are declared in the
// current scope if kind is MEANING_PARAM or MEANING_RESULT.
Status parse_params(Parser *p, Space space, MeaningKind kind, PtxVariable **params,
                    uint32_t *count);

// parser_table.c
Status parse_table(Parser *p, Name *name, PtxPosition position);

// parser_instruction.c
Status parse_instruction(Parser *p);

// parser_operand.c
Status parse_operand(Parser *p, PtxOperand *operand);
// An operand that must be a name: register, variable, symbol or special register.
Status parse_named_operand(Parser *p, PtxOperand *operand);

#endif
