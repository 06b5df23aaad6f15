// SPDX-License-Identifier: MIT
// The text of a launch: kernel<<<configuration>>>(arguments).
#include "clustering/rewrite/launch_text.h"

#include <string.h>

#include "clustering/rewrite/rewrite.h"
#include "clustering/text.h"

enum { MAX_COLUMNS = 100 };

// ---- brackets

// Where the last of three brackets is, which may have spaces between them.
static uint32_t skip_three(const SourceFile *file, uint32_t at, char bracket) {
  for (int count = 0; at < file->length; at++) {
    count += file->text[at] == bracket;
    if (count == 3) return at + 1;
  }
  return at;
}

uint32_t back_over_space(const SourceFile *file, uint32_t at) {
  while (at > 0 && (file->text[at - 1] == ' ' || file->text[at - 1] == '\t')) at--;
  return at;
}

static uint32_t over_blanks(const SourceFile *file, uint32_t at) {
  while (file->text[at] == ' ' || file->text[at] == '\t') at++;
  return at;
}

static bool closes_launch(const SourceFile *file, uint32_t at) {
  return strncmp(file->text + at, ">>>", 3) == 0 || strncmp(file->text + at, ">> >", 4) == 0;
}

// The first > of >>> after a byte of the configuration.
static uint32_t find_close(const SourceFile *file, uint32_t at) {
  while (at < file->length && !closes_launch(file, at)) {
    bool is_open = strchr("([{", file->text[at]) != NULL;
    at = is_open ? text_skip_brackets(file, at) : text_skip_token(file, at);
    at = text_skip_space(file, at);
  }
  // A template's brackets may close before the launch's.
  while (file->text[at] == '>' && file->text[at + 3] == '>') at++;
  return at;
}

Brackets brackets_find(Program *program, int number, uint32_t begin, uint32_t end, uint32_t open,
                       uint32_t behind) {
  const SourceFile *file = &program->sources.files[number];
  uint32_t inner = over_blanks(file, skip_three(file, open, '<'));
  bool is_known = behind >= inner + 3 && closes_launch(file, behind - 3);
  uint32_t close = is_known ? behind - 3 : find_close(file, inner);
  return (Brackets){.file = number,
                    .kernel_begin = begin,
                    .kernel_end = end,
                    .open = open,
                    .inner = inner,
                    .close = back_over_space(file, close),
                    .outside = over_blanks(file, skip_three(file, close, '>'))};
}

static const char launch_text[] = "heddle::cluster::launch(";

void brackets_replace(Program *program, const Brackets *brackets, const char *name) {
  int file = brackets->file;
  rewrite_insert(program, file, brackets->kernel_begin, launch_text);
  if (name) rewrite_replace(program, file, brackets->kernel_begin, brackets->kernel_end, name);
  rewrite_replace(program, file, brackets->kernel_end, brackets->inner, ", ");
  rewrite_replace(program, file, brackets->close, brackets->outside, ")");
}

// Separator between the configuration and the arguments of a launch: a line break if the line
// would become too long.
static const char *line_break(Program *program, const Brackets *brackets) {
  const SourceFile *file = &program->sources.files[brackets->file];
  uint32_t begin = source_line_begin(file, brackets->kernel_begin), first = begin;
  uint32_t length = source_line_end(file, brackets->outside) - begin;
  bool is_one_line = source_line_begin(file, brackets->outside) == begin;
  if (!is_one_line || length + strlen(launch_text) <= MAX_COLUMNS) return "";
  while (file->text[first] == ' ' || file->text[first] == '\t') first++;
  return arena_printf(&program->arena, "\n%s    ", text_piece(file, &program->arena, begin, first));
}

void brackets_replace_in_line(Program *program, const Brackets *brackets, const char *name) {
  const char *line_end = line_break(program, brackets);
  brackets_replace(program, brackets, name);
  if (*line_end) rewrite_insert(program, brackets->file, brackets->outside, line_end);
}

// ---- template arguments

int written_arguments(const SourceFile *file, uint32_t begin, uint32_t end) {
  uint32_t at = begin;
  if (end > file->length) end = (uint32_t)file->length;
  while (at < end && file->text[at] != '<') at = text_skip_token(file, at);
  if (at >= end) return 0;
  uint32_t close = text_skip_brackets(file, at) - 1;
  at = text_skip_space(file, at + 1);
  if (at >= close) return 0;
  int count = 1;
  while (at < close) {
    if (file->text[at] == ',') count++;
    bool is_open = strchr("([{", file->text[at]) || file->text[at] == '<';
    at = is_open ? text_skip_brackets(file, at) : text_skip_token(file, at);
    at = text_skip_space(file, at);
  }
  return count;
}

int template_parameters(const Function *function) {
  for (const Declaration *declaration = function->declarations; declaration;
       declaration = declaration->next) {
    if (declaration->node->kind != CXCursor_FunctionTemplate) continue;
    int count = 0;
    for (const Node *child = declaration->node->child; child; child = child->next)
      count += child->kind == CXCursor_TemplateTypeParameter ||
               child->kind == CXCursor_NonTypeTemplateParameter ||
               child->kind == CXCursor_TemplateTemplateParameter;
    return count;
  }
  return 0;
}

