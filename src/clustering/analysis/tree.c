// SPDX-License-Identifier: MIT
// Builds the syntax tree of a source from libclang's cursors.
#include "clustering/analysis/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// ---- names and places

static const char *take(Arena *arena, CXString string) {
  const char *text = clang_getCString(string);
  const char *copy = text ? arena_strdup(arena, text) : "";
  clang_disposeString(string);
  return copy;
}

const char *cursor_name(Arena *arena, CXCursor cursor) {
  return take(arena, clang_getCursorSpelling(cursor));
}

const char *cursor_usr(Arena *arena, CXCursor cursor) {
  return take(arena, clang_getCursorUSR(cursor));
}

const char *node_name(Arena *arena, const Node *node) {
  Node *known = (Node *)node;
  if (!known->name) known->name = cursor_name(arena, node->cursor);
  return known->name;
}

CXCursor cursor_pattern(CXCursor cursor) {
  for (;;) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(cursor);
    if (clang_Cursor_isNull(pattern)) return clang_getCanonicalCursor(cursor);
    cursor = pattern;
  }
}

bool cursor_is_lambda(CXCursor function) {
  if (clang_getCursorKind(function) != CXCursor_CXXMethod) return false;
  CXType type = clang_getCursorType(clang_getCursorSemanticParent(function));
  CXString name = clang_getTypeSpelling(type);
  bool is_lambda = strstr(clang_getCString(name), "(lambda") != NULL;
  clang_disposeString(name);
  return is_lambda;
}

static enum CXChildVisitResult find_shared(CXCursor cursor, CXCursor parent, CXClientData data) {
  (void)parent;
  if (clang_getCursorKind(cursor) == CXCursor_CUDASharedAttr) *(bool *)data = true;
  return CXChildVisit_Continue;
}

bool cursor_is_shared(CXCursor variable) {
  bool is_shared = false;
  if (clang_getCursorKind(variable) == CXCursor_VarDecl)
    clang_visitChildren(variable, find_shared, &is_shared);
  return is_shared;
}

// Asked for every node: libclang's files are compared by address.
static int find_file(const Tree *tree, CXFile file) {
  for (int i = 0; file && i < tree->known_count; i++)
    if (tree->known[i].file == file) return tree->known[i].number;
  return NO_FILE;
}

bool tree_place(const Tree *tree, CXSourceLocation location, int *file, uint32_t *offset) {
  CXFile clang_file;
  clang_getFileLocation(location, &clang_file, NULL, NULL, offset);
  *file = find_file(tree, clang_file);
  return *file != NO_FILE;
}

// ---- macros

static bool is_before(const MacroUse *use, int file, uint32_t offset) {
  return use->file < file || (use->file == file && use->begin <= offset);
}

// The macro use that contains this byte. Uses are sorted by file and position; one in the
// arguments of another follows it.
static const MacroUse *use_at(const Tree *tree, int file, uint32_t offset) {
  int low = 0, high = tree->use_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (is_before(&tree->uses[middle], file, offset))
      low = middle + 1;
    else
      high = middle;
  }
  for (int i = low - 1; i >= 0 && tree->uses[i].file == file; i--)
    if (tree->uses[i].end > offset) return &tree->uses[i];
  return NULL;
}

// The expansion of a macro's own text is positioned at the start of its use; arguments are
// positioned where they are written.
static bool is_macro_text(const Tree *tree, const Node *node) {
  const MacroUse *use = use_at(tree, node->file, node->begin);
  return use && use->begin == node->begin;
}

// ---- nodes

static Node *make_node(Tree *tree, CXCursor cursor, Node *parent) {
  Node *node = ARENA_NEW(tree->arena, Node);
  CXSourceRange range = clang_getCursorExtent(cursor);
  int end_file;
  *node = (Node){.cursor = cursor,
                 .kind = clang_getCursorKind(cursor),
                 .depth = parent ? parent->depth + 1 : 0,
                 .parent = parent};
  if (!tree_place(tree, clang_getRangeStart(range), &node->file, &node->begin)) return node;
  tree_place(tree, clang_getRangeEnd(range), &end_file, &node->end);
  if (end_file != node->file || node->end < node->begin) node->end = node->begin;
  node->is_from_macro = is_macro_text(tree, node);
  return node;
}

typedef struct Growth {
  Tree *tree;
  Node *parent, *last;
} Growth;

static enum CXChildVisitResult grow(CXCursor cursor, CXCursor parent, CXClientData data) {
  (void)parent;
  Growth *growth = data;
  Node *node = make_node(growth->tree, cursor, growth->parent);
  *(growth->last ? &growth->last->next : &growth->parent->child) = node;
  growth->last = node;
  return CXChildVisit_Continue;
}

static void grow_children(Tree *tree, Node *node) {
  Growth growth = {.tree = tree, .parent = node};
  if (node->depth < MAX_TREE_DEPTH)
    clang_visitChildren(node->cursor, grow, &growth);
  else if (!tree->too_deep)
    tree->too_deep = node;
}

// Without recursion: the source decides how deep it is.
static void grow_below(Tree *tree, Node *root) {
  FOR_EACH_NODE(node, root)
    if (!node->child) grow_children(tree, node);
}

Node *tree_add(Tree *tree, CXCursor cursor) {
  Node *root = make_node(tree, cursor, NULL);
  grow_below(tree, root);
  return root;
}

// ---- building

static bool is_users(CXCursor cursor) {
  CXSourceLocation location = clang_getCursorLocation(cursor);
  return !clang_Location_isInSystemHeader(location) &&
         !clang_equalLocations(location, clang_getNullLocation());
}

