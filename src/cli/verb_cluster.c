// SPDX-License-Identifier: MIT
// heddle cluster: rewrites CUDA sources so that CTAs that share data run on one SM.
// The rewriter is a separate library next to heddle, because it loads libclang.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/own_folder.h"
#include "cli/arguments.h"
#include "cluster/cluster.h"

// ---- options

static Status read_method(const char *text, ClusterMethod *method, Error *err) {
  *method = strcmp(text, "redirection") == 0 ? METHOD_REDIRECTION : METHOD_AGENTS;
  if (*method == METHOD_REDIRECTION || strcmp(text, "agents") == 0) return OK;
  return error_set(err, ERR_USAGE, "--method %.40s: expected agents or redirection", text);
}

// "xyz", "xzy", ...: the fastest axis first.
static bool read_axes(const char *text, int axes[3]) {
  unsigned seen = 0;
  if (strlen(text) != 3) return false;
  for (int i = 0; i < 3; i++) {
    if (text[i] < 'x' || text[i] > 'z') return false;
    axes[i] = text[i] - 'x';
    seen |= 1u << axes[i];
  }
  return seen == 7;
}

static bool read_tile(const char *text, ClusterRequest *request) {
  char *end;
  request->tile_width = request->tile_height = 4;
  if (strncmp(text, "tile", 4) != 0) return false;
  if (!text[4]) return true;
  if (text[4] != '=') return false;
  long width = strtol(text + 5, &end, 10), height = width;
  if (*end == 'x') height = strtol(end + 1, &end, 10);
  request->tile_width = (int)width;
  request->tile_height = (int)height;
  return !*end && width > 0 && height > 0 && width <= 1024 && height <= 1024;
}

static Status read_order(const char *text, ClusterRequest *request, Error *err) {
  static const struct {
    const char *name;
    ClusterOrder order;
  } names[] = {
      {"auto", ORDER_AUTO}, {"row", ORDER_ROW}, {"column", ORDER_COLUMN}, {"longer", ORDER_LONGER}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    request->order = names[i].order;
    if (strcmp(text, names[i].name) == 0) return OK;
  }
  request->order = ORDER_TABLE;
  request->table_path = text + strlen("table=");
  if (strncmp(text, "table=", strlen("table=")) == 0 && *request->table_path) return OK;
  request->order = ORDER_AXES;
  if (read_axes(text, request->axes)) return OK;
  request->order = ORDER_TILE;
  if (read_tile(text, request)) return OK;
  return error_set(
      err, ERR_USAGE,
      "--order %.40s: expected auto, row, column, longer, tile, tile=WxH, table=FILE, or axes "
      "from the fastest to the slowest, such as xzy",
      text);
}

static Status read_active(const char *text, int *active, Error *err) {
  char *end;
  *active = ACTIVE_ALL;
  if (strcmp(text, "all") == 0) return OK;
  *active = ACTIVE_VOTED;
  if (strcmp(text, "vote") == 0) return OK;
  long count = strtol(text, &end, 10);
  *active = (int)count;
  if (end != text && !*end && count >= 1 && count <= 32) return OK;
  return error_set(err, ERR_USAGE, "--active %.40s: expected a number from 1 to 32, all, or vote",
                   text);
}

// Values of a repeatable option.
static const char **read_list(const Arguments *arguments, const char *option, int *count) {
  const char **values = memory_alloc(sizeof *values * (size_t)(arguments->given_count + 1)), *value;
  for (int i = 0; (value = arguments_next(arguments, option, &i));) values[(*count)++] = value;
  return values;
}

static Status read_options(const Arguments *arguments, ClusterRequest *request, Error *err) {
  request->output = arguments_value(arguments, "-o", NULL);
  request->is_dry_run = arguments_has(arguments, "--dry-run");
  request->is_explained = arguments_has(arguments, "--explain");
  request->may_leave_some = arguments_has(arguments, "--all");
  request->is_independent = arguments_has(arguments, "--independent");
  request->has_prefetch = arguments_has(arguments, "--prefetch");
  request->kernels = read_list(arguments, "--kernel", &request->kernel_count);
  request->bypassed = read_list(arguments, "--bypass", &request->bypassed_count);
  TRY(read_method(arguments_value(arguments, "--method", "agents"), &request->method, err));
  TRY(read_order(arguments_value(arguments, "--order", "auto"), request, err));
  TRY(read_active(arguments_value(arguments, "--active", "all"), &request->active, err));
  if (request->method == METHOD_REDIRECTION &&
      (request->has_prefetch || request->active != ACTIVE_ALL))
    return error_set(err, ERR_USAGE, "--prefetch and --active are for --method agents");
  if (request->output || request->is_dry_run || request->is_explained) return OK;
  return error_set(err, ERR_USAGE, "no output given: -o FILE, or --dry-run to print the changes");
}

// Sources come first; nvcc options follow "--".
static Status read_sources(const Arguments *arguments, ClusterRequest *request, Error *err) {
  int flags = 0;
  while (arguments->program && arguments->program[flags]) flags++;
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

// ---- the library

typedef Status RewriteFunction(const ClusterRequest *request, Error *err);

static Status find_library(char path[OWN_FOLDER_BYTES + 64], Error *err) {
  static const char *const places[] = {"", "/../lib/heddle"};
  char program[OWN_FOLDER_BYTES];
  TRY(own_folder(program, err));
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(path, OWN_FOLDER_BYTES + 64, "%s%s/libheddle_cluster.so", program, places[i]);
    if (access(path, R_OK) == 0) return OK;
  }
  return error_set(err, ERR_IO,
                   "this Heddle was built without libclang, which parses CUDA sources; install "
                   "libclang-14-dev and rebuild");
}

static Status rewrite(const ClusterRequest *request, Error *err) {
  char path[OWN_FOLDER_BYTES + 64];
  TRY(find_library(path, err));
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "cluster_rewrite") : NULL;
  if (!symbol) return error_set(err, ERR_IO, "cannot load %s: %.400s", path, dlerror());
  RewriteFunction *function;
  memcpy(&function, &symbol, sizeof function);
  return function(request, err);
}

static Status run_cluster(const Arguments *arguments, Error *err) {
  ClusterRequest request = {0};
  Status status = read_options(arguments, &request, err);
  if (status == OK) status = read_sources(arguments, &request, err);
  if (status == OK) status = rewrite(&request, err);
  cc_request_clear(&request.flags);
  memory_free((void *)request.kernels);
  memory_free((void *)request.bypassed);
  return status;
}

static const CliOption cluster_options[] = {
    {"-o", "FILE", "rewritten source; a folder for several sources"},
    {"--method", "NAME",
     "agents (default): persistent CTAs; redirection: for round-robin dispatch"},
    {"--order", "NAME", "auto (default), row, column, longer, tile[=WxH], table=FILE, xyz ... zyx"},
    {"--active", "N", "active agents per SM: a number, all (default), or vote: tuned at run time"},
    {"--bypass", "WHAT",
     "loads that bypass the L1: an array, FILE:LINE, auto, RESULT.json; repeatable"},
    {"--prefetch", NULL, "prefetch the data of each agent's next CTA"},
    {"--kernel", "NAME", "rewrite this kernel only; repeatable"},
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
