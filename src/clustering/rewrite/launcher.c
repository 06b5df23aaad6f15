// SPDX-License-Identifier: MIT
// Writes the template function that launches a kernel template whose arguments are deduced.
#include "clustering/rewrite/launcher.h"

#include <string.h>

#include "clustering/rewrite/rewrite.h"
#include "clustering/text.h"

static const Declaration *first_template(const Kernel *kernel) {
  const Declaration *first = NULL;
  for (const Declaration *each = kernel->function->declarations; each; each = each->next) {
    if (each->node->kind != CXCursor_FunctionTemplate) continue;
    if (!first || (each->node->file == first->node->file && each->name_at < first->name_at))
      first = each;
  }
  return first;
}

// Names of the children of some kinds, with commas. NULL if one has no name.
static const char *names_of(Program *program, const Node *function, bool of_template) {
  const char *names = "";
  const SourceFile *file = &program->sources.files[function->file];
  for (const Node *child = function->child; child; child = child->next) {
    bool is_template = child->kind == CXCursor_TemplateTypeParameter ||
                       child->kind == CXCursor_NonTypeTemplateParameter ||
                       child->kind == CXCursor_TemplateTemplateParameter;
    if (of_template ? !is_template : child->kind != CXCursor_ParmDecl) continue;
    const char *name = cursor_name(&program->arena, child->cursor);
    if (!*name) return NULL;
    bool is_pack =
        strstr(text_piece(file, &program->arena, child->begin, child->end), "...") != NULL;
    names = arena_printf(&program->arena, "%s%s%s%s", names, *names ? ", " : "", name,
                         is_pack ? "..." : "");
  }
  return names;
}

const char *launcher_source(Program *program, const Kernel *kernel) {
  const Declaration *declaration = first_template(kernel);
  if (!declaration) return NULL;
  const Node *node = declaration->node;
  const SourceFile *file = &program->sources.files[node->file];
  const char *arguments = names_of(program, node, false);
  const char *template_arguments = names_of(program, node, true);
  uint32_t open = text_find_parameters(file, declaration->name_at);
  uint32_t head = text_skip_token(file, node->begin);  // template
  uint32_t head_open = text_skip_space(file, head);
  if (!arguments || !template_arguments || file->text[open] != '(' || file->text[head_open] != '<')
    return NULL;
  uint32_t head_end = text_skip_brackets(file, head_open);
  const char *parameters =
      text_piece(file, &program->arena, open + 1, text_skip_brackets(file, open) - 1);
  return arena_printf(
      &program->arena,
      "\n%s\ninline void %s_launch(const heddle::cluster::Configuration &how%s%s) {\n"
      "  heddle::cluster::launch(%s<%s>, how)(%s);\n}\n",
      text_piece(file, &program->arena, node->begin, head_end), kernel->function->name,
      *arguments ? ", " : "", parameters, kernel->function->name, template_arguments, arguments);
}

void launcher_insert(Program *program, const Kernel *kernel) {
  const Declaration *declaration = first_template(kernel);
  const SourceFile *file = &program->sources.files[declaration->node->file];
  uint32_t end = text_skip_space(file, declaration->node->end);
  if (file->text[end] != ';') end = declaration->node->end - 1;
  uint32_t at = source_line_end(file, end);
  rewrite_insert(program, declaration->node->file, at < file->length ? at + 1 : at,
                 launcher_source(program, kernel));
}
