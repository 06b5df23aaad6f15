// SPDX-License-Identifier: MIT
// Dependence analysis of the values in a kernel: on CTA coordinates, thread coordinates and
// memory; and the distance between neighbours along each axis.
#include "clustering/analysis/dependence.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "clustering/text.h"

// Estimates of values known only at run time.
static const double LONG = 1024;  // the width of a matrix
static const double WARP = 32;    // blockDim

// ---- operators

static const char *find_operator(const Tree *tree, const Node *node) {
  const Node *first = node->child, *second = first ? first->next : NULL;
  if (!first || node->is_from_macro || first->is_from_macro || node->file == NO_FILE) return "";
  const SourceFile *file = &tree->sources->files[node->file];
  uint32_t begin = second ? first->end : node->begin, end = second ? second->begin : first->begin;
  if (!second && begin == end) {  // postfix
    begin = first->end;
    end = node->end;
  }
  begin = text_skip_space(file, begin);
  while (end > begin && (strchr(" \t\n\\", file->text[end - 1]))) end--;
  return end > begin && end - begin <= 3 ? text_piece(file, tree->arena, begin, end) : "";
}

const char *node_operator(const Tree *tree, const Node *node) {
  Node *known = (Node *)node;
  if (!known->operation) known->operation = find_operator(tree, node);
  return known->operation;
}

// operator=, operator+= etc.
static bool is_assignment_call(const Tree *tree, const Node *node) {
  static const char *const comparisons[] = {"operator==", "operator!=", "operator<=", "operator>="};
  const char *name = node_name(tree->arena, node);
  size_t length = strlen(name);
  if (strncmp(name, "operator", 8) != 0 || name[length - 1] != '=') return false;
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
    if (strcmp(name, comparisons[i]) == 0) return false;
  return true;
}

bool node_is_assignment(const Tree *tree, const Node *node) {
  if (node->kind == CXCursor_CallExpr) return is_assignment_call(tree, node);
  if (node->kind == CXCursor_CompoundAssignOperator) return true;
  return node->kind == CXCursor_BinaryOperator && strcmp(node_operator(tree, node), "=") == 0;
}

static bool is_loop(const Node *node) {
  return node->kind == CXCursor_ForStmt || node->kind == CXCursor_WhileStmt ||
         node->kind == CXCursor_DoStmt || node->kind == CXCursor_CXXForRangeStmt;
}

const Node *node_loop(const Node *node, const Node *root) {
  for (; node && node != root; node = node->parent)
    if (is_loop(node)) return node;
  return NULL;
}

// ---- variables

// clang's declaration of a variable is the first part of its cursor.
static Variable *find_variable(const Dependence *dependence, CXCursor cursor) {
  Variable *found;
  const void *declaration = cursor.data[0];
  HASH_FIND_PTR(dependence->by_declaration, &declaration, found);
  return found && clang_equalCursors(found->cursor, cursor) ? found : NULL;
}

// Once all are there and stay in their places.
static void index_variables(Dependence *dependence) {
  for (int i = 0; i < dependence->count; i++) {
    Variable *variable = &dependence->variables[i];
    variable->declaration = variable->cursor.data[0];
    if (!find_variable(dependence, variable->cursor))
      HASH_ADD_PTR(dependence->by_declaration, declaration, variable);
  }
}

const Variable *dependence_variable(const Dependence *dependence, const Node *reference) {
  if (reference->kind != CXCursor_DeclRefExpr) return NULL;
  return find_variable(dependence, clang_getCursorReferenced(reference->cursor));
}

static void add_variable(Dependence *dependence, const Node *node) {
  Variable variable = {.cursor = node->cursor, .is_parameter = node->kind == CXCursor_ParmDecl};
  for (Node *child = node->child; child; child = child->next)
    if (clang_isExpression(child->kind)) variable.definition = child;
  if (variable.is_parameter) {
    variable.definition = NULL;
    variable.value.size = LONG;
  }
  GROW(dependence->variables, dependence->count, dependence->capacity);
  dependence->variables[dependence->count++] = variable;
}

// ---- values

