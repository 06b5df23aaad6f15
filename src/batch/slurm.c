// SPDX-License-Identifier: MIT
// Slurm through its command line: sbatch, squeue, sacct, scontrol, sinfo, scancel. The
// libraries change with every release; these options and formats have been stable for a decade.
#include "batch/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/text/shell_words.h"
#include "base/text/text_list.h"
#include "batch/command.h"

// ---- options of sbatch

static Status read_option_file(Arena *arena, const char *path, const char **text, Error *err) {
  enum { LIMIT_BYTES = 1 << 16 };
  static const char mark[] = "#SBATCH";
  char *read;
  size_t length;
  TRY(file_read(path, LIMIT_BYTES, &read, &length, err));
  const char *rest = read, *line;
  *text = "";
  while ((line = text_list_next(&rest, '\n', arena))) {
    if (strncmp(line, mark, sizeof mark - 1) == 0)
      line += sizeof mark - 1;
    else if (*line == '#')
      continue;
    *text = arena_printf(arena, "%s %s", *text, line);
  }
  memory_free(read);
  return OK;
}

// Whether a word is this option: --name, --name=value, -l, -lvalue.
static bool is_option(const char *word, const char *name, char letter) {
  size_t length = strlen(name);
  if (letter && word[0] == '-' && word[1] == letter) return true;
  return strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, length) == 0 &&
         (word[2 + length] == '\0' || word[2 + length] == '=');
}

static Status check_options(char *const *words, Error *err) {
  static const struct {
    const char *name;
    char letter;
  } ours[] = {{"array", 'a'},  {"job-name", 'J'}, {"output", 'o'}, {"error", 'e'},
              {"chdir", 'D'},  {"input", 'i'},    {"wait", 'W'},   {"wrap", 0},
              {"parsable", 0}, {"test-only", 0}};
  if (words[0] && words[0][0] != '-')
    return error_set(err, ERR_USAGE, "--slurm: '%.80s' is not an option of sbatch", words[0]);
  for (size_t i = 0; words[i]; i++)
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
      if (is_option(words[i], ours[k].name, ours[k].letter))
        return error_set(err, ERR_USAGE, "--slurm: %.80s: heddle sets --%s itself", words[i],
                         ours[k].name);
  return OK;
}

Status slurm_options_read(Arena *arena, const char *given, char ***words, Error *err) {
  const char *text = given + strspn(given, " \t\n");
  if (*text && *text != '-') TRY(read_option_file(arena, given, &text, err));
  if (shell_split(arena, text, words, err) != OK) return error_prefix(err, "--slurm");
  return check_options(*words, err);
}

const char *slurm_option(char *const *words, const char *name, char letter) {
  const char *value = NULL;
  for (size_t i = 0; words[i]; i++) {
    if (!is_option(words[i], name, letter)) continue;
    const char *equals = strchr(words[i], '=');
    if (words[i][1] != '-' && words[i][2])
      value = words[i] + 2;
    else
      value = equals ? equals + 1 : words[i + 1];
  }
  return value;
}

// ---- limits

// [DAYS-]A[:B[:C]]: with days hours first, else with two numbers minutes.
double slurm_seconds(const char *text) {
  double days = 0, parts[3] = {0};
  int count = 0;
  char *end;
  const char *dash = strchr(text, '-');
  if (strcasecmp(text, "infinite") == 0 || strcasecmp(text, "unlimited") == 0) return 0;
  if (dash) {
    days = strtod(text, &end);
    if (end != dash || end == text) return -1;
    text = dash + 1;
  }
  for (bool more = true; more; text = end + 1) {
    if (count == 3 || *text < '0' || *text > '9') return -1;
    parts[count++] = strtod(text, &end);
    more = *end == ':';
    if (!more && *end) return -1;
  }
  if (dash) return days * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2];
  if (count == 3) return parts[0] * 3600 + parts[1] * 60 + parts[2];
  return parts[0] * 60 + parts[1];
}

