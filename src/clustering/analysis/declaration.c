// SPDX-License-Identifier: MIT
// Obstacles to rewriting in the text of a kernel's declaration: macros, digraphs,
// __cluster_dims__.
#include "clustering/analysis/declaration.h"

#include <string.h>

#include "clustering/text.h"

static bool has_parameters(const Node *declaration) {
  return node_child_of_kind(declaration, CXCursor_ParmDecl) != NULL;
}

// parse.c makes an annotation of it.
static bool has_cluster_dims(Program *program, const Node *function) {
  for (const Node *child = function->child; child; child = child->next)
    if (child->kind == CXCursor_AnnotateAttr &&
        strcmp(node_name(&program->arena, child), "__cluster_dims__") == 0)
      return true;
  return false;
}

static bool is_ascii(const char *name) {
  for (; *name; name++)
    if ((unsigned char)*name >= 0x80) return false;
  return true;
}

static bool is_from_macro(const Declaration *declaration) {
  const Node *node = declaration->node;
  const Node *statements = node_child_of_kind(node, CXCursor_CompoundStmt);
  return (statements && statements->is_from_macro) ||
         (node->is_from_macro && node->begin == declaration->name_at);
}

// <% and %> are braces, too.
static bool has_digraphs(const SourceFile *file, const Node *function) {
  const Node *statements = node_child_of_kind(function, CXCursor_CompoundStmt);
  return statements &&
         (statements->end <= statements->begin || file->text[statements->begin] != '{' ||
          file->text[statements->end - 1] != '}');
}

// Types of parameters, and even all of them, may be macros.
static bool has_open_parameters(const SourceFile *file, const Declaration *declaration) {
  uint32_t open = text_find_parameters(file, declaration->name_at);
  if (open >= file->length || file->text[open] != '(') return false;
  uint32_t first = text_skip_space(file, open + 1);
  return has_parameters(declaration->node) || file->text[first] == ')' ||
         text_has_word_at(file, first, "void");
}

const char *declaration_obstacle(Program *program, const Function *kernel,
                                 const Declaration *declaration) {
  const SourceFile *file = &program->sources.files[declaration->node->file];
  if (is_from_macro(declaration)) return "defined by a macro: write the kernel out";
  if (has_digraphs(file, declaration->node)) return "its braces are digraphs: write { and }";
  if (!is_ascii(kernel->name))
    return "its name has letters outside ASCII, which PTX does not allow and nvcc rejects: rename "
           "it";
  if (has_cluster_dims(program, declaration->node))
    return "thread block clusters (__cluster_dims__): the CTAs of one must run at the same time";
  if (!text_has_word_at(file, declaration->name_at, kernel->name))
    return "its name comes from a macro: write it out";
  if (!has_open_parameters(file, declaration))
    return "its parameters come from a macro: write them out";
  return NULL;
}
