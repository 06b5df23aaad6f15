// SPDX-License-Identifier: MIT
// Along which axis of the grid CTAs should be clustered: the axis along which they read the same
// data, or lines next to each other.
#include "clustering/analysis/direction.h"

#include <string.h>

#include "base/memory.h"

// ---- array references

static bool is_dereference(const Dependence *dependence, const Node *node) {
  if (node->kind == CXCursor_ArraySubscriptExpr) return node->child && node->child->next;
  return node->kind == CXCursor_UnaryOperator && node->child &&
         strcmp(node_operator(dependence->body->tree, node), "*") == 0;
}

// The pointer in a sum of a pointer and offsets, or in the value of a local pointer.
static const Variable *root_of(const Dependence *dependence, const Node *expression, int depth) {
  const Node *node = node_plain((Node *)expression);
  if (depth > 16 || !node) return NULL;
  const Variable *variable = dependence_variable(dependence, node);
  if (variable && variable->is_parameter) return variable;
  if (variable)
    return variable->definition ? root_of(dependence, variable->definition, depth + 1) : NULL;
  if (is_dereference(dependence, node) || node->kind == CXCursor_BinaryOperator ||
      node->kind == CXCursor_CStyleCastExpr || node->kind == CXCursor_CXXStaticCastExpr ||
      node->kind == CXCursor_CXXReinterpretCastExpr || node->kind == CXCursor_UnaryOperator ||
      node->kind == CXCursor_MemberRefExpr) {
    for (const Node *child = node->child; child; child = child->next) {
      CXType type = clang_getCanonicalType(clang_getCursorType(child->cursor));
      bool is_pointer = type.kind == CXType_Pointer || type.kind == CXType_IncompleteArray ||
                        type.kind == CXType_ConstantArray || child->kind == CXCursor_DeclRefExpr;
      const Variable *found =
          is_pointer || node->kind == CXCursor_MemberRefExpr || is_dereference(dependence, child)
              ? root_of(dependence, child, depth + 1)
              : NULL;
      if (found) return found;
    }
  }
  return NULL;
}

static bool is_pointer(const Variable *variable) {
  CXType type = clang_getCanonicalType(clang_getCursorType(variable->cursor));
  return type.kind == CXType_Pointer || type.kind == CXType_IncompleteArray;
}

const Variable *array_of(const Dependence *dependence, const Node *expression) {
  const Variable *root = root_of(dependence, expression->child, 0);
  return root && is_pointer(root) ? root : NULL;
}

// a[i].b[j] is one element.
bool is_element(const Dependence *dependence, const Node *node) {
  if (!is_dereference(dependence, node)) return false;
  const Node *outer = node_wrapped((Node *)node)->parent;
  while (outer && outer->kind == CXCursor_MemberRefExpr)
    outer = node_wrapped((Node *)outer)->parent;
  bool is_part = outer && is_dereference(dependence, outer) && node_is_in(node, outer->child);
  CXType type = clang_getCanonicalType(clang_getCursorType(node->cursor));
  return !(is_part && (type.kind == CXType_ConstantArray || type.kind == CXType_Record));
}

Value array_address(const Dependence *dependence, const Node *expression) {
  Value value = dependence_value(dependence, expression->child);
  if (!expression->child->next) return value;
  Value index = dependence_value(dependence, expression->child->next);
  value.depends |= index.depends;
  for (int i = 0; i < AXIS_COUNT; i++) value.stride[i] += index.stride[i];
  return value;
}

// An argument that the function gets by reference, or the object of a method.
static bool is_changeable_argument(const Node *call, const Node *node) {
  CXType type = clang_getCursorType(clang_getCursorReferenced(call->cursor));
  if (node->kind == CXCursor_MemberRefExpr && call->child == node)
    return !clang_CXXMethod_isConst(clang_getCursorReferenced(call->cursor));
  for (unsigned i = 0; i < 64; i++) {
    const Node *argument = call_argument(call, i);
    if (!argument) return false;
    if (argument != node) continue;
    CXType wanted = clang_getArgType(type, i);
    return wanted.kind == CXType_LValueReference &&
           !clang_isConstQualifiedType(clang_getPointeeType(wanted));
  }
  return false;
}

unsigned array_access(const Dependence *dependence, const Node *expression) {
  const Node *node = node_wrapped((Node *)expression);
  while (node->parent && node->parent->kind == CXCursor_MemberRefExpr)
    node = node_wrapped(node->parent);
  const Node *above = node->parent;
  if (!above) return 1;
  if (above->kind == CXCursor_CompoundAssignOperator && above->child == node) return 3;
  if (above->child == node && node_is_assignment(dependence->body->tree, above)) return 2;
  if (above->kind == CXCursor_CallExpr) return is_changeable_argument(above, node) ? 3 : 1;
  if (above->kind != CXCursor_UnaryOperator) return 1;
  const char *operation = node_operator(dependence->body->tree, above);
  bool is_changed =
      strcmp(operation, "++") == 0 || strcmp(operation, "--") == 0 || strcmp(operation, "&") == 0;
  return is_changed ? 3 : 1;
}

