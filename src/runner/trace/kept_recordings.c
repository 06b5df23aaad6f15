// SPDX-License-Identifier: MIT
// Finds or makes the recording of a program in a folder, and decides whether it may be replayed.
#include "runner/trace/kept_recordings.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/files/replaced_file.h"
#include "base/version.h"
#include "policies/prefetch/prefetch.h"
#include "run/run_identity.h"
#include "runner/trace/recording_run.h"
#include "trace/recording_reader.h"

typedef struct KeptPlace {
  char recording[PATH_MAX];
  char reason[PATH_MAX];  // why there is no recording
} KeptPlace;

// ---- where it is

static uint64_t add_list(uint64_t digest, const RunList *list) {
  for (uint32_t i = 0; i < list->count; i++) digest = digest_add_text(digest, list->items[i]);
  return digest_add_text(digest, NULL);
}

// What a program may see of the machine: not the policies, nor what perturbs a run.
static uint64_t add_machine(uint64_t digest, const GpuConfig *config) {
  GpuConfig seen = *config;
  memset(&seen.policy, 0, sizeof seen.policy);
  seen.run.seed = 0;
  return run_digest_add_config(digest, &seen);
}

static Status find_place(KeptPlace *place, const RunSpec *spec, const RunMachine *machine,
                         Error *err) {
  char folder[PATH_MAX], key[DIGEST_BYTES];
  uint64_t digest = digest_add_text(digest_start(), version_text());
  TRY(digest_add_file(&digest, spec->program, err));
  digest = add_list(digest, &spec->arguments);
  digest = add_list(digest, &spec->environment);
  digest = digest_add_text(digest, spec->kernels);
  digest = add_machine(digest, &machine->config);
  if (mkdir(spec->recordings, 0777) != 0 && errno != EEXIST)
    return error_set(err, ERR_IO, "cannot create %s: %s", spec->recordings, strerror(errno));
  // Absolute: the program may be in another folder when it writes.
  if (!realpath(spec->recordings, folder))
    return error_set(err, ERR_IO, "%s: %s", spec->recordings, strerror(errno));
  digest_print(digest, key);
  int length =
      snprintf(place->recording, sizeof place->recording, "%s/%s" RECORDING_ENDING, folder, key);
  if (length < 0 || (size_t)length >= sizeof place->recording)
    return error_set(err, ERR_IO, "%s: the path is too long", spec->recordings);
  snprintf(place->reason, sizeof place->reason, "%.*s.reason",
           length - (int)strlen(RECORDING_ENDING), place->recording);
  return OK;
}

// ---- whether it can stand for the program

static Status write_reason(const KeptPlace *place, const char *program, const char *reason,
                           Error *err) {
  ReplacedFile it;
  TRY(replaced_file_begin(&it, place->reason, err));
  fprintf(it.file, "%s is executed in every run: %s\n", program, reason);
  return replaced_file_end(&it, OK, err);
}

static void name_causes(uint32_t causes, char *text, size_t size) {
  size_t used = 0;
  for (uint32_t i = 0, count = 0; i < CAUSE_COUNT; i++)
    if (causes >> i & 1 && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s", count++ ? ", " : "",
                               recording_causes[i]);
}

// Whether the recording is there and is the program's under every schedule. One that is damaged
// is made again.
static bool is_usable(const KeptPlace *place, uint32_t *causes) {
  Recording *recording;
  Error ignored;
  *causes = 0;
  if (access(place->recording, R_OK) != 0) return false;
  if (recording_open(&recording, place->recording, &ignored) != OK) return false;
  *causes = recording_contents(recording)->causes;
  recording_close(recording);
  return !*causes;
}

// ---- runs

static Status execute_recorded(const KeptPlace *place, const RunSpec *spec, RunMachine *machine,
                               RunOutcome *outcome, ExecuteFn execute, Error *err) {
  RunSpec first = *spec;
  uint32_t causes;
  char text[ERROR_TEXT_BYTES / 2] = "";
  first.record = place->recording;
  TRY(execute(&first, machine, outcome, err));
  if (is_usable(place, &causes) || access(place->reason, F_OK) == 0) return OK;
  name_causes(causes, text, sizeof text);
  unlink(place->recording);
  Error ignored;
  write_reason(place, spec->program, causes ? text : "it could not be recorded", &ignored);
  return OK;
}

// A prefetcher that reads data finds none in a replay.
static bool reads_data(const RunMachine *machine) {
  const PolicyType *type;
  Error ignored;
  if (policy_find(&prefetch_family, &machine->plugins, machine->config.policy.prefetch, &type,
                  &ignored) != OK)
    return false;
  return ((const PrefetchType *)type)->reads_data;
}

static bool can_be_replayed(const RunSpec *spec, const RunMachine *machine) {
  return !spec->functional && !spec->check && !spec->record && strchr(spec->program, '/') &&
         !reads_data(machine);
}

Status kept_recordings_run(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome,
                           ExecuteFn execute, Error *err) {
  KeptPlace place;
  uint32_t causes;
  if (!can_be_replayed(spec, machine)) return execute(spec, machine, outcome, err);
  TRY(find_place(&place, spec, machine, err));
  if (access(place.reason, F_OK) == 0) return execute(spec, machine, outcome, err);
  if (is_usable(&place, &causes))
    return recording_run(place.recording, spec, machine, outcome, err);
  return execute_recorded(&place, spec, machine, outcome, execute, err);
}
