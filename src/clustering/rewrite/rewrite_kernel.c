// SPDX-License-Identifier: MIT
// Edits of a kernel's body that several rewriting methods share: insertions at line ends,
// indentation, refusals.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clustering/rewrite/changes.h"
#include "clustering/rewrite/prefetch.h"
#include "clustering/rewrite/rewrite.h"
#include "clustering/text.h"

enum { MAX_COLUMNS = 100 };

// With the file's own line ends.
static const char *with_line_ends(Program *program, const SourceFile *file, const char *text) {
  const char *first = strchr(file->text, '\n'), *result = "";
  if (!first || first == file->text || first[-1] != '\r') return text;
  for (const char *end; (end = strchr(text, '\n')); text = end + 1)
    result = arena_printf(&program->arena, "%s%.*s\r\n", result, (int)(end - text), text);
  return arena_printf(&program->arena, "%s%s", result, text);
}

void rewrite_replace(Program *program, int file, uint32_t begin, uint32_t end, const char *text) {
  SourceFile *source = &program->sources.files[file];
  edits_replace(&source->edits, begin, end, with_line_ends(program, source, text));
}

void rewrite_insert(Program *program, int file, uint32_t at, const char *text) {
  rewrite_replace(program, file, at, at, text);
}

void rewrite_first_in_parentheses(Program *program, int file, uint32_t at, const char *text) {
  const SourceFile *source = &program->sources.files[file];
  uint32_t first = text_skip_space(source, at + 1);
  bool is_void = text_has_word_at(source, first, "void") &&
                 source->text[text_skip_space(source, first + 4)] == ')';
  if (is_void)
    rewrite_replace(program, file, first, first + 4, text);
  else if (source->text[first] == ')')
    rewrite_insert(program, file, at + 1, text);
  else
    rewrite_insert(program, file, at + 1, arena_printf(&program->arena, "%s, ", text));
}

void kernel_refuse(Kernel *kernel, Program *program, const Node *node, const char *format, ...) {
  char reason[1024];
  if (kernel->refusal) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  kernel->refusal = arena_printf(&program->arena, "%s: %s", program_where(program, node), reason);
}

// ---- the body

// Whether only white space follows a byte on its line.
static bool ends_line(const SourceFile *file, uint32_t at) {
  while (at < file->length && (file->text[at] == ' ' || file->text[at] == '\t')) at++;
  return at == file->length || file->text[at] == '\n' || file->text[at] == '\r';
}

static bool begins_line(const SourceFile *file, uint32_t at) {
  while (at > 0 && (file->text[at - 1] == ' ' || file->text[at - 1] == '\t')) at--;
  return at == 0 || file->text[at - 1] == '\n';
}

static const char *indentation(Program *program, const SourceFile *file, uint32_t at) {
  uint32_t begin = source_line_begin(file, at), end = begin;
  while (file->text[end] == ' ' || file->text[end] == '\t') end++;
  return text_piece(file, &program->arena, begin, end);
}

// Indentation of a new first line in braces: that of the current first line.
static const char *inner_indentation(Program *program, const SourceFile *file, const Node *braces) {
  uint32_t first = text_skip_space(file, braces->begin + 1);
  if (first < braces->end - 1 && begins_line(file, first)) return indentation(program, file, first);
  return arena_printf(&program->arena, "%s  ", indentation(program, file, braces->begin));
}

static void insert_first(Program *program, const Node *braces, const char *text) {
  const SourceFile *file = &program->sources.files[braces->file];
  uint32_t at = braces->begin + 1, line_at = source_line_end(file, at) + 1;
  if (!ends_line(file, at) || line_at >= file->length)
    rewrite_insert(program, braces->file, at, arena_printf(&program->arena, " %s", text));
  else
    rewrite_insert(
        program, braces->file, line_at,
        arena_printf(&program->arena, "%s%s\n", inner_indentation(program, file, braces), text));
}

static void insert_last(Program *program, const Node *braces, const char *text) {
  const SourceFile *file = &program->sources.files[braces->file];
  uint32_t at = braces->end - 1;
  if (!begins_line(file, at)) {
    bool has_space = at > 0 && file->text[at - 1] == ' ';
    rewrite_insert(program, braces->file, at,
                   arena_printf(&program->arena, "%s%s ", has_space ? "" : " ", text));
    return;
  }
  rewrite_insert(
      program, braces->file, source_line_begin(file, at),
      arena_printf(&program->arena, "%s%s\n", inner_indentation(program, file, braces), text));
}

