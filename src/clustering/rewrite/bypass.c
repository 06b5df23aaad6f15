// SPDX-License-Identifier: MIT
// Reads --bypass and turns the chosen loads into __ldcg.
#include "clustering/rewrite/bypass.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "clustering/rewrite/rewrite.h"

enum { MAX_RESULT_BYTES = 1 << 30 };

static void add_choice(Bypass *bypass, BypassChoice choice) {
  GROW(bypass->choices, bypass->count, bypass->capacity);
  bypass->choices[bypass->count++] = choice;
}

// "path:line" in two parts.
static bool read_place(Program *program, const char *text, BypassChoice *choice) {
  const char *colon = strrchr(text, ':');
  char *end;
  if (!colon || colon == text) return false;
  long line = strtol(colon + 1, &end, 10);
  if (end == colon + 1 || *end || line <= 0) return false;
  choice->path = arena_strndup(&program->arena, text, (size_t)(colon - text));
  choice->line = (uint32_t)line;
  return true;
}

// ---- results of runs

static json_int_t number(const json_t *row, const char *key) {
  return json_integer_value(json_object_get(row, key));
}

static void take_load(Bypass *bypass, Program *program, const char *text, const json_t *row) {
  const char *space = json_string_value(json_object_get(row, "space"));
  const char *source = json_string_value(json_object_get(row, "source"));
  BypassChoice choice = {.text = text, .is_from_profile = true};
  const char *kind = json_string_value(json_object_get(row, "kind"));
  bool is_global = space && strcmp(space, "global") == 0 && kind && strcmp(kind, "load") == 0;
  bool is_reused = number(row, "hits") + number(row, "merges") > 0;
  if (is_global && !is_reused && number(row, "misses") > 0 && source &&
      read_place(program, arena_strdup(&program->arena, source), &choice))
    add_choice(bypass, choice);
}

static Status read_result(Bypass *bypass, Program *program, const char *path, Error *err) {
  json_error_t error;
  size_t i;
  const json_t *row;
  json_t *result = json_load_file(path, 0, &error);
  if (!result) return error_set(err, ERR_SYNTAX, "%s:%d: %s", path, error.line, error.text);
  const json_t *accesses = json_object_get(json_object_get(result, "total"), "accesses");
  bool has_lines = false;
  json_array_foreach(accesses, i, row) {
    const char *source = json_string_value(json_object_get(row, "source"));
    has_lines |= source && *source;
    take_load(bypass, program, path, row);
  }
  json_decref(result);
  if (has_lines) return OK;
  return error_set(err, ERR_SYNTAX,
                   "%s: no loads with source lines: compile the program with -lineinfo and run it "
                   "with --observe accesses --json FILE",
                   path);
}

Status bypass_read(Bypass *bypass, Program *program, const RewriteRequest *request, Error *err) {
  for (int i = 0; i < request->bypassed_count; i++) {
    const char *text = request->bypassed[i];
    BypassChoice choice = {.text = text};
    if (path_ends_with(text, ".json")) {
      TRY(read_result(bypass, program, text, err));
      continue;
    }
    if (!read_place(program, text, &choice)) choice.array = text;
    add_choice(bypass, choice);
  }
  return OK;
}

void bypass_clear(Bypass *bypass) {
  memory_free(bypass->choices);
  *bypass = (Bypass){0};
}

Status bypass_check(const Bypass *bypass, Error *err) {
  for (int i = 0; i < bypass->count; i++) {
    const BypassChoice *choice = &bypass->choices[i];
    if (choice->matches || choice->is_from_profile) continue;
    return error_set(err, ERR_USAGE,
                     "--bypass %.200s: %s; elements must be of a built-in or vector type",
                     choice->text,
                     choice->array ? "no rewritten kernel has a read-only array of that name"
                                   : "no rewritten kernel loads an array element there");
  }
  return OK;
}

// ---- which loads

