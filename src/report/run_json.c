// SPDX-License-Identifier: MIT
// Converts the result of a run to JSON.
#include "report/run_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text/json_text.h"
#include "base/files/replaced_file.h"
#include "base/version.h"
#include "report/occupancy_note.h"
#include "report/run_sampling.h"

static json_t *sizes_json(const uint32_t size[3]) {
  json_t *array = json_array();
  for (int i = 0; i < 3; i++) json_array_append_new(array, json_integer(size[i]));
  return array;
}

static void set_count(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void origin_json(json_t *object, const KernelResult *kernel) {
  set_count(object, "id", kernel->id);
  if (!kernel->has_parent) set_count(object, "launch", kernel->launch);
  if (!kernel->has_parent) return;
  set_count(object, "parent", kernel->parent);
  set_count(object, "parent_cta", kernel->parent_cta);
  set_count(object, "parent_thread", kernel->parent_thread);
  set_count(object, "depth", kernel->depth);
  if (kernel->stats) set_count(object, "parent_sm", kernel->parent_sm);
}

static void times_json(json_t *object, const KernelResult *kernel) {
  set_count(object, "launched_cycle", kernel->launched);
  set_count(object, "submitted_cycle", kernel->submitted);
  set_count(object, "started_cycle", kernel->started);
  set_count(object, "ended_cycle", kernel->ended);
  set_count(object, "over_cycle", kernel->over);
  set_count(object, "first_sm", kernel->first_sm);
  set_count(object, "sms_used", kernel->sms);
}

static void occupancy_json(json_t *object, const RunResult *result, const KernelResult *kernel) {
  char note[OCCUPANCY_NOTE_BYTES];
  if (kernel->max_warps)
    json_object_set_new(object, "theoretical_occupancy",
                        json_real((double)kernel->resident_warps / kernel->max_warps));
  if (!kernel->limit.by) return;
  json_object_set_new(object, "occupancy_limit",
                      json_string(kernel->limit.grid_is_small ? "grid" : kernel->limit.by));
  json_object_set_new(object, "resource_limit", json_string(kernel->limit.by));
  json_object_set_new(object, "occupancy_note",
                      json_string(occupancy_note(kernel, result->sm_count, note)));
  set_count(object, "idle_sms", kernel_idle_sms(kernel, result->sm_count));
}

static json_t *kernel_json(const RunResult *result, const KernelResult *kernel) {
  json_t *object = json_object();
  json_object_set_new(object, "name", json_string(kernel->name));
  json_object_set_new(object, "readable_name", json_string(kernel->title));
  json_object_set_new(object, "grid", sizes_json(kernel->grid));
  json_object_set_new(object, "block", sizes_json(kernel->block));
  json_object_set_new(object, "registers", json_integer(kernel->registers));
  json_object_set_new(object, "local_bytes", json_integer(kernel->local_bytes));
  json_object_set_new(object, "shared_bytes", json_integer(kernel->shared_bytes));
  json_object_set_new(object, "ctas_per_sm", json_integer(kernel->ctas_per_sm));
  json_object_set_new(object, "complete", json_boolean(kernel->is_complete));
  origin_json(object, kernel);
  if (kernel->stats) times_json(object, kernel);
  if (result->parts && !kernel->stats) json_object_set_new(object, "timed", json_false());
  occupancy_json(object, result, kernel);
  json_object_update_new(object, stats_json(run_counts_table, &kernel->counts));
  if (kernel->stats) stats_parts_json(object, result->parts, kernel->stats);
  if (kernel->sampling) {
    run_sampling_add_counts(object, result, kernel);
    json_object_set_new(object, "sampling", run_sampling_kernel_json(result, kernel));
  }
  result_tables_json(object, &kernel->tables);
  json_object_set_new(object, "wall_seconds", json_real(kernel->seconds.wall));
  json_object_set_new(object, "cpu_seconds", json_real(kernel->seconds.cpu));
  return object;
}

void run_json_put_kernel(const RunResult *result, const KernelResult *kernel) {
  json_t *object = kernel_json(result, kernel);
  json_records_put(result->records, kernel->id, object);
  json_decref(object);
}

// JSON has no NaN and no infinity; they become texts.
static json_t *sum_json(const SumResult *sum) {
  if (isnan(sum->value)) return json_string("nan");
  if (isinf(sum->value)) return json_string(sum->value > 0 ? "inf" : "-inf");
  if (sum->whole && fabs(sum->value) < 9e15) return json_integer((json_int_t)sum->value);
  return json_real(sum->value);
}

static json_t *warnings_json(const RunResult *result) {
  json_t *array = json_array();
  for (uint32_t i = 0; i < result->warning_count; i++) {
    const RunWarning *warning = &result->warnings[i];
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_string(warning->kind));
    json_object_set_new(object, "text", json_text(warning->text));
    if (warning->detail) json_object_set_new(object, "first", json_text(warning->detail));
    set_count(object, "count", warning->count);
    json_array_append_new(array, object);
  }
  return array;
}

