// SPDX-License-Identifier: MIT
// kernel<<<grid, block>>>(arguments) becomes
// heddle::cluster::launch(kernel, grid, block)(arguments), and cudaLaunchKernel
// heddle::cluster::launch_kernel, and so on. Other calls that take a kernel (attributes,
// occupancy) are unchanged; any other use of its name is a reason to reject it.
#include <string.h>

#include "clustering/analysis/block_size.h"
#include "clustering/rewrite/launch_text.h"
#include "clustering/rewrite/launcher.h"
#include "clustering/rewrite/rewrite.h"
#include "clustering/text.h"

typedef LaunchJob Job;

// ---- naming a kernel

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
  bool is_complete = written_arguments(file, callee->begin, callee->end) >= parameters;
  bool is_overload = is_overloaded(program, job->kernel->function);
  *name = NULL;
  if (is_complete && !is_overload) return NAME_AS_WRITTEN;
  if (!is_overload) *name = kernel_full_name(program, callee);
  if (names_function(target) && is_overload && parameters == 0)
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

static void note_threads(const Job *job, Tree *tree, const Node *call) {
  unsigned threads = block_size(tree, call);
  if (threads > job->kernel->threads) job->kernel->threads = threads;
  if (!threads) job->kernel->has_unknown_threads = true;
}

static void rewrite_launch(const Job *job, Tree *tree, const Node *call) {
  note_threads(job, tree, call);
  const Node *configuration = call_configuration(call), *callee = node_plain(call->child);
  if (configuration->is_from_macro) {
    rewrite_in_macro(job, tree, call);
    return;
  }
  if (callee->is_from_macro) {
    kernel_refuse(job->kernel, job->program, callee, "launched by a name that a macro generates");
    return;
  }
  const char *name;
  Naming naming = choose_name(job, callee, &name);
  if (naming == NAME_BY_LAUNCHER && launcher_source(job->program, job->kernel))
    job->kernel->needs_launcher = true;
  else if (naming >= NAME_BY_LAUNCHER)
    refuse_name(job, callee);
  if (!job->apply) return;
  Brackets brackets = brackets_find(job->program, callee->file, callee->begin, callee->end,
                                    configuration->begin, configuration->end);
  if (naming == NAME_BY_LAUNCHER) {
    use_launcher(job, &brackets, callee);
  } else {
    const char *left_out = left_out_arguments(job->program, job->kernel, call);
    brackets_replace_in_line(job->program, &brackets, name);
    if (*left_out) rewrite_insert(job->program, call->file, call->end - 1, left_out);
  }
}

// ---- cudaLaunchKernel, cudaLaunchKernelEx, cudaLaunchKernelExC

// The function of cluster.cuh for a call that launches; NULL for other calls.
static const char *api_launch(const char *name) {
  static const char *const names[][2] = {
      {"cudaLaunchKernel", "heddle::cluster::launch_kernel"},
      {"cudaLaunchKernelEx", "heddle::cluster::launch_kernel_ex"},
      {"cudaLaunchKernelExC", "heddle::cluster::launch_kernel_ex_c"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i][0]) == 0) return names[i][1];
  return NULL;
}

static void rewrite_api_launch(const Job *job, const Node *call, const Node *argument,
                               const Node *reference) {
  Program *program = job->program;
  const Node *callee = node_plain(call->child);
  if (call->is_from_macro || reference->is_from_macro || callee->is_from_macro) {
    kernel_refuse(job->kernel, program, call, "%s in a macro", call_name(program, call));
    return;
  }
  const char *name;
  if (choose_name(job, reference, &name) >= NAME_BY_LAUNCHER) refuse_name(job, reference);
  job->kernel->has_unknown_threads = true;
  if (!job->apply) return;
  const SourceFile *file = &program->sources.files[reference->file];
  if (!name) name = text_piece(file, &program->arena, reference->begin, reference->end);
  rewrite_replace(program, callee->file, callee->begin, callee->end,
                  api_launch(call_name(program, call)));
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
  else if (call && api_launch(name))
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