bool names_function(CXCursor cursor) {
  enum CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod;
}

typedef struct Search {
  unsigned left;
  CXType type;
} Search;

static enum CXChildVisitResult visit_parameter(CXCursor cursor, CXCursor parent,
                                               CXClientData data) {
  Search *search = data;
  (void)parent;
  if (!clang_isDeclaration(clang_getCursorKind(cursor)) || search->left-- > 0)
    return CXChildVisit_Continue;
  search->type = clang_getCanonicalType(clang_getCursorType(cursor));
  return CXChildVisit_Break;
}

// The type of a template's parameter that is a value.
static CXType parameter_type(CXCursor instance, unsigned n) {
  Search search = {.left = n};
  clang_visitChildren(clang_getSpecializedCursorTemplate(instance), visit_parameter, &search);
  return search.type;
}

static const char *type_text(Program *program, CXType type) {
  CXString spelling = clang_getTypeSpelling(type);
  const char *text = arena_strdup(&program->arena, clang_getCString(spelling));
  clang_disposeString(spelling);
  return text;
}

// libclang extends the sign of all values: true is -1.
static const char *value_text(Program *program, CXCursor instance, unsigned n) {
  CXType type = parameter_type(instance, n);
  long long value = clang_Cursor_getTemplateArgumentValue(instance, n);
  if (type.kind == CXType_Bool) return value ? "true" : "false";
  if (type.kind == CXType_Enum)
    return arena_printf(&program->arena, "static_cast<%s>(%lld)", type_text(program, type), value);
  if (type.kind >= CXType_Char_U && type.kind <= CXType_UInt128)
    return arena_printf(&program->arena, "%llu",
                        clang_Cursor_getTemplateArgumentUnsignedValue(instance, n));
  bool is_known = type.kind >= CXType_Char_S && type.kind <= CXType_Int128;
  return is_known || value >= 0 ? arena_printf(&program->arena, "%lld", value) : NULL;
}

static const char *template_argument(Program *program, CXCursor instance, unsigned n) {
  switch (clang_Cursor_getTemplateArgumentKind(instance, n)) {
    case CXTemplateArgumentKind_Type:
      return type_text(program, clang_Cursor_getTemplateArgumentType(instance, n));
    case CXTemplateArgumentKind_Integral: return value_text(program, instance, n);
    default: return NULL;
  }
}

const char *kernel_full_name(Program *program, const Node *callee) {
  CXCursor instance = clang_getCursorReferenced(callee->cursor);
  if (!names_function(instance)) return NULL;
  const SourceFile *file = &program->sources.files[callee->file];
  uint32_t at = callee->begin;
  while (at < callee->end && file->text[at] != '<') at = text_skip_token(file, at);
  const char *name = text_piece(file, &program->arena, callee->begin, at);
  int count = clang_Cursor_getNumTemplateArguments(instance);
  for (int i = 0; i < count; i++) {
    const char *argument = template_argument(program, instance, (unsigned)i);
    if (!argument) return NULL;
    name = arena_printf(&program->arena, "%s%s%s", name, i ? ", " : "<", argument);
  }
  return arena_printf(&program->arena, "%s>", name);
}

bool is_overloaded(Program *program, const Function *function) {
  CXCursor own = clang_getCursorSemanticParent(function->declarations->node->cursor);
  for (const Function *other = program->functions; other; other = other->hh.next) {
    if (other == function || strcmp(other->name, function->name) != 0 || !other->declarations)
      continue;
    CXCursor parent = clang_getCursorSemanticParent(other->declarations->node->cursor);
    if (clang_equalCursors(clang_getCanonicalCursor(own), clang_getCanonicalCursor(parent)))
      return true;
  }
  return false;
}

// ---- arguments

static const Node *parameter_of(const Node *declaration, int n) {
  for (const Node *child = declaration->child; child; child = child->next)
    if (child->kind == CXCursor_ParmDecl && n-- == 0) return child;
  return NULL;
}

// A default may be in any declaration. NULL if there is none.
static const char *default_argument(Program *program, const Function *function, int n) {
  for (const Declaration *declaration = function->declarations; declaration;
       declaration = declaration->next) {
    const Node *parameter = parameter_of(declaration->node, n);
    for (const Node *child = parameter ? parameter->child : NULL; child; child = child->next)
      if (clang_isExpression(child->kind) && child->file != NO_FILE && child->end > child->begin)
        return text_piece(&program->sources.files[child->file], &program->arena, child->begin,
                          child->end);
  }
  return NULL;
}

// Omitted arguments have nodes without a position.
static int given_arguments(const Node *call) {
  int given = 0;
  for (const Node *child = call_configuration(call)->next; child; child = child->next)
    given += child->file != NO_FILE && child->end > child->begin;
  return given;
}

const char *left_out_arguments(Program *program, const Kernel *kernel, const Node *call) {
  const char *added = "", *value;
  for (int n = given_arguments(call); (value = default_argument(program, kernel->function, n)); n++)
    added = arena_printf(&program->arena, "%s%s%s", added, n > 0 ? ", " : "", value);
  return added;
}