static bool is_same_file(const SourceFile *file, const char *path) {
  size_t length = strlen(path), real = strlen(file->real_path);
  if (strcmp(file->path, path) == 0) return true;
  return real >= length && strcmp(file->real_path + real - length, path) == 0 &&
         (real == length || path[0] == '/' || file->real_path[real - length - 1] == '/');
}

// A read-only array of the kernel, or NULL.
static const ArrayUse *find_array(const Direction *direction, const char *name) {
  const ArrayUse *array = direction ? direction_array(direction, name) : NULL;
  return array && !array->writes ? array : NULL;
}

// direction is that of the kernel whose body this is, NULL in functions that it calls.
static bool is_chosen(Bypass *bypass, Program *program, const Node *node, const char *array,
                      const Direction *direction) {
  const SourceFile *file = &program->sources.files[node->file];
  const ArrayUse *found = find_array(direction, array);
  bool is_wanted = bypass->takes_streams && found && found->class == ARRAY_STREAM;
  for (int i = 0; i < bypass->count; i++) {
    BypassChoice *choice = &bypass->choices[i];
    bool is_place = choice->path && choice->line == source_line(file, node->begin) &&
                    is_same_file(file, choice->path);
    bool is_array = found && choice->array && strcmp(choice->array, array) == 0;
    if (!is_place && !is_array) continue;
    choice->matches++;
    is_wanted = true;
  }
  return is_wanted;
}

// What __ldcg has overloads for: arithmetic types and CUDA's vectors of up to 16 bytes.
static bool is_loadable(const Node *node) {
  CXType type = clang_getCanonicalType(clang_getCursorType(node->cursor));
  if (clang_isVolatileQualifiedType(type)) return false;
  if (type.kind >= CXType_Bool && type.kind <= CXType_LongDouble)
    return type.kind != CXType_Bool && type.kind != CXType_LongDouble;
  CXString spelling = clang_getTypeSpelling(type);
  const char *name = clang_getCString(spelling);
  if (strncmp(name, "const ", 6) == 0) name += 6;
  size_t length = strlen(name);
  static const char *const vectors[] = {"char", "uchar", "short",  "ushort",   "int",
                                        "uint", "float", "double", "longlong", "ulonglong"};
  bool is_vector = false;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    is_vector |= length == strlen(vectors[i]) + 1 && strncmp(name, vectors[i], length - 1) == 0 &&
                 (name[length - 1] == '2' || name[length - 1] == '4') &&
                 clang_Type_getSizeOf(type) <= 16;
  clang_disposeString(spelling);
  return is_vector;
}

static void rewrite_load(Program *program, const Node *node) {
  rewrite_insert(program, node->file, node->begin, "__ldcg(&");
  rewrite_insert(program, node->file, node->end, ")");
}

static void rewrite_body(Bypass *bypass, Program *program, Body *body, const Direction *direction) {
  Dependence dependence;
  dependence_init(&dependence, program, body);
  FOR_EACH_NODE(node, body->statements) {
    if (node->file == NO_FILE || node->is_from_macro || !is_element(&dependence, node)) continue;
    const Variable *array = array_of(&dependence, node);
    if (!array || array_access(&dependence, node) != 1 || !is_loadable(node)) continue;
    if (is_chosen(bypass, program, node, cursor_name(&program->arena, array->cursor), direction))
      rewrite_load(program, node);
  }
  dependence_clear(&dependence);
}

void bypass_rewrite(Bypass *bypass, Program *program, const Kernel *kernel,
                    const Direction *direction) {
  bypass->takes_streams = kernel->rewriting->bypasses_streams;
  if (!bypass->count && !bypass->takes_streams) return;
  FOR_EACH_BODY(body, kernel->function) {
    const ReachedList *reached = calls_reached(program, body);
    for (int i = 0; i < reached->count; i++) {
      Body *each = reached->items[i].body;
      bool is_own = each->function == kernel->function;
      if (each->node->file != NO_FILE)
        rewrite_body(bypass, program, each, is_own ? direction : NULL);
    }
  }
}
