// SPDX-License-Identifier: MIT
// A loop is controlled by its condition, the conditions of breaks and returns in it, and the
// values assigned to the variables in these. If other CTAs can change one of these values, the
// loop waits for them.
#include "clustering/analysis/waiting.h"

#include <string.h>

#include "clustering/analysis/dependence.h"

typedef struct Look {
  Program *program;
  const Body *body;
  const Node *loop;
} Look;

static bool is_loop(const Node *node) {
  return node->kind == CXCursor_WhileStmt || node->kind == CXCursor_DoStmt ||
         node->kind == CXCursor_ForStmt;
}

// The body of a loop is its last child, except for do.
static const Node *body_of(const Node *loop) {
  const Node *part = loop->child;
  if (loop->kind != CXCursor_DoStmt)
    while (part && part->next) part = part->next;
  return part;
}

static bool is_shared_object(const Node *expression) {
  FOR_EACH_NODE(node, (Node *)expression)
    if (node->kind == CXCursor_DeclRefExpr &&
        cursor_is_shared(clang_getCursorReferenced(node->cursor)))
      return true;
  return false;
}

static bool is_zero(const Node *node) {
  CXEvalResult result = node ? clang_Cursor_Evaluate(node->cursor) : NULL;
  bool is_it = result && clang_EvalResult_getKind(result) == CXEval_Int &&
               clang_EvalResult_getAsLongLong(result) == 0;
  if (result) clang_EvalResult_dispose(result);
  return is_it;
}

// Whether a variable that an expression names is set in the loop.
static bool is_set_in_loop(const Look *look, const Node *expression) {
  FOR_EACH_NODE(reference, (Node *)expression) {
    if (reference->kind != CXCursor_DeclRefExpr) continue;
    CXCursor variable = clang_getCursorReferenced(reference->cursor);
    FOR_EACH_NODE(node, (Node *)look->loop) {
      if (node->kind == CXCursor_VarDecl && clang_equalCursors(node->cursor, variable)) return true;
      if (!node_is_assignment(look->body->tree, node)) continue;
      if (clang_equalCursors(clang_getCursorReferenced(node_plain(node->child)->cursor), variable))
        return true;
    }
  }
  return false;
}

// An atomic that only looks, or that wants what another must give first.
static const char *waiting_atomic(const Look *look, const Node *call) {
  const char *name = call_name(look->program, call);
  if (strncmp(name, "atomic", 6) != 0) return NULL;
  const Node *address = call_argument(call, 0), *operand = call_argument(call, 1);
  if (!address || !operand || is_shared_object(address)) return NULL;
  if (strncmp(name, "atomicCAS", 9) == 0)
    return is_set_in_loop(look, operand) ? NULL
                                         : "waits in a loop for a lock or a flag (atomicCAS)";
  if (strncmp(name, "atomicExch", 10) == 0) return "waits in a loop for a lock (atomicExch)";
  return is_zero(operand) ? "waits in a loop for another CTA to change a value" : NULL;
}

static const char *waiting_load(const Look *look, const Node *node) {
  static const char *const loads[] = {"__ldcv", "__ldcg", "load", NULL};
  if (node->kind == CXCursor_CallExpr) {
    const char *name = call_name(look->program, node);
    for (const char *const *load = loads; *load; load++)
      if (strcmp(name, *load) == 0) return "waits in a loop for another CTA to store a value";
    return NULL;
  }
  bool is_load = node->kind == CXCursor_ArraySubscriptExpr ||
                 node->kind == CXCursor_UnaryOperator || node->kind == CXCursor_DeclRefExpr ||
                 node->kind == CXCursor_MemberRefExpr;
  if (!is_load || !clang_isVolatileQualifiedType(clang_getCursorType(node->cursor))) return NULL;
  if (is_shared_object(node)) return NULL;
  return "waits in a loop for another CTA to store a value (volatile)";
}

static const char *waits_in(const Look *look, const Node *expression) {
  FOR_EACH_NODE(node, (Node *)expression) {
    const char *reason = node->kind == CXCursor_CallExpr ? waiting_atomic(look, node) : NULL;
    if (!reason) reason = waiting_load(look, node);
    if (reason) return reason;
  }
  return NULL;
}

static bool leaves_loop(const Look *look, const Node *branch) {
  FOR_EACH_NODE(node, (Node *)branch) {
    if (node->kind == CXCursor_ReturnStmt) return true;
    if (node->kind == CXCursor_BreakStmt && node_loop(node, look->loop->parent) == look->loop)
      return true;
  }
  return false;
}

// Variables that the condition names are set from, or under, what others change.
static const char *waits_through_variable(const Look *look, const Node *condition) {
  FOR_EACH_NODE(node, (Node *)look->loop) {
    if (!node_is_assignment(look->body->tree, node) && node->kind != CXCursor_VarDecl) continue;
    const Node *target = node->kind == CXCursor_VarDecl ? node : node_plain(node->child);
    CXCursor variable =
        node->kind == CXCursor_VarDecl ? node->cursor : clang_getCursorReferenced(target->cursor);
    bool is_named = false;
    FOR_EACH_NODE(reference, (Node *)condition)
      is_named |= reference->kind == CXCursor_DeclRefExpr &&
                  clang_equalCursors(clang_getCursorReferenced(reference->cursor), variable);
    if (!is_named) continue;
    const char *reason = waits_in(look, node);
    for (const Node *above = node->parent; above != look->loop && !reason; above = above->parent)
      if (above->kind == CXCursor_IfStmt) reason = waits_in(look, above->child);
    if (reason) return reason;
  }
  return NULL;
}

static const char *waits(const Look *look) {
  const Node *statements = body_of(look->loop);
  for (const Node *part = look->loop->child; part; part = part->next) {
    if (part == statements) continue;
    const char *reason = waits_in(look, part);
    if (!reason) reason = waits_through_variable(look, part);
    if (reason) return reason;
  }
  FOR_EACH_NODE(node, (Node *)look->loop) {
    if (node->kind != CXCursor_IfStmt || !node->child || !leaves_loop(look, node)) continue;
    const char *reason = waits_in(look, node->child);
    if (!reason) reason = waits_through_variable(look, node->child);
    if (reason) return reason;
  }
  return NULL;
}

const Node *waiting_loop(Program *program, const Body *body, const char **reason) {
  FOR_EACH_NODE(node, body->statements) {
    if (!is_loop(node) || !node->child) continue;
    Look look = {.program = program, .body = body, .loop = node};
    if ((*reason = waits(&look))) return node;
  }
  return NULL;
}
