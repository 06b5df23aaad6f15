// SPDX-License-Identifier: MIT
// The lambda repeats the computation of an address (a slice): the definitions of its variables,
// and the conditions of the load. All of these must depend only on coordinates and parameters,
// not on memory, and have no side effects. Other loads are not prefetched: a prefetch of a
// wrong address is worse than none.
#include "clustering/rewrite/prefetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clustering/analysis/direction.h"
#include "clustering/text.h"

enum { MAX_PREFETCHES = 16, MAX_PARTS = 64 };

// What one prefetch needs.
typedef struct Slice {
  const Variable *variables[MAX_PARTS];
  int variable_count;
  const char *conditions[MAX_PARTS];
  int condition_count;
  int depth;             // of definitions that lead from one variable to the next
  const Node *obstacle;  // what cannot be repeated, or NULL
} Slice;

typedef struct Maker {
  Program *program;
  const Body *body;
  Dependence dependence;
} Maker;

static void add_expression(Maker *maker, Slice *slice, const Node *expression);

static const char *text_of(Maker *maker, const Node *node) {
  return text_piece(&maker->program->sources.files[node->file], &maker->program->arena, node->begin,
                    node->end);
}

static bool has_variable(const Slice *slice, const Variable *variable) {
  for (int i = 0; i < slice->variable_count; i++)
    if (slice->variables[i] == variable) return true;
  return false;
}

// The for statement that a variable is the counter of.
static const Node *loop_of(const Maker *maker, const Variable *variable) {
  FOR_EACH_NODE(node, maker->body->statements) {
    if (node->kind != CXCursor_VarDecl || !clang_equalCursors(node->cursor, variable->cursor))
      continue;
    const Node *declaration = node->parent, *loop = declaration ? declaration->parent : NULL;
    return loop && loop->kind == CXCursor_ForStmt && loop->child == declaration ? loop : NULL;
  }
  return NULL;
}

static void add_variable(Maker *maker, Slice *slice, const Variable *variable, const Node *use) {
  if (has_variable(slice, variable)) return;
  bool is_counter = variable->assignments && loop_of(maker, variable);
  bool is_fixed = !variable->assignments || is_counter;
  bool is_known = variable->is_parameter || variable->definition;
  if (!is_fixed || !is_known || slice->variable_count + slice->depth >= MAX_PARTS) {
    slice->obstacle = use;
    return;
  }
  if (variable->is_parameter) return;
  slice->depth++;
  add_expression(maker, slice, variable->definition);
  slice->depth--;
  if (slice->obstacle || slice->variable_count == MAX_PARTS) return;
  slice->variables[slice->variable_count++] = variable;
}

static bool is_harmless_call(Maker *maker, const Node *call) {
  static const char *const known[] = {"min",     "max",  "abs",        "__umul24",
                                      "__mul24", "dim3", "make_uint3", NULL};
  const char *name = call_name(maker->program, call);
  for (const char *const *each = known; *each; each++)
    if (strcmp(name, *each) == 0) return true;
  return false;
}

static void add_node(Maker *maker, Slice *slice, const Node *node) {
  Tree *tree = maker->body->tree;
  const char *operation;
  switch (node->kind) {
    case CXCursor_DeclRefExpr: {
      const Variable *variable = dependence_variable(&maker->dependence, node);
      CXCursor target = clang_getCursorReferenced(node->cursor);
      bool is_outside = clang_getCursorKind(target) == CXCursor_VarDecl && !variable;
      const char *name = node_name(tree->arena, node);
      bool is_builtin = strcmp(name, "blockIdx") == 0 || strcmp(name, "threadIdx") == 0 ||
                        strcmp(name, "blockDim") == 0 || strcmp(name, "gridDim") == 0;
      if (variable) add_variable(maker, slice, variable, node);
      if (is_outside && !is_builtin && !clang_isConstQualifiedType(clang_getCursorType(target)))
        slice->obstacle = node;
      break;
    }
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_LambdaExpr:
    case CXCursor_CompoundAssignOperator:
    case CXCursor_CXXThisExpr: slice->obstacle = node; break;
    case CXCursor_CallExpr:
      if (!is_harmless_call(maker, node)) slice->obstacle = node;
      break;
    case CXCursor_BinaryOperator:
      if (node_is_assignment(tree, node)) slice->obstacle = node;
      break;
    case CXCursor_UnaryOperator:
      operation = node_operator(tree, node);
      if (strcmp(operation, "*") == 0 || strcmp(operation, "++") == 0 ||
          strcmp(operation, "--") == 0 || strcmp(operation, "&") == 0)
        slice->obstacle = node;
      break;
    default: break;
  }
}

