// SPDX-License-Identifier: MIT
#include "device/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "base/config_file.h"
#include "base/file.h"
#include "base/memory.h"
#include "gpu/scheme.h"
#include "locality/observers.h"
#include "policies/plugin.h"

typedef enum OptionKind { OPTION_TEXT, OPTION_FLAG, OPTION_COUNT } OptionKind;

// Every option: its name in a file; its variable has the same in capitals.
static const struct Option {
  const char *name, *variable;
  OptionKind kind;
  size_t offset;
} option_table[] = {
    {"gpu", "HEDDLE_GPU", OPTION_TEXT, offsetof(DeviceOptions, gpu)},
    {"scheme", "HEDDLE_SCHEME", OPTION_TEXT, offsetof(DeviceOptions, scheme)},
    {"plugin", "HEDDLE_PLUGIN", OPTION_TEXT, offsetof(DeviceOptions, plugin)},
    {"set", "HEDDLE_SET", OPTION_TEXT, offsetof(DeviceOptions, set)},
    {"observe", "HEDDLE_OBSERVE", OPTION_TEXT, offsetof(DeviceOptions, observe)},
    {"json", "HEDDLE_JSON", OPTION_TEXT, offsetof(DeviceOptions, json)},
    {"table", "HEDDLE_TABLE", OPTION_TEXT, offsetof(DeviceOptions, table)},
    {"report", "HEDDLE_REPORT", OPTION_TEXT, offsetof(DeviceOptions, report)},
    {"kernels", "HEDDLE_KERNELS", OPTION_TEXT, offsetof(DeviceOptions, kernels)},
    {"check", "HEDDLE_CHECK", OPTION_TEXT, offsetof(DeviceOptions, check)},
    {"launches", "HEDDLE_LAUNCHES", OPTION_FLAG, offsetof(DeviceOptions, wants_launches)},
    {"progress", "HEDDLE_PROGRESS", OPTION_FLAG, offsetof(DeviceOptions, wants_progress)},
    {"functional", "HEDDLE_FUNCTIONAL", OPTION_FLAG, offsetof(DeviceOptions, is_functional)},
    {"no_skip", "HEDDLE_NO_SKIP", OPTION_FLAG, offsetof(DeviceOptions, machine.no_skip)},
    {"per_sm", "HEDDLE_PER_SM", OPTION_FLAG, offsetof(DeviceOptions, machine.per_sm)},
    {"accesses", "HEDDLE_ACCESSES", OPTION_COUNT, offsetof(DeviceOptions, shown_accesses)},
    {"threads", "HEDDLE_THREADS", OPTION_COUNT, offsetof(DeviceOptions, machine.threads)},
    {"interval", "HEDDLE_INTERVAL", OPTION_COUNT, offsetof(DeviceOptions, machine.interval_cycles)},
};
enum { OPTIONS = sizeof option_table / sizeof *option_table, MOST_THREADS = 256, FILE_LIMIT_BYTES = 1 << 20 };

static Status set_text(char *to, const char *value, Error *err) {
  if (strlen(value) >= OPTION_TEXT_BYTES)
    return error_set(err, ERR_USAGE, "value longer than %d bytes", OPTION_TEXT_BYTES - 1);
  strcpy(to, value);
  return OK;
}

static Status set_flag(bool *to, const char *value, Error *err) {
  bool is_yes = strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
  if (!is_yes && *value && strcmp(value, "0") != 0 && strcmp(value, "false") != 0)
    return error_set(err, ERR_USAGE, "'%.40s': expected 1 or 0", value);
  *to = is_yes;
  return OK;
}

static Status set_count(DeviceOptions *options, const struct Option *option, const char *value,
                        Error *err) {
  char *end;
  unsigned long long number = strtoull(value, &end, 10);
  bool is_threads = strcmp(option->name, "threads") == 0;
  bool is_accesses = strcmp(option->name, "accesses") == 0;
  if (*value < '0' || *value > '9' || *end || !number || (is_threads && number > MOST_THREADS))
    return error_set(err, ERR_USAGE, "'%.40s': expected a number%s", value,
                     is_threads ? " from 1 to 256" : "");
  if (is_threads)
    options->machine.threads = (uint32_t)number;
  else if (is_accesses)
    options->shown_accesses = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
  else
    options->machine.interval_cycles = number;
  return OK;
}

static Status set(DeviceOptions *options, const struct Option *option, const char *value,
                  Error *err) {
  char *field = (char *)options + option->offset;
  if (option->kind == OPTION_TEXT) return set_text(field, value, err);
  if (option->kind == OPTION_FLAG) return set_flag((bool *)field, value, err);
  return set_count(options, option, value, err);
}

Status device_options_set(DeviceOptions *options, const char *name, const char *value, Error *err) {
  Closest closest = closest_start(name);
  for (size_t i = 0; i < OPTIONS; i++) {
    if (strcmp(option_table[i].name, name) == 0) return set(options, &option_table[i], value, err);
    closest_offer(&closest, option_table[i].name);
  }
  return error_set(err, ERR_USAGE, "unknown option '%.80s'%s%s%s", name, CLOSEST_HINT(closest));
}

