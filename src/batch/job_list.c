// SPDX-License-Identifier: MIT
// A job list: the runs of a study to be executed on other hosts, in bundles.
#include "batch/job_list.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/files/replaced_file.h"
#include "base/digest.h"
#include "run/run_json.h"
#include "store/process.h"

static const char format[] = "heddle-jobs";
enum { FORMAT_VERSION = 1 };

// ---- writing

typedef struct Writer {
  FILE *file;
  const char *path;
  uint64_t digest;
} Writer;

// A line; takes the object over. JSON requires UTF-8.
static Status put_line(Writer *writer, json_t *object, Error *err) {
  char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
  json_decref(object);
  if (!text)
    return error_set(err, ERR_UNSUPPORTED,
                     "%s: path or argument is not UTF-8, which a job list requires", writer->path);
  size_t length = strlen(text);
  text[length] = '\n';
  writer->digest = digest_add(writer->digest, text, length + 1);
  fwrite(text, 1, length + 1, writer->file);
  free(text);
  return OK;
}

static json_t *head_of(const JobList *list) {
  return json_pack("{s:s, s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i}", "format",
                   format, "version", FORMAT_VERSION, "round", (int)list->round, "study",
                   list->study, "store", list->store, "folder", list->folder, "heddle",
                   list->heddle, "heddle_version", list->version, "slurm", list->options, "retries",
                   (int)list->retries, "processes", (int)list->processes, "array_size",
                   (int)list->array_size, "bundles", (int)list->bundle_count);
}

static json_t *line_of(const ListedRun *run) {
  RunSpec spec = *run->spec;
  spec.job = NULL;  // "run" has it
  return json_pack("{s:i, s:s, s:s, s:f, s:b, s:i, s:o}", "bundle", (int)run->bundle, "run",
                   run->key, "label", run->label, "seconds", run->seconds, "guess", run->is_guess,
                   "tries", (int)run->tries, "spec", run_spec_json(&spec));
}

static Status write_lines(JobList *list, Writer *writer, Error *err) {
  TRY(put_line(writer, head_of(list), err));
  for (size_t i = 0; i < list->file_count; i++)
    TRY(put_line(
        writer,
        json_pack("{s:s, s:s}", "file", list->files[i].path, "digest", list->files[i].digest),
        err));
  for (size_t i = 0; i < list->run_count; i++) TRY(put_line(writer, line_of(&list->runs[i]), err));
  char digest[DIGEST_BYTES];
  list->digest = arena_strdup(&list->arena, digest_print(writer->digest, digest));
  return put_line(writer, json_pack("{s:s}", "end", list->digest), err);
}

Status job_list_write(JobList *list, const char *path, Error *err) {
  ReplacedFile replaced;
  TRY(replaced_file_begin(&replaced, path, err));
  Writer writer = {replaced.file, path, digest_start()};
  Status status = write_lines(list, &writer, err);
  return replaced_file_end(&replaced, status, err);
}

// ---- reading

typedef struct Reader {
  JobList *list;
  const char *path;
  uint32_t bundle;
  size_t line;
  uint64_t digest;  // of the lines before this one
  bool has_end;
} Reader;

static Status malformed(const Reader *reader, Error *err) {
  return error_set(err, ERR_SYNTAX, "%s:%zu: malformed job list; submit the study again",
                   reader->path, reader->line);
}

static const char *keep(Reader *reader, const char *text) {
  return arena_strdup(&reader->list->arena, text);
}

