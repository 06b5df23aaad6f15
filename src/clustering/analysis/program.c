// SPDX-License-Identifier: MIT
// Collects all functions of the sources with their bodies and the references between them.
#include "clustering/analysis/program.h"

#include <string.h>

#include "base/memory.h"

void program_init(Program *program) {
  *program = (Program){0};
  program->sources.arena = &program->arena;
  program->index = clang_createIndex(0, 0);
}

void program_clear(Program *program) {
  HASH_CLEAR(hh, program->functions);
  for (int i = 0; i < program->tree_count; i++) tree_clear(program->trees[i]);
  memory_free(program->trees);
  memory_free(program->kept);
  if (program->index) clang_disposeIndex(program->index);
  sources_clear(&program->sources);
  arena_clear(&program->arena);
}

// ---- functions

static bool is_function_cursor(CXCursor cursor) {
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction: return true;
    default: return false;
  }
}

Function *program_function(Program *program, CXCursor cursor) {
  Function *function;
  if (!is_function_cursor(cursor)) return NULL;
  const char *usr = cursor_usr(&program->arena, cursor_pattern(cursor));
  HASH_FIND_STR(program->functions, usr, function);
  return function;
}

static Function *make_function(Program *program, CXCursor cursor) {
  Function *function = program_function(program, cursor);
  if (function) return function;
  function = ARENA_NEW(&program->arena, Function);
  function->usr = cursor_usr(&program->arena, cursor_pattern(cursor));
  function->name = cursor_name(&program->arena, cursor);
  HASH_ADD_KEYPTR(hh, program->functions, function->usr, strlen(function->usr), function);
  return function;
}

Function *program_function_around(Program *program, const Node *node) {
  for (; node; node = node->parent)
    if (node_is_function(node)) return program_function(program, node->cursor);
  return NULL;
}

// ---- bodies

static Body *find_body(const Function *function, const Tree *tree, const char *usr) {
  for (Body *body = function->bodies; body; body = body->next)
    if (body->tree == tree && strcmp(body->usr, usr) == 0) return body;
  return NULL;
}

static bool is_inside_class_template(const Node *node) {
  for (; node; node = node->parent)
    if (node->kind == CXCursor_ClassTemplate ||
        node->kind == CXCursor_ClassTemplatePartialSpecialization)
      return true;
  return false;
}

static void add_body(Program *program, Function *function, Tree *tree, Node *node) {
  Node *statements = node_child_of_kind(node, CXCursor_CompoundStmt);
  const char *usr = cursor_usr(&program->arena, node->cursor);
  if (!statements || find_body(function, tree, usr)) return;
  Body *body = ARENA_NEW(&program->arena, Body);
  *body = (Body){
      .function = function,
      .tree = tree,
      .node = node,
      .statements = statements,
      .usr = usr,
      .is_dependent = node->kind == CXCursor_FunctionTemplate || is_inside_class_template(node),
      .next = function->bodies};
  function->bodies = body;
}

// ---- mentions

// Trees whose nodes are being indexed: each is an instance that the one before names.
typedef struct Indexing {
  Program *program;
  Tree *tree;
  struct IndexedTree {
    Node *root, *next;
  } * items;
  int count, capacity;
} Indexing;

static void start_indexing(Indexing *indexing, Node *root) {
  GROW(indexing->items, indexing->count, indexing->capacity);
  indexing->items[indexing->count++] = (struct IndexedTree){.root = root, .next = root};
}

static void add_mention(Program *program, Tree *tree, Node *node, CXCursor target) {
  Function *function = make_function(program, target);
  Mention *mention = ARENA_NEW(&program->arena, Mention);
  *mention = (Mention){.tree = tree, .node = node, .next = function->mentions};
  function->mentions = mention;
}

static bool is_users(const Tree *tree, CXCursor cursor) {
  int file;
  uint32_t offset;
  return tree_place(tree, clang_getCursorLocation(cursor), &file, &offset);
}

// Instances of the user's templates say what calls in them mean.
static void add_instance(Indexing *indexing, CXCursor target) {
  Program *program = indexing->program;
  Tree *tree = indexing->tree;
  CXCursor definition = clang_getCursorDefinition(target);
  if (clang_Cursor_isNull(definition)) definition = target;
  if (clang_Cursor_isNull(clang_getSpecializedCursorTemplate(definition))) return;
  if (!is_users(tree, definition)) return;
  Function *function = make_function(program, definition);
  if (find_body(function, tree, cursor_usr(&program->arena, definition))) return;
  Node *node = tree_add(tree, definition);
  add_body(program, function, tree, node);
  if (node->child) start_indexing(indexing, node);
}

