// SPDX-License-Identifier: MIT
// Runs as JSON: an object with one member per field that is not at its default, by the names of
// run_rows.def.
#include "run/run_json.h"

#include <string.h>

#include "base/text/closest.h"
#include "base/files/file.h"
#include "base/memory.h"
#include "base/text/text_list.h"
#include "gpu/config/scheme.h"

enum { FILE_LIMIT_BYTES = 16 << 20 };
static const char config_member[] = "config";

static const void *field_of(const RunSpec *spec, const RunRow *row) {
  return (const char *)spec + row->offset;
}

// ---- texts, which may hold any bytes

static json_t *hex_json(const char *text) {
  static const char digits[] = "0123456789abcdef";
  size_t length = strlen(text);
  char *hex = memory_alloc(2 * length + 1);
  for (size_t i = 0; i < length; i++) {
    hex[2 * i] = digits[(unsigned char)text[i] >> 4];
    hex[2 * i + 1] = digits[text[i] & 15];
  }
  json_t *json = json_pack("{s:s}", "hex", hex);
  memory_free(hex);
  return json;
}

static json_t *text_json(const char *text) {
  json_t *json = json_string(text);
  return json ? json : hex_json(text);
}

static int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

// NULL: neither a string nor hexadecimal.
static const char *text_of(const json_t *json, Arena *arena) {
  const char *hex = json_string_value(json_object_get(json, "hex"));
  if (!hex) return json_string_value(json);
  size_t count = strlen(hex) / 2;
  char *text = arena_alloc(arena, count + 1);
  for (size_t i = 0; i < count; i++) {
    int high = digit_value(hex[2 * i]), low = digit_value(hex[2 * i + 1]);
    if (high < 0 || low < 0 || !(high | low)) return NULL;
    text[i] = (char)(high << 4 | low);
  }
  return strlen(hex) % 2 ? NULL : text;
}

// ---- writing

static json_t *list_json(const RunList *list) {
  json_t *array = list->count ? json_array() : NULL;
  for (uint32_t i = 0; i < list->count; i++)
    json_array_append_new(array, text_json(list->items[i]));
  return array;
}

static json_t *count_json(uint64_t count, const RunRow *row) {
  if (row->word && count == row->maximum + 1) return json_string(row->word);
  return count ? json_integer((json_int_t)count) : NULL;
}

// NULL: at its default.
static json_t *value_json(const RunSpec *spec, const RunRow *row) {
  const void *field = field_of(spec, row);
  switch (row->type) {
    case RUN_TEXT:
      return *(const char *const *)field ? text_json(*(const char *const *)field) : NULL;
    case RUN_LIST: return list_json(field);
    case RUN_FLAG: return *(const bool *)field ? json_true() : NULL;
    default: return count_json(*(const uint64_t *)field, row);
  }
}

json_t *run_spec_json(const RunSpec *spec) {
  json_t *object = json_object(), *value;
  for (const RunRow *row = run_rows; row->name; row++)
    if ((value = value_json(spec, row))) json_object_set_new(object, row->name, value);
  return object;
}

Status run_spec_write(const RunSpec *spec, GpuConfig *config, const char *path, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  json_t *json = run_spec_json(spec);
  if (config) {
    gpu_config_sections(config, sections);
    json_object_set_new(json, config_member, param_texts(sections));
  }
  int failed = json_dump_file(json, path, JSON_COMPACT);
  json_decref(json);
  return failed ? error_set(err, ERR_IO, "cannot write %s", path) : OK;
}

// ---- reading

static Status wrong_type(const RunRow *row, Error *err) {
  static const char *const expected[] = {[RUN_TEXT] = "a text",
                                         [RUN_LIST] = "a list of texts",
                                         [RUN_FLAG] = "true or false",
                                         [RUN_COUNT] = "a number"};
  return error_set(err, ERR_SYNTAX, "%s: expected %s", row->name, expected[row->type]);
}

static Status set_list(RunSpec *spec, const RunRow *row, const json_t *value, Arena *arena,
                       Error *err) {
  size_t i;
  const json_t *item;
  run_spec_unset(spec, row);
  json_array_foreach(value, i, item) {
    const char *text = text_of(item, arena);
    if (!text) return wrong_type(row, err);
    TRY(run_spec_set(spec, row, text, arena, err));
  }
  return json_is_array(value) ? OK : wrong_type(row, err);
}