static Value join(Value a, Value b) {
  a.depends |= b.depends;
  a.chosen_by |= b.chosen_by;
  for (int i = 0; i < AXIS_COUNT; i++)
    if (b.stride[i] > a.stride[i]) a.stride[i] = b.stride[i];
  if (b.size > a.size) a.size = b.size;
  return a;
}

static Value sum(Value a, Value b) {
  for (int i = 0; i < AXIS_COUNT; i++) a.stride[i] += b.stride[i];
  a.depends |= b.depends;
  a.chosen_by |= b.chosen_by;
  a.size += b.size;
  return a;
}

static Value product(Value a, Value b) {
  Value result = {.depends = a.depends | b.depends,
                  .chosen_by = a.chosen_by | b.chosen_by,
                  .size = a.size * b.size};
  double a_size = a.size ? a.size : 1, b_size = b.size ? b.size : 1;
  for (int i = 0; i < AXIS_COUNT; i++)
    result.stride[i] = a.stride[i] * b_size + b.stride[i] * a_size;
  return result;
}

static Value scaled(Value a, double factor, Value by) {
  for (int i = 0; i < AXIS_COUNT; i++) a.stride[i] *= factor;
  a.size *= factor;
  a.depends |= by.depends;
  a.chosen_by |= by.chosen_by;
  return a;
}

static Value constant(double size) {
  return (Value){.size = size < 0 ? -size : size};
}

static Value of_children(const Dependence *dependence, const Node *node) {
  Value value = {0};
  for (const Node *child = node->child; child; child = child->next)
    value = join(value, dependence_value(dependence, child));
  return value;
}

// Whether an expression is a multiple of the warp's width for certain: parameters
// of templates are only estimated.
static bool is_of_warps(const Dependence *dependence, Node *divisor, Value value) {
  const Node *plain = node_plain(divisor);
  bool is_known = plain->kind == CXCursor_IntegerLiteral;
  if (plain->kind == CXCursor_DeclRefExpr) {
    CXCursor target = clang_getCursorReferenced(plain->cursor);
    enum CXCursorKind kind = clang_getCursorKind(target);
    bool is_warp_size = strcmp(node_name(dependence->body->tree->arena, plain), "warpSize") == 0;
    is_known = is_warp_size || kind == CXCursor_EnumConstantDecl ||
               (kind == CXCursor_VarDecl && !dependence_variable(dependence, plain));
  }
  return is_known && !value.depends && value.size >= WARP && fmod(value.size, WARP) == 0;
}

// i / 32 for consecutive i in consecutive threads: uniform in a warp. (Not if the width of a
// CTA is not a multiple of 32; but a program that divides by the warp size does not have such
// CTAs.)
static Value of_warp(Value value) {
  unsigned by_thread = value.depends & DEPENDS_ON_THREAD;
  if (by_thread != 1u << THREAD_X || value.stride[THREAD_X] != 1) return value;
  value.depends = (value.depends & ~(unsigned)DEPENDS_ON_THREAD) | DEPENDS_ON_WARP;
  return value;
}

static Value of_binary(const Dependence *dependence, const Node *node) {
  Value a = dependence_value(dependence, node->child);
  Value b = dependence_value(dependence, node->child->next);
  const char *operation = node_operator(dependence->body->tree, node);
  if (strcmp(operation, "+") == 0 || strcmp(operation, "-") == 0) return sum(a, b);
  if (strcmp(operation, "*") == 0) return product(a, b);
  Node *right = node->child->next;
  bool is_shift = strcmp(operation, ">>") == 0 && b.size == 5 && !b.depends &&
                  node_plain(right)->kind == CXCursor_IntegerLiteral;
  bool is_quotient = strcmp(operation, "/") == 0 && is_of_warps(dependence, right, b);
  if (is_shift || is_quotient) a = of_warp(a);
  if (strcmp(operation, "/") == 0) return scaled(a, b.size ? 1 / b.size : 1, b);
  if (strcmp(operation, "<<") == 0)
    return scaled(a, b.size && b.size < 32 ? (double)(1u << (unsigned)b.size) : LONG, b);
  if (strcmp(operation, ">>") == 0)
    return scaled(a, b.size && b.size < 32 ? 1.0 / (double)(1u << (unsigned)b.size) : 1, b);
  if (strcmp(operation, "=") == 0 || strcmp(operation, ",") == 0) return b;
  return join(a, b);
}

