// SPDX-License-Identifier: MIT
// Syntax tree of a PTX module. Names of registers, labels and local variables
// are resolved to indices; everything else is kept as written. lower.c converts
// it to instructions; link.c links modules.
//
// Everything is allocated in the module's arena. Positions count from 1.
#ifndef FRONTENDS_PTX_PARSE_SYNTAX_H
#define FRONTENDS_PTX_PARSE_SYNTAX_H

#include "base/arena.h"
#include "base/error.h"
#include "isa/form.h"

typedef struct PtxPosition {
  uint32_t line, column;
} PtxPosition;

typedef enum PtxLinkage { LINKAGE_NONE, LINKAGE_EXTERN, LINKAGE_VISIBLE, LINKAGE_WEAK, LINKAGE_COMMON } PtxLinkage;

// One element of an initialiser: a number or the address of a symbol.
typedef struct PtxInitial {
  uint64_t bits;          // integer or float, already in the element type's encoding
  const char *symbol;     // not NULL: its address is added to bits
  bool generic;           // generic(symbol)
  uint32_t mask_shift;    // 0xFF00(symbol)-style byte selections: shift right by this many bits ...
  bool masked;            // ... and keep one byte
  PtxPosition position;
} PtxInitial;

// .global, .const, .shared, .local and .param variables; .texref, .samplerref, .surfref.
typedef struct PtxVariable {
  const char *name;
  Space space;                // FRAME for a .param declared inside a function's body, or one of a .func
  PtxLinkage linkage;
  DataType type;              // of an element
  uint32_t vector;            // elements per vector: 1, 2 or 4 (.v2 .v4)
  uint32_t alignment;         // bytes; natural unless declared
  uint64_t count;             // total elements; 0 for an unsized array ([])
  uint64_t size_bytes;        // 0 for an unsized array
  bool is_register;           // .func parameter or result declared .reg; see register_index
  uint32_t register_index;
  PtxInitial *initials;  // values of the first initial_count elements; the rest is zero
  uint32_t initial_count;
  PtxPosition position;
} PtxVariable;

typedef struct PtxRegister {
  const char *name;  // as written, such as "%r12"
  DataType type;
  uint32_t number;  // trailing digits of its name; 0 if none
} PtxRegister;

typedef enum PtxOperandKind {
  OPERAND_REGISTER,           // index; negated for !%p
  OPERAND_INTEGER,            // bits
  OPERAND_FLOAT,              // bits of a double (0d...), or of a float with is_single (0f...)
  OPERAND_SPECIAL,            // index: SpecialRegister
  OPERAND_VARIABLE,           // index into the function's variables; with offset
  OPERAND_SYMBOL,             // name of a module-scope variable or function; with offset
  OPERAND_LABEL,              // index into the function's labels
  OPERAND_VECTOR,             // elements
  OPERAND_ADDRESS,            // [base + offset]: elements[0] is the base, or none for [offset]
  OPERAND_TEXTURE,            // [name_or_register, {coordinates}]: elements in that order, flattened;
                              // [tex, sampler, {..}] has the sampler second (has_sampler)
  OPERAND_SINK,               // _
  OPERAND_LIST,               // ( ... ) of a call, or the name of a table (index) of a brx or call
  OPERAND_PARAM,              // index into the function's params (not .reg ones); with offset
  OPERAND_RESULT,             // index into the function's results (not .reg ones); with offset
} PtxOperandKind;

typedef struct PtxOperand PtxOperand;
struct PtxOperand {
  PtxOperandKind kind;
  bool negated;               // !%p, or -%r / -name where PTX allows it
  bool is_single;
  bool has_sampler;
  uint16_t
      selector;  // part of a register, .b3 or .h10 (exec/arithmetic/video.h); 0 = whole register
  uint8_t selector_digits;
  uint32_t index;
  uint64_t bits;
  int64_t offset;
  const char *name;
  PtxOperand *elements;
  uint32_t element_count;
  PtxPosition position;
};

typedef struct PtxInstruction {
  const char *text;           // "ld.global.f32", as written, for messages
  Form form;                  // from the opcode and its suffixes
  bool has_guard, guard_negated;
  uint32_t guard;             // register index
  PtxOperand *operands;       // in source order; d|p counts as two operands
  uint32_t operand_count;
  bool has_pair;  // operands 0 and 1 were written as d|p
  PtxPosition position;
  uint32_t file, source_line, source_column;         // from .loc; file is its number, 0 = unknown
  uint32_t caller_file, caller_line, caller_column;  // from the inlined_at of .loc; likewise
  bool is_not_unrolled;               // first instruction after .pragma "nounroll"
} PtxInstruction;

typedef struct PtxLabel {
  const char *name;
  uint32_t instruction;  // index of the next instruction (count at the end of the body)
  bool defined;
} PtxLabel;

// A prototype for indirect calls: `name: .callprototype (...) _ (...)`, or a
// list: `name: .branchtargets a, b;` / `name: .calltargets f, g;`.
typedef enum PtxTableKind { TABLE_PROTOTYPE, TABLE_BRANCH_TARGETS, TABLE_CALL_TARGETS } PtxTableKind;
typedef struct PtxTable {
  const char *name;
  PtxTableKind kind;
  PtxVariable *params, *results;     // prototype
  uint32_t param_count, result_count;
  uint32_t *labels;                  // branch targets
  const char **functions;            // call targets
  uint32_t target_count;
  PtxPosition position;
} PtxTable;

typedef struct PtxFunction {
  const char *name;
  bool is_entry, has_body, noreturn;
  PtxLinkage linkage;
  PtxVariable *params, *results;
  uint32_t param_count, result_count;
  uint32_t max_threads[3], required_threads[3], min_ctas_per_sm, max_registers;
  uint32_t cluster[3];  // .reqnctapercluster
  PtxRegister *registers;
  uint32_t register_count;
  PtxVariable *variables;            // declared in the body: .local .shared .param
  uint32_t variable_count;
  PtxLabel *labels;
  uint32_t label_count;
  PtxTable *tables;
  uint32_t table_count;
  PtxInstruction *instructions;
  uint32_t instruction_count;
  PtxPosition position;
} PtxFunction;

typedef struct PtxFile {
  uint32_t number;
  const char *name;
} PtxFile;

typedef struct PtxModule {
  const char *path;                  // as given, for messages
  const char *text;                  // the source, quoted in messages
  uint32_t version;                  // 64 for 6.4
  const char *target;                // "sm_70"
  uint32_t address_size;             // 32 or 64
  PtxVariable *variables;
  uint32_t variable_count;
  PtxFunction *functions;            // definitions and declarations, in order
  uint32_t function_count;
  PtxFile *files;
  uint32_t file_count;
  Arena arena;
} PtxModule;

// Parses text of length bytes, not necessarily NUL-terminated. path is used in
// messages. On failure *module is NULL, and the message has path:line:column,
// the line and a caret.
Status ptx_parse(PtxModule **module, const char *path, const char *text, size_t length, Error *err);
void ptx_module_destroy(PtxModule *module);

// Reports an error at a position: path:line:column: message, the line, a caret.
Status ptx_error(const PtxModule *module, Error *err, Status status, PtxPosition position,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