// Runs a tool that has to succeed.
static Status ask(char *const *words, Arena *arena, const char **output, Error *err) {
  CommandResult result;
  TRY(command_run(words, arena, &result, err));
  *output = result.output;
  if (result.exit_code == 0) return OK;
  return error_set(err, ERR_IO, "%s failed: %.1000s", words[0],
                   *result.errors ? result.errors : "no error message");
}

static Status find_array_size(Arena *arena, uint32_t *size, Error *err) {
  static const char key[] = "MaxArraySize";
  const char *text;
  TRY(ask((char *[]){"scontrol", "show", "config", NULL}, arena, &text, err));
  const char *at = strstr(text, key);
  const char *value = at ? strchr(at, '=') : NULL;
  long most = value ? strtol(value + 1, NULL, 10) : 1001;
  if (most < 2)
    return error_set(err, ERR_UNSUPPORTED, "this Slurm allows no job arrays (MaxArraySize = %ld)",
                     most);
  *size = (uint32_t)(most - 1);  // the largest index is one less
  return OK;
}

// The limit of a partition, or of the default one, which is marked with an asterisk.
static Status find_partition_limit(char *const *options, Arena *arena, double *seconds,
                                   Error *err) {
  const char *wanted = slurm_option(options, "partition", 'p'), *text, *line;
  if (!wanted) wanted = getenv("SBATCH_PARTITION");
  TRY(ask((char *[]){"sinfo", "-h", "-o", "%P|%l", NULL}, arena, &text, err));
  *seconds = 0;
  while ((line = text_list_next(&text, '\n', arena))) {
    size_t length = strcspn(line, "|*");
    bool is_default = line[length] == '*';
    const char *limit = strchr(line, '|');
    bool is_wanted =
        wanted ? strlen(wanted) == length && strncmp(wanted, line, length) == 0 : is_default;
    if (!limit || !is_wanted) continue;
    double found = slurm_seconds(limit + 1);
    if (found > 0) *seconds = found;
    return OK;
  }
  if (!wanted || strchr(wanted, ',')) return OK;  // several: Slurm decides
  return error_set(err, ERR_USAGE, "Slurm has no partition '%.80s' (`sinfo` lists them)", wanted);
}

static Status find_limits(char *const *options, Arena *arena, SlurmLimits *limits, Error *err) {
  const char *given = slurm_option(options, "time", 't');
  double own = given ? slurm_seconds(given) : 0;
  if (own < 0) return error_set(err, ERR_USAGE, "--slurm: --time=%.40s: invalid time", given);
  TRY(find_array_size(arena, &limits->array_size, err));
  TRY(find_partition_limit(options, arena, &limits->seconds, err));
  if (own > 0 && (limits->seconds == 0 || own < limits->seconds)) limits->seconds = own;
  return OK;
}

Status slurm_limits(char *const *options, SlurmLimits *limits, Error *err) {
  Arena arena = {0};
  Status status = find_limits(options, &arena, limits, err);
  arena_clear(&arena);
  return status;
}

// ---- submitting

// The folder is the job's own: a path in --output would have its % expanded.
static Status submit(const SlurmArray *array, Arena *arena, Error *err) {
  size_t more = 0, count = 0;
  const char *output;
  while (array->options[more]) more++;
  char **words = ARENA_ARRAY(arena, char *, more + 20);
  words[count++] = "sbatch";
  words[count++] = "--parsable";
  words[count++] = "--requeue";
  words[count++] = "--open-mode=append";
  words[count++] = "--output=%x.%a.out";
  words[count++] = arena_printf(arena, "--cpus-per-task=%u", array->processes);
  // In whole minutes, and never above the partition's limit, where the job would wait forever.
  if (array->seconds > 0)
    words[count++] =
        arena_printf(arena, "--time=%lu", 1 + (unsigned long)(array->seconds - 1) / 60);
  for (size_t i = 0; i < more; i++) words[count++] = array->options[i];
  words[count++] = arena_printf(arena, "--chdir=%s", array->folder);
  words[count++] = arena_printf(arena, "--job-name=%s", array->name);
  words[count++] = arena_printf(arena, "--array=1-%u", array->count);
  words[count++] = arena_strdup(arena, array->script);
  return ask(words, arena, &output, err);
}