// The offsets of a preprocessor's cursor in its file.
static void extent(const Tree *tree, CXCursor cursor, int *file, uint32_t *begin, uint32_t *end) {
  CXSourceRange range = clang_getCursorExtent(cursor);
  tree_place(tree, clang_getRangeStart(range), file, begin);
  tree_place(tree, clang_getRangeEnd(range), file, end);
}

static void note_macro(Tree *tree, CXCursor cursor) {
  Macro macro = {.name = cursor_name(tree->arena, cursor)};
  extent(tree, cursor, &macro.file, &macro.begin, &macro.end);
  GROW(tree->macros, tree->macro_count, tree->macro_capacity);
  tree->macros[tree->macro_count++] = macro;
}

static void note_use(Tree *tree, CXCursor cursor) {
  MacroUse use = {.name = cursor_name(tree->arena, cursor)};
  extent(tree, cursor, &use.file, &use.begin, &use.end);
  if (use.file == NO_FILE) return;
  GROW(tree->uses, tree->use_count, tree->use_capacity);
  tree->uses[tree->use_count++] = use;
}

static int by_place(const void *a, const void *b) {
  const MacroUse *x = a, *y = b;
  if (x->file != y->file) return x->file < y->file ? -1 : 1;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return x->end > y->end ? -1 : x->end < y->end;
}

static void note_inclusion(Tree *tree, CXCursor cursor) {
  Inclusion inclusion = {.included = find_file(tree, clang_getIncludedFile(cursor))};
  extent(tree, cursor, &inclusion.file, &inclusion.begin, &inclusion.end);
  GROW(tree->inclusions, tree->inclusion_count, tree->inclusion_capacity);
  tree->inclusions[tree->inclusion_count++] = inclusion;
}

static enum CXChildVisitResult note_directive(CXCursor cursor, CXCursor parent, CXClientData data) {
  (void)parent;
  if (!clang_isPreprocessing(clang_getCursorKind(cursor)) || !is_users(cursor))
    return CXChildVisit_Continue;
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_MacroDefinition: note_macro(data, cursor); break;
    case CXCursor_MacroExpansion: note_use(data, cursor); break;
    case CXCursor_InclusionDirective: note_inclusion(data, cursor); break;
    default: break;
  }
  return CXChildVisit_Continue;
}

static enum CXChildVisitResult grow_users(CXCursor cursor, CXCursor parent, CXClientData data) {
  if (clang_isPreprocessing(clang_getCursorKind(cursor)) || !is_users(cursor))
    return CXChildVisit_Continue;
  return grow(cursor, parent, data);
}

// Every file of which something is the user's.
typedef struct Reading {
  Tree *tree;
  Status status;
  Error *err;
} Reading;

static void read_file(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
  Reading *reading = data;
  (void)stack;
  (void)depth;
  CXSourceLocation begin = clang_getLocationForOffset(reading->tree->unit, file, 0);
  if (reading->status != OK || clang_Location_isInSystemHeader(begin)) return;
  CXString name = clang_getFileName(file);
  Tree *tree = reading->tree;
  struct KnownFile known = {.file = file};
  reading->status = sources_add(tree->sources, clang_getCString(name), &known.number, reading->err);
  clang_disposeString(name);
  GROW(tree->known, tree->known_count, tree->known_capacity);
  tree->known[tree->known_count++] = known;
}

Status tree_build(Tree *tree, Error *err) {
  Reading reading = {.tree = tree, .err = err};
  clang_getInclusions(tree->unit, read_file, &reading);
  TRY(reading.status);
  CXCursor unit = clang_getTranslationUnitCursor(tree->unit);
  clang_visitChildren(unit, note_directive, tree);
  if (tree->use_count) qsort(tree->uses, (size_t)tree->use_count, sizeof *tree->uses, by_place);
  tree->root = ARENA_NEW(tree->arena, Node);
  *tree->root = (Node){.cursor = unit, .kind = clang_getCursorKind(unit), .file = NO_FILE};
  Growth growth = {.tree = tree, .parent = tree->root};
  clang_visitChildren(unit, grow_users, &growth);
  if (tree->root->child) grow_below(tree, tree->root);
  return OK;
}

void tree_clear(Tree *tree) {
  memory_free(tree->known);
  memory_free(tree->macros);
  memory_free(tree->uses);
  memory_free(tree->inclusions);
  if (tree->unit) clang_disposeTranslationUnit(tree->unit);
  *tree = (Tree){0};
}

// ---- walking

Node *node_after(const Node *node, const Node *root) {
  if (node->child) return node->child;
  while (node != root && !node->next) node = node->parent;
  return node == root ? NULL : node->next;
}

Node *node_above(const Node *node, enum CXCursorKind kind) {
  for (Node *above = node->parent; above; above = above->parent)
    if (above->kind == kind) return above;
  return NULL;
}

Node *node_child(const Node *node, int n) {
  Node *child = node->child;
  while (child && n-- > 0) child = child->next;
  return child;
}

Node *node_child_of_kind(const Node *node, enum CXCursorKind kind) {
  for (Node *child = node->child; child; child = child->next)
    if (child->kind == kind) return child;
  return NULL;
}

static bool is_wrapping(const Node *node) {
  return (node->kind == CXCursor_ParenExpr || node->kind == CXCursor_UnexposedExpr) &&
         node->child && !node->child->next;
}

Node *node_plain(Node *node) {
  while (is_wrapping(node)) node = node->child;
  return node;
}

Node *node_wrapped(Node *node) {
  while (node->parent && is_wrapping(node->parent)) node = node->parent;
  return node;
}

bool node_is_in(const Node *node, const Node *root) {
  for (; node; node = node->parent)
    if (node == root) return true;
  return false;
}

bool node_is_function(const Node *node) {
  switch (node->kind) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction: return true;
    default: return false;
  }
}
