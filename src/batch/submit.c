// SPDX-License-Identifier: MIT
// Submitting runs: a new round with its list, its bundles and, for Slurm, its job arrays.
#include "batch/submit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/files/replaced_file.h"
#include "base/text/shell_words.h"
#include "batch/bundles.h"
#include "batch/rounds.h"
#include "batch/slurm.h"

enum { MOST_BUNDLES = 1000 };

// The number after the last: folders of killed submitters count.
static Status make_folder(JobList *list, const char *folder, const char **made, Error *err) {
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return error_set(err, ERR_IO, "cannot create the folder %s: %s", folder, strerror(errno));
  do *made = arena_printf(&list->arena, "%s/%u", folder, ++list->round);
  while (mkdir(*made, 0777) != 0 && errno == EEXIST);
  if (access(*made, W_OK) == 0) return OK;
  return error_set(err, ERR_IO, "cannot create the folder %s: %s", *made, strerror(errno));
}

// ---- time

static double longest_bundle(const JobList *list) {
  double *seconds = memory_alloc(sizeof *seconds * (list->bundle_count + 1)), longest = 0;
  for (size_t i = 0; i < list->run_count; i++)
    seconds[list->runs[i].bundle] += list->runs[i].seconds / list->processes;
  for (uint32_t i = 1; i <= list->bundle_count; i++)
    if (seconds[i] > longest) longest = seconds[i];
  memory_free(seconds);
  return longest;
}

// A short limit lets Slurm fit elements into gaps, one that is too short kills them. So
// the limit is generous where times are known, and the partition's where
// they are not or where a run has been killed before.
static double time_limit(const JobList *list, double most) {
  double limit = 600 + 4 * longest_bundle(list);
  for (size_t i = 0; i < list->run_count; i++)
    if (list->runs[i].is_guess || list->runs[i].tries) return most;
  return most > 0 && most < limit ? most : limit;
}

// ---- job arrays

// What sbatch copies: the bundle is counted from the array's first.
static Status write_script(const JobList *list, const char *list_path, uint32_t first,
                           const char *path, Error *err) {
  Arena arena = {0};
  ReplacedFile script;
  char *words[] = {(char *)(size_t)list->heddle, "bundle", (char *)(size_t)list_path, NULL};
  TRY(replaced_file_begin(&script, path, err));
  fprintf(script.file, "#!/bin/sh\nexec %s $((%u + SLURM_ARRAY_TASK_ID))\n",
          shell_join(&arena, words), first - 1);
  arena_clear(&arena);
  return replaced_file_end(&script, OK, err);
}

static Status submit_array(JobList *list, const char *folder, const char *list_path, uint32_t first,
                           double seconds, const SubmitOptions *options, Error *err) {
  uint32_t left = list->bundle_count - first + 1;
  SlurmArray array = {.name = round_job_name(&list->arena, list, first),
                      .folder = folder,
                      .script = arena_printf(&list->arena, "%s/%u.sh", folder, first),
                      .count = left < list->array_size ? left : list->array_size,
                      .processes = list->processes,
                      .seconds = seconds,
                      .options = options->slurm_options};
  TRY(write_script(list, list_path, first, array.script, err));
  return slurm_submit(&array, err);
}

static Status submit_arrays(JobList *list, const char *folder, const char *list_path, double most,
                            const SubmitOptions *options, Error *err) {
  double seconds = time_limit(list, most);
  for (uint32_t first = 1; first <= list->bundle_count; first += list->array_size) {
    Status status = submit_array(list, folder, list_path, first, seconds, options, err);
    if (status != OK && first == 1) return status;
    if (status != OK && options->messages)
      fprintf(options->messages, "heddle: %s; the remaining bundles are submitted later\n",
              err->text);
    if (status != OK) return OK;
  }
  return OK;
}

// ---- a round

static void warn_of_long_runs(const JobList *list, double most, FILE *messages) {
  size_t count = 0;
  for (size_t i = 0; i < list->run_count; i++)
    count += !list->runs[i].is_guess && list->runs[i].seconds > most;
  if (count && messages && most > 0)
    fprintf(messages,
            "heddle: %zu runs are expected to take longer than the partition's limit of %.0f min, "
            "and will be killed\n",
            count, most / 60);
}

Status submit_round(JobList *list, const char *folder, const SubmitOptions *options,
                    const char **round_folder, Error *err) {
  SlurmLimits limits = {0};
  if (options->is_slurm) TRY(slurm_limits(options->slurm_options, &limits, err));
  BundleLimits bundles = {.least_seconds = options->element_seconds,
                          .most_seconds = limits.seconds / 2,
                          .most_bundles = MOST_BUNDLES,
                          .processes = list->processes};
  list->array_size = limits.array_size;
  list->bundle_count = bundles_make(list->runs, list->run_count, &bundles);
  warn_of_long_runs(list, limits.seconds, options->messages);
  TRY(make_folder(list, folder, round_folder, err));
  const char *path = arena_printf(&list->arena, "%s/list.jsonl", *round_folder);
  Status status = job_list_write(list, path, err);
  if (status == OK && options->is_slurm)
    status = submit_arrays(list, *round_folder, path, limits.seconds, options, err);
  if (status == OK) return OK;
  unlink(path);
  unlink(arena_printf(&list->arena, "%s/1.sh", *round_folder));
  rmdir(*round_folder);
  return status;
}
