// SPDX-License-Identifier: MIT
// Launches in macros. A macro may contain several, of several kernels or of a kernel given as
// argument, and may use other macros with launches. Launches that name the kernel, or whose
// kernel is not determined by the macro's text, are rewritten: launch() also accepts kernels
// that are not rewritten.
#include <string.h>

#include "clustering/rewrite/launch_text.h"
#include "clustering/rewrite/rewrite.h"
#include "clustering/text.h"

enum { MAX_DEPTH = 8 };

// One use of a macro by the kernel's launch.
typedef struct MacroJob {
  const LaunchJob *job;
  const Tree *tree;
  const Node *call;
  const char *left_out;  // arguments
  const char *full_name;  // to be written at the use, since it leaves out template arguments
  bool is_named;         // the kernel's name is written at the use, with all template arguments
  int found;
} MacroJob;

static void refuse_use(const MacroJob *macro_job, const char *reason, const char *name) {
  kernel_refuse(macro_job->job->kernel, macro_job->job->program,
                call_configuration(macro_job->call), "%s (%s)", reason, name);
}

// ---- the kernel's name in a macro

// From the position after a closing bracket back to the opening one.
static uint32_t back_over_brackets(const SourceFile *file, uint32_t first, uint32_t at) {
  char close = file->text[at - 1], open = close == '>' ? '<' : '(';
  for (int depth = 0; at > first;) {
    at--;
    depth += (file->text[at] == close) - (file->text[at] == open);
    if (depth == 0) break;
  }
  return at;
}

// Where the kernel's name begins that ends before a byte: name, ns::name,
// name<arguments>, a##b, (name).
static uint32_t callee_begin(const SourceFile *file, uint32_t first, uint32_t end) {
  uint32_t begin = end;
  while (begin > first) {
    uint32_t at = back_over_space(file, begin), word = at;
    if (at > first && file->text[at - 1] == '>') at = back_over_brackets(file, first, at);
    if (at > first && file->text[at - 1] == ')') return back_over_brackets(file, first, at);
    for (word = at; word > first && text_is_word_byte(file->text[word - 1]);) word--;
    if (word == at) return begin;
    begin = word;
    at = back_over_space(file, begin);
    bool continues = at >= first + 2 && (strncmp(file->text + at - 2, "::", 2) == 0 ||
                                         strncmp(file->text + at - 2, "##", 2) == 0);
    if (!continues) return begin;
    begin = at - 2;
  }
  return begin;
}

// The last word of a name without its template arguments.
static const char *last_word(Arena *arena, const SourceFile *file, uint32_t begin, uint32_t end) {
  const char *word = "";
  for (uint32_t at = begin; at < end && file->text[at] != '<'; at = text_skip_token(file, at))
    if (text_is_word_byte(file->text[at]))
      word = text_piece(file, arena, at, text_skip_token(file, at));
  return word;
}

static bool is_name_of_kernel(Program *program, const char *name) {
  for (const Function *function = program->functions; function; function = function->hh.next)
    if (function->is_kernel && strcmp(function->name, name) == 0) return true;
  return false;
}

// ---- macros

// The definition of a macro at a use: the last one before it, if in the same file.
static const Macro *find_macro(const Tree *tree, const char *name, const Node *use) {
  const Macro *found = NULL;
  for (int i = 0; i < tree->macro_count; i++) {
    const Macro *macro = &tree->macros[i];
    if (strcmp(macro->name, name) != 0) continue;
    if (found && macro->file == use->file && macro->begin > use->begin) continue;
    found = macro;
  }
  return found;
}

static uint32_t macro_text_begin(const SourceFile *file, const Macro *macro) {
  uint32_t at = macro->begin + (uint32_t)strlen(macro->name);
  return text_skip_space(file, file->text[at] == '(' ? text_skip_brackets(file, at) : at);
}

// Why this launch cannot be rewritten for the kernel, or NULL.
static const char *obstacle(const MacroJob *macro_job, const Macro *macro, const Brackets *brackets,
                            bool is_this) {
  const LaunchJob *job = macro_job->job;
  const Function *function = job->kernel->function;
  const SourceFile *file = &job->program->sources.files[macro->file];
  uint32_t end = text_skip_brackets(file, brackets->outside);
  bool is_variadic = text_find_word(file, brackets->outside, end, "__VA_ARGS__", NULL);
  if (is_overloaded(job->program, function))
    return "one of several functions of this name, launched by a macro";
  if (!macro_job->is_named &&
      written_arguments(file, brackets->kernel_begin, brackets->kernel_end) <
          template_parameters(function))
    return "launched by a macro without its template arguments";
  if (*macro_job->left_out && (!is_this || is_variadic))
    return "launched by a macro without arguments that have defaults";
  return NULL;
}

