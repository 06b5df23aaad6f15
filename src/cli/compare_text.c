// SPDX-License-Identifier: MIT
#include "cli/compare_text.h"

#include <string.h>

#include "base/text_list.h"
#include "cli/arguments.h"
#include "cli/compare_figures.h"
#include "base/shell_words.h"
#include "gpu/gpu_config.h"
#include "study/sweep.h"

// Names of one dimension, and sections for those that need one.
typedef struct Part {
  const char *names, *sections;
  int count;
} Part;

// Without blanks and commas, which separate names.
static char *plain_name(Arena *arena, const char *text) {
  char *name = arena_strdup(arena, text), *to = name;
  for (const char *at = name; *at; at++)
    if (*at != ' ') *to++ = *at == ',' ? ';' : *at;
  *to = '\0';
  return name;
}

// "a/b/vecadd.case" becomes vecadd.
static const char *short_name(Arena *arena, const char *text) {
  const char *slash = strrchr(text, '/');
  char *name = plain_name(arena, slash ? slash + 1 : text);
  char *dot = strrchr(name, '.');
  if (dot && dot > name &&
      (strcmp(dot, ".case") == 0 || strcmp(dot, ".cfg") == 0 || strcmp(dot, ".ini") == 0))
    *dot = '\0';
  return name;
}

static void add_named(Part *part, Arena *arena, const char *kind, const char *name, const char *is,
                      const char *arguments) {
  part->names =
      arena_printf(arena, "%s%s%s", part->names ? part->names : "", part->names ? ", " : "", name);
  part->count++;
  if (strcmp(name, is) == 0 && !arguments) return;
  part->sections = arena_printf(arena, "%s\n[%s %s]\nis = %s\n",
                                part->sections ? part->sections : "", kind, name, is);
  if (arguments)
    part->sections = arena_printf(arena, "%sarguments = %s\n", part->sections, arguments);
}

static void add_item(Part *part, Arena *arena, const char *kind, const char *is,
                     const char *arguments) {
  add_named(part, arena, kind, short_name(arena, is), is, arguments);
}

static void add_list(Part *part, Arena *arena, const char *kind, const char *list) {
  const char *name;
  while ((name = text_list_next(&list, ',', arena))) add_item(part, arena, kind, name, NULL);
}

// ---- workloads

// Versions of a program may have the same name in different folders: their paths tell them apart.
static const char *workload_name(const Arguments *arguments, Arena *arena, int at, int count) {
  const char *path = arguments->operands[at], *name = short_name(arena, path);
  int same = 0;
  for (int i = 0; i < count; i++)
    same += strcmp(short_name(arena, arguments->operands[i]), name) == 0;
  if (same < 2) return name;
  return plain_name(arena, strncmp(path, "./", 2) == 0 ? path + 2 : path);
}

static Status add_workloads(const Arguments *arguments, Arena *arena, Part *part, Error *err) {
  int behind = 0, before;
  while (arguments->program && arguments->program[behind]) behind++;
  before = arguments->operand_count - behind;
  if (before == 0 && behind == 0) return error_set(err, ERR_USAGE, "nothing to compare");
  if (before == 0) {
    const char *path = arguments->program[0];
    if (!strchr(path, '/')) path = arena_printf(arena, "./%s", path);
    add_item(part, arena, "workload", path, shell_join(arena, arguments->program + 1));
    return OK;
  }
  if (before > 1 && behind)
    return error_set(err, ERR_USAGE, "options after -- apply to one workload, but %d are given",
                     before);
  for (int i = 0; i < before; i++)
    add_named(part, arena, "workload", workload_name(arguments, arena, i, before),
              arguments->operands[i], behind ? shell_join(arena, arguments->program) : NULL);
  return OK;
}

// ---- the complete text

// Rejects words that would end their line in the study, or start a comment.
static Status check_word(const char *word, Error *err) {
  if (!word || (!strpbrk(word, "\r\n") && !strstr(word, " #") && !strstr(word, "\t#"))) return OK;
  return error_set(err, ERR_USAGE,
                   "'%.80s': line breaks, and # after a space, are not allowed in a comparison",
                   word);
}

static Status check_words(const Arguments *arguments, Error *err) {
  for (int i = 0; i < arguments->given_count; i++)
    if (check_word(arguments->given[i].value, err) != OK)
      return error_prefix(err, "%s", arguments->given[i].option->name);
  for (int i = 0; i < arguments->operand_count; i++) TRY(check_word(arguments->operands[i], err));
  return OK;
}

static const char *line(Arena *arena, const char *key, const char *value) {
  return value ? arena_printf(arena, "%s = %s\n", key, value) : "";
}

// Errors refer to the option, not to the generated study file.
static Status add_sweeps(const Arguments *arguments, Arena *arena, const char **text, Error *err) {
  Study scratch = {.dimension_count = BY_SWEEP};
  const char *sweep;
  Status status = OK;
  for (int i = 0; status == OK && (sweep = arguments_next(arguments, "--sweep", &i));) {
    status = sweep_add(&scratch, sweep, err);
    *text = arena_printf(arena, "%ssweep = %s\n", *text, sweep);
  }
  study_clear(&scratch);
  return status == OK ? OK : error_prefix(err, "--sweep");
}

// The study without its figures, which depend on its dimensions.
static Status study_text(const Arguments *arguments, Arena *arena, const char **text, Error *err) {
  static const char *const names[] = {"workload", "gpu", "scheme"};
  Part parts[BY_SWEEP] = {0};
  TRY(check_words(arguments, err));
  TRY(add_workloads(arguments, arena, &parts[BY_WORKLOAD], err));
  add_list(&parts[BY_GPU], arena, "gpu", arguments_value(arguments, "--gpu", GPU_DEFAULT));
  add_list(&parts[BY_SCHEME], arena, "scheme", arguments_value(arguments, "--schemes", "lrr,gto"));
  for (int i = 0; i < BY_SWEEP; i++)
    if (!parts[i].count) return error_set(err, ERR_USAGE, "no %s given", names[i]);
  *text = arena_printf(arena,
                       "[study]\ntitle = %s: %s on %s\nworkloads = %s\ngpus = %s\nschemes = %s\n",
                       parts[0].names, parts[2].names, parts[1].names, parts[0].names,
                       parts[1].names, parts[2].names);
  TRY(add_sweeps(arguments, arena, text, err));
  *text = arena_printf(arena, "%s%s%s%s%s", *text,
                       line(arena, "size", arguments_value(arguments, "--size", NULL)),
                       line(arena, "set", arguments_join(arguments, "--set", arena)),
                       line(arena, "observe", arguments_join(arguments, "--observe", arena)),
                       line(arena, "interval", arguments_value(arguments, "--interval", "1000")));
  for (int i = 0; i < BY_SWEEP; i++)
    if (parts[i].sections) *text = arena_printf(arena, "%s%s", *text, parts[i].sections);
  return OK;
}

Status compare_text(const Arguments *arguments, Arena *arena, const char **text, Error *err) {
  Study study;
  TRY(study_text(arguments, arena, text, err));
  TRY(study_read(&study, "compare", *text, err));
  *text = arena_printf(arena, "%s%s", *text, compare_figures(&study, arena));
  study_clear(&study);
  return OK;
}
