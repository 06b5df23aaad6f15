// SPDX-License-Identifier: MIT
// Plans the rewriting of all kernels of a program and applies it to its files.
#include "clustering/cluster.h"

#include <string.h>

#include "base/text/closest.h"
#include "base/memory.h"
#include "clustering/rewrite/apart.h"
#include "clustering/rewrite/bypass.h"
#include "clustering/analysis/direction.h"
#include "clustering/analysis/kernel.h"
#include "clustering/analysis/order.h"
#include "clustering/output.h"
#include "clustering/rewrite/rewrite.h"
#include "clustering/text.h"

typedef struct Work {
  const RewriteRequest *request;
  Program program;
  Bypass bypass;
  Kernel *kernels;
  int count, capacity;
} Work;

// ---- which kernels

// NULL: none. Without names: all but prototypes of kernels that these sources neither define
// nor launch, as headers have them.
static const Rewriting *rewriting_of(const RewriteRequest *request, const Function *function) {
  if (request->kernel_count == 0)
    return function->bodies || function->mentions ? &request->rewriting : NULL;
  for (int i = 0; i < request->kernel_count; i++)
    if (strcmp(request->kernels[i].name, function->name) == 0)
      return &request->kernels[i].rewriting;
  return NULL;
}

static int by_place(const Kernel *a, const Kernel *b) {
  const Declaration *x = a->function->declarations, *y = b->function->declarations;
  if (x->node->file != y->node->file) return x->node->file < y->node->file ? -1 : 1;
  return x->name_at < y->name_at ? -1 : x->name_at > y->name_at;
}

// In the order in which they are written.
static void add_kernel(Work *work, Function *function, const Rewriting *rewriting) {
  Kernel kernel = {.function = function, .rewriting = rewriting};
  GROW(work->kernels, work->count, work->capacity);
  int at = work->count++;
  for (; at > 0 && by_place(&kernel, &work->kernels[at - 1]) < 0; at--)
    work->kernels[at] = work->kernels[at - 1];
  work->kernels[at] = kernel;
}

static Status check_names(const Work *work, Error *err) {
  for (int i = 0; i < work->request->kernel_count; i++) {
    const char *name = work->request->kernels[i].name;
    Closest closest = closest_start(name);
    bool is_there = false;
    for (const Function *function = work->program.functions; function;
         function = function->hh.next) {
      if (!function->is_kernel) continue;
      closest_offer(&closest, function->name);
      is_there |= strcmp(function->name, name) == 0;
    }
    if (!is_there && work->request->may_leave_some)
      fprintf(stderr, "kernel %s is not in %s\n", name, work->request->paths[0]);
    else if (!is_there)
      return error_set(err, ERR_USAGE, "--kernel %.80s: no such kernel in %s%s%s%s", name,
                       work->request->paths[0], CLOSEST_HINT(closest));
  }
  return OK;
}

static Status choose_kernels(Work *work, Error *err) {
  for (Function *function = work->program.functions; function; function = function->hh.next) {
    if (!function->is_kernel || !function->declarations) continue;
    const Rewriting *rewriting = rewriting_of(work->request, function);
    if (rewriting) add_kernel(work, function, rewriting);
  }
  if (work->count == 0 && work->request->kernel_count == 0)
    return error_set(err, ERR_USAGE, "%s: no kernels", work->request->paths[0]);
  return check_names(work, err);
}

// ---- how

static bool is_used(const Work *work, const Kernel *kernel, const char *name) {
  for (const Declaration *declaration = kernel->function->declarations; declaration;
       declaration = declaration->next) {
    const Node *node = declaration->node;
    if (text_find_word(&work->program.sources.files[node->file], node->begin, node->end, name,
                       NULL))
      return true;
  }
  return false;
}

// A claim costs an atomic and a barrier per CTA. It pays in kernels whose CTAs are long and
// drift apart: with loops, and without the barriers that shared memory requires. docs/cluster.md
// has measurements.
static bool is_by_counter(const Kernel *kernel) {
  if (kernel->rewriting->claim != CLAIM_AUTO) return kernel->rewriting->claim == CLAIM_COUNTER;
  return kernel->has_loop && kernel->separation == SEPARATION_NONE;
}

// The template arguments after the order; the defaults are all agents, by stride.
static const char *agents_text(const Kernel *kernel, Arena *arena) {
  int active = kernel->rewriting->active;
  const char *claim = is_by_counter(kernel) ? ", heddle::cluster::BY_COUNTER" : "";
  if (active > 0) return arena_printf(arena, ", %d%s", active, claim);
  if (active == ACTIVE_VOTED)
    return arena_printf(arena, ", heddle::cluster::VOTED_AGENTS%s", claim);
  return *claim ? arena_printf(arena, ", heddle::cluster::ALL_AGENTS%s", claim) : "";
}

