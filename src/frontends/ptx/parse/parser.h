// SPDX-License-Identifier: MIT
// The parser's own state, shared by its files; others use syntax.h.
//
//   parser.c               ptx_parse, and what all the others use
//   parser_module.c        .version .target .file ..., and declarations at module scope
//   parser_variable.c      declarations of variables and registers
//   parser_initial.c       their initialisers
//   parser_function.c      .entry and .func: head, directives, body
//   parser_table.c         .callprototype .branchtargets .calltargets
//   parser_instruction.c   guard, opcode, operands; call and brx
//   parser_operand.c       operands
//   expression.c           constant expressions
//
// Each function reads what its name says, beginning at the current token, and
// leaves the token behind it current.
#ifndef FRONTENDS_PTX_PARSE_PARSER_H
#define FRONTENDS_PTX_PARSE_PARSER_H

#include "base/memory.h"
#include "frontends/ptx/parse/keywords.h"
#include "frontends/ptx/parse/lexer.h"
#include "frontends/ptx/parse/scope.h"
#include "frontends/ptx/parse/syntax.h"

enum {
  MAX_REGISTERS_PER_FUNCTION = 1 << 20,
  MAX_UNWRITTEN = 1 << 20,  // of a module; see parser_spend
};

// A growing array of the host's; copied into the arena when it is complete.
#define LIST(Type)            \
  struct {                    \
    Type *items;              \
    uint32_t count, capacity; \
  }

#define LIST_PUSH(list)                                                                          \
  ((list)->items =                                                                               \
       parser_grow_list((list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items), \
   &(list)->items[(list)->count++])

// A label or table that was named; its index goes to slot when its scope ends.
typedef struct LabelUse {
  const Name *name;
  uint32_t *slot;
  MeaningKind kind;
  PtxPosition position;
} LabelUse;

// A name that must be declared at module scope by the end of the module.
typedef struct SymbolUse {
  const Name *name;
  PtxPosition position;
} SymbolUse;

// What stands before the names of a declaration.
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
  uint32_t range_count;  // 0 = a single one
  DataType type;
  uint32_t vector;
  PtxPosition position;
} DeclaredRegister;

typedef struct Parser {
  PtxModule *module;
  Error *err;
  Lexer lexer;
  ScopeStack scopes;
  // of the module
  LIST(PtxVariable) module_variables;
  LIST(PtxFunction) functions;
  LIST(PtxFile) files;
  LIST(SymbolUse) symbol_uses;
  uint64_t unwritten;
  LIST(DeclaredRegister) module_registers;  // PTX 1 allowed them; each function has its own
  // of the function that is being read
  PtxFunction function;
  LIST(PtxRegister) registers;
  LIST(PtxVariable) variables;
  LIST(PtxLabel) labels;
  LIST(PtxTable) tables;
  LIST(PtxInstruction) instructions;
  LIST(LabelUse) label_uses;
  uint32_t file, source_line, caller_file, caller_line;  // of the last .loc
  bool is_not_unrolled;  // .pragma "nounroll" stands before the next instruction
  // of the list that is being read
  LIST(PtxOperand) operands;
  LIST(PtxVariable) params;
  LIST(PtxInitial) initials;
} Parser;

// Makes room for one more item, zeroed.
void *parser_grow_list(void *items, uint32_t count, uint32_t *capacity, size_t item_bytes);
// Cuts the items from first on off the list; returns a copy of them in the arena.
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
Keyword parser_keyword(const Parser *p);  // of the current token; KEYWORD_NONE if it is none
bool parser_at_word(const Parser *p, const char *word);  // a TOKEN_NAME of that text
Name *parser_name_here(Parser *p);  // of the current TOKEN_NAME, which stays current
Status parse_name(Parser *p, const char *what, Name **name);
Status parse_number(Parser *p, uint64_t most, const char *what, uint64_t *value);
// Counts items that the text asks for without spelling them out, so that a
// small text cannot take much memory.
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
  uint64_t bits;  // of an integer, a float or a double
} Constant;
double constant_to_double(Constant constant);
bool expression_starts(const Parser *p);
Status parse_expression(Parser *p, Constant *value);
Status parse_integer(Parser *p, int64_t *value);
// The optional `+ 8` or `- 8` behind an address.
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
// Makes the register(s) of a meaning: one, or one an element of a vector.
Status parse_register_meaning(Parser *p, Meaning *meaning, PtxPosition position);
Status parser_declared_twice(Parser *p, const Name *name, PtxPosition position);

// parser_initial.c
enum { MAX_DIMENSIONS = 8 };
// dimensions, the last one a vector's; the first may be 0: the initialiser says.
Status parse_initials(Parser *p, PtxVariable *variable, const uint64_t *dimensions, int count);

// parser_function.c
Status parse_function(Parser *p, PtxLinkage linkage);

// `( .param .b32 a, ... )`: takes them from the arena. Names get a meaning in
// the current scope where kind is MEANING_PARAM or MEANING_RESULT.
Status parse_params(Parser *p, Space space, MeaningKind kind, PtxVariable **params,
                    uint32_t *count);

// parser_table.c
Status parse_table(Parser *p, Name *name, PtxPosition position);

// parser_instruction.c
Status parse_instruction(Parser *p);

// parser_operand.c
Status parse_operand(Parser *p, PtxOperand *operand);
// One that must be a plain name: a register, variable, symbol or special register.
Status parse_named_operand(Parser *p, PtxOperand *operand);

#endif
