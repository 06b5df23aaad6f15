// SPDX-License-Identifier: MIT
// Links modules into a program: resolves symbols and assigns addresses.
//
// Names without .visible, .weak or .extern are local to their module. A .weak
// definition yields to any other; an .extern name must be defined in another module
// or be a native function (runtime/native.h).
//
//   symbols.c     names to functions and variables
//   references.c  call graph, and shared variables used by each function
//   layout.c      addresses of variables and shared memory, stack frames
//   lower*.c      instructions of one function
//   optimise/     optimisations of the assembler
//   flow.c        its basic blocks and reconvergence points
//   registers.c   liveness and register allocation
//   call_graph.c  stack and registers of a kernel and everything that it calls
#ifndef FRONTENDS_PTX_LINK_LINKER_H
#define FRONTENDS_PTX_LINK_LINKER_H

#include <uthash.h>

#include "frontends/ptx/lower/constants.h"
#include "frontends/ptx/parse/syntax.h"
#include "isa/compiler.h"
#include "isa/program.h"

typedef struct Symbol {
  const char *name;
  const PtxModule *module;      // of the definition
  const PtxFunction *function;  // one of the two, or neither for a native function
  const PtxVariable *variable;
  uint32_t function_index;  // of a function: in Linker.functions
  uint64_t address;         // of a variable, within its space
  uint32_t shared_index;    // of a .shared variable: into Linker.shared
  bool is_dynamic_shared;   // .extern .shared name[]
  UT_hash_handle hh;
} Symbol;

typedef struct LinkedModule {
  PtxModule *syntax;
  Symbol *symbols;  // local names, without declarations
} LinkedModule;

// A shared variable, of a module or of a function, and the kernels that reach it.
typedef struct SharedVariable {
  const PtxVariable *variable;
  uint64_t *kernels;  // bit set over functions
  uint64_t address;
} SharedVariable;

// A function being linked; Program.functions has the same index.
typedef struct LinkedFunction {
  const PtxFunction *syntax;  // NULL for a native one
  LinkedModule *module;
  const char *name;
  NativeFn native;
  uint64_t *variable_addresses;  // of syntax->variables: frame offset, or index into Linker.shared
  uint32_t variable_bytes;       // of .local ones
  uint32_t *callees;             // indices of functions
  uint32_t callee_count, callee_capacity;
  uint32_t *shared_uses;  // indices into Linker.shared
  uint32_t shared_use_count, shared_use_capacity;
  uint32_t dynamic_alignment;  // of the dynamic shared memory that it uses; 0 = none
  bool calls_indirectly, address_taken;
  bool takes_stack;  // with alloca
  bool moves_registers;    // with setmaxnreg
  uint32_t live_at_calls;  // maximum number of registers live across a call
} LinkedFunction;

typedef struct Linker {
  Program *program;
  const CompilerConfig *compiler;  // NULL: no optimising pass
  LinkedModule *modules;
  uint32_t module_count;
  Symbol *globals;            // names visible to all modules
  LinkedFunction *functions;  // parallel to program->functions
  uint32_t function_count, function_capacity;
  SharedVariable *shared;
  uint32_t shared_count, shared_capacity;
  Constants constants;
  Instruction *code;
  RegisterUse *register_uses;  // parallel to code
  uint32_t code_count, code_capacity;
  SourceLine *sources;
  uint32_t source_count, source_capacity;
  Arena scratch;  // freed after linking
} Linker;

// symbols.c
Status symbols_collect(Linker *linker, Error *err);
// Resolves a name in a module; NULL if undefined.
Symbol *symbol_find(const Linker *linker, const LinkedModule *module, const char *name);
void symbols_clear(Linker *linker);

// references.c: after it, the set of functions is complete.
Status references_collect(Linker *linker, Error *err);
// Traverses the call graph from a function. visited: one flag per function, zeroed by
// the caller; set for each function reached, including itself.
void references_reach(const Linker *linker, uint32_t function, bool *visited);

// layout.c
Status layout_variables(Linker *linker, uint64_t base_address, Error *err);
Status layout_shared(Linker *linker, Error *err);
Status layout_frames(Linker *linker, Error *err);
Status layout_initials(Linker *linker, Error *err);

// lower.c: appends the function's code
Status lower_function(Linker *linker, uint32_t index, Error *err);

// call_graph.c: after lowering
void call_graph_finish(Linker *linker);

#endif