static Value of_literal(const Node *node) {
  CXEvalResult result = clang_Cursor_Evaluate(node->cursor);
  double size = 1;
  if (result && clang_EvalResult_getKind(result) == CXEval_Int)
    size = (double)clang_EvalResult_getAsLongLong(result);
  if (result) clang_EvalResult_dispose(result);
  return constant(size);
}

// threadIdx, blockIdx and their members; -1 if it is neither.
static int first_axis(const char *name) {
  if (strcmp(name, "blockIdx") == 0) return CTA_X;
  return strcmp(name, "threadIdx") == 0 ? THREAD_X : -1;
}

static Value along(int axis) {
  Value value = {.depends = 1u << axis};
  value.stride[axis] = 1;
  return value;
}

static Value of_outside_variable(CXCursor cursor) {
  CXType type = clang_getCursorType(cursor);
  if (clang_getCursorKind(cursor) == CXCursor_EnumConstantDecl)
    return constant((double)clang_getEnumConstantDeclValue(cursor));
  CXEvalResult result = clang_isConstQualifiedType(type) ? clang_Cursor_Evaluate(cursor) : NULL;
  bool is_constant = result && clang_EvalResult_getKind(result) == CXEval_Int;
  Value value = is_constant ? constant((double)clang_EvalResult_getAsLongLong(result))
                            : (Value){.depends = DEPENDS_ON_MEMORY, .size = LONG};
  if (result) clang_EvalResult_dispose(result);
  return value;
}

static Value of_reference(const Dependence *dependence, const Node *node) {
  const char *name = node_name(dependence->body->tree->arena, node);
  const Variable *variable = dependence_variable(dependence, node);
  if (variable) return variable->value;
  int axis = first_axis(name);
  if (axis >= 0) return join(along(axis), join(along(axis + 1), along(axis + 2)));
  if (strcmp(name, "blockDim") == 0 || strcmp(name, "warpSize") == 0) return constant(WARP);
  if (strcmp(name, "gridDim") == 0) return constant(LONG);
  CXCursor target = clang_getCursorReferenced(node->cursor);
  enum CXCursorKind kind = clang_getCursorKind(target);
  if (kind == CXCursor_VarDecl || kind == CXCursor_EnumConstantDecl)
    return of_outside_variable(target);
  if (kind == CXCursor_NonTypeTemplateParameter) return constant(WARP);
  return of_children(dependence, node);
}

static Value of_member(const Dependence *dependence, const Node *node) {
  const Node *object = node->child ? node_plain(node->child) : NULL;
  if (!object) return (Value){.depends = DEPENDS_ON_MEMORY};
  const char *member = node_name(dependence->body->tree->arena, node);
  int axis = object->kind == CXCursor_DeclRefExpr
                 ? first_axis(node_name(dependence->body->tree->arena, object))
                 : -1;
  if (axis >= 0 && member[0] >= 'x' && member[0] <= 'z' && !member[1])
    return along(axis + (member[0] - 'x'));
  Value value = dependence_value(dependence, object);
  CXType type = clang_getCanonicalType(clang_getCursorType(object->cursor));
  if (type.kind == CXType_Pointer) value.depends |= DEPENDS_ON_MEMORY;
  return value;
}

static bool is_shared_variable(const Node *node) {
  node = node_plain((Node *)node);
  while (node->kind == CXCursor_ArraySubscriptExpr || node->kind == CXCursor_MemberRefExpr) {
    if (!node->child) return false;
    node = node_plain(node->child);
  }
  return cursor_is_shared(clang_getCursorReferenced(node->cursor));
}

// A load depends on its address; data in shared memory was stored by this CTA and depends on
// its own coordinates only.
static Value of_load(const Dependence *dependence, const Node *node) {
  Value value = of_children(dependence, node);
  if (!is_shared_variable(node)) value.depends |= DEPENDS_ON_MEMORY;
  memset(value.stride, 0, sizeof value.stride);
  value.size = LONG;
  return value;
}

