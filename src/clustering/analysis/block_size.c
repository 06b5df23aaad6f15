// SPDX-License-Identifier: MIT
// The number of threads per CTA of a launch, if the source states it as a constant.
#include "clustering/analysis/block_size.h"

#include <string.h>

#include "clustering/analysis/calls.h"

enum { MAX_THREADS = 1024 };  // per CTA, on any GPU

static bool is_dim3(const Node *node) {
  CXString spelling =
      clang_getTypeSpelling(clang_getCanonicalType(clang_getCursorType(node->cursor)));
  const char *name = clang_getCString(spelling);
  bool is = strcmp(name, "dim3") == 0 || strcmp(name, "const dim3") == 0;
  clang_disposeString(spelling);
  return is;
}

// 0: not a constant integer.
static unsigned integer(const Node *node) {
  CXEvalResult result = clang_Cursor_Evaluate(node->cursor);
  if (!result) return 0;
  long long value =
      clang_EvalResult_getKind(result) == CXEval_Int ? clang_EvalResult_getAsLongLong(result) : 0;
  clang_EvalResult_dispose(result);
  return value > 0 && value <= MAX_THREADS ? (unsigned)value : 0;
}

// dim3(x, y, z): arguments that are not written are 1.
static unsigned product(const Node *construction) {
  unsigned threads = 1, count = 0;
  for (const Node *child = construction->child; child; child = child->next) {
    if (!clang_isExpression(child->kind)) continue;
    unsigned value = integer(child);
    if (!value || threads * value > MAX_THREADS) return 0;
    threads *= value;
    count++;
  }
  return count ? threads : 0;
}

// A reference that makes a copy, as passing it by value does.
static bool is_copied(const Node *reference) {
  const Node *above = reference->parent;
  while (above && above->kind == CXCursor_UnexposedExpr) above = above->parent;
  return above && above->kind == CXCursor_CallExpr && is_dim3(above);
}

static bool is_constant(const Tree *tree, CXCursor variable) {
  if (clang_isConstQualifiedType(clang_getCursorType(variable))) return true;
  FOR_EACH_NODE(node, tree->root)
    if (node->kind == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCursorReferenced(node->cursor), variable) && !is_copied(node))
      return false;
  return true;
}

// The initial value of a variable that does not change, or NULL.
static const Node *initializer(Tree *tree, const Node *reference) {
  CXCursor variable = clang_getCursorReferenced(reference->cursor);
  if (clang_getCursorKind(variable) != CXCursor_VarDecl) return NULL;
  if (!is_constant(tree, variable)) return NULL;
  const Node *node = tree_add(tree, variable), *last = NULL;
  for (const Node *child = node ? node->child : NULL; child; child = child->next)
    if (clang_isExpression(child->kind)) last = child;
  return last;
}

// Conversions to dim3 that nobody wrote have one child.
static unsigned threads_of(Tree *tree, const Node *node) {
  for (int depth = 0; node && depth < 16; depth++) {
    if (!is_dim3(node)) return integer(node);
    if (node->kind == CXCursor_DeclRefExpr) {
      node = initializer(tree, node);
      continue;
    }
    const Node *only = node->child;
    bool is_wrapper = only && !only->next && clang_isExpression(only->kind);
    if (!is_wrapper || !is_dim3(only)) return product(node);
    node = only;
  }
  return 0;
}

unsigned block_size(Tree *tree, const Node *call) {
  const Node *configuration = call_configuration(call), *argument = NULL;
  int count = 0;
  for (const Node *child = configuration ? configuration->child : NULL; child; child = child->next)
    if (clang_isExpression(child->kind) && count++ == 2) argument = child;
  return argument ? threads_of(tree, argument) : 0;
}
