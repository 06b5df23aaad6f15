// SPDX-License-Identifier: MIT
// Writes a measured figure as CSV, SVG, PDF or PNG.
#define _GNU_SOURCE  // strptime, timegm
#include "study/figures/figure_file.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/files/replaced_file.h"
#include "study/figures/figure_csv.h"
#include "report/page.h"
#include "study/study_tables.h"

extern char **environ;

Status figure_check_path(const char *path, Error *err) {
  static const char *const endings[] = {".svg", ".pdf", ".png", ".csv"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (path_ends_with(path, endings[i])) return file_check_writable(path, err);
  return error_set(err, ERR_USAGE, "'%.200s': a figure is a .svg, .pdf, .png or .csv file", path);
}

// ---- external filters

typedef struct Filter {
  const char *const *words;  // NULL-terminated
  FILE *input, *task;        // standard input, and file descriptor 3 or NULL
  FILE *output, *errors;
  const char *purpose;  // why it is required, and its package
} Filter;

static void first_line(FILE *file, char out[200]) {
  rewind(file);
  if (!fgets(out, 200, file)) out[0] = '\0';
  out[strcspn(out, "\n")] = '\0';
}

static Status wait_for(const Filter *filter, pid_t pid, Error *err) {
  int status;
  char line[200];
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return OK;
  first_line(filter->errors, line);
  return error_set(err, ERR_IO, "%s failed to draw the figure: %s", filter->words[0],
                   *line ? line : "no error message");
}

static Status run_filter(const Filter *filter, Error *err) {
  posix_spawn_file_actions_t actions;
  pid_t pid;
  fflush(NULL);
  rewind(filter->input);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(filter->input), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(filter->output), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(filter->errors), STDERR_FILENO);
  if (filter->task) {
    rewind(filter->task);
    posix_spawn_file_actions_adddup2(&actions, fileno(filter->task), 3);
  }
  int failure = posix_spawnp(&pid, filter->words[0], &actions, NULL,
                             (char *const *)(size_t)filter->words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure == ENOENT)
    return error_set(err, ERR_UNSUPPORTED, "%s not found: %s", filter->words[0], filter->purpose);
  if (failure)
    return error_set(err, ERR_IO, "cannot run %s: %s", filter->words[0], strerror(failure));
  return wait_for(filter, pid, err);
}

// ---- drawing

static Status write_task(const json_t *figure, const FigureLook *look, FILE *file, Error *err) {
  json_t *task =
      json_pack("{s:O, s:s?, s:s?, s:f, s:s}", "figure", figure, "meaning", look->meaning,
                "baseline", look->baseline, "width_mm", look->width_mm, "theme", look->theme);
  int failed = json_dumpf(task, file, JSON_COMPACT | JSON_ENSURE_ASCII);
  json_decref(task);
  return failed ? error_set(err, ERR_IO, "cannot write a temporary file: %s", strerror(errno)) : OK;
}

static Status draw(const json_t *figure, const FigureLook *look, FILE *files[4], Error *err) {
  size_t size;
  const char *script = report_figure_script(&size);
  if (!script)
    return error_set(err, ERR_UNSUPPORTED,
                     "this Heddle was built without figures (node, npm or npm's registry not "
                     "available); run make again, or write a .csv file");
  if (fwrite(script, 1, size, files[0]) != size)
    return error_set(err, ERR_IO, "cannot write a temporary file: %s", strerror(errno));
  TRY(write_task(figure, look, files[1], err));
  Filter filter = {
      .words = (const char *const[]){"node", "-", NULL},
      .input = files[0],
      .task = files[1],
      .output = files[2],
      .errors = files[3],
      .purpose = "required to draw figures (Debian package nodejs); a .csv file needs no tools"};
  return run_filter(&filter, err);
}

static void set_date(const char *made) {
  struct tm time = {0};
  char seconds[32];
  if (!made || !strptime(made, "%Y-%m-%dT%H:%M:%SZ", &time)) return;
  snprintf(seconds, sizeof seconds, "%lld", (long long)timegm(&time));
  setenv("SOURCE_DATE_EPOCH", seconds, 0);
}

static Status convert(FILE *svg, FILE *errors, const FigureLook *look, const char *path, FILE *file,
                      Error *err) {
  bool is_pdf = path_ends_with(path, ".pdf");
  const char *const pdf[] = {"rsvg-convert", "--format", "pdf", NULL};
  // Background colour of the page, as the last pixel may be covered only in part.
  const char *ground = strcmp(look->theme, "dark") == 0 ? "#171c25" : "#ffffff";
  const char *const png[] = {"rsvg-convert", "--format", "png", "--dpi-x",
                             "300",          "--dpi-y",  "300", "--background-color",
                             ground,         NULL};
  set_date(look->made);
  Filter filter = {
      .words = is_pdf ? pdf : png,
      .input = svg,
      .output = file,
      .errors = errors,
      .purpose =
          "required for PDF and PNG (Debian package librsvg2-bin); an .svg file does not need it"};
  return run_filter(&filter, err);
}

static Status copy(FILE *from, FILE *to, Error *err) {
  char bytes[1 << 14];
  size_t count;
  rewind(from);
  while ((count = fread(bytes, 1, sizeof bytes, from)))
    if (fwrite(bytes, 1, count, to) != count)
      return error_set(err, ERR_IO, "cannot write: %s", strerror(errno));
  return OK;
}

static Status write_drawing(const json_t *figure, const FigureLook *look, const char *path,
                            FILE *file, Error *err) {
  FILE *files[4] = {tmpfile(), tmpfile(), tmpfile(), tmpfile()};  // script, task, SVG, errors
  Status status = OK;
  for (int i = 0; i < 4; i++)
    if (!files[i])
      status = error_set(err, ERR_IO, "cannot create a file in /tmp: %s", strerror(errno));
  if (status == OK) status = draw(figure, look, files, err);
  if (status == OK)
    status = path_ends_with(path, ".svg") ? copy(files[2], file, err)
                                          : convert(files[2], files[3], look, path, file, err);
  for (int i = 0; i < 4; i++)
    if (files[i]) fclose(files[i]);
  return status;
}

static bool is_table(const json_t *figure) {
  const char *kind = json_string_value(json_object_get(figure, "kind"));
  return kind && strcmp(kind, "table") == 0;
}

static Status write_csv(const json_t *figure, FILE *file, Error *err) {
  return is_table(figure) ? study_table_write_csv(figure, file, err)
                          : figure_write_csv(figure, file, err);
}

Status figure_write(const json_t *figure, const FigureLook *look, const char *path, Error *err) {
  ReplacedFile out;
  if (is_table(figure) && !path_ends_with(path, ".csv"))
    return error_set(err, ERR_USAGE, "%.200s: a table is written as a .csv file", path);
  TRY(replaced_file_begin(&out, path, err));
  Status status = path_ends_with(path, ".csv") ? write_csv(figure, out.file, err)
                                               : write_drawing(figure, look, path, out.file, err);
  if (status == ERR_IO) error_prefix(err, "%s", path);
  return replaced_file_end(&out, status, err);
}