static Status on_line(void *self, const char *section, const char *name, const char *value,
                      Error *err) {
  (void)section;
  return name ? device_options_set(self, name, value, err) : OK;
}

static void read_file(DeviceOptions *options, const char *path) {
  char *text;
  size_t length;
  if (file_read(path, FILE_LIMIT_BYTES, &text, &length, &options->error) != OK) {
    error_prefix(&options->error, "HEDDLE_OPTIONS");
    return;
  }
  config_lines_read(path, text, length, on_line, options, &options->error);
  memory_free(text);
}

// ---- paths

// Names are not changed.
static void from_folder(char path[OPTION_TEXT_BYTES], const char *folder, const char *ending) {
  char whole[OPTION_TEXT_BYTES];
  if (!folder || *path == '/' || !*path || strcmp(path, "-") == 0) return;
  if (ending && !word_is_path(path, ending)) return;
  int length = snprintf(whole, sizeof whole, "%s/%s", folder, path);
  if (length < OPTION_TEXT_BYTES) strcpy(path, whole);
}

// The parts of a list that are paths.
static void parts_from_folder(char list[OPTION_TEXT_BYTES], const char *folder, char separator,
                              const char *ending) {
  const char separators[] = {separator, '\0'};
  char whole[OPTION_TEXT_BYTES] = "", part[OPTION_TEXT_BYTES];
  size_t used = 0;
  for (const char *at = list; *at;) {
    size_t length = strcspn(at, separators), blanks = strspn(at, " "), last = length;
    if (blanks > length) blanks = length;
    while (last > blanks && at[last - 1] == ' ') last--;
    snprintf(part, sizeof part, "%.*s", (int)(last - blanks), at + blanks);
    if (separator != '+' || scheme_names_file(part)) from_folder(part, folder, ending);
    used +=
        (size_t)snprintf(whole + used, sizeof whole - used, "%s%s", used ? separators : "", part);
    if (used >= sizeof whole) return;
    at += length + (at[length] == separator);
  }
  strcpy(list, whole);
}

void device_options_read(DeviceOptions *options, const char *folder) {
  *options = (DeviceOptions){0};
  char file[OPTION_TEXT_BYTES];
  const char *given = getenv("HEDDLE_OPTIONS");
  snprintf(file, sizeof file, "%s", given ? given : "");
  from_folder(file, folder, NULL);
  if (*file) read_file(options, file);
  for (size_t i = 0; i < OPTIONS && options->error.status == OK; i++) {
    const char *value = getenv(option_table[i].variable);
    if (!value || !*value) continue;
    if (set(options, &option_table[i], value, &options->error) != OK)
      error_prefix(&options->error, "%s", option_table[i].variable);
  }
  snprintf(options->folder, sizeof options->folder, "%s", folder ? folder : "");
  from_folder(options->json, folder, NULL);
  from_folder(options->table, folder, NULL);
}

const char *device_options_variable(size_t index) {
  if (index == OPTIONS) return "HEDDLE_OPTIONS";
  return index < OPTIONS ? option_table[index].variable : NULL;
}

// Calls for each part between semicolons.
static Status assign_all(GpuConfig *config, const char *list, Error *err) {
  char part[OPTION_TEXT_BYTES];
  while (*list) {
    size_t length = strcspn(list, ";");
    snprintf(part, sizeof part, "%.*s", (int)length, list);
    list += length + (list[length] == ';');
    if (*part && gpu_config_assign(config, part, err) != OK)
      return error_prefix(err, "%.80s", part);
  }
  return OK;
}

static Status load_all(PolicySet *plugins, const char *list, Error *err) {
  plugins->observers = &observer_family;
  char part[OPTION_TEXT_BYTES];
  while (*list) {
    size_t length = strcspn(list, ";");
    snprintf(part, sizeof part, "%.*s", (int)length, list);
    list += length + (list[length] == ';');
    if (*part) TRY(policy_set_load(plugins, part, err));
  }
  return OK;
}

Status device_options_config(const DeviceOptions *options, PolicySet *plugins, GpuConfig *config,
                             Error *err) {
  if (options->error.status != OK)
    return error_set(err, options->error.status, "%s", options->error.text);
  const char *folder = *options->folder ? options->folder : NULL;
  char gpu[OPTION_TEXT_BYTES], list[OPTION_TEXT_BYTES], spec[OPTION_TEXT_BYTES];
  strcpy(gpu, options->gpu);
  strcpy(list, options->plugin);
  strcpy(spec, options->scheme);
  from_folder(gpu, folder, ".cfg");
  parts_from_folder(list, folder, ';', ".so");
  parts_from_folder(spec, folder, '+', ".ini");
  TRY(load_all(plugins, list, err));
  TRY(scheme_config(config, *gpu ? gpu : NULL, *spec ? spec : NULL, plugins, err));
  return assign_all(config, options->set, err);
}
