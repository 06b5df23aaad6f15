// SPDX-License-Identifier: MIT
// All functions of the sources, their references and their bodies.
//
// A function is a definition in the source: all instances of a template are one function,
// as are its explicit specialisations. It has one body per view of clang: as host and as
// device code, uninstantiated and for each instance.
#ifndef CLUSTERING_ANALYSIS_PROGRAM_H
#define CLUSTERING_ANALYSIS_PROGRAM_H

#include <uthash.h>

#include "clustering/analysis/parse.h"

typedef struct Function Function;
typedef struct Body Body;

// A place where a function is declared or defined, in a user's file.
typedef struct Declaration {
  Tree *tree;
  Node *node;
  uint32_t name_at;  // the byte of node->file where its name is
  struct Declaration *next;
} Declaration;

// A place where a function is named: called, launched, or taken the address of.
typedef struct Mention {
  Tree *tree;
  Node *node;
  struct Mention *next;
} Mention;

struct Body {
  Function *function;
  Tree *tree;
  Node *node;         // of the function; its parameters are children
  Node *statements;   // in braces
  bool is_dependent;  // of a template, as it is written: not everything in it is known
  const char *usr;    // of this very instance
  int visit;          // the last search that came by
  const struct ReachedList *callees, *reached;  // calls.h
  const Function *checked_for;        // the kernel that it was last looked at for
  unsigned uses;                      // body_uses's answer, once has_uses
  bool has_uses;
  Body *next;
};

struct Function {
  const char *usr, *name;
  bool is_kernel;
  Declaration *declarations;  // none if it is not the user's
  Mention *mentions;
  Body *bodies;
  int visit;       // the last pass that rewrote it
  unsigned needs;  // function_needs's answer, once has_needs
  bool has_needs;
  UT_hash_handle hh;
};

typedef struct Program {
  Arena arena;
  Sources sources;
  CXIndex index;
  Tree **trees;
  int tree_count, tree_capacity;
  Function *functions;  // by usr
  int visit;
  struct KeptText {
    int file;
    uint32_t at;
  } * kept;  // launches in macros that must stay as they are
  int kept_count, kept_capacity;
} Program;

void program_init(Program *program);
void program_clear(Program *program);

// Parses a source, as host and as device code.
Status program_add(Program *program, const char *path, const CcRequest *flags,
                   const CcToolchain *toolchain, Error *err);

// Fails if a tree is deeper than MAX_TREE_DEPTH, and so incomplete.
Status program_check_depth(Program *program, Error *err);

// The function that a cursor declares, names or is an instance of; NULL if it
// is none that was seen.
Function *program_function(Program *program, CXCursor cursor);
// The body that a call of the cursor's function runs; one that is not the
// user's is brought in. NULL if it has none.
Body *program_body(Program *program, Tree *tree, CXCursor cursor);

// The function that a node is in, or NULL.
Function *program_function_around(Program *program, const Node *node);

// Marks a launch in a macro that must not be rewritten, for any kernel.
void program_keep(Program *program, int file, uint32_t at);
bool program_is_kept(const Program *program, int file, uint32_t at);

// The path and line of a node, for messages: "prog.cu:12".
const char *program_where(Program *program, const Node *node);
const char *program_where_at(Program *program, int file, uint32_t offset);

#endif
