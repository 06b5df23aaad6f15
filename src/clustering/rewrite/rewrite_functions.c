// SPDX-License-Identifier: MIT
// A function that uses blockIdx, or calls one that does, receives it as its first parameter,
// under the same name, so that its body is unchanged. Callers pass their blockIdx, which in
// kernels that are not rewritten is the built-in variable.
#include <string.h>

#include "clustering/rewrite/rewrite.h"
#include "clustering/text.h"

typedef struct Job {
  Program *program;
  Kernel *kernel;
  bool apply;
} Job;

// A parameter that a __host__ __device__ function uses only in device code is unused on the host.
static bool is_unused_on_host(Program *program, Function *function, unsigned uses) {
  FOR_EACH_BODY(body, function) {
    unsigned here = 0;
    if (body->tree->is_device) continue;
    const ReachedList *reached = calls_reached(program, body);
    for (int i = 0; i < reached->count; i++) here |= body_uses(reached->items[i].body);
    if ((here & uses) != uses) return true;
  }
  return false;
}

static const char *parameters_for(Program *program, Function *function, unsigned uses) {
  const char *attribute =
      is_unused_on_host(program, function, uses) ? "__attribute__((unused)) " : "";
  const char *both = uses == (USES_BLOCK_IDX | USES_GRID_DIM) ? ", " : "";
  const char *block = uses & USES_BLOCK_IDX ? "uint3 blockIdx" : "";
  const char *grid = uses & USES_GRID_DIM ? "dim3 gridDim" : "";
  return arena_printf(&program->arena, "%s%s%s%s%s", attribute, block, both, *both ? attribute : "",
                      grid);
}

static const char *arguments_for(unsigned uses) {
  switch (uses) {
    case USES_BLOCK_IDX: return "blockIdx";
    case USES_GRID_DIM: return "gridDim";
    default: return "blockIdx, gridDim";
  }
}

// ---- declarations

static bool is_operator(const Function *function) {
  return strncmp(function->name, "operator", 8) == 0 && !text_is_word_byte(function->name[8]);
}

// The only operator with any number of parameters.
static bool is_call_operator(const Function *function) {
  return strcmp(function->name, "operator()") == 0;
}

static void check_kind(const Job *job, const Function *function, const Node *node) {
  const char *what = NULL;
  if (node->kind == CXCursor_Constructor) what = "a constructor";
  if (node->kind == CXCursor_Destructor) what = "a destructor";
  if (node->kind == CXCursor_ConversionFunction) what = "a conversion";
  if (is_operator(function) && !is_call_operator(function)) what = "an operator other than ()";
  if (clang_CXXMethod_isVirtual(node->cursor)) what = "a virtual function";
  if (what)
    kernel_refuse(job->kernel, job->program, node,
                  "%s that names blockIdx or gridDim, or calls what does, cannot get them as "
                  "parameters",
                  what);
}

static const Node *first_use(const Tree *tree, const Node *root) {
  FOR_EACH_NODE(node, (Node *)root)
    if (node_uses(tree, node)) return node;
  return NULL;
}

// Including declarations whose default arguments the definition does not repeat.
static void check_default_arguments(const Job *job, const Function *function) {
  for (const Declaration *declaration = function->declarations; declaration;
       declaration = declaration->next)
    for (const Node *child = declaration->node->child; child; child = child->next) {
      const Node *use =
          child->kind == CXCursor_ParmDecl ? first_use(declaration->tree, child) : NULL;
      if (use)
        kernel_refuse(job->kernel, job->program, use,
                      "a default argument of '%s' names blockIdx or gridDim and cannot get them as "
                      "parameters",
                      function->name);
    }
}

static void edit_declarations(const Job *job, Function *function, unsigned uses) {
  for (const Declaration *declaration = function->declarations; declaration;
       declaration = declaration->next) {
    const Node *node = declaration->node;
    const SourceFile *file = &job->program->sources.files[node->file];
    check_kind(job, function, node);
    uint32_t at = text_find_parameters(file, declaration->name_at);
    const char *word = is_call_operator(function) ? "operator" : function->name;
    bool is_plain = text_has_word_at(file, declaration->name_at, word) && at < file->length &&
                    file->text[at] == '(';
    if (!is_plain)
      kernel_refuse(job->kernel, job->program, node,
                    "'%s' names blockIdx or gridDim and is declared by a macro", function->name);
    else if (job->apply)
      rewrite_first_in_parentheses(job->program, node->file, at,
                                   parameters_for(job->program, function, uses));
  }
}