static bool begins_with(const char *text, const char *beginning) {
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

// All that a function names, since its result may depend on it.
static unsigned of_body(const Body *body) {
  unsigned depends = 0;
  FOR_EACH_NODE(node, body->statements) {
    if (node->kind == CXCursor_ArraySubscriptExpr) depends |= DEPENDS_ON_MEMORY;
    if (node->kind != CXCursor_DeclRefExpr) continue;
    int axis = first_axis(node_name(body->tree->arena, node));
    if (axis >= 0) depends |= 7u << axis;
  }
  return depends;
}

static Value of_call(const Dependence *dependence, const Node *node) {
  static const char *const uniform[] = {"__syncthreads_or", "__syncthreads_and",
                                        "__syncthreads_count"};
  static const char *const by_lane[] = {"__shfl",  "__ballot",     "__any", "__all",   "atomic",
                                        "__match", "__activemask", "clock", "__reduce"};
  const char *name = call_name(dependence->program, node);
  for (size_t i = 0; i < sizeof uniform / sizeof *uniform; i++)
    if (strcmp(name, uniform[i]) == 0) return constant(LONG);
  Value value = of_children(dependence, node);
  for (size_t i = 0; i < sizeof by_lane / sizeof *by_lane; i++)
    if (begins_with(name, by_lane[i])) value.depends |= DEPENDS_ON_MEMORY | DEPENDS_ON_THREAD;
  Body *body = program_body(dependence->program, dependence->body->tree,
                            clang_getCursorReferenced(node->cursor));
  const ReachedList *reached = body ? calls_reached(dependence->program, body) : NULL;
  for (int i = 0; reached && i < reached->count; i++)
    value.depends |= of_body(reached->items[i].body);
  return value;
}

Value dependence_value(const Dependence *dependence, const Node *node) {
  const char *operation;
  switch (node->kind) {
    case CXCursor_IntegerLiteral: return of_literal(node);
    case CXCursor_DeclRefExpr: return of_reference(dependence, node);
    case CXCursor_MemberRefExpr: return of_member(dependence, node);
    case CXCursor_ArraySubscriptExpr: return of_load(dependence, node);
    case CXCursor_CallExpr: return of_call(dependence, node);
    case CXCursor_CompoundAssignOperator:
    case CXCursor_BinaryOperator:
      return node->child && node->child->next ? of_binary(dependence, node) : (Value){0};
    case CXCursor_UnaryOperator:
      operation = node_operator(dependence->body->tree, node);
      return strcmp(operation, "*") == 0 ? of_load(dependence, node)
                                         : of_children(dependence, node);
    default: return of_children(dependence, node);
  }
}

// ---- conditions

// The node that decides about another below it: not the parts of a for that are
// only run, nor the branches themselves.
static const Node *condition_of(const Dependence *dependence, const Node *statement) {
  const Node *child = statement->child;
  switch (statement->kind) {
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_ConditionalOperator: return child;
    case CXCursor_DoStmt:
      while (child && child->next) child = child->next;
      return child;
    case CXCursor_ForStmt:  // the first part that compares
      for (; child && child->next; child = child->next)
        if (clang_isExpression(child->kind) && !node_is_assignment(dependence->body->tree, child) &&
            child->kind != CXCursor_UnaryOperator)
          return child;
      return NULL;
    default: return NULL;
  }
}

unsigned dependence_control(const Dependence *dependence, const Node *statement) {
  unsigned depends = 0;
  const Node *from = statement;
  for (const Node *above = statement->parent; above && above != dependence->body->node;
       from = above, above = above->parent) {
    const Node *condition = condition_of(dependence, above);
    if (!condition || from == condition) continue;
    Value value = dependence_value(dependence, condition);
    depends |= value.depends | value.chosen_by;
  }
  return depends;
}

// ---- the whole body

static bool learn(Variable *variable, Value value) {
  Value known = variable->value;
  variable->value = join(known, value);
  bool is_new = variable->value.depends != known.depends ||
                variable->value.chosen_by != known.chosen_by || variable->value.size != known.size;
  for (int i = 0; i < AXIS_COUNT; i++) is_new |= variable->value.stride[i] != known.stride[i];
  return is_new;
}

static bool is_object(const Node *node) {
  CXType type = clang_getCanonicalType(clang_getCursorType(node->cursor));
  return type.kind == CXType_Record || type.kind == CXType_ConstantArray ||
         type.kind == CXType_Unexposed || type.kind == CXType_Dependent;
}

// The variable modified by an assignment to a part of it; the target of a pointer is not a
// part.
static const Node *assigned_part(const Node *node) {
  const Node *target = node_plain(node->child);
  while (target->child &&
         (target->kind == CXCursor_MemberRefExpr || target->kind == CXCursor_ArraySubscriptExpr)) {
    const Node *object = node_plain(target->child);
    if (!is_object(object)) break;
    target = object;
  }
  return target;
}

static bool is_change(const Dependence *dependence, const Node *node) {
  if (!node->child) return false;
  if (node_is_assignment(dependence->body->tree, node)) return true;
  if (node->kind != CXCursor_UnaryOperator) return false;
  const char *operation = node_operator(dependence->body->tree, node);
  return strcmp(operation, "++") == 0 || strcmp(operation, "--") == 0 ||
         strcmp(operation, "&") == 0;
}

// Increments repeat in a loop: only the dependence is known, not the value.
static Value assigned_value(const Dependence *dependence, const Node *node) {
  Value value = {0};
  if (node->child->next) value = dependence_value(dependence, node->child->next);
  if (node->kind == CXCursor_UnaryOperator &&
      strcmp(node_operator(dependence->body->tree, node), "&") == 0)
    value.depends |= DEPENDS_ON_MEMORY | DEPENDS_ON_THREAD;  // whoever gets the address
  value.chosen_by |= dependence_control(dependence, node);
  if (node_loop(node, dependence->body->statements)) {
    value.depends |= DEPENDS_ON_LOOP;
    if (node->kind == CXCursor_CompoundAssignOperator) memset(value.stride, 0, sizeof value.stride);
  }
  return value;
}

static bool learn_from_node(Dependence *dependence, const Node *node) {
  if (node->kind == CXCursor_VarDecl) {
    Variable *variable = find_variable(dependence, node->cursor);
    if (!variable || !variable->definition) return false;
    return learn(variable, dependence_value(dependence, variable->definition));
  }
  if (!is_change(dependence, node)) return false;
  Variable *variable =
      find_variable(dependence, clang_getCursorReferenced(assigned_part(node)->cursor));
  return variable && learn(variable, assigned_value(dependence, node));
}

static void count_change(Dependence *dependence, const Node *node) {
  Variable *variable = NULL;
  if (is_change(dependence, node))
    variable = find_variable(dependence, clang_getCursorReferenced(assigned_part(node)->cursor));
  if (variable) variable->assignments++;
}

// A variable that a function gets by reference may come back changed.
static void count_references(Dependence *dependence, const Node *call) {
  CXType type = clang_getCursorType(clang_getCursorReferenced(call->cursor));
  for (unsigned i = 0; i < 64; i++) {
    Node *argument = call_argument(call, i);
    CXType wanted = clang_getArgType(type, i);
    if (!argument) return;
    if (wanted.kind != CXType_LValueReference ||
        clang_isConstQualifiedType(clang_getPointeeType(wanted)))
      continue;
    Variable *variable =
        find_variable(dependence, clang_getCursorReferenced(node_plain(argument)->cursor));
    if (!variable) continue;
    variable->assignments++;
    variable->value.depends |= DEPENDS_ON_MEMORY | DEPENDS_ON_THREAD;
  }
}

void dependence_init(Dependence *dependence, Program *program, Body *body) {
  *dependence = (Dependence){.program = program, .body = body};
  FOR_EACH_NODE(node, body->node)
    if (node->kind == CXCursor_ParmDecl || node->kind == CXCursor_VarDecl)
      add_variable(dependence, node);
  index_variables(dependence);
  FOR_EACH_NODE(node, body->statements) {
    count_change(dependence, node);
    if (node->kind == CXCursor_CallExpr) count_references(dependence, node);
  }
  bool has_learnt = true;
  for (int round = 0; round < 8 && has_learnt; round++) {
    has_learnt = false;
    FOR_EACH_NODE(node, body->statements) has_learnt |= learn_from_node(dependence, node);
  }
}

void dependence_clear(Dependence *dependence) {
  HASH_CLEAR(hh, dependence->by_declaration);
  memory_free(dependence->variables);
  *dependence = (Dependence){0};
}
