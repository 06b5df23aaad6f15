// SPDX-License-Identifier: MIT
#include "cluster/calls.h"

#include <string.h>

#include "base/memory.h"

unsigned node_uses(const Tree *tree, const Node *node) {
  if (node->kind != CXCursor_DeclRefExpr) return 0;
  const char *name = node_name(tree->arena, node);
  unsigned uses = strcmp(name, "blockIdx") == 0  ? USES_BLOCK_IDX
                  : strcmp(name, "gridDim") == 0 ? USES_GRID_DIM
                                                 : 0;
  if (!uses) return 0;
  // A variable of the user's may have the name.
  CXCursor target = clang_getCursorReferenced(node->cursor);
  int file;
  uint32_t at;
  return tree_place(tree, clang_getCursorLocation(target), &file, &at) ? 0 : uses;
}

unsigned tree_uses(const Tree *tree, const Node *root) {
  unsigned uses = 0;
  FOR_EACH_NODE(node, (Node *)root) uses |= node_uses(tree, node);
  return uses;
}

// With the initialisers of a constructor, which are not among its statements.
unsigned body_uses(Body *body) {
  if (!body->has_uses) body->uses = tree_uses(body->tree, body->node);
  body->has_uses = true;
  return body->uses;
}

unsigned function_needs(Program *program, Function *function) {
  if (function->has_needs) return function->needs;
  FOR_EACH_BODY(body, function) {
    const ReachedList *reached = calls_reached(program, body);
    for (int i = 0; i < reached->count; i++) function->needs |= body_uses(reached->items[i].body);
  }
  function->has_needs = true;
  return function->needs;
}

static bool body_is_same_text(const Body *a, const Body *b) {
  return a->statements->file == b->statements->file && a->statements->begin == b->statements->begin;
}

bool body_counts(const Body *body) {
  if (!body->is_dependent) return true;
  for (const Body *other = body->function->bodies; other; other = other->next)
    if (!other->is_dependent && body_is_same_text(body, other)) return false;
  return true;
}

// ---- calls

Node *call_callee(const Node *call) {
  return call->child;
}

const char *call_name(Program *program, const Node *call) {
  const char *name = node_name(&program->arena, call);
  if (*name || !call->child) return name;
  // In a template: the name is that of the candidates.
  FOR_EACH_NODE(node, call->child)
    if (node->kind == CXCursor_OverloadedDeclRef) return node_name(&program->arena, node);
  return name;
}

Node *call_configuration(const Node *call) {
  Node *second = node_child(call, 1);
  if (call->kind != CXCursor_CallExpr || !second || second->kind != CXCursor_CallExpr) return NULL;
  CXString name = clang_getCursorSpelling(second->cursor);
  bool is_launch = strcmp(clang_getCString(name), "__cudaPushCallConfiguration") == 0;
  clang_disposeString(name);
  return is_launch ? second : NULL;
}

Node *call_argument(const Node *call, unsigned n) {
  if (call->kind != CXCursor_CallExpr) return NULL;
  int count = clang_Cursor_getNumArguments(call->cursor);
  if (count < 0 || n >= (unsigned)count) return NULL;
  CXCursor argument = clang_Cursor_getArgument(call->cursor, n);
  for (Node *child = call->child; child; child = child->next)
    if (clang_equalCursors(child->cursor, argument)) return child;
  return NULL;
}

// ---- callees

static void reach(Program *program, ReachedList *list, Body *body, Node *call);

static void reach_function(Program *program, ReachedList *list, Tree *tree, CXCursor cursor,
                           Node *call) {
  Body *body = program_body(program, tree, cursor);
  if (body) reach(program, list, body, call);
}

static void reach_overloads(Program *program, ReachedList *list, Tree *tree, const Node *node,
                            Node *call) {
  unsigned count = clang_getNumOverloadedDecls(node->cursor);
  for (unsigned i = 0; i < count; i++)
    reach_function(program, list, tree, clang_getOverloadedDecl(node->cursor, i), call);
}

static bool may_name_a_function(const Node *node) {
  return node->kind == CXCursor_DeclRefExpr || node->kind == CXCursor_MemberRefExpr ||
         node->kind == CXCursor_CallExpr;
}

static bool is_function_cursor(CXCursor cursor) {
  enum CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
         kind == CXCursor_Constructor || kind == CXCursor_ConversionFunction;
}

static void reach(Program *program, ReachedList *list, Body *body, Node *call) {
  if (body->visit == program->visit) return;
  body->visit = program->visit;
  GROW(list->items, list->count, list->capacity);
  list->items[list->count++] = (Reached){.body = body, .call = call};
  FOR_EACH_NODE(node, body->node) {
    Node *from = call ? call : node;
    if (node->kind == CXCursor_OverloadedDeclRef)
      reach_overloads(program, list, body->tree, node, from);
    if (!may_name_a_function(node)) continue;
    CXCursor target = clang_getCursorReferenced(node->cursor);
    // A lambda's statements are part of those around it.
    if (is_function_cursor(target) && !cursor_is_lambda(target))
      reach_function(program, list, body->tree, target, from);
  }
}

const ReachedList *calls_reached(Program *program, Body *body) {
  if (body->reached) return body->reached;
  ReachedList list = {0};
  program->visit++;
  reach(program, &list, body, NULL);
  ReachedList *kept = ARENA_NEW(&program->arena, ReachedList);
  kept->items = ARENA_ARRAY(&program->arena, Reached, list.count);
  kept->count = kept->capacity = list.count;
  memcpy(kept->items, list.items, sizeof *list.items * (size_t)list.count);
  memory_free(list.items);
  return body->reached = kept;
}

// ---- unknown functions

static Node *find_unknown(const Body *body) {
  if (!body->is_dependent || body->node->file == NO_FILE) return NULL;
  FOR_EACH_NODE(node, body->statements) {
    if (node->kind != CXCursor_CallExpr || !node->child) continue;
    if (!clang_Cursor_isNull(clang_getCursorReferenced(node->cursor))) continue;
    bool has_candidates = false;
    FOR_EACH_NODE(below, node->child) has_candidates |= below->kind == CXCursor_OverloadedDeclRef;
    if (!has_candidates && node_plain(node->child)->kind == CXCursor_MemberRefExpr) return node;
  }
  return NULL;
}

bool calls_are_known(Program *program, Body *body, Node **unknown) {
  const ReachedList *reached = calls_reached(program, body);
  for (int i = 0; i < reached->count; i++)
    if ((*unknown = find_unknown(reached->items[i].body))) return false;
  return true;
}