// ---- a kernel's arrays

static ArrayUse *array_named(Direction *direction, const char *name, const Node *first) {
  for (int i = 0; i < direction->count; i++)
    if (strcmp(direction->arrays[i].name, name) == 0) return &direction->arrays[i];
  GROW(direction->arrays, direction->count, direction->capacity);
  ArrayUse *array = &direction->arrays[direction->count++];
  *array = (ArrayUse){.name = name, .first = first, .near_axis = -1};
  return array;
}

static int last_dimension(const Value *address) {
  int axis = -1;
  for (int i = CTA_X; i <= CTA_Z; i++)
    if (address->stride[i] > 0 && (axis < 0 || address->stride[i] < address->stride[axis]))
      axis = i;
  return axis;
}

static bool is_thread_stride_small(const Value *address) {
  for (int i = THREAD_X; i <= THREAD_Z; i++)
    if (address->stride[i] > 0 && address->stride[i] <= 2) return true;
  return false;
}

static void note_element(Direction *direction, const Dependence *dependence, const Node *node,
                         const Variable *variable) {
  Program *program = dependence->program;
  ArrayUse *array = array_named(direction, cursor_name(&program->arena, variable->cursor), node);
  unsigned access = array_access(dependence, node);
  array->writes += (access & 2) != 0;
  if (!(access & 1)) return;
  Value address = array_address(dependence, node);
  array->reads++;
  array->depends |= address.depends;
  // Each reference counts for itself: a[x] and a[y] are shared by columns and by rows.
  if (address.depends & direction->axes && !(address.depends & DEPENDS_ON_MEMORY))
    array->shared_along |= ~address.depends & direction->axes;
  if (array->near_axis < 0) array->near_axis = last_dimension(&address);
  // Neighbours along an axis share lines if consecutive threads do not access consecutive
  // elements, or if a loop makes each thread traverse a line.
  bool walks = (address.depends & DEPENDS_ON_LOOP) != 0;
  if (!is_thread_stride_small(&address) || walks) array->class = ARRAY_NEIGHBOURS;
}

static void classify(ArrayUse *array, unsigned axes) {
  bool has_neighbours = array->class == ARRAY_NEIGHBOURS || array->reads > 1;
  unsigned on = array->depends & axes;
  if (!array->reads)
    array->class = ARRAY_WRITTEN;
  else if (array->depends & DEPENDS_ON_MEMORY)
    array->class = ARRAY_DATA;
  else if (!on)
    array->class = ARRAY_SHARED_BY_ALL;
  else if (array->shared_along)
    array->class = ARRAY_SHARED;
  else
    array->class = has_neighbours ? ARRAY_NEIGHBOURS : ARRAY_STREAM;
  if (array->class != ARRAY_SHARED) array->shared_along = 0;
}

static unsigned axes_of(const Body *body, Program *program) {
  unsigned axes = 0;
  const ReachedList *reached = calls_reached(program, (Body *)body);
  for (int i = 0; i < reached->count; i++) {
    const Body *each = reached->items[i].body;
    FOR_EACH_NODE(node, each->statements) {
      if (node->kind != CXCursor_MemberRefExpr || !node->child) continue;
      const char *member = node_name(each->tree->arena, node);
      const Node *object = node_plain(node->child);
      if (object->kind != CXCursor_DeclRefExpr ||
          strcmp(node_name(each->tree->arena, object), "blockIdx") != 0)
        continue;
      if (member[0] >= 'x' && member[0] <= 'z' && !member[1]) axes |= 1u << (member[0] - 'x');
    }
  }
  return axes;
}

// ---- the conclusion

static int axis_count(unsigned axes) {
  return (int)((axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1));
}

static void conclude_plane(Direction *direction, const int shared[3], const int near[3]) {
  bool by_row = shared[CTA_X] > 0, by_column = shared[CTA_Y] > 0;
  if (by_row && by_column) {
    direction->order = ORDER_LONGER;
    direction->reason =
        "CTAs of a row share some arrays, those of a column others: along the "
        "longer side of the grid";
  } else if (by_row || by_column) {
    direction->order = by_row ? ORDER_ROW : ORDER_COLUMN;
    direction->reason = by_row ? "CTAs of a row of the grid read the same elements"
                               : "CTAs of a column of the grid read the same elements";
  } else if (near[CTA_Y] > near[CTA_X]) {
    direction->order = ORDER_COLUMN;
    direction->reason = "neighbours in a column of the grid may use the same lines";
  } else {
    direction->order = ORDER_ROW;
    direction->reason = near[CTA_X] ? "neighbours in a row of the grid may use the same lines"
                                    : "no CTAs are known to share elements: row by row";
  }
}