static Status read_head(Reader *reader, json_t *object, Error *err) {
  JobList *list = reader->list;
  const char *kind, *study, *store, *folder, *heddle, *version, *options;
  int format_version = 0, round, retries, processes, array_size, bundles;
  if (json_unpack(object, "{s:s, s:i}", "format", &kind, "version", &format_version) != 0 ||
      strcmp(kind, format) != 0)
    return error_set(err, ERR_SYNTAX, "%s is not a job list", reader->path);
  if (format_version != FORMAT_VERSION)
    return error_set(err, ERR_SYNTAX, "%s: job list format %d, expected %d; submit the study again",
                     reader->path, format_version, FORMAT_VERSION);
  if (json_unpack(object, "{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i}", "round",
                  &round, "study", &study, "store", &store, "folder", &folder, "heddle", &heddle,
                  "heddle_version", &version, "slurm", &options, "retries", &retries, "processes",
                  &processes, "array_size", &array_size, "bundles", &bundles) != 0 ||
      round < 1 || retries < 0 || processes < 1 || array_size < 0 || bundles < 0)
    return malformed(reader, err);
  list->round = (uint32_t)round;
  list->study = keep(reader, study);
  list->store = keep(reader, store);
  list->folder = keep(reader, folder);
  list->heddle = keep(reader, heddle);
  list->version = keep(reader, version);
  list->options = keep(reader, options);
  list->retries = (uint32_t)retries;
  list->processes = (uint32_t)processes;
  list->array_size = (uint32_t)array_size;
  list->bundle_count = (uint32_t)bundles;
  return OK;
}

static Status read_spec(Reader *reader, const json_t *json, ListedRun *run, Error *err) {
  RunSpec *spec = ARENA_NEW(&reader->list->arena, RunSpec);
  Error ignored;
  if (run_spec_from_json(spec, json, &reader->list->arena, &ignored) != OK || !spec->program)
    return malformed(reader, err);
  run->spec = spec;
  return OK;
}

static Status read_run(Reader *reader, json_t *object, Error *err) {
  JobList *list = reader->list;
  const char *key, *label;
  int bundle, tries, is_guess;
  double seconds;
  json_t *spec;
  if (json_unpack(object, "{s:i, s:s, s:s, s:F, s:b, s:i, s:o}", "bundle", &bundle, "run", &key,
                  "label", &label, "seconds", &seconds, "guess", &is_guess, "tries", &tries, "spec",
                  &spec) != 0 ||
      bundle < 1 || (uint32_t)bundle > list->bundle_count || tries < 0)
    return malformed(reader, err);
  GROW(list->runs, list->run_count, list->run_capacity);
  ListedRun *run = &list->runs[list->run_count++];
  *run = (ListedRun){.key = keep(reader, key),
                     .label = keep(reader, label),
                     .bundle = (uint32_t)bundle,
                     .tries = (uint32_t)tries,
                     .seconds = seconds,
                     .is_guess = is_guess};
  return read_spec(reader, spec, run, err);
}

static Status read_file_line(Reader *reader, json_t *object, Error *err) {
  JobList *list = reader->list;
  const char *path, *digest;
  if (json_unpack(object, "{s:s, s:s}", "file", &path, "digest", &digest) != 0)
    return malformed(reader, err);
  GROW(list->files, list->file_count, list->file_capacity);
  list->files[list->file_count++] = (PinnedFile){keep(reader, path), keep(reader, digest)};
  return OK;
}

static Status changed(const Reader *reader, Error *err) {
  return error_set(err, ERR_SYNTAX,
                   "%s: corrupt job list (edited or truncated); submit the study again",
                   reader->path);
}

static Status read_end(Reader *reader, const json_t *end, Error *err) {
  char digest[DIGEST_BYTES];
  digest_print(reader->digest, digest);
  if (!json_is_string(end) || strcmp(json_string_value(end), digest) != 0)
    return changed(reader, err);
  reader->list->digest = keep(reader, digest);
  reader->has_end = true;
  return OK;
}

static Status read_object(Reader *reader, json_t *object, Error *err) {
  if (reader->has_end) return changed(reader, err);
  if (reader->line == 1) return read_head(reader, object, err);
  if (json_object_get(object, "end")) return read_end(reader, json_object_get(object, "end"), err);
  if (json_object_get(object, "file")) return read_file_line(reader, object, err);
  return read_run(reader, object, err);
}