// { body } on one line becomes five lines.
static void spread_braces(Program *program, const Node *braces, const char *opening,
                          const char *closing) {
  const SourceFile *file = &program->sources.files[braces->file];
  const char *outer = indentation(program, file, braces->begin);
  uint32_t first = braces->begin + 1, last = braces->end - 1;
  while (first < last && strchr(" \t", file->text[first])) first++;
  while (last > first && strchr(" \t", file->text[last - 1])) last--;
  rewrite_replace(program, braces->file, braces->begin + 1, first,
                  arena_printf(&program->arena, "\n%s  %s\n%s    ", outer, opening, outer));
  rewrite_replace(program, braces->file, last, braces->end - 1,
                  arena_printf(&program->arena, "\n%s  %s\n%s", outer, closing, outer));
}

// Whether `word` is in a list of words with commas.
static bool has_capture(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += length)
    if (at > list && at[-1] == ' ' && !text_is_word_byte(at[length])) return true;
  return false;
}

// A pack is several parameters of one name in an instance.
static bool is_pack(const Body *body, const Node *parameter) {
  const SourceFile *file = &body->tree->sources->files[parameter->file];
  return parameter->file != NO_FILE &&
         strstr(text_piece(file, body->tree->arena, parameter->begin, parameter->end), "...");
}

// Parameters that the body changes must be fresh for each CTA.
static const char *captures(Program *program, Body *body) {
  const char *text = "&";
  for (const Node *child = body->node->child; child; child = child->next) {
    if (child->kind != CXCursor_ParmDecl) continue;
    const char *name = node_name(&program->arena, child);
    if (!*name || has_capture(text, name) || !variable_may_change(body, child->cursor)) continue;
    text = arena_printf(&program->arena, "%s, %s%s", text, name, is_pack(body, child) ? "..." : "");
  }
  return text;
}

static const char *separation_names[] = {[SEPARATION_NONE] = "for_each_cta_unsynchronized",
                                         [SEPARATION_BARRIER] = "for_each_cta",
                                         [SEPARATION_RETURNS] = "for_each_cta_with_returns"};

static void enclose_for_agents(Program *program, const Kernel *kernel, bool has_prefetch,
                               bool explain, const Node *braces) {
  Body *body = kernel_body_in(kernel, braces);
  const char *by_value = captures(program, body);
  const char *ahead = has_prefetch ? prefetch_lambda(program, body, explain) : NULL;
  const SourceFile *file = &program->sources.files[braces->file];
  const char *opening =
      arena_printf(&program->arena, "%s.%s([%s](uint3%s, dim3%s)%s {", kernel->plan_name,
                   separation_names[kernel->separation], by_value,
                   kernel->needs & USES_BLOCK_IDX ? " blockIdx" : "",
                   kernel->needs & USES_GRID_DIM ? " gridDim" : "", by_value[1] ? " mutable" : "");
  const char *closing = ahead ? arena_printf(&program->arena, "}, %s);", ahead) : "});";
  if (source_line_begin(file, braces->begin) == source_line_begin(file, braces->end - 1)) {
    spread_braces(program, braces, opening, closing);
  } else {
    insert_first(program, braces, opening);
    insert_last(program, braces, closing);
  }
}

static void enclose_for_redirection(Program *program, const Kernel *kernel, const Node *braces) {
  if (kernel->needs & USES_BLOCK_IDX)
    insert_first(
        program, braces,
        arena_printf(&program->arena, "const uint3 blockIdx = %s.cta();", kernel->plan_name));
}

// ---- barriers that threads have returned before

static void replace_barriers(Program *program, const Kernel *kernel) {
  FOR_EACH_BODY(body, kernel->function) {
    const ReachedList *reached = calls_reached(program, body);
    for (int i = 0; i < reached->count; i++) {
      FOR_EACH_NODE(node, reached->items[i].body->statements) {
        if (node->kind != CXCursor_CallExpr || node->file == NO_FILE || node->is_from_macro)
          continue;
        if (strcmp(call_name(program, node), "__syncthreads") != 0) continue;
        rewrite_replace(program, node->file, node->begin, node->end, "heddle::cluster::barrier()");
      }
    }
  }
}

// ---- the whole kernel

// Columns, where a tab counts as one.
static const char *spaces(Program *program, const SourceFile *file, uint32_t at) {
  uint32_t columns = at - source_line_begin(file, at);
  return arena_printf(&program->arena, "%*s", (int)columns, "");
}

