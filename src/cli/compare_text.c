// SPDX-License-Identifier: MIT
#include "cli/compare_text.h"

#include <string.h>

#include "cli/arguments.h"
#include "cli/shell_words.h"
#include "gpu/gpu_config.h"
#include "study/study.h"

// Names of one dimension, and a section for each that needs one.
typedef struct Part {
  const char *names, *sections;
  int count;
} Part;

// "a/b/vecadd.case" is vecadd; what has blanks loses them.
static const char *short_name(Arena *arena, const char *text) {
  const char *slash = strrchr(text, '/');
  char *name = arena_strdup(arena, slash ? slash + 1 : text), *to = name;
  for (const char *at = name; *at; at++)
    if (*at != ' ') *to++ = *at == ',' ? ';' : *at;
  *to = '\0';
  char *dot = strrchr(name, '.');
  if (dot && dot > name &&
      (strcmp(dot, ".case") == 0 || strcmp(dot, ".cfg") == 0 || strcmp(dot, ".ini") == 0))
    *dot = '\0';
  return name;
}

static void add_item(Part *part, Arena *arena, const char *kind, const char *is,
                     const char *arguments) {
  const char *name = short_name(arena, is);
  part->names =
      arena_printf(arena, "%s%s%s", part->names ? part->names : "", part->names ? ", " : "", name);
  part->count++;
  if (strcmp(name, is) == 0 && !arguments) return;
  part->sections = arena_printf(arena, "%s\n[%s %s]\nis = %s\n",
                                part->sections ? part->sections : "", kind, name, is);
  if (arguments)
    part->sections = arena_printf(arena, "%sarguments = %s\n", part->sections, arguments);
}

// Parts between commas. A comma also stands between a policy's parameters:
// "a:x=1,y=2" is one.
static void add_list(Part *part, Arena *arena, const char *kind, const char *list) {
  while (*list) {
    size_t length = strcspn(list, ",");
    while (list[length] == ',') {
      const char *next = list + length + 1;
      size_t more = strcspn(next, ",");
      bool is_parameter = memchr(list, ':', length) && memchr(next, '=', more) &&
                          !memchr(next, ':', more) && !memchr(next, '+', more);
      if (!is_parameter) break;
      length += more + 1;
    }
    const char *first = list + strspn(list, " ");
    const char *last = list + length;
    while (last > first && last[-1] == ' ') last--;
    if (last > first)
      add_item(part, arena, kind, arena_strndup(arena, first, (size_t)(last - first)), NULL);
    list += length + (list[length] == ',');
  }
}

// ---- workloads

static Status add_workloads(const Arguments *arguments, Arena *arena, Part *part, Error *err) {
  int behind = 0, before;
  while (arguments->program && arguments->program[behind]) behind++;
  before = arguments->operand_count - behind;
  if (before == 0 && behind == 0) return error_set(err, ERR_USAGE, "say what to compare");
  if (before == 0) {
    const char *path = arguments->program[0];
    if (!strchr(path, '/')) path = arena_printf(arena, "./%s", path);
    add_item(part, arena, "workload", path, shell_join(arena, arguments->program + 1));
    return OK;
  }
  if (before > 1 && behind)
    return error_set(err, ERR_USAGE, "options behind -- are for one workload, and there are %d",
                     before);
  for (int i = 0; i < before; i++)
    add_item(part, arena, "workload", arguments->operands[i],
             behind ? shell_join(arena, arguments->program) : NULL);
  return OK;
}

// ---- figures

static const char figures_by_scheme[] =
    "\n[figure speedup]\ntitle = Speed-up over %s\nas = speedup\nbaseline = %s\n"
    "\n[figure ipc]\ntitle = Warp instructions a cycle\nstatistic = warp_ipc\n"
    "\n[figure l1d]\ntitle = Hit rate of the L1D\nstatistic = l1d.hit_rate\nmean = arithmetic\n"
    "\n[figure l2]\ntitle = Hit rate of the L2\nstatistic = l2.hit_rate\nmean = arithmetic\n"
    "\n[figure dram]\ntitle = Bytes moved by DRAM, against %s\nstatistic = dram.bytes\n"
    "as = ratio\nbaseline = %s\n";
static const char figures_by_gpu[] =
    "\n[figure cycles]\ntitle = Cycles\ncolumns = gpu\nmean = none\n"
    "\n[figure ipc]\ntitle = Warp instructions a cycle\nstatistic = warp_ipc\ncolumns = gpu\n"
    "\n[figure l1d]\ntitle = Hit rate of the L1D\nstatistic = l1d.hit_rate\ncolumns = gpu\n"
    "mean = arithmetic\n"
    "\n[figure l2]\ntitle = Hit rate of the L2\nstatistic = l2.hit_rate\ncolumns = gpu\n"
    "mean = arithmetic\n";

static const char *first_name(Arena *arena, const char *names) {
  return arena_strndup(arena, names, strcspn(names, ","));
}

static const char *join_values(const Arguments *arguments, Arena *arena, const char *option) {
  const char *list = NULL, *value;
  for (int i = 0; (value = arguments_next(arguments, option, &i));)
    list = arena_printf(arena, "%s%s%s", list ? list : "", list ? "; " : "", value);
  return list;
}

static const char *line(Arena *arena, const char *key, const char *value) {
  return value ? arena_printf(arena, "%s = %s\n", key, value) : "";
}

Status compare_text(const Arguments *arguments, Arena *arena, const char **text, Error *err) {
  Part parts[DIMENSIONS] = {0};
  TRY(add_workloads(arguments, arena, &parts[BY_WORKLOAD], err));
  add_list(&parts[BY_GPU], arena, "gpu", arguments_value(arguments, "--gpu", GPU_DEFAULT));
  add_list(&parts[BY_SCHEME], arena, "scheme", arguments_value(arguments, "--schemes", "lrr,gto"));
  for (int i = 0; i < DIMENSIONS; i++)
    if (!parts[i].count) return error_set(err, ERR_USAGE, "no %s is named", dimension_names[i]);
  *text = arena_printf(arena,
                       "[study]\ntitle = %s: %s on %s\nworkloads = %s\ngpus = %s\nschemes = %s\n",
                       parts[0].names, parts[2].names, parts[1].names, parts[0].names,
                       parts[1].names, parts[2].names);
  *text = arena_printf(arena, "%s%s%s%s%s", *text,
                       line(arena, "size", arguments_value(arguments, "--size", NULL)),
                       line(arena, "set", join_values(arguments, arena, "--set")),
                       line(arena, "observe", join_values(arguments, arena, "--observe")),
                       line(arena, "interval", arguments_value(arguments, "--interval", "1000")));
  for (int i = 0; i < DIMENSIONS; i++)
    if (parts[i].sections) *text = arena_printf(arena, "%s%s", *text, parts[i].sections);
  const char *base = first_name(arena, parts[BY_SCHEME].names);
  bool by_gpu = parts[BY_SCHEME].count == 1 && parts[BY_GPU].count > 1;
  *text = by_gpu ? arena_printf(arena, "%s%s", *text, figures_by_gpu)
                 : arena_printf(arena, "%s%s", *text,
                                arena_printf(arena, figures_by_scheme, base, base, base, base));
  return OK;
}