static void name_plan(Work *work, Kernel *kernel) {
  static const struct {
    const char *type, *name, *other_name;
  } plans[] = {[METHOD_AGENTS] = {"Agents", "agents", "cluster_agents"},
               [METHOD_REDIRECTION] = {"Redirection", "redirection", "cluster_redirection"},
               [METHOD_NUMBERING] = {"Numbering", "numbering", "cluster_numbering"}};
  RewriteMethod method = kernel->rewriting->method;
  Arena *arena = &work->program.arena;
  kernel->is_by_agents = method == METHOD_AGENTS;
  kernel->plan = arena_printf(arena, "heddle::cluster::%s<%s%s>", plans[method].type, kernel->order,
                              kernel->is_by_agents ? agents_text(kernel, arena) : "");
  bool is_taken = is_used(work, kernel, plans[method].name);
  kernel->plan_name = is_taken ? plans[method].other_name : plans[method].name;
}

static Status examine(Work *work, Kernel *kernel, Error *err) {
  Program *program = &work->program;
  Direction direction;
  kernel_examine(kernel, program, work->request);
  if (!kernel->body) return OK;
  rewrite_launches(program, kernel, false);
  rewrite_functions(program, kernel, false);
  direction_find(&direction, program, kernel);
  Status status = order_choose(program, kernel, &direction, err);
  if (status == OK) {
    name_plan(work, kernel);
    if (work->request->is_explained) direction_explain(&direction, program, kernel, stdout);
  }
  direction_clear(&direction);
  return status;
}

// ---- refusals

static Status report_refusals(const Work *work, Error *err) {
  int refused = 0, length = 0;
  for (int i = 0; i < work->count; i++) {
    const Kernel *kernel = &work->kernels[i];
    if (!kernel->refusal) continue;
    refused++;
    const char *colon =
        strchr(strchr(kernel->refusal, ':') ? strchr(kernel->refusal, ':') + 1 : "", ':');
    int place = colon ? (int)(colon - kernel->refusal) : 0;
    if (work->request->may_leave_some)
      fprintf(stderr, "%.*s: kernel %s is not rewritten%s\n", place, kernel->refusal,
              kernel->function->name, kernel->refusal + place);
    else if (err && length < ERROR_TEXT_BYTES - 1)
      length += snprintf(err->text + length, (size_t)(ERROR_TEXT_BYTES - length),
                         "%s%.*s: kernel %s cannot be rewritten%s", length ? "\n" : "", place,
                         kernel->refusal, kernel->function->name, kernel->refusal + place);
  }
  if (refused == 0 || (work->request->may_leave_some && refused < work->count)) return OK;
  if (work->request->may_leave_some)
    return error_set(err, ERR_UNSUPPORTED, "none of the kernels can be rewritten");
  if (err) err->status = ERR_UNSUPPORTED;
  return ERR_UNSUPPORTED;
}

// ---- all of it

static Status parse_all(Work *work, Error *err) {
  CcToolchain toolchain;
  TRY(cc_toolchain_find(&toolchain, err));
  for (int i = 0; i < work->request->path_count; i++)
    TRY(program_add(&work->program, work->request->paths[i], &work->request->flags, &toolchain,
                    err));
  return OK;
}

static void rewrite_one(Work *work, Kernel *kernel) {
  Direction direction;
  rewrite_kernel(&work->program, kernel, work->request);
  rewrite_launches(&work->program, kernel, true);
  rewrite_functions(&work->program, kernel, true);
  direction_find(&direction, &work->program, kernel);
  bypass_rewrite(&work->bypass, &work->program, kernel, &direction);
  direction_clear(&direction);
}

static Status rewrite(Work *work, Error *err) {
  TRY(parse_all(work, err));
  TRY(bypass_read(&work->bypass, &work->program, work->request, err));
  TRY(choose_kernels(work, err));
  for (int i = 0; i < work->count; i++) TRY(examine(work, &work->kernels[i], err));
  TRY(program_check_depth(&work->program, err));
  // The macros that must not be rewritten are known now.
  for (int i = 0; i < work->count; i++)
    if (work->kernels[i].body) rewrite_launches(&work->program, &work->kernels[i], false);
  TRY(report_refusals(work, err));
  for (int i = 0; i < work->count; i++)
    if (!work->kernels[i].refusal) rewrite_one(work, &work->kernels[i]);
  TRY(bypass_check(&work->bypass, err));
  return output_write(&work->program, work->request, err);
}

static Status rewrite_request(void *request, Error *err) {
  Work work = {.request = request};
  program_init(&work.program);
  Status status = rewrite(&work, err);
  bypass_clear(&work.bypass);
  memory_free(work.kernels);
  program_clear(&work.program);
  return status;
}

Status cluster_rewrite(const RewriteRequest *request, Error *err) {
  return apart_run(rewrite_request, (void *)request, request->paths[0], err);
}
