// SPDX-License-Identifier: MIT
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

static Status set_method(RewriteRequest *request, const char *text, Error *err) {
  request->method = strcmp(text, "redirection") == 0 ? METHOD_REDIRECTION : METHOD_AGENTS;
  if (request->method == METHOD_REDIRECTION || strcmp(text, "agents") == 0) return OK;
  return error_set(err, ERR_USAGE, "expected agents or redirection");
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

static bool read_tile(const char *text, RewriteRequest *request) {
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

static Status set_order(RewriteRequest *request, const char *text, Error *err) {
  static const struct {
    const char *name;
    RewriteOrder order;
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
      "expected auto, row, column, longer, tile, tile=WxH, table=FILE, or axes from the "
      "fastest to the slowest, such as xzy");
}

static Status set_active(RewriteRequest *request, const char *text, Error *err) {
  char *end;
  request->active = ACTIVE_ALL;
  if (strcmp(text, "all") == 0) return OK;
  request->active = ACTIVE_VOTED;
  if (strcmp(text, "vote") == 0) return OK;
  long count = strtol(text, &end, 10);
  request->active = (int)count;
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

static Status set_prefetch(RewriteRequest *request, const char *text, Error *err) {
  request->has_prefetch = strcmp(text, "true") == 0;
  if (request->has_prefetch || strcmp(text, "false") == 0) return OK;
  return error_set(err, ERR_USAGE, "expected true or false");
}

Status rewriting_set(RewriteRequest *request, const char *name, const char *value, Arena *arena,
                     Error *err) {
  static const char *const names[] = {"method", "order", "active", "bypass", "prefetch"};
  if (strcmp(name, "method") == 0) return set_method(request, value, err);
  if (strcmp(name, "order") == 0) return set_order(request, value, err);
  if (strcmp(name, "active") == 0) return set_active(request, value, err);
  if (strcmp(name, "prefetch") == 0) return set_prefetch(request, value, err);
  if (strcmp(name, "bypass") == 0) {
    add_bypassed(request, value, arena);
    return OK;
  }
  Closest closest = closest_start(name);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) closest_offer(&closest, names[i]);
  return error_set(err, ERR_USAGE, "unknown parameter '%.40s' of a rewriting%s%s%s", name,
                   CLOSEST_HINT(closest));
}

Status rewriting_check(const RewriteRequest *request, Error *err) {
  if (request->method == METHOD_AGENTS || (!request->has_prefetch && !request->active)) return OK;
  return error_set(err, ERR_USAGE, "prefetch and active are for the method agents");
}

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
  if (set_method(request, arena_strndup(arena, text, length), err) != OK)
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