static void add_expression(Maker *maker, Slice *slice, const Node *expression) {
  FOR_EACH_NODE(node, (Node *)expression) {
    if (slice->obstacle) return;
    add_node(maker, slice, node);
  }
}

// ---- conditions

static void add_condition(Maker *maker, Slice *slice, const Node *condition, bool is_wanted) {
  add_expression(maker, slice, condition);
  if (slice->obstacle || slice->condition_count == MAX_PARTS) return;
  slice->conditions[slice->condition_count++] =
      arena_printf(&maker->program->arena, is_wanted ? "(%s)" : "!(%s)", text_of(maker, condition));
}

static bool always_returns(const Node *statement) {
  if (statement->kind == CXCursor_ReturnStmt) return true;
  return statement->kind == CXCursor_CompoundStmt && statement->child && !statement->child->next &&
         statement->child->kind == CXCursor_ReturnStmt;
}

static bool may_return(const Node *statement) {
  FOR_EACH_NODE(node, (Node *)statement)
    if (node->kind == CXCursor_ReturnStmt || node->kind == CXCursor_BreakStmt ||
        node->kind == CXCursor_ContinueStmt || node->kind == CXCursor_GotoStmt)
      return true;
  return false;
}

// `if (condition) return;` before a statement of the same block.
static void add_earlier(Maker *maker, Slice *slice, const Node *block, const Node *statement) {
  for (const Node *earlier = block->child; earlier && earlier != statement && !slice->obstacle;
       earlier = earlier->next) {
    bool is_guard = earlier->kind == CXCursor_IfStmt && earlier->child && earlier->child->next &&
                    !earlier->child->next->next && always_returns(earlier->child->next);
    if (is_guard)
      add_condition(maker, slice, earlier->child, false);
    else if (may_return(earlier))
      slice->obstacle = earlier;
  }
}

static void add_for(Maker *maker, Slice *slice, const Node *loop, const Node *from) {
  const Node *condition = loop->child ? loop->child->next : NULL;
  bool has_usual_parts = condition && condition->next && condition->next->next &&
                         loop->child->kind == CXCursor_DeclStmt &&
                         condition->kind == CXCursor_BinaryOperator;
  if (!has_usual_parts)
    slice->obstacle = loop;
  else if (from != condition && from != loop->child)
    add_condition(maker, slice, condition, true);
}

// Enclosing statements determine whether a node is evaluated.
static void add_around(Maker *maker, Slice *slice, const Node *above, const Node *from) {
  const Node *first = above->child;
  const char *operation;
  switch (above->kind) {
    case CXCursor_CompoundStmt: add_earlier(maker, slice, above, from); break;
    case CXCursor_IfStmt:
    case CXCursor_ConditionalOperator:
      if (from != first) add_condition(maker, slice, first, from == first->next);
      break;
    case CXCursor_BinaryOperator:
      operation = node_operator(maker->body->tree, above);
      if (from != first && strcmp(operation, "&&") == 0)
        add_condition(maker, slice, first, true);
      else if (from != first && strcmp(operation, "||") == 0)
        add_condition(maker, slice, first, false);
      break;
    case CXCursor_ForStmt: add_for(maker, slice, above, from); break;
    case CXCursor_WhileStmt:
      if (from != first) add_condition(maker, slice, first, true);
      break;
    case CXCursor_SwitchStmt:
    case CXCursor_LambdaExpr:
    case CXCursor_CXXForRangeStmt: slice->obstacle = above; break;
    default: break;
  }
}

static void slice_element(Maker *maker, Slice *slice, const Node *element) {
  for (const Node *child = element->child; child; child = child->next)
    add_expression(maker, slice, child);
  for (const Node *from = element, *above = element->parent;
       above && from != maker->body->statements && !slice->obstacle;
       from = above, above = above->parent)
    add_around(maker, slice, above, from);
}

// ---- text

static int by_place(const void *a, const void *b) {
  const Variable *x = *(const Variable *const *)a, *y = *(const Variable *const *)b;
  uint32_t x_at, y_at;
  clang_getFileLocation(clang_getCursorLocation(x->cursor), NULL, NULL, NULL, &x_at);
  clang_getFileLocation(clang_getCursorLocation(y->cursor), NULL, NULL, NULL, &y_at);
  return x_at < y_at ? -1 : x_at > y_at;
}

