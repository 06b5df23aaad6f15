// SPDX-License-Identifier: MIT
// kernel<<<grid, block>>>(arguments) becomes
// heddle::cluster::launch(kernel, grid, block)(arguments), and cudaLaunchKernel
// heddle::cluster::launch_kernel. Other calls that take a kernel (attributes,
// occupancy) stay as they are; whatever else names it is a reason to refuse.
#include <string.h>

#include "cluster/launcher.h"
#include "cluster/rewrite.h"
#include "cluster/text.h"

typedef struct Job {
  Program *program;
  Kernel *kernel;
  bool apply;
} Job;

// ---- naming a kernel

// Bytes of `kernel<arguments>`.
static uint32_t name_end(const SourceFile *file, const Node *callee) {
  return callee->end < file->length ? callee->end : (uint32_t)file->length;
}

// How many template arguments are written behind the name.
static int written_arguments(const SourceFile *file, const Node *callee) {
  uint32_t end = name_end(file, callee), at = callee->begin;
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

static int template_parameters(const Function *function) {
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

static const char *template_argument(Program *program, CXCursor instance, unsigned n) {
  CXString type;
  const char *text;
  switch (clang_Cursor_getTemplateArgumentKind(instance, n)) {
    case CXTemplateArgumentKind_Type:
      type = clang_getTypeSpelling(clang_Cursor_getTemplateArgumentType(instance, n));
      text = arena_strdup(&program->arena, clang_getCString(type));
      clang_disposeString(type);
      return text;
    case CXTemplateArgumentKind_Integral:
      return arena_printf(&program->arena, "%lld",
                          clang_Cursor_getTemplateArgumentValue(instance, n));
    default: return NULL;
  }
}

// The name with all its template arguments; NULL if one cannot be written.
static const char *full_name(Program *program, const Node *callee, CXCursor instance) {
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

// Other functions of the same name, between which a launch chooses by its arguments.
static bool is_overloaded(Program *program, const Function *function) {
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

static const char *with_signature(const Job *job, const Node *callee, CXCursor target) {
  Program *program = job->program;
  const SourceFile *file = &program->sources.files[callee->file];
  CXType type = clang_getCursorType(target);
  const char *types = job->kernel->plan ? job->kernel->plan : "";
  for (int i = 0; i < clang_getNumArgTypes(type); i++) {
    CXString argument = clang_getTypeSpelling(clang_getArgType(type, (unsigned)i));
    types = arena_printf(&program->arena, "%s, %s", types, clang_getCString(argument));
    clang_disposeString(argument);
  }
  return arena_printf(&program->arena, "static_cast<void (*)(%s)>(%s)", types,
                      text_piece(file, &program->arena, callee->begin, callee->end));
}

static bool is_function(CXCursor cursor) {
  enum CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod;
}

typedef enum Naming {
  NAME_AS_WRITTEN,
  NAME_OTHERWISE,    // *name says how
  NAME_BY_LAUNCHER,  // template arguments follow from those of the launch
  NAME_IMPOSSIBLE,
} Naming;

// How launch() must call the kernel.
static Naming choose_name(const Job *job, const Node *callee, const char **name) {
  Program *program = job->program;
  const SourceFile *file = &program->sources.files[callee->file];
  CXCursor target = clang_getCursorReferenced(callee->cursor);
  int parameters = template_parameters(job->kernel->function);
  bool is_complete = written_arguments(file, callee) >= parameters;
  bool is_overload = is_overloaded(program, job->kernel->function);
  *name = NULL;
  if (is_complete && !is_overload) return NAME_AS_WRITTEN;
  if (is_function(target) && !is_overload) *name = full_name(program, callee, target);
  if (is_function(target) && is_overload && parameters == 0)
    *name = with_signature(job, callee, target);
  if (*name) return NAME_OTHERWISE;
  return is_overload ? NAME_IMPOSSIBLE : NAME_BY_LAUNCHER;
}

static void refuse_name(const Job *job, const Node *callee) {
  kernel_refuse(job->kernel, job->program, callee,
                "launched without its template arguments: write %s<...><<<...>>>",
                job->kernel->function->name);
}

// ---- launches in the text

static const char *default_argument(Program *program, const Node *parameter) {
  const Node *value = NULL;
  for (const Node *child = parameter->child; child; child = child->next)
    if (clang_isExpression(child->kind)) value = child;
  if (!value || value->file == NO_FILE || value->is_from_macro) return NULL;
  return text_piece(&program->sources.files[value->file], &program->arena, value->begin,
                    value->end);
}

// launch() wants all arguments: those that the launch leaves out have defaults.
static void add_default_arguments(const Job *job, const Node *call) {
  Program *program = job->program;
  const Node *parameter = node_child_of_kind(job->kernel->body->node, CXCursor_ParmDecl);
  int given = 0, number = 0;
  const Node *configuration = call_configuration(call);
  for (const Node *child = configuration->next; child; child = child->next)
    given += child->file != NO_FILE && child->end > child->begin;
  const char *added = "";
  for (; parameter; parameter = parameter->next) {
    if (parameter->kind != CXCursor_ParmDecl || number++ < given) continue;
    const char *value = default_argument(program, parameter);
    if (!value) continue;
    added = arena_printf(&program->arena, "%s%s%s", added, number > 1 ? ", " : "", value);
  }
  if (*added) rewrite_insert(program, call->file, call->end - 1, added);
}

// Where the last of three brackets is, which may have spaces between them.
static uint32_t skip_three(const SourceFile *file, uint32_t at, char bracket) {
  for (int count = 0; at < file->length; at++) {
    count += file->text[at] == bracket;
    if (count == 3) return at + 1;
  }
  return at;
}

static uint32_t back_over_space(const SourceFile *file, uint32_t at) {
  while (at > 0 && (file->text[at - 1] == ' ' || file->text[at - 1] == '\t')) at--;
  return at;
}

static uint32_t over_blanks(const SourceFile *file, uint32_t at) {
  while (file->text[at] == ' ' || file->text[at] == '\t') at++;
  return at;
}

// kernel<<<configuration>>>(arguments)
typedef struct Brackets {
  int file;
  uint32_t kernel_begin, kernel_end;
  uint32_t open, inner;     // from <<< to the configuration
  uint32_t close, outside;  // from behind it to the arguments' parenthesis
} Brackets;

// From the bytes of the kernel and the first of <<<.
static Brackets find_launch_brackets(Program *program, int number, uint32_t begin, uint32_t end,
                                     uint32_t open) {
  const SourceFile *file = &program->sources.files[number];
  uint32_t inner = over_blanks(file, skip_three(file, open, '<')), close = inner;
  while (close < file->length && strncmp(file->text + close, ">>", 2) != 0) {
    bool is_open = strchr("([{", file->text[close]) != NULL;
    close = is_open ? text_skip_brackets(file, close) : text_skip_token(file, close);
    close = text_skip_space(file, close);
  }
  // A template's brackets may close before the launch's.
  while (file->text[close] == '>' && file->text[close + 3] == '>') close++;
  return (Brackets){.file = number,
                    .kernel_begin = begin,
                    .kernel_end = end,
                    .open = open,
                    .inner = inner,
                    .close = back_over_space(file, close),
                    .outside = over_blanks(file, skip_three(file, close, '>'))};
}

static void replace_brackets(Program *program, const Brackets *brackets, const char *name) {
  int file = brackets->file;
  rewrite_insert(program, file, brackets->kernel_begin, "heddle::cluster::launch(");
  if (name) rewrite_replace(program, file, brackets->kernel_begin, brackets->kernel_end, name);
  rewrite_replace(program, file, brackets->kernel_end, brackets->inner, ", ");
  rewrite_replace(program, file, brackets->close, brackets->outside, ")");
}

// kernel_launch(configuration(...), arguments)
static void use_launcher(const Job *job, const Brackets *brackets, const Node *callee) {
  Program *program = job->program;
  const SourceFile *file = &program->sources.files[callee->file];
  uint32_t name_at = callee->begin, first = text_skip_space(file, brackets->outside + 1);
  if (!text_find_word(file, callee->begin, callee->end, job->kernel->function->name, &name_at))
    return;
  uint32_t behind_name = name_at + (uint32_t)strlen(job->kernel->function->name);
  rewrite_insert(program, brackets->file, behind_name, "_launch");
  rewrite_replace(program, brackets->file, brackets->kernel_end, brackets->inner,
                  "(heddle::cluster::configuration(");
  rewrite_replace(program, brackets->file, brackets->close, brackets->outside + 1,
                  file->text[first] == ')' ? ")" : "), ");
}

// ---- launches in macros

// From behind a closing bracket back to the one that opens it.
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

static const Macro *find_macro(const Tree *tree, const char *name) {
  for (int i = tree->macro_count - 1; i >= 0; i--)
    if (strcmp(tree->macros[i].name, name) == 0) return &tree->macros[i];
  return NULL;
}

static const char *find_brackets(const SourceFile *file, const Macro *macro) {
  const char *found = strstr(file->text + macro->begin, "<<<");
  return found && found < file->text + macro->end ? found : NULL;
}

// A macro that has the launch itself, or one that it uses.
static const Macro *macro_with_launch(const Job *job, const Tree *tree, const Macro *macro,
                                      int depth) {
  const SourceFile *file = &job->program->sources.files[macro->file];
  if (find_brackets(file, macro)) return macro;
  for (int i = 0; i < tree->macro_count && depth < 8; i++) {
    const Macro *other = &tree->macros[i];
    if (other == macro || !text_find_word(file, macro->begin + (uint32_t)strlen(macro->name),
                                          macro->end, other->name, NULL))
      continue;
    const Macro *found = macro_with_launch(job, tree, other, depth + 1);
    if (found) return found;
  }
  return NULL;
}

static uint32_t macro_text_begin(const SourceFile *file, const Macro *macro) {
  uint32_t at = macro->begin + (uint32_t)strlen(macro->name);
  return text_skip_space(file, file->text[at] == '(' ? text_skip_brackets(file, at) : at);
}

static void rewrite_in_macro(const Job *job, const Tree *tree, const Node *configuration,
                             const Node *callee) {
  Program *program = job->program;
  const SourceFile *file = &program->sources.files[configuration->file];
  const char *name = text_piece(file, &program->arena, configuration->begin,
                                text_skip_token(file, configuration->begin));
  const Macro *macro = find_macro(tree, name);
  if (macro) macro = macro_with_launch(job, tree, macro, 0);
  if (!macro) {
    kernel_refuse(job->kernel, program, configuration,
                  "launched by a macro that is not in these sources (%s)", name);
    return;
  }
  if (written_arguments(file, callee) < template_parameters(job->kernel->function) ||
      is_overloaded(program, job->kernel->function)) {
    kernel_refuse(job->kernel, program, configuration,
                  "launched by a macro without its template arguments (%s)", name);
    return;
  }
  if (!job->apply) return;
  const SourceFile *in = &program->sources.files[macro->file];
  uint32_t open = (uint32_t)(find_brackets(in, macro) - in->text);
  uint32_t end = back_over_space(in, open);
  uint32_t begin = callee_begin(in, macro_text_begin(in, macro), end);
  Brackets brackets = find_launch_brackets(program, macro->file, begin, end, open);
  replace_brackets(program, &brackets, NULL);
}

static void rewrite_launch(const Job *job, const Tree *tree, const Node *call) {
  const Node *configuration = call_configuration(call), *callee = node_plain(call->child);
  if (configuration->is_from_macro) {
    rewrite_in_macro(job, tree, configuration, callee);
    return;
  }
  if (callee->is_from_macro) {
    kernel_refuse(job->kernel, job->program, callee, "launched by a name that a macro makes");
    return;
  }
  const char *name;
  Naming naming = choose_name(job, callee, &name);
  if (naming == NAME_BY_LAUNCHER && launcher_source(job->program, job->kernel))
    job->kernel->needs_launcher = true;
  else if (naming >= NAME_BY_LAUNCHER)
    refuse_name(job, callee);
  if (!job->apply) return;
  Brackets brackets = find_launch_brackets(job->program, callee->file, callee->begin, callee->end,
                                           configuration->begin);
  if (naming == NAME_BY_LAUNCHER) {
    use_launcher(job, &brackets, callee);
  } else {
    replace_brackets(job->program, &brackets, name);
    add_default_arguments(job, call);
  }
}

// ---- cudaLaunchKernel

static void rewrite_api_launch(const Job *job, const Node *call, const Node *argument,
                               const Node *reference) {
  Program *program = job->program;
  const Node *callee = node_plain(call->child);
  if (call->is_from_macro || reference->is_from_macro || callee->is_from_macro) {
    kernel_refuse(job->kernel, program, call, "cudaLaunchKernel in a macro");
    return;
  }
  const char *name;
  if (choose_name(job, reference, &name) >= NAME_BY_LAUNCHER) refuse_name(job, reference);
  if (!job->apply) return;
  const SourceFile *file = &program->sources.files[reference->file];
  if (!name) name = text_piece(file, &program->arena, reference->begin, reference->end);
  rewrite_replace(program, callee->file, callee->begin, callee->end,
                  "heddle::cluster::launch_kernel");
  rewrite_replace(program, argument->file, argument->begin, argument->end, name);
}

// ---- all that names a kernel

static bool takes_kernels(const char *name) {
  static const char *const beginnings[] = {"cudaFuncSet", "cudaFuncGet", "cudaOccupancy", NULL};
  for (const char *const *beginning = beginnings; *beginning; beginning++)
    if (strncmp(name, *beginning, strlen(*beginning)) == 0) return true;
  return false;
}

static bool is_cast(const Node *node) {
  return node->kind == CXCursor_CStyleCastExpr || node->kind == CXCursor_CXXStaticCastExpr ||
         node->kind == CXCursor_CXXReinterpretCastExpr || node->kind == CXCursor_CXXConstCastExpr ||
         node->kind == CXCursor_CXXFunctionalCastExpr;
}

static bool is_cast_to_function(const Node *node) {
  if (!is_cast(node)) return false;
  CXType pointee = clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(node->cursor)));
  return pointee.kind == CXType_FunctionProto;
}

// The call that a reference is an argument of, through casts and &.
static const Node *call_around(const Node *reference, const Node **argument) {
  const Node *node = reference;
  for (;;) {
    const Node *above = node->parent;
    if (!above || is_cast_to_function(node)) return NULL;
    if (above->kind == CXCursor_CallExpr) {
      *argument = node;
      return above;
    }
    bool is_passed_on = is_cast(above) || above->kind == CXCursor_UnexposedExpr ||
                        above->kind == CXCursor_ParenExpr || above->kind == CXCursor_UnaryOperator;
    if (!is_passed_on) return NULL;
    node = above;
  }
}

// In an instance of a template, which has no text of its own.
static bool is_written(const Mention *mention) {
  const Node *node = mention->node;
  while (node->parent) node = node->parent;
  return node == mention->tree->root && mention->node->file != NO_FILE;
}

static void rewrite_mention(const Job *job, const Mention *mention) {
  Program *program = job->program;
  const Node *reference = mention->node;
  if (reference->kind == CXCursor_OverloadedDeclRef) reference = reference->parent;
  const Node *argument = NULL, *call = call_around(reference, &argument);
  const char *name = call ? call_name(program, call) : "";
  bool is_callee = call && argument == call->child;
  if (is_callee && call_configuration(call))
    rewrite_launch(job, mention->tree, call);
  else if (call && strcmp(name, "cudaLaunchKernel") == 0)
    rewrite_api_launch(job, call, argument, reference);
  else if (call && strncmp(name, "cudaLaunchCooperativeKernel", 27) == 0)
    kernel_refuse(job->kernel, program, call,
                  "a cooperative launch: all CTAs of the grid must run at the same time");
  else if (!call || !takes_kernels(name))
    kernel_refuse(job->kernel, program, reference,
                  "its address is taken here: launches through pointers cannot be rewritten");
}

void rewrite_launches(Program *program, Kernel *kernel, bool apply) {
  Job job = {.program = program, .kernel = kernel, .apply = apply};
  for (const Mention *mention = kernel->function->mentions; mention; mention = mention->next)
    if (is_written(mention)) rewrite_mention(&job, mention);
  if (apply && kernel->needs_launcher) launcher_insert(program, kernel);
}