// The axis along which most is shared varies fastest.
static void conclude_space(Direction *direction, const int shared[3], const int near[3]) {
  int score[3];
  for (int i = 0; i < 3; i++) score[i] = shared[i] * 16 + near[i];
  for (int i = 0; i < 3; i++) direction->fastest_first[i] = i;
  for (int i = 0; i < 3; i++)
    for (int j = 2; j > i; j--) {
      int *axes = direction->fastest_first;
      if (score[axes[j]] <= score[axes[j - 1]]) continue;
      int axis = axes[j];
      axes[j] = axes[j - 1];
      axes[j - 1] = axis;
    }
  direction->order = ORDER_AXES;
  direction->reason = "three axes: the one along which most arrays are shared varies fastest";
}

static void conclude(Direction *direction) {
  int shared[3] = {0}, near[3] = {0};
  for (int i = 0; i < direction->count; i++) {
    const ArrayUse *array = &direction->arrays[i];
    for (int axis = 0; axis < 3; axis++) {
      shared[axis] += (int)(array->shared_along >> axis & 1);
      near[axis] += array->class == ARRAY_NEIGHBOURS && array->near_axis == axis;
    }
  }
  if (axis_count(direction->axes) < 2) {
    direction->order = ORDER_ROW;
    direction->reason = "the grid is used along one axis";
  } else if (direction->axes & 1 << CTA_Z) {
    conclude_space(direction, shared, near);
  } else {
    conclude_plane(direction, shared, near);
  }
}

// Functions called by a kernel index its arrays under other names: only references in the
// kernel itself are analysed.
void direction_find(Direction *direction, Program *program, const Kernel *kernel) {
  Dependence dependence;
  *direction = (Direction){.axes = axes_of(kernel->body, program)};
  dependence_init(&dependence, program, kernel->body);
  FOR_EACH_NODE(node, kernel->body->statements) {
    if (!is_element(&dependence, node)) continue;
    const Variable *variable = array_of(&dependence, node);
    if (variable) note_element(direction, &dependence, node, variable);
  }
  dependence_clear(&dependence);
  for (int i = 0; i < direction->count; i++) classify(&direction->arrays[i], direction->axes);
  conclude(direction);
}

void direction_clear(Direction *direction) {
  memory_free(direction->arrays);
  *direction = (Direction){0};
}

const ArrayUse *direction_array(const Direction *direction, const char *name) {
  for (int i = 0; i < direction->count; i++)
    if (strcmp(direction->arrays[i].name, name) == 0) return &direction->arrays[i];
  return NULL;
}

// ---- explaining

static const char *axes_text(Program *program, unsigned axes) {
  const char *text = "";
  for (int i = 0; i < 3; i++)
    if (axes >> i & 1)
      text = arena_printf(&program->arena, "%s%sblockIdx.%c", text, *text ? ", " : "", 'x' + i);
  return *text ? text : "no blockIdx";
}

static const char *shared_text(Program *program, unsigned axes) {
  static const char *const along[] = {"row", "column", "line along z"};
  const char *text = "", *some = axis_count(axes) > 1 ? "some " : "";
  for (int i = 0; i < 3; i++)
    if (axes >> i & 1)
      text = arena_printf(&program->arena, "%s%s%sthe same for the CTAs of a %s of the grid", text,
                          *text ? ", " : "", some, along[i]);
  return text;
}

static const char *conclusion(Program *program, const ArrayUse *array) {
  switch (array->class) {
    case ARRAY_SHARED_BY_ALL: return "the same for all CTAs";
    case ARRAY_SHARED: return shared_text(program, array->shared_along);
    case ARRAY_NEIGHBOURS:
      return array->near_axis < 0
                 ? "neighbouring CTAs may use the same lines"
                 : arena_printf(
                       &program->arena,
                       "blockIdx.%c is its last dimension: neighbours along %c may use the "
                       "same lines",
                       'x' + array->near_axis, 'x' + array->near_axis);
    case ARRAY_STREAM: return "read once, by one CTA: streaming";
    case ARRAY_DATA: return "index loaded from memory: known at run time only";
    default: return "written, not read";
  }
}

void direction_explain(const Direction *direction, Program *program, const Kernel *kernel,
                       FILE *file) {
  fprintf(file, "%s: kernel %s\n", program_where(program, kernel->body->node),
          kernel->function->name);
  for (int i = 0; i < direction->count; i++) {
    const ArrayUse *array = &direction->arrays[i];
    fprintf(file, "  %s (%d reads, %d writes, first at %s)", array->name, array->reads,
            array->writes, program_where(program, array->first));
    if (array->reads)
      fprintf(file, ": reads depend on %s", axes_text(program, array->depends & direction->axes));
    fprintf(file, "\n    -> %s%s\n", conclusion(program, array),
            array->reads && array->writes ? "; also written, which evicts its lines" : "");
  }
  fprintf(file, "  order: %s\n    -> %s\n", kernel->order, direction->reason);
}
