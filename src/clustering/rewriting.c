// SPDX-License-Identifier: MIT
// Reads and prints a rewriting as one text, METHOD:key=value,...
#include "clustering/rewriting.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/closest.h"
#include "base/files/own_folder.h"
#include "base/text/text_list.h"

// ---- parameters

static Status set_method(Rewriting *rewriting, const char *text, Error *err) {
  static const char *const names[] = {[METHOD_AGENTS] = "agents",
                                      [METHOD_REDIRECTION] = "redirection",
                                      [METHOD_NUMBERING] = "numbering"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    rewriting->method = (RewriteMethod)i;
    if (strcmp(text, names[i]) == 0) return OK;
  }
  return error_set(err, ERR_USAGE, "expected agents, redirection or numbering");
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

static bool read_tile(const char *text, Rewriting *rewriting) {
  char *end;
  rewriting->tile_width = rewriting->tile_height = 4;
  if (strncmp(text, "tile", 4) != 0) return false;
  if (!text[4]) return true;
  if (text[4] != '=') return false;
  long width = strtol(text + 5, &end, 10), height = width;
  if (*end == 'x') height = strtol(end + 1, &end, 10);
  rewriting->tile_width = (int)width;
  rewriting->tile_height = (int)height;
  return !*end && width > 0 && height > 0 && width <= 1024 && height <= 1024;
}

static Status set_order(Rewriting *rewriting, const char *text, Error *err) {
  static const struct {
    const char *name;
    RewriteOrder order;
  } names[] = {
      {"auto", ORDER_AUTO}, {"row", ORDER_ROW}, {"column", ORDER_COLUMN}, {"longer", ORDER_LONGER}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    rewriting->order = names[i].order;
    if (strcmp(text, names[i].name) == 0) return OK;
  }
  rewriting->order = ORDER_TABLE;
  rewriting->table_path = text + strlen("table=");
  if (strncmp(text, "table=", strlen("table=")) == 0 && *rewriting->table_path) return OK;
  rewriting->order = ORDER_AXES;
  if (read_axes(text, rewriting->axes)) return OK;
  rewriting->order = ORDER_TILE;
  if (read_tile(text, rewriting)) return OK;
  return error_set(
      err, ERR_USAGE,
      "expected auto, row, column, longer, tile, tile=WxH, table=FILE, or axes from the "
      "fastest to the slowest, such as xzy");
}

static Status set_active(Rewriting *rewriting, const char *text, Error *err) {
  char *end;
  rewriting->active = ACTIVE_ALL;
  if (strcmp(text, "all") == 0) return OK;
  rewriting->active = ACTIVE_VOTED;
  if (strcmp(text, "vote") == 0) return OK;
  long count = strtol(text, &end, 10);
  rewriting->active = (int)count;
  if (end != text && !*end && count >= 1 && count <= 32) return OK;
  return error_set(err, ERR_USAGE, "expected a number from 1 to 32, all, or vote");
}

static void add_bypassed(RewriteRequest *request, const char *text, Arena *arena) {
  int count = request->bypassed_count++;
  const char **all = ARENA_ARRAY(arena, const char *, count + 1);
  for (int i = 0; i < count; i++) all[i] = request->bypassed[i];
  all[count] = text;
  request->bypassed = all;
}

static Status set_claim(Rewriting *rewriting, const char *text, Error *err) {
  static const char *const names[] = {
      [CLAIM_STRIDE] = "stride", [CLAIM_COUNTER] = "counter", [CLAIM_AUTO] = "auto"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    rewriting->claim = (RewriteClaim)i;
    if (strcmp(text, names[i]) == 0) return OK;
  }
  return error_set(err, ERR_USAGE, "expected auto, stride or counter");
}

static Status set_ctas(Rewriting *rewriting, const char *text, Error *err) {
  char *end;
  long count = strtol(text, &end, 10);
  rewriting->ctas = (int)count;
  if (end != text && !*end && count >= 1 && count <= 32) return OK;
  return error_set(err, ERR_USAGE, "expected a number from 1 to 32");
}

static Status set_prefetch(Rewriting *rewriting, const char *text, Error *err) {
  rewriting->has_prefetch = strcmp(text, "true") == 0;
  if (rewriting->has_prefetch || strcmp(text, "false") == 0) return OK;
  return error_set(err, ERR_USAGE, "expected true or false");
}

typedef Status SetParameter(Rewriting *rewriting, const char *text, Error *err);
static const struct {
  const char *name;
  SetParameter *set;  // NULL: a parameter of the request
} parameters[] = {{"method", set_method},    {"order", set_order}, {"active", set_active},
                  {"claim", set_claim},      {"ctas", set_ctas},   {"bypass", NULL},
                  {"prefetch", set_prefetch}};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static Status unknown_parameter(const char *name, Error *err) {
  Closest closest = closest_start(name);
  for (size_t i = 0; i < PARAMETERS; i++) closest_offer(&closest, parameters[i].name);
  return error_set(err, ERR_USAGE, "unknown parameter '%.40s' of a rewriting%s%s%s", name,
                   CLOSEST_HINT(closest));
}

Status rewriting_set(RewriteRequest *request, const char *name, const char *value, Arena *arena,
                     Error *err) {
  for (size_t i = 0; i < PARAMETERS; i++) {
    if (strcmp(name, parameters[i].name) != 0) continue;
    if (parameters[i].set) return parameters[i].set(&request->rewriting, value, err);
    if (strcmp(value, "auto") == 0)
      request->rewriting.bypasses_streams = true;
    else
      add_bypassed(request, value, arena);
    return OK;
  }
  return unknown_parameter(name, err);
}

static Status check(const Rewriting *rewriting, Error *err) {
  bool is_for_agents = rewriting->has_prefetch || rewriting->active || rewriting->claim;
  if (rewriting->method == METHOD_AGENTS || !is_for_agents) return OK;
  return error_set(err, ERR_USAGE, "prefetch, active and claim are for the method agents");
}

Status rewriting_check(const RewriteRequest *request, Error *err) {
  return check(&request->rewriting, err);
}

// ---- kernels

static Status set_of_kernel(Rewriting *rewriting, const char *text, Arena *arena, Error *err) {
  const char *equals = strchr(text, '=');
  if (!equals) return error_set(err, ERR_USAGE, "'%.40s': expected NAME=VALUE", text);
  const char *name = arena_strndup(arena, text, (size_t)(equals - text));
  for (size_t i = 0; i < PARAMETERS; i++) {
    if (strcmp(name, parameters[i].name) != 0) continue;
    if (parameters[i].set) return parameters[i].set(rewriting, equals + 1, err);
    rewriting->bypasses_streams = strcmp(equals + 1, "auto") == 0;
    if (rewriting->bypasses_streams) return OK;
    return error_set(err, ERR_USAGE, "expected auto; for single arrays use --bypass");
  }
  return unknown_parameter(name, err);
}

Status rewriting_parse_kernel(KernelRequest *kernel, const RewriteRequest *request,
                              const char *text, Arena *arena, Error *err) {
  size_t length = strcspn(text, ":");
  const char *part, *rest = text[length] ? text + length + 1 : NULL;
  *kernel =
      (KernelRequest){.name = arena_strndup(arena, text, length), .rewriting = request->rewriting};
  while ((part = text_list_next(&rest, ',', arena)))
    if (set_of_kernel(&kernel->rewriting, part, arena, err) != OK)
      return error_prefix(err, "%.80s", part);
  return check(&kernel->rewriting, err);
}

// ---- texts

static Status parse_parameter(RewriteRequest *request, const char *text, Arena *arena, Error *err) {
  const char *equals = strchr(text, '=');
  if (!equals) return error_set(err, ERR_USAGE, "'%.40s': expected NAME=VALUE", text);
  const char *name = arena_strndup(arena, text, (size_t)(equals - text));
  if (rewriting_set(request, name, equals + 1, arena, err) == OK) return OK;
  return error_prefix(err, "%.80s", text);
}

Status rewriting_parse(RewriteRequest *request, const char *text, Arena *arena, Error *err) {
  size_t length = strcspn(text, ":");
  const char *part, *rest = text[length] ? text + length + 1 : NULL;
  if (set_method(&request->rewriting, arena_strndup(arena, text, length), err) != OK)
    return error_prefix(err, "'%.40s'", text);
  while ((part = text_list_next(&rest, ',', arena)))
    TRY(parse_parameter(request, part, arena, err));
  return rewriting_check(request, err);
}

// ---- the library

typedef Status RewriteFunction(const RewriteRequest *request, Error *err);

Status rewriting_library(char path[REWRITING_PATH_BYTES], Error *err) {
  static const char *const places[] = {"", "/../lib/heddle"};
  char own[OWN_FOLDER_BYTES];
  TRY(own_folder(own, err));
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(path, REWRITING_PATH_BYTES, "%s%s/libheddle_cluster.so", own, places[i]);
    if (access(path, R_OK) == 0) return OK;
  }
  return error_set(err, ERR_IO,
                   "this Heddle was built without libclang, which parses CUDA sources; install "
                   "libclang-14-dev and rebuild");
}

Status rewriting_run(const RewriteRequest *request, Error *err) {
  char path[REWRITING_PATH_BYTES];
  TRY(rewriting_library(path, err));
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "cluster_rewrite") : NULL;
  if (!symbol) return error_set(err, ERR_IO, "cannot load %s: %.400s", path, dlerror());
  RewriteFunction *function;
  memcpy(&function, &symbol, sizeof function);
  return function(request, err);
}