// As written in the source: an instance of a template has only the substituted types.
static const char *type_text(Maker *maker, const Variable *variable) {
  Program *program = maker->program;
  uint32_t at, other_at;
  CXCursor cursor = variable->cursor;
  clang_getFileLocation(clang_getCursorLocation(cursor), NULL, NULL, NULL, &at);
  for (const Body *body = maker->body->function->bodies; body; body = body->next) {
    if (!body->is_dependent) continue;
    FOR_EACH_NODE(node, body->statements) {
      clang_getFileLocation(clang_getCursorLocation(node->cursor), NULL, NULL, NULL, &other_at);
      if (node->kind == CXCursor_VarDecl && other_at == at) cursor = node->cursor;
    }
  }
  CXString type = clang_getTypeSpelling(clang_getCursorType(cursor));
  const char *text = arena_strdup(&program->arena, clang_getCString(type));
  clang_disposeString(type);
  return text;
}

static const char *definition_text(Maker *maker, const Variable *variable) {
  const char *type = type_text(maker, variable);
  bool is_const = strncmp(type, "const ", 6) == 0;
  bool is_pointer = type[strlen(type) - 1] == '*';
  return arena_printf(&maker->program->arena, "%s%s%s%s = %s;",
                      is_const || is_pointer ? "" : "const ", type, is_pointer ? "" : " ",
                      cursor_name(&maker->program->arena, variable->cursor),
                      text_of(maker, variable->definition));
}

// ---- blocks: definitions, and prefetches that need no others

typedef struct Block {
  const Variable *variables[MAX_PARTS];
  int variable_count;
  struct {
    const char *condition;  // "" if there is none
    const char *parts;      // of the condition, a line each
    const char *prefetches;
  } groups[MAX_PREFETCHES];
  int group_count;
} Block;

// Whether another variable of the same name is there.
static bool is_hidden(Maker *maker, const Block *block, const Variable *variable) {
  const char *name = cursor_name(&maker->program->arena, variable->cursor);
  for (int i = 0; i < block->variable_count; i++)
    if (block->variables[i] != variable &&
        strcmp(cursor_name(&maker->program->arena, block->variables[i]->cursor), name) == 0)
      return true;
  return false;
}

static bool fits(Maker *maker, const Block *block, const Slice *slice) {
  for (int i = 0; i < slice->variable_count; i++)
    if (is_hidden(maker, block, slice->variables[i])) return false;
  return block->variable_count + slice->variable_count <= MAX_PARTS;
}

static void add_definitions(Block *block, const Slice *slice) {
  for (int i = 0; i < slice->variable_count; i++) {
    bool is_there = false;
    for (int j = 0; j < block->variable_count; j++)
      is_there |= block->variables[j] == slice->variables[i];
    if (!is_there) block->variables[block->variable_count++] = slice->variables[i];
  }
}

static const char *condition_text(Maker *maker, const Slice *slice) {
  Arena *arena = &maker->program->arena;
  const char *text = "";
  for (int i = slice->condition_count; i-- > 0;)
    text = arena_printf(arena, "%s%s%s", text, *text ? " && " : "", slice->conditions[i]);
  bool has_parentheses = slice->condition_count == 1 && text[0] == '(';
  return *text && !has_parentheses ? arena_printf(arena, "(%s)", text) : text;
}

static const char *condition_parts(Maker *maker, const Slice *slice) {
  const char *parts = "";
  for (int i = 0; i < slice->condition_count; i++)
    parts = arena_printf(&maker->program->arena, "%s%s\n", parts, slice->conditions[i]);
  return parts;
}

// Whether `line`, with its line end, is one of the lines.
static bool has_line(const char *lines, const char *line, size_t length) {
  for (const char *at = lines; *at; at = strchr(at, '\n') + 1)
    if (strncmp(at, line, length) == 0) return true;
  return false;
}

// Whether one condition is implied by another.
static bool is_weaker(const char *parts, const char *than) {
  for (const char *end; *parts; parts = end + 1) {
    end = strchr(parts, '\n');
    if (!has_line(than, parts, (size_t)(end - parts) + 1)) return false;
  }
  return true;
}

static const char *prefetch_text(Maker *maker, const Node *element) {
  return arena_printf(&maker->program->arena, "heddle::cluster::prefetch(&%s);\n",
                      text_of(maker, element));
}

