// SPDX-License-Identifier: MIT
// Every use of the variable is followed from inside out: through members and elements that
// are part of it, to the operation on that part. The target of a pointer is not a part.
#include "clustering/rewrite/changes.h"

#include <string.h>

#include "clustering/analysis/dependence.h"

static CXType type_of(const Node *node) {
  return clang_getCanonicalType(clang_getCursorType(node->cursor));
}

static bool is_array(const Node *node) {
  enum CXTypeKind kind = type_of(node).kind;
  return kind == CXType_ConstantArray || kind == CXType_DependentSizedArray;
}

static bool is_pointer(const Node *node) {
  return type_of(node).kind == CXType_Pointer;
}

static bool is_changeable_reference(CXType type) {
  type = clang_getCanonicalType(type);
  return type.kind == CXType_RValueReference ||
         (type.kind == CXType_LValueReference &&
          !clang_isConstQualifiedType(clang_getPointeeType(type)));
}

static bool is_method(CXCursor cursor) {
  enum CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_CXXMethod || kind == CXCursor_ConversionFunction;
}

static bool is_changing_method(CXCursor cursor) {
  return is_method(cursor) && !clang_CXXMethod_isStatic(cursor) && !clang_CXXMethod_isConst(cursor);
}

// Whether the node above is the same object, or a part of it.
static bool is_part(const Node *node, const Node *above) {
  switch (above->kind) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr: return true;
    case CXCursor_MemberRefExpr:
      return !is_pointer(node) && !is_method(clang_getCursorReferenced(above->cursor));
    case CXCursor_ArraySubscriptExpr:
      return above->child == node && is_array(node_plain((Node *)node));
    case CXCursor_ConditionalOperator: return above->child != node;
    default: return false;
  }
}

static bool is_changed_by_call(const Node *node, const Node *call) {
  CXCursor target = clang_getCursorReferenced(call->cursor);
  if (clang_Cursor_isNull(target)) return true;
  int count = clang_Cursor_getNumArguments(call->cursor);
  for (int i = 0; i < count; i++) {
    if (call_argument(call, (unsigned)i) != node) continue;
    // The object of an operator is its first argument, and none of its type.
    int method = is_method(target) && count > clang_Cursor_getNumArguments(target);
    if (method && i == 0) return is_changing_method(target);
    return is_changeable_reference(
        clang_getArgType(clang_getCursorType(target), (unsigned)(i - method)));
  }
  return false;
}

static bool has_changeable_variable(const Node *loop) {
  const Node *variable = node_child_of_kind(loop, CXCursor_VarDecl);
  return !variable || is_changeable_reference(clang_getCursorType(variable->cursor));
}

// An operator hidden by a macro may be any.
static bool is_changed_by_operator(const Tree *tree, const Node *node, const Node *above) {
  const char *operation = node_operator(tree, above);
  if (above->kind == CXCursor_UnaryOperator)
    return !*operation || strcmp(operation, "++") == 0 || strcmp(operation, "--") == 0 ||
           strcmp(operation, "&") == 0;
  return above->child == node && (!*operation || node_is_assignment(tree, above));
}

static bool is_changed(const Tree *tree, const Node *node, const Node *above) {
  switch (above->kind) {
    case CXCursor_UnaryOperator:
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator: return is_changed_by_operator(tree, node, above);
    case CXCursor_MemberRefExpr:
      return !is_pointer(node) && is_changing_method(clang_getCursorReferenced(above->cursor));
    case CXCursor_CallExpr: return is_changed_by_call(node, above);
    case CXCursor_VarDecl: return is_changeable_reference(clang_getCursorType(above->cursor));
    case CXCursor_CXXForRangeStmt: return has_changeable_variable(above);
    case CXCursor_GCCAsmStmt: return true;
    default: return false;
  }
}

static bool is_changed_here(const Body *body, const Node *node) {
  for (const Node *above; node != body->statements; node = above) {
    above = node->parent;
    if (is_part(node, above)) continue;
    // An array that becomes a pointer may be changed through that.
    if (is_array(node_plain((Node *)node)) && above->kind != CXCursor_ArraySubscriptExpr)
      return true;
    return is_changed(body->tree, node, above);
  }
  return false;
}

bool variable_may_change(const Body *body, CXCursor variable) {
  FOR_EACH_NODE(node, body->statements)
    if (node->kind == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCursorReferenced(node->cursor), variable) &&
        is_changed_here(body, node))
      return true;
  return false;
}
