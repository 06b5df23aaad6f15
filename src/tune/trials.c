// SPDX-License-Identifier: MIT
#include "tune/trials.h"

#include <string.h>
#include <unistd.h>

#include "store/digest.h"

enum { MOST_WORDS = 40 };

void trials_of_experiments(Trial trials[EXPERIMENTS], char *const *program) {
  static const Trial all[EXPERIMENTS] = {
      [EXPERIMENT_BASE] = {.label = "unchanged", .observe = "inter_cta"},
      [EXPERIMENT_ROW] = {.label = "clustered by rows",
                          .set = "policy.cta_dispatch=clustered:order=row",
                          .is_bare = true},
      [EXPERIMENT_COLUMN] = {.label = "clustered by columns",
                             .set = "policy.cta_dispatch=clustered:order=column",
                             .is_bare = true},
      [EXPERIMENT_UNCACHED] = {.label = "without the L1",
                               .set = "sm.l1_caches_global=false",
                               .is_bare = true},
      [EXPERIMENT_IDEAL] = {.label = "with an ideal L1", .set = "ideal.l1d=hits", .is_bare = true},
  };
  for (Experiment i = 0; i < EXPERIMENTS; i++) {
    trials[i] = all[i];
    trials[i].program = program;
  }
}

// ---- keys

static Status digest_setting(const TrialSetting *setting, uint64_t *digest, Error *err) {
  *digest = digest_start();
  TRY(digest_add_file(digest, setting->heddle, err));
  TRY(digest_add_file(digest, setting->libraries, err));
  *digest = digest_add_text(*digest, setting->gpu);
  if (strchr(setting->gpu, '/') || strchr(setting->gpu, '.'))
    TRY(digest_add_file(digest, setting->gpu, err));
  for (char *const *set = setting->sets; *set; set++) *digest = digest_add_text(*digest, *set);
  return OK;
}

static Status make_key(Trial *trial, uint64_t digest, Arena *arena, Error *err) {
  char text[DIGEST_BYTES];
  TRY(digest_add_file(&digest, trial->program[0], err));
  for (char *const *word = trial->program + 1; *word; word++)
    digest = digest_add_text(digest, *word);
  digest = digest_add_text(digest, trial->environment);
  digest = digest_add_text(digest, trial->set);
  digest = digest_add_text(digest, trial->more);
  digest = digest_add_text(digest, trial->observe);
  digest = digest_add_text(digest, trial->is_bare ? "bare" : NULL);
  trial->key = arena_strdup(arena, digest_print(digest, text));
  return OK;
}

// ---- command lines

typedef struct WordList {
  char **items;
  size_t count;
} WordList;

static void add(WordList *words, const char *word) {
  words->items[words->count++] = (char *)(size_t)word;
}

static void add_option(WordList *words, const char *option, const char *value) {
  if (!value) return;
  add(words, option);
  add(words, value);
}

// Standard output of the program goes to a file; jobs read failures from standard error.
static void add_prefix(WordList *words, const Trial *trial) {
  if (!trial->output && !trial->environment) return;
  add(words, "/usr/bin/env");
  if (trial->environment) add(words, trial->environment);
  if (!trial->output) return;
  add(words, "sh");
  add(words, "-c");
  add(words, "exec \"$@\" >\"$0\"");
  add(words, trial->output);
}

static size_t count_of(char *const *words) {
  size_t count = 0;
  while (words[count]) count++;
  return count;
}

static char **command_of(const TrialSetting *setting, const Trial *trial, Arena *arena) {
  size_t most = MOST_WORDS + count_of(trial->program) + 2 * count_of(setting->sets);
  WordList words = {.items = ARENA_ARRAY(arena, char *, most)};
  add_prefix(&words, trial);
  add(&words, setting->heddle);
  add(&words, "run");
  add_option(&words, "--db", setting->db);
  add_option(&words, "--job", trial->key);
  add_option(&words, "--gpu", setting->gpu);
  for (char *const *set = setting->sets; *set; set++) add_option(&words, "--set", *set);
  add_option(&words, "--set", trial->set);
  add_option(&words, "--set", trial->more);
  if (trial->is_bare) add_option(&words, "--observe", "none");
  add_option(&words, "--observe", trial->observe);
  add(&words, "--strict");
  add(&words, "--quiet");
  add(&words, "--");
  for (char *const *word = trial->program; *word; word++) add(&words, *word);
  add(&words, NULL);
  return words.items;
}

Status trials_run(const TrialSetting *setting, Trial *trials, size_t count, Arena *arena,
                  Error *err) {
  Job *jobs = ARENA_ARRAY(arena, Job, count);
  uint64_t digest;
  TRY(digest_setting(setting, &digest, err));
  for (size_t i = 0; i < count; i++) {
    Trial *trial = &trials[i];
    TRY(make_key(trial, digest, arena, err));
    if (setting->outputs)
      trial->output = arena_printf(arena, "%s/%s.out", setting->outputs, trial->key);
    jobs[i] = (Job){.label = trial->label, .key = trial->key};
    jobs[i].words = command_of(setting, trial, arena);
  }
  JobsOptions options = setting->jobs;
  options.db = setting->db;
  TRY(jobs_run(jobs, count, &options, arena, err));
  for (size_t i = 0; i < count; i++) {
    trials[i].failure = jobs[i].is_done ? NULL : jobs[i].failure;
    if (!jobs[i].is_done && !trials[i].failure) trials[i].failure = "not run";
  }
  return OK;
}
