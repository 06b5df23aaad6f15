// SPDX-License-Identifier: MIT
// heddle cluster: rewrites CUDA sources so that CTAs that share data run on one SM.
// The rewriter is a separate library next to heddle, because it loads libclang.
#include <string.h>

#include "base/memory.h"
#include "cli/arguments.h"
#include "clustering/rewriting.h"

// ---- options

// Each with parameters of its own, or those of the command line.
static Status read_kernels(const Arguments *arguments, RewriteRequest *request, Arena *arena,
                           Error *err) {
  const char *text;
  request->kernels = ARENA_ARRAY(arena, KernelRequest, arguments->given_count + 1);
  for (int i = 0; (text = arguments_next(arguments, "--kernel", &i));) {
    KernelRequest *kernel = &request->kernels[request->kernel_count++];
    if (rewriting_parse_kernel(kernel, request, text, arena, err) != OK)
      return error_prefix(err, "--kernel %.40s", text);
  }
  return OK;
}

static Status read_rewriting(const Arguments *arguments, RewriteRequest *request, Arena *arena,
                             Error *err) {
  static const char *const names[] = {"method", "order", "active", "claim", "ctas", "bypass"};
  for (int i = 0; i < arguments->given_count; i++) {
    const struct GivenOption *given = &arguments->given[i];
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
      if (strcmp(given->option->name + 2, names[n]) != 0) continue;
      if (rewriting_set(request, names[n], given->value, arena, err) != OK)
        return error_prefix(err, "%s %.40s", given->option->name, given->value);
    }
  }
  return rewriting_check(request, err);
}

static Status read_options(const Arguments *arguments, RewriteRequest *request, Arena *arena,
                           Error *err) {
  request->output = arguments_value(arguments, "-o", NULL);
  request->is_dry_run = arguments_has(arguments, "--dry-run");
  request->is_explained = arguments_has(arguments, "--explain");
  request->may_leave_some = arguments_has(arguments, "--all");
  request->is_independent = arguments_has(arguments, "--independent");
  request->rewriting.has_prefetch = arguments_has(arguments, "--prefetch");
  TRY(read_rewriting(arguments, request, arena, err));
  TRY(read_kernels(arguments, request, arena, err));
  if (request->output || request->is_dry_run || request->is_explained) return OK;
  return error_set(err, ERR_USAGE, "no output given: -o FILE, or --dry-run to print the changes");
}

// Sources come first; nvcc options follow "--".
static Status read_sources(const Arguments *arguments, RewriteRequest *request, Error *err) {
  int flags = arguments_behind(arguments);
  request->paths = arguments->operands;
  request->path_count = arguments->operand_count - flags;
  if (request->path_count == 0)
    return error_set(err, ERR_USAGE, "no source file given; usage: heddle %s %s",
                     arguments->verb->name, arguments->verb->operands);
  const char **words = memory_alloc(sizeof *words * (size_t)(flags + 2));
  for (int i = 0; i < flags; i++) words[i] = arguments->program[i];
  words[flags] = request->paths[0];  // a request without a source would be rejected
  Status status = cc_request_parse(&request->flags, flags + 1, words, err);
  memory_free(words);
  return status;
}

static Status run_cluster(const Arguments *arguments, Error *err) {
  RewriteRequest request = {0};
  Arena arena = {0};
  Status status = read_options(arguments, &request, &arena, err);
  if (status == OK) status = read_sources(arguments, &request, err);
  if (status == OK) status = rewriting_run(&request, err);
  cc_request_clear(&request.flags);
  arena_clear(&arena);
  return status;
}

static const CliOption cluster_options[] = {
    {"-o", "FILE", "rewritten source; a folder for several sources"},
    {"--method", "NAME",
     "agents (default): persistent CTAs; redirection: for round-robin dispatch; numbering: an "
     "order for the L2"},
    {"--order", "NAME", "auto (default), row, column, longer, tile[=WxH], table=FILE, xyz ... zyx"},
    {"--active", "N", "active agents per SM: a number, all (default), or vote: tuned at run time"},
    {"--claim", "HOW",
     "how agents of an SM share its CTAs: stride (default), counter: one by one, auto"},
    {"--ctas", "N", "CTAs per SM that registers must allow, for __launch_bounds__"},
    {"--bypass", "WHAT",
     "loads that bypass the L1: an array, FILE:LINE, auto, RESULT.json; repeatable"},
    {"--prefetch", NULL, "prefetch the data of each agent's next CTA"},
    {"--kernel", "NAME",
     "rewrite this kernel only; NAME:order=row,active=2 for it alone; repeatable"},
    {"--all", NULL, "skip kernels that cannot be rewritten instead of failing"},
    {"--independent", NULL, "assert that CTAs never wait for one another"},
    {"--explain", NULL, "print which CTAs share each array, and the order chosen"},
    {"--dry-run", NULL, "print a diff and write nothing"},
    {0}};

const Verb cluster_verb = {
    .name = "cluster",
    .summary = "rewrites CUDA sources so that CTAs sharing data run on one SM",
    .operands = "FILE.cu... -o FILE [-- NVCC OPTIONS]",
    .details =
        "See docs/cluster.md.\n"
        "  heddle cluster prog.cu -o prog.clustered.cu\n"
        "  heddle cluster prog.cu --dry-run --order column -- -I include -DN=64\n"
        "  heddle cc prog.clustered.cu -o prog   # or nvcc -I PREFIX/include\n",
    .options = cluster_options,
    .takes_program = true,
    .min_operands = 1,
    .max_operands = 1 << 20,
    .run = run_cluster};