static Status set_number(RunSpec *spec, const RunRow *row, const json_t *value, Arena *arena,
                         Error *err) {
  if (row->word && json_is_string(value))
    return run_spec_set(spec, row, json_string_value(value), arena, err);
  if (!json_is_integer(value)) return wrong_type(row, err);
  const char *text = arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  return run_spec_set(spec, row, text, arena, err);
}

static Status set_member(RunSpec *spec, const RunRow *row, const json_t *value, Arena *arena,
                         Error *err) {
  const char *text = text_of(value, arena);
  switch (row->type) {
    case RUN_TEXT: return text ? run_spec_set(spec, row, text, arena, err) : wrong_type(row, err);
    case RUN_LIST: return set_list(spec, row, value, arena, err);
    case RUN_FLAG:
      if (!json_is_boolean(value)) return wrong_type(row, err);
      return run_spec_set(spec, row, json_is_true(value) ? "true" : "false", arena, err);
    default: return set_number(spec, row, value, arena, err);
  }
}

static Status unknown_member(const char *name, Error *err) {
  Closest closest = closest_start(name);
  for (const RunRow *row = run_rows; row->name; row++) closest_offer(&closest, row->name);
  return error_set(err, ERR_SYNTAX, "unknown field '%.80s' of a run%s%s%s", name,
                   CLOSEST_HINT(closest));
}

Status run_spec_from_json(RunSpec *spec, const json_t *json, Arena *arena, Error *err) {
  const char *name;
  json_t *value;
  if (!json_is_object(json))
    return error_set(err, ERR_SYNTAX, "expected an object such as {\"gpu\": \"v100\"}");
  json_object_foreach((json_t *)(uintptr_t)json, name, value) {
    const RunRow *row = run_row(name);
    // Options are not names of fields.
    if (!row || strcmp(row->name, name) != 0) return unknown_member(name, err);
    if (set_member(spec, row, value, arena, err) != OK) return error_prefix(err, "%s", name);
  }
  return OK;
}

static Status read_config(GpuConfig *config, const json_t *json, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  gpu_config_sections(config, sections);
  return param_from_texts(sections, json, err);
}

Status run_spec_read(RunSpec *spec, GpuConfig *config, bool *has_config, const char *path,
                     Arena *arena, Error *err) {
  char *text;
  size_t length;
  json_error_t problem;
  TRY(file_read(path, FILE_LIMIT_BYTES, &text, &length, err));
  json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
  memory_free(text);
  if (!json) return error_set(err, ERR_SYNTAX, "%s:%d: %s", path, problem.line, problem.text);
  json_t *resolved = config ? json_incref(json_object_get(json, config_member)) : NULL;
  if (has_config) *has_config = resolved != NULL;
  Status status = resolved ? read_config(config, resolved, err) : OK;
  if (resolved) json_object_del(json, config_member);
  if (status == OK) status = run_spec_from_json(spec, json, arena, err);
  json_decref(resolved);
  json_decref(json);
  return status == OK ? OK : error_prefix(err, "%s", path);
}

// ---- paths

static const char *from_folder(const char *folder, const char *path, Arena *arena) {
  if (*path == '/' || !*path || strcmp(path, "-") == 0) return path;
  return arena_printf(arena, "%s/%s", folder, path);
}

// "gto + ./mine.ini": only the words that are paths change.
static const char *scheme_from_folder(const char *folder, const char *scheme, Arena *arena) {
  const char *made = "", *word;
  while ((word = text_list_next(&scheme, '+', arena))) {
    if (scheme_names_file(word)) word = from_folder(folder, word, arena);
    made = arena_printf(arena, "%s%s%s", made, *made ? " + " : "", word);
  }
  return made;
}

static RunList list_from_folder(const char *folder, const RunList *list, Arena *arena) {
  RunList made = {0};
  for (uint32_t i = 0; i < list->count; i++)
    run_list_add(&made, from_folder(folder, list->items[i], arena), arena);
  return made;
}

void run_spec_from_folder(RunSpec *spec, const char *folder, Arena *arena) {
  const char **outputs[] = {&spec->json, &spec->db, &spec->table, &spec->output, &spec->record};
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
    if (*outputs[i]) *outputs[i] = from_folder(folder, *outputs[i], arena);
  if (spec->gpu && word_is_path(spec->gpu, ".cfg"))
    spec->gpu = from_folder(folder, spec->gpu, arena);
  if (spec->scheme) spec->scheme = scheme_from_folder(folder, spec->scheme, arena);
  if (spec->program && strchr(spec->program, '/'))
    spec->program = from_folder(folder, spec->program, arena);
  spec->plugin = list_from_folder(folder, &spec->plugin, arena);
}
