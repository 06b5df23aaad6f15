// SPDX-License-Identifier: MIT
// Syntax tree of a source from clang: declarations, statements and expressions, with parent
// links and source positions.
//
// A source is parsed twice, as host and as device code. The tree contains nodes in the
// user's files. Bodies of templates are uninstantiated; tree_add adds the body of an
// instance.
#ifndef CLUSTERING_ANALYSIS_TREE_H
#define CLUSTERING_ANALYSIS_TREE_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stdint.h>

#include "clustering/sources.h"

typedef struct Node Node;
struct Node {
  CXCursor cursor;
  enum CXCursorKind kind;
  int depth;                    // 0: the root
  Node *parent, *child, *next;  // its first child; the next child of its parent
  int file;                     // NO_FILE: not the user's
  uint32_t begin, end;          // bytes of the file
  bool is_from_macro;           // its text is in a macro, and begin and end are those of the use
  const char *name;             // node_name's answer, once it was asked
  const char *operation;        // node_operator's answer, likewise
};

// Deeper trees are rejected: analyses recurse on expressions.
enum { MAX_TREE_DEPTH = 20000 };

// A macro of the user's files.
typedef struct Macro {
  const char *name;
  int file;
  uint32_t begin, end;  // from its name to the last byte of its text
} Macro;

typedef struct MacroUse {
  int file;
  uint32_t begin, end;
  const char *name;
} MacroUse;

typedef struct Inclusion {
  int file;             // which includes
  uint32_t begin, end;  // the directive
  int included;         // NO_FILE: not the user's
} Inclusion;

typedef struct Tree {
  Arena *arena;
  Sources *sources;
  CXTranslationUnit unit;
  bool is_device;
  int main_file;
  Node *root;
  const Node *too_deep;  // a node at MAX_TREE_DEPTH, below which nodes are missing; or NULL
  struct KnownFile {
    CXFile file;
    int number;
  } * known;
  int known_count, known_capacity;
  Macro *macros;
  int macro_count, macro_capacity;
  MacroUse *uses;
  int use_count, use_capacity;
  Inclusion *inclusions;
  int inclusion_count, inclusion_capacity;
} Tree;

// Builds the tree of a parsed source. Reads the user's headers.
Status tree_build(Tree *tree, Error *err);
void tree_clear(Tree *tree);

// The tree below a cursor of this unit, which is not made part of the tree.
Node *tree_add(Tree *tree, CXCursor cursor);

// The next node in a pre-order traversal of `root`; NULL at the end.
Node *node_after(const Node *node, const Node *root);
#define FOR_EACH_NODE(node, root) for (Node *node = (root); node; node = node_after(node, (root)))

// The nearest node above of this kind, or NULL.
Node *node_above(const Node *node, enum CXCursorKind kind);
// The n-th child, or NULL.
Node *node_child(const Node *node, int n);
// The first child of this kind, or NULL.
Node *node_child_of_kind(const Node *node, enum CXCursorKind kind);
// Without parentheses and conversions that are not written.
Node *node_plain(Node *node);
// The outermost node that is this one in parentheses or implicitly converted.
Node *node_wrapped(Node *node);

bool node_is_function(const Node *node);
bool node_is_in(const Node *node, const Node *root);

const char *node_name(Arena *arena, const Node *node);  // "" if it has none
const char *cursor_name(Arena *arena, CXCursor cursor);
const char *cursor_usr(Arena *arena, CXCursor cursor);
// The template, or the member of a class template, that this is an instance of; else itself.
CXCursor cursor_pattern(CXCursor cursor);

// Whether a function is the call operator of a lambda.
bool cursor_is_lambda(CXCursor function);
// Whether a variable is in shared memory.
bool cursor_is_shared(CXCursor variable);

// Where a cursor's name is; false if that is not in the user's files.
bool tree_place(const Tree *tree, CXSourceLocation location, int *file, uint32_t *offset);

#endif
