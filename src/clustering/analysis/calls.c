// SPDX-License-Identifier: MIT
// Finds what a kernel uses directly or through the functions that it calls.
#include "clustering/analysis/calls.h"

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

static void add_reached(ReachedList *list, Body *body, Node *call) {
  if (!body) return;
  GROW(list->items, list->count, list->capacity);
  list->items[list->count++] = (Reached){.body = body, .call = call};
}

static const ReachedList *keep(Program *program, const ReachedList *list) {
  ReachedList *kept = ARENA_NEW(&program->arena, ReachedList);
  *kept = (ReachedList){.count = list->count, .capacity = list->count};
  if (!list->count) return kept;
  kept->items = ARENA_ARRAY(&program->arena, Reached, list->count);
  memcpy(kept->items, list->items, sizeof *list->items * (size_t)list->count);
  return kept;
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

static void add_overloads(Program *program, ReachedList *list, Tree *tree, Node *node) {
  unsigned count = clang_getNumOverloadedDecls(node->cursor);
  for (unsigned i = 0; i < count; i++)
    add_reached(list, program_body(program, tree, clang_getOverloadedDecl(node->cursor, i)), node);
}

// What a body calls itself, with the node that does.
static const ReachedList *callees_of(Program *program, Body *body) {
  if (body->callees) return body->callees;
  ReachedList list = {0};
  FOR_EACH_NODE(node, body->node) {
    if (node->kind == CXCursor_OverloadedDeclRef) add_overloads(program, &list, body->tree, node);
    if (!may_name_a_function(node)) continue;
    CXCursor target = clang_getCursorReferenced(node->cursor);
    // A lambda's statements are part of those around it.
    if (is_function_cursor(target) && !cursor_is_lambda(target))
      add_reached(&list, program_body(program, body->tree, target), node);
  }
  body->callees = keep(program, &list);
  memory_free(list.items);
  return body->callees;
}

// Bodies on the way to the one that is searched, each with its next callee.
typedef struct Path {
  struct PathStep {
    const ReachedList *callees;
    int next;
    Node *call;  // NULL in the first body
  } * items;
  int count, capacity;
} Path;

static void visit_body(Program *program, ReachedList *list, Path *path, Body *body, Node *call) {
  if (body->visit == program->visit) return;
  body->visit = program->visit;
  add_reached(list, body, call);
  GROW(path->items, path->count, path->capacity);
  path->items[path->count++] =
      (struct PathStep){.callees = callees_of(program, body), .call = call};
}

// Depth first, without recursion: the source decides how long a chain of calls is.
const ReachedList *calls_reached(Program *program, Body *body) {
  if (body->reached) return body->reached;
  ReachedList list = {0};
  Path path = {0};
  program->visit++;
  visit_body(program, &list, &path, body, NULL);
  while (path.count) {
    struct PathStep *step = &path.items[path.count - 1];
    if (step->next < step->callees->count) {
      const Reached *callee = &step->callees->items[step->next++];
      visit_body(program, &list, &path, callee->body, step->call ? step->call : callee->call);
    } else {
      path.count--;
    }
  }
  body->reached = keep(program, &list);
  memory_free(list.items);
  memory_free(path.items);
  return body->reached;
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