Status slurm_submit(const SlurmArray *array, Error *err) {
  Arena arena = {0};
  Status status = submit(array, &arena, err);
  arena_clear(&arena);
  return status;
}

// ---- the queue

// Compared by prefix: Slurm prints "CANCELLED by 1000".
static bool is_terminal(const char *state) {
  static const char *const terminal[] = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE",
                                         "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
                                         "REVOKED",   "TIMEOUT"};
  for (size_t i = 0; i < sizeof terminal / sizeof *terminal; i++)
    if (strncmp(state, terminal[i], strlen(terminal[i])) == 0) return true;
  return false;
}

// The next part of a line, up to the separator or its end.
static char *cut(char **line, char separator) {
  char *start = *line, *end = strchr(start, separator);
  if (end) *end = '\0';
  *line = end ? end + 1 : start + strlen(start);
  return start;
}

static void report_element(char *name, const char *index, char *state, const char *reason,
                           SlurmElementFn on_element, void *self) {
  char *end;
  unsigned long number = strtoul(index, &end, 10);
  if (!*name || end == index || *end || !number || number > UINT32_MAX || !*state) return;
  SlurmElement element = {name, (uint32_t)number, state, reason, !is_terminal(state)};
  on_element(self, &element);
}

void slurm_queue_parse(const char *text, SlurmElementFn on_element, void *self) {
  Arena arena = {0};
  const char *each;
  while ((each = text_list_next(&text, '\n', &arena))) {
    char *line = arena_strdup(&arena, each);
    char *index = cut(&line, '|'), *state = cut(&line, '|'), *name = cut(&line, '|');
    report_element(name, index, state, line, on_element, self);
  }
  arena_clear(&arena);
}

// -t all includes jobs that ended within MinJobAge, which tells a dead element from one that
// was never submitted; -r prints one line per element.
Status slurm_queue(const char *names, SlurmElementFn on_element, void *self, Error *err) {
  Arena arena = {0};
  const char *text;
  char *filter = arena_printf(&arena, "--name=%s", names);
  Status status =
      ask((char *[]){"squeue", "-h", "-r", "-t", "all", filter, "-o", "%K|%T|%j|%r", NULL}, &arena,
          &text, err);
  if (status == OK) slurm_queue_parse(text, on_element, self);
  arena_clear(&arena);
  return status;
}

void slurm_accounts_parse(const char *text, SlurmElementFn on_element, void *self) {
  Arena arena = {0};
  const char *each;
  while ((each = text_list_next(&text, '\n', &arena))) {
    char *line = arena_strdup(&arena, each);
    char *id = cut(&line, '|'), *state = cut(&line, '|');
    char *index = strchr(id, '_');
    if (index) report_element(line, index + 1, state, "", on_element, self);
  }
  arena_clear(&arena);
}

// Many clusters run without accounting: a failure is not an error; less is known.
void slurm_accounts(const char *names, SlurmElementFn on_element, void *self) {
  Arena arena = {0};
  CommandResult result;
  Error ignored;
  char *filter = arena_printf(&arena, "--name=%s", names);
  char *words[] = {
      "sacct", "-n", "-P", "-X", "-S", "now-30days", filter, "-o", "JobID,State,JobName", NULL};
  if (command_run(words, &arena, &result, &ignored) == OK && result.exit_code == 0)
    slurm_accounts_parse(result.output, on_element, self);
  arena_clear(&arena);
}

Status slurm_cancel(const char *name, Error *err) {
  Arena arena = {0};
  const char *text;
  char *filter = arena_printf(&arena, "--name=%s", name);
  Status status = ask((char *[]){"scancel", filter, NULL}, &arena, &text, err);
  arena_clear(&arena);
  return status;
}