// ---- calls

// Whether the text at a call means this function only: in a template it may mean
// others too, which need something else.
static void check_same_place(const Job *job, const Mention *mention, unsigned uses) {
  for (Function *other = job->program->functions; other; other = other->hh.next) {
    if (strcmp(other->name, node_name(mention->tree->arena, mention->node)) != 0) continue;
    for (const Mention *there = other->mentions; there; there = there->next)
      if (there->node->file == mention->node->file && there->node->begin == mention->node->begin &&
          function_needs(job->program, other) != uses) {
        kernel_refuse(job->kernel, job->program, mention->node,
                      "'%s' means functions here that name blockIdx or gridDim and others that do "
                      "not",
                      other->name);
        return;
      }
  }
}

static const Node *above_reference(const Node *reference) {
  const Node *node = reference;
  while (node->parent &&
         (node->parent->kind == CXCursor_UnexposedExpr ||
          node->parent->kind == CXCursor_ParenExpr ||
          (node->kind == CXCursor_OverloadedDeclRef && node->parent->kind != CXCursor_CallExpr)))
    node = node->parent;
  return node;
}

// The parenthesis of a call's arguments. False: the reference is not that of a call, or, with
// *is_in_macro, the call is not in the text.
static bool find_arguments(const Job *job, const Function *function, const Node *reference,
                           uint32_t *at, bool *is_in_macro) {
  const SourceFile *file = &job->program->sources.files[reference->file];
  const Node *node = above_reference(reference), *call = node->parent;
  *is_in_macro = false;
  if (!call || call->kind != CXCursor_CallExpr) return false;
  // In object(...), the object comes first.
  bool is_object = is_call_operator(function) && reference->kind == CXCursor_DeclRefExpr;
  if (call->child != node && !is_object) return false;
  *at = text_skip_space(file, call->child->end);
  *is_in_macro = call->is_from_macro || call->child->is_from_macro || file->text[*at] != '(';
  return !*is_in_macro;
}

static bool has_attribute(const Node *function, enum CXCursorKind kind) {
  return node_child_of_kind(function, kind) != NULL;
}

// Whether this is in a function for the host alone, which has no blockIdx to pass on.
static bool is_host_code(const Node *node) {
  while (node && !node_is_function(node)) node = node->parent;
  return node && !has_attribute(node, CXCursor_CUDADeviceAttr) &&
         !has_attribute(node, CXCursor_CUDAGlobalAttr);
}

static void edit_call(const Job *job, const Function *function, const Mention *mention,
                      unsigned uses) {
  const Node *reference = mention->node;
  uint32_t at;
  bool is_in_macro;
  const char *how = NULL;
  if (reference->file == NO_FILE) return;
  if (!find_arguments(job, function, reference, &at, &is_in_macro))
    how = is_in_macro ? "in a macro" : "through a pointer";
  else if (is_host_code(reference))
    how = "by host code, too";
  if (how) {
    kernel_refuse(job->kernel, job->program, reference,
                  "'%s', which names blockIdx or gridDim, is called %s", function->name, how);
    return;
  }
  check_same_place(job, mention, uses);
  if (job->apply)
    rewrite_first_in_parentheses(job->program, reference->file, at, arguments_for(uses));
}

// ---- a kernel's functions

static void rewrite_function(const Job *job, Function *function, const Node *call) {
  unsigned uses = function_needs(job->program, function);
  if (!function->declarations) {
    kernel_refuse(job->kernel, job->program, call,
                  "'%s' names blockIdx or gridDim and is not in these sources", function->name);
    return;
  }
  edit_declarations(job, function, uses);
  for (const Mention *mention = function->mentions; mention; mention = mention->next)
    edit_call(job, function, mention, uses);
}

void rewrite_functions(Program *program, Kernel *kernel, bool apply) {
  Job job = {.program = program, .kernel = kernel, .apply = apply};
  int visit = ++program->visit;
  FOR_EACH_BODY(body, kernel->function) {
    const ReachedList *reached = calls_reached(program, body);
    for (int i = 1; i < reached->count; i++) {
      Function *function = reached->items[i].body->function;
      if (function->is_kernel || function->visit == visit) continue;
      function->visit = visit;
      check_default_arguments(&job, function);
      if (function_needs(program, function))
        rewrite_function(&job, function, reached->items[i].call);
    }
  }
}