static void apply_one(const MacroJob *macro_job, const Macro *macro, const Brackets *brackets) {
  Program *program = macro_job->job->program;
  const SourceFile *file = &program->sources.files[macro->file];
  brackets_replace(program, brackets, NULL);
  if (*macro_job->left_out)
    rewrite_insert(program, macro->file, text_skip_brackets(file, brackets->outside) - 1,
                   macro_job->left_out);
}

static void rewrite_one(MacroJob *macro_job, const Macro *macro, uint32_t open) {
  const LaunchJob *job = macro_job->job;
  Program *program = job->program;
  const SourceFile *file = &program->sources.files[macro->file];
  uint32_t end = back_over_space(file, open);
  uint32_t begin = callee_begin(file, macro_text_begin(file, macro), end);
  const char *name = last_word(&program->arena, file, begin, end);
  bool is_this = strcmp(name, job->kernel->function->name) == 0;
  if (!is_this && is_name_of_kernel(program, name)) return;
  macro_job->found++;
  Brackets brackets = brackets_find(program, macro->file, begin, end, open, 0);
  const char *reason = obstacle(macro_job, macro, &brackets, is_this);
  if (reason) {
    program_keep(program, macro->file, open);
    refuse_use(macro_job, reason, macro->name);
  } else if (program_is_kept(program, macro->file, open)) {
    refuse_use(macro_job, "launched by a macro that cannot be rewritten for another kernel",
               macro->name);
  } else if (job->apply) {
    apply_one(macro_job, macro, &brackets);
  }
}

static void rewrite_macro(MacroJob *macro_job, const Macro *macro, int depth) {
  const Tree *tree = macro_job->tree;
  const SourceFile *file = &macro_job->job->program->sources.files[macro->file];
  uint32_t begin = macro->begin + (uint32_t)strlen(macro->name);
  for (const char *at = file->text + begin; (at = strstr(at, "<<<")); at += 3) {
    if (at >= file->text + macro->end) break;
    rewrite_one(macro_job, macro, (uint32_t)(at - file->text));
  }
  for (int i = 0; i < tree->macro_count && depth < MAX_DEPTH; i++) {
    const Macro *other = &tree->macros[i];
    bool is_used = other != macro && text_find_word(file, begin, macro->end, other->name, NULL);
    if (is_used && other == find_macro(tree, other->name, macro_job->call))
      rewrite_macro(macro_job, other, depth + 1);
  }
}

// The kernel's name as an argument of the macro: commas would separate arguments.
static const char *as_argument(Program *program, const Node *call, const char *name) {
  bool is_enclosed = false;
  for (const Node *node = call->child; node && node->child; node = node->child)
    is_enclosed |= node->kind == CXCursor_ParenExpr && !node->is_from_macro;
  return is_enclosed || !strchr(name, ',') ? name : arena_printf(&program->arena, "(%s)", name);
}

// Looks for the kernel's name at the use; one without all template arguments is completed.
static void examine_name(MacroJob *macro_job, const Node *callee) {
  const LaunchJob *job = macro_job->job;
  const SourceFile *file = &job->program->sources.files[callee->file];
  if (callee->is_from_macro) return;
  macro_job->is_named = written_arguments(file, callee->begin, callee->end) >=
                        template_parameters(job->kernel->function);
  if (macro_job->is_named || is_overloaded(job->program, job->kernel->function)) return;
  macro_job->full_name = kernel_full_name(job->program, callee);
  macro_job->is_named = macro_job->full_name != NULL;
}

void rewrite_in_macro(const LaunchJob *job, const Tree *tree, const Node *call) {
  Program *program = job->program;
  const Node *configuration = call_configuration(call), *callee = node_plain(call->child);
  const SourceFile *file = &program->sources.files[configuration->file];
  const char *name = text_piece(file, &program->arena, configuration->begin,
                                text_skip_token(file, configuration->begin));
  MacroJob macro_job = {.job = job,
                        .tree = tree,
                        .call = call,
                        .left_out = left_out_arguments(program, job->kernel, call)};
  examine_name(&macro_job, callee);
  const Macro *macro = find_macro(tree, name, call);
  if (macro) rewrite_macro(&macro_job, macro, 0);
  if (job->apply && macro_job.full_name)
    rewrite_replace(program, callee->file, callee->begin, callee->end,
                    as_argument(program, call, macro_job.full_name));
  if (!macro_job.found)
    refuse_use(&macro_job, "launched by a macro that is not in these sources", name);
}