// Lines of other bundles need not be parsed: they start with `bundle`.
static bool is_wanted(const Reader *reader, const char *line) {
  int bundle;
  return reader->bundle == ALL_BUNDLES || sscanf(line, "{\"bundle\":%d,", &bundle) != 1 ||
         (uint32_t)bundle == reader->bundle;
}

static Status read_line(Reader *reader, const char *line, size_t length, Error *err) {
  reader->line++;
  Status status = OK;
  if (is_wanted(reader, line)) {
    json_t *object = json_loadb(line, length, 0, NULL);
    status = json_is_object(object) ? read_object(reader, object, err) : malformed(reader, err);
    json_decref(object);
  }
  reader->digest = digest_add(reader->digest, line, length);
  return status;
}

static Status read_lines(Reader *reader, FILE *file, Error *err) {
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  Status status = OK;
  while (status == OK && (length = getline(&line, &capacity, file)) > 0)
    status = read_line(reader, line, (size_t)length, err);
  free(line);
  if (status == OK && ferror(file))
    status = error_set(err, ERR_IO, "cannot read %s: %s", reader->path, strerror(errno));
  return status == OK && !reader->has_end ? changed(reader, err) : status;
}

Status job_list_read(JobList *list, const char *path, uint32_t bundle, Error *err) {
  *list = (JobList){0};
  FILE *file = fopen(path, "re");
  if (!file) return error_set(err, ERR_IO, "cannot open %s: %s", path, strerror(errno));
  Reader reader = {.list = list, .path = path, .bundle = bundle, .digest = digest_start()};
  Status status = read_lines(&reader, file, err);
  fclose(file);
  if (status != OK) job_list_clear(list);
  return status;
}

void job_list_clear(JobList *list) {
  memory_free(list->files);
  memory_free(list->runs);
  arena_clear(&list->arena);
  *list = (JobList){0};
}

// ---- files

static Status digest_of(const char *path, char out[DIGEST_BYTES], Error *err) {
  uint64_t digest = digest_start();
  TRY(digest_add_file(&digest, path, err));
  digest_print(digest, out);
  return OK;
}

Status job_list_pin(JobList *list, const char *path, Error *err) {
  char digest[DIGEST_BYTES];
  for (size_t i = 0; i < list->file_count; i++)
    if (strcmp(list->files[i].path, path) == 0) return OK;
  TRY(digest_of(path, digest, err));
  GROW(list->files, list->file_count, list->file_capacity);
  list->files[list->file_count++] =
      (PinnedFile){arena_strdup(&list->arena, path), arena_strdup(&list->arena, digest)};
  return OK;
}

static Status check_own(const JobList *list, Error *err) {
  static const char self[] = "/proc/self/exe";
  char digest[DIGEST_BYTES], host[HOST_BYTES], path[PATH_MAX] = "";
  TRY(digest_of(self, digest, err));
  for (size_t i = 0; i < list->file_count; i++)
    if (strcmp(list->files[i].path, list->heddle) == 0 &&
        strcmp(list->files[i].digest, digest) == 0)
      return OK;
  ssize_t length = readlink(self, path, sizeof path - 1);
  return error_set(err, ERR_USAGE,
                   "host %s: %s differs from the heddle that submitted the study, %s (%s)",
                   host_name(host), length > 0 ? path : self, list->heddle, list->version);
}

Status job_list_check_files(const JobList *list, Error *err) {
  char digest[DIGEST_BYTES], host[HOST_BYTES];
  for (size_t i = 0; i < list->file_count; i++) {
    if (digest_of(list->files[i].path, digest, err) != OK)
      return error_prefix(err, "on %s", host_name(host));
    if (strcmp(digest, list->files[i].digest) != 0)
      return error_set(err, ERR_USAGE,
                       "host %s: %s has changed since the study was submitted; submit it again",
                       host_name(host), list->files[i].path);
  }
  return check_own(list, err);
}