json_t *run_result_json(const RunResult *result) {
  json_t *root = json_object(), *kernels = json_array(), *sums = json_object();
  for (uint32_t i = 0; i < result->kernel_count && !result->records; i++)
    json_array_append_new(kernels, kernel_json(result, &result->kernels[i]));
  // Of several sums of one buffer, the last stays.
  for (uint32_t i = 0; i < result->sum_count; i++)
    json_set_named(sums, result->sums[i].name, sum_json(&result->sums[i]));
  json_object_set_new(root, "version", json_string(version_text()));
  json_object_set_new(root, "timing_model", json_integer(TIMING_MODEL));
  json_object_set_new(root, "input", json_text(result->input));
  json_object_set_new(root, "mode", json_string(result->mode));
  json_object_set_new(root, "gpu", json_text(result->gpu));
  if (result->scheme) json_object_set_new(root, "scheme", json_text(result->scheme));
  json_object_set_new(root, "complete", json_boolean(result->status == OK));
  json_object_set_new(root, "state", json_string(run_state(result->status)));
  if (result->error) json_object_set_new(root, "error", json_text(result->error));
  if (result->warning_count) json_object_set_new(root, "warnings", warnings_json(result));
  if (result->races.is_checked) json_object_set_new(root, "races", run_races_json(result));
  if (result->sampling.is_on) json_object_set_new(root, "sampling", run_sampling_json(result));
  json_object_set_new(root, "config", param_json(result->config));
  json_object_set_new(root, "kernels", kernels);
  json_t *total = stats_json(run_counts_table, &result->total);
  if (result->total_stats) stats_parts_json(total, result->parts, result->total_stats);
  if (result->total_stats && result->sampling.is_on) run_sampling_add_counts(total, result, NULL);
  result_tables_json(total, &result->tables);
  json_object_set_new(root, "total", total);
  if (result->policies.count)
    json_object_set_new(root, "policies", stats_tree_json(&result->policies));
  json_object_set_new(root, "sums", sums);
  json_object_set_new(root, "wall_seconds", json_real(result->seconds.wall));
  json_object_set_new(root, "cpu_seconds", json_real(result->seconds.cpu));
  return root;
}

// ---- as text

enum { ROOT_INDENT = 2, KERNEL_INDENT = 4 };

// Text indented by this many columns.
typedef struct Indented {
  FILE *file;
  size_t columns;  // at most 8
} Indented;

static int write_indented(const char *text, size_t length, void *self) {
  const Indented *to = self;
  while (length) {
    const char *newline = memchr(text, '\n', length);
    size_t part = newline ? (size_t)(newline - text) + 1 : length;
    fwrite(text, 1, part, to->file);
    if (newline) fwrite("        ", 1, to->columns, to->file);
    text += part;
    length -= part;
  }
  return 0;
}

static Status write_kernels(JsonRecords *records, FILE *file, Error *err) {
  Indented to = {file, KERNEL_INDENT};
  uint64_t end = json_records_end(records);
  const char *text, *before = "";
  size_t length;
  fputc('[', file);
  for (uint64_t id = 0; id < end; id++) {
    TRY(json_records_text(records, id, &text, &length, err));
    if (!text) continue;
    fprintf(file, "%s\n%*s", before, KERNEL_INDENT, "");
    write_indented(text, length, &to);
    before = ",";
    if (ferror(file)) return error_set(err, ERR_IO, "%s", strerror(errno));
  }
  if (*before) fprintf(file, "\n%*s", ROOT_INDENT, "");
  fputc(']', file);
  return json_records_check(records, err);
}

// Like one json_dumpf, but without holding all launches in memory.
static Status write_root(const json_t *json, JsonRecords *records, FILE *file, Error *err) {
  const size_t flags = JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_ENCODE_ANY;
  Indented to = {file, ROOT_INDENT};
  const char *name, *before = "";
  json_t *value;
  fputc('{', file);
  json_object_foreach((json_t *)(size_t)json, name, value) {
    fprintf(file, "%s\n%*s\"%s\": ", before, ROOT_INDENT, "", name);
    if (records && strcmp(name, "kernels") == 0)
      TRY(write_kernels(records, file, err));
    else
      json_dump_callback(value, write_indented, &to, flags);
    before = ",";
  }
  fputs("\n}\n", file);
  return OK;
}

Status run_json_write(const json_t *json, JsonRecords *records, const char *path, Error *err) {
  ReplacedFile it;
  TRY(replaced_file_begin(&it, path, err));
  Status status = write_root(json, records, it.file, err);
  if (status != OK) error_prefix(err, "cannot write %s", path);
  return replaced_file_end(&it, status, err);
}