// Whether the block prefetches the element already, under a condition that is no stronger.
static bool is_prefetched(Maker *maker, const Block *block, const Slice *slice,
                          const Node *element) {
  const char *parts = condition_parts(maker, slice), *prefetch = prefetch_text(maker, element);
  for (int i = 0; i < block->group_count; i++)
    if (strstr(block->groups[i].prefetches, prefetch) && is_weaker(block->groups[i].parts, parts))
      return true;
  return false;
}

static void add_prefetch(Maker *maker, Block *block, const Slice *slice, const Node *element) {
  const char *condition = condition_text(maker, slice);
  int group = 0;
  while (group < block->group_count && strcmp(block->groups[group].condition, condition) != 0)
    group++;
  if (group == block->group_count) {
    block->groups[block->group_count++].condition = condition;
    block->groups[group].parts = condition_parts(maker, slice);
    block->groups[group].prefetches = "";
  }
  block->groups[group].prefetches =
      arena_printf(&maker->program->arena, "%s%s", block->groups[group].prefetches,
                   prefetch_text(maker, element));
}

// Indents every line of a text.
static const char *indented(Maker *maker, const char *text, const char *indent) {
  const char *result = "";
  while (*text) {
    int length = (int)strcspn(text, "\n");
    result = arena_printf(&maker->program->arena, "%s%s%.*s\n", result, indent, length, text);
    text += length + (text[length] != 0);
  }
  return result;
}

static const char *block_text(Maker *maker, Block *block) {
  Arena *arena = &maker->program->arena;
  const char *text = "";
  qsort(block->variables, (size_t)block->variable_count, sizeof *block->variables, by_place);
  for (int i = 0; i < block->variable_count; i++)
    text = arena_printf(arena, "%s%s\n", text, definition_text(maker, block->variables[i]));
  for (int i = 0; i < block->group_count; i++) {
    const char *condition = block->groups[i].condition, *prefetches = block->groups[i].prefetches;
    text = *condition ? arena_printf(arena, "%sif %s {\n%s}\n", text, condition,
                                     indented(maker, prefetches, "  "))
                      : arena_printf(arena, "%s%s", text, prefetches);
  }
  return text;
}

static bool is_candidate(const Maker *maker, const Node *node) {
  if (!is_element(&maker->dependence, node) || node->file == NO_FILE || node->is_from_macro)
    return false;
  return array_of(&maker->dependence, node) && (array_access(&maker->dependence, node) & 1);
}

static void explain_obstacle(Maker *maker, const Node *element, const Slice *slice) {
  printf("%s: %s is not prefetched: %s is not known in advance\n",
         program_where(maker->program, element), text_of(maker, element),
         slice->obstacle->file == NO_FILE ? "an address" : text_of(maker, slice->obstacle));
}

static const char *close_block(Maker *maker, Block *block, const char *text, bool is_only) {
  if (!block->group_count) return text;
  const char *more = block_text(maker, block);
  *block = (Block){0};
  if (is_only) return more;
  return arena_printf(&maker->program->arena, "%s{\n%s}\n", text, indented(maker, more, "  "));
}

static const char *all_prefetches(Maker *maker, bool explain) {
  const char *text = "";
  int count = 0;
  Block block = {0};
  FOR_EACH_NODE(node, maker->body->statements) {
    if (!is_candidate(maker, node) || count == MAX_PREFETCHES) continue;
    Slice slice = {0};
    slice_element(maker, &slice, node);
    if (slice.obstacle) {
      if (explain) explain_obstacle(maker, node, &slice);
      continue;
    }
    // Before its variables are defined, which nothing would use.
    if (is_prefetched(maker, &block, &slice, node)) continue;
    if (!fits(maker, &block, &slice)) text = close_block(maker, &block, text, false);
    add_definitions(&block, &slice);
    add_prefetch(maker, &block, &slice, node);
    count++;
  }
  return close_block(maker, &block, text, !*text);
}

const char *prefetch_lambda(Program *program, Body *body, bool explain) {
  Maker maker = {.program = program, .body = body};
  dependence_init(&maker.dependence, program, body);
  const char *prefetches = all_prefetches(&maker, explain);
  dependence_clear(&maker.dependence);
  if (!*prefetches) return NULL;
  return arena_printf(&program->arena, "[&](uint3%s, dim3%s) {\n%s  }",
                      strstr(prefetches, "blockIdx") ? " blockIdx" : "",
                      strstr(prefetches, "gridDim") ? " gridDim" : "",
                      indented(&maker, prefetches, "    "));
}