static void index_overloads(Program *program, Tree *tree, Node *node) {
  unsigned count = clang_getNumOverloadedDecls(node->cursor);
  for (unsigned i = 0; i < count; i++) {
    CXCursor target = clang_getOverloadedDecl(node->cursor, i);
    if (is_function_cursor(target)) add_mention(program, tree, node, target);
  }
}

static void index_reference(Indexing *indexing, Node *node) {
  CXCursor target = clang_getCursorReferenced(node->cursor);
  if (!is_function_cursor(target)) return;
  add_mention(indexing->program, indexing->tree, node, target);
  add_instance(indexing, target);
}

static void index_declaration(Program *program, Tree *tree, Node *node) {
  int file;
  Declaration *declaration = ARENA_NEW(&program->arena, Declaration);
  *declaration = (Declaration){.tree = tree, .node = node};
  if (!tree_place(tree, clang_getCursorLocation(node->cursor), &file, &declaration->name_at))
    return;
  Function *function = make_function(program, node->cursor);
  if (node_child_of_kind(node, CXCursor_CUDAGlobalAttr)) function->is_kernel = true;
  declaration->next = function->declarations;
  function->declarations = declaration;
  add_body(program, function, tree, node);
}

static void index_node(Indexing *indexing, Node *node, const Node *root) {
  switch (node->kind) {
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr: index_reference(indexing, node); break;
    case CXCursor_OverloadedDeclRef:
      index_overloads(indexing->program, indexing->tree, node);
      break;
    default:
      if (node_is_function(node) && node != root)
        index_declaration(indexing->program, indexing->tree, node);
  }
}

static void index_nodes(Program *program, Tree *tree) {
  Indexing indexing = {.program = program, .tree = tree};
  start_indexing(&indexing, tree->root);
  while (indexing.count) {
    struct IndexedTree *last = &indexing.items[indexing.count - 1];
    Node *node = last->next, *root = last->root;
    if (node) {
      last->next = node_after(node, root);
      index_node(&indexing, node, root);
    } else {
      indexing.count--;
    }
  }
  memory_free(indexing.items);
}

// Of a function that another of the sources defines.
static Body *body_elsewhere(Program *program, const Tree *tree, CXCursor cursor) {
  const Function *function = program_function(program, cursor);
  for (Body *body = function ? function->bodies : NULL; body; body = body->next)
    if (body->tree->is_device == tree->is_device) return body;
  return NULL;
}

Body *program_body(Program *program, Tree *tree, CXCursor cursor) {
  CXCursor definition = clang_getCursorDefinition(cursor);
  if (clang_Cursor_isNull(definition)) return body_elsewhere(program, tree, cursor);
  Function *function = make_function(program, definition);
  const char *usr = cursor_usr(&program->arena, definition);
  Body *body = find_body(function, tree, usr);
  if (body) return body;
  add_body(program, function, tree, tree_add(tree, definition));
  return find_body(function, tree, usr);
}

// ---- sources

Status program_add(Program *program, const char *path, const CcRequest *flags,
                   const CcToolchain *toolchain, Error *err) {
  for (int is_device = 0; is_device < 2; is_device++) {
    Tree *tree = ARENA_NEW(&program->arena, Tree);
    *tree = (Tree){.arena = &program->arena, .sources = &program->sources};
    GROW(program->trees, program->tree_count, program->tree_capacity);
    program->trees[program->tree_count++] = tree;
    TRY(parse_source(tree, program->index, path, is_device, flags, toolchain, err));
    index_nodes(program, tree);
    TRY(program_check_depth(program, err));
  }
  return OK;
}

Status program_check_depth(Program *program, Error *err) {
  for (int i = 0; i < program->tree_count; i++)
    if (program->trees[i]->too_deep)
      return error_set(err, ERR_UNSUPPORTED,
                       "%s: nested more than %d levels deep here, which heddle cluster does not "
                       "support; split the expression or the statements",
                       program_where(program, program->trees[i]->too_deep), MAX_TREE_DEPTH);
  return OK;
}

// ---- text that stays

bool program_is_kept(const Program *program, int file, uint32_t at) {
  for (int i = 0; i < program->kept_count; i++)
    if (program->kept[i].file == file && program->kept[i].at == at) return true;
  return false;
}

void program_keep(Program *program, int file, uint32_t at) {
  if (program_is_kept(program, file, at)) return;
  GROW(program->kept, program->kept_count, program->kept_capacity);
  program->kept[program->kept_count++] = (struct KeptText){.file = file, .at = at};
}

const char *program_where_at(Program *program, int file, uint32_t offset) {
  if (file == NO_FILE) return "a system header";
  const SourceFile *source = &program->sources.files[file];
  return arena_printf(&program->arena, "%s:%u", source->path, source_line(source, offset));
}

const char *program_where(Program *program, const Node *node) {
  return program_where_at(program, node->file, node->begin);
}