// On a separate line if the first line would become too long.
static void edit_declaration(Program *program, const Kernel *kernel,
                             const Declaration *declaration) {
  const Node *node = declaration->node;
  const SourceFile *file = &program->sources.files[node->file];
  uint32_t at = text_find_parameters(file, declaration->name_at);
  uint32_t first = text_skip_space(file, at + 1),
           line_length = source_line_end(file, at) - source_line_begin(file, at);
  // With redirection, the parameter of a kernel that does not use blockIdx is unnamed.
  bool is_used = kernel->is_by_agents || kernel->needs & USES_BLOCK_IDX;
  const char *parameter = arena_printf(&program->arena, "%s%s%s", kernel->plan, is_used ? " " : "",
                                       is_used ? kernel->plan_name : "");
  bool is_long = line_length + strlen(parameter) > MAX_COLUMNS && first == at + 1 &&
                 file->text[first] != ')' && !text_has_word_at(file, first, "void");
  if (is_long)
    rewrite_insert(
        program, node->file, at + 1,
        arena_printf(&program->arena, "%s,\n%s", parameter, spaces(program, file, first)));
  else
    rewrite_first_in_parentheses(program, node->file, at, parameter);
}

// __launch_bounds__, so that the agents' registers allow as many CTAs per SM as the
// original's did. Not where the source has them, nor for a block size that may vary.
static void insert_bounds(Program *program, const Kernel *kernel, const Declaration *declaration) {
  const SourceFile *file = &program->sources.files[declaration->node->file];
  uint32_t name = declaration->name_at, before = name;
  if (!kernel->rewriting->ctas || !kernel->threads || kernel->has_unknown_threads) return;
  if (text_find_word(file, declaration->node->begin, name, "__launch_bounds__", NULL)) return;
  while (before > 0 && strchr(" \t\r\n", file->text[before - 1])) before--;
  if (before > 0 && file->text[before - 1] == ':') return;  // a qualified name
  rewrite_insert(program, declaration->node->file, name,
                 arena_printf(&program->arena, "__launch_bounds__(%u, %d) ", kernel->threads,
                              kernel->rewriting->ctas));
}

// A definition is in the trees of host and device; one of them explains.
static void edit_definition(Program *program, const Kernel *kernel, const RewriteRequest *request,
                            const Tree *tree, const Node *statements) {
  bool explain = request->is_explained && tree->is_device;
  if (!kernel->is_by_agents)
    enclose_for_redirection(program, kernel, statements);
  else
    enclose_for_agents(program, kernel, kernel->rewriting->has_prefetch, explain, statements);
}

// template __global__ void kernel<float>(float *); is not in the tree.
static void edit_explicit_instances(Program *program, const Kernel *kernel, int file_number) {
  const SourceFile *file = &program->sources.files[file_number];
  const uint32_t end = (uint32_t)file->length;
  for (uint32_t at = 0; text_find_word(file, at, end, "template", &at);) {
    at = text_skip_space(file, at + 8);
    if (at >= end || file->text[at] == '<') continue;
    uint32_t name, stop = at;
    while (stop < end && !strchr(";{", file->text[stop])) stop = text_skip_token(file, stop);
    if (!text_find_word(file, at, stop, kernel->function->name, &name)) continue;
    uint32_t parameters = text_find_parameters(file, name);
    if (parameters < stop && file->text[parameters] == '(')
      rewrite_first_in_parentheses(program, file_number, parameters, kernel->plan);
  }
}

// Before its first declaration.
static void insert_preamble(Program *program, const Kernel *kernel) {
  const Declaration *first = kernel->function->declarations;
  for (const Declaration *each = first; each; each = each->next)
    if (each->node->file == first->node->file && each->name_at < first->name_at) first = each;
  const SourceFile *file = &program->sources.files[first->node->file];
  rewrite_insert(program, first->node->file, source_line_begin(file, first->node->begin),
                 kernel->preamble);
}

void rewrite_kernel(Program *program, const Kernel *kernel, const RewriteRequest *request) {
  if (kernel->preamble) insert_preamble(program, kernel);
  for (const Declaration *declaration = kernel->function->declarations; declaration;
       declaration = declaration->next) {
    const Node *statements = node_child_of_kind(declaration->node, CXCursor_CompoundStmt);
    edit_declaration(program, kernel, declaration);
    if (statements) insert_bounds(program, kernel, declaration);
    if (statements) edit_definition(program, kernel, request, declaration->tree, statements);
  }
  if (kernel->separation == SEPARATION_RETURNS && kernel->is_by_agents)
    replace_barriers(program, kernel);
  for (int i = 0; i < program->sources.count; i++) edit_explicit_instances(program, kernel, i);
}
