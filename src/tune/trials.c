// SPDX-License-Identifier: MIT
// Runs a program and its variants in parallel, each in a separate process (study/jobs.h).
#include "tune/trials.h"

#include "run/run_identity.h"
#include "run/run_machine.h"

void trials_of_experiments(Trial trials[EXPERIMENTS], char *const *program) {
  for (Experiment i = 0; i < EXPERIMENTS; i++)
    trials[i] = (Trial){.label = experiment_types[i].title,
                        .set = experiment_types[i].set,
                        .observe = experiment_types[i].observe,
                        .program = program};
}

// ---- runs

static Status digest_setting(const TrialSetting *setting, uint64_t *digest, Error *err) {
  RunMachine machine = {0};
  *digest = digest_start();
  TRY(digest_add_file(digest, "/proc/self/exe", err));
  TRY(digest_add_file(digest, setting->libraries, err));
  Status status = run_resolve(&machine, &setting->run, err);
  if (status == OK) *digest = run_digest_add_config(*digest, &machine.config);
  run_machine_clear(&machine);
  return status;
}

static void add(RunList *list, const char *text, Arena *arena) {
  if (text) run_list_add(list, text, arena);
}

static RunSpec spec_of(const TrialSetting *setting, const Trial *trial, Arena *arena) {
  RunSpec spec = setting->run;
  spec.program = trial->program[0];
  spec.kind = run_program_kinds[RUN_EXECUTABLE];
  for (char *const *word = trial->program + 1; *word; word++) add(&spec.arguments, *word, arena);
  add(&spec.environment, trial->environment, arena);
  add(&spec.set, trial->set, arena);
  add(&spec.set, trial->more, arena);
  add(&spec.observe, trial->is_bare ? "none" : NULL, arena);
  add(&spec.observe, trial->observe, arena);
  spec.strict = true;
  spec.quiet = true;
  return spec;
}

static Status make_key(Trial *trial, const RunSpec *spec, uint64_t digest, Arena *arena,
                       Error *err) {
  char text[DIGEST_BYTES];
  TRY(digest_add_file(&digest, spec->program, err));
  for (uint32_t i = 0; i < spec->set.count; i++)
    digest = digest_add_text(digest, spec->set.items[i]);
  trial->key = arena_strdup(arena, digest_print(run_digest_add_values(digest, spec), text));
  return OK;
}

static Status make_job(const TrialSetting *setting, Trial *trial, uint64_t digest, Job *job,
                       Arena *arena, Error *err) {
  RunSpec *spec = ARENA_NEW(arena, RunSpec);
  *spec = spec_of(setting, trial, arena);
  TRY(make_key(trial, spec, digest, arena, err));
  if (setting->outputs)
    spec->output = trial->output = arena_printf(arena, "%s/%s.out", setting->outputs, trial->key);
  *job = (Job){.label = trial->label, .key = trial->key, .spec = spec};
  return OK;
}

Status trials_run(const TrialSetting *setting, Trial *trials, size_t count, Arena *arena,
                  Error *err) {
  Job *jobs = ARENA_ARRAY(arena, Job, count);
  uint64_t digest;
  TRY(digest_setting(setting, &digest, err));
  for (size_t i = 0; i < count; i++)
    TRY(make_job(setting, &trials[i], digest, &jobs[i], arena, err));
  JobsOptions options = setting->jobs;
  options.db = setting->db;
  TRY(jobs_run(jobs, count, &options, arena, err));
  for (size_t i = 0; i < count; i++) {
    trials[i].failure = jobs[i].is_done ? NULL : jobs[i].failure;
    if (!jobs[i].is_done && !trials[i].failure) trials[i].failure = "not run";
  }
  return OK;
}

Status trials_evidence(Evidence *evidence, const char *db, const Trial trials[EXPERIMENTS],
                       Arena *arena, Error *err) {
  Store *store;
  const char *keys[EXPERIMENTS];
  for (Experiment i = 0; i < EXPERIMENTS; i++) keys[i] = trials[i].key;
  TRY(store_open(&store, db, STORE_READ, err));
  Status status = evidence_read(evidence, store, keys, arena, err);
  store_close(store);
  return status;
}

Status trial_evidence(Evidence *evidence, const char *db, const Trial *trial, Arena *arena,
                      Error *err) {
  Store *store;
  TRY(store_open(&store, db, STORE_READ, err));
  Status status = evidence_read_run(evidence, store, trial->key, arena, err);
  store_close(store);
  return status;
}
